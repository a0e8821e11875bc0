"""Counting with lumps, components and memory agrees with going through every world."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import Contradiction
from sidelight.knowledge.people import Someone
from sidelight.knowledge.truth import is_so
from sidelight.testing import releases
from sidelight.testing.fact_strategies import facts
from sidelight.worlds.cast import cast_of
from sidelight.worlds.every_world import every_world
from sidelight.worlds.posterior import posterior


def by_every_world(release, target, known):
    """Worlds with both / worlds with the facts; `None` if there is none of these."""
    people = dict.fromkeys(who for fact in (target, *known) for who in fact.people())
    rows = cast_of(release, people).rows
    taken = dict.fromkeys(rows.values(), 0)
    places = {}
    for who, row in rows.items():
        places[who] = (row + 1, taken[row])
        taken[row] += 1
    both = possible = 0
    for world in every_world(release):
        has = {who: world[place] for who, place in places.items()}
        if all(is_so(fact, has) for fact in known):
            possible += 1
            both += is_so(target, has)
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
    expected = by_every_world(release, target, known)
    if expected is None:
        with pytest.raises(Contradiction):
            posterior(release, target, given=known)
    else:
        assert posterior(release, target, given=known) == expected
