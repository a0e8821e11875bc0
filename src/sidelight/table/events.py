"""Rows about people who may have several, in several groups: visits, purchases, events.

A `Table` puts everybody into one group, and measures rely on it.  Events do not, so that only counts with noise are
made of them, each person with so many rows at most.  Nothing that is in the rows makes reading fail, unless that was
asked for: there may be none, cells may be missing (`missing="a value"`), rows without a person are left out.

Kept are, once for each distinct entry, who (by a number), the key, the value and how often: one GROUP BY where the rows
are.  Where each row is a person, those who are alike are one entry.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sidelight.arrays import Integers, add_up
from sidelight.errors import UnknownColumn, did_you_mean
from sidelight.table.labels import Label, Semantics
from sidelight.table.table import Column, Intake
from sidelight.text import counted


@dataclass(frozen=True, eq=False, slots=True)
class Events:
    """Rows about people, any number each: only to be counted with noise (`noisy_counts`).

    Entry i says `times[i]` times of person `person[i]` what `quasi[j].cell(i)` and `domain[value[i]]` are.  Nobody is
    named; `people_alike[p]` is how many people have the same entries as p, where rows are people.
    """

    quasi: tuple[Column, ...]
    sensitive: str
    domain: tuple[Label, ...]  # what the rows say; nothing that was declared
    person: Integers
    value: Integers
    times: Integers
    people_alike: Integers
    semantics: Semantics = "single"
    intake: Intake = field(default_factory=Intake)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.quasi)
        return f"<Events: {counted(self.intake.rows, 'row')} about people: {names} → {self.sensitive}>"

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    def column(self, name: str) -> Column:
        """Find a column of the key by name."""
        for column in self.quasi:
            if column.name == name:
                return column
        message = (
            f"no column '{name}' among those that were read{did_you_mean(name, [each.name for each in self.quasi])}"
        )
        raise UnknownColumn(message)

    def rows_of_each(self) -> Integers:
        """Count the rows of each person, in no order that means anything."""
        # (distinct persons,) → (people,): a row of `people_alike` stands for that many people
        return np.repeat(add_up(self.person, self.times, len(self.people_alike)), self.people_alike)

    def allow_several_rows(self) -> int:
        """Count the people who have more than one row."""
        return int((self.rows_of_each() > 1).sum())
