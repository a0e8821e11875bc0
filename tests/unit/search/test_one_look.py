"""Mondrian with one look per group: what is refused, what is told, and what is not."""

import json
from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadPolicy
from sidelight.search.mondrian import Mondrian, cut_everybody
from sidelight.search.one_look import one_look
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.value_limits import covered_limits
from sidelight.table.table import Column, Counts, Table


def people(*values: str, semantics="single") -> Table:
    """One person per age, from 1 on."""
    domain = tuple(sorted(set(values)))
    cells = [[int(value == each) for each in domain] for value in values]
    column = Column.of("age", [str(1 + age) for age in range(len(values))])
    return Table((column,), "disease", domain, np.ones(len(values), np.int64), Counts.from_cells(cells), semantics)


HALF = sl.Policy(sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(1, 2))


def groups(table: Table, policy: sl.Policy, *, veiled: bool) -> int:
    limits = covered_limits(policy)
    assert limits is not None
    look = one_look(limits, policy, table.people, lambda veils: np.full(len(veils), veiled) & (veils > 0))
    check = PolicyCheck.of(policy, table.people)
    return len(cut_everybody(table, check, column_orders(table.quasi, {}), one_look=look))


def test_one_failed_look_closes_a_group_that_another_cut_would_divide():
    table = people("a", "b", "a", "a", "b", "c")
    assert len(sl.protect(table, HALF, method="mondrian").release) == 2
    assert len(sl.protect(table, HALF, method="mondrian", resists="insider").release) == 1


def test_a_veil_closes_a_group_that_could_be_cut():
    table, policy = people(*"abcadabcdef"), sl.Policy(sl.GroupSize() >= 5, sl.Implications(0) <= Fraction(1, 2))
    assert [groups(table, policy, veiled=veiled) for veiled in (False, True)] == [2, 1]


def test_many_cuts_that_may_not_be_looked_at_are_passed_over_at_once():
    # half of everybody has a: only equal halves may be looked at
    assert groups(people(*"a" * 200, *"b" * 200), HALF, veiled=False) == 1
    assert groups(people(*"ab" * 200), HALF, veiled=False) == 8  # of 50 people, whose halves are odd


def test_limits_on_sizes_alone_need_no_veil():
    found = sl.protect(people(*"aabb"), sl.GroupSize() >= 2, method="mondrian", resists="insider")
    assert len(found.release) == 2
    assert found.resistance is not None
    assert found.resistance.belief is None
    assert "learns nothing more" in found.notes[-1]


@pytest.mark.parametrize("method", ["lattice", "anatomy", "microaggregation"])
def test_other_methods_have_no_defence(method):
    with pytest.raises(BadPolicy, match="has no defence against an insider"):
        sl.protect(people(*"aabb"), HALF, method=method, resists="insider")


def test_there_is_one_reader_to_resist():
    with pytest.raises(BadPolicy, match="names a reader, 'insider'"):
        sl.protect(people(*"aabb"), HALF, method="mondrian", resists="learner")


def test_an_order_of_cuts_that_values_decide_is_refused():
    with pytest.raises(BadPolicy, match="tell of it by their order"):
        sl.protect(people(*"abab"), HALF, method=Mondrian(towards="disease"), resists="insider")


def test_limits_that_judge_the_end_by_the_true_values_are_refused():
    with pytest.raises(BadPolicy, match=r"maximum entropy.* is none of these"):
        sl.protect(
            people(*"abab"),
            sl.Policy(*HALF.criteria, sl.MaxEnt(rules=(1, 0)) <= 1),
            method="mondrian",
            resists="insider",
        )


def test_people_with_several_values_are_refused():
    with pytest.raises(BadPolicy, match="one value per person"):
        sl.protect(people(*"abab", semantics="set"), HALF, method="mondrian", resists="insider")


def test_limits_on_sizes_of_several_groups_are_refused():
    policy = sl.Policy(sl.ProsecutorRisk(statistic="average") <= 0.5, sl.Implications(0) <= 0.5)
    with pytest.raises(BadPolicy, match="on several together"):
        sl.protect(people(*"abab"), policy, method="mondrian", resists="insider")


def test_the_sidecar_tells_the_promise_and_neither_the_price_nor_the_coins(tmp_path):
    found = sl.protect(people(*"abcabcabcabc"), HALF, method="mondrian", resists="insider")
    found.publish(tmp_path / "release.csv")
    document = json.loads((tmp_path / "release.csv.sidelight.json").read_text())
    assert document["search"]["resistance"]["reader"] == "insider"
    assert document["search"]["resistance"]["belief"]["exact"] == "1/2"
    assert not {"KL divergence", "query error"} & document["utility"].keys()
    assert "plain" not in json.dumps(document["search"])
