"""What is a column, once it is known how its labels are printed?  The last step of the rule in `table.kinds`.

Whole numbers that are printed under names, such as regions 1 and 2 under `North`, are codes, and a category; where what
is printed of them are intervals around them, as of ages, they are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from sidelight.release.printed_labels import read_label
from sidelight.release.printing import Nodes
from sidelight.table.kinds import ColumnKind, kind_of_labels
from sidelight.table.labels import Label, as_number
from sidelight.table.table import Column


def kind_of(column: Column, nodes: Nodes | None = None) -> ColumnKind:
    """Say what a column is: as declared, else by its type and labels, and by what numbers are printed as.

    >>> from sidelight.table.hierarchy import Hierarchy
    >>> regions, names = Column.of("region", ["10", "20", "30"]), {"North": [10], "South": [20, 30]}
    >>> kind_of(regions), kind_of(regions, Nodes.of(Hierarchy.nested("region", names)))
    ('number', 'category')
    >>> kind_of(Column.of("age", ["30", "41"]), Nodes.of(Hierarchy.intervals("age", [30, 41], widths=[10])))
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
    """Whether the finest nodes that are something else than the numbers, and not one for all, are intervals."""
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
