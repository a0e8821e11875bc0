"""Data: what each column is, how coarse, and who stands alone."""

import pytest
from support.explorer import guest, opened
from support.words import mentions, says

import sidelight as sl
from sidelight.web.views.data import changed_state


@pytest.fixture
def held(sample_files):
    return opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")


@pytest.fixture
def client(held):
    return guest(held)


def test_it_counts_who_stands_alone_as_the_library_does(held, client, sample_files):
    shown = client.get(held.start.address("/api/data")).json()
    table = sl.read_table(sample_files / "patients.parquet", quasi=["age", "sex"], sensitive="disease")
    which = sl.identifying_columns(table, 2)
    assert {tuple(each["columns"]): (each["groups"], each["alone"]) for each in shown["sets"]} == {
        each.columns: (each.groups, each.unique) for each in which.subsets
    }
    assert mentions(shown["sentence"], "knows age, sex", "40 of 40 people", "alone")


def test_levels_change_who_stands_alone_and_show_a_preview(held, client):
    shown = client.get(held.start.but(levels=(("age", 2),)).address("/api/data")).json()
    assert mentions(shown["sentence"], "Nobody of 40 people", "alone", "knows age, sex", "coarse")
    (age, _) = shown["hierarchies"]
    assert (age["level"], age["levels"][2]["some"], age["drafted"]) == (2, ["20+", "40+"], False)


def test_columns_have_kinds_and_reasons(held, client):
    columns = {each["name"]: each for each in client.get(held.start.address("/api/data")).json()["columns"]}
    assert (columns["age"]["role"], columns["age"]["labels"]) == ("quasi", 40)
    assert columns["zip"]["role"] == "leave out"
    assert all(each["reason"] for each in columns.values())


def test_fields_say_what_columns_are(held):
    state = changed_state(held, held.start, [("as-zip", "quasi"), ("as-disease", "sensitive"), ("as-none", "quasi")])
    assert (state.quasi, state.sensitive) == (("zip",), ("disease",))
    assert changed_state(held, held.start, [("to-age", "2"), ("to-sex", "0"), ("to-zip", "1")]).levels == (("age", 2),)
    assert changed_state(held, held.start, [("to-age", "many")]) == held.start


def test_what_cannot_be_read_is_told_and_columns_stay_to_choose(held, client):
    answer = client.get(held.start.but(sensitive=()).address("/data"))
    assert answer.status_code == 200
    assert says(answer.text, "choose", "others know")
    assert 'name="as-age"' in answer.text


def test_a_published_release_has_no_table(sample_files):
    table = sl.read_table(sample_files / "patients.parquet", quasi=["age", "sex"], sensitive="disease")
    found = sl.protect(
        table, sl.Policy(sl.GroupSize() >= 5), by=sl.read_hierarchies(sample_files / "hierarchies"), ask="nobody"
    )
    found.publish(sample_files / "release.csv")
    held = opened(sample_files / "release.csv", sl.table.roles.Roles())
    shown = guest(held).get(held.start.address("/api/data")).json()
    assert (shown["people"], shown["problem"], shown["hierarchies"]) == (40, None, [])
    assert held.start.limits == ("group size >= 5",)
