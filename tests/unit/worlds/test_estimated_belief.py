"""Beliefs from worlds that were drawn: around what counting says, and refused where no world fits."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.knowledge.parse_facts import read_facts
from sidelight.release.locate import Lookup
from sidelight.worlds.effort import Effort
from sidelight.worlds.estimated_belief import estimate_belief
from sidelight.worlds.posterior import Observer

WARD = sl.Release.from_groups([(["Bob", "Ed", "Ann"], ["Flu", "Flu", "Cold"]), (["Eve"], ["Gout"])])
FACTS = read_facts(["Ed = Flu -> Bob = Flu"])


def estimated(**settings):
    settings = {"samples": 500, "confidence": 0.999, "rng": np.random.default_rng(3), **settings}
    lookup = Lookup.of(None, None, None)
    return estimate_belief(
        WARD, FACTS, sl.posteriors(WARD, person="Bob"), effort=Effort(states=1), lookup=lookup, **settings
    )


def test_each_interval_holds_what_counting_says():
    belief, truth = estimated(), sl.posteriors(WARD, given=FACTS, person="Bob")
    assert str(belief) == "Bob"
    assert dict(belief.before) == dict(truth.before)
    for value, estimate in belief.after.items():
        assert estimate.low <= truth[value] <= estimate.high


def test_a_value_that_nobody_in_the_group_has_needs_no_worlds():
    assert (estimated().after["Gout"].value, estimated().after["Gout"].worlds) == (0, 0)


def test_where_no_world_fits_it_says_what_to_raise(monkeypatch):
    monkeypatch.setattr(Observer, "estimates", lambda *_, **__: [])
    with pytest.raises(TooHard, match="none fits the facts; draw more with samples="):
        estimated()


def test_people_are_looked_up_as_it_was_said():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 2}], labels=[{"city": "South"}, {"city": "West"}])
    by = {"city": sl.Hierarchy("city", (("Ulm", "Bonn"), ("South", "West")))}
    facts = read_facts(["{city = Ulm} = Flu -> #1.2 = Flu"])
    belief = estimate_belief(
        release,
        facts,
        sl.posteriors(release, person={"city": "Ulm"}, by=by),
        effort=Effort(states=1),
        lookup=Lookup.of(by, None, None),
        rng=np.random.default_rng(1),
        samples=200,
        confidence=0.999,
    )
    truth = sl.posteriors(release, given=facts, person={"city": "Ulm"}, by=by)
    assert (str(belief), belief.group, belief.notes) == ("{city = Ulm}", truth.group, ())
    assert [estimate.low <= truth[value] <= estimate.high for value, estimate in belief.after.items()] == [True, True]
