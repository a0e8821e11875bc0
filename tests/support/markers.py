"""A table with words and numbers in it that occur nowhere else, and where they may stand once it was worked with.

`MAY_STAND` is the promise, as data: `tests/trust/test_leaks.py` holds every verb and every page to it, and
`docs/trust.md` prints it.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pyarrow.parquet as pq

Kind = Literal[
    "an identifier",
    "a cell of a column without a role",
    "the name of a column without a role",
    "a label of somebody who is left out",
    "a sensitive value of those who are left out",
    "several cells of one row",
    "the folder of the table",
    "a digest of the table",
    "a digest of an identifier",
]
Place = Literal[
    "published", "noise and ledgers", "answers on the table", "answers on the release", "errors", "children"
]

PLACES: dict[Place, str] = {
    "published": "release, sidecar, dictionary",
    "noise and ledgers": "noise, ledgers",
    "answers on the table": "answers about the table",
    "answers on the release": "answers about a release, reports",
    "errors": "errors, `--debug`, progress",
    "children": "arguments of other programs",
}

MAY_STAND: dict[Kind, dict[Place, str]] = {
    "an identifier": {},
    "a cell of a column without a role": {},
    "the name of a column without a role": {
        "noise and ledgers": "on the terminal",
        "answers on the table": "yes",
        "answers on the release": "yes",
        "errors": "yes",
    },
    "a label of somebody who is left out": {"answers on the table": "as a group", "errors": "alone"},
    "a sensitive value of those who are left out": {"answers on the table": "as a group", "errors": "alone"},
    "several cells of one row": {"answers on the table": "as a group"},
    "the folder of the table": {},
    "a digest of the table": {"answers on the table": "in reports", "answers on the release": "in reports"},
    "a digest of an identifier": {},
}
"""Where each kind of marker may stand, and how; nowhere else."""

NOTES = """
Answers are what goes to the terminal, JSON, HTML, Markdown, PDF, pictures and the page of `sidelight serve`. *As a group*: an audit names the
group that is worst off, which may be one person; *alone*: an error names a label that has to be mended, never with others of its row. Words
that you typed are not counted. Who asks about single people is told about them: `attack --as … --table` by what is known of them, `attack
--who` likewise, `explore --people --name` by their names, on the terminal alone. Methods that leave nobody out print what is rare, within the
limits. Temporary files are gone afterwards, and are their owner's alone meanwhile (0600, in folders 0700) under any umask; those that DuckDB
spills have the rights of new files, in such a folder.
"""

IDENTIFIER, CELL, NUMBER = 73_000_000, "zqcell", 91_000_000
LABEL, AGE, VALUE, COLUMN, FOLDER = "zqlabel", 13_579, "zqvalue", "zqcolumn", "zqfolder"
ALONE = f"{IDENTIFIER + 999},{CELL}999,{NUMBER + 999},{AGE},f,{LABEL},{VALUE}"
"""Somebody whom any limit leaves out."""

POLICY = """
[roles]
quasi = ["age", "sex", "zip"]
sensitive = "disease"
person = "patient"

[[limit]]
measure = "group size"
at_least = 3
"""


def write_marked(folder: Path) -> None:
    """Write the table as CSV and Parquet, its hierarchies and its policy: 240 people, and the one who is alone."""
    lines = [f"patient,{COLUMN},pay,age,sex,zip,disease"]
    for n in range(240):
        known = f"{20 + n // 6 % 4 * 10},{'fm'[n % 2]},14{n % 3}"
        lines.append(
            f"{IDENTIFIER + 3 * n},{CELL}{n:03},{NUMBER + 3 * n},{known},{('Flu', 'Cold', 'Gout')[n // 24 % 3]}"
        )
    (folder / "people.csv").write_text("\n".join([*lines, ALONE]) + "\n")
    (folder / "policy.toml").write_text(POLICY)
    (folder / "levels").mkdir()
    ages = (20, 30, 40, 50, AGE)
    (folder / "levels" / "age.csv").write_text("".join(f"{age};{'20-39' if age < 40 else '40+'};*\n" for age in ages))
    (folder / "levels" / "sex.csv").write_text("f;*\nm;*\n")
    (folder / "levels" / "zip.csv").write_text("".join(f"{each};*\n" for each in ("140", "141", "142", LABEL)))


def _digests(*hidden: bytes) -> re.Pattern[str]:
    digests = [hashlib.new(name, each).hexdigest() for each in hidden for name in ("md5", "sha1", "sha256")]
    return re.compile("|".join(digests), re.IGNORECASE)


class Markers:
    """Finds markers in whatever was written."""

    def __init__(self, folder: Path) -> None:
        identifiers = (str(IDENTIFIER + at).encode() for at in (0, 3, 999))
        self._patterns: dict[Kind, re.Pattern[str]] = {
            "an identifier": re.compile(r"73[,_ ]?000[,_ ]?\d{3}"),
            "a cell of a column without a role": re.compile(rf"{CELL}|91[,_ ]?000[,_ ]?\d{{3}}", re.IGNORECASE),
            "the name of a column without a role": re.compile(COLUMN, re.IGNORECASE),
            "a label of somebody who is left out": re.compile(rf"{LABEL}|13[,_ ]?579\b", re.IGNORECASE),
            "a sensitive value of those who are left out": re.compile(VALUE, re.IGNORECASE),
            "the folder of the table": re.compile(FOLDER, re.IGNORECASE),
            "a digest of the table": _digests((folder / "people.csv").read_bytes()),
            "a digest of an identifier": _digests(*identifiers),
        }

    def of_text(self, text: str) -> set[Kind]:
        """Give the kinds of markers that stand in a text."""
        found = {kind for kind, pattern in self._patterns.items() if pattern.search(text)}
        cells = [LABEL in text, re.search(r"13,?579\b", text) is not None, VALUE in text]
        return found | ({"several cells of one row"} if sum(cells) > 1 else set())

    def of_bytes(self, content: bytes, ending: str = "") -> set[Kind]:
        """Give the kinds of markers that stand in a file, also where it is packed."""
        return set().union(*(self.of_text(text) for text in _texts(content, ending)))


def _texts(content: bytes, ending: str) -> Iterator[str]:
    yield content.decode("utf-8", "replace")
    if ending == ".parquet":
        file = pq.ParquetFile(io.BytesIO(content))
        yield "\n".join(map(str, (file.read().to_pylist(), file.metadata.metadata, file.schema_arrow)))
    if ending == ".zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name
                yield from _texts(archive.read(name), Path(name).suffix)


def promise_table() -> str:
    """Draw the promise as a table of Markdown."""
    lines = ["| | " + " | ".join(PLACES.values()) + " |", "| --- " * (len(PLACES) + 1) + "|"]
    lines += [
        f"| {kind} | {' | '.join(may.get(place, 'never') for place in PLACES)} |" for kind, may in MAY_STAND.items()
    ]
    return "\n".join(lines) + "\n" + NOTES.rstrip("\n")
