"""People who differ, by Möbius inversion on partitions.

Probabilities of facts: independence, differences, what is remembered.
"""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.knowledge.facts import Has, Same, Someone, any_of
from sidelight.knowledge.parse import read_fact, read_facts
from sidelight.worlds.brute_force import probability
from sidelight.worlds.counting import counter as module
from sidelight.worlds.counting.compile import Effort, Meter, OverEffort, compile_facts
from sidelight.worlds.counting.counter import (
    WorldCounter,
    is_wide_disjunction,
    partitions_of,
    people_only_differ,
    probability_of_differing,
)
from sidelight.worlds.identify import identify


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_coefficients_are_those_of_the_chromatic_polynomial(size, colours, data):
    """Σ_σ Π a(C) · colours^|σ| is the number of proper colourings."""
    edges = data.draw(
        st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(lambda e: e[0] < e[1]))
    )
    neighbours = [0] * size
    for one, other in edges:
        neighbours[one] |= 1 << other
        neighbours[other] |= 1 << one
    coefficients, unions, starts = partitions_of(tuple(neighbours))
    ends = [*starts.tolist()[1:], len(unions)]
    classes = [(end - start).bit_length() - 1 for start, end in zip(starts.tolist(), ends, strict=True)]
    polynomial = sum(a * colours**number for a, number in zip(coefficients.tolist(), classes, strict=True))
    colourings = sum(
        all(colour[one] != colour[other] for one, other in edges)
        for colour in ([number // colours**place % colours for place in range(size)] for number in range(colours**size))
    )
    assert polynomial == colourings


@pytest.mark.parametrize(("pairs", "wide"), [(4, False), (5, True)])
def test_only_many_pairs_are_worth_the_difference(pairs, wide):
    fact = read_fact(" or ".join(f"same(a, b{number})" for number in range(pairs)))
    assert is_wide_disjunction(fact) == wide
    assert len(fact.parts()) == pairs


def compiled(semantics, *texts):
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 2}], sizes=[3, 3], values=semantics)
    facts = read_facts(texts)
    people = dict.fromkeys(who for fact in facts for who in fact.people())
    return release, compile_facts(release, identify(release, people), facts)


CHAIN = "not same(#1.1, #1.2)", "not same(#2.1, #2.2)", "not same(#1.2, #2.2)"  # not in the order of the chain


def chain_differs(world):
    return world[1, 0] != world[1, 1] != world[2, 1] != world[2, 0]


@pytest.mark.parametrize("semantics", ["set", "multiset"])
@pytest.mark.parametrize(
    ("more", "holds"),
    [
        ((), lambda _world: True),
        (("#1.1 = a",), lambda world: "a" in world[1, 0]),
        (("#1.3 != a", "#2.2 = b"), lambda world: "a" not in world[1, 2] and "b" in world[2, 1]),
        (("same(#1.3, #2.3)",), lambda world: world[1, 2] == world[2, 2]),
    ],
)
def test_people_differ_in_as_many_worlds_as_going_through_all_shows(semantics, more, holds):
    release, problem = compiled(semantics, *CHAIN, *more)
    assert people_only_differ(problem)
    assert probability_of_differing(problem, Meter(Effort())) == probability(
        release, lambda world: chain_differs(world) and holds(world)
    )


def test_ways_are_added_up_whatever_their_length():
    """Each of the numbers of ways has 62 bits, and their sum 64."""
    release = sl.Release.from_counts([{"a": 33}], sizes=[67], values="set")
    facts = read_facts(["not same(#1.1, #1.2)"])
    problem = compile_facts(release, identify(release, facts[0].people()), facts)
    same = comb(65, 33) + comb(65, 31)
    assert probability_of_differing(problem, Meter(Effort())) == 1 - Fraction(same, comb(67, 33))


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_others_in_a_group_where_nobody_is_compared_count_too(semantics):
    """That #2.1 has b is known as soon as #1.3 does not have a; who else does is not, and a goes round as it likes."""
    release, problem = compiled(semantics, "not same(#1.1, #1.2)", "#1.3 != a", "#1.3 = a or #2.1 = b")
    assert people_only_differ(problem)
    assert probability_of_differing(problem, Meter(Effort())) == probability(
        release, lambda world: world[1, 0] != world[1, 1] and "a" not in world[1, 2] and "b" in world[2, 0]
    )


def test_of_whom_only_values_are_known_there_are_no_partitions():
    """Twenty people have a, so that two more of it are among five; #1.1 and #1.2 are among these, and differ."""
    release = sl.Release.from_counts([{"a": 22, "b": 5}], sizes=[25], values="set")
    facts = read_facts(["not same(#1.1, #1.2)", *(f"#1.{number} = a" for number in range(3, 23))])
    people = dict.fromkeys(who for fact in facts for who in fact.people())
    problem = compile_facts(release, identify(release, people), facts)
    assert people_only_differ(problem)
    fitting = comb(5, 2) * comb(25, 5) - (comb(3, 2) + comb(3, 0)) * (comb(23, 5) + comb(23, 3))
    assert probability_of_differing(problem, Meter(Effort())) == Fraction(fitting, comb(25, 22) * comb(25, 5))


def test_eight_partitions_are_one_state_of_the_effort():
    """Five people, all of whom differ, have 52 partitions; at each of three values they are gone through."""
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 3}], sizes=[5], values="set")
    facts = read_facts([f"not same(#1.{one}, #1.{other})" for one, other in combinations(range(1, 6), 2)])
    people = dict.fromkeys(who for fact in facts for who in fact.people())
    meter = Meter(Effort())
    probability_of_differing(compile_facts(release, identify(release, people), facts), meter)
    assert meter.states == 3 * (52 // 8)


@pytest.mark.parametrize(
    ("semantics", "texts"),
    [
        ("single", CHAIN),  # where everybody has one value, the frontier is as good
        ("set", ["#1.1 = a"]),
        ("set", [*CHAIN, "#1.1 = a or #1.2 = a"]),
        ("set", ["same(#1.1, #1.2) or same(#1.1, #2.1)"]),
    ],
)
def test_other_facts_are_left_to_the_frontier(semantics, texts):
    assert not people_only_differ(compiled(semantics, *texts)[1])


def test_too_many_partitions_are_left_to_the_frontier(monkeypatch):
    triangle, four_alone = (0b110, 0b101, 0b011), (0, 0, 0, 0)
    needed = {triangle: 22, four_alone: 16}  # unions; of four who are alone, one partition has all of them
    for neighbours, unions in needed.items():
        for most, found in ((unions, True), (unions - 1, False)):
            monkeypatch.setattr(module, "MOST_UNIONS", most)
            assert (partitions_of.__wrapped__(neighbours) is not None) == found


RELEASE = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1}])
PEOPLE = [Someone(1), Someone(1, 2), Someone(2)]


def counter(states=10_000):
    return WorldCounter(RELEASE, identify(RELEASE, PEOPLE), Meter(Effort(states, None)))


def test_facts_about_different_groups_are_independent():
    one, other = Has(PEOPLE[0], "a"), Has(PEOPLE[2], "a")
    assert counter().probability([one, other]) == Fraction(1, 2) * Fraction(1, 2)
    assert counter().joint([other], one) == (Fraction(1, 2), Fraction(1, 4))


def test_marginals_sum_to_the_probability_of_the_facts():
    facts = [Has(PEOPLE[0], "a") | Same(PEOPLE[1], PEOPLE[2])]
    exact = counter()
    for who in PEOPLE:
        assert sum(exact.marginals(facts, who).values()) == exact.probability(facts)


def test_what_was_counted_costs_nothing_again():
    exact, facts = counter(), [Has(PEOPLE[0], "a") | Has(PEOPLE[1], "b")]
    answer = exact.probability(facts)
    poor = exact.with_effort(Meter(Effort(1, None)))
    assert poor.probability(facts) == answer
    with pytest.raises(OverEffort):
        poor.probability([Has(PEOPLE[0], "b") | Has(PEOPLE[1], "a")])


def test_facts_that_share_no_group_are_remembered_one_by_one():
    exact, one, other = counter(), Has(PEOPLE[0], "a") | Has(PEOPLE[1], "b"), Has(PEOPLE[2], "a")
    answer = exact.probability([one, other])
    poor = exact.with_effort(Meter(Effort(1, None)))
    assert poor.probability([one]) * poor.probability([other]) == answer


def test_too_many_differences_are_refused_beforehand(monkeypatch):
    wide = any_of([Same(PEOPLE[0], PEOPLE[2]) for _ in range(5)])
    same, target = Same(PEOPLE[0], PEOPLE[2]), Has(PEOPLE[0], "a")
    assert counter().probability([wide]) == counter().probability([same])
    assert counter().joint([wide], target) == counter().joint([same], target)
    monkeypatch.setattr(module, "MOST_DIFFERENCES", 1)
    assert counter().probability([wide]) == counter().probability([same])
    monkeypatch.setattr(module, "MOST_DIFFERENCES", 0)
    with pytest.raises(OverEffort):
        counter().probability([wide])


def test_that_one_of_many_pairs_is_the_same_takes_little_effort():
    """The partitions of four people for each of three values, by an eighth, and not what is left of six pairs."""
    release = sl.Release.from_counts([dict.fromkeys("abc", 2)], sizes=[4], values="set")
    people = [Someone(1, number) for number in range(1, 5)]
    pairs = any_of([Same(*pair) for pair in combinations(people, 2)])
    exact = WorldCounter(release, identify(release, people), Meter(Effort(10, None)))
    assert exact.probability([pairs]) == probability(release, lambda world: len({*world.values()}) < 4)


def test_no_facts_are_always_so():
    assert counter().probability([]) == 1
    assert isinstance(counter().probability([]), Fraction)


def test_what_was_counted_of_people_is_remembered_by_all_who_count():
    exact, facts = counter(), [[Has(PEOPLE[0], value) | Has(PEOPLE[1], value)] for value in "ab"]
    poor = exact.with_effort(Meter(Effort(1, None)))
    marginals = [exact.marginals(each, PEOPLE[0]) for each in facts]
    assert [poor.marginals(each, PEOPLE[0]) for each in facts] == marginals


def test_of_people_who_are_compared_all_are_counted_together():
    exact, facts = counter(), [Has(PEOPLE[0], "a") | Same(PEOPLE[1], PEOPLE[2])]
    exact.marginals(facts, PEOPLE[1])
    poor = exact.with_effort(Meter(Effort(1, None)))
    assert poor.marginals(facts, PEOPLE[2]) == counter().marginals(facts, PEOPLE[2])
    with pytest.raises(OverEffort):
        poor.marginals(facts, PEOPLE[0])


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("who", PEOPLE)
def test_marginals_are_those_of_every_world_where_people_differ(semantics, who):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1}], sizes=[4, 2], values=semantics)
    exact = WorldCounter(release, identify(release, PEOPLE), Meter(Effort()))
    differ = [~Same(PEOPLE[0], PEOPLE[1]), ~Same(PEOPLE[1], PEOPLE[2])]

    def fits(world):
        return world[1, 0] != world[1, 1] != world[2, 0]

    assert exact.probability(differ) == probability(release, fits)
    assert exact.marginals(differ, who) == {
        value: probability(
            release, lambda world, value=value: fits(world) and value in world[who.group, who.number - 1]
        )
        for value in ("abc" if who.group == 1 else "ab")
    }


@pytest.mark.parametrize("known", [1, 2])
def test_who_is_only_known_to_lack_a_value_leaves_it_to_the_others(known):
    """Of four people two have a; with one or two more who lack it, #1.3 has it with 2/3 or 1."""
    lacking, who = [~Has(Someone(1, number), "a") for number in range(1, known + 1)], Someone(1, 3)
    exact = WorldCounter(RELEASE, identify(RELEASE, [Someone(1), Someone(1, 2), who]), Meter(Effort()))
    possible = exact.probability(lacking)
    assert possible == (Fraction(1, 2) if known == 1 else Fraction(1, 6))
    rest = (1 - Fraction(2, 4 - known)) / 2
    assert exact.marginals(lacking, who) == {
        "a": possible * Fraction(2, 4 - known),
        "b": possible * rest,
        "c": possible * rest,
    }
