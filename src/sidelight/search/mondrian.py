"""Mondrian: cut the people in two, again and again, as long as the release stays within policy.

Greedy      From one group of everybody, each group is cut at the first of its candidate cuts (`mondrian_cuts`) that
            leaves the release within policy; a group without such a cut is published.
One by one  Criteria that are as bad as their worst group need only both halves of a cut: all groups of a generation are
            cut at once.
Together    Criteria that depend on several groups are judged over the whole release.  Their screens give a row of
            numbers per group that join (⊕) to the release's, so with rows s_1 … s_m of the groups and a cut of group g
            into halves (a, b) the release afterwards has  (⊕_{i≠g} s_i) ⊕ a ⊕ b.  Prefix and suffix scans of the rows
            give every ⊕_{i≠g} in log₂ m joins of whole arrays, so all cuts are tried on their own at once; a scan over
            the pairs a ⊕ b of cuts of different groups gives the release after each prefix of them.
Invariant   Cuts are accepted in the order of the groups, each judged in the release that the earlier ones have made.
            Where finer releases are never less risky (the measure's monotonicity), a cut that fails once fails for
            good, and when a run of cuts is within policy so is each prefix of it: whole runs are accepted, up to the
            first that fails.  Under such measures the result is minimal: no group can be cut any further.
Ties        Once a release meets its limit with equality, every finer one is too close to it for floats.  Releases that
            are this close nearly always keep a limit that may be met, so the longest run is judged exactly as a whole,
            and halved where it fails; they nearly always break one that may not, so those cuts are judged one by one.
Cost        One pass over the keys per generation, per run of accepted cuts a scan over all groups, and at ties one
            exact judgement per run; log₂ of its length more for each close cut that does not fit after all.

With one look per group, all groups of a generation are cut, or closed, behind their veils:

Order       As in `mondrian_cuts`, which quasi-identifiers decide: the first cut that sizes allow and that has a veil
            ρ < 1 is the one that is looked at (`veil` says why only one, and why that keeps beliefs within the limit).
Decision    It fails, or a coin falls on the veil's side: the group is closed for good.  Else it is cut there.
Looks       Which cut a group looks at depends on its counts and on sizes, never on who has what.

Source: LeFevre et al., Mondrian, ICDE 2006; Chen et al., Privacy Skyline, VLDB 2007 (SkylineAnonymize).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, get_args

import numpy as np

from sidelight._arrays import Flags, Floats, Integers
from sidelight._progress import Progress, quiet
from sidelight.errors import BadPolicy, NothingSafe, parameter
from sidelight.measures.exact import joined_after, joined_before
from sidelight.measures.named_risks.presence import Absence
from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups
from sidelight.search.method import Method, Reader, Resistance, SearchOutcome
from sidelight.search.mondrian_cuts import Cuts, Proposals
from sidelight.search.mondrian_frontier import Generation, Partition
from sidelight.search.orders import Order, column_orders
from sidelight.search.policy_check import CriterionCheck, PolicyCheck, candidate_groups
from sidelight.search.population_keys import KeyPopulation, carrying, with_populations
from sidelight.search.recoding import Regions, region_labels, release_of
from sidelight.search.utility import UtilityName
from sidelight.search.value_limits import ValueLimits, covered_limits
from sidelight.search.veil import Coins, Veil, unknown_to_all
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import ColumnKind
from sidelight.table.table import Counts, Table

if TYPE_CHECKING:
    from sidelight.search.value_limits import ValueLimits


@dataclass(frozen=True, eq=False)
class OneLook:
    """Looks at one cut of each group, and says which are made."""

    veil: Veil
    sizes: PolicyCheck  # limits that values do not decide
    coins: Coins = unknown_to_all

    @property
    def least(self) -> int:
        """How many people a half must have at least."""
        return self.sizes.least_group_size or 1

    def cuts(self, generation: Generation, orders: tuple[Order, ...], target: Counts | None) -> list[Cuts]:
        """Give the cuts to make, at most one of each group."""
        return [self._made(cuts, veils, generation) for cuts, veils in self.looks(generation, orders, target)]

    def looks(
        self, generation: Generation, orders: tuple[Order, ...], target: Counts | None
    ) -> Iterator[tuple[Cuts, Floats]]:
        """Give the cuts that are looked at, at most one of each group, and their veils."""
        counts = generation.counts.roll_up(generation.group, groups=generation.groups)
        proposals = Proposals(generation, orders, target, self.least)
        undecided = proposals.undecided
        for proposed in proposals.rounds():
            allowed = proposed.take(generation.may_hold_in_halves(proposed, self.sizes))
            allowed = allowed.take(undecided[allowed.group])
            while len(allowed):
                first = allowed.first_of_each()
                cuts = allowed.take(first)
                veils = self.veil.of_cuts(counts.take(cuts.group).dense(), cuts.left)
                looked = veils < 1
                undecided[cuts.group[looked]] = False
                yield cuts.take(looked), veils[looked]
                later = np.ones(len(allowed), bool)
                later[first] = False
                allowed = allowed.take(later & undecided[allowed.group])
                # of the few groups that are left, all cuts that bounds rule out go at once
                allowed = allowed.take(self.veil.may_be_looked_at(counts, allowed.group, allowed.left))

    def _made(self, cuts: Cuts, veils: Floats, generation: Generation) -> Cuts:
        """Keep the cuts that pass and that no coin veils."""
        passing = np.flatnonzero(self.passes(cuts, generation))
        return cuts.take(passing[~self.coins(veils[passing])])

    def passes(self, cuts: Cuts, generation: Generation) -> Flags:
        """Say which cuts keep the limits on values in both halves."""
        passes = np.zeros(len(cuts), bool)
        for rows, halves in generation.halves(cuts):
            left, right = self.veil.limits.holds_in_each(halves.counts.dense(), halves.sizes).reshape(2, -1)
            passes[rows] = left & right
        return passes


def one_look(limits: ValueLimits, policy: Policy, people: int, coins: Coins = unknown_to_all) -> OneLook:
    """Look at one cut per group under a policy with these limits on values, the others being on sizes."""
    on_sizes = [each for each in policy.criteria if not each.measure.about_values]
    sizes = PolicyCheck.of(on_sizes, people)
    if sizes.together:
        message = (
            f"{parameter('resists', 'insider')} covers limits on sizes that each group keeps on its own, and "
            f"'{sizes.together[0].criterion}' is on several together; leave one of the two out"
        )
        raise BadPolicy(message)
    return OneLook(Veil(limits), sizes, coins)


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the people in two along one column, again and again, each cut only if the release stays within policy.

    Numbers and days are cut at the median, then at other places; categories along their hierarchy, or in sorted order
    without one, which is arbitrary; ordered labels along their order (`kinds=` of `read_table` says what is what).  The
    column along which a group spreads most widely comes first or, `towards` a column, the one whose cut tells most
    about it.  Numbers and days are printed as intervals, others as hierarchy labels or sets of labels.  Under measures
    that merging never makes worse the result is minimal: no group can be cut any further.  That a group was not cut
    tells one who knows the method something; `resists="insider"` keeps what it tells within the limits (see `veil`).

    Source: LeFevre et al., Mondrian, ICDE 2006; Chen et al., Privacy Skyline, VLDB 2007 (SkylineAnonymize).
    """

    towards: str | None = None
    resists: Reader | None = None  # "insider": looks at one cut per group, behind a veil

    name: ClassVar[str] = "mondrian"
    carries_populations: ClassVar[bool] = True
    puts_numbers_together: ClassVar[bool] = True
    heeds_hierarchies_of: ClassVar[tuple[ColumnKind, ...]] = ("category", "ordered")

    def __post_init__(self) -> None:
        if self.resists is not None and self.resists not in get_args(Reader):
            message = f"{parameter('resists')} names a reader, 'insider', and this is {self.resists!r}"
            raise BadPolicy(message)

    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> SearchOutcome:
        """Cut until nothing can be cut."""
        del utility  # greedy: the cuts themselves are what is chosen
        _refuse_absence(policy)
        limits = None if self.resists is None else self._covered(table, policy)
        orders = column_orders(table.quasi, by)
        keys, populations = with_populations(table, policy.registers) if policy.registers else (table, ())
        check = PolicyCheck.of(policy, table.people)
        if populations:
            _refuse_everybody(check, keys, populations)
        partition = cut_everybody(
            keys,
            check,
            orders,
            populations=populations,
            target=None if self.towards is None else label_counts(keys, self.towards),
            look=None if limits is None else one_look(limits, policy, table.people),
            progress=lambda groups: progress(f"{groups:,} groups", groups, None),
        )
        start, stop, group = partition.start, partition.stop, partition.group[: len(table.sizes)]
        columns = tuple(region_labels(order, start[:, at], stop[:, at]) for at, order in enumerate(orders))
        return SearchOutcome(
            release_of(table, group, columns, len(partition)),
            Regions.of(table, orders, group, start, stop),
            resistance=None if self.resists is None else self._resistance(table, policy, by, limits),
        )

    def _covered(self, table: Table, policy: Policy) -> ValueLimits | None:
        """Read the limits that a veil covers, or refuse."""
        if self.towards in table.sensitive_columns:
            remedy = f"leave {parameter('resists')} out, or cut towards another column"
            message = f"cuts towards '{self.towards}', which is sensitive, tell of it by their order; {remedy}"
            raise BadPolicy(message)
        limits = covered_limits(policy)
        if limits is not None and (table.semantics != "single" or len(table.sensitive_columns) > 1):
            message = (
                f"{parameter('resists', 'insider')} covers one sensitive column with one value per person; "
                f"leave {parameter('resists')} out"
            )
            raise BadPolicy(message)
        return limits

    def _resistance(
        self, table: Table, policy: Policy, by: Mapping[str, Hierarchy], limits: ValueLimits | None
    ) -> Resistance:
        plain = partial(replace(self, resists=None).search, table, policy, by=by, utility="loss", progress=quiet)
        return Resistance("insider", None if limits is None else limits.belief, plain)


def _refuse_everybody(check: PolicyCheck, keys: Table, populations: tuple[KeyPopulation, ...]) -> None:
    """Refuse where not even one group is within policy that prints the table's labels, and so holds those alone."""
    one = np.zeros(len(keys.sizes), np.int64)
    everybody = candidate_groups(keys, np.array([keys.people]), keys.counts.roll_up(one, groups=1))
    if not check.holds(carrying(everybody, [each.in_groups(one, 1) for each in populations])):
        message = (
            f"method '{Mondrian.name}' prints no more than the table's own labels, and too few of the population "
            f"have those; use {parameter('method', 'lattice')}, which may print *"
        )
        raise NothingSafe(message)


def _refuse_absence(policy: Policy) -> None:
    """Refuse what depends on people who are between the groups: cuts do not tell who is in none."""
    if any(isinstance(measure, Absence) for measure in policy.measures):
        message = (
            f"method '{Mondrian.name}' does not count who of a population is in no group, as 'absence' asks; "
            f"use {parameter('method', 'lattice')}, or leave that limit out"
        )
        raise BadPolicy(message)


def label_counts(table: Table, name: str) -> Counts:
    """Count the labels of a column, a quasi-identifier or the sensitive one, in each key of the table."""
    if name in table.sensitive_columns:
        return table.about(name).counts
    column = table.column(name)
    keys = np.arange(len(table.sizes))
    return Counts.from_entries(keys, column.codes, table.sizes, (len(keys), len(column.labels)))


def cut_everybody(
    table: Table,
    policy: PolicyCheck,
    orders: tuple[Order, ...],
    *,
    populations: tuple[KeyPopulation, ...] = (),
    target: Counts | None = None,
    look: OneLook | None = None,
    progress: Callable[[int], None] = lambda _groups: None,
) -> Partition:
    """Cut until no group can be cut any more, one generation of groups at a time.

    Each group tries the cut nearest the median in its most spread-out column first, then in the next, then all
    other cuts; with one look, just one of them.
    """
    partition = Partition.of_everybody(table, orders)
    acceptance = Acceptance(table, policy, partition, populations)
    generation = Generation.of_everybody(table, orders, populations)
    progress(len(partition))
    while generation.groups:
        if look is not None:
            runs: Iterable[Cuts] = look.cuts(generation, orders, target)
        else:
            runs = acceptance.cuts(generation, Proposals(generation, orders, target, acceptance.least))
        # both halves of what was cut are the next generation; what was not cut is done
        splits = [partition.split(generation, accepted) for accepted in runs if len(accepted)]
        if splits:
            progress(len(partition))
        generation = generation.after(splits, acceptance.least)
    return partition


@dataclass(eq=False, slots=True)
class Acceptance:
    """Accepts cuts in the order of the groups, each judged in the release that the earlier ones have made."""

    table: Table
    policy: PolicyCheck
    partition: Partition
    populations: tuple[KeyPopulation, ...] = ()
    screened: list[Floats] = field(default_factory=list)  # per check: the screen's row of each group made so far

    def __post_init__(self) -> None:
        if self.checks:
            everybody = self._groups(self.partition.group, len(self.partition))
            self.screened = [check.screen.of(everybody) for check in self.checks]

    @property
    def checks(self) -> tuple[CriterionCheck, ...]:
        """Those that depend on several groups together."""
        return self.policy.together

    @property
    def least(self) -> int:
        """How many people a half must have at least."""
        return max(self.policy.least_group_size or 1, self.policy.least_people(self.table.semantics))

    def cuts(self, generation: Generation, proposals: Proposals) -> Iterator[Cuts]:
        """Give runs of cuts of a generation; each run must be made before the next is drawn."""
        yield from self._medians(generation, proposals)
        if self.policy.only_group_sizes:
            return  # where the most balanced cut leaves a half too small, so do all others
        others = proposals.others()
        yield from self.runs(others.take(generation.may_hold_in_halves(others, self.policy)), generation)

    def _medians(self, generation: Generation, proposals: Proposals) -> Iterator[Cuts]:
        """Give runs of the most balanced cuts, and say which groups are decided."""
        within = []
        for cuts in proposals.medians():
            held = cuts.take(generation.may_hold_in_halves(cuts, self.policy))
            within.append(held)
            if not self.checks:  # groups do not wait for each other
                proposals.undecided[held.group] = False
        for accepted in self.runs(Cuts.joined(within).by_group(), generation):
            proposals.undecided[accepted.group] = False
            yield accepted

    def runs(self, cuts: Cuts, generation: Generation) -> Iterator[Cuts]:
        """Give runs of accepted cuts, at most one cut per group; each run must be made before the next is drawn."""
        if not self.checks:
            yield cuts.take(cuts.first_of_each())
            return
        left, right = self._screen_halves(cuts, generation)
        pairs = [check.screen.join(*both) for check, *both in zip(self.checks, left, right, strict=True)]
        candidates = np.arange(len(cuts))
        while len(candidates):
            # a cut that does not fit now never will: the release only gets finer
            candidates = candidates[
                self._may_fit(cuts.take(candidates), [pair[candidates] for pair in pairs], generation)
            ]
            first = candidates[cuts.take(candidates).first_of_each()]
            length = self._longest_run(cuts.take(first), [pair[first] for pair in pairs], generation)
            run, next_cut = first[:length], first[length : length + 1]
            accepted = cuts.take(run)
            self._replace_rows(
                generation.numbers[accepted.group], [rows[run] for rows in left], [rows[run] for rows in right]
            )
            yield accepted
            # in the release that the run has made, the next cut does not fit
            candidates = candidates[~np.isin(cuts.group[candidates], accepted.group) & ~np.isin(candidates, next_cut)]

    def _screen_halves(self, cuts: Cuts, generation: Generation) -> tuple[list[Floats], list[Floats]]:
        """Screen both halves of every cut, for every check."""
        left = [np.empty((len(cuts), rows.shape[1])) for rows in self.screened]
        right = [rows.copy() for rows in left]
        for at, groups in generation.halves(cuts):
            for check, left_rows, right_rows in zip(self.checks, left, right, strict=True):
                both = check.screen.of(groups)
                left_rows[at], right_rows[at] = both[: len(at)], both[len(at) :]
        return left, right

    def _may_fit(self, cuts: Cuts, pairs: list[Floats], generation: Generation) -> Flags:
        """Say which cuts could be made next, each on its own: for sure, or so close to a limit that a run must tell."""
        fits = np.ones(len(cuts), bool)
        for check, rows, pair in zip(self.checks, self.screened, pairs, strict=True):
            values = check.screen.value(_joined_with_others(check, rows, pair, generation.numbers[cuts.group]))
            close = check.is_close(values)
            fits &= check.clearly_holds(values) | close
            if check.criterion.comparison.strict:
                for at in np.flatnonzero(fits & close):
                    fits[at] = check.holds_exactly(self._groups_after(cuts.take(np.array([at])), generation))
        return fits

    def _longest_run(self, cuts: Cuts, pairs: list[Floats], generation: Generation) -> int:
        """Count how many of these cuts, of different groups, can be made one after another."""
        if len(cuts) == 0:
            return 0
        states = [
            _after_each(check, rows, pair, generation.numbers[cuts.group])
            for check, rows, pair in zip(self.checks, self.screened, pairs, strict=True)
        ]
        clear = np.array([check.clearly_holds(values) for check, values in zip(self.checks, states, strict=True)])
        close = np.array([check.is_close(values) for check, values in zip(self.checks, states, strict=True)])

        def holds(length: int) -> bool:
            doubtful = [check for check, near in zip(self.checks, close[:, length - 1], strict=True) if near]
            if not doubtful:
                return True
            groups = self._groups_after(cuts.take(np.arange(length)), generation)
            return all(check.holds_exactly(groups) for check in doubtful)

        # runs of `within` cuts hold, runs of `beyond` cuts do not
        within, beyond = _run_of_true(clear), _run_of_true(clear | close) + 1
        length = beyond - 1
        while beyond - within > 1:
            within, beyond = (length, beyond) if holds(length) else (within, length)
            length = (within + beyond) // 2
        return within

    def _replace_rows(self, groups: Integers, left: list[Floats], right: list[Floats]) -> None:
        """Give each cut group the row of its left half, and add those of right halves, as `Partition.split` does."""
        for at, rows in enumerate(self.screened):
            rows[groups] = left[at]
            self.screened[at] = np.vstack((rows, right[at]))

    def _groups_after(self, cuts: Cuts, generation: Generation) -> Groups:
        """Make the release as it would be after these cuts, of different groups."""
        group = self.partition.group_after(generation, cuts)
        return self._groups(group, len(self.partition) + len(cuts))

    def _groups(self, group: Integers, groups: int) -> Groups:
        sizes = np.bincount(group, weights=self.table.sizes, minlength=groups).astype(np.int64)
        candidate = candidate_groups(self.table, sizes, self.table.counts.roll_up(group, groups=groups))
        return carrying(candidate, [each.in_groups(group, groups) for each in self.populations])


def _joined_with_others(check: CriterionCheck, rows: Floats, pair: Floats, groups: Integers) -> Floats:
    """Join each pair of halves with all groups but the one it was cut from."""
    before, after = joined_before(check.screen, rows), joined_after(check.screen, rows)
    joined = pair.copy()
    some = groups > 0
    joined[some] = check.screen.join(joined[some], before[groups[some] - 1])
    some = groups < len(rows) - 1
    joined[some] = check.screen.join(joined[some], after[groups[some] + 1])
    return joined


def _after_each(check: CriterionCheck, rows: Floats, pairs: Floats, groups: Integers) -> Floats:
    """Give the values of the releases that the first cut makes, the first two, and so on."""
    # after the first i cuts: their pairs, the groups to be cut later as they are, and all other groups
    release = joined_before(check.screen, pairs)
    others = np.delete(rows, groups, axis=0)
    if len(others):
        of_others = np.broadcast_to(joined_before(check.screen, others)[-1:], release.shape)
        release = check.screen.join(release, of_others)
    release[:-1] = check.screen.join(release[:-1], joined_after(check.screen, rows[groups])[1:])
    return check.screen.value(release)


def _run_of_true(flags: Flags) -> int:
    """Count the columns before the first in which not all is true."""
    everywhere = np.logical_and.reduce(flags, axis=0)
    return len(everywhere) if everywhere.all() else int(np.argmin(everywhere))
