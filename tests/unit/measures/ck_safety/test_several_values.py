"""Implications and negations where people have several values."""

import math
from fractions import Fraction

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.ck_safety.several_values import log_rows
from sidelight.measures.targets import Targets

VISITS = sl.Release.from_counts([{"a": 2, "b": 3}, {"a": 1, "c": 1}], sizes=[4, 9], values="set")


def test_the_premises_are_about_one_value_of_one_group():
    """Of b, which 3 of 4 have, one of 2 people must have it: that says more about c in group 2 than c itself does."""
    finding = sl.Implications(2, value="c").measure(VISITS)
    assert finding.value == finding.replay(VISITS) == 1
    assert mentions(finding.explain(), "group 2", "c", 1, "if", "one of 2 people", "group 1", "b", "target", "c")
    assert len(finding.witness.implications) == 2


def test_idle_implications_fill_up_to_k():
    finding = sl.Implications(5, value="b").measure(VISITS)
    assert len(finding.witness.implications) == 5
    assert sum(len(values) for values in finding.witness.premises().values()) == 1


@pytest.mark.parametrize(("values", "people"), [("set", 4), ("multiset", 3)])
def test_no_more_people_are_asked_than_make_sure(values, people):
    """2 of 4 have a, or 2 occurrences fall to 3 people: whoever has asked the target and two others knows."""
    release = sl.Release.from_counts([{"a": 2}], sizes=[people], values=values)
    finding = sl.Implications(9).measure(release)
    assert finding.value == finding.replay(release) == 1
    assert finding.witness.premises() == {(1, 1): ("a",), (1, 2): ("a",)}
    assert len(finding.witness.implications) == 9


def test_values_of_a_category_that_nobody_could_have_are_noted():
    finding = sl.Implications(1, value={"ill": ["c", "z"]}).measure(VISITS)
    assert (finding.value, finding.witness.any_of) == (1 / (1 + Fraction(8) * Fraction(1, 4)), ("c",))
    (note,) = finding.notes
    assert mentions(note, "not", "'ill'", "z")
    nobody = sl.Release.from_counts([{"a": 1}], sizes=[2], values="set", domain=["a", "y"])
    finding = sl.Implications(1, value={"ill": ["y", "z"]}).measure(nobody)
    nobody_has, not_there = finding.notes
    assert mentions(nobody_has, "nobody", "'ill'")
    assert mentions(not_there, "not", "'ill'", "z")


def test_negations_are_about_others():
    finding = sl.Negations(1).measure(VISITS)
    assert finding.value == finding.replay(VISITS) == 1
    assert mentions(finding.explain(), "another", "group", "not", "b")
    assert mentions(sl.Negations(3, value="c").measure(VISITS).explain(), "3 others", "group", "not", "c")
    assert sl.Negations(3, value="c").measure(VISITS).value == Fraction(1, 6)


@pytest.mark.parametrize("kind", [sl.Implications, sl.Negations])
def test_nobody_has_it(kind):
    release = sl.Release.from_counts([{"a": 1}], sizes=[2], values="set", domain=["a", "z"])
    finding = kind(1, value="z").measure(release)
    assert (finding.value, finding.witness) == (0, None)
    nothing = sl.Release.from_counts([{}], sizes=[3], values="set", domain=["a"])
    assert kind(1).measure(nothing).value == 0


@pytest.mark.parametrize("kind", [sl.Implications, sl.Negations])
def test_a_category_of_sets_is_bounded_and_no_story(kind):
    """How many people have any of several values is not published: the most there could be."""
    finding = kind(1, value=["a", "b"]).measure(VISITS)
    assert finding.value == finding.replay(VISITS) == 1
    with pytest.raises(BadMeasure) as refusal:
        finding.witness.as_facts()
    assert mentions(refusal.value, "cannot", "how many", "'a or b'", "values", "one by one")


@pytest.mark.parametrize("kind", [sl.Implications, sl.Negations])
def test_long_fractions_are_rounded_up(kind):
    crowd = sl.Release.from_counts([{"a": 60_000}, {"a": 50_000}], sizes=[100_000, 90_000], values="multiset")
    finding = kind(3).measure(crowd)
    assert isinstance(finding.value, float)
    assert finding.value == finding.replay(crowd)
    assert finding.value > kind(2).measure(crowd).value


@pytest.mark.parametrize("values", ["set", "multiset"])
def test_a_million_implications(values):
    crowd = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[50], values=values)
    assert sl.Implications(10**6, value="a").measure(crowd).value == 1
    assert sl.Negations(10**6, value="a").measure(crowd).value == 1


def test_a_survey_of_conditions():
    """Real people with several conditions each, or none: an exact answer that replays, and a search that keeps it."""
    data = sl.datasets.nhefs()
    limit = sl.Implications(2) < Fraction(9, 10)
    result = sl.protect(data.table, limit, by=data.hierarchies, ask="nobody")
    finding = sl.Implications(2).measure(result.release)
    assert finding.value == finding.replay(result.release) < Fraction(9, 10)


@pytest.mark.parametrize("values", ["set", "multiset"])
def test_values_that_floats_cannot_tell_apart_are_compared_exactly(values):
    """One of a million millions and one has a, one of a million millions has b: b is the likelier."""
    crowd = sl.Release.from_counts([{"a": 1}, {"b": 1}], sizes=[10**12 + 1, 10**12], values=values)
    finding = sl.Implications(0).measure(crowd)
    assert (finding.value, finding.witness.value) == (Fraction(1, 10**12), "b")
    alike = sl.Release.from_counts([{"b": 1}, {"a": 1}], sizes=[10**12, 10**12], values=values, domain=["a", "b"])
    assert sl.Implications(0).measure(alike).witness.value == "a"  # of equal ones the first of the domain


@pytest.mark.parametrize(("people", "count", "times"), [(3, 1, 5), (3, 1, 11), (5, 2, 3), (5, 2, 7), (5, 3, 5)])
def test_of_equal_shares_the_first_value_is_told_whatever_their_logarithms_round_to(people, count, times):
    release = sl.Release.from_counts(
        [{"a": count * times}, {"b": count}], sizes=[people * times, people], values="set", domain=["a", "b"]
    )
    finding = sl.Implications(0).measure(release)
    assert (finding.value, finding.witness.value) == (Fraction(count, people), "a")


@pytest.mark.parametrize(
    ("k", "values", "people", "count", "kind"),
    [
        (
            0,
            "multiset",
            1000,
            1400,
            Fraction,
        ),  # 10 bits for each occurrence make 14,000, and longer ones are rounded up
        (0, "multiset", 1000, 1401, float),
        (1, "multiset", 1000, 700, Fraction),
        (1, "multiset", 1000, 701, float),
        (999, "set", 10_000, 1100, Fraction),  # 14 bits for each of 999 people and the target
        (1000, "set", 10_000, 1100, float),
    ],
)
def test_a_long_fraction_replays_as_it_is_reported(k, values, people, count, kind):
    release = sl.Release.from_counts([{"a": count, "b": 1}], sizes=[people], values=values)
    finding = sl.Implications(k).measure(release)
    assert finding.value == finding.replay(release)
    assert type(finding.value) is type(finding.replay(release)) is kind


def none_has(values, people, count, asked):
    """The probability that nobody of those asked has the value."""
    if values == "multiset":
        return Fraction(people - asked, people) ** count
    return math.prod((Fraction(people - count - i, people - i) for i in range(asked)), start=Fraction(1))


@pytest.mark.parametrize("values", ["set", "multiset"])
@pytest.mark.parametrize("target", ["a", "b", "c", None])
def test_what_a_search_sees_of_each_group(values, target):
    """By the definition: the least V(h), and the least odds against a target with its own or with other atoms."""
    groups = [{"a": 2, "b": 4}, {"a": 1, "c": 1}, {"c": 5}, {}]
    sizes = [9, 12, 11, 9]
    release = sl.Release.from_counts(groups, sizes=sizes, values=values)
    others, placed = log_rows(release.groups, 3, Targets(target))
    assert others.shape == placed.shape == (4, 4)
    for place, (counts, n) in enumerate(zip(groups, sizes, strict=True)):
        own = [count for value, count in counts.items() if target in (value, None)]
        for h in range(4):
            least = min((none_has(values, n, count, h) for count in counts.values()), default=Fraction(1))
            assert math.isclose(math.exp(others[h, place]), least)
            against = [
                min(none_has(values, n, count, h + 1), none_has(values, n, count, 1) * least)
                / (1 - none_has(values, n, count, 1))
                for count in own
            ]
            assert math.isclose(math.exp(placed[h, place]), min(against, default=math.inf))


def test_a_group_that_makes_sure_has_a_finite_row():
    """So that rows can be added up: 0 stands there as a number far below all others."""
    release = sl.Release.from_counts([{"a": 3}, {"a": 1}], sizes=[3, 5], values="set")
    others, placed = log_rows(release.groups, 1, Targets())
    assert np.isfinite(others).all()
    assert np.isfinite(placed).all()
    assert (others[1, 0] < -1e99, placed[0, 0] < -1e99, placed[1, 1] > -10) == (True, True, True)


def test_a_target_and_premises_in_different_groups():
    """All but one of 9 have b: of 2 people one has it.  With one atom, V(1) = 1/9 and the odds against c are 8."""
    release = sl.Release.from_counts([{"b": 8}, {"c": 1}], sizes=[9, 9], values="set", labels=[{"x": "1"}, {"x": "2"}])
    finding = sl.Implications(1, value="c").measure(release)
    assert finding.value == finding.replay(release) == 1 / (1 + 8 * Fraction(1, 9))
    assert [name.number for name in finding.witness.elsewhere] == [1]
    premises = ["if", "someone", "group 1 (x 1)", "b", "target", "c"]
    assert mentions(finding.explain(), "group 2 (x 2)", "c", "9/17", *premises)
    target, known = finding.witness.as_facts()
    assert sl.posterior(release, target, given=known) == finding.value


def test_a_target_and_premises_of_one_value():
    """2 of 4 have a: with the target and another asked, (2/4)(1/3) have none, against 2/4 with the target."""
    release = sl.Release.from_counts([{"a": 2}], sizes=[4], values="set")
    finding = sl.Implications(1).measure(release)
    assert finding.value == finding.replay(release) == 1 / (1 + Fraction(1, 6) / Fraction(1, 2))
    assert (finding.witness.elsewhere, finding.witness.semantics) == ((), "set")
    assert [each.premise.person for each in finding.witness.implications] == [(1, 1)]
    without = sl.Implications(0).measure(release)
    assert (without.value, without.witness.implications) == (Fraction(1, 2), ())


def test_parts_in_any_order_give_the_same_finding():
    parts = [sl.Implications(2, value="c").summarize(VISITS.groups.take(np.array([row]))) for row in (1, 0)]
    for one, other in (parts, parts[::-1]):
        assert one.merge(other).finding() == sl.Implications(2, value="c").measure(VISITS)
