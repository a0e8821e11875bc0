"""What is the least that knowledge costs which makes sure?"""

import math
from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard, UnknownValue
from sidelight.measures.ck_safety import priced_atoms
from sidelight.measures.ck_safety.cheapest_knowledge import Market, _taking_part
from sidelight.policy.limits import read_limit
from sidelight.worlds.brute_force import cheapest_implications

WARD = sl.Release.from_counts([{"AIDS": 1, "Flu": 4, "Cold": 5}])


def test_the_limit_is_met_with_equality():
    """Two people asked about flu make it 9/10 exactly; a hair more costs more."""
    prices = {"Cold": 5, "AIDS": 3}
    assert sl.CheapestKnowledge(0.9, prices).measure(WARD).value == 2
    assert sl.CheapestKnowledge(Fraction(9, 10) + Fraction(1, 10**15), prices).measure(WARD).value == 3


def test_what_the_release_itself_says_costs_nothing():
    finding = sl.CheapestKnowledge(0.5).measure(WARD)
    assert (finding.value, finding.replay(WARD)) == (0, 0)
    assert type(finding.value) is type(finding.replay(WARD)) is Fraction
    assert finding.explain().startswith("It costs nothing: in group 1 anyone has Cold with probability 1/2")


def test_nobody_has_the_value():
    nobody = sl.Release.from_counts([{"Flu": 1}], domain=["Flu", "AIDS"])
    finding = sl.CheapestKnowledge(0.5, value="AIDS").measure(nobody)
    assert (finding.value, finding.witness) == (math.inf, None)
    assert "AIDS" in finding.explain()


def test_the_dear_value_is_the_target_itself():
    """Of the target's own value nothing need be bought, so the dearest one makes the cheapest target."""
    assert sl.CheapestKnowledge(1, {"AIDS": 1000}).measure(WARD).witness.value == "AIDS"
    assert sl.CheapestKnowledge(1, {"AIDS": 1000}, value="Flu").measure(WARD).value == 3  # two people, one AIDS


def test_a_witness_in_another_group():
    release = sl.Release.from_counts([{"a": 50, "b": 50}, {"a": 9, "b": 1}], labels=[{"zip": "1"}, {"zip": "2"}])
    finding = sl.CheapestKnowledge(0.9, {"a": 1, "b": 9}, value="b").measure(release)
    assert finding.replay(release) == finding.value == sum(1 for _ in finding.witness.implications)
    target, known = finding.witness.as_facts()
    assert sl.posterior(release, target, given=known) == finding.witness.probability >= Fraction(9, 10)


def test_replaying_on_another_release_shows_that_it_does_not_suffice():
    finding = sl.CheapestKnowledge(0.95).measure(WARD)
    other = sl.Release.from_counts([{"AIDS": 30, "Flu": 40, "Cold": 50, "Ulcer": 60}])
    assert finding.replay(other) == math.inf


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"reach": 0}, "'cheapest knowledge' has reach=0; give a probability above 0, at most 1"),
        ({"reach": 1.5}, "'cheapest knowledge' has reach=3/2; give a probability above 0, at most 1"),
        ({"reach": "much"}, "reach= is a number, not 'much'; give a number"),
        ({"reach": 0.9, "prices": {"Flu": 0}}, "a number in prices= is 0; give finite ones above 0, and at most 1e30"),
        ({"reach": 0.9, "prices": [1]}, 'prices= wants a mapping value → number, such as {"AIDS": 1, "Flu": 0.1}'),
        (
            {"reach": 0.9, "otherwise": math.inf},
            "a number in otherwise= is inf; give finite ones above 0, and at most 1e30",
        ),
        ({"reach": 0.9, "otherwise": 0}, "a number in otherwise= is 0; give finite ones above 0, and at most 1e30"),
        (
            {"reach": 0.9, "value": ["Flu", "Cold"]},
            "'cheapest knowledge' is about one value or all; give one, or leave others out with apart_from=",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(settings, wrong):
    with pytest.raises(BadMeasure) as refusal:
        sl.CheapestKnowledge(**settings)
    assert str(refusal.value) == wrong


def test_prices_of_values_that_are_not_there():
    with pytest.raises(UnknownValue, match="did you mean 'Cold'"):
        sl.CheapestKnowledge(0.9, {"Colt": 2}).measure(WARD)


def test_parts_are_not_measured_apart():
    with pytest.raises(BadMeasure, match="a whole release at once"):
        sl.CheapestKnowledge(0.9).summarize(WARD.groups)


def test_too_many_kinds_of_knowledge(monkeypatch):
    monkeypatch.setattr(priced_atoms, "MOST_KINDS", 3)
    with pytest.raises(TooHard, match="fewer different prices"):
        sl.CheapestKnowledge(0.95, {"Flu": 2, "Cold": 3}).measure(WARD)


def test_amounts_of_a_million():
    """A million of each: knowledge that makes sure is about the target alone, and prices are any units."""
    crowd = sl.Release.from_counts([{"a": 1_000_000, "b": 1_000_000, "c": 1}])
    assert sl.CheapestKnowledge(1, {"a": 10**6, "b": 2 * 10**6, "c": 10**6}).measure(crowd).value == 2 * 10**6
    with pytest.raises(TooHard, match="larger steps"):
        sl.CheapestKnowledge(1, {"a": 10**6 + 1, "b": 10**6, "c": 10**6}).measure(crowd)


def test_as_a_limit():
    limit = read_limit("cheapest knowledge(reach=0.95, prices={AIDS=10, Cold=3}) >= 4")
    assert limit.measure == sl.CheapestKnowledge(0.95, {"AIDS": 10, "Cold": 3})
    assert limit.judge(WARD).holds
    assert not read_limit("cheapest knowledge(reach=0.95, prices={AIDS=10, Cold=3}) > 4").judge(WARD).holds
    assert read_limit(str(limit)) == limit


def test_settings_are_written_as_policies_say_them():
    """What is so by default is not said, and a whole number is said as one."""
    assert sl.CheapestKnowledge(0.5).settings() == {"reach": Fraction(1, 2)}
    said = sl.CheapestKnowledge(1, {"Flu": 3, "Cold": 0.5}, otherwise=2, value="AIDS").settings()
    assert said == {"reach": 1, "prices": {"Flu": 3, "Cold": Fraction(1, 2)}, "otherwise": 2, "value": "AIDS"}
    assert type(said["reach"]) is type(said["otherwise"]) is type(said["prices"]["Flu"]) is int
    assert sl.CheapestKnowledge.from_settings(reach=1, apart_from=("Flu",)) == sl.CheapestKnowledge(
        1, apart_from=["Flu"]
    )
    assert sl.CheapestKnowledge.from_settings(**said) == sl.CheapestKnowledge(**said)


def test_examples_ask_about_all_values_one_and_all_but_one_with_prices_and_without():
    prices = {"a": Fraction(1, 2), "b": 1, "c": Fraction(3, 2), "d": Fraction(1, 2)}
    assert sl.CheapestKnowledge.examples(("a", "b", "c", "d")) == (
        sl.CheapestKnowledge(Fraction(9, 10)),
        sl.CheapestKnowledge(Fraction(9, 10), prices),
        sl.CheapestKnowledge(1, value="a"),
        sl.CheapestKnowledge(1, prices, value="a"),
        sl.CheapestKnowledge(Fraction(1, 2), apart_from=["a"]),
        sl.CheapestKnowledge(Fraction(1, 2), prices, apart_from=["a"]),
    )


def test_words():
    assert sl.CheapestKnowledge(0.5).measure(WARD).explain() == (
        "It costs nothing: in group 1 anyone has Cold with probability 1/2, as the release says."
    )
    assert sl.CheapestKnowledge(0.6, value="Cold").measure(WARD).explain() == (
        "For 1 somebody could know that, if the target has Flu, the target has Cold; "
        "in group 1 anyone, the target, then has Cold with probability 5/6."
    )
    uneven = sl.CheapestKnowledge(0.6, otherwise=Fraction(1_234_567, 1_000_000), value="Cold").measure(WARD)
    assert uneven.explain().startswith("For 1.2345 somebody could know")  # no more than it costs
    nobody = sl.Release.from_counts([{"Flu": 1}], domain=["Flu", "AIDS"])
    assert sl.CheapestKnowledge(0.5, value="AIDS").measure(nobody).explain() == (
        "Nobody in the release has 'AIDS', so nobody can be shown to have it."
    )


def test_what_costs_too_much_to_weigh_says_so():
    """Nothing but all 500 other values makes sure, and 4 · 2⁶ = 256 units are the last budget within 400."""
    release = sl.Release.from_counts([{f"v{n}": 1 for n in range(501)}])
    with pytest.raises(TooHard) as refusal:
        sl.CheapestKnowledge(1, otherwise=0.5).measure(release)
    assert str(refusal.value) == (
        "knowledge that makes this sure costs more than 256 times 1/2, the unit of all prices, which is too much to "
        "weigh; give a lower 'reach', or prices in larger steps"
    )


@pytest.mark.parametrize("price", [299, 400])
def test_all_budgets_up_to_400_units_are_weighed(price):
    """The only one who has c is made sure of by asking about a and b, and by nothing cheaper, in either group."""
    release = sl.Release.from_counts([{"a": 10**6, "b": 10**6, "c": 1}, {"a": 10**6 + 1, "b": 10**6, "c": 1}])
    finding = sl.CheapestKnowledge(1, {"a": 150, "b": price - 150}, value="c").measure(release)
    assert finding.value == finding.replay(release) == price
    assert (finding.witness.group.number, set(finding.witness.premises()[1, 0])) == (1, {"a", "b"})
    with pytest.raises(TooHard, match=r"^knowledge that makes this sure costs more than 256 times 1, the unit"):
        sl.CheapestKnowledge(1, {"a": 150, "b": 251}, value="c").measure(release)


def test_without_prices_it_is_the_least_number_of_implications_that_reaches():
    groups = [{"a": 5, "b": 4, "c": 3, "d": 2}, {"a": 3, "b": 3, "d": 6}, {"c": 9, "a": 8, "b": 1, "d": 1}]
    release = sl.Release.from_counts(groups)
    risks = [sl.Implications(k).measure(release).value for k in range(8)]
    for reach in (*risks[:4], Fraction(1, 2), Fraction(3, 4), Fraction(99, 100), 1):
        finding = sl.CheapestKnowledge(reach).measure(release)
        assert finding.value == finding.replay(release) == next(k for k, risk in enumerate(risks) if risk >= reach)
        assert finding.witness.probability == risks[int(finding.value)]


def test_prices_have_a_common_unit():
    """Of 1/10 and 3/20 it is 1/20; the target's own value is not paid for, so it is one of the dearer ones."""
    release = sl.Release.from_counts([{"a": 1, "b": 2, "c": 3, "d": 4}])
    prices = {"a": Fraction(1, 10), "b": Fraction(3, 20), "c": Fraction(1, 10), "d": Fraction(3, 20)}
    finding = sl.CheapestKnowledge(1, prices).measure(release)
    assert finding.value == finding.replay(release) == Fraction(1, 10) * 2 + Fraction(3, 20)  # all but one of b and d
    assert finding.witness.value == "d"  # of one price the more frequent


def test_the_targets_value_is_taken_out_of_its_class_in_each_group():
    """Values by price, the dearest first, and counts in falling order; values that nobody has are no use."""
    groups = [{"a": 5, "b": 3, "c": 2, "d": 1}, {"b": 6, "a": 1, "c": 4}, {"a": 9, "c": 1}, {"a": 9, "c": 8, "b": 1}]
    release = sl.Release.from_counts(groups, domain=["a", "b", "c", "d", "e"])
    prices = {"d": Fraction(3, 2), "e": Fraction(3, 2)}
    market = Market.from_groups(sl.CheapestKnowledge(1, prices, otherwise=0.5, value="b"), release.groups)
    assert (market.unit, market.classes, market.may_be) == (Fraction(1, 2), ((3, 4), (0, 1, 2)), {1})
    assert [each.tolist() for each in market.others.counts] == [
        [[1], [0], [0], [0]],
        [[5, 3, 2], [6, 4, 1], [9, 1, 0], [9, 8, 1]],
    ]
    assert (market.others.prices, market.others.target.tolist()) == ((3, 1, 0), [0, 0, 0, 0])
    ((own, others),) = market.targets
    assert [each.tolist() for each in others.counts] == [[[1], [0], [0], [0]], [[5, 2], [4, 1], [9, 1], [9, 8]]]
    assert (own, others.prices, others.target.tolist()) == (1, (3, 1, 1), [3, 6, 0, 1])
    assert others.sizes.tolist() == market.others.sizes.tolist() == [11, 11, 10, 18]


def test_only_groups_with_the_least_probabilities_at_some_price_take_part():
    """For 3 units: of those that cost 1 the least four (the target's group and two more beside it), and so on."""
    rng = np.random.default_rng(4)
    others, targets = -rng.random((2, 4, 40))
    others[0] = 0
    lists = [np.argsort(others[price])[: 5 - price] for price in (1, 2, 3)]
    lists += [np.argsort(targets[price])[: 4 - price] for price in (0, 1, 2, 3)]
    expected = sorted({*np.concatenate(lists).tolist()})
    assert _taking_part(others, targets).tolist() == expected
    assert len(expected) < 20


def test_a_group_that_makes_sure_elsewhere():
    """The target is one of 41 people with as many values; of the second group all but one have the cheap value."""
    release = sl.Release.from_counts(
        [{"t": 1, **{f"v{n}": 1 for n in range(40)}}, {"x": 9, "y": 1}], labels=[{"zip": "1"}, {"zip": "2"}]
    )
    finding = sl.CheapestKnowledge(1, {"y": 7}, value="t").measure(release)
    assert finding.value == finding.replay(release) == 2  # of two people of the second group one has x
    assert finding.explain() == (
        "For 2 somebody could know that, if one of 2 people in group 2 (zip 2) has x, the target has t; "
        "in group 1 (zip 1) anyone, the target, then has t with probability 1."
    )


def test_what_is_asked_of_the_target_comes_before_what_is_asked_of_other_groups():
    """3 of 10 have neither w nor A, 11 of 20 not P; a second fact about either group would do less: 5/9 and 10/19."""
    release = sl.Release.from_counts(
        [{"P": 9, **{f"q{n}": 1 for n in range(11)}}, {"w": 4, "A": 3, "B": 1, "C": 1, "D": 1}],
        labels=[{"zip": "1"}, {"zip": "2"}],
    )
    reach = 1 / (1 + Fraction(10, 4) * Fraction(3, 10) * Fraction(11, 20))
    finding = sl.CheapestKnowledge(reach, value="w").measure(release)
    assert finding.value == finding.replay(release) == 2
    assert finding.witness.probability == reach == sl.Implications(2, value="w").measure(release).value
    assert [str(each.premise) for each in finding.witness.implications] == [
        "person 1 of group 2 has A",
        "person 1 of group 1 has P",
    ]
    assert [str(name) for name in finding.witness.elsewhere] == ["group 1 (zip 1)"]
    assert finding.explain() == (
        "For 2 somebody could know that, if the target has A, or someone in group 1 (zip 1) has P, the target has w; "
        "in group 2 (zip 2) anyone, the target, then has w with probability 80/113."
    )


def test_groups_that_take_no_part_change_nothing_but_the_numbers():
    """The two groups of the test before, after twelve in which everybody has a value of their own."""
    harmless = [{f"z{n}": 1 for n in range(50)}] * 12
    both = [{"P": 9, **{f"q{n}": 1 for n in range(11)}}, {"w": 4, "A": 3, "B": 1, "C": 1, "D": 1}]
    release = sl.Release.from_counts([*harmless, *both])
    reach = 1 / (1 + Fraction(10, 4) * Fraction(3, 10) * Fraction(11, 20))
    finding = sl.CheapestKnowledge(reach, value="w").measure(release)
    assert finding.value == finding.replay(release) == 2
    assert finding.witness.probability == reach
    assert [str(each.premise) for each in finding.witness.implications] == [
        "person 1 of group 14 has A",
        "person 1 of group 13 has P",
    ]


@pytest.mark.parametrize(
    ("groups", "prices"),
    [
        ([{"a": 2, "b": 1, "c": 1}], {"a": 1, "b": 2, "c": 3}),
        ([{"a": 2, "b": 1, "c": 1}], {"a": 3, "b": 2, "c": 1}),
        ([{"a": 2, "b": 2}, {"a": 1, "c": 1}], {"a": 2, "b": 1, "c": Fraction(1, 2)}),
        ([{"a": 1, "b": 1}, {"b": 2, "c": 1}], {"a": 1, "b": 5, "c": 2}),
        ([{"a": 1, "b": 1, "c": 1}, {"b": 1, "c": 1}], {"a": 3, "b": 3, "c": 2}),
    ],
)
@pytest.mark.parametrize("targets", ["a", "c", "bc", "abc"])
@pytest.mark.parametrize("reach", [Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), 1])
def test_nothing_cheaper_is_found_by_trying_everything(groups, prices, targets, reach):
    release = sl.Release.from_counts(groups)
    others = [value for value in release.domain if value not in targets]
    finding = sl.CheapestKnowledge(reach, prices, apart_from=others).measure(release)
    expected = cheapest_implications(release, reach, lambda value: Fraction(prices[value]), targets)
    assert finding.value == finding.replay(release) == expected
    assert finding.witness.value in targets
    assert finding.witness.posterior(release) == finding.witness.probability >= reach
