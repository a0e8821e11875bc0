"""Findings and witnesses that show themselves."""

import pytest

import sidelight as sl
from sidelight.errors import WrongKind
from sidelight.measures.finding import Finding
from sidelight.policy.measure_names import all_measures

every_kind = pytest.mark.parametrize(
    "kind", [kind for kind in all_measures() if kind.examples(("a", "b"))], ids=lambda kind: kind.__name__
)


RELEASE = sl.Release.from_counts([{"<Flu>": 2, "Cold": 1}, {"<Flu>": 2}])


def test_a_finding_is_one_line():
    assert repr(sl.DistinctValues().measure(RELEASE)) == "<Finding: distinct values is 1, in group 2>"
    nobody = sl.Release.from_counts([{"a": 0}], sizes=[2], values="set")
    assert repr(sl.BetaLikeness().measure(nobody)) == "<Finding: beta likeness is 0>"


@every_kind
def test_a_witness_is_a_line_that_points_at_a_group(kind):
    ages = [{"age": "20"}, {"age": "30"}, {"age": "40"}]
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 3}, {"a": 1}], labels=ages)
    witness = kind.examples(release.domain)[0].measure(release).witness
    assert repr(witness).startswith(f"<{type(witness).__name__}: group ")
    assert len(repr(witness)) < 60


def test_a_finding_in_a_notebook_trusts_no_label():
    page = sl.Implications(1).measure(RELEASE)._repr_html_()
    assert "<Flu>" not in page
    assert "&lt;Flu&gt;" in page
    assert "implications(k=1)" in page
    assert "group 2" in page


def test_a_finding_is_replayed_on_a_release():
    with pytest.raises(WrongKind, match=r"^what a finding is replayed on should be a Release, not a str; "):
        sl.GroupSize().measure(RELEASE).replay("release.csv")


def test_a_value_in_words_is_rounded_towards_caution():
    assert Finding(sl.DeltaDisclosure(), 0.51851, None).value_in_words() == "0.5186"
    assert Finding(sl.EntropyDiversity(), 1.88988, None).value_in_words() == "1.8898"
    assert Finding(sl.IndividualRisk(), 0.51851, None).value_in_words() == "0.5186, an estimate"
