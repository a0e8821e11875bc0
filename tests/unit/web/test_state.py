"""What an address says: read as it was written, whatever is in it, and bounded."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BadPolicy
from sidelight.web.workspace import MISSING, MOST_LIMITS, State, StateFields, read_state

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
columns = st.lists(names, unique=True, max_size=6)


@st.composite
def states(draw):
    known = draw(columns)
    cut = draw(st.integers(0, len(known)))
    levels = draw(st.dictionaries(names, st.integers(1, 999), max_size=3))
    limits = draw(st.lists(names.map(str.strip).filter(bool), unique=True, max_size=4))
    missing = draw(st.sampled_from(["", *MISSING]))
    return State(
        tuple(known[cut:]), tuple(known[:cut]), missing, tuple(levels.items()), tuple(limits), draw(st.booleans())
    )


@given(states())
def test_an_address_is_read_as_it_was_written(state):
    path, _, query = state.address("/readers").partition("?")
    assert path == "/readers"
    assert read_state(parse_qsl(query, keep_blank_values=True)) == state


@given(
    st.lists(st.tuples(st.sampled_from(["quasi", "sensitive", "level", "limit", "missing", "notes", "x"]), st.text()))
)
def test_any_address_is_a_state_or_is_refused_in_words(fields):
    try:
        state = read_state(fields)
    except BadPolicy as refusal:
        assert "\n" not in str(refusal)[:20]  # noqa: PT017
    else:
        assert not set(state.quasi) & set(state.sensitive)


def test_what_a_view_needs_for_itself_stands_beside_it():
    assert State(quasi=("age",)).address("/skyline", {"value": "Flu", "point": [1, 2], "none": None}) == (
        "/skyline?quasi=age&value=Flu&point=1&point=2"
    )


def test_addresses_are_bounded():
    with pytest.raises(BadPolicy, match="at most 40, a policy file"):
        read_state([("limit", f"group size >= {n}") for n in range(MOST_LIMITS + 1)])
    with pytest.raises(BadPolicy, match=r"61 columns; name at most 60"):
        read_state([("quasi", str(n)) for n in range(61)])
    with pytest.raises(BadPolicy, match="longer than"):
        read_state([("limit", "x" * 3_000)])
    with pytest.raises(BadPolicy, match="cannot read the level 'age'"):
        read_state([("level", "age")])


def test_the_schema_describes_the_same_fields():
    state = State(("age",), ("disease",), "drop", (("age", 2),), ("group size >= 5",))
    pairs = [pair for pair in state.pairs() if pair[0] != "missing"]
    fields = {name: [text for other, text in pairs if other == name] for name, _ in pairs}
    assert StateFields(missing="drop", **fields).state() == state
