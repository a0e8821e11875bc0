"""The end of each help page: examples, and the exit statuses.

The examples are commands that work with other names of files and columns; a test parses each of them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

DEBUG_HINT = "--debug with any verb shows where an error comes from."

PAGES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
BAD_INPUT = "2  bad input, or could not tell: one line on standard error says why"

EXAMPLES: dict[str, tuple[str, ...]] = {verb: tuple(page["examples"]) for verb, page in PAGES.items()}
STATUSES: dict[str, tuple[str, ...]] = {
    verb: (*page["statuses"], *(() if page["statuses"][-1].startswith("2") else (BAD_INPUT,)))
    for verb, page in PAGES.items()
}


def epilogue(verb: str) -> str:
    """Return the end of a verb's help page.

    >>> epilogue("demo").splitlines()[:3]
    ['Examples:', '  sidelight demo', '  sidelight demo --folder census']
    """
    examples = ("Examples:", *(f"  {break_command(each)}" for each in EXAMPLES[verb]), "")
    return "\n".join((*examples, "Exit status:", *(f"  {each}" for each in STATUSES[verb]), "", DEBUG_HINT))


def break_command(command: str) -> str:
    r"""Break a long command between options, as a shell accepts it.

    >>> print(break_command("sidelight audit " + "release.csv " * 4 + "--limit 'group size >= 5' --output report.json"))
    sidelight audit release.csv release.csv release.csv release.csv \
          --limit 'group size >= 5' --output report.json
    """
    lines = [""]
    for part in re.split(r" (?=-)", command):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > 70:  # it fits a narrow terminal
            lines.append("")
        lines[-1] = f"{lines[-1]} {part}".lstrip()
    return " \\\n      ".join(lines)
