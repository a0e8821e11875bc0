"""Statements as sums over places: which people × which values, how often each counts, and between which bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Flags, Floats, Integers
from sidelight.errors import BadKnowledge
from sidelight.knowledge.parse_statements import WordedStatement
from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import ComparisonStatement, IntervalStatement, Share
from sidelight.max_entropy.problem import Blocks, Scene, paired, ranges, runs
from sidelight.table.labels import Label

NOBODY = -1
"""The person of what is not about one: of parts about shares, and of variables of everybody who is not named."""

SILENT = -1
"""The sum of parts of statements that say nothing."""


@dataclass(frozen=True, eq=False)
class Constraints:
    """All that is said about a scene: sums of parts lie between two bounds, in people.

    Part p is added to sum `sum[p]`, `times[p]` for each person at its places; where `person[p]` is not `NOBODY`, that
    person alone is counted.  Statements about nobody say nothing, with a note.
    """

    places: Places
    sum: Integers
    times: Floats
    person: Integers
    low: Floats
    high: Floats
    said: Integers  # number of the statement of each sum
    people: dict[Who, Integers]  # everybody who is mentioned → the rows where this person may be
    notes: tuple[str, ...]

    def only(self, statements: Sequence[int]) -> Constraints:
        """Keep what some statements say; whoever is mentioned stays mentioned."""
        kept = np.isin(self.said, statements)
        number = np.where(kept, np.cumsum(kept) - 1, SILENT)
        sums = np.where(self.sum == SILENT, SILENT, number[self.sum]) if len(number) else self.sum
        places = self.places.only(sums[self.places.row_part] >= 0, sums[self.places.column_part] >= 0)
        return replace(self, places=places, sum=sums, low=self.low[kept], high=self.high[kept], said=self.said[kept])


def constraints(scene: Scene, known: Sequence[WordedStatement]) -> Constraints:
    """Find what statements speak of."""
    parts = [_parts(each) for each in known]
    people = _people(scene, parts)
    number = {who: at for at, who in enumerate(people)}
    every = [part for mine in parts for part in mine]
    places, sizes = looked_up(scene, every, people)
    written = _Written(known, parts, sizes.tolist())
    spoken = written.sum >= 0
    return Constraints(
        places.only(spoken[places.row_part], spoken[places.column_part]),
        written.sum,
        written.times,
        np.array([NOBODY if part.share.person is None else number[part.share.person] for part in every], np.int64),
        np.array([low for low, _ in written.bounds], float),
        np.array([high for _, high in written.bounds], float),
        np.array(written.said, np.int64),
        people,
        tuple(f"'{known[at].words}' says nothing: {scene.nearest(given)}" for at, given in written.silent),
    )


def _parts(known: WordedStatement) -> list[Part]:
    """List all that a statement speaks of; a count speaks of each person."""
    statement = known.statement
    if isinstance(statement, ComparisonStatement):
        return [Part(statement.one), Part(statement.other)]
    assert isinstance(statement, IntervalStatement)
    if isinstance(statement.about, Share):
        return [Part(statement.about, _everybody(statement, 1))]
    everybody = _everybody(statement, len(statement.about.people))
    return [Part(Share(statement.about.values, (), person), everybody) for person in statement.about.people]


def _everybody(statement: IntervalStatement, most: int) -> bool:
    """Say whether all of them have it: that nobody has anything else says more at once."""
    return statement.low == most


def _people(scene: Scene, parts: Sequence[Sequence[Part]]) -> dict[Who, Integers]:
    """Find everybody who is mentioned; refuses more names than there are people who look like that."""
    who = dict.fromkeys(part.share.person for mine in parts for part in mine)
    people = {person: scene.rows_of(person) for person in who if person is not None}
    alike = Counter(tuple(rows.tolist()) for rows in people.values())
    for rows, names in alike.items():
        there = int(scene.members.people[list(rows)].sum())
        if names > there:
            message = f"{names} people are named who look alike, and the release has {there} of them; name fewer"
            raise BadKnowledge(message)
    return people


class _Written:
    """The sums of statements, given how many people each of their parts speaks of."""

    def __init__(self, known: Sequence[WordedStatement], parts: Sequence[Sequence[Part]], sizes: list[int]) -> None:
        self.bounds: list[tuple[float, float]] = []
        self.said: list[int] = []
        self.silent: list[tuple[int, tuple[tuple[str, str | None], ...]]] = []
        self.sum, self.times = np.full(len(sizes), SILENT), np.ones(len(sizes))
        start = 0
        for number, (each, mine) in enumerate(zip(known, parts, strict=True)):
            start, some = start + len(mine), slice(start, start + len(mine))
            nobody = [part.share.given for part, size in zip(mine, sizes[some], strict=True) if size == 0]
            if nobody:
                self.silent.append((number, nobody[0]))
            else:
                self._write(each, number, mine, some, sizes[some])

    def _write(self, known: WordedStatement, number: int, parts: Sequence[Part], some: slice, sizes: list[int]) -> None:
        statement = known.statement
        sizes = [size if part.share.person is None else 1 for part, size in zip(parts, sizes, strict=True)]
        self.sum[some] = len(self.said)
        self.said.append(number)
        if isinstance(statement, ComparisonStatement):
            self.times[some] = min(sizes) / sizes[0], -min(sizes) / sizes[1]
            self.bounds.append((0.0 if statement.sign == "=" else -np.inf, 0.0))
        else:
            assert isinstance(statement, IntervalStatement)
            self.bounds.append((0.0, 0.0) if parts[0].others else _bounds(statement, sizes))


def _bounds(statement: IntervalStatement, sizes: list[int]) -> tuple[float, float]:
    """Give the bounds in people; a bound that cannot be passed is none."""
    size = sizes[0] if isinstance(statement.about, Share) else 1
    low, high = statement.low, statement.high
    if statement.exact:
        return (low.numerator * size / low.denominator,) * 2
    return (
        low.numerator * size / low.denominator if low > 0 else -np.inf,
        high.numerator * size / high.denominator if high < len(sizes) else np.inf,
    )


# ----------------------------------------------------------------------------------------------------
# Whom and what do many shares speak of?  All of them looked up at once, with a bit per row.
# ----------------------------------------------------------------------------------------------------


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
