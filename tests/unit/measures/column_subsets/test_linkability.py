"""Linkability: the best guesses of two holders by the definition, exactly, and in words."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, UnknownColumn
from sidelight.measures.column_subsets.three_risks import _by_denominator, _share_matched, find_best_pairs

RELEASE = sl.Release.from_counts(
    [{"x": 3}, {"x": 1}, {"x": 2}],
    labels=[
        {"age": "1", "sex": "f", "zip": "9"},
        {"age": "1", "sex": "m", "zip": "8"},
        {"age": "2", "sex": "m", "zip": "9"},
    ],
)


def matched(people, one, other):
    """Σ_a max_b n_ab / n_b, of people given by their cells."""
    pairs, below = Counter(), Counter()
    for cells, many in people:
        a, b = tuple(cells[place] for place in one), tuple(cells[place] for place in other)
        pairs[a, b] += many
        below[b] += many
    best = {}
    for (a, b), many in pairs.items():
        best[a] = max(best.get(a, 0), Fraction(many, below[b]))
    return sum(best.values())


@pytest.mark.parametrize(("one", "other"), [((0,), (1,)), ((1,), (0,)), ((0, 1), (2,)), ((2,), None), ((), (0,))])
@pytest.mark.parametrize("seed", range(4))
def test_guesses_are_those_of_the_definition(seed, one, other):
    rng = np.random.default_rng(seed)
    rows, people = rng.integers(0, 4, (15, 3)).tolist(), rng.integers(1, 5, 15).tolist()
    labels = [{f"c{place}": str(cell) for place, cell in enumerate(row)} for row in rows]
    release = sl.Release.from_counts([{"x": many} for many in people], labels=labels)
    rest = tuple(place for place in range(3) if place not in one) if other is None else other
    names, others = [f"c{place}" for place in one], other and [f"c{place}" for place in other]
    finding = sl.Linkability(names, others).measure(release)
    expected = matched(list(zip(rows, people, strict=True)), one, rest)
    assert finding.witness.matched == expected
    assert finding.value == expected / sum(people) == finding.replay(release)
    assert finding.witness.everybody == sum(people)


def test_the_witness_is_the_surest_link():
    """Right with 3/(4·3) for age 1 and sex f, with 1/(4·3) for age 1 and sex m, and with 2/(2·3) for age 2 and m."""
    finding = sl.Linkability("age", "sex").measure(RELEASE)
    witness = finding.witness
    assert (witness.one, witness.other) == ((("age", "2"),), (("sex", "m"),))
    assert (witness.both, witness.with_one, witness.with_other) == (2, 2, 3)
    assert (witness.matched, witness.certain, witness.everybody) == (Fraction(5, 3), 0, 6)
    assert mentions(witness.describe(), "group 3 (age 2, sex m, zip 9)", "age 2", "linked to sex m")
    assert finding.value == Fraction(5, 18)
    assert mentions(finding.explain(), "holds age", "holds sex", "1.6667 of 6 people", "0 for sure")


def test_links_that_are_certain_are_of_one_record_each():
    pairs = [("1", "p", 1), ("2", "q", 1), ("3", "r", 2), ("4", "s", 1), ("4", "t", 1)]
    release = sl.Release.from_counts(
        [{"x": many} for *_, many in pairs], labels=[{"a": a, "b": b} for a, b, _ in pairs]
    )
    finding = sl.Linkability("a", "b").measure(release)
    assert finding.witness.certain == 2
    assert mentions(finding.explain(), "holds a", "holds b", "4 of 6 people", "2 for sure")
    assert finding.witness.group.number == 1


def test_who_holds_nothing_is_matched_by_chance():
    finding = sl.Linkability(other=()).measure(RELEASE)
    assert finding.value == Fraction(1, 6) == finding.replay(RELEASE)
    assert mentions(finding.explain(), "holds nothing", "holds nothing", "1 of 6 people", "0 for sure")
    rest = sl.Linkability().measure(RELEASE)  # the other holds everything, and is no help
    assert (rest.value, len(rest.witness.other)) == (Fraction(1, 6), 3)
    assert mentions(rest.explain(), "holds nothing", "holds age, sex and zip", "1 of 6 people")


def test_names_are_kept_as_such_and_nobody_holds_the_same():
    assert (sl.Linkability("a", "b").one, sl.Linkability("a", "b").other) == (("a",), ("b",))
    assert sl.Linkability(["a"]).other is None
    with pytest.raises(BadMeasure) as refused:
        sl.Linkability(["zip", "age", "sex"], ["town", "zip", "age"])
    assert refused.value.parameters == ("one", "other")
    assert mentions(refused.value, "both", "age, zip", "different columns")
    with pytest.raises(UnknownColumn, match="did you mean 'sex'"):
        sl.Linkability("age", "sexx").measure(RELEASE)


def test_settings_and_examples():
    assert sl.Linkability.from_settings() == sl.Linkability()
    assert sl.Linkability.from_settings(one=("a",), other=("b",)) == sl.Linkability("a", "b")
    assert sl.Linkability.examples(("x",)) == (sl.Linkability(), sl.Linkability(other=()))


HALF, LESS = (2**59, 2**60), (2**60, 2**61 + 1)  # the same as floats
THIRD = (1, 3)


@pytest.mark.parametrize(
    ("ratios", "best"),
    [
        ([LESS, HALF], 1),
        ([HALF, LESS], 0),
        ([THIRD, LESS, HALF, LESS], 2),
        ([LESS, THIRD, LESS, HALF], 3),
        ([LESS, HALF, (2**58, 2**59), (1, 2)], 1),
        ([(1, 2), (2, 4), (1, 3)], 0),  # truly equal: the first
        ([(1, 3), (2, 4), (1, 2)], 1),
    ],
)
def test_ratios_that_are_the_same_floats_are_told_apart(ratios, best):
    both, below = np.array(ratios).T
    a = np.zeros(len(ratios), int)
    assert find_best_pairs(a, both, below).tolist() == [best]
    behind = find_best_pairs(np.append(0, a + 1), np.append(1, both), np.append(1, below))
    assert behind.tolist() == [0, best + 1]


def test_numerators_of_one_denominator_are_added_up():
    assert _by_denominator(np.array([1, 2, 3, 1]), np.array([5, 4, 5, 9])) == ([2, 4, 1], [4, 5, 9])


def test_a_share_is_exact_or_rounded_up():
    assert _share_matched(Fraction(3, 2), 3) == Fraction(1, 2)
    assert isinstance(_share_matched(Fraction(3, 2), 3), Fraction)
    share = _share_matched(0.1, 3)
    assert isinstance(share, float)
    assert Fraction(np.nextafter(share, 0)) < Fraction(0.1) / 3 <= Fraction(share)
