"""Look for planted markers through every verb, file, page and error, longer than `make test`; then write docs/trust.md.

    python scripts/leaks.py

What is looked for and where it may stand is data: `tests/support/markers.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from trust_page import write_section

ROOT = Path(__file__).parents[1]
TESTS = ("test_leaks.py", "test_order.py", "test_temporary_files.py")


def main() -> int:
    """Run the tests thoroughly; where all pass, write what was tried and what is promised."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.markers import MAY_STAND, promise_table  # noqa: PLC0415 - from where it is

    sys.path.insert(0, str(ROOT / "tests" / "trust"))
    from test_leaks import COMMANDS, DAMAGED, MISTAKES, MORE_COMMANDS, VIEWS  # noqa: PLC0415

    command = [sys.executable, "-m", "pytest", "-q", "-k", "not printed", *(f"tests/trust/{name}" for name in TESTS)]
    status = subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, "SIDELIGHT_HYPOTHESIS": "thorough"})
    if status.returncode:
        return status.returncode
    commands, errors = len(COMMANDS) + len(MORE_COMMANDS), len(MISTAKES) + 3 * len(DAMAGED)
    tried = (
        f"{len(MAY_STAND)} kinds of markers, looked for in all that {commands} commands (every verb) print and write, "
        f"in the errors of {errors} commands with `--debug`, and in {len(VIEWS)} views and what they lead to. None "
        "stands where it may not:"
    )
    write_section("leaks", f"{tried}\n\n{promise_table()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
