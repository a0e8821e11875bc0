"""The learner agrees with slow, obvious twins: every assignment of every group, one by one, and rounds in plain Python."""

import math
from collections import Counter, defaultdict
from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.learner.assignments import (
    Assignments,
    expect_by_products,
    forward_backward,
    multiply_out,
)
from sidelight.learner.learned import learn, roster_of
from sidelight.learner.training import expectation_of, new_model, train, train_on
from sidelight.release.groups import whole_groups
from sidelight.release.locate import Lookup
from sidelight.release.release import Members, Release
from sidelight.table.labels import Column
from sidelight.table.table import Counts

VALUES = ("a", "b", "c")
CELLS = tuple(product(("m", "f"), ("x", "y", None)))

values_of_group = st.lists(st.sampled_from(VALUES), min_size=1, max_size=6)
probabilities = st.integers(1, 1000).map(lambda part: part / 1000)


@st.composite
def buckets(draw, *, most_groups=5, most_people=5):
    """People by (sex, town), and the values of their bucket."""
    listed = []
    for _ in range(draw(st.integers(2, most_groups))):
        bag = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=most_people))
        people = draw(st.lists(st.sampled_from(CELLS), min_size=len(bag), max_size=len(bag)))
        listed.append((people, bag))
    return listed


def release_of(listed):
    return Release.from_buckets(
        [([{"sex": sex, "town": town} for sex, town in people], bag) for people, bag in listed], domain=VALUES
    )


def by_listing(weights, bag):
    """Pr(x_i = s) and the likelihood, by every distinct order of the bag."""
    total, sums = 0.0, defaultdict(float)
    for world in set(permutations(bag)):
        weight = math.prod(weights[i][value] for i, value in enumerate(world))
        total += weight
        for i, value in enumerate(world):
            sums[i, value] += weight
    return {place: weight / total for place, weight in sums.items()}, total


@examples(60)
@given(st.data())
def test_forward_backward_is_what_listing_every_assignment_gives(data):
    bag = data.draw(values_of_group)
    weights = [{value: data.draw(probabilities) for value in VALUES} for _ in bag]
    counts = sorted(Counter(bag).items(), key=lambda entry: (-entry[1], entry[0]))
    beliefs, log_likelihood = forward_backward(
        np.array([[[person[value]] for value, _ in counts] for person in weights]), tuple(n for _, n in counts)
    )
    twin, total = by_listing(weights, bag)
    assert math.exp(log_likelihood[0]) == pytest.approx(total, rel=1e-9)
    for i in range(len(bag)):
        for place, (value, _) in enumerate(counts):
            assert beliefs[i, place, 0] == pytest.approx(twin[i, value], abs=1e-9)


@examples(15)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2**32 - 1), st.sampled_from([1, 5, 30]))
def test_products_multiplied_out_are_what_forward_backward_gives(counts, seed, spread):
    counts = tuple(sorted(counts, reverse=True))
    scores = np.random.default_rng(seed).normal(size=(sum(counts), len(counts), 2)) * spread
    quick, _ = forward_backward(np.exp(scores - scores.max(axis=1, keepdims=True)), counts)
    slow = multiply_out(scores, counts)
    np.testing.assert_allclose(slow, quick, atol=1e-9)
    bag = [value for value, count in enumerate(counts) for _ in range(count)]
    for group in range(2 if len(bag) <= 7 else 0):
        twin, _ = by_listing([dict(enumerate(np.exp(row - row.max()))) for row in scores[:, :, group]], bag)
        for (person, value), wanted in twin.items():
            assert slow[person, value, group] == pytest.approx(wanted, abs=1e-9)


def naive_bayes_in_plain_python(listed, rounds):
    """All of it with dictionaries: one person at a time."""
    people = [(g, q) for g, (those, _) in enumerate(listed) for q in those]
    belief = {(i, s): listed[g][1].count(s) / len(listed[g][1]) for i, (g, _) in enumerate(people) for s in VALUES}
    labels = [{q[j] for _, q in people} for j in range(2)]
    for _ in range(rounds):
        share = {}
        for j, s in product(range(2), VALUES):
            total = sum(belief[i, s] for i in range(len(people)))
            for label in labels[j]:
                has = sum(belief[i, s] for i, (_, q) in enumerate(people) if q[j] == label)
                share[j, label, s] = (1 + has) / (len(labels[j]) + total)
        after = dict.fromkeys(belief, 0.0)
        for g, (those, bag) in enumerate(listed):
            first = next(i for i, (at, _) in enumerate(people) if at == g)
            weights = [{s: share[0, q[0], s] * share[1, q[1], s] for s in VALUES} for q in those]
            for (i, s), probability in by_listing(weights, bag)[0].items():
                after[first + i, s] = probability
        moved = max(abs(after[place] - belief[place]) for place in belief)
        belief = after
        if moved < 1e-4:
            break
    return {(g, q, s): belief[i, s] for i, (g, q) in enumerate(people) for s in VALUES}


@examples(6)
@given(buckets())
def test_whole_releases_are_learnt_as_in_plain_python(listed):
    learned = learn(release_of(listed), "naive bayes", calibrated=False)
    twin = naive_bayes_in_plain_python(listed, 30)
    apart = any(len(set(people)) > 1 for people, _ in listed)
    for row in learned.table().to_pylist():
        g, key = row["group"] - 1, (row["sex"], row["town"])
        wanted = twin[g, key, row["value"]] if apart else row["share"]
        assert row["belief"] == pytest.approx(wanted, abs=1e-6)


@examples(12)
@given(buckets(), st.sampled_from(["naive bayes", "logistic"]))
def test_training_with_the_slow_twin_ends_with_the_same_beliefs(listed, model):
    roster = roster_of(release_of(listed), None, Lookup())
    quick = train_on(roster, model, rounds=6, calibrated=False)
    expect = partial(expect_by_products, expectation_of(roster, 100_000))
    slow = train(new_model(roster, model), expect, exact=True, rounds=6)
    if quick.model is not None:
        np.testing.assert_allclose(quick.beliefs, slow.beliefs, atol=1e-6)


@st.composite
def sets_of_values(draw, semantics="set"):
    """A release whose people have sets of values, by town; and who has what."""
    groups, members = [], []
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(2, 5))
        most = size if semantics == "set" else 2 * size
        groups.append((size, {value: draw(st.integers(0, most)) for value in VALUES}))
        members.append([draw(st.sampled_from(("x", "y", "z"))) for _ in range(size)])
    counts = Counts.from_cells([[bag[value] for value in VALUES] for _, bag in groups])
    whole = whole_groups(domain=VALUES, sizes=[size for size, _ in groups], counts=counts, semantics=semantics)
    towns = [town for those in members for town in those]
    group = np.repeat(np.arange(len(groups)), [size for size, _ in groups])
    people = Members.build((Column.of("town", towns),), group, np.ones(len(towns), np.int64))
    return Release(whole, members=people)


@examples(30)
@given(sets_of_values(), st.data())
def test_sets_are_the_elementary_symmetric_polynomials(release, data):
    roster = roster_of(release, None, Lookup())
    odds = {key: data.draw(probabilities) / data.draw(probabilities) for key in range(roster.members.key_count)}
    scores = np.log([odds[int(roster.members.key[line])] for line in roster.line])
    beliefs, _ = expectation_of(roster, 100_000).expect(scores)
    for cell, (line, value) in enumerate(zip(roster.line.tolist(), roster.value.tolist(), strict=True)):
        group = int(roster.members.group[line])
        lines = np.flatnonzero(roster.members.group == group).tolist()
        people = [at for at in lines for _ in range(int(roster.members.people[at]))]
        having = int(release.groups.counts.row(group)[value])
        worlds = [
            (math.prod(odds[int(roster.members.key[people[i]])] for i in world), world)
            for world in combinations(range(len(people)), having)
        ]
        me = people.index(line)
        wanted = sum(weight for weight, world in worlds if me in world) / sum(weight for weight, _ in worlds)
        assert beliefs[cell] == pytest.approx(wanted, abs=1e-9)


@examples(10)
@given(sets_of_values("multiset"), st.sampled_from(["naive bayes", "logistic"]))
def test_of_multisets_all_occurrences_are_somebodys(release, model):
    learned = learn(release, model, rounds=4)
    assert ((learned.beliefs >= 0) & (learned.beliefs <= 1)).all()
    assert learned.largest <= 1


@examples(20)
@given(buckets(most_people=6), st.sampled_from(["naive bayes", "logistic"]))
def test_every_group_keeps_its_counts_and_everybody_one_value(listed, model):
    learned = learn(release_of(listed), model, rounds=5)
    sums, of_people = Counter(), Counter()
    for row in learned.table().to_pylist():
        sums[row["group"], row["value"]] += row["people"] * row["belief"]
        of_people[row["group"], row["sex"], row["town"]] += row["belief"]
    for g, (_, bag) in enumerate(listed):
        for value in set(bag):
            assert sums[g + 1, value] == pytest.approx(bag.count(value), abs=1e-6)
    assert all(total == pytest.approx(1, abs=1e-6) for total in of_people.values())


@examples(12)
@given(buckets(), st.randoms(use_true_random=False), st.sampled_from(["naive bayes", "logistic"]))
def test_the_order_of_people_and_values_does_not_matter(listed, random, model):
    shuffled = [(random.sample(people, len(people)), random.sample(bag, len(bag))) for people, bag in listed]
    one, other = learn(release_of(listed), model, rounds=4), learn(release_of(shuffled), model, rounds=4)
    assert one.table().equals(other.table())


@examples(8)
@given(buckets(), st.randoms(use_true_random=False), st.sampled_from(["naive bayes", "logistic"]))
def test_the_order_of_columns_and_groups_does_not_matter(listed, random, model):
    mixed = random.sample(range(len(listed)), len(listed))
    turned = Release.from_buckets(
        [([{"town": town, "sex": sex} for sex, town in listed[g][0]], listed[g][1]) for g in mixed], domain=VALUES
    )
    one, other = (
        {(order[row["group"] - 1], row["sex"], row["town"], row["value"]): row["belief"] for row in rows}
        for order, rows in (
            (range(len(listed)), learn(release_of(listed), model).table().to_pylist()),
            (mixed, learn(turned, model).table().to_pylist()),
        )
    )
    assert one == pytest.approx(other, abs=1e-9)


@examples(12)
@given(buckets(most_groups=3, most_people=6))
def test_sinkhorn_keeps_the_counts(listed):
    roster = roster_of(release_of(listed), None, Lookup())
    beliefs, _ = Assignments(roster, 0).expect(np.zeros(len(roster.line)))
    np.testing.assert_allclose(beliefs, roster.shares, atol=1e-5)


@examples(10)
@given(buckets())
def test_the_likelihood_of_naive_bayes_never_falls(listed):
    roster = roster_of(release_of(listed), None, Lookup())
    trained = train_on(roster, "naive bayes", calibrated=False)
    rises = np.diff(trained.likelihoods)
    assert (rises >= -1e-9 * (1 + np.abs(trained.likelihoods[:-1]))).all() if len(rises) else True


@examples(8)
@given(sets_of_values())
def test_the_likelihood_of_sets_never_falls_either(release):
    trained = train_on(roster_of(release, None, Lookup()), "naive bayes", calibrated=False)
    rises = np.diff(trained.likelihoods)
    assert (rises >= -1e-9 * (1 + np.abs(trained.likelihoods[:-1]))).all() if len(rises) else True


@examples(10)
@given(buckets(), st.sampled_from(["naive bayes", "logistic"]))
def test_the_witness_replays_where_people_are_told_apart(listed, model):
    release = release_of(listed)
    finding = sl.Learner(model=model, rounds=5).measure(release)
    assert float(finding.replay(release)) == pytest.approx(float(finding.value), abs=1e-6)
