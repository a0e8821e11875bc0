"""Who can change places in facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.knowledge.facts import Has, Same, holds
from sidelight.knowledge.parse_facts import read_facts
from sidelight.testing import facts
from sidelight.worlds import posterior as module
from sidelight.worlds.posterior import representatives

PEOPLE = ("Ann", "Bob", "Cleo", "Dan")


@given(st.lists(facts(PEOPLE, ("Flu", "Cold")), max_size=4), st.data())
def test_who_stands_for_another_can_change_places(known, data):
    has = {who: frozenset([data.draw(st.sampled_from(["Flu", "Cold", "Heart"]))]) for who in PEOPLE}
    for who, other in representatives(known, dict.fromkeys(PEOPLE, 0)).items():
        changed = {**has, who: has[other], other: has[who]}
        assert all(holds(fact, has) for fact in known) == all(holds(fact, changed) for fact in known)


@pytest.mark.parametrize(
    ("text", "alike"),
    [
        ("Ann != Flu and Bob != Flu and Cleo != Cold", {"Bob": "Ann"}),
        ("Ann = Flu -> Dan = Flu and (Bob = Flu -> Dan = Flu)", {}),
        (
            ["Ann = Flu -> Dan = Flu", "Bob = Flu -> Dan = Flu", "Cleo = Flu -> Dan = Flu"],
            {"Bob": "Ann", "Cleo": "Ann"},
        ),
        ("Ann = Flu or same(Cleo, Dan) or Bob = Flu", {"Bob": "Ann", "Dan": "Cleo"}),
        (["not same(Ann, Bob)", "not same(Bob, Cleo)"], {"Cleo": "Ann"}),
        (["Ann = Flu -> Bob = Flu"], {"Dan": "Cleo"}),
        ([], {"Bob": "Ann", "Cleo": "Ann", "Dan": "Ann"}),
    ],
)
def test_representatives(text, alike):
    found = representatives(read_facts(text), dict.fromkeys(PEOPLE, 0))
    assert {who: other for who, other in found.items() if who != other} == alike


def test_people_of_other_groups_do_not_stand_in():
    assert representatives([Same("Ann", "Bob")], {"Ann": 0, "Bob": 1}) == {"Ann": "Ann", "Bob": "Bob"}


def test_of_too_many_nobody_stands_in(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", 1)
    assert representatives([Has("Ann", "Flu"), Has("Bob", "Flu")], {"Ann": 0, "Bob": 0}) == {"Ann": "Ann", "Bob": "Bob"}
