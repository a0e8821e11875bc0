"""The smallest ε of every generalisation of a table, against each of several adversaries.

Each generalisation (a node of the lattice, one level per column) is grouped once, by rolling up a finer one.  Many
small ones are then put side by side and measured as parts of one set of cases, with `worst_case.worst_of_parts`: what
depends on the counts alone is computed once for all adversaries that ask about the same values and know as many people.

Cost: nearly that of the groupings (benchmarks/prior_belief.py).
Source: Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sidelight._rounding import in_words, round_up
from sidelight._text import counted, html_table
from sidelight.errors import BadMeasure, expect
from sidelight.measures.epsilon_privacy.explanation import settings_in_words
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
from sidelight.measures.epsilon_privacy.worst_case import Cases, worst_of_parts
from sidelight.measures.exact import Amount
from sidelight.release.groups import Groups
from sidelight.release.lattice import Lattice, Node
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Counts, Table, Tabular

COUNTS_IN_A_BATCH = 1 << 15
"""Small generalisations are measured together, up to about this many counts: few enough for a processor's cache."""

NOTHING = PriorBelief.if_nothing_to_measure
"""ε where none of the predicates occurs."""


@dataclass(frozen=True, slots=True)
class EpsilonRow:
    """One generalisation: `node` has a level per column, `values` an ε per adversary."""

    columns: tuple[str, ...]
    adversaries: tuple[str, ...]
    node: Node
    values: tuple[Amount, ...]

    @property
    def levels(self) -> dict[str, int]:
        """Column → level, as `generalise` takes it."""
        return dict(zip(self.columns, self.node, strict=True))

    @property
    def epsilon(self) -> dict[str, Amount]:
        """Adversary → the smallest ε for which this generalisation is ε-private against it."""
        return dict(zip(self.adversaries, self.values, strict=True))


@dataclass(frozen=True, slots=True)
class EpsilonTable(Tabular):
    """The rows of all generalisations, finer ones before coarser ones."""

    columns: tuple[str, ...]
    adversaries: tuple[str, ...]
    rows: tuple[EpsilonRow, ...]

    def __repr__(self) -> str:
        size = f"{counted(len(self.rows), 'generalisation')} of {', '.join(self.columns)}"
        return f"<EpsilonTable: {size} against {counted(len(self.adversaries), 'adversary')}>"

    def _repr_html_(self) -> str:
        rows = ((*row.node, *map(in_words, row.values)) for row in self.rows)
        return html_table(
            "Smallest ε of each generalisation", [*self.columns, *self.adversaries], rows, total=len(self.rows)
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[EpsilonRow]:
        return iter(self.rows)

    def at(self, levels: Mapping[str, int]) -> EpsilonRow:
        """Find a generalisation; columns that are not named are published as they are."""
        node = tuple(levels.get(name, 0) for name in self.columns)
        for row in self.rows:
            if row.node == node and set(levels) <= set(self.columns):
                return row
        message = f"no generalisation {dict(levels)} in the table; it has levels of {', '.join(self.columns)}"
        raise BadMeasure(message)

    def to_arrow(self) -> pa.Table:
        """Give a row per generalisation: each column's level, and each adversary's ε rounded up."""
        columns = [f"level of {name}" for name in self.columns]
        levels = [pa.array([row.node[place] for row in self.rows], pa.int64()) for place in range(len(self.columns))]
        epsilons = [
            pa.array([round_up(row.values[place]) for row in self.rows], pa.float64())
            for place in range(len(self.adversaries))
        ]
        return pa.Table.from_arrays([*levels, *epsilons], names=[*columns, *self.adversaries])


def smallest_epsilon_table(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    adversaries: Mapping[str, PriorBelief] | Iterable[PriorBelief] | PriorBelief,
    *,
    columns: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> EpsilonTable:
    """How private is every full-domain generalisation against each of these adversaries?

    For each choice of one level per column (of all quasi-identifiers, or of `columns`) the smallest ε, exactly.
    Each generalisation is grouped once, by rolling up a finer one.  `adversaries` may have names of your own;
    `progress(done, total)` is called after each generalisation.

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
    named = _named(adversaries)
    lattice = Lattice(expect(Table, table, "what is generalised"), hierarchies, columns=columns)
    finest = lattice.release_at(lattice.bottom)
    for adversary in named.values():
        adversary.check(finest)
    nodes = tuple(lattice.nodes())
    epsilons: list[dict[Node, Amount]] = [{} for _ in named]
    for batch in _batches(lattice, nodes, progress):
        for values, worst in zip(epsilons, _worst_of(batch, named.values()), strict=True):
            for node, value in worst:
                values[node] = max(values.get(node, value), value)  # a large node comes in several blocks
    rows = (
        EpsilonRow(lattice.columns, tuple(named), node, tuple(values.get(node, NOTHING) for values in epsilons))
        for node in nodes
    )
    return EpsilonTable(lattice.columns, tuple(named), tuple(rows))


def _named(adversaries: Mapping[str, PriorBelief] | Iterable[PriorBelief] | PriorBelief) -> dict[str, PriorBelief]:
    if isinstance(adversaries, Mapping):
        return {name: expect(PriorBelief, each, f"adversary '{name}'") for name, each in adversaries.items()}
    listed = list(adversaries) if isinstance(adversaries, Iterable) else [adversaries]
    for each in listed:
        expect(PriorBelief, each, "an adversary")
    named = {settings_in_words(each): each for each in listed}
    if len(named) < len(listed):
        message = "two of the adversaries are the same; leave one out, or name them in a mapping"
        raise BadMeasure(message)
    return named


def _batches(
    lattice: Lattice, nodes: tuple[Node, ...], progress: Callable[[int, int], None] | None
) -> Iterator[list[tuple[Node, Groups]]]:
    """Group node after node, and hand over many small ones, or a part of a large one, at a time."""
    batch: list[tuple[Node, Groups]] = []
    counts = 0
    for done, node in enumerate(nodes, start=1):
        for block in lattice.groups_at(node).blocks():
            batch.append((node, block))
            counts += len(block) * len(block.domain)
            if counts >= COUNTS_IN_A_BATCH:
                yield batch
                batch, counts = [], 0
        if progress is not None:
            progress(done, len(nodes))
    if batch:
        yield batch


def _worst_of(
    batch: list[tuple[Node, Groups]], adversaries: Iterable[PriorBelief]
) -> Iterator[list[tuple[Node, Amount]]]:
    """Give, for each adversary, the ε of each part of a batch: all parts are groups of the same people."""
    nodes, parts = zip(*batch, strict=True)
    cells = np.concatenate([groups.counts.dense() for groups in parts])
    sizes = np.concatenate([groups.sizes for groups in parts])
    side_by_side = replace(
        parts[0], sizes=sizes, counts=Counts(cells.shape, cells=cells), columns=(), numbers=np.arange(1, len(sizes) + 1)
    )
    part = np.repeat(np.arange(len(parts)), [len(groups) for groups in parts])
    cases: dict[tuple[object, ...], Cases] = {}
    for adversary in adversaries:
        # most ask about the same
        question = adversary.asked(side_by_side), adversary.apart_from, adversary.known_people
        if question not in cases:
            cases[question] = adversary.cases(side_by_side, part=part)
        worst = worst_of_parts(cases[question], adversary.priors(side_by_side), adversary.decided_by)
        yield [(nodes[place], each.value) for place, each in worst.items()]
