"""One cut of a group: edges."""

from fractions import Fraction

from sidelight.worlds.one_cut import OneCut


def test_equal_halves_say_nothing_about_anybody() -> None:
    cut = OneCut.build((3, 2, 1, 1, 1), left=4, most_left=2, most_right=2)
    assert cut.shares_when_failing() == (Fraction(3, 8), Fraction(1, 4), *[Fraction(1, 8)] * 3)


def test_a_cut_that_passes_in_every_world() -> None:
    assert OneCut.build((1, 1, 1, 1), left=2, most_left=1, most_right=1).probability == 1


def test_a_cut_that_fails_in_every_world() -> None:
    assert OneCut.build((3, 1), left=2, most_left=1, most_right=1).probability == 0


def test_the_fives_of_eleven_people() -> None:
    # no share above 1/2 in 5 | 6: only the first value can break it, by all three of it among the five
    cut = OneCut.build((3, 2, 2, 2, 1, 1), left=5, most_left=2, most_right=3)
    assert 1 - cut.probability == Fraction(10, 165)
    assert cut.shares_when_failing()[0] == Fraction(3, 5)


def test_no_values_need_differ_unless_that_was_said() -> None:
    settings = {"left": 2, "most_left": 1, "most_right": 2}
    assert OneCut.build((3, 2, 1), **settings) == OneCut((3, 2, 1), 2, (1, 0, 0), (1, 1, 1), 0)
    assert OneCut.build((3, 2, 1), **settings, different=2) == OneCut((3, 2, 1), 2, (1, 0, 0), (1, 1, 1), 2)


def test_a_half_of_nobody_passes_where_no_values_need_differ() -> None:
    assert [OneCut.build((2, 1), 0, 3, 3, different=many).passing for many in range(4)] == [1, 0, 0, 0]
