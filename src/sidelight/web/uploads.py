"""Where does what somebody drops on the page stay?  In one folder that only this user may read, and that goes.

A file's own name is never used as a path: it is kept as text to show, and the file is called `1.csv`, `2.parquet`.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from sidelight.errors import BadTable

ENDINGS = (".csv", ".tsv", ".parquet")
MOST_FILES = 20


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that somebody gave: its name as they call it, and where it is kept."""

    number: int
    name: str
    path: Path


@dataclass(eq=False, slots=True)
class Uploads:
    """The files that were given, by number."""

    folder: Path
    _files: dict[int, Upload] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, name: str, content: BinaryIO) -> Upload:
        """Keep a file; what kind it is, its name's ending says."""
        shown = PureWindowsPath(PurePosixPath(name).name).name[:120]
        ending = next((each for each in ENDINGS if shown.lower().endswith(each)), None)
        if ending is None:
            message = f"cannot tell what '{shown}' is; give a file that ends in {', '.join(ENDINGS)}"
            raise BadTable(message)
        with self._lock:
            number = len(self._files) + 1
            if number > MOST_FILES:
                message = f"there are {MOST_FILES} files already; start the page again for others"
                raise BadTable(message)
            upload = self._files[number] = Upload(number, shown, self.folder / f"{number}{ending}")
        with upload.path.open("xb") as file:
            shutil.copyfileobj(content, file)
        return upload

    def __getitem__(self, number: int) -> Upload:
        if number not in self._files:
            message = f"there is no uploaded file {number}; it went when the page was closed: give it again"
            raise BadTable(message)
        return self._files[number]


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder that only this user may read, in which libraries too put aside what they must; remove it."""
    folder, before = tempfile.mkdtemp(prefix="sidelight-"), tempfile.tempdir
    tempfile.tempdir = folder
    try:
        yield Path(folder)
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)
