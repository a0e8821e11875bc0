"""Searches against trying everything."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import NothingSafe
from sidelight.measures.exact import join_all, join_backwards, join_forwards
from sidelight.measures.measure import Measure
from sidelight.progress import quiet
from sidelight.release.generalise import Lattice
from sidelight.search.full_domain import FullDomain, NodeRecodings
from sidelight.search.lattice_search import SuppressedNode, minimal_among, search_lattice, suppress_at
from sidelight.search.mondrian import Acceptance
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck, holds_upwards, one_group
from sidelight.search.utility import Regions, candidate_groups, release_of
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table
from sidelight.testing.strategies import measures, releases, tables


@st.composite
def hierarchies(draw, table):
    """Draw a hierarchy for each column: labels are put together at random, a top of `*` or none."""
    drawn = {}
    for column in table.quasi:
        values = [text for text in column.labels if text is not None] or ["x"]
        level = [str(draw(st.integers(0, 1))) for _ in values]
        levels = [tuple(values), tuple(level), ("*",) * len(values)]
        drawn[column.name] = sl.Hierarchy(column.name, tuple(levels[: draw(st.integers(1, 3))]))
    return drawn


def bounded(measure: Measure, release, draw):
    """Bound a measure so that the release just keeps it, or by something a little looser."""
    value = measure.measure(release).value
    assume(value != float("inf"))
    least, most = measure.limits
    room = draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2)]))
    if measure.large_is_bad:
        return measure <= min(max(Fraction(value) + room, least), most)
    return measure >= max(Fraction(value) - room, least)


@st.composite
def problems(draw, *, semantics=None, max_criteria=2):
    """Draw a table, hierarchies and a policy that one group of everybody keeps."""
    table = draw(tables(semantics=semantics, max_columns=2, max_keys=5))
    by = draw(hierarchies(table))
    whole = one_group(table)
    chosen = draw(st.lists(measures(whole, mergeable=True), min_size=1, max_size=max_criteria))
    policy = sl.Policy(*(bounded(each, whole, draw) for each in chosen))
    assume(policy.judge(whole).safe)
    return table, by, policy


def regrouped(table, group):
    number = np.unique(group, return_inverse=True)[1]
    return release_of(table, number, (), int(number.max()) + 1)


@given(problems())
def test_minimal_nodes_are_those_of_trying_every_node(problem):
    table, by, policy = problem
    lattice = Lattice(table, by)
    result = search_lattice(lattice, policy, max_checks=None, progress=quiet)
    within = [node for node in lattice.nodes() if policy.judge(lattice.release_at(node)).safe]
    assert set(result.minimal) == {node for node in within if not any(finer(other, node) for other in within)}
    assert result.complete


def finer(one, other):
    return one != other and all(low <= high for low, high in zip(one, other, strict=True))


@given(st.sets(st.tuples(*[st.integers(0, 3)] * 3), max_size=20))
def test_the_lowest_nodes_are_coarser_than_no_other(nodes):
    assert set(minimal_among(list(nodes))) == {node for node in nodes if not any(finer(other, node) for other in nodes)}


@given(problems(), st.data())
def test_what_a_node_covers_without_looking_at_keys_is_what_its_keys_say(problem, data):
    table, by, policy = problem
    lattice = Lattice(table, by)
    node = tuple(data.draw(st.integers(0, height - 1)) for height in lattice.heights)
    groups = lattice.groups_at(node)
    out = np.array(data.draw(st.lists(st.booleans(), min_size=len(groups), max_size=len(groups))), bool)
    people = int(groups.sizes[out].sum())
    recodings = NodeRecodings(lattice, by)
    chosen = SuppressedNode(node, out, people, as_group=False, policy=PolicyCheck.from_policy(policy, table.people))
    for recoding in (recodings.recode(node), recodings.recode(node, chosen)):
        again = Regions.from_keys(table, recoding.orders, recoding.group, recoding.start, recoding.stop)
        assert again.sizes.tolist() == recoding.sizes.tolist()
        assert again.suppressed == recoding.suppressed
        for column, order in enumerate(recoding.orders):
            kept = recoding.group >= 0
            rank, group = order.rank[table.quasi[column].codes[kept]], recoding.group[kept]
            assert (recoding.start[group, column] <= rank).all()
            assert (rank < recoding.stop[group, column]).all()
            printed = groups.columns[column].codes[~out] if recoding.suppressed else groups.columns[column].codes
            stretches = set(zip(recoding.start[:, column].tolist(), recoding.stop[:, column].tolist(), strict=True))
            assert len(stretches) == len(set(printed.tolist()))


@given(problems())
def test_the_lattice_finds_the_most_useful_minimal_node(problem):
    table, by, policy = problem
    lattice = Lattice(table, by)
    within = [node for node in lattice.nodes() if policy.judge(lattice.release_at(node)).safe]
    assume(within)
    result = sl.protect(table, policy, by=by, ask="nobody")
    assert result.verdict.safe
    assert result.levels in result.minimal
    best = min(float((lattice.groups_at(node).sizes ** 2).sum()) for node in within)
    if all(each.measure.monotonicity(table.semantics) is not sl.Monotonicity.UNKNOWN for each in policy.criteria):
        assert result.utility["discernibility"] == best
    assert result.utility["discernibility"] == float((result.release.groups.sizes**2).sum())


@given(problems(max_criteria=1), st.sampled_from(["as *", "left out"]), st.sampled_from([0.2, 0.5, 1.0]))
def test_suppression_stays_within_policy_and_within_its_share(problem, how, share):
    table, by, policy = problem
    try:
        result = sl.protect(table, policy, by=by, method=FullDomain(suppress=share, suppressed=how), ask="nobody")
    except NothingSafe:
        return
    assert result.verdict.safe
    assert result.suppressed <= share * table.people
    left = table.people - (result.suppressed if how == "left out" else 0)
    assert result.release.size == left


@given(problems())
def test_mondrian_is_within_policy_and_covers_everybody_once(problem):
    table, by, policy = problem
    result = sl.protect(table, policy, by=by, method="mondrian", ask="nobody")
    assert result.verdict.safe
    assert result.release.size == table.people
    assert result.release.groups.whole.tolist() == table.counts.totals().tolist()
    lines = {result.release.groups.name(row).printed for row in range(len(result.release))}
    assert len(lines) == len(result.release)


@given(problems(semantics="single"))
def test_mondrian_is_minimal_where_merging_never_hurts(problem):
    table, by, policy = problem
    assume(all(each.measure.monotonicity("single") is not sl.Monotonicity.UNKNOWN for each in policy.criteria))
    result = sl.protect(table, policy, by=by, method="mondrian", ask="nobody")
    recoding = result.recoding
    orders = column_orders(table.quasi, by)
    for group in range(len(result.release)):
        keys = np.flatnonzero(recoding.group == group)
        for column, order in enumerate(orders):
            rank = order.rank[table.quasi[column].codes[keys]]
            present = np.unique(rank)
            depths = order.depth(present[:-1].astype(np.int64), present[1:].astype(np.int64))
            for cut, depth in zip(present[1:], depths, strict=True):
                if depth < depths.max():
                    continue
                split = recoding.group.copy()
                split[keys[rank >= cut]] = len(result.release)
                assert not policy.judge(regrouped(table, split)).safe


TIES = (
    sl.Implications(0) <= Fraction(1, 2),
    sl.Implications(1) <= Fraction(2, 3),
    sl.Implications(1) < Fraction(2, 3),
    sl.Implications(2) <= Fraction(9, 10),
    sl.Acquaintance(others=1) <= Fraction(1, 2),
    sl.Acquaintance(family=1) <= Fraction(1, 2),
    sl.Acquaintance(family=1) < Fraction(1, 2),
    sl.Acquaintance(1, 1, 1) <= Fraction(3, 4),
    sl.Acquaintance(1, 1, 1) < Fraction(3, 4),
)


def cuts_one_by_one(acceptance, cuts, generation):
    """Try the cuts of each group in turn, every release that they would make judged exactly."""
    for group in np.unique(cuts.group):
        for row in np.flatnonzero(cuts.group == group):
            cut = cuts.take(np.array([row]))
            after, (_, moved) = acceptance.store.group.copy(), generation.right_of(cut)
            after[generation.keys[moved]] = len(acceptance.store)
            cells = np.array(
                [
                    acceptance.store.table.counts.dense()[after == each].sum(axis=0)
                    for each in range(len(acceptance.store) + 1)
                ]
            )
            released = candidate_groups(acceptance.store.table, cells.sum(axis=1), Counts(cells.shape, cells=cells))
            if all(check.holds_exactly(released) for check in acceptance.checks):
                acceptance.screened = [np.vstack((rows, rows[:1])) for rows in acceptance.screened]
                yield cut
                break


def partition_of(found) -> set[frozenset[int]]:
    group = found.recoding.group
    return {frozenset(np.flatnonzero(group == each).tolist()) for each in np.unique(group)}


@st.composite
def balanced(draw):
    """Draw a table in which every value is equally frequent, as its groups need not be."""
    drawn = draw(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4).filter(any), min_size=2, max_size=3))
    rotated = [cells[at:] + cells[:at] for cells in drawn for at in range(4)]
    counts = Counts.from_cells(draw(st.permutations(rotated)))
    age = Column.of("age", [str(age) for age in range(len(rotated))])
    parity = Column.of("parity", [str(age % 2) for age in range(len(rotated))])
    return Table((age, parity), "disease", ("Flu", "Cold", "Ulcer", "Heart"), counts.per_row(), counts)


@given(balanced(), st.lists(st.sampled_from(TIES), min_size=1, max_size=2, unique_by=str))
def test_runs_of_cuts_at_a_limit_that_is_met_are_what_cutting_one_by_one_gives(table, criteria):
    assume(sl.Policy(*criteria).judge(one_group(table)).safe)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Acceptance, "runs", cuts_one_by_one)
        slow = partition_of(sl.protect(table, criteria, method="mondrian", ask="nobody"))
    assert partition_of(sl.protect(table, criteria, method="mondrian", ask="nobody")) == slow


@given(st.data())
def test_screens_say_what_measures_say(data):
    release = data.draw(releases(max_groups=4, max_people=5))
    measure = data.draw(measures(release, mergeable=True))
    screen = measure.screen()
    rows = screen.rows(release.groups)
    value = screen.value(join_forwards(screen, rows)[-1:])[0]
    finding = measure.measure(release)
    if finding.witness is not None:
        assert value == pytest.approx(float(finding.value), rel=1e-9, abs=1e-9)
    for other in (join_backwards(screen, rows)[:1], join_all(screen, rows)):
        again = screen.value(other)[0]
        assert again == pytest.approx(value, rel=1e-9, abs=1e-9) or np.isnan(again)


@given(st.data())
def test_limits_judge_groups_as_policies_do(data):
    release = data.draw(releases(max_groups=3))
    measure = data.draw(measures(release, mergeable=True))
    criterion = bounded(measure, release, data.draw)
    check = PolicyCheck.from_policy(sl.Policy(criterion), release.size)
    assert check.holds(release.groups) == criterion.judge(release).holds
    for row in range(len(release)):
        alone = check.holds_in_each(release.groups.take(slice(row, row + 1)))
        finding = measure.summarize(release.groups.take(slice(row, row + 1))).finding()
        # a group without values breaks no limit of a release that has some, and one group alone no average
        says_something = finding.witness is not None and measure.screen().breaks_with_one_group
        assert bool(alone[0]) == (not says_something or criterion.decide(finding).holds)


@st.composite
def limited(draw):
    """Draw a table, hierarchies and a limit that some release of it meets, or just breaks; of any measure."""
    table = draw(tables(max_columns=2, max_keys=4))
    by = draw(hierarchies(table))
    lattice = Lattice(table, by)
    at = tuple(draw(st.integers(0, height - 1)) for height in lattice.heights)
    release = draw(st.sampled_from([lattice.release_at(at), one_group(table)]))
    measure = draw(measures(release, mergeable=True))
    value = measure.measure(release).value
    assume(measure.limits[0] <= value <= measure.limits[1])
    kept, broken = (measure.__le__, measure.__lt__) if measure.large_is_bad else (measure.__ge__, measure.__gt__)
    return table, by, draw(st.sampled_from([kept, broken]))(value)


@given(limited())
def test_the_lattice_refuses_only_what_trying_every_node_does_not_find(problem):
    table, by, criterion = problem
    lattice = Lattice(table, by)
    if any(criterion.judge(lattice.release_at(node)).holds for node in lattice.nodes()):
        assert sl.protect(table, criterion, by=by, ask="nobody").verdict.safe
        return
    with pytest.raises(NothingSafe) as why:
        sl.protect(table, criterion, by=by, ask="nobody")
    broken = not criterion.judge(one_group(table)).holds
    assert bool(why.value.blocked_by) == broken
    least, most = criterion.measure.limits
    assert why.value.closest or not broken or not least < criterion.bound < most


@given(limited(), st.sampled_from(["as *", "left out"]), st.sampled_from([0.3, 0.6]))
def test_suppression_refuses_only_what_no_node_finds(problem, how, share):
    table, by, criterion = problem
    method, lattice = FullDomain(suppress=share, suppressed=how), Lattice(table, by)
    check, most = PolicyCheck.from_policy([criterion], table.people), method.max_suppressed(table)
    found = [suppress_at(lattice, node, check, most, as_group=how == "as *") for node in lattice.nodes()]
    if any(each is not None for each in found):
        assert sl.protect(table, criterion, by=by, method=method, ask="nobody").verdict.safe
    else:
        with pytest.raises(NothingSafe):
            sl.protect(table, criterion, by=by, method=method, ask="nobody")


@given(limited(), st.sampled_from(["mondrian", "anatomy", "microaggregation"]))
def test_a_greedy_method_refuses_only_where_one_group_of_everybody_is_outside_the_policy(problem, method):
    table, by, criterion = problem
    assume(method != "anatomy" or table.semantics == "single")  # else it needs rows, and these are counts
    within = criterion.judge(one_group(table)).holds
    try:
        found = sl.protect(table, criterion, by=by, method=method, ask="nobody")
    except NothingSafe:
        assert not within
    else:
        assert found.verdict.safe
        assert within or not holds_upwards(criterion, table.semantics)
