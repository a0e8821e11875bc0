"""The budget of memory, its shares, and the base of everything that is read within it.

own       Python, Arrow and DuckDB themselves, before they hold anything
engine    DuckDB's rows, dictionaries and people, before it spills
sorting   rows that wait to be sorted, five times: as they came, together, and where equal ones begin
labels    the distinct labels of the columns, each as a Python text, in a dictionary and in DuckDB
groups    of releases that a search tries after the rows were read, in DuckDB's share; while groups are built, each
          group and each value of it takes several times its space
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
"""The default budget."""

LEAST = 400 * 10**6
"""The smallest budget in bytes; the process itself takes half of it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A budget of memory: the bytes that may be used in all.

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
        """Return DuckDB's share, in its own syntax."""
        # DuckDB counts while rows are sorted here: two fifths for it, a quarter for the rows that wait
        return f"{2 * self._free // 5}B"

    def rows_to_sort(self, words: int) -> int:
        """Return how many rows of `words` words may wait to be sorted."""
        # words and counts, five times over while they are sorted; below 2^16 rows there would be too many runs to merge
        return max(self._free // 4 // (5 * 8 * (words + 1)), 1 << 16)

    @property
    def to_count(self) -> int:
        """Return the bytes for counts of a whole pass, while nothing is sorted."""
        return self._free // 3

    @property
    def keys_to_hold(self) -> int:
        """Return how many keys, of 550 bytes each, a search may hold while nothing is sorted."""
        return 3 * self._free // 5 // 550

    @property
    def to_hold(self) -> int:
        """Return the bytes for a result."""
        return self._free // 4

    @property
    def numbers_kept(self) -> int:
        """Return how many numbers (counts and codes) of groups may be kept for later use."""
        return self._free // 4 // 8

    def holds_labels(self, labels: int) -> bool:
        """Return whether `labels` distinct labels of all columns, of 300 bytes each, fit into their share."""
        return 300 * labels <= self._free // 3

    def rolls_up(self, rows: int) -> bool:
        """Return whether `rows` groups and values of groups, of 120 bytes each, can be built."""
        return 120 * rows <= self._free // 2

    def holds_groups(self, numbers: int) -> bool:
        """Return whether a release of `numbers` counts, sizes and codes can be held, measured and printed."""
        return 3 * 8 * numbers <= self._free // 2

    def too_little(self, what: str, needed: int, share: int) -> NoRoom:
        """Return the error that something exceeds its share, with a sufficient budget."""
        return NoRoom(
            f"{what} do not fit into {parameter('memory')}; give at least {_enough_for(self._free * needed // share)}"
        )

    def too_many_labels(self, column: str, labels: int) -> NoRoom:
        """Return the error that a column has too many labels, with a sufficient budget."""
        return NoRoom(
            f"column '{column}' has {labels:,} different labels, too many for {parameter('memory')}; give "
            f"{_enough_for(3 * 300 * labels)}, publish it more coarsely, or leave it out"
        )

    def too_many_groups(self, groups: int, numbers: int) -> NoRoom:
        """Return the error that a release has too many groups, with a sufficient budget."""
        return NoRoom(
            f"the most useful release within policy has {groups:,} groups, too many for {parameter('memory')}; give "
            f"{_enough_for(2 * 3 * 8 * numbers)}, or limits that make larger groups"
        )

    def too_many_at_once(self, question: str, groups: int, numbers: int) -> NoRoom:
        """Return the error that a question needs all groups of a release, with a sufficient budget."""
        return NoRoom(
            f"'{question}' looks at all groups at once, and {groups:,} do not fit into {parameter('memory')}; give "
            f"{_enough_for(2 * 3 * 8 * numbers)}, or leave it out"
        )

    def too_many_keys(self, question: str, rows: int) -> NoRoom:
        """Return the error that a question needs all keys of a table, with a sufficient budget."""
        return NoRoom(
            f"{question} looks at all keys of the table at once, and {rows:,} different rows do not fit into "
            f"{parameter('memory')}; give {_enough_for(5 * 550 * rows // 3)}, or leave it out"
        )


def _enough_for(held: int) -> str:
    """Return the budget that holds some bytes and a tenth more, as `Memory.parse` reads it.

    >>> _enough_for(2_000_000_000)
    '2.4GB'
    """
    return bytes_in_words(LEAST // 2 + held * 11 // 10).replace(" ", "")


@dataclass(frozen=True, eq=False)
class Streamed:
    """A base for what is read key by key in bounded memory; its stream has the domain, roles and intake."""

    stream: KeyStream
    memory: Memory

    @property
    def sensitive(self) -> str:
        """The sensitive column, or several, by name."""
        return ", ".join(self.stream.roles.value_columns)

    @property
    def domain(self) -> tuple[Label, ...]:
        """All sensitive values."""
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
