"""Minimal sample uniques: the values that are handed out, and what is refused."""

from fractions import Fraction
from math import factorial

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable, TooHard

ROWS = pa.table({"age": ["2", "1", "1"], "sex": ["f", "m", "f"], "zip": ["0", "6", "0"], "ill": ["no"] * 3})
TABLE = sl.read_table(ROWS, quasi=["age", "sex", "zip"], sensitive="ill")


def test_a_row_per_person_who_is_special():
    rows = sl.minimal_uniques(TABLE, fraction=0.5).table().to_pylist()
    assert rows[0]["minimal uniques"] == [["age", "sex"], ["age", "zip"]]
    assert [row["score"] for row in rows] == [2, 4, 2]
    assert all(0 < row["DIS-SUDA"] <= 1 for row in rows)
    assert "DIS-SUDA" not in sl.minimal_uniques(TABLE).table().column_names


def test_up_to_so_many_columns():
    uniques = sl.minimal_uniques(TABLE, largest=1)
    assert uniques.by_size() == {1: 3}
    assert uniques.explain().startswith("2 of 3 people can be singled out by at most 1 column;")


def test_some_of_the_columns():
    uniques = sl.minimal_uniques(TABLE, columns=["age", "zip"])
    assert uniques.columns == ("age", "zip")
    assert sum(uniques.fair_shares.values()) == 1


def test_where_nobody_is_alone_nothing_contributes():
    twice = sl.read_table(pa.concat_tables([ROWS, ROWS]), quasi=["age", "sex", "zip"], sensitive="ill")
    uniques = sl.minimal_uniques(twice, fraction=Fraction(1, 2))
    assert uniques.singled_out == 0
    assert uniques.explain() == "0 of 6 people can be singled out."
    assert set(uniques.contributions.values()) == {0}
    assert uniques.table().num_rows == 0
    assert uniques.dis_suda().sum() == 0
    assert "contribution" in uniques._repr_html_()


def test_columns_called_like_ours_stay():
    rows = ROWS.rename_columns(["score", "sex", "zip", "ill"])
    table = sl.read_table(rows, quasi=["score", "sex", "zip"], sensitive="ill")
    assert "score 2" in sl.minimal_uniques(table).table().column_names


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BadTable, match="fraction="):
        sl.minimal_uniques(TABLE).dis_suda()
    for fraction in (0, 1.5, -1):
        with pytest.raises(BadTable, match="above 0 and at most 1"):
            sl.minimal_uniques(TABLE, fraction=fraction)
    with pytest.raises(BadTable, match="largest= is 0"):
        sl.minimal_uniques(TABLE, largest=0)
    wide = pa.table({f"c{place}": ["1", "2"] for place in range(20)} | {"s": ["x", "y"]})
    with pytest.raises(TooHard, match="say largest=6"):
        sl.minimal_uniques(sl.read_table(wide, quasi=[f"c{place}" for place in range(20)], sensitive="s"))


@pytest.mark.parametrize("many", [21, 25, 60])
def test_scores_of_many_columns_are_exact_whatever_their_length(many):
    names = [f"c{place}" for place in range(many)]
    rows = pa.table({name: ["a", "a", "b"] for name in names} | {"c0": ["a", "b", "c"], "ill": ["no"] * 3})
    uniques = sl.minimal_uniques(sl.read_table(rows, quasi=names, sensitive="ill"), largest=1, fraction=0.5)
    assert sorted(uniques.scores.tolist()) == [factorial(many - 1), factorial(many - 1), many * factorial(many - 1)]
    assert uniques.contributions["c0"] == Fraction(3, many + 2)
    assert (uniques.dis_suda() == 1).all()  # nobody is a pair
    if many == 60:
        with pytest.raises(BadTable, match="longer than 76 digits"):
            uniques.table()
    else:
        assert max(uniques.table()["score"].to_pylist()) == many * factorial(many - 1)
