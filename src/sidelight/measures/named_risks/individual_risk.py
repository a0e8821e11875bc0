"""How surely is somebody of a survey found in the population, whose numbers only weights tell?  An estimate.

Symbols     f = people of a group in the release, F̂ = Σ of their sampling weights: how many they stand for; p = f/F̂,
            z = (1−p)/p.
Model       F, the people of the population with the group's cells, is negative binomial: F ≥ f trials until f
            successes of p.  Then E[1/F | f] = ∫₀¹ v^{f−1}·p/(p+(1−p)v) dv = ∫₀¹ v^{f−1}/(1+zv) dv = I_f.
Recurrence  I_1 = ln(1+z)/z and I_{f+1} = (1/f − I_f)/z, which loses nothing where z ≥ 1: errors are divided by z.
Series      I_f = (p/f)·Σ_k (1−p)^k·k!/((f+1)(f+2)…(f+k)), all of whose terms are positive.  Few are needed where p is
            above 1/2 (each is less than half the last one) and where f > `BY_RECURRENCE` (they fall like k^−f).
Fraction    I_f = (1/f)·1/(1+ a₁z/(1+ a₂z/(1+ …))), a_{2k+1} = (f+k)²/((f+2k)(f+2k+1)), a_{2k} = k²/((f+2k−1)(f+2k)):
            Gauss's continued fraction, by which a finding is replayed; it takes about 60·√z steps.
Division    v^{f−1} divided by 1+zv leaves I_f = Σ_{j=1}^{f−1} (−1)^{j−1}/((f−j)·z^j) + (−1)^{f−1}·ln(1+z)/z^f, whose
            terms fall like z^{−j}: where z is above 1,000 a finding is replayed by these.

F̂ = f gives 1/f.  All groups are computed in floats, and those near the worst again with 60 digits.  Sums of f·I_f are
added up in whole numbers of 1/`SHARES`, each rounded up, so that they are the same in any order.

Others approximate: p/(f−1+p) for f > 2 (sdcMicro's default) is 0.9 % too high at f = 3, and the alternating series of
its exact method gives numbers outside [0, 1].

Source: Benedetti and Franconi, Statistical and Technological Solutions for Controlled Data Dissemination, 1998;
Polettini, Some Remarks on the Individual Risk Methodology, 2003.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from sidelight.errors import BadMeasure, BadRelease, parameter
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import ROUNDING_ERROR, worst_row
from sidelight.measures.measure import Attacker, Measure, Monotonicity, Tally, choice
from sidelight.rounding import PRECISE, decimal_text, round_up, short_decimal, to_places
from sidelight.streams.key_stream import WEIGHT_UNIT
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

OverPeople: TypeAlias = Literal["highest", "average"]
"""Of the person worst off, or of everybody, on average."""

BY_RECURRENCE = 64
"""Groups of at most so many people go by the recurrence, where it is stable."""

SHARES = 1 << 40
"""Of how many parts expected people are made when they are added up."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WeightWitness(Witness):
    """The worst group, its people and how many they stand for; how many of all people are found on average."""

    people: int
    stands_for: Fraction
    expected: Fraction
    everybody: int


@dataclass(frozen=True)
class IndividualRisk(Measure):
    """How surely is somebody of a sample found in the population, by what their weights say about it?

    An estimate, for releases that were read with sampling weights (`weight=`).  The expected 1/F of a group of f people
    who stand for F̂ of the population, F being negative binomial: the "highest" over groups, or the "average" over all
    people; n times that is the expected number of people re-identified.  Weak for small groups, where it is needed
    most; offered because statistical offices must report it.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> rows = pa.table({"age": ["30", "40", "40"], "disease": ["Flu", "Flu", "Cold"], "weight": [17, 40, 44.5]})
    >>> survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    >>> finding = IndividualRisk().measure(survey)
    >>> print(finding.explain())
    In group 1 (age 30), 1 person stands for 17 of the population: whoever takes somebody there for them is right with \
about 0.1771; of all 3 people about 0.3 are found so.

    Source: Benedetti and Franconi, 1998; Polettini, Some Remarks on the Individual Risk Methodology, 2003.
    """

    statistic: OverPeople = field(default="highest", metadata=choice(OverPeople))

    name: ClassVar[str] = "individual risk"
    example_settings = ()
    attacker = Attacker(
        "somebody who looks anybody up among all whom the file stands for",
        "that the file is a sample, with its weights",
        "how surely a row is theirs",
        "register",
    )
    also_called = ("Benedetti-Franconi", "BF risk")
    needs_weights: ClassVar[bool] = True
    estimate: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    limits = (0, 1)
    when_groups_merge = Monotonicity.UNKNOWN

    def check(self, release: Release) -> None:
        super().check(release)
        _weights(release.groups)

    def summarize(self, groups: Groups) -> Tally:
        if len(groups) == 0:
            return Tally(self, (0, 0), None)
        groups = groups.sort_by_number()
        people, weights = groups.sizes, _weights(groups)
        too_light = np.flatnonzero(weights < people * WEIGHT_UNIT)
        if len(too_light):
            row = int(too_light[0])
            light = short_decimal(Fraction(int(weights[row]), WEIGHT_UNIT), up=False)
            message = (
                f"{groups.name(row).error_name} has {counted(int(people[row]), 'person')}, who by their "
                f"weights stand for {light}; give weights that say how many people of the population each stands for"
            )
            raise BadRelease(message)
        risks = individual_risks(people, weights)
        worst = worst_row(
            risks,
            large_is_bad=True,
            kinds=np.column_stack((people, weights)).__getitem__,
            exactly=lambda kinds: [exact_individual_risk(*each) for each in kinds.tolist()],
        )
        assert worst is not None  # every group has people, and so a risk
        row, value = worst
        name = groups.name(row)
        told = (value, name, int(people[row]), int(weights[row]))
        return Tally(self, (_to_shares(people * risks), int(people.sum())), ((-value, name.number), told))

    def read_tally(self, tally: Tally) -> Finding:
        if tally.worst is None:
            return Finding(self, Fraction(0), None, ("nobody is in the release",))
        (parts, everybody), (value, name, people, weight) = tally.totals, tally.worst[1]
        expected, stands_for = Fraction(parts, SHARES), Fraction(weight, WEIGHT_UNIT)
        witness = WeightWitness(name, people=people, stands_for=stands_for, expected=expected, everybody=everybody)
        return Finding(self, value if self.statistic == "highest" else expected / everybody, witness)

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, WeightWitness):
            return "Nobody is in the release, so nobody can be found."
        expected = f"about {to_places(witness.expected, 1):,f} are found so"
        if self.statistic == "average":
            value = decimal_text(Fraction(finding.value), up=True)
            return f"Of all {counted(witness.everybody, 'person')} {expected}, by their weights: {value} on average."
        here = f"{counted(witness.people, 'person')} {'stands' if witness.people == 1 else 'stand'}"
        return (
            f"In {witness.group}, {here} for {short_decimal(witness.stands_for, up=False)} of the population: whoever "
            f"takes somebody there for them is right with about {decimal_text(Fraction(finding.value), up=True)}; "
            f"of all {counted(witness.everybody, 'person')} {expected}."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute the group's risk by a continued fraction or by division, or add up again by kinds of groups."""
        if self.statistic == "highest":
            group = release.group(witness.group)
            people, weight = int(group.sizes[0]), int(_weights(group)[0])
            # where a group's people each stand for more than 1,000 others, a term of the division gives three digits
            is_light = weight <= 1001 * people * WEIGHT_UNIT
            return evaluate_continued_fraction(people, weight) if is_light else evaluate_division(people, weight)
        # groups of the same people and weight have the same risk: computed once for each kind
        kinds, times = np.unique(
            np.column_stack((release.groups.sizes, _weights(release.groups))), axis=0, return_counts=True
        )
        shares = np.ceil(kinds[:, 0] * individual_risks(*kinds.T.copy()) * SHARES).astype(np.int64)
        parts = sum(part * many for part, many in zip(shares.tolist(), times.tolist(), strict=True))
        return Fraction(parts, SHARES) / release.size


def _weights(groups: Groups) -> Integers:
    if groups.weights is None:
        message = f"'{IndividualRisk.name}' needs sampling weights; name their column with {parameter('weight')}"
        raise BadMeasure(message)
    return groups.weights


def _to_shares(amounts: Floats) -> int:
    # whole numbers, rounded up, so that the order in which groups are added up does not matter
    parts = np.ceil(amounts * SHARES).astype(np.int64)
    step = 1 << 20  # so many parts of at most `SHARES` add up to a whole number of 64 bits
    return sum(int(parts[start : start + step].sum()) for start in range(0, len(parts), step))


def individual_risks(people: Integers, weights: Integers) -> Floats:
    """Return I_f of groups with so many people of such a weight, in floats.

    >>> individual_risks(np.array([1, 2, 3]), np.array([17, 84.5, 135]) * WEIGHT_UNIT).round(12).tolist()
    [0.177075834004, 0.022042326183, 0.010891794967]
    """
    sampled = people * WEIGHT_UNIT / weights
    # the recurrence divides by odds of at least 1, which lets errors shrink; elsewhere the series converges soon
    stable = (sampled <= 0.5) & (people <= BY_RECURRENCE)
    risks, few, odds = np.empty(len(people)), people[stable], 1 / sampled[stable] - 1
    integrals = np.log1p(odds) / odds
    for size in range(1, int(few.max(initial=1))):
        # smaller groups have their integral already
        larger = few > size
        integrals[larger] = (1 / size - integrals[larger]) / odds[larger]
    risks[stable] = integrals
    many, share = people[~stable], sampled[~stable]
    total, term, step = np.ones(len(many)), np.ones(len(many)), 0
    # until no term changes the last bit of any sum
    while len(term) and (term > total * np.finfo(float).eps / 4).any():
        step += 1
        term = term * (1 - share) * step / (many + step)
        total += term
    risks[~stable] = share * total / many
    return risks


def exact_individual_risk(people: int, weight: int) -> Amount:
    """Return I_f of one group, rounded up; 1/f where it stands for nobody else.

    >>> exact_individual_risk(2, 2 * WEIGHT_UNIT)
    Fraction(1, 2)
    """
    # a group that stands for nobody else has 1/f exactly, and not a rounded float
    if weight == people * WEIGHT_UNIT:
        return Fraction(1, people)
    with localcontext(PRECISE):
        sampled = Decimal(people * WEIGHT_UNIT) / weight
        odds = 1 / sampled - 1
        if sampled > Decimal("0.5") or people > BY_RECURRENCE:
            total, term, step = Decimal(1), Decimal(1), 0
            while term > total * ROUNDING_ERROR:
                step += 1
                term = term * (1 - sampled) * step / (people + step)
                total += term
            return round_up(sampled * total / people)
        integral = (1 + odds).ln() / odds
        for size in range(1, people):
            integral = (Decimal(1) / size - integral) / odds
        return round_up(integral)


def evaluate_continued_fraction(people: int, weight: int) -> Amount:
    """Return I_f of one group by Gauss's continued fraction (Lentz's way of evaluating it), rounded up."""
    if weight == people * WEIGHT_UNIT:
        return Fraction(1, people)
    with localcontext(PRECISE):
        odds = Decimal(weight) / (people * WEIGHT_UNIT) - 1
        value = over = Decimal(1)
        under, change, step = Decimal(0), Decimal(0), 0
        # odd and even steps have coefficients of their own; it ends when a factor changes nothing any more
        while abs(change - 1) > ROUNDING_ERROR:
            step += 1
            half = step // 2
            partial = (people + half) ** 2 if step % 2 else half**2
            coefficient = odds * partial / ((people + step - 1) * (people + step))
            under = 1 / (1 + coefficient * under)
            over = 1 + coefficient / over
            change = under * over
            value *= change
        return round_up(1 / (people * value))


def evaluate_division(people: int, weight: int) -> Amount:
    """Return I_f of one group that stands for far more people, term by term, rounded up.

    >>> evaluate_division(3, 3 * 10**9 * WEIGHT_UNIT) == exact_individual_risk(3, 3 * 10**9 * WEIGHT_UNIT)
    True
    """
    with localcontext(PRECISE):
        odds = Decimal(weight) / (people * WEIGHT_UNIT) - 1
        total, power = Decimal(0), 1 / odds  # (−1)^{j−1}/z^j
        for left in range(people - 1, 0, -1):
            total += power / left
            power /= -odds
            # further terms shrink by the odds each, and are below the digits that count
            if abs(power) < total * ROUNDING_ERROR:
                return round_up(total)
        return round_up(total + power * (1 + odds).ln())
