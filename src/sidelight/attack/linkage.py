"""Where does an attacker find people, in a release, in what a search found, or in counts with noise?

Who may be in which group is answered by `release.locate`; here is what only a search's result adds: the release it
found knows how it prints, and the search itself knows who is really where.  And what only noise lacks: counts that are
certain.  It is looked at through what its counts let somebody expect (`ExpectedCounts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from sidelight.attack.targets import People
from sidelight.errors import BadRelease
from sidelight.release.locate import Linkage, Listed, ListedPeople, Locate, Lookup, SuppressedPeople
from sidelight.release.release import Release
from sidelight.search.method import SearchResult
from sidelight.search.utility import Regions
from sidelight.table.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False, slots=True)
class ExpectedCounts:
    """What somebody expects behind counts with noise: a release whose counts are in `parts` of a person, none of it 0.

    Nothing is ruled out by it, and nothing certain.
    """

    release: Release
    parts: int


@runtime_checkable
class WithNoise(Protocol):
    """Counts with noise, as `dp.NoisyCounts`: what they let somebody expect."""

    def expected_counts(self) -> ExpectedCounts:
        """Return the mean of each count after the noisy one was seen."""
        ...


ReleaseOrResult: TypeAlias = Release | SearchResult | ExpectedCounts
"""A release as the world sees it, what a search found, or what counts with noise let expect."""


def lookups_for(
    releases: Sequence[ReleaseOrResult],
    *,
    by: Mapping[str, Hierarchy] | None,
    locate: Locate | Sequence[Locate | None] | None,
    suppressed: SuppressedPeople | None,
) -> list[Lookup]:
    """Return how people are looked up in each release."""
    ways = [locate] * len(releases) if locate is None or isinstance(locate, str | Listed) else [*locate]
    if len(ways) != len(releases):
        message = f"{len(ways)} ways to locate people in {len(releases)} releases; give one for each, or one for all"
        raise BadRelease(message)
    return [Lookup.build(by, way, suppressed) for way in ways]


def release_of(published: ReleaseOrResult) -> Release:
    """Return what the world sees."""
    return published if isinstance(published, Release) else published.release


def parts_of(published: ReleaseOrResult) -> int | None:
    """Return in how many parts of a person counts are, where they are but expected."""
    return published.parts if isinstance(published, ExpectedCounts) else None


def share_linked_right(published: ReleaseOrResult, people: People, linkage: Linkage) -> Fraction | None:
    """Return the share of the people in a search's table who were looked for in their group; None: nobody knows."""
    if not isinstance(published, SearchResult) or not isinstance(published.outcome.recoding, Regions):
        return None
    recoding = published.outcome.recoding
    if any(people.column(column.name) is None for column in recoding.table.quasi):
        return None
    # −1 is a row in no region: it is in the group of the suppressed, which a release has last, after all regions
    group = np.where(recoding.group < 0, len(recoding.sizes), recoding.group)
    true = ListedPeople(recoding.table.quasi, group, recoding.table.sizes).link(people.known, len(people))
    there = np.flatnonzero(true.matches[true.profile] == 1)
    if len(there) == 0:
        return None
    # a pair of profile and group is one number: whether it is among those linked is one lookup for all people
    true_group = true.group[true.starts[true.profile[there]]]
    width = len(recoding.sizes) + 2
    profile, linked = linkage.pairs
    right = np.isin(linkage.profile[there] * width + true_group, profile * width + linked)
    return Fraction(int(people.sizes[there[right]].sum()), int(people.sizes[there].sum()))
