"""A release as a reader of the file will see it: groups that print the same are one group, in the order of labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sidelight.release.generalise import rolled_up
from sidelight.release.groups import Groups
from sidelight.release.release import Release, whole_groups
from sidelight.table.columns import Column, Integers
from sidelight.table.labels import Label, in_order


def as_printed(release: Release) -> Release:
    """Forget what no file can say: the order of groups, groups that print the same, labels that nobody has.

    >>> twice = Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"age": "*"}, {"age": "*"}])
    >>> as_printed(twice)
    <Release of 3 people in 1 group, value: 1 value (single)>
    """
    groups = release.groups
    said = rolled_up(groups, tuple(_tidy(column) for column in groups.columns))
    made = whole_groups(
        domain=said.domain,
        sizes=said.sizes,
        counts=said.counts,
        columns=tuple(_tidy(column) for column in said.columns),
        semantics=said.semantics,
    )
    return replace(release, groups=made, people=None, members=None)


def same(one: Release, other: Release) -> bool:
    """Whether two releases, each as printed, have the same groups and counts."""
    return (
        one.domain == other.domain
        and one.semantics == other.semantics
        and np.array_equal(one.groups.sizes, other.groups.sizes)
        and _columns(one) == _columns(other)
        and all(
            np.array_equal(mine, theirs)
            for mine, theirs in zip(_entries(one.groups), _entries(other.groups), strict=True)
        )
    )


def _columns(release: Release) -> list[tuple[str, tuple[Label, ...], bytes]]:
    return [(column.name, column.labels, column.codes.tobytes()) for column in release.groups.columns]


def _entries(groups: Groups) -> tuple[Integers, Integers]:
    row, value, count = groups.counts.entries()
    place = row * groups.counts.width + value
    order = np.argsort(place)
    return place[order], count[order]


def _tidy(column: Column) -> Column:
    """Keep only labels that occur, in their natural order."""
    used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.labels)))
    labels = in_order(column.labels[code] for code in used)
    place = {text: number for number, text in enumerate(labels)}
    recode = np.full(len(column.labels), -1, np.int32)
    recode[used] = [place[column.labels[code]] for code in used]
    return column.relabelled(labels, recode)
