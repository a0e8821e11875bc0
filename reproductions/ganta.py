"""The experiments of Ganta, Kasiviswanathan and Smith (KDD 2008, section 3), run again: releases made independently.

Two samples of a census table that have 5,000 people in common are published independently, and the candidates of the
people in common are intersected: perfect breach against k by three methods, partial breach against the confidence,
promised against actual group sizes and effective anonymity, effective anonymity before and after, and the same with
entropy ℓ-diversity and t-closeness.  On Adult, and on people of Census-Income (KDD) who have an occupation, as many as
Adult has.  Then what the paper argues without an experiment: the same people and the same attack on counts with noise,
and what either is still good for.

Samples are seeded.  Noise is not, as it comes from a secure source: its figures differ a little from run to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import altair as alt
import curves
import experiment
import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

import sidelight as sl
from sidelight.attack.simulation import MeanEstimate, Sampling, SimulationPoint
from sidelight.report.plots import BLUE, GREY, INK, VERMILION, Drawing
from sidelight.table.hierarchy import Hierarchy

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
NO_OCCUPATION = "Not in universe"
SEED = 2008
METHODS = ("mondrian", "microaggregation", ("mondrian", "microaggregation"))
METHOD_NAMES = {
    "mondrian": "Mondrian",
    "microaggregation": "microaggregation",
    "mondrian and microaggregation": "one of each",
}
MOST_LEFT = 6
"""Curves of the partial breach end here: with more values left nearly everybody is on them."""

LEVELS = {"age": 3, "workclass": 1, "education": 1, "marital-status": 1, "sex": 0}
"""Of the noisy counts, chosen without looking at the data: ages in 20 years, no race and no country."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiments run."""

    people: int | None = None  # in each sample; none: as many as there can be
    overlap: int = 5_000
    repetitions: int = 4
    k: tuple[int, ...] = (5, 10, 20, 50)
    diversities: tuple[int, ...] = (2, 3, 5, 7)
    distances: tuple[float, ...] = (0.5, 0.4, 0.3, 0.2)
    epsilons: tuple[str, ...] = ("0.1", "0.5", "1")
    least: int = 5  # people in a group, beside diversity and closeness


WHOLE = Size()
QUICK = Size(1_500, 300, 2, (5, 20), (2,), (0.5,), ("1",))


@dataclass(frozen=True, slots=True)
class Census:
    """A table of people, and its hierarchies."""

    name: str
    table: sl.Table
    by: Mapping[str, Hierarchy]


@dataclass(frozen=True, slots=True)
class Attacked:
    """What was measured on one table: by k and method, by ℓ, by t, and beside noise."""

    census: Census
    by_k: sl.Simulation
    by_l: sl.Simulation
    by_t: sl.Simulation
    beside_noise: sl.SideBySide


def censuses(*, quick: bool) -> Iterator[Census]:
    """Give the two tables; the quick run fetches nothing."""
    adult = sl.datasets.adult(quasi=QUASI)
    yield Census("Adult", adult.table, adult.hierarchies)
    if not quick:
        second = sl.datasets.census_income(quasi=QUASI)
        rows = pq.read_table(second.path, columns=[*QUASI, "occupation"])
        rows = rows.filter(pc.not_equal(rows["occupation"], NO_OCCUPATION)).drop_null()
        drawn = np.sort(np.random.default_rng(SEED).permutation(len(rows))[: adult.table.people])
        table = sl.read_table(rows.take(drawn), quasi=QUASI, sensitive="occupation", person="each row")
        yield Census("Census-Income", table, second.hierarchies)


def simulate(
    census: Census, size: Size, policies: Mapping[int, sl.Policy] | Mapping[str, sl.Policy], *methods: object
) -> sl.Simulation:
    """Publish samples by each method within each policy, and attack them."""
    return sl.simulate_composition(
        census.table,
        overlap=size.overlap,
        people=size.people,
        methods=methods or ("mondrian",),
        policies=policies,
        repetitions=size.repetitions,
        seed=SEED,
    )


def by_group_size(census: Census, size: Size) -> sl.Simulation:
    """k-anonymity by each method, each with the same samples."""
    policies = {k: sl.Policy(sl.GroupSize() >= k) for k in size.k}
    first, *others = (simulate(census, size, policies, method) for method in METHODS)
    return replace(first, points=tuple(point for each in (first, *others) for point in each.points))


def by_diversity(census: Census, size: Size) -> sl.Simulation:
    """Entropy ℓ-diversity beside k."""
    enough = sl.GroupSize() >= size.least
    policies = {f"ℓ = {n}": sl.Policy(enough, sl.EntropyDiversity() >= n) for n in size.diversities}
    return simulate(census, size, policies)


def by_closeness(census: Census, size: Size) -> sl.Simulation:
    """t-closeness beside k."""
    enough = sl.GroupSize() >= size.least
    policies = {f"t = {t}": sl.Policy(enough, sl.Closeness() <= t) for t in size.distances}
    return simulate(census, size, policies)


def beside_noise(census: Census, size: Size) -> sl.SideBySide:
    """Partitions and noisy counts of the same samples."""
    ten = sl.GroupSize() >= 10
    return sl.side_by_side(
        census.table,
        by=census.by,
        levels=LEVELS,
        overlap=size.overlap,
        people=size.people,
        policies={
            "k-anonymity, k = 10": sl.Policy(ten),
            "k-anonymity, k = 50": sl.Policy(sl.GroupSize() >= 50),
            "k = 10 and ℓ-diversity, ℓ = 5": sl.Policy(ten, sl.EntropyDiversity() >= 5),
            "k = 10 and t-closeness, t = 0.3": sl.Policy(ten, sl.Closeness() <= 0.3),
        },
        epsilons=size.epsilons,
        repetitions=size.repetitions,
        seed=SEED,
    )


def attack(census: Census, size: Size) -> Attacked:
    """Publish and attack in every way."""
    ways = (by_group_size, by_diversity, by_closeness, beside_noise)
    return Attacked(census, *(way(census, size) for way in ways))


# What is shown


def points(simulation: sl.Simulation, method: str = "mondrian") -> list[SimulationPoint]:
    """Give what could be published, in the order of the policies."""
    return [each for each in simulation.points if each.method == method and each.repetitions]


def beside(
    run: experiment.Experiment,
    name: str,
    every: Sequence[Attacked],
    lines_of: Callable[[Attacked], Mapping[str, curves.Line]],
    words: tuple[str, str],
    axes: tuple[curves.Axis, curves.Axis],
    colours: Mapping[str, str] | None = None,
) -> None:
    """Draw the same curves of each table, beside each other."""
    panels, rows = [], []
    for at, attacked in enumerate(every):
        lines = lines_of(attacked)
        panels.append(
            curves.panel(
                lines, x=axes[0], y=axes[1], title=attacked.census.name, first=not at, width=340, colours=colours
            )
        )
        rows += [(attacked.census.name, line, *place) for line, all_of in lines.items() for place in _cells(all_of)]
    columns = ("table", "line", axes[0].title, axes[1].title, "low", "high")
    run.figure(name, curves.drawing(panels, title=words[0], subtitle=words[1], columns=columns, rows=rows))


def _cells(line: curves.Line) -> list[tuple[float | None, ...]]:
    return [(place, each.mean, each.low, each.high) for place, each in line]


def show_breaches(run: experiment.Experiment, every: Sequence[Attacked], size: Size) -> None:
    """Figure 1: perfect breach against k, and partial breach against the confidence."""
    run.table(
        "perfect",
        [
            {
                "table": each.census.name,
                "k": int(k),
                **{
                    words: curves.give_or_take(each.by_k.point(method, k).estimates["perfect"], 1, percent=True)
                    for method, words in METHOD_NAMES.items()
                },
                "located right": curves.give_or_take(
                    each.by_k.point("microaggregation", k).estimates["located right"], 1, percent=True
                ),
                "value possible": curves.give_or_take(
                    each.by_k.point("microaggregation", k).estimates["hits"], 1, percent=True
                ),
            }
            for each in every
            for k in size.k
        ],
    )
    across = curves.Axis("k: people in a group, at least", log=True, format="d", values=size.k)
    most = max(p.estimates["perfect"].mean for each in every for p in each.by_k.points)
    beside(
        run,
        "perfect",
        every,
        lambda each: {
            words: [(int(p.policy), p.estimates["perfect"]) for p in points(each.by_k, method)]
            for method, words in METHOD_NAMES.items()
        },
        (
            "Two releases together give values away, the more the smaller the groups are",
            f"Share of {size.overlap:,} people in common who have one value left. {_draws(every)}",
        ),
        (across, curves.Axis("one value left", format=".0%", domain=(0, 1.1 * most))),
    )
    shares = every[0].by_k.points[0].partial
    run.table(
        "partial",
        [
            {
                "table": each.census.name,
                "k": int(p.policy),
                **{
                    f"1/{c.denominator}" if c < 1 else "1": curves.give_or_take(p.partial[c], 1, percent=True)
                    for c in shares
                },
            }
            for each in every
            for p in points(each.by_k)
        ],
    )
    _partial(
        run,
        "partial",
        every,
        lambda each: {f"k = {p.policy}": p for p in points(each.by_k)},
        "Whoever is content with being a little less sure knows far more people",
    )


def _partial(
    run: experiment.Experiment,
    name: str,
    every: Sequence[Attacked],
    of: Callable[[Attacked], Mapping[str, SimulationPoint]],
    title: str,
) -> None:
    def values_left(point: SimulationPoint) -> list[tuple[float, MeanEstimate]]:
        drawn = ((c.denominator, each) for c, each in point.partial.items() if c.denominator <= MOST_LEFT)
        return sorted(drawn, key=lambda place: place[0])

    beside(
        run,
        name,
        every,
        lambda each: {words: values_left(point) for words, point in of(each).items()},
        (title, f"Both releases by Mondrian. At most 4 values left is a confidence of at least 1/4. {_draws(every)}"),
        (
            curves.Axis("values left, at most", format="d", values=tuple(range(1, MOST_LEFT + 1))),
            curves.Axis("share of the people in common", format=".0%", domain=(0, 1)),
        ),
    )


def show_anonymity(run: experiment.Experiment, every: Sequence[Attacked], size: Size) -> None:
    """Figures 2 and 3: what is promised, how large groups are, and how many values they leave."""
    names = {
        "promised": "promised",
        "actual": "people in the group",
        "before": "values before",
        "after": "values after",
    }
    run.table(
        "candidates",
        [
            {
                "table": each.census.name,
                "k": int(p.policy),
                **{words: curves.give_or_take(p.estimates[name], 2) for name, words in names.items()},
                "a value less than the better release leaves": curves.give_or_take(
                    p.estimates["vulnerable"], 1, percent=True
                ),
            }
            for each in every
            for p in points(each.by_k)
        ],
    )
    across = curves.Axis("k: people in a group, at least", log=True, format="d", values=size.k)
    sizes = [p.estimates[name].mean for each in every for p in points(each.by_k) for name in names]
    beside(
        run,
        "sizes",
        every,
        lambda each: {
            words: [(int(p.policy), p.estimates[name]) for p in points(each.by_k)]
            for name, words in (("actual", "people in the group"), ("promised", "promised"), ("before", "values"))
        },
        (
            "Groups are larger than promised, and hold far fewer different values than people",
            f"Means over the people in common; values: the fewer of the two releases. {_draws(every)}",
        ),
        (across, curves.Axis("how many", log=True, domain=(min(sizes), max(sizes)), values=(2, 5, 10, 20, 50, 100))),
        {"people in the group": INK, "promised": GREY, "values": BLUE},
    )
    values = [p.estimates["before"].mean for each in every for p in points(each.by_k)]
    beside(
        run,
        "drop",
        every,
        lambda each: {
            words: [(int(p.policy), p.estimates[name]) for p in points(each.by_k)]
            for name, words in (("before", "one release"), ("after", "both"))
        },
        (
            "The second release takes less than one value off what the better one leaves, on average",
            f"Values left to a person, by the better release alone and by both. {_draws(every)}",
        ),
        (across, curves.Axis("values left, on average", domain=(0, 1.05 * max(values)))),
        {"one release": GREY, "both": VERMILION},
    )


def show_large_groups(run: experiment.Experiment, every: Sequence[Attacked], size: Size) -> None:
    """Which groups have more than 2k + 1 people, and could they be cut?"""
    rows = []
    for each in every:
        sampling = Sampling(size.overlap, size.people, 2, 1, SEED)
        sample = next(iter(sampling.repeat(each.census.table)))[0][1][0]
        for k in size.k:
            found = sl.protect(sample, sl.Policy(sl.GroupSize() >= k), method="mondrian", ask="nobody")
            group = found.recoding.group
            people = np.bincount(group, weights=sample.sizes)
            large = people > 2 * k + 1
            alike = large & (np.bincount(group) == 1)
            rows.append(
                {
                    "table": each.census.name,
                    "k": k,
                    "groups": len(people),
                    "with more than 2k + 1 people": int(large.sum()),
                    "of them, all alike": int(alike.sum()),
                    "people in large groups": f"{people[large].sum() / people.sum():.1%}",
                    "in large groups of people all alike": f"{people[alike].sum() / people.sum():.1%}",
                }
            )
    run.table("large", rows)


def show_diversity(run: experiment.Experiment, every: Sequence[Attacked], size: Size) -> None:
    """Figure 4: ℓ-diversity and t-closeness on top of k."""

    def alone(each: Attacked) -> SimulationPoint:
        return each.by_k.point("mondrian", size.least)

    def ways(each: Attacked) -> dict[str, SimulationPoint]:
        return {f"k = {size.least} alone": alone(each)} | {
            p.policy: p for p in (*points(each.by_l), *points(each.by_t))
        }

    run.table(
        "diversity",
        [
            {
                "table": each.census.name,
                f"beside k = {size.least}": words,
                "one value left": curves.give_or_take(p.estimates["perfect"], 2, percent=True),
                "at most 3 left": curves.give_or_take(p.partial[Fraction(1, 3)], 1, percent=True),
                "a value less than the better release leaves": curves.give_or_take(
                    p.estimates["vulnerable"], 1, percent=True
                ),
                "people in the group": curves.give_or_take(p.estimates["actual"], 1),
                "query error": curves.give_or_take(p.estimates["query error"], 2),
            }
            for each in every
            for words, p in ways(each).items()
        ],
    )
    for name, simulation, words in (
        ("diversity", lambda each: each.by_l, "Entropy ℓ-diversity leaves more values, and the attack still works"),
        ("closeness", lambda each: each.by_t, "So does t-closeness"),
    ):
        _partial(
            run,
            name,
            every,
            lambda each, simulation=simulation: (
                {f"k = {size.least}": alone(each)} | {p.policy: p for p in points(simulation(each))}
            ),
            words,
        )
    run.figure(
        "definition-sizes",
        curves.drawing(
            [_sizes(each, ways(each), first=not at) for at, each in enumerate(every)],
            title="What stops the attack makes groups many times as large",
            subtitle=f"People in the group of somebody in both samples, by what is asked beside k = {size.least}. "
            f"{_draws(every)}",
            columns=("table", "beside k", "people in the group", "from", "to"),
            rows=[
                (each.census.name, words, *_cells([(0, p.estimates["actual"])])[0][1:])
                for each in every
                for words, p in ways(each).items()
            ],
        ),
    )


def _sizes(each: Attacked, ways: Mapping[str, SimulationPoint], *, first: bool) -> Drawing:
    """Figure 4(c): a dot for the people in a group, and its interval, by definition."""
    rows = []
    for words, point in ways.items():
        estimate = point.estimates["actual"]
        low, high = (estimate.mean if end is None else end for end in (estimate.low, estimate.high))
        rows.append({"way": words, "value": estimate.mean, "low": low, "high": high, "text": f"{estimate.mean:,.0f}"})
    base = alt.Chart(alt.Data(values=rows), width=300, height=24 * len(rows), title=each.census.name)
    axis = alt.Axis(title=None, grid=True, ticks=False, labels=first, domain=first, labelLimit=220)
    y = alt.Y("way:N").sort(list(ways)).axis(axis)
    across = curves.Axis("people in the group", log=True, format=",d", values=(10, 100, 1_000), domain=(10, 2_000))
    x = across.on(alt.X("value:Q"))
    return alt.layer(
        base.mark_rule(color=BLUE).encode(across.on(alt.X("low:Q")), y, x2="high:Q"),
        base.mark_circle(color=BLUE, size=70, opacity=1).encode(x, y),
        base.mark_text(align="left", dx=9, color=INK, fontSize=11).encode(across.on(alt.X("high:Q")), y, text="text:N"),
    )


def show_noise(run: experiment.Experiment, every: Sequence[Attacked]) -> None:
    """Section 4: what the same attack learns from counts with noise, and what they are good for."""
    rows = [
        {
            "table": each.census.name,
            "published twice, independently": way.name,
            "given away": curves.give_or_take(way.given_away, 2, percent=True),
            "90 % sure": curves.give_or_take(way.sure, 1, percent=True),
            "guessed": curves.give_or_take(way.guessed, 1, percent=True),
            "belief gained": curves.give_or_take(way.gain, 3),
            "shift, all others known": curves.give_or_take(way.largest_shift, 2),
            "promised shift": "" if way.promised_shift is None else f"{way.promised_shift:.2f}",
            "query error": curves.give_or_take(way.query_error, 2),
        }
        for each in every
        for way in each.beside_noise.rows
        if way.repetitions
    ]
    run.table("noise", rows)
    worst = max(way.query_error.mean for each in every for way in each.beside_noise.rows if way.query_error)
    figures = {
        "guessed": ("values guessed right", 0.6),
        "largest_shift": ("shift, all others known", 1.2),
        "query_error": ("query error", 1.25 * worst),
    }
    columns = [
        alt.hconcat(
            *(_bars(each, figure, *words, first=not at) for at, (figure, words) in enumerate(figures.items())),
            spacing=22,
        ).properties(title=alt.TitleParams(each.census.name, fontSize=13, fontWeight="normal", anchor="start"))
        for each in every
    ]
    chart = alt.vconcat(*columns, spacing=26) if len(columns) > 1 else columns[0]
    run.figure(
        "noise",
        curves.drawing(
            [chart],
            title="Exact groups give the last person away; noise moves a belief no further than it promises",
            subtitle="Two releases by two publishers. Shift: how far the belief of somebody moves who knows everybody "
            f"else; the red mark is what noise promises. Query error: of counts, relative. {_draws(every)}",
            width=860,
            columns=tuple(rows[0]),
            rows=[tuple(row.values()) for row in rows],
        ),
    )


def _bars(each: Attacked, figure: str, title: str, most: float, *, first: bool) -> Drawing:
    ways = [way for way in each.beside_noise.rows if way.repetitions]
    rows = []
    for way in ways:
        estimate: MeanEstimate = getattr(way, figure)
        promise = way.promised_shift if figure == "largest_shift" else None
        rows.append(
            {
                "way": way.name,
                "value": estimate.mean,
                "text": f"{estimate.mean:.2f}",
                "noise": way.promised_shift is not None,
                "promise": promise,
                "low": estimate.mean if estimate.low is None else estimate.low,
                "high": estimate.mean if estimate.high is None else min(estimate.high, most),
                "end": max(estimate.mean, promise or 0.0, min(estimate.high or 0.0, most)),
            }
        )
    base = alt.Chart(alt.Data(values=rows), width=190, height=24 * len(rows))
    axis = alt.Axis(title=None, grid=False, ticks=False, labels=first, domain=first, labelLimit=220)
    y = alt.Y("way:N").sort([way.name for way in ways]).axis(axis)
    x = alt.X("value:Q").scale(domain=[0, most]).axis(title=title, tickCount=4)
    colour = alt.condition("datum.noise", alt.value(BLUE), alt.value(GREY))
    return alt.layer(
        base.mark_bar(size=13).encode(x, y, color=colour),
        base.mark_rule(color=INK).encode(alt.X("low:Q"), y, x2="high:Q"),
        base.mark_text(align="left", dx=7, color=INK, fontSize=11).encode(alt.X("end:Q"), y, text="text:N"),
        base.mark_tick(color=VERMILION, thickness=2, size=18).encode(alt.X("promise:Q"), y),
    )


def _draws(every: Sequence[Attacked]) -> str:
    return f"Means of {every[0].by_k.repetitions} draws and their 95 % intervals."


def main(arguments: Sequence[str] | None = None) -> None:
    run = experiment.begin("ganta", __doc__, arguments)
    size = QUICK if run.quick else WHOLE
    every = [attack(census, size) for census in censuses(quick=run.quick)]
    show_breaches(run, every, size)
    show_anonymity(run, every, size)
    show_large_groups(run, every, size)
    show_diversity(run, every, size)
    show_noise(run, every)


if __name__ == "__main__":
    main()
