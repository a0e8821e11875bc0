"""Where an answer goes: to a person, as JSON, to a file, and to no place that something is read from."""

import pytest
from rich.table import Table
from rich.text import Text

from sidelight._progress import quiet
from sidelight.cli.output import Output, bar
from sidelight.errors import SidelightError
from sidelight.report.report import Envelope

DOCUMENT = Envelope(kind="guess", schema_version=1, source="a.csv", answer={"a": 1}, notes=("one",))


def test_people_get_the_page_and_programs_the_json(capsys):
    Output().write(DOCUMENT, [Text("one"), Text("two")])
    assert capsys.readouterr().out == "one\ntwo\n"
    Output(as_json=True).write(DOCUMENT, [Text("one")])
    assert capsys.readouterr().out == DOCUMENT.to_json()


def test_what_is_not_to_be_wrapped_stays_in_one_piece(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    Output().write(DOCUMENT, [Text("to " + "far/" * 20, no_wrap=True), Text("one two three four five")])
    assert capsys.readouterr().out == "to " + "far/" * 20 + "\none two three four \nfive\n"


def test_terminal_escapes_of_a_cell_are_text(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    table = Table()
    table.add_column("age")
    table.add_row(Text("\x1b[31mred\u202e"))
    Output().write(DOCUMENT, [Text("\x1b]8;;http://evil.example\x07Flu", style="bold"), table])
    out = capsys.readouterr().out
    assert "␛]8;;http://evil.exampleFlu" in out
    assert "␛[31mre" in out  # as wide as it seemed to be
    assert "\x1b[1m" in out  # our own style
    assert "\x1b[31m" not in out


def test_a_file_gets_the_json_and_the_page_says_so(tmp_path, capsys):
    file = tmp_path / "[b]answer.json"  # what looks like markup is a name
    Output(file=file).write(DOCUMENT, [Text("one")])
    assert file.read_text() == DOCUMENT.to_json()
    assert capsys.readouterr().out == f"one\nWritten to {file}\n"


def test_a_place_is_refused_before_any_work_is_done(tmp_path):
    policy, data, other = (tmp_path / name for name in ("policy.toml", "data.csv", "other.json"))
    for each in (policy, data, other):
        each.write_text("mine")
    for file in (policy, data):
        with pytest.raises(SidelightError):
            Output(file=file, force=True, inputs=(policy,)).refuse([data])
    with pytest.raises(SidelightError, match="exists"):
        Output(file=other).refuse([data])
    Output(file=other, force=True, inputs=(policy,)).refuse([data])
    Output().refuse([data])


def test_a_bar_is_for_somebody_who_looks():
    with bar("trying") as progress:
        assert progress is quiet
