"""Drafted policies: limits that some release keeps, and a file that is read back as it was meant."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.policy.policy_draft import draft_policy, drafted_text
from sidelight.policy.policy_file import read_policy_text


def drafted(rows):
    suggested = sl.suggest_roles(rows)
    table = sl.read_table(rows, **suggested.keywords)
    return table, suggested, draft_policy(table)


@examples(40)
@given(
    st.lists(st.tuples(st.integers(20, 60), st.sampled_from("fm"), st.sampled_from("abcd")), min_size=5, max_size=60)
)
def test_everybody_in_one_group_keeps_a_draft(cells):
    ages, sexes, diseases = zip(*cells, strict=True)
    rows = pa.table({"age": ages, "sex": sexes, "disease": diseases})
    table = sl.read_table(rows, quasi=["age", "sex"], sensitive="disease")
    assert draft_policy(table).policy.judge(sl.group(table, by=[])).safe


def test_two_values_are_hidden_from_who_knows_nothing_else():
    rows = pa.table({"age": [*range(20, 60)], "salary": ["low", "low", "low", "high"] * 10})
    _, _, draft = drafted(rows)
    assert str(draft.policy) == "group size ≥ 5; negations(k=0) ≤ 9/10"
    assert "3/4" in draft.reasons[1]


def test_what_nearly_everybody_has_is_not_hidden():
    rows = pa.table({"age": [*range(20, 60)] * 5, "disease": ["none"] * 199 + ["Flu"]})
    _, _, draft = drafted(rows)
    assert str(draft.policy) == "group size ≥ 5"
    assert "no release can hide" in draft.notes[0]


def test_few_people_are_asked_for_less():
    rows = pa.table({"age": [20, 30, 40], "disease": ["a", "b", "c"]})
    table = sl.read_table(rows, quasi="age", sensitive="disease")
    assert draft_policy(table).policy.criteria[0].bound == 2


@pytest.mark.parametrize("secrets", [["disease"], ["disease", "income"]])
def test_the_text_is_read_back_as_it_was_meant(secrets):
    cells = {"disease": ["a", "b", "c", "d"] * 10, "income": ["low", "high"] * 20}
    rows = pa.table({"age": [*range(20, 60)], "x\ny": ["1"] * 40} | {name: cells[name] for name in secrets})
    _, suggested, draft = drafted(rows)
    again = read_policy_text(drafted_text(draft, suggested, heading=["one\ntwo"]))
    assert again.policy == draft.policy
    assert again.roles == suggested.roles
    assert again.roles.value_columns == tuple(secrets)
