"""What a column is, once it is known how its labels are printed."""

import pytest

import sidelight as sl
from sidelight.release.kinds import kind_of
from sidelight.release.printing import Nodes
from sidelight.table.table import Column

AGES = [str(age) for age in range(18, 92)]


def judged(labels, hierarchy):
    return kind_of(Column.of("x", labels), Nodes.of(hierarchy))


@pytest.mark.parametrize(
    "labels",
    [
        ("0-17", "18-64", "65+"),
        ("[0, 18)", "[18, 65)", "[65, inf)"),
        ("<18", "18 to 64", ">=65"),
    ],
)
def test_numbers_that_are_printed_as_intervals_stay_numbers(labels):
    child, adult, old = labels
    level = tuple(child if int(age) < 18 else adult if int(age) < 65 else old for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), level, ("*",) * len(AGES)))) == "number"


def test_numbers_that_are_printed_under_names_or_masks_are_categories():
    names = tuple("adult" if int(age) < 65 else "old" for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), names))) == "category"
    assert judged(["81667", "81675"], sl.Hierarchy.masks("x", ["81667", "81675"])) == "category"
    assert judged(AGES, sl.Hierarchy.suppression("x", AGES)) == "category"


def test_intervals_elsewhere_are_names():
    wrong = tuple("90-99" if int(age) < 65 else "0-9" for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), wrong))) == "category"


def test_only_whole_numbers_become_categories():
    halves = ["1.5", "2.5"]
    assert judged(halves, sl.Hierarchy("x", (tuple(halves), ("low", "high")))) == "number"
    days = ["1984-03-09", "1990-11-30"]
    assert judged(days, sl.Hierarchy.dates("x", days)) == "date"
