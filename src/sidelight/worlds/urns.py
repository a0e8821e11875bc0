"""Where people draw their values from: one urn per group, or per group and value where people may have several.

Nobody but the people who are mentioned draws; everybody else is counted in one lump.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import comb, perm
from typing import Protocol

from sidelight.worlds.handing_out import Wish, ways_to_hand_out

Block = int
"""Some lots of an urn that make no difference now, as a mask."""


class Urn(Protocol):
    """What is left to draw, and by how many."""

    def ways(self) -> int:
        """Count the ways in which everybody who has not drawn yet may draw."""

    def take(self, block: Block) -> tuple[int, Urn]:
        """Let somebody draw a lot of a block: in how many ways, and what is left."""

    def ways_within(self, wishes: Sequence[Wish], blocks: Sequence[Block], spend: Callable[[], None]) -> int:
        """Count the ways in which some parties draw what they wish, and the others anything."""

    def state(self, blocks: Sequence[Block]) -> Hashable:
        """Tell apart what matters while lots of the same block make no difference."""


@dataclass(frozen=True, slots=True)
class Bag:
    """So many lots of each kind are `left`, and so many people are `waiting` to draw one each, none put back.

    A group where everybody has one value; or one value of a group where people have sets: the lots are "has it" and
    "lacks it".

    >>> bag = Bag((2, 3), waiting=2)
    >>> bag.ways(), bag.take(0b01)
    (20, (2, Bag(left=(1, 3), waiting=1)))
    """

    left: tuple[int, ...]
    waiting: int

    def ways(self) -> int:
        """Everybody draws from what is left."""
        return perm(sum(self.left), self.waiting)

    def take(self, block: Block) -> tuple[int, Urn]:
        """Draw one."""
        lots = lots_of(block)
        ways = sum(self.left[lot] for lot in lots)
        drawn = next((lot for lot in lots if self.left[lot]), lots[0])
        left = tuple(number - (lot == drawn) for lot, number in enumerate(self.left))
        return ways, Bag(left, self.waiting - 1)

    def ways_within(self, wishes: Sequence[Wish], blocks: Sequence[Block], spend: Callable[[], None]) -> int:
        """Hand out the lots block by block."""
        left = [sum(self.left[lot] for lot in lots_of(block)) for block in blocks]
        masks = [sum(1 << place for place, block in enumerate(blocks) if block & wish.mask) for wish in wishes]
        parties = [Wish(wish.size, mask) for wish, mask in zip(wishes, masks, strict=True)]
        return ways_to_hand_out(left, parties, self.waiting, spend)

    def state(self, blocks: Sequence[Block]) -> Hashable:
        """Count the lots of each block."""
        return (self.waiting, *(sum(self.left[lot] for lot in lots_of(block)) for block in blocks))


HAS, LACKS = 0b01, 0b10
"""The lots of an urn that is about one value."""


@dataclass(frozen=True, slots=True)
class Scattered:
    """The occurrences of one value, each of which goes to any of the `people` who may have it, independently.

    `had` of them are known to have it at least once: by inclusion and exclusion, Σ_j (−1)^j C(had, j) (people − j)^n.

    >>> urn = Scattered(people=3, occurrences=2)
    >>> urn.ways(), urn.take(HAS)[1].ways(), urn.take(LACKS)[1].ways()
    (9, 5, 4)
    """

    people: int
    occurrences: int
    had: int = 0

    def ways(self) -> int:
        """Scatter the occurrences."""
        return sum(
            (-1) ** none * comb(self.had, none) * (self.people - none) ** self.occurrences
            for none in range(self.had + 1)
        )

    def take(self, block: Block) -> tuple[int, Urn]:
        """Let somebody have it, or not."""
        return 1, self.drawn(block, 1)

    def drawn(self, block: Block, people: int) -> Scattered:
        """Let so many people have it, or not."""
        having = people if block == HAS else 0
        return Scattered(self.people - people + having, self.occurrences, self.had + having)

    def ways_within(self, wishes: Sequence[Wish], blocks: Sequence[Block], spend: Callable[[], None]) -> int:
        """Let parties have it, or not, together."""
        del blocks
        ways = Counter([self])
        for wish in wishes:
            spend()
            before, ways = ways, Counter()
            for urn, number in before.items():
                for block in (HAS, LACKS):
                    if wish.mask & block:
                        ways[urn.drawn(block, wish.size)] += number
        return sum(number * urn.ways() for urn, number in ways.items())

    def state(self, blocks: Sequence[Block]) -> Hashable:
        """Nothing else matters."""
        del blocks
        return self.people, self.had


def lots_of(block: Block) -> list[int]:
    """Give the places of the bits.

    >>> lots_of(0b1010)
    [1, 3]
    """
    lots = []
    while block:
        low = block & -block
        lots.append(low.bit_length() - 1)
        block ^= low
    return lots
