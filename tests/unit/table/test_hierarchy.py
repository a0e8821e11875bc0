import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BadHierarchy
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Column

AGE = Hierarchy("age", (("25", "30", "31"), ("20-24", "25-29", "30-34"), ("20-29", "20-29", "30-39"), ("*",) * 3))


def test_labels_are_names_and_never_looked_into():
    assert [AGE.generalise("30", level) for level in range(4)] == ["30", "25-29", "20-29", "*"]


def test_levels_are_told_apart():
    assert AGE.height == 4
    assert AGE.labels(2) == ("20-29", "30-39")


def test_recoding_keeps_the_order_of_the_labels():
    new, codes = AGE.recode(("30", "25", "31"), 1)
    assert new == ("25-29", "20-24", "30-34")
    assert codes.tolist() == [0, 1, 2]
    assert [new[code] for code in codes] == ["25-29", "20-24", "30-34"]


def test_recoding_lists_only_labels_that_occur():
    assert AGE.recode(("31",), 2)[0] == ("30-39",)
    assert AGE.recode((), 1)[0] == ()


@pytest.mark.parametrize(("level", "says"), [(0, None), (1, None), (2, None), (3, "*")])
def test_a_missing_cell_stays_missing_until_everybody_has_one_label(level, says):
    assert AGE.generalise(None, level) == says


def test_a_missing_cell_uses_the_row_of_the_empty_text():
    country = Hierarchy("country", (("France", ""), ("Europe", "Unknown"), ("*", "*")))
    assert [country.generalise(None, level) for level in range(3)] == [None, "Unknown", "*"]
    assert [country.generalise("", level) for level in range(3)] == ["", "Unknown", "*"]


def test_a_missing_cell_stays_missing_at_level_0_even_of_a_single_value():
    assert Hierarchy("sex", (("Male",), ("*",))).generalise(None, 0) is None


def test_a_hierarchy_of_values_only_is_one():
    assert Hierarchy("sex", (("Male", "Female"),)).height == 1


def test_equal_hierarchies_are_equal():
    assert Hierarchy("sex", (("m",), ("*",))) == Hierarchy("sex", (("m",), ("*",)))
    assert hash(AGE) == hash(Hierarchy("age", AGE.levels))


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ((), "it is empty; give at least one value"),
        (((),), "it is empty; give at least one value"),
        ((("a", "b"), ("*",)), "level 1 has 1 labels for 2 values; give one for each"),
        ((("a", "b", "a"), ("x", "y", "z")), "rows 1 and 3 are of the same value; keep one of them"),
        ((("a", "b", "a"), ("x", "y", "x")), "rows 1 and 3 are of the same value; keep one of them"),
        (
            (("a", "b"), ("x", "x"), ("y", "z")),
            "rows 1 and 2 have one label at level 1 but two at level 2; give them one there too",
        ),
    ],
)
def test_contradictions_are_named(levels, message):
    with pytest.raises(BadHierarchy) as wrong:
        Hierarchy("age", levels)
    assert str(wrong.value) == f"hierarchy of 'age': {message}"


def test_values_of_the_data_that_it_lacks_are_named_up_to_ten():
    column = Column.of("age", [str(number) for number in range(25, 45)])
    with pytest.raises(BadHierarchy) as wrong:
        AGE.check(column)
    assert str(wrong.value) == (
        "hierarchy of 'age': 17 values of the data are not in it: 26, 27, 28, 29, 32, 33, 34, 35, 36, 37, …; "
        "add a row for each"
    )


def test_one_value_that_it_lacks_is_named():
    for ask in (lambda: AGE.generalise("99", 1), lambda: AGE.generalise("99", 0), lambda: AGE.recode(("99",), 1)):
        with pytest.raises(BadHierarchy, match=r"1 value of the data is not in it: 99; add a row for each"):
            ask()


def test_only_the_beginning_of_a_long_value_is_shown():
    with pytest.raises(BadHierarchy) as wrong:
        AGE.check(Column.of("age", ["came in with a cough on Monday, was seen by Dr Lee"]))
    assert "not in it: came in with a cough on Monda…; add" in str(wrong.value)


def test_missing_cells_are_not_values_that_it_lacks():
    AGE.check(Column.of("age", ["25", None]))


@pytest.mark.parametrize("level", [-1, 4])
def test_a_level_that_is_not_there(level):
    with pytest.raises(BadHierarchy, match=rf"'age' has no level {level}; its levels are 0 to 3"):
        AGE.generalise("25", level)


@given(st.lists(st.sampled_from(("25", "30", "31", None)), unique=True).map(tuple), st.integers(0, 3))
def test_recoding_at_once_is_generalising_one_by_one(labels, level):
    new, codes = AGE.recode(labels, level)
    assert [new[code] for code in codes] == [AGE.generalise(each, level) for each in labels]
    assert len(set(new)) == len(new)
