"""How much does the sum of a group's amounts disclose of a single one?  The rules of output checkers for tables.

Symbols     x₁ ≥ x₂ ≥ … ≥ 0 the amounts of a group's people, X their sum, which is published; n = `largest`.
Dominance   (x₁ + … + x_n) / X: how much of the sum a few people hold (the (n, k) rule keeps it at most k).
Remainder   (X − x₁ − … − x_n) / x₁: the owner of x₂ subtracts it and learns x₁ to within this (the p % rule,
            n = 2, keeps it at least p).
Zeros       A sum of 0 means that every amount is 0: dominance 1, remainder 0.
Missing     People without an amount do not count; a group of nobody else is skipped.

*Monotone.*  When groups merge, dominance never rises: the n largest of both are at most the n largest of each together,
and (a + b)/(A + B) ≤ max(a/A, b/B).  Remainder never falls: let x₁ of both be in A; at most the n largest of A are
among the n largest of both, so that what is left is at least what was left of A.

Exactly     Amounts are whole multiples of a unit that all of them share, each written in digits of `DIGIT` bits: sums
            of digits are sums of 64-bit whole numbers, whatever the amounts.  Nothing is subtracted, not even as float.

Source: AI-SDC/ACRO; Hundepool et al., Statistical Disclosure Control, 2012, section 4.2.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import numpy as np

from sidelight.arrays import Flags, Integers, add_up
from sidelight.errors import BadMeasure, parameter
from sidelight.measures.criterion import Amount, Bound, Finding, Witness
from sidelight.measures.group_by_group import FormulaMeasure
from sidelight.measures.measure import Attacker, Measure, Monotonicity, labels_as_written, read, whole
from sidelight.measures.targets import (
    NumberByValue,
    Targeted,
    drop_values,
    look_up_numbers,
    read_numbers,
    seeming_thousands,
)
from sidelight.rounding import exact_text, in_words
from sidelight.table.labels import MISSING, Label, Semantics, as_number, in_order
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.measures.exact import Arithmetic, Numbers
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

Addend = TypeVar("Addend", Integers, Fraction)

DIGIT = 30
"""Bits of a digit: two thousand million people add such digits up within 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SumWitness(Witness):
    """A group, how many of its people have an amount, the two sums whose ratio is the value, and the largest amount."""

    contributors: int
    part: Fraction
    whole: Fraction


@dataclass(frozen=True)
class SumMeasure(Targeted, FormulaMeasure):
    """A ratio of sums of a group's amounts.

    `statistic` gives the two sums of each group by their digits, of falling weight; a common factor leaves their ratio
    as it is.
    """

    largest: int = field(default=2, metadata=whole(least=1))
    numbers: Mapping[str, Bound] | Mapping[Label, Bound] | None = field(
        default=None, metadata=read(read_numbers, hint=Mapping[str, float] | None, parse=labels_as_written)
    )

    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    more_is_worse = ("largest",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.numbers is not None and any(number < 0 for number in self.numbers.values()):
            raise BadMeasure(f"'{self.name}' is about amounts of at least 0; {parameter('numbers')} has one below")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        amounts: list[Bound] = [7, 0, Fraction(1, 3), 10**20 + 1, 7]
        numbers = {text: amounts[at % 5] for at, text in enumerate(in_order(domain))}
        present = {text: number for text, number in numbers.items() if text is not None}
        return cls(numbers=numbers), cls(1, present), *(cls(3, numbers, apart_from=domain[:1]) for _ in domain[1:2])

    def check(self, release: Release) -> None:
        super().check(release)
        self._amounts(drop_values(release.groups, self.apart_from).domain)

    def suits(self, domain: tuple[Label, ...]) -> bool:
        try:
            self._amounts(domain)
        except BadMeasure:
            return False
        return True

    def _amounts(self, domain: tuple[Label, ...]) -> _Amounts:
        known = self.numbers if isinstance(self.numbers, NumberByValue) else None
        return _Amounts.from_domain(self.name, domain, known)

    def notes(self, groups: Groups) -> tuple[str, ...]:
        seen = drop_values(groups, self.apart_from)
        lacking = int(seen.whole[~self._amounts(seen.domain).present].sum())
        nobody = f"{counted(lacking, 'person')} {form('has', lacking)} no amount; sums are of the others"
        notes = [nobody] if lacking else []
        doubtful = seeming_thousands(text for text in seen.domain if text not in (self.numbers or {}))
        if doubtful is not None:
            notes.append(
                f"the point in '{doubtful}' is read as a decimal one; if it separates thousands, write "
                f"{doubtful.replace('.', '')}"
            )
        return tuple(notes)

    @abstractmethod
    def choose(self, largest: Addend, everything: Addend, first: Addend) -> tuple[Addend, Addend]:
        """Return the two sums of the ratio; all sums of amounts, or counts of the people who have them."""

    def statistic(self, groups: Groups) -> Integers:
        """Return the digits of both sums: (groups, 2 · digits) int64."""
        seen = drop_values(groups, self.apart_from)
        amounts = self._amounts(seen.domain)
        entries = _FallingAmounts.from_groups(seen, amounts, self.largest)
        chosen = self.choose(entries.among_largest, entries.people, entries.is_first.astype(np.int64))
        part, whole = (entries.add_digits(amounts, people, len(seen)) for people in chosen)
        occurs = np.bincount(entries.group[entries.is_first], minlength=len(seen)) > 0
        # 0/0 becomes the ratio that the rule gives where all amounts are 0
        nothing = occurs & ~whole.any(axis=1)  # all amounts are 0
        part[nothing, -1], whole[nothing, -1] = self.if_all_are_zero, 1
        return np.hstack((part, whole))

    if_all_are_zero: ClassVar[int]

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        part, whole = np.hsplit(arithmetic.ratio(statistic, 1), 2)
        return arithmetic.ratio(_join_digits(part), _join_digits(whole))

    def witness(self, groups: Groups, row: int) -> SumWitness:
        seen = drop_values(groups.take(slice(row, row + 1)), self.apart_from)
        amounts, counts = self._amounts(seen.domain), seen.counts.row(0).tolist()
        # `sorted` is stable: of equal amounts the first of the domain is the witness
        falling = sorted(range(len(counts)), key=lambda at: -amounts.exact[at])  # the largest first
        there = [at for at in falling if counts[at] and amounts.present[at]]
        people, left = 0, self.largest
        among_largest = everything = Fraction(0)
        for at in there:
            among_largest += amounts.exact[at] * min(counts[at], left)
            everything += amounts.exact[at] * counts[at]
            left -= min(counts[at], left)
            people += counts[at]
        part, whole = self.choose(among_largest, everything, amounts.exact[there[0]])
        return SumWitness(groups.name(row), seen.domain[there[0]], contributors=people, part=part, whole=whole)

    def replay(self, witness: Witness, release: Release) -> Amount:
        again = self.witness(release.group(witness.group), 0)
        return again.part / again.whole if again.whole else Fraction(self.if_all_are_zero)

    @property
    def few(self) -> str:
        return "the largest" if self.largest == 1 else f"the {self.largest:,} largest"


@dataclass(frozen=True)
class Dominance(SumMeasure):
    """How much of the sum of a group's amounts do its largest few make up?

    The sensitive values are amounts of at least 0 (or stand for some: `numbers`).  max_g of (x₁ + … + x_n)/Σx over
    groups, x₁ ≥ x₂ ≥ … the amounts of the group's people and n = `largest`.  At most 0.9 with n = 2 is what ACRO asks
    for; 1 where all amounts are 0, as such a sum discloses them all.  People without an amount do not count.

    >>> incomes = Release.from_counts([{"10": 5, "20": 5}, {"1": 8, "90": 1, "40": 1}])
    >>> finding = Dominance().measure(incomes)
    >>> finding.value, finding.witness.group.number
    (Fraction(65, 69), 2)
    >>> print(finding.explain())
    In group 2, the 2 largest of 10 amounts are 65/69 of the sum, 138.

    Source: AI-SDC/ACRO (nk-rule); Hundepool et al., Statistical Disclosure Control, 2012, section 4.2.
    """

    name: ClassVar[str] = "dominance"
    attacker = Attacker(
        "somebody who sees a group's sum", "the sum, and who is in it", "the largest share of a sum", "sums"
    )
    also_called = ("nk rule", "(n, k) rule", "(n, k)-dominance", "dominance rule", "concentration rule")
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING
    if_all_are_zero: ClassVar[int] = 1

    def choose(self, largest: Addend, everything: Addend, first: Addend) -> tuple[Addend, Addend]:
        return largest, everything

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, SumWitness):
            return "Nobody in the release has an amount, so there is no sum."
        if witness.whole == 0:
            return _all_zero(witness)
        if witness.contributors <= self.largest:
            many = counted(witness.contributors, "amount")
            return f"In {witness.group}, there {form('is', witness.contributors)} only {many} to make up the sum."
        few, share = f"{self.few} of {counted(witness.contributors, 'amount')}", in_words(finding.value)
        return f"In {witness.group}, {few} {form('is', self.largest)} {share} of the sum, {in_words(witness.whole)}."


@dataclass(frozen=True)
class Remainder(SumMeasure):
    """To within how much of it can the largest amount of a group be told from the sum?

    The sensitive values are amounts of at least 0 (or stand for some: `numbers`).  min_g of (x_{n+1} + x_{n+2} + …)/x₁
    over groups, x₁ ≥ x₂ ≥ … the amounts of the group's people and n = `largest`: with n = 2, the owner of the second
    largest subtracts it from the sum and is off by this share of the largest.  At least 0.1 is the p % rule of ACRO; 0
    where all amounts are 0, or where there are no more than n.  People without an amount do not count.

    >>> incomes = Release.from_counts([{"10": 5, "20": 5}, {"1": 8, "90": 1, "40": 1}])
    >>> finding = Remainder().measure(incomes)
    >>> finding.value, finding.witness.value
    (Fraction(4, 45), '90')
    >>> print(finding.explain())
    In group 2, all amounts but the 2 largest together are 4/45 of the largest: whoever has the next largest can tell \
it that closely from the sum.

    Source: AI-SDC/ACRO (p-ratio); Hundepool et al., Statistical Disclosure Control, 2012, section 4.2.
    """

    name: ClassVar[str] = "remainder"
    attacker = Attacker(
        "one of the largest in a group's sum",
        "the sum, and their own amount",
        "to within how much another's amount can be told",
        "sums",
    )
    also_called = ("p% rule", "p percent rule", "p-ratio", "prior-posterior rule")
    large_is_bad: ClassVar[bool] = False
    limits = (0, math.inf)
    when_groups_merge = Monotonicity.NON_DECREASING
    if_all_are_zero: ClassVar[int] = 0

    def choose(self, largest: Addend, everything: Addend, first: Addend) -> tuple[Addend, Addend]:
        return everything - largest, first

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, SumWitness):
            return "Nobody in the release has an amount, so no sum gives one away."
        if witness.whole == 0:
            return _all_zero(witness)
        knows = {1: "whoever sees it", 2: "whoever has the next largest"}.get(
            self.largest, f"whoever has the next {self.largest - 1:,} largest"
        )
        if witness.part == 0:
            return f"In {witness.group}, nothing is left of the sum but {self.few}: {knows} knows the largest amount."
        rest = f"all amounts but {self.few} together are {in_words(finding.value, large_is_bad=False)} of the largest"
        return f"In {witness.group}, {rest}: {knows} can tell it that closely from the sum."


def _all_zero(witness: SumWitness) -> str:
    many = "the one amount is" if witness.contributors == 1 else f"all {witness.contributors:,} amounts are"
    return f"In {witness.group}, {many} 0: whoever sees the sum knows everybody's."


class _Amounts(NamedTuple):
    """The amounts of a domain: exactly, in digits (the most significant first), by rank (0 the largest).

    `present` says which values are amounts, and not missing.
    """

    exact: tuple[Fraction, ...]
    digits: Integers
    rank: Integers
    present: Flags

    @classmethod
    @lru_cache(maxsize=16)
    def from_domain(cls, measure: str, domain: tuple[Label, ...], known: NumberByValue | None) -> _Amounts:
        named: NumberByValue | dict[Label, Fraction] = known or {}
        others = [text for text in domain if text not in named and text not in (None, MISSING)]
        strange = sum(as_number(text) is None for text in others)
        if strange:
            raise BadMeasure(
                f"'{measure}' adds up amounts, and {exact_text(strange)} of {counted(len(domain), 'value')} "
                f"{form('is', strange)} no number; say what they stand for ({parameter('numbers')}), leave some out "
                f"({parameter('apart_from')}), or leave this limit out: the preset without it is ACRO(sums=false)"
            )
        exact = look_up_numbers(domain, known, missing=Fraction(0))
        if min(exact, default=0) < 0:
            raise BadMeasure(
                f"'{measure}' is about amounts of at least 0, and some are below: what is large may then make a sum "
                "small; leave this limit out: the preset without it is ACRO(sums=false)"
            )
        # whole numbers of a common unit, cut into digits: sums of digits are exact in 64 bits
        unit = math.lcm(*(number.denominator for number in exact))
        whole = [int(number * unit) for number in exact]
        bits = max(whole, default=0).bit_length()
        if bits > 900:  # in units that all share, they would leave the range of floats
            raise BadMeasure(f"'{measure}' adds up amounts, and some have too many digits for it; round them")
        shifts = [*range(max(bits - 1, 0) // DIGIT * DIGIT, -1, -DIGIT)]
        digits = np.array([[number >> shift & (1 << DIGIT) - 1 for shift in shifts] for number in whole], np.int64)
        # rank 0 is the largest amount; equal ones are ranked by their index in the domain
        rank = np.empty(len(whole), np.int64)
        rank[sorted(range(len(whole)), key=lambda at: -whole[at])] = np.arange(len(whole))
        present = np.array([text in named or text not in (None, MISSING) for text in domain], bool)
        return cls(exact, digits.reshape(len(whole), len(shifts)), rank, present)


class _FallingAmounts(NamedTuple):
    """The amounts of each group, the largest first: the people with each, and how many of them are in the n largest."""

    group: Integers
    value: Integers
    people: Integers
    among_largest: Integers
    is_first: Flags

    @classmethod
    def from_groups(cls, groups: Groups, amounts: _Amounts, largest: int) -> _FallingAmounts:
        group, value, count = groups.counts.entries()
        order = np.lexsort((amounts.rank[value], group))
        order = order[amounts.present[value[order]]]
        group, value, count = group[order], value[order], count[order]
        is_first = np.diff(group, prepend=-1) != 0
        before = np.cumsum(count) - count
        # counted from the start of each group: how many people have a larger amount
        before -= before[is_first][np.cumsum(is_first) - 1]
        # of the people with this amount, those who still belong to the n largest
        return cls(group, value, count, np.clip(largest - before, 0, count), is_first)

    def add_digits(self, amounts: _Amounts, people: Integers, groups: int) -> Integers:
        """Add up the digits of amounts, each times a number of people: (groups, digits) int64."""
        # (entries, digits): each digit is added up by itself, and carried in `_join_digits`
        digits = amounts.digits[self.value] * people[:, np.newaxis]
        return np.column_stack([add_up(self.group, each, groups) for each in digits.T])


def _join_digits(digits: Numbers) -> Numbers:
    return np.asarray(reduce(lambda number, digit: number * (1 << DIGIT) + digit, digits.T))
