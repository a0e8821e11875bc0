"""Statements as sums over places: which people × which values, how often each counts, and between which bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.errors import BadKnowledge
from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import Compares, HowMany, Says, Share
from sidelight.knowledge.statements_text import Known
from sidelight.max_entropy.scene import Scene
from sidelight.table.columns import Integers


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows × some columns, or one person × some columns, each counted `times`."""

    rows: Integers
    columns: Integers
    times: float
    person: Who | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """What a statement says: the parts add up to something between two bounds, in people."""

    parts: tuple[Part, ...]
    low: float
    high: float
    said: int  # number of the statement


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """All that is said about a scene; statements about nobody say nothing, with a note."""

    sums: tuple[Sum, ...]
    people: dict[Who, Integers]  # everybody who is mentioned → the rows where this person may be
    notes: tuple[str, ...]


def constraints(scene: Scene, known: Sequence[Known]) -> Constraints:
    """Find what statements speak of."""
    looking = _Looking(scene)
    sums: list[Sum] = []
    notes: list[str] = []
    for number, each in enumerate(known):
        found = [(share, looking.rows(share)) for share in _shares(each)]
        nobody = [share for share, rows in found if len(rows) == 0]
        if nobody:
            notes.append(f"'{each.words}' says nothing: {scene.nearest(nobody[0].given)}")
            for share, _ in found:
                scene.columns_with(share.values)  # names the nearest value if there is none
        else:
            sums.append(looking.sum(each, number, found))
    _check_room(scene, looking.people)
    return Constraints(tuple(sums), looking.people, tuple(notes))


def _shares(known: Known) -> list[Share]:
    """List all that a statement speaks of; a count speaks of each person."""
    statement = known.statement
    if isinstance(statement, Compares):
        return [statement.one, statement.other]
    assert isinstance(statement, Says)
    if isinstance(statement.about, HowMany):
        return [Share(statement.about.values, (), person) for person in statement.about.people]
    return [statement.about]


class _Looking:
    """Looks things up in a scene, and remembers who was mentioned."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.people: dict[Who, Integers] = {}
        self.in_rows = np.zeros(scene.blocks.groups, bool)
        self.in_columns = np.zeros(scene.blocks.groups, bool)

    def rows(self, share: Share) -> Integers:
        """Find whom a share is about."""
        if share.person is None:
            return self.scene.rows_saying(share.given)
        if share.person not in self.people:
            self.people[share.person] = self.scene.rows_of(share.person)
        return self.people[share.person]

    def sum(self, known: Known, number: int, found: list[tuple[Share, Integers]]) -> Sum:
        """Write a statement as a sum of people."""
        statement = known.statement
        sizes = [1 if share.person is not None else self._people(rows) for share, rows in found]
        if isinstance(statement, Compares):
            parts = [
                self._part(share, rows, times * min(sizes) / size)
                for (share, rows), size, times in zip(found, sizes, (1, -1), strict=True)
            ]
            return Sum(tuple(parts), 0.0 if statement.sign == "=" else -np.inf, 0.0, number)
        assert isinstance(statement, Says)
        if statement.low == len(found):  # all of them have it: nobody has anything else, which says more at once
            return Sum(tuple(self._part(share, rows, 1.0, other=True) for share, rows in found), 0.0, 0.0, number)
        low, high = _bounds(statement, sizes[0] if len(found) == 1 else 1, most=len(found))
        return Sum(tuple(self._part(share, rows, 1.0) for share, rows in found), low, high, number)

    def _people(self, rows: Integers) -> int:
        return int(self.scene.members.people[rows].sum())

    def _part(self, share: Share, rows: Integers, times: float, *, other: bool = False) -> Part:
        """Keep the rows and columns that meet in some group."""
        scene = self.scene
        columns = scene.other_columns(share.values) if other else scene.columns_with(share.values)
        row_group, column_group = scene.members.group[rows], scene.blocks.column_group[columns]
        self.in_rows[row_group] = True
        columns = columns[self.in_rows[column_group]]
        self.in_columns[column_group] = True
        kept = rows[self.in_columns[row_group]]
        self.in_rows[row_group] = self.in_columns[column_group] = False
        return Part(kept, columns, times, share.person)


def _bounds(statement: Says, size: int, *, most: int) -> tuple[float, float]:
    """Give the bounds in people; a bound that cannot be passed is none."""
    low = float(statement.low * size) if statement.low > 0 or statement.exact else -np.inf
    high = float(statement.high * size) if statement.high < most or statement.exact else np.inf
    return low, high


def _check_room(scene: Scene, people: dict[Who, Integers]) -> None:
    """Refuse more names than there are people who look like that."""
    alike = Counter(tuple(rows.tolist()) for rows in people.values())
    for rows, names in alike.items():
        there = int(scene.members.people[list(rows)].sum())
        if names > there:
            message = f"{names} people are named who look alike, and the release has {there} of them; name fewer"
            raise BadKnowledge(message)
