"""Compute how confident an attacker gets from several releases that partly say the same thing.

Two groups of similar people say much the same about a person who is in both: it is evidence once, not twice.

Symbols     s a value, π(s) what is believed before, p_j(s) the shares in the person's group of release j, n_j its
            people, q_j how likely the person is one of them.
Model       Around a person, values are spread as m ~ Dirichlet(α·π): the *common ground* of the releases.  The group in
            release j is drawn from φ_j ~ Dirichlet(β_j·m): what only j goes by moves it away from m.
            The person's value is one draw of it: in every group that holds the person, and counted in all of them.
Agreement   ρ = 1/(1+α) says how far grounds differ between people, ρ_j = 1 − (1−ρ)·β_j/(1+β_j) how far groups do.
            Both can be seen in what is published: ⟨p_j − π, p_j − π⟩ / Σ π(1−π), averaged over people, is
            ρ_j + (1−ρ_j)/n_j, and ⟨p_i − π, p_j − π⟩ / Σ π(1−π) is ρ + (1−ρ)·o/(n_i·n_j), with o people in both.
Ground      E(s) = Σ_j κ_j·p_j(s) with κ_j = n_j·(1+β_j)/(n_j+β_j): a group tells as much of m as κ_j draws from it.
            m_t(s) = (α·π(s) + E(s) − t·κ/n) / (α + Σ κ_j − t·κ/n): without the person, counted t times too often.
            Others who are known to be in both groups say the same in both: where they are a share w of the smaller
            group, (1−w)·m_t(s) + w·E(s)/Σ κ_j takes the place of m_t(s) for t ≥ 1.
Posterior   Pr(s) ∝ Σ_T Π_{j∈T} q_j·p_j(s) · Π_{j∉T} (1−q_j)·φ̂_j(s)/m_0(s) · M_|T|(s) over the sets T of releases that
            hold the person, M_0 = m_0, M_1 = 1, M_2 = 1/m_1, M_3 = 1/(m_1·m_2) …; φ̂_j = (β_j·m_0 + n_j·p_j)/(β_j + n_j)
            is what people like this one have who are not in the group.  Summed by a dynamic program over |T|.
Limits      One release that holds the person: p(s).  ρ = 0, all hold the person: Π_j p_j(s) / π(s)^(n−1), Bayes' rule
            for releases that are independent given the value.  β_j = ∞, n = 2, counts c_j = n_j·p_j:
            c_1(s)·c_2(s) / (c_1(s) + c_2(s) − 1 + α·π(s)), which is exact: the worlds of both groups, weighed by
            Pólya's urn.  Where both groups are large and alike, or the same people (w = 1), that is p(s).
More        Releases agree more with some than with others: those that agree about equally are a cluster with a ground
            of its own, and a cluster is to another what a group of Σ κ_j people is.
Source      Ours; Dirichlet and Pólya as in any textbook.  docs/understand/several-releases.md has it measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sidelight.arrays import Floats

ExactOrFloats: TypeAlias = npt.NDArray[Any]  # floats, or exact fractions: the same arithmetic for both

MOST_AGREEMENT = Fraction(99, 100)  # groups that agree more are taken to agree this much: a ground is never certain


@dataclass(frozen=True, slots=True)
class Ground:
    """The common ground of releases, whose `members` agree with each other about equally (ρ).

    One release (by its index) has no members, and agrees with itself as little as its groups differ (ρ_j).
    """

    agreement: Fraction
    releases: tuple[int, ...]
    members: tuple[Ground, ...] = ()

    @classmethod
    def join(cls, agreement: Fraction, members: Sequence[Ground]) -> Ground:
        """Join releases, or clusters of them, into a cluster."""
        return cls(agreement, tuple(chain.from_iterable(each.releases for each in members)), tuple(members))

    @classmethod
    def independent(cls, releases: int) -> Ground:
        """Build the ground of releases with nothing in common: each is evidence of its own."""
        return cls.join(Fraction(0), [cls(Fraction(0), (each,)) for each in range(releases)])

    @classmethod
    def from_agreement(cls, agreement: Floats) -> Ground:
        """Build the ground from how far groups differ (diagonal) and releases agree: (releases, releases).

        Those that agree most are joined, again and again, by the average over pairs.
        """
        parts = [cls(_fraction(spread), (at,)) for at, spread in enumerate(agreement.diagonal().tolist())]
        if len(parts) == 1:
            return cls.join(parts[0].agreement, parts)
        while len(parts) > 1:
            # average linkage; of equal pairs the first is joined, so that the clusters are always the same
            one, other = max(combinations(parts, 2), key=lambda pair: _mean_agreement(agreement, pair))
            both = _mean_agreement(agreement, (one, other))
            # a cluster whose members agree about as much with what joins them is dissolved
            dissolved = (
                each.members if each.members and both >= 0.8 * float(each.agreement) else (each,)
                for each in (one, other)
            )
            members = tuple(chain.from_iterable(dissolved))
            joined = cls.join(_fraction(_mean_agreement(agreement, members)), members)
            parts = [*(each for each in parts if each is not one and each is not other), joined]
        return parts[0]


def _fraction(agreement: float) -> Fraction:
    # small denominators, as exact posteriors multiply them release by release
    return min(Fraction(max(agreement, 0.0)).limit_denominator(10_000), MOST_AGREEMENT)


def _pairs_across(members: Iterable[Ground]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of releases that are in different members."""
    for one, other in combinations(members, 2):
        yield from product(one.releases, other.releases)


def _mean_agreement(agreement: Floats, members: Iterable[Ground]) -> float:
    return float(np.mean([agreement[pair] for pair in _pairs_across(members)]))


# What one release says about some people: shares of values in their groups, which are on the last axis; of how many
# people (0: not located), and how likely each person is one of them, with one entry there
Observation: TypeAlias = tuple[ExactOrFloats, ExactOrFloats, ExactOrFloats]


# For two releases (the first has the smaller number): which share of the smaller group's other people are in both
InCommon: TypeAlias = Mapping[tuple[int, int], ExactOrFloats]


def weigh_evidence(
    observations: Sequence[Observation], prior: ExactOrFloats, ground: Ground, in_common: InCommon | None = None
) -> ExactOrFloats:
    """Return how likely each value is after all releases, along the last axis; nan (exactly: −1) where none is left.

    >>> most, prior = (np.array([[0.8, 0.2]]), np.array([[10.0]]), np.array([[1.0]])), np.array([0.5, 0.5])
    >>> weigh_evidence([most, most], prior, Ground.independent(2)).round(2).tolist()
    [[0.94, 0.06]]
    >>> weigh_evidence([most, most], prior, Ground.from_agreement(np.full((2, 2), 0.5))).round(2).tolist()
    [[0.78, 0.22]]
    """
    top = _join(ground, observations, prior, in_common or {})
    # either some release holds the person, or none does and only the ground speaks
    odds = top.present + top.absent * top.outside
    total = odds.sum(axis=-1, keepdims=True)
    return np.where(total > 0, ratio(odds, total), -1 if odds.dtype == object else np.nan)


def ratio(over: ExactOrFloats, under: ExactOrFloats) -> ExactOrFloats:
    """Divide; 0 where there is nothing to divide by."""
    shape, kind = np.broadcast_shapes(over.shape, under.shape), np.result_type(over, under)
    return np.divide(over, under, out=np.zeros(shape, kind), where=under != 0)


@dataclass(frozen=True, eq=False, slots=True)
class _Part:
    """A release, or a cluster of them, as seen by what it is joined with.

    `shares` among `people`, of which `person` is the person's part; `absent` and `present` weigh, value by value, that
    no release in it holds the person and that some do; `outside` is what people like this one have.
    """

    agreement: Fraction
    shares: ExactOrFloats
    people: ExactOrFloats
    person: ExactOrFloats
    absent: ExactOrFloats
    present: ExactOrFloats
    outside: ExactOrFloats


def _join(ground: Ground, observations: Sequence[Observation], prior: ExactOrFloats, in_common: InCommon) -> _Part:
    if not ground.members:
        shares, people, present = observations[ground.releases[0]]
        # not located is absent for certain; `0 * people` keeps exact fractions exact
        present = np.where(people > 0, present, 0 * people)
        person = ratio(people**0, people)
        return _Part(ground.agreement, shares, people, person, 1 - present, present * shares, shares)
    parts = [_join(each, observations, prior, in_common) for each in ground.members]
    number: Any = Fraction if parts[0].shares.dtype == object else float
    agreement = number(ground.agreement)  # in terms of ρ, so that α may be infinite
    # β/(1+β) of each part: 1 if it goes by nothing but the common ground
    ties = [number(min((1 - part.agreement) / (1 - ground.agreement), Fraction(1))) for part in parts]
    # κ_j; shares have the values on their last axis, and draws and people a length of 1 there
    kappa = [ratio(part.people, part.people * (1 - tie) + tie) for part, tie in zip(parts, ties, strict=True)]
    nothing = 0 * kappa[0]
    draws = sum(kappa, start=nothing)
    shares = sum((each * part.shares for each, part in zip(kappa, parts, strict=True)), start=0 * prior)  # E(s)
    # κ/n, averaged over the parts in which the person is located
    located = sum(((part.people > 0) * nothing**0 for part in parts), start=nothing)
    counted = sum((each * part.person for each, part in zip(kappa, parts, strict=True)), start=nothing)
    person = ratio(counted, located)
    # w, averaged over the pairs of releases that meet in this cluster
    pairs = [tuple(sorted(pair)) for pair in _pairs_across(ground.members)]
    known = [in_common[one, other] for one, other in pairs if (one, other) in in_common]
    both = sum(known[1:], start=known[0]) / len(pairs) if known else None

    def ground_without(times: int) -> ExactOrFloats:
        """Return m_t(s): the ground without the person, who was counted `times` too often."""
        # whole counts include the person t + 1 times, and then never meet the second bound
        left = np.maximum(shares - times * person, shares / (times + 1))
        before = 1 - agreement
        mean: ExactOrFloats = (before * prior + agreement * left) / (before + agreement * (draws - times * person))
        return mean if times == 0 or both is None else (1 - both) * mean + both * ratio(shares, draws)

    outside = ground_without(0)
    # `outside**0` is 1 in the shape and the type of `outside`, floats or fractions
    weights: dict[int, ExactOrFloats] = {0: outside**0}  # by how many parts hold the person
    for part, tie in zip(parts, ties, strict=True):
        beyond = (1 - tie) * part.people  # φ̂ is the ground where the part goes by nothing else
        like_them = (tie * outside + beyond * part.shares) / (tie + beyond)
        absent = part.absent * ratio(like_them, outside)
        after: dict[int, ExactOrFloats] = {}
        for times, weight in weights.items():
            # where everybody is known to be present, a single count of holders is carried along
            if np.any(absent != 0):
                after[times] = after.get(times, 0) + weight * absent
            evidence = ratio(part.present, ground_without(times)) if times else part.present
            after[times + 1] = weight * evidence
        if part.present.dtype != object:
            # scaled by the largest of a row, in all of them alike: many releases neither vanish nor overflow
            largest = np.max([weight.max(axis=-1, keepdims=True) for weight in after.values()], axis=0)
            after = {times: ratio(weight, largest) for times, weight in after.items()}
        weights = after
    none = weights.pop(0, 0 * outside)
    present = sum(weights.values(), start=0 * outside)
    return _Part(ground.agreement, ratio(shares, draws), draws, ratio(person, draws), none, present, outside)
