"""The slow, obvious twin of the worst case: try everything somebody might know, in every world.

For tests on tiny releases.  Worlds are numbered, and what is known or asked is the set of worlds in which it holds,
written as the bits of an integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import and_, or_

from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.brute_force import every_world


class NumberedWorlds:
    """All worlds of a release, and for each person and value the worlds in which the person has the value."""

    def __init__(self, release: Release) -> None:
        worlds = list(every_world(release))
        self.all = (1 << len(worlds)) - 1
        self.atoms: dict[tuple[tuple[int, int], Label], int] = {
            (person, value): sum(1 << number for number, world in enumerate(worlds) if value in world[person])
            for person in worlds[0]
            for value in release.domain
        }

    def targets(self, value: Label) -> list[int]:
        """Give the atoms that may be shown: of one value, or (None) of any."""
        return [worlds for (_, own), worlds in self.atoms.items() if value is None or own == value]

    def surest(self, value: Label, known: Iterable[int]) -> Fraction:
        """Give the largest probability of any target under any of these pieces of knowledge that can be true."""
        targets = self.targets(value)
        return max(_probability(target, given) for given in set(known) if given for target in targets)


def worst_implications_with_one_conclusion(release: Release, k: int, value: Label = None) -> Fraction:
    """Try all sets of k implications A_i → A, A being what is to be shown.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> worst_implications_with_one_conclusion(release, 1)
    Fraction(2, 3)
    """
    worlds = NumberedWorlds(release)
    every = {*worlds.atoms.values()}
    return max(
        _probability(target, given)
        for target in worlds.targets(value)
        for given in _conjunctions({worlds.all & ~atom | target for atom in every}, k, worlds.all)
        if given
    )


def worst_implications(release: Release, k: int, value: Label = None) -> Fraction:
    """Try all conjunctions of k basic implications: if all of these atoms, then one of those."""
    worlds = NumberedWorlds(release)
    every = [*worlds.atoms.values()]
    premises = {reduce(and_, some) for some in _subsets(every)}
    conclusions = {reduce(or_, some) for some in _subsets(every)}
    basic = {worlds.all & ~premise | conclusion for premise in premises for conclusion in conclusions}
    return worlds.surest(value, _conjunctions(basic, k, worlds.all))


def worst_negations(release: Release, k: int, value: Label = None) -> Fraction:
    """Try all sets of k facts "p does not have s", about anybody.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> worst_negations(release, 1)
    Fraction(2, 3)
    """
    worlds = NumberedWorlds(release)
    negated = {worlds.all & ~atom for atom in worlds.atoms.values()}
    return worlds.surest(value, _conjunctions(negated, k, worlds.all))


def _conjunctions(facts: set[int], k: int, everything: int) -> set[int]:
    """Give all different conjunctions of at most k facts."""
    known = {everything}
    for _ in range(k):
        known |= {one & other for one in known for other in facts}
    return known


def _subsets(atoms: list[int]) -> Iterator[tuple[int, ...]]:
    different = sorted({*atoms})
    return (some for size in range(1, len(different) + 1) for some in combinations(different, size))


def _probability(target: int, given: int) -> Fraction:
    return Fraction((target & given).bit_count(), given.bit_count())
