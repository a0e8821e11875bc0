"""Facts about given people and values, of every form.

from hypothesis import given
from sidelight.testing import facts

@given(facts(["Bob", "Ed"], ["Flu", "Cold"]))
def test_something(fact): ...
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from sidelight.knowledge.facts_part import And, Fact, Has, Implies, Not, OneOf, Or, Same
from sidelight.knowledge.people import Who
from sidelight.table.labels import Label


def facts(people: Sequence[Who], values: Sequence[Label], *, max_leaves: int = 6) -> SearchStrategy[Fact]:
    """Draw a fact: simple ones about these people and values, joined in every way."""
    return facts_of(st.sampled_from(people), st.sampled_from(values), max_leaves=max_leaves)


def facts_of(
    people: SearchStrategy[Who], values: SearchStrategy[Label], *, max_leaves: int = 6
) -> SearchStrategy[Fact]:
    """Draw a fact about people and values that are drawn as well."""
    simple: SearchStrategy[Fact] = st.one_of(
        st.builds(Has, people, values),
        st.builds(OneOf, people, st.lists(values, min_size=1, max_size=3)),
        st.builds(Same, people, people),
    )
    return st.recursive(simple, _joined, max_leaves=max_leaves)


def _joined(parts: SearchStrategy[Fact]) -> SearchStrategy[Fact]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, parts), st.builds(And, several), st.builds(Or, several), st.builds(Implies, parts, parts)
    )
