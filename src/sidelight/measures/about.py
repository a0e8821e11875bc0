"""A measure of one of several sensitive columns, perhaps against an attacker who knows others of them.

    About(m, of=c, known=K)(release)  =  m(release.about(c, known=K))

A release with several sensitive columns counts the combinations of their cells.  Each column is a view of it, in which
values that agree there are one; to an attacker who knows the columns K of everybody, each group falls into parts, the
people who agree in K.  The measure itself sees an ordinary release, and its claims hold for the view:

Monotone    Merging groups g and h merges their parts with the same K-cells and leaves the others: it is a merging of
            parts, so what merging does to m on releases it does to m on views.
Screen      A group's row is the join of the rows of its parts: value(row) = m of the parts taken for a release.
Witness     Names a group of the view; in the summary of a search, the group of the release that it is a part of.

Several measures of one release are computed together: each block of its groups is read once, for all of them.

    release ─▶ blocks ─▶ every measure's summary of a block ─▶ merge, measure by measure ─▶ findings

*Invariant.*  The findings are those of each measure by itself; those of a streamed release are those that it would have
in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.errors import BadMeasure, UnknownValue, as_names, expect
from sidelight.measures.exact import Screen
from sidelight.measures.measure import Measure, Summary, merge_each, read
from sidelight.release.groups import GroupBlock, GroupName, Groups
from sidelight.release.release import Release, ReleaseBlocks
from sidelight.table.labels import JointDomain, Label, written_label

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Floats, Integers
    from sidelight.measures.criterion import Amount, Finding, Witness
    from sidelight.release.population import Population
    from sidelight.table.table import Table


Views: TypeAlias = dict[tuple[str | None, tuple[str, ...]], Release]
"""Views of a release with several sensitive columns, by the column and what is known."""


def _as_of(inner: str, name: str) -> Any:  # noqa: ANN401 - a property of any type, or a method
    return property(lambda outer: getattr(getattr(outer, inner), name))


@dataclass(frozen=True)
class About(Measure):
    """A measure of the column `of`, against an attacker who knows the columns `known` of everybody.

    Made by `measure.about("income", known=["disease"])`; a limit says `of = "income"`, `known = ["disease"]`.

    >>> from sidelight.measures.classics import GroupSize
    >>> from sidelight.measures.classics import DistinctValues
    >>> print(DistinctValues().about("income", known=["disease"]) >= 2)
    distinct values(of=income, known=[disease]) ≥ 2
    """

    question: Measure
    of: str | None = field(default=None, metadata=read(lambda of: expect(str, of, "the column in question")))
    known: tuple[str, ...] = field(default=(), metadata=read(as_names))

    def __post_init__(self) -> None:
        question = self.question
        if isinstance(question, About):
            raise BadMeasure(f"'{question}' is about a column already; say at once what it is about and what is known")
        # the claims of a measure's class hold for the measure of a column
        same = "name large_is_bad limits semantics mergeable depends_on_whole about_values needs_weights estimate"
        self.__dict__.update({each: getattr(question, each) for each in (*same.split(), "undecided")})
        super().__post_init__()
        if self.of in self.known:
            raise BadMeasure(
                f"'{self.name}' is asked about '{self.of}', which is also known; name other columns in 'known'"
            )
        if self.known and not question.mergeable:
            raise BadMeasure(f"'{self.name}' is not asked for who knows another sensitive column; leave 'known' out")
        if self.known and question.needs_weights:
            raise BadMeasure(
                f"'{self.name}' needs sampling weights, which parts of groups do not have; leave 'known' out"
            )

    when_groups_merge = _as_of("question", "when_groups_merge")
    monotonicity = _as_of("question", "monotonicity")
    register = _as_of("question", "register")
    amounts = _as_of("question", "amounts")
    more_is_worse = _as_of("question", "more_is_worse")
    knows_true_values = _as_of("question", "knows_true_values")

    @property
    def equal_groups_count_once(self) -> bool:  # type: ignore[override]
        """As for the measure: groups with the same counts have the same view."""
        return self.question.equal_groups_count_once and not self.known

    @property
    def streams(self) -> bool:
        """As for the measure, unless known columns, which no group prints, are looked up in a population too."""
        return self.question.streams and not (self.known and self.register is not None)

    def resolve(self, release: Release) -> tuple[Measure, Release]:
        expect(Release, release, "what is measured")
        return self.question.resolve(release.about(self.of, known=self.known))

    def check(self, release: Release) -> None:
        question, view = self.resolve(release)
        with self._naming_the_column():
            question.check(view)

    @contextmanager
    def _naming_the_column(self) -> Iterator[None]:
        try:
            yield
        except UnknownValue as unknown:
            raise UnknownValue(
                f"'{self}': {unknown}, in '{self.of}'; name the column that has it, as in of = …"
            ) from None

    def measure(self, release: Release) -> Finding:
        return self.measure_view(release, {})

    def measure_view(self, release: Release, views: Views) -> Finding:
        """Return the finding; `views` holds the views of the release that other measures made."""
        # a view costs a pass over the groups, and several measures share it
        key = (self.of, self.known)
        if key not in views:
            views[key] = self.resolve(release)[1]
        with self._naming_the_column():
            return replace(self.question.measure(views[key]), measure=self)

    def complete(self, finding: Finding, release: Release) -> Finding:
        question, view = self.resolve(release)
        return replace(question.complete(replace(finding, measure=question), view), measure=self)

    def compare_with(self, population: Population) -> About:
        return replace(self, question=self.question.compare_with(population))

    def replace_settings(self, **changed: object) -> About:
        return replace(self, question=self.question.replace_settings(**changed))

    def summarize(self, groups: Groups) -> Summary:
        inner = self.question.summarize(groups.about(self.of, self.known))
        return Summary(inner, Summary.merge, partial(self._name_whole_group, self.parts_at_most(groups)))

    def _name_whole_group(self, parts: int, inner: Summary) -> Finding:
        """Return the finding of a view, whose witness points at a group of the release."""
        finding = replace(inner.finding(), measure=self)
        if finding.witness is None or not self.known:
            return finding
        part = finding.witness.group
        # the part k of group n has the number n · parts + k
        whole = GroupName(part.number // parts, part.printed)
        return replace(finding, witness=replace(finding.witness, group=whole))

    def parts_at_most(self, groups: Groups) -> int:
        domain = groups.domain
        return len(domain.combinations(self.known)[1]) if self.known and isinstance(domain, JointDomain) else 1

    def bind_table(self, table: Table) -> About:
        view = table if self.of is None else table.about(self.of)
        return replace(self, question=self.question.bind_table(view))

    def screen(self) -> Screen:
        return ViewScreen(self, self.question.screen())

    def explain(self, finding: Finding) -> str:
        about = [f"about '{self.of}'"] if self.of is not None else []
        about += [f"for somebody who knows everybody's {' and '.join(map(repr, self.known))}"] if self.known else []
        return f"{self.question.explain(replace(finding, measure=self.question))} This is {', '.join(about)}."

    def replay(self, witness: Witness, release: Release) -> Amount:
        question, view = self.resolve(release)
        return question.replay(witness, view)

    def settings(self) -> dict[str, object]:
        about = {"of": self.of, "known": self.known}
        return self.question.settings() | {name: value for name, value in about.items() if value}

    def names_values(self, domain: tuple[Label, ...]) -> Flags:
        """Return which values of a domain the settings name by their label in the column."""
        if self.of is None or not isinstance(domain, JointDomain):
            return self.question.names_values(domain)
        column = domain.column(self.of)
        return self.question.names_values(column.labels)[column.codes]


def ask_each_column(measure: Measure, columns: Sequence[str], domain: tuple[Label, ...] = ()) -> tuple[Measure, ...]:
    """Return the measure for each sensitive column, unless it names one or is not about values.

    Where the `domain` has the values of each column, those in `apart_from` are left out of the columns that have them.

    >>> from sidelight.measures.classics import DistinctValues
    >>> [str(each) for each in ask_each_column(DistinctValues(), ["disease", "income"])]
    ['distinct values(of=disease)', 'distinct values(of=income)']
    >>> [str(each) for each in ask_each_column(DistinctValues().about(known="income"), ["disease", "income"])]
    ['distinct values(of=disease, known=[income])']
    """
    question, of, known = unwrap(measure)
    if len(columns) == 1 or of is not None or not measure.about_values:
        return (measure,)
    others = [column for column in columns if column not in known]
    if not others:
        raise BadMeasure(f"'{measure}' leaves no sensitive column to ask about; leave one out of 'known'")
    return tuple(About(_include_foreign_values(question, column, others, domain), column, known) for column in others)


def unwrap(measure: Measure) -> tuple[Measure, str | None, tuple[str, ...]]:
    """Return the plain measure, the column it is about, and the columns that are known."""
    return (measure.question, measure.of, measure.known) if isinstance(measure, About) else (measure, None, ())


def _include_foreign_values(question: Measure, name: str, others: Sequence[str], domain: tuple[Label, ...]) -> Measure:
    """Return the question without foreign values in `apart_from`; a value of no column is a mistake, and stays."""
    if not isinstance(domain, JointDomain):
        return question
    labels = {column.name: {written_label(text) for text in column.labels} for column in domain.columns}
    elsewhere = set().union(*(labels[other] for other in others)) - labels[name]
    return question.include_values(elsewhere)


@dataclass(frozen=True, slots=True)
class ViewScreen(Screen):
    """The screen of a measure, of views of groups."""

    about: About
    inner: Screen

    group_by_group = _as_of("inner", "group_by_group")
    breaks_with_one_group = _as_of("inner", "breaks_with_one_group")
    exact = _as_of("inner", "exact")
    slack = _as_of("inner", "slack")
    margin = _as_of("inner", "margin")
    harmless = _as_of("inner", "harmless")
    join = _as_of("inner", "join")
    value = _as_of("inner", "value")

    @property
    def question_of_parts(self) -> Measure | None:
        """The measure itself, where parts of what an attacker knows can be judged one by one."""
        return self.about.question if self.about.known and self.inner.group_by_group else None

    def rows(self, groups: Groups) -> Floats:
        """Return the row of each group's view, or the joined rows of its parts: (groups, numbers) float64."""
        parts, group = self.parts(groups)
        rows = self.inner.rows(parts)
        if not self.about.known:
            return rows
        first = np.searchsorted(group, np.arange(len(groups) + 1))  # parts stand by group, and every group has one
        joined = rows[first[:-1]].copy()
        # the first parts of all groups are joined with the second, and so on
        for index in range(1, int(np.diff(first).max(initial=0))):
            more = np.flatnonzero(first[:-1] + index < first[1:])
            joined[more] = self.inner.join(joined[more], rows[first[:-1][more] + index])
        return joined

    def parts(self, groups: Groups) -> tuple[Groups, Integers]:
        """Return the view of the groups, each in its parts, and the group of each part."""
        if not self.about.known:
            return groups.about(self.about.of), np.arange(len(groups))
        parts, group = groups.split_by(self.about.known)
        return parts.about(self.about.of), group

    def kinds(self, groups: Groups) -> Integers:
        parts, group = self.parts(groups)
        kinds = self.inner.kinds(parts)
        if not self.about.known:
            return kinds
        # in sorted order, as the order of a group's parts does not matter
        in_turn = np.lexsort((*kinds.T, group))
        index = np.arange(len(group)) - np.searchsorted(group, group)  # parts stand by group
        # (groups, parts, numbers of a kind), −1 where a group has fewer parts
        rows = np.full((len(groups), self.about.parts_at_most(groups), kinds.shape[1]), -1)
        rows[group, index] = kinds[in_turn]
        return rows.reshape(len(groups), -1)


def findings(measures: Sequence[Measure], release: ReleaseBlocks) -> tuple[Finding, ...]:
    """Return the findings of several measures: counts are spread out once for all of them, blocks in parallel.

    Measures with a quicker way over a held release take it; a streamed release is read once.
    """
    release = prepare_release(measures, release)
    by_blocks = tuple(measure for measure in measures if _goes_by_blocks(measure, release))
    by_measure = {}
    if by_blocks:
        # parts are numbered throughout the release: each block has to know how many come before it
        before = count_parts_before(by_blocks, release)
        merged = release.reduce(partial(_summarize, by_blocks, before), merge_each)
        for measure, summary in zip(by_blocks, merged, strict=True):
            # by identity, as a measure may hold what cannot be hashed
            by_measure[id(measure)] = measure.complete(summary.finding(), release.outline)
    views: Views = {}

    def measure_held(measure: Measure) -> Finding:
        held = release.held(str(measure))
        return measure.measure_view(held, views) if isinstance(measure, About) else measure.measure(held)

    return tuple(by_measure.get(id(measure)) or measure_held(measure) for measure in measures)


def _goes_by_blocks(measure: Measure, release: ReleaseBlocks) -> bool:
    """Return whether a measure is computed block by block: always of a stream, else unless it has a quicker way.

    Of held groups, the few largest counts of each are found without spreading any out (`acquaintance`), and a view
    is made once for all measures of it (`about`): both several times as fast as block by block.
    """
    return not release.is_held or type(measure).measure is Measure.measure


def prepare_release(measures: Sequence[Measure], release: ReleaseBlocks) -> ReleaseBlocks:
    """Return the release with what measures need: people of populations; held, if one needs all groups at once."""
    needs_all = next((measure for measure in measures if not measure.streams), None)
    if needs_all is not None:
        release = release.held(str(needs_all))
    for measure in measures:
        if _goes_by_blocks(measure, release):
            measure.check(release.outline)
    # known columns are looked up in a population too: in a view, not here
    compared = (each.register for each in measures if not unwrap(each)[2])
    for register in dict.fromkeys(each for each in compared if each is not None):
        release = register.attach_to(release)
    return release


PartsBefore: TypeAlias = Mapping[tuple[str, ...], Mapping[int, int]]
"""By the known columns and the first group of a block: how many parts the groups before it fall into."""


def count_parts_before(measures: Sequence[Measure], release: ReleaseBlocks) -> PartsBefore:
    """Count the parts of all groups before each block, for each measure about an attacker who knows more."""
    return {known: release.parts_before(known) for _, _, known in map(unwrap, measures) if known}


def view_block(
    measure: Measure, before: PartsBefore, block: GroupBlock, *, every: bool = False
) -> tuple[Measure, Groups]:
    """Return the plain measure, and its view of the groups of a block, numbered as in the view of the whole release.

    Of equally bad groups the first is enough, unless `every` one is to be counted.
    """
    question, of, known = unwrap(measure)
    once = question.equal_groups_count_once and not every
    if known:
        view = block.view(of, known, before[known][block.first])
        return question, view.first_of_each_kind() if once else view
    groups = block.kinds if once else block.all
    return question, groups.about(of) if isinstance(measure, About) else groups


def _summarize(measures: tuple[Measure, ...], before: PartsBefore, block: GroupBlock) -> tuple[Summary, ...]:
    seen = (view_block(measure, before, block) for measure in measures)
    return tuple(plain.summarize_blocks(groups) for plain, groups in seen)
