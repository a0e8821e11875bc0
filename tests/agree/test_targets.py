"""Values left out, and categories of values, against definitions and against trying everything in every world."""

import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import and_, or_

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples
from support.worst_cases import worst_acquaintance, worst_implications_with_one_conclusion

import sidelight as sl
from sidelight.measures.closeness import too_much
from sidelight.testing import releases
from sidelight.worlds.brute_force import every_world

small = releases(semantics="single", max_groups=2, max_people=4, max_values=4)


def named(release):
    """Releases whose values all have names, so that each can be asked about alone."""
    assume(None not in release.domain and len(release.domain) > 1)
    return release


def left_out(data, release):
    """Leave out some of the values, never all."""
    assume(len(release.domain) > 1)
    most = len(release.domain) - 1
    several = st.lists(st.sampled_from(named(release).domain), min_size=1, max_size=most, unique=True)
    return tuple(data.draw(several, "apart from"))


def checked(measure, release):
    finding = measure.measure(release)
    assert finding.replay(release) == finding.value
    assert finding.explain()
    return finding.value


# Values that nobody wants to learn.


@examples(30)
@given(st.data(), small, st.integers(0, 3))
def test_attackers_after_the_other_values(data, release, k):
    apart = left_out(data, release)
    others = [value for value in release.domain if value not in apart]
    for measure in (sl.Implications, sl.Negations):
        worst = max((checked(measure(k, value), release) for value in others), default=0)
        assert checked(measure(k, apart_from=apart), release) == worst
    expected = max((worst_implications_with_one_conclusion(release, k, value) for value in others), default=0)
    assert checked(sl.Implications(k, apart_from=apart), release) == expected


@examples(30)
@given(st.data(), small)
def test_beliefs_about_the_other_values(data, release):
    apart = left_out(data, release)
    others = [value for value in release.domain if value not in apart]
    for settings in ({"stubbornness": 9, "known_people": 1}, {"shape": "release", "stubbornness": math.inf}):
        worst = max((checked(sl.PriorBelief(**settings, predicates=[[each]]), release) for each in others), default=1)
        assert max(checked(sl.PriorBelief(**settings, apart_from=apart), release), 1) == max(worst, 1)
    every = [dict(group.counts) for group in release]
    share = max(
        (Fraction(counts.get(value, 0), sum(counts.values())) for counts in every for value in others), default=0
    )
    assert checked(sl.MaxEnt(apart_from=apart), release) == share


@examples(60)
@given(st.data(), releases())
def test_distributions_of_the_other_values(data, release):
    """As if the people with these values were not there, in groups that have anybody else."""
    apart = left_out(data, release)
    domain = [value for value in release.domain if value not in apart]
    rest = [{value: count for value, count in group.counts.items() if value not in apart} for group in release]
    assume(any(rest))
    alone = sl.Release.from_counts(
        [counts for counts in rest if counts],
        sizes=[size for size, counts in zip(release.groups.sizes.tolist(), rest, strict=True) if counts]
        if release.semantics != "single"
        else None,
        values=release.semantics,
        domain=domain,
    )
    for measure in (
        sl.EntropyDiversity(),
        sl.RecursiveDiversity(l=2),
        sl.Closeness(),
        sl.Closeness(distance="ordered", order=domain),
    ):
        assert checked(replace(measure, apart_from=apart), release) == checked(measure, alone)
    valueless = any(not group.counts for group in release)
    assert checked(sl.DistinctValues(apart_from=apart), release) == (
        0 if valueless else checked(sl.DistinctValues(), alone)
    )


@examples(60)
@given(st.data(), releases())
def test_factors_of_the_other_values(data, release):
    apart = left_out(data, release)
    whole = release.groups.whole.tolist()
    groups = [counts for counts in release.groups.counts.dense().tolist() if sum(counts)]
    pairs = [
        (Fraction(counts[code], sum(counts)), Fraction(whole[code], sum(whole)))
        for counts in groups
        for code, value in enumerate(release.domain)
        if value not in apart and whole[code]
    ]
    gains = max([Fraction(0), *((q - p) / p for q, p in pairs)])
    assert checked(sl.BetaLikeness(apart_from=apart), release) == gains
    enhanced = math.inf if any(too_much(q, p) for q, p in pairs) else gains
    assert checked(sl.BetaLikeness("enhanced", apart_from=apart), release) == enhanced
    changes = [math.inf if q == 0 else abs(math.log(q / p)) for q, p in pairs]
    assert checked(sl.DeltaDisclosure(apart_from=apart), release) == pytest.approx(max(changes, default=0))
    present = [each for each in changes if each < math.inf]
    skipped = sl.DeltaDisclosure("skipped", apart_from=apart)
    assert checked(skipped, release) == pytest.approx(max(present, default=0))


# Categories.


def category_of(data, release):
    domain = named(release).domain
    return tuple(data.draw(st.lists(st.sampled_from(domain), min_size=2, max_size=3, unique=True), "category"))


def worst_implications_of_category(release, k, category, *, of_the_category):
    """Try all sets of k atoms (person has value, or any of the category), with "the target has any" as conclusion."""
    worlds = list(every_world(release))
    people = sorted(worlds[0])
    sets = [{value} for value in release.domain] + [set(category)] * of_the_category
    atoms = {frozenset(n for n, world in enumerate(worlds) if world[p] & each) for p in people for each in sets}
    risks = [Fraction(0)]
    for person in people:
        has = frozenset(n for n, world in enumerate(worlds) if world[person] & set(category))
        for known in combinations(atoms, min(k, len(atoms))):
            neither = len(worlds) - len(has.union(*known))
            risks.append(Fraction(len(has), len(has) + neither) if has else Fraction(0))
    return max(risks)


tiny = releases(semantics="single", max_groups=2, max_people=3, max_values=4)


@examples(24)
@given(st.data(), tiny, st.integers(0, 2))
def test_implications_of_a_category(data, release, k):
    category = category_of(data, release)
    risk = checked(sl.Implications(k, category), release)
    assert risk == worst_implications_of_category(release, k, category, of_the_category=True)
    assert risk >= worst_implications_of_category(release, k, category, of_the_category=False)
    alone = max(checked(sl.Implications(0, value), release) for value in category)
    assert checked(sl.Implications(0, category), release) >= alone


@examples(16)
@given(
    st.data(),
    releases(semantics="single", max_groups=1, max_people=2, max_values=3)
    | releases(semantics="single", max_groups=2, max_people=1, max_values=3),
    st.integers(0, 2),
)
def test_no_other_implications_about_a_category_are_worse(data, release, k):
    """The theorem itself: if all of these atoms, then one of those, where atoms are of values and of the category."""
    category = category_of(data, release)
    worlds = list(every_world(release))
    everything = (1 << len(worlds)) - 1

    def where(holds):
        return sum(1 << number for number, world in enumerate(worlds) if holds(world))

    people, sets = sorted(worlds[0]), [{value} for value in release.domain] + [set(category)]
    atoms = sorted({where(lambda world, p=p, s=s: world[p] & s) for p in people for s in sets})
    subsets = [some for size in range(1, len(atoms) + 1) for some in combinations(atoms, size)]
    premises = {reduce(and_, some) for some in subsets}
    conclusions = {reduce(or_, some) for some in subsets}
    basic = {everything & ~premise | conclusion for premise in premises for conclusion in conclusions}
    known = {everything}
    for _ in range(k):
        known |= {one & other for one in known for other in basic}
    targets = [where(lambda world, p=p: world[p] & set(category)) for p in people]
    risks = (Fraction((t & each).bit_count(), each.bit_count()) for t in targets for each in known if each)
    assert checked(sl.Implications(k, category), release) == max(risks)


@examples(24)
@given(st.data(), tiny, st.integers(0, 2))
def test_witnesses_of_a_category_replay_as_facts(data, release, k):
    category = category_of(data, release)
    for measure in (sl.Implications(k, category), sl.Negations(k, category), sl.Acquaintance(k, 1, 1, category)):
        finding = measure.measure(release)
        if finding.witness is not None:
            target, known = finding.witness.as_facts()
            assert sl.posterior(release, target, given=known) == finding.value == finding.replay(release)


def worst_acquaintance_with_category(release, category, rules_out, others, family):
    """Try everything; in sets somebody also knows how many people of each group have any of the category."""
    worlds, category = list(every_world(release)), frozenset(category)
    people = sorted(worlds[0])
    besides = [value for value in release.domain if value not in category]
    ruled = [each for size in range(rules_out + 1) for each in combinations(besides, size)]
    surest = Fraction(0)
    for target in people:
        rest = [person for person in people if person != target]
        for known in (each for size in range(others + 1) for each in combinations(rest, size)):
            left = [person for person in rest if person not in known]
            for relatives in (each for size in range(family + 1) for each in combinations(left, size)):
                for values in ruled:
                    answers = defaultdict(list)
                    for world in worlds:
                        has = bool(world[target] & category)
                        about = learned(release, world, known, category)
                        implied = has or not any(world[person] & category for person in relatives)
                        fits = not world[target] & set(values) or (has and release.semantics != "single")
                        if about is not None and implied and fits:
                            answers[about].append(has)
                    shares = (Fraction(sum(each), len(each)) for each in answers.values())
                    surest = max(surest, *shares, Fraction(0))
    return surest


def learned(release, world, known, category):
    if release.semantics == "single":
        return tuple(tuple(world[person]) for person in known)
    if any(world[person] & category for person in known):
        return None
    if release.semantics == "multiset":
        return ()
    any_of_it = [number for (number, _), values in world.items() if values & category]
    return tuple(any_of_it.count(number + 1) for number in range(len(release)))


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_acquaintance_with_a_category(semantics):
    @examples(16)
    @given(
        st.data(),
        releases(semantics=semantics, max_groups=2, max_people=3, max_values=3),
        st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)),
    )
    def hunt(data, release, knows):
        assume(math.prod(len(list(every_world(replace_groups(release, row)))) for row in range(len(release))) < 2_000)
        category = category_of(data, release)
        expected = worst_acquaintance_with_category(release, category, *knows)
        assert checked(sl.Acquaintance(*knows, category), release) == expected

    hunt()


def replace_groups(release, row):
    return replace(release, groups=replace(release.group(row + 1), numbers=release.groups.numbers[:1]))


@examples(16)
@given(st.data(), releases(semantics="set", max_groups=1, max_people=3, max_values=3))
def test_in_sets_a_category_is_never_less_than_by_equally_likely_worlds(data, release):
    category = category_of(data, release)
    worlds = list(every_world(release))
    share = Fraction(sum(bool(world[1, 0] & set(category)) for world in worlds), len(worlds))
    assert checked(sl.Acquaintance(value=category), release) >= share


@examples(24)
@given(st.data(), releases(semantics="single", max_groups=2, max_people=4, max_values=4))
def test_the_knowledge_skyline_of_a_category(data, release):
    category = category_of(data, release)
    for point in sl.knowledge_skyline(release, category, below=0.8):
        knows = [int(min(amount, 9)) for amount in point]
        assert sl.Acquaintance(*knows, category).measure(release).value < Fraction(4, 5)


def test_a_category_of_one_value_is_that_value():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}])
    assert sl.Acquaintance(value=["Flu"]) == sl.Acquaintance(value="Flu")
    assert sl.Acquaintance(value=["Flu"]).measure(release).value == worst_acquaintance(
        release, "Flu", rules_out=0, others=0, family=0
    )
