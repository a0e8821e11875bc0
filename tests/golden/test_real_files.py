"""Stories on real files, end to end: a steward's CSV of a health survey, with several conditions each, or none."""

import json
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from support.command_line import answer, invoke
from support.words import mentions

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
    told = " ".join(done.stdout.split())
    assert mentions(told, "age number, income number, birthplace category, education ordered")

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


def test_story_who_is_meant(survey):
    sl.write_hierarchy(survey.hierarchies["age"], Path("hierarchies/age.csv"))
    roles = [word for name in ("age", "sex", "birthplace") for word in ("--group", name)]
    table = ("--sensitive", "condition", "--person", "person", "--values", "set", "--missing", "no value")
    search = ("--hierarchies", "hierarchies", "--suppress-only", "sex", "--suppress", "0.05", "-l", "group size >= 20")
    done = invoke(["protect", "nhefs.csv", *roles, *table, *search, "--output", "release.csv"])
    assert done.exit_code == 0, done.stderr
    document = json.loads(Path("release.csv.sidelight.json").read_text())
    suppressed = document["people"]["suppressed"]
    assert suppressed > 0

    # person 233 of the survey is 42, male and from state 47: the file says which region that is
    about = ("--about", "{age=42, sex=Male, birthplace=47}", "--json")
    told = answer(invoke(["believe", "release.csv", *about]))["beliefs"][0]
    people = survey_people(survey)
    neighbours = [each for each in people.values() if in_group(each, "40-59", "Male", "South", survey)]
    for value in told["values"]:
        having = sum(value["value"] in each["conditions"] for each in neighbours)
        assert Fraction(value["after"]) == Fraction(having, len(neighbours))

    # without the sidecar the file alone does not know state 47; with the hierarchies it is found again
    foreign = sl.read_release(
        "release.csv", group=["age", "sex", "birthplace"], sensitive="condition", values="set", rows="counts"
    )
    person = {"age": 42, "sex": "Male", "birthplace": 47}
    with pytest.raises(sl.errors.BadKnowledge, match=r"no birthplace '47'.*: Midwest, ") as caught:
        sl.posteriors(foreign, person=person)
    assert "by" in caught.value.parameters
    again = sl.posteriors(foreign, person=person, by=survey.hierarchies)
    assert {value: str(chance) for value, chance in again.items()} == {
        each["value"]: each["after"] for each in told["values"]
    }

    # everybody is looked for, and whoever is suppressed is open: nobody is called safe for not being located
    known = pq.read_table(survey.path).select(["person", "age", "sex", "birthplace"])
    csv.write_csv(known.group_by(known.column_names).aggregate([]), "people.csv")
    everyone = ("attack", "release.csv", "--people", "people.csv", "--person", "person", "--at-most", "0.01")
    unsure = invoke(everyone)
    assert unsure.exit_code == 2
    assert f"{suppressed} people are not located in release.csv" in unsure.stderr
    assert invoke([*everyone, "--unlocated", "ignore"]).exit_code == 0
    assumed = invoke([*everyone, "--suppressed", "may hold them"])
    assert assumed.exit_code == 0
    assert f"assumed to hold {suppressed} people" in " ".join(assumed.stdout.split())
    martian = invoke(["believe", "release.csv", "--about", "{age=42, sex=Martian, birthplace=47}"])
    assert martian.exit_code == 2
    assert "there are: Female, Male" in martian.stderr


def survey_people(survey):
    """Give everybody of the survey, row by row, as plain Python."""
    people = {}
    for row in pq.read_table(survey.path).to_pylist():
        known = {name: row[name] for name in ("age", "sex", "birthplace")}
        person = people.setdefault(row["person"], {**known, "conditions": set()})
        person["conditions"] |= {row["condition"]} - {None}
    return people


def in_group(person, ages, sex, region, survey):
    low, high = map(int, ages.split("-"))
    state = None if person["birthplace"] is None else str(person["birthplace"])
    its_region = survey.hierarchies["birthplace"].generalise(state, 1)
    return low <= person["age"] <= high and person["sex"] == sex and its_region == region


STEWARD = """
[roles]
quasi = ["age", "sex", "race", "education"]
sensitive = "condition"
person = "person"
values = "set"
missing = "no value"

[[limit]]
measure = "group size"
at_least = 8
"""


def test_story_what_a_steward_does(survey):
    """Hierarchies are drafted, ways of publishing compared, levels chosen and published; a researcher reads them."""
    Path("steward.toml").write_text(STEWARD)
    drafted = invoke(
        ["hierarchies", "nhefs.csv", "--policy", "steward.toml", "--cuts", "age=35,45,55,65", "-o", "drafts"]
    )
    assert drafted.exit_code == 0, drafted.stderr
    usual = ("nhefs.csv", "--policy", "steward.toml", "--hierarchies", "drafts")

    # nothing is published by comparing, and what each way keeps is told in words
    before = set(Path().iterdir())
    page = invoke(["compare", *usual])
    assert (page.exit_code, page.stderr) == (0, "")
    assert set(Path().iterdir()) == before
    assert "A person would take row" in page.stdout
    ways = answer(invoke(["compare", *usual, "--json"]))
    taken = ways["rows"][ways["advised"] - 1]
    assert taken["method"] == "lattice"
    assert all(row["reason"] for row in ways["rows"] if row["groups"] is None)  # sets cannot be had by every method

    # a dry run says the same of those levels, and lists what else is minimal
    levels = ",".join(f"{name}={level}" for name, level in taken["levels"].items())
    chosen = (*usual, "--suppress", str(taken["suppress"]), "--levels", levels)
    dry = answer(invoke(["protect", *chosen, "--json"]))
    assert (dry["published"], dry["suppressed"]) == (None, taken["suppressed"])
    assert dry["utility"]["balanced loss"] == taken["balanced loss"]
    finer = answer(invoke(["protect", *usual, "--json"]))["choices"]
    assert [choice["utility"]["balanced loss"] for choice in finer] == sorted(
        choice["utility"]["balanced loss"] for choice in finer
    )

    # levels that would break the limit are refused, and nothing is left behind
    refused = invoke(["protect", *usual, "--levels", "age=0", "-o", "release.csv"])
    assert refused.exit_code == 1
    assert "group size ≥ 8 (it is 1)" in refused.stderr
    assert not Path("release.csv").exists()

    # what is published is what was compared
    done = invoke(["protect", *chosen, "--bounds", "-o", "release.csv"])
    assert done.exit_code == 0, done.stderr
    assert answer(invoke(["audit", "release.csv", "--json"]))["release"]["groups"] == taken["groups"]
    assert invoke(["audit", "release.csv", "--policy", "steward.toml"]).exit_code == 0

    # a researcher reads the release as its sidecar says: people, and how many have each condition
    release = sl.read_published("release.csv")
    assert release.size == survey.table.people
    assert sl.GroupSize().measure(release).value >= 8
    dictionary = json.loads(Path("release.csv-metadata.json").read_text())
    columns = {each["titles"]: each["datatype"] for each in dictionary["tables"][0]["tableSchema"]["columns"]}
    rows = csv.read_csv("release.csv").to_pylist()
    assert {*rows[0]} == {*columns}
    assert columns["age_low"] == "integer"
    assert all(row["age_low"] in (None, sl.bounds(row["age"]).low) for row in rows)
    with_asthma = int(release.groups.counts.totals()[release.domain.index("Asthma")])
    assert with_asthma == int(survey.table.counts.totals()[survey.table.domain.index("Asthma")])
