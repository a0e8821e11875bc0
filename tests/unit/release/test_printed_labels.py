"""What a printed label covers: for one label, and for all labels of a column at a time.

How labels came about: nodes above labels, of hierarchies and of what a file tells.
"""

import datetime as dt
import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.printed import LABELS, TEXTS

import sidelight as sl
from sidelight.errors import BadRelease
from sidelight.release.label_order import LabelOrder
from sidelight.release.printed_labels import Nodes, Printing, bound_columns, covers, kind_of, may_be_of_one, read_label
from sidelight.table.labels import Column, label, shown


@pytest.mark.parametrize(
    ("printed", "inside", "outside"),
    [
        ("34", ["34", "34.0", "34.00"], ["034", "35", "3", None, "34-34"]),
        ("-3", ["-3", "-3.0"], ["3"]),
        ("３４", ["34", "３４", "34.0"], ["35", "０３４"]),  # digits of other scripts are digits, alone and in ranges
        ("34", ["３４"], ["３５"]),
        ("３０-３９", ["30", "３９", "34.5"], ["29", "４０"]),
        ("３*", ["３４"], ["34", "４４"]),
        ("{}", ["{}"], ["", None]),
        ("0501", ["0501"], ["501", "501.0"]),
        ("30-39", ["30", "39", "34.5"], ["29", "40", "thirty", None]),
        ("-5--1", ["-5", "-1"], ["0", "5"]),
        ("20–29", ["20", "29"], ["30"]),
        ("20..29", ["20"], ["30"]),
        ("20 to 29", ["20"], ["30"]),
        ("[30, 40)", ["30"], ["40"]),
        ("[30, 40[", ["30"], ["40"]),
        ("(30, 40]", ["40"], ["30"]),
        ("]30, 40]", ["40"], ["30"]),
        ("(30, 40)", ["35"], ["30", "40"]),
        ("<20", ["19"], ["20"]),
        ("<= 20", ["20"], ["21"]),
        ("≤20", ["20"], ["21"]),
        (">65", ["66"], ["65"]),
        ("≥ 65", ["65"], ["64"]),
        ("65+", ["65", "90"], ["64"]),
        ("816**", ["81667"], ["81767", "816", "8166"]),
        ("*", ["34", "Bob", None, ""], []),
        (None, [None], ["34", ""]),
        ("", [""], [None, "34"]),
        ("{Divorced, Widowed}", ["Divorced", "Widowed"], ["Married", None]),
        ("{10-19, 30, (missing)}", ["12", "30", None], ["20"]),
        ("30-39 or (missing)", ["30", None], ["40"]),
        ("2024-03", ["2024-03-09", "2024-03-09 10:00:00"], ["2024-04-01", "2024"]),
        ("2024-Q4", ["2024-10-01", "2024-12-31"], ["2024-09-30"]),
        ("2024", ["2024-10-01"], ["2023-10-01", "20241001"]),
        ("(missing)", ["(missing)", None], ["missing"]),
        ("17-36", ["17", "20.5", "36"], ["16.9", "37"]),
        ("1e-5-3", ["1", "3"], ["0", "4"]),
        ("1e1-3e1", ["10", "20", "30"], ["1", "31"]),
        ("(20; 30]", ["20.1", "30"], ["20"]),
        ("(-inf, 20.0]", ["-4", "20"], ["21"]),
        ("[20, ∞)", ["20", "1e9"], ["19"]),
        ("[20-30)", ["20"], ["30"]),
        ("-5 to -1", ["-5", "-1.0"], ["0", "1"]),
        ("30..39", ["30", "34", "39"], ["40", "29.9"]),
        ("30:39", ["30", "34", "39"], ["40", "30:35"]),
        ("10:30", ["15"], ["10:45", "10:30:00", "31"]),
        ("07:30", ["07:30"], ["7", "15"]),  # a time of day
        ("10:05", ["10:05"], ["10", "5", "7"]),
        ("00-04", ["0", "04", "4"], ["5"]),
        ("36-17", ["36-17"], ["20", "36"]),
        ("30, 40", ["30, 40"], ["35", "30"]),  # a comma is between two ends in brackets only
        ("[30, 40", ["[30, 40"], ["35"]),
        ("34.50", ["34.5"], ["34"]),
        ("3.4e1", ["34"], ["35"]),
        ("12345678901234567", ["12345678901234567"], ["12345678901234568", "1.2345678901234567e16"]),
        ("1e3", ["1000", "1000.0"], ["1e-3"]),
        ("2024", ["2024", "2024.0", "2024-01-01", "2024-12-31 23:59:59"], ["2024-13-01", "2024-Q1", "02024"]),
        ("2024-Q1", ["2024-01-01", "2024-03-31"], ["2024-04-01", "2024-Q2", "1"]),
        ("2024-Q5", ["2024-Q5"], ["2024-12-31"]),
        ("2024-00", ["2024-00"], ["2024-01-01"]),
        ("9999", ["9999-12-31"], ["9998-12-31"]),
        ("0000", ["0000"], ["0001-01-01", "0"]),
        ("2024-03-09", ["2024-03-09", "2024-03-09T10:00"], ["2024-03-10", "2024-03-091"]),
        ("2010-2019", ["2010-01-01", "2019-12-31", "2015"], ["2020-01-01", "2009"]),
        ("2024-01 to 2024-Q2", ["2024-01-01", "2024-06-30"], ["2024-07-01"]),
        ("[2024-01, 2024-03)", ["2024-01-01", "2024-02-29"], ["2024-03-01"]),
        ("(2024-01, 2024-03]", ["2024-02-01", "2024-03-31"], ["2024-01-31"]),
        ("<2024", ["2023-12-31", "2023"], ["2024-01-01", "2024"]),
        (">2024-02", ["2024-03-01"], ["2024-02-29", "3000"]),
        ("{Salt, pepper, Widowed}", ["Salt", "pepper", "Salt, pepper", "pepper, Widowed"], ["alt", "Salt, Widowed"]),
        ("{816**, 53100}", ["81667", "53100", "53100.0"], ["8166", "53101"]),
        ("{[20, 30), [30, 40)}", ["20", "35"], ["40"]),
        ("{10, 20}", ["10", "20.0"], ["15"]),
        ("{2023, 2024-Q1}", ["2023-05-05", "2024-01-01"], ["2024-04-01"]),
        ("{a, *}", ["a", "z", None], []),
        ("{a, b} or (missing)", ["a", "b", None], ["c"]),
        ("*****", ["81667"], ["8166", None]),
    ],
)
def test_a_printed_label_covers_what_it_may_stand_for(printed, inside, outside):
    looked_for = [*inside, *outside]
    assert [text for text in looked_for if covers(printed, text)] == inside
    order = LabelOrder(tuple(looked_for))
    assert {order.labels[at] for start, stop in order.find_covered(printed) for at in range(start, stop)} == {*inside}


@pytest.mark.parametrize("text", ["Divorced", "a-b", "36-17", "[a, 3)", "<old", "", "C+", "to", "..", "{}"])
def test_other_texts_are_no_intervals(text):
    printed = read_label(text)
    assert (printed.numbers, printed.days, printed.masks, printed.suppressed) == ((), (), (), False)


def test_only_a_set_lists_runs_of_its_parts():
    assert covers("{x, a, b}", "a, b")
    assert not covers("x, a, b", "a, b")


def test_what_somebody_else_explains_is_not_read():
    assert not read_label("20-29", opaque={"20-29"}).covers("25")
    assert not read_label("{20-29, x} or (missing)", opaque={"20-29"}).covers("25")
    assert read_label("*", opaque={"*"}).covers("25")


@pytest.mark.parametrize(
    ("printed", "others", "apart"),
    [
        (
            "30-39",
            ["35", "39-50", "[39, 40)", "*", "3*", "{1, 31}", ">38"],
            ["40", "40-49", "[10, 30)", ">39", None, "a"],
        ),
        ("2024", ["2024-Q1", "2024-03 to 2025-01", "2000-2030", "2024.0"], ["2023", "2025-Q1", "2024a"]),
        ("81***", ["816**", "81667", "8****"], ["82***", "816*", "53100"]),
        ("{a, b}", ["{b, c}", "b", "{a, b}"], ["{c, d}", "c"]),
        (None, [None, "1-2 or (missing)", "*"], ["1-2"]),
    ],
)
def test_two_printed_labels_may_be_of_one_person(printed, others, apart):
    for text in (*others, *apart):
        one, other = read_label(printed), read_label(text)
        assert one.overlaps(other) == other.overlaps(one) == (text in others)


@given(TEXTS, TEXTS, LABELS)
def test_what_both_cover_they_overlap_in(one, other, text):
    if covers(one, text) and covers(other, text):
        assert read_label(one).overlaps(read_label(other))


@given(st.text(max_size=8) | st.none(), st.text(max_size=8) | st.none())
def test_any_text_covers_itself(one, other):
    assert covers(one, one)
    assert covers(one, other) in (True, False)


@given(st.lists(st.integers(-50, 120), min_size=2, max_size=8, unique=True), st.data())
def test_what_sidelight_prints_covers_what_it_stands_for(ages, data):
    height = sl.Hierarchy.intervals("age", ages, widths=[5, 10, 20])
    level = data.draw(st.integers(0, height.height - 1))
    for age in ages:
        assert covers(height.generalise(str(age), level), str(age))


@given(st.lists(st.dates(), min_size=1, max_size=5), st.lists(st.floats(0, 99).map(lambda x: round(x, 1)), min_size=1))
def test_what_hierarchies_of_days_codes_and_decimals_print_covers_what_it_stands_for(days, numbers):
    codes = [f"{number:05.1f}" for number in numbers]
    hierarchies = [
        (sl.Hierarchy.dates("birth", days, periods=["day", "month", "quarter", "year", "decade"]), map(str, days)),
        (sl.Hierarchy.masks("zip", codes), codes),
        (sl.Hierarchy.intervals("weight", numbers, widths=[2.5, 5]), (shown(label(number)) for number in numbers)),
    ]
    for hierarchy, texts in hierarchies:
        for text in texts:
            assert all(covers(hierarchy.generalise(text, level), text) for level in range(hierarchy.height))


@given(st.sets(st.sampled_from([*"abcde", None]), min_size=2), st.integers(2, 4))
@examples(10)
def test_what_a_search_prints_covers_what_it_stands_for(labels, k):
    table = sl.read_table(
        pa.table({"job": [*labels] * 2, "age": [3, None, *range(2 * len(labels) - 2)], "ill": ["x"] * 2 * len(labels)}),
        quasi=["job", "age"],
        sensitive="ill",
    )
    release = sl.protect(table, sl.Policy(sl.GroupSize() >= k), method="mondrian", ask="nobody").release
    for column in table.quasi:
        printed = next(each for each in release.groups.columns if each.name == column.name)
        for text in column.labels:
            assert any(covers(each, text) for each in printed.labels)


@pytest.mark.parametrize(
    ("mask", "known", "meet"),
    [
        ("11**", "1010", False),  # Vienna's codes have four digits, as years have
        ("10**", "1010", True),
        ("148**", "2025", False),
        ("50-59", "3*", False),
        ("30-39", "3*", True),
        ("A1*", "30-39", False),
        ("202*", "2010-2019", False),
        ("201*", "2014-Q1", True),
        ("2014-03-**", "2014-Q2", False),
        ("2014-03-**", "2014", True),
        ("-3*", "-40--30", True),
    ],
)
def test_a_mask_meets_only_numbers_and_days_that_it_may_hide(mask, known, meet):
    assert may_be_of_one(mask, known) == may_be_of_one(known, mask) == meet


CITIES = sl.Hierarchy("city", (("Ulm", "Kiel", ""), ("South", "North", "unknown"), ("*", "*", "*")))


def test_a_missing_label_stands_where_the_hierarchy_puts_it():
    assert Nodes.from_hierarchy(CITIES).above[None] == ("unknown", "*")
    sex = Nodes.from_hierarchy(sl.Hierarchy.suppression("sex", ["f", "m"]))
    assert sex.above[None] == ("*",)
    assert None in sex


def test_a_hierarchy_of_one_level_has_labels_and_no_nodes():
    only = Nodes.from_hierarchy(sl.Hierarchy("city", (("Ulm", "Kiel"),)))
    assert only.above["Ulm"] == ()
    assert only.labels_by_node == {}
    assert "Ulm" in only


def test_what_a_file_tells_is_what_the_hierarchy_says_of_printed_nodes():
    whole = Nodes.from_hierarchy(CITIES)
    told = Nodes.covering({"South": whole.labels_by_node["South"], "unknown": whole.labels_by_node["unknown"]})
    assert told.above == {"Ulm": ("South",), "": ("unknown",), None: ("unknown",)}
    assert "North" not in told


def test_releases_know_how_they_print():
    table = sl.datasets.adult(quasi=["age", "sex"]).table
    by = sl.datasets.adult().hierarchies
    printing = sl.generalise(table, by=by, to={"sex": 1}).printing
    assert set(printing.nodes) == {"sex"}  # ages are printed as they are
    assert sl.protect(table, sl.GroupSize() >= 50, method="microaggregation", ask="nobody").release.printing.averages
    mondrian = sl.protect(
        table, sl.GroupSize() >= 50, by={"age": by["age"]}, method="mondrian", ask="nobody"
    ).release.printing
    assert set(mondrian.nodes) == set()  # intervals of numbers mean what they say
    assert not Printing().averages


AGES = [str(age) for age in range(18, 92)]


def judged(labels, hierarchy):
    return kind_of(Column.of("x", labels), Nodes.from_hierarchy(hierarchy))


@pytest.mark.parametrize(
    "labels",
    [
        ("0-17", "18-64", "65+"),
        ("[0, 18)", "[18, 65)", "[65, inf)"),
        ("<18", "18 to 64", ">=65"),
    ],
)
def test_numbers_that_are_printed_as_intervals_stay_numbers(labels):
    child, adult, old = labels
    level = tuple(child if int(age) < 18 else adult if int(age) < 65 else old for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), level, ("*",) * len(AGES)))) == "number"


def test_numbers_that_are_printed_under_names_or_masks_are_categories():
    names = tuple("adult" if int(age) < 65 else "old" for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), names))) == "category"
    assert judged(["81667", "81675"], sl.Hierarchy.masks("x", ["81667", "81675"])) == "category"
    assert judged(AGES, sl.Hierarchy.suppression("x", AGES)) == "category"


def test_intervals_elsewhere_are_names():
    wrong = tuple("90-99" if int(age) < 65 else "0-9" for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), wrong))) == "category"


def test_only_whole_numbers_become_categories():
    halves = ["1.5", "2.5"]
    assert judged(halves, sl.Hierarchy("x", (tuple(halves), ("low", "high")))) == "number"
    days = ["1984-03-09", "1990-11-30"]
    assert judged(days, sl.Hierarchy.dates("x", days)) == "date"


NUMBER = st.integers(-200, 200)
LABELS = st.one_of(
    NUMBER.map(str),
    st.tuples(NUMBER, NUMBER).map(lambda ends: f"[{min(ends)}, {max(ends)}]"),
    st.tuples(NUMBER, NUMBER).map(lambda ends: f"{min(ends)} to {max(ends)}"),
    NUMBER.map(lambda end: f">={end}"),
    NUMBER.map(lambda end: f"<{end}"),
    st.just("*"),
)


@given(LABELS, NUMBER)
def test_the_bounds_hold_exactly_what_the_label_covers(text, number):
    low, high, with_low, with_high = sl.bounds(text)
    inside = (low < number or (with_low and low == number)) and (number < high or (with_high and number == high))
    assert inside == covers(text, str(number))


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("53-90", (53, 90)),
        ("1.5-2.5", (1.5, 2.5)),
        ("90+", (90, math.inf)),
        ("*", (-math.inf, math.inf)),
        ("30-39 or (missing)", (30, 39)),
        ("{20-29, 40}", (20, 40)),
        ("{[20, 30), 40}", (20, 40)),
        ("{80333, (missing)}", (80333, 80333)),
        ("'-5-3", (-5, 3)),
        ("2024", (2024, 2024)),
        ("2024-03", (dt.date(2024, 3, 1), dt.date(2024, 3, 31))),
        ("1984-03-09 to 1990-11-30", (dt.date(1984, 3, 9), dt.date(1990, 11, 30))),
    ],
)
def test_labels_that_releases_print(text, ends):
    assert sl.bounds(text)[:2] == ends


@pytest.mark.parametrize("text", ["Divorced", "130**", "(missing)", None, "", "{Bonn, 3}", "{2024-01, Bonn}"])
def test_what_has_no_bounds(text):
    with pytest.raises(BadRelease, match="no number, no day and no interval"):
        sl.bounds(text)


def test_a_column_of_single_numbers_or_words_has_no_further_columns():
    assert bound_columns(Column.of("age", ["20", "30"])) is None
    assert bound_columns(Column.of("city", ["Bonn", "*"])) is None
    assert bound_columns(Column.of("age", ["20-29", "old"])) is None
    assert bound_columns(Column.of("year", ["2023", "2024"])) is None


def test_nothing_is_between_codes():
    """Regions 1 to 4 and postcodes are no numbers: {1, 3} does not go from 1 to 3, nor 01067 from 1067."""
    assert bound_columns(Column.of("region", ["{1, 3}", "2", "*"])) is None
    assert bound_columns(Column.of("zip", ["{01067, 01069}", "{80333, (missing)}"])) is None


def test_names_that_are_taken_are_not_taken_again():
    low, high = bound_columns(Column.of("age", ["20-29"]), taken=["age_low"])
    assert (low.name, high.name) == ("age_low 2", "age_high")
