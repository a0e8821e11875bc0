"""What must be remembered while worlds are counted, packed into one whole number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from sidelight.worlds.counting.compile import Ground
from sidelight.worlds.counting.terms import Term
from sidelight.worlds.effort import OverBudget

MOST_BITS = 20
"""For up to a million different things that are left of a part."""


class Board:
    """The fields of a state: what is left of each part of the facts, who has drawn, and how much.

    `drawn[party]`: it has drawn its one lot.  `mark[party]`: it draws the lot of this block, which others compare.
    `having[row]` counts who draws the lot of this block, `served[row]` who has drawn any.
    """

    def __init__(self, ground: Ground, *, drawers: Iterable[int], comparers: Iterable[int]) -> None:
        self.ground = ground
        self.impossible = ground.terms.false
        self._bits = 0
        self._left = [_Left(ground, part, self._field) for part in range(len(ground.parts))]
        self.drawn = {party: 1 << self._field(1) for party in drawers}
        self.mark = {party: 1 << self._field(1) for party in comparers}
        people: Counter[int] = Counter()
        for party in ground.parties:
            people.update(party)
        self.field = {row: (1 << number.bit_length()) - 1 for row, number in people.items()}  # a counter's mask, at 0
        self.having = {row: 1 << self._field(number.bit_length()) for row, number in people.items()}
        self.served = {row: 1 << self._field(number.bit_length()) for row, number in people.items()}
        self.start = sum(self.written(part, term) for part, term in enumerate(ground.parts))

    def written(self, part: int, term: Term) -> int:
        """Write down what is left of a part."""
        return self._left[part].written(term)

    def term(self, state: int, part: int) -> Term:
        """Read what is left of a part."""
        left = self._left[part]
        return left.terms[(state & left.mask) >> left.place]

    def mask_of(self, parts: Iterable[int]) -> int:
        """Give the fields of some parts."""
        return sum(self._left[part].mask for part in parts)

    def _field(self, bits: int) -> int:
        place, self._bits = self._bits, self._bits + bits
        return place

    def count(self, fields: dict[int, int], row: int, state: int) -> int:
        """Read a counter."""
        return state // fields[row] & self.field[row]


class _Left:
    """The field of one part: what may be left of it, numbered as it comes about."""

    def __init__(self, ground: Ground, part: int, field: Callable[[int], int]) -> None:
        term = ground.parts[part]
        alone = term.literal and part != ground.tracked  # then all of it is left, or nothing
        bits = 1 if alone else min((3 ** len(term.atoms) + 1).bit_length(), MOST_BITS)  # each atom: open, so, or not
        self.terms = [ground.terms.true]
        self.place = field(bits)
        self.mask = (1 << bits) - 1 << self.place
        self._numbers = {ground.terms.true: 0}

    def written(self, term: Term) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
            if number << self.place > self.mask:
                raise OverBudget
        return number << self.place
