"""Which columns identify, minimal sample uniques: numbers of ARX 3.9.2, sdcMicro 5.8.1 and of counting everything."""

from fractions import Fraction
from math import factorial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.datasets.tables import ADULT

FOUR = ["age", "marital-status", "race", "sex"]
SEVEN = [*FOUR, "workclass", "education", "native-country"]


BOOK = (
    *[("Urban", "Female", "Sec-", "Emp")] * 2,
    ("Urban", "Female", "Prim-", "NLF"),
    *[("Urban", "Male", "Sec+", "Emp")] * 2,
    ("Rural", "Female", "Sec+", "Unemp"),
    ("Urban", "Female", "Prim+", "NLF"),
    ("Urban", "Male", "Post", "Unemp"),
    *[("Urban", "Female", "Sec-", "NLF")] * 2,
)


def table_of(rows, names="ABCDEFG"):
    """Make a table of rows, and say which key each row has."""
    columns = dict(zip(names, (list(map(str, column)) for column in zip(*rows, strict=True)), strict=False))
    secret = {"secret": ["none"] * len(rows)}
    table = sl.read_table(pa.table(columns | secret), quasi=list(columns), sensitive="secret")
    cells = {tuple(column.cell(key) for column in table.quasi): key for key in range(len(table.sizes))}
    return table, [cells[tuple(map(str, row))] for row in rows]


def scores_and_contributions(rows):
    table, keys = table_of(rows)
    uniques = sl.minimal_uniques(table)
    assert sum(uniques.fair_shares.values()) == 1
    return uniques.scores[keys].tolist(), list(uniques.contributions.values()), list(uniques.fair_shares.values())


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult().table


def tenth(quasi):
    rows = pq.read_table(ADULT).drop_null()
    return sl.read_table(rows.take(list(range(0, rows.num_rows, 10))), quasi=quasi, sensitive="occupation")


def test_what_four_columns_of_adult_tell(adult):
    everything = sl.identifying_columns(adult)[FOUR]
    assert everything.distinction == Fraction(950, 22611)
    assert everything.unique == 555
    assert everything.separation == Fraction(1017104395, 1022492031)
    assert everything.inference == Fraction(11971, 45222)
    assert sl.identifying_columns(adult).prior == Fraction(3010, 22611)


def test_the_example_of_the_book_on_statistical_disclosure_control():
    scores, contributions, _ = scores_and_contributions(BOOK)
    assert scores == [0, 0, 6, 0, 0, 12, 6, 10, 0, 0]
    assert contributions == [Fraction(4, 17), Fraction(3, 17), Fraction(11, 17), Fraction(4, 17)]


def test_what_the_same_people_score_by_the_weights_of_ihsn():
    """(2^(M−k) − 1)·k!(M−k)!/M! for each MSU of k of M columns; ours is (M−k)!."""
    table, keys = table_of([*BOOK])
    uniques = sl.minimal_uniques(table)

    def weight(columns, chosen):
        return Fraction(
            (2 ** (columns - chosen) - 1) * factorial(chosen) * factorial(columns - chosen), factorial(columns)
        )

    scores = [sum(weight(4, len(subset)) for subset in uniques.of(key)) for key in keys]
    assert [float(score) for score in scores if score] == [1.75, 3.25, 1.75, 2.75]


def test_sdcmicro_issue_275():
    scores, contributions, fair = scores_and_contributions([(2, 0, 0), (1, 3, 6), (1, 0, 0)])
    assert scores == [2, 4, 2]
    assert contributions == [Fraction(1, 2), Fraction(3, 8), Fraction(3, 8)]
    assert fair == [Fraction(3, 8), Fraction(5, 16), Fraction(5, 16)]


def test_sdcmicro_issue_356():
    scores, contributions, _ = scores_and_contributions(["AXP", "BXQ", "AYQ", "CZR", "BYR", "AXP", "BZQ"])
    assert scores == [0, 2, 3, 3, 3, 0, 2]
    assert contributions == [Fraction(8, 13), Fraction(9, 13), Fraction(7, 13)]


def test_columns_that_single_out_the_same_people_contribute_alike():
    """Where sdcMicro 5.8.1 says 28.6, 28.6, 25 and 25 %."""
    scores, contributions, _ = scores_and_contributions([(1, 3, 1, 2), (1, 2, 1, 1), (2, 1, 2, 3), (3, 3, 3, 2)])
    assert scores == [8, 12, 24, 12]
    assert contributions == [Fraction(2, 7)] * 4


def test_a_tenth_of_adult_by_four_columns():
    uniques = sl.minimal_uniques(tenth(FOUR), fraction=0.1)
    assert uniques.singled_out == 375
    assert (uniques.scores.sum(), uniques.scores.max()) == (552, 6)
    assert sorted(uniques.contributions.values()) == sorted(
        [Fraction(45, 46), Fraction(385, 552), Fraction(119, 184), Fraction(1, 3)]
    )
    assert uniques.contributions["age"] == Fraction(45, 46)
    assert uniques.dis_suda().sum() == pytest.approx(58.303464765710956)  # sdcMicro, less precisely: 58.30347


def test_a_tenth_of_adult_by_seven_columns():
    uniques = sl.minimal_uniques(tenth(SEVEN), fraction=0.1)
    assert uniques.singled_out == 2169
    assert (uniques.scores.sum(), uniques.scores.max()) == (179_565, 840)
    assert uniques.contributions["age"] == Fraction(133153, 179565)
    assert uniques.dis_suda().sum() == pytest.approx(1143.7746, abs=5e-5)


def test_minimal_uniques_of_adult(adult):
    uniques = sl.minimal_uniques(adult)
    assert uniques.scores.sum() == 665
    assert uniques.by_size() == {1: 3, 2: 58, 3: 324, 4: 207}
    seven = sl.datasets.adult(quasi=SEVEN).table
    assert [sl.minimal_uniques(seven, largest=facts).singled_out for facts in (1, 2, 3, 7)] == [4, 826, 4873, 9892]


def test_singling_out_in_adult_by_seven_columns():
    release = sl.group(sl.datasets.adult(quasi=SEVEN).table)
    for facts, people in {1: 4, 2: 826, 3: 4873, 7: 9892}.items():
        assert sl.SinglingOut(facts=facts).measure(release).value == Fraction(people, 45_222)


def test_occupation_in_adult_by_four_columns(adult):
    finding = sl.Inference(FOUR).measure(sl.group(adult))
    assert finding.value == Fraction(11971, 45222)
    assert finding.witness.control == Fraction(1306189, 6331080)
    (sentence,) = finding.explain().split(". ")
    assert mentions(sentence.lower(), "occupation", "right", "0.2648 of all", "0.2064", "everybody else's rows")
