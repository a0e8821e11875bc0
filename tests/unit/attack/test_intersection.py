"""The attack from end to end: the check against the truth, and what is refused.

Claims against the truth: calibration, on people who are really there.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.attack.simulation import draw_samples
from sidelight.errors import BadMeasure, BadRelease, BadTable, WrongKind

ZIPS = [{"zip": "1"}, {"zip": "2"}]
ONE = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "c": 2}], labels=ZIPS)
TWO = sl.Release.from_counts([{"a": 1, "c": 2}, {"b": 3}], labels=ZIPS)
PEOPLE = pl.DataFrame(
    {"zip": ["1", "2", "2", "9"], "name": ["Ann", "Bea", "Cat", "Dan"], "real": ["a", "b", "c", None]}
)


def exposed(**options):
    return sl.intersect([ONE, TWO], people=PEOPLE, **options)


def explains(exposure, *parts):
    return any(mentions(line, *parts) for line in exposure.explain().splitlines())


def test_the_truth_is_checked_where_it_is_known():
    truth = exposed(truth="real").truth
    assert truth.people == 3
    assert truth.hits == truth.given_away == truth.guessed == Fraction(1, 3)
    assert truth.hits_by_release == (Fraction(2, 3), Fraction(2, 3))
    assert truth.belief == pytest.approx(1 / 3)
    assert exposed().truth is None


def test_one_value_per_person_and_several_are_not_mixed():
    several = sl.Release.from_counts([{"a": 1, "b": 2}], sizes=[2], values="set", labels=ZIPS[:1])
    with pytest.raises(BadRelease, match=r'release 1.*values="single".*release 2.*values="set"'):
        sl.intersect([ONE, several], people=PEOPLE)
    table = sl.read_table(PEOPLE, quasi=["zip"], sensitive="real", person="name", values="set", missing="a value")
    with pytest.raises(BadTable, match="one value each"):
        sl.intersect([ONE, TWO], people=table)


def test_nothing_to_do_is_refused():
    with pytest.raises(BadRelease, match="no releases"):
        sl.intersect([], people=PEOPLE)
    with pytest.raises(BadRelease, match='no prior="mine"'):
        exposed(prior="mine")
    with pytest.raises(BadRelease, match='no evidence="mine"'):
        exposed(evidence="mine")
    with pytest.raises(BadTable, match="print no columns"):
        sl.intersect([sl.Release.from_counts([{"a": 1}])], people=PEOPLE)


def test_things_of_another_kind_get_one_line_with_the_remedy():
    with pytest.raises(WrongKind, match=r"releases.*not one.*\[release\]"):
        sl.intersect(ONE, people=PEOPLE)
    with pytest.raises(WrongKind, match=r"release 2.*Release, not a polars DataFrame.*sl\.read_release"):
        sl.intersect([ONE, PEOPLE], people=PEOPLE)
    table = sl.read_table(PEOPLE.drop_nulls(), quasi=["zip"], sensitive="real")
    with pytest.raises(WrongKind, match=r"release 1.*Release, not a Table.*sl\.group"):
        sl.intersect([table], people=PEOPLE)


def test_releases_may_come_one_by_one():
    assert sl.intersect(iter([ONE, TWO]), people=PEOPLE).perfect == exposed().perfect


@pytest.mark.parametrize("releases", [None, "general.csv", {"one": 1}, pl.DataFrame({"zip": ["130**"]})])
def test_what_is_no_list_of_releases_gets_one_line(releases):
    with pytest.raises(WrongKind, match=r"releases.*list, each a Release, not .*sl\.read_release"):
        sl.intersect(releases, people=pl.DataFrame({"zip": ["13053"]}))


IN_ONE = PEOPLE.with_columns(in_one=pl.Series(["yes", "no", "TRUE", "0"]), in_two=pl.Series([1, 1, 1, 1]))


def test_a_column_says_who_is_in_a_release():
    exposure = sl.intersect([ONE, TWO], people=IN_ONE, person="name", truth="real", present=["in_one", "in_two"])
    assert exposure.witness("Ann").candidates == ("a",)
    assert exposure.witness("Bea").candidates == ("b",)  # not in the first one, which has no b there
    assert exposure.witness("Cat").candidates == ()
    sighting = exposure.witness("Bea").sightings[0]
    assert sighting.present == 0
    assert mentions(sighting, "release 1", "known not to be")
    assert exposure.unlocated == (0, 1)  # Dan is known not to be in the first one
    assert explains(exposure, "'in_one'", "release 1", "2 of 4 people")
    assert explains(exposure, "Everybody", "release 2")


def test_a_probability_rules_out_nothing():
    exposure = exposed(present=[1, 0.25], truth="real")
    assert exposure.candidates[0] == ("a", "b")
    assert exposure.values_by_release[1].tolist() == [3, 3, 3]
    assert exposure.contradicted == 0
    sighting = exposure.witness(0).sightings[1]
    assert (sighting.present, sighting.rules_out) == (Fraction(1, 4), ())
    assert mentions(sighting, "probability 1/4", "nothing is ruled out")
    assert str(sighting) in exposure.witness(0).explain()
    assert explains(exposure, "Everybody", "release 2", "probability 1/4")
    assert (exposure.perfect, exposure.if_present) == (0, Fraction(1, 3))  # Ann, who fits only "a" in both
    assert exposure.open >= exposure.if_present
    assert explains(exposure, "If", "all releases", "1 of 3 people", "33.4 %", "more", "given away")
    nobody = exposed(present=0, evidence="independent")
    assert nobody.witness({"zip": "1"}).beliefs == dict(zip(nobody.domain, nobody.prior, strict=True))
    assert nobody.unlocated == (0, 0)
    assert nobody.located_nowhere == 0


def test_everybody_in_all_of_them_is_what_is_assumed():
    assert explains(exposed(), "Everybody", "in every release")
    assert not explains(exposed(), "probability")
    assert exposed(present=1).values_left.tolist() == exposed().values_left.tolist()


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ([1], "present=.* 1 release of 2"),
        (1.5, "present=1.5 is no probability"),
        ([-1, 1], "is no probability"),
        ("where", "no column 'where'"),
        ("name", r"column 'name' \(present=\).*yes or no"),
        ("real", r"column 'real' \(present=\) says"),
    ],
)
def test_who_is_present_is_said_clearly(present, message):
    with pytest.raises(BadTable, match=message):
        exposed(present=present)
    with pytest.raises(BadTable, match=r"column 'there'.*says nothing"):
        sl.intersect([ONE], people=PEOPLE.with_columns(there=pl.Series([1, 1, 1, None])), present="there")


SETS = [
    sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "c": 3}], sizes=[3, 3], labels=ZIPS, values="set"),
    sl.Release.from_counts([{"a": 2, "b": 2}, {"b": 1, "c": 1}], sizes=[2, 4], labels=ZIPS, values="set"),
]
SEVERAL = pl.DataFrame(
    {"zip": ["1", "1", "2", "2"], "name": ["Ann", "Ann", "Bea", "Cat"], "has": ["a", "b", "c", None]}
)


def test_people_with_several_values():
    exposure = sl.intersect(SETS, people=SEVERAL, person="name", truth="has", same_values={})
    assert exposure.people.total == 3
    assert exposure.semantics == "set"
    ann = exposure.witness("Ann")
    assert ann.certain == ("a", "b")
    assert ann.candidates == ("a", "b")
    assert ann.sightings[1].everybody_has == ("a", "b")
    assert mentions(ann.explain().splitlines()[2], "release 2", "2 values", "a, b", "everybody", "a, b")
    assert ann.explain().endswith("Certain: a, b.")
    assert exposure.witness("Bea").explain().endswith("Certain: c.")
    assert exposure.perfect == 1
    assert exposure.truth.hits == 1
    assert exposure.truth.people == 3
    assert exposure.truth.guessed == exposure.truth.given_away == Fraction(2, 3)
    assert explains(exposure, "certain", "3 of 3 people")
    assert exposure.values_left.tolist() == [0, 0]
    with pytest.raises(BadMeasure, match=r"partial .*one value.*sure\(…\)"):
        exposure.partial(0.5)
    with pytest.raises(BadMeasure, match="confidence counts"):
        _ = exposure.confidence
    assert exposure.sure(1) == 1


def test_a_value_that_one_makes_certain_and_another_rules_out():
    other = sl.Release.from_counts([{"b": 2}], sizes=[2], labels=ZIPS[:1], values="set")
    wrong = sl.Release.from_counts([{"a": 2}], sizes=[2], labels=ZIPS[:1], values="set")
    exposure = sl.intersect([other, wrong], people=SEVERAL[:1], same_values={})
    assert exposure.contradicted == 1
    assert exposure.perfect == 0
    assert explains(exposure, "1 of 1", "contradict each other", "certain", "rules out")
    assert "nobody has in another" in exposure.witness(0).explain()


def test_true_values_of_several_each_need_to_say_whose_they_are():
    with pytest.raises(BadTable, match="give person="):
        sl.intersect(SETS, people=SEVERAL, truth="has", same_values={})
    cells = pl.DataFrame({"zip": ["1", "2", "2"], "has": ["a|b", "c", None]})
    split = sl.intersect(SETS, people=cells, truth="has", split="|", same_values={})
    assert (split.people.total, split.truth.hits) == (3, 1)


def test_people_with_several_rows_are_people_once():
    assert sl.intersect(SETS, people=SEVERAL, person="name", same_values={}).people.total == 3
    moved = SEVERAL.with_columns(zip=pl.Series(["1", "2", "2", "2"]))
    with pytest.raises(BadTable, match="1 person"):
        sl.intersect(SETS, people=moved, person="name", same_values={})


def test_occurrences_go_to_anybody():
    bags = sl.Release.from_counts([{"a": 2, "b": 1}], sizes=[2], labels=ZIPS[:1], values="multiset")
    witness = sl.intersect([bags], people=SEVERAL[:1]).witness(0)
    assert witness.beliefs == {"a": Fraction(3, 4), "b": Fraction(1, 2)}
    assert witness.certain == ()  # both of a's may be the other one's


SURVEY = sl.Release.from_counts([{"a": 3, "b": 1}, {"a": 1, "c": 4}], labels=ZIPS)
SURVEYED = pl.DataFrame({"zip": ["1", "1", "1", "1", "2"], "real": ["a", "a", "b", "b", "c"]})


def test_claims_are_put_beside_what_is_right():
    calibration = sl.intersect([SURVEY], people=SURVEYED, truth="real").truth.calibration
    assert [(each.low, each.people, each.right) for each in calibration.bins] == [
        (Fraction(7, 10), 4, Fraction(1, 2)),
        (Fraction(4, 5), 1, Fraction(1)),
    ]
    assert calibration.people == 5
    assert calibration.claimed == pytest.approx((4 * 0.75 + 0.8) / 5)
    assert calibration.right == Fraction(3, 5)
    assert calibration.expected_error == pytest.approx((4 * 0.25 + 0.2) / 5)


def test_nobody_claims_anything_of_people_about_whom_releases_contradict_each_other():
    other = sl.Release.from_counts([{"c": 1}], labels=ZIPS[:1])
    truth = sl.intersect([SURVEY, other], people=SURVEYED, truth="real").truth
    assert (truth.people, truth.calibration.people) == (5, 1)
    assert truth.log_belief == -np.inf  # true values are ruled out


ALL = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
PART, OTHER_PART = ["age", "workclass", "race"], ["education", "marital-status", "sex"]


def published(table, quasi, k):
    """Publish by some of the columns only; people are still known by all of them."""
    frame = {column.name: [column.cell(row) for row in range(len(table.sizes))] for column in table.quasi}
    row, value, count = table.counts.entries()
    rows = np.repeat(row, count)
    people = pl.DataFrame({name: np.array(frame[name], object)[rows].tolist() for name in quasi})
    people = people.with_columns(job=pl.Series([table.domain[each] for each in np.repeat(value, count)]))
    narrow = sl.read_table(people, quasi=quasi, sensitive="job")
    return sl.protect(narrow, sl.Policy(sl.GroupSize() >= k), method="mondrian", ask="nobody")


def adult_samples(*, overlap, people, seed=1):
    table = sl.datasets.adult(quasi=ALL).table
    return draw_samples(table, overlap=overlap, people=people, releases=2, rng=np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("quasi", "k"), [((ALL, ALL), 5), ((ALL, ALL), 20), ((PART, OTHER_PART), 10)], ids=["same", "coarse", "disjoint"]
)
def test_beliefs_are_calibrated_whether_releases_go_by_the_same_columns_or_not(quasi, k):
    """The product claimed 0.47 and was right about 0.37: what both releases say counts once."""
    shared, samples = adult_samples(overlap=3_000, people=9_000)
    results = [published(sample, columns, k) for sample, columns in zip(samples, quasi, strict=True)]
    calibration = sl.intersect(results, people=shared).truth.calibration
    assert calibration.expected_error < 0.05
    assert calibration.claimed == pytest.approx(float(calibration.right), abs=0.035)
    curve = [each for each in calibration.bins if each.people >= 150]
    assert len(curve) >= 4
    for each in curve:
        assert each.claimed == pytest.approx(float(each.right), abs=0.08)
    product = sl.intersect(results, people=shared, evidence="independent").truth
    if quasi[0] == quasi[1]:
        assert product.calibration.claimed > float(product.calibration.right) + 0.06
    assert sl.intersect(results, people=shared).truth.log_belief >= product.log_belief - 0.005


def test_the_same_people_twice_are_evidence_once():
    (sample, _) = adult_samples(overlap=5_000, people=5_000)[1]
    results = [published(sample, ALL, k) for k in (5, 7)]
    calibration = sl.intersect(results, people=sample).truth.calibration
    assert calibration.expected_error < 0.03


def test_lists_hold_the_truth_when_people_may_be_absent():
    """Two samples with 1,000 of 6,000 people in both: lists held the truth for 83 %, and of 56 given away 21 were."""
    _, samples = adult_samples(overlap=1_000, people=6_000)
    results = [published(sample, ALL, 10) for sample in samples]
    people = samples[0]
    assumed = sl.intersect(results, people=people)
    assert assumed.truth.hits < Fraction(9, 10)
    assert assumed.truth.given_away < assumed.perfect * Fraction(3, 4)
    assert assumed.truth.log_belief == -np.inf
    allowed = sl.intersect(results, people=people, present=[1, Fraction(1, 6)])
    assert allowed.truth.hits == 1
    assert allowed.contradicted == 0
    assert allowed.perfect == allowed.truth.given_away
    assert allowed.truth.log_belief > -1.75
    assert allowed.truth.calibration.expected_error < 0.02
    prior_only = sl.intersect(results, people=people, present=[1, Fraction(1, 6)], evidence="independent")
    assert prior_only.truth.hits == 1
    assert prior_only.truth.log_belief < allowed.truth.log_belief


def test_a_set_of_conditions_each_is_claimed_with_right():
    people, results = nhefs_samples(k=10)
    exposure = sl.intersect(results, people=people)
    assert exposure.truth.hits == 1
    assert exposure.contradicted == 0
    assert exposure.truth.calibration.expected_error < 0.05
    independent = sl.intersect(results, people=people, evidence="independent").truth.calibration
    assert independent.expected_error > 2 * exposure.truth.calibration.expected_error


def nhefs_samples(*, k, overlap=500, own=500):
    quasi = ["age", "sex", "race", "education"]
    rows = pl.from_arrow(pq.read_table(sl.datasets.nhefs().path))
    names = np.random.default_rng(0).permutation(rows["person"].unique().sort().to_numpy())
    shared = names[:overlap]
    drawn = [
        shared,
        *(np.concatenate([shared, names[start : start + own]]) for start in (overlap, overlap + own)),
    ]
    people, *samples = [
        sl.read_table(
            rows.filter(pl.col("person").is_in(each.tolist())),
            quasi=quasi,
            sensitive="condition",
            person="person",
            values="set",
            missing="no value",
        )
        for each in drawn
    ]
    return people, [
        sl.protect(each, sl.Policy(sl.GroupSize() >= k), method="mondrian", ask="nobody") for each in samples
    ]
