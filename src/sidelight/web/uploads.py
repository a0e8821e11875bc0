"""Uploaded files, kept in one private folder that is removed when the page closes.

A file's own name is never used as a path: it is text to show, and the file is stored under a random key, in a folder of
its own.  A sidecar that comes with its release is parsed, and written again with the stored names, so that it names no
other file either.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from pydantic import ValidationError

from sidelight.answers.exposure import UploadedFile
from sidelight.engines.files import columns_of, ending
from sidelight.engines.formats.text import PACKERS
from sidelight.errors import BadTable, SidelightError
from sidelight.files import SIDECAR_ENDING, open_private, private_folder, sidecar_path
from sidelight.publish.publish import read_published
from sidelight.publish.sidecar import Sidecar
from sidelight.table.roles import Roles
from sidelight.web.workspace import MOST_FILES


@dataclass(eq=False, slots=True)
class Uploads:
    """The uploaded files, by key."""

    folder: Path
    _files: dict[str, UploadedFile | None] = field(default_factory=dict)  # None: reserved while it arrives
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, files: Sequence[tuple[str, BinaryIO]]) -> UploadedFile:
        """Store a file, with its sidecar and the other files of the release; its ending decides its format."""
        named = {_base_name(name): content for name, content in files}
        sidecars = [name for name in named if name.endswith(SIDECAR_ENDING)]
        if not named or len(named) > 4 or len(sidecars) > 1:
            raise BadTable("give one file, or one with the sidecar and the other files that belong to it")
        document = None
        if sidecars:
            try:
                document = Sidecar.model_validate_json(named.pop(sidecars[0]).read())
            except ValidationError:
                raise BadTable(
                    f"'{sidecars[0]}' is no sidecar that this version of Sidelight reads; give the release without it"
                ) from None
        main = next(iter(named), "") if document is None else sidecars[0].removesuffix(SIDECAR_ENDING)
        if document is not None and {*named} != {each.name for each in document.files}:
            files_of_it = ", ".join(f"'{_base_name(each.name)}'" for each in document.files)
            raise BadTable(
                f"'{sidecars[0]}' tells of {files_of_it}; give the sidecar together with these, and nothing else"
            )
        if main not in named or (document is None and len(named) > 1):
            raise BadTable("give one file at a time; several belong together only with their sidecar")
        key = secrets.token_hex(8)
        kept = {}
        for at, name in enumerate(named, start=1):
            # the ending decides the format: one of ours, never the text that the browser sent
            path, packed = Path(name), Path(name).suffix.lower()
            kept[name] = f"{key}-{at}{ending(path)}{packed if packed in PACKERS else ''}"
        renamed = None if document is None else _rename_files(document, kept)
        folder = self._new_folder(key)
        try:
            for name, content in named.items():
                with open_private(folder / kept[name]) as file:
                    shutil.copyfileobj(content, file)
            path = folder / kept[main]
            if renamed is not None:
                with open_private(sidecar_path(path)) as file:
                    file.write(renamed.model_dump_json().encode())
        except BaseException:
            self.forget(key)
            raise
        upload = UploadedFile(key=key, name=main, path=path, sidecar=renamed is not None)
        self._files[upload.key] = upload
        return upload

    def keep_readable(
        self, files: Sequence[tuple[str, BinaryIO]], reading: Roles, wording: Callable[[SidelightError], str]
    ) -> UploadedFile:
        """Store a file, and return it with its columns; remove one that cannot be read."""
        upload = self.keep(files)
        try:
            columns = columns_of(str(upload.path), reading)
            if upload.sidecar:
                read_published(upload.path)
        except BaseException as error:
            problem = self.show_names(wording(error)) if isinstance(error, SidelightError) else None
            self.forget(upload.key)
            if problem is not None:
                raise BadTable(problem) from None
            raise
        return upload.model_copy(update={"columns": columns})

    def show_names(self, text: str) -> str:
        """Return a text in which paths of stored files are replaced by the names of uploads."""
        for each in self.all():
            text = text.replace(str(each.path), each.name).replace(each.path.name, each.name)
        return text

    def _new_folder(self, key: str) -> Path:
        with self._lock:
            if len(self._files) >= MOST_FILES:
                raise BadTable(f"there are {MOST_FILES} files already; start the page again for others")
            self._files[key] = None
        folder = self.folder / key
        folder.mkdir(mode=0o700)
        return folder

    def forget(self, key: str) -> None:
        """Remove a file, and free its place."""
        shutil.rmtree(self.folder / key, ignore_errors=True)
        self._files.pop(key, None)

    def all(self) -> tuple[UploadedFile, ...]:
        """Return all uploaded files."""
        return tuple(upload for upload in [*self._files.values()] if upload is not None)

    def __getitem__(self, key: str) -> UploadedFile:
        upload = self._files.get(key)
        if upload is None:
            raise BadTable("that file is gone: it went when the page was closed; give it again")
        return upload


def _base_name(name: str) -> str:
    return PureWindowsPath(PurePosixPath(name).name).name[-120:]


def _rename_files(document: Sidecar, kept: Mapping[str, str]) -> Sidecar:
    """Return a sidecar with the names under which files are stored."""
    readings = {
        name: reading.model_copy(update={"file": kept.get(reading.file, reading.file)})
        for name, reading in (("reading", document.reading), ("who", document.who))
        if reading is not None
    }
    if not {each.file for each in readings.values()} <= {*kept.values()}:
        raise BadTable("the sidecar is to be read with a file that it does not tell of; publish the release again")
    files = tuple(each.model_copy(update={"name": kept[each.name]}) for each in document.files)
    return document.model_copy(update={**readings, "files": files})


@contextmanager
def own_temporary_folder() -> Iterator[Path]:
    """Yield a private folder that is the temporary folder of libraries too; remove it afterwards."""
    before = tempfile.tempdir
    with private_folder() as folder:
        tempfile.tempdir = str(folder)
        try:
            yield folder
        finally:
            tempfile.tempdir = before
