"""What would somebody believe who sees a release, has some statistics, and assumes nothing else?

`maxent` gives `Beliefs` (`SetBeliefs`, where people have sets of values): the joint distribution P(q, s, b) of largest
entropy, and what follows from it:

- P*(s | C) for any condition, group or named person (`probability`), the whole joint distribution (`table`);
- P*(s | q) for all keys q, wherever such people are (`KeyBeliefs`): Σ_b P(q, s, b) / P(q); of whom somebody is most
  sure (`riskiest`), and how far that is from the truth (`estimation_error`);
- why it is the one of largest entropy (`Certificate`), which anyone can check again from `table` alone.

This is another model than counting possible worlds: the two agree when nothing is known, and may differ otherwise.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sidelight.arrays import Flags, Floats, Integers, add_up, number_rows, pair_equal, ranges, sum_by
from sidelight.errors import BadKnowledge, BadMeasure, expect, expect_mapping, parameter
from sidelight.knowledge.events import Event, cells_in, condition_text
from sidelight.knowledge.facts import Who, as_who, person_text
from sidelight.max_entropy.constraints import (
    NOBODY,
    ONLY_SUPPRESSED,
    WHY_NOBODY,
    Constraints,
    conditions_of,
    constraints_of,
    mentioned_conditions,
    shares_of,
)
from sidelight.max_entropy.key_beliefs import (
    OTHERS,
    KeyBeliefs,
    KeysOfPeople,
    KindEntries,
    Move,
    Risk,
    estimation_error,
)
from sidelight.max_entropy.presolve import NEGLIGIBLE_PEOPLE, Infeasible
from sidelight.max_entropy.reduction import ReducedProblem, reduce_problem
from sidelight.max_entropy.subproblems import Solution, explain_infeasible, solve, solve_measured
from sidelight.progress import Progress, quiet
from sidelight.release.groups import GroupName, suppressed_groups
from sidelight.rounding import whole_number
from sidelight.table.labels import Column, Label, Tabular, arrow_labels, label, shown, unused_name
from sidelight.text import MOST_ROWS, counted, html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.knowledge.statements import Statement
    from sidelight.max_entropy.problem import Variables
    from sidelight.release.release import Release
    from sidelight.table.table import Table


def beliefs_of(
    variables: Variables, known: tuple[Statement, ...], *, deadline: float, progress: Progress = quiet
) -> Beliefs:
    """Compute the distribution of largest entropy; raise `Contradiction`, or `TooHard` after the deadline."""
    # conditions that statements mention cut rows into parts, so they have to be known before any variable is
    variables = replace(variables, mentioned=mentioned_conditions(known, variables.described))
    constraints = constraints_of(variables, known)
    reduced = reduce_problem(variables, constraints)
    solved = partial(solve, deadline=deadline, progress=progress)
    try:
        if constraints.scale.any():
            problem, solution = solve_measured(reduced.problem, constraints.scale, constraints.laplace, solved)
            reduced = replace(reduced, problem=problem)
        else:
            solution = solved(reduced.problem)
    except Infeasible as infeasible:
        raise explain_infeasible(infeasible, variables, constraints, deadline) from None
    return Beliefs(variables, known, constraints, reduced, solution)


@dataclass(frozen=True, slots=True)
class MeantPeople:
    """Whom a condition means: people who are known to fulfil it, and people whose groups print less than it asks."""

    certain: int
    possible: int
    groups: int  # of those who may be meant
    estimate: float  # how many of them are meant, by maximum entropy

    def __str__(self) -> str:
        known = f"{counted(self.certain, 'person')} for certain" if self.certain else "nobody is meant for certain"
        if not self.possible:
            return known
        return (
            f"{known}; {counted(self.possible, 'person')} in {counted(self.groups, 'group')} may be meant too, "
            f"of whom the estimate takes {self.estimate:{',.0f' if self.estimate >= 100 else '.3g'}} to be"
        )


@dataclass(frozen=True, slots=True)
class Certificate:
    """The conditions of Karush, Kuhn and Tucker, which only the distribution of largest entropy fulfils.

    Where P is positive, log P(q, s, b) = α(q, b) + β(s, b) + Σ_k μ_k a_k(q, s, b), with a_k how often statement k
    counts that entry (once, where it is about a share; in a comparison, people of the smaller side / people of this
    side, negative on the right); μ_k ≥ 0 only where the share is at its lower bound, ≤ 0 only at its upper one.
    Everything else is 0 in every distribution that fits.
    """

    residual: float  # how far off the worst sum is, as a probability
    misplaced: float  # how far a share that pushes is from its bound, as a probability
    multipliers: Mapping[str, float | None]  # statement → μ; None: what it says is forced, and pushes nothing
    forced_zeros: int
    """KindEntries that are 0 in every distribution that fits, as far as they were looked for; a class counts once.

    `Beliefs.undecided` says of how many the time was up; these are as good as 0, and the statements behind them push
    very hard instead of `None`.
    """

    @property
    def holds(self) -> bool:
        """Whether everything is met to 1e-8."""
        return self.residual <= 1e-8 and self.misplaced <= 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseBeliefs(Tabular):
    """What `Beliefs` and `SetBeliefs` have in common: rows, a chart, the surest beliefs and those that moved most."""

    variables: Variables
    known: tuple[Statement, ...]

    @property
    def release(self) -> Release:
        """The release that was seen."""
        return self.variables.release

    @property
    @abstractmethod
    def entries(self) -> tuple[Integers, Integers, Floats]:
        """All rows (q, b) with the values of their groups, and how many people have them: row, value, people."""

    @cached_property
    def by_key(self) -> KeyBeliefs:
        """P*(s | q) for all q and s that occur together: what is believed wherever such a person is."""
        members, (row, value, amounts) = self.variables.members, self.entries
        people = add_up(members.key, members.people, members.key_count).astype(float)
        keys = KeysOfPeople.from_keys(people, np.zeros(members.key_count, bool))
        return KeyBeliefs.from_entries(self.variables, keys, self.release.domain, (members.key[row], value, amounts))

    @property
    @abstractmethod
    def by_kind(self) -> KeyBeliefs:
        """As `by_key`, but people whom statements tell apart or name are kinds of their own."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: whom statements may mean, and which say nothing about this release."""

    @property
    @abstractmethod
    def undecided(self) -> int:
        """How many amounts next to nothing may be 0, as the time was up.

        What is believed then fits all statements, and is right to about six decimals; what is nearly certain may be
        certain.
        """

    @abstractmethod
    def find_touched_groups(self, value: int) -> Flags:
        """Return which groups (by row) a statement touches that may change what is believed of a value."""

    @abstractmethod
    def forget_statements(self, seconds: float) -> ReleaseBeliefs:
        """Return what follows from the release alone, about the same people."""

    def estimation_error(self, original: Table) -> float:
        """Return Σ_q P(q) Σ_s P(s|q) ln( P(s|q) / P*(s|q) ), in nats: how far from the truth these beliefs are.

        `original` is the table that the release is of; 0 when somebody knows everything.  Of one value per person.
        """
        if self.release.semantics != "single":
            message = (
                "the estimation error is of one value per person, and this release has "
                f"{parameter('values', self.release.semantics)}; leave the original out"
            )
            raise BadMeasure(message)
        return estimation_error(self.by_key, original)

    def table(self) -> pa.Table:
        """Return P(q, s, b) as an Arrow table: what is known about people, the value, "group" and "probability".

        Of sets, of each (q, b) the probabilities of all values add up to how many values such a person has, on average,
        times the chance of (q, b).

        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 1, "Cold": 3}], labels=[{"age": "30-39"}])
        >>> sl.maxent(ward).table().to_pylist()[0]
        {'age': '30-39', 'value': 'Cold', 'group': 1, 'probability': 0.75}
        """
        release, members, (row, value, amounts) = self.release, self.variables.members, self.entries
        arrays = {each.name: arrow_labels(each, members.key[row]) for each in members.columns}
        values = Column(release.sensitive, release.domain, value.astype(np.int32))
        arrays[unused_name(release.sensitive, arrays)] = arrow_labels(values)
        arrays[unused_name("group", arrays)] = pa.array(release.groups.numbers[members.group[row]])
        arrays[unused_name("probability", arrays)] = pa.array(amounts / release.size)
        return pa.table(arrays)

    def __repr__(self) -> str:
        people, statements = counted(self.release.size, "person"), counted(len(self.known), "statement")
        return f"<{type(self).__name__} by maximum entropy about {people}, knowing {statements}>"

    def _repr_html_(self) -> str:
        kinds = self.by_kind
        columns = [column.name for column in kinds.members.columns]
        names = [*columns, *(["person"] if kinds.keys.names else []), self.release.sensitive, "probability"]
        rows = (
            (
                *(shown(text) for _, text in risk.says),
                *[""] * (len(names) - 2 - len(risk.says)),
                shown(risk.value),
                f"{risk.probability:.4f}",
            )
            for risk in self.riskiest(MOST_ROWS)
        )
        title = f"Believed most, by maximum entropy, knowing {counted(len(self.known), 'statement')}"
        return html_table(title, names, rows, total=len(kinds.probability), note=" ".join(self.notes))

    def plot(self, before: ReleaseBeliefs | None = None) -> alt.TopLevelMixin:
        """Draw what is believed before and after, value by value, of the people about whom it moves most.

        `before` are other beliefs about the same release; default: what follows from the release alone.  An Altair
        chart, which needs the extra `plot`: a notebook shows it, `chart.save("beliefs.svg")` writes it.
        """
        from sidelight.report.charts.attackers import beliefs_chart  # noqa: PLC0415 - it stands below

        return beliefs_chart(self, None if before is None else self._expect_same_kind(before))

    def to_arrow(self) -> pa.Table:
        """Return `table()`, by the name that dataframes have for it."""
        return self.table()

    def riskiest(self, n: int = 10) -> tuple[Risk, ...]:
        """Return the n largest P*(s | q) and whom they are about, by what is known about people (`by_kind`).

        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 1, "Cold": 3}], labels=[{"age": "30-39"}])
        >>> print(*sl.maxent(ward).riskiest(1))
        Cold for age 30-39: 0.7500
        """
        return tuple(
            Risk(probability, self.release.domain[value], self.by_kind.says(key))
            for key, value, probability in self.by_kind.largest(whole_number(n, BadMeasure, "n"))
        )

    def moved_most(self, before: ReleaseBeliefs, n: int = 10) -> tuple[Move, ...]:
        """Return the n people about whom these beliefs differ most from others of the same release.

        Each with the value whose probability changed most; of those who moved as much, the surest first.

        >>> labels = [{"age": "30-39", "sex": "*"}, {"age": "40-49", "sex": "f"}]
        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 2, "Cold": 2}, {"Flu": 4}], labels=labels)
        >>> print(*sl.maxent(ward, "P(Flu | sex=f) = 1").moved_most(sl.maxent(ward), 1))
        Flu for age 30-39, sex f (printed *): 1.0000, and 0.5000 before
        """
        return self.by_kind.moved_most(self._expect_same_kind(before).by_key, whole_number(n, BadMeasure, "n"))

    def _expect_same_kind(self, before: ReleaseBeliefs) -> ReleaseBeliefs:
        return expect(type(self), before, "what is compared with")


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs(ReleaseBeliefs):
    """What somebody believes about the people of a release, by maximum entropy; made by `maxent`."""

    constraints: Constraints
    reduced: ReducedProblem
    solution: Solution

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: whom statements may mean, and which say nothing about this release."""
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
                notes += self._notes_on(conditions)
        return tuple(notes)

    @property
    def undecided(self) -> int:
        """How many amounts next to nothing may be 0, as the time was up."""
        return self.solution.undecided

    def notes_on(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """Return whom a condition may mean besides those who are certain, and whom it leaves aside.

        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 2}, {"Cold": 3}], labels=[{"sex": "male"}, {"sex": "*"}])
        >>> print(*sl.maxent(ward).notes_on({"sex": "male"}))
        sex=male: suppressed rows (3 people) are left aside, as whoever fits a printed group is in that one
        """
        return self._notes_on(_conditions(given))

    def _notes_on(self, conditions: Event) -> tuple[str, ...]:
        if not (self.variables.share(conditions) > 0).any():
            return ()
        meant, variables = self._find_meant(conditions, None), self.variables
        plain = (
            f"{each[0]}={shown(each[1])}" if isinstance(each, tuple) else condition_text(each) for each in conditions
        )
        words = ", ".join(plain)
        rests = ", which rests on suppressed rows holding them" if variables.only_suppressed(conditions) else ""
        notes = [f"{words}: {meant}{rests}"] if meant.possible else []
        if variables.leaves_suppressed_aside(conditions):
            people = int(self.release.groups.sizes[suppressed_groups(self.release.groups)].sum())
            aside = f"suppressed rows ({counted(people, 'person')}) are left aside"
            notes.append(f"{words}: {aside}, as whoever fits a printed group is in that one")
        return tuple(notes)

    def meant(self, given: Mapping[str, object], *, group: GroupName | int | None = None) -> MeantPeople:
        """Return how many people a condition means for certain, and how many more may be meant.

        >>> import sidelight as sl
        >>> labels = [{"city": "Ulm", "sex": "male"}, {"city": "Ulm", "sex": "*"}]
        >>> ward = sl.Release.from_counts([{"Flu": 2}, {"Flu": 1, "Cold": 3}], labels=labels)
        >>> print(sl.maxent(ward).meant({"sex": "male"}))
        2 people for certain; 4 people in 1 group may be meant too, of whom the estimate takes 2 to be
        """
        return self._find_meant(_conditions(given), group)

    def _find_meant(self, conditions: Event, group: GroupName | int | None) -> MeantPeople:
        part, share = self._parts(conditions, group)
        parts = self.variables.parts
        rows = np.unique(parts.row[part])
        certain = np.ones(len(parts.count), bool)
        whole = self.variables.share(conditions) == 1
        # a row is certain only where all of its parts fulfil the conditions
        certain[parts.row[~whole]] = False
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
        """How many numbers the solver had to find; what nobody tells apart is one."""
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
        """Return which groups a statement touches that may change beliefs about a value: all that one touches."""
        del value
        return self.touched_groups

    def probability(
        self,
        value: object,
        *,
        given: Mapping[str, object] | None = None,
        group: GroupName | int | None = None,
        person: object = None,
    ) -> float:
        """Return the probability that a person who says this has the value (or one of a list of values).

        `given` names columns and cells; `group` is the group that the person is known to be in; `person` somebody
        whom the statements name.
        """
        values = tuple(label(each) for each in (value if isinstance(value, list | tuple | set) else (value,)))
        if not values:
            message = "this asks about no value; name one, or several in a list"
            raise BadKnowledge(message)
        if person is not None:
            return self._probability_of_person(values, person)
        part, share, people = self._whom(given, group)
        columns = self.variables.columns_with(tuple(dict.fromkeys(values)))
        return _clip(float(self._amounts_in(part, share, columns).sum() / people.sum()))

    def _whom(
        self, given: Mapping[str, object] | None, group: GroupName | int | None
    ) -> tuple[Integers, Floats, Floats]:
        """Return the people who fulfil conditions: parts, the share of each that does, and how many people that is."""
        part, share = self._parts(_conditions({} if given is None else given), group)
        people = self._people_in(part, share)
        # the solver leaves a trace of people where there is nobody, and nothing can be divided by that
        if people.sum() <= NEGLIGIBLE_PEOPLE:
            message = "as things are known, nobody in the release can be like this; ask about somebody who may be there"
            raise BadKnowledge(message)
        return part, share, people

    def rates(self, value: int) -> Floats:
        """Return P*(s | q, b) of a value, as its place in the domain, for each row (q, b)."""
        row, values, amounts = self.entries
        having, people = values == value, self.variables.members.people
        return sum_by(row[having], amounts[having], len(people)) / people

    def average_rates(
        self, rates: Floats, *, given: Mapping[str, object] | None = None, group: GroupName | int | None = None
    ) -> float:
        """Average what is known of each row over the people who say this."""
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
            raise BadKnowledge(self._why_nobody(conditions, in_group=group is not None))
        return parts, share[parts]

    def _why_nobody(self, conditions: Event, *, in_group: bool) -> str:
        if self.variables.only_suppressed(conditions) and not self.variables.look_in_suppressed:
            return f"{ONLY_SUPPRESSED}; say {parameter('suppressed', 'may hold them')} if they may hold them"
        return f"{'nobody in that group says this' if in_group else WHY_NOBODY}; ask about somebody who is there"

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
            message = "no statement names this person; ask with given= instead"
            raise BadKnowledge(message)
        original = self.variables.columns_with(values)
        columns = reduced.quotient.column[original]
        of_person = reduced.person == reduced.people.index(who)
        chosen = of_person & np.isin(reduced.columns[reduced.problem.column], columns)
        classes = reduced.columns[reduced.problem.column[chosen]]
        # of a class of columns, the share of those that are asked for
        inside = np.bincount(columns, self.variables.blocks.column_people[original])
        in_class = reduced.quotient.blocks.column_people
        amount = self.solution.amounts[chosen] @ (inside[classes] / in_class[classes])
        # a person is one person but for the solver's error, which is no reason to doubt what is certain
        return _clip(float(amount / self.solution.amounts[of_person].sum()))

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
        """As `by_key`, but people of a group whom statements tell apart are kinds of their own.

        Somebody who knows that a person in a group with `*` for sex is a woman believes what follows for her, which
        may be surer than what follows for the group.  Likewise everybody whom a statement names, and all the others
        who look like them: that Ann does not have it says more about these than about anybody of them all.
        """
        # rows that statements cut are kinds by their parts, all others by their keys
        apart = self.variables.parts.divided_rows & self.touched_groups[self.variables.members.group]
        if not apart.any() and not self.reduced.people:
            return self.by_key
        amounts_of_unnamed = np.where(self.reduced.person == NOBODY, self.solution.amounts, 0.0)
        unnamed = replace(self, solution=replace(self.solution, amounts=amounts_of_unnamed))
        printed, (key, value, amounts) = unnamed._kinds_of_keys(apart)
        parts, (part_kind, part_value, part_amounts) = unnamed._kinds_of_parts(np.flatnonzero(apart))
        named, (person, named_value, named_amounts) = self._kinds_of_named()
        entries = (
            np.concatenate((key, len(printed) + part_kind, len(printed) + len(parts) + person)),
            np.concatenate((value, part_value, named_value)),
            np.concatenate((amounts, part_amounts, named_amounts)),
        )
        keys = KeysOfPeople.concatenate([printed, parts, named], tuple(map(person_text, self.reduced.people)))
        return KeyBeliefs.from_entries(self.variables, keys, self.release.domain, entries)

    def _kinds_of_keys(self, apart: Flags) -> tuple[KeysOfPeople, KindEntries]:
        """Return a kind for each key, of its people without rows that are apart, and what they have."""
        members, (row, value, amounts) = self.variables.members, self.entries
        whole = ~apart[row]
        key = members.key[row[whole]]
        people = add_up(members.key[~apart], members.people[~apart], members.key_count).astype(float)
        named = np.isin(np.arange(members.key_count), self._keys_of_named)
        people = np.where(named, sum_by(key, amounts[whole], members.key_count), people)
        kinds = KeysOfPeople.from_keys(people, named)
        return kinds, (key, value[whole], amounts[whole])

    def _kinds_of_parts(self, rows: Integers) -> tuple[KeysOfPeople, KindEntries]:
        members, parts = self.variables.members, self.variables.parts
        _, part = ranges(parts.first[rows], parts.first[rows + 1])
        names = members.key[parts.row[part]], parts.kind[parts.row[part]], parts.slot[part]
        number, first = number_rows(names, [int(each.max(initial=0)) + 1 for each in names], rows=len(part))
        people = sum_by(number, self._people_in(part, np.ones(len(part))), len(first))
        printed = names[0][first]
        person = np.where(np.isin(printed, self._keys_of_named), OTHERS, NOBODY)
        at, columns = pair_equal(members.group[parts.row[part]], self.variables.blocks.column_group)
        entries = number[at], self.variables.value[columns], self._amounts_at(part[at], columns)
        return KeysOfPeople(printed, part[first], person, people), entries

    def _kinds_of_named(self) -> tuple[KeysOfPeople, KindEntries]:
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
        kinds = KeysOfPeople(self._keys_of_named, np.full(people, -1), np.arange(people), size)
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
        """What shows that this is the distribution of largest entropy."""
        problem, size = self.reduced.problem, self.release.size
        multipliers = self.solution.multipliers
        sums = problem.coefficients @ self.solution.amounts
        bound = np.where(multipliers > 0, problem.low, problem.high)
        # complementary slackness: who pushes is at a bound
        pushing = np.isfinite(multipliers) & (multipliers != 0)
        misplaced = np.abs(sums - bound)[pushing].max(initial=0.0)
        pushes: dict[str, float | None] = {}
        for number, multiplier in zip(problem.statement.tolist(), multipliers.tolist(), strict=True):
            if number >= 0:  # of two bounds of a statement, at most one pushes
                words = self.constraints.stated[number].words
                before = pushes.get(words)
                pushes[words] = before if np.isnan(multiplier) else multiplier + (before or 0.0)
        return Certificate(
            residual=self.solution.residual / size,
            misplaced=float(misplaced / size),
            multipliers=pushes,
            forced_zeros=int(self.solution.zero.sum()),
        )


def _conditions(cells: Mapping[str, object]) -> tuple[tuple[str, Label], ...]:
    return tuple(
        (str(column), label(cell)) for column, cell in expect_mapping(cells, "who is meant", '{"sex": "f"}').items()
    )


def _clip(probability: float) -> float:
    """Keep rounding from leaving [0, 1], and from hiding a certainty."""
    # what is forced is exact but for the last bits of a sum; the solver's own error is larger, and stays visible
    if abs(probability - round(probability)) < 1e-12:
        return float(round(probability))
    return min(max(probability, 0.0), 1.0)
