"""What is the most useful release of a table that keeps a policy?

`protect` walks in four steps: check what it is handed; refuse where measures claim that nothing can be within policy
(`policy_check`), saying what would pass; let a method search (`full_domain`, `mondrian`, `anatomy` or
`microaggregation`); and judge what the search ends with by the whole policy, exactly.

Searches follow measures that merge: a summary of groups tells the measure of the release made of them.  A measure that
looks at a whole release at once (`MaxEnt`) is left out of the search, and judges only its end.

A release that was found may fall to attackers whom its policy does not name: those that say so
(`Attacker.asked_by_search`) are asked beside every search, each with bounded effort by its own `answer_search`, as
`protect` must not take much longer for it.  One whom the policy names is judged by the policy.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sidelight.errors import (
    BadPolicy,
    BadTable,
    FallsToReaderWarning,
    NothingSafe,
    SidelightError,
    WrongKind,
    did_you_mean,
    expect,
    listed,
    parameter,
)
from sidelight.measures.attacker_answer import AttackerAnswer, FoundRelease
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Criterion, exact
from sidelight.policy.measure_names import asked_attackers
from sidelight.policy.policy import Policy, Verdict
from sidelight.progress import Progress, quiet
from sidelight.release.printed_labels import Printing
from sidelight.release.release import Members, Provenance, Release
from sidelight.search.anatomy import Anatomy
from sidelight.search.full_domain import FullDomain
from sidelight.search.method import Method, SearchOutcome, SearchResult
from sidelight.search.microaggregation import Microaggregation
from sidelight.search.mondrian import Mondrian
from sidelight.search.policy_check import (
    ShareLimit,
    belief_limit,
    limits_values,
    list_blocking,
    nothing_found,
    refuse_impossible,
)
from sidelight.search.utility import DEFAULT_UTILITY, UTILITIES, Utilities, UtilityName
from sidelight.streams.key_stream import Streamed
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.streams.streamed_table import AnyTable

MethodName: TypeAlias = Literal["lattice", "mondrian", "anatomy", "microaggregation"]

METHODS: Mapping[str, type[Method]] = {each.name: each for each in (FullDomain, Mondrian, Anatomy, Microaggregation)}


def protect(
    table: AnyTable,
    policy: Policy | Criterion | Iterable[Criterion],
    *,
    by: Mapping[str, Hierarchy] | None = None,
    method: MethodName | Method = "lattice",
    utility: UtilityName = DEFAULT_UTILITY,
    suppress: float = 0,
    levels: Mapping[str, int] | None = None,
    resists: str | None = None,
    ask: Ask = "both",
    progress: Progress = quiet,
) -> SearchResult:
    """Find the most useful release of a table that keeps a policy.

    `policy` may also be one criterion, such as `GroupSize() >= 5`, or several.  `method` is a name or, to set its
    options, a method such as `FullDomain(suppress=0.04, suppressed="left out")`, `Mondrian(towards="income")`,
    `Anatomy(l=4)` or `Microaggregation(k=5)`; `by` are the hierarchies; `suppress` is the share of people whose rows
    may be suppressed; `levels` are those of the columns where somebody has chosen already, such as those of one of
    `found.choices`: they are judged, and refused where they are not within policy (both lattice only).
    `resists="insider"` (Mondrian only) keeps the limit on the share of any value for whoever knows the method and the
    policy too; `found.resistance` has its price.  Raises `NothingSafe`, saying what would pass, when nothing within
    policy was found.  Measures that look at a whole release at once (`MaxEnt`) judge what was found within the other
    limits.  A table of any size is read by `stream_table`; methods that need all its keys refuse it.

    Attackers whom a policy seldom names are asked with little effort what they would reach (`ask`: "both" a learner
    and an insider, "learner", "insider" or "nobody"): `found.readers` has their answers, and where what was found falls
    to one of them a `FallsToReaderWarning` is given.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies)
    >>> found.levels, found.verdict.safe
    ({'age': 3, 'sex': 1}, True)
    >>> found
    <SearchResult of method 'lattice': 45,222 people in 5 groups; within policy: group size ≥ 50>
    """
    chosen = method_of(method, suppress=suppress, levels=levels, resists=resists)
    _expect_name("utility", utility, UTILITIES)
    _expect_name("ask", ask, ask_choices())
    problem = SearchProblem.build(table, policy, by, [chosen])
    found = problem.result(chosen, problem.search(chosen, utility, progress), progress)
    result = add_answers(found, ask, progress)
    for each in result.readers:
        if each.falls:
            falls, remedy = each.for_the_publisher(), each.attacker.remedy
            message = f"within policy, and yet it falls to one of two readers: {falls}; {remedy}"
            warnings.warn(message, FallsToReaderWarning, stacklevel=2)
    return result


def add_answers(found: SearchResult, ask: Ask, progress: Progress = quiet) -> SearchResult:
    """Ask attackers what they would reach of what was found, and keep what they answer."""
    return replace(found, readers=ask_attackers(found, ask, progress=progress))


@dataclass(frozen=True, eq=False)
class SearchProblem:
    """A table, the policy that its release must keep, the part of it that a search can follow, and the hierarchies."""

    table: AnyTable
    policy: Policy
    searchable: Policy
    by: Mapping[str, Hierarchy]

    @classmethod
    def build(
        cls,
        table: AnyTable,
        policy: Policy | Criterion | Iterable[Criterion],
        by: Mapping[str, Hierarchy] | None,
        methods: Iterable[Method],
    ) -> SearchProblem:
        """Check what a search is handed; raise `NothingSafe` if none of the methods can find anything within policy."""
        if not isinstance(table, Streamed):
            expect(Table, table, "what is protected")
        hierarchies = as_hierarchies(by)
        policy = as_policy(policy).about_each(table.sensitive_columns, table.domain)
        if not isinstance(table, Table):
            weighed = next((each for each in policy.measures if each.needs_weights), None)
            if weighed is not None:
                lack = f"looks at weights, which a table does not have that is read with {parameter('memory')}"
                message = f"'{weighed}' {lack}; leave one out"
                raise BadPolicy(message)
            # a limit may compare keys with a population, or look at whole releases or tables
            whole = next((each for each in policy.measures if not each.streams or each.register is not None), None)
            table = table if whole is None else table.held(f"'{whole}'")
        if isinstance(table, Table):
            # measures that ask what somebody knows of the original take the table
            policy = Policy(*(replace(each, measure=each.measure.bind_table(table)) for each in policy.criteria))
        searchable = searchable_part(policy)
        # before any search, as one group of everybody is judged at once
        refuse_impossible(table, searchable, leaves_people_out=any(each.leaves_people_out for each in methods))
        return cls(table, policy, searchable, hierarchies)

    def search(self, method: Method, utility: UtilityName, progress: Progress) -> SearchOutcome:
        """Search by a method, if it can follow the policy."""
        if self.searchable.registers and not method.carries_populations:
            compared = next(each.measure.name for each in self.searchable.criteria if each.measure.register is not None)
            carrying = " or ".join(name for name, each in METHODS.items() if each.carries_populations)
            message = (
                f"method '{method.name}' makes groups in which no population can be counted, as '{compared}' asks; "
                f"use {parameter('method')} {carrying}, or leave that limit out"
            )
            raise BadPolicy(message)
        method.refuse_policy(self.policy)  # limits that only judge the end are not in what is searched
        table, needed = self.table, method.needs_all_keys(utility)
        if not isinstance(table, Table) and needed is not None:
            table = table.held(needed)
        # a method that needs no keys takes either
        return method.search(table, self.searchable, by=self.by, utility=utility, progress=progress)  # type: ignore[arg-type]

    def result(self, method: Method, outcome: SearchOutcome, progress: Progress = quiet) -> SearchResult:
        """Judge what a search ends with by the whole policy."""
        if self.table.carried is not None and not method.prints_rows:
            keep = parameter("keep")
            message = f"{keep} needs a row per person, and '{method.name}' prints buckets; leave one of them out"
            raise BadTable(message)
        # hierarchies of other columns had no part in the release
        used = {column.name: self.by[column.name] for column in self.table.quasi if column.name in self.by}
        levels, complete = outcome.levels, outcome.complete
        provenance = Provenance(
            method, self.policy, levels, complete, used, hierarchies=tuple(used), utility=outcome.chosen_by
        )
        # intervals of numbers mean what they say, whatever a hierarchy calls them
        orders = [order for order in outcome.recoding.orders if order.name in used and not order.numeric]
        printing = Printing.from_hierarchies(
            {order.name: used[order.name] for order in orders}, averages=method.prints_averages
        )
        release = replace(outcome.release, printing=printing, provenance=provenance)
        verdict = self._judge_end(method, release, progress)
        return SearchResult(
            **{**vars(outcome), "release": release},
            policy=self.policy,
            verdict=verdict,
            method=method,
            utility=Utilities(outcome.recoding),
            hierarchies=used,
        )

    def _judge_end(self, method: Method, release: Release, progress: Progress) -> Verdict:
        """Judge what a search ends with by the whole policy; raise `NothingSafe` where that is outside it."""
        whole = [measure.name for measure in self.policy.measures if not measure.mergeable]
        if whole:  # they may take as long as the search, or longer
            progress(f"judging what was found: {', '.join(whole)}", 0, None)
        verdict = self.policy.judge(release)
        if any(each.criterion.measure.mergeable for each in verdict.broken):
            # a greedy method may end with one group of everybody, and a limit without a claim may be broken there only
            found = f"what method '{method.name}' found is not within policy"
            fault = f"the search ended outside the policy ({verdict}): a fault of Sidelight's; try another method"
            raise nothing_found(found, self.table, self.searchable) or SidelightError(f"{fault}, and tell us")
        if not verdict.safe:
            blocked = list_blocking(verdict.broken)
            message = (
                f"the most useful release within the other limits is not within policy: {'; '.join(blocked)}; "
                "set the other limits tighter, so that groups are larger or more diverse"
            )
            raise NothingSafe(message, blocked_by=blocked)
        return verdict


def as_policy(policy: object) -> Policy:
    """Return a policy from a policy, a criterion or several; raise an error where it is none of these."""
    if isinstance(policy, Criterion):
        return Policy(policy)
    if isinstance(policy, Iterable) and not isinstance(policy, str | bytes | Policy):
        return Policy(*policy)
    return expect(Policy, policy, "the policy")


def _expect_name(what: str, name: object, among: Iterable[str]) -> str:
    """Return one of some names, or raise an error that says which there are."""
    names = list(among)
    if isinstance(name, str) and name in names:
        return name
    if isinstance(name, str):
        message = f"no {what} '{name}'{did_you_mean(name, names)}"
        raise BadPolicy(message)
    message = f"{parameter(what)} is a name, and this is of type {type(name).__name__}; there are: {listed(names)}"
    raise WrongKind(message)


def method_of(
    method: object, *, suppress: float = 0, levels: Mapping[str, int] | None = None, resists: str | None = None
) -> Method:
    """Return a method, or build the one of this name.

    >>> method_of("mondrian").name
    'mondrian'
    """
    options = {"suppress": suppress, "levels": levels, "resists": resists}
    # Nothing and the number 0 are left out; False, and what is no number at all, are for the method to refuse.
    given = {
        name: option
        for name, option in options.items()
        if option is not None and not (type(option) in (int, float) and option == 0)
    }
    if "resists" in given:
        expect(str, resists, parameter("resists"))
    if isinstance(method, Method):
        given.pop("suppress", None)  # a method says itself how much it suppresses
    elif isinstance(method, type) and issubclass(method, Method):
        message = f"{parameter('method')} should be a method or its name, not a class; write sl.{method.__name__}()"
        raise WrongKind(message)
    else:
        method = METHODS[_expect_name("method", method, METHODS)]()
    for option, lack in (
        ("resists", f"has no defence against an {resists}"),
        ("suppress", "does not suppress"),
        ("levels", "has no levels"),
    ):
        if option in given and not method.takes(option):
            able = next(name for name, each in METHODS.items() if each.takes(option))
            remedy = f"use {parameter('method', able)}, or leave {parameter(option)} out"
            message = f"method '{method.name}' {lack}; {remedy}"
            raise BadPolicy(message)
    return method.with_options(**given)


def method_behind(provenance: Provenance) -> Method | None:
    """Return the method that made a release, built from its name where need be; None where it is not known here."""
    if isinstance(provenance.method, Method):
        return provenance.method
    kind = METHODS.get(str(provenance.method))
    if kind is None or not {*provenance.options} <= {each.name for each in fields(kind)}:  # type: ignore[arg-type]
        return None
    return kind(**provenance.options)


def searchable_part(policy: Policy) -> Policy:
    """Return the criteria that a search can follow; where there are none, every release may be the end."""
    kept = tuple(each for each in policy.criteria if each.measure.mergeable)
    return Policy(*kept) if kept else Policy(GroupSize() >= 1)


Ask: TypeAlias = str
"""Which attackers are asked of what a search found: "both" all of them, the name of one, or "nobody"."""


def ask_choices() -> tuple[str, ...]:
    """Return what `ask` may be, with the attackers that somebody else declared."""
    return ("both", *(kind.name for kind in asked_attackers()), "nobody")


def ask_attackers(found: SearchResult, ask: Ask = "both", *, progress: Progress = quiet) -> tuple[AttackerAnswer, ...]:
    """Return what each attacker would reach of a release, quickly; those not in `ask` were not asked.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies)
    >>> [(each.reader, each.outcome) for each in ask_attackers(found)]
    [('learner', 'not asked'), ('insider', 'nothing to learn')]
    """
    kinds = asked_attackers()
    if not found.recoding.holds_keys:
        reason = "nobody wished so" if ask == "nobody" else "the table was streamed, and who has what is not held"
        return tuple(AttackerAnswer(kind.attacker, "not asked", reason) for kind in kinds)
    question = found_release(found, progress)
    answers = []
    for kind in kinds:
        judged = (each for each in found.verdict.judgements if isinstance(each.criterion.measure, kind))
        if ask not in ("both", kind.name):
            answer = AttackerAnswer(kind.attacker, "not asked", "nobody wished so")
        elif (judgement := next(judged, None)) is not None:
            bound = Fraction(exact(judgement.criterion.bound))
            answer = AttackerAnswer(kind.attacker, "asked", "as the policy asks", judgement.finding.value, bound)
        else:
            answer = kind.answer_search(question)
        answers.append(answer)
    return tuple(answers)


def found_release(found: SearchResult, progress: Progress = quiet) -> FoundRelease:
    """Return what a search's result lets attackers see, with the limit on anybody's belief."""
    deals = found.method.recodes == "buckets"  # which counts alone decide, but models learn from
    values = limits_values(found.policy)
    limit = belief_limit(found.policy)
    # without a limit on beliefs, attackers are measured against what the release alone shows
    if limit is None and (values or deals):
        limit = ShareLimit(largest_share(found.release))
    return FoundRelease(
        found.release,
        None if limit is None else limit.share,
        strict=limit is not None and limit.strict,
        values_decide=values and not deals,
        with_people=lambda: with_people(found),
        count_truth=lambda: found.true_counts,
        result=found,
        progress=progress,
    )


def largest_share(release: Release) -> Fraction:
    """Return the largest share of a group that has a value: what somebody believes who sees the release alone."""
    row, _, count = release.groups.counts.entries()
    size = release.groups.sizes[row]
    share = count / size
    near = share >= share.max(initial=0) - 5e-10  # floats find the few that can be the largest; fractions decide
    # few distinct pairs of count and size are close to the largest, and only those become fractions
    pairs = np.unique(np.stack([count[near], size[near]]), axis=1).T.tolist()
    return max((min(Fraction(many, people), Fraction(1)) for many, people in pairs), default=Fraction(0))


def with_people(found: SearchResult) -> Release:
    """Return the release that was found with who is in which group, as whoever has a list of the people knows."""
    if found.release.members is not None:
        return found.release
    table, group = found.recoding.table, found.release_rows
    keys = np.flatnonzero((group >= 0) & (table.sizes > 0))
    keys = keys[np.argsort(group[keys], kind="stable")]
    members = Members(
        tuple(each.take(keys) for each in table.quasi), group[keys], np.arange(len(keys)), table.sizes[keys]
    )
    return replace(found.release, members=members)
