"""Attempts to refute what noise promises: hypothesis tests on neighbouring data, and adversaries with any prior.

Each comparison asks for more evidence than chance gives once in ten thousand million times (LEVEL); with fewer than a
thousand comparisons, a run raises a false alarm less often than once in ten million.  The test has power all the same:
noise with a scale that is too small is caught by it.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

import sidelight as sl
from sidelight.noise.accountant import Spending, promise_of
from sidelight.noise.domain import FULL_DETAIL, Domain, _score, count_entries
from sidelight.noise.mechanism import Mechanism, PrivacyUnit, calibrate
from sidelight.noise.semantic_privacy import _weight, smallest_shift
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Intake, Table

LEVEL = 1e-10
DRAWS = 60_000


def surely_above(times, draws):
    """The chance that an event has at least, as sure as LEVEL (Clopper and Pearson)."""
    return beta.ppf(LEVEL / 2, times, draws - times + 1) if times else 0.0


def surely_below(times, draws):
    return beta.isf(LEVEL / 2, times + 1, draws - times) if times < draws else 1.0


def refuted(mechanism, epsilon, delta):
    """Whether draws from neighbouring counts show that Pr(O | one) > e^ε · Pr(O | other) + δ for some event O."""
    one, other = (mechanism.add_noise(np.full(DRAWS, count)) for count in (4, 5))
    events = [lambda drawn, t=t: drawn <= t for t in range(-8, 14)]
    for event in events:
        first, second = int(event(one).sum()), int(event(other).sum())
        for left, right in (
            (first, second),
            (second, first),
            (DRAWS - first, DRAWS - second),
            (DRAWS - second, DRAWS - first),
        ):
            if surely_above(left, DRAWS) > math.exp(epsilon) * surely_below(right, DRAWS) + delta:
                return True
    return False


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.5, 0.0), (0.5, 0.02)])
def test_noise_keeps_epsilon_and_delta_on_neighbouring_counts(epsilon, delta):
    mechanism = calibrate(Fraction(str(epsilon)), Fraction(str(delta)))
    assert not refuted(mechanism, epsilon, delta)


@pytest.mark.parametrize(("epsilon", "delta", "share"), [(1.0, 0.0, 0.85), (0.5, 0.0, 0.75), (0.5, 0.02, 0.5)])
def test_noise_that_is_too_small_is_caught(epsilon, delta, share):
    honest = calibrate(Fraction(str(epsilon)), Fraction(str(delta)))
    assert refuted(Mechanism(honest.kind, honest.scale * share), epsilon, delta)


person = st.tuples(st.sampled_from(["1", "2", "3"]), st.sampled_from(["f", "m"]), st.sampled_from(["a", "b", "c"]))
BY = {
    "age": sl.Hierarchy("age", (("1", "2", "3"), ("1-2", "1-2", "3"), ("*", "*", "*"))),
    "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*"))),
}
LEVELS = [{"age": 0, "sex": 0}, {"age": 1, "sex": 0}, {"age": 2, "sex": 1}, {"sex": 0}, {}]


def table_of(rows):
    """A table of people, person by person, without asking an engine."""
    cells = sorted({row[:-1] for row in rows}, key=repr)
    domain = sorted({row[-1] for row in rows})
    counts = np.zeros((len(cells), len(domain)), np.int64)
    for row in rows:
        counts[cells.index(row[:-1]), domain.index(row[-1])] += 1
    quasi = tuple(Column.of(name, [cell[place] for cell in cells]) for place, name in enumerate(("age", "sex")))
    return Table(
        quasi,
        "disease",
        tuple(domain),
        counts.sum(axis=1),
        Counts.from_cells(counts),
        intake=Intake(roles={"person": "each row"}),
    )


@given(
    st.lists(person, min_size=1, max_size=8),
    person,
    person,
    st.sampled_from(LEVELS),
    st.sampled_from(["abc", "ab"]),
    st.sampled_from(["other", "leave out"]),
)
def test_one_person_changes_one_count_by_one(rows, one, other, levels, domain, outside):
    """Also when somebody's value was not declared: what becomes of them is decided person by person."""
    domain = Domain.declare(BY, levels, list(domain), outside=outside)
    counts = [domain.count(table_of(each), BY) for each in (rows, [*rows, one], [*rows, other])]
    assert np.abs(counts[1] - counts[0]).sum() <= 1
    assert np.abs(counts[2] - counts[1]).sum() <= 2  # replaced
    assert np.abs(counts[2] - counts[1]).max() <= 1


@given(st.lists(person, min_size=1, max_size=8), person, st.integers(0, 3))
def test_one_person_changes_the_score_of_levels_by_one_and_all_in_one_direction(rows, one, above):
    domains = [Domain.declare(BY, levels, list("abc")) for levels in LEVELS]
    before, after = (
        _score([domain.count(table_of(each), BY) for domain in domains], above) for each in (rows, [*rows, one])
    )
    assert all(0 <= more - less <= FULL_DETAIL for less, more in zip(before, after, strict=True))


def distance(one, other):
    return np.abs(one - other).sum() / 2


beliefs = st.lists(st.floats(0, 1), min_size=9, max_size=9).filter(lambda each: sum(each) > 0.01)


@given(beliefs, st.floats(0.05, 4), st.integers(-6, 8), st.integers(-6, 8))
def test_no_prior_shifts_further_than_promised(prior, epsilon, first, second):
    """Two people, each absent or with one of two values; counts of both values with discrete Laplace noise.

    b_0: believed after the output; b_1: had the first person been left out.  Any prior over the nine data sets.
    """
    noise = Mechanism("discrete Laplace", 1 / epsilon)
    worlds = [(one, other) for one in range(3) for other in range(3)]  # 2: absent
    output = np.array([first, second])

    def likelihood(people):
        counts = np.array([sum(each == value for each in people) for value in (0, 1)])
        return math.exp(float(noise.log_weight(output - counts).sum()))

    with_one = np.array([likelihood(world) for world in worlds]) * prior
    without = np.array([likelihood((2, world[1])) for world in worlds]) * prior
    if with_one.sum() > 0 and without.sum() > 0:
        shift = distance(with_one / with_one.sum(), without / without.sum())
        assert shift <= sl.semantic_privacy(epsilon).shift + 1e-9


def test_the_promise_is_tight():
    """Somebody with the right prior reaches it: one value's count came out far too high, the other's far too low."""
    noise = Mechanism("discrete Laplace", 1.0)
    left = np.array([5, -5])
    odds = np.exp(noise.log_weight(left - 1) - noise.log_weight(left))
    shifts = []
    for share in np.linspace(0.01, 0.99, 99):
        prior = np.array([share, 1 - share])
        shifts.append(distance(prior * odds / (prior @ odds), prior))
    assert max(shifts) == pytest.approx(sl.semantic_privacy(1).shift, abs=1e-3)


@given(
    st.floats(0.05, 2),
    st.floats(1e-9, 1e-2),
    st.lists(st.floats(0.001, 1), min_size=4, max_size=4),
    st.floats(0.001, 0.5),
)
def test_with_delta_the_promise_is_broken_no_more_often_than_told(epsilon, delta, prior, chance):
    """The worst (ε, δ)-private way to tell two people's bits: all of them with chance δ, else randomised response."""
    people = 2
    prior = np.array(prior) / sum(prior)
    worlds = [(one, other) for one in range(2) for other in range(2)]
    promise = sl.semantic_privacy(epsilon, delta, people=people, chance=chance)
    flip = 1 / (1 + math.exp(epsilon))

    def law(world, left_out):
        """Pr(output | world), the first person's bit replaced by 0 when left out: revealed bits, or a noisy first one."""
        shown = (0, world[1]) if left_out else world
        chances = {("all", shown): delta}
        for answer in range(2):
            chances["noisy", answer] = (1 - delta) * (1 - flip if answer == shown[0] else flip)
        return chances

    outputs = {output for world in worlds for out in (False, True) for output in law(world, out)}
    broken = 0.0
    for output in outputs:
        real = prior * [law(world, left_out=False).get(output, 0) for world in worlds]
        other = prior * [law(world, left_out=True).get(output, 0) for world in worlds]
        if real.sum() == 0:
            continue
        shift = 1.0 if other.sum() == 0 else distance(real / real.sum(), other / other.sum())
        if shift > promise.shift + 1e-9:
            broken += real.sum()
    assert promise.vacuous or broken <= promise.chance


def shifts_by_output(with_person, without):
    """How far the belief moves at each output, and how likely the output is: joint laws of data and output."""
    outputs = with_person.sum(axis=0)
    p, q = with_person / outputs, without / without.sum(axis=0)
    return np.abs(p - q).sum(axis=0) / 2, outputs


def excess_delta(one, other, epsilon):
    """The smallest δ for ε, in both directions, for every data set: the rows of two channels."""
    ratio = math.exp(epsilon)
    return max(
        np.maximum(one - ratio * other, 0).sum(axis=1).max(), np.maximum(other - ratio * one, 0).sum(axis=1).max()
    )


def share_of_the_bound(with_person, without, prior, epsilon, *, true_data=None):
    """The largest part of the told chance that is reached, at any shift that occurs; above 1 refutes the promise."""
    delta = excess_delta(with_person, without, epsilon)
    joint = prior[:, np.newaxis] * with_person, prior[:, np.newaxis] * without
    shift, outputs = shifts_by_output(*joint)
    chances = outputs if true_data is None else with_person[true_data]
    floor, worst = math.tanh(epsilon / 2), 0.0
    for each in shift[shift > floor + 1e-9].tolist():
        weight = _weight(epsilon, each * (1 - 1e-12) - floor)
        told = delta * (weight if true_data is None else 1 + math.exp(epsilon) * weight)
        worst = max(worst, chances[shift >= each].sum() / told)
    return worst


def random_channel(random, epsilon, *, others_known):
    """Pr(output | data set) with and without a person: about e^ε apart, and further at some outputs."""
    data_sets, outputs = random.integers(2, 4), random.integers(2, 5)
    without = random.dirichlet(np.full(outputs, random.choice([0.1, 0.5, 1])), size=data_sets) + 1e-12
    if others_known:
        without[:] = without[0]
    without /= without.sum(axis=1, keepdims=True)
    tells = (
        random.choice([-1, 1], size=without.shape) if random.random() < 0.5 else random.uniform(-1, 1, without.shape)
    )
    with_person = without * np.exp(epsilon * tells)
    beyond = random.random(without.shape) < 0.2
    with_person += beyond * random.random(without.shape) * random.choice([1e-6, 1e-3, 0.1])
    prior = random.dirichlet(np.full(data_sets, random.choice([0.3, 1, 3]))) + 1e-12
    return with_person / with_person.sum(axis=1, keepdims=True), without, prior / prior.sum()


@pytest.mark.parametrize("epsilon", [0.02, 0.2, 0.5, 1, 2.5])
@pytest.mark.parametrize("others_known", [False, True])
def test_no_channel_breaks_the_promise_more_often_than_told(epsilon, others_known):
    random = np.random.default_rng(20)
    for _ in range(400):
        channel = random_channel(random, epsilon, others_known=others_known)
        assert share_of_the_bound(*channel, epsilon) <= 1 + 1e-9
        if others_known:  # then it holds for every data set, not only on average over the prior
            for true_data in range(len(channel[2])):
                assert share_of_the_bound(*channel, epsilon, true_data=true_data) <= 1 + 1e-9


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.1, 0.4, 1.0, 2.0])
def test_gaussian_noise_breaks_the_promise_no_more_often_than_told(scale, epsilon):
    """A person who adds one to a count or not, behind discrete Gaussian noise; every output, many priors."""
    noise = Mechanism("discrete Gaussian", scale)
    grid = np.arange(-12 * math.ceil(scale), 12 * math.ceil(scale) + 2)
    law = [np.exp(noise.log_weight(grid - count)) for count in (0, 1)]
    law = [each / each.sum() for each in law]
    without = np.stack([law[0], law[0]])
    for share in (1e-6, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        prior = np.array([1 - share, share])
        reached = share_of_the_bound(np.stack([law[0], law[1]]), without, prior, epsilon)
        assert reached <= 1 + 1e-9


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 3])
def test_half_the_told_chance_would_be_refuted(epsilon):
    """The bound is not idle: telling all with chance δ, to somebody who would else believe the opposite."""
    delta, hardly = 1e-4, 1e-13
    with_person = np.array([[1 - delta - hardly, delta, hardly], [1 - delta - hardly, hardly, delta]])
    without = np.array([[1 - 2 * hardly, hardly / 1e3, hardly], [1 - 2 * hardly, hardly, hardly / 1e3]])
    assert 0.5 < share_of_the_bound(with_person, without, np.array([0.5, 0.5]), epsilon) <= 1


def first_bound(epsilon, mass, chance):
    """1 − e^(−4ε) + η except with A·(1 + 1/η), A = n·(1 + e^(−2ε))·δ/(1 − e^(−ε)): what was promised at first."""
    bad = mass * (1 + math.exp(-2 * epsilon)) / -math.expm1(-epsilon)
    return -math.expm1(-4 * epsilon) + bad / (chance - bad) if chance > bad else 1.0


def by_conditioning(epsilon, mass, chance):
    """tanh(ε'/2) + η + η' except with n·(m/η + e^ε·m/η' + δ), the best over ε' > ε, η and η'."""
    best = 1.0
    for further in np.geomspace(epsilon * (1 + 1e-6), epsilon + 40, 4000):
        m = (1 + math.exp(-further)) * mass / -math.expm1(epsilon - further)
        if chance > mass:
            best = min(best, math.tanh(further / 2) + m * (1 + math.exp(epsilon / 2)) ** 2 / (chance - mass))
    return best


@pytest.mark.parametrize("epsilon", [0.001, 0.05, 0.3, 0.5, 1, 3, 8])
@pytest.mark.parametrize("mass", [1e-12, 4.5222e-8, 1e-5, 1e-3])
@pytest.mark.parametrize("chance", [1e-3, 0.01, 0.3])
def test_no_other_bound_that_we_know_promises_more(epsilon, mass, chance):
    shift, _ = smallest_shift(epsilon, mass, chance)
    assert shift <= min(1.0, first_bound(epsilon, mass, chance), by_conditioning(epsilon, mass, chance)) + 1e-15


def test_conditioning_on_good_pairs_gives_0_272_where_0_865_was_promised():
    assert first_bound(0.5, 45_222 * 1e-12, 0.001) == pytest.approx(0.865, abs=5e-4)
    assert by_conditioning(0.5, 45_222 * 1e-12, 0.001) == pytest.approx(0.272, abs=5e-4)


@pytest.mark.parametrize("epsilon", [1e-7, 0.001, 0.01, 0.1, 0.2])
@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6])
def test_the_published_shift_holds_with_a_chance_of_n_times_the_root_of_delta(epsilon, delta):
    """What was not so with the first bound: it was above the published shift for small ε."""
    promise = sl.semantic_privacy(epsilon, delta, people=1, chance=math.sqrt(delta))
    assert promise.shift <= promise.published_shift


@pytest.mark.parametrize(("epsilon", "delta", "times"), [("0.5", "1e-6", 1), ("0.3", "1e-4", 3), ("1", "0", 4)])
def test_a_promise_read_off_the_privacy_losses_is_kept(epsilon, delta, times):
    """Several releases of one count; every vector of outputs; priors of many odds."""
    mechanism = calibrate(Fraction(epsilon), Fraction(delta))
    spent = [Spending("a count", Fraction(epsilon), Fraction(delta), mechanism=mechanism)] * times
    grid = np.arange(-60, 62)
    law = [np.exp(mechanism.log_weight(grid - count)) for count in (0, 1)]
    law = [each / each.sum() for each in law]
    loss, chance_of_loss = np.zeros(1), np.ones(1)
    for _ in range(times):
        step = np.round(np.log(law[1]) - np.log(law[0]), 12)
        loss, where = np.unique(np.round(np.add.outer(loss, step), 9).ravel(), return_inverse=True)
        chance_of_loss = np.bincount(where, np.multiply.outer(chance_of_loss, law[0]).ravel())
    for chance in (0.001, 0.05):
        promise = promise_of(spent, people=1, chance=chance)
        assert (
            promise.shift
            <= sl.semantic_privacy(times * Fraction(epsilon), times * Fraction(delta), people=1, chance=chance).shift
        )
        for share in (0.01, 0.3, 0.5, 0.8, 0.99):
            odds = np.exp(loss)
            shift = share * np.abs(odds / (share * odds + 1 - share) - 1)
            outputs = chance_of_loss * (share * odds + 1 - share)
            assert outputs[shift > promise.shift + 1e-9].sum() <= chance


@given(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), st.sampled_from([0.3, 1, 2]))
def test_a_simulated_adversary_stays_within_the_promise(prior, epsilon):
    """Two noisy releases, everybody else known, any prior: nobody's belief moves further than tanh(Σε / 2)."""
    rows = [("1", "f", "a"), ("1", "f", "b"), ("2", "m", "a"), ("3", "m", "c"), ("3", "m", "c")]
    one, other = table_of(rows), table_of(rows[1:] + [("1", "f", "c")])
    shared = table_of(rows[1:])
    releases = [
        sl.noisy_counts(each, by=BY, levels={"age": 1}, domain=list("abc"), epsilon=epsilon) for each in (one, other)
    ]
    seen = sl.attack_noise(
        releases, people=shared, by=BY, tables=[one, other], prior=dict(zip("abc", prior, strict=True))
    )
    assert seen.bound == pytest.approx(math.tanh(epsilon))
    assert seen.largest_shift <= seen.bound + 1e-12


# Several values per person: all that the promise is about, worked out exactly for neighbouring tables.


def visits(people, values):
    """A table of people with several values each: a list of values per person."""
    rows = [(number, "f", value) for number, had in enumerate(people) for value in had]
    columns = dict(zip(("id", "sex", "disease"), zip(*rows, strict=True), strict=True))
    return sl.read_table(pa.table(columns), quasi="sex", sensitive="disease", person="id", values=values)


def chances_of_counts(table, unit, mechanism, grid):
    """Pr(measured) for every vector of measured counts on a grid, over lots and noise: means over what lots may leave."""
    domain = Domain.declare({"sex": SEX}, {}, ["a", "b", "c"])
    wide = np.arange(-400, 401)
    total = np.exp(mechanism.log_weight(wide)).sum()
    seen = {}
    for _ in range(LOTS):
        counts = tuple(domain.count(table, {"sex": SEX}, at_most=unit.at_most)[0].tolist())
        seen[counts] = seen.get(counts, 0) + 1
    chances = 0
    for counts in seen:  # which lots fall is uniform for one person beyond the cap: all outcomes are equally likely
        one = [np.exp(mechanism.log_weight(grid - count)) / total for count in counts]
        chances = chances + np.einsum("i,j,k->ijk", *one) / len(seen)
    return chances


LOTS = 60
SEX = sl.Hierarchy("sex", (("f", "m"), ("*", "*")))
OTHERS = [["a"], ["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("values", "added", "cap"),
    [("set", "abc", 2), ("set", "abc", 3), ("set", "ab", 2), ("multiset", "aaa", 3), ("multiset", "aaab", 2)],
)
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0), (1, "0.02")])
def test_several_values_per_person_are_hidden_together(values, added, cap, epsilon, delta):
    without, added_to = visits(OTHERS, values), visits([*OTHERS, added], values)
    unit = PrivacyUnit.of(added_to, cap)
    mechanism = calibrate(Fraction(epsilon), Fraction(delta), unit.sensitivity("add or remove"))
    grid = np.arange(-45, 50)
    one, other = (chances_of_counts(table, unit, mechanism, grid) for table in (without, added_to))
    for first, second in ((one, other), (other, one)):
        beyond = np.maximum(first - math.exp(epsilon) * second, 0).sum()
        assert beyond <= float(Fraction(delta)) + 1e-12
    if delta == 0:  # noise for one value only would not do; with a delta the accounts leave some slack
        alone = calibrate(Fraction(epsilon), Fraction(0))
        one, other = (chances_of_counts(table, unit, alone, grid) for table in (without, added_to))
        assert np.maximum(one - math.exp(epsilon) * other, 0).sum() > 1e-6


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=12),
    st.integers(1, 4),
)
def test_nobody_counts_more_often_than_the_cap(people, entries, cap):
    row = np.array([row % len(people) for row, _ in entries])
    count = np.array([count for _, count in entries])
    order = np.argsort(row, kind="stable")
    row, count = row[order], count[order]
    amounts = count_entries(np.array(people), row, count, at_most=cap)
    assert (amounts <= np.array(people)[row] * count).all()
    for number, times in enumerate(people):
        mine = row == number
        assert amounts[mine].sum() == times * min(cap, count[mine].sum())


def test_what_is_left_out_is_drawn_evenly():
    draws = np.array(
        [count_entries(np.array([1]), np.zeros(3, np.int64), np.array([1, 2, 1]), at_most=2) for _ in range(4000)]
    )
    # each of the four occurrences is kept with one half; 5 standard deviations
    assert np.abs(draws.mean(axis=0) - np.array([0.5, 1, 0.5])).max() < 5 * 0.71 / math.sqrt(4000)


# Several rows per person: neighbouring event tables, person by person.

BY_WARD = {
    "ward": sl.Hierarchy("ward", (("A", "B"), ("*", "*"))),
    "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*"))),
}
VISIT = st.tuples(
    st.sampled_from(["A", "B", "C", None]), st.sampled_from("fm"), st.sampled_from(["a", "b", "odd", None])
)
COLUMNS = ("patient", "ward", "sex", "disease")


def read_visits(people, values="single"):
    """Rows of visits, a list per person."""
    rows = [(number, *visit) for number, visits_of_one in people.items() for visit in visits_of_one]
    columns = {
        name: pa.array([row[place] for row in rows], pa.int64() if name == "patient" else pa.string())
        for place, name in enumerate(COLUMNS)
    }
    return sl.read_events(
        pa.table(columns), quasi=["ward", "sex"], sensitive="disease", person="patient", values=values
    )


def every_count(domain, visits_of_one, cap, values):
    """All vectors of counts that one person can give: every way of keeping as many as count."""
    cells = [cell_of(domain, visit) for visit in visits_of_one]
    cells = [cell for cell in cells if cell is not None]
    cells = sorted(set(cells)) if values == "set" else cells
    ways = set()
    for kept in combinations(range(len(cells)), min(cap, len(cells))):
        counts = np.zeros(domain.shape, np.int64)
        for place in kept:
            counts[cells[place]] += 1
        ways.add(tuple(counts.ravel().tolist()))
    return ways


def cell_of(domain, visit):
    """Where one visit is counted, by looking labels up one by one."""
    group, place = 0, None
    for name, labels, text in zip(("ward", "sex"), domain.labels, visit[:2], strict=True):
        declared = text in BY_WARD[name].levels[0]
        coarse = BY_WARD[name].generalise(text, domain.levels[name]) if declared or text is None else None
        if coarse not in labels:
            if domain.outside == "leave out":
                return None
            coarse = labels[-1]
        group = group * len(labels) + labels.index(coarse)
    place = domain.values.index(visit[2]) if visit[2] in ("a", "b") else None
    if place is None:
        if domain.outside == "leave out":
            return None
        place = len(domain.values) - 1
    return group, place


@given(
    st.dictionaries(st.integers(0, 3), st.lists(VISIT, min_size=1, max_size=4), max_size=3),
    st.lists(VISIT, min_size=1, max_size=4),
    st.integers(1, 3),
    st.sampled_from([("other", "single"), ("leave out", "single"), ("other", "set")]),
    st.sampled_from([{"ward": 0, "sex": 0}, {"ward": 1, "sex": 0}]),
)
def test_one_person_with_several_rows_changes_no_more_than_the_sensitivity(people, added, cap, how, levels):
    """Each person gives one of the vectors that brute force lists, whoever else is there; none is beyond the bounds."""
    outside, values = how
    domain = Domain.declare(BY_WARD, levels, ["a", "b"], outside=outside)
    caps = {"values_per_person": cap} if values == "set" else {"rows_per_person": cap}
    unit = PrivacyUnit.of(read_visits({9: added}, values), **caps)
    one = every_count(domain, added, cap, values)
    bound = unit.sensitivity("add or remove")
    for counts in one:
        assert sum(counts) <= bound.l1
        assert sum(count**2 for count in counts) <= bound.l2_squared
    for other in (every_count(domain, visits_of_one, cap, values) for visits_of_one in people.values()):
        for changes in ([a - b for a, b in zip(*pair, strict=True)] for pair in product(one, other)):
            assert sum(map(abs, changes)) <= unit.sensitivity("replace").l1
            assert sum(change**2 for change in changes) <= unit.sensitivity("replace").l2_squared
    # what is counted is a sum of what everybody may give, each by themselves
    possible = {tuple([0] * math.prod(domain.shape))}
    for visits_of_one in [*people.values(), added]:
        ways = every_count(domain, visits_of_one, cap, values)
        possible = {tuple(map(sum, zip(a, b, strict=True))) for a, b in product(possible, ways)}
    counts = domain.count(read_visits({**people, 9: added}, values), BY_WARD, at_most=unit.at_most)
    assert tuple(counts.ravel().tolist()) in possible


def test_the_sensitivity_of_rows_is_reached():
    """All rows of one person in one cell: by less noise they would not be hidden."""
    domain = Domain.declare(BY_WARD, {"ward": 0, "sex": 0}, ["a", "b"], outside="other")
    many = read_visits({1: [("A", "f", "a")] * 5})
    unit = PrivacyUnit.of(many, rows_per_person=3)
    assert domain.count(many, BY_WARD, at_most=unit.at_most).max() == 3
    assert unit.sensitivity("add or remove").l2_squared == 9


def test_rows_are_left_out_by_chance_each_alike_and_each_person_by_themselves():
    """Of one person's 4 different rows 2 are kept: all 6 pairs come up, and no other person changes how often."""
    domain = Domain.declare(BY_WARD, {"ward": 0, "sex": 0}, ["a", "b"], outside="other")
    visits_of_one = [("A", "f", "a"), ("A", "f", "b"), ("B", "f", "a"), ("B", "m", "b")]
    alone = read_visits({1: visits_of_one})
    drawn = Counter(tuple(domain.count(alone, BY_WARD, at_most=2).ravel().tolist()) for _ in range(1_200))
    assert len(drawn) == 6
    assert min(drawn.values()) > 110  # 200 each, and 7 standard deviations
    more = {number: [("A", "m", "a")] for number in range(2, 6)}
    together, others = read_visits({1: visits_of_one, **more}), domain.count(read_visits(more), BY_WARD).ravel()
    for _ in range(50):
        assert tuple((domain.count(together, BY_WARD, at_most=2).ravel() - others).tolist()) in drawn
