"""What a learner claims, how right it is, bin by bin."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, WrongKind
from sidelight.learner.roster import LABELS_ALONE
from sidelight.learner.training import NOTHING_HOLDS


@pytest.fixture(scope="module")
def ward():
    return sl.Release.from_buckets(
        [
            ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]),
            ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]),
            ([{"sex": "m"}, {"sex": "m"}], ["Flu", "Flu"]),
        ]
        * 5
    )


@pytest.fixture(scope="module")
def truth():
    people = [{"sex": "f", "value": "Anorexia"}] * 10 + [{"sex": "m", "value": "Flu"}] * 20
    import pyarrow as pa  # noqa: PLC0415 - only here

    return sl.read_table(pa.Table.from_pylist(people), quasi="sex", sensitive="value")


def test_without_the_truth_nothing_is_called_right(ward):
    learned = sl.learn(ward, "naive bayes")
    assert (learned.right, learned.calibration_error, learned.right_above(0.9)) == (None, None, None)
    assert learned.calibration == ()
    assert "true" not in learned.table().column_names
    assert "claimed" in repr(learned)
    assert "right" not in repr(learned)


def test_calibration_adds_up(ward, truth):
    learned = sl.learn(ward, "naive bayes", truth=truth)
    assert learned.right == 1
    assert sum(each.people for each in learned.calibration) == 30
    off = sum(each.people * abs(each.right - each.claimed) for each in learned.calibration) / 30
    assert learned.calibration_error == pytest.approx(off)
    assert learned.calibration_error == pytest.approx(1 - learned.claimed)
    assert learned.gain == pytest.approx(learned.claimed - learned.by_release)


def test_people_are_counted_at_a_belief_that_is_met(ward):
    learned = sl.learn(ward, "naive bayes")
    assert learned.people_above(0) == learned.people_above(0.5) == 30
    assert learned.people_above(1) == 10
    assert learned.largest == 1
    with pytest.raises(BadMeasure, match="between 0 and 1"):
        learned.people_above(90)


def test_of_equal_beliefs_the_first_value_of_the_domain_is_guessed():
    even = sl.Release.from_buckets([([{"sex": "f"}, {"sex": "m"}], ["Flu", "Cold"])])
    rows = sl.learn(even).table().to_pylist()
    assert {row["value"] for row in rows if row["guess"]} == {"Cold"}


def test_a_belief_that_is_no_decimal_is_met_too():
    thirds = sl.Release.from_buckets([([{"sex": "f"}] * 3, ["Flu", "Cold", "Asthma"]), ([{"sex": "m"}], ["Flu"])])
    learned = sl.learn(thirds)
    assert learned.people_above(Fraction(1, 3)) == learned.people_above(1 / 3) == 4
    assert learned.people_above(0.334) == 1


ROWS = pa.table(
    {
        "town": ["x", "x", "x", "y", "y", "y", "x", "y"],
        "age": ["31", "32", "33", "31", "32", "33", "51", "52"],
        "disease": ["Flu", "Flu", "Flu", "Cold", "Cold", "Cold", "Flu", "Cold"],
    }
)


@pytest.fixture(scope="module")
def table():
    return sl.read_table(ROWS, quasi=["town", "age"], sensitive="disease")


@pytest.fixture(scope="module")
def ages(table):
    """Groups by age alone; who is in them is told by town and age."""
    return sl.group(table, by="age")


def test_members_are_the_roster(ages, table):
    learned = sl.learn(ages, "naive bayes", truth=table, calibrated=False)
    assert learned.right == 1
    assert learned.claimed > learned.by_release > 0.5
    assert learned.notes == ()


@pytest.mark.parametrize("model", ["naive bayes", "logistic"])
def test_a_roster_in_place_of_members_says_the_same(ages, table, model):
    bare = sl.Release(ages.groups, ages.sensitive)
    with_roster = sl.learn(bare, model, roster=table)
    assert with_roster.right is None
    np.testing.assert_allclose(with_roster.beliefs, sl.learn(ages, model).beliefs, atol=1e-9)
    np.testing.assert_allclose(sl.learn(bare, model, truth=table).beliefs, with_roster.beliefs, atol=1e-9)


def test_printed_labels_alone_move_nothing_and_it_is_said(ages):
    learned = sl.learn(sl.Release(ages.groups, ages.sensitive))
    assert learned.notes == (LABELS_ALONE,)
    assert learned.claimed == learned.by_release
    assert "sees the release alone" in learned.explain()
    assert "only claimed" in learned.explain()


def test_a_roster_that_does_not_fit_is_refused_and_the_group_named(ages, table):
    bare = sl.Release(ages.groups, ages.sensitive)
    fewer = sl.read_table(ROWS.slice(0, 7), quasi=["town", "age"], sensitive="disease")
    with pytest.raises(BadRelease, match=r"not fit.*group 5 \(age 52\) has 1 .* 0"):
        sl.learn(bare, roster=fewer)
    other = sl.read_table(ROWS.select(["town", "disease"]), quasi="town", sensitive="disease")
    with pytest.raises(BadRelease, match="none of the columns"):
        sl.learn(bare, roster=other)


def test_a_truth_of_other_values_is_refused_and_the_group_named(ages):
    turned = ROWS.set_column(2, "disease", pa.array(ROWS["disease"].to_pylist()[::-1]))
    other = sl.read_table(turned, quasi=["town", "age"], sensitive="disease")
    with pytest.raises(BadRelease, match=r"truth does not fit.* group"):
        sl.learn(ages, truth=other)


def test_targets_are_known_without_a_roster(table):
    rows = pa.table({"town": ["x", "x", "y", "y"] * 5, "disease": ["Flu", "Flu", "Cold", "Flu"] * 5})
    people = sl.read_table(rows, quasi="town", sensitive="disease")
    release = sl.Release.from_counts([{"Flu": 10, "Cold": 0}, {"Flu": 5, "Cold": 5}],
                                     labels=[{"town": "x"}, {"town": "{x, y}"}])  # fmt: skip
    with pytest.raises(BadRelease, match="fit group 1"):
        sl.learn(release, "naive bayes", targets=people)
    apart = sl.Release.from_counts([{"Flu": 15, "Cold": 5}], labels=[{"town": "*"}])
    learned = sl.learn(apart, "naive bayes", targets=people, truth=people)
    assert learned.claimed == pytest.approx(0.75)
    with pytest.raises(BadMeasure, match="naive bayes"):
        sl.learn(apart, targets=people)
    with pytest.raises(BadMeasure, match=r"targets= .*roster out"):
        sl.learn(apart, "naive bayes", targets=people, roster=people)


def test_a_search_knows_the_truth(table):
    lots = sl.Anatomy(l=2, random=np.random.default_rng(1))
    found = sl.protect(table, sl.DistinctValues() >= 2, method=lots, ask="nobody")
    learned = sl.learn(found.release, "naive bayes", truth=found)
    assert learned.table()["true"].to_numpy().sum() == 8
    cut = sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody")
    assert sl.learn(cut.release, "naive bayes", truth=cut, roster=table).right is not None


def test_a_missing_label_is_a_label_and_equal_people_stay_equal():
    release = sl.Release.from_buckets(
        [([{"town": None}, {"town": "x"}, {"town": None}], ["Flu", "Cold", "Flu"]), ([{"town": "x"}], ["Cold"])]
    )
    rows = sl.learn(release, "naive bayes", calibrated=False).table().to_pylist()
    missing = {row["value"]: row["belief"] for row in rows if row["town"] is None}
    assert [row["people"] for row in rows if row["town"] is None] == [2, 2]
    assert missing["Flu"] > 0.75


def test_sets_of_values_of_real_people():
    nhefs = sl.datasets.nhefs()
    found = sl.protect(nhefs.table, sl.GroupSize() >= 20, by=nhefs.hierarchies, method="mondrian", ask="nobody")
    learned = sl.learn(found.release, "naive bayes", truth=found, roster=nhefs.table)
    assert 0 < learned.right < 1
    assert learned.people_above(0) == nhefs.table.people


def test_an_unknown_model_is_refused(ages):
    with pytest.raises(BadMeasure, match='choose "logistic" or "naive bayes"'):
        sl.learn(ages, "forest")


def test_progress_is_told(ages):
    told = []
    sl.learn(ages, "naive bayes", progress=lambda *step: told.append(step))
    assert told[0] == ("training rounds", 0, 30)


@pytest.mark.parametrize("rounds", [0, -3, 2.5, "x", None, True])
def test_rounds_that_are_no_training_are_refused(ages, rounds):
    with pytest.raises(BadMeasure, match="rounds"):
        sl.learn(ages, rounds=rounds)


def test_a_roster_that_is_no_table_is_refused_even_where_none_is_needed(ages):
    with pytest.raises(WrongKind, match=r"roster .*a Table"):
        sl.learn(ages, roster="people.csv")


def test_targets_of_whom_nobody_is_in_the_release_are_refused(table):
    elsewhere = sl.Release.from_counts([{"Flu": 3, "Cold": 2}], labels=[{"town": "z"}])
    with pytest.raises(BadRelease, match=r"nobody of the roster.* group"):
        sl.learn(elsewhere, "naive bayes", targets=table)


def test_too_many_states_to_count_are_scaled_and_it_is_said():
    everybody = sl.Release.from_buckets(
        [([{"q": str(at % 9)} for at in range(1200)], [f"v{at}" for at in range(1200)])]
    )
    learned = sl.learn(everybody, "naive bayes", rounds=2)
    assert learned.notes[0] == NOTHING_HOLDS
    (scaled,) = learned.notes[1:]
    assert mentions(scaled, "1 group", "1,000,000,000", "or more", "Sinkhorn's", "doubt", "replay", "not")
