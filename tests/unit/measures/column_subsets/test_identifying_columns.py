"""Which columns identify: what is said of subsets, and what is refused."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable, TooHard, UnknownColumn, WrongKind

PEOPLE = pa.table(
    {
        "age": ["20", "20", "30", "40"],
        "sex": ["f", "m", "f", None],
        "zip": ["1", "1", "1", "1"],
        "disease": ["Flu", "Cold", "Flu", "Flu"],
        "income": ["low", "low", "high", "high"],
    }
)
TABLE = sl.read_table(PEOPLE, quasi=["age", "sex", "zip"], sensitive="disease")


def test_what_each_subset_tells():
    which = sl.identifying_columns(TABLE)
    assert [each.columns for each in which.subsets][:3] == [("age",), ("sex",), ("zip",)]
    age = which["age"]
    assert (age.groups, age.unique, age.smallest) == (3, 2, 1)
    assert (age.distinction, age.separation, age.inference) == (Fraction(3, 4), Fraction(5, 6), Fraction(3, 4))
    assert which.prior == Fraction(3, 4)
    assert which[["sex", "age"]].unique_share == 1  # a missing cell is a label like any other


def test_the_smallest_sets_and_the_words():
    which = sl.identifying_columns(TABLE)
    assert [each.columns for each in which.smallest(share=1)] == [("age", "sex")]
    assert [each.columns for each in which.smallest()] == [("age",), ("sex",)]
    words = which.explain()
    assert words.startswith("Who knows age and sex of everybody finds 4 of 4 people alone.")
    assert "disease is guessed right for 1 of all people" in words
    assert repr(which) == "<IdentifyingColumns: 7 subsets of age, sex, zip>"


def test_a_table_and_a_page():
    table = sl.identifying_columns(TABLE, up_to=1).table()
    assert table.to_pylist()[0] == {
        "columns": ["age"],
        "groups": 3,
        "unique": 2,
        "smallest": 1,
        "distinction": 0.75,
        "separation": 0.8333333333333334,
        "inference": 0.75,
    }
    page = sl.identifying_columns(TABLE)._repr_html_()
    assert "age, sex" in page
    assert "Flu" not in page


def test_of_several_sensitive_columns_one_is_the_secret():
    both = sl.read_table(PEOPLE, quasi=["age", "sex"], sensitive=["disease", "income"])
    assert sl.identifying_columns(both).secret is None
    assert sl.identifying_columns(both)["age"].inference is None
    assert sl.identifying_columns(both, secret="income")["age"].inference == 1
    with pytest.raises(UnknownColumn, match="did you mean 'income'"):
        sl.identifying_columns(both, secret="incom")


def test_several_values_per_person_are_no_secret():
    visits = sl.datasets.nhefs().table
    assert sl.identifying_columns(visits, 1).prior is None
    assert sl.identifying_columns(visits, 1)["age"].people == 1629
    with pytest.raises(BadTable, match="several values per person"):
        sl.identifying_columns(visits, secret="condition")


def test_what_makes_no_sense_is_refused():
    with pytest.raises(WrongKind, match=r"read it first with sl\.read_table"):
        sl.identifying_columns(PEOPLE)
    with pytest.raises(UnknownColumn, match="did you mean 'age'"):
        sl.identifying_columns(TABLE, columns=["agee"])
    with pytest.raises(BadTable, match="at least one column"):
        sl.identifying_columns(TABLE, columns=[])
    with pytest.raises(BadTable, match="each once"):
        sl.identifying_columns(TABLE, columns=["age", "age"])
    for share in (0, -1, 1.1, float("nan")):
        with pytest.raises(BadTable, match="share="):
            sl.identifying_columns(TABLE).smallest(share=share)
    with pytest.raises(BadTable, match="up to 1 of age, sex, zip"):
        sl.identifying_columns(TABLE, up_to=1)[["age", "sex"]]


def test_too_many_columns_say_how_many_can_be():
    wide = pa.table({f"c{place}": ["1", "2"] for place in range(20)} | {"s": ["x", "y"]})
    table = sl.read_table(wide, quasi=[f"c{place}" for place in range(20)], sensitive="s")
    with pytest.raises(TooHard, match=r"20 columns have 1,048,575 subsets.*65,536.*16 columns"):
        sl.identifying_columns(table)
    assert len(sl.identifying_columns(table, up_to=2).subsets) == 210


def test_subsets_are_gone_through_one_by_one():
    table = sl.read_table(
        pa.table({"a": ["1", "2"], "b": ["x", "x"], "s": ["u", "v"]}), quasi=["a", "b"], sensitive="s"
    )
    found = sl.identifying_columns(table)
    assert [each.columns for each in found] == [("a",), ("b",), ("a", "b")]
    assert len(found) == 3
