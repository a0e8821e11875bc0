"""`--population FILE`: in audits, in searches, and what is said of files that do not fit."""

import hashlib
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support.command_line import answer, invoke
from support.words import mentions

import sidelight as sl

COLUMNS = ("--group", "age", "--group", "sex", "--sensitive", "disease")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = {"age": ["31", "34", "38", "52", "57", "77"], "sex": list("fmfmfm"), "disease": list("abcabc")}
    pyarrow.csv.write_csv(pa.table(rows), "register.csv")
    pyarrow.csv.write_csv(pa.table(rows).slice(0, 4), "table.csv")
    (tmp_path / "release.csv").write_text("age,sex,disease\n30-39,f,a\n30-39,m,b\n50-59,m,a\n")
    (tmp_path / "hierarchies").mkdir()
    ages = sl.Hierarchy.intervals("age", [*range(30, 80)], widths=[10, 20])
    sl.write_hierarchy(ages, "hierarchies/age.csv")
    return tmp_path


def test_an_audit_compares_with_a_population(folder):
    arguments = ("audit", "release.csv", *COLUMNS, "--limit", "journalist risk <= 1/2", "--population", "register.csv")
    result = invoke([*arguments, "--json"])
    assert result.exit_code == 1
    assert answer(result)["findings"][0]["result"]["text"] == "1"
    assert (
        invoke(["audit", "release.csv", *COLUMNS, "--limit", "presence(population=register.csv) <= 1"]).exit_code == 0
    )


def test_an_audit_of_everything_shows_what_a_population_adds(folder):
    result = invoke(["audit", "release.csv", *COLUMNS, "--population", "register.csv", "--json"])
    assert result.exit_code == 0
    measured = [each["text"] for each in answer(result)["findings"]]
    assert {"journalist risk(population=register.csv)", "absence(population=register.csv)"} <= {*measured}


def test_a_population_in_a_policy_file_stands_beside_it(folder, monkeypatch):
    policy = '[[limit]]\nmeasure = "marketer risk"\npopulation = "register.csv"\nat_most = 1'
    (folder / "policy.toml").write_text(policy)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert invoke(["audit", "../release.csv", *COLUMNS, "--policy", "../policy.toml"]).exit_code == 0


def test_a_search_compares_with_a_population(folder):
    arguments = ["protect", "table.csv", *COLUMNS, "--hierarchies", "hierarchies", "--suppress-only", "sex"]
    limit = ["--limit", "journalist risk <= 1/2", "--population", "register.csv"]
    result = invoke([*arguments, *limit, "--output", "out.csv"])
    assert result.exit_code == 0, result.output
    assert invoke(["audit", "out.csv", *limit]).exit_code == 0
    refused = invoke([*arguments, *limit, "--output", "register.csv", "--force"])
    assert refused.exit_code == 2
    assert "register.csv" in refused.stderr


def test_what_is_said_of_populations_that_do_not_fit(folder):
    def said(*arguments):
        result = invoke(["audit", "release.csv", *COLUMNS, *arguments])
        assert result.exit_code == 2
        return result.stderr

    assert mentions(said("--limit", "absence <= 0.9"), "population", "say which", "--population")
    asked = ("--limit", "presence <= 1/2", "--population")
    assert "no file nobody.csv" in said(*asked, "nobody.csv")
    (folder / "years.csv").write_text("years,sex\n31,f\n")
    assert mentions(said(*asked, "years.csv"), "lacks", "no column 'age'", "years.csv")
    (folder / "few.csv").write_text("age,sex\n31,f\n")
    assert mentions(said(*asked, "few.csv"), "group 2", "age, sex", "1 person in the release", 0)
    nothing = said("--limit", "group size >= 1", "--population", "register.csv")
    assert mentions(nothing, "nothing", "--population 'register.csv'")


def test_missing_marks_and_people_are_those_of_the_table(folder):
    (folder / "marked.csv").write_text("who,age,sex\n1,31,f\n1,31,f\n2,?,f\n3,32,m\n4,51,m\n")
    (folder / "release.csv").write_text("who,age,sex,disease\n1,30-39,f,a\n2,?,f,b\n")
    asked = ("--limit", "journalist risk <= 1", "--population", "marked.csv", "--missing-mark", "?", "--json")
    result = invoke(["audit", "release.csv", *COLUMNS, "--person", "who", *asked])
    assert answer(result)["findings"][0]["result"]["text"] == "1"


def test_a_sidecar_names_a_population_by_its_file_and_not_by_where_it_is_kept(sample_files):
    people = pq.read_table("patients.parquet").drop_columns(["id", "disease"])
    kept = sample_files / "kept" / "in secret"
    kept.mkdir(parents=True)
    pyarrow.csv.write_csv(pa.concat_tables([people, people]), kept / "register.csv")
    asked = ("-g", "age", "-g", "sex", "-g", "zip", "-s", "disease", "--hierarchies", "hierarchies")
    limited = ("-l", "journalist risk <= 1/10", "--population", kept / "register.csv")
    done = invoke(["protect", "patients.parquet", *asked, *limited, "--output", "release.csv"])
    assert (done.exit_code, done.stderr) == (0, "")
    text = Path("release.csv.sidelight.json").read_text()
    document = json.loads(text)
    assert "secret" not in text
    assert "secret" not in Path("release.csv-metadata.json").read_text()
    (register,) = document["populations"]
    assert (register["name"], register["people"]) == ("register.csv", 80)
    assert register["sha256"] == hashlib.sha256((kept / "register.csv").read_bytes()).hexdigest()
    assert document["findings"][0]["settings"] == {"population": "register.csv"}
    Path("again.toml").write_text(document["policy"])
    again = ["audit", "release.csv", "--policy", "again.toml", "--hierarchies", "hierarchies"]
    assert invoke([*again, "--population", kept / "register.csv"]).exit_code == 0
    nowhere = invoke(again)
    assert nowhere.exit_code == 2
    assert "register.csv" in nowhere.stderr
    shutil.copy(kept / "register.csv", "register.csv")
    assert invoke(again).exit_code == 0


def test_a_population_that_does_not_say_whose_row_it_is_is_noted_where_the_table_does(folder):
    (folder / "visits.csv").write_text("id,age,disease\n1,30,a\n1,30,b\n2,30,a\n")
    (folder / "named.csv").write_text("id,age\n1,30\n1,30\n2,30\n")
    (folder / "unnamed.csv").write_text("age\n30\n30\n30\n")
    asked = ["audit", "visits.csv", "-g", "age", "-s", "disease", "--person", "id", "--values", "set"]
    named, unnamed = (
        invoke([*asked, "-m", "journalist risk", "--population", file, "--json"])
        for file in ("named.csv", "unnamed.csv")
    )
    assert answer(named)["findings"][0]["result"]["text"] == "1/2"
    assert "counts as a person" not in named.stdout
    assert mentions(unnamed.stdout, "unnamed.csv", "no column 'id'", "rows counts as a person")
