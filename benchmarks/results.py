"""Where the benchmarks leave their figures: each has its own part of RESULTS.md."""

from __future__ import annotations

from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"


def write_part(name: str, how: str, table: str) -> None:
    """Replace one part, and leave the others as they are."""
    parts = RESULTS.read_text().split("\n## ") if RESULTS.exists() else ["# Results\n"]
    ours = f"{name}\n\n{how}\n\n{table}\n"
    others = [part.rstrip("\n") + "\n" for part in parts[1:] if not part.startswith(f"{name}\n")]
    RESULTS.write_text("\n## ".join([parts[0].rstrip("\n") + "\n", *sorted([ours, *others])]))
