"""What bounds somebody who knows k equalities ("same as"), or k implications from sets of values?

No program finds these worst cases (docs/decisions/0007-richer-units.md); here is what is claimed of them instead, against
trying everything on small tables, and the counterexamples to simpler forms.
"""

from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.worst_cases import NumberedWorlds

import sidelight as sl
from sidelight.testing import merges, releases

SMALL = {"semantics": "single", "max_groups": 2, "max_people": 3, "max_values": 4}


def conjunctions(facts, k, everything):
    known = {everything}
    for _ in range(k):
        known |= {one & other for one in known for other in facts}
    return known - {0}


def surest(targets, known):
    return max(Fraction((target & each).bit_count(), each.bit_count()) for target in targets for each in known)


def worst_equalities(release, k, value=None):
    """Try all sets of k facts "p has the same value as q"."""
    worlds = NumberedWorlds(release)
    people = sorted({person for person, _ in worlds.atoms})
    same = {
        reduce(or_, (worlds.atoms[p, each] & worlds.atoms[q, each] for each in release.domain))
        for p, q in combinations(people, 2)
    }
    return surest(worlds.targets(value), conjunctions(same, k, worlds.all))


def worst_with_one_class(release, k):
    """Try all sets of k equalities that say that the target and k others have the same value."""
    worlds = NumberedWorlds(release)
    people = sorted({person for person, _ in worlds.atoms})
    worst = Fraction(0)
    for others in combinations(people, min(k, len(people) - 1) + 1):
        alike = reduce(
            or_, (reduce(lambda one, p: one & worlds.atoms[p, v], others, worlds.all) for v in release.domain)
        )
        if alike:
            worst = max(worst, surest([worlds.atoms[others[0], v] for v in release.domain], {alike}))
    return worst


def worst_implications_from_sets(release, k, width, value=None):
    """Try all sets of k implications "if p has one of at most `width` values, the target has s"."""
    worlds = NumberedWorlds(release)
    people = {person for person, _ in worlds.atoms}
    premises = {
        reduce(or_, (worlds.atoms[person, each] for each in some))
        for person in people
        for size in range(1, width + 1)
        for some in combinations(release.domain, min(size, len(release.domain)))
    }
    return max(
        surest([target], conjunctions({worlds.all & ~each | target for each in premises}, k, worlds.all))
        for target in worlds.targets(value)
    )


def different_values(release):
    return max(len([n for n in release.groups.value_counts(row).values() if n]) for row in range(len(release)))


@examples(40)
@given(releases(**SMALL), st.integers(0, 2))
def test_implications_cover_equalities(release, k):
    """p = q is said by "if p has v, so has q" for each value v of p's group, so k of them by k·d implications."""
    covering = sl.Implications(k * different_values(release)).measure(release).value
    assert worst_equalities(release, k) <= covering


@examples(40)
@given(merges(semantics="single", max_groups=2, max_people=3, max_values=3), st.integers(0, 2))
def test_merging_groups_never_helps_who_knows_equalities(pair, k):
    """What is known does not depend on who is who, so a merged group is a mean over deals of its people."""
    finer, coarser = pair
    assert worst_equalities(coarser, k) <= worst_equalities(finer, k)


def test_the_worst_equalities_are_not_about_the_target():
    """Two pairs of others leave the one person with the value that occurs once."""
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 2}])
    assert worst_equalities(release, 2) == 1
    assert worst_with_one_class(release, 2) < worst_with_one_class(release, 1) == Fraction(1, 2)


def test_as_many_implications_do_not_cover_equalities():
    """People of two groups that share one value have it for certain if they have the same."""
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 1}, {"a": 1, "d": 1, "e": 1}])
    assert worst_equalities(release, 1) == 1
    assert sl.Implications(1).measure(release).value == Fraction(1, 2)


@examples(40)
@given(st.data(), releases(**SMALL), st.integers(0, 2), st.integers(1, 3))
def test_implications_cover_implications_from_sets(data, release, k, width):
    """One of w values → the target's is w implications; and any k are among those from sets."""
    value = data.draw(st.sampled_from([None, *(each for each in release.domain if each is not None)]), "value")
    worst = worst_implications_from_sets(release, k, width, value)
    assert sl.Implications(k, value).measure(release).value <= worst
    assert worst <= sl.Implications(k * width, value).measure(release).value


@examples(40)
@given(st.data(), releases(**SMALL), st.integers(0, 2), st.integers(1, 2))
def test_negations_of_sets_are_as_many_negations(data, release, k, width):
    value = data.draw(st.sampled_from([None, *(each for each in release.domain if each is not None)]), "value")
    worlds = NumberedWorlds(release)
    lacking = {
        worlds.all & ~reduce(or_, (worlds.atoms[person, each] for each in some))
        for person in {person for person, _ in worlds.atoms}
        for some in combinations(release.domain, min(width, len(release.domain)))
    } | {worlds.all & ~atom for atom in worlds.atoms.values()}
    worst = surest(worlds.targets(value), conjunctions(lacking, k, worlds.all))
    assert worst == sl.Negations(k * width, value).measure(release).value


@pytest.mark.parametrize(("counts", "bounds"), [({"a": 1, "b": 1, "c": 1, "d": 2}, ("4/7", "2/3", "4/5"))])
def test_both_bounds_on_sets_may_be_strict(counts, bounds):
    release = sl.Release.from_counts([counts])
    few, many = sl.Implications(1).measure(release).value, sl.Implications(2).measure(release).value
    assert (few, worst_implications_from_sets(release, 1, 2), many) == tuple(map(Fraction, bounds))
