"""All kinds of files, by the ending of a name; a new kind is one more entry of `FORMATS`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.engines.formats.in_memory import Spreadsheet, Statistics
from sidelight.engines.formats.parquet import Parquet
from sidelight.engines.formats.text import PACKERS, Text
from sidelight.errors import BadTable, NotPublished, as_given, in_python

if TYPE_CHECKING:
    from sidelight.engines.formats.file_format import FileFormat, FormatName, Writer

FORMATS: tuple[FileFormat, ...] = (Parquet(), Text(), Spreadsheet(), Statistics())

WRITERS: dict[str, Writer] = {writer.name: writer for each in FORMATS for writer in each.writers}


def suffix_of(path: str | Path) -> str:
    """Return the ending of a name in small letters, without that of a packer: `.csv` for `patients.csv.GZ`."""
    path = Path(path)
    return (path.with_suffix("") if path.suffix.lower() in PACKERS else path).suffix.lower()


def find_format(path: str | Path) -> FileFormat | None:
    """Return the kind of a file by its name's ending; None for endings of no kind."""
    # `table.parquet.gz` is of no kind: Parquet is compressed inside, and nothing here reads it through a packer
    packed = Path(path).suffix.lower() in PACKERS
    matching = (each for each in FORMATS if suffix_of(path) in each.endings)
    return next((each for each in matching if each.may_be_packed or not packed), None)


def format_of_file(file: Path) -> FileFormat:
    """Return the kind of a file by its name's ending; raise where it is of none."""
    form = find_format(file)
    if form is None:
        *most, last = ", ".join(each.advice for each in FORMATS).split(", ")
        frame = in_python(", a dataframe will do too")
        message = f"cannot tell what {file.name} is by its ending; name it {', '.join(most)} or {last}{frame}"
        raise BadTable(message)
    return form


def ending(file: Path) -> str:
    """Return the ending of a file of some kind, without that of a packer; raise where it is of none."""
    format_of_file(file)
    return suffix_of(file)


def writer_of(path: Path, wished: FormatName | None) -> Writer:
    """Choose how a file is written: by its name's ending; ARX's way has to be asked for.

    >>> writer_of(Path("release.csv"), None).name, writer_of(Path("release.csv"), "arx").name
    ('csv', 'arx')
    """
    possible = [each for each in WRITERS.values() if path.suffix.lower() in each.endings]
    if not possible:
        endings = " or ".join(dict.fromkeys(each.endings[0] for each in WRITERS.values()))
        message = f"cannot tell what to write by the ending of '{path.name}'; name it {endings}"
        raise NotPublished(message)
    chosen = (
        possible[0]
        if wished is None
        else next((each for each in possible if isinstance(wished, str) and each.name == wished), None)
    )
    if chosen is None:
        ways = ", ".join(f"{each.endings[0]} for {each.name}" for each in WRITERS.values())
        message = f"'{path.name}' cannot be written as {as_given(wished)}; name it {ways}"
        raise NotPublished(message)
    return chosen
