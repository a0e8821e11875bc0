"""No error shows a person's row, a long cell, or what would move a terminal, whatever the verb and its file."""

import pytest
from support.command_line import invoke

from sidelight.errors import SidelightError, did_you_mean, listed

ROWS = [("Zorrilla", "Quentin", "Featherstone", "Kuru"), ("Ypsilanti", "Ulla", "Gateshead", "Yaws")]
"""Cells that no message has a reason to hold."""

CELLS = [cell for row in ROWS for cell in row]
FILE = "people.csv"
TYPOS = ["zorilla", "Quentyn", "gatehead", "sex", "kuruu"]
VERBS = [
    ("audit", FILE),
    ("audit", FILE, "--group", "{}", "--sensitive", "disease"),
    ("audit", FILE, "--group", "city", "--sensitive", "{}"),
    ("columns", FILE, "--group", "{}"),
    ("columns", FILE, "--sensitive", "{}"),
    ("hierarchies", FILE, "--group", "{}", "-o", "hierarchies"),
    ("count", FILE, "--group", "{}", "--sensitive", "disease"),
    ("protect", FILE, "-o", "out.csv", "--group", "{}", "--sensitive", "disease", "--limit", "group size >= 2"),
    ("noise", FILE, "-o", "out.csv", "--group", "{}", "--sensitive", "disease", "--epsilon", "1"),
    ("serve", FILE, "--group", "{}", "--no-browser"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_file_without_names_keeps_its_first_row(folder, words):
    (folder / FILE).write_text("\n".join(map(",".join, ROWS * 3)) + "\n")
    (folder / "names.tsv").write_text("\n".join(map("\t".join, ROWS)) + "\n")
    for typo in TYPOS if "{}" in words else TYPOS[:1]:
        for file in (FILE, "names.tsv"):
            result = invoke([file if word == FILE else word.format(typo) for word in words])
            assert result.exit_code == 2, result.output
            assert result.output.count("\n") == 1
            assert not any(cell in result.output for cell in CELLS)


LONE = "town,street,disease,weight\n" + "Ulm,Elm,Flu,3\nUlm,Elm,Cold,3\n" * 2 + "Zorrilla,Quentin,Kuru,0.5\n"
"""Four people alike, and one who is alone in a group."""


@pytest.mark.parametrize(
    "words",
    [
        ("audit", FILE, "--limit", "journalist risk <= 1/2", "--population", "register.csv"),
        ("audit", FILE, "--limit", "presence <= 1/2", "--population", "register.csv", "--memory", "1GB"),
        ("audit", FILE, "--limit", "individual risk <= 1/2", "--weight", "weight"),
        ("protect", FILE, "--limit", "journalist risk <= 1/2", "--population", "register.csv", "--method", "mondrian"),
        ("attack", FILE, "--as", "learner", "--table", "register.csv"),
        ("attack", FILE, "--as", "insider", "--method", "mondrian", "--table", FILE, "--limit", "group size >= 3"),
    ],
    ids=" ".join,
)
def test_an_error_about_a_group_of_one_tells_no_two_cells_of_that_person(folder, words):
    (folder / FILE).write_text(LONE)
    (folder / "register.csv").write_text("town,street,disease\n" + "Ulm,Elm,Flu\nUlm,Elm,Cold\n" * 2)
    result = invoke([*words, "--group", "town", "--group", "street", "--sensitive", "disease"])
    assert result.exit_code == 2, result.output
    assert "of those alike in town, street" in result.output
    assert not any(cell in result.output for cell in ("Zorrilla", "Quentin", "Kuru"))


ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\b\r"


@pytest.mark.parametrize(
    "words",
    [
        ("audit", FILE, "--group", "city", "--sensitive", "disease", "--limit", "group size >= 9"),
        ("audit", FILE, "--group", "city", "--sensitive", "disease", "--debug"),
        ("audit", FILE, "--group", f"ci{ESCAPES}", "--sensitive", "disease"),
        ("columns", FILE),
        ("count", FILE, "--group", "city", "--sensitive", "disease"),
        ("audit", FILE, "--group", "city", "--sensitive", "disease", "--limit", f"knowing 1 about {ESCAPES}x < 1"),
        ("believe", FILE, "P(x)=2", "--group", "city", "--sensitive", "disease", "--debug"),
        (f"{ESCAPES}x", FILE),
        ("audit", f"{ESCAPES}x.csv"),
    ],
    ids=str,
)
def test_escapes_in_cells_names_and_words_never_reach_the_terminal(folder, words):
    (folder / FILE).write_text(f"city{ESCAPES}x,city,disease\n" + f'a,"Bo{ESCAPES}nn","Fl{ESCAPES}u"\n' * 2, newline="")
    output = invoke(words).output
    assert output
    assert [letter for letter in output if not letter.isprintable() and letter != "\n"] == []


def test_what_is_quoted_or_listed_is_cut():
    long = "came in with a cough " * 1000
    for message in (
        f"no value '{long}'",
        f"no value 'x'{did_you_mean('came in with a cough', [long])}",
        listed([long]),
    ):
        assert len(str(SidelightError(message))) < 300
    assert str(SidelightError(f"'{'x' * 200}' is short")) == f"'{'x' * 200}' is short"


def test_an_error_of_python_shows_no_escapes_either():
    assert str(SidelightError(f"no column '{ESCAPES}'")).isprintable()
