"""Rows as packed numbers, in order, however many: keys packed into words, and an external merge sort.

Symbols     c_j  the code of column j, 0 ≤ c_j < r_j, where r_j is the number of its labels; the sensitive ones last.
Word        w = Σ_j c_j · Π_{i>j} r_i over the columns that it holds: mixed radix, so words order rows as codes do.
Layout      columns are put into a word while its product of radices stays below 2^62, the sensitive ones all into the
            last; usually one word holds all.
Value       what the sensitive columns add to the last word: one number below `width`, the product of their radices.
Key         the words without the sensitive value: the last word divided by the width.
Invariant   `unpack(pack(codes)) == codes`, and equal rows are equal words.

Sorting     `add`: rows in any order gather in memory; once there are `room` of them they are sorted, equal ones counted
            together, and written down: a *run*.  `batches`: all runs at once, from the smallest number up, each row
            once with how often it occurs.
Merging     n rows, r runs of at most `room` rows; of each run every s-th row is remembered, its *marks*.  The marks of
            all runs, sorted, say where about b rows end, for any b.  A block is what all runs have between two such
            bounds, sorted together.  So blocks are alike and stay near the processor, whether there are two runs or two
            hundred: a row costs the same.
Cost        each row is sorted twice, written and read once: 8 bytes a word, and how often it occurs in bits that the
            last word leaves, or 8 more.
Memory      `room` rows while runs are made; b + r · s afterwards, and n / s marks.  While all rows fit into `room`
            nothing is written.

Runs are files without a name in a folder that only this user can open: nobody else sees them, and the system forgets
them with the process, however it ends.
"""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import KEY_LIMIT, Codes, Integers, iterate_blocks, run_starts, sum_equal_rows
from sidelight.errors import NoRoom
from sidelight.files import no_temporary_files
from sidelight.text import bytes_in_words

if TYPE_CHECKING:
    from sidelight.table.labels import Label

Words: TypeAlias = list[Integers]
"""One array per packed number; rows are compared word by word."""

Batch: TypeAlias = tuple[Words, Integers]
"""Some distinct rows, in order, and how often each occurs."""

ROWS_AT_ONCE = 1 << 18
"""Rows of a batch: few enough that computing with them stays in the cache."""


@dataclass(frozen=True, slots=True)
class Packing:
    """The packing of the codes of all columns into words, the sensitive ones last.

    >>> packing = Packing((("f", "m"), ("20", "30", "40"), ("Cold", "Flu")))
    >>> words = packing.pack([np.array([1, 0]), np.array([2, 0]), np.array([1, 0])])
    >>> [word.tolist() for word in words], [codes.tolist() for codes in packing.unpack(words)]
    ([[11, 0]], [[1, 0], [2, 0], [1, 0]])
    """

    labels: tuple[tuple[Label, ...], ...]
    sensitive: int = 1  # the number of sensitive columns

    @property
    def width(self) -> int:
        """Return the number of sensitive values, or of combinations of them."""
        return prod(map(self._radix, self._values))

    @property
    def value_labels(self) -> tuple[tuple[Label, ...], ...]:
        """The labels of the sensitive columns."""
        return self.labels[-self.sensitive :]

    @property
    def _values(self) -> tuple[int, ...]:
        return tuple(range(len(self.labels) - self.sensitive, len(self.labels)))

    @property
    def layout(self) -> tuple[tuple[int, ...], ...]:
        """Return the columns of each word."""
        words: list[tuple[int, ...]] = [()]
        for columns in (*((column,) for column in range(self._values[0])), self._values):
            longer = (*words[-1], *columns)
            if prod(map(self._radix, longer)) < KEY_LIMIT:  # the word's largest value is this product less 1
                words[-1] = longer
            else:
                words.append(columns)
        return tuple(words)

    def weights(self) -> list[int]:
        """Return the weight of each column's code in its word."""
        return [prod(map(self._radix, held[position + 1 :])) for held in self.layout for position in range(len(held))]

    def pack(self, codes: Sequence[npt.NDArray[np.integer]]) -> Words:
        """Pack codes, given column by column, into words."""
        # codes: (columns, rows) → a word of (rows,) for each entry of the layout
        weights = self.weights()
        return [
            np.asarray(sum(codes[column].astype(np.int64) * weights[column] for column in held), np.int64)
            for held in self.layout
        ]

    def unpack(self, words: Words) -> list[Codes]:
        """Unpack words into codes, column by column."""
        return [code for held, word in zip(self.layout, words, strict=True) for code in self._digits(held, word)]

    def keys(self, words: Words) -> Words:
        """Return the words without the sensitive value."""
        # the sensitive columns are the lowest digits of the last word, so dividing by their product drops them
        return [*words[:-1], words[-1] // self.width]

    def values(self, words: Words, keys: Words) -> Integers:
        """Return the codes of the sensitive value, by words with and without it."""
        return words[-1] - keys[-1] * self.width

    def value_codes(self, values: Integers) -> list[Codes]:
        """Split codes of the sensitive value into those of each sensitive column."""
        return self._digits(self._values, values)

    def key_codes(self, keys: Words) -> list[Codes]:
        """Unpack words without the sensitive value into the codes of the quasi-identifiers."""
        return self.unpack([*keys[:-1], keys[-1] * self.width])[: -self.sensitive]

    def pack_keys(self, codes: Sequence[npt.NDArray[np.integer]], rows: int) -> Words:
        """Pack the codes of the quasi-identifiers into words without the sensitive value."""
        # a key alone is packed like one with the first value, and loses it again
        return self.keys(self.pack([*codes, *[np.zeros(rows, np.int32)] * self.sensitive]))

    def key_of(self, text: Label) -> list[int] | None:
        """Return the words of the key with the label `text` in every column, if all columns have it."""
        quasi = self.labels[: -self.sensitive]
        if any(text not in labels for labels in quasi):
            return None
        codes = [np.array([labels.index(text)]) for labels in quasi]
        return [int(word[0]) for word in self.pack_keys(codes, rows=1)]

    def _digits(self, held: tuple[int, ...], word: Integers) -> list[Codes]:
        digits = [np.empty(len(word), np.int32) for _ in held]
        radices = list(map(self._radix, held))
        iterate_blocks(lambda block: _split_digits(word[block], radices, [digit[block] for digit in digits]), len(word))
        return digits

    def _radix(self, column: int) -> int:
        return max(len(self.labels[column]), 1)


def _split_digits(word: npt.NDArray[np.integer], radices: list[int], digits: list[Codes]) -> None:
    """Write the digits of numbers: divide once, so that both parts have about half the bits, and split each part.

    Parts become 32-bit as soon as they fit, as short numbers are divided several times faster.
    """
    if len(radices) == 1:
        digits[0][:] = word
        return
    if prod(radices) < 1 << 31:
        word = word.astype(np.int32, copy=False)
    # the cut with the smaller maximum of both halves halves the bits, so recursion is about log₂(columns) deep
    products = [prod(radices[cut:]) for cut in range(1, len(radices))]
    cut, divisor = min(enumerate(products, 1), key=lambda each: max(each[1], prod(radices) // each[1]))
    upper = word // divisor
    _split_digits(upper, radices[:cut], digits[:cut])
    # in place: `upper` has been split already, and becomes the multiple to take away
    upper *= divisor
    _split_digits(word - upper, radices[cut:], digits[cut:])


@dataclass
class SortedRuns:
    """Rows of some words each, returned in order.

    >>> runs = SortedRuns(words=1, room=2)
    >>> for rows in ([7, 3], [7], [5]):
    ...     _ = runs.add([np.array(rows)])
    >>> [(words[0].tolist(), counts.tolist()) for words, counts in runs.batches()]
    [([3, 5, 7], [1, 1, 2])]
    """

    words: int
    room: int  # rows that are sorted at a time
    rows_in_all: int | None = None  # the final number of rows, if known
    spilled: int = 0  # bytes
    _waiting: list[Batch] = field(default_factory=list, repr=False)
    _held: int = 0
    _files: list[_Run] = field(default_factory=list, repr=False)

    def add(self, words: Words, counts: Integers | None = None) -> Words | None:
        """Add some rows, in any order; without counts each counts once.

        Return the distinct rows of a run if these fill one, else None.
        """
        if len(words[0]) == 0:
            return None
        self._waiting.append((words, np.zeros(0, np.int64) if counts is None else counts))
        self._held += len(words[0])
        if self._held < self.room:
            return None
        words, _ = self._sort()
        # rows that repeat shrink when they are counted: below half the room, more rows can be gathered before writing
        if 2 * self._held >= self.room:
            self._write()
        return words

    def _sort(self) -> Batch:
        batch = _sort_and_count(self._waiting, self.words)
        self._waiting, self._held = [batch], len(batch[1])
        return batch

    @property
    def rows_at_least(self) -> int:
        """Return a lower bound of the number of distinct rows: those of the largest run."""
        return max((run.rows for run in self._files), default=0)

    def settle(self) -> None:
        """Write waiting rows to disk, so that none are held in memory."""
        if self._waiting:
            self._sort()
            self._write()

    def _write(self) -> None:
        with _disk_errors(None if self.rows_in_all is None else 8 * (self.words + 1) * self.rows_in_all):
            run = _Run.write(*self._waiting.pop())
        self._files.append(run)
        self.spilled += run.bytes
        self._held = 0

    @property
    def rows(self) -> int:
        """Return the number of stored rows; a row in several runs counts in each."""
        return self._held + sum(run.rows for run in self._files)

    def read_unordered(self, at_once: int = ROWS_AT_ONCE) -> Iterator[Batch]:
        """Yield all rows, run by run, perhaps several times each: for sums, without the cost of merging."""
        for run in self._runs():
            for start in range(0, run.rows, at_once):
                yield run.part(start, min(start + at_once, run.rows))

    def batches(self, at_once: int = ROWS_AT_ONCE) -> Iterator[Batch]:
        """Yield all rows in order, each once; may be called repeatedly."""
        runs = self._runs()
        yield from _merge_runs(runs, at_once) if len(runs) > 1 else self.read_unordered(at_once)

    def _runs(self) -> list[_Run]:
        return [*self._files, *([_Run.hold(*self._sort())] if self._waiting else [])]


def concatenate_batches(parts: Sequence[Batch]) -> Batch:
    """Concatenate batches, at least one, into new arrays."""
    words = [np.concatenate(each) for each in zip(*(words for words, _ in parts), strict=True)]
    return words, np.concatenate([counts for _, counts in parts])


@contextmanager
def _disk_errors(most: int | None) -> Iterator[None]:
    """Raise `NoRoom` if temporary files do not fit; they take `most` bytes, if known."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        takes = "" if most is None else f"; it takes up to {bytes_in_words(most)}"
        raise NoRoom(
            f"the disk of '{tempfile.gettempdir()}' is too small for temporary files{takes}; set TMPDIR to a larger one"
        ) from None


def _nameless_file() -> IO[bytes]:
    """Open a file without a name, which is removed when it is closed."""
    try:
        with _disk_errors(None):
            return tempfile.TemporaryFile(prefix="sidelight-")
    except OSError as problem:
        raise no_temporary_files(problem) from None


def zeros_on_disk(rows: int) -> Integers:
    """Return a writable array of zeros in a temporary file, which is removed with it.

    >>> zeros_on_disk(3).tolist()
    [0, 0, 0]
    """
    with _nameless_file() as file:  # what is mapped stays when the file is closed
        with _disk_errors(8 * rows):
            for start in range(0, rows, ROWS_AT_ONCE):  # written, so that a disk that is too small says so now
                file.write(bytes(8 * min(ROWS_AT_ONCE, rows - start)))
            file.flush()
        zeros: Integers = np.memmap(file, np.int64, "r+", shape=(rows,))
    return zeros


class RowParts:
    """Rows of whole numbers stored by parts, to be read back one part at a time; a single part stays in memory.

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
        """Append rows, each to its part."""
        rows = np.stack(columns, axis=1)
        if not self._files:
            self._held.append(rows)
            return
        # rows: (rows, columns); sorted by part, each part is one slice and one write
        order = np.argsort(part, kind="stable")
        edges = np.searchsorted(part[order], np.arange(len(self._files) + 1))
        rows = rows[order]
        with _disk_errors(8 * self._columns * self._rows):
            for file, start, stop in zip(self._files, edges[:-1], edges[1:], strict=True):
                file.seek(0, os.SEEK_END)  # reading a part has moved its position
                file.write(rows[start:stop].tobytes())
                file.flush()  # so that a full disk raises here, not in `read`
        self.spilled += rows.nbytes

    def read(self, part: int, at_once: int = ROWS_AT_ONCE) -> Iterator[list[Integers]]:
        """Yield the columns of a part, some rows at a time; may be called repeatedly."""
        if not self._files:
            yield from (list(rows.T) for rows in self._held)
            return
        file, width = self._files[part], 8 * self._columns
        for start in range(0, file.seek(0, os.SEEK_END), at_once * width):
            file.seek(start)
            rows = np.frombuffer(file.read(at_once * width), np.int64).reshape(-1, self._columns)
            yield list(np.ascontiguousarray(rows.T))

    def take(self, part: int) -> list[Integers]:
        """Return the columns of a part, and forget it."""
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
    """A run, in memory or in a file; `marks` are every s-th of its rows, and s."""

    rows: int
    part: Callable[[int, int], Batch]
    marks: tuple[Words, int]
    bytes: int = 0

    @classmethod
    def hold(cls, words: Words, counts: Integers) -> _Run:
        # short runs have more marks, so that blocks of several runs still have about the requested length
        step = min(max(len(counts) // 64, 1), 1 << 10)

        def part(start: int, stop: int) -> Batch:
            return [word[start:stop] for word in words], counts[start:stop]

        return cls(len(counts), part, ([word[step - 1 :: step] for word in words], step))

    @classmethod
    def write(cls, words: Words, counts: Integers) -> _Run:
        """Write a run column by column: words, the last with counts in its lowest bits, or counts by themselves."""
        file, rows, most = _nameless_file(), len(counts), int(counts.max())
        bits = 0 if most == 1 else most.bit_length()
        columns = [*words]
        # below 63 bits in all, so that the shifted word stays positive and rows still compare as before
        if bits and int(words[-1].max()).bit_length() + bits < 63:
            columns[-1] = (words[-1] << bits) | counts
        elif bits:
            columns, bits = [*words, counts], 0
        for column in columns:
            file.write(np.ascontiguousarray(column).data.cast("B"))
        file.flush()
        many, apart = len(columns), len(columns) > len(words)

        def part(start: int, stop: int) -> Batch:
            read = []
            for number in range(many):
                # column after column: the file is (columns, rows) int64, in C order
                file.seek(8 * (number * rows + start))
                read.append(np.frombuffer(file.read(8 * (stop - start)), np.int64))
            if apart:
                return read[:-1], read[-1]
            if not bits:
                return read, np.ones(stop - start, np.int64)
            return [*read[:-1], read[-1] >> bits], read[-1] & ((1 << bits) - 1)

        marks, step = cls.hold(words, counts).marks
        # copied, so that all rows are not held by their marks
        run = cls(rows, part, ([mark.copy() for mark in marks], step), 8 * rows * many)
        weakref.finalize(run, file.close)
        return run


def _sort_and_count(batches: list[Batch], width: int) -> Batch:
    """Sort rows and merge equal ones; rows without counts count once each."""
    if width == 1 and all(len(counts) == 0 for _, counts in batches):
        rows: Integers = np.concatenate([words[0] for words, _ in batches])
        batches.clear()  # so that they are not held twice
        rows.sort()
        starts = np.flatnonzero(run_starts([rows]))
        return [rows if len(starts) == len(rows) else rows[starts]], np.diff(starts, append=len(rows))
    if len(batches) == 1 and len(batches[0][1]):
        words, counts = batches[0]
        # what was gathered and found small comes back as it was sorted; checking is much quicker than sorting again
        rises, equal = np.zeros(len(counts) - 1, bool), np.ones(len(counts) - 1, bool)
        for word in words:
            rises |= equal & (word[1:] > word[:-1])
            equal &= word[1:] == word[:-1]
        return batches[0] if rises.all() else sum_equal_rows(words, counts)
    together = [np.concatenate([words[number] for words, _ in batches]) for number in range(width)]
    counts = np.concatenate([counts if len(counts) else np.ones(len(words[0]), np.int64) for words, counts in batches])
    batches.clear()
    return sum_equal_rows(together, counts)


def _merge_runs(runs: Sequence[_Run], at_once: int) -> Iterator[Batch]:
    """Merge sorted runs, about `at_once` rows at a time; of no run more than that is held."""
    marks = [run.marks for run in runs]
    columns = [np.concatenate(column) for column in zip(*(words for words, _ in marks), strict=True)]
    order = np.lexsort(columns[::-1])
    # each mark stands for `step` rows of its run; summed in the order of the marks, this is about how many rows precede
    rows_so_far = np.repeat([step for _, step in marks], [len(words[0]) for words, _ in marks])[order].cumsum()
    ends = np.flatnonzero(np.diff(rows_so_far // at_once, prepend=0))
    bounds = zip(*(column[order[ends]].tolist() for column in columns), strict=True)
    starts = [0] * len(runs)
    # invariant: all rows up to the last bound have been yielded, so equal rows of several runs meet in one block
    for bound in (*bounds, None):
        stops = [run.rows if bound is None else _rows_up_to(run, bound) for run in runs]
        parts = [run.part(*ends) for run, *ends in zip(runs, starts, stops, strict=True) if ends[0] < ends[1]]
        starts = stops
        if parts:
            yield sum_equal_rows(*concatenate_batches(parts), overwrite=True)


def _rows_up_to(run: _Run, bound: tuple[int, ...]) -> int:
    """Count the rows of a run up to a bound: by its marks, then among the rows between two of them."""
    marks, step = run.marks
    # the row sought lies before the next mark, so a single read of `step` rows is enough
    start = _count_up_to(marks, bound) * step
    words, _ = run.part(start, min(start + step, run.rows))
    return start + _count_up_to(words, bound)


def _count_up_to(words: Words, row: tuple[int, ...]) -> int:
    """Count the sorted rows up to a bound."""
    smaller, others = 0, len(words[0])  # rows before `smaller` are smaller than it, those from `others` on larger
    for word, bound in zip(words, row, strict=True):
        equal = word[smaller:others]
        # invariant: rows in [smaller, others) equal the row in all words so far, so this slice is sorted by the next
        smaller, others = (smaller + int(np.searchsorted(equal, bound, side)) for side in ("left", "right"))
    return others
