"""The front has whoever nobody beats, by the obvious definition."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.report.charts.candidates import Candidate, pareto_front
from sidelight.report.plots import table_behind
from tests.support.examples import examples

POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)


@examples(100)
@given(POINTS, st.booleans())
def test_the_front_has_whoever_no_other_beats(points, large_is_bad):
    candidates = [Candidate(str(at), float(loss), Fraction(risk)) for at, (loss, risk) in enumerate(points)]
    sign = 1 if large_is_bad else -1
    places = {(each.loss, sign * each.risk) for each in candidates}
    unbeaten = {
        place
        for place in places
        if not any(other != place and other[0] <= place[0] and other[1] <= place[1] for other in places)
    }
    front = pareto_front(candidates, large_is_bad=large_is_bad)
    assert {(each.loss, sign * each.risk) for each in front} == unbeaten


@pytest.mark.parametrize("suppress", [0, 0.01])
def test_candidates_are_measured_as_they_would_be_published(suppress):
    adult = sl.datasets.adult(quasi=["age", "sex", "race"])
    found = sl.protect(adult.table, sl.GroupSize() >= 30, by=adult.hierarchies, suppress=suppress, ask="nobody")
    rows = table_behind(found.plot("candidates")).rows
    (chosen,) = [row for row in rows if row[4]]
    assert chosen[2] == str(found.verdict.judgements[0].finding.value)
    assert all(int(row[2]) >= 30 for row in rows)


def test_a_method_without_choices_has_no_candidates():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    with pytest.raises(BadMeasure, match="no candidates"):
        sl.protect(adult.table, sl.GroupSize() >= 30, method="mondrian", ask="nobody").plot("candidates")
