"""A sample of the faults of `make verify WHAT=faults`, each kind in a few places: nothing is broken by them."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "faults.py"


def test_nothing_is_broken_by_a_sample_of_faults():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--short"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    made = [line for line in done.stdout.splitlines() if ", broken: 0" in line]
    assert len(made) >= 6, done.stdout
