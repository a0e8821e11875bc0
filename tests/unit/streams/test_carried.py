import math

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import invoke

import sidelight as sl
from sidelight.errors import BadTable, NotPublished

ROWS = st.lists(
    st.tuples(*map(st.sampled_from, (["30", "31", "40"], ["A", "B", None], ["1", "2.5"], ["Flu", "Cold"]))), min_size=1
)


def table_of(rows):
    return pa.table(dict(zip(("age", "ward", "wt", "ill"), map(list, zip(*rows, strict=True)), strict=True)))


def read(rows, **more):
    return sl.read_table(table_of(rows), quasi="age", sensitive="ill", **more)


@given(ROWS)
def test_the_table_is_the_one_without_them(rows):
    kept, plain = read(rows, keep="ward", weight="wt"), read(rows)
    assert kept.domain == plain.domain
    assert [column.labels for column in kept.quasi] == [column.labels for column in plain.quasi]
    assert kept.counts.dense().tolist() == plain.counts.dense().tolist()
    assert kept.sizes.tolist() == plain.sizes.tolist()
    assert kept.carried.names == ("ward", "wt")
    assert int(kept.carried.count.sum()) == len(rows)


@given(ROWS)
def test_everybody_is_published_with_their_own_cells(rows):
    found = sl.protect(read(rows, keep=["ward", "wt"]), sl.GroupSize() >= 1, method="mondrian", ask="nobody")
    group = found.release_rows
    table = found.outcome.recoding.table
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
    assert f"finds {alone:,} of 3,000 people alone in their group (0 without them)" in told
    smallest = math.floor(rows.groupby(["age", "sex"])["wt"].sum().min())
    assert f"at least {smallest:,} people of the population" in population
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
    assert "published as they are: wave, wt; whoever knows them finds" in " ".join(audited.stdout.split())


def test_they_are_never_published_by_default(adult):
    frame, folder = adult
    table = sl.read_table(frame, quasi=["age"], sensitive="occupation")
    found = sl.protect(table, sl.GroupSize() >= 5, method="mondrian", ask="nobody")
    assert pq.read_schema(found.publish(folder / "release.parquet").path).names == ["age", "occupation"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"keep": "age"}, "column 'age' has a role already, and is also in keep="),
        ({"weight": "ward"}, "weight= is 'ward', where cells are missing, negative or no numbers"),
        ({"keep": "ward", "values": "set", "person": "wt"}, "keep= is for people with one value"),
    ],
)
def test_what_cannot_be_carried(more, message):
    with pytest.raises(BadTable, match=message):
        read([("30", "A", "1", "Flu"), ("40", "B", "2", "Cold")], **more)


def test_buckets_and_counts_have_no_row_for_them(tmp_path):
    table = read([("30", "A", "1", "Flu"), ("40", "B", "2", "Cold")], keep="ward")
    with pytest.raises(NotPublished, match=r'keep= needs a row per person; publish with layout="people"'):
        sl.protect(table, sl.GroupSize() >= 1, method="mondrian", ask="nobody").publish(
            tmp_path / "a.csv", layout="counts"
        )
    with pytest.raises(BadTable, match="keep= needs a row per person, and 'anatomy' prints buckets"):
        sl.protect(table, sl.DistinctValues() >= 2, method="anatomy", ask="nobody").publish(tmp_path / "a.csv")


def test_values_that_are_published_more_coarsely_stay_beside_them(tmp_path):
    rows = [("30", "A", "1", "Flu"), ("30", "B", "1", "Cold"), ("30", "C", "1", "Ulcer")]
    ill = sl.Hierarchy.nested("ill", {"lung": ["Flu", "Cold"], "stomach": ["Ulcer"]})
    table = sl.coarser_values(read(rows, keep="ward"), by={"ill": ill}, to=1)
    path = sl.protect(table, sl.GroupSize() >= 3, method="mondrian", ask="nobody").publish(tmp_path / "a.parquet").path
    published = {(row["ward"], row["ill"]) for row in pq.read_table(path).to_pylist()}
    assert published == {("A", "lung"), ("B", "lung"), ("C", "stomach")}
