"""The sensitive column published more coarsely: "Respiratory" instead of "Asthma".

A value x of the domain is from now on f(x), its label at a level of the column's hierarchy.

    single     n(key, y) = Σ_{f(x) = y} n(key, x)
    multiset   the same: every occurrence still counts
    set        how many people have *some* x with f(x) = y: whoever has two of them counts once, so that it takes what
               people have together (`Table.profiles`, for which the engine that holds the rows is asked again)

Everything after that is about the coarser values: measures, searches, what is published, and what a reader can know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadHierarchy, UnknownColumn, WrongKind, did_you_mean, expect, kind_in_words, parameter
from sidelight.table.counts import Counts, Profiles
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Label
from sidelight.table.table import Column, JointDomain, Table


def coarser_values(table: Table, *, by: Mapping[str, Hierarchy], to: int | Mapping[str, int]) -> Table:
    """Return the table of a publisher who only wrote down coarser sensitive values.

    `to` is the level of the sensitive column in its hierarchy, or column → level where there are several.  People who
    have several values of one coarser label count once in "set", and as often as before in "multiset".  A missing value
    stays missing, unless the hierarchy has a row for it.  Labels stand in the order in which the values did.

    >>> import sidelight as sl
    >>> data = sl.datasets.nhefs()
    >>> table = coarser_values(data.table, by=data.hierarchies, to=1)
    >>> table
    <Table of 1,629 people: age, sex, race, education → condition (7 values)>
    >>> dict(zip(table.domain, table.counts.totals().tolist()))["Respiratory"]
    338
    """
    expect(Table, table, "what is published more coarsely")
    hierarchies, levels = as_hierarchies(by), _levels(table, to)
    for name, level in levels.items():
        table = _recode(table, name, _hierarchy(hierarchies, name), level)
    stated = dict(levels) if isinstance(to, Mapping) else levels[table.sensitive_columns[0]]
    roles = {**table.intake.roles, "sensitive_level": stated}
    return replace(table, intake=replace(table.intake, roles=roles))


def _levels(table: Table, to: object) -> dict[str, int]:
    columns = table.sensitive_columns
    if isinstance(to, Integral):
        if len(columns) > 1:
            several = f"{' and '.join(columns)} are several sensitive columns"
            message = f"{several}; name the column with its level, such as {{{columns[0]} = {to}}}"
            raise WrongKind(message)
        return {columns[0]: int(to)}
    if not isinstance(to, Mapping):
        message = f"a level of the sensitive column is a whole number, not {kind_in_words(to)}; give 1 or more"
        raise WrongKind(message)
    for name in to:
        if name not in columns:
            message = f"no sensitive column '{name}'{did_you_mean(str(name), columns)}"
            raise UnknownColumn(message)
    return dict(to)


def _hierarchy(by: Mapping[str, Hierarchy], name: str) -> Hierarchy:
    if name not in by:
        message = f"no hierarchy for '{name}'{did_you_mean(name, by)}; add it to {parameter('by')}"
        raise BadHierarchy(message)
    return by[name]


def _recode(table: Table, name: str, hierarchy: Hierarchy, level: int) -> Table:
    if not isinstance(table.domain, JointDomain):
        column = Column(name, table.domain, np.arange(len(table.domain), dtype=np.int32))
        values = column.recode(*hierarchy.recode(column.labels, level))
        return _merge(table, values.labels, values.codes)
    columns = (
        column.recode(*hierarchy.recode(column.labels, level)) if column.name == name else column
        for column in table.domain.columns
    )
    return _merge(table, *JointDomain.numbered(columns))


def _merge(table: Table, domain: tuple[Label, ...], code: npt.NDArray[np.integer]) -> Table:
    """Take value x for `code[x]`."""

    def merged_profiles(_table: Table) -> Profiles:
        return _merge_profiles(table.profiles(), code, len(domain), once=table.semantics == "set")

    # two finer values of a person may become one, which then counts once: only profiles know who has both
    if table.semantics == "set":
        profiles = merged_profiles(table)
        row, value, count = profiles.counts.entries()
        shape = (len(table.sizes), len(domain))
        counts = Counts.from_entries(profiles.key[row], value, count * profiles.people[row], shape)
    else:
        counts = table.counts.merge_values(code, width=len(domain))
    reader: Callable[[Table], Profiles] | None = None if table.read_profiles is None else merged_profiles
    carried = table.carried and replace(table.carried, value=np.asarray(code)[table.carried.value])
    return replace(table, domain=domain, counts=counts, read_profiles=reader, carried=carried)


def _merge_profiles(profiles: Profiles, code: npt.NDArray[np.integer], width: int, *, once: bool) -> Profiles:
    counts = profiles.counts.merge_values(code, width=width)
    return replace(profiles, counts=counts.at_most(np.ones(counts.rows, np.int64)) if once else counts)
