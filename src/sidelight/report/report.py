"""The report of an audit: one versioned JSON document, from which the terminal and the pages are drawn.

It holds measurements, never rows: names of people appear only where the release itself names them.  The classes are the
document (`document` has their parts), and `audit_report` fills it, with notes on what a data owner should notice in the
counts.  The keys are a public format.  The class of a measure names its attacker (`attacker_of`).
"""

from __future__ import annotations

import dataclasses
import operator
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, cast

import numpy as np
from pydantic import Field, JsonValue

from sidelight import __version__
from sidelight.documents.document import (
    NOT_JUDGED,
    AttackerFacts,
    DocumentPart,
    FindingFacts,
    IntakeFacts,
    Plain,
    ReleaseFacts,
    attacker_facts,
    finding_facts,
    joint_column_notes,
    plain,
    release_facts,
)
from sidelight.errors import BadMeasure, as_names
from sidelight.measures.about import About, count_parts_before, prepare_release, view_block
from sidelight.measures.column_subsets.identifying_columns import people_alone, worst_columns
from sidelight.measures.criterion import Criterion, CriterionCheck, Finding, Judgement
from sidelight.measures.measure import FAMILIES, Attacker, AttackerAnswer, Measure
from sidelight.policy.measure_names import asked_attackers, find_measure
from sidelight.report.answer import Answer
from sidelight.report.page import Blocks, Grid, PageSection, Paragraph, Points
from sidelight.report.page import Verdict as VerdictName
from sidelight.rounding import ROUNDED, in_words, short_decimal
from sidelight.table.cell_lists import is_written_list
from sidelight.table.labels import MISSING_MARKS, Label, as_number
from sidelight.text import capitalize, counted, form, shorten_label

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.policy.policy import Verdict
    from sidelight.release.groups import GroupBlock
    from sidelight.release.release import ReleaseBlocks

SCHEMA_VERSION = 3
"""Raised whenever programs that read the document would have to change; see docs/reference/report.schema.json."""

ALONE = "the group that is worst off has one person: its line here describes that person; do not share this report"


Outcome: TypeAlias = Literal["within policy", "not within policy", "no policy"]


class BrokenBy(DocumentPart):
    """The groups that break a limit on their own, and the witness's where several groups break it together."""

    groups: int
    people: int = Field(description="how many people are in them")
    at_least: bool = Field(
        default=False, description="whether facts about people of other groups may make it more groups"
    )

    def in_words(self) -> str:
        """Return the sentence that reports print: 3 groups with 1,036 people break this limit."""
        sentence = f"{counted(self.groups, 'group')} with {counted(self.people, 'person')}"
        return f"{'At least ' if self.at_least else ''}{sentence} {form('breaks', self.groups)} this limit."


class AuditFinding(FindingFacts):
    """The finding of one measure: its value, who is worst off, and whether the limit holds."""

    estimate: bool = Field(default=False, description="whether a model guesses at what the release does not say")
    holds: bool | None = Field(description="none when there is no limit")
    broken_by: BrokenBy | None = Field(
        default=None,
        description="none when there is no limit, or when it is on an average or on the release as a whole",
    )
    witness: Plain | None = Field(description="who is worst off: a group, perhaps a value, and what the attacker knows")
    worst_off: str = Field(description="the witness in a few words")
    explanation: str
    notes: tuple[str, ...] = ()

    @property
    def decimal(self) -> str:
        """A fraction as a decimal, rounded towards caution; empty where the text is not a fraction."""
        if "/" not in self.result.text or self.result.number is None:
            return ""
        up = self.limit is None or self.limit.comparison.from_above
        return short_decimal(Fraction(self.result.exact), up=up)


class WorstColumn(DocumentPart):
    """A column that makes people unique."""

    column: str
    fewer: int = Field(description="how many fewer people would stand alone, were it not published")


class SingledOut(DocumentPart):
    """People who are unique: the only ones of their group."""

    people: int
    worst_columns: tuple[WorstColumn, ...] | None = Field(
        description="at most three, the worst first; none where there are too many groups to go through them again"
    )

    def lines(self, everybody: int) -> Iterator[str]:
        """Yield how many people are unique, and on which columns."""
        people = counted(everybody, "person")
        if not self.people:
            yield f"Nobody of {people}: everybody looks like somebody else."
            return
        stand = form("stands", self.people)
        yield f"{self.people:,} of {people} {stand} alone in a group: nobody else looks like them."
        if self.worst_columns is None:
            yield "Which columns it is by is not told for so many groups; sidelight columns tells."
        for each in self.worst_columns or ():
            yield f"Without {each.column}, {each.fewer:,} fewer would stand alone."


class Audit(DocumentPart):
    """The findings about a release, measure by measure."""

    sidelight: str = Field(description="the version that measured")
    roles: Plain = Field(default_factory=dict)
    release: ReleaseFacts
    intake: IntakeFacts
    findings: tuple[AuditFinding, ...]
    singled_out: SingledOut | None = Field(default=None, description="of an audit without limits and measures")
    readers: tuple[AttackerFacts, ...] = Field(
        default=(), description="which of two readers were asked, and what they would reach; else how to ask them"
    )
    verdict: Outcome
    not_covered: str = NOT_JUDGED


class AuditReport(Answer[Audit]):
    """An audit as a document."""

    question: ClassVar[str] = "What does this release reveal?"

    kind: Literal["audit"] = "audit"
    schema_version: int = SCHEMA_VERSION
    source: str | None = None

    @property
    def verdict(self) -> VerdictName | None:
        """Whether all limits hold; nothing where none was set."""
        return conclude(self.answer.findings).verdict

    def blocks(self) -> Blocks:
        """Yield the findings, what they mean, notes, and the verdict in words."""
        audit = self.answer
        printed = f" alike in {', '.join(audit.release.columns)}" if audit.release.columns else ""
        sensitive = ", ".join(as_names(audit.release.sensitive))
        yield Paragraph(
            f"{audit.release.size_in_words()}{printed}; sensitive: {sensitive}", lead=self.source or "Release"
        )
        yield _findings_grid(audit.findings)
        if any("." in finding.result.text for finding in audit.findings):
            yield PageSection("", (Paragraph(ROUNDED),))
        if audit.singled_out is not None:
            yield PageSection("Who stands alone", (Points(tuple(audit.singled_out.lines(audit.release.people))),))
        if audit.findings:
            meanings = []
            for each in audit.findings:
                broken = f" {each.broken_by.in_words()}" if each.broken_by and each.broken_by.groups else ""
                meanings.append(f"{each.text}: {_shorten_labels(each, each.explanation)}{broken}")
            yield PageSection("What it means", (Points(tuple(meanings)),))
        yield from attackers_section(audit.readers)
        yield from notes_section((*(note for each in audit.findings for note in each.notes), *self.notes))
        yield conclude(audit.findings)


def conclude(findings: Sequence[AuditFinding], whom: str = "", *, numbers: bool = False) -> Paragraph:
    """Return the verdict in words, for `whom`; with `numbers`, each exceeded limit has the value beside it."""
    limits = [each for each in findings if each.limit is not None]
    broken = [each for each in limits if not each.holds]
    whom = f", for {whom}" if whom else ""
    if not limits:
        text = f"No policy was given: nothing is judged{whom}. Set limits with --policy or --limit."
        return Paragraph(text, "answer")
    if not broken:
        kept = {1: "the limit holds", 2: "both limits hold"}.get(len(limits), f"all {len(limits)} limits hold")
        return Paragraph(f"Within policy: {kept}{whom}. {NOT_JUDGED}", "answer", "within")
    which = "the limit" if len(limits) == 1 else f"{len(broken)} of {len(limits)} limits"
    names = [
        f"{each.text} is {each.result.text}, limit {each.limit.text}" if numbers and each.limit else each.text
        for each in broken
    ]
    text = f"Not within policy: {which} {form('is', len(broken))} not kept{whom}: {'; '.join(names)}."
    return Paragraph(text, "answer", "not within")


def _findings_grid(findings: Sequence[AuditFinding]) -> Grid:
    marks = {True: "✓ yes", False: "✗ no", None: "no limit"}
    rows = list[tuple[str, ...]]()
    for each in findings:
        value = f"{each.result.text}, an estimate" if each.estimate else each.result.text
        limit, worst_off = each.limit.text if each.limit else "", _shorten_labels(each, each.worst_off)
        rows.append((each.text, limit, value, marks[each.holds], worst_off))
    headings = ("measure", "wanted", "found", "within\npolicy? ", "who is worst off")
    # Without any limit, the second and the fourth column would say nothing.
    shown = slice(None) if any(each.limit for each in findings) else slice(None, None, 2)
    return Grid((*headings[shown],), tuple((*row[shown],) for row in rows), dense=True)


def _shorten_labels(finding: AuditFinding, text: str) -> str:
    group = (finding.witness or {}).get("group")
    says = group.get("says") if isinstance(group, dict) else None
    for label in says.values() if isinstance(says, dict) else ():
        if isinstance(label, str):
            text = text.replace(label, shorten_label(label))
    return text


ATTACKERS = "Two readers whom policies seldom name"


def attackers_section(attackers: Sequence[AttackerFacts]) -> Iterator[PageSection]:
    """Yield what the learner and the insider reach; one line where neither was asked."""
    lines = [f"{capitalize(each.text)}." for each in attackers]
    if all(each.outcome == "not asked" for each in attackers):
        who = [attacker_of(each.reader) for each in attackers]
        deeds = ", or ".join(f"{each.in_short or each.deed} ({each.who})" for each in who)
        options = " or ".join(f"--as {each.name}" for each in who)
        lines = [f"Not asked: what somebody would reach who {deeds}; sidelight attack FILE {options} asks."]
    if attackers:
        yield PageSection(ATTACKERS, (Points(tuple(lines)),))


def notes_section(notes: Iterable[str]) -> Iterator[PageSection]:
    """Yield a section of the notes, each once."""
    different = tuple(dict.fromkeys(notes))
    if different:
        yield PageSection("Notes", (Points(different),))


def audit_report(
    release: ReleaseBlocks,
    *,
    verdict: Verdict | None = None,
    findings: Sequence[Finding] = (),
    source: str | None = None,
    roles: Mapping[str, object] | None = None,
    notes: Sequence[str] = (),
    singled_out: SingledOut | None = None,
    attackers: Sequence[AttackerFacts] = (),
) -> AuditReport:
    """Build the audit of a release from the verdict of a policy and from findings without a limit.

    `attackers` were asked before; those who are not among them and were not measured were not asked.

    >>> from sidelight.measures.classics import GroupSize
    >>> from sidelight.policy.policy import Policy
    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}])
    >>> report = audit_report(release, verdict=Policy(GroupSize() >= 5).judge(release))
    >>> report.answer.verdict, report.answer.findings[0].result.exact
    ('not within policy', '3')
    """
    judgements = () if verdict is None else verdict.judgements
    measured = [*(each.finding for each in judgements), *findings]
    # one lookup of sizes for all findings that take the same columns to be known
    numbers: dict[tuple[str, ...], set[int]] = {}
    for finding in measured:
        if finding.witness is not None:
            numbers.setdefault(_known_columns(finding.measure), set()).add(finding.witness.group.number)
    sizes = {known: release.sizes_of(looked_up, known) for known, looked_up in numbers.items()}
    audited = []
    # judged findings stand first, so that those without a limit get None for the rest
    for finding, judgement, broken_by in zip_longest(measured, judgements, count_broken(judgements, release)):
        measure, witness = finding.measure, finding.witness
        alone = witness is not None and sizes[_known_columns(measure)][witness.group.number] == 1
        facts = finding_facts(measure, finding.value, None if judgement is None else judgement.criterion)
        audited.append(
            AuditFinding(
                **dict(facts),
                estimate=measure.estimate,
                holds=None if judgement is None else judgement.holds,
                broken_by=broken_by,
                witness=None if witness is None else cast("dict[str, JsonValue]", plain(witness)),
                worst_off=finding.worst_off(),
                explanation=finding.explain(),
                notes=(*finding.notes, *((ALONE,) if alone else ())),
            )
        )
    audit = Audit(
        sidelight=__version__,
        roles={name: plain(value) for name, value in (roles or {}).items()},
        release=release_facts(release),
        intake=IntakeFacts.model_validate(release.intake, from_attributes=True),
        findings=tuple(audited),
        singled_out=singled_out,
        readers=tuple(_find_attacker(kind.attacker, measured, attackers) for kind in asked_attackers()),
        verdict="no policy" if verdict is None else "within policy" if verdict.safe else "not within policy",
    )
    return AuditReport(
        source=source,
        answer=audit,
        notes=(
            *release.intake.notes(),
            *look_alikes(release),
            *like_missing(release),
            *like_lists(release),
            *joint_column_notes(release, judgements),
            *notes,
        ),
    )


def _find_attacker(attacker: Attacker, measured: Sequence[Finding], known: Sequence[AttackerFacts]) -> AttackerFacts:
    """Return what an attacker reaches: as measured, else as known before, else that the attacker was not asked."""
    finding = next((each for each in measured if each.measure.name == attacker.name), None)
    if finding is not None and finding.kindest is not None:
        ends = f"{in_words(finding.kindest)} to {in_words(finding.value)}"
        return attacker_facts(AttackerAnswer(attacker, "could not tell", f"it is {ends}"))
    if finding is not None:
        return attacker_facts(AttackerAnswer(attacker, "asked", "as a measure asks", finding.value))
    return next(
        (each for each in known if each.reader == attacker.name), attacker_facts(AttackerAnswer(attacker, "not asked"))
    )


def _known_columns(measure: Measure) -> tuple[str, ...]:
    return measure.known if isinstance(measure, About) else ()


def singled_out(release: ReleaseBlocks, most_cells: int = 4_000_000) -> SingledOut:
    """Return who is unique, and on which columns, unless that would slow an audit down.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"age": "30"}, {"age": "40"}])
    >>> singled_out(release)
    SingledOut(people=1, worst_columns=(WorstColumn(column='age', fewer=1),))
    """
    people = release.reduce(lambda block: people_alone(block.sizes), operator.add)
    if not people:
        return SingledOut(people=0, worst_columns=())
    # groups are gone through again, once per column: `most_cells` groups times columns take a fifth of a second
    if not release.is_held or len(release) * len(release.columns) > most_cells:
        return SingledOut(people=people, worst_columns=None)
    groups = release.held("people who are alone").groups
    worst = worst_columns(groups.columns, groups.sizes)
    columns = tuple(WorstColumn(column=name, fewer=fewer) for name, fewer in worst.items())
    return SingledOut(people=people, worst_columns=columns)


def count_broken(judgements: Sequence[Judgement], release: ReleaseBlocks) -> list[BrokenBy | None]:
    """Count the groups that break each limit, and their people, in at most one pass over the groups.

    None where a limit is on an average or on the release as a whole.  Where facts about people of other groups help,
    groups that break it on their own and that of the witness are counted.

    >>> from sidelight.measures.classics import GroupSize
    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2}, {"Flu": 3}, {"Flu": 9}])
    >>> count_broken([(GroupSize() >= 5).judge(release)], release)
    [BrokenBy(groups=2, people=5, at_least=False)]
    """
    counted_by_group = [breaks_with_one_group(each.criterion) for each in judgements]
    broken = {index: each for index, each in enumerate(judgements) if not each.holds and counted_by_group[index]}
    totals: dict[int, Integers] = _count_in_views(broken, release)
    others = {index: each for index, each in broken.items() if index not in totals}
    measures = [each.criterion.measure for each in others.values()]
    release = prepare_release(measures, release)
    before = count_parts_before(measures, release)

    def count(block: GroupBlock) -> dict[int, Integers]:
        """Count groups and people, by criterion."""
        counts = {index: np.zeros(2, np.int64) for index in others}
        for index, judgement in others.items():
            criterion = judgement.criterion
            measure, groups = view_block(criterion.measure, before, block, every=True)
            # decided as in a search: in floats, and in fractions where the floats are too close to the bound to tell
            check = CriterionCheck.from_criterion(
                dataclasses.replace(criterion, measure=measure), int(groups.sizes.max())
            )
            for part in groups.blocks():
                breaks = ~check.holds_in_each(part)
                if not check.group_by_group and judgement.finding.witness is not None:
                    # facts about people of other groups break it there, though no group breaks it on its own
                    breaks |= part.numbers == judgement.finding.witness.group.number
                # (2,): groups, people
                counts[index] += (np.count_nonzero(breaks), part.sizes[breaks].sum())
        return counts

    if others:
        in_blocks: dict[int, Integers] = release.reduce(
            count, lambda one, other: {index: counts + other[index] for index, counts in one.items()}
        )
        totals |= in_blocks
    return [
        BrokenBy(
            groups=int(groups),
            people=int(people),
            at_least=index in broken and not each.criterion.measure.screen().group_by_group,
        )
        if counted_by_group[index]
        else None
        for index, each in enumerate(judgements)
        for groups, people in [totals.get(index, (0, 0))]
    ]


def breaks_with_one_group(criterion: Criterion) -> bool:
    """Return whether single groups can break a limit."""
    try:
        return criterion.measure.screen().breaks_with_one_group
    except BadMeasure:  # it looks at whole releases only
        return False


def _count_in_views(broken: Mapping[int, Judgement], release: ReleaseBlocks) -> dict[int, Integers]:
    """Count in the view of a known sensitive column where an attacker looks people up in a population by it too."""
    totals = {}
    for index, judgement in broken.items():
        measure = judgement.criterion.measure
        if measure.register is not None and _known_columns(measure):
            resolved, view = measure.resolve(release.held(str(measure)))
            own = dataclasses.replace(judgement, criterion=dataclasses.replace(judgement.criterion, measure=resolved))
            (counts,) = count_broken([own], view)
            assert counts is not None  # a limit that is counted by group is so in a view too
            totals[index] = np.array([counts.groups, counts.people])
    return totals


def look_alikes(release: ReleaseBlocks) -> Iterator[str]:
    """Name values of a column that differ only in case, spaces around them, or how letters and numbers are written.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2, "flu ": 1, "Cold": 1}])
    >>> list(look_alikes(release))
    ["value: 'Flu', 'flu ' look alike; they count as different values"]
    """
    printed = release.outline.groups.columns
    columns = [(column.name, column.compact().labels if release.is_held else column.labels) for column in printed]
    for name, labels in (*columns, *_sensitive_domains(release)):
        alike: dict[str, list[str]] = {}
        for text in labels:
            if text is not None:
                alike.setdefault(_as_seen(text), []).append(text)
        sets = [", ".join(map(repr, texts)) for texts in alike.values() if len(texts) > 1]
        if sets:
            yield f"{name}: {_first_few(sets, '; ')} look alike; they count as different values"


def _sensitive_domains(release: ReleaseBlocks) -> list[tuple[str, tuple[Label, ...]]]:
    return [(name, release.outline.about(name).domain) for name in release.sensitive_columns]


def _first_few(texts: Sequence[str], separator: str, most: int = 3) -> str:
    more = f" (and {len(texts) - most:,} more such)" if len(texts) > most else ""
    return f"{separator.join(texts[:most])}{more}"


def like_missing(release: ReleaseBlocks) -> Iterator[str]:
    """Name sensitive values that look like missing cells, or nearly like a mark of the roles.

    >>> from sidelight.release.release import Release
    >>> list(like_missing(Release.from_counts([{"Flu": 2, "NA": 1, "n/a ": 1}])))
    ["value: written like missing cells: 'NA', 'n/a '; they count as values, unless --missing-mark names them"]
    """
    marks = {_as_seen(mark) for mark in ("", *MISSING_MARKS, *release.intake.missing_marks)}
    for name, domain in _sensitive_domains(release):
        texts = [repr(text) for text in domain if text is not None and _as_seen(text) in marks]
        if texts:
            yield (
                f"{name}: written like missing cells: {_first_few(texts, ', ')}; they count as values, unless "
                "--missing-mark names them"
            )


def like_lists(release: ReleaseBlocks) -> Iterator[str]:
    """Name sensitive columns with cells that are lists as programs write them, in brackets and quotes.

    >>> from sidelight.release.release import Release
    >>> (note,) = like_lists(Release.from_counts([{"['Flu', 'Cold']": 1, "Flu": 1}]))
    >>> note.partition(";")[0]
    'value: cells in brackets and quotes, as programs write lists, count as one value each'
    """
    for name, domain in _sensitive_domains(release):
        if any(map(is_written_list, domain)):
            yield (
                f"{name}: cells in brackets and quotes, as programs write lists, count as one value each; write "
                "Flu|Cold for ['Flu', 'Cold'], and read them with --values set --split '|'"
            )


def _as_seen(text: str) -> str:
    """Write a text as people see it: é in one form, no letters without width, 1 and 01 as 1.0.

    >>> _as_seen("E\u0301te\u0301") == _as_seen("\u00e9t\u00e9")
    True
    >>> _as_seen("HIV\u200b"), _as_seen("01.0"), _as_seen("-0")
    ('hiv', '1.0', '0.0')
    """
    if not text.isascii():
        # Cf is what has no width: a person cannot see that it is there
        text = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    seen = text.strip().casefold()
    if not seen or seen[0] not in "0123456789.+-":
        return seen
    thousands = re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", seen)
    number = as_number(seen.replace(",", "") if thousands else seen)
    # adding 0.0 turns -0.0 into 0.0
    return seen if number is None else repr(number + 0.0)


def attacker_of(measure: str) -> Attacker:
    """Return the attacker of a measure, by its name; of an undeclared measure an unknown one.

    >>> attacker_of("implications").knowledge_in_words({"k": 2}).partition("; and ")[2]
    'any 2 facts of the kind “if she has this value, he has that one”'
    """
    kind = find_measure(measure)
    return Attacker.unknown(measure) if kind is None else kind.attacker


def families_not_asked(measures: Iterable[str]) -> tuple[str, ...]:
    """Return in words the attackers of none of these measures.

    >>> lines = families_not_asked(["implications", "prosecutor risk", "learner", "insider"])
    >>> [line.partition(" (")[0] for line in lines]
    ['somebody who believes something about people from elsewhere']
    """
    names = set(measures)
    families = {attacker_of(measure).family for measure in names}
    attackers = [kind.attacker for kind in asked_attackers()]
    return (
        *(words for family, words in FAMILIES.items() if family not in families),
        *(each.described for each in attackers if each.name not in names),
    )
