"""What somebody believes who knows how a release was made."""

from fractions import Fraction

import pyarrow as pa
import pytest
from support.eleven import LIMITS, eleven, table_of

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, NothingSafe, TooHard


def test_by_hand_the_shared_three_have_it():
    found = sl.protect(eleven(), LIMITS, method="mondrian")
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
    found = sl.protect(eleven(), LIMITS, method="mondrian")
    learnt = sl.insider(published(found, tmp_path), table=eleven())
    assert learnt.worst == 1
    assert learnt.table().to_pylist() == sl.insider(found).table().to_pylist()


def test_without_a_roster_it_asks_for_one(tmp_path):
    release = published(sl.protect(eleven(), LIMITS, method="mondrian"), tmp_path)
    with pytest.raises(BadMeasure, match="give them as table="):
        sl.insider(release)


def test_a_hierarchy_that_the_file_does_not_tell_is_asked_for(tmp_path):
    by = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}
    release = published(sl.protect(eleven(), LIMITS, by=by), tmp_path)
    with pytest.raises(BadMeasure, match="'q0' was released along a hierarchy"):
        sl.insider(release, table=eleven())
    assert sl.insider(release, table=eleven(), by=by).outcome == "told"


def test_a_bare_release_could_not_be_told():
    release = sl.Release.from_counts([{"a": 2, "b": 3}])
    with pytest.raises(TooHard, match="could not tell: the release does not say how it was made; give method="):
        sl.insider(release)
    with pytest.raises(TooHard, match="give policy="):
        sl.insider(release, method="mondrian")
    with pytest.raises(TooHard, match="could not tell"):
        (sl.Insider() <= 0.5).judge(release)


def test_a_policy_that_did_not_make_it_is_named_with_the_group():
    found = sl.protect(eleven(), LIMITS, method="mondrian")
    with pytest.raises(BadRelease, match=r"in group 1 .* a cut that keeps the policy was not made"):
        sl.insider(found, policy=[sl.GroupSize() >= 2, sl.Implications(0) <= 1])
    with pytest.raises(BadRelease, match=r"group 1 .* is not within the policy"):
        sl.insider(found, policy=sl.RecursiveDiversity(2) <= 0.1)


def test_a_roster_that_does_not_fit_is_named_with_the_group():
    found = sl.protect(eleven(), LIMITS, method="mondrian")
    keys = [(0, 0)] * 4 + [(0, 1)] * 2 + [(1, 0)] * 2 + [(1, 1)] * 4
    with pytest.raises(BadRelease, match=r"group 1 .* has 11 people, and the roster has 12 people there"):
        sl.insider(found.release, table=table_of(keys, list("abcdefabcdef")))


@pytest.mark.parametrize(
    ("policy", "options", "reason"),
    [
        (sl.GroupSize() >= 2, {"method": "mondrian"}, "sizes alone"),
        (sl.DistinctValues() >= 2, {"method": "anatomy"}, "buckets' counts alone"),
    ],
)
def test_nothing_to_learn_is_said_with_the_reason(policy, options, reason):
    learnt = sl.insider(sl.protect(eleven(), policy, **options))
    assert learnt.outcome == "nothing to learn"
    assert reason in learnt.explain()
    assert learnt.worst == learnt.witness.belief


def test_what_is_not_covered_could_not_be_told():
    by = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}
    suppressed = sl.insider(sl.protect(eleven(), LIMITS, by=by, suppress=0.2))
    assert suppressed.outcome == "could not tell"
    assert suppressed.untold == 11
    assert set(suppressed.table().column("how").to_pylist()) == {"could not tell"}
    clustered = sl.insider(sl.protect(eleven(), LIMITS, method="microaggregation"))
    assert clustered.outcome == "could not tell"
    assert clustered.people_above(0.5) == 0


def test_levels_that_were_chosen_tell_nothing():
    by = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}
    found = sl.protect(eleven(), LIMITS, by=by, levels={"q0": 1, "q1": 1})
    assert sl.insider(found).outcome == "nothing to learn"


def test_a_person_alone_and_a_group_of_one_value_are_certain():
    alone = sl.insider(sl.protect(table_of([(0,)], ["a"]), sl.Implications(0) <= 1, method="mondrian"))
    assert alone.worst == 1
    alike = table_of([(0,), (1,), (2,)], ["a", "a", "a"])
    assert (
        sl.insider(sl.protect(alike, [sl.GroupSize() >= 2, sl.RecursiveDiversity(1) <= 1], method="mondrian")).worst
        == 1
    )


def test_a_release_that_resists_stays_within_its_limit():
    found = sl.protect(eleven(), LIMITS, method="mondrian", resists="insider")
    learnt = sl.insider(found)
    assert learnt.worst <= Fraction(1, 2)
    assert learnt.people_above(Fraction(1, 2), end="at most") == 0


def test_the_measure_judges_what_was_found():
    with pytest.raises(NothingSafe, match=r"insider ≤ 0\.5"):
        sl.protect(eleven(), [*LIMITS, sl.Insider() <= 0.5], method="mondrian")
    found = sl.protect(eleven(), [*LIMITS, sl.Insider() <= 1], method="mondrian")
    finding = found.verdict.judgements[-1].finding
    assert finding.value == 1
    assert finding.replay(found.release) == 1
    assert "2 cuts that the people of the group allow were not made" in finding.explain()


def test_several_columns_and_sets_could_not_be_told():
    rows = pa.table({"q": ["1", "2", "3", "4"], "one": list("abab"), "two": list("ccdd")})
    several = sl.read_table(rows, quasi=["q"], sensitive=["one", "two"])
    learnt = sl.insider(sl.protect(several, [sl.GroupSize() >= 2, sl.DistinctValues() >= 2], method="mondrian"))
    assert learnt.outcome == "could not tell"
    assert "several sensitive columns" in learnt.reason
