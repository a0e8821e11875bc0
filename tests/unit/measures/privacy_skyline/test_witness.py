"""The worst investigation: who sits where, and what it says as facts."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.knowledge.facts import Has
from sidelight.knowledge.people import Someone
from sidelight.measures.privacy_skyline.witness import _GroupByFrequency
from sidelight.release.groups import GroupName
from sidelight.testing import releases
from sidelight.worlds.closed_forms import Family, Others


@given(releases(max_groups=2, max_people=4, max_values=3), st.tuples(*[st.integers(0, 2)] * 3))
def test_as_facts_it_has_the_same_posterior(release, knows):
    finding = sl.Acquaintance(*knows).measure(release)
    if finding.witness is None:
        return
    target, facts = finding.witness.as_facts()
    assert sl.posterior(release, target, given=facts) == finding.value


def test_known_people_have_the_most_frequent_values_that_are_not_ruled_out():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2, "d": 1}])
    witness = sl.Acquaintance(rules_out=1, others=3, value="a").measure(release).witness
    assert witness.rules_out == ("b",)
    assert witness.others.values == (("c", 2), ("d", 1))
    assert witness.family is None


def test_a_family_that_settles_it_needs_nothing_else():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2}, {"a": 2, "b": 1}])
    witness = sl.Acquaintance(rules_out=0, others=0, family=5, value="a").measure(release).witness
    assert (witness.rules_out, witness.others, witness.family.people) == ((), None, 1)


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_where_people_have_several_values_others_are_known_to_lack_it(semantics):
    release = sl.Release.from_counts([{"a": 2, "b": 1}], sizes=[9], values=semantics)
    witness = sl.Acquaintance(others=2, family=1, value="a").measure(release).witness
    group = release.groups.name(0)
    assert (witness.others, witness.family) == (Others(group, 2), Family(group, 1))
    assert witness.explain(Fraction(1, 2)).startswith("In group 1 anyone, the target, could be shown to have a")


@pytest.mark.parametrize("measure", [sl.Acquaintance(rules_out=2), sl.Negations(2)])
def test_values_that_hold_a_comma_stand_in_quotes(measure):
    release = sl.Release.from_counts([{"Flu": 3, "Ulcer, bleeding": 2, "Cold": 1, "Gout": 1}])
    assert "'Ulcer, bleeding' or Cold" in measure.measure(release).explain()


SEVERAL = [
    # counts, people, semantics, (ℓ, k, m), ruled out, others, family, the risk of a
    ({"a": 1, "b": 3}, 3, "set", (0, 0, 1), (), None, 1, Fraction(1, 2)),  # and it may not be ruled out
    ({"a": 1, "b": 3}, 3, "set", (0, 2, 1), (), 2, None, 1),  # nor is it needed
    ({"a": 1, "b": 3}, 3, "set", (1, 0, 1), ("b",), None, None, 1),  # nor where everybody has what implies it
    ({"a": 2, "b": 1}, 4, "set", (1, 1, 1), (), 1, 1, 1),  # three are left, of whom two have it: she or her family
    ({"a": 1, "b": 3}, 3, "multiset", (1, 0, 1), ("b",), None, 1, Fraction(27, 35)),  # b is with anybody
]


@pytest.mark.parametrize(("counts", "people", "semantics", "knows", "ruled_out", "others", "family", "risk"), SEVERAL)
def test_what_is_told_where_people_have_several_values(
    counts, people, semantics, knows, ruled_out, others, family, risk
):
    release = sl.Release.from_counts([counts], sizes=[people], values=semantics)
    finding = sl.Acquaintance(*knows, value="a").measure(release)
    witness, group = finding.witness, release.groups.name(0)
    assert witness.rules_out == ruled_out
    assert witness.others == (Others(group, others) if others else None)
    assert witness.family == (Family(group, family) if family else None)
    assert finding.replay(release) == finding.value == risk


def test_where_people_have_one_value_what_is_ruled_out_and_known_settles_it_together():
    release = sl.Release.from_counts([{"a": 1, "b": 2, "c": 1, "d": 1}])
    finding = sl.Acquaintance(rules_out=2, others=5, family=5, value="a").measure(release)
    witness, group = finding.witness, release.groups.name(0)
    assert (witness.rules_out, witness.others, witness.family) == (("b", "c"), Others(group, 1, (("d", 1),)), None)
    assert finding.replay(release) == finding.value == 1


def test_a_family_beside_known_people_needs_only_the_rest():
    """Six people: the target, two who have b, and three, of whom one has a unless the target has."""
    release = sl.Release.from_counts([{"a": 1, "b": 5}])
    finding = sl.Acquaintance(rules_out=0, others=2, family=10, value="a").measure(release)
    assert finding.explain() == (
        "In group 1 anyone, the target, could be shown to have a with probability 1 by someone who knows what 2 other "
        "people of the same group have: b (2), and of 3 other people of the same group that, if one of them has a, so "
        "does the target."
    )
    assert finding.replay(release) == finding.value == 1


def test_a_family_that_settles_it_elsewhere_is_one_larger_than_beside_the_target():
    group = sl.Release.from_counts([{"a": 2, "b": 3, "c": 1}]).groups
    around, name = _GroupByFrequency.from_group(group, 0), group.name(0)
    assert (around.people, around.count, around.rest) == (6, 2, (("b", 3), ("c", 1)))
    assert around.known_family(9, None, beside_target=True) == (Family(name, 4), True)
    assert around.known_family(9, None, beside_target=False) == (Family(name, 5), True)
    assert around.known_family(4, None, beside_target=False) == (Family(name, 4), False)
    assert around.known_family(3, Others(name, 2), beside_target=True) == (Family(name, 2), True)
    assert around.known_family(0, None, beside_target=True) == (None, False)


def test_a_family_elsewhere_is_the_first_people_there():
    mixed = {"a": 6, **dict.fromkeys("bcdefg", 1)}
    release = sl.Release.from_counts([{"a": 3, "b": 9, "c": 1}, mixed])
    witness = sl.Acquaintance(rules_out=1, family=2, value="a").measure(release).witness
    assert witness.family == Family(GroupName(2), 2)
    target = Has(Someone(1, 1), "a")
    relatives = [Has(Someone(2, number), "a").implies(target) for number in (1, 2)]
    assert witness.as_facts() == (target, (~Has(Someone(1, 1), "b"), *relatives))


def test_known_people_beside_a_family_elsewhere_have_the_most_frequent_values_there():
    """Two people more or less hardly matter in the group of the target, who does not have b; among six they do."""
    release = sl.Release.from_counts([{"a": 100, "b": 10_000, "c": 50}, dict.fromkeys("abcdef", 1)])
    finding = sl.Acquaintance(rules_out=1, others=2, family=1, value="a").measure(release)
    witness, six = finding.witness, GroupName(2)
    assert (witness.group.number, witness.rules_out) == (1, ("b",))
    assert (witness.others, witness.family) == (Others(six, 2, (("b", 1), ("c", 1))), Family(six, 1))
    # 50 to 100 against; and of four people of whom one has it, three do not
    assert finding.replay(release) == finding.value == 1 / (1 + Fraction(50, 100) * Fraction(3, 4))
    assert finding.explain() == (
        "In group 1 anyone, the target, could be shown to have a with probability 8/11 by someone who knows that the "
        "target does not have b, what 2 other people of group 2 have: b (1) and c (1), and of 1 person of group 2 that, "
        "if that person has a, so does the target."
    )


def test_known_people_come_after_the_target_and_before_the_family():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2, "d": 3}])
    witness = sl.Acquaintance(rules_out=1, others=4, family=0, value="a").measure(release).witness
    target = Has(Someone(1, 1), "a")
    known = [Has(Someone(1, number), text) for number, text in ((2, "d"), (3, "d"), (4, "d"), (5, "c"))]
    assert witness.as_facts() == (target, (~Has(Someone(1, 1), "b"), *known))
    sets = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[9], values="set")
    facts = sl.Acquaintance(rules_out=1, others=2, family=1, value="a").measure(sets).witness.as_facts()[1]
    assert facts == (
        Has(Someone(1, 1), "b").implies(target),
        ~Has(Someone(1, 2), "a"),
        ~Has(Someone(1, 3), "a"),
        Has(Someone(1, 4), "a").implies(target),
    )


@pytest.mark.parametrize(("rules_out", "listed"), [(1, "b"), (2, "b or c"), (3, "b, c or d"), (4, "b, c, d or e")])
def test_all_values_that_are_ruled_out_are_listed(rules_out, listed):
    release = sl.Release.from_counts([{"a": 3, "b": 6, "c": 5, "d": 4, "e": 3, "f": 2}])
    risk = Fraction(3, 23 - sum((6, 5, 4, 3)[:rules_out]))
    assert sl.Acquaintance(rules_out, value="a").measure(release).explain() == (
        f"In group 1 anyone, the target, could be shown to have a with probability {risk} by someone who knows that the "
        f"target does not have {listed}."
    )


def test_known_people_of_several_values_are_counted_and_groups_are_named():
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1, "d": 1, "e": 1}, {"a": 3, "b": 97}])
    said = sl.Acquaintance(others=3, value="a").measure(release).explain()
    assert said == (
        "In group 1 anyone, the target, could be shown to have a with probability 2/3 by someone who knows what 3 other "
        "people of the same group have: b (1), c (1) and d (1)."
    )


def test_of_one_person_who_lacks_it_the_verb_is_singular():
    release = sl.Release.from_counts([{"a": 2}], sizes=[9], values="set")
    texts = [sl.Acquaintance(others=others, value="a").measure(release).explain() for others in (1, 2)]
    known = [
        "that 1 other person of the same group does not have a.",
        "that 2 other people of the same group do not have a.",
    ]
    for text, risk, end in zip(texts, ("1/4", "2/7"), known, strict=True):
        assert text == (
            f"In group 1 anyone, the target, could be shown to have a with probability {risk} by someone who knows {end}"
        )


def test_facts_cannot_say_how_many_have_any_of_several_values():
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 2}], sizes=[9], values="set")
    witness = sl.Acquaintance(others=1, value=("a", "b")).measure(release).witness
    with pytest.raises(BadMeasure) as refused:
        witness.as_facts()
    assert str(refused.value) == (
        "facts cannot say how many people have 'a or b', which somebody here knows; ask about its values one by one"
    )
