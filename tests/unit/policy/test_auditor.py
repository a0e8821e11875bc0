"""Auditors: edits of a release, the keys that order its groups, and how little is summarised again."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, WrongKind
from sidelight.policy import policy as module
from sidelight.policy.policy import renumber_keys
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
    lacks_cold = sl.Release.from_counts([{"Flu": 5}], labels=[{"age": "50-59"}])
    odd_order = sl.Release.from_counts(
        [{"Flu": 1, "Cold": 2}], domain=["Gout", "Flu", "Cold"], labels=[{"age": "60-69"}]
    )
    auditor = sl.Auditor(POLICY, WARD).add(lacks_cold).add(odd_order)
    assert [auditor.release[place].counts for place in (3, 4)] == [{"Flu": 5}, {"Flu": 1, "Cold": 2}]
    assert auditor.release.domain == WARD.domain
    assert auditor.judge() == POLICY.judge(auditor.release)


def test_thousands_of_edits_need_new_keys():
    auditor = sl.Auditor(sl.Policy(sl.GroupSize() >= 2), WARD)
    for size in range(60):  # always into the same gap, which halves each time
        auditor = auditor.replace(2, groups({"Flu": size + 1}, {"Flu": 3}, ages=["a", "b"])).remove(3)
    assert auditor.judge() == sl.Policy(sl.GroupSize() >= 2).judge(auditor.release)


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (lambda auditor: auditor.remove([1, 2, 3]), ("no group", "replace the last")),
        (lambda auditor: auditor.remove(4), ("no group 4", "1 to 3")),
        (lambda auditor: auditor.remove([1, 0]), ("no group 0", "1 to 3")),
        (lambda auditor: auditor.remove([1, 1]), ("a group", "twice", "once")),
        (
            lambda auditor: auditor.remove(1).remove(WARD.groups.name(1)),
            ("group 2 prints something else", "new name"),
        ),
        (
            lambda auditor: auditor.add(groups({"Gout": 2, "Flu": 1}, ages=["1"])),
            ("1 value of these groups", "cannot occur", "auditor began with", "domain="),
        ),
        (
            lambda auditor: auditor.add(sl.Release.from_counts([{"Flu": 1}])),
            ("the release prints age", "these groups nothing"),
        ),
        (
            lambda auditor: auditor.add(sl.Release.from_counts([{"Flu": 1}], labels=[{"sex": "f", "age": "1"}])),
            ("the release prints age", "these groups sex, age"),
        ),
        (
            lambda auditor: auditor.add(sl.Release.from_counts([{"Flu": 1}], sizes=[2], values="set")),
            ("these groups", 'values="set"', "the release 'single'"),
        ),
    ],
)
def test_edits_that_do_not_fit_are_refused(edit, complaint):
    with pytest.raises(BadRelease) as caught:
        edit(sl.Auditor(POLICY, WARD))
    assert mentions(caught.value, *complaint)


def test_a_release_that_prints_nothing_says_so():
    with pytest.raises(BadRelease, match=r"release prints nothing.* groups age$"):
        sl.Auditor(POLICY, sl.Release.from_counts([{"Flu": 1, "Cold": 1}])).add(WARD)


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (
            lambda: sl.Auditor(sl.GroupSize() >= 2, WARD),
            ("judges by", "a Policy, not a Criterion", "sl.Policy"),
        ),
        (lambda: sl.Auditor(POLICY, [{"Flu": 1}]), ("judged", "a Release, not a list", "sl.read_release")),
        (lambda: sl.Auditor(POLICY, WARD).add({"Flu": 1}), ("added", "a Release, not a dict", "sl.read_release")),
        (lambda: sl.Auditor(POLICY, WARD).add(None), ("added", "a Release, not None", "sl.read_release")),
        (
            lambda: sl.Auditor(POLICY, WARD).replace(1, []),
            ("replaced by", "a Release, not a list", "sl.read_release"),
        ),
    ],
)
def test_what_is_no_release_or_policy_is_refused(ask, complaint):
    with pytest.raises(WrongKind) as caught:
        ask()
    assert mentions(caught.value, *complaint)


@pytest.mark.parametrize("which", ["1", None, 1.5, [1.5], ["1"], "12"])
def test_groups_have_names_or_whole_numbers(which):
    with pytest.raises(WrongKind, match="a name or a number"):
        sl.Auditor(POLICY, WARD).remove(which)


def test_a_name_from_before_an_edit_does_not_mean_another_group():
    auditor = sl.Auditor(POLICY, WARD)
    second = WARD.groups.name(1)
    assert auditor.remove(second).judge() == auditor.remove(np.int64(2)).judge() == auditor.remove([2]).judge()
    with pytest.raises(BadRelease, match="group 2 prints something else"):
        auditor.remove(1).remove(second)


def test_names_in_summaries_are_renumbered_wherever_they_stand():
    finding = sl.Acquaintance(others=1, value="Flu").measure(WARD)
    witness = renumber_keys(finding.witness, lambda key: key + 100)
    assert witness.group.number == finding.witness.group.number + 100
    assert witness.others.group.number == finding.witness.others.group.number + 100
    assert renumber_keys((1, "a"), lambda key: key + 1) == (1, "a")


def test_whatever_names_no_group_stays_as_it_is():
    class Pair(NamedTuple):
        group: GroupName
        number: int

    measure, pair = sl.Acquaintance(others=1, value="Flu"), Pair(GroupName(1, ()), 1)
    finding = sl.Acquaintance(others=1, value="Flu").measure(WARD)
    about_nobody = replace(finding, witness=None)
    for each in (measure, pair, GroupName, about_nobody, "Flu", 1, None):
        assert renumber_keys(each, lambda key: key + 100) is each
    assert renumber_keys(GroupName(1, (("age", "1"),)), lambda key: key + 100) == GroupName(101, (("age", "1"),))


def test_groups_in_summaries_are_renumbered_one_by_one():
    for some_groups in (WARD.groups, WARD.groups.take(slice(0, 0))):
        numbers = renumber_keys(some_groups, lambda key: 10 * key).numbers
        assert numbers.tolist() == [10 * number for number in some_groups.numbers]
        assert numbers.dtype == np.int64


def test_measures_that_need_every_person_are_asked_of_what_was_not_edited():
    members = [[{"sex": "m"}, {"sex": "f"}], [{"sex": "m"}, {"sex": "m"}]]
    buckets = sl.Release.from_buckets([(members[0], ["Flu", "Cold"]), (members[1], ["Flu", "Flu"])])
    policy = sl.Policy(sl.MaxEnt(["P(Flu | sex=f) = 0.5"]) <= 0.9, sl.GroupSize() >= 2)
    auditor = sl.Auditor(policy, buckets)
    assert [str(each) for each in auditor.judge().judgements] == [
        str(each) for each in policy.judge(buckets).judgements
    ]
    with pytest.raises(BadRelease) as caught:
        auditor.remove(1)
    asked = "'maximum entropy(knowing=[\"P(Flu | sex=f) = 0.5\"])'"
    assert mentions(caught.value, asked, "which group", "edits", "not", "audit without it")


def test_measures_of_the_whole_release_follow_edits_where_nobody_is_named():
    policy = sl.Policy(sl.CheapestKnowledge(reach=1) >= 1, sl.GroupSize() >= 3)
    auditor = sl.Auditor(policy, WARD).remove(1)
    assert auditor.judge() == policy.judge(auditor.release)
    named = sl.Release.from_groups([(["Ann", "Bob"], ["Flu", "Cold"]), (["Cleo", "Dan"], ["Flu", "Flu"])])
    assert len(sl.Auditor(sl.Policy(sl.GroupSize() >= 1), named).remove(1)) == 1
    with pytest.raises(BadRelease, match="who is in which group"):
        sl.Auditor(policy, named).remove(1)


def test_what_a_measure_needs_is_asked_of_new_groups_too():
    rows = pa.table({"age": ["1", "1", "2"], "ill": ["Flu", "Cold", "Flu"], "weight": [5, 6, 7]})
    survey = sl.read_release(rows, group="age", sensitive="ill", weight="weight")
    counted = sl.read_release(rows, group="age", sensitive="ill")
    auditor = sl.Auditor(sl.Policy(sl.IndividualRisk() <= 1), survey)
    assert len(auditor.add(survey)) == 4
    with pytest.raises(BadMeasure, match="needs sampling weights"):
        auditor.add(counted)


def test_new_groups_are_asked_as_part_of_the_release():
    """Its values and its column are meant, of which the new groups need not know."""
    release = sl.read_release(
        pa.table({"age": ["1", "1", "2"], "ill": ["Flu", "Cold", "Flu"]}), group="age", sensitive="ill"
    )
    policy = sl.Policy(sl.Negations(0, value="Cold") <= 1, sl.DistinctValues().about("ill") >= 1)
    auditor = sl.Auditor(policy, release).add(groups({"Flu": 5}, ages=["3"]))
    assert auditor.judge() == policy.judge(auditor.release)
    assert auditor.release[2].counts == {"Flu": 5}


def test_an_edited_release_is_as_the_first_one_but_for_names():
    named = sl.Release.from_groups([(["Ann", "Bob"], ["Flu", "Cold"]), (["Cleo", "Dan"], ["Flu", "Flu"])])
    release = sl.Release(named.groups, sensitive="ill", people=named.people)
    auditor = sl.Auditor(sl.Policy(sl.GroupSize() >= 1), release)
    assert auditor.release is release
    edited = auditor.add(sl.Release.from_counts([{"Cold": 1}])).remove(1).release
    assert [group.name for group in edited] == [GroupName(1, ()), GroupName(2, ())]
    assert [group.counts for group in edited] == [{"Flu": 2}, {"Cold": 1}]
    assert edited.groups.numbers.tolist() == [1, 2]
    assert edited.sensitive == "ill"
    assert not edited.people


def test_several_sensitive_columns_are_each_asked():
    rows = {"zip": ["1"] * 4 + ["2"] * 4, "disease": ["Flu", "Cold"] * 4, "income": ["low", "low", "high", "high"] * 2}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["disease", "income"])
    policy = sl.Policy(sl.DistinctValues() >= 2, sl.DistinctValues().about("disease", known="income") >= 2)
    auditor = sl.Auditor(policy, release)
    assert auditor.judge() == policy.judge(release)
    assert auditor.remove(1).judge() == policy.judge(auditor.remove(1).release)


def test_new_groups_need_not_have_every_combination():
    rows = {"zip": [*"11112222"], "ill": ["Flu", "Cold"] * 4, "pay": [*"llhhllhh"]}
    few = {"zip": [*"3333"], "ill": ["Flu", "Cold"] * 2, "pay": [*"lhlh"]}
    release, new = (sl.read_release(pa.table(each), group="zip", sensitive=["ill", "pay"]) for each in (rows, few))
    policy = sl.Policy(sl.DistinctValues() >= 2)
    auditor = sl.Auditor(policy, release).add(new)
    assert auditor.release[2].counts == {"Flu, l": 2, "Cold, h": 2}
    assert auditor.judge() == policy.judge(auditor.release)


def test_a_column_that_others_know_is_asked_of_the_release_as_it_is_now():
    """In the second group, whoever has a high income has the Flu."""
    rows = {"zip": [*"11112222"], "ill": ["Flu", "Cold"] * 2 + ["Flu", "Flu", "Flu", "Cold"], "pay": [*"llhhhhll"]}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["ill", "pay"])
    limit = sl.DistinctValues().about("ill", known="pay") >= 2
    auditor = sl.Auditor(sl.Policy(limit), release)
    for each in (auditor, auditor.remove(1), auditor.add(release), auditor.replace(1, release)):
        (finding,) = each.judge().findings
        assert finding == limit.measure.measure(each.release)
        assert finding.value == 1


def test_values_that_a_limit_leaves_out_are_looked_for_in_each_column():
    rows = {"zip": ["1"] * 4 + ["2"] * 4, "ill": ["Flu", "Cold"] * 4, "pay": ["low", "low", "high", "high"] * 2}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["ill", "pay"])
    policy = sl.Policy(sl.Negations(0, apart_from=["Flu"]) <= 1)
    auditor = sl.Auditor(policy, release)
    assert auditor.judge() == policy.judge(release)
    assert str(auditor.policy) == str(policy.about_each(["ill", "pay"], release.domain))


# Parts, their keys and their summaries.


@pytest.fixture
def few_keys(monkeypatch):
    """Parts of two groups at first, four at most, and keys below 45: three groups have 5, 10 and 15, as 22 // 4 = 5."""
    monkeypatch.setattr(module, "PART_SIZE", 2)
    monkeypatch.setattr(module, "MOST_KEYS", 45)


def keys(auditor):
    assert all(part.numbers.dtype == np.int64 for part in auditor.parts)
    return [part.numbers.tolist() for part in auditor.parts]


def some(number):
    return groups(*[{"Flu": 2, "Cold": 1}] * number, ages=[f"new {place}" for place in range(number)])


def pairs(*numbers):
    return [list(numbers[place : place + 2]) for place in range(0, len(numbers), 2)]


@pytest.mark.usefixtures("few_keys")
@pytest.mark.parametrize(
    ("gone", "new", "then"),
    [
        ((), 1, [[5, 10], [15, 20]]),  # behind, as far apart as the others
        ((), 3, [[5, 10], [15, 20, 25, 30]]),  # as many as a part may have
        ((), 5, [[5, 10], [15, 20], [25, 30], [35, 40]]),
        ((), 6, pairs(*range(2, 19, 2))),  # 45 is no key: nine groups get new ones, 22 // 10 apart
        (1, 1, [[5, 10], [15]]),  # between 0 and 10
        (1, 2, [[3, 6, 10], [15]]),
        (2, 2, [[5, 8, 11], [15]]),  # between 5 and 15
        (3, 2, [[5, 10], [15, 20]]),
        ([1, 3], 1, [[5, 10], []]),  # where the first was
        ([2, 3], 1, [[5, 10], []]),
        (1, 9, pairs(*range(1, 11)) + [[15]]),  # nine keys are free below 10
        (1, 10, pairs(*range(1, 13))),  # but no ten
        ([1, 2], 0, [[], [15]]),
        (3, 0, [[5, 10], []]),
    ],
)
def test_new_groups_find_keys_between_the_others(gone, new, then):
    auditor = sl.Auditor(POLICY, WARD)
    assert keys(auditor) == [[5, 10], [15]]
    edited = auditor.replace(gone, some(new) if new else None)
    assert keys(edited) == then
    assert edited.judge() == POLICY.judge(edited.release)


@pytest.mark.usefixtures("few_keys")
def test_groups_are_numbered_past_parts_that_are_empty():
    smallest = sl.Policy(sl.GroupSize() >= 3)
    five = sl.Auditor(smallest, WARD).add(groups({"Flu": 9}, {"Flu": 9}, {"Flu": 9}, ages="456"))
    five = five.replace(2, groups({"Flu": 1}, ages="2"))
    assert keys(five)[0] == [5, 10]

    def worst(auditor):
        return auditor.judge().findings[0].witness.group

    emptied = five.remove([3, 4, 5, 6])
    assert [len(part) for part in emptied.parts] == [2, 0]
    assert worst(emptied) == GroupName(2, (("age", "2"),))
    behind = five.remove([1, 2]).replace(4, groups({"Flu": 2}, ages="z"))
    assert [len(part) for part in behind.parts] == [0, 4]
    assert worst(behind) == GroupName(4, (("age", "z"),))
    assert worst(behind.replace(4, groups({"Flu": 9}, ages="y"))) == GroupName(1, (("age", "40-49"),))


EIGHT = sl.Release.from_counts(
    [{"Flu": number, "Cold": 9 - number} for number in range(1, 9)], labels=[{"age": f"{age}"} for age in range(1, 9)]
)


@pytest.fixture
def four_parts(monkeypatch):
    """Parts of two groups, so that eight groups have three levels: four summaries, two and one."""
    monkeypatch.setattr(module, "PART_SIZE", 2)


@pytest.mark.usefixtures("four_parts")
def test_an_emptied_part_in_the_middle_finds_no_group():
    sizes = sl.Release.from_counts([{"Flu": size} for size in (5, 1, 7, 7, 7, 7)])
    auditor = sl.Auditor(sl.Policy(sl.GroupSize() >= 1), sizes).remove([3, 4])
    assert [len(part) for part in auditor.parts] == [2, 0, 2]
    assert auditor.judge().findings[0].witness.group.number == 2
    assert auditor.remove(2).replace(3, sl.Release.from_counts([{"Flu": 2}])).judge() == sl.Policy(
        sl.GroupSize() >= 1
    ).judge(sl.Release.from_counts([{"Flu": 5}, {"Flu": 7}, {"Flu": 2}]))


@pytest.mark.usefixtures("four_parts")
@pytest.mark.parametrize("number", range(1, 9))
def test_names_are_known_in_every_part(number):
    auditor = sl.Auditor(POLICY, EIGHT)
    left = auditor.remove(EIGHT.groups.name(number - 1)).release
    assert [dict(group.name.printed)["age"] for group in left] == [f"{age}" for age in range(1, 9) if age != number]


def same(levels, others):
    """Say which summaries were kept: the same objects."""
    return [
        [one is other for one, other in zip(level, before, strict=True)]
        for level, before in zip(levels, others, strict=True)
    ]


ONLY_THIRD = [[True, True, False, True], [True, False], [False]]


@pytest.mark.usefixtures("four_parts")
def test_an_edit_summarises_what_it_touches_and_nothing_else():
    """A group of the third part is split: the whole stays, so that what is compared with it is kept as well."""
    auditor = sl.Auditor(POLICY, EIGHT)
    auditor.judge()
    halves = groups({"Flu": 5}, {"Cold": 4}, ages=["5a", "5b"])
    edited = auditor.replace(5, halves)
    assert same(edited.levels, auditor.levels) == ONLY_THIRD
    assert same(edited.compared, auditor.compared) == ONLY_THIRD
    assert [part is before for part, before in zip(edited.parts, auditor.parts, strict=True)] == ONLY_THIRD[0]
    assert edited.judge() == POLICY.judge(edited.release)


@pytest.mark.usefixtures("four_parts")
def test_parts_before_one_that_is_cut_keep_their_summaries():
    auditor = sl.Auditor(POLICY, EIGHT)
    edited = auditor.replace(5, some(4))  # with the sixth they are five, of which three parts are made
    assert [len(part) for part in edited.parts] == [2, 2, 2, 2, 1, 2]
    assert [len(level) for level in edited.levels] == [6, 3, 2, 1]
    assert edited.levels[0][0] is auditor.levels[0][0]
    assert edited.levels[0][1] is auditor.levels[0][1]
    assert edited.levels[1][0] is auditor.levels[1][0]
    assert edited.judge() == POLICY.judge(edited.release)


def test_a_verdict_is_made_of_summaries_without_the_release():
    edited = sl.Auditor(POLICY, WARD).remove(2)
    edited.judge()
    assert "release" not in vars(edited)


@pytest.mark.usefixtures("four_parts")
@pytest.mark.parametrize("number", range(1, 9))
def test_new_groups_stand_where_the_first_of_the_old_ones_was(number):
    auditor = sl.Auditor(POLICY, EIGHT).replace([number, 8] if number < 8 else 8, some(2))
    ages = [dict(group.name.printed)["age"] for group in auditor.release]
    before, after = ([f"{age}" for age in some_ages] for some_ages in (range(1, number), range(number + 1, 8)))
    assert ages == [*before, "new 0", "new 1", *after]


@pytest.mark.usefixtures("four_parts")
def test_what_is_compared_with_the_whole_is_summarised_anew_when_that_changes():
    auditor = sl.Auditor(POLICY, EIGHT)
    auditor.judge()
    edited = auditor.replace(5, groups({"Flu": 9}, ages=["5"]))
    assert same(edited.levels, auditor.levels) == ONLY_THIRD
    assert "compared" not in vars(edited)
    assert edited.judge() == POLICY.judge(edited.release)
    assert edited.parts[0].whole.tolist() == [32, 40]  # Cold and Flu, which were 36 each


def test_what_is_compared_with_the_whole_is_made_once_and_only_if_asked_for():
    auditor = sl.Auditor(POLICY, WARD)
    assert "compared" not in vars(auditor)
    assert "compared" not in vars(auditor.remove(1))
    auditor.judge()
    made = auditor.compared
    assert len(made[-1][0]) == 1
    auditor.judge()
    assert auditor.compared is made
    sizes = sl.Auditor(sl.Policy(sl.GroupSize() >= 3), WARD)
    sizes.judge()
    assert sizes.compared == (((),),)


def test_a_cost_is_of_the_group_that_it_names_after_groups_were_split():
    policy = sl.Policy(sl.DisclosureCost(0, {"Flu": 2}) <= 1)
    halves = groups({"Flu": 2}, {"Flu": 2, "Cold": 1}, ages=["30-34", "35-39"])
    auditor = sl.Auditor(policy, WARD).replace(2, halves)
    verdict = auditor.judge()
    assert verdict == policy.judge(auditor.release)
    assert verdict.findings[0].witness.known.group == GroupName(2, (("age", "30-34"),))
