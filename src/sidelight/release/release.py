"""A release: what the world sees.

People are in disjoint groups; a group prints the same about all of them, and the bag of their sensitive values.  Worlds
that could have led to it are all ways to hand each group's values to its people, which is what measures reason about.

Paper symbols: groups g (buckets b), n_g people, n_g(x) of value x, quasi-identifier values q (`Members`).

The groups of a `StreamedRelease`, of any number, are gone through block by block and never held.  They have the same
numbers, and print the same, as in a `Release`; what a block is compared with, the whole, is known from the start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from functools import reduce as fold
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers, add_up, number_rows
from sidelight.errors import (
    BadRelease,
    WrongKind,
    as_given,
    as_names,
    did_you_mean,
    expect,
    is_one_of,
    kind_in_words,
    parameter,
)
from sidelight.release.groups import (
    Group,
    GroupBlock,
    GroupLookup,
    GroupName,
    Groups,
    PopulationCounts,
    group_number,
    hold_groups,
    key_block,
    whole_groups,
)
from sidelight.streams.memory import Streamed
from sidelight.table.labels import (
    Column,
    Label,
    Semantics,
    Tabular,
    arrow_labels,
    check_sensitive,
    in_order,
    is_listing,
    label,
    number_equal_rows,
    show_in_list,
    shown,
    unused_name,
    value_columns,
    word_values,
)
from sidelight.table.table import MOST_PEOPLE, Counts, Intake, exact_sum, sensitive_names
from sidelight.text import counted, form

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sidelight.release.printed_labels import Printing
    from sidelight.streams.key_stream import KeyBlock, Summed
    from sidelight.table.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False, slots=True)
class Provenance:
    """The making of a release, where that is known: for an attacker who knows the method and the policy."""

    method: object  # a `search.method.Method` or, with its `options`, the name of one
    policy: object  # a `policy.Policy`
    levels: Mapping[str, int] = field(default_factory=dict)
    complete: bool = True  # whether the search came to its end
    by: Mapping[str, Hierarchy] = field(default_factory=dict)  # where they are at hand
    hierarchies: tuple[str, ...] = ()  # the columns that had one
    options: Mapping[str, object] = field(default_factory=dict)
    utility: str | None = None  # by which it was chosen among others, where a search did so


@dataclass(frozen=True, eq=False, slots=True)
class Release(Tabular, GroupLookup):
    """People in disjoint groups; per group how many, and the bag of their sensitive values.

    Made by `read_release`, `group`, `generalise`, `from_counts`, `from_groups` or `from_buckets`; `values` (called
    `semantics` on the release) says whether a person has one value, a set or a multiset of them.  `members`
    distinguishes the people of a group where an attacker can do so; without it, all that is known about them is what
    is printed about their group.
    """

    is_held: ClassVar[bool] = True

    groups: Groups
    sensitive: str = "value"
    people: Mapping[str, int] | None = None  # name → row of the group, where people are named
    intake: Intake = field(default_factory=Intake)
    members: Members | None = None
    printing: Printing | None = None  # how its labels came about, where that is known
    provenance: Provenance | None = None  # how it was made, where that is known

    def __post_init__(self) -> None:
        _check_groups(expect(Groups, self.groups, "the groups"))
        members, sizes = self.members, self.groups.sizes
        if members is not None and not np.array_equal(add_up(members.group, members.people, len(self)), sizes):
            raise BadRelease("the members of the groups do not add up to their sizes; give one line per person")

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[Group]:
        """Yield the groups, each as a person reads it.

        >>> for group in Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 3}]):
        ...     print(group.name, group.size, group.counts["Flu"])
        group 1 3 2
        group 2 3 3
        """
        return map(self.groups.group, range(len(self)))

    def __getitem__(self, which: int | GroupName | Mapping[str, object]) -> Group:
        """Return one group: by its index (from 0), its name, or what is printed about it.

        >>> ward = Release.from_counts([{"Flu": 2}, {"Cold": 3}], labels=[{"age": "20-29"}, {"age": "30-39"}])
        >>> ward[0], ward[{"age": "30-39"}].size
        (<group 1 (age 20-29): 2 people, Flu 2>, 3)
        """
        if isinstance(which, Mapping):
            return self.groups.group(self._row_printing(which))
        if isinstance(which, GroupName):
            return self.group(which).group(0)
        try:
            row = index(which)
        except TypeError:
            raise WrongKind(
                "look at a group by its place (from 0), its name or what is printed about it, as in "
                f"release[{{'sex': 'Male'}}], not by {kind_in_words(which)}"
            ) from None
        if not -len(self) <= row < len(self):
            raise IndexError(
                f"no group at place {row}; the release has {counted(len(self), 'group')}, the first at place 0"
            )
        return self.groups.group(row % len(self))

    def _row_printing(self, cells: Mapping[str, object]) -> int:
        columns = {column.name: column for column in self.groups.columns}
        prints = np.ones(len(self), bool)
        for name, cell in cells.items():
            if name not in columns:
                raise BadRelease(f"no column '{name}' is printed about the groups{did_you_mean(name, columns)}")
            prints &= columns[name].matches(label(cell))
        rows = np.flatnonzero(prints)
        if len(rows) != 1:
            printed = ", ".join(f"{name} {show_in_list(label(cell))}" for name, cell in cells.items())
            raise BadRelease(f"{counted(len(rows), 'group')} print {printed}; name one by all that is printed about it")
        return int(rows[0])

    def __repr__(self) -> str:
        return f"<{_describe_release(self)}>"

    def plot(self) -> alt.TopLevelMixin:
        """Draw how many people are in groups of which size: an Altair chart, which needs the extra `plot`."""
        from sidelight.report.charts.groups import sizes_chart  # noqa: PLC0415 - it stands below

        return sizes_chart(self)

    def _repr_html_(self) -> str:
        return self.groups.to_html(_describe_release(self))

    def to_arrow(self) -> pa.Table:
        """Return a row per group and value that occurs there: what `read_release` reads with `rows="counts"`.

        A group in which nobody has a value has one row, with a count of 0.  Columns are the "group" (its number),
        what is printed about it, its "people", the value and its "count".

        >>> Release.from_counts([{"Flu": 2, "Cold": 1}], labels=[{"age": "20-29"}]).to_arrow().to_pylist()[0]
        {'group': 1, 'age': '20-29', 'people': 3, 'value': 'Cold', 'count': 1}
        """
        import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

        # also a row for a group without any value, so that reading the file again gives the same groups
        row, value, count = self.groups.list_entries()
        printed = {column.name: arrow_labels(column, row) for column in self.groups.columns}
        values = value_columns(self.sensitive, self.domain, value)
        taken = {*printed, *self.sensitive_columns}
        return pa.table(
            {
                unused_name("group", taken): pa.array(self.groups.numbers[row]),
                **printed,
                unused_name("people", taken): pa.array(self.groups.sizes[row]),
                **{unused_name(each.name, printed): arrow_labels(each) for each in values},
                unused_name("count", taken): pa.array(count),
            }
        )

    @property
    def domain(self) -> tuple[Label, ...]:
        """The sensitive values, in order."""
        return self.groups.domain

    @property
    def semantics(self) -> Semantics:
        """Return how many values a person may have."""
        return self.groups.semantics

    @property
    def size(self) -> int:
        """Return how many people are in the release."""
        return int(self.groups.sizes.sum())

    @property
    def columns(self) -> tuple[str, ...]:
        """Return what is printed about the groups."""
        return tuple(column.name for column in self.groups.columns)

    @property
    def populations(self) -> tuple[PopulationCounts, ...]:
        """Return how many people of populations have the cells of each group, where they were counted."""
        return self.groups.populations

    @property
    def outline(self) -> Release:
        """The release itself, which has its people, columns and values at hand."""
        return self

    def held(self, purpose: str) -> Release:
        """Return the release itself: its groups are at hand."""
        return self

    def local(self) -> Release:
        """Return the release itself: its groups are in this process."""
        return self

    def blocks(self) -> Iterator[GroupBlock]:
        """Yield all groups as one block, or as a few whose counts are spread out once for all summaries."""
        # wide and sparse: spreading out would cost more memory and time than it saves
        parts = [self.groups] if self.groups.counts.is_wide else list(self.groups.blocks())
        several, first = len(parts) > 1, 1
        for groups in parts:

            def take(rows: Integers | slice, groups: Groups = groups) -> Groups:
                return groups if isinstance(rows, slice) and rows == slice(None) else groups.take(rows)

            # of few groups, equal ones cost less than to find them; dense counts differ from group to group as a rule
            repeats = several and groups.counts.cells is None
            sizes, counts = groups.sizes, groups.counts
            yield GroupBlock(first, sizes, counts, self.domain, self.semantics, take, spread=several, repeats=repeats)
            first += len(groups)

    def reduce(
        self,
        summarise: Callable[[GroupBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise the blocks, in threads where there are several, and merge the summaries in order."""
        # `enough` is not used: blocks in memory are summarised faster than it would be known
        blocks = list(self.blocks())
        if len(blocks) == 1:
            return summarise(blocks[0])
        with ThreadPoolExecutor(max_workers=min(len(blocks), 8)) as pool:
            return fold(merge, pool.map(summarise, blocks))

    def group(self, which: GroupName | int) -> Groups:
        """Return one group, by its name or its number (from 1)."""
        number = group_number(which)
        if not 1 <= number <= len(self):
            raise BadRelease(f"no group {as_given(number)} in the release; they are numbered 1 to {len(self)}")
        return self.groups.take(slice(number - 1, number))

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""
        return sensitive_names(self.sensitive, self.domain)

    def about(self, column: str | None, *, known: str | Sequence[str] = ()) -> Release:
        """Return the release of one of several sensitive columns alone.

        `known` are other sensitive columns whose cells an attacker knows about everybody: groups are then split by
        them, as if these columns were printed about the group.  Without a `column`, all stay.

        >>> import pyarrow as pa
        >>> import sidelight as sl
        >>> cells = {"disease": ["Flu", "Flu", "Cold"], "income": ["low", "low", "high"]}
        >>> rows = pa.table({"zip": ["1", "1", "1"], **cells})
        >>> both = sl.read_release(rows, group="zip", sensitive=["disease", "income"])
        >>> both.about("disease")
        <Release of 3 people in 1 group, disease: 2 values (single)>
        >>> [group.counts for group in both.about("disease", known="income")]
        [mappingproxy({'Cold': 1}), mappingproxy({'Flu': 2})]
        """
        known = as_names(known)
        column = None if column is None else expect(str, column, "the column that is asked about")
        for name in (*filter(None, [column]), *known):
            check_sensitive(name, self.sensitive_columns)
        if column in known:
            raise BadRelease(f"'{column}' is asked about and also {parameter('known')}; name other columns there")
        groups, sensitive = self.groups.about(column, known), column or self.sensitive
        # what was made is the release of all columns
        provenance = self.provenance if groups is self.groups else None
        if not known:
            return replace(self, groups=groups, sensitive=sensitive, provenance=provenance)
        # names and members are of groups, and do not say who is in which part: they are dropped
        numbered = replace(groups, numbers=np.arange(1, len(groups) + 1))
        return replace(self, groups=numbered, sensitive=sensitive, people=None, members=None, provenance=provenance)

    @classmethod
    def from_counts(
        cls,
        counts: Iterable[Mapping[str, int]] | Iterable[Mapping[Label, int]],
        *,
        sizes: Sequence[int] | None = None,
        values: Semantics = "single",
        domain: Sequence[object] | None = None,
        labels: Sequence[Mapping[str, object]] | None = None,
    ) -> Release:
        """Make a release from one mapping value → count per group.

        `sizes` are the numbers of people (needed for "set" and "multiset"), `domain` all values that could
        occur, in order (default: those named, sorted), `labels` what is printed about each group.

        >>> Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 3}])
        <Release of 6 people in 2 groups, value: 2 values (single)>
        """
        per_group = [
            _checked_counts(each) for each in _one_per_group(counts, "a mapping of values to counts", "[{...}]")
        ]
        named = in_order(text for its_counts in per_group for text in its_counts)
        order = named if domain is None else tuple(dict.fromkeys(map(label, domain)))
        outside = [text for text in named if text not in order]
        if outside:
            raise BadRelease(f"'{shown(outside[0])}' is counted but not in {parameter('domain')}; add it there")
        if not order:
            raise BadRelease(f"nobody here has any value; say which there could be with {parameter('domain')}")
        code = {text: number for number, text in enumerate(order)}
        entries = [(row, code[text], count) for row, each in enumerate(per_group) for text, count in each.items()]
        # reshape, so that no entries at all still give three empty columns
        rows, columns, amounts = np.array(entries, np.int64).reshape(-1, 3).T
        matrix = Counts.from_entries(rows, columns, amounts, (len(per_group), len(order)))
        people = _group_sizes(sizes, matrix, values)
        printed = _label_columns(labels, len(per_group))
        return cls(whole_groups(domain=order, sizes=people, counts=matrix, columns=printed, semantics=values))

    @classmethod
    def from_groups(
        cls,
        groups: Iterable[tuple[Sequence[object], Sequence[object]]],
        *,
        values: Semantics = "single",
        domain: Sequence[object] | None = None,
    ) -> Release:
        """Make a release from (names of the people, their values in any order) per group.

        >>> named = Release.from_groups([(["Bob", "Ed"], ["Flu", "Heart"])])
        >>> named.people["Ed"]
        0
        """
        listed = _people_and_values(groups)
        names = [(shown(label(person)), row) for row, (people, _) in enumerate(listed) for person in people]
        where = dict(names)
        if len(where) < len(names):
            repeats = len(names) - len(where)
            raise BadRelease(
                f"{counted(repeats, 'name')} {form('is', repeats)} given twice; give each person one place"
            )
        return cls(_count_listed(listed, values=values, domain=domain), people=where)

    @classmethod
    def from_buckets(
        cls,
        buckets: Iterable[tuple[Sequence[Mapping[str, object]], Sequence[object]]],
        *,
        domain: Sequence[object] | None = None,
    ) -> Release:
        """Make a bucketized release from (what is known about each person, their values in any order) per bucket.

        >>> ward = Release.from_buckets([([{"sex": "male"}, {"sex": "female"}], ["Flu", "Cold"])])
        >>> ward, ward.members.people.tolist()
        (<Release of 2 people in 1 group, value: 2 values (single)>, [1, 1])
        """
        listed = _people_and_values(buckets)
        keys = [
            _as_mapping(key, "each person of a bucket", "columns to cells") for people, _ in listed for key in people
        ]
        group = np.repeat(np.arange(len(listed)), [len(people) for people, _ in listed])
        members = Members.build(_label_columns(keys, len(keys)), group, np.ones(len(keys), np.int64))
        return cls(_count_listed(listed, domain=domain), members=members)


def _count_listed(listed: Sequence[tuple[list[Any], list[Any]]], **choices: Any) -> Groups:  # noqa: ANN401
    """Return the groups of listed people and values; `choices` are those of `from_counts`."""
    counts = [Counter(map(label, values)) for _, values in listed]
    return Release.from_counts(counts, sizes=[len(people) for people, _ in listed], **choices).groups


def _one_per_group(groups: object, entry: str, single: str) -> list[Any]:
    """Return the entries of all groups as a list; raise `WrongKind` for others, as a mapping may be a single group."""
    if is_listing(groups):
        return list(groups)
    raise WrongKind(
        f"give a list with {entry} for each group, not {kind_in_words(groups)}; write a single one as {single}"
    )


def _people_and_values(groups: object) -> list[tuple[list[Any], list[Any]]]:
    listed = _one_per_group(groups, "a pair (people, values)", "[(people, values)]")
    for pair in listed:
        if not (isinstance(pair, Sequence) and len(pair) == 2 and all(map(is_listing, pair))):
            raise WrongKind('each group is a pair of lists (people, values), such as (["Bob", "Ed"], ["Flu", "Heart"])')
    return [(list(people), list(values)) for people, values in listed]


def _as_mapping(thing: object, name: str, entries: str) -> Mapping[Any, Any]:
    if isinstance(thing, Mapping):
        return thing
    raise WrongKind(f"{name} is a mapping of {entries}, not {kind_in_words(thing)}; write it as {{...: ...}}")


def _checked_counts(counts: object) -> dict[Label, int]:
    checked: dict[Label, int] = {}
    for value, amount in _as_mapping(counts, "each group", "values to counts").items():
        count = _read_count(amount)
        if count < 0:
            raise BadRelease(
                f"the count of '{shown(label(value))}' is not a whole number of at least 0; give whole counts"
            )
        checked[label(value)] = checked.get(label(value), 0) + count
        refuse_too_many_people(checked[label(value)])
    return checked


def _read_count(amount: Any) -> int:  # noqa: ANN401 - users count with numbers of any library
    try:
        return int(amount) if amount == int(amount) else -1
    except (TypeError, ValueError, OverflowError):
        return -1


def _group_sizes(sizes: Sequence[int] | None, counts: Counts, semantics: Semantics) -> npt.NDArray[np.int64]:
    if sizes is None:
        if _semantics(semantics) != "single":
            raise BadRelease(f"{parameter('values', semantics)} needs sizes=, the number of people of each group")
        return counts.per_row()
    people = [_read_count(each) for each in sizes]
    if len(people) != counts.rows:
        raise BadRelease(f"{len(people)} sizes for {counts.rows} groups; give one size per group")
    if min(people, default=0) < 0:
        raise BadRelease("sizes must be whole numbers of people")
    refuse_too_many_people(max(people, default=0))
    return np.array(people, np.int64)


def _label_columns(labels: Sequence[Mapping[str, object]] | None, rows: int) -> tuple[Column, ...]:
    if labels is None:
        return ()
    if len(labels) != rows:
        raise BadRelease(f"{len(labels)} labels for {rows} groups; give one mapping per group")
    for cells in labels:
        _as_mapping(cells, "what is printed about a group", "columns to labels")
    names = dict.fromkeys(name for cells in labels for name in cells)
    return tuple(Column.of(name, [label(cells.get(name)) for cells in labels]) for name in names)


def _semantics(values: object) -> Semantics:
    if not is_one_of(values, Semantics):
        raise BadRelease(f'no {parameter("values", values)}; choose "single", "set" or "multiset"')
    return cast("Semantics", values)


def refuse_too_many_people(amount: int) -> None:
    """Refuse an amount of people that machine numbers cannot add up."""
    if amount >= MOST_PEOPLE:
        raise BadRelease(
            f"there are more people than can be counted here; give counts that add up to less than {MOST_PEOPLE:,}"
        )


def _check_groups(groups: Groups) -> None:
    _semantics(groups.semantics)
    refuse_too_many_people(max(groups.counts.sum(), exact_sum(groups.sizes)))
    if len(groups) == 0:
        raise BadRelease("the release has no groups; give at least one group of people")
    if groups.sizes.min() < 1:
        raise BadRelease(f"{groups.name(int(groups.sizes.argmin())).error_name} has no people; leave empty groups out")
    if groups.semantics == "single":
        off = groups.counts.per_row() != groups.sizes
        remedy = (
            "the counts do not add up to the size; "
            f'for several values per person say {parameter("values", "set")} or "multiset"'
        )
    elif groups.semantics == "set":
        rows, _, counts = groups.counts.entries()
        off = np.zeros(len(groups), bool)
        # in a set a person has a value at most once, so no value can occur more often than there are people
        off[rows[counts > groups.sizes[rows]]] = True
        remedy = f"a value counts more people than there are; for repeated values say {parameter('values', 'multiset')}"
    else:
        return
    if off.any():
        raise BadRelease(f"{groups.name(int(off.argmax())).error_name}: {remedy}")


@dataclass(frozen=True, eq=False, slots=True)
class Members:
    """The people of each group by their *keys*: the quasi-identifier values that an attacker may know of a person.

    `columns` have a row per distinct key; `people[i]` people with key `key[i]` are in the group in row
    `group[i]` of the release.  Entries stand by group.

    Paper symbols: a key is q, a group is b, `people[i]` / all people = P(q, b).
    """

    columns: tuple[Column, ...]
    group: Integers
    key: Integers
    people: Integers

    def __post_init__(self) -> None:
        for array in (self.group, self.key, self.people):
            array.flags.writeable = False

    @classmethod
    def build(cls, columns: tuple[Column, ...], group: Integers, people: Integers) -> Members:
        """Build members from rows of people and their group; equal rows are counted together.

        >>> who = Members.build((Column.of("sex", ["m", "f", "m"]),), np.array([0, 0, 0]), np.array([1, 1, 1]))
        >>> [who.columns[0].cell(key) for key in who.key], who.people.tolist()
        (['f', 'm'], [1, 2])
        """
        key, first = number_equal_rows(columns, len(group))
        groups = int(group.max(initial=-1)) + 1
        # pair: (rows,), top: (distinct pairs,), the first row of each
        pair, top = number_rows([group, key], [groups, len(first)], rows=len(group))
        keys = tuple(column.take(first) for column in columns)
        return cls(keys, group[top], key[top], add_up(pair, people, len(top)))

    @classmethod
    def as_printed(cls, groups: Groups) -> Members:
        """Return members whose key is what is printed about their group, even if that is nothing."""
        rows = np.arange(len(groups))
        return cls(groups.columns, rows, rows, groups.sizes)

    @property
    def key_count(self) -> int:
        """Return how many distinct keys there are."""
        return int(self.key.max()) + 1


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRelease(Streamed, GroupLookup):
    """A release that is read block by block; made by `stream_release`."""

    is_held: ClassVar[bool] = False

    printing: Printing | None = None
    populations: tuple[PopulationCounts, ...] = ()

    @property
    def size(self) -> int:
        """Return how many people it is about."""
        return self.stream.people

    @property
    def columns(self) -> tuple[str, ...]:
        """Return what is printed about groups."""
        return self.stream.roles.quasi

    @cached_property
    def outline(self) -> Release:
        """Everybody as one group that prints what the first group does: what is known before groups are read."""
        groups = Groups(
            self.domain,
            np.array([self.size]),
            Counts.from_cells([self.stream.totals]),
            self.stream.first_columns(),
            self.semantics,
            self.stream.totals,
            np.array([1]),
            weights=None if self.stream.weight_per_key is None else np.array([self.stream.weight]),
        )
        return Release(groups, sensitive=self.sensitive, intake=self.intake, printing=self.printing)

    def held(self, purpose: str) -> Release:
        """Return the release with all groups in memory, as `read_release` does; raise `NoRoom` if they are too many.

        >>> import pyarrow as pa
        >>> import sidelight as sl
        >>> rows = pa.table({"age": ["20-29", "30-39"], "disease": ["Flu", "Cold"]})
        >>> sl.stream_release(rows, group="age", sensitive="disease").held("a test")
        <Release of 2 people in 2 groups, disease: 2 values (single)>
        """
        groups = hold_groups(self.stream, self.memory, partial(self.memory.too_many_at_once, purpose))
        return Release(groups, sensitive=self.sensitive, intake=self.intake, printing=self.printing)

    def __len__(self) -> int:
        """Count the groups; goes through them unless they were counted before."""
        if "_groups" not in self.__dict__:
            self.__dict__["_groups"] = self.stream.count()
        return int(self.__dict__["_groups"])

    def local(self) -> StreamedRelease:
        """Return the release with all groups in this process, or in its temporary files."""
        return replace(self, stream=self.stream.brought_here(self.memory))

    def blocks(self) -> Iterator[GroupBlock]:
        """Yield all groups in order, some at a time."""
        groups = 0
        for block in self.stream.blocks():
            groups += len(block)
            yield key_block(block, self.semantics, self.populations)
        self.__dict__["_groups"] = groups  # counted in passing

    def reduce(
        self,
        summarise: Callable[[GroupBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise all groups where they are, block by block, and merge the summaries in order."""
        # what goes to executors must not bring this release along
        semantics, populations = self.semantics, self.populations

        def summarise_keys(block: KeyBlock) -> tuple[int, Summed]:
            return len(block), summarise(key_block(block, semantics, populations))

        def merge_both(one: tuple[int, Summed], other: tuple[int, Summed]) -> tuple[int, Summed]:
            return one[0] + other[0], merge(one[1], other[1])

        stop = None if enough is None else lambda both: enough(both[1])
        groups, summary = self.stream.reduce(summarise_keys, merge_both, stop)
        if enough is None:  # else some groups may not have been gone through
            self.__dict__["_groups"] = groups  # counted in passing
        return summary

    def __repr__(self) -> str:
        return f"<{_describe_release(self)}>"


ReleaseBlocks: TypeAlias = Release | StreamedRelease
"""A release whose groups come in blocks: in memory, or read and never held."""


def _describe_release(release: ReleaseBlocks) -> str:
    """Return how large a release is and what it is about."""
    size = f"{counted(release.size, 'person')} in {counted(len(release), 'group')}"
    about = f"{release.sensitive}: {word_values(release.domain)} ({release.semantics})"
    return f"{type(release).__name__} of {size}, {about}"


def expect_release(thing: object, name: str) -> ReleaseBlocks:
    """Return a release, held or streamed; raise in one line if it is none."""
    return thing if isinstance(thing, StreamedRelease) else expect(Release, thing, name)
