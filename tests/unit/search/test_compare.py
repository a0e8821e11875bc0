"""Ways of publishing, side by side: what is tried, which rows are one, what a row says, and which is advised."""

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadHierarchy, NothingSafe
from sidelight.search.utility import MEANINGS, QUICK_UTILITIES

ADULT = sl.datasets.adult(quasi=["age", "education", "sex"])
POLICY = sl.Policy(sl.GroupSize() >= 50)


@pytest.fixture(scope="module")
def ways():
    return sl.compare(ADULT.table, POLICY, by=ADULT.hierarchies, suppress=[0, 0.02])


def test_every_row_is_what_protect_would_find(ways):
    for row in ways.within:
        if row.levels:
            (first, *_) = row.best_at
            again = sl.protect(
                ADULT.table,
                POLICY,
                by=ADULT.hierarchies,
                utility=first,
                suppress=row.suppress,
                levels=row.levels,
                ask="nobody",
            )
            searched = sl.protect(
                ADULT.table, POLICY, by=ADULT.hierarchies, utility=first, suppress=row.suppress, ask="nobody"
            )
            assert dict(searched.levels) == dict(row.levels)
        elif row.method.name == "anatomy":  # it draws lots
            continue
        else:
            again = sl.protect(ADULT.table, POLICY, by=ADULT.hierarchies, method=row.method, ask="nobody")
        assert dict(again.utility) == dict(row.result.utility)
        assert (len(again.release), again.suppressed) == (len(row.result.release), row.result.suppressed)
        assert row.result.verdict.safe


def test_all_methods_are_tried_and_no_release_twice(ways):
    assert {row.method.name for row in ways.rows} == {"lattice", "mondrian", "anatomy", "microaggregation"}
    lattice = [(tuple(row.levels.values()), row.result.suppressed) for row in ways.rows if row.levels]
    assert len(set(lattice)) == len(lattice)
    best_at = [name for row in ways.rows if row.levels and not row.suppress for name in row.best_at]
    assert sorted(best_at) == sorted(set(QUICK_UTILITIES) - {"suppressed"})


def test_the_advised_one_has_levels_and_loses_least(ways):
    readable = [row for row in ways.rows if row.levels]
    assert ways.advised is min(readable, key=lambda row: row.result.utility["balanced loss"])
    (first, *others) = ways.advice()
    assert mentions(first, f"row {ways.rows.index(ways.advised) + 1}", "each column", "one level")
    assert any("suppresses nobody" in each for each in others)
    assert any(mentions(each, "recognised") for each in others)


def test_what_is_printed_is_told_in_a_few_words(ways):
    row = next(row for row in ways.rows if dict(row.levels) == {"age": 5, "education": 1, "sex": 0})
    assert row.labels == {"age": "*", "education": "7 labels", "sex": "as it is"}
    assert row.example["age"] == "*"
    assert set(row.example.values()) != {"*"}
    buckets = next(row for row in ways.rows if row.method.name == "anatomy")
    assert (set(buckets.labels.values()), buckets.example) == ({"as it is"}, {})


def test_a_largest_group_of_the_suppressed_is_no_example():
    found = sl.compare(ADULT.table, sl.GroupSize() >= 10, by=ADULT.hierarchies, methods=["lattice"], suppress=[0.2])
    assert all(set(row.example.values()) != {"*"} for row in found.rows)


def test_a_method_that_cannot_is_a_row_that_says_why():
    bare = sl.compare(ADULT.table, POLICY)
    (refused,) = (row for row in bare.rows if row.result is None)
    assert isinstance(refused.refusal, BadHierarchy)
    assert refused.reason.startswith("no hierarchy for 'age'")
    assert bare.advised.method.name != "anatomy"
    assert mentions(next(bare.advice()), "row 2", "none", "one level")


def test_a_measure_of_whole_releases_may_refuse_a_row():
    people = pa.table({"age": ["1", "2", "3", "4"], "ill": ["a", "a", "b", "b"]})
    table = sl.read_table(people, quasi=["age"], sensitive="ill")
    by = {"age": sl.Hierarchy.suppression("age", ["1", "2", "3", "4"])}
    limit = sl.MaxEnt(["P(a | age=1) = 1"]) < 1
    with pytest.raises(NothingSafe, match="none of these ways"):
        sl.compare(table, [sl.GroupSize() >= 1, limit], by=by, methods=["lattice"], suppress=[0])


def test_nothing_within_policy_is_refused_at_once():
    with pytest.raises(NothingSafe, match="not even one group"):
        sl.compare(ADULT.table, sl.GroupSize() >= 10**9, by=ADULT.hierarchies)


def test_it_is_a_table_and_shows_itself(ways):
    table = ways.table()
    assert table.num_rows == len(ways.rows)
    assert set(MEANINGS) <= set(table.column_names)
    assert sum(table["advised"].to_pylist()) == 1
    assert mentions(ways._repr_html_(), "take row", ways.rows.index(ways.advised) + 1)
    assert repr(ways).startswith("<ReleaseComparison of ")


def test_progress_says_which_way_is_tried():
    steps = []
    sl.compare(
        ADULT.table, POLICY, by=ADULT.hierarchies, suppress=[0, 0.02], progress=lambda what, *_: steps.append(what)
    )
    names = {step.partition(":")[0] for step in steps}
    assert {"lattice", "lattice, suppressing 0.02", "mondrian"} <= names


def test_a_way_that_resists_says_so():
    limits = [sl.GroupSize() >= 50, sl.RecursiveDiversity(2) <= 1]
    both = ["mondrian", sl.Mondrian(resists="insider")]
    ways = sl.compare(ADULT.table, limits, by=ADULT.hierarchies, methods=both)
    assert [row.how for row in ways.rows] == ["mondrian", "mondrian, resisting an insider"]
    assert ways.table().column("resists").to_pylist() == [None, "insider"]
    assert any(mentions(each, "Row 2", "keeps the limits", "insider too") for each in ways.advice())
    assert sl.insider(ways.rows[1].result).worst <= 0.5


def test_a_way_that_cannot_resist_under_a_policy_says_why():
    limits = [sl.GroupSize() >= 50, sl.EntropyDiversity() >= 1.5]
    ways = sl.compare(ADULT.table, limits, by=ADULT.hierarchies, methods=["mondrian", sl.Mondrian(resists="insider")])
    assert ways.rows[1].result is None
    assert mentions(ways.rows[1].reason, 'resists="insider"', "limits on sizes")
