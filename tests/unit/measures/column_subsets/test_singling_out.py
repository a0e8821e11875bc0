"""Singling out: who is alone with few facts, by the definition, and in words."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.column_subsets import unique_rows

ONLY_EQUALITIES = "a fact is a cell that somebody knows exactly; ranges and negations are not tried"


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
    assert finding.notes == (ONLY_EQUALITIES,)


def test_the_witness_has_the_fewest_cells():
    rows = [["1", "p", "u"], ["1", "q", "u"], ["2", "p", "u"], ["2", "q", "v"], ["3", "q", "u"]]
    finding = sl.SinglingOut(facts=2).measure(release_of(rows, [1, 2, 2, 2, 1]))
    assert finding.witness.cells == (("c0", "3"),)
    assert finding.witness.group.number == 5
    assert (finding.witness.people, finding.witness.everybody) == (2, 8)
    assert finding.witness.describe() == "group 5 (c0 3, c1 q, c2 u): c0 3"
    assert finding.explain() == (
        "C0 3 alone singles out 1 person; with at most 2 facts 2 of 8 people can be singled out."
    )


def test_people_of_several_blocks_are_counted_together(monkeypatch):
    """Sixty-four at a time: of the first, only two cells tell one; of the second, one cell does."""
    monkeypatch.setattr(unique_rows, "BITMAPS", 1)
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
    assert finding.notes == ("no facts can be known about anybody",)


def test_where_nobody_is_alone_that_is_said():
    finding = sl.SinglingOut(facts=1).measure(release_of([["1"], ["2"]], [2, 3]))
    assert (finding.value, finding.witness, finding.notes) == (0, None, (ONLY_EQUALITIES,))
    assert finding.explain() == "Nobody can be singled out with at most 1 fact."


def test_examples_and_amounts_that_make_no_sense():
    assert sl.SinglingOut.examples(("x",)) == (sl.SinglingOut(1), sl.SinglingOut(2), sl.SinglingOut(5))
    with pytest.raises(BadMeasure) as refused:
        sl.SinglingOut(facts=-1)
    assert str(refused.value) == "'singling out' needs facts to be a whole number of at least 0, not -1"


def test_too_many_facts_name_the_parameter():
    wide = release_of([[str(row)] * 20 for row in range(2)], [1, 1])
    with pytest.raises(sl.errors.TooHard, match=r"or say facts=6$"):
        sl.SinglingOut(facts=20).measure(wide)
