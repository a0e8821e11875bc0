"""A page of the documentation takes its tables from a script, each in its own place."""

import experiment
import pytest

ROWS = [{"k": 0, "risk": 1 / 3}, {"k": 1_000, "risk": None}]


def test_a_table_of_markdown():
    assert experiment.markdown(ROWS) == "| k | risk |\n| ---: | ---: |\n| 0 | 0.3333 |\n| 1,000 |  |\n"


def test_a_page_takes_a_table_in_its_place_and_nowhere_else():
    page = "a\n<!-- table one -->\nold\n<!-- end -->\nb\n<!-- table two -->\n<!-- end -->\n"
    assert experiment.with_table(page, "one", "new\n").startswith("a\n<!-- table one -->\n\nnew\n\n<!-- end -->\nb\n")
    with pytest.raises(ValueError, match="0 places for the table 'three'"):
        experiment.with_table(page, "three", "new")


def test_figures_and_tables_are_left_in_a_folder(tmp_path):
    run = experiment.begin("martin", None, ["--quick", "--out", str(tmp_path / "out")])
    run.table("risk", ROWS)
    assert (tmp_path / "out" / "risk.csv").read_text() == "k,risk\n0,0.3333333333333333\n1000,\n"
