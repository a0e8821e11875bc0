"""What one look per group can have given, against every world and every fall of the coins, sent through the method."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every_world import Published, published_groups, releases, table_of
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadRelease
from sidelight.minimality.group_question import RosterLines
from sidelight.search.mondrian import cut_everybody
from sidelight.search.mondrian_frontier import KeyStore
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck, covered_limits
from sidelight.search.veil import Veil
from sidelight.table.labels import Column

POLICIES = (
    sl.Policy(sl.GroupSize() >= 1, sl.RecursiveDiversity(2) <= 1),
    sl.Policy(sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(2, 3)),
    sl.Policy(sl.GroupSize() >= 2, sl.Implications(0) < Fraction(3, 4)),
    sl.Policy(sl.DistinctValues() >= 2, sl.Implications(0) <= Fraction(4, 5)),
)


def published_by_plain_cuts(people, policy, values) -> set[Published]:
    """What Mondrian publishes of all worlds when it tries every cut: some of that no single look gives."""
    keys, check = sorted(set(people)), PolicyCheck.from_policy(policy, len(people))
    releases_ = set()
    for world in product(range(values), repeat=len(people)):
        table = table_of(people, world, values)
        everybody = covered_limits(policy).holds_in_each(table.counts.totals()[np.newaxis], np.array([len(people)]))
        if everybody.all():
            store = KeyStore.from_table(table, column_orders(table.quasi, {}))
            cut_everybody(store, check)
            releases_.add(published_groups([int(store.group[keys.index(each)]) for each in people], world, values))
    return releases_


def replays(people, published: Published, policy) -> bool:
    """Whether one look per group is said to be able to give these groups."""
    lines = [(row, *people[person]) for row, (inside, _) in enumerate(published) for person in inside]
    columns = tuple(Column.of(f"q{at}", [str(line[1 + at]) for line in lines]) for at in range(len(people[0])))
    group = np.array([line[0] for line in lines])
    roster = RosterLines(columns, group, np.ones(len(lines), np.int64))
    release = sl.Release.from_counts([dict(zip("abcdefg", counts, strict=False)) for _, counts in published])
    veil = Veil.build(covered_limits(policy), policy, len(people))
    try:
        table = roster.assign_values(release)
        store = KeyStore.from_table(table, column_orders(table.quasi, {}))
        veil.refuse_other_making(store, roster.group, release)
    except BadRelease:
        return False
    return True


@st.composite
def small_tables(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], int]:
    """Up to six people with one or two columns, and two or three values."""
    columns, values = draw(st.integers(1, 2)), draw(st.integers(2, 3))
    cells = st.tuples(*[st.integers(0, 3)] * columns)
    return draw(st.lists(cells, min_size=3, max_size=6 if values == 2 else 5)), values


@given(small_tables(), st.sampled_from(POLICIES))
@examples(12)
def test_a_release_replays_exactly_where_some_world_and_fall_of_coins_gives_it(small, policy):
    people, values = small
    possible = set(releases(people, policy, values=values))
    for published in possible | published_by_plain_cuts(people, policy, values):
        assert replays(people, published, policy) == (published in possible)


def test_groups_that_only_further_cuts_give_do_not_replay():
    people, policy = [(age,) for age in range(6)], sl.Policy(sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(1, 2))
    (plain,) = (
        each
        for each in published_by_plain_cuts(people, policy, 3)
        if each == (((0, 1), (1, 1, 0)), ((2, 3, 4, 5), (2, 1, 1)))
    )
    assert not replays(people, plain, policy)
    assert replays(people, (((0, 1, 2, 3, 4, 5), (3, 2, 1)),), policy)


@pytest.mark.parametrize("counts", [(2, 2), (3, 3)])
def test_a_closed_group_whose_cut_cannot_fail_does_not_replay(counts):
    people = [(age,) for age in range(sum(counts))]
    always_passes = sl.Policy(sl.GroupSize() >= 2, sl.Implications(0) <= 1)
    assert not replays(people, ((tuple(range(len(people))), counts),), always_passes)
