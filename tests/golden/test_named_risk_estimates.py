"""Estimates of ARX 3.9.2 (Pitman) and our own (SNB solved rightly, DIS) for a tenth of Adult, with the truth."""

from fractions import Fraction

import pyarrow.parquet as pq
import pytest

import sidelight as sl

FOUR = ["age", "marital-status", "race", "sex"]


@pytest.fixture(scope="module")
def tenth():
    """Every tenth of Adult's 45,222 complete people, from the first on."""
    rows = pq.read_table(sl.datasets.adult().path)
    complete = rows.filter([all(cell is not None for cell in row.values()) for row in rows.to_pylist()])
    return sl.group(
        sl.read_table(complete.take([*range(0, complete.num_rows, 10)]), quasi=FOUR, sensitive="occupation")
    )


def test_unique_matches(tenth):
    assert tenth.size == 4523
    finding = sl.UniqueMatch(Fraction(4523, 45222)).measure(tenth)
    assert float(finding.value) == pytest.approx(0.1337126, abs=5e-8)  # the truth is 0.1326


def test_population_uniques(tenth):
    finding = sl.PopulationUniques(people=45_222).measure(tenth)
    uniques = {each.model: each.uniques for each in finding.witness.models}
    assert uniques["Pitman"] == pytest.approx(905.67227, abs=5e-6)
    assert uniques["SNB"] == pytest.approx(874.469, abs=5e-4)  # the truth is 555; ARX says 0
    assert finding.value == max(uniques.values())
