"""Worlds counted by formulas agree with those counted one by one."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.testing import releases
from sidelight.worlds.brute_force import probability
from sidelight.worlds.closed_forms import probability_of_avoiding


@given(st.data(), releases(semantics="single", max_groups=1, max_people=6))
def test_it_is_what_every_world_says(data, release):
    sets = st.frozensets(st.sampled_from(release.domain))
    avoided = data.draw(st.lists(sets, max_size=release.size))
    bag = dict(zip(release.domain, release.groups.counts.row(0).tolist(), strict=True))
    counted = probability(
        release, lambda world: all(not world[1, place] & values for place, values in enumerate(avoided))
    )
    assert probability_of_avoiding(bag, avoided) == counted


def test_people_who_cannot_avoid():
    assert probability_of_avoiding({"a": 2}, [frozenset("a")]) == 0
    assert probability_of_avoiding({"a": 2, "b": 3}, []) == 1


def test_large_groups():
    """Twelve implications in groups of a hundred, of a million: the worlds have hundreds of digits or more."""
    for size in (1, 10_000):
        release = sl.Release.from_counts([{f"v{n:02}": (5 + n % 3) * size for n in range(16)}] * 3)
        for k in (1, 12, 14):
            finding = sl.Implications(k).measure(release)
            assert finding.replay(release) == finding.value < 1
    staircase = [frozenset(f"v{n}" for n in range(many)) for many in (6, 5, 4, 3, 2, 1, 1)]
    assert 0 < probability_of_avoiding({f"v{n}": 10 for n in range(10)}, staircase) < Fraction(1, 2)
