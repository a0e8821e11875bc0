"""The first line of a text file: the delimiter and the names of the columns, or, by mistake, somebody's row.

Messages name the columns there are.  A file without a line of names begins with a row, which nobody may be shown.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa

from sidelight.errors import BadTable

DELIMITERS = ",;\t|"

LONGEST = 2_000_000
"""How many characters a line may have; DuckDB reads no longer ones either."""

NAME_LINES = 100
"""How many lines the names may take; quoted names may hold line breaks."""

ROWS = 1000
"""How many rows are looked at to see whether the first line is one of them."""

NO_NAMES = (
    "seems to have no line of column names: its first line looks like somebody's row and is not shown; "
    "give it a line of column names"
)


@dataclass(frozen=True, slots=True)
class FirstLine:
    """How the columns of a text file are called, and what is between its cells."""

    file: Path
    delimiter: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, file: Path, said: str | None) -> FirstLine:
        """Read the delimiter, unless the file's ending has said it, and the names of the columns."""
        with _text(file) as text:
            first = text.readline(LONGEST)
            _check(file, first, text)
            delimiter = said or sniff_delimiter(first)
            lines = [first, *_rest_of_names(file, first, text)]
            return cls(file, delimiter, tuple(next(csv.reader(lines, delimiter=delimiter), ())))

    def rows(self) -> list[list[str]]:
        """Read the first rows, of which there must be one: a single line may be names or a row, who knows."""
        with _text(self.file) as text:
            _, *rows = islice(csv.reader(text, delimiter=self.delimiter), ROWS)
        if not rows:
            message = f"{self.file.name} has one line only; it needs a line with the names of the columns, and rows"
            raise BadTable(message)
        return rows

    def shown(self) -> tuple[str, ...]:
        """Give the names, unless they could be a row."""
        if looks_like_a_row(self.names, self.rows()):
            message = f"{self.file.name} {NO_NAMES}"
            raise BadTable(message)
        return self.names


def looks_like_a_row(names: Sequence[object], rows: Iterable[Sequence[str]] = ()) -> bool:
    """Say whether names of columns could be somebody's cells; `rows` are some of those below them.

    Names are different and begin with a letter (the first may be empty: pandas writes its index so), and no row
    says in a column what the column is called.

    >>> looks_like_a_row(["age", "sex", "disease"]), looks_like_a_row(["34", "f", "Flu"])
    (False, True)
    >>> looks_like_a_row(["Ann", "f", "Flu"], rows=[["Bea", "f", "Cold"]])
    True
    """
    texts = [str(name) for name in names]
    if len({*texts}) < len(texts) or any(map(_like_a_cell, texts[1:] if texts[:1] == [""] else texts)):
        return True
    return any(name == cell for row in rows for name, cell in zip(texts, row, strict=False))


def _like_a_cell(name: str) -> bool:
    """Say whether a name is a number, a date, a mark such as `*`, empty, or several lines."""
    return re.match(r"[\W_]*(\d|$)", name) is not None or "\n" in name or "\r" in name


def sniff_delimiter(line: str) -> str:
    """Guess the delimiter from the header: the one that occurs most, outside quotes.

    >>> sniff_delimiter('age;"city, street";disease'), sniff_delimiter("disease")
    (';', ',')
    """
    bare = re.sub(r'"[^"]*"', "", line)
    return max(DELIMITERS, key=bare.count)


@contextmanager
def _text(file: Path) -> Iterator[io.TextIOWrapper]:
    """Open a text file, packed or not, and say in one line what is wrong with it."""
    try:
        with pa.input_stream(str(file)) as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
            yield text
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except csv.Error:
        message = (
            f"{file.name} has a cell of more than {csv.field_size_limit():,} characters at its beginning; check quotes"
        )
        raise BadTable(message) from None
    except OSError:
        message = f"{file.name} cannot be unpacked; check its ending and that it was written completely"
        raise BadTable(message) from None


def _check(file: Path, first: str, text: io.TextIOWrapper) -> None:
    """Refuse a first line that holds no names."""
    if first.strip():
        if len(first) == LONGEST:
            message = f"the first line of {file.name} has more than {LONGEST:,} characters; check its line ends"
            raise BadTable(message)
        return
    if first and any(line.strip() for line in text):
        message = f"the first line of {file.name} is blank; begin with a line with the names of the columns"
    else:
        message = f"{file.name} is empty; it needs a line with the names of the columns, and rows"
    raise BadTable(message)


def _rest_of_names(file: Path, first: str, text: io.TextIOWrapper) -> Iterator[str]:
    """Read on while a quote is open: a quoted name may hold a line break."""
    quotes = first.count('"')
    for line in islice(iter(lambda: text.readline(LONGEST), ""), NAME_LINES):
        if quotes % 2 == 0:
            return
        yield line
        quotes += line.count('"')
    if quotes % 2:
        message = f"a quote in the first line of {file.name} is never closed; repair that line"
        raise BadTable(message)


# ----------------------------------------------------------------------------------------------------
# Text that is not UTF-8, and where it first is not.
# ----------------------------------------------------------------------------------------------------


def not_utf8(file: Path) -> BadTable:
    """Say which byte of a file, packed or not, is wrong."""
    return BadTable(f"{file.name} is not UTF-8: byte {_first_bad_byte(file):,} (from 0) is wrong; save it as UTF-8")


def _first_bad_byte(file: Path) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")()
    read = 0
    with pa.input_stream(str(file)) as stream:
        while True:
            chunk = stream.read(1 << 20)
            waiting = len(decoder.getstate()[0])  # bytes of a character cut in two by the end of the last chunk
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as problem:
                return read - waiting + problem.start
            if not chunk:
                return read
            read += len(chunk)
