"""Disclosure: what is absent, which value is pointed at, and words."""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.measure import Monotonicity

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
def test_words(measure, release, words):
    assert measure.measure(release).explain() == words


def test_a_factor_is_said_to_four_figures():
    release = sl.Release.from_counts([{"a": 8, "b": 1}, {"a": 2, "b": 8}])  # b: 1/9 beside 9/19: 81/19 = 4.26316
    assert "9/19 of all: 4.263 times as rare" in sl.DeltaDisclosure().measure(release).explain()


def test_what_changes_nothing_is_exactly_0():
    finding = sl.DeltaDisclosure().measure(ALIKE)
    assert finding.value == finding.replay(ALIKE) == 0
    assert isinstance(finding.value, Fraction)
    assert isinstance(finding.replay(ALIKE), Fraction)
