"""Soft facts: counting weighted worlds agrees with going through every world, each with its likelihood."""

from collections import Counter
from fractions import Fraction
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import Contradiction
from sidelight.knowledge.facts import Has, OneOf, SoftFact, Someone, all_of, any_of, conjuncts, holds
from sidelight.testing import facts
from sidelight.worlds.brute_force import every_world
from sidelight.worlds.posterior import posterior, posteriors


def worlds_of(release, hard):
    """Every world that fits the hard facts: which values each person has."""
    worlds = ({Someone(group, at + 1): has for (group, at), has in world.items()} for world in every_world(release))
    return [world for world in worlds if all(holds(fact, world) for fact in hard)]


def share(worlds, fact):
    return Fraction(sum(holds(fact, world) for world in worlds), len(worlds))


def likelihoods(worlds, reports):
    """Pr(K | R) of each world R that nothing rules out: of each report the belief in R's cell over the cell's share.

    None if a report believes in what the others, or the hard facts, rule out.
    """
    left = [
        world for world in worlds if all(belief for cells in reports for fact, belief in cells if holds(fact, world))
    ]
    shares = {fact: share(left, fact) for cells in reports for fact, _ in cells} if left else {}
    if not left or any(belief and not shares[fact] for cells in reports for fact, belief in cells):
        return None

    def likelihood(world):
        factors = (belief / shares[fact] for cells in reports for fact, belief in cells if holds(fact, world))
        return prod(factors, start=Fraction(1))

    return [likelihood(world) if world in left else Fraction(0) for world in worlds]


@st.composite
def beliefs(draw, number):
    """So many probabilities that add up to 1; some of them may be 0."""
    weights = draw(st.lists(st.integers(0, 4), min_size=number, max_size=number))
    weights[draw(st.integers(0, number - 1))] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def person_reports(draw, who, values):
    """Divide a person's possible values into cells, believe something of each, and say it cell by cell or nested."""
    number = draw(st.integers(1, len(values)))
    cell_of = [*range(number), *(draw(st.integers(0, number - 1)) for _ in values[number:])]
    cells = [[value for value, at in zip(values, cell_of, strict=True) if at == cell] for cell in range(number)]
    believed = draw(beliefs(number))
    report = [(OneOf(who, cell), belief) for cell, belief in zip(cells, believed, strict=True)]
    if draw(st.booleans()):
        said = [SoftFact(fact, belief) for fact, belief in report[: number - draw(st.integers(0, 1))]]
    else:
        said = [
            SoftFact(OneOf(who, [value for cell in cells[: last + 1] for value in cell]), sum(believed[: last + 1]))
            for last in range(number - 1)
        ]
    turned = [SoftFact(~each.fact, 1 - each.probability) if draw(st.booleans()) else each for each in said]
    return (report if said else []), draw(st.permutations(turned))


@st.composite
def undecided_releases(draw):
    """One or two groups of two or three people; in the first it is not known who has what."""
    semantics = draw(st.sampled_from(["single", "set", "multiset"]))
    people = [draw(st.integers(2, 3)) for _ in range(draw(st.integers(1, 2)))]
    if semantics == "single":
        rest = [draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size)) for size in people]
        rest[0][:2] = "ab"
        counts = [Counter(values) for values in rest]
    else:
        counts = [{"a": 1, "b": draw(st.integers(0, 2))}, {"a": 1, "c": draw(st.integers(0, 1))}][: len(people)]
    return sl.Release.from_counts(counts, sizes=people, values=semantics, domain=("a", "b", "c"))


@st.composite
def hearings(draw):
    """A release, hard facts that fit it, soft ones as cells with beliefs and in words, and a target."""
    release = draw(undecided_releases())
    people = [Someone(row + 1, number + 1) for row, size in enumerate(release.groups.sizes) for number in range(size)]
    some = facts(people, release.domain, max_leaves=3)
    hard = draw(st.lists(some, max_size=1))
    worlds = worlds_of(release, hard)
    hard, worlds = (hard, worlds) if worlds else ([], worlds_of(release, []))
    reports, words = [], []
    if release.semantics == "single":
        for who in draw(st.lists(st.sampled_from(people), unique=True, min_size=1, max_size=3)):
            possible = [value for value in release.domain if any(value in world[who] for world in worlds)]
            report, said = draw(person_reports(who, possible))
            reports += [report] if report else []
            words += said
    pairs = [Has(who, value) for who in people for value in release.domain]
    undecided = [fact for fact in pairs if 0 < share(worlds, fact) < 1] or pairs
    two = st.lists(st.sampled_from(undecided), min_size=2, max_size=2, unique=True)
    joined = st.tuples(st.sampled_from([all_of, any_of]), two) if len(undecided) > 1 else st.nothing()
    for fact in draw(
        st.lists(
            st.one_of(st.sampled_from(undecided), joined.map(lambda each: each[0](tuple(each[1]))), some),
            min_size=1,
            max_size=3,
            unique=True,
        )
    ):
        alone = release.semantics == "single" and len(fact.people()) == 1
        taken = {fact, ~fact, *(conjuncts(fact, "not"))} & {each.fact for each in words}
        if not alone and not taken and 0 < share(worlds, fact) < 1:
            belief = draw(st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]))
            reports.append([(fact, belief), (~fact, 1 - belief)])
            words.append(SoftFact(fact, belief))
    return release, worlds, reports, [*hard, *words], draw(some), people


@given(hearings())
def test_posteriors_weigh_every_world_by_its_likelihood(hearing):
    release, worlds, reports, known, target, people = hearing
    weights = likelihoods(worlds, reports)
    if weights is None:
        with pytest.raises(Contradiction):
            posterior(release, target, given=known)
        return

    def expected(fact):
        return sum(weight for weight, world in zip(weights, worlds, strict=True) if holds(fact, world)) / sum(weights)

    assert posterior(release, target, given=known) == expected(target)
    belief = posteriors(release, given=known, person=people[0])
    assert all(belief[value] == expected(OneOf(people[0], [value])) for value in release.domain)
    for each in posteriors(release, given=known).beliefs:
        assert all(each[value] == expected(OneOf(each.person, [value])) for value in release.domain)


@examples(40)
@given(hearings(), st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(hearing, random):
    release, worlds, reports, known, target, _ = hearing
    if likelihoods(worlds, reports) is not None:
        shuffled = random.sample([*known, *known], 2 * len(known))
        assert posterior(release, target, given=shuffled) == posterior(release, target, given=known)


@examples(60)
@given(hearings())
def test_one_report_comes_out_as_it_is(hearing):
    """Jeffrey's rule: what is said of one person is believed, and everything given each cell is as before."""
    release, worlds, reports, known, target, _ = hearing
    if len(reports) == 1:
        for fact, belief in reports[0]:
            assert posterior(release, fact, given=known) == belief
        rule = sum(
            belief * share([world for world in worlds if holds(fact, world)], target) for fact, belief in reports[0]
        )
        assert posterior(release, target, given=known) == rule
