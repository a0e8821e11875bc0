"""Publishing what a search found: written, read back and judged again, as on the command line.

Into the folder that the command named (`--output`), or as one file for the browser to keep, which goes when the page is
closed.  A browser gives a plain name and no folder, and what is there is never replaced.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from sidelight.errors import NotPublished
from sidelight.files import open_private
from sidelight.progress import Progress
from sidelight.publish.publish import Published
from sidelight.search.method import SearchResult
from sidelight.web.jobs import Job
from sidelight.web.pages import PostedFields, go_to
from sidelight.web.searches import PATH, Looked, looked_at, question_of, with_readers
from sidelight.web.views.jobs import GONE, JobNumber
from sidelight.web.workspace import Workspace

router = APIRouter()

PUBLISHING = "publishing"
"""The lane of what is published."""

ENDINGS = (".parquet", ".csv")
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class WrittenRelease:
    """What was published, and the file that holds all of it where it is to be kept by the browser."""

    published: Published
    archive: Path | None

    @property
    def names(self) -> tuple[str, ...]:
        """The files that were written."""
        written = self.published
        return tuple(path.name for path in (*written.paths, written.sidecar, written.dictionary))


def name_problem(name: str) -> str:
    """Return what is wrong with the name of a file, if something is: it names no folder and nothing hidden.

    >>> name_problem("release-2"), name_problem("../release")
    ('', "'../release' is no name for a file here; give letters, digits, - and _, such as release, and no folder")
    """
    if PLAIN_NAME.fullmatch(name) is not None and len(name) <= LONGEST_NAME:
        return ""
    return f"'{name[:40]}' is no name for a file here; give letters, digits, - and _, such as release, and no folder"


@dataclass(frozen=True, slots=True)
class PublishingChoice:
    """As which file, into which folder (none: for the browser to keep), and what goes along."""

    file: str
    folder: Path | None
    private_hierarchies: bool
    quiet_method: bool
    bounds: bool

    @classmethod
    def read(cls, fields: Mapping[str, str], folder: Path | None) -> PublishingChoice:
        """Read it from a form; `folder` is the one that the command named."""
        name, ending = fields.get("name", "").strip(), fields.get("ending", ENDINGS[0])
        bad_name = name_problem(name)
        if bad_name or ending not in ENDINGS:
            message = bad_name or f"releases are written as {' or '.join(ENDINGS)}"
            raise NotPublished(message)
        into_folder = fields.get("to") == "folder"
        if into_folder and folder is None:
            message = "no folder was named; start the page with --output FOLDER, or download it"
            raise NotPublished(message)
        return cls(
            file=f"{name}{ending}",
            folder=folder if into_folder else None,
            private_hierarchies="private_hierarchies" in fields,
            quiet_method="quiet_method" in fields,
            bounds="bounds" in fields,
        )

    def write(self, result: SearchResult, progress: Progress) -> WrittenRelease:
        """Publish a result, and put it into one file where the browser is to keep it."""
        progress("written aside, read back and judged again", 0, None)
        folder = self.folder or Path(tempfile.mkdtemp(prefix="published-"))
        published = result.publish(
            folder / self.file,
            private_hierarchies=self.private_hierarchies,
            quiet_method=self.quiet_method,
            bounds=self.bounds,
        )
        return WrittenRelease(published, None if self.folder else _archive(published))


def publish(looked: Looked, fields: Mapping[str, str]) -> Job:
    """Publish the candidate that is looked at; what readers said of it goes along."""
    taken, asking = looked.taken, looked.asking()
    if taken is None or asking is None:
        message = "nothing was found yet that could be published; search first"
        raise NotPublished(message)
    if asking.goes_on:
        message = "two readers are being asked still; wait for them, or cancel that"
        raise NotPublished(message)
    choice = PublishingChoice.read(fields, looked.workspace.output)
    return looked.workspace.jobs.start(
        ("publish", question_of(looked.state, looked.choice), taken.key, choice),
        lambda: partial(choice.write, with_readers(taken.result, asking)),
        title=f"Publishing {choice.file}",
        address=looked.state.address(PATH, looked.also()),
        lane=PUBLISHING,
        here=True,
    )


def _archive(published: Published) -> Path:
    """Put what was published into one file; a browser keeps one more easily than three."""
    path = published.path.with_suffix(".zip")
    with open_private(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in (published.sidecar, published.dictionary, *published.paths):
            archive.write(each, each.name)
    return path


def published_job(looked: Looked, number: str) -> Job | None:
    """Find what was published by its number in the address."""
    if not (number.isascii() and number.isdigit() and len(number) <= 9):
        return None
    job = looked.workspace.jobs.numbered(int(number))
    return job if job is not None and job.lane == PUBLISHING else None


@router.post("/release/publish", include_in_schema=False)
def write(request: Request, fields: PostedFields) -> Response:
    """Publish a candidate, and go to where it is told."""
    looked, texts = looked_at(request.app.state.workspace, fields), dict(fields)
    if name_problem(texts.get("name", "").strip()):
        return go_to(request, looked.state.address(PATH, looked.also(name=texts.get("name", "")[: LONGEST_NAME + 1])))
    job = publish(looked, texts)
    job.wait(2)
    return go_to(request, looked.state.address(PATH, looked.also(published=job.number)))


@router.get("/release/published/{number}", include_in_schema=False)
def download(request: Request, number: JobNumber) -> Response:
    """Hand out what was published, as one file."""
    workspace: Workspace = request.app.state.workspace
    job = workspace.jobs.numbered(number)
    archive = job.answer.archive if job is not None and isinstance(job.answer, WrittenRelease) else None
    if archive is None:
        raise HTTPException(404, GONE)
    return FileResponse(archive, media_type="application/zip", filename=archive.name)
