"""Amounts of memory, and what they are enough for."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable, NoRoom
from sidelight.streams.memory import LEAST, Memory


@pytest.mark.parametrize(
    ("text", "total"),
    [("2GB", 2 * 10**9), ("1.5 gb", 15 * 10**8), ("1GiB", 2**30), (10**9, 10**9), ("1000000000", 10**9)],
)
def test_amounts(text, total):
    assert Memory.parse(text).total == total


@pytest.mark.parametrize("text", ["", "much", "2 apples", "-1GB", "GB", "nan"])
def test_what_is_no_amount(text):
    with pytest.raises(BadTable, match=r"amount.*\b2GB\b"):
        Memory.parse(text)


def test_too_little():
    with pytest.raises(NoRoom, match="at least 400MB"):
        Memory.parse(LEAST - 1)


def test_a_column_with_more_labels_than_fit_says_how_much_would_do(monkeypatch):
    monkeypatch.setattr(Memory, "holds_labels", lambda self, labels: labels <= 2)
    rows = pa.table({"id": ["a", "b", "c"], "disease": ["Flu", "Flu", "Flu"]})
    with pytest.raises(NoRoom, match=r"'id'.*\b3 different labels.*memory=.*\b201MB\b"):
        sl.stream_release(rows, group="id", sensitive="disease")
