"""Measures of one group at a time beyond small releases: huge counts, ties, blocks, values that nobody has."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.about import findings
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import CriterionCheck, Finding, Witness
from sidelight.measures.exact import EXACT, FLOATS
from sidelight.measures.group_by_group import GroupByGroup, ShareWitness, exact_shares, share_witness, shares
from sidelight.release.groups import whole_groups
from sidelight.release.population import Population
from sidelight.table import table as counts_module
from sidelight.table.table import Counts

CLASSICS = [
    sl.GroupSize(),
    sl.DistinctValues(),
    sl.EntropyDiversity(),
    sl.RecursiveDiversity(l=2),
    sl.Closeness(),
    sl.Closeness(distance="ordered"),
    sl.BetaLikeness(),
    sl.BetaLikeness(kind="enhanced"),
    sl.DeltaDisclosure(),
    sl.DeltaDisclosure(absent="skipped"),
]


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_a_release_in_which_nobody_has_a_value(measure):
    release = sl.Release.from_counts([{"a": 0, "b": 0}, {}], sizes=[2, 3], values="set")
    finding = measure.measure(release)
    expected = {"group size": 2, "distinct values": 0, "entropy diversity": 1}
    assert finding.value == expected.get(measure.name, 0)
    assert isinstance(finding.value, Fraction)
    assert finding.explain()
    assert finding.witness is not None or finding.notes


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_counts_beyond_floats(measure):
    """Two groups that differ by one person in 10¹⁷: a float cannot tell, the finding can."""
    huge = 10**17
    release = sl.Release.from_counts([{"a": huge, "b": huge}, {"a": huge + 1, "b": huge}])
    finding = measure.measure(release)
    assert finding.replay(release) == finding.value
    overall = Fraction(2 * huge + 1, 4 * huge + 1)
    if measure.name == "closeness":
        assert finding.value == max(overall - Fraction(1, 2), Fraction(huge + 1, 2 * huge + 1) - overall)
    if measure.name == "recursive diversity":
        assert finding.value == Fraction(huge + 1, huge)


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_many_groups_give_the_same_as_their_twins_in_blocks(measure, kind):
    """Several blocks, thousands of ties, dense and sparse: the value is the one of the different groups alone."""
    rng = np.random.default_rng(7)
    width = 8 if kind == "dense" else 60
    different = rng.multinomial(rng.integers(1, 9, 50), rng.dirichlet(np.ones(width)))
    many = np.tile(different, (3_000_000 // different.size, 1))
    counts = Counts.from_cells(many)
    assert (counts.cells is None) == (kind == "sparse")
    names = tuple(f"v{place:02d}" for place in range(width))
    large = sl.Release(whole_groups(domain=names, sizes=many.sum(axis=1), counts=counts))
    small = sl.Release.from_counts([dict(zip(names, row.tolist(), strict=True)) for row in different], domain=names)
    one, other = measure.measure(large), measure.measure(small)
    assert one.value == other.value
    assert one.witness.group.number == other.witness.group.number
    assert one.witness.value == other.witness.value


def test_equal_shares_reveal_exactly_nothing():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 3, "b": 6}], domain=["a", "b", "nowhere"])
    for measure in (sl.DeltaDisclosure(), sl.BetaLikeness(), sl.BetaLikeness(kind="enhanced"), sl.Closeness()):
        finding = measure.measure(release)
        assert finding.value == 0
        assert isinstance(finding.value, Fraction)
        assert "every group" in finding.explain().lower() or "any group" in finding.explain()


def test_shares_are_the_same_in_both_arithmetics():
    groups = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 3}], domain=["a", "b", "nowhere"]).groups
    counts = groups.counts.dense()
    exact, floats = shares(EXACT.whole(counts), groups, EXACT), shares(counts, groups, FLOATS)
    assert exact[0][0].tolist() == [Fraction(1, 3), Fraction(2, 3), 0]
    for one, other in zip(exact, floats, strict=True):
        np.testing.assert_allclose(one.astype(float), other)


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_groups_of_one_kind_have_one_value(measure):
    """What searches rely on: the kind decides the exact value."""
    rows = [{"a": 1, "b": 2}, {"a": 2, "b": 4}, {"a": 2, "b": 1}, {"a": 1, "b": 1, "c": 1}]
    groups = sl.Release.from_counts(rows, domain=["a", "b", "c"]).groups
    finite = np.isfinite(measure.scores(groups))
    values = measure.exact_values(measure.statistic(groups)[finite], groups)
    kinds = [tuple(kind) for kind in measure.kinds(groups)[finite].tolist()]
    assert len({*zip(kinds, values, strict=True)}) == len({*kinds})


def everybody_with_a_value_left_out(limit):
    rows = {"a": ["1", "1", "2", "2"], "who": ["p", "q", "r", "r"], "ill": [None, None, "Flu", "Cold"]}
    table = sl.read_table(pa.table(rows), quasi="a", sensitive="ill", values="set", person="who", missing="no value")
    stars = {"a": sl.Hierarchy.suppression("a", ["1", "2"])}
    return sl.protect(table, limit, by=stars, method=sl.FullDomain(suppress=0.4, suppressed="left out"), ask="nobody")


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_a_release_whose_values_are_all_left_out(measure):
    release = everybody_with_a_value_left_out(sl.GroupSize() >= 2).release
    assert (release.size, release.domain) == (2, ())
    finding = measure.measure(release)
    assert finding.explain()
    assert finding.witness is None or finding.replay(release) == finding.value
    assert len(measure.screen().kinds(release.groups)) == len(release)


@pytest.mark.parametrize("measure", CLASSICS, ids=str)
def test_searches_pass_releases_without_values(measure):
    limit = measure <= min(measure.limits[1], 9) if measure.large_is_bad else measure >= 1
    found = everybody_with_a_value_left_out(sl.Policy(sl.GroupSize() >= 2, limit))
    assert found.verdict.safe


# Which groups count once, in which form, and what a search sees of them.


class Weighted(GroupSize):
    needs_weights: ClassVar[bool] = True


class Printed(GroupSize):
    counts_decide = False


class Registered(GroupSize):
    register = Population.from_source(pa.table({"age": ["31"]}))


@pytest.mark.parametrize(
    ("measure", "once"), [(sl.GroupSize(), True), (Weighted(), False), (Printed(), False), (Registered(), False)]
)
def test_equal_groups_count_once_where_counts_alone_decide(measure, once):
    assert measure.equal_groups_count_once is once


def test_what_looks_at_print_has_no_screen():
    with pytest.raises(BadMeasure) as refused:
        Printed().screen()
    assert mentions(refused.value, "'group size'", "what groups print", "search without it")


GROUPS = sl.Release.from_counts([{"a": 2, "b": 4}, {"a": 1, "b": 2}, {"b": 3}], domain=["a", "b", "c"]).groups


def test_proportions_are_one_kind_and_sizes_are_not():
    one, same, other = sl.Closeness().kinds(GROUPS).tolist()
    assert one == same != other
    assert sl.Closeness("ordered").kinds(GROUPS).tolist() == [[1, 2, 0], [1, 2, 0], [0, 1, 0]]
    assert sl.GroupSize().kinds(GROUPS).tolist() == [[6], [3], [3]]
    assert sl.GroupSize().canonical(np.array([[4, 2]])).tolist() == [[4, 2]]
    assert sl.Closeness().screen().kinds(GROUPS).tolist() == sl.Closeness().kinds(GROUPS).tolist()


@dataclass(frozen=True)
class Given(GroupSize):
    """Whatever values it is given, whatever the groups."""

    values: tuple = ()

    def formula(self, statistic, groups, arithmetic):
        return np.array(self.values)


class GivenRisk(Given):
    large_is_bad: ClassVar[bool] = True
    whole_numbers: ClassVar[bool] = False


def test_a_screen_takes_infinities_at_their_word_and_nothing_for_the_best():
    scores = (-math.inf, math.nan, math.inf)
    assert Given(scores).screen().rows(GROUPS).tolist() == [[-math.inf], [math.inf], [math.inf]]
    assert GivenRisk(scores).screen().rows(GROUPS).tolist() == [[-math.inf], [-math.inf], [math.inf]]
    assert Given((1, 2, 3)).screen().rows(GROUPS).dtype == float


def test_a_screen_keeps_the_worse_of_two():
    one, other = np.array([[1.0], [5.0]]), np.array([[2.0], [4.0]])
    assert Given().screen().join(one, other).tolist() == [[1], [4]]
    assert GivenRisk().screen().join(one, other).tolist() == [[2], [5]]
    assert Given().screen().value(one).tolist() == [1, 5]
    assert [each.screen().exact for each in (Given(), GivenRisk())] == [True, False]
    assert Given().screen().group_by_group


def test_a_formula_that_forgets_a_group_is_noticed():
    with pytest.raises(ValueError, match="zip"):
        Given((1, 2)).exact_values(np.array([[6], [3], [3]]), GROUPS)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (3, Fraction(3)),
        (Fraction(2, 3), Fraction(2, 3)),
        (math.inf, math.inf),
        (Decimal(0), Fraction(0)),
    ],
)
def test_what_is_rational_is_reported_exactly(number, value):
    for measure in (Given(), GivenRisk()):
        settled = measure.settle(number, [1])
        assert (settled, type(settled)) == (value, type(value))


def test_what_is_irrational_is_rounded_towards_caution():
    """A third in 60 digits lies between two floats."""
    third = Decimal(1) / Decimal(3)
    down, up = Given().settle(third, [1]), GivenRisk().settle(third, [1])
    assert down < third < up
    assert math.nextafter(down, 1) == up


@dataclass(frozen=True)
class OneByOne(GroupByGroup):
    """Says of each group what a group's size says, in the way that measures without a formula do."""

    when_groups_merge = sl.Monotonicity.NON_DECREASING
    large_is_bad: ClassVar[bool] = False

    def scores(self, groups):
        return GroupSize().scores(groups)

    def kinds(self, groups):
        return GroupSize().kinds(groups)

    def summarize(self, groups):
        return GroupSize().summarize(groups)

    def explain(self, finding):
        return GroupSize().explain(finding)

    def replay(self, witness, release):
        return GroupSize().replay(witness, release)


@pytest.mark.parametrize("starts", [[0], [0, 1], [0, 2], [0, 1, 2]])
def test_each_part_has_its_own_worst_group(starts):
    stops = [*starts[1:], 3]
    for measure in (sl.GroupSize(), OneByOne(), sl.Closeness(), sl.DistinctValues()):
        alone = [
            measure.summarize(GROUPS.take(slice(start, stop))).finding().value
            for start, stop in zip(starts, stops, strict=True)
        ]
        parts = [*type(measure).worst_of_parts([measure, measure], GROUPS, np.array(starts))]
        assert [[*each] for each in parts] == [alone, alone]
    sizes = [6, 3, 3]
    expected = [min(sizes[start:stop]) for start, stop in zip(starts, stops, strict=True)]
    assert [*GroupSize.worst_of_parts([sl.GroupSize()], GROUPS, np.array(starts))] == [expected]


def test_groups_are_summarised_in_the_order_of_their_numbers():
    backwards = GROUPS.take(np.array([2, 1, 0]))
    assert sl.GroupSize().summarize(backwards).finding().witness.group.number == 2


def test_of_no_values_a_measure_says_what_it_says_of_nothing():
    class NoteTaker(sl.Closeness):
        if_nothing_to_measure: ClassVar[Fraction] = Fraction(7)

        def notes(self, groups):
            return (f"{len(groups)} groups",)

    nobody = sl.Release.from_counts([{"a": 0}, {}], sizes=[2, 3], values="set")
    finding = NoteTaker().summarize(nobody.groups).finding()
    why, note = finding.notes
    assert mentions(why, "no group", "any value")
    assert note == "2 groups"
    assert finding == Finding(NoteTaker(), Fraction(7), None, (why, note))
    assert NoteTaker().summarize(GROUPS).finding().notes == ("3 groups",)
    assert sl.Closeness().notes(GROUPS) == ()


def test_shares_by_their_definition():
    """Of the second group (1, 2, 0) of 12 people in all, (3, 9, 0)."""
    witness = share_witness(GROUPS, 1, 1)
    assert witness == ShareWitness(GROUPS.name(1), "b", here=Fraction(2, 3), overall=Fraction(3, 4))
    here, overall = exact_shares(GROUPS, Witness(GROUPS.name(1)))
    assert here == {"a": Fraction(1, 3), "b": Fraction(2, 3), "c": 0}
    assert overall == {"a": Fraction(1, 4), "b": Fraction(3, 4), "c": 0}


WIDE = [*CLASSICS, sl.Implications(1), sl.ProsecutorRisk(), sl.BetaLikeness(apart_from=["v0"])]


@pytest.mark.parametrize("measure", WIDE, ids=str)
def test_wide_counts_are_measured_as_narrow_ones(measure, monkeypatch):
    """Few of many values occur in a group; which ones, and how many, differs from group to group."""
    rng = np.random.default_rng(3)
    groups = [
        {f"v{value}": int(rng.integers(1, 4)) for value in rng.choice(60, size=size, replace=False)}
        for size in (1, 3, 2, 12, 3, 1, 7, 2)
    ]
    release = sl.Release.from_counts(groups, domain=[f"v{value}" for value in range(60)])
    assert release.groups.counts.cells is None
    narrow = findings([measure], release)[0]
    monkeypatch.setattr(counts_module, "WIDE_FROM", 1)
    monkeypatch.setattr(counts_module, "CELLS_AT_ONCE", 16)
    assert release.groups.counts.is_wide
    (wide,) = findings([measure], release)
    assert (wide.value, wide.witness) == (narrow.value, narrow.witness)
    check = CriterionCheck.from_criterion(measure <= 1 if measure.large_is_bad else measure >= 2, release.size)
    assert check.screen.group_by_group or measure.name == "implications"
    held = check.holds_in_each(release.groups).tolist()
    monkeypatch.undo()
    assert CriterionCheck.from_criterion(check.criterion, release.size).holds_in_each(release.groups).tolist() == held
