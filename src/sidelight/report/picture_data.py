"""Which numbers stand behind the pictures of a report?  Parts of its document: counts and risks, never a row.

*Invariant: no person.*  Values that few people have are told together, and of claims that were compared with the truth
only bins of many people are kept: whoever trains the same model would otherwise learn about which of few it is right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np
from pydantic import Field, JsonValue, ValidationError

from sidelight.documents.document import DocumentPart, Number, PolicyBound, number, policy_bound
from sidelight.errors import BadMeasure, TooHard
from sidelight.measures.criterion import Criterion
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.release.release import Release
from sidelight.report.charts.histograms import MOST_VALUES
from sidelight.search.method import SearchResult
from sidelight.search.utility import DEFAULT_UTILITY
from sidelight.table.labels import shown

MANY_PEOPLE = 10
"""Labels that fewer people have are not shown, nor bins of fewer people."""


class ValueCount(DocumentPart):
    """How many people have a value."""

    value: str
    people: int


class ValueCounts(DocumentPart):
    """Which values of a sensitive column are common."""

    column: str
    people: int = Field(description="all of the release")
    values: int = Field(description="how many different ones occur")
    common: tuple[ValueCount, ...] = Field(description="values that many people have, most first")
    rarer: int = Field(default=0, description="how many further values there are")
    rarer_people: int = Field(default=0, description="people of those, counted once for each value")
    several: bool = Field(default=False, description="whether people may have several, or none")


class KnowledgeCells(DocumentPart):
    """The risk at combinations of several kinds of knowledge."""

    measure: str
    text: str = Field(description="the limit's measure, with the amounts that it asks about")
    limit: PolicyBound
    own: dict[str, int] = Field(description="the amounts that the limit asks about")
    amounts: dict[str, tuple[int, ...]]
    risks: tuple[Number, ...] = Field(description="of all combinations, the last amount varies fastest")


class CandidateFacts(DocumentPart):
    """A release that could be published instead: what it loses, and its risk."""

    name: str
    loss: float
    risk: Number
    chosen: bool


class CandidateReleases(DocumentPart):
    """The candidates of a search, by what is lost and by the policy's first limit."""

    utility: str
    measure: str
    text: str
    limit: PolicyBound
    large_is_bad: bool
    candidates: tuple[CandidateFacts, ...]


class CutPart(DocumentPart):
    """People whom cuts have left together."""

    parent: int | None = Field(default=None, description="its place in the list; null: everybody")
    column: str = Field(description="that was cut last; empty: none")
    holds: str = Field(description="of that column, as it would be printed")
    people: int
    groups: int = Field(description="that are published of these people")
    cut: bool = Field(description="whether its halves follow")


class CutsMade(DocumentPart):
    """The cuts by which people were put into groups: how many along each column, and the first of them."""

    along: dict[str, int]
    parts: tuple[CutPart, ...]


class CheckedBin(DocumentPart):
    """People of whom a model claims so much: how many, the mean of what is claimed, the share right."""

    low: float
    high: float
    people: int
    claimed: float
    right: float


class CheckedBeliefs(DocumentPart):
    """What a model claims, compared with the truth: for whoever holds the table."""

    model: str
    people: int
    claimed: float
    right: float
    calibration_error: float
    calibration: tuple[CheckedBin, ...]
    withheld: int = Field(default=0, description="people in bins of too few to be told")


# Filling them


def value_counts(release: Release) -> tuple[ValueCounts, ...]:
    """Count the people of each common value, for each sensitive column.

    >>> (counts,) = value_counts(Release.from_counts([{"Flu": 18, "Cold": 4, "Rash": 1}]))
    >>> [(each.value, each.people) for each in counts.common], counts.rarer
    ([('Flu', 18)], 2)
    """
    columns = release.sensitive_columns
    return tuple(_count_values(release.about(name) if len(columns) > 1 else release, name) for name in columns)


def _count_values(release: Release, name: str) -> ValueCounts:
    people = release.groups.counts.totals()
    # most people first; stable, so that ties keep the order of the domain
    order = [int(at) for at in np.argsort(-people, kind="stable") if people[at]]
    # a value of few people stays unnamed, as it could point at one of them
    common = [at for at in order[: MOST_VALUES - 1] if people[at] >= MANY_PEOPLE]
    return ValueCounts(
        column=name,
        people=release.size,
        values=len(order),
        common=tuple(ValueCount(value=shown(release.domain[at]), people=int(people[at])) for at in common),
        rarer=len(order) - len(common),
        rarer_people=int(people.sum()) - int(people[common].sum()),
        several=release.semantics != "single",
    )


MOST_MEASURED_CELLS = 60_000
"""Groups times values up to which the risk is measured at many amounts of knowledge: a second or two."""

FURTHER = 2
"""So many amounts beyond the one that a limit asks about are measured, and at least as many as `FEWEST`."""

FEWEST = 4

MOST_PANELS = 3


def knowledge_cells(release: Release, criterion: Criterion) -> KnowledgeCells | None:
    """Measure an acquaintance's risk around the amounts that a limit asks about; None where that takes long."""
    measure = criterion.measure
    if not isinstance(measure, Acquaintance) or len(release) * len(release.domain) > MOST_MEASURED_CELLS:
        return None
    question, view = measure.resolve(release)
    own = {"rules_out": measure.rules_out, "others": measure.others, "family": measure.family}
    amounts = {
        "rules_out": tuple(sorted({0, own["rules_out"], own["rules_out"] + 1}))[:MOST_PANELS],
        "others": _around(own["others"]),
        "family": _around(own["family"]),
    }
    risks = []
    for combination in product(*amounts.values()):
        try:
            at = question.replace_settings(**dict(zip(amounts, combination, strict=True)))
            risks.append(number(at.measure(view).value, large_is_bad=True))
        except (TooHard, BadMeasure):
            return None
    return KnowledgeCells(
        measure=measure.name,
        text=str(measure),
        limit=policy_bound(criterion),
        own=own,
        amounts=amounts,
        risks=tuple(risks),
    )


def _around(own: int) -> tuple[int, ...]:
    """Choose amounts from nothing to beyond the one that is asked about, not more than a few.

    >>> _around(1), _around(40)
    ((0, 1, 2, 3, 4), (0, 10, 20, 30, 40, 42))
    """
    if own <= FEWEST:
        return tuple(range(max(own + FURTHER, FEWEST) + 1))
    # quarters of a large amount in place of all amounts, and one beyond it
    return tuple(sorted({own * at // FEWEST for at in range(FEWEST + 1)} | {own + FURTHER}))


MOST_CANDIDATE_CELLS = 3_000_000
"""Rows of the table times values times candidates up to which candidates are made again and measured."""


def candidate_releases(found: SearchResult) -> CandidateReleases | None:
    """Measure the releases that a search could have chosen; None where there are none to choose from, or too many."""
    table = found.outcome.recoding.table
    if (
        len(found.choices) < 2
        or not found.outcome.recoding.holds_keys
        or len(table.sizes) * len(found.release.domain) * len(found.choices) > MOST_CANDIDATE_CELLS
    ):
        return None
    from sidelight.report.charts.candidates import candidates_of  # noqa: PLC0415 - only who has searched waits for it

    criterion = found.policy.criteria[0]
    try:
        candidates = candidates_of(found, criterion.measure)
    except (BadMeasure, TooHard):
        return None
    bad = criterion.measure.large_is_bad
    return CandidateReleases(
        utility=found.chosen_by or DEFAULT_UTILITY,
        measure=criterion.measure.name,
        text=str(criterion.measure),
        limit=policy_bound(criterion),
        large_is_bad=bad,
        candidates=tuple(
            CandidateFacts(name=each.name, loss=each.loss, risk=number(each.risk, large_is_bad=bad), chosen=each.chosen)
            for each in candidates
            # JSON has no infinity, and a chart has no place for it
            if math.isfinite(each.loss) and math.isfinite(each.risk)
        ),
    )


MOST_LABEL_TEXT = 200
"""So much of a label is told: one that names hundreds of others fills no page."""


def cuts_made(found: SearchResult) -> CutsMade | None:
    """Return the first cuts of a search; None where it made none."""
    tree = found.outcome.cuts
    if tree is None:
        return None
    parts = (
        CutPart(
            parent=each.parent,
            column=each.column,
            holds=each.holds if len(each.holds) <= MOST_LABEL_TEXT else f"{each.holds[: MOST_LABEL_TEXT - 1]}…",
            people=each.people,
            groups=each.groups,
            cut=each.cut,
        )
        for each in tree.top()
    )
    return CutsMade(along=tree.along, parts=tuple(parts))


def checked_beliefs(answer: Mapping[str, JsonValue]) -> CheckedBeliefs | None:
    """Read what a learner's answer says of the truth; bins of few people are left out, and their people counted.

    >>> bins = [{"low": 0.4, "high": 0.5, "people": p, "claimed": 0.45, "right": 0.5} for p in (20, 3)]
    >>> answer = {"model": "naive bayes", "people": 23, "claimed": 0.45, "right": 0.5, "calibration_error": 0.05}
    >>> checked = checked_beliefs({**answer, "calibration": bins})
    >>> len(checked.calibration), checked.withheld
    (1, 3)
    """
    fields = ("model", "people", "claimed", "right", "calibration_error", "calibration")
    try:
        whole = CheckedBeliefs.model_validate({name: answer.get(name) for name in fields})
    except ValidationError:  # nobody held the truth
        return None
    bins = tuple(each for each in whole.calibration if each.people >= MANY_PEOPLE)
    left_out = sum(each.people for each in whole.calibration) - sum(each.people for each in bins)
    return whole.model_copy(update={"calibration": bins, "withheld": left_out}) if bins else None


def amount(figure: Number) -> Fraction | float:
    """Read a number of a document, exactly where it is."""
    return math.inf if figure.exact == "inf" else Fraction(figure.exact)
