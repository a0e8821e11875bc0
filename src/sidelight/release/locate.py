"""Which groups may a person be in?  Distances of labels, nearest averages, and lookup by what groups print.

*Distances* of the labels of a column, for searches that group people and for lookups:

Lines       Numbers, days and ordered labels have a place x on a line that is scaled to be from 0 to 1: d² = (x − y)².
Missing     What has no place on the line stands beside it at (1/2, √3/2): as far from both ends as they are from one
            another, and nearest to none.
Categories  d² = the share of levels of the hierarchy, of those that tell any labels apart, at which two labels differ;
            without one 0 if they are equal and 1 if not.
Points      All are squared Euclidean distances, so averages of people stand somewhere, too (`search.distances`).

*The nearest printed average* to a person:

Symbols     d²(i, g) = Σ_c d_c², summed over the columns c that are known of person i and printed about group g.
            d_c² is that of the search that makes averages (`release.locate`), by what the column is: numbers,
            days and ordered labels on a line of the range of both, a missing one beside it; categories: 0 if the
            printed one covers the other, else, with a hierarchy, the share of its levels at which they differ, of those
            at which any of its labels do; else 1.  `*` is at distance 1 from everything.
Wanted      for each person the groups with the least d², all of them when several have it.
Cost        people who differ × groups, a block at a time.

*Lookup*, the same for everything that looks people up in a release.

People are known by some columns; a group prints something in each of its own.  A person may be in a group if in every
column that both have, the printed label covers what is known.  What covers what depends on `locate=`:

- None: as the release was made, where that is known (`printing`: averages, nodes of hierarchies); else every form that
  `printed_labels` reads, hierarchies first.  A release may also know its members, or name its people;
- "intervals": every printed form, however the release was made;
- "labels": a printed label is a name, and covers itself, what a hierarchy has under it, or, as `*`, everything;
- "nearest": the groups whose printed average is nearest (`nearest`);
- a `Listed`: a published list that says who is where, as anatomy's does.

*Suppressed rows* print `*` in every column, beside groups that print more.  Nobody is assumed to be there: whole groups
are suppressed, so a person who is known in every column and fits a printed group is in that one, and a person who fits
none is not located, unless suppressed rows "may hold them" (`assumed` records for whom that was assumed).  A person who
is known in some columns only, and fits a group, may as well be among the suppressed.

The result is a `Linkage`.  A person who fits several groups may be in any of them, in proportion to a weight; a person
who fits none stays unlinked, and is never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, add_up, number_rows
from sidelight.errors import BadRelease, BadTable, as_given, did_you_mean, is_one_of, parameter
from sidelight.release.groups import Groups, suppressed_groups
from sidelight.release.label_order import Cover, LabelOrder, Stretches, join, merge_stretches
from sidelight.release.printed_labels import Nodes, is_coarse, kind_of, may_be_of_one, read_label, tells_days
from sidelight.release.release import Release
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import SUPPRESSED, Column, ColumnKind, Label, as_day, as_number, number_equal_rows
from sidelight.table.table import CELLS_AT_ONCE


def points_of(line: Floats) -> Floats:
    """Return a point for each place on a line (nan: it has none), coordinate × place.

    >>> points_of(np.array([10, 30, 20])).tolist()
    [[0.0, 1.0, 0.5]]
    >>> points_of(np.array([10, 30, np.nan])).round(3).tolist()
    [[0.0, 1.0, 0.5], [0.0, 0.0, 0.866]]
    """
    missing = np.isnan(line)
    if missing.all():
        return np.zeros((1, len(line)))
    low, high = np.nanmin(line), np.nanmax(line)
    scaled: Floats = (line - low) / ((high - low) or 1.0)
    if not missing.any():
        return scaled[np.newaxis]
    # shape (2, places): (½, √¾) is at distance 1 from both ends of the line, so a missing value is far from all
    return np.stack((np.where(missing, 0.5, scaled), np.where(missing, np.sqrt(0.75), 0.0)))


def squared_distances(ones: Floats, others: Floats) -> Floats:
    """Return the squared distance of each of some points from each of others; both are coordinate × point.

    >>> points = points_of(np.array([1, 2, 5, np.nan]))
    >>> squared_distances(points, points[:, 2:]).round(4).tolist()
    [[1.0, 1.0], [0.5625, 0.8125], [0.0, 1.0], [1.0, 0.0]]
    """
    # (coordinates, ones, 1) − (coordinates, 1, others) → summed over coordinates: (ones, others)
    squared: Floats = ((ones[:, :, np.newaxis] - others[:, np.newaxis, :]) ** 2).sum(axis=0)
    return squared


def share_of_levels(ones: Iterable[npt.NDArray[Any]], others: Iterable[npt.NDArray[Any]]) -> Floats:
    """Return the share of levels at which each of some labels differs from each of others; both are level × label.

    >>> cities, regions = np.array(["Kiel", "Ulm", "Bonn"]), np.array(["North", "South", "South"])
    >>> share_of_levels([cities, regions], [cities[1:], regions[1:]]).tolist()
    [[1.0, 1.0], [0.0, 0.5], [0.5, 0.0]]
    """
    # a level at a time: level × label × label would be large
    levels = list(zip(ones, others, strict=True))
    differ = sum((one[:, np.newaxis] != other).astype(float) for one, other in levels)
    share: Floats = differ / len(levels)
    return share


# squared distances are sums of a few values in [0, 1], with float errors near 1e-15, far below this
ROUNDING = 1e-9
"""Squared distances that differ by less are equal."""


def nearest_groups(
    columns: Sequence[tuple[Column, Column]], groups: int, nodes: Mapping[str, Nodes]
) -> tuple[Integers, Integers]:
    """Find all pairs of a row of people and a group with the least distance; `columns` pair known and printed ones.

    >>> ages = Column.of("age", ["20", "58"]), Column.of("age", ["21.5", "60"])
    >>> [part.tolist() for part in nearest_groups([ages], 2, {})]
    [[0, 1], [0, 1]]
    """
    distances = [_compare_column(known, printed, nodes.get(printed.name)) for known, printed in columns]
    pairs, step = [], max(CELLS_AT_ONCE // groups, 1)
    for start in range(0, len(columns[0][0]), step):
        squared: Floats = np.zeros(())
        for labels, (known, printed) in zip(distances, columns, strict=True):
            # (labels, groups) → (rows, groups), column by column: only a block of rows is ever spread out
            squared = squared + labels[:, printed.codes][known.codes[start : start + step]]
        row, group = np.nonzero(squared <= squared.min(axis=1, keepdims=True) + ROUNDING)
        pairs.append((row + start, group))
    row, group = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return row, group


def _compare_column(people: Column, groups: Column, nodes: Nodes | None) -> Floats:
    """Return the squared distance of each label of people from each of groups; on a line only if all stand on it."""
    present = dict.fromkeys(text for text in (*people.labels, *groups.labels) if text not in (None, SUPPRESSED))
    kind = groups.kind or people.kind or kind_of(Column.of(groups.name, present), nodes)
    position = {} if kind == "category" else _line_places(people, present, kind)
    if kind == "category" or not present.keys() <= position.keys():
        squared = _compare_labels(people.labels, groups.labels, nodes)
    else:
        points = points_of(np.array([position.get(text, np.nan) for text in (*people.labels, *groups.labels)]))
        squared = squared_distances(points[:, : len(people.labels)], points[:, len(people.labels) :])
    # after the range is known: a suppressed label has no place and stretches nothing
    squared[:, [text == SUPPRESSED for text in groups.labels]] = 1.0
    return squared


def _line_places(people: Column, labels: Iterable[Label], kind: ColumnKind) -> dict[Label, float]:
    """Return the position of labels on a line: their number or day, or their rank where they are ordered.

    Ordered labels are ranked by the order of the people's labels, or by their numbers or days.
    """
    if kind == "ordered" and people.kind == "ordered":
        present = [text for text in people.labels if text not in (None, SUPPRESSED)]
        return {text: float(rank) for rank, text in enumerate(present)}
    by_size: dict[Label, float] = {}
    for text in labels:
        number, day = as_number(text), as_day(text)
        size = day if kind == "date" or (kind == "ordered" and number is None) else number
        if size is not None:
            by_size[text] = size
    if kind != "ordered":
        return by_size
    return {text: float(rank) for rank, text in enumerate(sorted(by_size, key=lambda text: by_size[text]))}


def _compare_labels(people: tuple[Label, ...], groups: tuple[Label, ...], nodes: Nodes | None) -> Floats:
    """Return the share of telling levels at which labels differ; a group's label may itself be of any level."""
    ones, others = _node_paths(people, nodes), _node_paths(groups, nodes)
    above = {} if nodes is None else nodes.above
    # levels at which some labels of the hierarchy differ: a top of `*` tells nothing
    telling = [
        level
        for level in range(ones.shape[1])
        if nodes is None or len({(text, *up)[level] for text, up in above.items() if len(up) >= level}) > 1
    ] or [0]
    share = share_of_levels(ones.T[telling], others.T[telling])
    under = {} if nodes is None else nodes.labels_by_node
    for at, text in enumerate(groups):
        printed = read_label(text, nodes or ())
        # a printed label that covers a person's own is at distance 0, whatever its level
        share[[label in under.get(text, ()) or printed.covers(label) for label in people], at] = 0.0
    return share


def _node_paths(labels: tuple[Label, ...], nodes: Nodes | None) -> npt.NDArray[np.object_]:
    """Return the nodes above each label, label × level; one that the hierarchy lacks stays what it is on all levels."""
    height = 1 if nodes is None else 1 + max(map(len, nodes.above.values()), default=0)
    paths = np.empty((len(labels), height), object)
    for row, text in enumerate(labels):
        above = () if nodes is None else nodes.above.get(text, ())
        paths[row] = [text, *above, *[above[-1] if above else text] * (height - 1 - len(above))]
    return paths


@dataclass(frozen=True)
class Listed:
    """A published list of people that says which group each is in, such as anatomy's.

    `source` is a file or dataframe with the columns that an attacker knows and a column `bucket`, which also names the
    groups of the release.  People with the same labels may be in different groups: the more of them are in a group,
    the likelier it is.

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

SuppressedPeople: TypeAlias = Literal["not assumed", "may hold them"]
"""Suppressed rows: nobody is assumed to be there, or they may hold people who fit nothing else."""


@dataclass(frozen=True, eq=False, slots=True)
class Lookup:
    """A way to look people up in a release: the hierarchies, the method, and how suppressed rows are treated.

    >>> Lookup.build(suppressed="may hold us")
    Traceback (most recent call last):
    sidelight.errors.BadRelease: no suppressed="may hold us"; choose "not assumed" or "may hold them"
    """

    by: Mapping[str, Nodes] = field(default_factory=dict)
    locate: Locate | None = None
    suppressed: SuppressedPeople = "not assumed"
    coarse: bool = True  # whether people who are known coarsely may be in groups that print more finely

    @classmethod
    def build(
        cls,
        by: Mapping[str, Hierarchy] | None = None,
        locate: Locate | None = None,
        suppressed: SuppressedPeople | None = None,
    ) -> Lookup:
        """Return the lookup for arguments of users; refuse unknown ones."""
        ways = get_args(LocateMethod)
        if locate is not None and not isinstance(locate, Listed) and not (isinstance(locate, str) and locate in ways):
            raise BadRelease(f"no {parameter('locate', as_given(locate))}{did_you_mean(as_given(locate), ways)}")
        if suppressed is not None and not is_one_of(suppressed, SuppressedPeople):
            raise BadRelease(
                f'no {parameter("suppressed", as_given(suppressed))}; choose "not assumed" or "may hold them"'
            )
        nodes = {name: Nodes.from_hierarchy(hierarchy) for name, hierarchy in as_hierarchies(by).items()}
        return cls(nodes, locate, suppressed or "not assumed")

    def nodes(self, release: Release) -> Mapping[str, Nodes]:
        """Return the nodes of a release's columns; the attacker's hierarchies override the release's."""
        return {**(release.printing.nodes if release.printing else {}), **self.by}

    def way(self, release: Release) -> Locate:
        """Return the method by which people are found in a release."""
        if self.locate is not None:
            return self.locate
        return "nearest" if release.printing is not None and release.printing.averages else "intervals"


@dataclass(frozen=True, eq=False, slots=True)
class Linkage:
    """People by profile; people of profile p may be in any of the groups `group[starts[p]:starts[p+1]]`.

    Rows of people whom the release does not distinguish have one profile.  `weight` is the probability of each of its
    groups, up to a common factor; `assumed` whether its people are looked for among suppressed rows only because these
    may hold them.
    """

    profile: Integers  # per row of people
    starts: Integers  # per profile, and one more
    group: Integers
    weight: Integers
    assumed: Flags  # per profile
    by_average: bool = False  # linked to the nearest average, and perhaps in another group

    @classmethod
    def from_pairs(cls, profile: Integers, profiles: int, at: Integers, group: Integers, weight: Integers) -> Linkage:
        """Build from pairs of a profile (`at`) and a group, in any order."""
        # by profile, and in it by group: groups_of is a slice, and comes in the order of the release
        order = np.lexsort((group, at))
        starts = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=profiles))))
        return cls(profile, starts, group[order], weight[order], np.zeros(profiles, bool))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def matches(self) -> Integers:
        """Return how many groups the people of each profile may be in."""
        return np.diff(self.starts)

    @property
    def nowhere(self) -> Flags:
        """Return whether a row of people fits no group."""
        nowhere: Flags = self.matches[self.profile] == 0
        return nowhere

    @property
    def assumed_rows(self) -> Flags:
        """Return whether a row of people is assumed to be suppressed, as it fits nothing that is printed."""
        assumed: Flags = self.assumed[self.profile]
        return assumed

    @property
    def pairs(self) -> tuple[Integers, Integers]:
        """All pairs of a profile and a group that its people may be in."""
        return np.repeat(np.arange(len(self)), self.matches), self.group

    def groups_of(self, row: int) -> Integers:
        """Return the groups that a row of people may be in."""
        at = int(self.profile[row])
        return self.group[self.starts[at] : self.starts[at + 1]]

    def sums(self, amounts: Integers) -> Integers:
        """Add up an amount per group over the groups of each profile."""
        profile, group = self.pairs
        return add_up(profile, amounts[group], len(self))


# Which columns people are found by


def names_people(release: Release, lookup: Lookup) -> bool:
    """Return whether people are looked up by name in a release."""
    return lookup.locate is None and release.people is not None and not release.groups.columns


def columns_of(release: Release, lookup: Lookup) -> tuple[str, ...]:
    """Name the columns by which people can be found in a release."""
    if isinstance(lookup.locate, Listed):
        return lookup.locate.columns()
    if names_people(release, lookup):
        return ()
    printed = tuple(column.name for column in release.groups.columns)
    if release.members is None or lookup.locate is not None:
        return printed
    members = tuple(column.name for column in release.members.columns)
    return printed if printed and set(printed) <= set(members) else members  # else it prints only which bucket is which


def link(
    release: Release, known: Sequence[Column], rows: int, lookup: Lookup | None = None, *, person: str | None = None
) -> Linkage:
    """Find the groups of everybody: `known` are columns about `rows` rows of people.

    >>> release = Release.from_counts([{"Flu": 1}, {"Cold": 2}], labels=[{"age": "30-39"}, {"age": "*"}])
    >>> ages = [Column.of("age", ["34", "77"])]
    >>> link(release, ages, 2).matches.tolist()
    [1, 0]
    >>> assumed = link(release, ages, 2, Lookup.build(suppressed="may hold them"))
    >>> [assumed.groups_of(row).tolist() for row in (0, 1)], assumed.assumed_rows.tolist()
    ([[0], [1]], [False, True])
    """
    lookup = lookup or Lookup()
    way = lookup.way(release)
    if isinstance(way, Listed):
        return link_listed(people_in_list(release, way, [column.name for column in known]), known, rows)
    if names_people(release, lookup):
        assert release.people is not None
        names = Column.of(person or "", release.people)
        rows_of_names = np.fromiter(release.people.values(), np.int64)
        return link_listed(((names,), rows_of_names, np.ones(len(names), np.int64)), known, rows)
    boxes = _boxes(release, known, lookup)
    if way == "nearest" and not boxes.of_members:
        return _link_to_nearest(boxes, known, rows, lookup.nodes(release))
    return _link_by_labels(boxes, known, rows, lookup.nodes(release), lookup, as_names=way == "labels")


# By what is printed: groups are boxes, people points


@dataclass(frozen=True, eq=False, slots=True)
class _Boxes:
    """Boxes to compare people with: the groups of a release, or their members where they are known."""

    groups: Groups
    columns: tuple[Column, ...]
    group: Integers  # per box
    weight: Integers
    of_members: bool = False


def _boxes(release: Release, known: Sequence[Column], lookup: Lookup) -> _Boxes:
    groups, members = release.groups, release.members
    printed = {column.name for column in groups.columns}
    # an attacker who knows only printed columns learns nothing from members, and groups are fewer
    if members is None or lookup.locate is not None or {column.name for column in known} <= printed:
        return _Boxes(groups, groups.columns, np.arange(len(groups)), groups.sizes)
    apart = [column.take(members.key) for column in members.columns]
    names = {column.name for column in apart}
    others = [column.take(members.group) for column in groups.columns if column.name not in names]
    return _Boxes(groups, (*apart, *others), members.group, members.people, of_members=True)


def _link_by_labels(
    boxes: _Boxes, known: Sequence[Column], rows: int, nodes: Mapping[str, Nodes], lookup: Lookup, *, as_names: bool
) -> Linkage:
    by_name = {column.name: column for column in known}
    compared = [column for column in boxes.columns if column.name in by_name]
    covers = [
        _cover(by_name[column.name], column, nodes.get(column.name), as_names=as_names, coarse=lookup.coarse)
        for column in compared
    ]
    # suppressed rows print `*`, which would cover all people: they are left out here and added by the rules below
    suppressed = suppressed_groups(boxes.groups)
    printed = np.flatnonzero(~suppressed[boxes.group])
    linkage = link_by_covers(covers, rows, boxes, printed)
    telling = {column.name for column in boxes.groups.columns if {*column.labels} != {SUPPRESSED}}
    return _add_suppressed(linkage, boxes, suppressed, tell_all=telling <= by_name.keys(), assume=lookup.suppressed)


def _cover(known: Column, printed: Column, nodes: Nodes | None, *, as_names: bool, coarse: bool) -> Cover:
    order = LabelOrder(known.labels, nodes)
    if as_names:
        covered = Stretches.build([order.find_by_name(text) for text in printed.labels])
    else:
        covered = order.find_each_covered(printed.labels)
        covered = _add_coarse(order, printed.labels, covered, nodes) if coarse else covered
    return Cover.build(order.position[known.codes], len(order.labels), covered, printed.codes.astype(np.int64))


def _add_coarse(order: LabelOrder, printed: Sequence[Label], covered: Stretches, nodes: Nodes | None) -> Stretches:
    """Let people who are known coarsely fit what is printed more finely: 30-39 may be 34, the South may be Ulm."""
    coarse = [(text, (at, at + 1)) for at, text in enumerate(order.labels) if is_coarse(text, nodes)]
    # a number of four digits may be a year, which matters only beside days: there may be thousands of such numbers
    if coarse and not any(map(tells_days, printed)):
        coarse = [each for each in coarse if as_number(each[0]) is None or (nodes is not None and each[0] in nodes)]
    if not coarse:
        return covered
    return Stretches.build(
        [
            merge_stretches(
                [*covered.list_stretches(at), *(itself for text, itself in coarse if may_be_of_one(label, text, nodes))]
            )
            for at, label in enumerate(printed)
        ]
    )


def covers_to_tell(printed: Sequence[Label], nodes: Nodes) -> dict[str, tuple[Label, ...]]:
    """Return what labels cover by a hierarchy whose labels are names; omit labels whose form already says it.

    A hierarchy that prints intervals, masks or periods was made by a rule from the values of a table: what else it
    prints, such as "other", stands for values of that table, and is not disclosed.

    >>> city = Nodes.from_hierarchy(Hierarchy.nested("city", {"South": ["Freiburg", "Ulm"], "North": ["Kiel"]}))
    >>> covers_to_tell(["{Kiel, South}", "*"], city)
    {'South': ('Freiburg', 'Ulm')}
    >>> ages = Hierarchy.intervals("age", [*range(90), "asked twice"], widths=[10], others="other")
    >>> covers_to_tell(["30-39", "other"], Nodes.from_hierarchy(ages))
    {}
    """
    by_form = LabelOrder(tuple(nodes.above))
    covers: dict[str, tuple[Label, ...]] = {}
    with_commas = [name for name in (*nodes.above, *nodes.labels_by_node) if name is not None and ", " in name]
    names: dict[Label, None] = {}  # what the hierarchy has of what is printed, alone or in a set
    for text in printed:
        read = read_label(text)
        parts = (text, *read.parts, *(name for name in with_commas if len(read.parts) > 1 and read.covers(name)))
        names.update(dict.fromkeys(part for part in parts if part in nodes))
    for name in names:
        if name is None or name == SUPPRESSED:  # which covers everything anyway
            continue
        under = nodes.labels_by_node.get(name, (name,))
        covered = {text for start, stop in by_form.find_covered(name) for text in by_form.labels[start:stop]}
        if covered != {*under}:
            covers[name] = under
        elif len(under) > 1:
            return {}
    return covers


def link_by_covers(covers: Sequence[Cover], rows: int, boxes: _Boxes, among: Integers) -> Linkage:
    """Find the boxes that cover each row of people in every column; of several groups, large ones are likelier.

    People in the same segments of all columns have one profile.
    """
    # one row stands for each profile, so that the join meets every combination of segments once
    segments = [cover.segment for cover in covers]
    profile, first = number_rows(segments, [int(each.max(initial=0)) + 1 for each in segments], rows=rows)
    if covers:
        row, box = join(covers, first, among)
        at = profile[row]
    else:
        # nothing is known about people: a single profile, which may be in any group
        at, box = np.zeros(len(among), np.int64), among
    if not boxes.of_members:
        return Linkage.from_pairs(profile, len(first), at, boxes.group[box], boxes.weight[box])
    # members of a group who fit are one entry, which weighs as much as they are
    groups = len(boxes.groups)
    pairs, pair = np.unique(at * groups + boxes.group[box], return_inverse=True)
    weight = add_up(pair, boxes.weight[box], len(pairs))
    return Linkage.from_pairs(profile, len(first), pairs // groups, pairs % groups, weight)


def _add_suppressed(
    linkage: Linkage, boxes: _Boxes, suppressed: Flags, *, tell_all: bool, assume: SuppressedPeople
) -> Linkage:
    """Add suppressed rows for people who may be there: known in part only, or assumed there as they fit nowhere."""
    starred = np.flatnonzero(suppressed)
    # known by all telling columns, a person who fits a group is there; known in part, they may be suppressed as well
    fits = linkage.matches > 0
    may_be = np.zeros(len(linkage), bool) if tell_all else fits
    assumed = ~fits if assume == "may hold them" and len(starred) else np.zeros(len(linkage), bool)
    added = np.flatnonzero(may_be | assumed)
    if len(starred) == 0 or len(added) == 0:
        return linkage
    profile, group = linkage.pairs
    at = np.concatenate((profile, np.repeat(added, len(starred))))
    group = np.concatenate((group, np.tile(starred, len(added))))
    weight = np.concatenate((linkage.weight, np.tile(boxes.groups.sizes[starred], len(added))))
    return replace(Linkage.from_pairs(linkage.profile, len(linkage), at, group, weight), assumed=assumed)


# By the nearest printed average


def _link_to_nearest(boxes: _Boxes, known: Sequence[Column], rows: int, nodes: Mapping[str, Nodes]) -> Linkage:
    among = np.flatnonzero(~suppressed_groups(boxes.groups))
    by_name = {column.name: column for column in known}
    pairs = [(by_name[column.name], column) for column in boxes.columns if column.name in by_name]
    if not pairs:
        return link_by_covers((), rows, boxes, among)
    profile, first = number_equal_rows(tuple(column for column, _ in pairs), rows)
    columns = [(column.take(first), printed.take(among)) for column, printed in pairs]
    at, near = nearest_groups(columns, len(among), nodes)
    # `near` indexes the groups that are not suppressed; `group` the rows of the release
    group = among[near]
    return replace(Linkage.from_pairs(profile, len(first), at, group, boxes.weight[group]), by_average=True)


# By a list that says who is where: anatomy's table of people, names


ListedRows: TypeAlias = tuple[tuple[Column, ...], Integers, Integers]
"""Rows of a list: cells of people, their group, how many they are."""


def link_listed(listed: ListedRows, known: Sequence[Column], rows: int) -> Linkage:
    """Find people who are listed exactly as they are known."""
    columns, group, people = listed
    by_name = {column.name: column for column in known}
    # the list's rows first, then people: equal numbers mean equal cells across the two
    both = tuple(column.stack_on(by_name[column.name]) for column in columns if column.name in by_name)
    number, _ = number_equal_rows(both, len(group) + rows)
    profiles, groups = int(number.max()) + 1, int(group.max()) + 1
    # people of a profile who are in one group are one entry, which weighs as much as they are
    keys, kind = np.unique(number[: len(group)] * groups + group, return_inverse=True)
    weight = add_up(kind, people, len(keys))
    return Linkage.from_pairs(number[len(group) :], profiles, keys // groups, keys % groups, weight)


def people_in_list(release: Release, listed: Listed, known: list[str]) -> ListedRows:
    """Read a list, and find the groups that it names."""
    if isinstance(listed.source, Release):  # read already: its values are the groups
        row, value, people = listed.source.groups.counts.entries()
        columns = tuple(column.take(row) for column in listed.source.groups.columns if column.name in known)
        bucket = Column(listed.bucket, listed.source.domain, value.astype(np.int32))
    else:
        from sidelight.engines.read import distinct_rows  # noqa: PLC0415 - only where a list is read here

        cells, people = distinct_rows(listed.source, [*known, listed.bucket])
        columns, bucket = cells[:-1], cells[-1]
    names = next((column for column in release.groups.columns if column.name == listed.bucket), None)
    if names is None:
        raise BadTable(
            f"the release has no column '{listed.bucket}' that says which group is which; name it in Listed(…)"
        )
    row_of: dict[Label, int] = {names.cell(at): at for at in range(len(names))}
    absent = sum(text not in row_of for text in bucket.labels)
    if absent:
        raise BadTable(
            f"{absent:,} groups of the list in '{listed.bucket}' are not in the release; give the list of this one"
        )
    return columns, np.array([row_of[text] for text in bucket.labels])[bucket.codes], people
