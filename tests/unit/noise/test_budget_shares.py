from fractions import Fraction

from sidelight.noise.budget_shares import best_shares


def test_weights_move_shares():
    equal = best_shares((50, 40), {(0, 1): 1.0, (): 1.0}, lambda axes, share: 2 / share**2)
    cells = best_shares((50, 40), {(0, 1): 8.0, (): 1.0}, lambda axes, share: 2 / share**2)
    assert abs(equal[0, 1] - Fraction(1, 2)) < Fraction(1, 100)
    # Σ w/s² is smallest where shares are as cube roots of weights
    assert abs(cells[0, 1] - Fraction(2, 3)) < Fraction(1, 100)


def test_a_query_that_the_rest_tells_better_is_not_measured():
    """The cells of a table with one label each are its total."""
    shares = best_shares((1, 1), {(0, 1): 1.0, (): 1.0, (0,): 1.0}, lambda axes, share: 2 / share**2)
    assert shares == {(0, 1): 1}


def test_shares_add_up_to_one():
    weights = {(0, 1, 2): 1.0, **dict.fromkeys([(), (0,), (1,), (2,), (0, 1), (1, 2)], 3.0)}
    shares = best_shares((7, 5, 3), weights, lambda axes, share: 1 / share)
    assert sum(shares.values()) == 1
    assert all(share > 0 and share * 1000 == int(share * 1000) for share in shares.values())
