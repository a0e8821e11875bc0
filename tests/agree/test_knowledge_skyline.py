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
from sidelight.measures.privacy_skyline import skyline as skyline_module
from sidelight.measures.privacy_skyline.skyline import RiskMap, find_undominated
from sidelight.release.groups import whole_groups
from sidelight.table.table import Counts
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
    assert find_undominated(*np.array(rows).T).tolist() == expected


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
        risk_map, largest = RiskMap.from_release(release, value), int(release.groups.sizes.max()) + 1
        points = [*product(range(len(release.domain)), range(largest + 1), range(largest + 1)), (0, 10**9, 10**9)]
        exact = [sl.Acquaintance(*knows, value=value).measure(release).value for knows in points]
        rows = np.array(points)
        raised = risk_map.risks(rows)
        assert all(Fraction(float(risk)) >= true for risk, true in zip(raised, exact, strict=True))
        assert np.abs(raised - np.array(exact, float)).max() < 1e-9
        assert risk_map.resists(rows, below).tolist() == [risk < Fraction(str(below)) for risk in exact]
        skyline = sl.knowledge_skyline(release, value, below)
        maximal = {point for point, is_maximal in zip(points, risk_map.maximal(rows, below), strict=True) if is_maximal}
        if risk_map.anybody:
            assert maximal == set(skyline)
            alone = tuple(max((point[axis] for point in skyline), default=-1) for axis in range(3))
            assert risk_map.most_alone(below) == alone

    agree()


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_skyline_of_too_many_points_is_some_of_all(semantics):
    @examples(10)
    @given(releases(semantics=semantics, max_groups=3, max_people=6, max_values=3), limits, st.integers(1, 12))
    def agree(release, below, spaced):
        value = next((each for each in release.domain if each is not None), None)
        if value is None:
            return
        every = sl.knowledge_skyline(release, value, below)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(skyline_module, "MOST_SKYLINE_POINTS", 0)
            patch.setattr(skyline_module, "SPACED", spaced)
            some = sl.knowledge_skyline(release, value, below)
        assert {*some} <= {*every}
        assert bool(some) == bool(every)
        assert every.complete

    agree()


def test_skyline_of_a_rare_value_takes_little_memory():
    release = sl.Release.from_counts([{"a": 3, "b": 10**9 - 3}])
    points = sl.knowledge_skyline(release, "a", below=0.5)
    assert not points.complete
    assert 1000 < len(points) < 5000
    for rules_out, others, family in (points[0], points[len(points) // 2], points[-1]):
        risks = [
            sl.Acquaintance(rules_out, others + more, family + older, value="a").measure(release).value
            for more, older in ((0, 0), (1, 0), (0, 1))
        ]
        assert [risk < 0.5 for risk in risks] == [True, False, False]
