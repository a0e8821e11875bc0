"""How much counting is allowed, and what happens beyond."""

from itertools import combinations
from math import inf

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard
from sidelight.knowledge.facts import Has, Same
from sidelight.knowledge.people import Someone
from sidelight.rounding import MOST_OF_ANYTHING
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.posterior import posterior

CROWD = sl.Release.from_counts([{f"v{value:02d}": 5 for value in range(20)}] * 2)
DIFFER = [~Same(Someone(1, one), Someone(2, other)) for one, other in combinations(range(1, 9), 2)]


def test_seconds_limit_the_effort_too():
    with pytest.raises(TooHard):
        posterior(CROWD, Has(Someone(1), "v00"), given=DIFFER, effort=Effort(seconds=0.05))


def test_a_meter_gives_up_when_all_states_are_spent():
    meter = Meter(Effort(states=10, seconds=None))
    meter.spend(10)
    assert meter.remaining() == Effort(states=1, seconds=None)  # at least a little
    with pytest.raises(OverEffort):
        meter.spend()


def test_an_effort_is_divided():
    assert Effort(states=100, seconds=8).share(8) == Effort(states=12, seconds=1)
    assert Effort(states=3, seconds=None).share(8) == Effort(states=1, seconds=None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"states": 0}, "an effort allows at least one state and more than no seconds"),
        ({"seconds": 0}, "an effort allows at least one state and more than no seconds"),
        ({"seconds": -1.5}, "an effort allows at least one state and more than no seconds"),
        ({"seconds": 1e300}, "an effort of 1e+300 seconds never ends; say seconds=None for any number"),
        (
            {"seconds": MOST_OF_ANYTHING + 1},
            "an effort of 9007199254740993 seconds never ends; say seconds=None for any number",
        ),
        ({"states": "1"}, "a number of states is a number, not '1'; give a number"),
        ({"seconds": "soon"}, "a number of seconds is a number, not 'soon'; give a number"),
        ({"seconds": float("nan")}, "a number of seconds is a number, not nan; give a number"),
    ],
)
def test_an_effort_that_allows_nothing_is_refused(given, words):
    with pytest.raises(BadMeasure) as refused:
        Effort(**given)
    assert str(refused.value) == words


def test_the_least_effort_is_one_state_and_hardly_any_time_and_the_most_has_no_end():
    assert Effort(seconds=MOST_OF_ANYTHING).seconds == MOST_OF_ANYTHING
    assert Effort(seconds=inf).seconds == inf
    assert Effort(states=1, seconds=1e-9).states == 1
    assert Effort(states=1, seconds=None).seconds is None


def long_ago(**allowed):
    """A meter that runs since ever."""
    return Meter(Effort(**allowed), started=-inf)


def test_a_meter_counts_one_state_unless_told_otherwise():
    meter = Meter(Effort(states=10, seconds=None))
    meter.spend()
    meter.spend(4)
    assert meter.states == 5
    assert meter.remaining() == Effort(states=5, seconds=None)


def test_a_meter_looks_at_the_time_whenever_64_states_more_are_full():
    meter = long_ago(states=1000)
    meter.spend(63)
    with pytest.raises(OverEffort):
        meter.spend()
    meter.spend()
    meter.spend(62)
    assert meter.states == 127
    with pytest.raises(OverEffort):
        meter.spend(200)
    with pytest.raises(OverEffort):
        meter.check_time()


def test_a_meter_is_late_only_beyond_its_seconds():
    assert long_ago(seconds=20).is_late()
    assert not long_ago(seconds=inf).is_late()  # as long as it was allowed, and no longer
    assert not long_ago(seconds=None).is_late()
    assert not Meter(Effort(seconds=20), started=inf).is_late()
    Meter(Effort(seconds=20), started=inf).check_time()


def test_of_the_seconds_at_least_a_millisecond_is_left():
    assert long_ago(states=9, seconds=20).remaining() == Effort(states=9, seconds=1e-3)
    assert long_ago(states=9, seconds=None).remaining() == Effort(states=9, seconds=None)
    assert Meter(Effort(states=9, seconds=20), started=inf).remaining() == Effort(states=9, seconds=inf)
