"""What a printed cell may stand for."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.release.printed_labels import covers, says_one_thing


@pytest.mark.parametrize(
    ("printed", "inside", "outside"),
    [
        ("34", ["34", "34.0", "34.00"], ["034", "35", "3", None, "34-34"]),
        ("-3", ["-3", "-3.0"], ["3"]),
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
        ("(missing)", ["(missing)"], [None]),
    ],
)
def test_a_printed_cell_covers_what_it_may_stand_for(printed, inside, outside):
    assert [text for text in [*inside, *outside] if covers(printed, text)] == inside


@given(st.lists(st.integers(-50, 120), min_size=2, max_size=8, unique=True), st.data())
def test_what_sidelight_prints_covers_what_it_stands_for(ages, data):
    height = sl.Hierarchy.intervals("age", ages, widths=[5, 10, 20])
    level = data.draw(st.integers(0, height.height - 1))
    for age in ages:
        assert covers(height.generalise(str(age), level), str(age))


@given(st.sets(st.sampled_from([*"abcde", None]), min_size=2), st.integers(2, 4))
@settings(max_examples=20)
def test_what_a_search_prints_covers_what_it_stands_for(labels, k):
    table = sl.read_table(
        pa.table({"job": [*labels] * 2, "age": [3, None, *range(2 * len(labels) - 2)], "ill": ["x"] * 2 * len(labels)}),
        quasi=["job", "age"],
        sensitive="ill",
    )
    found = sl.protect(table, sl.Policy(sl.GroupSize() >= k), method="mondrian").release
    for column in table.quasi:
        printed = next(each for each in found.groups.columns if each.name == column.name)
        for text in column.labels:
            assert any(covers(each, text) for each in printed.labels)


@given(st.text(max_size=8) | st.none(), st.text(max_size=8) | st.none())
def test_any_texts_can_be_asked(one, other):
    assert covers(one, one)
    assert covers(one, other) in (True, False)
    assert says_one_thing(one) in (True, False)


def test_ranges_sets_and_masks_say_several_things():
    assert [each for each in ("34", "a", None, "30-39", "*", "3*", "{a, b}", ">3", "3+") if says_one_thing(each)] == [
        "34",
        "a",
        None,
    ]
