"""What is put aside is its owner's alone, under any umask, and is gone afterwards, also after an error."""

import io
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from support.command_line import invoke
from support.explorer import guest, opened
from support.markers import write_marked

from sidelight.engines import files
from sidelight.engines.duckdb.source import connection, store_by_column
from sidelight.publish import publish
from sidelight.report.render import pdf_page
from sidelight.streams import sorted_runs
from sidelight.table.roles import Roles
from sidelight.web import uploads

P, H = ("--policy", "policy.toml"), ("--hierarchies", "levels")
MONDRIAN = ("protect", "people.csv", *P, "--method", "mondrian", "--memory", "400MB")


@pytest.fixture
def aside(tmp_path, monkeypatch):
    """The folder of temporary files, of somebody whose new files are open to all."""
    folder, aside = tmp_path / "work", tmp_path / "aside"
    folder.mkdir(), aside.mkdir()
    write_marked(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    before = os.umask(0)
    yield aside
    os.umask(before)


@pytest.fixture
def removed(monkeypatch):
    """The rights of all that stood in a temporary folder when it was removed: of itself, then of what was in it."""
    seen, remove = [], shutil.rmtree

    def look(folder, *rest, **options):
        seen.append((rights(folder), {path.name: rights(path) for path in Path(folder).rglob("*")}))
        remove(folder, *rest, **options)

    monkeypatch.setattr(shutil, "rmtree", look)
    return seen


def rights(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


def owners_alone(removed):
    return all(folder == 0o700 and {*inside.values()} <= {0o600, 0o700} for folder, inside in removed)


def test_copies_in_another_encoding_and_for_bounded_memory(aside, removed):
    Path("latin.csv").write_bytes(Path("people.csv").read_bytes() + "7,x,9,20,f,140,Grippé\n".encode("latin-1"))
    done = invoke(["audit", "latin.csv", *P, "--encoding", "latin-1", "--memory", "400MB"])
    assert done.exit_code in (0, 1), done.stderr
    with connection() as con:
        store_by_column(con, "SELECT 'zqvalue' AS disease")
    assert [{*inside} - {"0"} for _, inside in removed] == [{"latin.csv"}, {"rows.parquet"}]
    assert owners_alone(removed)
    assert [*aside.iterdir()] == []


def test_standard_input(aside, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("people.csv").read_bytes())))
    cleaning = []
    monkeypatch.setattr(files.atexit, "register", cleaning.append)
    copy = files._copy_standard_input.__wrapped__()
    assert (rights(copy), rights(copy.parent), copy.parent.parent) == (0o600, 0o700, aside)
    cleaning[0]()
    assert [*aside.iterdir()] == []


def test_a_page_that_is_printed(aside, removed, monkeypatch):
    monkeypatch.setattr("sidelight.report.render.browser_path", lambda: "browser")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: Path(command[-2][15:]).touch() or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pdf_page("<p>zqvalue</p>")
    assert [("page.html" in inside, folder) for folder, inside in removed] == [(True, 0o700)]
    assert removed[0][1]["page.html"] == 0o600
    assert [*aside.iterdir()] == []


def test_what_is_dropped_on_the_page_and_downloaded_from_it(aside):
    with uploads.own_temporary_folder() as folder:
        held = opened(Path("people.csv"), Roles(quasi=("age", "sex", "zip"), sensitive="disease"))
        client = guest(held, uploads.Uploads(folder))
        content = Path("people.csv").read_bytes()
        assert client.post("/api/uploads", files={"file": ("other.csv", content)}).status_code == 200
        given = [path for path in folder.rglob("*") if path.is_file()]
        assert (len(given), {*map(rights, given)}) == (1, {0o600})
        assert {rights(path) for path in (folder, *folder.rglob("*")) if path.is_dir()} == {0o700}
        held.jobs.close()
    assert [*aside.iterdir()] == []


def test_what_is_not_published_yet(aside, monkeypatch):
    seen, is_same = [], publish.is_same_release

    def look(*given):
        seen.extend(rights(path) for path in Path().glob("release.csv.unfinished-*"))
        return is_same(*given)

    monkeypatch.setattr(publish, "is_same_release", look)
    assert invoke([*MONDRIAN, "-o", "release.csv"]).exit_code == 0
    assert seen == [0o700]
    assert [*Path().glob("*.unfinished-*"), *aside.iterdir()] == []


def test_rows_that_do_not_fit_have_no_name(aside, monkeypatch):
    spilled, nameless = [], sorted_runs._nameless_file

    def look():
        file = nameless()
        spilled.append(([*aside.iterdir()], stat.S_IMODE(os.fstat(file.fileno()).st_mode)))
        return file

    monkeypatch.setattr(sorted_runs, "_nameless_file", look)
    runs = sorted_runs.RowParts(parts=4, columns=1, rows=9)
    assert [each for each in spilled if each != ([], 0o600)] == []
    del runs


@pytest.mark.parametrize("words", [("--kind", "zip=number"), ("--levels", "age=9"), ("--limit", "group size >= 900")])
def test_nothing_is_left_after_an_error(aside, words):
    before = {*Path().rglob("*")}
    assert invoke(["protect", "people.csv", *P, *H, "--memory", "400MB", *words, "-o", "release.csv"]).exit_code in (
        1,
        2,
    )
    assert invoke(["audit", "people.csv", *P, "--memory", "400MB", "-m", "nothing"]).exit_code == 2
    assert ([*aside.iterdir()], {*Path().rglob("*")}) == ([], before)
