"""What can be known about people: which cells, of whom, and how they are said.

Who is alone on which subset of columns, block by block.

Minimal sample uniques: the values that are handed out, and what is refused.

Singling out: who is alone with few facts, by the definition, and in words.
"""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import factorial

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadTable, TooHard, UnknownColumn, WrongKind
from sidelight.measures.column_subsets import subsets
from sidelight.measures.column_subsets.identifying_columns import _arrow_scores
from sidelight.measures.column_subsets.subsets import (
    MarkedKeys,
    find_unique_on_each,
    indices_of,
    minimal,
    names_in_words,
)
from sidelight.measures.column_subsets.three_risks import cells_in_words, column_named, known_cells
from sidelight.table.labels import Column

RELEASE = sl.Release.from_counts(
    [{"x": 1, "y": 2}, {"x": 4}], labels=[{"age": "20", "sex": "f"}, {"age": "30", "sex": None}]
)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([], "nothing"),
        ([("age", "89")], "age 89"),
        ([("age", "89"), ("sex", None)], "age 89 and sex (missing)"),
        ([("age", "89"), ("sex", "f"), ("zip", "12")], "age 89, sex f and zip 12"),
    ],
)
def test_cells_in_words(cells, words):
    assert cells_in_words(cells) == words


@pytest.mark.parametrize(
    ("names", "words"),
    [([], "nothing"), (["age"], "age"), (["age", "sex"], "age and sex"), (["age", "sex", "zip"], "age, sex and zip")],
)
def test_names_in_words(names, words):
    assert names_in_words(names) == words


def test_of_groups_what_is_printed_is_known():
    cells = known_cells(RELEASE)
    assert [column.name for column in cells.columns] == ["age", "sex"]
    assert [[column.cell(row) for column in cells.columns] for row in (0, 1)] == [["20", "f"], ["30", None]]
    assert (cells.people.tolist(), cells.group.tolist()) == ([3, 4], [0, 1])


def test_of_buckets_everybody_is_known_by_their_own_cells():
    buckets = sl.Release.from_buckets(
        [([{"age": "20"}, {"age": "30"}], ["x", "y"]), ([{"age": "30"}, {"age": "30"}], ["x", "x"])]
    )
    cells = known_cells(buckets)
    (age,) = cells.columns
    known = {(age.cell(row), int(cells.group[row])): int(cells.people[row]) for row in range(len(cells.people))}
    assert known == {("20", 0): 1, ("30", 0): 1, ("30", 1): 2}


def test_columns_are_found_by_their_names():
    cells = known_cells(RELEASE)
    assert [column_named(cells.columns, name).name for name in ("sex", "age")] == ["sex", "age"]
    for name, message in {
        "agee": ("no column 'agee'", "'age'"),
        "town": ("no column 'town'", "age, sex"),
    }.items():
        with pytest.raises(UnknownColumn) as refused:
            column_named(cells.columns, name)
        assert mentions(refused.value, *message)


rng = np.random.default_rng(7)
ROWS = rng.integers(0, 4, (90, 4))
PEOPLE = rng.integers(1, 3, 90)


def columns_of(rows):
    """Columns of labels, each with every label from 0 on."""
    return [Column(f"c{place}", tuple(map(str, range(4))), rows[:, place].astype(np.int32)) for place in range(4)]


def alone_by_definition(up_to):
    """For each subset of columns, the rows of one person who is alone there; subsets on which nobody is left out."""
    found = {}
    for size in range(1, up_to + 1):
        for places in combinations(range(4), size):
            seen = Counter()
            for row, many in zip(ROWS[:, places].tolist(), PEOPLE.tolist(), strict=True):
                seen[tuple(row)] += many
            found[places] = {n for n, row in enumerate(ROWS[:, places].tolist()) if seen[tuple(row)] == 1}
    return {places: rows for places, rows in found.items() if rows}


def collected(up_to):
    """What the blocks say together, and how many there were."""
    found, blocks = {}, 0
    for rows, bitmaps in find_unique_on_each(columns_of(ROWS), PEOPLE, up_to=up_to):
        blocks += 1
        for subset, bitmap in bitmaps.items():
            found.setdefault(subset, set()).update(rows[indices_of(bitmap)].tolist())
    return found, blocks


@pytest.mark.parametrize("up_to", [1, 2, 3, 4])
def test_bitmaps_say_who_is_alone(up_to):
    found, blocks = collected(up_to)
    assert found == alone_by_definition(up_to)
    assert blocks == 1


def test_blocks_of_people_change_nothing(monkeypatch):
    """As many people at a time as the bitmaps of all 15 subsets have room for, and never fewer than 64."""
    once = int(np.count_nonzero(PEOPLE == 1))
    monkeypatch.setattr(subsets, "BITMAPS", 1)
    assert [len(rows) for rows, _ in find_unique_on_each(columns_of(ROWS), PEOPLE, up_to=4)] == [once]
    more, people = np.tile(ROWS, (2, 1)), np.ones(180, int)
    sizes = [len(rows) for rows, _ in find_unique_on_each(columns_of(more), people, up_to=4)]
    assert sizes == [64, 64, 52]
    monkeypatch.setattr(subsets, "BITMAPS", 150)  # 8 · 150 bits for each of 15 subsets
    assert [len(rows) for rows, _ in find_unique_on_each(columns_of(more), people, up_to=4)] == [80, 80, 20]


def test_of_one_column_there_is_one_bitmap(monkeypatch):
    monkeypatch.setattr(subsets, "BITMAPS", 16)  # 128 bits
    only = [Column("a", tuple(map(str, range(180))), np.arange(180, dtype=np.int32))]
    assert [len(rows) for rows, _ in find_unique_on_each(only, np.ones(180, int), up_to=1)] == [128, 52]


def test_people_of_several_blocks_see_each_other(monkeypatch):
    monkeypatch.setattr(subsets, "BITMAPS", 1)
    twice = [Column("a", tuple(map(str, range(100))), np.arange(200, dtype=np.int32) % 100)]
    assert [bitmaps for _, bitmaps in find_unique_on_each(twice, np.ones(200, int), up_to=1)] == [{}] * 4


def test_minimal_uniques_are_alone_on_no_part():
    found = {}
    for rows, bitmaps in find_unique_on_each(columns_of(ROWS), PEOPLE, up_to=4):
        subsets = [subset for subset, _ in minimal(bitmaps)]
        assert subsets == sorted(subsets, key=lambda places: (len(places), places))
        found |= {subset: set(rows[indices_of(bitmap)].tolist()) for subset, bitmap in minimal(bitmaps)}
    alone = alone_by_definition(4)
    expected = {
        subset: {row for row in rows if not any(row in alone.get(part, ()) for part in combinations(subset, size - 1))}
        for subset, rows in alone.items()
        for size in [len(subset)]
    }
    assert found == {subset: rows for subset, rows in expected.items() if rows}


@pytest.mark.parametrize("labels", [4, 2**28])  # one word with the person beside the key, and two words
def test_equal_keys_are_several_people(labels):
    codes = [[0, 1, 1, 3], [0, 2, 2, 3], [3, 1, 0, 0]]
    columns = [Column(name, range(labels), np.array(each, np.int32)) for name, each in zip("abc", codes, strict=True)]
    keys = MarkedKeys.of(columns, np.array([1, 2, 3, 0]))
    assert sorted(keys.alone().tolist()) == [0, 1, 2]
    without = keys.without([2])
    assert sorted(without.person.tolist()) == [0, 0, 1]
    assert without.alone().tolist() == [0]
    assert keys.without([0, 1]).alone().tolist() in ([0, 1], [1, 0])  # 3 and 1; 0 is two people


@pytest.mark.parametrize(
    ("labels", "codes", "alone"),
    [
        (2**31, [[2**30, 0, 1, 2], [0, 0, 0, 0]], [0, 1, 2, 3]),  # 62 bits, and 3 more for the person
        (2**30, [[2**29, 0, 1, 0], [0, 0, 0, 0]], [0, 2]),  # 60 and 3
        (2**28, [[0, 1, 0, 1], [0, 0, 0, 0], [5, 5, 5, 4]], [1, 3]),  # two words
        (2**28, [[0, 0, 0, 0], [0, 0, 0, 0], [5, 4, 5, 3]], [1, 3]),
    ],
)
def test_long_keys_are_told_apart(labels, codes, alone):
    columns = [Column(name, range(labels), np.array(each, np.int32)) for name, each in zip("abc", codes, strict=False)]
    assert sorted(MarkedKeys.of(columns, np.arange(1, 5)).alone().tolist()) == alone


MINIMAL_UNIQUES_ROWS = pa.table(
    {"age": ["2", "1", "1"], "sex": ["f", "m", "f"], "zip": ["0", "6", "0"], "ill": ["no"] * 3}
)
TABLE = sl.read_table(MINIMAL_UNIQUES_ROWS, quasi=["age", "sex", "zip"], sensitive="ill")


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
    assert mentions(uniques.explain(), "3 of 3 people", "0.375", "age")
    assert "at most" not in uniques.explain()
    assert repr(uniques) == f"<MinimalUniques: {uniques.explain()}>"


def test_a_page_shows_the_worst_column_first():
    turned = sl.read_table(MINIMAL_UNIQUES_ROWS, quasi=["zip", "sex", "age"], sensitive="ill")
    uniques = sl.minimal_uniques(turned)
    page = uniques._repr_html_()
    assert re.findall("<th>(.*?)</th>", page) == ["column", "contribution", "fair share"]
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(<td.*?)</tr>", page)]
    assert rows == [["age", "0.5", "0.375"], ["zip", "0.375", "0.3125"], ["sex", "0.375", "0.3125"]]
    assert "<caption>Minimal uniques</caption>" in page
    assert page.endswith(f"<p>{uniques.explain()}</p>")


def test_an_estimate_of_how_surely_a_match_is_right():
    """Two people alike, who are a pair, beside three who are special; a quarter of the population."""
    rows = pa.concat_tables(
        [MINIMAL_UNIQUES_ROWS, pa.table({"age": ["3"] * 2, "sex": ["x"] * 2, "zip": ["7"] * 2, "ill": ["no"] * 2})]
    )
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
    assert mentions(uniques.explain(), "2 of 3 people", "at most 1 column", "0.3334", "age")
    assert mentions(sl.minimal_uniques(TABLE, largest=2).explain(), "at most 2 columns")


def test_some_of_the_columns():
    uniques = sl.minimal_uniques(TABLE, columns=["age", "zip"])
    assert uniques.columns == ("age", "zip")
    assert sum(uniques.fair_shares.values()) == 1


def test_where_nobody_is_alone_nothing_contributes():
    twice = sl.read_table(
        pa.concat_tables([MINIMAL_UNIQUES_ROWS, MINIMAL_UNIQUES_ROWS]), quasi=["age", "sex", "zip"], sensitive="ill"
    )
    uniques = sl.minimal_uniques(twice, fraction=Fraction(1, 2))
    assert uniques.singled_out == 0
    assert mentions(uniques.explain(), "0 of 6 people")
    assert not any(column in uniques.explain() for column in ("age", "sex", "zip"))
    assert set(uniques.contributions.values()) == {0}
    assert {type(share) for share in (*uniques.contributions.values(), *uniques.fair_shares.values())} == {Fraction}
    assert (uniques.scores.tolist(), uniques.scores.dtype) == ([0, 0, 0], np.int64)
    assert uniques.by_size() == {}
    assert uniques.table().num_rows == 0
    assert uniques.table().schema == sl.minimal_uniques(TABLE, fraction=Fraction(1, 2)).table().schema
    assert uniques.dis_suda().sum() == 0
    assert "contribution" in uniques._repr_html_()


def test_columns_called_like_ours_stay():
    rows = MINIMAL_UNIQUES_ROWS.rename_columns(["score", "sex", "zip", "ill"])
    table = sl.read_table(rows, quasi=["score", "sex", "zip"], sensitive="ill")
    assert "score 2" in sl.minimal_uniques(table).table().column_names


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BadTable, match=r"^DIS-SUDA .*share of the population") as refused:
        sl.minimal_uniques(TABLE).dis_suda()
    assert refused.value.parameters == ("fraction",)
    for fraction in (0, 1.5, -1):
        with pytest.raises(BadTable) as refused:
            sl.minimal_uniques(TABLE, fraction=fraction)
        assert refused.value.parameters == ("fraction",)
        assert mentions(refused.value, fraction, "above 0", "at most 1")
    with pytest.raises(BadTable, match=r"^fraction= .*number, not 'x'"):
        sl.minimal_uniques(TABLE, fraction="x")
    with pytest.raises(WrongKind, match=r"should be a Table"):
        sl.minimal_uniques(MINIMAL_UNIQUES_ROWS)
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
        with pytest.raises(BadTable, match=r"longer than 76 digits; .*fewer columns$"):
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


def tells_what_is_not_tried(finding):
    """Whether its only note says what facts are, and which ones are not."""
    (note,) = finding.notes
    return mentions(note, "knows exactly", "ranges and negations", "not")


def release_of(rows, people):
    """A release that prints the rows, each of so many people."""
    labels = [{f"c{place}": cell for place, cell in enumerate(row)} for row in rows]
    return sl.Release.from_counts([{"x": many} for many in people], labels=labels)


def alone(rows, people, facts):
    """The people who are alone on some subset of so many columns or fewer."""
    found = set()
    for size in range(1, facts + 1):
        for places in combinations(range(len(rows[0])), size):
            seen = Counter()
            for row, many in zip(rows, people, strict=True):
                seen[tuple(row[place] for place in places)] += many
            found |= {n for n, row in enumerate(rows) if seen[tuple(row[place] for place in places)] == 1}
    return len(found)


@pytest.mark.parametrize("facts", [1, 2, 3, 9])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_share_of_people_who_are_alone_somewhere(seed, facts):
    rng = np.random.default_rng(seed)
    rows = [[str(cell) for cell in row] for row in rng.integers(0, 4, (12, 3)).tolist()]
    people = rng.integers(1, 3, 12).tolist()
    release = release_of(rows, people)
    finding = sl.SinglingOut(facts=facts).measure(release)
    assert finding.value == Fraction(alone(rows, people, facts), sum(people))
    if finding.witness:
        assert finding.replay(release) == finding.value
    assert tells_what_is_not_tried(finding)


def test_the_witness_has_the_fewest_cells():
    rows = [["1", "p", "u"], ["1", "q", "u"], ["2", "p", "u"], ["2", "q", "v"], ["3", "q", "u"]]
    finding = sl.SinglingOut(facts=2).measure(release_of(rows, [1, 2, 2, 2, 1]))
    assert finding.witness.cells == (("c0", "3"),)
    assert finding.witness.group.number == 5
    assert (finding.witness.people, finding.witness.everybody) == (2, 8)
    assert finding.witness.describe() == "group 5 (c0 3, c1 q, c2 u): c0 3"
    assert mentions(finding.explain(), "C0 3 alone", "1 person", "at most 2 facts", "2 of 8 people")


def test_people_of_several_blocks_are_counted_together(monkeypatch):
    """Sixty-four at a time: of the first, only two cells tell one; of the second, one cell does."""
    monkeypatch.setattr(subsets, "BITMAPS", 1)
    rows = [[str(number // 10), str(number % 10)] for number in range(100)]
    rows[80] = ["8", "x"]
    release = release_of(rows, [1] * 100)
    finding = sl.SinglingOut(facts=2).measure(release)
    assert (finding.value, finding.witness.people) == (1, 100)
    assert finding.witness.cells == (("c1", "x"),)
    assert sl.SinglingOut(facts=1).measure(release).value == Fraction(1, 100)


def test_a_witness_whose_cells_others_have_replays_to_nothing():
    release = release_of([["1", "p"], ["1", "q"], ["2", "q"]], [1, 1, 1])
    finding = sl.SinglingOut(facts=1).measure(release)
    assert finding.replay(release) == finding.value == Fraction(2, 3)
    for cells in ((("c0", "1"),), (("c0", "2"), ("c1", "p"))):  # two people, and nobody
        wrong = replace(finding, witness=replace(finding.witness, cells=cells))
        assert wrong.replay(release) == 0


@pytest.mark.parametrize(
    ("facts", "release"),
    [(0, release_of([["1"], ["2"]], [1, 1])), (1, sl.Release.from_counts([{"x": 1}]))],
)
def test_without_facts_nobody_is_singled_out(facts, release):
    finding = sl.SinglingOut(facts=facts).measure(release)
    assert (finding.value, finding.witness) == (0, None)
    (note,) = finding.notes
    assert mentions(note, "no facts", "known")


def test_where_nobody_is_alone_that_is_said():
    finding = sl.SinglingOut(facts=1).measure(release_of([["1"], ["2"]], [2, 3]))
    assert (finding.value, finding.witness) == (0, None)
    assert tells_what_is_not_tried(finding)
    assert mentions(finding.explain(), "Nobody", "at most 1 fact")


def test_examples_and_amounts_that_make_no_sense():
    assert sl.SinglingOut.examples(("x",)) == (sl.SinglingOut(1), sl.SinglingOut(2), sl.SinglingOut(5))
    with pytest.raises(BadMeasure) as refused:
        sl.SinglingOut(facts=-1)
    assert mentions(refused.value, "'singling out'", "facts", "whole number", "at least 0", "not -1")


def test_too_many_facts_name_the_parameter():
    wide = release_of([[str(row)] * 20 for row in range(2)], [1, 1])
    with pytest.raises(sl.errors.TooHard, match=r"or say facts=6$"):
        sl.SinglingOut(facts=20).measure(wide)
