"""Simulate how much independently made releases disclose together: an experiment on a table.

One repetition draws n samples of m people, o of whom are in all samples and everybody else in one at most; publishes
each sample on its own, by every method within every policy; and intersects the releases about the o people in common.
All methods and policies meet the same samples, so that they differ in nothing else.

Every figure x is averaged over the r repetitions in which something could be published: x̄ = Σ x / r, with the 95 %
confidence interval x̄ ± t·s/√r (t: Student's, r − 1 degrees of freedom; s: standard deviation of the r).  Repetition
number q draws from its own child of the seed, so what comes out does not depend on how many there are.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import stdtrit

from sidelight.attack.intersection import PriorName, intersect
from sidelight.errors import (
    BadMeasure,
    BadPolicy,
    BadTable,
    NothingSafe,
    WrongKind,
    as_given,
    did_you_mean,
    expect,
    expect_mapping,
    parameter,
)
from sidelight.policy.policy import Policy
from sidelight.progress import Progress, quiet
from sidelight.rounding import MOST_OF_ANYTHING, exact_number
from sidelight.search.method import Method, SearchResult
from sidelight.search.protect import method_of, protect
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.table import Counts, Intake, Table, expect_one_sensitive
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.attack.exposure import Exposure
    from sidelight.measures.criterion import Bound

Scheme: TypeAlias = str | Method | Sequence[str | Method]  # one method for all releases, or one for each

Figures: TypeAlias = dict[str, float]  # what one repetition measured, by name


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean over repetitions, and the interval that holds the true one with 95 % confidence (None: one repetition)."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def estimate(cls, figures: Sequence[float]) -> MeanEstimate:
        """Average; mean ± t·s/√n, with Student's t."""
        n = len(figures)
        mean = math.fsum(figures) / n
        if n == 1:
            return cls(mean, None, None)
        spread = math.sqrt(math.fsum((each - mean) ** 2 for each in figures) / (n - 1))
        reach = float(stdtrit(n - 1, 0.975)) * spread / math.sqrt(n)
        return cls(mean, mean - reach, mean + reach)


def estimate_means(tried: Sequence[Figures]) -> dict[str, MeanEstimate]:
    """Average each figure over repetitions that all have it; nothing where there were none."""
    return {name: MeanEstimate.estimate([each[name] for each in tried]) for name in (tried[0] if tried else ())}


@dataclass(frozen=True, slots=True)
class SimulationPoint:
    """One method under one policy, in the `repetitions` in which something could be published.

    `estimates`: "perfect", "vulnerable" and "contradicted" (shares of the people in common), "promised" (smallest
    group), "actual" (people one stands among), "before" and "after" (values left), "located right", "hits" (the true
    value is a candidate), "given away" (it is the only one), "guessed" (it is the likeliest), "belief in truth" and its
    "gain" over what was believed before, "loss" and "query error" (of the releases).
    """

    method: str
    policy: str
    repetitions: int
    estimates: Mapping[str, MeanEstimate]
    partial: Mapping[Fraction, MeanEstimate]  # confidence → share of people


Samples: TypeAlias = tuple[Table, tuple[Table, ...]]  # people who are in all samples, and the samples


@dataclass(frozen=True, slots=True)
class Sampling:
    """The settings by which samples are drawn, each repetition from its own child of the seed."""

    overlap: int
    people: int | None  # in each sample; None: as many as there can be
    releases: int
    repetitions: int
    seed: int

    def __post_init__(self) -> None:
        many = 1_000_000  # more repetitions, or releases at once, would tell nothing new, and never end
        for name, least, most in (
            ("overlap", -math.inf, MOST_OF_ANYTHING),  # how many there can be depends on the table
            ("people", -math.inf, MOST_OF_ANYTHING),
            ("releases", 1, many),
            ("repetitions", 1, many),
            ("seed", 0, math.inf),
        ):
            number = getattr(self, name)
            if number is None and name == "people":
                continue
            if not isinstance(number, int | np.integer) or isinstance(number, bool) or not least <= number <= most:
                beginning = "" if math.isinf(least) else f" from {least}"
                span = beginning if math.isinf(most) else f"{beginning or ' up'} to {most:,}"
                raise BadMeasure(f"{parameter(name)} is a whole number{span}, and this is not")

    @property
    def title(self) -> str:
        """The samples and repetitions, in words.

        >>> Sampling(500, 3_000, 2, 1, seed=7).title
        '2 releases of 3,000 people each, 500 in common, 1 repetition'
        """
        people = "people" if self.people is None else f"{self.people:,} people each"
        times = counted(self.repetitions, "repetition")
        return f"{counted(self.releases, 'release')} of {people}, {self.overlap:,} in common, {times}"

    def repeat(self, table: Table) -> Iterator[tuple[Samples, np.random.Generator]]:
        """Draw the samples of each repetition; what else it leaves to chance is drawn on from the same generator."""
        for number in range(self.repetitions):
            # a child of the seed for each repetition, so that more repetitions leave the first ones as they are
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
            samples = draw_samples(table, overlap=self.overlap, people=self.people, releases=self.releases, rng=rng)
            yield samples, rng


@dataclass(frozen=True, slots=True, repr=False)
class Simulation(Sampling):
    """The figures of what independent releases of overlapping samples disclosed together."""

    points: tuple[SimulationPoint, ...]

    def __repr__(self) -> str:
        return f"<Simulation of {counted(len(self.points), 'point')}: {self.title}>"

    def _repr_html_(self) -> str:
        figures = ("perfect", "vulnerable", "promised", "actual", "before", "after")
        rows = [
            (
                *(each.method, each.policy, each.repetitions),
                *(f"{each.estimates[name].mean:.4g}" if name in each.estimates else "" for name in figures),
            )
            for each in self.points
        ]
        return html_table(self.title, ("method", "policy", "published", *figures), rows, total=len(rows))

    def point(self, method: str, policy: str | int) -> SimulationPoint:
        """Return the point of a method under a policy."""
        for each in self.points:
            if (each.method, each.policy) == (method, str(policy)):
                return each
        tried = [f"{each.method}, {each.policy}" for each in self.points]
        raise BadMeasure(f"nothing was tried with '{method}, {policy}'{did_you_mean(f'{method}, {policy}', tried)}")

    def curve(self, name: str, *, method: str) -> dict[str, MeanEstimate]:
        """Return one figure of a method against the policies, in their order."""
        by_policy = {each.policy: each for each in self.points if each.method == method}
        if not by_policy:
            raise BadMeasure(
                f"nothing was tried with '{method}'{did_you_mean(method, {each.method for each in self.points})}"
            )
        known = {key for each in by_policy.values() for key in each.estimates}
        if name not in known:
            raise BadMeasure(f"no figure '{name}'{did_you_mean(name, sorted(known))}")
        return {policy: each.estimates[name] for policy, each in by_policy.items() if name in each.estimates}

    def to_json(self) -> str:
        """Write everything as JSON."""
        document = {"version": 1, **asdict(self)}
        for point in document["points"]:
            point["partial"] = [{"confidence": str(each), **mean} for each, mean in point["partial"].items()]
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def simulate_composition(
    table: Table,
    *,
    overlap: int,
    methods: Sequence[Scheme] = ("mondrian",),
    policies: Mapping[str, Policy] | Mapping[int, Policy],
    by: Mapping[str, Hierarchy] | None = None,
    releases: int = 2,
    people: int | None = None,
    confidences: Sequence[Bound] = tuple(map(Fraction, ("1", "1/2", "1/3", "1/4", "1/5", "1/6", "1/8", "1/10"))),
    prior: PriorName = "pooled",
    repetitions: int = 5,
    seed: int,
    progress: Progress = quiet,
) -> Simulation:
    """Simulate how much independent releases of overlapping parts of this table disclose.

    Draws samples, makes a release of each on its own, by each method within each policy, and attacks the people in
    common.  What comes out are means with 95 % confidence intervals over the repetitions.

    Args:
        table: the people to draw from, one value each.
        overlap: how many people are in all samples.
        methods: names or methods as for `protect`; a sequence of them is one method for each release.
        policies: what each release must keep, by a name, or by the number that a curve is drawn against.
        by: hierarchies.
        releases: how many organisations publish.
        people: how many people each sample has; default: as many as there can be.
        confidences: where the partial breach is looked at; default: closer than in a report, as curves go through.
        prior: what the attacker believes before, as for `intersect`.
        repetitions: how often it is done.
        seed: the same seed draws the same people.
        progress: called with how far it is.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> simulation = simulate_composition(
    ...     adult.table, overlap=500, people=2_000, policies={5: sl.Policy(sl.GroupSize() >= 5)}, repetitions=2, seed=7
    ... )
    >>> [point.policy for point in simulation.points], simulation.points[0].estimates["hits"].mean
    (['5'], 1.0)

    Source: Ganta, Kasiviswanathan and Smith, Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008,
    section 5.
    """
    expect(Table, table, "the table")
    expect_one_sensitive(table, "an attack")
    hierarchies = as_hierarchies(by)
    if isinstance(methods, str | Method):
        raise WrongKind(f"{parameter('methods')} should be several, not one; put it into a list: [method]")
    sampling = Sampling(overlap, people, releases, repetitions, seed)
    schemes = _read_schemes(methods, releases)
    expect_mapping(policies, parameter("policies"), "{5: sl.Policy(sl.GroupSize() >= 5)}")
    if not policies:
        raise BadPolicy("no policies to try; give at least one, such as {5: Policy(GroupSize() >= 5)}")
    for called, policy in policies.items():
        expect(Policy, policy, f"policy '{called}'")
    bounds = []
    for confidence in confidences:
        bound = exact_number(confidence, BadMeasure, "a confidence")
        if isinstance(bound, float):
            raise BadMeasure(f"a confidence lies between 0 and 1, not {as_given(confidence)}")
        bounds.append(bound)
    trials: dict[tuple[str, str], list[Figures]] = {}
    for number, ((shared, samples), rng) in enumerate(sampling.repeat(table)):
        for (title, scheme), (name, policy) in itertools.product(schemes, policies.items()):
            progress(f"{title}, {name}", number, repetitions)
            tried = trials.setdefault((title, str(name)), [])
            results = publish_each(samples, [method.seed_with(rng) for method in scheme], policy, hierarchies)
            if results is not None:
                exposure = intersect(results, people=shared, by=hierarchies, prior=prior)
                tried.append(_figures(exposure, results, bounds))
    points = []
    for (title, policy_name), tried in trials.items():
        # over the repetitions in which something could be published
        means = estimate_means(tried)
        partial = {each: means.pop(f"partial {each}") for each in bounds if tried}
        points.append(SimulationPoint(title, policy_name, len(tried), means, partial))
    return Simulation(overlap, samples[0].people, releases, repetitions, seed, tuple(points))


def publish_each(
    samples: Sequence[Table], methods: Sequence[str | Method], policy: Policy, by: Mapping[str, Hierarchy]
) -> list[SearchResult] | None:
    """Search a release of each sample on its own; None, when nothing within policy can be published of one of them."""
    try:
        return [
            protect(sample, policy, by=by, method=method_of(method), ask="nobody")
            for sample, method in zip(samples, methods, strict=True)
        ]
    except NothingSafe:
        return None


def _figures(exposure: Exposure, results: Sequence[SearchResult], confidences: Sequence[Fraction]) -> Figures:
    truth = exposure.truth
    assert truth is not None
    right = [float(each) for each in exposure.located_right if each is not None]
    return {
        "perfect": float(exposure.perfect),
        "vulnerable": float(exposure.vulnerable),
        "contradicted": float(exposure.contradicted),
        "promised": float(np.mean(exposure.smallest_groups)),
        "actual": float(np.mean([float(size) for size in exposure.mean_group_sizes])),
        "before": float(exposure.mean("before")),
        "after": float(exposure.mean("after")),
        **({"located right": float(np.mean(right))} if right else {}),
        "hits": float(truth.hits),
        "given away": float(truth.given_away),
        "guessed": float(truth.guessed),
        "belief in truth": truth.belief,
        "gain": truth.gain,
        "loss": float(np.mean([each.utility["loss"] for each in results])),
        "query error": float(np.mean([each.utility["query error"] for each in results])),
        **{f"partial {each}": float(exposure.partial(each)) for each in confidences},
    }


def _read_schemes(methods: Sequence[Scheme], releases: int) -> list[tuple[str, tuple[Method, ...]]]:
    """Read one method for each release, with a name: those of the methods, with their options where some are set."""
    schemes = []
    for scheme in methods:
        several = [scheme] * releases if isinstance(scheme, str | Method) else [*scheme]
        if len(several) != releases:
            raise BadPolicy(f"{len(several)} methods for {releases} releases; give one for each, or one for all")
        read = tuple(method_of(method) for method in several)
        names = (method.name if method == type(method)() else repr(method) for method in read)
        schemes.append((" and ".join(dict.fromkeys(names)), read))
    return schemes


def draw_samples(table: Table, *, overlap: int, people: int | None, releases: int, rng: np.random.Generator) -> Samples:
    """Draw samples of `people` each, of whom `overlap` are in all of them and the others in one only.

    >>> import sidelight as sl
    >>> shared, samples = draw_samples(
    ...     sl.datasets.adult().table, overlap=100, people=300, releases=2, rng=np.random.default_rng(1)
    ... )
    >>> shared.people, [sample.people for sample in samples]
    (100, [300, 300])
    """
    if table.semantics != "single":
        raise BadTable(
            f"people are drawn with one value each, and this table has {parameter('values', table.semantics)}"
        )
    if overlap < 1:
        raise BadTable(f"{parameter('overlap')} is {as_given(overlap)}: at least one person has to be in all samples")
    most = table.people if people is None else people
    if overlap > most:
        whose = "the table" if people is None else f"each sample, by {parameter('people')},"
        raise BadTable(
            f"{overlap:,} people in common are more than {whose} has: {most:,}; give a smaller {parameter('overlap')}"
        )
    # people whom a sample has for itself: those asked for, or an even part of all the others
    own = (most - overlap) // releases if people is None else most - overlap
    if overlap + own * releases > table.people:
        raise BadTable(
            f"{releases} samples with {overlap:,} people in common need {overlap + own * releases:,} people, and the "
            f"table has {table.people:,}; give a smaller {parameter('people')} (at least {parameter('overlap')})"
        )
    _, _, count = table.counts.entries()
    # (people,): each person as the number of their entry in the counts
    everybody = np.repeat(np.arange(len(count)), count)
    # one permutation, cut: nobody is drawn twice, and the first people are those of all samples
    drawn = rng.permutation(everybody)[: overlap + own * releases]
    shared, rest = drawn[:overlap], drawn[overlap:].reshape(releases, own)
    return _subtable(table, shared), tuple(_subtable(table, np.concatenate((shared, each))) for each in rest)


def _subtable(table: Table, entries: Integers) -> Table:
    """Make the table of people given one by one, each as an entry of the table's counts."""
    key, value, _ = table.counts.entries()
    # rows of which nobody was drawn are left out, and the others renumbered
    keys, row = np.unique(key[entries], return_inverse=True)
    counts = Counts.from_entries(row, value[entries], np.ones(len(entries), np.int64), (len(keys), len(table.domain)))
    quasi = tuple(column.take(keys).compact() for column in table.quasi)
    intake = Intake(roles=table.intake.roles)  # what identifies the person, as in the table
    return Table(quasi, table.sensitive, table.domain, counts.per_row(), counts, intake=intake)
