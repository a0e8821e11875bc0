"""What is offered is read again as it is meant, wherever the cursor stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.knowledge.completion import Vocabulary, complete
from sidelight.knowledge.facts import Has
from sidelight.knowledge.parse_facts import read_fact

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
    assert offered in [option for option, _ in complete(text, len(text), WORDS).options]


@examples(60)
@given(st.text(min_size=1, max_size=12).filter(lambda text: text.strip() == text))
def test_a_value_that_is_offered_is_read_as_that_value(value):
    ((option, _), *_) = complete("#1 = ", 5, Vocabulary({}, (value,), 1)).options
    fact = read_fact("#1 = " + option)
    assert isinstance(fact, Has)
    assert fact.value == value or value == "(missing)"


@examples(60)
@given(st.text(alphabet="#1 =!(){}|,>-andorPFlu'\"", max_size=30), st.integers(0, 40))
def test_no_text_breaks_it(text, at):
    at = min(at, len(text))
    completion = complete(text, at, WORDS)
    assert 0 <= completion.start <= at
