"""What a cell says does not depend on how it is stored."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.table.labels import as_day, as_number, day_text, hinted, in_order, label, listed


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([True, np.True_], "true"),
        ([5, 5.0, "5", np.int8(5), np.float32(5), np.str_("5"), Decimal("5.00")], "5"),
        ([5.5, np.float64(5.5), Decimal("5.50")], "5.5"),
        ([dt.date(2020, 1, 2), dt.datetime(2020, 1, 2), pd.Timestamp("2020-01-02"), np.datetime64("2020-01-02")], "2020-01-02"),
        ([pd.Timestamp(1), np.datetime64(1, "ns")], "1970-01-01 00:00:00.000000001"),
        ([pd.Timestamp(1, tz="Asia/Tokyo")], "1970-01-01 00:00:00.000000001+00:00"),
        ([dt.timedelta(1), pd.Timedelta(days=1), np.timedelta64(24, "h")], "1 day, 0:00:00"),
        ([pd.Timedelta(-1, "ns"), np.timedelta64(-1, "ns")], "-1 day, 23:59:59.999999999"),
        ([dt.time(7)], "07:00:00"),
        ([None, float("nan"), np.float32("nan"), np.datetime64("NaT"), pd.NaT, pd.NA, Decimal("nan")], None),
    ],
)  # fmt: skip
def test_a_label_does_not_depend_on_who_made_the_cell(cells, text):
    assert {label(cell) for cell in cells} == {text}


@given(st.lists(st.none() | st.integers(-99, 99).map(str) | st.sampled_from(["b", "1e2", "nan"]), max_size=8))
def test_labels_are_ordered_as_numbers_where_all_are_and_missing_last(labels):
    ordered = in_order(labels)
    assert set(ordered) == set(labels)
    assert len(ordered) == len(set(labels))
    assert None not in ordered[:-1]
    present = [text for text in ordered if text is not None]
    numbers = [as_number(text) for text in present]
    assert present == sorted(present) if None in numbers else numbers == sorted(numbers)


@given(st.dates())
def test_a_day_is_its_number_and_back(day):
    assert day_text(as_day(label(day))) == label(day)


@pytest.mark.parametrize("text", [None, "", "2024-02-30", "2024-1-1", "1984-03", "x"])
def test_what_is_no_day(text):
    assert as_day(text) is None


@pytest.mark.parametrize("text", [None, "", "1_000", "nan", "inf", "20-29"])
def test_what_is_no_number(text):
    assert as_number(text) is None


def test_labels_in_messages_are_short():
    assert hinted("a story " * 20).endswith("…")
    assert len(hinted("a story " * 20)) == 30
    assert listed(["a", None, "b"], most=2) == "a, (missing), … and 1 more"
