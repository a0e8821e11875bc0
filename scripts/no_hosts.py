"""Fail when a file names a package registry or a path of one machine: a clone must work anywhere.

python scripts/no_hosts.py [files]; without files: everything that git tracks.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

# Written with [x] for x, so that this file does not name what it looks for.
REGISTRY = re.compile(
    r"index-ur[l]|extra-inde[x]|find-link[s]|trusted-hos[t]|UV_(DEFAULT_)?INDE[X]|PIP_INDE[X]"
    r"|python[h]osted\.|pypi\.org/simpl[e]|registry\s*=\s*[\"']?htt[p]|//[\w.-]+:\d+/[\w/-]*simpl[e]"
)
MACHINE = re.compile(r"(?<![\w.:/])/(wor[k]|roo[t]|hom[e]|User[s]|op[t]|mn[t])/|[A-Z]:\\User[s]\\|fil[e]:///")
ANY_ADDRESS = re.compile(r"\w+://")


def problems(path: Path) -> Iterator[str]:
    """Say what is wrong with one file, a line each; a binary file has nothing to say."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return
    for number, line in enumerate(lines, start=1):
        if REGISTRY.search(line) or (path.suffix == ".lock" and ANY_ADDRESS.search(line)):
            yield f"{path}:{number}: names a package registry; leave the choice of registry to the user's settings"
        elif MACHINE.search(line):
            yield f"{path}:{number}: names a path of one machine; use a path relative to the repository"


def tracked() -> list[Path]:
    """List what git tracks or, in an unpacked archive, all files."""
    if not Path(".git").exists():
        return [path for path in Path().rglob("*") if ".venv" not in path.parts]
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True)
    return [Path(name) for name in listed.stdout.split("\0") if name]


def main(names: Iterable[str]) -> int:
    """Check the files and print what was found."""
    paths = [Path(name) for name in names] or tracked()
    found = [problem for path in paths for problem in problems(path)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
