"""Dealing people into buckets against Anatomy's own rule, bucket by bucket."""

import random

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from sidelight.search.anatomy import bucket_counts, bucket_kinds, deal, max_buckets

often = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any).map(np.array)


def as_in_the_paper(often, least, rnd):
    """Take one person each of the l most frequent values, while there are l; the others go where they are lacking."""
    left = dict(enumerate(often.tolist()))
    buckets = []
    while sum(n > 0 for n in left.values()) >= least:
        chosen = sorted(left, key=lambda value: -left[value])[:least]
        buckets.append(chosen)
        for value in chosen:
            left[value] -= 1
    for value, n in left.items():
        for _ in range(n):
            lacking = [bucket for bucket in buckets if value not in bucket]
            rnd.choice(lacking).append(value)
    return buckets


@given(often, st.integers(1, 4))
def test_as_many_buckets_as_different_as_in_the_paper(often, least):
    assume(often.max() * least <= often.sum())  # eligible, in the paper's word
    paper = as_in_the_paper(often, least, random.Random(1))
    count = max_buckets(often, least)
    ours = bucket_counts(often, count).dense()
    assert count == len(paper) == often.sum() // least
    assert all(len(set(bucket)) == len(bucket) for bucket in paper)
    assert ours.max() == 1
    assert (ours.sum(axis=1) >= least).all()
    assert ours.sum(axis=0).tolist() == often.tolist()
    if count >= least:
        assert ours.sum(axis=1).max() <= least + 1


@given(often, st.integers(1, 4))
def test_buckets_have_l_values_also_where_one_is_too_frequent(often, least):
    assume((often > 0).sum() >= least)
    count = max_buckets(often, least)
    possible = [b for b in range(1, often.sum() + 1) if np.minimum(often, b).sum() >= least * b]
    assert count == max(possible)
    ours = bucket_counts(often, count).dense()
    assert ((ours > 0).sum(axis=1) >= least).all()
    assert ours.sum(axis=0).tolist() == often.tolist()


@given(often, st.data())
def test_everybody_is_dealt_once_and_evenly(often, data):
    count = data.draw(st.integers(1, int(often.sum())))
    bucket = deal(often, count)
    people = np.bincount(bucket, minlength=count)
    assert len(bucket) == often.sum()
    assert people.max() - people.min() <= 1
    ours = bucket_counts(often, count).dense()
    assert (ours.max(axis=0) <= -(-often // count) + 1).all()


@given(often, st.data())
def test_every_bucket_is_like_one_of_the_few_that_are_judged(often, data):
    count = data.draw(st.integers(1, int(often.sum())))
    ours = bucket_counts(often, count).dense()
    few = bucket_kinds(often, count)
    assert {tuple(row) for row in ours.tolist()} == {tuple(row) for row in ours[few].tolist()}
    assert len(few) <= 2 * len(often) + 1
