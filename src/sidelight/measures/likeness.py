"""By how much does a value become more likely, or by what factor less likely?

Symbols     q a value's share in a group, p its share in the whole release.
β-likeness  basic: the largest (q − p)/p.  enhanced: the least β with q ≤ (1 + min(β, −ln p))·p everywhere: the same
            number where no q/p is more than 1 − ln p, and infinite where one is.  q/p and 1 − ln p are never equal but
            at p = 1, as logarithms of fractions are irrational; where floats cannot tell them apart, 60 digits do
            (`too_much`).
δ-disclosure  the largest |ln(q/p)|, which is ln of the largest of all q/p and p/q: one logarithm a group.

Sources: Cao and Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 2012; Brickell and Shmatikov, The
Cost of Privacy, KDD 2008.
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
from sidelight.rounding import PRECISE, in_words, log, round_up
from sidelight.table.labels import Label, shown

Kind: TypeAlias = Literal["basic", "enhanced"]
Absent: TypeAlias = Literal["infinite", "skipped"]


@dataclass(frozen=True)
class _ShareChange(Targeted, FormulaMeasure):
    """A measure of how the shares of values in a group differ from those in the whole release."""

    sparse_statistic: ClassVar[bool] = True

    def statistic(self, groups: Groups) -> Integers:
        return share_runs(groups, self.targets.coding(groups))

    def canonical(self, statistic: Integers) -> Integers:
        return reduce_share_runs(statistic)


@dataclass(frozen=True)
class BetaLikeness(_ShareChange):
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
    also_called = ("b-likeness", "β-likeness")
    when_groups_merge = Monotonicity.NON_INCREASING

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        some = [cls(kind, apart_from=domain[:1]) for kind in get_args(Kind) for _ in domain[1:2]]
        return (cls(), cls(kind="enhanced"), *some)

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The largest q/p − 1; infinite where some q/p is more than 1 − ln p and the kind is enhanced."""
        runs = ShareRuns.unpack(statistic)
        here, overall = runs.shares(groups, arithmetic)
        gained = here / overall
        # losses do not count
        gains: Numbers = np.maximum(gained.max(axis=1) - 1, 0)
        if self.kind == "enhanced":
            gains[_gain_too_much(gained, overall, runs, groups, arithmetic).any(axis=1)] = math.inf
        return gains

    def witness(self, groups: Groups, row: int) -> Witness:
        """Return a value that gains too much, or else the one that gains most."""
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


def _gain_too_much(gained: Numbers, overall: Numbers, runs: ShareRuns, groups: Groups, arithmetic: Arithmetic) -> Flags:
    """Return where q/p is more than 1 − ln p: (groups, runs) bool.  Floats that are too near are decided exactly."""
    allowed = 1 - arithmetic.log(overall)
    whole = int(groups.whole.sum())
    allowed[runs.overall == whole] = math.inf  # q ≤ p = 1
    beyond: Flags = gained > allowed
    # floats this near may be on the wrong side of the logarithm
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


@dataclass(frozen=True)
class DeltaDisclosure(_ShareChange):
    """By what factor, in either direction, does finding a person's group change how likely a value is?

    max |ln(q/p)| over groups and values of the release, q = the group's share of the value and p the whole
    release's.  Below δ is δ-disclosure privacy.  A value that a group lacks makes it infinite: it is ruled out
    there; `absent="skipped"` passes such values over, and then merging groups may make things worse.
    A float rounded up, or exactly 0.  Groups in which nobody has a value are passed over, and so are values in
    `apart_from`.

    >>> release = Release.from_counts([{"Flu": 3, "HIV": 1}, {"Flu": 1, "HIV": 1}])
    >>> finding = DeltaDisclosure().measure(release)
    >>> finding.value, finding.witness.value
    (0.4054651081081644, 'HIV')
    >>> print(finding.explain())
    In group 2, 'HIV' is 1/2 of the values and 1/3 of all: 1.5 times as frequent (ln 0.4055).

    Source: Brickell and Shmatikov, The Cost of Privacy, KDD 2008.
    """

    absent: Absent = field(
        default="infinite",
        metadata=choice(Absent, "'{measure}' cannot take absent values as '{given}'; choose infinite or skipped"),
    )

    name: ClassVar[str] = "delta disclosure"
    attacker = Attacker(
        "somebody who knows a person and looks for them",
        f"{ROW}; and how common values are overall",
        "how far a value's likelihood moves",
        "groups",
    )
    also_called = ("d-disclosure", "δ-disclosure", "δ-disclosure privacy")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        some = [cls(absent, apart_from=domain[:1]) for absent in get_args(Absent) for _ in domain[1:2]]
        return (cls(), cls(absent="skipped"), *some)

    @property
    def when_groups_merge(self) -> Monotonicity:
        """Only a value that no group may lack is safe from a merger that brings it in."""
        return Monotonicity.NON_INCREASING if self.absent == "infinite" else Monotonicity.UNKNOWN

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """Ln of the largest q/p or p/q; infinite where a group lacks one of the values that occur, unless skipped."""
        runs = ShareRuns.unpack(statistic)
        here, overall = runs.shares(groups, arithmetic)
        occurs = runs.times > 0
        changed = here / overall
        # padding counts as unchanged, and so never decides
        highest, lowest = (pick(np.where(occurs, changed, 1), axis=1) for pick in (np.max, np.min))
        factor = np.maximum(highest, arithmetic.ratio(1, lowest))
        if self.absent == "infinite":
            # how many values in question the release has at all: a group with fewer lacks one
            occurring = np.count_nonzero(groups.whole[self.targets.coding(groups) >= 0])
            factor[runs.times.sum(axis=1) < occurring] = math.inf
        factor[runs.n[:, 0] == 0] = math.nan  # nobody there has a value
        return arithmetic.log(factor)

    def witness(self, groups: Groups, row: int) -> ShareWitness:
        """Return a value that the group lacks, if that counts, or else the one whose share changes most."""
        coding = self.targets.coding(groups)
        lacking = (coding >= 0) & (groups.whole > 0) & (groups.counts.row(row) == 0)
        if self.absent == "infinite" and lacking.any():
            return share_witness(groups, row, int(lacking.argmax()))
        # both directions: a value may become likelier or less likely
        changed = {place: max(q / p, p / q) for place, q, p in occurring_shares(groups, row) if coding[place] >= 0}
        return share_witness(groups, row, max(changed, key=changed.__getitem__, default=int((coding >= 0).argmax())))

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, ShareWitness):
            return "Nobody in the release has any value, so nothing becomes more or less likely."
        where, value = finding.witness.group, shown(finding.witness.value)
        if finding.value == 0:
            every = "Every other value" if self.apart_from else "Every value"
            return f"{every} is exactly as frequent in every group as in the whole release."
        here, overall = finding.witness.here, finding.witness.overall
        if finding.value == math.inf:
            return (
                f"'{value}' is {in_words(overall)} of all values, and nobody in {where} has it: it is ruled out there."
            )
        factor = (
            f"{float(max(here, overall) / min(here, overall)):.4g} times as {'frequent' if here > overall else 'rare'}"
        )
        return (
            f"In {where}, '{value}' is {in_words(here)} of the values and {in_words(overall)} of all: "
            f"{factor} (ln {in_words(finding.value)})."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute |ln(q/p)| of the witness's value by the definition."""
        here, overall = exact_shares(release.groups, witness)
        q, p = here[witness.value], overall[witness.value]
        if p == 0 or (q == 0 and self.absent == "skipped"):  # compared with nothing: no other value is, here
            return Fraction(0)
        if q == 0:
            return math.inf
        return Fraction(0) if q == p else round_up(abs(log(q / p)))
