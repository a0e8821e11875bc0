"""Limits in a line of text: all that a policy file can say, and one line with the place for what cannot be read."""

import string
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadPolicy
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.limit_grammar import call_text
from sidelight.policy.limit_text import read_limit, read_measure


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("grup size >= 5", "no measure 'grup size' in 'grup size >= 5'; did you mean 'group size'?"),
        ("group size", "limit 'group size': 'group size' has no bound; give exactly one of at_least or above"),
        (
            "group size >=",
            "cannot read \"group size >=\" at character 14: a number is missing before the end; write it like 'group size >= 5' or 'implications(k=3) < 0.5'",
        ),
        (
            "group size = 5",
            "cannot read \"group size = 5\" at character 12: '=' is no comparison; write it like 'group size >= 5' or 'implications(k=3) < 0.5'",
        ),
        (
            "",
            "cannot read \"\" at character 1: a measure is missing before the end; write it like 'group size >= 5' or 'implications(k=3) < 0.5'",
        ),
        ("group size <= 5", "limit 'group size <= 5': a policy keeps 'group size' at least or above a limit, not ≤"),
        (
            "group size >= 0",
            "limit 'group size >= 0': the limit 0 of 'group size' is out of range; it lies between 1 and inf",
        ),
        (
            "group size(k=3) >= 5",
            "no key 'k' in 'group size(k=3) >= 5'; there are: at_least, above, of, known, measure",
        ),
        (
            "implications < 1/2",
            "'k' is missing in 'implications < 1/2'; write it in parentheses, such as implications(k=2)",
        ),
        ("implications(K=3) < 1/2", "no key 'K' in 'implications(K=3) < 1/2'; did you mean 'k'?"),
        (
            "group size(3) >= 5",
            "cannot read \"group size(3) >= 5\" at character 12: '3' is one setting too many; this measure takes none",
        ),
        (
            "recursive diversity(l=2, l=3) <= 5",
            "cannot read \"recursive diversity(l=2, l=3) <= 5\" at character 26: 'l' is set twice; set it once",
        ),
        ("implications(k='3') < 0.5", "cannot use 'k' in 'implications(k='3') < 0.5'; give a whole number"),
        (
            "group size >= 5 and 6",
            "cannot use 'at_least' in 'group size >= 5 and 6'; give a number, a fraction such as '3/4', or 'inf'",
        ),
        (
            "prior belief(counts={Flu=2 Cold=3}) <= 3",
            "cannot read \"prior belief(counts={Flu=2 Cold=3}) <= 3\" at character 32: ',' is missing before '='; write tables like {Flu = 2, Cold = 3}",
        ),
        ("group and size >= 5", "no measure 'group and size' in 'group and size >= 5'; did you mean 'group size'?"),
        (
            "implications(k=1 < 0.5",
            "cannot read \"implications(k=1 < 0.5\" at character 18: ',' is missing before '<'; write settings like (k=3), with a comma between them",
        ),
    ],
)
def test_text_that_is_no_limit(text, line):
    with pytest.raises(BadPolicy) as caught:
        read_limit(text)
    assert str(caught.value) == line


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
    assert str(caught.value) == (
        "measure 'implications(k=-1)': 'implications' needs k to be a whole number of at least 0, not -1"
    )


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
        ('implications(k=1") < 0.5', 17, "this quote is not closed"),
        ("implications(k=1,,value=Flu) < 0.5", 18, "a setting is missing before ','"),
        ("implications(k=1,) < 0.5", 18, "a setting is missing before ')'"),
        ("implications(k=) < 0.5", 16, "a setting is missing before ')'"),
        ("implications(k=1 < 0.5", 18, "',' is missing before '<'"),
        ("implications(k 1) < 0.5", 14, "'k' is a setting; write k=1, or a text in quotes"),
        ("implications(k '1') < 0.5", 14, "'k' is a setting; write k=1, or a text in quotes"),
        ("implications(k=1, value=a 'b') < 0.5", 27, "'b' follows another text; put a comma between them"),
        ("acquaintance(apart_from=[,]) < 0.5", 26, "a value is missing before ','"),
        ("prior belief(counts={=2}) <= 3", 22, "a name is missing before '='"),
        ("prior belief(counts={Flu=}) <= 3", 26, "a value is missing before '}'"),
        ("group size('3') >= 5", 12, "'3' is one setting too many; this measure takes none"),
        ("group size([3]) >= 5", 12, "this is one setting too many; this measure takes none"),
        ("group size(,) >= 5", 12, "a setting is missing before ','; write settings like (k=3)"),
        ("implications(k=1, value='a' b) < 0.5", 29, "'b' follows another text; put a comma between them"),
        ("acquaintance(apart_from=[AIDS) < 0.5", 30, "',' is missing before ')'; write lists like [Flu, Cold]"),
        ("prior belief(counts={Flu 2}) <= 3", 27, "'=' is missing before '}'; write tables like {Flu = 2, Cold = 3}"),
        ("prior belief(counts={Flu=2, Flu=3}) <= 3", 29, "'Flu' is there twice; name it once"),
        (
            "implications(1, Flu, [Cold], 3) < 0.5",
            30,
            "'3' is one setting too many; this measure takes only 3: k, value, apart_from",
        ),
        ("group size >= 5 people; and more", 23, "';' comes too late; write the bound last"),
        ("group size -> 5", 12, "'->' is no comparison"),
        ("(k=3)", 1, "a measure is missing before '('"),
        ("closeness(distance=hierarchical, hierarchy=…) <= 0.2", 44, "'…' stands for something that was left out"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(text, character, reason):
    with pytest.raises(BadPolicy) as caught:
        read_limit(text)
    assert str(caught.value).startswith(f'cannot read "{text}" at character {character}: {reason}')
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
    with pytest.raises(BadPolicy, match="left out; write it in full"):
        read_limit(str(long))
    assert read_measure(call_text(long.measure.name, long.measure.settings(), longest=10_000)) == long.measure


@pytest.mark.parametrize("opened", ["[", "{a=", "{a=["])
@pytest.mark.parametrize("depth", [101, 700, 20_000])
def test_lists_within_lists_are_refused_before_they_are_read(opened, depth):
    for read in (read_limit, read_measure):
        with pytest.raises(BadPolicy) as refused:
            read("maximum entropy gain(seconds=1, knowing=" + opened * depth)
        assert str(refused.value) == "a limit is nested more than 100 deep; check its brackets"


def test_a_hundred_lists_within_each_other_are_read_and_then_refused():
    with pytest.raises(BadPolicy, match="cannot use 'knowing'"):
        read_limit(f"maximum entropy gain(knowing={'[' * 100}{']' * 100}) <= 0.5")
