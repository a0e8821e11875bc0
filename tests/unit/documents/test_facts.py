"""Facts that several documents tell: the same model, filled the same way, in each."""

import sidelight as sl
from sidelight.documents.facts import FileFacts, FindingFacts, MethodFacts, PeopleCounts, finding_facts, people_counts
from sidelight.publish.describe import published_finding
from sidelight.publish.sidecar import PublishedFile, PublishedFinding, SearchFacts
from sidelight.report.release_report import HowMade, how_made
from sidelight.report.report import AuditFinding, audit_report

ADULT = sl.datasets.adult(quasi=["sex"])


def test_report_and_sidecar_share_one_model_for_each_fact():
    assert issubclass(AuditFinding, FindingFacts)
    assert issubclass(PublishedFinding, FindingFacts)
    assert issubclass(PublishedFile, FileFacts)
    assert issubclass(HowMade, PeopleCounts)
    assert issubclass(HowMade, MethodFacts)
    assert issubclass(SearchFacts, MethodFacts)


def test_finding_facts_of_one_judgement_are_equal_in_report_and_sidecar():
    release = sl.Release.from_counts([{"Flu": 6, "Cold": 5}])
    verdict = sl.Policy(sl.GroupSize() >= 5).judge(release)
    (judgement,) = verdict.judgements
    (audited,) = audit_report(release, verdict=verdict).answer.findings
    assert audited.shared() == published_finding(judgement).shared()
    assert [*audited.shared()] == ["measure", "settings", "text", "limit", "result"]


def test_finding_facts_without_a_criterion_have_no_limit():
    assert finding_facts(sl.GroupSize(), 3).limit is None


def test_people_counts_are_those_of_the_search_and_of_the_release_given():
    found = sl.protect(ADULT.table, sl.Policy(sl.GroupSize() >= 50), by=ADULT.hierarchies)
    counts = people_counts(found, found.release)
    assert counts == PeopleCounts(rows_in=45_222, people_in=45_222, people_out=45_222, suppressed=0)
    made = how_made(found)
    assert PeopleCounts(**{name: getattr(made, name) for name in PeopleCounts.model_fields}) == counts
