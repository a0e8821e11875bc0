"""Tables of atoms × values: all of them are listed, and what they stand for is added up exactly."""

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.minimality.group_tables import arrangements, count_tables, list_tables, sum_tables


@st.composite
def sums(draw):
    """Sizes of atoms, and counts of values, with the same total."""
    people = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda atoms: sum(atoms) <= 7))
    cuts = sorted(draw(st.lists(st.integers(0, sum(people)), min_size=1, max_size=3)))
    counts = np.diff([0, *cuts, sum(people)])
    return np.array(people), counts.astype(np.int64)


@given(sums())
@examples(30)
def test_tables_stand_for_all_arrangements(both):
    people, counts = both
    values = np.repeat(np.arange(len(counts)), counts).tolist()
    atom = np.repeat(np.arange(len(people)), people)
    listed = {
        tuple(tuple(np.bincount(np.array(dealt)[atom == at], minlength=len(counts))[:-1]) for at in range(len(people)))
        for dealt in set(itertools.permutations(values))
    }
    tables = list_tables(people, counts)
    assert {tuple(map(tuple, table.tolist())) for table in tables} == {tuple(map(tuple, each)) for each in listed}
    assert len(tables) == count_tables(people, counts) == len(listed)
    summed = sum_tables(tables, people)
    assert summed.weight == arrangements(counts)
    expected = [[Fraction(int(m) * int(n) * summed.weight, int(people.sum())) for n in counts] for m in people]
    assert (summed.people == np.array(expected, object)).all()


def test_long_numbers_are_added_up_exactly():
    people, counts = np.array([15, 75]), np.array([11, 23, 10, 12, 14, 20])
    summed = sum_tables(list_tables(people, counts), people)
    assert (
        summed.weight == arrangements(counts) == math.factorial(90) // math.prod(map(math.factorial, counts.tolist()))
    )
    assert summed.people.tolist()[0] == [summed.weight * 15 * count // 90 for count in counts.tolist()]


def test_too_many_tables_are_not_listed():
    assert list_tables(np.full(8, 3), np.full(6, 4)) is None
    assert list_tables(np.array([5_000, 1]), np.array([5_000, 1])) is None
    assert count_tables(np.full(8, 3), np.full(6, 4), most=100) > 100
