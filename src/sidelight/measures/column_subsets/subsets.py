"""A walk over all subsets of some columns: the groups of people whom an attacker who knows these cannot tell apart.

Symbols     M columns, the one with most labels first; D distinct rows, each with its people; a subset S of the columns.
Key         the codes of a row as bits, one column beside the other; a secret, where one is looked at, in the lowest.
            Leaving a column out is to cut its bits out, sort, and add up the people of equal keys.
Cube        columns from some j on are left out quicker where the people are held in an array with an axis for each, and
            one for the columns before j together: to leave a column out is to sum over its axis.  Columns that are
            kept take as many cells as their combinations that occur, however many are possible.
First       the subsets whose first column is i lie in the rows without the columns before i.  There, rows that differ
            in i never become equal, so that they are visited in blocks, and counts are added up.  A block of one
            frequent label is visited by the first column that its subsets have after i.
Walk        in a block, depth first.  A node is (kept K, first i): the subset K ∪ {i, …, M−1}, of which columns from i
            on are still to be decided.  Its children leave out one j ≥ i and keep those before it: every subset once.
Invariant   the rows of a node are those of its subset in the block: distinct, with their people added up.
Cost        M sorts of all rows, and at most M nodes of a block alive on each of two threads.  As columns with most
            labels go first, half of all subsets lie in the rows without the largest column.  With at most u columns
            asked for, a node with u columns kept goes to its subset at once, so that no more than twice as many nodes
            are visited as are asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb, prod
from operator import index as as_index
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers, iterate_blocks, run_starts, sum_equal_rows, sum_runs
from sidelight.errors import BadTable, TooHard, as_given, parameter
from sidelight.progress import Progress, quiet
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.table.labels import Column

MOST_SUBSETS = 1 << 16
"""The largest number of subsets that are visited: those of 16 columns."""

BLOCK = 1 << 19
"""The approximate number of keys in a block: few enough to share among threads, and enough that the calls per block,
which only one thread makes at a time, do not matter."""

DENSE = 16
"""The most cells of a cube per key; a cell takes an eighth to a quarter of the memory of a key with its people, and to
sum over it and count less than a tenth of the time of sorting the key."""

WORD = 62
"""The bits of codes that a word holds."""

SECRET = -1
"""The index of the secret among those of columns."""


class KnownRows(ABC):
    """The rows of a table, or a block of them, projected on some of its columns."""

    __slots__ = ()

    @property
    def large(self) -> bool:
        """Whether the block is better split."""
        return False

    @abstractmethod
    def without(self, columns: Sequence[int]) -> Self:
        """Return the rows without some columns; rows that are now equal become one."""

    def dense(self, columns: Sequence[int]) -> tuple[KnownRows, int]:
        """Return rows that leave out these columns faster, but for the first few, and the number of those few."""
        return self, 0

    def blocks(self, column: int) -> Iterable[Self]:
        """Split into blocks; rows that differ in the column or one before it may be separated."""
        return (self,)


SubsetNode = tuple[KnownRows, tuple[int, ...], tuple[int, ...]]
"""Rows, the columns that are kept, and those that are still to be decided."""


@dataclass(frozen=True, slots=True)
class SubsetWalk:
    """Every subset of at least one and at most `up_to` columns, once."""

    visit: Callable[[tuple[int, ...], Any], bool]  # returns whether to visit the subsets of a subset
    up_to: int
    stopped: Event = field(default_factory=Event)  # by an error or Ctrl-C, which the other thread does not see

    def run(self, rows: KnownRows, columns: Sequence[int]) -> None:
        """Visit all subsets on two threads, once for each block of their rows; `columns` are in leaving order."""
        order = tuple(columns)
        if len(order) > self.up_to or self.visit(order, rows):
            # NumPy sorts and adds up without the interpreter's lock, so that a second thread helps
            with ThreadPoolExecutor(max_workers=2) as pool:
                try:
                    for task in [pool.submit(self._below, *node) for node in self._visit_by_first(rows, (), order)]:
                        task.result()
                except BaseException:
                    # Ctrl-C reaches this thread alone: the other one stops at its next subset
                    self.stopped.set()
                    raise

    def _visit_by_first(self, rows: KnownRows, kept: tuple[int, ...], rest: tuple[int, ...]) -> Iterator[SubsetNode]:
        """Visit the subsets of a node without its first columns, one after the other; yield nodes that keep one more.

        A block that is still large becomes such nodes itself.
        """
        for index, column in enumerate(rest):
            after = rest[index + 1 :]
            if after and len(kept) < self.up_to:
                for block in rows.blocks(column):
                    if block.large:
                        yield from self._visit_by_first(block, (*kept, column), after)
                    else:
                        yield block, (*kept, column), after
            subset = (*kept, *after)
            if not subset or self.stopped.is_set():
                return
            rows = rows.without((column,))
            if len(subset) <= self.up_to and not self.visit(subset, rows):
                return

    def _below(self, rows: KnownRows, kept: tuple[int, ...], rest: tuple[int, ...]) -> None:
        indices = range(min(len(rest), self.up_to - len(kept) + 1))  # of the columns that may go first
        denser, first = rows.dense(rest[: len(indices)])
        for index in indices[first:]:
            self._branch(denser, (*kept, *rest[:index]), rest[index:])
        # freed before the other branches start from the sorted keys again
        del denser
        for index in indices[:first]:
            self._branch(rows, (*kept, *rest[:index]), rest[index:])

    def _branch(self, rows: KnownRows, kept: tuple[int, ...], rest: tuple[int, ...]) -> None:
        """Visit the subset without the first of the rest, and its own subsets."""
        after = rest[1:] if len(kept) < self.up_to else ()  # no more may be kept: the subset is `kept` itself
        subset = (*kept, *after)
        if self.stopped.is_set():
            return
        child = rows.without(rest[: len(rest) - len(after)])
        if len(subset) > self.up_to or self.visit(subset, child):
            self._below(child, kept, after)


def subset_limit(columns: int, up_to: int | None, name: str = "up_to") -> int:
    """Parse the largest number of columns (the parameter `name`); raise `TooHard` if the subsets are too many.

    >>> subset_limit(5, None), subset_limit(5, 3), subset_limit(5, 8)
    (5, 3, 5)
    >>> subset_limit(17, None)
    Traceback (most recent call last):
    sidelight.errors.TooHard: 17 columns have 131,071 subsets, and 65,536 can be gone through: those of 16 columns; ask for fewer columns, or say up_to=8
    """  # noqa: E501
    try:
        # true is a kind of int to Python, and no number of columns
        most = columns if up_to is None else 0 if isinstance(up_to, bool) else min(as_index(up_to), columns)
    except TypeError:
        most = 0
    if most < 1 and not (up_to is None and columns == 0):
        raise BadTable(
            f"{parameter(name)} is {as_given(up_to, quoted=True)}; give a whole number of columns, at least 1"
        )
    if subset_count(columns, most) > MOST_SUBSETS:
        can_be = max(size for size in range(most) if subset_count(columns, size) <= MOST_SUBSETS)
        remedy = f", or say {parameter(name, can_be)}" if can_be else ""
        some = "subsets" if most == columns else f"subsets of up to {most} columns"
        raise TooHard(
            f"{columns} columns have {subset_count(columns, most):,} {some}, and {MOST_SUBSETS:,} can be gone through: "
            f"those of {MOST_SUBSETS.bit_length() - 1} columns; ask for fewer columns{remedy}"
        )
    return most


def subset_count(columns: int, up_to: int) -> int:
    """Count the subsets of at least one and at most `up_to` columns.

    >>> subset_count(11, 11), subset_count(4, 2)
    (2047, 10)
    """
    return sum(comb(columns, size) for size in range(1, up_to + 1))


def leaving_order(columns: Sequence[Column]) -> list[int]:
    """Return the indices of columns in the order in which they are left out: those with most labels first."""
    return sorted(range(len(columns)), key=lambda index: -len(columns[index].labels))


Field = tuple[int, int]
"""A column's index and its number of bits."""


@dataclass(frozen=True, slots=True)
class KeyLayout:
    """The bits and words that hold each column; in a word the first column has the highest bits.

    >>> layout = KeyLayout.of({0: 4, 1: 2})
    >>> words = layout.pack([np.array([3, 0]), np.array([1, 1])])
    >>> words[0].tolist()
    [7, 1]
    >>> [word.tolist() for word in layout.cut(0, words)[1]]
    [[1, 1]]
    """

    words: tuple[tuple[Field, ...], ...]

    @classmethod
    def of(cls, labels: dict[int, int]) -> KeyLayout:
        words: list[tuple[Field, ...]] = [()]
        for index, width in labels.items():
            field = (index, _width_bits(width))
            # no column spans two words, so that a shift and a mask read its codes
            if _bits((*words[-1], field)) > WORD:
                words.append(())
            words[-1] = (*words[-1], field)
        return cls(tuple(words))

    @property
    def bits(self) -> int:
        return sum(map(_bits, self.words))

    def pack(self, codes: Sequence[npt.NDArray[np.integer]]) -> list[Integers]:
        columns, rows = iter(codes), len(codes[0])
        packed = []
        for fields in self.words:
            word, own = np.empty(rows, np.int64), [(bits, next(columns)) for _, bits in fields]

            def pack(block: slice, word: Integers = word, own: Sequence[tuple[int, Any]] = own) -> None:
                some = word[block]
                some[:] = 0
                for bits, codes_of_column in own:
                    some <<= bits
                    some |= codes_of_column[block]

            iterate_blocks(pack, rows)
            packed.append(word)
        return packed

    def down_to(self, index: int, words: Sequence[Integers]) -> list[Integers]:
        number, shift, _ = self._where(index)
        return [*words[:number], words[number] >> shift]

    def cut(self, index: int, words: Sequence[Integers]) -> tuple[KeyLayout, list[Integers]]:
        """Cut one column out; join two words as soon as one can hold both."""
        number, shift, bits = self._where(index)
        word = words[number]
        # bits above the column move down over its own, and those below stay
        rest = word >> (shift + bits)
        if shift:
            rest <<= shift
            rest |= word & ((1 << shift) - 1)
        fields = tuple(tuple(field for field in each if field[0] != index) for each in self.words)
        return KeyLayout(fields)._join_words([*words[:number], rest, *words[number + 1 :]])

    def low_bits(self, index: int) -> int | None:
        """Count the bits of a column and those below it, where all are in the last word."""
        number, shift, bits = self._where(index)
        return shift + bits if number == len(self.words) - 1 else None

    def lowest(self) -> int | None:
        """Return the column in the lowest bits, without which sorted keys stay sorted."""
        return next((index for fields in reversed(self.words) for index, bits in reversed(fields) if bits), None)

    def _join_words(self, words: list[Integers]) -> tuple[KeyLayout, list[Integers]]:
        for number in range(len(words) - 1):
            one, other = self.words[number : number + 2]
            # fewer words sort faster
            if _bits((*one, *other)) <= WORD:
                joined = (words[number] << _bits(other)) | words[number + 1]
                layout = KeyLayout((*self.words[:number], (*one, *other), *self.words[number + 2 :]))
                return layout._join_words([*words[:number], joined, *words[number + 2 :]])
        return self, words

    def _where(self, index: int) -> tuple[int, int, int]:
        for number, fields in enumerate(self.words):
            for position, (column, bits) in enumerate(fields):
                if column == index:
                    return number, _bits(fields[position + 1 :]), bits
        raise KeyError(index)


def _width_bits(labels: int) -> int:
    return max(labels - 1, 0).bit_length()


def _bits(fields: Sequence[Field]) -> int:
    return sum(bits for _, bits in fields)


SHARE_NAMES = ("distinction", "separation", "inference")


@dataclass(frozen=True, slots=True, repr=False)
class ColumnSubset:
    """The groups of `people` that these `columns` make for an attacker who knows them of everybody."""

    groups: int
    unique: int
    smallest: int
    squares: int  # Σ f²
    guessed: int | None = None  # Σ over groups of the people who have its most frequent secret
    columns: tuple[str, ...] = ()  # known once all groups were counted
    people: int = 0

    def and_other_groups(self, other: ColumnSubset) -> ColumnSubset:
        """Merge with other groups, which have no person or key in common."""
        return ColumnSubset(
            self.groups + other.groups,
            self.unique + other.unique,
            min((each.smallest for each in (self, other) if each.groups), default=0),
            self.squares + other.squares,
            None if self.guessed is None or other.guessed is None else self.guessed + other.guessed,
        )

    @property
    def unique_share(self) -> Fraction:
        """The share of people who are unique."""
        return Fraction(self.unique, self.people)

    @property
    def distinction(self) -> Fraction:
        """Groups by people: the chance to name the right person of a group, averaged over people."""
        return Fraction(self.groups, self.people)

    @property
    def separation(self) -> Fraction:
        """The share of pairs of people whom the columns tell apart; 0 where there is one person only."""
        pairs = self.people * (self.people - 1)
        # Σ f(f − 1) = Σ f² − Σ f of the ordered pairs are in one group
        return 1 - Fraction(self.squares - self.people, pairs) if pairs else Fraction(0)

    @property
    def inference(self) -> Fraction | None:
        """The share of people whose secret is correctly guessed; None without a secret."""
        return None if self.guessed is None else Fraction(self.guessed, self.people)

    @property
    def shares(self) -> tuple[Fraction | None, ...]:
        """The distinction, separation and inference."""
        return tuple(getattr(self, name) for name in SHARE_NAMES)

    def __repr__(self) -> str:
        unique = f"{self.unique:,} of {counted(self.people, 'person')} unique"
        return f"<ColumnSubset {', '.join(self.columns)}: {counted(self.groups, 'group')}, {unique}>"


@dataclass(frozen=True, slots=True)
class CountedKeys(KnownRows):
    """Distinct rows as sorted keys, with their people."""

    layout: KeyLayout
    words: list[Integers]
    people: Integers
    labels: dict[int, int]  # of the columns that are left, and the secret

    @classmethod
    def of(cls, columns: Sequence[Column], people: Integers, secret: Column | None = None) -> CountedKeys:
        """Pack rows, given as columns; equal ones become one."""
        labels = {index: len(columns[index].labels) for index in leaving_order(columns)}
        codes = [columns[index].codes for index in labels]
        if secret is not None:
            labels[SECRET] = len(secret.labels)
            codes.append(secret.codes)
        layout = KeyLayout.of(labels)
        words = layout.pack(codes) if codes else [np.zeros(len(people), np.int64)]
        words, people = sum_equal_rows(words, people, overwrite=True)
        return cls(layout, words, people, labels)

    def without(self, columns: Sequence[int]) -> CountedKeys:
        layout, words, in_order = self.layout, self.words, True
        # from the last column back: as long as the lowest bits go first, sorted keys stay sorted
        for index in reversed(columns):
            in_order = in_order and layout.lowest() == index
            layout, words = layout.cut(index, words)
        add_up = _sum_runs if in_order else partial(sum_equal_rows, overwrite=True)  # cut keys are new arrays
        words, people = add_up(words, self.people)
        labels = {index: width for index, width in self.labels.items() if index not in columns}
        return CountedKeys(layout, words, people, labels)

    def numbers(self) -> ColumnSubset:
        if SECRET not in self.labels:
            return _count_people(self.people)
        # the secret has the lowest bits: without it keys still stand by group, as runs
        _, groups = self.layout.cut(SECRET, self.words)
        starts = np.flatnonzero(run_starts(groups))
        guessed = np.maximum.reduceat(self.people, starts).sum()
        return replace(_count_people(sum_runs(self.people, starts)), guessed=int(guessed))

    def dense(self, columns: Sequence[int]) -> tuple[CountedKeys | Cube, int]:
        """Return the cube of the columns from the first one for which it is small enough, and how many come before.

        The columns are in the order of the key, and so are those after them.
        """
        room = DENSE * len(self.people)
        # the bits of the last word in which each key differs from the one before: (keys − 1,) int64
        changes = self.words[-1][1:] ^ self.words[-1][:-1]
        for word in self.words[:-1]:
            # a bit above all others where an earlier word differs: then the prefix differs in any case
            changes[word[1:] != word[:-1]] = 1 << WORD
        first, prefixes = len(columns), 1
        # from the last column back: every further axis multiplies the cells that a key may have
        for index in reversed(range(len(columns))):
            low = self.layout.low_bits(columns[index])
            if low is None or 1 << low > room:
                break
            # a change at bit `low` or above begins another prefix
            distinct = 1 + int(np.count_nonzero(changes >= 1 << low))
            if distinct * prod(self._labels_from(columns[index]).values()) > room:
                break
            first, prefixes = index, distinct
        if first == len(columns):
            return self, first
        return self._cube(self._labels_from(columns[first]), changes, prefixes), first

    def blocks(self, column: int) -> Iterator[CountedKeys]:
        starts = np.flatnonzero(run_starts(self.layout.down_to(column, self.words)))
        # cut only where the column or one before it changes, so that rows that may become equal stay together
        after = np.searchsorted(starts, np.arange(BLOCK, len(self.people), BLOCK))
        cuts = [0, *np.unique(starts[after[after < len(starts)]]).tolist(), len(self.people)]
        for start, stop in pairwise(cuts):
            yield replace(self, words=[word[start:stop] for word in self.words], people=self.people[start:stop])

    @property
    def large(self) -> bool:
        return len(self.people) > 2 * BLOCK

    def _labels_from(self, column: int) -> dict[int, int]:
        indices = list(self.labels)
        return {index: self.labels[index] for index in indices[indices.index(column) :]}

    def _cube(self, labels: dict[int, int], changes: Integers, prefixes: int) -> Cube:
        """Return people by the prefix, the columns before these (which has `prefixes` values), and by each of these."""
        new = np.empty(len(self.people), bool)
        new[:1] = True
        np.greater_equal(changes, 1 << sum(map(_width_bits, labels.values())), out=new[1:])
        most = int(sum_runs(self.people, np.flatnonzero(new)).max())  # sums never cross prefixes
        people = self.people.astype(np.min_scalar_type(-most - 1))  # holds any sum over axes
        # the cell of a key is (code of the columns) · prefixes + (its prefix, from 0)
        at = _cells_of_keys(self.words[-1], list(labels.values()))
        at *= prefixes
        at += np.cumsum(new)
        at -= 1
        cells = np.zeros(prod(labels.values()) * prefixes, people.dtype)
        cells[at] = people  # keys are distinct
        # the first of the columns has the smallest stride, so that axes are in reverse order; the prefix is the last
        return Cube(tuple(reversed(labels)), cells.reshape((*reversed(labels.values()), prefixes)))


def _cells_of_keys(word: Integers, labels: list[int]) -> Integers:
    """Return the cell of each key, (keys,) int64, by the lowest bits of its last word; the first column has stride 1.

    The columns' bits are looked up half by half, in lists that stay in the nearest cache.
    """
    half = len(labels) // 2
    upper, lower = _cell_by_bits(labels[:half], 1), _cell_by_bits(labels[half:], prod(labels[:half]))
    cell: Integers = lower[word & (len(lower) - 1)]
    if half:
        cell += upper[(word >> (len(lower).bit_length() - 1)) & (len(upper) - 1)]
    return cell


def _cell_by_bits(labels: list[int], stride: int) -> Integers:
    cell = np.zeros(1, np.int64)
    for width in labels:
        cell = np.add.outer(cell, np.arange(1 << _width_bits(width)) * stride).ravel()
        stride *= width
    return cell


def _sum_runs(words: list[Integers], people: Integers) -> tuple[list[Integers], Integers]:
    starts = np.flatnonzero(run_starts(words))
    if len(starts) == len(people):
        return words, people
    return [word[starts] for word in words], sum_runs(people, starts)


@dataclass(frozen=True, slots=True)
class Cube(KnownRows):
    """People in an array with an axis per column: the secret first, then from fewest labels to most.

    The last axis is the prefix, all other columns together.  Sums over leading axes add contiguous stretches of the
    array, as the longest axes are last.
    """

    axes: tuple[int, ...]
    cells: npt.NDArray[np.integer]

    def without(self, columns: Sequence[int]) -> Cube:
        cells = self.cells
        along = sorted(map(self.axes.index, columns))
        # the last axis first, so that the numbers of those before it stay right
        for axis in reversed(along):
            cells = np.add.reduce(cells, axis=axis, dtype=cells.dtype)
        return Cube(tuple(index for index in self.axes if index not in columns), cells)

    def numbers(self) -> ColumnSubset:
        if SECRET not in self.axes:
            return _count_people(self.cells)
        sizes = np.add.reduce(self.cells, axis=0, dtype=self.cells.dtype)
        return replace(_count_people(sizes), guessed=int(self.cells.max(axis=0).sum(dtype=np.int64)))


def _count_people(sizes: npt.NDArray[np.integer]) -> ColumnSubset:
    flat = sizes.ravel()
    groups, unique = np.count_nonzero(flat), np.count_nonzero(flat == 1)
    smallest = 1 if unique else int(flat.min(where=flat > 0, initial=np.iinfo(flat.dtype).max)) if groups else 0
    return ColumnSubset(int(groups), int(unique), smallest, _sum_of_squares(flat))


def _sum_of_squares(numbers: npt.NDArray[np.integer]) -> int:
    """Return Σ n² exactly, by floats: 256 squares below 2^16 add up to at most 2^24, 2^14 below 2^38 to 2^52."""
    largest = numbers.max(initial=0)
    if largest >= 1 << 19:
        if np.einsum("i,i->", numbers, numbers, dtype=np.float64) >= 1 << 62:  # as of billions of people
            return sum(number**2 for number in numbers.tolist())
        return int(np.einsum("i,i->", numbers, numbers, dtype=np.int64))
    kind = np.float32 if largest < 1 << 8 else np.float64
    total, end = 0, len(numbers) & -256
    for start in range(0, end, 1 << 14):  # which stay in the cache
        some = numbers[start : min(start + (1 << 14), end)].astype(kind).reshape(-1, 256)
        total += int(np.vecdot(some, some).sum(dtype=np.float64))
    rest = numbers[end:].astype(np.int64)
    return total + int(rest @ rest)


def count_each_subset(
    columns: Sequence[Column], people: Integers, secret: Column | None = None, *, up_to: int, progress: Progress = quiet
) -> dict[tuple[int, ...], ColumnSubset]:
    """Count the groups of every subset; a subset is the sorted indices of its columns.

    >>> from sidelight.table.labels import Column
    >>> columns = [Column.of("sex", "mmf"), Column.of("age", "122")]
    >>> by_subset = count_each_subset(columns, np.array([1, 1, 1]), up_to=2)
    >>> {subset: (numbers.groups, numbers.unique) for subset, numbers in sorted(by_subset.items())}
    {(0,): (2, 1), (0, 1): (3, 3), (1,): (2, 1)}
    """
    by_subset: dict[tuple[int, ...], ColumnSubset] = {}
    lock = Lock()
    total = subset_count(len(columns), up_to)

    def visit(subset: tuple[int, ...], node: CountedKeys | Cube) -> bool:
        # counted outside the lock: only merging with other blocks must be exclusive
        indices, numbers = tuple(sorted(subset)), node.numbers()
        with lock:
            others = by_subset.get(indices)
            by_subset[indices] = numbers if others is None else others.and_other_groups(numbers)
        progress("sets of columns", len(by_subset), total)
        return True

    SubsetWalk(visit, up_to).run(CountedKeys.of(columns, people, secret), leaving_order(columns))
    return by_subset


Bitmap = npt.NDArray[np.uint8]
"""A bit per person of a block."""

BITMAPS = 1 << 28
"""The most bytes that the bitmaps of a block may take."""


@dataclass(frozen=True, slots=True)
class MarkedKeys(KnownRows):
    """Distinct rows as sorted keys, each with its person's number, from 1; 0 for several people."""

    layout: KeyLayout
    words: list[Integers]
    person: Integers

    @classmethod
    def of(cls, columns: Sequence[Column], person: Integers) -> MarkedKeys:
        """Pack rows, given as columns; equal ones are several people."""
        order = leaving_order(columns)
        layout = KeyLayout.of({index: len(columns[index].labels) for index in order})
        words = layout.pack([columns[index].codes for index in order])
        return cls(layout, *_mark_equal(words, person, layout.bits))

    def without(self, columns: Sequence[int]) -> MarkedKeys:
        """Return the rows without some columns; equal keys are several people."""
        layout, words = self.layout, self.words
        for index in reversed(columns):
            layout, words = layout.cut(index, words)
        return MarkedKeys(layout, *_mark_equal(words, self.person, layout.bits))

    def alone(self) -> Integers:
        return self.person[self.person > 0] - 1


def _mark_equal(words: list[Integers], person: Integers, bits: int) -> tuple[list[Integers], Integers]:
    """Sort keys; keep one of equal ones, with 0 for its person."""
    # a person's number, in the bits below the key, is sorted along with it
    low = int(person.max(initial=0)).bit_length()
    if len(words) == 1 and bits + low < 63:  # one plain sort beats an argsort
        both = (words[0] << low) | person
        both.sort()
        ordered, person = [both >> low], both & ((1 << low) - 1)
    else:
        order = np.lexsort(words[::-1])
        ordered, person = [word[order] for word in words], person[order]
    new = run_starts(ordered)
    starts = np.flatnonzero(new)
    if len(starts) == len(person):
        return ordered, person
    # unique: both the key before and the one after differ
    alone = new & np.append(new[1:], True)
    return [word[starts] for word in ordered], np.where(alone, person, 0)[starts]


def find_unique_on_each(
    columns: Sequence[Column], people: Integers, *, up_to: int
) -> Iterator[tuple[Integers, dict[tuple[int, ...], Bitmap]]]:
    """Yield, for blocks of people who may be unique, the bitmap of each subset on which some are.

    `people` are those of each row.  With a block come the rows that its bits stand for; a subset is the sorted indices
    of its columns.
    """
    once = np.flatnonzero(people == 1)
    # a bit per person and subset: as many people at a time as fit into `BITMAPS` bytes
    size = max(8 * BITMAPS // max(subset_count(len(columns), up_to), 1), 64)
    for start in range(0, len(once), size):
        block = once[start : start + size]
        person = np.zeros(len(people), np.int64)
        # numbers from 1, as 0 marks a key of several people
        person[block] = np.arange(1, len(block) + 1)
        yield block, _find_unique_on_subsets(columns, person, len(block), up_to)


def _find_unique_on_subsets(
    columns: Sequence[Column], person: Integers, block: int, up_to: int
) -> dict[tuple[int, ...], Bitmap]:
    bitmaps: dict[tuple[int, ...], Bitmap] = {}

    def visit(subset: tuple[int, ...], keys: MarkedKeys) -> bool:
        alone = keys.alone()
        if not len(alone):
            # pruned: nobody who is not unique on these columns is unique on fewer
            return False
        flags = np.zeros(block, bool)
        flags[alone] = True
        bitmaps[tuple(sorted(subset))] = np.packbits(flags)
        return True

    SubsetWalk(visit, up_to).run(MarkedKeys.of(columns, person), leaving_order(columns))
    return bitmaps


def minimal(bitmaps: dict[tuple[int, ...], Bitmap]) -> Iterator[tuple[tuple[int, ...], Bitmap]]:
    """Yield the subsets that are minimal sample uniques of people, with their bitmap, smallest subsets first."""
    for subset in sorted(bitmaps, key=lambda indices: (len(indices), indices)):
        alone = bitmaps[subset].copy()
        # sets with one column fewer are enough: a person who is unique on fewer columns is unique on more
        for left_out in range(len(subset)):
            smaller = bitmaps.get(subset[:left_out] + subset[left_out + 1 :])
            if smaller is not None:
                alone &= ~smaller
        if alone.any():
            yield subset, alone


def indices_of(bitmap: Bitmap) -> Integers:
    """Return the indices of the bits that are set."""
    return np.flatnonzero(np.unpackbits(bitmap))


def names_in_words(names: Sequence[str]) -> str:
    """List the names of columns."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names) or "nothing"
