"""How likely does one cut of a group pass in random worlds of the group's own counts, and who has what then?

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

For one who knows the method (one failed cut), and for releases that resist such a one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb
from typing import TypeAlias

Parts: TypeAlias = Mapping[tuple[int, int], int]
"""Packed polynomials, by how many different values they have left and right; more than d are d."""

NOTHING: Parts = {(0, 0): 1}

Kind: TypeAlias = tuple[int, int, int]
"""How many people have a value, and how many of them the left half has at least and at most."""


@dataclass(frozen=True)
class OneCut:
    """A cut of a group with these counts that leaves so many people left, and which left halves pass.

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
        """Build the cut in which no value has more than so many people of the left half, and of the right one."""
        low = tuple(max(count - most_right, 0) for count in counts)
        return cls(tuple(counts), left, low, tuple(min(count, most_left) for count in counts), different)

    @cached_property
    def people(self) -> int:
        """Everybody in the group, n."""
        return sum(self.counts)

    @cached_property
    def halves(self) -> int:
        """How many left halves there are."""
        return comb(self.people, self.left)

    @cached_property
    def passing(self) -> int:
        """How many of them pass."""
        return self._ways(self._product(self._lump_ways, self._first_ways[-1]))

    @property
    def probability(self) -> Fraction:
        """How likely the cut passes."""
        return Fraction(self.passing, self.halves)

    @cached_property
    def left_expectations(self) -> tuple[int, ...]:
        """Per value, how many people have it left, added up over the halves that pass: E[L_s; pass] times `halves`."""
        lump, kinds = self._kinds
        # products from both ends leave out one value at a time without dividing polynomials
        after = self._products(kinds[::-1])[::-1]
        total: dict[Kind, int] = {}
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
        """Per value, how likely somebody on the left (or right) has it when the cut fails, as some left half does."""
        failing = self.halves - self.passing
        people = self.people - self.left if right else self.left
        shares = []
        for count, passing in zip(self.counts, self.left_expectations, strict=True):
            everywhere = Fraction(self.halves * count * self.left, self.people)  # Σ L_s over all left halves
            left = everywhere - passing
            shares.append((failing * count - left if right else left) / (failing * people))
        return tuple(shares)

    @cached_property
    def _kinds(self) -> tuple[Kind, list[Kind]]:
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
        """How many bytes hold any coefficient: at most n·2ⁿ."""
        return (self.people + self.people.bit_length()) // 8 + 1

    def _binomials(self, kind: Kind, *, weighted: bool = False) -> Parts:
        """Return packed C(n_s, x), or x·C(n_s, x), for x within bounds, apart by the sides where somebody has it."""
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
    def _lump_ways(self) -> Parts:
        return self._binomials(self._kinds[0])

    @cached_property
    def _first_ways(self) -> list[Parts]:
        return self._products(self._kinds[1])

    def _products(self, kinds: Sequence[Kind]) -> list[Parts]:
        """Return the products of none, the first, the first two, and so on."""
        return list(accumulate(map(self._binomials, kinds), self._product, initial=NOTHING))

    def _product(self, one: Parts, other: Parts) -> Parts:
        """Return the product, up to z^a."""
        most, mask = self.different, (1 << 8 * self._bytes * (self.left + 1)) - 1
        product: dict[tuple[int, int], int] = {}
        for (left, right), factor in one.items():
            for (more_left, more_right), term in other.items():
                sides = (min(left + more_left, most), min(right + more_right, most))
                # masked, as terms beyond z^a are never asked for
                product[sides] = product.get(sides, 0) + (factor * term & mask)
        return product

    def _ways(self, parts: Parts) -> int:
        """Return the coefficient of z^a where both halves have enough different values."""
        return parts.get((self.different, self.different), 0) >> 8 * self._bytes * self.left
