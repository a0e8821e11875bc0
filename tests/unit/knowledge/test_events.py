"""Events: conditions joined by and, or and not."""

import pytest

from sidelight.errors import BadKnowledge
from sidelight.knowledge.events import (
    HasValue,
    InGroup,
    Joined,
    any_holds,
    as_event,
    event_of,
    event_text,
    negate,
    read_event,
)


def test_what_is_said_in_other_words_is_the_same_event():
    assert read_event("not (sex=m or age=30)") == read_event("age != 30 and sex != m")
    assert read_event("not (not Flu)") == (HasValue(("Flu",)),)
    assert read_event("sex=m, age=30") == read_event("age=30 and sex=m") == as_event({"age": 30, "sex": "m"})
    assert read_event("age in {30, 31}") == (any_holds([("age", "30"), ("age", "31")]),)


def test_a_comma_binds_less_than_or_and_or_less_than_and():
    assert read_event("a=1 or a=2, b=3") == event_of([any_holds([("a", "1"), ("a", "2")]), ("b", "3")])
    assert event_text(read_event("a=1 and b=2 or c=3")) == "c=3 or a=1 and b=2"
    assert event_text(read_event("(a=1 or b=2) and c=3 or d=4")) == "d=4 or c=3 and (a=1 or b=2)"


def test_sets_of_values_are_joined():
    assert read_event("(Flu or HIV) and not HIV") == (HasValue(("Flu",)),)
    assert read_event("not Flu and not HIV") == (HasValue(("Flu", "HIV"), others=True),)
    assert read_event("not Flu or HIV") == (HasValue(("Flu",), others=True),)
    for nothing in ("Flu and HIV", "Flu or not Flu", "Flu and not Flu"):
        with pytest.raises(BadKnowledge, match="leave none, or all"):
            read_event(nothing)


def test_values_and_conditions_are_not_joined_by_or():
    for mixed in ("Flu or sex=m", "not (Flu and sex=m)", "(Flu and sex=m) or age=30"):
        with pytest.raises(BadKnowledge, match=r"P\(Flu\) \+ P\(sex=male\)"):
            read_event(mixed)
    assert read_event("Flu and sex=m") == (("sex", "m"), HasValue(("Flu",)))


def test_a_group_is_a_number_and_a_column_of_that_name_has_labels():
    assert read_event("group=#3") == (InGroup(3),)
    assert negate(InGroup(3)) == Joined("not", (InGroup(3),))
    assert read_event('"group"=#3') == read_event('group="#3"') == (("group", "#3"),)
    assert read_event("group=A") == (("group", "A"),)


def test_a_list_is_no_label():
    with pytest.raises(BadKnowledge, match=r"a list is not .*one label.*condition"):
        as_event({"age": [30, 31]})
    with pytest.raises(BadKnowledge, match="conditions are column"):
        as_event(["sex"])


def test_the_number_of_a_group_is_read_as_it_is():
    assert read_event("group = #0000000000000000000010") == (InGroup(10),)
    for digits in ("9" * 19, "9" * 5_000):
        with pytest.raises(BadKnowledge, match=r"so many groups.*number"):
            read_event(f"group = #{digits}")
