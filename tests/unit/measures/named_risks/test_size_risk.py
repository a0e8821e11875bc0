"""The histogram of (f, F): counted by or sorted, it is the same, and it adds up.

Risks that sizes decide: which group is named, what is added up, what a part keeps for the whole, and words.

Prosecutor risk: its numbers, its words, and the difference between 0.09 and 1/11.
"""

import math
from collections import Counter
from decimal import localcontext
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy
from sidelight.measures import exact
from sidelight.measures.exact import BITS_REPORTED, SumScreen, sum_of_ratios
from sidelight.measures.group_by_group import WorstGroup
from sidelight.measures.measure import Monotonicity
from sidelight.measures.named_risks.size_risk import (
    SMALL,
    SizeHistogram,
    runs_of_sizes,
    share,
)
from sidelight.policy.limits import read_limit

SIZES = st.one_of(st.integers(1, 4), st.sampled_from([SMALL - 1, SMALL, SMALL * SMALL, 10**7]))
PAIRS = st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=12)


def as_counter(histogram):
    pairs = zip(histogram.people.tolist(), histogram.population.tolist(), strict=True)
    return dict(zip(pairs, histogram.groups.tolist(), strict=True))


@examples(60)
@given(PAIRS, PAIRS)
def test_it_counts_pairs_and_adds_up(one, other):
    histograms = [SizeHistogram.of(*map(np.array, zip(*pairs, strict=True))) for pairs in (one, other)]
    assert as_counter(histograms[0]) == Counter(one)
    assert as_counter(histograms[0] + histograms[1]) == Counter(one) + Counter(other)
    assert as_counter(histograms[1] + histograms[0]) == as_counter(histograms[0] + histograms[1])


@examples(30)
@given(st.lists(SIZES, min_size=1, max_size=12))
def test_without_a_population_nobody_else_could_be_meant(sizes):
    assert as_counter(SizeHistogram.of(np.array(sizes))) == Counter((size, size) for size in sizes)


@examples(60)
@given(PAIRS)
def test_expected_matches_are_the_sum_of_all_ratios(pairs):
    histogram = SizeHistogram.of(*map(np.array, zip(*pairs, strict=True)))
    assert histogram.expected_matches() == sum(Fraction(f, population) for f, population in pairs)


def test_sums_of_thousands_of_denominators_are_rounded_up():
    under = list(range(1, 20_001))
    total = sum_of_ratios([1] * len(under), under)
    assert isinstance(total, float)
    assert abs(total - float(np.sum(1 / np.array(under)))) < 1e-9


def test_a_sum_that_is_rounded_is_the_next_float_above():
    under = [10**9 + place for place in range(1, 700)]
    over = [place % 5 + 1 for place in range(1, 700)]
    total, exact = sum_of_ratios(over, under), sum(map(Fraction, over, under))
    assert isinstance(total, float)
    assert np.nextafter(total, 0) < exact <= total


def test_sums_are_written_out_up_to_so_many_bits():
    longest = 2 ** (BITS_REPORTED - 1)
    assert sum_of_ratios([1, 1], [longest, longest]) == Fraction(2, longest)
    assert isinstance(sum_of_ratios([1], [2 * longest]), float)
    assert sum_of_ratios([4 * longest, 3], [2 * longest, 6]) == Fraction(5, 2)  # in lowest terms
    assert sum_of_ratios([], []) == 0
    assert isinstance(sum_of_ratios([], []), Fraction)


def test_whole_numbers_are_written_out_in_one_bit(monkeypatch):
    monkeypatch.setattr(exact, "BITS_REPORTED", 1)
    assert sum_of_ratios([6, 4], [3, 4]) == 3
    assert isinstance(sum_of_ratios([6, 4], [3, 4]), Fraction)


def test_what_is_rounded_is_above_in_whatever_precision_others_compute(monkeypatch):
    """Also where the sum is a float, as its digits do not say so."""
    monkeypatch.setattr(exact, "BITS_REPORTED", 0)
    assert sum_of_ratios([1], [2]) == math.nextafter(0.5, 1)
    third = sum_of_ratios([1], [3])
    assert math.nextafter(third, 0) < Fraction(1, 3) < third
    with localcontext(prec=5):
        assert sum_of_ratios([1], [3]) == third


def test_what_is_read_off():
    histogram = SizeHistogram.of(np.array([1, 3, 1, 2]), np.array([4, 3, 2, 4]))
    assert as_counter(histogram) == {(1, 2): 1, (1, 4): 1, (2, 4): 1, (3, 3): 1}
    assert histogram.people.tolist() == [1, 1, 2, 3]  # by people, then by population
    assert histogram.population.tolist() == [2, 4, 4, 3]
    assert histogram.everybody == 7
    assert [histogram.of_size(people) for people in (0, 1, 2, 3, 4)] == [0, 2, 1, 1, 0]
    assert histogram.expected_matches() == Fraction(1, 2) + Fraction(3, 4) + 1


@pytest.mark.parametrize("edge", [SMALL, SMALL * SMALL])
def test_small_and_large_numbers_are_counted_alike(edge):
    sizes = np.array([edge, 1, edge - 1, edge, edge + 1, 1, 10**12])
    entries = [(1, 2), (edge - 1, 1), (edge, 2), (edge + 1, 1), (10**12, 1)]
    alone, compared = SizeHistogram.of(sizes), SizeHistogram.of(sizes, sizes.copy())
    for histogram in (alone, compared):
        assert histogram.people.tolist() == histogram.population.tolist() == [size for size, _ in entries]
        assert histogram.groups.tolist() == [groups for _, groups in entries]
        assert {each.dtype for each in (histogram.people, histogram.population, histogram.groups)} == {np.dtype(int)}
    assert as_counter(SizeHistogram.of(np.array([1, 1]), np.array([edge - 1, edge]))) == {
        (1, edge - 1): 1,
        (1, edge): 1,
    }


def test_no_groups_at_all():
    nothing = np.empty(0, np.int64)
    for histogram in (SizeHistogram.of(nothing), SizeHistogram.of(nothing, nothing)):
        assert histogram.everybody == 0
        assert as_counter(histogram + SizeHistogram.of(np.array([2]))) == {(2, 2): 1}


NONE = np.empty(0, np.int64)


def sizes(*people):
    return sl.Release.from_counts([{"a": each} for each in people])


def register(*population, elsewhere=0):
    """So many people of the population with the cells of group 1, 2, …, and some with those of no group."""
    ages = [str(group) for group, people in enumerate(population) for _ in range(people)]
    return pa.table({"age": ages + ["elsewhere"] * elsewhere})


def release(*people):
    labels = [{"age": str(group)} for group in range(len(people))]
    return sl.Release.from_counts([{"a": each} for each in people], labels=labels)


def groups_of(measure, compared):
    """The groups of a release, with what the measure asks of them."""
    return measure.prepare(compared).groups


def above(threshold):
    return sl.ProsecutorRisk("share above", threshold=threshold)


def test_a_share_is_exact_or_a_float_that_is_above_it():
    assert share(Fraction(3, 2), 6) == Fraction(1, 4)
    assert share(3, 6) == Fraction(1, 2)
    assert all(isinstance(share(part, 6), Fraction) for part in (3, Fraction(3, 2)))
    assert share(1.5, 3) == math.nextafter(0.5, 1)
    assert isinstance(share(1.5, 3), float)


def test_the_first_of_equally_bad_groups_is_named_in_whatever_order_they_come():
    groups = sizes(3, 2, 5, 2).groups
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [3, 0, 1, 2]):
        witness = sl.ProsecutorRisk().summarize(groups.take(np.array(order))).finding().witness
        assert (witness.group.number, witness.people, witness.population) == (2, 2, 2)


@pytest.mark.parametrize(
    ("people", "population", "worst"),
    [
        ((1, 2), (3, 3), 2),  # as many in the population, more in the release
        ((2, 1, 2), (4, 3, 3), 3),  # as many in the release
        ((1, 2, 1), (3, 3, 2), 2),
        ((1, 2), (2, 4), 1),  # the same share of other numbers: the first
        ((2, 1), (4, 2), 1),
        ((1, 3, 2), (4, 6, 4), 2),
    ],
)
def test_the_group_of_which_the_largest_share_is_here_is_named(people, population, worst):
    measure = sl.Presence(register(*population))
    finding = measure.measure(release(*people))
    shares = [Fraction(f, F) for f, F in zip(people, population, strict=True)]
    assert finding.value == max(shares) == shares[worst - 1] == finding.replay(release(*people))
    witness = finding.witness
    assert (witness.group.number, witness.people, witness.population) == (
        worst,
        people[worst - 1],
        population[worst - 1],
    )
    assert (witness.part, witness.whole) == (max(shares).numerator, max(shares).denominator)
    assert witness.lowest == min(shares)


def test_of_groups_with_as_few_in_the_population_the_first_is_named():
    finding = sl.JournalistRisk(register(3, 2, 2)).measure(release(1, 2, 1))
    assert (finding.witness.group.number, finding.witness.people, finding.witness.population) == (2, 2, 2)
    assert (finding.value, finding.witness.lowest) == (Fraction(1, 2), Fraction(1, 3))


def test_rows_are_told_apart_exactly_where_floats_cannot():
    people, population = np.array([10**17 - 1, 10**17 - 2, 5, 10**17 - 1]), np.array([10**17, 10**17, 10, 10**17])
    first = sl.Presence()._first_with_risk
    assert first(Fraction(10**17 - 1, 10**17), people, population) == 0
    assert first(Fraction(10**17 - 2, 10**17), people, population) == 1
    assert first(Fraction(1, 2), people, population) == 2


@pytest.mark.parametrize(
    ("measure", "matches", "everybody"),
    [
        (sl.ProsecutorRisk(), 1, 2),
        (sl.ProsecutorRisk("average"), 3, 10),
        (above(0.3), 5, 10),  # 1/2 and 1/3
        (above(Fraction(1, 3)), 2, 10),  # 1/3 is not above itself
        (above(Fraction(1, 2)), 0, 10),
        (above(Fraction(1, 5)), 5, 10),
        (above(0.199), 10, 10),
        (above(0), 10, 10),
        (above(1), 0, 10),
    ],
    ids=str,
)
def test_the_value_is_matches_of_everybody_and_adds_up_again(measure, matches, everybody):
    finding = measure.measure(sizes(5, 2, 3))
    assert (finding.witness.part, finding.witness.whole) == (matches, everybody)
    assert finding.value == Fraction(matches, everybody) == finding.replay(sizes(5, 2, 3))
    assert isinstance(finding.replay(sizes(5, 2, 3)), Fraction)
    assert (finding.witness.group.number, finding.witness.lowest) == (2, Fraction(1, 5))
    assert finding.notes == ()


@pytest.mark.parametrize(("bits", "kind"), [(1, Fraction), (0, float)])
def test_an_average_adds_up_again_to_a_fraction_where_it_is_one(bits, kind, monkeypatch):
    """2/6 + 4/6 is one person of six, whatever the thirds that it is made of; with no bits at all it is rounded up."""
    monkeypatch.setattr(exact, "BITS_REPORTED", bits)
    compared = release(2, 4)
    for measure in (sl.MarketerRisk(register(6, 6)), sl.JournalistRisk(register(6, 6), "average")):
        finding = measure.measure(compared)
        assert finding.replay(compared) == finding.value >= Fraction(1, 6)
        assert type(finding.replay(compared)) is type(finding.value)
    assert type(sl.MarketerRisk(register(6, 6)).measure(compared).value) is kind


def test_parts_of_a_release_are_put_together():
    groups = sizes(4, 2, 5, 2).groups
    for measure in (sl.ProsecutorRisk(), sl.ProsecutorRisk("average"), above(0.3)):
        whole = measure.measure(sizes(4, 2, 5, 2))
        first, second, nobody = (measure.summarize(groups.take(np.array(rows, int))) for rows in ([0, 1], [2, 3], []))
        for parts in ((first, second, nobody), (nobody, second, first)):
            merged = parts[0].merge(parts[1]).merge(parts[2]).finding()
            assert (merged.value, merged.witness) == (whole.value, whole.witness)
            assert merged.witness.group.number == 2


def test_of_two_parts_the_worse_group_is_kept_and_of_none_none():
    groups, measure = sizes(4, 2, 3).groups, sl.ProsecutorRisk()
    one, other, nobody = (measure.summarize(groups.take(np.array(rows, int))) for rows in ([0], [1, 2], []))
    for merged in (one.merge(other), other.merge(one)):
        assert (merged.finding().value, merged.finding().witness.group.number) == (Fraction(1, 2), 2)
    assert nobody.merge(nobody).state[1] is None


def test_what_else_than_the_groups_decides_is_asked():
    assert sl.Absence(register(4, elsewhere=1)).measure(release(3)).value == 1
    assert sl.Absence(register(4)).measure(release(3)).value == Fraction(1, 4)


def test_people_beyond_the_population_add_up_and_those_of_no_group_do_not():
    measure = sl.Presence(register(1, 1, 4, elsewhere=3), outside="as in the release")
    groups = groups_of(measure, release(2, 3, 4))
    one, other = (measure.summarize(groups.take(np.array(rows))) for rows in ([0], [1, 2]))
    assert tuple(each.state[0][1] for each in (one, other, one.merge(other))) == (1, 2, 3)
    assert one.state[2] == other.state[2] == one.merge(other).state[2] == 3  # of the whole release
    assert measure.summarize(groups.take(NONE)).state[2] == 3


def test_without_a_population_nobody_is_beyond_it_or_nowhere():
    summary = sl.ProsecutorRisk().summarize(sizes(1, 2).groups)
    totals, _, everywhere = summary.state
    assert (totals[1], everywhere) == (0, 0)
    assert sl.ProsecutorRisk().population_of(sizes(1, 2).groups).tolist() == [1, 2]


def test_where_nobody_is():
    finding = sl.ProsecutorRisk().summarize(sizes(1).groups.take(NONE)).finding()
    (note,) = finding.notes
    assert (finding.value, finding.witness) == (0, None)
    assert mentions(note, "nobody", "in the release")
    assert isinstance(finding.value, Fraction)
    assert mentions(finding.explain(), "Nobody", "in the release", "nobody", "found")


def test_runs_stand_by_population_and_then_by_people():
    people, population = np.array([3, 1, 2, 1, 3, 1]), np.array([3, 2, 3, 5, 3, 2])
    assert runs_of_sizes(people, population) == [(1, 2, 2), (2, 3, 1), (3, 3, 2), (1, 5, 1)]
    assert runs_of_sizes(NONE, NONE) == []


def test_limits_lie_between_0_and_1_and_a_merger_makes_nobody_easier_to_find():
    measure = sl.ProsecutorRisk()
    assert measure.limits == (0, 1)
    assert measure.when_groups_merge is Monotonicity.NON_INCREASING


def test_the_screen_of_the_highest_risk_keeps_the_worse_group():
    screen = sl.ProsecutorRisk().screen()
    assert type(screen) is WorstGroup
    assert screen.group_by_group
    assert screen.breaks_with_one_group
    rows = screen.rows(sizes(4, 2).groups)
    assert rows.tolist() == [[0.25], [0.5]]
    assert screen.join(rows, rows[::-1]).tolist() == [[0.5], [0.5]]
    assert screen.value(rows).tolist() == [0.25, 0.5]
    assert screen.kinds(sizes(4, 2).groups).tolist() == [[4, 4], [2, 2]]


def test_a_screen_compares_with_the_population():
    compared = sl.Presence(register(4, 8))
    groups = groups_of(compared, release(3, 2))
    assert compared.screen().rows(groups).tolist() == [[0.75], [0.25]]
    assert compared.screen().kinds(groups).tolist() == [[3, 4], [2, 8]]
    marketer = sl.MarketerRisk(register(4, 8))
    assert marketer.screen().rows(groups_of(marketer, release(3, 2))).tolist() == [[0.75, 3], [0.25, 2]]


@pytest.mark.parametrize(
    ("measure", "rows", "value"),
    [
        (sl.ProsecutorRisk("average"), [[1, 4], [1, 2], [1, 2]], 3 / 8),
        (above(0.3), [[0, 4], [2, 2], [2, 2]], 4 / 8),
        (above(0.5), [[0, 4], [0, 2], [0, 2]], 0),
        (above(0.25), [[0, 4], [2, 2], [2, 2]], 4 / 8),
        (above(0), [[4, 4], [2, 2], [2, 2]], 1),
    ],
    ids=str,
)
def test_the_screen_of_an_average_or_a_share_adds_up(measure, rows, value):
    screen = measure.screen()
    assert type(screen) is SumScreen
    assert not screen.group_by_group
    assert not screen.breaks_with_one_group
    of = screen.rows(sizes(4, 2, 2).groups)
    assert (of.tolist(), of.dtype) == (rows, np.float64)
    joined = screen.join(screen.join(of[:1], of[1:2]), of[2:])
    assert screen.value(joined).tolist() == [value]


@pytest.mark.parametrize(
    ("threshold", "least", "needed"),
    [
        (0.09, Fraction(9, 100), 12),
        (Fraction(1, 11), Fraction(1, 11), 11),
        (0.3, Fraction(3, 10), 4),
        (Fraction(2, 3), Fraction(2, 3), 2),
        (1, 1, 1),
        (0, 0, None),
    ],
)
def test_how_many_people_a_group_needs_for_a_threshold(threshold, least, needed):
    measure = above(threshold)
    assert (measure.least_risk, measure.people_needed) == (least, needed)
    assert isinstance(measure.least_risk, Fraction)


def test_without_a_threshold_everybody_is_above_it():
    assert (sl.ProsecutorRisk().least_risk, sl.ProsecutorRisk().people_needed) == (0, None)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"statistic": "share above"},
            ("'prosecutor risk'", "share above", "needs a threshold=", "0.09"),
        ),
        (
            {"threshold": 0},
            ("'prosecutor risk'", "threshold=", 'statistic="share above"', "only"),
        ),
        (
            {"statistic": "average", "threshold": 0.09},
            ("'prosecutor risk'", "threshold=", 'statistic="share above"', "only"),
        ),
        ({"statistic": "shar"}, ("'prosecutor risk'", 'no statistic="shar"', "'share above'")),
        *(
            (
                {"statistic": "share above", "threshold": threshold},
                ("'prosecutor risk'", "threshold=", "between 0 and 1", f"not {threshold}"),
            )
            for threshold in (-0.1, 1.01, float("inf"), Fraction(12, 11))
        ),
        ({"statistic": "share above", "threshold": "x"}, ("threshold", "a number, not 'x'")),
    ],
)
def test_what_is_refused(settings, words):
    with pytest.raises(BadMeasure) as refused:
        sl.ProsecutorRisk(**settings)
    assert mentions(refused.value, *words)


@pytest.mark.parametrize(
    ("people", "threshold", "words"),
    [
        ((1, 4), 0.5, ("1 of 5 people", "0.2000", "groups of 1", "above 0.5")),
        ((1, 1, 4), 0.5, ("2 of 6 people", "0.3334", "groups of 1", "above 0.5")),
        ((1, 4), Fraction(1, 3), ("1 of 5 people", "0.2000", "groups of 2 or fewer", "above 1/3")),
        ((3, 4), 0.4, ("0 of 7 people", "0.0000", "groups of 2 or fewer", "above 0.4")),
        (
            (1500, 2000, 1500),
            0.0005,
            ("3,000 of 5,000 people", "0.6000", "groups of 1,999 or fewer", "above 0.0005"),
        ),
        ((1,), 0, ("1 of 1 person", "1.0000", "any size", "above 0")),
        ((1, 4), 0, ("5 of 5 people", "1.0000", "any size", "above 0")),
        ((1, 4), 1, ("Nobody's", "above 1")),
    ],
)
def test_a_share_in_words(people, threshold, words):
    said = above(threshold).measure(sizes(*people)).explain()
    assert mentions(said, *words)
    assert ("or fewer" in said) == any("or fewer" in each for each in words)


def test_the_other_statistics_are_said_by_the_measure():
    average, highest = (sl.ProsecutorRisk(each).measure(sizes(1, 4)).explain() for each in ("average", "highest"))
    assert mentions(average, "Whoever knows", "in the release", "everybody", "2 of 5 people")
    assert mentions(highest, "group 1", "1 person", "alone")


def test_011_is_above_009_and_not_above_an_eleventh():
    release = sizes(11, 12, 77)
    above = sl.ProsecutorRisk("share above", threshold=0.09).measure(release)
    assert above.value == Fraction(11, 100)
    assert mentions(above.explain(), "11 of 100 people", "0.1100", "groups of 11 or fewer", "above 0.09")
    assert sl.ProsecutorRisk("share above", threshold=Fraction(1, 11)).measure(release).value == 0
    assert not (sl.ProsecutorRisk() <= 0.09).judge(release).holds
    assert (sl.ProsecutorRisk() <= Fraction(1, 11)).judge(release).holds


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("prosecutor risk <= 1/11", sl.ProsecutorRisk()),
        ("prosecutor risk(average) <= 0.05", sl.ProsecutorRisk("average")),
        ("prosecutor risk(share above, threshold=0.09) <= 0.01", sl.ProsecutorRisk("share above", threshold=0.09)),
    ],
)
def test_as_text(text, measure):
    criterion = read_limit(text)
    assert criterion.measure == measure
    assert read_limit(str(criterion)) == criterion


def test_thresholds_outside_0_and_1_are_refused():
    for threshold in (-0.1, 1.1, float("inf")):
        with pytest.raises(BadMeasure, match="between 0 and 1"):
            sl.ProsecutorRisk("share above", threshold=threshold)
    with pytest.raises(BadPolicy, match="between 0 and 1"):
        read_limit("prosecutor risk(share above, threshold=9) <= 0.01")


def test_a_threshold_belongs_to_the_share_above():
    with pytest.raises(BadMeasure, match="needs a threshold"):
        sl.ProsecutorRisk("share above")
    with pytest.raises(BadMeasure, match="only"):
        sl.ProsecutorRisk(threshold=0.09)
    with pytest.raises(BadMeasure, match=r"\"share abov\".*'share above'"):
        sl.ProsecutorRisk("share abov")


def test_ends_of_the_threshold():
    release = sizes(1, 4)
    nothing, everything = (sl.ProsecutorRisk("share above", threshold=each) for each in (1, 0))
    assert nothing.measure(release).value == 0
    assert mentions(nothing.measure(release).explain(), "Nobody's", "above 1")
    assert everything.measure(release).value == 1
    assert mentions(everything.measure(release).explain(), "5 of 5 people", "1.0000", "any size", "above 0")


def test_somebody_alone():
    finding = sl.ProsecutorRisk().measure(sizes(3, 1))
    assert finding.value == 1
    assert mentions(finding.explain(), "group 2", "1 person", "alone", "finds them")


def test_people_count_and_not_values():
    release = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 3}], sizes=[2, 3], values="set")
    assert sl.ProsecutorRisk("average").measure(release).value == Fraction(2, 5)


def test_a_search_follows_an_average_though_single_groups_break_it():
    adult = sl.datasets.adult(quasi=["age", "marital-status", "race", "sex"])
    limit = sl.ProsecutorRisk("share above", threshold=0.09) <= 0.05
    found = sl.protect(adult.table, limit, by=adult.hierarchies, ask="nobody")
    assert limit.judge(found.release).holds
    assert not (sl.ProsecutorRisk() <= 0.09).judge(found.release).holds


def test_an_average_is_groups_of_people_exactly_however_many_sizes_there_are():
    sizes = [100_003 + 2 * place for place in range(3_000)]
    release = sl.Release.from_counts([{"a": 1}, *({"a": size} for size in sizes)])
    for measure in (sl.ProsecutorRisk("average"), sl.MarketerRisk()):
        finding = measure.measure(release)
        assert finding.value == Fraction(3_001, sum(sizes) + 1)
        assert finding.replay(release) == finding.value
        assert (measure <= finding.value).judge(release).holds


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ((1,), ("1 of 1 person", "1")),
        ((3, 4), ("2 of 7 people", "2/7")),
        ((1, 1, 1, 600, 597), ("5 of 1,200 people", "1/240")),
    ],
)
def test_an_average_in_words(people, words):
    said = sl.ProsecutorRisk("average").measure(sizes(*people)).explain()
    assert mentions(said, "Whoever knows", "in the release", "everybody", "right", *words)


def test_a_large_group_in_words():
    words = sl.ProsecutorRisk().measure(sizes(1_300, 1_200)).explain()
    assert mentions(words, "group 2", "1,200 people", "right with 1/1200")


def test_examples_are_of_all_statistics():
    assert sl.ProsecutorRisk.examples(("a",)) == (
        sl.ProsecutorRisk("highest"),
        sl.ProsecutorRisk("average"),
        sl.ProsecutorRisk("share above", 0.4),
        sl.ProsecutorRisk("share above", Fraction(1, 2)),
    )
