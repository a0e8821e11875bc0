"""Which values somebody would want to learn: what may be said, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, UnknownValue
from sidelight.measures.targets import (
    Predicate,
    Targets,
    _as_one,
    _members,
    drop_values,
    examples_of_targets,
    predicates_as_written,
    read_predicates,
    read_value,
)
from sidelight.policy.limits import read_limit
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
    (note,) = finding.notes
    assert mentions(note, "not", "'mental': Bulimia")
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
    with pytest.raises(BadMeasure, match=r"one name .*values"):
        sl.Implications(1, {"a": ["Flu"], "b": ["Flu"]})
    with pytest.raises(BadMeasure, match=r"'Flu' .*value of the release"):
        sl.Implications(1, {"Flu": MENTAL}).measure(WARD)
    with pytest.raises(UnknownValue, match=r"'not asked'.*'Not asked'"):
        sl.DistinctValues(apart_from=["not asked"]).measure(WARD)
    with pytest.raises(BadMeasure, match="leave apart_from= out"):
        sl.PriorBelief(stubbornness=9, predicates=[["Flu"]], apart_from=["Not asked"])
    visits = sl.Release.from_counts([{"Flu": 1, "Cold": 1}], sizes=[2], values="set")
    with pytest.raises(BadMeasure, match="list the values"):
        sl.Acquaintance(value=["not", "Flu"]).measure(visits)


def test_in_sets_as_many_people_as_there_could_be_have_any():
    visits = sl.Release.from_counts([{"Flu": 2, "Cold": 3}], sizes=[4], values="set")
    finding = sl.Acquaintance(value=["Flu", "Cold"]).measure(visits)
    assert finding.value == finding.replay(visits) == 1
    with pytest.raises(BadMeasure, match=r"cannot say .*many people"):
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
    with pytest.raises(BadPolicy, match=r"two skylines .*'Anxiety or Depression'"):
        read_policy_text('[[skyline]]\nvalue = ["Depression", "Anxiety"]\npoints = [{below = 1}]\n' * 2)


def test_targets_are_values_themselves():
    assert Targets(read_value(["Flu"])) == Targets("Flu")
    assert not Targets("Flu").every_value
    assert mentions(Targets().nobody(), "nobody", "any of the values")


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


def refused_by(error, make):
    """The words of an error."""
    with pytest.raises(error) as refused:
        make()
    return str(refused.value)


FEW = sl.Release.from_counts([{"a": 1, "b": 2, "c": 3, None: 1}])


def test_predicates_have_values_in_order_and_words():
    assert Predicate.any_of(2, 1, None, 2).values == ("1", "2", None)
    assert Predicate.none_of("b", name="x") == Predicate(("b",), all_others=True, name="x")
    assert Predicate.any_of("b", name="x") == Predicate(("b",), all_others=False, name="x")
    words = [str(each) for each in (Predicate.any_of("b", None), Predicate.none_of("b"), Predicate.none_of("b", "a"))]
    assert words == ["b or (missing)", "not b", "neither a nor b"]
    assert str(Predicate.none_of("b", "a", name="ill")) == str(Predicate.any_of("b", name="ill")) == "ill"


def test_a_predicate_of_nothing_is_refused():
    for make in (lambda: Predicate((), name="ill"), lambda: Predicate.read([], name="ill")):
        assert mentions(refused_by(BadMeasure, make), "predicate 'ill'", "no values", "at least one")


@pytest.mark.parametrize(
    ("said", "predicate"),
    [
        ("a", Predicate(("a",), name="x")),
        (5, Predicate(("5",), name="x")),
        (["b", "a"], Predicate(("a", "b"), name="x")),
        (("not", "b", None), Predicate(("b", None), all_others=True, name="x")),
        (["a", "not"], Predicate(("a", "not"), name="x")),  # not at the beginning
        ({"not", "b"}, Predicate(("b", "not"), name="x")),  # a set has none
        (Predicate.any_of("a", name="y"), Predicate(("a",), name="y")),
    ],
)
def test_what_a_predicate_may_be(said, predicate):
    assert Predicate.read(said, name="x") == predicate


def test_values_under_a_node_are_named_after_it():
    assert Predicate.from_node(TREE, "mental") == Predicate.any_of(*MENTAL, "Bulimia", name="mental")


def test_the_places_of_a_predicate():
    assert Predicate.any_of("b", "a").indices(("a", "c", "b")) == [0, 2]
    assert Predicate.none_of("b").indices(("a", "c", "b")) == [0, 1]
    refused = refused_by(UnknownValue, lambda: Predicate.any_of("Fluu", name="ill").indices(("Flu", "b")))
    assert mentions(refused, "'Fluu'", "predicate 'ill'", "the prior", "'Flu'")


def test_predicates_as_a_policy_file_has_them():
    named = Predicate.none_of("b", name="ill")
    plain = Predicate.any_of("b", None)
    assert (plain.as_list(), named.as_list()) == (["b", "(missing)"], ["not", "b"])
    assert (plain.as_written(), named.as_written()) == (["b", "(missing)"], {"ill": ["not", "b"]})
    assert predicates_as_written((named, plain)) == {"ill": ["not", "b"], "b or (missing)": ["b", "(missing)"]}
    assert predicates_as_written((plain, plain)) == [["b", "(missing)"]] * 2


def test_what_several_predicates_may_be():
    a, b = Predicate.any_of("a"), Predicate.none_of("b")
    assert read_predicates([["a"], ["not", "b"]]) == read_predicates(iter(["a", b])) == (a, b)
    assert read_predicates({("a",)}) == (a,)
    assert read_predicates({"ill": ["a"]}) == (Predicate.any_of("a", name="ill"),)
    for wrong in ("a", 3):
        refused = refused_by(BadMeasure, lambda wrong=wrong: read_predicates(wrong))
        assert mentions(refused, "predicates=", "list of lists", '[["Ulcer", "Dyspepsia"], ["not", "Flu"]]')


@pytest.mark.parametrize(
    ("said", "target"),
    [
        (None, None),
        ("a", "a"),
        (5, "5"),
        (b"a", "a"),
        (["a"], "a"),
        (["a", "a"], "a"),
        ([None], Predicate.any_of(None)),  # None alone asks about all
        ("(missing)", Predicate.any_of(None)),
        (float("nan"), Predicate.any_of(None)),
        (["(missing)"], Predicate.any_of(None)),
        (["not", "a"], Predicate.none_of("a")),
        (("b", "a"), Predicate.any_of("a", "b")),
        ({"ill": ["a"]}, Predicate.any_of("a", name="ill")),
        ({"ill": ["(missing)", "a"]}, Predicate.any_of("a", None, name="ill")),
        ({3: ["not", "a"]}, Predicate.none_of("a", name="3")),
        (Predicate.any_of("a"), Predicate.any_of("a")),
    ],
)
def test_what_a_target_may_be(said, target):
    assert read_value(said) == target


@pytest.mark.parametrize("several", [{}, {"a": ["a"], "b": ["b"]}])
def test_a_target_has_one_name(several):
    refused = refused_by(BadMeasure, lambda: read_value(several))
    assert mentions(refused, "value=", "one name", '{"a stomach disease": ["Ulcer", "Dyspepsia"]}')


@pytest.mark.parametrize(
    ("targets", "places"),
    [
        (Targets(), [0, 1, 2, 3]),
        (Targets("b"), [1]),
        (Targets(apart_from=("a",)), [1, 2, 3]),
        (Targets(apart_from=(None, "b")), [0, 2]),
    ],
)
def test_places_of_targets(targets, places):
    assert targets.indices(FEW.groups).tolist() == targets.required_indices(FEW.groups).tolist() == places
    assert targets.coding(FEW.groups).tolist() == [place if place in places else -1 for place in range(4)]
    assert targets.every_value == (len(places) == 4)


def test_a_missing_one_may_be_a_text_of_the_release():
    release = sl.Release.from_counts([{"a": 1, "(missing)": 2}])
    assert release.domain == ("(missing)", "a")
    assert Targets(apart_from=(None,)).indices(release.groups).tolist() == [1]


def test_nothing_left_to_ask_about_is_refused():
    everything = Targets(apart_from=FEW.domain)
    assert everything.indices(FEW.groups).tolist() == []
    for make in (lambda: everything.required_indices(FEW.groups), lambda: drop_values(FEW.groups, FEW.domain)):
        assert mentions(refused_by(BadMeasure, make), "apart_from=", "no value", "leave one")


def test_a_category_is_seen_as_one_value_which_stands_where_its_first_did():
    targets = Targets(Predicate.any_of("b", None, name="ill"))
    seen = targets.view(FEW.groups)
    assert (seen.domain, seen.counts.dense().tolist()) == (("a", "ill", "c"), [[1, 3, 3]])
    assert targets.view_release(FEW).groups.counts.dense().tolist() == [[1, 3, 3]]
    assert targets.indices(seen).tolist() == [1]
    assert targets.members(FEW.domain) == ("b", None)
    others = Targets(Predicate.none_of("b"))
    assert others.view(FEW.groups).domain == ("not b", "b")
    assert others.members(FEW.domain) == ("a", "c", None)


def test_what_is_no_category_is_seen_as_it_is():
    for targets in (Targets(), Targets("b"), Targets(apart_from=("a",))):
        assert targets.view(FEW.groups) is FEW.groups
        assert targets.view_release(FEW) is FEW
        assert targets.members(FEW.domain) == targets.notes(FEW.domain) == ()


@pytest.mark.parametrize(("semantics", "any_of_both"), [("single", 5), ("set", 4), ("multiset", 5)])
def test_how_many_have_any_of_a_category(semantics, any_of_both):
    sizes = [6] if semantics == "single" else [4]
    release = sl.Release.from_counts([{"a": 2, "b": 3, "c": 1}], sizes=sizes, values=semantics)
    assert Targets(Predicate.any_of("a", "b")).view(release.groups).counts.dense().tolist() == [[any_of_both, 1]]


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_all_others_are_a_category_of_people_with_one_value_alone(semantics):
    release = sl.Release.from_counts([{"a": 1, "b": 2}], sizes=[3], values=semantics)
    refused = refused_by(BadMeasure, lambda: Targets(Predicate.none_of("a")).view(release.groups))
    assert mentions(refused, "'not a'", "category", "one value", "list the values")


def test_targets_in_words():
    named = Targets(Predicate.any_of("a", "yak", "zebra", name="ill"))
    (note,) = named.notes(FEW.domain)
    assert mentions(note, "not", "'ill': yak, zebra")
    assert Targets(Predicate.any_of("a")).notes(FEW.domain) == ()
    assert mentions(Targets("a").nobody(), "nobody", "'a'")
    assert mentions(Targets(Predicate.any_of("a", None)).nobody(), "nobody", "'a or (missing)'")


def test_a_category_may_be_called_as_one_of_its_own_values_and_as_no_other():
    column = _as_one(Predicate.any_of("b", "c", name="b"), ("a", "b", "x", "c"))
    assert (column.labels, column.codes.tolist(), column.codes.dtype) == (("a", "b", "x"), [0, 1, 2, 1], np.int32)
    refused = refused_by(BadMeasure, lambda: _as_one(Predicate.any_of("b", "c", name="a"), ("a", "b", "c")))
    assert mentions(refused, "'a'", "value of the release", "not in this category", "another name")


@pytest.mark.parametrize(
    ("category", "hint"),
    [
        (
            Predicate.any_of("Depresion", "Flu", name="ill"),
            ("'Depresion'", "named by 'ill'", "the release", "'Depression'"),
        ),
        (Predicate.any_of("zebra", name="ill"), ("'zebra'", "named by 'ill'", "the release", "Depression, Flu")),
        (Predicate.any_of("zebra", "Flu"), ("'zebra'", "named by 'Flu or zebra'", "the release", "Depression")),
    ],
)
def test_members_that_the_release_does_not_have(category, hint):
    assert mentions(refused_by(UnknownValue, lambda: _members(category, ("Depression", "Flu"))), *hint)


def test_members_of_a_category_with_a_name_need_not_all_occur():
    assert _members(Predicate.any_of("zebra", "Flu", name="ill"), ("Depression", "Flu")) == (1,)
    assert _members(Predicate.none_of("zebra", "Flu", name="ill"), ("Depression", "Flu", "Cold")) == (0, 2)


def test_what_a_measure_keeps_of_its_targets():
    assert sl.Implications(1, apart_from="a").apart_from == ("a",)
    measure = sl.Implications(1, apart_from=["b", "(missing)", 7, "b"])
    assert measure.apart_from == ("b", None, "7")
    assert measure.targets == Targets(None, ("b", None, "7"))
    assert measure.include_values({"b", "x"}) == sl.Implications(1, apart_from=[None, "7"])
    assert sl.Implications(1, ["b"]).value == "b"
    assert sl.Implications(1, ["b", "a"]).targets == Targets(Predicate.any_of("a", "b"))
    assert [each.targets.every_value for each in (measure, sl.Implications(1, "b"), sl.Implications(1))] == [
        *(False, False),
        True,
    ]
    refused = refused_by(BadMeasure, lambda: sl.Implications(1, "a", apart_from=["b"]))
    assert mentions(refused, "'implications'", "value=", "apart_from=", "one of them")


def test_a_measure_of_whole_distributions_has_no_value_to_ask_about():
    measure = sl.Closeness(apart_from=["a"])
    assert not hasattr(measure, "value")
    assert (measure.targets, measure.targets.every_value) == (Targets(None, ("a",)), False)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({}, []),
        ({"value": "a"}, ["a"]),
        ({"value": ["b", None]}, ["b", None]),
        ({"value": {"ill": ["a", None]}}, ["a", None]),
        ({"apart_from": ["a", None]}, ["a", None]),
    ],
)
def test_values_that_are_named(settings, named):
    flags = sl.Implications(1, **settings).names_values(FEW.domain).tolist()
    assert flags == [text in named for text in FEW.domain]
    assert sl.Implications(1, **settings).names_values(()).tolist() == []


@pytest.mark.parametrize(
    ("settings", "written"),
    [
        ({}, {}),
        ({"value": "a"}, {"value": "a"}),
        ({"value": ["b", "a"]}, {"value": ["a", "b"]}),
        ({"value": {"ill": ["not", "a"]}}, {"value": {"ill": ["not", "a"]}}),
        ({"apart_from": ["b", None]}, {"apart_from": ("b", None)}),
    ],
)
def test_settings(settings, written):
    assert list(sl.Implications(1, **settings).settings().items()) == [("k", 1), *written.items()]


def test_what_is_left_out_is_as_if_nobody_had_it():
    assert drop_values(FEW.groups, ()) is FEW.groups
    others = drop_values(FEW.groups, ["b", None])
    assert (others.domain, others.counts.dense().tolist(), others.whole.tolist()) == (("a", "c"), [[1, 3]], [1, 3])
    assert others.sizes.tolist() == [7]


def test_examples_suit_a_domain():
    assert examples_of_targets(()) == [{}]
    assert examples_of_targets(("a",)) == [{}, {"value": "a"}]
    assert examples_of_targets((None, "a", "b")) == [
        {},
        {"value": "a"},
        {"apart_from": (None,)},
        {"value": (None, "a")},
    ]


def test_a_value_that_the_release_does_not_have_is_refused():
    refused = refused_by(UnknownValue, lambda: sl.Implications(0, "x").measure(FEW))
    assert mentions(refused, "'x' in the release", "a, b, c")
    assert sl.Implications(0, "b").measure(FEW).value == Fraction(2, 7)
