"""Write what a long check found into its section of docs/trust.md: the only way in which figures get onto that page.

A section stands between `<!-- name -->` and `<!-- /name -->`; all else on the page is left as it is, byte by byte.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import subprocess
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "trust.md"
SECTIONS = ("mutants", "fuzz", "faults", "leaks", "load")


def write_section(name: str, markdown: str, *, page: Path = PAGE) -> None:
    """Replace one section by `markdown`, under a line that says when and on which code it was found.

    Writing the same twice gives the same page.
    """
    before, _, after = _split(page.read_text(encoding="utf-8"), name)
    if re.search(r"<!-- /?\w+ -->", markdown):
        message = f"the text of section {name!r} has a marker of the page in it"
        raise ValueError(message)
    heading = f"`make verify WHAT={name}`, {circumstances()}"
    page.write_text(f"{before}\n{heading}\n\n{markdown.strip()}\n{after}", encoding="utf-8")


def read_section(name: str, *, page: Path = PAGE) -> str:
    """Read what stands in a section."""
    return _split(page.read_text(encoding="utf-8"), name)[1].strip()


def _split(text: str, name: str) -> tuple[str, str, str]:
    """Cut a page at the markers of a section, which belong to what is around it."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if (text.count(begin), text.count(end)) != (1, 1) or text.index(begin) > text.index(end):
        message = f"the page needs {begin} and after it {end}, each once"
        raise ValueError(message)
    before, _, rest = text.partition(begin)
    section, _, after = rest.partition(end)
    return before + begin, section, end + after


def circumstances() -> str:
    """The day, the commit (with + where files were changed since), and the Python of this run."""
    day = dt.datetime.now(tz=dt.UTC).date().isoformat()
    return f"{day}, commit {_commit()}, Python {platform.python_version()}, {os.cpu_count()} cores:"


def _commit() -> str:
    words = ["git", "describe", "--always", "--abbrev=8", "--exclude=*", "--dirty=+"]
    told = subprocess.run(words, cwd=PAGE.parent, check=False, capture_output=True, text=True)
    return f"`{told.stdout.strip()}`" if told.returncode == 0 else "unknown"
