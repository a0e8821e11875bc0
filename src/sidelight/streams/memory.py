"""How much memory may be used, who gets which share of it, and what is common to all that is read within it.

own       Python, Arrow and DuckDB themselves, before they hold anything
engine    what DuckDB may hold before it spills: rows that it reads, dictionaries, people
sorting   rows that wait to be sorted, five times: as they came, together, and where equal ones begin
labels    the different labels of the columns, each as a Python text, in a dictionary and in DuckDB
groups    of releases that a search tries, after the rows were read: what DuckDB had; while they are put together, each
          group and each value of it takes several times its place
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import BadTable, NoRoom, as_given, parameter
from sidelight.table.table import Intake, sensitive_names
from sidelight.text import bytes_in_words

if TYPE_CHECKING:
    from sidelight.streams.key_stream import KeyStream
    from sidelight.table.labels import Label, Semantics

MEMORY = "2GB"
"""What may be used where an amount is needed and nobody has said one."""

LEAST = 400 * 10**6
"""The least in all with which something can be read; half of it is the process, before any row is."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The number of bytes that may be used in all.

    >>> Memory.parse("2GB").engine_limit
    '720000000B'
    """

    total: int

    @classmethod
    def parse(cls, memory: str | int) -> Memory:
        """Read "2GB", "512 MB" or a number of bytes.

        >>> Memory.parse("512 MB").total
        512000000
        """
        written = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", as_given(memory))
        units = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
        unit = units.get(written[2].upper() or "B") if written else None
        if written is None or unit is None or len(written[1]) > 20:  # a float of more digits may be infinite
            raise BadTable(f"cannot read {parameter('memory', as_given(memory))}; write an amount such as 2GB or 512MB")
        total = int(float(written[1]) * unit)
        if total < LEAST:
            least = bytes_in_words(LEAST).replace(" ", "")
            raise NoRoom(
                f"{parameter('memory', as_given(memory))} is too little to read anything; give at least {least}"
            )
        return cls(total)

    @property
    def _free(self) -> int:
        return self.total - LEAST // 2

    @property
    def engine_limit(self) -> str:
        """Return what DuckDB may hold, as it reads it."""
        # DuckDB counts while rows are sorted here: two fifths for it, a quarter for the rows that wait
        return f"{2 * self._free // 5}B"

    def rows_to_sort(self, words: int) -> int:
        """Return how many rows of so many words wait at a time."""
        # words and counts, five times over while they are sorted; below 2^16 rows there would be too many runs to merge
        return max(self._free // 4 // (5 * 8 * (words + 1)), 1 << 16)

    @property
    def to_count(self) -> int:
        """Return how many bytes counts of a whole pass may take, while nothing is sorted."""
        return self._free // 3

    @property
    def keys_to_hold(self) -> int:
        """Return how many keys, of 550 bytes each, a search may hold at a time, while nothing is sorted."""
        return 3 * self._free // 5 // 550

    @property
    def to_hold(self) -> int:
        """Return how many bytes a result may take."""
        return self._free // 4

    @property
    def numbers_kept(self) -> int:
        """Return how many numbers (counts and codes) of groups that may be needed again are kept."""
        return self._free // 4 // 8

    def holds_labels(self, labels: int) -> bool:
        """Return whether so many different labels, of all columns, leave room for the rest; one takes 300 bytes."""
        return 300 * labels <= self._free // 3

    def rolls_up(self, rows: int) -> bool:
        """Return whether so many groups and values of groups, of 120 bytes each, can be put together."""
        return 120 * rows <= self._free // 2

    def holds_groups(self, numbers: int) -> bool:
        """Return whether a release of so many numbers (counts, sizes and codes) can be held, measured and printed."""
        return 3 * 8 * numbers <= self._free // 2

    def too_little(self, what: str, needed: int, share: int) -> NoRoom:
        """Return the error that something takes more than its share, and how much memory would do."""
        return NoRoom(
            f"{what} do not fit into {parameter('memory')}; give at least {_enough_for(self._free * needed // share)}"
        )

    def too_many_labels(self, column: str, labels: int) -> NoRoom:
        """Return the error that a column has too many labels, and how much memory would do."""
        return NoRoom(
            f"column '{column}' has {labels:,} different labels, too many for {parameter('memory')}; give "
            f"{_enough_for(3 * 300 * labels)}, publish it more coarsely, or leave it out"
        )

    def too_many_groups(self, groups: int, numbers: int) -> NoRoom:
        """Return the error that a release has too many groups, and how much memory would do."""
        return NoRoom(
            f"the most useful release within policy has {groups:,} groups, too many for {parameter('memory')}; give "
            f"{_enough_for(2 * 3 * 8 * numbers)}, or limits that make larger groups"
        )

    def too_many_at_once(self, asked: str, groups: int, numbers: int) -> NoRoom:
        """Return the error that all of a release's groups are needed, and too many, and how much memory would do."""
        return NoRoom(
            f"'{asked}' looks at all groups at once, and {groups:,} do not fit into {parameter('memory')}; give "
            f"{_enough_for(2 * 3 * 8 * numbers)}, or leave it out"
        )

    def too_many_keys(self, asked: str, rows: int) -> NoRoom:
        """Return the error that all keys of a table are needed, and too many, and how much memory would do."""
        return NoRoom(
            f"{asked} looks at all keys of the table at once, and {rows:,} different rows do not fit into "
            f"{parameter('memory')}; give {_enough_for(5 * 550 * rows // 3)}, or leave it out"
        )


def _enough_for(held: int) -> str:
    """Return how much memory would do to hold so many bytes, and a tenth more; as `Memory.parse` reads it.

    >>> _enough_for(2_000_000_000)
    '2.4GB'
    """
    return bytes_in_words(LEAST // 2 + held * 11 // 10).replace(" ", "")


@dataclass(frozen=True, eq=False)
class Streamed:
    """A base for what is read key by key in bounded memory; of the whole it knows what its stream knows."""

    stream: KeyStream
    memory: Memory

    @property
    def sensitive(self) -> str:
        """The sensitive column, or several, by name."""
        return ", ".join(self.stream.roles.value_columns)

    @property
    def domain(self) -> tuple[Label, ...]:
        """All sensitive values that there are."""
        return self.stream.domain

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""
        return sensitive_names(self.sensitive, self.domain)

    @property
    def semantics(self) -> Semantics:
        """Return whether people have one value or several."""
        return self.stream.semantics

    @property
    def intake(self) -> Intake:
        """Return what reading did to the rows."""
        return self.stream.intake
