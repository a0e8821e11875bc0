"""What somebody would believe who sees a release, has some statistics, and assumes nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sidelight._arrays import Flags, Floats, Integers, numbered
from sidelight._progress import Progress, quiet
from sidelight.errors import BadKnowledge, BadMeasure
from sidelight.knowledge.parse_statements import Statements, WordedStatement, read_statements
from sidelight.knowledge.people import as_who
from sidelight.max_entropy.constraints import Constraints, constraints
from sidelight.max_entropy.presolve import Infeasible
from sidelight.max_entropy.problem import Scene, summed
from sidelight.max_entropy.reduction import Assembly, assembled
from sidelight.max_entropy.subproblems import Fewer, Solved, contradiction, solve
from sidelight.release.groups import GroupName
from sidelight.release.release import Members, Release
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import Column, Table, added, rows_alike


def maxent(
    release: Release,
    knowing: Statements = (),
    *,
    people: Mapping[str, Mapping[str, object]] | None = None,
    seconds: float = 600,
    progress: Progress = quiet,
) -> Beliefs:
    """What would somebody believe who sees this release, knows these statements, and assumes nothing else?

    Of all distributions P(q, s, b) of what is known about a person (q), the value (s) and the group (b) that fit the
    release and the statements, the one of largest entropy.  This is another model than counting possible worlds
    (`posterior`): the two agree when nothing is known, and may differ otherwise.

    `people` says who somebody is whom a statement names: column → cell.  Raises `Contradiction` with a smallest set
    of statements that cannot all be so, and `TooHard` when it takes longer than `seconds`.

    >>> ward = Release.from_buckets([
    ...     ([{"sex": "male"}, {"sex": "male"}, {"sex": "female"}], ["Flu", "Cold", "Breast cancer"])])
    >>> maxent(ward).probability("Flu", given={"sex": "male"})
    0.3333333333333333
    >>> beliefs = maxent(ward, knowing=["P(Breast cancer | sex=male) = 0"])
    >>> beliefs.probability("Breast cancer", given={"sex": "female"})
    1.0

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
    """
    scene = Scene(release, people or {})
    known = read_statements(knowing)
    told = constraints(scene, known)
    made = assembled(scene, told)
    fewer = Fewer(scene, told, made)
    try:
        solved = solve(made.problem, fewer.forced, seconds=seconds, progress=progress)
    except Infeasible as found:
        raise contradiction(found, known, fewer.can_be) from None
    return Beliefs(scene, known, told, made, solved)


@dataclass(frozen=True, slots=True)
class Risk:
    """How sure somebody is that people who say this have a value, by maximum entropy."""

    probability: float
    value: Label
    says: tuple[tuple[str, Label], ...]

    def __str__(self) -> str:
        said = ", ".join(f"{column} {shown(text)}" for column, text in self.says) or "anybody"
        return f"{shown(self.value)} for {said}: {self.probability:.4f}"


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What somebody believes about the people of a release, by maximum entropy; made by `maxent`."""

    scene: Scene
    known: tuple[WordedStatement, ...]
    constraints: Constraints
    assembly: Assembly
    solved: Solved

    def __repr__(self) -> str:
        return (
            f"<Beliefs by maximum entropy about {self.scene.release.size:,} people, "
            f"knowing {len(self.known):,} statements>"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: statements that say nothing about this release."""
        return self.constraints.notes

    @property
    def variables_solved(self) -> int:
        """How many numbers the solver had to find; what nobody tells apart is one."""
        return int((~self.solved.zero).sum())

    @property
    def variables_in_closed_form(self) -> int:
        """How many of all P(q, s, b) follow without a solver: n(q, b) · n(s, b) / n(b), in groups nobody touches."""
        blocks = self.scene.blocks
        return int(np.diff(blocks.first_place)[~self.touched[blocks.row_group]].sum())

    @cached_property
    def touched(self) -> Flags:
        """Which groups (by row) a statement touches."""
        lumped = self.assembly.lumped
        kinds = np.zeros(lumped.blocks.groups, bool)
        kinds[lumped.blocks.row_group[self.assembly.rows]] = True
        touched: Flags = kinds[lumped.group]
        return touched

    def probability(
        self,
        value: object,
        *,
        given: Mapping[str, object] | None = None,
        group: GroupName | int | None = None,
        person: object = None,
    ) -> float:
        """How sure is somebody that a person who says this has the value (or one of a list of values)?

        `given` names columns and cells; `group` is the group that the person is known to be in; `person` somebody
        whom the statements name.
        """
        values = tuple(label(each) for each in (value if isinstance(value, list | tuple | set) else (value,)))
        if person is not None:
            return self._of_person(values, person)
        rows = self._rows(given or {}, group)
        columns = self.scene.columns_with(tuple(dict.fromkeys(values)))
        amounts = self.assembly.lumped.share_out(self._amounts, *self.scene.blocks.crossed(rows, columns))
        return _tidy(float(amounts.sum() / self.scene.members.people[rows].sum()))

    def _rows(self, given: Mapping[str, object], group: GroupName | int | None) -> Integers:
        said = tuple((str(column), label(cell)) for column, cell in given.items())
        rows = self.scene.rows_saying(said)
        if group is not None:
            number = group.number if isinstance(group, GroupName) else group
            self.scene.release.group(number)
            rows = rows[self.scene.members.group[rows] == number - 1]
        if len(rows) == 0:
            reason = "nobody in that group says this" if group is not None else self.scene.nearest(said)
            message = f"{reason}; ask about somebody who is there"
            raise BadKnowledge(message)
        return rows

    def _of_person(self, values: tuple[Label, ...], person: object) -> float:
        who = as_who(person)
        if who not in self.assembly.people:
            message = "no statement names this person; ask with given= instead"
            raise BadKnowledge(message)
        columns = self.assembly.lumped.column[self.scene.columns_with(values)]
        mine = self.assembly.person == self.assembly.people.index(who)
        chosen = mine & np.isin(self.assembly.columns[self.assembly.problem.column], columns)
        lumps = self.assembly.columns[self.assembly.problem.column[chosen]]
        inside = np.bincount(columns, self.scene.blocks.column_people[self.scene.columns_with(values)])
        whole = self.assembly.lumped.blocks.column_people
        return _tidy(float(self.solved.amounts[chosen] @ (inside[lumps] / whole[lumps])))

    @cached_property
    def _amounts(self) -> Floats:
        return self.assembly.everywhere(self.solved.amounts)

    @cached_property
    def _places(self) -> tuple[Integers, Integers, Floats]:
        """All places with what they have: row, column, people."""
        row = self.scene.blocks.row_of_places()
        column = self.scene.blocks.column_of_places(row)
        return row, column, self.assembly.lumped.share_out(self._amounts, row, column)

    def table(self) -> pa.Table:
        """Give P(q, s, b) as an Arrow table: what is known about people, the value, "group" and "probability".

        >>> ward = Release.from_counts([{"Flu": 1, "Cold": 3}], labels=[{"age": "30-39"}])
        >>> maxent(ward).table().to_pylist()[0]
        {'age': '30-39', 'value': 'Cold', 'group': 1, 'probability': 0.75}
        """
        row, column, amounts = self._places
        members, release = self.scene.members, self.scene.release
        said = {each.name: _arrow(each, members.line[row]) for each in members.columns}
        values = Column(release.sensitive, release.domain, self.scene.value.astype(np.int32))
        said[_free(release.sensitive, said)] = _arrow(values, column)
        said[_free("group", said)] = pa.array(release.groups.numbers[members.group[row]])
        said[_free("probability", said)] = pa.array(amounts / release.size)
        return pa.table(said)

    @cached_property
    def lines(self) -> LineBeliefs:
        """P*(s | q) for all q and s that occur together: what is believed wherever such a person is."""
        row, column, amounts = self._places
        return LineBeliefs.of(self.scene.members, self.scene.value, (row, column, amounts), self.scene.release.domain)

    def riskiest(self, n: int = 10) -> tuple[Risk, ...]:
        """Of whom is somebody most sure?  The n largest P*(s | q), by what is known about people.

        >>> ward = Release.from_counts([{"Flu": 1, "Cold": 3}], labels=[{"age": "30-39"}])
        >>> print(*maxent(ward).riskiest(1))
        Cold for age 30-39: 0.7500
        """
        return tuple(
            Risk(probability, self.scene.release.domain[value], self.lines.says(line))
            for line, value, probability in self.lines.largest(n)
        )

    def estimation_error(self, original: Table) -> float:
        """How far from the truth are these beliefs?  Σ_q P(q) Σ_s P(s|q) ln( P(s|q) / P*(s|q) ), in nats.

        `original` is the table that the release is of; 0 when somebody knows everything.
        """
        return estimation_error(self.lines, original)

    @cached_property
    def entropy(self) -> float:
        """−Σ P(q, s, b) ln P(q, s, b), in nats."""
        share = self._places[2] / self.scene.release.size
        share = share[share > 0]
        return float(-(share @ np.log(share)))

    @property
    def residuals(self) -> dict[str, float]:
        """By how much each statement is missed, as a probability."""
        problem = self.assembly.problem
        off = problem.beyond(self.solved.amounts) / self.scene.release.size
        return {self.known[number].words: float(off[at]) for at, number in self._said()}

    @cached_property
    def certificate(self) -> Certificate:
        """What shows that this is the distribution of largest entropy."""
        problem, size = self.assembly.problem, self.scene.release.size
        multipliers = self.solved.multipliers
        sums = problem.statements @ self.solved.amounts
        bound = np.where(multipliers > 0, problem.low, problem.high)
        pushing = np.isfinite(multipliers) & (multipliers != 0)
        misplaced = np.abs(sums - bound)[pushing].max(initial=0.0)
        return Certificate(
            residual=self.solved.residual / size,
            misplaced=float(misplaced / size),
            multipliers={
                self.known[number].words: None if np.isnan(multipliers[at]) else float(multipliers[at])
                for at, number in self._said()
            },
            forced_zeros=int(self.solved.zero.sum()),
        )

    def _said(self) -> Iterable[tuple[int, int]]:
        return [(at, number) for at, number in enumerate(self.assembly.problem.said.tolist()) if number >= 0]


def _tidy(probability: float) -> float:
    """Keep rounding from leaving [0, 1], and from hiding a certainty."""
    if abs(probability - round(probability)) < 1e-12:
        return float(round(probability))
    return min(max(probability, 0.0), 1.0)


def _arrow(column: Column, rows: Integers) -> pa.Array:
    return pa.DictionaryArray.from_arrays(column.codes[rows], pa.array(column.labels, pa.string())).cast(pa.string())


def _free(name: str, taken: Sequence[str] | Mapping[str, object]) -> str:
    while name in taken:
        name += "_"
    return name


# ----------------------------------------------------------------------------------------------------
# What is believed about everybody who says the same, wherever they are: P*(s | q).
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LineBeliefs:
    """Entry i: people with line `line[i]` are believed to have value `value[i]` with `probability[i]`."""

    members: Members
    domain: tuple[Label, ...]
    people: Integers  # per line
    line: Integers
    value: Integers
    probability: Floats

    @classmethod
    def of(
        cls,
        members: Members,
        value: Integers,
        places: tuple[Integers, Integers, Floats],
        domain: tuple[Label, ...],
    ) -> LineBeliefs:
        """Add up what all groups say about a line; `value` is the value of each column."""
        row, column, amounts = places
        lines = members.lines
        people = added(members.line, members.people, lines)
        key = members.line[row] * len(domain) + value[column]
        place, first = numbered(key, below=lines * len(domain))
        found = key[first]
        total = summed(place, amounts, len(first))
        line = found // len(domain)
        return cls(members, domain, people, line, found % len(domain), np.clip(total / people[line], 0.0, 1.0))

    def says(self, line: int) -> tuple[tuple[str, Label], ...]:
        """Say what is known about a person with this line."""
        return tuple((column.name, column.cell(line)) for column in self.members.columns)

    def largest(self, n: int) -> Iterator[tuple[int, int, float]]:
        """Give the n largest, as (line, value, probability); of equal ones the first lines and values."""
        rounded = np.round(self.probability, 12)
        few = np.flatnonzero(rounded >= np.partition(rounded, -n)[-n]) if n < len(rounded) else np.arange(len(rounded))
        order = few[np.lexsort((self.value[few], self.line[few], -rounded[few]))][:n]
        for at in order.tolist():
            yield int(self.line[at]), int(self.value[at]), float(self.probability[at])


def estimation_error(beliefs: LineBeliefs, original: Table) -> float:
    """Give Σ_q P(q) Σ_s P(s|q) ln( P(s|q) / P*(s|q) ); infinite where something true is believed impossible."""
    line = _lines_of(beliefs.members, original)
    cell, value, count = original.counts.entries()
    place = {text: code for code, text in enumerate(beliefs.domain)}
    recode = np.array([place.get(text, -1) for text in original.domain], np.int64)
    key = line[cell] * len(beliefs.domain) + recode[value]
    lines = len(beliefs.people)
    if (
        (line < 0).any()
        or (recode[value] < 0).any()
        or added(line, original.sizes, lines).tolist() != list(beliefs.people)
    ):
        message = "the original is not the table that this release is of: other people or values are in it"
        raise BadMeasure(message)
    kinds, number = np.unique(key, return_inverse=True)
    together = added(number, count, len(kinds))
    true = together / beliefs.people[kinds // len(beliefs.domain)]
    believed = np.zeros(len(kinds))
    known = beliefs.line * len(beliefs.domain) + beliefs.value
    at = np.minimum(np.searchsorted(known, kinds), len(known) - 1)
    there = known[at] == kinds
    believed[there] = beliefs.probability[at[there]]
    with np.errstate(divide="ignore"):
        return max(float((together / original.people) @ (np.log(true) - np.log(believed))), 0.0)


def _lines_of(members: Members, original: Table) -> Integers:
    """Find the line of each cell of the original; −1 where there is none."""
    lines = members.lines
    both = tuple(_joined(column, original.column(column.name)) for column in members.columns)
    kind, _ = rows_alike(both, lines + len(original.sizes))
    line_of = np.full(int(kind.max()) + 1, -1, np.int64)
    line_of[kind[:lines]] = np.arange(lines)
    found: Integers = line_of[kind[lines:]]
    return found


def _joined(one: Column, other: Column) -> Column:
    """Put two columns below each other."""
    labels = tuple(dict.fromkeys((*one.labels, *other.labels)))
    place = {text: code for code, text in enumerate(labels)}
    codes = [np.array([place[text] for text in column.labels], np.int32)[column.codes] for column in (one, other)]
    return Column(one.name, labels, np.concatenate(codes))


# ----------------------------------------------------------------------------------------------------
# Why a solution is the one of largest entropy: what anyone can check again.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Certificate:
    """The conditions of Karush, Kuhn and Tucker, which only the distribution of largest entropy fulfils.

    Where P is positive, log P(q, s, b) = α(q, b) + β(s, b) + Σ_k μ_k a_k(q, s, b), with a_k how often statement k
    counts that place (once, where it is about a share; in a comparison, people of the smaller side / people of this
    side, negative on the right); μ_k ≥ 0 only where the share is at its lower bound, ≤ 0 only at its upper one.
    Everything else is 0 in every distribution that fits.
    """

    residual: float  # how far off the worst sum is, as a probability
    misplaced: float  # how far a share that pushes is from its bound, as a probability
    multipliers: Mapping[str, float | None]  # statement → μ; None: what it says is forced, and pushes nothing
    forced_zeros: int
    """Places that are 0 in every distribution that fits, as far as they were looked for; lumped ones count once.

    Parts of more than 50,000 variables are searched by the statements that push hardest alone; a zero that this does
    not find is as good as 0, and the statements behind it push very hard instead of `None`.
    """

    @property
    def holds(self) -> bool:
        """Whether everything is met to 1e-8."""
        return self.residual <= 1e-8 and self.misplaced <= 1e-8
