"""The walk over all subsets of columns: each once, and no more than can be gone through."""

from itertools import combinations

import numpy as np
import pytest

from sidelight.errors import BadTable, TooHard
from sidelight.measures.column_subsets import subsets
from sidelight.measures.column_subsets.subsets import (
    CountedKeys,
    Cube,
    Layout,
    SubsetWalk,
    count_each_subset,
    subset_limit,
)
from sidelight.table.table import Column


@pytest.mark.parametrize("columns", [1, 2, 5, 7])
@pytest.mark.parametrize("up_to", [1, 2, 4, 7])
def test_every_subset_is_visited_once(columns, up_to):
    visited = []

    def visit(subset, rows):
        assert sorted(subset) == sorted(rows)  # the rows are those of the subset
        visited.append(tuple(sorted(subset)))
        return True

    def without(rows, columns):
        return frozenset(rows) - frozenset(columns)

    SubsetWalk(without, visit, up_to).run(frozenset(range(columns)), range(columns))
    expected = [each for size in range(1, up_to + 1) for each in combinations(range(columns), size)]
    assert sorted(visited) == sorted(expected)


def test_nothing_below_is_visited_where_it_is_not_worth_a_look():
    visited = []

    def visit(subset, rows):
        del rows
        visited.append(subset)
        return 0 in subset

    SubsetWalk(lambda rows, columns: rows - set(columns), visit, 3).run({0, 1, 2}, [0, 1, 2])
    assert (1, 2) in visited
    assert (2,) not in visited  # below {1, 2}; {1} is below {0, 1}, too


def test_more_columns_than_can_be_gone_through_are_counted():
    with pytest.raises(TooHard, match=r"20 columns have 1,048,575 subsets.*16 columns.*say up_to=6"):
        subset_limit(20, None)
    with pytest.raises(TooHard, match=r"100 columns have 4,087,975 subsets of up to 4 columns.*say largest=2"):
        subset_limit(100, 4, "largest")
    assert subset_limit(16, None) == 16
    assert subset_limit(60, 3) == 3


@pytest.mark.parametrize("up_to", [0, -1, True, 1.5, "two"])
def test_what_is_no_number_of_columns_is_refused(up_to):
    with pytest.raises(BadTable, match="at least 1"):
        subset_limit(3, up_to)


def test_few_labels_are_held_in_a_cube_and_many_in_keys():
    two = [Column.of("a", "0011"), Column.of("b", "0101")]
    cube, before = CountedKeys.of(two, np.ones(4, int)).dense([0, 1])
    assert isinstance(cube, Cube)
    assert (before, cube.cells.shape) == (0, (2, 2, 1))
    many = [Column.of(name, map(str, range(30))) for name in "abc"]
    keys = CountedKeys.of(many, np.ones(30, int))
    assert keys.dense([0, 1, 2]) == (keys, 3)
    assert isinstance(keys.without([0, 1]).dense([2])[0], Cube)


def test_what_is_kept_takes_a_cell_for_what_it_says_and_not_for_what_it_could():
    columns = [Column.of(name, [str(i % 50) for i in range(100)]) for name in "ab"]
    columns.append(Column.of("c", [str(i // 50) for i in range(100)]))
    cube, before = CountedKeys.of(columns, np.ones(100, int)).dense([0, 1, 2])
    assert (before, cube.cells.shape) == (2, (2, 50))
    assert cube.without([2]).cells.tolist() == [2] * 50


def test_a_cube_holds_any_sum_over_its_axes():
    columns = [Column.of("a", "0011"), Column.of("b", "0101")]
    for people, kind in ((8_191, np.int16), (8_192, np.int32), (2**29 - 1, np.int32), (2**29, np.int64)):
        cube, _ = CountedKeys.of(columns, np.full(4, people)).dense([0, 1])
        assert cube.cells.dtype == kind
        assert cube.without([0, 1]).cells.tolist() == [4 * people]


def test_blocks_part_where_the_column_changes(monkeypatch):
    monkeypatch.setattr(subsets, "BLOCK", 2)
    columns = [Column.of("a", "aaaabbcd"), Column.of("b", "01010100")]
    blocks = list(CountedKeys.of(columns, np.ones(8, int)).blocks(0))
    assert [block.words[0].tolist() for block in blocks] == [[0, 1], [2, 3], [4, 6]]
    assert [block.people.tolist() for block in blocks] == [[2, 2], [1, 1], [1, 1]]


def test_columns_of_many_labels_take_several_words_until_few_are_left():
    layout = Layout.of(dict.fromkeys(range(8), 2**12))
    assert [len(word) for word in layout.words] == [5, 3]
    words = layout.pack([np.arange(3) + place for place in range(8)])
    for place in range(3):
        layout, words = layout.cut(place, words)
    assert len(words) == 1
    assert layout.code(7, words).tolist() == [7, 8, 9]


def test_a_column_with_one_label_tells_nothing():
    columns = [Column.of("a", "xxx"), Column.of("b", "012")]
    by_subset = count_each_subset(columns, np.array([1, 1, 1]), up_to=2)
    assert by_subset[0,].groups == 1
    assert by_subset[1,] == by_subset[0, 1]


def test_amounts_of_a_billion_people_are_added_up_exactly():
    columns = [Column.of("a", "01"), Column.of("b", "00")]
    many = 2_000_000_001
    numbers = count_each_subset(columns, np.array([many, 1]), up_to=1)[1,]
    assert numbers.squares == (many + 1) ** 2


@pytest.mark.parametrize(
    "sizes",
    [
        *([255] * 1_000, [1] * 255, [256, 3], [], [2_000_000_001, 1], list(range(256)) * 300),
        *([2**19 - 1] * 20_001, [2**19] * 300, [32_767] * 20_000),  # the largest that floats add up, and beyond
    ],
)
def test_squares_are_added_up_exactly(sizes):
    array = np.array(sizes, np.min_scalar_type(-max(sizes, default=0) - 1))
    assert subsets._sum_of_squares(array) == sum(size**2 for size in sizes)


@pytest.mark.parametrize("up_to", [1, 2, 3, 5])
def test_a_block_of_one_label_is_gone_through_in_smaller_ones(monkeypatch, up_to):
    rng = np.random.default_rng(4)
    columns = [Column.of("most alike", ["x"] * 180 + [str(i) for i in range(20)])]
    columns += [
        Column.of(name, map(str, rng.integers(0, many, 200))) for name, many in zip("abcd", (9, 5, 3, 2), strict=True)
    ]
    whole = count_each_subset(columns, np.ones(200, int), up_to=up_to)
    monkeypatch.setattr(subsets, "BLOCK", 16)
    assert count_each_subset(columns, np.ones(200, int), up_to=up_to) == whole


def test_groups_of_nobody_have_no_smallest():
    nobody, somebody = subsets.PeopleBySubset(0, 0, 0, 0), subsets.PeopleBySubset(1, 0, 3, 9)
    assert nobody.and_other_groups(somebody) == somebody
