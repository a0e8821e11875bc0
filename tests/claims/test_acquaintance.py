"""What is claimed of acquaintance: merging, congregation's special cases, more knowledge is never less risk."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.worst_cases import worst_acquaintance

import sidelight as sl
from sidelight.testing import merged, merges, releases

amounts = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4))


@examples(120)
@given(merges(semantics="single", max_people=7, max_values=5), amounts, st.data())
def test_merging_never_raises_the_risk_of_any_value_in_single(pair, knows, data):
    finer, coarser = pair
    value = data.draw(st.sampled_from([None, *(text for text in finer.domain if text is not None)]))
    measure = sl.Acquaintance(*knows, value=value)
    assert measure.monotonicity("single") is sl.Monotonicity.NON_INCREASING
    assert measure.measure(coarser).value <= measure.measure(finer).value


def test_merging_can_raise_the_risk_in_set():
    """Few have a; where it is rarer, two other values are frequent that could be ruled out."""
    finer = sl.Release.from_counts([{"a": 1, "b": 3, "c": 3}, {"a": 2}], sizes=[9, 9], values="set")
    measure = sl.Acquaintance(rules_out=2, value="a")
    assert measure.monotonicity("set") is sl.Monotonicity.UNKNOWN
    assert measure.measure(finer).value == Fraction(2, 9)
    assert measure.measure(merged(finer, [0, 0])).value == Fraction(36, 161) > Fraction(2, 9)


def test_merging_can_raise_the_risk_in_multiset():
    finer = sl.Release.from_counts([{"a": 1, "b": 6}, {"a": 3}], sizes=[5, 5], values="multiset")
    measure = sl.Acquaintance(rules_out=1, value="a")
    assert measure.monotonicity("multiset") is sl.Monotonicity.UNKNOWN
    assert measure.measure(finer).value == Fraction(15625, 32009)
    assert measure.measure(merged(finer, [0, 0])).value == Fraction(3439000000, 6925784401) > Fraction(15625, 32009)


def test_the_raised_risk_is_there_in_every_world():
    """The smallest counterexample that can be counted: nothing of it comes from the closed formula."""
    finer = sl.Release.from_counts([{"a": 1, "b": 3, "c": 3}, {"a": 2}], sizes=[9, 9], values="set")
    coarser = merged(finer, [0, 0])
    before, after = (sl.Acquaintance(rules_out=2, value="a").measure(each) for each in (finer, coarser))
    assert before.replay(finer) == before.value < after.value == after.replay(coarser)


@given(releases(max_people=6), amounts, st.integers(0, 2), st.sampled_from(["rules_out", "others", "family"]))
def test_more_knowledge_is_never_less_risk(release, knows, more, direction):
    less = dict(zip(("rules_out", "others", "family"), knows, strict=True))
    greater = {**less, direction: less[direction] + more}
    assert sl.Acquaintance(**less).measure(release).value <= sl.Acquaintance(**greater).measure(release).value


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(2, 6))
def test_k_anonymity_is_knowing_k_minus_2_others_when_the_value_is_the_identity(sizes, k):
    """Everybody has a value of their own: k − 2 others of a group of k leave two candidates."""
    names = iter(range(100))
    release = sl.Release.from_counts([{f"person {next(names)}": 1 for _ in range(size)} for size in sizes])
    identity = sl.Acquaintance(others=k - 2) < 1
    assert identity.judge(release).holds == (sl.GroupSize() >= k).judge(release).holds


@given(
    releases(semantics="single", max_people=9, max_values=5),
    st.integers(2, 5),
    st.sampled_from([1, 2, 3, Fraction(3, 2)]),
)
def test_recursive_diversity_is_ruling_out_l_minus_2_values(release, l, c):  # noqa: E741
    """n(x₁) ≤ c·tail is risk ≤ c/(c+1): at most, not below."""
    diverse = (sl.RecursiveDiversity(l=l) <= c).judge(release).holds
    limit = Fraction(c) / (Fraction(c) + 1)
    assert (sl.Acquaintance(rules_out=l - 2) <= limit).judge(release).holds == diverse


@given(releases(semantics="single", max_people=6), st.integers(0, 3))
def test_ruling_out_values_is_what_negations_know(release, k):
    assert sl.Acquaintance(rules_out=k).measure(release).value == sl.Negations(k).measure(release).value


@examples(12)
@given(releases(max_groups=2, max_people=3, max_values=3), amounts)
def test_the_knowledge_skyline_is_where_the_release_stops_holding(release, knows):
    """A point holds, by counting every world, just when it lies at or under a point of the skyline."""
    value = next((text for text in release.domain if text is not None), None)
    if value is None:
        return
    points = sl.knowledge_skyline(release, value, below=Fraction(1, 2))
    under = any(
        all(
            mine <= most for mine, most in zip((min(knows[0], len(release.domain) - 1), *knows[1:]), point, strict=True)
        )
        for point in points
    )
    rules_out, others, family = knows
    risk = worst_acquaintance(release, value, rules_out=rules_out, others=others, family=family)
    assert (risk < Fraction(1, 2)) == under


@pytest.mark.parametrize("value", ["a", None])
def test_nobody_at_risk_is_said_so(value):
    release = sl.Release.from_counts([{"b": 0}], sizes=[3], values="set", domain=["a", "b"])
    finding = sl.Acquaintance(1, 1, 1, value=value).measure(release)
    assert (finding.value, finding.witness) == (0, None)
    assert finding.notes
