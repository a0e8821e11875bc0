"""Three small wards that many tests of maximum entropy share."""

import pyarrow as pa
import pytest

import sidelight as sl

WARDS = [
    ([{"sex": "m", "age": "30"}, {"sex": "m", "age": "40"}, {"sex": "f", "age": "30"}], ["Flu", "HIV", "Cold"]),
    ([{"sex": "f", "age": "40"}, {"sex": "m", "age": "30"}, {"sex": "f", "age": "30"}], ["Flu", "Flu", "HIV"]),
    ([{"sex": "f", "age": "50"}, {"sex": "f", "age": "50"}], ["Cold", "Flu"]),
]


@pytest.fixture
def wards():
    return sl.Release.from_buckets(WARDS)


@pytest.fixture
def original():
    """The table that the wards are of."""
    rows = [{**key, "value": value} for keys, values in WARDS for key, value in zip(keys, values, strict=True)]
    return sl.read_table(pa.Table.from_pylist(rows), quasi=["sex", "age"], sensitive="value")
