"""What one group of everybody says about a search: only what measures claim, and what would pass."""

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import NothingSafe
from sidelight.search.full_domain import FullDomain
from sidelight.search.one_group import largest_smaller, one_group
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table

ZIP = {"zip": sl.Hierarchy.suppression("zip", ["1", "2"])}


def two_zips(*diseases, **more):
    """Read a table of two zip codes, with the diseases of the people in each."""
    zips = [zip_code for zip_code, there in zip("12", diseases, strict=True) for _ in there]
    columns = {"zip": zips, "disease": [each for there in diseases for each in there], **more}
    missing = {"missing": "a value"} if more else {}
    return sl.read_table(pa.table(columns), quasi="zip", sensitive=["disease", *more], **missing)


# Merging the two zip codes raises each of these above its limit.
RAISED = {
    "wishes": (
        two_zips(["Ulcer"] * 3, ["Cold", "Flu", "Flu"], wish=[None] * 3 + ["stomach", None, None]),
        sl.PriorBelief(stubbornness=20, wishes="wish", predicates={"stomach": ["Ulcer"]}) <= 2,
    ),
    "sets": (
        Table(
            (Column.of("zip", ["1", "2"]),),
            "disease",
            ("a", "b", "c"),
            np.array([2, 2]),
            Counts.from_cells([[0, 2, 2], [1, 0, 0]]),
            "set",
        ),
        sl.Acquaintance(rules_out=2, value="a") <= 0.5,
    ),
    "numbers": (
        two_zips(["1"] * 4 + ["3"] * 2, ["2"] * 3 + ["4"]),
        sl.NumericBelief(expects=2, spread=1, stubbornness=3, within=1) <= 2,
    ),
}


@pytest.mark.parametrize("method", ["lattice", "mondrian", FullDomain(suppress=0.1)], ids=str)
@pytest.mark.parametrize(("table", "limit"), RAISED.values(), ids=RAISED)
def test_a_limit_that_only_merging_breaks_is_searched(table, limit, method):
    assert limit.measure.monotonicity(table.semantics) is sl.Monotonicity.UNKNOWN
    assert not limit.judge(one_group(table)).holds
    found = sl.protect(table, limit, by=ZIP, method=method, ask="nobody")
    assert found.verdict.safe
    assert len(found.release) == 2


@pytest.mark.parametrize("how", ["compare", "table"])
@pytest.mark.parametrize(("table", "limit"), RAISED.values(), ids=RAISED)
def test_other_searches_rely_on_claims_alone_too(table, limit, how):
    if how == "compare":
        ways = sl.compare(table, limit, by=ZIP, methods=["lattice", "mondrian"], suppress=[0])
        assert all(row.result is not None for row in ways.rows)
    else:
        rows = sl.generalisation_table(table, ZIP, limit.measure, policy=limit)
        assert [row.levels for row in rows] == [{"zip": 0}]


@pytest.mark.parametrize("method", ["lattice", "mondrian", "anatomy", "microaggregation"])
def test_a_search_that_finds_nothing_says_what_would_pass(method):
    table, limit = RAISED["numbers"]
    with pytest.raises(NothingSafe, match="and neither is one group of everybody") as why:
        sl.protect(table, [limit, limit.measure <= 1.01], by=ZIP, method=method, ask="nobody")
    assert len(why.value.blocked_by) == 2
    assert why.value.closest


# Left out, people no longer count: whom everybody together would give away.


LEFT_OUT = FullDomain(suppress=0.3, suppressed="left out")
SKEWED = two_zips(["a"] * 3 + ["b"] * 2 + ["c"], ["a"] * 2)
CERTAIN = sl.Implications(1) < 0.8


def test_people_are_left_out_where_one_group_of_everybody_is_outside_the_policy():
    assert not CERTAIN.judge(one_group(SKEWED)).holds
    found = sl.protect(SKEWED, CERTAIN, by=ZIP, method=LEFT_OUT, ask="nobody")
    assert (found.suppressed, found.release.size, found.verdict.safe) == (2, 6, True)
    ways = sl.compare(SKEWED, CERTAIN, by=ZIP, methods=[LEFT_OUT, "mondrian"], suppress=[0, 0.3])
    assert [row.result is not None for row in ways.rows] == [False, True, False]
    rows = sl.generalisation_table(
        SKEWED, ZIP, CERTAIN.measure, policy=CERTAIN, suppress=0.3, suppressed="left out", minimal=False
    )
    assert [row.suppressed for row in rows] == [2]


@pytest.mark.parametrize("method", [FullDomain(suppress=0.3), FullDomain(suppressed="left out"), "mondrian"], ids=str)
def test_without_leaving_anybody_out_a_claim_refuses_at_once(method, monkeypatch):
    monkeypatch.setattr(FullDomain, "search", None)  # nothing is searched
    with pytest.raises(NothingSafe, match="not even one group of everybody"):
        sl.protect(SKEWED, CERTAIN, by=ZIP, method=method, ask="nobody")


def test_leaving_too_few_out_says_how_many_and_what_would_pass():
    few = FullDomain(suppress=0.2, suppressed="left out")
    with pytest.raises(NothingSafe, match="with at most 1 person suppressed, and neither is") as why:
        sl.protect(SKEWED, CERTAIN, by=ZIP, method=few, ask="nobody")
    assert why.value.closest[0] == "implications(k=1) with a limit of more than 35/41"


@pytest.mark.parametrize("domain", [None, ["a", "b", "c"]], ids=["two values", "a third that nobody has"])
@pytest.mark.parametrize(
    "limit", [sl.DistinctValues(apart_from=["a"]) >= 2, sl.Implications(1, apart_from=["a"]) < 0.2], ids=str
)
def test_a_release_of_nobody_whom_a_limit_asks_about_is_refused(limit, domain):
    rows = pa.table({"zip": list("1122"), "disease": list("aabb")})
    table = sl.read_table(rows, quasi="zip", sensitive="disease", domain=domain)
    leaving_half_out = FullDomain(suppress=0.5, suppressed="left out")
    if domain and isinstance(limit.measure, sl.Implications):  # a value that was declared is asked about
        assert sl.protect(table, limit, by=ZIP, method=leaving_half_out, ask="nobody").verdict.safe
        return
    with pytest.raises(NothingSafe):
        sl.protect(table, limit, by=ZIP, method=leaving_half_out, ask="nobody")


# The largest amount that would pass is found in a few dozen measurements.


@pytest.mark.parametrize("amount", [1, 2, 5, 24, 25, 1_000, 1_000_000, 10**30])
@pytest.mark.parametrize("last", [-1, 0, 1, 4, 23, 999, 123_456])
def test_halving_finds_the_largest_amount(amount, last):
    tried = []
    within = largest_smaller(lambda each: tried.append(each) or each <= last, amount, more_is_worse=True)
    assert within == (min(last, amount - 1) if last >= 0 else None)
    assert len(tried) <= amount.bit_length() + 1
    assert len(set(tried)) == len(tried)


def test_too_little_is_no_answer():
    assert largest_smaller(lambda each: None if each < 3 else each < 7, 1_000, more_is_worse=True) == 6
    assert largest_smaller(lambda each: None if each < 8 else False, 1_000, more_is_worse=True) is None
    assert largest_smaller(lambda each: None if each < 8 else False, 1_000, more_is_worse=False) is None


@pytest.mark.parametrize("amount", [3, 24, 25, 10**6, 10**30])
def test_where_nothing_is_claimed_few_amounts_are_tried(amount):
    tried = []
    assert largest_smaller(tried.append, amount, more_is_worse=False) is None
    assert len(tried) <= 24
    if amount > 2:
        within = largest_smaller(lambda each: tried.append(each) or 2 <= each <= 100, amount, more_is_worse=False)
        assert within is None or 2 <= within <= 100
        assert within == min(amount - 1, 100) or amount > 10**6
    assert len(tried) <= 72
