"""A release that is streamed has the findings, witnesses and numbers that it has in memory."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.engines import read as engine_read
from sidelight.errors import SidelightError
from sidelight.measures.about import findings
from sidelight.policy.measure_names import all_measures
from sidelight.release import population
from sidelight.streams import sorted_runs
from sidelight.streams.memory import Memory

CELLS = ["10", "9", "a", "*", None]
VALUES = ["Flu", "Cold", "7", None]


@pytest.fixture(autouse=True)
def _tiny_batches(monkeypatch):
    """Runs of three rows, read two at a time: keys that go on in the next batch are then no rare thing."""
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 3)
    monkeypatch.setattr(sorted_runs.SortedRuns.batches, "__defaults__", (2,))


@st.composite
def readings(draw):
    """Rows, and how they are read."""
    values = draw(st.sampled_from(["single", "single", "set", "multiset"]))
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, (CELLS, CELLS[:3], VALUES))), min_size=1, max_size=14))
    columns = dict(zip(("zip", "sex", "disease"), zip(*rows, strict=True), strict=True))
    reading = {
        "group": ["zip", "sex"],
        "sensitive": "disease",
        "values": values,
        "missing": draw(st.sampled_from(["a value", "drop"] + (["no value"] if values != "single" else []))),
        "suppressed": draw(st.sampled_from(["a group", "leave out"])),
    }
    if values != "single":
        # people are numbered within their key, so that nobody has two
        number = draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
        columns["person"] = [f"{row[0]}/{row[1]}/{each}" for row, each in zip(rows, number, strict=True)]
        reading["person"] = "person"
    return pa.table({name: pa.array(list(cells), pa.string()) for name, cells in columns.items()}), reading


def answer(read, table, reading):
    """What is read, or why not."""
    try:
        return read(table, **reading)
    except SidelightError as error:
        return str(error)


@examples(25)
@given(reading=readings(), repeat=st.booleans(), data=st.data())
def test_streamed_findings_are_those_in_memory(reading, repeat, data):
    table, roles = reading
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_read, "REPEAT_BELOW", 1.0 if repeat else -1.0)  # the engine counts, or nobody does
        held, streamed = answer(sl.read_release, table, roles), answer(sl.stream_release, table, roles)
    if isinstance(held, str):
        assert streamed == held
        return
    assert (len(streamed), streamed.size, streamed.domain) == (len(held), held.size, held.domain)
    assert streamed.intake == held.intake
    assert streamed.stream.totals.tolist() == held.groups.whole.tolist()
    every = [each for kind in all_measures() for each in kind.examples(held.domain) if held.semantics in each.semantics]
    for measure in data.draw(st.permutations([each for each in every if each.streams]))[:8]:
        assert answer(asked, streamed, {"measure": measure}) == answer(asked, held, {"measure": measure})


def asked(release, measure):
    return findings([measure], release)


@examples(15)
@given(reading=readings(), weights=st.lists(st.sampled_from(["1", "2.5", "40", "0.5", "x"]), min_size=14, max_size=14))
def test_sampling_weights_are_those_in_memory(reading, weights):
    table, roles = reading
    table = table.append_column("weight", pa.array(weights[: len(table)]))
    held, streamed = (
        answer(read, table, roles | {"weight": "weight"}) for read in (sl.read_release, sl.stream_release)
    )
    if isinstance(held, str):
        assert streamed == held
        return
    assert [
        weight for block in streamed.blocks() for weight in block.all.weights.tolist()
    ] == held.groups.weights.tolist()
    for measure in (sl.IndividualRisk(), sl.IndividualRisk("average"), sl.UniqueMatch(), sl.GroupSize()):
        assert answer(asked, streamed, {"measure": measure}) == answer(asked, held, {"measure": measure})


@examples(15)
@given(reading=readings())
def test_groups_are_the_same_group_by_group(reading):
    table, roles = reading
    held, streamed = answer(sl.read_release, table, roles), answer(sl.stream_release, table, roles)
    if isinstance(held, str):
        return
    groups = [block.all.group(row) for block in streamed.blocks() for row in range(len(block))]
    assert groups == list(held)
    whole = streamed.held("a test")
    assert list(whole) == list(held)
    assert written(whole) == written(held)


def written(release):
    columns = [(column.labels, column.codes.tolist(), column.kind) for column in release.groups.columns]
    return columns, release.groups.whole.tolist(), release.intake


WHOLE = [
    sl.MaxEnt(),
    sl.CheapestKnowledge(0.9),
    sl.SinglingOut(2),
    sl.Inference(columns=["sex"]),
    sl.Learner(rounds=2),
    sl.Insider(),
]


@examples(4)
@given(reading=readings(), measure=st.sampled_from(WHOLE))
def test_measures_of_whole_releases_are_those_in_memory_where_groups_fit(reading, measure):
    table, roles = reading
    held, streamed = answer(sl.read_release, table, roles), answer(sl.stream_release, table, roles)
    assume(not isinstance(held, str))
    both = [measure, sl.GroupSize()]
    assert answer(findings_of, streamed, {"measures": both}) == answer(findings_of, held, {"measures": both})


def findings_of(release, measures):
    return findings(measures, release)


@examples(10)
@given(
    rows=st.lists(st.tuples(*map(st.sampled_from, ("ab", "xyz", ["low", "high"]))), min_size=1, max_size=12),
)
def test_several_sensitive_columns(rows):
    cells = zip(*rows, strict=True)
    table = pa.table({name: pa.array(each) for name, each in zip(("zip", "disease", "income"), cells, strict=True)})
    roles = {"group": "zip", "sensitive": ["disease", "income"]}
    policy = sl.Policy(
        sl.GroupSize() >= 2,
        sl.DistinctValues() >= 2,
        sl.Closeness(distance="equal") <= 0.5,
        sl.Inference() <= 0.5,
        sl.DistinctValues().about("disease", known="income") >= 2,
        sl.Acquaintance(0, 1, 1).about("income", known="disease") <= 0.9,
        sl.GroupSize().about(known=["disease", "income"]) >= 2,
        sl.MaxEnt().about("disease") <= 0.9,
    )
    held, streamed = sl.read_release(table, **roles), sl.stream_release(table, **roles)
    for judged in (policy, sl.Policy(*policy.criteria[:-1])):
        assert judged.judge(streamed) == judged.judge(held)


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=30),
    counts=st.booleans(),
    room=st.integers(1, 9),
    at_once=st.integers(1, 5),
)
def test_runs_are_all_rows_in_order(rows, counts, room, at_once):
    runs = sorted_runs.SortedRuns(words=2, room=room)
    for start in range(0, len(rows), 4):
        words = [np.array(column, np.int64) for column in zip(*rows[start : start + 4], strict=True)]
        runs.add(words, np.full(len(words[0]), 2) if counts else None)
    batches = [
        list(zip(*(word.tolist() for word in words), times.tolist(), strict=True))
        for words, times in runs.batches(at_once)
    ]
    expected = [(*row, rows.count(row) * (2 if counts else 1)) for row in sorted(set(rows))]
    assert [each for batch in batches for each in batch] == expected


PRINTED = ["30-39", "3*", "34", "50-59", "*"]


@examples(25)
@given(
    rows=st.lists(
        st.tuples(*map(st.sampled_from, (PRINTED, ["f", "m", "*"], ["Flu", "Cold"]))), min_size=1, max_size=6
    ),
    people=st.lists(st.tuples(*map(st.sampled_from, (["31", "34", "57", None], ["f", "m"]))), min_size=1, max_size=9),
    at_once=st.integers(1, 4),
)
def test_populations_are_counted_as_in_memory(rows, people, at_once):
    table, register = (
        pa.table({name: pa.array(each) for name, each in zip(names, zip(*cells, strict=True), strict=False)})
        for names, cells in ((("age", "sex", "disease"), rows), (("age", "sex"), people))
    )
    roles = {"group": ["age", "sex"], "sensitive": "disease"}
    held, streamed = sl.read_release(table, **roles), sl.stream_release(table, **roles)
    asked = [measure(register, outside="as in the release") for measure in (sl.JournalistRisk, sl.Presence, sl.Absence)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population, "count_rows_at_once", lambda memory: at_once)
        for measures in ([*asked, sl.GroupSize()], [sl.JournalistRisk(register)]):
            expected = answer(findings_of, held, {"measures": measures})
            assert answer(findings_of, streamed, {"measures": measures}) == expected


LISTS = ["Flu|Cold", "Flu | Flu", "Cold", "|", None, "?", "Cold|?|Ulcer"]


@examples(20)
@given(
    rows=st.lists(st.tuples(*map(st.sampled_from, (CELLS, ["f", "m"], LISTS))), min_size=1, max_size=9),
    reading=st.fixed_dictionaries(
        {
            "values": st.sampled_from(["set", "multiset"]),
            "missing": st.sampled_from(["drop", "no value", "an error"]),
            "suppressed": st.sampled_from(["a group", "leave out"]),
            "domain": st.sampled_from([None, ["Ulcer", "Flu", "Cold", "Gout"], ["Flu"]]),
            "weight": st.sampled_from([None, None, "sex"]),
        }
    ),
)
def test_lists_in_cells_are_taken_apart_as_in_memory(rows, reading):
    columns = dict(zip(("zip", "sex", "disease"), zip(*rows, strict=True), strict=True))
    columns["sex"] = ["1" if each == "f" else "2.5" for each in columns["sex"]]
    table = pa.table({name: pa.array(list(cells), pa.string()) for name, cells in columns.items()})
    roles = {"group": "zip", "sensitive": "disease", "split": "|", "missing_marks": "?", **reading}
    held, streamed = answer(sl.read_release, table, roles), answer(sl.stream_release, table, roles)
    if isinstance(held, str):
        assert streamed == held
        return
    assert (list(streamed.held("a test")), streamed.intake) == (list(held), held.intake)
    assert written(streamed.held("a test")) == written(held)
    assert (streamed.size, streamed.domain) == (held.size, held.domain)
    measures = {"measures": [sl.GroupSize(), sl.DistinctValues(), sl.Acquaintance(1, 1, 1)]}
    assert answer(findings_of, streamed, measures) == answer(findings_of, held, measures)
