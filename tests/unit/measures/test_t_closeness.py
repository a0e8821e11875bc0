"""Closeness: settings, values without a place, the witness, and the order that is named."""

from fractions import Fraction
from itertools import permutations

import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadMeasure, WrongKind
from sidelight.measures.measure import Monotonicity
from sidelight.measures.t_closeness import OrderedDistance, TreeDistance

TREE = sl.Hierarchy("value", (("a", "b", "c", "d"), ("x", "y", "x", "y"), ("*", "*", "*", "*")))
FOREST = sl.Hierarchy("value", (("a", "b", "c", "d"), ("x", "y", "x", "y")))
BOTH = "'closeness' takes a hierarchy= if and only if the distance is hierarchical; give both or none"
ORDER = "'closeness' takes an order= only if the distance is ordered; leave it out"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"distance": "far"}, "no distance 'far' for 'closeness'; choose equal, ordered or hierarchical"),
        ({"distance": "hierarchical"}, BOTH),
        ({"hierarchy": TREE}, BOTH),
        ({"distance": "ordered", "hierarchy": TREE}, BOTH),
        ({"order": ["a"]}, ORDER),
        ({"order": ["a"], "distance": "hierarchical", "hierarchy": TREE}, ORDER),
    ],
)
def test_settings_that_make_no_sense_name_the_remedy(settings, says):
    with pytest.raises(BadMeasure) as refused:
        sl.Closeness(**settings)
    assert str(refused.value) == says


def moved(distance, here, overall):
    """The earth mover's distance by its definition: the best way to move each of equally many parts."""
    ways = permutations(overall)
    return min(sum(map(distance, here, way), Fraction(0)) for way in ways) / len(here)


def by_places(order):
    return lambda one, other: Fraction(abs(order.index(one) - order.index(other)), len(order) - 1)


def by_level(one, other):
    """Up to the level where both are the same, of two: a and c are both x, b and d are both y."""
    return Fraction(0 if one == other else 1 if {one, other} in ({"a", "c"}, {"b", "d"}) else 2, 2)


@pytest.mark.parametrize(
    ("measure", "distance"),
    [
        (sl.Closeness(), lambda one, other: Fraction(one != other)),
        (sl.Closeness("ordered"), by_places("abcd")),
        (sl.Closeness("ordered", "cadb"), by_places("cadb")),
        (sl.Closeness("ordered", "axcydb"), by_places("axcydb")),  # values that do not occur have places too
        (sl.Closeness("hierarchical", hierarchy=TREE), by_level),
        (sl.Closeness("hierarchical", hierarchy=FOREST), by_level),  # all meet one above
    ],
    ids=lambda each: str(each) if isinstance(each, sl.Measure) else "by definition",
)
@pytest.mark.parametrize(
    "groups", [("aab", "cdd"), ("abc", "abd"), ("aa", "bb", "cd"), ("ab", "ab", "cd"), ("ac", "bd", "ad")]
)
def test_distances_are_what_the_definition_says(measure, distance, groups):
    release = sl.Release.from_counts([{text: group.count(text) for text in group} for group in groups], domain="abcd")
    distances = [moved(distance, group * (6 // len(group)), "".join(groups)) for group in groups]
    finding = measure.measure(release)
    assert finding.value == max(distances) == finding.replay(release)
    assert isinstance(finding.value, Fraction)
    assert finding.witness.group.number == distances.index(max(distances)) + 1
    assert measure.screen().group_values(release.groups).tolist() == pytest.approx([float(each) for each in distances])


def test_one_value_is_at_no_distance():
    alone = sl.Release.from_counts([{"a": 1}, {"a": 2}])
    tree = sl.Hierarchy("value", (("a",),))
    for measure in (sl.Closeness(), sl.Closeness("ordered"), sl.Closeness("hierarchical", hierarchy=tree)):
        finding = measure.measure(alone)
        assert finding.value == finding.replay(alone) == 0
        assert isinstance(finding.replay(alone), Fraction)
        assert measure.ground_distance(("a",)).cost == (Fraction(1, 2) if measure.distance == "equal" else 0)
        assert finding.explain() == "The values in every group are distributed exactly as in the whole release."


def test_around_a_value_that_is_the_top_itself_runs_no_border():
    ground = sl.Closeness("hierarchical", hierarchy=sl.Hierarchy("value", (("a",),))).ground_distance(("a",))
    assert (ground.top, ground.codings) == (0, ())


def test_values_are_laid_out_as_the_distance_says():
    domain = ("a", "b", "c", "d")
    assert sl.Closeness().ground_distance((*domain, "z")) == TreeDistance((*domain, "z"))
    assert sl.Closeness("ordered").ground_distance(domain) == OrderedDistance(domain, domain)
    assert sl.Closeness("ordered", "dbca").ground_distance(domain) == OrderedDistance(domain, ("d", "b", "c", "a"))
    by_tree = sl.Closeness("hierarchical", hierarchy=TREE).ground_distance(domain)
    assert by_tree == TreeDistance(domain, TREE)


def test_a_hierarchy_of_values_alone_is_as_equal_as_can_be():
    flat = sl.Hierarchy("value", (("a", "b"),))
    apart = sl.Release.from_counts([{"a": 1}, {"b": 1}])
    assert sl.Closeness("hierarchical", hierarchy=flat).measure(apart).value == Fraction(1, 2)


@pytest.mark.parametrize(
    ("hierarchy", "nodes"), [(TREE, {"*": ["a", "b", "c", "d"]}), (FOREST, {None: ["a", "b", "c", "d"]})]
)
def test_each_level_below_the_top_numbers_its_nodes(hierarchy, nodes):
    ground = sl.Closeness("hierarchical", hierarchy=hierarchy).ground_distance(tuple("abcd"))
    assert (ground.top, ground.cost) == (2, Fraction(1, 4))
    assert [each.tolist() for each in ground.codings] == [[0, 1, 2, 3], [0, 1, 0, 1]]
    assert ground.nodes(0) == {"a": ["a"], "c": ["c"], "b": ["b"], "d": ["d"]}
    assert ground.nodes(1) == {"x": ["a", "c"], "y": ["b", "d"]}
    assert ground.nodes(2) == nodes


def test_with_some_left_out_shares_are_of_the_others():
    release = sl.Release.from_counts([{"-": 9, "a": 2}, {"-": 1, "a": 1, "b": 3}, {"-": 5}])
    finding = sl.Closeness(apart_from="-").measure(release)
    assert finding.value == Fraction(1, 2) == finding.replay(release)  # 1 and 1/2 of a
    witness = finding.witness
    assert (witness.group.number, witness.value, witness.here, witness.overall) == (1, "a", 1, Fraction(1, 2))
    ordered = sl.Closeness("ordered", order=["a", "c", "b"], apart_from="-").measure(release)
    assert ordered.value == Fraction(1, 2) == ordered.replay(release)
    (note,) = sl.Closeness("ordered", apart_from="-").measure(release).notes
    assert note == (
        "closeness(distance=ordered, apart_from=[-]) takes the values in this order: a, b; give order= or declare "
        "domain= if it is another"
    )


def test_words():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 5, "b": 1}])
    assert sl.Closeness().measure(release).explain() == (
        "The values in group 1 are distributed unlike the whole release's: distance 1/3 of at most 1; most of all, "
        "'b' is 2/3 of the values there and 1/3 of all."
    )
    nobody = sl.Release.from_counts([{}], domain=["a"], sizes=[2], values="set")
    assert sl.Closeness().measure(nobody).explain() == (
        "Nobody in the release has any value, so there is no distance to measure."
    )


def test_examples_for_a_domain():
    tree = sl.Hierarchy("value", (("bc", "a", "ba"), ("b", "a", "b"), ("*", "*", "*")))
    assert sl.Closeness.examples(("bc", "a", None, "ba")) == (
        sl.Closeness(),
        sl.Closeness("ordered", ("bc", "a", None, "ba")),
        sl.Closeness("hierarchical", hierarchy=tree),
        sl.Closeness(apart_from=["bc"]),
        sl.Closeness("ordered", ("a", None, "ba"), apart_from=["bc"]),
    )
    missing = sl.Hierarchy("value", (("",), ("",), ("*",)))
    assert sl.Closeness.examples((None,)) == (
        sl.Closeness(),
        sl.Closeness("ordered", (None,)),
        sl.Closeness("hierarchical", hierarchy=missing),
    )


def test_what_is_known_of_mergers_and_limits():
    assert sl.Closeness.limits == (0, 1)
    assert sl.Closeness.when_groups_merge is Monotonicity.NON_INCREASING


def test_an_order_is_of_labels_each_once():
    assert sl.Closeness("ordered", ["b", 3, "b", None, 3.0]).order == ("b", "3", None)
    assert sl.Closeness.from_settings("ordered", ("b", "(missing)"), None, ("z",)) == sl.Closeness(
        "ordered", ["b", None], apart_from=["z"]
    )


@pytest.mark.parametrize(
    ("lines", "error", "says"),
    [
        (
            (("a", "x"), ("b",)),
            BadMeasure,
            "the lines of the hierarchy are not equally long; give every value as many levels",
        ),
        (3, WrongKind, "the hierarchy is a file, or lines such as [['Flu', 'lungs', '*']], not an int"),
        (("ab", "cd"), WrongKind, "the hierarchy is a file, or lines such as [['Flu', 'lungs', '*']], not a tuple"),
    ],
)
def test_lines_that_are_no_hierarchy(lines, error, says):
    with pytest.raises(error) as refused:
        sl.Closeness.from_settings("hierarchical", hierarchy=lines)
    assert str(refused.value) == says


def test_values_without_a_place_are_named():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1, "Ague": 1}])
    with pytest.raises(BadMeasure) as refused:
        sl.Closeness(distance="ordered", order=["Flu"]).measure(release)
    assert str(refused.value) == "'Ague' is a value of the release but not in order=; add it there"
    assert sl.Closeness("ordered", ["Flu", "Ague"], apart_from=["Cold"]).measure(release).value == 0
    tree = sl.Hierarchy.suppression("disease", ["Flu"])
    with pytest.raises(BadHierarchy, match="Cold"):
        sl.Closeness(distance="hierarchical", hierarchy=tree).measure(release)


def test_the_witness_of_closeness_is_what_the_group_has_too_much_of():
    release = sl.Release.from_counts([{"a": 1, "b": 9}, {"a": 40, "b": 20}])
    witness = sl.Closeness().measure(release).witness
    assert (witness.group.number, witness.value) == (1, "b")
    assert (witness.here, witness.overall) == (Fraction(9, 10), Fraction(29, 70))


def test_settings_of_a_policy_file_go_both_ways():
    tree = sl.Hierarchy("value", (("a", "b", "c"), ("x", "x", "y"), ("*", "*", "*")))
    for measure in (
        sl.Closeness(),
        sl.Closeness(distance="ordered", order=["b", "a"]),
        sl.Closeness(distance="hierarchical", hierarchy=tree),
    ):
        assert sl.Closeness.from_settings(**measure.settings()) == measure


def test_a_policy_may_name_the_file_of_a_hierarchy(tmp_path):
    file = tmp_path / "value.csv"
    file.write_text("a;x;*\nb;x;*\nc;y;*\n")
    measure = sl.Closeness.from_settings(distance="hierarchical", hierarchy=str(file))
    assert measure.hierarchy.height == 3
    lines = [["a", "x", "*"], ("b", "x", "*"), ("c", "y", "*")]
    assert sl.Closeness.from_settings("hierarchical", hierarchy=lines).hierarchy.levels == measure.hierarchy.levels
    assert measure.settings() == {"distance": "hierarchical", "hierarchy": tuple(map(tuple, lines))}


def test_an_order_that_nobody_gave_is_named():
    release = sl.Release.from_counts([{"low": 1, "high": 1}, {"mild": 2}])
    (note,) = sl.Closeness(distance="ordered").measure(release).notes
    assert "closeness(distance=ordered) takes the values in this order: high, low, mild; give order= or" in note
    assert sl.Closeness(distance="ordered", order=["low", "mild", "high"]).measure(release).notes == ()
    assert sl.Closeness().measure(release).notes == ()
    many = sl.Release.from_counts([{f"v{n}": 1 for n in range(30)}])
    assert "… and 10 more" in sl.Closeness(distance="ordered").measure(many).notes[0]
