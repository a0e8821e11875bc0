"""Settings of measures that are taken, and those that are refused."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pytest

from sidelight.errors import BadMeasure, SidelightError
from sidelight.measures.fields import LARGEST_AMOUNT, choice, read, refuse_unknown, whole, whole_amount
from sidelight.measures.k_anonymity import GroupSize


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


@dataclass(frozen=True)
class Declared(GroupSize):
    """A measure with a field of each kind."""

    k: int = field(default=1, metadata=whole(most=9))
    kind: Literal["a", "b"] = field(default="a", metadata=choice(Literal["a", "b"]))
    sort: Literal["a", "b"] = field(default="a", metadata=choice(Literal["a", "b"], "no '{given}' for '{measure}'"))
    names: tuple | None = field(default=None, metadata=read(tuple))


def test_declared_fields_are_read():
    measure = Declared(np.int64(3), "b", names=["x"])
    assert (measure.k, type(measure.k), measure.kind, measure.names) == (3, int, "b", ("x",))
    assert measure.replace_settings(k=4).names == ("x",)
    assert Declared().names is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 10}, "'group size' needs k to be at most 9, not 10"),
        ({"kind": "c"}, "'group size' has no kind=\"c\"; there are: a, b"),
        ({"sort": "c"}, "no 'c' for 'group size'"),
    ],
)
def test_declared_fields_refuse_what_they_do_not_take(given, message):
    with pytest.raises(BadMeasure) as refused:
        Declared(**given)
    assert str(refused.value) == message
