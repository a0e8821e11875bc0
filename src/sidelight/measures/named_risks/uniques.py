"""How many people who are alone in a release are alone in the population it was drawn from?  Estimates.

Symbols     u, c₂ = groups of one and of two people in the release, n = its people, N = people of the population,
            π = n/N = the share of the population that was sampled.

Unique match (DIS): if every person was sampled with π, a pair of the population gives one person of the sample with
2π(1−π) and two with π², so that c₂·2(1−π)/π people of the sample are alone and were not: of all who look unique and
match somebody once, πu / (πu + 2(1−π)c₂) are right.  Nothing is assumed about the population; within 15 % of the truth
in nine samples of Adult.
Population uniques: by three models that know what they cannot know (`population_models`), hence as a range.

Both are read off the histogram of sizes, and neither has a known trend when groups merge: two people who were alone
make a pair, and the pair changes what all others are worth.

Source: Skinner and Elliot, A Measure of Disclosure Risk for Microdata, Journal of the Royal Statistical Society B 2002.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sidelight.errors import BadMeasure, BadRelease, as_given, parameter
from sidelight.measures.attacker import ROW, Attacker
from sidelight.measures.exact import Amount
from sidelight.measures.fields import whole
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.measure import Measure, Monotonicity
from sidelight.measures.named_risks.population_models import ModelEstimate, SampleSizes, estimates
from sidelight.measures.named_risks.size_histogram import SizeHistogram
from sidelight.measures.named_risks.size_risk import runs_of_sizes
from sidelight.release.groups import GroupName, Groups
from sidelight.release.release import Release
from sidelight.rounding import exact_number, exact_text, short_decimal
from sidelight.streams.carried import WEIGHT_UNIT
from sidelight.table.labels import Label
from sidelight.text import counted, form

NOBODY_ALONE = "nobody is alone in a group"

MOST_PEOPLE = 1 << 53
"""Models count people in floats, which are whole numbers up to here."""


@dataclass(frozen=True, slots=True)
class UniquesSummary:
    """The histogram of some groups, and the first of them that is one person."""

    measure: UniquesEstimate
    histogram: SizeHistogram
    alone: GroupName | None
    weight: int = 0  # Σ of the sampling weights, where there are some

    def merge(self, other: UniquesSummary) -> UniquesSummary:
        """Add the histograms."""
        groups = [each for each in (self.alone, other.alone) if each is not None]
        alone = min(groups, key=lambda each: each.number, default=None)
        weight = self.weight + other.weight
        return replace(self, histogram=self.histogram + other.histogram, alone=alone, weight=weight)

    def finding(self) -> Finding:
        """Return the finding that the measure reads off."""
        if self.alone is None:
            return Finding(self.measure, Fraction(0), None, (NOBODY_ALONE,))
        return self.measure.read_off(self.histogram, self.alone, self.weight)


class UniquesEstimate(Measure):
    """An estimate that is read off the histogram of sizes, and is 0 where nobody is alone."""

    estimate: ClassVar[bool] = True
    depends_on_whole: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    when_groups_merge = Monotonicity.UNKNOWN

    @abstractmethod
    def read_off(self, histogram: SizeHistogram, alone: GroupName, weight: int) -> Finding:
        """Return the finding; `alone` is a group of one person, `weight` what all sampling weights add up to."""

    def summarize(self, groups: Groups) -> UniquesSummary:
        """Count the groups by their sizes."""
        groups = groups.sort_by_number()
        # sorted by number above, so that the first group of one person is the witness
        single = np.flatnonzero(groups.sizes == 1)
        alone = groups.name(int(single[0])) if len(single) else None
        weight = 0 if groups.weights is None else int(groups.weights.sum())
        return UniquesSummary(self, SizeHistogram.of(groups.sizes), alone, weight)


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
        """Where nobody says how much was sampled."""
        return self.fraction is None

    @property
    def _declared_share(self) -> Fraction | float:
        """The share as it is meant: 0.1 is a tenth."""
        return exact_number(self.fraction, BadMeasure, f"the {parameter('fraction')} of '{self.name}'")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """A tenth, a third, and everybody."""
        del domain
        return cls(0.1), cls(Fraction(1, 3)), cls(1)

    def check(self, release: Release) -> None:
        """Raise if nothing says how much was sampled."""
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

    def _sampled_share(self, people: int, weight: int) -> Fraction:
        """The share that was declared, or by the weights: n/Σw."""
        return Fraction(people * WEIGHT_UNIT, weight) if self.fraction is None else Fraction(self._declared_share)

    def read_off(self, histogram: SizeHistogram, alone: GroupName, weight: int) -> Finding:
        """Compute the finding from the counts of groups of one and of two."""
        witness = MatchWitness(
            alone,
            alone=histogram.of_size(1),
            pairs=histogram.of_size(2),
            fraction=self._sampled_share(histogram.everybody, weight),
        )
        notes = () if witness.pairs else ("no group is a pair, so that the estimate of a unique match is 1",)
        return Finding(self, _match(witness.fraction, witness.alone, witness.pairs), witness, notes)

    def explain(self, finding: Finding) -> str:
        """Return how sure, and from which counts."""
        witness = finding.witness
        if not isinstance(witness, MatchWitness):
            return f"Nobody finds a single match: {NOBODY_ALONE}."
        sample = (
            f"this {short_decimal(witness.fraction * 100)} % sample" if witness.fraction < 1 else "a whole population"
        )
        value = Fraction(finding.value)
        right = exact_text(value) if value.denominator <= 12 else short_decimal(value)
        pairs = f"{counted(witness.pairs, 'group')} {'is a pair' if witness.pairs == 1 else 'are pairs'}"
        people = f"{counted(witness.alone, 'person')} {'is' if witness.alone == 1 else 'are'} alone"
        return f"Who finds one single match in {sample} is right with about {right}: {people}, and {pairs}."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Sort the sizes again, and count the runs of one and of two."""
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

    An estimate, and a range.  The release is a sample of a population of `people`.  Three models (`population_models`)
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
        if self.people > MOST_PEOPLE:
            message = (
                f"'{self.name}' needs {parameter('people')} to be at most {MOST_PEOPLE:,}: no population is larger"
            )
            raise BadMeasure(message)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Populations of which a release of tests is a part."""
        del domain
        return cls(10_000), cls(1_000_000)

    def check(self, release: Release) -> None:
        """Raise if the population is smaller than the release."""
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
        """Return the range in words, and the answer of each model."""
        witness = finding.witness
        if not isinstance(witness, UniquesWitness):
            return f"No model says that anybody is unique among {counted(self.people, 'person')}: {NOBODY_ALONE}."
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
        """Sort the sizes again, and ask the models of their runs."""
        del witness
        runs = runs_of_sizes(release.groups.sizes, release.groups.sizes)
        # runs of equal sizes are the same histogram, found by sorting and not by counting
        models = self._models(*(np.array(each) for each in zip(*((f, groups) for f, _, groups in runs), strict=True)))
        return max(each.uniques for each in models) if models else Fraction(sum(g for f, _, g in runs if f == 1))
