"""Prosecutor risk: its numbers, its words, and the difference between 0.09 and 1/11."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy
from sidelight.policy.limits import read_limit


def sizes(*people):
    return sl.Release.from_counts([{"a": each} for each in people])


def test_011_is_above_009_and_not_above_an_eleventh():
    release = sizes(11, 12, 77)
    above = sl.ProsecutorRisk("share above", threshold=0.09).measure(release)
    assert above.value == Fraction(11, 100)
    assert above.explain() == "11 of 100 people (0.1100) are in groups of 11 or fewer: above 0.09."
    assert sl.ProsecutorRisk("share above", threshold=Fraction(1, 11)).measure(release).value == 0
    assert not (sl.ProsecutorRisk() <= 0.09).judge(release).holds
    assert (sl.ProsecutorRisk() <= Fraction(1, 11)).judge(release).holds


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("prosecutor risk <= 1/11", sl.ProsecutorRisk()),
        ("prosecutor risk(average) <= 0.05", sl.ProsecutorRisk("average")),
        ("prosecutor risk(share above, threshold=0.09) <= 0.01", sl.ProsecutorRisk("share above", threshold=0.09)),
    ],
)
def test_as_text(text, measure):
    criterion = read_limit(text)
    assert criterion.measure == measure
    assert read_limit(str(criterion)) == criterion


def test_thresholds_outside_0_and_1_are_refused():
    for threshold in (-0.1, 1.1, float("inf")):
        with pytest.raises(BadMeasure, match="between 0 and 1"):
            sl.ProsecutorRisk("share above", threshold=threshold)
    with pytest.raises(BadPolicy, match="between 0 and 1"):
        read_limit("prosecutor risk(share above, threshold=9) <= 0.01")


def test_a_threshold_belongs_to_the_share_above():
    with pytest.raises(BadMeasure, match="needs a threshold"):
        sl.ProsecutorRisk("share above")
    with pytest.raises(BadMeasure, match="only"):
        sl.ProsecutorRisk(threshold=0.09)
    with pytest.raises(BadMeasure, match="did you mean 'share above'"):
        sl.ProsecutorRisk("share abov")


def test_ends_of_the_threshold():
    release = sizes(1, 4)
    nothing, everything = (sl.ProsecutorRisk("share above", threshold=each) for each in (1, 0))
    assert nothing.measure(release).value == 0
    assert nothing.measure(release).explain() == "Nobody's risk is above 1."
    assert everything.measure(release).value == 1
    assert everything.measure(release).explain() == "5 of 5 people (1.0000) are in groups of any size: above 0."


def test_somebody_alone():
    finding = sl.ProsecutorRisk().measure(sizes(3, 1))
    assert finding.value == 1
    assert finding.explain() == (
        "In group 2, 1 person stands alone: whoever knows that they are in the release finds them."
    )


def test_people_count_and_not_values():
    release = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 3}], sizes=[2, 3], values="set")
    assert sl.ProsecutorRisk("average").measure(release).value == Fraction(2, 5)


def test_a_search_follows_an_average_though_single_groups_break_it():
    adult = sl.datasets.adult(quasi=["age", "marital-status", "race", "sex"])
    limit = sl.ProsecutorRisk("share above", threshold=0.09) <= 0.05
    found = sl.protect(adult.table, limit, by=adult.hierarchies, ask="nobody")
    assert limit.judge(found.release).holds
    assert not (sl.ProsecutorRisk() <= 0.09).judge(found.release).holds


def test_an_average_is_groups_of_people_exactly_however_many_sizes_there_are():
    sizes = [100_003 + 2 * place for place in range(3_000)]
    release = sl.Release.from_counts([{"a": 1}, *({"a": size} for size in sizes)])
    for measure in (sl.ProsecutorRisk("average"), sl.MarketerRisk()):
        finding = measure.measure(release)
        assert finding.value == Fraction(3_001, sum(sizes) + 1)
        assert finding.replay(release) == finding.value
        assert (measure <= finding.value).judge(release).holds


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ((1,), "1 of 1 person: 1."),
        ((3, 4), "2 of 7 people: 2/7."),
        ((1, 1, 1, 600, 597), "5 of 1,200 people: 1/240."),
    ],
)
def test_an_average_in_words(people, words):
    assert sl.ProsecutorRisk("average").measure(sizes(*people)).explain() == (
        f"Whoever knows who is in the release and looks everybody up is right about {words}"
    )


def test_a_large_group_in_words():
    assert sl.ProsecutorRisk().measure(sizes(1_300, 1_200)).explain() == (
        "In group 2, 1,200 people stand for one another: whoever knows that somebody is in it is right with 1/1200."
    )


def test_examples_are_of_all_statistics():
    assert sl.ProsecutorRisk.examples(("a",)) == (
        sl.ProsecutorRisk("highest"),
        sl.ProsecutorRisk("average"),
        sl.ProsecutorRisk("share above", 0.4),
        sl.ProsecutorRisk("share above", Fraction(1, 2)),
    )
