"""Which groups can take part: few, whatever is tied, and never one too few."""

import numpy as np

import sidelight as sl
from sidelight.measures.ck_safety.minimize_within_group import TopCounts
from sidelight.measures.ck_safety.shortlist import near_the_cut, shortlist


def test_the_summary_stays_small():
    rng = np.random.default_rng(3)
    counts = -np.sort(-rng.multinomial(200, rng.dirichlet(np.ones(30)), size=5000), axis=1)
    for k in (1, 4, 9):
        rows = shortlist(TopCounts(counts.sum(axis=1), counts[:, : k + 1], counts[:, 0]), k)
        assert 1 <= len(rows) <= (k + 1) * (k + 2)


def test_many_groups_alike():
    """Thousands of groups that floats cannot tell apart, of different kinds."""
    rng = np.random.default_rng(1)
    groups = [
        {"a": 10, **{f"b{n}": int(c) for n, c in enumerate(rng.multinomial(30, [0.1] * 10))}} for _ in range(3000)
    ]
    release = sl.Release.from_counts([bag for bag in groups if max(bag.values()) == 10])
    finding = sl.Implications(4).measure(release)
    assert finding.replay(release) == finding.value


def test_a_group_that_makes_sure_is_enough():
    groups = TopCounts(np.array([10, 3]), np.array([[4, 3], [3, 0]]), np.array([4, 3]))
    assert shortlist(groups, k=1).tolist() == [1]


def test_one_that_makes_sure_without_the_target_needs_the_likeliest_target():
    """In the last group nobody has the value, and one of two people must have the most frequent one."""
    groups = TopCounts(np.array([40, 30, 2]), np.array([[9, 8, 7], [9, 8, 7], [2, 0, 0]]), np.array([1, 1, 0]))
    assert shortlist(groups, k=2).tolist() == [1, 2]


def test_rows_at_the_cut():
    sure, near = near_the_cut(np.array([-1.0, np.inf, np.inf]), 2)
    assert (sure.tolist(), near.tolist()) == ([0], [])
    sure, near = near_the_cut(np.zeros(5), 2)
    assert (sure.tolist(), near.tolist()) == ([], [0, 1, 2, 3, 4])
