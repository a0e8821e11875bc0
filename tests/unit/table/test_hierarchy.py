"""Hierarchies: given level by level, or made by a rule.

Sensitive values published more coarsely: the same as if they had been written down so.
"""

import datetime as dt
from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadHierarchy, BadTable, UnknownColumn, WrongKind
from sidelight.release.printed_labels import covers
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Column

AGES = [str(age) for age in range(110)]


def test_own_cut_points_and_a_start():
    age = sl.Hierarchy.cuts("age", AGES, at=[18, 65], start=0)
    assert [age.generalise(each, 1) for each in ("0", "17", "18", "64", "65", "109")] == [
        "0-17",
        "0-17",
        "18-64",
        "18-64",
        "65+",
        "65+",
    ]


def test_cuts_of_fractions_are_half_open():
    weight = sl.Hierarchy.cuts("weight", ["59.5", "60", "81.25"], at=[[60, 80.5], [60]])
    assert weight.levels == (("59.5", "60", "81.25"), ("<60", "[60, 80.5)", "80.5+"), ("<60", "60+", "60+"), ("*",) * 3)


def test_top_and_bottom_coding_at_every_level():
    age = sl.Hierarchy.intervals("age", AGES, widths=[1, 20], bottom=18, top=90)
    assert [age.generalise(each, 1) for each in ("17", "18", "89", "90", "109")] == ["<18", "18", "89", "90+", "90+"]
    assert age.labels(2) == ("<18", "18-19", "20-39", "40-59", "60-79", "80-89", "90+")


@given(
    st.lists(st.integers(0, 120), min_size=1, max_size=30),
    st.lists(st.integers(1, 100), min_size=1, max_size=6, unique=True),
    st.data(),
)
def test_every_label_covers_its_values_and_levels_nest(numbers, cuts, data):
    coarser = data.draw(st.lists(st.sampled_from(cuts), min_size=1, unique=True))
    age = sl.Hierarchy.cuts("age", numbers, at=[cuts, coarser])  # a level that is no function of the last is refused
    for level in (1, 2):
        assert all(covers(age.generalise(str(number), level), str(number)) for number in numbers)


@given(
    st.lists(st.integers(-50, 120), min_size=1),
    st.sampled_from([(1, 5), (5, 10, 20), (3,)]),
    st.none() | st.integers(-60, 30),
    st.none() | st.integers(31, 130),
)
def test_intervals_with_open_ends_cover_their_values_and_nest(numbers, widths, bottom, top):
    age = sl.Hierarchy.intervals("age", numbers, widths=widths, bottom=bottom, top=top)
    for level in range(1, age.height):
        assert all(covers(age.generalise(str(number), level), str(number)) for number in numbers)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": [[18], [18, 65]]}, r"a cut at 65\b.*not"),
        ({"at": [[18], []]}, "a level without any cut"),
        ({"at": [18], "start": 10}, r"\b0 is below.*start 10\b"),
        ({"at": ["x"]}, "not a number"),
    ],
)
def test_cuts_that_do_not_fit(options, message):
    with pytest.raises(BadHierarchy, match=message):
        sl.Hierarchy.cuts("age", AGES, **options)


def test_ends_that_cross():
    with pytest.raises(BadHierarchy, match=r"bottom 90.*not below.*top 18"):
        sl.Hierarchy.intervals("age", AGES, widths=[5], bottom=90, top=18)


def test_a_tree_of_unequal_depth():
    tree = {
        "Injury": ["Fracture"],
        "Infection": {"Viral": {"Respiratory": ["Flu", "Cold"], "Other": ["Polio"]}, "Bacterial": ["Cholera"]},
    }
    ill = sl.Hierarchy.nested("ill", tree)
    assert [ill.generalise("Fracture", level) for level in range(ill.height)] == ["Fracture", *["Injury"] * 3, "*"]
    assert [ill.generalise("Cholera", level) for level in range(ill.height)] == [
        "Cholera",
        "Bacterial",
        "Bacterial",
        "Infection",
        "*",
    ]
    assert ill.generalise("Flu", 1) == "Respiratory"


def test_exact_fractions_of_widths():
    assert Fraction("0.1") * 3 == Fraction("0.3")
    share = sl.Hierarchy.intervals("share", ["0.3", "0.29"], widths=[0.1])
    assert share.levels[1] == ("[0.2, 0.3)", "[0.3, 0.4)")


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
    ("levels", "named"),
    [
        ((), ("empty", "at least one value")),
        (((),), ("empty", "at least one value")),
        ((("a", "b"), ("*",)), ("level 1", "1 labels", "2 values")),
        ((("a", "b", "a"), ("x", "y", "z")), ("rows 1 and 3", "same value", "keep one")),
        ((("a", "b", "a"), ("x", "y", "x")), ("rows 1 and 3", "same value", "keep one")),
        ((("a", "b"), ("x", "x"), ("y", "z")), ("rows 1 and 2", "one", "level 1", "two", "level 2")),
    ],
)
def test_contradictions_are_named(levels, named):
    with pytest.raises(BadHierarchy) as wrong:
        Hierarchy("age", levels)
    assert mentions(wrong.value, "hierarchy of 'age'", *named)


def test_values_of_the_data_that_it_lacks_are_named_up_to_ten():
    column = Column.of("age", [str(number) for number in range(25, 45)])
    with pytest.raises(BadHierarchy) as wrong:
        AGE.check(column)
    assert mentions(wrong.value, "'age'", 17, "not in it", "26, 27, 28, 29, 32, 33, 34, 35, 36, 37, …")
    assert not mentions(wrong.value, 38)


def test_one_value_that_it_lacks_is_named():
    for ask in (lambda: AGE.generalise("99", 1), lambda: AGE.generalise("99", 0), lambda: AGE.recode(("99",), 1)):
        with pytest.raises(BadHierarchy, match=r"\b1 value.*not in it.*\b99\b"):
            ask()


def test_only_the_beginning_of_a_long_value_is_shown():
    with pytest.raises(BadHierarchy) as wrong:
        AGE.check(Column.of("age", ["came in with a cough on Monday, was seen by Dr Lee"]))
    assert mentions(wrong.value, 1, "not in it", "came in with a cough on Monda…")


def test_missing_cells_are_not_values_that_it_lacks():
    AGE.check(Column.of("age", ["25", None]))


@pytest.mark.parametrize("level", [-1, 4])
def test_a_level_that_is_not_there(level):
    with pytest.raises(BadHierarchy, match=rf"'age' has no level {level};.*\b0 to 3\b"):
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
    with pytest.raises(BadHierarchy, match=r"'age'.*a width of .*multiple"):
        Hierarchy.intervals("age", [1], widths=widths)


def test_intervals_are_for_numbers():
    with pytest.raises(BadHierarchy, match=r"\b1 value.*not a number.*\byoung\b.*others="):
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
    with pytest.raises(BadHierarchy, match=r"\b1 value.*not a day.*\b31\.3\.2024\b"):
        Hierarchy.dates("birth", ["31.3.2024"])


def test_all_values_that_do_not_fit_are_named_at_once():
    bad = [f"n/a {n:02}" for n in range(12)]
    with pytest.raises(BadHierarchy, match=r"\b12 values.*not a number.*n/a 00, .*, n/a 09, … and 2 more"):
        Hierarchy.intervals("age", ["38", *bad], widths=[5])
    with pytest.raises(BadHierarchy, match=r"\b12 values.*not a day.*n/a 00, .*, … and 2 more"):
        Hierarchy.dates("birth", ["2024-03-31", *bad])
    with pytest.raises(BadHierarchy, match=r"\b1 value.*not a number.*\bwide\b"):
        Hierarchy.intervals("age", ["38"], widths=["wide"], others="other")
    with pytest.raises(BadHierarchy, match=r"\b1 value.*not a number.*\bhere\b"):
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
    with pytest.raises(BadHierarchy, match=r"day, month, quarter, year, decade.*in this order"):
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
        ({"Europe": ["France"], "Asia": ["France"]}, "rows 1 and 2.*same value"),
        (
            {"Europe": {"East": ["Poland"]}, "Asia": {"East": ["Japan"]}},
            "rows 1 and 2.*one.*level 1.*two",
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
        with pytest.raises(BadHierarchy, match=r"'x'.*empty.*at least one"):
            make()


def test_hierarchies_are_by_the_names_of_their_columns():
    assert as_hierarchies(None) == {}
    assert as_hierarchies({"age": AGE}) == {"age": AGE}
    for by in (AGE, [AGE], "hierarchies/"):
        with pytest.raises(WrongKind, match=r"by=.*mapping.*by=\{'age': hierarchy\}"):
            as_hierarchies(by)


ORGANS = sl.Hierarchy.nested("ill", {"lung": ["Flu", "Asthma"], "stomach": ["Ulcer"]})
BY = {"ill": ORGANS}
ROLES = {"quasi": "age", "sensitive": "ill", "person": "who"}


def as_counts(table):
    ages = [table.quasi[0].cell(row) for row in range(len(table.sizes))]
    counts = [
        {value: int(count) for value, count in zip(table.domain, row, strict=True) if count}
        for row in table.counts.dense()
    ]
    return dict(zip(ages, zip(table.sizes.tolist(), counts, strict=True), strict=True))


@pytest.mark.parametrize("values", ["set", "multiset"])
@pytest.mark.parametrize("make", [pa.table, pd.DataFrame])
def test_the_same_as_if_they_had_been_written_down_so(values, make):
    @examples(20)
    @given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["Flu", "Asthma", "Ulcer", None])), min_size=1))
    def hunt(rows):
        if all(value is None for _, value in rows):
            return
        columns = {
            "who": [str(who) for who, _ in rows],
            "age": [str(who % 2) for who, _ in rows],
            "ill": [value for _, value in rows],
        }
        settings = ROLES | {"values": values, "missing": "no value"}
        coarse = sl.coarser_values(sl.read_table(make(columns), **settings), by=BY, to=1)
        written = columns | {"ill": [None if each is None else ORGANS.generalise(each, 1) for each in columns["ill"]]}
        expected = sl.read_table(make(written), **settings)
        assert as_counts(coarse) == as_counts(expected)
        assert coarse.profiles().fit(coarse)

    hunt()


def test_one_value_each():
    table = sl.read_table(
        pa.table({"age": ["1", "1", "2"], "ill": ["Flu", "Asthma", "Ulcer"]}), quasi="age", sensitive="ill"
    )
    coarse = sl.coarser_values(table, by=BY, to={"ill": 1})
    assert as_counts(coarse) == {"1": (2, {"lung": 2}), "2": (1, {"stomach": 1})}
    (note,) = coarse.intake.notes()
    assert mentions(note, "ill", "level 1", "coarser")
    assert as_counts(sl.coarser_values(table, by=BY, to=0)) == as_counts(table)
    release = sl.generalise(table, by=BY, to={"ill": 1})
    assert [dict(group.counts) for group in release] == [{"lung": 2}, {"stomach": 1}]


def test_cells_that_list_several_values():
    rows = pa.table({"age": ["1", "1"], "ill": ["Flu|Asthma|Ulcer", "Asthma"]})
    table = sl.read_table(rows, quasi="age", sensitive="ill", split="|", values="set")
    assert as_counts(sl.coarser_values(table, by=BY, to=1)) == {"1": (2, {"lung": 2, "stomach": 1})}


def test_one_of_several_sensitive_columns():
    rows = pa.table({"age": ["1", "1"], "ill": ["Flu", "Asthma"], "pay": ["low", "high"]})
    table = sl.read_table(rows, quasi="age", sensitive=["ill", "pay"])
    coarse = sl.coarser_values(table, by=BY, to={"ill": 1})
    assert coarse.about("ill").domain == ("lung",)
    assert coarse.about("pay").domain == ("high", "low")
    with pytest.raises(WrongKind, match=r"ill and pay.*several"):
        sl.coarser_values(table, by=BY, to=1)
    with pytest.raises(UnknownColumn, match=r"sensitive column 'il'.*'ill'"):
        sl.coarser_values(table, by=BY, to={"il": 1})


def test_what_cannot_be_said_is_refused():
    table = sl.read_table(pa.table({"age": ["1"], "ill": ["Gout"]}), quasi="age", sensitive="ill")
    with pytest.raises(BadHierarchy, match="Gout"):
        sl.coarser_values(table, by=BY, to=1)
    with pytest.raises(BadHierarchy, match=r"no hierarchy for 'ill'.*by="):
        sl.coarser_values(table, by={}, to=1)
    with pytest.raises(WrongKind, match="a whole number"):
        sl.coarser_values(table, by=BY, to="1")
    known = sl.read_table(pa.table({"age": ["1"], "ill": ["Flu"]}), quasi="age", sensitive="ill")
    with pytest.raises(BadHierarchy, match="no level 9"):
        sl.coarser_values(known, by=BY, to=9)


def test_counts_alone_do_not_say_who_has_two():
    release = sl.Release.from_counts([{"Flu": 1, "Asthma": 1}], sizes=[2], values="set")
    table = sl.read_table(pa.table({"who": ["a"], "age": ["1"], "ill": ["Flu"]}), **ROLES, values="set")
    lone = type(table)(table.quasi, "ill", release.domain, release.groups.sizes, release.groups.counts, "set")
    with pytest.raises(BadTable, match=r"does not say.*together"):
        sl.coarser_values(lone, by=BY, to=1)


def test_categories_of_real_conditions():
    """Whoever had hay fever and asthma had a respiratory condition once."""
    data = sl.datasets.nhefs()
    frame = pq.read_table(data.path).to_pandas().dropna(subset=["condition"])
    hierarchy = data.hierarchies["condition"]
    frame["category"] = [hierarchy.generalise(each, 1) for each in frame["condition"]]
    people = frame.drop_duplicates(["person", "category"])["category"].value_counts().to_dict()
    table = sl.coarser_values(data.table, by=data.hierarchies, to=1)
    assert dict(zip(table.domain, table.counts.totals().tolist(), strict=True)) == people
    assert (table.people, people["Respiratory"]) == (1_629, 338)
