"""Skylines in policies: which points are kept, and what they ask of a release."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, BadTable, WrongKind
from sidelight.measures.privacy_skyline.skyline import Skyline, SkylinePoint
from sidelight.measures.targets import NO_VALUE_LEFT
from sidelight.policy.policy_file import read_policy_text
from sidelight.report.plots import table_behind
from sidelight.search.full_domain import FullDomain
from sidelight.testing import releases

WARD = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}, {"Flu": 5, "Cold": 2, "AIDS": 1}])

points = st.builds(
    SkylinePoint, st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.sampled_from([0.25, 0.5, Fraction(3, 4)])
)


def test_each_value_has_its_own_points_and_the_others_the_default():
    required = sl.skyline({"AIDS": [(1, 0, 0, 0.3), (0, 2, 0, 0.3)]}, default=[(0, 0, 0, Fraction(2, 3))])
    assert tuple(required) == (
        sl.Acquaintance(1, value="AIDS") < 0.3,
        sl.Acquaintance(others=2, value="AIDS") < 0.3,
        sl.Acquaintance(apart_from=("AIDS",)) < Fraction(2, 3),
    )
    verdict = sl.Policy(*required).judge(WARD)
    assert [judgement.holds for judgement in verdict.judgements] == [False, True, True]
    assert [str(finding.value) for finding in verdict.findings] == ["1/3", "1/6", "5/8"]


@given(releases(), st.data())
def test_a_default_applies_to_the_values_that_have_no_points_of_their_own(release, data):
    texts = [text for text in release.domain if text is not None]
    named = data.draw(st.lists(st.sampled_from(texts), unique=True)) if texts else []
    own, default = {value: [data.draw(points)] for value in named}, [data.draw(points)]
    as_given = [(each.rules_out, each.others, each.family, each.below) for each in default]
    tuples = {value: [(each.rules_out, each.others, each.family, each.below) for each in own[value]] for value in named}
    policy = sl.Policy(*sl.skyline(tuples, default=as_given))
    others = [value for value in release.domain if value not in named]
    # the slow way: a limit for each of the other values, or none
    asked = [({"value": value} if value is not None else {"value": [None]}) for value in others]
    (point,) = default
    each = [sl.Acquaintance(*as_given[0][:3], **target).measure(release).value < point.below for target in asked]
    for judged in (policy, read_policy_text(policy.to_toml()).policy):
        last = judged.judge(release).judgements[-1]
        assert last.holds == all(each)
        assert (NO_VALUE_LEFT in last.finding.notes) == (not others)


@pytest.mark.parametrize("kind", [sl.Acquaintance, sl.Implications, sl.Negations])
@pytest.mark.parametrize("making", [{}, {"method": FullDomain(suppress=0.2)}, {"method": "mondrian"}])
def test_a_search_keeps_a_default_of_no_value(kind, making):
    table = sl.read_table(
        pa.table({"age": ["30", "40"] * 6, "disease": ["Flu", "Cold", "AIDS"] * 4}), quasi=["age"], sensitive="disease"
    )
    by = {"age": sl.Hierarchy.suppression("age", ["30", "40"])}
    limits = [kind(0, value=value) < 0.9 for value in ("Flu", "Cold", "AIDS")]
    default = kind(0, apart_from=["Flu", "Cold", "AIDS"]) < 0.5
    found = sl.protect(table, [*limits, default], by=by, ask="nobody", **making)
    assert NO_VALUE_LEFT in found.verdict.judgements[-1].finding.notes
    for alone in ([default], [sl.DistinctValues() >= 1, default], [kind(0) < 0.9, default]):
        with pytest.raises(BadMeasure, match="leaves no value"):
            sl.protect(table, alone, by=by, ask="nobody", **making)
        with pytest.raises(BadMeasure, match="leaves no value"):
            sl.Policy(*alone).judge(found.release)


def test_a_default_of_no_value_is_per_sensitive_column():
    table = pa.table({"age": ["30"] * 4, "ill": ["Flu", "Cold", "Flu", "Cold"], "pay": ["low", "high"] * 2})
    release = sl.read_release(table, group="age", sensitive=["ill", "pay"])
    limits = [(sl.Acquaintance(value=value) < 0.9).about("ill") for value in ("Flu", "Cold")]
    default = sl.Acquaintance(apart_from=["Flu", "Cold"]) < 0.9
    verdict = sl.Policy(*limits, default.about("ill")).judge(release)
    assert NO_VALUE_LEFT in verdict.judgements[-1].finding.notes
    of_pay = [(sl.Acquaintance(value="low") < 0.9).about("pay"), default.about("ill")]
    with pytest.raises(BadMeasure, match="leaves no value"):
        sl.Policy(*of_pay).judge(release)


def test_without_a_default_other_values_are_not_asked_about():
    assert len(tuple(sl.skyline({"AIDS": [(0, 0, 0, 0.5)]}))) == 1
    assert tuple(sl.skyline({}, default=[(0, 0, 0, 0.5)])) == (sl.Acquaintance() < 0.5,)


def test_points_that_follow_are_dropped_with_a_note():
    required = sl.skyline({"AIDS": [(0, 1, 0, 0.9), (1, 1, 0, 0.9), (1, 1, 0, 0.9), (1, 1, 0, 0.5)]})
    assert tuple(required) == (sl.Acquaintance(1, 1, value="AIDS") < 0.5,)
    assert required.notes == (
        "skyline of 'AIDS': (0, 1, 0) below 0.9 follows from (1, 1, 0) below 0.9 and was dropped",
        "skyline of 'AIDS': (1, 1, 0) below 0.9 follows from (1, 1, 0) below 0.5 and was dropped",
    )


@given(st.lists(points, min_size=1, max_size=6))
def test_dropping_changes_no_verdict(given_points):
    skyline = Skyline(tuple(given_points), "AIDS")
    required = [sl.Acquaintance(p.rules_out, p.others, p.family, "AIDS") < p.below for p in given_points]
    assert sl.Policy(*skyline.criteria).judge(WARD).safe == sl.Policy(*required).judge(WARD).safe
    assert not any(one.dominates(other) for one in skyline.points for other in skyline.points if one != other)
    assert len(skyline.points) + len(skyline.notes) == len(set(given_points))


def test_points_that_make_no_sense():
    with pytest.raises(BadPolicy, match="a point of a skyline is"):
        sl.skyline({"AIDS": [(1, 0.5)]})
    with pytest.raises(BadMeasure, match="needs others to be a whole number"):
        sl.skyline({"AIDS": [(1, -1, 0, 0.5)]})
    with pytest.raises(BadPolicy, match="between 0 and 1"):
        tuple(sl.skyline({"AIDS": [(1, 1, 0, 2)]}))


@pytest.mark.parametrize("below", [-0.1, 1.5, math.inf])
def test_limits_of_a_skyline_are_probabilities(below):
    with pytest.raises(BadMeasure, match="between 0 and 1"):
        sl.knowledge_skyline(WARD, "Flu", below=below)


def test_a_skyline_of_one_large_group_is_found_by_halving():
    release = sl.Release.from_counts([{"a": 400_000, "b": 300_000, "c": 300_000}])
    points = sl.knowledge_skyline(release, "a", below=0.95)
    assert points[-1][0] == 1
    for rules_out, others, family in (points[0], points[len(points) // 2], points[-1]):
        assert sl.Acquaintance(rules_out, others, family, value="a").measure(release).value < Fraction(19, 20)
        for more in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            beyond = np.add((rules_out, others, family), more).tolist()
            assert sl.Acquaintance(*beyond, value="a").measure(release).value >= Fraction(19, 20)


@pytest.mark.parametrize("values", [{"AIDS": (1, 5, 2, 0.5)}, {"AIDS": 3}, [(1, 5, 2, 0.5)]])
def test_points_that_are_no_list_under_a_value_are_refused_in_one_line(values):
    with pytest.raises(BadPolicy, match=r"\(1, 5, 2, 0.5\)|\(rules_out, others, family, limit\)"):
        sl.skyline(values)


def test_only_a_release_has_a_knowledge_skyline():
    with pytest.raises(WrongKind, match=r"should be a Release, not a dict; read one with sl\.read_release"):
        sl.knowledge_skyline({"Flu": 2}, "Flu", below=0.5)


def test_skylines_show_themselves_in_a_line_and_in_a_table():
    required = sl.skyline({"<AIDS>": [(1, 0, 0, 0.3)]}, default=[(0, 2, 0, 0.5)])
    assert repr(required) == (
        '<Skylines: acquaintance(rules_out=1, value="<AIDS>") < 0.3; '
        'acquaintance(others=2, apart_from=["<AIDS>"]) < 0.5>'
    )
    assert repr(required.skylines[0]) == "<Skyline of '<AIDS>': (1, 0, 0) below 0.3>"
    assert "&lt;AIDS&gt;" in required._repr_html_()
    assert "<AIDS>" not in required._repr_html_()


def test_a_table_of_skylines_has_their_notes_below_it():
    required = sl.skyline({"AIDS": [(1, 0, 0, 0.3), (0, 0, 0, 0.3)]}, default=[(0, 2, 0, 0.5), (0, 1, 0, 0.5)])
    assert required._repr_html_() == (
        "<table><caption>Skylines</caption><thead><tr><th>measure</th><th>wanted</th></tr></thead><tbody>"
        "<tr><td>acquaintance(rules_out=1, value=AIDS)</td><td>&lt; 0.3</td></tr>"
        "<tr><td>acquaintance(others=2, apart_from=[AIDS])</td><td>&lt; 0.5</td></tr></tbody></table>\n"
        "<p>skyline of &#x27;AIDS&#x27;: (0, 0, 0) below 0.3 follows from (1, 0, 0) below 0.3 and was dropped "
        "skyline of the other values: (0, 1, 0) below 0.5 follows from (0, 2, 0) below 0.5 and was dropped</p>"
    )


def test_a_table_of_many_points_says_how_many_more_there_are():
    required = sl.skyline({"AIDS": [(0, others, 30 - others, 0.5) for others in range(23)]})
    assert required._repr_html_().endswith("<p>… and 3 more</p>")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [(1, 5, 2, 0.5)],
            'a skyline is a mapping value → points, such as {"AIDS": [(1, 5, 2, 0.5)]}, not a list',
        ),
        ({"AIDS": 3}, "the points of a skyline are a list such as [(1, 5, 2, 0.5)], not 3"),
        (
            {"AIDS": (1, 5, 2, 0.5)},
            "a point of a skyline is (rules_out, others, family, limit), not 1; list points in [...]",
        ),
        ({"AIDS": [(1, 0.5)]}, "a point of a skyline is (rules_out, others, family, limit), not (1, 0.5)"),
        (
            {"AIDS": [(1, 2, 3, 4, 5)]},
            "a point of a skyline is (rules_out, others, family, limit), not (1, 2, 3, 4, 5)",
        ),
    ],
)
def test_what_is_no_skyline_is_refused_in_words(values, message):
    with pytest.raises(BadPolicy) as refused:
        sl.skyline(values)
    assert str(refused.value) == message


def test_values_left_out_of_the_default_are_those_with_points_and_those_named():
    required = sl.skyline(
        {"AIDS": [(0, 0, 0, 0.5)], ("Flu", "Cold"): [(0, 0, 0, 0.9)]}, default=[(1, 0, 0, 0.5)], apart_from=["Gout"]
    )
    assert tuple(required) == (
        sl.Acquaintance(value="AIDS") < 0.5,
        sl.Acquaintance(value=("Flu", "Cold")) < 0.9,
        sl.Acquaintance(1, apart_from=("AIDS", "Gout")) < 0.5,
    )
    assert required.notes == ()


@pytest.mark.parametrize(
    ("one", "other", "dominates"),
    [
        ((1, 1, 1, 0.5), (1, 1, 1, 0.5), True),
        ((2, 1, 1, 0.5), (1, 1, 1, 0.5), True),
        ((1, 1, 1, 0.4), (1, 1, 1, 0.5), True),
        ((1, 1, 1, 0.6), (1, 1, 1, 0.5), False),
        ((0, 9, 9, 0.1), (1, 1, 1, 0.5), False),
        ((9, 0, 9, 0.1), (1, 1, 1, 0.5), False),
        ((9, 9, 0, 0.1), (1, 1, 1, 0.5), False),
    ],
)
def test_a_point_dominates_with_as_much_knowledge_and_no_higher_limit(one, other, dominates):
    assert SkylinePoint(*one).dominates(SkylinePoint(*other)) is dominates


@pytest.mark.parametrize("each", ["rules_out", "others", "family"])
def test_amounts_of_points_are_whole_numbers(each):
    with pytest.raises(BadMeasure, match=f"^'skyline' needs {each} to be a whole number"):
        SkylinePoint(**{each: -1})
    assert str(SkylinePoint()) == "(0, 0, 0) below 1"
    assert getattr(SkylinePoint(**{each: 2**53}), each) == 2**53
    with pytest.raises(BadMeasure) as refused:
        SkylinePoint(**{each: 2**53 + 1})
    assert str(refused.value) == f"'skyline' needs {each} to be at most 9007199254740992, not 9007199254740993"


def test_a_skyline_shows_its_points():
    points = (SkylinePoint(1, 0, 0, 0.3), SkylinePoint(0, 2, 0, 0.3))
    assert repr(Skyline(points, "AIDS")) == "<Skyline of 'AIDS': (1, 0, 0) below 0.3, (0, 2, 0) below 0.3>"


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("below", [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), 1])
def test_at_or_under_a_point_the_release_holds_and_nowhere_else(semantics, below):
    bags = [{"a": 1, "b": 3, "c": 1}, {"a": 2, "b": 3, "c": 3, "d": 1}]
    release = sl.Release.from_counts(bags, sizes=[5, 9], values=semantics)
    skyline = sl.knowledge_skyline(release, "a", below=below)
    assert (skyline.release, skyline.value, skyline.below) == (release, "a", below)
    assert list(skyline) == sorted(set(skyline))
    for point in product(range(4), range(0, 10, 3), range(0, 10, 3)):
        holds = sl.Acquaintance(*point, value="a").measure(release).value < below
        assert holds == any(all(x <= y for x, y in zip(point, most, strict=True)) for most in skyline)
    assert not any(
        all(x <= y for x, y in zip(one, other, strict=True)) for one in skyline for other in skyline if one != other
    )


def test_who_rules_out_all_values_that_occur_with_it_may_rule_out_the_others_too():
    """Sets of 6 people, of whom 2 have a and 3 have b; nobody has a together with c or d."""
    release = sl.Release.from_counts([{"a": 2, "b": 3}, {"c": 3, "d": 1}], sizes=[6, 6], values="set")
    points = sl.knowledge_skyline(release, "a", below=Fraction(2, 3))
    # nothing ruled out: (4 − k)/2 > 1/2 with k others; b ruled out: (4 − k)/4 > 1/2
    assert [point for point in points if point[2] == 0] == [(0, 2, 0), (3, 1, 0)]


def test_limits_that_no_risk_is_below_are_named():
    with pytest.raises(BadMeasure) as refused:
        sl.knowledge_skyline(WARD, "Flu", below=1.5)
    assert str(refused.value) == "a risk is never below 1.5; give a limit between 0 and 1"


def test_a_skyline_is_about_one_sensitive_column():
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    with pytest.raises(BadTable, match=r"^a skyline is about one sensitive column, and there are job, ill; pick one"):
        sl.knowledge_skyline(sl.read_release(two, group="zip", sensitive=["job", "ill"]), "a", below=0.5)
    with pytest.raises(WrongKind, match=r"^what is explored should be a Release"):
        sl.knowledge_skyline({"Flu": 2}, "Flu", below=0.5)


def test_a_point_of_ones_own_is_drawn():
    skyline = sl.knowledge_skyline(WARD, "AIDS", below=0.5)
    drawn = [{row[:3] for row in table_behind(chart).rows} for chart in (skyline.plot(), skyline.plot(own=(1, 7, 23)))]
    assert [(1, 7, 23) in amounts for amounts in drawn] == [False, True]


@pytest.mark.parametrize(("own", "given"), [((1, 2), "(1, 2)"), (5, "5"), ([1, 2, 3], "[1, 2, 3]")])
def test_a_point_of_ones_own_has_three_amounts(own, given):
    with pytest.raises(WrongKind) as refused:
        sl.knowledge_skyline(WARD, "AIDS", below=0.5).plot(own=own)
    assert str(refused.value) == f"own= is a point (rules_out, others, family), not {given}"
