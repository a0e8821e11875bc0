"""The document that somebody signs: it holds no row of a person, and says what it does not know."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from support.words import mentions, says

import sidelight as sl
from sidelight.documents.document import schema_text
from sidelight.report.charts.groups import count_sizes
from sidelight.report.release_report import (
    WITHHELD,
    Circumstances,
    ReleaseReport,
    assemble_report,
    column_facts,
    technique_words,
)
from sidelight.report.report import audit_report

ROOT = Path(__file__).parents[3]


@pytest.fixture
def release():
    groups = [{"Flu": 30, "Cold": 12}, {"Flu": 1}]
    return sl.Release.from_counts(groups, labels=[{"age": "30-39"}, {"age": "Ann's age"}])


def test_a_witness_that_is_one_person_is_withheld(release):
    audit = audit_report(release, verdict=sl.Policy(sl.GroupSize() >= 5).judge(release))
    (finding,) = assemble_report(audit, release).answer.audit.findings
    assert (finding.explanation, finding.witness, finding.notes) == (WITHHELD, None, ())
    assert "Ann's age" not in assemble_report(audit, release).to_json()


def test_a_witness_of_several_people_is_told(release):
    audit = audit_report(
        release, findings=[sl.Implications(1).measure(release.__class__.from_counts([{"Flu": 3, "Cold": 2}]))]
    )
    assert "Flu" in assemble_report(audit, release).answer.audit.findings[0].explanation


def test_labels_are_shown_that_many_people_have(release):
    age, value = column_facts(release)
    assert (age.labels, age.examples, age.technique) == (2, ("30-39",), "as it stands in the file")
    assert (value.labels, value.examples) == (2, ("Flu", "Cold"))


def test_columns_that_nothing_looked_at_are_named(tmp_path):
    file = tmp_path / "release.csv"
    file.write_text("age,zip,disease\n30,1,Flu\n30,2,Cold\n")
    told = column_facts(sl.read_release(file, group=["age"], sensitive="disease"))
    assert [(each.column, each.role) for each in told] == [
        ("age", "known to outsiders"),
        ("disease", "sensitive"),
        ("zip", "not judged"),
    ]


def test_groups_are_counted_by_size(release):
    (first, *others), _, _ = count_sizes(release)
    assert (first.sizes, first.groups, first.people) == ("1", 1, 1)
    assert sum(band.people for band in others) == 42


@pytest.mark.parametrize(
    ("method", "words"),
    [("mondrian", "generalised, group by group (mondrian)"), ("anatomy", "as it is, in a table of its own")],
)
def test_what_a_method_does_is_said(method, words):
    (told,) = technique_words(["age"], method=method, levels={}, heights={}, averages=False).values()
    assert told.startswith(words)


def test_a_level_that_leaves_nothing_is_suppression():
    told = technique_words(["age"], method="lattice", levels={"age": 3}, heights={"age": 4}, averages=False)
    assert told == {"age": "suppressed: printed as *"}


def test_people_in_buckets_are_counted_by_their_own_labels():
    """A key may be in several buckets, and buckets stand in another order than keys."""
    rows = pa.table({"age": ["30"] * 14 + ["40", "50"], "disease": ["Flu", "Cold"] * 8})
    table = sl.read_table(rows, quasi="age", sensitive="disease")
    found = sl.protect(table, sl.Policy(sl.DistinctValues() >= 2), method="anatomy", ask="nobody")
    age = next(each for each in column_facts(found.release) if each.column == "age")
    assert (age.labels, age.examples) == (3, ("30",))


def test_several_sensitive_columns_have_each_their_row(tmp_path):
    file = tmp_path / "release.csv"
    file.write_text("age,disease,income\n30,Flu,high\n30,Cold,low\n")
    release = sl.read_release(file, group=["age"], sensitive=["disease", "income"])
    report = assemble_report(audit_report(release), release)
    assert [each.column for each in report.answer.columns if each.role == "sensitive"] == ["disease", "income"]


def test_what_is_not_covered_depends_on_what_was_asked(release):
    plain = assemble_report(audit_report(release, verdict=sl.Policy(sl.GroupSize() >= 1).judge(release)), release)
    asked = assemble_report(audit_report(release, verdict=sl.Policy(sl.Implications(1) <= 1).judge(release)), release)
    assert any("somebody who knows facts" in line for line in plain.answer.not_covered)
    assert not any("somebody who knows facts" in line for line in asked.answer.not_covered)
    kept = assemble_report(audit_report(release), release, Circumstances(kept=("note",)))
    assert any(mentions(each, "as they are", "judged by nothing", "note") for each in kept.answer.not_covered)


def test_the_schema_is_the_one_that_is_kept():
    assert (ROOT / "docs/reference/release-report.schema.json").read_text(encoding="utf-8") == schema_text(
        ReleaseReport
    )
    assert json.loads(schema_text(ReleaseReport))["title"] == "ReleaseReport"


def test_what_printed_labels_stand_for_is_told():
    release = sl.Release.from_counts([{"Flu": 8, "Cold": 4}], labels=[{"school": "College"}])
    known = Circumstances(covers={"school": {"College": ("Bachelors", "Masters")}})
    report = assemble_report(audit_report(release), release, known)
    assert "school “College” stands for Bachelors, Masters." in sl.report_markdown(report)


def test_from_which_fact_on_the_limit_is_not_kept_is_said_in_words():
    release = sl.Release.from_counts([{"Flu": 5, "Cold": 4, "Gout": 3}])
    text = sl.report_html(
        sl.release_report(release, sl.Policy(sl.Implications(1) <= sl.Implications(1).measure(release).value))
    )
    assert says(text, "2 well-chosen facts", "≤ 5/8", "no longer kept")
    assert "2 are enough to break the limit" in text


def test_who_signs_is_asked_what_the_data_are_and_to_whom_they_go():
    release = sl.Release.from_counts([{"Flu": 8, "Cold": 4}])
    text = sl.report_html(sl.release_report(release))
    assert "for which purpose they are released" in text
    assert "To whom the file goes" in text
    assert "of which no checksum is known" in text
    assert "<dt>Prepared by</dt>" in text


def test_several_people_stand_alone():
    release = sl.Release.from_counts([{"Flu": 1}, {"Cold": 1}], labels=[{"age": "30"}, {"age": "40"}])
    assert says(sl.report_markdown(sl.release_report(release)), "2 of 2 people", "alone")
