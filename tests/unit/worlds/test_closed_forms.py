"""Worlds counted by formulas agree with those counted one by one.

Of whom is somebody surest?

One cut of a group: edges.
"""

from decimal import Decimal
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, Contradiction, UnknownValue
from sidelight.knowledge.facts import Someone
from sidelight.release.groups import GroupName
from sidelight.testing import facts, releases
from sidelight.worlds.brute_force import investigation_probability, probability
from sidelight.worlds.closed_forms import (
    AT_ONCE,
    Investigation,
    OneCut,
    Others,
    SurestGuess,
    _probability_of_missing,
    odds,
    probability_of_avoiding,
    ways_to_avoid,
)
from sidelight.worlds.posterior import posterior, posteriors


@given(st.data(), releases(semantics="single", max_groups=1, max_people=6))
def test_it_is_what_every_world_says(data, release):
    sets = st.frozensets(st.sampled_from(release.domain))
    avoided = data.draw(st.lists(sets, max_size=release.size))
    bag = dict(zip(release.domain, release.groups.counts.row(0).tolist(), strict=True))
    counted = probability(
        release, lambda world: all(not world[1, place] & values for place, values in enumerate(avoided))
    )
    assert probability_of_avoiding(bag, avoided) == counted


def test_people_who_cannot_avoid():
    assert probability_of_avoiding({"a": 2}, [frozenset("a")]) == 0
    assert probability_of_avoiding({"a": 2, "b": 3}, []) == 1


def test_large_groups():
    """Twelve implications in groups of a hundred, of a million: the worlds have hundreds of digits or more."""
    for size in (1, 10_000):
        release = sl.Release.from_counts([{f"v{n:02}": (5 + n % 3) * size for n in range(16)}] * 3)
        for k in (1, 12, 14):
            finding = sl.Implications(k).measure(release)
            assert finding.replay(release) == finding.value < 1
    staircase = [frozenset(f"v{n}" for n in range(many)) for many in (6, 5, 4, 3, 2, 1, 1)]
    assert 0 < probability_of_avoiding({f"v{n}": 10 for n in range(10)}, staircase) < Fraction(1, 2)


def test_ways_to_avoid_counts_occurrences_one_by_one():
    # of 2 a, 1 b and 3 c: the first takes the b or a c, the second an a or a c that is left, the third any of 4 left
    avoided = [frozenset("a"), frozenset("b"), frozenset()]
    assert ways_to_avoid({"a": 2, "b": 1, "c": 3}, avoided) == 4 * (1 * (2 + 3) + 3 * (2 + 2))


def decimals(over, under):
    return Decimal(over) / Decimal(under)


ONE, TWO, NOBODY_THERE, EVERYBODY_THERE = (GroupName(number) for number in range(1, 5))
COUNTS = [{"Flu": 2, "Cold": 1, "Heart": 1}, {"Flu": 1, "Cold": 2}, {"Cold": 2}, {"Flu": 2}]
every_semantics = pytest.mark.parametrize("semantics", ["single", "set", "multiset"])


def hospital(semantics):
    return sl.Release.from_counts(
        COUNTS, sizes=[4, 3, 2, 2], values=semantics, domain=("Flu", "Cold", "Heart", "Mumps")
    )


def others(semantics, group, people, value="Cold"):
    """Others with one value; where people may have several, they only lack the target's."""
    return Others(group, people, ((value, people),) if semantics == "single" else ())


FOUND_OUT = [
    {},
    {"rules_out": ("Cold",)},
    {"rules_out": ("Cold", "Mumps")},
    {"others": (ONE, 1)},
    {"others": (TWO, 2)},
    {"others": (NOBODY_THERE, 2)},
    {"family": (ONE, 1)},
    {"family": (ONE, 3)},
    {"family": (TWO, 2)},
    {"family": (TWO, 3)},
    {"family": (NOBODY_THERE, 2)},
    {"family": (EVERYBODY_THERE, 1)},
    {"rules_out": ("Heart",), "others": (ONE, 1), "family": (ONE, 1)},
    {"rules_out": ("Heart",), "others": (TWO, 1), "family": (TWO, 1)},
    {"rules_out": ("Heart",), "others": (TWO, 1), "family": (ONE, 2)},
]


@every_semantics
@pytest.mark.parametrize("found_out", FOUND_OUT)
def test_odds_are_those_of_every_world_in_any_arithmetic(semantics, found_out):
    release = hospital(semantics)
    found = Investigation(
        ONE,
        "Flu",
        found_out.get("rules_out", ()),
        others(semantics, *found_out["others"]) if "others" in found_out else None,
        Others(*found_out["family"]) if "family" in found_out else None,
    )
    has, lacks = odds(release, found, Fraction)
    assert has / (has + lacks) == investigation_probability(release, found)
    about_has, about_lacks = odds(release, found, decimals)
    assert (float(about_has), float(about_lacks)) == pytest.approx((float(has), float(lacks)))


@every_semantics
def test_where_everybody_has_it_so_has_she(semantics):
    has, lacks = odds(
        hospital(semantics), Investigation(EVERYBODY_THERE, "Flu", family=Others(EVERYBODY_THERE, 1)), decimals
    )
    assert has > 0
    assert lacks == 0 or semantics == "multiset"  # there, one person may have it twice


@every_semantics
@pytest.mark.parametrize("ratio", [Fraction, decimals])
def test_what_no_world_fits_is_refused(semantics, ratio):
    # everybody in that group has it, and nobody there would
    found = Investigation(ONE, "Flu", others=others(semantics, EVERYBODY_THERE, 2))
    with pytest.raises(BadMeasure) as refused:
        odds(hospital(semantics), found, ratio)
    assert mentions(refused.value, "no world", "release", "found out", "another release")


@pytest.mark.parametrize("people", [1, 2])
def test_others_whose_value_nobody_there_has_fit_no_world(people):
    found = Investigation(ONE, "Flu", others=others("single", ONE, people, "Mumps"))
    with pytest.raises(BadMeasure, match=r"no world .*found out"):
        odds(hospital("single"), found, Fraction)


@pytest.mark.parametrize("ratio", [Fraction, decimals])
@pytest.mark.parametrize(
    ("people", "having", "mentioned"),
    [(5, 0, 2), (5, 2, 0), (5, 2, 3), (5, 2, 4), (5, 5, 1), (4, 5, 1), (1000, 300, 400), (3000, 700, 600), (600, 1, 9)],
)
def test_none_of_some_people_is_chosen(people, having, mentioned, ratio):
    expected = Fraction(comb(people - having, mentioned) if people >= having else 0, comb(people, mentioned))
    assert float(_probability_of_missing(people, having, mentioned, ratio)) == pytest.approx(float(expected))
    assert _probability_of_missing(people, having, mentioned, Fraction) == expected


def test_factors_beyond_those_multiplied_at_once_count_too():
    assert _probability_of_missing(2 * AT_ONCE + 2, AT_ONCE + 1, AT_ONCE + 1, Fraction) == Fraction(
        1, comb(2 * AT_ONCE + 2, AT_ONCE + 1)
    )


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
    assert mentions(guess, "#1", "Cold", 1)
    assert guess == SurestGuess(Someone(1), GroupName(1), "Cold", Fraction(1), Fraction(1, 2))
    guess = posteriors(release, given="#1 = Flu -> #1.2 = Flu").surest()
    assert guess == SurestGuess(Someone(2), GroupName(2), "Flu", Fraction(9, 10), Fraction(9, 10))


def test_others_of_a_group_may_be_worse_off():
    release = sl.Release.from_groups([(["Ann", "Bob", "Cleo"], ["Flu", "Flu", "Cold"])])
    guess = posteriors(release, given="Ann = Cold or Bob = Cold").surest()
    assert mentions(guess, "anyone else", "group 1", "Flu", 1)
    assert guess == SurestGuess(Someone(1), GroupName(1), "Flu", Fraction(1), Fraction(2, 3), unnamed=True)
    assert posterior(release, guess.target, given="Ann = Cold or Bob = Cold") == 1


def test_values_that_nobody_wants_to_learn():
    release = sl.Release.from_counts([{"Flu": 1, "Healthy": 9}])
    assert posteriors(release).surest(apart_from=["Healthy"]).probability == Fraction(1, 10)
    with pytest.raises(BadKnowledge) as refused:
        posteriors(release).surest(apart_from=["Healthy", "Flu"])
    assert refused.value.parameters == ("apart_from",)
    assert mentions(refused.value, "apart_from", "no value", "leave one")
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


def test_equal_halves_say_nothing_about_anybody() -> None:
    cut = OneCut.build((3, 2, 1, 1, 1), left=4, most_left=2, most_right=2)
    assert cut.shares_when_failing() == (Fraction(3, 8), Fraction(1, 4), *[Fraction(1, 8)] * 3)


def test_a_cut_that_passes_in_every_world() -> None:
    assert OneCut.build((1, 1, 1, 1), left=2, most_left=1, most_right=1).probability == 1


def test_a_cut_that_fails_in_every_world() -> None:
    assert OneCut.build((3, 1), left=2, most_left=1, most_right=1).probability == 0


def test_the_fives_of_eleven_people() -> None:
    # no share above 1/2 in 5 | 6: only the first value can break it, by all three of it among the five
    cut = OneCut.build((3, 2, 2, 2, 1, 1), left=5, most_left=2, most_right=3)
    assert 1 - cut.probability == Fraction(10, 165)
    assert cut.shares_when_failing()[0] == Fraction(3, 5)


def test_no_values_need_differ_unless_that_was_said() -> None:
    settings = {"left": 2, "most_left": 1, "most_right": 2}
    assert OneCut.build((3, 2, 1), **settings) == OneCut((3, 2, 1), 2, (1, 0, 0), (1, 1, 1), 0)
    assert OneCut.build((3, 2, 1), **settings, different=2) == OneCut((3, 2, 1), 2, (1, 0, 0), (1, 1, 1), 2)


def test_a_half_of_nobody_passes_where_no_values_need_differ() -> None:
    assert [OneCut.build((2, 1), 0, 3, 3, different=many).passing for many in range(4)] == [1, 0, 0, 0]
