"""The report's document: exact numbers, rounding towards caution, plain witnesses, and what an owner should notice."""

import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.documents.document import schema_text
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Finding
from sidelight.measures.measure import Attacker
from sidelight.policy.measure_names import all_measures, asked_attackers
from sidelight.report.report import (
    ALONE,
    SCHEMA_VERSION,
    AuditReport,
    attacker_of,
    audit_report,
    count_broken,
    families_not_asked,
    like_lists,
    like_missing,
    look_alikes,
)
from sidelight.table.table import Intake
from sidelight.testing import releases

RELEASE = sl.Release.from_counts(
    [{"Flu": 5}, {"Flu": 3, "Cold": 3}], labels=[{"age": "20-29", "sex": None}, {"age": "30-39", "sex": "f"}]
)
POLICY = sl.Policy(sl.GroupSize() >= 5, sl.EntropyDiversity() >= 1.5)


def report_of(release, **more):
    return audit_report(release, verdict=POLICY.judge(release), **more)


def test_the_document_says_all_of_it():
    report = report_of(RELEASE, source="published.csv", roles={"quasi": ("age", "sex")}, notes=["a note"])
    assert (report.kind, report.schema_version, report.answer.sidelight) == ("audit", SCHEMA_VERSION, sl.__version__)
    assert (report.source, report.answer.roles, report.answer.verdict) == (
        "published.csv",
        {"quasi": ["age", "sex"]},
        "not within policy",
    )
    assert report.answer.release.model_dump() == {
        "people": 11,
        "groups": 2,
        "columns": ("age", "sex"),
        "sensitive": "value",
        "values": 2,
        "semantics": "single",
    }
    size, entropy = report.answer.findings
    assert (size.measure, size.limit.text, size.result.exact, size.holds) == ("group size", "≥ 5", "5", True)
    assert (entropy.limit.bound.exact, entropy.result.exact, entropy.holds) == ("3/2", "1", False)
    assert size.witness == {"group": {"number": 1, "says": {"age": "20-29", "sex": None}}, "value": None}
    assert size.worst_off == "group 1 (age 20-29, sex (missing))"
    assert size.explanation
    assert report.notes == ("a note",)


def test_it_survives_json():
    report = report_of(RELEASE, source="published.csv")
    text = report.to_json()
    assert AuditReport.model_validate_json(text) == report
    assert "Infinity" not in text
    assert "NaN" not in text
    assert list(json.loads(text)) == ["kind", "schema_version", "source", "answer", "notes"]


def test_what_reading_dropped_is_in_every_report():
    read = replace(RELEASE, intake=Intake(rows=15, columns_dropped=("name",), rows_without_value=3, rows_suppressed=1))
    report = report_of(read)
    assert report.answer.intake.model_dump() == {
        "rows": 15,
        "columns_dropped": ("name",),
        "rows_without_value": 3,
        "rows_saying_no_value": 0,
        "rows_suppressed": 1,
        "repeats": 0,
    }
    assert report.notes == read.intake.notes()
    assert len(report.notes) == 3


def test_without_a_policy_nothing_is_judged():
    report = audit_report(RELEASE, findings=[GroupSize().measure(RELEASE)])
    assert report.answer.verdict == "no policy"
    assert (report.answer.findings[0].limit, report.answer.findings[0].holds) == (None, None)


def test_names_of_people_do_not_appear():
    named = sl.Release.from_groups([(["Bob", "Ed"], ["Flu", "Heart"]), (["Gloria", "Ann"], ["Flu", "Flu"])])
    text = report_of(named).to_json()
    assert not [name for name in ("Bob", "Gloria", "Ann") if name in text]


@dataclass(frozen=True)
class Endless(GroupSize):
    """A measure with a settings name and an infinite finding without a witness."""

    def measure(self, release):
        return Finding(self, math.inf, None, ("as large as can be",))

    def explain(self, finding):
        return "It has no end."


def test_infinite_findings_and_findings_without_a_witness():
    report = audit_report(RELEASE, verdict=sl.Policy(Endless() >= math.inf).judge(RELEASE))
    answer = AuditReport.model_validate_json(report.to_json()).answer.findings[0]
    assert (answer.result.exact, answer.result.number, answer.result.text) == ("inf", None, "infinite")
    assert (answer.limit.text, answer.witness, answer.worst_off) == ("≥ infinite", None, "")
    assert answer.notes == ("as large as can be",)


CRITERIA = [
    sl.GroupSize() >= 3,
    sl.DistinctValues() >= 2,
    sl.EntropyDiversity() >= 2,
    sl.RecursiveDiversity(l=2) <= 2,
    sl.Closeness() <= Fraction(1, 4),
    sl.BetaLikeness() <= 1,
    sl.Acquaintance(rules_out=1) < Fraction(1, 2),
    sl.PriorBelief(shape="uniform", stubbornness=4) <= 2,
]


@given(releases(), st.sampled_from(CRITERIA))
def test_groups_that_break_a_limit_are_counted_one_by_one(release, criterion):
    if release.semantics not in criterion.measure.semantics:
        return
    judgement = criterion.judge(release)
    people = []
    for row in range(len(release)):
        group = release.groups.take(np.array([row]))
        finding = criterion.measure.summarize(group).finding()
        if finding.witness is not None and not criterion.decide(finding).holds:  # groups without values are passed over
            people.append(int(group.sizes[0]))
    (broken,) = count_broken([judgement], release)
    assert (broken.groups, broken.people) == (len(people), sum(people))
    assert judgement.holds == (broken.groups == 0) or judgement.finding.witness is None


def test_groups_that_break_a_limit_together_are_counted_at_least():
    release = sl.Release.from_counts([{"Flu": 5}, {"Flu": 3, "Cold": 3}])
    report = audit_report(release, verdict=sl.Policy(sl.Implications(1) < 0.5, sl.GroupSize() >= 6).judge(release))
    assert [answer.broken_by and answer.broken_by.model_dump() for answer in report.answer.findings] == [
        {"groups": 2, "people": 11, "at_least": True},
        {"groups": 1, "people": 5, "at_least": False},
    ]
    assert audit_report(release, findings=[sl.GroupSize().measure(release)]).answer.findings[0].broken_by is None


@pytest.mark.parametrize(("size", "notes"), [(1, (ALONE,)), (2, ())])
def test_a_group_of_one_person_is_warned_of(size, notes):
    release = sl.Release.from_counts([{"Flu": size}, {"Flu": 3}])
    assert audit_report(release, findings=[sl.GroupSize().measure(release)]).answer.findings[0].notes == notes


def test_values_that_look_alike():
    labels = [{"city": "Ulm"}, {"city": " ulm"}, {"city": None}]
    release = sl.Release.from_counts([{"Flu": 1}, {"flu ": 1, "FLU": 1}, {"Cold": 1}], labels=labels)
    cities, values = look_alikes(release)
    assert mentions(cities, "city", "' ulm', 'Ulm'", "different")
    assert mentions(values, "value", "'FLU', 'Flu', 'flu '", "different")
    assert audit_report(release).notes == tuple(look_alikes(release))
    many = sl.Release.from_counts([{text: 1 for n in range(5) for text in (f"v{n}", f"V{n}")}])
    (values,) = look_alikes(many)
    assert mentions(values, "value", "'V0', 'v0'; 'V1', 'v1'; 'V2', 'v2'", "2 more", "different")
    assert "'V3'" not in values
    assert list(look_alikes(sl.Release.from_counts([{"1": 1, "1.0 mg": 1, "Flu": 1}]))) == []


MISSING_NOTE = "disease: written like missing cells: {}; they count as values, unless --missing-mark names them"


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["NA", "Flu"], "'NA'"),
        (["#N/A", "null", ".", "?", "Flu"], "'#N/A', '.', '?' (and 1 more such)"),
        (["-9.0", "-9", "Flu"], "'-9.0'"),
        (["unasked ", "unasked", "Flu"], "'unasked '"),
        (["Nausea", "-8", "0", "Flu"], None),
    ],
    ids=str,
)
def test_values_that_are_written_like_missing_cells_are_named_however_rows_are_read(tmp_path, cells, told):
    file = tmp_path / "people.csv"
    file.write_text("age,disease\n" + "".join(f"30,{cell}\n" for cell in cells))
    how = {"group": "age", "sensitive": "disease", "missing": "drop", "missing_marks": ["-9", "unasked"]}
    notes = [] if told is None else [MISSING_NOTE.format(told)]
    for release in (sl.read_release(file, **how), sl.stream_release(file, **how, memory="1GB")):
        assert list(like_missing(release)) == notes
        assert {*notes} <= {*audit_report(release).notes}


def test_a_value_of_no_letters_is_written_like_a_missing_cell():
    release = sl.Release.from_counts([{"": 1, " ": 1, "Flu": 1}])
    assert list(like_missing(release)) == [MISSING_NOTE.format("'', ' '").replace("disease", "value")]


@pytest.mark.parametrize(
    ("cell", "noticed"),
    [
        ("['Flu', 'Cold']", True),
        ('["Flu","Cold"]', True),
        ("['Flu']", True),
        ("{'Flu', 'Cold'}", True),
        ("('Flu',)", True),
        ("[20-30)", False),
        ("[20, 30]", False),
        ("{Flu, Cold}", False),
        ("O'Neill's (mild)", False),
    ],
)
def test_cells_that_are_lists_as_programs_write_them_are_noticed(cell, noticed):
    release = sl.Release.from_counts([{cell: 1, "Flu": 1}])
    assert len(list(like_lists(release))) == noticed
    assert [note for note in audit_report(release).notes if "write lists" in note] == list(like_lists(release))


def test_the_schema_in_the_documentation_is_up_to_date():
    home = "docs/reference/report.schema.json"
    kept = (Path(__file__).parents[3] / home).read_text(encoding="utf-8")
    assert kept == schema_text(AuditReport), f"write it anew: sidelight report-schema > {home}"


@pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.name)
def test_every_measure_of_ours_says_whom_it_is_about(kind):
    attacker = attacker_of(kind.name)
    assert attacker is kind.attacker
    assert attacker.name == kind.name
    assert attacker.who != Attacker.unknown(kind.name).who
    assert attacker.knowledge_in_words({})


def test_amounts_are_said():
    assert "any 1 fact of" in attacker_of("implications").knowledge_in_words({"k": 1})
    acquaintance = attacker_of("acquaintance").knowledge_in_words({"rules_out": 2, "others": 3, "family": 1})
    assert mentions(acquaintance, "2 values", "does not have", "3 other people")
    assert attacker_of("acquaintance").knowledge_in_words({}).endswith("and nothing more")


def test_columns_that_are_known_are_said():
    words = attacker_of("distinct values").knowledge_in_words({"of": "income", "known": ["disease"]})
    assert mentions(words, "disease of everybody", "asked about income")


def test_a_measure_of_somebody_else_speaks_for_itself():
    assert attacker_of("my own").who == "whom “my own” is about"


def test_who_was_not_asked_about_is_told_by_families():
    asked = [kind.name for kind in asked_attackers()]
    assert len(families_not_asked(["group size"])) == 3 + len(asked)
    assert families_not_asked(["implications", "journalist risk", "prior belief", *asked]) == ()
