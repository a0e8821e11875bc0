"""Answers that were drawn for the terminal become pages, part by part."""

import shlex

import pytest
from rich.console import Group
from rich.table import Table
from rich.text import Text
from support.command_line import invoke, verbs_of

from sidelight.cli.answer_page import answer_page
from sidelight.cli.app import app
from sidelight.cli.run import Output
from sidelight.documents.document import Envelope
from sidelight.errors import SidelightError
from sidelight.report.page import Code, Grid, Paragraph, Picture, Points
from sidelight.report.terminal import sentences

DOCUMENT = Envelope(kind="columns", schema_version=1, source=("a.csv", "b.csv"), answer={}, notes=())


def page_of(*parts):
    return answer_page(DOCUMENT, parts, "sidelight columns a.csv")


def test_the_question_stands_first_and_the_command_last():
    page = page_of(Text("Nobody is given away."))
    assert (page.title, page.subtitle) == ("Which columns identify people?", "a.csv, b.csv")
    assert page.opening == (Paragraph("Nobody is given away."),)
    command, python = page.sections[-1].blocks
    assert command == Code("sidelight columns a.csv", "On the command line", "sh")
    assert python.text.splitlines()[-1] == "print(sl.suggest_roles('a.csv'))"


def test_bold_lines_are_titles_and_bullets_are_lists():
    page = page_of(Text("First"), *sentences("Notes", ["one", "two"]))
    assert page.sections[0].title == "Notes"
    assert page.sections[0].blocks == (Points(("one", "two")),)


def test_tables_keep_their_headings_and_figures():
    table = Table(title="Sizes")
    table.add_column("name")
    table.add_column("people", justify="right")
    table.add_row("[not markup", Text("1,200"))
    (grid,) = page_of(Group(table)).opening
    assert grid == Grid(("name", "people"), (("[not markup", "1,200"),), title="Sizes", figures=frozenset({1}))


def test_verdicts_are_answers_and_paths_stay_in_one_piece():
    verdict, path = page_of(Text("✓ Within policy", style="bold green"), Text("a/b", no_wrap=True)).opening
    assert verdict == Paragraph("✓ Within policy", "answer")
    assert path == Code("a/b")


def test_the_sentence_that_answers_stands_before_the_pictures_and_those_before_tables():
    from sidelight.release.release import Release  # noqa: PLC0415

    table = Table("name")
    table.add_row("a.csv")
    document = DOCUMENT.model_copy(update={"notes": ("Nobody is given away.", "Rounded.")})
    release = Release.from_counts([{"Flu": 6, "Cold": 5}])
    parts = [table, Text("Nobody is given away."), Text("Rounded.")]
    page = answer_page(document, parts, "sidelight attack a.csv", lambda: [release.plot()])
    assert [type(block) for block in page.opening] == [Paragraph, Picture, Grid, Paragraph]
    assert page.opening[0] == Paragraph("Nobody is given away.", "answer")


def test_what_cannot_be_drawn_is_left_out():
    def charts():
        message = "there is nothing to draw"
        raise SidelightError(message)

    page = answer_page(DOCUMENT, [Text("Nobody.")], "sidelight attack a.csv", charts)
    assert page.opening == (Paragraph("Nobody."),)


def test_what_is_told_on_the_terminal_alone_stands_in_no_page(tmp_path, capsys):
    output = Output(html=tmp_path / "a.html", markdown=tmp_path / "a.md")
    output.write(DOCUMENT, [Text("public")], here_alone=[Text("Ann and Bob")])
    assert "Ann and Bob" in capsys.readouterr().out
    for name in ("a.html", "a.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "public" in text
        assert "Ann and Bob" not in text


WITHOUT = {"demo", "serve", "hierarchies", "policy-schema", "report-schema", "release-report-schema", "sidecar-schema"}
"""Verbs that answer nothing."""


@pytest.mark.parametrize("verb", sorted(set(verbs_of(app)) - WITHOUT))
def test_every_verb_that_answers_has_pages(verb):
    names = {name for argument in verbs_of(app)[verb].assemble_argument_collection() for name in argument.names}
    assert {"--html", "--markdown"} <= names


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("verbs")
    rows = "".join(f"{20 + number % 4 * 10},{('Flu', 'Cold', 'Gout')[number % 3]}\n" for number in range(60))
    for name in ("a.csv", "b.csv", "people.csv"):
        (made / name).write_text(f"age,disease\n{rows}")
    (made / "hierarchies").mkdir()
    (made / "hierarchies" / "age.csv").write_text(
        "".join(f"{age};{'young' if age < 40 else 'old'};*\n" for age in (20, 30, 40, 50))
    )
    return made


ROLES = "-g age -s disease"
COMMANDS = {
    "audit": f"audit a.csv {ROLES}",
    "columns": "columns a.csv --quasi age -s disease",
    "explore": f"explore a.csv {ROLES} --value Flu",
    "protect": f"protect a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 20'",
    "compare": f"compare a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 20' --method lattice",
    "nothing": f"compare a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 900' --method lattice",
    "generalisations": f"generalisations a.csv {ROLES} --person 'each row' --hierarchies hierarchies -m 'group size'",
    "believe": f"believe a.csv {ROLES} --know '{{age = 20}} != Flu' --about '{{age = 20}}'",
    "attack": "attack a.csv b.csv --people people.csv -g age -s disease",
    "learner": f"attack a.csv --as learner {ROLES.replace('-g', '--quasi')}",
    "promise": "promise --epsilon 1",
    "ledger": "ledger begin budget.json --epsilon 3",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_answers_are_drawn(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    result = invoke([*shlex.split(COMMANDS[name]), "--html", f"{name}.html", "--markdown", f"{name}.md"])
    assert result.exit_code == (1 if name == "nothing" else 0), result.stderr
    page = (folder / f"{name}.html").read_text(encoding="utf-8")
    assert page.count("<h1") == 1
    assert "sidelight " in page
    assert len(page) < 200_000
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert ("<svg" in page) == (name not in ("ledger", "believe", "generalisations", "nothing"))
    if name not in ("ledger", "audit", "protect", "nothing"):
        exec(text.rpartition("```python")[2].partition("```")[0], {})
