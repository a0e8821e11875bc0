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
    people: dict[Who, Integers] = {}
    sums: list[Sum] = []
    notes: list[str] = []
    for number, each in enumerate(known):
        shares = _shares(each)
        for share in shares:
            if share.person is not None and share.person not in people:
                people[share.person] = scene.rows_of(share.person)
        empty = [share for share in shares if share.person is None and len(scene.rows_saying(share.given)) == 0]
        if empty:
            notes.append(f"'{each.words}' says nothing: {scene.nearest(empty[0].given)}")
            for share in shares:
                scene.columns_with(share.values)  # names the nearest value if there is none
        else:
            sums.append(_sum(scene, each, number, people))
    _check_room(scene, people)
    return Constraints(tuple(sums), people, tuple(notes))


def _shares(known: Known) -> list[Share]:
    """List all that a statement speaks of; a count speaks of each person."""
    statement = known.statement
    if isinstance(statement, Compares):
        return [statement.one, statement.other]
    assert isinstance(statement, Says)
    if isinstance(statement.about, HowMany):
        return [Share(statement.about.values, (), person) for person in statement.about.people]
    return [statement.about]


def _sum(scene: Scene, known: Known, number: int, people: dict[Who, Integers]) -> Sum:
    statement, shares = known.statement, _shares(known)
    if isinstance(statement, Compares):
        sizes = [_size(scene, share) for share in shares]
        one, other = (_part(scene, share, people, min(sizes) / size) for share, size in zip(shares, sizes, strict=True))
        turned = Part(other.rows, other.columns, -other.times, other.person)
        return Sum((one, turned), 0.0 if statement.sign == "=" else -np.inf, 0.0, number)
    assert isinstance(statement, Says)
    size = _size(scene, shares[0]) if len(shares) == 1 else 1
    if statement.low == len(shares):  # all of them have it: nobody has anything else, which says more at once
        return Sum(tuple(_part(scene, share, people, 1.0, other=True) for share in shares), 0.0, 0.0, number)
    low, high = _bounds(statement, size, most=len(shares))
    return Sum(tuple(_part(scene, share, people, 1.0) for share in shares), low, high, number)


def _bounds(statement: Says, size: int, *, most: int) -> tuple[float, float]:
    """Give the bounds in people; a bound that cannot be passed is none."""
    low = float(statement.low * size) if statement.low > 0 or statement.exact else -np.inf
    high = float(statement.high * size) if statement.high < most or statement.exact else np.inf
    return low, high


def _size(scene: Scene, share: Share) -> int:
    if share.person is not None:
        return 1
    return int(scene.members.people[scene.rows_saying(share.given)].sum())


def _part(scene: Scene, share: Share, people: dict[Who, Integers], times: float, *, other: bool = False) -> Part:
    columns = scene.other_columns(share.values) if other else scene.columns_with(share.values)
    rows = people[share.person] if share.person is not None else scene.rows_saying(share.given)
    group = scene.members.group
    rows = rows[np.isin(group[rows], scene.blocks.column_group[columns])]
    columns = columns[np.isin(scene.blocks.column_group[columns], group[rows])]
    return Part(rows, columns, times, share.person)


def _check_room(scene: Scene, people: dict[Who, Integers]) -> None:
    """Refuse more names than there are people who look like that."""
    alike = Counter(tuple(rows.tolist()) for rows in people.values())
    for rows, names in alike.items():
        there = int(scene.members.people[list(rows)].sum())
        if names > there:
            message = f"{names} people are named who look alike, and the release has {there} of them; name fewer"
            raise BadKnowledge(message)
