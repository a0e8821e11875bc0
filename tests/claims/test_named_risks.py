"""What is claimed of risks against a population: coarser cells never make them rise."""

from fractions import Fraction

import pytest
from hypothesis import given
from support.examples import examples
from support.populations import HIERARCHIES, LEVELS, as_table, measures_against, samples

import sidelight as sl
from sidelight.measures.measure import Monotonicity


@pytest.mark.parametrize("inside", [True, False])
def test_coarser_cells_never_raise_a_risk(inside):
    @examples(25)
    @given(samples(inside=inside), LEVELS, LEVELS)
    def hunt(sample, one, other):
        people, population = sample
        coarse = {name: max(one[name], other[name]) for name in one}
        table = as_table(people)
        finer, coarser = (sl.generalise(table, by=HIERARCHIES, to=levels) for levels in (one, coarse))
        settings = {} if inside else {"outside": "as in the release"}
        for name, measure in measures_against(as_table(population), Fraction(1, 3), **settings).items():
            if measure.when_groups_merge is Monotonicity.UNKNOWN:
                continue
            assert measure.measure(coarser).value <= measure.measure(finer).value, name

    hunt()


def test_an_average_over_an_incomplete_population_claims_nothing():
    unknown = sl.JournalistRisk("register.csv", "average", outside="as in the release")
    assert unknown.when_groups_merge is Monotonicity.UNKNOWN
    assert sl.JournalistRisk("register.csv", "average").when_groups_merge is Monotonicity.NON_INCREASING
