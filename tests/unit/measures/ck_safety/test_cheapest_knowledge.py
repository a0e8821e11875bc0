"""How improbable can atoms of a given price make it that none of them holds?

What is the least that knowledge costs which makes sure?
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions
from support.worst_cases import cheapest_implications

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard, UnknownValue
from sidelight.measures.ck_safety import cheapest_knowledge as priced_atoms
from sidelight.measures.ck_safety.cheapest_knowledge import (
    Market,
    PricedGroups,
    PricedProgram,
    Purchase,
    _taking_part,
    least_logs,
    list_kinds,
    smaller_kinds,
)
from sidelight.measures.ck_safety.implications import Atom
from sidelight.measures.ck_safety.minimize import TopCounts, least_log_probabilities
from sidelight.policy.limits import read_limit
from sidelight.worlds.closed_forms import probability_of_avoiding


def one_group(size, counts, target, prices):
    return PricedGroups(
        np.array([size]), tuple(np.array([each], np.int64) for each in counts), np.array([target]), prices
    )


def least(group, price, *, target):
    return PricedProgram(group, price, target, exact=True).buy()


def products(group, budget, *, target):
    program = PricedProgram(group, budget, target, exact=True)
    return [program.product(state) for state in program.least()[:, 0]]


COUNTS = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(lambda each: sorted(each, reverse=True))


@given(COUNTS, COUNTS, st.integers(1, 3), st.integers(1, 3), st.integers(0, 6))
def test_logarithms_and_fractions_agree(cheap, dear, one, other, budget):
    """Two classes of values; with a target of the first class, whose count is taken out of it."""
    size = sum(cheap) + sum(dear)
    for target in (False, True):
        counts = (np.array([cheap[1:] if target else cheap], np.int64), np.array([dear]))
        groups = PricedGroups(np.array([size]), counts, np.array([cheap[0] * target]), (one, other, one))
        logs = least_logs(groups, budget, target=target)[:, 0]
        exact = [least(groups.take_one(0), price, target=target) for price in range(budget + 1)]
        for log, chain in zip(logs, exact, strict=True):
            assert math.isclose(math.exp(log), chain.product, abs_tol=1e-12)


def least_of_all_chains(group, budget, *, target):
    """The definition: all chains of sets within the budget, person by person; of equal products the first in order."""
    (size,), (own_count,) = group.sizes.tolist(), group.target.tolist()

    def avoid(person, kind):
        holders = (
            sum(int(own[0, :many].sum()) for own, many in zip(group.counts, kind, strict=False)) + kind[-1] * own_count
        )
        return Fraction(max(size - person - holders, 0), max(size - person, 1))

    def go_on(person, within, left):
        yield Purchase(Fraction(1))
        for kind in product(*(range(most + 1) for most in within)):
            price = sum(many * own for many, own in zip(kind, group.prices, strict=True))
            if any(kind) and price <= left:
                rests = go_on(person + 1, kind, left - price) if avoid(person, kind) else [Purchase(Fraction(1))]
                yield from (Purchase(avoid(person, kind) * rest.product, (kind, *rest.kinds)) for rest in rests)

    if not target:
        return min(go_on(0, (*group.largest[:-1], 0), budget))
    firsts = go_on(0, (*group.largest[:-1], 1), budget + group.prices[-1])
    odds = Fraction(size, own_count)
    return min(Purchase(each.product * odds, each.kinds) for each in firsts if each.kinds and each.kinds[0][-1])


@given(COUNTS, COUNTS, st.integers(0, 2), st.integers(1, 3), st.integers(1, 3), st.integers(0, 6), st.booleans())
def test_the_exact_program_finds_the_first_of_the_best_chains(cheap, dear, unheld, one, other, budget, target):
    size = sum(cheap) + sum(dear) + 2 + unheld
    group = one_group(size, (tuple(cheap), tuple(dear)), 2, (one, other, one) if target else (one, other, 0))
    expected = [least_of_all_chains(group, price, target=target) for price in range(budget + 1)]
    assert [least(group, price, target=target) for price in range(budget + 1)] == expected
    assert products(group, budget, target=target) == [each.product for each in expected]


def test_the_exact_program_looks_at_as_many_states_as_prices_leave(monkeypatch):
    """Of 60 values of one price, people × kinds within the budget × what is left: about J²/2·ln J, not J⁴."""
    asked = []
    plain = PricedProgram.ask
    monkeypatch.setattr(PricedProgram, "ask", lambda *given: asked.append(given) or plain(*given))
    group = one_group(700, (tuple(range(60, 0, -1)),), 0, (1, 0))
    products(group, 60, target=False)
    assert len(asked) <= sum(60 // people for people in range(1, 61))


@given(COUNTS, st.integers(0, 5))
def test_with_one_price_it_is_minimize1(counts, k):
    padded = np.array([counts + [0] * (k + 1)])[:, : k + 1]
    top = TopCounts(np.array([sum(counts)]), padded, padded[:, 0])
    others, targets = least_log_probabilities(top)
    whole = PricedGroups(top.sizes, (np.array([counts]),), np.array([0]), (1, 0))
    without = PricedGroups(top.sizes, (np.array([counts[1:]], np.int64).reshape(1, -1),), top.target, (1, 1))
    np.testing.assert_allclose(np.exp(least_logs(whole, k, target=False)), np.exp(others), atol=1e-12)
    np.testing.assert_allclose(np.exp(least_logs(without, k, target=True)), np.exp(targets), atol=1e-12)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(0, 4))
def test_no_sets_but_chains_are_needed(counts, budget):
    """Every way to ask people of a group about any sets of values, priced 1, 2, 3: none is less likely to be avoided."""
    values = dict(zip("abc", counts, strict=False))
    price = dict(zip("abc", (1, 2, 3), strict=True))
    subsets = [
        frozenset(v for v, bit in zip(values, bits, strict=True) if bit) for bits in product((0, 1), repeat=len(values))
    ]
    people = min(sum(counts), budget)
    smallest = min(
        (
            probability_of_avoiding(values, chosen)
            for chosen in product(subsets, repeat=people)
            if sum(price[v] for each in chosen for v in each) <= budget
        ),
        default=Fraction(1),
    )
    group = one_group(sum(counts), tuple((count,) for count in counts), 0, (*price.values(),)[: len(counts)] + (0,))
    assert least(group, budget, target=False).product == smallest


def test_kinds_stand_after_those_within_them():
    listed = [*list_kinds(4, (2, 1, 2), (2, 3, 1))]
    for kind in listed[1:]:
        assert all(listed.index(smaller) < listed.index(kind) for smaller in smaller_kinds(kind))


@given(
    st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 6),
)
def test_groups_side_by_side_are_as_each_alone(pairs, one, other, budget):
    """Of different sizes and numbers of values, some without the target's value, which then cannot be the target's."""
    width = max(len(each) for pair in pairs for each in pair)
    cheap, dear = (np.array([pair[place] + [0] * (width - len(pair[place])) for pair in pairs]) for place in (0, 1))
    own = np.arange(len(pairs)) % 3
    groups = PricedGroups(cheap.sum(axis=1) + dear.sum(axis=1) + own + 1, (cheap, dear), own, (one, other, other))
    for target in (False, True):
        logs = least_logs(groups, budget, target=target)
        assert logs.shape == (budget + 1, len(pairs))
        for row in range(len(pairs)):
            if target and not own[row]:
                assert (logs[:, row] == np.inf).all()
                continue
            exact = [least(groups.take_one(row), price, target=target).product for price in range(budget + 1)]
            np.testing.assert_allclose(np.exp(logs[:, row]), [float(each) for each in exact], atol=1e-12)


def test_groups_are_taken_in_blocks():
    many = 2048 + 3  # more than are held at once
    sizes = np.arange(many) + 10
    groups = PricedGroups(sizes, (np.full((many, 1), 4),), np.full(many, 2), (1, 1))
    np.testing.assert_allclose(np.exp(least_logs(groups, 1, target=False))[1], (sizes - 4) / sizes)
    np.testing.assert_allclose(np.exp(least_logs(groups, 1, target=True))[1], (sizes - 6) / 2)


def test_the_target_has_its_own_value_for_nothing_and_others_have_not():
    """Nothing buys nothing; for 5 the target is asked about the dear value; for 3 another person about the target's."""
    group = one_group(10, ((4,),), 2, (5, 3))
    assert least(group, 2, target=True) == Purchase(Fraction(10, 2) * Fraction(8, 10), ((0, 1),))
    assert least(group, 3, target=True) == Purchase(5 * Fraction(8, 10) * Fraction(7, 9), ((0, 1), (0, 1)))
    assert least(group, 5, target=True) == Purchase(5 * Fraction(4, 10), ((1, 1),))
    assert least(group, 4, target=False) == Purchase(Fraction(1))
    assert least(group, 5, target=False) == Purchase(Fraction(6, 10), ((1, 0),))


def test_what_must_hold_is_not_avoided():
    """All but one of 5 have the value: of 2 people one has it, and a third need not be asked."""
    group = one_group(5, ((4, 1),), 0, (1, 0))
    assert least(group, 2, target=False) == least(group, 3, target=False) == Purchase(Fraction(0), ((1, 0), (1, 0)))
    assert least(one_group(1, ((1,),), 0, (1, 0)), 1, target=False) == Purchase(Fraction(0), ((1, 0),))


def test_sets_cost_what_their_values_cost():
    listed = list_kinds(3, (2, 1, 2), (2, 2, 1))
    assert [listed[kind] for kind in ((0, 0, 0), (1, 1, 0), (1, 0, 1))] == [0, 3, 4]
    # within 3, the target's own value (the last number) being free
    assert set(listed) == {(a, b, own) for a in range(3) for b in range(3) for own in range(2) if 2 * a + b <= 3}
    assert smaller_kinds((2, 0, 1)) == [(1, 0, 1), (2, 0, 0)]


def test_too_many_kinds_are_refused_in_words():
    with pytest.raises(TooHard) as refusal:
        list_kinds(100, (1, 1, 0), (50, 50, 0))
    assert mentions(refusal.value, "more than 2,000", "fewer", "prices", "lower 'reach'")
    assert len(list_kinds(1999, (1, 0), (1999, 0))) == 2000  # as many as may be
    assert [*list_kinds(1, (1, 0), (2500, 0))] == [(0, 0), (1, 0)]  # those that cost more are not counted


def test_without_a_target_its_value_is_not_asked_about():
    groups = PricedGroups(np.array([10]), (np.array([[4]]),), np.array([3]), (2, 1))
    np.testing.assert_allclose(np.exp(least_logs(groups, 2, target=False)).ravel(), [1, 1, 6 / 10])


def test_all_that_is_known_of_a_group_stands_side_by_side():
    groups = PricedGroups(
        np.array([9, 8]), (np.array([[4, 1], [3, 2]]), np.array([[2], [1]])), np.array([2, 2]), (1, 2, 1)
    )
    assert groups.rows().tolist() == [[9, 4, 1, 2, 2], [8, 3, 2, 1, 2]]
    assert groups.take(slice(1, 2)).rows().tolist() == [[8, 3, 2, 1, 2]]


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
    assert mentions(finding.explain(), "nothing", "group 1", "Cold", "1/2")


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
    ("settings", "named"),
    [
        ({"reach": 0}, ["'cheapest knowledge'", "reach", 0, "probability above 0", "at most 1"]),
        ({"reach": 1.5}, ["'cheapest knowledge'", "reach", "3/2", "probability above 0", "at most 1"]),
        ({"reach": "much"}, ["reach", "not 'much'", "number"]),
        ({"reach": 0.9, "prices": {"Flu": 0}}, ["prices", 0, "finite", "above 0", "at most 1e30"]),
        ({"reach": 0.9, "prices": [1]}, ["prices", "value → number", '{"AIDS": 1, "Flu": 0.1}']),
        ({"reach": 0.9, "otherwise": math.inf}, ["otherwise", "inf", "finite", "above 0", "at most 1e30"]),
        ({"reach": 0.9, "otherwise": 0}, ["otherwise", 0, "finite", "above 0", "at most 1e30"]),
        ({"reach": 0.9, "value": ["Flu", "Cold"]}, ["'cheapest knowledge'", "one value or all", "apart_from"]),
    ],
)
def test_what_makes_no_sense_is_refused(settings, named):
    with pytest.raises(BadMeasure) as refusal:
        sl.CheapestKnowledge(**settings)
    assert mentions(refusal.value, *named)


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
    free = sl.CheapestKnowledge(0.5).measure(WARD).explain()
    assert mentions(free, "nothing", "group 1", "Cold", "1/2", "release")
    assert not mentions(free, "if")
    bought = sl.CheapestKnowledge(0.6, value="Cold").measure(WARD).explain()
    assert mentions(bought, 1, "if", "target", "Flu", "target", "Cold", "group 1", "Cold", "5/6")
    uneven = sl.CheapestKnowledge(0.6, otherwise=Fraction(1_234_567, 1_000_000), value="Cold").measure(WARD)
    assert mentions(uneven.explain(), "1.2345", "if", "Cold")  # no more than it costs
    nobody = sl.Release.from_counts([{"Flu": 1}], domain=["Flu", "AIDS"])
    assert mentions(sl.CheapestKnowledge(0.5, value="AIDS").measure(nobody).explain(), "Nobody", "'AIDS'", "nobody")


def test_what_costs_too_much_to_weigh_says_so():
    """Nothing but all 500 other values makes sure, and 4 · 2⁶ = 256 units are the last budget within 400."""
    release = sl.Release.from_counts([{f"v{n}": 1 for n in range(501)}])
    with pytest.raises(TooHard) as refusal:
        sl.CheapestKnowledge(1, otherwise=0.5).measure(release)
    assert mentions(refusal.value, "more than 256", "1/2", "too much", "lower 'reach'", "prices", "larger")


@pytest.mark.parametrize("price", [299, 400])
def test_all_budgets_up_to_400_units_are_weighed(price):
    """The only one who has c is made sure of by asking about a and b, and by nothing cheaper, in either group."""
    release = sl.Release.from_counts([{"a": 10**6, "b": 10**6, "c": 1}, {"a": 10**6 + 1, "b": 10**6, "c": 1}])
    finding = sl.CheapestKnowledge(1, {"a": 150, "b": price - 150}, value="c").measure(release)
    assert finding.value == finding.replay(release) == price
    assert (finding.witness.group.number, set(finding.witness.premises()[1, 0])) == (1, {"a", "b"})
    with pytest.raises(TooHard, match=r"more than 256 times 1,"):
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
    assert _taking_part(np.stack((others, targets))).tolist() == expected
    assert len(expected) < 20


def test_a_group_that_makes_sure_elsewhere():
    """The target is one of 41 people with as many values; of the second group all but one have the cheap value."""
    release = sl.Release.from_counts(
        [{"t": 1, **{f"v{n}": 1 for n in range(40)}}, {"x": 9, "y": 1}], labels=[{"zip": "1"}, {"zip": "2"}]
    )
    finding = sl.CheapestKnowledge(1, {"y": 7}, value="t").measure(release)
    assert finding.value == finding.replay(release) == 2  # of two people of the second group one has x
    said = finding.explain()
    assert mentions(said, 2, "if", "2 people", "group 2 (zip 2)", "x", "target", "t", "group 1 (zip 1)", "t", 1)


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
    assert [each.premise for each in finding.witness.implications] == [Atom((2, 0), "A"), Atom((1, 0), "P")]
    assert [str(name) for name in finding.witness.elsewhere] == ["group 1 (zip 1)"]
    premises = ["if", "target", "A", "group 1 (zip 1)", "P", "target", "w"]
    assert mentions(finding.explain(), 2, *premises, "group 2 (zip 2)", "w", "80/113")


def test_groups_that_take_no_part_change_nothing_but_the_numbers():
    """The two groups of the test before, after twelve in which everybody has a value of their own."""
    harmless = [{f"z{n}": 1 for n in range(50)}] * 12
    both = [{"P": 9, **{f"q{n}": 1 for n in range(11)}}, {"w": 4, "A": 3, "B": 1, "C": 1, "D": 1}]
    release = sl.Release.from_counts([*harmless, *both])
    reach = 1 / (1 + Fraction(10, 4) * Fraction(3, 10) * Fraction(11, 20))
    finding = sl.CheapestKnowledge(reach, value="w").measure(release)
    assert finding.value == finding.replay(release) == 2
    assert finding.witness.probability == reach
    assert [each.premise for each in finding.witness.implications] == [Atom((14, 0), "A"), Atom((13, 0), "P")]


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
