"""Rows as packed numbers, in order, however many: an external merge sort.

    add       rows in any order gather in memory; once there are `room` of them they are sorted, equal ones counted
              together, and written down: a *run*
    batches   all runs at once, from the smallest number up, each row once with how often it occurs

Symbols     n rows, r runs of at most `room` rows, b rows that are read of each run at a time.
Merging     Let t be the smallest of the last rows that were read of the runs that have more to give.  Every row ≤ t has
            been read, of all runs, as each is sorted: these rows are sorted together and handed out.
Cost        each row is sorted twice, written and read once; 8 bytes a word and, where rows repeat, 8 for the count.
Memory      `room` rows while runs are made, r · b afterwards; while all rows fit into `room` nothing is written.

Runs are files without a name in a folder that only this user can open: nobody else sees them, and the system forgets
them with the process, however it ends.
"""

from __future__ import annotations

import errno
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, TypeAlias

import numpy as np

from sidelight._arrays import Flags, Integers, run_starts, sum_equal_rows
from sidelight._text import bytes_in_words
from sidelight.errors import NoRoom
from sidelight.table.packed_keys import Words

Batch: TypeAlias = tuple[Words, Integers]
"""Some distinct rows, in order, and how often each occurs."""

ROWS_AT_ONCE = 1 << 18
"""How many rows are handed out at a time: few enough that what is computed of them stays near the processor."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass
class SortedRuns:
    """Rows of some words each, to be had in order.

    >>> runs = SortedRuns(words=1, room=2)
    >>> for rows in ([7, 3], [7], [5]):
    ...     runs.add([np.array(rows)])
    >>> [(words[0].tolist(), counts.tolist()) for words, counts in runs.batches()]
    [([3, 5, 7], [1, 1, 2])]
    """

    words: int
    room: int  # how many rows are sorted at a time
    rows_in_all: int | None = None  # how many there will be, where that is known
    look_at: Callable[[Words], None] | None = None  # is shown the distinct rows of each run; may raise, to give up
    spilled: int = 0  # bytes
    _waiting: list[Batch] = field(default_factory=list, repr=False)
    _held: int = 0
    _files: list[_Run] = field(default_factory=list, repr=False)

    def add(self, words: Words, counts: Integers | None = None) -> None:
        """Take some rows, in any order; without counts each counts once."""
        if len(words[0]) == 0:
            return
        self._waiting.append((words, np.zeros(0, np.int64) if counts is None else counts))
        self._held += len(words[0])
        if self._held >= self.room:
            self._gather()

    def _gather(self) -> None:
        """Sort what waits; where it repeats little, write it down."""
        words, counts = _counted_together(self._waiting, self.words)
        self._waiting, self._held = [(words, counts)], len(counts)
        if self.look_at is not None:
            self.look_at(words)
        if 2 * self._held >= self.room:
            self._write(words, counts)
            self._waiting, self._held = [], 0

    @property
    def rows_at_least(self) -> int:
        """How many distinct rows there are at least, as far as they are sorted: those of the largest run."""
        return max((run.rows for run in self._files), default=0)

    def settle(self) -> None:
        """Write down what waits, so that no rows are held while nobody asks for them."""
        if self._waiting:
            words, counts = _counted_together(self._waiting, self.words)
            self._write(words, counts)
            self._waiting, self._held = [], 0

    def _write(self, words: Words, counts: Integers) -> None:
        columns = [*words] if bool((counts == 1).all()) else [*words, counts]
        try:
            self._files.append(_Run.written(columns, self.words))
        except OSError as problem:
            if problem.errno in FULL:
                raise self._no_room() from None
            raise
        self.spilled += sum(column.nbytes for column in columns)

    def _no_room(self) -> NoRoom:
        return disk_too_small(None if self.rows_in_all is None else 8 * (self.words + 1) * self.rows_in_all)

    @property
    def rows(self) -> int:
        """How many rows are stored; one that is in several runs counts in each."""
        return self._held + sum(run.rows for run in self._files)

    def in_any_order(self, at_once: int = ROWS_AT_ONCE) -> Iterator[Batch]:
        """Hand out all rows, run by run, a row perhaps several times: for what adds up, without the cost of merging."""
        for run in self._files:
            yield from run.read(at_once)
        self._waiting = [_counted_together(self._waiting, self.words)] if self._waiting else []
        for batch in self._waiting:
            yield from _cut(batch, at_once)

    def batches(self, at_once: int = ROWS_AT_ONCE) -> Iterator[Batch]:
        """Hand out all rows in order, each once; as often as one likes."""
        if self._waiting:
            words, counts = _counted_together(self._waiting, self.words)
            self._waiting, self._held = [(words, counts)], len(counts)
        if not self._files:
            for batch in self._waiting:
                yield from _cut(batch, at_once)
            return
        yield from _merged(
            [*(run.read(at_once) for run in self._files), *(_cut(each, at_once) for each in self._waiting)]
        )


def disk_too_small(most: int | None) -> NoRoom:
    """Say that temporary files do not fit, and how many bytes they take at most, where that is known."""
    takes = "" if most is None else f"; it takes up to {bytes_in_words(most)}"
    folder = tempfile.gettempdir()
    return NoRoom(f"the disk of '{folder}' is too small for temporary files{takes}; set TMPDIR to a larger one")


def _nameless_file() -> IO[bytes]:
    """Open a file that nobody else can open, which is gone when it is closed."""
    return tempfile.TemporaryFile(prefix="sidelight-")


class RowParts:
    """Rows of whole numbers put aside by parts, to be read back one part at a time; a single part stays in memory.

    >>> parts = RowParts(parts=2, columns=1, rows=3)
    >>> parts.add(np.array([1, 0, 1]), [np.array([7, 8, 9])])
    >>> [[column.tolist() for column in parts.take(part)] for part in (0, 1)]
    [[[8]], [[7, 9]]]
    """

    def __init__(self, *, parts: int, columns: int, rows: int) -> None:
        self.spilled = 0
        self._columns, self._rows = columns, rows
        self._held: list[Integers] = []
        self._files = [_nameless_file() for _ in range(parts if parts > 1 else 0)]
        for file in self._files:
            weakref.finalize(self, file.close)

    def add(self, part: Integers, columns: Sequence[Integers]) -> None:
        """Put rows aside, each to its part."""
        rows = np.stack(columns, axis=1)
        if not self._files:
            self._held.append(rows)
            return
        order = np.argsort(part, kind="stable")
        edges = np.searchsorted(part[order], np.arange(len(self._files) + 1))
        rows = rows[order]
        try:
            for file, start, stop in zip(self._files, edges[:-1], edges[1:], strict=True):
                file.write(rows[start:stop].tobytes())
        except OSError as problem:
            if problem.errno in FULL:
                raise disk_too_small(8 * self._columns * self._rows) from None
            raise
        self.spilled += rows.nbytes

    def take(self, part: int) -> list[Integers]:
        """Give the columns of a part, which is then forgotten."""
        if not self._files:
            together = np.concatenate(self._held) if self._held else np.zeros((0, self._columns), np.int64)
            self._held.clear()
        else:
            file = self._files[part]
            file.seek(0)
            together = np.frombuffer(file.read(), np.int64).reshape(-1, self._columns)
            file.close()
        return [np.ascontiguousarray(together[:, column]) for column in range(self._columns)]


@dataclass(frozen=True, eq=False)
class _Run:
    """A file that has columns of whole numbers one after the other: words, and counts unless all are 1."""

    file: IO[bytes]
    rows: int
    columns: int
    words: int

    @classmethod
    def written(cls, columns: Sequence[Integers], words: int) -> _Run:
        file = _nameless_file()
        for column in columns:
            file.write(np.ascontiguousarray(column).data.cast("B"))
        file.flush()
        run = cls(file, len(columns[0]), len(columns), words)
        weakref.finalize(run, file.close)
        return run

    def read(self, at_once: int) -> Iterator[Batch]:
        """Read it again, some rows at a time."""
        for start in range(0, self.rows, at_once):
            many = min(at_once, self.rows - start)
            columns = [self._column(number, start, many) for number in range(self.columns)]
            counts = columns[self.words] if self.columns > self.words else np.ones(many, np.int64)
            yield columns[: self.words], counts

    def _column(self, number: int, start: int, many: int) -> Integers:
        self.file.seek(8 * (number * self.rows + start))
        return np.frombuffer(self.file.read(8 * many), np.int64)


def _cut(batch: Batch, at_once: int) -> Iterator[Batch]:
    words, counts = batch
    for start in range(0, len(counts), at_once):
        part = slice(start, start + at_once)
        yield [word[part] for word in words], counts[part]


def _counted_together(batches: list[Batch], width: int) -> Batch:
    """Sort rows, and count equal ones together; rows without counts count once each."""
    if width == 1 and all(len(counts) == 0 for _, counts in batches):
        rows: Integers = np.concatenate([words[0] for words, _ in batches])
        batches.clear()  # so that they are not held twice
        rows.sort()
        starts = np.flatnonzero(run_starts([rows]))
        return [rows if len(starts) == len(rows) else rows[starts]], np.diff(starts, append=len(rows))
    if len(batches) == 1 and len(batches[0][1]):
        words, counts = batches[0]
        if _in_order(words):
            return batches[0]
        return sum_equal_rows(words, counts)
    together = [np.concatenate([words[number] for words, _ in batches]) for number in range(width)]
    counts = np.concatenate([counts if len(counts) else np.ones(len(words[0]), np.int64) for words, counts in batches])
    batches.clear()
    return sum_equal_rows(together, counts)


def _in_order(words: Words) -> bool:
    """Whether rows rise: each is larger than the one before."""
    rises = np.zeros(len(words[0]) - 1, bool)
    equal = np.ones(len(words[0]) - 1, bool)
    for word in words:
        rises |= equal & (word[1:] > word[:-1])
        equal &= word[1:] == word[:-1]
    return bool(rises.all())


def _merged(runs: list[Iterator[Batch]]) -> Iterator[Batch]:
    """Put sorted runs together; what is held of each is at most one batch."""
    held: list[Batch | None] = [next(run, None) for run in runs]
    # invariant: a run of which nothing is held has nothing more to give
    while any(batch is not None for batch in held):
        last = min(tuple(int(word[-1]) for word in batch[0]) for batch in held if batch is not None)
        parts: list[Batch] = []
        for number, batch in enumerate(held):
            if batch is None:
                continue
            words, counts = batch
            many = int(np.count_nonzero(_at_most(words, last)))
            parts.append(([word[:many] for word in words], counts[:many]))
            rest = ([word[many:] for word in words], counts[many:])
            held[number] = rest if many < len(counts) else next(runs[number], None)
        yield sum_equal_rows(
            [np.concatenate([words[at] for words, _ in parts]) for at in range(len(last))],
            np.concatenate([counts for _, counts in parts]),
        )


def _at_most(words: Words, row: tuple[int, ...]) -> Flags:
    """Say which rows are no larger than one, word by word."""
    smaller, equal = np.zeros(len(words[0]), bool), np.ones(len(words[0]), bool)
    for word, bound in zip(words, row, strict=True):
        smaller |= equal & (word < bound)
        equal &= word == bound
    return smaller | equal
