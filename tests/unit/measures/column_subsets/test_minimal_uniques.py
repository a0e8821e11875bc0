"""Minimal sample uniques: the values that are handed out, and what is refused."""

import re
from fractions import Fraction
from math import factorial

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable, TooHard, WrongKind
from sidelight.measures.column_subsets.minimal_uniques import _arrow_scores

ROWS = pa.table({"age": ["2", "1", "1"], "sex": ["f", "m", "f"], "zip": ["0", "6", "0"], "ill": ["no"] * 3})
TABLE = sl.read_table(ROWS, quasi=["age", "sex", "zip"], sensitive="ill")


def test_a_row_per_person_who_is_special():
    rows = sl.minimal_uniques(TABLE, fraction=0.5).table().to_pylist()
    assert list(rows[0]) == ["age", "sex", "zip", "minimal uniques", "score", "DIS-SUDA"]
    assert [(row["age"], row["sex"], row["zip"]) for row in rows] == [("1", "f", "0"), ("1", "m", "6"), ("2", "f", "0")]
    assert rows[0]["minimal uniques"] == [["age", "sex"], ["age", "zip"]]
    assert [row["minimal uniques"] for row in rows[1:]] == [[["sex"], ["zip"]], [["age"]]]
    assert [row["score"] for row in rows] == [2, 4, 2]
    assert all(0 < row["DIS-SUDA"] <= 1 for row in rows)
    assert "DIS-SUDA" not in sl.minimal_uniques(TABLE).table().column_names


def test_weights_and_what_columns_contribute():
    """The three columns alone have a weight of 2 each, and age with sex and with zip of 1: 8 in all."""
    uniques = sl.minimal_uniques(TABLE)
    assert uniques.subsets == (("age",), ("sex",), ("zip",), ("age", "sex"), ("age", "zip"))
    assert uniques.by_size() == {1: 3, 2: 2}
    assert uniques.contributions == {"age": Fraction(4, 8), "sex": Fraction(3, 8), "zip": Fraction(3, 8)}
    assert uniques.fair_shares == {"age": Fraction(3, 8), "sex": Fraction(5, 16), "zip": Fraction(5, 16)}
    assert uniques.scores.tolist() == [2, 4, 2]
    assert uniques.scores.dtype == np.int64
    assert [uniques.of(key) for key in range(3)] == [
        (("age", "sex"), ("age", "zip")),
        (("sex",), ("zip",)),
        (("age",),),
    ]
    assert uniques.of(np.int8(2)) == (("age",),)
    assert uniques.singled_out == 3
    assert uniques.explain() == "3 of 3 people can be singled out; 0.375 of what does it is due to age."
    assert repr(uniques) == f"<MinimalUniques: {uniques.explain()}>"


def test_a_page_shows_the_worst_column_first():
    turned = sl.read_table(ROWS, quasi=["zip", "sex", "age"], sensitive="ill")
    uniques = sl.minimal_uniques(turned)
    page = uniques._repr_html_()
    assert re.findall("<th>(.*?)</th>", page) == ["column", "contribution", "fair share"]
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(<td.*?)</tr>", page)]
    assert rows == [["age", "0.5", "0.375"], ["zip", "0.375", "0.3125"], ["sex", "0.375", "0.3125"]]
    assert "<caption>Minimal uniques</caption>" in page
    assert page.endswith(f"<p>{uniques.explain()}</p>")


def test_an_estimate_of_how_surely_a_match_is_right():
    """Two people alike, who are a pair, beside three who are special; a quarter of the population."""
    rows = pa.concat_tables([ROWS, pa.table({"age": ["3"] * 2, "sex": ["x"] * 2, "zip": ["7"] * 2, "ill": ["no"] * 2})])
    table = sl.read_table(rows, quasi=["age", "sex", "zip"], sensitive="ill")
    uniques = sl.minimal_uniques(table, fraction=Fraction(1, 4))
    scores = uniques.scores.tolist()
    assert sorted(scores) == [0, 2, 2, 4]
    exponent, odds = 1 + (8 - 3) / 20, 2 * 1 * 3  # one pair, and three in the population for each in the table
    inverse = sum(score**-exponent for score in scores if score)
    for score, estimate in zip(scores, uniques.dis_suda().tolist(), strict=True):
        expected = 1 / (1 + odds / (score**exponent * inverse)) if score else 0
        assert estimate == pytest.approx(expected, rel=1e-12)
    handed_out = [(row["score"], row["DIS-SUDA"]) for row in uniques.table().to_pylist()]
    assert handed_out == [each for each in zip(scores, uniques.dis_suda().tolist(), strict=True) if each[0]]


def test_up_to_so_many_columns():
    uniques = sl.minimal_uniques(TABLE, largest=1)
    assert uniques.by_size() == {1: 3}
    assert (uniques.largest, uniques.singled_out) == (1, 2)
    assert uniques.explain() == (
        "2 of 3 people can be singled out by at most 1 column; 0.3334 of what does it is due to age."
    )
    assert "can be singled out by at most 2 columns;" in sl.minimal_uniques(TABLE, largest=2).explain()


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
    assert {type(share) for share in (*uniques.contributions.values(), *uniques.fair_shares.values())} == {Fraction}
    assert (uniques.scores.tolist(), uniques.scores.dtype) == ([0, 0, 0], np.int64)
    assert uniques.by_size() == {}
    assert uniques.table().num_rows == 0
    assert uniques.table().schema == sl.minimal_uniques(TABLE, fraction=Fraction(1, 2)).table().schema
    assert uniques.dis_suda().sum() == 0
    assert "contribution" in uniques._repr_html_()


def test_columns_called_like_ours_stay():
    rows = ROWS.rename_columns(["score", "sex", "zip", "ill"])
    table = sl.read_table(rows, quasi=["score", "sex", "zip"], sensitive="ill")
    assert "score 2" in sl.minimal_uniques(table).table().column_names


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BadTable, match=r"^DIS-SUDA needs fraction=, the share of the population that is in the table$"):
        sl.minimal_uniques(TABLE).dis_suda()
    for fraction in (0, 1.5, -1):
        message = f"^fraction= is {fraction}; give the share of the population, above 0 and at most 1$"
        with pytest.raises(BadTable, match=message):
            sl.minimal_uniques(TABLE, fraction=fraction)
    with pytest.raises(BadTable, match=r"^fraction= is a number, not 'x'"):
        sl.minimal_uniques(TABLE, fraction="x")
    with pytest.raises(WrongKind, match=r"^where people are special should be a Table"):
        sl.minimal_uniques(ROWS)
    assert (sl.minimal_uniques(TABLE, fraction=1).dis_suda() == 1).all()
    assert sl.minimal_uniques(TABLE, fraction=0.25).fraction == Fraction(1, 4)
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
        with pytest.raises(
            BadTable, match=r"^scores of so many columns are longer than 76 digits; ask about fewer columns$"
        ):
            uniques.table()
    else:
        assert max(uniques.table()["score"].to_pylist()) == many * factorial(many - 1)


@pytest.mark.parametrize(("alone", "kind"), [(1, np.int64), (3, np.int64), (4, object)])
def test_scores_have_64_bits_where_they_suffice(alone, kind):
    """Of 21 columns each has a weight of 20!, of which 3 are below 2^63, and 4 are not."""
    names = [f"c{place}" for place in range(21)]
    rows = {name: ["a", "a", "b" if place < alone else "a"] for place, name in enumerate(names)}
    table = sl.read_table(pa.table(rows | {"ill": ["no"] * 3}), quasi=names, sensitive="ill")
    scores = sl.minimal_uniques(table, largest=1).scores
    assert (sorted(scores.tolist()), scores.dtype) == ([0, alone * factorial(20)], kind)


def test_the_longest_scores_that_are_handed_out():
    longest = _arrow_scores(np.array([10**76 - 1, 1], object))
    assert (longest.type, [int(score) for score in longest.to_pylist()]) == (pa.decimal256(76), [10**76 - 1, 1])
    assert _arrow_scores(np.array([1], object)).type == pa.decimal256(76)
    with pytest.raises(BadTable, match="longer than 76 digits"):
        _arrow_scores(np.array([10**76], object))
