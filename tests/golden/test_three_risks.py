"""Singling out, linkability, inference of Adult, exactly, where Anonymeter draws attacks.

The release is every second of Adult's complete people, from the first on (22,611), or the first 4,000 of these.
"""

from fractions import Fraction

import pyarrow.parquet as pq
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.datasets.tables import ADULT

ONE, OTHER = ["age", "marital-status", "race"], ["sex", "education", "occupation"]


@pytest.fixture(scope="module")
def half():
    complete = pq.read_table(ADULT).drop_null()
    return complete.take(list(range(0, complete.num_rows, 2)))


def test_singling_out(half):
    """Anonymeter found 4 univariate predicates of 200 wanted; of its guesses at 3 columns 0.987 succeed."""
    table = sl.read_table(half, quasi=[*ONE, *OTHER], sensitive="salary-class")
    assert table.people == 22_611
    alone = sl.minimal_uniques(table, largest=1)
    ages = {table.quasi[0].cell(key) for key in alone.key.tolist()}
    assert (alone.singled_out, ages) == (4, {"84", "85", "88", "89"})
    release = sl.group(table)
    assert sl.SinglingOut(facts=1).measure(release).value == Fraction(4, 22_611)
    assert sl.SinglingOut(facts=3).measure(release).value == Fraction(3_492, 22_611)


def test_linkability(half):
    """Anonymeter: 0.017 ± 0.012."""
    release = sl.group(sl.read_table(half.slice(0, 4_000), quasi=[*ONE, *OTHER], sensitive="salary-class"))
    finding = sl.Linkability(ONE, OTHER).measure(release)
    assert float(finding.value) == pytest.approx(0.0288, abs=5e-5)
    one, other = "age, marital-status and race", "sex, education and occupation"
    assert mentions(finding.explain(), one, other, "match", "115.3006 of 4,000 people", "8 for sure")


def test_inference(half):
    """Anonymeter: 0.584 ± 0.048, control 0.215, residual 0.40 to 0.54."""
    known = [name for name in (*ONE, *OTHER) if name != "occupation"]
    release = sl.group(sl.read_table(half.slice(0, 4_000), quasi=known, sensitive="occupation"))
    finding = sl.Inference(known).measure(release)
    assert finding.value == Fraction(487, 800)
    assert finding.witness.control == Fraction(64861, 336000)
    right, control = finding.value, finding.witness.control
    assert float((right - control) / (1 - control)) == pytest.approx(0.515, abs=5e-4)
