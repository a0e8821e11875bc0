"""Statements in Python: comparisons that are values, not true or false."""

from decimal import Decimal
from fractions import Fraction

import pytest

from sidelight.errors import BadKnowledge, NotTrueOrFalse, SidelightError
from sidelight.knowledge.facts import Someone
from sidelight.knowledge.statements import P, count, read_statements
from sidelight.release.release import Release


def test_statements_are_not_true_or_false():
    with pytest.raises(NotTrueOrFalse, match="between"):
        _ = 0.2 <= P("Flu") <= 0.4
    with pytest.raises(NotTrueOrFalse, match="compare it"):
        bool(P("Flu"))
    with pytest.raises(BadKnowledge, match="write <= or >="):
        _ = P("Flu") < 0.3


@pytest.mark.parametrize(
    "make",
    [
        lambda: P("Flu").between(float("nan"), 1),
        lambda: P("Flu") <= "many",
        lambda: P() == 1,
        lambda: P("Flu", person="Al", sex="m") == 1,
        lambda: P("Flu") == 2,
        lambda: P("Flu").around(0.3, give_or_take=-1),
        lambda: count("HIV"),
        lambda: count("HIV", "Al", "Al"),
        lambda: P("Flu") * P("HIV"),
        lambda: P("Flu") / 0,
        lambda: P("Flu") - P("Flu") <= 0.5,
        lambda: P("Flu") + P("HIV") >= 2.5,
        lambda: (P("Flu") + P("HIV")).between(0.6, 0.5),
        lambda: P("Flu", sex=["m", "f"]) == 1,
        lambda: P("Flu", given={"sex": {"m"}}) == 1,
        lambda: P("Flu", ["HIV"]) == 1,
        lambda: P(["Flu", ["HIV"]]) == 1,
        lambda: P("Flu", given=["sex"]) == 1,
        lambda: P("Flu", given="Flu or sex = m") == 1,
        lambda: P("Flu", where="HIV") == 1,
        lambda: P(where={"sex": "m"}, person="Al") == 1,
        lambda: read_statements([P("Flu")]),
        lambda: read_statements([3]),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(SidelightError):
        make()


def test_a_statement_says_its_bounds():
    statement = P("Flu", sex="m").around(0.95, give_or_take=0.1)
    assert (statement.low, statement.high, statement.exact) == (Fraction(17, 20), 1, False)
    assert (P("Flu") == Fraction(1, 3)).exact
    assert (count("HIV", "Al", "Bo") >= 1).high == 2


def test_a_decimal_means_what_it_says():
    assert (P("Flu") == 0.1) == (P("Flu") == Decimal("0.1")) == (P("Flu") == Fraction(1, 10))


def test_shares_are_added_up_and_compared():
    men, women = P("Flu", sex="m"), P("Flu", sex="f")
    assert str(men + women <= 0.5) == "P(Flu | sex=m) + P(Flu | sex=f) <= 0.5"
    assert (men + women <= 0.5) == (women * 0 + men + women <= 0.5) == (-men - women >= -0.5)
    assert (2 * men - women / 2 == 0.1) == (2 * men == women / 2 + 0.1)
    assert (2 * men <= 0.5) == (men <= 0.25)
    assert (2 * men <= 2 * women) == (men <= women)
    assert (1 - men >= 0.6) == (men <= 0.4)
    assert str(count("HIV", "Al", "Bo") - P("HIV", person="Cy") >= 1) == "count(HIV; Al, Bo) - P(HIV | person=Cy) >= 1"
    assert (men + women).around(0.1, give_or_take=0.3) == (men + women).between(0, 0.4)
    assert repr(men - 2 * women + 0.5) == "P(Flu | sex=m) - 2 * P(Flu | sex=f) + 0.5"


def test_a_group_is_named_by_someone_of_it_or_by_its_name():
    release = Release.from_counts([{"Flu": 1}, {"Cold": 1}])
    assert P("Flu", group=Someone(2)).about == P("Flu", given="group = #2").about
    assert P("Flu", group=release.groups.name(1)).about == P("Flu", given="group = #2").about
    assert P("Flu", group="#2").about == P("Flu", given='"group" = "#2"').about != P("Flu", group=Someone(2)).about
