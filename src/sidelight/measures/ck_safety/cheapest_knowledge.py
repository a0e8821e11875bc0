"""How much does the cheapest knowledge cost that makes an attacker certain, or nearly so?

    min over people p, values s and implications φ with Pr(p has s | release, φ) ≥ c of  the price of φ

The price of an implication is that of its cheapest premise "a person has v", q(v).  Where every fact costs 1, it is the
smallest k for which `Implications(k)` reaches c.

Form        As with k implications: for any φ, taking A → (the target has s) for one premise A of each implication costs
            no more and discloses no less, because a world in which no chosen premise holds fits φ.
Objective   1/(1 + r) ≥ c, r as in MINIMIZE2 (`minimize`) with prices in place of numbers of atoms.  What one
            group gives is below; a budget is spread over groups by the recurrence there.
Search      Budgets are doubled until one suffices; all smaller ones come with it.  The least that suffices in
            logarithms is checked in fractions, and the next one where it does not hold after all.
Merging     No knowledge gets cheaper.  A world of a merged group is a world of the two groups with the people assigned
            to their places at random, so the probability given φ in the merged group is a mean over such assignments,
            and one of them is at least as bad.  This holds for all knowledge whose price does not depend on who is who.
Cost        As below; it looks at a whole release at once.

Source: ours; Martin et al., Worst-case background knowledge, ICDE 2007, name cost-based disclosure as future work.

One group: how improbable can atoms of a given price make it that none of them holds, when some values cost more?

Symbols     q(v) > 0 the price of an atom "a person has v", a whole number; n(V) how many people have a value of the set
            V, q(V) its price; σ the target's value, which the target's own atom has for nothing.
Chains      Ask the i-th person of a group of n about the values V_i.  For two people and sets A, B, asking one about
            A ∪ B and the other about A ∩ B costs the same and is no more likely to come to nothing: whatever all others
            have, the two draw from m occurrences in (m − a)(m − b) − (m − n(A ∪ B)) ways that avoid A and B; a + b
            stays while a and b move apart.  So the best sets are a chain V₀ ⊇ V₁ ⊇ …, the target first, and none of the
            atoms holds with probability

                Π_i max(n − i − n(V_i), 0) / (n − i)        at the price  Σ_i q(V_i)  (less q(σ) with the target).

            Among values of one price the more frequent come first, so that V_i is its number of values of each price:
            its *kind*.  With one price for all there is one kind per number of values: MINIMIZE1.
Recurrence  G(i, κ, j) the least product for people from the i-th on, within kind κ and price j:

                G(i, κ, j) = min( G(i, κ − one value, j),  max(n − i − n(κ), 0)/(n − i) · G(i+1, κ, j − q(κ)) )

            f(j) = G(0, largest, j), and f^σ(j) = min over κ ∋ σ of (n − n(κ))/n · G(1, κ, j − q(κ) + q(σ)).
Invariant   Before the i-th person i·q(κ) is spent, so that states hold i·q(κ) + j ≤ J for a budget of J.
Cost        Σ_i (kinds of price up to J/i) × J, each for all groups at once.  Kinds are few where prices are; in general
            the question contains the knapsack problem, so there are limits (`MOST_KINDS`).

`PricedProgram` runs it in logarithms over all groups (`least_logs`), and in whole numbers for the few that decide.

Source: ours; Martin et al., Worst-case background knowledge, ICDE 2007, has the case of one price.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias, cast

import numpy as np

from sidelight.arrays import Floats, Integers, first_of_each, number_vectors
from sidelight.errors import BadMeasure, TooHard, as_given
from sidelight.measures.ck_safety.implications import Atom, ImplicationsWitness, nobody_shown
from sidelight.measures.ck_safety.minimize import (
    LOG_OF_ZERO,
    Choice,
    ImplicationsScreen,
    Weighed,
    avoid,
    best_assignment,
    choices_near_best,
    count_left,
    near_the_cut,
    probability_one,
)
from sidelight.measures.criterion import Amount, Bound, Finding, Witness
from sidelight.measures.exact import Numbers, join_all, tolerance
from sidelight.measures.measure import ROW, Attacker, Measure, Monotonicity, read
from sidelight.measures.targets import (
    NumberByValue,
    Predicate,
    Targeted,
    Targets,
    examples_of_targets,
    read_rate,
    read_rates,
    read_value,
)
from sidelight.rounding import exact_number, in_words, log
from sidelight.table.labels import Label, Semantics, shown

if TYPE_CHECKING:
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

MOST_KINDS = 2_000
"""The most kinds of sets that are compared: some seconds for ten thousand groups."""

SetKind: TypeAlias = tuple[int, ...]
"""How many values of each price a set has, the most frequent first; the last number says whether it has σ."""

Prices: TypeAlias = tuple[int, ...]


def list_kinds(price: int, prices: Prices, largest: SetKind) -> dict[SetKind, int]:
    """Return all kinds of sets within a price and the largest, with their prices, each after all kinds within it.

    `prices` are those of the values of each class; the last is that of σ, which the target has for nothing once.
    """
    listed: dict[SetKind, int] = {(): 0}
    for position, (own, most) in enumerate(zip(prices, largest, strict=True)):
        free = own if position == len(prices) - 1 else 0
        # the last number varies slowest, so that a kind stands after all kinds within it
        listed = {
            (*kind, many): cost + own * many
            for many in range(most + 1)
            for kind, cost in listed.items()
            if cost + (own - free) * many <= price
        }
        if len(listed) > MOST_KINDS:
            raise TooHard(
                f"with so many different prices there are more than {MOST_KINDS:,} kinds of knowledge to weigh; "
                "give fewer different prices, or a lower 'reach'"
            )
    return listed


def smaller_kinds(kind: SetKind) -> list[SetKind]:
    """Return the kinds with one value less."""
    return [(*kind[:index], many - 1, *kind[index + 1 :]) for index, many in enumerate(kind) if many]


@dataclass(frozen=True, eq=False)
class PricedGroups:
    """The counts of groups that prices need, one row each: by class in falling order, and the target's."""

    sizes: Integers
    counts: tuple[Integers, ...]  # for each class a row per group, in falling order
    target: Integers  # how often σ occurs; it is not among the counts.  0 where nobody has it
    prices: Prices  # of the classes, and of σ

    def take(self, rows: Integers | slice) -> PricedGroups:
        return PricedGroups(self.sizes[rows], tuple(each[rows] for each in self.counts), self.target[rows], self.prices)

    def take_one(self, row: int) -> PricedGroups:
        """Return one group alone, without the values that nobody of it has."""
        group = self.take(slice(row, row + 1))
        return replace(group, counts=tuple(each[:, : np.count_nonzero(each)] for each in group.counts))

    def rows(self) -> Integers:
        """Return all numbers of the groups side by side: (groups, numbers) int64."""
        return np.column_stack((self.sizes, *self.counts, self.target))

    @property
    def largest(self) -> SetKind:
        """How many values of each class there are, and whether anybody has σ."""
        return (*(each.shape[1] for each in self.counts), int(self.target.any()))

    @cached_property
    def sums(self) -> tuple[Integers, ...]:
        """How many people have one of the a most frequent values of a class: a row per group, a column per a."""
        return tuple(np.cumsum(np.pad(each, ((0, 0), (1, 0))), axis=1) for each in self.counts)


class Purchase(NamedTuple):
    """The facts that are bought about a group: the least product, and the kinds of the sets of its people."""

    product: Fraction
    kinds: tuple[SetKind, ...] = ()  # the first person's first
    target_class: int | None = None  # the class of the target's value, where the target is here
    row: int = 0


@dataclass(frozen=True, eq=False)
class PricedProgram:
    """The recurrence for some groups (columns) within a budget, in logarithms or, `exact`, in whole numbers.

    States of a person are G(i, κ, ·) by kind: (prices, groups) each.  In whole numbers what is held of G(i, κ, j) is
    G(i, κ, j) · Π_{i ≤ p < people} (n − p).
    """

    groups: PricedGroups
    budget: int
    target: bool
    exact: bool = False

    @cached_property
    def prices(self) -> dict[SetKind, int]:
        """All kinds within the budget with their prices, those within a kind before it."""
        largest = self.groups.largest if self.target else (*self.groups.largest[:-1], 0)
        return list_kinds(self.budget, self.groups.prices, largest)

    @cached_property
    def holders(self) -> dict[SetKind, Integers]:
        """n(κ)."""
        sums, target = self.groups.sums, self.groups.target
        parts = {kind: [each[:, many] for each, many in zip(sums, kind, strict=False)] for kind in self.prices}
        return {kind: np.sum([*people, kind[-1] * target], axis=0) for kind, people in parts.items()}

    @cached_property
    def scale(self) -> list[Numbers]:
        """What stands for probability 1 from each person on, up to the last whom a fact can be about."""
        # each person who is asked about anything costs at least the cheapest kind
        cheapest = min((price for kind, price in self.prices.items() if any(kind)), default=self.budget + 1)
        return probability_one(self.groups.sizes, self.budget // cheapest + 1, exact=self.exact)

    def ask(self, person: int, kind: SetKind, rest: Numbers) -> Numbers:
        """Multiply by the probability that the i-th person has no value of a set of this kind."""
        probability = avoid(count_left(self.groups.sizes, person), self.holders[kind], exact=self.exact)
        return probability * rest if self.exact else probability + rest

    def people(self) -> Iterator[tuple[int, dict[SetKind, Numbers]]]:
        """Yield the states of each person but the target, from the last to the first."""
        later: dict[SetKind, Numbers] = {}
        for person in range(len(self.scale) - 1, int(self.target) - 1, -1):
            now: dict[SetKind, Numbers] = {}
            for kind, price in self.prices.items():
                # invariant: before the i-th person i·q(κ) is gone, but for the σ that the target has for nothing
                left = self.budget - person * price + kind[-1] * self.groups.prices[-1]
                if left >= 0:
                    # kinds with one value less have the least of all kinds within them already
                    smaller = [now[each][: left + 1] for each in smaller_kinds(kind)]
                    now[kind] = np.min(smaller or [np.tile(self.scale[person], (left + 1, 1))], axis=0)
                    if price and kind in later:  # asking about nothing is the same as asking nobody
                        best = now[kind][price:]
                        np.minimum(best, self.ask(person, kind, later[kind]), out=best)
            yield person, now
            later = now

    def least(self) -> Numbers:
        """Return f(j), or with the target what is held of f^σ(j), for j = 0 … budget: (prices, groups)."""
        for _, states in self.people():
            first = states
        least: Numbers
        if not self.target:
            least = np.minimum.reduce([*first.values()])
            return least
        least = np.full((self.budget + 1, len(self.groups.sizes)), np.inf, object if self.exact else float)
        for kind, rest in first.items():
            if kind[-1]:  # what such a kind costs is within the budget, and its states are for all that is left of it
                best = least[self.prices[kind] - self.groups.prices[-1] :]
                np.minimum(best, self.ask(0, kind, rest), out=best)
        return least

    def product(self, state: int) -> Fraction:
        """Compute f or, with the target, n/n(σ)·f^σ of the one group from what is held of it."""
        size, target = (self.groups.sizes[0], self.groups.target[0]) if self.target else (1, 1)
        return Fraction(state * int(size), self.scale[0][0] * int(target))

    def buy(self) -> Purchase:
        """Follow the recurrence of one group from the whole budget down; of equal products the smallest kind."""
        states = {person: {kind: each[:, 0] for kind, each in own.items()} for person, own in self.people()}
        person, left, kinds = int(self.target), self.budget, list[SetKind]()
        within, first = (*self.groups.largest[:-1], 0), states[person]
        least = min(rest[-1] for rest in first.values())
        if self.target:
            least, within = min((self.ask(0, kind, rest[-1:])[0], kind) for kind, rest in first.items() if kind[-1])
            kinds, left = [within], left - self.prices[within] + self.groups.prices[-1]
        # once one of the atoms must hold, nobody else need be asked
        while not kinds or self.ask(person - 1, kinds[-1], np.ones(1, object))[0]:
            options: list[tuple[int, SetKind]] = [(self.scale[person][0], ())]
            for kind, price in self.prices.items():
                if any(kind) and price <= left and all(own <= most for own, most in zip(kind, within, strict=True)):
                    at = left - price
                    options.append((self.ask(person, kind, states[person + 1][kind][at : at + 1])[0], kind))
            _, within = min(options)
            if not within:
                break
            kinds.append(within)
            person, left = person + 1, left - self.prices[within]
        return Purchase(self.product(least), tuple(kinds))


def least_logs(groups: PricedGroups, budget: int, *, target: bool) -> Floats:
    """Return ln f(j), or with the target ln n/n(σ)·f^σ(j) (infinite without σ), for j = 0 … budget; columns groups."""
    step = 2048  # groups whose states are held at once
    blocks = (groups.take(slice(start, start + step)) for start in range(0, len(groups.sizes), step))
    logs: Floats = np.hstack([PricedProgram(block, budget, target).least() for block in blocks])
    if target:
        logs += np.log(groups.sizes / np.maximum(groups.target, 1))
        logs[:, groups.target == 0] = np.inf
    return logs


@dataclass(frozen=True)
class CheapestKnowledge(Targeted):
    """What is the least that knowledge costs which makes somebody's value at least this sure?

    `reach` is the confidence; knowledge is implications, as in `Implications`.  Each costs the price of its premise's
    value in `prices`, or `otherwise`.  Without prices every implication costs 1, and the value is the
    smallest k for which `Implications(k)` reaches that much.  About all values, one `value`, or all `apart_from` some.

    >>> ward = Release.from_counts([{"AIDS": 1, "Flu": 4, "Cold": 5}])
    >>> CheapestKnowledge(0.9).measure(ward).value
    Fraction(2, 1)
    >>> finding = CheapestKnowledge(0.95, prices={"AIDS": 10, "Cold": 3}).measure(ward)
    >>> finding.value, finding.witness.value, finding.replay(ward)
    (Fraction(4, 1), 'AIDS', Fraction(4, 1))
    >>> print(finding.explain())  # doctest: +NORMALIZE_WHITESPACE
    For 4 somebody could know that, if the target has Cold or Flu, the target has AIDS; in group 1 anyone, the target,
    then has AIDS with probability 1.

    Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-case background knowledge, ICDE 2007 (future work).
    """

    reach: Bound = field(metadata=read(partial(exact_number, error=BadMeasure, name="reach=")))
    prices: Mapping[str, Bound] | Mapping[Label, Bound] | None = field(
        default=None,
        metadata=read(lambda prices: read_rates("prices", prices, above=0) or None, hint=Mapping[str, float] | None),
    )
    otherwise: Bound = field(default=1, metadata=read(partial(read_rate, "otherwise", above=0)))
    value: str | None = field(default=None, metadata=read(read_value))

    name: ClassVar[str] = "cheapest knowledge"
    attacker = Attacker("somebody who buys facts", ROW, "what it costs to become that sure", "facts")
    large_is_bad: ClassVar[bool] = False
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    mergeable: ClassVar[bool] = False
    when_groups_merge = Monotonicity.NON_DECREASING

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.reach <= 1:
            raise BadMeasure(f"'{self.name}' has reach={as_given(self.reach)}; give a probability above 0, at most 1")
        if isinstance(self.targets.value, Predicate):
            raise BadMeasure(f"'{self.name}' is about one value or all; give one, or leave others out with apart_from=")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        prices = {value: Fraction(1 + index % 3, 2) for index, value in enumerate(domain)}
        targets = [each for each in examples_of_targets(domain) if not isinstance(each.get("value"), tuple)]
        reaches = (Fraction(9, 10), 1, Fraction(1, 2))
        return tuple(cls(reaches[at], known, **each) for at, each in enumerate(targets) for known in ({}, prices))

    @property
    def tariff(self) -> tuple[NumberByValue, Fraction]:
        """The prices, and the price of values that are not named."""
        return cast("NumberByValue", self.prices or NumberByValue()), Fraction(self.otherwise)

    def check(self, release: Release) -> None:
        super().check(release)
        self.tariff[0].check(release.domain)

    def measure(self, release: Release) -> Finding:
        self.check(release)
        market = Market.from_groups(self, release.groups.sort_by_number())
        if not any(each.target.any() for _, each in market.targets):
            return Finding(self, math.inf, None, (self.targets.nobody(),))
        assert isinstance(self.reach, Fraction)
        budget, witness = market.cheapest(self.reach)
        return Finding(self, budget * market.unit, witness)

    def explain(self, finding: Finding) -> str:
        known = finding.witness
        if not isinstance(known, PricedWitness):
            return nobody_shown(finding)
        value, sure = shown(known.value), in_words(known.probability)
        if not known.premises():
            return (
                f"It costs nothing: in {known.group} anyone has {value} with probability {sure}, as the release says."
            )
        return (
            f"For {in_words(finding.value, large_is_bad=False)} somebody could know {known.describe_knowledge()}; "
            f"in {known.group} anyone, the target, then has {value} with probability {sure}."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Add up the prices, and count worlds to check the confidence: infinite where it is below `reach`."""
        assert isinstance(witness, PricedWitness)
        prices, otherwise = self.tariff
        price = sum((prices.rate(each.premise.value, otherwise) for each in witness.implications), Fraction(0))
        return price if witness.posterior(release) >= self.reach else math.inf


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PricedWitness(ImplicationsWitness):
    """The implications that are bought, and the probability of the target given them."""

    probability: Fraction = Fraction(0)


@dataclass(frozen=True, eq=False)
class Market:
    """Groups with prices in whole units: without the target, and with a target of each class of prices."""

    groups: Groups
    unit: Fraction
    classes: tuple[tuple[int, ...], ...]  # indices of the values of one price, the dearest first
    others: PricedGroups
    targets: tuple[tuple[int, PricedGroups], ...]  # the class of the target's value, and the groups without it
    may_be: frozenset[int]  # indices of the values in question

    @classmethod
    def from_groups(cls, measure: CheapestKnowledge, groups: Groups) -> Market:
        """Build from groups: values sorted by price, and counts by frequency."""
        prices_by_value, otherwise = measure.tariff
        by_price = prices_by_value.classes(groups.domain, otherwise)
        # prices become whole numbers of a common unit, so that budgets can number the rows of arrays
        scale = math.lcm(*(price.denominator for price in by_price))
        unit = Fraction(math.gcd(*(int(price * scale) for price in by_price)), scale)
        prices = tuple(int(price / unit) for price in by_price)
        classes, may_be = tuple(by_price.values()), measure.targets.indices(groups)
        targets = [
            (own, _price_groups(groups, classes, prices, own, may_be))
            for own, indices in enumerate(classes)
            if not set(indices).isdisjoint(may_be.tolist())
        ]
        others = _price_groups(groups, classes, prices, None, may_be)
        return cls(groups, unit, classes, others, tuple(targets), frozenset(may_be.tolist()))

    def take(self, rows: Integers) -> Market:
        targets = tuple((own, each.take(rows)) for own, each in self.targets)
        return replace(self, groups=self.groups.take(rows), others=self.others.take(rows), targets=targets)

    def cheapest(self, reach: Fraction) -> tuple[int, PricedWitness]:
        """Find the least budget that reaches this confidence, and the facts to buy for it."""
        # certain: all other values of a target, or all values of a person in a group without the target's value
        costs = [
            sum(price * np.count_nonzero(own, axis=1) for price, own in zip(each.prices, each.counts, strict=False))
            for _, each in self.targets
        ]
        enough, budget = int(np.min(costs)), 4
        kinds = np.column_stack([self.others.rows(), *(each.rows() for _, each in self.targets)])
        # doubled: all tries together cost little more than the last, and none exceeds what suffices for certain
        while True:
            within = min(budget, enough)
            if within > 400:  # units of price; time and memory grow with the square of the budget
                raise TooHard(
                    f"knowledge that makes this sure costs more than {budget // 2} times {self.unit}, the unit of all "
                    "prices, which is too much to weigh; give a lower 'reach', or prices in larger steps"
                )
            # at most `within` groups besides the target's take part, so more of one kind are not needed
            market = self.take(first_of_each(kinds, within + 2))
            targets = [least_logs(each, within, target=True) for _, each in market.targets]
            logs = np.stack((least_logs(market.others, within, target=False), np.minimum.reduce(targets)))
            rows = _taking_part(logs)
            sufficient = market.take(rows).least_sufficient(logs[:, :, rows], reach)
            if sufficient is not None:
                return sufficient
            budget *= 2

    def least_sufficient(self, logs: Floats, reach: Fraction) -> tuple[int, PricedWitness] | None:
        """Try the budgets that may suffice, from the least on; `logs`: (2, budgets, groups) as in MINIMIZE2."""
        screen = ImplicationsScreen(logs.shape[1] - 1, Targets())
        least = join_all(screen, np.concatenate(logs).T)[0, logs.shape[1] :]
        # 1/(1 + r) ≥ c where ln r ≤ ln((1 − c)/c); certainty takes a product of 0
        limit = float(log((1 - reach) / reach)) if reach < 1 else LOG_OF_ZERO / 2
        # floats propose budgets, within tolerance and the least first; fractions decide
        for budget in np.flatnonzero(least <= limit + tolerance(limit)).tolist():
            if least[budget] < LOG_OF_ZERO / 2:
                choices = self._certain(logs[:, budget], budget)
            else:  # exactly, over the choices that logarithms leave
                weighed = self._weigh(choices_near_best(logs[:, : budget + 1]))
                choices = [*best_assignment(weighed, budget)[1]]
            purchases = [self._buy(choice) for choice in choices]
            # the target first, so that what is known of it is named first
            purchases.sort(key=lambda each: each.target_class is None)
            probability = 1 / (1 + math.prod((each.product for each in purchases), start=Fraction(1)))
            if probability >= reach:
                return budget, replace(self._write_witness(purchases), probability=probability)
        return None

    def _views(self, choice: Choice) -> dict[int | None, PricedGroups]:
        """Return the groups for each class of targets that a choice may be of, or those without a target."""
        if not choice.target:
            return {None: self.others}
        return {own: each for own, each in self.targets if each.target[choice.group]}

    def _weigh(self, choices: list[Choice]) -> Weighed:
        """Compute the choices' exact products, all prices of a group at once and equal groups only once."""
        weighed: Weighed = {}
        for own, groups in ((None, self.others), *self.targets):
            kind, first = number_vectors(groups.rows())
            placed = [(choice, int(first[kind[choice.group]])) for choice in choices if own in self._views(choice)]
            # one run of the program has all smaller budgets too, so each group is run once, with its largest
            largest: dict[int, int] = {}
            for choice, row in placed:
                largest[row] = max(largest.get(row, 0), choice.atoms)
            programs = {row: _program(groups, row, most, target=own is not None) for row, most in largest.items()}
            least = {row: program.least()[:, 0] for row, program in programs.items()}
            for choice, row in placed:
                product = programs[row].product(least[row][choice.atoms])
                weighed[choice] = min(product, weighed.get(choice, product))
        return {choice: weighed[choice] for choice in choices}

    def _certain(self, logs: Floats, budget: int) -> list[Choice]:
        others, targets = (np.flatnonzero(each < LOG_OF_ZERO / 2).tolist() for each in logs)
        if targets:
            return [Choice(targets[0], budget, target=True)]
        target = next(row for row in range(len(self.groups)) if any(each.target[row] for _, each in self.targets))
        return [Choice(target, 0, target=True), Choice(others[0], budget, target=False)]

    def _buy(self, choice: Choice) -> Purchase:
        """Find the facts to buy about a group: with the target, of the class of values with the least product."""
        return min(
            _program(groups, choice.group, choice.atoms, target=choice.target)
            .buy()
            ._replace(target_class=own, row=choice.group)
            for own, groups in self._views(choice).items()
        )

    def _write_witness(self, purchases: list[Purchase]) -> PricedWitness:
        """Return the witness of the purchases: the target's group first, then others."""
        name, value = self.groups.name(purchases[0].row), self.groups.domain[self._target_value(purchases[0])]
        premises = [premise for each in purchases for premise in self._atoms(each)]
        return PricedWitness.from_premises(name, value, premises, [self.groups.name(each.row) for each in purchases])

    def _target_value(self, sold: Purchase) -> int:
        """Return the index of the target's value: the most frequent one in question of its class."""
        assert sold.target_class is not None
        counts = self.groups.counts.row(sold.row)
        return max(self.may_be.intersection(self.classes[sold.target_class]), key=lambda index: (counts[index], -index))

    def _atoms(self, purchase: Purchase) -> list[Atom]:
        counts, number = self.groups.counts.row(purchase.row), self.groups.name(purchase.row).number
        own = None if purchase.target_class is None else self._target_value(purchase)
        frequent = [
            sorted((index for index in indices if index != own), key=lambda index: -counts[index])
            for indices in self.classes
        ]
        return [
            Atom((number, position), self.groups.domain[index])
            for position, kind in enumerate(purchase.kinds)
            for index in (
                *(() if own is None or not kind[-1] else (own,)),
                *(index for indices, many in zip(frequent, kind, strict=False) for index in indices[:many]),
            )
        ]


def _program(groups: PricedGroups, row: int, budget: int, *, target: bool) -> PricedProgram:
    """Return the program of one group alone, in whole numbers."""
    return PricedProgram(groups.take_one(row), budget, target, exact=True)


def _taking_part(logs: Floats) -> Integers:
    """List the groups that may be used: at each price those with the least probabilities."""
    most = logs.shape[1] - 1
    # a group that gets j of J leaves J − j units, and at most so many others take part (as in MINIMIZE2)
    lists = [near_the_cut(logs[0, price], most - price + 2) for price in range(1, most + 1)]
    lists += [near_the_cut(logs[1, price], most - price + 1) for price in range(most + 1)]
    return np.unique(np.concatenate([rows for both in lists for rows in both]))


def _price_groups(
    groups: Groups, classes: tuple[tuple[int, ...], ...], prices: tuple[int, ...], own: int | None, may_be: Integers
) -> PricedGroups:
    """Sort the counts of each class; with a target of class `own`, its most frequent value in question is taken out."""
    counts = [groups.counts.only_values(np.array(indices)).largest(len(indices)) for indices in classes]
    target = np.zeros_like(groups.sizes)
    if own is not None:
        target = groups.counts.highest(np.intersect1d(classes[own], may_be))
        # the count of σ leaves the falling list: what stood behind it moves up by one
        before = (counts[own] > target[:, np.newaxis]).sum(axis=1, keepdims=True)
        left = np.arange(counts[own].shape[1] - 1) < before
        counts[own] = np.where(left, counts[own][:, :-1], counts[own][:, 1:])
    # columns that are 0 in all groups are cut off: there is nobody to ask about
    occurring = tuple(each[:, : int((each > 0).any(axis=0).sum())] for each in counts)
    return PricedGroups(groups.sizes, occurring, target, (*prices, prices[own] if own is not None else 0))
