"""A prior belief in words: against whom, and what was found, whole texts."""

import math

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.measures.epsilon_privacy.prior import describe_attacker, settings_in_words
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief

BY_REGION = {"North": {"Flu": 900, "Cold": 100}, "South": {"Flu": 100, "Cold": 900}}
FOUR = {"Flu": 4, "Ulcer": 1, "Cold": 1, "Dyspepsia": 4}
WARD = sl.Release.from_counts([{"Ulcer": 2, "Dyspepsia": 3, "Flu": 5}, {"Ulcer": 1, "Flu": 4, "Cold": 5}])
# what an attacker may be said to be: whatever is not expected must not be said
TRAITS = (
    "at most",
    "any kind",
    "any number",
    "no evidence",
    "equally common",
    "by region",
    "knows",
    "rule out",
    "worst",
)


@pytest.mark.parametrize(
    ("belief", "settings", "attacker"),
    [
        (PriorBelief(stubbornness=math.inf), ["any shape", "stubbornness infinite"], ["anything", "no evidence"]),
        (
            PriorBelief(stubbornness=5, rules_out=1),
            ["any shape", "stubbornness 5", "rules out 1 value"],
            ["at most 5", "any kind", "rule out 1 value"],
        ),
        (
            PriorBelief(stubbornness=5, rules_out=2, known_people=1),
            ["any shape", "stubbornness 5", "knows 1 person", "rules out 2 values"],
            ["at most 5", "any kind", "knows 1 person", "rule out 2 values"],
        ),
        (
            PriorBelief(stubbornness=5, wishes="wish"),
            ["any shape", "stubbornness 5", "'wish'"],
            ["at most 5", "any kind"],
        ),
        (
            PriorBelief(stubbornness=5, apart_from=["a", "b", "c", "d"]),
            ["any shape", "stubbornness 5", "apart from a, b, c, … and 1 more"],
            ["at most 5", "any kind"],
        ),
        (PriorBelief(counts=BY_REGION, by="region"), ["counts by region"], ["2,000", "by region"]),
        (
            PriorBelief(shape=BY_REGION, by="region", stubbornness=40),
            ["shape by region", "stubbornness 40"],
            ["at most 40", "by region"],
        ),
        (
            PriorBelief(shape=FOUR, stubbornness=math.inf, predicates="all subsets"),
            ["shape Dyspepsia 2/5, Flu 2/5, Cold 1/10, …", "stubbornness infinite", "about all subsets"],
            ["Dyspepsia 2/5, Flu 2/5, Cold 1/10, …", "no evidence"],
        ),
        (
            PriorBelief(counts=FOUR, predicates={"ill": ["Flu"], "well": ["not", "Flu", "Cold"]}),
            ["counts Dyspepsia 4, Flu 4, Cold 1, …", "about ill, well"],
            [10],
        ),
        (PriorBelief(counts={"a": 1, "b": 3, "c": 2}), ["counts b 3, c 2, a 1"], [6]),
        (
            PriorBelief(shape="release", stubbornness=math.inf, known_people=2, rules_out=1),
            ["shape of the release", "stubbornness infinite", "knows 2 people", "rules out 1 value"],
            ["whole release", "no evidence", "knows 2 people", "rule out 1 value"],
        ),
        (
            PriorBelief(
                shape="uniform", stubbornness=math.inf, least_stubbornness="smallest", decided_by="closed conditions"
            ),
            ["uniform shape", "stubbornness infinite or less", "closed conditions"],
            ["any number", "equally common"],
        ),
        (
            PriorBelief(shape="uniform", stubbornness=math.inf, least_stubbornness="same"),
            ["uniform shape", "stubbornness exactly infinite"],
            ["equally common", "no evidence"],
        ),
        (
            PriorBelief(shape="uniform", stubbornness=math.inf, least_stubbornness=3),
            ["uniform shape", "stubbornness infinite", "at least 3"],
            ["any number", "equally common"],
        ),
        (
            PriorBelief(shape="uniform", stubbornness=9, least_stubbornness=9),
            ["uniform shape", "stubbornness exactly 9"],
            [9, "equally common"],
        ),
    ],
)
def test_it_says_against_whom(belief, settings, attacker):
    assert mentions(settings_in_words(belief), *settings)
    # and nothing else
    assert settings_in_words(belief).count(", ") == len(settings) - 1 + sum(each.count(", ") for each in settings)
    said = describe_attacker(belief)
    assert mentions(said, *attacker)
    for trait in TRAITS:
        assert mentions(said, trait) == any(trait in str(each) for each in attacker)


def test_it_says_where_a_range_is_worst_unless_that_is_its_end():
    belief = PriorBelief(shape="uniform", stubbornness=1000, known_people=1)
    said = describe_attacker(belief, at_worst=4)
    assert mentions(said, "at most 1,000", "at worst 4", "equally common", "knows 1 person")
    at_its_end = describe_attacker(belief, at_worst=1000)
    assert mentions(at_its_end, "at most 1,000", "equally common", "knows 1 person")
    assert not mentions(at_its_end, "worst")


# what may have been found: the others must not be said
OUTCOMES = ("ruled out", "surer", "certain", "not even", "closed conditions", "any factor", "left out")


@pytest.mark.parametrize(
    ("belief", "said"),
    [
        (
            PriorBelief(stubbornness=math.inf),
            ["anything", "no evidence", "ruled out", "group 1", "Dyspepsia", "no release", "private"],
        ),
        (
            PriorBelief(stubbornness=40, decided_by="closed conditions"),
            ["closed conditions", "at most 40", "any kind", "surer", "group 1", "Dyspepsia", "at most 5"],
        ),
        (
            PriorBelief(stubbornness=40, known_people=9, decided_by="closed conditions"),
            ["closed conditions", "at most 40", "knows 9 people", "surer", "group 1", "Dyspepsia", "any factor"],
        ),
        (
            PriorBelief(stubbornness=100, known_people=9),
            ["at most 100", "knows 9 people", "certain", "group 1", "Dyspepsia", "0.02752", "left out"],
        ),
        (
            PriorBelief(shape={"Ulcer": 1, "Dyspepsia": 1, "Flu": 97, "Cold": 1}, stubbornness=100, predicates=["Flu"]),
            [
                *("at most 100", "Flu 97/100, Cold 1/100, Dyspepsia 1/100, …"),
                *("not", "more", "not even", "group 1", "Flu"),
            ],
        ),
        (
            PriorBelief(stubbornness=100),
            [
                *("at most 100", "any kind", "surer", "group 1", "Dyspepsia", "factor of 10.9"),
                *("left out", "0.02752", "in it 0.3", "belief grows"),
            ],
        ),
        (
            PriorBelief(shape="uniform", stubbornness=4, predicates={"no ulcer": ["not", "Ulcer"]}, known_people=3),
            ["at most 4", "equally common", "knows 3 people", "certain", "group 1", "'no ulcer'", "0.7692", "left out"],
        ),
        (
            PriorBelief(stubbornness=10, rules_out=2),
            [
                *("at most 10", "any kind", "rule out 2 values", "certain"),
                *("group 1", "not", "Dyspepsia or Flu", "Ulcer", "0.2222", "left out"),
            ],
        ),
    ],
)
def test_it_says_what_was_found(belief, said):
    found = belief.measure(WARD).explain()
    assert mentions(found, *said)
    for outcome in OUTCOMES:
        assert mentions(found, outcome) == (outcome in said)


def test_it_says_where_the_person_is_from():
    """45/46 of the north's share after all, 9036/10037 before: the doubt, 1001/10037, shrinks to 1/46."""
    rows = pa.table({"region": ["*"] * 6, "disease": ["Flu"] * 5 + ["Cold"]})
    release = sl.read_release(rows, group="region", sensitive="disease")
    said = PriorBelief(counts=BY_REGION, by="region").measure(release).explain()
    assert mentions(
        said, "2,000", "by region", "surer", "group 1 (region *)", "region North", "Flu", "factor of 4.5877"
    )
    assert mentions(said, "left out", "0.9002", "in it 0.9783", "doubt", "shrinks")


def test_it_says_who_wants_it_kept():
    rows = {"zip": ["3"] * 4, "disease": ["Cold", *["Ulcer"] * 3], "wish": ["stomach", None, None, None]}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["disease", "wish"], missing="a value")
    belief = PriorBelief(stubbornness=20, wishes="wish", predicates={"stomach": ["Ulcer"]})
    said = belief.measure(release).explain()
    assert mentions(said, "at most 20", "any kind", "surer", "group 1 (zip 3)", "wants", "'stomach'", "nobody", "wants")
    assert mentions(said, "factor of 4.3125", "left out", "0.1739", "in it 0.75", "belief grows")


def test_who_expected_just_what_is_there_is_not_surer():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])
    finding = PriorBelief(shape="uniform", stubbornness=math.inf).measure(release)
    assert finding.value == 1
    assert mentions(finding.explain(), "equally common", "no evidence", "not", "more", "not even", "group 1", "Cold")
