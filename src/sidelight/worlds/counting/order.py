"""Who has a turn for which lot, and in which order do the lots come up?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from sidelight.worlds.counting.compile import Alike, Draws, Ground, Term
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


# ----------------------------------------------------------------------------------------------------
# In which order do things come up, so that little must be remembered at a time?
# ----------------------------------------------------------------------------------------------------


Thing = TypeVar("Thing", bound=Hashable)


def little_open(
    things: Mapping[Thing, Sequence[AbstractSet[Hashable]]], meter: Meter, *, late: Hashable = None
) -> list[Thing]:
    """Take next what leaves least open: links between what came up and what is to come, or the ends of such links.

    A thing has several ends, each with its links.  What came up is remembered by its ends that still have open links
    or by these links, whichever are fewer.  Greedy, one step ahead; only what is linked to the open ones is looked at.
    The link `late` is opened late where that costs nothing.

    >>> from sidelight.worlds.effort import Effort
    >>> little_open({"a": [{1}], "b": [{2, 3}], "c": [{1, 2}], "d": [{3}]}, Meter(Effort()))
    ['a', 'c', 'b', 'd']
    """
    sweep = _Sweep(things, late)
    alone = iter(sorted(things, key=sweep.cost))  # where nothing is open, what is left costs what it did at first
    order: dict[Thing, None] = {}
    while len(order) < len(things):
        near = sweep.near()
        thing = min(near, key=sweep.cost) if near else next(each for each in alone if each not in order)
        order[thing] = None
        sweep.take(thing)
        meter.check_time()
    return list(order)


class _Sweep(Generic[Thing]):
    """What is open so far; what a thing would add to it is worked out anew where something near it changed."""

    def __init__(self, things: Mapping[Thing, Sequence[AbstractSet[Hashable]]], late: Hashable) -> None:
        self._late = late
        self._ends = {thing: [end for end in ends if end] for thing, ends in things.items()}
        self._links = {thing: Counter(link for end in ends for link in end) for thing, ends in self._ends.items()}
        self._left = Counter(link for ends in self._ends.values() for end in ends for link in end)
        self._whose: dict[Hashable, dict[Thing, None]] = defaultdict(dict)  # link → things to come, in their order
        for thing, links in self._links.items():
            for link in links:
                self._whose[link][thing] = None
        self._open: dict[Hashable, None] = {}  # links
        self._near: dict[Thing, None] = {}
        self._ends_of: dict[Hashable, list[int]] = defaultdict(list)  # open link → ends that came up
        self._links_of: list[set[Hashable]] = []  # end that came up → its links that are open
        self._open_ends = 0
        self._known: dict[Thing, tuple[int, int, bool, int]] = {}  # what it would add

    def near(self) -> Collection[Thing]:
        """Give the things to come that are linked with what is open."""
        return self._near

    def cost(self, thing: Thing) -> tuple[int, bool, int]:
        """Say how much would be open, and what else speaks for or against a thing."""
        if thing not in self._known:
            self._known[thing] = self._added(thing)
        ends, links, late, opened = self._known[thing]
        return min(self._open_ends + ends, len(self._open) + links), late, opened

    def _added(self, thing: Thing) -> tuple[int, int, bool, int]:
        links = self._links[thing]
        closed = {link for link, number in links.items() if self._left[link] == number}
        were_open = {link for link in links if link in self._open}
        freed = Counter(end for link in closed for end in self._ends_of.get(link, ()))
        ends = sum(not closed.issuperset(end) for end in self._ends[thing])
        ends -= sum(number == len(self._links_of[end]) for end, number in freed.items())
        more = len(links.keys() - were_open - closed) - len(were_open & closed)
        return ends, more, self._late in links, -len(were_open)

    def take(self, thing: Thing) -> None:
        """Let a thing come up."""
        self._near.pop(thing, None)
        for link in self._links[thing]:
            del self._whose[link][thing]
            self._changed(link)
        for end in self._ends[thing]:
            number = len(self._links_of)
            self._links_of.append(set(end))
            self._open_ends += 1
            for link in end:
                self._left[link] -= 1
                self._open[link] = None
                self._ends_of[link].append(number)
        for link in [link for link in self._links[thing] if not self._left[link]]:
            del self._open[link]
            for number in self._ends_of.pop(link):
                self._links_of[number].discard(link)
                self._open_ends -= not self._links_of[number]
                for other in self._links_of[number]:
                    self._changed(other)

    def _changed(self, link: Hashable) -> None:
        for thing in self._whose[link]:
            self._near[thing] = None
            self._known.pop(thing, None)
