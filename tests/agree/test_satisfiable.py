"""Looking for one world agrees with going through every world."""

from hypothesis import given
from hypothesis import strategies as st

from sidelight.knowledge.facts import Someone, holds
from sidelight.testing import facts, releases
from sidelight.worlds.brute_force import every_world
from sidelight.worlds.counting.compile import Effort, Meter
from sidelight.worlds.estimate import world_search
from sidelight.worlds.identify import identify


@given(st.data())
def test_facts_are_possible_where_a_world_fits(data):
    release = data.draw(releases(max_groups=2, max_people=3, max_values=3))
    everybody = {
        Someone(row + 1, place + 1): (row + 1, place)
        for row, size in enumerate(release.groups.sizes)
        for place in range(size)
    }
    known = data.draw(st.lists(facts([*everybody], release.domain, max_leaves=5), max_size=5))
    fits = any(
        all(holds(fact, {who: world[place] for who, place in everybody.items()}) for fact in known)
        for world in every_world(release)
    )
    mentioned = dict.fromkeys(who for fact in known for who in fact.people())
    for people in (mentioned, everybody):
        assert world_search(release, identify(release, people), known, Meter(Effort()))(range(len(known))) == fits
