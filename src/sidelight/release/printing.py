"""How did the labels of a release come about, where somebody says so?

A release prints `South` for people of whom others know `Freiburg`.  `Nodes` say what stands under such a label in one
column: those of a hierarchy, or of what a published file tells about itself.  A `Printing` has them for all columns of
a release that knows how it was made: a search's result, a generalised table, a file that Sidelight published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes above each label of a column, from fine to coarse; a missing label may have some, too.

    >>> city = Nodes.of(Hierarchy.nested("city", {"South": ["Freiburg", "Ulm"], "North": ["Kiel"]}))
    >>> city.above["Ulm"], city.under["South"], "South" in city, "Mars" in city
    (('South', '*'), ('Freiburg', 'Ulm'), True, False)
    """

    above: Mapping[Label, tuple[Label, ...]]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Nodes:
        """Take a hierarchy's; a missing label stands where the hierarchy puts it."""
        values, *coarser = hierarchy.levels
        above: dict[Label, tuple[Label, ...]] = dict.fromkeys(values, ())
        if coarser:
            above.update(zip(values, zip(*coarser, strict=True), strict=True))
        above[None] = tuple(hierarchy.generalise(None, level) for level in range(1, hierarchy.height))
        return cls(above)

    @classmethod
    def covering(cls, covered: Mapping[str, Iterable[Label]]) -> Nodes:
        """Take what is told about each node.

        >>> Nodes.covering({"Europe": ["Lyon", "Rome"], "France": ["Lyon"]}).above["Lyon"]
        ('France', 'Europe')
        """
        above: dict[Label, tuple[Label, ...]] = {}
        for node, labels in sorted(
            ((node, [*labels]) for node, labels in covered.items()), key=lambda each: len(each[1])
        ):
            for text in labels:
                above[text] = (*above.get(text, ()), node)
        return cls(above)

    @cached_property
    def under(self) -> Mapping[Label, tuple[Label, ...]]:
        """The labels under each node."""
        under: dict[Label, list[Label]] = {}
        for text, nodes in self.above.items():
            for node in dict.fromkeys(nodes):
                under.setdefault(node, []).append(text)
        return {node: tuple(labels) for node, labels in under.items()}

    def __contains__(self, label: object) -> bool:
        """Say whether it is one of the labels, or a node above some."""
        return label in self.above or label in self.under


@dataclass(frozen=True, eq=False, slots=True)
class Printing:
    """How a release prints what it knows: the `nodes` of its columns; whether groups print `averages` of their people.

    Whoever looks people up goes by it, unless they know better.
    """

    nodes: Mapping[str, Nodes] = field(default_factory=dict)  # by column
    averages: bool = False

    @classmethod
    def along(cls, hierarchies: Mapping[str, Hierarchy], *, averages: bool = False) -> Printing:
        """Print the nodes of hierarchies, or averages with distances along them."""
        return cls({name: Nodes.of(hierarchy) for name, hierarchy in hierarchies.items()}, averages)
