"""Likeness: near misses, values that are absent, which value is pointed at, and words."""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.likeness import too_much
from sidelight.measures.measure import Monotonicity


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


UNEVEN = sl.Release.from_counts([{"a": 9, "b": 1}, {"a": 5, "b": 5}])  # a: 9/10 and 1/2 beside 7/10 of all
APART = sl.Release.from_counts([{"a": 2}, {"b": 1}])
SKIPPED = sl.DeltaDisclosure(absent="skipped")


def is_log_rounded_up(number, factor):
    """Whether no smaller float is at least ln of the factor."""
    with localcontext(prec=50):
        exact = Fraction((Decimal(factor.numerator) / factor.denominator).ln())
    return Fraction(math.nextafter(number, 0)) < exact <= Fraction(number)


@pytest.mark.parametrize("absent", ["ignored", "", "Skipped"])
def test_a_way_to_take_absent_values_that_there_is_not(absent):
    with pytest.raises(BadMeasure) as refused:
        sl.DeltaDisclosure(absent=absent)
    assert str(refused.value) == (
        f"'delta disclosure' cannot take absent values as '{absent}'; choose infinite or skipped"
    )


def test_what_is_left_out_is_kept_as_labels():
    assert sl.DeltaDisclosure(apart_from="n/a").apart_from == ("n/a",)


def test_examples_for_a_domain():
    both = (sl.DeltaDisclosure("infinite"), SKIPPED)
    others = tuple(replace(each, apart_from=("a",)) for each in both)
    assert sl.DeltaDisclosure.examples(("a", "b", "c")) == (*both, *others)
    assert sl.DeltaDisclosure.examples(("a",)) == both  # of no value there is nothing to ask


def test_only_where_absent_values_are_infinite_a_merger_never_makes_it_worse():
    assert sl.DeltaDisclosure().when_groups_merge is Monotonicity.NON_INCREASING
    assert SKIPPED.when_groups_merge is Monotonicity.UNKNOWN


@pytest.mark.parametrize(
    ("measure", "release", "factor", "group", "value"),
    [
        (sl.DeltaDisclosure(), UNEVEN, Fraction(3), 1, "b"),  # 3/10 / 1/10, rarer
        (sl.DeltaDisclosure(apart_from="b"), UNEVEN, Fraction(7, 5), 2, "a"),
        (sl.DeltaDisclosure(apart_from="a"), UNEVEN, Fraction(3), 1, "b"),
        (SKIPPED, UNEVEN, Fraction(3), 1, "b"),
        (SKIPPED, APART, Fraction(3), 2, "b"),
        (sl.DeltaDisclosure(absent="skipped", apart_from="b"), APART, Fraction(3, 2), 1, "a"),
    ],
    ids=str,
)
def test_it_is_the_logarithm_of_the_largest_factor_either_way(measure, release, factor, group, value):
    finding = measure.measure(release)
    assert is_log_rounded_up(finding.value, factor)
    assert (finding.witness.group.number, finding.witness.value) == (group, value)
    assert finding.replay(release) == finding.value
    here, overall = finding.witness.here, finding.witness.overall
    assert max(here / overall, overall / here) == factor


@pytest.mark.parametrize(("apart", "group", "value"), [((), 1, "b"), ("b", 2, "a"), ("a", 1, "b")])
def test_a_value_that_a_group_lacks_is_ruled_out_there(apart, group, value):
    finding = sl.DeltaDisclosure(apart_from=apart).measure(APART)
    assert (finding.value, finding.witness.group.number, finding.witness.value) == (math.inf, group, value)
    assert finding.replay(APART) == math.inf


def test_a_group_that_lacks_all_values_in_question_changes_nothing_where_they_are_skipped():
    release = sl.Release.from_counts([{"a": 2}, {"a": 1, "b": 1}, {"a": 3, "b": 1}])
    finding = sl.DeltaDisclosure(absent="skipped", apart_from="a").measure(release)
    assert finding.witness.group.number == 2
    assert is_log_rounded_up(finding.value, Fraction(2))  # 1/2 beside 2/8
    assert finding.measure.scores(release.groups).tolist() == [0, math.log(2), 0]


def test_a_witness_that_is_compared_with_nothing_replays_to_nothing():
    release = sl.Release.from_counts([{"a": 2}, {"b": 1}], domain=["a", "b", "nowhere"])
    for measure, value, again in [
        (sl.DeltaDisclosure(), "nowhere", 0),
        (SKIPPED, "nowhere", 0),
        (SKIPPED, "a", 0),
        (sl.DeltaDisclosure(), "a", math.inf),
    ]:
        finding = measure.measure(release)
        elsewhere = replace(finding.witness, group=release.groups.name(1), value=value)
        assert replace(finding, witness=elsewhere).replay(release) == again


def test_the_witness_is_the_first_of_those_that_change_most():
    """Nowhere occurs in no group: it is not compared, however early it stands in the domain."""
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 2, "b": 4}], domain=["nowhere", "a", "b"])
    assert sl.DeltaDisclosure().measure(release).witness.value == "a"
    assert sl.DeltaDisclosure(absent="skipped").measure(release).witness.value == "a"


ALIKE = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 1}])


@pytest.mark.parametrize(
    ("measure", "release", "words"),
    [
        (
            sl.DeltaDisclosure(),
            APART,
            "'b' is 1/3 of all values, and nobody in group 1 has it: it is ruled out there.",
        ),
        (
            sl.DeltaDisclosure(),
            UNEVEN,
            "In group 1, 'b' is 1/10 of the values and 3/10 of all: 3 times as rare (ln 1.0987).",
        ),
        (SKIPPED, APART, "In group 2, 'b' is 1 of the values and 1/3 of all: 3 times as frequent (ln 1.0987)."),
        (
            sl.DeltaDisclosure(),
            sl.Release.from_counts([{"a": 3, "b": 4}, {"a": 1, "b": 6}]),  # a: 1/7 beside 2/7; 10/14 = 5/7 of b
            "In group 2, 'a' is 1/7 of the values and 2/7 of all: 2 times as rare (ln 0.6932).",
        ),
        (sl.DeltaDisclosure(), ALIKE, "Every value is exactly as frequent in every group as in the whole release."),
        (
            sl.DeltaDisclosure(apart_from="a"),
            ALIKE,
            "Every other value is exactly as frequent in every group as in the whole release.",
        ),
        (
            sl.DeltaDisclosure(),
            sl.Release.from_counts([{}], sizes=[2], values="set", domain=["a", "b"]),
            "Nobody in the release has any value, so nothing becomes more or less likely.",
        ),
    ],
)
def test_words_of_disclosure(measure, release, words):
    assert measure.measure(release).explain() == words


def test_a_factor_is_said_to_four_figures():
    release = sl.Release.from_counts([{"a": 8, "b": 1}, {"a": 2, "b": 8}])  # b: 1/9 beside 9/19: 81/19 = 4.26316
    assert "9/19 of all: 4.263 times as rare" in sl.DeltaDisclosure().measure(release).explain()


def test_what_changes_nothing_is_exactly_0():
    finding = sl.DeltaDisclosure().measure(ALIKE)
    assert finding.value == finding.replay(ALIKE) == 0
    assert isinstance(finding.value, Fraction)
    assert isinstance(finding.replay(ALIKE), Fraction)
