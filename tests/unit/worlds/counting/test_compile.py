"""How much counting is allowed, and what happens beyond.

Facts compiled: formulas that are one object each, variables, value blocks, unit propagation.
"""

from itertools import combinations, product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard
from sidelight.knowledge.facts import Has, Same, Someone
from sidelight.knowledge.parse import read_facts
from sidelight.rounding import MOST_OF_ANYTHING
from sidelight.worlds.counting.compile import (
    Effort,
    Equal,
    Formulas,
    Meter,
    OverEffort,
    Takes,
    WeightedFact,
    compile_facts,
    components,
)
from sidelight.worlds.identify import identify
from sidelight.worlds.posterior import posterior

CROWD = sl.Release.from_counts([{f"v{value:02d}": 5 for value in range(20)}] * 2)
DIFFER = [~Same(Someone(1, one), Someone(2, other)) for one, other in combinations(range(1, 9), 2)]


def test_seconds_limit_the_effort_too():
    with pytest.raises(TooHard):
        posterior(CROWD, Has(Someone(1), "v00"), given=DIFFER, effort=Effort(seconds=0.05))


def test_a_meter_gives_up_when_all_states_are_spent():
    meter = Meter(Effort(states=10, seconds=None))
    meter.spend(10)
    assert meter.remaining() == Effort(states=1, seconds=None)  # at least a little
    with pytest.raises(OverEffort):
        meter.spend()


def test_an_effort_is_divided():
    assert Effort(states=100, seconds=8).share(8) == Effort(states=12, seconds=1)
    assert Effort(states=3, seconds=None).share(8) == Effort(states=1, seconds=None)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"states": 0}, ["at least one state", "more than no seconds"]),
        ({"seconds": 0}, ["at least one state", "more than no seconds"]),
        ({"seconds": -1.5}, ["at least one state", "more than no seconds"]),
        ({"seconds": 1e300}, ["1e+300 seconds", "never", "seconds=None"]),
        ({"seconds": MOST_OF_ANYTHING + 1}, ["9007199254740993 seconds", "never", "seconds=None"]),
        ({"states": "1"}, ["states", "number", "not '1'"]),
        ({"seconds": "soon"}, ["seconds", "number", "not 'soon'"]),
        ({"seconds": float("nan")}, ["seconds", "number", "not nan"]),
    ],
)
def test_an_effort_that_allows_nothing_is_refused(given, named):
    with pytest.raises(BadMeasure) as refused:
        Effort(**given)
    assert mentions(refused.value, *named)


def test_the_least_effort_is_one_state_and_hardly_any_time_and_the_most_has_no_end():
    assert Effort(seconds=MOST_OF_ANYTHING).seconds == MOST_OF_ANYTHING
    assert Effort(seconds=inf).seconds == inf
    assert Effort(states=1, seconds=1e-9).states == 1
    assert Effort(states=1, seconds=None).seconds is None


def long_ago(**allowed):
    """A meter that runs since ever."""
    return Meter(Effort(**allowed), started=-inf)


def test_a_meter_counts_one_state_unless_told_otherwise():
    meter = Meter(Effort(states=10, seconds=None))
    meter.spend()
    meter.spend(4)
    assert meter.states == 5
    assert meter.remaining() == Effort(states=5, seconds=None)


def test_a_meter_looks_at_the_time_whenever_64_states_more_are_full():
    meter = long_ago(states=1000)
    meter.spend(63)
    with pytest.raises(OverEffort):
        meter.spend()
    meter.spend()
    meter.spend(62)
    assert meter.states == 127
    with pytest.raises(OverEffort):
        meter.spend(200)
    with pytest.raises(OverEffort):
        meter.check_time()


def test_a_meter_is_late_only_beyond_its_seconds():
    assert long_ago(seconds=20).is_late()
    assert not long_ago(seconds=inf).is_late()  # as long as it was allowed, and no longer
    assert not long_ago(seconds=None).is_late()
    assert not Meter(Effort(seconds=20), started=inf).is_late()
    Meter(Effort(seconds=20), started=inf).check_time()


def test_of_the_seconds_at_least_a_millisecond_is_left():
    assert long_ago(states=9, seconds=20).remaining() == Effort(states=9, seconds=1e-3)
    assert long_ago(states=9, seconds=None).remaining() == Effort(states=9, seconds=None)
    assert Meter(Effort(states=9, seconds=20), started=inf).remaining() == Effort(states=9, seconds=inf)


ATOMS = 3


def formulas(make):
    literals = st.builds(lambda number, truth: make.atom(number, truth=truth), st.integers(0, ATOMS - 1), st.booleans())
    several = lambda inner: st.lists(inner, max_size=3)  # noqa: E731
    return st.recursive(
        literals, lambda inner: several(inner).map(make.conjoin) | several(inner).map(make.disjoin), max_leaves=8
    )


def truth_table(make, formula):
    rows = []
    for truths in product([False, True], repeat=ATOMS):
        rest = formula
        for atom, truth in enumerate(truths):
            rest = make.condition(rest, atom, truth=truth)
        rows.append({make.true: True, make.false: False}[rest])
    return rows


@given(st.data())
def test_a_formula_and_its_negation_never_agree(data):
    make = Formulas()
    formula = data.draw(formulas(make))
    assert truth_table(make, make.negate(formula)) == [not truth for truth in truth_table(make, formula)]
    assert make.negate(make.negate(formula)) is formula


def test_the_same_formula_is_the_same_object():
    make = Formulas()
    one, other = make.atom(1), make.atom(2)
    assert make.conjoin([one, other, one]) is make.conjoin([other, make.conjoin([one])])
    assert make.conjoin([one, make.negate(one)]) is make.false
    assert make.disjoin([one, make.negate(one)]) is make.true
    assert (make.true.kind, make.false.kind) == ("true", "false")


def test_joins_of_joins_are_one():
    make = Formulas()
    one, other, third = map(make.atom, range(3))
    for join, opposite in ((make.conjoin, make.disjoin), (make.disjoin, make.conjoin)):
        assert join([one, join([other, third])]) is join([join([one, other]), third]) is join([one, other, third])
        assert opposite([one, join([other, third])]).parts == {one, join([other, third])}
    assert make.conjoin([one, make.conjoin([make.negate(one), other])]) is make.false


def test_deep_formulas_need_no_recursion():
    make = Formulas()
    formula = make.atom(0)
    for number in range(1, 5_000):
        formula = (make.conjoin if number % 2 else make.disjoin)([formula, make.atom(number)])
    assert make.condition(formula, 4_999, truth=False) is make.false
    assert make.negate(make.negate(formula)) is formula


def compiled(release, *facts, **options):
    known = read_facts(facts)
    people = dict.fromkeys(who for fact in known for who in fact.people())
    return compile_facts(release, identify(release, people), known, **options)


NAMED = sl.Release.from_groups([(["Ann", "Bob", "Cleo"], ["Flu", "Cold", "Heart"]), (["Dan", "Eve"], ["Flu", "Cold"])])


def test_people_who_are_known_to_be_the_same_are_one_variable():
    problem = compiled(NAMED, "same(Ann, Dan)", "same(Bob, Dan) or Cleo = Flu")
    assert problem.variable_of["Ann"] == problem.variable_of["Dan"] != problem.variable_of["Bob"]
    assert problem.members[problem.variable_of["Ann"]] == {0: 1, 1: 1}
    assert set(problem.component.values()) == {0}


def test_values_that_no_fact_tells_apart_are_one_block():
    problem = compiled(NAMED, "Ann = Flu -> Bob = Flu")
    assert {problem.block_values[block] for block in problem.blocks[0]} == {
        frozenset(["Flu"]),
        frozenset(["Cold", "Heart"]),
    }
    assert sorted(problem.counts.values()) == [1, 2]
    compared = compiled(NAMED, "Ann = Flu or same(Ann, Dan)")
    assert all(len(compared.block_values[block]) == 1 for block in compared.blocks[0])


def test_units_are_fixed_and_leave_the_other_constraints():
    problem = compiled(NAMED, "Ann = Flu", "Ann = Flu -> Bob = Cold", "Bob = Cold -> same(Cleo, Dan)")
    assert [problem.atoms[part.atom] for part in problem.constraints] == [
        Equal(*sorted((problem.variable_of["Cleo"], problem.variable_of["Dan"])))
    ]
    flu = problem.block_numbers[frozenset(["Flu"])]
    assert problem.fixed[Takes(problem.variable_of["Ann"], flu)]
    assert not problem.contradictory
    assert compiled(NAMED, "Ann = Flu", "Ann != Flu").contradictory


def test_the_target_may_be_false():
    (target,) = read_facts("Ann = Cold")
    problem = compiled(NAMED, "Ann = Flu", target=target)
    assert problem.constraints[problem.target] is problem.formulas.false
    assert not problem.contradictory


def test_components_are_named_by_their_first():
    assert components([3, 1, 2, 4], [[1, 4], [2], [4, 3]]) == {3: 3, 1: 3, 2: 2, 4: 3}


@pytest.mark.parametrize(
    "facts", [["not (Ann = Flu or Dan = Cold)"], ["Eve = Cold", "Eve = Cold -> Ann != Flu and Dan != Cold"]]
)
def test_facts_that_are_joined_are_fixed_one_by_one(facts):
    problem = compiled(NAMED, *facts)
    ann, dan = problem.variable_of["Ann"], problem.variable_of["Dan"]
    flu, cold = problem.block_numbers[frozenset(["Flu"])], problem.block_numbers[frozenset(["Cold"])]
    assert problem.constraints == ()
    assert problem.fixed.items() >= {Takes(ann, flu): False, Takes(dan, cold): False}.items()


def test_who_has_one_value_need_not_lack_the_others():
    problem = compiled(NAMED, "Ann != Cold", "Bob != Cold", "Ann = Flu")
    (ann, flu), (bob, cold) = (
        (problem.variable_of[who], problem.block_numbers[frozenset([value])])
        for who, value in (("Ann", "Flu"), ("Bob", "Cold"))
    )
    assert problem.fixed == {Takes(ann, flu): True, Takes(bob, cold): False}


def test_having_most_values_is_lacking_the_others_where_everybody_has_one():
    facts = "Ann in {Flu, Cold}", "Bob = Flu or Cleo = Flu"
    problem = compiled(NAMED, *facts)
    heart = problem.block_numbers[frozenset(["Heart"])]
    assert problem.fixed == {Takes(problem.variable_of["Ann"], heart): False}
    assert len(problem.constraints) == 1
    sets = sl.Release.from_counts([{"Flu": 1, "Cold": 1, "Heart": 1}], sizes=[3], values="set")
    both = compiled(sets, "#1.1 in {Flu, Cold}")
    assert both.fixed == {}
    assert [part.kind for part in both.constraints] == ["or"]


def test_what_is_decided_beforehand_weighs_every_world_alike():
    flu, cold = read_facts(["Ann = Flu", "Ann = Cold"])
    entities = identify(NAMED, ["Ann"])
    for known, factor in (([], 1), ([flu], 3 * 7), ([cold], 2 * 5)):
        weighted = [WeightedFact(flu, 3, 2), WeightedFact(cold, 5, 7)]
        problem = compile_facts(NAMED, entities, [*known, *weighted])
        assert problem.factor == factor
        assert isinstance(problem.factor, int)
        assert [*problem.weights.values()] == ([] if known else [(3, 2), (5, 7)])
        assert problem.is_weighted
    assert not compile_facts(NAMED, entities, [flu]).is_weighted
