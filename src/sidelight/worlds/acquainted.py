"""The slow, obvious twin of `Acquaintance`: every target, everything she may know, every world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.brute_force import Person, World, every_world

People: TypeAlias = tuple[Person, ...]


def worst_acquaintance(release: Release, value: Label, *, rules_out: int, others: int, family: int) -> Fraction:
    """How sure of `value` can someone get?  By trying everything.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> worst_acquaintance(release, "Flu", rules_out=1, others=0, family=0)
    Fraction(2, 3)
    """
    worlds = list(every_world(release))
    people = list(worlds[0])
    rest = [text for text in release.domain if text != value]
    told = _values_of if release.semantics == "single" else _without(value)
    worst = Fraction(0)
    for target in people:
        for ruled_out in _up_to(rest, rules_out):
            possible = [world for world in worlds if _fits(release, world[target], value, ruled_out)]
            for known, relatives in _parts([each for each in people if each != target], others, family):
                fitting = [world for world in possible if _implied(world, value, target, relatives)]
                answers = [(told(world, known), value in world[target]) for world in fitting]
                worst = max(worst, _surest(answers))
    return worst


def _fits(release: Release, has: frozenset[Label], value: Label, ruled_out: Iterable[Label]) -> bool:
    allowed = not has.intersection(ruled_out)
    return allowed or (release.semantics != "single" and value in has)


def _implied(world: World, value: Label, target: Person, relatives: People) -> bool:
    return value in world[target] or all(value not in world[person] for person in relatives)


def _values_of(world: World, known: People) -> object:
    """Whatever the values of these people are: she learns them."""
    return tuple(world[person] for person in known)


def _without(value: Label) -> Callable[[World, People], object]:
    """She learns that these people lack the value; worlds in which one has it say nothing (`None`)."""
    return lambda world, known: True if all(value not in world[person] for person in known) else None


def _surest(answers: list[tuple[object, bool]]) -> Fraction:
    """Take, over all that she may be told, the highest share of worlds in which the target has it."""
    possible = Counter(answer for answer, _ in answers if answer is not None)
    has = Counter(answer for answer, it_has in answers if it_has)
    return max((Fraction(has[answer], possible[answer]) for answer in possible), default=Fraction(0))


def _up_to(things: list[Label], most: int) -> Iterator[tuple[Label, ...]]:
    for number in range(min(most, len(things)) + 1):
        yield from combinations(things, number)


def _parts(people: list[Person], others: int, family: int) -> Iterator[tuple[People, People]]:
    """Choose others and a family, different people, at most so many of each."""
    for number in range(min(others, len(people)) + 1):
        for known in combinations(people, number):
            left = [person for person in people if person not in known]
            for relatives in range(min(family, len(left)) + 1):
                for chosen in combinations(left, relatives):
                    yield known, chosen
