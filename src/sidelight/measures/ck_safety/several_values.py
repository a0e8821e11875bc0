"""How confident can an attacker be who knows any k implications, where a person may have several values, or none?

Form        As with one value each, the worst are A₁ → A, …, A_k → A, and the risk is 1/(1 + r),
            r = Pr(neither A nor any A_i)/Pr(A): whatever the worlds are, a world without any of the premises fits.
Cells       Values go to people independently of each other, so that a cell, a value x of a group, is all there is: if
            a people of the group are asked about x, none has it with probability V(a), and atoms of different cells are
            independent.  With n people and m occurrences

                set        V(a) = Π_{i<a} (n − m − i)/(n − i)
                multiset   V(a) = ((n − a)/n)^m

Claim       With T = V(1)/(1 − V(1)), the odds against one target,

                r = min( min over targets of  V(k + 1)/(1 − V(1)),  min over targets of T · min over all cells of V(k) )

            because ln V is concave in a (each further person is less likely to be without), and a sum of concave
            functions of numbers that add up to k is least where one of them has all k.  In the second product the cell
            may be the target's own: the first product is then no larger.
Merging     Never raises the risk.  In a set, people of a merged group are assigned to the two groups at random, value
            by value, and one assignment is as bad as their mean.  In a multiset, one of the groups has at least
            as many occurrences a person as the merged one; with m/n fixed all three products rise with n, and with n
            fixed they fall with m.
Invariant   the three minima of each value are among the five that `Acquaintance` keeps, with k people of the family and
            nothing else known: `FiveMinima` finds and merges them exactly.

Negations of other people (`Negations`) need no more than T with k people fewer.

Source: ours; the paper has one value for each person.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sidelight.measures.ck_safety.implications import Atom, Implications, ImplicationsWitness, NegationsWitness
from sidelight.measures.ck_safety.minimize import LOG_OF_ZERO
from sidelight.measures.criterion import Amount, Finding
from sidelight.measures.exact import BITS_REPORTED, FRACTIONS, Number, RatioArithmetic, compute_exactly, tolerance
from sidelight.measures.measure import Summary
from sidelight.measures.privacy_skyline.five_minima import (
    FiveMinima,
    Knowledge,
    ValueInGroup,
    five_products,
    index_of_least,
    log_none_has,
    log_odds_against,
)
from sidelight.worlds.closed_forms import Investigation, Others, odds

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.measures.targets import Targets
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release
    from sidelight.table.labels import Label

TOGETHER, TARGET, PREMISES = 0, 1, 2
"""Which of the five minima are meant: V(k+1)/(1 − V(1)), T, and V(k)."""


def _clip_k(k: int) -> int:
    return min(k, 2**53)  # no release has more people and values


def summarize_several(measure: Implications, groups: Groups) -> Summary:
    """Return the minima of every value, from which the finding is read."""
    seen = measure.targets.view(groups)
    minima = FiveMinima.from_groups(seen, np.arange(len(seen.domain)), Knowledge(0, 0, _clip_k(measure.k)))
    return Summary(
        minima, FiveMinima.merge, partial(_find_worst, measure, groups.domain, measure.targets.indices(seen))
    )


def _find_worst(measure: Implications, domain: tuple[Label, ...], targets: Integers, minima: FiveMinima) -> Finding:
    notes = measure.targets.notes(domain)
    if not (minima.part[TARGET, targets] >= 0).any():
        return Finding(measure, Fraction(0), None, (measure.targets.nobody(), *notes))
    # all with the target, or the target alone and all premises in another cell
    everywhere = np.arange(len(minima.domain))
    options = [
        [_least(minima, TOGETHER, targets)],
        [_least(minima, TARGET, targets), _least(minima, PREMISES, everywhere)],
    ]
    best, risk = minima.least_odds(options)
    return Finding(measure, risk, _write_witness(measure, domain, minima, options[best]), notes)


def _least(minima: FiveMinima, number: int, columns: Integers) -> tuple[int, int]:
    """Find the value with the least of these minima, exactly, of equal ones the first: (number, column)."""
    logs, k = minima.logs[number, columns], minima.knowledge.family
    low = logs.min()
    # −∞ stands for a product of exactly 0, and has no tolerance
    limit = low if np.isneginf(low) else low + tolerance(low, k)
    near = columns[(logs <= limit) & (minima.part[number, columns] >= 0)]
    if np.isneginf(low) or len(near) == 1:
        return number, int(near[0])
    rivals = [minima.value_at(number, int(column)) for column in near]
    return number, int(near[index_of_least(rivals, five_products(minima.knowledge)[number], k)])


def _write_witness(
    measure: Implications, domain: tuple[Label, ...], minima: FiveMinima, option: list[tuple[int, int]]
) -> ImplicationsWitness:
    """Return the witness of an option, with no more people than it takes; idle implications fill up to k."""
    (here, value), (there, premise) = (
        (minima.group(number, column).name(0), minima.domain[int(minima.values[column])])
        for number, column in (option[0], option[-1])
    )
    cell, first = minima.value_at(*option[-1]), int(len(option) == 1)
    # the number of people of a group of whom one must have the value
    enough = (cell.people if cell.semantics == "multiset" else cell.people - cell.count + 1) - first
    premises = [Atom((there.number, at), premise) for at in range(first, first + min(measure.k, enough))]
    return ImplicationsWitness.from_premises(
        here,
        value,
        premises,
        [there] if premises else [],
        k=measure.k,
        any_of=measure.targets.members(domain),
        semantics=cell.semantics,
    )


def log_rows(groups: Groups, k: int, targets: Targets) -> Floats:
    """Return ln of the least V(h), and of the least odds with the target, for searches: (2, k + 1, groups) float64."""
    seen = targets.view(groups)
    counts, sizes, semantics = seen.counts.dense(), seen.sizes[:, np.newaxis], seen.semantics
    there, at_least_one = counts > 0, np.maximum(counts, 1)
    target = np.zeros(counts.shape[1], bool)
    target[targets.indices(seen)] = True
    against = log_odds_against(semantics, sizes, at_least_one, np.zeros_like(counts), 0)
    # (groups, values): a target must be a value in question that occurs in the group
    against = np.where(there & target, np.maximum(against, LOG_OF_ZERO), np.inf)  # finite, so that it adds to anything
    alone = against.min(axis=1, initial=np.inf)
    logs = np.empty((2, k + 1, len(groups)))
    for atoms in range(k + 1):
        none_has = np.where(there, log_none_has(semantics, sizes, at_least_one, atoms, 0), 0.0)
        logs[0, atoms] = np.maximum(none_has.min(axis=1, initial=0.0), LOG_OF_ZERO)
        beside = np.maximum(log_none_has(semantics, sizes, at_least_one, atoms, 1), LOG_OF_ZERO)
        together = (against + beside).min(axis=1, initial=np.inf)
        logs[1, atoms] = np.minimum(together, alone + logs[0, atoms])
    return logs


def probability_of_target(witness: ImplicationsWitness, release: Release, k: int) -> Amount:
    """Count worlds cell by cell: those with the target / those in which every implication holds.

    It is a fraction where the risk is one that is reported for these k implications.
    """
    people = Counter((person[0], value) for person, values in witness.premises().items() for value in values)
    own = (witness.target[0], witness.value)
    people[own] += 1
    cells = {
        (number, value): ValueInGroup.from_row(release.group(number), 0, release.groups.code_of(value), 0)
        for number, value in people
    }

    def probability(arithmetic: RatioArithmetic[Number]) -> Amount:
        without = arithmetic.ratio(1, 1)
        for cell, many in people.items():
            without *= _none_has(cells[cell], many, arithmetic)
        return arithmetic.risk(without / (1 - _none_has(cells[own], 1, arithmetic)))

    bits = sum(cell.bits(_clip_k(k)) for cell in cells.values())
    return compute_exactly(bits, BITS_REPORTED, probability)


def _none_has(cell: ValueInGroup, people: int, arithmetic: RatioArithmetic[Number]) -> Number:
    """Multiply over the people one by one (in a multiset: over the occurrences at once)."""
    if cell.semantics == "multiset":
        return arithmetic.ratio(max(cell.people - people, 0), cell.people) ** cell.count
    lacking = cell.people - cell.count
    steps = range(min(people, cell.people))
    return arithmetic.product((max(lacking - before, 0), cell.people - before) for before in steps)


def replay_negations(witness: NegationsWitness, release: Release) -> Amount:
    """Count worlds by what an attacker knows about others, as for `Acquaintance`."""
    known = Investigation(witness.group, witness.value, others=Others(witness.group, witness.others))

    def risk(arithmetic: RatioArithmetic[Number]) -> Amount:
        has, lacks = odds(release, known, arithmetic.ratio)
        return arithmetic.risk(lacks / has)

    if release.semantics == "set":  # where odds are short
        return risk(FRACTIONS)
    group = release.group(witness.group)
    count, people = int(group.counts.row(0)[release.groups.code_of(witness.value)]), int(group.sizes[0])
    return compute_exactly(count * (people - witness.others).bit_length(), BITS_REPORTED, risk)
