"""Any fact as basic implications, as few as can be: if all of these, then one of those.

Where everybody has one value, each property of a release is a conjunction of basic implications (Martin et al., theorem
3).  The proof goes through a normal form and may give many; here what the fact forbids is covered at least cost.

    Block        values of a person that the fact does not tell apart.
    Assignment   one block per person; the forbidden ones are those in which the fact does not hold.
    Box          some blocks of each person, and all assignments of these.
    Implication  ⋀ p_i = v_i → ⋁ q_j = w_j forbids just the box in which each p_i has v_i and no q_j has its w_j.  So a
                 box is one basic implication if at least one person is *pinned* to one value, the premise; otherwise it
                 takes one for each value of the pinned person.  That number is the box's cost.
    Cover        the cheapest boxes that cover all that is forbidden, and nothing else.  Only boxes that cannot be made
                 larger need be looked at, for each person and value that is pinned.  Values of a block are alike, so
                 what is best for one of them is best for all.
    Search       branch and bound: branch over the boxes that cover the assignment that fewest do; the bound pays
                 for assignments of which no box covers two.  Sets of assignments and of blocks are bits of integers.
    Cost         exponential at worst.  Beyond 20,000 assignments and `MOST_BOXES`, boxes are put together along the
                 fact's own structure (`AssignmentSpace.boxes`), which is quick and may give more of them.

Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-case background knowledge, ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import prod
from operator import and_, or_
from typing import TypeAlias

from sidelight.errors import BadKnowledge, TooHard, shortened
from sidelight.knowledge.facts import Atom, Fact, Has, Same, Who, all_of, any_of, as_who, conjuncts, fold, named_values
from sidelight.table.labels import Label, label, shown

MOST_BOXES = 1_000
"""So many boxes are looked at, at most."""

_TOO_MANY = "the fact takes too many basic implications to say; say it in several facts"

_NAME_VALUES = "this fact needs all values that a person may have; name them with values="

UNNAMED: tuple[()] = ()
"""Whatever value is not named: no label is a tuple."""

PossibleValues: TypeAlias = Iterable[object] | Mapping[object, Iterable[object]] | None
Choice: TypeAlias = Label | tuple[()]
Block: TypeAlias = tuple[Choice, ...]
Box: TypeAlias = tuple[int, ...]
Domains: TypeAlias = Mapping[Who, tuple[Choice, ...]]


@dataclass(frozen=True, slots=True)
class BasicImplication:
    """If all premises hold, one of the conclusions does.

    >>> print(BasicImplication((Has("Hannah", "Flu"),), (Has("Bob", "Flu"), Has("Bob", "Cold"))))
    Hannah = Flu -> Bob = Flu or Bob = Cold
    """

    premises: tuple[Has, ...]
    conclusions: tuple[Has, ...]

    def fact(self) -> Fact:
        """Return it as a fact."""
        return all_of(self.premises).implies(any_of(self.conclusions))

    def __str__(self) -> str:
        return str(self.fact())


def basic_implications(fact: Fact, values: PossibleValues = None) -> tuple[BasicImplication, ...]:
    """Return the fewest implications found by covering what the fact forbids, as a whole or part by part.

    >>> [str(each) for each in basic_implications(Has("Bob", "Flu"), ["Flu", "Cold", "Heart"])]
    ['Bob = Cold -> Bob = Flu', 'Bob = Heart -> Bob = Flu']
    """
    domains = _domains(fact, values)
    parts = conjuncts(fact)
    whole, apart = _express(fact, domains), [_express(part, domains) for part in parts]
    answers: list[tuple[BasicImplication, ...]] = [] if whole is None else [tuple(whole)]
    # part by part may be shorter where the whole was too large to cover well
    if len(parts) > 1 and None not in apart:
        answers.append(tuple(dict.fromkeys(each for part in apart for each in part or ())))
    if not answers:
        raise TooHard(_TOO_MANY)
    return min(answers, key=len)


def _domains(fact: Fact, values: PossibleValues) -> Domains:
    """Return what each person may have; without `values`: what the fact names, and something else."""
    people = fact.people()
    if isinstance(values, Mapping):
        by_person = {as_who(person): _list_values(listed) for person, listed in values.items()}
        missing_people = [person for person in people if person not in by_person]
        if missing_people:
            raise BadKnowledge(
                f"values= says nothing about {len(missing_people)} of the people in the fact; list their values too"
            )
        return {person: by_person[person] for person in people}
    named = dict.fromkeys(value for atom in fact.atoms() for value in named_values(atom))
    if values is not None:
        listed = _list_values(values)
        missing = [value for value in named if value not in listed]
        if missing:
            raise BadKnowledge(
                f"the fact names '{shortened(shown(missing[0]))}', which is not among values=; add it there"
            )
        return dict.fromkeys(people, listed)
    # same(…) compares values that are not named, and one "anything else" cannot stand for all of them
    if any(isinstance(atom, Same) for atom in fact.atoms()):
        raise BadKnowledge(_NAME_VALUES)
    return dict.fromkeys(people, (*named, UNNAMED))


def _list_values(values: Iterable[object]) -> tuple[Label, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable) or not (values := [*values]):
        raise BadKnowledge("values= is a list of what a person may have, at least one value; or a list for each person")
    return tuple(dict.fromkeys(label(value) for value in values))


def _express(fact: Fact, domains: Domains) -> list[BasicImplication] | None:
    """Express a fact by the fewest implications there are, or by few; `None` if that is too hard."""
    space, answers = AssignmentSpace.build(fact, domains), []
    if space.size <= 20_000:  # of more, the fewest are not looked for; few will do
        with suppress(TooHard):
            answers.append(cheapest_cover(space, space.bits(space.whole) & ~space.satisfying(fact)))
    with suppress(TooHard):
        answers.append(space.boxes(fact, positive=False))
    if not answers:
        return None
    # covering is optimal unless it runs out of steps; then cutting along the fact's own structure may be shorter
    boxes = min(answers, key=lambda boxes: sum(_cost(space, box) for box in boxes))
    return [each for box in boxes for each in _implications(space, box)]


def _pins(space: AssignmentSpace, box: Box) -> tuple[int, ...]:
    """Return the people to pin down to one value each: those with the fewest.

    An unnamed value can be neither a premise nor a conclusion, so where it is possible but not in the box, the person
    is pinned down.
    """
    indices = range(len(box))
    sizes = [len(space.values(index, side)) for index, side in enumerate(box)]
    open_ended = [UNNAMED in space.values(index, space.whole[index]) for index in indices]
    # one pinned person is enough: a box costs as many implications as that person has values in it
    if not any(open_ended):
        return (min(indices, key=sizes.__getitem__),)
    pins = tuple(index for index in indices if UNNAMED not in space.values(index, box[index]))
    if not pins:
        raise BadKnowledge(_NAME_VALUES)
    return pins


def _cost(space: AssignmentSpace, box: Box) -> int:
    return prod(len(space.values(index, box[index])) for index in _pins(space, box))


def _implications(space: AssignmentSpace, box: Box) -> Iterator[BasicImplication]:
    """Yield the implications that forbid a box: one for each way to pin it down."""
    pins = _pins(space, box)
    sides = [space.values(index, side) for index, side in enumerate(box)]
    for chosen in product(*(sides[index] for index in pins)):
        pinned = dict(zip(pins, chosen, strict=True))
        premises: list[Has] = []
        conclusions: list[Has] = []
        for index, who in enumerate(space.people):
            side = (pinned[index],) if index in pinned else sides[index]
            others = [value for value in space.values(index, space.whole[index]) if value not in side]
            # a premise says in one literal what would take a conclusion for each other value
            if index in pins or (len(side) == 1 and side[0] != UNNAMED and len(others) > 1):
                premises += [_has(who, side[0])]
            else:
                conclusions += [_has(who, value) for value in others]
        # premises that cannot all hold are forbidden by a conclusion that contradicts them
        yield BasicImplication(tuple(premises), tuple(conclusions) or (_impossible(space, premises),))


def _impossible(space: AssignmentSpace, premises: list[Has]) -> Has:
    """Find something that cannot be while the premises hold: another value of one of these people."""
    for has in premises:
        index = space.people.index(has.person)
        for value in space.values(index, space.whole[index]):
            if value not in (has.value, UNNAMED):
                return _has(has.person, value)
    raise BadKnowledge(_NAME_VALUES)


def _has(person: Who, value: Choice) -> Has:
    assert not isinstance(value, tuple)
    return Has(person, value)


@dataclass(frozen=True)
class AssignmentSpace:
    """The people of a fact and the blocks of each; assignments are numbered, the last person's block varies first."""

    people: tuple[Who, ...]
    blocks: tuple[tuple[Block, ...], ...]

    @classmethod
    def build(cls, fact: Fact, domains: Domains) -> AssignmentSpace:
        """Build the blocks of values that the fact does not distinguish."""
        people = fact.people()
        return cls(people, tuple(_divide_values(fact, who, domains) for who in people))

    @cached_property
    def size(self) -> int:
        """How many assignments there are."""
        return prod(map(len, self.blocks))

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """How far apart the numbers of assignments are that differ in one person by one block."""
        return tuple(prod(map(len, self.blocks[index + 1 :])) for index in range(len(self.people)))

    @cached_property
    def whole(self) -> Box:
        """The box of everything."""
        return tuple((1 << len(blocks)) - 1 for blocks in self.blocks)

    def values(self, index: int, side: int) -> tuple[Choice, ...]:
        """Return the values that are in some blocks of a person."""
        return tuple(value for block, values in enumerate(self.blocks[index]) if side >> block & 1 for value in values)

    def bits(self, box: Box, start: int = 0) -> int:
        """Return the assignments in a box, as bits; from a person on, if not of all."""
        bits = 1
        # from the last person backwards: the bits of all people behind, repeated for each block on this side
        for side, stride in zip(reversed(box), reversed(self.strides[start:]), strict=True):
            bits = reduce(or_, (bits << block * stride for block in range(side.bit_length()) if side >> block & 1), 0)
        return bits

    def side(self, who: Who, values: tuple[Choice, ...]) -> tuple[int, int]:
        """Return a person's index, and which blocks these values are, as bits."""
        index = self.people.index(who)
        return index, sum(1 << block for block, own in enumerate(self.blocks[index]) if own[0] in values)

    def slab(self, *sides: tuple[int, int]) -> Box:
        """Return the box of everything in which some people have some blocks only."""
        box = [*self.whole]
        for index, side in sides:
            box[index] &= side
        return tuple(box)

    def satisfying(self, fact: Fact) -> int:
        """Return the assignments in which a fact holds, as bits."""
        return fold(
            fact,
            lambda atom, positive: reduce(or_, map(self.bits, self._literal(atom, positive)), 0),
            conjunction=lambda several: reduce(and_, several),
            disjunction=lambda several: reduce(or_, several),
        )

    def boxes(self, fact: Fact, *, positive: bool) -> list[Box]:
        """Cover the assignments in which a fact holds (or does not) by boxes, without going through assignments."""
        return fold(fact, self._literal, conjunction=self._intersections, disjunction=_outermost, positive=positive)

    def _literal(self, atom: Atom, positive: bool) -> list[Box]:  # noqa: FBT001 - as facts are folded
        if not isinstance(atom, Same):
            index, side = self.side(atom.person, named_values(atom))
            boxes = [self.slab((index, side if positive else self.whole[index] & ~side))]
        elif atom.person == atom.other:
            boxes = [self.whole] if positive else []
        else:
            boxes = []
            for block in self.blocks[self.people.index(atom.person)]:
                index, side = self.side(atom.other, block)
                other = (index, side if positive else self.whole[index] & ~side)
                boxes.append(self.slab(self.side(atom.person, block), other))
        return [box for box in boxes if all(box)]

    def _intersections(self, several: list[list[Box]]) -> list[Box]:
        shared = [self.whole]
        for boxes in several:
            overlaps = (tuple(map(and_, one, other)) for one, other in product(shared, boxes))
            # pruned after each conjunct, so that the products stay small
            shared = _outermost([[box for box in overlaps if all(box)]])
        return shared


def _outermost(several: list[list[Box]]) -> list[Box]:
    """Leave out boxes within others; refuse too many."""
    boxes = list(dict.fromkeys(box for boxes in several for box in boxes))
    # counted before the comparison below, which is quadratic
    if len(boxes) > MOST_BOXES:
        raise TooHard(_TOO_MANY)

    def is_within(box: Box, other: Box) -> bool:
        return box != other and all(mine & ~theirs == 0 for mine, theirs in zip(box, other, strict=True))

    return [box for box in boxes if not any(is_within(box, other) for other in boxes)]


def _divide_values(fact: Fact, who: Who, domains: Domains) -> tuple[Block, ...]:
    """Divide what a person may have into blocks that the fact does not tell apart."""
    named: list[frozenset[Choice]] = []
    for atom in fact.atoms():
        if who not in atom.about():
            continue
        named.append(frozenset(named_values(atom)))
        if isinstance(atom, Same):
            # same(…) distinguishes every value that the other person may have
            named += [frozenset([value]) for other in atom.about() if other != who for value in domains[other]]
    blocks: dict[tuple[bool, ...], list[Choice]] = {}
    for value in domains[who]:
        blocks.setdefault(tuple(value in values for values in named), []).append(value)
    return tuple(map(tuple, blocks.values()))


def _maximal_boxes(
    space: AssignmentSpace, within: int, pinned: int, known: dict[tuple[int, int], tuple[Box, ...]], index: int = 0
) -> tuple[Box, ...]:
    """Return boxes within some assignments that cannot be made larger, with one person pinned, from a person on."""
    if index == len(space.people):
        return ((),) if within else ()
    if (index, within) not in known:
        known[index, within] = tuple(dict.fromkeys(_grow(space, within, pinned, known, index)))
        if len(known) > MOST_BOXES or len(known[index, within]) > MOST_BOXES:
            raise TooHard(_TOO_MANY)
    return known[index, within]


def _grow(
    space: AssignmentSpace, within: int, pinned: int, known: dict[tuple[int, int], tuple[Box, ...]], index: int
) -> Iterator[Box]:
    stride, blocks = space.strides[index], space.blocks[index]
    # per block of this person: the assignments of the people behind, `stride` bits each
    parts = [within >> block * stride & (1 << stride) - 1 for block in range(len(blocks))]
    # what some blocks share, with that of what is not named; the pinned person has one block in each box
    unnamed = [part for part, block in zip(parts, blocks, strict=True) if UNNAMED in block]
    shared = dict.fromkeys(parts if index == pinned else unnamed or parts)
    for part in () if index == pinned else dict.fromkeys(parts):
        # afterwards `shared` has the intersections of all subsets of parts
        shared |= dict.fromkeys(each & part for each in shared)
        if len(shared) > MOST_BOXES:
            raise TooHard(_TOO_MANY)
    for each in filter(None, shared):
        # a box is maximal here if its side has every block that the rest of the box allows
        side = sum(1 << block for block, part in enumerate(parts) if each & ~part == 0)
        for rest in _maximal_boxes(space, each, pinned, known, index + 1):
            # a smaller rest may allow more blocks: then this box is not maximal, and the larger one is found elsewhere
            inner = space.bits(rest, index + 1)
            if side == sum(1 << block for block, part in enumerate(parts) if inner & ~part == 0):
                yield (side, *rest)
    for block, part in enumerate(parts if unnamed else ()):  # or this person is a premise as well
        yield from ((1 << block, *rest) for rest in _maximal_boxes(space, part, pinned, known, index + 1))


def cheapest_cover(space: AssignmentSpace, forbidden: int) -> list[Box]:
    """Choose boxes that cover the forbidden assignments, at least cost unless it takes too long.

    >>> from sidelight.knowledge.parse import read_fact
    >>> fact = read_fact("Ann = Flu and Bob = Flu")
    >>> space = AssignmentSpace.build(fact, dict.fromkeys(["Ann", "Bob"], ("Flu", "Cold")))
    >>> cheapest_cover(space, space.bits(space.whole) & ~space.satisfying(fact))
    [(2, 3), (3, 2)]
    """
    candidates: dict[Box, int] = {}
    for index, blocks in enumerate(space.blocks):
        known: dict[tuple[int, int], tuple[Box, ...]] = {}
        for block, values in enumerate(blocks):
            if UNNAMED not in values:
                within = forbidden & space.bits(space.slab((index, 1 << block)))
                candidates |= {box: space.bits(box) for box in _maximal_boxes(space, within, index, known)}
    # a box needs a named value as its premise: what no box covers cannot be said
    if reduce(or_, candidates.values(), 0) != forbidden:
        raise BadKnowledge(_NAME_VALUES)
    costs = {box: _cost(space, box) for box in candidates}
    useful: list[Box] = []
    # a box within another that costs no more is never needed; cheapest first: only one before can be such another
    for box in sorted(candidates, key=lambda box: (costs[box], -candidates[box].bit_count())):
        if not any(candidates[box] & ~candidates[other] == 0 for other in useful):
            useful.append(box)
            if len(useful) > MOST_BOXES // 2:
                raise TooHard(_TOO_MANY)
    coverings = dict.fromkeys(
        tuple(box for box in useful if candidates[box] >> row & 1)
        for row in range(forbidden.bit_length())
        if forbidden >> row & 1
    )
    # quadratic; without it redundant rows stay, which costs time but changes no answer
    sets = [frozenset(boxes) for boxes in coverings] if len(coverings) < MOST_BOXES // 4 else []
    # who covers a row that fewer boxes cover covers this one too
    hard = [boxes for boxes in coverings if not any(other < {*boxes} for other in sets)]
    rows = {box: sum(1 << row for row, boxes in enumerate(hard) if box in boxes) for box in useful}
    return sorted(_choose_boxes([sorted(boxes, key=lambda box: costs[box]) for boxes in hard], rows, costs))


def _choose_boxes(covering: list[list[Box]], rows: Mapping[Box, int], costs: Mapping[Box, int]) -> list[Box]:
    """Choose boxes that cover all rows: `rows[box]` are those that a box covers, as bits.

    Branches over the boxes of the row that fewest cover (`covering[row]`, cheapest first) while it may get cheaper.
    """
    best, steps = _cover_greedily((1 << len(covering)) - 1, rows, costs), 0

    def cost(boxes: Iterable[Box]) -> int:
        return sum(costs[box] for box in boxes)

    def lower_bound(left: int) -> int:
        """Bound the cost of covering these rows: rows of which no box covers two are paid for one by one."""
        bound = 0
        for row, boxes in enumerate(covering):
            if left >> row & 1:
                # sorted by cost: no cover pays less than boxes[0] for this row; rows that share a box with it may come
                # free
                bound += costs[boxes[0]]
                left &= ~reduce(or_, (rows[box] for box in boxes))
        return bound

    def search(left: int, chosen: list[Box]) -> None:
        nonlocal best, steps
        steps += len(covering) + 1
        # invariant: `best` is a cover, and no cheaper one was passed over but for lack of steps
        if cost(chosen) + lower_bound(left) >= cost(best):
            return
        if steps > 300_000:  # assignments looked at on the branches that were tried: the best so far will do
            return
        if not left:
            best = chosen
            return
        row = min((row for row in range(len(covering)) if left >> row & 1), key=lambda row: len(covering[row]))
        # most rows per cost first: a good cover found early cuts off more branches
        for box in sorted(covering[row], key=lambda box: -(rows[box] & left).bit_count() / costs[box]):
            search(left & ~rows[box], [*chosen, box])

    search((1 << len(covering)) - 1, [])
    return best


def _cover_greedily(left: int, rows: Mapping[Box, int], costs: Mapping[Box, int]) -> list[Box]:
    """Return a good cover to begin with: whatever cannot beat it is cut off."""
    chosen: list[Box] = []
    while left:
        most = max(rows, key=lambda box: (rows[box] & left).bit_count() / costs[box])
        chosen.append(most)
        left &= ~rows[most]
    # drop boxes that the ones chosen later made superfluous
    for box in [*chosen]:
        if rows[box] & ~reduce(or_, (rows[other] for other in chosen if other != box), 0) == 0:
            chosen.remove(box)
    return chosen
