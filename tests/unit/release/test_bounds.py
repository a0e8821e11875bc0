import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadRelease
from sidelight.release.bounds import bound_columns
from sidelight.release.printed_labels import covers
from sidelight.table.table import Column

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
