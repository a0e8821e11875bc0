"""Whom and what do many shares speak of?  All of them looked up at once, with a bit per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import Share
from sidelight.max_entropy.blocks import Blocks, paired, ranges, runs
from sidelight.max_entropy.problem import Flags
from sidelight.max_entropy.scene import Scene
from sidelight.table.columns import Integers
from sidelight.table.labels import Label

AT_ONCE = 1 << 23
"""How many rows are looked at at once, counted for each part."""


@dataclass(frozen=True, slots=True)
class Part:
    """A share, as part of what a statement adds up: of its values, or of all others where that says more."""

    share: Share
    others: bool = False


@dataclass(frozen=True, eq=False)
class Places:
    """The rows and the columns that parts speak of, where they meet in a group.

    Both lists stand by part and then by group, and have the same (part, group) in the same order.
    """

    row_part: Integers
    row: Integers
    column_part: Integers
    column: Integers

    def only(self, rows: Flags, columns: Flags) -> Places:
        """Keep some entries of both lists."""
        return Places(self.row_part[rows], self.row[rows], self.column_part[columns], self.column[columns])

    def crossed(self, blocks: Blocks) -> tuple[Integers, Integers, Integers]:
        """Pair rows and columns, part by part: the part, the row and the column of every place that is counted."""
        one, other = paired(
            runs(self.row_part, blocks.row_group[self.row]), runs(self.column_part, blocks.column_group[self.column])
        )
        return self.row_part[one], self.row[one], self.column[other]


def looked_up(scene: Scene, parts: Sequence[Part], people: Mapping[Who, Integers]) -> tuple[Places, Integers]:
    """Find the places of all parts, and how many people each speaks of, whatever values their groups have."""
    values = _Values(scene, parts)
    who = _Sets(scene, people, values, parts)
    sizes = np.zeros(len(parts), np.int64)
    lists: list[tuple[Integers, ...]] = [(np.empty(0, np.int64),) * 4]
    step = max(AT_ONCE // who.rows, 1)
    for start in range(0, len(parts), step):
        some = slice(start, start + step)
        sizes[some], part, row = who.met(some)
        part += start
        lists.append((part, row, *values.columns(part, scene.members.group[row])))
    return Places(*(np.concatenate(each) for each in zip(*lists, strict=True))), sizes


class _Values:
    """The sets of values that parts speak of, each once."""

    def __init__(self, scene: Scene, parts: Sequence[Part]) -> None:
        self.scene = scene
        kinds: dict[tuple[tuple[Label, ...], bool], int] = {}
        self.kind = np.array([kinds.setdefault((part.share.values, part.others), len(kinds)) for part in parts], int)
        self.member = np.zeros((len(kinds), len(scene.release.domain)), bool)
        for (values, others), number in kinds.items():
            self.member[number, [scene.release.groups.place(value) for value in values]] = True
            self.member[number] ^= others

    def in_group_of_rows(self, kind: int) -> Flags:
        """Say for each row whether its group has one of some values."""
        groups = np.zeros(self.scene.blocks.groups, bool)
        groups[self.scene.blocks.column_group[self.member[kind, self.scene.value]]] = True
        rows: Flags = groups[self.scene.members.group]
        return rows

    def columns(self, part: Integers, group: Integers) -> tuple[Integers, Integers]:
        """Find the columns that parts speak of in groups; these stand by part and group, and may come repeatedly."""
        first = np.flatnonzero(np.diff(runs(part, group), prepend=-1))
        part, group = part[first], group[first]
        starts = self.scene.blocks.first_column
        at, column = ranges(starts[group], starts[group + 1])
        kept = self.member[self.kind[part[at]], self.scene.value[column]]
        return part[at[kept]], column[kept]


class _Sets:
    """Sets of rows, a bit per row: who says one thing, where one person may be, whose group has a value."""

    def __init__(self, scene: Scene, people: Mapping[Who, Integers], values: _Values, parts: Sequence[Part]) -> None:
        self.scene, self.people, self.rows = scene, people, len(scene.members.group)
        self.number: dict[object, int] = {}
        self.sets = [_packed(np.ones(self.rows, bool))]
        wanted = [self._numbers(part.share) for part in parts]
        widest = max(map(len, wanted), default=0)
        self.wanted = np.array([each + [0] * (widest - len(each)) for each in wanted], np.int64)
        self.valued = len(self.sets) + values.kind
        self.sets += [_packed(values.in_group_of_rows(kind)) for kind in range(len(values.member))]
        self.bits = np.stack(self.sets)
        most = int(scene.members.people.max())
        self.digits = [_packed((scene.members.people >> digit) & 1 == 1) for digit in range(most.bit_length())]

    def _numbers(self, share: Share) -> list[int]:
        """Number the sets that a share speaks of: it is about those who are in all of them."""
        keys: tuple[object, ...] = share.given if share.person is None else (share.person,)
        for key in keys:
            if key not in self.number:
                self.number[key] = len(self.sets)
                self.sets.append(_packed(self._flags(share, key)))
        return [self.number[key] for key in keys]

    def _flags(self, share: Share, key: object) -> Flags:
        if share.person is None:
            return self.scene.says(*key)  # type: ignore[misc]
        flags = np.zeros(self.rows, bool)
        flags[self.people[share.person]] = True
        return flags

    def met(self, parts: slice) -> tuple[Integers, Integers, Integers]:
        """Say of how many people some parts speak, and list the part (from 0) and the row of those who may count."""
        wanted = self.wanted[parts]
        met = np.repeat(self.bits[:1], len(wanted), axis=0)
        for each in wanted.T:
            met &= self.bits[each]
        # people in binary: of each digit, how many rows have it
        sizes = sum(
            np.bitwise_count(met & digit).sum(axis=1, dtype=np.int64) << at for at, digit in enumerate(self.digits)
        )
        met &= self.bits[self.valued[parts]]
        some = np.flatnonzero(met.ravel() != 0)
        inside = np.flatnonzero(np.unpackbits(met.ravel()[some].view(np.uint8)))
        part, word = np.divmod(some, met.shape[1])
        return sizes, part[inside >> 6], word[inside >> 6] * 64 + (inside & 63)


def _packed(flags: Flags) -> npt.NDArray[np.uint64]:
    padded = np.zeros(-(-len(flags) // 64) * 64, bool)
    padded[: len(flags)] = flags
    return np.packbits(padded).view(np.uint64)
