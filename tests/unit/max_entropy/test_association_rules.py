"""The strongest rules agree with listing them all."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadKnowledge, WrongKind

rows = st.fixed_dictionaries(
    {"sex": st.sampled_from(["f", "m"]), "age": st.sampled_from(["30", "40", None]), "value": st.sampled_from("abc")}
)


def read(people):
    return sl.read_table(pa.Table.from_pylist(people), quasi=["sex", "age"], sensitive="value")


def listed(people, support, kind, sizes):
    """All rules, by hand: strength, support, columns, condition, value."""
    ages = [age for age in ("30", "40", None) if age in {row["age"] for row in people}]
    place = {"sex": ["f", "m"].index, "age": ages.index}
    rules = []
    for size in sizes:
        for columns in combinations(("sex", "age"), size):
            for condition in {tuple(row[column] for column in columns) for row in people}:
                chosen = [row for row in people if tuple(row[column] for column in columns) == condition]
                for value in sorted({row["value"] for row in people}):
                    has = sum(row["value"] == value for row in chosen)
                    follow = has if kind == "has" else len(chosen) - has
                    if follow >= support:
                        order = tuple(place[column](label) for column, label in zip(columns, condition, strict=True))
                        rank = (-Fraction(follow, len(chosen)), -follow, size, columns != ("sex",), order, value)
                        given_ = tuple(sorted(zip(columns, condition, strict=True)))
                        rules.append((rank, (given_, value, Fraction(has, len(chosen)), follow)))
    return [rule for _, rule in sorted(rules, key=lambda each: each[0])]


@examples(24)
@given(
    st.lists(rows, min_size=1, max_size=14),
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(1, 3),
    st.sampled_from([[1], [2], [1, 2]]),
)
def test_the_strongest_rules_are_those_of_the_whole_list(people, positive, negative, support, sizes):
    rules = sl.strongest_rules(read(people), positive=positive, negative=negative, support=support, sizes=sizes)
    strongest = [(rule.about.given, rule.about.values[0], rule.low, rule.support) for rule in rules]
    expected = listed(people, support, "has", sizes)[:positive] + listed(people, support, "has not", sizes)[:negative]
    assert strongest == expected


@examples(12)
@given(st.lists(rows, min_size=2, max_size=10), st.integers(0, 2**32 - 1))
def test_knowing_more_that_is_true_never_leads_away_from_the_truth(people, seed):
    """Where every line is in one group only, true rules bring beliefs nearer to the table, one by one."""
    table = read(people)
    release = sl.group(table, by="sex")
    rules = sl.strongest_rules(table, positive=50, negative=50, support=1)
    order = np.random.default_rng(seed).permutation(len(rules))[:5]
    errors = [
        sl.maxent(release, [rules[at] for at in order[:k]]).estimation_error(table) for k in range(len(order) + 1)
    ]
    assert all(after <= before + 1e-7 for before, after in pairwise(errors))


def test_bad_amounts_are_refused():
    table = read([{"sex": "f", "age": "30", "value": "a"}])
    with pytest.raises(BadKnowledge, match="sizes between 1 and 2"):
        sl.strongest_rules(table, positive=1, sizes=[3])
    with pytest.raises(BadKnowledge, match="how many"):
        sl.strongest_rules(table, positive=-1)


def test_rules_are_mined_from_a_table():
    with pytest.raises(WrongKind, match="give the table that it was made from"):
        sl.strongest_rules(sl.Release.from_counts([{"a": 1}]), positive=1)
