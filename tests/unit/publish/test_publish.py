"""Whatever happens while publishing, nothing that looks finished is left behind."""

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import invoke
from support.signals import sigint
from support.words import mentions

import sidelight as sl
from sidelight import files as placing
from sidelight.engines.formats import write
from sidelight.engines.formats.write import draw_order, random_bytes
from sidelight.errors import BadRelease, NotPublished, SidelightError
from sidelight.publish import publish
from sidelight.text import MOST_ROWS, html_table

# Runs publishing in processes of its own that are killed: in the midst of it, and before every step of moving files into
# place that changes what is on the disk.  Says what is left of each, way by way.
KILLED = r"""
import json, os, pathlib, shutil, signal, sys
sys.path.insert(0, sys.argv[3])
import sidelight as sl
from support.faults.children import in_child, kill_at
from support.faults.works import copied
from sidelight.files import move_into_place
from sidelight.publish import publish as module
from sidelight.testing.strategies import merged  # noqa: F401 - whatever is imported late would be imported in each child
from sidelight.table.table import Counts
from sidelight.table.labels import Column
from sidelight.table.table import Table

import numpy as np

table = Table((Column.of("age", [str(n) for n in range(20)]),), "disease", ("Flu", "Cold"),
              np.full(20, 3), Counts.from_cells([[1, 2]] * 20))


def killing(function, kind):
    def killed(*args, **options):
        os.kill(os.getpid(), kind)
        return function(*args, **options)

    return killed


def status_of(job):
    return in_child(job).status


def left_in(here):
    return {p.name: p.is_dir() or p.read_text()[:11] for p in here.iterdir()}


def again(here, found, force):
    # in a copy that nobody has read: reading settles what is there
    path = copied(here, here.with_name(here.name + "-again")) / "release.csv"
    had = path.exists()

    def publish():
        module.move_into_place = move_into_place  # it is replaced below
        try:
            found.publish(path, force=force)
        except sl.SidelightError as problem:
            return str(problem)
        return "published" if sl.GroupSize().measure(sl.read_published(path)).value < 20 else "another"

    said = in_child(publish).answer
    return {"had": had, "said": said, "left": sorted(left_in(path.parent))}


def left_behind(folder, method, before, kind):
    kind, force = getattr(signal, kind), before != "nothing"
    found = sl.protect(table, sl.Policy(sl.GroupSize() >= 5), method=method, ask="nobody")
    earlier = sl.protect(table, sl.Policy(sl.GroupSize() >= 20), method=method, ask="nobody")
    published = folder / "earlier"
    published.mkdir(parents=True)
    if before == "earlier":
        earlier.publish(published / "release.csv")
    elif before == "other":
        (published / "release.csv").write_text("old")
        (published / "release.csv.sidelight.json").write_text("old sidecar")
    for name in ("flush_to_disk", "read_back", "build_sidecar"):
        here = folder / name
        shutil.copytree(published, here)

        def publish():
            setattr(module, name, killing(getattr(module, name), kind))
            found.publish(here / "release.csv", force=force)

        yield name, name, status_of(publish), left_in(here), again(here, found, force)
    left = []

    def move_many_times(unfinished, targets, *, force):
        for number in range(1, 200):
            here = folder / str(number)
            shutil.copytree(unfinished.parent, here)
            os.environ["KILLED_AT"] = str(folder / f"{number}.txt")

            def move():
                kill_at(2 * number - 2, kind, pathlib.Path(os.environ["KILLED_AT"]).write_text)  # before each step
                try:
                    real(here / unfinished.name, [here / target.name for target in targets], force=force)
                except KeyboardInterrupt:
                    shutil.rmtree(here / unfinished.name)
                    raise

            status = status_of(move)
            name = pathlib.Path(os.environ["KILLED_AT"]).read_text() if status else "none"
            if not status:
                shutil.rmtree(here / unfinished.name)
            left.append((name, number, status, left_in(here), again(here, found, force)))
            if not status:
                return

    shutil.copytree(published, folder / "whole")
    real, module.move_into_place = module.move_into_place, move_many_times
    found.publish(folder / "whole" / "release.csv", force=force)
    module.move_into_place = real
    yield from left


folder, ways = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
print(json.dumps([[*left_behind(folder / "-".join(way), *way)] for way in ways]))
"""

WAYS = [(method, before, "SIGKILL") for method in ("mondrian", "anatomy") for before in ("nothing", "earlier")]
WAYS += [("mondrian", before, "SIGINT") for before in ("nothing", "other")]
"""How publishing is interrupted: by which method, with what there before, by which signal."""


TESTS = Path(__file__).parents[2]
"""Where `support` is."""

BESIDE = ("release.csv.sidelight.json", "release.csv-metadata.json")
"""What is put beside a file, in the order in which it comes."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Give, for each way, a folder and what each kill left in it: all from one start of Python, which takes longest."""
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-c", KILLED, str(folder), json.dumps(WAYS), str(TESTS)]
    with sigint(signal.default_int_handler):
        environment = {**os.environ, "PYTHONWARNINGS": ""}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return {way: (folder / "-".join(way), left) for way, left in zip(WAYS, json.loads(done.stdout), strict=True)}


def test_a_kill_in_the_middle_leaves_nothing_that_looks_finished(killed):
    folder, points = killed["mondrian", "nothing", "SIGKILL"]
    assert {name for name, *_ in points} >= {"read_back", "link", "fsync", "unlink", "none"}
    for name, number, status, left, _ in points:
        path = folder / str(number) / "release.csv"
        unfinished = {each for each in left if each.startswith("release.csv.unfinished-")}
        assert {*left} <= {"release.csv", "release.csv.lock", "release.csv.before", *BESIDE, *unfinished}
        if name == "none":
            assert (status, set(left)) == (0, {"release.csv", *BESIDE})
        else:
            assert status == -signal.SIGKILL
            assert len(unfinished) <= 1
        if "release.csv" in left:  # the document goes first, and alone it is no release
            assert {*BESIDE} <= {*left}
            assert len(sl.read_published(path)) > 1
        elif BESIDE[0] in left:
            with pytest.raises(BadRelease, match=r"no 'release.csv.sidelight.json' beside"):
                sl.read_published(path)
            assert not {"release.csv.before", *BESIDE} & {each.name for each in path.parent.iterdir()}


READINGS = (
    (),
    ("-g", "age", "-s", "disease"),
    ("-g", "age", "-s", "disease", "--suppressed", "leave out"),
    ("-g", "bucket", "-s", "disease", "--domain", "Flu", "--domain", "Cold", "--domain", "Ulcer"),
)


@pytest.mark.parametrize("method", ["mondrian", "anatomy"])
def test_a_kill_at_any_step_leaves_the_old_or_the_new(method, killed):
    """Of what was there before and what was to come, every reader finds one or the other, whole."""
    folder, points = killed[method, "earlier", "SIGKILL"]
    files = [each.name for each in (folder / "earlier").iterdir()]
    earlier = {name: (folder / "earlier" / name).read_bytes() for name in files}
    sizes, mixed = [], 0
    for name, number, status, left, _ in points:
        path = folder / str(number) / "release.csv"
        assert status == (0 if name == "none" else -signal.SIGKILL)
        mixed += any(left[each] != earlier[each].decode()[:11] for each in files) and "release.csv.before" in left
        was = {each: path.with_name(each).read_bytes() for each in files}
        apart = 0 < sum(was[each] == earlier[each] for each in files if each != BESIDE[1]) < len(files) - 1
        mixed += apart
        if apart:  # a verb of the command line is the first that reads it
            audited = invoke(["audit", str(path), "-m", "group size"])
            assert (audited.exit_code, audited.stderr) == (0, "")
        sizes.append(sl.GroupSize().measure(sl.read_published(path)).value)
        now = {each: path.with_name(each).read_bytes() for each in files}
        same = [now[each] == earlier[each] for each in files if each != BESIDE[1]]
        assert all(same) if sizes[-1] >= 20 else not any(same)
        assert not path.with_name("release.csv.before").exists() or sizes[-1] < 20
    assert mixed > 1
    assert sizes == sorted(sizes, reverse=True)
    assert {sizes[0] >= 20, 5 <= sizes[-1] < 20} == {True}


@pytest.mark.parametrize("method", ["mondrian", "anatomy"])
def test_a_kill_where_nothing_stood_leaves_the_new_or_nothing(method, killed):
    folder, points = killed[method, "nothing", "SIGKILL"]
    refused = 0
    for name, number, _, left, _ in points:
        path = folder / str(number) / "release.csv"
        if "release.csv" in left:
            assert sl.GroupSize().measure(sl.read_published(path)).value >= 5
        elif BESIDE[0] in left and name == "link":
            refused += 1
            for said in READINGS:
                audited = invoke(["audit", str(path), "-m", "group size", *said])
                assert (audited.exit_code, audited.stdout) == (2, "")
    assert refused == (3 if method == "anatomy" else 2)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_publishing_again_right_after_a_kill_succeeds_and_leaves_nothing_else(way, killed):
    """The same call, with nothing in between; without force, what is there already is refused, as ever."""
    method, before, _ = way
    names = {"release.csv", *BESIDE, *(["release.values.csv"] if method == "anatomy" else [])}
    _, points = killed[way]
    for name, number, *_, again in points:
        if before == "nothing" and again["had"]:
            assert "exists; give another name" in again["said"], (name, number)
        else:
            assert (again["said"], {*again["left"]}) == ("published", names), (name, number)


def test_an_interrupt_that_comes_too_late_takes_nothing_back(found, tmp_path, monkeypatch):
    """Between the last file's move and the end of publishing, Ctrl-C finds a whole publication and leaves it."""
    link = os.link

    def late(file, target, **options):
        link(file, target, **options)
        if file.name == "release.csv":
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(KeyboardInterrupt):
        found.publish(tmp_path / "release.csv")
    assert len(sl.read_published(tmp_path / "release.csv")) > 1
    assert {path.name for path in tmp_path.iterdir()} == {"release.csv", *BESIDE}


@pytest.mark.parametrize("links", [True, False])
def test_what_was_to_be_replaced_stands_there_again(links, found, tmp_path, monkeypatch):
    path = found.publish(tmp_path / "release.csv").path
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    move = placing.Path.replace

    def failing(self, target):
        if self.name == "release.csv":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return move(self, target)

    monkeypatch.setattr(placing.Path, "replace", failing)
    if not links:
        monkeypatch.setattr(placing.Path, "hardlink_to", lambda *_: (_ for _ in ()).throw(OSError()))
    with pytest.raises(NotPublished, match=r"Input/output error.*nothing was published"):
        found.publish(path, force=True)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_ctrl_c_leaves_nothing(killed):
    for name, _, status, left, _ in killed["mondrian", "nothing", "SIGINT"][1]:
        if name != "none":
            assert status == 130
            assert {*left} - {"release.csv.lock"} in (set(), {"release.csv", *BESIDE})


def test_ctrl_c_leaves_what_was_to_be_replaced(killed):
    for name, _, status, left, _ in killed["mondrian", "other", "SIGINT"][1]:
        if name != "none":
            assert status == 130
            kept = {each: left[each] for each in {*left} - {"release.csv.before", "release.csv.lock"}}
            new = {*kept} == {"release.csv", *BESIDE} and kept["release.csv"] != "old"
            assert new or kept == {"release.csv": "old", "release.csv.sidelight.json": "old sidecar"}


@pytest.fixture
def found():
    rows = pa.table({"age": [str(n % 20) for n in range(400)], "disease": ["Flu", "Cold"] * 200})
    table = sl.read_table(rows, quasi=["age"], sensitive="disease")
    return sl.protect(table, sl.Policy(sl.GroupSize() >= 5), method="mondrian", ask="nobody")


def test_nothing_is_replaced_unasked(found, tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("mine")
    with pytest.raises(SidelightError, match=r"release\.csv' exists.*another name.*--force"):
        found.publish(path)
    assert path.read_text() == "mine"
    found.publish(path, force=True)
    path.unlink()
    with pytest.raises(SidelightError, match=r"release\.csv\.sidelight\.json'.*without.*'release\.csv'"):
        found.publish(path)


@pytest.mark.parametrize("letter", ["x", "ä"])
@pytest.mark.parametrize("force", [True, False])
def test_names_too_long_for_what_stands_beside_are_refused_and_all_others_published(letter, force, found, tmp_path):
    """Also names that have room themselves, and none for the sidecar or the folder of unfinished work."""
    published = []
    for length in (*range(228, 260), 1000, 5000):
        path = tmp_path / f"{letter * ((length - 4) // len(letter.encode()))}.csv"
        if path in published:
            continue
        if len(path.name.encode()) > 235:
            with pytest.raises(SidelightError, match=r"\A[^\n]*too long[^\n]*\Z"):
                found.publish(path, force=force)
        else:
            found.publish(path, force=force)
            published.append(path)
    assert len(published) == (8 if letter == "x" else 4)
    assert len([*tmp_path.iterdir()]) == 3 * len(published)


@pytest.mark.parametrize("way", ["same", "other words", "symlink", "hard link"])
def test_the_input_is_never_written_over(way, tmp_path):
    table_file = tmp_path / "patients.csv"
    table_file.write_text("age,disease\n" + "20,Flu\n21,Cold\n" * 10)
    found = sl.protect(
        sl.read_table(table_file, quasi=["age"], sensitive="disease"),
        sl.Policy(sl.GroupSize() >= 5),
        method="mondrian",
        ask="nobody",
    )
    path = tmp_path / "release.csv"
    if way == "symlink":
        path.symlink_to(table_file)
    elif way == "hard link":
        path.hardlink_to(table_file)
    else:
        path = table_file if way == "same" else tmp_path / "x" / ".." / "patients.csv"
        (tmp_path / "x").mkdir()
    before = table_file.read_bytes()
    with pytest.raises(NotPublished, match=r"never written over"):
        found.publish(path, force=True)
    assert table_file.read_bytes() == before


def test_a_missing_folder_a_folder_and_an_odd_ending(found, tmp_path):
    with pytest.raises(SidelightError, match=r"no folder '.*nowhere'.*'release\.csv'"):
        found.publish(tmp_path / "nowhere" / "release.csv")
    (tmp_path / "release.csv").mkdir()
    with pytest.raises(SidelightError, match=r"release\.csv' is a folder"):
        found.publish(tmp_path / "release.csv")
    with pytest.raises(NotPublished, match=r"'release\.xlsx'.*\.parquet or \.csv"):
        found.publish(tmp_path / "release.xlsx")
    with pytest.raises(NotPublished, match=r"cannot be written as arx"):
        found.publish(tmp_path / "release.parquet", written_as="arx")
    with pytest.raises(NotPublished, match=r'layout="shuffled".* not .*"mondrian"'):
        found.publish(tmp_path / "other.csv", layout="shuffled")
    assert [path.name for path in tmp_path.iterdir()] == ["release.csv"]


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_a_full_disk_leaves_nothing(found, name, tmp_path, monkeypatch):
    def full(sheet, file):
        file.write(b"half")
        file.flush()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for kind, writer in write.WRITERS.items():
        monkeypatch.setitem(write.WRITERS, kind, replace(writer, write=full))
    with pytest.raises(NotPublished, match=r"cannot write '.*release.*': No space.*nothing was published"):
        found.publish(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


FULL = """
import resource, sys, sidelight as sl
adult = sl.datasets.adult(quasi=["age", "sex"])
found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 50), by=adult.hierarchies, ask="nobody")
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for path in sys.argv[1:]:
    try:
        found.publish(path)
    except sl.SidelightError as problem:
        print(problem)
"""


def test_a_file_that_cannot_grow_any_more(tmp_path):
    paths = [str(tmp_path / name) for name in ("release.csv", "release.parquet")]
    done = subprocess.run([sys.executable, "-c", FULL, *paths], check=True, capture_output=True, text=True)
    refused = [f"cannot write '{path}': File too large; nothing was published" for path in paths]
    assert done.stdout.splitlines() == refused
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(found, tmp_path, monkeypatch):
    def denied(**options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(placing.tempfile, "mkdtemp", denied)
    with pytest.raises(NotPublished, match=r"cannot write '.*release\.csv': Permission denied.*nothing was published"):
        found.publish(tmp_path / "release.csv")


def test_what_was_read_back_has_to_be_what_was_meant(found, tmp_path, monkeypatch):
    other = sl.Release.from_counts([{"Flu": 5}], labels=[{"age": "*"}])
    monkeypatch.setattr(publish, "read_back", lambda folder, reading, memory: other)
    with pytest.raises(NotPublished, match=r"read back.* not .*written"):
        found.publish(tmp_path / "release.csv")
    monkeypatch.setattr(publish, "is_same_release", lambda one, other: True)
    monkeypatch.setattr(publish, "read_back", lambda folder, reading, memory: sl.Release.from_counts([{"Flu": 4}]))
    with pytest.raises(NotPublished, match=r"not within policy.*group size ≥ 5\b"):
        found.publish(tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_changed_file_is_noticed(found, tmp_path):
    path = found.publish(tmp_path / "release.csv").path
    with path.open("a") as file:
        file.write("99,Flu\n")
    with pytest.raises(BadRelease, match=r"not the file.*sidecar"):
        sl.read_published(path)
    with pytest.raises(BadRelease, match=r"no 'other\.csv\.sidelight\.json'"):
        sl.read_published(tmp_path / "other.csv")
    (tmp_path / "release.csv.sidelight.json").write_text("{")
    with pytest.raises(BadRelease, match=r"cannot be read"):
        sl.read_published(path)


def few(method="mondrian", policy=None, **roles):
    """What a search found for eight people of two ages; `ward` is on nobody's list."""
    rows = pa.table({"age": list("11112222"), "ill": ["Flu", "Cold"] * 4, "ward": list("abcdefgh"), "id": range(8)})
    table = sl.read_table(rows, quasi="age", sensitive="ill", **roles)
    return sl.protect(table, sl.GroupSize() >= 4 if policy is None else policy, method=method, ask="nobody")


def test_without_options_all_is_told_and_nothing_is_replaced(tmp_path):
    found, path = few(), tmp_path / "release.csv"
    published = publish.publish(found, str(path))
    assert published.paths == (path,)
    assert (published.path, published.sidecar.name) == (path, BESIDE[0])
    assert published.dictionary == tmp_path / BESIDE[1]
    assert published.document.search.method == "mondrian"
    assert published.document.warnings == ()  # drawn without a seed, and nothing kept back
    (file,) = published.document.files
    assert (file.name, file.rows) == ("release.csv", 8)
    assert path.read_text().splitlines()[0] == "age,ill"  # no ends of intervals
    with pytest.raises(SidelightError, match="exists; give another name"):
        publish.publish(found, path)


def test_without_options_ends_are_not_printed_and_what_labels_cover_is_told(tmp_path):
    rows = pa.table({"age": list(range(20, 28)), "town": list("abababab"), "ill": ["Flu", "Cold"] * 4})
    table = sl.read_table(rows, quasi=["age", "town"], sensitive="ill")
    ages = tuple(map(str, range(20, 28)))
    by = {
        "age": sl.Hierarchy("age", (ages, ("20-27",) * 8, ("*",) * 8)),
        "town": sl.Hierarchy("town", (("a", "b"), ("north", "north"), ("*", "*"))),
    }
    found = sl.protect(table, sl.GroupSize() >= 8, by=by, levels={"age": 1, "town": 1}, ask="nobody")
    published = publish.publish(found, tmp_path / "release.csv")
    assert sorted({*published.path.read_text().splitlines()}) == ["20-27,north,Cold", "20-27,north,Flu", "age,town,ill"]
    town = published.document.hierarchies[1]
    assert (town.column, town.covers) == ("town", {"north": ("a", "b", None)})  # and whoever has no town


@pytest.mark.parametrize("option", ["force", "bounds", "private_hierarchies", "quiet_method"])
def test_options_are_yes_or_no(option, tmp_path):
    with pytest.raises(SidelightError, match=f"{option}="):
        few().publish(tmp_path / "release.csv", **{option: 1})


@pytest.mark.parametrize("method", ["anatomy", "microaggregation"])
def test_a_method_that_shows_cannot_be_kept_back(method, tmp_path):
    found = few(method, sl.Policy(sl.GroupSize() >= 2, sl.DistinctValues() >= 2))
    with pytest.raises(NotPublished) as refused:
        found.publish(tmp_path / "release.csv", quiet_method=True)
    assert mentions(refused.value, f"'{method}'", "tells the method", "quiet_method=")


def test_a_method_that_does_not_show_is_kept_back_if_that_is_said(tmp_path):
    document = few().publish(tmp_path / "release.csv", quiet_method=True, seed=3).document
    assert (document.search.method, document.search.options, document.search.levels) == (None, {}, {})
    order, quiet = document.warnings
    assert mentions(order, "order", "rows", "seed")
    assert mentions(quiet, "kept back")


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_anatomy_is_published_as_people_with_buckets_and_values_apart(name, tmp_path):
    found = few("anatomy", sl.DistinctValues() >= 2)
    published = found.publish(tmp_path / name)
    stem, _, ending = name.partition(".")
    assert [each.name for each in published.paths] == [f"{stem}.values.{ending}", name]
    assert [(each.name, each.rows) for each in published.document.files] == [
        (f"{stem}.values.{ending}", 2 * len(found.release)),
        (name, 8),
    ]
    reading, who = published.document.reading, published.document.who
    assert (reading.file, reading.group, reading.sensitive) == (f"{stem}.values.{ending}", ("bucket",), "ill")
    assert (reading.rows, reading.people, reading.count) == ("counts", "people", "count")
    assert (who.file, who.group, who.sensitive, who.rows) == (name, ("age",), "bucket", "people")
    assert (who.values, who.people, who.count, who.format) == ("single", None, None, ending)
    read = sl.read_published(published.path)
    assert int(read.members.people.sum()) == 8


def test_anatomy_in_one_file_keeps_values_in_their_bucket(tmp_path):
    found = few("anatomy", sl.DistinctValues() >= 2)
    published = found.publish(tmp_path / "release.parquet", layout="shuffled", seed=1)
    assert [each.name for each in published.paths] == ["release.parquet"]
    rows = pq.read_table(published.path).to_pylist()
    assert sorted(row["age"] for row in rows) == list("11112222")
    buckets = {row["bucket"] for row in rows}
    assert len(buckets) == len(found.release)
    for bucket in buckets:
        inside = [row["ill"] for row in rows if row["bucket"] == bucket]
        assert sorted(inside) == ["Cold"] * (len(inside) // 2) + ["Flu"] * (len(inside) // 2)


@pytest.mark.parametrize(
    ("method", "layout"), [("anatomy", "people"), ("anatomy", "counts"), ("mondrian", "two tables")]
)
def test_layouts_of_other_methods_are_refused(method, layout, tmp_path):
    with pytest.raises(NotPublished) as refused:
        few(method, sl.DistinctValues() >= 2).publish(tmp_path / "release.csv", layout=layout)
    assert mentions(refused.value, f'layout="{layout}"', "not for", f'"{method}"', "layout= out")


def test_several_values_are_never_published_person_by_person(tmp_path):
    found = few(person="id", values="set")
    with pytest.raises(NotPublished) as refused:
        found.publish(tmp_path / "release.csv", layout="people")
    assert mentions(refused.value, "several values", '"set"', 'layout="counts"')
    published = found.publish(tmp_path / "release.csv")
    assert sorted(published.path.read_text().splitlines()) == [
        *("1,4,Cold,2", "1,4,Flu,2", "2,4,Cold,2", "2,4,Flu,2"),
        "age,people,ill,count",
    ]
    assert published.document.reading.values == "set"


def test_columns_that_are_carried_along_need_a_row_per_person(tmp_path):
    found = few(keep="ward")
    with pytest.raises(NotPublished) as refused:
        found.publish(tmp_path / "release.csv", layout="counts")
    assert mentions(refused.value, "keep=", "row per person", 'layout="people"')
    published = found.publish(tmp_path / "release.csv", layout="people")
    ills = ["Flu", "Cold"] * 4
    rows = [f"{1 + number // 4},{ills[number]},{'abcdefgh'[number]}" for number in range(8)]
    assert sorted(published.path.read_text().splitlines()) == [*sorted(rows), "age,ill,ward"]
    assert published.document.kept == ("ward",)
    assert sl.read_published(published.path).intake.singled_out == 8


def test_counts_are_published_where_they_are_asked_for(tmp_path):
    published = few().publish(tmp_path / "release.csv", layout="counts")
    assert published.document.reading.rows == "counts"
    assert sl.read_published(published.path).groups.sizes.tolist() == [4, 4]


def test_several_sensitive_columns_are_read_by_name(tmp_path):
    rows = pa.table({"age": ["1"] * 4, "ill": ["Flu", "Cold"] * 2, "pay": ["low", "low", "high", "high"]})
    table = sl.read_table(rows, quasi="age", sensitive=["ill", "pay"])
    found = sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody")
    reading = found.publish(tmp_path / "release.csv").document.reading
    assert reading.sensitive == ("ill", "pay")
    assert {name: sorted(values) for name, values in reading.domain.items()} == {
        "ill": ["Cold", "Flu"],
        "pay": ["high", "low"],
    }
    assert (reading.people, reading.count) == (None, None)
    assert sl.read_published(tmp_path / "release.csv").size == 4


def test_ends_of_intervals_are_printed_where_they_are_asked_for(tmp_path):
    rows = pa.table({"age": list(range(20, 28)), "ill": ["Flu", "Cold"] * 4})
    table = sl.read_table(rows, quasi="age", sensitive="ill")
    found = sl.protect(table, sl.GroupSize() >= 8, method="mondrian", ask="nobody")
    published = found.publish(tmp_path / "release.csv", bounds=True)
    assert sorted({*published.path.read_text().splitlines()}) == [
        *("20-27,20,27,Cold", "20-27,20,27,Flu"),
        "age,age_low,age_high,ill",
    ]
    assert sl.read_published(published.path).size == 8


def test_what_is_read_back_is_held_in_no_more_memory_than_the_table_was(tmp_path, monkeypatch):
    file, given, real = tmp_path / "table.csv", [], publish.read_back

    def noting(folder, reading, memory=None):
        given.append(memory)
        return real(folder, reading, memory)

    file.write_text("age,ill\n" + "20,Flu\n21,Cold\n" * 10)
    monkeypatch.setattr(publish, "read_back", noting)
    roles = {"quasi": ["age"], "sensitive": "ill", "person": "each row"}
    held, streamed = sl.read_table(file, **roles), sl.stream_table(file, **roles, memory="500MB")
    for number, table in enumerate((held, streamed)):
        by = {"age": sl.Hierarchy("age", (("20", "21"), ("*", "*")))}
        found = sl.protect(table, sl.GroupSize() >= 5, by=by, ask="nobody")
        found.publish(tmp_path / f"release{number}.csv")
    assert given == [None, streamed.memory]


def test_files_that_cannot_be_read_back_are_not_published(tmp_path, monkeypatch):
    def failing(*_):
        message = "no such column"
        raise BadRelease(message)

    monkeypatch.setattr(publish, "read_back", failing)
    with pytest.raises(NotPublished) as refused:
        few().publish(tmp_path / "release.csv")
    assert mentions(refused.value, "cannot be read back", "no such column", "nothing was published", ".parquet")
    monkeypatch.setattr(publish, "read_back", lambda *_: sl.Release.from_counts([{"Flu": 5}]))
    with pytest.raises(NotPublished) as refused:
        few().publish(tmp_path / "release.csv")
    assert mentions(refused.value, "read back", "not", "written", "nothing was published", ".parquet")
    monkeypatch.setattr(publish, "is_same_release", lambda *_: True)
    monkeypatch.setattr(publish, "read_back", lambda *_: sl.Release.from_counts([{"Flu": 3}]))
    with pytest.raises(NotPublished, match=r"not within policy.*group size.*nothing was published$"):
        few().publish(tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["release.values.csv", "release.csv-metadata.json", "release.csv.sidelight.json"])
def test_no_file_beside_the_one_that_was_named_is_replaced_unasked_either(there, tmp_path):
    found = few("anatomy", sl.DistinctValues() >= 2)
    (tmp_path / there).write_text("mine")
    with pytest.raises(SidelightError, match=there):
        found.publish(tmp_path / "release.csv")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [(there, "mine")]
    assert len(found.publish(tmp_path / "release.csv", force=True).paths) == 2


def test_what_appears_in_the_meantime_is_not_replaced(tmp_path, monkeypatch):
    path, real = tmp_path / "release.csv", publish.build_sidecar

    def late(*arguments, **options):
        path.write_text("theirs")
        return real(*arguments, **options)

    monkeypatch.setattr(publish, "build_sidecar", late)
    with pytest.raises(NotPublished, match=r"release\.csv.*not replaced"):
        few().publish(path)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("release.csv", "theirs")]


def test_a_page_shows_what_was_published(tmp_path):
    published = few("anatomy", sl.DistinctValues() >= 2).publish(tmp_path / "release.csv")
    assert repr(published) == "<Published release.values.csv, release.csv: 8 people, within policy>"
    title, heads = "Published as release.csv, within policy", ("measure", "wanted", "found")
    page, note = published._repr_html_().removesuffix("</p>").split("<p>")
    assert page == html_table(title, heads, [("distinct values", "≥ 2", "2")]) + "\n"
    assert mentions(note, "not name", "not judged", "release.csv.sidelight.json")
    (finding,) = published.document.findings
    many = published.document.model_copy(update={"findings": (finding,) * (MOST_ROWS + 7)})
    assert "<p>… and 7 more</p>" in replace(published, document=many)._repr_html_()


def test_a_name_without_an_ending_is_a_folder_where_spark_is(tmp_path, monkeypatch):
    (tmp_path / "release").mkdir()
    with pytest.raises(NotPublished, match=r"^cannot tell.*ending of 'release'"):
        few().publish(tmp_path / "release")
    monkeypatch.setattr(publish, "running_spark", object)
    with pytest.raises(NotPublished, match=r"exists.*never replaced"):
        few().publish(tmp_path / "release")


def test_values_of_a_bucket_are_shuffled_inside_it_only():
    found = few("anatomy", sl.DistinctValues() >= 2)
    buckets = found.buckets
    people = buckets.tables()[0][-1]
    orders = set()
    for seed in range(9):
        (values,) = publish._shuffled_values(buckets, random_bytes(seed))
        cells = [values.cell(row) for row in range(len(values))]
        orders.add(tuple(cells))
        for place, bucket in enumerate(people.labels):
            rows = np.flatnonzero(people.codes == place)
            assert {cells[row] for row in rows} == {"Flu", "Cold"}, bucket
    assert len(orders) > 1


def test_values_stay_in_the_order_that_was_drawn_inside_of_each_bucket():
    rows = pa.table({"age": [*"12"] * 60, "ill": ["Flu", "Cold", "Ulcer"] * 40})
    table = sl.read_table(rows, quasi="age", sensitive="ill")
    buckets = sl.protect(table, sl.DistinctValues() >= 3, method="anatomy", ask="nobody").buckets
    (sorted_values,) = publish._shuffled_values(buckets, lambda length: np.arange(length // 8).tobytes())
    bucket, _, count = buckets.counts.entries()
    of_bucket = np.repeat(bucket, count)
    drawn = draw_order(random_bytes(5), 120)
    (values,) = publish._shuffled_values(buckets, random_bytes(5))
    before = [sorted_values.cell(row) for row in range(120)]
    assert [values.cell(row) for row in range(120)] == [
        before[row] for row in sorted(drawn.tolist(), key=of_bucket.tolist().__getitem__)
    ]


def test_how_a_release_was_made_is_known_when_it_is_judged_again(tmp_path):
    limits = [sl.GroupSize() >= 2, sl.RecursiveDiversity(2) <= 1, sl.Insider() <= 0.9]
    found = few("mondrian", sl.Policy(*limits))
    document = found.publish(tmp_path / "release.csv").document
    assert [each.measure for each in document.findings] == ["group size", "recursive diversity", "insider"]


def test_what_labels_cover_is_known_when_it_is_judged_again_and_told_unless_it_is_private(tmp_path):
    rows = pa.table({"age": list(range(20, 28)), "ill": ["Flu", "Cold"] * 4})
    everybody = pa.table({"age": list(range(20, 28)) * 2})
    ages = tuple(map(str, range(20, 28)))
    by = {"age": sl.Hierarchy("age", (ages, ("young",) * 8, ("*",) * 8))}
    table = sl.read_table(rows, quasi="age", sensitive="ill")
    policy = sl.JournalistRisk(everybody) <= Fraction(1, 16)
    found = sl.protect(table, policy, by=by, levels={"age": 1}, ask="nobody")
    told = found.publish(tmp_path / "told.csv").document
    private = found.publish(tmp_path / "private.csv", private_hierarchies=True).document
    assert told.hierarchies[0].covers == {"young": (*ages, None)}
    assert private.hierarchies[0].covers == {}


def test_people_in_buckets_are_read_by_all_their_columns(tmp_path):
    rows = pa.table({"age": list("11112222"), "sex": list("mfmfmfmf"), "ill": ["Flu", "Cold"] * 4})
    table = sl.read_table(rows, quasi=["age", "sex"], sensitive="ill")
    found = sl.protect(table, sl.DistinctValues() >= 2, method="anatomy", ask="nobody")
    for layout in ("two tables", "shuffled"):
        published = found.publish(tmp_path / f"{layout}.csv", layout=layout)
        who = published.document.who
        assert (who.group, who.sensitive, who.rows) == (("age", "sex"), "bucket", "people")
        assert int(sl.read_published(published.path).members.people.sum()) == 8


def test_several_values_in_buckets_are_published_in_two_tables(tmp_path):
    found = few("anatomy", sl.Acquaintance(rules_out=0) <= Fraction(3, 4), person="id", values="set")
    with pytest.raises(NotPublished) as refused:
        found.publish(tmp_path / "release.csv", layout="shuffled")
    assert mentions(refused.value, "several values", '"set"', 'layout="two tables"')


def test_columns_that_are_carried_along_are_published_as_usual(tmp_path):
    published = few(keep="ward").publish(tmp_path / "release.csv")
    assert published.path.read_text().splitlines()[0] == "age,ill,ward"
