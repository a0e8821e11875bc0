"""Who has a turn for which lot, and in which order do the lots come up?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sidelight.worlds.counting.compile import Alike, Draws, Ground
from sidelight.worlds.counting.ordering import little_open
from sidelight.worlds.counting.terms import Term
from sidelight.worlds.effort import Meter

Block: TypeAlias = tuple[int, int]
"""A lot of groups that are kin: (first of the kin, lot)."""


@dataclass(slots=True)
class Schedule:
    """The turns of some ground.

    Who is compared with others has a turn for every lot of the kin.  Others have turns for the lots that the facts ask
    about, and are free to draw any other lot; unless `everyone` has a turn for all lots of the group.  `watched`
    parties have a turn for each lot that anybody has.  Of `crowds` no more is known than that they have a lot or not:
    block → (row, having) → people.
    """

    ground: Ground
    watched: frozenset[int] = frozenset()
    everyone: bool = False
    compared: dict[int, dict[int, int]] = field(default_factory=dict)  # party → other party → atom that they are alike
    turns: dict[Block, set[int]] = field(default_factory=dict)
    crowds: dict[Block, Counter[tuple[int, bool]]] = field(default_factory=dict)
    blocks: list[tuple[Block, list[int]]] = field(default_factory=list)  # in their order

    @classmethod
    def of(
        cls,
        ground: Ground,
        meter: Meter,
        *,
        watched: Iterable[int] = (),
        terms: Sequence[Term] = (),
        everyone: bool = False,
    ) -> Schedule:
        """Plan the turns that the facts need, and those that further terms ask about."""
        made = cls(ground, frozenset(watched), everyone)
        atoms = sorted({atom for term in (*ground.parts, *terms) for atom in term.atoms})
        made._compare(atoms)
        made._need(atoms)
        made._order(meter)
        return made

    def free(self, party: int) -> bool:
        """Say whether a party may draw lots for which it has no turn."""
        return self.ground.semantics == "single" and not self.everyone and not self._tied(party)

    def drawers(self) -> list[int]:
        """Find the parties of whom it must be remembered whether they have drawn their one lot."""
        if self.ground.semantics != "single":
            return []
        turns = Counter(party for _, parties in self.blocks for party in parties)
        return sorted(party for party, many in turns.items() if many > 1)

    def asked(self, block: Block) -> Counter[int]:
        """Count the people of each group who have a turn for a lot."""
        asked: Counter[int] = Counter()
        for party in self.turns[block]:
            asked.update(self.ground.parties[party])
        for (row, _), people in self.crowds.get(block, Counter()).items():
            asked[row] += people
        return asked

    def waiting(self) -> Counter[int]:
        """Count the people of each group who have any turn."""
        waiting: Counter[int] = Counter()
        for party in {party for parties in self.turns.values() for party in parties}:
            waiting.update(self.ground.parties[party])
        for crowds in self.crowds.values():
            for (row, _), people in crowds.items():
                waiting[row] += people
        return waiting

    def _compare(self, atoms: Iterable[int]) -> None:
        for number in atoms:
            match self.ground.atoms[number]:
                case Alike(party, other):
                    self.compared.setdefault(party, {})[other] = number
                    self.compared.setdefault(other, {})[party] = number

    def _tied(self, party: int) -> bool:
        return party in self.compared or self.ground.parties[party].total() > 1

    def _need(self, atoms: Iterable[int]) -> None:
        """Say who has a turn for which lot."""
        ground, turns = self.ground, defaultdict[Block, set[int]](set)
        asked = [ground.atoms[atom] for atom in atoms]
        needed = [(atom.party, atom.lot) for atom in asked if isinstance(atom, Draws)]
        needed += self._in_any_case()
        for party, lot in needed:
            turns[ground.kin_of(party), lot].add(party)
        often = Counter([*(drawn.party for drawn in ground.known), *(party for party, _ in set(needed))])
        for drawn, having in ground.known.items():
            block = (ground.kin_of(drawn.party), drawn.lot)
            theirs = turns[block]
            if often[drawn.party] > 1 or drawn.party in self.watched:
                theirs.add(drawn.party)
            else:
                (row,) = ground.parties[drawn.party]
                self.crowds.setdefault(block, Counter())[row, having] += 1
        for party in self.watched:
            for lot in self._own_lots(party):
                turns.get((ground.kin_of(party), lot), set()).add(party)
        self.turns = dict(turns)

    def _in_any_case(self) -> Iterator[tuple[int, int]]:
        """Go through the parties that have a turn for each lot, of their kin or of their own."""
        ground = self.ground
        kin_lots = defaultdict[int, set[int]](set)
        for row, lots in ground.lots.items():
            kin_lots[ground.kin[row]].update(lots)
        for party in range(len(ground.parties)):
            if self._tied(party):
                yield from ((party, lot) for lot in kin_lots[ground.kin_of(party)])
            elif self.everyone and ground.semantics == "single":
                yield from ((party, lot) for lot in self._own_lots(party))

    def _own_lots(self, party: int) -> set[int]:
        return {lot for row in self.ground.parties[party] for lot in self.ground.lots[row]}

    def _order(self, meter: Meter) -> None:
        """Put lots that the same facts ask about close to each other, and the parties likewise."""
        links = {block: {each: self._links(each, block[1]) for each in who} for block, who in self.turns.items()}
        by_party: dict[int, set[Hashable]] = defaultdict(set)
        for linked in links.values():
            for party, some in linked.items():
                by_party[party] |= some - {("party", party)}
        parties = little_open({party: [some] for party, some in by_party.items()}, meter)
        place = {party: number for number, party in enumerate(parties)}
        ends = {block: list(linked.values()) for block, linked in links.items()}
        blocks = little_open(ends, meter, late=self.ground.tracked)
        self.blocks = [(block, sorted(links[block], key=place.__getitem__)) for block in blocks]

    def _links(self, party: int, lot: int) -> set[Hashable]:
        """Say what a turn leaves open: facts, and whether the party has drawn."""
        atoms = {self.ground.numbers.get(Draws(party, lot), -1), *self.compared.get(party, {}).values()}
        links: set[Hashable] = set(self.ground.parts_of(atoms))
        return links | {("party", party)} if self.ground.semantics == "single" else links
