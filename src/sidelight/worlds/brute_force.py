"""The slow, obvious twins: every answer by its definition, going through all worlds one by one.

For tests and for replaying small witnesses; the number of worlds explodes with the groups' sizes.

    every_world, probability            of any event: the definition of everything else
    investigation_probability           what somebody found out about a person (`closed_forms.odds`)
    worst_acquaintance                  `Acquaintance`: every target, everything she may know
    worst_acquaintance_over_groups      `Acquaintance` without worlds, by dynamic programming over groups: smallest odds
                                        against when i others and j of the family sit in the groups so far, with the
                                        target among them or not.  Each group takes (i', j') of them, a
                                        (min, ×)-convolution: groups × (others × family)² × values
    worst_implications, worst_negations `Implications`, `Negations`: every set of k pieces of knowledge.  Worlds are
                                        numbered, and what is known is the set of worlds in which it holds, as bits
    cheapest_implications               `CheapestKnowledge`: the same sets, by what they cost
    smallest_epsilon_of_group, _by_cell `PriorBelief`: values are drawn independently from an unknown distribution,
                                        itself drawn from a Dirichlet prior, so each sequence of values has a known
                                        probability, and a belief is a ratio of two sums of such probabilities: over
                                        the sequences that fit what is published and known, and over those of them
                                        where it holds
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import reduce
from heapq import heappop, heappush
from itertools import combinations, product
from math import comb, factorial, prod
from operator import and_, or_
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers
from sidelight.errors import BadMeasure
from sidelight.release.release import Release
from sidelight.table.labels import Label

if TYPE_CHECKING:
    from sidelight.release.groups import GroupName, Groups
    from sidelight.table.labels import Semantics
    from sidelight.worlds.closed_forms import Family, Investigation, Others

Person: TypeAlias = tuple[int, int]
"""Somebody: the number of a group (from 1) and a position in it (from 0).  Facts count from 1: `Someone(g, i + 1)`."""

T = TypeVar("T")

World: TypeAlias = Mapping[Person, frozenset[Label]]
"""Which values each person has (in `multiset`, how often does not matter for having a value)."""

Event: TypeAlias = Callable[[World], bool]


def worlds_of_group(groups: Groups, row: int) -> Iterator[tuple[frozenset[Label], ...]]:
    """Yield the worlds of one group: all equally likely, each person's values by position.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"a": 1, "b": 1}], sizes=[2], values="set")
    >>> [[sorted(values) for values in world] for world in worlds_of_group(release.groups, 0)]
    [[['a', 'b'], []], [['a'], ['b']], [['b'], ['a']], [[], ['a', 'b']]]
    """
    people = range(int(groups.sizes[row]))
    counts = groups.value_counts(row)
    if groups.semantics == "single":
        yield from _one_value_each(len(people), counts)
        return
    if groups.semantics == "set":
        owner_choices = [list(combinations(people, n)) for n in counts.values()]
    else:
        owner_choices = [list(product(people, repeat=n)) for n in counts.values()]
    # values are independent of each other: any choice for one goes with any for another
    for chosen in product(*owner_choices):
        owners = list(zip(counts, chosen, strict=True))
        yield tuple(frozenset(text for text, who in owners if person in who) for person in people)


def _one_value_each(people: int, remaining: dict[Label, int]) -> Iterator[tuple[frozenset[Label], ...]]:
    if people == 0:
        yield ()
        return
    for text, n in remaining.items():
        if n:
            for rest in _one_value_each(people - 1, {**remaining, text: n - 1}):
                yield (frozenset([text]), *rest)


def every_world(release: Release) -> Iterator[World]:
    """Yield all worlds of a release: groups are independent."""
    groups = [list(worlds_of_group(release.groups, row)) for row in range(len(release))]
    for chosen in product(*groups):
        yield {
            (number, position): values
            for number, group in enumerate(chosen, start=1)
            for position, values in enumerate(group)
        }


def probability(release: Release, event: Event, *, given: Event = lambda _world: True) -> Fraction:
    """Worlds where both hold / worlds where `given` holds.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}])
    >>> probability(release, lambda world: "Flu" in world[1, 0])
    Fraction(2, 3)
    """
    both = possible = 0
    for world in every_world(release):
        if given(world):
            possible += 1
            both += event(world)
    if possible == 0:
        message = "no world fits both the release and what is known; drop one of the facts"
        raise BadMeasure(message)
    return Fraction(both, possible)


def investigation_probability(release: Release, investigation: Investigation) -> Fraction:
    """Return how sure of a value what was found out makes an attacker: the slow twin of `closed_forms.odds`."""
    names = investigation.groups()
    groups = [release.group(name) for name in names]
    small = Release.from_counts(
        [group.value_counts(0) for group in groups],
        sizes=[int(group.sizes[0]) for group in groups],
        values=release.semantics,
        domain=release.domain,
    )
    target = (names.index(investigation.group) + 1, 0)
    return probability(
        small, lambda world: investigation.value in world[target], given=_event(small.semantics, investigation, names)
    )


def has_few_worlds(release: Release, investigation: Investigation, most: int) -> bool:
    """Return whether the groups in question have at most so many worlds."""
    groups = [release.group(name) for name in investigation.groups()]
    small = all(part.sizes[0] + part.counts.row(0).sum() <= 64 for part in groups)  # else do not even count them
    return small and prod(number_of_worlds(part) for part in groups) <= most


def number_of_worlds(group: Groups) -> int:
    """Count the worlds of one group without going through them."""
    people = int(group.sizes[0])
    counts: list[int] = group.counts.row(0).tolist()
    if group.semantics == "single":
        return factorial(people) // prod(factorial(count) for count in counts)
    if group.semantics == "set":
        return prod(comb(people, count) for count in counts)
    return int(people ** sum(counts))


def _event(semantics: str, investigation: Investigation, names: list[GroupName]) -> Event:
    """Return what was found out as an event; the target is the first person of her group."""
    target = (names.index(investigation.group) + 1, 0)
    taken = {name: int(name == investigation.group) for name in names}

    def next_people(part: Others | Family | None) -> list[tuple[int, int]]:
        if part is None:
            return []
        # positions are given out in turn, so that target, others and family of one group are different people
        start = taken[part.group]
        taken[part.group] += part.people
        return [(names.index(part.group) + 1, position) for position in range(start, start + part.people)]

    others, family = next_people(investigation.others), next_people(investigation.family)
    listed = investigation.others.values if investigation.others else ()
    values = [text for text, people in listed for _ in range(people)]

    def fits(world: World) -> bool:
        has = investigation.value in world[target]
        ruled_out = any(text in world[target] for text in investigation.rules_out)
        if semantics == "single":
            known = all(world[person] == {text} for person, text in zip(others, values, strict=True)) and not ruled_out
        else:
            known = all(investigation.value not in world[person] for person in others) and (has or not ruled_out)
        return known and (has or all(investigation.value not in world[person] for person in family))

    return fits


def worst_acquaintance(release: Release, value: Label, *, rules_out: int, others: int, family: int) -> Fraction:
    """Return how sure of `value` an attacker can get, by trying everything.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> worst_acquaintance(release, "Flu", rules_out=1, others=0, family=0)
    Fraction(2, 3)
    """
    worlds = list(every_world(release))
    rest = [text for text in release.domain if text != value]

    def learn(world: World, known: tuple[Person, ...]) -> object:
        if release.semantics == "single":
            return tuple(world[person] for person in known)
        # that these people lack the value; worlds in which one has it say nothing
        return True if all(value not in world[person] for person in known) else None

    worst = Fraction(0)
    for target in worlds[0]:
        people = [each for each in worlds[0] if each != target]
        for ruled_out, known in product(_up_to(rest, rules_out), _up_to(people, others)):
            # she has none of what is ruled out, or the value too; who has one value each cannot have both
            possible = [each for each in worlds if value in each[target] or each[target].isdisjoint(ruled_out)]
            for relatives in _up_to([each for each in people if each not in known], family):
                fitting = [
                    (learn(world, known), value in world[target])
                    for world in possible
                    if value in world[target] or all(value not in world[person] for person in relatives)
                ]
                # worlds with the same answer are those that she cannot tell apart any more
                alike = Counter(answer for answer, _ in fitting if answer is not None)
                having = Counter(answer for answer, has in fitting if has)
                worst = max([worst, *(Fraction(having[answer], alike[answer]) for answer in alike)])
    return worst


def _up_to(things: Sequence[T], most: int, *, least: int = 0) -> Iterator[tuple[T, ...]]:
    for number in range(least, min(most, len(things)) + 1):
        yield from combinations(things, number)


Numbers: TypeAlias = npt.NDArray[np.object_] | npt.NDArray[np.float64]
Divide: TypeAlias = Callable[[Integers | int, Integers | int], Numbers]


def divide_exactly(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide exactly."""
    pairs = np.broadcast(over, under)
    return np.array([Fraction(int(a), int(b)) for a, b in pairs], object).reshape(pairs.shape)


def divide_in_floats(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide quickly."""
    return np.asarray(np.true_divide(over, under))


def worst_acquaintance_over_groups(
    groups: Groups, *, rules_out: int, others: int, family: int, divide: Divide = divide_exactly
) -> Numbers:
    """Return the worst risk of each value, with others and family spread over the groups in any way.

    `Acquaintance` itself lets them sit together (congregation); this does not assume it.  It goes through no worlds,
    so it is the twin for releases too large for that.

    `placed[i, j]` are the smallest odds against when i others, j of the family and the target sit in the groups so
    far, `waiting[i, j]` the same without the target.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> worst_acquaintance_over_groups(release.groups, rules_out=1, others=0, family=0).tolist()
    [Fraction(1, 2), Fraction(2, 3), Fraction(1, 2)]
    """
    one = divide(np.ones((others + 1, family + 1, len(groups.domain)), np.int64), 1)
    waiting, placed, seen = one, one, np.zeros(len(groups.domain), bool)
    for row in range(len(groups)):
        counts = groups.counts.row(row)
        none = _none_has(groups.semantics, int(groups.sizes[row]), counts, (others + 1, family), divide)
        odds = _odds_against(groups.semantics, int(groups.sizes[row]), counts, (rules_out, others), divide)
        # the target sits in a group before, or in this one
        elsewhere = _convolve(placed, none[:-1])
        in_this = _convolve(waiting, odds[:, np.newaxis] * none[1:])
        # a target needs a group with the value: this one, one before, or in either
        placed = np.where(counts == 0, elsewhere, np.where(seen, np.minimum(elsewhere, in_this), in_this))
        waiting = _convolve(waiting, none[:-1])
        seen |= counts > 0
    least = placed[-1, -1]
    return np.array([1 / (1 + each) if occurs else 0 * each for each, occurs in zip(least, seen, strict=True)])


def _convolve(before: Numbers, in_group: Numbers) -> Numbers:
    """Return the best way to seat i others and j of the family in one more group, the rest in those before."""
    # (others + 1, family + 1, values); none of either in this group is the first way
    least: Numbers = before * in_group[0, 0]
    for i, j in np.ndindex(before.shape[:2]):
        rest = before[: before.shape[0] - i, : before.shape[1] - j]
        np.minimum(least[i:, j:], rest * in_group[i, j], out=least[i:, j:])
    return least


def _none_has(semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide) -> Numbers:
    """V[i, j]: the probability that none of j people has the value, i others being known to lack it."""
    table = divide(np.ones((most[0] + 1, most[1] + 1, len(counts)), np.int64), 1)
    for i, j in np.ndindex(most[0] + 1, most[1]):
        undecided = people - i - j
        if semantics == "multiset":
            # each occurrence, on its own, goes to one of the others who are undecided
            step = divide(np.maximum(undecided - 1, 0), max(undecided, 1)) ** counts
        else:
            step = divide(np.maximum(undecided - counts, 0), max(undecided, 1))
        table[i, j + 1] = np.where(counts == 0, 1, table[i, j] * step)
    return table


def _odds_against(
    semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide
) -> Numbers:
    """T[i]: the odds against the target having the value, i others being known to lack it (where anybody has it)."""
    top = [np.sort(np.delete(counts, value))[::-1][: most[0]] for value in range(len(counts))]
    ruled_out = np.array([each.sum() for each in top], np.int64)
    table = divide(np.ones((most[1] + 1, len(counts)), np.int64), 1)
    for i in range(most[1] + 1):
        if semantics == "single":
            table[i] = divide(np.maximum(people - counts - ruled_out - i, 0), np.maximum(counts, 1))
        elif semantics == "set":
            kept = np.array([divide(people - each, people).prod() for each in top])
            table[i] = divide(np.maximum(people - counts - i, 0), np.maximum(counts, 1)) * kept
        else:
            # q/(1−q) with q = ((n−i−1)/(n−i))^a
            q = divide(max(people - i - 1, 0), max(people - i, 1)) ** np.maximum(counts, 1)
            table[i] = q / (1 - q) * divide(people - 1, people) ** ruled_out
    return table


class NumberedWorlds:
    """All worlds of a release, and for each person and value the worlds in which the person has the value."""

    def __init__(self, release: Release) -> None:
        worlds = list(every_world(release))
        # bit w of a number stands for world w, so that whole sets of worlds are joined and counted at once
        self.all = (1 << len(worlds)) - 1
        self.atoms: dict[tuple[tuple[int, int], Label], int] = {
            (person, value): sum(1 << number for number, world in enumerate(worlds) if value in world[person])
            for person in worlds[0]
            for value in release.domain
        }

    def targets(self, value: Label) -> list[int]:
        """Return the atoms that may be shown: of one value, or (None) of any."""
        return [worlds for (_, own), worlds in self.atoms.items() if value is None or own == value]

    def surest(self, value: Label, known: Iterable[int]) -> Fraction:
        """Return the largest probability of any target under any of these pieces of knowledge that can be true."""
        targets = self.targets(value)
        return max(_probability(target, knowledge) for knowledge in set(known) if knowledge for target in targets)


def worst_implications_with_one_conclusion(release: Release, k: int, value: Label = None) -> Fraction:
    """Return the worst over all sets of k implications A_i → A, A being what is to be shown.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> worst_implications_with_one_conclusion(release, 1)
    Fraction(2, 3)
    """
    worlds = NumberedWorlds(release)
    every = {*worlds.atoms.values()}
    return max(
        _probability(target, knowledge)
        for target in worlds.targets(value)
        for knowledge in _conjunctions({worlds.all & ~atom | target for atom in every}, k, worlds.all)
        if knowledge
    )


def worst_implications(release: Release, k: int, value: Label = None) -> Fraction:
    """Return the worst over all conjunctions of k basic implications: if all of these, then one of those."""
    worlds = NumberedWorlds(release)
    every = sorted({*worlds.atoms.values()})
    premises = {reduce(and_, some) for some in _up_to(every, len(every), least=1)}
    conclusions = {reduce(or_, some) for some in _up_to(every, len(every), least=1)}
    basic = {worlds.all & ~premise | conclusion for premise in premises for conclusion in conclusions}
    return worlds.surest(value, _conjunctions(basic, k, worlds.all))


def cheapest_implications(
    release: Release,
    reach: Fraction,
    price: Callable[[Label], Fraction],
    targets: Iterable[Label],
    *,
    one_conclusion: bool = True,
) -> Fraction | None:
    """Find the cheapest set of implications A → B that reaches as much of any target, by going up in price.

    With `one_conclusion` B is always what is to be shown; otherwise any atom.  None where nobody has such a value.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> cheapest_implications(release, Fraction(2, 3), lambda value: Fraction(1), release.domain)
    Fraction(1, 1)
    """
    worlds = NumberedWorlds(release)
    target_atoms = {atom for (_, value), atom in worlds.atoms.items() if value in {*targets} and atom}
    # of facts that hold in the same worlds the cheapest is written last, and stays
    by_falling_price = sorted(worlds.atoms.items(), key=lambda atom: -price(atom[0][1]))

    def cheapest(conclusions: Iterable[int], among: set[int]) -> Fraction:
        facts = {
            worlds.all & ~premise | conclusion: price(value)
            for conclusion in conclusions
            for (_, value), premise in by_falling_price
        }
        return _cheapest(
            facts, worlds.all, lambda knowledge: any(_probability(each, knowledge) >= reach for each in among)
        )

    if not target_atoms:
        return None
    if one_conclusion:
        return min(cheapest([target], {target}) for target in target_atoms)
    return cheapest(worlds.atoms.values(), target_atoms)


def _cheapest(facts: Mapping[int, Fraction], everything: int, reached: Callable[[int], bool]) -> Fraction:
    """Return the price of the cheapest conjunction of facts that can be true and reaches it (Dijkstra)."""
    waiting, passed = [(Fraction(0), everything)], set[int]()
    while waiting:
        price, knowledge = heappop(waiting)
        if reached(knowledge):
            return price
        if knowledge not in passed:
            passed.add(knowledge)
            for fact, cost in facts.items():
                # a fact that leaves no world, or rules none out, leads nowhere
                if knowledge & fact not in (0, knowledge):
                    heappush(waiting, (price + cost, knowledge & fact))
    message = "no knowledge that can be true reaches it; give a lower reach"
    raise BadMeasure(message)


def worst_negations(release: Release, k: int, value: Label = None) -> Fraction:
    """Return the worst over all sets of k facts "p does not have s", about anybody.

    >>> release = Release.from_counts([{"Flu": 2, "Lung cancer": 2, "Heart disease": 1}])
    >>> worst_negations(release, 1)
    Fraction(2, 3)
    """
    worlds = NumberedWorlds(release)
    negated = {worlds.all & ~atom for atom in worlds.atoms.values()}
    return worlds.surest(value, _conjunctions(negated, k, worlds.all))


def _conjunctions(facts: set[int], k: int, everything: int) -> set[int]:
    """Return all different conjunctions of at most k facts."""
    # conjunctions that hold in the same worlds are one
    known = {everything}
    for _ in range(k):
        known |= {one & other for one in known for other in facts}
    return known


def _probability(target: int, knowledge: int) -> Fraction:
    return Fraction((target & knowledge).bit_count(), knowledge.bit_count())


Values: TypeAlias = tuple[Label, ...]
Prior: TypeAlias = Callable[[Values], Fraction]
"""How likely a sequence of values is, before anything is published."""

Amount: TypeAlias = Fraction | float


def dirichlet_prior(parameters: Mapping[Label, Fraction]) -> Prior:
    """Return the prior that draws one after another: each value as likely as its parameter and number so far make it.

    >>> prior = dirichlet_prior({"a": Fraction(1), "b": Fraction(2)})
    >>> prior(("a", "a", "b")), prior(("b", "a", "a"))
    (Fraction(1, 15), Fraction(1, 15))
    """

    def prior(values: Values) -> Fraction:
        likely, weights = Fraction(1), dict(parameters)
        for value in values:
            likely *= weights[value] / sum(weights.values())
            weights[value] += 1
        return likely

    return prior


def independent_prior(shares: Mapping[Label, Fraction]) -> Prior:
    """Return the prior that draws independently, with these shares: the infinitely stubborn."""
    return lambda values: prod((shares[value] for value in values), start=Fraction(1))


def few_worlds(values: int, people: int) -> bool:
    """Return whether so many people have few enough sequences of at least two values; not even counted for a crowd."""
    most = 300  # sequences (one of them unseen) that a group may have to be replayed one by one
    return bool(people < most.bit_length() and values**people <= most)


def smallest_epsilon_of_group(
    counts: Mapping[Label, int],
    domain: Values,
    has: Callable[[Label], bool],
    *,
    prior: Prior,
    known: int = 0,
    matches: bool = True,
    ruled_out: Iterable[Label] = (),
) -> Amount | None:
    """Return ε of one group by the definition: the worst over who is asked about and who is known.

    `counts` is what is published of the group, `has` the value or predicate asked about, which the person `matches` or
    does not, having none of the values that are `ruled_out`; None if there is nobody like that.

    >>> prior = dirichlet_prior({"Flu": Fraction(2), "Cold": Fraction(3)})
    >>> smallest_epsilon_of_group({"Flu": 2, "Cold": 1}, ("Flu", "Cold"), lambda value: value == "Flu", prior=prior)
    Fraction(12, 7)
    """
    worlds = product(domain, repeat=sum(counts.values()))
    everything = [
        _DrawnSequence(world, prior(world), Counter(world), Counter(world[1:]))
        for world in worlds
        if world[0] not in ruled_out
    ]
    published = Counter(counts)
    worst: Amount | None = None
    for truth in everything:
        if truth.counts != published or has(truth.values[0]) != matches:
            continue  # the person asked about is the first
        # known are up to so many of the group, all but the first; the others known are in other groups
        for others in _up_to(range(1, len(truth.values)), known):
            fits = [each for each in everything if all(each.values[n] == truth.values[n] for n in others)]
            # told of the release with the person in it, and of the same without
            p_in = _belief([each for each in fits if each.counts == published], has)
            p_out = _belief([each for each in fits if each.counts_of_others == truth.counts_of_others], has)
            epsilon = _ratio(p_in, p_out)
            worst = epsilon if worst is None else max(worst, epsilon)
    return worst


def smallest_epsilon_by_cell(
    counts: Mapping[Label, int],
    weights: Mapping[tuple[str, str], Fraction],
    label: str,
    values: AbstractSet[str],
    *,
    unmoved: bool = False,
) -> Amount:
    """Return ε of one group whose people are drawn from cells (label, value), of one who is known to have this label.

    Published are how often each value occurs; `weights` is the Dirichlet prior of the cells that the group covers (of
    the `unmoved`, their shares, up to a factor), and `values` the predicate.  The worst over who has it and is left
    out.

    >>> weights = {(label, value): Fraction(2) for label in "rt" for value in "ab"}
    >>> smallest_epsilon_by_cell({"a": 2, "b": 1}, weights, "r", {"a"})
    Fraction(3, 2)
    """
    names = {cell: str(number) for number, cell in enumerate(weights)}  # priors draw labels
    prior = (independent_prior if unmoved else dirichlet_prior)({names[cell]: each for cell, each in weights.items()})
    drawn = [
        (cells, prior(tuple(names[cell] for cell in cells)))
        for cells in product(weights, repeat=sum(counts.values()))
        if cells[0][0] == label
    ]

    def belief(published: Counter[Label], first: int) -> Fraction:
        fits = [each for each in drawn if Counter(cell[1] for cell in each[0][first:]) == published]
        having = sum((chance for cells, chance in fits if cells[0][1] in values), Fraction(0))
        return having / sum((chance for _, chance in fits), Fraction(0))

    everybody = Counter({value: count for value, count in counts.items() if count})
    p_in = belief(everybody, 0)
    return max(_ratio(p_in, belief(everybody - Counter([value]), 1)) for value in everybody if value in values)


class _DrawnSequence(NamedTuple):
    """A sequence of values, how likely it is, and what a release would publish with and without the first person."""

    values: Values
    probability: Fraction
    counts: Counter[Label]
    counts_of_others: Counter[Label]


def _belief(worlds: list[_DrawnSequence], has: Callable[[Label], bool]) -> Fraction:
    """Return how likely it is that the first person has it, in the worlds that are left."""
    having = sum((each.probability for each in worlds if has(each.values[0])), Fraction(0))
    return having / sum((each.probability for each in worlds), Fraction(0))


def _ratio(p_in: Fraction, p_out: Fraction) -> Amount:
    belief = p_in / p_out
    if p_in < 1:
        return max(belief, (1 - p_out) / (1 - p_in))
    return math.inf if p_out < 1 else belief
