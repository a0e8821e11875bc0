"""Do others give the same answers, and how long do they take?

    python benchmarks/peers.py                    every contest; prints and writes its part of RESULTS.md
    python benchmarks/peers.py pycanon anjana     only these; only prints
    python benchmarks/peers.py --quick            a few people, one run; only prints
    python benchmarks/peers.py --lock             renew the pins of the peers

Each peer runs in an environment of its own (`.venv-peers/`, made from the pins beside this file), on the same files as
we do.  Both sides read the files within their time, in fresh processes, in turns, with one thread of linear algebra;
the lowest processor times count.  Answers come first: they are equal to nine digits, or `WHY` says why they are not,
and a difference that nobody explained ends the run.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from math import isclose
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from race import classics
from results import write_part

import sidelight as sl

HERE = Path(__file__).parent
ENVIRONMENTS = {
    "tables": ("pycanon>=1.3", "anjana>=1.2", "anonypy>=0.2"),  # pycanon pins NumPy 2.0.2
    "models": ("cvxpy>=1.9", "sdmetrics>=0.32"),
    "anonymeter": ("anonymeter>=1.1", "pandas<3"),  # needs NumPy 1
}
SEVEN = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
FOUR = ("age", "marital-status", "race", "sex")
SENSITIVE = "occupation"
PUBLISHED = {"age": 2, "marital-status": 1, "race": 1}
"""Levels of the release that is measured: 54 groups, so many that each has two values."""

Told = dict[str, object]
Answer = dict[str, object]
Work = Callable[[], dict[str, object]]

WHY = {
    ("pycanon", "entropy diversity"): "pycanon rounds down to a whole number",
    ("pycanon", "recursive diversity"): "pycanon sorts upwards: it divides the rarest value by the most frequent ones, "
    "where the definition divides the most frequent by the rarest",
    ("pycanon", "β-likeness, enhanced"): "the definition allows no gain above −ln p of its own value, whatever β is; "
    "pycanon takes the smaller of the largest gain and the largest −ln p",
    ("anonypy", "smallest group"): "both at least k; the cuts differ",
    (
        "anonypy",
        "groups",
    ): "anonypy halves labels in the order of the file and stops where that one cut fails; ours tries "
    "every place to cut, so that groups are smaller",
    ("anjana", "levels"): "anjana raises the column with most labels until it fits, and gives that one; ours gives the "
    "most useful of all minimal ones",
    ("anjana", "smallest group"): "of another generalisation",
    ("anjana", "groups"): "of another generalisation: more groups say more",
    ("cvxpy", "farthest sum"): "Clarabel stops at its tolerance",
    (
        "anonymeter",
        "singling out",
    ): "Anonymeter: the share of *its predicates*, each of which was chosen because it holds "
    "of one row; ours: the share of the people whom somebody finds who knows at most three cells",
    (
        "anonymeter",
        "linkability",
    ): "Anonymeter: how often the nearest neighbours, ties by the order of the file, are one "
    "row; ours: the best guess of a reader who has the release, ties shared",
    (
        "anonymeter",
        "inference",
    ): "Anonymeter asks the nearest row; ours the most frequent value of those who say the same",
}
"""Where answers differ, by peer and the beginning of what was asked."""


@dataclass(frozen=True)
class Contest:
    """One task that a peer has too."""

    peer: str
    title: str
    environment: str
    told: Told
    ours: Callable[[Path, Told], Work]
    package: str = ""
    runs: int = 3
    people: int = 0  # the first so many of Adult, or all
    notes: Callable[[Path, Told, Answer, Answer], list[str]] = field(default=lambda *_: [])

    @property
    def name(self) -> str:
        """As it is asked for."""
        return f"{self.peer} {self.told.get('risk', self.told.get('problem', ''))}".strip()


# --- what we do ------------------------------------------------------------------------------------------------


def our_measures(folder: Path, told: Told) -> Work:
    def work() -> dict[str, object]:
        release = sl.read_release(folder / "release.csv", group=told["quasi"], sensitive=told["sensitive"])
        least = sl.DistinctValues().measure(release).value
        measures = {
            "group size": sl.GroupSize(),
            "distinct values": sl.DistinctValues(),
            "entropy diversity": sl.EntropyDiversity(),
            f"recursive diversity, l = {least}": sl.RecursiveDiversity(l=int(least)),
            "closeness": sl.Closeness(distance="equal"),
            "β-likeness": sl.BetaLikeness(),
            "β-likeness, enhanced": sl.BetaLikeness(kind="enhanced"),
            "δ-disclosure": sl.DeltaDisclosure(absent="skipped"),
        }
        answer = {name: float(measure.measure(release).value) for name, measure in measures.items()}
        return {"answer": answer, "operations": f"{len(release):,} groups"}

    return work


def our_mondrian(folder: Path, told: Told) -> Work:
    def work() -> dict[str, object]:
        table = sl.read_table(folder / "people.csv", quasi=told["quasi"], sensitive=told["sensitive"])
        found = sl.protect(table, sl.GroupSize() >= told["k"], method="mondrian", ask="nobody")
        sizes = found.release.groups.sizes
        return {
            "answer": {"smallest group": int(sizes.min()), "groups": len(sizes), "people": int(sizes.sum())},
            "operations": f"{len(sizes) - 1:,} cuts made",
        }

    return work


def hierarchies_of(told: Told) -> dict[str, sl.Hierarchy]:
    return {name: sl.datasets.adult(quasi=SEVEN).hierarchies[name] for name in told["quasi"]}


def our_lattice(folder: Path, told: Told) -> Work:
    by = hierarchies_of(told)

    def work() -> dict[str, object]:
        table = sl.read_table(folder / "people.csv", quasi=told["quasi"], sensitive=told["sensitive"])
        found = sl.protect(table, sl.GroupSize() >= told["k"], by=by, ask="nobody")
        return {
            "answer": {
                "levels": dict(found.levels),
                "smallest group": int(found.release.groups.sizes.min()),
                "groups": len(found.release),
            },
            "operations": f"{found.checked:,} generalisations looked at, all {len(found.minimal)} minimal ones",
        }

    return work


def against_the_minimal(folder: Path, told: Told, theirs: Answer, ours: Answer) -> list[str]:
    """Judge their generalisation by our measure, and look for a finer one that is safe too."""
    table = sl.read_table(folder / "people.csv", quasi=told["quasi"], sensitive=told["sensitive"])
    by = hierarchies_of(told)
    release = sl.generalise(table, by=by, to=theirs["levels"])
    assert sl.GroupSize().measure(release).value == theirs["smallest group"], "one k for one release"
    minimal = sl.protect(table, sl.GroupSize() >= told["k"], by=by, ask="nobody").minimal
    finer = [m for m in minimal if m != theirs["levels"] and all(m[name] <= theirs["levels"][name] for name in m)]
    said = f"{len(finer)} are finer" if finer else "it is one"
    del ours
    return [f"anjana's generalisation has the same k by our measure; of our {len(minimal)} minimal ones, {said}."]


def our_entropy(folder: Path, told: Told) -> Work:
    import maxent  # noqa: PLC0415 - sets the number of threads

    _, table, release = maxent.adult()
    rules = rules_of(table, str(told["problem"]))
    sl.maxent(release, rules[:5])  # imports

    def work() -> dict[str, object]:
        beliefs = sl.maxent(release, rules)
        np.save(folder / "ours.npy", beliefs.table()["probability"].to_numpy() * release.size)
        return {
            "answer": {"farthest sum, in people": beliefs.solution.residual},
            "operations": f"{beliefs.solution.steps} steps of {beliefs.variables_solved:,} amounts",
        }

    return work


def rules_of(table: sl.Table, problem: str) -> list:
    if problem == "strongest rules":
        return sl.strongest_rules(table, positive=500, negative=500)
    between = [r for r in sl.strongest_rules(table, positive=5_000, sizes=[1, 2], support=30) if 0.02 < r.low < 0.98]
    return [between[at] for at in np.random.default_rng(1).permutation(len(between))[:500]]


def same_amounts(folder: Path, told: Told, theirs: Answer, ours: Answer) -> list[str]:
    """Two solvers of one strictly concave problem have one answer."""
    apart = float(np.abs(np.load(folder / "cvxpy.npy") - np.load(folder / "ours.npy")).max())
    near = max(float(theirs["farthest sum, in people"]), 1e-9)
    assert apart < 1e5 * near, "one maximum, so one answer"
    del ours
    return [f"cvxpy, {told['problem']}: no amount of the two is more than {apart:.0e} people apart."]


def our_risk(folder: Path, told: Told) -> Work:
    measures = {
        "singling out": lambda: sl.SinglingOut(facts=3),
        "linkability": lambda: sl.Linkability(told["one"], told["other"]),
        "inference": sl.Inference,
    }

    def work() -> dict[str, object]:
        release = sl.group(sl.read_table(folder / "people.csv", quasi=told["quasi"], sensitive=told["sensitive"]))
        finding = measures[str(told["risk"])]().measure(release)
        return {"answer": {told["risk"]: float(finding.value)}, "operations": f"all {release.size:,} people"}

    return work


def our_attribution(folder: Path, told: Told) -> Work:
    """Who says a value as often as its group has it is right with chance Σ n(gs)² / n(g) / n."""

    def work() -> dict[str, object]:
        release = sl.read_release(folder / "people.csv", group=told["quasi"], sensitive=told["sensitive"])
        groups = release.groups
        row, _, count = groups.counts.entries()
        right = float((count.astype(float) ** 2 / groups.sizes[row]).sum()) / release.size
        return {"answer": {"protection, 1 − CAP": 1 - right}, "operations": f"{len(count):,} counts"}

    return work


# --- the contests ----------------------------------------------------------------------------------------------

PLAIN: Told = {"quasi": list(FOUR), "sensitive": SENSITIVE}
WORDS: Told = {"quasi": list(SEVEN), "sensitive": SENSITIVE, "k": 5, "words": [*SEVEN[1:], SENSITIVE]}
CONTESTS = (
    Contest("pycanon", "eight classic measures of a release", "tables", PLAIN, our_measures),
    Contest("anonypy", "Mondrian, 5-anonymity, 7 columns", "tables", WORDS, our_mondrian, runs=1),
    Contest(
        "anjana",
        "generalisation, 5-anonymity, 7 columns",
        "tables",
        WORDS,
        our_lattice,
        notes=against_the_minimal,
    ),
    *(
        Contest(
            "cvxpy",
            f"maximum entropy with {words}",
            "models",
            {"problem": problem},
            our_entropy,
            runs=1,
            notes=same_amounts,
        )
        for problem, words in (
            ("strongest rules", "500 + 500 strongest rules"),
            ("rules in between", "500 rules in between"),
        )
    ),
    *(
        Contest("anonymeter", f"{risk}, {what}", "anonymeter", {**told, "risk": risk, "attacks": 500}, our_risk)
        for risk, what, told in (
            ("singling out", "3 of 7 columns", {**PLAIN, "quasi": list(SEVEN)}),
            ("linkability", "2 and 2 columns", {**PLAIN, "one": ["age", "race"], "other": ["sex", "marital-status"]}),
            ("inference", "from 4 columns", PLAIN),
        )
    ),
    Contest(
        "sdmetrics",
        "correct attribution probability, 5,000 people",
        "models",
        PLAIN,
        our_attribution,
        people=5_000,
    ),
)


def prepare(contest: Contest, folder: Path) -> None:
    """Leave the files that both sides read, and what both are told."""
    told = dict(contest.told)
    if contest.peer == "cvxpy":
        import maxent  # noqa: PLC0415 - sets the number of threads
        from scipy import sparse  # noqa: PLC0415

        _, table, release = maxent.adult()
        whole = maxent.WholeDual.of(release, rules_of(table, str(told["problem"])))
        sparse.save_npz(folder / f"{told['problem']}.npz", sparse.csr_matrix(whole.matrix))
        np.save(folder / f"{told['problem']}.npy", whole.right)
    else:
        data = sl.datasets.adult(quasi=SEVEN)
        people = pq.read_table(data.path).select([*SEVEN, SENSITIVE]).drop_null().to_pylist()
        people = people[: contest.people or None]
        _write(folder / "people.csv", people)
        coarser = {name: partial(data.hierarchies[name].generalise, level=level) for name, level in PUBLISHED.items()}
        printed = [{**row, **{name: of(str(row[name])) for name, of in coarser.items()}} for row in people]
        _write(folder / "release.csv", printed)
        labels = {name: data.hierarchies[name] for name in SEVEN}
        told["hierarchies"] = {
            name: [[by.generalise(label, level) for label in by.labels(0)] for level in range(by.height)]
            for name, by in labels.items()
        }
    (folder / "told.json").write_text(json.dumps(told), encoding="utf-8")


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


# --- the environments ------------------------------------------------------------------------------------------


def lock_of(environment: str) -> Path:
    return HERE / f"requirements-peers-{environment}.lock"


def _uv(*arguments: str, text: str | None = None) -> None:
    command = [str(Path(sys.executable).with_name("uv")), *arguments]
    subprocess.run(command, check=True, input=text, text=True, stdout=sys.stderr)


def lock() -> None:
    """Renew the pins: hashes, no registry."""
    for name, wanted in ENVIRONMENTS.items():
        how = (
            "--universal",
            "--generate-hashes",
            "--no-annotate",
            "--only-binary",
            ":all:",
            "--python-version",
            "3.11",
        )
        why = ("--custom-compile-command", "python benchmarks/peers.py --lock", "--upgrade")
        _uv("pip", "compile", "--quiet", *how, *why, "--output-file", str(lock_of(name)), "-", text="\n".join(wanted))


def environment(name: str) -> Path:
    """Make an environment from its pins, once, and give its Python."""
    place = HERE.parent / ".venv-peers" / name
    stamp, pins = place / ".made-from", lock_of(name).read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != pins:
        _uv("venv", "--quiet", "--clear", "--python", sys.executable, str(place))
        _uv(
            "pip", "install", "--quiet", "--python", str(place), "--require-hashes", "--requirement", str(lock_of(name))
        )
        stamp.write_text(pins, encoding="utf-8")
    return place / "bin" / "python"


def peer_version(python: Path, peer: str) -> str:
    asks = f"import importlib.metadata as m; print(m.version({peer!r}))"
    return subprocess.run([str(python), "-c", asks], check=True, capture_output=True, text=True).stdout.strip()


# --- the race --------------------------------------------------------------------------------------------------


def fresh(*command: str) -> dict:
    """Run one side in a fresh process; the last line that it prints is its figures."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(run.stdout.strip().splitlines()[-1])


def run_ours(name: str, folder: str) -> None:
    """Do our side of a contest in this process."""
    (contest,) = [each for each in CONTESTS if each.name == name]
    place = Path(folder)
    work = contest.ours(place, json.loads((place / "told.json").read_text(encoding="utf-8")))
    imported_and_warm(place)
    wall, processor = time.perf_counter(), time.process_time()
    outcome = work()
    print("\n" + json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - processor} | outcome))


def imported_and_warm(folder: Path) -> None:
    """Import what our side needs, as a peer's imports are not timed either."""
    few = folder / "few.csv"
    _write(few, [{"age": str(20 + at % 3), "sex": "fm"[at % 2], "occupation": "abc"[at % 3]} for at in range(60)])
    table = sl.read_table(few, quasi=["age", "sex"], sensitive="occupation")
    by = {name: sl.Hierarchy.suppression(name, table.column(name).labels) for name in ("age", "sex")}
    for options in ({"by": by}, {"method": "mondrian"}):
        sl.protect(table, sl.GroupSize() >= 2, ask="nobody", **options)
    release = sl.group(table)
    for measure in (*classics(), sl.SinglingOut(facts=1), sl.Linkability(["age"], ["sex"]), sl.Inference()):
        measure.measure(release)


def compare(contest: Contest, theirs: Answer, ours: Answer) -> list[str]:
    """Put the answers side by side; a difference has a reason."""
    lines = []
    for what, value in ours.items():
        other = theirs[what]
        equal = value == other or (isinstance(value, float) and isclose(value, other, rel_tol=1e-9, abs_tol=1e-12))
        reason = "" if equal else reason_for(contest.peer, what)
        if not (equal or reason):
            msg = f"{contest.peer} says {other} of {what}, we say {value}, and nobody has said why"
            raise AssertionError(msg)
        error = f" ± {theirs['±']:.3f}" if "±" in theirs else ""
        lines.append(f"| {contest.peer} | {what} | {_shown(other)}{error} | {_shown(value)} | {reason or 'equal'} |")
    return lines


def reason_for(peer: str, what: str) -> str:
    return next((why for (who, begins), why in WHY.items() if who == peer and what.startswith(begins)), "")


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {level}" for name, level in value.items())
    return f"{value:.6g}" if isinstance(value, float) else f"{value:,}"


def held(contest: Contest) -> tuple[list[str], str, list[str]]:
    """Hold one contest: the lines of its answers, the line of its times, what else is to be said."""
    python = str(environment(contest.environment))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare(contest, folder)
        turns = [
            (
                fresh(python, str(HERE / "peer_tasks.py"), contest.peer, place),
                fresh(sys.executable, __file__, "--run", contest.name, place),
            )
            for _ in range(contest.runs)
        ]
        theirs, ours = (min(side, key=lambda figures: figures["cpu"]) for side in zip(*turns, strict=True))
        answers = compare(contest, theirs["answer"], ours["answer"])
        told = json.loads((folder / "told.json").read_text(encoding="utf-8"))
        notes = contest.notes(folder, told, theirs["answer"], ours["answer"])
    times = (
        f"| {contest.peer} {peer_version(Path(python), contest.peer)} | {contest.title} | {theirs['cpu']:.3g} "
        f"| {ours['cpu']:.3g} | {theirs['cpu'] / ours['cpu']:.1f} | {theirs['wall'] / ours['wall']:.1f} "
        f"| {theirs['operations'] or ''} | {ours['operations']} |"
    )
    print(*answers, times, *notes, sep="\n", flush=True)
    return answers, times, notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--lock", action="store_true")
    parser.add_argument("--run", nargs=2)
    options = parser.parse_args()
    if options.lock:
        lock()
        return
    if options.run:
        run_ours(*options.run)
        return
    chosen = [contest for contest in CONTESTS if not options.peers or contest.peer in options.peers]
    if options.quick:
        few = {"attacks": 20}
        chosen = [
            replace(contest, runs=1, people=1_000, told={**contest.told, **few})
            for contest in chosen
            if contest.peer != "cvxpy"
        ]
    held_contests = [held(contest) for contest in chosen]
    tables = [
        "| peer | what | theirs CPU s | ours CPU s | times as long | of wall time | they did | we did |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
        *(times for _, times, _ in held_contests),
        "",
        "| answers | of | theirs | ours | why they differ |",
        "| --- | --- | ---: | ---: | --- |",
        *(line for answers, _, _ in held_contests for line in answers),
        "",
        *(f"{note}  " for _, _, notes in held_contests for note in notes),
    ]
    print("\n".join(tables))
    if not (options.peers or options.quick):
        how = (
            "`python benchmarks/peers.py`: the same files, read within the time; fresh processes in turns, one thread, "
            f"lowest processor time of 3 (of minutes: of 1).  Adult, complete rows.  Sidelight {version('sidelight')}."
        )
        write_part("peers", how, "\n".join(tables).rstrip())


if __name__ == "__main__":
    main()
