"""Posteriors of people's values: by each release, and by all of them together.

Symbols     i a person, s a sensitive value, j = 1 … n the releases in which the person is located.
            G_ij the groups of release j that i may be in, w_g how likely each is (Σ w_g = 1 after scaling).
            n_g people in group g, n_g(s) of them with value s; π(s) what is believed before.
One release Pr_j(s) = Σ_g∈G_ij w_g · n_g(s) / n_g: every person of a group is as likely to be i.  In "multiset"
            releases n_g(s) occurrences go to anybody: 1 − (1 − 1/n_g)^n_g(s) instead.
            S_ij = {s : Pr_j(s) > 0}; all values, where i is not located in j or may not be in it, or j has noise:
            then n_g(s) is what is expected behind the noisy count, and never 0.
Together    `common_ground.weigh_evidence`, by how much the releases agree.  Where people have several values each,
            every value is a question with two answers: has it, or not.
Support     {s : Pr(s | all) > 0} = ∩_j S_ij = S_i, as π(s) > 0 for every value that occurs and people are weighed one
            at a time.  S_i is what is possible where nobody may be in two groups.  Otherwise the counts of these
            groups constrain each other, and S_i may hold values that no world has: the people with one value left are
            a lower bound (`Exposure.is_lower_bound`).  S_i may be empty: then the releases contradict each other, and
            the posterior is nan (floats) or None (exactly).
Cost        people × values, a block of rows at a time; sets of values are bits, 64 to a word.
Source      Sets: Ganta, Kasiviswanathan and Smith, KDD 2008.  The form with probabilities is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from sidelight.arrays import Bits, Flags, Floats, Integers, number_rows, pack_bits, pack_positions, unpack_bits
from sidelight.attack.common_ground import ExactOrFloats, Ground, Observation, weigh_evidence
from sidelight.errors import BadRelease, mapping_or_empty, parameter
from sidelight.release.groups import Groups, whole_groups
from sidelight.release.release import Release
from sidelight.search.method import SearchResult
from sidelight.table.labels import Label, Semantics, label, shown
from sidelight.table.table import CELLS_AT_ONCE, Counts

if TYPE_CHECKING:
    from sidelight.attack.intersection import People, PriorName
    from sidelight.release.locate import Linkage

FRACTIONS: Any = np.frompyfunc(Fraction, 1, 1)
"""Whole numbers as fractions, with which the same arithmetic is exact."""


@dataclass(frozen=True, eq=False, slots=True)
class ExpectedCounts:
    """The expected counts behind noisy ones: a release whose counts are in `parts` of a person, none of it 0.

    Nothing is ruled out by it, and nothing certain.
    """

    release: Release
    parts: int


@runtime_checkable
class WithNoise(Protocol):
    """Counts with noise, such as `NoisyCounts`, which `attack` must not import."""

    def expected_counts(self) -> ExpectedCounts:
        """Return the mean of each count after the noisy one was seen."""
        ...


# A release as the world sees it, the result of a search, or the counts that are expected behind noise
ReleaseOrResult: TypeAlias = Release | SearchResult | ExpectedCounts


def find_release(published: ReleaseOrResult) -> Release:
    """Return the release as the world sees it."""
    return published if isinstance(published, Release) else published.release


def find_parts(published: ReleaseOrResult) -> int | None:
    """Return in how many parts of a person expected counts are; None for exact ones."""
    return published.parts if isinstance(published, ExpectedCounts) else None


@dataclass(frozen=True, eq=False)
class View:
    """One release as the attacker sees it: people linked to groups, and `counts` of values under common names.

    `may_have` has the values of each profile as bits (of several groups, the union), all of them where nobody could be
    located; `must_have` those that everybody has in all of its groups.  Counts that are but expected, as noise hides
    them, are in `parts` of a person: they rule out nothing, and nothing is certain by them.
    """

    groups: Groups
    counts: Counts
    linkage: Linkage
    presence: tuple[Fraction, ...]  # how likely people are in it: 1 known to be, 0 known not to be
    presence_codes: Integers  # of each row of people: which of these
    presence_column: str | None = None  # the column of the people that says so
    share_linked_right: Fraction | None = None  # the share of people who were looked for in the right group
    parts: int | None = None

    @cached_property
    def may_have(self) -> Bits:
        """The values of each profile."""
        all_values = np.repeat(pack_bits(np.ones((1, self.counts.width), bool)), len(self.linkage), axis=0)
        if self.parts is not None:
            return all_values
        row, value, _ = self.counts.entries()
        joined = _join_by_profile(pack_positions(row, value, self.counts.shape), self.linkage, np.bitwise_or)
        # nothing is ruled out about a person who is not there: never "no value is left"
        return np.where(self.linkage.matches[:, np.newaxis] > 0, joined, all_values)

    @cached_property
    def must_have(self) -> Bits:
        """The values that everybody has in all groups of each profile."""
        row, value, count = self.counts.entries()
        everybody = self.groups.sizes[row] == (1 if self.semantics == "multiset" else count)
        everybody &= self.parts is None
        values = pack_positions(row[everybody], value[everybody], self.counts.shape)
        return _join_by_profile(values, self.linkage, np.bitwise_and)

    def if_present(self) -> View:
        """Return the view in which everybody who may be in the release is."""
        return replace(self, presence=tuple(Fraction(probability > 0) for probability in self.presence))

    @cached_property
    def is_present(self) -> Flags:
        """Which rows of people are known to be in it."""
        return np.array([probability == 1 for probability in self.presence], bool)[self.presence_codes]

    @cached_property
    def may_be_present(self) -> Flags:
        """Which rows of people are not known to be absent."""
        return np.array([probability > 0 for probability in self.presence], bool)[self.presence_codes]

    def presence_of(self, rows: Integers) -> Floats:
        """Return the probability that rows of people are in it."""
        return np.array(self.presence, float)[self.presence_codes[rows]]

    def exact_presence(self, row: int) -> Fraction:
        """Return the probability that one row of people is in it."""
        return self.presence[int(self.presence_codes[row])]

    def expected_people(self, sizes: Integers) -> Fraction:
        """Return how many people, `sizes` in each row, are in it on average."""
        people = [int(sizes[self.presence_codes == code].sum()) for code in range(len(self.presence))]
        return sum((each * n for each, n in zip(self.presence, people, strict=True)), Fraction(0))

    @property
    def semantics(self) -> Semantics:
        """Whether people have one value ("single") or several."""
        return self.groups.semantics

    @property
    def rules_out(self) -> bool:
        """Whether values that are not in a group are ruled out by it: noise rules out nothing."""
        return self.parts is None

    @property
    def people(self) -> Integers:
        """The people of each group, at least one; those expected, where noise hides them."""
        return self.groups.sizes if self.parts is None else np.maximum(self.groups.sizes // self.parts, 1)

    @property
    def located(self) -> Flags:
        """Which rows of people fit a group."""
        return ~self.linkage.nowhere

    def whereabouts(self, rows: Integers) -> Integers:
        """Return a number for the groups that each row of people may be in: the same groups have the same number."""
        profile = self.linkage.profile[rows]
        alone = self.linkage.matches[profile] == 1
        numbers = len(self.groups) + profile
        numbers[alone] = self.linkage.group[self.linkage.starts[profile[alone]]]
        return numbers

    @property
    def missed(self) -> Flags:
        """Which rows of people fit no group and are not known to be absent."""
        return self.linkage.nowhere & self.may_be_present

    def values(self, rows: Integers | slice) -> Bits:
        """Return the values that rows of people may have (S_ij); all values for those who may not be in the release."""
        present = self.is_present[rows, np.newaxis]
        everything = pack_bits(np.ones((1, self.counts.width), bool))
        return np.where(present, self.may_have[self.linkage.profile[rows]], everything)

    def sure_values(self, rows: Integers | slice) -> Bits:
        """Return the values that rows of people have for sure, by this release alone."""
        present = self.is_present[rows, np.newaxis]
        return np.where(present, self.must_have[self.linkage.profile[rows]], np.uint64(0))

    def group_sizes(self) -> Integers:
        """Return the size of the groups of each row of people; 0 where it is not located."""
        return self.linkage.sums(self.people)[self.linkage.profile]

    def observation(self, rows: Integers, *, exactly: bool = False) -> Observation:
        """Return the evidence of the release about rows of people; in fractions for one of them.

        The values are on the last axis; of several values each has two alternatives, (rows, values, 2).
        """
        shares, present = self.probabilities(rows, exactly=exactly), self.presence_of(rows)
        if exactly:
            row = int(rows[0])
            people = np.array([Fraction(int(self.people[self.linkage.groups_of(row)].sum()))], object)
            present = np.array([self.exact_presence(row)], object)
        else:
            people = self.linkage.sums(self.people)[self.linkage.profile[rows]].astype(np.float64)
        if self.semantics == "single":
            return shares, people[:, np.newaxis], present[:, np.newaxis]
        alternatives = np.stack((shares, 1 - shares), axis=-1)
        return alternatives, people[:, np.newaxis, np.newaxis], present[:, np.newaxis, np.newaxis]

    def probabilities(self, rows: Integers, *, exactly: bool = False) -> ExactOrFloats:
        """Return Pr_j(s) for rows of people, row × value; a row that is not located has 0 throughout."""
        profile = self.linkage.profile[rows]
        matches = self.linkage.matches[profile]
        probabilities = np.full((len(rows), self.counts.width), Fraction(0) if exactly else 0.0)
        # nearly everybody fits one group, which needs no mixture
        alone = matches == 1
        probabilities[alone] = self._shares(self.linkage.group[self.linkage.starts[profile[alone]]], exactly=exactly)
        several = np.flatnonzero(matches > 1)
        if len(several):
            # averaged over the groups of each profile, by their weights: one entry for each pair of profile and group,
            # (pairs,); `starts` is where each profile begins
            some = matches[several]
            starts, first = np.concatenate(([0], np.cumsum(some)[:-1])), self.linkage.starts[profile[several]]
            pair = np.arange(some.sum()) - np.repeat(starts, some) + np.repeat(first, some)
            weight = self.linkage.weight[pair]
            weighted = self._shares(self.linkage.group[pair], exactly=exactly) * weight[:, np.newaxis]
            probabilities[several] = np.add.reduceat(weighted, starts) / np.add.reduceat(weight, starts)[:, np.newaxis]
        return probabilities

    def _shares(self, groups: Integers, *, exactly: bool) -> ExactOrFloats:
        """Return the probability that a person of the group has s: (groups, values)."""
        counts, sizes = self.counts.take(groups).dense(), self.groups.sizes[groups, np.newaxis]
        if exactly:
            counts, sizes = FRACTIONS(counts), FRACTIONS(sizes)
        return 1 - (1 - 1 / sizes) ** counts if self.semantics == "multiset" else counts / sizes


def open_values(may_have: Bits, must_have: Bits, semantics: Semantics) -> Integers:
    """Return how many values are left: candidates, or, of several values, those neither certain nor ruled out."""
    left = may_have if semantics == "single" else may_have & ~must_have
    counts: Integers = np.bitwise_count(left).sum(axis=1).astype(np.int64)
    return counts


def decide_values(may_have: Bits, must_have: Bits, semantics: Semantics) -> tuple[Flags, Flags]:
    """Return for each row whether a value is certain, and whether the releases contradict each other."""
    if semantics == "single":
        left = open_values(may_have, must_have, semantics)
        return left == 1, left == 0
    contradictory = np.any(must_have & ~may_have, axis=1)
    return np.any(must_have, axis=1) & ~contradictory, contradictory


def prior_of(views: Sequence[View], prior: PriorName) -> tuple[Fraction, ...]:
    """Return the prior of each value, before people are located; never 0, as each value occurs somewhere.

    With several values each: the share of people who have it; "uniform": the same for all values, on average right.
    """
    if views[0].semantics == "single":
        by_view = [[Fraction(n, view.parts or 1) for n in view.counts.totals().tolist()] for view in views]
        totals = [sum(each, Fraction(0)) for each in zip(*by_view, strict=True)]
        return tuple(Fraction(1, len(totals)) if prior == "uniform" else n / sum(totals) for n in totals)
    people = [int(view.groups.sizes.sum()) for view in views]
    by_view = []  # how many people of each release have each value
    for view, n in zip(views, people, strict=True):
        expected = [Fraction(total) for total in view.counts.totals().tolist()]
        if view.semantics == "multiset":
            row, value, count = view.counts.entries()
            sizes = view.groups.sizes[row]
            having = np.bincount(value, sizes * (1 - (1 - 1 / sizes) ** count), minlength=view.counts.width)
            # powers decide these shares: fractions with denominators up to 1e9
            expected = [n * Fraction(float(each) / n).limit_denominator(10**9) for each in having]
        by_view.append(expected)
    shares = [sum(each, Fraction(0)) / sum(people) for each in zip(*by_view, strict=True)]
    return (sum(shares, Fraction(0)) / len(shares),) * len(shares) if prior == "uniform" else tuple(shares)


@dataclass(frozen=True, eq=False, slots=True)
class Together:
    """The evidence of several releases together: their common ground, and the people in two groups at once.

    `in_both[i, j]` has, by row of people, the other people of the smaller group who are also in the other one, and how
    many others it has.  `silent[j]` has the rows of people about whom noisy counts j tell nothing more: however the
    values of an exact group are assigned, a cell that holds the whole group has the same counts.
    """

    ground: Ground
    in_both: Mapping[tuple[int, int], Sequence[Integers]]
    silent: Mapping[int, Flags] = field(default_factory=dict)

    @classmethod
    def independent(cls, releases: int) -> Together:
        """Return the model in which each release is evidence of its own."""
        return cls(Ground.independent(releases), {})

    def posteriors(self, views: Sequence[View], prior: Sequence[Fraction], rows: Integers) -> Floats:
        """Return the posterior of some rows of people, row × value."""
        return self._weigh(views, prior, rows, np.arange(len(prior)), exactly=False)

    def exact_posterior(
        self, views: Sequence[View], prior: Sequence[Fraction], row: int
    ) -> tuple[Fraction, ...] | None:
        """Return the posterior of one row of people exactly; none, when the releases contradict each other."""
        one, left = np.array([row]), np.arange(len(prior))
        if views[0].semantics == "single":
            # values that are ruled out stay at 0, and are not calculated with
            left = np.flatnonzero(unpack_bits(values_in_all(views, one), len(prior))[0])
            if len(left) == 0:
                return None
        beliefs = np.full(len(prior), Fraction(0))
        beliefs[left] = self._weigh(views, prior, one, left, exactly=True)[0]
        return None if (beliefs < 0).any() else tuple(beliefs.tolist())

    def _weigh(
        self, views: Sequence[View], prior: Sequence[Fraction], rows: Integers, values: Integers, *, exactly: bool
    ) -> ExactOrFloats:
        """Return the posterior of some values of rows of people; in fractions for one row."""
        before = np.array(prior, object if exactly else float)[values]
        shared = {
            pair: FRACTIONS(common[rows]) / others[rows] if exactly else common[rows] / others[rows]
            for pair, (common, others) in self.in_both.items()
        }
        observations = []
        for at, view in enumerate(views):
            shares, people, present = view.observation(rows, exactly=exactly)
            if at in self.silent:  # 0 people: not located
                people = np.where(self.silent[at][rows].reshape(people.shape), 0 * people, people)
            observations.append((shares[:, values], people, present))
        single = views[0].semantics == "single"
        if not single:
            before = np.stack((before, 1 - before), axis=-1)
        shared = {pair: np.expand_dims(each, (1,) if single else (1, 2)) for pair, each in shared.items()}
        posterior = weigh_evidence(observations, before, self.ground, shared)
        return posterior if single else posterior[..., 0]


def rows_in_some_group(views: Sequence[View]) -> Flags:
    """Return which rows of people fit a group of at least one release that may hold them."""
    placed: Flags = np.logical_or.reduce([view.may_be_present & view.located for view in views])
    return placed


def values_in_all(views: Sequence[View], rows: Integers) -> Bits:
    """Return the values that all releases leave to each row of people (S_i = ∩_j S_ij ⊇ what is possible)."""
    left: Bits = np.bitwise_and.reduce([view.values(rows) for view in views])
    return left


def values_for_sure(views: Sequence[View], rows: Integers) -> Bits:
    """Return the certain values of rows of people, by any release that they are known to be in."""
    sure: Bits = np.bitwise_or.reduce([view.sure_values(rows) for view in views])
    return sure


def _join_by_profile(words: Bits, linkage: Linkage, join: np.ufunc) -> Bits:
    """Return the union or intersection over the groups of each profile: (groups, words) to (profiles, words)."""
    joined = np.zeros((len(linkage), words.shape[1]), np.uint64)
    some = np.flatnonzero(linkage.matches)
    if len(some):
        joined[some] = join.reduceat(words[linkage.group], linkage.starts[some])
    return joined


def cut_rows(views: Sequence[View], rows: Integers) -> Iterator[Integers]:
    """Yield rows in blocks that fit into memory, whatever the number of groups that they fit."""
    # a row costs as many rows of values as it fits groups, in the release where it fits most
    work = np.max([np.maximum(view.linkage.matches, 1)[view.linkage.profile[rows]] for view in views], axis=0)
    done = np.cumsum(work * views[0].counts.width) // CELLS_AT_ONCE
    yield from np.split(rows, np.flatnonzero(np.diff(done)) + 1)


# How much releases agree


def estimate_agreement(
    views: Sequence[View], prior: Sequence[Fraction], people: People, columns: Sequence[Sequence[str]]
) -> Together:
    """Estimate from what is published, and from who is where, how far groups differ and how much releases agree.

    Where few people are in groups of two releases, the `columns` that these go by stand in: as far as they are the
    same, groups are taken to say the same.
    """
    before = np.array([float(each) for each in prior])
    spread = float((before * (1 - before)).sum())
    if spread == 0:
        return Together.independent(len(views))
    agreement = np.diag([_difference_of_groups(view, before, spread) for view in views])
    in_both: dict[tuple[int, int], Sequence[Integers]] = {}
    silent: dict[int, Flags] = {}
    if len(views) > 1:
        nearness = _nearness(views, before, people) / spread
    for i, j in combinations(range(len(views)), 2):
        expected, *in_both[i, j], chance, pairs = _count_same_people(views[i], views[j], people)
        if views[i].rules_out != views[j].rules_out:
            exact, noisy = (i, j) if views[i].rules_out else (j, i)
            inside = expected >= np.maximum(views[exact].group_sizes(), 1)
            silent[noisy] = silent.get(noisy, np.zeros(len(people), bool)) | inside
        either = {*columns[i], *columns[j]}
        overlap = len({*columns[i]} & {*columns[j]}) / len(either) if either else 1.0
        guess = min(agreement[i, i], agreement[j, j]) * overlap
        # at 1 and beyond the people who are in both explain all of it
        measured = (nearness[i, j] - chance) / (1 - chance) if pairs and chance < 1 else guess
        weighed = (pairs * measured + 25 * guess) / (pairs + 25)  # the guess counts for 25 pairs of groups
        # Cauchy and Schwarz: two releases agree no more than the groups of each differ
        most = float(np.sqrt(agreement[i, i] * agreement[j, j]))
        agreement[i, j] = agreement[j, i] = min(max(weighed, 0.0), most)
    return Together(Ground.from_agreement(agreement), in_both, silent)


def _difference_of_groups(view: View, prior: Floats, spread: float) -> float:
    """Return ρ_j: how far the groups of a release differ, beyond what their sizes explain."""
    row, value, count = view.counts.entries()
    sizes, unit = view.groups.sizes, view.parts or 1
    people = sizes.sum() / unit
    if people <= len(sizes):  # one person each: chance cannot be told from difference
        return 0.0
    shares = 1 - (1 - 1 / sizes[row]) ** count if view.semantics == "multiset" else count / sizes[row]
    # Σ_g n_g ‖p_g − π‖², without spreading the counts out
    squares = float((sizes[row] * shares * (shares - 2 * prior[value])).sum()) / unit + people * float((prior**2).sum())
    by_chance = len(sizes) / people
    return float(np.clip((squares / people / spread - by_chance) / (1 - by_chance), 0, 1))


def _nearness(views: Sequence[View], prior: Floats, people: People) -> Floats:
    """Return ⟨p_i − π, p_j − π⟩ of people's groups, release × release, averaged over those located in both."""
    rows = np.arange(len(people))[:: len(people) // 20_000 + 1]  # about 20,000 rows are enough of a sample
    total, weight = np.zeros((len(views), len(views))), np.zeros((len(views), len(views)))
    for block in cut_rows(views, rows):
        located = np.stack([view.located[block] for view in views]).astype(np.float64)
        differences = np.stack(
            [(view.probabilities(block) - prior) * at[:, np.newaxis] for view, at in zip(views, located, strict=True)]
        )
        weights = people.sizes[block]
        # (releases, rows, values) as (releases, rows · values): one product compares all pairs of releases
        weighted = (differences * weights[:, np.newaxis]).reshape(len(views), -1)
        total += weighted @ differences.reshape(len(views), -1).T
        weight += (located * weights) @ located.T
    return total / np.maximum(weight, 1)


def _count_same_people(one: View, other: View, people: People) -> tuple[Floats, Integers, Integers, float, int]:
    """Count who is in groups of two releases at once, by row of people and on average.

    The people expected in both, the person among them; the other people of the smaller group who are also in the other
    one, and how many others it has (1 where there are none), both in hundredths; the chance that two people of the two
    groups are one and the same; and of how many pairs of groups people are in both.
    """
    in_both, others = np.zeros(len(people), np.int64), np.ones(len(people), np.int64)
    expected, both = np.zeros(len(people)), np.flatnonzero(one.located & other.located)
    if len(both) == 0:
        return expected, in_both, others, 0.0, 0
    ranges = [len(view.groups) + len(view.linkage) for view in (one, other)]
    number, first = number_rows([view.whereabouts(both) for view in (one, other)], ranges, rows=len(both))
    likely = one.presence_of(both) * other.presence_of(both)
    sizes = [view.group_sizes()[both[first]] for view in (one, other)]
    smaller = np.minimum(*sizes)
    alike = np.bincount(number, people.sizes[both] * likely)
    same = np.minimum(alike, smaller)
    expected[both] = alike[number]
    # whole hundredths, so that fractions and floats weigh_evidence the same
    in_both[both] = np.maximum(np.rint(100 * (same - 1)), 0).astype(np.int64)[number]
    others[both] = np.maximum(100 * (smaller - 1), 1)[number]
    chance = float(np.average((same / (sizes[0] * sizes[1]))[number], weights=people.sizes[both]))
    return expected, in_both, others, chance, len(first)


# One domain of sensitive values for several releases


class CommonDomain:
    """The values that occur in at least one of the releases, and what each release calls them."""

    def __init__(self, releases: Sequence[Groups], same_values: Mapping[str, str] | None) -> None:
        same = mapping_or_empty(same_values, parameter("same_values"), '{"Grippe": "Flu"}')
        self._same = {label(one): label(other) for one, other in same.items()}
        domains = [dict.fromkeys(self.common_names(groups.domain)) for groups in releases]
        # a release may lack values of another; but when each lacks some of the other's, names may differ
        for (i, one), (j, two) in combinations(enumerate(domains, start=1), 2) if same_values is None else ():
            only_one, only_two = [text for text in one if text not in two], [text for text in two if text not in one]
            if only_one and only_two:
                first, second = shown(only_one[0]), shown(only_two[0])
                raise BadRelease(
                    f"releases {i} and {j} have different sensitive values: '{first}' is only in {i}, '{second}' only "
                    f"in {j}; say which are the same, as in {parameter('same_values', {first: second})}, "
                    f"or {parameter('same_values', {})} if none"
                )
        occurring = {
            name
            for groups in releases
            for name, total in zip(self.common_names(groups.domain), groups.whole.tolist(), strict=True)
            if total
        }
        self._declared = dict.fromkeys(text for names in domains for text in names)
        self.domain: tuple[Label, ...] = tuple(text for text in self._declared if text in occurring)
        self._code = {text: code for code, text in enumerate(self.domain)}

    def common_names(self, texts: Sequence[Label]) -> list[Label]:
        """Return the common name of each value."""
        return [self._same.get(text, text) for text in texts]

    def counts(self, groups: Groups) -> Counts:
        """Return the counts of a release under common names."""
        # a name that no release uses has no code, and no entry that would need one
        codes = np.array([self._code.get(text, 0) for text in self.common_names(groups.domain)], np.int64)
        row, value, count = groups.counts.entries()
        return Counts.from_entries(row, codes[value], count, (len(groups), len(self.domain)))

    def complete(self, releases: Sequence[tuple[Groups, int | None]]) -> list[Groups]:
        """Add the values that were not counted to what is expected behind noise, as frequent as elsewhere.

        Such counts are in parts of a person, `parts` to one; others count people, and stay unchanged.
        """
        return [
            groups if parts is None else self._add_missing_values(groups, parts, (*releases[:at], *releases[at + 1 :]))
            for at, (groups, parts) in enumerate(releases)
        ]

    def _add_missing_values(self, groups: Groups, parts: int, others: Sequence[tuple[Groups, int | None]]) -> Groups:
        assert groups.semantics == "single"  # noise counts people, of one value each (`NoisyCounts.expected_counts`)
        declared = {*self.common_names(groups.domain)}
        elsewhere: Counter[Label] = Counter()
        texts: dict[Label, Label] = {}  # a common name, and what it is called where it occurs
        for other, parts_there in others:
            totals = zip(other.domain, self.common_names(other.domain), other.whole.tolist(), strict=True)
            for text, name, total in totals:
                elsewhere[name] += total / (parts_there or 1)
                if total and name not in declared:
                    texts.setdefault(name, text)
        counted = sum(total for name, total in elsewhere.items() if name in declared)
        # one person more, there and in each group, as there may be none; no part is 0, as noise rules nothing out
        odds = np.minimum([elsewhere[name] / (counted + 1) for name in texts], 1000.0)
        more = np.maximum(np.rint(np.multiply.outer(groups.sizes + parts, odds)), 1).astype(np.int64)
        counts = np.hstack((groups.counts.dense(), more.reshape(len(groups), len(texts))))
        domain, cells = (*groups.domain, *texts.values()), Counts.from_cells(counts)
        return whole_groups(domain=domain, sizes=counts.sum(axis=1), counts=cells, columns=groups.columns)

    def codes(self, texts: tuple[Label, ...]) -> Integers:
        """Return the codes of true values, −1 for one that no release has; raise `BadRelease` for an undeclared one."""
        names = self.common_names(texts)
        undeclared = [text for text in names if text is not None and text not in self._declared]
        if undeclared:
            raise BadRelease(
                f"'{undeclared[0]}' is true of somebody and no release has such a value; "
                f"say what it is called there with {parameter('same_values', {undeclared[0]: ...})}"
            )
        return np.array([self._code.get(text, -1) for text in names], np.int64)
