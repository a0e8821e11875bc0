"""How people are named: by name, as someone of a group, by description."""

import pytest

from sidelight.errors import BadKnowledge
from sidelight.knowledge.people import Described, Someone, as_who, person_text


def test_a_description_is_the_same_in_any_order_of_columns():
    assert as_who({"zip": 81667, "age": 34}) == as_who({"age": "34", "zip": "81667"})
    assert str(Described.of({"zip": None, "age": 34})) == "{age = 34, zip = (missing)}"


def test_numbers_and_texts_of_numbers_name_the_same_person():
    assert as_who(4711) == as_who("4711") == "4711"
    assert as_who(Someone(3, 2)) == Someone(3, 2)


@pytest.mark.parametrize(
    ("person", "text"), [("Ann Lee", "Ann Lee"), ("#17", '"#17"'), (Someone(17), "#17"), ("in", '"in"')]
)
def test_people_are_written_so_that_they_are_read_again(person, text):
    assert person_text(person) == text


@pytest.mark.parametrize("person", [None, ["Ann", "Bob"], {}, {"age": [3, 4]}])
def test_nobody_several_and_empty_descriptions_are_refused(person):
    with pytest.raises(BadKnowledge):
        as_who(person)
