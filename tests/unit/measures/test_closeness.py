"""Closeness: settings, values without a place, the witness, and the order that is named.

Likeness: near misses, values that are absent, which value is pointed at, and words.
"""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadHierarchy, BadMeasure, WrongKind
from sidelight.measures.closeness import GroundDistance, too_much
from sidelight.measures.measure import Monotonicity

TREE = sl.Hierarchy("value", (("a", "b", "c", "d"), ("x", "y", "x", "y"), ("*", "*", "*", "*")))
FOREST = sl.Hierarchy("value", (("a", "b", "c", "d"), ("x", "y", "x", "y")))
BOTH = ("'closeness'", "hierarchy=", "only if", "hierarchical", "both or none")
ORDER = ("'closeness'", "order=", "only if", "ordered", "leave it out")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"distance": "far"}, ("no distance 'far'", "'closeness'", "equal, ordered or hierarchical")),
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
    assert mentions(refused.value, *says)


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
        assert mentions(finding.explain(), "every group", "exactly", "the whole release")


def test_around_a_value_that_is_the_top_itself_runs_no_border():
    ground = sl.Closeness("hierarchical", hierarchy=sl.Hierarchy("value", (("a",),))).ground_distance(("a",))
    assert (ground.top, ground.codings) == (0, ())


def test_values_are_laid_out_as_the_distance_says():
    domain = ("a", "b", "c", "d")
    assert sl.Closeness().ground_distance((*domain, "z")) == GroundDistance((*domain, "z"))
    assert sl.Closeness("ordered").ground_distance(domain) == GroundDistance(domain, domain)
    assert sl.Closeness("ordered", "dbca").ground_distance(domain) == GroundDistance(domain, ("d", "b", "c", "a"))
    by_tree = sl.Closeness("hierarchical", hierarchy=TREE).ground_distance(domain)
    assert by_tree == GroundDistance(domain, hierarchy=TREE)


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
    assert mentions(note, "closeness(distance=ordered, apart_from=[-])", "order", "a, b", "order=", "domain=")


def test_words():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 5, "b": 1}])
    words = sl.Closeness().measure(release).explain()
    assert mentions(words, "group 1", "unlike", "1/3 of at most 1", "'b'", "2/3", "there", "1/3", "of all")
    nobody = sl.Release.from_counts([{}], domain=["a"], sizes=[2], values="set")
    assert mentions(sl.Closeness().measure(nobody).explain(), "Nobody", "any value", "no distance")


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
    assert sl.Closeness.from_settings(distance="ordered", order=("b", "(missing)"), apart_from=("z",)) == sl.Closeness(
        "ordered", ["b", None], apart_from=["z"]
    )


@pytest.mark.parametrize(
    ("lines", "error", "says"),
    [
        (
            (("a", "x"), ("b",)),
            BadMeasure,
            ("hierarchy", "not equally long", "as many levels"),
        ),
        (3, WrongKind, ("hierarchy", "a file", "lines", "[['Flu', 'lungs', '*']]", "not an int")),
        (("ab", "cd"), WrongKind, ("hierarchy", "a file", "lines", "[['Flu', 'lungs', '*']]", "not a tuple")),
    ],
)
def test_lines_that_are_no_hierarchy(lines, error, says):
    with pytest.raises(error) as refused:
        sl.Closeness.from_settings(distance="hierarchical", hierarchy=lines)
    assert mentions(refused.value, *says)


def test_values_without_a_place_are_named():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1, "Ague": 1}])
    with pytest.raises(BadMeasure) as refused:
        sl.Closeness(distance="ordered", order=["Flu"]).measure(release)
    assert mentions(refused.value, "'Ague'", "not in order=")
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
    assert (
        sl.Closeness.from_settings(distance="hierarchical", hierarchy=lines).hierarchy.levels
        == measure.hierarchy.levels
    )
    assert measure.settings() == {"distance": "hierarchical", "hierarchy": tuple(map(tuple, lines))}


def test_an_order_that_nobody_gave_is_named():
    release = sl.Release.from_counts([{"low": 1, "high": 1}, {"mild": 2}])
    (note,) = sl.Closeness(distance="ordered").measure(release).notes
    assert mentions(note, "closeness(distance=ordered)", "order", "high, low, mild", "order=")
    assert sl.Closeness(distance="ordered", order=["low", "mild", "high"]).measure(release).notes == ()
    assert sl.Closeness().measure(release).notes == ()
    many = sl.Release.from_counts([{f"v{n}": 1 for n in range(30)}])
    assert "… and 10 more" in sl.Closeness(distance="ordered").measure(many).notes[0]


def test_a_kind_that_there_is_not():
    with pytest.raises(BadMeasure, match=r"'best' of 'beta likeness'; .*basic or enhanced$"):
        sl.BetaLikeness(kind="best")


@pytest.mark.parametrize("digits", [15, 40])
def test_enhanced_likeness_decides_near_misses_exactly(digits):
    """Gains just below and just above −ln p = 0.693…, nearer than floats are trusted."""
    half = Fraction(1, 2)
    log2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")
    above, below = (log2 + Fraction(1, 10**digits) + 1) / 2, (log2 - Fraction(1, 10**digits) + 1) / 2
    assert too_much(above, half)
    assert not too_much(below, half)


@pytest.mark.parametrize("digits", range(5, 12))
def test_an_enhanced_near_miss_in_a_release(digits):
    """q/p − 1 and −ln p agree to twice as many places: floats cannot tell which is larger, on either side."""
    log2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")
    share = ((log2 + 1) / 2).limit_denominator(10**digits)
    n, yes = share.denominator, share.numerator
    release = sl.Release.from_counts([{"a": yes, "b": n - yes}, {"a": n - yes, "b": yes}])
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    too_far = 2 * share - 1 > log2
    assert finding.value == (math.inf if too_far else 2 * share - 1)
    assert finding.replay(release) == finding.value


def test_an_enhanced_near_miss_that_floats_take_for_too_much():
    """Of all 23 in 44 have a, and in group 1 nearly as many as may: q/p and 1 − ln p differ in the 17th digit."""
    few, many = 8192171, 9505685
    release = sl.Release.from_counts(
        [{"a": few, "b": many - few}, {"a": 23 * many - few, "b": 43 * many - (23 * many - few)}]
    )
    assert not too_much(Fraction(few, many), Fraction(23, 44))
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert finding.value == Fraction(few, many) / Fraction(23, 44) - 1 == finding.replay(release)


def test_what_gains_just_too_much_is_infinite_beside_what_gains_more_and_may():
    """Half of all have a, whose gain in group 1 is 10⁻¹⁰ above ln 2; c, of one person in group 2, gains 1 and may."""
    yes, n = 226356, 267379
    assert too_much(Fraction(yes, n), Fraction(1, 2))
    release = sl.Release.from_counts([{"a": yes, "b": n - yes}, {"a": n - yes, "b": yes - 1, "c": 1}])
    assert sl.BetaLikeness().measure(release).value == 1
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.group.number, finding.witness.value) == (math.inf, 1, "a")


def test_of_several_values_that_gain_too_much_the_first_is_named():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"c": 97}])
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.group.number, finding.witness.value) == (math.inf, 1, "a")


def test_the_witness_of_an_infinite_likeness_is_a_value_that_gains_too_much():
    """The rare A gains most, fivefold, as it may; B gains little, and more than so frequent a value may."""
    release = sl.Release.from_counts([{"A": 5, "B": 950, "C": 45}, {"A": 5, "B": 5050, "C": 3945}])
    assert sl.BetaLikeness().measure(release).witness.value == "A"
    finding = sl.BetaLikeness(kind="enhanced").measure(release)
    assert (finding.value, finding.witness.value) == (math.inf, "B")
    assert finding.replay(release) == math.inf


def test_words_of_likeness():
    apart = sl.Release.from_counts([{"a": 2}, {"b": 1}])
    enhanced, basic = (each.measure(apart).explain() for each in (sl.BetaLikeness("enhanced"), sl.BetaLikeness()))
    assert mentions(enhanced, "group 1", "'a'", 1, "2/3", "of all", "no limit")
    assert mentions(basic, "group 2", "'b'", 1, "1/3", "of all", "more frequent by 2")
    alike = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 1}])
    assert mentions(sl.BetaLikeness().measure(alike).explain(), "No value", "more frequent", "any group")
    others = sl.BetaLikeness(apart_from=["a"]).measure(alike).explain()
    assert mentions(others, "No other value", "more frequent", "any group")
    nothing = sl.Release.from_counts([{}], sizes=[3], values="set", domain=["a"])
    assert mentions(sl.BetaLikeness().measure(nothing).explain(), "Nobody", "any value", "nothing", "more likely")


def test_gains_that_nobody_minds_do_not_count():
    """B gains most, a factor of 3; of the others a, which is 4/5 in the first group and 2/3 of all."""
    release = sl.Release.from_counts([{"a": 4, "c": 1}, {"a": 2, "b": 1, "c": 1}])
    assert sl.BetaLikeness().measure(release).witness.value == "b"
    for kind in ("basic", "enhanced"):
        finding = sl.BetaLikeness(kind=kind, apart_from=["b"]).measure(release)
        assert (finding.value, finding.witness.value, finding.witness.group.number) == (Fraction(1, 5), "a", 1)
        assert finding.replay(release) == Fraction(1, 5)


def test_a_value_that_nobody_has_gains_nothing():
    """B is 2/5 of the first group and 1/3 of all, a 3/4 of the second and 2/3 of all; z is nowhere."""
    release = sl.Release.from_counts([{"a": 3, "b": 2}, {"a": 3, "b": 1}], domain=["z", "a", "b"])
    for kind in ("basic", "enhanced"):
        finding = sl.BetaLikeness(kind=kind).measure(release)
        assert (finding.value, finding.witness.value) == (Fraction(1, 5), "b")
        alike = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 1}], domain=["z", "a", "b"])
        finding = sl.BetaLikeness(kind=kind).measure(alike)
        assert (finding.value, finding.witness.value, finding.witness.overall) == (0, "a", Fraction(1, 2))


def test_a_value_that_everybody_has_may_be_everywhere():
    release = sl.Release.from_counts([{"a": 3}, {"a": 2}])
    for kind in ("basic", "enhanced"):
        finding = sl.BetaLikeness(kind=kind).measure(release)
        assert finding.value == finding.replay(release) == 0


def test_examples_are_of_both_kinds_and_of_all_values_but_one():
    both = (sl.BetaLikeness(), sl.BetaLikeness(kind="enhanced"))
    some = (sl.BetaLikeness(apart_from=["a"]), sl.BetaLikeness(kind="enhanced", apart_from=["a"]))
    for domain in (("a", "b"), ("a", "b", "c")):
        assert sl.BetaLikeness.examples(domain) == both + some
    assert sl.BetaLikeness.examples(("a",)) == both


def test_replaying_on_a_release_in_which_nobody_has_the_value():
    finding = sl.BetaLikeness().measure(sl.Release.from_counts([{"a": 1}, {"b": 3}]))
    assert finding.replay(sl.Release.from_counts([{"b": 1}, {"b": 3}], domain=["a", "b"])) == 0


UNEVEN = sl.Release.from_counts([{"a": 9, "b": 1}, {"a": 5, "b": 5}])  # a: 9/10 and 1/2 beside 7/10 of all
APART = sl.Release.from_counts([{"a": 2}, {"b": 1}])
SKIPPED = sl.DeltaDisclosure(absent="skipped")


def is_log_rounded_up(number, factor):
    """Whether no smaller float is at least ln of the factor."""
    with localcontext(prec=50):
        exact = Fraction((Decimal(factor.numerator) / factor.denominator).ln())
    return Fraction(math.nextafter(number, 0)) < exact <= Fraction(number)


@pytest.mark.parametrize("absent", ["ignored", "", "Skipped"])
def test_a_way_to_take_absent_values_that_there_is_not(absent):
    with pytest.raises(BadMeasure) as refused:
        sl.DeltaDisclosure(absent=absent)
    assert mentions(refused.value, "'delta disclosure'", "absent values", f"'{absent}'", "infinite or skipped")


def test_what_is_left_out_is_kept_as_labels():
    assert sl.DeltaDisclosure(apart_from="n/a").apart_from == ("n/a",)


def test_examples_for_a_domain_of_likeness():
    both = (sl.DeltaDisclosure("infinite"), SKIPPED)
    others = tuple(replace(each, apart_from=("a",)) for each in both)
    assert sl.DeltaDisclosure.examples(("a", "b", "c")) == (*both, *others)
    assert sl.DeltaDisclosure.examples(("a",)) == both  # of no value there is nothing to ask


def test_only_where_absent_values_are_infinite_a_merger_never_makes_it_worse():
    assert sl.DeltaDisclosure().when_groups_merge is Monotonicity.NON_INCREASING
    assert SKIPPED.when_groups_merge is Monotonicity.UNKNOWN


@pytest.mark.parametrize(
    ("measure", "release", "factor", "group", "value"),
    [
        (sl.DeltaDisclosure(), UNEVEN, Fraction(3), 1, "b"),  # 3/10 / 1/10, rarer
        (sl.DeltaDisclosure(apart_from="b"), UNEVEN, Fraction(7, 5), 2, "a"),
        (sl.DeltaDisclosure(apart_from="a"), UNEVEN, Fraction(3), 1, "b"),
        (SKIPPED, UNEVEN, Fraction(3), 1, "b"),
        (SKIPPED, APART, Fraction(3), 2, "b"),
        (sl.DeltaDisclosure(absent="skipped", apart_from="b"), APART, Fraction(3, 2), 1, "a"),
    ],
    ids=str,
)
def test_it_is_the_logarithm_of_the_largest_factor_either_way(measure, release, factor, group, value):
    finding = measure.measure(release)
    assert is_log_rounded_up(finding.value, factor)
    assert (finding.witness.group.number, finding.witness.value) == (group, value)
    assert finding.replay(release) == finding.value
    here, overall = finding.witness.here, finding.witness.overall
    assert max(here / overall, overall / here) == factor


@pytest.mark.parametrize(("apart", "group", "value"), [((), 1, "b"), ("b", 2, "a"), ("a", 1, "b")])
def test_a_value_that_a_group_lacks_is_ruled_out_there(apart, group, value):
    finding = sl.DeltaDisclosure(apart_from=apart).measure(APART)
    assert (finding.value, finding.witness.group.number, finding.witness.value) == (math.inf, group, value)
    assert finding.replay(APART) == math.inf


def test_a_group_that_lacks_all_values_in_question_changes_nothing_where_they_are_skipped():
    release = sl.Release.from_counts([{"a": 2}, {"a": 1, "b": 1}, {"a": 3, "b": 1}])
    finding = sl.DeltaDisclosure(absent="skipped", apart_from="a").measure(release)
    assert finding.witness.group.number == 2
    assert is_log_rounded_up(finding.value, Fraction(2))  # 1/2 beside 2/8
    assert finding.measure.scores(release.groups).tolist() == [0, math.log(2), 0]


def test_a_witness_that_is_compared_with_nothing_replays_to_nothing():
    release = sl.Release.from_counts([{"a": 2}, {"b": 1}], domain=["a", "b", "nowhere"])
    for measure, value, again in [
        (sl.DeltaDisclosure(), "nowhere", 0),
        (SKIPPED, "nowhere", 0),
        (SKIPPED, "a", 0),
        (sl.DeltaDisclosure(), "a", math.inf),
    ]:
        finding = measure.measure(release)
        elsewhere = replace(finding.witness, group=release.groups.name(1), value=value)
        assert replace(finding, witness=elsewhere).replay(release) == again


def test_the_witness_is_the_first_of_those_that_change_most():
    """Nowhere occurs in no group: it is not compared, however early it stands in the domain."""
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 2, "b": 4}], domain=["nowhere", "a", "b"])
    assert sl.DeltaDisclosure().measure(release).witness.value == "a"
    assert sl.DeltaDisclosure(absent="skipped").measure(release).witness.value == "a"


ALIKE = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 1}])


@pytest.mark.parametrize(
    ("measure", "release", "words"),
    [
        (
            sl.DeltaDisclosure(),
            APART,
            ("'b'", "1/3 of all values", "nobody in group 1", "ruled out"),
        ),
        (
            sl.DeltaDisclosure(),
            UNEVEN,
            ("group 1", "'b'", "1/10", "3/10 of all", "3 times as rare", "ln 1.0987"),
        ),
        (SKIPPED, APART, ("group 2", "'b'", "1", "1/3 of all", "3 times as frequent", "ln 1.0987")),
        (
            sl.DeltaDisclosure(),
            sl.Release.from_counts([{"a": 3, "b": 4}, {"a": 1, "b": 6}]),  # a: 1/7 beside 2/7; 10/14 = 5/7 of b
            ("group 2", "'a'", "1/7", "2/7 of all", "2 times as rare", "ln 0.6932"),
        ),
        (sl.DeltaDisclosure(), ALIKE, ("Every value", "exactly as frequent", "every group", "whole release")),
        (
            sl.DeltaDisclosure(apart_from="a"),
            ALIKE,
            ("Every other value", "exactly as frequent", "every group", "whole release"),
        ),
        (
            sl.DeltaDisclosure(),
            sl.Release.from_counts([{}], sizes=[2], values="set", domain=["a", "b"]),
            ("Nobody", "any value", "nothing", "more or less likely"),
        ),
    ],
)
def test_words_of_disclosure(measure, release, words):
    assert mentions(measure.measure(release).explain(), *words)


def test_a_factor_is_said_to_four_figures():
    release = sl.Release.from_counts([{"a": 8, "b": 1}, {"a": 2, "b": 8}])  # b: 1/9 beside 9/19: 81/19 = 4.26316
    assert mentions(sl.DeltaDisclosure().measure(release).explain(), "9/19 of all", "4.263 times as rare")


def test_what_changes_nothing_is_exactly_0():
    finding = sl.DeltaDisclosure().measure(ALIKE)
    assert finding.value == finding.replay(ALIKE) == 0
    assert isinstance(finding.value, Fraction)
    assert isinstance(finding.replay(ALIKE), Fraction)
