"""The worst case of many: found in floats for all groups and values at once, decided in fractions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.measures.exact import NEAR, Floats, first_of_each
from sidelight.measures.finding import Amount
from sidelight.measures.prior_belief_predicates import Predicate
from sidelight.measures.prior_belief_prior import Prior
from sidelight.measures.prior_belief_ratios import Case, Ratio, Rule, smallest_epsilon
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers
from sidelight.table.labels import Label


@dataclass(frozen=True, eq=False, slots=True)
class Cases:
    """All pairs of a group and a value (or predicate) that occurs in it, sorted by group."""

    rows: Integers
    columns: Integers
    people: Integers
    with_it: Integers

    @classmethod
    def of(cls, groups: Groups, predicates: tuple[Predicate, ...], domain: tuple[Label, ...]) -> Cases:
        """List the cases: one column per value of the release, or per predicate on the (wider) domain."""
        if not predicates:
            rows, columns, with_it = groups.counts.entries()
        else:
            counts, width = groups.counts.dense(), groups.counts.width
            places = [[place for place in each.places(domain) if place < width] for each in predicates]
            sums = np.stack([counts[:, each].sum(axis=1) for each in places], axis=1)
            rows, columns = np.nonzero(sums)
            with_it = sums[rows, columns]
        return cls(rows, columns, groups.sizes[rows], with_it)


@dataclass(frozen=True, slots=True)
class Found:
    """The worst case of a part: its group's row, its column, and ε."""

    row: int
    column: int
    case: Case
    value: Amount
    ratio: Ratio


def scores(cases: Cases, prior: Prior, *, known: int, rule: Rule) -> Floats:
    """Give ε of every case in floats; infinite exactly where it is."""
    moved, more = prior.moved, prior.moved if rule == "closed conditions" else 0
    own = np.array([float(each - moved) for each in prior.own])[cases.columns]
    others = np.array([float(prior.total - each) for each in prior.own])[cases.columns]
    free = np.maximum(cases.people - known, cases.with_it)
    evidence = moved * cases.people + float(prior.total - moved)
    outside = moved * (cases.people - cases.with_it) + others
    with np.errstate(divide="ignore", invalid="ignore"):
        belief = cases.with_it / free * ((evidence + more) / (moved * cases.with_it + own))
        doubt = free / (free - cases.with_it) * ((outside + more) / evidence)
    worse: Floats = np.fmax(belief, doubt)  # 0/0, no doubt before and after, is nan and does not count
    if rule == "closed conditions":
        worse[cases.people - known < cases.with_it] = np.inf
    return worse


def worst_of_parts(
    cases: Cases, part: Integers, parts: int, prior: Prior, *, known: int, rule: Rule
) -> list[Found | None]:
    """Find the worst case of each part, where group r belongs to `part[r]`; None for parts without cases.

    Of equally bad cases the first one counts: by group, then by column.
    """
    score, where = scores(cases, prior, known=known, rule=rule), part[cases.rows]
    top = np.full(parts, -np.inf)
    np.maximum.at(top, where, score)
    near = np.flatnonzero(score >= top[where] * (1 - NEAR))
    kept = near[_first_of_each(cases, near, where[near], infinite=np.isinf(score[near]))]
    worst: list[Found | None] = [None] * parts
    for place, row, column, people, with_it in np.stack(
        (where[kept], cases.rows[kept], cases.columns[kept], cases.people[kept], cases.with_it[kept]), axis=1
    ).tolist():
        case = Case(people, with_it, known)
        value, ratio = smallest_epsilon(case, prior, column, rule)
        best = worst[place]
        if best is None or (value, -row, -column) > (best.value, -best.row, -best.column):
            worst[place] = Found(row, column, case, value, ratio)
    return worst


def _first_of_each(cases: Cases, near: Integers, where: Integers, *, infinite: npt.NDArray[np.bool_]) -> Integers:
    """Keep the first of those cases that are alike: their ε is the same; so it is for all infinite ones of a part."""
    kinds = np.stack((cases.columns[near], cases.with_it[near], cases.people[near]), axis=1)
    kinds[infinite] = 0
    return first_of_each(np.column_stack((where, kinds)))
