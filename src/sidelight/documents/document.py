"""The parts of documents: they refuse unknown keys, write numbers in three ways, and reduce objects to plain data.

Every answer for programs is an `Envelope`.  Objects are reduced to plain data (`plain`); numbers are written exactly
and rounded once, towards caution (`number`).  The keys are a public format.

Facts of several documents (the audit's report, the report to sign, the sidecar beside a file) have one model each and
one function that fills it: the size of a release, what reading did to its rows, how many people went in and came out,
findings, attackers, files.  A document that has more to say about one of them extends the model.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
)

from sidelight.errors import as_names
from sidelight.measures.criterion import Amount, Comparison, Criterion, Judgement, exact
from sidelight.measures.measure import AttackerAnswer, Measure, Outcome
from sidelight.release.groups import GroupName
from sidelight.rounding import printed_cautiously, short_amount
from sidelight.table.labels import shown
from sidelight.text import counted, one_or_several

if TYPE_CHECKING:
    from sidelight.release.release import Release, ReleaseBlocks
    from sidelight.search.method import SearchResult

Plain: TypeAlias = dict[str, JsonValue]


class DocumentPart(BaseModel):
    """A part of a document for other programs; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_json(self) -> str:
        """Write the document as JSON text."""
        return self.model_dump_json(indent=2) + "\n"


class SparsePart(DocumentPart):
    """A part of a document that leaves out what it was not given; a field `as_` is the key "as"."""

    @model_serializer(mode="wrap")
    def _leave_out(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name.rstrip("_"): each for name, each in write(self).items() if name in self.model_fields_set}


AnswerT = TypeVar("AnswerT")


class Envelope(DocumentPart, Generic[AnswerT]):
    """The answer of a verb, with the same five keys for all verbs."""

    kind: str = Field(description='the verb that answers: "audit", "attack"')
    schema_version: int = Field(description="of this kind; raised whenever a reader of it would have to change")
    source: str | tuple[str, ...] | None = Field(default=None, description="what was read")
    answer: AnswerT
    notes: tuple[str, ...] = Field(default=(), description="what a reader should know, in sentences")


class Number(DocumentPart):
    """A number in three forms: exact, as a float rounded towards caution, and as text for people."""

    exact: str = Field(description='"2/3", "7" or "inf"; with `rounded`, the nearest float on the cautious side')
    number: float | None = Field(description="none when it is infinite")
    rounded: bool = Field(
        default=False, description="whether the value is irrational, so that even `exact` is rounded; not about `text`"
    )
    text: str = Field(
        description="fractions up to twelfths as they are, others to four places, towards caution: "
        "risks up, sizes and diversities down"
    )

    @property
    def value(self) -> Amount:
        """The number to compute with, exact where it is known exactly."""
        if self.rounded:
            return float(self.exact)
        return math.inf if self.exact == "inf" else Fraction(self.exact)


class PolicyBound(DocumentPart):
    """The bound that a policy sets."""

    comparison: Annotated[Comparison, WithJsonSchema({"enum": [each.value for each in Comparison], "type": "string"})]
    bound: Number
    text: str = Field(description='"≥ 5"')

    def holds(self, value: Amount) -> bool:
        """Decide exactly whether a value keeps the bound."""
        return self.comparison.holds(value, self.bound.value)

    @property
    def bound_text(self) -> str:
        """The bound alone: 1/2."""
        return self.text.partition(" ")[2]

    @property
    def in_words(self) -> str:
        """The limit in words: below 1/2."""
        return f"{self.comparison.words} {self.bound_text}"

    @property
    def negation(self) -> str:
        """The negation of the limit in words: at least 1/2."""
        return f"{self.comparison.negation.words} {self.bound_text}"


def schema_text(document: type[DocumentPart]) -> str:
    """Write the JSON schema of a document."""
    schema = document.model_json_schema(mode="serialization")
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | schema, indent=2, ensure_ascii=False) + "\n"


def number(value: Amount, *, large_is_bad: bool) -> Number:
    """Write a number in all three forms.

    >>> number(Fraction(2, 3), large_is_bad=True)
    Number(exact='2/3', number=0.6666666666666667, rounded=False, text='2/3')
    >>> number(Fraction(12345, 99991), large_is_bad=False).text
    '0.1234'
    """
    if value == math.inf:
        return Number(exact="inf", number=None, text="infinite")
    # measures that are rational are computed in fractions; a float stands for an irrational number only
    irrational = not isinstance(value, Fraction | int)
    return Number(
        exact=repr(float(value)) if irrational else str(value),
        number=printed_cautiously(value, large_is_bad=large_is_bad),
        rounded=irrational,
        text=short_amount(value, large_is_bad=large_is_bad),
    )


def policy_bound(criterion: Criterion) -> PolicyBound:
    """Return the bound of a criterion."""
    # A bound is rounded to the strict side, which is the other one than that of a finding.
    bound = number(exact(criterion.bound), large_is_bad=not criterion.measure.large_is_bad)
    return PolicyBound(comparison=criterion.comparison, bound=bound, text=criterion.bound_text)


def finite_or_none(number: float) -> float | None:
    """Return a finite number, or None where it is infinite, as JSON has no infinity."""
    return number if math.isfinite(number) else None


def plain(thing: object) -> JsonValue:
    """Reduce anything a witness may hold to plain data; numbers that JSON cannot hold become text.

    >>> from sidelight.measures.criterion import Witness
    >>> plain(Witness(GroupName(2, (("sex", None),)), "Flu"))
    {'group': {'number': 2, 'says': {'sex': None}}, 'value': 'Flu'}
    >>> plain((Fraction(2, 3), math.inf, frozenset({"b", "a"})))
    ['2/3', 'inf', ['a', 'b']]
    """
    reduced: JsonValue
    match thing:  # the first kind that fits decides: a bool is an int, and a text is a sequence
        case None | bool() | str():
            reduced = thing
        case int() | np.integer():
            reduced = int(thing)
        case float() | np.floating():
            reduced = float(thing) if math.isfinite(thing) else str(float(thing))
        case GroupName():
            reduced = {"number": thing.number, "says": dict(thing.printed)}
        case Mapping():
            names = {name: shown(name) if name is None or isinstance(name, str) else str(plain(name)) for name in thing}
            reduced = {names[name]: plain(each) for name, each in thing.items()}
        case AbstractSet():  # it has no order, and a document must be the same each time it is written
            reduced = sorted((plain(each) for each in thing), key=str)
        case Sequence() | np.ndarray():
            reduced = [plain(each) for each in thing]
        case _ if dataclasses.is_dataclass(thing) and type(thing).__str__ is object.__str__:
            reduced = {each.name: plain(getattr(thing, each.name)) for each in dataclasses.fields(thing)}
        case _:  # it has words for itself, as facts and fractions do
            reduced = str(thing)
    return reduced


# Stands in every document, so that a verdict is not taken for more than it is
NOT_JUDGED = "Attackers the policy does not name are not judged."


class ReleaseFacts(DocumentPart):
    """The size of a release and its columns."""

    people: int
    groups: int
    columns: tuple[str, ...] = Field(description="what is published about each group")
    sensitive: str | tuple[str, ...] = Field(description="the sensitive column, or a list of several")
    values: Annotated[int, Field(description="how many different sensitive values there are, or combinations of them")]
    semantics: Literal["single", "set", "multiset"]

    def size_in_words(self) -> str:
        """Return how many people are in how many groups.

        >>> release_facts(Release.from_counts([{"Flu": 2}])).size_in_words()
        '2 people in 1 group'
        """
        return f"{counted(self.people, 'person')} in {counted(self.groups, 'group')}"

    def sensitive_in_words(self) -> str:
        """Name the sensitive columns."""
        return " and ".join(as_names(self.sensitive))


def release_facts(release: ReleaseBlocks) -> ReleaseFacts:
    """Return the size of a release and its columns."""
    return ReleaseFacts(
        people=release.size,
        groups=len(release),
        columns=release.columns,
        sensitive=one_or_several(release.sensitive_columns),
        values=len(release.domain),
        semantics=release.semantics,
    )


class IntakeFacts(DocumentPart):
    """What reading did to the rows."""

    rows: int
    columns_dropped: tuple[str, ...]
    rows_without_value: int
    rows_saying_no_value: int
    rows_suppressed: int
    repeats: int


class FileFacts(DocumentPart):
    """A file that a document is about."""

    name: str
    sha256: str = Field(description="of its bytes: a file that is not the one that was judged is noticed")


class PeopleCounts(DocumentPart):
    """How many rows and people went in and came out."""

    rows_in: int = Field(description="rows that were read; 0 when the table did not come from rows")
    people_in: int
    people_out: int
    suppressed: int = Field(description="people whose rows are suppressed, as * or left out")


def people_counts(result: SearchResult, release: Release) -> PeopleCounts:
    """Count the people who went into a search and those in `release`: the one found, or the same as read back."""
    table = result.recoding.table
    return PeopleCounts(
        rows_in=table.intake.rows, people_in=table.people, people_out=release.size, suppressed=result.suppressed
    )


class FindingFacts(DocumentPart):
    """The result of one measure, and the limit on it."""

    measure: str = Field(description='the name, as in a policy file: "group size"')
    settings: Plain
    text: str = Field(description='the measure with its settings, as a limit says it: "implications(k=1)"')
    limit: PolicyBound | None = Field(description="none when it was measured without a limit")
    result: Number


def finding_facts(measure: Measure, value: Amount, criterion: Criterion | None = None) -> FindingFacts:
    """Write the result of a measure as plain data, with the limit of `criterion`."""
    return FindingFacts(
        measure=measure.name,
        settings={name: plain(setting) for name, setting in measure.settings().items()},
        text=str(measure),
        limit=None if criterion is None else policy_bound(criterion),
        result=number(value, large_is_bad=measure.large_is_bad),
    )


class AttackerFacts(DocumentPart):
    """What an attacker such as the learner or the insider would reach."""

    reader: str = Field(description="the attacker, by the name of the measure that is about them")
    outcome: Outcome
    belief: Number | None = Field(
        default=None, description="how sure of anybody's value at most, as claimed; with `lower_bound`, at least"
    )
    lower_bound: bool = Field(default=False, description="whether groups were left out, so that more may be believed")
    limit: Number | None = Field(
        default=None, description="how sure anybody may get: as the policy promises, or as the release says by itself"
    )
    people: int | None = Field(default=None, description="of how many people more is believed than the limit")
    text: str


def attacker_facts(answer: AttackerAnswer) -> AttackerFacts:
    """Return what an attacker reaches as plain data."""
    judged = answer.outcome == "asked" and answer.limit is not None
    return AttackerFacts(
        reader=answer.reader,
        outcome=answer.outcome,
        # a lower bound is rounded down, a risk up: each towards the side on which it stays true
        belief=None if answer.belief is None else number(answer.belief, large_is_bad=not answer.is_lower_bound),
        lower_bound=answer.is_lower_bound,
        limit=None if answer.limit is None else number(answer.limit, large_is_bad=True),
        people=answer.people if judged else None,
        text=answer.sentence(),
    )


class Candidate(DocumentPart):
    """A release that could be published: its loss (less is better) and its value of a measure."""

    name: str
    loss: float
    risk: Number
    chosen: bool = False


class CandidateReleases(DocumentPart):
    """The candidates of a search, by their loss and by one limit of the policy."""

    utility: str
    measure: str
    text: str
    limit: PolicyBound
    large_is_bad: bool
    candidates: tuple[Candidate, ...]

    @classmethod
    def build(
        cls, criterion: Criterion, utility: str, candidates: Iterable[tuple[str, float, Amount, bool]]
    ) -> CandidateReleases:
        """Build it from candidates: (name, loss, value of the measure, whether it was chosen)."""
        measure = criterion.measure
        return cls(
            utility=utility,
            measure=measure.name,
            text=str(measure),
            limit=policy_bound(criterion),
            large_is_bad=measure.large_is_bad,
            candidates=tuple(
                Candidate(name=name, loss=loss, risk=number(risk, large_is_bad=measure.large_is_bad), chosen=chosen)
                for name, loss, risk, chosen in candidates
            ),
        )


def joint_column_notes(release: ReleaseBlocks, judgements: Sequence[Judgement]) -> Iterator[str]:
    """Note that a row has several sensitive cells, where no limit is about an attacker who knows one of them."""
    columns = release.sensitive_columns
    # a limit with `known` set is about an attacker who knows one sensitive column and asks for another
    known = any(each.criterion.measure.settings().get("known") for each in judgements)
    if judgements and len(columns) > 1 and not known:
        yield (
            f"{' and '.join(columns)} stand together: who knows one of them about a person may find out another, and "
            f'no limit is about that; add one that says known = ["{columns[0]}"]'
        )
