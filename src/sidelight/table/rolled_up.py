"""A stream of keys, published more coarsely: another stream, of which never all keys are held either.

Symbols     key q = (c_1, …, c_m) by codes; r_j maps the labels of column j to fewer; q' = (r_1(c_1), …, r_m(c_m)).
Roll-up     n_q'(x) = Σ n_q(x) over the keys q that become q'; nobody has two keys, so people add up like counts do.
Order       packed words order rows as codes do, so that the new keys come in the order of the new labels.
Bound       What differs within a run differs in all: a run with more than `most_keys` keys ends it (None).
Cost        each row is unpacked, looked up in the columns that change, packed and sorted; equal ones are counted
            together run by run, so that much is added up before anything is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sidelight._arrays import Codes, Integers, run_starts
from sidelight.table.key_stream import KeyStream
from sidelight.table.labels import Label
from sidelight.table.memory import Memory
from sidelight.table.packed_keys import Packing, Words
from sidelight.table.sorted_runs import SortedRuns

Relabelling: TypeAlias = tuple[tuple[Label, ...], Codes]
"""New labels, and which of them each old one becomes."""


def roll_up_stream(
    stream: KeyStream, columns: Sequence[Relabelling | None], memory: Memory, *, most_keys: int | None = None
) -> KeyStream | None:
    """Publish some columns of a stream more coarsely (None: as it is); None where it has more than `most_keys` keys."""
    quasi = stream.packing.labels[: -stream.packing.sensitive]
    labels = tuple(old if new is None else new[0] for old, new in zip(quasi, columns, strict=True))
    packing = Packing((*labels, *stream.packing.value_labels), stream.packing.sensitive)
    step = _Step(stream.packing, packing, columns)
    try:
        entries = step.entries(stream, memory, most_keys)
        people = None if stream.people_per_key is None else step.people(stream.people_per_key, memory)
    except _TooManyKeys:
        return None
    recoded = {name for name, new in zip(stream.roles.quasi, columns, strict=True) if new is not None}
    kinds = tuple(each for each in stream.roles.kinds if each[0] not in recoded)
    return replace(
        stream,
        roles=replace(stream.roles, kinds=kinds),
        packing=packing,
        entries=entries,
        people_per_key=people,
    )


class _TooManyKeys(Exception):
    """A signal between the functions of this file."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The way from one packing to another."""

    old: Packing
    new: Packing
    columns: Sequence[Relabelling | None]

    def entries(self, stream: KeyStream, memory: Memory, most_keys: int | None) -> SortedRuns:
        def look_at(words: Words) -> None:
            if most_keys is not None and np.count_nonzero(run_starts(self.new.keys(words))) > most_keys:
                raise _TooManyKeys

        runs = self._runs(stream.entries, memory)
        runs.look_at = look_at
        for words, counts in stream.entries.in_any_order():
            codes = self._recoded(self.old.unpack(words))
            runs.add(self.new.pack(codes), _unless_ones(counts))
        return runs

    def people(self, people_per_key: SortedRuns, memory: Memory) -> SortedRuns:
        runs = self._runs(people_per_key, memory)
        for keys, people in people_per_key.in_any_order():
            runs.add(self.new.pack_keys(self._recoded(self.old.key_codes(keys)), len(people)), people)
        return runs

    def _runs(self, like: SortedRuns, memory: Memory) -> SortedRuns:
        words = len(self.new.layout)
        return SortedRuns(words, memory.rows_to_sort(words), like.rows_in_all)

    def _recoded(self, codes: list[Codes]) -> list[Codes]:
        """Recode the quasi-identifiers; sensitive values, which come last, stay."""
        changed = [code if new is None else new[1][code] for code, new in zip(codes, self.columns, strict=False)]
        return [*changed, *codes[len(changed) :]]


def _unless_ones(counts: Integers) -> Integers | None:
    """Rows that count once are sorted faster without their counts."""
    return None if bool((counts == 1).all()) else counts
