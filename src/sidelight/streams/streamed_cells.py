"""Cells that hold several values, where keys are never held: each sorted row is taken apart, and sorted again.

    rows (key, cell) ──▶ rows (key, value), one for each value in the cell, and the people of each key beside them

which is what a stream is of people who have several rows, so that whoever goes through it need not know.  The different
cells are labels, which are held as those of any column are (`cell_lists` takes them apart).

*Invariant.*  The stream has the keys, people and counts of the table that `split_cells` makes of the same rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sidelight.arrays import add_up
from sidelight.streams.key_stream import KeyStream, ValuePlaces
from sidelight.streams.memory import Memory
from sidelight.streams.packed_keys import Packing
from sidelight.streams.sorted_runs import SortedRuns
from sidelight.table.cell_lists import CellLists, intake_of_lists
from sidelight.table.roles import Roles


def split_stream(stream: KeyStream, roles: Roles, separator: str, memory: Memory) -> KeyStream:
    """Take the cells of a stream with one cell per person apart, as the complete `roles` say; its keys come here."""
    stream = stream.brought_here(memory)
    lists = CellLists.of(stream.domain, separator, roles.values or "set", roles.missing_marks)
    rows = lists.count_valueless(stream.whole, roles, weighed=stream.weight_per_key is not None)
    lists = lists.replace_values(roles.domain_of(roles.value_columns[0]), stream.sensitive)
    dropped = rows if roles.missing == "drop" else 0
    labels, places = lists.values, np.arange(len(lists.values))
    if rows and not dropped:  # who has no value makes a key all the same, by a value that counts for nothing
        lists, labels, places = _add_missing_value(lists), (*labels, None), np.append(places, -1)
    packing = Packing((*stream.packing.labels[:-1], labels))
    cell, value = lists.split_entries(np.arange(len(stream.domain)))
    entries, people = _split_entries(stream, lists, packing, memory)
    weights = None if stream.weight_per_key is None else _packed_anew(stream, packing, stream.weight_per_key, memory)
    return replace(
        stream,
        roles=roles,
        typed_roles=replace(roles, kinds=stream.typed_roles.kinds),
        packing=packing,
        domain=lists.values,
        whole=add_up(value, stream.whole[cell], len(labels))[places >= 0],
        people=stream.people - dropped,
        intake=intake_of_lists(stream.intake, roles, rows),
        entries=entries,
        people_per_key=people,
        value_places=ValuePlaces.build(np.arange(len(labels)), places, packing.width),
        weight_per_key=weights,
    )


def _add_missing_value(lists: CellLists) -> CellLists:
    """Let cells without values have one that says so, the code after all others."""
    # starts: (cells,); an empty cell begins where its single new code is to be inserted
    starts = np.cumsum(lists.lengths) - lists.lengths
    codes = np.insert(lists.codes, starts[lists.empty], len(lists.values))
    return replace(lists, lengths=np.maximum(lists.lengths, 1), codes=codes)


def _split_entries(
    stream: KeyStream, lists: CellLists, packing: Packing, memory: Memory
) -> tuple[SortedRuns, SortedRuns]:
    """Sort values, and people, by their keys."""
    words = len(packing.layout)
    entries, people = (SortedRuns(words, memory.rows_to_sort(words) // 2 or 1) for _ in range(2))
    for batch, counts in stream.entries.batches():
        keys = stream.packing.keys(batch)
        cell = stream.value_places.look_up(stream.packing.values(batch, keys))
        codes = stream.packing.key_codes(keys)
        # entry, value: (values of all cells,); `entry` repeats a row for each value in its cell
        entry, value = lists.split_entries(cell)
        entries.add(packing.pack([*(code[entry] for code in codes), value]), counts[entry])
        kept = np.flatnonzero(lists.lengths[cell])  # whose cell says nothing, and is dropped, is not counted
        people.add(packing.pack_keys([code[kept] for code in codes], len(kept)), counts[kept])
    return entries, people


def _packed_anew(stream: KeyStream, packing: Packing, amounts: SortedRuns, memory: Memory) -> SortedRuns:
    """Recode amounts per key to the keys of another packing."""
    words = len(packing.layout)
    runs = SortedRuns(words, memory.rows_to_sort(words))
    for keys, amount in amounts.batches():
        runs.add(packing.pack_keys(stream.packing.key_codes(keys), len(amount)), amount)
    return runs
