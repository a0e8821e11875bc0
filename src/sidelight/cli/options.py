"""Options that several verbs have: what is read, by which policy, and where the answer goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from sidelight.cli.output import Output


def section(title: str) -> Callable[..., Any]:
    """Begin a section of the help page: gives a function that makes its options."""

    def option(*names: str, gives: str = "", says: str, least: int | None = None) -> Any:  # noqa: ANN401 - as typer has it
        return typer.Option(*names, metavar=gives, help=says, min=least, rich_help_panel=title)

    return option


asked = section("What is asked")
answer = section("Where the answer goes")

ReleaseFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="RELEASE", help="A published file: CSV, TSV or Parquet, also compressed or a glob.")
]
ReleaseFiles: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="RELEASES", help="Published files about the same people, usually two or more.")
]
TableFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="TABLE", help="The table: CSV, TSV or Parquet, also compressed or a glob.")
]

PolicyPath: TypeAlias = Annotated[
    Path | None, asked("--policy", "-p", gives="POLICY", says="A policy file: limits, and roles of the columns.")
]
RolesPath: TypeAlias = Annotated[
    Path | None, asked("--policy", "-p", gives="POLICY", says="A policy file, for the roles of the columns.")
]
Limits: TypeAlias = Annotated[
    list[str] | None, asked("--limit", "-l", gives="LIMIT", says="A limit, such as 'group size >= 5'; repeat it.")
]
Measures: TypeAlias = Annotated[
    list[str] | None,
    asked("--measure", "-m", gives="MEASURE", says="A measure without a limit, such as 'closeness'; repeat it."),
]
HierarchyFolder: TypeAlias = Annotated[
    Path | None,
    asked("--hierarchies", gives="FOLDER", says="A folder with a hierarchy '<column>.csv' for each column."),
]

AsJson: TypeAlias = Annotated[bool, answer("--json", says="Print the answer as JSON, and nothing else.")]
Force: TypeAlias = Annotated[bool, answer("--force", says="Replace files that exist.")]
Debug: TypeAlias = Annotated[
    bool, typer.Option("--debug", metavar="", help="Show where an error comes from (with any verb).")
]
Folder: TypeAlias = Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where to write the files.")]


@dataclass(frozen=True)
class Answer:
    """Where an answer goes."""

    json: AsJson = False
    output: Annotated[Path | None, answer("--output", "-o", gives="FILE", says="Also write the JSON to this file.")] = (
        None
    )
    force: Force = False

    def to(self, *inputs: Path | None) -> Output:
        """Say where it goes, and which inputs are not written over."""
        from sidelight.cli.output import Output  # noqa: PLC0415 - `--help` is quick

        read = tuple(each for each in inputs if each is not None)
        return Output(as_json=self.json, file=self.output, force=self.force, inputs=read)
