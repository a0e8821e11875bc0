"""One level per column for everybody: options, refusals, and what a node makes of the table."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, SidelightError
from sidelight.release.generalise import Lattice
from sidelight.search.effort import EFFORT
from sidelight.search.full_domain import NodeRecodings
from sidelight.search.lattice_search import SuppressedNode
from sidelight.search.policy_check import PolicyCheck
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

TABLE = Table(
    quasi=(Column.of("age", ["10", "20", "30", "40"]), Column.of("sex", ["f", "f", "m", "m"])),
    sensitive="disease",
    domain=("Flu", "Cold"),
    sizes=np.array([1, 2, 3, 4]),
    counts=Counts.from_cells([[1, 0], [1, 1], [0, 3], [2, 2]]),
)
BY = {column.name: sl.Hierarchy.suppression(column.name, column.labels) for column in TABLE.quasi}


def test_a_lattice_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(EFFORT, "lattice_nodes", 3)
    by = {column.name: sl.Hierarchy.suppression(column.name, column.labels) for column in TABLE.quasi}
    with pytest.raises(BadHierarchy, match="4 generalisations"):
        sl.protect(TABLE, sl.Policy(sl.GroupSize() >= 2), by=by, ask="nobody")


@pytest.mark.parametrize("suppressed", ["left_out", None, "*"])
def test_suppressed_people_are_printed_or_left_out(suppressed):
    with pytest.raises(BadPolicy, match="choose 'as \\*' or 'left out'"):
        sl.FullDomain(suppress=0.1, suppressed=suppressed)


def test_hierarchies_that_do_not_reach_one_group_are_told_so():
    flat = {**BY, "age": sl.Hierarchy("age", (("10", "20", "30", "40"),))}
    with pytest.raises(NothingSafe, match=r"add a level \*.*suppress="):
        sl.protect(TABLE, sl.GroupSize() >= 5, by=flat, ask="nobody")


def test_too_few_nodes_find_nothing_and_say_so():
    with pytest.raises(SidelightError, match=r"more time.*nodes="):
        sl.protect(TABLE, sl.GroupSize() >= 10, by=BY, method=sl.FullDomain(nodes=0), ask="nobody")


def test_the_utility_chooses_among_the_minimal_nodes():
    result = sl.protect(TABLE, sl.GroupSize() >= 3, by=BY, ask="nobody")
    assert [dict(levels) for levels in result.minimal] == [{"age": 1, "sex": 0}]
    assert result.recoding.sizes.tolist() == [3, 7]


def test_a_node_covers_stretches_of_ranks_and_suppressed_keys_are_in_no_group():
    lattice = Lattice(TABLE, BY)
    recodings = NodeRecodings(lattice, BY)
    halves = recodings.recode((1, 0))
    assert halves.start.tolist() == [[0, 0], [0, 1]]
    assert halves.stop.tolist() == [[4, 1], [4, 2]]
    assert halves.group.tolist() == [0, 0, 1, 1]
    check = PolicyCheck.from_policy([sl.GroupSize() >= 4], people=10)
    chosen = SuppressedNode((1, 0), np.array([True, False]), 3, as_group=False, policy=check)
    assert recodings.recode((1, 0), chosen).group.tolist() == [-1, -1, 0, 0]
    assert recodings.recode((1, 0), chosen).suppressed == 3


def test_all_minimal_choices_are_listed_with_what_they_are_worth():
    adult = sl.datasets.adult(quasi=["age", "education", "sex"])
    found = sl.protect(adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, ask="nobody")
    assert dict(found.choices[0].levels) == dict(found.levels)
    assert {tuple(each.levels.values()) for each in found.choices} == {tuple(each.values()) for each in found.minimal}
    worths = [each.utility["balanced loss"] for each in found.choices]
    assert worths == sorted(worths)
    for name, worth in found.choices[0].utility.items():
        assert worth == found.utility[name]


def test_a_choice_that_suppresses_is_listed_though_it_is_not_minimal():
    adult = sl.datasets.adult(quasi=["age", "education", "sex"])
    found = sl.protect(adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, suppress=0.01, ask="nobody")
    assert dict(found.choices[0].levels) == dict(found.levels)
    assert found.choices[0].suppressed == found.suppressed > 0


@pytest.mark.parametrize("suppress", [0, 0.02])
def test_every_choice_can_be_taken_by_its_levels(suppress):
    adult = sl.datasets.adult(quasi=["age", "education", "sex"])
    policy = sl.Policy(sl.GroupSize() >= 10, sl.EntropyDiversity() >= 3)
    found = sl.protect(adult.table, policy, by=adult.hierarchies, suppress=suppress, ask="nobody")
    for choice in found.choices:
        taken = sl.protect(
            adult.table, policy, by=adult.hierarchies, suppress=suppress, levels=choice.levels, ask="nobody"
        )
        assert taken.verdict.safe
        assert (dict(taken.levels), taken.suppressed) == (dict(choice.levels), choice.suppressed)
        assert taken.checked == 1


def test_levels_outside_the_policy_are_refused_with_the_limits_they_break():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    with pytest.raises(sl.NothingSafe, match=r"age 0, sex 0.*not within policy.*group size ≥ 10\b.*\b1\b"):
        sl.protect(adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, levels={}, ask="nobody")
    with pytest.raises(sl.NothingSafe, match=r"at most 4 people.*not help"):
        sl.protect(adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, levels={}, suppress=0.0001, ask="nobody")


@pytest.mark.parametrize(
    ("levels", "message"),
    [({"aeg": 1}, "did you mean 'age'"), ({"age": 6}, "0 .as it is. to 5"), ({"age": True}, "no level True")],
)
def test_levels_that_there_are_not(levels, message):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    with pytest.raises(BadPolicy, match=message):
        sl.protect(adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, levels=levels, ask="nobody")


def test_only_a_search_over_levels_takes_levels():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    for method in ("mondrian", sl.Mondrian()):
        with pytest.raises(BadPolicy, match="method 'mondrian' has no levels"):
            sl.protect(adult.table, sl.GroupSize() >= 10, method=method, levels={"age": 1}, ask="nobody")
    taken = sl.protect(
        adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, method=sl.FullDomain(), levels={"age": 2}, ask="nobody"
    )
    assert taken.levels["age"] == 2


def test_between_equals_the_default_utility_decides():
    adult = sl.datasets.adult(quasi=["age", "education", "sex"])
    policy = sl.GroupSize() >= 10
    equal = sl.protect(
        adult.table, policy, by=adult.hierarchies, utility="suppressed", ask="nobody"
    )  # nobody is, in all of them
    assert dict(equal.levels) == dict(sl.protect(adult.table, policy, by=adult.hierarchies, ask="nobody").levels)


def test_the_default_utility_publishes_what_a_person_would_choose():
    """Discernibility kept steps of five years and starred all else; loss gave up age for race."""
    adult = sl.datasets.adult(quasi=["age", "education", "native-country", "race", "sex"])
    levels = {
        utility: tuple(
            sl.protect(
                adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, utility=utility, ask="nobody"
            ).levels.values()
        )
        for utility in ("balanced loss", "loss", "discernibility", "average group size", "non-uniform entropy")
    }
    assert levels == {  # as docs/do/protect.md tells it
        "balanced loss": (3, 2, 3, 1, 0),
        "loss": (5, 2, 3, 0, 0),
        "discernibility": (1, 3, 3, 1, 1),
        "average group size": (5, 1, 3, 0, 1),
        "non-uniform entropy": (5, 0, 3, 1, 0),
    }
