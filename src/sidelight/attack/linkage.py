"""How an attacker finds a person's group in a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

import numpy as np

from sidelight.attack.covers import cover_of_labels, cover_of_stretches
from sidelight.attack.listed import Entries, Listed, entries_of_list, entries_of_members, entries_of_names
from sidelight.attack.located import Located, located
from sidelight.attack.nearest import nearest
from sidelight.attack.targets import People
from sidelight.errors import BadRelease, did_you_mean
from sidelight.release.release import Release
from sidelight.search.found import Found
from sidelight.search.microaggregation import Microaggregation
from sidelight.search.recoding import Stretches
from sidelight.table.columns import Integers
from sidelight.table.hierarchy import Hierarchy

Way: TypeAlias = Literal["labels", "intervals", "nearest"]
"""Printed labels as they are (`*` covers all, a hierarchy's label what is under it); also intervals and sets as
Mondrian prints them; or the nearest printed average."""

Locate: TypeAlias = Way | Listed
"""How to find people: a way, or a list that says who is where."""

Published: TypeAlias = Release | Found
"""A release as the world sees it, or what a search found, with its regions."""


def ways_for(releases: Sequence[Published], locate: Locate | Sequence[Locate | None] | None) -> list[Locate | None]:
    """Give each release its way; none said: what is known about how it was made."""
    ways = [locate] * len(releases) if locate is None or isinstance(locate, str | Listed) else [*locate]
    if len(ways) != len(releases):
        message = f"{len(ways)} ways to locate people in {len(releases)} releases; give one for each, or one for all"
        raise BadRelease(message)
    for way in ways:
        if way is not None and not isinstance(way, Listed) and way not in get_args(Way):
            message = f"no locate={way!r}{did_you_mean(str(way), get_args(Way))}"
            raise BadRelease(message)
    return ways


def release_of(published: Published) -> Release:
    """Give what the world sees."""
    return published.release if isinstance(published, Found) else published


def columns_of(published: Published, way: Locate | None) -> tuple[str, ...]:
    """Name the columns by which people can be found in a release."""
    if isinstance(published, Found) and way is None:
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
    if isinstance(published, Found) and way is None:
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


def _in_regions(found: Found, people: People, by: Mapping[str, Hierarchy]) -> Located:
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
    if not isinstance(published, Found) or not isinstance(published.outcome.recoding, Stretches):
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
