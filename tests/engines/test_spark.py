"""A real Spark whose executors are processes of their own says what DuckDB says, also when one of them dies.

One cluster serves all of this folder (`conftest`).
"""

import datetime as dt
import json
import os
import signal
import time
from contextlib import suppress
from decimal import Decimal
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support.command_line import invoke
from support.room import limit_room
from support.words import mentions

import sidelight as sl
from sidelight.engines.formats import write as sheets
from sidelight.engines.read import fits_here
from sidelight.engines.spark import source as spark_parts
from sidelight.errors import BadTable, NoRoom, NotPublished
from sidelight.measures import about as findings_of
from sidelight.publish.publish import is_same_release
from sidelight.search import mondrian_streamed
from sidelight.streams.memory import Memory
from sidelight.table.roles import Roles

CLUSTER = "local-cluster[2,1,1024]"  # as the session of these tests has it
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]


def messy(rows=400):
    """Everything that tables have: gaps, dates, numbers, marks, stars, two sensitive columns, people with several rows."""

    def repeated(*cells):
        return list(islice(cycle(cells), rows))

    return pa.table(
        {
            "place": repeated("Zürich", None, 'it\'s "North"', "*", "?", "10", "9"),
            "born": repeated(dt.date(1990, 1, 2), dt.date(1889, 12, 31), None),
            "income": pa.array(
                repeated(Decimal("7.50"), Decimal("-1.00"), None, Decimal("10.00")), pa.decimal128(9, 2)
            ),
            "weight": pa.array(repeated(70.5, float("nan"), None, 1e20, 80.0), pa.float64()),
            "disease": repeated("Flu", "HIV", None, "Cold", "Flu", "?", "Flu", "Asthma"),
            "job": repeated("cook", "clerk", "cook"),
            "id": [row // 2 if row % 2 and row % 420 else row for row in range(rows)],
        }
    )


def people_with_several_rows(rows=300):
    """Each of them in one place."""
    places, diseases = ("North", None, "*", "South"), ("Flu", "Flu", None, "HIV", "Cold", "?")
    return pa.table(
        {
            "place": [places[row // 3 % 4] for row in range(rows)],
            "age": [row // 3 % 37 for row in range(rows)],
            "disease": list(islice(cycle(diseases), rows)),
            "id": [row // 3 for row in range(rows)],
        }
    )


MEASURES = (sl.GroupSize(), sl.DistinctValues(), sl.EntropyDiversity(), sl.Closeness(), sl.Acquaintance(others=1))
SETS = (sl.GroupSize(), sl.Acquaintance(others=2), sl.Acquaintance())
CASES = {
    "single": (messy(), {"group": ["place", "born", "income", "weight"], "sensitive": "disease", "missing": "a value"}, MEASURES),
    "two sensitive": (
        messy(),
        {"group": ["place", "born"], "sensitive": ["disease", "job"], "missing": "drop", "missing_marks": "?", "suppressed": "leave out"},
        (
            sl.GroupSize(),
            sl.DistinctValues().about("disease"),
            sl.Closeness().about("job"),
            sl.DistinctValues().about("job", known="disease"),
        ),
    ),
    "sets": (
        people_with_several_rows(),
        {"group": ["place", "age"], "sensitive": "disease", "person": "id", "values": "set", "missing": "no value", "missing_marks": "?"},
        SETS,
    ),
}  # fmt: skip


def said(release, measures):
    """All that an audit tells of a release: findings with witnesses and group numbers, who is alone, what was left out."""
    answers = findings_of.findings([measure for measure in measures if measure.streams], release)
    return answers, len(release), release.size, release.domain, release.intake.rows_suppressed, release.intake.notes()


def check_release(spark, case):
    rows, roles, measures = CASES[case]
    in_spark = sl.stream_release(spark.createDataFrame(rows), **roles)
    here = sl.stream_release(rows, **roles)
    assert said(in_spark, measures) == said(here, measures)
    assert len(in_spark.stream.shares) > 1
    brought = in_spark.stream.brought_here(Memory.parse("1GB"))
    for ours, theirs in zip(brought.blocks(), here.stream.blocks(), strict=True):
        assert [word.tolist() for word in ours.keys] == [word.tolist() for word in theirs.keys]
        assert ours.counts.dense().tolist() == theirs.counts.dense().tolist()
        assert ours.sizes.tolist() == theirs.sizes.tolist()
    numbers = {1, len(here) // 2, len(here)}
    assert in_spark.sizes_of(numbers) == here.sizes_of(numbers)
    assert in_spark.outline.groups.columns[0].cell(0) == here.outline.groups.columns[0].cell(0)


@pytest.mark.parametrize("case", ["two sensitive", "sets"])
def test_findings_witnesses_and_numbers_are_those_of_duckdb(spark, case):
    check_release(spark, case)


def test_populations_beliefs_and_lists_are_those_of_duckdb(spark):
    rows = messy(60)
    roles = {"group": "job", "sensitive": "disease", "missing": "a value"}
    lists = {"group": "place", "sensitive": "disease", "missing": "drop", "values": "set", "split": "u"}
    compared = sl.JournalistRisk(rows, outside="as in the release")
    for reading, measures in ((roles, (compared,)), (roles, (sl.MaxEnt(), sl.GroupSize())), (lists, SETS)):
        there, here = (sl.stream_release(each, **reading) for each in (spark.createDataFrame(rows), rows))
        assert findings_of.findings(measures, there) == findings_of.findings(measures, here)


def killer(marker):
    """Make a function that kills the executor that it runs in, for whoever comes first; nobody here does."""

    def executor(pid):
        while pid and b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return pid

    def kill_once():
        around = executor(os.getpid())
        with suppress(FileExistsError):
            if around:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                os.kill(around, signal.SIGKILL)

    return kill_once


def killing(marker, function):
    """Let a function kill the executor that it runs in, the first time."""
    kill_once = killer(marker)

    def killed_once(*arguments):
        kill_once()
        return function(*arguments)

    return killed_once


def test_a_worker_that_is_killed_during_an_audit_changes_nothing(spark, tmp_path, monkeypatch):
    marker = tmp_path / "killed"
    monkeypatch.setattr(findings_of, "_summarize", killing(str(marker), findings_of._summarize))
    check_release(spark, "single")
    assert marker.exists()


def grouped(found):
    """What a release prints, counts and says of itself."""
    groups = found.release.groups
    printed = [[column.cell(row) for row in range(len(groups))] for column in groups.columns]
    return printed, groups.sizes.tolist(), groups.counts.dense().tolist(), dict(found.utility), str(found.verdict)


def test_mondrian_makes_the_release_of_duckdb_also_when_a_worker_is_killed(spark, tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    ages, zips = rng.integers(18, 90, 400), rng.integers(0, 400, 400)
    rows = pa.table({"age": ages, "zip": zips, "disease": rng.choice(["Flu", "Cold", "HIV", "Asthma"], 400)})
    roles = {"quasi": ["age", "zip"], "sensitive": "disease", "kinds": {"age": "number", "zip": "number"}}
    policy = sl.Policy(sl.GroupSize() >= 5, sl.DistinctValues() >= 2)
    limit_room(monkeypatch, keys=150)
    here = sl.protect(sl.stream_table(rows, **roles), policy, method="mondrian")
    table = sl.stream_table(spark.createDataFrame(rows), **roles)
    marker = tmp_path / "killed"
    monkeypatch.setattr(mondrian_streamed, "_route", killing(str(marker), mondrian_streamed._route))
    there = sl.protect(table, policy, method="mondrian")
    assert marker.exists()
    assert grouped(there) == grouped(here)
    assert len(here.release) > 20
    there.publish(tmp_path / "release.parquet")
    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 64)  # executors deal the rows
    monkeypatch.setattr(spark_parts, "ROWS_PER_PART", 150)
    there.publish(tmp_path / "release")
    whole, in_parts = (sl.read_published(tmp_path / name) for name in ("release.parquet", "release"))
    assert is_same_release(whole, in_parts)
    written = sorted((tmp_path / "release").iterdir())
    assert [each.suffix for each in written] == [".parquet"] * 3
    assert pq.read_schema(written[0]).equals(pq.read_schema(tmp_path / "release.parquet"))
    rows_in_order = [row for each in written for row in pq.read_table(each).to_pylist()]
    assert rows_in_order != sorted(rows_in_order, key=str)
    with pytest.raises(NotPublished, match="exists, and a folder is never replaced"):
        there.publish(tmp_path / "release", force=True)
    assert {each.name.partition(".")[0] for each in tmp_path.iterdir()} == {"killed", "release", "release-metadata"}


def while_parts_are_written(monkeypatch, frames, folder, marker, *, then_fail):
    """Kill the executor of the first task that has written rows into a part; then let tasks fail, or not."""
    kill_once, to_frame, looked_at = killer(marker), frames.toDF, str(folder)

    def through(batches):
        for batch in batches:
            yield batch
            for _ in range(200):  # what was handed over is being written
                if any(Path(looked_at).rglob("_temporary/**/part-*.parquet")):
                    break
                time.sleep(0.05)
            kill_once()
            assert not then_fail

    def named_as_before(frame, *names):
        named = to_frame(frame, *names)
        return named.mapInArrow(through, named.schema)  # in the tasks that write: nothing is shuffled in between

    monkeypatch.setattr(frames, "toDF", named_as_before)


def test_a_worker_that_is_killed_while_it_writes_leaves_all_or_nothing(spark, tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    rows = pa.table({"age": rng.integers(18, 90, 200), "disease": rng.choice(["Flu", "Cold", "HIV"], 200)})
    table = sl.stream_table(spark.createDataFrame(rows), quasi="age", sensitive="disease", kinds={"age": "number"})
    found = sl.protect(table, sl.GroupSize() >= 5, method="mondrian", ask="nobody")
    monkeypatch.setattr(sheets, "SHUFFLED_AT_ONCE", 64)  # executors deal the rows
    monkeypatch.setattr(spark_parts, "ROWS_PER_PART", 100)
    inside, killed = tmp_path / "here", [str(tmp_path / name) for name in ("once", "again")]
    inside.mkdir()
    with monkeypatch.context() as patch:
        while_parts_are_written(patch, type(spark.range(1)), inside, killed[0], then_fail=True)
        with pytest.raises(NotPublished, match="nothing was published"):
            found.publish(inside / "release")
    assert list(inside.iterdir()) == []
    with monkeypatch.context() as patch:
        while_parts_are_written(patch, type(spark.range(1)), inside, killed[1], then_fail=False)
        found.publish(inside / "release")
    assert all(map(os.path.exists, killed))
    found.publish(tmp_path / "release.parquet")
    assert is_same_release(sl.read_published(inside / "release"), sl.read_published(tmp_path / "release.parquet"))
    assert sum(pq.read_metadata(each).num_rows for each in (inside / "release").iterdir()) == 200


def test_the_lattice_of_rows_in_spark_is_that_of_duckdb(spark):
    rng = np.random.default_rng(11)
    ages, zips = rng.choice([str(age) for age in range(20, 60)], 200), rng.choice(["10", "11", "20", "21"], 200)
    rows = pa.table({"age": ages, "zip": zips, "disease": rng.choice(["Flu", "Cold", "HIV"], 200)})
    by = {
        "age": sl.Hierarchy(
            "age", tuple(zip(*((str(age), f"{age // 10}0s", "*") for age in range(20, 60)), strict=True))
        ),
        "zip": sl.Hierarchy("zip", (("10", "11", "20", "21"), ("1*", "1*", "2*", "2*"), ("*",) * 4)),
    }
    roles, policy = (
        {"quasi": ["age", "zip"], "sensitive": "disease"},
        sl.Policy(sl.GroupSize() >= 4, sl.DistinctValues() >= 2),
    )
    there, here = (
        sl.protect(table, policy, by=by, suppress=0.05, ask="nobody")
        for table in (sl.stream_table(spark.createDataFrame(rows), **roles), sl.read_table(rows, **roles))
    )
    assert (there.levels, there.minimal, there.suppressed, there.checked) == (
        here.levels,
        here.minimal,
        here.suppressed,
        here.checked,
    )
    assert grouped(there)[:3] == grouped(here)[:3]
    assert str(there.verdict) == str(here.verdict)


def test_the_command_line_says_what_it_says_without_spark(spark, tmp_path):
    pq.write_table(messy(40), tmp_path / "rows.parquet")
    pyarrow.csv.write_csv(messy(40), tmp_path / "rows.csv")
    for name, memory in (("rows.parquet", []), ("rows.csv", ["--memory", "1GB"])):
        asked = ["audit", str(tmp_path / name), "--group", "place", "--group", "born", "--sensitive", "disease"]
        asked += ["--missing", "a value", "--limit", "group size >= 3", "--json", *memory]
        here, there = invoke(asked), invoke([*asked, "--engine", "spark", "--master", CLUSTER])
        assert there.exit_code == here.exit_code == 1
        assert json.loads(there.stdout) == json.loads(here.stdout)
    roles = ["--group", "place", "--sensitive", "job", "--limit", "group size >= 3"]
    target = tmp_path / "release"
    answer = invoke(
        ["protect", str(tmp_path / "rows.parquet"), *roles, "--method", "mondrian", "--missing", "a value"]
        + ["--engine", "spark", "--master", CLUSTER, "--output", f"{target}/"]
    )
    assert answer.exit_code == 0, answer.stderr
    here, there = (
        invoke(["audit", f"{target}/", *roles, "--json", *more])
        for more in ([], ["--engine", "spark", "--master", CLUSTER])
    )
    assert here.exit_code == there.exit_code == 0, there.stderr
    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert sl.read_release(target, group="place", sensitive="job").size == 40
    next(target.iterdir()).unlink()
    assert invoke(["audit", str(target), *roles]).exit_code == 2


def test_what_spark_cannot_do_is_one_line(spark, tmp_path):
    frame = spark.createDataFrame([(["a"], "Flu")], "places array<string>, disease string")
    with pytest.raises(BadTable, match=r"'places'.*\barray\b.*Spark cannot group.*text"):
        sl.stream_release(frame, group="places", sensitive="disease")
    with pytest.raises(BadTable, match=r"no rows.*at least one"):
        sl.stream_release(frame.limit(0).selectExpr("1 AS place", "disease"), group="place", sensitive="disease")
    answer = invoke(["audit", str(tmp_path / "none.parquet"), "--engine", "spark", "--group", "a", "--sensitive", "b"])
    assert answer.exit_code == 2
    assert mentions(answer.stderr, "Spark", "no none.parquet", "path")
    many = spark.range(500_000).selectExpr("id AS zip", "'Flu' AS disease")
    roles = Roles.of(quasi="zip", sensitive="disease").complete()
    assert not fits_here(many, roles, Memory.parse("400MB"))
    with pytest.raises(NoRoom, match=r"'zip' has .* labels, too many") as caught:
        sl.stream_release(many, group="zip", sensitive="disease", memory="400MB")
    assert "memory" in caught.value.parameters


def test_when_spark_is_gone_for_good_that_is_one_line(spark):
    rows, roles, measures = CASES["two sensitive"]
    release = sl.stream_release(spark.createDataFrame(rows), **roles)
    spark.stop()
    with pytest.raises(BadTable, match=r"^Spark lost its executors.*nothing was kept.*see"):
        findings_of.findings(measures, release)
