"""Likeness: near misses of the enhanced kind, whose witness gains too much, and words."""

import math
from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.beta_likeness import too_much


def test_a_kind_that_there_is_not():
    with pytest.raises(BadMeasure, match=r"^no kind 'best' of 'beta likeness'; choose basic or enhanced$"):
        sl.BetaLikeness(kind="best")


@pytest.mark.parametrize("digits", [15, 40])
def test_enhanced_likeness_decides_near_misses_exactly(digits):
    """Gains just below and just above −ln p = 0.693…, nearer than floats are trusted."""
    half = Fraction(1, 2)
    log2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")
    above, below = (log2 + Fraction(1, 10**digits) + 1) / 2, (log2 - Fraction(1, 10**digits) + 1) / 2
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


def test_an_enhanced_near_miss_that_floats_take_for_too_much():
    """Of all 23 in 44 have a, and in group 1 nearly as many as may: q/p and 1 − ln p differ in the 17th digit."""
    few, many = 8192171, 9505685
    release = sl.Release.from_counts(
        [{"a": few, "b": many - few}, {"a": 23 * many - few, "b": 43 * many - (23 * many - few)}]
    )
    assert not too_much(Fraction(few, many), Fraction(23, 44))
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert finding.value == Fraction(few, many) / Fraction(23, 44) - 1 == finding.replay(release)


def test_what_gains_just_too_much_is_infinite_beside_what_gains_more_and_may():
    """Half of all have a, whose gain in group 1 is 10⁻¹⁰ above ln 2; c, of one person in group 2, gains 1 and may."""
    yes, n = 226356, 267379
    assert too_much(Fraction(yes, n), Fraction(1, 2))
    release = sl.Release.from_counts([{"a": yes, "b": n - yes}, {"a": n - yes, "b": yes - 1, "c": 1}])
    assert sl.BetaLikeness().measure(release).value == 1
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.group.number, finding.witness.value) == (math.inf, 1, "a")


def test_of_several_values_that_gain_too_much_the_first_is_named():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"c": 97}])
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.group.number, finding.witness.value) == (math.inf, 1, "a")


def test_the_witness_of_an_infinite_likeness_is_a_value_that_gains_too_much():
    """The rare A gains most, fivefold, as it may; B gains little, and more than so frequent a value may."""
    release = sl.Release.from_counts([{"A": 5, "B": 950, "C": 45}, {"A": 5, "B": 5050, "C": 3945}])
    assert sl.BetaLikeness().measure(release).witness.value == "A"
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.value) == (math.inf, "B")
    assert finding.replay(release) == math.inf


def test_words():
    apart = sl.Release.from_counts([{"a": 2}, {"b": 1}])
    assert sl.BetaLikeness(kind="enhanced").measure(apart).explain() == (
        "In group 1, 'a' is 1 of the values and 2/3 of all: a gain that no limit allows for so frequent a value."
    )
    assert sl.BetaLikeness().measure(apart).explain() == (
        "In group 2, 'b' is 1 of the values and 1/3 of all: more frequent by 2 of its frequency."
    )
    alike = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 1}])
    assert sl.BetaLikeness().measure(alike).explain() == (
        "No value is more frequent in any group than in the whole release."
    )
    assert sl.BetaLikeness(apart_from=["a"]).measure(alike).explain() == (
        "No other value is more frequent in any group than in the whole release."
    )
    nothing = sl.Release.from_counts([{}], sizes=[3], values="set", domain=["a"])
    assert sl.BetaLikeness().measure(nothing).explain() == (
        "Nobody in the release has any value, so nothing becomes more likely."
    )


def test_gains_that_nobody_minds_do_not_count():
    """B gains most, a factor of 3; of the others a, which is 4/5 in the first group and 2/3 of all."""
    release = sl.Release.from_counts([{"a": 4, "c": 1}, {"a": 2, "b": 1, "c": 1}])
    assert sl.BetaLikeness().measure(release).witness.value == "b"
    for kind in ("basic", "enhanced"):
        finding = sl.BetaLikeness(kind=kind, apart_from=["b"]).measure(release)
        assert (finding.value, finding.witness.value, finding.witness.group.number) == (Fraction(1, 5), "a", 1)
        assert finding.replay(release) == Fraction(1, 5)


def test_a_value_that_nobody_has_gains_nothing():
    """B is 2/5 of the first group and 1/3 of all, a 3/4 of the second and 2/3 of all; z is nowhere."""
    release = sl.Release.from_counts([{"a": 3, "b": 2}, {"a": 3, "b": 1}], domain=["z", "a", "b"])
    for kind in ("basic", "enhanced"):
        finding = sl.BetaLikeness(kind=kind).measure(release)
        assert (finding.value, finding.witness.value) == (Fraction(1, 5), "b")
        alike = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 1}], domain=["z", "a", "b"])
        finding = sl.BetaLikeness(kind=kind).measure(alike)
        assert (finding.value, finding.witness.value, finding.witness.overall) == (0, "a", Fraction(1, 2))


def test_a_value_that_everybody_has_may_be_everywhere():
    release = sl.Release.from_counts([{"a": 3}, {"a": 2}])
    for kind in ("basic", "enhanced"):
        finding = sl.BetaLikeness(kind=kind).measure(release)
        assert finding.value == finding.replay(release) == 0


def test_examples_are_of_both_kinds_and_of_all_values_but_one():
    both = (sl.BetaLikeness(), sl.BetaLikeness(kind="enhanced"))
    some = (sl.BetaLikeness(apart_from=["a"]), sl.BetaLikeness(kind="enhanced", apart_from=["a"]))
    for domain in (("a", "b"), ("a", "b", "c")):
        assert sl.BetaLikeness.examples(domain) == both + some
    assert sl.BetaLikeness.examples(("a",)) == both


def test_replaying_on_a_release_in_which_nobody_has_the_value():
    finding = sl.BetaLikeness().measure(sl.Release.from_counts([{"a": 1}, {"b": 3}]))
    assert finding.replay(sl.Release.from_counts([{"b": 1}, {"b": 3}], domain=["a", "b"])) == 0
