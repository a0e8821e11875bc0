"""Acquaintance: the five minima against counting every world, and against people spread over the groups."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.worst_cases import divide_in_floats, worst_acquaintance, worst_acquaintance_over_groups

from sidelight.arrays import number_vectors, smallest_of_each
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.table import Counts
from sidelight.testing import releases
from sidelight.worlds.brute_force import has_few_worlds, investigation_probability
from sidelight.worlds.closed_forms import odds

every_semantics = pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
amounts = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))


def of_value(rules_out, others, family, value, domain):
    """Ask about one value; the missing one has no name, but is what is left when all others are left out."""
    if value is None:
        return Acquaintance(rules_out, others, family, apart_from=tuple(each for each in domain if each is not None))
    return Acquaintance(rules_out, others, family, value=value)


@every_semantics
def test_it_agrees_with_every_world(semantics):
    @given(releases(semantics=semantics, max_groups=2, max_people=3, max_values=3), amounts)
    def agree(release, knows):
        rules_out, others, family = knows
        slow = [
            worst_acquaintance(release, value, rules_out=rules_out, others=others, family=family)
            for value in release.domain
        ]
        for value, worst in zip(release.domain, slow, strict=True):
            finding = of_value(*knows, value, release.domain).measure(release)
            assert finding.value == worst
            assert finding.replay(release) == worst
            assert (finding.witness is None) == (worst == 0)
        overall = Acquaintance(*knows).measure(release)
        assert overall.value == max(slow)
        assert overall.replay(release) == overall.value

    agree()


@every_semantics
def test_it_agrees_with_people_spread_over_the_groups(semantics):
    @examples(16)
    @given(
        releases(semantics=semantics, max_groups=5, max_people=12, max_values=5),
        st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(0, 6)),
    )
    def agree(release, knows):
        rules_out, others, family = knows
        most = {"rules_out": rules_out, "others": others, "family": family}
        slow = worst_acquaintance_over_groups(release.groups, **most)
        for value, worst in zip(release.domain, slow, strict=True):
            finding = of_value(*knows, value, release.domain).measure(release)
            assert finding.value == worst
            assert finding.replay(release) == worst
        quick = worst_acquaintance_over_groups(release.groups, **most, divide=divide_in_floats)
        assert quick == pytest.approx(slow.astype(float))

    agree()


@every_semantics
def test_counting_by_closed_forms_agrees_with_every_world(semantics):
    @given(releases(semantics=semantics, max_groups=3, max_people=5), amounts)
    def agree(release, knows):
        witness = Acquaintance(*knows).measure(release).witness
        if witness is None or not has_few_worlds(release, witness.investigation, 3_000):
            return
        has, lacks = odds(release, witness.investigation, Fraction)
        assert has / (has + lacks) == investigation_probability(release, witness.investigation)

    agree()


@every_semantics
def test_the_witness_needs_no_more_than_the_attacker_may_know(semantics):
    @given(releases(semantics=semantics, max_people=8), amounts)
    def within(release, knows):
        witness = Acquaintance(*knows).measure(release).witness
        if witness is None:
            return
        rules_out, others, family = knows
        assert len(witness.rules_out) <= rules_out
        assert witness.value not in witness.rules_out
        in_group = {witness.group.number: 1}
        for part, most in ((witness.others, others), (witness.family, family)):
            if part is not None:
                assert 0 < part.people <= most
                in_group[part.group.number] = in_group.get(part.group.number, 0) + part.people
        assert all(people <= release.group(number).sizes[0] for number, people in in_group.items())
        if witness.others is not None and semantics == "single":
            assert sum(people for _, people in witness.others.values) == witness.others.people
            assert witness.value not in dict(witness.others.values)

    within()


@every_semantics
def test_sparse_and_dense_counts_give_the_same(semantics):
    @examples(20)
    @given(releases(semantics=semantics, max_people=9, max_values=6), amounts)
    def agree(release, knows):
        groups = release.groups
        rows, values, counts = groups.counts.entries()
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(groups)))))
        sparse = Counts(groups.counts.shape, starts=starts, where=values.astype(np.int32), data=counts.copy())
        other = Release(
            Groups(groups.domain, groups.sizes, sparse, groups.columns, semantics, groups.whole, groups.numbers)
        )
        for measure in (Acquaintance(*knows), of_value(*knows, release.domain[-1], release.domain)):
            one, same = measure.measure(release), measure.measure(other)
            assert (one.value, one.witness) == (same.value, same.witness)

    agree()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 5), st.sampled_from([0, 1, 2**20])), max_size=30), st.data()
)
def test_cells_alike_are_kept_once_whatever_their_range(cells, data):
    wide = data.draw(st.sampled_from([1, 2**40]))  # so large that one number per cell does not fit
    columns = [np.array([cell[place] * wide for cell in cells], np.int64) for place in range(3)]
    kept, rows = smallest_of_each(columns, np.arange(len(cells)))
    expected = {}
    for row, cell in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        expected.setdefault(cell, row)
    assert list(zip(*(column.tolist() for column in kept), rows.tolist(), strict=True)) == [
        (*cell, row) for cell, row in sorted(expected.items())
    ]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_numbered_rows_are_equal_where_their_numbers_are(rows):
    numbers = number_vectors(np.array(rows))[0].tolist()
    assert len(set(zip(rows, numbers, strict=True))) == len(set(rows)) == len(set(numbers))


@every_semantics
def test_a_group_alone_is_as_bad_as_its_most_frequent_value(semantics):
    @examples(100)
    @given(releases(semantics=semantics, max_groups=4, max_people=12, max_values=5), amounts)
    def agree(release, knows):
        for measure in (Acquaintance(*knows), of_value(*knows, release.domain[-1], release.domain)):
            screen, groups = measure.screen(), release.groups
            rows = screen.value(screen.rows(groups))
            np.testing.assert_allclose(screen.group_values(groups), rows, rtol=1e-12, atol=1e-15)

    agree()
