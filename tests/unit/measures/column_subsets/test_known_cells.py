"""What can be known about people: which cells, of whom, and how they are said."""

import pytest

import sidelight as sl
from sidelight.errors import UnknownColumn
from sidelight.measures.column_subsets.known_cells import KnownCells, cells_in_words, column_named, names_in_words

RELEASE = sl.Release.from_counts(
    [{"x": 1, "y": 2}, {"x": 4}], labels=[{"age": "20", "sex": "f"}, {"age": "30", "sex": None}]
)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([], "nothing"),
        ([("age", "89")], "age 89"),
        ([("age", "89"), ("sex", None)], "age 89 and sex (missing)"),
        ([("age", "89"), ("sex", "f"), ("zip", "12")], "age 89, sex f and zip 12"),
    ],
)
def test_cells_in_words(cells, words):
    assert cells_in_words(cells) == words


@pytest.mark.parametrize(
    ("names", "words"),
    [([], "nothing"), (["age"], "age"), (["age", "sex"], "age and sex"), (["age", "sex", "zip"], "age, sex and zip")],
)
def test_names_in_words(names, words):
    assert names_in_words(names) == words


def test_of_groups_what_is_printed_is_known():
    cells = KnownCells.of(RELEASE)
    assert [column.name for column in cells.columns] == ["age", "sex"]
    assert [[column.cell(row) for column in cells.columns] for row in (0, 1)] == [["20", "f"], ["30", None]]
    assert (cells.people.tolist(), cells.group.tolist(), cells.everybody) == ([3, 4], [0, 1], 7)


def test_of_buckets_everybody_is_known_by_their_own_cells():
    buckets = sl.Release.from_buckets(
        [([{"age": "20"}, {"age": "30"}], ["x", "y"]), ([{"age": "30"}, {"age": "30"}], ["x", "x"])]
    )
    cells = KnownCells.of(buckets)
    (age,) = cells.columns
    known = {(age.cell(row), int(cells.group[row])): int(cells.people[row]) for row in range(len(cells.people))}
    assert known == {("20", 0): 1, ("30", 0): 1, ("30", 1): 2}
    assert cells.everybody == 4


def test_columns_are_found_by_their_names():
    cells = KnownCells.of(RELEASE)
    assert [column.name for column in cells.named(["sex", "age"])] == ["sex", "age"]
    assert cells.named([]) == ()
    for name, message in {
        "agee": "no column 'agee' is printed about people; did you mean 'age'?",
        "town": "no column 'town' is printed about people; there are: age, sex",
    }.items():
        with pytest.raises(UnknownColumn) as refused:
            column_named(cells.columns, name)
        assert str(refused.value) == message
