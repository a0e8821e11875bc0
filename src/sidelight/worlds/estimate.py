"""Answers where counting takes too long: whether facts can all hold, bounds, and estimates.

Worlds sampled at random, each that satisfies the constraints equally likely:

Backward pass, then forward sampling: with w(s) the weight of all completions of state s (`frontier.completions`), the
move from s to s' of factor f is taken with probability f·w(s') / w(s).  All factors must be positive, so the schedule
is exhaustive: no inclusion–exclusion term.  Worlds in the same state move at once, as arrays.

Invariant: after each transition every world is in a state with w > 0, so no sample is ever thrown away.
Cost: one count by the frontier, then transitions × (states + worlds) for each sample.
Source: ours; the pair of passes is that of hidden Markov models (forward filtering, backward sampling), turned round.

Of Pr(target | facts), bounds for certain, and an estimate:

    K, R       the facts that can be counted together, and the rest.
    Bounds     T∧K∧R ⊆ T∧K, and T∧K∧R misses at most the worlds that break one of R:
               Pr(T∧K) − Σ_{r∈R} Pr(T∧K∧¬r)  ≤  Pr(T∧K∧R)  ≤  Pr(T∧K), the same for ¬T; then Pr(T | K∧R) is bounded.
    Estimate   rejection sampling: worlds that satisfy K, each equally likely, of which those that satisfy R are kept.

The interval of an estimate is Clopper and Pearson's, which holds for any number of worlds.

A minimum unsatisfiable subset: the fewest of some things that cannot all hold.

    Oracle       unsatisfiable(S): can the things of S not all hold?  Monotone: a superset of such a set is one too.
    MSS          a maximal satisfiable set; its complement is a *correction set*.
    Duality      an unsatisfiable set meets every correction set, so it is a hitting set of all of them.
    Loop         take a smallest hitting set H of the correction sets known so far.  If H is unsatisfiable, it is a
                 minimum: any other would be a hitting set that is smaller.  Else grow H to an MSS: its complement is a
                 correction set that H does not hit.
    Cost         exponential at worst; after `MOST_STEPS` the set that was shrunk at first is taken, which is minimal
                 (nothing of it can be left out) but may not be a minimum.

Source: Ignatiev, Previti, Liffiton, Marques-Silva, Smallest MUS extraction with minimal hitting set dualization, 2015.

Can some facts all hold?  One world is searched for, which takes far less than counting them.

    Unknowns     0 or 1: t_xb for variable x takes block b, as `counting.compile` has them, and z_f for each formula f
                 of a constraint, which is 1 only where f holds.
    Formulas     z_f ≤ t_xb or 1 − t_xb for an atom or its negation, z_f ≤ z_p for each part p of a conjunction,
                 z_f ≤ Σ z_p for a disjunction; z_f = 1 for a constraint.
    Supply       in group g, Σ t_xb ≤ n_g(b), counted in people; `single`: Σ_b t_xb = 1.  Else Σ (1 − t_xb) is at most
                 how many people of the group may lack the value.
    Search       integer programming (HiGHS).  Only mentioned people have unknowns: others take whatever is left.
    Cost         exponential at worst: given up after 5,000 nodes of the search tree.
    Source       formulas as in Plaisted and Greenbaum, A structure-preserving clause form translation, 1986.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadMeasure, as_given, parameter
from sidelight.rounding import exact_number, whole_number
from sidelight.worlds.counting.compile import (
    CountingProblem,
    Equal,
    Formula,
    Meter,
    OverEffort,
    Takes,
    compile_facts,
    components,
)
from sidelight.worlds.counting.frontier import Assign, DecisionOutcome, Frontier, Schedule

if TYPE_CHECKING:
    from sidelight.knowledge.facts import Fact
    from sidelight.release.release import Release
    from sidelight.worlds.counting.counter import Joint, WorldCounter
    from sidelight.worlds.identify import Entities

Truths: TypeAlias = npt.NDArray[np.bool_]
"""Per world of a sample, whether something holds."""

SampledWorlds: TypeAlias = dict[tuple[int, int], Truths]
"""(variable, block) → whether the variable takes it."""

Sampler: TypeAlias = Callable[[int, np.random.Generator], SampledWorlds]
"""Samples a number of worlds."""


def world_sampler(frontier: Frontier, meter: Meter) -> Sampler:
    """Return a sampler of worlds that satisfy the constraints of a frontier whose schedule is exhaustive.

    Counting is done once, for all samples.
    """
    completions = {step: after for step, *_, after in frontier.sweep_back(frontier.layers(meter), meter)}

    def list_moves(state: int, step: int) -> tuple[list[tuple[int, bool]], list[float]]:
        """Return the states after each move, whether it takes the block, and its probability."""
        transition, completed = frontier.transitions[step], completions[step]
        fields = state & transition.mask
        if isinstance(transition, Assign):
            moves = [(move, outcome is DecisionOutcome.TAKES) for outcome, move in transition.outcomes(fields)]
        else:
            moves = [(move, False) for move in transition.memo[fields]]
        reached = [(state - fields + replacement, takes, factor) for (replacement, factor), takes in moves]
        # a move that cannot be completed has weight 0, and is never taken
        weighted = [(new, takes, factor * completed[new]) for new, takes, factor in reached if completed.get(new)]
        total = sum(weight for *_, weight in weighted)
        return [(new, takes) for new, takes, _ in weighted], [weight / total for *_, weight in weighted]

    def sample(number: int, rng: np.random.Generator) -> SampledWorlds:
        worlds_in = {state: np.arange(number) for state in frontier.start()}
        taken: SampledWorlds = {}
        for step in range(len(frontier.transitions)):
            truths = np.zeros(number, bool)
            after: dict[int, list[npt.NDArray[np.intp]]] = {}
            for state, worlds in worlds_in.items():
                moves, probabilities = list_moves(state, step)
                chosen = np.searchsorted(np.cumsum(probabilities), rng.random(len(worlds)), side="right")
                for at, (new, takes) in enumerate(moves):
                    # rounding may leave the last a little short of 1
                    moving = worlds[chosen >= at if at == len(moves) - 1 else chosen == at]
                    if len(moving):
                        truths[moving] = takes
                        after.setdefault(new, []).append(moving)
            worlds_in = {state: np.concatenate(worlds) for state, worlds in after.items()}
            if step in frontier.assigned_at:
                taken[frontier.assigned_at[step]] = truths
        return taken

    return sample


def sample_any(problem: CountingProblem, number: int, rng: np.random.Generator) -> SampledWorlds:
    """Sample worlds without constraints: person by person, from what is left of each block."""
    sample: SampledWorlds = {}
    for group, size in problem.sizes.items():
        variables = [variable for variable, members in enumerate(problem.members) if group in members]
        counts = np.array([problem.counts[group, block] for block in problem.blocks[group]], np.int64)
        # one row per world, one column per block
        remaining = np.tile(counts, (number, 1))
        for decided, variable in enumerate(variables):
            takes, taken = _take(problem.semantics, remaining, size - decided, rng)
            remaining = remaining - taken
            sample |= {(variable, block): takes[:, column] for column, block in enumerate(problem.blocks[group])}
    return sample


def _take(
    semantics: str, remaining: npt.NDArray[np.int_], people: int, rng: np.random.Generator
) -> tuple[Truths, npt.NDArray[np.int_]]:
    """Draw what one of `people` people takes of what is left, in each world: which blocks, how many of each."""
    if semantics == "multiset":
        # each occurrence chooses among the people who are left
        taken = rng.binomial(remaining, 1 / people)
        return taken > 0, taken
    if semantics == "set":
        # of `people` who are left the next one is among the r with a value with probability r / people
        takes = rng.integers(people, size=remaining.shape) < remaining
    else:
        # one draw among the occurrences left; cumulated over blocks, it falls into one of them
        reached = np.cumsum(remaining, axis=1) > rng.integers(people, size=(len(remaining), 1))
        takes = reached & (np.cumsum(reached, axis=1) == 1)  # the first block that is reached
    return takes, takes.astype(int)


def evaluate(formula: Formula, worlds: SampledWorlds, problem: CountingProblem) -> Truths:
    """Decide a formula in each world of a sample."""
    truths: dict[Formula, Truths] = {}
    many = len(next(iter(worlds.values()), (True,)))  # all are one where nobody can take anything
    for part in formula.bottom_up():
        if part.is_literal:
            atom = problem.atoms[part.atom]
            if isinstance(atom, Takes):
                takes = worlds[atom.variable, atom.block]
            else:
                pair, takes = (atom.variable, atom.other), np.full(many, fill_value=True)
                for block in {block for variable, block in worlds if variable in pair}:
                    one, other = (worlds.get((variable, block), False) for variable in pair)
                    takes &= np.equal(one, other)
            truths[part] = takes if part.kind == "atom" else ~takes
        elif part.parts:
            join = np.logical_and if part.kind == "and" else np.logical_or
            truths[part] = np.asarray(join.reduce([truths[each] for each in part.parts]), bool)
        else:
            truths[part] = np.full(many, part.kind == "true")
    return truths[formula]


MOST_TRUTHS = 50_000_000
"""The number of truths (a variable takes a block) in memory at most, which limits the worlds sampled at a time."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability that was estimated from worlds drawn at random, all equally likely given the facts.

    The interval from `low` to `high` (Clopper and Pearson's) holds the truth with at least the given confidence;
    `worlds` is the number it is made from, 0 when the answer could be counted and is exact after all.
    """

    value: Fraction
    low: float
    high: float
    confidence: float
    worlds: int = 0

    @classmethod
    def exactly(cls, value: Fraction, confidence: float) -> Estimate:
        """Return an exact answer as an estimate."""
        _check_confidence(confidence)
        return cls(value, float(value), float(value), confidence)

    @classmethod
    def from_hits(cls, hits: int, worlds: int, confidence: float) -> Estimate:
        """Estimate from hits among worlds.

        >>> estimate = Estimate.from_hits(0, 100, confidence=0.95)
        >>> estimate.low, round(estimate.high, 4)
        (0.0, 0.0362)
        """
        from scipy.special import betaincinv  # noqa: PLC0415 - only here, and slow to import

        _check_confidence(confidence)
        whole_number(hits, BadMeasure, "how many worlds fit", most=whole_number(worlds, BadMeasure, "worlds", least=1))
        tail = (1 - confidence) / 2
        low = float(betaincinv(hits, worlds - hits + 1, tail)) if hits else 0.0
        high = float(betaincinv(hits + 1, worlds - hits, 1 - tail)) if hits < worlds else 1.0
        return cls(Fraction(hits, worlds), low, high, confidence, worlds)

    def clip(self, low: Fraction | int, high: Fraction | int) -> Estimate:
        """Clip the interval to bounds that are known for certain."""
        value = min(max(self.value, Fraction(low)), Fraction(high))
        return replace(self, value=value, low=max(self.low, float(low)), high=min(self.high, float(high)))


def as_generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    """Return a generator, from a seed or as it is."""
    if rng is None:
        raise BadMeasure("drawing worlds needs rng=, a seed or a NumPy generator, so that the answer can be repeated")
    if isinstance(rng, np.random.Generator):
        return rng
    return np.random.default_rng(whole_number(rng, BadMeasure, parameter("rng"), most=math.inf))


def _check_confidence(confidence: float) -> None:
    if not 0 < exact_number(confidence, BadMeasure, "a confidence") < 1:
        raise BadMeasure(f"a confidence lies between 0 and 1, not {as_given(confidence)}")


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts to count, each within an eighth of what is left of an effort."""

    counter: WorldCounter
    spent: Meter

    def joint(self, facts: Iterable[Fact], target: Fact) -> Joint | None:
        """Return Pr(facts), and Pr(facts and target), if that can be counted."""
        meter = self.meter()
        try:
            return self.counter.with_effort(meter).joint(facts, target)
        except OverEffort:
            return None
        finally:
            self.spent.states += meter.states

    def meter(self) -> Meter:
        """Return a meter for an eighth of what is left."""
        return Meter(self.spent.remaining().share(8))

    def split(self, target: Fact, facts: Sequence[Fact]) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
        """Split facts that bear on a target into those that can be counted together and the others, left out.

        Twice as many at a time as long as that goes well, half as many when it does not.
        """
        groups = {fact: [self.counter.entities.group_of[who] for who in fact.people()] for fact in (target, *facts)}
        first = components(dict.fromkeys(group for several in groups.values() for group in several), groups.values())
        near = {first[group] for group in groups[target]}
        # facts about few people first: they are likelier to be countable; those not linked by groups cancel out
        waiting = sorted(
            (fact for fact in facts if first[groups[fact][0]] in near), key=lambda each: len(each.people())
        )
        countable: tuple[Fact, ...] = ()
        left_out: list[Fact] = []
        batch = 1
        while waiting and not self.spent.is_late():
            some, fits = waiting[:batch], self.joint([*countable, *waiting[:batch]], target) is not None
            if fits:
                countable = (*countable, *some)
            elif batch == 1:
                left_out += some
            if fits or batch == 1:
                waiting = waiting[batch:]
            batch = batch * 2 if fits else max(batch // 2, 1)
        return countable, (*left_out, *waiting)

    def bounds(self, target: Fact, facts: Sequence[Fact]) -> tuple[Fraction, Fraction]:
        """Bound Pr(target | facts) from both sides."""
        countable, left_out = self.split(target, facts)
        most = self._weigh_target(target, countable)
        if most is None:
            return Fraction(0), Fraction(1)
        least = most
        for fact in left_out:
            # worlds that break this fact, counted among those of K if that is possible, else among all
            broken = self._weigh_target(target, (*countable, ~fact)) or self._weigh_target(target, (~fact,))
            if broken is None or self.spent.is_late():  # it may break all of them
                least = (Fraction(0), Fraction(0))
                break
            least = (max(least[0] - broken[0], Fraction(0)), max(least[1] - broken[1], Fraction(0)))
        # least with the target against most without it, and the other way round
        low = least[0] / (least[0] + most[1]) if least[0] else Fraction(0)
        high = most[0] / (most[0] + least[1]) if most[0] + least[1] else Fraction(1)
        return low, high

    def _weigh_target(self, target: Fact, facts: tuple[Fact, ...]) -> tuple[Fraction, Fraction] | None:
        """Return Pr(facts and target), and Pr(facts and not the target)."""
        joint = self.joint(facts, target)
        return None if joint is None else (joint[1], joint[0] - joint[1])


def estimate_probabilities(
    attempts: Attempts,
    targets: Sequence[Fact],
    facts: Sequence[Fact],
    *,
    rng: np.random.Generator,
    samples: int,
    confidence: float,
) -> list[Estimate]:
    """Estimate the targets in worlds sampled from what can be counted, keeping those that fit all facts.

    The targets are about the same people.  Empty if no such world came up in the time that is left.
    """
    problem, sample = _sampler(attempts, targets, facts)
    condition = problem.formulas.conjoin(map(problem.formula, facts))
    formulas = list(map(problem.formula, targets))
    hits, kept, sampled = np.zeros(len(formulas), int), 0, 0
    at_once = min(samples, max(MOST_TRUTHS // (len(problem.members) * len(problem.block_values) + 1), 1))
    # at most 50 worlds are sampled for each one that is kept
    while kept < samples and sampled < 50 * samples and not (sampled and attempts.spent.is_late()):
        worlds = sample(at_once, rng)
        fitting = np.flatnonzero(evaluate(condition, worlds, problem))[: samples - kept]
        kept, sampled = kept + len(fitting), sampled + at_once
        hits += [int(evaluate(formula, worlds, problem)[fitting].sum()) for formula in formulas]
    return [Estimate.from_hits(each, kept, confidence) for each in hits.tolist()] if kept else []


def _sampler(attempts: Attempts, targets: Sequence[Fact], facts: Sequence[Fact]) -> tuple[CountingProblem, Sampler]:
    """Return a sampler of worlds that fit the countable facts; of all worlds, if even that is too hard."""
    release, entities, watched = attempts.counter.release, attempts.counter.entities, [*facts, *targets]
    countable, _ = attempts.split(targets[0], facts)
    problem = compile_facts(release, entities, countable, watched=watched)
    try:
        meter = attempts.meter()
        schedule = Schedule.build(problem, meter, formulas=list(map(problem.formula, watched)), exhaustive=True)
        return problem, world_sampler(Frontier(schedule), meter)
    except OverEffort:
        problem = compile_facts(release, entities, (), watched=watched)
        return problem, partial(sample_any, problem)


Oracle: TypeAlias = Callable[[Sequence[int]], bool]
"""Whether some things, by number and in order, cannot all hold."""

MOST_STEPS, ORACLE_STEPS = 100_000, 100
"""The steps of a search for a minimum set, and of one call of the oracle; after them, a minimal set will do."""


def minimum_unsatisfiable_subset(number: int, unsatisfiable: Oracle) -> list[int]:
    """Return a smallest subset of 0, 1, …, number − 1 that is unsatisfiable, as all of them are.

    Of many, it may not be the smallest, but it is minimal.

    >>> minimum_unsatisfiable_subset(9, lambda some: {2, 5, 7} <= {*some} or {3, 8} <= {*some})
    [3, 8]
    """
    # invariant: `needed` is unsatisfiable; many are left out at once first, as most are innocent
    needed, many = list(range(number)), (number + 1) // 2
    while many:
        for start in range(0, number, many):
            rest = [each for each in needed if not start <= each < start + many]
            if len(rest) < len(needed) and unsatisfiable(rest):
                needed = rest
        many = (many + 1) // 2 if many > 1 else 0
    try:
        return smaller_subset(number, unsatisfiable, needed)
    except OverEffort:
        return needed


def smaller_subset(number: int, unsatisfiable: Oracle, minimal: list[int]) -> list[int]:
    """Return a minimum unsatisfiable set: `minimal`, if none is smaller; raise `OverEffort` after `MOST_STEPS`."""
    steps = 0

    def spend(more: int) -> None:
        nonlocal steps
        steps += more
        if steps > MOST_STEPS:
            raise OverEffort

    def is_unsatisfiable(some: frozenset[int]) -> bool:
        spend(ORACLE_STEPS)
        return unsatisfiable(sorted(some))

    corrections: list[list[int]] = []
    size = 1
    while size < len(minimal):
        # invariant: every unsatisfiable set hits all `corrections` and has at least `size` elements
        chosen = _hitting_set(corrections, size, frozenset(), spend)
        if chosen is None:
            size += 1
        elif is_unsatisfiable(chosen):
            return sorted(chosen)
        else:
            corrections.append(_correction_set(number, chosen, is_unsatisfiable))
    return minimal


def _correction_set(
    number: int, satisfiable: frozenset[int], is_unsatisfiable: Callable[[frozenset[int]], bool]
) -> list[int]:
    """Grow a satisfiable set to a maximal one, many at once; return its complement."""
    maximal, outside = satisfiable, list[int]()
    blocks = [[each for each in range(number) if each not in satisfiable]]
    while blocks:
        block = blocks.pop()
        if not is_unsatisfiable(maximal.union(block)):
            maximal = maximal.union(block)
        # invariant: `maximal` is satisfiable, and with any of `outside` it is not
        elif len(block) == 1:
            outside += block
        else:
            half = len(block) // 2
            blocks += [block[half:], block[:half]]
    return outside


def _hitting_set(
    corrections: list[list[int]], size: int, chosen: frozenset[int], spend: Callable[[int], None]
) -> frozenset[int] | None:
    """Choose at most `size` things that hit all correction sets; the first ones where there is a choice."""
    missed = [correction for correction in corrections if chosen.isdisjoint(correction)]
    spend(1)
    if not missed or len(chosen) == size:
        return None if missed else chosen
    hitting = (_hitting_set(missed, size, chosen | {each}, spend) for each in min(missed, key=len))
    return next((each for each in hitting if each is not None), None)


Row: TypeAlias = tuple[Mapping[Any, int], float, float]
"""Unknowns with their coefficients, and the bounds between which they add up.

An unknown is 0 or 1: an atom `Takes`, a formula that has to hold where it is 1, or that two variables differ somewhere.
"""


def world_search(
    release: Release, entities: Entities, facts: Sequence[Fact], meter: Meter
) -> Callable[[Iterable[int]], bool]:
    """Return a test of whether some of these facts, by number, hold in some world; it may raise `OverEffort`."""
    problem = compile_facts(release, entities, (), watched=facts)
    formulas = [problem.formula(fact) for fact in facts]

    def is_satisfiable(chosen: Iterable[int]) -> bool:
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - only here, and slow to import
        from scipy.sparse import csr_array  # noqa: PLC0415

        meter.check_time()
        required = dict.fromkeys(formulas[number] for number in chosen)
        rows = [*_formula_rows(problem, required)]
        rows += _supply_rows(problem, (each for row, _, _ in rows for each in row if type(each) is Takes))
        if not rows:
            return True
        columns = {unknown: number for number, unknown in enumerate(dict.fromkeys(chain(*(row for row, _, _ in rows))))}
        row_of = np.repeat(np.arange(len(rows)), [len(row) for row, _, _ in rows])
        column_of = [columns[unknown] for row, _, _ in rows for unknown in row]
        coefficients = np.array([each for row, _, _ in rows for each in row.values()], float)
        hold = np.array([unknown in required for unknown in columns], float)
        answer = milp(
            np.zeros(len(hold)),  # any solution will do
            integrality=np.ones(len(hold)),
            bounds=Bounds(hold, 1),
            constraints=LinearConstraint(
                csr_array((coefficients, (row_of, column_of)), shape=(len(rows), len(columns))),
                *np.array([bounds for _, *bounds in rows], float).T,
            ),
            options={"node_limit": 5_000, "time_limit": meter.remaining().seconds or np.inf},
        )
        if answer.status not in (0, 2):  # neither solved nor infeasible
            raise OverEffort
        return bool(answer.status == 0)

    return is_satisfiable


def _formula_rows(problem: CountingProblem, formulas: Iterable[Formula]) -> Iterator[Row]:
    """Yield the rows of formulas: z_f ≤ its parts."""
    for part in dict.fromkeys(part for formula in formulas for part in formula.bottom_up()):
        atom = problem.atoms[part.atom] if part.is_literal else None
        if isinstance(atom, Takes):
            yield ({atom: 1, part: -1}, 0, np.inf) if part.kind == "atom" else ({atom: 1, part: 1}, -np.inf, 1)
        elif isinstance(atom, Equal):
            yield from _equality_rows(problem, part, atom)
        elif part.kind == "and":
            yield from (({each: 1, part: -1}, 0, np.inf) for each in part.parts)
        elif part.kind != "true":  # false is a disjunction of nothing
            yield dict.fromkeys(part.parts, 1) | {part: -1}, 0, np.inf


def _equality_rows(problem: CountingProblem, part: Formula, atom: Equal) -> Iterator[Row]:
    """Yield that two variables take the same blocks where z is 1, or that they do not."""
    pair = (atom.variable, atom.other)
    blocks = dict.fromkeys(block for each in pair for group in problem.members[each] for block in problem.blocks[group])
    for block in blocks:
        one, other = (Takes(variable, block) for variable in pair)
        if part.kind == "atom":
            yield {one: 1, other: -1, part: 1}, -np.inf, 1
            yield {one: -1, other: 1, part: 1}, -np.inf, 1
        elif problem.semantics == "single":  # everybody takes one block, so no block may be taken by both
            yield {one: 1, other: 1, part: 1}, -np.inf, 2
        else:
            yield {one: 1, other: 1, (part, block): -1}, 0, np.inf
            yield {one: 1, other: 1, (part, block): 1}, -np.inf, 2
    if part.kind == "not" and problem.semantics != "single":
        yield {(part, block): 1 for block in blocks} | {part: -1}, 0, np.inf


def _supply_rows(problem: CountingProblem, unknowns: Iterable[Takes]) -> Iterator[Row]:
    """Yield that there is enough of each block: people who take one are at most its occurrences, and others fit."""
    single, atoms = problem.semantics == "single", dict.fromkeys(unknowns)
    variables = dict.fromkeys(atom.variable for atom in atoms) if single else {}
    # people who are the same must fit in each block, mentioned or not
    variables |= {variable: None for variable, members in enumerate(problem.members) if members.total() > 1}
    for variable in variables:
        blocks = dict.fromkeys(block for group in problem.members[variable] for block in problem.blocks[group])
        takes = {Takes(variable, block): 1 for block in blocks}
        atoms |= dict.fromkeys(takes)
        if single:  # everybody takes one block
            yield takes, 1, 1
    takers: dict[tuple[int, int], dict[Takes, int]] = {}
    for atom in atoms:
        for group, people in problem.members[atom.variable].items():
            takers.setdefault((group, atom.block), {})[atom] = people
    for (group, block), people_of in takers.items():
        count, people = problem.counts[group, block], problem.sizes[group]
        # in a multiset one person may have all occurrences, so that all others may lack the value
        lacking = people - (count if problem.semantics == "set" else min(count, 1))
        yield people_of, 0 if single else sum(people_of.values()) - lacking, count
