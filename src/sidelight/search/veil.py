"""Choose the cuts that Mondrian looks at, and how many it leaves that pass, so that closed groups disclose nothing.

Attacker     knows the method and the policy, and counts all worlds alike that it would have turned into this release.
             A group that Mondrian closed because its cuts *fail* tells them who has what.
One look     In each group one cut is looked at, chosen by the group's counts and by how many people are on either
             side.  It fails: the group is closed.  It passes: the group is closed all the same with probability ρ, the
             veil, else cut.
Symbols      n people, n_s with value s; c = the limit on anybody's belief, n_s ≤ c·n; over random worlds of these
             counts F = Pr(the cut fails), p_s = Pr(a person on the worse side has s | it fails).

                 ρ/(1−ρ) = max_s F·(p_s − c)⁺ / (c − n_s/n)

             F = 0 and equal halves need no veil (swapping them shows p_s = n_s/n).  Where n_s = c·n nothing may move: a
             cut that could fail is not looked at, nor is one that must.
Invariant    Everybody's belief stays at most c.  What is looked at, F, p and ρ depend on the group's counts, which the
             release tells.  A made cut has probability 1 − ρ in every world in which the halves are as published: no
             news.  A closed group has likelihood 1 where its cut fails and ρ elsewhere, so the belief is

                 (ρ·n_s/n + (1−ρ)·F·p_s) / (ρ + (1−ρ)·F) ≤ c

             and groups are independent.  It falls as ρ rises, so any ρ that is rounded up will do.
Chance       is the operating system's, and neither kept nor published: to an attacker who knows the draws, a closed
             group is a failed cut again.
Not covered  Limits other than on sizes, shares and numbers of different values; attackers who know something of several
             people; priors far from random worlds.
Cost         Union bounds of all groups at once; where they say more than `negligible`, whole numbers up to
             `counted_exactly` people (`worlds/closed_forms`), floats rounded up beyond, once per pattern of counts.

Order        As in `mondrian_cuts`, which quasi-identifiers decide: the first cut that sizes allow and that has a veil
             ρ < 1 is the one that is looked at.  Which that is depends on the group's counts and on sizes, never on who
             has what.

Can one look per group, each behind its veil, have given this release?

A release that resists an insider keeps every belief within a limit, if it was made so; the claim may be mistaken.
Which cut a group looks at follows from its counts and from sizes (see above), so the tree follows from the
release:

Node      The people of some published groups, with their published counts added up.
Several   The cut that is looked at was made: so it parts no published group, and passes by the counts.
One       The group was closed: so its cut may fail, or was veiled.  One that passes in all worlds (F = 0) and has no
          veil would have been made; without a cut to look at the group is closed in any case.

Sound     What is refused has probability 0 for every assignment of values.  What is not refused can have come about so;
          that coins were tossed, and not known, nobody sees in a release.
Stand-in  Values are assigned to the lines of each group in any order: only sums over whole groups are ever looked at.
Cost      That of the search itself, a pass over the lines for each generation.

Source: ours; looking only where either answer discloses nothing: Kenthapadi, Mishra and Nissim, PODS 2005.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, number_vectors, starts_of
from sidelight.errors import BadPolicy, BadRelease, parameter
from sidelight.search.mondrian_cuts import Cuts, Proposals
from sidelight.search.policy_check import PolicyCheck, ValueLimits
from sidelight.table.table import CELLS_AT_ONCE, Counts
from sidelight.worlds.closed_forms import OneCut

if TYPE_CHECKING:
    from sidelight.policy.policy import Policy
    from sidelight.release.release import Release
    from sidelight.search.mondrian_frontier import Generation, KeyStore
    from sidelight.search.orders import Order

Coins: TypeAlias = Callable[[Floats], Flags]
"""Falls on the veil's side, one coin per probability of that."""


def unknown_to_all(veils: Floats) -> Flags:
    """Draw from the operating system: no seed brings this back.

    A draw is a multiple of 2⁻⁵³, so it is below ρ with probability ρ rounded up.
    """
    chance = secrets.SystemRandom()
    return np.array([chance.random() for _ in veils]) < veils


@dataclass(frozen=True, eq=False)
class Veil:
    """Looks at one cut of each group, and says how often one that passes must be left, by the group's counts."""

    limits: ValueLimits
    sizes: PolicyCheck = field(default_factory=lambda: PolicyCheck((), ()))  # limits that values do not decide
    coins: Coins = unknown_to_all
    negligible: float = 1e-6  # cuts that fail less often by the union bound are veiled as if failures told everything
    counted_exactly: int = 400  # people of a group that is counted in whole numbers; of larger ones floats round up
    known: dict[bytes, float] = field(default_factory=dict, repr=False)

    @classmethod
    def build(cls, limits: ValueLimits, policy: Policy, people: int, coins: Coins = unknown_to_all) -> Veil:
        """Build the veil of a policy with these limits on values, the others being on sizes."""
        sizes = PolicyCheck.from_policy((each for each in policy.criteria if not each.measure.about_values), people)
        if sizes.together:
            raise BadPolicy(
                f"{parameter('resists', 'insider')} covers limits on sizes that each group keeps on its own, and "
                f"'{sizes.together[0].criterion}' is on several together; leave one of the two out"
            )
        return cls(limits, sizes, coins)

    def cuts(self, generation: Generation, orders: tuple[Order, ...], target: Counts | None) -> list[Cuts]:
        """Return the cuts to make, at most one of each group."""
        made = []
        for cuts, veils in self.looks(generation, orders, target):
            passing = np.flatnonzero(self.passes(cuts, generation))
            made.append(cuts.take(passing[~self.coins(veils[passing])]))
        return made

    def looks(
        self, generation: Generation, orders: tuple[Order, ...], target: Counts | None
    ) -> Iterator[tuple[Cuts, Floats]]:
        """Yield the cuts that are looked at, at most one of each group, and their veils."""
        counts = generation.counts.roll_up(generation.group, groups=generation.groups)
        proposals = Proposals(generation, orders, target, self.sizes.least_group_size or 1)
        undecided = proposals.undecided

        def look(proposed: Cuts) -> Iterator[tuple[Cuts, Floats]]:
            allowed = proposed.take(generation.may_hold_in_halves(proposed, self.sizes))
            allowed = allowed.take(undecided[allowed.group])
            while len(allowed):
                first = allowed.first_of_each()
                cuts = allowed.take(first)
                veils = self.compute_veils(counts.take(cuts.group).dense(), cuts.left)
                # with ρ = 1 a cut would never be made, so that the next one is tried
                looked = veils < 1
                undecided[cuts.group[looked]] = False
                yield cuts.take(looked), veils[looked]
                later = np.ones(len(allowed), bool)
                later[first] = False
                allowed = allowed.take(later & undecided[allowed.group])
                # of the few groups that are left, all cuts that bounds rule out go at once
                allowed = allowed.take(self._may_be_looked_at(counts, allowed.group, allowed.left))

        for proposed in proposals.medians():
            yield from look(proposed)
        yield from look(proposals.others())

    def passes(self, cuts: Cuts, generation: Generation) -> Flags:
        """Return which cuts keep the limits on values in both halves."""
        return generation.judge_halves(
            cuts, lambda halves: self.limits.holds_in_each(halves.counts.dense(), halves.sizes)
        )

    def refuse_other_making(
        self, store: KeyStore, published: Integers, release: Release, target: Counts | None = None
    ) -> None:
        """Raise `BadRelease`, naming the group, where one look per group cannot give a release.

        The store has the people of the release, with the values of each group dealt to them in any order; `published`
        is the group that each of their keys is in.
        """
        for generation in store.generations():
            looks_here = self.looks(generation, store.orders, target)
            cuts, veils = zip((Cuts.concatenate([]), np.zeros(0)), *looks_here, strict=True)
            looks = Cuts.concatenate(cuts), np.concatenate(veils)
            store.split(generation, self._find_published_cuts(generation, published[generation.keys], *looks, release))

    def _find_published_cuts(
        self, generation: Generation, published: Integers, cuts: Cuts, veils: Floats, release: Release
    ) -> Cuts:
        """Return the cut of each node with several published groups, or refuse; `published` is that of each key."""

        def refuse(wrong: Flags, row: Integers) -> None:
            """Name the first published group, by its row, that the looks cannot give."""
            if wrong.any():
                raise BadRelease(
                    f"{release.groups.name(int(row[wrong].min())).error_name} is none that one look at a cut of each "
                    "group gives, whatever values its people have: this method and policy did not make this release "
                    "of these people; give those that did"
                )

        first = published[starts_of(generation.group, generation.groups)[:-1]]  # of the published groups of each node
        several = np.zeros(generation.groups, bool)
        # a node has several published groups when some key's differs from that of its first key
        several[generation.group[published != first[generation.group]]] = True
        looked_at = np.zeros(generation.groups, bool)
        looked_at[cuts.group] = True
        refuse(several & ~looked_at, first)
        parting = cuts.take(several[cuts.group])
        # a cut must not have people of one published group on both sides
        right, cut = np.zeros(len(published), bool), np.zeros(generation.groups, bool)
        right[generation.right_of(parting)[1]] = True
        cut[parting.group] = True
        both = np.intersect1d(published[right], published[~right & cut[generation.group]])
        refuse(np.ones(len(both), bool), both)
        refuse(~self.passes(parting, generation), first[parting.group])
        # a closed group whose cut had no veil was decided by its values alone: that cut must be able to fail
        closed = cuts.take(~several[cuts.group] & (veils == 0))
        counts = release.groups.counts.take(first[closed.group]).dense()
        refuse(self._cannot_fail(counts, closed.left), first[closed.group])
        return parting

    def compute_veils(self, counts: Integers, left: Integers) -> Floats:
        """Return ρ of one cut of each group, by its counts and the people left of the cut; 1: not to be looked at."""
        people = counts.sum(axis=1)
        falling = -np.sort(-counts, axis=1)
        left = np.minimum(left, people - left)  # sides may be swapped
        veils = self._bound_veils(falling, left, people)
        unknown = np.flatnonzero(np.isnan(veils))
        if len(unknown):
            patterns = np.column_stack((left[unknown], falling[unknown]))
            kind, first = number_vectors(patterns)
            for at in first:
                pattern = patterns[at].tobytes()
                if pattern not in self.known:
                    side, *rest = patterns[at].tolist()
                    cut = self._cut(side, [count for count in rest if count])
                    veil = exact_veil if cut.people <= self.counted_exactly else float_veil
                    self.known[pattern] = veil(cut, self.limits.belief)
            veils[unknown] = np.array([self.known[patterns[at].tobytes()] for at in first])[kind]
        return veils

    def _may_be_looked_at(self, counts: Counts, group: Integers, left: Integers) -> Flags:
        """Return which cuts of these groups, by their rows, no bound rules out."""
        may = np.ones(len(group), bool)
        step = max(CELLS_AT_ONCE // max(counts.width, 1), 1)
        for start in range(0, len(group), step):
            some = slice(start, start + step)
            falling = -np.sort(-counts.take(group[some]).dense(), axis=1)
            people = falling.sum(axis=1)
            smaller = np.minimum(left[some], people - left[some])
            may[some] = self._bound_veils(falling, smaller, people) != 1  # NaN: not ruled out
        return may

    def _cannot_fail(self, counts: Integers, left: Integers) -> Flags:
        """Return which cuts pass in all worlds, one of each group, by its counts and the people left of the cut.

        Of groups of more than `counted_exactly` people with a limit on different values, only where bounds tell.
        """
        people = counts.sum(axis=1)
        falling = -np.sort(-counts, axis=1)
        # without a limit on different values the union bound is 0 exactly where F is
        never = self._union_bound(falling, left, (self.limits.most(left), self.limits.most(people - left))) == 0
        if self.limits.different:
            for at in np.flatnonzero(~never & (people <= self.counted_exactly)).tolist():
                cut = self._cut(int(left[at]), [count for count in falling[at].tolist() if count])
                never[at] = cut.passing == cut.halves
        return np.asarray(never)

    def _bound_veils(self, counts: Integers, left: Integers, people: Integers) -> Floats:
        """Return ρ where bounds tell enough, else NaN; counts are falling."""
        belief = self.limits.belief
        most = self.limits.most(left), self.limits.most(people - left)
        bound = self._union_bound(counts, left, most)
        # p_s ≤ 1: the most frequent value has the least room
        # n_s = c · n, compared in whole numbers: floats could miss it
        tied = counts[:, 0] * belief.denominator == people * belief.numerator
        odds = bound * float(1 - belief) / np.where(tied, 1.0, float(belief) - counts[:, 0] / people)
        veils = np.where(bound < self.negligible, np.minimum(odds / (1 + odds) * (1 + self.negligible), 1.0), np.nan)
        veils[tied] = 1.0
        veils[(bound == 0) | (2 * left == people)] = 0.0
        # cuts that fail in every world, as far as shares tell
        sides = zip((left, people - left), most, strict=True)
        short = [np.minimum(counts, each[:, np.newaxis]).sum(axis=1) < side for side, each in sides]
        few = np.count_nonzero(counts, axis=1) < self.limits.different
        veils[short[0] | short[1] | few | (left < self.limits.different)] = 1.0
        return veils

    def _cut(self, left: int, counts: list[int]) -> OneCut:
        most_left, most_right = self.limits.most_of(left), self.limits.most_of(sum(counts) - left)
        return OneCut.build(counts, left, most_left, most_right, different=self.limits.different)

    def _union_bound(self, counts: Integers, left: Integers, most: tuple[Integers, Integers]) -> Floats:
        """Add up, over values and sides, how likely there are too many of a value, or too few values."""
        people = counts.sum(axis=1)
        bound = np.zeros(len(counts))
        for side, limit in zip((left, people - left), most, strict=True):
            bound += tail_bound(people[:, np.newaxis], counts, side[:, np.newaxis], limit[:, np.newaxis] + 1).sum(
                axis=1
            )
            if self.limits.different:
                # enough values are there when the most frequent ones all are: nobody of one is on the other side
                frequent = counts[:, : self.limits.different]
                other = (people - side)[:, np.newaxis]
                bound += tail_bound(people[:, np.newaxis], frequent, other, np.maximum(frequent, 1)).sum(axis=1)
        return bound


def tail_bound(people: Integers, having: Integers, drawn: Integers, least: Integers) -> Floats:
    """Bound the probability that at least `least` of the drawn have a value, out of `having` among `people`.

    From the mean on, terms fall at least as fast as the first two: Pr(X ≥ k) ≤ Pr(X = k)/(1 − r), r = the ratio of the
    next term to that of k.

    >>> float(tail_bound(np.array(4), np.array(2), np.array(2), np.array(2)))  # one of six
    0.16666...
    """
    people, having, drawn, least = np.broadcast_arrays(people, having, drawn, least)
    fewest = np.maximum(having + drawn - people, 0)
    inside = (least <= np.minimum(having, drawn)) & (least > fewest)
    k = np.where(inside, least, 0)
    others = np.where(inside, people - having - drawn + k, 0)

    from scipy.special import gammaln  # noqa: PLC0415 - only here, and slow to import

    def log_choose(of: Integers, some: Integers) -> Floats:
        ways: Floats = gammaln(of + 1.0) - gammaln(some + 1.0) - gammaln(of - some + 1.0)
        return ways

    log_term = log_choose(having, k) + log_choose(people - having, np.where(inside, drawn - k, 0))
    ratio = (having - k) * (drawn - k) / ((k + 1.0) * (others + 1.0))
    term = np.maximum(np.exp(log_term - log_choose(people, drawn)), 1e-300)  # what can be is never called impossible
    bound = np.where(ratio < 1, term / np.maximum(1 - ratio, 1e-9), 1.0)
    return np.where(inside, np.minimum(bound, 1.0), (least <= fewest).astype(float))


def exact_veil(cut: OneCut, belief: Fraction) -> float:
    """Return ρ of a cut, rounded up from whole numbers; 1: not to be looked at.

    >>> exact_veil(OneCut.build((3, 2, 2, 2, 1, 1), left=5, most_left=2, most_right=3), Fraction(1, 2))
    0.02597402597402598
    """
    if cut.passing == cut.halves:
        return 0.0
    if cut.passing == 0:
        return 1.0
    people, left, failing = cut.people, cut.left, cut.halves - cut.passing
    veil = 0.0
    for count, passing in set(zip(cut.counts, cut.left_expectations, strict=True)):
        # people with the value, left and right, added up over all halves that fail
        on_left = count * math.comb(people - 1, left - 1) - passing
        for having, side in ((on_left, left), (count * failing - on_left, people - left)):
            more = (having * belief.denominator - belief.numerator * failing * side) * people
            less = side * cut.halves * (belief.numerator * people - count * belief.denominator)
            if more > 0:
                veil = max(veil, 1.0 if less <= 0 else float(np.nextafter(more / (more + less), 2.0)))
    return min(veil, 1.0)


def float_veil(cut: OneCut, belief: Fraction) -> float:
    """Return ρ of a cut of a large group in floats, rounded up.

    With L_s as if everybody fell left with probability a/n, Pr(pass) = Pr(all within bounds, ΣL = a) / Pr(ΣL = a): sums
    of positive numbers, a window of likely ones at a time.  Too few different values are as bad as can be: their union
    bound is added to F·(p_s − c).

    >>> cut = OneCut.build((30, 20, 20, 20, 10), left=40, most_left=20, most_right=30)
    >>> bool(0 <= float_veil(cut, Fraction(1, 2)) - exact_veil(cut, Fraction(1, 2)) < 1e-6)
    True
    """
    people, left, limit = cut.people, cut.left, float(belief)
    kinds = sorted(zip(cut.counts, cut.low, cut.high, strict=True), reverse=True)
    bounded = [kind for kind in kinds if kind[1] > max(left + kind[0] - people, 0) or kind[2] < min(kind[0], left)]
    free = [count for count, low, high in kinds if (count, low, high) not in bounded]
    windows = [Window.binomial(*kind, left / people) for kind in (*bounded, (sum(free), 0, sum(free)))]
    every = Window.binomial(people, 0, people, left / people).weight_at(left)
    failing = 1 - reduce(Window.times, windows).weight_at(left) / every
    # a half that has the most frequent values has enough different ones
    frequent = np.array(sorted(cut.counts)[::-1][: cut.different], np.int64)
    halves = np.array([[left], [people - left]])
    few_values = float(tail_bound(np.array(people), frequent, halves, frequent).sum()) if cut.different else 0.0
    odds, rounding = 0.0, 1e-10  # how far off probabilities of larger groups may be
    # of the values that no bound concerns, the most frequent one decides
    for at, count in enumerate((*(kind[0] for kind in bounded), *free[:1])):
        numbers = windows[at].first + np.arange(len(windows[at].weights))
        by_number = Window(windows[at].first, windows[at].weights * numbers)
        weighted = reduce(Window.times, [*windows[:at], by_number, *windows[at + 1 :]])
        of_all = sum(free) if at == len(bounded) else count
        # a person who has the value is left, or right, and the cut fails
        on_left = left / people - weighted.weight_at(left) / every / of_all
        worse = max(on_left / left, (failing - on_left) / (people - left))
        more = count * worse - limit * failing + rounding + few_values
        odds = max(odds, more / (limit - count / people))
    return min(odds / (1 + odds) * (1 + rounding), 1.0)


@dataclass(frozen=True, eq=False)
class Window:
    """A stretch of a distribution over whole numbers, from `first` on; what is not in it is as good as never."""

    first: int
    weights: Floats

    @classmethod
    def binomial(cls, people: int, low: int, high: int, chance: float) -> Window:
        """Return how many of `people` fall left, each with this chance, for numbers within bounds.

        >>> Window.binomial(2, 0, 2, 0.5).weights.tolist()
        [0.25, 0.5, 0.25]
        """
        # at least 12 standard deviations on either side: what is beyond is as good as never
        middle, reach = round(people * chance), 30 + round(12 * math.sqrt(people * chance * (1 - chance)))
        start, stop = max(middle - reach, 0), min(middle + reach, people)
        number = np.arange(start, stop + 1)
        # ratios of neighbouring terms, added up as logarithms: no factorial overflows
        steps = np.log((people - number[:-1]) / number[1:] * (chance / (1 - chance)))
        height = np.concatenate(([0.0], np.cumsum(steps)))
        weights = np.exp(height - height.max())
        weights /= weights.sum()
        inside = slice(max(low - start, 0), max(high - start + 1, 0))
        return cls(max(low, start), weights[inside])

    def times(self, other: Window) -> Window:
        """Return the distribution of the sum."""
        if min(len(self.weights), len(other.weights)) == 0:
            return Window(0, np.zeros(0))
        return Window(self.first + other.first, np.convolve(self.weights, other.weights))

    def weight_at(self, number: int) -> float:
        """Return the weight of a number."""
        index = number - self.first
        return float(self.weights[index]) if 0 <= index < len(self.weights) else 0.0
