"""The same people, the same attack: partitions that keep a policy beside noisy counts.

Samples of a table that have some people in common are published in every way, each sample by itself, and the people in
common are attacked with all releases together: partitions by `intersect`, noisy counts by `attack_noise`.  What is
compared is what somebody learns (given away, sure, guessed, belief gained), how far the belief of somebody moves who
knows everybody else, and how far off COUNT queries are.

An exact partition gives the last person away to somebody who knows everybody else: the belief moves by 1 − prior(true
value).  Queries are answered alike from both: a group's people stand anywhere among the labels that its own covers,
each alike, so that a group counts by the product over columns of the share of covered labels in the query's range.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from sidelight.arrays import Floats
from sidelight.attack.exposure import Exposure
from sidelight.attack.intersection import intersect
from sidelight.attack.simulation import MeanEstimate, Samples, Sampling, publish_each, samples_in_words
from sidelight.errors import BadNoise, as_given, expect, expect_mapping, parameter
from sidelight.measures.ck_safety.implications import Implications
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.l_diversity import EntropyDiversity
from sidelight.measures.t_closeness import Closeness
from sidelight.noise.attack import attack_noise
from sidelight.noise.ledger import NO_LEDGER
from sidelight.noise.noisy_counts import NoisyCounts, noisy_counts
from sidelight.noise.parameters import Amount, amount_text, exact_epsilon
from sidelight.policy.policy import Policy
from sidelight.search.method import Method
from sidelight.search.orders import Order, order_along
from sidelight.search.protect import method_of
from sidelight.search.utility import Query, random_queries
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table, expect_one_sensitive
from sidelight.text import html_table

SURE_BELIEF = 0.9
"""Somebody who believes a value this much is called sure."""

_HEADS = (
    "",
    "given away",
    f"{SURE_BELIEF:.0%} sure",
    "guessed",
    "belief gained",
    "shift, all others known",
    "query error",
)


def classic_policies() -> dict[str, Policy]:
    """Return the policies that are compared when none are named; all of them ask for groups of ten."""
    ten = GroupSize() >= 10
    return {
        "k-anonymity (k = 10)": Policy(ten),
        "entropy ℓ-diversity (ℓ = 5)": Policy(ten, EntropyDiversity() >= 5),
        "t-closeness (t = 0.3)": Policy(ten, Closeness() <= 0.3),
        "(c, k)-safety (c = 0.7, k = 1)": Policy(ten, Implications(1) < 0.7),
    }


@dataclass(frozen=True, slots=True)
class Compared:
    """One way of publishing: what its releases gave away together, and what they are still good for.

    Shares are of the people in common, by somebody who weighs the releases together and knows nothing else.
    `largest_shift` is by somebody who knows everybody but one person: exact counts then give that person away.
    """

    name: str
    repetitions: int  # in which something could be published
    given_away: MeanEstimate | None  # the true value is the only candidate left
    sure: MeanEstimate | None  # some value is believed at least 0.9
    guessed: MeanEstimate | None  # the true value is the one that is believed most
    gain: MeanEstimate | None  # belief in the true value, minus what it was before, on average
    largest_shift: MeanEstimate | None  # of a belief about the one person who is not known
    promised_shift: float | None  # … and how far it can; none where nothing is promised
    query_error: MeanEstimate | None  # of COUNT queries, relative


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Ways of publishing, compared on the same people by the same attack."""

    overlap: int
    people: int
    releases: int
    repetitions: int
    seed: int
    rows: tuple[Compared, ...]

    def __repr__(self) -> str:
        return f"<SideBySide of {len(self.rows)} ways of publishing: {self.title}>"

    @property
    def headings(self) -> tuple[str, ...]:
        """Name the columns of `cells()`."""
        return _HEADS

    def cells(self) -> Iterator[tuple[str, ...]]:
        """Return the means, way by way, as a table shows them."""
        return map(_cells, self.rows)

    @property
    def title(self) -> str:
        """Return which samples were drawn, and how often."""
        return samples_in_words(self.releases, self.people, self.overlap, self.repetitions)

    def _repr_html_(self) -> str:
        return html_table(self.title, _HEADS, self.cells())

    def to_json(self) -> str:
        """Write everything as JSON."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """Write the means as a table for a page."""
        lines = [f"| {' | '.join(_HEADS)} |", f"|{' --- |' * len(_HEADS)}"]
        lines += ["".join(f"| {cell} " if cell else "| " for cell in cells) + "|" for cells in self.cells()]
        return "\n".join(lines) + "\n"


def _cells(row: Compared) -> tuple[str, ...]:
    if not row.repetitions:
        return (row.name, "nothing could be published", "", "", "", "", "")
    shares = (f"{each.mean:.1%}" for each in (row.given_away, row.sure, row.guessed) if each is not None)
    promise = "" if row.promised_shift is None else f" (promised: {row.promised_shift:.2f})"
    assert row.gain is not None
    assert row.largest_shift is not None
    assert row.query_error is not None
    tail = f"{row.gain.mean:.3f}", f"{row.largest_shift.mean:.2f}{promise}", f"{row.query_error.mean:.2f}"
    return (row.name, *shares, *tail)


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
    """How do partitions and noisy counts compare when several are published about the same people?

    Draws samples of the table that have `overlap` people in common, publishes each sample in every way, and attacks
    the people in common: partitions by `intersect`, noisy counts by `attack_noise`.
    An experiment on data that is known: its figures are not for publishing about people who are not.

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
        message = f"repetitions={as_given(repetitions)}: give at least 1, and 2 or more for confidence intervals"
        raise BadNoise(message)
    partitions = classic_policies() if policies is None else dict(_named_policies(policies))
    values = table.domain if domain is None else domain
    chosen = method_of(method)
    amounts = {f"ε = {amount_text(exact_epsilon(each))} each": each for each in epsilons}
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in (*partitions, *amounts)}
    # one draw for all ways of publishing, so that they are compared on the same people
    for samples, _ in Sampling(overlap, people, releases, repetitions, seed).repeat(table):
        for name, policy in partitions.items():
            figures[name] += _partition_figures(samples, policy, by, chosen)
        for name, epsilon in amounts.items():
            figures[name].append(_noise_figures(samples, by, levels, values, epsilon))
    rows = tuple(_compare(name, each) for name, each in figures.items())
    return SideBySide(overlap, samples.samples[0].people, releases, repetitions, seed, rows)


def _named_policies(policies: object) -> Mapping[str, Policy]:
    named = expect_mapping(policies, parameter("policies"), '{"k = 5": sl.Policy(sl.GroupSize() >= 5)}')
    for name, policy in named.items():
        expect(Policy, policy, f"policy '{name}'")
    return named


def _partition_figures(
    samples: Samples, policy: Policy, by: Mapping[str, Hierarchy], method: Method
) -> list[dict[str, float]]:
    """Publish and attack once; nothing comes out when nothing within policy can be published."""
    results = publish_each(samples.samples, [method] * len(samples.samples), policy, by)
    if results is None:
        return []
    exposure = intersect(results, people=samples.shared, by=by)
    truth = exposure.truth
    assert truth is not None
    before = [float(prior) for prior in _priors_of_truth(exposure, samples.shared)]
    return [
        {
            "given_away": float(truth.given_away),
            "sure": float(exposure.sure(SURE_BELIEF)),
            "guessed": float(truth.guessed),
            "gain": truth.belief - float(np.mean(before)),
            "largest_shift": 1 - min(before),  # exact counts give away the one person who is not known
            "query_error": float(np.mean([each.utility["query error"] for each in results])),
        }
    ]


def _noise_figures(
    samples: Samples,
    by: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    domain: Sequence[object],
    epsilon: Amount,
) -> dict[str, float]:
    # nothing of it is published, so that no ledger has to pay; all labels are declared, and cells for others only noise
    noisy = [
        noisy_counts(each, by=by, levels=levels, domain=domain, epsilon=epsilon, outside="an error", ledger=NO_LEDGER)
        for each in samples.samples
    ]
    knowing_nothing = attack_noise(noisy, people=samples.shared, by=by)
    knowing_others = attack_noise(noisy, people=samples.shared, by=by, tables=samples.samples)
    errors = [noisy_query_error(each, sample, by) for each, sample in zip(noisy, samples.samples, strict=True)]
    assert knowing_others.bound is not None
    return {
        "given_away": 0.0,  # noise rules no value out
        "sure": float(knowing_nothing.believed(SURE_BELIEF)),
        "guessed": float(knowing_nothing.guessed),
        "gain": knowing_nothing.belief - knowing_nothing.prior_belief,
        "largest_shift": knowing_others.largest_shift,
        "promised_shift": knowing_others.bound,
        "query_error": float(np.mean(errors)),
    }


def _priors_of_truth(exposure: Exposure, people: Table) -> list[Fraction]:
    """Return what was believed before in the true value of each person."""
    prior = dict(zip(exposure.domain, exposure.prior, strict=True))
    # a prior per person, in any order: only their mean and their least are used
    totals = zip(people.domain, people.counts.totals().tolist(), strict=True)
    return [prior.get(text, Fraction(0)) for text, total in totals for _ in range(total)]


def _compare(name: str, figures: Sequence[Mapping[str, float]]) -> Compared:
    def mean(figure: str) -> MeanEstimate | None:
        return MeanEstimate.estimate([each[figure] for each in figures]) if figures else None

    return Compared(
        name,
        len(figures),
        mean("given_away"),
        mean("sure"),
        mean("guessed"),
        mean("gain"),
        mean("largest_shift"),
        figures[0].get("promised_shift") if figures else None,
        mean("query_error"),
    )


def noisy_query_error(noisy: NoisyCounts, table: Table, by: Mapping[str, Hierarchy]) -> float:
    """Return the mean relative error over 200 random queries, as the utility "query error" does for other releases.

    A group's people may be anywhere among the labels that its own covers, each of them alike.
    """
    orders = tuple(order_along(column, by.get(column.name)) for column in table.quasi)
    shares = tuple(_shares_below(noisy, order, each.name, by) for order, each in zip(orders, table.quasi, strict=True))
    # as in the utility "query error": a nearly empty answer is not divided by nearly nothing
    least = table.people / 1000
    errors = []
    for query in random_queries(orders, len(table.domain)):
        true = query.answer(table, orders)
        errors.append(abs(_answer(noisy, table, query, shares) - true) / max(true, least))
    return float(np.mean(errors))


def _shares_below(noisy: NoisyCounts, order: Order, name: str, by: Mapping[str, Hierarchy]) -> Floats:
    """Return the share of a group's people who stand before each place of an order: group × places, from 0 to 1."""
    places = len(order.labels)
    if name not in noisy.levels:
        return np.tile(np.arange(places + 1) / places, (len(noisy), 1))
    column = next(each for each in noisy.columns if each.name == name)
    coarse = [by[name].generalise(text, noisy.levels[name]) for text in order.labels]
    covers = np.array([[text == label for text in coarse] for label in column.labels], float)
    # (published labels, labels of the order); "(other)" covers none of them, and must not divide by 0
    share = covers / np.maximum(covers.sum(axis=1, keepdims=True), 1)
    # a leading 0 makes every range of labels one subtraction; codes take labels to groups
    below: Floats = np.concatenate((np.zeros((len(share), 1)), np.cumsum(share, axis=1)), axis=1)[column.codes]
    return below


def _answer(noisy: NoisyCounts, table: Table, query: Query, shares: tuple[Floats, ...]) -> float:
    in_query = {text for text, chosen in zip(table.domain, query.values, strict=True) if chosen}
    values = np.array([text in in_query for text in noisy.domain])
    people = noisy.counts[:, values].sum(axis=1).astype(float)
    for column, (low, high) in query.ranges.items():
        people *= shares[column][:, high] - shares[column][:, low]
    return float(people.sum())
