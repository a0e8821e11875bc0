"""What must be remembered while worlds are counted, packed into one whole number."""

from __future__ import annotations

from collections.abc import Iterable

from sidelight.worlds.budget import OverBudget
from sidelight.worlds.grounding import Ground
from sidelight.worlds.terms import Term

TERM_BITS = 20


class Board:
    """The fields of a state: what is left of each part of the facts, who has drawn, and how much.

    `drawn[party]`: it has drawn its one lot.  `mark[party]`: it draws the lot of this block, which others compare.
    `having[row]` counts who draws the lot of this block, `served[row]` who has drawn any.
    """

    def __init__(self, ground: Ground, *, drawers: Iterable[int], comparers: Iterable[int]) -> None:
        self.ground = ground
        self._terms: list[Term] = [ground.terms.true]
        self._numbers = {ground.terms.true: 0}
        parts, bits = len(ground.parts), TERM_BITS * len(ground.parts)
        self.term_masks = [((1 << TERM_BITS) - 1) << TERM_BITS * part for part in range(parts)]
        self.drawn = {party: 1 << bits + place for place, party in enumerate(drawers)}
        bits += len(self.drawn)
        self.mark = {party: 1 << bits + place for place, party in enumerate(comparers)}
        bits += len(self.mark)
        people: dict[int, int] = {}
        for party in ground.parties:
            for row, number in party.items():
                people[row] = people.get(row, 0) + number
        self.having: dict[int, int] = {}  # row → what one more adds
        self.served: dict[int, int] = {}
        self.field: dict[int, int] = {}  # row → mask of such a field, not yet in its place
        for row, number in people.items():
            self.field[row] = (1 << number.bit_length()) - 1
            self.having[row], bits = 1 << bits, bits + number.bit_length()
            self.served[row], bits = 1 << bits, bits + number.bit_length()
        self.start = sum(self.written(part, term) for part, term in enumerate(ground.parts))

    def written(self, part: int, term: Term) -> int:
        """Write down what is left of a part."""
        if term not in self._numbers:
            self._numbers[term] = len(self._terms)
            self._terms.append(term)
            if len(self._terms) >= 1 << TERM_BITS:
                raise OverBudget
        return self._numbers[term] << TERM_BITS * part

    def term(self, state: int, part: int) -> Term:
        """Read what is left of a part."""
        return self._terms[(state & self.term_masks[part]) >> TERM_BITS * part]

    def count(self, fields: dict[int, int], row: int, state: int) -> int:
        """Read a counter."""
        return state // fields[row] & self.field[row]
