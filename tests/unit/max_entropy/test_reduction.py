"""The quotient by what no statement tells apart."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.knowledge.statements import read_statements
from sidelight.max_entropy.constraints import constraints_of, mentioned_conditions
from sidelight.max_entropy.problem import reduce_problem
from sidelight.max_entropy.variables import ONE_PERSON, Variables

BUCKET = ([{"sex": "m", "age": "30"}, {"sex": "m", "age": "40"}, {"sex": "f", "age": "30"}], ["Flu", "HIV", "Cold"])


def reduced(release, *statements, people=None):
    known = read_statements(statements)
    variables = Variables(release, people or {}, mentioned_conditions(known, people or {}))
    return reduce_problem(variables, constraints_of(variables, known))


def test_groups_that_nobody_touches_are_not_solved(wards):
    beliefs = sl.maxent(wards, ["P(HIV | sex=m) = 0.5"])
    assert beliefs.touched_groups.tolist() == [True, True, False]
    assert 0 < beliefs.variables_solved < 17
    assert "2 statements" in repr(sl.maxent(wards, ["P(HIV) >= 0", "P(Flu) >= 0"]))


def test_what_no_statement_tells_apart_is_one(wards):
    problem = reduced(sl.Release.from_buckets([BUCKET] * 3), "P(Flu | sex=m) = 0.4").problem
    assert (len(problem), problem.people.tolist(), problem.counts.tolist()) == (4, [3, 6], [6, 3])
    assert problem.coefficients.nnz == 1


def test_amounts_of_a_class_are_distributed_over_all_that_are_in_it():
    smaller = reduced(sl.Release.from_buckets([BUCKET] * 3), "P(Flu | sex=m) = 0.4")
    row, column = smaller.quotient.original.all_entries()
    problem = smaller.problem
    amounts = np.full(len(problem), 1.5)
    amounts[(problem.people == 6)[problem.row]] = 3.0
    shared = smaller.quotient.distribute(smaller.expand(amounts), row, column)
    assert shared.sum() == pytest.approx(9)
    assert np.bincount(row, shared) == pytest.approx(smaller.quotient.original.row_people)


def test_a_named_person_has_variables_that_add_up_to_one(wards):
    smaller = reduced(wards, "P(Flu | person=Al) = 0.2", people={"Al": {"sex": "m", "age": "30"}})
    problem = smaller.problem
    assert problem.statement.tolist() == [0, ONE_PERSON]
    assert problem.low.tolist() == [0.2, 1]
    assert problem.coefficients[[1]].toarray()[0].tolist() == (smaller.person == 0).astype(float).tolist()
