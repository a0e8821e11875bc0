"""Asking several measures in one pass gives what asking each by itself gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.measures.about import findings
from sidelight.release.groups import Groups
from sidelight.testing import measures, releases


@given(st.data())
def test_one_pass_over_blocks_is_each_by_itself(data):
    release = data.draw(releases())
    several = data.draw(st.lists(measures(release), max_size=4))
    alone = [measure.measure(release) for measure in several]

    def one_by_one(groups):
        yield from (groups.take(slice(row, row + 1)) for row in range(len(groups)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Groups, "blocks", one_by_one)
        in_one_pass = findings(several, release)
    assert [each.measure for each in in_one_pass] == several
    assert [each.value for each in in_one_pass] == [each.value for each in alone]
