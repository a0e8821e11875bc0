"""How did the labels of a release come about, where somebody says so?

A release prints `South` for people of whom others know `Freiburg`.  `Nodes` say what stands under such a label in one
column: those of a hierarchy, or of what a published file tells about itself.  A `Printing` has them for all columns of
a release that knows how it was made: a search's result, a generalised table, a file that Sidelight published.

What is printed also decides the last step of the rule in `table.labels` (`kind_of`): whole numbers that are printed
under names, such as regions 1 and 2 under `North`, are codes, and a category; where what is printed of them are
intervals around them, as of ages, they are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sidelight.release.printed_labels import read_label
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import ColumnKind, Label, as_number, kind_of_labels
from sidelight.table.table import Column


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes above each label of a column, from fine to coarse; a missing label may have some, too.

    >>> city = Nodes.from_hierarchy(Hierarchy.nested("city", {"South": ["Freiburg", "Ulm"], "North": ["Kiel"]}))
    >>> city.above["Ulm"], city.labels_by_node["South"], "South" in city, "Mars" in city
    (('South', '*'), ('Freiburg', 'Ulm'), True, False)
    """

    above: Mapping[Label, tuple[Label, ...]]

    @classmethod
    def from_hierarchy(cls, hierarchy: Hierarchy) -> Nodes:
        """Take a hierarchy's; a missing label stands where the hierarchy puts it."""
        values, *coarser = hierarchy.levels
        # with one level only, labels are known and have nothing above them
        above: dict[Label, tuple[Label, ...]] = dict.fromkeys(values, ())
        if coarser:
            above.update(zip(values, zip(*coarser, strict=True), strict=True))
        above[None] = tuple(hierarchy.generalise(None, level) for level in range(1, hierarchy.height))
        return cls(above)

    @classmethod
    def covering(cls, covered: Mapping[str, Iterable[Label]]) -> Nodes:
        """Build from the labels that each node covers.

        >>> Nodes.covering({"Europe": ["Lyon", "Rome"], "France": ["Lyon"]}).above["Lyon"]
        ('France', 'Europe')
        """
        above: dict[Label, tuple[Label, ...]] = {}
        # smaller nodes first, so that the nodes above each label come out from fine to coarse
        for node, labels in sorted(
            ((node, [*labels]) for node, labels in covered.items()), key=lambda each: len(each[1])
        ):
            for text in labels:
                above[text] = (*above.get(text, ()), node)
        return cls(above)

    @cached_property
    def labels_by_node(self) -> Mapping[Label, tuple[Label, ...]]:
        """The labels under each node."""
        under: dict[Label, list[Label]] = {}
        for text, nodes in self.above.items():
            for node in dict.fromkeys(nodes):
                under.setdefault(node, []).append(text)
        return {node: tuple(labels) for node, labels in under.items()}

    def __contains__(self, label: object) -> bool:
        """Return whether it is one of the labels, or a node above some."""
        return label in self.above or label in self.labels_by_node


@dataclass(frozen=True, eq=False, slots=True)
class Printing:
    """The way a release prints: the `nodes` of its columns; whether groups print `averages` of their people.

    Whoever looks people up goes by it, unless they know better.
    """

    nodes: Mapping[str, Nodes] = field(default_factory=dict)  # by column
    averages: bool = False

    @classmethod
    def from_hierarchies(cls, hierarchies: Mapping[str, Hierarchy], *, averages: bool = False) -> Printing:
        """Print the nodes of hierarchies, or averages with distances along them."""
        return cls({name: Nodes.from_hierarchy(hierarchy) for name, hierarchy in hierarchies.items()}, averages)

    def override(self, other: Printing) -> Printing:
        """Let another have the last word on the columns of which it says something."""
        return Printing({**self.nodes, **other.nodes}, self.averages)


def kind_of(column: Column, nodes: Nodes | None = None) -> ColumnKind:
    """Return what a column is: as declared, else by its type and labels, and by what numbers are printed as.

    >>> from sidelight.table.hierarchy import Hierarchy
    >>> regions, names = Column.of("region", ["10", "20", "30"]), {"North": [10], "South": [20, 30]}
    >>> kind_of(regions), kind_of(regions, Nodes.from_hierarchy(Hierarchy.nested("region", names)))
    ('number', 'category')
    >>> kind_of(Column.of("age", ["30", "41"]), Nodes.from_hierarchy(Hierarchy.intervals("age", [30, 41], widths=[10])))
    'number'
    """
    if column.kind is not None:
        return column.kind
    kind = kind_of_labels(column.labels)
    if kind != "number" or nodes is None:
        return kind
    numbers = {text: number for text in column.labels if (number := as_number(text)) is not None}
    whole = all(number.is_integer() for number in numbers.values())
    return "category" if whole and not _are_intervals(nodes, numbers) else "number"


def _are_intervals(nodes: Nodes, numbers: Mapping[Label, float]) -> bool:
    """Return whether the finest nodes that are something else than the numbers, and not one for all, are intervals."""
    height = max(map(len, nodes.above.values()), default=0)
    for level in range(height):
        at_level = {text: above[level] for text, above in nodes.above.items() if len(above) > level}
        changed = {text: node for text, node in at_level.items() if text in numbers and node != text}
        if changed and len({*at_level.values()}) > 1:
            return all(
                any(interval.holds(numbers[text]) for interval in read_label(node).numbers)
                for text, node in changed.items()
            )
    return False
