"""The classic measures beyond small releases: bad input, huge counts, ties, values that nobody has, words."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadMeasure
from sidelight.measures.beta_likeness import too_much
from sidelight.release.release import whole_groups
from sidelight.table.table import Counts


def effective_number(counts):
    """The entropy diversity of one group with these counts."""
    return sl.EntropyDiversity().measure(sl.Release.from_counts([dict(enumerate(counts))])).value


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


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sl.RecursiveDiversity(l=0), "at least 1"),
        (lambda: sl.RecursiveDiversity(l=2.5), "whole"),
        (lambda: sl.RecursiveDiversity(l=True), "whole"),
        (lambda: sl.Closeness(distance="far"), "equal, ordered or hierarchical"),
        (lambda: sl.Closeness(distance="hierarchical"), "hierarchy="),
        (lambda: sl.Closeness(hierarchy=sl.Hierarchy.suppression("x", ["a"])), "hierarchy="),
        (lambda: sl.Closeness(order=["a"]), "order="),
        (lambda: sl.BetaLikeness(kind="best"), "basic or enhanced"),
        (lambda: sl.DeltaDisclosure(absent="ignored"), "infinite or skipped"),
    ],
)
def test_settings_that_make_no_sense_name_the_remedy(make, says):
    with pytest.raises(BadMeasure, match=says):
        make()


def test_values_without_a_place_are_named():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])
    with pytest.raises(BadMeasure, match=r"'Cold' .* order="):
        sl.Closeness(distance="ordered", order=["Flu"]).measure(release)
    tree = sl.Hierarchy.suppression("disease", ["Flu"])
    with pytest.raises(BadHierarchy, match="Cold"):
        sl.Closeness(distance="hierarchical", hierarchy=tree).measure(release)


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


@pytest.mark.parametrize(
    ("counts", "number"),
    [
        ([5], Fraction(1)),
        ([3, 3, 3], Fraction(3)),
        ([10**8, 10**8, 10**8], Fraction(3)),
        ([999_999_937] * 3, Fraction(3)),
        ([4, 1, 1, 1, 1], Fraction(4)),
        ([4 * 10**7, *[10**7] * 4], Fraction(4)),
    ],
)
def test_rational_diversities_are_exact(counts, number):
    assert effective_number(counts) == number
    assert isinstance(effective_number(counts), Fraction)


def test_irrational_diversities_are_rounded_down_and_quick():
    near_equal = [999_999_937, 999_999_893, 999_999_883]  # primes
    found = effective_number(near_equal)
    assert isinstance(found, float)
    assert 3 - 1e-14 < found < 3
    assert isinstance(effective_number([2, 1, 1]), float)  # 2√2


def test_enhanced_likeness_decides_near_misses_exactly():
    """Gains just below and just above −ln p = 0.693…, nearer than floats are trusted."""
    half = Fraction(1, 2)
    log2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")
    above, below = (log2 + Fraction(1, 10**15) + 1) / 2, (log2 - Fraction(1, 10**15) + 1) / 2
    assert too_much(above, half)
    assert not too_much(below, half)


@pytest.mark.parametrize("digits", range(5, 12))
def test_an_enhanced_near_miss_in_a_release(digits):
    """q/p − 1 and −ln p agree to twice as many places: floats cannot tell which is larger, on either side."""
    log2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")
    share = ((log2 + 1) / 2).limit_denominator(10**digits)
    n, yes = share.denominator, share.numerator
    release = sl.Release.from_counts([{"a": yes, "b": n - yes}, {"a": n - yes, "b": yes}])
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    too_far = 2 * share - 1 > log2
    assert finding.value == (math.inf if too_far else 2 * share - 1)
    assert finding.replay(release) == finding.value


def test_the_witness_of_an_infinite_likeness_is_a_value_that_gains_too_much():
    """The rare A gains most, fivefold, as it may; B gains little, and more than so frequent a value may."""
    release = sl.Release.from_counts([{"A": 5, "B": 950, "C": 45}, {"A": 5, "B": 5050, "C": 3945}])
    assert sl.BetaLikeness().measure(release).witness.value == "A"
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.value) == (math.inf, "B")
    assert finding.replay(release) == math.inf


def test_the_witness_of_closeness_is_what_the_group_has_too_much_of():
    release = sl.Release.from_counts([{"a": 1, "b": 9}, {"a": 40, "b": 20}])
    witness = sl.Closeness().measure(release).witness
    assert (witness.group.number, witness.value) == (1, "b")
    assert (witness.here, witness.overall) == (Fraction(9, 10), Fraction(29, 70))


def test_equal_shares_reveal_exactly_nothing():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 3, "b": 6}], domain=["a", "b", "nowhere"])
    for measure in (sl.DeltaDisclosure(), sl.BetaLikeness(), sl.BetaLikeness(kind="enhanced"), sl.Closeness()):
        finding = measure.measure(release)
        assert finding.value == 0
        assert isinstance(finding.value, Fraction)
        assert "every group" in finding.explain().lower() or "any group" in finding.explain()


def test_settings_of_a_policy_file_go_both_ways():
    tree = sl.Hierarchy("value", (("a", "b", "c"), ("x", "x", "y"), ("*", "*", "*")))
    for measure in (
        sl.Closeness(),
        sl.Closeness(distance="ordered", order=["b", "a"]),
        sl.Closeness(distance="hierarchical", hierarchy=tree),
    ):
        assert sl.Closeness.from_settings(**measure.settings()) == measure


def test_a_policy_may_name_the_file_of_a_hierarchy(tmp_path):
    file = tmp_path / "value.csv"
    file.write_text("a;x;*\nb;x;*\nc;y;*\n")
    measure = sl.Closeness.from_settings(distance="hierarchical", hierarchy=str(file))
    assert measure.hierarchy.height == 3


@pytest.mark.parametrize(
    ("measure", "counts", "words"),
    [
        (sl.GroupSize(), [{"a": 1}], "In group 1, 1 person stands alone; no group is smaller."),
        (sl.DistinctValues(), [{"a": 1, "b": 1}], "The people in group 1 have 2 different values; no group has fewer."),
        (sl.EntropyDiversity(), [{"a": 2, "b": 1}], "as diverse as 1.8898 equally frequent ones"),
        (sl.RecursiveDiversity(l=2), [{"a": 2}], "In group 1 there are fewer than 2 different values"),
        (sl.RecursiveDiversity(l=22), [{"a": 2}], "fewer than 22 different values"),
        (sl.BetaLikeness(kind="enhanced"), [{"a": 2}, {"b": 1}], "a gain that no limit allows"),
        (sl.DeltaDisclosure(), [{"a": 2}, {"b": 1}], "'b' is 1/3 of all values, and nobody in group 1 has it"),
        (sl.DeltaDisclosure(), [{"a": 9, "b": 1}, {"a": 5, "b": 5}], "times as rare"),
    ],
)
def test_words(measure, counts, words):
    assert words in measure.measure(sl.Release.from_counts(counts)).explain()


def test_an_order_that_nobody_gave_is_named():
    release = sl.Release.from_counts([{"low": 1, "high": 1}, {"mild": 2}])
    (note,) = sl.Closeness(distance="ordered").measure(release).notes
    assert "closeness (ordered distance) takes the values in this order: high, low, mild; give order= or" in note
    assert sl.Closeness(distance="ordered", order=["low", "mild", "high"]).measure(release).notes == ()
    assert sl.Closeness().measure(release).notes == ()
    many = sl.Release.from_counts([{f"v{n}": 1 for n in range(30)}])
    assert "… and 10 more" in sl.Closeness(distance="ordered").measure(many).notes[0]
