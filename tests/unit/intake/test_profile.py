"""Profiles of columns: the same counts from every engine, and no more labels than are looked at."""

import datetime as dt

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.intake import profile as module
from sidelight.intake.profile import column_profiles, names_of_columns, open_columns, read_written_days
from sidelight.table.roles import Roles

ROWS = pa.table({"person": [1, 1, 2, 3], "sex": ["f", "f", "m", None], "ward": ["A", None, "A", "?"]})


def sources(folder):
    pa.csv.write_csv(ROWS, folder / "rows.csv")
    pa.parquet.write_table(ROWS, folder / "rows.parquet")
    yield from (ROWS, folder / "rows.csv", folder / "rows.parquet", [folder / "rows.csv"])
    yield pytest.importorskip("polars").from_arrow(ROWS)
    yield pytest.importorskip("pandas").DataFrame(ROWS.to_pydict())


def counts(profile):
    return profile.rows, profile.missing, profile.distinct, profile.once, profile.labels


def test_every_engine_counts_alike(tmp_path):
    roles = Roles(missing_marks=("?",))
    for source in sources(tmp_path):
        names = names_of_columns(source, roles)
        profiles = column_profiles(source, names, roles)
        assert counts(profiles["person"]) == (4, 0, 3, 2, ("1", "2", "3"))
        assert counts(profiles["sex"]) == (4, 1, 2, 1, ("f", "m"))
        assert counts(profiles["ward"]) == (4, 2, 1, 0, ("A",))
        with open_columns(source, names, Roles()) as rows:
            marked = module.add_marks(rows, ("?",))
            assert module.marks_among(rows, ("?", "NA"), ["sex", "ward"]) == {"?"}
            assert module.people_who_vary(marked, "person", ["sex", "ward"]) == {"ward": 1}, type(source)
            assert {name: counts(each) for name, each in module.profiles_of(marked, names).items()} == {
                name: counts(each) for name, each in profiles.items()
            }


def test_no_more_labels_are_brought_here_than_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "MOST_LABELS", 2)
    profile = column_profiles(ROWS, ["person"], Roles())["person"]
    assert (profile.distinct, profile.labels) == (3, ("1", "2"))


def test_how_far_it_is_is_told():
    steps = []
    column_profiles(ROWS, ["sex", "ward"], Roles(), lambda *step: steps.append(step))
    assert steps == [("sex", 0, 2), ("ward", 1, 2)]


WAYS = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d-%b-%Y", "%b %d, %Y", "%d %B %Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M"]


@given(st.lists(st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(2999, 1, 1)), min_size=1, max_size=9), st.data())
def test_days_in_ways_that_need_no_guess_are_read_as_they_were_meant(days, data):
    texts = [day.strftime(data.draw(st.sampled_from(WAYS))) for day in days]
    assert read_written_days(texts)["month"] == tuple(day.strftime("%Y-%m") for day in days)


@pytest.mark.parametrize("way", ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y 10:30 PM"])
def test_one_day_above_twelve_tells_the_order_of_all(way):
    days = [dt.date(1999, 4, 3), dt.date(2004, 2, 13)]
    assert read_written_days([day.strftime(way) for day in days])["month"] == ("1999-04", "2004-02")


@pytest.mark.parametrize("texts", [["03/04/1999"], ["13/04/1999", "04/13/1999"]])
def test_an_order_that_nobody_can_tell_leaves_the_year(texts):
    assert [*read_written_days(texts)] == ["year"]


def test_two_digits_stay_two_digits():
    days = read_written_days(["31.12.84", "1.2.21"])
    assert [*days] == ["month", "quarter", "year"]
    assert days["year"] == ("'84", "'21")


def test_a_few_labels_that_are_no_days_are_one_label():
    days = read_written_days([*(f"{day:02}.01.1999" for day in range(1, 20)), "unknown"])
    assert days["month"][-1] == "no day"


@pytest.mark.parametrize(
    "text", ["1984", "18-29", "1000-1999", "13/13/1999", "32.01.1999", "12-Foo-1999", "36.12345", ""]
)
def test_what_is_no_day(text):
    assert read_written_days([text]) is None


def test_no_labels_are_no_days():
    assert read_written_days([]) is None
