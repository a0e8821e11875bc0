"""Who may be in which group?  How an attacker links people to the groups of one release.

What the attacker has to go by decides how (`locate=`):

- "labels": a printed label is a name, and covers itself, what a hierarchy has under it, or, as `*`, everything;
- "intervals": every form that `release.printed_labels` reads, hierarchies first;
- "nearest": the groups whose printed average has the least squared distance, summed over the columns c,
  d²(i, g) = Σ_c d_c².  Numbers and days: d_c = (x − y) / range of both; labels with a hierarchy: d_c² = the share of
  its levels at which they differ, of those at which any of its labels do (as in `search.distances`); other labels:
  0 if equal, 1 if not.  `*` is at distance 1 from everything, and a missing cell from all that is not missing.
  Cost: rows × groups, a block at a time;
- a `Listed`: a published list that says who is where, as anatomy's does;
- nothing said: what is known of how the release was made.  A search's result has regions, averages or buckets; a
  release may know its members, or name its people; else "labels".

The result is a `Linkage`.  Somebody who fits several groups may be in any of them, in proportion to a weight; somebody
who fits none stays unlinked, and is never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Codes, Flags, Floats, Integers, add_up, number_rows
from sidelight.attack.box_join import Cover, join
from sidelight.attack.targets import People
from sidelight.errors import BadRelease, BadTable, did_you_mean, parameter
from sidelight.measures.exact import NEAR
from sidelight.release.groups import Groups
from sidelight.release.printed_labels import Interval, LabelOrder, Stretch, merged
from sidelight.release.release import Members, Release
from sidelight.search.distances import share_of_levels
from sidelight.search.method import SearchResult
from sidelight.search.orders import Order
from sidelight.search.recoding import Regions
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import SUPPRESSED, Label, as_day, as_number
from sidelight.table.read import distinct_rows
from sidelight.table.table import CELLS_AT_ONCE, Column, number_equal_rows


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
        columns = self.source.groups.columns if isinstance(self.source, Release) else ()
        return tuple(column.name for column in columns)


LocateMethod: TypeAlias = Literal["labels", "intervals", "nearest"]
"""Printed labels as names (`*` covers all, a hierarchy's label what is under it); all printed forms, such as intervals,
sets, masks and periods; or the nearest printed average."""

Locate: TypeAlias = LocateMethod | Listed
"""How to find people: a way, or a list that says who is where."""

ReleaseOrResult: TypeAlias = Release | SearchResult
"""A release as the world sees it, or what a search found, with its regions."""


@dataclass(frozen=True, eq=False, slots=True)
class Linkage:
    """People by profile; people of profile p may be in any of the groups `group[starts[p]:starts[p+1]]`.

    Rows of people whom the release cannot tell apart have one profile.  `weight` says how likely each of its groups
    is, up to a common factor.
    """

    profile: Integers  # per row of people
    starts: Integers  # per profile, and one more
    group: Integers
    weight: Integers

    @classmethod
    def of(cls, profile: Integers, profiles: int, at: Integers, group: Integers, weight: Integers) -> Linkage:
        """Take pairs of a profile (`at`) and a group, in any order."""
        # by profile, and in it by group: groups_of is a slice, and comes in the order of the release
        order = np.lexsort((group, at))
        starts = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=profiles))))
        return cls(profile, starts, group[order], weight[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def matches(self) -> Integers:
        """How many groups the people of each profile may be in."""
        return np.diff(self.starts)

    @property
    def nowhere(self) -> Flags:
        """Whether a row of people fits no group."""
        nowhere: Flags = self.matches[self.profile] == 0
        return nowhere

    @property
    def pairs(self) -> tuple[Integers, Integers]:
        """All pairs of a profile and a group that its people may be in."""
        return np.repeat(np.arange(len(self)), self.matches), self.group

    def groups_of(self, row: int) -> Integers:
        """Give the groups that a row of people may be in."""
        at = int(self.profile[row])
        return self.group[self.starts[at] : self.starts[at + 1]]

    def weights_of(self, row: int) -> Integers:
        """Give how likely each of them is."""
        at = int(self.profile[row])
        return self.weight[self.starts[at] : self.starts[at + 1]]

    def sums(self, amounts: Integers) -> Integers:
        """Add up an amount per group over the groups of each profile."""
        profile, group = self.pairs
        return add_up(profile, amounts[group], len(self))


# Which way: for each release, and the columns it needs


def ways_for(
    releases: Sequence[ReleaseOrResult], locate: Locate | Sequence[Locate | None] | None
) -> list[Locate | None]:
    """Give each release its way; none said: what is known about how it was made."""
    ways = [locate] * len(releases) if locate is None or isinstance(locate, str | Listed) else [*locate]
    if len(ways) != len(releases):
        message = f"{len(ways)} ways to locate people in {len(releases)} releases; give one for each, or one for all"
        raise BadRelease(message)
    for way in ways:
        if way is not None and not isinstance(way, Listed) and way not in get_args(LocateMethod):
            message = f"no {parameter('locate', str(way))}{did_you_mean(str(way), get_args(LocateMethod))}"
            raise BadRelease(message)
    return ways


def release_of(published: ReleaseOrResult) -> Release:
    """Give what the world sees."""
    return published.release if isinstance(published, SearchResult) else published


def names_people(published: ReleaseOrResult, way: Locate | None) -> bool:
    """Say whether people are looked up by name in a release."""
    release = release_of(published)
    return way is None and release.people is not None and not release.groups.columns


def columns_of(published: ReleaseOrResult, way: Locate | None) -> tuple[str, ...]:
    """Name the columns by which people can be found in a release."""
    if isinstance(published, SearchResult) and way is None:
        return tuple(column.name for column in published.outcome.recoding.table.quasi)
    if isinstance(way, Listed):
        return way.columns()
    if names_people(published, way):
        return ()
    release = release_of(published)
    printed = tuple(column.name for column in release.groups.columns)
    if release.members is None or way is not None:
        return printed
    members = tuple(column.name for column in release.members.columns)
    return printed if printed and set(printed) <= set(members) else members  # else it prints only which bucket is which


def link(
    published: ReleaseOrResult, people: People, way: Locate | None, by: Mapping[str, Hierarchy], person: str | None
) -> Linkage:
    """Find everybody's groups in one release."""
    release = release_of(published)
    if isinstance(way, Listed):
        return people_in_list(release, way, [column.name for column in people.known]).link(people)
    if names_people(published, way):
        return people_in_names(release, person or "").link(people)
    if way is None and release.members is not None and not _prints_known(release, people):
        return people_in_members(release.members).link(people)
    if isinstance(published, SearchResult) and way is None:
        return _link_by_regions(published, people, by)
    if way == "nearest":
        return link_to_nearest(people, release.groups, by)
    return _link_by_labels(release.groups, people, by, read_forms=way == "intervals")


def _prints_known(release: Release, people: People) -> bool:
    """Whether a release prints something that is known of people, and not only which bucket is which."""
    return any(people.column(column.name) is not None for column in release.groups.columns)


# By what is printed, or by a search's own regions: groups are boxes, people points


def link_by_covers(covers: Sequence[Cover], rows: int, sizes: Integers) -> Linkage:
    """Find the groups that cover each row of people in every column; of several, large ones are likelier.

    People in the same segments of all columns have one profile.
    """
    if not covers:
        return _link_to_all(rows, sizes)
    # one row stands for each profile, so that the join meets every combination of segments once
    segments = [cover.segment for cover in covers]
    profile, first = number_rows(segments, [int(each.max()) + 1 for each in segments], rows=rows)
    row, group = join(covers, first, np.arange(len(sizes)))
    return Linkage.of(profile, len(first), profile[row], group, sizes[group])


def _link_to_all(rows: int, sizes: Integers) -> Linkage:
    """Say that everybody may be in any group."""
    groups = np.arange(len(sizes))
    return Linkage.of(np.zeros(rows, np.int64), 1, np.zeros(len(sizes), np.int64), groups, sizes)


def _link_by_labels(groups: Groups, people: People, by: Mapping[str, Hierarchy], *, read_forms: bool) -> Linkage:
    covers = [
        _cover_of_labels(known, printed, by.get(printed.name), read_forms=read_forms)
        for printed in groups.columns
        if (known := people.column(printed.name)) is not None
    ]
    return link_by_covers(covers, len(people), groups.sizes)


def _cover_of_labels(known: Column, printed: Column, hierarchy: Hierarchy | None, *, read_forms: bool) -> Cover:
    order = LabelOrder(known.labels, hierarchy)
    covered = [order.covered(text) if read_forms else order.named(text) for text in printed.labels]
    return Cover.of(order.position[known.codes], len(order.labels), covered, printed.codes.astype(np.int64))


def _link_by_regions(result: SearchResult, people: People, by: Mapping[str, Hierarchy]) -> Linkage:
    """Use what the search knows: averages, or regions; whoever is in no region is among the suppressed."""
    recoding = result.outcome.recoding
    if result.method.prints_averages or not isinstance(recoding, Regions):
        return link_to_nearest(people, result.release.groups, by)
    covers = [
        _cover_of_regions(known, order, recoding.start[:, at], recoding.stop[:, at])
        for at, order in enumerate(recoding.orders)
        if (known := people.column(order.name)) is not None
    ]
    inside = link_by_covers(covers, len(people), recoding.sizes)
    suppressed = len(result.release) - len(recoding.sizes)
    return inside if suppressed == 0 else _or_suppressed(inside, len(recoding.sizes), result.release.groups.sizes)


def _cover_of_regions(known: Column, order: Order, start: Integers, stop: Integers) -> Cover:
    """Take the stretches of a search's order that its groups cover in one column."""
    labels = LabelOrder(known.labels)
    positions = labels.positions(order.labels)
    # groups of a region share their cover: a Mondrian with thousands of groups has few different stretches a column
    width = len(order.labels) + 1
    regions, codes = np.unique(start * width + stop, return_inverse=True)
    covered = [_covered_by_region(labels, positions, order, *divmod(int(region), width)) for region in regions]
    return Cover.of(labels.position[known.codes], len(labels.labels), covered, codes.astype(np.int64))


def _covered_by_region(labels: LabelOrder, positions: Integers, order: Order, start: int, stop: int) -> list[Stretch]:
    """Find the labels of a region; of numbers and days, also those between its ends."""
    inside: list[Stretch] = [(at, at + 1) for at in positions[start:stop].tolist() if at >= 0]
    if order.numeric and order.labels[start] is not None:
        # a missing label stands last in its order, and is no end of an interval
        end = stop - 1 if order.labels[stop - 1] is not None else stop - 2
        whole = Interval(float(order.position[start]), float(order.position[end]))
        inside.append(labels.days_in(whole) if order.days else labels.numbers_in(whole))
    return merged(inside)


def _or_suppressed(inside: Linkage, suppressed: int, sizes: Integers) -> Linkage:
    """Put whoever is in no region into the group of the suppressed: the last one, after all regions."""
    missed = np.flatnonzero(inside.matches == 0)
    profile, group = inside.pairs
    at, group = np.concatenate((profile, missed)), np.concatenate((group, np.full(len(missed), suppressed)))
    return Linkage.of(inside.profile, len(inside), at, group, sizes[group])


def share_linked_right(published: ReleaseOrResult, people: People, linkage: Linkage) -> Fraction | None:
    """Give the share of the people in a search's table who were looked for in their group; None: nobody knows."""
    if not isinstance(published, SearchResult) or not isinstance(published.outcome.recoding, Regions):
        return None
    recoding = published.outcome.recoding
    if any(people.column(column.name) is None for column in recoding.table.quasi):
        return None
    # −1 is a row in no region: it is in the group of the suppressed, which a release has last, after all regions
    group = np.where(recoding.group < 0, len(recoding.sizes), recoding.group)
    true = ListedPeople(recoding.table.quasi, group, recoding.table.sizes).link(people)
    there = np.flatnonzero(true.matches[true.profile] == 1)
    if len(there) == 0:
        return None
    # a pair of profile and group is one number: whether it is among those linked is one lookup for all people
    true_group = true.group[true.starts[true.profile[there]]]
    width = len(recoding.sizes) + 2
    profile, linked = linkage.pairs
    right = np.isin(linkage.profile[there] * width + true_group, profile * width + linked)
    return Fraction(int(people.sizes[there[right]].sum()), int(people.sizes[there].sum()))


# By a list that says who is where: anatomy's table of people, the members that a release knows, names


@dataclass(frozen=True, eq=False, slots=True)
class ListedPeople:
    """Rows of a list: what it says about people, the group they are in, how many they are."""

    columns: tuple[Column, ...]
    group: Integers
    people: Integers

    def link(self, people: People) -> Linkage:
        """Find people who are listed exactly as they are known."""
        pairs = [(column, people.column(column.name)) for column in self.columns]
        both = tuple(column.stacked_on(known) for column, known in pairs if known is not None)
        number, _ = number_equal_rows(both, len(self.group) + len(people))
        profiles = int(number.max()) + 1
        groups = int(self.group.max()) + 1
        # people of a profile who are in one group are one entry, which weighs as much as they are
        keys, kind = np.unique(number[: len(self.group)] * groups + self.group, return_inverse=True)
        weight = add_up(kind, self.people, len(keys))
        return Linkage.of(number[len(self.group) :], profiles, keys // groups, keys % groups, weight)


def people_in_members(members: Members) -> ListedPeople:
    """Take what a release says about the people of each group."""
    return ListedPeople(tuple(column.take(members.key) for column in members.columns), members.group, members.people)


def people_in_names(release: Release, person: str) -> ListedPeople:
    """Take the names that a release has for its people."""
    assert release.people is not None
    names = Column.of(person, release.people)
    return ListedPeople((names,), np.fromiter(release.people.values(), np.int64), np.ones(len(names), np.int64))


def people_in_list(release: Release, listed: Listed, known: list[str]) -> ListedPeople:
    """Read a list, and find the groups that it names."""
    (*columns, bucket), people = _read_list(listed, known)
    names = next((column for column in release.groups.columns if column.name == listed.bucket), None)
    if names is None:
        message = f"the release has no column '{listed.bucket}' that says which group is which; name it in Listed(…)"
        raise BadTable(message)
    row: dict[Label, int] = {names.cell(at): at for at in range(len(names))}
    absent = sum(text not in row for text in bucket.labels)
    if absent:
        message = (
            f"{absent:,} groups of the list in '{listed.bucket}' are not in the release; give the list of this one"
        )
        raise BadTable(message)
    return ListedPeople(tuple(columns), np.array([row[text] for text in bucket.labels])[bucket.codes], people)


def _read_list(listed: Listed, known: list[str]) -> tuple[tuple[Column, ...], Integers]:
    """Read the different rows of a list; one that is read already is a release whose values are the groups."""
    if not isinstance(listed.source, Release):
        return distinct_rows(listed.source, [*known, listed.bucket])
    row, value, people = listed.source.groups.counts.entries()
    columns = tuple(column.take(row) for column in listed.source.groups.columns if column.name in known)
    return (*columns, Column(listed.bucket, listed.source.domain, value.astype(np.int32))), people


# By the nearest printed average


class ColumnDistances(NamedTuple):
    """How far the labels of people are from those of groups in one column: `squared[person label, group label]`."""

    people: Codes
    groups: Codes
    squared: Floats


def link_to_nearest(people: People, groups: Groups, by: Mapping[str, Hierarchy]) -> Linkage:
    """Find the groups with the smallest squared distance to each row of people; all of them when several have it."""
    columns = [(known, printed) for printed in groups.columns if (known := people.column(printed.name)) is not None]
    if not columns:
        return _link_to_all(len(people), groups.sizes)
    profile, first = number_equal_rows(tuple(known for known, _ in columns), len(people))
    distances = [_distances(known.take(first), printed, by.get(printed.name)) for known, printed in columns]
    step = max(CELLS_AT_ONCE // len(groups), 1)
    blocks = [_nearest_in_block(distances, slice(at, at + step)) for at in range(0, len(first), step)]
    at, group = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Linkage.of(profile, len(first), at, group, groups.sizes[group])


def _nearest_in_block(distances: Sequence[ColumnDistances], rows: slice) -> tuple[Integers, Integers]:
    squared: Floats = np.zeros(())
    for column in distances:
        squared = squared + column.squared[:, column.groups][column.people[rows]]
    at, group = np.nonzero(squared <= squared.min(axis=1, keepdims=True) + NEAR)  # equal up to rounding: all of them
    return at + rows.start, group


def _distances(people: Column, groups: Column, hierarchy: Hierarchy | None) -> ColumnDistances:
    numbers = _numbers((*people.labels, *groups.labels))
    if numbers is not None:
        squared = _between_numbers(numbers[: len(people.labels)], numbers[len(people.labels) :])
    else:
        squared = _between_labels(people.labels, groups.labels, hierarchy)
    # after the range is known: a suppressed label has no number and stretches nothing
    squared[:, [text == SUPPRESSED for text in groups.labels]] = 1.0
    return ColumnDistances(people.codes, groups.codes, squared)


def _numbers(labels: tuple[Label, ...]) -> Floats | None:
    """Read labels as numbers or as days, nan for missing and suppressed ones; nothing if others are neither."""
    days = [as_day(text) for text in labels]
    numbers = [as_number(text) for text in labels] if set(days) == {None} else days
    others = [text for text, number in zip(labels, numbers, strict=True) if number is None]
    if len(others) == len(labels) or any(text not in (None, SUPPRESSED) for text in others):
        return None
    return np.array([np.nan if number is None else number for number in numbers])


def _between_numbers(people: Floats, groups: Floats) -> Floats:
    both = np.concatenate((people, groups))
    whole = np.nanmax(both) - np.nanmin(both)
    squared = ((people[:, np.newaxis] - groups) / (whole or 1.0)) ** 2
    one_missing = np.isnan(people)[:, np.newaxis] != np.isnan(groups)
    distances: Floats = np.where(one_missing, 1.0, np.nan_to_num(squared))
    return distances


def _between_labels(people: tuple[Label, ...], groups: tuple[Label, ...], hierarchy: Hierarchy | None) -> Floats:
    """Give the share of telling levels at which labels differ; a group's label may itself be of any level."""
    levels = [0] if hierarchy is None else _telling_levels(hierarchy)
    ones, others = ([_generalised(labels, level, hierarchy) for level in levels] for labels in (people, groups))
    return share_of_levels(ones, others)


def _telling_levels(hierarchy: Hierarchy) -> list[int]:
    """List the levels at which some labels differ, as `search.distances` does: a top that is all `*` tells nothing."""
    return [level for level in range(hierarchy.height) if len(hierarchy.labels(level)) > 1] or [0]


def _generalised(labels: tuple[Label, ...], level: int, hierarchy: Hierarchy | None) -> npt.NDArray[np.object_]:
    if hierarchy is None:
        return np.array(labels, object)
    return np.array([hierarchy.generalise(text, level) if hierarchy.has(text) else text for text in labels], object)
