"""What measures claim about their amounts: more of them never makes a release safer, so searches halve over them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every_measure import SEMANTICS, measures_of
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.policy.measure_names import all_measures
from sidelight.testing import releases


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_more_is_never_better_where_it_is_claimed(semantics):
    @examples(20)
    @given(releases(semantics=semantics, max_groups=3), st.integers(1, 6))
    def hunt(release, more):
        for measure in measures_of(release):
            amounts = measure.amounts()
            for name in set(measure.more_is_worse) & set(amounts):
                larger = measure.replace_settings(**{name: amounts[name] + more})
                before, after = measure.measure(release).value, larger.measure(release).value
                assert after >= before if measure.large_is_bad else after <= before, (measure, larger)

    hunt()


@pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.__name__)
def test_what_is_claimed_is_claimed_of_settings(kind):
    for measure in kind.examples(("a", "b")):
        assert all(hasattr(measure, name) for name in measure.more_is_worse)
        if measure.mergeable:
            assert measure.about("disease").more_is_worse == measure.more_is_worse


def test_exactly_so_stubborn_has_no_order():
    """Who is more stubborn is moved less by one person, and may be surprised more by all: so both ways."""
    pair = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])
    skewed = sl.Release.from_counts([{"Flu": 9, "Cold": 1}])
    exactly = [sl.PriorBelief(shape="uniform", stubbornness=most, least_stubbornness="same") for most in (2, 1_000)]
    assert exactly[0].measure(pair).value > exactly[1].measure(pair).value
    assert exactly[0].measure(skewed).value < exactly[1].measure(skewed).value
    assert "stubbornness" not in exactly[0].more_is_worse


def test_too_little_makes_no_sense_before_it_makes_a_release_safe():
    """Halving takes what makes no sense for too little: nothing above something that makes sense does."""
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 1, "HIV": 1}])

    def makes_sense(stubbornness: int) -> bool:
        try:
            sl.PriorBelief(shape="release", stubbornness=stubbornness).measure(release)
        except BadMeasure:
            return False
        return True

    sensible = [makes_sense(stubbornness) for stubbornness in range(12)]
    assert sensible == sorted(sensible)
    assert sensible[4]
    assert not sensible[3]
