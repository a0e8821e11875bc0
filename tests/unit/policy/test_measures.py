"""Measures by the names that papers give them."""

import pytest

from sidelight.errors import BadPolicy
from sidelight.policy.limit_text import read_limit
from sidelight.policy.measures import OTHER_NAMES, all_measures
from sidelight.policy.policy_file import read_policy_text


def test_every_name_leads_to_measures_that_there_are():
    known = {kind.name for kind in all_measures()}
    assert {ours for several in OTHER_NAMES.values() for ours in several} <= known
    assert not known.intersection(OTHER_NAMES)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("k-anonymity >= 5", "no measure 'k-anonymity' in 'k-anonymity >= 5'; k-anonymity is 'group size' here"),
        ("K_Anonymity >= 5", "; k-anonymity is 'group size' here"),
        ("l-diversity >= 2", "; l-diversity is 'distinct values', 'entropy diversity' or 'recursive diversity' here"),
        ("t-closeness <= 0.2", "; t-closeness is 'closeness' here"),
    ],
)
def test_a_limit_by_another_name_is_told_its_name_here(text, ending):
    with pytest.raises(BadPolicy) as refused:
        read_limit(text)
    assert str(refused.value).endswith(ending)


def test_in_a_policy_file_too():
    with pytest.raises(BadPolicy, match="in limit 1 of the policy; k-anonymity is 'group size' here"):
        read_policy_text('[[limit]]\nmeasure = "k-anonymity"\nat_least = 5')
