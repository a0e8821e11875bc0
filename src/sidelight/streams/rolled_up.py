"""A stream of keys, published more coarsely: another stream, of which never all keys are held either.

Symbols     key q = (c_1, …, c_m) by codes; r_j maps the labels of column j to fewer; q' = (r_1(c_1), …, r_m(c_m)).
Roll-up     n_q'(x) = Σ n_q(x) over the keys q that become q'; nobody has two keys, so people add up like counts do.
Order       packed words order rows as codes do, so that the new keys come in the order of the new labels.
Bound       What differs within a run differs in all: a run with more than `most_keys` keys ends it (None).
Slots       Let h send every new key to one of some slots.  A slot with fewer than k people has only keys with fewer
            than k: its people are in groups that are too small, for sure.  Sums over slots need no sort and no file.
Cost        a division, a look-up and a sum per row and column that changes, and a sort; columns that stay side by side
            move together.  Equal rows are counted together run by run, so that much is added up before anything is
            written down; few rows that there can be are counted in an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from sidelight.ahead import ahead
from sidelight.arrays import MULTIPLIER, Codes, Integers, add_up, run_starts
from sidelight.streams.key_stream import KeyStream
from sidelight.streams.memory import Memory
from sidelight.streams.packed_keys import Packing, Words
from sidelight.streams.sorted_runs import Batch, SortedRuns
from sidelight.table.labels import Label

COUNTED_BY_ARRAY = 1 << 22
"""So many rows that there can be are counted in an array: several times quicker than to sort those that there are."""

MOST_SLOTS = 1 << 24
"""So many sums are kept at most, to see that groups are too small before anything is sorted."""

Relabelling: TypeAlias = tuple[tuple[Label, ...], Codes]
"""New labels, and which of them each old one becomes."""


Reading: TypeAlias = Callable[[int, int], None]
"""Is told how many rows are read, and of how many."""


def do_not_report(rows: int, of_rows: int) -> None:
    """Report to nobody."""


def roll_up_stream(
    stream: KeyStream,
    columns: Sequence[Relabelling | None],
    memory: Memory,
    *,
    most_keys: int | None = None,
    reading: Reading = do_not_report,
) -> KeyStream | None:
    """Publish some columns of a stream more coarsely (None: as it is); None where it has more than `most_keys` keys."""
    step = _Step.build(stream, columns, reading)
    try:
        entries = step.entries(stream, memory, most_keys)
        people, weights = (
            None if each is None else step.amounts(each, memory)
            for each in (stream.people_per_key, stream.weight_per_key)
        )
    except _TooManyKeys:
        return None
    recoded = {name for name, new in zip(stream.roles.quasi, columns, strict=True) if new is not None}
    # a declared kind describes the old labels; coarser ones may be of another
    kinds = tuple(each for each in stream.roles.kinds if each[0] not in recoded)
    return replace(
        stream,
        roles=replace(stream.roles, kinds=kinds),
        packing=step.new,
        entries=entries,
        people_per_key=people,
        weight_per_key=weights,
    )


def people_surely_below(
    stream: KeyStream,
    columns: Sequence[Relabelling | None],
    memory: Memory,
    least: int,
    *,
    reading: Reading = do_not_report,
) -> int:
    """Count people of whom one pass shows that a coarser stream has them in groups of fewer than `least`; or fewer."""
    step = _Step.build(stream, columns, reading)
    per_key, bits = stream.people_per_key, min(MOST_SLOTS, memory.to_count // 8).bit_length() - 1
    people = np.zeros(1 << bits, np.int64)
    recoded = step.packed_anew(stream.entries) if per_key is None else step.amounts_anew(per_key)
    for words, amounts in recoded:
        keys = step.new.keys(words) if per_key is None else words
        np.add.at(people, _slots(keys, bits), 1 if amounts is None else amounts)
    # keys that collide only make a slot larger: every person in a small slot is in a small group, never the reverse
    return int(people[people < least].sum())


def _slots(keys: Words, bits: int) -> Integers:
    """Send keys to slots, equal ones to the same."""
    mixed = np.zeros(len(keys[0]), np.uint64)
    for key in keys:
        mixed = (mixed + key.view(np.uint64)) * np.uint64(MULTIPLIER)  # overflows on purpose: modulo 2**64
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)


class _TooManyKeys(Exception):
    """A signal between the functions of this file."""


@dataclass(frozen=True)
class _Step:
    """The way from one packing to another."""

    old: Packing
    new: Packing
    columns: Sequence[Relabelling | None]
    reading: Reading = do_not_report

    @classmethod
    def build(cls, stream: KeyStream, columns: Sequence[Relabelling | None], reading: Reading) -> _Step:
        old = stream.packing
        quasi = old.labels[: -old.sensitive]
        labels = (before if new is None else new[0] for before, new in zip(quasi, columns, strict=True))
        return cls(old, Packing((*labels, *old.value_labels), old.sensitive), columns, reading)

    def entries(self, stream: KeyStream, memory: Memory, most_keys: int | None) -> SortedRuns:
        def look_at(words: Words) -> None:
            if most_keys is not None and np.count_nonzero(run_starts(self.new.keys(words))) > most_keys:
                raise _TooManyKeys

        runs = self._runs(stream.entries, memory)
        below = prod(max(len(labels), 1) for labels in self.new.labels)
        # with "no value" a row may count for nothing and still makes a key, which an array of sums could not show
        if below <= COUNTED_BY_ARRAY and stream.roles.missing != "no value":
            counted = _added_up(self.packed_anew(stream.entries), below)
            rows = np.flatnonzero(counted)
            look_at([rows])
            runs.add([rows], counted[rows])
            return runs
        runs.look_at = look_at
        for words, once_or_counts in self.packed_anew(stream.entries):
            runs.add(words, once_or_counts)
        return runs

    def packed_anew(self, entries: SortedRuns) -> Iterator[tuple[Words, Integers | None]]:
        """Return all rows as the new packing has them, in any order; those that count once without counts."""
        done, rows = 0, entries.rows
        recoded = ((self.repack(words), _unless_ones(counts)) for words, counts in entries.read_unordered())
        for words, counts in ahead(recoded):
            yield words, counts
            done += len(words[0])
            self.reading(done, rows)

    def amounts_anew(self, per_key: SortedRuns) -> Iterator[Batch]:
        """Return what keys have, by their new keys."""
        for keys, amounts in per_key.read_unordered():
            words = [*keys[:-1], keys[-1] * self.old.width]  # as if they had the first value
            yield self.new.keys(self.repack(words)), amounts

    def amounts(self, per_key: SortedRuns, memory: Memory) -> SortedRuns:
        """Add up what keys have: people, or their weights."""
        runs = self._runs(per_key, memory)
        for keys, amounts in self.amounts_anew(per_key):
            runs.add(keys, amounts)
        return runs

    def _runs(self, like: SortedRuns, memory: Memory) -> SortedRuns:
        words = len(self.new.layout)
        return SortedRuns(words, memory.rows_to_sort(words), like.rows_in_all)

    def repack(self, words: Words) -> Words:
        """Pack rows anew, without unpacking columns that stay or say nothing any more."""
        packed: list[Integers | None] = [None] * len(self.new.layout)
        for part in self.parts:
            digits = words[part.word] if part.weight == 1 else words[part.word] // part.weight
            # digits // weight still has the columns before it, unless it leads its word: the radix takes them off
            if not part.leads:
                digits = digits - digits // part.radix * part.radix
            added = digits * part.new_weight if part.table is None else part.table[digits]
            before = packed[part.new_word]
            packed[part.new_word] = added if before is None else before + added
        return [np.zeros(len(words[0]), np.int64) if word is None else word for word in packed]

    @cached_property
    def parts(self) -> tuple[_Digits, ...]:
        """Take columns that stay and stand side by side together, and leave out those that have one label left."""
        places, new_places = _places(self.old), _places(self.new)
        weights, new_weights = self.old.weights(), self.new.weights()
        stays = [*(new is None for new in self.columns), *(True for _ in range(self.old.sensitive))]
        parts: list[_Digits] = []
        joins = False
        for at, labels in enumerate(self.old.labels):
            radix, recode = max(len(labels), 1), None if stays[at] else self.columns[at]
            if recode is not None and len(recode[0]) == 1:
                joins = False
                continue
            table = None if recode is None else recode[1].astype(np.int64) * new_weights[at]
            leads = self.old.layout[places[at]][0] == at
            part = _Digits(places[at], weights[at], radix, leads, new_places[at], new_weights[at], table)
            last = parts[-1] if parts and joins and table is None else None
            if last is not None and (last.word, last.new_word) == (part.word, part.new_word):
                parts[-1] = replace(part, radix=last.radix * radix, leads=last.leads)
            else:
                parts.append(part)
            joins = table is None
        return tuple(parts)


@dataclass(frozen=True, slots=True)
class _Digits:
    """Some columns of a word: the digits (word // weight) mod radix, and what they add to a new word."""

    word: int
    weight: int
    radix: int
    leads: bool  # whether nothing stands before them in the word
    new_word: int
    new_weight: int
    table: Integers | None  # what each digit adds; None: itself, by the new weight


def _places(packing: Packing) -> list[int]:
    """Return which word holds each column."""
    return [word for word, held in enumerate(packing.layout) for _ in held]


def _added_up(batches: Iterable[tuple[Words, Integers | None]], below: int) -> Integers:
    """Add up the counts of rows of one word, each below a number."""
    total = np.zeros(below, np.int64)
    for (word,), counts in batches:
        # bincount touches all `below` sums for each batch, which pays only where the batch is about as long
        if below <= 4 * len(word):
            total += np.bincount(word, minlength=below) if counts is None else add_up(word, counts, below)
        else:
            np.add.at(total, word, 1 if counts is None else counts)
    return total


def _unless_ones(counts: Integers) -> Integers | None:
    """Rows that count once are sorted faster without their counts."""
    return None if bool((counts == 1).all()) else counts
