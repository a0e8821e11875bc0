import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadTable, MissingValues
from sidelight.table.cell_lists import list_separator

CELLS = st.lists(st.sampled_from(["Flu", "Cold", "Ulcer"]), max_size=4)


def listed(people):
    return pa.table({"age": [age for age, _ in people], "ill": ["|".join(values) or None for _, values in people]})


def long(people):
    """The same people with a row per value, or one without any."""
    rows = [(str(at), age, v) for at, (age, values) in enumerate(people) for v in (values or [None])]
    return pa.table(dict(zip(("person", "age", "ill"), map(list, zip(*rows, strict=True)), strict=True)))


@given(
    st.lists(st.tuples(st.sampled_from(["30", "40"]), CELLS), min_size=1, max_size=8),
    st.sampled_from(["set", "multiset"]),
)
def test_a_cell_of_several_values_is_as_many_rows(people, values):
    assume(any(each for _, each in people))
    roles = {"quasi": "age", "sensitive": "ill", "values": values, "missing": "no value"}
    split = sl.read_table(listed(people), split="|", **roles)
    rows = sl.read_table(long(people), person="person", **roles)
    assert (split.domain, split.semantics) == (rows.domain, rows.semantics)
    assert split.sizes.tolist() == rows.sizes.tolist()
    assert split.counts.dense().tolist() == rows.counts.dense().tolist()
    assert split.intake.rows_saying_no_value == rows.intake.rows_saying_no_value


def test_conditions_of_real_people_in_one_cell_each(tmp_path):
    frame = pq.read_table(sl.datasets.nhefs().path).to_pandas()
    one = frame.groupby("person").agg(
        {"age": "first", "sex": "first", "condition": lambda some: "; ".join(some.dropna())}
    )
    one.to_csv(tmp_path / "people.csv", index=False)
    roles = {"group": ["sex"], "sensitive": "condition", "values": "set", "missing": "no value"}
    split = sl.read_release(tmp_path / "people.csv", split=";", **roles)
    rows = sl.read_release(sl.datasets.nhefs().path, person="person", **roles)
    assert [(each.size, each.counts) for each in split] == [(each.size, each.counts) for each in rows]


def test_lists_are_noticed_and_their_option_named(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,ill\n30,Flu|Cold\n30,Flu\n40,Cold|Ulcer\n40,Ulcer\n")
    told = invoke(["audit", file, "-g", "age", "-s", "ill"])
    assert mentions(" ".join(told.stdout.split()), "separated by '|'", "--values set --split '|'")
    read = invoke(["audit", file, "-g", "age", "-s", "ill", "--split", "|", "--values", "set", "--json"])
    assert (read.exit_code, "separated by" in read.stdout) == (0, False)


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["a|b", "b|c", "a"], "|"),
        (["a; b", "b; c", "c"], ";"),
        (["a, b", "b, a"], ","),
        (["Heart, acute", "Lung, acute", "Skin, acute"], None),
        (["a|b", "c"], None),
        ([None, "Flu"], None),
        (["1/2", "3/4", "5/6"], None),
    ],
)
def test_what_looks_like_lists(cells, separator):
    assert list_separator(cells) == separator


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({}, ('split="|"', "several", 'values="set"', '"multiset"')),
        ({"values": "set", "person": "who"}, ("not go together",)),
        ({"values": "set", "missing": "a value"}, ("missing", "no parts", 'missing="no value"')),
        ({"values": "set", "split": " "}, ("split=", "empty")),
        ({"values": "set", "domain": ["Flu"]}, ("'Cold'", "'ill'", "not in domain=")),
    ],
)
def test_what_does_not_go_together(more, named):
    frame = pa.table({"age": ["30"], "ill": ["Flu|Cold"], "who": ["1"]})
    with pytest.raises(BadTable) as caught:
        sl.read_table(frame, **{"quasi": "age", "sensitive": "ill", "split": "|", **more})
    assert mentions(caught.value, *named)


def test_an_empty_cell_is_not_guessed():
    frame = pa.table({"age": ["30", "30"], "ill": ["Flu|Cold", None]})
    with pytest.raises(MissingValues, match="no value"):
        sl.read_table(frame, quasi="age", sensitive="ill", split="|", values="set")
    assert sl.read_table(frame, quasi="age", sensitive="ill", split="|", values="set", missing="drop").people == 1


@pytest.mark.parametrize("cell", [None, "", "|", " | ", "?", "?|", "?|?"])
def test_a_list_of_nothing_is_a_missing_cell(cell):
    rows = pa.table({"age": ["30", "40", "40"], "ill": [cell, "Flu|Cold|?", "Flu"]})

    def read(missing):
        marks = {"missing_marks": "?", "missing": missing}
        return sl.read_table(rows, quasi="age", sensitive="ill", split="|", values="set", **marks)

    with pytest.raises(MissingValues, match=r"\b1 of 3 rows.*no 'ill'"):
        read("an error")
    dropped, healthy = read("drop"), read("no value")
    assert (dropped.people, dropped.column("age").labels, dropped.intake.rows_without_value) == (2, ("40",), 1)
    assert (healthy.people, healthy.column("age").labels, healthy.intake.rows_saying_no_value) == (3, ("30", "40"), 1)
    assert dropped.domain == healthy.domain == ("Cold", "Flu")  # what is marked as missing is no value in a list either
    assert dropped.counts.totals().tolist() == healthy.counts.totals().tolist() == [1, 2]
