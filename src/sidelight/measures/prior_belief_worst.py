"""The worst case of many: found in floats for all groups and values at once, decided in fractions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sidelight.measures.exact import NEAR, Floats, first_of_each
from sidelight.measures.finding import Amount
from sidelight.measures.prior_belief_predicates import Predicate
from sidelight.measures.prior_belief_prior import Prior
from sidelight.measures.prior_belief_ratios import Case, Ratio, Rule, smallest_epsilon
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers
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

    @cached_property
    def starts(self) -> Integers:
        """Where each part begins."""
        return np.flatnonzero(np.diff(self.part, prepend=-1))

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


class Found(NamedTuple):
    """The worst case of a part: its group's row, its column, and ε."""

    row: int
    column: int
    case: Case
    value: Amount
    ratio: Ratio


def worst_of_parts(cases: Cases, prior: Prior, rule: Rule) -> dict[int, Found]:
    """Find the worst case of each part; parts without cases are left out.

    Of equally bad cases the first one counts: by group, then by column.
    """
    worst: dict[int, Found] = {}
    seen: dict[tuple[Case, int], tuple[Amount, Ratio]] = {}  # groups that stay the same are in many parts
    for part, row, column, with_it, people in _candidates(cases, cases.scores(prior, rule)).tolist():
        alike = case, _ = Case(people, with_it, cases.known), column
        if alike not in seen:
            seen[alike] = smallest_epsilon(case, prior, column, rule)
        if part not in worst or seen[alike][0] > worst[part].value:
            worst[part] = Found(row, column, case, *seen[alike])
    return worst


def _candidates(cases: Cases, score: Floats) -> Integers:
    """Give the cases near the worst of their part: part, row, column, n_q(s), n_q.

    Of those that are alike, or infinite, in the same part the first one is enough.
    """
    if len(score) == 0:
        return np.empty((0, 5), np.int64)
    lengths = np.diff(cases.starts, append=len(score))
    near = np.flatnonzero(score >= np.repeat(np.maximum.reduceat(score, cases.starts) * (1 - NEAR), lengths))
    first = np.diff(cases.part[near], prepend=-1) > 0
    near = near[first | np.isfinite(score[near])]
    arrays = (cases.part, cases.rows, cases.columns, cases.with_it, cases.people)
    found = np.stack([array[near] for array in arrays], axis=1)
    return found if len(found) == len(lengths) else found[first_of_each(found[:, [0, 2, 3, 4]])]
