"""Facts in Python and as text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight.errors import BadKnowledge, NotTrueOrFalse
from sidelight.knowledge.facts import And, Fact, Has, Implies, Not, OneOf, Or, Same
from sidelight.knowledge.facts_text import known_facts, read_fact
from sidelight.knowledge.people import Described, Someone
from sidelight.knowledge.tokens import tokenized, written
from sidelight.testing.fact_strategies import facts_of

NAMES = st.one_of(
    st.sampled_from(
        ["Bob", "Lung cancer", "same", "someone", "in", "not x", "#17", "O'Neil", "a->b", "", " x", "x  y"]
    ),
    st.text(max_size=6),
)
PEOPLE = st.one_of(
    NAMES,
    st.builds(Someone, st.integers(1, 99), st.integers(1, 3)),
    st.dictionaries(NAMES, NAMES | st.none(), min_size=1, max_size=2).map(Described.of),
)
PIECES = [
    "Bob",
    "Flu",
    "=",
    "!=",
    "->",
    "(",
    ")",
    "and",
    "or",
    "not",
    "in",
    "{",
    "}",
    ",",
    "same",
    "#1",
    '"',
    "'",
    " ",
    "|",
]


@given(facts_of(PEOPLE, NAMES | st.none()))
@example(Not(Not(Has("Bob", "Flu"))))
@example(Not(Not(OneOf("Bob", ["Flu"]))))
@example(Implies(Implies(Has("a", "b"), Has("c", "d")), Has("e", "f")))
@example(And((Or((Has("a", "b"), Has("c", "d"))), Implies(Has("e", "f"), Has("g", "h")))))
def test_the_text_of_a_fact_is_read_back_as_the_fact(fact):
    assert read_fact(str(fact)) == fact


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join) | st.lists(st.sampled_from(PIECES)).map("".join))
@example("(" * 5000)
@example("not " * 5000 + "a = b")
@example("a = b -> " * 5000)
@example("#" + "9" * 5000 + " = b")
def test_any_text_is_a_fact_or_is_refused(text):
    read: Fact | BadKnowledge
    try:
        read = read_fact(text)
    except BadKnowledge as refused:
        read = refused
    if isinstance(read, BadKnowledge):
        assert len(str(read).splitlines()) == 1
        assert 0 <= read.position <= len(text)
    else:
        assert read_fact(str(read)) == read


def test_operators_and_text_agree():
    a, b, c = Has("Ann", "Flu"), Has("Bob", "Lung cancer"), Has("Cleo", "Flu")
    assert read_fact("Ann = Flu and Bob = Lung cancer and Cleo = Flu") == a & b & c == And((a, b, c))
    assert read_fact("Ann = Flu and Bob = Lung cancer or Cleo = Flu") == (a & b) | c
    assert read_fact("Ann = Flu and (Bob = Lung cancer or Cleo = Flu)") == a & (b | c)
    assert read_fact("not Ann = Flu and Bob != Lung cancer") == ~a & ~b
    assert read_fact("Ann = Flu -> Bob = Lung cancer -> Cleo = Flu") == a.implies(b.implies(c))
    assert read_fact("(Ann == Flu → Bob = Lung cancer) -> Cleo = Flu") == a.implies(b).implies(c)
    assert read_fact("Ann NOT IN {Flu, 'Hay fever'} OR SAME(Ann, Bob)") == ~OneOf("Ann", ["Flu", "Hay fever"]) | Same(
        "Ann", "Bob"
    )


def test_people_can_be_named_in_several_ways():
    assert read_fact("#17.2 = Flu") == Has(Someone(17, 2), "Flu")
    assert read_fact("someone in group 17 = Flu") == Has(Someone(17), "Flu")
    assert read_fact("{zip = 81667, age=34} = Flu") == Has({"age": 34, "zip": "81667"}, "Flu")
    assert read_fact("'#17' = Flu") == Has("#17", "Flu")
    assert Has(4711, 5).person == "4711"
    assert Has("Bob", None) == read_fact("Bob = (missing)") != read_fact('Bob = "(missing)"')
    assert read_fact("Bob = Pain in chest").value == "Pain in chest"
    fact = read_fact("same(Bob, #1) and Bob = Flu -> #1 = Flu or {age = 3} = Flu")
    assert fact.people() == ("Bob", Someone(1), Described.of({"age": "3"}))


@pytest.mark.parametrize(
    ("text", "character", "said"),
    [
        ("", 1, "a person is missing before the end"),
        ("Bob", 4, "'=', '!=' or 'in' is missing before the end"),
        ("Bob = Flu -> ", 14, "a person is missing before the end"),
        ("Hannah = Flu and Charlie Flu", 29, "'=', '!=' or 'in' is missing"),
        ("Bob = Flu Ann = Cold", 15, "'=' comes too late"),
        ("(Bob = Flu", 11, "')' is missing"),
        ("Bob = 'Flu", 7, "this quote is not closed"),
        ("Bob = not Flu", 7, "a value is missing before 'not'"),
        ("Bob in Flu", 8, "'{' is missing"),
        ("same(Bob)", 9, "',' is missing"),
        ("{age = 3, age = 4} = Flu", 11, "column 'age' is said twice"),
        ("#0 = Flu", 1, "numbered from 1"),
        ("Bob = Flu } Ann", 11, "comes too late"),
        ("Bob !Flu", 9, "'=', '!=' or 'in' is missing"),
    ],
)
def test_what_cannot_be_read_says_where(text, character, said):
    with pytest.raises(BadKnowledge, match=f"at character {character}: ") as caught:
        read_fact(text)
    assert said in str(caught.value)


def test_nested_without_end_is_refused():
    with pytest.raises(BadKnowledge, match="100 things stand within each other"):
        read_fact("(" * 101 + "a = b" + ")" * 101)
    assert read_fact("(" * 100 + "a = b" + ")" * 100) == Has("a", "b")


def test_a_fact_is_not_true_or_false():
    with pytest.raises(NotTrueOrFalse, match=r"'Ed = Flu' is something that somebody may know.*& \| ~ and \.implies"):
        bool(Has("Ed", "Flu") and Has("Bob", "Flu"))


def test_facts_join_with_facts_only():
    with pytest.raises(TypeError):
        Has("Ed", "Flu") & "Bob = Flu"
    with pytest.raises(TypeError):
        Has("Ed", "Flu") | 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneOf("Bob", []),
        lambda: And((Has("a", "b"),)),
        lambda: Has(None, "Flu"),
        lambda: Someone(0),
        lambda: Has({}, "Flu"),
        lambda: Described((("age", "1"), ("age", "2"))),
        lambda: read_fact(5),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(BadKnowledge):
        make()


def test_knowledge_may_be_given_in_several_forms():
    a, b = Has("a", "1"), Has("b", "2")
    assert known_facts(None) == ()
    assert known_facts("a = 1 and b = 2") == known_facts(["a = 1", b]) == known_facts(a & b) == (a, b)


@given(st.text(max_size=8))
def test_a_written_name_is_one_token_or_words(name):
    assert " ".join(token.text for token in tokenized(written(name))[:-1]) == name
