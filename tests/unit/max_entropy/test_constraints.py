"""Statements as sums of variables between bounds."""

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge
from sidelight.knowledge.statements import read_statements
from sidelight.max_entropy.constraints import UNUSED, constraints_of, mentioned_conditions
from sidelight.max_entropy.variables import NOBODY, Variables


def written(release, *statements, people=None):
    known = read_statements(statements)
    return constraints_of(Variables(release, people or {}, mentioned_conditions(known, people or {})), known)


def test_conditions_that_match_nobody_are_notes(wards):
    (note,) = sl.maxent(wards, ["P(Flu | sex=m, age=50) = 0.3"]).notes
    assert "all of this" in note
    # a number beside others is known, and nobody has it
    (note,) = sl.maxent(wards, ["P(Flu | age=99) = 0.3"]).notes
    assert mentions(note, "'P(Flu | age=99) = 0.3'", "nothing", "nobody", "age '99'")


def test_shares_are_bounds_in_people(wards):
    constraints = written(
        wards, "P(Flu | sex=m) = 1/3", "0.2 <= P(HIV | sex=f) <= 0.4", "P(Cold) <= 0.5", "P(Cold) >= 0"
    )
    assert constraints.low.tolist() == pytest.approx([1, 1, -np.inf, -np.inf])
    assert constraints.high.tolist() == pytest.approx([1, 2, 4, np.inf])
    assert constraints.statement.tolist() == [0, 1, 2, 3]
    assert (constraints.person == NOBODY).all()


def test_that_all_have_it_says_that_nobody_has_anything_else(wards):
    constraints = written(wards, "P(Flu or HIV | sex=m) = 1")
    assert (constraints.low.tolist(), constraints.high.tolist()) == ([0], [0])
    variables = Variables(wards, {}, (("sex", "m"),))
    _, part, column = constraints.support.cross(variables.blocks, variables.parts.row)
    assert {wards.domain[value] for value in variables.value[column]} == {"Cold"}
    assert len(part) == 2  # two men, in the one group of theirs where it occurs


def test_a_comparison_counts_both_sides_in_people_of_the_smaller_one(wards):
    constraints = written(wards, "P(Flu | sex=m) <= P(HIV | sex=f)")
    assert constraints.coefficient.tolist() == pytest.approx([1, -3 / 5])
    assert (constraints.low.tolist(), constraints.high.tolist()) == ([-np.inf], [0])


def test_a_statement_about_nobody_constrains_nothing(wards):
    constraints = written(wards, "P(Flu | sex=m, age=50) = 0.3", "P(Flu | sex=m) = 0.3")
    assert constraints.constraint.tolist() == [UNUSED, 0]
    assert set(constraints.support.part_term.tolist()) == {1}


def test_some_statements_are_renumbered_and_people_stay(wards):
    people = {"Al": {"sex": "m", "age": "40"}}
    constraints = written(wards, "P(Flu) >= 0.1", "P(Flu | person=Al) = 1", "P(Flu) = 0.5", people=people)
    few = constraints.select_statements([2])
    assert few.statement.tolist() == [2]
    assert few.constraint.tolist() == [UNUSED, UNUSED, 0]
    assert [*few.people] == ["Al"]
    assert constraints.select_statements([]).low.size == 0


def test_no_more_people_are_named_than_there_are(wards):
    people = {name: {"sex": "m", "age": "40"} for name in ("Al", "Bo")}
    with pytest.raises(BadKnowledge, match=r"2 people .*alike.* has 1 "):
        written(wards, "count(Flu; Al, Bo) >= 1", people=people)


@pytest.mark.parametrize("event", ["not Cold, sex=m", "Flu or HIV, sex=m", "not Cold", "sex=m", "age=30, sex=m"])
def test_that_all_are_of_an_event_forces_each_of_them(event):
    """Of events with values and conditions the complement is no product, and the sum is what is known."""
    ward = sl.Release.from_buckets(
        [([{"sex": "m", "age": "30"}] * 2 + [{"sex": "f", "age": "40"}], ["Flu", "HIV", "Cold"])]
    )
    known = f"P({event} | age=30) = 1"
    beliefs = sl.maxent(ward, [known])
    assert beliefs.certificate.holds
    cold = beliefs.probability("Cold", given={"age": "30"})
    assert cold == pytest.approx(0 if "Cold" in event or "Flu" in event else 1 / 3, abs=1e-9)


@pytest.mark.parametrize("name", ["Al", "printed"])
def test_a_name_means_that_person_whatever_it_is(name):
    labels = [{"sex": "m", "age": "30"}, {"sex": "f", "age": "40"}, {"sex": "*", "age": "*"}]
    counts = [{"Flu": 2, "Cold": 2}, {"Flu": 1, "HIV": 1}, {"Flu": 2, "Cold": 2}]
    wards = sl.Release.from_counts(counts, labels=labels)
    known = [f"P(Flu | person={name}) = 0.25", "P(Cold | sex=m, age=30) = 1/2"]
    beliefs = sl.maxent(wards, known, people={name: {"sex": "f", "age": "40"}})
    assert not any(mentions(note, "nothing") for note in beliefs.notes)
    assert beliefs.probability("Flu", person=name) == pytest.approx(0.25)
