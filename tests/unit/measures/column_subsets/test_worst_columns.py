"""Worst columns: without which fewest people would stand alone."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.measures.column_subsets.worst_columns import people_alone, worst_columns
from sidelight.table.labels import Column


def test_the_worst_columns_of_adult_agree_with_all_subsets():
    table = sl.datasets.adult().table
    worst = worst_columns(table.quasi, table.sizes)
    which = sl.identifying_columns(table)
    names = [column.name for column in table.quasi]
    fewer = {name: which[names].unique - which[[other for other in names if other != name]].unique for name in names}
    assert people_alone(table.sizes) == which[names].unique == 555
    assert [each.column for each in worst] == sorted(fewer, key=lambda name: -fewer[name])[:3]
    assert [each.fewer for each in worst] == sorted(fewer.values(), reverse=True)[:3]


def test_columns_that_do_the_same_have_no_worst_one():
    twins = [Column.of(name, ["1", "2", "3"]) for name in ("age", "born")]
    assert worst_columns(twins, np.array([1, 1, 1])) == ()


def test_groups_that_look_alike_are_told_apart_by_something_else():
    assert worst_columns([Column.of("age", ["1", "1"])], np.array([1, 1])) == ()


def test_the_worst_come_first_and_no_more_than_asked_for():
    """Without a the first three stand together, without b the last two; c changes nothing."""
    columns = [Column.of(name, texts) for name, texts in zip("cab", ("0000", "0122", "0001"), strict=True)]
    sizes = np.array([1, 1, 1, 1])
    assert [(each.column, each.fewer) for each in worst_columns(columns, sizes)] == [("a", 3), ("b", 2)]
    assert [each.column for each in worst_columns(columns, sizes, most=1)] == ["a"]
    assert worst_columns(columns, sizes, most=0) == ()


def test_people_alone_are_those_in_groups_of_one():
    assert people_alone(np.array([1, 2, 1, 3, 0])) == 2
    assert people_alone(np.array([], int)) == 0


@examples(60)
@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=12))
def test_it_is_what_counting_rows_gives(rows):
    groups = Counter(rows)
    columns = [Column.of(f"c{place}", [key[place] for key in groups]) for place in range(3)]
    sizes = np.array([*groups.values()])

    def alone(places):
        seen = Counter(tuple(row[place] for place in places) for row in rows)
        return sum(times == 1 for times in seen.values())

    fewer = {f"c{out}": alone((0, 1, 2)) - alone([place for place in range(3) if place != out]) for out in range(3)}
    worst = {each.column: each.fewer for each in worst_columns(columns, sizes)}
    assert worst == {name: number for name, number in fewer.items() if number}
