"""Variables by group, key and value: numbering, looking up, and what a problem says about amounts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, BadRelease, UnknownColumn
from sidelight.knowledge.facts import Someone
from sidelight.max_entropy.problem import Problem
from sidelight.max_entropy.variables import Variables
from sidelight.release.printed_labels import Printing


def test_other_semantics_are_refused():
    several = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[4], values="multiset")
    with pytest.raises(BadMeasure, match='read it with values="set"'):
        sl.maxent(several)


def test_entries_are_numbered_row_by_row(wards):
    blocks = Variables(wards, {}).blocks
    row, column = blocks.all_entries()
    assert blocks.entry(row, column).tolist() == list(range(blocks.entries))
    assert (blocks.row_group[row] == blocks.column_group[column]).all()
    assert blocks.people.tolist() == [3, 3, 2]


def test_rows_and_columns_are_those_of_conditions_and_values(wards):
    variables = Variables(wards, {})
    rows = variables.rows_with((("sex", "f"), ("age", "50")))
    assert variables.members.people[rows].tolist() == [2]
    columns = variables.columns_with(("HIV",))
    assert variables.blocks.column_group[columns].tolist() == [0, 1]
    with pytest.raises(BadKnowledge, match=r"no sex 'x'; .*: f, m"):
        variables.rows_with((("sex", "x"),))
    with pytest.raises(UnknownColumn, match="did you mean 'sex'"):
        variables.rows_with((("sx", "f"),))


def test_a_condition_may_be_about_what_is_printed_of_a_group():
    release = sl.Release.from_counts([{"Flu": 1}, {"Cold": 2}], labels=[{"ward": "a"}, {"ward": "b"}])
    assert Variables(release, {}).rows_with((("ward", "b"),)).tolist() == [1]


def test_averages_say_nothing_of_anybody():
    """A group that prints 34 as the average of 20 and 48 has nobody of 34 for certain."""
    printed = sl.Release.from_counts([{"Flu": 1, "Cold": 1}, {"Cold": 2}], labels=[{"age": "34"}, {"age": "50"}])
    release = replace(printed, printing=Printing(averages=True))
    with pytest.raises(BadKnowledge, match=r"averages .*nobody .* age"):
        sl.maxent(release, ["P(Flu | age=34) = 0.5"])
    assert sl.maxent(release, ["P(Flu) <= 0.5"]).probability("Flu", group=1) == 0.5


def test_described_people_are_not_assumed_to_be_suppressed():
    labels = [{"age": "30-39", "sex": "m"}, {"age": "40-49", "sex": "*"}, {"age": "*", "sex": "*"}]
    release = sl.Release.from_counts([{"Flu": 2}, {"Cold": 3}, {"Flu": 1, "Cold": 1}], labels=labels)
    variables = Variables(
        release, {"Al": {"age": "34", "sex": "m"}, "Bo": {"age": "44"}, "Cy": {"age": 99, "sex": "m"}}
    )
    assert variables.rows_of("Al").tolist() == [0]
    with pytest.raises(BadKnowledge, match=r"people of 2 kinds .*'Bo'"):
        variables.rows_of("Bo")
    with pytest.raises(BadKnowledge, match=r"nobody .* 'Cy'"):
        variables.rows_of("Cy")
    assert replace(variables, look_in_suppressed=True).rows_of("Cy").tolist() == [2]


def test_a_person_has_one_key_in_perhaps_several_groups(wards):
    variables = Variables(wards, {"Al": {"sex": "m", "age": 30}})
    assert variables.members.group[variables.rows_of("Al")].tolist() == [0, 1]
    with pytest.raises(BadKnowledge, match=r"people of 3 kinds .*could be"):
        variables.rows_of(Someone(1))


def small():
    """Two groups of one row and two columns each, and one constraint over both."""
    return Problem(
        row=np.array([0, 0, 1, 1]),
        column=np.array([0, 1, 2, 3]),
        weight=np.ones(4),
        people=np.array([2.0, 3.0]),
        counts=np.array([1.0, 1.0, 1.0, 2.0]),
        group=np.array([0, 0, 1, 1]),
        coefficients=sparse.csr_array(np.array([[1.0, 0.0, 1.0, 0.0]])),
        low=np.array([1.5]),
        high=np.array([np.inf]),
        statement=np.array([7]),
    )


def test_a_residual_is_that_of_the_worst_sum():
    problem = small()
    assert problem.residual(np.array([1.0, 1.0, 1.0, 2.0])) == 0
    assert problem.residual(np.array([1.0, 1.0, 1.0, 1.0])) == 1
    assert problem.residual(np.array([0.5, 0, 0.5, 0])) == 2.5


def test_a_restricted_problem_is_numbered_anew():
    rest, rows, columns = small().restrict(np.array([False, False, True, True]), np.array([True]))
    assert (rows.tolist(), columns.tolist()) == ([1], [2, 3])
    assert (rest.row.tolist(), rest.column.tolist(), rest.group.tolist()) == ([0, 0], [0, 1], [0, 0])
    assert rest.coefficients.toarray().tolist() == [[1, 0]]
    assert rest.statement.tolist() == [7]


def test_a_group_is_said_by_its_number(wards):
    beliefs = sl.maxent(wards, ["P(Flu | sex=f, group=#2) = 3/4"])
    assert beliefs.probability("Flu", given={"sex": "f"}, group=2) == pytest.approx(0.75, abs=1e-9)
    with pytest.raises(UnknownColumn, match="said by its number: group=#3"):
        sl.maxent(wards, ["P(Flu | group=2) = 1/4"])
    with pytest.raises(BadRelease, match="no group 9"):
        sl.maxent(wards, ["P(Flu | group=#9) = 1/4"])
