"""An insider's beliefs against all assignments of small tables, each sent through `protect` itself."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.every_making import Making, SmallTable, every_making
from support.examples import QUICK, examples

import sidelight as sl
from sidelight.minimality.insider import InsiderBeliefs
from sidelight.search.mondrian_cuts import Proposals
from sidelight.search.mondrian_frontier import Generation
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.utility import Regions

BY_GROUP = (
    (sl.GroupSize() >= 1, sl.RecursiveDiversity(2) <= 1),
    (sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(1, 2)),
    (sl.GroupSize() >= 2, sl.Implications(0) < Fraction(2, 3)),
    (sl.GroupSize() >= 2, sl.DistinctValues() >= 2),
    (sl.DistinctValues() >= 2, sl.RecursiveDiversity(2) <= 2),
    (sl.EntropyDiversity() >= 1.5,),
    (sl.Closeness() <= Fraction(1, 3),),
)


MOST = 5 if settings().max_examples <= QUICK else 6
"""So many people have a table; in a thorough run more, and one more yet where they have two values."""


@st.composite
def small_tables(draw: st.DrawFn, most: int = MOST) -> SmallTable:
    """Up to so many people with one or two columns of few labels, and two or three values."""
    values = draw(st.integers(2, 3))
    people = draw(st.integers(2, most + 1 if most > 5 and values == 2 else most))
    columns = draw(st.integers(1, 2))
    keys = draw(st.lists(st.tuples(*[st.integers(0, 3)] * columns), min_size=people, max_size=people))
    distinct = sorted(set(keys))
    labels = tuple(tuple(str(key[at]) for key in distinct) for at in range(columns))
    return SmallTable(labels, tuple(keys.count(key) for key in distinct), values)


def lines_of(learnt: InsiderBeliefs) -> list[tuple[int, int, Fraction]]:
    """Every key's exact beliefs: (key of the table, value, belief)."""
    assert learnt.roster is not None
    recoding = learnt.groups
    told = []
    group_of = {each.question.row: each for each in recoding}
    for line, row in enumerate(learnt.roster.group.tolist()):
        counts = learnt.release.groups.counts.row(row)
        for value in range(len(counts)):
            belief = Fraction(int(counts[value]), int(counts.sum()))
            if row in group_of:
                question = group_of[row].question
                atom = int(question.atom[question.lines.tolist().index(line)])
                belief = group_of[row].exact_belief(atom, value)
            told.append((line, value, belief))
    return told


def keys_of_lines(making: Making) -> list[int]:
    """The table's key of each line of the roster: lines stand by group, and in it by key."""
    recoding = making.found.recoding
    assert isinstance(recoding, Regions)
    return np.argsort(recoding.group, kind="stable").tolist()


def nothing_is_lost(making: Making) -> None:
    """What is called sure or impossible is so."""
    learnt = sl.insider(making.found)
    assert learnt.outcome != "could not tell"
    if learnt.roster is None:
        return
    keys = keys_of_lines(making)
    for line, value, belief in lines_of(learnt):
        truth = making.belief(keys[line], value)
        assert belief > 0 or truth == 0
        assert belief < 1 or truth == 1
    if learnt.witness is not None:
        assert learnt.replay(learnt.witness) == learnt.worst


@given(small_tables(), st.sampled_from(BY_GROUP))
@examples(12)
def test_what_an_insider_calls_sure_or_impossible_is_so(small, limits):
    for making in every_making(
        small, lambda table: sl.protect(table, limits, method="mondrian", ask="nobody")
    ).values():
        nothing_is_lost(making)


@given(small_tables(most=4), st.sampled_from((Fraction(1, 2), Fraction(2, 3), Fraction(4, 5))))
@examples(6)
def test_limits_on_several_groups_lose_no_world(small, most):
    limit = sl.Implications(1) <= most
    for making in every_making(small, lambda table: sl.protect(table, limit, method="mondrian", ask="nobody")).values():
        nothing_is_lost(making)


@given(small_tables(), st.sampled_from(BY_GROUP[:4]))
@examples(6)
def test_a_release_is_made_exactly_where_the_cuts_before_fail(small, limits):
    def make(table):
        return sl.protect(table, limits, method="mondrian", ask="nobody")

    for making in every_making(small, make).values():
        leading = {cells for cells, _ in making.worlds}
        with_counts = assignments_with_the_counts(making, small)
        assert leading <= with_counts
        for cells in with_counts:
            assert (cells in leading) == follows(making, small, cells, limits)


def assignments_with_the_counts(making: Making, small: SmallTable) -> set:
    """All assignments that give the published groups their published counts; no other can lead to the release."""
    recoding = making.found.recoding
    assert isinstance(recoding, Regions)
    published = making.found.release.groups.counts.dense()
    member = recoding.group == np.arange(len(published))[:, np.newaxis]
    listed = [cells for cells, _ in small.assignments()]
    agree = (member @ np.array(listed) == published).all(axis=(1, 2))
    return {cells for cells, so in zip(listed, agree, strict=True) if so}


def follows(making: Making, small: SmallTable, cells, limits) -> bool:
    """Whether an assignment with the published counts leads to a release, by the tree that follows from the release.

    At each node the first cut that parts no published group, and whose halves keep the policy by their published
    counts, was made; every cut tried before it must fail, in a leaf every cut.
    """
    recoding = making.found.recoding
    assert isinstance(recoding, Regions)
    group, table = recoding.group, recoding.table
    true = small.assigned(cells)
    check = PolicyCheck.from_policy(limits, table.people)
    nodes = [np.arange(len(table.sizes))]
    while nodes:
        node = nodes.pop()
        everybody = Generation.from_table(true, recoding.orders)
        of_truth = everybody._taking(node, np.array([0, len(node)]), np.array([0]))
        proposals = Proposals(of_truth, recoding.orders)
        for cuts in (*proposals.medians(), proposals.others()):
            passing = of_truth.may_hold_in_halves(cuts, check)
            made = None
            for at in range(len(cuts)):
                right = of_truth.ranks[cuts.column[at]] >= cuts.rank[at]
                parted = set(group[node[right]].tolist()) & set(group[node[~right]].tolist())
                if parted and passing[at]:
                    return False
                if not parted and passing[at]:
                    made = right
                    break
            if made is not None:
                nodes += [node[made], node[~made]]
                break
        else:
            if len(set(group[node].tolist())) > 1:
                return False
    return True


LEVELS = {
    "q0": sl.Hierarchy.nested("q0", {"*": {"low": ["0", "1"], "high": ["2", "3"]}}),
    "q1": sl.Hierarchy.suppression("q1", ["0", "1", "2", "3"]),
}


@given(small_tables(), st.sampled_from(BY_GROUP[:5]))
@examples(10)
def test_finer_releases_that_were_not_published_lose_no_world(small, limits):
    by = {f"q{at}": LEVELS[f"q{at}"] for at in range(len(small.columns))}
    for making in every_making(small, lambda table: sl.protect(table, limits, by=by, ask="nobody")).values():
        nothing_is_lost(making)
