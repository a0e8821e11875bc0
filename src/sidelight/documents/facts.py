"""Facts that more than one document tells: one model each, and what fills it.

The audit's report, the report for whoever signs and the sidecar beside a file all say how large a release is, what
reading did to its rows, how many people went in and came out, what measures found, what two readers would reach and
which files there are.  They say it by these, or by parts that add to them what only one document tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from sidelight.documents.document import DocumentPart, Number, Plain, PolicyBound, number, plain, policy_bound
from sidelight.measures.attacker import AttackerAnswer, Outcome
from sidelight.measures.criterion import Criterion, Judgement
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Measure
from sidelight.release.groups import ReleaseBlocks
from sidelight.release.release import Release
from sidelight.search.method import SearchResult
from sidelight.text import as_names, counted, one_or_several

# Stands in every document, so that a verdict is not taken for more than it is
NOT_JUDGED = "Attackers the policy does not name are not judged."


class ReleaseFacts(DocumentPart):
    """How large the release is and what it is about."""

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
    """Return how large a release is and what it is about."""
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
    """Count who went into a search and who came out in `release`: what it found, or that as it was read back."""
    table = result.outcome.recoding.table
    return PeopleCounts(
        rows_in=table.intake.rows, people_in=table.people, people_out=release.size, suppressed=result.suppressed
    )


class MethodFacts(DocumentPart):
    """By which method a release was found, and how far the search came."""

    method: str | None = Field(description="null: kept back, with its options, levels and what was looked at")
    levels: dict[str, int]
    complete: bool = Field(description="whether the search came to its end; else a more useful release may exist")


class FindingFacts(DocumentPart):
    """What one measure found, and the limit on it."""

    measure: str = Field(description='the name, as in a policy file: "group size"')
    settings: Plain
    text: str = Field(description='the measure with its settings, as a limit says it: "implications(k=1)"')
    limit: PolicyBound | None = Field(description="none when it was measured without a limit")
    result: Number

    def shared(self) -> dict[str, Any]:
        """Return the fields that all documents tell of a finding, for another document that tells it."""
        return {name: getattr(self, name) for name in FindingFacts.model_fields}


def finding_facts(measure: Measure, value: Amount, criterion: Criterion | None = None) -> FindingFacts:
    """Write what a measure found as plain data, with the limit of `criterion`."""
    return FindingFacts(
        measure=measure.name,
        settings={name: plain(setting) for name, setting in measure.settings().items()},
        text=str(measure),
        limit=None if criterion is None else policy_bound(criterion),
        result=number(value, large_is_bad=measure.large_is_bad),
    )


class ReaderFacts(DocumentPart):
    """What an attacker would reach whom policies seldom name, such as a learner or an insider."""

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


def reader_facts(reader: AttackerAnswer) -> ReaderFacts:
    """Return what a reader reaches as plain data."""
    judged = reader.outcome == "asked" and reader.limit is not None
    return ReaderFacts(
        reader=reader.reader,
        outcome=reader.outcome,
        # a lower bound is rounded down, a risk up: each towards the side on which it stays true
        belief=None if reader.belief is None else number(reader.belief, large_is_bad=not reader.is_lower_bound),
        lower_bound=reader.is_lower_bound,
        limit=None if reader.limit is None else number(reader.limit, large_is_bad=True),
        people=reader.people if judged else None,
        text=reader.sentence(),
    )


def joint_column_notes(release: ReleaseBlocks, judgements: Sequence[Judgement]) -> Iterator[str]:
    """Note that cells of several sensitive columns stand together, where no limit is about who knows one of them."""
    columns = release.sensitive_columns
    # a limit with `known` set is about an attacker who knows one sensitive column and asks for another
    known = any(each.criterion.measure.settings().get("known") for each in judgements)
    if judgements and len(columns) > 1 and not known:
        yield (
            f"{' and '.join(columns)} stand together: who knows one of them about a person may find out another, and "
            f'no limit is about that; add one that says known = ["{columns[0]}"]'
        )
