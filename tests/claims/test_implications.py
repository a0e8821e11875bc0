"""What implications and negations claim, on larger groups than every world can be counted for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.measures.measure import Monotonicity
from sidelight.testing import merges, releases

BOTH = pytest.mark.parametrize("measure", [sl.Implications, sl.Negations])
larger = {"semantics": "single", "max_people": 30, "max_values": 8}


def some_value(data, release):
    return data.draw(st.sampled_from([None, *(value for value in release.domain if value is not None)]), "value")


@BOTH
@examples(60)
@given(st.data(), merges(**larger), st.integers(0, 6))
def test_merging_groups_never_raises_the_risk(measure, data, pair, k):
    finer, coarser = pair
    adversary = measure(k, some_value(data, finer))
    assert adversary.when_groups_merge is Monotonicity.NON_INCREASING
    assert adversary.measure(coarser).value <= adversary.measure(finer).value


@BOTH
@given(st.data(), releases(**larger), st.integers(0, 6))
def test_more_knowledge_never_lowers_the_risk(measure, data, release, k):
    value = some_value(data, release)
    assert measure(k, value).measure(release).value <= measure(k + 1, value).measure(release).value


@BOTH
@given(releases(**larger).filter(lambda release: None not in release.domain), st.integers(0, 6))
def test_the_worst_value_is_the_worst_of_all(measure, release, k):
    each = [measure(k, value).measure(release).value for value in release.domain]
    assert measure(k).measure(release).value == max(each)


@given(releases(**larger), st.integers(0, 6))
def test_all_implications_share_the_target(release, k):
    witness = sl.Implications(k).measure(release).witness
    assert len(witness.implications) == k
    assert {implication.conclusion for implication in witness.implications} <= {witness.atom}
    for number, place in witness.premises():
        assert 0 <= place < release.group(number).sizes[0]


@BOTH
@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_merging_groups_of_several_values_never_raises_the_risk(measure, semantics):
    """Large groups and many occurrences; categories too, of which a set counts the most there could be."""

    @examples(60)
    @given(st.data(), merges(semantics=semantics, max_people=25, max_values=5), st.integers(0, 6))
    def hunt(data, pair, k):
        finer, coarser = pair
        value = data.draw(
            st.sampled_from([None, *[each for each in finer.domain if each], [*finer.domain[:2]]]), "value"
        )
        adversary = measure(k, value)
        assert adversary.monotonicity(semantics) is Monotonicity.NON_INCREASING
        assert adversary.measure(coarser).value <= adversary.measure(finer).value

    hunt()
