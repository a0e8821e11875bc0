"""Of whom is somebody surest?"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadKnowledge, Contradiction, UnknownValue
from sidelight.knowledge.people import Someone
from sidelight.release.groups import GroupName
from sidelight.testing import facts, releases
from sidelight.worlds.posterior import posterior, posteriors
from sidelight.worlds.surest import SurestGuess


@given(st.data())
def test_nobody_is_guessed_more_surely(data):
    """Definition 5: the maximum over everybody and every value, those whom facts do not mention included."""
    release = data.draw(releases(max_groups=3, max_people=3, max_values=3))
    people = [Someone(row + 1, number + 1) for row, size in enumerate(release.groups.sizes) for number in range(size)]
    known = data.draw(st.lists(facts(people, release.domain, max_leaves=3), max_size=2))
    try:
        guess = posteriors(release, given=known).surest()
    except Contradiction:
        return
    everybody = [posterior(release, sl.Has(who, value), given=known) for who in people for value in release.domain]
    assert guess.probability == max(everybody) == posterior(release, guess.target, given=known)
    assert guess.before == posterior(release, guess.target)


@given(releases(semantics="single", max_groups=6, max_people=9, max_values=5))
def test_without_facts_it_is_what_the_release_says(release):
    assert posteriors(release).surest().probability == sl.Implications(0).measure(release).value


def test_somebody_whom_the_facts_do_not_concern_may_be_worse_off():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 2}, {"Flu": 9, "Cold": 1}])
    guess = posteriors(release, given="#1 != Flu").surest()
    assert str(guess) == "#1: Cold with probability 1"
    assert guess == SurestGuess(Someone(1), GroupName(1), "Cold", Fraction(1), Fraction(1, 2))
    guess = posteriors(release, given="#1 = Flu -> #1.2 = Flu").surest()
    assert guess == SurestGuess(Someone(2), GroupName(2), "Flu", Fraction(9, 10), Fraction(9, 10))


def test_others_of_a_group_may_be_worse_off():
    release = sl.Release.from_groups([(["Ann", "Bob", "Cleo"], ["Flu", "Flu", "Cold"])])
    guess = posteriors(release, given="Ann = Cold or Bob = Cold").surest()
    assert str(guess) == "anyone else in group 1: Flu with probability 1"
    assert guess == SurestGuess(Someone(1), GroupName(1), "Flu", Fraction(1), Fraction(2, 3), unnamed=True)
    assert posterior(release, guess.target, given="Ann = Cold or Bob = Cold") == 1


def test_values_that_nobody_wants_to_learn():
    release = sl.Release.from_counts([{"Flu": 1, "Healthy": 9}])
    assert posteriors(release).surest(apart_from=["Healthy"]).probability == Fraction(1, 10)
    with pytest.raises(BadKnowledge) as refused:
        posteriors(release).surest(apart_from=["Healthy", "Flu"])
    assert str(refused.value) == "apart_from= leaves no value to ask about; leave one of them out"
    with pytest.raises(UnknownValue, match="no sensitive value 'Helthy'"):
        posteriors(release).surest(apart_from=["Helthy"])


def test_near_ties_are_decided_exactly():
    """1/3 as 33333333/99999999 and a hair more, which floats hardly tell apart, in any order."""
    third, more = (
        {"a": 33_333_333, "b": 33_333_333, "c": 33_333_333},
        {"a": 33_333_334, "b": 33_333_333, "c": 33_333_333},
    )
    for groups, row in (([third, more], 2), ([more, third], 1), ([third, third], 1)):
        assert posteriors(sl.Release.from_counts(groups)).surest().person == Someone(row)


def test_a_multiset_with_many_values():
    release = sl.Release.from_counts([{"a": 7}, {"a": 3, "b": 4}], sizes=[5, 2], values="multiset")
    guess = posteriors(release).surest()
    assert (guess.person, guess.value, guess.probability) == (Someone(2), "b", Fraction(15, 16))


def test_a_value_of_few_may_be_surer_than_one_that_occurs_more_often():
    release = sl.Release.from_counts([{"a": 2}, {"a": 1}, {}], sizes=[10, 2, 1], values="multiset")
    guess = posteriors(release).surest()
    assert (guess.person, guess.probability) == (Someone(2), Fraction(1, 2))


def test_floats_that_are_in_the_wrong_order_decide_nothing():
    """Eight occurrences among 8n people are a little surer than nine among 9n, which floats often see otherwise."""
    for many in range(999_999_999_998_000, 999_999_999_998_020):
        release = sl.Release.from_counts([{"a": 9}, {"a": 8}], sizes=[9 * many, 8 * many], values="multiset")
        guess = posteriors(release).surest()
        assert (guess.person, guess.probability) == (Someone(2), 1 - Fraction(8 * many - 1, 8 * many) ** 8)
