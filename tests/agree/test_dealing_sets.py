"""People with several values in buckets, against counting them one by one."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadPolicy, NothingSafe, NotPublished
from sidelight.publish.publish import read_published
from sidelight.search.anatomy import deal_in_turns, line_up_hardest_first
from sidelight.table.table import Counts, Profiles

had = st.lists(st.sampled_from("abcd"), max_size=4)
everybody = st.lists(had, min_size=2, max_size=14).filter(any)


def table_of(people, values="set"):
    """A table of people, of whom each has a key of their own, and the values that are listed."""
    rows = [(number, value) for number, listed in enumerate(people) for value in listed or [None]]
    columns = {
        "id": [number for number, _ in rows],
        "key": [f"k{number}" for number, _ in rows],
        "disease": pa.array([value for _, value in rows], pa.string()),
    }
    return sl.read_table(
        pa.table(columns), quasi="key", sensitive="disease", person="id", values=values, missing="no value"
    )


def counted_one_by_one(result, people, values):
    """What each bucket holds, person by person, as the published tables say who is in it."""
    members = result.release.members
    (names,) = members.columns
    buckets = {}
    for group, line, times in zip(members.group, members.key, members.people, strict=True):
        assert times == 1
        bucket = buckets.setdefault(int(group), [0, Counter()])
        bucket[0] += 1
        mine = people[int(names.cell(int(line))[1:])]
        bucket[1].update(set(mine) if values == "set" else mine)
    return buckets


@examples(15)
@given(everybody, st.sampled_from(["set", "multiset"]), st.integers(1, 4), st.integers(0, 2**32))
def test_buckets_hold_what_their_people_have_and_keep_the_policy(people, values, k, seed):
    table = table_of(people, values)
    policy = sl.Policy(sl.GroupSize() >= k, sl.Acquaintance() <= Fraction(1, 2))
    try:
        result = sl.protect(table, policy, method=sl.Anatomy(random=np.random.default_rng(seed)), ask="nobody")
    except NothingSafe:
        assume(False)
    assert result.verdict.safe
    groups = result.release.groups
    one_by_one = counted_one_by_one(result, people, values)
    assert len(one_by_one) == len(groups)
    for group, (size, counts) in one_by_one.items():
        assert groups.sizes[group] == size >= k
        row = groups.counts.row(group)
        assert {value: int(n) for value, n in zip(groups.domain, row, strict=True) if n} == dict(counts)
        if values == "set":
            assert max(counts.values(), default=0) * 2 <= size


@given(everybody, st.integers(1, 6), st.integers(0, 2**32))
def test_everybody_is_dealt_once_and_evenly(people, buckets, seed):
    cells = [[int(value in listed) for value in "abcd"] for listed in people]
    profiles = Profiles(np.zeros(len(people), np.int64), np.ones(len(people), np.int64), Counts.from_cells(cells))
    rng = np.random.default_rng(seed)
    line = line_up_hardest_first(profiles, rng)
    assert sorted(line.tolist()) == list(range(len(people)))
    sizes = np.bincount(deal_in_turns(profiles.counts, line, buckets, rng), minlength=buckets)
    assert sizes.sum() == len(people)
    assert sizes.max() - sizes.min() <= 1


def test_who_of_those_with_the_same_values_is_where_is_left_to_chance():
    """Ann and Bea have the same values, Cat and Dan too: who shares a bucket with whom says nothing."""
    table = table_of(["ab", "ab", "c", "c"])
    together = 0
    for seed in range(200):
        method = sl.Anatomy(random=np.random.default_rng(seed))
        result = sl.protect(table, sl.Policy(sl.GroupSize() >= 2), method=method, ask="nobody")
        assert len(result.release) == 2
        members = result.release.members
        (names,) = members.columns
        bucket = {names.cell(int(line)): int(group) for group, line in zip(members.group, members.key, strict=True)}
        assert bucket["k0"] != bucket["k1"]
        together += bucket["k0"] == bucket["k2"]
    assert abs(together - 100) < 5 * 7.1  # five standard deviations


def test_nobody_is_surer_than_one_in_l_by_a_bucket_alone():
    nhefs = sl.datasets.nhefs()
    for most in (2, 4, 9):
        result = sl.protect(nhefs.table, sl.GroupSize() >= 2, method=sl.Anatomy(l=most), ask="nobody")
        assert sl.Acquaintance().measure(result.release).value <= Fraction(1, most)
        assert len(result.release) > 1
    with pytest.raises(BadPolicy, match=r"more than 1 in 10 .*most frequent.* l .*at most 9"):
        sl.protect(nhefs.table, sl.GroupSize() >= 2, method=sl.Anatomy(l=10), ask="nobody")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_real_people_with_several_conditions_are_published_as_two_tables(tmp_path, ending):
    nhefs = sl.datasets.nhefs()
    policy = sl.Policy(sl.GroupSize() >= 3, sl.Acquaintance(rules_out=1) < Fraction(1, 2))
    result = sl.protect(nhefs.table, policy, method="anatomy", ask="nobody")
    published = result.publish(tmp_path / f"people.{ending}")
    assert [path.name for path in published.paths] == [f"people.values.{ending}", f"people.{ending}"]
    back = read_published(published.path)
    assert (back.size, back.semantics, len(back)) == (1629, "set", len(result.release))
    assert policy.judge(back).safe
    assert back.groups.counts.totals().sum() == nhefs.table.counts.totals().sum()
    assert int(back.members.people.sum()) == 1629
    with pytest.raises(NotPublished, match='publish them with layout="two tables"'):
        result.publish(tmp_path / f"other.{ending}", layout="shuffled")
