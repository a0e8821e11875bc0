"""Anatomy: buckets of different values."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadPolicy, BadTable
from sidelight.progress import quiet
from sidelight.search.anatomy import deal_in_turns, line_up_hardest_first
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Profiles


def test_whoever_is_hardest_to_place_comes_first():
    profiles = Profiles(np.zeros(3, np.int64), np.array([1, 4, 2]), Counts.from_cells([[1, 1], [1, 0], [0, 0]]))
    assert profiles.counts_of_all().tolist() == [5, 1]
    assert line_up_hardest_first(profiles, np.random.default_rng(1)).tolist() == [0, 1, 1, 1, 1, 2, 2]


def test_values_are_not_repeated_where_that_can_be():
    values = Counts.from_cells(np.eye(4, dtype=int))
    line = np.repeat(np.arange(4), 10)
    bucket = deal_in_turns(values, line, 10, np.random.default_rng(3))
    holds = Counts.from_entries(bucket, line, np.ones(40), (10, 4)).dense()
    assert holds.tolist() == [[1, 1, 1, 1]] * 10


def test_real_buckets_of_five_repeat_nothing_often():
    nhefs = sl.datasets.nhefs()
    found = sl.protect(
        nhefs.table, sl.GroupSize() >= 5, method=sl.Anatomy(random=np.random.default_rng(5)), ask="nobody"
    )
    assert len(found.release) == 1629 // 5
    repeated = (found.release.groups.counts.dense() > 1).any(axis=1).mean()
    assert repeated < 0.05


FLU_AND_OTHERS = {"Flu": 4, "Cold": 4, "Heart": 4, "Ulcer": 3}


def hospital(values=FLU_AND_OTHERS, *, column="age", sensitive="disease", semantics="single"):
    """One person at each age, values in order."""
    listed = [value for value, n in values.items() for _ in range(n)]
    domain = tuple(values)
    cells = np.array([[value == each for each in domain] for value in listed], np.int64)
    ages = Column.of(column, [str(20 + row) for row in range(len(listed))])
    return sl.Table((ages,), sensitive, domain, np.ones(len(listed), np.int64), Counts.from_cells(cells), semantics)


def search_outcome(table, *criteria, l=None, seed=7):  # noqa: E741 - the paper's letter
    method = sl.Anatomy(l=l, random=np.random.default_rng(seed))
    return method.search(table, sl.Policy(*criteria), by={}, utilities=("loss",), progress=quiet)["loss"]


def test_buckets_have_as_many_different_values_as_asked():
    outcome = search_outcome(hospital(), sl.GroupSize() >= 1, l=3)
    assert sorted(outcome.release.groups.sizes.tolist()) == [3, 3, 3, 3, 3]
    assert outcome.release.groups.counts.dense().max() == 1


def test_without_l_the_policy_decides():
    outcome = search_outcome(hospital(), sl.DistinctValues() >= 3)
    assert len(outcome.release) == 5
    outcome = search_outcome(hospital(), sl.GroupSize() >= 7)
    assert sorted(outcome.release.groups.sizes.tolist()) == [7, 8]


def test_merging_prefers_buckets_with_other_values():
    outcome = search_outcome(hospital({"a": 1, "b": 1, "c": 1, "d": 1}), sl.DistinctValues() >= 2, l=1)
    assert (np.count_nonzero(outcome.release.groups.counts.dense(), axis=1) >= 2).all()


def test_a_value_that_is_too_frequent_is_spread_evenly():
    outcome = search_outcome(hospital({"Flu": 12, "Cold": 2, "Heart": 2}), sl.GroupSize() >= 1, l=2)
    groups = outcome.release.groups
    assert len(groups) == 4
    assert groups.counts.column(0).tolist() == [3, 3, 3, 3]


def test_the_same_chance_makes_the_same_buckets_and_another_one_others():
    one, same, other = (search_outcome(hospital(), sl.DistinctValues() >= 3, seed=seed).buckets for seed in (1, 1, 2))
    assert one.bucket.tolist() == same.bucket.tolist()
    assert one.key.tolist() == same.key.tolist()
    assert one.key.tolist() != other.key.tolist()


def test_who_gets_which_bucket_is_left_to_chance():
    """Each of the four with Flu must be as likely to be in a bucket with Ulcer as any other: 3 of 5 buckets have it."""
    table = hospital()
    rng = np.random.default_rng(5)
    with_ulcer = np.zeros(4)
    for _ in range(400):
        method = sl.Anatomy(l=3, random=rng)
        outcome = method.search(table, sl.Policy(sl.GroupSize() >= 1), by={}, utilities=("loss",), progress=quiet)[
            "loss"
        ]
        has_ulcer = outcome.release.groups.counts.column(3) > 0
        bucket = np.empty(15, int)
        bucket[outcome.buckets.key] = outcome.buckets.bucket
        with_ulcer += has_ulcer[bucket[:4]]
    assert with_ulcer.max() - with_ulcer.min() < 80


def test_rows_stand_by_bucket_and_key_never_by_value():
    people = search_outcome(hospital(), sl.DistinctValues() >= 3).buckets.tables()[0]
    rows = [(int(people[1].cell(row)), int(people[0].cell(row))) for row in range(15)]
    assert rows == sorted(rows)


@pytest.mark.parametrize(("column", "sensitive"), [("bucket", "disease"), ("age", "bucket")])
def test_the_bucket_has_a_name_of_its_own(column, sensitive):
    outcome = search_outcome(hospital(column=column, sensitive=sensitive), sl.DistinctValues() >= 2)
    assert outcome.release.groups.columns[0].name == "bucket 2"


@pytest.mark.parametrize("l", [0, -1, 2.5, "two"])
def test_l_is_a_number_of_values(l):  # noqa: E741 - the paper's letter
    with pytest.raises(BadPolicy, match="how many different values"):
        sl.Anatomy(l=l)


def test_more_values_than_there_are_cannot_be_had():
    with pytest.raises(BadPolicy, match=r"Anatomy\(l=5\).*\b4 different values"):
        search_outcome(hospital(), sl.GroupSize() >= 1, l=5)


def test_several_values_per_person_are_dealt_only_where_it_is_known_what_is_together():
    with pytest.raises(BadTable, match=r"does not say.*together.*read its rows"):
        search_outcome(hospital(semantics="set"), sl.GroupSize() >= 1)


def test_progress_is_told():
    reports = []
    sl.Anatomy(random=np.random.default_rng(1)).search(
        hospital(),
        sl.Policy(sl.DistinctValues() >= 3),
        by={},
        utilities=("loss",),
        progress=lambda *each: reports.append(each[0]),
    )
    assert reports[0] == "trying numbers of buckets"
    assert reports[-1] == "merging buckets"


def test_adult_within_a_policy_about_acquaintances():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    policy = sl.Policy(sl.Acquaintance(rules_out=4, family=1) < 0.75, sl.Implications(3) < 0.75)
    merged = sl.protect(adult.table, policy, method=sl.Anatomy(l=4, random=np.random.default_rng(1)), ask="nobody")
    dealt = sl.protect(adult.table, policy, method="anatomy", ask="nobody")
    assert merged.verdict.safe
    assert dealt.verdict.safe
    assert len(dealt.release) > 3_000
    assert dealt.utility["loss"] == 0


def test_a_method_without_a_generator_draws_from_the_one_it_is_handed():
    one, other = np.random.default_rng(1), np.random.default_rng(2)
    assert sl.Anatomy().seed_with(one).random is one
    assert sl.Anatomy(random=other).seed_with(one).random is other
    assert sl.Mondrian().seed_with(one) == sl.Mondrian()
