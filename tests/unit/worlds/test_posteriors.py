"""Whole distributions, and whom the facts say most about."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadKnowledge, Contradiction
from sidelight.knowledge.parse_facts import read_person
from sidelight.knowledge.people import Someone
from sidelight.testing import facts, releases
from sidelight.worlds.posterior import posterior, posteriors


@given(st.data())
def test_each_belief_is_what_posterior_says(data):
    release = data.draw(releases(max_groups=2, max_people=3, max_values=3))
    people = [Someone(row + 1, number + 1) for row, size in enumerate(release.groups.sizes) for number in range(size)]
    known = data.draw(st.lists(facts(people, release.domain, max_leaves=3), max_size=2))
    person = data.draw(st.sampled_from(people))
    try:
        belief = posteriors(release, given=known, person=person)
    except Contradiction:
        return
    assert dict(belief) == {value: posterior(release, sl.Has(person, value), given=known) for value in release.domain}
    assert dict(belief.before) == {value: posterior(release, sl.Has(person, value)) for value in release.domain}
    if release.semantics == "single":
        assert sum(belief.values()) == 1
    everybody = posteriors(release, given=known)
    for each in everybody.beliefs:
        chances = {value: posterior(release, sl.Has(each.person, value), given=known) for value in release.domain}
        assert dict(each) == chances
    moved = [each.moved for each in everybody.top(99)]
    assert moved == sorted(moved, reverse=True)


def test_others_of_a_group_move_too():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 1, "b": 1}])
    first, second = posteriors(release, given="#1 = a").top()
    assert (str(first), first.value, first.moved) == ("#1", "a", Fraction(2, 3))
    assert (str(second), second["a"], second.unnamed) == ("anyone else in group 1", 0, True)
    told = posteriors(release, given="#1 = a")
    assert told.of(Someone(1)) == first
    assert told.top(1) == (first,)
    with pytest.raises(BadKnowledge, match="do not mention #2"):
        told.of(Someone(2))
    assert posteriors(release).top() == told.top(0) == told.top(-1) == ()


def test_values_are_looked_up_as_cells_say_them():
    belief = posteriors(sl.Release.from_counts([{"5": 1, None: 2}]), person=Someone(1))
    assert belief[5] == belief[5.0] == belief["5"] == Fraction(1, 3)
    assert belief[None] == belief[float("nan")] == Fraction(2, 3)
    assert belief.get(7) is None
    assert 7 not in belief


def test_a_person_is_read_as_facts_write_them():
    assert read_person("someone in group 3") == Someone(3)
    with pytest.raises(BadKnowledge, match="comes too late"):
        read_person("Bob = Flu")
