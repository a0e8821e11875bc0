"""Files appear whole or not at all, and never over another one unasked."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sidelight._files import refuse_existing
from sidelight.errors import SidelightError


def write_whole(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write a file in one step: a reader sees the old one, or all of the new one."""
    refuse_existing(path, force=force)
    try:
        _write(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        message = f"cannot write '{path}': {error.strerror or type(error).__name__}; choose another place"
        raise SidelightError(message) from None


def _write(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
