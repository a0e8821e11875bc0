"""What each measure finds, by its definition or by going through everything that could be: nothing of its own code.

The slow side of the registry (`tests/registry`).  `vouched` answers for a measure and a release with a value and with
what vouches for it: "brute force" goes through all worlds (`sidelight.worlds.brute_force`), all sequences of values or
all draws; "definition" writes the formula of the measure's docstring out in plain fractions, group by group.  Where a
logarithm makes the value irrational, the answer is an interval of decimals.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, permutations
from math import factorial, prod
from typing import Any, TypeAlias

import numpy as np
from scipy import stats
from scipy.optimize import linprog
from support.populations import by_definition as risks_by_definition
from support.worst_cases import (
    cheapest_implications,
    worst_acquaintance,
    worst_acquaintance_over_groups,
    worst_implications_with_one_conclusion,
    worst_negations,
)

import sidelight as sl
from sidelight.worlds.brute_force import dirichlet_prior, independent_prior, number_of_worlds, smallest_epsilon_of_group

Bag: TypeAlias = dict[str | None, int]
Exact: TypeAlias = Fraction | float
Interval: TypeAlias = tuple[Decimal, Decimal]

BRUTE, DEFINITION = "brute force", "definition"
FEW_WORLDS = {"single": 300, "set": 1_500, "multiset": 1_500}
"""So many worlds are gone through for what somebody may know about anybody; of single values there are formulas, too."""

DIGITS = 30
NEAR = Decimal("1e-9")
"""How far apart two floats of different libraries may be, relative."""


@dataclass(frozen=True)
class Vouched:
    """A value, or decimals between which it lies, and what vouches for it."""

    value: Exact | Interval
    by: str


def vouched(measure: Any, release: sl.Release) -> Vouched | None:
    """Give what a measure finds without asking it; None where only its own code can say."""
    twin = TWINS.get(type(measure))
    return None if twin is None else twin(measure, release)


# --- the groups of a release, plainly ------------------------------------------------------------------------------


def bags_of(release: sl.Release) -> list[Bag]:
    """Give how often each value occurs in each group; the missing ones have 0."""
    return [dict(zip(release.domain, row, strict=True)) for row in release.groups.counts.dense().tolist()]


def sizes_of(release: sl.Release) -> list[int]:
    """Give how many people each group has."""
    sizes: list[int] = release.groups.sizes.tolist()
    return sizes


def worlds_in(release: sl.Release) -> float:
    """Count all worlds; infinitely many where they are not even worth counting."""
    if max(sizes_of(release)) > 64 or release.groups.counts.totals().max() > 64:
        return math.inf
    return prod(number_of_worlds(release.group(number)) for number in range(1, len(release) + 1))


def without(bag: Bag, apart_from: Iterable[str | None]) -> Bag:
    """Leave some values out, as if those who have them were not there."""
    gone = set(apart_from)
    return {value: count for value, count in bag.items() if value not in gone}


def shares_of(release: sl.Release, apart_from: Iterable[str | None] = ()) -> tuple[list[Bag], dict[Any, Fraction]]:
    """Give the groups that have any value, without those left out, and the share p of each value among everybody."""
    bags = [without(bag, apart_from) for bag in bags_of(release)]
    whole = {value: sum(bag[value] for bag in bags) for value in (bags[0] if bags else ())}
    total = sum(whole.values())
    p = {value: Fraction(count, total) for value, count in whole.items()} if total else {}
    return [bag for bag in bags if sum(bag.values())], p


def q_of(bag: Bag) -> dict[Any, Fraction]:
    """Give the share q of each value in a group."""
    return {value: Fraction(count, sum(bag.values())) for value, count in bag.items()}


# --- groups alone --------------------------------------------------------------------------------------------------


def group_size(_: sl.GroupSize, release: sl.Release) -> Vouched:
    """n of the smallest group."""
    return Vouched(Fraction(min(sizes_of(release))), DEFINITION)


def distinct_values(measure: sl.DistinctValues, release: sl.Release) -> Vouched:
    """How many values occur in the group with fewest; groups of nothing but values left out are passed over."""
    kept = [(without(bag, measure.apart_from), bag) for bag in bags_of(release)]
    numbers = [sum(n > 0 for n in rest.values()) for rest, bag in kept if sum(rest.values()) or not sum(bag.values())]
    return Vouched(Fraction(min(numbers, default=0)), DEFINITION)


def entropy_diversity(measure: sl.EntropyDiversity, release: sl.Release) -> Vouched:
    """exp of the entropy: the n-th root of n^n / Π c^c."""
    bags, _ = shares_of(release, measure.apart_from)
    lowest: Interval | None = None
    for bag in bags:
        n, power = sum(bag.values()), Fraction(1)
        for count in bag.values():
            power *= Fraction(n, count) ** count if count else 1
        root = nth_root(power, n)
        lowest = root if lowest is None or root[0] < lowest[0] else lowest
    return Vouched(narrowed(lowest or (Decimal(1), Decimal(1))), DEFINITION)


def nth_root(power: Fraction, n: int) -> Interval:
    """Give decimals around the n-th root; twice the same where it is rational."""
    root = round_root(power, n)
    if root is not None:
        return root, root
    with localcontext(prec=2 * DIGITS):
        near = ((Decimal(power.numerator) / power.denominator).ln() / n).exp()
        return near - near.scaleb(-DIGITS), near + near.scaleb(-DIGITS)


def round_root(power: Fraction, n: int) -> Decimal | None:
    """Give the n-th root where it is a whole number, which is all that counts of people give exactly."""
    near = round(math.exp((math.log(power.numerator) - math.log(power.denominator)) / n))
    return Decimal(near) if Fraction(near) ** n == power else None


def narrowed(interval: Interval) -> Exact | Interval:
    """Give a number instead of an interval of one number."""
    return Fraction(interval[0]) if interval[0] == interval[1] else interval


def recursive_diversity(measure: sl.RecursiveDiversity, release: sl.Release) -> Vouched:
    """n(x₁) / (n(x_ℓ) + n(x_{ℓ+1}) + …)."""
    bags, _ = shares_of(release, measure.apart_from)
    sort_by_frequency = [sorted(bag.values(), reverse=True) for bag in bags]
    ratios = [
        Fraction(counts[0], sum(counts[measure.l - 1 :])) if sum(counts[measure.l - 1 :]) else math.inf
        for counts in sort_by_frequency
    ]
    return Vouched(max(ratios, default=Fraction(0)), DEFINITION)


def closeness(measure: sl.Closeness, release: sl.Release) -> Vouched:
    """The earth mover's distance of q and p: formulas for equal and ordered distances, else a linear program."""
    bags, p = shares_of(release, measure.apart_from)
    if measure.distance == "hierarchical":
        return Vouched(_by_transport(measure, bags, p), "linear program")
    order = [value for value in (measure.order or release.domain) if measure.order or value in p]
    distances = []
    for bag in bags:
        q = q_of(bag)
        apart = [q.get(value, Fraction(0)) - p.get(value, Fraction(0)) for value in (order or p)]
        if measure.distance == "equal":
            distances.append(sum(map(abs, apart)) / 2)
        else:
            distances.append(sum(abs(sum(apart[:end])) for end in range(len(apart))) / max(len(apart) - 1, 1))
    return Vouched(max((Fraction(each) for each in distances), default=Fraction(0)), DEFINITION)


def _by_transport(measure: sl.Closeness, bags: list[Bag], p: Mapping[Any, Fraction]) -> Interval:
    tree, values = measure.hierarchy, list(p)

    def level(one: Any, other: Any) -> int:
        return next(
            k for k in range(tree.height + 1) if one == other or tree.generalise(one, k) == tree.generalise(other, k)
        )

    costs = [[level(one, other) for other in values] for one in values]
    top = max(max(row) for row in costs) or 1
    size, worst = len(values), 0.0
    rows = [[float(at // size == row) for at in range(size**2)] for row in range(size)]
    columns = [[float(at % size == column) for at in range(size**2)] for column in range(size)]
    for bag in bags:
        masses = [float(each) for each in (*q_of(bag).values(), *p.values())]
        worst = max(worst, linprog(np.ravel(costs) / top, A_eq=rows + columns, b_eq=masses).fun)
    return Decimal(worst) - Decimal("1e-7"), Decimal(worst) + Decimal("1e-7")


def beta_likeness(measure: sl.BetaLikeness, release: sl.Release) -> Vouched:
    """(q − p) / p of the value that gains most; enhanced: infinite where one gains more than −ln p."""
    bags, p = shares_of(release)
    asked = [value for value in p if value not in measure.apart_from]
    gains = [(q_of(bag)[value] / p[value] - 1, p[value]) for bag in bags for value in asked if p[value]]
    gains = [each for each in gains if each[0] > 0]
    if measure.kind == "enhanced" and any(_above_logarithm(gain, share) for gain, share in gains):
        return Vouched(math.inf, DEFINITION)
    return Vouched(max((gain for gain, _ in gains), default=Fraction(0)), DEFINITION)


def _above_logarithm(gain: Fraction, share: Fraction) -> bool:
    with localcontext(prec=60):
        return Decimal(gain.numerator) / gain.denominator > -(Decimal(share.numerator) / share.denominator).ln()


def delta_disclosure(measure: sl.DeltaDisclosure, release: sl.Release) -> Vouched:
    """|ln(q / p)| of the value that moves most."""
    bags, p = shares_of(release)
    factors: list[Exact] = []
    for bag in bags:
        for value, q in q_of(bag).items():
            if value in measure.apart_from or not p[value] or (not q and measure.absent == "skipped"):
                continue
            factors.append(max(q / p[value], p[value] / q) if q else math.inf)
    factor = max(factors, default=Fraction(1))
    if factor in (1, math.inf):
        return Vouched(Fraction(0) if factor == 1 else math.inf, DEFINITION)
    with localcontext(prec=2 * DIGITS):
        near = (Decimal(Fraction(factor).numerator) / Fraction(factor).denominator).ln()
        return Vouched((near - Decimal(10) ** -DIGITS, near + Decimal(10) ** -DIGITS), DEFINITION)


# --- how surely people are found -----------------------------------------------------------------------------------


def _risk(name: str, measure: Any, release: sl.Release) -> Vouched:
    register = measure.register
    sizes = sizes_of(release)
    if register is None:
        pairs, nowhere = [(size, size) for size in sizes], 0
    else:
        located = register.locate(release)
        pairs = [(f, max(F, f)) for f, F in zip(sizes, located.people.tolist(), strict=True)]
        nowhere = located.nowhere
    threshold = Fraction(str(measure.threshold)) if getattr(measure, "threshold", None) is not None else Fraction(0)
    return Vouched(risks_by_definition(pairs, nowhere, threshold)[name], DEFINITION)


def size_risk(measure: Any, release: sl.Release) -> Vouched:
    """1 / F, on average or at most, or the share of people above; F is f where there is no population."""
    return _risk(measure.statistic, measure, release)


def unique_match(measure: sl.UniqueMatch, release: sl.Release) -> Vouched:
    """πu / (πu + 2(1 − π)c₂)."""
    alone, pairs = (sum(size == wanted for size in sizes_of(release)) for wanted in (1, 2))
    share = Fraction(str(measure.fraction))
    over = share * alone
    return Vouched(over / (over + 2 * (1 - share) * pairs) if alone else Fraction(0), DEFINITION)


def individual_risk(measure: sl.IndividualRisk, release: sl.Release) -> Vouched:
    """The expected 1 / F of a negative binomial, term by term."""
    weights = release.groups.weights.tolist()
    risks = [expected_inverse(size, weight) for size, weight in zip(sizes_of(release), weights, strict=True)]
    people = sum(sizes_of(release))
    mean = sum(size * risk for size, risk in zip(sizes_of(release), risks, strict=True)) / people
    return Vouched(around(max(risks) if measure.statistic == "highest" else mean), DEFINITION)


def expected_inverse(people: int, weight: int) -> float:
    """Σ_j P(F = j | f) / j, j ≥ f, P(F = j) = C(j−1, f−1) p^f (1−p)^{j−f}; what is left out is below 1e-15."""
    sampled = Fraction(people * 1_000_000, weight)
    chance, others = float(sampled**people), float(1 - sampled)
    total, rest, size = 0.0, 1.0, people
    while rest > 1e-15 and size < people + 100_000:
        total += chance / size
        rest -= chance
        chance *= others * size / (size - people + 1)
        size += 1
    return total


def around(value: float) -> Exact | Interval:
    """Give decimals as near to a float as two libraries agree."""
    near = Decimal(value)
    return value if math.isinf(value) else (near - abs(near) * NEAR, near + abs(near) * NEAR)


# --- sums ----------------------------------------------------------------------------------------------------------


def sums(measure: Any, release: sl.Release) -> Vouched:
    """Person by person: the share of the largest amounts, or what is left without them beside the largest."""
    numbers = dict(measure.numbers or {})
    values = []
    for bag in bags_of(release):
        counted = without(bag, (*measure.apart_from, None))
        amounts = sorted(
            (
                Fraction(numbers[value]) if numbers else Fraction(value)
                for value in counted
                for _ in range(counted[value])
            ),
            reverse=True,
        )
        if amounts and isinstance(measure, sl.Dominance):
            values.append(sum(amounts[: measure.largest]) / sum(amounts) if any(amounts) else Fraction(1))
        elif amounts:
            values.append(sum(amounts[measure.largest :]) / amounts[0] if any(amounts) else Fraction(0))
    worst = max if isinstance(measure, sl.Dominance) else min
    return Vouched(Fraction(worst(values, default=Fraction(0))), DEFINITION)


# --- subsets of columns --------------------------------------------------------------------------------------------


def people_of(release: sl.Release) -> list[tuple[dict[str, Any], Any]]:
    """List everybody: what is printed about them, and their value where everybody has one."""
    groups, rows = release.groups, []
    for row, (size, bag) in enumerate(zip(sizes_of(release), bags_of(release), strict=True)):
        cells = {column.name: column.cell(row) for column in groups.columns}
        one_each = release.semantics == "single"
        values = [value for value, count in bag.items() for _ in range(count)] if one_each else [None] * size
        rows += [(cells, value) for value in values]
    return rows


def groups_by(people: list[tuple[dict[str, Any], Any]], names: Iterable[str]) -> list[list[int]]:
    """Put people together who say the same in some columns, by their places."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, (cells, _) in enumerate(people):
        groups.setdefault(tuple(cells[name] for name in names), []).append(place)
    return list(groups.values())


def singling_out(measure: sl.SinglingOut, release: sl.Release) -> Vouched:
    """The share of people who are alone with some of their cells."""
    people, names = people_of(release), [column.name for column in release.groups.columns]
    alone = {
        group[0]
        for size in range(1, min(measure.facts, len(names)) + 1)
        for subset in combinations(names, size)
        for group in groups_by(people, subset)
        if len(group) == 1
    }
    return Vouched(Fraction(len(alone), len(people)), BRUTE)


def linkability(measure: sl.Linkability, release: sl.Release) -> Vouched | None:
    """Every way to pair the records of both holders: the best guess for each record, on average."""
    people, names = people_of(release), [column.name for column in release.groups.columns]
    if len(people) > 7:
        return None
    other = [name for name in names if name not in measure.one] if measure.other is None else list(measure.other)
    return Vouched(matched([cells for cells, _ in people], measure.one, other), BRUTE)


def matched(people: list[dict[str, Any]], one: Iterable[str], other: Iterable[str]) -> Fraction:
    """How many people does a holder of `one` match with a holder of `other`, on average over who could be whom?

    A world pairs the records of both holders so that the pairs of cells are those of the release; all are as likely.
    The best reader names, for each record of `one`, the record of `other` that is its own in most worlds.
    """
    have = [tuple(tuple(cells[name] for name in names) for names in (one, other)) for cells in people]
    truth = Counter(have)
    worlds = [
        order
        for order in permutations(range(len(have)))
        if Counter((have[i][0], have[j][1]) for i, j in enumerate(order)) == truth
    ]
    right = sum(max(sum(order[i] == j for order in worlds) for j in range(len(have))) for i in range(len(have)))
    return Fraction(right, len(worlds) * len(have))


def inference(measure: sl.Inference, release: sl.Release) -> Vouched:
    """How many are guessed right by the most frequent value among those who say the same."""
    people = people_of(release)
    known = [column.name for column in release.groups.columns] if measure.columns is None else list(measure.columns)
    guessed = [cells[measure.secret] if measure.secret else value for cells, value in people]
    right = sum(max(Counter(guessed[place] for place in group).values()) for group in groups_by(people, known))
    return Vouched(Fraction(right, len(people)), BRUTE)


# --- what somebody may know ----------------------------------------------------------------------------------------


def asked_about(measure: Any, release: sl.Release) -> Iterator[tuple[sl.Release, Any]]:
    """Give the values in question, each with the release as it looks to whoever is after it.

    Any of several values is one value there: whoever has one of them; in sets as many people as could have one.
    """
    chosen = measure.value
    if chosen is None:
        yield from ((release, value) for value in release.domain if value not in measure.apart_from)
    elif isinstance(chosen, str):
        yield release, chosen
    else:
        members, name = set(chosen.values), str(chosen)
        bags = []
        for size, bag in zip(sizes_of(release), bags_of(release), strict=True):
            together = sum(bag[value] for value in members)
            bags.append(
                {**without(bag, members), name: min(size, together) if release.semantics == "set" else together}
            )
        yield sl.Release.from_counts(bags, sizes=sizes_of(release), values=release.semantics), name


def worst_of(measure: Any, release: sl.Release, one: Callable[[sl.Release, Any], Vouched | None]) -> Vouched | None:
    """Give the worst over the values in question; None where one of them cannot be told."""
    answers = [one(seen, value) for seen, value in asked_about(measure, release)]
    if any(each is None for each in answers):
        return None
    known = [each for each in answers if each is not None]
    by = BRUTE if all(each.by == BRUTE for each in known) else DEFINITION
    return Vouched(max((each.value for each in known), default=Fraction(0)), by)  # type: ignore[type-var]


_REMEMBERED: dict[tuple[Any, ...], Fraction] = {}


def remembered(worst: Callable[[sl.Release, int, Any], Fraction], release: sl.Release, k: int, value: Any) -> Fraction:
    """Go through the worlds of a release once for each amount and value: several measures ask for the same."""
    groups = release.groups
    counts = groups.counts.dense()
    key = (worst, release.semantics, groups.domain, groups.sizes.tobytes(), counts.tobytes(), k, value)
    if key not in _REMEMBERED:
        _REMEMBERED[key] = worst(release, k, value)
    return _REMEMBERED[key]


def implications(measure: sl.Implications, release: sl.Release) -> Vouched | None:
    """Every set of k implications; in larger groups the product of the paper's formulas over all partitions."""

    def one(seen: sl.Release, value: Any) -> Vouched | None:
        if worlds_in(seen) <= FEW_WORLDS[seen.semantics] and value is not None:
            return Vouched(remembered(worst_implications_with_one_conclusion, seen, measure.k, value), BRUTE)
        single = seen.semantics == "single" and value is not None
        return Vouched(by_partitions(seen, measure.k, value), DEFINITION) if single else None

    return worst_of(measure, release, one)


def partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a falling sum of parts of at most `most`."""
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def all_lack(size: int, people: Iterable[int]) -> Fraction:
    """Give the probability that one person after the other has none of so many values' occurrences."""
    return prod((Fraction(max(size - i - known, 0), size - i) for i, known in enumerate(people)), start=Fraction(1))


def least_without_target(size: int, counts: list[int], atoms: int) -> Fraction:
    """f(j): all partitions of at most j into at most n parts."""
    ways = [way for total in range(atoms + 1) for way in partitions(total, total) if len(way) <= size]
    return min(all_lack(size, [sum(counts[:part]) for part in way]) for way in ways)


def least_with_target(size: int, counts: list[int], own: int, further: int) -> Fraction:
    """n/n(σ)·f^σ(j): all a, all partitions of at most j − a with parts of at most a + 1."""
    others = sorted(counts, reverse=True)
    others.remove(own)
    tried = []
    for besides in range(min(further, len(others)) + 1):
        mine = sorted([own, *others[:besides]], reverse=True)
        for total in range(further - besides + 1):
            tried += [
                all_lack(size, [sum(mine), *(sum(mine[:part]) for part in way)])
                for way in partitions(total, besides + 1)
                if len(way) < size
            ]
    return Fraction(size, own) * min(tried)


def by_partitions(release: sl.Release, k: int, value: str | None) -> Fraction:
    """Implications: the product over all groups, every group's every probability; no value means any."""
    table = []
    for size, bag in zip(sizes_of(release), bags_of(release), strict=True):
        sort_by_frequency = sorted(bag.values(), reverse=True)
        own = sort_by_frequency[0] if value is None else bag[value]
        others = [least_without_target(size, sort_by_frequency, h) for h in range(k + 1)]
        targets = [least_with_target(size, sort_by_frequency, own, h) for h in range(k + 1)] if own else []
        table.append((others, targets))
    best = {(0, False): Fraction(1)}
    for others, targets in table:
        before, best = best, {}
        for (atoms, placed), so_far in before.items():
            options = [(h, placed, others[h]) for h in range(k - atoms + 1)]
            options += [(h, True, targets[h]) for h in range(k - atoms + 1) if targets and not placed]
            for h, now, here in options:
                state = (atoms + h, now)
                best[state] = min(best.get(state, so_far * here), so_far * here)
    return 1 / (1 + best[k, True]) if (k, True) in best else Fraction(0)


def negations(measure: sl.Negations, release: sl.Release) -> Vouched | None:
    """Every set of k negations; else the value's share of those without the k most frequent other values."""

    def one(seen: sl.Release, value: Any) -> Vouched | None:
        if worlds_in(seen) <= FEW_WORLDS[seen.semantics] and value is not None:
            return Vouched(remembered(worst_negations, seen, measure.k, value), BRUTE)
        if seen.semantics != "single":
            return Vouched(_spread(seen, value, 0, measure.k, 0), DEFINITION)
        risks = []
        for size, bag in zip(sizes_of(seen), bags_of(seen), strict=True):
            gone = sum(sorted(without(bag, [value]).values(), reverse=True)[: measure.k])
            risks += [Fraction(bag[value], size - gone)] if bag[value] else []
        return Vouched(max(risks, default=Fraction(0)), DEFINITION)

    return worst_of(measure, release, one)


def acquaintance(measure: sl.Acquaintance, release: sl.Release) -> Vouched | None:
    """Every target and everything she may know; else people spread over the groups in every way."""
    amounts = (measure.rules_out, measure.others, measure.family)

    def one(seen: sl.Release, value: Any) -> Vouched | None:
        if worlds_in(seen) <= 200:
            names = ("rules_out", "others", "family")
            return Vouched(worst_acquaintance(seen, value, **dict(zip(names, amounts, strict=True))), BRUTE)
        return Vouched(_spread(seen, value, *amounts), DEFINITION)

    return worst_of(measure, release, one)


def _spread(release: sl.Release, value: Any, rules_out: int, others: int, family: int) -> Fraction:
    risks = worst_acquaintance_over_groups(release.groups, rules_out=rules_out, others=others, family=family)
    return Fraction(risks[release.domain.index(value)])


def disclosure_cost(measure: sl.DisclosureCost, release: sl.Release) -> Vouched | None:
    """The weight of a value times the worst that somebody can do about it."""
    costs, by = [Fraction(0)], BRUTE
    for value in release.domain:
        weight = Fraction(str(measure.weights.get(value, measure.otherwise)))
        adversary = (sl.Negations if measure.knows == "negations" else sl.Implications)(measure.k, value)
        answer = None if value is None else vouched(adversary, release)
        if answer is None:
            return None
        by = by if answer.by == BRUTE else DEFINITION
        costs.append(weight * answer.value)  # type: ignore[operator]
    return Vouched(max(costs), by)


def cheapest_knowledge(measure: sl.CheapestKnowledge, release: sl.Release) -> Vouched | None:
    """Sets of implications by what they cost, from the cheapest on."""
    too_many = worlds_in(release) > 60 or release.size * len(release.domain) > 12
    if too_many or not (measure.value is None or isinstance(measure.value, str)):
        return None
    targets = [value for _, value in asked_about(measure, release)]
    prices = {value: Fraction(str(price)) for value, price in dict(measure.prices or {}).items()}
    price = cheapest_implications(
        release,
        Fraction(str(measure.reach)),
        lambda value: prices.get(value, Fraction(str(measure.otherwise))),
        targets,
    )
    return Vouched(math.inf if price is None else price, BRUTE)


# --- what somebody believed before ---------------------------------------------------------------------------------


def prior_belief(measure: sl.PriorBelief, release: sl.Release) -> Vouched | None:
    """Every sequence of values by how likely the prior makes it; in larger groups the formulas of the docstring."""
    if measure.decided_by != "definition" or measure.by is not None or measure.wishes is not None:
        return None
    if measure.stubbornness == math.inf and measure.shape is None:
        return Vouched(math.inf, DEFINITION)  # class IV: whoever believes anything is moved by nothing
    value_sets = (
        [{value} for value in release.domain if value not in measure.apart_from]
        if not measure.predicates
        else [{value for value in release.domain if each.covers(value)} for each in measure.predicates]
        if not isinstance(measure.predicates, str)
        else [set(each) for n in range(1, len(release.domain)) for each in combinations(release.domain, n)]
    )
    parameters = list(_priors(measure, release))
    small = all(size < 8 and len(release.domain) ** size <= 250 for size in sizes_of(release))
    if small and all(isinstance(each, Mapping) or measure.stubbornness == math.inf for each in parameters):
        chances = [_chance(measure, each) for each in parameters]
        answers = [_by_sequences(measure, release, value_sets, chance) for chance in chances]
        return Vouched(max(answers, default=Fraction(1)), BRUTE)
    if measure.rules_out:
        return None
    return Vouched(max(_by_formula(measure, release, value_sets, each) for each in parameters), DEFINITION)


def _priors(measure: sl.PriorBelief, release: sl.Release) -> Iterator[Any]:
    """Give the parameters of each prior that has to be tried: a mapping, or the stubbornness of whoever may believe anything."""
    domain, used = release.domain, release.groups.whole.tolist()
    if measure.counts is not None:
        yield {value: Fraction(measure.counts[value]) for value in domain}
        return
    if measure.shape is None:
        yield Fraction(str(measure.stubbornness))
        return
    weights = {
        "uniform": dict.fromkeys(domain, Fraction(1)),
        "release": dict(zip(domain, map(Fraction, used), strict=True)),
    }.get(measure.shape if isinstance(measure.shape, str) else "", measure.shape)
    total = sum(map(Fraction, weights.values()))
    shares = {value: Fraction(weights[value]) / total for value in domain}
    if measure.stubbornness == math.inf:
        yield shares
        return
    most = Fraction(str(measure.stubbornness))
    least = 1 / min(shares[value] for value, count in zip(domain, used, strict=True) if count)
    if measure.least_stubbornness is not None:
        least = most if measure.least_stubbornness == "same" else Fraction(str(measure.least_stubbornness))
    for sure in {least, most}:
        yield {value: share * sure for value, share in shares.items()}


def _chance(measure: sl.PriorBelief, parameters: Any) -> Any:
    return independent_prior(parameters) if measure.stubbornness == math.inf else dirichlet_prior(parameters)


def _by_sequences(measure: sl.PriorBelief, release: sl.Release, value_sets: list[set[Any]], chance: Any) -> Exact:
    answers: list[Exact] = [Fraction(1)]
    for bag in bags_of(release):
        for values in value_sets:
            others = [value for value in release.domain if value not in values]
            for number in range(measure.rules_out + 1):
                for gone in combinations(others, number):
                    epsilon = smallest_epsilon_of_group(
                        bag,
                        release.domain,
                        values.__contains__,
                        prior=chance,
                        known=measure.known_people,
                        ruled_out=gone,
                    )
                    answers += [] if epsilon is None else [epsilon]
    return max(answers)


def _by_formula(measure: sl.PriorBelief, release: sl.Release, value_sets: list[set[Any]], parameters: Any) -> Exact:
    ratios: list[Exact] = [Fraction(1)]
    for bag in bags_of(release):
        people = sum(bag.values())
        for values in value_sets:
            with_it = sum(bag[value] for value in values)
            if with_it == 0:
                continue
            own, total = (
                (sum(parameters[value] for value in values), sum(parameters.values()))
                if isinstance(parameters, Mapping)
                else (Fraction(len(values)), parameters)
            )
            p_in = Fraction(with_it, people - min(measure.known_people, people - with_it))
            p_out = own if measure.stubbornness == math.inf else Fraction(with_it + own - 1) / (people + total - 1)
            if p_in < 1:
                ratios.append(max(p_in / p_out, (1 - p_out) / (1 - p_in)))
            else:
                ratios.append(math.inf if p_out < 1 else Fraction(1))
    return max(ratios)


def numeric_belief(measure: sl.NumericBelief, release: sl.Release) -> Vouched | None:
    """Person by person, with SciPy's normal law."""
    if measure.family != "normal":
        return None
    numbers = dict(measure.numbers or {value: value for value in release.domain})
    sure, mean, spread = float(measure.stubbornness), float(measure.expects), float(measure.spread)
    within, worst = float(measure.within), 1.0
    for bag in bags_of(release):
        people = [float(Fraction(str(numbers[value]))) for value, count in bag.items() for _ in range(count)]
        for place, own in enumerate(people):
            others = people[:place] + people[place + 1 :]
            near = sum(abs(each - own) <= within for each in people)
            p_in = near / (len(people) - min(measure.known_people, len(people) - near))
            moved = math.isinf(sure)
            centre = mean if moved else (mean * sure + sum(others)) / (sure + len(others))
            width = spread if moved else spread * math.sqrt(1 + 1 / (sure + len(others)))
            p_out = stats.norm.cdf(own + within, centre, width) - stats.norm.cdf(own - within, centre, width)
            worst = max(worst, math.inf if p_in == 1 else max(p_in / p_out, (1 - p_out) / (1 - p_in)))
    return Vouched(around(worst), DEFINITION)


# --- what would be left, what a statistician believes --------------------------------------------------------------


def expected_candidates(measure: sl.ExpectedCandidates, release: sl.Release) -> Vouched | None:
    """The mean over every second group, weighed by Pólya's urn, for whoever is left fewest."""
    whole, bags = release.groups.whole.tolist(), [list(bag.values()) for bag in bags_of(release)]
    if max(map(sum, bags)) > 13:
        return None
    left = [mean_candidates(counts, whole, measure.borrowed) for counts in bags]
    return Vouched(min((each for each in left if each is not None), default=Fraction(1)), BRUTE)


def mean_candidates(counts: list[int], whole: list[int], borrowed: int) -> Fraction | None:
    """Go through every second group of somebody, for the value that leaves fewest on average; None where nobody has any."""
    drawn, worst = sum(counts) - 1, None
    for own in (place for place, count in enumerate(counts) if count):
        others = [count - (place == own) for place, count in enumerate(counts)]
        weights = [Fraction(borrowed * n, sum(whole)) + count for n, count in zip(whole, others, strict=True)]
        mean = Fraction(0)
        for second in compositions(drawn, len(counts)):
            chance = Fraction(factorial(drawn) // prod(map(factorial, second)))
            for weight, times in zip(weights, second, strict=True):
                chance *= prod((weight + t for t in range(times)), start=Fraction(1))
            chance /= prod((borrowed + drawn + t for t in range(drawn)), start=Fraction(1))
            mean += chance * sum(1 for at, n in enumerate(counts) if n and (at == own or second[at]))
        worst = mean if worst is None else min(worst, mean)
    return worst


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to share a number among some places."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def maximum_entropy(measure: sl.MaxEnt, release: sl.Release) -> Vouched | None:
    """Who knows nothing believes in shares: those of the group, of its people."""
    if measure.knowing or measure.rules != (0, 0) or release.members is not None:
        return None
    shares = [
        Fraction(count, size)
        for size, bag in zip(sizes_of(release), bags_of(release), strict=True)
        for value, count in bag.items()
        if value not in measure.apart_from
    ]
    return Vouched(max(shares, default=Fraction(0)), DEFINITION)


TWINS: dict[type, Callable[[Any, sl.Release], Vouched | None]] = {
    sl.GroupSize: group_size,
    sl.DistinctValues: distinct_values,
    sl.EntropyDiversity: entropy_diversity,
    sl.RecursiveDiversity: recursive_diversity,
    sl.Closeness: closeness,
    sl.BetaLikeness: beta_likeness,
    sl.DeltaDisclosure: delta_disclosure,
    sl.ProsecutorRisk: size_risk,
    sl.JournalistRisk: size_risk,
    sl.MarketerRisk: lambda measure, release: _risk("marketer", measure, release),
    sl.Presence: lambda measure, release: _risk("presence", measure, release),
    sl.Absence: lambda measure, release: _risk("absence", measure, release),
    sl.UniqueMatch: unique_match,
    sl.IndividualRisk: individual_risk,
    sl.Dominance: sums,
    sl.Remainder: sums,
    sl.SinglingOut: singling_out,
    sl.Linkability: linkability,
    sl.Inference: inference,
    sl.Implications: implications,
    sl.Negations: negations,
    sl.Acquaintance: acquaintance,
    sl.DisclosureCost: disclosure_cost,
    sl.CheapestKnowledge: cheapest_knowledge,
    sl.PriorBelief: prior_belief,
    sl.NumericBelief: numeric_belief,
    sl.ExpectedCandidates: expected_candidates,
    sl.MaxEnt: maximum_entropy,
}
"""By the class of the measure; those that are not here are vouched for by their own code, or by a paper."""
