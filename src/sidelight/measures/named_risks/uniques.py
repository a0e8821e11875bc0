"""How many people who are alone in a release are alone in the population it was drawn from?  Estimates.

Symbols     u, c₂ = groups of one and of two people in the release, n = its people, N = people of the population,
            π = n/N = the share of the population that was sampled.

Unique match (DIS): if every person was sampled with π, a pair of the population gives one person of the sample with
2π(1−π) and two with π², so that c₂·2(1−π)/π people of the sample are alone and were not: of all who look unique and
match somebody once, πu / (πu + 2(1−π)c₂) are right.  Nothing is assumed about the population; within 15 % of the truth
in nine samples of Adult.
Population uniques: by three models that know what they cannot know, hence as a range.

Both are read off the histogram of sizes, and neither has a known trend when groups merge: two people who were alone
make a pair, and the pair changes what all others are worth.

Source: Skinner and Elliot, A Measure of Disclosure Risk for Microdata, Journal of the Royal Statistical Society B 2002.

The three models: how many people would be alone in a population of N, if all one has is a sample of n of it?

Symbols     c_f = groups of f people in the sample, u = c₁, n = Σ f·c_f, k = Σ c_f groups, N = people of the
            population, π = n/N; K, F_g = groups of the population and their people.

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

Source: Hoshino, Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment, Journal of Official
Statistics 2001; Zayatz, Estimation of the Percent of Unique Population Elements, US Bureau of the Census 1991; Chen and
Keller-McNulty, Estimation of Identification Disclosure Risk in Microdata, Journal of Official Statistics 1998.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.errors import BadMeasure, BadRelease, as_given, parameter
from sidelight.measures.criterion import Finding, Witness
from sidelight.measures.measure import ROW, Attacker, Measure, Monotonicity, Tally, whole
from sidelight.measures.named_risks.size_risk import SizeHistogram, runs_of_sizes
from sidelight.rounding import exact_number, exact_text, short_decimal
from sidelight.streams.key_stream import WEIGHT_UNIT
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.measures.criterion import Amount
    from sidelight.release.groups import GroupName, Groups
    from sidelight.release.release import Release


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """A sample: how many `groups` have so many `people`, and the size of the population it is from.

    >>> sizes = SampleSizes(np.array([1, 2]), np.array([3, 1]), 50)
    >>> sizes.sampled, sizes.of_size(1)
    (5, 3)
    """

    people: Integers
    groups: Integers
    population: int

    @property
    def sampled(self) -> int:
        """How many people are in the sample: n."""
        return int(self.people @ self.groups)

    def of_size(self, people: int) -> int:
        """How many groups have so many people: c_f."""
        return int(self.groups[self.people == people].sum())

    @property
    def fraction(self) -> float:
        """The share of the population that was sampled: π."""
        return self.sampled / self.population


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """What a model says: how many people of the population are unique, and by which parameters."""

    model: str
    uniques: float
    parameters: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        return f"{self.model} {self.uniques:,.0f}"


def estimates(sizes: SampleSizes) -> tuple[ModelEstimate, ...]:
    """Return the estimates of the three models; one whose equations have no solution for this sample is left out.

    >>> [str(each) for each in estimates(SampleSizes(np.array([1, 2, 5]), np.array([40, 10, 4]), 800))]
    ['Pitman 130', 'Zayatz 225', 'SNB 162']
    """
    answers = (pitman(sizes), zayatz(sizes), shifted_negative_binomial(sizes))
    return tuple(each for each in answers if each is not None)


def pitman(sizes: SampleSizes, *, least_alpha: float = 1e-3) -> ModelEstimate | None:
    """Fit Pitman's sampling formula; None where everybody is alone, or all are one group: nothing to fit.

    Below `least_alpha`, sums that are differences of digammas lose their digits, and N^α is as good as 1.
    """
    from scipy.special import digamma  # noqa: PLC0415 - only here, and slow to import

    groups, sampled = int(sizes.groups.sum()), sizes.sampled
    # all in one group, or everyone alone: the likelihood has no maximum inside
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
        return float(left - sizes.groups @ (digamma(sizes.people - alpha) - digamma(1 - alpha)))

    # where the likelihood falls from α = 0 on, it is largest there (Ewens' formula)
    alpha = _falls_through_zero(slope, least_alpha, math.nextafter(1, 0)) if slope(least_alpha) > 0 else 0.0
    theta = best_theta(alpha)
    log_ratio = math.lgamma(theta + 1) - math.lgamma(theta + alpha) if alpha else math.log(theta)
    uniques = math.exp(log_ratio + alpha * math.log(sizes.population))
    return ModelEstimate("Pitman", min(uniques, float(sizes.population)), (("theta", theta), ("alpha", alpha)))


def zayatz(sizes: SampleSizes) -> ModelEstimate:
    """Estimate by taking the sample's groups for the population's, size by size."""
    population, sampled, largest = sizes.population, sizes.sampled, int(sizes.people.max())
    # C(N−f, n−1)/C(N−1, n−1) is the product over 0 < j < f of 1 − (n−1)/(N−j)
    steps = np.log1p(-np.minimum((sampled - 1) / (population - np.arange(1, largest)), 1 - 2**-53))
    ratios = np.exp(np.concatenate(([0.0], np.cumsum(steps))))[sizes.people - 1]
    left = float((sizes.groups * sizes.people) @ ratios)
    return ModelEstimate("Zayatz", min(sizes.of_size(1) ** 2 / sizes.fraction / left, float(population)))


def shifted_negative_binomial(sizes: SampleSizes) -> ModelEstimate | None:
    """Solve for the shifted negative binomial; None where no parameters lead to such a sample."""
    unique, pairs, fraction = sizes.of_size(1), sizes.of_size(2), sizes.fraction
    if not unique or not pairs:
        return None
    groups = _groups_of_population(sizes)

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
    uniques = min(groups * math.exp(alpha * log_beta), float(sizes.population))
    return ModelEstimate("SNB", uniques, (("alpha", alpha), ("beta", math.exp(log_beta))))


def _mean(q: float, pairs_per_unique: float, fraction: float) -> float:
    """Solve the quadratic equation for m > 0: (1−π)/2·m² + (π + (1−π)(q/2 − c₂/u))·m = π·c₂/u."""
    square, constant = (1 - fraction) / 2, fraction * pairs_per_unique
    linear = fraction + (1 - fraction) * (q / 2 - pairs_per_unique)
    root = math.sqrt(linear * linear + 4 * square * constant)
    # the form of the root that does not subtract nearly equal numbers
    return 2 * constant / (linear + root) if linear >= 0 else (root - linear) / (2 * square)


def _groups_of_population(sizes: SampleSizes) -> float:
    people, groups, fraction = sizes.people.astype(float), sizes.groups.astype(float), sizes.fraction
    v1 = float(people * fraction**2 * (1 - fraction**2) ** (people - 1) @ groups)
    # (1−π)^f·((1+π)^f − 1) = (1−π²)^f·(1 − (1+π)^−f), which stays finite and keeps its digits however small π is
    v2 = float(-((1 - fraction**2) ** people) * np.expm1(-people * np.log1p(fraction)) @ groups)
    v3 = float((1 - fraction) ** people @ groups)
    v4 = float(people * fraction * (1 - fraction) ** (people - 1) @ groups)
    return float(sizes.groups.sum()) + sizes.of_size(1) * (v1 / v2) * (v3 / v4) ** 2


def _falls_through_zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Halve an interval over which a function falls from at least 0 to at most 0."""
    # ends as soon as floats cannot be halved further
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


class UniquesEstimate(Measure):
    """An estimate that is read off the histogram of sizes, and is 0 where nobody is alone."""

    estimate: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    when_groups_merge = Monotonicity.UNKNOWN

    @abstractmethod
    def read_off(self, histogram: SizeHistogram, alone: GroupName, weight: int) -> Finding:
        """Return the finding; `alone` is a group of one person, `weight` what all sampling weights add up to."""

    def summarize(self, groups: Groups) -> Tally:
        groups = groups.sort_by_number()
        # sorted by number above, so that the first group of one person is the witness
        single = np.flatnonzero(groups.sizes == 1)
        alone = groups.name(int(single[0])) if len(single) else None
        weight = 0 if groups.weights is None else int(groups.weights.sum())
        worst = None if alone is None else ((alone.number,), (alone,))
        return Tally(self, (SizeHistogram.of(groups.sizes), weight), worst)

    def read_tally(self, tally: Tally) -> Finding:
        if tally.worst is None:
            return Finding(self, Fraction(0), None, ("nobody is alone in a group",))
        (histogram, weight), (alone,) = tally.totals, tally.worst[1]
        return self.read_off(histogram, alone, weight)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MatchWitness(Witness):
    """A group of one person, how many such groups and groups of two there are, and the share that was sampled."""

    alone: int
    pairs: int
    fraction: Fraction


@dataclass(frozen=True)
class UniqueMatch(UniquesEstimate):
    """How surely is somebody right who finds one single match?

    An estimate.  The release is a sample of the population, of which it has the share `fraction`, π; if left out, that
    of its people in what their sampling weights add up to.  Who looks
    somebody up, and finds them to be the only one there, is right with πu / (πu + 2(1−π)c₂), where u people are alone
    and c₂ groups are pairs: the data intrusion simulation (DIS).  0 where nobody is alone; 1 where there is no pair.

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
        if self.fraction is not None and not 0 < self._declared_share <= 1:
            message = (
                f"'{self.name}' needs {parameter('fraction')}, the share of the population that was sampled, to be "
                f"above 0 and at most 1, not {as_given(self.fraction)}"
            )
            raise BadMeasure(message)

    @property
    def needs_weights(self) -> bool:  # type: ignore[override]
        return self.fraction is None

    @property
    def _declared_share(self) -> Fraction | float:
        return exact_number(self.fraction, BadMeasure, f"the {parameter('fraction')} of '{self.name}'")

    def check(self, release: Release) -> None:
        super().check(release)
        weights = release.groups.weights
        if self.fraction is None and weights is None:
            message = (
                f"'{self.name}' needs {parameter('fraction')}, the share of the population that was sampled, or "
                f"sampling weights ({parameter('weight')})"
            )
            raise BadMeasure(message)
        # fewer people in the population than in the sample would give a share above 1
        if self.fraction is None and weights is not None and int(weights.sum()) < release.size * WEIGHT_UNIT:
            message = (
                f"by its weights the release has more people than its population; give {parameter('fraction')}, or "
                "weights that say how many people each stands for"
            )
            raise BadRelease(message)

    def read_off(self, histogram: SizeHistogram, alone: GroupName, weight: int) -> Finding:
        by_weights = self.fraction is None
        sampled = Fraction(histogram.everybody * WEIGHT_UNIT, weight) if by_weights else Fraction(self._declared_share)
        witness = MatchWitness(
            alone,
            alone=histogram.of_size(1),
            pairs=histogram.of_size(2),
            fraction=sampled,
        )
        notes = () if witness.pairs else ("no group is a pair, so that the estimate of a unique match is 1",)
        return Finding(self, _match(witness.fraction, witness.alone, witness.pairs), witness, notes)

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, MatchWitness):
            return "Nobody finds a single match: nobody is alone in a group."
        sample = (
            f"this {short_decimal(witness.fraction * 100)} % sample" if witness.fraction < 1 else "a whole population"
        )
        value = Fraction(finding.value)
        right = exact_text(value) if value.denominator <= 12 else short_decimal(value)
        pairs = f"{counted(witness.pairs, 'group')} {'is a pair' if witness.pairs == 1 else 'are pairs'}"
        people = f"{counted(witness.alone, 'person')} {'is' if witness.alone == 1 else 'are'} alone"
        return f"Who finds one single match in {sample} is right with about {right}: {people}, and {pairs}."

    def replay(self, witness: Witness, release: Release) -> Amount:
        assert isinstance(witness, MatchWitness)
        groups_of = {people: groups for people, _, groups in runs_of_sizes(release.groups.sizes, release.groups.sizes)}
        return _match(witness.fraction, groups_of.get(1, 0), groups_of.get(2, 0))


def _match(fraction: Fraction, alone: int, pairs: int) -> Fraction:
    return fraction * alone / (fraction * alone + 2 * (1 - fraction) * pairs) if alone else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UniquesWitness(Witness):
    """A group of one person, the histogram of sizes as (people, groups), and what each model says."""

    histogram: tuple[tuple[int, int], ...]
    models: tuple[ModelEstimate, ...]


@dataclass(frozen=True)
class PopulationUniques(UniquesEstimate):
    """How many people of the population are alone with what is printed about them?

    An estimate, and a range.  The release is a sample of a population of `people`.  Three models
    guess at the rest of it; `value` is the highest of their answers and `kindest` the lowest, and a limit is decided
    only where all three are on one side of it.  In trials they were off by −6 to +90 %.  0 where nobody is alone in the
    release.

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
            message = f"'{self.name}' needs {parameter('people')}, how many people the population has, to be at least 1"
            raise BadMeasure(message)
        if self.people > (most := 1 << 53):  # models count people in floats, which are whole numbers up to here
            message = f"'{self.name}' needs {parameter('people')} to be at most {most:,}: no population is larger"
            raise BadMeasure(message)

    def check(self, release: Release) -> None:
        super().check(release)
        self._check_size(release.size)

    def _check_size(self, sampled: int) -> None:
        if sampled > self.people:
            message = (
                f"'{self.name}' is about a population of {parameter('people', self.people)}, and the release has "
                f"{counted(sampled, 'person')}; give the size of the population that they are part of"
            )
            raise BadMeasure(message)

    def read_off(self, histogram: SizeHistogram, alone: GroupName, weight: int) -> Finding:
        """Return the estimates of the models; a release that is the whole population answers by itself."""
        del weight
        sizes = tuple(zip(histogram.people.tolist(), histogram.groups.tolist(), strict=True))
        models = self._models(histogram.people, histogram.groups)
        witness = UniquesWitness(alone, histogram=sizes, models=models)
        if not models:
            return Finding(self, Fraction(histogram.of_size(1)), witness, ("the release is the whole population",))
        answers = [each.uniques for each in models]
        unsolved = 3 - len(models)
        notes = (f"{unsolved} of 3 models {form('has', unsolved)} no answer for such a release",) if unsolved else ()
        if len(answers) == 1:  # one model decides no limit: nobody of the population may be unique
            return Finding(self, answers[0], witness, (*notes, "one model alone decides no limit"), kindest=Fraction(0))
        # the value is the worse end; a limit is decided only where both ends are on one side of it
        return Finding(self, max(answers), witness, notes, kindest=min(answers))

    def _models(self, people: np.ndarray, groups: np.ndarray) -> tuple[ModelEstimate, ...]:
        sizes = SampleSizes(people, groups, self.people)
        self._check_size(sizes.sampled)
        return () if sizes.sampled == self.people else estimates(sizes)

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, UniquesWitness):
            people = counted(self.people, "person")
            return f"No model says that anybody is unique among {people}: nobody is alone in a group."
        if not witness.models:
            are = form("is", int(finding.value))
            return (
                f"{exact_text(finding.value)} of {counted(self.people, 'person')} {are} unique: all are in the release."
            )
        answers = [each.uniques for each in witness.models]
        low, high = (f"{each:,.0f}" for each in (min(answers), max(answers)))
        which = {1: "one model", 2: "two models", 3: "three models"}[len(witness.models)]
        return (
            f"About {low if low == high else f'{low} to {high}'} of {counted(self.people, 'person')} are unique, by "
            f"{which} of the population ({', '.join(map(str, witness.models))})."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        del witness
        runs = runs_of_sizes(release.groups.sizes, release.groups.sizes)
        # runs of equal sizes are the same histogram, found by sorting and not by counting
        models = self._models(*(np.array(each) for each in zip(*((f, groups) for f, _, groups in runs), strict=True)))
        return max(each.uniques for each in models) if models else Fraction(sum(g for f, _, g in runs if f == 1))
