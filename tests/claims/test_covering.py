"""Nobody who knows some facts is surer than the k implications that cover them tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadKnowledge, Contradiction, UnknownValue
from sidelight.testing import facts, releases


@given(st.data())
def test_implications_cover_the_facts(data):
    release = data.draw(releases(semantics="single", max_groups=2, max_people=3, max_values=3))
    people = [sl.Someone(row + 1, place + 1) for row, size in enumerate(release.groups.sizes) for place in range(size)]
    known = data.draw(st.lists(facts(people, release.domain, max_leaves=4), min_size=1, max_size=3))
    try:
        k = sl.covering_k(release, known)
    except Contradiction:
        with pytest.raises(Contradiction):
            sl.posteriors(release, given=known)
        return
    worst = sl.Implications(k).measure(release).value
    assert all(chance <= worst for belief in sl.posteriors(release, given=known).beliefs for chance in belief.values())
    assert k <= len(sl.Fact.basic_implications(_all(known), [*release.domain, "another value"]))


def _all(known):
    fact = known[0]
    for other in known[1:]:
        fact &= other
    return fact


WARD = sl.Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}, {"Flu": 1, "Lung": 2}])


@pytest.mark.parametrize(
    ("known", "k"),
    [
        (None, 0),
        ("#1 = Flu or #1 != Flu", 0),
        ("#1 = Lung -> #2 = Flu", 0),  # nobody of group 1 has it
        ("#2 = Flu", 1),  # not Lung: what else is there?
        ("#1 = Flu", 2),
        ("#1 = Flu -> #2 = Flu", 1),
        (["#1 = Flu -> #2 = Flu", "#1.2 != Cold"], 2),
        ("same(#1, #2)", 2),  # #2 = Lung -> #2 = Flu, and #2 = Flu -> #1 = Flu
    ],
)
def test_k_counts_what_can_be(known, k):
    assert sl.covering_k(WARD, known) == k


@given(st.integers(0, 3), releases(semantics="single", max_groups=2, max_people=4, max_values=3))
def test_it_is_tight_for_the_worst_case(k, release):
    """The worst k implications are covered by k, and reach what these tell."""
    finding = sl.Implications(k).measure(release)
    target, known = finding.witness.as_facts()
    assert sl.covering_k(release, known) <= k
    assert sl.posterior(release, target, given=known) == finding.value


def test_what_cannot_be_is_refused():
    with pytest.raises(Contradiction, match="'#1 = Lung' cannot hold"):
        sl.covering_k(WARD, ["#2 = Flu", "#1 = Lung"])
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        sl.covering_k(WARD, "#1 != Fluu")
    several = sl.Release.from_counts([{"Flu": 2}], sizes=[3], values="set")
    with pytest.raises(BadKnowledge, match=r"everybody.*one value") as caught:
        sl.covering_k(several, "#1 = Flu")
    assert 'values="set"' in str(caught.value)
    assert caught.value.parameters == ("values",)
