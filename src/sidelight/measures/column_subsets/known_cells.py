"""What can be known about the people of a release: the cells that tell them apart, and how many share them.

Where a release says who its members are (buckets, whose people are printed one by one), those are their cells; else all
that is known about people is what is printed about their group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sidelight.arrays import Integers
from sidelight.errors import UnknownColumn, did_you_mean
from sidelight.measures.measure import Measure
from sidelight.release.release import Members, Release
from sidelight.table.labels import Column, shown_in_list


@dataclass(frozen=True, slots=True)
class KnownCells:
    """Rows of people: what each says in every column, how many people it has, and which group they are in."""

    columns: tuple[Column, ...]
    people: Integers
    group: Integers  # its row in the release

    @classmethod
    def of(cls, release: Release) -> KnownCells:
        """Build from the people of a release, or from what is printed about them."""
        # a release that does not say who is in a group has its printed labels for all of them
        members = release.members or Members.as_printed(release.groups)
        columns = tuple(column.take(members.key) for column in members.columns)
        return cls(columns, members.people, members.group)

    @property
    def everybody(self) -> int:
        """How many people there are."""
        return int(self.people.sum())

    def named(self, names: Sequence[str]) -> tuple[Column, ...]:
        """Find columns by their names."""
        return tuple(column_named(self.columns, name) for name in names)


def column_named(columns: Sequence[Column], name: str) -> Column:
    """Find a column that is printed."""
    for column in columns:
        if column.name == name:
            return column
    message = f"no column '{name}' is printed about people{did_you_mean(name, [each.name for each in columns])}"
    raise UnknownColumn(message)


def cells_in_words(cells: Sequence[tuple[str, str | None]]) -> str:
    """Return what some columns say.

    >>> cells_in_words([("age", "89"), ("sex", None)])
    'age 89 and sex (missing)'
    """
    texts = [f"{column} {shown_in_list(text)}" for column, text in cells]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else "nothing"


def names_in_words(names: Sequence[str]) -> str:
    """List the names of columns."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names) or "nothing"


class OfWholeReleases(Measure):
    """A question about some columns at a time: it needs all rows of a release, and says nothing of parts."""

    mergeable = False
