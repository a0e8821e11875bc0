"""The table of all generalisations is what measuring, weighing and judging each of them gives."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import NothingSafe
from sidelight.search.effort import EFFORT
from sidelight.testing.strategies import measures, tables


@st.composite
def hierarchies(draw, table):
    """Draw a hierarchy for each column: labels are put together at random, with a top of `*`."""
    drawn = {}
    for column in table.quasi:
        values = [text for text in column.labels if text is not None] or ["x"]
        level = tuple(str(draw(st.integers(0, 1))) for _ in values)
        levels = (tuple(values), *([level] if draw(st.booleans()) else []), ("*",) * len(values))
        drawn[column.name] = sl.Hierarchy(column.name, levels)
    return drawn


def nodes(table, by):
    heights = [by[column.name].height for column in table.quasi]
    names = [column.name for column in table.quasi]
    return [dict(zip(names, node, strict=True)) for node in product(*map(range, heights))]


@examples(40)
@given(st.data(), st.sampled_from([1, 7, 1 << 15]))
def test_every_value_is_what_measuring_gives(data, counts):
    """Many nodes side by side, or each in blocks: the same exact values."""
    table = data.draw(tables(max_columns=2))
    by = data.draw(hierarchies(table))
    finest = sl.generalise(table, by=by, to={})
    several = data.draw(st.lists(measures(finest, mergeable=True), min_size=1, max_size=3))
    asked = {str(number): measure for number, measure in enumerate(several)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EFFORT, "measured_counts", counts)
        answer = sl.generalisation_table(table, by, asked)
    assert sorted(tuple(row.levels.items()) for row in answer) == sorted(
        tuple(each.items()) for each in nodes(table, by)
    )
    for row in answer:
        release = sl.generalise(table, by=by, to=row.levels)
        assert row.groups == len(release)
        assert row.measured == {name: measure.measure(release).value for name, measure in asked.items()}


@examples(30)
@given(st.data(), st.booleans())
def test_within_a_policy_are_those_that_judging_each_says(data, minimal):
    table = data.draw(tables(semantics="single", max_columns=2))
    by = data.draw(hierarchies(table))
    policy = sl.Policy(
        sl.GroupSize() >= data.draw(st.integers(1, 4)),
        data.draw(st.sampled_from([sl.Negations(1) <= Fraction(2, 3), sl.Implications(0) < 1, sl.Closeness() <= 0.3])),
    )
    safe = [node for node in nodes(table, by) if policy.judge(sl.generalise(table, by=by, to=node)).safe]
    lowest = [node for node in safe if not any(finer(other, node) for other in safe)]
    try:
        answer = sl.generalisation_table(table, by, sl.GroupSize(), policy=policy, minimal=minimal)
    except NothingSafe:
        assert not safe
        return
    expected = lowest if minimal else safe
    assert sorted(tuple(row.node) for row in answer) == sorted(tuple(each.values()) for each in expected)


def finer(one, other):
    return one != other and all(one[name] <= other[name] for name in one)


@examples(30)
@given(st.data(), st.sampled_from(["as *", "left out"]))
def test_with_people_suppressed_a_row_is_what_publishing_its_levels_gives(data, suppressed):
    table = data.draw(tables(semantics="single", max_columns=2))
    by = data.draw(hierarchies(table))
    policy = sl.Policy(sl.GroupSize() >= 2)
    if table.people < 2:
        return
    asked, utilities = [sl.GroupSize(), sl.Closeness(), sl.Implications(1)], ["loss", "discernibility", "suppressed"]
    way = {"policy": policy, "minimal": False, "suppress": 0.4, "suppressed": suppressed}
    for row in sl.generalisation_table(table, by, asked, utilities, **way):
        method = sl.FullDomain(suppress=0.4, suppressed=suppressed)
        published = sl.protect(table, policy, by=by, method=method, levels=row.levels, ask="nobody")
        assert (row.groups, row.suppressed) == (len(published.release), published.suppressed)
        assert row.values == tuple(measure.measure(published.release).value for measure in asked)
        assert row.utility == {name: published.utility[name] for name in utilities}
