"""The beliefs of an attacker who knows the release, the people in it, the method and the policy.

    Pr(x_i = s | method(w) = this release),   all assignments w of values to people equally probable

Mondrian     cuts wherever both halves keep the policy; so in a published group every cut fails (`group_question`).
Full domain  publishes a minimal node; so the release at each direct predecessor breaks the policy (`group_beliefs`).
Nothing      Where failing does not depend on w, the true w survives and so do all: policies on sizes alone, cuts or
             nodes that fail in every w.  Anatomy's buckets: Pr(release | w) depends on the buckets' counts alone.
             Not so where values decide which of several allowed releases is taken: cuts `towards` the sensitive column,
             utilities of values; nor where the end is judged by more than the release (`Measure.knows_true_values`).
Not covered  suppression, several sensitive columns, several values per person, other methods: not computed.

It is one concrete attacker, for whom all assignments are equally probable; not a worst case.

Source: Wong, Fu, Wang, Pei, VLDB 2007 (minimality); Xiao, Tao, Koudas, TODS 2010; Cormode, Srivastava, Li, Li, PVLDB
2010.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadMeasure, BadRelease, TooHard, expect, parameter
from sidelight.minimality.group_beliefs import (
    Beyond,
    DividedGroup,
    FinerReleases,
    GroupBeliefs,
    believe_finer_fail,
    believe_group,
    bound_around_shares,
    bound_beliefs,
    divide_groups,
    finer_releases,
    list_belief,
    refuse_open_cut,
)
from sidelight.minimality.group_question import HalfLimits, RosterLines, group_questions
from sidelight.minimality.measure import LISTED_TABLES, FailedCut, InsiderWitness
from sidelight.progress import Progress, quiet
from sidelight.release.release import Provenance, Release
from sidelight.rounding import in_words
from sidelight.search.full_domain import count_preferred
from sidelight.search.method import Method, SearchedLevel, SearchResult
from sidelight.search.mondrian_frontier import KeyStore, label_counts
from sidelight.search.orders import Order, column_orders
from sidelight.search.policy_check import PolicyCheck, covered_limits, holds_upwards
from sidelight.search.protect import MethodName, as_policy, method_behind, method_of, searchable_part
from sidelight.search.utility import Regions
from sidelight.search.veil import Veil
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Tabular, arrow_labels, shown, unused_name
from sidelight.table.table import Table, held
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sidelight.arrays import Floats, Integers
    from sidelight.measures.criterion import Criterion
    from sidelight.policy.policy import Policy


def insider(
    release: SearchResult | Release,
    *,
    method: MethodName | Method | None = None,
    policy: Policy | Criterion | Iterable[Criterion] | None = None,
    table: Table | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    exact_up_to: int = LISTED_TABLES,
    beyond: Beyond = "drawn",
    progress: Progress = quiet,
) -> InsiderBeliefs:
    """Compute what an attacker who also knows how the release was made believes of each person.

    A result of `protect` has all that is needed.  Of a release that was read, give the `method` and the `policy` unless
    its sidecar has them; `table` is the roster, whose values serve only to count how often guesses are right, and `by`
    are the method's hierarchies.  Of Mondrian's groups, those with up to `exact_up_to` tables of arrangements are
    counted; others (`beyond`) are "drawn", or "left out", and then not computed.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult()
    >>> by = {name: hierarchy for name, hierarchy in adult.hierarchies.items() if name != "age"}
    >>> limits = [sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1]
    >>> found = sl.protect(adult.table, limits, by=by, method="mondrian")
    >>> learnt = sl.insider(found)
    >>> round(float(learnt.worst), 3), learnt.people_above(0.52)
    (0.606, 22)
    """
    case = _InsiderCase.build(release, method, policy, table, by)
    refusal = case.not_covered()
    if refusal is not None:
        return InsiderBeliefs(case.release, "could not tell", refusal)
    if case.method.recodes == "buckets":
        if case.release.members is None:
            raise BadRelease(
                "the release does not say who is in which bucket: anatomy did not make it; give the method that did"
            )
        reason = "how people were dealt into buckets depends on the buckets' counts alone, and those are printed"
        return InsiderBeliefs(case.release, "nothing to learn", reason)
    # only what the search itself checked decided which cuts were made
    check = PolicyCheck.from_policy(searchable_part(case.policy), case.release.size)
    limits = HalfLimits.from_check(check, case.release.groups)
    # first: failed cuts mean something only where the release keeps the policy
    kept = check.holds_in_each(case.release.groups)
    if not kept.all():
        raise BadRelease(
            f"{case.release.groups.name(int(np.argmin(kept))).error_name} is not within the policy: this policy did "
            "not make this release; give the one that did"
        )
    if limits.limits_sizes_alone:
        # a cut that sizes allow was made; a method that resists cuts too where values are not limited
        cuts_all = case.method.recodes == "regions" and not limits.together
        if cuts_all and (case.table is not None or case.release.members is not None):
            roster = case.roster()
            orders = column_orders(roster.columns, case.by)
            for question in group_questions(roster, orders, case.release.groups.counts, limits):
                refuse_open_cut(case.release.groups.name(question.row).error_name)
        # values limit nothing, but may still decide which of the allowed releases is taken
        refusal = case.values_decide()
        reason = "the policy limits sizes alone, which do not depend on who has which value"
        return InsiderBeliefs(case.release, "could not tell" if refusal else "nothing to learn", refusal or reason)
    if case.method.recodes == "levels":
        return _believe_of_full_domain(case, limits)
    return _believe_of_mondrian(case, limits, exact_up_to, beyond, progress)


@dataclass(frozen=True, eq=False)
class _InsiderCase:
    """A release, and what an insider knows of its making and of its people."""

    release: Release
    method: Method
    policy: Policy
    table: Table | None
    group: np.ndarray | None  # of each key of the table, where that is at hand
    by: Mapping[str, Hierarchy]
    levels: Mapping[str, int] = field(default_factory=dict)
    utility: str | None = None
    complete: bool = True

    @classmethod
    def build(
        cls,
        release: object,
        method: MethodName | Method | None,
        policy: Policy | Criterion | Iterable[Criterion] | None,
        table: Table | None,
        by: Mapping[str, Hierarchy] | None,
    ) -> _InsiderCase:
        """Build the case from the arguments of `insider`, which override the release's own provenance."""
        if isinstance(release, SearchResult):
            recoding = release.recoding
            group = recoding.group if isinstance(recoding, Regions) else None
            method = release.method if method is None else method_of(method)
            limits = release.policy if policy is None else as_policy(policy)
            along = release.hierarchies if by is None else as_hierarchies(by)
            making = (release.levels, release.chosen_by, release.complete)
            return cls(release.release, method, limits, held(recoding.table), group, along, *making)
        expect(Release, release, "what an insider has")
        assert isinstance(release, Release)
        known = release.provenance or Provenance(None, None)
        method = method_behind(known) if method is None else method
        policy = known.policy if policy is None else policy  # type: ignore[assignment]
        if method is None or policy is None:
            lacks = [name for name, part in (("method=", method), ("policy=", policy)) if part is None]
            remedy = (  # audits have no options for these
                f"give {' and '.join(lacks)} to sl.insider, or guess by 'sidelight attack --as insider'"
            )
            raise TooHard(f"could not tell: the release does not say how it was made; {remedy}")
        along = {**known.by, **as_hierarchies(by)}
        method, policy = method_of(method), as_policy(policy)
        missing = [name for name in known.hierarchies if name not in along and method.recodes != "buckets"]
        if missing:
            remedy = f"give it in {parameter('by')}"
            raise BadMeasure(f"'{missing[0]}' was released along a hierarchy, which its file does not tell; {remedy}")
        return cls(release, method, policy, table, None, along, known.levels, known.utility, known.complete)

    def not_covered(self) -> str | None:
        """Return why beliefs about this release are never computed, or None."""
        if self.release.semantics != "single":
            return f"people may have several values ('{self.release.semantics}')"
        if len(self.release.sensitive_columns) > 1:
            return "the release has several sensitive columns"
        if self.policy.registers:
            return "the policy compares groups with a population"
        if self.method.recodes not in ("levels", "regions", "buckets"):
            return f"method '{self.method.name}' is not covered"
        judge = next((each for each in self.policy.criteria if each.measure.knows_true_values), None)
        if judge is not None:
            return f"'{judge}' judged the release by who has which value, beside what it says"
        return None

    def values_decide(self) -> str | None:
        """Describe how values decide which of the releases within policy is taken; None where they do not."""
        return self.method.explain_choice_by_values(self.release.sensitive_columns, self.utility)

    @property
    def made_here(self) -> Provenance | None:
        """The provenance of a release that was made in this process, not read from a file."""
        known = self.release.provenance
        return known if known is not None and isinstance(known.method, Method) else None

    def roster(self) -> RosterLines:
        """Find out who is in which group."""
        if self.table is not None and self.group is not None:
            return RosterLines.from_table(self.table, self.group, self.release.groups)
        if self.table is not None:
            return RosterLines.locate(self.table, self.release, dict(self.by))
        if self.release.members is not None:
            return RosterLines.from_members(self.release)
        raise BadMeasure(
            f"an insider knows who is in which group, and the release does not say; give them as {parameter('table')}"
        )


def _believe_of_mondrian(
    case: _InsiderCase, limits: HalfLimits, exact_up_to: int, beyond: Beyond, progress: Progress
) -> InsiderBeliefs:
    """Compute the beliefs in each group in which a cut that its people allow was not made."""
    if case.method.resists is not None:
        return _believe_behind_veils(case)
    # a cut that failed once is known to fail in the end only if merging never makes the limit worse
    semantics = case.release.semantics
    together = [check.criterion for check, *_ in limits.together]
    uncovered = next((each for each in together if not holds_upwards(each, semantics)), None)
    if uncovered is not None:
        reason = f"merging groups may make '{uncovered}' worse, so that a cut that failed once may fit in the end"
        return InsiderBeliefs(case.release, "could not tell", reason)
    roster = case.roster()
    orders: tuple[Order, ...] = column_orders(roster.columns, case.by)
    questions = list(group_questions(roster, orders, case.release.groups.counts, limits))
    beliefs = []
    for done, question in enumerate(questions):
        progress("groups with cuts that were not made", done, len(questions))
        name = case.release.groups.name(question.row).error_name
        beliefs.append(believe_group(question, limits, name, exact_up_to, beyond))
    says_nothing = not any(each.is_informative for each in beliefs)
    if says_nothing and len(case.release) == 1:
        return InsiderBeliefs(case.release, "nothing to learn", "all its cuts fail, whoever has which value", roster)
    reasons = (
        ["All cuts of the groups fail, whoever has which value, so that these tell nothing"] if says_nothing else []
    )
    if case.values_decide() is not None:
        reasons.append(f"That {case.values_decide()} is left out, and may tell more")
    return InsiderBeliefs(case.release, "told", ". ".join(reasons), roster, tuple(beliefs), orders, limits)


def _believe_behind_veils(case: _InsiderCase) -> InsiderBeliefs:
    """Bound all beliefs of a release that resists by the limit that its veils keep.

    A file's claim to resist is believed only where one look per group can have given all its groups
    (`Veil.refuse_other_making`).
    """
    method, policy = case.method, searchable_part(case.policy)
    limits = covered_limits(policy)
    assert limits is not None
    roster = case.roster()
    refusal = case.values_decide()
    if refusal is not None:
        return InsiderBeliefs(case.release, "could not tell", refusal)
    reason = f"Cuts were looked at behind veils that keep every belief within {in_words(limits.belief)}"
    made = case.made_here
    if made is None or made.method != method or made.policy is not case.policy:
        veil = Veil.build(limits, policy, case.release.size)
        table = roster.assign_values(case.release)
        target = None if method.towards is None else label_counts(table, method.towards)
        store = KeyStore.from_table(table, column_orders(table.quasi, case.by))
        veil.refuse_other_making(store, roster.group, case.release, target)
        reason += ", as its file says: its groups can have come of such looks, and nobody can see in them that coins "
        reason += "were tossed"
    # the printed shares keep the limit too; nothing else is known
    most = float(limits.belief)
    bounds = lambda share: (np.zeros_like(share), np.where(share > 0, most, 0.0))  # noqa: E731
    beliefs = bound_beliefs(roster, case.release.groups.counts, bounds)
    return InsiderBeliefs(case.release, "told", reason, roster, beliefs, proven=limits.belief)


def _believe_of_full_domain(case: _InsiderCase, limits: HalfLimits) -> InsiderBeliefs:
    """Compute what follows from no finer release having been published."""
    levels = case.method.levels
    marked = any(isinstance(level, SearchedLevel) for level in (levels or {}).values())
    if levels is not None and case.made_here is not None and not marked:
        # levels that were typed in just now were not chosen by the table
        reason = "the levels were chosen by somebody, and nothing was searched"
        return InsiderBeliefs(case.release, "nothing to learn", reason)
    searched = levels is not None and "the levels were chosen, and that may be among those that a search found"
    refusal = searched or _refuse_lattice(case, limits)
    if refusal is not None:
        return InsiderBeliefs(case.release, "could not tell", refusal)
    roster, counts = case.roster(), case.release.groups.counts
    node = tuple(case.levels[column.name] for column in roster.columns)
    finer = finer_releases(roster, node, case.by, limits)
    if not finer:
        # all finer releases fail by size; releases that the search prefers may still tell something
        preferred = None
        if case.table is not None:
            preferred = count_preferred(case.table, case.by, node, case.utility, limits.large_enough)
        if preferred is not None and preferred[1] == 0:
            better = counted(preferred[0], "release")
            reason = f"{better} would have been preferred, and all have groups too small, whoever has which value"
            return InsiderBeliefs(case.release, "nothing to learn", reason, roster)
        others = "Other" if preferred is None else f"{preferred[1]:,}"
        reason = f"{others} releases that would have been preferred, and are not finer, may tell more"
        return InsiderBeliefs(case.release, "told", reason, roster)
    beliefs = believe_finer_fail(roster, finer, counts, limits)
    if isinstance(beliefs, Fraction) and beliefs >= 1:
        reason = "groups are too large to count in how many worlds the finer releases break the policy"
        return InsiderBeliefs(case.release, "could not tell", reason)
    if isinstance(beliefs, Fraction):
        beliefs = bound_around_shares(roster, counts, beliefs)
    return InsiderBeliefs(case.release, "told", "", roster, beliefs, (), limits, finer)


def _refuse_lattice(case: _InsiderCase, limits: HalfLimits) -> str | None:
    if case.method.suppress:
        return "people may have been suppressed, and that is not covered"
    if not case.complete:
        return "the search was stopped before its end, and nobody knows where"
    if limits.together:
        return f"'{limits.together[0][0].criterion}' is about several groups together, and that is not covered"
    worse = next((each for each in limits.check.by_group if not holds_upwards(each.criterion, "single")), None)
    if worse is not None:
        return f"merging groups may break '{worse.criterion}'"
    return None if case.levels else "the release does not say at which levels it was published"


BeliefOutcome: TypeAlias = Literal["told", "nothing to learn", "could not tell"]
IntervalEnd: TypeAlias = Literal["at least", "estimate", "at most"]

BELIEF_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Claims:
    """How often guesses are right, beside how often they claim to be, over some of the people."""

    people: int
    claimed: float
    right: float


@dataclass(frozen=True, eq=False, repr=False)
class InsiderBeliefs(Tabular):
    """What an insider believes about everybody in a release.

    `outcome` is "told" where the making reveals something; "nothing to learn" where beliefs are what is printed; or
    "could not tell" where they were not computed.  `reason` is why, in words.
    """

    release: Release
    outcome: BeliefOutcome
    reason: str
    roster: RosterLines | None = field(default=None, repr=False)
    groups: tuple[GroupBeliefs, ...] = field(default=(), repr=False)  # those in which something failed
    orders: tuple[Order, ...] = field(default=(), repr=False)
    limits: HalfLimits | None = field(default=None, repr=False)
    finer: FinerReleases = field(default_factory=dict, repr=False)  # that were not published (full domain)
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
        """Return one line on an insider's largest belief: at most, or at least where some beliefs are not computed."""
        if self.outcome != "told":
            return f"{self.outcome}: {self.reason}"
        untold = f"; could not tell of {counted(self.untold, 'person')}" if self.untold else ""
        whom = f"{counted(self.release.size, 'person')} in {counted(len(self.release), 'group')}"
        return f"{whom}, sure to {self.worst_in_words}{untold}"

    @cached_property
    def worst(self) -> Fraction | float:
        """The largest belief that was computed: exact, or the upper end of an interval."""
        witness = self.witness
        return math.nan if witness is None else witness.belief

    @property
    def worst_in_words(self) -> str:
        """The largest belief, with "at most"; with "at least" where some beliefs are not computed."""
        if self.untold:
            return f"at least {in_words(self.least_worst, large_is_bad=False)}"
        return f"at most {in_words(self.worst)}"

    @cached_property
    def least_worst(self) -> Fraction | float:
        """The largest belief that is certainly reached: intervals count by their lower ends.

        Beliefs in a value average to the printed share over the people of a group, whatever else is known, so that a
        person's is no less.
        """
        if self.release.semantics != "single" or len(self.release.sensitive_columns) > 1:
            return Fraction(0)
        reached: list[Fraction | float] = [self.printed_worst]
        reached += [self._amount(each) for each in self.groups if each.how == "counted"]
        reached += [float(each.at_least.max()) for each in self.groups if each.how != "counted"]
        return max(reached)

    @property
    def untold(self) -> int:
        """The number of people in groups whose beliefs were not computed."""
        if self.outcome == "could not tell":
            return self.release.size
        return sum(each.question.size for each in self.groups if each.how == "could not tell")

    @property
    def telling(self) -> tuple[GroupBeliefs, ...]:
        """The groups whose failed cuts reveal something, or may."""
        return tuple(each for each in self.groups if each.is_informative)

    @cached_property
    def witness(self) -> InsiderWitness | None:
        """The person with the largest belief, and the failed cuts behind it; None where nothing was computed."""
        if self.outcome == "could not tell":
            return None
        answered = [each for each in self.groups if each.how != "could not tell"]
        # the largest printed share of a group of which the making reveals nothing
        as_printed = np.ones(len(self.release), bool)
        as_printed[[each.question.row for each in self.groups]] = False
        printed, row, value = self._largest_share(np.flatnonzero(as_printed))
        if not answered:
            return self._as_printed(printed, row, value)
        largest = max(float(each.at_most.max()) for each in answered)
        # floats choose the groups that may be the worst; only those are compared as exact fractions
        close = [each for each in answered if float(each.at_most.max()) >= largest - BELIEF_TOLERANCE]
        best = max(close, key=lambda each: (self._amount(each), -each.question.row))
        # strict: of equal beliefs the witness is the one that failed cuts explain
        if printed > self._amount(best):
            return self._as_printed(printed, row, value)
        return self._witness_in(best)

    def witness_of(self, row: int) -> InsiderWitness:
        """Return the person with the largest belief in one group, by its row (from 0)."""
        for each in self.groups:
            if each.question.row == row and each.how != "could not tell":
                return self._witness_in(each)
        return self._as_printed(*self._largest_share(np.array([row])))

    def _as_printed(self, share: Fraction, row: int, value: int) -> InsiderWitness:
        name, sensitive = self.release.groups.name(row), self.release.sensitive
        return InsiderWitness(name, self.release.domain[value], share, sensitive=sensitive)

    def replay(self, witness: InsiderWitness) -> Fraction:
        """Recompute a belief from the witness alone: list the arrangements, and judge each cut's halves."""
        if witness.how == "bounded":
            raise TooHard(f"what is believed in {witness.group} was bounded and not counted; there is nothing to list")
        row = witness.group.number - 1
        counts, index = self.release.groups.counts.row(row), self.release.groups.code_of(witness.value)
        if not witness.cuts and not witness.finer:
            return Fraction(int(counts[index]), int(counts.sum()))
        assert self.limits is not None
        assert self.roster is not None
        divisions = [[int(atom in cut.atoms) for atom in range(len(witness.atoms))] for cut in witness.cuts]
        groups: list[DividedGroup] = [(row, witness.atoms, divisions)]
        if witness.finer:
            groups = list(divide_groups(self.roster, self.finer, len(self.release)))
        return list_belief(groups, self.limits, witness)

    def people_above(self, belief: float | Fraction, *, end: IntervalEnd = "at least") -> int:
        """Count the people about whom an insider has a belief above this; drawn intervals count by this `end`."""
        return int(self._line_people[self._above(belief, end)].sum())

    @property
    def printed_worst(self) -> Fraction:
        """The largest share that a group prints: the largest belief by the release alone."""
        return self._largest_share()[0]

    def printed_above(self, belief: float | Fraction) -> int:
        """Count the people about whom the release alone gives a belief above this."""
        share = self._printed_shares[1]
        return int(self.release.groups.sizes[share > float(belief) + BELIEF_TOLERANCE].sum())

    def claims_above(self, belief: float | Fraction = -1, *, end: IntervalEnd = "estimate") -> Claims:
        """Count how often the likeliest value is right, of people with a belief above this; needs the truth."""
        if self.roster is None or self.roster.truth is None:
            raise BadMeasure(
                f"whether a guess is right needs the truth; give the publisher's table as {parameter('table')}"
            )
        some = self._above(belief, end)
        people = self.roster.people[some]
        if people.sum() == 0:
            return Claims(0, math.nan, math.nan)
        key, value, count = self.roster.truth.entries()
        hit = (value == self._lines["value"][key]) & some[key]
        claimed = float(people @ self._lines["estimate"][some] / people.sum())
        return Claims(int(people.sum()), claimed, float(count[hit].sum() / people.sum()))

    def table(self) -> pa.Table:
        """Return a row per group and kind of person: the likeliest value, the belief in it, and how it was computed.

        `belief` is null where it was not computed; `at least` and `at most` are the ends of its interval, equal where
        it was counted.
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
        """Draw the number of people by an insider's belief, beside that of the release alone.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("insider.svg")` writes it.
        """
        from sidelight.report.charts.attackers import insider_chart  # noqa: PLC0415 - it stands below

        return insider_chart(self)

    def explain(self) -> str:
        """Describe the largest belief and its reasons in a few sentences."""
        first = () if self.outcome != "told" or self.witness is None else (self.witness.explain(),)
        return " ".join((*first, *self.remarks))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sentences of `explain` that name nobody, and may stand beside a published file."""
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
        """The likeliest value of each line: as printed in groups without a failed cut, in the others as believed."""
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
            rows, likeliest = np.arange(len(each.likeliest)), each.likeliest
            # (atoms,) → (lines,): each line takes the belief about its atom
            lines["value"][at] = likeliest[atom]
            lines["estimate"][at] = each.estimate[rows, likeliest][atom]
            lines["at least"][at] = each.at_least[rows, likeliest][atom]
            # a value other than the likeliest may have the largest upper end
            lines["at most"][at] = each.at_most.max(axis=1)[atom]
            lines["how"][at] = each.how
        return lines

    @property
    def _line_people(self) -> Integers:
        return self.release.groups.sizes if self.roster is None else self.roster.people

    def _above(self, belief: float | Fraction, end: IntervalEnd) -> npt.NDArray[np.bool_]:
        """Return which lines have a belief above this, exactly where they were counted."""
        numbers: Floats = self._lines[end]
        limit = Fraction(str(belief)) if isinstance(belief, float) else Fraction(belief)
        # floats decide all but the lines near the limit; in counted groups exact fractions decide those
        above: npt.NDArray[np.bool_] = numbers > float(limit)
        close = np.abs(numbers - float(limit)) < BELIEF_TOLERANCE
        for each in self.groups:
            if each.how != "counted" or not close[each.question.lines].any():
                continue
            exact = np.array([each.exact_belief(at, int(value)) > limit for at, value in enumerate(each.likeliest)])
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

    def _largest_share(self, rows: Integers | None = None) -> tuple[Fraction, int, int]:
        """Return the largest printed share of some groups, or of all, with its row and its value."""
        rows = np.arange(len(self.release)) if rows is None else rows
        if len(rows) == 0:
            return Fraction(0), 0, 0
        share = self._printed_shares[1][rows]
        # floats may tie; exact fractions decide, and between equal ones the first row
        groups, near = self.release.groups, rows[share >= share.max() - BELIEF_TOLERANCE].tolist()
        exact = ((Fraction(int(groups.counts.row(row).max()), int(groups.sizes[row])), -row) for row in near)
        largest, row = max(exact)
        return largest, -row, int(self._printed_shares[0][-row])

    def _likeliest_in(self, beliefs: GroupBeliefs) -> tuple[int, int]:
        """Return the atom and the value with the largest belief in a group, by the upper ends."""
        if beliefs.how == "counted":
            best = beliefs.estimate[np.arange(len(beliefs.likeliest)), beliefs.likeliest]
            near = np.flatnonzero(best >= best.max() - BELIEF_TOLERANCE).tolist()
            atom = max(near, key=lambda at: beliefs.exact_belief(at, int(beliefs.likeliest[at])))
            return atom, int(beliefs.likeliest[atom])
        return divmod(int(beliefs.at_most.argmax()), int(beliefs.at_most.shape[1]))

    def _amount(self, beliefs: GroupBeliefs) -> Fraction | float:
        if self.proven is not None:
            return self.proven
        atom, value = self._likeliest_in(beliefs)
        return beliefs.exact_belief(atom, value) if beliefs.how == "counted" else float(beliefs.at_most[atom, value])

    def _witness_in(self, beliefs: GroupBeliefs) -> InsiderWitness:
        atom, value = self._likeliest_in(beliefs)
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
            finer=tuple(self.finer),
            atoms=tuple(question.people.tolist()),
            all_fail=beliefs.all_fail,
            how=beliefs.how,
            sensitive=self.release.sensitive,
        )
