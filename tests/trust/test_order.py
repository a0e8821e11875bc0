"""The order in which a table stands shows nowhere: its rows in any order give the same files, byte by byte.

What is drawn by chance is drawn by the same seed here: else orders of rows, and noise, differ each time.
"""

import random

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import sidelight as sl
from sidelight.search.anatomy import Anatomy
from sidelight.search.full_domain import FullDomain
from sidelight.search.microaggregation import Microaggregation

ROWS = [
    (f"{20 + n * 7 % 9}", "fm"[n % 2], f"14{n % 3}", ("Flu", "Cold", "Gout")[n * n % 3], "AB"[n // 3 % 2])
    for n in range(60)
]
"""People with many ties: cuts, averages and dealt values could hang on who came first."""

COLUMNS = ("age", "sex", "zip", "disease", "ward")
BY = {name: sl.Hierarchy.suppression(name, sorted({row[at] for row in ROWS})) for at, name in enumerate(COLUMNS[:3])}
POLICY = sl.Policy(sl.GroupSize() >= 3, sl.DistinctValues() >= 2)
METHODS = {
    "lattice": FullDomain,
    "lattice with suppression": lambda: FullDomain(suppress=0.2),
    "mondrian": lambda: "mondrian",
    "anatomy": lambda: Anatomy(random=np.random.default_rng(3)),
    "microaggregation": Microaggregation,
}
ORDERS = (ROWS, ROWS[::-1], random.Random(1).sample(ROWS, len(ROWS)))


def arrow(rows):
    return pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))


def files_of(table, method, folder, **options):
    """Publish it, and give all files by name."""
    folder.mkdir()
    sl.protect(table, POLICY, by=BY, method=method, ask="nobody").publish(folder / "release.csv", seed=7, **options)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("method", "keep"), [*((each, []) for each in METHODS), ("mondrian", ["ward"])])
def test_a_release_does_not_show_the_order_of_its_table(tmp_path, method, keep):
    tables = [sl.read_table(arrow(rows), quasi=COLUMNS[:3], sensitive="disease", keep=keep) for rows in ORDERS]
    one, *others = (files_of(table, METHODS[method](), tmp_path / str(at)) for at, table in enumerate(tables))
    assert others == [one] * len(others)


@pytest.mark.parametrize("method", ["mondrian", "lattice with suppression"])
def test_a_release_in_bounded_memory_does_not_either(tmp_path, method):
    files = []
    for at, rows in enumerate(ORDERS):
        pa_csv.write_csv(arrow(rows), tmp_path / "people.csv")
        table = sl.stream_table(tmp_path / "people.csv", quasi=COLUMNS[:3], sensitive="disease", memory="400MB")
        files.append(files_of(table, METHODS[method](), tmp_path / str(at)))
    assert files[1:] == files[:1] * 2


def test_without_a_seed_every_order_is_drawn_anew(tmp_path):
    table = sl.read_table(arrow(ROWS), quasi=COLUMNS[:3], sensitive="disease")
    found = sl.protect(table, POLICY, by=BY, ask="nobody")
    texts = [found.publish(tmp_path / f"{at}.csv").path.read_text().splitlines() for at in range(2)]
    assert texts[0] != texts[1]
    assert sorted(texts[0]) == sorted(texts[1])
    assert found.to_arrow() == sl.protect(table, POLICY, by=BY, ask="nobody").to_arrow()


@pytest.mark.filterwarnings("ignore::sidelight.errors.NoLedgerWarning")
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "found"])
def test_noisy_counts_stand_in_an_order_of_their_own(tmp_path, declared):
    pytest.importorskip("opendp", reason="noise needs the extra dp")
    cells = []
    for at, rows in enumerate(ORDERS):
        table = sl.read_table(arrow(rows * 9), quasi=["sex", "zip"], sensitive="disease", person="each row")
        if declared:
            levels = {"sex": 0, "zip": 0}
            noisy = sl.noisy_counts(table, by=BY, levels=levels, domain=["Gout", "Cold", "Flu"], epsilon=9)
        else:  # so little noise that all counts are large enough
            noisy = sl.stable_counts(table, columns=["sex", "zip"], epsilon=9, delta=1e-9)
        lines = noisy.publish(tmp_path / f"{at}.csv").path.read_text().splitlines()
        cells.append([line.split(",")[:3] for line in lines])
    assert cells[1:] == cells[:1] * 2
    assert len(cells[0]) > 6
