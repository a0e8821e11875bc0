"""Write files together and whole, or not at all; never over the input, and over others only with `force`.

Reading        `read_whole`: regular files only, never a pipe or a device that would block.
One file       `replace_whole`: written beside its place, flushed to the disk, moved there in one step.
Several files  `unfinished_folder`, then `move_into_place`: the last one's move publishes them all; `write_together`
               for small ones in several places that do not depend on each other.
Temporary      `private_folder`: for data of a run, such as rows that do not fit into memory.
After a crash  `settle`: restore what was being replaced, or keep all of the new.  Unfinished and private folders are
               locked while their process lives; one without a lock was left by a crash, and is removed.
Before work    `refuse_targets`: compare all outputs with all inputs and each other; `refuse_left_over`: raise while
               nothing is lost.
Copies         `open_private`: files that only their owner may read.
Many writers   `locked`: one process at a time, and none waits for ever; the lock ends with the process, however that
               ends.  `write_note`: the content of a lock's file, such as its holder.

Invariant: at any moment, also after `kill -9` or a power cut, a process that settles, to read or to write, finds all of
the old files (perhaps none) or all of the new.
"""

from __future__ import annotations

import contextlib
import errno
import filecmp
import hashlib
import json
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO

from sidelight.errors import NoRoom, NotPublished, SidelightError, in_python, utf8, visible

# The ending of the document beside a release, after the whole name of the release
SIDECAR_ENDING = ".sidelight.json"


def sidecar_path(path: Path) -> Path:
    """Return the path of the document beside a published file.

    >>> sidecar_path(Path("made/release.parquet")).name
    'release.parquet.sidelight.json'
    """
    return path.parent / (path.name + SIDECAR_ENDING)  # also for a folder such as '.'


def noise_path(path: Path) -> Path:
    """Return the path of the document beside noisy counts.

    >>> noise_path(Path("made/counts.csv")).name
    'counts.csv.noise.json'
    """
    return path.parent / (path.name + ".noise.json")


def digest(path: Path) -> str:
    """Compute the SHA-256 of a file's bytes or, of a folder, of the names and digests of its files."""
    if path.is_dir():
        lines = (f"{digest(each)} {each.name}\n" for each in sorted(path.iterdir()))
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_whole(path: Path) -> bytes:
    """Read a small file to its end; raise `OSError` for a pipe or a device, which may block for ever."""
    _refuse_no_name(path)
    # opening a pipe would wait for a writer; non-blocking, it opens, and is then refused by its kind
    at_once = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is a device or a pipe", str(path))
        return file.read()


def _refuse_no_name(path: Path) -> None:
    if "\0" in str(path) or not utf8(str(path)):
        raise OSError(errno.EINVAL, "there is no such name", str(path))


def real_path(path: Path) -> Path:
    """Follow all links of a path; unlike `Path.resolve`, return a path with a circle of links unchanged."""
    return Path(os.path.realpath(path))


IN_A_CIRCLE = "leads in a circle of links"


def leads_in_a_circle(path: Path) -> bool:
    """Return whether a path is a link that leads to itself, or goes through one."""
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    except ValueError:  # not the name of a file: writing it raises
        return False
    return False


def _refuse_long_name(path: Path, ending: str = "") -> None:
    """Raise if a name, with the ending of its temporary form, is too long for its folder."""
    try:
        os.lstat(path.with_name(f"{path.name}{ending}") if path.name else path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            more = f" with '{ending}' behind it, as it is called while it is written" if ending else ""
            raise SidelightError(f"the name of the file is too long{more}: '{path.name}'; give a shorter one") from None
    except ValueError:  # not the name of a file: writing it raises
        return


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise, before any work is done, if a path cannot or should not be written."""
    _refuse_long_name(path)
    if not utf8(str(path)):
        message = f"the name of the file '{path}' is not UTF-8, as documents that name it need; give another name"
    elif leads_in_a_circle(path):
        message = f"'{path}' {IN_A_CIRCLE}; give the name of a file"
    elif not path.parent.is_dir():
        message = f"no folder '{path.parent}' to write '{path.name}' into; make it first"
    elif path.is_dir():
        message = f"'{path}' is a folder; give the name of a file"
    elif path.exists() and not path.is_file():  # such as /dev/null, which would be replaced
        message = f"'{path}' is a device or a pipe; give the name of a file"
    elif path.exists() and not force:
        message = f"'{path}' exists; give another name, or replace it with --force{in_python(' force=True')}"
    else:
        return
    raise SidelightError(message)


def refuse_input(path: Path, inputs: Iterable[Path]) -> None:
    """Raise if a path is one of the inputs, by any name or link."""
    _refuse_long_name(path)
    for each in inputs:
        if real_path(path) == real_path(each) or (path.exists() and each.exists() and path.samefile(each)):
            raise NotPublished(f"'{path}' is an input, and inputs are never written over; give another name")


def refuse_targets(targets: Sequence[Path], inputs: Iterable[Path], *, force: bool) -> None:
    """Raise, before anything is written, if a target cannot be written, is an input, or is named twice."""
    read = tuple(inputs)
    for at, path in enumerate(targets):
        refuse_input(path, read)
        refuse_existing(path, force=force)
        if real_path(path) in map(real_path, targets[:at]):
            raise SidelightError(f"'{path}' is named twice; give each answer a file of its own")


def refuse_left_over(path: Path, beside: Path, *, force: bool) -> None:
    """Raise if a document is there without its file, unless `force`; first undo what was cut short."""
    _refuse_long_name(path, f"{UNFINISHED}{'x' * 8}")  # as `mkdtemp` ends it
    settle(path)
    if beside.exists() and not path.exists() and not force:
        raise SidelightError(
            f"'{beside}' is there without its '{path.name}', which was moved or removed; "
            f"give another name, or replace it with --force{in_python(' force=True')}"
        )


def write_whole(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write one file to a path of the user; raise if a file exists there, unless `force`."""
    refuse_existing(path, force=force)
    try:
        replace_whole(path, content, force=force)
    except OSError as error:
        message = f"cannot write '{path}': {error.strerror or type(error).__name__}; choose another place"
        raise SidelightError(message) from None


def write_together(contents: Mapping[Path, str | bytes], *, force: bool = False) -> None:
    """Write several files to paths of the user: all of them, or none if one cannot be written."""
    for path in contents:
        refuse_existing(path, force=force)
    # read before anything is written, so that all files can be put back
    before = {path: path.read_bytes() if path.exists() else None for path in contents}
    written: list[Path] = []
    try:
        for path, content in contents.items():
            written.append(path)
            write_whole(path, content, force=force)
    except BaseException as error:
        if isinstance(error, NotPublished):  # another process made the file, which is not removed
            written.pop()
        for path in written:
            content_before = before[path]
            with contextlib.suppress(OSError):  # the first error is raised
                path.unlink(missing_ok=True) if content_before is None else replace_whole(path, content_before)
        raise


def replace_whole(path: Path, content: str | bytes, *, private: bool = False, force: bool = True) -> None:
    """Write one file in one step, so that others read the old one or all of the new one; raise `OSError` otherwise.

    A replaced file keeps its rights; a new one gets the usual ones or, if `private`, its owner's only.  Unless `force`,
    nothing is replaced, not even a file that appears in the meantime.
    """
    with _folder_of_ours(path.parent, f"{path.name}{UNFINISHED}") as folder:
        aside = folder / path.name
        with aside.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # before the move: else a power cut could leave the new name with no content
        if path.exists():
            rights = path.stat().st_mode & 0o777
        else:
            mask = os.umask(0)  # it can only be read by setting it
            os.umask(mask)
            rights = 0o600 if private else 0o666 & ~mask
        aside.chmod(rights)
        _move_to(aside, path, force=force)
        _flush_names(path.parent)


def open_private(path: Path) -> BinaryIO:
    """Open a new file that only its owner may read, whatever the umask."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


@contextlib.contextmanager
def unfinished_folder(path: Path) -> Iterator[Path]:
    """Make a folder for unfinished work beside the file that is written; it is removed afterwards.

    After a `kill -9`, a folder such as `release.parquet.unfinished-…` stays until the next process writes that file.
    """
    try:
        with _folder_of_ours(path.parent, f"{path.name}{UNFINISHED}") as folder:
            yield folder
    except OSError as error:
        message = f"cannot write '{path}': {error.strerror or type(error).__name__}; nothing was published"
        raise NotPublished(message) from None


# The part of a folder's name between the file's name and a random ending
UNFINISHED = ".unfinished-"


# The beginning of the names of temporary folders
TEMPORARY = "sidelight-work-"


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder for temporary files that only this user can open; it is removed afterwards.

    After a `kill -9`, the next process of this user that makes one removes it.
    """
    with contextlib.ExitStack() as held:
        try:
            root = Path(tempfile.gettempdir())
            folder = held.enter_context(_folder_of_ours(root, TEMPORARY, lambda *_: _remove_left_temporary(root)))
        except OSError as error:
            raise no_temporary_files(error) from None
        yield folder


def no_temporary_files(error: OSError) -> NoRoom:
    """Build the error that temporary files cannot be made, for another reason than a full disk."""
    reason = error.strerror or type(error).__name__
    return NoRoom(f"cannot make temporary files: {reason}; set TMPDIR to a folder that you may write to")


@cache
def _remove_left_temporary(root: Path) -> None:
    """Remove left temporary folders, once per process, as other users may have many files there."""
    _remove_left(root, TEMPORARY)


@contextlib.contextmanager
def _folder_of_ours(root: Path, prefix: str, remove_left: Callable[[Path, str], None] | None = None) -> Iterator[Path]:
    (remove_left or _remove_left)(root, prefix)
    _refuse_no_name(root / prefix)
    while True:
        folder = Path(tempfile.mkdtemp(dir=root, prefix=prefix))
        # made, then locked: in between another process may remove the folder as left over, and then it is made again
        lock = _lock_folder(folder, wait=True)
        if folder.is_dir():
            break
        if lock is not None:
            os.close(lock)
    try:
        yield folder
    finally:
        # removed while it is still locked, so that no other process takes it for left over
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _lock_folder(folder: str | Path, *, wait: bool = False) -> int | None:
    """Lock a folder until the handle is closed or the process ends; return None if it cannot be locked."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows, where left folders are not recognised
    except ImportError:
        return None
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another process works there, or this file system has no locks
        os.close(handle)
        return None
    return handle


def _remove_left(root: Path, prefix: str) -> None:
    """Remove folders of this user whose process has ended without doing so."""
    with contextlib.suppress(OSError), os.scandir(root) as names:
        for each in names:
            ours = each.name.startswith(prefix) and each.is_dir(follow_symlinks=False)
            if not ours or each.stat(follow_symlinks=False).st_uid != os.getuid():
                continue
            # a folder that can be locked has no living owner: the system releases locks when a process ends
            lock = _lock_folder(each.path)
            if lock is not None:
                shutil.rmtree(each.path, ignore_errors=True)
                os.close(lock)


def move_into_place(folder: Path, targets: Sequence[Path], *, force: bool = True) -> None:
    """Move files from their folder to their targets; the move of the last one publishes them all.

    The document about the files goes first, so that the last one is never there without it.  Replaced files are kept
    until then: if a move fails they are restored, and after a crash `settle` restores them.  Unless `force`, a file
    that appeared in the meantime stays: another process has published.
    """
    *first, last = targets
    with locked(last, passing=True):
        _settle(last, folder)
        there = next((target for target in targets if target.exists()), None)
        if there is not None and not force:
            raise _appearance_error(there)
        try:
            _keep_before(targets, folder)
            for target in first:
                _move_to(folder / target.name, target, force=force)
            _flush_names(last.parent)  # so that also after a power cut the last one is not there alone
            _move_to(folder / last.name, last, force=force)
            _flush_names(last.parent)
            _finish(last, folder)
        except BaseException:
            aside = folder / last.name
            is_placed = not aside.exists() or (last.exists() and last.samefile(aside))
            if not is_placed:  # else all is published, and the interrupt came too late
                _put_back(last, folder)  # if that fails, what was kept stays for `settle`
            _finish(last, folder)
            raise


def _finish(last: Path, aside: Path) -> None:
    """Remove what was kept; if that fails, the next `settle` does it, and the new files stay published."""
    with contextlib.suppress(OSError):
        _forget_before(last, aside)


def _appearance_error(target: Path) -> NotPublished:
    message = f"'{target}' appeared in the meantime, and is not replaced; give another name, or use --force"
    return NotPublished(message)


def _move_to(file: Path, target: Path, *, force: bool) -> None:
    """Move a file; unless `force`, raise if the target exists by now."""
    if force or file.is_dir():
        file.replace(target)
        return
    try:
        # a link fails where the target exists, in one step; a rename would silently replace it
        target.hardlink_to(file)
    except FileExistsError:
        raise _appearance_error(target) from None
    except OSError:  # files cannot have two names here
        if target.exists():
            raise _appearance_error(target) from None
        file.replace(target)
    else:
        with contextlib.suppress(OSError):  # it is in its place, and its folder goes
            file.unlink()


# While files are moved, a folder of its own, `release.csv.before`, keeps what undoes the moves: `old` holds the
# replaced files, `new` second names of files that replace nothing.  It appears and disappears as a whole.  If it is
# found, there was a crash: if the last file is still the old one, or missing, nothing was published, and the moves are
# undone; else all was published.


def undo_path(path: Path) -> Path:
    """Return the folder that keeps replaced files during a move."""
    return path.parent / f"{path.name}.before"  # also for a folder such as '.'


def settle(path: Path) -> None:
    """Make sure, before a file and the files beside it are read, that they belong together.

    Wait while another process moves them; if a move was cut short, restore the files before it.
    """
    try:
        if not undo_path(path).is_dir():
            return
    except OSError:  # no such name: reading it raises
        return
    try:
        with locked(path, passing=True), unfinished_folder(path) as aside:
            _settle(path, aside)
    except TimeoutError as error:
        raise NotPublished(f"cannot read '{path}' while it is replaced: {error.strerror}") from None
    except (OSError, SidelightError):
        raise NotPublished(
            f"publishing '{path}' was cut short, and this user may not put back what stood there; "
            "let somebody who may write there read it, or publish again with --force"
        ) from None


def _settle(last: Path, aside: Path) -> None:
    kept = undo_path(last) / "old" / last.name
    # the last file is new if it was moved to its place since the one before was kept
    is_new = last.exists() and not (kept.exists() and _same_file(last, kept))
    if undo_path(last).is_dir() and not is_new:
        _put_back(last, aside)
    _forget_before(last, aside)


def _put_back(last: Path, aside: Path) -> None:
    """Undo a move: restore what was kept, remove what came.  What was kept stays, so that this may be cut short too."""
    again = Path(tempfile.mkdtemp(dir=aside))  # one move may have to undo and forget another one before it
    for kept in _list_kept(last, "old"):
        target = last.with_name(kept.name)
        if not (target.exists() and _same_file(target, kept)):
            _second_name(kept, again / kept.name).replace(target)
    for kept in _list_kept(last, "new"):
        target = last.with_name(kept.name)
        if target.exists() and _same_file(target, kept):  # else another process made it
            target.unlink()
    _flush_names(last.parent)


def _list_kept(last: Path, which: str) -> list[Path]:
    folder = undo_path(last) / which
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _forget_before(last: Path, aside: Path) -> None:
    """Remove what was kept, in one step: a part of it would restore too little."""
    if undo_path(last).is_dir():
        # a rename is one step; deleting file by file could be cut short in the middle
        undo_path(last).rename(Path(tempfile.mkdtemp(dir=aside)) / "forgotten")
        _flush_names(last.parent)


def _same_file(one: Path, other: Path) -> bool:
    """Return whether two names are of one file or, where files cannot have two names, of equal copies."""
    return one.samefile(other) or filecmp.cmp(one, other, shallow=False)


def _keep_before(targets: Sequence[Path], folder: Path) -> None:
    """Keep all that undoes the moves of files to their targets, in one step."""
    *first, last = targets
    kept = Path(tempfile.mkdtemp(dir=folder)) / "kept"
    for each in (kept, kept / "old", kept / "new"):
        each.mkdir()
    for target in targets:
        if target.exists():
            _second_name(target, kept / "old" / target.name)
        elif target in first:
            _second_name(folder / target.name, kept / "new" / target.name)
    for each in (kept / "old", kept / "new", kept):
        _flush_names(each)
    # names are flushed before the rename: the folder must never appear with less than all that it keeps
    kept.rename(undo_path(last))
    _flush_names(last.parent)


def _second_name(file: Path, name: Path) -> Path:
    """Give a file a second name, or copy it where files cannot have two; return the new name."""
    try:
        name.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, name)
        flush_to_disk(name)
    return name


def flush_to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_names(folder: Path) -> None:
    with contextlib.suppress(OSError):  # some systems cannot flush a folder
        flush_to_disk(folder)


# Seconds after which a warning names the holder of a lock, and after which waiting ends
SAY_WAITING, WAIT_AT_MOST = 2.0, 60.0


@contextlib.contextmanager
def locked(path: Path, *, passing: bool = False) -> Iterator[None]:
    """Keep other processes and threads out, by a lock on a file beside, as the file itself is replaced.

    Only the owner can open that file, so that no other account can hold the lock.  Raise `TimeoutError` if another
    process holds it for too long.  A `passing` lock leaves no file: a waiting process notices, and locks a new one.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - it brings asyncio along, and few files are locked

    path.parent.stat()  # else the lock would make a folder that is missing
    lock = FileLock(lock_path(path), mode=0o600, poll_interval=0.01)

    def holder() -> str:
        process = read_note(path).get("process")
        who = f"process {process}" if isinstance(process, int) else "another process"
        return f"{who} holds its lock '{lock_path(path).name}'"

    try:
        try:
            lock.acquire(timeout=min(SAY_WAITING, WAIT_AT_MOST))
        except Timeout:
            logger = logging.getLogger(__name__)
            logger.warning("sidelight: waiting for '%s': %s", visible(path.name), visible(holder()))
            lock.acquire(timeout=max(WAIT_AT_MOST - SAY_WAITING, 0))
        with contextlib.suppress(OSError):
            lock_path(path).chmod(0o600)  # one that an earlier version made was open to all
            write_note(path, process=os.getpid())
        yield
    except Timeout:
        reason = f"{holder()}, for over {WAIT_AT_MOST:g} s; end it, or wait"
        raise TimeoutError(errno.ETIMEDOUT, reason, str(path)) from None
    finally:
        if lock.is_locked:
            with contextlib.suppress(OSError):  # Windows keeps files that are open
                lock_path(path).unlink() if passing else write_note(path, process=None)
            lock.release()


def lock_path(path: Path) -> Path:
    """Return the path of a file's lock; the lock file stays after release, unless it is passing."""
    return path.with_name(f"{path.name}.lock")


def read_note(path: Path) -> dict[str, object]:
    """Read the note in the lock of a file; an empty one if there is none that we wrote."""
    try:
        note = json.loads(lock_path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}


def write_note(path: Path, *, keep: bool = False, **note: object) -> None:
    """Write a note into the lock of a file, by its holder; with `keep`, flush it to the disk.

    Nothing is noted on Windows, where the file goes with the lock, nor on file systems without locks, where the file
    itself shows its owner.
    """
    if os.name == "nt":
        return
    text = json.dumps({key: value for key, value in (read_note(path) | note).items() if value is not None})
    with lock_path(path).open("r+b") as file:  # never created here, as its presence has a meaning
        if file.read(1) not in (b"", b"{"):
            return
        file.seek(0)
        file.write(f"{text}\n".encode())
        file.truncate()
    if keep:
        flush_to_disk(lock_path(path))
