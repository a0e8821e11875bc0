"""Which values somebody would want to learn: what may be said, and what is refused."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, UnknownValue
from sidelight.measures.targets import Predicate, Targets, read_value
from sidelight.policy.limit_text import read_limit
from sidelight.policy.policy_file import read_policy_text

WARD = sl.Release.from_counts(
    [
        {"Depression": 2, "Anxiety": 1, "Flu": 3, "Not asked": 4},
        {"Flu": 2, "Anxiety": 2, "Not asked": 1},
        {"Not asked": 3},
    ]
)
MENTAL = ("Depression", "Anxiety")
TREE = sl.Hierarchy.nested("ill", {"mental": [*MENTAL, "Bulimia"], "other": ["Flu", "Not asked"]})


def test_everybody_in_a_group_has_a_value_that_means_nothing():
    """The third group would be the worst of all; nobody wants to learn what it says."""
    assert sl.Implications(0).measure(WARD).value == 1
    assert sl.Implications(0, apart_from=["Not asked"]).measure(WARD).value == Fraction(2, 5)
    assert sl.DistinctValues().measure(WARD).value == 1
    assert sl.DistinctValues(apart_from=["Not asked"]).measure(WARD).value == 2
    assert sl.EntropyDiversity(apart_from=["Not asked"]).measure(WARD).value == 2
    assert sl.MaxEnt(apart_from=["Not asked"]).measure(WARD).value == Fraction(2, 5)
    for measure in (sl.RecursiveDiversity(l=2), sl.Closeness(), sl.Negations(1)):
        left_out = type(measure)(**measure.settings(), apart_from=["Not asked"])
        assert left_out.measure(WARD).value < measure.measure(WARD).value


def test_a_missing_value_can_be_left_out():
    release = sl.Release.from_counts([{"Flu": 1, None: 3}])
    measure = sl.Negations(0, apart_from=[None])
    assert measure.measure(release).value == Fraction(1, 4)
    assert str(measure) == 'negations(k=0, apart_from=["(missing)"])'
    assert read_limit('negations(k=0, apart_from=["(missing)"]) < 0.5').measure == measure
    assert sl.Implications(0, value=[None]).measure(release).value == Fraction(3, 4)


@pytest.mark.parametrize(
    ("value", "risk", "name"),
    [
        (MENTAL, Fraction(2, 5), "Anxiety or Depression"),
        ({"any mental disorder": MENTAL}, Fraction(2, 5), "any mental disorder"),
        ({"mental": TREE}, Fraction(2, 5), "mental"),
        (["not", "Flu"], 1, "not Flu"),
        (Predicate.any_of(*MENTAL, name="mental"), Fraction(2, 5), "mental"),
    ],
)
def test_a_category_in_every_form(value, risk, name):
    for measure in (sl.Implications(0, value), sl.Negations(0, value), sl.Acquaintance(value=value)):
        finding = measure.measure(WARD)
        assert (finding.value, finding.witness.value) == (risk, name)
        assert finding.replay(WARD) == risk
        assert name in finding.explain()
        assert sl.knowledge_skyline(WARD, value, below=Fraction(1, 100)) == ()


def test_a_category_of_the_file_of_a_hierarchy(tmp_path):
    sl.write_hierarchy(TREE, tmp_path / "ill.csv")
    limit = read_limit(f"implications(k=0, value={{mental = '{tmp_path / 'ill.csv'}'}}) < 0.5")
    assert limit.measure == sl.Implications(0, {"mental": TREE})
    assert read_limit(str(limit)) == limit  # which stands by itself


def test_values_of_a_category_that_nobody_has_are_noted():
    finding = sl.Acquaintance(value={"mental": TREE}).measure(WARD)
    assert finding.notes == ("the release does not have these values of 'mental': Bulimia",)
    nobody = sl.Release.from_counts([{"Flu": 1}], domain=["Flu", "Anxiety"])
    assert sl.Implications(1, {"mental": TREE}).measure(nobody).value == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["Depresion", "Anxiety"], "no sensitive value 'Depresion'"),
        ({"mental": ["Depresion", "Anxiety"]}, "did you mean 'Depression'"),
        ({"mental": ["Bulimia"]}, "no sensitive value 'Bulimia'"),
        (["Bulimia", "Anxiety"], "no sensitive value 'Bulimia'"),
    ],
)
def test_a_slip_of_the_pen_does_not_make_a_category_smaller(value, message):
    with pytest.raises(UnknownValue, match=message):
        sl.Implications(1, value).measure(WARD)


@pytest.mark.parametrize(
    "kind",
    [
        *(sl.Closeness, sl.DistinctValues, sl.EntropyDiversity, sl.BetaLikeness, sl.DeltaDisclosure, sl.Acquaintance),
        *(lambda **more: sl.Implications(1, **more), lambda **more: sl.Negations(1, **more)),
        *(lambda **more: sl.RecursiveDiversity(2, **more), lambda **more: sl.PriorBelief(stubbornness=3, **more)),
        lambda **more: sl.CheapestKnowledge(0.9, **more),
    ],
)
def test_a_question_about_no_value_at_all_has_no_answer_that_could_hold(kind):
    with pytest.raises(BadMeasure, match="apart_from= leaves no value"):
        kind(apart_from=WARD.domain).measure(WARD)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BadMeasure, match="both value= and apart_from="):
        sl.Implications(1, "Flu", apart_from=["Not asked"])
    with pytest.raises(BadMeasure, match="one name with its values"):
        sl.Implications(1, {"a": ["Flu"], "b": ["Flu"]})
    with pytest.raises(BadMeasure, match="'Flu' is also a value of the release"):
        sl.Implications(1, {"Flu": MENTAL}).measure(WARD)
    with pytest.raises(UnknownValue, match="did you mean 'Not asked'"):
        sl.DistinctValues(apart_from=["not asked"]).measure(WARD)
    with pytest.raises(BadMeasure, match="leave apart_from= out"):
        sl.PriorBelief(stubbornness=9, predicates=[["Flu"]], apart_from=["Not asked"])
    visits = sl.Release.from_counts([{"Flu": 1, "Cold": 1}], sizes=[2], values="set")
    with pytest.raises(BadMeasure, match="list the values that are in it"):
        sl.Acquaintance(value=["not", "Flu"]).measure(visits)


def test_in_sets_as_many_people_as_there_could_be_have_any():
    visits = sl.Release.from_counts([{"Flu": 2, "Cold": 3}], sizes=[4], values="set")
    finding = sl.Acquaintance(value=["Flu", "Cold"]).measure(visits)
    assert finding.value == finding.replay(visits) == 1
    with pytest.raises(BadMeasure, match="facts cannot say how many people"):
        finding.witness.as_facts()
    rarer = sl.Release.from_counts([{"Flu": 1, "Cold": 1, "HIV": 1}], sizes=[4], values="set")
    assert sl.Acquaintance(value=["Flu", "Cold"]).measure(rarer).value == Fraction(1, 2)
    several = sl.Release.from_counts([{"Flu": 1, "Cold": 1}], sizes=[2], values="multiset")
    assert sl.Acquaintance(value=["Flu", "Cold"]).measure(several).value == Fraction(3, 4)


def test_skylines_of_categories_and_of_the_other_values():
    required = sl.skyline(
        {"Flu": [(1, 0, 0, 0.9)], MENTAL: [(0, 2, 0, 0.8)]}, default=[(0, 0, 0, 1)], apart_from=["Not asked"]
    )
    assert [str(each) for each in required] == [
        "acquaintance(rules_out=1, value=Flu) < 0.9",
        "acquaintance(others=2, value=[Anxiety, Depression]) < 0.8",
        "acquaintance(apart_from=[Flu, Not asked]) < 1",
    ]
    file = """
        [[skyline]]
        value = "Flu"
        points = [{rules_out = 1, below = 0.9}]
        [[skyline]]
        value = ["Depression", "Anxiety"]
        points = [{others = 2, below = 0.8}]
        [[skyline]]
        apart_from = ["Not asked"]
        points = [{below = 1}]
    """
    assert read_policy_text(file).policy == sl.Policy(*required)
    with pytest.raises(BadPolicy, match="both 'value' and 'apart_from'"):
        read_policy_text('[[skyline]]\nvalue = "Flu"\napart_from = ["x"]\npoints = [{below = 1}]')
    with pytest.raises(BadPolicy, match="two skylines for 'Anxiety or Depression'"):
        read_policy_text('[[skyline]]\nvalue = ["Depression", "Anxiety"]\npoints = [{below = 1}]\n' * 2)


def test_targets_are_values_themselves():
    assert Targets(read_value(["Flu"])) == Targets("Flu")
    assert not Targets("Flu").every_value
    assert Targets().nobody() == "nobody has any of the values asked about"


def test_searches_keep_limits_on_categories_and_on_the_other_values():
    data = sl.datasets.nhefs(quasi=["age", "sex", "race"])
    policy = sl.Policy(
        sl.GroupSize() >= 10,
        sl.Acquaintance(others=1, value={"Respiratory": data.hierarchies["condition"]}) < 0.5,
        sl.DistinctValues(apart_from=["Hay fever"]) >= 3,
    )
    for method in ("lattice", "mondrian"):
        found = sl.protect(data.table, policy, by=data.hierarchies, method=method, ask="nobody")
        assert policy.judge(found.release).safe
