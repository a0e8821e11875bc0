"""Lists in cells, taken apart in a stream; that all of it is as in memory is in `agree/test_streamed`."""

import pyarrow as pa

import sidelight as sl

ROWS = pa.table({"zip": list("1123"), "ill": ["Flu|Cold", "Flu", "|", "Ulcer|Ulcer"]})
ROLES = {"sensitive": "ill", "values": "multiset", "split": "|", "missing": "no value"}


def test_who_has_no_value_makes_a_key():
    release = sl.stream_release(ROWS, group="zip", **ROLES)
    groups = [block.all.group(row) for block in release.blocks() for row in range(len(block))]
    assert [(group.size, dict(group.counts)) for group in groups] == [
        (2, {"Cold": 1, "Flu": 2}),
        (1, {}),
        (1, {"Ulcer": 2}),
    ]
    assert release.stream.whole.tolist() == [1, 2, 2]


def test_a_table_of_lists_is_protected_as_in_memory():
    streamed, held = (read(ROWS, quasi="zip", **ROLES) for read in (sl.stream_table, sl.read_table))
    both = [sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody") for table in (streamed, held)]
    assert list(both[0].release) == list(both[1].release)
