"""What a learner claims, how right it is, bin by bin."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure


@pytest.fixture(scope="module")
def ward():
    return sl.Release.from_buckets(
        [
            ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]),
            ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]),
            ([{"sex": "m"}, {"sex": "m"}], ["Flu", "Flu"]),
        ]
    )


@pytest.fixture(scope="module")
def truth():
    people = [{"sex": "f", "value": "Anorexia"}] * 2 + [{"sex": "m", "value": "Flu"}] * 4
    import pyarrow as pa  # noqa: PLC0415 - only here

    return sl.read_table(pa.Table.from_pylist(people), quasi="sex", sensitive="value")


def test_without_the_truth_nothing_is_called_right(ward):
    learned = sl.learn(ward, "naive bayes")
    assert (learned.right, learned.calibration_error, learned.right_above(0.9)) == (None, None, None)
    assert learned.calibration == ()
    assert "true" not in learned.table().column_names
    assert "claimed" in repr(learned)
    assert "right" not in repr(learned)


def test_calibration_adds_up(ward, truth):
    learned = sl.learn(ward, "naive bayes", truth=truth)
    assert learned.right == 1
    assert sum(each.people for each in learned.calibration) == 6
    off = sum(each.people * abs(each.right - each.claimed) for each in learned.calibration) / 6
    assert learned.calibration_error == pytest.approx(off)
    assert learned.calibration_error == pytest.approx(1 - learned.claimed)
    assert learned.gain == pytest.approx(learned.claimed - learned.by_release)


def test_people_are_counted_at_a_belief_that_is_met(ward):
    learned = sl.learn(ward, "naive bayes")
    assert learned.people_above(0) == learned.people_above(0.5) == 6
    assert learned.people_above(1) == 2
    assert learned.largest == 1
    with pytest.raises(BadMeasure, match="between 0 and 1"):
        learned.people_above(90)


def test_of_equal_beliefs_the_first_value_of_the_domain_is_guessed():
    even = sl.Release.from_buckets([([{"sex": "f"}, {"sex": "m"}], ["Flu", "Cold"])])
    rows = sl.learn(even).table().to_pylist()
    assert {row["value"] for row in rows if row["guess"]} == {"Cold"}


def test_a_belief_that_is_no_decimal_is_met_too():
    thirds = sl.Release.from_buckets([([{"sex": "f"}] * 3, ["Flu", "Cold", "Asthma"]), ([{"sex": "m"}], ["Flu"])])
    learned = sl.learn(thirds)
    assert learned.people_above(Fraction(1, 3)) == learned.people_above(1 / 3) == 4
    assert learned.people_above(0.334) == 1
