"""The slow, obvious twin of everything: go through every world, one by one.

For tests and for replaying small witnesses; the number of worlds explodes with the groups' sizes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from operator import and_, or_
from typing import NamedTuple, TypeAlias

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


# ----------------------------------------------------------------------------------------------------
# The slow, obvious twin of `Acquaintance`: every target, everything she may know, every world.
# ----------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------
# The slow, obvious twin of the worst case: try everything somebody might know, in every world.
#
# For tests on tiny releases.  Worlds are numbered, and what is known or asked is the set of worlds in which it holds,
# written as the bits of an integer.
# ----------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------
# The slow, obvious twin of prior belief: go through every sequence of values that could have been drawn.
#
# Somebody believes that people's values are drawn independently from an unknown distribution, itself drawn from a
# Dirichlet prior.  Then a sequence of values has a known probability, and every belief is a ratio of two sums of such
# probabilities: over the sequences that fit what was published and known, and over those of them where it is so.
# ----------------------------------------------------------------------------------------------------


Sequence: TypeAlias = tuple[Label, ...]
Chance: TypeAlias = Callable[[Sequence], Fraction]
"""How likely a sequence of values is, before anything is published."""

Amount: TypeAlias = Fraction | float


def drawn_from_dirichlet(parameters: Mapping[Label, Fraction]) -> Chance:
    """Draw one after another: each value as likely as its parameter and its number so far make it.

    >>> chance = drawn_from_dirichlet({"a": Fraction(1), "b": Fraction(2)})
    >>> chance(("a", "a", "b")), chance(("b", "a", "a"))
    (Fraction(1, 15), Fraction(1, 15))
    """

    def chance(sequence: Sequence) -> Fraction:
        likely, left = Fraction(1), dict(parameters)
        for value in sequence:
            likely *= left[value] / sum(left.values())
            left[value] += 1
        return likely

    return chance


def drawn_from(shares: Mapping[Label, Fraction]) -> Chance:
    """Draw independently, with these shares: the infinitely stubborn."""
    return lambda sequence: math.prod((shares[value] for value in sequence), start=Fraction(1))


def smallest_epsilon_of_group(
    bag: Mapping[Label, int], domain: Sequence, has: Callable[[Label], bool], *, chance: Chance, known: int = 0
) -> Amount | None:
    """Give ε of one group by the definition: the worst over who is asked about and who is known.

    `bag` is what is published of the group, `has` the value or predicate asked about; None if nobody has it.

    >>> chance = drawn_from_dirichlet({"Flu": Fraction(2), "Cold": Fraction(3)})
    >>> smallest_epsilon_of_group({"Flu": 2, "Cold": 1}, ("Flu", "Cold"), lambda value: value == "Flu", chance=chance)
    Fraction(12, 7)
    """
    everything = [_Drawn.of(world, chance) for world in product(domain, repeat=sum(bag.values()))]
    published = Counter(bag)
    worst: Amount | None = None
    for truth in everything:
        if truth.bag != published or not has(truth.values[0]):
            continue  # the person asked about is the first, and has it
        for others in _known_people(len(truth.values), known):
            fits = [each for each in everything if all(each.values[n] == truth.values[n] for n in others)]
            p_in = _share([each for each in fits if each.bag == published], has)
            p_out = _share([each for each in fits if each.bag_of_others == truth.bag_of_others], has)
            epsilon = _ratio(p_in, p_out)
            worst = epsilon if worst is None else max(worst, epsilon)
    return worst


class _Drawn(NamedTuple):
    """A sequence of values, how likely it is, and what a release would publish with and without the first person."""

    values: Sequence
    chance: Fraction
    bag: Counter[Label]
    bag_of_others: Counter[Label]

    @classmethod
    def of(cls, values: Sequence, chance: Chance) -> _Drawn:
        return cls(values, chance(values), Counter(values), Counter(values[1:]))


def _known_people(people: int, known: int) -> Iterator[tuple[int, ...]]:
    """Know up to that many people of the group, all but the first; the others known are in other groups."""
    for number in range(min(known, people - 1) + 1):
        yield from combinations(range(1, people), number)


def _share(worlds: list[_Drawn], has: Callable[[Label], bool]) -> Fraction:
    """How likely is it that the first person has it, in the worlds that are left?"""
    so = sum((each.chance for each in worlds if has(each.values[0])), Fraction(0))
    return so / sum((each.chance for each in worlds), Fraction(0))


def _ratio(p_in: Fraction, p_out: Fraction) -> Amount:
    belief = p_in / p_out
    if p_in < 1:
        return max(belief, (1 - p_out) / (1 - p_in))
    return math.inf if p_out < 1 else belief
