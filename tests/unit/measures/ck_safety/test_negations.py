"""Negations: which values are ruled out, and of whom."""

from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure


def test_the_most_frequent_other_values_are_ruled_out():
    release = sl.Release.from_counts([{"a": 4, "b": 3, "c": 2, "d": 1}])
    finding = sl.Negations(2).measure(release)
    assert (finding.value, finding.witness.value, finding.witness.ruled_out) == (Fraction(4, 5), "a", ("b", "c"))
    rare = sl.Negations(2, value="d").measure(release)
    assert (rare.value, rare.witness.ruled_out) == (Fraction(1, 3), ("a", "b"))


def test_more_than_there_are_values():
    finding = sl.Negations(9).measure(sl.Release.from_counts([{"a": 2, "b": 2}]))
    assert (finding.value, finding.witness.ruled_out) == (1, ("b",))


def test_groups_without_the_value_are_passed_over():
    release = sl.Release.from_counts([{"b": 9}, {"a": 1, "b": 1}])
    assert sl.Negations(0, value="a").measure(release).witness.group.number == 2


def test_a_whole_number_of_numpy_becomes_one_of_python():
    assert type(sl.Negations(np.int64(2)).k) is int


def test_a_limit_bounds_shares_where_nothing_is_known_and_beliefs_in_any_value_always():
    half = Fraction(1, 2)
    assert (sl.Negations(0).share_at(half), sl.Negations(1).share_at(half)) == (half, None)
    assert (sl.Negations(0).belief_at(half), sl.Negations(1).belief_at(half)) == (half, half)
    for some in (sl.Negations(0, value="Flu"), sl.Negations(0, apart_from=["Flu"])):
        assert (some.share_at(half), some.belief_at(half)) == (None, None)


ONE_EACH = sl.Release.from_counts([{"a": 4, "b": 3, "c": 2, "d": 1}])
SETS = sl.Release.from_counts([{"a": 2, "b": 3}, {"a": 1, "c": 1}], sizes=[4, 9], values="set")


@pytest.mark.parametrize(
    ("release", "measure", "value", "text"),
    [
        (
            ONE_EACH,
            sl.Negations(0),
            Fraction(2, 5),
            "In group 1 anyone has a with probability 2/5, as the release itself says.",
        ),
        (
            ONE_EACH,
            sl.Negations(2),
            Fraction(4, 5),
            (
                "In group 1 anyone, the target, could be shown to have a with probability 4/5 by someone who knows the "
                "target does not have b or c."
            ),
        ),
        (
            ONE_EACH,
            sl.Negations(1, apart_from=["a", "b"]),
            Fraction(1, 3),
            (
                "In group 1 anyone, the target, could be shown to have c with probability 1/3 by someone who knows the "
                "target does not have a."
            ),
        ),
        (
            SETS,
            sl.Negations(1, value="a"),
            Fraction(2, 3),
            (
                "In group 1 anyone, the target, could be shown to have a with probability 2/3 by someone who knows that "
                "another person of the group does not have a."
            ),
        ),
        (
            SETS,
            sl.Negations(2, value="a"),
            1,
            (
                "In group 1 anyone, the target, could be shown to have a with probability 1 by someone who knows that 2 "
                "others of the group do not have a."
            ),
        ),
        (
            SETS,
            sl.Negations(0, value="c"),
            Fraction(1, 9),
            "In group 2 anyone has c with probability 1/9, as the release itself says.",
        ),
    ],
)
def test_words(release, measure, value, text):
    finding = measure.measure(release)
    assert finding.value == finding.replay(release) == value
    assert finding.explain() == text
    target, known = finding.witness.as_facts()
    assert sl.posterior(release, target, given=known) == value


@pytest.mark.parametrize(
    ("k", "others", "risk"), [(0, 0, Fraction(5, 9)), (1, 1, Fraction(3, 4)), (2, 2, 1), (5, 2, 1)]
)
def test_in_a_multiset_others_leave_fewer_people_to_have_an_occurrence(k, others, risk):
    """1 − (2/3)² for two occurrences among 3 people, 1 − (1/2)² among 2, and with one left it is that one."""
    release = sl.Release.from_counts([{"a": 2}], sizes=[3], values="multiset")
    finding = sl.Negations(k).measure(release)
    assert finding.value == finding.replay(release) == risk
    assert finding.witness.others == others


@pytest.mark.parametrize(("count", "kind"), [(7000, Fraction), (7001, float)])
@pytest.mark.parametrize(("k", "people"), [(0, 3), (1, 4), (2, 5)])
def test_a_long_fraction_replays_as_it_is_reported(k, people, count, kind):
    """Powers of 2/3: with 2 bits for each of 7,000 occurrences they have 14,000, and longer ones are rounded up."""
    release = sl.Release.from_counts([{"a": count}], sizes=[people], values="multiset")
    finding = sl.Negations(k).measure(release)
    assert finding.value == finding.replay(release)
    assert type(finding.value) is type(finding.replay(release)) is kind
    assert finding.value >= 1 - Fraction(2, 3) ** count


def test_shares_of_many_people_who_have_sets_of_values_replay_exactly():
    release = sl.Release.from_counts([{"a": 1000}], sizes=[10**6], values="set")
    finding = sl.Negations(1).measure(release)
    assert finding.value == finding.replay(release) == Fraction(1000, 999_999)


def test_in_a_multiset_more_occurrences_a_person_may_say_less():
    """One person has the one occurrence for sure; of three among two people one may have none, with 1/8."""
    release = sl.Release.from_counts([{"a": 3}, {"a": 1}], sizes=[2, 1], values="multiset")
    finding = sl.Negations(0).measure(release)
    assert (finding.value, finding.witness.group.number) == (finding.replay(release), 2) == (1, 2)
    np.testing.assert_allclose(sl.Negations(0).screen().group_values(release.groups), [7 / 8, 1])


def test_no_more_others_than_lack_the_value():
    finding = sl.Negations(9, value="a").measure(SETS)
    assert (finding.value, finding.witness.others) == (1, 2)  # 2 of 4 have it


def test_a_category_is_ruled_out_and_told_as_one_of_its_values():
    finding = sl.Negations(1, value=["b", "d"]).measure(ONE_EACH)
    assert (finding.value, finding.witness.ruled_out, finding.witness.any_of) == (Fraction(2, 3), ("a",), ("b", "d"))
    target, known = finding.witness.as_facts()
    assert sl.posterior(ONE_EACH, target, given=known) == finding.value == finding.replay(ONE_EACH)
    with pytest.raises(BadMeasure, match=r"^facts cannot say how many people have 'a or b', which somebody here knows"):
        sl.Negations(1, value=["a", "b"]).measure(SETS).witness.as_facts()


def test_values_of_a_category_that_nobody_could_have_are_noted():
    named = {"ill": ["a", "z"]}
    assert sl.Negations(1, value=named).measure(ONE_EACH).notes == (
        "the release does not have these values of 'ill': z",
    )
