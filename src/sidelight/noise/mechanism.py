"""Noise and its promise: the unit that is hidden, how far one unit moves counts, and which noise keeps ε and δ.

A release is (ε, δ)-differentially private when for all neighbouring data sets D, D' and all events O

    Pr(O | D) ≤ e^ε · Pr(O | D') + δ.

Neighbours differ in one `PrivacyUnit`: a person, whose rows were found by a column and checked, or a row, which the
publisher explicitly declares to be a person.  They are at most Δ₁ = Σ |change| and Δ₂ = √(Σ change²) apart, as vectors
of counts (`Sensitivity`), which follows from the cap c on a unit's values, or rows:

    counted     cells that change      Σ |change|    Σ change²
    single      1, by 1                1             1
    set         c, by 1 each           c             c
    multiset    1, by c, or several    c             c²
    rows        1, by c, or several    c             c²

and with "replace", where one unit goes and another comes, twice that.  Amounts are read once, kept exactly as they were
written (`0.1` is a tenth), and refused where they promise nothing.

Noise is drawn by OpenDP's discrete mechanisms, with the smallest scale that keeps ε and δ:

    discrete Laplace    Pr(noise = z) ∝ e^(−|z| / b)           ε = Δ₁ / b
    discrete Gaussian   Pr(noise = z) ∝ e^(−z² / (2σ²))        ρ = Δ₂² / (2σ²), and δ(ε) as below

Integers in, integers out: there is no floating point between a count and its noise that could disclose the count.
The cost of a scale is defined once, by `Mechanism.keeps`, rounded up; the scale is the smallest that costs no more than
ε and δ.  Where counts change by one each, that is decided by the exact δ(ε), and where one may change by several, by ρ,
which OpenDP converts.

What Gaussian noise costs, *through ρ* (zero-concentrated privacy), whatever the change: ρ = Δ₂² / (2σ²), and at δ an ε
of

    min over α > 1 of  ρα + ln(1/(αδ))/(α − 1) + ln(1 − 1/α)

of which the derivative is ρ − ln(1/(αδ))/(α − 1)²: there is one best α, where ρ(α − 1)² = ln(1/(αδ)).

*Exactly*, where c counts change by one each.  The loss of counts with noise z is (2·Σz + c)/(2σ²), a function of
S = Σz alone, and with t = εσ² − c/2

    δ(ε) = Pr(S > t) − e^ε · Pr(S > t + c) = Σ over s > t of Pr(S = s) · (1 − e^(−(s − t)/σ²))

of which no term is negative, so that floats lose nothing.  Fewer changes are a part of it and cost no more; their signs
do not matter, as the noise has none.  A vector z with the sum s is s/c in every place and something orthogonal, which
stays the same when every place is raised by one; so

    Pr(S = s) ∝ e^(−s²/(2cσ²)) · θ(s mod c),  θ(r) = Σ over z with the sum r of e^(−(Σz² − r²/c)/(2σ²))

and θ is constant but for e^(−77c) of it where σ ≥ 4 (by Poisson's summation the noise has the characteristic function
Σ_k e^(−σ²(u − 2πk)²/2), of which only k = 0 matters away from ±π, and there nothing does).

What is returned is never below the truth.

Source: Ghosh, Roughgarden and Sundararajan, STOC 2009 (discrete Laplace); Canonne, Kamath and Steinke, The
Discrete Gaussian for Differential Privacy, NeurIPS 2020: proposition 12 (through ρ), theorem 7 (exactly, for c = 1).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from sidelight.errors import BadNoise, as_given, expect, needs_extra, parameter
from sidelight.noise.privacy_profile import smallest_kept
from sidelight.rounding import exact_number, raise_bound, round_down, round_up, whole_number
from sidelight.table.labels import Semantics  # noqa: TC001 - documents read it
from sidelight.table.roles import EACH_ROW
from sidelight.table.table import Events, Table
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers

# Data sets that must be indistinguishable: one has a person more, or one person's row is replaced
Neighbours: TypeAlias = Literal["add or remove", "replace"]

Amount: TypeAlias = float | int | str | Fraction
"""A privacy cost; `0.1` means a tenth, not the binary number next to it."""


def units_changed(neighbours: str) -> int:
    """Return how many units differ between neighbours: 1 that is added or removed, or 2 where one replaces another."""
    if expect(str, neighbours, parameter("neighbours")) not in ("add or remove", "replace"):
        raise BadNoise(f'no {parameter("neighbours", neighbours)}; choose "add or remove" or "replace"')
    return 1 if neighbours == "add or remove" else 2


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The largest distance of neighbours, as vectors of counts: Σ |change| (ℓ1) and Σ change² (ℓ2, squared)."""

    l1: int = 1
    l2_squared: int = 1

    @property
    def changes_by_ones(self) -> bool:
        """Whether no count changes by more than one, as then the two are the same."""
        return self.l1 == self.l2_squared

    def merge(self, units: int) -> Sensitivity:
        """Return how far these units move sums of the counts: changes of several counts may add up in one sum."""
        # worst case: each unit moves one sum by l1 / units, and units · (l1 / units)² = l1² / units
        return Sensitivity(self.l1, self.l1**2 // units)


ONE_BY_ONE = Sensitivity()  # one count changes by one


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """Whom a promise is made to: a person, checked by a column, or a row that the publisher declares a person."""

    person: str  # the column that names people, or `EACH_ROW`
    values: Semantics = "single"
    values_per_person: int = 1  # how many values of one person are counted at most
    rows_per_person: int | None = None  # how many rows of one person, who may have several; None: everybody has one

    @classmethod
    def of(
        cls,
        table: Table | Events,
        values_per_person: int | None = None,
        *,
        rows_per_person: int | None = None,
        values: int | None = None,
    ) -> PrivacyUnit:
        """Return the unit that the counts of a table hide; `values` is the number of values in the domain."""
        person = table.intake.roles.get("person")
        if person is None:
            raise BadNoise(
                "nothing says whose a row is, and noise that hides a row does not hide a person who has several; name "
                f"the column of people with {parameter('person')}, which is checked, or say "
                f"{parameter('person', EACH_ROW)} if every row is a person of their own"
            )
        if rows_per_person is not None:
            rows_per_person = whole_cap("rows_per_person", rows_per_person)
        _check_rows(table, person, rows_per_person)
        if table.semantics == "single":
            if values_per_person is not None and whole_cap("values_per_person", values_per_person) > 1:
                raise BadNoise(
                    f"people have one value here; {parameter('values_per_person')} is for {parameter('values', 'set')} "
                    'or "multiset"'
                )
            return cls(person, rows_per_person=rows_per_person)
        if values_per_person is None:
            raise BadNoise(
                f"in {parameter('values', table.semantics)} one person changes several counts; say how many values "
                f"of one person count at most, fixed in advance, such as {parameter('values_per_person', 3)}: beyond "
                "that, some are left out by chance"
            )
        values_per_person = whole_cap("values_per_person", values_per_person)
        # nobody has more different values than there are; of events, each may be in several groups
        bounded = values is not None and table.semantics == "set" and not isinstance(table, Events)
        return cls(person, table.semantics, min(values_per_person, values) if bounded and values else values_per_person)

    @property
    def checked(self) -> bool:
        """Whether a column identifies people, so that people are hidden."""
        return self.person != EACH_ROW

    @property
    def word(self) -> str:
        """The unit in one word."""
        return "person" if self.checked else "row"

    @property
    def at_most(self) -> int:
        """The cap on how often one unit is counted."""
        return self.values_per_person if self.rows_per_person is None else self.rows_per_person

    @property
    def once(self) -> bool:
        """Whether everybody is counted once at most, so that counts are of people."""
        return self.values == "single" and self.at_most == 1

    @property
    def counted_things(self) -> str:
        """What is counted of one unit: values or rows."""
        return "value" if self.rows_per_person is None else "row"

    @property
    def capped(self) -> bool:
        """Whether a cap may have left out values or rows of one unit."""
        return self.values != "single" or self.rows_per_person is not None

    def sentence(self) -> str:
        """Write whom the promise is made to, and how that is known.

        >>> PrivacyUnit(EACH_ROW).sentence()
        'to each row; that a row is a person is what the publisher says, and was not checked'
        >>> PrivacyUnit("id", rows_per_person=3).sentence()
        "to each person, by 'id', of whom at most 3 rows were counted"
        """
        was = form("was", self.at_most)
        most = f", of whom at most {counted(self.at_most, self.counted_things)} {was} counted" if self.capped else ""
        if not self.checked:
            return f"to each row{most}; that a row is a person is what the publisher says, and was not checked"
        if not self.capped:
            return f"to each person; that nobody has two rows was checked by '{self.person}'"
        return f"to each person, by '{self.person}'{most}"

    def hidden(self, neighbours: Neighbours) -> str:
        """Write what the counts hide."""
        if neighbours == "add or remove":
            return f"whether any one {self.word} is in the table (add or remove one)"
        return f"which one of all possible {form(self.word, 2)} any one {self.word} is (replace one)"

    @property
    def condition(self) -> str:
        """The condition on which a promise to this unit is one to a person; "" where people were checked."""
        return "" if self.checked else "If no two rows are about one person, which nobody checked"

    def warnings(self, delta: Fraction) -> Iterator[str]:
        """Yield warnings about counts that hide this unit, with noise of this δ."""
        if not self.checked:
            less = "twice epsilon only" + (", and more than twice delta" if delta else "")
            yield (
                "that no two rows are about one person is what the publisher says, and was not checked: whoever has "
                f"two is hidden by {less}"
            )
        if self.capped:
            yield (
                f"where people have more than {counted(self.at_most, self.counted_things)}, some were left out by "
                "chance: such counts are too low, and margins are about what was counted"
            )

    def sensitivity(self, neighbours: str) -> Sensitivity:
        """Return how far neighbours are apart at most.

        >>> PrivacyUnit("id", "set", 3).sensitivity("add or remove")
        Sensitivity(l1=3, l2_squared=3)
        >>> PrivacyUnit("id", "multiset", 3).sensitivity("replace")
        Sensitivity(l1=6, l2_squared=18)
        >>> PrivacyUnit("id", rows_per_person=3).sensitivity("add or remove")
        Sensitivity(l1=3, l2_squared=9)
        """
        units, most = units_changed(neighbours), self.at_most
        changes_by_ones = self.values == "set" and self.rows_per_person is None
        # |a − b|² ≤ |a|² + |b|², as counts are not negative: two units are apart by at most twice the square of one
        return Sensitivity(units * most, units * (most if changes_by_ones else most**2))


def _check_rows(rows: Table | Events, person: str, rows_per_person: int | None) -> None:
    """Refuse a cap on rows where there are none; and, without a cap, people with several rows."""
    several = 0
    if rows_per_person is None:
        if isinstance(rows, Events) and rows.semantics == "single" and person != EACH_ROW:
            several = int((rows.count_rows() > 1).sum())
        if not several:
            return
        people = "1 person has" if several == 1 else f"{several:,} people have"
        message = (
            f"{people} more than one row (column '{person}'); say how many rows of one person count at most, fixed in "
            f"advance, such as {parameter('rows_per_person', 3)}, or give one row each"
        )
    elif person == EACH_ROW:
        message = (
            f"{parameter('rows_per_person')} needs to know whose a row is; name the column of people with "
            f"{parameter('person')}"
        )
    elif rows.semantics != "single":
        message = (
            f"{parameter('rows_per_person')} counts rows, and {parameter('values', rows.semantics)} values; say "
            f"{parameter('values_per_person')}, or leave {parameter('values')} out"
        )
    elif isinstance(rows, Table):
        message = (
            f"a table has one row for each person, and {parameter('rows_per_person')} is for people with several; read "
            "them with sl.read_events"
        )
    else:
        return
    raise BadNoise(message)


def whole_cap(name: str, cap: object) -> int:
    """Return the cap as a whole number; refuse anything below 1."""
    return whole_number(cap, BadNoise, parameter(name), least=1)


def exact_amount(amount: Amount, name: str) -> Fraction:
    """Read an amount as it is written."""
    if isinstance(amount, Fraction):
        return amount
    try:
        text = str(amount)
        # 10^(10^9) would take too long to compute
        if re.search(r"[eE][+-]?[0-9_]{5,}\s*$", text):
            raise BadNoise(
                f"{name} is {as_given(amount)}, which is nothing or everything; give a number such as 1 or 0.5"
            )
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise BadNoise(
            f"{name} is {as_given(amount)}, which is no finite number; give a number such as 1 or 0.5"
        ) from None


def exact_epsilon(epsilon: Amount, name: str = "epsilon") -> Fraction:
    """Read an ε, or a ρ: above 0."""
    amount = exact_amount(epsilon, name)
    if amount <= 0:
        raise BadNoise(f"{name} is {as_given(epsilon)}; it must be above 0 (smaller: more noise), such as 1")
    # floats tell every ε between these from 0 and from infinity
    if not Fraction(1, 10**300) <= amount <= 10**300:
        raise BadNoise(f"{name} is {as_given(epsilon)}, which is nothing or everything; give a number such as 1")
    return amount


def exact_delta(delta: Amount, name: str = "delta") -> Fraction:
    """Read a δ: at least 0 and below 1."""
    amount = exact_amount(delta, name)
    if not 0 <= amount < 1:
        raise BadNoise(
            f"{name} is {as_given(delta)}; it must be at least 0 and below 1, and far below 1 / people, such as 1e-9"
        )
    if 0 < amount < Fraction(1, 10**300):
        raise BadNoise(f"{name} is {as_given(delta)}, which no float tells from 0; give 0, or a number such as 1e-9")
    return amount


def amount_text(amount: Fraction | float, digits: int = 4) -> str:
    """Write an amount so that it is read back exactly; a float, which is a bound already, to `digits` digits.

    >>> [amount_text(Fraction(each)) for each in ("3", "1/10", "1/3", "1e-9")], amount_text(2 / 3)
    (['3', '0.1', '1/3', '1e-09'], '0.6667')
    """
    if isinstance(amount, float):
        return f"{amount:.{digits}g}"
    near = repr(float(amount))  # the shortest decimal if it is exactly this amount, else the fraction
    return near.removesuffix(".0") if Fraction(near) == amount else str(amount)


NoiseKind: TypeAlias = Literal["discrete Laplace", "discrete Gaussian"]

SMALLEST_EPSILON, LARGEST_EPSILON = Fraction(1, 10**6), Fraction(100)
"""Below the one, nothing but noise would be published; above the other, nothing would be promised."""

SMALLEST_DELTA = Fraction(1, 10**100)
"""Smaller ones are as good as 0, and need more noise than 0 does."""

STANDARD_DEVIATIONS = 12  # Gaussian noise further out has less weight than floats can add


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Noise that is added to every count independently; `sensitivity` is how far one person moves the counts."""

    kind: NoiseKind
    scale: float
    sensitivity: Sensitivity = ONE_BY_ONE

    def log_weight(self, noise: Integers | Floats) -> Floats:
        """Return the logarithm of the probability of noise, up to a constant."""
        size = np.abs(noise.astype(np.float64))
        return -size / self.scale if self.kind == "discrete Laplace" else -(size**2) / (2 * self.scale**2)

    def rho(self) -> Fraction:
        """Return the ρ of zero-concentrated privacy, exactly: Δ₂² / (2·scale²), for Laplace noise Δ₁² / (2·scale²)."""
        squared = self.sensitivity.l1**2 if self.kind == "discrete Laplace" else self.sensitivity.l2_squared
        return squared / (2 * Fraction(self.scale) ** 2)

    def keeps(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Whether this noise costs no more than ε and δ at its sensitivity, by bounds that are rounded up."""
        if not 0 < self.scale < math.inf:
            return False
        if self.kind == "discrete Laplace":
            # in fractions: no rounding decides whether ε is kept
            return self.sensitivity.l1 <= epsilon * Fraction(self.scale)
        if delta == 0:
            return False
        if self.sensitivity.changes_by_ones and gaussian_delta(epsilon, self.scale, self.sensitivity.l1) <= delta:
            return True
        return concentrated_epsilon(round_up(self.rho()), delta) <= epsilon

    def epsilon_at(self, delta: Fraction) -> float:
        """Return the smallest ε that this noise keeps at a δ, rounded up."""
        if self.kind == "discrete Laplace":
            return round_up(self.sensitivity.l1 / Fraction(self.scale))
        bound = concentrated_epsilon(round_up(self.rho()), delta)
        if not self.sensitivity.changes_by_ones or delta <= 0:
            return bound
        return smallest_kept(0.0, bound, lambda each: gaussian_delta(each, self.scale, self.sensitivity.l1) <= delta)

    def variance(self) -> float:
        """Return the variance of one noise: 2a / (1 − a)² for Laplace, a = e^(−1 / scale); at most scale² for Gaussian.

        >>> round(Mechanism("discrete Laplace", scale=1.0).variance(), 3)
        1.841
        """
        if self.kind == "discrete Laplace":
            a = math.exp(-1 / self.scale)
            return 2 * a / math.expm1(-1 / self.scale) ** 2
        if self.scale > 10:  # the difference is far below the last bit (Poisson's summation)
            return self.scale**2
        noise = np.arange(1, math.ceil(STANDARD_DEVIATIONS * self.scale) + 2, dtype=np.float64)
        weight = 2 * np.exp(self.log_weight(noise))
        return float((noise**2 * weight).sum() / (1 + weight.sum()))

    def log_moment(self, t: Floats) -> Floats:
        """Bound ln E[e^(t·noise)]: t²·scale²/2 for Gaussian noise (Canonne, Kamath and Steinke); exact for Laplace.

        With a = e^(−1 / scale) and |t| < 1 / scale that is 2·ln(1 − a) − ln(1 − a·e^t) − ln(1 − a·e^−t).
        """
        if self.kind == "discrete Gaussian":
            return (t * self.scale) ** 2 / 2
        rate = 1 / self.scale
        exact: Floats = 2 * np.log(-np.expm1(-rate)) - np.log(-np.expm1(t - rate)) - np.log(-np.expm1(-t - rate))
        return exact

    def add_noise(self, counts: Integers) -> Integers:
        """Add noise to counts.  OpenDP draws it, from the system's secure source: there is no seed."""
        flat = [int(count) for count in counts.ravel()]
        noisy = _build_measurement(self.kind, self.scale)(flat)
        return np.array(noisy, np.int64).reshape(counts.shape)

    def margin(self, confidence: float) -> int:
        """Return how far from the truth a measured count is at most, with this confidence."""
        alpha = 1 - expect_confidence(confidence)
        if self.kind == "discrete Laplace":  # Pr(|noise| > m) = 2·a^(m + 1) / (1 + a), a = e^(−1 / scale)
            beyond = self.scale * math.log(2 / (1 + math.exp(-1 / self.scale)) / alpha)
            return max(math.ceil(beyond) - 1, 0)
        # Pr(noise ≥ m + 1) ≤ Pr(normal ≥ m): e^(−z²/2σ²) falls, so its sum from m + 1 on is below its integral from m
        # on; and its sum over all whole z is at least √(2πσ²), the integral over all (Poisson's summation)
        return math.ceil(self.scale * -float(ndtri(alpha / 2)))

    def margin_of_total(self, counts: int, chance: float) -> int:
        """Bound how far below 0 the summed noise of `counts` counts is, except with this chance (Chernoff).

        >>> Mechanism("discrete Laplace", scale=1.0).margin_of_total(1, 1e-9)
        25
        """
        surprise = -math.log(chance)
        if self.kind == "discrete Gaussian":
            return math.ceil(self.scale * math.sqrt(2 * counts * surprise))
        # below 1 / scale, where the moment is finite; a coarse grid only costs tightness
        t = np.geomspace(1e-6, 1, 200, endpoint=False) / self.scale
        return math.ceil(float(((counts * self.log_moment(t) + surprise) / t).min()))


def expect_confidence(confidence: float) -> float:
    """Return a confidence; raise `BadNoise` unless it is above 0 and below 1."""
    if not 0 < exact_number(confidence, BadNoise, "confidence") < 1:
        raise BadNoise(f"confidence is {as_given(confidence)}; give a share above 0 and below 1, such as 0.95")
    return confidence


@dataclass(frozen=True, slots=True)
class PrivacyCost:
    """What noise is calibrated to: an ε at a δ, or a ρ and the δ at which its ε is reported."""

    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None = None
    paid_in_rho: bool = False  # an ε is then calibrated through ρ, so that the ρ charged is that of ε

    @classmethod
    def read(cls, epsilon: Amount | None, delta: Amount, rho: Amount | None) -> PrivacyCost:
        """Read a cost from the caller's arguments: exactly one of ε and ρ."""
        if (epsilon is None) == (rho is None):
            raise BadNoise(
                f"how much may the counts depend on one person? give {parameter('epsilon')} or {parameter('rho')}, and "
                "not both"
            )
        if rho is None:
            assert epsilon is not None
            return cls(exact_epsilon(epsilon), exact_delta(delta))
        cost = cls(None, exact_delta(delta), exact_epsilon(rho, "rho"))
        if cost.delta < SMALLEST_DELTA:
            raise BadNoise(
                f"{parameter('rho')} comes to an epsilon at every delta; say at which one it is told, such as "
                f"{parameter('delta', 1e-9)}"
            )
        return cost

    def noise(self, sensitivity: Sensitivity) -> Mechanism:
        """Calibrate noise to this cost.

        >>> round(PrivacyCost.read(None, "1e-6", "0.01").noise(Sensitivity()).scale, 3)
        7.071
        """
        if self.rho is not None:
            return calibrate_rho(self.rho, sensitivity)
        assert self.epsilon is not None
        return calibrate(self.epsilon, self.delta, sensitivity, through_rho=self.paid_in_rho)


def six_figures_up(bound: float) -> Fraction:
    """Round a bound up to six figures.

    >>> six_figures_up(1 / 3)
    Fraction(166667, 500000)
    """
    return Fraction(Context(prec=6, rounding=ROUND_UP).create_decimal(Decimal(bound)))


def better_without_delta(noise: Mechanism, epsilon: Fraction) -> str | None:
    """Return the advice to use a δ of 0 where a single release of this ε would have less noise; else None."""
    if noise.kind == "discrete Laplace" or not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        return None
    without, here = (math.sqrt(each.variance()) for each in (calibrate(epsilon, Fraction(0), noise.sensitivity), noise))
    if without >= here:
        return None
    return (
        f"without a delta, noise of this epsilon has a standard deviation of {without:.3g}, here {here:.3g}; a delta "
        "pays off where many releases, or many values of one person, add up"
    )


def calibrate(
    epsilon: Fraction, delta: Fraction, sensitivity: Sensitivity = ONE_BY_ONE, *, through_rho: bool = False
) -> Mechanism:
    """Return the least noise that keeps ε and δ: Laplace for δ = 0, else Gaussian.

    `through_rho`: with a ρ that comes to no more than ε at δ, for a ledger that adds up ρ.
    """
    refuse_useless(epsilon, delta)
    if delta == 0:
        # division rounds: a scale that costs a last bit too much is raised until OpenDP agrees
        scale = sensitivity.l1 / round_down(epsilon)
        while _build_measurement("discrete Laplace", scale).map(sensitivity.l1) > round_down(epsilon):
            scale = math.nextafter(scale, math.inf)
        return Mechanism("discrete Laplace", scale, sensitivity)
    if through_rho or not sensitivity.changes_by_ones:
        return Mechanism("discrete Gaussian", _scale_through_rho(epsilon, delta, sensitivity.l2_squared), sensitivity)
    low, high = 0.0, 1.0
    while gaussian_delta(epsilon, high, sensitivity.l1) > delta:
        low, high = high, 2 * high
    scale = smallest_kept(low, high, lambda each: gaussian_delta(epsilon, each, sensitivity.l1) <= delta)
    return Mechanism("discrete Gaussian", scale, sensitivity)


def _scale_through_rho(epsilon: Fraction, delta: Fraction, squared: int) -> float:
    dp, slack = opendp(), round_down(delta)

    def measure(scale: float) -> Any:  # noqa: ANN401 - a measurement of OpenDP, which has no types
        return dp.c.make_fix_delta(
            dp.c.make_zCDP_to_approxDP(_build_measurement("discrete Gaussian", scale)), delta=slack
        )

    # a root that is not whole is rounded up, so that the distance is not understated
    root = math.isqrt(squared)
    distance = float(root) if root**2 == squared else math.nextafter(math.sqrt(squared), math.inf)
    # a little of ε is kept, so that our conversion of ρ, rounded up elsewhere, stays within ε too
    return float(dp.binary_search_param(measure, d_in=distance, d_out=(round_down(epsilon) * (1 - 1e-12), slack)))


def calibrate_rho(rho: Fraction, sensitivity: Sensitivity = ONE_BY_ONE) -> Mechanism:
    """Return the Gaussian noise that costs ρ, and no more.

    >>> calibrate_rho(Fraction(1, 200)).scale
    10.0
    """
    if not SMALLEST_EPSILON**2 / 2 <= rho <= LARGEST_EPSILON**2 / 2:
        least, most = (float(each**2 / 2) for each in (SMALLEST_EPSILON, LARGEST_EPSILON))
        raise BadNoise(
            f"rho {float(rho):g} publishes nothing but noise, or promises nothing; give one from {least:g} to {most:g}"
        )
    # the root in floats may cost a last bit too much: it is raised until the exact ρ fits
    scale = math.sqrt(sensitivity.l2_squared / (2 * rho))
    while sensitivity.l2_squared / (2 * Fraction(scale) ** 2) > rho:
        scale = math.nextafter(scale, math.inf)
    return Mechanism("discrete Gaussian", scale, sensitivity)


def refuse_useless(epsilon: Fraction, delta: Fraction = Fraction(0)) -> None:
    """Raise `BadNoise` for amounts with which nothing but noise would be published, or nothing promised."""
    if not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON or 0 < delta < SMALLEST_DELTA:
        raise BadNoise(
            f"epsilon {float(epsilon):g} with delta {float(delta):g} publishes nothing but noise, or promises nothing; "
            f"give an epsilon from {float(SMALLEST_EPSILON):g} to {float(LARGEST_EPSILON):g} and a delta of 0 or from "
            f"{float(SMALLEST_DELTA):g}"
        )


def _build_measurement(kind: NoiseKind, scale: float) -> Any:  # noqa: ANN401
    dp = opendp()
    counts = dp.vector_domain(dp.atom_domain(T="i64"))
    if kind == "discrete Laplace":
        return dp.m.make_laplace(counts, dp.l1_distance(T="i64"), scale=scale)
    return dp.m.make_gaussian(counts, dp.l2_distance(T="f64"), scale=scale)


def opendp() -> Any:  # noqa: ANN401 - OpenDP has no types
    """Import OpenDP: the only source of noise."""
    with needs_extra("dp", package="opendp", what="noise"):
        import opendp.prelude as library  # noqa: PLC0415 - an extra, and slow to import
    library.enable_features("contrib")  # OpenDP's mechanisms on vectors are behind this switch
    return library


def concentrated_epsilon(rho: Fraction | float, delta: Fraction | float) -> float:
    """Return the ε of ρ at δ, rounded up: the minimum over α of the module."""
    if rho == 0:
        return 0.0
    if delta <= 0:
        return math.inf
    exact = Fraction(rho), Fraction(delta)
    # α is below 1/δ, and above 1 by more than 1/ρ: as many digits more as they are away from 1 tell it from 1
    away = (each.numerator.bit_length() - each.denominator.bit_length() for each in exact)
    with localcontext(Context(prec=60 + sum(abs(math.ceil(bits * math.log10(2))) for bits in away))):
        cost, slack = (Decimal(each.numerator) / Decimal(each.denominator) for each in exact)
        log_delta = slack.ln()
        # ρx² + ln(1 + x) = ln(1/δ) for x = α − 1, by Newton's steps in ln x: it is convex in that, and any α is a bound
        x = min((-log_delta / cost).sqrt(), (-log_delta).exp())
        for _ in range(100):
            step = (cost * x**2 + (1 + x).ln() + log_delta) / (2 * cost * x**2 + x / (1 + x))
            x *= (-step).exp()
            if abs(step) < Decimal("1e-25"):
                break
        alpha = 1 + x
        terms = cost * alpha, -(alpha.ln() + log_delta) / x, (x / alpha).ln()
        # far more than sixty digits lose
        bound = sum(terms) + sum(map(abs, terms)) * Decimal("1e-40")
    return max(round_up(bound), 0.0)


SMOOTH = 4.0  # from this σ on θ is constant: see the module

SUMMED_TO = 5_000  # up to this spread, σ√c, probabilities are added up one by one; beyond, an integral bounds the sum


def gaussian_delta(epsilon: Fraction | float, scale: float, changes: int) -> float:
    """Bound δ(ε) of discrete Gaussian noise where `changes` counts change by one each, tight to the last few digits."""
    # θ of more counts would take too long to add up; a δ of 1 promises nothing, and so is always a bound
    if scale < SMOOTH and changes > 64:
        return 1.0
    # floats have no e^ε beyond; δ falls as ε rises, so that this ε is a bound for all that are larger
    loss = min(Fraction(epsilon), Fraction(700))
    threshold = loss * Fraction(scale) ** 2 - Fraction(changes, 2)  # t
    spread = scale * math.sqrt(changes)
    if spread <= SUMMED_TO:
        return min(_sum_tail(threshold, scale, changes, spread), 1.0)
    return min(_integrate_tail(float(loss), threshold, scale, changes, spread), 1.0)


def _sum_tail(threshold: Fraction, scale: float, changes: int, spread: float) -> float:
    first = math.floor(threshold) + 1
    # twelve spreads further there is e^(−72) of what there is here; what is beyond is bounded by its last term
    sums = np.arange(first, max(first, 0) + math.ceil(12 * spread) + 2)
    weight = _weigh_sums(sums, scale, changes)
    beyond = float(first - threshold) + np.arange(len(sums))
    parts = weight * -np.expm1(-beyond / scale**2)
    everything = math.sqrt(2 * math.pi) * spread
    if scale < SMOOTH:
        # for a small σ the total is not √(2πc)·σ, and is added up; beyond 40 deviations floats hold nothing
        middle = math.ceil(40 * spread) + 1
        everything = float(_weigh_sums(np.arange(-middle, middle + 1), scale, changes).sum())
    return raise_bound((float(parts.sum()) + float(weight[-1]) * spread) / everything, 1e-10)


def _weigh_sums(sums: np.ndarray, scale: float, changes: int) -> Floats:
    """Return e^(−s²/(2cσ²)) · θ(s mod c), with θ(0) or all of them as 1."""
    smooth: Floats = np.exp(-(sums.astype(np.float64) ** 2) / (2 * changes * scale**2))
    if scale >= SMOOTH or changes == 1:
        return smooth
    # θ(0), …, θ(c − 1) from the law of the sum itself; at 40 deviations the weight is e^(−800), which is 0 in floats
    reach = math.ceil(40 * scale) + 1
    one = np.exp(-(np.arange(-reach, reach + 1, dtype=np.float64) ** 2) / (2 * scale**2))
    law = np.ones(1)
    # index len(law) // 2 stays the sum 0, as `one` is symmetric and of odd length
    for _ in range(changes):
        law = np.convolve(law, one)
    rest = np.arange(changes)
    near = np.where(rest > changes // 2, rest - changes, rest)  # the sum with this rest that is nearest to 0
    theta: Floats = law[len(law) // 2 + near] / np.exp(-(near.astype(np.float64) ** 2) / (2 * changes * scale**2))
    weight: Floats = smooth * theta[sums % changes]
    return weight


def _integrate_tail(loss: float, threshold: Fraction, scale: float, changes: int, spread: float) -> float:
    """Bound the sum by its integral and its largest term: the terms rise, then fall, being log-concave."""
    t = float(threshold)
    mass, other = float(ndtr(-t / spread)), float(ndtr(-(t + changes) / spread))
    integral = raise_bound(mass, 1e-12) - math.exp(loss) * other * (1 - 1e-12)
    # 1 − e^(−y) ≤ y, and e^(−s²/2c) (s − t) is largest where s (s − t) = cσ²
    highest = (t + math.sqrt(t**2 + 4 * spread**2)) / 2
    largest = math.exp(-(highest**2) / (2 * spread**2)) * (highest - t) / scale**2
    return integral + raise_bound(largest, 1e-6) / (math.sqrt(2 * math.pi) * spread)
