"""Martin, Kifer, Machanavajjhala, Gehrke and Halpern (ICDE 2007), section 4: worst-case implications on Adult.

    make reproduce PAPER=martin              half a minute
    python reproductions/martin.py --quick   fewer amounts of knowledge, one way to cut ages

Three things: the risk against how much is known (Figure 5), the least risk against the least entropy of a group, over
all generalisations (Figure 6), and all minimal (c, k)-safe generalisations (section 3.4).  What the paper leaves open,
where age intervals begin and how marital status is put together, is varied.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

import altair as alt
import experiment
from generalisations import Node, in_words, is_coarser, levels, minimal, steps
from scipy.stats import kendalltau

import sidelight as sl
from sidelight.report.plots import BLUE, INK, VERMILION, TableBehind, finish_chart, share_axis, text_at
from sidelight.text import counted

KNOWN = (1, 3, 5, 7, 9, 11)
"""The amounts of knowledge of Figure 6."""

AMOUNTS = tuple(range(13))
"""Those of Figure 5."""

THRESHOLDS = (Fraction(1, 2), Fraction(7, 10), Fraction(9, 10), Fraction(1))

FIGURE_5 = {"age": 3, "marital-status": 2, "race": 1, "sex": 1}

KINDS = {"implications": sl.Implications, "negations": sl.Negations}

MARRIED = ("Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent")
WAS_MARRIED = ("Divorced", "Separated", "Widowed")
MARITAL_STATUS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "married, was married, never": {"Married": MARRIED, "Was married": WAS_MARRIED, "Never": ("Never-married",)},
    "ever married, never": {"Married": (*MARRIED, *WAS_MARRIED), "Never": ("Never-married",)},
    "with a spouse, without": {"With": MARRIED[:2], "Without": (*MARRIED[2:], *WAS_MARRIED, "Never-married")},
}
STARTS = (0, 1, 10, 17)
"""Where age intervals may begin: 0–19, 1–20, 10–29 or 17–36 …"""


class Point(NamedTuple):
    """One entropy of Figure 6: of all generalisations whose least diverse group has it, the one with the least risk."""

    entropy: float
    risk: Fraction
    node: Node


Rise = tuple[Point, Point]


def asked(kind: str, k: int) -> str:
    """Name a measure."""
    return f"{k} {kind}"


def figure_5(data: sl.datasets.Dataset) -> dict[str, sl.DisclosureCurve]:
    """The risk against what is known, for ages in 20 years and all else suppressed."""
    release = sl.generalise(data.table, by=data.hierarchies, to=FIGURE_5)
    return {name: sl.disclosure_curve(release, measure, AMOUNTS) for name, measure in KINDS.items()}


def every_generalisation(
    data: sl.datasets.Dataset,
    hierarchies: Mapping[str, sl.Hierarchy],
    amounts: Sequence[int],
    kinds: Sequence[str] = tuple(KINDS),
) -> sl.GeneralisationTable:
    """The risk of all 72, with the entropy and the number of values of the least diverse group."""
    measures = {asked(kind, k): KINDS[kind](k) for kind, k in product(kinds, amounts)}
    diversity = {"effective values": sl.EntropyDiversity(), "values": sl.DistinctValues()}
    return sl.generalisation_table(data.table, hierarchies, measures | diversity)


def without_certainty(table: sl.GeneralisationTable) -> list[sl.search.generalisation_table.GeneralisationRow]:
    """Leave out generalisations with a group of one value, as the paper does."""
    return [row for row in table if row.measured["values"] > 1]


def figure_6(table: sl.GeneralisationTable, kind: str, k: int) -> list[Point]:
    """For each least entropy h of a group (in nats), the least risk w(T(h), k), by rising entropy."""
    least: dict[float, Point] = {}
    for row in without_certainty(table):
        point = Point(math.log(row.measured["effective values"]), row.measured[asked(kind, k)], row.node)
        least[point.entropy] = min(least.get(point.entropy, point), point, key=lambda each: each.risk)
    return [least[entropy] for entropy in sorted(least)]


def rises(points: Sequence[Point]) -> list[Rise]:
    """Where more entropy goes with more risk, from one entropy to the next; decided in fractions."""
    return [(one, other) for one, other in pairwise(points) if other.risk > one.risk]


def rise_rows(table: sl.GeneralisationTable, amounts: Sequence[int]) -> list[experiment.Row]:
    """How often it rises, and how far it falls nevertheless: Kendall's rank correlation of entropy and risk."""
    rows = []
    for k in amounts:
        by_kind = {kind: figure_6(table, kind, k) for kind in KINDS}
        points = by_kind["implications"]
        largest = max((other.risk - one.risk for one, other in rises(points)), default=Fraction(0))
        rows.append(
            {
                "k": k,
                "steps": len(points) - 1,
                **{f"rises, {kind}": len(rises(each)) for kind, each in by_kind.items()},
                "largest rise, implications": float(largest),
                "rank correlation, implications": round(rank_correlation(points), 2),
            }
        )
    return rows


def rank_correlation(points: Sequence[Point]) -> float:
    """Kendall's τ-b: −1 where the risk falls with every bit of entropy."""
    return float(kendalltau([point.entropy for point in points], [float(point.risk) for point in points]).statistic)


def which_rows(table: sl.GeneralisationTable, amounts: Sequence[int]) -> list[experiment.Row]:
    """Each rise."""
    return [
        {
            "k": k,
            "published": in_words(one.node),
            "published instead": in_words(other.node),
            "entropy": f"{one.entropy:.3f}\u00a0→\u00a0{other.entropy:.3f}",
            "risk": f"{float(one.risk):.4f}\u00a0→\u00a0{float(other.risk):.4f}",
        }
        for k in amounts
        for one, other in rises(figure_6(table, "implications", k))
    ]


def variants(data: sl.datasets.Dataset, starts: Sequence[int], classes: Sequence[str]) -> list[experiment.Row]:
    """The rises under other hierarchies that the paper's words allow."""
    rows = []
    for start, marital_status in product(starts, classes):
        hierarchies = {
            **data.hierarchies,
            "age": sl.Hierarchy.intervals("age", range(17, 91), widths=[5, 10, 20, 40], start=start),
            "marital-status": _classes(MARITAL_STATUS[marital_status]),
        }
        table = every_generalisation(data, hierarchies, KNOWN, ["implications"])
        counts = {f"k = {k}": len(rises(figure_6(table, "implications", k))) for k in KNOWN}
        steps_taken = len(figure_6(table, "implications", 1)) - 1
        rows.append({"ages from": start, "marital status": marital_status, "steps": steps_taken, **counts})
    return rows


def _classes(parts: Mapping[str, Sequence[str]]) -> sl.Hierarchy:
    return sl.Hierarchy(
        "marital-status", tuple(zip(*((v, name, "*") for name, vs in parts.items() for v in vs), strict=True))
    )


def safe(table: sl.GeneralisationTable, kind: str, k: int, c: Fraction) -> set[Node]:
    """The generalisations with a risk below c."""
    return {row.node for row in table if row.measured[asked(kind, k)] < c}


def minimal_rows(table: sl.GeneralisationTable, amounts: Sequence[int]) -> list[experiment.Row]:
    """All minimal (c, k)-safe generalisations where there are any, and whether they are those of negations too."""
    rows = []
    for c, k in product(THRESHOLDS, amounts):
        within = {kind: safe(table, kind, k, c) for kind in KINDS}
        nodes = minimal(within["implications"])
        others = minimal(within["negations"])
        if not nodes:
            continue
        rows.append(
            {
                "c": float(c),
                "k": k,
                "safe, of 72": len(within["implications"]),
                "minimal ones": " ".join(map(levels, nodes)),
                "against negations": "the same" if nodes == others else " ".join(map(levels, others)),
            }
        )
    return rows


def found_by_search(data: sl.datasets.Dataset, k: int, c: Fraction) -> list[Node]:
    """The same by the search that prunes by Theorem 15, for comparison."""
    limit = sl.Implications(k) < c
    try:
        return sorted(
            row.node for row in sl.generalisation_table(data.table, data.hierarchies, sl.GroupSize(), policy=limit)
        )
    except sl.NothingSafe:
        return []


def further(table: sl.GeneralisationTable, k: int, c: Fraction) -> list[int]:
    """From each minimal generalisation within c against negations, how many levels up to one within c at all."""
    within = safe(table, "implications", k, c)
    return [
        min(sum(coarser) - sum(node) for coarser in within if is_coarser(coarser, node))
        for node in minimal(safe(table, "negations", k, c))
        if within
    ]


def claim_rows(
    data: sl.datasets.Dataset, table: sl.GeneralisationTable, amounts: Sequence[int]
) -> list[experiment.Row]:
    """What the paper says in words, counted over all 72."""
    risks = {row.node: row.measured for row in table}
    pairs = [(risks[fine], risks[coarse]) for fine, coarse in steps(risks)]
    higher = sum(
        after[asked("implications", k)] > before[asked("implications", k)] for before, after in pairs for k in amounts
    )
    gaps = [
        (row.measured[asked("implications", k)] - row.measured[asked("negations", k)], row.node, k)
        for row in without_certainty(table)
        for k in amounts
        if row.measured[asked("implications", k)] < 1
    ]
    largest, node, k = max(gaps)
    equal, larger = sum(gap == 0 for gap, _, _ in gaps), sum(gap < 0 for gap, _, _ in gaps)
    choices = list(product(THRESHOLDS, amounts))
    levels_further = [further(table, k, c) for c, k in choices]
    moved = [each for each in levels_further if any(each)]
    differ = [(c, k) for c, k in choices if found_by_search(data, k, c) != minimal(safe(table, "implications", k, c))]
    return [
        {
            "what the paper says": "merging groups never raises the risk (Theorem 15)",
            "counted": f"{len(pairs) * len(amounts):,} comparisons of a generalisation with a coarser one",
            "against it": higher,
        },
        {
            "what the paper says": "k negations always tell less than k implications",
            "counted": f"{len(gaps):,} risks below 1 of generalisations without a single-valued group",
            "against it": f"{equal:,} are equal, {larger} larger",
        },
        {
            "what the paper says": "the difference is not too large",
            "counted": "the same",
            "against it": f"at most {float(largest):.3f} ({in_words(node)}; k = {k})",
        },
        {
            "what the paper says": "what holds against negations need not be generalised much further",
            "counted": f"{len(choices)} pairs of c and k",
            "against it": f"{len(moved)} need it, by {counted(max(map(max, moved), default=0), 'level')} at most",
        },
        {
            "what the paper says": "a search that prunes by Theorem 15 finds all minimal safe ones",
            "counted": f"{len(choices)} pairs of c and k",
            "against it": len(differ),
        },
    ]


# Drawings.


def draw_figure_5(curves: Mapping[str, sl.DisclosureCurve]) -> alt.TopLevelMixin:
    """Two lines, as in the paper: solid for implications, dashed for negations."""
    rows = [
        {"kind": kind, "k": k, "risk": float(curve.at(k=k)), "exact": str(curve.at(k=k))}
        for kind, curve in curves.items()
        for k in AMOUNTS
    ]
    x = (
        alt.X("k:Q")
        .scale(domain=[0, 12], nice=False)
        .axis(alt.Axis(title="pieces of knowledge, k", tickCount=12, format="d"))
    )
    y = share_axis(alt.Y("risk:Q"), "how sure somebody can be")
    looks = {"implications": (BLUE, [1, 0], (1.6, 0.68)), "negations": (VERMILION, [5, 4], (6.4, 0.66))}
    layers = []
    for kind, (colour, dash, place) in looks.items():
        base = alt.Chart(alt.Data(values=[row for row in rows if row["kind"] == kind]), width=560, height=320)
        layers += [
            base.mark_line(color=colour, strokeWidth=2.5, strokeDash=dash).encode(x, y),
            base.mark_point(color=colour, filled=True, opacity=1, size=36).encode(x, y),
            text_at(place, [kind], color=colour, fontSize=13, fontWeight="bold"),
        ]
    gap = max(curves["implications"].at(k=k) - curves["negations"].at(k=k) for k in AMOUNTS)
    start = float(curves["implications"].at(k=0))
    return finish_chart(
        alt.layer(*layers),
        title=f"From {start:.0%} to certainty with twelve implications; negations tell at most {float(gap):.3f} less",
        subtitle="Adult, 45,222 people, ages in 20 years, all else suppressed: whoever is worst off. Paper: Figure 5.",
        table=TableBehind(
            ("what is known", "k", "risk, exactly", "risk"),
            tuple((row["kind"], row["k"], row["exact"], row["risk"]) for row in rows),
        ),
        width=620,
    )


def draw_figure_6(table: sl.GeneralisationTable, amounts: Sequence[int]) -> alt.TopLevelMixin:
    """A panel per k; steps that rise in another colour."""
    curves = {k: figure_6(table, "implications", k) for k in amounts}
    columns = min(3, len(curves))
    panels = [
        _entropy_panel(k, points, first=at % columns == 0, below=at >= len(curves) - columns)
        for at, (k, points) in enumerate(curves.items())
    ]
    up = sum(len(rises(points)) for points in curves.values())
    steps_taken = sum(len(points) - 1 for points in curves.values())
    return finish_chart(
        alt.concat(*panels, columns=columns, spacing=24),
        title=f"More entropy need not be less risk: {up} of {steps_taken} steps rise",
        subtitle="Adult, all generalisations without a single-valued group; of those with the same least entropy, the "
        "least risk. Steps that rise are drawn thick. Paper: Figure 6, “monotonically decreases”.",
        table=TableBehind(
            ("k", "published", "entropy in nats", "risk, exactly", "risk"),
            tuple(
                (k, in_words(point.node), point.entropy, str(point.risk), float(point.risk))
                for k, points in curves.items()
                for point in points
            ),
        ),
        width=760,
    )


def _entropy_panel(k: int, points: Sequence[Point], *, first: bool, below: bool) -> alt.LayerChart:
    rows = [
        {"entropy": point.entropy, "risk": float(point.risk), "published": in_words(point.node)} for point in points
    ]
    up = [
        {"entropy": point.entropy, "risk": float(point.risk), "step": number}
        for number, rise in enumerate(rises(points))
        for point in rise
    ]
    x = (
        alt.X("entropy:Q")
        .scale(domain=[0.6, 2.4], nice=False)
        .axis(
            alt.Axis(
                title="least entropy of a group (nats)" if below else None,
                values=[0.8, 1.2, 1.6, 2.0, 2.4],
                format=".1f",
            )
        )
    )
    y = share_axis(alt.Y("risk:Q"), "least risk", labels=first)
    base = alt.Chart(alt.Data(values=rows), width=196, height=180)
    rising = alt.Chart(alt.Data(values=up))
    many = f"{len(rises(points))} rises" if len(rises(points)) != 1 else "one rise"
    return alt.layer(
        base.mark_line(color=BLUE, strokeWidth=1.5, strokeJoin="round").encode(x, y),
        base.mark_point(color=BLUE, filled=True, opacity=1, size=22).encode(x, y),
        rising.mark_line(color=VERMILION, strokeWidth=4, strokeCap="round").encode(x, y, detail="step:N"),
        text_at((0.66, 0.13), [f"k = {k}"], color=INK, fontWeight="bold", fontSize=13),
        text_at((0.66, 0.05), [many], color=VERMILION),
    )


def draw_minimal(table: sl.GeneralisationTable, c: Fraction) -> alt.TopLevelMixin:
    """The risk of every generalisation at every k, and which are minimal at one threshold."""
    rows_kept = sorted(
        without_certainty(table), key=lambda row: sum(row.measured[asked("implications", k)] for k in AMOUNTS)
    )
    names = [in_words(row.node) for row in rows_kept]
    best = {k: set(minimal(safe(table, "implications", k, c))) for k in AMOUNTS}
    cells = [
        {
            "published": in_words(row.node),
            "k": k,
            "risk": float(row.measured[asked("implications", k)]),
            "state": _state(row.node, k, row.measured[asked("implications", k)] < c, best),
        }
        for row in rows_kept
        for k in AMOUNTS
    ]
    too_many = next(k for k in AMOUNTS if not best[k])
    x = alt.X("k:O").axis(alt.Axis(title="implications known, k", labelAngle=0, orient="bottom", grid=False))
    y = alt.Y("published:N").sort(names).axis(alt.Axis(title=None, labelLimit=280, grid=False))
    colour = alt.Color("risk:Q").scale(scheme="cividis", domain=[0, 1]).legend(alt.Legend(title="risk", format=".0%"))
    base = alt.Chart(alt.Data(values=cells), width=13 * 28, height=20 * len(names))
    inside = alt.Chart(alt.Data(values=[cell for cell in cells if cell["state"]]))
    marks = [
        inside.transform_filter(f"datum.state == '{state}'")
        .mark_point(filled=True, opacity=1, color="#FFFFFF", **look)
        .encode(x, y)
        for state, look in {
            "minimal": {"shape": "diamond", "size": 110},
            "safe": {"shape": "circle", "size": 22},
        }.items()
    ]
    return finish_chart(
        alt.layer(base.mark_rect(stroke="#FFFFFF").encode(x, y, colour), *marks),
        title=f"With {too_many} implications known, nothing keeps the risk below {c}",
        subtitle=f"Adult, the {len(names)} of 72 without a single-valued group. Diamond: minimal within the limit; "
        "dot: within it, and coarser than a minimal one.",
        table=TableBehind(
            ("published", "k", "risk", "at this limit"),
            tuple((cell["published"], cell["k"], cell["risk"], cell["state"] or "beyond") for cell in cells),
        ),
        width=640,
    )


def _state(node: Node, k: int, within: bool, best: Mapping[int, set[Node]]) -> str:  # noqa: FBT001
    return "minimal" if node in best[k] else "safe" if within else ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all of it."""
    run = experiment.begin("martin", __doc__, arguments)
    data = sl.datasets.adult()
    curves = figure_5(data)
    run.table(
        "risk",
        [
            {
                "k": k,
                **{kind: float(curve.at(k=k)) for kind, curve in curves.items()},
                "difference": float(curves["implications"].at(k=k) - curves["negations"].at(k=k)),
            }
            for k in AMOUNTS
        ],
    )
    run.figure("risk", draw_figure_5(curves))
    amounts = KNOWN[:1] if run.quick else KNOWN
    table = every_generalisation(data, data.hierarchies, amounts if run.quick else AMOUNTS)
    run.table("rises", rise_rows(table, amounts))
    run.table("which", which_rows(table, amounts))
    run.figure("entropy", draw_figure_6(table, amounts))
    run.table("claims", claim_rows(data, table, amounts if run.quick else AMOUNTS))
    run.table("minimal", minimal_rows(table, amounts if run.quick else (0, *amounts)))
    if not run.quick:
        run.figure("minimal", draw_minimal(table, Fraction(1, 2)))
        run.table("variants", variants(data, STARTS, tuple(MARITAL_STATUS)))


if __name__ == "__main__":
    main()
