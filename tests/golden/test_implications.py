"""The numbers of Martin et al., Worst-case background knowledge (ICDE 2007), and its tie to recursive diversity."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.measures.ck_safety.implications import Atom, Implication, ImplicationsWitness
from sidelight.testing import releases
from sidelight.worlds.brute_force import probability

HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ]
)
CHARLIE, HANNAH = (1, 1), (2, 1)


@pytest.mark.parametrize(("k", "risk"), [(0, Fraction(2, 5)), (1, Fraction(2, 3)), (2, Fraction(1))])
def test_ten_patients(k, risk):
    finding = sl.Implications(k).measure(HOSPITAL)
    assert finding.value == finding.replay(HOSPITAL) == risk
    assert len(finding.witness.implications) == k


def test_if_hannah_has_flu_so_has_charlie():
    posterior = probability(
        HOSPITAL,
        lambda world: "Flu" in world[CHARLIE],
        given=lambda world: "Flu" not in world[HANNAH] or "Flu" in world[CHARLIE],
    )
    known = Implication(Atom(HANNAH, "Flu"), Atom(CHARLIE, "Flu"))
    witness = ImplicationsWitness(HOSPITAL.groups.name(0), "Flu", target=CHARLIE, implications=(known,))
    assert posterior == witness.posterior(HOSPITAL) == Fraction(10, 19)


def test_the_worst_case_in_words():
    explanation = sl.Implications(1).measure(HOSPITAL).explain()
    assert mentions(explanation, "group 1", "anyone", "Flu", "2/3", "knows", "if", "Lung cancer", "Flu")
    assert explanation.count(".") == 1


@given(
    releases(semantics="single", max_people=8, max_values=5), st.integers(2, 5), st.fractions(0, 5, max_denominator=6)
)
def test_recursive_diversity_bounds_negations(release, ell, c):
    """n(x₁) ≤ c·(n(x_ℓ) + n(x_{ℓ+1}) + …) in every group just when ℓ − 2 negations reach at most c/(c+1)."""
    diverse = sl.RecursiveDiversity(l=ell).measure(release).value <= c
    assert diverse == (sl.Negations(ell - 2).measure(release).value <= c / (c + 1))


@given(releases(semantics="single", max_people=8, max_values=5), st.integers(0, 5))
def test_implications_say_at_least_as_much_as_negations(release, k):
    assert sl.Implications(k).measure(release).value >= sl.Negations(k).measure(release).value


def figure_6(k):
    """Of Adult's generalisations with no single-valued group, the least risk for each entropy, by rising entropy."""
    data = sl.datasets.adult()
    least = {}
    for levels in product(range(6), range(3), range(2), range(2)):
        release = sl.generalise(data.table, by=data.hierarchies, to=dict(zip(QUASI, levels, strict=True)))
        if sl.DistinctValues().measure(release).value > 1:
            entropy = sl.EntropyDiversity().measure(release).value
            risk = sl.Implications(k).measure(release).value
            least[entropy] = min(least.get(entropy, (Fraction(1), levels)), (risk, levels))
    return [(entropy, *least[entropy]) for entropy in sorted(least)]


QUASI = ("age", "marital-status", "race", "sex")


def test_risk_does_not_fall_with_entropy():
    """The paper reads Figure 6 so; even of its own tables, the next more diverse one is riskier in 6 of 22 steps."""
    points = figure_6(k=1)
    rises = [(one, other) for one, other in pairwise(points) if other[1] > one[1]]
    assert (len(points), len(rises)) == (23, 6)
    (_, lower, by_marital_status_and_sex), (_, higher, by_race_and_sex) = rises[2]
    assert (by_marital_status_and_sex, by_race_and_sex) == ((5, 0, 1, 0), (5, 1, 0, 0))
    assert (lower, higher) == (Fraction(15, 43), Fraction(32, 67))


def test_nor_does_it_of_one_group():
    """{a: 1, b: 1} has less entropy than {a: 6, b: 1, c: 1, d: 1, e: 1}, and less is known of it, to one who knows nothing."""
    even, skewed = ({"a": 1, "b": 1}, {"a": 6, "b": 1, "c": 1, "d": 1, "e": 1})
    releases_of_one_group = [sl.Release.from_counts([counts]) for counts in (even, skewed)]
    less, more = (sl.EntropyDiversity().measure(each).value for each in releases_of_one_group)
    assert less < more
    assert [sl.Implications(0).measure(each).value for each in releases_of_one_group] == [
        Fraction(1, 2),
        Fraction(3, 5),
    ]
