"""The smallest group, in words and where it stands alone.

How few values a group has: rational diversities exactly, irrational ones rounded down, and words.
"""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.classics import _ordinal, _primes, fraction_or_float
from sidelight.measures.measure import LARGEST_AMOUNT


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (1, ("1 person", "alone")),
        (2, ("2 people", "one another")),
        (30_000, ("30,000 people", "one another")),
    ],
)
def test_words(people, words):
    finding = sl.GroupSize().measure(sl.Release.from_counts([{"a": people}]))
    assert mentions(finding.explain(), "group 1", *words, "no group", "smaller")


def test_people_count_and_not_values():
    """Several values per person: the group has as many people as it has, whatever they have."""
    release = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 3}], sizes=[2, 3], values="set")
    finding = sl.GroupSize().measure(release)
    assert (finding.value, finding.witness.group.number) == (2, 1)


def test_of_equally_small_groups_the_first_is_named():
    release = sl.Release.from_counts([{"a": 3}, {"a": 2}, {"a": 2}])
    assert sl.GroupSize().measure(release).witness.group.number == 2


def test_a_size_is_counted_again_in_the_group_that_is_named():
    release = sl.Release.from_counts([{"a": 3}, {"a": 1, "b": 1}, {"a": 4}])
    finding = sl.GroupSize().measure(release)
    again = finding.replay(release)
    assert (again, type(again)) == (2, Fraction)
    grown = sl.Release.from_counts([{"a": 3}, {"a": 1, "b": 4}, {"a": 4}])
    assert finding.replay(grown) == 5


NOBODY = ("Nobody", "any value", "no diversity")
MEASURES = [sl.DistinctValues, sl.EntropyDiversity, sl.RecursiveDiversity]


def effective_number(counts):
    """The entropy diversity of one group with these counts."""
    return sl.EntropyDiversity().measure(sl.Release.from_counts([dict(enumerate(counts))])).value


def recursive(counts, l):  # noqa: E741
    """The recursive diversity of one group with these counts, by the definition."""
    falling = sorted(counts, reverse=True)
    rarer = sum(falling[l - 1 :])
    return Fraction(falling[0], rarer) if rarer else math.inf


@pytest.mark.parametrize(("l", "given"), [(0, "0"), (-1, "-1"), (2.5, "2.5"), (True, "True"), ("3", "3")])
def test_an_l_that_makes_no_sense_is_refused(l, given):  # noqa: E741
    with pytest.raises(BadMeasure) as refused:
        sl.RecursiveDiversity(l=l)
    assert mentions(refused.value, "'recursive diversity'", "l", "whole number", "at least 1", f"not {given}")


def test_an_l_is_any_whole_number_and_3_where_none_is_said():
    assert sl.RecursiveDiversity(l=1).l == 1
    assert sl.RecursiveDiversity(l=LARGEST_AMOUNT).l == LARGEST_AMOUNT
    with pytest.raises(BadMeasure, match=r"\bl .*at most 1000000000"):
        sl.RecursiveDiversity(l=LARGEST_AMOUNT + 1)
    assert sl.RecursiveDiversity(l=np.int8(2)) == sl.RecursiveDiversity(l=2)
    assert sl.RecursiveDiversity(l=np.int8(2)).amounts() == {"l": 2}
    many = sl.Release.from_counts([{f"v{place}": 1 for place in range(300)}])
    assert sl.RecursiveDiversity(l=np.int8(2)).measure(many).value == Fraction(1, 299)
    assert sl.RecursiveDiversity() == sl.RecursiveDiversity(l=3)


@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_left_out_is_kept_as_labels(measure):
    assert measure(apart_from="n/a").apart_from == ("n/a",)
    assert measure(apart_from=[7, 7]).apart_from == ("7",)


def test_examples_for_a_domain():
    for measure in (sl.DistinctValues, sl.EntropyDiversity):
        assert measure.examples(("a", "b", "c")) == (measure(), measure(apart_from="a"))
        assert measure.examples(("a",)) == (measure(),)  # of no value there is nothing to ask
    every = tuple(sl.RecursiveDiversity(l=number) for number in (1, 2, 3))
    assert sl.RecursiveDiversity.examples(("a", "b")) == (*every, sl.RecursiveDiversity(l=2, apart_from="a"))
    assert sl.RecursiveDiversity.examples(("a",)) == every[:2]
    four = (*every, sl.RecursiveDiversity(l=4), sl.RecursiveDiversity(l=2, apart_from="a"))
    assert sl.RecursiveDiversity.examples(("a", "b", "c")) == four


@pytest.mark.parametrize(
    ("counts", "number"),
    [
        ([5], Fraction(1)),
        ([3, 3, 3], Fraction(3)),
        ([10**8, 10**8, 10**8], Fraction(3)),
        ([999_999_937] * 3, Fraction(3)),
        ([4, 1, 1, 1, 1], Fraction(4)),
        ([4 * 10**7, *[10**7] * 4], Fraction(4)),
        ([9, *[1] * 9], Fraction(6)),
        ([8, 2, 1, 1, 1], Fraction(13, 4)),
        ([8, 2, 2, 1, 1], Fraction(7, 2)),
        ([24, 6, 6, 3, 3], Fraction(7, 2)),
        ([1, 0, 4, 0, 1, 1, 1], Fraction(4)),
    ],
)
def test_rational_diversities_are_exact(counts, number):
    """They are n / Π c^(c/n), so that their n-th power times Π c^c is n^n."""
    total = sum(counts)
    if total < 100:
        assert number**total * math.prod(count**count for count in counts) == total**total
    assert effective_number(counts) == number
    assert isinstance(effective_number(counts), Fraction)


def test_irrational_diversities_are_rounded_down_and_quick():
    near_equal = [999_999_937, 999_999_893, 999_999_883]  # primes
    number_of_values = effective_number(near_equal)
    assert isinstance(number_of_values, float)
    assert 3 - 1e-14 < number_of_values < 3
    assert isinstance(effective_number([2, 1, 1]), float)  # 2√2
    assert effective_number([2, 1, 1]) ** 2 <= 8 < math.nextafter(effective_number([2, 1, 1]), 3) ** 2


def test_a_fraction_takes_a_number_that_is_near_one_and_a_proof():
    primes = [999_999_937, 999_999_893, 999_999_883]
    assert isinstance(fraction_or_float(Decimal(3), primes), float)  # near one, and irrational all the same
    assert isinstance(fraction_or_float(Decimal("2.1"), [1, 1]), float)  # halves could be, tenths could not
    assert fraction_or_float(Decimal("2.5"), [1, 1]) == Fraction(5, 2)
    assert isinstance(fraction_or_float(Decimal(f"2.{'0' * 40}9"), [1, 1]), Fraction)
    assert isinstance(fraction_or_float(Decimal(f"1.{'9' * 41}"), [1, 1]), Fraction)
    for further in (f"2.{'0' * 39}1", f"1.{'9' * 40}"):  # by 10⁻⁴⁰
        assert isinstance(fraction_or_float(Decimal(further), [1, 1]), float)


def test_every_prime_must_occur_often_enough():
    """12 = 2²·3 twelve times, and twelve people more: 24 divides 2^24, but not 3^12."""
    assert isinstance(effective_number([12, *[1] * 12]), float)
    assert effective_number([12, 12]) == 2


@pytest.mark.parametrize(
    ("number", "primes"),
    [
        *((1, {}), (2, {2: 1}), (3, {3: 1}), (4, {2: 2}), (6, {2: 1, 3: 1}), (8, {2: 3}), (9, {3: 2}), (25, {5: 2})),
        *((360, {2: 3, 3: 2, 5: 1}), (97, {97: 1}), (98, {2: 1, 7: 2}), (101 * 103, {101: 1, 103: 1})),
        *((2**5 * 999_983, {2: 5, 999_983: 1}), (3**35, {3: 35})),  # beyond what floats hold
    ],
)
def test_prime_factors(number, primes):
    assert _primes(number) == primes


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (10, "10th"), (11, "11th"), (12, "12th"), (13, "13th")),
        *((14, "14th"), (20, "20th"), (21, "21st"), (22, "22nd"), (23, "23rd"), (24, "24th"), (100, "100th")),
        *((101, "101st"), (102, "102nd"), (103, "103rd"), (111, "111th"), (112, "112th"), (113, "113th")),
        *((121, "121st"), (1011, "1011th"), (1021, "1021st")),
    ],
)
def test_ordinals(number, text):
    assert _ordinal(number) == text


def test_the_form_of_counts_forgets_which_values_they_are_of_and_their_scale():
    counts = np.array([[0, 2, 0, 4], [3, 0, 0, 6], [1, 0, 1, 0]])
    assert sl.EntropyDiversity().canonical(counts).tolist() == [[1, 2], [1, 2], [1, 1]]
    assert sl.EntropyDiversity().canonical(np.array([[4, 0, 0], [2, 6, 2]])).tolist() == [[0, 0, 1], [1, 1, 3]]


@pytest.mark.parametrize("l", range(1, 7))
@pytest.mark.parametrize("counts", [[1], [4, 3, 1, 1], [1, 1, 1, 1], [0, 2, 5], [2, 7, 3, 7, 1]])
def test_recursive_diversity_is_what_the_definition_says(counts, l):  # noqa: E741
    release = sl.Release.from_counts([{str(value): count for value, count in enumerate(counts)}])
    finding = sl.RecursiveDiversity(l=l).measure(release)
    assert finding.value == recursive(counts, l) == finding.replay(release)
    assert finding.witness.value == str(counts.index(max(counts)))  # the first of the most frequent


@pytest.mark.parametrize(
    ("l", "share", "belief"),  # at n₁ ≤ 3·(n_ℓ + …)
    [(1, 3, 3), (2, Fraction(3, 4), Fraction(3, 4)), (3, None, Fraction(3, 4)), (4, None, Fraction(3, 4))],
)
def test_what_a_limit_says_of_the_most_frequent_value(l, share, belief):  # noqa: E741
    measure = sl.RecursiveDiversity(l=l)
    assert (measure.share_at(Fraction(3)), measure.belief_at(Fraction(3))) == (share, belief)
    others = sl.RecursiveDiversity(l=l, apart_from="a")
    assert (others.share_at(Fraction(3)), others.belief_at(Fraction(3))) == (None, None)


APART = [{"-": 9, "a": 2, "b": 1}, {"-": 1, "a": 1, "b": 1}, {"-": 5}]


@pytest.mark.parametrize(
    ("measure", "value", "group"),
    [
        (sl.DistinctValues(apart_from="-"), 2, 1),
        (sl.DistinctValues(apart_from=["-", "b"]), 1, 1),
        (sl.DistinctValues(), 1, 3),
        (sl.EntropyDiversity(apart_from=["-", "b"]), 1, 1),
        (sl.EntropyDiversity(), 1, 3),
        (sl.RecursiveDiversity(l=2, apart_from="-"), 2, 1),
        (sl.RecursiveDiversity(l=1, apart_from="-"), Fraction(2, 3), 1),
        (sl.RecursiveDiversity(l=2), math.inf, 3),
    ],
    ids=str,
)
def test_values_that_mean_nothing_and_groups_of_nothing_else_are_passed_over(measure, value, group):
    release = sl.Release.from_counts(APART)
    finding = measure.measure(release)
    assert (finding.value, finding.witness.group.number) == (value, group)
    assert finding.replay(release) == value


def test_entropy_diversity_of_the_other_values_alone():
    release = sl.Release.from_counts(APART)
    finding = sl.EntropyDiversity(apart_from="-").measure(release)
    assert finding.value == effective_number([2, 1]) == finding.replay(release)
    assert finding.witness.group.number == 1


def test_a_group_in_which_nobody_has_a_value_has_no_distinct_ones_and_no_shares():
    some = sl.Release.from_counts([{"a": 1, "b": 1}, {}], sizes=[2, 3], values="set")
    for apart in ((), "a"):
        finding = sl.DistinctValues(apart_from=apart).measure(some)
        assert (finding.value, finding.witness.group.number, finding.replay(some)) == (0, 2, 0)
        assert mentions(finding.explain(), "Nobody in group 2", "any value", "knows")
    assert sl.EntropyDiversity().measure(some).value == 2
    assert sl.RecursiveDiversity(l=2).measure(some).value == 1


@pytest.mark.parametrize("measure", MEASURES)
def test_where_there_is_nothing_to_measure(measure):
    finding = measure(apart_from="a").measure(sl.Release.from_counts([{"a": 2}], domain=["a", "b"]))
    assert finding.witness is None
    assert finding.value == (1 if measure is sl.EntropyDiversity else 0)
    assert mentions(finding.explain(), *NOBODY)


FEW, SAME = [{"a": 2, "b": 1}], [{"a": 2}]
SIX = [dict.fromkeys("abcdef", 1)]


@pytest.mark.parametrize(
    ("measure", "counts", "words"),
    [
        (sl.DistinctValues(), FEW, ("group 1", "2 different values", "no group", "fewer")),
        (
            sl.DistinctValues(apart_from="a"),
            SIX,
            ("group 1", "5 different values", "apart from a", "no group", "fewer"),
        ),
        (
            sl.DistinctValues(apart_from=list("abcd")),
            SIX,
            ("group 1", "2 different values", "apart from a, b, c", "1 more", "no group", "fewer"),
        ),
        (
            sl.DistinctValues(),
            SAME,
            ("Only one value", "group 1", "knows it"),
        ),
        (
            sl.DistinctValues(apart_from="a"),
            FEW,
            ("Only one value", "group 1", "apart from a"),
        ),
        (
            sl.EntropyDiversity(),
            FEW,  # 3 / 2^(2/3) = 1.88988…
            ("group 1", "as diverse as 1.8898", "no group's", "less"),
        ),
        (
            sl.EntropyDiversity(apart_from=["a", "b"]),
            SIX,
            ("group 1", "apart from a, b", "as diverse as 4", "no group's", "less"),
        ),
        (sl.EntropyDiversity(), SAME, ("group 1", "as diverse as 1 value", "no group's", "less")),
        (
            sl.RecursiveDiversity(l=2),
            SAME,
            ("group 1", "fewer than 2 different", "'a'", "most frequent"),
        ),
        (
            sl.RecursiveDiversity(l=22, apart_from="a"),
            FEW,
            ("group 1", "fewer than 22 different", "apart from a", "'b'", "most frequent"),
        ),
        (sl.RecursiveDiversity(l=1), FEW, ("group 1", "'a'", "2/3 times as often", "all values together")),
        (
            sl.RecursiveDiversity(l=1, apart_from="a"),
            SIX,
            ("group 1", "'b'", "1/5 times as often", "all values", "apart from a", "together"),
        ),
        (
            sl.RecursiveDiversity(l=2),
            FEW,
            ("group 1", "'a'", "2 times as often", "from the 2nd", "together"),
        ),
        (
            sl.RecursiveDiversity(l=4, apart_from="a"),
            SIX,
            ("group 1", "'b'", "1/2 times as often", "from the 4th", "apart from a", "together"),
        ),
    ],
)
def test_words_of_l_diversity(measure, counts, words):
    said = measure.measure(sl.Release.from_counts(counts)).explain()
    assert mentions(said, *words)
    assert ("apart from" in said) == bool(measure.apart_from)
