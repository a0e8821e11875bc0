"""The report that the person who publishes a release signs: one versioned JSON document, from which pages are drawn.

It holds what was published and how, the attackers considered, the risk before, the limit and the risk after, attacks
that were tried, the utility of the release, what is not covered, and how to repeat it.  `assemble_report` fills it from
an audit and from what is known about how the release was made.

*Invariant: no row of a person.*  About the table it holds numbers alone.  A label is shown only if many people have it,
and a witness that is one person is withheld (`shareable`): the terminal shows it to anyone who holds the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field, JsonValue

from sidelight.documents.document import (
    CandidateReleases,
    DocumentPart,
    FileFacts,
    Number,
    PeopleCounts,
    PolicyBound,
    people_counts,
)
from sidelight.learner.learned import BeliefBin
from sidelight.measures.criterion import Comparison
from sidelight.policy.measure_names import asked_attackers
from sidelight.report.answer import Answer, Recipe
from sidelight.report.charts.groups import MOST_VALUES, SizeBand, count_sizes
from sidelight.report.report import ALONE, Audit, AuditFinding, AuditReport, attacker_of, conclude, families_not_asked
from sidelight.search.mondrian_cuts import CutNode
from sidelight.table.labels import SUPPRESSED, Label, shown
from sidelight.text import fraction_in

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.release.release import Release, ReleaseBlocks
    from sidelight.report.page import Blocks
    from sidelight.report.page import Verdict as VerdictName
    from sidelight.search.method import SearchResult

WITHHELD = (
    "This is one person, and what is printed about them is left out of this report; sidelight audit shows it to "
    "whoever holds the file."
)

RoleName = Literal["known to outsiders", "sensitive", "kept as it is", "not judged", "not published"]

USUAL_TECHNIQUES: dict[RoleName, str] = {
    "sensitive": "as it is",
    "kept as it is": "as it is, beside what is judged",
    "not judged": "stands in the file, and no measure looked at it",
    "not published": "left out",
}
"""What was done to the columns of a role."""


class ColumnFacts(DocumentPart):
    """What was done to a column."""

    column: str
    role: RoleName
    technique: str = Field(description='in words: "as it is", "generalised: level 2 of 5"')
    labels: int | None = Field(default=None, description="how many different ones are printed")
    examples: tuple[str, ...] = Field(default=(), description="printed labels that many people have")
    covers: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="what printed labels stand for, where the sidecar says so"
    )


class HowMade(PeopleCounts):
    """How a release was made."""

    method: str = Field(description="in words where the sidecar keeps it back")
    levels: dict[str, int]
    complete: bool = Field(description="whether the search came to its end; else a more useful release may exist")
    checked: int = 0
    resists: str | None = Field(default=None, description="against whom it was made besides, in words")
    utility: dict[str, float | None] = Field(default_factory=dict, description="smaller is better; null: infinite")
    published: str | None = Field(default=None, description="the day on which it was judged and published")
    warnings: tuple[str, ...] = ()


class RiskBefore(DocumentPart):
    """The limits' values for the table itself: numbers alone, as its groups may be single people."""

    people: int
    groups: int
    alone: int = Field(description="people whose group is of one")
    results: tuple[Number, ...] = Field(description="of the limits, in their order")
    left_out: tuple[str, ...] = Field(default=(), description="what reading left out of the table's rows, in words")
    columns_left_out: tuple[str, ...] = Field(default=(), description="columns of the table that nothing is told of")


class KnowledgeCurve(DocumentPart):
    """The risk by the amount of an attacker's knowledge."""

    measure: str
    parameter: str
    amounts: tuple[int, ...]
    risks: tuple[Number, ...]


MANY_PEOPLE = 10
"""Labels that fewer people have are not shown, nor bins of fewer people."""


class ValueCount(DocumentPart):
    """A value, and the number of people who have it."""

    value: str
    people: int


class ValueCounts(DocumentPart):
    """The common values of a sensitive column."""

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


class CutsMade(DocumentPart):
    """The cuts that made the groups: their number along each column, and the first of them."""

    along: dict[str, int]
    parts: tuple[CutNode, ...] = Field(
        description="people whom cuts have left together: `parent` is a place in this list, null for everybody; "
        "`column` was cut last, `holds` what they have of it, as it would be printed; `groups` are published of them; "
        "`cut`: whether halves follow"
    )


class CheckedBeliefs(DocumentPart):
    """A model's claims, compared with the truth."""

    model: str
    people: int
    claimed: float
    right: float
    calibration_error: float
    calibration: tuple[BeliefBin, ...] = Field(description="by how much is claimed, the share right among them")
    withheld: int = Field(default=0, description="people in bins of too few to be told")


class AttackTried(DocumentPart):
    """An attack on the release, from its own answer."""

    kind: str
    source: str | tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    checked: CheckedBeliefs | None = Field(default=None, description="of a learner, compared with the truth")


Decision: TypeAlias = Literal["approved", "approved on conditions", "refused"]
"""The decisions of the person who signs."""


class SignOff(DocumentPart):
    """Who decided, and why; empty fields are filled in by hand."""

    name: str = ""
    role: str = ""
    date: str = ""
    decision: Decision | Literal[""] = ""
    reasons: str = ""


class ReportedRelease(DocumentPart):
    """The contents of the report."""

    date: str | None = Field(description="the day of the report; null: nobody said")
    audit: Audit
    columns: tuple[ColumnFacts, ...]
    made: HowMade | None = Field(default=None, description="null: nobody knows how the file was made")
    before: RiskBefore | None = Field(default=None, description="null: the table was not at hand")
    sizes: tuple[SizeBand, ...] = ()
    smallest_group: int | None = None
    half_in_groups_of: int | None = Field(default=None, description="half of the people are in groups of so many")
    values: tuple[ValueCounts, ...] = ()
    curves: tuple[KnowledgeCurve, ...] = ()
    cells: tuple[KnowledgeCells, ...] = Field(default=(), description="where a limit is about an acquaintance")
    candidates: CandidateReleases | None = Field(default=None, description="null: the search was not run here")
    cuts: CutsMade | None = Field(default=None, description="null: people were not cut apart, or not here")
    attacks: tuple[AttackTried, ...] = ()
    not_covered: tuple[str, ...]
    again: Recipe = Recipe()
    files: tuple[FileFacts, ...] = ()
    versions: dict[str, str] = Field(default_factory=dict)
    sign_off: SignOff = SignOff()


class ReleaseReport(Answer[ReportedRelease]):
    """A report about a release, for the person who signs."""

    question: ClassVar[str] = "What does somebody sign who lets this release go?"

    kind: Literal["report"] = "report"
    # raised whenever programs that read it would have to change; see docs/reference/release-report.schema.json
    schema_version: int = 1
    source: str | None = None

    @property
    def verdict(self) -> VerdictName | None:
        """Whether all limits hold; nothing where none was set."""
        return conclude(self.answer.audit.findings).verdict

    def blocks(self) -> Blocks:
        """Yield the verdict; the rest is for the page."""
        yield conclude(self.answer.audit.findings)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The contents of a report that no measure computes: day, files, commands, and what else was done."""

    date: str | None = None
    made: HowMade | None = None
    before: RiskBefore | None = None
    techniques: Mapping[str, str] | None = None  # by column; None: unknown
    covers: Mapping[str, Mapping[str, tuple[str, ...]]] | None = None  # by column and printed label
    kept: tuple[str, ...] = ()
    attacks: tuple[AttackTried, ...] = ()
    candidates: CandidateReleases | None = None
    cuts: CutsMade | None = None
    again: Recipe = field(default_factory=Recipe)
    files: tuple[FileFacts, ...] = ()
    versions: Mapping[str, str] | None = None
    sign_off: SignOff = field(default_factory=SignOff)


def assemble_report(
    audit: AuditReport,
    release: ReleaseBlocks | None,
    circumstances: Circumstances | None = None,
    *,
    columns: tuple[ColumnFacts, ...] | None = None,
    curves: tuple[KnowledgeCurve, ...] = (),
    cells: tuple[KnowledgeCells, ...] = (),
) -> ReleaseReport:
    """Build the report from an audit and what else is known; without the release, with the `columns` of its sidecar.

    A streamed release has no sizes of groups and no labels in its report.

    >>> from sidelight.measures.classics import GroupSize
    >>> from sidelight.policy.policy import Policy
    >>> from sidelight.report.report import audit_report
    >>> release = Release.from_counts([{"Flu": 18, "Cold": 4}], labels=[{"age": "30-39"}])
    >>> audit = audit_report(release, verdict=Policy(GroupSize() >= 5).judge(release))
    >>> report = assemble_report(audit, release)
    >>> [(each.column, each.role, each.examples) for each in report.answer.columns]
    [('age', 'known to outsiders', ('30-39',)), ('value', 'sensitive', ('Flu',))]
    """
    known = circumstances or Circumstances()
    if known.versions is None:
        known = replace(known, versions={"sidelight": audit.answer.sidelight})
    answer = audit.answer.model_copy(update={"findings": tuple(map(shareable, audit.answer.findings))})
    if columns is None:
        columns = () if release is None else column_facts(release.outline, known.techniques, known.kept)
        if release is not None and not release.is_held:
            # which labels groups have is unknown for a streamed release
            unlabelled = {"labels": None, "examples": ()}
            columns = tuple(
                each.model_copy(update=unlabelled) if each.column in release.columns else each for each in columns
            )
    covers, named = known.covers or {}, {each.column for each in columns}
    left_out = () if known.before is None else known.before.columns_left_out
    columns = (
        *(each.model_copy(update={"covers": dict(covers.get(each.column, {}))}) for each in columns),
        # columns of the table that are not in the file, where the table is at hand
        *(describe_column(name, "not published") for name in left_out if name not in named),
    )
    bands: tuple[SizeBand, ...] = ()
    smallest = half_in = None
    if release is not None and release.is_held:
        bands, smallest, half_in = count_sizes(release.held("group sizes"), least_size(answer))
    own = {each.name: getattr(known, each.name) for each in fields(known) if each.name in ReportedRelease.model_fields}
    contents = ReportedRelease(
        **own,
        audit=answer,
        columns=columns,
        sizes=bands,
        smallest_group=smallest,
        half_in_groups_of=half_in,
        values=() if release is None else value_counts(release.outline),
        curves=curves,
        cells=cells,
        not_covered=tuple(_not_covered(audit.answer, known)),
    )
    return ReleaseReport(source=audit.source, answer=contents, notes=audit.notes)


def shareable(finding: AuditFinding) -> AuditFinding:
    """Withhold a witness that is one person."""
    if ALONE not in finding.notes:
        return finding
    # the note asks not to share the report; without its witness it may be shared
    notes = tuple(note for note in finding.notes if note != ALONE)
    return finding.model_copy(
        update={"witness": None, "worst_off": "one person", "explanation": WITHHELD, "notes": notes}
    )


def _not_covered(audit: Audit, known: Circumstances) -> list[str]:
    """Return the attackers that were not asked about, and the assumptions of the policy."""
    resists = known.made is not None and bool(known.made.resists)
    resisted = tuple(kind.name for kind in asked_attackers() if resists and kind.attacker.knows_method)
    measures = [each.measure for each in audit.findings]
    unjudged = [each for each in audit.readers if each.outcome != "not asked" and each.reader not in measures]
    tried = [each.kind for each in known.attacks]
    tried += [each.reader for each in audit.readers if each.outcome in ("asked", "nothing to learn")]
    covered = (*measures, *resisted, *tried, *(each.reader for each in unjudged))
    lines = [audit.not_covered]
    outcomes = {
        "asked": "Asked, and judged by no limit",
        "nothing to learn": "Asked, and learns nothing more, so that no limit judges them",
        "could not tell": "Asked, and it could not be told what they reach",
    }
    lines += [f"{outcomes[each.outcome]}: {attacker_of(each.reader).described}." for each in unjudged]
    lines += [f"Not asked about: {words}." for words in families_not_asked(covered)]
    if "attack" not in tried and "expected candidates" not in measures:
        lines.append(
            "Not asked about: somebody who holds another release about the same people; sidelight attack tells what "
            "two give away together."
        )
    if audit.release.columns:
        lines.append(
            f"That outsiders know {', '.join(audit.release.columns)} about a person, and nothing else that is printed, "
            "was decided by whoever wrote the roles of the columns; it is not measured."
        )
    if known.kept:
        lines.append(f"Published as they are, and judged by nothing: {', '.join(known.kept)}.")
    lines.append(
        "What is true of whole groups can be learnt from any useful table, also about people who are not in it."
    )
    return lines


# Columns and groups


def column_facts(
    release: Release, techniques: Mapping[str, str] | None = None, kept: Sequence[str] = ()
) -> tuple[ColumnFacts, ...]:
    """Return what is printed of each column, and what was done to it where that is known."""
    groups, members = release.groups, release.members
    unknown = "as it stands in the file" if techniques is None else "as it is"
    techniques = techniques or {}
    printed = [(column, groups.sizes) for column in groups.columns]
    if members is not None:
        printed += [(column.take(members.key), members.people) for column in members.columns]
    quasi = []
    for column, sizes in printed:
        # (labels,): people and not rows; weights are added up in floats, exactly for whole numbers below 2⁵³
        people = np.bincount(column.codes, weights=sizes, minlength=len(column.labels)).astype(np.int64)
        technique = techniques.get(column.name, unknown)
        if [column.labels[code] for code in np.flatnonzero(people)[:2]] == [SUPPRESSED]:
            technique = f"{technique}; nothing of it is left"
        quasi.append(describe_column(column.name, "known to outsiders", technique, people, column.labels))
    sensitive = (
        describe_column(name, "sensitive", techniques.get(name), people, view.domain)
        for name, view, people in _count_values(release)
    )
    return (
        *quasi,
        *sensitive,
        *(describe_column(name, "kept as it is") for name in kept),
        *(describe_column(name, "not judged") for name in release.intake.columns_dropped if name not in kept),
    )


def _count_values(release: Release) -> Iterator[tuple[str, Release, Integers]]:
    """Yield each sensitive column, the release reduced to it, and (values,) the people who have each value."""
    for name in release.sensitive_columns:
        view = release.about(name) if len(release.sensitive_columns) > 1 else release
        yield name, view, view.groups.counts.totals()


def describe_column(
    name: str,
    role: RoleName,
    technique: str | None = None,
    people: Integers | None = None,
    labels: Sequence[Label] = (),
) -> ColumnFacts:
    """Describe a column; `people`: (labels,), how many have each."""
    technique = USUAL_TECHNIQUES[role] if technique is None else technique
    if people is None:
        return ColumnFacts(column=name, role=role, technique=technique)
    # a label of few people could point at one of them, and is no example
    often = [code for code in np.argsort(-people, kind="stable")[:3] if people[code] >= MANY_PEOPLE]
    return ColumnFacts(
        column=name,
        role=role,
        technique=technique,
        labels=int(np.count_nonzero(people)),
        examples=tuple(shown(labels[int(code)]) for code in often),
    )


def value_counts(release: Release) -> tuple[ValueCounts, ...]:
    """Count the people of each common value, for each sensitive column.

    >>> (counts,) = value_counts(Release.from_counts([{"Flu": 18, "Cold": 4, "Rash": 1}]))
    >>> [(each.value, each.people) for each in counts.common], counts.rarer
    ([('Flu', 18)], 2)
    """
    columns = []
    for name, view, people in _count_values(release):
        # most people first; stable, so that ties keep the order of the domain
        order = [int(code) for code in np.argsort(-people, kind="stable") if people[code]]
        # a value of few people stays unnamed, as it could point at one of them
        common = [code for code in order[: MOST_VALUES - 1] if people[code] >= MANY_PEOPLE]
        columns.append(
            ValueCounts(
                column=name,
                people=view.size,
                values=len(order),
                common=tuple(ValueCount(value=shown(view.domain[code]), people=int(people[code])) for code in common),
                rarer=len(order) - len(common),
                rarer_people=int(people.sum()) - int(people[common].sum()),
                several=view.semantics != "single",
            )
        )
    return tuple(columns)


def least_size(audit: Audit) -> int | None:
    """Return the smallest size of a group that the limits allow; None without a limit on sizes."""
    bounds = [
        # sizes are whole: above 4 is at least 5, and so is at least 4.5
        math.floor(bound) + 1 if each.limit.comparison is Comparison.ABOVE else math.ceil(bound)
        for each in audit.findings
        if each.measure == "group size" and each.limit is not None
        if (bound := fraction_in(each.limit.bound.exact)) is not None
    ]
    return max(bounds, default=None)


# How it was made


def how_made(result: SearchResult) -> HowMade:
    """Return how a search made a release; for the publisher, with exact utilities."""
    return HowMade(
        **dict(people_counts(result, result.release)),
        method=result.method.name,
        levels=dict(result.levels),
        checked=result.checked,
        complete=result.complete,
        resists=None if result.resistance is None else result.resistance.in_words(),
        utility={name: float(worth) if np.isfinite(worth) else None for name, worth in result.utility.items()},
        warnings=tuple(result.warnings),
    )


def technique_words(
    columns: Sequence[str], *, method: str, levels: Mapping[str, int], heights: Mapping[str, int], averages: bool
) -> dict[str, str]:
    """Return what a method did to each column.

    >>> levels, heights = {"age": 2, "sex": 0}, {"age": 6}
    >>> technique_words(["age", "sex"], method="lattice", levels=levels, heights=heights, averages=False)
    {'age': 'generalised: level 2 of 5', 'sex': 'as it is'}
    """
    if method == "anatomy":
        return dict.fromkeys(columns, "as it is, in a table of its own that names only the group (anatomy)")
    if averages:
        return dict.fromkeys(columns, "the average of each group (microaggregation)")
    if not levels:
        return dict.fromkeys(columns, f"generalised, group by group ({method})")
    words = {}
    for name in columns:
        level, height = levels.get(name, 0), heights.get(name)
        # levels are numbered from 0, and the last one prints * for everybody
        end = "" if height is None else f" of {height - 1}"
        last = height is not None and level == height - 1
        words[name] = "suppressed: printed as *" if last else f"generalised: level {level}{end}"
        if level == 0:
            words[name] = "as it is"
    return words
