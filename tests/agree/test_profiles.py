"""Which values people have together: gathered by the engine, and person by person."""

import os
from collections import Counter

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadTable

visits = st.lists(st.tuples(st.integers(0, 6), st.sampled_from(["Flu", "Cold", "HIV", None])), min_size=1, max_size=25)


def by_person(rows, semantics):
    """Everybody's key and values, one by one."""
    people = {}
    for person, value in rows:
        values = people.setdefault(person, Counter())
        if value is not None:
            values[value] += 1
    kinds = Counter()
    for person, values in people.items():
        had = frozenset((value, 1 if semantics == "set" else times) for value, times in values.items())
        kinds[str(person % 2), had] += 1
    return kinds


def gathered(table):
    profiles = table.profiles()
    row, value, count = profiles.counts.entries()
    (column,) = table.quasi
    kinds = Counter()
    for number in range(len(profiles)):
        had = frozenset((table.domain[v], int(c)) for r, v, c in zip(row, value, count, strict=True) if r == number)
        kinds[column.cell(int(profiles.key[number])), had] += int(profiles.people[number])
    return kinds


@examples(20)
@given(visits, st.sampled_from(["set", "multiset"]), st.booleans())
def test_profiles_are_gathered_as_person_by_person(rows, semantics, in_polars):
    columns = {"id": [person for person, _ in rows], "sex": [person % 2 for person, _ in rows]}
    source = pa.table({**columns, "disease": pa.array([value for _, value in rows], pa.string())})
    if all(value is None for _, value in rows):
        return
    table = sl.read_table(
        pl.from_arrow(source) if in_polars else source,
        quasi="sex",
        sensitive="disease",
        person="id",
        values=semantics,
        missing="no value",
    )
    assert gathered(table) == by_person(rows, semantics)


def test_cells_that_list_several_values_say_what_is_together():
    rows = pa.table({"sex": ["f", "f", "m"], "disease": ["Flu|Cold", "Cold|Flu", None]})
    table = sl.read_table(rows, quasi="sex", sensitive="disease", split="|", values="set", missing="no value")
    assert gathered(table) == {("f", frozenset({("Flu", 1), ("Cold", 1)})): 2, ("m", frozenset()): 1}


def test_rows_that_changed_since_are_noticed(tmp_path):
    file = tmp_path / "visits.csv"
    file.write_text("id,sex,disease\n1,f,Flu\n1,f,Cold\n2,m,Flu\n")
    table = sl.read_table(file, quasi="sex", sensitive="disease", person="id", values="set")
    written = file.stat().st_mtime_ns
    file.write_text("id,sex,disease\n1,f,Flu\n1,f,Cold\n2,f,Flu\n")
    os.utime(file, ns=(written, written))  # as long as before, and seemingly as old
    with pytest.raises(BadTable, match=r"visits\.csv changed while it was read"):
        table.profiles()
