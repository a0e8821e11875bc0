"""The 72 generalisations that two of the papers go through: age, marital status, race, sex.

A generalisation is a node ν = (ν_1, …, ν_4) of levels: age as it is, in 5, 10, 20 or 40 years, or suppressed; marital
status as it is, by three classes, or suppressed; race and sex as they are, or suppressed.  ν ≤ μ: μ is coarser.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

Node: TypeAlias = tuple[int, ...]

TOP: Node = (5, 2, 1, 1)
PUBLISHED = (
    ("age", "age in 5 years", "age in 10 years", "age in 20 years", "age in 40 years"),
    ("marital status", "marital status in 3"),
    ("race",),
    ("sex",),
)


def in_words(node: Node) -> str:
    """Name what is published.

    >>> in_words((3, 2, 1, 0)), in_words((5, 2, 1, 1))
    ('age in 20 years, sex', 'all suppressed')
    """
    return (
        ", ".join(names[level] for names, level in zip(PUBLISHED, node, strict=True) if level < len(names))
        or "all suppressed"
    )


def levels(node: Node) -> str:
    """Name a node by its levels.

    >>> levels((3, 2, 1, 0))
    '(3,2,1,0)'
    """
    return f"({','.join(map(str, node))})"


def is_coarser(node: Node, other: Node) -> bool:
    """Whether a node is at least as coarse as another in every column."""
    return all(level >= of_other for level, of_other in zip(node, other, strict=True))


def minimal(nodes: Collection[Node]) -> list[Node]:
    """Keep the nodes than which no other is finer.

    >>> minimal([(1, 0), (1, 1), (0, 2)])
    [(0, 2), (1, 0)]
    """
    return sorted(node for node in nodes if not any(other != node and is_coarser(node, other) for other in nodes))


def steps(nodes: Collection[Node]) -> Iterator[tuple[Node, Node]]:
    """Go through all pairs of nodes of which the second is one level coarser in one column."""
    for node in nodes:
        for column in range(len(node)):
            coarser = tuple(level + (at == column) for at, level in enumerate(node))
            if coarser in nodes:
                yield node, coarser
