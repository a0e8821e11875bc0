"""What is claimed of columns: more columns tell more, and joining labels of a column, wherever they occur, tells less."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.measures.measure import Monotonicity
from sidelight.table.labels import Column, number_equal_rows
from sidelight.table.table import Counts

NAMES = ("a", "b", "c", "d", "e")
ROWS = st.lists(st.tuples(*[st.sampled_from("1234")] * 5, st.sampled_from("xyz")), min_size=1, max_size=14)
JOINED = st.tuples(st.sampled_from(range(5)), st.dictionaries(st.sampled_from("1234"), st.sampled_from("12")))


def table_of(rows):
    columns = [
        Column.of(name, cells) for name, cells in zip(NAMES, zip(*(row[:5] for row in rows), strict=True), strict=True)
    ]
    key, first = number_equal_rows(tuple(columns), len(rows))
    counts = Counts.from_entries(key, ["xyz".index(row[5]) for row in rows], np.ones(len(rows)), (len(first), 3))
    return sl.Table(tuple(column.take(first) for column in columns), "s", ("x", "y", "z"), counts.per_row(), counts)


def coarser(rows, column, joined):
    return [
        tuple(joined.get(cell, cell) if place == column else cell for place, cell in enumerate(row)) for row in rows
    ]


@examples(30)
@given(ROWS)
def test_more_columns_never_tell_less(rows):
    which = {frozenset(each.columns): each for each in sl.identifying_columns(table_of(rows)).subsets}
    for names, subset in which.items():
        for smaller in (which[names - {name}] for name in names if len(names) > 1):
            for told in ("groups", "unique", "distinction", "separation", "inference"):
                assert getattr(smaller, told) <= getattr(subset, told)
            assert smaller.smallest >= subset.smallest


@examples(40)
@given(ROWS, JOINED)
def test_joining_labels_never_tells_more(rows, joined):
    before, after = table_of(rows), table_of(coarser(rows, *joined))
    finer, coarse = sl.identifying_columns(before), sl.identifying_columns(after)
    for one, other in zip(finer.subsets, coarse.subsets, strict=True):
        for told in ("groups", "unique", "distinction", "separation", "inference"):
            assert getattr(other, told) <= getattr(one, told)
    one, other = (sl.minimal_uniques(table) for table in (before, after))
    assert other.scores.sum() <= one.scores.sum()
    for measure in (
        *(sl.SinglingOut(facts=facts) for facts in range(1, 6)),
        sl.Linkability(["a", "b"]),
        sl.Linkability(["a"], ["c", "d"]),
        sl.Inference(["a", "c"]),
        sl.Inference(),
    ):
        assert measure.measure(sl.group(after)).value <= measure.measure(sl.group(before)).value, measure


@examples(40)
@given(ROWS, JOINED)
def test_nobodys_score_rises_when_labels_are_joined(rows, joined):
    scores = []
    for each in (rows, coarser(rows, *joined)):
        table = table_of(each)
        by_cells = {
            tuple(column.cell(key) for column in table.quasi): int(score)
            for key, score in enumerate(sl.minimal_uniques(table).scores)
        }
        scores.append([by_cells[row[:5]] for row in each])
    assert all(after <= before for before, after in zip(*scores, strict=True))


def test_labels_joined_in_some_rows_only_may_single_somebody_out():
    """Two people say y and two z; one of each prints "y or z" then: the others are alone with what they say."""
    both = [{"age": "z"}] * 2
    before = sl.Release.from_counts([{"s": 1}] * 4, labels=[{"age": "y"}, {"age": "y"}, *both])
    after = sl.Release.from_counts(
        [{"s": 1}, {"s": 2}, {"s": 1}], labels=[{"age": "y"}, {"age": "y or z"}, {"age": "z"}]
    )
    measure = sl.SinglingOut(facts=1)
    assert measure.when_groups_merge is Monotonicity.UNKNOWN
    assert measure.measure(before).value == 0
    assert measure.measure(after).value == Fraction(1, 2)


def test_the_residual_may_rise_when_groups_are_merged():
    """Apart, one person's own row adds nothing; merged, everybody else is always wrong, and half are guessed right."""
    finer = sl.Release.from_counts([{"x": 1, "y": 3}, {"x": 2}])
    coarser_one = sl.Release.from_counts([{"x": 3, "y": 3}])
    residuals = [sl.Inference().measure(release).witness.residual for release in (finer, coarser_one)]
    values = [sl.Inference().measure(release).value for release in (finer, coarser_one)]
    assert values == [Fraction(5, 6), Fraction(1, 2)]
    assert residuals == [0, Fraction(1, 2)]
