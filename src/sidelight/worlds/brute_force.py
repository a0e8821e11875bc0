"""The slow, obvious twin of everything: go through every world, one by one.

For tests and for replaying small witnesses; the number of worlds explodes with the groups' sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import TypeAlias

from sidelight.errors import BadMeasure
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label

Person: TypeAlias = tuple[int, int]
"""Somebody: the number of the group (from 1) and a place in it (from 0)."""

World: TypeAlias = Mapping[Person, frozenset[Label]]
"""Which values each person has (in `multiset`, how often does not matter for having a value)."""

Event: TypeAlias = Callable[[World], bool]


def worlds_of_group(groups: Groups, row: int) -> Iterator[tuple[frozenset[Label], ...]]:
    """Go through the worlds of one group: all equally likely, each person's values in place.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"a": 1, "b": 1}], sizes=[2], values="set")
    >>> [[sorted(values) for values in world] for world in worlds_of_group(release.groups, 0)]
    [[['a', 'b'], []], [['a'], ['b']], [['b'], ['a']], [[], ['a', 'b']]]
    """
    people = range(int(groups.sizes[row]))
    counts = {text: int(n) for text, n in zip(groups.domain, groups.counts.row(row), strict=True) if n}
    if groups.semantics == "single":
        yield from _one_value_each(len(people), counts)
        return
    if groups.semantics == "set":
        places = [list(combinations(people, n)) for n in counts.values()]
    else:
        places = [list(product(people, repeat=n)) for n in counts.values()]
    for chosen in product(*places):
        owners = list(zip(counts, chosen, strict=True))
        yield tuple(frozenset(text for text, who in owners if person in who) for person in people)


def _one_value_each(people: int, left: dict[Label, int]) -> Iterator[tuple[frozenset[Label], ...]]:
    if people == 0:
        yield ()
        return
    for text, n in left.items():
        if n:
            for rest in _one_value_each(people - 1, {**left, text: n - 1}):
                yield (frozenset([text]), *rest)


def every_world(release: Release) -> Iterator[World]:
    """Go through all worlds of a release: groups are independent."""
    groups = [list(worlds_of_group(release.groups, row)) for row in range(len(release))]
    for chosen in product(*groups):
        yield {
            (number, place): values
            for number, group in enumerate(chosen, start=1)
            for place, values in enumerate(group)
        }


def probability(release: Release, event: Event, *, given: Event = lambda _world: True) -> Fraction:
    """Worlds where both hold / worlds where `given` holds.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}])
    >>> probability(release, lambda world: "Flu" in world[1, 0])
    Fraction(2, 3)
    """
    both = possible = 0
    for world in every_world(release):
        if given(world):
            possible += 1
            both += event(world)
    if possible == 0:
        message = "no world fits both the release and what is known; drop one of the facts"
        raise BadMeasure(message)
    return Fraction(both, possible)
