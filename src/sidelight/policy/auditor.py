"""Is a release still within policy after some of its groups were added, removed or replaced?

Summaries of measures merge, so nothing is summarised again but what changed.  Groups stand in *parts* of a few hundred;
each part has a summary per measure, two parts make one of the level above, and so on to the top, whose summary is that
of the release:

    Edit       the parts that lose or gain groups are summarised again, and what lies above them merged again
    Cost       of an edit: the groups of the parts it touches, and measures × log(parts) merges; not the release

Groups are numbered by their place in the release, which edits change, so summaries hold *keys*: numbers that keep their
order and have gaps between them, in which new groups find a place.  Where a gap is used up, all get new keys.

    Invariant  keys rise from part to part and within each.  The summary at the top, its keys turned into numbers, is
               that of the release from scratch: ties go to the smaller number, and so to the smaller key.

Measures that compare groups with the whole release (`depends_on_whole`) are summarised anew when an edit changes how
often values occur in it; splitting and merging groups does not.  Measures that do not merge look at the release itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.errors import BadRelease, as_given, expect, listed, parameter
from sidelight.measures.about import About
from sidelight.measures.measure import Measure, Summary
from sidelight.policy.policy import Policy, Verdict
from sidelight.release.groups import GroupName, Groups, stack_groups
from sidelight.release.release import Release, group_number
from sidelight.table.table import Counts
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Integers

PART_SIZE = 2048
"""How many groups a part has at first; it may grow to twice as many, and shrink to none.

Summarising so many takes about as long as merging a handful of summaries."""

MOST_KEYS = 1 << 40
"""Keys lie below this: small enough to be multiplied, as the parts of groups are numbered by what somebody knows."""

Summaries: TypeAlias = tuple[Summary, ...] | None
"""One for each measure; `None` where there are no groups."""

SummaryLevels: TypeAlias = tuple[tuple[Summaries, ...], ...]
"""Summaries of the parts, of pairs of them, and so on to the top."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Auditor:
    """Is a release still within policy after some of its groups changed?

    Adding, removing or replacing groups gives a new auditor and leaves this one as it is; `judge` says what
    `policy.judge(auditor.release)` would, witnesses included, without going through all groups again.  Groups are named
    by their numbers in the release as it is now.

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
    start: Release  # without its groups' order: the domain, the sensitive column and what is printed stay
    parts: tuple[Groups, ...]  # their numbers are keys
    levels: SummaryLevels
    compared: SummaryLevels | None  # of measures that depend on the whole release; `None`: to be made

    def __init__(self, policy: Policy, release: Release) -> None:
        expect(Policy, policy, "what an auditor judges by")
        expect(Release, release, "what is judged")
        whole = policy.about_each(release.sensitive_columns, release.domain)
        for measure in whole.measures:
            measure.check(release)
        parts = _split_into_parts(release.groups)
        self._set(whole, release, parts, (), range(len(parts)))
        self.__dict__["release"] = release  # as it is, with whatever tells its people apart

    def _set(
        self, policy: Policy, start: Release, parts: tuple[Groups, ...], before: SummaryLevels, changed: Iterable[int]
    ) -> None:
        for name, value in (("policy", policy), ("start", start), ("parts", parts), ("compared", None)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "levels", self._summarise_levels(self._group_measures, before, changed))

    def __len__(self) -> int:
        return self._starts[-1]

    def __repr__(self) -> str:
        return f"<Auditor: {counted(len(self), 'group')}, {self.policy}>"

    def add(self, groups: Release) -> Auditor:
        """Put the groups of another release behind these."""
        return self.replace((), expect(Release, groups, "what is added"))

    def remove(self, which: int | GroupName | Iterable[int | GroupName]) -> Auditor:
        """Return an auditor without some groups; those behind them are numbered anew."""
        return self.replace(which, None)

    def replace(self, which: int | GroupName | Iterable[int | GroupName], groups: Release | None) -> Auditor:
        """Put other groups where the first of these is, and leave these out: to split, merge or correct them."""
        # edits do not say who is in which of the new groups
        by_people = next((measure for measure in self.policy.measures if not measure.mergeable), None)
        if by_people is not None and (self.start.people or self.start.members is not None):
            message = (
                f"'{by_people}' looks at who is in which group, and edits do not say that of new ones; "
                "judge the edited release by it, and audit without it"
            )
            raise BadRelease(message)
        places = self._places(which)
        new = None if groups is None else self._fitting(expect(Release, groups, "what groups are replaced by"))
        if len(places) == len(self) and new is None:
            message = "this leaves no group at all; replace the last ones by others"
            raise BadRelease(message)
        at = int(places[0]) if len(places) else len(self)
        part_of = np.searchsorted(self._starts, places, side="right") - 1
        parts, changed = list(self.parts), {*part_of.tolist()}
        for part in changed:
            gone = places[part_of == part] - self._starts[part]
            parts[part] = parts[part].take(np.setdiff1d(np.arange(len(parts[part])), gone))
        if new is not None:
            parts, changed = self._insert_groups(parts, changed, at, new)
        # how often each value occurs once some groups are gone and others are there
        whole = self.parts[0].whole.copy()
        for part in dict.fromkeys(part_of.tolist()):
            whole -= self.parts[part].counts.take(places[part_of == part] - self._starts[part]).totals()
        whole = whole if new is None else whole + new.counts.totals()
        # measures that compare groups with the whole keep their summaries only while its totals stay the same
        same_whole = bool((whole == self.parts[0].whole).all())
        parts = parts if same_whole else [replace(part, whole=whole) for part in parts]
        edited = object.__new__(Auditor)
        edited._set(self.policy, self.start, tuple(parts), self.levels, changed)
        if same_whole and self.compared is not None:
            object.__setattr__(
                edited, "compared", edited._summarise_levels(self._comparing_measures, self.compared, changed)
            )
        return edited

    def judge(self) -> Verdict:
        """Decide each criterion of the policy, with the verdict that judging the release from scratch gives."""
        # made when first needed, not at every edit: several edits may change the whole before anyone asks
        if self.compared is None and self._comparing_measures:
            object.__setattr__(
                self, "compared", self._summarise_levels(self._comparing_measures, (), range(len(self.parts)))
            )
        top = [
            *zip(self._group_measures, _top(self.levels), strict=True),
            *zip(self._comparing_measures, _top(self.compared), strict=True),
        ]
        findings = {id(measure): renumber_keys(summary, self._number_of).finding() for measure, summary in top}
        return self.policy.decide(
            tuple(findings.get(id(measure)) or measure.measure(self.release) for measure in self.policy.measures)
        )

    @cached_property
    def release(self) -> Release:
        """The release as it is now; its groups are numbered from 1, and nobody in them is named."""
        groups = stack_groups(self.parts)
        numbered = replace(groups, numbers=np.arange(1, len(groups) + 1))
        return Release(numbered, sensitive=self.start.sensitive)

    def _number_of(self, key: int) -> int:
        part = bisect_right(self._first_keys, key) - 1
        return self._starts[part] + int(np.searchsorted(self.parts[part].numbers, key)) + 1

    @property
    def _group_measures(self) -> list[Measure]:
        """The measures of which no summary depends on other groups."""
        return [each for each in self.policy.measures if _is_incremental(each) and not each.depends_on_whole]

    @property
    def _comparing_measures(self) -> list[Measure]:
        return [each for each in self.policy.measures if _is_incremental(each) and each.depends_on_whole]

    def _summarise_levels(
        self, measures: Sequence[Measure], before: SummaryLevels, changed: Iterable[int]
    ) -> SummaryLevels:
        """Summarise the parts that changed, and merge again whatever lies above them.

        Parts that are new or stand elsewhere are among those that changed, and where there are more parts than before,
        or fewer, so is the last one: whatever was merged otherwise before lies above one of them.
        """
        dirty = {*changed}
        bottom = _resize_level(before, 0, len(self.parts))
        for place in dirty:
            part = self.parts[place]
            bottom[place] = tuple(measure.summarize(part) for measure in measures) if len(part) else None
        levels = [tuple(bottom)]
        while len(levels[-1]) > 1:
            below = levels[-1]
            # two neighbours below make one here, so that each level has half as many dirty places
            level = _resize_level(before, len(levels), (len(below) + 1) // 2)
            dirty = {place // 2 for place in dirty}
            for place in dirty:
                one, other = (*below[2 * place : 2 * place + 2], None)[:2]
                if one is None or other is None:
                    level[place] = one or other
                else:
                    level[place] = tuple(first.merge(second) for first, second in zip(one, other, strict=True))
            levels.append(tuple(level))
        return tuple(levels)

    @cached_property
    def _starts(self) -> list[int]:
        """How many groups come before each part, and how many there are."""
        return [0, *accumulate(len(part) for part in self.parts)]

    @cached_property
    def _first_keys(self) -> list[int]:
        """The first key of each part; of an empty one that of the part after it, which is found first."""
        keys = [MOST_KEYS]
        for part in reversed(self.parts):
            keys.append(int(part.numbers[0]) if len(part) else keys[-1])
        return keys[:0:-1]

    def _places(self, which: int | GroupName | Iterable[int | GroupName]) -> Integers:
        """Return where some groups are, from 0, in order."""
        several = tuple(which) if isinstance(which, Iterable) else (which,)
        numbers = [*map(group_number, several)]
        for number, each in zip(numbers, several, strict=True):
            if not 1 <= number <= len(self):
                message = f"no group {as_given(number)} in the release; they are numbered 1 to {len(self)}"
                raise BadRelease(message)
            part = bisect_right(self._starts, number - 1) - 1
            printed = self.parts[part].name(number - 1 - self._starts[part]).printed
            if isinstance(each, GroupName) and each.printed not in ((), printed):
                message = f"group {number} prints something else now; edits number groups anew, so take its new name"
                raise BadRelease(message)
        if len({*numbers}) < len(numbers):
            message = "a group is named twice; name each one once"
            raise BadRelease(message)
        return np.sort(np.array(numbers, np.int64)) - 1

    def _insert_groups(
        self, parts: list[Groups], changed: set[int], at: int, new: Groups
    ) -> tuple[list[Groups], set[int]]:
        """Insert groups before index `at`; also return the parts that this changes, all of them where keys run out."""
        # the part that held the place before anything was taken out, of which nothing before the place was
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
        """Find so many keys between the groups above and those below, evenly spread."""
        above = [*parts[:part], upper]
        low = next((int(each.numbers[-1]) for each in reversed(above) if len(each)), 0)
        below = [lower, *parts[part + 1 :]]
        high = next((int(each.numbers[0]) for each in below if len(each)), None)
        # behind the last group nothing limits the gap, and the usual one leaves room for more
        step = _spacing(len(self)) if high is None else (high - low) // (number + 1)
        keys: Integers = low + step * np.arange(1, number + 1)
        return keys if step >= 1 and int(keys[-1]) < MOST_KEYS else None

    def _fitting(self, release: Release) -> Groups:
        """Return other groups with values coded by this release's domain; raise `BadRelease` if they do not fit."""
        own, groups = self.start.groups, release.groups
        if groups.semantics != own.semantics:
            message = f"these groups have {parameter('values', groups.semantics)}, and the release '{own.semantics}'"
            raise BadRelease(message)
        names, other = ([column.name for column in each.columns] for each in (own, groups))
        if names != other:
            message = f"the release prints {listed(names) or 'nothing'}, and these groups {listed(other) or 'nothing'}"
            raise BadRelease(message)
        code = {text: place for place, text in enumerate(own.domain)}
        row, value, count = groups.counts.entries()
        unknown = {groups.domain[place] for place in np.unique(value).tolist()} - {*code}
        if unknown:
            message = (
                f"{counted(len(unknown), 'value')} of these groups cannot occur in the release that the auditor began "
                f"with; begin with one whose {parameter('domain')} has all"
            )
            raise BadRelease(message)
        codes = np.array([code.get(text, 0) for text in groups.domain], np.int64)
        counts = Counts.from_entries(row, codes[value], count, (len(groups), len(own.domain)))
        fitting = replace(groups, domain=own.domain, counts=counts, whole=counts.totals())
        for measure in self.policy.measures:
            measure.check(Release(fitting, sensitive=self.start.sensitive))
        return fitting  # their whole is that of the parts that they are stacked below


def _is_incremental(measure: Measure) -> bool:
    """Return whether merged summaries give the finding; with known columns, parts of groups have other numbers."""
    # people of a population are looked up among all groups, as what one prints another may cover, too
    return measure.mergeable and measure.register is None and not (isinstance(measure, About) and measure.known)


def _spacing(groups: int) -> int:
    """Keys fill the lower half at first: the upper one is for groups that are put behind."""
    return MOST_KEYS // 2 // (groups + 1)


def _split_into_parts(groups: Groups) -> tuple[Groups, ...]:
    keyed = replace(groups, numbers=_spacing(len(groups)) * np.arange(1, len(groups) + 1))
    return tuple(keyed.take(slice(start, start + PART_SIZE)) for start in range(0, len(groups), PART_SIZE))


def _resize_level(levels: SummaryLevels, height: int, length: int) -> list[Summaries]:
    """Return a level with so many places: what it had, as far as there is room, and None for the rest."""
    kept = levels[height][:length] if height < len(levels) else ()
    return [*kept, *[None] * (length - len(kept))]


def _top(levels: SummaryLevels | None) -> tuple[Summary, ...]:
    return (levels[-1][0] if levels else None) or ()


def renumber_keys(summary: Any, number_of: Callable[[int], int]) -> Any:  # noqa: ANN401 - summaries are of any class
    """Turn the keys in a summary into numbers, wherever it names a group or holds some."""
    if isinstance(summary, GroupName):
        return GroupName(number_of(summary.number), summary.printed)
    if isinstance(summary, Groups):
        return replace(summary, numbers=np.array([number_of(key) for key in summary.numbers.tolist()], np.int64))
    if isinstance(summary, Measure):
        return summary
    if isinstance(summary, tuple) and type(summary) is tuple:
        return tuple(renumber_keys(each, number_of) for each in summary)
    if is_dataclass(summary) and not isinstance(summary, type):
        values = {each.name: getattr(summary, each.name) for each in fields(summary) if each.init}
        changed = {name: renumber_keys(value, number_of) for name, value in values.items()}
        same = all(changed[name] is value for name, value in values.items())
        return summary if same else replace(summary, **changed)
    return summary
