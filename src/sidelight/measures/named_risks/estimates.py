"""Estimates of how many people of a survey are found in its population, without the population itself.

*Uniqueness* in a release, and in the population.
Symbols     u, c₂ = groups of one and of two people in the release, n = its people, N = people of the population,
            π = n/N = the share of the population that was sampled.

Unique match (DIS): if every person was sampled with π, a pair of the population gives one person of the sample with
2π(1−π) and two with π², so that c₂·2(1−π)/π people who are unique in the sample are not unique in the population: of
all single matches πu / (πu + 2(1−π)c₂) are right.  Nothing is assumed about the population; within 15 % of the truth
in nine samples of Adult.  Population uniques: by three models that assume what cannot be known, hence as a range.  Both
are read off the histogram of sizes, and neither has a known trend when groups merge: two unique people make a pair, and
the pair changes the risk of all others.

*The three models.*  c_f = groups of f people in the sample, u = c₁, k = Σ c_f groups; K, F_g = groups of the population
and their people.

Pitman      The population's groups are drawn as in Pitman's sampling formula with (θ, α), 0 ≤ α < 1, θ > −α, fitted by
            maximum likelihood:
                Σ_{0<i<k} 1/(θ+iα) = Σ_{0<i<n} 1/(θ+i)
                Σ_{0<i<k} i/(θ+iα) = Σ_f c_f Σ_{0<j<f} 1/(j−α)
            The first falls in θ at its solution, which a bisection finds for each α; along it the second falls in α,
            which another one finds.  Where its best α is below 1e-3, α = 0 (Ewens).
            Uniques = Γ(θ+1)/Γ(θ+α)·N^α.
Zayatz      Groups of the population have the sizes that those of the sample have: of the groups with F people a sample
            of n leaves one person with the hypergeometric F·C(N−F, n−1)/C(N, n), so that
            uniques = u·(N/n)·u·C(N−1, n−1) / Σ_f c_f·f·C(N−f, n−1).
SNB         F_g − 1 is negative binomial with (α, β).  A sample then has f = one Bernoulli of π and a negative binomial
            with (α, b), b = β/(β+π(1−β)).  With q = 1−b and m = αq
                u/K   = b^α·(π + (1−π)m)
                c₂/u  = (πm + (1−π)m(m+q)/2) / (π + (1−π)m)
            The second is quadratic in m and has one positive solution m(q); put into the first, a bisection over
            y = −ln b > 0 solves it: of small samples of large populations b is often below the smallest float.
            K is the sample's estimate k + u·(v₁/v₂)(v₃/v₄)² of Haas and Stokes with
                v₁ = Σ fπ²(1−π²)^{f−1}c_f,  v₂ = Σ (1−π)^f((1+π)^f−1)c_f,  v₃ = Σ (1−π)^f c_f,
                v₄ = Σ fπ(1−π)^{f−1}c_f.
            Uniques = K·β^α.

None of them is a bound.  With Adult as population and samples of 10 to 50 % they were off by +4 to +82 %, +2 to +90 %
and −6 to +58 %, so that only the range of the three is reported.  ARX solves SNB wrongly in two places.

Source: Skinner and Elliot, A Measure of Disclosure Risk for Microdata, Journal of the Royal Statistical Society B 2002;
Hoshino, Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment, Journal of Official Statistics
2001; Zayatz, Estimation of the Percent of Unique Population Elements, US Bureau of the Census 1991; Chen and
Keller-McNulty, Estimation of Identification Disclosure Risk in Microdata, Journal of Official Statistics 1998.

*Individual risk*, by sampling weights: the number of people of the population whom a person represents.
Symbols     f = people of a group in the release, F̂ = Σ of their sampling weights; p = f/F̂, z = (1−p)/p.
Model       F, the people of the population with the group's cells, is negative binomial: F ≥ f trials until f
            successes of p.  Then E[1/F | f] = ∫₀¹ v^{f−1}·p/(p+(1−p)v) dv = ∫₀¹ v^{f−1}/(1+zv) dv = I_f.
Recurrence  I_1 = ln(1+z)/z and I_{f+1} = (1/f − I_f)/z, stable where z ≥ 1: errors are divided by z.
Series      I_f = (p/f)·Σ_k (1−p)^k·k!/((f+1)(f+2)…(f+k)), all of whose terms are positive.  Few are needed where p is
            above 1/2 (each is less than half the last one) and where f > `BY_RECURRENCE` (they fall like k^−f).
Fraction    I_f = (1/f)·1/(1+ a₁z/(1+ a₂z/(1+ …))), a_{2k+1} = (f+k)²/((f+2k)(f+2k+1)), a_{2k} = k²/((f+2k−1)(f+2k)):
            Gauss's continued fraction, by which a finding is replayed; it takes about 60·√z steps.
Division    v^{f−1} divided by 1+zv leaves I_f = Σ_{j=1}^{f−1} (−1)^{j−1}/((f−j)·z^j) + (−1)^{f−1}·ln(1+z)/z^f, whose
            terms fall like z^{−j}: where z is above 1,000 a finding is replayed by these.

F̂ = f gives 1/f.  All groups are computed in floats, and those near the worst again with 60 digits.  Sums of f·I_f are
added up in whole numbers of 1/`SHARES`, each rounded up, so that they are the same in any order.  Others approximate:
p/(f−1+p) for f > 2 (sdcMicro's default) is 0.9 % too high at f = 3, and the alternating series of its exact method
gives numbers outside [0, 1].

Source: Benedetti and Franconi, Statistical and Technological Solutions for Controlled Data Dissemination, 1998;
Polettini, Some Remarks on the Individual Risk Methodology, 2003.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from sidelight.errors import BadMeasure, BadRelease, as_given, parameter
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import ROUNDING_ERROR, worst_row
from sidelight.measures.measure import ROW, Attacker, Measure, Monotonicity, Summary, Tally, choice, join_tallies, whole
from sidelight.measures.named_risks.size_risk import SizeHistogram
from sidelight.rounding import PRECISE, decimal_text, exact_number, exact_text, round_up, short_decimal, to_places
from sidelight.streams.key_stream import WEIGHT_UNIT
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.release.groups import GroupName, Groups
    from sidelight.release.release import Release


OverPeople: TypeAlias = Literal["highest", "average"]
"""The risk of the person worst off, or the average."""

BY_RECURRENCE = 64
"""Groups of at most this many people use the recurrence, where it is stable."""

SHARES = 1 << 40
"""Expected people are added up in units of 1/SHARES."""


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """A model's estimate of how many people of the population are unique, and its parameters."""

    model: str
    uniques: float
    parameters: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        return f"{self.model} {self.uniques:,.0f}"


def estimate_uniques(sample: SizeHistogram, population: int) -> tuple[ModelEstimate, ...]:
    """Return the estimates of the three models; one whose equations have no solution for this sample is left out.

    >>> sample = SizeHistogram.of(np.repeat([1, 2, 5], [40, 10, 4]))
    >>> [str(each) for each in estimate_uniques(sample, 800)]
    ['Pitman 130', 'Zayatz 225', 'SNB 162']
    """
    answers = (pitman(sample, population), zayatz(sample, population), shifted_negative_binomial(sample, population))
    return tuple(each for each in answers if each is not None)


def pitman(sample: SizeHistogram, population: int, *, least_alpha: float = 1e-3) -> ModelEstimate | None:
    """Fit Pitman's sampling formula; None where everybody is unique, or all are one group: nothing to fit.

    Below `least_alpha`, sums that are differences of digammas lose their digits, and N^α is as good as 1.
    """
    from scipy.special import digamma  # noqa: PLC0415 - only here, and slow to import

    groups, sampled = int(sample.groups.sum()), sample.everybody
    # all in one group, or everybody unique: the likelihood has no maximum inside
    if groups in (1, sampled):
        return None

    def inverses(start: float, end: int) -> float:  # Σ_{0<i<end} 1/(start+i)
        return float(digamma(start + end) - digamma(start + 1))

    def group_inverses(theta: float, alpha: float) -> float:  # Σ_{0<i<k} 1/(θ+iα)
        return inverses(theta / alpha, groups) / alpha if alpha else (groups - 1) / theta

    def best_theta(alpha: float) -> float:
        """Solve the first equation for θ > −α: below its solution the left side is larger, above it the right one."""

        def difference(theta: float) -> float:
            return group_inverses(theta, alpha) - inverses(theta, sampled)

        # doubled until the difference changes sign: halving needs both ends
        high = 1.0
        while difference(high) > 0:
            high *= 2
        return _falls_through_zero(difference, math.nextafter(-alpha, math.inf), high)

    def slope(alpha: float) -> float:
        """Return the derivative of the log-likelihood by α > 0 where θ is best for it: the second equation."""
        theta = best_theta(alpha)
        # Σ i/(θ+iα) = Σ (1 − θ/(θ+iα))/α
        left = (groups - 1 - theta * group_inverses(theta, alpha)) / alpha
        return float(left - sample.groups @ (digamma(sample.people - alpha) - digamma(1 - alpha)))

    # where the likelihood falls from α = 0 on, it is largest there (Ewens' formula)
    alpha = _falls_through_zero(slope, least_alpha, math.nextafter(1, 0)) if slope(least_alpha) > 0 else 0.0
    theta = best_theta(alpha)
    log_ratio = math.lgamma(theta + 1) - math.lgamma(theta + alpha) if alpha else math.log(theta)
    uniques = math.exp(log_ratio + alpha * math.log(population))
    return ModelEstimate("Pitman", min(uniques, float(population)), (("theta", theta), ("alpha", alpha)))


def zayatz(sample: SizeHistogram, population: int) -> ModelEstimate:
    """Estimate by Zayatz's model: groups of the population have the sizes that those of the sample have."""
    sampled, largest = sample.everybody, int(sample.people.max())
    # C(N−f, n−1)/C(N−1, n−1) is the product over 0 < j < f of 1 − (n−1)/(N−j)
    steps = np.log1p(-np.minimum((sampled - 1) / (population - np.arange(1, largest)), 1 - 2**-53))
    ratios = np.exp(np.concatenate(([0.0], np.cumsum(steps))))[sample.people - 1]
    left = float((sample.groups * sample.people) @ ratios)
    return ModelEstimate("Zayatz", min(sample.of_size(1) ** 2 / (sampled / population) / left, float(population)))


def shifted_negative_binomial(sample: SizeHistogram, population: int) -> ModelEstimate | None:
    """Fit the shifted negative binomial; None where no parameters lead to such a sample."""
    unique, pairs, fraction = sample.of_size(1), sample.of_size(2), sample.everybody / population
    if not unique or not pairs:
        return None
    groups = _groups_of_population(sample, fraction)

    def alpha_at(minus_log_b: float) -> tuple[float, float]:
        q = -math.expm1(-minus_log_b)
        mean = _mean(q, pairs / unique, fraction)
        return mean / q, mean

    def share_of_unique(minus_log_b: float) -> float:
        alpha, mean = alpha_at(minus_log_b)
        return math.exp(-alpha * minus_log_b) * (fraction + (1 - fraction) * mean)

    low, high = 2.0**-40, 2.0**80
    if not share_of_unique(high) <= unique / groups <= share_of_unique(low):
        return None
    minus_log_b = _falls_through_zero(lambda each: share_of_unique(each) - unique / groups, low, high)
    alpha, b = alpha_at(minus_log_b)[0], math.exp(-minus_log_b)
    log_beta = math.log(fraction) - minus_log_b - math.log1p(b * (fraction - 1))  # β = bπ / (1 − b + bπ)
    uniques = min(groups * math.exp(alpha * log_beta), float(population))
    return ModelEstimate("SNB", uniques, (("alpha", alpha), ("beta", math.exp(log_beta))))


def _mean(q: float, pairs_per_unique: float, fraction: float) -> float:
    """Solve the quadratic equation for m > 0: (1−π)/2·m² + (π + (1−π)(q/2 − c₂/u))·m = π·c₂/u."""
    square, constant = (1 - fraction) / 2, fraction * pairs_per_unique
    linear = fraction + (1 - fraction) * (q / 2 - pairs_per_unique)
    root = math.sqrt(linear * linear + 4 * square * constant)
    # the form of the root that does not subtract nearly equal numbers
    return 2 * constant / (linear + root) if linear >= 0 else (root - linear) / (2 * square)


def _groups_of_population(sample: SizeHistogram, fraction: float) -> float:
    people, groups = sample.people.astype(float), sample.groups.astype(float)
    v1 = float(people * fraction**2 * (1 - fraction**2) ** (people - 1) @ groups)
    # (1−π)^f·((1+π)^f − 1) = (1−π²)^f·(1 − (1+π)^−f), which stays finite and keeps its digits however small π is
    v2 = float(-((1 - fraction**2) ** people) * np.expm1(-people * np.log1p(fraction)) @ groups)
    v3 = float((1 - fraction) ** people @ groups)
    v4 = float(people * fraction * (1 - fraction) ** (people - 1) @ groups)
    return float(sample.groups.sum()) + sample.of_size(1) * (v1 / v2) * (v3 / v4) ** 2


def _falls_through_zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a function that falls from at least 0 at `low` to at most 0 at `high`."""
    # ends as soon as floats cannot be halved further
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


class UniquesEstimate(Measure):
    """An estimate that is read off the histogram of sizes, and is 0 where nobody is unique."""

    estimate: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    when_groups_merge = Monotonicity.UNKNOWN

    @abstractmethod
    def read_off(self, histogram: SizeHistogram, weight: int, alone: GroupName) -> Finding:
        """Return the finding; `weight` is the sum of all sampling weights, `alone` a group of one person."""

    def summarize(self, groups: Groups) -> Summary:
        groups = groups.sort_by_number()
        # sorted by number above, so that the first group of one person is the witness
        single = np.flatnonzero(groups.sizes == 1)
        alone = groups.name(int(single[0])) if len(single) else None
        weight = 0 if groups.weights is None else int(groups.weights.sum())
        worst = None if alone is None else ((alone.number,), (alone,))
        return Summary(((SizeHistogram.of(groups.sizes), weight), worst, None), join_tallies, self.read_tally)

    def read_tally(self, tally: Tally) -> Finding:
        """Return the finding, with a unique person, if there is one."""
        totals, worst, _ = tally
        if worst is None:
            return Finding(self, Fraction(0), None, ("nobody is alone in a group",))
        (histogram, weight), (alone,) = totals, worst[1]
        return self.read_off(histogram, weight, alone)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MatchWitness(Witness):
    """A group of one person, how many such groups and groups of two there are, and the share that was sampled."""

    alone: int
    pairs: int
    fraction: Fraction


@dataclass(frozen=True)
class UniqueMatch(UniquesEstimate):
    """How surely is somebody right who finds one single match?

    An estimate.  The release is a sample, the share `fraction`, π, of its population; if left out, the share of its
    people in the sum of their sampling weights.  An attacker who looks a person up and finds a single match is right
    with πu / (πu + 2(1−π)c₂), where u people are unique and c₂ groups are pairs: the data intrusion simulation (DIS).
    0 where nobody is unique; 1 where there is no pair.

    >>> release = Release.from_counts([{"Flu": 1}, {"Flu": 1}, {"Flu": 2}])
    >>> finding = UniqueMatch(fraction=0.1).measure(release)
    >>> finding
    <Finding: unique match(fraction=0.1) is 1/10, an estimate, in group 1>
    >>> print(finding.explain())
    Who finds one single match in this 10 % sample is right with about 1/10: 2 people are alone, and 1 group is a pair.

    Source: Skinner and Elliot, A Measure of Disclosure Risk for Microdata, JRSS B 2002.
    """

    fraction: float | Fraction | None = None

    name: ClassVar[str] = "unique match"
    example_settings = ({"fraction": 0.1}, {"fraction": Fraction(1, 3)}, {"fraction": 1})
    attacker = Attacker(
        "somebody who finds exactly one row that fits",
        f"{ROW}; not who else there is",
        "how likely that row is theirs",
        "register",
    )
    also_called = ("DIS", "data intrusion simulation")
    limits = (0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        name = f"the {parameter('fraction')} of '{self.name}'"
        if self.fraction is not None and not 0 < exact_number(self.fraction, BadMeasure, name) <= 1:
            raise BadMeasure(
                f"'{self.name}' needs {parameter('fraction')}, the share of the population that was sampled, to be "
                f"above 0 and at most 1, not {as_given(self.fraction)}"
            )

    @property
    def needs_weights(self) -> bool:  # type: ignore[override]
        return self.fraction is None

    def check(self, release: Release) -> None:
        super().check(release)
        weights = release.groups.weights
        if self.fraction is None and weights is None:
            raise BadMeasure(
                f"'{self.name}' needs {parameter('fraction')}, the share of the population that was sampled, or "
                f"sampling weights ({parameter('weight')})"
            )
        if self.fraction is None and weights is not None and int(weights.sum()) < release.size * WEIGHT_UNIT:
            raise BadRelease(
                f"by its weights the release has more people than its population; give {parameter('fraction')}, or "
                "weights that say how many people each stands for"
            )

    def read_off(self, histogram: SizeHistogram, weight: int, alone: GroupName) -> Finding:
        if self.fraction is None:
            sampled = Fraction(histogram.everybody * WEIGHT_UNIT, weight)
        else:
            sampled = Fraction(exact_number(self.fraction, BadMeasure, "fraction"))
        witness = MatchWitness(alone, alone=histogram.of_size(1), pairs=histogram.of_size(2), fraction=sampled)
        notes = () if witness.pairs else ("no group is a pair, so that the estimate of a unique match is 1",)
        return Finding(self, _match(sampled, witness.alone, witness.pairs), witness, notes)

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, MatchWitness):
            return "Nobody finds a single match: nobody is alone in a group."
        percent = short_decimal(witness.fraction * 100)
        sample = f"this {percent} % sample" if witness.fraction < 1 else "a whole population"
        value = Fraction(finding.value)
        right = exact_text(value) if value.denominator <= 12 else short_decimal(value)
        pairs = f"{counted(witness.pairs, 'group')} {'is a pair' if witness.pairs == 1 else 'are pairs'}"
        people = f"{counted(witness.alone, 'person')} {'is' if witness.alone == 1 else 'are'} alone"
        return f"Who finds one single match in {sample} is right with about {right}: {people}, and {pairs}."

    def replay(self, witness: Witness, release: Release) -> Amount:
        assert isinstance(witness, MatchWitness)
        return _match(witness.fraction, *(int(np.count_nonzero(release.groups.sizes == people)) for people in (1, 2)))


def _match(fraction: Fraction, alone: int, pairs: int) -> Fraction:
    return fraction * alone / (fraction * alone + 2 * (1 - fraction) * pairs) if alone else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UniquesWitness(Witness):
    """A group of one person, the histogram of sizes as (people, groups), and the estimate of each model."""

    histogram: tuple[tuple[int, int], ...]
    models: tuple[ModelEstimate, ...]


@dataclass(frozen=True)
class PopulationUniques(UniquesEstimate):
    """How many people of the population are alone with what is printed about them?

    An estimate, and a range.  The release is a sample of a population of `people`.  Three models estimate the rest of
    it; `value` is the highest of their answers and `kindest` the lowest, and a limit is decided only where all three
    are on one side of it.  In trials they were off by −6 to +90 %.  0 where nobody is unique in the release.

    >>> release = Release.from_counts([{"Flu": 1}] * 40 + [{"Flu": 2}] * 10 + [{"Flu": 5}] * 4)
    >>> finding = PopulationUniques(people=800).measure(release)
    >>> print(finding.explain())
    About 130 to 225 of 800 people are unique, by three models of the population (Pitman 130, Zayatz 225, SNB 162).

    Source: Hoshino, Journal of Official Statistics 2001; Zayatz, US Bureau of the Census 1991; Chen and
    Keller-McNulty, Journal of Official Statistics 1998.
    """

    people: int = field(metadata=whole())

    name: ClassVar[str] = "population uniques"
    example_settings = ({"people": 10_000}, {"people": 1_000_000})
    attacker = Attacker(
        "somebody who looks for people who are the only ones of their kind",
        "that the file is a sample",
        "how many people of the file are alone in the population",
        "register",
    )
    also_called = ("population uniqueness", "Pitman", "Zayatz", "SNB")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.people == 0:
            raise BadMeasure(
                f"'{self.name}' needs {parameter('people')}, how many people the population has, to be at least 1"
            )
        if self.people > (most := 1 << 53):  # up to here floats, in which models count people, are whole numbers
            raise BadMeasure(
                f"'{self.name}' needs {parameter('people')} to be at most {most:,}: no population is larger"
            )

    def check(self, release: Release) -> None:
        super().check(release)
        self._check_size(release.size)

    def _check_size(self, sampled: int) -> None:
        if sampled > self.people:
            raise BadMeasure(
                f"'{self.name}' is about a population of {parameter('people', self.people)}, and the release has "
                f"{counted(sampled, 'person')}; give the size of the population that they are part of"
            )

    def read_off(self, histogram: SizeHistogram, weight: int, alone: GroupName) -> Finding:
        """Return the estimates of the models; of a release that is the whole population, its own uniques."""
        models = self._ask_models(histogram)
        witness = UniquesWitness(alone, histogram=histogram.entries(), models=models)
        if not models:
            return Finding(self, Fraction(histogram.of_size(1)), witness, ("the release is the whole population",))
        answers = [each.uniques for each in models]
        unsolved = 3 - len(models)
        notes = (f"{unsolved} of 3 models {form('has', unsolved)} no answer for such a release",) if unsolved else ()
        if len(answers) == 1:  # one model decides no limit: nobody of the population may be unique
            return Finding(self, answers[0], witness, (*notes, "one model alone decides no limit"), kindest=Fraction(0))
        # the value is the worse end; a limit is decided only where both ends are on one side of it
        return Finding(self, max(answers), witness, notes, kindest=min(answers))

    def _ask_models(self, sample: SizeHistogram) -> tuple[ModelEstimate, ...]:
        self._check_size(sample.everybody)
        return () if sample.everybody == self.people else estimate_uniques(sample, self.people)

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, UniquesWitness):
            people = counted(self.people, "person")
            return f"No model says that anybody is unique among {people}: nobody is alone in a group."
        if not witness.models:
            unique, are = exact_text(finding.value), form("is", int(finding.value))
            return f"{unique} of {counted(self.people, 'person')} {are} unique: all are in the release."
        answers = [each.uniques for each in witness.models]
        low, high = (f"{each:,.0f}" for each in (min(answers), max(answers)))
        which = {1: "one model", 2: "two models", 3: "three models"}[len(witness.models)]
        return (
            f"About {low if low == high else f'{low} to {high}'} of {counted(self.people, 'person')} are unique, by "
            f"{which} of the population ({', '.join(map(str, witness.models))})."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        # the same histogram, found by sorting and not by counting
        people, groups = np.unique(release.groups.sizes, return_counts=True)
        sample = SizeHistogram(people, people, groups)
        models = self._ask_models(sample)
        return max(each.uniques for each in models) if models else Fraction(sample.of_size(1))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WeightWitness(Witness):
    """The worst group, its people and how many they represent; the expected number of all people found."""

    people: int
    stands_for: Fraction
    expected: Fraction
    everybody: int


@dataclass(frozen=True)
class IndividualRisk(Measure):
    """How surely is somebody of a sample found in the population, by what their weights say about it?

    An estimate, for releases that were read with sampling weights (`weight=`).  The expected 1/F of a group of f people
    who represent F̂ of the population, F being negative binomial: the "highest" over groups, or the "average" over all
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

    def summarize(self, groups: Groups) -> Summary:
        if len(groups) == 0:
            return Summary(((0, 0), None, None), join_tallies, self.read_tally)
        groups = groups.sort_by_number()
        people, weights = groups.sizes, _weights(groups)
        too_light = np.flatnonzero(weights < people * WEIGHT_UNIT)
        if len(too_light):
            row = int(too_light[0])
            light = short_decimal(Fraction(int(weights[row]), WEIGHT_UNIT), up=False)
            who = f"{groups.name(row).error_name} has {counted(int(people[row]), 'person')}"
            raise BadRelease(
                f"{who}, who by their weights stand for {light}; give weights that say how many people of the "
                "population each stands for"
            )
        risks = individual_risks(people, weights)
        worst = worst_row(
            risks,
            large_is_bad=True,
            kinds=np.column_stack((people, weights)).__getitem__,
            exactly=lambda kinds: [exact_individual_risk(*each) for each in kinds.tolist()],
        )
        assert worst is not None  # every group has people, and so a risk
        row, value = worst
        name, totals = groups.name(row), (_to_shares(people * risks), int(people.sum()))
        worst_group = (-value, name.number), (value, name, int(people[row]), int(weights[row]))
        return Summary((totals, worst_group, None), join_tallies, self.read_tally)

    def read_tally(self, tally: Tally) -> Finding:
        """Return the finding: of the worst group, or of all people on average."""
        totals, worst, _ = tally
        if worst is None:
            return Finding(self, Fraction(0), None, ("nobody is in the release",))
        (parts, everybody), (value, name, people, weight) = totals, worst[1]
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
        """Recompute the group's risk by a continued fraction or by division, or the sum over kinds of groups."""
        if self.statistic == "highest":
            group = release.group(witness.group)
            people, weight = int(group.sizes[0]), int(_weights(group)[0])
            # where a group's people each represent more than 1,000 others, a term of the division gives three digits
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
        raise BadMeasure(
            f"'{IndividualRisk.name}' needs sampling weights; name their column with {parameter('weight')}"
        )
    return groups.weights


def _to_shares(amounts: Floats) -> int:
    # whole numbers, rounded up, so that the order in which groups are added up does not matter
    parts = np.ceil(amounts * SHARES).astype(np.int64)
    step = 1 << 20  # this many parts of at most `SHARES` add up to a whole number of 64 bits
    return sum(int(parts[start : start + step].sum()) for start in range(0, len(parts), step))


def individual_risks(people: Integers, weights: Integers) -> Floats:
    """Return I_f of groups with these people and sums of weights, in floats.

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
    """Return I_f of one group, rounded up; 1/f where it represents nobody else.

    >>> exact_individual_risk(2, 2 * WEIGHT_UNIT)
    Fraction(1, 2)
    """
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
        # odd and even steps have coefficients of their own; the end is a factor that changes nothing
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
    """Return I_f of one group that represents far more people, term by term, rounded up.

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
