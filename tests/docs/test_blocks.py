"""Everything that the README and the documentation show is run, page by page, in an empty working directory.

- a block with a file name (```toml title="policy.toml") is written to that file;
- a ```python block is executed (names live on through the page), or, with >>>, checked as a doctest;
- a ```console block is a session: each `$ command` is run, what it prints must match (… stands for anything).
"""

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
from support.command_line import invoke

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
        command, _, expected = part.partition("\n")
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
