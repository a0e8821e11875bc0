"""Measures by the names that papers give them."""

import pytest
from support.words import mentions

from sidelight.errors import BadPolicy
from sidelight.policy.limits import read_limit
from sidelight.policy.measure_names import all_measures, measure_named
from sidelight.policy.policy_file import read_policy_text


def test_no_measure_is_called_elsewhere_what_another_is_called_here():
    known = {kind.name for kind in all_measures()}
    assert not known.intersection(name for kind in all_measures() for name in kind.also_called)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("k-anonymity >= 5", ("no measure 'k-anonymity'", "'k-anonymity >= 5'", "k-anonymity", "'group size'")),
        ("kanonymity >= 5", ("k-anonymity", "'group size'")),
        ("K_Anonymity >= 5", ("k-anonymity", "'group size'")),
        ("l-diversity >= 2", ("l-diversity", "'distinct values'", "'entropy diversity'", "'recursive diversity'")),
        ("t-closeness <= 0.2", ("t-closeness", "'closeness'")),
        ("k-map >= 5", ("k-map", "'journalist risk'")),
        ("δ-presence <= 0.5", ("δ-presence", "'presence'", "'absence'")),
        ("DIS <= 0.1", ("DIS", "'unique match'")),
        ("SUDA <= 0.1", ("SUDA", "'singling out'")),
        ("population uniqueness <= 9", ("population uniqueness", "'population uniques'")),
        ("records at risk <= 0.1", ("records at risk", "'prosecutor risk'")),
        ("global risk <= 0.1", ("global risk", "'marketer risk'")),
        ("minimum cell count >= 10", ("minimum cell count", "'group size'")),
    ],
)
def test_a_limit_by_another_name_is_told_its_name_here(text, said):
    with pytest.raises(BadPolicy) as refused:
        read_limit(text)
    assert mentions(refused.value, *said)


def test_in_a_policy_file_too():
    with pytest.raises(BadPolicy, match=r"limit 1 of the policy; k-anonymity .*'group size'"):
        read_policy_text('[[limit]]\nmeasure = "k-anonymity"\nat_least = 5')


def test_a_name_that_is_like_none_is_told_all_of_them():
    with pytest.raises(BadPolicy) as refused:
        measure_named("colour")
    begin, _, names = str(refused.value).partition("; there are: ")
    assert begin == "no measure 'colour'"
    assert set(names.split(", ")) >= {kind.name for kind in all_measures()}
