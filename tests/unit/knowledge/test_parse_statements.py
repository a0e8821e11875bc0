"""Statements as text: read back as they are, and refused with the place."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight.errors import BadKnowledge
from sidelight.knowledge.events import HasValue, InGroup, all_hold, any_holds, event_of, negate
from sidelight.knowledge.parse_statements import is_statement, read_statement, read_statements
from sidelight.knowledge.people import Someone
from sidelight.knowledge.statements import (
    ComparisonStatement,
    ConditionalProbability,
    Headcount,
    IntervalStatement,
    LinearStatement,
    P,
    count,
    statement_of,
)
from sidelight.testing import facts

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
says = st.builds(lambda about, both: IntervalStatement(about, *both), shares, bounds)
counts = st.builds(
    lambda values, people, both: IntervalStatement(
        Headcount(tuple(values), tuple(people)), *(len(people) * each for each in both)
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
).filter(lambda each: isinstance(each, LinearStatement))
statements = says | counts | linear | st.builds(ComparisonStatement, shares, shares, st.sampled_from(["<=", "="]))


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
    assert str(known.statement) == "P(Flu) = 0.3"
