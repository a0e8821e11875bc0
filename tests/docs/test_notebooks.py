"""The notebooks run, and their pages show what they show."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_notebooks_run_and_their_pages_show_it():
    pytest.importorskip("marimo")
    command = [sys.executable, str(ROOT / "scripts" / "notebooks.py"), "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_notebook_is_in_the_gallery():
    gallery = (ROOT / "docs" / "notebooks" / "index.md").read_text(encoding="utf-8")
    names = [path.stem.replace("_", "-") for path in (ROOT / "notebooks").glob("*.py")]
    assert len(names) == 5
    assert [name for name in names if f"]({name}.md)" not in gallery] == []
