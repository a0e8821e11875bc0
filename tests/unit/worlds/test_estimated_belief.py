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


def estimated(person="Bob", **settings):
    settings = {
        "samples": 500,
        "confidence": 0.999,
        "rng": np.random.default_rng(3),
        "effort": Effort(states=1),
        "lookup": Lookup.build(None, None, None),
        **settings,
    }
    return estimate_belief(WARD, FACTS, sl.posteriors(WARD, person=person), **settings)


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
    with pytest.raises(TooHard) as caught:
        estimated()
    assert str(caught.value) == (
        "of the worlds that were drawn, none fits the facts; draw more with samples=, "
        "or count more with states= and seconds="
    )
    assert (caught.value.low, caught.value.high) == (0, 1)


def test_somebody_whom_the_facts_do_not_mention_is_estimated_too():
    truth = sl.posteriors(WARD, given=FACTS, person="Ann")
    for value, estimate in estimated("Ann").after.items():
        assert estimate.low <= truth[value] <= estimate.high


def test_worlds_are_drawn_with_the_effort_that_is_allowed(monkeypatch):
    allowed = []
    monkeypatch.setattr(Observer, "estimates", lambda self, *_, **__: allowed.append(self.effort) or [])
    with pytest.raises(TooHard):
        estimated(effort=Effort(states=17))
    assert allowed == [Effort(states=17)]


def test_notes_say_what_was_assumed_to_find_people():
    release = sl.Release.from_counts([{"Flu": 2}, {"Flu": 1, "Cold": 2}], labels=[{"city": "Ulm"}, {"city": "*"}])
    before = sl.posteriors(release, person={"city": "Rome"}, suppressed="may hold them")
    belief = estimate_belief(
        release,
        read_facts(["#2.2 = Flu -> #2.3 = Cold"]),
        before,
        effort=Effort(states=1),
        lookup=Lookup.build(None, None, "may hold them"),
        rng=np.random.default_rng(1),
        samples=10,
        confidence=0.9,
    )
    assert len(belief.notes) == 1
    assert belief.notes == before.notes


def test_people_are_looked_up_as_it_was_said():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 2}], labels=[{"city": "South"}, {"city": "West"}])
    by = {"city": sl.Hierarchy("city", (("Ulm", "Bonn"), ("South", "West")))}
    facts = read_facts(["{city = Ulm} = Flu -> #1.2 = Flu"])
    belief = estimate_belief(
        release,
        facts,
        sl.posteriors(release, person={"city": "Ulm"}, by=by),
        effort=Effort(states=1),
        lookup=Lookup.build(by, None, None),
        rng=np.random.default_rng(1),
        samples=200,
        confidence=0.999,
    )
    truth = sl.posteriors(release, given=facts, person={"city": "Ulm"}, by=by)
    assert (str(belief), belief.group, belief.notes) == ("{city = Ulm}", truth.group, ())
    assert [estimate.low <= truth[value] <= estimate.high for value, estimate in belief.after.items()] == [True, True]
