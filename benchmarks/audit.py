"""How much longer does a whole audit take than the bare GROUP BY it stands on?

    python benchmarks/audit.py              20 million rows; writes its part of RESULTS.md
    python benchmarks/audit.py 1_000_000    fewer rows; only prints

How contestants run, and which figures count: `race`.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from race import Race, classics

if TYPE_CHECKING:
    import numpy as np

GOAL = (
    "Goals: the whole audit takes at most 1.1 times the bare GROUP BY, with no more memory; "
    "the named risks add at most 5 % to it."
)
QUASI = {"age": 74, "workclass": 8, "education": 16, "marital": 7, "race": 5, "sex": 2, "country": 41}
SENSITIVE = {"occupation": 14}


# --- the data ------------------------------------------------------------------------------------------------


def make(rows: int, path: Path) -> None:
    """Make a table with Adult's columns: skewed labels, and people of a kind resemble each other."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(2007)
    kind = rng.integers(0, 40, rows)
    codes = {name: _drawn(rng, kind, many) for name, many in (QUASI | SENSITIVE).items()}
    columns = {name: pa.DictionaryArray.from_arrays(codes[name], _labels(name)) for name in codes}
    table = pa.table({name: column.cast(pa.string()) for name, column in columns.items()})
    pq.write_table(table, path, compression="zstd", row_group_size=1 << 20)


def _labels(name: str) -> list[str]:
    many = (QUASI | SENSITIVE)[name]
    return [str(17 + i) if name == "age" else f"{name.capitalize()}-of-kind-{i:02d}" for i in range(many)]


def _drawn(rng: np.random.Generator, kind: np.ndarray, many: int) -> np.ndarray:
    import numpy as np

    shares = 1.0 / np.arange(1, many + 1) ** (0.5 if many > 50 else 3.0)
    common = rng.choice(many, size=len(kind), p=shares / shares.sum())
    resembles = rng.random(len(kind)) < 0.17
    return np.where(resembles, (kind * 7) % many, common).astype(np.int32)


# --- the contestants -----------------------------------------------------------------------------------------


def bare_group_by(path: str) -> dict[str, int]:
    import duckdb

    columns = ", ".join(QUASI | SENSITIVE)
    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = false")
    counted = con.sql(f"SELECT {columns}, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL").to_arrow_table()
    return {"rows counted": counted.num_rows}


def reading_only(path: str) -> dict[str, int]:
    import sidelight as sl

    release = sl.read_release(path, group=list(QUASI), sensitive="occupation")
    return {"groups": len(release)}


def whole_audit(path: str) -> dict[str, int]:
    import sidelight as sl
    from sidelight.measures.about import findings

    release = sl.read_release(path, group=list(QUASI), sensitive="occupation")
    return {"groups": len(release), "measures": len(findings(classics(), release))}


def audit_with_named_risks(path: str) -> dict[str, int]:
    import sidelight as sl
    from sidelight.measures.about import findings

    release = sl.read_release(path, group=list(QUASI), sensitive="occupation")
    return {"groups": len(release), "measures": len(findings([*classics(), *named_risks()], release))}


def adult_audit(path: str) -> dict[str, int]:
    import sidelight as sl
    from sidelight.measures.about import findings

    del path
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    release = sl.group(sl.datasets.adult(quasi=quasi).table, by=quasi)
    return {"groups": len(release), "measures": len(findings(classics(), release))}


def importing(path: str) -> dict[str, int]:
    import sidelight  # noqa: F401

    del path
    return {}


def importing_parts(path: str) -> dict[str, int]:
    import sidelight as sl

    del path
    needed = [sl.read_release, sl.group, sl.datasets.adult, *classics(), *named_risks()]
    return {"parts": len(needed)}


def named_risks() -> list:
    import sidelight as sl

    above = sl.ProsecutorRisk("share above", threshold=0.09)
    return [sl.ProsecutorRisk(), sl.ProsecutorRisk("average"), above, sl.MarketerRisk()]


CONTESTANTS = {
    "bare GROUP BY of the text columns": bare_group_by,
    "read_release alone": reading_only,
    "read_release and all classic measures": whole_audit,
    "read_release, all classic measures and the named risks": audit_with_named_risks,
    "bundled Adult: group and all classic measures": adult_audit,
    "import sidelight": importing,
    "import sidelight and all an audit needs": importing_parts,
}


# --- the race ------------------------------------------------------------------------------------------------


def prepare(name: str) -> None:
    """Import for all contestants alike, DuckDB included; the clock of those that import starts before."""
    if not name.startswith("import"):
        importing_parts("")


if __name__ == "__main__":
    Race(__file__, 20_000_000, 7, GOAL, CONTESTANTS, make, prepare).main()
