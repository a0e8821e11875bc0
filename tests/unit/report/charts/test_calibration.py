"""Calibration is drawn bin by bin, and only where there is a truth."""

import sidelight as sl
from sidelight.report.plots import description_of, table_behind, title_of

ADULT = sl.datasets.adult(quasi=["sex", "race"])
FOUND = sl.protect(ADULT.table, sl.DistinctValues() >= 3, method="anatomy", ask="nobody")


def test_bins_are_those_of_the_learner():
    learned = sl.learn(FOUND.release, truth=FOUND, model="naive bayes")
    chart = learned.plot()
    assert [row[2] for row in table_behind(chart).rows] == [each.people for each in learned.calibration]
    assert f"right about {learned.right:.1%}" in title_of(chart)


def test_without_the_truth_nothing_is_called_right():
    learned = sl.learn(FOUND.release, model="naive bayes")
    chart = learned.plot()
    assert "nobody checked" in description_of(chart)
    assert sum(row[2] for row in table_behind(chart).rows) == 45_222
