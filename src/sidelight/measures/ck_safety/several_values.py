"""How sure can someone get who knows any k implications, where a person may have several values, or none?

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
Merging     Never raises the risk.  In a set, people of a merged group are dealt to the places of the two groups at
            random, value by value, and one deal is as bad as their mean.  In a multiset, one of the groups has at least
            as many occurrences a person as the merged one; with m/n fixed all three products rise with n, and with n
            fixed they fall with m.
Invariant   the three minima of each value are among the five that `Acquaintance` keeps, with k people of the family and
            nothing else known: `FiveMinima` finds and merges them exactly.

Negations of other people (`Negations`) need no more than T with k people fewer.

Source: ours; the paper has one value for each person.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sidelight.measures.ck_safety.minimize_within_group import LOG_OF_ZERO
from sidelight.measures.criterion import Amount, Finding
from sidelight.measures.exact import BITS_REPORTED, Number, RatioArithmetic, compare_exactly, compute_exactly
from sidelight.measures.privacy_skyline.five_minima import (
    ODDS,
    FiveMinima,
    Knowledge,
    ValueInGroup,
    five_products,
    index_of_least,
    tolerance,
)

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.measures.ck_safety.implications import Implications, ImplicationsWitness
    from sidelight.measures.targets import Targets
    from sidelight.release.groups import GroupName, Groups
    from sidelight.release.release import Release
    from sidelight.table.labels import Label

TOGETHER, TARGET, PREMISES = 0, 1, 2
"""Which of the five minima are meant: V(k+1)/(1 − V(1)), T, and V(k)."""


def _clip_k(k: int) -> int:
    return min(k, 2**53)  # more are as good as so many: no release has more people and values to ask about


@dataclass(frozen=True, eq=False, slots=True)
class SeveralValuesSummary:
    """The minima of every value, and which values are targets."""

    measure: Implications
    minima: FiveMinima
    targets: Integers
    domain: tuple[Label, ...]  # as the release has it; categories are taken for one value in the minima

    @classmethod
    def from_groups(cls, measure: Implications, groups: Groups) -> SeveralValuesSummary:
        seen = measure.targets.view(groups)
        minima = FiveMinima.from_groups(seen, np.arange(len(seen.domain)), Knowledge(0, 0, _clip_k(measure.k)))
        return cls(measure, minima, measure.targets.indices(seen), groups.domain)

    def merge(self, other: SeveralValuesSummary) -> SeveralValuesSummary:
        return replace(self, minima=self.minima.merge(other.minima))

    def finding(self) -> Finding:
        targets, notes = self.measure.targets, self.measure.targets.notes(self.domain)
        if not (self.minima.part[TARGET, self.targets] >= 0).any():
            return Finding(self.measure, Fraction(0), None, (targets.nobody(), *notes))
        everywhere = np.arange(len(self.minima.domain))
        # all with the target, or the target alone and all premises in another cell
        options = [
            [self._least(TOGETHER, self.targets)],
            [self._least(TARGET, self.targets), self._least(PREMISES, everywhere)],
        ]
        # estimated first: fractions with too many bits are compared in decimals instead
        bits = [sum(self._value_at(*each).bits(self.k) for each in option) for option in options]
        best = compare_exactly(
            max(bits),
            lambda arithmetic: min(range(2), key=[self._odds(each, arithmetic) for each in options].__getitem__),
        )
        risk = compute_exactly(
            bits[best], BITS_REPORTED, lambda arithmetic: arithmetic.risk(self._odds(options[best], arithmetic))
        )
        return Finding(self.measure, risk, self._witness(options[best]), notes)

    def _least(self, number: int, columns: Integers) -> tuple[int, int]:
        """Find the value with the least of these minima, exactly; of equal ones the first."""
        logs = self.minima.logs[number, columns]
        low = logs.min()
        # −∞ stands for a product of exactly 0, and has no tolerance
        limit = low if np.isneginf(low) else low + tolerance(low, self.k)
        near = columns[(logs <= limit) & (self.minima.part[number, columns] >= 0)]
        if np.isneginf(low) or len(near) == 1:
            return number, int(near[0])
        rivals = [self._value_at(number, int(column)) for column in near]
        return number, int(near[index_of_least(rivals, five_products(self.minima.knowledge)[number], self.k)])

    @property
    def k(self) -> int:
        return _clip_k(self.measure.k)

    def _value_at(self, number: int, column: int) -> ValueInGroup:
        return ValueInGroup.from_row(self.minima.group(number, column), 0, int(self.minima.values[column]), 0)

    def _odds(self, option: list[tuple[int, int]], arithmetic: RatioArithmetic[Number]) -> Number:
        odds = arithmetic.ratio(1, 1)
        for number, column in option:
            factors = five_products(self.minima.knowledge)[number]
            odds *= self._value_at(number, column).product(factors, self.k, arithmetic)
        return odds

    def _witness(self, option: list[tuple[int, int]]) -> ImplicationsWitness:
        """Write down who is asked about what, no more people than it takes; idle implications fill up to k."""
        from sidelight.measures.ck_safety.implications import (  # noqa: PLC0415 - which asks this file
            Atom,
            Implication,
            ImplicationsWitness,
            idle_implications,
        )

        (here, value), (there, premise) = self._place(*option[0]), self._place(*option[-1])
        atom, first = Atom((here.number, 0), value), int(len(option) == 1)
        cell = self._value_at(*option[-1])
        # so many people of a group make sure that one of them has the value
        enough = (cell.people if cell.semantics == "multiset" else cell.people - cell.count + 1) - first
        people = range(first, first + min(self.k, enough))
        premises = [Implication(Atom((there.number, position), premise), atom) for position in people]
        idle = idle_implications(atom, self.k - len(premises))
        return ImplicationsWitness(
            here,
            value,
            target=atom.person,
            implications=(*premises, *idle),
            elsewhere=() if there == here or not premises else (there,),
            any_of=self.measure.targets.members(self.domain),
            semantics=self.minima.groups[0].semantics,
        )

    def _place(self, number: int, column: int) -> tuple[GroupName, Label]:
        return self.minima.group(number, column).name(0), self.minima.domain[int(self.minima.values[column])]


def log_rows(groups: Groups, k: int, targets: Targets) -> tuple[Floats, Floats]:
    """Return ln of the least V(h), and of the least odds with the target, for searches: (k + 1, groups) float64."""
    seen = targets.view(groups)
    counts, sizes = seen.counts.dense(), seen.sizes[:, np.newaxis]
    there, odds = counts > 0, ODDS[seen.semantics]
    at_least_one = np.maximum(counts, 1)
    target = np.zeros(counts.shape[1], bool)
    target[targets.indices(seen)] = True
    against = odds.log_odds_against(sizes, at_least_one, np.zeros_like(counts), 0)
    # (groups, values): a target must be a value in question that somebody of the group has
    against = np.where(there & target, np.maximum(against, LOG_OF_ZERO), np.inf)  # finite, so that it adds to anything
    alone = against.min(axis=1, initial=np.inf)
    others, placed = np.empty((2, k + 1, len(groups)))
    for atoms in range(k + 1):
        none_has = np.where(there, odds.log_none_has(sizes, at_least_one, atoms, 0), 0.0)
        others[atoms] = np.maximum(none_has.min(axis=1, initial=0.0), LOG_OF_ZERO)
        beside = np.maximum(odds.log_none_has(sizes, at_least_one, atoms, 1), LOG_OF_ZERO)
        together = (against + beside).min(axis=1, initial=np.inf)
        placed[atoms] = np.minimum(together, alone + others[atoms])
    return others, placed


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
        for place, many in people.items():
            without *= _none_has(cells[place], many, arithmetic)
        return arithmetic.risk(without / (1 - _none_has(cells[own], 1, arithmetic)))

    bits = sum(cell.bits(_clip_k(k)) for cell in cells.values())
    return compute_exactly(bits, BITS_REPORTED, probability)


def _none_has(cell: ValueInGroup, people: int, arithmetic: RatioArithmetic[Number]) -> Number:
    """Go through the people one by one (in a multiset: through the occurrences at once)."""
    if cell.semantics == "multiset":
        return arithmetic.ratio(max(cell.people - people, 0), cell.people) ** cell.count
    lacking = cell.people - cell.count
    steps = range(min(people, cell.people))
    return arithmetic.product((max(lacking - before, 0), cell.people - before) for before in steps)
