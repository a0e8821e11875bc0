"""The slow, obvious twin of prior belief: go through every sequence of values that could have been drawn.

Somebody believes that people's values are drawn independently from an unknown distribution, itself drawn from a
Dirichlet prior.  Then a sequence of values has a known probability, and every belief is a ratio of two sums of such
probabilities: over the sequences that fit what was published and known, and over those of them where it is so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

from sidelight.table.labels import Label

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
