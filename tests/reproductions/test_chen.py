"""The reproduction of Chen et al. runs, small; and what its page shows is what the paper prints."""

import csv
import math
import random

import chen
import pytest
from chen_programs import dynamic_program, five_minima, operations

import sidelight as sl
from sidelight.errors import NotFetched


def rows_of(folder, table):
    with (folder / f"{table}.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("amounts", [(0, 0, 0), (1, 2, 0), (0, 3, 2), (2, 1, 1), (1, 4, 3)])
def test_the_two_algorithms_as_printed_give_what_the_library_gives(amounts):
    drawn = random.Random(sum(amounts))
    for _ in range(10):
        groups = [[drawn.randint(0, 4) for _ in range(4)] + [8] for _ in range(3)]
        groups[0][0] = 2  # somebody has the value
        release = sl.Release.from_counts([{str(at): n for at, n in enumerate(row)} for row in groups])
        exact = float(sl.Acquaintance(*amounts, value="0").measure(release).value)
        assert math.isclose(five_minima(groups, amounts), exact)
        assert math.isclose(dynamic_program(groups, amounts), exact)


def test_the_dynamic_program_needs_more_products_the_more_people_are_known():
    slow, quick = zip(*(operations((10, k, 10)) for k in (0, 10, 32)), strict=True)
    assert list(slow) == sorted(slow)
    assert len(set(quick)) == 1


def test_a_small_run_draws_everything_and_has_the_seven_points(tmp_path):
    try:
        chen.main(["--quick", "--out", str(tmp_path)])
    except NotFetched as error:
        pytest.skip(f"needs a package registry: {error}")
    assert {file.stem for file in tmp_path.glob("*.svg")} == {"speed", "scale", "case-study", "diagnoses"}
    points = rows_of(tmp_path, "case-study")
    assert [(row["printed"], row["ours"]) for row in points] == [("yes", "yes")] * 7
    assert all(float(row["risk there"]) < 0.95 <= float(row["least risk one step beyond"]) for row in points)
    groups_of_ten, limited = [row for row in rows_of(tmp_path, "diagnoses") if row["diagnosis"] == "Depression"]
    assert float(limited["knows (1, 3, 1)"]) < 0.5 < float(groups_of_ten["knows (1, 3, 1)"])
