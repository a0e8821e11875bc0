"""Worlds counted by formulas, for knowledge of one fixed shape: exactly, however large the groups.

`probability_of_avoiding` (for `Implications`, `Negations`): some people of a group have none of some values, one value
per person.  State: how many people of each kind (by what they avoid) still have nothing; values that nobody avoids, and
people who are not mentioned, are counted at once.

`odds` (for `Acquaintance`): what an attacker found out about one person, some others and a family.  With n people, m of
them with the value and a of them mentioned, none of the a has it in C(n−m, a) / C(n, a) of the worlds (`set`,
`single`), or in ((n−a)/n)^m (`multiset`); groups are independent, so their odds are multiplied.

The likeliest value of any person: over everybody in the release, not only over those whom facts mention.

    risk(release, φ)  =  max over people p and values s of  Pr(p has s | release, φ)

Facts φ say nothing about groups none of whose people they mention, because groups are independent.  There everybody has
a value s that occurs m times among n people with probability

    m/n  where nobody has a value twice,      1 − ((n − 1)/n)^m  in a multiset,

which grows with m.  So its most frequent value stands for each such group; the worst group is found by the logarithm of
lacking the value, and decided in fractions over the few different (m, n) near the least.

Source: Martin et al., Worst-case background knowledge, ICDE 2007, definition 5.

The probability that one cut of a group passes in random worlds of the group's own counts, and of values then:

Symbols     A group of n people, n_s of whom have value s, is cut: a people left, n − a right.  Any a people are as
            likely the left half as any others; L_s of them have value s.  The cut passes when low_s ≤ L_s ≤ high_s for
            all s and both halves have at least d different values.
Counting    Of the C(n, a) left halves, [z^a] Π_s Σ_{x=low_s..high_s} C(n_s, x) z^x pass.  Σ L_s over these is the same
            coefficient with x·C(n_s, x) for C(n_s, x); the products of the other values come from both ends.
Different   With d > 0 products are kept apart by how many different values they have left and right, up to d.
Lumping     Values that keep their bounds however people fall are one value, as long as d = 0; its people on the left
            are shared out by n_s.
Numbers     Whole numbers throughout.  A polynomial is one large integer: its coefficients stand side by side, each in
            as many bytes as the largest can need, so that a product of integers is one of polynomials.
Cost        About 4 products of a·n bits per value that is not lumped; with d > 0 up to (d + 1)⁴ times as many.

For attackers who know the method (one failed cut), and for releases that resist them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import comb, perm, prod
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from sidelight.errors import BadKnowledge, BadMeasure, parameter
from sidelight.knowledge.facts import Has, Someone, Who, person_text
from sidelight.table.labels import Label, label, shown

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.release.groups import GroupName, Groups
    from sidelight.release.release import Release

Avoided: TypeAlias = frozenset[Label]


def probability_of_avoiding(counts: Mapping[Label, int], avoided: Sequence[Avoided]) -> Fraction:
    """Return the probability that the i-th of some people of a group has none of `avoided[i]` (one value per person).

    Ways to hand different occurrences of the values to these people so that nobody gets one to be avoided /
    ways to hand them any.

    >>> counts = {"Flu": 2, "Lung cancer": 2, "Heart disease": 1}
    >>> probability_of_avoiding(counts, [frozenset(["Flu", "Lung cancer"])])
    Fraction(1, 5)
    >>> probability_of_avoiding(counts, [frozenset(["Flu"]), frozenset(["Flu"])])
    Fraction(3, 10)
    """
    return Fraction(ways_to_avoid(counts, avoided), perm(sum(counts.values()), len(avoided)))


def ways_to_avoid(counts: Mapping[Label, int], avoided: Sequence[Avoided]) -> int:
    """Count the ways to hand out values so, adding avoided values one by one.

    People who avoid the same values are interchangeable: a state is how many of each kind still have nothing.

    >>> ways_to_avoid({"a": 1, "b": 1}, [frozenset("a"), frozenset("b")])
    1
    """
    kinds = Counter(avoided)
    states = {tuple(kinds.values()): 1}
    named = {value: amount for value, amount in counts.items() if any(value in kind for kind in kinds)}
    for value, amount in named.items():
        may = [value not in kind for kind in kinds]
        before, states = states, Counter[tuple[int, ...]]()
        for waiting, ways in before.items():
            for after, more in _hand_out(waiting, may, amount):
                # states that are reached in several ways are one, and their ways add up
                states[after] += ways * more
    # people who still wait take any of the values that nobody avoids
    others = sum(counts.values()) - sum(named.values())
    return sum(ways * perm(others, sum(waiting)) for waiting, ways in states.items())


def _hand_out(waiting: tuple[int, ...], may: list[bool], amount: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the states after `amount` occurrences of a value are handed out, and in how many ways."""
    most = [min(people, amount) if allowed else 0 for people, allowed in zip(waiting, may, strict=True)]
    for served in product(*(range(number + 1) for number in most)):
        if sum(served) <= amount:
            who = prod(comb(people, number) for people, number in zip(waiting, served, strict=True))
            yield (
                tuple(people - number for people, number in zip(waiting, served, strict=True)),
                who * perm(amount, sum(served)),
            )


Number = TypeVar("Number", Fraction, Decimal)

AT_ONCE = 256
"""The number of factors that are multiplied as whole numbers before they are divided; longer ones divide slowly."""


@dataclass(frozen=True, slots=True)
class Others:
    """People of one group of whom something is known besides the target; in `single`, perhaps their `values`."""

    group: GroupName
    people: int
    values: tuple[tuple[Label, int], ...] = ()  # value, how many of them have it


@dataclass(frozen=True, slots=True)
class Investigation:
    """One person of a group, a value, and all that was found out.

    In `single` the target does not have the values ruled out; otherwise, if she has one, she has `value` too.  Of the
    `others` their values are known, or only that they lack the target's; of the `family`, that if one of them has the
    value, so has the target.
    """

    group: GroupName
    value: Label
    rules_out: tuple[Label, ...] = ()
    others: Others | None = None
    family: Others | None = None

    def groups(self) -> list[GroupName]:
        """List the groups that it is about, the target's first."""
        elsewhere = [people.group for people in (self.others, self.family) if people is not None]
        return list(dict.fromkeys([self.group, *elsewhere]))

    def within(self, group: GroupName) -> tuple[Others, Others]:
        """Return the others and the family in a group: nobody where they are in another one."""
        nobody = Others(group, 0)
        others, family = (
            people if people is not None and people.group == group else nobody for people in (self.others, self.family)
        )
        return others, family


def odds(release: Release, investigation: Investigation, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Count the worlds that fit an investigation: those in which the target has the value : those in which not.

    Worlds are counted up to a factor that both numbers share, in the arithmetic of `ratio`, which divides.

    >>> from sidelight.release.groups import GroupName
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> odds(release, Investigation(GroupName(1), "Flu", rules_out=("Cold",)), Fraction)
    (Fraction(2, 1), Fraction(1, 1))
    """
    has = lacks = ratio(1, 1)
    count = _single if release.semantics == "single" else _several_values
    for name in investigation.groups():
        with_it, without_it = count(investigation, name, release.group(name), ratio)
        has, lacks = has * with_it, lacks * without_it
    if has == lacks == 0:
        raise BadMeasure("no world fits both the release and what was found out; is it another release?")
    return has, lacks


def _single(
    known: Investigation, name: GroupName, groups: Groups, ratio: Callable[[int, int], Number]
) -> tuple[Number, Number]:
    """Hand occurrences to the people mentioned; the rest can be handed out in equally many ways in both cases."""
    others, family = known.within(name)
    remaining = groups.value_counts(0)
    for text, people in others.values:
        if remaining.get(text, 0) < people:
            return ratio(0, 1), ratio(0, 1)
        remaining[text] -= people
    people, having = sum(remaining.values()), remaining.get(known.value, 0)
    if known.group != name:
        return ratio(1, 1), _probability_of_missing(people, having, family.people, ratio)
    # the target lacks the value by having another one that is not ruled out
    other = sum(count for text, count in remaining.items() if text != known.value and text not in known.rules_out)
    return ratio(having, 1), other * _probability_of_missing(people - 1, having, family.people, ratio)


def _probability_of_missing(people: int, having: int, mentioned: int, ratio: Callable[[int, int], Number]) -> Number:
    """Choose m = `having` of n people: the probability that none of a = `mentioned` is chosen, C(n−m, a) / C(n, a).

    It is a product of m factors, or of a, whichever is less.
    """
    if mentioned and having > people - mentioned:
        return ratio(0, 1)
    # symmetric in m and a, so the shorter product is taken
    less, more = sorted((having, mentioned))
    probability = ratio(1, 1)
    for start in range(0, less, AT_ONCE):
        step = min(AT_ONCE, less - start)
        probability *= ratio(perm(people - more - start, step), perm(people - start, step))
    return probability


def _several_values(
    known: Investigation, name: GroupName, groups: Groups, ratio: Callable[[int, int], Number]
) -> tuple[Number, Number]:
    """Choose who has the value, and each that was ruled out; in a multiset, each occurrence chooses a person."""
    others, family = known.within(name)
    everybody, counts = int(groups.sizes[0]), groups.value_counts(0)
    people, having = everybody - others.people, counts.get(known.value, 0)
    repeated = groups.semantics == "multiset"

    def missing(people: int, having: int, mentioned: int) -> Number:
        if not repeated:
            return _probability_of_missing(people, having, mentioned, ratio)
        return ratio(max(people - mentioned, 0), people) ** having if having else ratio(1, 1)

    if people <= 0 < having if repeated else having > people:
        return ratio(0, 1), ratio(0, 1)
    if known.group != name:
        return ratio(1, 1), missing(people, having, family.people)
    has = 1 - missing(people, having, 1) if repeated else ratio(having, people)
    lacks = missing(people, having, 1 + family.people)
    for text in known.rules_out:
        lacks *= missing(everybody, counts.get(text, 0), 1)
    return has, lacks


@dataclass(frozen=True, slots=True, repr=False)
class SurestGuess:
    """The likeliest value of any person to an attacker; `posterior(release, guess.target, given=…)` is its probability.

    People of a group whom the facts do not mention are interchangeable; one of them stands for all (`unnamed`).
    """

    person: Who
    group: GroupName
    value: Label
    probability: Fraction
    before: Fraction  # from the release alone
    unnamed: bool = False  # anyone of the group whom the facts do not mention

    @property
    def target(self) -> Has:
        """The guess as a fact."""
        return Has(self.person, self.value)

    def who(self) -> str:
        """Return the person in words."""
        return f"anyone else in {self.group}" if self.unnamed else person_text(self.person)

    def __str__(self) -> str:
        return f"{self.who()}: {shown(self.value)} with probability {self.probability}"

    def __repr__(self) -> str:
        return f"<SurestGuess: {self}>"


def values_in_question(release: Release, apart_from: Sequence[Label]) -> Integers:
    """Return the values that an attacker may want to learn, as indices in the domain."""
    left_out = {release.groups.code_of(label(value)) for value in apart_from}
    indices = np.array([index for index in range(len(release.domain)) if index not in left_out], np.int64)
    if len(indices) == 0:
        raise BadKnowledge(f"{parameter('apart_from')} leaves no value to ask about; leave one of them out")
    return indices


def surest_elsewhere(release: Release, concerned: Collection[int], indices: Integers) -> SurestGuess | None:
    """Return the likeliest guess in the groups that facts do not concern; the first of equal ones; None if no groups.

    >>> release = Release.from_counts([{"Flu": 3, "Cold": 1}, {"Flu": 1, "Cold": 1}])
    >>> surest_elsewhere(release, [1], np.array([0, 1]))  # by the groups' numbers
    <SurestGuess: #2: Cold with probability 1/2>
    """
    rows = np.flatnonzero(~np.isin(release.groups.numbers, [*concerned]))
    if len(rows) == 0:
        return None
    most, sizes = release.groups.counts.take(rows).highest(indices), release.groups.sizes[rows]
    independent = release.semantics == "multiset"  # each occurrence is anybody's
    with np.errstate(divide="ignore", invalid="ignore"):
        # logarithm of the probability that a person lacks the most frequent value
        lacking: Floats = (
            np.where(most > 0, most * np.log1p(-1 / sizes), 0.0) if independent else np.log1p(-most / sizes)
        )
    least = lacking.min()
    # Logarithms that are no further apart than this, relative, may be those of equal probabilities.
    near = np.flatnonzero(lacking <= least + 1e-9 * max(abs(least), 1.0) if np.isfinite(least) else lacking == least)
    pairs = np.column_stack((most, sizes))[near]
    different, first = np.unique(pairs, axis=0, return_index=True)
    probabilities = [
        1 - Fraction(people - 1, people) ** many if independent else Fraction(many, people)
        for many, people in different.tolist()
    ]
    surest = max(probabilities)
    at = near[min(int(at) for at, each in zip(first, probabilities, strict=True) if each == surest)]
    row = int(rows[at])
    counts = release.groups.counts.row(row)
    value = release.domain[next(int(index) for index in indices if counts[index] == most[at])]
    return SurestGuess(Someone(row + 1), release.groups.name(row), value, surest, surest)


PackedParts: TypeAlias = Mapping[tuple[int, int], int]
"""Packed polynomials, by the number of different values left and right; more than d are d."""

BoundedValue: TypeAlias = tuple[int, int, int]
"""The number of people with a value, and the bounds on how many of them are in the left half."""


@dataclass(frozen=True)
class OneCut:
    """A cut of a group with these counts and `left` people on the left, and which left halves pass.

    >>> cut = OneCut.build((3, 2, 1), left=2, most_left=1, most_right=2)
    >>> cut.low, cut.high
    ((1, 0, 0), (1, 1, 1))
    >>> cut.passing, cut.probability
    (9, Fraction(3, 5))
    >>> cut.left_expectations
    (9, 6, 3)
    >>> [str(share) for share in cut.shares_when_failing()]
    ['1/2', '1/3', '1/6']
    """

    counts: tuple[int, ...]  # n_s
    left: int  # a
    low: tuple[int, ...]
    high: tuple[int, ...]
    different: int = 0  # d

    @classmethod
    def build(cls, counts: Sequence[int], left: int, most_left: int, most_right: int, *, different: int = 0) -> OneCut:
        """Build the cut with at most `most_left` people of any value in the left half, `most_right` in the right."""
        low = tuple(max(count - most_right, 0) for count in counts)
        return cls(tuple(counts), left, low, tuple(min(count, most_left) for count in counts), different)

    @cached_property
    def people(self) -> int:
        """Everybody in the group, n."""
        return sum(self.counts)

    @cached_property
    def halves(self) -> int:
        """The number of left halves."""
        return comb(self.people, self.left)

    @cached_property
    def passing(self) -> int:
        """The number of left halves that pass."""
        return self._ways(self._product(self._lump_ways, self._first_ways[-1]))

    @property
    def probability(self) -> Fraction:
        """The probability that the cut passes."""
        return Fraction(self.passing, self.halves)

    @cached_property
    def left_expectations(self) -> tuple[int, ...]:
        """Per value, the people with it on the left, summed over the halves that pass: E[L_s; pass] times `halves`."""
        lump, kinds = self._kinds
        # products from both ends leave out one value at a time without dividing polynomials
        after = self._products(kinds[::-1])[::-1]
        total: dict[BoundedValue, int] = {}
        for at, kind in enumerate(kinds):
            if kind not in total:
                others = self._product(self._product(self._first_ways[at], after[at + 1]), self._lump_ways)
                total[kind] = self._ways(self._product(others, self._binomials(kind, weighted=True)))
        # each half that passes has `left` people on its left: what the bounded values leave is the lump's
        of_lump = self.left * self.passing - sum(total[kind] for kind in kinds)
        return tuple(
            total[kind] if kind in total else of_lump * kind[0] // lump[0] if kind[0] else 0
            for kind in zip(self.counts, self.low, self.high, strict=True)
        )

    def shares_when_failing(self, *, right: bool = False) -> tuple[Fraction, ...]:
        """Return per value its probability for a person on the left (or right) when the cut fails, which it may."""
        failing = self.halves - self.passing
        people = self.people - self.left if right else self.left
        shares = []
        for count, passing in zip(self.counts, self.left_expectations, strict=True):
            everywhere = Fraction(self.halves * count * self.left, self.people)  # Σ L_s over all left halves
            left = everywhere - passing
            shares.append((failing * count - left if right else left) / (failing * people))
        return tuple(shares)

    @cached_property
    def _kinds(self) -> tuple[BoundedValue, list[BoundedValue]]:
        """Return (n_s, low, high) of all values that any bound concerns, and of the others as one."""
        kinds, lump = [], 0
        for kind in zip(self.counts, self.low, self.high, strict=True):
            count, low, high = kind
            least, most = max(self.left - (self.people - count), 0), min(count, self.left)
            if self.different or low > least or high < most:
                kinds.append(kind)
            else:
                lump += count
        return (lump, 0, lump), kinds

    @cached_property
    def _bytes(self) -> int:
        """The number of bytes that hold any coefficient: at most n·2ⁿ."""
        return (self.people + self.people.bit_length()) // 8 + 1

    def _binomials(self, kind: BoundedValue, *, weighted: bool = False) -> PackedParts:
        """Return packed C(n_s, x), or x·C(n_s, x), for x within bounds, by the sides where the value occurs."""
        count, low, high = kind
        low, high = max(low, 0), min(high, self.left)
        if not self.different:
            return {(0, 0): self._pack(count, low, high, weighted=weighted)}
        # nobody left, nobody right, some on both sides
        ranges = {
            (0, 1): (low, min(high, 0)),
            (1, 0): (max(low, count), high),
            (1, 1): (max(low, 1), min(high, count - 1)),
        }
        if count == 0:
            ranges = {(0, 0): (low, high)}
        return {sides: self._pack(count, *some, weighted=weighted) for sides, some in ranges.items()}

    def _pack(self, count: int, low: int, high: int, *, weighted: bool) -> int:
        if low > high:
            return 0
        terms = (comb(count, x) * x if weighted else comb(count, x) for x in range(low, high + 1))
        packed = b"".join([term.to_bytes(self._bytes, "little") for term in terms])
        return int.from_bytes(packed, "little") << (8 * self._bytes * low)

    @cached_property
    def _lump_ways(self) -> PackedParts:
        return self._binomials(self._kinds[0])

    @cached_property
    def _first_ways(self) -> list[PackedParts]:
        return self._products(self._kinds[1])

    def _products(self, kinds: Sequence[BoundedValue]) -> list[PackedParts]:
        nothing: PackedParts = {(0, 0): 1}
        return list(accumulate(map(self._binomials, kinds), self._product, initial=nothing))

    def _product(self, one: PackedParts, other: PackedParts) -> PackedParts:
        most, mask = self.different, (1 << 8 * self._bytes * (self.left + 1)) - 1
        product: dict[tuple[int, int], int] = {}
        for (left, right), factor in one.items():
            for (more_left, more_right), term in other.items():
                sides = (min(left + more_left, most), min(right + more_right, most))
                # masked, as terms beyond z^a are never asked for
                product[sides] = product.get(sides, 0) + (factor * term & mask)
        return product

    def _ways(self, parts: PackedParts) -> int:
        """Return the coefficient of z^a where both halves have enough different values."""
        return parts.get((self.different, self.different), 0) >> 8 * self._bytes * self.left
