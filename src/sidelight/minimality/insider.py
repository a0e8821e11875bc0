"""What does somebody believe of each person who knows the release, who is in it, the method and the policy?

    Pr(x_i = s | method(w) = this release),   all assignments w of values to people alike

Mondrian     cuts wherever both halves keep the policy; so in a published group every cut fails (`group_question`).
Full domain  publishes a minimal node; so the release at each direct predecessor breaks the policy (`group_beliefs`).
Nothing      Where failing does not depend on w, the true w survives and so do all: policies on sizes alone, cuts or
             nodes that fail in every w.  Anatomy's buckets: Pr(release | w) depends on the buckets' counts alone.
             Not so where values decide which of several allowed releases is taken: cuts `towards` the sensitive column,
             utilities of values; nor where the end is judged by more than the release (`Measure.knows_true_values`).
Not covered  suppression, several sensitive columns, several values per person, other methods: "could not tell".

It is one concrete reader, who takes all assignments for alike; not a worst case.

Source: Wong, Fu, Wang, Pei, VLDB 2007 (minimality); Xiao, Tao, Koudas, TODS 2010; Cormode, Srivastava, Li, Li, PVLDB
2010.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import BadMeasure, BadRelease, TooHard, expect, parameter
from sidelight.minimality.beliefs import InsiderBeliefs
from sidelight.minimality.group_beliefs import (
    Beyond,
    CountingEffort,
    believe_finer_fail,
    believe_group,
    bound_around_shares,
    finer_releases,
    limit_beliefs,
    refuse_open_cut,
)
from sidelight.minimality.group_question import HalfLimits, RosterLines, group_questions
from sidelight.minimality.measure import MOST_TABLES
from sidelight.progress import Progress, quiet
from sidelight.release.release import Provenance, Release
from sidelight.rounding import in_words
from sidelight.search.full_domain import NodeRecodings, lattice_of
from sidelight.search.method import Method, SearchedLevel, SearchResult
from sidelight.search.mondrian_frontier import KeyStore, label_counts
from sidelight.search.orders import Order, column_orders
from sidelight.search.policy_check import PolicyCheck, covered_limits, holds_upwards
from sidelight.search.protect import MethodName, as_policy, method_behind, method_of, searchable_part
from sidelight.search.utility import DEFAULT_UTILITY, OF_VALUES, UTILITIES, Regions
from sidelight.search.veil import Veil
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.table import Counts, Table, held
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.measures.criterion import Criterion
    from sidelight.policy.policy import Policy
    from sidelight.release.generalise import Node


def insider(
    release: SearchResult | Release,
    *,
    method: MethodName | Method | None = None,
    policy: Policy | Criterion | Iterable[Criterion] | None = None,
    table: Table | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    exact_up_to: int = MOST_TABLES,
    beyond: Beyond = "drawn",
    progress: Progress = quiet,
) -> InsiderBeliefs:
    """Compute what an attacker who also knows how the release was made believes of each person.

    What `protect` found tells all that is needed.  Of a release that was read, say the `method` and the `policy` unless
    its sidecar does; `table` is the roster, whose values are looked at only to see how often guesses are right, and
    `by` are the hierarchies along which the method went.  Of Mondrian's groups, those with up to `exact_up_to` tables
    of arrangements are counted; `beyond` that they are "drawn", or "left out", and then it could not be told of them.

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
            message = (
                "the release does not say who is in which bucket: anatomy did not make it; give the method that did"
            )
            raise BadRelease(message)
        return InsiderBeliefs(
            case.release,
            "nothing to learn",
            "how people were dealt into buckets depends on the buckets' counts alone, and those are printed",
        )
    # only what the search itself checked decided which cuts were made
    check = PolicyCheck.from_policy(searchable_part(case.policy), case.release.size)
    limits = HalfLimits.from_check(check, case.release.groups)
    # first of all: failed cuts mean something only where the release keeps the policy
    kept = check.holds_in_each(case.release.groups)
    if not kept.all():
        message = (
            f"{case.release.groups.name(int(np.argmin(kept))).error_name} is not within the policy: this policy did "
            "not make this release; give the one that did"
        )
        raise BadRelease(message)
    if limits.limits_sizes_alone:
        # a cut that sizes allow was made; one that resists cuts all the same where values are not limited
        cuts_all = case.method.recodes == "regions" and not limits.together
        if cuts_all and (case.table is not None or case.release.members is not None):
            roster = case.roster()
            orders = column_orders(roster.columns, case.by)
            for question in group_questions(roster, orders, case.release.groups.counts, limits):
                refuse_open_cut(case.release.groups.name(question.row).error_name)
        # values limit nothing, but may still decide which of the allowed releases is taken
        refusal = case.values_decide()
        if refusal is not None:
            return InsiderBeliefs(case.release, "could not tell", refusal)
        return InsiderBeliefs(
            case.release,
            "nothing to learn",
            "the policy limits sizes alone, which do not depend on who has which value",
        )
    if case.method.recodes == "levels":
        return _believe_of_full_domain(case, limits)
    return _believe_of_mondrian(case, limits, CountingEffort(exact_up_to, beyond), progress)


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
        """Build the case from what `insider` was given; explicit arguments override the release's own provenance."""
        if isinstance(release, SearchResult):
            recoding = release.recoding
            group = recoding.group if isinstance(recoding, Regions) else None
            return cls(
                release.release,
                release.method if method is None else method_of(method),
                release.policy if policy is None else as_policy(policy),
                held(recoding.table),
                group,
                release.hierarchies if by is None else as_hierarchies(by),
                release.levels,
                release.chosen_by,
                release.complete,
            )
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
            message = f"could not tell: the release does not say how it was made; {remedy}"
            raise TooHard(message)
        along = {**known.by, **as_hierarchies(by)}
        method, policy = method_of(method), as_policy(policy)
        missing = [name for name in known.hierarchies if name not in along and method.recodes != "buckets"]
        if missing:
            remedy = f"give it in {parameter('by')}"
            message = f"'{missing[0]}' was released along a hierarchy, which its file does not tell; {remedy}"
            raise BadMeasure(message)
        return cls(release, method, policy, table, None, along, known.levels, known.utility, known.complete)

    def not_covered(self) -> str | None:
        """Return why it cannot be told, if it cannot whatever was found."""
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
        """Return how values decide which of the releases within policy is taken, if they may."""
        return self.method.explain_choice_by_values(self.release.sensitive_columns, self.utility)

    @property
    def made_here(self) -> Provenance | None:
        """How the release was made, where that was just now, and is not what a file says."""
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
        message = (
            f"an insider knows who is in which group, and the release does not say; give them as {parameter('table')}"
        )
        raise BadMeasure(message)


def _believe_of_mondrian(
    case: _InsiderCase, limits: HalfLimits, effort: CountingEffort, progress: Progress
) -> InsiderBeliefs:
    """Ask each group in which a cut that its people allow was not made."""
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
        beliefs.append(believe_group(question, limits, case.release.groups.name(question.row).error_name, effort))
    says_nothing = not any(each.says_something for each in beliefs)
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

    Of a release that was read, that is what its file says: it is taken at its word only where one look per group can
    have given all its groups (`Veil.refuse_other_making`).
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
        table = _any_world(roster, case.release)
        target = None if method.towards is None else label_counts(table, method.towards)
        store = KeyStore.from_table(table, column_orders(table.quasi, case.by))
        veil.refuse_other_making(store, roster.group, case.release, target)
        reason += ", as its file says: its groups can have come of such looks, and nobody can see in them that coins "
        reason += "were tossed"
    beliefs = limit_beliefs(roster, case.release.groups.counts, limits.belief)
    return InsiderBeliefs(case.release, "told", reason, roster, beliefs, proven=limits.belief)


def _believe_of_full_domain(case: _InsiderCase, limits: HalfLimits) -> InsiderBeliefs:
    """Compute what follows from no finer release having been published."""
    levels = case.method.levels
    marked = any(isinstance(level, SearchedLevel) for level in (levels or {}).values())
    if levels is not None and case.made_here is not None and not marked:
        # what was typed in just now nobody has chosen with a look at the table
        reason = "the levels were chosen by somebody, and nothing was searched"
        return InsiderBeliefs(case.release, "nothing to learn", reason)
    searched = levels is not None and "the levels were chosen, and that may be among those that a search found"
    refusal = searched or _refuse_lattice(case, limits)
    if refusal is not None:
        return InsiderBeliefs(case.release, "could not tell", refusal)
    roster, counts = case.roster(), case.release.groups.counts
    node = tuple(case.levels[column.name] for column in roster.columns)
    finer = tuple(finer_releases(roster, node, case.by, limits))
    if not finer:
        # all finer releases fail by size; releases that the search prefers may still tell something
        preferred = _count_preferred(case, node, limits)
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


def _count_preferred(case: _InsiderCase, node: Node, limits: HalfLimits) -> tuple[int, int] | None:
    """Count the nodes that would have been preferred, and of those the ones that sizes do not rule out.

    None where they depend on values, or are too many to weigh.
    """
    chosen_by = next((name for name in UTILITIES if name == case.utility and name not in OF_VALUES), None)
    if case.table is None or chosen_by is None:
        return None
    lattice = lattice_of(case.table, case.by)
    if len(lattice) > 2_000:  # weighing them all would take too long
        return None
    recodings = NodeRecodings(lattice, case.by)
    worths = (UTILITIES[chosen_by], UTILITIES[DEFAULT_UTILITY])

    def rank(at: Node) -> tuple[float, float, Node]:
        recoding = recodings.recode(at)
        return (worths[0](recoding), worths[1](recoding), at)

    published = rank(node)
    better = [at for at in product(*map(range, lattice.heights)) if at != node and rank(at) < published]
    # nodes with a group that is too small fail in every world; the others may have failed by their values
    by_value = [at for at in better if limits.large_enough(lattice.sizes_at(at)).all()]
    return len(better), len(by_value)


def _any_world(roster: RosterLines, release: Release) -> Table:
    """Deal the values of each group to its lines in their order; columns stand as in the release."""
    groups = release.groups
    _, value, count = groups.counts.entries()  # by group, as the lines are
    line_ends, entry_ends = np.cumsum(roster.people), np.cumsum(count)
    # cutting at the ends of both lines and entries leaves stretches of one line and one value each
    ends = np.union1d(line_ends, entry_ends)
    line, entry = np.searchsorted(line_ends, ends), np.searchsorted(entry_ends, ends)
    shape = (len(roster.people), len(groups.domain))
    counts = Counts.from_entries(line, value[entry], np.diff(ends, prepend=0), shape)
    place = {column.name: at for at, column in enumerate(groups.columns)}
    columns = sorted(roster.columns, key=lambda column: place.get(column.name, len(place)))
    return Table(tuple(columns), release.sensitive, groups.domain, roster.people, counts)
