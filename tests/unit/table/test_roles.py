"""What columns look like: by name, and by how their labels are written.

Roles say who is who once; others may have the last word, and nothing is read by roles that cannot be.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BadTable
from sidelight.intake.profile import are_days, are_names, are_sentences, written_like
from sidelight.table.roles import CHOICES, Roles, find_look


@pytest.mark.parametrize(
    "labels",
    [
        ["18-29", "30-44", "45-64"],  # ages
        ["1000-1999", "2000-2999"],  # incomes
        ["2001-2005"],  # years
        ["36.12345", "41.2"],  # places
        ["1984-03-09", "09.03.1984"],  # days
        ["E11.9", "I10.0"],  # diagnoses
        ["00734", "14850"],  # ZIP codes
        ["Adm-clerical"],
    ],
)
def test_what_names_nobody_is_not_taken_for_it(labels):
    assert written_like(labels) is None


@pytest.mark.parametrize(
    ("labels", "noun"),
    [
        (["ann@example.org", " b.c@d-e.co.uk "], "an e-mail address"),
        (["https://example.org/ann"], "a link"),
        (["10.0.0.1"], "an address on the net"),
        (["078-05-1120"], "a social security number"),
        (["DE89 3704 0044 0532 0130 00"], "an account"),
        (["+4930901820", "030 / 901 820", "(212) 555-0173"], "a phone number"),
        (["123e4567-e89b-12d3-a456-426614174000"], "a number that is given out once"),
    ],
)
def test_what_names_somebody_is(labels, noun):
    look = written_like(labels)
    assert look is not None
    assert look.noun == noun


def test_one_label_in_ten_may_be_written_otherwise():
    assert written_like(["a@b.org"] * 9 + ["unknown"])
    assert not written_like(["a@b.org"] * 8 + ["unknown"] * 2)


@pytest.mark.parametrize("name", ["drug name", "hospital", "username_count_x", "age"])
def test_words_are_whole_words(name):
    assert (find_look(name, "names_somebody") is None) == (name != "username_count_x")


def test_lists_do_not_get_in_each_others_way():
    assert find_look("age at diagnosis", "told_in_confidence")  # what is told in confidence is looked for first
    assert find_look("age at diagnosis", "known_to_others")


def test_labels_alone():
    assert are_days(["9/3/84"])
    assert not are_days([])
    assert are_names(["Ann Miller"])
    assert not are_names(["Divorced", "Never-married"])
    assert not are_sentences([])


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
