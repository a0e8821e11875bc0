"""Mondrian that resists an insider: a hunt for a table, a world and a fall of the coins that leave somebody too sure.

Every assignment of values to the people of small tables, and every fall of the coins, goes through the method itself;
for each release that comes out, the worlds are counted by how likely they become it.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.measures.ck_safety.implications import Implications
from sidelight.measures.classics import DistinctValues, GroupSize, RecursiveDiversity
from sidelight.policy.policy import Policy
from tests.support.every_world import largest_belief, releases
from tests.support.examples import examples

BELIEFS = [Fraction(1, 2), Fraction(3, 5), Fraction(2, 3), Fraction(3, 4)]


@st.composite
def small_tables(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], int]:
    """Draw people with one or two columns, and how many values there are: at most 729 worlds."""
    values = draw(st.integers(2, 3))
    columns = draw(st.integers(1, 2))
    cells = st.tuples(*[st.integers(0, 3)] * columns)
    return draw(st.lists(cells, min_size=3, max_size=7 if values == 2 else 6)), values


@st.composite
def policies(draw: st.DrawFn) -> tuple[Policy, Fraction]:
    """Draw limits on sizes, on shares, strict or not, and sometimes on different values; and how sure one may get."""
    belief = draw(st.sampled_from(BELIEFS))
    ways = [Implications(0) <= belief, Implications(0) < belief, RecursiveDiversity(2) <= belief / (1 - belief)]
    limits = [GroupSize() >= draw(st.integers(1, 3)), draw(st.sampled_from(ways))]
    if draw(st.integers(0, 3)) == 0:
        limits.append(DistinctValues() >= 2)
    return Policy(*limits), belief


@examples(8)
@given(small_tables(), policies())
def test_nobody_is_surer_than_the_limit(
    table: tuple[list[tuple[int, ...]], int], limits: tuple[Policy, Fraction]
) -> None:
    people, values = table
    policy, belief = limits
    for published, worlds in releases(people, policy, values=values).items():
        assert largest_belief(worlds, values) <= belief, published


@pytest.mark.parametrize("veiled", [True, False])
def test_the_hunt_finds_what_a_veil_hides(veiled: bool) -> None:
    policy = Policy(GroupSize() >= 2, Implications(0) <= Fraction(2, 3))
    people = [(2, 3), (2, 0), (0, 2), (3, 2), (3, 3)]
    beliefs = [largest_belief(worlds, 2) for worlds in releases(people, policy, values=2, veiled=veiled).values()]
    assert (max(beliefs) <= Fraction(2, 3)) is veiled
