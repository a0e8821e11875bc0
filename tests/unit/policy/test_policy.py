"""Policies and verdicts."""

from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from pathlib import PurePosixPath

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, NotTrueOrFalse, WrongKind
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Finding, Witness
from sidelight.policy.policy import toml_value
from sidelight.text import MOST_ROWS

RELEASE = sl.Release.from_counts([{"Flu": 5}, {"Flu": 3, "Cold": 3}])


def test_all_criteria_must_hold():
    assert sl.Policy(GroupSize() >= 5, sl.EntropyDiversity() >= 1).judge(RELEASE).safe
    verdict = sl.Policy(GroupSize() > 5, sl.EntropyDiversity() >= 1).judge(RELEASE)
    assert not verdict.safe
    assert [judgement.holds for judgement in verdict.judgements] == [False, True]
    assert [finding.value for finding in verdict.findings] == [5, 1]
    assert verdict.broken == verdict.judgements[:1]
    assert mentions(verdict, "not within policy", "group size > 5")
    assert "entropy diversity" not in str(verdict)
    both = sl.Policy(GroupSize() > 5, sl.EntropyDiversity() > 2).judge(RELEASE)
    assert mentions(both, "not within policy", "group size > 5", "entropy diversity > 2")


def test_the_words_never_say_safe():
    assert str(sl.Policy(GroupSize() >= 5).judge(RELEASE)) == "within policy"


def test_a_verdict_is_not_true_or_false_by_itself():
    with pytest.raises(NotTrueOrFalse, match=r"^a verdict .*not true or false.* verdict\.safe$"):
        bool(sl.Policy(GroupSize() > 5).judge(RELEASE))


def test_a_policy_without_criteria_is_refused():
    with pytest.raises(BadPolicy, match=r"at least one criterion, .*GroupSize\(\) >= 5$"):
        sl.Policy()


@pytest.mark.parametrize("wrong", [GroupSize(), True, "group size >= 5"])
def test_a_policy_is_made_of_criteria(wrong):
    with pytest.raises(BadPolicy, match=r"made of criteria .*GroupSize\(\) >= 5"):
        sl.Policy(wrong)


def test_a_policy_is_a_frozen_value():
    policy = sl.Policy(GroupSize() >= 5)
    assert policy == sl.Policy(GroupSize() >= 5)
    assert hash(policy) == hash(sl.Policy(GroupSize() >= 5))
    with pytest.raises(FrozenInstanceError):
        policy.criteria = ()


def test_criteria_that_share_a_measure_measure_it_once():
    measured = []

    @dataclass(frozen=True)
    class Watched(GroupSize):
        def measure(self, release):
            measured.append(self)
            return Finding(self, Fraction(7), Witness(release.groups.name(0)))

    verdict = sl.Policy(Watched() >= 5, sl.EntropyDiversity() >= 1, Watched() > 7).judge(RELEASE)
    assert len(measured) == 1
    assert [judgement.holds for judgement in verdict.judgements] == [True, True, False]


def test_a_measure_that_does_not_apply_is_an_error_not_a_verdict():
    @dataclass(frozen=True)
    class OnlySingle(GroupSize):
        semantics = ("single",)

    visits = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[4], values="set")
    with pytest.raises(BadMeasure, match="single values"):
        sl.Policy(OnlySingle() >= 2).judge(visits)


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ("group size >= 5", r"a str; .*file.* sl\.read_policy\(file\)"),
        (sl.Implications(2), r"a Implications; compare .* Implications\(\.\.\.\) < 0\.5"),
        (GroupSize(), r"a GroupSize; compare .* GroupSize\(\.\.\.\) >= 5$"),
        (5, r"got a int$"),
        (sl.Policy(GroupSize() >= 5), r"a Policy; .* Policy\(\*policy\.criteria, \.\.\.\)"),
    ],
)
def test_what_is_no_criterion_is_said_with_the_remedy(wrong, remedy):
    with pytest.raises(BadPolicy, match=remedy):
        sl.Policy(wrong)


def test_what_is_no_release_is_not_judged():
    table = sl.read_table(pa.table({"age": ["20"], "disease": ["Flu"]}), quasi=["age"], sensitive="disease")
    with pytest.raises(WrongKind, match=r"judged .*Release, not a Table; .*sl\.group"):
        sl.Policy(GroupSize() >= 5).judge(table)


def test_policies_and_verdicts_show_themselves_in_short():
    policy = sl.Policy(GroupSize() >= 5, sl.Implications(1, value="<b>") < 0.5)
    assert repr(policy) == '<Policy: group size ≥ 5; implications(k=1, value="<b>") < 0.5>'
    assert repr(policy.criteria[0]) == "<Criterion: group size ≥ 5>"
    verdict = sl.Policy(GroupSize() > 5).judge(RELEASE)
    assert repr(verdict) == "<Verdict: not within policy: group size > 5>"
    assert repr(verdict.judgements[0]).startswith("<Judgement: group size > 5 does not hold, it is ")


def test_notebooks_show_tables_with_everything_escaped():
    release = sl.Release.from_counts([{"<b>": 3, "Cold": 2}])
    policy = sl.Policy(GroupSize() >= 5, sl.Implications(0, value="<b>") < 0.5)
    verdict = policy.judge(release)
    shown = policy, policy.criteria[1], verdict, verdict.judgements[1], verdict.findings[1]
    pages = [each._repr_html_() for each in shown]
    assert all("<th>measure</th>" in page and "<th></th>" not in page for page in pages)
    assert all("<th>wanted</th>" in page for page in pages[:4])
    assert all("<th>found</th>" in page for page in pages[2:])
    assert all("<table>" in page and "&lt;b&gt;" in page and "<b>" not in page for page in pages)
    assert "<caption>Policy</caption>" in pages[0]
    assert "<caption>Not within policy</caption>" in pages[2]
    assert "<caption>Within policy</caption>" in sl.Policy(GroupSize() >= 5).judge(release)._repr_html_()
    long = sl.Policy(*(GroupSize() >= bound for bound in range(1, 202)))
    assert long._repr_html_().endswith(f"<p>… and {201 - MOST_ROWS} more</p>")
    assert "✗ no" in pages[2]
    assert "3/5" in pages[2]


def test_values_that_are_left_out_are_left_out_of_the_column_that_has_them():
    rows = pa.table({"zip": ["1"] * 4, "disease": ["Flu", "Flu", "Cold", "HIV"], "income": ["low", "high"] * 2})
    release = sl.read_release(rows, group="zip", sensitive=["disease", "income"])
    verdict = sl.Policy(sl.Acquaintance(apart_from=("Flu",)) < 0.9).judge(release)
    assert [str(judgement.criterion) for judgement in verdict.judgements] == [
        "acquaintance(apart_from=[Flu], of=disease) < 0.9",
        "acquaintance(of=income) < 0.9",
    ]


def test_a_verdict_draws_itself():
    pytest.importorskip("altair")
    drawn = str(sl.Policy(GroupSize() > 5, sl.EntropyDiversity() >= 1).judge(RELEASE).plot().to_dict())
    assert "more than 5" in drawn
    assert "entropy diversity" in drawn


def test_registers_are_those_of_the_measures():
    people = pa.table({"age": ["31", "34"]})
    policy = sl.Policy(sl.JournalistRisk(people) <= 0.5, GroupSize() >= 2, sl.JournalistRisk(people) <= 0.9)
    assert policy.registers == (policy.measures[0].register,)
    assert sl.Policy(GroupSize() >= 2).registers == ()


def test_what_toml_has_no_word_for_is_text():
    assert toml_value(PurePosixPath("a/b")) == "a/b"
    assert toml_value(None) == "(missing)"
