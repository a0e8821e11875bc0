"""The fast path of implications against the formulas as they stand: all partitions, all groups, all in fractions."""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.definitions import all_lack, by_partitions, least_with_target, least_without_target
from support.examples import examples

import sidelight as sl
from sidelight.measures.ck_safety.minimize import (
    Choice,
    TopCounts,
    allocate,
    best_assignment,
    choices_near_best,
    deciding_sums,
    least_log_probabilities,
    least_probabilities,
)
from sidelight.testing import releases


@examples(48)
@given(st.data(), st.integers(0, 5))
def test_the_whole_program(data, k):
    release = data.draw(releases(semantics="single", max_groups=6, max_people=25, max_values=9))
    value = data.draw(st.sampled_from([None, *(value for value in release.domain if value is not None)]))
    finding = sl.Implications(k, value).measure(release)
    assert finding.value == by_partitions(release, k, value)
    assert finding.replay(release) == finding.value


@examples(12)
@given(
    st.lists(
        st.sampled_from([(6, 5, 5, 4, 4), (6, 6, 4, 4, 4), (6, 5, 5, 5, 3), (12, 10, 10, 8, 8)]), min_size=4, max_size=9
    )
)
def test_groups_that_nearly_tie(groups):
    release = sl.Release.from_counts([{str(n): count for n, count in enumerate(bag)} for bag in groups])
    for k, value in product(range(4), [None, "3"]):
        assert sl.Implications(k, value).measure(release).value == by_partitions(release, k, value)


counts_of_groups = st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=8), min_size=1, max_size=5)


def some_groups(listed, k, owned):
    by_frequency = [sorted(counts, reverse=True) for counts in listed]
    top = np.array([(counts + [0] * k)[: k + 1] for counts in by_frequency])
    own = np.array([counts[owned % len(counts)] for counts in by_frequency])
    return by_frequency, TopCounts(np.array([sum(counts) for counts in by_frequency]), top, own)


@given(counts_of_groups, st.integers(0, 6), st.integers(0, 7))
def test_one_group_at_a_time(listed, k, owned):
    by_frequency, groups = some_groups(listed, k, owned)
    others, targets = least_log_probabilities(groups)
    exact_others, exact_targets = exact = least_probabilities(groups)
    for row, counts in enumerate(by_frequency):
        own = int(groups.target[row])
        for h in range(k + 1):
            assert exact_others[h, row] == least_without_target(sum(counts), counts, h)
            assert exact_targets[h, row] == least_with_target(sum(counts), counts, own, h)
    np.testing.assert_allclose(np.exp([others, targets]), np.array(exact, float), rtol=1e-12)


@given(counts_of_groups, st.integers(0, 6), st.integers(0, 7), st.booleans())
def test_the_allocation_reaches_the_least_probability(listed, k, owned, target):
    by_frequency, groups = some_groups(listed, k, owned)
    exact = least_probabilities(groups)[target]
    for row, counts in enumerate(by_frequency):
        for h in range(0 if target else 1, k + 1):
            if exact[h, row] > 0:
                allocation = allocate(groups.take(np.array([row])), h, target=target)
                assert sum(allocation.values) <= h + target
                assert (allocation.with_target > 0) == target
                known = [
                    (groups.sums_with_target if person < allocation.with_target else groups.sums)[many - 1, row]
                    for person, many in enumerate(allocation.values)
                ]
                factor = Fraction(sum(counts), int(groups.target[row])) if target else 1
                assert factor * all_lack(sum(counts), map(int, known)) == exact[h, row]


@given(counts_of_groups, st.integers(0, 6), st.integers(0, 7))
def test_certainty_takes_the_atoms_it_is_said_to_take(listed, k, owned):
    _, groups = some_groups(listed, k, owned)
    others, targets = least_probabilities(groups)
    for row in range(len(listed)):
        for h in range(k + 1):
            sure, sure_with = groups.certain(target=False)[row] <= h, groups.certain(target=True)[row] <= h + 1
            assert (others[h, row] == 0) == sure
            assert (targets[h, row] == 0) == (sure_with or sure)


@given(counts_of_groups, st.integers(0, 6), st.integers(0, 7), st.data())
def test_counts_that_do_not_decide_may_be_anything(listed, k, owned, data):
    """Change an Sₘ that is outside the mask (but keep the others): the exact probability stays."""
    _, groups = some_groups(listed, k, owned)
    h = data.draw(st.integers(0, k))
    for target, masks in enumerate(deciding_sums(groups)):
        for row in range(len(listed)):
            free = [m for m in range(1, k + 1) if not int(masks[h, row]) >> m & 1]
            if free:
                m = data.draw(st.sampled_from(free))
                before = groups.take(np.array([row]))
                moved = before.counts[0].tolist()
                moved[m - 1] -= 1  # S_m falls by one, all later ones stay
                moved[m] += 1
                if moved[m - 1] < moved[m] or (m >= 2 and moved[m - 2] < moved[m - 1]):
                    continue
                after = TopCounts(before.sizes, np.array([moved]), before.target)
                assert _probability(after, h, target) == _probability(before, h, target)


def _probability(group, h, target):
    return least_probabilities(group)[target][h, 0]


def test_chances_too_small_for_floats():
    """Both groups' probabilities are below what floats hold, and nearly the same; the second group is the worse one."""
    others = {f"v{n:03}": 1 for n in range(100)}
    release = sl.Release.from_counts([{"Flu": 999_900, **others}, {"Flu": 999_901, **others}])
    finding = sl.Implications(80).measure(release)
    assert finding.witness.group.number == 2
    assert finding.value == finding.replay(release)
    assert 1 - Fraction(1, 10**250) < finding.value < 1


@pytest.mark.parametrize(("n", "k"), [(10**9, 40), (10**9, 34), (10**10, 30), (10**12, 24), (10**6, 60)])
@pytest.mark.parametrize("copies", [1, 2])
def test_products_too_small_for_floats(n, k, copies):
    """A rare target in one group and all atoms in another, whose probability, times n, is what decides."""
    big = {"a": n - k - 2, **{f"x{i}": 1 for i in range(k + 1)}}
    rare = {"s": 1, **{f"y{i}": n // 50 for i in range(50)}}
    for listed in ([rare] + [big] * copies, [big] * copies + [rare]):
        release = sl.Release.from_counts(listed)
        finding = sl.Implications(k, value="s").measure(release)
        assert 1 / finding.value - 1 == _one_rare_value(release, k)
        assert finding.replay(release) == finding.value


def _one_rare_value(release, k):
    """The least product over all ways to share the atoms out, by the program over groups in fractions."""
    best = {(0, False): Fraction(1)}
    place = release.groups.code_of("s")
    for size, counts in zip(release.groups.sizes.tolist(), release.groups.counts.dense().tolist(), strict=True):
        by_frequency = sorted(counts, reverse=True)[: k + 1]
        group = TopCounts(np.array([size]), np.array([by_frequency]), np.array([counts[place]]))
        others, targets = (part[:, 0].tolist() for part in least_probabilities(group))
        targets = targets if counts[place] else []
        before, best = best, {}
        for (spent, placed), so_far in before.items():
            for now, probabilities in ((placed, others), (True, targets if not placed else [])):
                for h, here in enumerate(probabilities[: k + 1 - spent]):
                    state = (spent + h, now)
                    best[state] = min(best.get(state, so_far * here), so_far * here)
    return best[k, True]


@pytest.mark.parametrize("groups", ["different", "alike", "alike in what decides"])
@pytest.mark.parametrize("value", [None, "3"])
def test_many_groups_at_once_or_few_at_a_time(groups, value):
    """Thousands of groups are screened by a sample and by kind; a few at a time are not."""
    rng = np.random.default_rng(5)
    counts = rng.multinomial(60, np.full(12, 1 / 12), size=2500)
    if groups == "alike":
        counts = counts[rng.integers(0, 3, 2500)]
    elif groups == "alike in what decides":
        counts = np.column_stack((np.full(2500, 45), rng.multinomial(30, np.full(11, 1 / 11), size=2500)))
    release = sl.Release.from_counts([{str(n): int(c) for n, c in enumerate(row)} for row in counts])
    for k in (0, 3, 6):
        measure = sl.Implications(k, value)
        parts = [measure.summarize(release.groups.take(slice(start, start + 60))) for start in range(0, 2500, 60)]
        merged = reduce(lambda one, other: one.merge(other), parts)
        finding = measure.measure(release)
        assert merged.finding() == finding
        assert finding.replay(release) == finding.value


@given(st.data(), st.integers(1, 4), st.integers(0, 3))
def test_atoms_over_groups(data, groups, k):
    """The program over groups against trying every way to share the atoms out."""
    probabilities = st.lists(st.sampled_from([Fraction(n, 6) for n in range(1, 7)]), min_size=k, max_size=k)
    table = [
        {False: [Fraction(1), *data.draw(probabilities)], True: [Fraction(9, 2), *data.draw(probabilities)]}
        for _ in range(groups)
    ]
    floats = [np.log([[float(row[target][h]) for row in table] for h in range(k + 1)]) for target in (False, True)]
    weighed = {
        Choice(*choice): table[choice.group][choice.target][choice.atoms]
        for choice in choices_near_best(np.stack(floats))
    }
    best = best_assignment(weighed, k)
    every = [
        prod(
            (row[group == target][h] for group, (row, h) in enumerate(zip(table, shared, strict=True))),
            start=Fraction(1),
        )
        for shared in product(range(k + 1), repeat=groups)
        if sum(shared) == k
        for target in range(groups)
    ]
    assert best[0] == min(every)
    assert best[0] == prod((table[choice.group][choice.target][choice.atoms] for choice in best[1]), start=Fraction(1))
