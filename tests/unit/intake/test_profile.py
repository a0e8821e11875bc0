"""Profiles of columns: the same counts from every engine, and no more labels than are looked at."""

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from sidelight.intake import profile as module
from sidelight.intake.profile import column_profiles, names_of_columns, open_columns
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
        with open_columns(source, names, Roles()) as opened:
            marked = opened.add_marks(("?",))
            assert opened.marks_among(("?", "NA"), ["sex", "ward"]) == {"?"}
            assert marked.people_who_vary("person", ["sex", "ward"]) == {"ward": 1}, type(source)
            assert {name: counts(each) for name, each in marked.profiles(names).items()} == {
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
