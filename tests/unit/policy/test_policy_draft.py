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
    assert str(draft.policy) == "group size ≥ 11"
    assert "no release can hide" in draft.notes[0]


def test_few_people_are_asked_for_less():
    rows = pa.table({"age": [20, 30, 40], "disease": ["a", "b", "c"]})
    table = sl.read_table(rows, quasi="age", sensitive="disease")
    assert draft_policy(table).policy.criteria[0].bound == 2


@pytest.mark.parametrize(("people", "alike"), [(9, 2), (10, 5), (109, 5), (110, 11)])
def test_eleven_look_alike_where_there_are_people_enough(people, alike):
    rows = pa.table({"age": [*range(people)], "disease": [*"abc"] * (people // 3) + ["a"] * (people % 3)})
    draft = draft_policy(sl.read_table(rows, quasi="age", sensitive="disease"))
    assert draft.policy.criteria[0].bound == alike
    assert "EMA and Health Canada" in draft.reasons[0]


def test_each_sensitive_column_has_a_limit_of_its_own():
    rows = pa.table({"age": [*range(120)], "disease": [*"abcdef"] * 20, "income": ["low", "low", "low", "high"] * 30})
    _, _, draft = drafted(rows)
    assert str(draft.policy) == (
        "group size ≥ 11; implications(k=1, of=disease) ≤ 2/3; negations(k=0, of=income) ≤ 9/10"
    )


def test_what_most_people_have_is_asked_about_in_a_line_that_can_be_taken():
    rows = pa.table({"age": [*range(120)], "income": ["low", "low", "low", "high"] * 30})
    table, suggested, draft = drafted(rows)
    text = drafted_text(draft, suggested)
    assert "0.75 of the people have the commonest value" in text.replace("\n# ", " ")
    assert read_policy_text(text).policy == draft.policy
    taken = read_policy_text(text.replace('# apart_from = ["…"]', 'apart_from = ["low"]')).policy
    assert taken.criteria[1] == (sl.Negations(0, apart_from=["low"]) <= draft.policy.criteria[1].bound)
    assert taken.judge(sl.group(table, by=[])).safe


@pytest.mark.parametrize("secrets", [["disease"], ["disease", "income"]])
def test_the_text_is_read_back_as_it_was_meant(secrets):
    cells = {"disease": ["a", "b", "c", "d"] * 10, "income": ["low", "high"] * 20}
    rows = pa.table({"age": [*range(20, 60)], "x\ny": ["1"] * 40} | {name: cells[name] for name in secrets})
    _, suggested, draft = drafted(rows)
    again = read_policy_text(drafted_text(draft, suggested, heading=["one\ntwo"]))
    assert again.policy == draft.policy
    assert again.roles == suggested.roles
    assert again.roles.value_columns == tuple(secrets)
