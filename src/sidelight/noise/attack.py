"""Attack noisy counts: somebody who knows everybody else, or nothing else, weighs all releases together.

    posterior(s) ∝ prior(s) · Π_j Pr(noisy counts of release j | this person has s)

Everybody else known    what is left of release j after taking away the others is noise z plus this person, so that
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
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.arrays import Floats, Integers, add_up
from sidelight.attack.posterior import Prior
from sidelight.errors import BadNoise, did_you_mean, expect, expect_several, is_one_of, parameter
from sidelight.noise.accountant import promise_of
from sidelight.noise.disclosure_risk import two_digits
from sidelight.noise.domain import Domain
from sidelight.noise.noisy_counts import NoisyCounts
from sidelight.noise.parameters import Amount
from sidelight.noise.semantic_privacy import SemanticPrivacy
from sidelight.rounding import exact_number, round_up
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Label, shown
from sidelight.table.table import CELLS_AT_ONCE, Table, expect_one_sensitive
from sidelight.text import counted, html_table

STANDARD_DEVIATIONS = 11
"""What is further from the likeliest is not weighed: it is below the last bit."""

ROUNDING = 1e-12
"""What a belief in floats may be off by, after a sum over values."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class NoisyExposure:
    """What noisy counts let somebody believe about each of these people in turn.

    A row is all people who look alike and have the same value: `sizes` of them, `truth` says which value.
    `posterior` is row × value of `domain`; before, everybody was believed to be like `prior`.
    """

    domain: tuple[Label, ...]
    prior: Floats
    posterior: Floats
    truth: Integers
    sizes: Integers
    promise: SemanticPrivacy | None = None  # what the noise promises; none where it promises no such thing

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
        """How far the belief about each row moved because it is in: the total variation distance from the prior."""
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
        """Return the share of people of whom some value is believed at least so much, up to rounding.

        Exponentials make these beliefs irrational, so nothing decides them exactly as `Exposure.sure` is: one that
        floats cannot tell from `belief` counts, towards caution.
        """
        return self._share(self.posterior.max(axis=1) >= belief - ROUNDING)

    def _share(self, which: np.typing.NDArray[np.bool_]) -> Fraction:
        return Fraction(int(self.sizes[which].sum()), int(self.sizes.sum()))


def attack_noise(
    releases: Sequence[NoisyCounts],
    *,
    people: Table,
    by: Mapping[str, Hierarchy],
    tables: Sequence[Table] | None = None,
    prior: Prior | Mapping[str, float] = "pooled",
    chance: Amount | None = None,
) -> NoisyExposure:
    """How sure does somebody get who weighs several noisy releases about the same people together?

    Posterior ∝ prior(s) · Π_j Pr(noisy counts of release j | this person has s).

    - With `tables`: somebody who knows everybody in them but this person.  With ε-differentially private releases no
      belief shifts by more than tanh(Σε / 2) then, whoever the person is and whatever the prior was; with a δ, none of
      these people's does by more than `bound`, except with the chance that `promise` tells, which is over the noise.
    - Without: somebody who knows nothing else, and learns what people like this one have: each release tells
      Pr_j(s) / prior(s), with Pr_j(s) the share in the group by its posterior mean counts.  That is what the counts
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
        message = (
            f"{parameter('chance')} is about a promise, and none is made against somebody who knows nothing else; give "
            f"{parameter('tables')} too, or leave it out"
        )
        raise BadNoise(message)
    tables = None if tables is None else expect_several(Table, tables, "tables", each="table")
    releases = expect_several(NoisyCounts, releases, "releases", each="release")
    hierarchies = as_hierarchies(by)
    _check(releases, tables)
    for name in dict.fromkeys(name for release in releases for name in release.levels):
        if name not in hierarchies:
            message = f"no hierarchy for '{name}'{did_you_mean(name, hierarchies)}; give it in {parameter('by')}"
            raise BadNoise(message)
    domain = releases[0].domain
    before = _prior_of(prior, releases, tables)
    # one entry for all who share a row and a value: row, value and sizes are (entries,)
    row, value, sizes = people.counts.entries()
    truth = releases[0].declared_domain.places_of(people.domain)[value]
    log_likelihood = np.zeros((len(row), len(domain)))
    for number, release in enumerate(releases):
        group = release.declared_domain.groups_of(people, hierarchies)[row]
        if (group < 0).any() or (truth < 0).any():
            message = "some people have a label or a value that was not declared; attack those who were counted"
            raise BadNoise(message)
        if tables is None:
            # (groups, values) taken by group: (entries, values)
            log_likelihood += _knowing_nothing(release, before)[group]
        else:
            counts = release.declared_domain.count(tables[number], hierarchies)
            _check_table(release, counts, add_up(group * len(domain) + truth, sizes, counts.size), number + 1)
            log_likelihood += _knowing_others(release, counts, group, truth)
    # the largest exponent becomes 0, so that nothing overflows and the sum is at least one prior
    odds = before * np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    posterior = odds / odds.sum(axis=1, keepdims=True)
    promise = None if tables is None else _promise(releases, int(sizes.sum()), chance)
    return NoisyExposure(domain, before, posterior, truth, sizes, promise)


def _knowing_nothing(release: NoisyCounts, before: Floats) -> Floats:
    """Return ln share(s) / prior(s) in each group; a value that nobody believes in stays so."""
    means = posterior_means(release)
    shares = means / means.sum(axis=1, keepdims=True)
    log_ratio: Floats = np.log(shares / np.where(before > 0, before, 1))
    return log_ratio


def _check_table(release: NoisyCounts, counts: Integers, attacked: Integers, number: int) -> None:
    """Refuse a table that the release was not made from, or that lacks people: what is left would not be noise."""
    if (counts.ravel() < attacked).any():
        message = f"some of the people are not in table {number}; attack those who are in all tables"
        raise BadNoise(message)
    # of honest tables fewer than one in a thousand million are refused, whatever the number of counts
    if np.abs(release.measured - counts).max() > release.mechanism.margin(1 - max(1e-9 / counts.size, 1e-15)):
        message = f"release {number} was not made from table {number}: what is left of its counts is no noise"
        raise BadNoise(message)


def _knowing_others(release: NoisyCounts, counts: Integers, group: Integers, truth: Integers) -> Floats:
    """Return ln Pr(counts | this person has s) − ln Pr(counts | this person is not there), row × value s.

    What is left of the counts after taking away the others is the noise and this person.
    """
    sizes, log_ratio = release.declared_domain.sizes, np.zeros((len(group), counts.shape[1]))
    measured = release.measurements()
    layout = measured.layout
    # a marginal that is not by values says the same of all of them
    for each in (each for each in measured.marginals if layout.is_by(each.axes, len(sizes) - 1)):
        noise = each.measured - layout.add_up(counts.reshape(sizes), each.axes)
        # an axis per column, then (groups, values), then (entries, values)
        left = np.broadcast_to(layout.spread(noise, each.axes), sizes).reshape(counts.shape)[group]
        value = layout.places(each.axes)[-1]
        left += value == value[truth][:, np.newaxis]  # the exact counts have the person too
        log_ratio += each.mechanism.log_weight(left - 1) - each.mechanism.log_weight(left)
    return log_ratio


def _promise(releases: Sequence[NoisyCounts], people: int, chance: Amount | None) -> SemanticPrivacy:
    """Return how far the beliefs about these people move at most: the data is as it is, and everybody else is known."""
    spent = [release.spending for release in releases]
    return promise_of(spent, people=people, chance=chance, for_data_as_it_is=True)


def _prior_of(
    prior: Prior | Mapping[str, float], releases: Sequence[NoisyCounts], tables: Sequence[Table] | None
) -> Floats:
    domain = releases[0].domain
    if isinstance(prior, Mapping):
        strange = [name for name in prior if name not in domain]
        if strange:
            message = f"a prior for '{strange[0]}', which was not declared{did_you_mean(strange[0], domain)}"
            raise BadNoise(message)
        given = [exact_number(prior.get(shown(text), 0), BadNoise, "a belief") for text in domain]
        weights = np.array([round_up(each) for each in given])
    elif not is_one_of(prior, Prior):
        message = f"no {parameter('prior', prior)}; choose 'pooled' or 'uniform', or give value → belief"
        raise BadNoise(message)
    elif prior == "uniform":
        weights = np.ones(len(domain))
    elif tables is None:
        weights = np.sum([release.counts.sum(axis=0) for release in releases], axis=0) + 0.5
    else:
        weights = np.sum([_totals(table, releases[0].declared_domain) for table in tables], axis=0)
    if weights.min() < 0 or not 0 < weights.sum() < math.inf:
        message = "a prior gives each value a belief of at least 0, and some value more than that"
        raise BadNoise(message)
    believed: Floats = weights / weights.sum()
    return believed


def _totals(table: Table, domain: Domain) -> Floats:
    place, totals = domain.places_of(table.domain), table.counts.totals()
    return add_up(place[place >= 0], totals[place >= 0], len(domain.values)).astype(np.float64)


def _check(releases: Sequence[NoisyCounts], tables: Sequence[Table] | None) -> None:
    if not releases or (tables is not None and len(releases) != len(tables)):
        number = "no" if tables is None else len(tables)
        message = (
            f"{number} tables for {len(releases)} noisy releases; give at least one release, and the table of each"
        )
        raise BadNoise(message)
    if not all(release.unit.once for release in releases):
        message = "some releases count people several times, and nobody here weighs that; attack counts of one each"
        raise BadNoise(message)
    if len({release.domain for release in releases}) > 1:
        message = "the releases declare different sensitive values; declare the same, in the same order"
        raise BadNoise(message)


def posterior_means(noisy: NoisyCounts) -> Floats:
    """How many people are to be expected behind each noisy count?  Never none: noise rules nothing out.

    E[n | measured], by Bayes' rule: before, n is geometric with the mean that the group's people and the value's share
    over all groups suggest; Pr(measured | n) is that of the noise.
    """
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
    low = np.maximum(np.floor(centre - STANDARD_DEVIATIONS * scale), 0)
    steps = np.arange(math.ceil(2 * STANDARD_DEVIATIONS * scale) + 2)
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
