"""How much counting is allowed, and what happens beyond."""

from itertools import combinations

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard
from sidelight.knowledge.facts import Has, Same
from sidelight.knowledge.people import Someone
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.posterior import posterior

CROWD = sl.Release.from_counts([{f"v{value:02d}": 5 for value in range(20)}] * 2)
DIFFER = [~Same(Someone(1, one), Someone(2, other)) for one, other in combinations(range(1, 9), 2)]


def test_seconds_limit_the_effort_too():
    with pytest.raises(TooHard):
        posterior(CROWD, Has(Someone(1), "v00"), given=DIFFER, effort=Effort(seconds=0.05))
    with pytest.raises(BadMeasure):
        Effort(states=0)


def test_a_meter_gives_up_when_all_states_are_spent():
    meter = Meter(Effort(states=10, seconds=None))
    meter.spend(10)
    assert meter.left() == Effort(states=1, seconds=None)  # at least a little
    with pytest.raises(OverEffort):
        meter.spend()


def test_an_effort_is_divided():
    assert Effort(states=100, seconds=8).share(8) == Effort(states=12, seconds=1)
    assert Effort(states=3, seconds=None).share(8) == Effort(states=1, seconds=None)
