"""Measures of one group at a time beyond small releases: huge counts, ties, blocks, values that nobody has."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.measures.exact import EXACT, FLOATS
from sidelight.measures.group_by_group import factors, shares
from sidelight.release.release import whole_groups
from sidelight.table.counts import Counts

CLASSICS = [
    sl.GroupSize(),
    sl.DistinctValues(),
    sl.EntropyDiversity(),
    sl.RecursiveDiversity(l=2),
    sl.Closeness(),
    sl.Closeness(distance="ordered"),
    sl.BetaLikeness(),
    sl.BetaLikeness(kind="enhanced"),
    sl.DeltaDisclosure(),
    sl.DeltaDisclosure(absent="skipped"),
]


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_a_release_in_which_nobody_has_a_value(measure):
    release = sl.Release.from_counts([{"a": 0, "b": 0}, {}], sizes=[2, 3], values="set")
    finding = measure.measure(release)
    expected = {"group size": 2, "distinct values": 0, "entropy diversity": 1}
    assert finding.value == expected.get(measure.name, 0)
    assert isinstance(finding.value, Fraction)
    assert finding.explain()
    assert finding.witness is not None or finding.notes


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_counts_beyond_floats(measure):
    """Two groups that differ by one person in 10¹⁷: a float cannot tell, the finding can."""
    huge = 10**17
    release = sl.Release.from_counts([{"a": huge, "b": huge}, {"a": huge + 1, "b": huge}])
    finding = measure.measure(release)
    assert finding.replay(release) == finding.value
    overall = Fraction(2 * huge + 1, 4 * huge + 1)
    if measure.name == "closeness":
        assert finding.value == max(overall - Fraction(1, 2), Fraction(huge + 1, 2 * huge + 1) - overall)
    if measure.name == "recursive diversity":
        assert finding.value == Fraction(huge + 1, huge)


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_many_groups_give_the_same_as_their_twins_in_blocks(measure, kind):
    """Several blocks, thousands of ties, dense and sparse: the value is the one of the different groups alone."""
    rng = np.random.default_rng(7)
    width = 8 if kind == "dense" else 60
    different = rng.multinomial(rng.integers(1, 9, 50), rng.dirichlet(np.ones(width)))
    many = np.tile(different, (3_000_000 // different.size, 1))
    counts = Counts.from_cells(many)
    assert (counts.cells is None) == (kind == "sparse")
    names = tuple(f"v{place:02d}" for place in range(width))
    large = sl.Release(whole_groups(domain=names, sizes=many.sum(axis=1), counts=counts))
    small = sl.Release.from_counts([dict(zip(names, row.tolist(), strict=True)) for row in different], domain=names)
    one, other = measure.measure(large), measure.measure(small)
    assert one.value == other.value
    assert one.witness.group.number == other.witness.group.number
    assert one.witness.value == other.witness.value


def test_equal_shares_reveal_exactly_nothing():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 3, "b": 6}], domain=["a", "b", "nowhere"])
    for measure in (sl.DeltaDisclosure(), sl.BetaLikeness(), sl.BetaLikeness(kind="enhanced"), sl.Closeness()):
        finding = measure.measure(release)
        assert finding.value == 0
        assert isinstance(finding.value, Fraction)
        assert "every group" in finding.explain().lower() or "any group" in finding.explain()


def test_shares_are_the_same_in_both_arithmetics():
    groups = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 3}], domain=["a", "b", "nowhere"]).groups
    counts = groups.counts.dense()
    exact = [*shares(EXACT.whole(counts), groups, EXACT), factors(EXACT.whole(counts), groups, EXACT)]
    floats = [*shares(counts, groups, FLOATS), factors(counts, groups, FLOATS)]
    assert exact[0][0].tolist() == [Fraction(1, 3), Fraction(2, 3), 0]
    assert exact[2][1].tolist() == [Fraction(3, 2), 0, 1]
    for one, other in zip(exact, floats, strict=True):
        np.testing.assert_allclose(one.astype(float), other)


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_groups_of_one_kind_have_one_value(measure):
    """What searches rely on: the kind decides the exact value."""
    rows = [{"a": 1, "b": 2}, {"a": 2, "b": 4}, {"a": 2, "b": 1}, {"a": 1, "b": 1, "c": 1}]
    groups = sl.Release.from_counts(rows, domain=["a", "b", "c"]).groups
    finite = np.isfinite(measure.scores(groups))
    values = measure.exact_values(measure.statistic(groups)[finite], groups)
    kinds = [tuple(kind) for kind in measure.kinds(groups)[finite].tolist()]
    assert len({*zip(kinds, values, strict=True)}) == len({*kinds})


def everybody_with_a_value_left_out(limit):
    rows = {"a": ["1", "1", "2", "2"], "who": ["p", "q", "r", "r"], "ill": [None, None, "Flu", "Cold"]}
    table = sl.read_table(pa.table(rows), quasi="a", sensitive="ill", values="set", person="who", missing="no value")
    stars = {"a": sl.Hierarchy.suppression("a", ["1", "2"])}
    return sl.protect(table, limit, by=stars, method=sl.FullDomain(suppress=0.4, suppressed="left out"), ask="nobody")


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_a_release_whose_values_are_all_left_out(measure):
    release = everybody_with_a_value_left_out(sl.GroupSize() >= 2).release
    assert (release.size, release.domain) == (2, ())
    finding = measure.measure(release)
    assert finding.explain()
    assert finding.witness is None or finding.replay(release) == finding.value
    assert len(measure.screen().kinds(release.groups)) == len(release)


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_searches_pass_releases_without_values(measure):
    limit = measure <= min(measure.limits[1], 9) if measure.large_is_bad else measure >= 1
    found = everybody_with_a_value_left_out(sl.Policy(sl.GroupSize() >= 2, limit))
    assert found.verdict.safe
