"""Which variable decides about which value block, and in which order do the blocks come up?

    Stage      (component c, value block b): the variables of c that are *scheduled* for b take it or not, one by one.
    Scheduled  a variable is scheduled for the blocks that constraints ask about; for all blocks of its component where
               it is compared with others or stands for several people.
    Free       in `single`, a variable that is not scheduled for all blocks of its group may take any other without
               deciding about it.  Inclusion and exclusion pays for that freedom (see `frontier`).
    Tallied    people of whom one atom is fixed and nothing else is asked need no variable: they are only counted.

What the count remembers between two stages is the frontier: what is *open* between the stages before and after.  An
order with a small frontier is found greedily (`small_frontier_order`): next comes what leaves least open.

    Thing      has *ends* (for a stage: its variables), and an end has *links* (constraints, and in `single` whether the
               variable was assigned); a link is open while some but not all of the ends that have it came up.
    Width      min(ends with an open link, open links): what came up is remembered by one or by the other.
    Invariant  `_Sweep` holds the open links, and for each thing near them what it would add to the width.
    Cost       things × the things near (those with an open link); only what shares an open link with what changed is
               worked out again.
    Source     ours; the width is that of a linear arrangement, which is hard to minimise, so greedily.

Weighted counting of worlds, by a dynamic program that sweeps a frontier over the constraints.

    Order       stages (component, value block) as `order` puts them; at a stage its variables, one after the other.
    State       what is left of each constraint; which variables are assigned (`single`); at this stage, which compared
                variables took the block and how many people of each group did.  All packed into one whole number.
    Transition  maps the fields of a state that it reads to their successors, each with a signed weight:
                Assign      a variable takes the block or not; constraints are conditioned on it
                Tally       people of whom nothing else is asked take it, or not
                Distribute  all of a group have decided: in how many ways can the block's n_g(b) occurrences go round?
                FillRest    `single`, all stages of a group are over: who was free takes any occurrence that is left
                Finish      all stages are over: compared variables that never differed are equal; constraints hold?
    Exclusion   in `single`, a free variable that does not take b may take any block outside its schedule.  It is left
                free altogether, and the worlds in which it takes b after all are subtracted (inclusion and exclusion:
                the term `EXCLUDED` takes b with weight −1, and no constraint is conditioned on it).
    Invariant   after each transition, Σ over states (weight × completions) = worlds in which all constraints hold.
    Cost        transitions × states; states grow with the constraints open at a time, not with people or values.
    Source      ours; that only what is open between before and after need be remembered is the frontier method of
                Sekine, Imai and Tani, Computing the Tutte polynomial of a graph of moderate size, ISAAC 1995.

Weights are whole numbers, so that every probability is an exact fraction: the sum of the last weights over `total`.
Weighted constraints multiply the weight of a state as soon as they are decided; then probabilities are so only up to a
factor, the same for all questions about the same facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from math import comb, perm, prod
from typing import Generic, TypeAlias, TypeVar

from sidelight.worlds.counting.compile import CountingProblem, Equal, Formula, Meter, OverEffort, Takes

BlockStage: TypeAlias = tuple[int, int]
"""(component, value block)."""

Sortable = TypeVar("Sortable", bound=Hashable)


@dataclass(slots=True)
class Schedule:
    """The stages of a counting problem, in their order.

    `watched` variables are scheduled for each block that any variable is scheduled for; with `exhaustive`, no variable
    is free.
    """

    problem: CountingProblem
    watched: frozenset[int] = frozenset()
    exhaustive: bool = False
    compared: dict[int, dict[int, int]] = field(default_factory=dict)  # variable → other → the atom that they are equal
    scheduled: dict[BlockStage, set[int]] = field(default_factory=dict)
    tallied: dict[BlockStage, Counter[tuple[int, bool]]] = field(default_factory=dict)  # (group, takes it) → people
    stages: list[tuple[BlockStage, list[int]]] = field(default_factory=list)  # with the variables in their order

    @classmethod
    def build(
        cls,
        problem: CountingProblem,
        meter: Meter,
        *,
        watched: Iterable[int] = (),
        formulas: Sequence[Formula] = (),
        exhaustive: bool = False,
    ) -> Schedule:
        """Schedule what the constraints need, and what further formulas ask about."""
        schedule = cls(problem, frozenset(watched), exhaustive)
        atoms = sorted({atom for formula in (*problem.constraints, *formulas) for atom in formula.atoms})
        for number in atoms:
            match problem.atoms[number]:
                case Equal(variable, other):
                    schedule.compared.setdefault(variable, {})[other] = number
                    schedule.compared.setdefault(other, {})[variable] = number
        schedule._find_scheduled(atoms)
        schedule._sort_stages(meter)
        return schedule

    def is_free(self, variable: int) -> bool:
        """Return whether a variable may take blocks for which it is not scheduled."""
        return self.problem.semantics == "single" and not self.exhaustive and not self._takes_part_in_all(variable)

    def several_times(self) -> list[int]:
        """Return the variables of whom it must be remembered whether they took their one block."""
        if self.problem.semantics != "single":
            return []
        times = Counter(variable for _, variables in self.stages for variable in variables)
        return sorted(variable for variable, number in times.items() if number > 1)

    def people_at(self, *stages: BlockStage) -> Counter[int]:
        """Count the people of each group who decide at any of some stages."""
        people: Counter[int] = Counter()
        for variable in {variable for stage in stages for variable in self.scheduled[stage]}:
            people.update(self.problem.members[variable])
        for stage in stages:
            for (group, _), number in self.tallied.get(stage, Counter()).items():
                people[group] += number
        return people

    def _takes_part_in_all(self, variable: int) -> bool:
        return variable in self.compared or self.problem.members[variable].total() > 1

    def _find_scheduled(self, atoms: Iterable[int]) -> None:
        problem, scheduled = self.problem, defaultdict[BlockStage, set[int]](set)
        ground = [problem.atoms[atom] for atom in atoms]
        needed = [(atom.variable, atom.block) for atom in ground if isinstance(atom, Takes)]
        needed += self._iterate_common_variables()
        for variable, block in needed:
            scheduled[problem.component_of(variable), block].add(variable)
        # a variable that decides only once, and is fixed, need not be one of the count
        times = Counter([*(atom.variable for atom in problem.fixed), *(variable for variable, _ in set(needed))])
        for atom, takes in problem.fixed.items():
            stage = (problem.component_of(atom.variable), atom.block)
            variables = scheduled[stage]  # makes the stage, even if people are only tallied there
            if times[atom.variable] > 1 or atom.variable in self.watched:
                variables.add(atom.variable)
            else:
                (group,) = problem.members[atom.variable]
                self.tallied.setdefault(stage, Counter())[group, takes] += 1
        for variable in self.watched:
            for block in self._own_blocks(variable):
                # only stages that there are anyway: at others, nothing depends on anybody
                scheduled.get((problem.component_of(variable), block), set()).add(variable)
        self.scheduled = dict(scheduled)

    def _iterate_common_variables(self) -> Iterator[tuple[int, int]]:
        """Yield the variables that are scheduled for every block, of their component or of their own group."""
        problem = self.problem
        component_blocks = defaultdict[int, set[int]](set)
        for group, blocks in problem.blocks.items():
            component_blocks[problem.component[group]].update(blocks)
        for variable in range(len(problem.members)):
            if self._takes_part_in_all(variable):
                yield from ((variable, block) for block in component_blocks[problem.component_of(variable)])
            elif self.exhaustive and problem.semantics == "single":
                yield from ((variable, block) for block in self._own_blocks(variable))

    def _own_blocks(self, variable: int) -> set[int]:
        return {block for group in self.problem.members[variable] for block in self.problem.blocks[group]}

    def _sort_stages(self, meter: Meter) -> None:
        """Put stages that the same constraints ask about close to each other, and the variables likewise."""
        links = {
            stage: {variable: self._links(variable, stage[1]) for variable in variables}
            for stage, variables in self.scheduled.items()
        }
        by_variable: dict[int, set[Hashable]] = defaultdict(set)
        for ends in links.values():
            for variable, end in ends.items():
                # a link that only this variable has puts it near nobody
                by_variable[variable] |= end - {("assigned", variable)}
        # the same order of variables at every stage, so that states agree from stage to stage
        variables = small_frontier_order({variable: [end] for variable, end in by_variable.items()}, meter)
        rank_of = {variable: number for number, variable in enumerate(variables)}
        ends_of = {stage: list(ends.values()) for stage, ends in links.items()}
        stages = small_frontier_order(ends_of, meter, late=self.problem.target)
        self.stages = [(stage, sorted(links[stage], key=rank_of.__getitem__)) for stage in stages]

    def _links(self, variable: int, block: int) -> set[Hashable]:
        atoms = {self.problem.atom_numbers.get(Takes(variable, block), -1), *self.compared.get(variable, {}).values()}
        links: set[Hashable] = set(self.problem.constraints_with(atoms))
        return links | {("assigned", variable)} if self.problem.semantics == "single" else links


def small_frontier_order(
    things: Mapping[Sortable, Sequence[AbstractSet[Hashable]]], meter: Meter, *, late: Hashable = None
) -> list[Sortable]:
    """Return an order of things, each with the links of its ends, in which little is open at a time.

    Greedy, one step ahead.  The link `late` is opened late where that costs nothing.

    >>> from sidelight.worlds.counting.compile import Effort
    >>> small_frontier_order({"a": [{1}], "b": [{2, 3}], "c": [{1, 2}], "d": [{3}]}, Meter(Effort()))
    ['a', 'c', 'b', 'd']
    """
    sweep = _Sweep(things, late)
    alone = iter(sorted(things, key=sweep.cost))  # where nothing is open, what is left costs what it did at first
    order: dict[Sortable, None] = {}
    while len(order) < len(things):
        thing = min(sweep.near, key=sweep.cost) if sweep.near else next(each for each in alone if each not in order)
        order[thing] = None
        sweep.take(thing)
        meter.check_time()
    return list(order)


class _Sweep(Generic[Sortable]):
    """What is open so far; what a thing would add to it is worked out anew where something near it changed."""

    def __init__(self, things: Mapping[Sortable, Sequence[AbstractSet[Hashable]]], late: Hashable) -> None:
        self._late = late
        self._ends = {thing: [end for end in ends if end] for thing, ends in things.items()}
        self._links = {thing: Counter(link for end in ends for link in end) for thing, ends in self._ends.items()}
        self._left = Counter(link for ends in self._ends.values() for end in ends for link in end)
        self._whose: dict[Hashable, dict[Sortable, None]] = defaultdict(dict)  # link → things to come, in their order
        for thing, links in self._links.items():
            for link in links:
                self._whose[link][thing] = None
        self._open: dict[Hashable, None] = {}  # links
        self.near: dict[Sortable, None] = {}  # things to come that are linked with what is open
        self._ends_of: dict[Hashable, list[int]] = defaultdict(list)  # open link → ends that came up
        self._links_of: list[set[Hashable]] = []  # end that came up → its links that are open
        self._open_ends = 0
        self._added: dict[Sortable, tuple[int, int, bool, int]] = {}  # what it would add

    def cost(self, thing: Sortable) -> tuple[int, bool, int]:
        """Return how much would be open, and what else speaks for or against a thing."""
        if thing not in self._added:
            links = self._links[thing]
            # what nothing else has any more closes with this thing
            closed = {link for link, number in links.items() if self._left[link] == number}
            were_open = {link for link in links if link in self._open}
            freed = Counter(end for link in closed for end in self._ends_of.get(link, ()))
            ends = sum(not closed.issuperset(end) for end in self._ends[thing])
            # an end that loses its last open link need not be remembered any more
            ends -= sum(number == len(self._links_of[end]) for end, number in freed.items())
            more = len(links.keys() - were_open - closed) - len(were_open & closed)
            self._added[thing] = ends, more, self._late in links, -len(were_open)
        ends, more, late, opened = self._added[thing]
        return min(self._open_ends + ends, len(self._open) + more), late, opened

    def take(self, thing: Sortable) -> None:
        """Let a thing come up: its links open, and those that nothing else has any more close."""
        self.near.pop(thing, None)
        for link in self._links[thing]:
            del self._whose[link][thing]
            self._change(link)
        for end in self._ends[thing]:
            number = len(self._links_of)
            self._links_of.append(set(end))
            self._open_ends += 1
            for link in end:
                self._left[link] -= 1
                self._open[link] = None
                self._ends_of[link].append(number)
        for link in [link for link in self._links[thing] if not self._left[link]]:
            self._close(link)

    def _close(self, link: Hashable) -> None:
        del self._open[link]
        for number in self._ends_of.pop(link):
            self._links_of[number].discard(link)
            self._open_ends -= not self._links_of[number]  # an end is open as long as one of its links is
            for other in self._links_of[number]:
                self._change(other)

    def _change(self, link: Hashable) -> None:
        for thing in self._whose[link]:
            self.near[thing] = None
            self._added.pop(thing, None)


StateWeights: TypeAlias = dict[int, int]
"""State → weight: in how many ways it is reached, or completed; signed."""

WeightedMove: TypeAlias = tuple[int, int]
"""What replaces the fields of a state that a transition reads, and the weight."""

MOST_BITS = 20
"""For up to a million different rests of a constraint."""


class Frontier:
    """The dynamic program for one schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.problem = schedule, schedule.problem
        self.layout = StateLayout(self.problem, assigned=schedule.several_times(), compared=sorted(schedule.compared))
        self.assigned_at: dict[int, tuple[int, int]] = {}  # the number of a transition → its variable and block
        self._to_come: dict[int, dict[int, None]] = {}  # variable → the blocks about which it is yet to decide
        for stage, variables in schedule.stages:
            for variable in variables:
                self._to_come.setdefault(variable, {})[stage[1]] = None
        self._watched = schedule.watched.union(atom.variable for atom in self.problem.fixed)
        # equal decisions are one transition, and share what it remembers
        self._make_assign = cache(partial(Assign, self.layout))
        self.transitions = self._all_transitions()

    def probabilities(self, meter: Meter) -> tuple[Fraction, Fraction]:
        """Return Pr(constraints), and Pr(constraints and target)."""
        weights = self.start()
        for transition in self.transitions:
            # signed weights may cancel: such states would only cost time
            weights = {state: weight for state, weight in advance(weights, transition, meter).items() if weight}
        total = self.total()
        return Fraction(sum(weights.values()), total), Fraction(weights.get(1, 0), total)

    def layers(self, meter: Meter) -> list[StateWeights]:
        """Return the states before each transition, and after the last."""
        layers = [self.start()]
        for transition in self.transitions:
            layers.append(advance(layers[-1], transition, meter))
        return layers

    def sweep_back(
        self, layers: list[StateWeights], meter: Meter
    ) -> Iterator[tuple[int, Transition, StateWeights, StateWeights]]:
        """Yield each transition with its number, the last first; the states before it; what completes those after it.

        `layers` are used up.
        """
        after: StateWeights = dict.fromkeys(layers.pop(), 1)
        for step, transition in reversed(list(enumerate(self.transitions))):
            weights = layers.pop()
            yield step, transition, weights, after
            # from here on, `after` belongs to the states before this transition
            after = weigh_completions(weights, transition, after)
            meter.check_time()

    def start(self) -> StateWeights:
        """Return the state with nothing decided; no state at all if the constraints cannot hold."""
        return {} if self.problem.contradictory else {self.layout.start: self.problem.factor}

    def total(self) -> int:
        """Count all worlds, as far as the schedule distinguishes them."""
        problem = self.problem
        if problem.semantics == "single":
            deciding = self.schedule.people_at(*self.schedule.scheduled)
            return prod(perm(problem.sizes[group], people) for group, people in deciding.items())
        return prod(
            problem.ways_to_spread(group, stage[1])
            for stage in self.schedule.scheduled
            for group in self.schedule.people_at(stage)
        )

    def _all_transitions(self) -> list[Transition]:
        deciding = {stage: self.schedule.people_at(stage) for stage, _ in self.schedule.stages}
        # after its last stage, nobody of a group decides any more: the free ones take what is left
        last_stage = {group: stage for stage, groups in deciding.items() for group in groups}
        people = self.schedule.people_at(*self.schedule.scheduled)
        transitions: list[Transition] = []
        for stage, variables in self.schedule.stages:
            for variable, transition in self._stage_transitions(stage, variables, deciding[stage]):
                if variable is not None:
                    self.assigned_at[len(transitions)] = variable, stage[1]
                transitions.append(transition)
            if self.problem.semantics == "single":
                over = [group for group in deciding[stage] if last_stage[group] == stage]
                transitions += (fill_rest(self.layout, group, people[group]) for group in over)
        return [*transitions, finish(self.layout)]

    def _stage_transitions(
        self, stage: BlockStage, variables: list[int], deciding: Counter[int]
    ) -> Iterator[tuple[int | None, Transition]]:
        """Yield transitions in which everybody decides; a group's block is distributed once all of it have."""
        for (group, takes), people in self.schedule.tallied.get(stage, Counter()).items():
            yield None, tally(self.layout, group, people, takes=takes)
        # a block is distributed right after the last of a group decided, so that its counter is short-lived
        last = {group: variable for variable in variables for group in self.problem.members[variable]}
        for group in deciding:
            if group not in last:
                yield None, distribute(self.layout, group, stage[1], deciding[group])
        rank_of = {variable: rank for rank, variable in enumerate(variables)}
        for variable in variables:
            yield variable, self._assign(variable, stage[1], rank_of)
            for group in self.problem.members[variable]:
                if last[group] == variable:
                    yield None, distribute(self.layout, group, stage[1], deciding[group])

    def _assign(self, variable: int, block: int, rank_of: dict[int, int]) -> Assign:
        # transitions are made in their order, so what is left here are the later stages of the variable
        del self._to_come[variable][block]
        later = self._to_come[variable]
        problem, compared, own_rank = self.problem, self._list_comparisons(variable, rank_of), rank_of[variable]
        before = tuple((other, atom) for other, atom in compared if rank_of[other] < own_rank)
        return self._make_assign(
            variable,
            atom=self._open_atom(variable, block),
            later=frozenset(self._open_atom(variable, other) for other in later) - {-1},
            last=not later,
            occurs=all(problem.counts[group, block] for group in problem.members[variable]),
            fixed=problem.fixed.get(Takes(variable, block)),
            free=self.schedule.is_free(variable),
            watched=variable in self._watched,
            before=before,
            after=tuple((other, atom) for other, atom in compared if rank_of[other] > own_rank),
            done=frozenset(
                other for other, _ in before if rank_of[self._list_comparisons(other, rank_of)[-1][0]] <= own_rank
            ),
        )

    def _list_comparisons(self, variable: int, rank_of: dict[int, int]) -> list[tuple[int, int]]:
        """Return whom a variable is compared with at a stage, each with the atom that both are equal, in order."""
        compared = self.schedule.compared.get(variable, {})
        return sorted(((other, compared[other]) for other in compared), key=lambda pair: rank_of[pair[0]])

    def _open_atom(self, variable: int, block: int) -> int:
        """Return the atom that a variable takes a block, if a constraint still mentions it; else −1."""
        number = self.problem.atom_numbers.get(Takes(variable, block), -1)
        return number if number in self.problem.mentions else -1


def advance(weights: StateWeights, transition: Transition, meter: Meter) -> StateWeights:
    """Return the states after a transition from each state, forwards; weights may cancel out."""
    mask, memo, after = transition.mask, transition.memo, dict[int, int]()
    for number, (state, weight) in enumerate(weights.items()):
        # the effort is checked once in a while: a check per state would double the time
        if not number & 1023:
            meter.spend(min(len(weights) - number, 1024))
        fields = state & mask
        moves = memo.get(fields)
        if moves is None:
            moves = memo[fields] = transition.moves(fields)
        # all other fields stay as they are, so moves are remembered by the fields alone
        rest = state ^ fields
        for replacement, factor in moves:
            new = rest + replacement
            after[new] = after.get(new, 0) + weight * factor
    return after


def weigh_completions(states: Iterable[int], transition: Transition, after: StateWeights) -> StateWeights:
    """Return the weight of all ways to complete each state, from that of the states after a transition: backwards."""
    mask, memo = transition.mask, transition.memo
    return {
        state: sum(factor * after[(state & ~mask) + replacement] for replacement, factor in memo[state & mask])
        for state in states
    }


class StateLayout:
    """Where the fields of a state are, packed into one whole number.

    `assigned[x]`: x took its one block.  `took[x]`: x took the block of this stage, and is compared with variables that
    decide later.  `takers[g]` counts who of a group took the block of this stage, `served[g]` who took any.
    """

    def __init__(self, problem: CountingProblem, *, assigned: Iterable[int], compared: Iterable[int]) -> None:
        self.problem = problem
        self.false = problem.formulas.false
        self._bits = 0
        # of each constraint: what may be left of it, numbered as it comes about, and where its field is
        self._formulas = [[problem.formulas.true] for _ in problem.constraints]
        self._numbers = [{problem.formulas.true: 0} for _ in problem.constraints]
        self._shifts: list[int] = []
        self.masks: list[int] = []
        for number, formula in enumerate(problem.constraints):
            all_or_nothing = formula.is_literal and number != problem.target
            # each atom is open, true or false, so there are at most 3^atoms rests, and `true`
            bits = 1 if all_or_nothing else min((3 ** len(formula.atoms) + 1).bit_length(), MOST_BITS)
            self._shifts.append(self._add_field(bits))
            self.masks.append((1 << bits) - 1 << self._shifts[-1])
        self.assigned = {variable: 1 << self._add_field(1) for variable in assigned}
        self.took = {variable: 1 << self._add_field(1) for variable in compared}
        people: Counter[int] = Counter()
        for members in problem.members:
            people.update(members)
        self.counter_mask = {group: (1 << number.bit_length()) - 1 for group, number in people.items()}  # at bit 0
        self.takers = {group: 1 << self._add_field(number.bit_length()) for group, number in people.items()}
        self.served = {group: 1 << self._add_field(number.bit_length()) for group, number in people.items()}
        self.start = sum(self.pack(number, formula) for number, formula in enumerate(problem.constraints))

    def pack(self, constraint: int, formula: Formula) -> int:
        """Write what is left of a constraint into its field."""
        numbers, shift = self._numbers[constraint], self._shifts[constraint]
        number = numbers.get(formula)
        if number is None:
            number = numbers[formula] = len(numbers)
            self._formulas[constraint].append(formula)
            # a rest that has no number any more would spill into the next field
            if number << shift > self.masks[constraint]:
                raise OverEffort
        return number << shift

    def unpack(self, state: int, constraint: int) -> Formula:
        """Read what is left of a constraint."""
        return self._formulas[constraint][(state & self.masks[constraint]) >> self._shifts[constraint]]

    def weigh_decided(self, constraint: int, before: Formula, rest: Formula) -> tuple[Formula, int]:
        """Weigh a constraint as soon as it is decided: nothing is left of it then, and the weight is its own."""
        if before is rest or rest not in (self.problem.formulas.true, self.false):
            return rest, 1
        # invariant: a weighted constraint is `true` in its field exactly when its weight is in the state's
        if_true, if_false = self.problem.weights[constraint]
        return self.problem.formulas.true, if_false if rest is self.false else if_true

    def count(self, counters: dict[int, int], group: int, state: int) -> int:
        """Read a counter."""
        return state // counters[group] & self.counter_mask[group]

    def _add_field(self, bits: int) -> int:
        shift, self._bits = self._bits, self._bits + bits
        return shift


class DecisionOutcome(Enum):
    """One way in which a variable may decide: whether it takes the block, and the sign; constraints learn which."""

    TAKES = True, 1
    SKIPS = False, 1  # it may still take a later block of its schedule
    UNCHANGED = False, 1, "nothing new"
    # The inclusion–exclusion term: subtracts the worlds in which a variable that was left free takes the block after
    # all; constraints learn only that it takes none of its schedule.
    EXCLUDED = True, -1

    def __init__(self, takes: bool, sign: int, _evidence: str = "") -> None:  # noqa: FBT001 - members are written once
        self.takes, self.sign = takes, sign


@dataclass(eq=False)
class Assign:
    """A variable takes the block of a stage, or not: as far as constraints care, so that one serves blocks alike.

    `atom` is that the variable takes the block (−1: no constraint asks), `later` that it takes a block of a later
    stage; `before` and `after` are the variables it is compared with that decided at this stage or are yet to, each
    with the atom that both are equal; whether those in `done` took the block does not matter after this.
    """

    layout: StateLayout
    variable: int
    atom: int
    later: frozenset[int]
    last: bool
    occurs: bool  # whether the block is in all groups of the variable
    fixed: bool | None
    free: bool
    watched: bool  # decides even if no constraint cares any more
    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]
    done: frozenset[int]
    memo: dict[int, list[WeightedMove]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        layout = self.layout
        self.single = layout.problem.semantics == "single"
        self._own_atoms = frozenset({self.atom, *self.later})
        equalities = {atom for _, atom in (*self.before, *self.after)}
        self._constraints = layout.problem.constraints_with(self._own_atoms | equalities)
        self._assigned = layout.assigned.get(self.variable, 0)
        self._took = sum(layout.took[other] for other, _ in self.before)
        self._kept = sum(layout.took[other] for other, _ in self.before if other not in self.done)
        self.mask = sum(layout.masks[number] for number in self._constraints) | self._assigned | self._took
        counters = [layout.takers, layout.served] if self.single else [layout.takers]
        members = layout.problem.members[self.variable]
        self._counted = sum(people * counter[group] for group, people in members.items() for counter in counters)
        self._compared_later = frozenset(atom for _, atom in self.after)
        # outcome, who took it → before → after
        self._rests: dict[tuple[DecisionOutcome, int], dict[Formula, Formula]] = {}

    def moves(self, fields: int) -> list[WeightedMove]:
        """Return the moves of the variable that takes the block, or does not."""
        return [move for _, move in self.outcomes(fields)]

    def outcomes(self, fields: int) -> list[tuple[DecisionOutcome, WeightedMove]]:
        """Return how it may decide, and what comes of that."""
        rests = [self.layout.unpack(fields, number) for number in self._constraints]
        moves = ((outcome, self._move(outcome, fields, rests)) for outcome in self._possible(fields, rests))
        return [(outcome, move) for outcome, move in moves if move is not None]

    def _possible(self, fields: int, rests: list[Formula]) -> Iterable[DecisionOutcome]:
        # `single`: one block each; who took one decides nothing more
        if fields & self._assigned:
            return () if self.fixed else (DecisionOutcome.UNCHANGED,)
        # no constraint asks, now or later: taking the block and its exclusion would cancel out
        if self.free and not self.watched and not any(rest.atoms & self._own_atoms for rest in rests):
            return (DecisionOutcome.UNCHANGED,)
        takes = (DecisionOutcome.TAKES,) if self.occurs and self.fixed is not False else ()
        if self.fixed:
            return takes
        # free: all ways to lack b are all ways at all (SKIPS), less those that take b after all (EXCLUDED)
        excluded = (DecisionOutcome.EXCLUDED,) if self.occurs and self.free else ()
        skips = (DecisionOutcome.SKIPS,) if self.free or not self.last or not self.single else ()
        return (*takes, *excluded, *skips)

    def _move(self, outcome: DecisionOutcome, fields: int, rests: list[Formula]) -> WeightedMove | None:
        layout = self.layout
        conditioned = self._rests.setdefault((outcome, fields & self._took), {})
        after, compared_later = self._counted if outcome.takes else 0, False
        factor = outcome.sign
        for number, before in zip(self._constraints, rests, strict=True):
            rest = conditioned.get(before)
            if rest is None:
                rest = conditioned[before] = self._condition(before, outcome, fields)
            if number in layout.problem.weights:
                rest, weight = layout.weigh_decided(number, before, rest)
                factor *= weight
            # invariant: no state is kept in which a constraint can no longer hold
            if rest is layout.false and number != layout.problem.target:
                return None
            after += layout.pack(number, rest)
            compared_later = compared_later or not self._compared_later.isdisjoint(rest.atoms)
        # remembered only while a constraint still asks whether the two are equal
        if outcome is DecisionOutcome.TAKES and compared_later:
            after += layout.took[self.variable]
        if not self.last and outcome is not DecisionOutcome.SKIPS:
            after += self._assigned
        return after + (fields & self._kept), factor

    def _condition(self, formula: Formula, outcome: DecisionOutcome, fields: int) -> Formula:
        condition, takes = self.layout.problem.formulas.condition, outcome is DecisionOutcome.TAKES
        if outcome is not DecisionOutcome.UNCHANGED:
            formula = condition(formula, self.atom, truth=takes)
        if self.single and outcome.takes:
            for atom in self.later:
                formula = condition(formula, atom, truth=False)
        for other, equal in self.before:
            # one took the block and the other did not: they differ, for good
            if bool(fields & self.layout.took[other]) != takes:
                formula = condition(formula, equal, truth=False)
            elif self.single and takes:  # both took it, and nothing else
                formula = condition(formula, equal, truth=True)
        return formula


@dataclass(eq=False, slots=True)
class Step:
    """A transition that decides about nobody by name: it reads and replaces the fields under `mask`."""

    mask: int
    moves: Callable[[int], list[WeightedMove]]  # what may come of these fields of a state
    memo: dict[int, list[WeightedMove]] = field(default_factory=dict)


Transition: TypeAlias = Step | Assign
"""One step of the dynamic program; `memo` has the moves of the fields that it met."""


def tally(layout: StateLayout, group: int, people: int, *, takes: bool) -> Step:
    """Decide about people of whom no more is known than that they take the block, or that they do not."""
    single = layout.problem.semantics == "single"
    one = layout.takers[group] + (layout.served[group] if single else 0)
    moves = [(0, 1)]
    if takes:
        moves = [(people * one, 1)]
    elif single:  # left free, less those who take it after all
        moves = [(number * one, (-1) ** number * comb(people, number)) for number in range(people + 1)]
    return Step(0, lambda _fields: moves)


def distribute(layout: StateLayout, group: int, block: int, deciding: int) -> Step:
    """Everybody of a group has decided about a block: in how many ways do its occurrences go round?"""

    def count(fields: int) -> list[WeightedMove]:
        having = layout.count(layout.takers, group, fields)
        ways = layout.problem.ways_to_have(group, block, deciding=deciding, having=having)
        return [(0, ways)] if ways else []

    return Step(layout.counter_mask[group] * layout.takers[group], count)


def fill_rest(layout: StateLayout, group: int, people: int) -> Step:
    """All stages of a group are over, where people have one value each: who was free takes anything that is left."""

    def count(fields: int) -> list[WeightedMove]:
        served = layout.count(layout.served, group, fields)
        return [(0, perm(layout.problem.sizes[group] - served, people - served))]

    return Step(layout.counter_mask[group] * layout.served[group], count)


def finish(layout: StateLayout) -> Step:
    """All stages are over: variables that never differed are equal, and then all constraints must hold.

    One way, or none; to state 1 if the target holds, else to 0.
    """
    problem, formulas = layout.problem, layout.problem.formulas

    def holds(formula: Formula) -> bool:
        for atom in formula.atoms:
            formula = formulas.condition(formula, atom, truth=not isinstance(problem.atoms[atom], Takes))
        return formula is formulas.true

    def decide(fields: int) -> list[WeightedMove]:
        rests = [layout.unpack(fields, number) for number in range(len(problem.constraints))]
        hold = list(map(holds, rests))
        need_not = {problem.target, *problem.weights}
        if not all(each for number, each in enumerate(hold) if number not in need_not):
            return []
        decided = ((number, formulas.true if hold[number] else formulas.false) for number in problem.weights)
        weight = prod(layout.weigh_decided(number, rests[number], rest)[1] for number, rest in decided)
        return [(0 if problem.target is None else int(hold[problem.target]), weight)]

    return Step(-1, decide)
