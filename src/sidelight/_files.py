"""Files appear together and whole, or not at all; never over the input, and never over others unasked.

One file       `replace_whole`: written beside its place, flushed to the disk, moved there in one step.
Several files  `unfinished_folder`, then `move_into_place`: the last one's move publishes them all; `write_together`
               for small ones in several places, of which nobody relies on one for another.
Before work    `refuse_targets`: all outputs against all inputs and each other; `refuse_left_over`: say what is in the
               way while nothing is lost.
Many writers   `locked`: one process at a time; the lock ends with the process, however that ends.

Invariant: at any moment, also after `kill -9` or a power cut, a reader finds what stood there before, all of the new,
or (of several files) a document that tells of others, which readers notice by its digests.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sidelight.errors import NotPublished, SidelightError, in_python


def refuse_existing(path: Path, *, force: bool) -> None:
    """Refuse a path that cannot or should not be written, before any work is done."""
    if not path.parent.is_dir():
        message = f"no folder '{path.parent}' to write '{path.name}' into; make it first"
        raise SidelightError(message)
    if path.is_dir():
        message = f"'{path}' is a folder; give the name of a file"
        raise SidelightError(message)
    if path.exists() and not path.is_file():  # such as /dev/null, which would be replaced
        message = f"'{path}' is a device or a pipe; give the name of a file"
        raise SidelightError(message)
    if path.exists() and not force:
        message = f"'{path}' exists; give another name, or replace it with --force{in_python(' force=True')}"
        raise SidelightError(message)


def refuse_input(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write over what was read, by whatever name or link."""
    for each in inputs:
        if path.resolve() == each.resolve() or (path.exists() and each.exists() and path.samefile(each)):
            message = f"'{path}' is an input, and inputs are never written over; give another name"
            raise NotPublished(message)


def refuse_targets(targets: Sequence[Path], inputs: Iterable[Path], *, force: bool) -> None:
    """Refuse, before anything is written, a place that cannot be written, is read from, or is named for two answers."""
    read = tuple(inputs)
    for at, path in enumerate(targets):
        refuse_input(path, read)
        refuse_existing(path, force=force)
        if path.resolve() in (other.resolve() for other in targets[:at]):
            message = f"'{path}' is named twice; give each answer a file of its own"
            raise SidelightError(message)


def refuse_left_over(path: Path, beside: Path, *, force: bool) -> None:
    """Refuse to put a file beside a document that tells of another: publishing was cut short, or the file is gone."""
    if beside.exists() and not path.exists() and not force:
        message = (
            f"'{beside}' is there without its '{path.name}': publishing was cut short, or the file was moved; "
            f"give another name, or replace it with --force{in_python(' force=True')}"
        )
        raise SidelightError(message)


def write_whole(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write one file for somebody who named its place: never over another one unasked."""
    refuse_existing(path, force=force)
    try:
        replace_whole(path, content)
    except OSError as error:
        message = f"cannot write '{path}': {error.strerror or type(error).__name__}; choose another place"
        raise SidelightError(message) from None


def write_together(contents: Mapping[Path, str | bytes], *, force: bool = False) -> None:
    """Write several files for somebody who named their places: all of them, or none where one cannot be written."""
    for path in contents:
        refuse_existing(path, force=force)
    before = {path: path.read_bytes() if path.exists() else None for path in contents}
    written: list[Path] = []
    try:
        for path, content in contents.items():
            written.append(path)
            write_whole(path, content, force=force)
    except BaseException:
        for path in written:
            _restore(path, before[path])
        raise


def _restore(path: Path, content: bytes | None) -> None:
    with contextlib.suppress(OSError):  # what led here is told
        if content is None:
            path.unlink(missing_ok=True)
        else:
            replace_whole(path, content)


def replace_whole(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write one file in one step: a reader sees the old one, or all of the new one; `OSError` where it cannot be done.

    A file that is replaced keeps its rights; a new one gets those of any new file, or, if `private`, its owner's only.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # before the move: else a power cut could leave the new name with no content
        aside.chmod(_rights(path, private=private))
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    _flush_names(path.parent)


def _rights(path: Path, *, private: bool) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    return 0o600 if private else 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)  # it can only be read by setting it
    os.umask(mask)
    return mask


@contextlib.contextmanager
def unfinished_folder(path: Path) -> Iterator[Path]:
    """Make a folder beside a file that is to be, for work that is not done; it is gone afterwards, however it ends.

    After a `kill -9` it stays, and its name says what it is: `release.parquet.unfinished-…`.
    """
    try:
        folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f"{path.name}.unfinished-"))
    except OSError as error:
        raise _cannot_publish(path, error) from None
    try:
        yield folder
    except OSError as error:
        raise _cannot_publish(path, error) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _cannot_publish(path: Path, error: OSError) -> NotPublished:
    reason = error.strerror or type(error).__name__
    return NotPublished(f"cannot write '{path}': {reason}; nothing was published")


def move_into_place(folder: Path, targets: Sequence[Path], *, force: bool = True) -> None:
    """Move files out of their folder to where they belong, the last one last: with it, they are published.

    The document that tells of the files goes first, so that the last one never stands there without it, or beside that
    of another: a reader compares digests.  If moving fails half-way, what stood there before stands there again.
    Unless `force`, what appeared there in the meantime stays: somebody else has published.
    """
    *first, last = targets
    kept = {target: _keep_aside(target, folder) for target in first if target.exists()}
    try:
        for target in first:
            _place(folder / target.name, target, force=force)
        _flush_names(last.parent)  # so that also after a power cut the last one is not there alone
        _place(folder / last.name, last, force=force)
    except BaseException:
        if (folder / last.name).exists():  # else all is published, and the interrupt came too late
            for target in first:
                _put_back(target, kept.get(target), moved=not (folder / target.name).exists())
        raise
    _flush_names(last.parent)


def _place(file: Path, target: Path, *, force: bool) -> None:
    """Move a file; unless `force`, not over one that is there by now."""
    if target.exists() and not force:
        message = f"'{target}' appeared in the meantime; nothing was published: give another name, or use --force"
        raise NotPublished(message)
    file.replace(target)


def _keep_aside(target: Path, folder: Path) -> Path:
    """Keep a file that is to be replaced by a second name, or a copy where files cannot have two."""
    kept = folder / f"{target.name}.before"
    try:
        kept.hardlink_to(target)
    except OSError:
        shutil.copyfile(target, kept)
    return kept


def _put_back(target: Path, kept: Path | None, *, moved: bool) -> None:
    if moved and kept is not None:
        kept.replace(target)
    elif moved:
        target.unlink(missing_ok=True)


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


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes and threads out; the lock is on a file beside, as the file itself is replaced."""
    from filelock import FileLock  # noqa: PLC0415 - it brings asyncio along, and only ledgers are locked

    path.parent.stat()  # else the lock would make a folder that is missing
    with FileLock(lock_path(path), poll_interval=0.01):
        yield


def lock_path(path: Path) -> Path:
    """Say where the lock of a file is; it stays there when nobody holds it."""
    return path.with_name(f"{path.name}.lock")
