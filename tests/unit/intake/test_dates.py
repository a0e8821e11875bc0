"""Days in other ways of writing: what they say, and what nobody can tell from them."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.intake.dates import read_written_days

WAYS = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d-%b-%Y", "%b %d, %Y", "%d %B %Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M"]


@given(st.lists(st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(2999, 1, 1)), min_size=1, max_size=9), st.data())
def test_days_in_ways_that_need_no_guess_are_read_as_they_were_meant(days, data):
    texts = [day.strftime(data.draw(st.sampled_from(WAYS))) for day in days]
    assert read_written_days(texts).levels[1] == tuple(day.strftime("%Y-%m") for day in days)


@pytest.mark.parametrize("way", ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y 10:30 PM"])
def test_one_day_above_twelve_tells_the_order_of_all(way):
    days = [dt.date(1999, 4, 3), dt.date(2004, 2, 13)]
    assert read_written_days([day.strftime(way) for day in days]).levels[1] == ("1999-04", "2004-02")


@pytest.mark.parametrize("texts", [["03/04/1999"], ["13/04/1999", "04/13/1999"]])
def test_an_order_that_nobody_can_tell_leaves_the_year(texts):
    assert read_written_days(texts).periods == ("year",)


def test_two_digits_stay_two_digits():
    days = read_written_days(["31.12.84", "1.2.21"])
    assert days.periods == ("month", "quarter", "year")
    assert days.levels[3] == ("'84", "'21")


def test_a_few_labels_that_are_no_days_are_one_label():
    days = read_written_days([*(f"{day:02}.01.1999" for day in range(1, 20)), "unknown"])
    assert days.levels[1][-1] == "no day"


@pytest.mark.parametrize(
    "text", ["1984", "18-29", "1000-1999", "13/13/1999", "32.01.1999", "12-Foo-1999", "36.12345", ""]
)
def test_what_is_no_day(text):
    assert read_written_days([text]) is None


def test_no_labels_are_no_days():
    assert read_written_days([]) is None
