"""Find the most useful release within policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from sidelight.errors import BadPolicy, did_you_mean
from sidelight.policy.policy import Policy
from sidelight.search.anatomy import Anatomy
from sidelight.search.found import Found
from sidelight.search.full_domain import FullDomain
from sidelight.search.last_look import informed, judged, searchable
from sidelight.search.method import Method, Progress, quiet
from sidelight.search.microaggregation import Microaggregation
from sidelight.search.mondrian import Mondrian
from sidelight.search.nothing_safe import refuse_if_nothing_is
from sidelight.search.utility import UTILITIES, Utilities, UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

MethodName: TypeAlias = Literal["lattice", "mondrian", "anatomy", "microaggregation"]

METHODS: Mapping[str, type[Method]] = {each.name: each for each in (FullDomain, Mondrian, Anatomy, Microaggregation)}


def protect(
    table: Table,
    policy: Policy,
    *,
    by: Mapping[str, Hierarchy] | None = None,
    method: MethodName | Method = "lattice",
    utility: UtilityName = "discernibility",
    suppress: float = 0,
    progress: Progress = quiet,
) -> Found:
    """What is the most useful release of this table that keeps the policy?

    `method` is a name or, to set its options, a method such as `FullDomain(suppress=0.04, suppressed="left out")`,
    `Mondrian(towards="income")`, `Anatomy(l=4)` or `Microaggregation(k=5)`; `by` are the hierarchies; `suppress` is
    the share of people whose rows may be suppressed (lattice only).  Raises `NothingSafe`, saying what would pass,
    when not even one group of everybody is within policy.  Measures that look at a whole release at once (`MaxEnt`)
    judge what was found within the other limits.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = protect(adult.table, sl.Policy(sl.GroupSize() >= 50), by=adult.hierarchies)
    >>> found.levels, found.verdict.safe
    ({'age': 3, 'sex': 1}, True)
    """
    chosen = _method(method, suppress)
    if utility not in UTILITIES:
        message = f"no utility '{utility}'{did_you_mean(utility, UTILITIES)}"
        raise BadPolicy(message)
    policy = informed(policy, table)
    limits = searchable(policy)
    refuse_if_nothing_is(table, limits)
    outcome = chosen.search(table, limits, by=by or {}, utility=utility, progress=progress)
    return Found(
        outcome.release,
        policy,
        judged(policy, outcome.release),
        chosen,
        outcome,
        Utilities(outcome.recoding),
        {column.name: by[column.name] for column in table.quasi if by and column.name in by},
    )


def _method(method: str | Method, suppress: float) -> Method:
    if isinstance(method, Method):
        return method
    if method not in METHODS:
        message = f"no method '{method}'{did_you_mean(method, METHODS)}"
        raise BadPolicy(message)
    if suppress and method != FullDomain.name:
        message = f"method '{method}' does not suppress; leave suppress= out, or use method='lattice'"
        raise BadPolicy(message)
    return FullDomain(suppress=suppress) if method == FullDomain.name else METHODS[method]()
