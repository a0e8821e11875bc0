"""How much more is believed of somebody because of being in the release: one case, exactly."""

from __future__ import annotations

import math
from enum import StrEnum
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from sidelight.measures.epsilon_privacy.prior import Prior
from sidelight.measures.finding import Amount

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
