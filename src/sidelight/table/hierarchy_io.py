"""Hierarchies in files, in ARX's format unchanged.

One line per value: the value, then its label at each further level, separated by `;`.  No header, no quoting.  A file
without `;` but with commas or tabs is refused: it would be read as values without coarser levels, which would be
published exactly.  A file is called `<data>_hierarchy_<column>.csv`, or `<column>.csv` in a folder of its own.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sidelight.errors import BadHierarchy, WrongKind, expect, kind_in_words
from sidelight.files import read_whole, replace_whole
from sidelight.table.hierarchy import Hierarchy

BETWEEN = ";"
MARK = "_hierarchy_"


def read_hierarchy(path: str | os.PathLike[str], column: str | None = None) -> Hierarchy:
    r"""Read one hierarchy; the file's name is the column unless it is stated.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name) / "people_hierarchy_sex.csv"
    >>> _ = file.write_text("Male;*\nFemale;*\n")
    >>> read_hierarchy(file)
    <Hierarchy of sex: 2 values, 2 levels>
    >>> folder.cleanup()
    """
    file = _as_path(path)
    opening, text = _text(file)
    if _otherwise_separated(text):
        message = f"{file.name} has no ; but commas or tabs; ARX's format has ; between the levels: write it so"
        raise BadHierarchy(message)
    # only the end of the file's own lines is taken off, so that writing gives the same bytes
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.removesuffix(end).split(end) if text else []
    rows = [line.split(BETWEEN) for line in lines]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            message = f"{file.name}, line {number}: {len(row)} columns, but line 1 has {len(rows[0])}; make them equal"
            raise BadHierarchy(message)
    levels = tuple(zip(*rows, strict=True))
    return Hierarchy(column or column_of(file), levels, style=(opening, end, end if text.endswith(end) else ""))


def read_hierarchies(place: str | os.PathLike[str]) -> dict[str, Hierarchy]:
    """Read all hierarchies of a folder, or those beside a data file, by column.

    `read_hierarchies("hierarchies/")` reads every `.csv` of the folder;
    `read_hierarchies("adult.csv")` reads `adult_hierarchy_age.csv`, `adult_hierarchy_sex.csv`, …

    >>> import sidelight as sl
    >>> sorted(read_hierarchies(sl.datasets.adult().path))
    ['age', 'education', 'marital-status', 'native-country', 'race', 'sex', 'workclass']
    """
    where = _as_path(place)
    if not str(place).strip():
        raise BadHierarchy("the name of the folder with hierarchies is empty; give its path, or . for this one")
    try:
        files = hierarchy_files(where)
    except OSError as wrong:  # a name that is too long
        message = f"cannot look into '{where}': {wrong.strerror}; give the path of a folder with hierarchies"
        raise BadHierarchy(message) from None
    if not files:
        beside = f"{where.name.split('.')[0]}{MARK}<column>.csv"
        message = f"'{where}' is not a folder; give one with hierarchies, or put files '{beside}' beside it"
        if where.is_dir():
            message = f"no hierarchies in {where}; put files '<column>.csv' or '<data>{MARK}<column>.csv' there"
        elif not where.exists():
            message = f"no such folder '{where}'; give one with a hierarchy '<column>.csv' for each column"
        raise BadHierarchy(message)
    hierarchies: dict[str, Hierarchy] = {}
    for hierarchy in map(read_hierarchy, files):
        if hierarchy.column in hierarchies:
            raise BadHierarchy(
                f"two hierarchies for '{hierarchy.column}' in the folder; name the data file instead of the folder"
            )
        hierarchies[hierarchy.column] = hierarchy
    return hierarchies


def hierarchy_files(where: Path) -> list[Path]:
    """List the files of the hierarchies of a folder, or of a data file, sorted."""
    if where.is_dir():
        # with marked files in the folder, other .csv files there are data, not hierarchies
        return sorted(where.glob(f"*{MARK}*.csv")) or sorted(where.glob("*.csv"))
    beside = sorted(where.parent.glob("*.csv"))
    stems = (where.stem, where.name.split(".")[0])  # of people.csv.gz: people.csv, or else people
    candidates = ([each for each in beside if each.name.startswith(stem + MARK)] for stem in stems)
    return next(filter(None, candidates), [])


def write_hierarchy(hierarchy: Hierarchy, path: str | os.PathLike[str]) -> None:
    """Write a hierarchy; one that was read is written byte for byte as it was."""
    expect(Hierarchy, hierarchy, "what is written")
    text = writable_text(hierarchy)
    file = _as_path(path)
    try:
        replace_whole(file, text)
    except OSError as error:
        message = f"cannot write the hierarchy {file.name}: {error.strerror}; give a path that can be written"
        raise BadHierarchy(message) from None


def writable_text(hierarchy: Hierarchy) -> str:
    """Return the text of a hierarchy's file; raise `BadHierarchy` if the format cannot hold it."""
    for number, level in enumerate(hierarchy.levels):
        if any(re.search(r"[;\r\n]", text) for text in level):
            raise BadHierarchy(
                f"hierarchy of '{hierarchy.column}': a label of level {number} has a ; or a line break, which ARX's "
                "format cannot hold; rename it, or leave the column out"
            )
    # `read_hierarchy` would refuse such a file as separated by other signs than ;
    if hierarchy.height == 1 and any(map(_otherwise_separated, hierarchy.levels[0])):
        message = f"hierarchy of '{hierarchy.column}': one level of values with commas or tabs; add a level above it"
        raise BadHierarchy(message)
    opening, line_end, last = hierarchy.style  # of one that was read: the text that was read
    return opening + line_end.join(BETWEEN.join(row) for row in zip(*hierarchy.levels, strict=True)) + last


def hierarchy_file(column: str) -> str:
    """Name the file of a column's hierarchy in a folder of its own.

    >>> hierarchy_file("age")
    'age.csv'
    """
    if not column or "/" in column or "\\" in column or column.startswith("."):
        raise BadHierarchy(f"a column called '{column}' cannot name a file; rename it in the table")
    return f"{column}.csv"


def _as_path(place: object) -> Path:
    if isinstance(place, str | os.PathLike):
        return Path(place)
    message = f"hierarchies are in files: give a path, not {kind_in_words(place)}; see sl.Hierarchy for other ways"
    raise WrongKind(message)


def _otherwise_separated(text: str) -> bool:
    return BETWEEN not in text and ("," in text or "\t" in text)


def column_of(file: Path) -> str:
    """Return the column of a hierarchy's file by its name."""
    return file.stem.split(MARK)[-1]


def _text(file: Path) -> tuple[str, str]:
    try:
        text = read_whole(file).decode()
    except UnicodeDecodeError as wrong:
        raise BadHierarchy(f"{file.name} is not UTF-8 at byte {wrong.start}; save it as UTF-8") from None
    except (OSError, ValueError) as wrong:  # a name with a zero byte
        reason = getattr(wrong, "strerror", None) or "no such name"
        raise BadHierarchy(f"cannot read the hierarchy '{file}': {reason}; give the path of a readable file") from None
    mark = "\ufeff"  # a byte order mark, which some editors put first
    return (mark, text[1:]) if text.startswith(mark) else ("", text)
