"""The table that inputs are near to, or are asked about: all its cells but ages and sexes are marked."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from unittest import mock

from support.command_line import invoke
from trust.fuzz.bars import MARK, STORY, Broken

import sidelight as sl

NAMES = ("name", "age", "sex", "city", "disease", "story")
QUASI = ("age", "sex", "city")
TYPED = (
    "name",
    "age",
    "sex",
    "city",
    "disease",
    "story",
    "citty",
    "Disease",
    "ages",
    "x",
    "",
    "sex,age",
    "kuru",
    "ann",
)
"""Columns as somebody types them, right and wrong; none of it is marked."""


def rows(many: int = 12) -> list[tuple[str, ...]]:
    """People whose cells are marked; the mark stands behind the place where a long cell is cut, too."""
    cities, diseases = (
        (f"{MARK}ville", f"{MARK}-on-Sea", f"St. {MARK}"),
        (f"{MARK}itis", f"{MARK} fever", f"Lung {MARK}"),
    )
    return [
        (
            f"Ann {MARK} {at}",
            str(20 + at % 4),
            "mf"[at % 2],
            cities[at % 3],
            diseases[at // 2 % 3],
            f"came in with a cough and a fever and a rash of {STORY} {at}",
        )
        for at in range(many)
    ]


@cache
def release() -> sl.Release:
    """A release with names of people, and other labels than the table: what somebody may type a fact about."""
    people = [("Ann", "Flu"), ("Bob", "Cold"), ("Ed", "Flu"), ("Hannah", "Mumps"), ("Ina", "Cold"), ("Jo", "Flu")]
    import pyarrow as pa  # noqa: PLC0415

    table = pa.table(
        {
            "name": [name for name, _ in people],
            "sex": ["f", "m", "m", "f", "f", "m"],
            "age": ["20-29", "20-29", "30-39", "30-39", "20-29", "30-39"],
            "disease": [disease for _, disease in people],
        }
    )
    return sl.read_release(table, group=["sex", "age"], sensitive="disease", person="name", keep_people=True)


@cache
def marked_release() -> sl.Release:
    """A release whose values are marked: whoever asks about it types none of them."""
    import pyarrow as pa  # noqa: PLC0415

    columns = zip(*rows(24), strict=True)
    return sl.read_release(pa.table(dict(zip(NAMES, columns, strict=True))), group=["age", "sex"], sensitive="disease")


def run_command(words: list[str]) -> str:
    """Run a command in this process; give what it says where it should show nothing of a cell."""
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO())):  # nobody waits for what is typed
        outcome = invoke(words)
    if outcome.exit_code not in (0, 1, 2):
        message = f"status {outcome.exit_code}: {outcome.output[:300]}"
        raise Broken(message)
    debugging = "--debug" in words  # it shows where an error comes from, and then the error
    if "should not have happened" in outcome.stderr or ("Traceback" in outcome.stderr and not debugging):
        message = outcome.stderr[:300]
        raise Broken(message)
    if outcome.exit_code == 2 and not debugging and outcome.stderr.count("\n") != 1 and "Usage" not in outcome.stderr:
        message = f"several lines, or none: {outcome.stderr[:200]!r}"
        raise Broken(message)
    return outcome.output if outcome.exit_code == 2 else outcome.stderr


def written(name: str, content: bytes | str) -> str:
    """Write a file into the working folder."""
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return name
