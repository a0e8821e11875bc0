"""What the measures share that compare a release with a population: F of each group, and what may be wrong with it.

The population is given with the measure, or added to it (`compare_with`, as `--population FILE` does).  F comes with
the groups (`Groups.populations`), whoever made them: of a release that stands each person of the population is looked
up, and a search carries F through every grouping it makes.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from sidelight.arrays import Integers
from sidelight.errors import BadMeasure, parameter
from sidelight.measures.attacker import Settings
from sidelight.measures.fields import refuse_unknown
from sidelight.measures.measure import Measure
from sidelight.measures.named_risks.size_risk import SizeRisk, SizeSummary
from sidelight.release.generalise import keys_as_groups
from sidelight.release.groups import Groups, PopulationCounts
from sidelight.release.population import Population, refuse_fewer
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.table.table import Table
from sidelight.text import counted, form

Outside: TypeAlias = Literal["an error", "as in the release"]
"""What it means that a group has more people in the release than in the population: a mistake, or that the population
is not complete, and has at least those of the release."""


def register_in_words(settings: Settings) -> str:
    """Return what an attacker knows who has a register of the population."""
    register = settings.get("population")
    return f"who is in the population{f' ({register})' if isinstance(register, str) else ''}, with the same columns"


class AgainstPopulation(SizeRisk):
    """A risk of sizes that compares a release with a population.

    A dataclass with the settings `population` and `outside`.
    """

    population: object
    outside: Outside
    needs_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.population is not None:
            object.__setattr__(self, "population", Population.from_source(self.population))
        refuse_unknown(self.name, "outside", self.outside, get_args(Outside))
        super().__post_init__()

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """None: it asks about a population too."""
        del domain
        return ()

    @property
    def register(self) -> Population | None:
        """The population."""
        return self.population if isinstance(self.population, Population) else None

    def compare_with(self, population: Population) -> Self:
        """Return the measure that compares with this population."""
        return replace(self, population=population)  # type: ignore[type-var]

    def settings(self) -> dict[str, object]:
        """Return the parameters as a policy says them: a population is a file, or has to be given again."""
        place = None if self.register is None else self.register.place
        values = ((each, getattr(self, each.name)) for each in fields(self))  # type: ignore[arg-type]
        settings = {each.name: value for each, value in values if value != each.default and each.name != "population"}
        return ({} if place is None else {"population": place}) | settings

    def check(self, release: Release) -> None:
        """Raise `BadMeasure` if there is no population to compare with."""
        super().check(release)
        self._need_register()

    def _need_register(self) -> None:
        if self.register is None and self.needs_population:
            message = f"'{self.name}' compares the release with a population; say which with {parameter('population')}"
            raise BadMeasure(message)

    def bind_table(self, table: Table) -> Self:
        """Return the measure with the table's columns in its population; raise if that lacks people of a key."""
        self._need_register()
        if self.register is None:
            return self
        population = self.register.name_columns([column.name for column in table.quasi])
        # checked key by key: after recoding, a group may hide that the population lacks a person of the table
        if self.outside == "an error":
            keys = keys_as_groups(table)
            refuse_fewer(keys, population.count_equal(keys, *population.rows(population.columns)))
        return self.compare_with(population)

    def counts_of(self, groups: Groups) -> PopulationCounts | None:
        """Return F of each group and who is in none, as they come with the groups; without a population nothing."""
        if self.register is None:
            return None
        counts = groups.population(self.register)
        if counts is None:
            message = f"'{self.name}' looks at whole releases, in which a population can be counted; measure one"
            raise BadMeasure(message)
        return counts

    def population_of(self, groups: Groups) -> Integers:
        """Return F of each group; without a population, f."""
        counts = self.counts_of(groups)
        if counts is None:
            return groups.sizes
        if self.outside == "an error":
            refuse_fewer(groups, counts)
        # with the people of the release counted in, no group has fewer in the population
        return np.maximum(counts.people, groups.sizes)

    def beyond(self, groups: Groups) -> int:
        """Σ max(f − F, 0)."""
        counts = self.counts_of(groups)
        return 0 if counts is None else int(np.maximum(groups.sizes - counts.people, 0).sum())

    def nowhere(self, groups: Groups) -> int:
        """As counted with the groups."""
        counts = self.counts_of(groups)
        return 0 if counts is None else counts.nowhere

    def notes(self, summary: SizeSummary) -> tuple[str, ...]:
        """Return how many people were taken to be in the population, as they are in the release."""
        if not summary.beyond:
            return ()
        people = counted(summary.beyond, "person")
        return (f"{people} of the release {form('is', summary.beyond)} not in the population, and counted in it",)
