"""Two hospitals that publish independently, and the paper's experiment on Adult."""

from fractions import Fraction

import polars as pl
import pytest
from support.words import mentions

import sidelight as sl

# Ganta, Kasiviswanathan and Smith, KDD 2008, figure 1: a patient of 28 who lives in 13012 was in both hospitals.
FIRST = sl.Release.from_counts(
    [
        {"AIDS": 1, "Heart disease": 1, "Viral infection": 2},
        {"Cancer": 1, "Heart disease": 1, "Viral infection": 2},
        {"Cancer": 4},
    ],
    labels=[{"zip": "130**", "age": "<30"}, {"zip": "130**", "age": "≥40"}, {"zip": "130**", "age": "30-39"}],
)
SECOND = sl.Release.from_counts(
    [
        {"AIDS": 1, "Tuberculosis": 1, "Flu": 2, "Cancer": 2},
        {"Cancer": 3, "Viral infection": 2, "Flu": 1},
    ],
    labels=[{"zip": "130**", "age": "<35"}, {"zip": "130**", "age": "≥35"}],
)
BY = {"zip": sl.Hierarchy.masks("zip", ["13012", "13053"], hide=[2])}
PATIENTS = pl.DataFrame({"name": ["Alice", "Bob"], "zip": ["13012", "13053"], "age": [28, 47]})


def attacked(**options):
    return sl.intersect(
        [FIRST, SECOND], people=PATIENTS, by=BY, locate="intervals", same_values={}, person="name", **options
    )


def test_the_candidates_meet_in_one_value():
    exposure = attacked()
    witness = exposure.witness("Alice")
    assert witness.candidates == ("AIDS",)
    assert witness.beliefs == {"AIDS": 1}
    assert witness.replay([FIRST, SECOND], same_values={}) == ("AIDS",)
    whom, first, second, left = witness.explain().splitlines()
    assert mentions(whom, "1 person", "zip 13012, age 28")
    three, four = "AIDS, Heart disease, Viral infection", "AIDS, Cancer, Flu, Tuberculosis"
    assert mentions(
        first, "release 1", "group 1 (zip 130**, age <30)", 3, three, "rules out", four.removeprefix("AIDS, ")
    )
    assert mentions(
        second, "release 2", "group 1 (zip 130**, age <35)", 4, four, "rules out", three.removeprefix("AIDS, ")
    )
    assert mentions(left, "Only AIDS")
    assert exposure.smallest_groups == (4, 6)
    assert exposure.perfect == Fraction(1, 2)
    assert exposure.partial(0.5) == exposure.partial(Fraction(1, 2)) == 1
    assert exposure.vulnerable == 1
    assert exposure.values_lost.tolist() == [2, 1]
    assert exposure.distribution("before") == {3: 2}
    assert exposure.distribution("after") == {1: 1, 2: 1}


@pytest.mark.parametrize(("prior", "cancer"), [("uniform", Fraction(3, 7)), ("pooled", None)])
def test_what_is_believed_of_the_other_patient(prior, cancer):
    exposure = attacked(prior=prior, evidence="independent")
    beliefs = exposure.witness("Bob").beliefs
    assert set(beliefs) == {"Cancer", "Viral infection"}
    totals = {"Cancer": 10, "Viral infection": 6}  # of 24 in both releases
    odds = {"Cancer": Fraction(1, 4) * Fraction(3, 6), "Viral infection": Fraction(2, 4) * Fraction(2, 6)}
    if prior == "pooled":
        odds = {value: each / Fraction(totals[value], 24) for value, each in odds.items()}
        cancer = odds["Cancer"] / sum(odds.values())
    assert beliefs["Cancer"] == cancer


@pytest.fixture(scope="module")
def experiment():
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    adult = sl.datasets.adult(quasi=quasi)
    policies = {k: sl.Policy(sl.GroupSize() >= k) for k in (5, 10)}
    return sl.simulate_composition(adult.table, overlap=5_000, policies=policies, repetitions=2, seed=1)


def test_the_experiment_on_adult(experiment):
    """Mondrian at k = 5 gives about 5 % of 5,000 shared people away, at k = 10 about half a percent."""
    perfect = experiment.curve("perfect", method="mondrian")
    assert 0.04 < perfect["5"].mean < 0.065
    assert 0.002 < perfect["10"].mean < 0.01
    for point in experiment.points:
        figures = point.estimates
        assert figures["hits"].mean == figures["located right"].mean == 1
        assert figures["contradicted"].mean == 0
        assert figures["after"].mean < figures["before"].mean < figures["actual"].mean
        assert figures["promised"].mean >= int(point.policy)
        assert 0.5 < figures["vulnerable"].mean < 0.7
        shares = [estimate.mean for estimate in point.partial.values()]
        assert shares == sorted(shares)
        assert point.partial[Fraction(1)] == figures["perfect"]


def test_diversity_and_closeness_give_less_away_and_not_nothing():
    """The paper's last figure, on Adult: both help, both need larger groups, and both leave few candidates to many."""
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    adult = sl.datasets.adult(quasi=quasi)
    size = sl.GroupSize() >= 5
    policies = {
        "k": sl.Policy(size),
        "diverse": sl.Policy(size, sl.EntropyDiversity() >= 3),
        "close": sl.Policy(size, sl.Closeness() <= 0.4),
    }
    told = sl.simulate_composition(adult.table, overlap=5_000, people=12_000, policies=policies, repetitions=1, seed=1)
    perfect = [point.estimates["perfect"].mean for point in told.points]
    group_sizes = [point.estimates["actual"].mean for point in told.points]
    assert perfect == sorted(perfect, reverse=True)
    assert group_sizes == sorted(group_sizes)
    at_most_four, at_most_ten = ([point.partial[Fraction(1, many)].mean for point in told.points] for many in (4, 10))
    assert at_most_four[1] > 0.5
    assert all(share > 0.5 for share in at_most_ten)
    assert all(point.estimates["vulnerable"].mean > 0.4 for point in told.points)
