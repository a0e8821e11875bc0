"""Statements in Python: comparisons that are values, not true or false."""

from decimal import Decimal
from fractions import Fraction

import pytest

from sidelight.errors import BadKnowledge, NotTrueOrFalse, SidelightError
from sidelight.knowledge.parse_statements import read_statements
from sidelight.knowledge.statements import P, count


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
        lambda: count("HIV", "Al") <= P("HIV"),
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
