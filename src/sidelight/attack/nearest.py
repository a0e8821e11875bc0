"""The groups whose printed average is nearest to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sidelight.attack.located import Located, everywhere
from sidelight.attack.targets import People
from sidelight.measures.exact import NEAR, Floats
from sidelight.release.groups import Groups
from sidelight.table.columns import Codes, Column, Integers, rows_alike
from sidelight.table.counts import CELLS_AT_ONCE
from sidelight.table.days import as_day
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import SUPPRESSED, Label, as_number


class Apart(NamedTuple):
    """How far the labels of people are from those of groups in one column: `squared[person label, group label]`."""

    people: Codes
    groups: Codes
    squared: Floats


def nearest(people: People, groups: Groups, by: Mapping[str, Hierarchy]) -> Located:
    """Find the groups with the smallest squared distance to each row of people; all of them when several have it.

    Numbers and days: ((x − y) / range)²; labels with a hierarchy: the share of its levels at which they differ; other
    labels: 0 if equal, 1 if not.  A `*` is equally far from everything.
    """
    known = [(its, mine) for mine in groups.columns if (its := people.column(mine.name)) is not None]
    if not known:
        return everywhere(len(people), groups.sizes)
    place, first = rows_alike(tuple(its for its, _ in known), len(people))
    columns = [_apart(its.take(first), mine, by.get(mine.name)) for its, mine in known]
    step = max(CELLS_AT_ONCE // len(groups), 1)
    found = [_in_block(columns, slice(at, at + step)) for at in range(0, len(first), step)]
    at, group = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Located.of(place, len(first), at, group, groups.sizes[group])


def _in_block(columns: list[Apart], rows: slice) -> tuple[Integers, Integers]:
    apart: Floats = np.zeros(())
    for column in columns:
        apart = apart + column.squared[:, column.groups][column.people[rows]]
    at, group = np.nonzero(apart <= apart.min(axis=1, keepdims=True) + NEAR)
    return at + rows.start, group


def _apart(people: Column, groups: Column, hierarchy: Hierarchy | None) -> Apart:
    numbers = _numbers((*people.labels, *groups.labels))
    if numbers is not None:
        squared = _numeric(numbers[: len(people.labels)], numbers[len(people.labels) :])
    else:
        squared = _levels(people.labels, groups.labels, hierarchy)
    squared[:, [text == SUPPRESSED for text in groups.labels]] = 1.0
    return Apart(people.codes, groups.codes, squared)


def _numbers(labels: tuple[Label, ...]) -> Floats | None:
    """Read labels as numbers or as days, nan for missing and suppressed ones; nothing if others are neither."""
    days = [as_day(text) for text in labels]
    read = [as_number(text) for text in labels] if set(days) == {None} else days
    strange = [text for text, number in zip(labels, read, strict=True) if number is None]
    if len(strange) == len(labels) or any(text not in (None, SUPPRESSED) for text in strange):
        return None
    return np.array([np.nan if number is None else number for number in read])


def _numeric(people: Floats, groups: Floats) -> Floats:
    both = np.concatenate((people, groups))
    whole = np.nanmax(both) - np.nanmin(both)
    squared = ((people[:, np.newaxis] - groups) / (whole or 1.0)) ** 2
    missing = np.isnan(people)[:, np.newaxis] != np.isnan(groups)
    apart: Floats = np.where(missing, 1.0, np.nan_to_num(squared))
    return apart


def _levels(people: tuple[Label, ...], groups: tuple[Label, ...], hierarchy: Hierarchy | None) -> Floats:
    """Count the levels at which labels differ; a group's label may itself be of any level."""
    height = 1 if hierarchy is None else max(hierarchy.height - 1, 1)  # at the top all are the same
    differ = np.zeros((len(people), len(groups)))
    for level in range(height):
        one, other = (_at(labels, level, hierarchy) for labels in (people, groups))
        differ += np.array(one, object)[:, np.newaxis] != np.array(other, object)
    apart: Floats = differ / height
    return apart


def _at(labels: tuple[Label, ...], level: int, hierarchy: Hierarchy | None) -> list[Label]:
    if hierarchy is None:
        return [*labels]
    return [hierarchy.generalise(text, level) if hierarchy.has(text) else text for text in labels]
