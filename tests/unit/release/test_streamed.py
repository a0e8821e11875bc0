"""A release that is gone through and never held."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadRelease

ROWS = pa.table({"zip": list("1123"), "disease": ["Flu", "Cold", "Flu", "Flu"]})


@pytest.fixture
def release():
    return sl.stream_release(ROWS, group="zip", sensitive="disease", memory="1GB")


def test_it_says_what_it_is_and_shows_nobody(release):
    assert repr(release) == "<StreamedRelease of 4 people in 3 groups, disease: 2 values (single)>"


def test_the_outline_knows_everybody(release):
    assert (release.outline.size, release.outline.groups.whole.tolist()) == (4, [1, 3])


def test_sizes_by_number(release):
    assert release.sizes_of({3, 1}) == {1: 2, 3: 1}
    with pytest.raises(BadRelease, match="no group 4 in the release; they are numbered 1 to 3"):
        release.sizes_of({4})


def test_of_equal_groups_the_first_is_kept():
    rows = pa.table({"zip": list("11234"), "disease": ["Flu", "Cold", "Flu", "Flu", "Cold"]})
    first, last = sl.stream_release(rows, group="zip", sensitive="disease").blocks()  # a key that may go on comes later
    assert (first.kinds.numbers.tolist(), last.kinds.numbers.tolist()) == ([1, 2], [4])
    assert [column.cell(1) for column in first.kinds.columns] == ["2"]
