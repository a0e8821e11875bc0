"""Which columns identify: what is said of subsets, and what is refused.

Worst columns: without which fewest people would stand alone.
"""

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadTable, TooHard, UnknownColumn, WrongKind
from sidelight.measures.column_subsets.identifying_columns import IdentifyingColumns, people_alone, worst_columns
from sidelight.table.labels import Column

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
    alone, fewest, guess = which.explain().split(". ")
    assert mentions(alone, "age and sex", "4 of 4", "alone")
    assert mentions(fewest, "Fewest", "0.5", "age")
    assert "sex" not in fewest
    assert mentions(guess, "disease", 1, "knows sex", "0.75", "nothing")
    _, fewest, _ = which.explain(share=1).split(". ")
    assert mentions(fewest, "Fewest", 1, "age and sex")
    assert repr(which) == "<IdentifyingColumns: 7 subsets of age, sex, zip>"


def test_words_leave_out_what_was_not_asked_and_what_is_not_so():
    both = sl.read_table(PEOPLE, quasi=["zip"], sensitive=["disease", "income"])
    (said,) = sl.identifying_columns(both).explain().split(". ")
    assert mentions(said, "zip", "0 of 4", "alone")


def test_the_surest_guess_is_by_the_fewest_columns():
    """a and b tell s together only, and so do a, b and c."""
    rows = pa.table({"a": list("0011"), "b": list("0101"), "c": list("0000"), "s": list("yxxy")})
    words = sl.identifying_columns(sl.read_table(rows, quasi=["c", "b", "a"], sensitive="s")).explain()
    alone, _, guess = words.split(". ")
    assert mentions(alone, "b and a", "4 of 4", "alone")
    assert mentions(guess, "s", 1, "knows b and a", "0.5", "nothing")


def test_minimal_sets_are_those_without_a_smaller_one():
    rng = np.random.default_rng(3)
    names = ["a", "b", "c", "d"]
    cells = {name: [str(cell) for cell in rng.integers(0, 3 + place, 20)] for place, name in enumerate(names)}
    which = sl.identifying_columns(sl.read_table(pa.table(cells | {"s": ["x"] * 20}), quasi=names, sensitive="s"))
    for share in (Fraction(1, 10), Fraction(1, 4), 0.5, 1):
        enough = [set(each.columns) for each in which if each.unique_share >= share]
        minimal = [each for each in which if set(each.columns) in enough]
        minimal = [each for each in minimal if not any(other < set(each.columns) for other in enough)]
        found = which.smallest(share)
        assert {each.columns for each in found} == {each.columns for each in minimal}
        assert list(found) == sorted(found, key=lambda each: (len(each.columns), -each.unique))


def test_what_a_secret_that_all_have_tells():
    alike = sl.read_table(PEOPLE.set_column(3, "disease", [["Flu"] * 4]), quasi=["age", "sex"], sensitive="disease")
    which = sl.identifying_columns(alike)
    assert which.prior == which["age"].inference == 1
    assert which["age"].groups == 3


def test_of_one_person_there_are_no_pairs():
    (only,) = sl.identifying_columns(sl.read_table(PEOPLE.slice(0, 1), quasi=["age"], sensitive="disease"))
    assert (only.separation, only.distinction, only.unique_share) == (0, 1, 1)
    assert repr(only) == "<ColumnSubset age: 1 group, 1 of 1 person unique>"


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
    without = sl.identifying_columns(sl.read_table(PEOPLE, quasi=["zip"], sensitive=["disease", "income"])).table()
    assert without.to_pylist()[0] == {
        "columns": ["zip"],
        "groups": 1,
        "unique": 0,
        "smallest": 4,
        "distinction": 0.25,
        "separation": 0,
        "inference": None,
    }
    assert without.schema.field("inference").type == pa.float64()


def test_the_columns_of_a_table_are_the_same_where_nothing_was_gone_through():
    nothing = IdentifyingColumns(("age",), 1, ()).to_arrow()
    assert nothing.num_rows == 0
    assert nothing.schema == sl.identifying_columns(TABLE).to_arrow().schema
    assert nothing.schema.types == [pa.list_(pa.string()), *[pa.int64()] * 3, *[pa.float64()] * 3]


def test_three_columns_in_words():
    """Eight people, all different, of whom no two columns tell anybody apart."""
    bits = [f"{number:03b}" for number in range(8)]
    rows = pa.table({name: [each[place] for each in bits] for place, name in enumerate("abc")} | {"s": ["x", "y"] * 4})
    words = sl.identifying_columns(sl.read_table(rows, quasi=["a", "b", "c"], sensitive="s")).explain()
    alone, fewest, guess = words.split(". ")
    assert mentions(alone, "a, b and c", "8 of 8", "alone")
    assert mentions(fewest, "Fewest", "0.5", "a, b and c")
    assert mentions(guess, "s", 1, "knows c", "0.5", "nothing")


def test_a_page_without_a_secret_leaves_its_cells_empty():
    both = sl.read_table(PEOPLE, quasi=["zip"], sensitive=["disease", "income"])
    (row,) = re.findall("<tr>(<td.*?)</tr>", sl.identifying_columns(both)._repr_html_())
    assert re.findall("<td[^>]*>(.*?)</td>", row) == ["zip", "1", "0", "4", "0.25", "0", ""]


def test_a_page_shows_the_worst_first():
    which = sl.identifying_columns(TABLE)
    page = which._repr_html_()
    head, *rows = re.findall("<tr>(.*?)</tr>", page)
    assert re.findall("<th>(.*?)</th>", head) == [
        *("columns", "groups", "unique", "smallest", "distinction", "separation", "inference")
    ]
    cells = [re.findall("<td[^>]*>(.*?)</td>", row) for row in rows]
    assert cells[0] == ["age, sex", "4", "4", "1", "1", "1", "1"]
    assert cells[2] == ["age", "3", "2", "1", "0.75", "0.8334", "0.75"]
    assert [each[0] for each in cells] == ["age, sex", "age, sex, zip", "age", "sex", "age, zip", "sex, zip", "zip"]
    (caption,) = re.findall("<caption>(.*?)</caption>", page)
    assert mentions(caption, "age, sex, zip", "4 people")
    assert page.endswith(f"<p>{which.explain()}</p>")
    assert "Flu" not in page


def test_a_long_page_says_how_many_sets_are_not_shown():
    wide = pa.table({f"c{place}": ["1", "2"] for place in range(8)} | {"s": ["x", "y"]})
    table = sl.read_table(wide, quasi=[f"c{place}" for place in range(8)], sensitive="s")
    page = sl.identifying_columns(table)._repr_html_()
    shown = page.count("<tr>") - 1
    assert 0 < shown < 255
    assert f"<p>… and {255 - shown} more</p>" in page


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
    with pytest.raises(BadTable) as refused:
        sl.identifying_columns(visits, secret="condition")
    assert mentions(refused.value, "'condition'", "several values", "leave the secret out")


def test_what_makes_no_sense_is_refused():
    with pytest.raises(WrongKind) as wrong:
        sl.identifying_columns(PEOPLE)
    assert mentions(wrong.value, "a Table", "not a pyarrow Table", "sl.read_table")
    with pytest.raises(UnknownColumn, match="did you mean 'age'"):
        sl.identifying_columns(TABLE, columns=["agee"])
    for columns in ([], ["age", "age"]):
        with pytest.raises(BadTable, match=r"at least one column.* each once") as refused:
            sl.identifying_columns(TABLE, columns=columns)
        assert refused.value.parameters == ("columns",)
    for share, shown in ((0, "0"), (-1, "-1"), (1.5, "1.5")):
        with pytest.raises(BadTable) as refused:
            sl.identifying_columns(TABLE).smallest(share=share)
        assert refused.value.parameters == ("share",)
        assert mentions(refused.value, shown, "above 0", "at most 1")
    with pytest.raises(BadTable, match="share="):
        sl.identifying_columns(TABLE).smallest(share=float("nan"))
    with pytest.raises(BadTable) as refused:
        sl.identifying_columns(TABLE, up_to=1)[["age", "sex"]]
    assert mentions(refused.value, "no subset of these", "up to 1 of age, sex, zip")


def test_too_many_columns_say_how_many_can_be():
    wide = pa.table({f"c{place}": ["1", "2"] for place in range(20)} | {"s": ["x", "y"]})
    table = sl.read_table(wide, quasi=[f"c{place}" for place in range(20)], sensitive="s")
    with pytest.raises(TooHard, match=r"20 columns.*1,048,575 subsets.*65,536.*16 columns"):
        sl.identifying_columns(table)
    assert len(sl.identifying_columns(table, up_to=2).subsets) == 210


def test_subsets_are_gone_through_one_by_one():
    table = sl.read_table(
        pa.table({"a": ["1", "2"], "b": ["x", "x"], "s": ["u", "v"]}), quasi=["a", "b"], sensitive="s"
    )
    found = sl.identifying_columns(table)
    assert [each.columns for each in found] == [("a",), ("b",), ("a", "b")]
    assert len(found) == 3
    assert (found.columns, found.people, found.secret, found.prior, found.up_to) == (
        ("a", "b"),
        2,
        "s",
        Fraction(1, 2),
        2,
    )
    turned = sl.identifying_columns(table, 1, columns=["b", "a"])
    assert [each.columns for each in turned] == [("b",), ("a",)]
    assert (turned["a"].groups, turned["b"].groups, turned.up_to) == (2, 1, 1)


def test_progress_is_told():
    told = []
    sl.identifying_columns(TABLE, progress=lambda *step: told.append(step))
    assert told[-1] == ("sets of columns", 7, 7)
    both = sl.read_table(PEOPLE, quasi=["age"], sensitive=["disease", "income"])
    sl.identifying_columns(both, progress=lambda *step: told.append(step))
    assert told[-1] == ("sets of columns", 1, 1)


def test_it_is_drawn():
    pytest.importorskip("altair")
    assert "age, sex" in str(sl.identifying_columns(TABLE).plot().to_dict())


def test_the_worst_columns_of_adult_agree_with_all_subsets():
    table = sl.datasets.adult().table
    worst = worst_columns(table.quasi, table.sizes)
    which = sl.identifying_columns(table)
    names = [column.name for column in table.quasi]
    fewer = {name: which[names].unique - which[[other for other in names if other != name]].unique for name in names}
    assert people_alone(table.sizes) == which[names].unique == 555
    assert [*worst] == sorted(fewer, key=lambda name: -fewer[name])[:3]
    assert [*worst.values()] == sorted(fewer.values(), reverse=True)[:3]


def test_columns_that_do_the_same_have_no_worst_one():
    twins = [Column.of(name, ["1", "2", "3"]) for name in ("age", "born")]
    assert worst_columns(twins, np.array([1, 1, 1])) == {}


def test_groups_that_look_alike_are_told_apart_by_something_else():
    assert worst_columns([Column.of("age", ["1", "1"])], np.array([1, 1])) == {}


def test_the_worst_come_first_and_no_more_than_asked_for():
    """Without a the first three stand together, without b the last two; c changes nothing."""
    columns = [Column.of(name, texts) for name, texts in zip("cab", ("0000", "0122", "0001"), strict=True)]
    sizes = np.array([1, 1, 1, 1])
    assert [*worst_columns(columns, sizes).items()] == [("a", 3), ("b", 2)]
    assert [*worst_columns(columns, sizes, most=1)] == ["a"]
    assert worst_columns(columns, sizes, most=0) == {}


def test_people_alone_are_those_in_groups_of_one():
    assert people_alone(np.array([1, 2, 1, 3, 0])) == 2
    assert people_alone(np.array([], int)) == 0


@examples(60)
@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=12))
def test_it_is_what_counting_rows_gives(rows):
    groups = Counter(rows)
    columns = [Column.of(f"c{place}", [key[place] for key in groups]) for place in range(3)]
    sizes = np.array([*groups.values()])

    def alone(places):
        seen = Counter(tuple(row[place] for place in places) for row in rows)
        return sum(times == 1 for times in seen.values())

    fewer = {f"c{out}": alone((0, 1, 2)) - alone([place for place in range(3) if place != out]) for out in range(3)}
    assert worst_columns(columns, sizes) == {name: number for name, number in fewer.items() if number}
