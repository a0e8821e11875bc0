"""How much a belief about a person grows because the person is in the release, in the worst of many cases.

Symbols     a case is a group q and a value (or predicate) s that occurs in it: n = n_q people, n_s = n_q(s) ≥ 1 have
            it; b people are known; of the prior σ(s), σ, and e, what one person's value weighs (`prior.Prior`).
Beliefs     p_in  = n_s / f,  f = n − min(b, n − n_s)       the person is in the release; the known lack s at worst
            p_out = O / (O + D)                             the person is left out and had s at worst, with
                O = σ(s) − e + e·n_s,  D = σ − σ(s) + e·(n − n_s)
            Of a person who is known to the publisher not to have s (a `mismatch`), f = n − min(b, n − n_s − 1),
                O = σ(s) + e·n_s,  D = σ − σ(s) + e·(n − n_s − 1)
Risk        ε(q, s) = max( p_in/p_out, (1 − p_out)/(1 − p_in) ), ∞ where no doubt is left that was there before; the
            smallest ε of a release is the largest of its cases, over all priors that stand for an adversary.
Closed      the paper's conditions R1 and R2 (Theorems 1 to 3) imply ε-privacy and are a little stricter: f = n − b, and
            e more in O + D of the first ratio and in D of the second.
Kernel      `ratios`, in floats for all cases of many releases at once and in whole numbers for one: the same lines.
Invariant   floats are infinite exactly where ε is and else off by a few last digits, as only sums of positive numbers
            are taken; cases within `NEAR` of the worst are decided in whole numbers.
Cost        some ten vectorised operations per case and prior; exact arithmetic for the few cases near the worst.
Source      Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009.

*Wishes*: predicates that people choose themselves.

Φ(u), the predicates of a person u, stand in a column of the table, the wishes: a cell names a predicate or a value, and
an empty one chooses none.  So the sensitive columns are two, the values and the wishes, and groups count combinations
of both.

Cases       of a group q and a wish w that occurs there: n_P people of q, whatever they wish, are in w's predicate P.
            One of those who wish w may be in P themselves: that is the worst of them, as in any other case.  If none
            of them is, the false belief may still grow, because the others are: a `mismatch`.
Monotone    No: a person in a group without P has nothing to fear from it, and joins people who have P, and no wish.
Source      Machanavajjhala et al., section 2.1 and 5.1; Xiao and Tao, Personalized privacy preservation, SIGMOD 2006,
            whose guarding nodes are such predicates.

*By a column*: a prior that depends on a printed column.

Symbols     σ(r, s) the Dirichlet parameter of people who have label r in the column (a region) and value s; a group
            prints a label that covers the regions R; σ_R(s) = Σ σ(r, s) over R, and w(s) = σ(r, s) / σ_R(s).
Beliefs     People of the group are drawn from the cells R × values with unknown shares, and the attacker knows r of the
            person alone.  Within a value, the regions are shared out by σ(·, s) whatever the values are (neutrality of
            the Dirichlet distribution), so of a person in the release, who has s with n_s / n before r is known,

            p_in(s | r)  ∝  n_s · w(s)                       and of one who is left out, having v,
            p_out(s | r) ∝  (n_s − [s = v]) · w(s) · e + σ(r, s)

            for every stubbornness; e is what one person's value weighs, 0 for infinite stubbornness.  (The first is
            Theorem 3.1 of the ℓ-diversity paper, to which this paper's conclusion points.)  Where the group prints one
            region, w = 1, and both are as everywhere.  A predicate P adds up over its values; the worst v in it is that
            with the largest w.
Ends        p_out is a quotient of linear functions of σ, as without regions: two ends stand for a range.
Monotone    Not claimed: a merged group covers more regions.
Source      Machanavajjhala, Gehrke and Götz, VLDB 2009, section 7: their first future work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from sidelight.arrays import Floats, Integers, number_runs, run_starts, smallest_of_each
from sidelight.errors import BadMeasure, did_you_mean, listed
from sidelight.measures.criterion import Amount, Witness
from sidelight.measures.exact import NEAR
from sidelight.measures.targets import Predicate
from sidelight.table.labels import MISSING, Column, JointDomain, Label, shown
from sidelight.worlds.brute_force import (
    dirichlet_prior,
    few_worlds,
    independent_prior,
    smallest_epsilon_by_cell,
    smallest_epsilon_of_group,
)

if TYPE_CHECKING:
    from sidelight.measures.epsilon_privacy.prior import Prior, PriorByColumn
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release


DecisionRule: TypeAlias = Literal["definition", "closed conditions"]
"""Decide by the definition, or by the paper's conditions, which imply it and are a little stricter."""

Mass = TypeVar("Mass", int, Floats)


class Ratio(StrEnum):
    """Which of the two ratios is the larger one."""

    BELIEF = "p_in / p_out"  # the belief that it is so grows
    DOUBT = "(1 - p_out) / (1 - p_in)"  # the doubt whether it is so shrinks


@dataclass(frozen=True, slots=True, repr=False)
class PriorBeliefWitness(Witness):
    """The person about whom belief grows most: anyone of a group who has a value, or who is in a predicate."""

    predicate: Predicate | None = None  # where predicates are in question; `value` is then its text
    p_in: Fraction = Fraction(0)  # the belief with the person in the release
    p_out: Fraction = Fraction(0)  # the belief with the person left out
    ratio: Ratio = Ratio.BELIEF  # which of the two ratios is the larger one
    stubbornness: Fraction | float = math.inf  # of the worst prior
    matches: bool = True  # whether the person in question has it
    label: Label = None  # the person's, in the column that the prior depends on, if any
    ruled_out: tuple[Label, ...] = ()  # values that the attacker knows the person not to have


class Case(NamedTuple):
    """A group, and a value or predicate that occurs in it: n people, n_s ≥ 1 that match, b known."""

    people: int
    matching: int
    known: int
    mismatch: int = 0  # 1 where the person in question does not match

    @property
    def p_in(self) -> Fraction:
        """The belief with the person in the release: at worst the known people are in this group and do not match."""
        known = min(self.known, self.people - self.matching - self.mismatch)
        return Fraction(self.matching, self.people - known)

    def p_out(self, prior: Prior, column: int) -> Fraction:
        """Return the belief with the person left out: at worst the person matched."""
        evidence = Fraction(prior.evidence * (self.people - 1) + prior.total)
        return (prior.evidence * (self.matching - 1 + self.mismatch) + prior.weights[column]) / evidence


def ratios(
    counts: tuple[Mass, Mass, Mass, Mass], prior: tuple[Mass, Mass, int], *, closed: bool
) -> tuple[Mass, Mass, Mass, Mass]:
    """Return p_in/p_out and (1 − p_out)/(1 − p_in), each as numerator and denominator.

    `counts` are n_s, n − n_s, f and f − n_s; `prior` has σ(s) − e, σ − σ(s) and e, in any unit.  Arrays of the prior
    are overwritten: in fresh memory for every step it takes a sixth longer.

    >>> ratios((4, 6, 10, 6), (1, 3, 1), closed=False)  # of 10 people 4 match; σ(s) = 2, σ = 5
    (56, 50, 90, 84)
    """
    matching, others, unknown, unmatched = counts
    believed, doubted, evidence = prior
    if evidence:  # else the belief is moved by nothing
        believed += matching if evidence == 1 else evidence * matching  # O
        doubted += others if evidence == 1 else evidence * others  # D
    both = believed + doubted
    under_doubt = unmatched * both
    if closed:
        both += evidence
        doubted += evidence
    both *= matching
    believed *= unknown
    doubted *= unknown
    return both, believed, doubted, under_doubt


def smallest_epsilon(case: Case, prior: Prior, column: int, rule: DecisionRule) -> tuple[Amount, Ratio]:
    """Return ε of one case and the ratio that decides it, in whole numbers: several times faster than fractions."""
    closed, unknown = rule == "closed conditions", case.people - case.known
    if unknown < case.matching + case.mismatch:  # more are known than do not match
        if closed:
            return math.inf, Ratio.DOUBT
        # no more people can be known without a match than there are
        unknown = case.matching + case.mismatch
    counts = case.matching, case.people - case.matching, unknown, unknown - case.matching
    believed, doubted, evidence = prior.whole_terms[column]
    terms = believed + evidence * case.mismatch, doubted - evidence * case.mismatch, evidence
    belief, under_belief, doubt, under_doubt = ratios(counts, terms, closed=closed)
    if under_belief == 0:
        return math.inf, Ratio.BELIEF
    # no doubt is left: infinite if there was any before, else the ratio of doubts says nothing
    if under_doubt == 0 and doubt:
        return math.inf, Ratio.DOUBT
    if under_doubt == 0 or belief * under_doubt >= doubt * under_belief:
        return Fraction(belief, under_belief), Ratio.BELIEF
    return Fraction(doubt, under_doubt), Ratio.DOUBT


@dataclass(frozen=True, eq=False)
class Cases:
    """All pairs of a group and a value (or predicate) that occurs in it, sorted by group.

    The groups may be of several releases, or parts of them: `part[i]` says which, and parts come one after another.
    What depends on nothing but the counts is computed once, however many priors are compared with them.
    """

    part: Integers
    rows: Integers
    columns: Integers
    people: Integers  # n
    matching: Integers  # n_s
    known: int  # b
    mismatch: Integers | None = None  # 1 where the person in question does not match; None: everybody does

    @classmethod
    def from_groups(
        cls,
        groups: Groups,
        predicates: tuple[Predicate, ...],
        domain: tuple[Label, ...],
        *,
        known: int,
        part: Integers | None = None,
    ) -> Cases:
        """Build the cases: one column per value of the release, or per predicate on the (wider) domain."""
        if not predicates:
            rows, columns, matching = groups.counts.entries()
        else:
            # people with a value that each predicate names: (groups, predicates)
            counts, index_of = groups.counts.dense(), {text: index for index, text in enumerate(domain)}
            sums = np.empty((len(counts), len(predicates)), np.int64)
            for column, each in enumerate(predicates):
                # a prior may know values that the release does not have: they come after all that it has
                named = [index for index in each.named_indices(index_of) if index < counts.shape[1]]
                having = counts[:, named].sum(axis=1)
                sums[:, column] = counts.sum(axis=1) - having if each.all_others else having
            rows, columns = np.nonzero(sums)
            matching = sums[rows, columns]
        return cls(
            np.zeros_like(rows) if part is None else part[rows], rows, columns, groups.sizes[rows], matching, known
        )

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        mismatch = np.zeros_like(self.part) if self.mismatch is None else self.mismatch
        arrays = (self.part, self.rows, self.columns, self.people, self.matching, mismatch)
        return zip(*(array.tolist() for array in arrays), strict=True)

    def take(self, kept: Integers) -> Cases:
        numbers = (self.part, self.rows, self.columns, self.people, self.matching)
        part, rows, columns, people, matching = (each[kept] for each in numbers)
        mismatch = None if self.mismatch is None else self.mismatch[kept]
        return Cases(part, rows, columns, people, matching, self.known, mismatch)

    def epsilons(self, priors: Sequence[Prior], rule: DecisionRule) -> Floats:
        """Return ε of every case in floats: infinite exactly where ε is, else off by a few last digits."""
        # the worst over all priors, in the memory of the first
        first, *others = (self._epsilons(prior, rule) for prior in priors)
        for other in others:
            np.maximum(first, other, out=first)
        return first

    def _epsilons(self, prior: Prior, rule: DecisionRule) -> Floats:
        (believed, doubted, evidence), closed = prior.float_terms, rule == "closed conditions"
        believed, doubted = believed[self.columns], doubted[self.columns]
        if self.mismatch is not None:
            believed += evidence * self.mismatch
            doubted -= evidence * self.mismatch  # the person left out is one of those that do not match
        terms = believed, doubted, evidence
        belief, under_belief, doubt, under_doubt = ratios(self._counts, terms, closed=closed)
        with np.errstate(divide="ignore", invalid="ignore"):
            belief /= under_belief
            doubt /= under_doubt
        larger: Floats = np.fmax(belief, doubt, out=belief)  # 0/0, no doubt before and after, is nan and does not count
        if closed:
            larger[self.people - self.known < self._least_unknown] = np.inf
        return larger

    @cached_property
    def certain(self) -> Cases:
        """The first case of each part in which all unknown people match, so that p_in = 1."""
        # cases are sorted by part, so that the first of each run is the part's first
        sure = np.flatnonzero(self._unknown == self.matching)
        return self.take(sure[run_starts([self.part[sure]])])

    @cached_property
    def uncertain(self) -> Cases:
        return self.take(np.flatnonzero(~np.isin(self.part, self.certain.part)))

    @cached_property
    def _unknown(self) -> Integers:
        return np.maximum(self.people - self.known, self._least_unknown)  # f

    @property
    def _least_unknown(self) -> Integers:
        return self.matching if self.mismatch is None else self.matching + self.mismatch

    @cached_property
    def _counts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """n_s, n − n_s, f and f − n_s: differences of whole numbers."""
        matching, unknown = self.matching.astype(float), self._unknown.astype(float)
        return matching, self.people - matching, unknown, unknown - matching


class WorstEpsilon(NamedTuple):
    """The worst case of a part: its group's row, its column, ε, and the prior with which it is reached."""

    row: int
    column: int
    case: Case
    value: Amount
    ratio: Ratio
    prior: Prior


def worst_of_parts(cases: Cases, priors: Sequence[Prior], rule: DecisionRule) -> dict[int, WorstEpsilon]:
    """Return the worst case of each part that has cases; of equally bad ones the first by group, column and prior."""
    worst: dict[int, WorstEpsilon] = {}
    # groups that stay the same are in many parts
    epsilons: dict[tuple[int, ...], tuple[Case, Amount, Ratio, Prior]] = {}
    for part, row, column, people, matching, mismatch in _list_candidates(cases, priors, rule):
        key = column, people, matching, mismatch
        if key not in epsilons:
            case = Case(people, matching, cases.known, mismatch)
            # `max` keeps the first of equal priors
            by_prior = ((case, *smallest_epsilon(case, prior, column, rule), prior) for prior in priors)
            epsilons[key] = max(by_prior, key=itemgetter(1))
        if part not in worst or epsilons[key][1] > worst[part].value:
            worst[part] = WorstEpsilon(row, column, *epsilons[key])
    return worst


def epsilons_of_parts(cases: Cases, priors: Sequence[Prior], rule: DecisionRule) -> dict[int, Amount]:
    """Return ε of each part that has cases, without the case that decides it."""
    epsilons: dict[int, Amount] = {}
    if _infinite_where_certain(priors, rule):
        epsilons = dict.fromkeys(cases.certain.part.tolist(), math.inf)
        cases = cases.uncertain
    return epsilons | {part: worst.value for part, worst in worst_of_parts(cases, priors, rule).items()}


def _infinite_where_certain(priors: Sequence[Prior], rule: DecisionRule) -> bool:
    return rule == "definition" and all(prior.leaves_doubt for prior in priors)


def _list_candidates(cases: Cases, priors: Sequence[Prior], rule: DecisionRule) -> Iterator[tuple[int, ...]]:
    """Yield the cases that may be the worst of their part: part, row, column, n, n_s, and whether it is a mismatch."""
    if _infinite_where_certain(priors, rule):
        yield from cases.certain
        cases = cases.uncertain
    if len(cases.part):
        yield from cases.take(_near_worst(cases, cases.epsilons(priors, rule)))


def _near_worst(cases: Cases, epsilons: Floats) -> Integers:
    """Return the cases near the worst of their part: of equal ones, or infinite ones, the first is enough."""
    # floats propose all within NEAR of the worst of their part; of infinite ones, which are exact, the first
    starts = np.flatnonzero(run_starts([cases.part]))
    limits = np.maximum.reduceat(epsilons, starts) * (1 - NEAR)
    near = np.flatnonzero(epsilons >= limits[number_runs([cases.part])])
    near = near[run_starts([cases.part[near]]) | np.isfinite(epsilons[near])]
    if len(near) == len(limits):
        return near
    # class II has many equal ones, as there ε often depends on n alone; packed keys are twice as fast as hashed rows
    numbers = (cases.part, cases.columns, cases.matching, cases.people, cases.mismatch)
    identity = tuple(each[near] for each in numbers if each is not None)
    return near[np.sort(smallest_of_each(identity, np.arange(len(near)))[1])]


def epsilon_of_beliefs(p_in: Fraction, p_out: Fraction) -> Amount:
    """Return ε = max(p_in/p_out, (1 − p_out)/(1 − p_in)); where no doubt is left, the latter is infinite."""
    if p_out == 0:
        return math.inf
    if p_in == 1:
        return Fraction(1) if p_out == 1 else math.inf
    return max(p_in / p_out, (1 - p_out) / (1 - p_in))


def closed_conditions(case: Case, prior: Prior, column: int) -> Amount:
    """Return the smallest ε that meets the paper's conditions R1 and R2 (Theorems 1 to 3), as they are printed.

    With N = n − b, Σ = σ + b, share = n_s/N, δ = (ε−1)N/Σ and ε' = ε(1−1/Σ), each is linear in ε:
    R1 (N ≥ Σ/(ε−1) or share ≤ ε/(1−δ)·(σ(s)−1)/Σ) is ε·(σ(s)−1 + n_s)/Σ ≥ share·(1 + N/Σ), and
    R2 (share ≤ 1 − 1/(ε'+δ) + (σ(s)−1)/(Σ(ε'+δ))) is (ε'+δ)·(1 − share) ≥ 1 − (σ(s)−1)/Σ.
    """
    unknown = case.people - case.known
    if unknown < case.matching:
        return math.inf
    weight, share, strength = prior.weights[column], Fraction(case.matching, unknown), prior.total + case.known
    if not prior.evidence:
        return epsilon_of_beliefs(share, weight)
    if share == 1:
        return math.inf
    first = share * (strength + unknown) / (weight - 1 + case.matching)
    needed = (1 - (weight - 1) / strength) / (1 - share)  # what ε' + δ must reach
    return max(first, (needed * strength + unknown) / (strength - 1 + unknown))


def replay_witness(belief: PriorBelief, witness: PriorBeliefWitness, release: Release) -> Amount:
    """Recompute ε from the group and the value (or predicate) alone: small groups by their worlds."""
    group, prior = release.group(witness.group), _find_prior(belief, release, witness)
    domain = prior.domain
    # people with a value that is ruled out are not there
    seen = zip(group.domain, group.counts.row(0).tolist(), strict=True)
    bag = {text: count for text, count in seen if text not in witness.ruled_out}
    predicate = Predicate.any_of(witness.value) if witness.predicate is None else witness.predicate
    values = {domain[index] for index in predicate.indices(domain)}
    matching = sum(count for text, count in bag.items() if text in values)
    case = Case(sum(bag.values()), matching, belief.known_people, int(not witness.matches))
    by_definition = belief.decided_by == "definition"
    # a p_out of 0 (class IV) is a limit of priors, and no prior whose sequences could be gone through
    if few_worlds(len(domain) + 1, case.people) and by_definition and witness.p_out and not witness.ruled_out:
        weights = worst_weights(belief, release, witness, values)
        epsilon = smallest_epsilon_of_group(
            bag,
            tuple(weights),
            values.__contains__,
            prior=independent_prior(weights) if witness.stubbornness == math.inf else dirichlet_prior(weights),
            known=belief.known_people,
            matches=witness.matches,
        )
        assert epsilon is not None
        return epsilon
    column = (
        release.groups.code_of(witness.value)
        if witness.predicate is None
        else belief.predicates_in_question(release.groups).index(witness.predicate)
    )
    if not by_definition:
        return closed_conditions(case, prior, column)
    left = prior.drop_values([domain.index(text) for text in witness.ruled_out])
    return epsilon_of_beliefs(case.p_in, case.p_out(left, column))


def _find_prior(belief: PriorBelief, release: Release, witness: PriorBeliefWitness) -> Prior:
    priors = belief.priors(release.groups)
    return next(prior for prior in priors if prior.stubbornness == witness.stubbornness)


def worst_weights(
    belief: PriorBelief, release: Release, witness: PriorBeliefWitness, values: set[Label]
) -> dict[Label, Fraction]:
    """Return σ(s) of every value; where any shape is possible, the rest goes to a value that is not in question."""
    prior = _find_prior(replace(belief, predicates=()), release, witness)
    weights = dict(zip(prior.domain, prior.weights, strict=True))
    # of class II only σ(s) = 1 is fixed: the rest goes to a value that is not in question
    left = prior.total - sum(weights.values())
    elsewhere = next((text for text in prior.domain if text not in values), "\0")  # which no release has
    return {**weights, elsewhere: weights.get(elsewhere, 0) + left} if left else weights


def values_beside(wishes: str, domain: tuple[Label, ...]) -> str:
    """Return the name of the sensitive column that has the values, beside the one that has the wishes."""
    names = domain.names if isinstance(domain, JointDomain) else ()
    if wishes not in names or len(names) != 2:
        beside = f", not {listed(names)}" if names else ""
        raise BadMeasure(
            f"wishes='{wishes}' wants two sensitive columns, the values and what people want kept{beside}; "
            f"read '{wishes}' and the column of values, and no other, as sensitive"
        )
    return next(name for name in names if name != wishes)


def predicates_wished(
    wishes: str, domain: tuple[Label, ...], predicates: Sequence[Predicate]
) -> tuple[Predicate | None, ...]:
    """Return the predicate of each wish, in the order of the column's labels; None for an empty cell."""
    column = values_beside(wishes, domain)
    assert isinstance(domain, JointDomain)
    values = domain.column(column).labels
    by_name: dict[Label, Predicate] = {str(each): each for each in predicates}
    texts = domain.column(wishes).labels
    for text in texts:
        if text not in (None, MISSING) and text not in by_name and text not in values:
            raise BadMeasure(
                f"'{shown(text)}' in column '{wishes}' is neither a predicate nor a value; name it in "
                f"predicates={did_you_mean(shown(text), [*map(shown, by_name), *map(shown, values)])}"
            )
    return tuple(None if text in (None, MISSING) else by_name.get(text, Predicate.any_of(text)) for text in texts)


def cases_of_wishes(
    wishes: str,
    predicates: tuple[Predicate | None, ...],
    groups: Groups,
    domain: tuple[Label, ...],
    *,
    known: int,
    part: Integers | None,
) -> Cases:
    """Return the cases of groups and wishes: a column per predicate that a person wishes for."""
    joint = groups.domain
    assert isinstance(joint, JointDomain)
    counts, wish = groups.counts.dense(), joint.column(wishes).codes
    value = joint.column(values_beside(wishes, joint)).codes
    matching, wishing, own = [], [], []
    for code, predicate in enumerate(predicates):
        if predicate is None:
            continue
        # flags of joint values: those in the predicate, whatever their wish
        inside = np.isin(value, predicate.indices(domain))
        matching.append(counts[:, inside].sum(axis=1))
        wishing.append(counts[:, wish == code].any(axis=1))
        own.append(counts[:, inside & (wish == code)].any(axis=1))
    if not matching:
        rows = columns = np.empty(0, np.int64)
        return Cases(rows, rows, columns, rows, rows, known, rows)
    sums = np.stack(matching, axis=1)
    rows, columns = np.nonzero((sums > 0) & np.stack(wishing, axis=1))
    # where nobody with the wish matches it, the person in question does not either
    mismatch = 1 - np.stack(own, axis=1)[rows, columns].astype(np.int64)
    parts = np.zeros_like(rows) if part is None else part[rows]
    return Cases(parts, rows, columns, groups.sizes[rows], sums[rows, columns], known, mismatch)


def worst_by_column(
    groups: Groups, column: Column, priors: Sequence[PriorByColumn], sets: Sequence[Sequence[int]]
) -> tuple[Amount, int, PriorBeliefWitness] | None:
    """Return ε of the worst case, the index of its set of values, and its witness, in which the value is still open.

    Floats screen all groups that print the same at once; cases near the worst are decided exactly.
    """
    dense = groups.counts.dense()
    # ε in floats of groups that print the same, for a person of one label: nan where nobody is in a set
    chunks = [
        (rows, under, index, prior, _epsilons(dense[rows], prior, under, index, sets))
        for code in np.unique(column.codes).tolist()
        for rows in [np.flatnonzero(column.codes == code)]
        for prior in priors
        for under in [prior.find_labels(column.labels[code])]
        for index in under
    ]
    # 0 if there is no case at all
    worst = max([0.0, *(float(np.nanmax(epsilons, initial=0)) for *_, epsilons in chunks)])
    worst_case: tuple[Amount, int, int, PriorBeliefWitness] | None = None
    seen: set[tuple[object, ...]] = set()
    for rows, under, index, prior, epsilons in chunks:
        # all that floats propose are decided exactly, each kind once
        for at, number in np.argwhere(epsilons >= worst * (1 - NEAR)).tolist():
            row = int(rows[at])
            counts = groups.counts.row(row).tolist()
            kind = (*counts, index, *under, number, prior.stubbornness)
            if kind in seen:
                continue
            seen.add(kind)
            value, ratio, p_in, p_out = exact_case(counts, prior, under, index, sets[number])
            # of equal ones the first row
            if worst_case is None or (value, -row) > worst_case[:2]:
                witness = PriorBeliefWitness(
                    groups.name(row),
                    p_in=p_in,
                    p_out=p_out,
                    ratio=ratio,
                    stubbornness=prior.stubbornness,
                    label=prior.labels[index],
                )
                worst_case = value, -row, number, witness
    return None if worst_case is None else (worst_case[0], *worst_case[2:])


def _epsilons(
    counts: Integers, prior: PriorByColumn, under: list[int], index: int, sets: Sequence[Sequence[int]]
) -> Floats:
    width = counts.shape[1]
    own, weight = _label_weights(prior, under, index)
    sigma, w = np.array(own, float), np.array(weight[:width], float)
    # (groups, values): the expected number of people with both value and label
    weighted = counts * w
    epsilons = np.full((len(counts), len(sets)), np.nan)
    for column, values in enumerate(sets):
        inside = np.isin(np.arange(len(sigma)), values)
        here = inside[:width]
        heaviest = np.where(counts[:, here] > 0, w[here], 0).max(axis=1, initial=0)
        matching, others = weighted[:, here].sum(axis=1), weighted[:, ~here].sum(axis=1)
        # the person left out is one of those that match, at worst with the heaviest of their values
        believed = prior.evidence * (matching - heaviest) + sigma[inside].sum()
        doubted = prior.evidence * others + sigma[~inside].sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            belief = matching * (believed + doubted) / ((matching + others) * believed)
            doubt = doubted * (matching + others) / ((believed + doubted) * others)
        there = (counts[:, here] > 0).any(axis=1)
        epsilons[there, column] = np.fmax(belief, doubt)[there]
    return epsilons


def _label_weights(prior: PriorByColumn, under: list[int], index: int) -> tuple[list[Fraction], list[Fraction]]:
    own = list(prior.weights[index])
    covered = [sum((prior.weights[each][value] for each in under), Fraction(0)) for value in range(len(own))]
    return own, [mine / total if total else Fraction(0) for mine, total in zip(own, covered, strict=True)]


def exact_case(
    counts: Sequence[int], prior: PriorByColumn, under: list[int], index: int, values: Sequence[int]
) -> tuple[Amount, Ratio, Fraction, Fraction]:
    """Return ε of one case, the ratio that decides it, and p_in and p_out, in fractions."""
    own, w = _label_weights(prior, under, index)
    weighted = [count * each for count, each in zip(counts, w, strict=False)]
    inside = [value for value in values if value < len(counts)]
    matching = sum((weighted[value] for value in inside), Fraction(0))
    heaviest = max(w[value] for value in inside if counts[value])
    believed = prior.evidence * (matching - heaviest) + sum((own[value] for value in values), Fraction(0))
    everything = prior.evidence * (sum(weighted) - heaviest) + sum(own)
    p_in, p_out = matching / sum(weighted), believed / everything
    epsilon = epsilon_of_beliefs(p_in, p_out)
    ratio = Ratio.BELIEF if p_out and epsilon == p_in / p_out else Ratio.DOUBT
    return epsilon, ratio, p_in, p_out


def find_printed_column(columns: Sequence[Column], name: str) -> Column:
    """Return the column with this name; raise `BadMeasure` if none is printed."""
    for column in columns:
        if column.name == name:
            return column
    names = [column.name for column in columns]
    raise BadMeasure(
        f"by='{name}' is no column that the release prints; it prints {listed(names)}{did_you_mean(name, names)}"
        if names
        else f"by='{name}' is about groups that print it; search without it and judge what is found by it"
    )


def replay_by_column(belief: PriorBelief, witness: PriorBeliefWitness, release: Release) -> Amount:
    """Recompute ε of a label that a group covers, and a value (or predicate)."""
    groups, row = release.groups.sort_by_number(), witness.group.number - 1
    prior = next(each for each in belief.priors_by_column(groups) if each.stubbornness == witness.stubbornness)
    values = (witness.predicate or Predicate.any_of(witness.value)).indices(prior.domain)
    assert belief.by is not None
    under = prior.find_labels(find_printed_column(groups.columns, belief.by).cell(row))
    return replay_case(groups.counts.row(row).tolist(), prior, under, prior.labels.index(witness.label), values)


def replay_case(
    counts: Sequence[int], prior: PriorByColumn, under: list[int], index: int, values: Sequence[int]
) -> Amount:
    """Return ε of one case by the worlds of its group if it has few, else by the formulas."""
    cells = [(each, value) for each in under for value in range(len(prior.domain))]
    if not few_worlds(len(cells), sum(counts)):
        return exact_case(counts, prior, under, index, values)[0]
    return smallest_epsilon_by_cell(
        {str(value): count for value, count in enumerate(counts) if count},
        {(str(each), str(value)): prior.weights[each][value] for each, value in cells},
        str(index),
        {str(value) for value in values},
        unmoved=not prior.evidence,
    )
