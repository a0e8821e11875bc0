"""Hierarchies: given level by level, or made by a rule."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BadHierarchy, WrongKind
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
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


def ways(hierarchy, value):
    return [hierarchy.generalise(value, level) for level in range(hierarchy.height)]


def test_intervals_of_whole_numbers():
    age = Hierarchy.intervals("age", [17, "40", 39.0, 17], widths=[5, 10, 20, 40])
    assert age.levels[0] == ("17", "39", "40")
    assert ways(age, "39") == ["39", "35-39", "30-39", "20-39", "0-39", "*"]
    assert ways(age, "40") == ["40", "40-44", "40-49", "40-59", "40-79", "*"]


def test_intervals_may_start_elsewhere():
    assert ways(Hierarchy.intervals("year", [2003], widths=[1, 10], start=2001), "2003") == [
        "2003",
        "2003",
        "2001-2010",
        "*",
    ]


def test_intervals_of_negative_numbers_floor():
    assert ways(Hierarchy.intervals("t", [-3, 3], widths=[5]), "-3") == ["-3", "-5 to -1", "*"]


def test_intervals_of_fractions_are_half_open_and_exact():
    dose = Hierarchy.intervals("dose", [0.3, 0.1], widths=[0.1, 0.5])
    assert ways(dose, "0.3") == ["0.3", "[0.3, 0.4)", "[0, 0.5)", "*"]
    assert ways(dose, "0.1") == ["0.1", "[0.1, 0.2)", "[0, 0.5)", "*"]


@given(st.sets(st.integers(-200, 200), min_size=1), st.integers(1, 7), st.integers(2, 5), st.integers(-9, 9))
def test_intervals_always_fit_together(values, width, times, start):
    hierarchy = Hierarchy.intervals("n", values, widths=[width, width * times], start=start)
    assert hierarchy.height == 4
    assert hierarchy.labels(3) == ("*",)
    cut = [
        hierarchy.generalise(str(value), 1) == hierarchy.generalise(str(value + 1), 1)
        for value in values
        if value + 1 in values
    ]
    same = [(value - start) // width == (value + 1 - start) // width for value in values if value + 1 in values]
    assert cut == same


@pytest.mark.parametrize("widths", [[5, 12], [5, 5], [10, 5], [0], [-1], [5, 0]])
def test_widths_that_do_not_fit(widths):
    with pytest.raises(BadHierarchy, match=r"hierarchy of 'age': a width of .*; let each width be a multiple"):
        Hierarchy.intervals("age", [1], widths=widths)


def test_intervals_are_for_numbers():
    with pytest.raises(BadHierarchy, match=r"1 value is not a number: young; mend the data, or give others= a label"):
        Hierarchy.intervals("age", ["young"], widths=[5])


def test_missing_values_have_no_row():
    assert Hierarchy.suppression("sex", ["m", None, float("nan")]).levels == (("m",), ("*",))


def test_masks_hide_from_the_right():
    hierarchy = Hierarchy.masks("zip", ["81667", "81675"])
    assert ways(hierarchy, "81675") == ["81675", "8167*", "816**", "81***", "8****", "*"]


def test_masks_of_different_lengths():
    hierarchy = Hierarchy.masks("zip", ["816", "81675", ""], hide=[2, 4])
    assert ways(hierarchy, "816") == ["816", "8**", "***", "*"]
    assert ways(hierarchy, "") == ["", "", "", "*"]


@given(st.sets(st.text("1a*", max_size=4), min_size=1))
def test_masks_always_fit_together(values):
    assert Hierarchy.masks("code", values).height == max(1, *map(len, values)) + 1


@pytest.mark.parametrize("hide", [[2, 2], [3, 1], [0], [-1]])
def test_masks_must_hide_more_and_more(hide):
    with pytest.raises(BadHierarchy, match=r"hide more characters at each"):
        Hierarchy.masks("zip", ["81667"], hide=hide)


@pytest.mark.parametrize("day", ["2024-03-31", dt.date(2024, 3, 31), dt.datetime(2024, 3, 31)])
def test_dates(day):
    hierarchy = Hierarchy.dates("birth", [day])
    assert ways(hierarchy, "2024-03-31") == ["2024-03-31", "2024-03", "2024-Q1", "2024", "*"]


def test_times_may_become_days_first():
    hierarchy = Hierarchy.dates("seen", ["2024-12-01 12:30:00"], periods=["day", "year"])
    assert ways(hierarchy, "2024-12-01 12:30:00") == ["2024-12-01 12:30:00", "2024-12-01", "2024", "*"]


@given(st.sets(st.dates(), min_size=1, max_size=20))
def test_dates_always_fit_together(days):
    assert Hierarchy.dates("birth", days, periods=["day", "month", "quarter", "year", "decade"]).height == 7


def test_dates_must_be_dates():
    with pytest.raises(BadHierarchy, match=r"1 value is not a day like 2024-03-09: 31.3.2024; mend the data"):
        Hierarchy.dates("birth", ["31.3.2024"])


def test_all_values_that_do_not_fit_are_named_at_once():
    bad = [f"n/a {n:02}" for n in range(12)]
    with pytest.raises(BadHierarchy, match=r"12 values are not a number: n/a 00, .*, n/a 09, … and 2 more; mend"):
        Hierarchy.intervals("age", ["38", *bad], widths=[5])
    with pytest.raises(BadHierarchy, match=r"12 values are not a day like 2024-03-09: n/a 00, .*, … and 2 more; mend"):
        Hierarchy.dates("birth", ["2024-03-31", *bad])
    with pytest.raises(BadHierarchy, match=r"1 value is not a number: wide"):
        Hierarchy.intervals("age", ["38"], widths=["wide"], others="other")
    with pytest.raises(BadHierarchy, match=r"1 value is not a number: here"):
        Hierarchy.intervals("age", ["38"], widths=[5], start="here", others="other")


@given(st.sets(st.integers(0, 200)), st.sets(st.text("abc?", min_size=1, max_size=3), min_size=1))
def test_others_have_one_label_at_each_level_above_their_own(numbers, words):
    hierarchy = Hierarchy.intervals("age", [*numbers, *words], widths=[5, 10], others="other")
    assert all(ways(hierarchy, word) == [word, "other", "other", "*"] for word in words)
    if numbers:
        plain = Hierarchy.intervals("age", numbers, widths=[5, 10])
        assert all(ways(hierarchy, str(number)) == ways(plain, str(number)) for number in numbers)
    days = Hierarchy.dates("birth", ["2024-03-31", *words], others="no date")
    assert all(ways(days, word) == [word, *["no date"] * 3, "*"] for word in words)
    assert ways(days, "2024-03-31") == ["2024-03-31", "2024-03", "2024-Q1", "2024", "*"]


@pytest.mark.parametrize("periods", [["year", "month"], ["month", "month"], ["week"]])
def test_periods_rise(periods):
    with pytest.raises(BadHierarchy, match=r"choose some of day, month, quarter, year, decade, in this order"):
        Hierarchy.dates("birth", ["2024-03-31"], periods=periods)


def test_nested_labels():
    hierarchy = Hierarchy.nested("country", {"Europe": {"West": ["France", "Spain"]}, "Asia": {"East": "Japan"}})
    assert hierarchy.levels == (
        ("France", "Spain", "Japan"),
        ("West", "West", "East"),
        ("Europe", "Europe", "Asia"),
        ("*", "*", "*"),
    )


def test_a_plain_list_is_nested_in_nothing():
    assert Hierarchy.nested("sex", ["m", "f"]).levels == (("m", "f"), ("*", "*"))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"Europe": ["France"], "Asia": ["France"]}, "rows 1 and 2 are of the same value"),
        (
            {"Europe": {"East": ["Poland"]}, "Asia": {"East": ["Japan"]}},
            "rows 1 and 2 have one label at level 1 but two at",
        ),
        ({}, "it is empty"),
        ([], "it is empty"),
        ({"Europe": []}, "it is empty"),
    ],
)
def test_nests_that_do_not_fit(tree, message):
    with pytest.raises(BadHierarchy, match=message):
        Hierarchy.nested("country", tree)


def test_nothing_to_make_it_from():
    for make in (
        lambda: Hierarchy.suppression("x", []),
        lambda: Hierarchy.masks("x", []),
        lambda: Hierarchy.intervals("x", [], widths=[5]),
        lambda: Hierarchy.dates("x", [None]),
    ):
        with pytest.raises(BadHierarchy, match=r"hierarchy of 'x': it is empty; give at least one value"):
            make()


def test_hierarchies_are_by_the_names_of_their_columns():
    assert as_hierarchies(None) == {}
    assert as_hierarchies({"age": AGE}) == {"age": AGE}
    for by in (AGE, [AGE], "hierarchies/"):
        with pytest.raises(WrongKind, match=r"by= is a mapping .* write by=\{'age': hierarchy\}"):
            as_hierarchies(by)
