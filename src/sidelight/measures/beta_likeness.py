"""By how much does a value become more likely?

Symbols     q a value's share in a group, p its share in the whole release.
Value       basic: the largest (q − p)/p.  enhanced: the least β with q ≤ (1 + min(β, −ln p))·p everywhere: the same
            number where no q/p is more than 1 − ln p, and infinite where one is.
Ties        q/p and 1 − ln p are never equal but at p = 1, as logarithms of fractions are irrational; where floats
            cannot tell them apart, 60 digits do (`too_much`).

Source: Cao and Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 2012.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import localcontext
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from sidelight.arrays import Flags, Integers
from sidelight.measures.attacker import ROW, Attacker
from sidelight.measures.exact import FLOATS, NEAR, Amount, Arithmetic, Numbers
from sidelight.measures.fields import choice
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.group_by_group import (
    FormulaMeasure,
    ShareRuns,
    ShareWitness,
    exact_shares,
    occurring_shares,
    reduce_share_runs,
    share_runs,
    share_witness,
)
from sidelight.measures.measure import Measure, Monotonicity
from sidelight.measures.targets import Targeted
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.rounding import PRECISE, in_words, log
from sidelight.table.labels import Label, shown

Kind: TypeAlias = Literal["basic", "enhanced"]


@dataclass(frozen=True)
class BetaLikeness(Targeted, FormulaMeasure):
    """By what factor, less 1, does a value become more likely to someone who finds a person's group?

    basic: max of (q − p)/p over groups and values with q > p, q = the group's share of the value and p the whole
    release's.  enhanced: the smallest β with q ≤ (1 + min(β, −ln p))·p everywhere, so that frequent values may
    gain less; infinite if there is none.  Losses (q < p) do not count.  At most β is β-likeness.
    Groups in which nobody has a value are passed over, and so are the gains of values in `apart_from`.

    >>> release = Release.from_counts([{"Flu": 7, "HIV": 1}, {"Flu": 1, "HIV": 1}])
    >>> finding = BetaLikeness().measure(release)
    >>> finding.value, finding.witness.value
    (Fraction(3, 2), 'HIV')
    >>> print(finding.explain())
    In group 2, 'HIV' is 1/2 of the values and 1/5 of all: more frequent by 3/2 of its frequency.

    Source: Cao and Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 2012.
    """

    kind: Kind = field(
        default="basic", metadata=choice(Kind, "no kind '{given}' of '{measure}'; choose basic or enhanced")
    )

    name: ClassVar[str] = "beta likeness"
    attacker = Attacker(
        "somebody who knows a person and looks for them",
        f"{ROW}; and how common values are overall",
        "how much likelier a value becomes",
        "groups",
    )
    sparse_statistic: ClassVar[bool] = True
    also_called = ("b-likeness", "β-likeness")
    when_groups_merge = Monotonicity.NON_INCREASING

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        some = [cls(kind, apart_from=domain[:1]) for kind in get_args(Kind) for _ in domain[1:2]]
        return (cls(), cls(kind="enhanced"), *some)

    def statistic(self, groups: Groups) -> Integers:
        return share_runs(groups, self.targets.coding(groups))

    def canonical(self, statistic: Integers) -> Integers:
        return reduce_share_runs(statistic)

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The largest q/p − 1; infinite where some q/p is more than 1 − ln p and the kind is enhanced."""
        runs = ShareRuns.unpack(statistic)
        here, overall = runs.shares(groups, arithmetic)
        gained = here / overall
        gains: Numbers = np.maximum(gained.max(axis=1) - 1, 0)
        if self.kind == "enhanced":
            gains[_beyond(gained, overall, runs, groups, arithmetic).any(axis=1)] = math.inf
        return gains

    def witness(self, groups: Groups, row: int) -> Witness:
        """Point at a value that gains too much, or else the one that gains most."""
        coding = self.targets.coding(groups)
        every = [each for each in occurring_shares(groups, row) if coding[each[0]] >= 0]
        most, *_ = max(every, key=lambda each: each[1] / each[2], default=(int((coding >= 0).argmax()),))
        if self.kind == "enhanced":
            most = next((place for place, q, p in every if too_much(q, p)), most)
        return share_witness(groups, row, most)

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, ShareWitness):
            return "Nobody in the release has any value, so nothing becomes more likely."
        if finding.value == 0:
            other = "other " if self.apart_from else ""
            return f"No {other}value is more frequent in any group than in the whole release."
        seen = (
            f"In {finding.witness.group}, '{shown(finding.witness.value)}' is {in_words(finding.witness.here)} of the "
            f"values and {in_words(finding.witness.overall)} of all: "
        )
        if finding.value == math.inf:
            return f"{seen}a gain that no limit allows for so frequent a value."
        return f"{seen}more frequent by {in_words(finding.value)} of its frequency."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute the gain of the witness's value by the definition."""
        here, overall = exact_shares(release.groups, witness)
        q, p = here[witness.value], overall[witness.value]
        if p == 0:
            return Fraction(0)
        if self.kind == "enhanced" and too_much(q, p):
            return math.inf
        return max((q - p) / p, Fraction(0))


def _beyond(gained: Numbers, overall: Numbers, runs: ShareRuns, groups: Groups, arithmetic: Arithmetic) -> Flags:
    """Return where q/p is more than 1 − ln p; floats that are too near are decided exactly."""
    allowed = 1 - arithmetic.log(overall)
    whole = int(groups.whole.sum())
    allowed[runs.overall == whole] = math.inf  # q ≤ p = 1
    beyond: Flags = gained > allowed
    if arithmetic is FLOATS:
        near = np.abs(gained - allowed) <= NEAR * np.where(np.isfinite(allowed), allowed, 0)
        for row, run in np.argwhere(near).tolist():
            here = Fraction(int(runs.here[row, run]), int(runs.n[row, 0]))
            beyond[row, run] = too_much(here, Fraction(int(runs.overall[row, run]), whole))
    return beyond


@lru_cache(maxsize=4096)
def too_much(here: Fraction, overall: Fraction) -> bool:
    """Return whether (q − p)/p > −ln p.  They are equal only at p = q = 1, as logarithms are irrational."""
    gain = (here - overall) / overall
    with localcontext(PRECISE):
        return gain.numerator > -log(overall) * gain.denominator
