"""Disks that are full, files that may not grow, folders that are read-only: one line, and all as it was.

A full disk is a small `tmpfs` of our own, where mounting is allowed; else only files that may not grow are tried.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.faults.children import Ended, in_child
from support.faults.kills import Tally, Undisturbed, looked_at
from support.faults.works import copied

PAGE = 4096
MEGABYTES = 3
LEFT_FREE = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32)
"""How many pages are free when a work begins."""

LARGEST = (0, 1, 50, 300, 1000, 2000, 4000, 8000, 16000, 60000)
"""How many bytes a file may have."""


@contextmanager
def small_disk(at: Path) -> Iterator[Path]:
    at.mkdir(parents=True)
    _mount("mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "sidelight-faults", str(at))
    try:
        yield at
    finally:
        os.chdir("/")
        _mount("umount", str(at))


def may_mount(folder: Path) -> bool:
    try:
        with small_disk(folder / "may-mount"):
            return True
    except (OSError, subprocess.SubprocessError):
        return False


def _mount(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


def disk_full(known: Undisturbed, disk: Path, tally: Tally, free: int) -> None:
    """Begin a work when so many pages of the disk are free."""
    here, ballast = copied(known.template, disk / "full"), disk / "ballast"
    left = os.statvfs(disk).f_bavail * PAGE - free * PAGE
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, left)
    ended = in_child(known.work.run, here)
    ballast.unlink()
    tally.add(f"{known.work.name}, {free} pages free", [*_odd_end(ended), *looked_at(known, here, ended.answer)])


def files_small(known: Undisturbed, folder: Path, tally: Tally, largest: int) -> None:
    """Let no file be larger than so many bytes while a work runs."""
    here = copied(known.template, folder / f"at-most-{largest}")

    def limited() -> int:
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, most))
        try:
            return known.work.run(here)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    ended = in_child(limited)
    tally.add(f"{known.work.name}, files of {largest} bytes", [*_odd_end(ended), *looked_at(known, here, ended.answer)])


def read_only(known: Undisturbed, disk: Path, tally: Tally, *, temporary: Path | None) -> None:
    """Run a work where nothing can be written, and perhaps no temporary file either; it must say so."""
    here = copied(known.template, disk / "read-only")
    if temporary is not None:
        (here / "tmp").rmdir()
        (here / "tmp").symlink_to(temporary)
    _mount("mount", "-o", "remount,ro", str(disk))
    try:
        ended = in_child(known.work.run, here)
    finally:
        _mount("mount", "-o", "remount,rw", str(disk))
    refused = [] if ended.answer == 2 else [f"it was to be refused, and ended with {ended.status}, {ended.answer}"]
    if temporary is not None:
        (here / "tmp").unlink()
        (here / "tmp").mkdir()
    tally.add(
        f"{known.work.name}, {'all' if temporary is None else 'the folder'} read-only",
        [*refused, *looked_at(known, here, ended.answer)],
    )


def _odd_end(ended: Ended) -> list[str]:
    """A work ends well, or with a line and status 2."""
    fine = ended.status == 0 and ended.answer in (0, 2)
    return [] if fine else [f"it ended with {ended.status}, {ended.answer}"]
