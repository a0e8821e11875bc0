"""The smallest ε of every generalisation of a table, against each of several adversaries: a `generalisation_table`.

Source: Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sidelight._text import counted
from sidelight.errors import expect
from sidelight.measures.epsilon_privacy.explanation import settings_in_words
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
from sidelight.measures.exact import Amount
from sidelight.search.generalisation_table import (
    GeneralisationRow,
    GeneralisationTable,
    generalisation_table,
    named_measures,
)
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table


@dataclass(frozen=True, slots=True)
class EpsilonRow(GeneralisationRow):
    """One generalisation, with an ε per adversary."""

    @property
    def epsilon(self) -> dict[str, Amount]:
        """Adversary → the smallest ε for which this generalisation is ε-private against it."""
        return self.measured


@dataclass(frozen=True, slots=True, repr=False)
class EpsilonTable(GeneralisationTable):
    """The smallest ε of all generalisations, against each adversary."""

    rows: tuple[EpsilonRow, ...]

    @property
    def adversaries(self) -> tuple[str, ...]:
        """Against whom."""
        return self.measures

    def __repr__(self) -> str:
        return f"<EpsilonTable: {self._size()} against {counted(len(self.adversaries), 'adversary')}>"

    def _title(self) -> str:
        return "Smallest ε of each generalisation"

    def __iter__(self) -> Iterator[EpsilonRow]:
        return iter(self.rows)

    def at(self, levels: Mapping[str, int]) -> EpsilonRow:
        """Find a generalisation; columns that are not named are published as they are."""
        return cast("EpsilonRow", GeneralisationTable.at(self, levels))


def smallest_epsilon_table(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    adversaries: Mapping[str, PriorBelief] | Iterable[PriorBelief] | PriorBelief,
    *,
    columns: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> EpsilonTable:
    """How private is every full-domain generalisation against each of these adversaries?

    The `generalisation_table` of prior beliefs: for each choice of one level per column (of all quasi-identifiers, or
    of `columns`) the smallest ε, exactly.  `adversaries` may have names of your own; `progress(done, total)` is called
    after each generalisation.

    >>> import math
    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"], sensitive="salary-class")
    >>> epsilons = smallest_epsilon_table(adult.table, adult.hierarchies, {
    ...     "any shape, 1,000": PriorBelief(stubbornness=1_000),
    ...     "the table's shape, unmoved": PriorBelief(shape="release", stubbornness=math.inf)})
    >>> len(epsilons), epsilons.rows[0].levels, epsilons.rows[0].values
    (12, {'age': 0, 'sex': 0}, (inf, inf))
    >>> row = epsilons.at({"age": 4, "sex": 1})
    >>> {adversary: f"{float(epsilon):.3f}" for adversary, epsilon in row.epsilon.items()}
    {'any shape, 1,000': '7.986', "the table's shape, unmoved": '1.541'}

    Source: Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009, section 4.
    """
    beliefs = named_measures(adversaries, lambda each: settings_in_words(expect(PriorBelief, each, "an adversary")))
    for name, each in beliefs.items():
        expect(PriorBelief, each, f"adversary '{name}'")

    def report(what: str, done: int, total: int | None) -> None:
        del what
        if progress is not None and total is not None:
            progress(done, total)

    answer = generalisation_table(table, hierarchies, beliefs, columns=columns, progress=report)
    rows = tuple(
        EpsilonRow(row.columns, row.measures, row.utilities, row.node, row.values, row.worths, row.groups)
        for row in answer
    )
    return EpsilonTable(answer.columns, answer.measures, (), rows, answer.large_is_bad, answer.complete, answer.notes)
