"""How unlike the whole release is the most unlike group?

Symbols     q the group's shares of the values, p the whole release's; d(x, y) ≤ 1 the ground distance of two values.
Value       the earth mover's distance: the least Σ d(x, y)·(what is moved from x to y) that turns q into p.
Form        All three ground distances here are those of a tree (a star, a line, a hierarchy), for which no program is
            needed: what must cross a border S (a set of values cut off by one edge) is |Σ_{x ∈ S} (q − p)|, and

                distance = cost of crossing a border · Σ over borders S of |Σ_{x ∈ S} (q(x) − p(x))|

            with S each value (equal), the first values (ordered), the values under each node (hierarchical).
            On one level as much comes in as goes out, so that values that a group lacks need not be looked at.
Cost        O(values of the group) for each group and level; in an order O(values), by one cumulative sum.

`earth_movers_distance` is the paper's own formula for one group, which replays.

Source: Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Integers
from sidelight.errors import BadMeasure, WrongKind, kind_in_words
from sidelight.measures.attacker import ROW, Attacker
from sidelight.measures.exact import Amount, Arithmetic, Numbers
from sidelight.measures.fields import choice, read
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.group_by_group import (
    FormulaMeasure,
    ShareRuns,
    ShareWitness,
    exact_shares,
    occurring_shares,
    reduce_share_runs,
    share_runs,
    share_witness,
    shares,
)
from sidelight.measures.measure import Measure, Monotonicity
from sidelight.measures.targets import Targeted, drop_values
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.rounding import in_words
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import read_hierarchy
from sidelight.table.labels import Label, in_order, label, listed, shown, written_label

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]


def _read_order(order: Sequence[object]) -> tuple[Label, ...]:
    return tuple(dict.fromkeys(map(label, order)))


@dataclass(frozen=True)
class Closeness(Targeted, FormulaMeasure):
    """How far is a group's distribution of values from the whole release's?

    max_g of the earth mover's distance between q (the group's shares) and p (the release's): how much must be
    moved how far to turn one into the other, 1 being the greatest distance between two values.  At most t is
    t-closeness.  `distance` says how far apart two values are:

    - "equal": all equally far; ½ Σ|q − p|.
    - "ordered": by the places between them in `order`; Σ of |cumulative q − p| divided by the number of values − 1.
      Without `order` it is the domain's: as declared, or else sorted; a note names the order that was used.
    - "hierarchical": by the level at which `hierarchy` gives both the same label, divided by its topmost level.

    Groups in which nobody has a value are passed over.  With `apart_from`, q and p are the shares of the other values
    among the people who have one of them; those left out have no place in the order or the hierarchy.

    >>> release = Release.from_counts([{"3K": 1, "4K": 1}, {"5K": 1, "9K": 1}], domain=["3K", "4K", "5K", "9K"])
    >>> Closeness().measure(release).value, Closeness(distance="ordered").measure(release).value
    (Fraction(1, 2), Fraction(1, 3))
    >>> print(Closeness().measure(release).explain())
    The values in group 1 are distributed unlike the whole release's: distance 1/2 of at most 1; most of all, \
'3K' is 1/2 of the values there and 1/4 of all.

    Source: Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007, section 5.
    """

    distance: Distance = field(
        default="equal",
        metadata=choice(Distance, "no distance '{given}' for '{measure}'; choose equal, ordered or hierarchical"),
    )
    order: Sequence[object] | None = field(default=None, metadata=read(_read_order))
    hierarchy: Hierarchy | None = None

    name: ClassVar[str] = "closeness"
    attacker = Attacker(
        "somebody who knows a person and looks for them",
        f"{ROW}; and how common values are overall",
        "how far a group is from everybody",
        "groups",
    )
    also_called = ("t-closeness",)
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.hierarchy is not None) != (self.distance == "hierarchical"):
            message = f"'{self.name}' takes a hierarchy= if and only if the distance is hierarchical; give both or none"
            raise BadMeasure(message)
        if self.order is not None and self.distance != "ordered":
            message = f"'{self.name}' takes an order= only if the distance is ordered; leave it out"
            raise BadMeasure(message)

    @classmethod
    def from_settings(
        cls,
        distance: Distance = "equal",
        order: tuple[str, ...] | None = None,
        hierarchy: str | tuple[tuple[str, ...], ...] | None = None,
        apart_from: tuple[str, ...] = (),
    ) -> Closeness:
        """Return the measure with a policy file's settings: a hierarchy is a file, or lines; "(missing)" is a value."""
        values = None if order is None else tuple(map(written_label, order))
        if isinstance(hierarchy, str):
            tree: Hierarchy | None = read_hierarchy(hierarchy)
        else:
            tree = None if hierarchy is None else Hierarchy("value", _levels(hierarchy))
        return cls(distance, values, tree, apart_from=apart_from)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        values = tuple(value for value in domain if value is not None) or ("",)
        tree = (values, tuple(value[:1] for value in values), ("*",) * len(values))
        return (
            cls(),
            cls(distance="ordered", order=domain),
            cls(distance="hierarchical", hierarchy=Hierarchy("value", tree)),
            *(cls(apart_from=domain[:1]) for _ in domain[1:2]),
            *(cls(distance="ordered", order=domain[1:], apart_from=domain[:1]) for _ in domain[1:2]),
        )

    def settings(self) -> dict[str, object]:
        settings = super().settings()
        if self.hierarchy is not None:
            settings["hierarchy"] = tuple(zip(*self.hierarchy.levels, strict=True))
        return settings

    def check(self, release: Release) -> None:
        """Raise if a value of the release has no place in the order or the hierarchy."""
        super().check(release)
        self.ground_distance(drop_values(release.groups, self.apart_from).domain)

    @lru_cache(maxsize=16)  # noqa: B019 - a few small values, asked for by every block of groups
    def ground_distance(self, domain: tuple[Label, ...]) -> OrderedDistance | TreeDistance:
        """Return the distance between the values of a domain: in a row, or in a tree."""
        if self.distance == "ordered":
            return OrderedDistance(domain, domain if self.order is None else tuple(map(label, self.order)))
        return TreeDistance(domain, self.hierarchy)

    def notes(self, groups: Groups) -> tuple[str, ...]:
        if self.distance != "ordered" or self.order is not None:
            return ()
        order = listed(drop_values(groups, self.apart_from).domain, most=20)
        return (f"{self} takes the values in this order: {order}; give order= or declare domain= if it is another",)

    def statistic(self, groups: Groups) -> Integers:
        groups = drop_values(groups, self.apart_from)
        ground = self.ground_distance(groups.domain)
        return groups.counts.dense() if isinstance(ground, OrderedDistance) else share_runs(groups, *ground.codings)

    @property
    def sparse_statistic(self) -> bool:  # type: ignore[override]
        """In an order the values that a group lacks count as well."""
        return self.distance != "ordered"

    def canonical(self, statistic: Integers) -> Integers:
        return super().canonical(statistic) if self.distance == "ordered" else reduce_share_runs(statistic)

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The cost of crossing a border, times Σ over the borders S of |Σ_{x ∈ S} (q − p)|.

        Around the nodes of one level as much comes in as goes out: twice what comes in.
        """
        groups = drop_values(groups.take(slice(0)), self.apart_from)  # for the domain
        ground = self.ground_distance(groups.domain)
        if isinstance(ground, OrderedDistance):
            here, overall = shares(statistic, groups, arithmetic)
            # what crosses the border after a place is what was too much up to it
            flows = np.cumsum(ground.lay_out(here - overall), axis=1)
        else:
            runs = ShareRuns.unpack(statistic)
            here, overall = runs.shares(groups, arithmetic)
            # what comes in is enough: as much leaves nodes of the level, and those without a run lose only
            flows = 2 * runs.times * np.maximum(here - overall, 0)
        distances: Numbers = np.abs(flows).sum(axis=1) * arithmetic.ratio(*ground.cost.as_integer_ratio())
        return distances

    def witness(self, groups: Groups, row: int) -> Witness:
        """Return the value that the group has most too much of, or the first if it has too much of none."""
        groups = drop_values(groups, self.apart_from)
        surplus = {place: q - p for place, q, p in occurring_shares(groups, row)}
        most = max(surplus, key=surplus.__getitem__, default=0)
        return share_witness(groups, row, most if surplus.get(most, 0) > 0 else 0)

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, ShareWitness):
            return "Nobody in the release has any value, so there is no distance to measure."
        if finding.value == 0:
            return "The values in every group are distributed exactly as in the whole release."
        return (
            f"The values in {finding.witness.group} are distributed unlike the whole release's: "
            f"distance {in_words(finding.value)} of at most 1; most of all, '{shown(finding.witness.value)}' is "
            f"{in_words(finding.witness.here)} of the values there and {in_words(finding.witness.overall)} of all."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Move the earth by the definition, in fractions."""
        groups = drop_values(release.groups, self.apart_from)
        here, overall = exact_shares(groups, witness)
        differences = {value: here[value] - overall[value] for value in here}
        return self.ground_distance(groups.domain).earth_movers_distance(differences)


Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class OrderedDistance:
    """Values lie in a row, one step apart; values that do not occur have their places too."""

    domain: tuple[Label, ...]
    order: tuple[Label, ...]

    def __post_init__(self) -> None:
        outside = set(self.domain).difference(self.order)
        if outside:
            message = f"'{shown(in_order(outside)[0])}' is a value of the release but not in order=; add it there"
            raise BadMeasure(message)

    @property
    def cost(self) -> Fraction:
        """What a step costs: the row is 1 long."""
        return Fraction(1, len(self.order) - 1) if len(self.order) > 1 else Fraction(0)

    def lay_out(self, differences: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Bring (groups, values) in the order of the domain into (groups, places), zero where a place has no value."""
        if self.order == self.domain:
            return differences
        place = {value: code for code, value in enumerate(self.order)}
        ordered = np.zeros((len(differences), len(self.order)), differences.dtype)
        ordered[:, [place[value] for value in self.domain]] = differences
        return ordered

    def earth_movers_distance(self, differences: Mapping[Label, Fraction]) -> Fraction:
        """Return Σ of absolute cumulative differences / (number of values − 1)."""
        # earth moves along the row: what crosses a border is the surplus of all values before it
        cumulative = accumulate(differences.get(value, Fraction(0)) for value in self.order)
        return sum((abs(each) for each in cumulative), Fraction(0)) * self.cost


@dataclass(frozen=True)
class TreeDistance:
    """Values lie on the leaves of a tree; two are as far apart as the level where they meet, the top being 1.

    Without a hierarchy all meet at level 1, so that all are equally far apart.
    """

    domain: tuple[Label, ...]
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        if self.hierarchy is not None:
            self.hierarchy.cover(self.domain)

    @property
    def top(self) -> int:
        """The level at which all values meet; one above the hierarchy if its last level has several labels."""
        if self.hierarchy is None:
            return 1
        # with several labels on the last level the values meet one level further up
        last = self.hierarchy.height - 1
        return last if len(self.hierarchy.labels(last)) == 1 else last + 1

    @property
    def cost(self) -> Fraction:
        """What crossing a border costs: up through as many levels as down again."""
        return Fraction(1, 2 * self.top) if self.top else Fraction(0)

    @cached_property
    def codings(self) -> tuple[Integers, ...]:
        """The nodes of each level below the top, numbered as they first occur: (values,) int64 each."""
        if self.hierarchy is None:
            return (np.arange(len(self.domain)),)
        codings = []
        for level in range(self.top):
            numbers: dict[Label, int] = {}
            nodes = (self._find_node(value, level) for value in self.domain)
            # numbers stand for nodes: `share_runs` joins the values that share one
            codings.append(np.array([numbers.setdefault(node, len(numbers)) for node in nodes], np.int64))
        return tuple(codings)

    def nodes(self, level: int) -> dict[Label, list[Label]]:
        """List the values under each node of a level."""
        under: dict[Label, list[Label]] = {}
        for value in self.domain:
            under.setdefault(self._find_node(value, level), []).append(value)
        return under

    def _find_node(self, value: Label, level: int) -> Label:
        if self.hierarchy is None:
            return None if level else value
        # one level above the last of the hierarchy all values meet, in a node without a label
        return None if level == self.hierarchy.height else self.hierarchy.generalise(value, level)

    def earth_movers_distance(self, differences: Mapping[Label, Fraction]) -> Fraction:
        """Return Σ over nodes N of height(N)/H · min(what its children have too much, what they have too little)."""
        total = Fraction(0)
        for level in range(1, self.top + 1):
            for under in self.nodes(level).values():
                inside = set(under)
                children = [values for values in self.nodes(level - 1).values() if values[0] in inside]
                surplus = [sum((differences[value] for value in values), Fraction(0)) for values in children]
                too_much = sum((each for each in surplus if each > 0), Fraction(0))
                too_little = sum((-each for each in surplus if each < 0), Fraction(0))
                # what the children settle among themselves; the rest goes on to the level above
                total += Fraction(level, self.top) * min(too_much, too_little)
        return total


def _levels(lines: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Turn the lines of a hierarchy, each a value and what it becomes, into its levels."""
    if not isinstance(lines, Sequence) or not all(isinstance(line, list | tuple) for line in lines):
        message = f"the hierarchy is a file, or lines such as [['Flu', 'lungs', '*']], not {kind_in_words(lines)}"
        raise WrongKind(message)
    if len({len(line) for line in lines}) > 1:
        message = "the lines of the hierarchy are not equally long; give every value as many levels"
        raise BadMeasure(message)
    return tuple(zip(*lines, strict=True))
