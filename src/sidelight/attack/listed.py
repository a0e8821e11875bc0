"""Lists that say who is in which group: anatomy's table of people, or names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.attack.located import Located
from sidelight.attack.targets import People
from sidelight.errors import BadTable
from sidelight.release.members import Members
from sidelight.release.release import Release
from sidelight.table.columns import Column, Integers, rows_alike
from sidelight.table.counts import added
from sidelight.table.different import different_rows
from sidelight.table.labels import Label, in_order


@dataclass(frozen=True)
class Listed:
    """A published list of people that says which group each is in, such as anatomy's.

    `source` is a file or dataframe with the columns that an attacker knows and a column `bucket`, which is also the
    column that the release's groups are called by.  Several people who look alike may be in different groups: the
    more of them are in a group, the likelier it is.

    >>> import pyarrow as pa
    >>> Listed(pa.table({"age": ["30", "40"], "bucket": ["1", "2"]})).bucket
    'bucket'
    """

    source: object
    bucket: str = "bucket"

    def columns(self) -> tuple[str, ...]:
        """Name the columns that the list has about people, where it is read already."""
        listed = self.source.groups.columns if isinstance(self.source, Release) else ()
        return tuple(column.name for column in listed)


@dataclass(frozen=True, eq=False, slots=True)
class Entries:
    """Rows of a list: what it says about people, the group they are in, how many they are."""

    columns: tuple[Column, ...]
    group: Integers
    people: Integers

    def located(self, people: People) -> Located:
        """Find people who are listed exactly as they are known."""
        pairs = [(mine, people.column(mine.name)) for mine in self.columns]
        both = tuple(_one_below_the_other(mine, its) for mine, its in pairs if its is not None)
        number, _ = rows_alike(both, len(self.group) + len(people))
        count = int(number.max()) + 1
        place = number[len(self.group) :]
        groups = int(self.group.max()) + 1
        keys, kind = np.unique(number[: len(self.group)] * groups + self.group, return_inverse=True)
        return Located.of(place, count, keys // groups, keys % groups, added(kind, self.people, len(keys)))


def _one_below_the_other(upper: Column, lower: Column) -> Column:
    labels = in_order((*upper.labels, *lower.labels))
    code = {text: number for number, text in enumerate(labels)}
    parts = [np.array([code[text] for text in each.labels], np.int32)[each.codes] for each in (upper, lower)]
    return Column(upper.name, labels, np.concatenate(parts))


def entries_of_members(members: Members) -> Entries:
    """Take what a release says about the people of each group."""
    return Entries(tuple(column.take(members.line) for column in members.columns), members.group, members.people)


def entries_of_names(release: Release, person: str) -> Entries:
    """Take the names that a release has for its people."""
    assert release.people is not None
    names = Column.of(person, release.people)
    return Entries((names,), np.fromiter(release.people.values(), np.int64), np.ones(len(names), np.int64))


def _rows_of(listed: Listed, known: list[str]) -> tuple[tuple[Column, ...], Integers]:
    """Read the different rows of a list; one that is read already is a release whose values are the groups."""
    if not isinstance(listed.source, Release):
        return different_rows(listed.source, [*known, listed.bucket])
    row, value, people = listed.source.groups.counts.entries()
    columns = tuple(column.take(row) for column in listed.source.groups.columns if column.name in known)
    return (*columns, Column(listed.bucket, listed.source.domain, value.astype(np.int32))), people


def entries_of_list(release: Release, listed: Listed, known: list[str]) -> Entries:
    """Read a list, and find the groups that it names."""
    (*columns, bucket), people = _rows_of(listed, known)
    called = next((column for column in release.groups.columns if column.name == listed.bucket), None)
    if called is None:
        message = f"the release has no column '{listed.bucket}' that says which group is which; name it in Listed(…)"
        raise BadTable(message)
    row: dict[Label, int] = {called.cell(at): at for at in range(len(called))}
    absent = sum(text not in row for text in bucket.labels)
    if absent:
        message = (
            f"{absent:,} groups of the list in '{listed.bucket}' are not in the release; give the list of this one"
        )
        raise BadTable(message)
    return Entries(tuple(columns), np.array([row[text] for text in bucket.labels])[bucket.codes], people)
