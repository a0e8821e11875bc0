"""Statements as sums over places: which people × which values, how often each counts, and between which bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sidelight.errors import BadKnowledge
from sidelight.knowledge.parse_statements import Known
from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import Compares, Says, Share
from sidelight.max_entropy.lookup import Part, Places, looked_up
from sidelight.max_entropy.problem import Floats
from sidelight.max_entropy.scene import Scene
from sidelight.table.columns import Integers

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


def constraints(scene: Scene, known: Sequence[Known]) -> Constraints:
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


def _parts(known: Known) -> list[Part]:
    """List all that a statement speaks of; a count speaks of each person."""
    statement = known.statement
    if isinstance(statement, Compares):
        return [Part(statement.one), Part(statement.other)]
    assert isinstance(statement, Says)
    if isinstance(statement.about, Share):
        return [Part(statement.about, _everybody(statement, 1))]
    everybody = _everybody(statement, len(statement.about.people))
    return [Part(Share(statement.about.values, (), person), everybody) for person in statement.about.people]


def _everybody(statement: Says, most: int) -> bool:
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

    def __init__(self, known: Sequence[Known], parts: Sequence[Sequence[Part]], sizes: list[int]) -> None:
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

    def _write(self, known: Known, number: int, parts: Sequence[Part], some: slice, sizes: list[int]) -> None:
        statement = known.statement
        sizes = [size if part.share.person is None else 1 for part, size in zip(parts, sizes, strict=True)]
        self.sum[some] = len(self.said)
        self.said.append(number)
        if isinstance(statement, Compares):
            self.times[some] = min(sizes) / sizes[0], -min(sizes) / sizes[1]
            self.bounds.append((0.0 if statement.sign == "=" else -np.inf, 0.0))
        else:
            assert isinstance(statement, Says)
            self.bounds.append((0.0, 0.0) if parts[0].others else _bounds(statement, sizes))


def _bounds(statement: Says, sizes: list[int]) -> tuple[float, float]:
    """Give the bounds in people; a bound that cannot be passed is none."""
    size = sizes[0] if isinstance(statement.about, Share) else 1
    low, high = statement.low, statement.high
    if statement.exact:
        return (low.numerator * size / low.denominator,) * 2
    return (
        low.numerator * size / low.denominator if low > 0 else -np.inf,
        high.numerator * size / high.denominator if high < len(sizes) else np.inf,
    )
