"""Who is meant: people of facts, identified with the groups of a release."""

import polars as pl
import pytest

import sidelight as sl
from sidelight.errors import BadKnowledge
from sidelight.knowledge.people import Described, Someone
from sidelight.worlds.identify import identify

PRINTED = sl.Release.from_counts(
    [{"Flu": 2, "Cold": 2}, {"Flu": 1}, {"Cold": 3}],
    labels=[
        {"age": "30..39", "born": "1990-Q1"},
        {"age": "]39, 50]", "born": "1980"},
        {"age": "816**", "born": "{1970, 1971-05}"},
    ],
)


@pytest.mark.parametrize(
    ("says", "group"),
    [
        ({"age": 34}, 0),
        ({"age": "39.0"}, 0),
        ({"age": "39.5"}, 1),
        ({"age": "81667"}, 2),
        ({"born": "1990-03-31"}, 0),
        ({"born": "1980-12-31 08:00:00"}, 1),
        ({"born": "1971-05-09"}, 2),
        ({"born": "1980"}, 1),
    ],
)
def test_a_description_fits_what_the_printed_label_covers(says, group):
    who = Described.of(says)
    assert identify(PRINTED, [who]).group_of == {who: group}


def test_believe_and_attack_find_the_same_people():
    for says in ({"age": "34"}, {"age": "81667"}, {"born": "1990-03-31"}, {"born": "1971-05-09"}):
        who = Described.of(says)
        people = {name: [text] for name, text in says.items()}
        exposure = sl.intersect([PRINTED], people=pl.DataFrame(people), quasi=list(says), locate="intervals")
        assert exposure.views[0].linkage.groups_of(0).tolist() == [identify(PRINTED, [who]).group_of[who]]


def test_entities_of_a_group_come_in_the_order_of_mention():
    one, two, other = Someone(1, 2), Described.of({"age": "34"}), Someone(3)
    entities = identify(PRINTED, [one, other, two])
    assert entities.in_group(0) == [one, two]
    assert entities.in_group(1) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("30-34", "35-39"), ("31", "32"), ("{31, 32}", "{33, 34}"), ("[30, 35)", "35")],
)
def test_descriptions_that_nobody_fits_both_are_of_two_people(one, other):
    hidden = sl.Release.from_counts([{"Flu": 2, "Cold": 2}], labels=[{"age": "*"}])
    assert len(identify(hidden, [Described.of({"age": one}), Described.of({"age": other})]).group_of) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [("30-34", "34-39"), ("3*", "34"), ("2024", "2024-Q1"), ("{31, 32}", "{32, 33}"), ("*", "31")],
)
def test_descriptions_that_somebody_may_fit_both_are_refused(one, other):
    hidden = sl.Release.from_counts([{"Flu": 2, "Cold": 2}], labels=[{"age": "*"}])
    with pytest.raises(BadKnowledge, match="may be the same person"):
        identify(hidden, [Described.of({"age": one}), Described.of({"age": other})])
