"""The least probabilities of one group: both arithmetics, edges, and the allocation that reaches them.

Where atoms and the target go over all groups: certainty first, then the exact best of what is near the best.

Which groups can take part: few, whatever is tied, and never one too few.
"""

import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.measures.ck_safety import minimize
from sidelight.measures.ck_safety.minimize import (
    LOG_OF_ZERO,
    MOST,
    Allocation,
    Choice,
    ImplicationsScreen,
    TopCounts,
    _kinds,
    _possible,
    allocate,
    best_assignment,
    choices_near_best,
    deciding_sums,
    least_log_probabilities,
    least_probabilities,
    near_the_cut,
    shortlist,
    smallest_kinds,
    weigh_choices,
    worst_case,
)
from sidelight.measures.exact import join_all, join_backwards, join_forwards, tolerance
from sidelight.measures.targets import Targets

HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ]
)


PAPER = TopCounts(np.array([5, 5]), np.array([[2, 2], [2, 1]]), np.array([2, 2]))


def test_the_numbers_of_the_paper():
    others, targets = least_probabilities(PAPER)
    assert others.tolist() == [[1, 1], [Fraction(3, 5), Fraction(3, 5)]]
    assert targets.tolist() == [[Fraction(3, 2), Fraction(3, 2)], [Fraction(1, 2), Fraction(3, 4)]]


def test_a_group_without_the_value_cannot_hold_the_target():
    groups = TopCounts(np.array([5]), np.array([[3, 2]]), np.array([0]))
    assert np.isinf(least_log_probabilities(groups)[1]).all()
    assert least_probabilities(groups)[1].ravel().tolist() == [np.inf, np.inf]


def test_groups_of_any_kind_have_probabilities():
    """Also those of one person, without the value, or in which one of the atoms must hold; never nan."""
    groups = TopCounts(np.array([1, 2, 3]), np.array([[1, 0, 0], [1, 1, 0], [3, 0, 0]]), np.array([1, 0, 0]))
    others, targets = least_log_probabilities(groups)
    assert (others[1:, 0] <= LOG_OF_ZERO).all()
    assert (targets[:, 0] <= LOG_OF_ZERO).all()
    assert np.isinf(targets[:, 1:]).all()
    assert not np.isnan(others).any()


def test_atoms_go_where_they_do_most():
    """One value is nearly everybody's: ask more people about it; many are equally rare: ask the target about more."""
    frequent = TopCounts(np.array([100]), np.array([[60, 2, 2, 2]]), np.array([60]))
    rare = TopCounts(np.array([100]), np.array([[10, 10, 10, 10]]), np.array([10]))
    assert allocate(frequent, 3, target=True) == Allocation((1, 1, 1, 1), with_target=4)
    assert allocate(rare, 3, target=True) == Allocation((4,), with_target=1)
    assert allocate(rare, 2, target=False) == Allocation((2,))


def test_very_many_atoms():
    """Of 2,000 people with as many values, one avoids h values, or h people avoid one, with probability 1 − h/2,000."""
    groups = TopCounts(np.array([2000]), np.ones((1, 720), np.int64), np.array([1]))
    others, targets = least_log_probabilities(groups)
    np.testing.assert_allclose(np.exp(others[:, 0]), 1 - np.arange(720) / 2000)
    np.testing.assert_allclose(np.exp(targets[:, 0]), 2000 - np.arange(1, 721))


def test_the_larger_logarithms_are_the_farther_apart_they_may_be():
    assert tolerance(np.array([0.0, 0.5, -1.0, -4.0, 8.0])).tolist() == [1e-9, 1e-9, 1e-9, 4e-9, 8e-9]


def test_more_implications_than_there_are_values():
    finding = sl.Implications(10**6).measure(HOSPITAL)
    assert finding.value == 1
    assert len(finding.witness.premises()) == 1


def test_more_implications_than_can_be_weighed():
    rare = sl.Release.from_counts([{f"value {number}": 1 for number in range(2000)}])
    with pytest.raises(TooHard, match=r"1,000 implications .*too many.*at most 400"):
        sl.Implications(1000, value="value 0").measure(rare)
    assert sl.Implications(1999, value="value 0").measure(rare).value == 1
    sure, unsure, nobody = {"a": 1, "b": 900}, {f"v{at}": 1 for at in range(950)} | {"a": 1}, {"c": 3000}
    for groups in ([sure, unsure, nobody], [unsure, sure], [nobody, unsure, {"d": 500}]):
        release = sl.Release.from_counts(groups)
        parts = [
            sl.Implications(900, value="a").summarize(release.groups.take(slice(at, at + 1)))
            for at in range(len(groups))
        ]
        assert reduce(lambda one, other: one.merge(other), parts).finding().value == 1
    nowhere = sl.Release.from_counts([{"c": 3000, "d": 3000}], domain=["a", "c", "d"])
    assert sl.Implications(900, value="a").measure(nowhere).value == 0


def test_the_last_number_of_implications_that_is_weighed(monkeypatch):
    monkeypatch.setattr(minimize, "MOST", 1)
    groups = TopCounts(np.array([20]), np.array([[2, 1, 1]]), np.array([2]))
    risk = 1 / (1 + Fraction(20, 2) * Fraction(18, 20) * Fraction(17, 19))  # one of two people, the target among them
    assert worst_case(groups.for_atoms(2), k=1) == (risk, [(0, Allocation((1, 1), 2))])
    with pytest.raises(TooHard) as refusal:
        worst_case(groups, k=2)
    assert mentions(refusal.value, "2 implications", "too many", "not", "sure", "at most 1")


def test_certainty_comes_before_weighing():
    groups = TopCounts(np.array([10, 3]), np.array([[4, 3], [3, 0]]), np.array([4, 3]))
    assert worst_case(groups, k=1) == (1, [(1, Allocation((1,), 1))])


def test_of_equal_groups_the_first_is_taken():
    twins = TopCounts(np.array([5, 5, 5]), np.array([[2, 2]] * 3), np.array([2] * 3))
    choices = choices_near_best(least_log_probabilities(twins))
    assert {choice.group for choice in choices} == {0, 1, 2}
    best = best_assignment(weigh_choices(twins, choices), k=1)
    assert best[0] == Fraction(1, 2)
    assert best[1] == (Choice(0, 1, True),)


def test_rows_join_in_any_order_to_the_risk():
    screen = ImplicationsScreen(2, Targets())
    release = sl.Release.from_counts(
        [{"a": 5, "b": 4, "c": 3, "d": 2}, {"a": 3, "b": 3, "d": 6}, {"c": 9, "a": 8, "b": 1}]
    )
    rows = screen.rows(release.groups)
    expected = float(sl.Implications(2).measure(release).value)
    for joined in (join_all(screen, rows), join_forwards(screen, rows)[-1:], join_backwards(screen, rows)[:1]):
        assert screen.value(joined)[0] == pytest.approx(expected)


def test_what_decides_a_groups_value():
    """Its size, the largest counts, as many as there are atoms, and the target's; with sets all counts by value."""
    groups = [{"a": 5, "b": 4, "c": 3}, {"c": 5, "a": 4, "b": 3}, {"b": 2}]
    release = sl.Release.from_counts(groups)
    kinds = ImplicationsScreen(1, Targets()).kinds(release.groups)
    assert kinds.tolist() == [[12, 5, 4, 5], [12, 5, 4, 5], [2, 2, 0, 2]]
    of_one = ImplicationsScreen(1, Targets("a")).kinds(release.groups)
    assert of_one.tolist() == [[12, 5, 4, 5], [12, 5, 4, 4], [2, 2, 0, 0]]
    assert ImplicationsScreen(4, Targets()).kinds(release.groups).tolist()[2] == [2, 2, 0, 0, 0, 0, 2]
    sets = sl.Release.from_counts(groups, sizes=[9, 9, 9], values="set")
    assert ImplicationsScreen(1, Targets()).kinds(sets.groups).tolist() == [[9, 5, 4, 3], [9, 4, 3, 5], [9, 0, 2, 0]]


@pytest.mark.parametrize("values", ["single", "set", "multiset"])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_a_row_is_worth_its_group_taken_for_a_release(values, k):
    groups = [{"a": 5, "b": 4, "c": 3}, {"c": 5, "a": 4, "b": 3}, {"b": 2, "a": 1}]
    sizes = [sum(group.values()) for group in groups]
    release = sl.Release.from_counts(groups, sizes=sizes, values=values)
    for measure in (sl.Implications(k), sl.Implications(k, value="c")):
        screen = measure.screen()
        rows = screen.rows(release.groups)
        alone = [
            sl.Release.from_counts([group], sizes=[size], values=values, domain=release.domain)
            for group, size in zip(groups, sizes, strict=True)
        ]
        np.testing.assert_allclose(screen.value(rows), [float(measure.measure(each).value) for each in alone])
        together = screen.value(join_all(screen, rows))
        np.testing.assert_allclose(together, [float(measure.measure(release).value)])
        assert screen.group_by_group == (k == 0)


def test_every_choice_of_an_assignment_near_the_best_is_listed_and_no_other():
    """With one atom: f(1) = 3/5 and 1/2, and the target's 1/2 with the atom and 3/2 without, so 1/2 < 3/2 · 1/2."""
    others = np.log(np.array([[1, 1], [3 / 5, 1 / 2]]))
    targets = np.array([[np.log(3 / 2), np.inf], [np.log(1 / 2), np.inf]])
    assert choices_near_best(np.stack((others, targets))) == [Choice(0, 1, True)]
    tied = np.array([[np.log(1), np.inf], [np.log(1 / 2), np.inf]])
    near = [Choice(0, 0, True), Choice(0, 1, True), Choice(1, 0, False), Choice(1, 1, False)]
    assert choices_near_best(np.stack((others, tied))) == near
    idle = np.log(np.array([[1], [9 / 10]]))  # a group that gets nothing: nothing is said of it
    assert choices_near_best(np.stack((np.hstack((others, idle)), np.hstack((tied, [[np.inf], [np.inf]]))))) == near


def test_exact_probabilities_of_choices_in_their_order():
    groups = TopCounts(np.array([5, 10]), np.array([[2, 2, 1], [4, 3, 1]]), np.array([2, 3]))
    choices = [Choice(1, 2, False), Choice(0, 1, True), Choice(1, 0, True), Choice(0, 0, False)]
    weighed = weigh_choices(groups, choices)
    assert [*weighed.items()] == [
        (Choice(1, 2, False), Fraction(3, 10)),  # two values of one person, or 6/10 · 5/9 for one of two
        (Choice(0, 1, True), Fraction(5, 2) * Fraction(1, 5)),
        (Choice(1, 0, True), Fraction(10, 3) * Fraction(7, 10)),
        (Choice(0, 0, False), Fraction(1)),
    ]


def test_certainty_elsewhere_takes_the_first_group_that_has_the_target():
    """Nobody of the first group has the target's value; all but one of the last have another, so one of 2 must."""
    groups = TopCounts(
        np.array([50, 40, 30, 9]), np.array([[9, 1, 1], [9, 1, 1], [9, 1, 1], [8, 1, 0]]), np.array([0, 1, 1, 0])
    )
    assert worst_case(groups, k=2) == (1, [(1, Allocation((1,), 1)), (3, Allocation((1, 1)))])
    assert worst_case(groups.for_atoms(2), k=1)[0] < 1


@pytest.mark.parametrize(
    ("size", "counts", "atoms", "values"),
    [(5, (2, 2, 1), 3, (3,)), (4, (3, 1), 2, (1, 1)), (5, (4, 1), 2, (1, 1)), (3, (3, 0), 1, (1,))],
)
def test_the_fewest_atoms_that_make_sure(size, counts, atoms, values):
    """M values for each of n − Sₘ + 1 people: one of them has one; of equally few the fewest values."""
    groups = TopCounts(np.array([size]), np.array([counts]), np.array([counts[0]]))
    assert groups.certain(target=True).tolist() == [atoms]
    risk, spent = worst_case(groups, atoms - 1)
    assert (risk, spent) == (1, [(0, Allocation(values, len(values)))])


def test_the_best_assignment_has_each_group_once_the_target_once_and_all_atoms():
    """2 atoms over two groups: by hand, the target's 1/2 with an atom times 2/5 is less than 3/10, 3/4 · 2/5 and 1/4."""
    weighed = {
        Choice(0, 0, False): Fraction(1),
        Choice(0, 1, False): Fraction(9, 10),
        Choice(0, 0, True): Fraction(3, 4),
        Choice(0, 1, True): Fraction(1, 2),
        Choice(0, 2, True): Fraction(1, 4),
        Choice(1, 0, False): Fraction(1),
        Choice(1, 1, False): Fraction(2, 5),
        Choice(1, 2, False): Fraction(2, 5),
        Choice(1, 1, True): Fraction(1, 3),
        Choice(1, 3, False): Fraction(1, 100),
    }
    best = best_assignment(weighed, k=2)
    assert best == (Fraction(1, 5), (Choice(0, 1, True), Choice(1, 1, False)))
    twice = {**weighed, Choice(1, 1, False): Fraction(1, 2)}  # now 1/4 in two ways: the first choice has fewer atoms
    assert best_assignment(twice, k=2) == (Fraction(1, 4), (Choice(0, 1, True), Choice(1, 1, False)))


def test_a_group_that_cannot_have_more_atoms_may_still_have_the_target():
    weighed = {
        Choice(0, 0, False): Fraction(1),
        Choice(0, 1, False): Fraction(1, 10),
        Choice(1, 0, False): Fraction(1),
        Choice(1, 1, False): Fraction(9, 10),
        Choice(1, 0, True): Fraction(1, 2),
        Choice(1, 1, True): Fraction(1, 3),
    }
    assert best_assignment(weighed, k=1) == (Fraction(1, 20), (Choice(0, 1, False), Choice(1, 0, True)))


def test_the_summary_stays_small():
    rng = np.random.default_rng(3)
    counts = -np.sort(-rng.multinomial(200, rng.dirichlet(np.ones(30)), size=5000), axis=1)
    for k in (1, 4, 9):
        rows = shortlist(TopCounts(counts.sum(axis=1), counts[:, : k + 1], counts[:, 0]), k)
        assert 1 <= len(rows) <= (k + 1) * (k + 2)


def test_many_groups_alike():
    """Thousands of groups that floats cannot tell apart, of different kinds."""
    rng = np.random.default_rng(1)
    groups = [
        {"a": 10, **{f"b{n}": int(c) for n, c in enumerate(rng.multinomial(30, [0.1] * 10))}} for _ in range(3000)
    ]
    release = sl.Release.from_counts([bag for bag in groups if max(bag.values()) == 10])
    finding = sl.Implications(4).measure(release)
    assert finding.replay(release) == finding.value


def test_a_group_that_makes_sure_is_enough():
    groups = TopCounts(np.array([10, 3]), np.array([[4, 3], [3, 0]]), np.array([4, 3]))
    assert shortlist(groups, k=1).tolist() == [1]


def test_one_that_makes_sure_without_the_target_needs_the_likeliest_target():
    """In the last group nobody has the value, and one of two people must have the most frequent one."""
    groups = TopCounts(np.array([40, 30, 2]), np.array([[9, 8, 7], [9, 8, 7], [2, 0, 0]]), np.array([1, 1, 0]))
    assert shortlist(groups, k=2).tolist() == [1, 2]


@pytest.mark.parametrize("many", range(1, 13))
def test_the_smallest_are_sure_and_the_one_at_the_cut_is_near(many):
    logs = np.random.default_rng(many).permutation(13) - 20.0
    sure, near = near_the_cut(logs, many)
    assert (sure.tolist(), near.tolist()) == (
        sorted(np.argsort(logs)[: many - 1].tolist()),
        np.argsort(logs)[many - 1 : many].tolist(),
    )


@pytest.mark.parametrize("many", [2, 3])
def test_no_more_than_may_stay_are_all_sure(many):
    sure, near = near_the_cut(np.array([-1.0, -2.0]), many)
    assert (sure.tolist(), near.tolist()) == ([0, 1], [])


@pytest.mark.parametrize(("columns", "left_out"), [(199, False), (200, True), (350, True)])
def test_groups_that_come_after_two_of_a_sample_everywhere_are_not_looked_at(columns, left_out):
    logs = np.random.default_rng(columns).random((3, columns)) - 2
    cut = np.sort(logs[:, :200], axis=1)[:, 1:2]
    expected = (logs <= cut).any(axis=0) if left_out else np.ones(columns, bool)
    assert _possible(logs, 2).tolist() == expected.tolist()
    near = logs.copy()
    near[:, 5] = cut[:, 0] * (1 - 1e-12)  # as good as at the cut
    assert _possible(near, 2)[5]


def just_in_place(array, kth, axis=-1):
    """What `np.partition` promises and no more: what stands before the place asked for, and after, is upside down."""
    ordered = np.sort(array, axis=axis)
    parts = (ordered[..., :kth][..., ::-1], ordered[..., kth : kth + 1], ordered[..., kth + 1 :][..., ::-1])
    return np.concatenate(parts, axis=axis)


def test_cuts_rely_on_no_order_that_a_processor_happens_to_give(monkeypatch):
    rows = np.random.default_rng(7).random((2, 600)) - 2
    cut = np.sort(rows[:, :500], axis=1)[:, 4:5]
    monkeypatch.setattr(np, "partition", just_in_place)
    assert _possible(rows, 5).tolist() == (rows <= cut).any(axis=0).tolist()
    sure, near = near_the_cut(rows[0], 5)
    assert (sure.tolist(), near.tolist()) == (sorted(np.argsort(rows[0])[:4].tolist()), [np.argsort(rows[0])[4]])


@pytest.mark.parametrize("more", [(2, 1, 0), (1, 0, 0)])
def test_targets_that_floats_cannot_tell_apart_are_compared_exactly(more):
    """One of a thousand millions has the value, or of one or two more: the fewer people the better a target."""
    sizes = 10**9 + np.array(more)
    groups = TopCounts(sizes, np.ones((3, 2), np.int64), np.ones(3, np.int64))
    assert shortlist(groups, 1).tolist() == listed_by_the_claim(groups, 1) == [1, 2]


def test_kinds_are_made_of_the_sums_that_decide():
    """The size, how often the target's value occurs if that matters, bits, and S₁, S₂, S₃ where their bits are set."""
    groups = TopCounts(np.array([20, 30]), np.array([[8, 6, 1], [8, 5, 2]]), np.array([8, 3]))
    mask = np.array([0b0010, 0b1100])
    assert _kinds(groups, mask, target=True).tolist() == [[20, 8, 2, 8, 0, 0], [30, 3, 12, 0, 13, 15]]
    assert _kinds(groups, mask, target=False).tolist() == [[20, 0, 2, 8, 0, 0], [30, 0, 12, 0, 13, 15]]


def test_the_last_number_of_atoms_that_is_weighed(monkeypatch):
    monkeypatch.setattr("sidelight.measures.ck_safety.minimize.MOST", 1)
    groups = TopCounts(np.array([50, 40, 30]), np.array([[9, 8], [5, 4], [7, 2]]), np.array([2, 5, 1]))
    assert shortlist(groups, 1).tolist() == listed_by_the_claim(groups, 1) == [0, 1, 2]


def test_rows_at_the_cut():
    sure, near = near_the_cut(np.array([-1.0, np.inf, np.inf]), 2)
    assert (sure.tolist(), near.tolist()) == ([0], [])
    sure, near = near_the_cut(np.zeros(5), 2)
    assert (sure.tolist(), near.tolist()) == ([], [0, 1, 2, 3, 4])


def test_a_group_that_makes_sure_with_the_last_atom_is_enough():
    """All 5 people of the second group have one of 3 values: 3 atoms about the target, its own among them."""
    groups = TopCounts(np.array([90, 5, 5]), np.array([[9, 1, 1, 1], [2, 2, 1, 0], [2, 2, 1, 0]]), np.array([9, 2, 2]))
    assert groups.certain(target=True).tolist() == [82, 3, 3]
    assert shortlist(groups, k=2).tolist() == [1]
    assert len(shortlist(groups, k=1)) > 1


@pytest.mark.parametrize(("targets", "expected"), [([0, 0], [1]), ([1, 0], [0, 1]), ([0, 1], [1])])
def test_one_that_makes_sure_without_the_target_stands_alone_where_nobody_has_the_value(targets, expected):
    """Of the second group, all but one of 400 have the most frequent value: one of two must have it."""
    groups = TopCounts(np.array([400, 400]), np.array([[9, 8, 7], [399, 1, 0]]), np.array(targets))
    assert groups.certain(target=False).tolist() == [392, 2]
    assert shortlist(groups, k=2).tolist() == expected


@pytest.mark.parametrize(("targets", "expected"), [([0, 0, 0], []), ([1, 1, 0], [1]), ([2, 1, 0], [0])])
def test_beyond_what_is_weighed_the_likeliest_target_is_kept(targets, expected):
    """Groups of 9,000 and 5,000: 1 of 5,000 is more than 1 of 9,000, and less than 2 of 9,000."""
    counts = np.full((3, MOST + 2), 2)
    groups = TopCounts(np.array([9000, 5000, 9000]), counts, np.array(targets))
    assert shortlist(groups, MOST + 1).tolist() == expected


def listed_by_the_claim(groups, k):
    """For each number of atoms the groups of the smallest exact probabilities; of equal ones the first."""
    others, targets = least_probabilities(groups)
    lists = [(others[h], k - h + 2) for h in range(1, k + 1)] + [(targets[h], k - h + 1) for h in range(k + 1)]
    kept = set()
    for probabilities, many in lists:
        there = [row for row, probability in enumerate(probabilities) if probability != math.inf]
        kept.update(sorted(there, key=lambda row: probabilities[row])[:many])
    return sorted(kept)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("many", [1, 3, 40, 260, 480])
def test_the_groups_on_the_lists_are_kept_and_no_others(many, k):
    """Many groups alike, of few sizes, some without the value, so that lists are crowded with ties of several kinds."""
    rng = np.random.default_rng(many + k)
    counts = -np.sort(-rng.multinomial(8, [0.125] * 8, size=many), axis=1)[:, : k + 1]
    sizes = np.where(rng.integers(3, size=many) > 0, 16, 32)
    counts = np.minimum(counts, 4) * (sizes // 16)[:, np.newaxis]
    groups = TopCounts(sizes, counts, rng.integers(0, counts[:, 0] + 1))
    assert shortlist(groups, k).tolist() == listed_by_the_claim(groups, k)


@pytest.mark.parametrize("k", [1, 2])
def test_a_group_without_the_target_is_found_among_hundreds(k):
    """Only the last group has a value that is frequent, and nobody there has the target's."""
    counts = np.array([[3, 3, 3]] * 500 + [[9, 1, 1]])[:, : k + 1]
    groups = TopCounts(np.full(501, 100), counts, np.array([3] * 500 + [0]))
    rows = shortlist(groups, k).tolist()
    assert rows == listed_by_the_claim(groups, k)
    assert rows[-1] == 500


def test_groups_that_floats_cannot_tell_apart_are_compared_exactly():
    """One in a million, in a million and one, …: the larger the share the later the group."""
    sizes = np.array([10**6 + more for more in (4, 3, 2, 1, 0)])
    groups = TopCounts(sizes, np.ones((5, 2), np.int64), np.array([0, 0, 0, 0, 1]))
    assert shortlist(groups, 1).tolist() == listed_by_the_claim(groups, 1) == [3, 4]


def test_of_equal_kinds_the_first_rows_stay():
    kind = np.tile([0, 1, 2], 40)
    probabilities = [Fraction(1, 3), Fraction(1, 4), Fraction(2, 6)]
    rows = smallest_kinds(probabilities, kind, 60).tolist()
    assert rows == [*range(1, 120, 3), *[row for row in range(120) if row % 3 != 1][:20]]


def allocations(atoms, most):
    """All ways to give people, one after the other, atoms for no more values than those before, within a number."""
    yield ()
    for values in range(1, min(most, atoms) + 1):
        for rest in allocations(atoms - values, values):
            yield (values, *rest)


def chance(size, known):
    """The probability that none of the people has one of the values that so many have."""
    return math.prod(Fraction(size - place - each, size - place) for place, each in enumerate(known))


def sums_of_the_best(size, counts, atoms):
    """Which Sₘ the best allocations are made of, as bits."""
    sums = [sum(counts[:many]) for many in range(len(counts) + 1)]
    every = {each: chance(size, [sums[many] for many in each]) for each in allocations(atoms, atoms)}
    return bits(many for each, own in every.items() if own == min(every.values()) for many in each)


def sums_of_the_best_with_target(size, counts, target, atoms):
    """The same where the first people get atoms for the target's value and a others, which Sₐ and Sₐ₊₁ decide."""
    sums = [sum(counts[:many]) for many in range(len(counts) + 1)]
    every = {
        (besides, people, rest): chance(
            size, [min(sums[besides + 1], sums[besides] + target)] * people + [sums[many] for many in rest]
        )
        for besides in range(atoms + 1)
        for people in range(1, (atoms + 1) // (besides + 1) + 1)
        for rest in allocations(atoms + 1 - people * (besides + 1), besides)
    }
    best = [each for each, own in every.items() if own == min(every.values())]
    return bits(many for besides, _, rest in best for many in (besides, besides + 1, *rest))


def bits(numbers):
    return sum(1 << number for number in set(numbers))


GROUPS = [
    (100, (60, 2, 2, 2, 2), 60),  # ask more people about one value
    (100, (10, 10, 10, 10, 10), 10),  # ask one about more values
    (20, (8, 6, 1, 1, 1), 8),  # two values of one person, one of the next
    (40, (16, 12, 2, 2, 2), 2),
    (30, (4, 3, 3, 1, 1), 3),
    (30, (6, 3, 3, 1, 1), 1),
    (16, (6, 1, 1, 1, 1), 0),
]


def test_which_sums_decide():
    """Those that the best allocations are made of, by trying all."""
    groups = TopCounts(*(np.array(each) for each in zip(*GROUPS, strict=True)))
    others, targets = deciding_sums(groups)
    for place, (size, counts, target) in enumerate(GROUPS):
        assert others[:, place].tolist() == [sums_of_the_best(size, counts, atoms) for atoms in range(5)]
        if target:
            expected = [sums_of_the_best_with_target(size, counts, target, atoms) for atoms in range(5)]
            assert targets[:, place].tolist() == expected


def test_sums_decide_in_each_of_many_groups():
    groups = TopCounts(np.full(2100, 20), np.tile([8, 6, 1], (2100, 1)), np.full(2100, 8))
    others, targets = deciding_sums(groups)
    assert (others == others[:, :1]).all()
    assert (targets == targets[:, :1]).all()
    assert others[:, 0].tolist() == [sums_of_the_best(20, (8, 6, 1), atoms) for atoms in range(3)]


@pytest.mark.parametrize(("atoms", "any_may"), [(62, False), (63, True)])
def test_of_more_sums_than_a_mask_holds_any_may_decide(atoms, any_may):
    groups = TopCounts(np.array([5000]), np.full((1, atoms), 2), np.array([2]))
    others, targets = deciding_sums(groups)
    assert ((others == -1).all(), (targets == -1).all()) == (any_may, any_may)
