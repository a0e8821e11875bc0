"""Roles say who is who once; others may have the last word, and nothing is read by roles that cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BadTable
from sidelight.table.roles import CHOICES, Roles

NAMES = st.sampled_from(["age", "sex", "zip", "disease", "id"])
ROLES = st.builds(
    Roles,
    quasi=st.lists(NAMES, max_size=3).map(tuple),
    sensitive=st.none() | NAMES,
    person=st.none() | NAMES,
    missing=st.sampled_from([None, "an error", "drop"]),
    missing_marks=st.sampled_from([(), ("?",)]),
    domain=st.sampled_from([None, (), ("Flu", None)]),
)


@given(ROLES, ROLES)
def test_the_last_word_counts_and_silence_does_not(one, other):
    merged = one.update(other)
    assert merged.stated() == one.stated() | other.stated()
    assert one.update(Roles()) == Roles().update(one) == one


def test_what_nobody_said_is_filled_in_and_what_was_said_stays():
    roles = Roles.of(quasi="age", sensitive="disease", domain=["Flu", 7, "Flu"], missing="drop").complete()
    assert (roles.values, roles.missing, roles.suppressed) == ("single", "drop", "a group")
    assert roles.domain == ("Flu", "7")
    assert roles.complete() == roles


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        (Roles(sensitive="disease"), "quasi= names no columns"),
        (Roles(("age", "age"), "disease"), "'age' is listed twice in quasi="),
        (Roles(("age",), "age"), "'age' is sensitive= and also in quasi="),
        (Roles(("age",), "disease", "age", quasi_word="group"), "'age' is person= and also in group="),
        (Roles(("age",), "id", "id"), "'id' is both sensitive= and person="),
        (Roles(("age",), "disease", values="set"), 'values="set" needs person='),
    ],
)
def test_roles_that_cannot_be_are_refused(roles, says):
    with pytest.raises(BadTable, match=says):
        roles.complete()


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_is_one_of_a_few_words(name):
    with pytest.raises(BadTable, match=f'no {name}="whatever"; choose "'):
        Roles(("age",), "disease", "id", **{name: "whatever"}).complete()


def test_marks_of_missing_cells_say_nothing():
    roles = Roles.of(quasi="age", sensitive="disease", missing_marks=["?", -9])
    assert [roles.label(cell) for cell in ("?", -9, "-9", 9, None)] == [None, None, None, "9", None]
