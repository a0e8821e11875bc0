"""By what factor does a value become more or less likely?

Symbols     q a value's share in a group, p its share in the whole release.
Value       the largest |ln(q/p)|, which is ln of the largest of all q/p and p/q: one logarithm a group.

Source: Brickell and Shmatikov, The Cost of Privacy, KDD 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from sidelight.arrays import Integers
from sidelight.measures.attacker import ROW, Attacker
from sidelight.measures.exact import Amount, Arithmetic, Numbers
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
from sidelight.rounding import in_words, log, round_up
from sidelight.table.labels import Label, shown

Absent: TypeAlias = Literal["infinite", "skipped"]


@dataclass(frozen=True)
class DeltaDisclosure(Targeted, FormulaMeasure):
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
    sparse_statistic: ClassVar[bool] = True
    also_called = ("d-disclosure", "δ-disclosure", "δ-disclosure privacy")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        some = [cls(absent, apart_from=domain[:1]) for absent in get_args(Absent) for _ in domain[1:2]]
        return (cls(), cls(absent="skipped"), *some)

    @property
    def when_groups_merge(self) -> Monotonicity:
        """Only a value that no group may lack is safe from a merger that brings it in."""
        return Monotonicity.NON_INCREASING if self.absent == "infinite" else Monotonicity.UNKNOWN

    def statistic(self, groups: Groups) -> Integers:
        return share_runs(groups, self.targets.coding(groups))

    def canonical(self, statistic: Integers) -> Integers:
        return reduce_share_runs(statistic)

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """Ln of the largest q/p or p/q; infinite where a group lacks one of the values that occur, unless skipped."""
        runs = ShareRuns.unpack(statistic)
        here, overall = runs.shares(groups, arithmetic)
        occurs = runs.times > 0
        changed = here / overall
        highest, lowest = (pick(np.where(occurs, changed, 1), axis=1) for pick in (np.max, np.min))
        factor = np.maximum(highest, arithmetic.ratio(1, lowest))
        if self.absent == "infinite":
            occurring = np.count_nonzero(groups.whole[self.targets.coding(groups) >= 0])
            factor[runs.times.sum(axis=1) < occurring] = math.inf
        factor[runs.n[:, 0] == 0] = math.nan  # nobody there has a value
        return arithmetic.log(factor)

    def witness(self, groups: Groups, row: int) -> ShareWitness:
        """Point at a value that the group lacks, if that counts, or else at the one whose share changes most."""
        coding = self.targets.coding(groups)
        lacking = (coding >= 0) & (groups.whole > 0) & (groups.counts.row(row) == 0)
        if self.absent == "infinite" and lacking.any():
            return share_witness(groups, row, int(lacking.argmax()))
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
        return _log_factor(q, p)


def _log_factor(here: Fraction, overall: Fraction) -> Amount:
    """Return |ln(q/p)|, rounded up."""
    if here == 0:
        return math.inf
    return Fraction(0) if here == overall else round_up(abs(log(here / overall)))
