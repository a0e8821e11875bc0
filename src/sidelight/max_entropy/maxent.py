"""The beliefs of an attacker who sees a release, has some statistics, and assumes nothing else.

`maxent` returns `Beliefs` (`SetBeliefs`, where people have sets of values): the joint distribution P(q, s, b) of
largest entropy, P*(s | C) for any condition, group or named person, and a certificate, which can be checked from
`table` alone.  This is another model than counting possible worlds: the two agree when nothing is known, and may differ
otherwise.

Of sets, P(q, S, b) is the probability that a person of the release has key q and the values S, and is in group b.  The
release fixes P(q, b), and for each value v how many people of b have it; it says nothing of which values go together.

    H(q, S, b) = H(q, b) + H(S | q, b)  ≤  H(q, b) + Σ_v H(v ∈ S | q, b)

with equality if values are independent given (q, b).  Where every statement is about one value, they may be: the
problem decomposes into one for each value v, of people who have v and people who do not, in the same groups, which is
that of one value per person.  A value that no statement mentions has the closed form P(v ∈ S | q, b) = n(v, b) / n(b).

Two things would link values, and are refused: a statement about several values at once, and unknowns about people in
more than one value's statements: how many a group hides (`variables`), or in which of several groups a named person is.
Where one value's statements are about people whom groups hide, its estimate of their number is that of all values.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; sets ours.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, number_rows, pair_equal, ranges, sum_by
from sidelight.errors import BadKnowledge, BadMeasure, expect, expect_mapping, mapping_or_empty, parameter
from sidelight.knowledge.events import Event, cells_in, condition_text, keep_conditions_on_values
from sidelight.knowledge.facts import Who, as_who, person_text
from sidelight.knowledge.statements import Statement, Statements, read_statements
from sidelight.max_entropy.beliefs import (
    OTHERS,
    Certificate,
    KeyBeliefs,
    KindEntries,
    KindsOfPeople,
    MeantPeople,
    ReleaseBeliefs,
    build_kinds,
)
from sidelight.max_entropy.constraints import (
    ONLY_SUPPRESSED,
    WHY_NOBODY,
    Constraints,
    conditions_of,
    constraints_of,
    mentioned_conditions,
    shares_of,
)
from sidelight.max_entropy.subproblems import Solution, solve_constraints
from sidelight.max_entropy.variables import NEGLIGIBLE_PEOPLE, NOBODY, Variables
from sidelight.progress import Progress, quiet
from sidelight.release.groups import GroupName, whole_groups
from sidelight.release.locate import Lookup, SuppressedPeople
from sidelight.release.release import Release
from sidelight.rounding import exact_number, round_down
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import Counts, expect_one_sensitive
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.max_entropy.problem import ReducedProblem
    from sidelight.table.hierarchy import Hierarchy


def beliefs_of(
    variables: Variables, known: tuple[Statement, ...], *, deadline: float, progress: Progress = quiet
) -> Beliefs:
    """Compute the distribution of largest entropy; raise `Contradiction`, or `TooHard` after the deadline."""
    # conditions that statements mention cut rows into parts, so they have to be known before any variable is
    variables = replace(variables, mentioned=mentioned_conditions(known, variables.described))
    constraints = constraints_of(variables, known)
    reduced, solution = solve_constraints(variables, constraints, deadline=deadline, progress=progress)
    return Beliefs(variables, known, constraints, reduced, solution)


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs(ReleaseBeliefs):
    """The beliefs of an attacker about the people of a release, by maximum entropy; made by `maxent`."""

    constraints: Constraints
    reduced: ReducedProblem
    solution: Solution

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on whom statements may mean, and which say nothing about this release."""
        notes = [*self.constraints.notes]
        if self.undecided:
            late = (
                f"the time was up before it was known of {counted(self.undecided, 'amount')} next to nothing whether "
                "more than 0 is possible: probabilities are right to about six decimals, and what is nearly certain "
                "may be certain; give more seconds to know"
            )
            notes.insert(0, late)
        for at in np.flatnonzero(self.constraints.scale).tolist():
            known = self.constraints.stated[int(self.constraints.statement[at])]
            share = self.reduced.problem.low[at] * float(known.scale) / self.constraints.scale[at]
            notes.append(f"'{known.words}': the estimate takes {share:.4g} to be behind it")
        for conditions in dict.fromkeys(map(conditions_of, shares_of(self.known))):
            if any(self.variables.parts.is_uncertain(*cell) for cell in cells_in(conditions)):
                notes += self.notes_on(conditions)
        return tuple(notes)

    @property
    def undecided(self) -> int:
        """How many amounts next to nothing may be 0, as the time was up.

        Beliefs then fit all statements, and are right to about six decimals; what is nearly certain may be certain.
        """
        return self.solution.undecided

    def notes_on(self, given: Mapping[str, object] | Event) -> tuple[str, ...]:
        """Return notes on the people a condition may mean besides those who are certain, and on those it leaves aside.

        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 2}, {"Cold": 3}], labels=[{"sex": "male"}, {"sex": "*"}])
        >>> print(*sl.maxent(ward).notes_on({"sex": "male"}))
        sex=male: suppressed rows (3 people) are left aside, as whoever fits a printed group is in that one
        """
        conditions = _conditions(given)
        if not (self.variables.share(conditions) > 0).any():
            return ()
        meant, variables = self.meant(conditions), self.variables
        plain = (
            f"{each[0]}={shown(each[1])}" if isinstance(each, tuple) else condition_text(each) for each in conditions
        )
        words = ", ".join(plain)
        rests = ", which rests on suppressed rows holding them" if variables.only_suppressed(conditions) else ""
        notes = [f"{words}: {meant}{rests}"] if meant.possible else []
        if variables.leaves_suppressed_aside(conditions):
            people = int(self.release.groups.sizes[variables.suppressed].sum())
            aside = f"suppressed rows ({counted(people, 'person')}) are left aside"
            notes.append(f"{words}: {aside}, as whoever fits a printed group is in that one")
        return tuple(notes)

    def meant(self, given: Mapping[str, object] | Event, *, group: GroupName | int | None = None) -> MeantPeople:
        """Return how many people a condition means for certain, and how many more may be meant.

        >>> import sidelight as sl
        >>> labels = [{"city": "Ulm", "sex": "male"}, {"city": "Ulm", "sex": "*"}]
        >>> ward = sl.Release.from_counts([{"Flu": 2}, {"Flu": 1, "Cold": 3}], labels=labels)
        >>> print(sl.maxent(ward).meant({"sex": "male"}))
        2 people for certain; 4 people in 1 group may be meant too, of whom the estimate takes 2 to be
        """
        conditions = _conditions(given)
        part, share = self._parts(conditions, group)
        parts = self.variables.parts
        rows = np.unique(parts.row[part])
        certain = np.ones(len(parts.count), bool)
        # a row is certain only where all of its parts fulfil the conditions
        certain[parts.row[self.variables.share(conditions) != 1]] = False
        people = self.variables.members.people
        unsure = rows[~certain[rows]]
        expected = self._people_in(part, share)[~certain[parts.row[part]]].sum()
        return MeantPeople(
            int(people[rows[certain[rows]]].sum()),
            int(people[unsure].sum()),
            len(np.unique(self.variables.members.group[unsure])),
            float(expected),
        )

    @property
    def variables_solved(self) -> int:
        """The number of variables of the solver, after merging what no statement distinguishes."""
        return int((~self.solution.zero).sum())

    @cached_property
    def touched_groups(self) -> Flags:
        """Which groups (by row) a statement touches."""
        quotient = self.reduced.quotient
        classes = np.zeros(quotient.blocks.groups, bool)
        # a class of groups is touched where one of its rows is left in the reduced problem
        classes[quotient.blocks.row_group[self.reduced.rows]] = True
        touched: Flags = classes[quotient.group]
        return touched

    def find_touched_groups(self, value: int) -> Flags:
        """Return which groups (by row) a statement touches that may change beliefs about a value: all touched ones."""
        return self.touched_groups

    def probability(
        self,
        value: object,
        *,
        given: Mapping[str, object] | None = None,
        group: GroupName | int | None = None,
        person: object = None,
    ) -> float:
        """Return the probability that a person with these cells has the value (or one of a list of values).

        `given` names columns and cells; `group` is the group that the person is known to be in; `person` a person whom
        the statements name.
        """
        values = tuple(label(each) for each in (value if isinstance(value, list | tuple | set) else (value,)))
        if not values:
            raise BadKnowledge("this asks about no value; name one, or several in a list")
        if person is not None:
            return self._probability_of_person(values, person)
        part, share, people = self._whom(given, group)
        columns = self.variables.columns_with(tuple(dict.fromkeys(values)))
        return _clip(float(self._amounts_in(part, share, columns).sum() / people.sum()))

    def _whom(
        self, given: Mapping[str, object] | None, group: GroupName | int | None
    ) -> tuple[Integers, Floats, Floats]:
        """Return the people who fulfil conditions: parts, the share of each that does, and how many people that is."""
        part, share = self._parts(_conditions(given), group)
        people = self._people_in(part, share)
        # the solver leaves a trace of people where there is nobody, and nothing can be divided by that
        if people.sum() <= NEGLIGIBLE_PEOPLE:
            raise BadKnowledge(
                "as things are known, nobody in the release can be like this; ask about somebody who may be there"
            )
        return part, share, people

    def rates(self, value: int) -> Floats:
        """Return P*(s | q, b) of a value, by its index in the domain, for each row (q, b)."""
        row, values, amounts = self.entries
        having, people = values == value, self.variables.members.people
        return sum_by(row[having], amounts[having], len(people)) / people

    def average_rates(
        self, rates: Floats, *, given: Mapping[str, object] | None = None, group: GroupName | int | None = None
    ) -> float:
        """Average the rates of rows over the people with these cells."""
        part, _, people = self._whom(given, group)
        return _clip(float(people @ rates[self.variables.parts.row[part]] / people.sum()))

    def _parts(self, conditions: Event, group: GroupName | int | None) -> tuple[Integers, Floats]:
        """Return the parts of people who may fulfil conditions, and the share of their raw keys that does."""
        share = self.variables.share(conditions)
        parts = np.flatnonzero(share > 0)
        if group is not None:
            number = group.number if isinstance(group, GroupName) else group
            self.release.group(number)
            parts = parts[self.variables.members.group[self.variables.parts.row[parts]] == number - 1]
        if len(parts) == 0:
            message = (
                f"{WHY_NOBODY if group is None else 'nobody in that group says this'}; ask about somebody who is there"
            )
            if self.variables.only_suppressed(conditions) and not self.variables.look_in_suppressed:
                message = f"{ONLY_SUPPRESSED}; say {parameter('suppressed', 'may hold them')} if they may hold them"
            raise BadKnowledge(message)
        return parts, share[parts]

    def _people_in(self, part: Integers, share: Floats) -> Floats:
        """Return how many people there are in shares of parts; known from the release where a row is one part."""
        parts, members = self.variables.parts, self.variables.members
        people = share * parts.weight[part] * members.people[parts.row[part]]
        # in rows that statements cut and touch, the number of people is what was solved for
        solved = np.flatnonzero(
            parts.divided_rows[parts.row[part]] & self.touched_groups[members.group[parts.row[part]]]
        )
        everything = np.arange(len(self.variables.value))
        people[solved] = self._amounts_in(part[solved], share[solved], everything)
        return people

    def _amounts_in(self, part: Integers, share: Floats, columns: Integers) -> Floats:
        """Return how many people in shares of parts have the value of one of some columns."""
        groups = self.variables.members.group[self.variables.parts.row[part]]
        # each part with the columns of its group, and no others
        at, other = pair_equal(groups, self.variables.blocks.column_group[columns])
        return sum_by(at, share[at] * self._amounts_at(part[at], columns[other]), len(part))

    def _amounts_at(self, part: Integers, column: Integers) -> Floats:
        """Return how many people of parts have the values of columns of their groups."""
        parts, quotient = self.variables.parts, self.reduced.quotient
        row = parts.row[part]
        entry = quotient.blocks.entry(quotient.row[row], quotient.column[column])
        # where no statement touches the group, the parts of a row share what it has by their weights
        of_class = np.where(
            self.touched_groups[self.variables.members.group[row]],
            self.reduced.compute_at_sites(self.solution.amounts, entry, parts.slot[part]),
            self._amounts[entry] * parts.weight[part],
        )
        return quotient.divide(of_class, row, column)

    def names(self, person: Who) -> bool:
        """Return whether a statement names this person."""
        return person in self.reduced.people

    def _probability_of_person(self, values: tuple[Label, ...], person: object) -> float:
        who, reduced = as_who(person), self.reduced
        if not self.names(who):
            raise BadKnowledge("no statement names this person; ask with given= instead")
        codes = [self.release.groups.code_of(value) for value in values]
        kinds, (named, value, amounts) = self._kinds_of_named
        at = reduced.people.index(who)
        # a person is one person but for the solver's error, which is no reason to doubt what is certain
        return _clip(float(amounts[(named == at) & np.isin(value, codes)].sum() / kinds.people[at]))

    @cached_property
    def _amounts(self) -> Floats:
        return self.reduced.expand(self.solution.amounts)

    @cached_property
    def entries(self) -> tuple[Integers, Integers, Floats]:
        """All rows (q, b) with the values of their groups, and how many people have them: row, value, people."""
        row, column = self.variables.blocks.all_entries()
        return row, self.variables.value[column], self.reduced.quotient.distribute(self._amounts, row, column)

    @cached_property
    def by_kind(self) -> KeyBeliefs:
        """As `by_key`, but people whom statements distinguish or name are kinds of their own.

        An attacker who knows that a person in a group with `*` for sex is a woman believes what follows for her, with
        more confidence than for the group; and that Ann does not have a value says more about others with her cells.
        """
        # rows that statements cut are kinds by their parts, all others by their keys
        apart = self.variables.parts.divided_rows & self.touched_groups[self.variables.members.group]
        if not apart.any() and not self.reduced.people:
            return self.by_key
        amounts_of_unnamed = np.where(self.reduced.person == NOBODY, self.solution.amounts, 0.0)
        unnamed = replace(self, solution=replace(self.solution, amounts=amounts_of_unnamed))
        kinds = [unnamed._kinds_of_keys(apart), unnamed._kinds_of_parts(np.flatnonzero(apart)), self._kinds_of_named]
        names = tuple(map(person_text, self.reduced.people))
        return KeyBeliefs.from_kinds(self.variables, self.release.domain, kinds, names)

    def _kinds_of_keys(self, apart: Flags) -> tuple[KindsOfPeople, KindEntries]:
        """Return a kind for each key, of its people outside rows that are apart, and its entries."""
        members, (row, value, amounts) = self.variables.members, self.entries
        undivided = ~apart[row]
        key = members.key[row[undivided]]
        people = add_up(members.key[~apart], members.people[~apart], members.key_count).astype(float)
        named = np.isin(np.arange(members.key_count), self._keys_of_named)
        people = np.where(named, sum_by(key, amounts[undivided], members.key_count), people)
        kinds = build_kinds(np.arange(members.key_count), -1, np.where(named, OTHERS, NOBODY), people)
        return kinds, (key, value[undivided], amounts[undivided])

    def _kinds_of_parts(self, rows: Integers) -> tuple[KindsOfPeople, KindEntries]:
        members, parts = self.variables.members, self.variables.parts
        _, part = ranges(parts.first[rows], parts.first[rows + 1])
        names = members.key[parts.row[part]], parts.kind[parts.row[part]], parts.slot[part]
        number, first = number_rows(names, [int(each.max(initial=0)) + 1 for each in names], rows=len(part))
        people = sum_by(number, self._people_in(part, np.ones(len(part))), len(first))
        printed = names[0][first]
        person = np.where(np.isin(printed, self._keys_of_named), OTHERS, NOBODY)
        at, columns = pair_equal(members.group[parts.row[part]], self.variables.blocks.column_group)
        entries = number[at], self.variables.value[columns], self._amounts_at(part[at], columns)
        return build_kinds(printed, part[first], person, people), entries

    @cached_property
    def _kinds_of_named(self) -> tuple[KindsOfPeople, KindEntries]:
        reduced, quotient, blocks = self.reduced, self.reduced.quotient, self.variables.blocks
        named, people = np.flatnonzero(reduced.person != NOBODY), len(reduced.people)
        by_class = np.argsort(quotient.column, kind="stable")
        at, column = pair_equal(reduced.columns[reduced.problem.column[named]], quotient.column[by_class])
        variable, column = named[at], by_class[column]
        # of a class of columns, each has its share
        share = blocks.column_people[column] / quotient.blocks.column_people[quotient.column[column]]
        amounts = self.solution.amounts[variable] * share
        # a person is one person but for the solver's error, which is no reason to doubt what is certain
        size = sum_by(reduced.person[named], self.solution.amounts[named], people)
        kinds = build_kinds(self._keys_of_named, -1, np.arange(people), size)
        return kinds, (reduced.person[variable], self.variables.value[column], amounts)

    @property
    def _keys_of_named(self) -> Integers:
        """The key of each person whom statements name."""
        rows = [int(rows[0]) for rows in self.constraints.people.values()]
        keys: Integers = self.variables.members.key[np.array(rows, np.int64)]
        return keys

    def forget_statements(self, seconds: float) -> Beliefs:
        """Return what follows from the release alone, about the same people."""
        return beliefs_of(self.variables, (), deadline=time.monotonic() + seconds)

    @cached_property
    def entropy(self) -> float:
        """−Σ P(q, s, b) ln P(q, s, b), in nats."""
        share = self.entries[2] / self.release.size
        # 0 · ln 0 = 0
        share = share[share > 0]
        return float(-(share @ np.log(share)))

    @cached_property
    def certificate(self) -> Certificate:
        """The conditions that only the distribution of largest entropy fulfils."""
        return Certificate.build(self.reduced.problem, self.solution, self.constraints.stated, self.release.size)


def _conditions(cells: Mapping[str, object] | Event | None) -> Event:
    if cells is None or isinstance(cells, tuple):
        return cells or ()
    cell_of = expect_mapping(cells, "who is meant", '{"sex": "f"}')
    return tuple((str(column), label(cell)) for column, cell in cell_of.items())


def _clip(probability: float) -> float:
    """Keep rounding from leaving [0, 1], and from hiding a certainty."""
    # what is forced is exact but for the last bits of a sum; the solver's own error is larger, and stays visible
    if abs(probability - round(probability)) < 1e-12:
        return float(round(probability))
    return min(max(probability, 0.0), 1.0)


HAS = 0
"""The value of people who have it, in the release about one value; the other one is of people who do not."""


def set_beliefs_of(
    variables: Variables, known: tuple[Statement, ...], *, deadline: float, progress: Progress = quiet
) -> SetBeliefs:
    """Compute the distribution of largest entropy, value by value; `variables` are of the release with sets."""
    release = variables.release
    by_value: dict[Label, list[Statement]] = {}
    for each in known:
        by_value.setdefault(_value_of(release, each), []).append(each)

    def of_value(value: Label, stated: Sequence[Statement]) -> Beliefs:
        who_has_it = replace(variables, release=_split_by_value(release, value))
        return beliefs_of(who_has_it, tuple(stated), deadline=deadline, progress=progress)

    solved = {value: of_value(value, stated) for value, stated in by_value.items()}
    _check_independent(solved)
    # without statements the people are the same whatever the value, so that the first one will do
    return SetBeliefs(variables, known, solved, of_value(release.domain[0], ()))


def _value_of(release: Release, known: Statement) -> Label:
    values = dict.fromkeys(
        value
        for share in shares_of([known])
        for has in (*keep_conditions_on_values(share.event), *keep_conditions_on_values(share.given))
        for value in has.values
    )
    if not values:
        raise BadKnowledge(
            f"'{known.words}' names no value, and where people have sets of values, each is believed by itself"
        )
    for value in values:
        release.groups.code_of(value)  # an error names the nearest
    if len(values) > 1:
        raise BadKnowledge(
            f"'{known.words}' links {len(values)} values, and where people have sets of values, each is believed by "
            "itself; say a statement for each of them"
        )
    return next(iter(values))


def _split_by_value(release: Release, value: Label) -> Release:
    groups = release.groups
    having = groups.counts.column(groups.code_of(value))
    # (groups, 2): who has the value, and who has not
    cells = np.stack((having, groups.sizes - having), axis=1)
    about = whole_groups(
        domain=(value, f"not {shown(value)}"),
        sizes=groups.sizes,
        counts=Counts.from_cells(cells),
        columns=groups.columns,
    )
    return Release(about, release.sensitive, release.people, members=release.members, printing=release.printing)


def _check_independent(solved: Mapping[Label, Beliefs]) -> None:
    """Refuse links of values: unknowns about people that are part of the estimate of more than one value."""
    hidden = [value for value, each in solved.items() if _depends_on_hidden(each)]
    if len(hidden) > 1:
        raise BadKnowledge(
            f"statements about {len(hidden)} values are about people whom some groups may hide, which links these "
            "values; ask with the statements about one of them at a time"
        )
    for each in solved.values():
        somewhere = [who for who, rows in each.constraints.people.items() if len(rows) > 1]
        if somewhere and len(solved) > 1:
            raise BadKnowledge(
                f"{counted(len(somewhere), 'person')} may be in several groups, which links the values that statements "
                "speak of; ask with the statements about one value at a time"
            )


def _depends_on_hidden(beliefs: Beliefs) -> bool:
    members, parts = beliefs.variables.members, beliefs.variables.parts
    return bool((parts.divided_rows & beliefs.touched_groups[members.group]).any())


@dataclass(frozen=True, eq=False, repr=False)
class SetBeliefs(ReleaseBeliefs):
    """The beliefs of an attacker about people with sets of values, by maximum entropy; made by `maxent`.

    Each probability is that of having a value, among others; those of a person may add up to more or less than one.

    >>> import sidelight as sl
    >>> visits = sl.Release.from_counts([{"Flu": 2, "Cold": 3}], sizes=[4], values="set", labels=[{"age": "30-39"}])
    >>> beliefs = sl.maxent(visits, ["P(Flu | person=#1) = 0.1"])
    >>> [round(beliefs.probability(value, person=sl.Someone(1)), 6) for value in ("Flu", "Cold")]
    [0.1, 0.75]
    """

    of_value: Mapping[Label, Beliefs]  # of each value that a statement mentions: who has it and who has not
    nothing_known: Beliefs  # the same people, without statements

    @cached_property
    def people(self) -> Beliefs:
        """The beliefs about who is meant: those of the one value whose statements are about hidden people."""
        return next((each for each in self.of_value.values() if _depends_on_hidden(each)), self.nothing_known)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """The notes on all values, each once."""
        return tuple(dict.fromkeys(note for each in self.of_value.values() for note in each.notes))

    @property
    def undecided(self) -> int:
        """The number of undecided amounts of all values (see `Beliefs`)."""
        return sum(each.undecided for each in self.of_value.values())

    def notes_on(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """Return notes on the people a condition may mean besides those who are certain."""
        return self.people.notes_on(given)

    def meant(self, given: Mapping[str, object], *, group: GroupName | int | None = None) -> MeantPeople:
        """Return how many people a condition means for certain, and how many more may be meant."""
        return self.people.meant(given, group=group)

    def names(self, person: Who) -> bool:
        """Return whether a statement names this person."""
        return any(each.names(person) for each in self.of_value.values())

    def find_touched_groups(self, value: int) -> Flags:
        """Return which groups (by row) a statement about a value touches."""
        beliefs = self.of_value.get(self.release.domain[value])
        return np.zeros(len(self.release), bool) if beliefs is None else beliefs.touched_groups

    def probability(
        self,
        value: object,
        *,
        given: Mapping[str, object] | None = None,
        group: GroupName | int | None = None,
        person: object = None,
    ) -> float:
        """Return the probability that a person with these cells has the value, among others."""
        if isinstance(value, list | tuple | set):
            raise BadKnowledge("of sets, each value is believed by itself; ask about one value at a time")
        text, code = label(value), self.release.groups.code_of(label(value))
        if person is not None:
            return self._probability_of_person(text, code, as_who(person))
        beliefs = self.of_value.get(text)
        # whom a group hides is estimated by the only value whose statements ask about them
        if beliefs is not None and (beliefs is self.people or not _depends_on_hidden(self.people)):
            return beliefs.probability(text, given=given, group=group)
        return self.people.average_rates(self._rates(code), given=given, group=group)

    def _probability_of_person(self, text: Label, code: int, who: Who) -> float:
        if text in self.of_value and self.of_value[text].names(who):
            return self.of_value[text].probability(text, person=who)
        named = [each for each in self.of_value.values() if each.names(who)]
        if not named:
            raise BadKnowledge("no statement names this person; ask with given= instead")
        rows = named[0].constraints.people[who]
        if len(rows) > 1:
            raise BadKnowledge("this person may be in several groups; ask about the value that statements speak of")
        return float(self._rates(code)[rows[0]])

    def _rates(self, code: int) -> Floats:
        """Return P(v ∈ S | q, b) for each row (q, b)."""
        beliefs, groups = self.of_value.get(self.release.domain[code]), self.release.groups
        if beliefs is not None:
            return beliefs.rates(HAS)
        rates: Floats = (groups.counts.column(code) / groups.sizes)[self.variables.members.group]
        return rates

    @cached_property
    def entries(self) -> tuple[Integers, Integers, Floats]:
        """All rows (q, b) with the values of their groups, and how many people have them: row, value, people."""
        members, groups = self.variables.members, self.release.groups
        group, value, count = groups.counts.entries()
        order = np.argsort(group, kind="stable")
        # every row with all values of its group
        row, at = pair_equal(members.group, group[order])
        value, count = value[order][at], count[order][at]
        rates = count / groups.sizes[members.group[row]]
        for text in self.of_value:
            code = groups.code_of(text)
            mentioned = value == code
            rates[mentioned] = self._rates(code)[row[mentioned]]
        return row, value, rates * members.people[row]

    @cached_property
    def by_kind(self) -> KeyBeliefs:
        """As `by_key`, and people whom the statements about a value distinguish or name, for that value."""
        kinds, names = [self.by_key.keys], tuple[str, ...]()
        entries = [(self.by_key.key, self.by_key.value, self.by_key.probability)]
        for text, beliefs in self.of_value.items():
            apart = beliefs.by_kind
            special = np.flatnonzero((apart.keys.part >= 0) | (apart.keys.person != NOBODY))
            at = np.flatnonzero((apart.value == HAS) & np.isin(apart.key, special))
            # special kinds of this value are numbered behind those of all values before
            kind = sum(map(len, kinds)) + np.searchsorted(special, apart.key[at])
            entries.append((kind, np.full(len(at), self.release.groups.code_of(text)), apart.probability[at]))
            kinds.append(apart.keys[special].view(np.recarray))
            kinds[-1].person[kinds[-1].person >= 0] += len(names)
            names += apart.names
        key, value, probability = map(np.concatenate, zip(*entries, strict=True))
        keys = np.concatenate(kinds).view(np.recarray)
        return KeyBeliefs(self.people.variables, keys, self.release.domain, key, value, probability, names)

    def forget_statements(self, seconds: float) -> SetBeliefs:
        """Return what follows from the release alone, which takes no time."""
        return replace(self, known=(), of_value={})

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of all values together."""
        each = [beliefs.certificate for beliefs in self.of_value.values()]
        return Certificate(
            residual=max((one.residual for one in each), default=0.0),
            misplaced=max((one.misplaced for one in each), default=0.0),
            multipliers={words: pushes for one in each for words, pushes in one.multipliers.items()},
            forced_zeros=sum(one.forced_zeros for one in each),
        )


AnyBeliefs: TypeAlias = Beliefs | SetBeliefs

SOLVER_SECONDS = 600.0
"""The default time for solving."""


def maxent(
    release: Release,
    knowing: Statements = (),
    *,
    people: Mapping[str, Mapping[str, object]] | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    suppressed: SuppressedPeople | None = None,
    seconds: float = SOLVER_SECONDS,
    progress: Progress = quiet,
) -> Beliefs | SetBeliefs:
    """Compute what an attacker believes who sees this release, knows these statements, and assumes nothing else.

    Of all distributions P(q, s, b) of what is known about a person (q), the value (s) and the group (b) that fit the
    release and the statements, the one of largest entropy.  This is another model than counting possible worlds
    (`posterior`): the two agree when nothing is known, and may differ otherwise.

    A statement is also about people in groups that print less than it needs, such as `*` or `30-39`: how many of them
    are meant is unknown, and part of the estimate (see `beliefs.notes`).  `by` are hierarchies of printed labels;
    `people` describes the people whom statements name: column → cell.  As everywhere, nobody is assumed to be in
    suppressed rows (`*` in every column): whole groups are suppressed, so a person who is known in every column and
    fits a printed group is in that one, and a person who fits none is nowhere, unless `suppressed="may hold them"`.
    Raises `Contradiction` with a smallest set of statements that cannot all hold, and `TooHard` when it takes longer
    than `seconds`; where only details are open by then, see `beliefs.undecided` and the notes.  Of a release with sets
    of values, see `SetBeliefs`.

    >>> ward = Release.from_buckets([
    ...     ([{"sex": "male"}, {"sex": "male"}, {"sex": "female"}], ["Flu", "Cold", "Breast cancer"])])
    >>> maxent(ward).probability("Flu", given={"sex": "male"})
    0.3333333333333333
    >>> beliefs = maxent(ward, knowing=["P(Breast cancer | sex=male) = 0"])
    >>> beliefs.probability("Breast cancer", given={"sex": "female"})
    1.0
    >>> labels = [{"city": "Ulm", "sex": "f"}, {"city": "Ulm", "sex": "*"}]
    >>> wards = Release.from_counts([{"Flu": 1, "Cold": 1}, {"Flu": 1, "Cold": 2}], labels=labels)
    >>> print(*maxent(wards, knowing=["P(Flu | sex=f) = 1/3"]).notes)
    sex=f: 2 people for certain; 3 people in 1 group may be meant too, of whom the estimate takes 1.54 to be

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
    """
    expect(Release, release, "what is seen")
    expect_one_sensitive(release, "maximum entropy")
    if release.semantics == "multiset":
        raise BadMeasure(
            "maximum entropy needs one value per person, or a set of them, and this release has "
            f"{parameter('values', release.semantics)}; read it with {parameter('values', 'set')}"
        )
    # rounded down: a deadline may come early, never late
    deadline = time.monotonic() + round_down(exact_number(seconds, BadMeasure, parameter("seconds")))
    lookup = Lookup.build(by, suppressed=suppressed)
    variables = Variables(
        release,
        mapping_or_empty(people, parameter("people"), '{"Ann": {"sex": "f"}}'),
        nodes=lookup.nodes(release),
        look_in_suppressed=lookup.suppressed == "may hold them",
    )
    believe = set_beliefs_of if release.semantics == "set" else beliefs_of
    return believe(variables, read_statements(knowing), deadline=deadline, progress=progress)
