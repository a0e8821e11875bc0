"""Stories on real files, end to end: a steward's CSV of a health survey, with several conditions each, or none."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from support.command_line import invoke

import sidelight as sl
from sidelight.table.labels import MISSING, as_number, shown

KINDS = """
[roles]
quasi = ["age", "income", "birthplace", "education"]
sensitive = "condition"
person = "person"
values = "set"
missing = "no value"

[roles.columns]
income = "ordered"
education = ["8th grade or less", "High school dropout", "High school graduate", "College dropout", "College or more"]

[[limit]]
measure = "group size"
at_least = 8
"""


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """The survey as a steward has it: a CSV file, which knows no types, a policy, and one hierarchy."""
    monkeypatch.chdir(tmp_path)
    data = sl.datasets.nhefs()
    csv.write_csv(pq.read_table(data.path), "nhefs.csv")
    Path("policy.toml").write_text(KINDS)
    Path("hierarchies").mkdir()
    sl.write_hierarchy(data.hierarchies["birthplace"], Path("hierarchies/birthplace.csv"))
    return data


@pytest.mark.parametrize("method", ["mondrian", "microaggregation"])
def test_story_what_a_column_is(survey, method):
    usual = ("protect", "nhefs.csv", "--policy", "policy.toml", "--hierarchies", "hierarchies", "--method", method)
    states = set(survey.hierarchies["birthplace"].levels[0])
    regions = set(survey.hierarchies["birthplace"].levels[1])
    codes = {str(code) for code in range(11, 23)}

    # what was taken for what is told, so that a wrong one is seen: this one is overruled by an option
    done = invoke([*usual, "--kind", "income=number"])
    assert "Columns: age number, income number, birthplace category, education ordered" in " ".join(done.stdout.split())

    done = invoke([*usual, "--output", "release.csv"])
    assert done.exit_code == 0, done.stderr
    document = json.loads(Path("release.csv.sidelight.json").read_text())
    kinds = {"age": "number", "income": "ordered", "birthplace": "category", "education": "ordered"}
    assert document["reading"]["kinds"] == kinds

    # codes of incomes and states are never added up: they come out as codes, as sets of them or as regions
    release = sl.read_published("release.csv")
    assert (release.size, release.semantics) == (1629, "set")
    printed = {
        column.name: {each for text in column.labels for each in parts(text)} for column in release.groups.columns
    }
    assert printed["income"] <= {*codes, MISSING}
    assert printed["birthplace"] <= {*states, *regions, "*", MISSING}
    if method == "microaggregation":
        assert all(as_number(age) is not None for age in printed["age"])
    else:
        assert regions & printed["birthplace"]
        assert any("-" in age for age in printed["age"])
    assert sl.GroupSize().measure(release).value >= 8

    # and the kinds go with the file: whoever looks for people there takes the columns for what they were
    assert {column.name: column.kind for column in release.groups.columns} == kinds
    assert invoke(["audit", "release.csv", "--limit", "group size >= 8"]).exit_code == 0


def parts(text):
    """Give the labels of a printed set, or the one that is printed."""
    text = shown(text)
    return text[1:-1].split(", ") if text.startswith("{") else text.removesuffix(" or (missing)").split("\0")
