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
from sidelight.knowledge.events import parts_of

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
    with pytest.raises(WrongKind, match="give the table"):
        sl.strongest_rules(sl.Release.from_counts([{"a": 1}]), positive=1)


@examples(20)
@given(st.lists(rows, min_size=1, max_size=12), st.integers(1, 6), st.sampled_from(["has", "has not"]))
def test_rules_about_who_does_not_say_it_are_those_of_the_whole_list(people, most, kind):
    """¬Q ⇒ s and ¬Q ⇒ ¬s: everybody but those who say Q, tried out."""
    number = {"has": "positive", "has not": "negative"}[kind]
    rules = sl.strongest_rules(read(people), **{number: most}, support=1, conditions="not Q")
    strengths = []
    for size in (1, 2):
        for columns in combinations(("sex", "age"), size):
            for condition in {tuple(row[column] for column in columns) for row in people}:
                chosen = [row for row in people if tuple(row[column] for column in columns) != condition]
                for value in {row["value"] for row in people}:
                    follow = sum((row["value"] == value) == (kind == "has") for row in chosen)
                    if follow:
                        strengths.append((Fraction(follow, len(chosen)), follow))
    true = [(rule.low if kind == "has" else 1 - rule.low, rule.support) for rule in rules]
    assert true == sorted(strengths, reverse=True)[:most]
    # each is true of the table itself
    for rule in rules:
        (condition,) = rule.about.given
        denied = [*parts_of(condition)]
        chosen = [row for row in people if any(row[column] != cell for column, cell in denied)]
        assert rule.exact
        assert rule.low == Fraction(sum(row["value"] in rule.about.values for row in chosen), len(chosen))


def test_both_kinds_of_conditions_are_one_list_without_repetition(original):
    rules = sl.strongest_rules(original, positive=100, negative=100, support=1, conditions="both")
    texts = [str(rule.about) + rule.kind for rule in rules]
    assert len(set(texts)) == len(texts)
    assert any("age != 50" in text for text in texts)
    assert not any(text.startswith("P(Flu | sex != ") and " or " not in text for text in texts)  # that is the other sex
    strengths = [rule.low if rule.kind == "has" else 1 - rule.low for rule in rules]
    has = [strength for strength, rule in zip(strengths, rules, strict=True) if rule.kind == "has"]
    assert has == sorted(has, reverse=True)


def test_vagueness_is_part_of_the_bound(wards, original):
    exact = sl.strongest_rules(original, positive=3, support=1)
    vague = sl.strongest_rules(original, positive=3, support=1, vagueness=0.1)
    for one, other in zip(exact, vague, strict=True):
        assert (other.low, other.high) == (max(one.low - Fraction(1, 10), 0), min(one.low + Fraction(1, 10), 1))
    errors = [
        sl.maxent(wards, sl.strongest_rules(original, positive=9, negative=9, support=1, vagueness=epsilon))
        .estimation_error(original)
        for epsilon in (0, 0.1, 0.5, 1)
    ]  # fmt: skip
    assert errors == sorted(errors)
    assert errors[-1] == pytest.approx(sl.maxent(wards).estimation_error(original))
    with pytest.raises(BadKnowledge, match="how far off"):
        sl.strongest_rules(original, positive=1, vagueness=2)
    with pytest.raises(BadKnowledge, match="'not Q' or 'both'"):
        sl.strongest_rules(original, positive=1, conditions="all")
