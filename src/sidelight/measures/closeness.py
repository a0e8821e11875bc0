"""How unlike the whole release is the most unlike group, and how much likelier does a value become there?

t-closeness
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

β-likeness  basic: the largest (q − p)/p.  enhanced: the least β with q ≤ (1 + min(β, −ln p))·p everywhere: the same
            number where no q/p is more than 1 − ln p, and infinite where one is.  q/p and 1 − ln p are never equal but
            at p = 1, as logarithms of fractions are irrational; where floats cannot tell them apart, 60 digits do
            (`too_much`).
δ-disclosure  the largest |ln(q/p)|, which is ln of the largest of all q/p and p/q: one logarithm a group.

Sources: Cao and Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 2012; Brickell and Shmatikov, The
Cost of Privacy, KDD 2008.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import localcontext
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadMeasure, WrongKind, kind_in_words
from sidelight.measures.exact import FLOATS, NEAR, Arithmetic, Numbers
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
from sidelight.measures.measure import Attacker, Measure, Monotonicity, choice, in_policy, read
from sidelight.measures.targets import Targeted, drop_values
from sidelight.rounding import PRECISE, in_words, log, round_up
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import read_hierarchy
from sidelight.table.labels import Label, in_order, label, listed, shown, written_label

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Integers
    from sidelight.measures.criterion import Amount, Finding, Witness
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]


def _parse_hierarchy(lines: str | Sequence[Sequence[str]]) -> Hierarchy:
    """Read a hierarchy from its file, or from its lines, each a value and its labels level by level."""
    if isinstance(lines, str):
        return read_hierarchy(lines)
    if not isinstance(lines, Sequence) or not all(isinstance(line, list | tuple) for line in lines):
        raise WrongKind(
            f"the hierarchy is a file, or lines such as [['Flu', 'lungs', '*']], not {kind_in_words(lines)}"
        )
    if len({len(line) for line in lines}) > 1:
        raise BadMeasure("the lines of the hierarchy are not equally long; give every value as many levels")
    return Hierarchy("value", tuple(zip(*lines, strict=True)))


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

    Groups in which nobody has a value are skipped.  With `apart_from`, q and p are the shares of the other values
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
        metadata=choice(Distance, "no distance '{setting}' for '{measure}'; choose equal, ordered or hierarchical"),
    )
    order: Sequence[object] | None = field(
        default=None,
        metadata=read(
            lambda order: tuple(dict.fromkeys(map(label, order))),
            hint=tuple[str, ...] | None,
            parse=lambda order: tuple(map(written_label, order)),
        ),
    )
    hierarchy: Hierarchy | None = field(
        default=None, metadata=in_policy(str | tuple[tuple[str, ...], ...] | None, _parse_hierarchy)
    )

    name: ClassVar[str] = "closeness"
    attacker = Attacker.of_person("how far a group is from everybody", besides="how common values are overall")
    also_called = ("t-closeness",)
    limits = (0, 1)
    when_groups_merge = Monotonicity.NON_INCREASING

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.hierarchy is not None) != (self.distance == "hierarchical"):
            raise BadMeasure(
                f"'{self.name}' takes a hierarchy= if and only if the distance is hierarchical; give both or none"
            )
        if self.order is not None and self.distance != "ordered":
            raise BadMeasure(f"'{self.name}' takes an order= only if the distance is ordered; leave it out")

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
        super().check(release)
        self.ground_distance(drop_values(release.groups, self.apart_from).domain)

    @lru_cache(maxsize=16)  # noqa: B019 - a few small values, asked for by every block of groups
    def ground_distance(self, domain: tuple[Label, ...]) -> GroundDistance:
        """Return the distance between the values of a domain: in a row, or in a tree."""
        order = domain if self.order is None else tuple(map(label, self.order))
        return GroundDistance(domain, order if self.distance == "ordered" else None, self.hierarchy)

    def notes(self, groups: Groups) -> tuple[str, ...]:
        if self.distance != "ordered" or self.order is not None:
            return ()
        order = listed(drop_values(groups, self.apart_from).domain, most=20)
        return (f"{self} takes the values in this order: {order}; give order= or declare domain= if it is another",)

    def statistic(self, groups: Groups) -> Integers:
        groups = drop_values(groups, self.apart_from)
        ground = self.ground_distance(groups.domain)
        return share_runs(groups, *ground.codings) if ground.order is None else groups.counts.dense()

    @property
    def sparse_statistic(self) -> bool:  # type: ignore[override]
        return self.distance != "ordered"

    def canonical(self, statistic: Integers) -> Integers:
        return super().canonical(statistic) if self.distance == "ordered" else reduce_share_runs(statistic)

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The cost of crossing a border, times Σ over the borders S of |Σ_{x ∈ S} (q − p)|.

        Around the nodes of one level as much comes in as goes out: twice what comes in.
        """
        groups = drop_values(groups.take(slice(0)), self.apart_from)  # for the domain
        ground = self.ground_distance(groups.domain)
        if ground.order is not None:
            here, overall = shares(statistic, groups, arithmetic)
            # what crosses the border after a place is what was too much up to it
            flows = np.cumsum(ground.lay_out(here - overall), axis=1)
        else:
            runs = ShareRuns.unpack(statistic)
            here, overall = runs.shares(groups, arithmetic)
            # what comes in is enough: as much leaves nodes of the level, and those without a run lose only
            flows = 2 * runs.times * np.maximum(here - overall, 0)
        return np.asarray(np.abs(flows).sum(axis=1) * arithmetic.ratio(*ground.cost.as_integer_ratio()))

    def witness(self, groups: Groups, row: int) -> Witness:
        """Return the value that the group has most too much of, or the first if it has too much of none."""
        groups = drop_values(groups, self.apart_from)
        surplus = {index: q - p for index, q, p in occurring_shares(groups, row)}
        most = max(surplus, key=surplus.__getitem__, default=0)
        return share_witness(groups, row, most if surplus.get(most, 0) > 0 else 0)

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, ShareWitness):
            return "Nobody in the release has any value, so there is no distance to measure."
        if finding.value == 0:
            return "The values in every group are distributed exactly as in the whole release."
        return (
            f"The values in {finding.witness.group} are distributed unlike the whole release's: distance "
            f"{in_words(finding.value)} of at most 1; most of all, {finding.witness.shares_in_words(' there')}."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        groups = drop_values(release.groups, self.apart_from)
        here, overall = exact_shares(groups, witness)
        differences = {value: here[value] - overall[value] for value in here}
        return self.ground_distance(groups.domain).earth_movers_distance(differences)


Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class GroundDistance:
    """The distance between values: on a row, one step between neighbours, or in a tree, whose top is 1.

    Without an `order` values are the leaves of a tree, as far apart as the level where they meet; without a hierarchy
    either all meet at level 1, so that all are equally far apart.
    """

    domain: tuple[Label, ...]
    order: tuple[Label, ...] | None = None  # values that do not occur have their places too
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        outside = set(self.domain).difference(self.domain if self.order is None else self.order)
        if outside:
            raise BadMeasure(
                f"'{shown(in_order(outside)[0])}' is a value of the release but not in order=; add it there"
            )
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
        """The cost of crossing a border: a step on a row of length 1; up through as many levels as down again."""
        steps = 2 * self.top if self.order is None else len(self.order) - 1
        return Fraction(1, steps) if steps > 0 else Fraction(0)

    def lay_out(self, differences: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """Return (groups, values) in the order of the domain as (groups, positions in `order`), 0 for other values."""
        if self.order is None or self.order == self.domain:
            return differences
        index = {value: code for code, value in enumerate(self.order)}
        ordered = np.zeros((len(differences), len(self.order)), differences.dtype)
        ordered[:, [index[value] for value in self.domain]] = differences
        return ordered

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
        """Return the distance by the paper's formulas for one group.

        On a row Σ of absolute cumulative differences / (number of values − 1); in a tree Σ over nodes N of
        height(N)/H · min(what its children have too much, what they have too little).
        """
        total = Fraction(0)
        if self.order is not None:
            # earth moves along the row: what crosses a border is the surplus of all values before it
            cumulative = accumulate(differences.get(value, Fraction(0)) for value in self.order)
            return sum(map(abs, cumulative), total) * self.cost
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


BetaKind: TypeAlias = Literal["basic", "enhanced"]
Absent: TypeAlias = Literal["infinite", "skipped"]


@dataclass(frozen=True)
class _ShareChange(Targeted, FormulaMeasure):
    """A measure of how the shares of values in a group differ from those in the whole release."""

    sparse_statistic: ClassVar[bool] = True

    def statistic(self, groups: Groups) -> Integers:
        return share_runs(groups, self.targets.coding(groups))

    def canonical(self, statistic: Integers) -> Integers:
        return reduce_share_runs(statistic)

    @abstractmethod
    def change(self, here: Fraction, overall: Fraction) -> Amount:
        """Return how much the share of a value changes, by the definition."""

    def find_most_changed(self, groups: Groups, row: int, *, upwards: bool) -> int:
        """Return the index of the value whose q/p (or p/q, unless `upwards`) is largest in a group."""
        coding = self.targets.coding(groups)
        factors = {index: q / p for index, q, p in occurring_shares(groups, row) if coding[index] >= 0}
        change = {index: factor if upwards else max(factor, 1 / factor) for index, factor in factors.items()}
        return max(change, key=change.__getitem__, default=int((coding >= 0).argmax()))

    def replay(self, witness: Witness, release: Release) -> Amount:
        here, overall = exact_shares(release.groups, witness)
        return self.change(here[witness.value], overall[witness.value])


@dataclass(frozen=True)
class BetaLikeness(_ShareChange):
    """By what factor, less 1, does a value become more likely to someone who finds a person's group?

    basic: max of (q − p)/p over groups and values with q > p, q = the group's share of the value and p the whole
    release's.  enhanced: the smallest β with q ≤ (1 + min(β, −ln p))·p everywhere, so that frequent values may
    gain less; infinite if there is none.  Losses (q < p) do not count.  At most β is β-likeness.
    Groups in which nobody has a value are skipped, and so are the gains of values in `apart_from`.

    >>> release = Release.from_counts([{"Flu": 7, "HIV": 1}, {"Flu": 1, "HIV": 1}])
    >>> finding = BetaLikeness().measure(release)
    >>> finding.value, finding.witness.value
    (Fraction(3, 2), 'HIV')
    >>> print(finding.explain())
    In group 2, 'HIV' is 1/2 of the values and 1/5 of all: more frequent by 3/2 of its frequency.

    Source: Cao and Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 2012.
    """

    kind: BetaKind = field(
        default="basic", metadata=choice(BetaKind, "no kind '{setting}' of '{measure}'; choose basic or enhanced")
    )

    name: ClassVar[str] = "beta likeness"
    attacker = Attacker.of_person("how much likelier a value becomes", besides="how common values are overall")
    example_settings = ({}, {"kind": "enhanced"})
    also_called = ("b-likeness", "β-likeness")
    when_groups_merge = Monotonicity.NON_INCREASING

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """The largest q/p − 1; infinite where some q/p is more than 1 − ln p and the kind is enhanced."""
        runs = ShareRuns.unpack(statistic)
        here, overall = runs.shares(groups, arithmetic)
        gained = here / overall
        # losses do not count
        gains: Numbers = np.maximum(gained.max(axis=1) - 1, 0)
        if self.kind == "enhanced":
            gains[_gain_too_much(gained, overall, runs, groups, arithmetic).any(axis=1)] = math.inf
        return gains

    def witness(self, groups: Groups, row: int) -> Witness:
        """Return a value that gains too much, if that counts, or else the one that gains most."""
        most = self.find_most_changed(groups, row, upwards=True)
        if self.kind == "enhanced":
            coding = self.targets.coding(groups)
            occurring = (each for each in occurring_shares(groups, row) if coding[each[0]] >= 0)
            most = next((index for index, q, p in occurring if too_much(q, p)), most)
        return share_witness(groups, row, most)

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, ShareWitness):
            return "Nobody in the release has any value, so nothing becomes more likely."
        if finding.value == 0:
            other = "other " if self.apart_from else ""
            return f"No {other}value is more frequent in any group than in the whole release."
        gain = f"more frequent by {in_words(finding.value)} of its frequency"
        if finding.value == math.inf:
            gain = "a gain that no limit allows for so frequent a value"
        return f"In {finding.witness.group}, {finding.witness.shares_in_words()}: {gain}."

    def change(self, here: Fraction, overall: Fraction) -> Amount:
        if overall == 0:
            return Fraction(0)
        if self.kind == "enhanced" and too_much(here, overall):
            return math.inf
        return max((here - overall) / overall, Fraction(0))


def _gain_too_much(gained: Numbers, overall: Numbers, runs: ShareRuns, groups: Groups, arithmetic: Arithmetic) -> Flags:
    """Return where q/p is more than 1 − ln p: (groups, runs) bool.  Floats that are too near are decided exactly."""
    allowed = 1 - arithmetic.log(overall)
    whole = int(groups.whole.sum())
    allowed[runs.overall == whole] = math.inf  # q ≤ p = 1
    beyond: Flags = gained > allowed
    # floats this near may be on the wrong side of the logarithm
    if arithmetic is FLOATS:
        near = np.abs(gained - allowed) <= NEAR * np.where(np.isfinite(allowed), allowed, 0)
        for row, run in np.argwhere(near).tolist():
            here = Fraction(int(runs.here[row, run]), int(runs.n[row, 0]))
            beyond[row, run] = too_much(here, Fraction(int(runs.overall[row, run]), whole))
    return beyond


@lru_cache(maxsize=4096)
def too_much(here: Fraction, overall: Fraction) -> bool:
    """Return whether (q − p)/p > −ln p.  They are equal only at p = q = 1, as logarithms are irrational."""
    gain = (here - overall) / overall
    with localcontext(PRECISE):
        return gain.numerator > -log(overall) * gain.denominator


@dataclass(frozen=True)
class DeltaDisclosure(_ShareChange):
    """By what factor, in either direction, does finding a person's group change how likely a value is?

    max |ln(q/p)| over groups and values of the release, q = the group's share of the value and p the whole
    release's.  Below δ is δ-disclosure privacy.  A value that a group lacks makes it infinite: it is ruled out
    there; `absent="skipped"` skips such values, and then merging groups may make things worse.
    A float rounded up, or exactly 0.  Groups in which nobody has a value are skipped, as are values in `apart_from`.

    >>> release = Release.from_counts([{"Flu": 3, "HIV": 1}, {"Flu": 1, "HIV": 1}])
    >>> finding = DeltaDisclosure().measure(release)
    >>> finding.value, finding.witness.value
    (0.4054651081081644, 'HIV')
    >>> print(finding.explain())
    In group 2, 'HIV' is 1/2 of the values and 1/3 of all: 1.5 times as frequent (ln 0.4055).

    Source: Brickell and Shmatikov, The Cost of Privacy, KDD 2008.
    """

    absent: Absent = field(
        default="infinite",
        metadata=choice(Absent, "'{measure}' cannot take absent values as '{setting}'; choose infinite or skipped"),
    )

    name: ClassVar[str] = "delta disclosure"
    attacker = Attacker.of_person("how far a value's likelihood moves", besides="how common values are overall")
    example_settings = ({}, {"absent": "skipped"})
    also_called = ("d-disclosure", "δ-disclosure", "δ-disclosure privacy")

    @property
    def when_groups_merge(self) -> Monotonicity:
        """Only a value that no group may lack is safe from a merger that brings it in."""
        return Monotonicity.NON_INCREASING if self.absent == "infinite" else Monotonicity.UNKNOWN

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """Ln of the largest q/p or p/q; infinite where a group lacks one of the values that occur, unless skipped."""
        runs = ShareRuns.unpack(statistic)
        here, overall = runs.shares(groups, arithmetic)
        occurs = runs.times > 0
        changed = here / overall
        # padding counts as unchanged, and so never decides
        highest, lowest = (pick(np.where(occurs, changed, 1), axis=1) for pick in (np.max, np.min))
        factor = np.maximum(highest, arithmetic.ratio(1, lowest))
        if self.absent == "infinite":
            # how many values in question the release has at all: a group with fewer lacks one
            occurring = np.count_nonzero(groups.whole[self.targets.coding(groups) >= 0])
            factor[runs.times.sum(axis=1) < occurring] = math.inf
        factor[runs.n[:, 0] == 0] = math.nan  # nobody there has a value
        return arithmetic.log(factor)

    def witness(self, groups: Groups, row: int) -> ShareWitness:
        """Return a value that the group lacks, if that counts, or else the one whose share changes most."""
        lacking = (self.targets.coding(groups) >= 0) & (groups.whole > 0) & (groups.counts.row(row) == 0)
        if self.absent == "infinite" and lacking.any():
            return share_witness(groups, row, int(lacking.argmax()))
        return share_witness(groups, row, self.find_most_changed(groups, row, upwards=False))

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, ShareWitness):
            return "Nobody in the release has any value, so nothing becomes more or less likely."
        where, here, overall = finding.witness.group, finding.witness.here, finding.witness.overall
        if finding.value == 0:
            every = "Every other value" if self.apart_from else "Every value"
            return f"{every} is exactly as frequent in every group as in the whole release."
        if finding.value == math.inf:
            seen = f"'{shown(finding.witness.value)}' is {in_words(overall)} of all values"
            return f"{seen}, and nobody in {where} has it: it is ruled out there."
        factor = f"{float(max(here, overall) / min(here, overall)):.4g} times"
        often = f"{factor} as {'frequent' if here > overall else 'rare'} (ln {in_words(finding.value)})"
        return f"In {where}, {finding.witness.shares_in_words()}: {often}."

    def change(self, here: Fraction, overall: Fraction) -> Amount:
        """|ln(q/p)|."""
        if overall == 0 or (here == 0 and self.absent == "skipped"):  # compared with nothing: no other value is, here
            return Fraction(0)
        if here == 0:
            return math.inf
        return Fraction(0) if here == overall else round_up(abs(log(here / overall)))
