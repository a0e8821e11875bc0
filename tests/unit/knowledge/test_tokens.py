"""Text cut into tokens, names quoted where they need it, and one form of message for all grammars."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

from sidelight.errors import BadKnowledge, BadPolicy
from sidelight.knowledge.tokens import TokenReader, quote, tokenize


@given(st.text(max_size=8))
def test_a_written_name_is_one_token_or_words(name):
    assert " ".join(token.text for token in tokenize(quote(name))[:-1]) == name


def test_a_grammar_may_add_signs_and_say_which_error_it_raises():
    reader = TokenReader("implications(k=[1, 2)", signs="[]", error=BadPolicy)
    assert reader.name("a measure") == "implications"
    assert reader.next.is_any("(")
    reader.take(3)
    assert (reader.name("a name", stop=()) if reader.next.kind == "word" else reader.take().text) == "["
    reader.take(3)
    with pytest.raises(BadPolicy) as caught:
        reader.expect("]", "write (k=3)")
    assert mentions(caught.value, "character 21", "']'", "missing", "')'", "write (k=3)")
    assert caught.value.position == 20


def test_brackets_are_part_of_words_unless_they_are_signs():
    assert [token.text for token in tokenize("{age = ]30-40]}")] == ["{", "age", "=", "]30-40]", "}", ""]


def test_the_end_is_never_passed():
    reader = TokenReader("Bob")
    reader.take(5)
    assert reader.next.kind == "end"
    assert reader.peek(9) == reader.next
    reader.end("nothing comes after it")
    with pytest.raises(BadKnowledge, match=r"a name is missing.* end"):
        reader.name("a name")


def test_words_are_known_in_small_or_capital_letters_but_not_quoted():
    assert [token.is_any("and") for token in tokenize("and AND And 'and'")[:-1]] == [True, True, False, False]
