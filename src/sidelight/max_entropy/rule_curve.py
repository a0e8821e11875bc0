"""How does what somebody believes come closer to the truth, the more of the strongest rules are known?

A point for each bound (K₊, K₋): the estimation error, the surest belief, and how much of that the release adds
(`measure`).  The strongest K rules are the first K of any longer list, so rules are mined once.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008 (Figures 5 and 6).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from sidelight.errors import BadKnowledge
from sidelight.max_entropy.association_rules import RuleConditions, strongest_rules
from sidelight.max_entropy.measure import EstimationError, MaxEnt, MaxEntGain
from sidelight.progress import Progress, quiet
from sidelight.table.table import Table, Tabular
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.knowledge.statements import Number
    from sidelight.release.release import Release


@dataclass(frozen=True, slots=True)
class RulePoint:
    """What follows from so many rules: how far from the truth beliefs are, how sure one gets, what the release adds."""

    positive: int
    negative: int
    estimation_error: float
    surest: float
    gain: float


@dataclass(frozen=True, slots=True)
class RuleCurve(Tabular):
    """Points by how many of the strongest rules are known; made by `rule_curve`."""

    points: tuple[RulePoint, ...]

    def plot(self) -> alt.TopLevelMixin:
        """Draw how far beliefs are from the truth, by how many rules are known.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("rules.svg")` writes it.
        """
        from sidelight.report.charts.rules import rules_chart  # noqa: PLC0415 - it stands below

        return rules_chart(self)

    def to_arrow(self) -> pa.Table:
        """Return a row per point."""
        return pa.Table.from_pylist([asdict(point) for point in self.points])

    def _repr_html_(self) -> str:
        rows = [(*asdict(point).values(),) for point in self.points]
        names = ["K₊", "K₋", "estimation error", "surest belief", "gain"]
        return html_table("Believed by how many rules are known", names, rows, total=len(rows))


def rule_curve(
    release: Release,
    table: Table,
    bounds: Iterable[int | tuple[int, int]],
    *,
    sizes: Iterable[int] | None = None,
    support: int = 3,
    conditions: RuleConditions = "Q",
    vagueness: Number = 0,
    progress: Progress = quiet,
) -> RuleCurve:
    """Compute the estimation error, the surest belief and the gain for each bound: what each further rule tells.

    A bound is how many of the strongest rules "has" and "has not" of the original `table` are known, (K₊, K₋), or a
    number K for half of each.  The other parameters are those of `strongest_rules`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["sex", "race"]).table
    >>> curve = rule_curve(sl.group(adult, by="sex"), adult, [0, (10, 0), (0, 10), 100])
    >>> [(point.positive, point.negative, round(point.estimation_error, 4)) for point in curve.points]
    [(0, 0, 0.0128), (10, 0, 0.0115), (0, 10, 0.0127), (50, 50, 0.002)]

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008 (Figure 5; Figure 6 with `sizes=[T]`).
    """
    pairs = [_pair(bound) for bound in bounds]
    # mined once for the largest bound: the rules of a smaller one are the first of them
    rules = strongest_rules(
        table,
        positive=max((positive for positive, _ in pairs), default=0),
        negative=max((negative for _, negative in pairs), default=0),
        sizes=sizes,
        support=support,
        conditions=conditions,
        vagueness=vagueness,
    )
    has = [rule for rule in rules if rule.kind == "has"]
    has_not = [rule for rule in rules if rule.kind == "has not"]
    points = []
    for number, (positive, negative) in enumerate(pairs):
        progress("bounds", number, len(pairs))
        known = (*has[:positive], *has_not[:negative])
        points.append(
            RulePoint(
                positive,
                negative,
                float(EstimationError(known, table=table).measure(release).value),
                float(MaxEnt(known).measure(release).value),
                float(MaxEntGain(known).measure(release).value),
            )
        )
    return RuleCurve(tuple(points))


def _pair(bound: int | tuple[int, int]) -> tuple[int, int]:
    # of an odd number, one more "has"
    pair = ((bound + 1) // 2, bound // 2) if isinstance(bound, int) else bound
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(each, int) and each >= 0 for each in pair):
        message = "a bound is how many rules are known: 0, 1, 2 and so on, or a pair of them"
        raise BadKnowledge(message)
    return pair
