"""Attack noisy counts: an attacker who knows everybody else, or nothing else, weighs all releases together.

    posterior(s) ∝ prior(s) · Π_j Pr(noisy counts of release j | this person has s)

Everybody else known    what remains of release j without the others is noise z plus this person, so that
                        its factor is Pr(z_s − 1) / Pr(z_s) at the person's group: one subtraction per value.
Nothing else known      the factor is share_j(s) / prior(s), with share_j the posterior mean of the group's counts under
                        the noise.  The posterior mean of a count n given `measured`, by Bayes' rule:

                            E[n | measured] = Σ_n n · w(n) / Σ_n w(n),  w(n) = (m / (1 + m))^n · Pr(measured − n)

                        with m what the group's people and the value's share over all groups suggest: of all laws of n
                        with that mean the geometric one knows least (it has the largest entropy), so that groups may
                        differ as much as their counts say.

The first is what differential privacy bounds: by tanh(Σε / 2), or with a δ by `promise_of`, for the data as it is.  The
second is what counts are published for.

Cost: values × releases for each distinct row; for posterior means behind Gaussian noise, cells × its scale.

`side_by_side` compares partitions that keep a policy with noisy counts.  Samples of a table that have some people in
common are published in every way, each sample by itself, and the people in common are attacked with all releases
together: partitions by `intersect`, noisy counts by `attack_noise`.  Compared are what an attacker learns (the shares
of people disclosed, believed with confidence or guessed, and the belief gained), how far the belief of one who knows
everybody else moves, and the error of COUNT queries.

An exact partition discloses the last person to an attacker who knows everybody else: the belief moves by 1 − prior(true
value).  Queries are answered alike from both: people are spread evenly over the labels that their group's own covers,
so that a group counts by the product over columns of the share of covered labels in the query's range.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from sidelight.arrays import Floats, Integers, add_up
from sidelight.attack.intersection import PriorName, intersect
from sidelight.attack.simulation import MeanEstimate, Samples, Sampling, estimate_means, publish_each
from sidelight.errors import (
    BadNoise,
    as_given,
    did_you_mean,
    expect,
    expect_mapping,
    expect_several,
    is_one_of,
    parameter,
)
from sidelight.noise.accountant import promise_of
from sidelight.noise.mechanism import Amount, amount_text, exact_epsilon
from sidelight.noise.noisy_counts import NoisyCounts, noisy_counts
from sidelight.noise.semantic_privacy import SemanticPrivacy, two_digits
from sidelight.policy.limits import read_limit
from sidelight.policy.policy import Policy
from sidelight.rounding import exact_number, round_up
from sidelight.search.orders import Order, order_along
from sidelight.search.utility import Query, mean_query_error
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Label, shown
from sidelight.table.table import CELLS_AT_ONCE, Table, expect_one_sensitive
from sidelight.text import counted, html_table


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class NoisyExposure:
    """The beliefs of an attacker who saw noisy counts, about each of these people in turn.

    A row is all people with the same labels and value: `sizes` of them, with value `truth`.  `posterior` is
    row × value of `domain`; `prior` was believed of everybody before.
    """

    domain: tuple[Label, ...]
    prior: Floats
    posterior: Floats
    truth: Integers
    sizes: Integers
    promise: SemanticPrivacy | None = None  # what the noise promises, if anything

    def __repr__(self) -> str:
        people = counted(int(self.sizes.sum()), "person")
        belief = f"belief in the true value {self.prior_belief:.4f} before, {self.belief:.4f} after"
        return f"<NoisyExposure of {people}: {belief}, largest shift {self.largest_shift:.4f}{self._promise_words()}>"

    @property
    def bound(self) -> float | None:
        """No belief shifts further, except with the chance of the `promise`; none where nothing is promised."""
        return None if self.promise is None else self.promise.shift

    def _promise_words(self) -> str:
        if self.promise is None:
            return ""
        holds = f", except with a chance of {two_digits(self.promise.chance)}" if self.promise.chance else ""
        return f" (promised: at most {self.promise.shift:.4f}{holds})"

    def _repr_html_(self) -> str:
        rows = [
            ("belief in the true value before, on average", f"{self.prior_belief:.4f}"),
            ("… and after", f"{self.belief:.4f}"),
            ("share of people whose value is guessed", f"{float(self.guessed):.4f}"),
            (f"largest shift of a belief{self._promise_words()}", f"{self.largest_shift:.4f}"),
        ]
        return html_table(f"Noisy counts, attacked about {int(self.sizes.sum()):,} people", ("", ""), rows)

    @property
    def shift(self) -> Floats:
        """The total variation distance of the belief about each row from the prior, (rows,)."""
        moved: Floats = np.abs(self.posterior - self.prior).sum(axis=1) / 2
        return moved

    @property
    def largest_shift(self) -> float:
        """The belief that moved furthest."""
        return float(self.shift.max())

    @property
    def belief(self) -> float:
        """The belief in the true value, on average over people."""
        return float(self.sizes @ self.posterior[np.arange(len(self.truth)), self.truth] / self.sizes.sum())

    @property
    def prior_belief(self) -> float:
        """The belief in the true value before, on average over people."""
        return float(self.sizes @ self.prior[self.truth] / self.sizes.sum())

    @property
    def guessed(self) -> Fraction:
        """The share of people whose true value is the one that is believed most."""
        return self._share(self.posterior.argmax(axis=1) == self.truth)

    def believed(self, belief: float) -> Fraction:
        """Return the share of people of whom some value is believed with at least `belief`, up to rounding.

        Exponentials make these beliefs irrational, so that they are not decided exactly as `Exposure.sure` is: one
        that floats cannot tell from `belief` counts, towards caution.
        """
        return self._share(self.posterior.max(axis=1) >= belief - 1e-12)

    def _share(self, which: np.typing.NDArray[np.bool_]) -> Fraction:
        return Fraction(int(self.sizes[which].sum()), int(self.sizes.sum()))


def attack_noise(
    releases: Sequence[NoisyCounts],
    *,
    people: Table,
    by: Mapping[str, Hierarchy],
    tables: Sequence[Table] | None = None,
    prior: PriorName | Mapping[str, float] = "pooled",
    chance: Amount | None = None,
) -> NoisyExposure:
    """Compute what an attacker believes who weighs several noisy releases about the same people together.

    - With `tables`: an attacker who knows everybody in them but this person.  With ε-differentially private releases no
      belief then shifts by more than tanh(Σε / 2), for any person and prior; with a δ, none of these people's shifts by
      more than `bound`, except with the chance of the `promise`, which is over the noise.
    - Without: an attacker who knows nothing else, and learns what people like this one have.  That is what the counts
      are published for; it would be learned without this person as well, and no noise bounds it.

    Args:
        releases: noisy counts with the same declared values.
        people: those who are in all tables, with their true values.
        by: the hierarchies of the releases.
        tables: what each release was made from, for an attacker who knows it but for the one person.
        prior: what is believed before: "pooled" (shares in the tables, or in the releases), "uniform", or a belief for
            each value.
        chance: how likely the promise may be broken, to read it off the noise itself; see `promise_of`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["sex"])
    >>> noisy = sl.noisy_counts(
    ...     adult.table, by=adult.hierarchies, levels={"sex": 0}, domain=sl.datasets.OCCUPATIONS, epsilon=1,
    ...     ledger="no ledger")
    >>> seen = attack_noise([noisy], tables=[adult.table], people=adult.table, by=adult.hierarchies)
    >>> seen.largest_shift <= seen.bound, round(seen.bound, 4)
    (True, 0.4621)
    """
    expect(Table, people, "those who are attacked")
    expect_one_sensitive(people, "an attack")
    if tables is None and chance is not None:
        raise BadNoise(
            f"{parameter('chance')} is about a promise, and none is made against somebody who knows nothing else; give "
            f"{parameter('tables')} too, or leave it out"
        )
    tables = None if tables is None else expect_several(Table, tables, "tables", each="table")
    releases = expect_several(NoisyCounts, releases, "releases", each="release")
    hierarchies = as_hierarchies(by)
    _check_releases(releases, tables)
    for name in dict.fromkeys(name for release in releases for name in release.levels):
        if name not in hierarchies:
            raise BadNoise(f"no hierarchy for '{name}'{did_you_mean(name, hierarchies)}; give it in {parameter('by')}")
    domain = releases[0].domain
    before = _read_prior(prior, releases, tables)
    # one entry for all who share a row and a value: row, value and sizes are (entries,)
    row, value, sizes = people.counts.entries()
    truth = releases[0].declared_domain.places_of(people.domain)[value]
    log_likelihood = np.zeros((len(row), len(domain)))
    for number, release in enumerate(releases):
        group = release.declared_domain.groups_of(people, hierarchies)[row]
        if (group < 0).any() or (truth < 0).any():
            raise BadNoise("some people have a label or a value that was not declared; attack those who were counted")
        if tables is None:
            # (groups, values) taken by group: (entries, values)
            means = posterior_means(release)
            shares = means / means.sum(axis=1, keepdims=True)
            # ln share(s) / prior(s) in each group; a value that nobody believes in stays so
            log_likelihood += np.log(shares / np.where(before > 0, before, 1))[group]
        else:
            counts = release.declared_domain.count(tables[number], hierarchies)
            _check_table(release, counts, add_up(group * len(domain) + truth, sizes, counts.size), number + 1)
            log_likelihood += _knowing_others(release, counts, group, truth)
    # the largest exponent becomes 0, so that nothing overflows and the sum is at least one prior
    odds = before * np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    posterior = odds / odds.sum(axis=1, keepdims=True)
    promise = None
    if tables is not None:  # how far these beliefs move at most: the data is as it is, and everybody else is known
        spent = [release.spending for release in releases]
        promise = promise_of(spent, people=int(sizes.sum()), chance=chance, for_data_as_it_is=True)
    return NoisyExposure(domain, before, posterior, truth, sizes, promise)


def _check_table(release: NoisyCounts, counts: Integers, attacked: Integers, number: int) -> None:
    """Refuse a table that the release was not made from, or that lacks people: what is left would not be noise."""
    if (counts.ravel() < attacked).any():
        raise BadNoise(f"some of the people are not in table {number}; attack those who are in all tables")
    # of honest tables fewer than one in a thousand million are refused, whatever the number of counts
    if np.abs(release.measured - counts).max() > release.mechanism.margin(1 - max(1e-9 / counts.size, 1e-15)):
        raise BadNoise(f"release {number} was not made from table {number}: what is left of its counts is no noise")


def _knowing_others(release: NoisyCounts, counts: Integers, group: Integers, truth: Integers) -> Floats:
    """Return ln Pr(counts | this person has s) − ln Pr(counts | this person is not there), row × value s."""
    # counts minus those of the others are the noise and this person
    sizes, log_ratio = release.declared_domain.sizes, np.zeros((len(group), counts.shape[1]))
    measured, layout = release.measurements, release.measurements.layout
    # a marginal that is not by values says the same of all of them
    for each in (each for each in measured.marginals if len(sizes) - 1 in map(layout.column, each.axes)):
        noise = each.measured - layout.add_up(counts.reshape(sizes), each.axes)
        # an axis per column, then (groups, values), then (entries, values)
        left = np.broadcast_to(layout.spread(noise, each.axes), sizes).reshape(counts.shape)[group]
        value = layout.places(each.axes)[-1]
        left += value == value[truth][:, np.newaxis]  # the exact counts have the person too
        log_ratio += each.mechanism.log_weight(left - 1) - each.mechanism.log_weight(left)
    return log_ratio


def _read_prior(
    prior: PriorName | Mapping[str, float], releases: Sequence[NoisyCounts], tables: Sequence[Table] | None
) -> Floats:
    domain = releases[0].domain
    if isinstance(prior, Mapping):
        strange = [name for name in prior if name not in domain]
        if strange:
            raise BadNoise(f"a prior for '{strange[0]}', which was not declared{did_you_mean(strange[0], domain)}")
        exact = [exact_number(prior.get(shown(text), 0), BadNoise, "a belief") for text in domain]
        weights = np.array([round_up(each) for each in exact])
    elif not is_one_of(prior, PriorName):
        raise BadNoise(f"no {parameter('prior', prior)}; choose 'pooled' or 'uniform', or give value → belief")
    elif prior == "uniform":
        weights = np.ones(len(domain))
    elif tables is None:
        weights = np.sum([release.counts.sum(axis=0) for release in releases], axis=0) + 0.5
    else:
        weights = np.zeros(len(domain))
        for table in tables:
            index, totals = releases[0].declared_domain.places_of(table.domain), table.counts.totals()
            weights += add_up(index[index >= 0], totals[index >= 0], len(domain))
    if weights.min() < 0 or not 0 < weights.sum() < math.inf:
        raise BadNoise("a prior gives each value a belief of at least 0, and some value more than that")
    believed: Floats = weights / weights.sum()
    return believed


def _check_releases(releases: Sequence[NoisyCounts], tables: Sequence[Table] | None) -> None:
    if not releases or (tables is not None and len(releases) != len(tables)):
        number = "no" if tables is None else len(tables)
        message = (
            f"{number} tables for {len(releases)} noisy releases; give at least one release, and the table of each"
        )
    elif not all(release.unit.once for release in releases):
        message = "some releases count people several times, and nobody here weighs that; attack counts of one each"
    elif len({release.domain for release in releases}) > 1:
        message = "the releases declare different sensitive values; declare the same, in the same order"
    else:
        return
    raise BadNoise(message)


def posterior_means(noisy: NoisyCounts) -> Floats:
    """Return E[n | measured] behind each noisy count n; never 0, as noise rules nothing out."""
    # half a person more everywhere: no mean is 0, as noise rules nothing out
    people = noisy.counts.sum(axis=1, keepdims=True) + 0.5
    shares = (noisy.counts.sum(axis=0) + 0.5) / (noisy.counts.sum() + 0.5 * len(noisy.domain))
    means, measured = (people * shares).ravel(), noisy.measured.ravel()
    falling = np.log1p(1 / means)  # by which ln of the geometric law falls from n to n + 1
    of_noise = _laplace_means if noisy.mechanism.kind == "discrete Laplace" else _gaussian_means
    expected = of_noise(measured, falling, noisy.mechanism.scale)
    return np.maximum(expected, np.finfo(np.float64).tiny).reshape(noisy.measured.shape)


def _laplace_means(measured: Integers, falling: Floats, scale: float) -> Floats:
    """Add up w(n) = e^(−λn − |c − n| / b) in closed form: geometric series on either side of c, as far as n ≥ 0."""
    c = np.maximum(measured, 0).astype(np.float64)  # below 0 the noise falls as from 0 on
    beyond = falling + 1 / scale
    # below c: n = c − 1, c − 2, … weighs e^(−s), e^(−2s), … of what c does
    s = 1 / scale - falling
    # a slope of 0 would make 0 / 0 of the geometric series
    slope = np.maximum(np.abs(s), 1e-300)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # of counts of 0
        log_below = np.log(np.expm1(-slope * c) / np.expm1(-slope)) + np.where(s > 0, -slope, slope * c)
        log_from_c = -np.log(-np.expm1(-beyond))
        below = 1 / (1 + np.exp(log_from_c - log_below))  # the weight of all n below c
        mean_from_zero = 1 / np.expm1(slope) - c / np.expm1(slope * c)  # where it falls from 0 on
        nearly_even = (c - 1) / 2 - slope * (c**2 - 1) / 12
    # the closed form subtracts two huge numbers where the slope is tiny: there its Taylor series is exact enough
    mean_from_zero = np.where(slope * c < 1e-4, nearly_even, mean_from_zero)
    mean_below = np.where(s > 0, c - 1 - mean_from_zero, mean_from_zero)
    mean_from_c = c + 1 / np.expm1(beyond)
    return np.where(c > 0, below * mean_below + (1 - below) * mean_from_c, mean_from_c)


def _gaussian_means(measured: Integers, falling: Floats, scale: float) -> Floats:
    """Add up w(n) = e^(−λn − (c − n)² / (2σ²)), a Gaussian around c − λσ², as far as n ≥ 0; some counts at a time."""
    centre = measured - falling * scale**2
    # what is more than eleven deviations from the likeliest is below the last bit
    low = np.maximum(np.floor(centre - 11 * scale), 0)
    steps = np.arange(math.ceil(2 * 11 * scale) + 2)
    # counts × steps is the largest array: it is kept within CELLS_AT_ONCE numbers
    expected, at_once = np.empty(len(measured)), max(CELLS_AT_ONCE // len(steps), 1)
    for start in range(0, len(measured), at_once):
        some = slice(start, start + at_once)
        n = low[some, np.newaxis] + steps
        # against the weight of the likeliest, so that nothing vanishes far below 0
        likeliest = np.maximum(np.rint(centre[some]), 0)[:, np.newaxis]
        weight = np.exp((likeliest - n) * (likeliest + n - 2 * centre[some, np.newaxis]) / (2 * scale**2))
        expected[some] = (weight * n).sum(axis=1) / weight.sum(axis=1)
    return expected


# What partitions keep beside noise, by default
USUAL_LIMITS = {
    "k-anonymity (k = 10)": ("group size >= 10",),
    "entropy ℓ-diversity (ℓ = 5)": ("group size >= 10", "entropy diversity >= 5"),
    "t-closeness (t = 0.3)": ("group size >= 10", "closeness <= 0.3"),
    "(c, k)-safety (c = 0.7, k = 1)": ("group size >= 10", "implications(k=1) < 0.7"),
}

SURE_FROM = 0.9  # an attacker who believes a value this much is called sure


@dataclass(frozen=True, slots=True)
class Compared:
    """One way of publishing: what its releases disclosed together, and how useful they are.

    Shares are of the people in common, for an attacker who weighs the releases together and knows nothing else.
    """

    name: str
    repetitions: int  # in which something could be published
    given_away: MeanEstimate | None  # the true value is the only candidate left
    sure: MeanEstimate | None  # some value is believed at least 0.9
    guessed: MeanEstimate | None  # the true value is the one that is believed most
    gain: MeanEstimate | None  # belief in the true value, minus what it was before, on average
    largest_shift: MeanEstimate | None  # of a belief, by an attacker who knows everybody but this one person
    promised_shift: float | None  # … and its promised bound, if there is one
    query_error: MeanEstimate | None  # of COUNT queries, relative


@dataclass(frozen=True, slots=True)
class SideBySide(Sampling):
    """Ways of publishing, compared on the same people by the same attack."""

    rows: tuple[Compared, ...]

    def __repr__(self) -> str:
        return f"<SideBySide of {len(self.rows)} ways of publishing: {self.title}>"

    @property
    def headings(self) -> tuple[str, ...]:
        """Name the columns of `cells()`."""
        sure = f"{SURE_FROM:.0%} sure"
        return "", "given away", sure, "guessed", "belief gained", "shift, all others known", "query error"

    def cells(self) -> Iterator[tuple[str, ...]]:
        """Return the means, way by way, as a table shows them."""
        for row in self.rows:
            if row.gain is None or row.largest_shift is None or row.query_error is None:
                yield row.name, "nothing could be published", "", "", "", "", ""
                continue
            shares = (f"{each.mean:.1%}" for each in (row.given_away, row.sure, row.guessed) if each is not None)
            promise = "" if row.promised_shift is None else f" (promised: {row.promised_shift:.2f})"
            tail = f"{row.gain.mean:.3f}", f"{row.largest_shift.mean:.2f}{promise}", f"{row.query_error.mean:.2f}"
            yield row.name, *shares, *tail

    def _repr_html_(self) -> str:
        return html_table(self.title, self.headings, self.cells())

    def to_json(self) -> str:
        """Write everything as JSON."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """Write the means as a table for a page."""
        lines = [f"| {' | '.join(self.headings)} |", f"|{' --- |' * len(self.headings)}"]
        lines += ["".join(f"| {cell} " if cell else "| " for cell in cells) + "|" for cells in self.cells()]
        return "\n".join(lines) + "\n"


def side_by_side(
    table: Table,
    *,
    by: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    overlap: int,
    seed: int,
    domain: Sequence[object] | None = None,
    policies: Mapping[str, Policy] | None = None,
    epsilons: Sequence[Amount] = (1,),
    method: str = "mondrian",
    people: int | None = None,
    releases: int = 2,
    repetitions: int = 3,
) -> SideBySide:
    """Compare partitions and noisy counts when several are published about the same people.

    An experiment on known data: do not publish its figures about people whose data is private.

    Args:
        table: the people to draw from, one value each.
        by: hierarchies.
        levels: the levels of the noisy counts.
        overlap: how many people are in all samples.
        seed: the same seed draws the same people; noise has no seed.
        domain: the declared values of the noisy counts; default: the table's, as this is an experiment.
        policies: what the partitions keep, by name; default: k-anonymity, entropy ℓ-diversity, t-closeness and
            (c, k)-safety.
        epsilons: the ε of each noisy release.
        method: how partitions are searched for, as in `protect`.
        people: how many people each sample has; default: as many as there can be.
        releases: how many organisations publish.
        repetitions: how often it is done.
    """
    expect(Table, table, "what samples are drawn from")
    expect_one_sensitive(table, "a comparison with noise")
    if not isinstance(repetitions, int) or repetitions < 1:
        raise BadNoise(f"repetitions={as_given(repetitions)}: give at least 1, and 2 or more for confidence intervals")
    partitions: Mapping[str, Policy] = {name: Policy(*map(read_limit, limits)) for name, limits in USUAL_LIMITS.items()}
    if policies is not None:
        partitions = expect_mapping(policies, parameter("policies"), '{"k = 5": sl.Policy(sl.GroupSize() >= 5)}')
        for name, policy in partitions.items():
            expect(Policy, policy, f"policy '{name}'")
    values = table.domain if domain is None else domain
    amounts = {f"ε = {amount_text(exact_epsilon(each))} each": each for each in epsilons}
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in (*partitions, *amounts)}
    # one draw for all ways of publishing, so that they are compared on the same people
    for (shared, samples), _ in Sampling(overlap, people, releases, repetitions, seed).repeat(table):
        for name, policy in partitions.items():
            figures[name] += _partition_figures(shared, samples, policy, by, method)
        for name, epsilon in amounts.items():
            figures[name].append(_noise_figures((shared, samples), by, levels, values, epsilon))
    nothing = dict.fromkeys(("given_away", "sure", "guessed", "gain", "largest_shift", "query_error"))
    rows = []
    for name, tried in figures.items():
        promised = tried[0].get("promised_shift") if tried else None
        means = nothing | {each: mean for each, mean in estimate_means(tried).items() if each in nothing}
        rows.append(Compared(name=name, repetitions=len(tried), promised_shift=promised, **means))
    return SideBySide(overlap, samples[0].people, releases, repetitions, seed, tuple(rows))


def _partition_figures(
    shared: Table, samples: Sequence[Table], policy: Policy, by: Mapping[str, Hierarchy], method: str
) -> list[dict[str, float]]:
    """Publish and attack once; nothing comes out when nothing within policy can be published."""
    results = publish_each(samples, [method] * len(samples), policy, by)
    if results is None:
        return []
    exposure = intersect(results, people=shared, by=by)
    truth = exposure.truth
    assert truth is not None
    # what was believed before in the true value of each person, in any order: only mean and least are used
    prior = dict(zip(exposure.domain, exposure.prior, strict=True))
    totals = zip(shared.domain, shared.counts.totals().tolist(), strict=True)
    before = [float(prior.get(text, 0)) for text, total in totals for _ in range(total)]
    figures = {
        "given_away": float(truth.given_away),
        "sure": float(exposure.sure(SURE_FROM)),
        "guessed": float(truth.guessed),
        "gain": truth.belief - float(np.mean(before)),
        "largest_shift": 1 - min(before),  # exact counts disclose the one person who is not known
        "query_error": float(np.mean([each.utility["query error"] for each in results])),
    }
    return [figures]


def _noise_figures(
    drawn: Samples, by: Mapping[str, Hierarchy], levels: Mapping[str, int], domain: Sequence[object], epsilon: Amount
) -> dict[str, float]:
    shared, samples = drawn
    # nothing of it is published, so that no ledger has to pay; all labels are declared, and cells for others only noise
    noisy = [
        noisy_counts(each, by=by, levels=levels, domain=domain, epsilon=epsilon, outside="an error", ledger="no ledger")
        for each in samples
    ]
    knowing_nothing = attack_noise(noisy, people=shared, by=by)
    knowing_others = attack_noise(noisy, people=shared, by=by, tables=samples)
    errors = [noisy_query_error(each, sample, by) for each, sample in zip(noisy, samples, strict=True)]
    assert knowing_others.bound is not None
    return {
        "given_away": 0.0,  # noise rules no value out
        "sure": float(knowing_nothing.believed(SURE_FROM)),
        "guessed": float(knowing_nothing.guessed),
        "gain": knowing_nothing.belief - knowing_nothing.prior_belief,
        "largest_shift": knowing_others.largest_shift,
        "promised_shift": knowing_others.bound,
        "query_error": float(np.mean(errors)),
    }


def noisy_query_error(noisy: NoisyCounts, table: Table, by: Mapping[str, Hierarchy]) -> float:
    """Return the mean relative error over 200 random queries, as the utility "query error" of other releases."""
    orders = tuple(order_along(column, by.get(column.name)) for column in table.quasi)
    shares = tuple(_shares_below(noisy, order, each.name, by) for order, each in zip(orders, table.quasi, strict=True))

    def estimate(query: Query) -> float:
        in_query = {text for text, chosen in zip(table.domain, query.values, strict=True) if chosen}
        people = noisy.counts[:, [text in in_query for text in noisy.domain]].sum(axis=1).astype(float)
        for column, (low, high) in query.ranges.items():
            people *= shares[column][:, high] - shares[column][:, low]
        return float(people.sum())

    return mean_query_error(table, orders, estimate)


def _shares_below(noisy: NoisyCounts, order: Order, name: str, by: Mapping[str, Hierarchy]) -> Floats:
    """Return the share of a group's people before each index of an order: group × (labels + 1), from 0 to 1."""
    count = len(order.labels)
    if name not in noisy.levels:
        return np.tile(np.arange(count + 1) / count, (len(noisy), 1))
    column = next(each for each in noisy.columns if each.name == name)
    coarse = [by[name].generalise(text, noisy.levels[name]) for text in order.labels]
    covers = np.array([[text == label for text in coarse] for label in column.labels], float)
    # (published labels, labels of the order); "(other)" covers none of them, and must not divide by 0
    share = covers / np.maximum(covers.sum(axis=1, keepdims=True), 1)
    # a leading 0 makes every range of labels one subtraction; codes take labels to groups
    return np.concatenate((np.zeros((len(share), 1)), np.cumsum(share, axis=1)), axis=1)[column.codes]
