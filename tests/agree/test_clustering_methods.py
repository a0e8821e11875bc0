"""Anatomy and microaggregation: within policy, everybody once, whatever the table and the policy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.progress import quiet
from sidelight.search.policy_check import one_group
from sidelight.search.utility import random_queries
from sidelight.testing import measures, tables


@st.composite
def problems(draw, *, semantics=None):
    """Draw a table, hierarchies and a policy that one group of everybody keeps."""
    table = draw(tables(semantics=semantics, max_columns=2, max_keys=8))
    by = {}
    for column in table.quasi:
        values = [text for text in column.labels if text is not None] or ["x"]
        level = tuple(str(draw(st.integers(0, 1))) for _ in values)
        levels = (tuple(values), level, ("*",) * len(values))
        by[column.name] = sl.Hierarchy(column.name, levels[: draw(st.integers(1, 3))])
    whole = one_group(table)
    chosen = draw(st.lists(measures(whole, mergeable=True), min_size=1, max_size=2))
    policy = sl.Policy(*(bounded(each, whole, draw) for each in chosen))
    assume(policy.judge(whole).safe)
    return table, draw(st.sampled_from([by, {}])), policy


def bounded(measure, release, draw):
    """Bound a measure so that the release just keeps it, or by something looser."""
    value = measure.measure(release).value
    assume(value != float("inf"))
    least, most = measure.limits
    room = draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(2)]))
    if measure.large_is_bad:
        return measure <= min(max(Fraction(value) + room, least), most)
    return measure >= max(Fraction(value) - room, least)


def search(method, table, policy, by):
    return method.search(table, policy, by=by, utilities=("loss",), progress=quiet)["loss"]


@given(problems(), st.sampled_from([None, 1, 2, 4]), st.sampled_from(["mode", "ancestor"]))
def test_clusters_are_within_policy_have_k_people_and_can_be_told_apart(problem, k, labels):
    table, by, policy = problem
    outcome = search(sl.Microaggregation(k=k, labels=labels), table, policy, by)
    groups = outcome.release.groups
    assert policy.judge(outcome.release).safe
    assert outcome.release.size == table.people
    assert groups.whole.tolist() == table.counts.totals().tolist()
    assert groups.sizes.min() >= min(k or 1, table.people)
    assert len({groups.name(row).printed for row in range(len(groups))}) == len(groups)
    assert [column.name for column in groups.columns] == [column.name for column in table.quasi]


@given(problems())
def test_a_cluster_covers_the_stretch_that_its_people_occupy(problem):
    table, by, policy = problem
    recoding = search(sl.Microaggregation(), table, policy, by).recoding
    assert recoding.suppressed == 0
    for column, (order, quasi) in enumerate(zip(recoding.orders, table.quasi, strict=True)):
        rank = order.rank[quasi.codes]
        for group in range(len(recoding.sizes)):
            mine = rank[recoding.group == group]
            assert (recoding.start[group, column], recoding.stop[group, column]) == (mine.min(), mine.max() + 1)


@given(problems(semantics="single"), st.integers(0, 4), st.integers(0, 2**32))
def test_buckets_are_within_policy_and_have_everybody_once(problem, l, seed):  # noqa: E741 - the paper's letter
    table, by, policy = problem
    present = int((table.counts.totals() > 0).sum())
    assume(l <= present)
    method = sl.Anatomy(l=l or None, random=np.random.default_rng(seed))
    outcome = search(method, table, policy, by)
    groups = outcome.release.groups
    assert policy.judge(outcome.release).safe
    assert groups.whole.tolist() == table.counts.totals().tolist()
    assert (np.count_nonzero(groups.counts.dense(), axis=1) >= l).all()
    assert [column.name for column in groups.columns] == ["bucket"]
    buckets = outcome.buckets
    assert np.bincount(buckets.key, buckets.people).tolist() == table.sizes.tolist()
    assert np.bincount(buckets.bucket, buckets.people).tolist() == groups.sizes.tolist()


@given(problems(semantics="single"), st.integers(0, 2**32))
def test_what_is_printed_is_the_table_and_the_buckets(problem, seed):
    table, by, policy = problem
    outcome = search(sl.Anatomy(random=np.random.default_rng(seed)), table, policy, by)
    columns, values, counts = outcome.buckets.tables()
    people = list(zip(*([column.cell(row) for row in range(table.people)] for column in columns), strict=True))
    keys = [
        tuple(column.cell(key) for column in table.quasi) for key, size in enumerate(table.sizes) for _ in range(size)
    ]
    assert sorted((row[:-1] for row in people), key=str) == sorted(keys, key=str)
    bucket, value = values
    groups = outcome.release.groups
    for row, count in enumerate(counts):
        at = int(bucket.cell(row)) - 1
        assert groups.counts.row(at)[groups.domain.index(value.cell(row))] == count
        assert sum(each[-1] == bucket.cell(row) for each in people) == groups.sizes[at]
    assert counts.sum() == table.people


@given(problems(semantics="single"), st.integers(0, 2**32))
def test_what_one_expects_of_buckets_is_what_their_people_would_share(problem, seed):
    table, by, policy = problem
    recoding = search(sl.Anatomy(random=np.random.default_rng(seed)), table, policy, by).recoding
    shares = recoding.counts.dense() / recoding.sizes[:, np.newaxis]
    expected = np.zeros((len(table.sizes), len(table.domain)))
    for key, bucket, people in zip(recoding.key, recoding.bucket, recoding.people, strict=True):
        expected[key] += people * shares[bucket]
    key, value, _ = table.counts.entries()
    np.testing.assert_allclose(recoding.reconstruction(), expected[key, value])
    for query in random_queries(recoding.orders, len(table.domain), count=5):
        inside = np.ones(len(table.sizes), bool)
        for column, (low, high) in query.ranges.items():
            rank = recoding.orders[column].rank[table.quasi[column].codes]
            inside &= (low <= rank) & (rank < high)
        assert recoding.estimate(query) == pytest.approx(expected[np.ix_(inside, query.values)].sum())
    assert recoding.detail_lost() == 0
    assert recoding.bits_kept().tolist() == recoding.marginals.bits.tolist()


@given(problems(semantics="single"), st.sampled_from(["anatomy", "microaggregation"]))
def test_protect_knows_both_by_name_and_tells_what_they_are_worth(problem, name):
    table, by, policy = problem
    result = sl.protect(table, policy, by=by, method=name, ask="nobody")
    assert result.verdict.safe
    assert np.isfinite(list(result.utility.values())).all()
    assert result.utility["suppressed"] == 0
