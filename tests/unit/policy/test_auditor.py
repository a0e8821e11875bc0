import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadRelease, WrongKind
from sidelight.policy.auditor import renumbered
from sidelight.release.groups import GroupName

WARD = sl.Release.from_counts(
    [{"Flu": 3, "Cold": 2}, {"Flu": 4, "Cold": 1}, {"Flu": 2, "Cold": 2}],
    labels=[{"age": "20-29"}, {"age": "30-39"}, {"age": "40-49"}],
)
POLICY = sl.Policy(sl.GroupSize() >= 3, sl.Implications(1) <= 0.9, sl.Closeness(distance="equal") <= 0.2)


def groups(*counts, ages):
    return sl.Release.from_counts(counts, labels=[{"age": age} for age in ages])


def test_an_auditor_begins_with_the_verdict_of_its_policy():
    auditor = sl.Auditor(POLICY, WARD)
    assert auditor.judge() == POLICY.judge(WARD)
    assert len(auditor) == 3
    assert repr(auditor).startswith("<Auditor: 3 groups, group size ≥ 3; implications(k=1)")


def test_edits_leave_an_auditor_as_it_is():
    auditor = sl.Auditor(POLICY, WARD)
    before = auditor.judge()
    auditor.remove(2).add(groups({"Flu": 1}, ages=["50-59"]))
    assert auditor.judge() == before
    assert len(auditor) == 3


def test_splitting_a_group_keeps_the_order():
    halves = groups({"Flu": 2}, {"Flu": 2, "Cold": 1}, ages=["30-34", "35-39"])
    auditor = sl.Auditor(POLICY, WARD).replace(2, halves)
    assert [dict(group.name.printed)["age"] for group in auditor.release] == ["20-29", "30-34", "35-39", "40-49"]
    verdict = auditor.judge()
    assert verdict == POLICY.judge(auditor.release)
    assert verdict.findings[0].witness.group == GroupName(2, (("age", "30-34"),))
    assert all(finding.replay(auditor.release) == finding.value for finding in verdict.findings)


def test_groups_are_named_by_what_the_last_verdict_pointed_at():
    auditor = sl.Auditor(POLICY, WARD)
    worst = auditor.judge().findings[0].witness.group
    assert len(auditor.remove(worst)) == 2
    assert len(auditor.remove([worst, 1])) == 1


def test_values_are_matched_by_what_they_say():
    other = sl.Release.from_counts([{"Cold": 5}], labels=[{"age": "50-59"}])  # its domain lacks Flu
    auditor = sl.Auditor(POLICY, WARD).add(other)
    assert auditor.release[3].counts == {"Cold": 5}


def test_thousands_of_edits_need_new_keys():
    auditor = sl.Auditor(sl.Policy(sl.GroupSize() >= 2), WARD)
    for size in range(60):  # always into the same gap, which halves each time
        auditor = auditor.replace(2, groups({"Flu": size + 1}, {"Flu": 3}, ages=["a", "b"])).remove(3)
    assert auditor.judge() == sl.Policy(sl.GroupSize() >= 2).judge(auditor.release)


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (lambda auditor: auditor.remove([1, 2, 3]), "leaves no group at all"),
        (lambda auditor: auditor.remove(4), "no group 4 in the release; they are numbered 1 to 3"),
        (lambda auditor: auditor.remove(0), "no group 0"),
        (lambda auditor: auditor.remove([1, 1]), "named twice"),
        (lambda auditor: auditor.add(groups({"Gout": 2}, ages=["1"])), "1 value of these groups cannot occur"),
        (lambda auditor: auditor.add(sl.Release.from_counts([{"Flu": 1}])), "prints age, and these groups nothing"),
        (
            lambda auditor: auditor.add(sl.Release.from_counts([{"Flu": 1}], sizes=[2], values="set")),
            "these groups have values=.set., and the release",
        ),
    ],
)
def test_edits_that_do_not_fit_are_refused(edit, complaint):
    with pytest.raises(BadRelease, match=complaint):
        edit(sl.Auditor(POLICY, WARD))


def test_what_is_no_release_or_policy_is_refused():
    with pytest.raises(WrongKind):
        sl.Auditor(sl.GroupSize() >= 2, WARD)
    with pytest.raises(WrongKind):
        sl.Auditor(POLICY, [{"Flu": 1}])
    with pytest.raises(WrongKind):
        sl.Auditor(POLICY, WARD).add({"Flu": 1})
    with pytest.raises(WrongKind):
        sl.Auditor(POLICY, WARD).add(None)


@pytest.mark.parametrize("which", ["1", None, 1.5, [1.5], ["1"], "12"])
def test_groups_have_names_or_whole_numbers(which):
    with pytest.raises(WrongKind, match="a group has a name or a number"):
        sl.Auditor(POLICY, WARD).remove(which)


def test_a_name_from_before_an_edit_does_not_mean_another_group():
    auditor = sl.Auditor(POLICY, WARD)
    second = WARD.groups.name(1)
    assert auditor.remove(second).judge() == auditor.remove(np.int64(2)).judge() == auditor.remove([2]).judge()
    with pytest.raises(BadRelease, match="group 2 prints something else now"):
        auditor.remove(1).remove(second)


def test_names_in_summaries_are_renumbered_wherever_they_stand():
    finding = sl.Acquaintance(others=1, value="Flu").measure(WARD)
    witness = renumbered(finding.witness, lambda key: key + 100)
    assert witness.group.number == finding.witness.group.number + 100
    assert witness.others.group.number == finding.witness.others.group.number + 100
    assert renumbered((1, "a"), lambda key: key + 1) == (1, "a")


def test_measures_that_need_every_person_are_asked_of_what_was_not_edited():
    members = [[{"sex": "m"}, {"sex": "f"}], [{"sex": "m"}, {"sex": "m"}]]
    buckets = sl.Release.from_buckets([(members[0], ["Flu", "Cold"]), (members[1], ["Flu", "Flu"])])
    policy = sl.Policy(sl.MaxEnt(["P(Flu | sex=f) = 0.5"]) <= 0.9, sl.GroupSize() >= 2)
    auditor = sl.Auditor(policy, buckets)
    assert [str(each) for each in auditor.judge().judgements] == [
        str(each) for each in policy.judge(buckets).judgements
    ]
    with pytest.raises(BadRelease, match="looks at who is in which group"):
        auditor.remove(1)


def test_several_sensitive_columns_are_each_asked():
    rows = {"zip": ["1"] * 4 + ["2"] * 4, "disease": ["Flu", "Cold"] * 4, "income": ["low", "low", "high", "high"] * 2}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["disease", "income"])
    policy = sl.Policy(sl.DistinctValues() >= 2, sl.DistinctValues().about("disease", known="income") >= 2)
    auditor = sl.Auditor(policy, release)
    assert auditor.judge() == policy.judge(release)
    assert auditor.remove(1).judge() == policy.judge(auditor.remove(1).release)
