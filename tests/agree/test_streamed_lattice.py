"""A table on disk is generalised as one in memory is: the same groups at every node."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import NoRoom, SidelightError
from sidelight.release.generalise import Lattice
from sidelight.release.groups import Groups
from sidelight.search.utility import QUICK_UTILITIES
from sidelight.streams import key_stream, sorted_runs
from sidelight.streams.memory import Memory

DAYS = ["1901", "1902", "1911", "1912", None]
ZIPS = ["10", "11", "20", "21"]
VALUES = ["Flu", "Cold", "Ulcer", None]
HIERARCHIES = {
    "day": sl.Hierarchy("day", (tuple(DAYS[:4]), ("190*", "190*", "191*", "191*"), ("19**",) * 4)),
    "zip": sl.Hierarchy("zip", (tuple(ZIPS), ("1*", "1*", "2*", "2*"), ("*",) * 4)),
}


@pytest.fixture(autouse=True)
def _tiny_memory(monkeypatch):
    """Runs of three rows, read two at a time; only the coarsest nodes fit in memory."""
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 3)
    monkeypatch.setattr(Memory, "rolls_up", lambda self, rows: rows <= 6)
    monkeypatch.setattr(Memory, "numbers_kept", 20)
    monkeypatch.setattr(key_stream, "COUNTED_BY_ARRAY", 30)
    monkeypatch.setattr(sorted_runs.SortedRuns.batches, "__defaults__", (2,))


@st.composite
def tables(draw):
    """Rows, and how they are read."""
    values = draw(st.sampled_from(["single", "single", "set", "multiset"]))
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, (DAYS, ZIPS, VALUES))), min_size=2, max_size=24))
    columns = dict(zip(("day", "zip", "disease"), zip(*rows, strict=True), strict=True))
    missing = draw(st.sampled_from(["a value"] + (["no value"] if values != "single" else ["drop"])))
    reading = {"quasi": ["day", "zip"], "sensitive": "disease", "values": values, "missing": missing}
    if all(row[2] is None for row in rows):  # nobody would be left, or have anything
        reading["missing"] = "a value"
    if values != "single":
        # people are numbered within their key, so that nobody has two
        number = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
        columns["person"] = [f"{row[0]}/{row[1]}/{each}" for row, each in zip(rows, number, strict=True)]
        reading["person"] = "person"
    return pa.table({name: pa.array(list(cells), pa.string()) for name, cells in columns.items()}), reading


def streamed_lattice(rows, reading):
    return Lattice(sl.stream_table(rows, **reading), HIERARCHIES)


def listed(groups):
    return [(each.name, each.size, each.counts) for each in map(groups.group, range(len(groups)))]


@examples(15)
@given(table=tables(), data=st.data())
def test_groups_on_disk_are_those_in_memory(table, data):
    rows, reading = table
    held = Lattice(sl.read_table(rows, **reading), HIERARCHIES)
    streamed = streamed_lattice(rows, reading)
    assert streamed.heights == held.heights
    for node in data.draw(st.permutations(list(held.nodes()))):
        groups, own = held.groups_at(node), streamed.groups_at(node)
        assert len(own) == len(groups)
        least, most = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 5))
        assert streamed.few_below(node, least, most=most) == held.few_below(node, least, most=most)
        blocks = [own] if isinstance(own, Groups) else list(own.blocks())
        assert [size for block in blocks for size in block.sizes.tolist()] == groups.sizes.tolist()
        assert [row for block in blocks for row in block.counts.dense().tolist()] == groups.counts.dense().tolist()
        assert all(block.whole.tolist() == groups.whole.tolist() for block in blocks)
        assert listed(streamed.held_groups_at(node)) == listed(groups)


POLICIES = [
    sl.Policy(sl.GroupSize() >= 2),
    sl.Policy(sl.GroupSize() >= 3),
    sl.Policy(sl.GroupSize() > 2, sl.DistinctValues() >= 2),
    sl.Policy(sl.DistinctValues() >= 2),
    sl.Policy(sl.Implications(1) <= 1),
    sl.Policy(sl.Acquaintance(others=1) <= 0.75),
    sl.Policy(sl.GroupSize() >= 2, sl.Closeness(distance="equal") <= 0.5),
    sl.Policy(sl.ProsecutorRisk("average") <= 0.5),
    sl.Policy(sl.GroupSize() >= 99),
]


def outcome(table, policy, method):
    """What a search finds, or why it finds nothing."""
    try:
        found = sl.protect(table, policy, by=HIERARCHIES, method=method, ask="nobody")
    except SidelightError as error:
        return str(error)
    return {
        "release": listed(found.release.groups),
        "columns": [(each.labels, each.codes.tolist(), each.kind) for each in found.release.groups.columns],
        "domain": found.release.domain,
        "whole": found.release.groups.whole.tolist(),
        "levels": found.levels,
        "minimal": found.minimal,
        "choices": found.choices,
        "suppressed": found.suppressed,
        "searched": (found.checked, found.complete),
        "utility": {name: found.utility[name] for name in QUICK_UTILITIES},
        "verdict": found.verdict,
        "notes": found.notes,
    }


@examples(30)
@given(
    table=tables(),
    policy=st.sampled_from(POLICIES),
    suppress=st.sampled_from([0, 0, 0.1, 0.3, 1]),
    suppressed=st.sampled_from(["as *", "left out"]),
    nodes=st.sampled_from([None, None, 3]),
)
def test_a_search_on_disk_ends_with_the_release_of_one_in_memory(table, policy, suppress, suppressed, nodes):
    rows, reading = table
    method = sl.FullDomain(suppress=suppress, suppressed=suppressed, nodes=nodes)
    held = outcome(sl.read_table(rows, **reading), policy, method)
    streamed = outcome(sl.stream_table(rows, **reading), policy, method)
    assert streamed == held


@examples(15)
@given(
    table=tables(),
    policy=st.sampled_from(POLICIES),
    suppress=st.sampled_from([0, 0.3]),
    day=st.integers(0, 3),
    zip_code=st.integers(0, 2),
)
def test_levels_that_somebody_chose_are_judged_alike(table, policy, suppress, day, zip_code):
    rows, reading = table
    method = sl.FullDomain(suppress=suppress, levels={"day": day, "zip": zip_code})
    held = outcome(sl.read_table(rows, **reading), policy, method)
    assert outcome(sl.stream_table(rows, **reading), policy, method) == held


def test_a_release_that_cannot_be_held_says_how_much_it_takes(monkeypatch):
    monkeypatch.setattr(Memory, "holds_groups", lambda self, numbers: False)
    rows = pa.table({"day": DAYS[:4] * 4, "zip": ["10", "11"] * 8, "disease": ["Flu", "Flu", "Cold", "Cold"] * 4})
    table = sl.stream_table(rows, quasi=["day", "zip"], sensitive="disease")
    with pytest.raises(NoRoom, match=r"\b4 groups.*too many.*[0-9.]+MB.*limits") as caught:
        sl.protect(table, sl.GroupSize() >= 2, by=HIERARCHIES, ask="nobody")
    assert caught.value.parameters == ("memory",)


@examples(8)
@given(table=tables(), limit=st.sampled_from([1, 2]))
def test_who_knows_another_sensitive_column(table, limit):
    rows, _ = table
    policy = sl.Policy(sl.DistinctValues().about("disease", known="zip") >= limit, sl.GroupSize() >= 2)
    reading = {"quasi": "day", "sensitive": ["disease", "zip"], "missing": "a value"}
    held, streamed = (
        outcome(read(rows, **reading), policy, sl.FullDomain()) for read in (sl.read_table, sl.stream_table)
    )
    assert streamed == held


def test_a_search_that_is_interrupted_ends_with_what_it_has(monkeypatch):
    checks = iter(range(3))

    def interrupted(what, *_):
        if "read" not in what and next(checks, None) is None:
            raise KeyboardInterrupt

    rows = pa.table({"day": DAYS[:4] * 4, "zip": ["10", "11"] * 8, "disease": ["Flu", "Flu", "Cold", "Cold"] * 4})
    table = sl.stream_table(rows, quasi=["day", "zip"], sensitive="disease")
    found = sl.protect(table, sl.GroupSize() >= 8, by=HIERARCHIES, ask="nobody", progress=interrupted)
    assert not found.complete
    assert found.verdict.safe
