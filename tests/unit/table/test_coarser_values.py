"""Sensitive values published more coarsely: the same as if they had been written down so."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadHierarchy, BadTable, UnknownColumn, WrongKind

ORGANS = sl.Hierarchy.nested("ill", {"lung": ["Flu", "Asthma"], "stomach": ["Ulcer"]})
BY = {"ill": ORGANS}
ROLES = {"quasi": "age", "sensitive": "ill", "person": "who"}


def as_counts(table):
    ages = [table.quasi[0].cell(row) for row in range(len(table.sizes))]
    counts = [
        {value: int(count) for value, count in zip(table.domain, row, strict=True) if count}
        for row in table.counts.dense()
    ]
    return dict(zip(ages, zip(table.sizes.tolist(), counts, strict=True), strict=True))


@pytest.mark.parametrize("values", ["set", "multiset"])
@pytest.mark.parametrize("make", [pa.table, pd.DataFrame])
def test_the_same_as_if_they_had_been_written_down_so(values, make):
    @examples(20)
    @given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["Flu", "Asthma", "Ulcer", None])), min_size=1))
    def hunt(rows):
        if all(value is None for _, value in rows):
            return
        columns = {
            "who": [str(who) for who, _ in rows],
            "age": [str(who % 2) for who, _ in rows],
            "ill": [value for _, value in rows],
        }
        settings = ROLES | {"values": values, "missing": "no value"}
        coarse = sl.coarser_values(sl.read_table(make(columns), **settings), by=BY, to=1)
        written = columns | {"ill": [None if each is None else ORGANS.generalise(each, 1) for each in columns["ill"]]}
        expected = sl.read_table(make(written), **settings)
        assert as_counts(coarse) == as_counts(expected)
        assert coarse.profiles().fit(coarse)

    hunt()


def test_one_value_each():
    table = sl.read_table(
        pa.table({"age": ["1", "1", "2"], "ill": ["Flu", "Asthma", "Ulcer"]}), quasi="age", sensitive="ill"
    )
    coarse = sl.coarser_values(table, by=BY, to={"ill": 1})
    assert as_counts(coarse) == {"1": (2, {"lung": 2}), "2": (1, {"stomach": 1})}
    assert coarse.intake.notes() == ("ill at level 1 of the hierarchy: what is said is about those coarser values",)
    assert as_counts(sl.coarser_values(table, by=BY, to=0)) == as_counts(table)
    release = sl.generalise(table, by=BY, to={"ill": 1})
    assert [dict(group.counts) for group in release] == [{"lung": 2}, {"stomach": 1}]


def test_cells_that_list_several_values():
    rows = pa.table({"age": ["1", "1"], "ill": ["Flu|Asthma|Ulcer", "Asthma"]})
    table = sl.read_table(rows, quasi="age", sensitive="ill", split="|", values="set")
    assert as_counts(sl.coarser_values(table, by=BY, to=1)) == {"1": (2, {"lung": 2, "stomach": 1})}


def test_one_of_several_sensitive_columns():
    rows = pa.table({"age": ["1", "1"], "ill": ["Flu", "Asthma"], "pay": ["low", "high"]})
    table = sl.read_table(rows, quasi="age", sensitive=["ill", "pay"])
    coarse = sl.coarser_values(table, by=BY, to={"ill": 1})
    assert coarse.about("ill").domain == ("lung",)
    assert coarse.about("pay").domain == ("high", "low")
    with pytest.raises(WrongKind, match="ill and pay are several sensitive columns"):
        sl.coarser_values(table, by=BY, to=1)
    with pytest.raises(UnknownColumn, match="no sensitive column 'il'; did you mean 'ill'"):
        sl.coarser_values(table, by=BY, to={"il": 1})


def test_what_cannot_be_said_is_refused():
    table = sl.read_table(pa.table({"age": ["1"], "ill": ["Gout"]}), quasi="age", sensitive="ill")
    with pytest.raises(BadHierarchy, match="Gout"):
        sl.coarser_values(table, by=BY, to=1)
    with pytest.raises(BadHierarchy, match="no hierarchy for 'ill'; add it to by="):
        sl.coarser_values(table, by={}, to=1)
    with pytest.raises(WrongKind, match="a whole number"):
        sl.coarser_values(table, by=BY, to="1")
    known = sl.read_table(pa.table({"age": ["1"], "ill": ["Flu"]}), quasi="age", sensitive="ill")
    with pytest.raises(BadHierarchy, match="no level 9"):
        sl.coarser_values(known, by=BY, to=9)


def test_counts_alone_do_not_say_who_has_two():
    release = sl.Release.from_counts([{"Flu": 1, "Asthma": 1}], sizes=[2], values="set")
    table = sl.read_table(pa.table({"who": ["a"], "age": ["1"], "ill": ["Flu"]}), **ROLES, values="set")
    lone = type(table)(table.quasi, "ill", release.domain, release.groups.sizes, release.groups.counts, "set")
    with pytest.raises(BadTable, match="does not say which values a person has together"):
        sl.coarser_values(lone, by=BY, to=1)


def test_categories_of_real_conditions():
    """Whoever had hay fever and asthma had a respiratory condition once."""
    data = sl.datasets.nhefs()
    frame = pq.read_table(data.path).to_pandas().dropna(subset=["condition"])
    hierarchy = data.hierarchies["condition"]
    frame["category"] = [hierarchy.generalise(each, 1) for each in frame["condition"]]
    people = frame.drop_duplicates(["person", "category"])["category"].value_counts().to_dict()
    table = sl.coarser_values(data.table, by=data.hierarchies, to=1)
    assert dict(zip(table.domain, table.counts.totals().tolist(), strict=True)) == people
    assert (table.people, people["Respiratory"]) == (1_629, 338)
