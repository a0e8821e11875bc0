"""Where atoms and the target go over all groups: certainty first, then the exact best of what is near the best."""

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.measures.ck_safety import minimize_across_groups
from sidelight.measures.ck_safety.minimize_across_groups import (
    Choice,
    ImplicationsScreen,
    best_assignment,
    choices_near_best,
    weigh,
    worst_case,
)
from sidelight.measures.ck_safety.minimize_within_group import Allocation, TopCounts, least_log_probabilities
from sidelight.measures.exact import join_all, join_backwards, join_forwards
from sidelight.measures.targets import Targets

HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ]
)


def test_more_implications_than_there_are_values():
    finding = sl.Implications(10**6).measure(HOSPITAL)
    assert finding.value == 1
    assert len(finding.witness.premises()) == 1


def test_more_implications_than_can_be_weighed():
    rare = sl.Release.from_counts([{f"value {number}": 1 for number in range(2000)}])
    with pytest.raises(TooHard, match=r"1,000 implications are too many to weigh .*; give at most 400"):
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
    monkeypatch.setattr(minimize_across_groups, "MOST", 1)
    groups = TopCounts(np.array([20]), np.array([[2, 1, 1]]), np.array([2]))
    risk = 1 / (1 + Fraction(20, 2) * Fraction(18, 20) * Fraction(17, 19))  # one of two people, the target among them
    assert worst_case(groups.for_atoms(2), k=1) == (risk, [(0, Allocation((1, 1), 2))])
    with pytest.raises(TooHard) as refusal:
        worst_case(groups, k=2)
    assert str(refusal.value) == ("2 implications are too many to weigh where they do not make sure; give at most 1")


def test_certainty_comes_before_weighing():
    groups = TopCounts(np.array([10, 3]), np.array([[4, 3], [3, 0]]), np.array([4, 3]))
    assert worst_case(groups, k=1) == (1, [(1, Allocation((1,), 1))])


def test_of_equal_groups_the_first_is_taken():
    twins = TopCounts(np.array([5, 5, 5]), np.array([[2, 2]] * 3), np.array([2] * 3))
    choices = choices_near_best(*least_log_probabilities(twins))
    assert {choice.group for choice in choices} == {0, 1, 2}
    best = best_assignment(weigh(twins, choices), k=1)
    assert best.product == Fraction(1, 2)
    assert best.choices == (Choice(0, 1, True),)


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
    assert choices_near_best(others, targets) == [Choice(0, 1, True)]
    tied = np.array([[np.log(1), np.inf], [np.log(1 / 2), np.inf]])
    near = [Choice(0, 0, True), Choice(0, 1, True), Choice(1, 0, False), Choice(1, 1, False)]
    assert choices_near_best(others, tied) == near
    idle = np.log(np.array([[1], [9 / 10]]))  # a group that gets nothing: nothing is said of it
    assert choices_near_best(np.hstack((others, idle)), np.hstack((tied, [[np.inf], [np.inf]]))) == near


def test_exact_probabilities_of_choices_in_their_order():
    groups = TopCounts(np.array([5, 10]), np.array([[2, 2, 1], [4, 3, 1]]), np.array([2, 3]))
    choices = [Choice(1, 2, False), Choice(0, 1, True), Choice(1, 0, True), Choice(0, 0, False)]
    weighed = weigh(groups, choices)
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
    assert groups.certain_with_target().tolist() == [atoms]
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
