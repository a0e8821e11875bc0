"""What may stand in a policy, by the annotations of measures."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from sidelight.errors import BadPolicy
from sidelight.measures.criterion import Bound
from sidelight.measures.limit_grammar import Word
from sidelight.policy.settings import (
    MOST_DIGITS,
    Number,
    Section,
    Text,
    Whole,
    not_a_table,
    read_number,
    read_share,
    setting_type,
    unknown_key,
    validated,
    without_measure,
)


def test_types_of_parameters_as_policies_hold_them():
    assert setting_type(Literal["a", "b"]) == Literal["a", "b"]
    assert setting_type(tuple[int, ...]) == tuple[Whole, ...]
    assert setting_type(Mapping[str, int]) == dict[Text, Whole]
    assert setting_type(Bound) == setting_type(float) == Number
    assert setting_type(float | str | None) == Number | Text | None


@pytest.mark.parametrize("hint", [Annotated[tuple[int, ...], "as it is"], Literal[1, "a"], tuple[()]])
def test_what_says_itself_what_it_holds_stays(hint):
    assert setting_type(hint) == hint


class Thing:
    """What Python holds and no policy can write."""


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (str | Thing | None, Text | None),
        (Thing | float | int, Number),
        (tuple[int, ...] | Thing | Literal["all"], tuple[Whole, ...] | Literal["all"]),
        (tuple[int | None, ...], tuple[Whole | None, ...]),
        (Mapping[str, float | Thing], dict[Text, Number]),
        (tuple[None, int], tuple[None, Whole]),
    ],
)
def test_what_a_policy_cannot_write_is_left_out(hint, kind):
    assert setting_type(hint) == kind


@pytest.mark.parametrize(
    ("hint", "word", "value"),
    [
        (int, "3", 3),
        (int, "1_000", 1000),
        (bool, "true", True),
        (bool, "false", False),
        (float, "0.5", 0.5),
        (float, "3/4", Fraction(3, 4)),
        (float, "inf", math.inf),
        (str, "05", "05"),
        (str, "true", "true"),
        (str | None, "3/4", "3/4"),
        (Literal["equal", "ordered"], "ordered", "ordered"),
    ],
)
def test_a_word_is_what_belongs_at_its_place(hint, word, value):
    assert TypeAdapter(setting_type(hint)).validate_python(Word(word)) == value


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        *[(int, "3"), (int, 3.0), (int, True), (int, Word("3.0")), (int | None, Word("none"))],
        *[(bool, 1), (bool, "true"), (bool, Word("True")), (bool | None, Word("perhaps"))],
        *[(str, 1.5), (str, True), (float, True)],
    ],
)
def test_nothing_else_is_coerced(hint, value):
    with pytest.raises(ValidationError):
        TypeAdapter(setting_type(hint)).validate_python(value)


@pytest.mark.parametrize("word", ["0.1", "2.5", "1e-05", "0.30000000000000004"])
def test_decimals_of_a_text_stay_decimals(word):
    assert str(read_number(Word(word))) == word


def test_no_digit_is_lost():
    digits = "0.1000000000000000000001"
    assert read_number(Word(digits)) == read_number(digits) == Fraction(digits)


@pytest.mark.parametrize(
    "text", ["", "five", "1/0", "nan", "Xinf", "-inf", "1e999999999", "1e-999999999", "3 / 4", "0x10"]
)
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match="give a number"):
        read_number(text)


# What is wrong with a section of a policy, in one line that names the key and where it stands.


class Inner(Section):
    amount: Whole
    share: Number = 0


class Outer(Section):
    name: Text
    parts: tuple[Inner, ...] = ()
    grid: tuple[tuple[Whole, ...], ...] = ()
    most: Whole | Literal["all", "none"] = 1
    pair: tuple[Whole, Whole] = (0, 0)
    apart: Sequence[Text] = ()
    rank: int = Field(default=1, ge=1)


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"nam": "x"}, "no key 'nam' in outer 1; did you mean 'name'?"),
        ({}, "'name' is missing in outer 1; add it"),
        ({"name": True}, "cannot use 'name' in outer 1; give text in quotes"),
        ({"name": "x", "parts": 3}, "cannot use 'parts' in outer 1; give a list"),
        ({"name": "x", "parts": [3]}, "cannot use 'parts' in outer 1; give a table, such as {name = 1}"),
        ({"name": "x", "parts": [{"amount": 1}, {"amont": 1}]}, "no key 'amont' in parts 2 of outer 1; did you mean 'amount'?"),
        ({"name": "x", "grid": [[1], [2, "3"]]}, "cannot use 'grid' in outer 1; give a whole number"),
        ({"name": "x", "most": 1.5}, "cannot use 'most' in outer 1; give a whole number or 'all' or 'none'"),
        ({"nam": 1, "most": 1.5}, "no key 'nam' in outer 1; did you mean 'name'?"),
        ({"name": "x", "pair": [1]}, "cannot use 'pair' in outer 1; give a longer list"),
        ({"name": "x", "pair": [1, 2, 3]}, "cannot use 'pair' in outer 1; give a shorter list"),
        ({"name": "x", "apart": 5}, "cannot use 'apart' in outer 1; give a list"),
        ({"name": "x", "apart": "y"}, "cannot use 'apart' in outer 1; give a list"),
        ({"name": "x", "most": "\ud800"}, "cannot use 'most' in outer 1; give a whole number or text in UTF-8"),
        ({"name": "x", "rank": 0}, "cannot use 'rank' in outer 1; give Input should be greater than or equal to 1"),
        ({"name": "x", "parts": [{"share": 1}]}, "'amount' is missing in parts 1 of outer 1; add it"),
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
    assert (
        str(unknown_key("limits", ["limit", "roles"], "p.toml")) == "no key 'limits' in p.toml; did you mean 'limit'?"
    )
    one, many = (not_a_table("p.toml", "limit", many=many) for many in (False, True))
    assert str(one) == "cannot use 'limit' in p.toml; write it as a table headed [limit]"
    assert str(many) == "cannot use 'limit' in p.toml; write it as tables headed [[limit]]"


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"k": 1, "mesure": 1}, "no key 'mesure' in limit 1; did you mean 'measure'?"),
        ({"meas": 1}, "no key 'meas' in limit 1; did you mean 'measure'?"),
        ({"at_least": 1}, "'measure' is missing in limit 1; add measure = \"group size\" or another one"),
        ({}, "'measure' is missing in limit 1; add measure = \"group size\" or another one"),
    ],
)
def test_a_limit_says_of_what(table, line):
    complaint = without_measure(table, "limit 1")
    assert isinstance(complaint, BadPolicy)
    assert str(complaint) == line


@pytest.mark.parametrize("text", ["inf", "+inf", "infinite", "∞"])
def test_more_than_any_number(text):
    assert read_number(text) == math.inf


@pytest.mark.parametrize(
    ("text", "number"),
    [("+5", 5), ("-5", -5), ("5", 5), ("5.0", 5.0), ("0.5", 0.5), ("1/2", Fraction(1, 2)), ("4/2", 2)],
)
def test_words_are_read_as_toml_reads_them(text, number):
    read = read_number(Word(text))
    assert read == number
    assert type(read) is type(number)


def test_numbers_have_so_many_digits():
    assert read_number(f"1e{MOST_DIGITS}") == 10**MOST_DIGITS
    assert read_number(f"1e-{MOST_DIGITS}") == Fraction(1, 10**MOST_DIGITS)
    for text in (f"1e{MOST_DIGITS + 1}", f"1e-{MOST_DIGITS + 1}"):
        with pytest.raises(ValueError, match="give a number"):
            read_number(text)


def test_nothing_and_all_are_shares():
    assert read_share("0") == 0
    assert read_share("1") == 1
    assert read_share("-1/1000") is None
    assert read_share("1001/1000") is None
