"""Mondrian: cut the people in two, again and again, as long as the release stays within policy.

Greedy      From one group of everybody, each group is cut at the first of its candidate cuts (`mondrian_cuts`) that
            leaves the release within policy; a group without such a cut is published.
Cost        One pass over the keys per generation, and what accepting takes.

Which of the cuts that are proposed may be made, and in which order?

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
Strict      A release may also come to stand next to a strict limit, and every finer one then does.  Cuts whose halves
            do no harm (`Screen.harmless`) fit as the release itself does, which is judged once; the others are judged
            each by its halves and the kept summaries of all other groups: with S the exact summary of groups and
            blocks B_1 … B_p of them, the release in which g of B_i is cut has
            S(B_1 … B_p without B_i) ⊕ S(B_i without g) ⊕ S(a, b), of which the first is kept (`ExactRelease`).
Cost        Per run of accepted cuts a scan over all groups, and at ties one exact judgement per run; log₂ of its length
            more for each close cut that does not fit after all; at strict limits one summary of some hundred groups for
            each close cut that may do harm, however many groups there are.

Against insiders, all groups of a generation are cut, or closed, after one look each (`veil`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.errors import BadPolicy, NothingSafe, as_given, expect_or_none, parameter
from sidelight.measures.criterion import CriterionCheck, merge_summaries
from sidelight.measures.exact import join_all, join_backwards, join_forwards
from sidelight.progress import Progress, quiet
from sidelight.search.effort import EFFORT
from sidelight.search.method import Method, Recodes, Resistance, SearchOutcome
from sidelight.search.mondrian_cuts import Cuts, OpenGroups, Proposals, Store
from sidelight.search.mondrian_frontier import Generation, KeyStore, label_counts, place_populations
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck, ValueLimits, covered_limits
from sidelight.search.utility import Regions, UtilityName, UtilityNames, region_labels, release_of
from sidelight.search.veil import Veil
from sidelight.table.table import Counts, Table

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Floats, Integers
    from sidelight.measures.measure import Summary
    from sidelight.policy.policy import Policy
    from sidelight.release.groups import Groups
    from sidelight.streams.streamed_table import AnyTable
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.labels import ColumnKind


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the people in two along one column, again and again, each cut only if the release stays within policy.

    Numbers and days are cut at the median, then at other places; categories along their hierarchy, or in sorted order
    without one, which is arbitrary; ordered labels along their order (`kinds=` of `read_table` says what is what).  The
    column along which a group spreads most widely comes first or, `towards` a column, the one whose cut tells most
    about it.  Numbers and days are printed as intervals, others as hierarchy labels or sets of labels.  Under measures
    that merging never makes worse the result is minimal: no group can be cut any further.  That a group was not cut
    tells attackers who know the method something; `resists="insider"` keeps that within the limits (see `veil`).

    Source: LeFevre et al., Mondrian, ICDE 2006; Chen et al., Privacy Skyline, VLDB 2007 (SkylineAnonymize).
    """

    towards: str | None = None
    resists: str | None = None  # "insider": looks at one cut per group, behind a veil

    name: ClassVar[str] = "mondrian"
    description: ClassVar[str] = (
        "people are divided into ever smaller groups of similar people, as long as the policy allows, and each group "
        "prints what its people have in common"
    )
    recodes: ClassVar[Recodes] = "regions"
    withstands: ClassVar[tuple[str, ...]] = ("insider",)
    carries_populations: ClassVar[bool] = True
    puts_numbers_together: ClassVar[bool] = True
    heeds_hierarchies_of: ClassVar[tuple[ColumnKind, ...]] = ("category", "ordered")

    def __post_init__(self) -> None:
        expect_or_none(str, self.towards, parameter("towards"))
        expect_or_none(str, self.resists, parameter("resists"))
        if self.resists is not None and self.resists not in self.withstands:
            raise BadPolicy(
                f"{parameter('resists')} names a reader, 'insider', and this is {as_given(self.resists, quoted=True)}"
            )

    def search(
        self,
        table: AnyTable,
        policy: Policy,
        *,
        by: Mapping[str, Hierarchy],
        utilities: UtilityNames,
        progress: Progress,
    ) -> dict[UtilityName, SearchOutcome]:
        """Cut until nothing can be cut."""
        orders, check = column_orders(table.quasi, by), PolicyCheck.from_policy(policy, table.people)

        def show(groups: int) -> None:
            progress(f"{groups:,} groups", groups, None)

        if not isinstance(table, Table):
            from sidelight.search.mondrian_streamed import StreamedStore  # noqa: PLC0415 - only of such tables

            memory = table.memory
            streamed = StreamedStore(
                table,
                orders,
                check,
                progress,
                keys=memory.keys_to_hold,
                histograms=memory.to_count,
                groups=memory.to_hold,
            )
            cut_everybody(streamed, check, progress=show)
            return dict.fromkeys(utilities, streamed.outcome())
        if "absence" in {measure.name for measure in policy.measures}:
            # people between the groups: cuts do not tell who is in none
            raise BadPolicy(
                f"method '{self.name}' does not count who of a population is in no group, as 'absence' asks; "
                f"use {parameter('method', 'lattice')}, or leave that limit out"
            )
        limits = None if self.resists is None else self._find_covered_limits(table, policy)
        keys, populations = place_populations(table, policy.registers) if policy.registers else (table, ())
        store = KeyStore.from_table(keys, orders, populations)
        # before any cut: what a population has in one group of everybody
        everybody = store.release() if populations else None
        target = None if self.towards is None else label_counts(keys, self.towards)
        veil = None if limits is None else Veil.build(limits, policy, table.people)
        cut_everybody(store, check, target=target, veil=veil, progress=show)
        if everybody is not None and len(store) == 1 and not check.holds(everybody):
            raise NothingSafe(
                f"method '{self.name}' prints no more than the table's own labels, and too few of the population "
                f"have those; use {parameter('method', 'lattice')}, which may print *"
            )
        # keys that only a population has stand below those of the table
        start, stop, group = store.start, store.stop, store.group[: len(table.sizes)]
        columns = tuple(region_labels(order, start[:, at], stop[:, at]) for at, order in enumerate(orders))
        resistance = None
        if self.resists is not None:
            search = replace(self, resists=None).search
            plain = partial(search, table, policy, by=by, utilities=("loss",), progress=quiet)
            resistance = Resistance(self.resists, None if limits is None else limits.belief, plain)
        outcome = SearchOutcome(
            release_of(table, group, columns, len(store)),
            Regions.from_keys(table, orders, group, start, stop),
            resistance=resistance,
            cuts=store.cut_tree(table.people),
        )
        return dict.fromkeys(utilities, outcome)

    def explain_choice_by_values(self, sensitive: tuple[str, ...], utility: str | None) -> str | None:
        """Return how sensitive values may decide which cuts are made: by the order of cuts towards them."""
        return f"cuts were chosen by what they tell about '{self.towards}'" if self.towards in sensitive else None

    def needs_all_keys(self, utility: UtilityName) -> str | None:
        """Return the option that looks at single keys, if one is set; only such options need all keys."""
        options = {"towards": self.towards, "resists": self.resists}
        return next((parameter(option) for option, setting in options.items() if setting is not None), None)

    def _find_covered_limits(self, table: Table, policy: Policy) -> ValueLimits | None:
        if self.towards in table.sensitive_columns:
            remedy = f"leave {parameter('resists')} out, or cut towards another column"
            raise BadPolicy(f"cuts towards '{self.towards}', which is sensitive, tell of it by their order; {remedy}")
        limits = covered_limits(policy)
        if limits is not None and (table.semantics != "single" or len(table.sensitive_columns) > 1):
            raise BadPolicy(
                f"{parameter('resists', 'insider')} covers one sensitive column with one value per person; "
                f"leave {parameter('resists')} out"
            )
        return limits


def cut_everybody(
    store: Store,
    policy: PolicyCheck,
    *,
    target: Counts | None = None,
    veil: Veil | None = None,
    progress: Callable[[int], None] = lambda _groups: None,
) -> None:
    """Make runs of cuts, one generation of groups after another, until no group can be cut any more.

    Each group tries the cut nearest the median in its most spread-out column first, then in the next, then all
    other cuts; behind a veil, just one of them.
    """
    acceptance = Acceptance(policy, store, target)
    progress(len(store))
    for generation in store.generations(acceptance.least):
        before = len(store)
        if veil is None:
            runs: Iterable[Cuts] = acceptance.cuts(generation)
        else:
            assert isinstance(generation, Generation)  # single keys decide, so that they are held
            runs = veil.cuts(generation, store.orders, target)
        for run, cuts in enumerate(runs):
            if len(cuts):
                store.split(generation, cuts, run)
        if len(store) > before:
            progress(len(store))


@dataclass(eq=False, slots=True)
class Acceptance:
    """Accepts cuts in the order of the groups, each judged in the release that the earlier ones have made."""

    policy: PolicyCheck
    store: Store
    target: Counts | None = None  # how often labels occur in each key that the order of cuts heeds
    screened: list[Floats] = field(default_factory=list)  # per check: the screen's row of each group made so far
    exact: list[ExactRelease] = field(default_factory=list)  # per check, of the current release; built on demand

    def __post_init__(self) -> None:
        if self.checks:
            everybody = self.store.release()
            self.screened = [check.screen.rows(everybody) for check in self.checks]

    @property
    def checks(self) -> tuple[CriterionCheck, ...]:
        """Those that depend on several groups together."""
        return self.policy.together

    @property
    def least(self) -> int:
        """How many people a half must have at least."""
        return max(self.policy.least_group_size or 1, self.policy.least_people(self.store.table.semantics))

    def cuts(self, generation: OpenGroups) -> Iterator[Cuts]:
        """Yield runs of cuts of a generation; each run must be made before the next is drawn."""
        undecided = np.ones(len(generation.numbers), bool)
        for proposed, groups in generation.propose(self, undecided):
            for accepted in self.runs(proposed, groups):
                undecided[accepted.group] = False
                yield accepted

    def proposals(self, groups: OpenGroups, undecided: Flags) -> Proposals:
        """Return what groups try, in their order."""
        return Proposals(groups, self.store.orders, self.target, self.least, undecided)

    def medians(self, proposals: Proposals) -> Cuts:
        """Return the most balanced cuts whose halves may hold, in the order of the groups."""
        within = []
        for cuts in proposals.medians():
            passing = cuts.take(proposals.groups.may_hold_in_halves(cuts, self.policy))
            within.append(passing)
            if not self.checks:  # groups do not wait for each other
                proposals.undecided[passing.group] = False
        return Cuts.concatenate(within).sort_by_group()

    def others(self, proposals: Proposals) -> Cuts:
        """Return all other cuts, of groups that are undecided, whose halves may hold, in the order of the groups."""
        if self.policy.only_group_sizes:
            return Cuts.concatenate([])  # where the most balanced cut leaves a half too small, so do all others
        others = proposals.others()
        return others.take(proposals.groups.may_hold_in_halves(others, self.policy))

    def fitting(self, cuts: Cuts, generation: OpenGroups) -> Cuts:
        """Leave out cuts that do not fit now, each on its own: they never will, as the release only gets finer."""
        fits = np.zeros(len(cuts), bool)
        for first in range(0, len(cuts), EFFORT.cuts):
            rows = np.arange(first, min(first + EFFORT.cuts, len(cuts)))
            block = cuts.take(rows)
            fits[rows] = self._may_fit(block, self._screen_halves(block, generation)[2], generation)
        return cuts.take(fits)

    def runs(self, cuts: Cuts, generation: OpenGroups) -> Iterator[Cuts]:
        """Yield runs of accepted cuts, at most one cut per group; each run must be made before the next is drawn."""
        if not self.checks:
            yield cuts.take(cuts.first_of_each())
            return
        left, right, pairs = self._screen_halves(cuts, generation)
        candidates = np.arange(len(cuts))
        while len(candidates):
            # a cut that does not fit now never will: the release only gets finer
            fits = self._may_fit(cuts.take(candidates), [pair[candidates] for pair in pairs], generation)
            candidates = candidates[fits]
            first = candidates[cuts.take(candidates).first_of_each()]
            length = self._longest_run(cuts.take(first), [pair[first] for pair in pairs], generation)
            run, next_cut = first[:length], first[length : length + 1]
            accepted = cuts.take(run)
            # the row of each cut group becomes that of its left half; right halves follow, as stores number them
            for at, rows in enumerate(self.screened):
                rows[generation.numbers[accepted.group]] = left[at][run]
                self.screened[at] = np.vstack((rows, right[at][run]))
            # it summarises the release as it was before this run
            self.exact = []
            yield accepted
            # in the release that the run has made, the next cut does not fit
            candidates = candidates[~np.isin(cuts.group[candidates], accepted.group) & ~np.isin(candidates, next_cut)]

    def _screen_halves(self, cuts: Cuts, generation: OpenGroups) -> tuple[list[Floats], list[Floats], list[Floats]]:
        """Screen both halves of every cut, for every check; also return what they join to."""
        left = [np.empty((len(cuts), rows.shape[1])) for rows in self.screened]
        right = [rows.copy() for rows in left]
        for at, groups in generation.halves(cuts):
            for check, left_rows, right_rows in zip(self.checks, left, right, strict=True):
                # left halves come first, then right ones
                both = check.screen.rows(groups)
                left_rows[at], right_rows[at] = both[: len(at)], both[len(at) :]
        pairs = [check.screen.join(*both) for check, *both in zip(self.checks, left, right, strict=True)]
        return left, right, pairs

    def _may_fit(self, cuts: Cuts, pairs: list[Floats], generation: OpenGroups) -> Flags:
        """Return which cuts could be made next, each alone: surely, or so close to a limit that a run must decide."""
        fits = np.ones(len(cuts), bool)
        for check, rows, pair in zip(self.checks, self.screened, pairs, strict=True):
            # each pair of halves joins with all groups but the one it was cut from
            before, after = join_forwards(check.screen, rows), join_backwards(check.screen, rows)
            joined, groups, last = pair.copy(), generation.numbers[cuts.group], len(rows) - 1
            for some, beside in (
                (groups > 0, before[groups - 1]),
                (groups < last, after[np.minimum(groups + 1, last)]),
            ):
                joined[some] = check.screen.join(joined[some], beside[some])
            values = check.screen.value(joined)
            close = check.is_close(values)
            fits &= check.clearly_holds(values) | close
            if check.criterion.comparison.strict and (fits & close).any():
                near = np.flatnonzero(fits & close)
                harmless = check.screen.harmless(join_all(check.screen, rows), pair[near])
                fits[near] = self._fit_exactly(check, cuts.take(near), harmless, generation)
        return fits

    def _fit_exactly(self, check: CriterionCheck, cuts: Cuts, harmless: Flags, generation: OpenGroups) -> Flags:
        """Return exactly which cuts could be made next, each alone; harmless ones fit where the release holds."""
        release = self._exactly(check)
        fits = harmless & (not harmless.any() or release.holds)
        left = np.flatnonzero(~fits)
        for rows, halves in self._halves(cuts.take(left), generation) if len(left) else ():
            for at, row in enumerate(left[rows].tolist()):
                both = halves.take(np.array([at, at + len(rows)]))
                fits[row] = release.holds_after(generation.numbers[cuts.group[[row]]], [both])
        return fits

    def _longest_run(self, cuts: Cuts, pairs: list[Floats], generation: OpenGroups) -> int:
        """Count how many of these cuts, of different groups, can be made one after another."""
        if len(cuts) == 0:
            return 0
        states = [
            _value_after_each(check, rows, pair, generation.numbers[cuts.group])
            for check, rows, pair in zip(self.checks, self.screened, pairs, strict=True)
        ]
        clear = np.array([check.clearly_holds(values) for check, values in zip(self.checks, states, strict=True)])
        close = np.array([check.is_close(values) for check, values in zip(self.checks, states, strict=True)])

        def holds(length: int) -> bool:
            doubtful = [check for check, near in zip(self.checks, close[:, length - 1], strict=True) if near]
            if not doubtful:
                return True
            run = cuts.take(np.arange(length))
            cut, halves = generation.numbers[run.group], [each for _, each in self._halves(run, generation)]
            return all(self._exactly(check).holds_after(cut, halves) for check in doubtful)

        # runs of `within` cuts hold, runs of `beyond` cuts do not
        within, beyond = _run_of_true(clear), _run_of_true(clear | close) + 1
        length = beyond - 1
        while beyond - within > 1:
            within, beyond = (length, beyond) if holds(length) else (within, length)
            length = (within + beyond) // 2
        return within

    def _exactly(self, check: CriterionCheck) -> ExactRelease:
        if not self.exact:
            groups = self.store.release()
            self.exact = [ExactRelease(each, groups) for each in self.checks]
        return self.exact[self.checks.index(check)]

    def _halves(self, cuts: Cuts, generation: OpenGroups) -> Iterator[tuple[Integers, Groups]]:
        """Count both halves of each cut, with numbers that no other group has."""
        old = generation.numbers[cuts.group] + 1
        new = len(self.screened[0]) + 1 + np.arange(len(cuts))
        for rows, halves in generation.halves(cuts):
            yield rows, replace(halves, numbers=np.concatenate((old[rows], new[rows])))


def _value_after_each(check: CriterionCheck, rows: Floats, pairs: Floats, groups: Integers) -> Floats:
    """Return the values of the releases that the first cut makes, the first two, and so on."""
    # after the first i cuts: their pairs, the groups to be cut later as they are, and all other groups
    release = join_forwards(check.screen, pairs)
    others = np.delete(rows, groups, axis=0)
    if len(others):
        of_others = np.broadcast_to(join_forwards(check.screen, others)[-1:], release.shape)
        release = check.screen.join(release, of_others)
    # row i: the groups of cuts i + 1, … are still whole
    release[:-1] = check.screen.join(release[:-1], join_backwards(check.screen, rows[groups])[1:])
    return check.screen.value(release)


def _run_of_true(flags: Flags) -> int:
    """Count the columns before the first in which not all is true."""
    everywhere = np.logical_and.reduce(flags, axis=0)
    return len(everywhere) if everywhere.all() else int(np.argmin(everywhere))


@dataclass(frozen=True, eq=False)
class ExactRelease:
    """One criterion of the current release, decided exactly."""

    check: CriterionCheck
    groups: Groups
    _beside: dict[tuple[int, ...], Summary] = field(default_factory=dict)  # blocks → the summary of all others

    @cached_property
    def holds(self) -> bool:
        """Whether the release keeps the criterion."""
        return self.check.decides(merge_summaries(self._blocks))

    def holds_after(self, cut: Integers, halves: Iterable[Groups]) -> bool:
        """Return whether it would with some groups cut (their rows, and what they fall into)."""
        block = np.arange(len(self.groups)) // EFFORT.groups
        blocks = np.unique(block[cut])
        kept = np.isin(block, blocks)
        kept[cut] = False
        summaries = [*self._others(blocks.tolist()), *map(self.check.summary, halves)]
        if kept.any():
            summaries.append(self.check.summary(self.groups.take(np.flatnonzero(kept))))
        return self.check.decides(merge_summaries(summaries))

    @cached_property
    def _blocks(self) -> list[Summary]:
        starts = range(0, len(self.groups), EFFORT.groups)
        return [self.check.summary(self.groups.take(slice(start, start + EFFORT.groups))) for start in starts]

    def _others(self, blocks: list[int]) -> list[Summary]:
        # the blocks that are cut are all there are
        if len(blocks) * EFFORT.groups >= len(self.groups):
            return []
        key = tuple(blocks)
        if key not in self._beside:
            self._beside[key] = merge_summaries(each for at, each in enumerate(self._blocks) if at not in key)
        return [self._beside[key]]
