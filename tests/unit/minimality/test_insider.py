"""What somebody believes who knows how a release was made.

One look per group, replayed from published counts alone.
"""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.eleven import LIMITS, eleven, table_of
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, NothingSafe, TooHard
from sidelight.minimality.group_question import RosterLines
from sidelight.search.mondrian_frontier import KeyStore
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import covered_limits
from sidelight.search.veil import Veil
from sidelight.table.labels import Column


def test_by_hand_the_shared_three_have_it():
    found = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody")
    learnt = sl.insider(found)
    assert len(found.release) == 1
    assert learnt.worst == 1
    assert learnt.witness.value == "a"
    assert learnt.witness.people == 3
    assert learnt.witness.all_fail == Fraction(1, 165)
    assert [(cut.left, cut.right) for cut in learnt.witness.cuts] == [(5, 6), (5, 6)]
    assert learnt.replay(learnt.witness) == 1
    assert learnt.people_above(0.5) == 3
    assert learnt.claims_above(0.5).right == 1
    assert "1/165" in learnt.explain()


def published(found, tmp_path, name="release.csv"):
    found.publish(tmp_path / name)
    return sl.read_published(tmp_path / name)


def test_a_published_release_says_how_it_was_made(tmp_path):
    found = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody")
    learnt = sl.insider(published(found, tmp_path), table=eleven())
    assert learnt.worst == 1
    assert learnt.table().to_pylist() == sl.insider(found).table().to_pylist()


def test_without_a_roster_it_asks_for_one(tmp_path):
    release = published(sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody"), tmp_path)
    with pytest.raises(BadMeasure, match="give them as table="):
        sl.insider(release)


def test_a_hierarchy_that_the_file_does_not_tell_is_asked_for(tmp_path):
    by = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}
    release = published(sl.protect(eleven(), LIMITS, by=by, ask="nobody"), tmp_path)
    with pytest.raises(BadMeasure, match=r"'q0' .*hierarchy"):
        sl.insider(release, table=eleven())
    assert sl.insider(release, table=eleven(), by=by).outcome == "told"


def test_a_bare_release_could_not_be_told():
    release = sl.Release.from_counts([{"a": 2, "b": 3}])
    with pytest.raises(TooHard) as caught:
        sl.insider(release)
    assert mentions(caught.value, "not tell", "how", "made", "method")
    with pytest.raises(TooHard, match="give policy="):
        sl.insider(release, method="mondrian")
    with pytest.raises(TooHard, match="could not tell"):
        (sl.Insider() <= 0.5).judge(release)


def test_a_policy_that_did_not_make_it_is_named_with_the_group():
    found = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody")
    with pytest.raises(BadRelease, match=r"in group 1 .* a cut .*not made"):
        sl.insider(found, policy=[sl.GroupSize() >= 2, sl.Implications(0) <= 1])
    with pytest.raises(BadRelease, match=r"group 1 .* is not within the policy"):
        sl.insider(found, policy=sl.RecursiveDiversity(2) <= 0.1)


def test_a_roster_that_does_not_fit_is_named_with_the_group():
    found = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody")
    keys = [(0, 0)] * 4 + [(0, 1)] * 2 + [(1, 0)] * 2 + [(1, 1)] * 4
    with pytest.raises(BadRelease, match=r"group 1 .* 11 people.* roster .*12 people"):
        sl.insider(found.release, table=table_of(keys, list("abcdefabcdef")))


@pytest.mark.parametrize(
    ("policy", "options", "reason"),
    [
        (sl.GroupSize() >= 2, {"method": "mondrian"}, "sizes alone"),
        (sl.DistinctValues() >= 2, {"method": "anatomy"}, "buckets' counts alone"),
    ],
)
def test_nothing_to_learn_is_said_with_the_reason(policy, options, reason):
    learnt = sl.insider(sl.protect(eleven(), policy, **options, ask="nobody"))
    assert learnt.outcome == "nothing to learn"
    assert reason in learnt.explain()
    assert learnt.worst == learnt.witness.belief


LEVELS = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}


@pytest.mark.parametrize("utility", ["KL divergence", "query error"])
@pytest.mark.parametrize("suppress", [0, 0.2])
def test_sizes_alone_tell_where_values_decide_what_is_taken(utility, suppress, tmp_path):
    found = sl.protect(eleven(), sl.GroupSize() >= 2, by=LEVELS, utility=utility, suppress=suppress, ask="nobody")
    assert sl.insider(found).outcome == "could not tell"
    assert f"'{utility}'" in sl.insider(found).reason
    read = published(found, tmp_path)
    assert sl.insider(read, table=eleven(), by=LEVELS).outcome == "could not tell"


def test_sizes_alone_tell_nothing_of_a_published_lattice_release_that_says_its_utility(tmp_path):
    read = published(sl.protect(eleven(), sl.GroupSize() >= 2, by=LEVELS, ask="nobody"), tmp_path)
    assert sl.insider(read, table=eleven(), by=LEVELS).outcome == "nothing to learn"
    unsaid = sl.insider(
        replace(read, provenance=None), method="lattice", policy=sl.GroupSize() >= 2, table=eleven(), by=LEVELS
    )
    assert unsaid.outcome == "could not tell"
    assert "by which utility" in unsaid.reason


def test_cuts_towards_the_sensitive_column_tell_by_their_order():
    limits = [sl.GroupSize() >= 2, sl.DistinctValues() >= 2]
    assert (
        sl.insider(sl.protect(eleven(), limits[0], method=sl.Mondrian(towards="q1"), ask="nobody")).outcome
        == "nothing to learn"
    )
    alone = sl.insider(sl.protect(eleven(), limits[0], method=sl.Mondrian(towards="disease"), ask="nobody"))
    assert alone.outcome == "could not tell"
    assert "'disease'" in alone.reason
    told = sl.insider(sl.protect(eleven(), limits, method=sl.Mondrian(towards="disease"), ask="nobody"))
    assert told.outcome == "told"
    assert mentions(told.explain(), "left out", "more")


def test_an_end_that_is_judged_by_the_true_values_could_not_be_told():
    judge = sl.MaxEnt(rules=(1, 0)) <= 1
    learnt = sl.insider(sl.protect(eleven(), [sl.GroupSize() >= 2, judge], method="mondrian", ask="nobody"))
    assert learnt.outcome == "could not tell"
    assert "maximum entropy" in learnt.reason


def test_levels_that_were_chosen_among_those_found_could_not_be_told():
    choice = sl.protect(eleven(), LIMITS, by=LEVELS, ask="nobody").choices[0]
    assert (
        sl.insider(sl.protect(eleven(), LIMITS, by=LEVELS, levels=choice.levels, ask="nobody")).outcome
        == "could not tell"
    )


def test_levels_in_a_file_may_have_been_chosen_among_those_found(tmp_path):
    read = published(sl.protect(eleven(), LIMITS, by=LEVELS, levels={"q0": 1, "q1": 1}, ask="nobody"), tmp_path)
    assert sl.insider(read, table=eleven(), by=LEVELS).outcome == "could not tell"


def test_a_release_without_buckets_was_not_made_by_anatomy():
    release = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody").release
    with pytest.raises(BadRelease, match="anatomy did not make it"):
        sl.insider(release, method="anatomy", policy=LIMITS, table=eleven())


def test_what_is_published_names_nobody_of_the_roster(tmp_path):
    found = sl.protect(eleven(), [*LIMITS, sl.Insider() <= 1], method="mondrian", ask="nobody")
    finding = found.verdict.judgements[-1].finding
    assert finding.witness.cuts
    assert "before" in finding.explain()
    published(found, tmp_path)
    (told,) = [each for each in document(tmp_path)["findings"] if each["measure"] == "insider"]
    assert told["notes"]
    assert not any("before" in note or " with q0" in note for note in told["notes"])


def test_the_sidecar_says_nothing_that_depends_on_who_has_which_value(tmp_path):
    for options in ({"method": "mondrian"}, {"by": LEVELS}, {"method": "anatomy"}):
        sl.protect(eleven(), sl.DistinctValues() >= 2, **options, ask="nobody").publish(
            tmp_path / "release.csv", force=True
        )
        assert not {"KL divergence", "query error"} & document(tmp_path)["utility"].keys()
        assert not {"minimal", "checked"} & {*document(tmp_path)["search"]}


def document(folder):
    return json.loads((folder / "release.csv.sidelight.json").read_text(encoding="utf-8"))


def test_what_is_not_covered_could_not_be_told():
    by = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}
    suppressed = sl.insider(sl.protect(eleven(), LIMITS, by=by, suppress=0.2, ask="nobody"))
    assert suppressed.outcome == "could not tell"
    assert suppressed.untold == 11
    assert set(suppressed.table().column("how").to_pylist()) == {"could not tell"}
    clustered = sl.insider(sl.protect(eleven(), LIMITS, method="microaggregation", ask="nobody"))
    assert clustered.outcome == "could not tell"
    assert clustered.people_above(0.5) == 0


def test_levels_that_were_chosen_tell_nothing():
    by = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}
    found = sl.protect(eleven(), LIMITS, by=by, levels={"q0": 1, "q1": 1}, ask="nobody")
    assert sl.insider(found).outcome == "nothing to learn"


def test_a_person_alone_and_a_group_of_one_value_are_certain():
    alone = sl.insider(sl.protect(table_of([(0,)], ["a"]), sl.Implications(0) <= 1, method="mondrian", ask="nobody"))
    assert alone.worst == 1
    alike = table_of([(0,), (1,), (2,)], ["a", "a", "a"])
    assert (
        sl.insider(
            sl.protect(alike, [sl.GroupSize() >= 2, sl.RecursiveDiversity(1) <= 1], method="mondrian", ask="nobody")
        ).worst
        == 1
    )


def test_a_release_that_resists_stays_within_its_limit():
    found = sl.protect(eleven(), LIMITS, method="mondrian", resists="insider", ask="nobody")
    learnt = sl.insider(found)
    assert learnt.worst <= Fraction(1, 2)
    assert learnt.people_above(Fraction(1, 2), end="at most") == 0


def test_the_limit_of_a_release_that_resists_is_exact_and_no_printed_share():
    limits = [sl.GroupSize() >= 5, sl.Implications(0) <= Fraction(2, 3)]
    found = sl.protect(
        eleven(), [*limits, sl.Insider() <= Fraction(2, 3)], method="mondrian", resists="insider", ask="nobody"
    )
    finding = found.verdict.judgements[-1].finding
    assert finding.value == Fraction(2, 3)
    assert mentions(finding.explain(), "nothing", "above 2/3")
    assert sl.insider(found).people_above(Fraction(2, 3), end="at most") == 0
    with pytest.raises(TooHard, match="bounded and not counted"):
        finding.replay(found.release)


def ages(values):
    """One person per age, from 1 on."""
    return table_of([(age,) for age in range(1, 1 + len(values))], list(values))


TWO_THIRDS = (sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(2, 3))
HALF = (sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(1, 2))


def forged(found, folder):
    """What reads a published release whose sidecar was changed to say that it resists."""
    found.publish(folder / "release.csv", force=True)
    sidecar = folder / "release.csv.sidelight.json"
    said = json.loads(sidecar.read_text(encoding="utf-8"))
    said["search"]["options"]["resists"] = "insider"
    sidecar.write_text(json.dumps(said), encoding="utf-8")
    return sl.read_published(folder / "release.csv")


def test_a_forged_resistance_is_refused_naming_a_group(tmp_path):
    # the middle cut fails, and plain Mondrian goes on to one that one look never comes to
    found = sl.protect(ages("abaabc"), HALF, method="mondrian", ask="nobody")
    assert len(found.release) == 2
    with pytest.raises(BadRelease, match=r"group 2 .* is none that .*method and policy did not make"):
        sl.insider(forged(found, tmp_path), table=ages("abaabc"))
    with pytest.raises(BadRelease, match=r"group 2 .* is none that"):
        sl.insider(found, method=sl.Mondrian(resists="insider"))


def test_a_resistance_that_can_be_true_is_told_as_what_the_file_says(tmp_path):
    found = sl.protect(ages("abaabc"), HALF, method="mondrian", resists="insider", ask="nobody")
    assert "as its file says" not in sl.insider(found).explain()
    learnt = sl.insider(published(found, tmp_path), table=ages("abaabc"))
    assert learnt.worst == Fraction(1, 2)
    assert mentions(learnt.explain(), "as its file says", "groups", "can have")


def test_columns_in_another_order_do_not_change_what_was_looked_at(tmp_path):
    keys = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 3), (4, 2), (4, 4)]
    table = table_of(keys, list("abcabcab"))
    release = published(sl.protect(table, TWO_THIRDS, method="mondrian", resists="insider", ask="nobody"), tmp_path)
    turned = replace(table, quasi=table.quasi[::-1])
    assert sl.insider(release, table=turned).worst == sl.insider(release, table=table).worst == Fraction(2, 3)


def test_a_resistance_that_cannot_be_replayed_is_not_believed(tmp_path):
    release = published(sl.protect(ages("abaabc"), HALF, method="mondrian", resists="insider", ask="nobody"), tmp_path)
    with pytest.raises(BadMeasure, match="give them as table="):
        sl.insider(release)


def test_a_resistance_of_cuts_by_what_they_tell_could_not_be_told():
    found = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody")
    learnt = sl.insider(found, method=sl.Mondrian(towards="disease", resists="insider"))
    assert learnt.outcome == "could not tell"
    assert "'disease'" in learnt.reason


def test_sizes_alone_leave_no_open_cut_where_it_resists():
    found = sl.protect(ages("abab"), sl.GroupSize() >= 4, method="mondrian", ask="nobody")
    with pytest.raises(BadRelease, match=r"a cut .*not made"):
        sl.insider(found, method=sl.Mondrian(resists="insider"), policy=sl.GroupSize() >= 2)


def test_somebody_always_reaches_the_largest_printed_share():
    found = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody")
    left_out = sl.insider(found, exact_up_to=0, beyond="left out")
    assert left_out.untold == 11
    assert left_out.least_worst == Fraction(3, 11)
    assert mentions(left_out.summary(), "at least 3/11", "not tell", "11 people")
    assert "at most" in sl.insider(found).summary()
    veiled = sl.insider(sl.protect(eleven(), LIMITS, method="mondrian", resists="insider", ask="nobody"))
    assert veiled.least_worst == Fraction(3, 11)
    clustered = sl.insider(sl.protect(eleven(), LIMITS, method="microaggregation", ask="nobody"))
    assert clustered.outcome == "could not tell"
    assert clustered.least_worst >= Fraction(3, 11)


def test_a_limit_below_the_largest_printed_share_is_broken_whatever_could_not_be_told():
    found = sl.protect(eleven(), LIMITS, method="mondrian", resists="insider", ask="nobody")
    assert not (sl.Insider(table=eleven()) <= Fraction(1, 4)).judge(found.release).holds
    with pytest.raises(TooHard, match=r"between 0\.27\d* and 0\.5"):
        (sl.Insider(table=eleven()) <= Fraction(2, 5)).judge(found.release)


def test_the_measure_judges_what_was_found():
    with pytest.raises(NothingSafe, match=r"insider ≤ 0\.5"):
        sl.protect(eleven(), [*LIMITS, sl.Insider() <= 0.5], method="mondrian", ask="nobody")
    found = sl.protect(eleven(), [*LIMITS, sl.Insider() <= 1], method="mondrian", ask="nobody")
    finding = found.verdict.judgements[-1].finding
    assert finding.value == 1
    assert finding.replay(found.release) == 1
    assert mentions(finding.explain(), "2 cuts", "not made")


def test_several_columns_and_sets_could_not_be_told():
    rows = pa.table({"q": ["1", "2", "3", "4"], "one": list("abab"), "two": list("ccdd")})
    several = sl.read_table(rows, quasi=["q"], sensitive=["one", "two"])
    learnt = sl.insider(
        sl.protect(several, [sl.GroupSize() >= 2, sl.DistinctValues() >= 2], method="mondrian", ask="nobody")
    )
    assert learnt.outcome == "could not tell"
    assert "several sensitive columns" in learnt.reason


POLICY = sl.Policy(sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(3, 4))


def lines(*people_by_group: list[int]) -> RosterLines:
    """Lines with ages from 1 on, so many people each."""
    people = np.array([people for group in people_by_group for people in group])
    group = np.repeat(np.arange(len(people_by_group)), [len(each) for each in people_by_group])
    return RosterLines((Column.of("age", [str(1 + at) for at in range(len(people))]),), group, people)


def replay(roster: RosterLines, release: sl.Release) -> None:
    veil = Veil.build(covered_limits(POLICY), POLICY, release.size)
    table = roster.assign_values(release)
    store = KeyStore.from_table(table, column_orders(table.quasi, {}))
    veil.refuse_other_making(store, roster.group, release)


def test_values_are_dealt_so_that_every_group_has_its_counts():
    roster, release = lines([2, 3], [1], [4]), sl.Release.from_counts([{"a": 3, "b": 2}, {"b": 1}, {"a": 4}])
    table = roster.assign_values(release)
    assert table.counts.dense().sum(axis=1).tolist() == [2, 3, 1, 4]
    rolled = table.counts.roll_up(roster.group, groups=3)
    assert (rolled.dense() == release.groups.counts.dense()).all()


def test_millions_of_people_replay():
    million = 1_000_000
    halves = sl.Release.from_counts([{"a": million, "b": million}] * 2)
    replay(lines([2 * million], [2 * million]), halves)
    # equal halves with so many of either value fail next to never, and yet some world has all of one on a side
    replay(lines([2 * million, 2 * million]), sl.Release.from_counts([{"a": 2 * million, "b": 2 * million}]))


def test_a_group_that_the_cut_at_the_median_parts_is_named():
    release = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 3, "b": 3}])
    with pytest.raises(BadRelease, match="group 2 is none that"):
        replay(lines([1, 1], [1, 1, 1, 1, 1, 1]), release)


def test_people_alike_in_two_groups_were_never_cut_apart():
    release = sl.Release.from_counts([{"a": 1, "b": 1}] * 2)
    alike = RosterLines((Column.of("age", ["30", "30"]),), np.array([0, 1]), np.array([2, 2]))
    with pytest.raises(BadRelease, match="group 1 is none that"):
        replay(alike, release)
