"""Counting by blocks of values, components and memory agrees with going through every world."""

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import Contradiction, TooHard
from sidelight.knowledge.facts import Someone, holds
from sidelight.knowledge.parse import read_facts
from sidelight.testing import facts, releases
from sidelight.worlds.brute_force import every_world
from sidelight.worlds.identify import identify
from sidelight.worlds.posterior import posterior


def investigation_probability(release, target, known):
    """Worlds with both / worlds with the facts; `None` if there is none of these."""
    people = dict.fromkeys(who for fact in (target, *known) for who in fact.people())
    rows = identify(release, people).group_of
    taken = dict.fromkeys(rows.values(), 0)
    places = {}
    for who, row in rows.items():
        places[who] = (row + 1, taken[row])
        taken[row] += 1
    both = possible = 0
    for world in every_world(release):
        has = {who: world[place] for who, place in places.items()}
        if all(holds(fact, has) for fact in known):
            possible += 1
            both += holds(target, has)
    return Fraction(both, possible) if possible else None


@st.composite
def questions(draw, max_leaves=5, max_known=3, **sizes):
    release = draw(releases(max_groups=2, max_people=3, max_values=3, **sizes))
    people = [Someone(row + 1, number + 1) for row, size in enumerate(release.groups.sizes) for number in range(size)]
    some = facts(people, release.domain, max_leaves=max_leaves)
    return release, draw(some), draw(st.lists(some, max_size=max_known))


@given(questions())
def test_posteriors_agree_with_every_world(question):
    release, target, known = question
    expected = investigation_probability(release, target, known)
    if expected is None:
        with pytest.raises(Contradiction):
            posterior(release, target, given=known)
    else:
        assert posterior(release, target, given=known) == expected


def replayed_as_facts(finding, release):
    """What `posterior` says of a finding's witness, told as facts and read again from their text."""
    target, known = finding.witness.as_facts()
    assert [sl.read_fact(str(fact)) for fact in (target, *known)] == [target, *known]
    assert posterior(release, target, given=known) == posterior(release, str(target), given=[*map(str, known)])
    return posterior(release, target, given=known)


@st.composite
def adversaries(draw, release):
    """A worst case of any amount, about one value or any."""
    value = draw(st.sampled_from([{}, *({"value": each} for each in release.domain if each is not None)]))
    few = st.integers(0, 3)
    some = [sl.Acquaintance(rules_out=draw(few), others=draw(few), family=draw(few), **value)]
    some += [sl.Implications(draw(few), **value), sl.Negations(draw(few), **value)]
    return draw(st.sampled_from(some))


@given(st.data())
def test_witnesses_replay_as_facts(data):
    release = data.draw(releases(max_groups=3, max_people=5, max_values=4))
    finding = data.draw(adversaries(release)).measure(release)
    if finding.witness is not None:
        assert replayed_as_facts(finding, release) == finding.value == finding.replay(release)


@given(st.data())
def test_each_point_of_a_curve_is_a_story(data):
    release = data.draw(releases(max_groups=2, max_people=4, max_values=3))
    kinds = [(sl.Acquaintance, {"rules_out": [0, 1], "others": [0, 2], "family": [0, 1]})]
    kinds += [(sl.Implications, {"k": range(4)}), (sl.Negations, {"k": range(4)})]
    kind, amounts = data.draw(st.sampled_from(kinds))
    for chosen, risk in sl.disclosure_curve(release, kind, amounts).points():
        finding = kind(**chosen).measure(release)
        assert finding.witness is None or replayed_as_facts(finding, release) == risk


@given(st.data())
def test_beyond_a_skyline_is_a_story(data):
    """At a maximal amount the worst story stays below the limit; with one more of anything, one does not."""
    release = data.draw(releases(max_groups=2, max_people=4, max_values=3))
    value = data.draw(st.sampled_from([each for each in release.domain if each is not None] or [None]))
    if value is None:
        return
    below = data.draw(st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(1)]))

    def story(amounts):
        finding = sl.Acquaintance(*amounts, value=value).measure(release)
        return finding.value if finding.witness is None else replayed_as_facts(finding, release)

    for point in sl.knowledge_skyline(release, value, below=below):
        held = tuple(3 if amount == math.inf else int(amount) for amount in point)
        assert story(held) < below
        for place in range(3):
            more = tuple(amount + (each == place) for each, amount in enumerate(held))
            known_best = any(
                all(have <= most for have, most in zip(more, other, strict=True))
                for other in sl.knowledge_skyline(release, value, below=below)
            )
            assert known_best or more[0] >= len(release.domain) or story(more) >= below


@given(questions(max_leaves=8, max_known=4, semantics="single"))
def test_with_little_effort_the_answer_is_the_same_or_bounded(question):
    release, target, known = question
    expected = investigation_probability(release, target, known)
    if expected is None:
        return
    try:
        assert posterior(release, target, given=known, effort=sl.Effort(states=20)) == expected
    except TooHard as told:
        assert told.low <= expected <= told.high  # noqa: PT017


@st.composite
def crowds(draw):
    """One group of up to six people with one of up to five values each, and facts about four of them."""
    bag = draw(st.lists(st.sampled_from("abcde"), min_size=4, max_size=6))
    release = sl.Release.from_counts([{value: bag.count(value) for value in set(bag)}], domain="abcde")
    some = facts([Someone(1, number) for number in range(1, 5)], "abcde", max_leaves=7)
    return release, draw(some), draw(st.lists(some, max_size=4))


@given(crowds())
def test_crowds_agree_with_every_world(question):
    release, target, known = question
    expected = investigation_probability(release, target, known)
    if expected is not None:
        assert posterior(release, target, given=known) == expected


@given(questions(max_leaves=2, max_known=6))
def test_contradictions_are_smallest(question):
    release, target, known = question
    parts = read_facts(known)
    try:
        posterior(release, target, given=known)
    except Contradiction as told:
        sizes = (
            size
            for size in range(1, len(parts) + 1)
            if any(investigation_probability(release, target, some) is None for some in combinations(parts, size))
        )
        assert len(told.facts) == next(sizes)  # noqa: PT017
        blamed = [sl.read_fact(text) for text in told.facts]
        assert investigation_probability(release, target, blamed) is None
