"""Which charts a report shows: one for each topic that has numbers, drawn from the document alone."""

from __future__ import annotations

import json

import pytest
from support.words import says

import sidelight as sl
from sidelight.report.contents import OUTLINES, release_page
from sidelight.report.make import MOST_MEASURED_CELLS, candidate_releases, knowledge_cells, read_attack
from sidelight.report.page import Page, PageSection, Picture
from sidelight.report.pictures import CHARTS, pictures_of
from sidelight.report.plots import description_of
from sidelight.report.release_report import ReleaseReport, value_counts
from sidelight.report.render import MOST_BYTES

POLICY = sl.Policy(sl.GroupSize() >= 10, sl.Implications(1) < 0.8, sl.Acquaintance(rules_out=1) < 0.9)


@pytest.fixture(scope="module")
def report() -> ReleaseReport:
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(adult.table, POLICY, by=adult.hierarchies)
    return sl.release_report(found, date="2026-01-31")


def pictures_in(part: Page | PageSection) -> list[Picture]:
    blocks = part.opening if isinstance(part, Page) else part.blocks
    below = part.sections if isinstance(part, Page) else part.parts
    return [*(each for each in blocks if isinstance(each, Picture)), *(p for each in below for p in pictures_in(each))]


def test_every_topic_with_numbers_has_its_picture(report, monkeypatch):
    monkeypatch.setattr("sidelight.report.plots.svg", lambda chart, _: description_of(chart))
    drawn = {name: len(tuple(pictures_of(report, name))) for name in CHARTS}
    assert drawn.pop("cuts") == 0  # levels were searched, and nobody was cut apart
    assert drawn == {"limits": 1, "sizes": 1, "values": 1, "knowledge": 1, "cells": 1, "attackers": 1, "utility": 2}


@pytest.mark.parametrize("outline", [None, *OUTLINES])
def test_each_stands_once_in_every_outline_with_its_finding_and_its_table(report, outline, monkeypatch):
    monkeypatch.setattr("sidelight.report.plots.svg", lambda chart, _: description_of(chart))
    pictures = pictures_in(release_page(report, outline))
    assert len(pictures) == 8
    assert len({each.svg for each in pictures}) == 8
    own = [each.table for each in pictures if each.table is not None]
    assert len(own) == 6  # the other two stand right above their tables
    assert all(table.rows for table in own)


def test_cuts_are_drawn_where_people_were_cut_apart(monkeypatch):
    monkeypatch.setattr("sidelight.report.plots.svg", lambda chart, _: description_of(chart))
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(adult.table, sl.GroupSize() >= 500, by=adult.hierarchies, method="mondrian", ask="nobody")
    again = ReleaseReport.model_validate_json(sl.release_report(found, date="2026-01-31").to_json())
    (tree,) = pictures_of(again, "cuts")
    assert tree in pictures_in(release_page(again))
    assert tree.table.rows[1][2:] == ("age", "17-37", "23,027", tree.table.rows[1][5])


def test_they_are_drawn_from_the_document_alone(report, monkeypatch):
    monkeypatch.setattr("sidelight.report.plots.svg", lambda chart, _: str(chart.to_dict()))
    again = ReleaseReport.model_validate_json(report.to_json())
    assert release_page(again) == release_page(report)


def test_without_limits_and_without_how_it_was_made_nothing_is_invented():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 3}])
    report = sl.release_report(release)
    assert [name for name in CHARTS if tuple(pictures_of(report, name))] == ["sizes", "knowledge"]


def test_a_release_of_very_many_groups_and_values_stays_small():
    groups = [{f"value {(at * 7 + step) % 5000}": 3 for step in range(3)} for at in range(20_000)]
    labels = [{"age": f"age {at} " + "x" * 50} for at in range(20_000)]
    release = sl.Release.from_counts(groups, labels=labels)
    page = sl.report_html(sl.release_report(release, sl.Policy(sl.GroupSize() >= 5)))
    assert len(page.encode()) < MOST_BYTES
    assert page.count("<svg") >= 2


def test_rare_values_are_not_named(report):
    release = sl.Release.from_counts([{"Flu": 30, "Cold": 12, "Secret illness": 2}])
    page = sl.report_html(sl.release_report(release, sl.Policy(sl.DistinctValues() >= 2)))
    assert "1 rarer value" in page
    assert "Secret illness" not in page


def test_how_right_a_learner_is_stands_where_its_answer_is_given(report, tmp_path):
    bins = [{"low": 0.4, "high": 0.5, "people": people, "claimed": 0.45, "right": 0.4} for people in (40, 3)]
    numbers = {"model": "logistic", "people": 43, "claimed": 0.45, "right": 0.4, "calibration_error": 0.05}
    answer = {"kind": "learner", "schema_version": 1, "source": "r.csv", "answer": {**numbers, "calibration": bins}}
    file = tmp_path / "learner.json"
    file.write_text(json.dumps(answer))
    told = report.answer.model_copy(update={"attacks": (read_attack(file),)})
    page = sl.report_html(report.model_copy(update={"answer": told}))
    assert says(page, "logistic", "claims", "45.0% sure", "right", "40.0%")
    assert "3 people are left out" in page
    assert "not to be published with the file" in page


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
