"""How unlike the whole release is the most unlike group?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.measures.exact import Floats
from sidelight.measures.finding import Amount, Finding, Witness, in_words
from sidelight.measures.grounds import Equal, Ground, Hierarchical, Ordered
from sidelight.measures.group_by_group import GroupByGroup, ShareWitness, exact_shares, float_shares, share_witness
from sidelight.measures.measure import Measure
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import read_hierarchy
from sidelight.table.labels import Label, label, listed, shown

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True)
class Closeness(GroupByGroup):
    """How far is a group's distribution of values from the whole release's?

    max_g of the earth mover's distance between q (the group's shares) and p (the release's): how much must be
    moved how far to turn one into the other, 1 being the greatest distance between two values.  At most t is
    t-closeness.  `distance` says how far apart two values are:

    - "equal": all equally far; ½ Σ|q − p|.
    - "ordered": by the places between them in `order`; Σ of |cumulative q − p| divided by the number of values − 1.
      Without `order` it is the domain's: as declared, or else sorted; a note names the order that was used.
    - "hierarchical": by the level at which `hierarchy` gives both the same label, divided by its topmost level.

    Groups in which nobody has a value are passed over.

    >>> release = Release.from_counts([{"3K": 1, "4K": 1}, {"5K": 1, "9K": 1}], domain=["3K", "4K", "5K", "9K"])
    >>> Closeness().measure(release).value, Closeness(distance="ordered").measure(release).value
    (Fraction(1, 2), Fraction(1, 3))
    >>> print(Closeness().measure(release).explain())
    The values in group 1 are distributed unlike the whole release's: distance 1/2 of at most 1; most of all, \
'3K' is 1/2 of the values there and 1/4 of all.

    Source: Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007, section 5.
    """

    distance: Distance = "equal"
    order: Sequence[object] | None = None
    hierarchy: Hierarchy | None = None

    name: ClassVar[str] = "closeness"
    limits = (0, 1)
    when_groups_merge = Trend.NEVER_RISES

    def __post_init__(self) -> None:
        if self.distance not in get_args(Distance):
            message = f"no distance '{self.distance}' for '{self.name}'; choose equal, ordered or hierarchical"
            raise BadMeasure(message)
        if (self.hierarchy is not None) != (self.distance == "hierarchical"):
            message = f"'{self.name}' takes a hierarchy= if and only if the distance is hierarchical; give both or none"
            raise BadMeasure(message)
        if self.order is not None and self.distance != "ordered":
            message = f"'{self.name}' takes an order= only if the distance is ordered; leave it out"
            raise BadMeasure(message)
        if self.order is not None:
            object.__setattr__(self, "order", tuple(dict.fromkeys(label(value) for value in self.order)))

    @classmethod
    def from_settings(
        cls,
        distance: Distance = "equal",
        order: tuple[str, ...] | None = None,
        hierarchy: str | tuple[tuple[str, ...], ...] | None = None,
    ) -> Closeness:
        """Make it as a policy file says it: the hierarchy is a file, or its lines as lists of labels."""
        if hierarchy is None or isinstance(hierarchy, str):
            return cls(distance, order, None if hierarchy is None else read_hierarchy(hierarchy))
        return cls(distance, order, Hierarchy("value", tuple(zip(*hierarchy, strict=True))))

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Every distance, the hierarchy being by initial letters."""
        values = tuple(value for value in domain if value is not None) or ("",)
        tree = (values, tuple(value[:1] for value in values), ("*",) * len(values))
        return (
            cls(),
            cls(distance="ordered", order=domain),
            cls(distance="hierarchical", hierarchy=Hierarchy("value", tree)),
        )

    def settings(self) -> dict[str, object]:
        """Say it as a policy file does: the hierarchy in lines, so that the policy stands by itself."""
        said = self.parameters()
        if self.hierarchy is not None:
            said["hierarchy"] = tuple(zip(*self.hierarchy.levels, strict=True))
        return said

    def __str__(self) -> str:
        return self.name if self.distance == "equal" else f"{self.name} ({self.distance} distance)"

    def check(self, release: Release) -> None:
        """Refuse releases with values that have no place in the order or the hierarchy."""
        super().check(release)
        self.ground(release.domain)

    @lru_cache(maxsize=16)  # noqa: B019 - a few small values, asked for by every block of groups
    def ground(self, domain: tuple[Label, ...]) -> Ground:
        """Lay out the values, nearer ones together."""
        if self.hierarchy is not None:
            return Hierarchical(domain, self.hierarchy)
        if self.distance == "ordered":
            return Ordered(domain, domain if self.order is None else tuple(map(label, self.order)))
        return Equal(domain)

    def notes(self, groups: Groups) -> tuple[str, ...]:
        """Name the order if nobody gave it: sorted texts are hardly ever in the order of what they mean."""
        if self.distance != "ordered" or self.order is not None:
            return ()
        said = listed(groups.domain, most=20)
        return (f"{self} takes the values in this order: {said}; give order= or declare domain= if it is another",)

    def scores(self, groups: Groups) -> Floats:
        """Give every group's distance."""
        ground = self.ground(groups.domain)
        here, overall = float_shares(groups)
        here -= overall
        moved = ground.moved(here)
        distances: Floats = np.abs(moved, out=moved).sum(axis=1) * float(ground.step)
        return distances

    def exactly(self, groups: Groups, row: int) -> Amount:
        """Give one group's distance, in whole numbers n·N·(q − p)."""
        ground = self.ground(groups.domain)
        group, whole = groups.counts.row(row).astype(object), groups.whole.astype(object)
        moved = ground.moved((group * whole.sum() - whole * group.sum())[np.newaxis])
        return ground.step * Fraction(int(np.abs(moved).sum()), int(group.sum() * whole.sum()))

    def witness(self, groups: Groups, row: int) -> Witness:
        """Point at the value that the group has too much of, most of all."""
        group, whole = groups.counts.row(row).astype(object), groups.whole.astype(object)
        return share_witness(groups, row, int((group * whole.sum() - whole * group.sum()).argmax()))

    def explain(self, finding: Finding) -> str:
        """Name the group and the value it has too much of."""
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
        here, overall = exact_shares(release, witness)
        return self.ground(release.domain).distance({value: here[value] - overall[value] for value in here})
