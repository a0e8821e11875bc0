"""Reading a published file as it stands."""

import pandas as pd
import pytest

import sidelight as sl
from sidelight.errors import BadTable

PUBLISHED = pd.DataFrame(
    {
        "age": ["20-29", "20-29", "*", "*", "*"],
        "sex": ["f", "f", "*", "m", "*"],
        "disease": ["Flu", "Cold", "HIV", "Flu", None],
    }
)


def test_rows_that_print_alike_are_a_group():
    release = sl.read_release(PUBLISHED, group=["age", "sex"], sensitive="disease", missing="a value")
    assert [str(release.groups.name(row)) for row in range(3)] == [
        "group 1 (age *, sex *)",
        "group 2 (age *, sex m)",
        "group 3 (age 20-29, sex f)",
    ]
    assert release.groups.sizes.tolist() == [2, 1, 2]
    assert release.domain == ("Cold", "Flu", "HIV", None)
    assert release.groups.whole.tolist() == [1, 2, 1, 1]
    assert release.sensitive == "disease"


def test_suppressed_rows_can_be_left_out_and_are_counted():
    release = sl.read_release(PUBLISHED, group=["age", "sex"], sensitive="disease", suppressed="leave out")
    assert release.size == 3
    assert release.domain == ("Cold", "Flu")  # what only suppressed people have is not in the release
    assert release.groups.columns[0].labels == ("*", "20-29")
    assert release.intake.rows_suppressed == 2
    assert release.intake.notes() == ("2 of 5 rows are fully suppressed (*) and were left out",)


def test_nothing_left_is_an_error():
    with pytest.raises(BadTable, match="no rows are left"):
        sl.read_release(PUBLISHED[2:3], group=["age", "sex"], sensitive="disease", suppressed="leave out")


def test_messages_use_the_callers_words():
    with pytest.raises(BadTable, match='no suppressed="drop"; choose "a group" or "leave out"'):
        sl.read_release(PUBLISHED, group=["age"], sensitive="disease", suppressed="drop")
    with pytest.raises(BadTable, match="also in group="):
        sl.read_release(PUBLISHED, group=["disease"], sensitive="disease")
    with pytest.raises(BadTable, match="group= names no columns"):
        sl.read_release(PUBLISHED, group=[], sensitive="disease")


def test_visits_of_people_count_people():
    visits = pd.DataFrame({"zip": ["1"] * 4, "who": [1, 1, 1, 2], "disease": ["Flu", "Flu", "HIV", "Flu"]})
    once = sl.read_release(visits, group="zip", sensitive="disease", person="who", values="set")
    assert (once.groups.sizes.tolist(), once.groups.counts.row(0).tolist()) == ([2], [2, 1])
    assert once.intake.notes() == ("1 of 4 rows repeats a person's value and counts once",)
    each = sl.read_release(visits, group="zip", sensitive="disease", person="who", values="multiset")
    assert (each.groups.sizes.tolist(), each.groups.counts.row(0).tolist()) == ([2], [3, 1])
