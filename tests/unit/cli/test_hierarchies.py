import json

import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl

NHEFS = sl.datasets.nhefs().path


def test_a_file_for_each_column_that_protect_then_takes(tmp_path):
    folder = tmp_path / "hierarchies"
    words = ["hierarchies", NHEFS, "-g", "age", "-g", "sex", "--cuts", "age=35,50,65", "--cuts", "age=50", "-o", folder]
    drafted = invoke(words)
    assert (drafted.exit_code, sorted(each.name for each in folder.iterdir())) == (0, ["age.csv", "sex.csv"])
    assert "cut at 35, 50, 65; then 50" in " ".join(drafted.stdout.split())
    assert sl.read_hierarchies(folder)["age"].labels(2) == ("<50", "50+")


def test_all_columns_but_those_with_another_role(tmp_path):
    drafted = invoke(["hierarchies", NHEFS, "-s", "condition", "--person", "person", "-o", tmp_path / "h", "--json"])
    document = json.loads(drafted.stdout)
    assert (document["kind"], document["source"]) == ("hierarchies", str(NHEFS))
    assert list(document["answer"]) == ["age", "sex", "race", "marital", "education", "income", "birthplace"]
    assert document["answer"]["sex"]["levels"] == [["*"]]


def test_a_tree_from_a_file_for_the_sensitive_column(tmp_path):
    tree = {"Lungs": ["Asthma"], "Other": [each for each in sl.datasets.nhefs().table.domain if each != "Asthma"]}
    (tmp_path / "tree.json").write_text(json.dumps(tree))
    words = ["hierarchies", NHEFS, "-g", "sex", "--tree", f"condition={tmp_path / 'tree.json'}", "-o", tmp_path / "h"]
    assert invoke(words).exit_code == 0
    assert sl.read_hierarchies(tmp_path / "h")["condition"].labels(1) == ("Lungs", "Other")


def test_several_sensitive_columns_and_those_carried_along_get_no_draft(tmp_path):
    others = ["-s", "condition", "-s", "income", "--keep", "marital", "--weight", "age", "--person", "person"]
    drafted = invoke(["hierarchies", NHEFS, *others, "-o", tmp_path / "h", "--json"])
    assert list(json.loads(drafted.stdout)["answer"]) == ["sex", "race", "education", "birthplace"]


def test_a_tree_for_cells_of_several_values(tmp_path):
    (tmp_path / "people.csv").write_text("sex,ill\nf,Flu|Asthma\nm,Flu\n")
    (tmp_path / "tree.json").write_text(json.dumps({"Lungs": ["Asthma"], "Other": ["Flu"]}))
    words = ["-s", "ill", "--values", "set", "--split", "|", "--tree", f"ill={tmp_path / 'tree.json'}"]
    assert invoke(["hierarchies", tmp_path / "people.csv", *words, "-o", tmp_path / "h"]).exit_code == 0
    assert sl.read_hierarchies(tmp_path / "h")["ill"].labels(0) == ("Asthma", "Flu")


def test_numbers_may_be_codes_and_somebody_is_asked(tmp_path):
    words = [
        "hierarchies",
        NHEFS,
        "-g",
        "age",
        "-g",
        "birthplace",
        "--widths",
        "age=5",
        "-o",
        tmp_path / "h",
        "--force",
    ]
    told = " ".join(invoke(words).stdout.split())
    assert mentions(told, "birthplace", "taken for numbers", "codes", "--kind 'birthplace=category'")
    assert "taken for numbers" not in invoke([*words, "--kind", "birthplace=category"]).stdout


def test_files_that_exist_are_kept(tmp_path):
    words = ["hierarchies", NHEFS, "-g", "sex", "-o", tmp_path]
    (tmp_path / "sex.csv").write_text("mine")
    refused = invoke(words)
    assert (refused.exit_code, (tmp_path / "sex.csv").read_text()) == (2, "mine")
    assert invoke([*words, "--force"]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cuts", "age"], "cannot read --cuts 'age'"),
        (["--cuts", "age=x"], "cannot read --cuts 'x'; give numbers"),
        (["-g", "agee"], "no column 'agee'"),
        (["--top", "agee=3"], "no column 'agee'"),
        (["--tree", "age=gone.json"], "cannot read the tree 'gone.json'"),
    ],
)
def test_what_cannot_be_drafted(tmp_path, words, message):
    refused = invoke(["hierarchies", NHEFS, *words, "-o", tmp_path / "h"])
    assert (refused.exit_code, message in refused.stderr, (tmp_path / "h").exists()) == (2, True, False)


def test_a_folder_that_is_there_and_was_named_gets_the_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert invoke(["hierarchies", NHEFS, "-g", "sex", "-o", "."]).exit_code == 0
    assert [each.name for each in tmp_path.iterdir()] == ["sex.csv"]
