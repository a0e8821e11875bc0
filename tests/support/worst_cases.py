"""Slow twins of measures: the worst that anybody might know of a release, by trying everything.

Worlds are gone through by `worlds.brute_force`.

    worst_acquaintance                  `Acquaintance`: every target, everything she may know
    worst_acquaintance_over_groups      `Acquaintance` without worlds, by dynamic programming over groups: smallest odds
                                        against when i others and j of the family sit in the groups so far, with the
                                        target among them or not.  Each group takes (i', j') of them, a
                                        (min, ×)-convolution: groups × (others × family)² × values
    worst_implications, worst_negations `Implications`, `Negations`: every set of k pieces of knowledge.  Worlds are
                                        numbered, and what is known is the set of worlds in which it holds, as bits
    cheapest_implications               `CheapestKnowledge`: the same sets, by what they cost
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from heapq import heappop, heappush
from itertools import product
from operator import and_, or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers
from sidelight.errors import BadMeasure
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, Semantics
from sidelight.worlds.brute_force import Person, World, every_world, up_to


def worst_acquaintance(release: Release, value: Label, *, rules_out: int, others: int, family: int) -> Fraction:
    """Return how sure of `value` an attacker can get, by trying everything.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> worst_acquaintance(release, "Flu", rules_out=1, others=0, family=0)
    Fraction(2, 3)
    """
    worlds = list(every_world(release))
    rest = [text for text in release.domain if text != value]

    def learn(world: World, known: tuple[Person, ...]) -> object:
        if release.semantics == "single":
            return tuple(world[person] for person in known)
        # that these people lack the value; worlds in which one has it say nothing
        return True if all(value not in world[person] for person in known) else None

    worst = Fraction(0)
    for target in worlds[0]:
        people = [each for each in worlds[0] if each != target]
        for ruled_out, known in product(up_to(rest, rules_out), up_to(people, others)):
            # she has none of what is ruled out, or the value too; who has one value each cannot have both
            possible = [each for each in worlds if value in each[target] or each[target].isdisjoint(ruled_out)]
            for relatives in up_to([each for each in people if each not in known], family):
                fitting = [
                    (learn(world, known), value in world[target])
                    for world in possible
                    if value in world[target] or all(value not in world[person] for person in relatives)
                ]
                # worlds with the same answer are those that she cannot tell apart any more
                alike = Counter(answer for answer, _ in fitting if answer is not None)
                having = Counter(answer for answer, has in fitting if has)
                worst = max([worst, *(Fraction(having[answer], alike[answer]) for answer in alike)])
    return worst


Numbers: TypeAlias = npt.NDArray[np.object_] | npt.NDArray[np.float64]


Divide: TypeAlias = Callable[[Integers | int, Integers | int], Numbers]


def divide_exactly(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide exactly."""
    pairs = np.broadcast(over, under)
    return np.array([Fraction(int(a), int(b)) for a, b in pairs], object).reshape(pairs.shape)


def divide_in_floats(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide quickly."""
    return np.asarray(np.true_divide(over, under))


def worst_acquaintance_over_groups(
    groups: Groups, *, rules_out: int, others: int, family: int, divide: Divide = divide_exactly
) -> Numbers:
    """Return the worst risk of each value, with others and family spread over the groups in any way.

    `Acquaintance` itself lets them sit together (congregation); this does not assume it.  It goes through no worlds,
    so it is the twin for releases too large for that.

    `placed[i, j]` are the smallest odds against when i others, j of the family and the target sit in the groups so
    far, `waiting[i, j]` the same without the target.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> worst_acquaintance_over_groups(release.groups, rules_out=1, others=0, family=0).tolist()
    [Fraction(1, 2), Fraction(2, 3), Fraction(1, 2)]
    """
    one = divide(np.ones((others + 1, family + 1, len(groups.domain)), np.int64), 1)
    waiting, placed, seen = one, one, np.zeros(len(groups.domain), bool)
    for row in range(len(groups)):
        counts = groups.counts.row(row)
        none = _none_has(groups.semantics, int(groups.sizes[row]), counts, (others + 1, family), divide)
        odds = _odds_against(groups.semantics, int(groups.sizes[row]), counts, (rules_out, others), divide)
        # the target sits in a group before, or in this one
        elsewhere = _convolve(placed, none[:-1])
        in_this = _convolve(waiting, odds[:, np.newaxis] * none[1:])
        # a target needs a group with the value: this one, one before, or in either
        placed = np.where(counts == 0, elsewhere, np.where(seen, np.minimum(elsewhere, in_this), in_this))
        waiting = _convolve(waiting, none[:-1])
        seen |= counts > 0
    least = placed[-1, -1]
    return np.array([1 / (1 + each) if occurs else 0 * each for each, occurs in zip(least, seen, strict=True)])


def _convolve(before: Numbers, in_group: Numbers) -> Numbers:
    """Return the best way to seat i others and j of the family in one more group, the rest in those before."""
    # (others + 1, family + 1, values); none of either in this group is the first way
    least: Numbers = before * in_group[0, 0]
    for i, j in np.ndindex(before.shape[:2]):
        rest = before[: before.shape[0] - i, : before.shape[1] - j]
        np.minimum(least[i:, j:], rest * in_group[i, j], out=least[i:, j:])
    return least


def _none_has(semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide) -> Numbers:
    """V[i, j]: the probability that none of j people has the value, i others being known to lack it."""
    table = divide(np.ones((most[0] + 1, most[1] + 1, len(counts)), np.int64), 1)
    for i, j in np.ndindex(most[0] + 1, most[1]):
        undecided = people - i - j
        if semantics == "multiset":
            # each occurrence, on its own, goes to one of the others who are undecided
            step = divide(np.maximum(undecided - 1, 0), max(undecided, 1)) ** counts
        else:
            step = divide(np.maximum(undecided - counts, 0), max(undecided, 1))
        table[i, j + 1] = np.where(counts == 0, 1, table[i, j] * step)
    return table


def _odds_against(
    semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide
) -> Numbers:
    """T[i]: the odds against the target having the value, i others being known to lack it (where anybody has it)."""
    top = [np.sort(np.delete(counts, value))[::-1][: most[0]] for value in range(len(counts))]
    ruled_out = np.array([each.sum() for each in top], np.int64)
    table = divide(np.ones((most[1] + 1, len(counts)), np.int64), 1)
    for i in range(most[1] + 1):
        if semantics == "single":
            table[i] = divide(np.maximum(people - counts - ruled_out - i, 0), np.maximum(counts, 1))
        elif semantics == "set":
            kept = np.array([divide(people - each, people).prod() for each in top])
            table[i] = divide(np.maximum(people - counts - i, 0), np.maximum(counts, 1)) * kept
        else:
            # q/(1−q) with q = ((n−i−1)/(n−i))^a
            q = divide(max(people - i - 1, 0), max(people - i, 1)) ** np.maximum(counts, 1)
            table[i] = q / (1 - q) * divide(people - 1, people) ** ruled_out
    return table


class NumberedWorlds:
    """All worlds of a release, and for each person and value the worlds in which the person has the value."""

    def __init__(self, release: Release) -> None:
        worlds = list(every_world(release))
        # bit w of a number stands for world w, so that whole sets of worlds are joined and counted at once
        self.all = (1 << len(worlds)) - 1
        self.atoms: dict[tuple[tuple[int, int], Label], int] = {
            (person, value): sum(1 << number for number, world in enumerate(worlds) if value in world[person])
            for person in worlds[0]
            for value in release.domain
        }

    def targets(self, value: Label) -> list[int]:
        """Return the atoms that may be shown: of one value, or (None) of any."""
        return [worlds for (_, own), worlds in self.atoms.items() if value is None or own == value]

    def surest(self, value: Label, known: Iterable[int]) -> Fraction:
        """Return the largest probability of any target under any of these pieces of knowledge that can be true."""
        targets = self.targets(value)
        return max(_probability(target, knowledge) for knowledge in set(known) if knowledge for target in targets)


def worst_implications_with_one_conclusion(release: Release, k: int, value: Label = None) -> Fraction:
    """Return the worst over all sets of k implications A_i → A, A being what is to be shown.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> worst_implications_with_one_conclusion(release, 1)
    Fraction(2, 3)
    """
    worlds = NumberedWorlds(release)
    every = {*worlds.atoms.values()}
    return max(
        _probability(target, knowledge)
        for target in worlds.targets(value)
        for knowledge in _conjunctions({worlds.all & ~atom | target for atom in every}, k, worlds.all)
        if knowledge
    )


def worst_implications(release: Release, k: int, value: Label = None) -> Fraction:
    """Return the worst over all conjunctions of k basic implications: if all of these, then one of those."""
    worlds = NumberedWorlds(release)
    every = sorted({*worlds.atoms.values()})
    premises = {reduce(and_, some) for some in up_to(every, len(every), least=1)}
    conclusions = {reduce(or_, some) for some in up_to(every, len(every), least=1)}
    basic = {worlds.all & ~premise | conclusion for premise in premises for conclusion in conclusions}
    return worlds.surest(value, _conjunctions(basic, k, worlds.all))


def cheapest_implications(
    release: Release,
    reach: Fraction,
    price: Callable[[Label], Fraction],
    targets: Iterable[Label],
    *,
    one_conclusion: bool = True,
) -> Fraction | None:
    """Find the cheapest set of implications A → B that reaches as much of any target, by going up in price.

    With `one_conclusion` B is always what is to be shown; otherwise any atom.  None where nobody has such a value.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> cheapest_implications(release, Fraction(2, 3), lambda value: Fraction(1), release.domain)
    Fraction(1, 1)
    """
    worlds = NumberedWorlds(release)
    target_atoms = {atom for (_, value), atom in worlds.atoms.items() if value in {*targets} and atom}
    # of facts that hold in the same worlds the cheapest is written last, and stays
    by_falling_price = sorted(worlds.atoms.items(), key=lambda atom: -price(atom[0][1]))

    def cheapest(conclusions: Iterable[int], among: set[int]) -> Fraction:
        facts = {
            worlds.all & ~premise | conclusion: price(value)
            for conclusion in conclusions
            for (_, value), premise in by_falling_price
        }
        return _cheapest(
            facts, worlds.all, lambda knowledge: any(_probability(each, knowledge) >= reach for each in among)
        )

    if not target_atoms:
        return None
    if one_conclusion:
        return min(cheapest([target], {target}) for target in target_atoms)
    return cheapest(worlds.atoms.values(), target_atoms)


def _cheapest(facts: Mapping[int, Fraction], everything: int, reached: Callable[[int], bool]) -> Fraction:
    """Return the price of the cheapest conjunction of facts that can be true and reaches it (Dijkstra)."""
    waiting, passed = [(Fraction(0), everything)], set[int]()
    while waiting:
        price, knowledge = heappop(waiting)
        if reached(knowledge):
            return price
        if knowledge not in passed:
            passed.add(knowledge)
            for fact, cost in facts.items():
                # a fact that leaves no world, or rules none out, leads nowhere
                if knowledge & fact not in (0, knowledge):
                    heappush(waiting, (price + cost, knowledge & fact))
    message = "no knowledge that can be true reaches it; give a lower reach"
    raise BadMeasure(message)


def worst_negations(release: Release, k: int, value: Label = None) -> Fraction:
    """Return the worst over all sets of k facts "p does not have s", about anybody.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> worst_negations(release, 1)
    Fraction(2, 3)
    """
    worlds = NumberedWorlds(release)
    negated = {worlds.all & ~atom for atom in worlds.atoms.values()}
    return worlds.surest(value, _conjunctions(negated, k, worlds.all))


def _conjunctions(facts: set[int], k: int, everything: int) -> set[int]:
    """Return all different conjunctions of at most k facts."""
    # conjunctions that hold in the same worlds are one
    known = {everything}
    for _ in range(k):
        known |= {one & other for one in known for other in facts}
    return known


def _probability(target: int, knowledge: int) -> Fraction:
    return Fraction((target & knowledge).bit_count(), knowledge.bit_count())
