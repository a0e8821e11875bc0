"""A policy is criteria that a release must keep; its verdict is a judgement of each.

A measure that several criteria share is measured once.  A policy is written as TOML here (`policy_text`), and read by
`policy/policy_file`.

An `Auditor` judges a release again after some of its groups were added, removed or replaced: summaries of measures
merge, so that only what changed is summarised again.  Groups are in *parts* of about two thousand; each part has a
summary per measure, two parts make one of the level above, and so on to the top, whose summary is that of the release:

    Edit       the parts that lose or gain groups are summarised again, and what lies above them merged again
    Cost       of an edit: the groups of the parts it touches, and measures × log(parts) merges; not the release

Groups are numbered by their order in the release, which edits change, so summaries hold *keys*: numbers that keep their
order, with gaps between them for new groups.  Where a gap is used up, all get new keys.

    Invariant  keys rise from part to part and within each.  The summary at the top, its keys turned into numbers, is
               that of the release from scratch: ties go to the smaller number, and so to the smaller key.

Measures that compare groups with the whole release (`depends_on_whole`) are summarised anew when an edit changes how
often values occur in it; splitting and merging groups does not.  Measures that do not merge look at the release itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import accumulate
from numbers import Rational
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import tomli_w

from sidelight.errors import BadPolicy, BadRelease, NotTrueOrFalse, as_given, expect, listed, parameter
from sidelight.measures.about import About, ask_each_column, findings, unwrap
from sidelight.measures.criterion import Criterion, Finding, Judgement, judgements_table
from sidelight.measures.measure import Measure, Summary, merge_each
from sidelight.measures.targets import Targeted
from sidelight.release.groups import GroupName, Groups, group_number, stack_groups
from sidelight.release.release import Release, ReleaseBlocks, expect_release
from sidelight.table.labels import Label, shown
from sidelight.table.table import Counts
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.arrays import Integers
    from sidelight.release.population import Population

PART_SIZE = 2048
"""The number of groups of a part at first; it may grow to twice as many, and shrink to none.

Summarising that many takes about as long as merging a handful of summaries."""

MOST_KEYS = 1 << 40
"""Keys are below this: small enough to be multiplied by the number of parts that known columns split a group into."""

Summaries: TypeAlias = tuple[Summary, ...] | None
"""One for each measure; `None` where there are no groups."""

SummaryLevels: TypeAlias = tuple[tuple[Summaries, ...], ...]
"""Summaries of the parts, of pairs of them, and so on to the top."""


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """The judgements of a release by a policy, criterion by criterion."""

    judgements: tuple[Judgement, ...]

    @property
    def safe(self) -> bool:
        """Whether the release is within the policy: safe against the attackers of its measures, and no others."""
        return all(judgement.holds for judgement in self.judgements)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, in the order of the policy's criteria."""
        return tuple(judgement.finding for judgement in self.judgements)

    @property
    def broken(self) -> tuple[Judgement, ...]:
        """The criteria that do not hold."""
        return tuple(judgement for judgement in self.judgements if not judgement.holds)

    def plot(self) -> alt.TopLevelMixin:
        """Draw each limit with its finding: an Altair chart, which needs the extra `plot`."""
        from sidelight.report.charts.limits import verdict_chart  # noqa: PLC0415 - it stands below

        return verdict_chart(self)

    def __bool__(self) -> bool:
        raise NotTrueOrFalse("a verdict is not true or false by itself; ask verdict.safe")

    def __str__(self) -> str:
        if self.safe:
            return "within policy"
        return "not within policy: " + "; ".join(str(judgement.criterion) for judgement in self.broken)

    def __repr__(self) -> str:
        return f"<Verdict: {self}>"

    def _repr_html_(self) -> str:
        title = "Within policy" if self.safe else "Not within policy"
        return judgements_table(title, self.judgements)


@dataclass(frozen=True, init=False, repr=False)
class Policy:
    """The bounds that a release must keep.

    All of the criteria must hold.  A measure that several criteria share is measured once.

    >>> from sidelight.measures.classics import GroupSize
    >>> from sidelight.measures.classics import EntropyDiversity
    >>> from sidelight.release.release import Release
    >>> policy = Policy(GroupSize() >= 5, EntropyDiversity() >= 1.5)
    >>> verdict = policy.judge(Release.from_counts([{"Flu": 5}, {"Flu": 3, "Cold": 3}]))
    >>> verdict.safe, [judgement.holds for judgement in verdict.judgements]
    (False, [True, False])
    >>> print(verdict)
    not within policy: entropy diversity ≥ 1.5
    """

    criteria: tuple[Criterion, ...]

    def __init__(self, *criteria: Criterion) -> None:
        if not criteria:
            raise BadPolicy("a policy needs at least one criterion, such as GroupSize() >= 5")
        for thing in cast("tuple[object, ...]", criteria):
            if isinstance(thing, Criterion):
                continue
            kind = type(thing).__name__
            remedy = "; a policy that stands in a file is read with sl.read_policy(file)"
            if isinstance(thing, Measure):
                comparison = "< 0.5" if thing.large_is_bad else ">= 5"
                remedy = f"; compare it with a number, such as {kind}(...) {comparison}"
            elif isinstance(thing, Policy):
                remedy = "; give what it is made of: Policy(*policy.criteria, ...)"
            elif not isinstance(thing, str):
                remedy = ""
            raise BadPolicy(f"a policy is made of criteria such as GroupSize() >= 5, and got a {kind}{remedy}")
        object.__setattr__(self, "criteria", criteria)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The different measures, in the order of their first mention."""
        return drop_repeats(criterion.measure for criterion in self.criteria)

    @property
    def registers(self) -> tuple[Population, ...]:
        """The different populations that measures compare a release with."""
        populations = (measure.register for measure in self.measures)
        return tuple(dict.fromkeys(each for each in populations if each is not None))

    def judge(self, release: ReleaseBlocks) -> Verdict:
        """Measure a release, held or streamed, and decide each criterion."""
        release = expect_release(release, "what is judged")
        policy = self.about_each(release.sensitive_columns, release.domain)
        return policy.decide(findings(policy.measures, release))

    def about_each(self, columns: Sequence[str], domain: tuple[Label, ...] = ()) -> Policy:
        """Return the policy with each limit repeated for each sensitive column, unless it names one.

        The `domain` has the values of each column, for the limits that leave some out.  A limit on the values that
        others do not name (a skyline's default) may turn out to be on none.

        >>> from sidelight.measures.classics import GroupSize
        >>> from sidelight.measures.classics import DistinctValues
        >>> print(Policy(GroupSize() >= 5, DistinctValues() >= 2).about_each(["disease", "income"]))
        group size ≥ 5; distinct values(of=disease) ≥ 2; distinct values(of=income) ≥ 2
        """
        pairs = [
            (criterion, measure)
            for criterion in self.criteria
            for measure in ask_each_column(criterion.measure, columns, domain)
        ]
        # one call for all limits: which values a default leaves out depends on those that the others name
        measures = _mark_defaults([measure for _, measure in pairs])
        return Policy(*(replace(criterion, measure=each) for (criterion, _), each in zip(pairs, measures, strict=True)))

    def decide(self, findings: tuple[Finding, ...]) -> Verdict:
        """Decide on findings, one for each of `measures`."""
        measures = self.measures
        return Verdict(tuple(each.decide(findings[measures.index(each.measure)]) for each in self.criteria))

    def to_toml(self) -> str:
        """Write the policy as a policy file that `read_policy` reads back.

        >>> from sidelight.measures.classics import GroupSize
        >>> print(Policy(GroupSize() >= 5).to_toml())
        [[limit]]
        measure = "group size"
        at_least = 5
        <BLANKLINE>
        """
        return policy_text(self)

    def __str__(self) -> str:
        return "; ".join(str(criterion) for criterion in self.criteria)

    def __repr__(self) -> str:
        return f"<Policy: {self}>"

    def _repr_html_(self) -> str:
        rows = [(each.measure, each.bound_text) for each in self.criteria]
        return html_table("Policy", ["measure", "wanted"], rows, total=len(rows))


def drop_repeats(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Keep the first of equal measures; by comparing, as a measure may hold what cannot be hashed."""
    kept: list[Measure] = []
    for measure in measures:
        if measure not in kept:
            kept.append(measure)
    return tuple(kept)


def _mark_defaults(measures: Sequence[Measure]) -> list[Measure]:
    """Mark measures that leave out a value which another of their kind is about: they are about the rest.

    >>> from sidelight import Implications
    >>> few = Release.from_counts([{"Flu": 1, "Ulcer": 2}])
    >>> flu, default = Implications(1, value="Flu"), Implications(0, apart_from=["Flu", "Ulcer"])
    >>> _mark_defaults([flu, default])[1].measure(few).notes[-1]
    'every value has a limit of its own or is left out, so this limit applies to no value'
    """
    parts = [(measure, *unwrap(measure)) for measure in measures]
    values_alone = {
        (type(question), of, known, value)
        for _, question, of, known in parts
        if isinstance(question, Targeted)
        for value in question.single_value
    }
    marked = []
    for measure, question, of, known in parts:
        question_or_rest = measure
        if isinstance(question, Targeted) and any(
            (type(question), of, known, value) in values_alone for value in question.apart_from
        ):
            rest = question.ask_the_rest()
            question_or_rest = replace(measure, question=rest) if isinstance(measure, About) else rest
        marked.append(question_or_rest)
    return marked


def policy_text(policy: Policy, roles: Mapping[str, object] | None = None) -> str:
    """Return a policy, and roles of columns if given, as the TOML of a policy file."""
    tables = [tomli_w.dumps({"roles": toml_value(roles)})] if roles else []
    for criterion in policy.criteria:
        # None is a default, and TOML has no way to write it
        settings = {name: value for name, value in criterion.measure.settings().items() if value is not None}
        table = {"measure": criterion.measure.name, **settings, criterion.comparison.value: criterion.bound}
        limit = {name: toml_value(value) for name, value in table.items()}
        # written one by one: short tables of a list would otherwise be in one line each, `limit = [{...}]`
        tables.append("[[limit]]" + tomli_w.dumps({"limit": limit}).removeprefix("[limit]"))
    return "\n".join(tables)


def toml_value(value: object) -> object:
    """Convert a value to what TOML has: fractions become texts, and any sequence a list.

    >>> from fractions import Fraction
    >>> toml_value({"a": (Fraction(3, 4), Fraction(2)), None: True})
    {'a': ['3/4', 2], '(missing)': True}
    """
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {shown(name): toml_value(each) for name, each in value.items()}
    if isinstance(value, Sequence | AbstractSet):
        return [toml_value(each) for each in value]
    if isinstance(value, Rational):  # NumPy's whole numbers too
        return int(value.numerator) if value.denominator == 1 else str(value)
    return shown(value) if value is None else str(value)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Auditor:
    """Judges a release by a policy, again and again as some of its groups change.

    Adding, removing or replacing groups returns a new auditor; `judge` returns what `policy.judge(auditor.release)`
    does, witnesses included, without reading all groups again.  Groups are named by their current numbers.

    >>> import sidelight as sl
    >>> release = sl.Release.from_counts([{"Flu": 3, "Cold": 2}, {"Flu": 4, "Cold": 1}, {"Flu": 2, "Cold": 2}])
    >>> auditor = Auditor(sl.Policy(sl.GroupSize() >= 3, sl.Negations(0) <= 0.75), release)
    >>> print(auditor.judge())
    not within policy: negations(k=0) ≤ 0.75
    >>> merged = auditor.replace([2, 3], sl.Release.from_counts([{"Flu": 6, "Cold": 3}]))
    >>> print(merged.judge(), merged.release)
    within policy <Release of 14 people in 2 groups, value: 2 values (single)>
    """

    policy: Policy
    start: Release  # whose domain, sensitive column and printed columns stay
    parts: tuple[Groups, ...]  # their numbers are keys
    levels: SummaryLevels

    def __init__(self, policy: Policy, release: Release) -> None:
        expect(Policy, policy, "what an auditor judges by")
        expect(Release, release, "what is judged")
        policy = policy.about_each(release.sensitive_columns, release.domain)
        for measure in policy.measures:
            measure.check(release)
        parts = _split_into_parts(release.groups)
        self._set(policy, release, parts, (), range(len(parts)))
        self.__dict__["release"] = release  # as it is, with its people

    def _set(
        self, policy: Policy, start: Release, parts: tuple[Groups, ...], before: SummaryLevels, changed: Iterable[int]
    ) -> None:
        self.__dict__.update(policy=policy, start=start, parts=parts)
        self.__dict__["levels"] = self._summarise_levels(self._list_incremental(compare=False), before, changed)

    def __len__(self) -> int:
        return self._starts[-1]

    def __repr__(self) -> str:
        return f"<Auditor: {counted(len(self), 'group')}, {self.policy}>"

    def add(self, groups: Release) -> Auditor:
        """Return an auditor with the groups of another release after these."""
        return self.replace((), expect(Release, groups, "what is added"))

    def remove(self, which: int | GroupName | Iterable[int | GroupName]) -> Auditor:
        """Return an auditor without some groups; those after them are renumbered."""
        return self.replace(which, None)

    def replace(self, which: int | GroupName | Iterable[int | GroupName], groups: Release | None) -> Auditor:
        """Return an auditor with other groups in place of these: after a split, merger or correction."""
        # it is not known who is in which of the new groups
        by_people = next((measure for measure in self.policy.measures if not measure.mergeable), None)
        if by_people is not None and (self.start.people or self.start.members is not None):
            raise BadRelease(
                f"'{by_people}' looks at who is in which group, and edits do not say that of new ones; "
                "judge the edited release by it, and audit without it"
            )
        indices = self._find_groups(which)
        new = None if groups is None else self._fitting(expect(Release, groups, "what groups are replaced by"))
        if len(indices) == len(self) and new is None:
            raise BadRelease("this leaves no group at all; replace the last ones by others")
        at = int(indices[0]) if len(indices) else len(self)
        part_of = np.searchsorted(self._starts, indices, side="right") - 1
        parts, changed = list(self.parts), {*part_of.tolist()}
        for part in changed:
            gone = indices[part_of == part] - self._starts[part]
            parts[part] = parts[part].take(np.setdiff1d(np.arange(len(parts[part])), gone))
        if new is not None:
            parts, changed = self._insert_groups(parts, changed, at, new)
        # how often each value occurs in the edited release
        totals = self.parts[0].whole.copy()
        for part in dict.fromkeys(part_of.tolist()):
            totals -= self.parts[part].counts.take(indices[part_of == part] - self._starts[part]).totals()
        totals = totals if new is None else totals + new.counts.totals()
        # measures that compare groups with the whole release keep their summaries only while its totals stay the same
        same_totals = bool((totals == self.parts[0].whole).all())
        parts = parts if same_totals else [replace(part, whole=totals) for part in parts]
        edited = object.__new__(Auditor)
        edited._set(self.policy, self.start, tuple(parts), self.levels, changed)
        if same_totals and "compared" in self.__dict__:
            comparing = self._list_incremental(compare=True)
            edited.__dict__["compared"] = edited._summarise_levels(comparing, self.compared, changed)
        return edited

    def judge(self) -> Verdict:
        """Return the verdict of judging the release from scratch."""
        by_measure: dict[int, Finding] = {}
        for compare, levels in ((False, self.levels), (True, self.compared)):
            for measure, summary in zip(self._list_incremental(compare=compare), levels[-1][0] or (), strict=True):
                by_measure[id(measure)] = renumber_keys(summary, self._number_of).finding()
        return self.policy.decide(
            tuple(by_measure.get(id(measure)) or measure.measure(self.release) for measure in self.policy.measures)
        )

    @cached_property
    def release(self) -> Release:
        """The current release; its groups are numbered from 1, and its people are not named."""
        groups = stack_groups(self.parts)
        numbered = replace(groups, numbers=np.arange(1, len(groups) + 1))
        return Release(numbered, sensitive=self.start.sensitive)

    def _number_of(self, key: int) -> int:
        part = bisect_right(self._first_keys, key) - 1
        return self._starts[part] + int(np.searchsorted(self.parts[part].numbers, key)) + 1

    @cached_property
    def compared(self) -> SummaryLevels:
        """The summaries of measures that depend on the whole release, computed when first needed."""
        return self._summarise_levels(self._list_incremental(compare=True), (), range(len(self.parts)))

    def _list_incremental(self, *, compare: bool) -> list[Measure]:
        """Return the measures whose merged summaries give the finding, and that compare with the whole, or not."""
        # people of a population are looked up among all groups, whose prints may overlap; with known columns, parts of
        # groups have other numbers
        return [
            each
            for each in self.policy.measures
            if each.mergeable and each.register is None and each.depends_on_whole == compare
            if not (isinstance(each, About) and each.known)
        ]

    def _summarise_levels(
        self, measures: Sequence[Measure], before: SummaryLevels, changed: Iterable[int]
    ) -> SummaryLevels:
        """Summarise the parts that changed, and merge again the summaries above them.

        New and moved parts are among `changed`, and if the number of parts changes, so is the last one: all summaries
        that merge otherwise than before are above one of them.
        """
        dirty = {*changed}
        bottom = _resize_level(before, 0, len(self.parts))
        for index in dirty:
            part = self.parts[index]
            bottom[index] = tuple(measure.summarize(part) for measure in measures) if len(part) else None
        levels = [tuple(bottom)]
        while len(levels[-1]) > 1:
            below = levels[-1]
            # two neighbours below make one here, so that each level has half as many dirty summaries
            level = _resize_level(before, len(levels), (len(below) + 1) // 2)
            dirty = {index // 2 for index in dirty}
            for index in dirty:
                one, other = (*below[2 * index : 2 * index + 2], None)[:2]
                if one is None or other is None:
                    level[index] = one or other
                else:
                    level[index] = merge_each(one, other)
            levels.append(tuple(level))
        return tuple(levels)

    @cached_property
    def _starts(self) -> list[int]:
        """The number of groups before each part, and of all."""
        return [0, *accumulate(len(part) for part in self.parts)]

    @cached_property
    def _first_keys(self) -> list[int]:
        """The first key of each part; that of the part after it for an empty one."""
        keys = [MOST_KEYS]
        for part in reversed(self.parts):
            keys.append(int(part.numbers[0]) if len(part) else keys[-1])
        return keys[:0:-1]

    def _find_groups(self, which: int | GroupName | Iterable[int | GroupName]) -> Integers:
        """Return the sorted indices of some groups, from 0."""
        several = tuple(which) if isinstance(which, Iterable) else (which,)
        numbers = [*map(group_number, several)]
        for number, each in zip(numbers, several, strict=True):
            if not 1 <= number <= len(self):
                raise BadRelease(f"no group {as_given(number)} in the release; they are numbered 1 to {len(self)}")
            part = bisect_right(self._starts, number - 1) - 1
            printed = self.parts[part].name(number - 1 - self._starts[part]).printed
            if isinstance(each, GroupName) and each.printed not in ((), printed):
                raise BadRelease(
                    f"group {number} prints something else now; edits number groups anew, so take its new name"
                )
        if len({*numbers}) < len(numbers):
            raise BadRelease("a group is named twice; name each one once")
        return np.sort(np.array(numbers, np.int64)) - 1

    def _insert_groups(
        self, parts: list[Groups], changed: set[int], at: int, new: Groups
    ) -> tuple[list[Groups], set[int]]:
        """Insert groups before index `at`; also return the parts that this changes, all of them where keys run out."""
        # the part of `at` before groups were taken out, none of which were before it
        part = min(bisect_right(self._starts, at) - 1, len(parts) - 1)
        row = at - self._starts[part]
        upper, lower = parts[part].take(slice(row)), parts[part].take(slice(row, None))
        keys = self._free_keys(parts, part, upper, lower, len(new))
        if keys is None:
            every = stack_groups([*parts[:part], upper, new, lower, *parts[part + 1 :]])
            fresh = list(_split_into_parts(every))
            return fresh, {*range(len(fresh))}
        filled = stack_groups([upper, replace(new, numbers=keys), lower])
        # a part may grow to twice its size: splitting moves all parts behind it, which are summarised anew
        if len(filled) <= 2 * PART_SIZE:
            return [*parts[:part], filled, *parts[part + 1 :]], changed | {part}
        pieces = [filled.take(slice(start, start + PART_SIZE)) for start in range(0, len(filled), PART_SIZE)]
        parts = [*parts[:part], *pieces, *parts[part + 1 :]]
        return parts, changed | {*range(part, len(parts))}

    def _free_keys(
        self, parts: Sequence[Groups], part: int, upper: Groups, lower: Groups, number: int
    ) -> Integers | None:
        """Return `number` keys between those above and below, evenly spread; None where there is no room."""
        above = [*parts[:part], upper]
        low = next((int(each.numbers[-1]) for each in reversed(above) if len(each)), 0)
        below = [lower, *parts[part + 1 :]]
        high = next((int(each.numbers[0]) for each in below if len(each)), None)
        # after the last group nothing limits the gap, and the usual spacing leaves room for more
        step = _spacing(len(self)) if high is None else (high - low) // (number + 1)
        keys: Integers = low + step * np.arange(1, number + 1)
        return keys if step >= 1 and int(keys[-1]) < MOST_KEYS else None

    def _fitting(self, release: Release) -> Groups:
        """Return groups of another release coded by this one's domain; raise `BadRelease` if they do not fit."""
        own, groups = self.start.groups, release.groups
        if groups.semantics != own.semantics:
            raise BadRelease(
                f"these groups have {parameter('values', groups.semantics)}, and the release '{own.semantics}'"
            )
        names, other = ([column.name for column in each.columns] for each in (own, groups))
        if names != other:
            raise BadRelease(
                f"the release prints {listed(names) or 'nothing'}, and these groups {listed(other) or 'nothing'}"
            )
        code = {text: index for index, text in enumerate(own.domain)}
        row, value, count = groups.counts.entries()
        unknown = {groups.domain[index] for index in np.unique(value).tolist()} - {*code}
        if unknown:
            raise BadRelease(
                f"{counted(len(unknown), 'value')} of these groups cannot occur in the release that the auditor began "
                f"with; begin with one whose {parameter('domain')} has all"
            )
        codes = np.array([code.get(text, 0) for text in groups.domain], np.int64)
        counts = Counts.from_entries(row, codes[value], count, (len(groups), len(own.domain)))
        fitting = replace(groups, domain=own.domain, counts=counts, whole=counts.totals())
        for measure in self.policy.measures:
            measure.check(Release(fitting, sensitive=self.start.sensitive))
        return fitting  # `whole` is that of the parts that they are stacked below


def _spacing(groups: int) -> int:
    """Return the first distance of keys, which fill the lower half: the upper one is for groups that are added."""
    return MOST_KEYS // 2 // (groups + 1)


def _split_into_parts(groups: Groups) -> tuple[Groups, ...]:
    keyed = replace(groups, numbers=_spacing(len(groups)) * np.arange(1, len(groups) + 1))
    return tuple(keyed.take(slice(start, start + PART_SIZE)) for start in range(0, len(groups), PART_SIZE))


def _resize_level(levels: SummaryLevels, height: int, length: int) -> list[Summaries]:
    """Return a level of this length: its summaries, cut off or filled up by None."""
    kept = levels[height][:length] if height < len(levels) else ()
    return [*kept, *[None] * (length - len(kept))]


def renumber_keys(summary: Any, number_of: Callable[[int], int]) -> Any:  # noqa: ANN401 - summaries are of any class
    """Return a summary with the keys of all groups in it replaced by numbers."""
    if isinstance(summary, GroupName):
        return GroupName(number_of(summary.number), summary.printed)
    if isinstance(summary, Groups):
        return replace(summary, numbers=np.array([number_of(key) for key in summary.numbers.tolist()], np.int64))
    if isinstance(summary, tuple) and type(summary) is tuple:
        return tuple(renumber_keys(each, number_of) for each in summary)
    if isinstance(summary, dict):
        return {key: renumber_keys(each, number_of) for key, each in summary.items()}
    if is_dataclass(summary) and not isinstance(summary, type | Measure):
        values = {each.name: getattr(summary, each.name) for each in fields(summary) if each.init}
        changed = {name: renumber_keys(value, number_of) for name, value in values.items()}
        same = all(changed[name] is value for name, value in values.items())
        return summary if same else replace(summary, **changed)
    return summary
