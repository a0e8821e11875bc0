"""How far apart are two values, and what does it cost to move belief from some to others?

All three distances are of one form: some sets of values S (each value; the first ones; those under a node), a step,
and `distance = step · Σ_S |Σ_{x ∈ S} (q − p)|`: what must cross the border of S, times the length of the border.
`moved` does this for many groups at once; `distance` is the paper's own formula, for one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadMeasure
from sidelight.table.columns import Integers
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label, in_order, shown

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class Ground(ABC):
    """Where the values of a domain lie."""

    domain: tuple[Label, ...]

    @property
    @abstractmethod
    def step(self) -> Fraction:
        """What crossing a border costs."""

    @abstractmethod
    def moved(self, differences: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Give what crosses each border, from q − p, one row per group; floats or exact whole numbers."""

    @abstractmethod
    def distance(self, differences: Mapping[Label, Fraction]) -> Fraction:
        """Give the earth mover's distance by its formula in the paper."""


@dataclass(frozen=True)
class Equal(Ground):
    """All values are equally far apart."""

    @property
    def step(self) -> Fraction:
        """What is moved leaves one value and reaches another: count it half at each."""
        return Fraction(1, 2)

    def moved(self, differences: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Around each value runs a border."""
        return differences

    def distance(self, differences: Mapping[Label, Fraction]) -> Fraction:
        """Σ of q − p where it is positive."""
        return sum((each for each in differences.values() if each > 0), Fraction(0))


@dataclass(frozen=True)
class Ordered(Ground):
    """Values lie in a row, one step apart; values that do not occur have their places too."""

    order: tuple[Label, ...]

    def __post_init__(self) -> None:
        outside = set(self.domain).difference(self.order)
        if outside:
            message = f"'{shown(in_order(outside)[0])}' is a value of the release but not in order=; add it there"
            raise BadMeasure(message)

    @property
    def step(self) -> Fraction:
        """The row is 1 long."""
        return Fraction(1, len(self.order) - 1) if len(self.order) > 1 else Fraction(0)

    def moved(self, differences: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Between each value and the next runs a border."""
        if self.order != self.domain:
            place = {value: code for code, value in enumerate(self.order)}
            spread = np.zeros((len(differences), len(self.order)), differences.dtype)
            spread[:, [place[value] for value in self.domain]] = differences
            differences = spread
        return np.cumsum(differences, axis=1)

    def distance(self, differences: Mapping[Label, Fraction]) -> Fraction:
        """Σ of absolute cumulative differences / (number of values − 1)."""
        heaps = accumulate(differences.get(value, Fraction(0)) for value in self.order)
        return sum((abs(heap) for heap in heaps), Fraction(0)) * self.step


@dataclass(frozen=True)
class Hierarchical(Ground):
    """Values lie on the leaves of a tree; two are as far apart as the level where they meet, the top being 1."""

    hierarchy: Hierarchy

    def __post_init__(self) -> None:
        self.hierarchy.cover(self.domain)

    @property
    def top(self) -> int:
        """The level at which all values meet; one above the hierarchy if its last level has several labels."""
        last = self.hierarchy.height - 1
        return last if len(self.hierarchy.labels(last)) == 1 else last + 1

    @property
    def step(self) -> Fraction:
        """Up through as many levels as down again."""
        return Fraction(1, 2 * self.top) if self.top else Fraction(0)

    @cached_property
    def order(self) -> list[int]:
        """Order the values so that those under a node stand together, at every level."""
        paths = [[str(self._node(value, level)) for level in range(self.top, -1, -1)] for value in self.domain]
        return sorted(range(len(paths)), key=paths.__getitem__)

    @cached_property
    def borders(self) -> list[Integers]:
        """Say where, in that order, the nodes of each level between the values and the top begin and end."""
        sizes = [[len(under) for under in self.nodes(level).values()] for level in range(1, self.top)]
        return [np.cumsum([0, *each]) for each in sizes]

    def nodes(self, level: int) -> dict[Label, list[Label]]:
        """List the values under each node of a level, in that order."""
        under: dict[Label, list[Label]] = {}
        for place in self.order:
            under.setdefault(self._node(self.domain[place], level), []).append(self.domain[place])
        return under

    def _node(self, value: Label, level: int) -> Label:
        return None if level == self.hierarchy.height else self.hierarchy.generalise(value, level)

    def moved(self, differences: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Around each node below the top runs a border."""
        heaps = np.zeros((len(differences), len(self.domain) + 1), differences.dtype)
        np.cumsum(differences[:, self.order], axis=1, out=heaps[:, 1:])
        higher = [np.diff(heaps[:, borders], axis=1) for borders in self.borders]
        return np.hstack([differences if self.top else differences[:, :0], *higher])

    def distance(self, differences: Mapping[Label, Fraction]) -> Fraction:
        """Σ over nodes N of height(N)/H · min(what its children have too much, what they have too little)."""
        cost = Fraction(0)
        for level in range(1, self.top + 1):
            for under in self.nodes(level).values():
                children = [values for values in self.nodes(level - 1).values() if values[0] in under]
                extra = [sum((differences[value] for value in values), Fraction(0)) for values in children]
                too_much = sum((each for each in extra if each > 0), Fraction(0))
                too_little = sum((-each for each in extra if each < 0), Fraction(0))
                cost += Fraction(level, self.top) * min(too_much, too_little)
        return cost
