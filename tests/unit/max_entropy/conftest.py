"""Three small wards that many tests of maximum entropy share."""

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
