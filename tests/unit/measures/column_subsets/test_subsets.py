"""The walk over all subsets of columns: each once, and no more than can be gone through."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from support.words import mentions

from sidelight.errors import BadTable, TooHard
from sidelight.measures.column_subsets import subsets
from sidelight.measures.column_subsets.subsets import (
    ColumnSubset,
    CountedKeys,
    Cube,
    KeyLayout,
    KnownRows,
    SubsetWalk,
    count_each_subset,
    leaving_order,
    subset_count,
    subset_limit,
)
from sidelight.table.labels import Column


def code(layout, place, words):
    """The codes of a column, read off the bits where the layout says they are."""
    number, shift, bits = layout._where(place)
    return (words[number] >> shift) & ((1 << bits) - 1)


class Names(KnownRows, frozenset):
    """Rows that say no more than which columns they have."""

    def without(self, columns):
        return Names(self - set(columns))


@pytest.mark.parametrize("columns", [1, 2, 5, 7])
@pytest.mark.parametrize("up_to", [1, 2, 4, 7])
def test_every_subset_is_visited_once(columns, up_to):
    visited = []

    def visit(subset, rows):
        assert sorted(subset) == sorted(rows)  # the rows are those of the subset
        visited.append(tuple(sorted(subset)))
        return True

    SubsetWalk(visit, up_to).run(Names(range(columns)), range(columns))
    expected = [each for size in range(1, up_to + 1) for each in combinations(range(columns), size)]
    assert sorted(visited) == sorted(expected)


@pytest.mark.parametrize(("columns", "up_to"), [(7, 1), (7, 2), (9, 3), (12, 2), (6, 6)])
def test_columns_are_left_out_at_most_twice_as_often_as_there_are_subsets(columns, up_to):
    steps = []

    class Counted(Names):
        def without(self, columns):
            steps.append(columns)
            return Counted(self - set(columns))

    SubsetWalk(lambda _subset, _rows: True, up_to).run(Counted(range(columns)), range(columns))
    assert len(steps) <= 2 * subset_count(columns, up_to)


def test_nothing_below_is_visited_where_it_is_not_worth_a_look():
    visited = []

    def visit(subset, rows):
        del rows
        visited.append(subset)
        return 0 in subset

    SubsetWalk(visit, 3).run(Names({0, 1, 2}), [0, 1, 2])
    assert (1, 2) in visited
    assert (2,) not in visited  # below {1, 2}; {1} is below {0, 1}, too


def test_an_error_stops_the_walk_and_is_raised():
    def visit(subset, rows):
        del rows
        if len(subset) == 2:
            raise KeyError(subset)
        return True

    walk = SubsetWalk(visit, 3)
    with pytest.raises(KeyError):
        walk.run(Names({0, 1, 2}), [0, 1, 2])
    assert walk.stopped.is_set()


def test_a_walk_that_was_stopped_leaves_no_more_columns_out():
    visited = []

    def visit(subset, rows):
        del rows
        visited.append(subset)
        walk.stopped.set()
        return True

    walk = SubsetWalk(visit, 4)
    walk.run(Names({0, 1, 2, 3}), [0, 1, 2, 3])
    assert visited == [(0, 1, 2, 3)]


def test_more_columns_than_can_be_gone_through_are_counted():
    with pytest.raises(TooHard, match=r"20 columns .*1,048,575 subsets.*16 columns.*up_to=6"):
        subset_limit(20, None)
    with pytest.raises(TooHard, match=r"100 columns .*4,087,975 subsets.* 4 columns.*largest=2"):
        subset_limit(100, 4, "largest")
    assert subset_limit(16, None) == 16
    assert subset_limit(60, 3) == 3
    assert subset_limit(2**16, 1) == 1


@pytest.mark.parametrize(
    ("columns", "up_to", "message"),
    [
        (
            17,
            17,
            ("17 columns", "131,071 subsets", "65,536", "16 columns", "fewer columns", "up_to=8"),
        ),
        (
            362,
            2,
            ("362 columns", "65,703 subsets", "up to 2 columns", "65,536", "16 columns", "fewer columns", "up_to=1"),
        ),
        (
            2**16,
            2,
            (
                "65536 columns",
                "2,147,516,416 subsets",
                "up to 2 columns",
                "65,536",
                "16 columns",
                "fewer columns",
                "up_to=1",
            ),
        ),
        (
            2**16 + 1,
            1,
            ("65537 columns", "65,537 subsets", "up to 1 columns", "65,536", "16 columns", "fewer columns"),
        ),
    ],
)
def test_how_many_columns_at_a_time_can_be_gone_through_is_said(columns, up_to, message):
    with pytest.raises(TooHard) as refused:
        subset_limit(columns, up_to)
    assert mentions(refused.value, *message)
    assert ("up_to" in refused.value.parameters) == message[-1].startswith("up_to=")


def test_subsets_are_counted():
    assert [subset_count(4, up_to) for up_to in range(6)] == [0, 4, 10, 14, 15, 15]


def test_columns_with_most_labels_are_left_out_first_and_of_equal_ones_the_first():
    columns = [Column.of(name, texts) for name, texts in zip("abcd", ("xx", "xyz", "xy", "zyx"), strict=True)]
    assert leaving_order(columns) == [1, 3, 2, 0]


@pytest.mark.parametrize(
    ("up_to", "given"), [(0, "0"), (-1, "-1"), (True, "True"), (1.5, "1.5"), ("2", "'2'"), ([2, []], "a list")]
)
def test_what_is_no_number_of_columns_is_refused(up_to, given):
    with pytest.raises(BadTable) as refused:
        subset_limit(3, up_to, "facts")
    assert refused.value.parameters == ("facts",)
    assert mentions(refused.value, given, "whole number", "at least 1")


def test_any_whole_number_of_columns_is_taken():
    limit = subset_limit(3, np.int8(2))
    assert (limit, type(limit)) == (2, int)
    assert subset_limit(3, 1) == 1


def test_few_labels_are_held_in_a_cube_and_many_in_keys():
    two = [Column.of("a", "0011"), Column.of("b", "0101")]
    cube, before = CountedKeys.of(two, np.ones(4, int)).dense([0, 1])
    assert isinstance(cube, Cube)
    assert (before, cube.cells.shape) == (0, (2, 2, 1))
    many = [Column.of(name, map(str, range(30))) for name in "abc"]
    keys = CountedKeys.of(many, np.ones(30, int))
    assert keys.dense([0, 1, 2]) == (keys, 3)
    assert isinstance(keys.without([0, 1]).dense([2])[0], Cube)


@pytest.mark.parametrize(("labels", "before"), [(16, 0), (17, 1)])
def test_a_cube_has_at_most_sixteen_cells_for_a_key(labels, before):
    only = Column("a", tuple(map(str, range(labels))), np.zeros(1, np.int32))
    found, first = CountedKeys.of([only], np.ones(1, int)).dense([0])
    assert (first, isinstance(found, Cube)) == (before, before == 0)


@pytest.mark.parametrize(
    ("people", "kind"), [(127, np.int8), (128, np.int16), (32_767, np.int16), (32_768, np.int32), (2**31, np.int64)]
)
def test_a_cube_takes_no_more_room_than_its_people_need(people, kind):
    cube, _ = CountedKeys.of([Column.of("a", "01")], np.array([people - 1, 1])).dense([0])
    assert cube.cells.dtype == kind
    assert cube.without([0]).cells.tolist() == [people]


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
    layout = KeyLayout.of(dict.fromkeys(range(8), 2**12))
    assert [len(word) for word in layout.words] == [5, 3]
    words = layout.pack([np.arange(3) + place for place in range(8)])
    for place in range(3):
        layout, words = layout.cut(place, words)
    assert len(words) == 1
    assert code(layout, 7, words).tolist() == [7, 8, 9]


def test_a_word_holds_62_bits():
    assert len(KeyLayout.of({0: 2**31, 1: 2**31}).words) == 1
    assert KeyLayout.of({0: 2**31, 1: 2**31 + 1}).words == (((0, 31),), ((1, 32),))
    assert KeyLayout.of({0: 1, 1: 2, 2: 3, 3: 4, 4: 5}).words == (((0, 0), (1, 1), (2, 2), (3, 2), (4, 3)),)
    assert KeyLayout.of({0: 2**31, 1: 2**31 + 1}).bits == 63


@pytest.mark.parametrize(("first", "words"), [(30, 1), (31, 2)])  # and 32 beside: 62 bits, and 63
def test_two_words_become_one_that_holds_both(first, words):
    layout = KeyLayout.of({0: 2**31, 1: 2**first, 2: 2**32})
    packed = layout.pack([np.array([5, 0]), np.array([7, 1]), np.array([2**32 - 1, 3])])
    assert (len(layout.words), len(packed)) == (2, 2)
    cut, rest = layout.cut(0, packed)
    assert (len(cut.words), len(rest)) == (words, words)
    assert code(cut, 1, rest).tolist() == [7, 1]
    assert code(cut, 2, rest).tolist() == [2**32 - 1, 3]


def test_three_words_become_one_when_columns_between_them_go():
    layout = KeyLayout.of({0: 2**20, 1: 2**40, 2: 2**60, 3: 2**50, 4: 2**10})
    codes = [np.array([9]), np.array([8]), np.array([7]), np.array([6]), np.array([5])]
    words = layout.pack(codes)
    assert len(words) == 3
    for place in (2, 1, 3):
        layout, words = layout.cut(place, words)
    assert layout.words == (((0, 20), (4, 10)),)
    assert words[0].tolist() == [9 << 10 | 5]


def test_where_a_column_lies():
    layout = KeyLayout.of({4: 2**40, 2: 2**20, 7: 2**30, 1: 2**8, 0: 1})
    words = layout.pack([np.array([number]) for number in (11, 12, 13, 14, 0)])
    assert [code(layout, place, words).tolist() for place in (4, 2, 7, 1, 0)] == [[11], [12], [13], [14], [0]]
    assert [layout.low_bits(place) for place in (4, 2, 7, 1, 0)] == [None, None, 38, 8, 0]
    assert layout.lowest() == 1  # 0 has no bits
    assert KeyLayout.of({0: 1}).lowest() is None
    assert [word.tolist() for word in layout.down_to(2, words)] == [[11 << 20 | 12]]
    assert [word.tolist() for word in layout.down_to(4, words)] == [[11]]
    assert [word.tolist() for word in layout.down_to(7, words)] == [[11 << 20 | 12], [13]]
    with pytest.raises(KeyError, match=r"^3$"):
        code(layout, 3, words)


def counted_by_definition(columns, people, places, secret=None):
    """The numbers of one subset, row by row."""
    groups = defaultdict(Counter)
    for row, many in enumerate(people.tolist()):
        key = tuple(columns[place].cell(row) for place in places)
        groups[key][secret.cell(row) if secret else None] += many
    sizes = [group.total() for group in groups.values()]
    guessed = sum(max(group.values()) for group in groups.values()) if secret else None
    return ColumnSubset(len(sizes), sizes.count(1), min(sizes), sum(size**2 for size in sizes), guessed)


@pytest.mark.parametrize("with_secret", [False, True])
@pytest.mark.parametrize("up_to", [1, 3, 4])
@pytest.mark.parametrize("widths", [(2, 3, 2, 4), (40, 2, 30, 3), (1, 5, 1, 6)])
def test_numbers_are_those_of_the_definition(widths, up_to, with_secret):
    rng = np.random.default_rng(11)
    columns = [Column.of(f"c{width}", map(str, rng.integers(0, width, 60))) for width in widths]
    secret = Column.of("s", map(str, rng.integers(0, 3, 60))) if with_secret else None
    people = rng.integers(1, 4, 60)
    expected = {
        places: counted_by_definition(columns, people, places, secret)
        for size in range(1, up_to + 1)
        for places in combinations(range(4), size)
    }
    assert count_each_subset(columns, people, secret, up_to=up_to) == expected


def test_labels_of_more_bits_than_a_word_are_counted_alike():
    """Eight columns of 2^12 labels each, of which few occur, take two words."""
    rng = np.random.default_rng(12)
    labels = tuple(map(str, range(2**12)))
    columns = [Column(f"c{place}", labels, rng.choice([0, 7, 4095], 40).astype(np.int32)) for place in range(8)]
    secret, people = Column.of("s", "uv" * 20), np.ones(40, int)
    for places, numbers in count_each_subset(columns, people, secret, up_to=8).items():
        assert numbers == counted_by_definition(columns, people, places, secret)


@pytest.mark.parametrize("columns", [[0], [2], [1, 2], [0, 2]])  # 2 in the lowest bits
def test_keys_stay_sorted_and_distinct_without_columns(columns):
    rng = np.random.default_rng(5)
    every = [Column.of(name, map(str, rng.integers(0, 5 - n, 50))) for n, name in enumerate("abc")]
    keys = CountedKeys.of(every, np.ones(50, int))
    left = keys.without(columns)
    (word,) = left.words
    assert (np.diff(word) > 0).all()
    assert left.people.sum() == 50
    assert list(left.labels) == [place for place in range(3) if place not in columns]
    places = tuple(place for place in range(3) if place not in columns)
    assert left.numbers() == counted_by_definition(every, np.ones(50, int), places)


def test_of_no_rows_nothing_is_guessed():
    nothing = CountedKeys.of([Column.of("a", [])], np.zeros(0, int), Column.of("s", []))
    assert nothing.numbers() == ColumnSubset(0, 0, 0, 0, 0)
    assert CountedKeys.of([Column.of("a", [])], np.zeros(0, int)).numbers() == ColumnSubset(0, 0, 0, 0, None)


def test_without_any_column_all_are_one_group():
    assert CountedKeys.of([], np.array([2, 3])).numbers() == ColumnSubset(1, 0, 5, 25, None)


def test_far_more_than_a_block_is_large(monkeypatch):
    monkeypatch.setattr(subsets, "BLOCK", 3)
    for many, large in ((6, False), (7, True)):
        assert CountedKeys.of([Column.of("a", map(str, range(many)))], np.ones(many, int)).large is large


def test_a_cube_stays_as_it_is():
    cube = Cube((1, 0), np.array([[[1], [2]], [[0], [3]]], np.int8))
    assert cube.dense([0, 1]) == (cube, 0)
    assert list(cube.blocks(0)) == [cube]
    assert cube.large is False
    assert cube.numbers() == ColumnSubset(3, 1, 1, 14, None)
    assert (cube.without([1]).axes, cube.without([1]).cells.tolist()) == ((0,), [[1], [5]])
    assert (cube.without([0]).axes, cube.without([0]).cells.tolist()) == ((1,), [[3], [3]])
    assert cube.without([0, 1]).cells.dtype == np.int8


def test_a_cube_with_a_secret_guesses_its_most_frequent():
    cube = Cube((subsets.SECRET, 0), np.array([[[100], [2], [0]], [[20], [5], [0]]], np.int8))
    assert cube.numbers() == ColumnSubset(2, 0, 7, 120**2 + 7**2, 105)


@pytest.mark.parametrize(
    ("sizes", "numbers"),
    [
        ([0, 3, 2, 0], ColumnSubset(2, 0, 2, 13)),
        ([127], ColumnSubset(1, 0, 127, 127**2)),
        ([1, 1, 5], ColumnSubset(3, 2, 1, 27)),
        ([0, 0], ColumnSubset(0, 0, 0, 0)),
        ([], ColumnSubset(0, 0, 0, 0)),
    ],
)
def test_numbers_are_read_off_sizes(sizes, numbers):
    assert subsets._count_people(np.array(sizes, np.int8)) == numbers


def test_progress_is_told_set_by_set():
    told = []
    columns = [Column.of(name, "0011") for name in "abc"]
    count_each_subset(columns, np.ones(4, int), up_to=2, progress=lambda *step: told.append(step))
    assert {(what, total) for what, _, total in told} == {("sets of columns", 6)}
    assert max(done for _, done, _ in told) == 6


def test_a_column_with_one_label_tells_nothing():
    columns = [Column.of("a", "xxx"), Column.of("b", "012")]
    by_subset = count_each_subset(columns, np.array([1, 1, 1]), up_to=2)
    assert by_subset[0,].groups == 1
    assert by_subset[1,] == by_subset[0, 1]


@pytest.mark.parametrize("many", [2_000_000_001, 3_037_000_499, 3_037_000_500, 8_000_000_000, 2**61])
def test_amounts_of_billions_of_people_are_added_up_exactly(many):
    columns = [Column.of("a", "01"), Column.of("b", "00")]
    by_subset = count_each_subset(columns, np.array([many, 1]), up_to=2)
    assert [by_subset[places].squares for places in ((0,), (1,), (0, 1))] == [many**2 + 1, (many + 1) ** 2, many**2 + 1]


@pytest.mark.parametrize(
    "sizes",
    [
        *([255] * 1_000, [1] * 255, [256, 3], [], [2_000_000_001, 1], list(range(256)) * 300),
        *([2**19 - 1] * 20_001, [2**19] * 300, [32_767] * 20_000),  # the largest that floats add up, and beyond
        *([2**31] * 2, [2**31] * 3, [2**32 - 1] * 3, [2**19] * 2**10),
        *([255] * 1_023 + [254], [511] * 255 + [510], [2**20 - 1] * (2**14 - 1) + [2**20 - 2]),  # odd sums
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
    nobody, somebody = ColumnSubset(0, 0, 0, 0), ColumnSubset(1, 0, 3, 9)
    assert nobody.and_other_groups(somebody) == somebody.and_other_groups(nobody) == somebody
    assert nobody.and_other_groups(nobody) == nobody


def test_numbers_of_other_groups_are_added():
    one, other = ColumnSubset(2, 1, 1, 26, 4), ColumnSubset(3, 0, 2, 12, 5)
    assert one.and_other_groups(other) == ColumnSubset(5, 1, 1, 38, 9)
    assert one.and_other_groups(ColumnSubset(1, 0, 2, 4)).guessed is None
    assert ColumnSubset(1, 0, 2, 4).and_other_groups(one).guessed is None
