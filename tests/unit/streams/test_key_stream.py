"""What is refused where memory is bounded, and how rows come in."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import invoke
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.engines.duckdb.source import PackedRows
from sidelight.errors import BadTable, MissingValues, NoRoom, NotPublished, WrongKind
from sidelight.streams import key_stream, sorted_runs
from sidelight.streams.key_stream import _Step, people_surely_below, roll_up_stream
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import Packing

ROWS = pa.table({"zip": ["1", "2", "1"], "disease": ["Flu", None, "Cold"]})
ROLES = {"group": "zip", "sensitive": "disease"}


def test_missing_values_are_an_error_with_their_number():
    with pytest.raises(MissingValues, match=r"\b1 of 3 rows.* no 'disease'"):
        sl.stream_release(ROWS, **ROLES)


def test_a_dataframe_is_in_memory_already():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(WrongKind, match=r"without memory=.*Parquet file"):
        sl.stream_release(pandas.DataFrame({"zip": ["1"], "disease": ["Flu"]}), **ROLES)


@pytest.mark.parametrize("read", [sl.read_release, sl.stream_release])
@pytest.mark.parametrize("cells", [[["1"], ["2"]], [{"a": 1}, {"a": 2}]], ids=["lists", "records"])
def test_a_column_type_that_the_engine_cannot_group(read, cells):
    rows = pa.table({"zip": cells, "disease": ["Flu", "Cold"]})
    with pytest.raises(BadTable, match=r"'zip' holds .*into text"):
        read(rows, **ROLES)


def test_no_rows():
    with pytest.raises(BadTable, match="has no rows"):
        sl.stream_release(ROWS.slice(0, 0), **ROLES)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_files(tmp_path, name):
    file = tmp_path / name
    if name.endswith("csv"):
        file.write_text("zip,disease\n1,Flu\n2,Flu\n1,Cold\n")
    else:
        pq.write_table(pa.table({"zip": ["1", "2", "1"], "disease": ["Flu", "Flu", "Cold"]}), file)
    release = sl.stream_release(file, **ROLES)
    assert [block.all.group(row).size for block in release.blocks() for row in range(len(block))] == [2, 1]
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("zips", "repeat"), [("1212", True), ("1234", False)])
def test_the_engine_counts_what_repeats(monkeypatch, zips, repeat):
    answers = []
    plain = PackedRows.words
    monkeypatch.setattr(
        PackedRows,
        "words",
        lambda self, answer, *rest: answers.append(answer.column_names) or plain(self, answer, *rest),
    )
    rows = pa.table({"zip": list(zips), "disease": ["Flu"] * 4})
    assert len(sl.stream_release(rows, **ROLES)) == len(set(zips))
    assert ("rows" in answers[-1]) is repeat


LISTS = pa.table({"zip": list("1123"), "ill": ["Flu|Cold", "Flu", "|", "Ulcer|Ulcer"]})
LIST_ROLES = {"sensitive": "ill", "values": "multiset", "split": "|", "missing": "no value"}


def test_many_values_are_looked_up_where_some_are_missing(monkeypatch):
    monkeypatch.setattr(key_stream, "DENSE_VALUES", 1)
    rows = pa.table({"zip": list("112"), "ill": ["Flu", None, None], "who": list("abc")})
    roles = {"sensitive": "ill", "values": "set", "missing": "no value", "person": "who"}
    groups = sl.stream_release(rows, group="zip", **roles).held("somebody")
    assert [(group.size, dict(group.counts)) for group in groups] == [(2, {"Flu": 1}), (1, {})]


def test_who_has_no_value_makes_a_key():
    release = sl.stream_release(LISTS, group="zip", **LIST_ROLES)
    groups = [block.all.group(row) for block in release.blocks() for row in range(len(block))]
    assert [(group.size, dict(group.counts)) for group in groups] == [
        (2, {"Cold": 1, "Flu": 2}),
        (1, {}),
        (1, {"Ulcer": 2}),
    ]
    assert release.stream.totals.tolist() == [1, 2, 2]


def test_a_table_of_lists_is_protected_as_in_memory():
    streamed, held = (read(LISTS, quasi="zip", **LIST_ROLES) for read in (sl.stream_table, sl.read_table))
    both = [sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody") for table in (streamed, held)]
    assert list(both[0].release) == list(both[1].release)


@examples(80)
@given(data=st.data())
def test_rows_are_packed_as_their_recoded_codes_are(data):
    widths = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=6))
    sensitive = data.draw(st.integers(1, min(2, len(widths) - 1)))
    quasi = len(widths) - sensitive
    columns = []
    for width in widths[:quasi]:
        new = data.draw(st.integers(1, width))
        codes = np.array(data.draw(st.lists(st.integers(0, new - 1), min_size=width, max_size=width)), np.int32)
        columns.append(data.draw(st.sampled_from([None, (tuple(map(str, range(new))), codes)])))
    old = Packing(tuple(tuple(map(str, range(width))) for width in widths), sensitive)
    labels = [own if each is None else each[0] for own, each in zip(old.labels, columns, strict=False)]
    new = Packing((*labels, *old.labels[quasi:]), sensitive)
    rows = [np.array(data.draw(st.lists(st.integers(0, width - 1), min_size=3, max_size=3))) for width in widths]
    recoded = [code if each is None else each[1][code] for code, each in zip(rows, columns, strict=False)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_runs, "KEY_LIMIT", data.draw(st.sampled_from([26, 200, 2**62])))  # several words
        packed = _Step(old, new, columns).repack(old.pack(rows))
        expected = new.pack([*recoded, *rows[quasi:]])
    assert [word.tolist() for word in packed] == [word.tolist() for word in expected]


def table(rows=40):
    return sl.stream_table(
        pa.table({"zip": [str(row) for row in range(rows)], "disease": ["Flu", "Cold"] * (rows // 2)}),
        quasi="zip",
        sensitive="disease",
    )


def test_more_keys_than_may_be_end_it(monkeypatch):
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 8)
    monkeypatch.setattr(key_stream, "COUNTED_BY_ARRAY", 0)
    streamed = table()
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    assert roll_up_stream(streamed.stream, [halves], streamed.memory, most_keys=3) is None
    coarser = roll_up_stream(streamed.stream, [halves], streamed.memory, most_keys=20)
    assert [size for sizes in coarser.sizes() for size in sizes.tolist()] == [2] * 20


@pytest.mark.parametrize(("slots", "shown"), [(1 << 20, 40), (1 << 4, range(41)), (1, 0)])
def test_people_of_small_slots_are_in_groups_that_are_too_small(monkeypatch, slots, shown):
    monkeypatch.setattr(key_stream, "MOST_SLOTS", slots)
    streamed, heard = table(), []
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    below = people_surely_below(streamed.stream, [halves], streamed.memory, 3, reading=lambda *rows: heard.append(rows))
    assert below in shown if isinstance(shown, range) else below == shown
    assert people_surely_below(streamed.stream, [halves], streamed.memory, 2) == 0
    assert heard == [(40, 40)]


def test_a_full_disk_is_said_in_a_line(monkeypatch):
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 8)
    monkeypatch.setattr(key_stream, "COUNTED_BY_ARRAY", 0)
    streamed = table()

    def full(columns, words):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sorted_runs._Run, "write", full)
    halves = (tuple(map(str, range(20))), np.repeat(np.arange(20, dtype=np.int32), 2))
    with pytest.raises(NoRoom, match="it takes up to"):
        roll_up_stream(streamed.stream, [halves], streamed.memory)


CARRIED = st.lists(
    st.tuples(*map(st.sampled_from, (["30", "31", "40"], ["A", "B", None], ["1", "2.5"], ["Flu", "Cold"]))), min_size=1
)


def table_of(rows):
    return pa.table(dict(zip(("age", "ward", "wt", "ill"), map(list, zip(*rows, strict=True)), strict=True)))


def read(rows, **more):
    return sl.read_table(table_of(rows), quasi="age", sensitive="ill", **more)


@given(CARRIED)
def test_the_table_is_the_one_without_them(rows):
    kept, plain = read(rows, keep="ward", weight="wt"), read(rows)
    assert kept.domain == plain.domain
    assert [column.labels for column in kept.quasi] == [column.labels for column in plain.quasi]
    assert kept.counts.dense().tolist() == plain.counts.dense().tolist()
    assert kept.sizes.tolist() == plain.sizes.tolist()
    assert kept.carried.names == ("ward", "wt")
    assert int(kept.carried.count.sum()) == len(rows)


@given(CARRIED)
def test_everybody_is_published_with_their_own_cells(rows):
    found = sl.protect(read(rows, keep=["ward", "wt"]), sl.GroupSize() >= 1, method="mondrian", ask="nobody")
    group = found.release_rows
    table = found.recoding.table
    carried = table.carried
    printed = found.release.groups.columns[0]
    released = sorted(
        (printed.cell(group[key]), *(column.cell(at) or "" for column in carried.columns), table.domain[value])
        for at, (key, value, count) in enumerate(zip(carried.key, carried.value, carried.count, strict=True))
        for _ in range(count)
    )
    assert len(released) == len(rows)
    assert sorted(row[1:] for row in released) == sorted((ward or "", wt, ill) for _, ward, wt, ill in rows)


@pytest.fixture
def adult(tmp_path):
    frame = pq.read_table(sl.datasets.adult().path).drop_null().slice(0, 3000)
    frame = frame.append_column("wave", pa.array([f"w{number % 3}" for number in range(frame.num_rows)]))
    frame = frame.append_column("wt", pa.array([1 + number % 5 for number in range(frame.num_rows)]))
    pq.write_table(frame, tmp_path / "adult.parquet")
    return frame, tmp_path


@pytest.mark.parametrize("method", ["lattice", "mondrian", "microaggregation"])
def test_columns_are_published_as_they_are_and_what_they_add_is_told(adult, method):
    frame, folder = adult
    table = sl.read_table(frame, quasi=["age", "sex"], sensitive="occupation", keep="wave", weight="wt")
    found = sl.protect(table, sl.GroupSize() >= 5, by=sl.datasets.adult().hierarchies, method=method, ask="nobody")
    published = found.publish(folder / "release.parquet")
    rows = pq.read_table(published.path).to_pandas()
    assert list(rows.columns) == ["age", "sex", "occupation", "wave", "wt"]
    assert sorted(zip(rows["occupation"], rows["wave"], rows["wt"], strict=True)) == sorted(
        zip(*(frame[name].to_pylist() for name in ("occupation", "wave", "wt")), strict=True)
    )
    alone = (rows.groupby(["age", "sex", "wave", "wt"]).size() == 1).sum()
    told, population = [each for each in published.document.warnings if "wave" in each or "'wt'" in each]
    assert mentions(told, f"{alone:,}", "3,000", "people", "alone", 0, "without")
    smallest = math.floor(rows.groupby(["age", "sex"])["wt"].sum().min())
    assert mentions(population, f"at least {smallest:,}", "people", "population")
    assert published.document.kept == ("wave", "wt")
    again = sl.read_published(published.path)
    assert (again.size, again.intake.carried, again.intake.singled_out) == (3000, ("wave", "wt"), alone)
    assert again.intake.columns_dropped == ()


@pytest.mark.parametrize("suppressed", ["as *", "left out"])
def test_suppressed_people_say_nothing_in_them(adult, suppressed):
    frame, folder = adult
    table = sl.read_table(frame, quasi=["age", "sex", "race"], sensitive="occupation", keep="wave")
    method = sl.FullDomain(suppress=0.05, suppressed=suppressed)
    found = sl.protect(table, sl.GroupSize() >= 5, by=sl.datasets.adult().hierarchies, method=method, ask="nobody")
    assert found.suppressed > 0
    published = found.publish(folder / "release.parquet")
    assert f" {sl.read_published(published.path).intake.singled_out:,} of " in published.document.warnings[-1]
    rows = pq.read_table(published.path).to_pandas()
    starred = rows[(rows["age"] == "*") & (rows["sex"] == "*") & (rows["race"] == "*")]
    assert len(rows) == 3000 - (found.suppressed if suppressed == "left out" else 0)
    assert starred["wave"].isna().all()


def test_through_the_command_line(adult):
    _, folder = adult
    words = ["protect", folder / "adult.parquet", "-g", "age", "-g", "sex", "-s", "occupation", "--method", "mondrian"]
    words += ["--limit", "group size >= 5", "--keep", "wave", "--weight", "wt", "-o", folder / "release.csv"]
    done = invoke(words)
    assert done.exit_code == 0
    assert "no limit judges that" in " ".join(done.stdout.split())
    assert pyarrow.csv.read_csv(folder / "release.csv").column_names == ["age", "sex", "occupation", "wave", "wt"]
    audited = invoke(["audit", folder / "release.csv"])  # whoever reads it again is told as well
    assert mentions(" ".join(audited.stdout.split()), "as they are", "wave, wt", "alone")


def test_they_are_never_published_by_default(adult):
    frame, folder = adult
    table = sl.read_table(frame, quasi=["age"], sensitive="occupation")
    found = sl.protect(table, sl.GroupSize() >= 5, method="mondrian", ask="nobody")
    assert pq.read_schema(found.publish(folder / "release.parquet").path).names == ["age", "occupation"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"keep": "age"}, "'age'.*already.*keep="),
        ({"weight": "ward"}, "weight=.*'ward'.*missing, negative or no numbers"),
        ({"keep": "ward", "values": "set", "person": "wt"}, "keep=.*one value"),
    ],
)
def test_what_cannot_be_carried(more, message):
    with pytest.raises(BadTable, match=message):
        read([("30", "A", "1", "Flu"), ("40", "B", "2", "Cold")], **more)


def test_buckets_and_counts_have_no_row_for_them(tmp_path):
    table = read([("30", "A", "1", "Flu"), ("40", "B", "2", "Cold")], keep="ward")
    with pytest.raises(NotPublished, match=r'keep=.*row per person.*layout="people"'):
        sl.protect(table, sl.GroupSize() >= 1, method="mondrian", ask="nobody").publish(
            tmp_path / "a.csv", layout="counts"
        )
    with pytest.raises(BadTable, match=r"keep=.*row per person.*'anatomy'"):
        sl.protect(table, sl.DistinctValues() >= 2, method="anatomy", ask="nobody").publish(tmp_path / "a.csv")


def test_values_that_are_published_more_coarsely_stay_beside_them(tmp_path):
    rows = [("30", "A", "1", "Flu"), ("30", "B", "1", "Cold"), ("30", "C", "1", "Ulcer")]
    ill = sl.Hierarchy.nested("ill", {"lung": ["Flu", "Cold"], "stomach": ["Ulcer"]})
    table = sl.coarser_values(read(rows, keep="ward"), by={"ill": ill}, to=1)
    path = sl.protect(table, sl.GroupSize() >= 3, method="mondrian", ask="nobody").publish(tmp_path / "a.parquet").path
    published = {(row["ward"], row["ill"]) for row in pq.read_table(path).to_pylist()}
    assert published == {("A", "lung"), ("B", "lung"), ("C", "stomach")}
