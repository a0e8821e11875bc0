"""Turn a table into a release: group people who print the same, with columns as they are or published more coarsely.

A grouping is a map from the keys of a table to groups.  Nobody has two keys, so a group's size and counts are the sums
over its keys (`roll_up`), in every semantics; the same holds from finer groups to coarser ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from sidelight._arrays import add_up
from sidelight.errors import BadHierarchy, WrongKind, did_you_mean, expect, kind_in_words, parameter
from sidelight.release.groups import Groups
from sidelight.release.printing import Printing
from sidelight.release.release import Members, Release, whole_groups
from sidelight.table.coarser_values import coarser_values
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.table import Column, Table, number_equal_rows


def group(table: Table, *, by: str | Iterable[str] | None = None) -> Release:
    """What does the world see when people with the same `by` columns (by default all quasi-identifiers) form a group?

    The columns are published as they are; quasi-identifiers that are not in `by` are not published.  A
    column that only says which bucket a person is in works too.  Outsiders may know all quasi-identifiers: they are
    kept, group by group, as the release's `members`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult()
    >>> group(adult.table, by=["sex", "race"])
    <Release of 45,222 people in 10 groups, occupation: 14 values (single)>
    """
    expect(Table, table, "what is grouped")
    names = dict.fromkeys((column.name for column in table.quasi) if by is None else _column_names(by))
    columns = tuple(table.column(name) for name in names)
    release = _released(table, columns)
    return release if len(names) == len(table.quasi) else replace(release, members=_members(table, columns))


def _column_names(by: object) -> list[str]:
    if isinstance(by, Iterable):
        return [by] if isinstance(by, str) else list(by)
    message = f"{parameter('by')} is a column or a list of columns, not {kind_in_words(by)}; name columns there"
    raise WrongKind(message)


def _members(table: Table, columns: tuple[Column, ...]) -> Members:
    """Tell people apart by all quasi-identifiers of the table, by its keys."""
    group, _ = number_equal_rows(columns, len(table.sizes))
    key = np.argsort(group, kind="stable")
    return Members(table.quasi, group[key], key, table.sizes[key])


def generalise(table: Table, *, by: Mapping[str, Hierarchy], to: Mapping[str, int]) -> Release:
    """What does the world see when columns are published at these levels of their hierarchies?

    Full-domain generalisation: each column has one level for everybody.  Columns that are not in `to` are published as
    they are, which is level 0; the sensitive one may be in it too (see `coarser_values`).  People of a group are not
    told apart (no `members`): the release is what it prints.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> release = generalise(adult.table, by=adult.hierarchies, to={"age": 3, "sex": 1})
    >>> for row in range(len(release)):
    ...     print(release.groups.name(row), release.groups.sizes[row])
    group 1 (age 0-19, sex *) 2052
    group 2 (age 20-39, sex *) 23355
    group 3 (age 40-59, sex *) 16569
    group 4 (age 60-79, sex *) 3103
    group 5 (age 80-99, sex *) 143
    """
    expect(Table, table, "what is generalised")
    hierarchies, levels = as_hierarchies(by), dict(_as_levels(to))
    sensitive = {name: levels.pop(name) for name in table.sensitive_columns if name in levels}
    table = coarser_values(table, by=hierarchies, to=sensitive) if sensitive else table
    for name in levels:
        table.column(name)  # names the nearest column if there is none
    release = _released(
        table, tuple(coarser(column, hierarchies, levels.get(column.name, 0)) for column in table.quasi)
    )
    published = {name: hierarchy for name, hierarchy in hierarchies.items() if levels.get(name, 0) > 0}
    return replace(release, printing=Printing.along(published))


def _as_levels(to: object) -> Mapping[str, int]:
    if isinstance(to, Mapping):
        return to
    example = parameter("to", {"age": 2, "sex": 0})
    message = f"{parameter('to')} is a mapping of columns to levels, not {kind_in_words(to)}; write {example}"
    raise WrongKind(message)


def coarser(column: Column, by: Mapping[str, Hierarchy], level: int) -> Column:
    """Publish a column at a level of its hierarchy; at level 0 it needs none."""
    if column.name in by:
        hierarchy = by[column.name]
        hierarchy.check(column)
        return column.relabelled(*hierarchy.recode(column.labels, level)) if hierarchy.level(level) else column
    if level == 0:
        return column
    message = (
        f"no hierarchy for '{column.name}'{did_you_mean(column.name, by)}; "
        f"add it to {parameter('by')}, or leave it at level 0"
    )
    raise BadHierarchy(message)


def keys_as_groups(table: Table) -> Groups:
    """Take each key of a table for a group of its own."""
    return whole_groups(
        domain=table.domain,
        sizes=table.sizes,
        counts=table.counts,
        columns=table.quasi,
        semantics=table.semantics,
        weights=table.weights,
    )


def roll_up(groups: Groups, columns: tuple[Column, ...]) -> Groups:
    """Put together the groups of which `columns` (a row for each old group) say the same.

    Nobody is in two groups, so sizes add up like counts do, in every semantics.
    """
    # `whole` stays: what all groups together say does not depend on how they are put together.
    number, first = number_equal_rows(columns, len(groups))
    return replace(
        groups,
        sizes=add_up(number, groups.sizes, len(first)),
        counts=groups.counts.roll_up(number, groups=len(first)),
        columns=tuple(column.take(first) for column in columns),
        numbers=np.arange(1, len(first) + 1),
        weights=None if groups.weights is None else add_up(number, groups.weights, len(first)),
        populations=(),  # keys that only a population has may have joined: whoever rolls up counts them again
    )


def _released(table: Table, columns: tuple[Column, ...]) -> Release:
    return Release(roll_up(keys_as_groups(table), columns), sensitive=table.sensitive, intake=table.intake)
