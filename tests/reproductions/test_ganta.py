"""The page about Ganta, Kasiviswanathan and Smith says what the script finds."""

import re

import ganta
from support.reproduced import table_rows


def first_number(cell):
    return float(re.match(r"[\d.,]+", cell)[0].replace(",", ""))


def test_a_quick_run_leaves_figures_and_tables(tmp_path):
    ganta.main(["--quick", "--out", str(tmp_path)])
    names = {each.name for each in tmp_path.iterdir()}
    assert names >= {
        "perfect.svg",
        "partial.png",
        "sizes.svg",
        "drop.svg",
        "diversity.csv",
        "closeness.svg",
        "noise.md",
    }


def test_breaches_fall_with_k_and_stay_on_the_page():
    for table in ("Adult", "Census-Income"):
        rows = [row for row in table_rows("ganta", "perfect") if row["table"] == table]
        for method in ganta.METHOD_NAMES.values():
            breaches = [first_number(row[method]) for row in rows]
            assert breaches == sorted(breaches, reverse=True)
            assert breaches[0] > 1, "at k = 5"


def test_noise_keeps_its_promise_on_the_page():
    rows = [row for row in table_rows("ganta", "noise") if row["promised shift"]]
    assert len(rows) == 2 * len(ganta.WHOLE.epsilons)
    assert all(first_number(row["shift, all others known"]) <= float(row["promised shift"]) for row in rows)
