"""The worst case: floats next to whole numbers, ties, and many releases at once."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.measures.epsilon_privacy.worst_case import (
    Case,
    Cases,
    Ratio,
    closed_conditions,
    epsilon_of_beliefs,
    smallest_epsilon,
    worst_of_parts,
)
from sidelight.testing import releases

BELIEFS = (
    sl.PriorBelief(shape="uniform", stubbornness=Fraction(99, 2)),
    sl.PriorBelief(stubbornness=7),
    sl.PriorBelief(shape="uniform", stubbornness=math.inf),
    sl.PriorBelief(stubbornness=math.inf),
)
rules = st.sampled_from(["definition", "closed conditions"])


@given(releases(semantics="single", max_people=9, max_values=4), st.sampled_from(BELIEFS), st.integers(0, 4), rules)
def test_floats_are_the_exact_numbers_but_for_their_last_digits(release, belief, known, rule):
    priors = belief.priors(release.groups)
    cases = Cases.of(release.groups, (), release.domain, known=known)
    for (_, _, column, people, matching, _), near in zip(cases, cases.epsilons(priors, rule), strict=True):
        exact = max(smallest_epsilon(Case(people, matching, known), prior, column, rule)[0] for prior in priors)
        assert near == exact if exact == math.inf else math.isclose(near, exact, rel_tol=1e-12)


@given(releases(semantics="single", max_people=9, max_values=4), st.sampled_from(BELIEFS), st.integers(0, 4))
def test_whole_numbers_give_what_the_definition_and_the_printed_conditions_give(release, belief, known):
    cases = Cases.of(release.groups, (), release.domain, known=known)
    for (_, _, column, people, matching, _), prior in product(cases, belief.priors(release.groups)):
        case = Case(people, matching, known)
        defined = epsilon_of_beliefs(case.p_in, case.p_out(prior, column))
        assert smallest_epsilon(case, prior, column, "definition")[0] == defined
        printed = closed_conditions(case, prior, column)
        assert smallest_epsilon(case, prior, column, "closed conditions")[0] == printed


def test_of_equal_cases_the_first_group_and_value_speak():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 2, "b": 2}, {"a": 2, "b": 2}])
    belief = sl.PriorBelief(stubbornness=1000)
    cases = Cases.of(release.groups.take(slice(1, 3)), (), release.domain, known=0)
    worst = worst_of_parts(cases, belief.priors(release.groups), "definition")[0]
    assert (worst.row, worst.column, worst.ratio) == (0, 0, Ratio.BELIEF)


def test_parts_have_their_own_worst_and_those_without_cases_none():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 4, "b": 4}, {"b": 5}], domain=["a", "b"])
    belief = sl.PriorBelief(shape="uniform", stubbornness=50, predicates=[["a"]])
    worst = worst_of_parts(
        belief.cases(release.groups, part=np.array([0, 1, 2])), belief.priors(release.groups), "definition"
    )
    assert sorted(worst) == [0, 1]
    assert worst[0].value == pytest.approx(belief.measure(sl.Release(release.groups.take(slice(0, 1)))).value)
