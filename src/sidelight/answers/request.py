"""What requests share.  Imports nothing of the library, so that options may use it and `--help` is quick."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


class Request:
    """What is asked, of which files."""

    __slots__ = ()

    def check(self) -> None:
        """Raise what is wrong with the request itself, before any file is read."""

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read, which are not written over."""
        raise NotImplementedError

    def python(self) -> str:
        """Write the lines of Python that come to the same; nothing for what only the command line has."""
        return ""


@dataclass(frozen=True, kw_only=True)
class EngineChoice:
    """What counts the rows, and where Spark is."""

    engine: Literal["duckdb", "spark"] = "duckdb"
    master: str | None = None


DUCKDB = EngineChoice()


SAME_NAMES = """
accounting ask cells chance conditions delta domain encoding engine epsilon evidence false_alarms force group
keep layout ledger levels locate master memory method missing model neighbours nodes outline outside overlap
people people_at_most person population present prior quiet_method repetitions residents resists rho
rows_per_person samples seconds sensitive sensitive_level sheet split states suppress suppressed table truth
up_to utility vagueness values values_per_person weight written_as
"""
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in SAME_NAMES.split()} | {
    "by": "--hierarchies",
    "kinds": "--kind",
    "methods": "--method",
    "missing_marks": "--missing-mark",
    "quasi": "--group",
    "queries": "--query",
    "roster": "--table",
    "same_values": "--same-value",
    "tables": "--others",
}
"""What each parameter is called on the command line; most are called the same."""
