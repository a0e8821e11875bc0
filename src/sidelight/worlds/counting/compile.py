"""How much counting is allowed: states and seconds, and a meter that gives up beyond.

`Effort` is what a user allows; `Meter` counts what was spent of it, and algorithms raise `OverEffort` where it is not
enough.  Callers decide what to do then: bounds, an estimate, or `TooHard`.

Compile facts about people into a counting problem: variables, value blocks, and constraints over them.

    Variable     x: people of whom a fact says outright that they are the same; mostly one person.
    Value block  b: values of a group g that no fact tells apart, counted as one; n_g(b) is how often they occur.
    Component    groups whose people are compared by same(…); their blocks have the same numbers.
    World        says for each block who takes it.  `single`: everybody takes one block, and n_g(b) people of g take b.
                 `set`: each block is one value, and n_g(b) people take it.  `multiset`: each of n_g(b) occurrences of a
                 value goes to anybody; who has at least one takes it.
    Ground atom  Takes(x, b), and Equal(x, y): x and y take the same blocks.
    Constraint   a formula over ground atoms, in negation normal form.  All must hold, but for the *target*, which is
                 counted both ways, and those that are *weighted*: a world weighs more or less as they hold in it.

Formulas are hash-consed: those that are the same are one object, so that states of the count compare them by identity.
Conditioning (what is left of a formula once an atom is decided) is remembered.

Unit propagation: a constraint that is just Takes(x, b) or its negation is `fixed`, and all other constraints are
conditioned on it, until none is left that is so simple.

Cost: atoms × blocks of their groups; propagation passes over the constraints once for each round that fixes something.
Source: ours; unit propagation is Davis and Putnam's, A computing procedure for quantification theory, 1960.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, perm
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from sidelight.errors import BadMeasure, as_given
from sidelight.knowledge.facts import Atom, Fact, Same, Who, conjuncts, fold, named_values
from sidelight.rounding import MOST_OF_ANYTHING, exact_number

if TYPE_CHECKING:
    from sidelight.release.release import Release
    from sidelight.table.labels import Label, Semantics
    from sidelight.worlds.identify import Entities


@dataclass(frozen=True, slots=True)
class Effort:
    """How much counting an exact answer may take: different states of the count, and seconds (`None`: any).

    What is found out when that was not enough (bounds) may take as much again, and so may an estimate.  What runs out
    of seconds depends on the machine; with `None`, the same seed gives the same estimate everywhere.

    >>> Effort(states=1000)
    Effort(states=1000, seconds=20)
    """

    states: int = 2_000_000
    seconds: float | None = 20

    def __post_init__(self) -> None:
        seconds = 1 if self.seconds is None else exact_number(self.seconds, BadMeasure, "a number of seconds")
        if exact_number(self.states, BadMeasure, "a number of states") < 1 or not seconds > 0:
            raise BadMeasure("an effort allows at least one state and more than no seconds")
        if MOST_OF_ANYTHING < seconds < math.inf:
            raise BadMeasure(
                f"an effort of {as_given(self.seconds)} seconds never ends; say seconds=None for any number"
            )

    def share(self, parts: int) -> Effort:
        """Return one of so many equal parts of it."""
        return Effort(max(self.states // parts, 1), None if self.seconds is None else self.seconds / parts)


class OverEffort(Exception):
    """Counting was given up."""


@dataclass(slots=True)
class Meter:
    """What was spent of an effort so far."""

    effort: Effort
    states: int = 0
    started: float = field(default_factory=time.perf_counter)

    def spend(self, states: int = 1) -> None:
        """Count more states; raise `OverEffort` beyond what is allowed."""
        before, self.states = self.states, self.states + states
        if self.states > self.effort.states:
            raise OverEffort
        # once in 64 states, as reading the clock takes time too
        if before >> 6 != self.states >> 6:
            self.check_time()

    def remaining(self) -> Effort:
        """Return what is left, at least a little."""
        seconds = self.effort.seconds
        if seconds is not None:
            # never 0, which would be no effort at all
            seconds = max(seconds - (time.perf_counter() - self.started), 1e-3)
        return Effort(max(self.effort.states - self.states, 1), seconds)

    def is_late(self) -> bool:
        """Return whether it took too long."""
        return self.effort.seconds is not None and time.perf_counter() - self.started > self.effort.seconds

    def check_time(self) -> None:
        """Raise `OverEffort` when it takes too long."""
        if self.is_late():
            raise OverEffort


Connective: TypeAlias = Literal["true", "false", "atom", "not", "and", "or"]

Element = TypeVar("Element")


@dataclass(frozen=True, slots=True)
class WeightedFact(Fact):
    """A fact that makes a world so much more or less likely, as it holds there or not; no world is ruled out."""

    fact: Fact
    if_true: int
    if_false: int

    def parts(self) -> tuple[Fact, ...]:
        """The fact."""
        return (self.fact,)


@dataclass(frozen=True, eq=False, slots=True)
class Formula:
    """An atom or its negation, or several formulas joined; `atoms` are all that it mentions."""

    kind: Connective
    atom: int = -1
    parts: frozenset[Formula] = frozenset()
    atoms: frozenset[int] = frozenset()

    @property
    def is_literal(self) -> bool:
        """Return whether it is just an atom, or its negation."""
        return self.kind in ("atom", "not")

    def conjuncts(self) -> Iterable[Formula]:
        """Return the formulas that must all hold; none for one that always holds."""
        return self.parts if self.kind == "and" else () if self.kind == "true" else (self,)

    def bottom_up(self, descend: Callable[[Formula], bool] = lambda _part: True) -> list[Formula]:
        """List its parts and theirs, each before what it is part of; only those to descend into, and itself last."""
        # an explicit stack: formulas may be deeper than Python recurses
        stack, top_down = [self], list[Formula]()
        while stack:
            top_down.append(stack.pop())
            stack += filter(descend, top_down[-1].parts)
        return top_down[::-1]


class Formulas:
    """Makes formulas, each once.

    >>> make = Formulas()
    >>> one, other = make.atom(1), make.atom(2)
    >>> make.negate(make.conjoin([one, other])) is make.disjoin([make.negate(other), make.negate(one)])
    True
    >>> make.condition(make.disjoin([one, other]), 1, truth=False) is other
    True
    """

    def __init__(self) -> None:
        self.true = Formula("true")
        self.false = Formula("false")
        self._formulas: dict[object, Formula] = {}
        self._negations = {self.true: self.false, self.false: self.true}
        self._conditioned: dict[tuple[Formula, int, bool], Formula] = {}

    def atom(self, number: int, *, truth: bool = True) -> Formula:
        """Return the formula that an atom holds, or does not."""
        key: tuple[Connective, int] = ("atom" if truth else "not", number)
        if key not in self._formulas:
            self._formulas[key] = Formula(*key, atoms=frozenset([number]))
        return self._formulas[key]

    def conjoin(self, parts: Iterable[Formula]) -> Formula:
        """Return the formula that all of these hold."""
        return self._join("and", parts, neutral=self.true, absorbing=self.false)

    def disjoin(self, parts: Iterable[Formula]) -> Formula:
        """Return the formula that at least one of these holds."""
        return self._join("or", parts, neutral=self.false, absorbing=self.true)

    def negate(self, formula: Formula) -> Formula:
        """Return the formula that it does not hold."""
        negations = self._negations
        if formula not in negations:
            for part in formula.bottom_up(lambda part: part not in negations):
                # bottom up: the negations of its parts are known by now
                if part.is_literal:
                    negations[part] = self.atom(part.atom, truth=part.kind == "not")
                else:
                    join = self.disjoin if part.kind == "and" else self.conjoin
                    negations[part] = join(negations[each] for each in part.parts)
                negations.setdefault(negations[part], part)
        return negations[formula]

    def condition(self, formula: Formula, atom: int, *, truth: bool) -> Formula:
        """Return what is left of a formula once an atom is decided."""
        if atom not in formula.atoms:
            return formula
        known = self._conditioned
        if (formula, atom, truth) not in known:
            for part in formula.bottom_up(lambda part: atom in part.atoms and (part, atom, truth) not in known):
                # bottom up: what is left of its parts is known by now
                if part.is_literal:
                    rest = self.true if (part.kind == "atom") == truth else self.false
                else:
                    join = self.conjoin if part.kind == "and" else self.disjoin
                    rest = join(known.get((each, atom, truth), each) for each in part.parts)
                known[part, atom, truth] = rest
        return known[formula, atom, truth]

    def _join(self, kind: Connective, parts: Iterable[Formula], *, neutral: Formula, absorbing: Formula) -> Formula:
        flat: set[Formula] = set()
        for part in parts:
            if part is absorbing:
                return absorbing
            if part is not neutral:
                # nested joins of the same kind are one: equal formulas are equal sets
                flat |= part.parts if part.kind == kind else {part}
        if any(part.kind == "atom" and self.atom(part.atom, truth=False) in flat for part in flat):
            return absorbing  # a and not a, or a or not a
        if len(flat) <= 1:
            return next(iter(flat), neutral)
        key = (kind, frozenset(flat))
        if key not in self._formulas:
            self._formulas[key] = Formula(kind, parts=key[1], atoms=frozenset().union(*(part.atoms for part in flat)))
        return self._formulas[key]


@dataclass(frozen=True, slots=True)
class Takes:
    """A variable takes a value block."""

    variable: int
    block: int


@dataclass(frozen=True, slots=True)
class Equal:
    """Two variables take the same value blocks."""

    variable: int
    other: int


GroundAtom: TypeAlias = Takes | Equal


@dataclass(slots=True)
class CountingProblem:
    """Variables, value blocks and constraints; groups are numbered as in the release, everything else from 0."""

    semantics: Semantics
    sizes: dict[int, int]  # group → people
    component: dict[int, int]  # group → the first group of its component
    variable_of: dict[Who, int]
    members: list[Counter[int]]  # variable → group → people
    group_of: dict[Who, int]
    blocks: dict[int, tuple[int, ...]] = field(default_factory=dict)  # group → its blocks
    block_values: list[frozenset[Label]] = field(default_factory=list)  # block → its values
    block_numbers: dict[frozenset[Label], int] = field(default_factory=dict)  # and the other way round
    counts: Counter[tuple[int, int]] = field(default_factory=Counter)  # (group, block) → n_g(b)
    formulas: Formulas = field(default_factory=Formulas)
    atoms: list[GroundAtom] = field(default_factory=list)
    atom_numbers: dict[GroundAtom, int] = field(default_factory=dict)
    constraints: tuple[Formula, ...] = ()
    target: int | None = None  # the constraint that need not hold
    weights: dict[int, tuple[int, int]] = field(default_factory=dict)  # constraint → its weight if it holds, if not
    factor: int = 1  # the weight of what is decided in every world
    mentions: dict[int, list[int]] = field(default_factory=dict)  # atom → the constraints that mention it
    fixed: dict[Takes, bool] = field(default_factory=dict)  # known outright; no constraint mentions these any more

    def formula(self, fact: Fact) -> Formula:
        """Turn a fact into a formula over ground atoms."""
        return fold(fact, self._literal, conjunction=self.formulas.conjoin, disjunction=self.formulas.disjoin)

    def component_of(self, variable: int) -> int:
        """Return the component that a variable is in."""
        return self.component[next(iter(self.members[variable]))]

    def impose(
        self, formulas: Iterable[Formula], target: Formula | None = None, weighted: Iterable[WeightedFact] = ()
    ) -> None:
        """Add formulas as constraints, after unit propagation."""
        weights = [(self.formula(each.fact), each.if_true, each.if_false) for each in weighted]
        constraints = [part for formula in formulas for part in formula.conjuncts()]
        # to a fixed point: what is left of a constraint may itself be a single literal
        while units := self._fix_units(constraints):
            constraints = [part for formula in constraints for part in self._condition(formula, units).conjuncts()]
            target = target and self._condition(target, units)
            weights = [(self._condition(formula, units), yes, no) for formula, yes, no in weights]
        self.constraints = tuple(dict.fromkeys(constraints))
        if target is not None:
            self.target = len(self.constraints)
            self.constraints += (target,)
        for formula, if_true, if_false in weights:
            if formula in (self.formulas.true, self.formulas.false):
                self.factor *= if_true if formula is self.formulas.true else if_false
            else:
                self.weights[len(self.constraints)] = (if_true, if_false)
                self.constraints += (formula,)
        # invariant: no constraint mentions an atom that is fixed
        for number, constraint in enumerate(self.constraints):
            for atom in constraint.atoms:
                self.mentions.setdefault(atom, []).append(number)

    @property
    def contradictory(self) -> bool:
        """Return whether a constraint is false in every world."""
        false = self.formulas.false
        return any(formula is false for number, formula in enumerate(self.constraints) if number != self.target)

    @property
    def is_weighted(self) -> bool:
        """Return whether worlds differ in weight, or all weigh something other than one."""
        return bool(self.weights) or self.factor != 1

    def constraints_with(self, atoms: Iterable[int]) -> list[int]:
        """Return which constraints mention any of some atoms."""
        return sorted({number for atom in atoms for number in self.mentions.get(atom, ())})

    def ways_to_have(self, group: int, block: int, *, deciding: int, having: int) -> int:
        """Count the ways in which `having` of the `deciding` people of a group take a block, and the others do not."""
        return ways_to_have(
            self.semantics, people=self.sizes[group], count=self.counts[group, block], deciding=deciding, having=having
        )

    def ways_to_spread(self, group: int, block: int) -> int:
        """Count the ways to hand out a block in a group, where people may have several values."""
        people, count = self.sizes[group], self.counts[group, block]
        return comb(people, count) if self.semantics == "set" else people**count

    def _literal(self, atom: Atom, positive: bool) -> Formula:  # noqa: FBT001 - as facts are folded
        if isinstance(atom, Same):
            one, other = sorted((self.variable_of[atom.person], self.variable_of[atom.other]))
            formula = self.formulas.true if one == other else self.formulas.atom(self._number(Equal(one, other)))
        else:
            formula = self._takes_one_of(atom.person, named_values(atom))
        return formula if positive else self.formulas.negate(formula)

    def _takes_one_of(self, who: Who, values: Sequence[Label]) -> Formula:
        variable, make = self.variable_of[who], self.formulas
        within: list[int] = []
        outside: list[int] = []
        for block in self.blocks[self.group_of[who]]:
            beside = self.block_values[block].isdisjoint(values)
            (outside if beside else within).append(self._number(Takes(variable, block)))
        if self.semantics == "single" and len(within) > len(outside):  # the same, and shorter
            return make.conjoin(make.atom(atom, truth=False) for atom in outside)
        return make.disjoin(map(make.atom, within))

    def _number(self, atom: GroundAtom) -> int:
        if atom not in self.atom_numbers:
            self.atom_numbers[atom] = len(self.atoms)
            self.atoms.append(atom)
        return self.atom_numbers[atom]

    def _fix_units(self, constraints: Iterable[Formula]) -> dict[int, bool]:
        """Fix what single literals say; a second one that says the opposite is left, and becomes false."""
        units: dict[int, bool] = {}
        for constraint in constraints:
            atom, truth = self.atoms[constraint.atom] if constraint.is_literal else None, constraint.kind == "atom"
            if isinstance(atom, Takes) and constraint.atom not in units:
                self.fixed[atom] = units[constraint.atom] = truth
                if truth and self.semantics == "single":
                    # who takes this block takes no other: that need not be fixed any more
                    others = {Takes(atom.variable, block) for block in range(len(self.block_values))} - {atom}
                    for other in others:
                        self.fixed.pop(other, None)
                    units |= {self.atom_numbers[other]: False for other in others & self.atom_numbers.keys()}
        return units

    def _condition(self, formula: Formula, units: Mapping[int, bool]) -> Formula:
        for atom in formula.atoms:
            if atom in units:
                formula = self.formulas.condition(formula, atom, truth=units[atom])
        return formula


def compile_facts(
    release: Release,
    entities: Entities,
    facts: Sequence[Fact],
    *,
    target: Fact | None = None,
    watched: Sequence[Fact] = (),
    people: Iterable[Who] = (),
) -> CountingProblem:
    """Prepare to count the worlds in which all facts hold, each with its weight, with and without the target.

    Facts that are only watched, and further people, have variables and blocks too, but constrain nothing.
    """
    everything = [*facts, *(() if target is None else (target,)), *watched]
    atoms = [atom for fact in everything for atom in fact.atoms()]
    for value in dict.fromkeys(value for atom in atoms for value in named_values(atom)):
        release.groups.code_of(value)  # refuses a value that nobody could have
    mentioned = dict.fromkeys([*(who for fact in everything for who in fact.people()), *people])
    problem = _compile_variables(release, {who: entities.group_of[who] for who in mentioned}, facts, atoms)
    _add_blocks(problem, release, atoms)
    hard = [fact for fact in facts if not isinstance(fact, WeightedFact)]
    weighted = [fact for fact in facts if isinstance(fact, WeightedFact)]
    problem.impose(map(problem.formula, hard), None if target is None else problem.formula(target), weighted)
    return problem


def _compile_variables(
    release: Release, group_of: dict[Who, int], facts: Sequence[Fact], atoms: Sequence[Fact]
) -> CountingProblem:
    """Make one variable of people who are known to be the same, and one component of groups that are compared."""
    outright = (part.about() for fact in facts for part in conjuncts(fact) if isinstance(part, Same))
    first_of = components(group_of, outright)
    numbers = {first: number for number, first in enumerate(dict.fromkeys(first_of.values()))}
    groups = list(dict.fromkeys(group_of.values()))
    problem = CountingProblem(
        release.semantics,
        sizes={group: int(release.groups.sizes[group]) for group in groups},
        component=components(groups, ([group_of[who] for who in atom.about()] for atom in atoms)),
        variable_of={who: numbers[first] for who, first in first_of.items()},
        members=[Counter() for _ in numbers],
        group_of=group_of,
    )
    for who, variable in problem.variable_of.items():
        problem.members[variable][group_of[who]] += 1
    return problem


def _add_blocks(problem: CountingProblem, release: Release, atoms: Sequence[Fact]) -> None:
    """Divide the values of each group: all apart where values are compared or people have several of them.

    Elsewhere two values that are in the same of the sets that name them need not be told apart.
    """
    # values are compared one by one over all groups of a component, so none of them may share a block
    compared = {
        problem.component[problem.group_of[who]] for atom in atoms if isinstance(atom, Same) for who in atom.about()
    }
    named: dict[int, dict[frozenset[Label], None]] = {group: {} for group in problem.sizes}
    for atom in atoms:
        named[problem.group_of[atom.about()[0]]][frozenset(named_values(atom))] = None
    for group in problem.sizes:
        counts = release.groups.value_counts(group)
        apart = problem.semantics != "single" or problem.component[group] in compared
        blocks: dict[Hashable, list[Label]] = {}
        for value in counts:
            blocks.setdefault(value if apart else tuple(value in each for each in named[group]), []).append(value)
        numbers = problem.block_numbers
        problem.blocks[group] = tuple(numbers.setdefault(frozenset(each), len(numbers)) for each in blocks.values())
        problem.block_values = list(numbers)
        for block in problem.blocks[group]:
            problem.counts[group, block] = sum(counts[value] for value in problem.block_values[block])


def ways_to_have(semantics: Semantics, *, people: int, count: int, deciding: int, having: int) -> int:
    """Count the ways in which `having` of the `deciding` people have a value, and the others do not.

    `single`: so many occurrences are taken, one after the other.  `set`: the others who have it are chosen among the
    people who do not decide.  `multiset`: each occurrence goes to anybody who may have it, and everybody who has it
    gets at least one: Σ_j (−1)^j C(having, j) (people − lacking − j)^count.

    >>> [ways_to_have("set", people=5, count=2, deciding=2, having=having) for having in (0, 1, 2)]
    [3, 3, 1]
    >>> [ways_to_have("multiset", people=3, count=2, deciding=1, having=having) for having in (0, 1)]
    [4, 5]
    """
    if semantics == "single":
        return perm(count, having)
    if semantics == "set":
        return comb(people - deciding, count - having) if having <= count else 0
    others = people - (deciding - having)
    return sum((-1) ** none * comb(having, none) * (others - none) ** count for none in range(having + 1))


def components(things: Iterable[Element], links: Iterable[Iterable[Element]]) -> dict[Element, Element]:
    """Return the first of each thing's connected component, by union and find.

    >>> components("abcd", ["bd", "da"])
    {'a': 'a', 'b': 'a', 'c': 'c', 'd': 'a'}
    """
    lead = {thing: thing for thing in things}  # an earlier thing of the same component, and so on to the first
    rank_of = {thing: number for number, thing in enumerate(lead)}

    def first(thing: Element) -> Element:
        while lead[thing] != thing:
            # path halving, so that later searches are shorter
            lead[thing] = lead[lead[thing]]
            thing = lead[thing]
        return thing

    for link in links:
        ends = [first(thing) for thing in link]
        # the first of all becomes the lead, so that components are named by their first
        lead |= dict.fromkeys(ends, min(ends, key=rank_of.__getitem__))
    return {thing: first(thing) for thing in lead}
