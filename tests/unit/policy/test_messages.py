"""What is wrong with a section of a policy, in one line that names the key and where it stands."""

import pytest

from sidelight.errors import BadPolicy
from sidelight.policy.messages import not_a_table, unknown_key, validated, without_measure
from sidelight.policy.settings import Number, Section, Text, Whole


class Inner(Section):
    amount: Whole
    share: Number = 0


class Outer(Section):
    name: Text
    parts: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"nam": "x"}, "no key 'nam' in outer 1; did you mean 'name'?"),
        ({}, "'name' is missing in outer 1; add it"),
        ({"name": True}, "cannot use 'name' in outer 1; give text in quotes"),
        ({"name": "x", "parts": 3}, "cannot use 'parts' in outer 1; give a list"),
        ({"name": "x", "parts": [3]}, "cannot use 'parts' in outer 1; give a table, such as {name = 1}"),
        ({"name": "x", "parts": [{"amount": 1}, {"amont": 1}]}, "no key 'amont' in parts 2 of outer 1; did you mean 'amount'?"),
        ({"name": "x", "parts": [{"amount": 0.5}]}, "cannot use 'amount' in parts 1 of outer 1; give a whole number"),
        ({"name": "x", "parts": [{"amount": 1, "share": "?"}]}, "cannot use 'share' in parts 1 of outer 1; give a number, a fraction such as '3/4', or 'inf'"),
    ],
)  # fmt: skip
def test_one_line_names_the_key_and_where_it_stands(table, line):
    with pytest.raises(BadPolicy) as caught:
        validated(Outer, table, "outer 1")
    assert str(caught.value) == line


def test_what_is_right_is_given_back():
    assert validated(Outer, {"name": 5, "parts": [{"amount": 2}]}, "outer 1") == Outer(
        name="5", parts=(Inner(amount=2),)
    )


def test_other_messages_end_with_the_remedy():
    assert str(unknown_key("limits", ["limit", "roles"], "p.toml")).endswith("did you mean 'limit'?")
    assert str(not_a_table("p.toml", "roles", many=False)).endswith("write it as a table headed [roles]")
    assert str(without_measure({"mesure": 1}, "limit 1")) == "no key 'mesure' in limit 1; did you mean 'measure'?"
    assert "'measure' is missing" in str(without_measure({"at_least": 1}, "limit 1"))
