"""People who differ, by Möbius inversion on partitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.knowledge.parse_facts import read_fact
from sidelight.worlds.counting.distinct import all_differ, is_wide_disjunction, partitions_of


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_coefficients_are_those_of_the_chromatic_polynomial(size, colours, data):
    """Σ_σ Π a(C) · colours^|σ| is the number of proper colourings."""
    edges = data.draw(
        st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(lambda e: e[0] < e[1]))
    )
    neighbours = [0] * size
    for one, other in edges:
        neighbours[one] |= 1 << other
        neighbours[other] |= 1 << one
    partitions = partitions_of(tuple(neighbours))
    classes = [
        (end - start).bit_length() - 1
        for start, end in zip(
            partitions.starts.tolist(), [*partitions.starts.tolist()[1:], len(partitions.unions)], strict=True
        )
    ]
    polynomial = sum(a * colours**number for a, number in zip(partitions.coefficients.tolist(), classes, strict=True))
    colourings = sum(
        all(colour[one] != colour[other] for one, other in edges)
        for colour in ([number // colours**place % colours for place in range(size)] for number in range(colours**size))
    )
    assert polynomial == colourings


@pytest.mark.parametrize(("pairs", "wide"), [(4, False), (5, True)])
def test_only_many_pairs_are_worth_the_difference(pairs, wide):
    fact = read_fact(" or ".join(f"same(a, b{number})" for number in range(pairs)))
    assert is_wide_disjunction(fact) == wide
    assert len(all_differ(fact)) == pairs
