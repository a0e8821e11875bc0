"""Machanavajjhala, Gehrke and Götz (VLDB 2009), section 4, and the claims around it: ε-privacy of 72 generalisations.

    make reproduce PAPER=machanavajjhala              a minute; fetches the second table when it is first asked for
    python reproductions/machanavajjhala.py --quick   Adult alone, fewer stubbornnesses

The paper has 3 million people of the American Community Survey of 2006 and their salary class.  Here: Adult (bundled,
45,222 people, salary class), and 277,677 people of the same survey in Massachusetts, who are employed or not.  The
smallest ε of all generalisations (Table 5), ε and utility against stubbornness (Figure 2), which generalisations
satisfy which definition (Figure 3), and each claim that fails with a release on which it does, in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import altair as alt
import experiment
from generalisations import TOP, Node, in_words, levels, steps

import sidelight as sl
from sidelight.report.plots import BLUE, GREY, INK, VERMILION, TableBehind, finish_chart

QUASI = ("age", "marital-status", "race", "sex")
EPSILON = Fraction(5, 2)
MOST = 20
"""Table 5 lists what is private against somebody with an ε below this."""

FIGURE_2A: Node = (5, 1, 1, 0)

ADVERSARIES = {
    "I uniform, 10⁶": sl.PriorBelief(shape="uniform", stubbornness=10**6, least_stubbornness="same"),
    "I own shape, 10⁶": sl.PriorBelief(shape="release", stubbornness=10**6, least_stubbornness="same"),
    "II, 10³": sl.PriorBelief(stubbornness=10**3),
    "II, 10⁶": sl.PriorBelief(stubbornness=10**6),
    "III uniform": sl.PriorBelief(shape="uniform", stubbornness=math.inf),
    "III own shape": sl.PriorBelief(shape="release", stubbornness=math.inf),
}
"""The columns of Table 5: A_d^(10⁶), A_c^(10⁶), A^(10³), A^(10⁶), A_d^∞, A_c^∞; class I exactly so stubborn."""

TABLE_5: dict[Node, tuple[float, ...]] = {
    (5, 2, 1, 1): (1.13, 1.0, 1.1, 1.6, 1.5, 1),
    (4, 2, 1, 1): (105.8, 70.8, 2.9, 211.6, 118.9, 79.5),
    (5, 1, 1, 1): (1.57, 1.25, 1.1, 2.7, 2.38, 1.59),
    (5, 2, 1, 0): (1.32, 1.08, 1.1, 2.1, 1.81, 1.21),
    (5, 2, 0, 1): (1.69, 1.54, 1.3, 249.4, 1.69, 1.54),
    (3, 2, 1, 1): (105.8, 70.7, 2.9, 211.6, 119.0, 79.6),
    (4, 2, 1, 0): (377, 251.9, 11.1, 753.9, 407.0, 272.0),
    (4, 1, 1, 1): (213.4, 142.6, 6.9, 426.8, 229.8, 153.6),
    (5, 0, 1, 1): (15.3, 10.3, 1.3, 30.5, 17.7, 11.8),
    (5, 1, 1, 0): (3.01, 2.14, 1.1, 5.7, 4.38, 2.92),
    (5, 1, 0, 1): (4.71, 1.25, 3.6, 1157.1, 4.93, 3.29),
    (5, 2, 0, 0): (2.45, 1.69, 1.7, 526.8, 2.45, 1.69),
    (3, 1, 1, 1): (213.4, 142.6, 6.9, 426.8, 229.8, 153.5),
    (3, 2, 1, 0): (377, 251.9, 11.1, 753.9, 406.9, 271.9),
    (5, 0, 1, 0): (19.8, 13.3, 1.6, 55.9, 22.3, 14.9),
    (5, 1, 0, 0): (9.5, 6.34, 7.2, 2625.7, 9.72, 6.49),
    (5, 0, 0, 1): (21.7, 14.5, 21.8, 14.6, 21.8, 14.6),
}
"""As printed in the paper."""

SHAPES = {"uniform": "uniform", "own shape": "release", "any shape": None}
STUBBORNNESS = tuple(10**power for power in range(2, 8))

DEFINITIONS: dict[str, tuple[sl.Measure, Fraction]] = {
    "(4,2)-diversity": (sl.RecursiveDiversity(l=2), Fraction(4)),
    "III uniform, 2.5": (ADVERSARIES["III uniform"], EPSILON),
    "0.2-closeness": (sl.Closeness(), Fraction(1, 5)),
    "III own shape, 2.5": (ADVERSARIES["III own shape"], EPSILON),
    "II 10⁶, 2.5": (ADVERSARIES["II, 10⁶"], EPSILON),
}
"""Those of Figure 3."""

GOTHAM = sl.Release.from_counts(
    [{"Flu": 200, "Cancer": 300}, {"Flu": 1800, "Cancer": 2700}, {"Flu": 18000, "Cancer": 2000}]
)
"""Table 3 of the paper."""

METROPOLIS = sl.PriorBelief(counts={"Flu": 12_000, "Cancer": 18_000})
PAIR = sl.Release.from_counts([{"Flu": 1, "Cancer": 1}])

Table = sl.GeneralisationTable


@dataclass(frozen=True)
class People:
    """Real people, all of whose generalisations are measured."""

    name: str
    what: str
    data: sl.datasets.Dataset
    hierarchies: Mapping[str, sl.Hierarchy]

    @property
    def in_words(self) -> str:
        """Name them with how many they are."""
        return f"{self.name}: {int(self.data.table.sizes.sum()):,} people, {self.what}"

    def measured(self, measures: Mapping[str, sl.Measure], utilities: Sequence[str] = ()) -> Table:
        """Ask all generalisations."""
        return sl.generalisation_table(self.data.table, self.hierarchies, measures, utilities)

    @property
    def shares(self) -> dict[str, Fraction]:
        """How many of them have each value."""
        whole = self.data.table.counts.dense().sum(axis=0).tolist()
        return {str(value): Fraction(n, sum(whole)) for value, n in zip(self.data.table.domain, whole, strict=True)}


def adult() -> People:
    """Adult with its salary class."""
    data = sl.datasets.adult(sensitive="salary-class")
    return People("Adult", "salary class", data, data.hierarchies)


def occupations() -> People:
    """Adult with its 14 occupations."""
    data = sl.datasets.adult()
    return People("Adult, 14 occupations", "occupation", data, data.hierarchies)


def survey() -> People:
    """The American Community Survey in Massachusetts: employed or not."""
    data = sl.datasets.acs(quasi=QUASI, sensitive="employed")
    classes = {
        "Married": ["Married"],
        "Was married": ["Divorced", "Separated", "Widowed"],
        "Never": ["Never married"],
    }
    rows = [(value, name, "*") for name, values in classes.items() for value in values]
    marital_status = sl.Hierarchy("marital-status", tuple(zip(*rows, strict=True)))
    return People("ACS", "employed or not", data, {**data.hierarchies, "marital-status": marital_status})


def fetched(run: experiment.Experiment) -> list[People]:
    """The survey, or nobody where it cannot be had; the documentation needs it."""
    try:
        return [survey()]
    except sl.errors.NotFetched as reason:
        if run.docs:
            raise
        print(f"Adult alone: {reason}")
        return []


# Table 5.


def coarsest_first(table: Table) -> list[Any]:
    """By level of the lattice, as in the paper."""
    return sorted(table, key=lambda row: (-sum(row.node), tuple(-level for level in row.node)))


def table_5(table: Table) -> list[experiment.Row]:
    """The smallest ε against each adversary, of all generalisations with one below 20."""
    return [
        {"published": in_words(row.node), "levels": levels(row.node), **shown(row.measured)}
        for row in coarsest_first(table)
        if min(row.measured[name] for name in ADVERSARIES) < MOST
    ]


def shown(epsilons: Mapping[str, Any]) -> dict[str, str]:
    """Show ε rounded up: more than is needed, never less."""
    return {name: rounded_up(epsilons[name]) for name in ADVERSARIES}


def rounded_up(epsilon: Fraction | float) -> str:
    """Give three decimals of what is small, none of what is large.

    >>> rounded_up(Fraction(4, 3)), rounded_up(Fraction(200_001, 10)), rounded_up(math.inf), rounded_up(Fraction(1))
    ('1.334', '20,001', '∞', '1')
    """
    if epsilon == math.inf:
        return "∞"
    if epsilon == int(epsilon):
        return f"{int(epsilon):,}"
    places = 3 if epsilon < 10 else 1 if epsilon < 1000 else 0
    return f"{math.ceil(epsilon * 10**places) / 10**places:,.{places}f}"


def paper_rows() -> list[experiment.Row]:
    """The paper's own table."""
    return [
        {
            "published": in_words(node),
            "levels": levels(node),
            **{name: f"{each:g}" for name, each in zip(ADVERSARIES, values, strict=True)},
        }
        for node, values in TABLE_5.items()
    ]


# What the paper concludes from it, counted in its own table and in ours.

Epsilons = Mapping[Node, Mapping[str, Any]]


def order_rows(sources: Mapping[str, Epsilons]) -> list[experiment.Row]:
    """In how many places each claim fails."""
    uniform, own, weak, strong, unmoved, unmoved_own = ADVERSARIES
    pairs: dict[str, Sequence[tuple[str, str]]] = {
        "class I below class III, same shape": [(uniform, unmoved), (own, unmoved_own)],
        "class I below class II, same σ": [(uniform, strong), (own, strong)],
        "class II: 10³ below 10⁶": [(weak, strong)],
    }
    rows = []
    for claim, compared in pairs.items():
        row: dict[str, object] = {"claim": claim}
        for name, epsilons in sources.items():
            broken = [node for node, each in epsilons.items() for low, high in compared if each[low] > each[high]]
            row[name] = _broken(broken, len(epsilons) * len(compared))
        rows.append(row)
    row = {"claim": "coarser: ε no larger"}
    for name, epsilons in sources.items():
        compared_nodes = [(fine, coarse, who) for (fine, coarse), who in product(steps(epsilons), ADVERSARIES)]
        broken = [fine for fine, coarse, who in compared_nodes if epsilons[coarse][who] > epsilons[fine][who]]
        row[name] = _broken(broken, len(compared_nodes))
    rows.append(row)
    return rows + [
        {"claim": f"private against {who}, ε = {MOST}"}
        | {name: f"{sum(each[who] <= MOST for each in epsilons.values())}" for name, epsilons in sources.items()}
        for who in (strong, weak)
    ]


RICH = Fraction(334, 1000)
"""The share of high salaries that the paper reports."""


def top_rows(people: Sequence[int]) -> list[experiment.Row]:
    """The first row of Table 5 from the share that the paper reports, for so many people, "nearly 3 million"."""
    rows: list[experiment.Row] = [
        {"people": "as printed", **{name: f"{each:g}" for name, each in zip(ADVERSARIES, TABLE_5[TOP], strict=True)}}
    ]
    for number in people:
        release = sl.Release.from_counts([{"high": round(number * RICH), "low": number - round(number * RICH)}])
        rows.append(
            {"people": f"{number:,}"}
            | {name: f"{float(who.measure(release).value):.4f}" for name, who in ADVERSARIES.items()}
        )
    return rows


def misprint_rows() -> list[experiment.Row]:
    """Where Table 5 contradicts itself: a finer generalisation with a smaller ε, which Theorem 1 to 3 rule out."""
    by_node = {node: dict(zip(ADVERSARIES, values, strict=True)) for node, values in TABLE_5.items()}
    return [
        {
            "against": who,
            "finer": levels(fine),
            "its ε": by_node[fine][who],
            "coarser": levels(coarse),
            "its ε, which is larger": by_node[coarse][who],
        }
        for (fine, coarse), who in product(steps(by_node), ADVERSARIES)
        if by_node[coarse][who] > by_node[fine][who]
    ]


def own_shape_at_least(node: Node) -> Fraction:
    """What the rest of a row of Table 5 implies for class I, own shape: the ε of the group that its other columns show.

    With q the share of high salaries in that group and n its people, both exactly or against a uniform shape:
    ε(III) = 1/(2q) gives q, ε(I) = (qn + σ/2)/((n + σ)q) gives n, up to the −1 of the definition.
    """
    uniform, _, _, _, unmoved, _ = (Fraction(str(each)) for each in TABLE_5[node])
    q, most = 1 / (2 * unmoved), 10**6
    n = max(most * (Fraction(1, 2) - uniform * q) / (q * (uniform - 1)), Fraction(0))
    return (q * n + RICH * most) / ((n + most) * q)


def _broken(nodes: Sequence[Node], compared: int) -> str:
    where = f": {' '.join(map(levels, dict.fromkeys(nodes)))}" if 0 < len(set(nodes)) <= 5 else ""
    return f"{len(nodes)} of {compared:,} fail{where}" if nodes else f"holds ({compared:,})"


def at_most_rows(people: Sequence[People], stubbornness: Sequence[int]) -> list[experiment.Row]:
    """How many generalisations are worse off against "at most σ" than against exactly σ, which Theorem 1 checks."""
    rows = []
    for each, (name, shape), most in product(people, [*SHAPES.items()][:2], stubbornness):
        beliefs = {
            "exactly": sl.PriorBelief(shape=shape, stubbornness=most, least_stubbornness="same"),
            "at most": sl.PriorBelief(shape=shape, stubbornness=most),
        }
        ratios = [
            (row.measured["at most"] / row.measured["exactly"], row.node, row)
            for row in each.measured(beliefs)
            if row.measured["exactly"] < math.inf
        ]
        worse, node, row = max(ratios, key=lambda ratio: ratio[0])
        rows.append(
            {
                "people": each.name,
                "shape": name,
                "σ": most,
                "finite": len(ratios),
                "worse at most σ": sum(ratio > 1 for ratio, _, _ in ratios),
                "most": ""
                if worse == 1
                else f"{levels(node)}: {float(row.measured['exactly']):.6f} → {float(row.measured['at most']):.6f}",
            }
        )
    return rows


# Figure 2.


def stubborn(people: People, stubbornness: Sequence[float]) -> Table:
    """All generalisations against adversaries of each stubbornness, with utilities."""
    beliefs = {
        _belief(name, most): sl.PriorBelief(
            shape=shape,
            stubbornness=most,
            **({} if shape is None or most == math.inf else {"least_stubbornness": "same"}),
        )
        for (name, shape), most in product(SHAPES.items(), stubbornness)
    }
    return people.measured(beliefs, ["discernibility", "average group size"])


def _belief(shape: str, stubbornness: float) -> str:
    return f"{shape}, {stubbornness}"


def utility_rows(people: People, table: Table, stubbornness: Sequence[float]) -> list[experiment.Row]:
    """The best of the 2.5-private generalisations, for each shape and stubbornness."""
    rows = []
    for most, name in product(stubbornness, SHAPES):
        private = [row for row in table if row.measured[_belief(name, most)] <= EPSILON]
        best = {
            each: min((row.utility[each] for row in private), default=None)
            for each in ("discernibility", "average group size")
        }
        rows.append(
            {
                "people": people.name,
                "σ": most,
                "shape": name,
                f"ε of {levels(FIGURE_2A)}": table.at(dict(zip(QUASI, FIGURE_2A, strict=True))).measured[
                    _belief(name, most)
                ],
                "private": len(private),
                **best,
            }
        )
    return rows


def utility_table(rows: Sequence[experiment.Row]) -> list[experiment.Row]:
    """One line per stubbornness, the three shapes side by side."""
    lines = []
    for people, most in dict.fromkeys((row["people"], row["σ"]) for row in rows):
        line: dict[str, object] = {"people": people, "σ": "∞" if most == math.inf else f"{most:,}"}
        for row in rows:
            if (row["people"], row["σ"]) == (people, most):
                size = row["average group size"]
                line[str(row["shape"])] = f"{row['private']} private; " + ("none" if size is None else f"{size:,.0f}")
        lines.append(line)
    return lines


# Figure 3.


def satisfied(people: People) -> dict[str, set[Node]]:
    """Which generalisations each definition accepts."""
    table = people.measured({name: measure for name, (measure, _) in DEFINITIONS.items()})
    return {
        name: {row.node for row in table if row.measured[name] <= limit} for name, (_, limit) in DEFINITIONS.items()
    }


def closeness_bound(shares: Mapping[str, Fraction], t: Fraction) -> Fraction | float:
    """Lemma 1 in its tight form: the ε that t-closeness promises where no group has a single value."""
    rest = min(1 - share - t for share in shares.values())
    least = max((share + t) / share for share in shares.values())
    return max(least, *((1 - share) / (1 - share - t) for share in shares.values())) if rest > 0 else math.inf


def definition_rows(people: Sequence[People]) -> list[experiment.Row]:
    """Diversity and class III are one; closeness and class III are not."""
    rows = []
    for each in people:
        t = Fraction(1, 5)
        bound = closeness_bound(each.shares, t)
        table = each.measured(
            {
                "diversity": sl.RecursiveDiversity(l=2),
                "closeness": sl.Closeness(),
                "uniform": ADVERSARIES["III uniform"],
                "own": ADVERSARIES["III own shape"],
            }
        )
        equal = sum(row.measured["uniform"] == (row.measured["diversity"] + 1) / 2 for row in table)
        close = [row for row in table if row.measured["closeness"] <= t]
        private = [row for row in table if row.measured["own"] <= bound]
        rows.append(
            {
                "people": each.name,
                "shares": " / ".join(f"{float(share):.3f}" for share in sorted(each.shares.values())),
                "III uniform is (c + 1)/2": f"{equal} of {len(table)}",
                "0.2-close": len(close),
                "ε of Lemma 1": rounded_up(bound),
                "of these, private at it": sum(row in private for row in close),
                "private at it, not close": sum(row not in close for row in private),
            }
        )
    return rows


# Claims that fail, each on a release on which it does.


def counterexamples() -> list[experiment.Row]:
    """Recompute each."""
    uniform = partial(sl.PriorBelief, shape="uniform")
    unmoved = uniform(stubbornness=math.inf)
    exactly = uniform(stubbornness=1_000, least_stubbornness="same")
    closed = uniform(stubbornness=1_000, least_stubbornness="same", decided_by="closed conditions")
    at_most = uniform(stubbornness=1_000).measure(PAIR)
    skewed = sl.Release.from_counts([{"a": 8, "b": 1, "c": 1}])
    c = sl.RecursiveDiversity(l=2).measure(skewed).value
    least, most = sorted((3 * c / (c + 1), (c + 1) * Fraction(2, 3)))
    rare = sl.Release.from_counts([{"a": 99, "b": 1}, {"a": 81, "b": 19}])
    t = Fraction(1, 5)
    printed = max((share + t) / share for share in (Fraction(9, 10), Fraction(1, 10)))
    printed = max(printed, *(share / (share - t) for share in (Fraction(9, 10), Fraction(1, 10))))
    own = sl.PriorBelief(shape="release", stubbornness=math.inf)
    rows = [
        (
            "Figure 1: class III is stronger than class I",
            "{Flu 1, Cancer 1}, uniform",
            "ε of III at least that of I with σ = 2",
            f"III {unmoved.measure(PAIR).value}, I {uniform(stubbornness=2).measure(PAIR).value}",
        ),
        (
            "Theorem 1 for class I, “at most σ”",
            "{Flu 1, Cancer 1}, uniform, σ = 1,000",
            f"accepts ε = {rounded_up(closed.measure(PAIR).value)}",
            f"exactly σ {exactly.measure(PAIR).value}, at most σ {at_most.value} (σ = {at_most.witness.stubbornness})",
        ),
        (
            "Section 3: Table 3 is 2.5-private",
            "Table 3, prior (12000, 18000)",
            "ε = 2.5",
            f"ε = {METROPOLIS.measure(GOTHAM).value} = {float(METROPOLIS.measure(GOTHAM).value):.5f}",
        ),
        (
            "Equation 6: “min”, for three values",
            "{a 8, b 1, c 1}, (4,2)-diverse",
            f"ε = min = {least}",
            f"ε = {unmoved.measure(skewed).value}, the max ({most})",
        ),
        (
            "Lemma 1: (p + t)/p and p/(p − t)",
            "{a 99, b 1}, {a 81, b 19}, t = 0.2",
            f"closeness {sl.Closeness().measure(rare).value}, so ε = {printed}",
            f"ε = {own.measure(rare).value}",
        ),
    ]
    return [dict(zip(("claim", "release", "paper", "exactly"), row, strict=True)) for row in rows]


def example_rows() -> list[experiment.Row]:
    """Example 3 (Rachel, of the women) and the examples of section 3 (the whole table)."""
    women = sl.Release.from_counts([{"Flu": 18000, "Cancer": 2000}])
    shape = {"Flu": Fraction(2, 5), "Cancer": Fraction(3, 5)}
    asked: list[tuple[str, sl.Release, sl.PriorBelief, str]] = [
        ("Example 3, class I", women, METROPOLIS, "4"),
        ("Example 3, class II, σ = 30,000", women, sl.PriorBelief(stubbornness=30_000), "6.4"),
        ("Example 3, class III", women, sl.PriorBelief(shape=shape, stubbornness=math.inf), "6"),
        ("Example 3, class IV", women, sl.PriorBelief(stubbornness=math.inf), "none"),
        ("Section 3, class I", GOTHAM, METROPOLIS, "2.5"),
        ("Section 3, class II, σ = 1,000", GOTHAM, sl.PriorBelief(stubbornness=1_000), "3"),
        ("Section 3, class II, σ = 30,000", GOTHAM, sl.PriorBelief(stubbornness=30_000), "61"),
    ]
    rows = []
    for name, release, belief, paper in asked:
        value = belief.measure(release).value
        exact = "∞" if value == math.inf else str(value)
        rows.append(
            {
                "where": name,
                "paper": paper,
                "smallest ε, exactly": exact,
                "rounded": "∞" if value == math.inf else f"{float(value):.5f}",
            }
        )
    return rows


# Drawings.

LOOKS = {"uniform": (BLUE, [1, 0]), "own shape": (INK, [6, 3]), "any shape": (VERMILION, [2, 2])}


def draw_figure_2(
    people: Sequence[People], rows: Sequence[experiment.Row], what: str, *, title: str, subtitle: str, axis: str
) -> alt.TopLevelMixin:
    """A panel per table of people, a line per shape; the right edge is ∞."""
    beyond = 10 * max(row["σ"] for row in rows if row["σ"] != math.inf)
    points = [
        {"people": row["people"], "shape": row["shape"], "σ": float(min(row["σ"], beyond)), "y": float(row[what])}
        for row in rows
        if row[what] not in (None, math.inf)
    ]
    panels = [
        _panel([point for point in points if point["people"] == each.name], each.in_words, beyond, axis)
        for each in people
    ]
    chart = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=2, spacing=40)
    table = TableBehind(
        ("people", "what is expected", "stubbornness", axis),
        tuple((row["people"], row["shape"], _cell(row["σ"]), _cell(row[what])) for row in rows),
    )
    return finish_chart(chart, title=title, subtitle=subtitle, table=table, width=360 * len(panels) + 60)


def _cell(number: Fraction | float | None) -> str | float | None:
    return "∞" if number == math.inf else None if number is None else float(number)


def _panel(points: Sequence[Mapping[str, Any]], title: str, beyond: float, axis: str) -> alt.LayerChart:
    power = "round(log(datum.value) / LN10)"
    words = f"datum.value == {beyond} ? '∞' : '10' + slice('²³⁴⁵⁶⁷⁸', {power} - 2, {power} - 1)"
    powers = [10**each for each in range(2, round(math.log10(beyond)) + 1)]
    x = alt.X("σ:Q").scale(type="log", domain=[100, beyond * 1.02], nice=False)
    x = x.axis(alt.Axis(title="stubbornness σ (as many answers elsewhere)", values=powers, labelExpr=words))
    ticks = _ticks([point["y"] for point in points])
    y = alt.Y("y:Q").scale(type="log", nice=False, domain=[ticks[0], ticks[-1]])
    y = y.axis(alt.Axis(title=axis, values=ticks, labelExpr="replace(format(datum.value, '~s'), 'G', ' bn')"))
    lines = {shape: [point for point in points if point["shape"] == shape] for shape in LOOKS}
    layers: list[Any] = []
    for shape, own in lines.items():
        colour, dash = LOOKS[shape]
        base = alt.Chart(alt.Data(values=own), width=270, height=230)
        layers += [
            base.mark_line(color=colour, strokeWidth=2, strokeDash=dash).encode(x, y),
            base.mark_point(color=colour, filled=True, opacity=1, size=32).encode(x, y),
        ]
    layers += [
        alt.Chart(alt.Data(values=[{**end, "text": ", ".join(shapes)}]))
        .mark_text(align="right", dx=-6, dy=-12, color=INK if len(shapes) > 1 else LOOKS[shapes[0]][0], fontSize=12)
        .encode(x="σ:Q", y="y:Q", text="text:N")
        for end, shapes in _line_ends(lines)
    ]
    return alt.layer(*layers).properties(title=alt.TitleParams(title, fontSize=13, anchor="start"))


def _ticks(amounts: Sequence[float]) -> list[float]:
    """Give 1, 2, 5, 10, … or, where they reach far, powers of ten around the amounts."""
    low, high = min(amounts), max(amounts)
    steps_of_ten = (1,) if high / low > 100 else (1, 2, 5)
    every = [step * 10.0**power for power in range(-1, 12) for step in steps_of_ten]
    return every[
        max(at for at, each in enumerate(every) if each <= low) : 1
        + min(at for at, each in enumerate(every) if each >= high)
    ]


def _line_ends(lines: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[tuple[Mapping[str, Any], list[str]]]:
    """Where lines end, and whose; lines that end in the same place share it."""
    ends: list[tuple[Mapping[str, Any], list[str]]] = []
    for shape, own in lines.items():
        same = next(
            (
                shapes
                for end, shapes in ends
                if own and end["σ"] == own[-1]["σ"] and abs(end["y"] / own[-1]["y"] - 1) < 0.1
            ),
            None,
        )
        if same is not None:
            same.append(shape)
        elif own:
            ends.append((own[-1], [shape]))
    return ends


def draw_figure_3(accepted: Mapping[str, Mapping[str, set[Node]]]) -> alt.TopLevelMixin:
    """Generalisations down, definitions across; a dot where one accepts the other."""
    panels = []
    rows: list[tuple[str, str, str]] = []
    for people, by_definition in accepted.items():
        nodes = sorted(set().union(*by_definition.values()), key=lambda node: (-sum(node), node))
        names = [in_words(node) for node in nodes]
        cells = [
            {"published": in_words(node), "definition": name, "holds": node in within}
            for name, within in by_definition.items()
            for node in nodes
        ]
        rows += [(people, cell["published"], cell["definition"]) for cell in cells if cell["holds"]]
        x = (
            alt.X("definition:N")
            .sort(list(by_definition))
            .axis(
                alt.Axis(
                    title=None, orient="top", labelAngle=-35, grid=False, ticks=False, domain=False, labelLimit=200
                )
            )
        )
        y = (
            alt.Y("published:N")
            .sort(names)
            .axis(alt.Axis(title=None, labelLimit=300, grid=True, ticks=False, domain=False))
        )
        base = alt.Chart(alt.Data(values=cells), width=190, height=24 * len(nodes))
        panels.append(
            alt.layer(
                base.transform_filter("!datum.holds")
                .mark_point(color=GREY, size=14, filled=True, opacity=0.5)
                .encode(x, y),
                base.transform_filter("datum.holds")
                .mark_point(color=BLUE, size=130, filled=True, opacity=1)
                .encode(x, y),
            ).properties(title=alt.TitleParams(people, fontSize=13, anchor="start", offset=14))
        )
    chart = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=2, spacing=30)
    return finish_chart(
        chart,
        title="Diversity and class III with a uniform shape accept the same; closeness and class III do not",
        subtitle="All generalisations that some definition accepts; a large dot where it does. Paper: Figure 3.",
        table=TableBehind(("people", "published", "accepted by"), tuple(rows)),
        width=400 * len(panels),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all of it."""
    run = experiment.begin("machanavajjhala", __doc__, arguments)
    people = [adult()] if run.quick else [adult(), *fetched(run)]
    sources: dict[str, Epsilons] = {
        "the paper": {node: dict(zip(ADVERSARIES, values, strict=True)) for node, values in TABLE_5.items()}
    }
    run.table("examples", example_rows())
    run.table("counterexamples", counterexamples())
    run.table("paper", paper_rows())
    run.table("top", top_rows((2_900_000, 2_950_000, 3_000_000)))
    run.table("misprints", misprint_rows())
    for each in (*people, occupations()):
        table = each.measured(ADVERSARIES)
        sources[each.name] = {row.node: row.measured for row in table}
        if each in people:
            run.table(each.name.lower(), table_5(table))
    run.table("order", order_rows(sources))
    run.table("at-most", at_most_rows(people, (10**3,) if run.quick else (10**3, 10**6)))
    stubbornness = (10**2, 10**4, math.inf) if run.quick else (*STUBBORNNESS, math.inf)
    tables = {each.name: stubborn(each, stubbornness) for each in people}
    rows = [row for each in people for row in utility_rows(each, tables[each.name], stubbornness)]
    run.table("utility", utility_table(rows))
    run.figure(
        "epsilon",
        draw_figure_2(
            people,
            rows,
            f"ε of {levels(FIGURE_2A)}",
            title="The more stubborn, the larger the smallest ε",
            subtitle=f"Published: {in_words(FIGURE_2A)}. Against any shape it grows without end. Paper: Figure 2(a).",
            axis="smallest ε",
        ),
    )
    for what in ("discernibility", "average group size"):
        run.figure(
            what.replace(" ", "-"),
            draw_figure_2(
                people,
                rows,
                what,
                title=f"Whoever fears the more stubborn publishes less: {what} of the best 2.5-private generalisation",
                subtitle="A line ends where nothing is 2.5-private. Smaller is more useful. Paper: Figure 2.",
                axis=what,
            ),
        )
    run.figure("definitions", draw_figure_3({each.in_words: satisfied(each) for each in people}))
    run.table("definitions", definition_rows(people))


if __name__ == "__main__":
    main()
