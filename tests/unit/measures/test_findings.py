"""Several questions at once: in their order, in blocks, streamed, and none of them."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, NoRoom
from sidelight.measures.findings import count_parts_before, findings, view_block
from sidelight.measures.k_anonymity import GroupSize
from sidelight.release import groups as release_groups
from sidelight.streams import sorted_runs
from sidelight.streams.memory import Memory
from sidelight.table import table as counts

MEASURES = [sl.Implications(1), sl.GroupSize(), sl.DistinctValues(), sl.ProsecutorRisk("average")]


def test_several_at_once_in_the_order_they_were_given():
    measures = [sl.Implications(1), sl.MaxEnt(), sl.GroupSize()]
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 2, "c": 2}])
    assert [finding.measure for finding in findings(measures, release)] == measures
    assert findings([], release) == ()


# A release in blocks: each block counts, wherever the worst group is.


@pytest.mark.parametrize("at_once", [4, 2])
@pytest.mark.parametrize("worst", range(4))
@pytest.mark.parametrize("width", [2, 40], ids=["dense", "sparse"])
def test_the_worst_group_may_be_in_any_block(worst, at_once, width, monkeypatch):
    """Four groups in one block or in two; groups that are equal to the worst one come after it."""
    domain = [f"v{place:02d}" for place in range(width)]
    rows = [{"v00": 2, "v01": 2} if row < worst else {"v00": 1, "v01": 2} for row in range(4)]
    release = sl.Release.from_counts(rows, domain=domain)
    alone = tuple(measure.measure(release) for measure in MEASURES)
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", at_once * width)
    monkeypatch.setattr(release_groups, "CELLS_AT_ONCE", at_once * width)
    assert (release.groups.counts.cells is None) == (width == 40)
    assert len([*release.groups.blocks()]) == 4 // at_once
    together = findings(MEASURES, release)
    assert together == alone
    assert (together[1].value, together[1].witness.group.number) == (3, worst + 1)
    assert together[3].value == Fraction(4, worst * 4 + (4 - worst) * 3)


class Onlooker(GroupSize):
    """Remembers which groups it was shown, and whether their counts were spread out."""

    def __init__(self, *, once):
        object.__setattr__(self, "once", once)
        object.__setattr__(self, "seen", [])

    @property
    def equal_groups_count_once(self):
        return self.once

    def summarize(self, groups):
        self.seen.append((groups.numbers.tolist(), groups.counts.cells is not None))
        return super().summarize(groups)


@pytest.mark.parametrize(("width", "few"), [(2, [[1, 2], [3, 4]]), (40, [[1], [3]])], ids=["dense", "sparse"])
def test_each_block_is_looked_at_once_and_of_sparse_groups_one_of_each_kind(width, few, monkeypatch):
    domain = [f"v{place:02d}" for place in range(width)]
    release = sl.Release.from_counts([{"v00": 1, "v01": 2}] * 4, domain=domain)
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", 2 * width)
    monkeypatch.setattr(release_groups, "CELLS_AT_ONCE", 2 * width)
    once, every = Onlooker(once=True), Onlooker(once=False)
    assert [finding.value for finding in findings([once, every], release)] == [3, 3]
    assert sorted(once.seen) == [(numbers, True) for numbers in few]
    assert sorted(every.seen) == [([1, 2], True), ([3, 4], True)]


def test_measures_that_do_not_fit_are_refused_before_any_is_measured():
    release = sl.Release.from_counts([{"a": 2}], sizes=[2], values="set")
    with pytest.raises(BadMeasure, match="'expected candidates' is defined for single values"):
        findings([sl.GroupSize(), sl.ExpectedCandidates()], release)


# A release that is streamed: what it would say in memory.

ROWS = pa.table(
    {
        "zip": ["1", "1", "1", "2", "2", "2", "3", "3", "3", "3"],
        "disease": ["Flu", "Cold", "Flu", "Flu", "HIV", "HIV", "Flu", "HIV", "Cold", "Cold"],
        "income": ["low", "low", "high", "low", "high", "high", "low", "low", "high", "high"],
    }
)
PEOPLE = pa.table({"zip": ["1"] * 4 + ["2"] * 3 + ["3"] * 9})


@pytest.fixture
def _tiny_blocks(monkeypatch):
    """Sort three rows at a time and read two, so that a release has several blocks."""
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 3)
    monkeypatch.setattr(sorted_runs.SortedRuns.batches, "__defaults__", (2,))


def both_ways(sensitive):
    return (read(ROWS, group="zip", sensitive=sensitive) for read in (sl.read_release, sl.stream_release))


ABOUT = [
    sl.DistinctValues().about("disease"),
    sl.DistinctValues().about("income", known="disease"),
    sl.GroupSize().about(known=["income"]),
    sl.Implications(1).about("income"),
    sl.ProsecutorRisk("average").about("income", known="disease"),
    sl.GroupSize(),
]


@pytest.mark.usefixtures("_tiny_blocks")
@pytest.mark.parametrize(
    ("sensitive", "measures"),
    [
        ("disease", MEASURES),
        ("disease", [sl.JournalistRisk(PEOPLE), sl.GroupSize(), sl.MarketerRisk(PEOPLE)]),
        ("disease", [sl.GroupSize(), sl.MaxEnt()]),
        ("disease", []),
        (["disease", "income"], ABOUT),
    ],
    ids=["values", "population", "at once", "none", "columns"],
)
def test_streamed_findings_are_those_in_memory(sensitive, measures):
    held, streamed = both_ways(sensitive)
    assert len([*streamed.blocks()]) > 1
    assert findings(measures, streamed) == findings(measures, held) == tuple(each.measure(held) for each in measures)


def test_a_block_that_is_streamed_may_be_looked_at_in_parts(monkeypatch):
    held, streamed = both_ways("disease")
    alone = tuple(each.measure(held) for each in MEASURES)
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", 3)
    monkeypatch.setattr(release_groups, "CELLS_AT_ONCE", 3)
    assert [len([*block.all.blocks()]) for block in streamed.blocks()] == [2, 1]
    assert findings(MEASURES, streamed) == alone


def test_a_stream_is_refused_what_its_release_is():
    _, streamed = both_ways(["disease", "income"])
    with pytest.raises(BadMeasure, match="'distinct values' is about one sensitive column"):
        findings([sl.GroupSize(), sl.DistinctValues()], streamed)


def test_a_measure_that_needs_all_groups_is_named_where_they_do_not_fit(monkeypatch):
    _, streamed = both_ways("disease")
    monkeypatch.setattr(Memory, "holds_groups", lambda self, numbers: False)
    with pytest.raises(NoRoom, match=r"^'maximum entropy' looks at all groups at once, and 3 do not fit into memory="):
        findings([sl.GroupSize(), sl.MaxEnt()], streamed)


@pytest.mark.usefixtures("_tiny_blocks")
def test_a_measure_sees_its_column_of_a_block_and_numbers_of_the_whole_view():
    held, streamed = both_ways(["disease", "income"])
    known = sl.DistinctValues().about("income", known="disease")
    before = count_parts_before([known, sl.DistinctValues().about("income"), sl.GroupSize()], streamed)
    assert [*before] == [("disease",)]
    numbers, parts = [], []
    for block in streamed.blocks():
        plain, groups = view_block(sl.DistinctValues().about("income"), before, block)
        assert (plain, groups.domain) == (sl.DistinctValues(), ("high", "low"))
        numbers += groups.numbers.tolist()
        plain, groups = view_block(known, before, block, every=True)
        assert (plain, groups.domain) == (sl.DistinctValues(), ("high", "low"))
        parts += groups.numbers.tolist()
        plain, groups = view_block(sl.GroupSize(), before, block)
        assert (plain, groups.domain) == (sl.GroupSize(), streamed.domain)
    assert numbers == [1, 2, 3]
    assert parts == [*range(1, len(held.about("income", known="disease")) + 1)] == [*range(1, 8)]


def test_of_equal_groups_the_first_is_enough_unless_all_are_to_be_counted():
    """Two groups of one Flu each, and a third in a block of its own: an average needs all."""
    rows = pa.table({"zip": ["1", "2", "3"], "disease": ["Flu"] * 3, "income": ["low"] * 3})
    streamed = sl.stream_release(rows, group="zip", sensitive=["disease", "income"])
    measure, average = sl.DistinctValues(), sl.ProsecutorRisk("average")
    for asked in (measure.about("disease"), measure.about("disease", known="income"), sl.GroupSize()):
        before = count_parts_before([asked], streamed)
        for counted, expected in (({}, [1]), ({"every": False}, [1]), ({"every": True}, [1, 2])):
            block = next(streamed.blocks())
            assert view_block(asked, before, block, **counted)[1].numbers.tolist() == expected
    for asked in (average, average.about(known="income")):
        block = next(streamed.blocks())
        assert view_block(asked, count_parts_before([asked], streamed), block)[1].numbers.tolist() == [1, 2]
