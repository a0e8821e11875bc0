"""Can one look per group, each behind its veil, have given this release?

A release that resists an insider keeps every belief within a limit, if it was made so; whoever says so may be mistaken.
Which cut a group looks at follows from its counts and from sizes (`search.mondrian`), so the tree follows from the
release:

Node      The people of some published groups, with their published counts added up.
Several   The cut that is looked at was made: so it parts no published group, and passes by the counts.
One       The group was closed: so its cut may fail, or was veiled.  One that passes in all worlds (F = 0) and has no
          veil would have been made; without a cut to look at the group is closed in any case.

Sound     What is refused has probability 0, whoever has which value.  What is not refused can have come about so; that
          coins were tossed, and not known, nobody sees in a release.
Stand-in  Values are dealt to the lines of each group in any order: only sums over whole groups are ever looked at.
Cost      That of the search itself, a pass over the lines for each generation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, starts_of
from sidelight.errors import BadRelease
from sidelight.minimality.group_question import RosterLines
from sidelight.release.release import Release
from sidelight.search.mondrian import OneLook, label_counts
from sidelight.search.mondrian_cuts import Cuts
from sidelight.search.mondrian_frontier import Generation, KeyStore
from sidelight.search.orders import column_orders
from sidelight.table.counts import Counts
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table


def refuse_other_than_looks(
    roster: RosterLines, release: Release, look: OneLook, by: dict[str, Hierarchy], towards: str | None
) -> None:
    """Refuse a release with a group that one look per group cannot give, naming it."""
    table = _any_world(roster, release)
    orders = column_orders(table.quasi, by)
    target = None if towards is None else label_counts(table, towards)
    store = KeyStore.from_table(table, orders)
    for generation in store.generations():
        looks = _join_looks(look.looks(generation, orders, target))
        store.split(generation, _published_cuts(generation, roster.group[generation.keys], looks, look, release))


def _published_cuts(
    generation: Generation, published: Integers, looks: tuple[Cuts, Floats], look: OneLook, release: Release
) -> Cuts:
    """Return the cut of each node with several published groups, or refuse; `published` is that of each key."""
    cuts, veils = looks
    first = published[starts_of(generation.group, generation.groups)[:-1]]  # of the published groups of each node
    several = np.zeros(generation.groups, bool)
    # a node has several published groups when some key's differs from that of its first key
    several[generation.group[published != first[generation.group]]] = True
    looked_at = np.zeros(generation.groups, bool)
    looked_at[cuts.group] = True
    _refuse_some(several & ~looked_at, first, release)
    parting = cuts.take(several[cuts.group])
    _refuse_parted(generation, published, parting, release)
    _refuse_some(~look.passes(parting, generation), first[parting.group], release)
    # a closed group whose cut had no veil was decided by its values alone: that cut must be able to fail
    closed = cuts.take(~several[cuts.group] & (veils == 0))
    counts = release.groups.counts.take(first[closed.group]).dense()
    _refuse_some(look.veil.cannot_fail(counts, closed.left), first[closed.group], release)
    return parting


def _refuse_parted(generation: Generation, published: Integers, cuts: Cuts, release: Release) -> None:
    """Refuse where a cut has people of one published group on both sides."""
    right, cut = np.zeros(len(published), bool), np.zeros(generation.groups, bool)
    right[generation.right_of(cuts)[1]] = True
    cut[cuts.group] = True
    both = np.intersect1d(published[right], published[~right & cut[generation.group]])
    _refuse_some(np.ones(len(both), bool), both, release)


def _refuse_some(wrong: Flags, row: Integers, release: Release) -> None:
    """Name the first published group, by its row, that the looks cannot give."""
    if wrong.any():
        _refuse(release, int(row[wrong].min()))


def _refuse(release: Release, row: int) -> NoReturn:
    message = (
        f"{release.groups.name(row).in_errors} is none that one look at a cut of each group gives, whatever values "
        "its people have: this method and policy did not make this release of these people; give those that did"
    )
    raise BadRelease(message)


def _join_looks(looks: Iterator[tuple[Cuts, Floats]]) -> tuple[Cuts, Floats]:
    parts, veils = zip((Cuts.concatenate([]), np.zeros(0)), *looks, strict=True)
    return Cuts.concatenate(parts), np.concatenate(veils)


def _any_world(roster: RosterLines, release: Release) -> Table:
    """Deal the values of each group to its lines in their order; columns stand as in the release."""
    groups = release.groups
    _, value, count = groups.counts.entries()  # by group, as the lines are
    line_ends, entry_ends = np.cumsum(roster.people), np.cumsum(count)
    # cutting at the ends of both lines and entries leaves stretches of one line and one value each
    ends = np.union1d(line_ends, entry_ends)
    line, entry = np.searchsorted(line_ends, ends), np.searchsorted(entry_ends, ends)
    shape = (len(roster.people), len(groups.domain))
    counts = Counts.from_entries(line, value[entry], np.diff(ends, prepend=0), shape)
    place = {column.name: at for at, column in enumerate(groups.columns)}
    columns = sorted(roster.columns, key=lambda column: place.get(column.name, len(place)))
    return Table(tuple(columns), release.sensitive, groups.domain, roster.people, counts)
