"""Everything that the README and the documentation show is run, page by page, in an empty working directory.

- a block with a file name (```toml title="policy.toml") is written to that file;
- a ```python block is executed (names live on through the page), or, with >>>, checked as a doctest;
- a ```console block is a session: each `$ command` is run, what it prints must match (… stands for anything);
- what cannot run here (```sh: installing, other machines' files) is read: verbs and options that are not there, and text
  that is not what it is called, fail.
"""

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
from support.command_line import invoke, verbs_of

from sidelight.cli.app import app
from sidelight.policy.limits import read_limit

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "docs" / "notebooks"
"""Pages that are made from notebooks, which `test_notebooks` runs."""
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent != NOTEBOOKS)]
FENCE = re.compile(r"^ *```(\w*)([^\n`]*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"((?:.*\\\n)*.*)\n?((?s:.*))")
"""A command, which goes on after a backslash at the end of its line, and what it prints."""
TITLE = re.compile(r'title="([^"]+)"')
SETTINGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
doctest.ELLIPSIS_MARKER = "..."


class Block(NamedTuple):
    language: str
    title: str | None
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    code_blocks = []
    for fence in FENCE.finditer(page):
        title = TITLE.search(fence[2])
        line = page.count("\n", 0, fence.start(3)) + 1
        code_blocks.append(Block(fence[1], title[1] if title else None, fence[3], line))
    return code_blocks


def runs(block: Block) -> bool:
    return block.title is not None or block.language in ("python", "console")


def run_python(block: Block, names: dict[str, object], page: Path) -> None:
    if ">>>" not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line)
    printed: list[str] = []
    result = doctest.DocTestRunner(optionflags=SETTINGS, verbose=False).run(test, out=printed.append, clear_globs=False)
    names.update(test.globs)
    assert result.failed == 0, "".join(printed)


def run_command(command: str, folder: Path) -> tuple[str, int]:
    """Run a command: ours in this process, as each start of Python takes seconds; what needs a shell in one."""
    place = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "88"}
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    words = [*reader]
    needs_shell = re.search(r"[$`*?~]", command) or any(set(word) <= set("();<>|&") for word in words)
    if words[0] == "sidelight" and not needs_shell:
        with mock.patch.dict(os.environ, place), contextlib.chdir(folder):
            told = invoke(words[1:])
        return told.output, told.exit_code
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=place, check=False, capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode


def run_session(block: Block, folder: Path) -> None:
    status = 0
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, expected = COMMAND.fullmatch(part).groups()
        command = re.sub(r"\\\n\s*", "", command)
        if command == "echo $?":
            output = f"{status}\n"
        else:
            output, status = run_command(command, folder)
            assert expected.strip() or status == 0, f"$ {command}\n{output}"
        if expected.strip():
            expected = expected.replace("…\n", "...\n")
            assert doctest.OutputChecker().check_output(expected.strip() + "\n", output.strip() + "\n", SETTINGS), (
                f"$ {command}\nexpected:\n{expected}\ngot:\n{output}"
            )


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(map(runs, blocks(page.read_text("utf-8"))))], ids=lambda page: page.name
)
def test_everything_shown_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.title:
            (tmp_path / block.title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            run_python(block, names, page)
        elif block.language == "console":
            run_session(block, tmp_path)


COMMANDS = {"", "sh"}
"""Blocks of lines for a shell, which are not run."""
OTHER_TOOLS = {"java", "py", "r", "sql"}
"""Code for tools that are not here."""


def read_commands(text: str) -> None:
    """Every command of ours has its verb and its options."""
    verbs = verbs_of(app)
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        words = shlex.split(line, comments=True)
        if not words or words[0] != "sidelight" or "[OPTIONS]" in words:
            continue
        name = next((name for name in (" ".join(words[1:3]), *words[1:2]) if name in verbs), None)
        if name is None:
            assert words[1] in ("--version", "--help"), line
            continue
        options = {
            flag for option in verbs[name].assemble_argument_collection().filter_by(parse=True) for flag in option.names
        }
        unknown = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} - options - {"--help"}
        assert not unknown, line


def read_block(block: Block) -> None:
    """A block that is not run is what it is called: commands that are there, limits, Python or TOML that can be read."""
    if block.language in COMMANDS:
        read_commands(block.text)
    elif block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "text" and "sl." in block.text:
        compile(block.text, "a page", "exec")
    elif block.language == "text" and block.text.startswith("sidelight"):
        read_commands(block.text)
    elif block.language == "text":
        assert [read_limit(line) for line in block.text.splitlines()]
    else:
        assert block.language in OTHER_TOOLS, f"{block.language} is neither run nor read: line {block.line}"


def test_what_is_shown_and_not_run_can_be_read():
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8")):
            if not runs(block):
                read_block(block)


def test_no_fence_escapes():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(r"^ *```", text, flags=re.MULTILINE)) == 2 * len(blocks(text)), page


def test_the_reader_notices():
    with pytest.raises(AssertionError, match="no-such-verb"):
        read_commands("sidelight no-such-verb\n")
    with pytest.raises(AssertionError, match="--gruop"):
        read_commands("sidelight audit file.csv \\\n    --gruop age\n")
    with pytest.raises(AssertionError, match="neither run nor read"):
        read_block(Block("yaml", None, "a: 1\n", 1))


def test_the_runner_notices(tmp_path):
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", None, ">>> 1 + 1\n3\n", 1), {}, tmp_path / "page.md")
    with pytest.raises(ZeroDivisionError):
        run_python(Block("python", None, "1 / 0\n", 1), {}, tmp_path / "page.md")
    with pytest.raises(AssertionError, match="expected:"):
        run_session(Block("console", None, "$ echo one\ntwo\n", 1), tmp_path)
    with pytest.raises(AssertionError):
        run_session(Block("console", None, "$ false\n", 1), tmp_path)
    run_session(Block("console", None, "$ false\n...\n$ echo $?\n1\n", 1), tmp_path)
    run_session(Block("console", None, "$ echo one \\\n    two\none two\n", 1), tmp_path)
