"""What documents are made of: exact numbers, rounding towards caution, and plain data.

Facts that several documents tell: the same model, filled the same way, in each.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.documents.document import (
    FileFacts,
    FindingFacts,
    PeopleCounts,
    finding_facts,
    number,
    people_counts,
    plain,
)
from sidelight.measures.criterion import Witness
from sidelight.publish.sidecar import PublishedFile, PublishedFinding, published_finding
from sidelight.release.groups import GroupName
from sidelight.report.release_report import HowMade, how_made
from sidelight.report.report import AuditFinding, audit_report
from sidelight.rounding import round_down, round_up


@given(st.fractions(min_value=0, max_value=10**6))
def test_numbers_are_rounded_towards_caution(value):
    risk, size = number(value, large_is_bad=True), number(value, large_is_bad=False)
    assert Fraction(risk.exact) == value == Fraction(size.exact)
    assert Fraction(size.number) <= value <= Fraction(risk.number)
    # what is printed is on the cautious side too, at most one float further than needed
    assert Fraction(repr(size.number)) <= value <= Fraction(repr(risk.number))
    assert math.nextafter(size.number, math.inf) in (round_down(value), math.nextafter(round_down(value), math.inf))
    assert math.nextafter(risk.number, -math.inf) in (round_up(value), math.nextafter(round_up(value), -math.inf))
    shown_values = [Fraction(each.text.replace(",", "")) for each in (size, risk)]
    assert shown_values[0] <= value <= shown_values[1]
    assert shown_values[1] - shown_values[0] <= Fraction(1, 10**4)


@given(st.floats(min_value=0, max_value=1e6))
def test_irrational_numbers_say_so(value):
    written = number(value, large_is_bad=True)
    assert written.rounded
    assert (float(written.exact), written.number) == (value, value)


@dataclass(frozen=True)
class Fact:
    who: str
    odds: Fraction

    def __str__(self):
        return f"{self.who} = Flu"


@dataclass(frozen=True)
class Told:
    facts: tuple
    odds: Fraction


@dataclass(frozen=True, slots=True)
class Knows(Witness):
    told: Told = Told((), Fraction(1))
    most: float = math.inf


def test_any_witness_becomes_plain_data():
    witness = Knows(GroupName(3), "Flu", Told((Fact("somebody", Fraction(1, 2)),), Fraction(2, 3)))
    assert plain(witness) == {
        "group": {"number": 3, "says": {}},
        "value": "Flu",
        "told": {"facts": ["somebody = Flu"], "odds": "2/3"},
        "most": "inf",
    }
    assert plain({None: {2, 1}, 3: Fraction(3)}) == {"(missing)": [1, 2], "3": "3"}


@pytest.mark.parametrize("thing", [None, True, "text", 3, 0.5])
def test_plain_data_stays(thing):
    assert plain(thing) == thing


ADULT = sl.datasets.adult(quasi=["sex"])


def test_report_and_sidecar_share_one_model_for_each_fact():
    assert issubclass(AuditFinding, FindingFacts)
    assert issubclass(PublishedFinding, FindingFacts)
    assert issubclass(PublishedFile, FileFacts)
    assert issubclass(HowMade, PeopleCounts)


def test_finding_facts_of_one_judgement_are_equal_in_report_and_sidecar():
    release = sl.Release.from_counts([{"Flu": 6, "Cold": 5}])
    verdict = sl.Policy(sl.GroupSize() >= 5).judge(release)
    (judgement,) = verdict.judgements
    (audited,) = audit_report(release, verdict=verdict).answer.findings
    shared = ["measure", "settings", "text", "limit", "result"]
    assert [*FindingFacts.model_fields] == shared
    published = published_finding(judgement)
    assert [getattr(audited, name) for name in shared] == [getattr(published, name) for name in shared]


def test_finding_facts_without_a_criterion_have_no_limit():
    assert finding_facts(sl.GroupSize(), 3).limit is None


def test_people_counts_are_those_of_the_search_and_of_the_release_given():
    found = sl.protect(ADULT.table, sl.Policy(sl.GroupSize() >= 50), by=ADULT.hierarchies)
    counts = people_counts(found, found.release)
    assert counts == PeopleCounts(rows_in=45_222, people_in=45_222, people_out=45_222, suppressed=0)
    made = how_made(found)
    assert PeopleCounts(**{name: getattr(made, name) for name in PeopleCounts.model_fields}) == counts
