"""Settings of measures that are taken, and those that are refused."""

import numpy as np
import pytest

from sidelight.errors import BadMeasure, SidelightError
from sidelight.measures.fields import LARGEST_AMOUNT, refuse_unknown, whole_amount


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (
            lambda: whole_amount("m", "k", True),
            BadMeasure,
            "'m' needs k to be a whole number of at least 0, not True",
        ),
        (lambda: whole_amount("m", "k", 1.0), BadMeasure, "'m' needs k to be a whole number of at least 0, not 1.0"),
        (lambda: whole_amount("m", "k", 1001, most=1000), BadMeasure, "'m' needs k to be at most 1000, not 1001"),
        (
            lambda: refuse_unknown("m", "kind", ["a"], ("a", "b")),
            BadMeasure,
            "'m' has no kind=\"a list\"; there are: a, b",
        ),
    ],
)
def test_what_is_refused_is_told_in_full(ask, kind, message):
    with pytest.raises(SidelightError) as refused:
        ask()
    assert (type(refused.value), str(refused.value)) == (kind, message)


def test_amounts_from_nothing_to_the_largest():
    assert [whole_amount("m", "k", each) for each in (0, np.int64(7), LARGEST_AMOUNT)] == [0, 7, LARGEST_AMOUNT]
    assert type(whole_amount("m", "k", np.int64(7))) is int
    with pytest.raises(BadMeasure, match="needs k to be at most 1000000000"):
        whole_amount("m", "k", LARGEST_AMOUNT + 1)
    refuse_unknown("m", "kind", "b", ("a", "b"))
