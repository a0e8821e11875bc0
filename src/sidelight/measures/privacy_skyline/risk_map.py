"""What is the risk of a value at many amounts of knowledge, quickly enough to be dragged?

Symbols     (ℓ, k, m): values ruled out, other people, family; NR the least odds against the target having σ.
Once        the few groups that can decide (`pareto.UndominatedGroups`), whatever ℓ, k and m are.
Then        1/(1+NR) at thousands of points in one pass: in floats, raised by more than logarithms may be off, so that
            no risk is understated; whether it is below a limit is decided as in `pareto.RiskTest`, exactly where
            floats are close.
Cost        points × undominated groups, of which there are tens where a release has millions of people.

`Acquaintance` measures one point exactly and has its witness; the map says nothing about who.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.arrays import Flags, Floats, Integers
from sidelight.errors import expect
from sidelight.measures.criterion import Bound, exact
from sidelight.measures.privacy_skyline.five_minima import tolerance
from sidelight.measures.privacy_skyline.pareto import POINTS_AT_ONCE, RiskTest, UndominatedGroups, largest_passed
from sidelight.measures.targets import Targets, Value, read_value
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.table import expect_one_sensitive


@dataclass(frozen=True, eq=False, slots=True)
class RiskMap:
    """The risk of a value wherever one looks; points are rows (rules_out, others, family).

    >>> ward = RiskMap.from_release(Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}]), "AIDS")
    >>> ward.risks(np.array([[0, 0, 0], [1, 2, 0]])).round(9).tolist()
    [0.125, 0.5]
    >>> ward.withstands(np.array([[0, 0, 0], [1, 2, 0]]), 0.5).tolist()
    [True, False]
    >>> ward.most_alone(0.5)
    (1, 5, 5)
    """

    groups: Groups  # as seen from the value
    place: int
    undominated: UndominatedGroups | None  # None: nobody has it

    @classmethod
    def from_release(cls, release: Release, value: Value) -> RiskMap:
        """Find the groups that can decide."""
        expect(Release, release, "what is explored")
        expect_one_sensitive(release, "a skyline")
        targets = Targets(read_value(value))
        groups = targets.view(release.groups)
        place = int(targets.indices(groups)[0])
        return cls(groups, place, UndominatedGroups.from_groups(groups, place))

    @property
    def most_ruled_out(self) -> int:
        """How many other values there are."""
        return len(self.groups.domain) - 1

    @property
    def enough(self) -> int:
        """So many others, or so large a family, always settle it."""
        return 1 if self.undominated is None else int(self.undominated.sizes.max()) + 1

    def risks(self, points: Integers) -> Floats:
        """Return the risk at each point, rounded up."""
        if self.undominated is None or len(points) == 0:
            return np.zeros(len(points))
        step = max(POINTS_AT_ONCE // self.undominated.sizes.shape[1], 1)
        logs = np.concatenate(
            [self._log_odds(self.undominated, points[at : at + step]) for at in range(0, len(points), step)]
        )
        finite = np.where(np.isfinite(logs), logs, 0.0)
        lowered = np.where(np.isfinite(logs), logs - tolerance(finite, min(int(points[:, 2].max()), self.enough)), logs)
        raised: Floats = np.minimum((1 + 1e-15) / (1 + np.exp(lowered)), 1.0)
        return raised

    def _log_odds(self, undominated: UndominatedGroups, points: Integers) -> Floats:
        rules_out, others, family = self._clip(undominated, points)
        return undominated.log_odds(rules_out, others[:, np.newaxis], family[:, np.newaxis])

    def withstands(self, points: Integers, below: Bound) -> Flags:
        """Decide at each point whether the risk stays below a limit."""
        limit = exact(below)
        if limit <= 0 or len(points) == 0:
            return np.zeros(len(points), bool)
        if self.undominated is None or limit > 1:
            return np.ones(len(points), bool)
        test = RiskTest(self.groups, self.place, self.undominated, 1 / Fraction(limit) - 1)
        return test.passes(*self._clip(self.undominated, points))

    def _clip(self, undominated: UndominatedGroups, points: Integers) -> tuple[Integers, Integers, Integers]:
        """Take amounts beyond which nothing changes for the largest that matter."""
        ends = np.array([len(undominated.sizes) - 1, self.enough, self.enough])
        rules_out, others, family = np.minimum(points, ends).T
        return rules_out, others, family

    def maximal(self, points: Integers, below: Bound) -> Flags:
        """Decide which points are of the knowledge skyline: one more of anything would be too much."""
        beyond = points[:, np.newaxis] + np.eye(3, dtype=np.int64)  # one more of each: (points, 3, 3)
        too_much = ~self.withstands(beyond.reshape(-1, 3), below).reshape(-1, 3)
        too_much |= beyond[..., 0] > self.most_ruled_out
        maximal: Flags = self.withstands(points, below) & too_much.all(axis=1)
        return maximal

    def most_others(self, rules_out: Integers, family: Integers, below: Bound) -> Integers:
        """Return the largest number of others that is withstood, for many ℓ and m at once; −1 where there is none.

        Where there is no end (nobody has the value, or the limit is never reached), so many as would settle it.
        """
        return largest_passed(
            lambda others: self.withstands(np.column_stack((rules_out, others, family)), below),
            np.full(len(rules_out), self.enough + 1),
        )

    def most_alone(self, below: Bound) -> tuple[int, int, int]:
        """Return the most of each kind of knowledge that is withstood by itself; −1 each where not even nothing is."""
        ends = (self.most_ruled_out + 1, self.enough + 1, self.enough + 1)
        most = [self._most(axis, end, below) for axis, end in enumerate(ends)]
        return most[0], most[1], most[2]

    def _most(self, axis: int, end: int, below: Bound) -> int:
        def passed(amounts: Integers) -> Flags:
            return self.withstands(amounts[:, np.newaxis] * np.eye(3, dtype=np.int64)[axis], below)

        return int(largest_passed(passed, np.array([end]))[0])
