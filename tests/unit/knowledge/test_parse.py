"""Facts as text: read back as they are, and refused with the place."""

import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

from sidelight.errors import BadKnowledge
from sidelight.knowledge.events import (
    ConditionalProbability,
    HasValue,
    Headcount,
    InGroup,
    all_hold,
    any_holds,
    event_of,
    negate,
)
from sidelight.knowledge.facts import (
    DEEPEST,
    Described,
    Fact,
    Has,
    OneOf,
    Same,
    Someone,
    all_of,
    read_person,
)
from sidelight.knowledge.parse import Vocabulary, complete, read_fact, read_facts
from sidelight.knowledge.statements import (
    P,
    Statement,
    count,
    is_statement,
    read_statement,
    read_statements,
    statement_of,
)
from sidelight.testing.strategies import facts, facts_of

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
@example(~~Has("Bob", "Flu"))
@example(~~OneOf("Bob", ["Flu"]))
@example(Has("a", "b").implies(Has("c", "d")).implies(Has("e", "f")))
@example((Has("a", "b") | Has("c", "d")) & Has("e", "f").implies(Has("g", "h")))
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
    assert read_fact("Ann = Flu and Bob = Lung cancer and Cleo = Flu") == a & b & c == all_of((a, b, c))
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
    ("text", "character", "named"),
    [
        ("", 1, ["person", "missing", "end"]),
        ("Bob", 4, ["'='", "'!='", "'in'", "missing", "end"]),
        ("Bob = Flu -> ", 14, ["person", "missing", "end"]),
        ("Hannah = Flu and Charlie Flu", 29, ["'='", "'!='", "'in'", "missing"]),
        ("Bob = Flu Ann = Cold", 15, ["'='", "too late"]),
        ("(Bob = Flu", 11, ["')'", "missing"]),
        ("Bob = 'Flu", 7, ["quote", "not closed"]),
        ("Bob = not Flu", 7, ["value", "missing", "'not'"]),
        ("Bob in Flu", 8, ["'{'", "missing"]),
        ("same(Bob)", 9, ["','", "missing"]),
        ("{age = 3, age = 4} = Flu", 11, ["'age'", "twice"]),
        ("#0 = Flu", 1, ["numbered", 1]),
        ("Bob = Flu } Ann", 11, ["too late"]),
        ("Bob !Flu", 9, ["'='", "'!='", "'in'", "missing"]),
        ("if {age = 3} = Flu then Bob = Flu", 4, ["Ann = Flu -> Bob = Flu", "if"]),
    ],
)
def test_what_cannot_be_read_says_where(text, character, named):
    with pytest.raises(BadKnowledge, match=f"at character {character}: ") as caught:
        read_fact(text)
    assert mentions(caught.value, f"character {character}", *named)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Bob = Flu\n  and Ann\n", ["line 3", "character 1", "'='", "'!='", "'in'", "missing", "end"]),
        ("Bob = Flu\n\tand = Cold", ["line 2", "character 6", "person", "missing", "'='"]),
        ("Zoë👩\u200d⚕️ = Flu and ", ["character 19", "person", "missing"]),
        ("x" * 500 + " = ", ['"' + "x" * 37 + ' = "', "character 504", "value", "missing"]),
    ],
)
def test_lines_and_characters_are_counted_as_people_see_them(text, named):
    with pytest.raises(BadKnowledge) as caught:
        read_fact(text)
    assert mentions(caught.value, *named)
    assert len(str(caught.value).splitlines()) == 1


def test_nested_without_end_is_refused():
    with pytest.raises(BadKnowledge, match=r"100 things .*within"):
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
    with pytest.raises(BadKnowledge, match=r"100 facts .*within.*several facts"):
        deeper(deeper(fact))
    assert hash(fact) == hash(pickle.loads(pickle.dumps(fact)))


def test_many_side_by_side_are_not_deep():
    fact = all_of([Has(f"P{number}", "Flu") for number in range(5000)])
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
        ("Ann = Flu with 1.5", r"between 0 and 1.* 1\.5 .*quotes"),
        ("Ann = Flu with 1/0", "divides by zero"),
        ("Ann = Flu with -0.5", "not negative"),
        ("Ann = Flu with 0.5 or Bob = Cold", "by and alone"),
        ("Ann = Flu -> Bob = Cold with 0.5", r"\(Ann = Flu -> Bob = Flu\) with 0\.8"),
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
        with pytest.raises(BadKnowledge, match=r"so many groups or people.*number"):
            read_person(text)
    with pytest.raises(BadKnowledge, match="numbered from 1"):
        read_person(f"#{zeros}")


names = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["Flu", "Lung cancer", "and", "P", "person", "(missing)", "="]
)
labels = names | st.none()
whos = names | st.builds(Someone, st.integers(1, 9), st.integers(1, 3))
numbers = st.fractions(0, 1) | st.decimals(0, 1, places=3).map(Fraction)
conditions = st.recursive(
    st.tuples(names, labels) | st.builds(InGroup, st.integers(1, 9)),
    lambda some: some.map(negate) | st.lists(some, min_size=1, max_size=3).flatmap(
        lambda several: st.sampled_from([any_holds, all_hold]).map(lambda join: join(several))
    ),
    max_leaves=5,
)  # fmt: skip
value_sets = st.builds(
    lambda values, others: HasValue(tuple(values), others),
    st.lists(labels, min_size=1, max_size=3, unique=True),
    st.booleans(),
)


def share(event, given_, who):
    values = next((each.values for each in event if isinstance(each, HasValue) and not each.others), ())
    where = tuple(each for each in event if not values or not isinstance(each, HasValue))
    if who:
        return ConditionalProbability(values, (), who, tuple(each for each in where if isinstance(each, HasValue)))
    return ConditionalProbability(values, given_, None, where)


def said_once(event):
    """A column is said once: of several cells of it, the first stays."""
    columns = [each[0] if isinstance(each, tuple) else None for each in event]
    return tuple(each for at, each in enumerate(event) if columns[at] is None or columns[at] not in columns[:at])


joined = st.lists(conditions, max_size=2)
shares = st.builds(
    lambda values, where, given_, also, who: share(
        said_once(event_of([values, *where])), said_once(event_of([*given_, *also])), who
    ),
    value_sets,
    joined,
    joined,
    st.lists(value_sets, max_size=1),
    st.none() | whos,
)
bounds = st.tuples(numbers, numbers).map(sorted)
says = st.builds(lambda about, both: Statement(((Fraction(1), about),), *both), shares, bounds)
counts = st.builds(
    lambda values, people, both: Statement(
        ((Fraction(1), Headcount(tuple(values), tuple(people))),), *(len(people) * each for each in both)
    ),
    st.lists(labels, min_size=1, max_size=2, unique=True),
    st.lists(whos, min_size=1, max_size=3, unique=True),
    bounds,
)
linear = st.builds(
    lambda several, both: statement_of(tuple((c, each) for each, c in several.items()), *both),
    st.dictionaries(shares, st.fractions(-9, 9).filter(bool), min_size=2, max_size=3),
    st.sampled_from(
        [(None, Fraction(1, 3)), (Fraction(0), None), (Fraction(0), Fraction(0)), (Fraction(0), Fraction(1))]
    ),
)
compared = st.builds(
    lambda one, other, low: Statement(((Fraction(1), one), (Fraction(-1), other)), low, Fraction(0)),
    shares,
    shares,
    st.sampled_from([None, Fraction(0)]),
)
statements = says | counts | linear | compared


@given(statements)
@example(P("Flu") <= Fraction(1, 10**30))
def test_what_is_written_is_read_back_as_it_was(statement):
    assert read_statement(str(statement)) == statement
    assert is_statement(str(statement))


@given(
    st.text() | st.text(alphabet="P(|)=<>0.123 ±%/;,count\"'orFlu{}#-") | statements.map(lambda each: str(each)[:-1])
)
def test_any_text_is_read_or_refused_with_its_place(text):
    refused = None
    try:
        read_statement(text)
    except BadKnowledge as problem:
        refused = problem
    if refused is not None:
        assert refused.position is not None
        assert 0 <= refused.position <= len(text)
        assert "\n" not in str(refused)


@given(facts(["Ann", "P"], ["Flu", "count"]))
def test_facts_are_no_statements(fact):
    assert not is_statement(str(fact))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("P(Flu | sex=male) = 0.3", P("Flu", sex="male") == 0.3),
        ("P(Flu | sex = male) == 30%", P("Flu", sex="male") == Fraction(3, 10)),
        ("0.2 <= P(Flu or HIV | age=30) <= 0.4", P("Flu", "HIV", age=30).between(0.2, 0.4)),
        ("0.4 ≥ P(Flu or HIV | age=30) ≥ 0.2", P(["Flu", "HIV"], age=30).between(0.2, 0.4)),
        ("P(Flu | sex=male) <= P(HIV | sex=male)", P("Flu", sex="male") <= P("HIV", sex="male")),
        ("P(HIV | sex=male) >= P(Flu | sex=male)", P("Flu", sex="male") <= P("HIV", sex="male")),
        ("P(Flu) = P(HIV)", P("Flu") == P("HIV")),
        ("P(Flu | person=Alice) = 0.2", P("Flu", person="Alice") == Decimal("0.2")),
        ('P(Flu | "person"=Alice) = 0.2', P("Flu", given={"person": "Alice"}) == 0.2),
        ("P(Flu | person=#17) = 1/5", P("Flu", person=Someone(17)) == 0.2),
        ("count(HIV; Alice, Bob, Charlie) >= 2", count("HIV", "Alice", "Bob", "Charlie") >= 2),
        ("0.3 >= P(Flu)", P("Flu") <= 0.3),
        ("P(Flu) = 0.3 ± 0.05", P("Flu").between(0.25, 0.35)),
        ("P(Flu) = 0.02±0.05", P("Flu").around(0.02, give_or_take=0.05)),
        ("P(Flu | age=30 and sex=male) >= 0", P("Flu", sex="male", age=30) >= 0),
        ("P((missing) | sex=(missing)) = 0", P(None, sex=None) == 0),
        ("P(Flu, sex=male) = 0.1", P("Flu", where={"sex": "male"}) == 0.1),
        ("P(sex = male | Flu) = 0.1", P(where="sex = male", given="Flu") == 0.1),
        ("P(not Flu | sex != male) = 0.1", P(where="not Flu", given="sex != male") == 0.1),
        ("P(Flu | not (sex=male and age=30)) = 0.1", P("Flu", given="age != 30 or sex != male") == 0.1),
        ("P(Flu | age in {30, 31}, group=#3) = 0.1", P("Flu", given="age=31 or age=30", group=Someone(3)) == 0.1),
        ("P(Flu | age not in {30, 31}) = 0.1", P("Flu", given="age != 30 and age != 31") == 0.1),
        ("2*P(Flu)+P(HIV)<=0.5", 2 * P("Flu") + P("HIV") <= 0.5),
        ("0.5 - P(HIV) >= 2 P(Flu)", P("HIV") + 2 * P("Flu") <= 0.5),
        ("P(Flu) <= P(HIV) + 10%", P("Flu") - P("HIV") <= 0.1),
        ("0.1 <= P(Flu)/3 - (P(HIV) + P(Cold)) <= 1/2", (P("Flu") / 3 - P("HIV") - P("Cold")).between(0.1, 0.5)),
        ("P(Flu) - P(HIV) = 0.3 +- 0.1", (P("Flu") - P("HIV")).between(0.2, 0.4)),
        ("P(Flu | sex=m) ~ normal(0.3, 5%)", P("Flu", sex="m").measured(0.3, scale=0.05)),
        ("P(Flu)-P(HIV)~laplace(-0.1, 1/10)", (P("Flu") - P("HIV")).measured(-0.1, scale=0.1, noise="laplace")),
        ("-P(Flu) + P(HIV) >= 0", P("Flu") <= P("HIV")),
        ("count(HIV; Al) = P(HIV)", count("HIV", "Al") == P("HIV")),
        ('P("Salt and pepper" | "a=b"=1) = 0', P("Salt and pepper", given={"a=b": 1}) == 0),
    ],
)
def test_text_and_python_say_the_same(text, same):
    assert read_statement(text) == same
    assert read_statement(str(same)) == same


@pytest.mark.parametrize(
    ("text", "place", "wrong"),
    [
        ("P(Flu | sex=male) = 1.3", 20, "between 0 and 1"),
        ("0.4 <= P(Flu) <= 0.2", 0, "smaller bound first"),
        ("P(Flu) < 0.2", 7, "too strict"),
        ("P(Flu)", 6, "is missing before the end"),
        ("P() = 1", 2, "a value is missing"),
        ("P(Flu | sex=male, sex=female) = 1", 18, "said twice"),
        ("P(Flu | person=Al, sex=male) = 1", 17, "not both"),
        ("P(Flu) = x", 9, "a number is missing"),
        ("P(Flu) = 1/0", 9, "divides by zero"),
        ("P(Flu) <= 0.3 ± 0.1", 10, "goes with '='"),
        ("0.1 <= P(Flu) >= 0.3", 0, "do not go together"),
        ("count(HIV; Al, Al) = 1", 0, "named twice"),
        ("count(HIV; Al, Bo) = 3", 21, "between 0 and 2"),
        ("P(Flu) = 0.3 0.4 maybe", 13, "too late"),
        ("P(Flu) * P(HIV) = 0.3", 0, "not linear"),
        ("P(Flu) ~ 0.3", 9, "normal or laplace is missing"),
        ("P(Flu) ~ normal(0.3, 0)", 7, "above 0"),
        ("P(Flu) ~ normal(0.3, P(HIV))", 7, "is a number"),
        ("0.3 ~ normal(0.3, 1)", 4, "nothing is measured"),
        ("1 / P(Flu) = 2", 0, "divided by numbers"),
        ("P(Flu) <= P(HIV) <= P(Cold)", 0, "number at both ends"),
        ("P(Flu) - P(Flu) <= 0.5", 0, "nothing is left"),
        ("P(Flu or sex=male) = 0.3", 17, "or joins values with values"),
        ("P(Flu and HIV) = 0.3", 13, "leave none"),
        ("P(sex=male | person=Al) = 1", 19, "not both"),
        ("P(Flu | sex=male, person=Al) = 1", 18, "not both"),
        ("P(Flu | sex in {male) = 1", 20, "'}' is missing"),
        ("P(Flu | " + "(" * 60 + "a=1", 59, "within each other"),
        ("-" * 60 + "P(Flu) = 1", 51, "within each other"),
        ("P(Flu) = 0.3) x", 12, "too late"),
    ],
)
def test_bad_texts_say_where_and_what(text, place, wrong):
    with pytest.raises(BadKnowledge, match=wrong) as caught:
        read_statement(text)
    assert caught.value.position == place


def test_words_are_kept():
    (known,) = read_statements("P( Flu )  =  30 %")
    assert known.words == "P( Flu ) = 30 %"
    assert str(known) == "P(Flu) = 0.3"


WORDS = Vocabulary({"sex": ("f", "m"), "age group": ("20-29", None)}, ("Flu", "Lung cancer", None), 30)


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("#", "#1 "),
        ("#1 ", "= "),
        ("#1 = Lung c", "Lung cancer"),
        ("#1 = Flu ", "and "),
        ("#1 = Flu and #2 != ", "Flu"),
        ("#1 in {Flu, ", "Lung cancer"),
        ("P(Flu | ", "sex="),
        ("P(Flu | sex=f, age group=", "20-29"),
        ("{sex = f, ag", "age group = "),
        ("{sex = f} ", "= "),
        ("count(", "(missing)"),
        ("not ", "{"),
    ],
)
def test_what_may_come_next_is_offered(text, offered):
    assert offered in [option for option, _ in complete(text, len(text), WORDS)[1]]


@examples(60)
@given(st.text(min_size=1, max_size=12).filter(lambda text: text.strip() == text))
def test_a_value_that_is_offered_is_read_as_that_value(value):
    ((option, _), *_) = complete("#1 = ", 5, Vocabulary({}, (value,), 1))[1]
    fact = read_fact("#1 = " + option)
    assert isinstance(fact, Has)
    assert fact.value == value or value == "(missing)"


@examples(60)
@given(st.text(alphabet="#1 =!(){}|,>-andorPFlu'\"", max_size=30), st.integers(0, 40))
def test_no_text_breaks_it(text, at):
    at = min(at, len(text))
    start, _ = complete(text, at, WORDS)
    assert 0 <= start <= at
