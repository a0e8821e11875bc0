"""The numbers of Martin et al., Worst-case background knowledge (ICDE 2007), and its tie to recursive diversity."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert explanation == (
        "In group 1 anyone, the target, could be shown to have Flu with probability 2/3 "
        "by someone who knows that, if the target has Lung cancer, the target has Flu."
    )


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
