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
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from sidelight.worlds.counting.compile import CountingProblem, Equal, Formula, Takes
from sidelight.worlds.effort import Meter

Stage: TypeAlias = tuple[int, int]
"""(component, value block)."""

Thing = TypeVar("Thing", bound=Hashable)


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
    scheduled: dict[Stage, set[int]] = field(default_factory=dict)
    tallied: dict[Stage, Counter[tuple[int, bool]]] = field(default_factory=dict)  # (group, takes it) → people
    stages: list[tuple[Stage, list[int]]] = field(default_factory=list)  # with the variables in their order

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
        schedule._find_compared(atoms)
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

    def people_at(self, stage: Stage) -> Counter[int]:
        """Count the people of each group who decide at a stage."""
        people: Counter[int] = Counter()
        for variable in self.scheduled[stage]:
            people.update(self.problem.members[variable])
        for (group, _), number in self.tallied.get(stage, Counter()).items():
            people[group] += number
        return people

    def people(self) -> Counter[int]:
        """Count the people of each group who decide at any stage."""
        people: Counter[int] = Counter()
        for variable in {variable for variables in self.scheduled.values() for variable in variables}:
            people.update(self.problem.members[variable])
        for tallies in self.tallied.values():
            for (group, _), number in tallies.items():
                people[group] += number
        return people

    def _find_compared(self, atoms: Iterable[int]) -> None:
        for number in atoms:
            match self.problem.atoms[number]:
                case Equal(variable, other):
                    self.compared.setdefault(variable, {})[other] = number
                    self.compared.setdefault(other, {})[variable] = number

    def _takes_part_in_all(self, variable: int) -> bool:
        return variable in self.compared or self.problem.members[variable].total() > 1

    def _find_scheduled(self, atoms: Iterable[int]) -> None:
        problem, scheduled = self.problem, defaultdict[Stage, set[int]](set)
        ground = [problem.atoms[atom] for atom in atoms]
        needed = [(atom.variable, atom.block) for atom in ground if isinstance(atom, Takes)]
        needed += self._iterate_common_variables()
        for variable, block in needed:
            scheduled[problem.component_of(variable), block].add(variable)
        # whoever decides once only, and that is fixed, need not be a variable of the count
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
        """Return what a decision leaves open: constraints, and whether the variable was assigned."""
        atoms = {self.problem.atom_numbers.get(Takes(variable, block), -1), *self.compared.get(variable, {}).values()}
        links: set[Hashable] = set(self.problem.constraints_with(atoms))
        return links | {("assigned", variable)} if self.problem.semantics == "single" else links


def small_frontier_order(
    things: Mapping[Thing, Sequence[AbstractSet[Hashable]]], meter: Meter, *, late: Hashable = None
) -> list[Thing]:
    """Put things, each with the links of its ends, into an order in which little is open at a time.

    Greedy, one step ahead.  The link `late` is opened late where that costs nothing.

    >>> from sidelight.worlds.effort import Effort
    >>> small_frontier_order({"a": [{1}], "b": [{2, 3}], "c": [{1, 2}], "d": [{3}]}, Meter(Effort()))
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
        self._added: dict[Thing, tuple[int, int, bool, int]] = {}  # what it would add

    def near(self) -> Collection[Thing]:
        """Return the things to come that are linked with what is open."""
        return self._near

    def cost(self, thing: Thing) -> tuple[int, bool, int]:
        """Return how much would be open, and what else speaks for or against a thing."""
        if thing not in self._added:
            self._added[thing] = self._would_add(thing)
        ends, links, late, opened = self._added[thing]
        return min(self._open_ends + ends, len(self._open) + links), late, opened

    def _would_add(self, thing: Thing) -> tuple[int, int, bool, int]:
        links = self._links[thing]
        # what nothing else has any more closes with this thing
        closed = {link for link, number in links.items() if self._left[link] == number}
        were_open = {link for link in links if link in self._open}
        freed = Counter(end for link in closed for end in self._ends_of.get(link, ()))
        ends = sum(not closed.issuperset(end) for end in self._ends[thing])
        # an end that loses its last open link need not be remembered any more
        ends -= sum(number == len(self._links_of[end]) for end, number in freed.items())
        more = len(links.keys() - were_open - closed) - len(were_open & closed)
        return ends, more, self._late in links, -len(were_open)

    def take(self, thing: Thing) -> None:
        """Let a thing come up: its links open, and those that nothing else has any more close."""
        self._near.pop(thing, None)
        for link in self._links[thing]:
            del self._whose[link][thing]
            self._change(link)
        for end in self._ends[thing]:
            self._open_end(end)
        for link in [link for link in self._links[thing] if not self._left[link]]:
            self._close(link)

    def _open_end(self, end: AbstractSet[Hashable]) -> None:
        number = len(self._links_of)
        self._links_of.append(set(end))
        self._open_ends += 1
        for link in end:
            self._left[link] -= 1
            self._open[link] = None
            self._ends_of[link].append(number)

    def _close(self, link: Hashable) -> None:
        del self._open[link]
        for number in self._ends_of.pop(link):
            self._links_of[number].discard(link)
            self._open_ends -= not self._links_of[number]  # an end is open as long as one of its links is
            for other in self._links_of[number]:
                self._change(other)

    def _change(self, link: Hashable) -> None:
        for thing in self._whose[link]:
            self._near[thing] = None
            self._added.pop(thing, None)
