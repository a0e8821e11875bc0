"""Dominance and remainder are their definitions, person by person; and what ACRO's rules decide, as it writes them."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl

AMOUNTS = ["0", "1", "2", "2.0", "0.1", "3.30", "250", "1000000", "1e3", "99999999999999999999", None]
bags = st.dictionaries(st.sampled_from(AMOUNTS), st.integers(1, 6), min_size=1, max_size=6)


def people_of(bag):
    return sorted((Fraction(text) for text, many in bag.items() if text for _ in range(many)), reverse=True)


@given(st.lists(bags, min_size=1, max_size=4), st.integers(1, 4))
def test_both_are_their_definitions(groups, largest):
    release = sl.Release.from_counts(groups)
    people = [amounts for amounts in map(people_of, groups) if amounts]
    dominances = [sum(each[:largest]) / sum(each) if any(each) else 1 for each in people]
    remainders = [sum(each[largest:]) / each[0] if any(each) else 0 for each in people]
    for measure, expected in (
        (sl.Dominance(largest), max(dominances, default=0)),
        (sl.Remainder(largest), min(remainders, default=0)),
    ):
        finding = measure.measure(release)
        assert finding.value == expected
        assert finding.replay(release) == expected
        screen = measure.screen()
        if people:
            floats = screen.value(screen.rows(release.groups))
            assert abs((max(floats) if measure.large_is_bad else min(floats)) - float(expected)) <= 1e-9 * max(
                1, float(expected)
            )


def acro_p_percent_broken(people):
    """`agg_p_percent` of ACRO, zeros being disclosive."""
    total = sum(people)
    if total <= 0 or len(people) <= 1:
        return True
    return (total - people[0] - people[1]) / people[0] < Fraction(1, 10)


def acro_nk_broken(people):
    """`agg_nk` of ACRO, which says nothing of a sum of 0; that breaks the other rule."""
    total = sum(people)
    return total > 0 and sum(people[:2]) / total > Fraction(9, 10)


@given(bags)
def test_the_preset_decides_as_acro_does(bag):
    people = people_of(bag)
    if not people:
        return
    release = sl.Release.from_counts([bag])
    dominance, remainder = (criterion.judge(release).holds for criterion in sl.presets.acro().criteria[2:])
    assert remainder == (not acro_p_percent_broken(people))
    assert (dominance and remainder) == (not (acro_p_percent_broken(people) or acro_nk_broken(people)))
