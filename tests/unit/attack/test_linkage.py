"""What a search's result adds to looking people up."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.attack.linkage import lookups_for
from sidelight.errors import BadRelease

ADULT = sl.datasets.adult(quasi=["age", "sex"])


def test_each_release_may_have_a_way_of_its_own():
    release = sl.group(ADULT.table)
    lookups = lookups_for([release, release], by=None, locate=[None, "labels"], suppressed="may hold them")
    assert [each.locate for each in lookups] == [None, "labels"]
    with pytest.raises(BadRelease, match="1 ways to locate people in 2 releases"):
        lookups_for([release, release], by=None, locate=["labels"], suppressed=None)


@pytest.mark.parametrize(("method", "right"), [("lattice", 1), ("mondrian", 1), ("microaggregation", Fraction(7, 10))])
def test_a_search_knows_who_is_looked_for_in_the_right_group(method, right):
    by = {} if method == "microaggregation" else {"by": ADULT.hierarchies}
    found = sl.protect(ADULT.table, sl.GroupSize() >= 50, method=method, **by, ask="nobody")
    exposure = sl.intersect([found, found.release], people=ADULT.table)
    assert exposure.located_right[0] >= right
    assert exposure.located_right[1] is None
