"""The three models at the edges of what they are for.

Unique matches and population uniques: the numbers of other tools, their words, and what is refused.
"""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, BadRelease, TooHard
from sidelight.measures.measure import Monotonicity
from sidelight.measures.named_risks.estimates import (
    _mean,
    estimate_uniques,
    pitman,
    shifted_negative_binomial,
    zayatz,
)
from sidelight.measures.named_risks.size_risk import SizeHistogram
from sidelight.policy.limits import read_limit
from sidelight.report.report import audit_report


def sample(histogram, population):
    people = np.array([*histogram])
    return SizeHistogram(people, people, np.array([*histogram.values()])), population


@pytest.mark.parametrize(
    ("histogram", "population"),
    [
        ({1: 1}, 1),
        ({1: 5}, 100),
        ({1: 1, 100: 1}, 1000),
        ({1: 3, 2: 2, 1000: 1}, 1008),
        ({1: 3, 2: 2, 1_000_000: 1}, 10**9),
        ({1: 10**6, 2: 10**6}, 10**7),
        ({1: 10**6, 2: 1}, 10**9),
        ({1: 1, 2: 100, 3: 100}, 10**6),
        ({1: 40, 2: 10, 5: 4}, 2**53),
    ],
)
def test_answers_are_numbers_of_people(histogram, population):
    answers = estimate_uniques(*sample(histogram, population))
    assert answers
    for each in answers:
        assert 0 <= each.uniques <= population
        assert all(np.isfinite(value) for _, value in each.parameters)


def test_with_nothing_to_fit_pitman_does_not_answer():
    assert pitman(*sample({1: 5}, 100)) is None
    assert pitman(*sample({5: 1}, 100)) is None


def test_a_sample_in_which_everybody_is_alone_says_that_everybody_is():
    assert zayatz(*sample({1: 7}, 1000)).uniques == pytest.approx(1000)


def test_all_three_answer_where_a_small_sample_is_from_a_large_population():
    answers = {each.model: each.uniques for each in estimate_uniques(*sample({1: 50, 2: 10}, 80_000_000))}
    assert [*answers] == ["Pitman", "Zayatz", "SNB"]
    assert answers["Pitman"] < answers["SNB"] < answers["Zayatz"]


@pytest.mark.parametrize("population", [10**6, 10**9, 10**12])
def test_the_share_who_are_unique_settles_as_the_population_grows(population):
    answer = shifted_negative_binomial(*sample({1: 50, 2: 10}, population))
    limit = shifted_negative_binomial(*sample({1: 50, 2: 10}, 2**53))
    assert answer.uniques / population == pytest.approx(limit.uniques / 2**53, rel=1e-3)


# Each answer solves the equations that it is the answer of, written out as sums.

SAMPLES = [({1: 40, 2: 10, 5: 4}, 800), ({1: 12, 2: 9, 3: 5, 7: 1}, 300), ({1: 5, 2: 3, 4: 1}, 2000)]


def test_a_sample_in_numbers():
    sizes, _ = sample({1: 40, 2: 10, 5: 4}, 800)
    assert (sizes.everybody, sizes.of_size(1), sizes.of_size(2), sizes.of_size(3)) == (80, 40, 10, 0)
    assert str(zayatz(*sample({1: 7}, 10_000))) == "Zayatz 10,000"


@pytest.mark.parametrize(("histogram", "population"), SAMPLES)
def test_zayatz_by_the_hypergeometric(histogram, population):
    """u·(N/n)·u·C(N−1, n−1) / Σ c_f·f·C(N−f, n−1), in whole numbers."""
    sampled, unique = sum(size * many for size, many in histogram.items()), histogram[1]
    left = sum(many * size * math.comb(population - size, sampled - 1) for size, many in histogram.items())
    expected = Fraction(unique**2 * population, sampled) * math.comb(population - 1, sampled - 1) / left
    answer = zayatz(*sample(histogram, population))
    assert answer.uniques == pytest.approx(float(min(expected, population)), rel=1e-10)
    assert (answer.model, answer.parameters) == ("Zayatz", ())


FEW_GROUPS = [
    ({1: 1, 5: 1}, 100),  # α = 0 and θ below 1
    ({1: 1, 2: 1, 50: 1}, 1000),  # hardly better than with α = 0
    ({1: 1, 2: 1, 200: 1}, 1000),  # θ below 0
]


@pytest.mark.parametrize(("histogram", "population"), SAMPLES + FEW_GROUPS)
def test_pitman_is_most_likely(histogram, population):
    """Both derivatives of the likelihood are 0, or the second below 0 where α = 0."""
    answer = pitman(*sample(histogram, population))
    parameters = dict(answer.parameters)
    theta, alpha = parameters["theta"], parameters["alpha"]
    groups, sampled = sum(histogram.values()), sum(size * many for size, many in histogram.items())
    left = sum(1 / (theta + i * alpha) for i in range(1, groups))
    assert left == pytest.approx(sum(1 / (theta + i) for i in range(1, sampled)), rel=1e-8)
    rising = sum(i / (theta + i * alpha) for i in range(1, groups))
    falling = sum(many * sum(1 / (j - alpha) for j in range(1, size)) for size, many in histogram.items())
    if alpha == 0:
        assert rising < falling * (1 + 1e-3)
    else:
        assert 1e-3 <= alpha < 1
        assert rising == pytest.approx(falling, rel=1e-8)
    expected = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * population**alpha
    assert answer.uniques == pytest.approx(min(expected, population), rel=1e-9)
    assert answer.model == "Pitman"


@pytest.mark.parametrize(("histogram", "population"), SAMPLES)
def test_the_shifted_negative_binomial_leads_to_such_a_sample(histogram, population):
    """Expected u/K and c₂/u, from (α, β), are those of the sample; K by the four sums of Haas and Stokes."""
    answer = shifted_negative_binomial(*sample(histogram, population))
    parameters = dict(answer.parameters)
    alpha, beta = parameters["alpha"], parameters["beta"]
    pi = sum(size * many for size, many in histogram.items()) / population
    v1, v2, v3, v4 = (
        sum(many * of(size) for size, many in histogram.items())
        for of in (
            lambda f: f * pi**2 * (1 - pi**2) ** (f - 1),
            lambda f: (1 - pi) ** f * ((1 + pi) ** f - 1),
            lambda f: (1 - pi) ** f,
            lambda f: f * pi * (1 - pi) ** (f - 1),
        )
    )
    groups = sum(histogram.values()) + histogram[1] * (v1 / v2) * (v3 / v4) ** 2
    b = beta / (beta + pi * (1 - beta))
    q, m = 1 - b, alpha * (1 - b)
    assert b**alpha * (pi + (1 - pi) * m) == pytest.approx(histogram[1] / groups, rel=1e-8)
    pairs = (pi * m + (1 - pi) * m * (m + q) / 2) / (pi + (1 - pi) * m)
    assert pairs == pytest.approx(histogram[2] / histogram[1], rel=1e-8)
    assert answer.uniques == pytest.approx(min(groups * beta**alpha, population), rel=1e-8)
    assert answer.model == "SNB"


@pytest.mark.parametrize("fraction", [0.5, 1e-3, 1e-14])
@pytest.mark.parametrize(("q", "pairs"), [(1.0, 0.2), (0.5, 0.25), (1.0, 10.0), (1e-9, 3.0)])
def test_the_mean_solves_its_equation_with_all_digits(q, pairs, fraction):
    """(1−π)/2·m² + (π + (1−π)(q/2 − c₂/u))·m = π·c₂/u, where the parts of a difference may be as good as equal."""
    mean = _mean(q, pairs, fraction)
    m, exact_q, ratio, pi = map(Fraction, (mean, q, pairs, fraction))
    parts = (1 - pi) / 2 * m**2, (pi + (1 - pi) * exact_q / 2) * m, -(1 - pi) * ratio * m, -pi * ratio
    assert mean > 0
    assert abs(sum(parts)) < Fraction(1, 10**14) * max(map(abs, parts))


def test_without_pairs_or_without_anybody_alone_the_shifted_model_does_not_answer():
    assert shifted_negative_binomial(*sample({1: 5, 3: 2}, 100)) is None
    assert shifted_negative_binomial(*sample({2: 5, 3: 2}, 100)) is None


def sizes(*people):
    return sl.Release.from_counts([{"a": each} for each in people])


def weighted(*weights):
    """One person who is 20 years old, and two of 30."""
    rows = pa.table({"age": ["20", "30", "30"], "disease": ["Flu"] * 3, "weight": weights})
    return sl.read_release(rows, group="age", sensitive="disease", weight="weight")


SAMPLE = sizes(*[1] * 40, *[2] * 10, *[5] * 4)


def test_a_unique_match_in_words():
    release = sizes(*[1] * 20, *[2] * 58, 30)
    finding = sl.UniqueMatch(fraction=0.1).measure(release)
    assert finding.value == Fraction(2) / (2 + Fraction(9, 5) * 58)
    assert mentions(
        finding.explain(), "single match", "10 % sample", "0.0188", "20 people are alone", "58 groups are pairs"
    )
    assert (finding.witness.alone, finding.witness.pairs, finding.witness.fraction) == (20, 58, Fraction(1, 10))
    assert finding.replay(release) == finding.value


def test_without_people_alone_or_without_pairs():
    nobody = sl.UniqueMatch(0.1).measure(sizes(2, 3))
    assert (nobody.value, nobody.witness) == (0, None)
    assert mentions(nobody.explain(), "Nobody", "single match", "nobody is alone")
    no_pair = sl.UniqueMatch(0.1).measure(sizes(1, 3))
    assert no_pair.value == 1
    (note,) = no_pair.notes
    assert mentions(note, "no group is a pair", "estimate", "is 1")
    assert sl.UniqueMatch(1).measure(sizes(1, 2)).value == 1
    again = [no_pair.replay(other) for other in (sizes(2, 3), sizes(3), sizes(1, 1))]
    assert again == [0, 0, 1]
    assert all(isinstance(each, Fraction) for each in again)


@pytest.mark.parametrize(
    ("people", "fraction", "words"),
    [
        ((1, 2), 1, ("a whole population", "about 1", "1 person is alone", "1 group is a pair")),
        ((1, 1, 3), 0.5, ("50 % sample", "about 1", "2 people are alone", "0 groups are pairs")),
        # π / (2 − π) of one person and one pair
        (
            (1, 2),
            Fraction(2, 13),
            ("15.3847 % sample", "about 1/12", "1 person is alone", "1 group is a pair"),
        ),
        (
            (1, 2),
            Fraction(1, 7),
            ("14.2858 % sample", "about 0.07693", "1 person is alone", "1 group is a pair"),
        ),
    ],
)
def test_a_unique_match_of_few_in_words(people, fraction, words):
    assert mentions(sl.UniqueMatch(fraction).measure(sizes(*people)).explain(), "single match", *words)


@pytest.mark.parametrize("fraction", [0.1, Fraction(1, 3), Fraction(99, 100), 1])
@pytest.mark.parametrize("people", [(1, 2), (3, 1, 2, 1, 2, 2), (1, 1, 5)])
def test_a_unique_match_is_what_the_formula_says(people, fraction):
    exact = Fraction(str(fraction))
    alone, twins = exact * people.count(1), 2 * (1 - exact) * people.count(2)
    finding = sl.UniqueMatch(fraction).measure(sizes(*people))
    assert finding.value == alone / (alone + twins) == finding.replay(sizes(*people))
    assert finding.witness.group.number == people.index(1) + 1
    assert (finding.notes == ()) == (2 in people)


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1, float("inf")])
def test_shares_that_are_none_are_refused(fraction):
    with pytest.raises(BadMeasure) as refused:
        sl.UniqueMatch(fraction)
    assert refused.value.parameters == ("fraction",)
    assert mentions(
        refused.value, "'unique match'", "share of the population", "above 0", "at most 1", f"not {fraction}"
    )


def test_a_share_that_is_no_number_is_refused():
    with pytest.raises(BadMeasure) as refused:
        sl.UniqueMatch("some")
    assert refused.value.parameters == ("fraction",)
    assert mentions(refused.value, "'unique match'", "a number", "not 'some'")


def test_weights_say_how_much_was_sampled_where_nobody_else_does():
    survey = weighted(2, 1, 3)
    assert (sl.UniqueMatch().needs_weights, sl.UniqueMatch(0.1).needs_weights) == (True, False)
    assert sl.UniqueMatch().measure(survey).witness.fraction == Fraction(1, 2)
    assert sl.UniqueMatch(0.1).measure(survey).witness.fraction == Fraction(1, 10)
    assert sl.UniqueMatch().measure(weighted(1, 1, 1)).witness.fraction == 1
    assert sl.UniqueMatch(0.1).measure(weighted(0.5, 0.5, 0.5)).witness.fraction == Fraction(1, 10)


def test_without_a_share_and_without_weights_it_is_refused():
    with pytest.raises(BadMeasure) as refused:
        sl.UniqueMatch().measure(SAMPLE)
    assert refused.value.parameters == ("fraction", "weight")
    assert mentions(refused.value, "'unique match'", "share of the population", "or sampling weights")


def test_weights_by_which_the_population_is_smaller_are_refused():
    with pytest.raises(BadRelease) as refused:
        sl.UniqueMatch().measure(weighted(1, 1, 0.999))
    assert refused.value.parameters == ("fraction",)
    assert mentions(refused.value, "weights", "more people than its population", "or weights")


def test_parts_of_a_release_are_put_together():
    survey, measure = weighted(2, 1, 3), sl.UniqueMatch()
    one, other, nobody = (measure.summarize(survey.groups.take(np.array(rows, int))) for rows in ([0], [1], []))
    for parts in ((one, other, nobody), (nobody, other, one)):
        merged = parts[0].merge(parts[1]).merge(parts[2])
        assert merged.state[0][1] == 6_000_000  # millionths
        assert (merged.finding().value, merged.finding().witness) == (Fraction(1, 3), measure.measure(survey).witness)
    assert sl.UniqueMatch(0.1).summarize(SAMPLE.groups).state[0][1] == 0


def test_the_first_who_is_alone_is_named_in_whatever_order_groups_come():
    groups, measure = sizes(2, 1, 3, 1).groups, sl.UniqueMatch(0.1)
    assert measure.summarize(groups.take(np.array([3, 2, 1, 0]))).state[1][0] == (2,)
    last, first = (measure.summarize(groups.take(np.array([row]))) for row in (3, 1))
    assert last.merge(first).state[1] == first.merge(last).state[1] == first.state[1]
    assert measure.summarize(groups.take(np.array([0, 2]))).state[1] is None


def test_examples_and_what_is_known_of_mergers():
    assert sl.UniqueMatch.examples(("a",)) == (sl.UniqueMatch(0.1), sl.UniqueMatch(Fraction(1, 3)), sl.UniqueMatch(1))
    assert sl.PopulationUniques.examples(("a",)) == (sl.PopulationUniques(10_000), sl.PopulationUniques(1_000_000))
    assert sl.UniqueMatch.when_groups_merge is sl.PopulationUniques.when_groups_merge is Monotonicity.UNKNOWN


def test_the_range_of_three_models():
    finding = sl.PopulationUniques(people=800).measure(SAMPLE)
    low, high = sorted(each.uniques for each in finding.witness.models)[::2]
    assert (finding.kindest, finding.value) == (low, high)
    assert [name for each in finding.witness.models for name, _ in each.parameters] == [
        "theta",
        "alpha",
        "alpha",
        "beta",
    ]
    assert finding.replay(SAMPLE) == finding.value
    assert finding.notes == ()
    assert finding.witness.histogram == ((1, 40), (2, 10), (5, 4))
    assert finding.witness.group.number == 1
    assert finding.witness.models == estimate_uniques(*sample({1: 40, 2: 10, 5: 4}, 800))


def test_a_limit_within_the_range_cannot_be_told():
    assert (sl.PopulationUniques(people=800) <= 300).judge(SAMPLE).holds
    assert not (sl.PopulationUniques(people=800) <= 100).judge(SAMPLE).holds
    with pytest.raises(TooHard, match=r"estimate lies between .* both sides of"):
        (sl.PopulationUniques(people=800) <= 200).judge(SAMPLE)


def test_a_release_that_is_the_population_says_it_itself():
    finding = sl.PopulationUniques(people=80).measure(SAMPLE)
    assert (finding.value, finding.kindest) == (40, None)
    assert mentions(finding.explain(), "40 of 80 people are unique", "all", "in the release")
    (note,) = finding.notes
    assert mentions(note, "the release", "the whole population")
    assert (finding.witness.histogram, finding.witness.models) == (((1, 40), (2, 10), (5, 4)), ())
    assert finding.replay(SAMPLE) == 40
    assert isinstance(finding.replay(SAMPLE), Fraction)
    one = sl.PopulationUniques(people=4).measure(sizes(3, 1))
    assert mentions(one.explain(), "1 of 4 people is unique", "all", "in the release")
    thousands = sl.PopulationUniques(people=1_202).measure(sizes(*[1] * 1_200, 2))
    assert mentions(thousands.explain(), "1,200 of 1,202 people are unique", "all", "in the release")


def test_where_models_have_no_answer():
    everybody_alone = sl.PopulationUniques(people=100).measure(sizes(1, 1, 1))
    assert (everybody_alone.value, everybody_alone.kindest) == (100, 0)
    assert mentions(everybody_alone.explain(), "About 100 of 100 people", "one model", "Zayatz 100")
    assert everybody_alone.replay(sizes(1, 1, 1)) == 100
    unanswered, single = everybody_alone.notes
    assert mentions(unanswered, "2 of 3 models", "no answer")
    assert mentions(single, "one model", "no limit")
    no_pair = sl.PopulationUniques(people=100).measure(sizes(1, 3))
    (note,) = no_pair.notes
    assert mentions(note, "1 of 3 models", "no answer")
    pitman, zayatz = (each.uniques for each in no_pair.witness.models)
    assert (no_pair.kindest, no_pair.value) == (pitman, zayatz)
    assert mentions(
        no_pair.explain(),
        *(f"About {pitman:.0f} to {zayatz:.0f} of 100 people", "two models"),
        *(f"Pitman {pitman:.0f}", f"Zayatz {zayatz:.0f}"),
    )
    nobody = sl.PopulationUniques(people=100).measure(sizes(2, 3))
    assert (nobody.value, nobody.witness) == (0, None)
    (note,) = nobody.notes
    assert mentions(note, "nobody is alone")
    assert mentions(nobody.explain(), "No model", "unique", "100 people", "nobody is alone")


def test_one_model_alone_decides_no_limit():
    with pytest.raises(TooHard, match="cannot be told"):
        (sl.PopulationUniques(people=100) <= 50).judge(sizes(1, 1, 1))
    assert (sl.PopulationUniques(people=100) <= 100).judge(sizes(1, 1, 1)).holds


def test_a_population_larger_than_any_is_refused():
    with pytest.raises(BadMeasure) as refused:
        sl.PopulationUniques(people=2**53 + 1)
    assert refused.value.parameters == ("people",)
    assert mentions(refused.value, "'population uniques'", "at most 9,007,199,254,740,992")
    assert sl.PopulationUniques(people=2**53).people == 2**53


def test_a_population_that_is_smaller_than_the_release_is_refused():
    measure = sl.PopulationUniques(people=79)
    for ask in (measure.measure, lambda release: measure.summarize(release.groups).finding()):
        with pytest.raises(BadMeasure) as refused:
            ask(SAMPLE)
        assert refused.value.parameters == ("people",)
        assert mentions(
            refused.value, "'population uniques'", 79, "the release has 80 people", "size of the population"
        )


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (0, ("'population uniques'", "people=", "at least 1")),
        (2.5, ("'population uniques'", "people", "whole number", "at least 0", "not 2.5")),
    ],
)
def test_a_population_of_nobody_or_of_halves_is_refused(people, words):
    with pytest.raises(BadMeasure) as refused:
        sl.PopulationUniques(people=people)
    assert mentions(refused.value, *words)
    assert sl.PopulationUniques(people=1).measure(sizes(1)).value == 1
    assert sl.PopulationUniques(people=np.int16(9)).amounts() == {"people": 9}


@pytest.mark.parametrize("text", ["unique match(fraction=0.1) <= 0.2", "population uniques(people=30162) <= 900"])
def test_as_text(text):
    criterion = read_limit(text)
    assert read_limit(str(criterion)) == criterion
    assert criterion.measure.estimate


def test_searches_do_not_take_estimates():
    data = sl.datasets.adult(quasi=["sex", "race"])
    policy = sl.Policy(sl.UniqueMatch(0.1) <= 0.2)
    with pytest.raises((BadMeasure, BadPolicy), match="search without it"):
        sl.protect(data.table, policy, by=data.hierarchies, ask="nobody")


def test_an_estimate_is_called_one_wherever_it_is_shown():
    finding = sl.UniqueMatch(0.1).measure(sizes(1, 2))
    assert "an estimate" in repr(finding)
    report = audit_report(sizes(1, 2), findings=[finding])
    assert report.answer.findings[0].estimate
