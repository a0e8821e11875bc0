"""How the command line ends: with a status, and with one line when something is wrong."""

import shlex
import subprocess
import sys
from typing import Any, ClassVar

import pytest
from cyclopts import App
from rich.text import Text
from support.command_line import invoke
from support.words import mentions

from sidelight.answers.request import Request
from sidelight.cli.run import Output, bar, show_waiting
from sidelight.errors import BadTable, SidelightError
from sidelight.progress import quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Block, Blocks, Code, Grid, PageSection, Paragraph

SIDELIGHT = [sys.executable, "-m", "sidelight"]


def run(*args, **options):
    return subprocess.run([*SIDELIGHT, *args], capture_output=True, text=True, check=False, **options)


def command_line():
    """An empty command line that treats errors as ours does."""
    return App(name="sidelight", result_action="return_value", exit_on_error=False, print_error=False,
               suppress_keyboard_interrupt=False)  # fmt: skip


def failing(error):
    """A command line whose one verb fails."""
    verbs = command_line()

    @verbs.command
    def fail():
        raise error

    return invoke(["fail"], verbs), invoke(["fail", "--debug"], verbs)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["audit"], ("missing argument 'RELEASE'",)),
        (["audt"], ("no verb 'audt'",)),
        (["audit", "x.csv", "--grup", "age"], ("no option '--grup'", "mean '--group'")),
        (["protect", "x.csv", "--outptu", "y.csv"], ("no option '--outptu'", "mean '--output'")),
        (["--verbos"], ("no option '--verbos'", "mean '--version'")),
        (["attack", "x.csv"], ("missing option '--people'",)),
        (["audit", "x.csv", "--json=yes please"], ("invalid value for '--json'", "takes none")),
        (["audit", "x.csv", "-p", "a.toml", "-p", "b.toml"], ("option '-p'", "twice")),
        (
            ["explore", "x.csv", "--up-to", "-1", "--value", "a"],
            ("invalid value for '--up-to'", "at least 0"),
        ),
        (["audit", "x.csv", "--values", "sets"], ("invalid value for '--values'", "'sets'", "not", "'single', 'set'")),
        (["explore", "x.csv", "--up-to", "far", "--value", "a"], ("invalid value for '--up-to'", "whole number")),
        (["explore", "x.csv", "--up-to", "1.5", "--value", "a"], ("invalid value for '--up-to'", "whole number")),
        (["explore", "x.csv", "--up-to", "0x10", "--value", "a"], ("invalid value for '--up-to'", "whole number")),
        (["protect", "x.csv", "--suppress", "few", "-o", "y.csv"], ("invalid value for '--suppress'", "number")),
        (["audit", "x.csv", "y.csv", "z.csv"], ("'y.csv z.csv'",)),
        (["audit", "x.csv", "--policy"], ("option '--policy'", "requires an argument")),
    ],
)
def test_usage_errors_are_one_line_and_status_2(args, said):
    result = run(*args)
    assert (result.returncode, result.stdout) == (2, "")
    assert mentions(result.stderr, "sidelight:", *said)
    assert result.stderr.rstrip().endswith("--help'")
    assert result.stderr.count("\n") == 1


def test_after_two_hyphens_every_word_is_a_file(tmp_path):
    for name in ("-x.csv", "--y.csv"):
        (tmp_path / name).write_text("age,disease\n1,Flu\n1,Cold\n")
        result = run("audit", "--group", "age", "--sensitive", "disease", "--limit", "group size >= 2", "--", name,
                     cwd=tmp_path)  # fmt: skip
        assert (result.returncode, result.stderr) == (0, "")
        assert mentions(result.stdout, "2 people in 1 group", "age")
    assert "no option '-x.csv'" in run("audit", "-x.csv", "--group", "age", cwd=tmp_path).stderr


def test_without_a_verb_help_is_shown_and_nothing_is_judged():
    result = run()
    assert (result.returncode, result.stdout) == (2, "")
    assert "audit" in result.stderr
    assert "sidelight:" not in result.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BadTable("no such thing"), ("no such thing",)),
        (FileNotFoundError(2, "No such file", "x.csv"), ("'x.csv'", "No such file")),
        (MemoryError(), ("not enough memory", "fewer columns", "smaller file")),
        (
            ValueError("private: Bob has Flu"),
            ("should not have happened", "ValueError", "--debug", "report"),
        ),
    ],
)
def test_errors_are_one_line_and_debug_shows_where(error, said):
    plain, debug = failing(error)
    assert (plain.exit_code, plain.stdout, plain.stderr.count("\n")) == (2, "", 1)
    assert mentions(plain.stderr, "sidelight:", *said)
    assert "private" not in plain.stderr
    assert debug.exit_code == 2
    assert "Traceback" in debug.stderr
    assert debug.stderr.endswith(plain.stderr)


@pytest.mark.parametrize(
    ("said", "line"),
    [((), "nothing unfinished"), (("nothing was published",), "nothing was published")],
)
def test_an_interrupt_is_one_line(said, line):
    result, _ = failing(KeyboardInterrupt(*said))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (130, "", 1)
    assert mentions(result.stderr, "sidelight: interrupted", line)


def test_a_reader_who_leaves_learns_nothing():
    command = " ".join([f"'{part}'" for part in [*SIDELIGHT, "policy-schema"]])
    script = f"{command} | exec true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("2\n", "")


class Guess(Answer[dict[str, Any]]):
    """Blocks as they are given."""

    question: ClassVar[str] = "What is it?"

    parts: Live[tuple[Block, ...]]
    secret: Live[str] = ""

    def blocks(self) -> Blocks:
        """Yield the parts."""
        yield from self.parts

    def private_blocks(self) -> Blocks:
        """Yield the secret."""
        if self.secret:
            yield Paragraph(self.secret)


def guess(*parts, secret=""):
    return Guess(kind="guess", schema_version=1, source="a.csv", answer={"a": 1}, parts=parts, secret=secret)


def test_people_get_the_page_and_programs_the_json(capsys):
    answer = guess(Paragraph("one"), Paragraph("two"))
    Output().deliver(answer, Request())
    assert capsys.readouterr().out == "one\ntwo\n"
    Output(json=True).deliver(answer, Request())
    assert capsys.readouterr().out == answer.to_json()


def test_what_is_not_to_be_wrapped_stays_in_one_piece(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    Output().deliver(guess(Code("to " + "far/" * 20), Paragraph("one two three four five")), Request())
    assert capsys.readouterr().out == "to " + "far/" * 20 + "\none two three four \nfive\n"


def test_terminal_escapes_of_a_cell_are_text(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    section = PageSection("\x1b]8;;http://evil.example\x07Flu", (Grid(("age",), (("\x1b[31mred\u202e",),)),))
    Output().deliver(guess(section), Request())
    out = capsys.readouterr().out
    assert "␛]8;;http://evil.exampleFlu" in out
    assert "␛[31mre" in out  # as wide as it seemed to be
    assert "\x1b[1m" in out  # our own style
    assert "\x1b[31m" not in out


def test_a_file_gets_the_json_and_the_page_says_so(tmp_path, capsys):
    file = tmp_path / "[b]answer.json"  # what looks like markup is a name
    answer = guess(Paragraph("one"))
    Output(output=file).deliver(answer, Request())
    assert file.read_text() == answer.to_json()
    assert capsys.readouterr().out == f"one\nWritten to {file}\n"


def test_what_is_told_on_the_terminal_alone_stands_in_no_page(tmp_path, capsys):
    output = Output(html=tmp_path / "a.html", markdown=tmp_path / "a.md")
    output.deliver(guess(Paragraph("public"), secret="Ann and Bob"), Request())
    assert "Ann and Bob" in capsys.readouterr().out
    for name in ("a.html", "a.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "public" in text
        assert "Ann and Bob" not in text


def test_a_place_is_refused_before_any_work_is_done(tmp_path):
    policy, data, other = (tmp_path / name for name in ("policy.toml", "data.csv", "other.json"))
    for each in (policy, data, other):
        each.write_text("mine")
    for file in (policy, data):
        with pytest.raises(SidelightError):
            Output(output=file, force=True).refuse([data, policy])
    with pytest.raises(SidelightError, match="exists"):
        Output(output=other).refuse([data])
    Output(output=other, force=True).refuse([data, policy])
    Output().refuse([data])


def test_a_bar_is_for_somebody_who_looks():
    with bar("trying") as progress:
        assert progress is quiet


IN_LOOPS = [
    "protect people.csv -q age -s disease --limit 'group size >= 2' -o",
    "audit people.csv -g age -s disease --html",
    "audit people.csv -g age -s disease --markdown",
    "audit people.csv -g age -s disease --output",
    "audit",
    "report people.csv -g age -s disease -o",
    "columns people.csv --write",
    "columns people.csv --hierarchies",
    "hierarchies people.csv -o",
    "ledger begin --epsilon 1",
    "ledger show",
    "ledger spent",
    "attack people.csv --people",
]


@pytest.mark.parametrize("words", IN_LOOPS)
@pytest.mark.parametrize("name", ["loop", "loop/x.csv"])
def test_links_that_lead_in_a_circle_are_told_in_one_line(words, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "people.csv").write_text("age,disease\n30,Flu\n30,Cold\n")
    answer = invoke([*shlex.split(words), name])
    assert answer.exit_code == 2
    assert mentions(answer.stderr, f"sidelight: '{name}'", "circle of links")
    assert answer.stderr.count("\n") == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["loop", "people.csv"]


@pytest.mark.parametrize(
    "words",
    [
        ["hierarchies", "people.csv", "-o", ""],
        ["hierarchies", "people.csv", "--output="],
        ["columns", "people.csv", "--hierarchies", ""],
        ["columns", "people.csv", "-w", ""],
        ["audit", "people.csv", "-g", "age", "-s", "disease", "--html="],
        ["demo", "--folder", ""],
    ],
)
def test_an_empty_name_is_not_the_current_folder(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,disease\n30,Flu\n30,Cold\n")
    answer = invoke(words)
    option = words[-1].rstrip("=") or words[-2]
    assert answer.exit_code == 2
    assert mentions(answer.stderr, "sidelight:", option, "empty")
    assert answer.stderr.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["people.csv"]


def test_an_option_without_its_name_is_told_as_before():
    assert "requires an argument" in invoke(["audit", "x.csv", "--hierarchies"]).stderr


def test_what_is_waited_for_is_shown_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with show_waiting("access to ward.patients"):
        pass
    assert "waiting for access to ward.patients" in Text.from_ansi(capsys.readouterr().err).plain


def test_what_is_waited_for_stands_in_no_other_bars_way(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with bar("trying"), show_waiting("access to ward.patients"):
        pass
