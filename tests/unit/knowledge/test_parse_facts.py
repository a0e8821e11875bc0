"""Facts as text: read back as they are, and refused with the place."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts import DEEPEST, And, Fact, Has, Implies, Not, OneOf, Or, Same
from sidelight.knowledge.parse_facts import read_fact, read_facts, read_person
from sidelight.knowledge.people import Described, Someone
from sidelight.testing import facts_of

NAMES = st.one_of(
    st.sampled_from(
        [
            *("Bob", "Lung cancer", "same", "someone", "in", "not x", "#17", "O'Neil", "a->b", "", " x", "x  y"),
            *("and", "OR", "In", "(missing)", "missing", "*", "5", "5.0", "-1", "1e3", "a\nb", "\t", 'say "so"', "''"),
            *("same(a, b)", "{a = b}", "#1.2", "someone in group 3", "P(x)", "Zoë", "👩\u200d⚕️", "\u2028", "a=b"),
        ]
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
    assert read_fact("Someone in group 17 in {Flu}") == OneOf(Someone(17), ["Flu"])
    assert read_fact("'someone' in {group 17}") == OneOf("someone", ["group 17"])
    assert read_fact("{zip = 81667, age=34} = Flu") == Has({"age": 34, "zip": "81667"}, "Flu")
    assert read_fact("'#17' = Flu") == Has("#17", "Flu")
    assert Has(4711, 5).person == "4711"
    assert Has("Bob", None) == read_fact("Bob = (missing)") != read_fact('Bob = "(missing)"')
    assert read_fact("Bob = Pain in chest").value == "Pain in chest"
    fact = read_fact("same(Bob, #1) and Bob = Flu -> #1 = Flu or {age = 3} = Flu")
    assert fact.people() == ("Bob", Someone(1), Described.of({"age": "3"}))


@pytest.mark.parametrize(
    ("text", "character", "message"),
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
        ("if {age = 3} = Flu then Bob = Flu", 4, "write Ann = Flu -> Bob = Flu for if … then"),
    ],
)
def test_what_cannot_be_read_says_where(text, character, message):
    with pytest.raises(BadKnowledge, match=f"at character {character}: ") as caught:
        read_fact(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Bob = Flu\n  and Ann\n", "at line 3, character 1: '=', '!=' or 'in' is missing before the end"),
        ("Bob = Flu\n\tand = Cold", "at line 2, character 6: a person is missing before '='"),
        ("Zoë👩\u200d⚕️ = Flu and ", "at character 19: a person is missing"),
        ("x" * 500 + " = ", 'cannot read "' + "x" * 37 + ' = " at character 504: a value is missing'),
    ],
)
def test_lines_and_characters_are_counted_as_people_see_them(text, message):
    with pytest.raises(BadKnowledge) as caught:
        read_fact(text)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_nested_without_end_is_refused():
    with pytest.raises(BadKnowledge, match="100 things stand within each other"):
        read_fact("(" * 101 + "a = b" + ")" * 101)
    assert read_fact("(" * 100 + "a = b" + ")" * 100) == Has("a", "b")


DEEPER = {
    "not": lambda fact: ~fact,
    "not all": lambda fact: ~(fact & Has("c", "d")),
    "and, or": lambda fact: (fact & Has("c", "d")) | Has("e", "f"),
    "not any": lambda fact: ~(Has("c", "d") | fact),
    "if this": lambda fact: fact.implies(Has("c", "d")),
    "then this": lambda fact: Has("c", "d").implies(fact),
}


@pytest.mark.parametrize("deeper", DEEPER.values(), ids=DEEPER)
def test_facts_that_can_be_made_can_be_read_again_and_deeper_ones_are_refused(deeper):
    fact = Has("a", "b")
    while fact.depth < DEEPEST - 1:
        fact = deeper(fact)
        assert read_fact(str(fact)) == fact
    with pytest.raises(BadKnowledge, match="100 facts stand within each other; say it in several facts"):
        deeper(deeper(fact))
    assert hash(fact) == hash(pickle.loads(pickle.dumps(fact)))


def test_many_side_by_side_are_not_deep():
    fact = And(tuple(Has(f"P{number}", "Flu") for number in range(5000)))
    assert fact.depth == 0
    assert read_fact(str(fact)) == fact


def test_knowledge_may_be_given_in_several_forms():
    a, b = Has("a", "1"), Has("b", "2")
    assert read_facts(None) == ()
    assert read_facts("a = 1 and b = 2") == read_facts(["a = 1", b]) == read_facts(a & b) == (a, b)


def test_a_person_is_read_as_facts_write_them():
    assert read_person("someone in group 3") == Someone(3)
    with pytest.raises(BadKnowledge, match="comes too late"):
        read_person("Bob = Flu")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ann = Flu with 0.9", Has("Ann", "Flu").with_probability(0.9)),
        ("Ann != Flu WITH 90%", (~Has("Ann", "Flu")).with_probability(Fraction(9, 10))),
        ("Ann in {Flu, Cold} with 1/3", OneOf("Ann", ["Flu", "Cold"]).with_probability(Fraction(1, 3))),
        ("not same(Ann, Bob) with .5", (~Same("Ann", "Bob")).with_probability(0.5)),
        ("(Ann = Flu -> Bob = Flu) with 0", Has("Ann", "Flu").implies(Has("Bob", "Flu")).with_probability(0)),
        ("Ann = Diabetes with complications", Has("Ann", "Diabetes with complications")),
        ('Ann = "Insulin with 2"', Has("Ann", "Insulin with 2")),
        ("Ann = Insulin with 2 meals", Has("Ann", "Insulin with 2 meals")),
    ],
)
def test_how_sure_somebody_is(text, fact):
    assert read_fact(text) == fact
    assert read_fact(str(fact)) == fact


def test_soft_facts_stand_side_by_side():
    hard, soft = Has("Bob", "Cold"), Has("Ann", "Flu").with_probability(0.9)
    assert read_facts("Ann = Flu with 0.9 and Bob = Cold") == (soft, hard)
    assert read_facts(soft & hard) == (soft, hard)
    assert str(soft & hard) == "Ann = Flu with 0.9 and Bob = Cold"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Ann = Flu with 1.5", "lies between 0 and 1, and 1.5 does not; a value that ends so goes into quotes"),
        ("Ann = Flu with 1/0", "divides by zero"),
        ("Ann = Flu with -0.5", "not negative"),
        ("Ann = Flu with 0.5 or Bob = Cold", "joins with other facts by and alone"),
        ("Ann = Flu -> Bob = Cold with 0.5", r"such as \(Ann = Flu -> Bob = Flu\) with 0.8"),
        ("not (Ann = Flu with 0.5)", "by and alone"),
        ("(Ann = Flu with 0.5) with 0.5", "by and alone"),
        ("(Ann = Flu with 0.5 and Bob = Cold) or Ed = Flu", "by and alone"),
    ],
)
def test_soft_facts_that_cannot_be_read(text, complaint):
    with pytest.raises(BadKnowledge, match=complaint):
        read_fact(text)


def test_numbers_of_groups_are_read_as_they_are():
    zeros = "0" * 5_000
    assert read_fact("#0000000000000000010 = Flu") == Has(Someone(10), "Flu")
    assert read_person(f"#{zeros}17.{zeros}2") == Someone(17, 2)
    assert read_person(f"someone in group {zeros}3") == Someone(3)
    assert read_person("#" + "9" * 18) == Someone(10**18 - 1)
    for text in ("#99999999999999999999", "#1.1000000000000000000", "#" + "9" * 5_000, "someone in group 1" + zeros):
        with pytest.raises(BadKnowledge, match="no release has so many groups or people; check the number"):
            read_person(text)
    with pytest.raises(BadKnowledge, match="numbered from 1"):
        read_person(f"#{zeros}")
