"""Groups of a release: how many people each has, and how often each value occurs among them.

`Groups` are arrays, all groups at once, which is what measures and searches compute with; a `Group` is one of them as a
person reads it.  A group (equivalence class) is the people who print the same.

A release as a stream of blocks of whole groups: what a held one and a streamed one have in common.

    release ─▶ block, block, … ─▶ summarise each where it is ─▶ merge in any order

A `Release` holds its groups: one block, or, where spreading its counts out takes much room, a few that threads share.
A `StreamedRelease` reads its blocks again each time.  Summaries of blocks are the same for either; a caller that needs
all groups at once uses `held`.

*Invariant.*  Blocks follow each other in the order of the groups, whose numbers count from 1 over all of them.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from numbers import Integral
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Integers, add_up, number_keys
from sidelight.errors import BadRelease, NoRoom, UnknownValue, WrongKind, did_you_mean, expect_several, kind_in_words
from sidelight.table.labels import (
    SUPPRESSED,
    Column,
    JointDomain,
    Label,
    Semantics,
    label,
    number_equal_rows,
    show_in_list,
    shown,
    stack_columns,
)
from sidelight.table.table import CELLS_AT_ONCE, MOST_PEOPLE, Counts, Table
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    from sidelight.streams.key_stream import KeyBlock, KeyStream, Summed
    from sidelight.streams.memory import Memory


@dataclass(frozen=True, slots=True)
class GroupName:
    """The name of a group: its number in the release (from 1) and what is printed about it.

    >>> print(GroupName(17, (("age", "20-29"), ("sex", None))))
    group 17 (age 20-29, sex (missing))
    """

    number: int
    printed: tuple[tuple[str, Label], ...] = ()  # column, what is printed there

    def __str__(self) -> str:
        cells = ", ".join(f"{column} {show_in_list(text)}" for column, text in self.printed)
        return f"group {self.number}" + (f" ({cells})" if cells else "")

    @property
    def error_name(self) -> str:
        """The name for error messages: a group may be one person, whose cells no error may combine.

        >>> print(GroupName(17, (("age", "20-29"),)).error_name)
        group 17 (age 20-29)
        >>> print(GroupName(17, (("age", "20-29"), ("sex", None))).error_name)
        group 17 of those alike in age, sex
        """
        if len(self.printed) < 2:
            return str(self)
        return f"group {self.number} of those alike in {', '.join(column for column, _ in self.printed)}"


def group_number(which: object) -> int:
    """Return the number (from 1) of a group, given by name or number."""
    number = which.number if isinstance(which, GroupName) else which
    if isinstance(number, Integral):
        return int(number)
    raise WrongKind(f"a group has a name or a number (from 1), not {kind_in_words(number)}; give one of these")


@dataclass(frozen=True, slots=True)
class Group:
    """One group as a person reads it: its name, how many people it has, and how often each value occurs among them.

    `counts` has the values that occur, the most frequent first.

    >>> Group(GroupName(1, (("age", "20-29"),)), 3, {"Flu": 2, "Cold": 1})
    <group 1 (age 20-29): 3 people, Flu 2, Cold 1>
    """

    name: GroupName
    size: int
    counts: Mapping[Label, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))

    def __repr__(self) -> str:
        return f"<{self.name}: {counted(self.size, 'person')}, {self.values_in_words()}>"

    def _repr_html_(self) -> str:
        rows = [(shown(text), count) for text, count in self.counts.items()]
        title = f"{self.name}: {counted(self.size, 'person')}"
        return html_table(title, ["value", "count"], rows, total=len(rows))

    def values_in_words(self, most: int = 5) -> str:
        """List the most frequent values and how often each occurs."""
        listed = [f"{show_in_list(text)} {count:,}" for text, count in self.counts.items()]
        return ", ".join([*listed[:most], *(["…"] if len(listed) > most else [])])


@dataclass(frozen=True, eq=False, slots=True)
class PopulationCounts:
    """The number of people of a population with the cells of each group, F_g.

    `nowhere` are the people of the population whose cells no group of the *whole* release has.
    """

    population: object  # which one: see `release.population`
    people: Integers
    nowhere: int

    def take(self, rows: npt.NDArray[np.integer] | slice) -> PopulationCounts:
        """Keep those of some groups, which stay groups of the same release."""
        return replace(self, people=self.people[rows])

    def keep_only(self, rows: npt.NDArray[np.integer]) -> PopulationCounts:
        """Keep some groups as a whole release: people of the others are then in none."""
        people = self.people[rows]
        return replace(self, people=people, nowhere=self.nowhere + int(self.people.sum() - people.sum()))

    def append_rest(self, kept: npt.NDArray[np.integer]) -> PopulationCounts:
        """Keep some groups, and append one that holds everybody else: suppressed people."""
        # invariant: people in groups and people nowhere add up to the population
        rest = self.nowhere + int(self.people.sum() - self.people[kept].sum())
        return replace(self, people=np.append(self.people[kept], rest), nowhere=0)


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """Some groups of a release (all of them, or a part that is at hand).

    Paper symbols: `sizes[g]` = n_g, `counts.row(g)[x]` = n_g(x), `whole[x]` = Σ_g n_g(x) over the *whole*
    release, so that a part of it still knows what it is compared with; `numbers` are the groups' numbers in
    the release, from 1; `populations` how many people of other tables have the cells of each group, where measures
    ask for that.
    """

    domain: tuple[Label, ...]
    sizes: Integers
    counts: Counts
    columns: tuple[Column, ...]
    semantics: Semantics
    whole: Integers
    numbers: Integers
    populations: tuple[PopulationCounts, ...] = ()
    weights: Integers | None = None  # Σ of each group's sampling weights (see `table.carried`), where there are some

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        people = counted(int(self.sizes.sum()), "person")
        return f"<Groups: {len(self):,} of {people}, {counted(len(self.domain), 'value')} ({self.semantics})>"

    def _repr_html_(self) -> str:
        return self.to_html(counted(len(self), "group"))

    def to_html(self, title: str) -> str:
        """Draw the first groups as a table: what is printed about each, its people and its most frequent values."""
        names = [column.name for column in self.columns]
        rows = (
            (group.name.number, *(shown(text) for _, text in group.name.printed), group.size, group.values_in_words())
            for group in map(self.group, range(len(self)))
        )
        return html_table(title, ["group", *names, "people", "values"], rows, total=len(self))

    def group(self, row: int) -> Group:
        """Read the group in one row of these arrays."""
        most_frequent_first = sorted(self.value_counts(row).items(), key=lambda entry: -entry[1])
        return Group(self.name(row), int(self.sizes[row]), dict(most_frequent_first))

    def value_counts(self, row: int) -> dict[Label, int]:
        """Count the values that occur in the group in one row, in the order of the domain.

        >>> from sidelight.release.release import Release
        >>> Release.from_counts([{"Flu": 1, "Cold": 0, "Asthma": 2}]).groups.value_counts(0)
        {'Asthma': 2, 'Flu': 1}
        """
        counts = self.counts.row(row)
        occurring = np.flatnonzero(counts)
        return {self.domain[code]: int(counts[code]) for code in occurring.tolist()}

    def list_entries(self) -> tuple[Integers, Integers, Integers]:
        """Return (row, value, count) of all values that occur; a group without values has one line, of count 0.

        The value of such a line is the code after the domain, which stands for a missing one.

        >>> from sidelight.release.release import Release
        >>> groups = Release.from_counts([{"Flu": 1}, {}], sizes=[2, 3], values="set").groups
        >>> [part.tolist() for part in groups.list_entries()]
        [[0, 1], [0, 1], [1, 0]]
        """
        row, value, count = self.counts.entries()
        valueless = np.flatnonzero(self.counts.per_row() == 0)
        return (
            np.concatenate((row, valueless)),
            np.concatenate((value, np.full(len(valueless), len(self.domain)))),
            np.concatenate((count, np.zeros(len(valueless), np.int64))),
        )

    def take(self, rows: npt.NDArray[np.integer] | slice) -> Groups:
        """Keep some groups; they stay groups of the same release."""
        return Groups(
            self.domain,
            self.sizes[rows],
            self.counts.take(rows),
            tuple(column.take(rows) for column in self.columns),
            self.semantics,
            self.whole,
            self.numbers[rows],
            tuple(each.take(rows) for each in self.populations),
            None if self.weights is None else self.weights[rows],
        )

    def population(self, which: object) -> PopulationCounts | None:
        """Return the counts of a population, if they are at hand."""
        return next((each for each in self.populations if each.population == which), None)

    def only(self, values: npt.NDArray[np.integer]) -> Groups:
        """Keep some values alone, by their indices in the domain; the sizes stay."""
        domain = tuple(self.domain[index] for index in values.tolist())
        return replace(self, domain=domain, counts=self.counts.only_values(values), whole=self.whole[values])

    def recode(self, values: Column) -> Groups:
        """Recode the values to other labels: `values` has a row per value of the domain, and says what it counts as.

        One sensitive column of several, a category of each value, a coarser level of a hierarchy: all are such columns.
        Values that share a label are added up, which counts people only where each has one value.

        >>> from sidelight.release.release import Release
        >>> groups = Release.from_counts([{"Bronchitis": 1, "Flu": 2, "Ulcer": 4}]).groups
        >>> groups.recode(Column.of("organ", ["lung", "lung", "stomach"])).value_counts(0)
        {'lung': 3, 'stomach': 4}
        """
        width = len(values.labels)
        counts = self.counts.merge_values(values.codes, width=width)
        return replace(self, domain=values.labels, counts=counts, whole=add_up(values.codes, self.whole, width))

    def about(self, column: str | None, known: Sequence[str] = ()) -> Groups:
        """Return the groups of one of several sensitive columns for an attacker who knows others about each person.

        Each group falls into parts, one for each combination of the `known` cells that its people have, as if these
        were printed.  The part of group n with combination k (of K) is numbered n · K + k.
        """
        if not isinstance(self.domain, JointDomain):
            return self
        parts = self.split_by(known)[0] if known else self
        return parts if column is None else parts.recode(self.domain.column(column))

    def split_by(self, known: Sequence[str]) -> tuple[Groups, Integers]:
        """Split each group by its people's cells in some sensitive columns; also return each part's group."""
        domain = self.domain
        assert isinstance(domain, JointDomain)
        combination, first = domain.combinations(known)
        row, value, count = self.counts.entries()
        # a part is (group, what the known columns say): `combination` is below len(first), so keys are unique
        key = row * len(first) + combination[value]
        part, at = number_keys(key, below=len(self) * len(first))
        group, says = row[at], first[combination[value[at]]]
        counts = Counts.from_entries(part, value, count, (len(at), len(domain)))
        printed = (
            *(column.take(group) for column in self.columns),
            *(domain.column(name).take(says) for name in known),
        )
        numbers = self.numbers[group] * len(first) + combination[says]
        parts = replace(self, sizes=counts.per_row(), counts=counts, columns=printed, numbers=numbers)
        # what a population's people say in these columns is unknown, and so is whose weights are whose
        return replace(parts, populations=(), weights=None), group

    def first_of_each_kind(self) -> Groups:
        """Keep the first of groups that have the same people and counts, and perhaps a few more.

        Weights and people of populations are not compared.

        >>> from sidelight.release.release import Release
        >>> Release.from_counts([{"Flu": 1}, {"Flu": 2}, {"Flu": 1}]).groups.first_of_each_kind().numbers.tolist()
        [1, 2]
        """
        rows = first_of_each_kind(self.sizes, self.counts, self.semantics)
        return self if len(rows) == len(self) else self.take(rows)

    def sort_by_number(self) -> Groups:
        """Sort the groups by their numbers, which settles ties.

        >>> from sidelight.release.release import Release
        >>> groups = Release.from_counts([{"Flu": 1}, {"Flu": 2}]).groups
        >>> groups.take(np.array([1, 0])).sort_by_number().numbers.tolist()
        [1, 2]
        """
        if (self.numbers[1:] >= self.numbers[:-1]).all():
            return self
        return self.take(np.argsort(self.numbers, kind="stable"))

    def blocks(self) -> Iterator[Groups]:
        """Cut into parts small enough for `counts.dense()`."""
        if self.counts.rows * self.counts.width <= CELLS_AT_ONCE:
            yield self
            return
        for rows in self.counts.blocks():
            yield self.take(rows)

    def name(self, row: int) -> GroupName:
        """Name the group in one row of these arrays."""
        return GroupName(int(self.numbers[row]), tuple((column.name, column.cell(row)) for column in self.columns))

    def code_of(self, value: object) -> int:
        """Find a sensitive value's code: its position in the domain."""
        text = label(value)
        try:
            return self.domain.index(text)
        except ValueError:
            raise UnknownValue(
                f"no sensitive value '{shown(text)}' in the release{did_you_mean(shown(text), self.domain)}"
            ) from None


def first_of_each_kind(sizes: Integers, counts: Counts, semantics: Semantics) -> Integers:
    """Find groups among which every group has an equal one, in people and counts, no later than itself."""
    if semantics == "single":  # counts add up to the people
        return counts.first_of_each_kind()
    row, value, count = counts.entries()
    rows = np.concatenate((row, np.arange(len(sizes))))
    order = np.argsort(rows, kind="stable")
    # where people have several values, equal counts do not mean equal sizes: the size is compared as well
    values = np.concatenate((value, np.full(len(sizes), counts.width)))[order]  # the people, as one more value
    amounts = np.concatenate((count, sizes))[order]
    return Counts.from_sorted(rows[order], values, amounts, (len(sizes), counts.width + 1)).first_of_each_kind()


def whole_groups(
    *,
    domain: tuple[Label, ...],
    sizes: npt.ArrayLike,
    counts: Counts,
    columns: tuple[Column, ...] = (),
    semantics: Semantics = "single",
    weights: Integers | None = None,
) -> Groups:
    """Build all groups of a release: their own counts are the whole."""
    people = np.asarray(sizes, np.int64)
    people.flags.writeable = False
    whole, numbers = counts.totals(), np.arange(1, len(people) + 1)
    return Groups(domain, people, counts, columns, semantics, whole, numbers, weights=weights)


def keys_as_groups(table: Table) -> Groups:
    """Return a group for each key of a table."""
    return whole_groups(
        domain=table.domain,
        sizes=table.sizes,
        counts=table.counts,
        columns=table.quasi,
        semantics=table.semantics,
        weights=table.weights,
    )


def roll_up(groups: Groups, columns: tuple[Column, ...]) -> Groups:
    """Merge groups with equal cells in `columns`, which have a row per old group.

    Nobody is in two groups, so sizes add up as counts do, in every semantics.
    """
    # `whole` stays: totals do not depend on how people are grouped
    number, first = number_equal_rows(columns, len(groups))
    return replace(
        groups,
        sizes=add_up(number, groups.sizes, len(first)),
        counts=groups.counts.roll_up(number, groups=len(first)),
        columns=tuple(column.take(first) for column in columns),
        numbers=np.arange(1, len(first) + 1),
        weights=None if groups.weights is None else add_up(number, groups.weights, len(first)),
        populations=(),  # keys that only a population has may have joined: callers count them again
    )


def stack_groups(parts: Sequence[Groups]) -> Groups:
    """Concatenate groups of the same values and columns; at least one part, whose whole is theirs.

    >>> from sidelight.release.release import Release
    >>> groups = Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"age": "1"}, {"age": "2"}]).groups
    >>> stack_groups([groups.take(slice(1, 2)), groups]).sizes.tolist()
    [2, 1, 2]
    """
    entries, weights = (
        [part.counts.entries() for part in parts],
        [each.weights for each in parts if each.weights is not None],
    )
    before = np.cumsum([0, *(len(part) for part in parts)])
    # rows of each part are moved behind those of the parts before it
    rows = np.concatenate([row + start for (row, _, _), start in zip(entries, before[:-1], strict=True)])
    values, counts = (np.concatenate([each[index] for each in entries]) for index in (1, 2))
    return replace(
        parts[0],
        sizes=np.concatenate([part.sizes for part in parts]),
        # entries of each part are sorted by row already
        counts=Counts.from_sorted(rows, values, counts, (int(before[-1]), len(parts[0].domain))),
        columns=tuple(stack_columns(each) for each in zip(*(part.columns for part in parts), strict=True)),
        numbers=np.concatenate([part.numbers for part in parts]),
        populations=(),  # parts of different releases may have met different people
        weights=np.concatenate(weights) if len(weights) == len(parts) else None,
    )


def suppressed_groups(groups: Groups) -> Flags:
    """Return which groups are suppressed rows: those that print `*` throughout, beside others that print more.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 1}, {"Cold": 2}], labels=[{"age": "30-39"}, {"age": "*"}])
    >>> suppressed_groups(release.groups).tolist()
    [False, True]
    """
    suppressed = starred_groups(groups)
    # where every group prints `*`, that is how the release is made, and no group is a suppressed one
    return np.zeros(len(groups), bool) if suppressed.all() else suppressed


def starred_groups(groups: Groups) -> Flags:
    """Return which groups print `*` in every column."""
    starred = [column.matches(SUPPRESSED) for column in groups.columns]
    says: Flags = np.logical_and.reduce(starred) if starred else np.zeros(len(groups), bool)
    return says


@dataclass(frozen=True, eq=False)
class GroupBlock:
    """Consecutive groups of a release; what they print is unpacked only for those that are taken."""

    first: int  # the number of the first group
    sizes: Integers
    counts: Counts
    domain: tuple[Label, ...]
    semantics: Semantics
    take: Callable[[Integers | slice], Groups]  # the groups in some rows
    spread: bool = False  # whether counts are spread out for summaries
    repeats: bool = True  # whether it pays to look for equal groups

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def groups(self) -> Groups:
        """All of the groups, as they are."""
        return self.take(slice(None))

    @cached_property
    def all(self) -> Groups:
        """All of the groups, to be summarised."""
        return self._spread_out(self.groups)

    @cached_property
    def kinds(self) -> Groups:
        """The first of groups with equal people and counts, and perhaps a few more: enough to find the worst."""
        if not self.repeats:
            return self.all
        return self._spread_out(self.take(first_of_each_kind(self.sizes, self.counts, self.semantics)))

    def _spread_out(self, groups: Groups) -> Groups:
        return replace(groups, counts=groups.counts.spread_out()) if self.spread else groups

    def count_parts(self, known: Sequence[str]) -> int:
        """Count the parts into which the groups fall for an attacker who knows some sensitive columns."""
        if not isinstance(self.domain, JointDomain):
            return len(self)
        combination, first = self.domain.combinations(known)
        row, value, _ = self.counts.entries()
        # one number per (group, combination known): with combinations below len(first), no two pairs share one
        return len(np.unique(row * len(first) + combination[value]))

    def view(self, column: str | None, known: Sequence[str], before: int) -> Groups:
        """Return `about` with parts numbered after the `before` parts of the groups before these."""
        parts = self.groups.about(column, known)
        return replace(parts, numbers=np.arange(before + 1, before + len(parts) + 1))


def key_block(block: KeyBlock, semantics: Semantics, populations: tuple[PopulationCounts, ...] = ()) -> GroupBlock:
    """Return keys as groups; `populations` are of all groups of the release."""
    stream = block.stream

    def take(rows: Integers | slice) -> Groups:
        numbers = np.arange(block.first, block.first + len(block))[rows]
        return Groups(
            stream.domain,
            block.sizes[rows],
            block.counts.take(rows),
            block.columns(rows),
            semantics,
            stream.totals,
            numbers,
            # groups are numbered from 1 over the whole release; a population has a count for each of them, from index 0
            tuple(each.take(numbers - 1) for each in populations),
            weights=None if block.weights is None else block.weights[rows],
        )

    return GroupBlock(block.first, block.sizes, block.counts, stream.domain, semantics, take)


def numbers_of(groups: int, values: int, columns: int) -> int:
    """Return how many numbers held groups take: size, number and codes of each, index and count of each value."""
    return groups * (2 + columns) + 2 * values


def held_groups(stream: KeyStream, fits: Callable[[int, int], bool]) -> Groups | None:
    """Return all groups of a stream, held; None as soon as the groups and their values do not fit."""
    parts, groups, values = [], 0, 0
    for block in stream.blocks():
        groups, values = groups + len(block), values + block.counts.positive
        if not fits(groups, values):
            return None
        parts.append(key_block(block, stream.semantics).groups)
    return stack_groups(parts)


def hold_groups(stream: KeyStream, memory: Memory, refuse: Callable[[int, int], NoRoom]) -> Groups:
    """Return all groups of a stream, held, or raise `refuse(groups, numbers)` where they do not fit."""
    columns = len(stream.roles.quasi)
    groups = held_groups(stream, lambda many, values: memory.holds_groups(numbers_of(many, values, columns)))
    # they are counted to the end only now, for the error that says how much memory would do
    if groups is None:
        many, values = stream.count(), stream.reduce(lambda block: block.counts.positive, operator.add)
        raise refuse(many, numbers_of(many, values, columns))
    return replace(groups, columns=tuple(column.compact() for column in groups.columns))


class GroupLookup(ABC):
    """Lookups in a release whose groups come in blocks: a `Release`, or a `StreamedRelease` that is never held."""

    __slots__ = ()

    @abstractmethod
    def __len__(self) -> int:
        """Count the groups."""

    @abstractmethod
    def reduce(
        self,
        summarise: Callable[[GroupBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise the groups where they are, block by block, and merge the summaries in order."""

    def parts_before(self, known: Sequence[str]) -> dict[int, int]:
        """Count, by the number of each block's first group, the parts of all groups before it (see `about`)."""

        def count(block: GroupBlock) -> dict[int, int]:
            return {block.first: block.count_parts(known)}

        merge: Callable[[dict[int, int], dict[int, int]], dict[int, int]] = operator.or_
        parts = sorted(self.reduce(count, merge).items())
        # exclusive prefix sums in the order of the groups; the last of them, the total, is cut off by `zip`
        before = accumulate((many for _, many in parts), initial=0)
        return {first: many for (first, _), many in zip(parts, before, strict=False)}

    def sizes_of(self, numbers: Collection[int], known: Sequence[str] = ()) -> dict[int, int]:
        """Return the sizes of some groups by number; with `known` columns, of parts (see `about`) by theirs."""
        known = expect_several(str, known, "the known columns", each="name")
        whole = expect_several(int, numbers, "the numbers of groups", each="number", also=(np.integer,))
        sought = np.array(sorted(max(min(number, MOST_PEOPLE), -MOST_PEOPLE) for number in whole), np.int64)
        before = self.parts_before(known) if known else {}

        def look_up(block: GroupBlock) -> dict[int, int]:
            sizes, first = block.sizes, block.first
            if known:
                sizes, first = block.view(None, known, before[first]).sizes, before[first] + 1
            here = sought[(sought >= first) & (sought < first + len(sizes))]
            return dict(zip(here.tolist(), sizes[here - first].tolist(), strict=True))

        merge: Callable[[dict[int, int], dict[int, int]], dict[int, int]] = operator.or_
        # stops at the first block by which all are found
        size_of = self.reduce(look_up, merge, lambda sizes: len(sizes) == len(sought))
        missing = next((number for number in sought.tolist() if number not in size_of), None)
        if missing is not None:
            raise BadRelease(f"no group {missing} in the release; they are numbered 1 to {len(self)}")
        return size_of
