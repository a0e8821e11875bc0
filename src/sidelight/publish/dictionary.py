"""The data dictionary beside a published release: what each column is, for whoever is to work with it.

It is metadata as the W3C recommends for tables on the web (CSVW: `<file>-metadata.json`, which many tools look for by
themselves), and it says nothing that the files and their sidecar do not say.  Parquet files are described the same way.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sidelight.engines.formats.file_format import Sheet, kind_of_cells
from sidelight.engines.formats.registry import WRITERS
from sidelight.publish.sidecar import Reading, Sidecar
from sidelight.table.labels import Column, listed

# So many labels, or fewer, are listed
FEW = 30


def dictionary_path(path: Path) -> Path:
    """Return where the dictionary of a published file stands.

    >>> dictionary_path(Path("made/release.csv")).name
    'release.csv-metadata.json'
    """
    return path.parent / (path.name + "-metadata.json")


def build_dictionary(document: Sidecar, sheets: dict[str, Sheet]) -> str:
    """Write the dictionary of some files, with what their sidecar tells of them."""
    policy = "; ".join(f"{each.text} {each.limit.text}" for each in document.findings)
    about = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:title": f"Release of {document.people.people_out:,} people",
        "dc:description": f"Within policy: {policy}. {document.not_covered}",
        "dc:date": document.date,
        "tables": [_table(name, sheet, document) for name, sheet in sheets.items()],
    }
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def _table(name: str, sheet: Sheet, document: Sidecar) -> dict[str, Any]:
    writer = WRITERS[document.reading.format]
    datatypes = {"text": "string", "whole number": "integer", "number": "number", "day": "date"}
    # name a column in the way that CSVW wants: letters, digits and underscores, the rest as percent and two digits
    columns = [
        {
            "name": re.sub(r"[^0-9A-Za-z_]", lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), column),
            "titles": writer.encode(column),
            "datatype": "integer" if not isinstance(cells, Column) else datatypes[kind_of_cells(cells)],
            "dc:description": describe(column, cells if isinstance(cells, Column) else None, document),
            "null": "",
        }
        for column, cells in sheet.columns.items()
    ]
    dialect = {"dialect": dict(writer.dialect)} if writer.dialect else {}
    return {"url": name, **dialect, "tableSchema": {"columns": columns}}


def describe(column: str, cells: Column | None, document: Sidecar) -> str:
    """Describe in words what a column is."""
    # who is in which bucket first: there a bucket is what is said of a person
    readings = [each for each in (document.who, document.reading) if each is not None]
    what = next((text for reading in readings if (text := _role(column, reading, document)) is not None), None)
    if what is None and column in document.kept:
        what = "carried along as it is"
    elif what is None:
        stem, _, side = column.rpartition("_")
        end = {"low": "the lower end", "high": "the upper end"}.get(side, "an end")
        what = f"{end} of what is printed in '{stem}'; empty where it is open" if stem else "more about the row"
    if cells is None or kind_of_cells(cells) != "text":
        return what
    labels = [text for text in cells.compact().labels if text is not None]
    return f"{what}; one of: {listed(labels, most=FEW)}" if 0 < len(labels) <= FEW else what


def _role(column: str, reading: Reading, document: Sidecar) -> str | None:
    if column in reading.group:
        level = document.search.levels.get(column)
        levels = {each.column: each.levels for each in document.hierarchies}
        where = f", at level {level} of 0 to {levels[column] - 1}" if level is not None and column in levels else ""
        return f"what outsiders may know about a person{where}"
    if column in reading.to_roles().value_columns:
        return "which bucket a person is in" if reading is document.who else "sensitive"
    if column == reading.people:
        return "how many people are in the group"
    return "how often the value occurs in the group" if column == reading.count else None
