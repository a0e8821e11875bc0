"""The worst case of many: found in floats for all groups and values at once, decided in fractions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from sidelight._arrays import Floats, Integers, numbered
from sidelight.measures.epsilon_privacy.prior import Predicate, Prior
from sidelight.measures.exact import NEAR, Amount
from sidelight.release.groups import Groups
from sidelight.table.labels import Label


@dataclass(frozen=True, eq=False)
class Cases:
    """All pairs of a group and a value (or predicate) that occurs in it, sorted by group.

    The groups may be of several releases, or parts of them: `part[i]` says which, and parts come one after another.
    What depends on nothing but the counts is computed once, however many priors are compared with them.
    """

    part: Integers
    rows: Integers
    columns: Integers
    people: Integers  # n_q
    with_it: Integers  # n_q(s)
    known: int  # b

    @classmethod
    def of(
        cls,
        groups: Groups,
        predicates: tuple[Predicate, ...],
        domain: tuple[Label, ...],
        *,
        known: int,
        part: Integers | None = None,
    ) -> Cases:
        """List the cases: one column per value of the release, or per predicate on the (wider) domain."""
        if not predicates:
            rows, columns, with_it = groups.counts.entries()
        else:
            counts, width = groups.counts.dense(), groups.counts.width
            places = [[place for place in each.places(domain) if place < width] for each in predicates]
            sums = np.stack([counts[:, each].sum(axis=1) for each in places], axis=1)
            rows, columns = np.nonzero(sums)
            with_it = sums[rows, columns]
        return cls(
            np.zeros_like(rows) if part is None else part[rows], rows, columns, groups.sizes[rows], with_it, known
        )

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        arrays = (self.part, self.rows, self.columns, self.people, self.with_it)
        return zip(*(array.tolist() for array in arrays), strict=True)

    @cached_property
    def starts(self) -> Integers:
        """Where each part begins."""
        return np.flatnonzero(np.diff(self.part, prepend=-1))

    def take(self, kept: Integers) -> Cases:
        """Keep some cases, in the order given."""
        return Cases(
            self.part[kept], self.rows[kept], self.columns[kept], self.people[kept], self.with_it[kept], self.known
        )

    @cached_property
    def certain(self) -> Cases:
        """The first case of each part in which everybody who is not known has it, so that p_in = 1."""
        sure = np.flatnonzero(self.free == self.with_it)
        return self.take(sure[np.diff(self.part[sure], prepend=-1) > 0])

    @cached_property
    def uncertain(self) -> Cases:
        """The cases of all parts that have none of these."""
        return self.take(np.flatnonzero(~np.isin(self.part, self.certain.part)))

    @cached_property
    def free(self) -> Integers:
        """How many people are not known, at worst, and may have it."""
        return np.maximum(self.people - self.known, self.with_it)

    @cached_property
    def p_in(self) -> Floats:
        """The belief with the person in the release."""
        return self.with_it / self.free

    @cached_property
    def over_doubt(self) -> Floats:
        """1 / (1 − p_in)."""
        with np.errstate(divide="ignore"):
            return self.free / (self.free - self.with_it)

    @cached_property
    def as_floats(self) -> tuple[Floats, Floats, Floats]:
        """People with it, without it, and all of them."""
        return self.with_it.astype(float), (self.people - self.with_it).astype(float), self.people.astype(float)

    def scores(self, prior: Prior, rule: Rule) -> Floats:
        """Give ε of every case in floats: infinite exactly where it is, else right but for the last few digits.

        The formulas are those of `smallest_epsilon`; differences are of whole numbers or of exact weights only.
        """
        moved, closed = prior.moved, rule == "closed conditions"
        more = moved if closed else 0
        believed = np.array([float(own - moved) for own in prior.own])[self.columns]
        outside = np.array([float(prior.total - own + more) for own in prior.own])[self.columns]
        evidence = np.array([float(prior.total - moved)])
        if moved:
            with_it, without_it, people = self.as_floats
            believed, outside, evidence = believed + with_it, outside + without_it, evidence + people
        with np.errstate(divide="ignore", invalid="ignore"):
            belief = (evidence + more) / believed * self.p_in
            doubt = outside / evidence * self.over_doubt
        worse: Floats = np.fmax(belief, doubt)  # 0/0, no doubt before and after, is nan and does not count
        if closed:
            worse[self.people - self.known < self.with_it] = np.inf
        return worse


class WorstCase(NamedTuple):
    """The worst case of a part: its group's row, its column, and ε."""

    row: int
    column: int
    case: Case
    value: Amount
    ratio: Ratio


def worst_of_parts(cases: Cases, prior: Prior, rule: Rule) -> dict[int, WorstCase]:
    """Find the worst case of each part; parts without cases are left out.

    Of equally bad cases the first one counts: by group, then by column.
    """
    worst: dict[int, WorstCase] = {}
    seen: dict[tuple[Case, int], tuple[Amount, Ratio]] = {}  # groups that stay the same are in many parts
    for part, row, column, people, with_it in _candidates(cases, prior, rule):
        alike = case, _ = Case(people, with_it, cases.known), column
        if alike not in seen:
            seen[alike] = smallest_epsilon(case, prior, column, rule)
        if part not in worst or seen[alike][0] > worst[part].value:
            worst[part] = WorstCase(row, column, case, *seen[alike])
    return worst


def _candidates(cases: Cases, prior: Prior, rule: Rule) -> Iterator[tuple[int, ...]]:
    """Give the cases that may be the worst of their part: part, row, column, n_q, n_q(s)."""
    if rule == "definition" and prior.leaves_doubt:  # then ε is infinite where p_in = 1, and nowhere else
        yield from cases.certain
        cases = cases.uncertain
    if len(cases.part):
        yield from cases.take(_near_worst(cases, cases.scores(prior, rule)))


def _near_worst(cases: Cases, score: Floats) -> Integers:
    """List the cases near the worst of their part; the first of those that are alike, or infinite, is enough."""
    lengths = np.diff(cases.starts, append=len(score))
    near = np.flatnonzero(score >= np.repeat(np.maximum.reduceat(score, cases.starts) * (1 - NEAR), lengths))
    near = near[(np.diff(cases.part[near], prepend=-1) > 0) | np.isfinite(score[near])]
    if len(near) == len(lengths):
        return near
    return near[_first_of_each(cases.part[near], cases.columns[near], cases.with_it[near], cases.people[near])]


def _first_of_each(*kinds: Integers) -> Integers:
    """Keep the first of those that are alike, in order.  Class II has many: there ε often depends on n_q alone."""
    key, below = np.zeros(len(kinds[0]), np.int64), 1
    for kind in kinds:
        base = int(kind.max() - kind.min()) + 1
        if below * base >= 2**62:
            key, first = numbered(key, below=below)
            below = len(first)
        key, below = key * base + (kind - kind.min()), below * base
    return np.sort(numbered(key, below=below)[1])


# ----------------------------------------------------------------------------------------------------
# How much more is believed of somebody because of being in the release: one case, exactly.
# ----------------------------------------------------------------------------------------------------


Rule: TypeAlias = Literal["definition", "closed conditions"]
"""Decide by the definition, or by the paper's conditions, which imply it and are a little stricter."""


class Ratio(StrEnum):
    """Which of the two ratios is the larger one."""

    BELIEF = "p_in / p_out"  # the belief that it is so grows
    DOUBT = "(1 - p_out) / (1 - p_in)"  # the doubt whether it is so shrinks


class Case(NamedTuple):
    """A group, and a value or predicate that occurs in it: n_q people, n_q(s) ≥ 1 with it, b of them known."""

    people: int
    with_it: int
    known: int

    @property
    def p_in(self) -> Fraction:
        """The belief with the person in the release: at worst the known people are in this group without it."""
        return Fraction(self.with_it, self.people - min(self.known, self.people - self.with_it))

    def p_out(self, prior: Prior, column: int) -> Fraction:
        """The belief with the person left out: at worst the person had it."""
        evidence = Fraction(prior.moved * (self.people - 1) + prior.total)
        return (prior.moved * (self.with_it - 1) + prior.own[column]) / evidence


def raised(p_in: Fraction, p_out: Fraction) -> Amount:
    """Give ε = max(p_in/p_out, (1 − p_out)/(1 − p_in)); where no doubt is left, the latter is infinite.

    >>> raised(Fraction(9, 10), Fraction(3, 5)), raised(Fraction(1), Fraction(1, 2)), raised(Fraction(1), Fraction(1))
    (Fraction(4, 1), inf, Fraction(1, 1))
    """
    if p_out == 0:
        return math.inf
    if p_in == 1:
        return Fraction(1) if p_out == 1 else math.inf
    return max(p_in / p_out, (1 - p_out) / (1 - p_in))


def smallest_epsilon(case: Case, prior: Prior, column: int, rule: Rule) -> tuple[Amount, Ratio]:
    """Give ε of one case and the ratio that decides it, in whole numbers only: several times quicker than fractions.

    With O/T = p_out and f people who are not known, p_in/p_out = n_q(s)·T / (f·O) and
    (1 − p_out)/(1 − p_in) = f·(T − O) / ((f − n_q(s))·T).  The closed conditions take f = n_q − b and have one more
    in n_q(s)·(T + 1) and in T − O + 1 (not in class III).
    """
    own, total, unit = prior.in_whole_numbers
    closed = rule == "closed conditions"
    with_it, more = case.with_it, prior.moved * unit if closed else 0
    free = case.people - case.known
    if free < with_it:
        if closed:
            return math.inf, Ratio.DOUBT
        free = with_it
    believed = prior.moved * (with_it - 1) * unit + own[column]
    evidence = prior.moved * (case.people - 1) * unit + total
    if believed == 0:
        return math.inf, Ratio.BELIEF
    belief, under_belief = with_it * (evidence + more), free * believed
    doubt, under_doubt = free * (evidence - believed + more), (free - with_it) * evidence
    if under_doubt == 0 and doubt:
        return math.inf, Ratio.DOUBT
    if under_doubt == 0 or belief * under_doubt >= doubt * under_belief:
        return Fraction(belief, under_belief), Ratio.BELIEF
    return Fraction(doubt, under_doubt), Ratio.DOUBT


def closed_conditions(case: Case, prior: Prior, column: int) -> Amount:
    """Give the smallest ε that meets the paper's conditions R1 and R2 (Theorems 1 to 3), as they are printed.

    With N = n_q − b, Σ = σ + b, share = n_q(s)/N, δ = (ε−1)N/Σ and ε' = ε(1−1/Σ), each is linear in ε:
    R1 (N ≥ Σ/(ε−1) or share ≤ ε/(1−δ)·(σ(s)−1)/Σ) is ε·(σ(s)−1 + n_q(s))/Σ ≥ share·(1 + N/Σ), and
    R2 (share ≤ 1 − 1/(ε'+δ) + (σ(s)−1)/(Σ(ε'+δ))) is (ε'+δ)·(1 − share) ≥ 1 − (σ(s)−1)/Σ.
    """
    free = case.people - case.known
    if free < case.with_it:
        return math.inf
    own, share, strength = prior.own[column], Fraction(case.with_it, free), prior.total + case.known
    if not prior.moved:
        return raised(share, own)
    if share == 1:
        return math.inf
    first = share * (strength + free) / (own - 1 + case.with_it)
    together = (1 - (own - 1) / strength) / (1 - share)  # what ε' + δ must reach
    return max(first, (together * strength + free) / (strength - 1 + free))
