"""A population counted in a release, in the groups of a search, and one by one: the same numbers."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.populations import (
    HIERARCHIES,
    LEVELS,
    as_table,
    by_definition,
    measures_against,
    recoded,
    samples,
    sizes,
)

import sidelight as sl
from sidelight.release.generalise import Lattice
from sidelight.release.population import Population
from sidelight.release.printed_labels import covers

THRESHOLDS = st.sampled_from([Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(0), Fraction(1)])


@examples(25)
@given(samples(), LEVELS, THRESHOLDS)
def test_all_measures_are_what_their_definitions_say(sample, levels, threshold):
    people, population = sample
    release = sl.generalise(as_table(people), by=HIERARCHIES, to=levels)
    expected = by_definition(*sizes(people, population, levels), threshold)
    for name, measure in measures_against(as_table(population), threshold).items():
        finding = measure.measure(release)
        assert finding.value == expected[name], name
        assert finding.replay(release) == finding.value
        assert finding.explain()


@examples(25)
@given(samples(inside=False), LEVELS, THRESHOLDS)
def test_people_whom_the_population_lacks_count_as_in_the_release(sample, levels, threshold):
    people, population = sample
    release = sl.generalise(as_table(people), by=HIERARCHIES, to=levels)
    expected = by_definition(*sizes(people, population, levels), threshold)
    here, there = recoded(people, levels), recoded(population, levels)
    beyond = sum(max(f - there[cells], 0) for cells, f in here.items())
    for name, measure in measures_against(as_table(population), threshold, outside="as in the release").items():
        finding = measure.measure(release)
        assert finding.value == expected[name], name
        assert any("not in the population" in note for note in finding.notes) == (beyond > 0)


@examples(25)
@given(samples(inside=False), LEVELS)
def test_a_search_counts_what_a_reader_of_the_release_counts(sample, levels):
    people, population = sample
    table, register = as_table(people), Population.from_source(as_table(population))
    lattice = Lattice(table, HIERARCHIES, populations=[register])
    groups = lattice.groups_at((levels["age"], levels["city"]))
    carried = groups.population(register)
    located = register.locate(sl.generalise(table, by=HIERARCHIES, to=levels))
    assert carried.people.tolist() == located.people.tolist()
    assert carried.nowhere == located.nowhere
    there = recoded(population, levels)
    cells = [tuple(text for _, text in groups.name(row).printed) for row in range(len(groups))]
    assert located.people.tolist() == [there[each] for each in cells]


@examples(20)
@given(samples(), st.sampled_from(["highest", "average", "share above", "marketer", "presence", "absence"]), st.data())
def test_searches_end_within_the_policy_as_finely_as_levels_allow(sample, name, data):
    people, population = sample
    measure = measures_against(as_table(population), Fraction(1, 3))[name]
    top = by_definition(*sizes(people, population, {"age": 3, "city": 2}), Fraction(1, 3))[name]
    bound = data.draw(st.sampled_from([top, (top + 1) / 2]))
    within = {
        node
        for node in np.ndindex(4, 3)
        if by_definition(*sizes(people, population, {"age": node[0], "city": node[1]}), Fraction(1, 3))[name] <= bound
    }
    minimal = {
        node for node in within if not any(node != finer and np.less_equal(finer, node).all() for finer in within)
    }
    found = sl.protect(as_table(people), measure <= bound, by=HIERARCHIES, ask="nobody")
    assert {(levels["age"], levels["city"]) for levels in found.minimal} == minimal


@examples(15)
@given(samples(), st.sampled_from(["highest", "average", "share above", "marketer", "presence"]), st.data())
def test_cuts_count_no_more_people_of_a_population_than_a_reader_does(sample, name, data):
    people, population = sample
    register = as_table(population)
    measure = measures_against(register, Fraction(1, 3))[name]
    top = by_definition(*sizes(people, population, {"age": 3, "city": 2}), Fraction(1, 3))[name]
    limit = measure <= data.draw(st.sampled_from([top, (top + 1) / 2]))
    try:
        found = sl.protect(as_table(people), limit, by=HIERARCHIES, method="mondrian", ask="nobody")
    except sl.NothingSafe:  # the table's labels alone hold too few people
        return
    groups = found.release.groups
    labels = [{column.name: column.cell(row) for column in groups.columns} for row in range(len(groups))]
    fits = [
        [
            row
            for row, printed in enumerate(labels)
            if all(_covers(name, printed[name], cell) for name, cell in zip(("age", "city"), each, strict=True))
        ]
        for each in population
    ]
    assert all(len(rows) <= 1 for rows in fits)
    counted = [sum(rows == [row] for rows in fits) for row in range(len(groups))]
    assert Population.from_source(register).locate(found.release).people.tolist() == counted
    assert limit.judge(found.release).holds


def _covers(name, printed, cell):
    """Read a printed label one by one: an interval of numbers, a node of the hierarchy, a set of either."""
    parts = printed[1:-1].split(", ") if printed is not None and printed.startswith("{") else [printed]
    above = {HIERARCHIES[name].generalise(cell, level) for level in range(1, 3)} if name == "city" else set()
    return any(covers(part, cell) or part in above or (part == "(missing)" and cell is None) for part in parts)
