"""What requests share.  Imports nothing of the library, so that options may use it and `--help` is quick."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol


class Request(Protocol):
    """What every request can tell of itself."""

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read, which are not written over."""

    def python(self) -> str:
        """Write the lines of Python that come to the same; nothing for what only the command line has."""


class TableRequest(Request, Protocol):
    """What a request about one table can tell, too."""

    @property
    def file(self) -> str:
        """The table."""


@dataclass(frozen=True, kw_only=True)
class EngineChoice:
    """What counts the rows, and where Spark is."""

    engine: Literal["duckdb", "spark"] = "duckdb"
    master: str | None = None


DUCKDB = EngineChoice()
