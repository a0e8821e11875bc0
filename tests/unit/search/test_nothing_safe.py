"""When nothing is within policy, what is said to pass does pass."""

import pytest

import sidelight as sl
from sidelight.errors import NothingSafe

ADULT = sl.datasets.adult(quasi=["age", "sex"])


def refused(*criteria) -> NothingSafe:
    with pytest.raises(NothingSafe) as why:
        sl.protect(ADULT.table, sl.Policy(*criteria), by=ADULT.hierarchies)
    return why.value


def test_sizes_may_be_at_most_what_everybody_is():
    why = refused(sl.GroupSize() >= 60_000)
    assert why.blocked_by == ("group size ≥ 60000 (it is 45,222)",)
    assert why.closest == ("group size with a limit of at most 45,222",)


def test_risks_may_be_limited_by_more_or_knowledge_by_less():
    why = refused(sl.Implications(9) < 0.3)
    assert why.closest[0].startswith("implications (k 9) with a limit of more than 0.69")
    assert why.closest[1] == "implications(k=4) < 0.3"


def test_a_risk_of_one_has_no_limit_that_would_pass():
    why = refused(sl.Acquaintance(rules_out=13) < 0.5)
    assert all("limit of" not in line for line in why.closest)
    assert why.closest == ("acquaintance(rules_out=4) < 0.5",) or "rules_out" in why.closest[0]


def test_nothing_would_pass_at_all():
    assert "leave that out" in str(refused(sl.PriorBelief(stubbornness=float("inf")) <= 3))
