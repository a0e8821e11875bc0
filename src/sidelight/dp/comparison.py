"""The same people, the same attack: partitions that keep a policy beside noisy counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from sidelight._arrays import Floats
from sidelight.attack.exposure import Exposure
from sidelight.attack.intersection import intersect
from sidelight.attack.simulation import MeanEstimate, Samples, draw_samples
from sidelight.dp.attack import attack_noise
from sidelight.dp.mechanism import Amount, exact_epsilon, written
from sidelight.dp.noisy_counts import NoisyCounts, noisy_counts
from sidelight.errors import BadNoise, NothingSafe
from sidelight.measures.ck_safety.implications import Implications
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.l_diversity import EntropyDiversity
from sidelight.measures.t_closeness import Closeness
from sidelight.policy.policy import Policy
from sidelight.search.orders import Order, order_along
from sidelight.search.protect import protect
from sidelight.search.recoding import Query, random_queries
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

SURE = 0.9
"""Somebody who believes a value this much is called sure."""


def classic_policies() -> dict[str, Policy]:
    """Give the policies that are compared when none are named; all of them ask for groups of ten."""
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

    def to_json(self) -> str:
        """Write everything as JSON."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """Write the means as a table for a page."""
        heads = (
            "",
            "given away",
            f"{SURE:.0%} sure",
            "guessed",
            "belief gained",
            "shift, all others known",
            "query error",
        )
        lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
        return "\n".join([*lines, *map(_line, self.rows)]) + "\n"


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
    if repetitions < 1:
        message = f"repetitions={repetitions}: give at least 1, and 2 or more for confidence intervals"
        raise BadNoise(message)
    tried = classic_policies() if policies is None else dict(policies)
    values = table.domain if domain is None else domain
    amounts = {f"ε = {written(exact_epsilon(each))} each": each for each in epsilons}
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in (*tried, *amounts)}
    for rng in map(np.random.default_rng, np.random.SeedSequence(seed).spawn(repetitions)):
        drawn = draw_samples(table, overlap=overlap, people=people, releases=releases, rng=rng)
        for name, policy in tried.items():
            seen[name] += _partitions(drawn, policy, by, method)
        for name, epsilon in amounts.items():
            seen[name].append(_noisy(drawn, by, levels, values, epsilon))
    rows = tuple(_compared(name, figures) for name, figures in seen.items())
    return SideBySide(overlap, drawn.samples[0].people, releases, repetitions, seed, rows)


def _partitions(drawn: Samples, policy: Policy, by: Mapping[str, Hierarchy], method: str) -> list[dict[str, float]]:
    """Publish and attack once; nothing comes out when nothing within policy can be published."""
    try:
        found = [protect(sample, policy, by=by, method=method) for sample in drawn.samples]  # type: ignore[arg-type]
    except NothingSafe:
        return []
    exposure = intersect(found, people=drawn.shared, by=by)
    errors = [each.utility["query error"] for each in found]
    alone = 1 - min(float(prior) for prior in _priors_of_truth(exposure, drawn.shared))
    return [_read(exposure, drawn.shared) | {"largest_shift": alone, "query_error": float(np.mean(errors))}]


def _noisy(
    drawn: Samples,
    by: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    domain: Sequence[object],
    epsilon: Amount,
) -> dict[str, float]:
    noisy = [noisy_counts(each, by=by, levels=levels, domain=domain, epsilon=epsilon) for each in drawn.samples]
    reader = attack_noise(noisy, people=drawn.shared, by=by)
    strongest = attack_noise(noisy, people=drawn.shared, by=by, tables=drawn.samples)
    errors = [noisy_query_error(each, sample, by) for each, sample in zip(noisy, drawn.samples, strict=True)]
    assert strongest.bound is not None
    return {
        "given_away": 0.0,  # noise rules no value out
        "sure": float(reader.sure(SURE)),
        "guessed": float(reader.guessed),
        "gain": reader.belief - reader.prior_belief,
        "largest_shift": strongest.largest_shift,
        "promised_shift": strongest.bound,
        "query_error": float(np.mean(errors)),
    }


def _read(exposure: Exposure, people: Table) -> dict[str, float]:
    """Give what somebody concludes who knows nothing but exact counts."""
    truth = exposure.truth
    assert truth is not None
    before = [float(each) for each in _priors_of_truth(exposure, people)]
    return {
        "given_away": float(truth.given_away),
        "sure": float(exposure.sure(SURE)),
        "guessed": float(truth.guessed),
        "gain": truth.belief - float(np.mean(before)),
    }


def _priors_of_truth(exposure: Exposure, people: Table) -> list[Fraction]:
    """Give what was believed before in the true value of each person."""
    prior = dict(zip(exposure.domain, exposure.prior, strict=True))
    totals = zip(people.domain, people.counts.totals().tolist(), strict=True)
    return [prior.get(text, Fraction(0)) for text, total in totals for _ in range(total)]


def _compared(name: str, figures: Sequence[Mapping[str, float]]) -> Compared:
    def mean(figure: str) -> MeanEstimate | None:
        return MeanEstimate.of([each[figure] for each in figures]) if figures else None

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


def _line(row: Compared) -> str:
    if not row.repetitions:
        return f"| {row.name} | nothing could be published | | | | | |"
    assert row.given_away is not None
    assert row.sure is not None
    assert row.guessed is not None
    assert row.gain is not None
    assert row.largest_shift is not None
    assert row.query_error is not None
    shares = " | ".join(f"{each.mean:.1%}" for each in (row.given_away, row.sure, row.guessed))
    promise = "" if row.promised_shift is None else f" (promised: {row.promised_shift:.2f})"
    tail = f"{row.gain.mean:.3f} | {row.largest_shift.mean:.2f}{promise} | {row.query_error.mean:.2f}"
    return f"| {row.name} | {shares} | {tail} |"


# ----------------------------------------------------------------------------------------------------
# How far off are COUNT queries answered from noisy counts?  The same queries that other releases are asked.
# ----------------------------------------------------------------------------------------------------


def noisy_query_error(noisy: NoisyCounts, table: Table, by: Mapping[str, Hierarchy]) -> float:
    """Give the mean relative error over 200 random queries, as the utility "query error" does for other releases.

    A group's people may be anywhere among the labels that its own covers, each of them alike.
    """
    orders = tuple(order_along(column, by.get(column.name)) for column in table.quasi)
    covered = tuple(_covered(noisy, order, name.name, by) for order, name in zip(orders, table.quasi, strict=True))
    least = table.people / 1000
    errors = []
    for query in random_queries(orders, len(table.domain)):
        true = query.answer(table, orders)
        errors.append(abs(_expected(noisy, table, query, covered) - true) / max(true, least))
    return float(np.mean(errors))


def _covered(noisy: NoisyCounts, order: Order, name: str, by: Mapping[str, Hierarchy]) -> Floats:
    """Say which share of a group's people stands up to each place: group × places, from 0 to 1; all at random."""
    places = len(order.labels)
    if name not in noisy.levels:
        return np.tile(np.arange(places + 1) / places, (len(noisy), 1))
    column = next(each for each in noisy.columns if each.name == name)
    coarse = [by[name].generalise(text, noisy.levels[name]) for text in order.labels]
    mine = np.array([[text == label for text in coarse] for label in column.labels], float)
    share = mine / np.maximum(mine.sum(axis=1, keepdims=True), 1)
    upto: Floats = np.concatenate((np.zeros((len(share), 1)), np.cumsum(share, axis=1)), axis=1)[column.codes]
    return upto


def _expected(noisy: NoisyCounts, table: Table, query: Query, covered: tuple[Floats, ...]) -> float:
    wanted = {text for text, asked in zip(table.domain, query.values, strict=True) if asked}
    values = np.array([text in wanted for text in noisy.domain])
    people = noisy.counts[:, values].sum(axis=1).astype(float)
    for column, (low, high) in query.ranges.items():
        people *= covered[column][:, high] - covered[column][:, low]
    return float(people.sum())
