"""Mondrian: which column is cut first, where it stops, and criteria judged over several groups.

A release judged with groups cut is the release of all other groups and the halves, judged anew.
"""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadPolicy, UnknownColumn
from sidelight.measures.criterion import CriterionCheck
from sidelight.release.groups import stack_groups
from sidelight.search.effort import EFFORT
from sidelight.search.mondrian import ExactRelease, Mondrian, cut_everybody
from sidelight.search.mondrian_frontier import KeyStore, label_counts
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck, covered_limits
from sidelight.search.veil import Veil
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table
from sidelight.testing.strategies import releases


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
    veil = Veil.build(limits, policy, table.people, lambda veils: np.full(len(veils), veiled) & (veils > 0))
    check = PolicyCheck.from_policy(policy, table.people)
    store = KeyStore.from_table(table, column_orders(table.quasi, {}))
    cut_everybody(store, check, veil=veil)
    return len(store)


def test_one_failed_look_closes_a_group_that_another_cut_would_divide():
    table = people("a", "b", "a", "a", "b", "c")
    assert len(sl.protect(table, HALF, method="mondrian", ask="nobody").release) == 2
    assert len(sl.protect(table, HALF, method="mondrian", resists="insider", ask="nobody").release) == 1


def test_a_veil_closes_a_group_that_could_be_cut():
    table, policy = people(*"abcadabcdef"), sl.Policy(sl.GroupSize() >= 5, sl.Implications(0) <= Fraction(1, 2))
    assert [groups(table, policy, veiled=veiled) for veiled in (False, True)] == [2, 1]


def test_many_cuts_that_may_not_be_looked_at_are_passed_over_at_once():
    # half of everybody has a: only equal halves may be looked at
    assert groups(people(*"a" * 200, *"b" * 200), HALF, veiled=False) == 1
    assert groups(people(*"ab" * 200), HALF, veiled=False) == 8  # of 50 people, whose halves are odd


def test_limits_on_sizes_alone_need_no_veil():
    found = sl.protect(people(*"aabb"), sl.GroupSize() >= 2, method="mondrian", resists="insider", ask="nobody")
    assert len(found.release) == 2
    assert found.resistance is not None
    assert found.resistance.belief is None
    assert "learns nothing more" in found.notes[-1]


@pytest.mark.parametrize("method", ["lattice", "anatomy", "microaggregation"])
def test_other_methods_have_no_defence(method):
    with pytest.raises(BadPolicy, match=rf"'{method}'.*no defence.*insider"):
        sl.protect(people(*"aabb"), HALF, method=method, resists="insider", ask="nobody")


def test_there_is_one_reader_to_resist():
    with pytest.raises(BadPolicy, match="names a reader, 'insider'"):
        sl.protect(people(*"aabb"), HALF, method="mondrian", resists="learner", ask="nobody")


def test_an_order_of_cuts_that_values_decide_is_refused():
    with pytest.raises(BadPolicy, match="by their order"):
        sl.protect(people(*"abab"), HALF, method=Mondrian(towards="disease"), resists="insider", ask="nobody")


def test_limits_that_judge_the_end_by_the_true_values_are_refused():
    with pytest.raises(BadPolicy, match=r"maximum entropy.* is none of these"):
        sl.protect(
            people(*"abab"),
            sl.Policy(*HALF.criteria, sl.MaxEnt(rules=(1, 0)) <= 1),
            method="mondrian",
            resists="insider",
            ask="nobody",
        )


def test_people_with_several_values_are_refused():
    with pytest.raises(BadPolicy, match="one value per person"):
        sl.protect(people(*"abab", semantics="set"), HALF, method="mondrian", resists="insider", ask="nobody")


def test_limits_on_sizes_of_several_groups_are_refused():
    policy = sl.Policy(sl.ProsecutorRisk(statistic="average") <= 0.5, sl.Implications(0) <= 0.5)
    with pytest.raises(BadPolicy, match="on several together"):
        sl.protect(people(*"abab"), policy, method="mondrian", resists="insider", ask="nobody")


def test_the_sidecar_tells_the_promise_and_neither_the_price_nor_the_coins(tmp_path):
    found = sl.protect(people(*"abcabcabcabc"), HALF, method="mondrian", resists="insider", ask="nobody")
    found.publish(tmp_path / "release.csv")
    document = json.loads((tmp_path / "release.csv.sidelight.json").read_text())
    assert document["search"]["resistance"]["reader"] == "insider"
    assert document["search"]["resistance"]["belief"]["exact"] == "1/2"
    assert not {"KL divergence", "query error"} & document["utility"].keys()
    assert "plain" not in json.dumps(document["search"])


def ages(*counts: tuple[int, ...]) -> Table:
    """One key per age, with so many people of each value."""
    column = Column.of("age", [str(age) for age in range(len(counts))])
    domain = ("Flu", "Cold", "Ulcer", "Heart")[: len(counts[0])]
    return Table((column,), "disease", domain, np.sum(counts, axis=1), Counts.from_cells(counts))


def test_mondrian_towards_a_column_cuts_along_what_tells_about_it():
    cells = [(age, sex) for age in ("11", "12", "13", "14", "15", "16", "17", "18") for sex in ("f", "m")]
    table = Table(
        quasi=(Column.of("age", [age for age, _ in cells]), Column.of("sex", [sex for _, sex in cells])),
        sensitive="disease",
        domain=("Flu", "Cold"),
        sizes=np.full(len(cells), 4),
        counts=Counts.from_cells([[4, 0] if sex == "f" else [0, 4] for _, sex in cells]),
    )
    policy = sl.Policy(sl.GroupSize() >= 30)
    towards = sl.protect(table, policy, method=sl.Mondrian(towards="disease"), ask="nobody")
    widest = sl.protect(table, policy, method="mondrian", ask="nobody")
    assert {dict(towards.release.groups.name(row).printed)["sex"] for row in range(2)} == {"f", "m"}
    assert {dict(widest.release.groups.name(row).printed)["age"] for row in range(2)} == {"11-14", "15-18"}


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(UnknownColumn, match="did you mean 'age'"):
        sl.protect(ages((1, 1)), sl.GroupSize() >= 1, method=sl.Mondrian(towards="aeg"), ask="nobody")


def test_labels_are_counted_by_key():
    table = ages((1, 1), (2, 0))
    assert label_counts(table, "disease").dense().tolist() == [[1, 1], [2, 0]]
    assert label_counts(table, "age").dense().tolist() == [[2, 0], [0, 2]]


def test_a_group_that_cannot_be_halved_is_cut_elsewhere():
    result = sl.protect(ages((9, 9), (1, 0), (0, 1), (1, 1)), sl.GroupSize() >= 4, method="mondrian", ask="nobody")
    assert sorted(result.release.groups.sizes.tolist()) == [4, 18]


def test_progress_tells_groups_generation_by_generation():
    seen = []
    table = ages((2, 2), (2, 2), (2, 2), (2, 2))
    check = PolicyCheck.from_policy([sl.GroupSize() >= 4], people=16)
    store = KeyStore.from_table(table, column_orders(table.quasi, {}))
    cut_everybody(store, check, progress=seen.append)
    assert seen == [1, 2, 4]
    assert store.start.tolist() == [[0], [2], [1], [3]]


def test_cuts_judged_together_are_accepted_as_one_by_one():
    """Someone who knows two implications may use several groups; what runs of cuts accept is what a plain loop does."""
    rng = np.random.default_rng(3)
    table = ages(*(tuple(row) for row in rng.integers(1, 5, (12, 4)).tolist()))
    policy = sl.Policy(sl.Implications(2) <= Fraction(9, 10))
    result = sl.protect(table, policy, method="mondrian", ask="nobody")
    assert result.verdict.safe
    assert len(result.release) > 1
    group = result.recoding.group
    for at in range(1, 12):
        if group[at] == group[at - 1]:
            split = group.copy()
            split[at:][group[at:] == group[at]] = group.max() + 1
            bags = [table.counts.dense()[split == each].sum(axis=0) for each in np.unique(split)]
            release = sl.Release.from_counts([dict(zip(table.domain, bag.tolist(), strict=True)) for bag in bags])
            assert not policy.judge(release).safe


def judged_exactly(monkeypatch) -> list[CriterionCheck]:
    """Note every exact judgement from here on."""
    seen, plain = [], CriterionCheck.decides
    monkeypatch.setattr(CriterionCheck, "decides", lambda check, summary: seen.append(check) or plain(check, summary))
    return seen


@pytest.mark.parametrize(
    "criterion",
    [
        sl.Implications(0) <= Fraction(1, 3),
        sl.Implications(1) <= Fraction(1, 2),
        sl.Acquaintance(others=1) <= Fraction(1, 2),
        sl.Acquaintance(family=1) <= Fraction(1, 2),
    ],
    ids=str,
)
def test_where_every_group_meets_the_limit_few_releases_are_judged_exactly(monkeypatch, criterion):
    """127 cuts, and all that follow the first have a release that is as close to its limit as can be."""
    exactly = judged_exactly(monkeypatch)
    table = ages(*[(1, 1, 1)] * 128)
    found = sl.protect(table, criterion, method="mondrian", ask="nobody")
    assert len(found.release) == 128
    assert found.verdict.judgements[0].finding.value == criterion.bound
    assert len(exactly) < 24


def test_where_nothing_may_meet_the_limit_close_cuts_are_refused_one_by_one():
    table = ages(*[(1, 1, 1)] * 16)
    found = sl.protect(table, sl.Acquaintance(family=1) < Fraction(1, 2), method="mondrian", ask="nobody")
    assert found.release.groups.sizes.min() > 3
    assert found.verdict.judgements[0].finding.value < Fraction(1, 2)


def test_where_a_release_is_next_to_a_strict_limit_cuts_of_other_groups_are_not_judged_one_by_one(monkeypatch):
    """The first cut sets half of the people apart, a hair's breadth within: what the others are cut into does no harm."""
    table = ages((400, 200, 100, 68), *[(3, 3, 3, 3)] * 64)
    measure = sl.Acquaintance(family=1)
    reached = sl.protect(table, measure < 1, method="mondrian", ask="nobody").verdict.judgements[0].finding.value
    exactly = judged_exactly(monkeypatch)
    found = sl.protect(table, measure < reached + Fraction(1, 10**17), method="mondrian", ask="nobody")
    assert found.verdict.judgements[0].finding.value == reached
    assert len(found.release) == 65
    assert len(exactly) < 24


def test_a_limit_that_nothing_breaks_lets_everything_be_cut(monkeypatch):
    exactly = judged_exactly(monkeypatch)
    found = sl.protect(ages(*[(1, 0)] * 32), sl.Implications(3) <= 1, method="mondrian", ask="nobody")
    assert len(found.release) == 32
    assert exactly == []


MEASURES = (sl.Acquaintance(1, 1, 1), sl.Acquaintance(0, 0, 2), sl.Implications(1), sl.Implications(2))


@examples(15)
@given(
    releases(min_groups=2, max_groups=9, max_people=5, semantics="single"),
    st.sampled_from(MEASURES),
    st.data(),
    st.sampled_from([1, 2, 3, 512]),
)
def test_cuts_are_judged_as_the_release_that_they_make(release, measure, data, at_once):
    groups = replace(release.groups, columns=())
    rows = st.integers(0, len(groups) - 1)
    for _ in range(2):
        cut = np.array(sorted(data.draw(st.sets(rows, min_size=1))))
        halves = groups.take(np.array(data.draw(st.lists(rows, min_size=1, max_size=4))))
        halves = replace(halves, numbers=len(groups) + 1 + np.arange(len(halves)))
        made = stack_groups([groups.take(np.setdiff1d(np.arange(len(groups)), cut)), halves])
        # the value itself is met, and just about kept
        value = CriterionCheck.from_criterion(measure <= 1, 10).finding(made).value
        for bound in {value, min(Fraction(value) + Fraction(1, 10**20), 1), Fraction(1, 2)}:
            check = CriterionCheck.from_criterion(measure < bound, 10)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(EFFORT, "groups", at_once)
                exact = ExactRelease(check, groups)
                assert exact.holds == check.holds_exactly(groups)
                for _ in range(2):  # at first, and of what is kept
                    assert exact.holds_after(cut, [halves]) == check.holds_exactly(made) == (value < bound)
