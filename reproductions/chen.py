"""Chen, LeFevre and Ramakrishnan, Privacy Skyline (VLDB 2007), section 7, run again; and a case with sets of diagnoses.

    make reproduce PAPER=chen                     about three minutes
    make reproduce PAPER=chen WITH=--docs         also renews docs/reproductions/chen.md
    python reproductions/chen.py --quick          seconds; smaller, to see that it runs

7.1  How much quicker are the five minima than the dynamic program, by records, ℓ, k and m?  20 values equally likely,
     groups of 100 people.  Two pairs are timed: ours against a dynamic program in NumPy, and the two algorithms as the
     paper prints them, written alike in plain Python for one value, with their operations counted.
7.2  Does anonymising larger tables than memory holds scale?  The generator of Agrawal, Imielinski and Swami (1993),
     zip code (9 values) sensitive, 512 MB as on the paper's machine, (0, 1000, 0) and (3, 1000, 10) below 3/4.
7.3  The case study on Adult: made (3, 6)-diverse, and asked who would be 95 % sure that somebody is a manager.
Ours The same question about sets of diagnoses of real people (the paper's second kind of data, which it does not try).
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import altair as alt
import experiment
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from chen_programs import Amounts, dynamic_program, five_minima, operations

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.worst_cases import divide_in_floats, worst_acquaintance_over_groups

import sidelight as sl
from sidelight.report.plots import BLUE, GREY, INK, VERMILION, TableBehind, finish_chart

PEOPLE, VALUES = 100, 20
MIDDLE: Amounts = (10, 10, 10)


def in_brackets(amounts: Amounts) -> str:
    """Write amounts of knowledge so that no line breaks within.

    >>> in_brackets((3, 1000, 10))
    '(3,1000,10)'
    """
    return f"({','.join(map(str, amounts))})"


# --- 7.1: the five minima and the dynamic program -------------------------------------------------------------


def uniform_counts(groups: int) -> np.ndarray:
    return np.random.default_rng(2007).multinomial(PEOPLE, np.full(VALUES, 1 / VALUES), size=groups)


def release_of(counts: np.ndarray) -> sl.Release:
    return sl.Release.from_counts([{f"{value:02d}": int(n) for value, n in enumerate(row)} for row in counts])


def seconds_of(work: Callable[[], object], times: int = 3) -> float:
    """Processor time, the lowest of some runs."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def timed(release: sl.Release, counts: np.ndarray, amounts: Amounts, sample: int) -> experiment.Row:
    """One setting: all groups by the five minima, a sample by the dynamic programs, whose cost per group is fixed."""
    few, many = release_of(counts[:sample]), len(counts)
    plain = counts[: sample // 2].tolist()
    of_first = sl.Acquaintance(*amounts, value="00")
    exact = float(of_first.measure(release_of(counts[: sample // 2])).value)
    assert math.isclose(five_minima(plain, amounts), exact)
    assert math.isclose(dynamic_program(plain, amounts), exact)
    ours = seconds_of(lambda: sl.Acquaintance(*amounts).measure(release))
    knows = dict(zip(("rules_out", "others", "family"), amounts, strict=True))
    program = seconds_of(lambda: worst_acquaintance_over_groups(few.groups, **knows, divide=divide_in_floats))
    alike = seconds_of(lambda: dynamic_program(plain, amounts))
    minima = seconds_of(lambda: [five_minima(plain, amounts) for _ in range(10)]) / 10
    slow, quick = operations(amounts)
    return {
        "(ℓ,k,m)": in_brackets(amounts),
        "records": many * PEOPLE,
        "ours, ms": round(ours * 1e3, 2),
        "dynamic program, s": round(program * many / sample, 2),
        "times quicker": round(program * many / sample / ours),
        "written alike": round(alike / max(minima, 1e-9)),
        "fewer products": round(slow / quick),
    }


def settings(*, quick: bool) -> Iterator[tuple[str, int, Amounts]]:
    """What is varied, how many groups there are, and the amounts."""
    many = 1_000 if quick else 10_000
    for groups in (many, 2 * many) if quick else (many, 2 * many, 3 * many, 4 * many, 5 * many):
        yield "records", groups, MIDDLE
    for direction, (name, amounts) in enumerate(
        {"ℓ": (0, 4, 8, 12, 16), "k": (0, 4, 8, 16, 24, 32), "m": (0, 4, 8, 12, 16)}.items()
    ):
        for amount in amounts[:1] if quick else amounts:
            knows = list(MIDDLE)
            knows[direction] = amount
            yield name, many, (knows[0], knows[1], knows[2])


PAPER = {
    **{("records", millions * 1_000_000): 140 for millions in range(1, 6)},
    **{(varied, 10): 140 for varied in "ℓkm"},
    ("k", 32): 1_000,
}
"""What the paper's text says ("about 140", "about 1,000"); the rest is in its figure only."""

PANELS = {
    "records": "million records",
    "ℓ": "ℓ: values ruled out",
    "k": "k: other people",
    "m": "m: people of the family",
}
OURS = "Sidelight and a dynamic program in NumPy"
ALIKE = "the two algorithms, written alike"
PRINTED = "the paper's text"


def speed(run: experiment.Experiment) -> None:
    rows: list[experiment.Row] = []
    points: list[experiment.Row] = []
    sample = 4 if run.quick else 20
    releases: dict[int, tuple[sl.Release, np.ndarray]] = {}
    for varied, groups, amounts in settings(quick=run.quick):
        if groups not in releases:
            counts = uniform_counts(groups)
            releases[groups] = release_of(counts), counts
        row = timed(*releases[groups], amounts, sample)
        rows.append({"varied": varied, **row})
        at = groups * PEOPLE if varied == "records" else amounts["ℓkm".index(varied)]
        scale = 1e-6 if varied == "records" else 1
        points.append({"panel": varied, "x": at * scale, "times": row["times quicker"], "of": OURS})
        points.append({"panel": varied, "x": at * scale, "times": row["written alike"], "of": ALIKE})
    for (varied, at), times in PAPER.items():
        points.append({"panel": varied, "x": at * (1e-6 if varied == "records" else 1), "times": times, "of": PRINTED})
    run.table("speed", rows)
    run.figure("speed", speed_chart(points))


def speed_chart(points: list[experiment.Row]) -> alt.TopLevelMixin:
    most = max(float(str(point["times"])) for point in points)
    panels = []
    for name, words in PANELS.items():
        data = alt.Data(values=[point for point in points if point["panel"] == name])
        first = name in ("records", "k")
        axis = alt.Axis(title="times quicker" if first else None, format=",", values=[10**power for power in range(6)])
        base = alt.Chart(data).encode(
            x=alt.X("x:Q", title=words, axis=alt.Axis(tickCount=5)),
            y=alt.Y("times:Q", axis=axis, scale=alt.Scale(type="log", domain=[1, 10 ** math.ceil(math.log10(most))])),
            color=alt.Color(
                "of:N", title=None, scale=alt.Scale(domain=[OURS, ALIKE, PRINTED], range=[BLUE, INK, VERMILION])
            ).legend(orient="top", labelLimit=400),
            shape=alt.Shape(
                "of:N",
                title=None,
                scale=alt.Scale(domain=[OURS, ALIKE, PRINTED], range=["circle", "square", "diamond"]),
            ),
        )
        lines = base.transform_filter(f"datum.of != {PRINTED!r}").mark_line(strokeWidth=2)
        panels.append((lines + base.mark_point(filled=True, size=60, opacity=1)).properties(width=310, height=190))
    chart = alt.vconcat(alt.hconcat(*panels[:2], spacing=24), alt.hconcat(*panels[2:], spacing=24), spacing=20)
    return finish_chart(
        chart,
        title="The more others and family are known, the more the five minima gain over the dynamic program",
        subtitle="How many times quicker a release is judged, by one of four amounts; ℓ, k and m are else 10",
        table=behind(points, ("panel", "x", "times", "of")),
    )


def behind(rows: Sequence[experiment.Row], columns: tuple[str, ...]) -> TableBehind:
    return TableBehind(columns, tuple(tuple(row[column] for column in columns) for row in rows))


# --- 7.2: anonymising what memory does not hold ---------------------------------------------------------------

QUASI = ["salary", "commission", "age", "education", "car", "house value", "house years", "loan"]
BYTES_PER_RECORD = 44
MEMORY = "512MB"
BATCH = 250_000
THRESHOLDS: tuple[Amounts, ...] = ((0, 1_000, 0), (3, 1_000, 10))


def write_people(rows: int, path: Path) -> None:
    """People of Agrawal, Imielinski and Swami (1993): money in thousands, house values by zip code in ten thousands."""
    writer = None
    for start in range(0, rows, BATCH):
        drawn, many = np.random.default_rng([2007, start]), min(BATCH, rows - start)
        salary, zipcode = drawn.integers(20, 151, many), drawn.integers(0, 9, many)
        worth = drawn.uniform(0.5, 1.5, many) * (zipcode + 1) * 10
        people = {
            "salary": salary,
            "commission": np.where(salary >= 75, 0, drawn.integers(10, 76, many)),
            "age": drawn.integers(20, 81, many),
            "education": drawn.integers(0, 5, many),
            "car": drawn.integers(1, 21, many),
            "house value": worth.astype(np.int64) * 10,
            "house years": drawn.integers(1, 31, many),
            "loan": drawn.integers(0, 51, many) * 10,
            "zipcode": pa.array([f"zip {n}" for n in range(9)]).take(pa.array(zipcode)),
        }
        table = pa.table(people)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def anonymise(path: Path, amounts: Amounts, memory: str | None) -> dict[str, float]:
    """In this process: processor seconds, the most memory held, groups."""
    start = time.process_time()
    roles = {"quasi": QUASI, "sensitive": "zipcode", "person": "each row"}
    table = sl.stream_table(path, memory=memory, **roles) if memory else sl.read_table(path, **roles)
    policy = sl.Policy(sl.Acquaintance(*amounts) < Fraction(3, 4))
    found = sl.protect(table, policy, method="mondrian", ask="nobody")
    seconds = time.process_time() - start
    return {"seconds": seconds, "held": most_memory(), "groups": len(found.release.groups.sizes)}


def most_memory() -> int:
    """The most bytes that this process held; where Linux tells, without what the one that started it had held."""
    status = Path("/proc/self/status")
    if status.exists():
        told = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(told["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def in_a_process(path: Path, amounts: Amounts, memory: str | None) -> dict[str, float]:
    command = [sys.executable, __file__, "--anonymise", json.dumps([str(path), amounts, memory])]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print(path.name, amounts, memory, answer, end="", flush=True)
    return dict(json.loads(answer))


def scale(run: experiment.Experiment) -> None:
    rows: list[experiment.Row] = []
    sizes = (20_000, 40_000) if run.quick else (500_000, 1_000_000, 2_000_000, 4_000_000)
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.parquet"
            write_people(size, path)
            for amounts in THRESHOLDS[:1] if run.quick else THRESHOLDS:
                measured = (anonymise if run.quick else in_a_process)(path, amounts, MEMORY)
                rows.append(scaled(size, amounts, MEMORY, measured))
            if size <= 1_000_000 and not run.quick:
                rows.append(scaled(size, THRESHOLDS[0], None, in_a_process(path, THRESHOLDS[0], None)))
    run.table("scale", rows)
    run.figure("scale", scale_chart(rows))


def scaled(size: int, amounts: Amounts, memory: str | None, measured: dict[str, float]) -> experiment.Row:
    return {
        "records": size,
        "(ℓ,k,m)": in_brackets(amounts),
        "read": f"in {memory}" if memory else "whole",
        "groups": int(measured["groups"]),
        "processor seconds": round(measured["seconds"], 1),
        "µs per record": round(measured["seconds"] / size * 1e6, 1),
        "most memory, MB": round(measured["held"] / 1e6),
    }


def scale_chart(rows: Sequence[experiment.Row]) -> alt.TopLevelMixin:
    values = [
        {
            "millions": int(str(row["records"])) / 1e6,
            "seconds": row["processor seconds"],
            "memory": row["most memory, MB"],
            "what": f"{row['(ℓ,k,m)']}, {row['read']}",
        }
        for row in rows
    ]
    kinds = list(dict.fromkeys(value["what"] for value in values))
    panels = []
    for column, title in {"seconds": "processor seconds", "memory": "most memory held, MB"}.items():
        base = alt.Chart(alt.Data(values=values)).encode(
            x=alt.X("millions:Q", title="million records", axis=alt.Axis(tickCount=5), scale=alt.Scale(domainMin=0)),
            y=alt.Y(f"{column}:Q", title=title, scale=alt.Scale(domainMin=0)),
            color=alt.Color("what:N", title=None, scale=alt.Scale(domain=kinds, range=[BLUE, VERMILION, GREY])).legend(
                orient="top", labelLimit=300
            ),
            shape=alt.Shape("what:N", title=None, scale=alt.Scale(domain=kinds, range=["circle", "square", "diamond"])),
        )
        layers = [base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=60, opacity=1)]
        panels.append(alt.layer(*layers).properties(width=310, height=220))
    return finish_chart(
        alt.hconcat(*panels, spacing=24),
        title="Time grows with the records, memory does not",
        subtitle="Mondrian by the five minima, 8 quasi-identifiers, 9 sensitive values; in 512 MB, or held whole",
        table=behind(rows, tuple(rows[0])),
    )


# --- 7.3: the case study --------------------------------------------------------------------------------------

PRINTED_POINTS = {(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)}
MANAGER, CONFIDENCE = "Exec-managerial", Fraction(19, 20)


def case_study(run: experiment.Experiment) -> None:
    adult = sl.datasets.adult()
    diverse = sl.Policy(sl.Acquaintance(rules_out=4) < Fraction(3, 4))
    release = sl.protect(adult.table, diverse, method="mondrian", by=adult.hierarchies, ask="nobody").release
    skyline = sl.knowledge_skyline(release, value=MANAGER, below=CONFIDENCE)
    ours = {(int(values), int(others), int(family)) for values, others, family in skyline}
    rows: list[experiment.Row] = []
    for point in sorted(PRINTED_POINTS | ours):
        beyond = [risk_at(release, [n + (at == step) for at, n in enumerate(point)]) for step in range(3)]
        rows.append(
            {
                "(ℓ,k,m)": in_brackets(point),
                "printed": "yes" if point in PRINTED_POINTS else "no",
                "ours": "yes" if point in ours else "no",
                "risk there": float(risk_at(release, point)),
                "least risk one step beyond": float(min(beyond)),
            }
        )
    run.table("case-study", rows)
    five = sl.Acquaintance(others=5, value=MANAGER).measure(release)
    run.table(
        "five-people",
        [
            {
                "groups": len(release.groups.sizes),
                "knows four others": float(risk_at(release, (0, 4, 0))),
                "knows five others": float(five.value),
                "how": " ".join(str(five.explain()).split()),
            }
        ],
    )
    run.figure("case-study", case_chart(release, ours))


def case_chart(release: sl.Release, skyline: set[Amounts]) -> alt.TopLevelMixin:
    """A panel per number of values ruled out, so that all seven points are seen."""
    amounts = {"rules_out": range(5), "others": range(6), "family": range(6)}
    curve = sl.disclosure_curve(release, sl.Acquaintance, amounts, value=MANAGER)
    cells = [
        {"l": knows["rules_out"], "k": knows["others"], "m": knows["family"], "risk": float(risk)}
        for knows, risk in curve.points()
    ]
    for cell in cells:
        cell["shown"] = f"{cell['risk']:.0%}".removesuffix("%") if cell["risk"] < CONFIDENCE else ""
    dots = [{"l": values, "k": k, "m": m} for values, k, m in skyline]
    panels = []
    for values in range(5):
        only = f"datum.l == {values}"
        title = {"title": "m: family"} if values == 0 else {"title": None, "labels": False, "ticks": False}
        place = {
            "x": alt.X("k:O", title="k: other people", axis=alt.Axis(labelAngle=0, grid=False)),
            "y": alt.Y("m:O", sort="descending", axis=alt.Axis(grid=False, **title)),
        }
        base = alt.Chart(alt.Data(values=cells)).transform_filter(only).encode(**place)
        colour = alt.condition(
            f"{float(CONFIDENCE)} > datum.risk",
            alt.Color("risk:Q", scale=alt.Scale(range=["#FFFFFF", "#7FBBE0"], domain=[0.2, 1])).legend(None),
            alt.value("#F3D3BE"),
        )
        boxes = base.mark_rect(stroke="#FFFFFF").encode(color=colour)
        numbers = base.mark_text(fontSize=10, color=INK).encode(text="shown:N")
        found = alt.Chart(alt.Data(values=dots)).transform_filter(only).encode(**place)
        rings = found.mark_point(size=330, color=INK, strokeWidth=2, opacity=1)
        panel = alt.layer(boxes, numbers, rings).properties(width=132, height=132)
        panels.append(
            panel.properties(
                title=alt.TitleParams(
                    f"ℓ = {values}", fontSize=13, fontWeight="normal", offset=4, frame="group", anchor="start"
                )
            )
        )
    return finish_chart(
        alt.hconcat(*panels, spacing=10),
        title="Who learns what five people do is sure of a sixth, in a (3, 6)-diverse release of Adult",
        subtitle="How sure somebody can be that a person is a manager, in per cent; orange: 95 or more. Rings: the "
        "knowledge skyline, the seven points that the paper prints. ℓ: occupations ruled out for that person.",
        table=behind(cells, ("l", "k", "m", "risk")),
        width=780,
    )


def risk_at(release: sl.Release, amounts: Sequence[int]) -> Fraction:
    return Fraction(sl.Acquaintance(*amounts, value=MANAGER).measure(release).value)


# --- ours: sets of diagnoses ----------------------------------------------------------------------------------

DIAGNOSES = {
    "042": "HIV",
    "303": "Alcohol dependence",
    "295": "Schizophrenia",
    "311": "Depression",
    "250": "Diabetes",
    "401": "Hypertension",
}
LIMITED = ("042", "303", "295", "311")
KNOWS: Amounts = (1, 3, 1)
HALF = Fraction(1, 2)
KEPT, FOUR, ALL = "groups of 10", "and four diagnoses below 1/2", "and all diagnoses below 1/2"


def diagnoses(run: experiment.Experiment) -> None:
    data = sl.datasets.diagnoses(quasi=["birth-year", "sex", "race", "marital-status"])
    names = {code: next(str(each) for each in data.table.domain if str(each).startswith(code)) for code in DIAGNOSES}
    ten = sl.GroupSize() >= 10
    policies = {
        KEPT: sl.Policy(ten),
        FOUR: sl.Policy(ten, *(sl.Acquaintance(*KNOWS, value=names[code]) < HALF for code in LIMITED)),
        ALL: sl.Policy(ten, sl.Acquaintance(*KNOWS) < HALF),
    }
    releases: list[experiment.Row] = []
    rows: list[experiment.Row] = []
    if run.quick:
        del policies[ALL], names["295"], names["303"], names["250"], names["401"]
    for title, policy in policies.items():
        found = sl.protect(data.table, policy, method="mondrian", by=data.hierarchies, ask="nobody")
        worst = sl.Acquaintance(*KNOWS).measure(found.release)
        releases.append(
            {
                "release": title,
                "groups": len(found.release.groups.sizes),
                "people per group": round(found.utility["average group size"], 1),
                "query error": round(found.utility["query error"], 3),
                "worst of 630 diagnoses": f"{float(worst.value):.6f}",
            }
        )
        rows += [about_diagnosis(found.release, title, code, name) for code, name in names.items()]
    run.table("diagnoses-releases", releases)
    run.table("diagnoses", rows)
    run.figure("diagnoses", diagnoses_chart(rows))


def about_diagnosis(release: sl.Release, title: str, code: str, value: str) -> experiment.Row:
    """How sure of a diagnosis who knows nothing is, and who knows some; and how much makes them half sure."""
    skyline = tuple(sl.knowledge_skyline(release, value=value, below=HALF))
    needed = [int(max(point[direction] for point in skyline)) + 1 if skyline else 0 for direction in range(3)]
    at = release.domain.index(value)
    return {
        "diagnosis": DIAGNOSES[code],
        "people with it": int(release.groups.counts.totals()[at]),
        "release": title,
        "knows nothing": float(sl.Acquaintance(value=value).measure(release).value),
        f"knows {KNOWS}": float(sl.Acquaintance(*KNOWS, value=value).measure(release).value),
        "half sure by ℓ": needed[0],
        "by k": needed[1],
        "by m": needed[2],
    }


def diagnoses_chart(rows: Sequence[experiment.Row]) -> alt.TopLevelMixin:
    values = [{"diagnosis": row["diagnosis"], "release": row["release"], "risk": row[f"knows {KNOWS}"]} for row in rows]
    order, kinds = list(DIAGNOSES.values()), [KEPT, FOUR, ALL]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "risk:Q", title="how sure somebody can be that a person has it", axis=alt.Axis(format=".0%", tickCount=6)
        ).scale(domain=[0, 1]),
        y=alt.Y("diagnosis:N", title=None, sort=order),
        yOffset=alt.YOffset("release:N", sort=kinds),
    )
    marks = base.mark_point(filled=True, size=90, opacity=1).encode(
        color=alt.Color("release:N", title=None, scale=alt.Scale(domain=kinds, range=[GREY, VERMILION, BLUE])).legend(
            orient="top", labelLimit=300
        ),
        shape=alt.Shape("release:N", title=None, scale=alt.Scale(domain=kinds, range=["circle", "square", "diamond"])),
    )
    limit = alt.Chart(alt.Data(values=[{"at": 0.5}])).mark_rule(color=INK, strokeDash=[4, 3]).encode(x="at:Q")
    return finish_chart(
        (limit + marks).properties(width=640, height=280),
        title="Groups of ten hide no common illness from an acquaintance; limits on four illnesses hide those four",
        subtitle="58,568 people with their sets of diagnoses; somebody knows one illness that brings the other along, "
        "three people without it, and one relative. Dashed: the limit.",
        table=behind(values, ("diagnosis", "release", "risk")),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    run = experiment.begin("chen", __doc__, arguments)
    speed(run)
    scale(run)
    case_study(run)
    diagnoses(run)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--anonymise"]:
        where, knows, within = json.loads(sys.argv[2])
        print(json.dumps(anonymise(Path(where), tuple(knows), within)))
    else:
        main()
