"""Chen, LeFevre and Ramakrishnan, Privacy Skyline, VLDB 2007: Tom, packing of bins, and the case study on Adult."""

from fractions import Fraction
from itertools import product

import pytest

import sidelight as sl
from sidelight.errors import Contradiction

EIGHT_PATIENTS = sl.Release.from_groups(
    [
        (["Ann", "Bob", "Cary", "Dick"], ["AIDS", "Flu", "Flu", "AIDS"]),
        (["Ed", "Frank", "Gary", "Tom"], ["Flu", "Cancer", "Flu", "AIDS"]),
    ]
)


@pytest.mark.parametrize(
    ("knowledge", "belief"),
    [
        ([], Fraction(1, 4)),
        (["Tom != Cancer"], Fraction(1, 3)),
        (["Tom != Cancer", "Gary = Flu"], Fraction(1, 2)),
        (["Tom != Cancer", "Gary = Flu", "Ann = AIDS -> Tom = AIDS"], Fraction(2, 3)),
    ],
)
def test_the_more_is_known_the_surer_that_tom_has_aids(knowledge, belief):
    """Section 1, figures 1 to 3; the last is left to the reader there, and comes out by Lemma 1: NR = 1/2."""
    assert sl.posterior(EIGHT_PATIENTS, "Tom = AIDS", given=knowledge) == belief


@pytest.mark.parametrize("sizes", [(3, 3, 1, 1), (3, 3, 2), (2, 2, 2, 2), (4, 3), (3, 2, 2, 1), (3, 3, 1)])
def test_people_with_the_same_value_are_as_hard_as_packing_bins(sizes):
    """Theorem 6: people of one group who have the same value, as many as each thing is large, two values for bins."""
    bins, room = 2, 4
    people = [f"{thing}-{part}" for thing, size in enumerate(sizes) for part in range(size)]
    everybody = [*people, *(f"nobody {number}" for number in range(bins * room - len(people)))]
    release = sl.Release.from_groups([(everybody, [f"bin {number % bins}" for number in range(bins * room)])])
    families = [f"same({thing}-0, {thing}-{part})" for thing, size in enumerate(sizes) for part in range(1, size)]
    packed = [
        where
        for where in product(range(bins), repeat=len(sizes))
        if all(sum(size for size, own in zip(sizes, where, strict=True) if own == each) <= room for each in range(bins))
    ]
    if packed:
        assert sl.posterior(release, "0-0 = bin 0", given=families) == Fraction(1, 2)  # bins can be swapped
    else:
        with pytest.raises(Contradiction):
            sl.posterior(release, "0-0 = bin 0", given=families)


SEVEN_POINTS = {(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)}  # as printed
VALUE, CONFIDENCE = "Exec-managerial", Fraction(19, 20)
DIVERSE = sl.Policy(sl.Acquaintance(rules_out=4) < Fraction(3, 4))  # (c=3, l=6)-diversity


@pytest.fixture(scope="module", params=["numbers and hierarchies", "no hierarchies"])
def diverse_release(request):
    adult = sl.datasets.adult()
    by = adult.hierarchies if request.param == "numbers and hierarchies" else None
    return sl.protect(adult.table, DIVERSE, method="mondrian", by=by, ask="nobody").release


def test_the_case_study_has_the_seven_points_of_the_paper(diverse_release):
    assert {*sl.knowledge_skyline(diverse_release, value=VALUE, below=CONFIDENCE)} == SEVEN_POINTS


def test_its_release_is_diverse_in_the_sense_of_either_paper(diverse_release):
    assert int(diverse_release.groups.sizes.sum()) == 45_222
    diversity = sl.RecursiveDiversity(l=6).measure(diverse_release)
    risk = sl.Acquaintance(rules_out=4).measure(diverse_release).value
    assert diversity.value < 3
    assert risk == diversity.value / (1 + diversity.value) < Fraction(3, 4)


def test_five_people_are_enough_and_four_are_not(diverse_release):
    four = sl.Acquaintance(others=4, value=VALUE).measure(diverse_release)
    five = sl.Acquaintance(others=5, value=VALUE).measure(diverse_release)
    assert four.value < CONFIDENCE <= five.value
    assert five.witness.others.people <= 5
    assert five.replay(diverse_release) == five.value


@pytest.mark.parametrize("point", sorted(SEVEN_POINTS))
def test_one_step_beyond_each_point_breaks_it(diverse_release, point):
    def risk(amounts):
        return sl.Acquaintance(*amounts, value=VALUE).measure(diverse_release).value

    assert risk(point) < CONFIDENCE
    for direction in range(3):
        assert risk([amount + (place == direction) for place, amount in enumerate(point)]) >= CONFIDENCE
