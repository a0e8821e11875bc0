"""A prior belief in words: against whom, and what was found, whole texts."""

import math

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.measures.epsilon_privacy.prior import describe_attacker, settings_in_words
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief

BY_REGION = {"North": {"Flu": 900, "Cold": 100}, "South": {"Flu": 100, "Cold": 900}}
FOUR = {"Flu": 4, "Ulcer": 1, "Cold": 1, "Dyspepsia": 4}
WARD = sl.Release.from_counts([{"Ulcer": 2, "Dyspepsia": 3, "Flu": 5}, {"Ulcer": 1, "Flu": 4, "Cold": 5}])
ANY_SHAPE = "Someone as sure as at most 5 survey answers of any kind make one"


@pytest.mark.parametrize(
    ("belief", "settings", "attacker"),
    [
        (
            PriorBelief(stubbornness=math.inf),
            "any shape, stubbornness infinite",
            "Someone who may believe anything and is moved by no evidence",
        ),
        (
            PriorBelief(stubbornness=5, rules_out=1),
            "any shape, stubbornness 5, rules out 1 value",
            f"{ANY_SHAPE}, who can rule out 1 value,",
        ),
        (
            PriorBelief(stubbornness=5, rules_out=2, known_people=1),
            "any shape, stubbornness 5, knows 1 person, rules out 2 values",
            f"{ANY_SHAPE}, who knows 1 person and can rule out 2 values,",
        ),
        (PriorBelief(stubbornness=5, wishes="wish"), "any shape, stubbornness 5, as 'wish' says", ANY_SHAPE),
        (
            PriorBelief(stubbornness=5, apart_from=["a", "b", "c", "d"]),
            "any shape, stubbornness 5, apart from a, b, c, … and 1 more",
            ANY_SHAPE,
        ),
        (
            PriorBelief(counts=BY_REGION, by="region"),
            "counts by region",
            "Someone as sure as 2,000 survey answers make one, who expects other things by region,",
        ),
        (
            PriorBelief(shape=BY_REGION, by="region", stubbornness=40),
            "shape by region, stubbornness 40",
            "Someone as sure as at most 40 survey answers make one, who expects other things by region,",
        ),
        (
            PriorBelief(shape=FOUR, stubbornness=math.inf, predicates="all subsets"),
            "shape Dyspepsia 2/5, Flu 2/5, Cold 1/10, …, stubbornness infinite, about all subsets",
            "Someone who expects Dyspepsia 2/5, Flu 2/5, Cold 1/10, … and is moved by no evidence",
        ),
        (
            PriorBelief(counts=FOUR, predicates={"ill": ["Flu"], "well": ["not", "Flu", "Cold"]}),
            "counts Dyspepsia 4, Flu 4, Cold 1, …, about ill, well",
            "Someone as sure as 10 survey answers make one",
        ),
        (
            PriorBelief(counts={"a": 1, "b": 3, "c": 2}),
            "counts b 3, c 2, a 1",
            "Someone as sure as 6 survey answers make one",
        ),
        (
            PriorBelief(shape="release", stubbornness=math.inf, known_people=2, rules_out=1),
            "shape of the release, stubbornness infinite, knows 2 people, rules out 1 value",
            (
                "Someone who expects the shares of the whole release, is moved by no evidence, "
                "knows 2 people and can rule out 1 value"
            ),
        ),
        (
            PriorBelief(
                shape="uniform", stubbornness=math.inf, least_stubbornness="smallest", decided_by="closed conditions"
            ),
            "uniform shape, stubbornness infinite or less, by the closed conditions",
            "Someone as sure as any number of survey answers make one, who takes all values for equally common,",
        ),
        (
            PriorBelief(shape="uniform", stubbornness=math.inf, least_stubbornness="same"),
            "uniform shape, stubbornness exactly infinite",
            "Someone who takes all values for equally common and is moved by no evidence",
        ),
        (
            PriorBelief(shape="uniform", stubbornness=math.inf, least_stubbornness=3),
            "uniform shape, stubbornness infinite, at least 3",
            "Someone as sure as any number of survey answers make one, who takes all values for equally common,",
        ),
        (
            PriorBelief(shape="uniform", stubbornness=9, least_stubbornness=9),
            "uniform shape, stubbornness exactly 9",
            "Someone as sure as 9 survey answers make one, who takes all values for equally common,",
        ),
    ],
)
def test_it_says_against_whom(belief, settings, attacker):
    assert settings_in_words(belief) == settings
    assert describe_attacker(belief) == attacker


def test_it_says_where_a_range_is_worst_unless_that_is_its_end():
    belief = PriorBelief(shape="uniform", stubbornness=1000, known_people=1)
    ending = "who takes all values for equally common and knows 1 person,"
    assert describe_attacker(belief, at_worst=4) == (
        f"Someone as sure as at most 1,000 survey answers make one (at worst 4), {ending}"
    )
    assert describe_attacker(belief, at_worst=1000) == (
        f"Someone as sure as at most 1,000 survey answers make one, {ending}"
    )


@pytest.mark.parametrize(
    ("belief", "text"),
    [
        (
            PriorBelief(stubbornness=math.inf),
            (
                "Someone who may believe anything and is moved by no evidence may have ruled out that a person of "
                "group 1 has Dyspepsia; against such a person no release of counts is private."
            ),
        ),
        (
            PriorBelief(stubbornness=40, decided_by="closed conditions"),
            (
                "By the closed conditions, someone as sure as at most 40 survey answers of any kind make one could be "
                "surer that a person of group 1 has Dyspepsia, by a factor of at most 5."
            ),
        ),
        (
            PriorBelief(stubbornness=40, known_people=9, decided_by="closed conditions"),
            (
                "By the closed conditions, someone as sure as at most 40 survey answers of any kind make one, who "
                "knows 9 people, could be surer that a person of group 1 has Dyspepsia, by any factor."
            ),
        ),
        (
            PriorBelief(stubbornness=100, known_people=9),
            (
                "Someone as sure as at most 100 survey answers of any kind make one, who knows 9 people, would be "
                "certain that a person of group 1 has Dyspepsia, and believe it with 0.02752 if that person were left "
                "out."
            ),
        ),
        (
            PriorBelief(shape={"Ulcer": 1, "Dyspepsia": 1, "Flu": 97, "Cold": 1}, stubbornness=100, predicates=["Flu"]),
            (
                "Someone as sure as at most 100 survey answers make one, who expects Flu 97/100, Cold 1/100, Dyspepsia "
                "1/100, …, would not believe more of anyone for being in the release, not even that a person of group "
                "1 has Flu."
            ),
        ),
        (
            PriorBelief(stubbornness=100),
            (
                "Someone as sure as at most 100 survey answers of any kind make one would be surer that a person of "
                "group 1 has Dyspepsia, by a factor of 10.9: with that person left out of the release the belief is "
                "0.02752, with them in it 0.3, and the belief grows by that factor."
            ),
        ),
        (
            PriorBelief(shape="uniform", stubbornness=4, predicates={"no ulcer": ["not", "Ulcer"]}, known_people=3),
            (
                "Someone as sure as at most 4 survey answers make one, who takes all values for equally common and "
                "knows 3 people, would be certain that a person of group 1 is of 'no ulcer', and believe it with "
                "0.7692 if that person were left out."
            ),
        ),
        (
            PriorBelief(stubbornness=10, rules_out=2),
            (
                "Someone as sure as at most 10 survey answers of any kind make one, who can rule out 2 values, would "
                "be certain that a person of group 1, who has not Dyspepsia or Flu, has Ulcer, and believe it with "
                "0.2222 if that person were left out."
            ),
        ),
    ],
)
def test_it_says_what_was_found(belief, text):
    assert belief.measure(WARD).explain() == text


def test_it_says_where_the_person_is_from():
    """45/46 of the north's share after all, 9036/10037 before: the doubt, 1001/10037, shrinks to 1/46."""
    rows = pa.table({"region": ["*"] * 6, "disease": ["Flu"] * 5 + ["Cold"]})
    release = sl.read_release(rows, group="region", sensitive="disease")
    assert PriorBelief(counts=BY_REGION, by="region").measure(release).explain() == (
        "Someone as sure as 2,000 survey answers make one, who expects other things by region, would be surer that a "
        "person of group 1 (region *) who has region North has Flu, by a factor of 4.5877: with that person left out "
        "of the release the belief is 0.9002, with them in it 0.9783, and the doubt that is left shrinks by that "
        "factor."
    )


def test_it_says_who_wants_it_kept():
    rows = {"zip": ["3"] * 4, "disease": ["Cold", *["Ulcer"] * 3], "wish": ["stomach", None, None, None]}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["disease", "wish"], missing="a value")
    belief = PriorBelief(stubbornness=20, wishes="wish", predicates={"stomach": ["Ulcer"]})
    assert belief.measure(release).explain() == (
        "Someone as sure as at most 20 survey answers of any kind make one would be surer that a person of group 1 "
        "(zip 3), who wants that kept, is of 'stomach' (which nobody is who wants it kept), by a factor of 4.3125: "
        "with that person left out of the release the belief is 0.1739, with them in it 0.75, and the belief grows by "
        "that factor."
    )


def test_who_expected_just_what_is_there_is_not_surer():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])
    finding = PriorBelief(shape="uniform", stubbornness=math.inf).measure(release)
    assert finding.value == 1
    assert finding.explain() == (
        "Someone who takes all values for equally common and is moved by no evidence would not believe more of anyone "
        "for being in the release, not even that a person of group 1 has Cold."
    )
