"""Files of Stata, SPSS and SAS, by pyreadstat (the extra `files`).

A code with a label, as Stata and SPSS keep them, says its label; where two codes have one label, each says its code
too, so that no two values become one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidelight.engines.formats.held import HeldFormat, reading_errors
from sidelight.errors import BadTable, needs_extra, parameter
from sidelight.table.labels import Label, label
from sidelight.table.roles import Roles


class Statistics(HeldFormat):
    """Files of statistics packages, whose columns have names in any case."""

    words = "of a statistics package"
    endings = (".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt")
    advice = ".dta, .sav, .sas7bdat"

    def read_columns(self, file: Path, roles: Roles) -> tuple[list[tuple[str, Sequence[object]]], tuple[str, ...]]:
        """Read all cells, codes by their labels."""
        with needs_extra("files", package="pyreadstat", what="reading files of statistics packages"):
            import pyreadstat  # noqa: PLC0415 - an extra
        readers: dict[str, Callable[..., tuple[Any, Any]]] = {
            ".dta": pyreadstat.read_dta,
            ".sav": pyreadstat.read_sav,
            ".zsav": pyreadstat.read_sav,
            ".por": pyreadstat.read_por,
            ".sas7bdat": pyreadstat.read_sas7bdat,
            ".xpt": pyreadstat.read_xport,
        }
        kind = file.suffix.lower()
        # a transport file of SAS has records of 80 bytes and, unlike others, does not say how many rows follow
        if kind == ".xpt" and file.stat().st_size % 80:
            message = f"{file.name} ends in the midst of a record; check that it was written completely"
            raise BadTable(message)
        # pyreadstat's reader of .por takes no encoding
        options = {} if kind == ".por" else {"encoding": roles.encoding}
        message = (
            f"{file.name} cannot be read; check that it was written completely, "
            f"or say its encoding with {parameter('encoding', 'latin-1')}"
        )
        with reading_errors(message):
            cells, about = readers[kind](str(file.absolute()), output_format="dict", **options)
        labels: Mapping[str, Mapping[object, str]] = about.variable_value_labels
        return [(name, _replace_codes(list(cells[name]), labels.get(name, {}))) for name in about.column_names], ()


def _replace_codes(cells: list[object], labels: Mapping[object, str]) -> list[object]:
    """Let codes say their labels; one that several codes have, or that is another code, says its code as well."""
    if not labels:
        return [None if cell == "" else cell for cell in cells]  # these packages have no other missing text
    # a label that several codes share gets its code appended: replacing codes must not merge two values
    times: Counter[Label] = Counter(labels.values())
    times.update({label(cell) for cell in cells} - {label(code) for code, text in labels.items() if text} - {None})
    texts = {
        label(code): text if times[text] == 1 else f"{text} ({label(code)})" for code, text in labels.items() if text
    }
    return [texts.get(label(cell), label(cell)) for cell in cells]
