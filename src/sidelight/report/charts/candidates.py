"""What does each candidate cost, and what does it risk?  Points, and the front of those that no other beats on both.

The front is decided on exact risks: a candidate is on it when no other loses no more, risks no more, and differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Criterion, exact
from sidelight.measures.measure import Measure
from sidelight.progress import quiet
from sidelight.report.plots import (
    BLUE,
    GREY,
    INK,
    PAPER,
    VERMILION,
    Drawing,
    TableBehind,
    altair,
    break_lines,
    finish_chart,
)
from sidelight.rounding import at_a_glance, exact_text, round_cautiously, short_decimal
from sidelight.search.utility import DEFAULT_UTILITY, MEANINGS
from sidelight.table.table import held
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.exact import Amount
    from sidelight.search.compare import ReleaseComparison
    from sidelight.search.method import SearchResult

MOST_CANDIDATES = 40
"""So many are measured: the best by the utility that was chosen by."""


@dataclass(frozen=True, slots=True)
class RiskScale:
    """What candidates are judged by: a measure in words, and its limit."""

    name: str
    text: str
    bound: Amount
    bound_text: str
    large_is_bad: bool

    @classmethod
    def from_criterion(cls, criterion: Criterion) -> RiskScale:
        """Build the scale of a criterion."""
        measure = criterion.measure
        bound = exact(criterion.bound)
        return cls(measure.name, str(measure), bound, criterion.bound_text, measure.large_is_bad)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A release that could be published: what it loses (less is better), and its value of a measure."""

    name: str
    loss: float
    risk: Amount
    chosen: bool = False


def candidates_of(found: SearchResult, measure: Measure) -> list[Candidate]:
    """Measure the minimal generalisations that a search found, each as it would be published."""
    method, table = found.method, held(found.outcome.recoding.table)
    if not found.choices:
        message = f"method '{method.name}' leaves no candidates to choose from; sl.compare tries several methods"
        raise BadMeasure(message)
    utility = found.chosen_by or DEFAULT_UTILITY
    candidates = []
    for choice in found.choices[:MOST_CANDIDATES]:
        at_levels = method.with_options(levels=dict(choice.levels))
        # searched again at these levels alone, so that the risk is that of the release as it would be published
        outcome = at_levels.search(table, found.policy, by=found.hierarchies, utility=utility, progress=quiet)
        name = ", ".join(f"{column} {level}" for column, level in choice.levels.items())
        risk = measure.measure(outcome.release).value
        candidates.append(Candidate(name, choice.utility[utility], risk, chosen=choice.levels == found.levels))
    return candidates


def compared_candidates(comparison: ReleaseComparison, measure: Measure) -> list[Candidate]:
    """Measure the releases of a comparison that keep the policy."""
    advised = comparison.advised
    return [
        Candidate(
            row.how,
            row.result.utility[DEFAULT_UTILITY],
            measure.measure(row.result.release).value,
            chosen=row is advised,
        )
        for row in comparison.within
        if row.result is not None and row.method.prints_rows  # elsewhere people can be recognised, whatever is lost
    ]


def comparison_chart(comparison: ReleaseComparison) -> alt.TopLevelMixin:
    """Draw the releases of a comparison against the policy's first limit."""
    criterion = comparison.policy.criteria[0]
    return candidates_chart(
        compared_candidates(comparison, criterion.measure), criterion, utility=DEFAULT_UTILITY, own="advised"
    )


def pareto_front(candidates: Sequence[Candidate], *, large_is_bad: bool) -> list[Candidate]:
    """Keep those that no other one beats on both, least loss first.

    >>> few = [Candidate("a", 0.1, 3), Candidate("b", 0.2, 2), Candidate("c", 0.3, 2)]
    >>> [each.name for each in pareto_front(few, large_is_bad=True)]
    ['a', 'b']
    """
    sign = 1 if large_is_bad else -1
    front: list[Candidate] = []
    # later ones lose no less, so only a strictly smaller risk keeps them on the front
    for each in sorted(candidates, key=lambda candidate: (candidate.loss, sign * candidate.risk, candidate.name)):
        if not front or sign * each.risk < sign * front[-1].risk:
            front.append(each)
    return front


def candidates_chart(
    candidates: Sequence[Candidate], judged: Criterion | RiskScale, *, utility: str, own: str = "chosen"
) -> alt.TopLevelMixin:
    """Draw candidates by loss and risk; the limit is the criterion's, `utility` what is lost, `own` what one is."""
    scale = judged if isinstance(judged, RiskScale) else RiskScale.from_criterion(judged)
    front = pareto_front(candidates, large_is_bad=scale.large_is_bad)
    return finish_chart(
        _layers(candidates, front, scale, utility, own),
        title=_title(candidates, front, scale, f"The {own} release has {utility}"),
        subtitle=_subtitle(candidates, own),
        table=TableBehind(
            ("candidate", utility, f"{scale.text}, exactly", "no other is better on both", own),
            tuple(
                (each.name, each.loss, exact_text(each.risk), _yes(each in front), _yes(each.chosen))
                for each in sorted(candidates, key=lambda candidate: candidate.loss)
            ),
        ),
        width=600,
    )


def _layers(
    candidates: Sequence[Candidate], front: Sequence[Candidate], scale: RiskScale, utility: str, own: str
) -> Drawing:
    """Draw the points, the line that joins the front, the limit, and the one that was chosen."""
    library = altair()
    bad = scale.large_is_bad
    rows = [
        {
            "loss": each.loss,
            "risk": round_cautiously(each.risk, large_is_bad=bad),
            "front": each in front,
            "name": each.name,
        }
        for each in candidates
    ]
    base = library.Chart(library.Data(values=rows), width=460, height=280)
    x, y = _loss_axis(candidates, utility), _risk_axis(candidates, scale)
    joined = base.transform_filter("datum.front").mark_line(color=BLUE, strokeWidth=1.5, interpolate="step-after")
    return library.layer(
        joined.encode(x, y),
        base.mark_point(filled=True, size=55, opacity=1, fill=PAPER, stroke=GREY, strokeWidth=1.5).encode(
            x, y, tooltip=["name:N"]
        ),
        base.transform_filter("datum.front").mark_point(filled=True, size=60, opacity=1, color=BLUE).encode(x, y),
        *_limit(scale),
        *_mark_chosen(candidates, own, bad=bad),
    )


def _loss_axis(candidates: Sequence[Candidate], utility: str) -> Drawing:
    losses = [each.loss for each in candidates]
    # equal losses would leave the axis without a length
    margin = (max(losses) - min(losses)) * 0.08 or 0.05
    axis = altair().X("loss:Q").scale(domain=[max(min(losses) - margin, 0), max(losses) + margin], nice=False)
    return axis.axis(title=break_lines(f"{utility}: {MEANINGS.get(utility, 'less is better')}", 66), tickCount=6)


def _risk_axis(candidates: Sequence[Candidate], scale: RiskScale) -> Drawing:
    """Make room for every risk and for the limit; probabilities end at 1, and amounts have whole ticks."""
    bad = scale.large_is_bad
    values = [round_cautiously(each.risk, large_is_bad=bad) for each in candidates] + [float(scale.bound)]
    spread = max(values) - min(values) or 1.0
    low, high = max(min(values) - 0.12 * spread, 0.0), max(values) + 0.12 * spread
    domain = {"domain": [low, min(high, 1.0) if bad and max(values) <= 1 else high], "nice": False}
    whole = {"tickMinStep": 1} if all(value == int(value) for value in values) else {}
    return altair().Y("risk:Q").scale(**domain).axis(title=scale.text, tickCount=6, **whole)


def _yes(whether: bool) -> str:  # noqa: FBT001 - a word for it
    return "yes" if whether else ""


def _title(candidates: Sequence[Candidate], front: Sequence[Candidate], scale: RiskScale, begins: str) -> str:
    chosen = next((each for each in candidates if each.chosen), None)
    bad = scale.large_is_bad
    verb = "is" if len(front) == 1 else "are"
    many = f"{len(front):,} of {counted(len(candidates), 'candidate')} {verb} beaten by no other"
    if chosen is None:
        return many
    risk = f"{scale.name} {at_a_glance(chosen.risk, large_is_bad=bad)}"
    return f"{begins} {short_decimal(chosen.loss)} at {risk}; {many}"


def _subtitle(candidates: Sequence[Candidate], own: str) -> str:
    chosen = next((f"{own.capitalize()}: {each.name}. " for each in candidates if each.chosen), "")
    return f"{chosen}Each point is a release that could be published; the line joins those that no other beats on both."


def _limit(scale: RiskScale) -> list[Drawing]:
    library = altair()
    base = library.Chart(library.Data(values=[{"limit": float(scale.bound), "text": f"limit {scale.bound_text}"}]))
    return [
        base.mark_rule(color=INK, strokeWidth=1.5).encode(y="limit:Q"),
        base.mark_text(color=INK, align="left", dx=6, baseline="middle", fontSize=12).encode(
            y="limit:Q", x=library.value(460), text="text:N"
        ),
    ]


def _mark_chosen(candidates: Sequence[Candidate], word: str, *, bad: bool) -> list[Drawing]:
    library = altair()
    own = next((each for each in candidates if each.chosen), None)
    if own is None:
        return []
    row = {
        "loss": own.loss,
        "risk": round_cautiously(own.risk, large_is_bad=bad),
        "text": word,
    }
    base = library.Chart(library.Data(values=[row])).encode(x="loss:Q", y="risk:Q")
    return [
        base.mark_point(color=VERMILION, filled=True, size=130, opacity=1),
        base.mark_text(color=VERMILION, fontWeight="bold", fontSize=12, dy=-14).encode(text="text:N"),
    ]
