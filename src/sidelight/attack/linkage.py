"""Lists that say who is in which group: anatomy's table of people, or names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from sidelight._arrays import Codes, Floats, Integers
from sidelight.attack.covers import Cover, cover_of_labels, cover_of_stretches
from sidelight.attack.targets import People
from sidelight.errors import BadRelease, BadTable, TooHard, did_you_mean, parameter
from sidelight.measures.exact import NEAR
from sidelight.release.groups import Groups
from sidelight.release.release import Members, Release
from sidelight.search.method import SearchResult
from sidelight.search.microaggregation import Microaggregation
from sidelight.search.recoding import Stretches
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import SUPPRESSED, Label, as_day, as_number, in_order
from sidelight.table.read import different_rows
from sidelight.table.table import CELLS_AT_ONCE, Column, added, rows_alike


@dataclass(frozen=True)
class Listed:
    """A published list of people that says which group each is in, such as anatomy's.

    `source` is a file or dataframe with the columns that an attacker knows and a column `bucket`, which is also the
    column that the release's groups are called by.  Several people who look alike may be in different groups: the
    more of them are in a group, the likelier it is.

    >>> import pyarrow as pa
    >>> Listed(pa.table({"age": ["30", "40"], "bucket": ["1", "2"]})).bucket
    'bucket'
    """

    source: object
    bucket: str = "bucket"

    def columns(self) -> tuple[str, ...]:
        """Name the columns that the list has about people, where it is read already."""
        listed = self.source.groups.columns if isinstance(self.source, Release) else ()
        return tuple(column.name for column in listed)


@dataclass(frozen=True, eq=False, slots=True)
class Entries:
    """Rows of a list: what it says about people, the group they are in, how many they are."""

    columns: tuple[Column, ...]
    group: Integers
    people: Integers

    def located(self, people: People) -> Located:
        """Find people who are listed exactly as they are known."""
        pairs = [(mine, people.column(mine.name)) for mine in self.columns]
        both = tuple(_one_below_the_other(mine, its) for mine, its in pairs if its is not None)
        number, _ = rows_alike(both, len(self.group) + len(people))
        count = int(number.max()) + 1
        place = number[len(self.group) :]
        groups = int(self.group.max()) + 1
        keys, kind = np.unique(number[: len(self.group)] * groups + self.group, return_inverse=True)
        return Located.of(place, count, keys // groups, keys % groups, added(kind, self.people, len(keys)))


def _one_below_the_other(upper: Column, lower: Column) -> Column:
    labels = in_order((*upper.labels, *lower.labels))
    code = {text: number for number, text in enumerate(labels)}
    parts = [np.array([code[text] for text in each.labels], np.int32)[each.codes] for each in (upper, lower)]
    return Column(upper.name, labels, np.concatenate(parts))


def entries_of_members(members: Members) -> Entries:
    """Take what a release says about the people of each group."""
    return Entries(tuple(column.take(members.line) for column in members.columns), members.group, members.people)


def entries_of_names(release: Release, person: str) -> Entries:
    """Take the names that a release has for its people."""
    assert release.people is not None
    names = Column.of(person, release.people)
    return Entries((names,), np.fromiter(release.people.values(), np.int64), np.ones(len(names), np.int64))


def _rows_of(listed: Listed, known: list[str]) -> tuple[tuple[Column, ...], Integers]:
    """Read the different rows of a list; one that is read already is a release whose values are the groups."""
    if not isinstance(listed.source, Release):
        return different_rows(listed.source, [*known, listed.bucket])
    row, value, people = listed.source.groups.counts.entries()
    columns = tuple(column.take(row) for column in listed.source.groups.columns if column.name in known)
    return (*columns, Column(listed.bucket, listed.source.domain, value.astype(np.int32))), people


def entries_of_list(release: Release, listed: Listed, known: list[str]) -> Entries:
    """Read a list, and find the groups that it names."""
    (*columns, bucket), people = _rows_of(listed, known)
    called = next((column for column in release.groups.columns if column.name == listed.bucket), None)
    if called is None:
        message = f"the release has no column '{listed.bucket}' that says which group is which; name it in Listed(…)"
        raise BadTable(message)
    row: dict[Label, int] = {called.cell(at): at for at in range(len(called))}
    absent = sum(text not in row for text in bucket.labels)
    if absent:
        message = (
            f"{absent:,} groups of the list in '{listed.bucket}' are not in the release; give the list of this one"
        )
        raise BadTable(message)
    return Entries(tuple(columns), np.array([row[text] for text in bucket.labels])[bucket.codes], people)


# ----------------------------------------------------------------------------------------------------
# How an attacker finds a person's group in a release.
# ----------------------------------------------------------------------------------------------------


Way: TypeAlias = Literal["labels", "intervals", "nearest"]
"""Printed labels as they are (`*` covers all, a hierarchy's label what is under it); also intervals and sets as
Mondrian prints them; or the nearest printed average."""

Locate: TypeAlias = Way | Listed
"""How to find people: a way, or a list that says who is where."""

Published: TypeAlias = Release | SearchResult
"""A release as the world sees it, or what a search found, with its regions."""


def ways_for(releases: Sequence[Published], locate: Locate | Sequence[Locate | None] | None) -> list[Locate | None]:
    """Give each release its way; none said: what is known about how it was made."""
    ways = [locate] * len(releases) if locate is None or isinstance(locate, str | Listed) else [*locate]
    if len(ways) != len(releases):
        message = f"{len(ways)} ways to locate people in {len(releases)} releases; give one for each, or one for all"
        raise BadRelease(message)
    for way in ways:
        if way is not None and not isinstance(way, Listed) and way not in get_args(Way):
            message = f"no {parameter('locate', str(way))}{did_you_mean(str(way), get_args(Way))}"
            raise BadRelease(message)
    return ways


def release_of(published: Published) -> Release:
    """Give what the world sees."""
    return published.release if isinstance(published, SearchResult) else published


def columns_of(published: Published, way: Locate | None) -> tuple[str, ...]:
    """Name the columns by which people can be found in a release."""
    if isinstance(published, SearchResult) and way is None:
        return tuple(column.name for column in published.outcome.recoding.table.quasi)
    if isinstance(way, Listed):
        return way.columns()
    if _by_name(published, way):
        return ()
    release = release_of(published)
    printed = tuple(column.name for column in release.groups.columns)
    if release.members is None or way is not None:
        return printed
    members = tuple(column.name for column in release.members.columns)
    return printed if printed and set(printed) <= set(members) else members  # else it prints only which bucket is which


def by_name(releases: Sequence[Published], ways: Sequence[Locate | None]) -> bool:
    """Whether people are looked up by name in some release."""
    return any(_by_name(*each) for each in zip(releases, ways, strict=True))


def _by_name(published: Published, way: Locate | None) -> bool:
    release = release_of(published)
    return way is None and release.people is not None and not release.groups.columns


def find(
    published: Published, people: People, way: Locate | None, by: Mapping[str, Hierarchy], person: str | None
) -> Located:
    """Find everybody's groups in one release."""
    release = release_of(published)
    if isinstance(way, Listed):
        return entries_of_list(release, way, [column.name for column in people.known]).located(people)
    if _by_name(published, way):
        return entries_of_names(release, person or "").located(people)
    if way is None and release.members is not None and not _prints_known(release, people):
        return entries_of_members(release.members).located(people)
    if isinstance(published, SearchResult) and way is None:
        return _in_regions(published, people, by)
    if way == "nearest":
        return nearest(people, release.groups, by)
    covers = [
        cover_of_labels(known, printed, by.get(printed.name), intervals=way == "intervals")
        for printed in release.groups.columns
        if (known := people.column(printed.name)) is not None
    ]
    return located(covers, len(people), release.groups.sizes)


def _prints_known(release: Release, people: People) -> bool:
    """Whether a release prints something that is known of people, and not only which bucket is which."""
    return any(people.column(column.name) is not None for column in release.groups.columns)


def _in_regions(found: SearchResult, people: People, by: Mapping[str, Hierarchy]) -> Located:
    """Use what the search knows: averages, or regions; whoever is in no region is among the suppressed."""
    recoding = found.outcome.recoding
    if isinstance(found.method, Microaggregation) or not isinstance(recoding, Stretches):
        return nearest(people, found.release.groups, by)
    covers = [
        cover_of_stretches(known, order, recoding.start[:, at], recoding.stop[:, at])
        for at, order in enumerate(recoding.orders)
        if (known := people.column(order.name)) is not None
    ]
    inside = located(covers, len(people), recoding.sizes)
    starred = len(found.release) - len(recoding.sizes)
    return inside if starred == 0 else _or_suppressed(inside, len(recoding.sizes), found.release.groups.sizes)


def _or_suppressed(inside: Located, star: int, sizes: Integers) -> Located:
    missed = np.flatnonzero(inside.matches == 0)
    at = np.concatenate((np.repeat(np.arange(len(inside)), inside.matches), missed))
    group = np.concatenate((inside.group, np.full(len(missed), star)))
    return Located.of(inside.place, len(inside), at, group, sizes[group])


def share_right(published: Published, people: People, where: Located) -> Fraction | None:
    """Give the share of the people in a search's table who were looked for in their group; None: nobody knows."""
    if not isinstance(published, SearchResult) or not isinstance(published.outcome.recoding, Stretches):
        return None
    recoding = published.outcome.recoding
    if any(people.column(column.name) is None for column in recoding.table.quasi):
        return None
    group = np.where(recoding.group < 0, len(recoding.sizes), recoding.group)
    true = Entries(recoding.table.quasi, group, recoding.table.sizes).located(people)
    there = np.flatnonzero(true.matches[true.place] == 1)
    if len(there) == 0:
        return None
    wanted = true.group[true.starts[true.place[there]]]
    width = len(recoding.sizes) + 2
    pairs = np.repeat(np.arange(len(where)), where.matches) * width + where.group
    right = np.isin(where.place[there] * width + wanted, pairs)
    return Fraction(int(people.sizes[there[right]].sum()), int(people.sizes[there].sum()))


# ----------------------------------------------------------------------------------------------------
# Which groups each person may be in.
# ----------------------------------------------------------------------------------------------------


AT_ONCE = 1 << 16
"""Pairs of a place and a group that are compared one by one, rather than halved once more."""

SAMPLE = 512
"""Places that are looked at to choose where to halve."""

MOST_PAIRS = 1 << 27
"""More pairs of a place and a group in it than this do not fit into memory."""


@dataclass(frozen=True, eq=False, slots=True)
class Located:
    """People at places; the people of place p may be in any of the groups `group[starts[p]:starts[p+1]]`.

    `weight` says how likely each of them is, up to a common factor.
    """

    place: Integers  # per row of people
    starts: Integers  # per place, and one more
    group: Integers
    weight: Integers

    @classmethod
    def of(cls, place: Integers, places: int, at: Integers, group: Integers, weight: Integers) -> Located:
        """Take pairs of a place and a group, in any order."""
        order = np.lexsort((group, at))
        starts = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=places))))
        return cls(place, starts, group[order], weight[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def matches(self) -> Integers:
        """How many groups the people of each place may be in."""
        return np.diff(self.starts)

    @property
    def nowhere(self) -> np.typing.NDArray[np.bool_]:
        """Whether a row of people fits no group."""
        nowhere: np.typing.NDArray[np.bool_] = self.matches[self.place] == 0
        return nowhere

    def groups_of(self, row: int) -> Integers:
        """Give the groups that a row of people may be in."""
        at = int(self.place[row])
        return self.group[self.starts[at] : self.starts[at + 1]]

    def weights_of(self, row: int) -> Integers:
        """Give how likely each of them is."""
        at = int(self.place[row])
        return self.weight[self.starts[at] : self.starts[at + 1]]

    def summed(self, amounts: Integers) -> Integers:
        """Add up an amount per group over the groups of each place."""
        return added(np.repeat(np.arange(len(self)), self.matches), amounts[self.group], len(self))


def everywhere(rows: int, sizes: Integers) -> Located:
    """Say that everybody may be in any group."""
    groups = np.arange(len(sizes))
    return Located.of(np.zeros(rows, np.int64), 1, np.zeros(len(sizes), np.int64), groups, sizes)


def located(covers: list[Cover], rows: int, sizes: Integers) -> Located:
    """Find the groups that cover each row of people in every column; of several, large ones are likelier.

    People in the same segments of all columns are at one place.  Places and groups are halved together, along the
    column that keeps them apart best, until few enough are left to compare each with each.
    """
    if not covers:
        return everywhere(rows, sizes)
    columns = tuple(
        Column(str(at), (None,) * (int(cover.segment.max()) + 1), cover.segment.astype(np.int32))
        for at, cover in enumerate(covers)
    )
    place, first = rows_alike(columns, rows)
    found = list(_pairs(covers, first, np.arange(len(sizes))))
    at, group = (np.concatenate(parts) for parts in zip(*found, strict=True))
    number = np.empty(rows, np.int64)
    number[first] = np.arange(len(first))
    return Located.of(place, len(first), number[at], group, sizes[group])


def _pairs(covers: list[Cover], rows: Integers, groups: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Give all pairs of a row and a group that covers it."""
    yield np.empty(0, np.int64), np.empty(0, np.int64)
    left = [(rows, groups)]
    pairs = 0
    while left:
        rows, groups = left.pop()
        halves = _halved(covers, rows, groups) if len(rows) * len(groups) > AT_ONCE else None
        if halves is not None:
            left += halves
            continue
        for some in np.array_split(rows, max(len(rows) * len(groups) >> 22, 1)):
            row, group = _compared(covers, some, groups)
            pairs += len(row)
            if pairs > MOST_PAIRS:
                message = (
                    "people fit too many groups each; "
                    f"name more columns that the attacker knows in {parameter('quasi')}"
                )
                raise TooHard(message)
            yield row, group


def _compared(covers: list[Cover], rows: Integers, groups: Integers) -> tuple[Integers, Integers]:
    inside = np.ones((len(rows), len(groups)), bool)
    for cover in covers:
        inside &= cover.holds(rows, groups)
    row, group = np.nonzero(inside)
    return rows[row], groups[group]


def _halved(covers: list[Cover], rows: Integers, groups: Integers) -> list[tuple[Integers, Integers]] | None:
    """Cut where fewest groups lie on both sides; none, when every cut leaves nearly all on both."""
    sample = rows[:: len(rows) // SAMPLE + 1]
    best, chosen = 0.9 * len(groups), None
    for cover in covers:
        at = np.sort(cover.segment[sample])
        if at[0] == at[-1]:
            continue
        cut = int(min(at[(len(at) - 1) // 2], at[-1] - 1))
        before = float((at <= cut).mean())
        low, high = np.count_nonzero(cover.first[groups] <= cut), np.count_nonzero(cover.last[groups] > cut)
        work = before * low + (1 - before) * high
        if work < best:
            best, chosen = work, (cover, cut)
    if chosen is None:
        return None
    cover, cut = chosen
    below = cover.segment[rows] <= cut
    return [
        (rows[below], groups[cover.first[groups] <= cut]),
        (rows[~below], groups[cover.last[groups] > cut]),
    ]


# ----------------------------------------------------------------------------------------------------
# The groups whose printed average is nearest to a person.
# ----------------------------------------------------------------------------------------------------


class Apart(NamedTuple):
    """How far the labels of people are from those of groups in one column: `squared[person label, group label]`."""

    people: Codes
    groups: Codes
    squared: Floats


def nearest(people: People, groups: Groups, by: Mapping[str, Hierarchy]) -> Located:
    """Find the groups with the smallest squared distance to each row of people; all of them when several have it.

    Numbers and days: ((x − y) / range)²; labels with a hierarchy: the share of its levels at which they differ; other
    labels: 0 if equal, 1 if not.  A `*` is equally far from everything.
    """
    known = [(its, mine) for mine in groups.columns if (its := people.column(mine.name)) is not None]
    if not known:
        return everywhere(len(people), groups.sizes)
    place, first = rows_alike(tuple(its for its, _ in known), len(people))
    columns = [_apart(its.take(first), mine, by.get(mine.name)) for its, mine in known]
    step = max(CELLS_AT_ONCE // len(groups), 1)
    found = [_in_block(columns, slice(at, at + step)) for at in range(0, len(first), step)]
    at, group = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Located.of(place, len(first), at, group, groups.sizes[group])


def _in_block(columns: list[Apart], rows: slice) -> tuple[Integers, Integers]:
    apart: Floats = np.zeros(())
    for column in columns:
        apart = apart + column.squared[:, column.groups][column.people[rows]]
    at, group = np.nonzero(apart <= apart.min(axis=1, keepdims=True) + NEAR)
    return at + rows.start, group


def _apart(people: Column, groups: Column, hierarchy: Hierarchy | None) -> Apart:
    numbers = _numbers((*people.labels, *groups.labels))
    if numbers is not None:
        squared = _numeric(numbers[: len(people.labels)], numbers[len(people.labels) :])
    else:
        squared = _levels(people.labels, groups.labels, hierarchy)
    squared[:, [text == SUPPRESSED for text in groups.labels]] = 1.0
    return Apart(people.codes, groups.codes, squared)


def _numbers(labels: tuple[Label, ...]) -> Floats | None:
    """Read labels as numbers or as days, nan for missing and suppressed ones; nothing if others are neither."""
    days = [as_day(text) for text in labels]
    read = [as_number(text) for text in labels] if set(days) == {None} else days
    strange = [text for text, number in zip(labels, read, strict=True) if number is None]
    if len(strange) == len(labels) or any(text not in (None, SUPPRESSED) for text in strange):
        return None
    return np.array([np.nan if number is None else number for number in read])


def _numeric(people: Floats, groups: Floats) -> Floats:
    both = np.concatenate((people, groups))
    whole = np.nanmax(both) - np.nanmin(both)
    squared = ((people[:, np.newaxis] - groups) / (whole or 1.0)) ** 2
    missing = np.isnan(people)[:, np.newaxis] != np.isnan(groups)
    apart: Floats = np.where(missing, 1.0, np.nan_to_num(squared))
    return apart


def _levels(people: tuple[Label, ...], groups: tuple[Label, ...], hierarchy: Hierarchy | None) -> Floats:
    """Count the levels at which labels differ; a group's label may itself be of any level."""
    height = 1 if hierarchy is None else max(hierarchy.height - 1, 1)  # at the top all are the same
    differ = np.zeros((len(people), len(groups)))
    for level in range(height):
        one, other = (_at(labels, level, hierarchy) for labels in (people, groups))
        differ += np.array(one, object)[:, np.newaxis] != np.array(other, object)
    apart: Floats = differ / height
    return apart


def _at(labels: tuple[Label, ...], level: int, hierarchy: Hierarchy | None) -> list[Label]:
    if hierarchy is None:
        return [*labels]
    return [hierarchy.generalise(text, level) if hierarchy.has(text) else text for text in labels]
