"""A prior that depends on a printed column: what it comes to, what is refused, how it reads."""

import math
from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.epsilon_privacy.prior import WeightsByLabel
from sidelight.measures.measure import Monotonicity
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text

EARLIER = {"North": {"Flu": 900, "Cold": 100}, "South": {"Flu": 100, "Cold": 900}}


def town(people, **roles):
    regions, diseases = zip(*people, strict=True)
    rows = pa.table({"region": regions, "disease": diseases})
    return sl.read_release(rows, group="region", sensitive="disease", **roles)


def people(region, flu, cold):
    return [(region, "Flu")] * flu + [(region, "Cold")] * cold


def test_where_each_group_prints_one_region_each_has_its_own_prior():
    release = town(people("North", 9, 1) + people("South", 9, 1))
    alone = [
        sl.PriorBelief(counts=EARLIER[region]).measure(town(people(region, 9, 1))).value
        for region in ("North", "South")
    ]
    finding = sl.PriorBelief(counts=EARLIER, by="region").measure(release)
    assert finding.value == max(alone) == alone[1]
    assert finding.witness.label == "South"
    assert finding.replay(release) == finding.value


def test_a_group_that_covers_both_is_seen_through_both():
    """Of a northerner in it a flu is likelier: n_s · σ(r, s) / σ(s), the expression of the ℓ-diversity paper."""
    release = town(people("{North, South}", 2, 2))
    finding = sl.PriorBelief(counts=EARLIER, by="region", predicates=["Flu"]).measure(release)
    north = Fraction(2) * 900 / 1000 / (Fraction(2) * 900 / 1000 + Fraction(2) * 100 / 1000)
    assert north == Fraction(9, 10)
    assert {finding.witness.p_in} <= {north, 1 - north}
    assert finding.replay(release) == finding.value


def test_the_unmoved_and_those_at_most_so_stubborn():
    release = town(people("*", 3, 2) + people("South", 1, 4))
    for sure, least in ((math.inf, None), (4_000, None), (4_000, "same"), (math.inf, "smallest")):
        finding = sl.PriorBelief(shape=EARLIER, stubbornness=sure, least_stubbornness=least, by="region").measure(
            release
        )
        assert finding.replay(release) == finding.value
    unmoved = sl.PriorBelief(shape=EARLIER, stubbornness=math.inf, by="region").measure(release)
    assert unmoved.witness.p_out in (Fraction(1, 10), Fraction(9, 10))


def test_what_was_seen_in_an_earlier_release_by_region():
    earlier = town(people("North", 3, 1) + people("South", 0, 2))
    measure = sl.PriorBelief.from_release(earlier, by="region")
    assert measure.counts == {"North": {"Flu": 4, "Cold": 2}, "South": {"Flu": 1, "Cold": 3}}
    table = sl.read_table(
        pa.table({"region": ["North", "North", "South"], "disease": ["Flu", "Cold", "Cold"]}),
        quasi="region",
        sensitive="disease",
    )
    assert sl.PriorBelief.from_release(table, by="region").counts["South"] == {"Flu": 1, "Cold": 2}


def test_it_says_where_the_person_is_from():
    release = town(people("*", 5, 1))
    finding = sl.PriorBelief(counts=EARLIER, by="region").measure(release)
    assert "who expects other things by region," in finding.explain()
    assert f"who has region {finding.witness.label} has" in finding.explain()
    assert sl.PriorBelief(counts=EARLIER, by="region").when_groups_merge is Monotonicity.UNKNOWN


def test_a_policy_file_says_it():
    policy = sl.Policy(sl.PriorBelief(counts=EARLIER, by="region") <= 3)
    assert read_policy_text(policy_text(policy)).policy.criteria == policy.criteria
    text = '[[limit]]\nmeasure = "prior belief"\nby = "region"\nat_most = 3\n[limit.counts]\n'
    text += "North = {Flu = 900, Cold = 100}\nSouth = {Flu = 100, Cold = 900}\n"
    assert read_policy_text(text).policy.criteria == policy.criteria


def test_a_search_is_told_to_judge_with_it_later():
    table = sl.read_table(pa.table({"region": ["North"], "disease": ["Flu"]}), quasi="region", sensitive="disease")
    with pytest.raises(BadMeasure, match="judge what is found"):
        sl.protect(table, sl.Policy(sl.PriorBelief(counts=EARLIER, by="region") <= 3), by={}, ask="nobody")


def test_a_table_of_generalisations_looks_at_what_each_prints():
    rows = pa.table({"region": ["North", "South"] * 2, "disease": ["Flu", "Flu", "Cold", "Cold"]})
    table = sl.read_table(rows, quasi="region", sensitive="disease")
    hierarchies = {"region": sl.Hierarchy.suppression("region", ["North", "South"])}
    measure = sl.PriorBelief(counts=EARLIER, by="region")
    listed = sl.generalisation_table(table, hierarchies, [measure])
    values = [measure.measure(sl.generalise(table, by=hierarchies, to={"region": level})).value for level in (0, 1)]
    assert [row.values[0] for row in listed] == values


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"stubbornness": 9}, "goes with counts= or shape="),
        ({"counts": EARLIER, "known_people": 1}, "goes without known_people="),
        ({"counts": EARLIER, "predicates": "all subsets"}, "'all subsets'"),
        ({"counts": {"Flu": 3}}, "per label and value"),
        ({"shape": "uniform", "stubbornness": 9}, "per label and value"),
        ({"counts": {"North": {"Flu": 0, "Cold": 1}}}, "'Flu' in 'North' is 0; give at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.PriorBelief(**settings, by="region")


@pytest.mark.parametrize(
    ("settings", "release", "complaint"),
    [
        ({"counts": EARLIER, "by": "regions"}, people("North", 1, 1), "did you mean 'region'"),
        ({"counts": EARLIER, "by": "region"}, people("Nord", 1, 1), "nothing about 'Nord'"),
        ({"counts": EARLIER, "by": "region"}, [("North", "Ulcer")], "misses 'Ulcer' in 'North'"),
        ({"shape": EARLIER, "stubbornness": 3, "by": "region"}, people("North", 1, 1), "at least 20"),
    ],
)
def test_a_prior_that_does_not_fit_the_release_is_refused(settings, release, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.PriorBelief(**settings).measure(town(release))


def test_weights_by_label_never_change():
    weights = WeightsByLabel(EARLIER)
    assert hash(weights) == hash(WeightsByLabel({"South": EARLIER["South"], "North": EARLIER["North"]}))
    assert weights.total == 2000
    assert weights.scaled(Fraction(1, 2000)).smallest({"Flu", "Cold"}) == Fraction(1, 20)


def test_values_that_do_not_occur_leave_the_range_of_stubbornness_as_it_is():
    """With one label it is the same question as without the column, rare values elsewhere or not."""
    rows = pa.table({"region": ["North"] * 2, "disease": ["Flu", "Cold"]})
    release = sl.read_release(rows, group="region", sensitive="disease")
    shape = {"Flu": 10, "Cold": 9, "Yellow fever": 1}
    plain = sl.PriorBelief(shape=shape, stubbornness=1_000).measure(release)
    by_region = sl.PriorBelief(shape={"North": shape}, by="region", stubbornness=1_000).measure(release)
    assert by_region.value == plain.value
    assert by_region.witness.stubbornness == plain.witness.stubbornness == Fraction(20, 9)
