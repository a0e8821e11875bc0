"""What a data owner would want to notice: who breaks a limit, who is alone, which values look alike."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.report.report import ALONE, audit_report, broken_by, look_alikes
from sidelight.testing import releases

CRITERIA = [
    sl.GroupSize() >= 3,
    sl.DistinctValues() >= 2,
    sl.EntropyDiversity() >= 2,
    sl.RecursiveDiversity(l=2) <= 2,
    sl.Closeness() <= Fraction(1, 4),
    sl.BetaLikeness() <= 1,
    sl.Acquaintance(rules_out=1) < Fraction(1, 2),
    sl.PriorBelief(shape="uniform", stubbornness=4) <= 2,
]


@given(releases(), st.sampled_from(CRITERIA))
def test_groups_that_break_a_limit_are_counted_one_by_one(release, criterion):
    if release.semantics not in criterion.measure.semantics:
        return
    judgement = criterion.judge(release)
    people = []
    for row in range(len(release)):
        group = release.groups.take(np.array([row]))
        finding = criterion.measure.summarize(group).finding()
        if finding.witness is not None and not criterion.decide(finding).holds:  # groups without values are passed over
            people.append(int(group.sizes[0]))
    found = broken_by(judgement, release)
    assert (found.groups, found.people) == (len(people), sum(people))
    assert judgement.holds == (found.groups == 0) or judgement.finding.witness is None


def test_measures_of_several_groups_together_are_not_counted():
    release = sl.Release.from_counts([{"Flu": 5}, {"Flu": 3, "Cold": 3}])
    report = audit_report(release, verdict=sl.Policy(sl.Implications(1) < 0.5, sl.GroupSize() >= 6).judge(release))
    assert [answer.broken_by and answer.broken_by.model_dump() for answer in report.answers] == [
        None,
        {"groups": 1, "people": 5},
    ]
    assert audit_report(release, findings=[sl.GroupSize().measure(release)]).answers[0].broken_by is None


@pytest.mark.parametrize(("size", "notes"), [(1, (ALONE,)), (2, ())])
def test_a_group_of_one_person_is_warned_of(size, notes):
    release = sl.Release.from_counts([{"Flu": size}, {"Flu": 3}])
    assert audit_report(release, findings=[sl.GroupSize().measure(release)]).answers[0].notes == notes


def test_values_that_look_alike():
    labels = [{"city": "Ulm"}, {"city": " ulm"}, {"city": None}]
    release = sl.Release.from_counts([{"Flu": 1}, {"flu ": 1, "FLU": 1}, {"Cold": 1}], labels=labels)
    assert list(look_alikes(release)) == [
        "city: ' ulm', 'Ulm' look alike; they count as different values",
        "value: 'FLU', 'Flu', 'flu ' look alike; they count as different values",
    ]
    assert audit_report(release).notes == tuple(look_alikes(release))
    many = sl.Release.from_counts([{text: 1 for n in range(5) for text in (f"v{n}", f"V{n}")}])
    assert list(look_alikes(many)) == [
        "value: 'V0', 'v0'; 'V1', 'v1'; 'V2', 'v2' (and 2 more such) look alike; they count as different values"
    ]
    assert list(look_alikes(sl.Release.from_counts([{"1": 1, "1.0 mg": 1, "Flu": 1}]))) == []
