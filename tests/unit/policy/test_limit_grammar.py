"""Measures in a line of text: quoted where needed, and what is too long is left out, not cut."""

from fractions import Fraction

import pytest

from sidelight.measures.criterion import call_text, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Lung cancer", "Lung cancer"),
        ("it's", "it's"),
        ("a=b", '"a=b"'),
        ("[30-40]", '"[30-40]"'),
        ('6" nail', '"6"" nail"'),
        ("", '""'),
        (Fraction(3, 4), "3/4"),
        (False, "false"),
        (("a", ("b", "c, d")), '[a, [b, "c, d"]]'),
        ({"a b": 1, None: [2]}, '{a b=1, "(missing)"=[2]}'),
        ({"a, b": True, 3: "[c]"}, '{"a, b"=true, 3="[c]"}'),
        ({"[a]": "b"}, '{"[a]"=b}'),
        ([None, "*"], '["(missing)", *]'),
        (frozenset({"a"}), "[a]"),
        ({}, "{}"),
    ],
)
def test_values(value, text):
    assert value_text(value) == text


def test_settings_that_are_not_set_are_not_written_and_long_ones_are_left_out():
    assert call_text("closeness", {"order": None}) == "closeness"
    assert (
        call_text("closeness", {"distance": "ordered", "order": ["x"] * 999}) == "closeness(distance=ordered, order=…)"
    )
    assert [call_text("m", {"s": "x" * length}) for length in (120, 121)] == [f"m(s={'x' * 120})", "m(s=…)"]
    assert [call_text("m", {"s": "xyz"}, longest=most) for most in (3, 2)] == ["m(s=xyz)", "m(s=…)"]
