"""Worlds counted by formulas agree with those counted one by one."""

from decimal import Decimal
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.release.groups import GroupName
from sidelight.testing import releases
from sidelight.worlds.brute_force import investigation_probability, probability
from sidelight.worlds.closed_forms import (
    AT_ONCE,
    Family,
    Investigation,
    Others,
    _probability_of_missing,
    odds,
    probability_of_avoiding,
    ways_to_avoid,
)


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
        Family(*found_out["family"]) if "family" in found_out else None,
    )
    has, lacks = odds(release, found, Fraction)
    assert has / (has + lacks) == investigation_probability(release, found)
    about_has, about_lacks = odds(release, found, decimals)
    assert (float(about_has), float(about_lacks)) == pytest.approx((float(has), float(lacks)))


@every_semantics
def test_where_everybody_has_it_so_has_she(semantics):
    has, lacks = odds(
        hospital(semantics), Investigation(EVERYBODY_THERE, "Flu", family=Family(EVERYBODY_THERE, 1)), decimals
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
    assert str(refused.value) == "no world fits both the release and what was found out; is it another release?"


@pytest.mark.parametrize("people", [1, 2])
def test_others_whose_value_nobody_there_has_fit_no_world(people):
    found = Investigation(ONE, "Flu", others=others("single", ONE, people, "Mumps"))
    with pytest.raises(BadMeasure, match=r"^no world fits both the release and what was found out"):
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
