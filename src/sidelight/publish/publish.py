"""Publish a release: written aside, read back, judged again, and only then put in its place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sidelight._files import flushed, place, refuse_existing, refuse_input, refuse_left_over, unfinished
from sidelight.errors import BadRelease, BadTable, NotPublished
from sidelight.policy.policy import Policy, Verdict
from sidelight.publish.chance import shuffles
from sidelight.publish.formats import Format, FormatName, format_of
from sidelight.publish.layouts import Layout, Sheet
from sidelight.publish.plans import Told, planned
from sidelight.publish.printed import same
from sidelight.publish.read import digest, read_back, with_members
from sidelight.publish.sidecar import PublishedFile, Sidecar, sidecar_path
from sidelight.publish.telling import sidecar_of
from sidelight.release.release import Release
from sidelight.search.found import Found


@dataclass(frozen=True, slots=True)
class Published:
    """What was written: the files of the release, the sidecar beside them, and what that says."""

    paths: tuple[Path, ...]
    sidecar: Path
    document: Sidecar

    @property
    def path(self) -> Path:
        """The file that was asked for."""
        return self.paths[-1]


def publish(
    found: Found,
    path: str | Path,
    *,
    force: bool = False,
    seed: int | None = None,
    layout: Layout | None = None,
    written_as: FormatName | None = None,
) -> Published:
    """Publish what a search found; `Found.publish` says what the options mean.

    Everything is written into a folder beside the file, whose name says that it is unfinished; flushed; read back;
    compared with what was meant; judged by the policy once more.  Only then the sidecar is moved to its place, and
    the file that was asked for last: when it is there, it was judged, and the digest in the sidecar says that it is
    this one.  After a `kill -9` in between, the sidecar tells of a file that is not there, and no reader takes it.
    """
    path = Path(path)
    form = format_of(path, written_as)
    sidecar = sidecar_path(path)
    refuse_left_over(path, sidecar, force=force)
    _refuse(found, (path, sidecar), force=force)
    plan = planned(found, path, shuffle=shuffles(seed), layout=layout, written_as=form.name)
    paths = tuple(path.with_name(name) for name in plan.sheets)
    _refuse(found, paths, force=force)
    with unfinished(path) as folder:
        files = tuple(_written(folder / name, sheet, form) for name, sheet in plan.sheets.items())
        read = _checked(folder, plan.groups)
        if plan.who is not None:
            read = with_members(read, _checked(folder, plan.who))
        verdict = _judged(read, found.policy)
        who = None if plan.who is None else plan.who.reading
        seeded = seed is not None
        document = sidecar_of(found, read, verdict, files=files, reading=plan.groups.reading, who=who, seeded=seeded)
        (folder / sidecar.name).write_text(document.to_json(), encoding="utf-8")
        flushed(folder / sidecar.name)
        place(folder, (sidecar, *paths))
    return Published(paths, sidecar, document)


def _refuse(found: Found, targets: tuple[Path, ...], *, force: bool) -> None:
    for target in targets:
        refuse_input(target, found.outcome.recoding.table.intake.files)
        refuse_existing(target, force=force)


def _written(path: Path, sheet: Sheet, form: Format) -> PublishedFile:
    with path.open("wb") as file:
        form.write(sheet, file)
    flushed(path)
    return PublishedFile(name=path.name, sha256=digest(path), rows=len(sheet))


def _judged(read: Release, policy: Policy) -> Verdict:
    """Judge what a reader sees."""
    verdict = policy.judge(read)
    if not verdict.safe:
        message = f"what would be published is {verdict}; nothing was published"
        raise NotPublished(message)
    return verdict


def _checked(folder: Path, told: Told) -> Release:
    """Read a file, and check that it says what was meant."""
    try:
        read = read_back(folder, told.reading)
    except (BadTable, BadRelease) as problem:
        message = f"what was written cannot be read back ({problem}); nothing was published; try .parquet"
        raise NotPublished(message) from None
    if not same(read, told.release):
        message = "what was read back is not what was written; nothing was published; try .parquet"
        raise NotPublished(message)
    return read
