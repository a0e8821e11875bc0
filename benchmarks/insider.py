"""How much longer does an insider take than Mondrian took to make the release, and what does resisting one cost?

    python benchmarks/insider.py             Adult, 45,222 people; writes its part of RESULTS.md

The baseline is Mondrian's search itself, for readers of the release alone.  Everything runs on the bundled Adult, as
the goals do, so that nothing is made beforehand.  How contestants run, and which figures count: `race`.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from race import Race

if TYPE_CHECKING:
    from sidelight.search.method import SearchResult

GOAL = (
    "Goals, in seconds of one core, within a factor of 1.5: an insider of Adult by 7 columns 7 s, by 4 columns 0.1 s, "
    "of a lattice 0.1 s; Mondrian that resists 1 s by 7 columns, 0.3 s by 4.  Limits: size ≥ 5, no value above 1/2."
)
SEVEN = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
FOUR = ["age", "marital-status", "race", "sex"]


def make(rows: int, path: Path) -> None:
    """Adult is bundled: an empty file stands for it."""
    del rows
    path.write_bytes(b"")


def search(method: str = "mondrian", **options: Any) -> SearchResult:  # noqa: ANN401
    """Search for a release of Adult."""
    import warnings

    import sidelight as sl

    warnings.simplefilter("ignore")  # that it falls to a reader is what is timed here
    limits = [sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1]
    by = {name: hierarchy for name, hierarchy in ADULT.hierarchies.items() if name != "age" or method == "lattice"}
    utility = "discernibility" if method == "lattice" else "balanced loss"
    return sl.protect(ADULT.table, limits, by=by, method=method, utility=utility, **options)


def searching(**options: Any) -> Callable[[str], dict[str, int]]:  # noqa: ANN401
    """Time a search."""

    def contestant(path: str) -> dict[str, int]:
        del path
        return {"groups": len(search(**options).release)}

    return contestant


def asking(**effort: Any) -> Callable[[str], dict[str, int]]:  # noqa: ANN401
    """Time an insider of what was found before the clock started."""

    def contestant(path: str) -> dict[str, int]:
        import sidelight as sl

        del path
        learnt = sl.insider(FOUND, **effort)
        return {"groups with failed cuts": len(learnt.groups), "people above 0.52": learnt.people_above(0.52)}

    return contestant


CONTESTANTS = {
    "Mondrian, 7 columns": searching(ask="nobody"),
    "Mondrian that resists an insider, 7 columns": searching(ask="nobody", resists="insider"),
    "Mondrian, 7 columns, both readers asked with little effort": searching(),
    "insider, 7 columns": asking(),
    "insider, 7 columns, no group drawn": asking(beyond="left out"),
    "Mondrian, 4 columns": searching(ask="nobody"),
    "Mondrian that resists an insider, 4 columns": searching(ask="nobody", resists="insider"),
    "insider, 4 columns": asking(),
    "insider of a lattice, 4 columns": asking(),
}


def prepare(name: str) -> None:
    """Import for all contestants alike, read the data once, and make the release that an insider reads."""
    import scipy.optimize
    import scipy.special  # noqa: F401

    import sidelight as sl

    global ADULT, FOUND  # noqa: PLW0603 - made before the clock starts
    ADULT = sl.datasets.adult(quasi=["sex"])
    sl.insider(search(ask="nobody", resists="insider"))  # imports what is imported late
    ADULT = sl.datasets.adult(quasi=SEVEN if "7 columns" in name else FOUR)
    if name.startswith("insider"):
        FOUND = search("lattice" if "lattice" in name else "mondrian", ask="nobody")


if __name__ == "__main__":
    Race(__file__, 45_222, 3, GOAL, CONTESTANTS, make, prepare).main()
