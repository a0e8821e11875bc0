"""How many people live where ZIP codes begin with the same three digits?  By a population that somebody gives.

The safe harbour rule leaves the first three digits of a ZIP code where all codes that begin with them together have
more than 20,000 people, by the Census's current counts; elsewhere they must be 000.  A population is a table with one
column of ZIP codes and a row for each person, or for each code and a column of how many live there (`residents`).

Only cells that are written like ZIP codes are counted: five digits, or nine, or three.  Others (2139, which was 02139
before a program took it for a number) are left out, and their three digits are then not known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidelight.errors import BadTable, UnknownColumn, did_you_mean, listed, parameter
from sidelight.table.column_looks import words_of
from sidelight.table.column_profiles import names_of_columns
from sidelight.table.labels import Label
from sidelight.table.read import distinct_rows
from sidelight.table.roles import Roles

FEWEST = 20_000
"""So many people, or fewer, are too few."""

NOWHERE = "000"
"""What stands for three digits of too few people."""

_ZIP = frozenset(("zip", "zipcode", "zcta", "postcode", "postal", "postalcode", "plz"))
_CODE = re.compile(r"\s*([0-9]{3})([0-9]{2}(-?[0-9]{4})?)?[*xX]{0,2}\s*")
_THREE = re.compile(r"\s*([0-9]{3})[*xX]{0,2}\s*")


def holds_zip_codes(column: str) -> bool:
    """Say whether a column is called like ZIP codes.

    >>> holds_zip_codes("ZIP code"), holds_zip_codes("city")
    (True, False)
    """
    return not {*words_of(column)}.isdisjoint(_ZIP)


@dataclass(frozen=True, slots=True)
class ThreeDigits:
    """How many of the different three digits of a column have too few people, and of how many nothing is known."""

    different: int
    too_few: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ZipPopulation:
    """How many people have ZIP codes that begin with each three digits.

    >>> import pyarrow as pa
    >>> census = pa.table({"zip": ["02139", "02140", "05901"], "people": [15_000, 9_000, 300]})
    >>> ZipPopulation.read(census, residents="people").compare(["021", "059", "000", "999"])
    ThreeDigits(different=4, too_few=1, unknown=1)
    """

    people: Mapping[str, int]

    @classmethod
    def read(cls, source: object, *, residents: str | None = None, reading: Roles | None = None) -> ZipPopulation:
        """Count the people of a table: a row is one, or as many as its column `residents` says."""
        roles = reading or Roles()
        names = names_of_columns(source, roles)
        codes = [name for name in names if holds_zip_codes(name)]
        if len(codes) != 1:
            has = f"several columns of ZIP codes ({listed(codes)})" if codes else "no column called like ZIP codes"
            message = f"the {parameter('population')} has {has}; give a table with one, such as 'zip'"
            raise BadTable(message)
        if residents is not None and residents not in names:
            message = f"the {parameter('population')} has no column '{residents}'{did_you_mean(residents, names)}"
            raise UnknownColumn(message)
        columns, rows = distinct_rows(
            source,
            (codes[0], *(() if residents is None else (residents,))),
            missing_marks=roles.missing_marks,
            encoding=roles.encoding,
            sheet=roles.sheet,
        )
        starts = [_start(_CODE, text) for text in columns[0].labels]
        each = [1] if residents is None else [_whole(text, residents) for text in columns[1].labels]
        living = [0] * len(rows) if residents is None else columns[1].codes.tolist()
        people: Counter[str] = Counter()
        for code, amount, times in zip(columns[0].codes.tolist(), living, rows.tolist(), strict=True):
            start = starts[code]
            if start is not None:
                people[start] += each[amount] * times
        return cls(people)

    def compare(self, labels: Sequence[str]) -> ThreeDigits:
        """Look labels of three digits up."""
        starts = {_start(_THREE, text) or text for text in labels}
        known = [self.people[start] for start in starts if start in self.people and start != NOWHERE]
        too_few = sum(people <= FEWEST for people in known)
        return ThreeDigits(len(starts), too_few, len(starts - {NOWHERE}) - len(known))


def _start(pattern: re.Pattern[str], text: Label) -> str | None:
    match = None if text is None else pattern.fullmatch(text)
    return None if match is None else match.group(1)


def _whole(text: Label, column: str) -> int:
    """Read how many people a row stands for."""
    plain = "" if text is None else text.strip().removesuffix(".0")
    if not (plain.isascii() and plain.isdigit()):
        message = f"column '{column}' of the {parameter('population')} has a cell that is no whole number of people"
        raise BadTable(message)
    return int(plain)
