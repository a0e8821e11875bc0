"""Find equal rows: number them, count them, keep one of each, for millions of rows at a time.

Rows come in several forms, each with its fastest exact algorithm (for n rows):

    `number_keys`     one key each, from a small range: mark it in a table, O(n + range); else sort, O(n log n)
    `number_rows`     columns of codes with known ranges: one key by mixed radix, then as above
    `number_vectors`  a matrix of any whole numbers: sort by a hash, then compare; also `first_of_each`
    `first_of_equal_runs`  rows of different lengths, as runs of entries: the same

The hash is h(x) = Σ x_j · a^(j+1) mod 2^64 with an odd multiplier a; it only brings rows together.  Whether they are
equal is decided by comparing them, so a collision costs time and never an error.

What is numbered is then summed (`add_up`, `sum_by`, `sum_equal_rows`) or joined (`pair_equal`); `run_starts` marks
where equal rows begin once sorted.  Sets of numbers are rows of bits, 64 to a word (`pack_bits`, `unpack_bits`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Bits: TypeAlias = npt.NDArray[np.uint64]

# Keys stay below this, so that they fit in 64 bits with room to add
KEY_LIMIT = 2**62

# Knuth's, of MMIX: odd, so that no bit of a row is lost in a product modulo 2**64
MULTIPLIER = 6364136223846793005


# Rows of a block on which several operations stay in the cache
BLOCK_ROWS = 1 << 15


def iterate_blocks(work: Callable[[slice], None], rows: int) -> None:
    """Call `work` for all rows, block by block, by two threads if there are many.

    >>> doubled = np.arange(3)
    >>> iterate_blocks(lambda block: np.multiply(doubled[block], 2, out=doubled[block]), 3)
    >>> doubled.tolist()
    [0, 2, 4]
    """
    blocks = [slice(start, start + BLOCK_ROWS) for start in range(0, rows, BLOCK_ROWS)]
    if len(blocks) < 16:
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(max_workers=2) as pool:
        for _ in pool.map(work, blocks):
            pass


def number_keys(keys: Integers, *, below: int) -> tuple[Integers, Integers]:
    """Number the distinct keys (whole numbers from 0 to `below` - 1) from 0, in their order.

    Returns each key's number, and for each number the first row that has it.  Keys from a small range are marked in a
    table, which is several times faster than sorting them.

    >>> [part.tolist() for part in number_keys(np.array([7, 3, 7]), below=10)]
    [[1, 0, 1], [1, 0]]
    """
    # keys are marked instead of sorted while their range is at most 16 times their number
    if below > 16 * len(keys):
        distinct, number = np.unique(keys, return_inverse=True)
    else:
        occurs = np.zeros(below, bool)
        occurs[keys] = True
        distinct = np.flatnonzero(occurs)
        rank = np.empty(below, np.int64)  # filled only where it is looked up
        rank[distinct] = np.arange(len(distinct))
        number = rank[keys]
    return number.astype(np.int64, copy=False), _first_rows(number, len(distinct))


def _first_rows(number: npt.NDArray[np.integer], count: int) -> Integers:
    """Find the first row of each number; NumPy's own `return_index` would need a stable sort, twice as slow."""
    first = np.empty(count, np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]  # of several rows with one number, the last one written stays
    return first


def number_rows(
    columns: Sequence[npt.NDArray[np.integer]], ranges: Sequence[int], *, rows: int
) -> tuple[Integers, Integers]:
    """Number the distinct rows of columns of codes (0 to `ranges[j]` - 1), in lexicographic order.

    Returns each row's number, and for each number the first row that has it.  Without columns all rows are equal.
    Invariant: after j columns `key` < `below` orders the rows as their first j columns do.

    >>> [part.tolist() for part in number_rows([np.array([1, 0, 1]), np.array([7, 8, 7])], [2, 9], rows=3)]
    [[1, 0, 1], [1, 0]]
    """
    key, below = np.zeros(rows, np.int64), 1
    for codes, width in zip(columns, ranges, strict=True):
        if below * width >= KEY_LIMIT:  # squeeze before the key would overflow
            key, first = number_keys(key, below=below)
            below = max(len(first), 1)
        key = key * width + codes
        below *= max(width, 1)
    return number_keys(key, below=below)


def number_vectors(matrix: Integers) -> tuple[Integers, Integers]:
    """Number the distinct rows of a matrix, in no particular order.

    Returns each row's number, and for each number the first row that has it.

    >>> [part.tolist() for part in number_vectors(np.array([[2, 1], [3, 1], [2, 1]]))]
    [[0, 1, 0], [0, 1]]
    """
    distinct, number = np.unique(_hash(matrix), return_inverse=True)
    first = _first_rows(number, len(distinct))
    if (matrix[first][number] != matrix).any():  # two distinct rows share their hash: as good as never
        _, first, number = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    return number.astype(np.int64, copy=False).ravel(), first.astype(np.int64, copy=False)


def first_of_each(matrix: Integers, most: int = 1) -> Integers:
    """Keep the first, or the first `most`, of equal rows, in order.

    Should distinct rows share a hash, some rows may be kept beyond `most`; none is lost.

    >>> rows = np.array([[2, 1], [3, 1], [2, 1], [2, 1]])
    >>> first_of_each(rows).tolist(), first_of_each(rows, 2).tolist()
    ([0, 1], [0, 1, 2])
    """
    if len(matrix) <= 1:
        return np.arange(len(matrix))
    order = np.argsort(_hash(matrix), kind="stable")  # stable: equal rows keep their order
    after = matrix[order]
    new = np.concatenate(([True], (after[1:] != after[:-1]).any(axis=1)))
    if most > 1:
        positions = np.arange(len(matrix))
        # the distance from the start of the run, for every row: below `most` are the first ones
        new = positions - np.maximum.accumulate(np.where(new, positions, 0)) < most
    return np.sort(order[new])


def _hash(matrix: Integers) -> Integers:
    # (columns,): a, a², …, so (rows, columns) @ (columns,) is h(x) of each row
    powers = np.full(matrix.shape[1], MULTIPLIER).cumprod()
    hashed: Integers = matrix.astype(np.int64, copy=False) @ powers  # overflows on purpose: modulo 2**64
    return hashed


def first_of_equal_runs(starts: Integers, columns: npt.NDArray[np.integer], amounts: Integers) -> Integers:
    """Keep the first of equal rows, in order; row r has `amounts[starts[r]:starts[r+1]]` in its `columns`.

    Rows with a single small entry are compared by it; if most rows are such, that is most of the work.  The others are
    compared by the hash Σ amount · a^(column+1) in a table, whose first row of each slot represents the rows that equal
    it, entry by entry.  Rows that differ from the representative are kept: so equal rows may stay, and none is lost.

    >>> starts, columns, amounts = np.array([0, 1, 3, 4, 6]), np.array([0, 0, 1, 0, 0, 1]), np.array([1, 2, 1, 1, 2, 1])
    >>> first_of_equal_runs(starts, columns, amounts).tolist()
    [0, 1]
    """
    rows, width = len(starts) - 1, int(columns.max(initial=0)) + 1
    if rows <= 1:
        return np.arange(rows)
    alone = np.flatnonzero(np.diff(starts) == 1)
    if 2 * len(alone) < rows:
        return _first_by_hash(starts, columns, amounts, width)
    entries = starts[alone]
    kinds = amounts[entries] * width + columns[entries]
    common = (kinds < KINDS_IN_A_TABLE) & (amounts[entries] < KINDS_IN_A_TABLE)  # also where the product overflows
    if not common.all():
        alone, kinds = alone[common], kinds[common]
    first = np.full(KINDS_IN_A_TABLE, -1)
    first[kinds[::-1]] = alone[::-1]  # of several rows in one slot, the last one written stays
    kept = first[first >= 0]
    if len(alone) < rows:
        others = np.ones(rows, bool)
        others[alone] = False
        others = np.flatnonzero(others)
        _, entries = ranges(starts[others], starts[others + 1])
        shorter = np.concatenate(([0], np.cumsum(starts[others + 1] - starts[others])))
        kept = np.concatenate((kept, others[_first_by_hash(shorter, columns[entries], amounts[entries], width)]))
    return np.sort(kept)


# Slots of a table for rows with one entry that stays in the cache
KINDS_IN_A_TABLE = 1 << 12


def _first_by_hash(starts: Integers, columns: npt.NDArray[np.integer], amounts: Integers, width: int) -> Integers:
    rows = len(starts) - 1
    powers = np.full(width, MULTIPLIER).cumprod()
    summed = np.concatenate(([0], (amounts * powers[columns]).cumsum()))  # overflows on purpose: modulo 2**64
    hashed = (summed[starts[1:]] - summed[starts[:-1]]).view(np.uint64)
    bits = max(rows.bit_length(), 4)
    # the top bits of a product depend on all bits of the hash, the low bits only on its low bits
    slot = (hashed * np.uint64(MULTIPLIER) >> np.uint64(64 - bits)).astype(np.int64)
    first = np.empty(1 << bits, np.int64)
    first[slot[::-1]] = np.arange(rows)[::-1]  # of several rows in one slot, the last one written stays
    stands_for = first[slot]
    lengths = np.diff(starts)
    alike = (hashed == hashed[stands_for]) & (lengths == lengths[stands_for])
    # per entry, how far away the entry of the representative is; 0 compares a row with itself
    moved = np.repeat(starts[stands_for] - starts[:-1], lengths)
    moved[np.repeat(~alike, lengths)] = 0
    twin = np.arange(len(amounts)) + moved
    differs = (columns[twin] != columns) | (amounts[twin] != amounts)
    if differs.any():  # two distinct rows share their hash: as good as never
        alike &= np.diff(np.concatenate(([0], np.cumsum(differs)))[starts]) == 0
    return np.flatnonzero(~alike | (stands_for == np.arange(rows)))


def smallest_of_each(columns: Sequence[Integers], labels: Integers) -> tuple[tuple[Integers, ...], Integers]:
    """Sort distinct tuples given column by column, each with the smallest label among those equal to it.

    Columns and labels may have any shapes that broadcast, and are broadcast in full only if a key is too long.

    >>> kept, smallest = smallest_of_each([np.array([1, 0, 1]), np.array([7, 8, 7])], np.array([0, 1, 2]))
    >>> [column.tolist() for column in kept], smallest.tolist()
    ([[0, 1], [8, 7]], [1, 0])
    """
    shape = np.broadcast(*columns, labels).shape
    if prod(shape) == 0:
        return tuple(np.empty(0, np.int64) for _ in columns), np.empty(0, np.int64)
    lows = [int(column.min()) for column in columns]
    spans = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    many, below = int(labels.max()) + 1, prod(spans)
    if below >= KEY_LIMIT // many:  # no key would fit
        full = [np.broadcast_to(column, shape).ravel() for column in (*columns, labels)]
        order = np.lexsort(full[::-1])
        ordered = [column[order] for column in full]
        new = run_starts(ordered[:-1])
        return tuple(column[new] for column in ordered[:-1]), ordered[-1][new]
    # one key of each tuple by mixed radix; short ones where they do, as they are quicker to move
    kind = np.int32 if below < 2**31 else np.int64
    key: npt.NDArray[np.integer] = np.zeros(shape, kind)
    for column, low, span in zip(columns, lows, spans, strict=True):
        key *= kind(span)
        key += (column - low).astype(kind, copy=False)
    # a table of the range costs its length, sorting n log n: up to four times the keys the table is quicker
    if below <= max(4 * key.size, 1 << 16):
        table = np.full(below, many)
        np.minimum.at(table, key.ravel(), np.broadcast_to(labels, key.shape).ravel())
        kept = np.flatnonzero(table < many)
        smallest = table[kept]
    else:  # key and label as one number: of equal keys the smallest label comes first
        joined = np.sort((key.astype(np.int64) * many + labels).ravel())
        joined = joined[run_starts([joined // many])]
        kept, smallest = joined // many, joined % many
    digits = []
    for low, span in zip(reversed(lows), reversed(spans), strict=True):
        digits.append(kept % span + low)
        kept = kept // span
    return tuple(reversed(digits)), smallest


def run_starts(columns: Sequence[npt.NDArray[np.integer]]) -> Flags:
    """Mark the rows that differ from the row before in some column (the first always does).

    >>> run_starts([np.array([1, 1, 2]), np.array([5, 5, 5])]).tolist()
    [True, False, True]
    """
    new = np.empty(len(columns[0]), bool)
    new[:1] = True
    np.not_equal(columns[0][1:], columns[0][:-1], out=new[1:])
    for column in columns[1:]:
        new[1:] |= column[1:] != column[:-1]
    return new


def number_runs(columns: Sequence[Integers]) -> Integers:
    """Number the distinct rows from 0; equal rows must be neighbours.

    >>> number_runs([np.array([0, 0, 1]), np.array([7, 7, 7])]).tolist()
    [0, 0, 1]
    """
    return np.cumsum(run_starts(columns)) - 1


def ranges(start: Integers, stop: Integers) -> tuple[Integers, Integers]:
    """List the numbers from each start to its stop: the index of the range, and the number.

    >>> [each.tolist() for each in ranges(np.array([5, 7]), np.array([7, 8]))]
    [[0, 0, 1], [5, 6, 7]]
    """
    # position i of the result is start + (i − how many came before this start)
    times = stop - start
    number = np.repeat(start - np.cumsum(times) + times, times)
    number += np.arange(len(number))
    return np.repeat(np.arange(len(start)), times), number


def pair_equal(one: Integers, other: Integers) -> tuple[Integers, Integers]:
    """Pair the positions of equal numbers of two lists, of which the other one is sorted.

    >>> [each.tolist() for each in pair_equal(np.array([1, 0]), np.array([0, 1, 1]))]
    [[0, 0, 1], [1, 2, 0]]
    """
    below = max(one.max(initial=-1), other.max(initial=-1)) + 1
    starts = starts_of(other, int(below))
    return ranges(starts[one], starts[one + 1])


def starts_of(number: Integers, count: int) -> Integers:
    """Return the start of each number's rows once sorted, and the end of the last.

    >>> starts_of(np.array([0, 2, 2]), 3).tolist()
    [0, 1, 1, 3]
    """
    return np.concatenate(([0], np.cumsum(np.bincount(number, minlength=count))))


def add_up(number: npt.NDArray[np.integer], amounts: Integers, count: int) -> Integers:
    """Add up the amounts of each number from 0 to `count` - 1, exactly: floats carry whole numbers only up to 2**53.

    >>> add_up(np.array([1, 0, 1]), np.array([2, 3, 4]), 3).tolist()
    [3, 6, 0]
    """
    if (amounts == 1).all():  # a plain count
        return np.bincount(number, minlength=count)
    # no partial sum exceeds the total, so float64 holds each of them exactly and `bincount` can be used
    if amounts.sum(dtype=np.float64) < 2**53:
        return np.bincount(number, weights=amounts, minlength=count).astype(np.int64)
    total = np.zeros(count, np.int64)
    np.add.at(total, number, amounts)
    return total


def sum_by(index: Integers, amounts: npt.ArrayLike, length: int) -> Floats:
    """Add up amounts that have the same index, in floats, where `add_up` is for whole numbers.

    >>> sum_by(np.array([1, 0, 1]), [0.5, 3, 4], 3).tolist()
    [3.0, 4.5, 0.0]
    """
    return np.bincount(index, np.asarray(amounts, float), length).astype(float)


def sum_equal_rows(
    columns: Sequence[Integers], counts: Integers, *, overwrite: bool = False
) -> tuple[list[Integers], Integers]:
    """Sort rows given column by column (numbers ≥ 0); equal ones become one, and their counts (≥ 0) are added.

    With `overwrite` the columns may be changed, which saves fresh memory.

    >>> rows, counts = sum_equal_rows([np.array([7, 3, 7])], np.array([1, 1, 2]))
    >>> [column.tolist() for column in rows], counts.tolist()
    ([[3, 7]], [1, 3])
    """
    if not len(counts):
        return list(columns), counts
    bits = int(counts.max()).bit_length()
    if len(columns) == 1 and int(columns[0].max()).bit_length() + bits < 63:  # one plain sort beats an argsort
        both = columns[0] if overwrite else columns[0].copy()
        both <<= bits  # in place: a fresh array costs more than an operation on it
        both |= counts
        both.sort()
        counts = both & ((1 << bits) - 1)
        both >>= bits
        ordered = [both]
    else:
        order = np.lexsort(columns[::-1])
        ordered, counts = [column[order] for column in columns], counts[order]
    new = run_starts(ordered)
    if not new.all():
        starts = np.flatnonzero(new)
        ordered, counts = [column[starts] for column in ordered], sum_runs(counts, starts)
    return ordered, counts


def sum_runs(amounts: Integers, starts: Integers) -> Integers:
    """Add up runs of amounts by their starts: faster than `np.add.reduceat`, as runs are short.

    >>> sum_runs(np.array([1, 2, 3, 4]), np.array([0, 1, 3])).tolist()
    [1, 5, 4]
    """
    # long runs by prefix sums; where most runs have one amount, only the further ones are added
    if 4 * len(starts) < 3 * len(amounts):
        before = np.zeros(len(amounts) + 1, np.int64)
        np.cumsum(amounts, out=before[1:])
        return np.diff(before[starts], append=before[-1])
    further = np.ones(len(amounts), bool)
    further[starts] = False
    positions = np.flatnonzero(further)
    sums = amounts[starts]
    # a position less the further ones up to it counts the starts before it
    np.add.at(sums, positions - np.arange(1, len(positions) + 1), amounts[positions])
    return sums


def reduce_fractions(matrix: Integers) -> Integers:
    """Divide each row by its greatest common divisor: equal proportions give equal rows.

    >>> reduce_fractions(np.array([[2, 4], [3, 6], [0, 0]])).tolist()
    [[1, 2], [1, 2], [0, 0]]
    """
    shared = np.gcd.reduce(matrix, axis=1, keepdims=True)
    lowest: Integers = matrix // np.maximum(shared, 1)
    return lowest


def pack_bits(flags: Flags) -> Bits:
    """Pack flags, 64 to a word: flag j of a row is bit j mod 64 of its word j div 64.

    >>> pack_bits(np.array([[True, False, True], [False, True, False]])).tolist()
    [[5], [2]]
    """
    width = flags.shape[-1]
    padded = np.zeros((*flags.shape[:-1], -(-width // 64) * 64), bool)
    padded[..., :width] = flags
    # (…, 64 · words) flags → (…, 8 · words) octets → (…, words) uint64, little-endian on every machine
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def pack_positions(row: Integers, flag: Integers, shape: tuple[int, int]) -> Bits:
    """Pack flags as `pack_bits` does, given as pairs (row, flag) of those that are set.

    >>> pack_positions(np.array([0, 0, 1]), np.array([0, 2, 1]), (2, 3)).tolist()
    [[5], [2]]
    """
    words = np.zeros((shape[0], -(-shape[1] // 64)), np.uint64)
    np.bitwise_or.at(words, (row, flag // 64), np.uint64(1) << (flag % 64).astype(np.uint64))
    return words


def unpack_bits(words: Bits, width: int) -> Flags:
    """Unpack words into flags, `width` of them for each row.

    >>> unpack_bits(np.array([[5]], np.uint64), 3).tolist()
    [[True, False, True]]
    """
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=width, bitorder="little").view(np.bool_)


def repeat_rows(times: Integers, at_once: int) -> Iterator[Integers]:
    """Yield each index 0, 1, … `times[index]` times, in order, `at_once` at a time.

    >>> [rows.tolist() for rows in repeat_rows(np.array([3, 0, 2]), 2)]
    [[0, 0], [0, 2], [2]]
    """
    ends = np.cumsum(times)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, at_once):
        stop = min(start + at_once, total)
        first, last = np.searchsorted(ends, [start, stop - 1], side="right")
        # a row may be cut by a block: only its repeats between start and stop are yielded here
        here = np.clip(ends[first : last + 1], start, stop)
        yield np.repeat(np.arange(first, last + 1), np.diff(here, prepend=start))
