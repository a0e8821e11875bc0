"""The slow, obvious twins: every answer by its definition, enumerating all worlds.

For replaying small witnesses, and for tests; the number of worlds explodes with the sizes of groups.

    every_world, probability            of any event: the definition of everything else
    investigation_probability           what an attacker found out about a person (`closed_forms.odds`)
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
from itertools import combinations, product
from math import comb, factorial, prod
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from sidelight.errors import BadMeasure
from sidelight.release.release import Release
from sidelight.table.labels import Label

if TYPE_CHECKING:
    from sidelight.release.groups import GroupName, Groups
    from sidelight.worlds.closed_forms import Investigation, Others


Person: TypeAlias = tuple[int, int]
"""A person: the number of a group (from 1) and a position in it (from 0).  Facts count from 1: `Someone(g, i + 1)`."""

Item = TypeVar("Item")

World: TypeAlias = Mapping[Person, frozenset[Label]]
"""Which values each person has (in `multiset`, how often does not matter for having a value)."""

WorldEvent: TypeAlias = Callable[[World], bool]


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


def probability(release: Release, event: WorldEvent, *, given: WorldEvent = lambda _world: True) -> Fraction:
    """Return worlds where both hold / worlds where `given` holds.

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
        raise BadMeasure("no world fits both the release and what is known; drop one of the facts")
    return Fraction(both, possible)


def investigation_probability(release: Release, investigation: Investigation) -> Fraction:
    """Return the probability of a value after an investigation: the slow twin of `closed_forms.odds`."""
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
    """Return whether the groups in question have at most `most` worlds."""
    groups = [release.group(name) for name in investigation.groups()]
    small = all(part.sizes[0] + part.counts.row(0).sum() <= 64 for part in groups)  # else do not even count them
    return small and prod(number_of_worlds(part) for part in groups) <= most


def number_of_worlds(group: Groups) -> int:
    """Count the worlds of one group without enumerating them."""
    people = int(group.sizes[0])
    counts: list[int] = group.counts.row(0).tolist()
    if group.semantics == "single":
        return factorial(people) // prod(factorial(count) for count in counts)
    if group.semantics == "set":
        return prod(comb(people, count) for count in counts)
    return int(people ** sum(counts))


def _event(semantics: str, investigation: Investigation, names: list[GroupName]) -> WorldEvent:
    """Return what was found out as an event; the target is the first person of her group."""
    target = (names.index(investigation.group) + 1, 0)
    taken = {name: int(name == investigation.group) for name in names}

    def next_people(part: Others | None) -> list[tuple[int, int]]:
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


def up_to(things: Sequence[Item], most: int, *, least: int = 0) -> Iterator[tuple[Item, ...]]:
    """Yield all ways to choose `least` to `most` things, few first."""
    for number in range(least, min(most, len(things)) + 1):
        yield from combinations(things, number)


ValueSequence: TypeAlias = tuple[Label, ...]

SequencePrior: TypeAlias = Callable[[ValueSequence], Fraction]
"""The probability of a sequence of values, before anything is published."""

Epsilon: TypeAlias = Fraction | float


def dirichlet_prior(parameters: Mapping[Label, Fraction]) -> SequencePrior:
    """Return the prior that draws values one by one, each in proportion to its parameter plus its number so far.

    >>> prior = dirichlet_prior({"a": Fraction(1), "b": Fraction(2)})
    >>> prior(("a", "a", "b")), prior(("b", "a", "a"))
    (Fraction(1, 15), Fraction(1, 15))
    """

    def prior(values: ValueSequence) -> Fraction:
        likely, weights = Fraction(1), dict(parameters)
        for value in values:
            likely *= weights[value] / sum(weights.values())
            weights[value] += 1
        return likely

    return prior


def independent_prior(shares: Mapping[Label, Fraction]) -> SequencePrior:
    """Return the prior that draws independently, with these shares: the infinitely stubborn."""
    return lambda values: prod((shares[value] for value in values), start=Fraction(1))


def few_worlds(values: int, people: int) -> bool:
    """Return whether `people` people have few enough sequences of at least two values; not even counted for many."""
    most = 300  # sequences (one of them unseen) that a group may have to be replayed one by one
    return bool(people < most.bit_length() and values**people <= most)


def smallest_epsilon_of_group(
    counts: Mapping[Label, int],
    domain: ValueSequence,
    has: Callable[[Label], bool],
    *,
    prior: SequencePrior,
    known: int = 0,
    matches: bool = True,
    ruled_out: Iterable[Label] = (),
) -> Epsilon | None:
    """Return ε of one group by the definition: the worst over the target and the people who are known.

    `counts` is what is published of the group, `has` the value or predicate in question, which the target `matches` or
    does not, having none of the values that are `ruled_out`; None if there is nobody like that.

    >>> prior = dirichlet_prior({"Flu": Fraction(2), "Cold": Fraction(3)})
    >>> smallest_epsilon_of_group({"Flu": 2, "Cold": 1}, ("Flu", "Cold"), lambda value: value == "Flu", prior=prior)
    Fraction(12, 7)
    """
    worlds = product(domain, repeat=sum(counts.values()))
    likely = {world: prior(world) for world in worlds if world[0] not in ruled_out}
    # what a release would publish with the first person, and without
    bags = {world: (Counter(world), Counter(world[1:])) for world in likely}

    def belief(fits: list[ValueSequence]) -> Fraction:
        having = sum((likely[world] for world in fits if has(world[0])), Fraction(0))
        return having / sum((likely[world] for world in fits), Fraction(0))

    published = Counter(counts)
    worst: Epsilon | None = None
    for truth, (everybody, others) in bags.items():
        if everybody != published or has(truth[0]) != matches:
            continue  # the target is the first person
        # up to `known` people of the group are known, but not the first; others known are in other groups
        for people in up_to(range(1, len(truth)), known):
            fits = [world for world in likely if all(world[n] == truth[n] for n in people)]
            # after the release with the person in it, and after the one without
            p_in = belief([world for world in fits if bags[world][0] == published])
            p_out = belief([world for world in fits if bags[world][1] == others])
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
) -> Epsilon:
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


def _ratio(p_in: Fraction, p_out: Fraction) -> Epsilon:
    belief = p_in / p_out
    if p_in < 1:
        return max(belief, (1 - p_out) / (1 - p_in))
    return math.inf if p_out < 1 else belief
