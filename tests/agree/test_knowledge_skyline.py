"""The knowledge skyline against asking every point, one by one."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.measures.privacy_skyline.pareto import undominated
from sidelight.measures.privacy_skyline.risk_map import RiskMap
from sidelight.release.release import whole_groups
from sidelight.table.counts import Counts
from sidelight.testing import releases

limits = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), 0.95, 1, 0.05])


def by_asking_every_point(release, value, below):
    largest = int(release.groups.sizes.max()) + 1
    amounts = (range(len(release.domain)), range(largest + 1), range(largest + 1))
    safe = {
        knows
        for knows in product(*amounts)
        if sl.Acquaintance(*knows, value=value).measure(release).value < Fraction(str(below))
    }
    above = [np.eye(3, dtype=int)[axis] for axis in range(3)]
    return tuple(sorted(knows for knows in safe if not any(tuple(knows + step) in safe for step in above)))


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_it_agrees_with_asking_every_point(semantics):
    @examples(16)
    @given(releases(semantics=semantics, max_groups=3, max_people=4, max_values=3), limits, st.data())
    def agree(release, below, data):
        value = data.draw(st.sampled_from([each for each in release.domain if each is not None] or [None]))
        if value is None:
            return
        skyline = sl.knowledge_skyline(release, value, below)
        if release.groups.whole[release.domain.index(value)] == 0:
            assert skyline == ((len(release.domain) - 1, math.inf, math.inf),)
        else:
            assert skyline == by_asking_every_point(release, value, below)

    agree()


def test_it_agrees_on_a_larger_release():
    rng = np.random.default_rng(5)
    groups = [
        dict(zip("abcde", rng.multinomial(8, [0.1, 0.2, 0.3, 0.2, 0.2]).tolist(), strict=True)) for _ in range(60)
    ]
    release = sl.Release.from_counts(groups)
    for value in "a":
        assert sl.knowledge_skyline(release, value, 0.9) == by_asking_every_point(release, value, 0.9)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25))
def test_undominated_rows(rows):
    def beats(one, other):
        smaller = all(a <= b for a, b in zip(rows[one], rows[other], strict=True))
        return smaller and (rows[one] != rows[other] or one < other)

    expected = [row for row in range(len(rows)) if not any(beats(other, row) for other in range(len(rows)))]
    assert undominated(*np.array(rows).T).tolist() == expected


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_sparse_and_dense_counts_give_the_same(semantics):
    @examples(20)
    @given(releases(semantics=semantics, max_people=9, max_values=6), limits)
    def agree(release, below):
        groups = release.groups
        rows, values, counts = groups.counts.entries()
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(groups)))))
        sparse = Counts(groups.counts.shape, starts=starts, where=values.astype(np.int32), data=counts.copy())
        other = sl.Release(whole_groups(domain=groups.domain, sizes=groups.sizes, counts=sparse, semantics=semantics))
        for value in release.domain:
            assert sl.knowledge_skyline(release, value, below) == sl.knowledge_skyline(other, value, below)

    agree()


def test_values_that_do_not_occur_can_be_ruled_out_for_nothing():
    release = sl.Release.from_counts([{"a": 1, "b": 2}], sizes=[9], values="set", domain=["a", "b", "c", "d"])
    assert sl.knowledge_skyline(release, "a", 0.2)[-1][0] == 3
    assert sl.knowledge_skyline(release, "a", 0.2) == by_asking_every_point(release, "a", 0.2)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_a_risk_map_agrees_with_measuring_every_point(semantics):
    @examples(16)
    @given(releases(semantics=semantics, max_groups=3, max_people=4, max_values=3), limits, st.data())
    def agree(release, below, data):
        value = data.draw(st.sampled_from([each for each in release.domain if each is not None] or [None]))
        if value is None:
            return
        risk_map, largest = RiskMap.of(release, value), int(release.groups.sizes.max()) + 1
        points = [*product(range(len(release.domain)), range(largest + 1), range(largest + 1)), (0, 10**9, 10**9)]
        exact = [sl.Acquaintance(*knows, value=value).measure(release).value for knows in points]
        rows = np.array(points)
        raised = risk_map.risks(rows)
        assert all(Fraction(float(risk)) >= true for risk, true in zip(raised, exact, strict=True))
        assert np.abs(raised - np.array(exact, float)).max() < 1e-9
        assert risk_map.withstands(rows, below).tolist() == [risk < Fraction(str(below)) for risk in exact]
        skyline = sl.knowledge_skyline(release, value, below)
        maximal = {point for point, is_maximal in zip(points, risk_map.maximal(rows, below), strict=True) if is_maximal}
        if risk_map.undominated is not None:
            assert maximal == set(skyline)
            alone = tuple(max((point[axis] for point in skyline), default=-1) for axis in range(3))
            assert risk_map.most_alone(below) == alone

    agree()
