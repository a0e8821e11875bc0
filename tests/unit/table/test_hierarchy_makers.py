import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BadHierarchy
from sidelight.table.hierarchy import Hierarchy


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
    made = Hierarchy.intervals("n", values, widths=[width, width * times], start=start)
    assert made.height == 4
    assert made.labels(3) == ("*",)
    cut = [
        made.generalise(str(value), 1) == made.generalise(str(value + 1), 1) for value in values if value + 1 in values
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
    made = Hierarchy.masks("zip", ["81667", "81675"])
    assert ways(made, "81675") == ["81675", "8167*", "816**", "81***", "8****", "*"]


def test_masks_of_different_lengths():
    made = Hierarchy.masks("zip", ["816", "81675", ""], hide=[2, 4])
    assert ways(made, "816") == ["816", "8**", "***", "*"]
    assert ways(made, "") == ["", "", "", "*"]


@given(st.sets(st.text("1a*", max_size=4), min_size=1))
def test_masks_always_fit_together(values):
    assert Hierarchy.masks("code", values).height == max(1, *map(len, values)) + 1


@pytest.mark.parametrize("hide", [[2, 2], [3, 1], [0], [-1]])
def test_masks_must_hide_more_and_more(hide):
    with pytest.raises(BadHierarchy, match=r"hide more characters at each"):
        Hierarchy.masks("zip", ["81667"], hide=hide)


@pytest.mark.parametrize("day", ["2024-03-31", dt.date(2024, 3, 31), dt.datetime(2024, 3, 31)])
def test_dates(day):
    made = Hierarchy.dates("birth", [day])
    assert ways(made, "2024-03-31") == ["2024-03-31", "2024-03", "2024-Q1", "2024", "*"]


def test_times_may_become_days_first():
    made = Hierarchy.dates("seen", ["2024-12-01 12:30:00"], periods=["day", "year"])
    assert ways(made, "2024-12-01 12:30:00") == ["2024-12-01 12:30:00", "2024-12-01", "2024", "*"]


@given(st.sets(st.dates(), min_size=1, max_size=20))
def test_dates_always_fit_together(days):
    assert Hierarchy.dates("birth", days, periods=["day", "month", "quarter", "year"]).height == 6


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
    made = Hierarchy.intervals("age", [*numbers, *words], widths=[5, 10], others="other")
    assert all(ways(made, word) == [word, "other", "other", "*"] for word in words)
    if numbers:
        plain = Hierarchy.intervals("age", numbers, widths=[5, 10])
        assert all(ways(made, str(number)) == ways(plain, str(number)) for number in numbers)
    days = Hierarchy.dates("birth", ["2024-03-31", *words], others="no date")
    assert all(ways(days, word) == [word, *["no date"] * 3, "*"] for word in words)
    assert ways(days, "2024-03-31") == ["2024-03-31", "2024-03", "2024-Q1", "2024", "*"]


@pytest.mark.parametrize("periods", [["year", "month"], ["month", "month"], ["week"]])
def test_periods_rise(periods):
    with pytest.raises(BadHierarchy, match=r"choose some of day, month, quarter, year, in this order"):
        Hierarchy.dates("birth", ["2024-03-31"], periods=periods)


def test_nested_labels():
    made = Hierarchy.nested("country", {"Europe": {"West": ["France", "Spain"]}, "Asia": {"East": "Japan"}})
    assert made.levels == (
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
        ({"Europe": {"West": ["France"]}, "Asia": ["Japan"]}, "'Japan' is nested less deeply than others"),
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
