"""Limits are made from the measures themselves, so that a new measure needs nothing here.

What may stand in a policy, by the annotations of measures.

Limits in a line of text: all that a policy file can say, and one line with the place for what cannot be read.
"""

import math
import string
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Bound, call_text
from sidelight.policy.limits import (
    MOST_ZEROS,
    Number,
    Section,
    Text,
    Whole,
    Word,
    limit_model,
    missing_measure,
    not_a_table,
    read_limit,
    read_measure,
    read_number,
    read_share,
    setting_type,
    unknown_key,
    validate_section,
)
from sidelight.policy.policy import Policy
from sidelight.policy.policy_file import read_policy_text


@dataclass(frozen=True)
class Gossip(GroupSize):
    """How far does gossip reach?"""

    name: ClassVar[str] = "gossip"
    large_is_bad: ClassVar[bool] = True
    limits = (0, math.inf)

    k: int = 1
    shape: str = "uniform"
    stubbornness: Bound = 0
    predicates: tuple[frozenset[str], ...] = ()

    def __post_init__(self):
        if self.k < 0:
            message = "k must be at least 0"
            raise BadMeasure(message)

    @classmethod
    def from_settings(
        cls,
        k: int,
        shape: Literal["uniform", "release"] | Mapping[str, float] = "uniform",
        stubbornness: Bound = 0,
        predicates: Mapping[str, list[str]] | None = None,
    ):
        """Name sets of values in the file."""
        return cls(k, str(shape), stubbornness, tuple(map(frozenset, (predicates or {}).values())))

    def settings(self):
        """Name them again."""
        named = {f"set {number}": sorted(each) for number, each in enumerate(self.predicates, start=1)}
        return {"k": self.k, "shape": self.shape, "stubbornness": self.stubbornness, "predicates": named}


def test_a_new_measure_is_in_the_file_the_text_and_the_schema():
    expected = Gossip(3, "release", math.inf, (frozenset({"Ulcer", "Dyspepsia"}),)) < Fraction(1, 2)
    file = """
        [[limit]]
        measure = "gossip"
        k = 3
        shape = "release"
        stubbornness = inf
        predicates = {"any stomach disease" = ["Ulcer", "Dyspepsia"]}
        below = "1/2"
    """
    assert read_policy_text(file).policy == Policy(expected)
    assert (
        read_limit('gossip(k=3, shape=release, stubbornness=inf, predicates={"s"=["Ulcer", "Dyspepsia"]}) < 1/2')
        == expected
    )
    assert read_policy_text(Policy(expected).to_toml()).policy == Policy(expected)
    properties = limit_model(Gossip).model_json_schema()["properties"]
    assert set(properties) == {"measure", "k", "shape", "stubbornness", "predicates", "at_most", "below", "of", "known"}


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ("k = -1", ("limit 1 of policy.toml", "k", "at least 0")),
        ("k = 1.5", ("cannot use 'k'", "limit 1 of policy.toml", "a whole number")),
        ("", ("'k' is missing", "limit 1 of policy.toml", "add it")),
        ("k = 1\nshap = 'release'", ("no key 'shap'", "limit 1 of policy.toml", "'shape'")),
        (
            "k = 1\nshape = 'square'",
            ("cannot use 'shape'", "limit 1 of policy.toml", "'uniform' or 'release'", "a table", "{name = 1}"),
        ),
        ("k = 1\npredicates = {a = [true]}", ("cannot use 'predicates'", "limit 1 of policy.toml", "text in quotes")),
    ],
)
def test_wrong_settings_are_said_in_one_line(settings, line):
    with pytest.raises(BadPolicy) as caught:
        read_policy_text(f"[[limit]]\nmeasure = 'gossip'\n{settings}\nbelow = 1", name="policy.toml")
    assert mentions(caught.value, *line)


def test_settings_in_text_need_no_names_and_no_quotes():
    assert read_measure("gossip(3)") == Gossip(3)
    assert read_measure("Gossip ( 3 , release )") == Gossip(3, "release")
    assert read_measure("gossip(k=3, predicates={'a, b' = ['x, y']})") == Gossip(3, predicates=(frozenset({"x, y"}),))


SKYLINES = """
[[skyline]]
value = "AIDS"
points = [{rules_out = 1, others = 5, family = 2, below = 0.5}, {others = 3, below = 0.9}, {others = 20, below = 0.9}]

[[skyline]]
points = [{rules_out = 4, below = "3/4"}]

[[limit]]
measure = "group size"
at_least = 5
"""


def test_skylines_say_what_python_says():
    file = read_policy_text(SKYLINES)
    skyline = sl.skyline({"AIDS": [(1, 5, 2, 0.5), (0, 3, 0, 0.9), (0, 20, 0, 0.9)]}, default=[(4, 0, 0, 0.75)])
    assert [str(each) for each in file.policy.criteria[1:]] == [str(each).replace("0.75", "3/4") for each in skyline]
    assert file.notes == skyline.notes
    assert len(file.notes) == 1
    assert file.policy.criteria[0] == (sl.GroupSize() >= 5)


def test_skylines_are_written_as_limits_that_say_the_same():
    policy = read_policy_text(SKYLINES).policy
    assert read_policy_text(policy.to_toml()).policy == policy


def test_values_of_skylines_may_be_numbers():
    (criterion,) = read_policy_text("[[skyline]]\nvalue = 5\npoints = [{below = 0.5}]").policy.criteria
    assert criterion.measure == sl.Acquaintance(value="5")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("of = 'disease'\nknown = ['job']", "others=3, of=disease, known=[job]"),
        ("of = 'disease'", "others=3, of=disease"),
        ("known = ['job']", "others=3, known=[job]"),
        ("apart_from = ['Flu', 5]", "others=3, apart_from=[Flu, 5]"),
    ],
)
def test_a_skyline_is_about_what_it_names(text, asked):
    (criterion,) = read_policy_text(f"[[skyline]]\n{text}\npoints = [{{others = 3, below = 0.9}}]").policy.criteria
    assert str(criterion) == f"acquaintance({asked}) < 0.9"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("of = 'disease'\nknown = ['job']", "of=disease, known=[job]"),
        ("known = ['job']", "known=[job]"),
    ],
)
def test_a_limit_is_about_what_it_names(text, message):
    (criterion,) = read_policy_text(f"[[limit]]\nmeasure = 'distinct values'\n{text}\nat_least = 2").policy.criteria
    assert str(criterion) == f"distinct values({message}) ≥ 2"


def test_a_skyline_has_points_and_one_way_of_naming_values():
    for text, message in {
        "points = []": ("no points", "at least one", "{rules_out = 4, below = 0.75}"),
        "value = 'a'\napart_from = ['b']\npoints = [{below = 0.5}]": ("both 'value' and 'apart_from'", "give one"),
    }.items():
        with pytest.raises(BadPolicy) as caught:
            read_policy_text(f"[[skyline]]\n{text}", name="p.toml")
        assert mentions(caught.value, "skyline 1 of p.toml", *message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("points = []", "no points; .*at least one"),
        ("value = 'a'\npoints = [{other = 1, below = 0.5}]", "no key 'other' .*'others'"),
        ("points = [{others = -1, below = 0.5}]", "skyline 1 of p.toml: .*others .*whole number"),
        ("points = [{others = 1.5, below = 0.5}]", "cannot use 'others' .*a whole number"),
        ("points = [{others = 1}]", "'below' is missing"),
        ("points = [{below = 2}]", "skyline 1 of p.toml: .*between 0 and 1"),
        (
            "value = 'a'\npoints = [{below = 0.5}]\n[[skyline]]\nvalue = 'a'\npoints = [{below = 0.5}]",
            "two skylines for 'a'",
        ),
        ("points = [{below = 0.5}]\n[[skyline]]\npoints = [{below = 0.4}]", "two skylines without a value"),
    ],
)
def test_what_is_wrong_with_a_skyline_is_said_in_one_line(text, message):
    with pytest.raises(BadPolicy, match=message):
        read_policy_text(f"[[skyline]]\n{text}", name="p.toml")


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
        ({"nam": "x"}, ("no key 'nam'", "in outer 1", "'name'")),
        ({}, ("'name' is missing", "in outer 1", "add it")),
        ({"name": True}, ("cannot use 'name'", "in outer 1", "text in quotes")),
        ({"name": "x", "parts": 3}, ("cannot use 'parts'", "in outer 1", "a list")),
        ({"name": "x", "parts": [3]}, ("cannot use 'parts'", "in outer 1", "a table", "{name = 1}")),
        ({"name": "x", "parts": [{"amount": 1}, {"amont": 1}]}, ("no key 'amont'", "parts 2 of outer 1", "'amount'")),
        ({"name": "x", "grid": [[1], [2, "3"]]}, ("cannot use 'grid'", "in outer 1", "a whole number")),
        ({"name": "x", "most": 1.5}, ("cannot use 'most'", "in outer 1", "a whole number", "'all' or 'none'")),
        ({"nam": 1, "most": 1.5}, ("no key 'nam'", "in outer 1", "'name'")),
        ({"name": "x", "pair": [1]}, ("cannot use 'pair'", "in outer 1", "a longer list")),
        ({"name": "x", "pair": [1, 2, 3]}, ("cannot use 'pair'", "in outer 1", "a shorter list")),
        ({"name": "x", "apart": 5}, ("cannot use 'apart'", "in outer 1", "a list")),
        ({"name": "x", "apart": "y"}, ("cannot use 'apart'", "in outer 1", "a list")),
        ({"name": "x", "most": "\ud800"}, ("cannot use 'most'", "in outer 1", "a whole number", "text in UTF-8")),
        ({"name": "x", "rank": 0}, ("cannot use 'rank'", "in outer 1", "greater than or equal", "1")),
        ({"name": "x", "parts": [{"share": 1}]}, ("'amount' is missing", "parts 1 of outer 1", "add it")),
        ({"name": "x", "parts": [{"amount": 0.5}]}, ("cannot use 'amount'", "parts 1 of outer 1", "a whole number")),
        ({"name": "x", "parts": [{"amount": 1, "share": "?"}]}, ("cannot use 'share'", "parts 1 of outer 1", "a number", "'3/4'", "'inf'")),
    ],
)  # fmt: skip
def test_one_line_names_the_key_and_where_it_stands(table, line):
    with pytest.raises(BadPolicy) as caught:
        validate_section(Outer, table, "outer 1")
    assert mentions(caught.value, *line)


def test_what_is_right_is_given_back():
    assert validate_section(Outer, {"name": 5, "parts": [{"amount": 2}]}, "outer 1") == Outer(
        name="5", parts=(Inner(amount=2),)
    )


def test_other_messages_end_with_the_remedy():
    assert mentions(unknown_key("limits", ["limit", "roles"], "p.toml"), "no key 'limits' in p.toml", "'limit'")
    one, many = (not_a_table("p.toml", "limit", many=many) for many in (False, True))
    assert mentions(one, "'limit' in p.toml", "a table headed [limit]")
    assert mentions(many, "'limit' in p.toml", "tables headed [[limit]]")


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"k": 1, "mesure": 1}, ("no key 'mesure'", "limit 1", "'measure'")),
        ({"meas": 1}, ("no key 'meas'", "limit 1", "'measure'")),
        ({"at_least": 1}, ("'measure' is missing", "limit 1", 'add measure = "group size"')),
        ({}, ("'measure' is missing", "limit 1", 'add measure = "group size"')),
    ],
)
def test_a_limit_says_of_what(table, line):
    complaint = missing_measure(table, "limit 1")
    assert isinstance(complaint, BadPolicy)
    assert mentions(complaint, *line)


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
    assert read_number(f"1e{MOST_ZEROS}") == 10**MOST_ZEROS
    assert read_number(f"1e-{MOST_ZEROS}") == Fraction(1, 10**MOST_ZEROS)
    for text in (f"1e{MOST_ZEROS + 1}", f"1e-{MOST_ZEROS + 1}"):
        with pytest.raises(ValueError, match="give a number"):
            read_number(text)


def test_nothing_and_all_are_shares():
    assert read_share("0") == 0
    assert read_share("1") == 1
    assert read_share("-1/1000") is None
    assert read_share("1001/1000") is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("grup size >= 5", ("no measure 'grup size'", "'grup size >= 5'", "'group size'")),
        ("group size", ("limit 'group size'", "'group size'", "no bound", "exactly one", "at_least or above")),
        (
            "group size >=",
            (
                '"group size >="',
                "character 14",
                "a number is missing",
                "the end",
                "'group size >= 5'",
                "'implications(k=3) < 0.5'",
            ),
        ),
        (
            "group size = 5",
            (
                '"group size = 5"',
                "character 12",
                "'=' is no comparison",
                "'group size >= 5'",
                "'implications(k=3) < 0.5'",
            ),
        ),
        (
            "",
            (
                '""',
                "character 1",
                "a measure is missing",
                "the end",
                "'group size >= 5'",
                "'implications(k=3) < 0.5'",
            ),
        ),
        ("group size <= 5", ("limit 'group size <= 5'", "'group size'", "at least or above", "not ≤")),
        (
            "group size >= 0",
            ("limit 'group size >= 0'", "limit 0", "'group size'", "out of range", "between 1 and inf"),
        ),
        (
            "group size(k=3) >= 5",
            ("no key 'k'", "'group size(k=3) >= 5'", "at_least, above, of, known, measure"),
        ),
        (
            "implications < 1/2",
            ("'k' is missing", "'implications < 1/2'", "in parentheses", "implications(k=2)"),
        ),
        ("implications(K=3) < 1/2", ("no key 'K'", "'implications(K=3) < 1/2'", "'k'")),
        (
            "group size(3) >= 5",
            ('"group size(3) >= 5"', "character 12", "'3'", "one setting too many", "takes none"),
        ),
        (
            "recursive diversity(l=2, l=3) <= 5",
            ('"recursive diversity(l=2, l=3) <= 5"', "character 26", "'l' is set twice"),
        ),
        ("implications(k='3') < 0.5", ("cannot use 'k'", "'implications(k='3') < 0.5'", "a whole number")),
        (
            "group size >= 5 and 6",
            ("cannot use 'at_least'", "'group size >= 5 and 6'", "a number", "'3/4'", "'inf'"),
        ),
        (
            "prior belief(counts={Flu=2 Cold=3}) <= 3",
            (
                '"prior belief(counts={Flu=2 Cold=3}) <= 3"',
                "character 32",
                "',' is missing",
                "'='",
                "{Flu = 2, Cold = 3}",
            ),
        ),
        ("group and size >= 5", ("no measure 'group and size'", "'group and size >= 5'", "'group size'")),
        (
            "implications(k=1 < 0.5",
            ('"implications(k=1 < 0.5"', "character 18", "',' is missing", "'<'", "(k=3)", "a comma"),
        ),
    ],
)
def test_text_that_is_no_limit(text, line):
    with pytest.raises(BadPolicy) as caught:
        read_limit(text)
    assert mentions(caught.value, *line)


@pytest.mark.parametrize(
    ("text", "bound"), [("1,000", 1_000), ("15,195.1604", 15_195.1604), ("1,234,567", 1_234_567), ("'1,000'", 1_000)]
)
def test_commas_between_thousands_are_read_as_answers_print_them(text, bound):
    assert read_limit(f"group size >= {text}") == (sl.GroupSize() >= bound)


@pytest.mark.parametrize("text", ["1,00", "1000,000", "1,000,", ",000", "5, 6", "1,0000", "1,000/2"])
def test_other_commas_are_refused(text):
    with pytest.raises(BadPolicy):
        read_limit(f"group size >= {text}")


@pytest.mark.parametrize(
    "text",
    [
        "group size >= 5",
        "group_size ≥ 5",
        " Group Size>=5 ",
        "group size() >= 5.0",
        "group size >= 10/2",
        "'group size' >= '5'",
    ],
)
def test_ways_to_write_the_same_limit(text):
    criterion = read_limit(text)
    assert (criterion.measure, criterion.comparison.sign, criterion.bound) == (GroupSize(), "≥", 5)


def test_a_measure_has_no_bound():
    with pytest.raises(BadPolicy, match="has a bound"):
        read_measure("group size >= 5")


def test_what_a_measure_refuses_is_said_of_the_text():
    with pytest.raises(BadPolicy) as caught:
        read_measure("implications(k=-1)")
    assert mentions(caught.value, "'implications(k=-1)'", "k", "whole number", "at least 0", "not -1")


STOMACH = ["Ulcer", "Dyspepsia"]


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("implications(k=1, value='it''s')", sl.Implications(1, value="it's")),
        ('implications(1, "6"" nail")', sl.Implications(1, value='6" nail')),
        ('implications("k"=1, value=Flu)', sl.Implications(1, value="Flu")),
        ("implications(1, Salt and pepper)", sl.Implications(1, value="Salt and pepper")),
        ("implications(1, value=05)", sl.Implications(1, value="05")),
        ("implications(k=1, value=O'Neil)", sl.Implications(1, value="O'Neil")),
        ("acquaintance(others=1, apart_from=[AIDS, Lung cancer])", sl.Acquaintance(others=1, apart_from=("AIDS", "Lung cancer"))),
        ("prior belief(stubbornness=10, predicates=[[Ulcer, Dyspepsia], [not, Flu]])", sl.PriorBelief(stubbornness=10, predicates=[STOMACH, ["not", "Flu"]])),
        ("prior belief(stubbornness=7/2, predicates={of the stomach = [Ulcer, Dyspepsia]})", sl.PriorBelief(stubbornness=Fraction(7, 2), predicates={"of the stomach": STOMACH})),
        ("prior belief(counts={Flu=12_000, 'Lung, left'=18_000})", sl.PriorBelief(counts={"Flu": 12_000, "Lung, left": 18_000})),
        ('closeness(ordered, [low, 2, "[high]"])', sl.Closeness(distance="ordered", order=("low", "2", "[high]"))),
        ("maximum entropy(knowing=['P(Flu | sex=male) = 0.3'])", sl.MaxEnt(knowing=["P(Flu | sex=male) = 0.3"])),
    ],
)  # fmt: skip
def test_whatever_a_policy_file_can_say(text, measure):
    assert read_measure(text) == measure


@pytest.mark.parametrize(
    ("text", "character", "reason"),
    [
        ('implications(k=1") < 0.5', 17, ("quote", "not closed")),
        ("implications(k=1,,value=Flu) < 0.5", 18, ("a setting is missing", "','")),
        ("implications(k=1,) < 0.5", 18, ("a setting is missing", "')'")),
        ("implications(k=) < 0.5", 16, ("a setting is missing", "')'")),
        ("implications(k=1 < 0.5", 18, ("',' is missing", "'<'")),
        ("implications(k 1) < 0.5", 14, ("'k' is a setting", "k=1", "in quotes")),
        ("implications(k '1') < 0.5", 14, ("'k' is a setting", "k=1", "in quotes")),
        ("implications(k=1, value=a 'b') < 0.5", 27, ("'b' follows another", "a comma")),
        ("acquaintance(apart_from=[,]) < 0.5", 26, ("a value is missing", "','")),
        ("prior belief(counts={=2}) <= 3", 22, ("a name is missing", "'='")),
        ("prior belief(counts={Flu=}) <= 3", 26, ("a value is missing", "'}'")),
        ("group size('3') >= 5", 12, ("'3'", "one setting too many", "none")),
        ("group size([3]) >= 5", 12, ("this", "one setting too many", "none")),
        ("group size(,) >= 5", 12, ("a setting is missing", "','", "(k=3)")),
        ("implications(k=1, value='a' b) < 0.5", 29, ("'b' follows another", "a comma")),
        ("acquaintance(apart_from=[AIDS) < 0.5", 30, ("',' is missing", "')'", "[Flu, Cold]")),
        ("prior belief(counts={Flu 2}) <= 3", 27, ("'=' is missing", "'}'", "{Flu = 2, Cold = 3}")),
        ("prior belief(counts={Flu=2, Flu=3}) <= 3", 29, ("'Flu'", "twice")),
        (
            "implications(1, Flu, [Cold], 3) < 0.5",
            30,
            ("'3'", "one setting too many", "only 3", "k, value, apart_from"),
        ),
        ("group size >= 5 people; and more", 23, ("';' comes too late", "the bound last")),
        ("group size -> 5", 12, ("'->'", "no comparison")),
        ("(k=3)", 1, ("a measure is missing", "'('")),
        ("closeness(distance=hierarchical, hierarchy=…) <= 0.2", 44, ("'…'", "left out")),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(text, character, reason):
    with pytest.raises(BadPolicy) as caught:
        read_limit(text)
    assert mentions(caught.value, f'"{text}"', f"character {character}", *reason)
    assert caught.value.position == character - 1


TEXTS = [
    "group size ≥ 5",
    "implications(k=3, value=Lung cancer) < 0.5",
    "acquaintance(rules_out=1, apart_from=[AIDS, Flu]) < 3/4",
    "prior belief(stubbornness=10, predicates={stomach=[Dyspepsia, Ulcer]}) ≤ 3",
]


@given(st.sampled_from(TEXTS), st.integers(0, 80), st.sampled_from(sorted({*string.punctuation} - {*"_=+."})))
@example(TEXTS[1], 16, '"')
@example(TEXTS[1], 17, ",")
def test_no_character_is_ever_dropped(text, place, sign):
    """One sign more is an error, or means something (as a dot after a number does not): it is never just skipped."""
    changed = text[:place] + sign + text[place:]
    with suppress(BadPolicy):
        assert read_limit(changed) != read_limit(text)


@given(st.text(st.sampled_from("groupsize implications(k=3,value)<>=≥5./[]{}'\"→!;|\n")))
def test_any_text_is_a_limit_or_refused(text):
    try:
        criterion = read_limit(text)
    except BadPolicy:
        return
    assert read_limit(str(criterion)) == criterion


@given(st.text(min_size=1, max_size=12))
def test_any_value_is_read_as_it_is_written(value):
    criterion = sl.Implications(2, value=value) < 0.5
    assert read_limit(str(criterion)) == criterion


def test_what_is_too_long_to_print_is_not_read_as_something_else():
    long = sl.Acquaintance(apart_from=tuple(f"value {number}" for number in range(99))) < 0.5
    assert str(long) == "acquaintance(apart_from=…) < 0.5"
    with pytest.raises(BadPolicy, match=r"left out; .*in full"):
        read_limit(str(long))
    assert read_measure(call_text(long.measure.name, long.measure.settings(), longest=10_000)) == long.measure


@pytest.mark.parametrize("opened", ["[", "{a=", "{a=["])
@pytest.mark.parametrize("depth", [101, 700, 20_000])
def test_lists_within_lists_are_refused_before_they_are_read(opened, depth):
    for read in (read_limit, read_measure):
        with pytest.raises(BadPolicy) as refused:
            read("maximum entropy gain(seconds=1, knowing=" + opened * depth)
        assert mentions(refused.value, "a limit", "nested", "more than 100", "brackets")


def test_a_hundred_lists_within_each_other_are_read_and_then_refused():
    with pytest.raises(BadPolicy, match="cannot use 'knowing'"):
        read_limit(f"maximum entropy gain(knowing={'[' * 100}{']' * 100}) <= 0.5")
