"""`sidelight columns`: from a file, by somebody who has never heard of a quasi-identifier, to a policy that works."""

import csv
import json

import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support.command_line import answer, invoke
from support.messy import write_visits

import sidelight as sl
from sidelight.table.suggested_roles import suggest_roles


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    return write_visits(tmp_path_factory.mktemp("visits") / "visits.csv")


@pytest.fixture(scope="module")
def drafted(visits):
    folder = visits.parent
    written = ("--write", folder / "policy.toml", "--hierarchies", folder / "hierarchies")
    return invoke(["columns", visits, *written])


def from_csv_to_release(file, folder, *options):
    """Draft, audit and protect as the page says."""
    policy, hierarchies = folder / "policy.toml", folder / "hierarchies"
    columns = invoke(["columns", file, "--write", policy, "--hierarchies", hierarchies, *options])
    audit = invoke(["audit", file, "--policy", policy])
    protect = invoke(
        ["protect", file, "--policy", policy, "--hierarchies", hierarchies, "--output", folder / "release.csv"]
    )
    return columns, audit, protect


def test_the_whole_story_of_a_messy_file(visits, tmp_path):
    columns, audit, protect = from_csv_to_release(visits, tmp_path)
    assert (columns.exit_code, audit.exit_code, protect.exit_code) == (0, 1, 0)
    assert "300 of 300 people alone" in columns.output
    again = invoke(["audit", tmp_path / "release.csv", "--policy", tmp_path / "policy.toml"])
    assert again.exit_code == 0


@pytest.mark.parametrize("name", ["adult", "nhefs"])
def test_the_whole_story_of_bundled_data(name, tmp_path):
    file = tmp_path / f"{name}.csv"
    pyarrow.csv.write_csv(pq.read_table(getattr(sl.datasets, name)().path), file)
    columns, audit, protect = from_csv_to_release(file, tmp_path, "--up-to", "2")
    assert (columns.exit_code, audit.exit_code, protect.exit_code) == (0, 1, 0)
    policy = sl.read_policy(tmp_path / "policy.toml")
    assert policy.criteria[0].measure == sl.GroupSize()
    assert len(policy.criteria) == 2


def test_the_page_tells_roles_sets_and_what_to_do_next(drafted, visits):
    assert drafted.exit_code == 0
    for text in ("Known to others", "Told in confidence", "Left out", "Who is found", "sidelight protect"):
        assert text in drafted.output


def test_no_cell_of_anybody_is_printed_or_drafted_into_the_policy(drafted, visits):
    told = drafted.output + (visits.parent / "policy.toml").read_text()
    with visits.open(newline="") as file:
        _, *rows = csv.reader(file)
    cells = {cell for row in rows for cell in row if len(cell) > 3 and cell != "2024"}
    assert {cell for cell in cells if cell in told} == set()


def test_json_has_every_set(visits):
    facts = answer(invoke(["columns", visits, "--json"]))
    assert len(facts["sets"]) == 7
    assert facts["people"] == 300
    assert facts["columns"][1]["role"] == "person"
    assert facts["worst_columns"][0]["column"] == "birth_date"
    everything = facts["sets"][-1]
    assert everything["distinction"]["exact"] == "1"


def test_sets_agree_with_python(visits):
    facts = answer(invoke(["columns", visits, "--json", "--up-to", "2"]))
    table = sl.read_table(visits, **suggest_roles(visits).keywords)
    which = sl.identifying_columns(table, 2)
    told = {(*each["columns"],): (each["groups"], each["alone"]) for each in facts["sets"]}
    assert told == {each.columns: (each.groups, each.unique) for each in which.subsets}


def test_what_exists_is_not_written_over(visits, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text("mine")
    result = invoke(["columns", visits, "--write", policy, "--hierarchies", tmp_path / "h"])
    assert result.exit_code == 2
    assert "exists" in result.stderr
    assert policy.read_text() == "mine"
    assert not (tmp_path / "h").exists()
    assert invoke(["columns", visits, "--write", policy, "--force"]).exit_code == 0
    assert policy.read_text() != "mine"


def test_hierarchies_that_exist_leave_no_policy_behind(visits, tmp_path):
    folder = tmp_path / "h"
    folder.mkdir()
    (folder / "zip.csv").write_text("mine")
    result = invoke(["columns", visits, "--write", tmp_path / "policy.toml", "--hierarchies", folder])
    assert result.exit_code == 2
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["h", "zip.csv"]


def test_the_input_is_never_written_over(visits):
    result = invoke(["columns", visits, "--write", visits, "--force"])
    assert (result.exit_code, "input" in result.stderr) == (2, True)


def test_without_a_secret_sets_are_told_and_no_policy_is_drafted(tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("age,zip\n" + "".join(f"{row % 40},{row % 9:05}\n" for row in range(200)))
    told = invoke(["columns", file])
    assert told.exit_code == 0
    assert "told in confidence" in told.output
    assert "Who is found" in told.output
    refused = invoke(["columns", file, "--write", tmp_path / "policy.toml"])
    assert refused.exit_code == 2
    assert "--sensitive" in refused.stderr
    assert not (tmp_path / "policy.toml").exists()


def test_nothing_that_others_know_is_told_too(tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("disease\n" + "Flu\nCold\n" * 20)
    assert invoke(["columns", file]).exit_code == 0
    assert "--quasi" in invoke(["columns", file, "--write", tmp_path / "policy.toml"]).stderr
    assert "--quasi" in invoke(["columns", file, "--hierarchies", tmp_path / "h"]).stderr


def test_your_own_roles_are_in_the_draft(visits, tmp_path):
    policy = tmp_path / "policy.toml"
    options = ("--quasi", "sex", "--quasi", "zip", "--sensitive", "diagnosis", "--kind", "zip=category")
    assert invoke(["columns", visits, *options, "--write", policy]).exit_code == 0
    assert invoke(["audit", visits, "--policy", policy]).exit_code == 1
    text = policy.read_text()
    assert 'columns = { "zip" = "category" }' in text
    assert "birth_date" in text.partition("Not listed")[2]


@pytest.mark.parametrize("share", ["0", "2", "many", "1/0", "nan"])
def test_a_share_outside_of_zero_to_one_is_refused(visits, share):
    result = invoke(["columns", visits, "--alone", share])
    assert (result.exit_code, "--alone" in result.stderr) == (2, True)


def test_more_columns_than_can_be_gone_through_say_how_many_can(tmp_path):
    file = tmp_path / "wide.csv"
    names = [f"age {letter}" for letter in "abcdefghijklmnopqrst"]
    file.write_text(
        ",".join([*names, "disease"]) + "\n" + (",".join(["7"] * 20) + ",Flu\n" + ",".join(["8"] * 20) + ",Cold\n") * 5
    )
    result = invoke(["columns", file, "--up-to", "20"])
    assert result.exit_code == 2
    assert "--up-to" in result.stderr


def test_names_that_toml_or_a_terminal_could_misread(tmp_path):
    file = tmp_path / "odd names.csv"
    names = ['say "age"', "sex [bold]", "zip # code", "dis\\ease diagnosis"]
    with file.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(names)
        writer.writerows([row % 7, "fm"[row % 2], f"{row % 11:05}", "abc"[row % 3]] for row in range(120))
    policy = tmp_path / "policy.toml"
    assert invoke(["columns", file, "--write", policy]).exit_code == 0
    assert sl.read_policy(policy)
    assert invoke(["audit", file, "--policy", policy]).exit_code == 1
    assert json.loads(invoke(["columns", file, "--json"]).stdout)["answer"]["roles"]["quasi"] == names[:3]
