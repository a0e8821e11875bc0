"""Find the most useful release of a table that keeps a policy.

`protect` walks in four steps: check what it is handed; refuse where measures claim that nothing can be within policy
(`policy_check`), saying what would pass; let a method search (`full_domain`, `mondrian`, `anatomy` or
`microaggregation`); and judge what the search ends with by the whole policy, exactly.

Searches follow measures that merge: a summary of groups tells the measure of the release made of them.  A measure that
looks at a whole release at once (`MaxEnt`) is left out of the search, and judges only its end.

A release may fall to attackers whom its policy does not mention: those with `Attacker.asked_by_search` are tried after
every search, each with bounded effort by its own `answer_search`.  One whom the policy mentions is judged by it.

Which ways of publishing a table keep a policy, and what is each of them still good for?  `compare` tries every method;
one that cannot keep the policy is a row that says why.

Which row would a person take?  One that can be read: with one level per column a label means the same everywhere and
no two overlap, which regions of Mondrian's, averages and buckets do not offer.  Of those the one that loses least of
what the columns tell (`balanced_loss`); where there is none, Mondrian's, which still prints what people have in common.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np

from sidelight.errors import (
    BadPolicy,
    BadTable,
    NothingSafe,
    SidelightError,
    UnnamedAttackerWarning,
    WrongKind,
    did_you_mean,
    expect,
    listed,
    parameter,
)
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Criterion, exact
from sidelight.measures.measure import AttackerAnswer, FoundRelease
from sidelight.policy.measure_names import asked_attackers
from sidelight.policy.policy import Policy, Verdict
from sidelight.progress import Progress, quiet
from sidelight.release.printed_labels import Printing
from sidelight.release.release import Provenance, Release
from sidelight.search.anatomy import Anatomy
from sidelight.search.full_domain import FullDomain
from sidelight.search.method import Method, SearchOutcome, SearchResult
from sidelight.search.microaggregation import Microaggregation
from sidelight.search.mondrian import Mondrian
from sidelight.search.policy_check import (
    ValueLimits,
    belief_limit,
    covered_limits,
    limits_values,
    list_blocking,
    nothing_found,
    refuse_impossible,
)
from sidelight.search.utility import (
    DEFAULT_UTILITY,
    MEANINGS,
    QUICK_UTILITIES,
    UTILITIES,
    Utilities,
    UtilityName,
    UtilityNames,
)
from sidelight.streams.memory import Streamed
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import SUPPRESSED, Tabular, shown
from sidelight.table.table import Table, held
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

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
    may be suppressed; `levels` are those of the columns that are chosen already, such as those of one of
    `found.choices`: they are judged, and refused where they are not within policy (both lattice only).
    `resists="insider"` (Mondrian only) keeps the limit on the share of any value for attackers who know the method and
    the policy too; `found.resistance` has its price.  Raises `NothingSafe`, saying what would pass, when nothing within
    policy was found.  Measures that look at a whole release at once (`MaxEnt`) judge what was found within the other
    limits.  A table of any size is read by `stream_table`; methods that need all its keys refuse it.

    Attackers whom a policy seldom names are asked with little effort what they would reach (`ask`: "both" a learner
    and an insider, "learner", "insider" or "nobody"): `found.readers` has their answers, and where what was found falls
    to one of them a `UnnamedAttackerWarning` is given.

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
    judged = problem.result(chosen, problem.search(chosen, (utility,), progress)[utility], progress)
    result = add_answers(judged, ask, progress)
    for each in result.readers:
        if each.falls:
            falls, remedy = each.for_the_publisher(), each.attacker.remedy
            message = f"within policy, and yet it falls to one of two readers: {falls}; {remedy}"
            warnings.warn(message, UnnamedAttackerWarning, stacklevel=2)
    return result


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
                raise BadPolicy(f"'{weighed}' {lack}; leave one out")
            # a limit may compare keys with a population, or look at whole releases or tables
            needs_all = next((each for each in policy.measures if not each.streams or each.register is not None), None)
            table = table if needs_all is None else table.held(f"'{needs_all}'")
        if isinstance(table, Table):
            # measures of what an attacker knows of the original take the table
            policy = Policy(*(replace(each, measure=each.measure.bind_table(table)) for each in policy.criteria))
        searchable = searchable_part(policy)
        # before any search, as one group of everybody is judged at once
        refuse_impossible(table, searchable, leaves_people_out=any(each.leaves_people_out for each in methods))
        return cls(table, policy, searchable, hierarchies)

    def search(self, method: Method, utilities: UtilityNames, progress: Progress) -> dict[UtilityName, SearchOutcome]:
        """Search by a method, if it can follow the policy."""
        if self.searchable.registers and not method.carries_populations:
            compared = next(each.measure.name for each in self.searchable.criteria if each.measure.register is not None)
            carrying = " or ".join(name for name, each in METHODS.items() if each.carries_populations)
            raise BadPolicy(
                f"method '{method.name}' makes groups in which no population can be counted, as '{compared}' asks; "
                f"use {parameter('method')} {carrying}, or leave that limit out"
            )
        if method.resists is not None:
            covered_limits(self.policy)  # refuses those that no veil covers, those that only judge the end too
        table, needed = self.table, next(filter(None, map(method.needs_all_keys, utilities)), None)
        if not isinstance(table, Table) and needed is not None:
            table = table.held(needed)
        # a method that needs no keys takes either
        return method.search(table, self.searchable, by=self.by, utilities=utilities, progress=progress)  # type: ignore[arg-type]

    def result(self, method: Method, outcome: SearchOutcome, progress: Progress = quiet) -> SearchResult:
        """Judge what a search ends with by the whole policy."""
        if self.table.carried is not None and not method.prints_rows:
            keep = parameter("keep")
            raise BadTable(f"{keep} needs a row per person, and '{method.name}' prints buckets; leave one of them out")
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
            failure = f"what method '{method.name}' found is not within policy"
            fault = f"the search ended outside the policy ({verdict}): a fault of Sidelight's; try another method"
            raise nothing_found(failure, self.table, self.searchable) or SidelightError(f"{fault}, and tell us")
        if not verdict.safe:
            blocked = list_blocking(verdict.broken)
            raise NothingSafe(
                f"the most useful release within the other limits is not within policy: {'; '.join(blocked)}; "
                "set the other limits tighter, so that groups are larger or more diverse",
                blocked_by=blocked,
            )
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
        raise BadPolicy(f"no {what} '{name}'{did_you_mean(name, names)}")
    raise WrongKind(
        f"{parameter(what)} is a name, and this is of type {type(name).__name__}; there are: {listed(names)}"
    )


def method_of(
    method: object, *, suppress: float = 0, levels: Mapping[str, int] | None = None, resists: str | None = None
) -> Method:
    """Return a method, or build the one of this name.

    >>> method_of("mondrian").name
    'mondrian'
    """
    options = {"suppress": suppress, "levels": levels, "resists": resists}
    # None and the number 0 are left out; False, and what is not a number, are for the method to refuse.
    chosen = {
        name: option
        for name, option in options.items()
        if option is not None and not (type(option) in (int, float) and option == 0)
    }
    if "resists" in chosen:
        expect(str, resists, parameter("resists"))
    if isinstance(method, Method):
        chosen.pop("suppress", None)  # a method says itself how much it suppresses
    elif isinstance(method, type) and issubclass(method, Method):
        raise WrongKind(
            f"{parameter('method')} should be a method or its name, not a class; write sl.{method.__name__}()"
        )
    else:
        method = METHODS[_expect_name("method", method, METHODS)]()
    for option, lack in (
        ("resists", f"has no defence against an {resists}"),
        ("suppress", "does not suppress"),
        ("levels", "has no levels"),
    ):
        if option in chosen and not method.takes(option):
            able = next(name for name, each in METHODS.items() if each.takes(option))
            remedy = f"use {parameter('method', able)}, or leave {parameter(option)} out"
            raise BadPolicy(f"method '{method.name}' {lack}; {remedy}")
    return method.with_options(**chosen)


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
"""The attackers to try after a search: "both" for all of them, the name of one, or "nobody"."""


def ask_choices() -> tuple[str, ...]:
    """Return the values of `ask`, with the attackers that other packages declared."""
    return ("both", *(kind.name for kind in asked_attackers()), "nobody")


def add_answers(result: SearchResult, ask: Ask, progress: Progress = quiet) -> SearchResult:
    """Return the result with the answer of each attacker in `ask`, found quickly; the others are "not asked".

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies, ask="nobody")
    >>> [(each.reader, each.outcome) for each in add_answers(found, "both").readers]
    [('learner', 'not asked'), ('insider', 'nothing to learn')]
    """
    kinds = asked_attackers()
    if not result.recoding.holds_keys:
        reason = "nobody wished so" if ask == "nobody" else "the table was streamed, and who has what is not held"
        return replace(result, readers=tuple(AttackerAnswer(kind.attacker, "not asked", reason) for kind in kinds))
    question = found_release(result, progress)
    answers = []
    for kind in kinds:
        judged = (each for each in result.verdict.judgements if isinstance(each.criterion.measure, kind))
        if ask not in ("both", kind.name):
            answer = AttackerAnswer(kind.attacker, "not asked", "nobody wished so")
        elif (judgement := next(judged, None)) is not None:
            bound = Fraction(exact(judgement.criterion.bound))
            answer = AttackerAnswer(kind.attacker, "asked", "as the policy asks", judgement.finding.value, bound)
        else:
            answer = kind.answer_search(question)
        answers.append(answer)
    return replace(result, readers=tuple(answers))


def found_release(result: SearchResult, progress: Progress = quiet) -> FoundRelease:
    """Return the view that attackers have of a result, with the limit on beliefs."""
    deals = result.method.recodes == "buckets"  # which counts alone decide, but models learn from
    values = limits_values(result.policy)
    limit = belief_limit(result.policy)
    # without a limit on beliefs, attackers are measured against what the release alone shows
    if limit is None and (values or deals):
        limit = ValueLimits(largest_share(result.release))
    return FoundRelease(
        result.release,
        None if limit is None else limit.belief,
        strict=limit is not None and limit.strict,
        values_decide=values and not deals,
        with_people=result.with_people,
        count_truth=lambda: result.true_counts,
        result=result,
        progress=progress,
    )


def largest_share(release: Release) -> Fraction:
    """Return the largest share of a group that has a value: the belief of an attacker who sees the release alone."""
    row, _, count = release.groups.counts.entries()
    size = release.groups.sizes[row]
    share = count / size
    near = share >= share.max(initial=0) - 5e-10  # floats find the few that can be the largest; fractions decide
    # few distinct pairs of count and size are close to the largest, and only those become fractions
    pairs = np.unique(np.stack([count[near], size[near]]), axis=1).T.tolist()
    return max((min(Fraction(many, people), Fraction(1)) for many, people in pairs), default=Fraction(0))


@dataclass(frozen=True, eq=False)
class ComparedRelease:
    """One way of publishing: what came out of it, or why nothing did."""

    method: Method
    result: SearchResult | None
    best_at: tuple[str, ...] = ()  # the utilities by which a search over levels took it
    refusal: SidelightError | None = None

    @property
    def found(self) -> SearchResult:
        """The result, of those within policy."""
        assert self.result is not None
        return self.result

    def default_loss(self) -> float:
        """Return what it loses by the default utility, of those within policy."""
        return self.found.utility[DEFAULT_UTILITY]

    @property
    def how(self) -> str:
        """The method and its setting, in a few words."""
        if self.method.resists is not None:
            return f"{self.method.name}, resisting an {self.method.resists}"
        return f"{self.method.name}, suppressing {self.suppress:.2g}" if self.suppress else self.method.name

    @property
    def suppress(self) -> float:
        """The share of people who may be suppressed."""
        return float(self.method.suppress)

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each column (lattice)."""
        return {} if self.result is None else self.result.levels

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The print of each column: unchanged, `*`, or its number of labels."""
        if self.result is None:
            return {}
        table = self.result.recoding.table
        printed = {column.name: column for column in self.result.release.groups.columns}
        described = {}
        for column in table.quasi:
            labels = {*column.labels}
            if column.name in printed:  # a bucket prints people as they are
                labels = {text for text in printed[column.name].compact().labels if text != SUPPRESSED}
            differ = "as it is" if labels <= {*column.labels} else counted(len(labels), "label")
            described[column.name] = differ if labels or column.name not in printed else SUPPRESSED
        return described

    @cached_property
    def example(self) -> Mapping[str, str]:
        """The labels of the largest group that is not suppressed; none of buckets, which print people."""
        if self.result is None or self.result.buckets is not None:
            return {}
        groups = self.result.release.groups
        # at most one group is that of the suppressed people, so the two largest are enough
        largest_first = map(int, (-groups.sizes).argsort(kind="stable"))
        printed = [
            {column.name: shown(column.cell(at)) for column in groups.columns} for at in islice(largest_first, 2)
        ]
        return next((each for each in printed if set(each.values()) != {SUPPRESSED}), printed[0])

    @property
    def reason(self) -> str:
        """Why there is no release; nothing where there is one."""
        return "" if self.refusal is None else str(self.refusal)


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseComparison(Tabular):
    """Ways of publishing a table within a policy, side by side; nothing was published."""

    policy: Policy
    rows: tuple[ComparedRelease, ...]

    @property
    def within(self) -> tuple[ComparedRelease, ...]:
        """Those that keep the policy."""
        return tuple(row for row in self.rows if row.result is not None)

    @property
    def advised(self) -> ComparedRelease:
        """The one that a person would take, as the top of this file says."""
        levels = [row for row in self.within if row.method.recodes == "levels"]
        regions = [row for row in self.within if row.method.recodes == "regions"]
        # labels that mean the same everywhere come first, whatever they lose (see the top of this file)
        return min(levels or regions or list(self.within), key=ComparedRelease.default_loss)

    def advice(self) -> Iterator[str]:
        """Yield which row a person would take and why, and what the others are for."""
        advised = self.advised
        yield f"A person would take row {self._number(advised)}: {_describe_advantage(advised)}."
        unsuppressed = [row for row in self.within if row.method.recodes == "levels" and not row.found.suppressed]
        if advised.found.suppressed and unsuppressed:
            best = min(unsuppressed, key=ComparedRelease.default_loss)
            yield f"Row {self._number(best)} suppresses nobody ({DEFAULT_UTILITY} {best.default_loss():.3g})."
        for row in self.within:
            if row.method.resists is not None:
                result, plain, price = row.found, row.method.with_options(resists=None), ""
                if result.resistance is not None and result.resistance.belief is not None:
                    # what it costs; nothing where only sizes are limited
                    others = (each.found.utility["loss"] for each in self.within if each.method == plain)
                    known = next(others, None)
                    before = result.resistance.plain_loss if known is None else known
                    price = f": a loss of {result.utility['loss']:.3g}, where it would be {before:.3g}"
                attacker = f"an {row.method.resists} too, who knows how it was made"
                yield f"Row {self._number(row)} keeps the limits for {attacker}{price}."
            if row is advised or row.method.recodes == "levels":
                continue
            if row.method.recodes == "buckets":
                apart = "the values apart: people can be recognised in it, whatever its losses are"
                yield f"Row {self._number(row)} prints everybody as they are, and {apart}."
            elif row.default_loss() < advised.default_loss():
                finer = "averages" if row.method.prints_averages else "labels that overlap"
                yield f"Row {self._number(row)} tells more, for programs that can work with {finer}."

    def _number(self, row: ComparedRelease) -> int:
        return self.rows.index(row) + 1

    def plot(self) -> alt.TopLevelMixin:
        """Draw what each release loses, against the policy's first limit.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("ways.svg")` writes it.
        """
        from sidelight.report.charts.searches import comparison_chart  # noqa: PLC0415 - it stands below

        return comparison_chart(self)

    def table(self) -> pa.Table:
        """Return it as a pyarrow table, a row per way of publishing; null where nothing is within policy."""
        import pyarrow as pa  # noqa: PLC0415 - only where rows are handed out

        return pa.Table.from_pylist([self.as_data(row) for row in self.rows])

    def as_data(self, row: ComparedRelease) -> dict[str, object]:
        """Return a row as plain data."""
        result = row.result
        utility: dict[str, float | None] = {name: None if result is None else result.utility[name] for name in MEANINGS}
        return {
            "row": self._number(row),
            "method": row.method.name,
            "suppress": row.suppress,
            "resists": row.method.resists,
            "best_at": ", ".join(row.best_at),
            "levels": ",".join(f"{name}={level}" for name, level in row.levels.items()) or None,
            "groups": None if result is None else len(result.release),
            "people": None if result is None else result.release.size,
            "suppressed": None if result is None else result.suppressed,
            **utility,
            "labels": "; ".join(f"{name} {what}" for name, what in row.labels.items()) or None,
            "example": "; ".join(f"{name} {what}" for name, what in row.example.items()) or None,
            "reason": row.reason or None,
            "advised": row is self.advised,
        }

    to_arrow = table  # the name that dataframes have for it

    def __repr__(self) -> str:
        ways = counted(len(self.rows), "way")
        return (
            f"<ReleaseComparison of {ways}, {len(self.within)} within policy; row {self._number(self.advised)} advised>"
        )

    def _repr_html_(self) -> str:
        heads, rows = ("row", "method", "groups", "suppressed", *MEANINGS, "printed"), []
        for row in self.rows:
            figures = ["" if figure is None else figure for figure in map(self.as_data(row).get, heads[2:-1])]
            short = [float(f"{figure:.4g}") if isinstance(figure, float) else figure for figure in figures]
            printed = "; ".join(f"{name} {what}" for name, what in row.labels.items())
            rows.append((self._number(row), row.how, *short, printed or row.reason))
        return html_table(str(self.policy), heads, rows, total=len(rows), note=" ".join(self.advice()))


def _describe_advantage(row: ComparedRelease) -> str:
    result = row.found
    loss = f"{DEFAULT_UTILITY} {row.default_loss():.3g}"
    if len(result.release) == 1:
        return f"nothing is left of the columns in any ({loss}); another policy, or fewer columns, would keep more"
    if row.method.recodes != "levels":
        return f"none has one level per column, and of these it loses least of what the columns tell ({loss})"
    cost = f", for {counted(result.suppressed, 'person')} suppressed" if result.suppressed else ""
    return (
        "each column has one level for everybody, so that labels are easy to read and none overlap; of such releases "
        f"it loses least of what the columns tell ({loss}){cost}"
    )


def compare(
    table: Table,
    policy: Policy | Criterion | Iterable[Criterion],
    *,
    by: Mapping[str, Hierarchy] | None = None,
    methods: Sequence[MethodName | Method] = tuple(cast("dict[MethodName, type[Method]]", METHODS)),
    # The shares of people who may be suppressed that a search over levels is tried with.
    suppress: Sequence[float] = (0, 0.01, 0.05),
    resists: str | None = None,
    progress: Progress = quiet,
) -> ReleaseComparison:
    """Compare ways of publishing a table within a policy, and what each is still good for; nothing is published.

    `methods` are names or methods; the search over levels is tried with each share of `suppress`, by each utility that
    is quick to compute.  With `resists="insider"`, Mondrian is tried as it is and as one that resists (see `protect`),
    so that its price is seen.  Raises `NothingSafe` when none of them finds anything within policy.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "education", "sex"])
    >>> ways = compare(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies, methods=["lattice"], suppress=[0])
    >>> for row in ways.rows:
    ...     print(dict(row.levels), len(row.result.release), row.best_at)
    {'age': 5, 'education': 1, 'sex': 0} 14 ('balanced loss', 'loss', 'non-uniform entropy', 'discernibility')
    {'age': 5, 'education': 0, 'sex': 1} 16 ('average group size',)
    >>> ways.advised.labels
    {'age': '*', 'education': '7 labels', 'sex': 'as it is'}
    """
    plain = [method_of(method) for method in methods]
    if resists is not None and not any(method.takes("resists") for method in plain):
        able = next(name for name, each in METHODS.items() if each.takes("resists"))
        remedy = f"add {parameter('method', able)}, or leave {parameter('resists')} out"
        raise BadPolicy(f"none of the methods has a defence against an {resists}; {remedy}")
    tried = []
    for method in plain:
        tried.append(method)
        if resists is not None and method.takes("resists") and method.resists is None:
            tried.append(method_of(method, resists=resists))
    shared = [way.with_options(suppress=share) for way in tried if way.takes("suppress") for share in suppress]
    problem = SearchProblem.build(held(table), policy, by, (*tried, *shared))
    rows = [row for method in tried for row in _compare_shares(problem, method, suppress, progress)]
    if not any(row.result is not None for row in rows):
        reasons = "; ".join(f"{row.how}: {row.reason}" for row in rows)
        raise NothingSafe(f"none of these ways of publishing is within policy: {reasons}")
    return ReleaseComparison(problem.policy, tuple(rows))


def _compare_shares(
    problem: SearchProblem, method: Method, shares: Sequence[float], progress: Progress
) -> Iterator[ComparedRelease]:
    """Search once for each share, or once where there is none to choose, and yield the releases and the refusals.

    Releases that are best by several utilities, or with several shares, are one row.
    """
    several = method.takes("suppress") and method.levels is None
    utilities = [name for name in QUICK_UTILITIES if name != "suppressed"] if several else [DEFAULT_UTILITY]
    published: set[tuple[tuple[int, ...], int]] = set()
    refusals: set[str] = set()
    for way in [method.with_options(suppress=share) for share in shares] if several else [method]:
        share = f", suppressing {float(way.suppress):g}" if way.suppress else ""
        named = _named_progress(f"{way.name}{share}", progress)
        best_at: dict[tuple[tuple[int, ...], int], list[UtilityName]] = {}
        try:
            outcomes = problem.search(way, utilities, named)
        except SidelightError as refusal:
            # a larger share often fails for the same reason, which is said once
            if str(refusal) not in refusals:
                refusals.add(str(refusal))
                yield ComparedRelease(way, None, refusal=refusal)
            continue
        for utility, outcome in outcomes.items():
            # the same levels with as many people suppressed are the same release
            best_at.setdefault((tuple(outcome.levels.values()), outcome.suppressed), []).append(utility)
        for release, best in best_at.items():
            if release in published:
                continue
            published.add(release)
            taken_by = tuple(best) if several else ()
            try:
                result = problem.result(way, outcomes[best[0]], named)
                yield ComparedRelease(way, result, taken_by)
            except SidelightError as refusal:  # a measure of whole releases says no
                yield ComparedRelease(way, None, taken_by, refusal)


def _named_progress(name: str, progress: Progress) -> Progress:
    return lambda what, done, total: progress(f"{name}: {what}", done, total)
