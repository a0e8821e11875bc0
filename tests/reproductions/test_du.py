"""The page about Du, Teng and Zhu says what the script finds."""

import du
import numpy as np
import pyarrow.parquet as pq
import pytest
from support.reproduced import table_rows
from whole_dual import WholeDual

import sidelight as sl


@pytest.fixture(scope="module")
def everybody():
    return pq.read_table(sl.datasets.adult().path, columns=[*du.QUASI, "education"]).drop_null()


def test_a_quick_run_leaves_figures_and_tables(tmp_path):
    du.main(["--quick", "--out", str(tmp_path)])
    names = {each.name for each in tmp_path.iterdir()}
    assert names >= {"knowledge.svg", "columns.png", "statements.csv", "buckets.md", "turns.md", "pace.md", "rules.md"}


def test_the_paper_s_way_of_solving_finds_the_same_beliefs(everybody):
    setting = du.Setting.drawn(everybody, 500, 1)
    rules = du.in_between(setting, 4)
    whole = WholeDual.of(setting.release, rules)
    assert whole.solve().residual < 1e-3
    assert whole.solve_by_parts().residual < 1e-3
    amounts = sl.maxent(setting.release, rules).table()["probability"].to_numpy() * setting.release.size
    assert np.abs(whole.matrix @ amounts - whole.right).max() < 1e-8


def test_where_nothing_is_stated_the_start_is_the_solution(everybody):
    whole = WholeDual.of(du.Setting.drawn(everybody, 500, 1).release, [])
    assert whole.solve().iterations == 0
    assert whole.parts() == []


def test_rules_drawn_by_lot_hold_without_exception(everybody):
    setting = du.Setting.drawn(everybody, 500, 1)
    for share in (0, 1):
        rules = du.CertainRules.of(setting.table, share)
        assert setting.error(rules.by_lot(20, np.random.default_rng(0))) < setting.error([])
    mined = sl.strongest_rules(setting.table, positive=5_000, support=du.SUPPORT)
    assert sum(rule.low == 1 for rule in mined) == len(du.CertainRules.of(setting.table, 1))


def test_no_value_is_twice_in_a_bucket_but_the_two_most_frequent(everybody):
    setting = du.Setting.drawn(everybody, 14_210, 2008)
    counts = setting.release.groups.counts.dense()
    assert set(counts.sum(axis=1).tolist()) == {5}
    often = {setting.release.domain[at] for at in np.flatnonzero(counts.max(axis=0) > 1)}
    assert often == {"HS-grad", "Some-college"}
    has, _ = setting.strongest(500, sizes=[8])
    assert sum(rule.low == 1 for rule in has) < 100, "few rules about all columns are certain"


def test_the_page_says_where_the_mix_tells_most():
    rows = table_rows("du", "knowledge")
    always = {
        (row["equally strong rules"], row["K"]) for row in rows if row["half of each is lowest"].startswith("10 ")
    }
    assert always == {("most followed first", "3,000"), ("by lot", "3,000")}
    never = {row["K"] for row in rows if row["half of each is lowest"].startswith("0 ")}
    assert never == {"10", "30", "50", "100", "300", "1,000"}


def test_the_page_says_where_rules_tell_least():
    errors = {
        row["T"]: [float(cell.split()[0]) for cell in list(row.values())[1:]] for row in table_rows("du", "columns")
    }
    least = [max(errors, key=lambda wide, at=at: errors[wide][at]) for at in range(3)]
    assert least == ["5", "5", "8"]
