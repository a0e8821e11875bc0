"""One file at a time: whole, with its rights, and by one writer at a time."""

import errno
import os
import stat
import subprocess
import sys
import threading

import pytest

from sidelight import files as _files
from sidelight.errors import NotPublished, SidelightError
from sidelight.files import (
    locked,
    real_path,
    refuse_existing,
    refuse_input,
    refuse_targets,
    replace_whole,
    write_whole,
)


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("content", ["für alle\n", b"\xff\x00"])
def test_what_was_written_is_there_and_nothing_else(content, tmp_path):
    replace_whole(tmp_path / "answer", content)
    assert (tmp_path / "answer").read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert [each.name for each in tmp_path.iterdir()] == ["answer"]


def test_rights_of_new_private_and_replaced_files(tmp_path):
    before = os.umask(0o027)
    try:
        replace_whole(tmp_path / "shared", "1")
        replace_whole(tmp_path / "private", "1", private=True)
    finally:
        os.umask(before)
    assert (rights(tmp_path / "shared"), rights(tmp_path / "private")) == (0o640, 0o600)
    (tmp_path / "private").chmod(0o644)
    replace_whole(tmp_path / "private", "2", private=True)
    assert rights(tmp_path / "private") == 0o644


@pytest.mark.parametrize("step", ["fsync", "replace", "interrupt"])
def test_a_failure_leaves_the_old_file_and_no_half(step, tmp_path, monkeypatch):
    path = tmp_path / "answer"
    path.write_text("old")

    def fail(*_):
        raise KeyboardInterrupt if step == "interrupt" else OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (_files.Path, "replace")), fail)
    with pytest.raises(KeyboardInterrupt if step == "interrupt" else OSError):
        replace_whole(path, "new")
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"answer": "old"}


def test_a_place_that_somebody_named_is_refused_or_explained(tmp_path, monkeypatch):
    write_whole(tmp_path / "answer", "1")
    with pytest.raises(SidelightError, match=r"exists; give another name"):
        write_whole(tmp_path / "answer", "2")
    write_whole(tmp_path / "answer", "2", force=True)
    assert (tmp_path / "answer").read_text() == "2"
    monkeypatch.setattr(
        _files.tempfile, "mkdtemp", lambda **_: (_ for _ in ()).throw(OSError(errno.EROFS, "Read-only"))
    )
    with pytest.raises(SidelightError, match=r"cannot write '.*': Read-only; choose another place"):
        write_whole(tmp_path / "other", "1")


def test_devices_and_inputs_are_refused_even_with_force(tmp_path):
    with pytest.raises(SidelightError, match=r"is a device or a pipe"):
        refuse_existing(_files.Path(os.devnull), force=True)
    (tmp_path / "input").write_text("rows")
    (tmp_path / "link").hardlink_to(tmp_path / "input")
    with pytest.raises(NotPublished, match=r"never written over"):
        refuse_input(tmp_path / "link", [tmp_path / "input"])


def test_only_one_writer_at_a_time(tmp_path):
    path, seen = tmp_path / "total", []
    path.write_text("0")

    def add():
        for _ in range(20):
            with locked(path):
                number = int(path.read_text())
                seen.append(number)
                replace_whole(path, str(number + 1))

    writers = [threading.Thread(target=add) for _ in range(3)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert seen == list(range(60))
    assert path.read_text() == "60"


HOLDER = """
import sys, time; from pathlib import Path; from sidelight.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def held(tmp_path):
    """A file whose lock another process holds, and that process."""
    path = tmp_path / "total"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield path, process
        process.kill()


def test_lock_held_by_another_process_is_named_and_given_up_in_the_end(held, monkeypatch, caplog):
    path, process = held
    monkeypatch.setattr(_files, "SAY_WAITING", 0.05)
    monkeypatch.setattr(_files, "WAIT_AT_MOST", 0.1)
    with pytest.raises(TimeoutError, match=f"process {process.pid} holds its lock 'total.lock'"), locked(path):
        pass
    assert caplog.messages == [f"sidelight: waiting for 'total': process {process.pid} holds its lock 'total.lock'"]
    monkeypatch.setattr(_files, "WAIT_AT_MOST", 60)
    process.stdin.close()  # it ends, and the lock with it
    with locked(path):
        assert _files.read_note(path) == {"process": os.getpid()}
    assert _files.read_note(path) == {}


def test_lock_held_by_another_process_is_no_publication_and_no_reading(held, monkeypatch):
    path, process = held
    monkeypatch.setattr(_files, "SAY_WAITING", 0.05)
    monkeypatch.setattr(_files, "WAIT_AT_MOST", 0.1)
    with pytest.raises(NotPublished, match=f"process {process.pid} .*; nothing was published"):
        move_contents((path.with_name("a"), path), "new")
    _files.undo_path(path).mkdir()
    with pytest.raises(NotPublished, match=f"cannot read .* process {process.pid} holds"):
        _files.settle(path)


def test_lock_is_for_its_owner_alone_also_where_an_earlier_version_made_it(tmp_path):
    _files.lock_path(tmp_path / "old").touch(0o644)
    before = os.umask(0)
    try:
        for name in ("old", "new"):
            for passing in (False, True):
                with locked(tmp_path / name, passing=passing):
                    assert rights(tmp_path / f"{name}.lock") == 0o600
    finally:
        os.umask(before)


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]", b"4711\nhost\n", b"\xff", b"[" * 10**5])
def test_notes_are_not_read_nor_written_where_a_lock_holds_something_else(text, tmp_path):
    path = tmp_path / "total"
    _files.lock_path(path).write_bytes(text)
    assert _files.read_note(path) == {}
    _files.write_note(path, entries=1)
    assert _files.read_note(path) == ({"entries": 1} if text in (b"", b"{}") else {})
    assert _files.lock_path(path).read_bytes() == (b'{"entries": 1}\n' if text in (b"", b"{}") else text)


def test_a_lock_in_a_missing_folder_is_an_ordinary_error(tmp_path):
    with pytest.raises(OSError, match="No such file"), locked(tmp_path / "missing" / "total"):
        pass


def test_files_that_are_written_together_are_all_there_or_none(tmp_path, monkeypatch):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("before")

    def full(path, content, **options):
        if path == other:
            raise OSError(28, "No space left on device")
        real(path, content, **options)

    real = _files.replace_whole
    monkeypatch.setattr(_files, "replace_whole", full)
    with pytest.raises(SidelightError, match="No space left"):
        _files.write_together({one: "after", other: "new"}, force=True)
    assert (one.read_text(), other.exists()) == ("before", False)
    with pytest.raises(SidelightError, match="exists"):
        _files.write_together({other: "new", one: "after"})
    assert not other.exists()


def test_what_appeared_in_the_meantime_is_not_replaced_unasked(tmp_path):
    from sidelight.files import move_into_place, unfinished_folder  # noqa: PLC0415

    targets = (tmp_path / "a.json", tmp_path / "a.csv")
    for there in targets:
        there.write_text("theirs")
        with unfinished_folder(targets[-1]) as folder:
            for each in targets:
                (folder / each.name).write_text("ours")
            with pytest.raises(NotPublished, match="appeared in the meantime"):
                move_into_place(folder, targets, force=False)
        assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [(there.name, "theirs")]
        there.unlink()


def test_what_appears_this_moment_is_not_replaced_unasked(tmp_path, monkeypatch):
    """Between the last look and the move, somebody else's file appears: it stays, also beside files that were there."""
    link = os.link

    def late(file, target, **options):
        _files.Path(target).write_text("theirs")
        return link(file, target, **options)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(NotPublished, match="appeared in the meantime"):
        write_whole(tmp_path / "answer", "ours")
    with pytest.raises(NotPublished, match="appeared in the meantime"):
        _files.write_together({tmp_path / "page": "ours"})
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"answer": "theirs", "page": "theirs"}


def test_a_passing_lock_keeps_all_others_out_and_leaves_no_file(tmp_path):
    path, inside, most = tmp_path / "total", [], []

    def hold():
        for _ in range(20):
            with locked(path, passing=True):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    writers = [threading.Thread(target=hold) for _ in range(4)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert (len(most), max(most), [*tmp_path.iterdir()]) == (80, 1, [])


def cut_short(targets, moved, *, stood):
    """Leave what a crash leaves: `moved` of two files were moved, to where files stood or nothing did."""
    for each in targets if stood else ():
        each.write_text("old")
    with _files.unfinished_folder(targets[-1]) as folder:
        for each in targets:
            (folder / each.name).write_text("new")
        _files._keep_before(targets, folder)
        for each in targets[:moved]:
            (folder / each.name).replace(each)


def move_contents(targets, content, **options):
    with _files.unfinished_folder(targets[-1]) as folder:
        for each in targets:
            (folder / each.name).write_text(content)
        _files.move_into_place(folder, targets, **options)


@pytest.fixture(params=[True, False], ids=["links", "no links"])
def pair(request, tmp_path, monkeypatch):
    """Two files that belong together, also where files cannot have two names."""
    if not request.param:
        monkeypatch.setattr(os, "link", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EPERM, "no links")))
    return tmp_path / "a.json", tmp_path / "a.csv"


def contents(targets):
    return {each.name: each.read_text() for each in targets[0].parent.iterdir()}


@pytest.mark.parametrize("stood", [True, False])
@pytest.mark.parametrize("moved", [0, 1, 2])
def test_settle_after_a_crash_leaves_what_stood_there_or_all_of_the_new(moved, stood, pair):
    cut_short(pair, moved, stood=stood)
    _files.settle(pair[-1])
    expected = "new" if moved == 2 else "old" if stood else None
    assert contents(pair) == ({} if expected is None else {each.name: expected for each in pair})


@pytest.mark.parametrize("stood", [True, False])
@pytest.mark.parametrize("moved", [0, 1, 2])
def test_move_into_place_right_after_a_crash_replaces_all(moved, stood, pair):
    cut_short(pair, moved, stood=stood)
    move_contents(pair, "newer")
    assert contents(pair) == {each.name: "newer" for each in pair}


@pytest.mark.parametrize("stood", [True, False])
@pytest.mark.parametrize("moved", [0, 1, 2])
def test_move_into_place_that_fails_after_a_crash_leaves_what_settling_would(moved, stood, pair, monkeypatch):
    cut_short(pair, moved, stood=stood)

    def fail(file, target, *, force):
        if target == pair[-1]:
            raise OSError(errno.EIO, "Input/output error")
        place(file, target, force=force)

    place = _files._move_to
    monkeypatch.setattr(_files, "_move_to", fail)
    with pytest.raises(NotPublished, match="nothing was published"):
        move_contents(pair, "newer")
    expected = "new" if moved == 2 else "old" if stood else None
    assert contents(pair) == ({} if expected is None else {each.name: expected for each in pair})


@pytest.mark.parametrize("force", [True, False])
def test_move_into_place_that_cannot_clean_up_has_published(force, pair, monkeypatch):
    def fail(*_, **__):
        if _files.undo_path(pair[-1]).is_dir():
            raise OSError(errno.EIO, "Input/output error")

    if force:
        move_contents(pair, "old")
    monkeypatch.setattr(_files, "_forget_before", fail)
    if not force:
        monkeypatch.setattr(_files.Path, "unlink", fail)
    move_contents(pair, "new", force=force)
    monkeypatch.undo()
    _files.settle(pair[-1])
    assert {each: each.read_text() for each in pair} == dict.fromkeys(pair, "new")


def test_refuse_left_over_undoes_what_was_cut_short(pair):
    cut_short(pair, 1, stood=False)
    _files.refuse_left_over(pair[-1], pair[0], force=False)
    assert contents(pair) == {}
    pair[0].write_text("of a file that is gone")
    with pytest.raises(SidelightError, match=r"without its 'a.csv'"):
        _files.refuse_left_over(pair[-1], pair[0], force=False)


def test_whoever_may_not_settle_is_told(tmp_path, monkeypatch):
    (tmp_path / "a.csv.before").mkdir()

    def denied(**_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(_files.tempfile, "mkdtemp", denied)
    with pytest.raises(NotPublished, match=r"cut short.*may not put back"):
        _files.settle(tmp_path / "a.csv")


def test_what_a_killed_process_left_goes_with_the_next_and_what_is_in_use_stays(tmp_path, monkeypatch):
    """A folder is in use while its process lives: it is locked, and the lock ends however the process ends."""
    code = (
        "import os, signal, sys; from pathlib import Path; from sidelight import files as _files;"
        "a = _files.unfinished_folder(Path(sys.argv[1], 'release.csv')); (a.__enter__() / 'rows').write_text('Ann');"
        "_files.tempfile.tempdir = sys.argv[1]; b = _files.private_folder(); (b.__enter__() / 'rows').write_text('Ann');"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, timeout=600)
    assert sorted(each.name.rpartition("-")[0] for each in tmp_path.iterdir()) == [
        "release.csv.unfinished",
        "sidelight-work",
    ]
    (tmp_path / "sidelight-work-mine").write_text("a file of somebody's")
    monkeypatch.setattr(_files.tempfile, "tempdir", str(tmp_path))
    _files._remove_left_temporary.cache_clear()
    with _files.unfinished_folder(tmp_path / "release.csv") as ours, _files.private_folder() as private:
        assert {rights(ours), rights(private)} == {0o700}
        _files._remove_left_temporary.cache_clear()
        with _files.unfinished_folder(tmp_path / "release.csv") as another, _files.private_folder():
            assert ours.is_dir()
            assert private.is_dir()
            assert another != ours
    assert [each.name for each in tmp_path.iterdir()] == ["sidelight-work-mine"]


@pytest.mark.parametrize("name", ["loop", "loop/x.csv"])
def test_links_that_lead_in_a_circle_are_refused(name, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "input.csv").write_text("a\n")
    for force in (False, True):
        with pytest.raises(SidelightError, match=f"{name}' .*circle of links"):
            refuse_targets([tmp_path / "x.csv", tmp_path / name], [tmp_path / "input.csv"], force=force)
    refuse_input(tmp_path / "x.csv", [tmp_path / name])
    assert real_path(tmp_path / name) == real_path(tmp_path) / name


def test_links_are_followed_to_what_is_read_or_written_already(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    with pytest.raises(NotPublished, match="is an input"):
        refuse_input(tmp_path / "link" / "x.csv", [tmp_path / "folder" / "x.csv"])
    with pytest.raises(SidelightError, match="is named twice"):
        refuse_targets([tmp_path / "link" / "x.csv", tmp_path / "folder" / "x.csv"], [], force=False)
