"""What somebody believes who knows how a release was made: of every person, exactly, in an interval, or not at all."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadMeasure, TooHard, parameter
from sidelight.minimality.group_beliefs import FinerRelease, list_again
from sidelight.minimality.measure import FailedCut, InsiderWitness
from sidelight.rounding import in_words
from sidelight.table.labels import Tabular, arrow_labels, shown, unused_name
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sidelight.arrays import Floats, Integers
    from sidelight.minimality.group_beliefs import GroupBeliefs
    from sidelight.minimality.group_question import HalfLimits, RosterLines
    from sidelight.release.release import Release
    from sidelight.search.orders import Order

BeliefOutcome: TypeAlias = Literal["told", "nothing to learn", "could not tell"]
IntervalEnd: TypeAlias = Literal["at least", "estimate", "at most"]

CLOSE_BELIEFS = 1e-9


@dataclass(frozen=True, slots=True)
class Claims:
    """How often guesses are right, beside how often they claim to be, over some of the people."""

    people: int
    claimed: float
    right: float


@dataclass(frozen=True, eq=False, repr=False)
class InsiderBeliefs(Tabular):
    """What an insider believes of everybody in a release.

    `outcome` says whether the making tells anything: "told"; "nothing to learn", and then what is printed is all that
    anybody believes; or "could not tell".  `reason` says why, in words.
    """

    release: Release
    outcome: BeliefOutcome
    reason: str
    roster: RosterLines | None = field(default=None, repr=False)
    groups: tuple[GroupBeliefs, ...] = field(default=(), repr=False)  # those in which something failed
    orders: tuple[Order, ...] = field(default=(), repr=False)
    limits: HalfLimits | None = field(default=None, repr=False)
    finer: tuple[FinerRelease, ...] = field(default=(), repr=False)  # that were not published (full domain)
    proven: Fraction | None = None  # nobody's belief is above this, by how the release was made

    def __repr__(self) -> str:
        return f"<InsiderBeliefs: {self.summary()}>"

    def _repr_html_(self) -> str:
        rows = [
            ("people", self.release.size),
            ("groups with failed cuts", len(self.groups)),
            ("in words", self.explain()),
        ]
        return html_table("What an insider believes", ["what", "found"], rows, total=len(rows))

    def summary(self) -> str:
        """Return one line on how sure an insider gets: at most, or at least where somebody's belief is not computed."""
        if self.outcome == "could not tell":
            return f"could not tell: {self.reason}"
        if self.outcome == "nothing to learn":
            return f"nothing to learn: {self.reason}"
        untold = f"; could not tell of {counted(self.untold, 'person')}" if self.untold else ""
        whom = f"{counted(self.release.size, 'person')} in {counted(len(self.release), 'group')}"
        return f"{whom}, sure to {self.worst_in_words}{untold}"

    @cached_property
    def worst(self) -> Fraction | float:
        """The largest belief of anybody of whom it could be told: exact, or the upper end of an interval."""
        witness = self.witness
        return math.nan if witness is None else witness.belief

    @property
    def worst_in_words(self) -> str:
        """The largest belief of anybody, with "at most"; with "at least" where somebody's belief is not computed."""
        if self.untold:
            return f"at least {in_words(self.least_worst, large_is_bad=False)}"
        return f"at most {in_words(self.worst)}"

    @cached_property
    def least_worst(self) -> Fraction | float:
        """The largest belief that somebody reaches for sure: intervals count by their lower ends.

        Beliefs in a value, over the people of a group, are the printed share on average, whatever else is known: so
        somebody's is no less.
        """
        if self.release.semantics != "single" or len(self.release.sensitive_columns) > 1:
            return Fraction(0)
        reached: list[Fraction | float] = [self._largest_share(np.arange(len(self.release)))[0]]
        reached += [self._amount(each) for each in self.groups if each.how == "counted"]
        reached += [float(each.at_least.max()) for each in self.groups if each.how != "counted"]
        return max(reached)

    @property
    def untold(self) -> int:
        """How many people are in groups of which nothing could be told."""
        if self.outcome == "could not tell":
            return self.release.size
        return sum(each.question.size for each in self.groups if each.how == "could not tell")

    @property
    def telling(self) -> tuple[GroupBeliefs, ...]:
        """The groups whose failed cuts tell something, or may."""
        return tuple(each for each in self.groups if each.says_something)

    @cached_property
    def witness(self) -> InsiderWitness | None:
        """Of whom an insider is most sure, and by which failed cuts; None where nothing could be told."""
        if self.outcome == "could not tell":
            return None
        answered = [each for each in self.groups if each.how != "could not tell"]
        # the largest share that is believed as printed: in a group of which the making tells nothing
        as_printed = np.ones(len(self.release), bool)
        as_printed[[each.question.row for each in self.groups]] = False
        printed, row, value = self._largest_share(np.flatnonzero(as_printed))
        if not answered:
            return self._as_printed(row, value, printed)
        surest = max(float(each.at_most.max()) for each in answered)
        # floats choose the groups that may be the worst; only those are compared as exact fractions
        close = [each for each in answered if float(each.at_most.max()) >= surest - CLOSE_BELIEFS]
        best = max(close, key=lambda each: (self._amount(each), -each.question.row))
        # strict: between equals the witness is the group whose failed cuts explain the belief
        if printed > self._amount(best):
            return self._as_printed(row, value, printed)
        return self._witness_in(best)

    def witness_of(self, row: int) -> InsiderWitness:
        """Of whom an insider is most sure in one group, by its row (from 0)."""
        for each in self.groups:
            if each.question.row == row and each.how != "could not tell":
                return self._witness_in(each)
        share, value = self._printed_share(row)
        return self._as_printed(row, value, share)

    def _as_printed(self, row: int, value: int, share: Fraction) -> InsiderWitness:
        name, sensitive = self.release.groups.name(row), self.release.sensitive
        return InsiderWitness(name, self.release.domain[value], share, sensitive=sensitive)

    def replay(self, witness: InsiderWitness) -> Fraction:
        """Work out a belief again from the witness alone: list the arrangements, and judge each cut's halves."""
        if witness.how == "bounded":
            message = f"what is believed in {witness.group} was bounded and not counted; there is nothing to list"
            raise TooHard(message)
        row = witness.group.number - 1
        counts, place = self.release.groups.counts.row(row), self.release.groups.code_of(witness.value)
        if not witness.cuts and not witness.finer:
            return Fraction(int(counts[place]), int(counts.sum()))
        assert self.limits is not None
        assert self.roster is not None
        if witness.finer:
            return list_again(self.roster, self.finer, self.release.groups.counts, self.limits, witness)
        values = np.flatnonzero(counts)
        judge = partial(self.limits.judge, row, values)
        return witness.list_arrangements(counts[values].tolist(), values.tolist().index(place), judge)

    def people_above(self, belief: float | Fraction, *, end: IntervalEnd = "at least") -> int:
        """Count the people of whom an attacker who knows the method believes some value more than this.

        Where beliefs are drawn, intervals count by their lower `end` unless another is asked for.
        """
        return int(self._line_people[self._above(belief, end)].sum())

    @property
    def printed_worst(self) -> Fraction:
        """The largest share that a group prints: how sure the release alone makes one."""
        return self._largest_share(np.arange(len(self.release)))[0]

    def printed_above(self, belief: float | Fraction) -> int:
        """Count the people of whom the release alone makes one surer than this."""
        share = self._printed_shares[1]
        return int(self.release.groups.sizes[share > float(belief) + CLOSE_BELIEFS].sum())

    def claims_above(self, belief: float | Fraction = -1, *, end: IntervalEnd = "estimate") -> Claims:
        """Count how often the surest value is right, among people of whom more is believed; this needs the truth."""
        if self.roster is None or self.roster.truth is None:
            message = f"whether a guess is right needs the truth; give the publisher's table as {parameter('table')}"
            raise BadMeasure(message)
        some = self._above(belief, end)
        people = self.roster.people[some]
        if people.sum() == 0:
            return Claims(0, math.nan, math.nan)
        key, value, count = self.roster.truth.entries()
        hit = (value == self._lines["value"][key]) & some[key]
        claimed = float(people @ self._lines["estimate"][some] / people.sum())
        return Claims(int(people.sum()), claimed, float(count[hit].sum() / people.sum()))

    def table(self) -> pa.Table:
        """Return a row per group and kind of person: what is believed most of them, and how that came about.

        `belief` is null where it could not be told; `at least` and `at most` are the ends of its interval, the same
        where it was counted.
        """
        import pyarrow as pa  # noqa: PLC0415 - only where rows are handed out

        lines = self._lines
        columns = () if self.roster is None else self.roster.columns
        names = ["group", *(column.name for column in columns)]
        printed: list[pa.Array] = [pa.array(self.release.groups.numbers[lines["group"]])]
        printed += [arrow_labels(column) for column in columns]
        untold = np.isnan(lines["estimate"])
        value = [None if no else self.release.domain[at] for at, no in zip(lines["value"], untold, strict=True)]
        more = {
            "people": pa.array(self._line_people),
            "value": pa.array(value, pa.string()),
            "belief": pa.array(lines["estimate"], mask=untold),
            "at least": pa.array(lines["at least"]),
            "at most": pa.array(lines["at most"]),
            "how": pa.array(lines["how"]),
        }
        for name, array in more.items():
            names.append(unused_name(name, names))
            printed.append(array)
        return pa.Table.from_arrays(printed, names=names)

    to_arrow = table  # the name that dataframes have for it

    def plot(self) -> alt.TopLevelMixin:
        """Draw of how many people an insider is how sure, beside what the release alone says.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("insider.svg")` writes it.
        """
        from sidelight.report.charts.attackers import insider_chart  # noqa: PLC0415 - it stands below

        return insider_chart(self)

    def explain(self) -> str:
        """Explain it in a few sentences, for someone who has to sign."""
        surest = () if self.outcome != "told" or self.witness is None else (self.witness.explain(),)
        return " ".join((*surest, *self.remarks))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return all but who is believed what: sentences that name nobody, and may stand beside a published file."""
        if self.outcome == "could not tell":
            return (f"What somebody learns who knows how the release was made could not be told: {self.reason}.",)
        if self.outcome == "nothing to learn":
            return (f"Knowing how the release was made tells nothing about anybody: {self.reason}.",)
        remarks = [f"{self.reason}."] if self.reason else []
        if self.telling and self.limits is not None:
            people = counted(sum(each.question.size for each in self.telling), "person")
            where = f"{counted(len(self.telling), 'group')} of {len(self.release):,} ({people})"
            failed = "Cuts would have been made, had they kept the policy; that they were not tells something in"
            if self.finer:
                failed = "Finer releases would have been published, had they kept the policy; that tells something in"
            remarks.append(f"{failed} {where}.")
        if self.untold:
            untold = counted(self.untold, "person")
            remarks.append(f"Of {untold} in such groups it could not be told; that is not to say they are safe.")
        if self.orders and len(self.release) > 1:
            remarks.append(
                "Cuts that failed in larger groups, before those were cut elsewhere, are left out: what is called "
                "certain or impossible is so, and other beliefs may be off either way."
            )
        return tuple(remarks)

    @cached_property
    def _lines(self) -> npt.NDArray[np.void]:
        """Everybody's surest value: what is printed in groups without a failed cut, in the others what is believed."""
        group = np.arange(len(self.release)) if self.roster is None else self.roster.group
        best, share = self._printed_shares
        numbers = [(name, np.float64) for name in ("estimate", "at least", "at most")]
        lines = np.zeros(len(group), [("group", np.int64), ("value", np.int64), *numbers, ("how", "<U14")])
        lines["group"], lines["value"], lines["how"] = group, best[group], "counted"
        for name, _ in numbers:
            lines[name] = share[group]
        # not computed: any belief from 0 to 1
        untold = [each.question.lines for each in self.groups if each.how == "could not tell"]
        for at in [np.arange(len(group))] if self.outcome == "could not tell" else untold:
            lines["estimate"][at], lines["at most"][at], lines["how"][at] = np.nan, 1.0, "could not tell"
            lines["at least"][at] = 0.0
        for each in self.groups:
            if each.how == "could not tell":
                continue
            at, atom = each.question.lines, each.question.atom
            rows, surest = np.arange(len(each.surest)), each.surest
            # (atoms,) → (lines,): each line takes what is believed of its atom
            lines["value"][at] = surest[atom]
            lines["estimate"][at] = each.estimate[rows, surest][atom]
            lines["at least"][at] = each.at_least[rows, surest][atom]
            # a value other than the surest may have the largest upper end
            lines["at most"][at] = each.at_most.max(axis=1)[atom]
            lines["how"][at] = each.how
        return lines

    @property
    def _line_people(self) -> Integers:
        return self.release.groups.sizes if self.roster is None else self.roster.people

    def _above(self, belief: float | Fraction, end: IntervalEnd) -> npt.NDArray[np.bool_]:
        """Return which lines are above a belief, exactly where they were counted."""
        numbers: Floats = self._lines[end]
        limit = Fraction(str(belief)) if isinstance(belief, float) else Fraction(belief)
        # floats decide all but the lines near the limit; in counted groups exact fractions decide those
        above: npt.NDArray[np.bool_] = numbers > float(limit)
        close = np.abs(numbers - float(limit)) < CLOSE_BELIEFS
        for each in self.groups:
            if each.how != "counted" or not close[each.question.lines].any():
                continue
            exact = np.array([each.exactly(at, int(value)) > limit for at, value in enumerate(each.surest)])
            above[each.question.lines] = exact[each.question.atom]
        return above & ~np.isnan(numbers)

    @cached_property
    def _printed_shares(self) -> tuple[Integers, Floats]:
        best, share = [], []
        for block in self.release.groups.blocks():
            counts = block.counts.dense()
            best.append(counts.argmax(axis=1))
            share.append(counts.max(axis=1) / block.sizes)
        return np.concatenate(best), np.concatenate(share)

    def _printed_share(self, row: int) -> tuple[Fraction, int]:
        value = int(self._printed_shares[0][row])
        groups = self.release.groups
        return Fraction(int(groups.counts.row(row)[value]), int(groups.sizes[row])), value

    def _largest_share(self, rows: Integers) -> tuple[Fraction, int, int]:
        """The largest printed share of some groups, its row and its value."""
        if len(rows) == 0:
            return Fraction(0), 0, 0
        share = self._printed_shares[1][rows]
        # floats may tie; exact fractions decide, and between equal ones the first row
        near = rows[share >= share.max() - CLOSE_BELIEFS].tolist()
        row = max(near, key=lambda at: (self._printed_share(at)[0], -at))
        largest, value = self._printed_share(row)
        return largest, row, value

    def _surest_of(self, beliefs: GroupBeliefs) -> tuple[int, int]:
        """Return the atom and the value that are believed most in a group, by the upper ends."""
        if beliefs.how == "counted":
            best = beliefs.estimate[np.arange(len(beliefs.surest)), beliefs.surest]
            near = np.flatnonzero(best >= best.max() - CLOSE_BELIEFS).tolist()
            atom = max(near, key=lambda at: beliefs.exactly(at, int(beliefs.surest[at])))
            return atom, int(beliefs.surest[atom])
        atom, value = divmod(int(beliefs.at_most.argmax()), int(beliefs.at_most.shape[1]))
        return atom, value

    def _amount(self, beliefs: GroupBeliefs) -> Fraction | float:
        if self.proven is not None:
            return self.proven
        atom, value = self._surest_of(beliefs)
        return beliefs.exactly(atom, value) if beliefs.how == "counted" else float(beliefs.at_most[atom, value])

    def _witness_in(self, beliefs: GroupBeliefs) -> InsiderWitness:
        atom, value = self._surest_of(beliefs)
        question, roster = beliefs.question, self.roster
        assert roster is not None
        line = int(question.lines[question.atom == atom][0])
        orders = [self.orders[column] for column in question.column.tolist()]
        cuts = tuple(
            FailedCut(order.name, shown(order.labels[rank]), left, right, tuple(np.flatnonzero(inside).tolist()))
            for order, rank, (left, right), inside in zip(
                orders, question.rank.tolist(), question.sides.tolist(), question.left, strict=True
            )
        )
        return InsiderWitness(
            self.release.groups.name(question.row),
            self.release.domain[value],
            self._amount(beliefs),
            people=int(question.people[atom]),
            atom=atom,
            says=tuple((column.name, column.cell(line)) for column in roster.columns),
            cuts=cuts,
            finer=tuple(f"{each.column} at level {each.level}" for each in self.finer),
            atoms=tuple(question.people.tolist()),
            all_fail=beliefs.all_fail,
            how=beliefs.how,
            sensitive=self.release.sensitive,
        )
