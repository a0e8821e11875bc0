"""The numbers behind a report's pictures: counts and risks, of many people each."""

from __future__ import annotations

import sidelight as sl
from sidelight.report.picture_data import MOST_MEASURED_CELLS, candidate_releases, knowledge_cells, value_counts


def test_values_of_every_sensitive_column_are_counted():
    adult = sl.datasets.adult(quasi=["age"], sensitive=["occupation", "salary-class"])
    counts = value_counts(sl.group(adult.table, by="age"))
    assert [each.column for each in counts] == ["occupation", "salary-class"]
    for each in counts:
        assert sum(value.people for value in each.common) + each.rarer_people == each.people


def test_cells_are_those_that_the_measure_gives():
    release = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "Rash": 2}, {"Flu": 2, "Cold": 5, "Rash": 4}])
    cells = knowledge_cells(release, sl.Acquaintance(rules_out=1, others=1) < 0.9)
    assert cells is not None
    assert len(cells.risks) == 3 * 5 * 5
    at = (1 * 5 + 1) * 5 + 0
    assert cells.risks[at].exact == str(sl.Acquaintance(rules_out=1, others=1).measure(release).value)


def test_cells_of_a_large_release_are_not_measured():
    many = MOST_MEASURED_CELLS // 2 + 1
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1}] * many)
    assert knowledge_cells(release, sl.Acquaintance() < 0.9) is None
    assert knowledge_cells(release, sl.GroupSize() >= 2) is None


def test_a_method_without_candidates_has_none_to_draw():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(adult.table, sl.GroupSize() >= 50, method="mondrian", ask="nobody")
    assert candidate_releases(found) is None
