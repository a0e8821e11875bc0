"""A release group by group, as rows, and with the people of a group told apart.

A release that is gone through and never held.
"""

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadRelease, BadTable, WrongKind
from sidelight.release.release import Members
from sidelight.table.labels import Column

ROWS = pa.table(
    {
        "bucket": ["1", "1", "1", "2", "2"],
        "sex": ["m", "f", "m", "f", "f"],
        "age": ["30", "30", "30", "40", "41"],
        "disease": ["Flu", "Cold", "Flu", "Flu", "HIV"],
    }
)


def groups_with_members(release: sl.Release) -> list[tuple[int, tuple[object, ...], int]]:
    who = release.members
    return [
        (int(group), tuple(column.cell(line) for column in who.columns), int(people))
        for group, line, people in zip(who.group, who.key, who.people, strict=True)
    ]


def test_a_bucketized_file_keeps_who_is_in_which_bucket():
    release = sl.read_release(ROWS, group="bucket", quasi=["sex", "age"], sensitive="disease")
    assert len(release) == 2
    assert [column.name for column in release.groups.columns] == ["bucket"]
    assert groups_with_members(release) == [
        (0, ("f", "30"), 1),
        (0, ("m", "30"), 2),
        (1, ("f", "40"), 1),
        (1, ("f", "41"), 1),
    ]


def test_grouping_keeps_all_quasi_identifiers():
    table = sl.read_table(ROWS, quasi=["bucket", "sex", "age"], sensitive="disease")
    release = sl.group(table, by="bucket")
    assert groups_with_members(release)[1] == (0, ("1", "m", "30"), 2)
    assert sl.group(table, by=["bucket", "sex", "age"]).members is None


def test_a_published_release_has_no_members_and_anatomy_has():
    table = sl.read_table(ROWS, quasi=["sex", "age"], sensitive="disease")
    assert sl.read_release(ROWS, group=["sex"], sensitive="disease").members is None
    result = sl.protect(table, sl.Policy(sl.DistinctValues() >= 2), method="anatomy", ask="nobody")
    assert result.release.members.people.sum() == 5


def test_buckets_by_hand_count_people_who_look_alike():
    release = sl.Release.from_buckets([([{"sex": "m"}, {"sex": "f"}, {"sex": "m"}], ["a", "b", "b"])])
    assert groups_with_members(release) == [(0, ("f",), 1), (0, ("m",), 2)]


def test_members_add_up_to_the_groups():
    groups = sl.Release.from_counts([{"a": 2}]).groups
    who = Members.build((Column.of("sex", ["m"]),), np.array([0]), np.array([1]))
    with pytest.raises(BadRelease, match="add up"):
        sl.Release(groups, members=who)
    with pytest.raises(BadRelease, match="add up"):
        sl.Release.from_buckets([([{"sex": "m"}], ["a", "b"])])


def test_rows_of_counts_cannot_tell_people_apart():
    with pytest.raises(BadTable, match="tell them apart"):
        sl.read_release(ROWS, group="bucket", quasi="sex", sensitive="disease", rows="counts")


WARD = sl.Release.from_counts(
    [{"Flu": 2, "Cold": 1}, {"Flu": 3}], labels=[{"age": "20-29", "sex": "f"}, {"age": "30-39", "sex": "f"}]
)


def test_a_release_is_gone_through_group_by_group():
    assert [(group.name.number, group.size, dict(group.counts)) for group in WARD] == [
        (1, 3, {"Flu": 2, "Cold": 1}),
        (2, 3, {"Flu": 3}),
    ]
    assert len(list(WARD)) == len(WARD)


def test_a_group_is_found_by_place_by_name_and_by_what_is_printed():
    first, second = WARD
    assert (WARD[0], WARD[-1], WARD[np.int64(1)]) == (first, second, second)
    assert WARD[second.name] == second
    assert WARD[{"age": "30-39"}] == second


@pytest.mark.parametrize("place", [2, -3])
def test_a_place_beyond_the_end_is_an_index_error(place):
    with pytest.raises(IndexError, match=rf"place {place}\b.*\b2 groups.*place 0\b"):
        WARD[place]


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ({"sex": "f"}, "^2 groups.*sex f"),
        ({"age": "40"}, "^0 groups.*age 40"),
        ({"aeg": "20-29"}, "'aeg'.*'age'"),
    ],
)
def test_what_is_printed_must_name_one_group(printed, says):
    with pytest.raises(BadRelease, match=says):
        WARD[printed]


def test_rows_that_are_handed_out_are_read_back_as_the_same_release():
    for source in (WARD.to_arrow(), WARD.to_pandas(), WARD.to_polars()):
        again = sl.read_release(source, group=["age", "sex"], sensitive="value", rows="counts")
        assert list(again) == list(WARD)


def test_columns_that_are_called_like_ours_keep_their_names():
    release = sl.Release.from_counts([{"Flu": 2}], labels=[{"group": "A", "count": "7", "value": "x"}])
    assert release.to_arrow().to_pylist() == [
        {"group 2": 1, "group": "A", "count": "7", "value": "x", "people": 2, "value 2": "Flu", "count 2": 2}
    ]


def test_a_notebook_shows_the_first_groups_and_how_many_more():
    many = sl.Release.from_counts([{"Flu": 1}] * 30)
    assert many._repr_html_().startswith("<table><caption>Release of 30 people in 30 groups, ")
    assert many._repr_html_().endswith("<p>… and 10 more</p>")


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"Flu": 2}, r"a list.*mapping.*not a dict.*\[\{\.\.\.\}\]"),
        ("Flu", "a list.*mapping.*not a str"),
        (7, "a list.*mapping.*not an int"),
        ([["Flu"]], "each group.*mapping.*not a list"),
    ],
)
def test_counts_are_a_list_of_mappings(counts, message):
    with pytest.raises(WrongKind, match=message):
        sl.Release.from_counts(counts)


@pytest.mark.parametrize("amount", ["2", float("nan"), float("inf"), None])
def test_counts_are_whole_numbers(amount):
    with pytest.raises(BadRelease, match=r"'Flu'.*not a whole number"):
        sl.Release.from_counts([{"Flu": amount}])


def test_groups_are_pairs_of_lists():
    with pytest.raises(WrongKind, match=r"a list.* pair .*not a dict.*\[\(people, values\)\]"):
        sl.Release.from_groups({"Bob": "Flu"})
    for groups in ([("Bob", "Flu")], [["Bob", "Ed"], ["Flu", "Flu"]], [(["Bob"],)], [7]):
        with pytest.raises(WrongKind, match=r"pair of lists"):
            sl.Release.from_groups(groups)
    with pytest.raises(WrongKind, match=r"person.*bucket.*mapping.*not a str"):
        sl.Release.from_buckets([(["male"], ["Flu"])])


@pytest.mark.parametrize("which", ["m", 0.5, slice(0, 1), None])
def test_a_group_is_looked_at_by_place_name_or_cells(which):
    release = sl.Release.from_counts([{"Flu": 1}], labels=[{"sex": "m"}])
    with pytest.raises(WrongKind, match=r"as in release\[\{'sex': 'Male'\}\], not by"):
        release[which]
    with pytest.raises(WrongKind, match="a name or a number"):
        release.group(which)


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_where_nobody_has_a_value_the_domain_has_to_be_said(semantics):
    with pytest.raises(BadRelease, match=r"nobody.*any value.*domain="):
        sl.Release.from_counts([{}, {}], sizes=[3, 2], values=semantics)
    release = sl.Release.from_counts([{}, {}], sizes=[3, 2], values=semantics, domain=["Flu", "Cold"])
    for measure in (sl.RecursiveDiversity(), sl.Closeness(), sl.BetaLikeness(), sl.DeltaDisclosure()):
        assert measure.measure(release).value == 0


@pytest.mark.parametrize(
    "groups",
    [
        [{"a": 5 * 10**18, "b": 1}, {"a": 5 * 10**18, "b": 2}],  # a sum of whole numbers that begins again below 0
        [{"a": 2**62}],
        [{"a": 10**19}],
        [{"a": 2**61, "b": 2**61}],  # one more than fits
        [dict.fromkeys("abcd", 2**62) | {"e": 7}],  # and comes out as 7
    ],
)
def test_more_people_than_machine_numbers_add_up_are_refused(groups):
    with pytest.raises(BadRelease, match=r"more people.*less than [0-9,]{20,}"):
        sl.Release.from_counts(groups)


def test_as_many_people_as_can_be_added_up_are_counted():
    assert sl.Release.from_counts([{"a": 2**61, "b": 2**61 - 2}, {"a": 1}]).size == 2**62 - 1


def test_more_people_in_a_file_of_counts_are_refused():
    for many in ("99999999999999999999", str(2**62), "1" + "0" * 5_000):
        rows = pa.table({"g": ["x"], "people": [many], "s": ["a"], "count": [many]})
        with pytest.raises(BadRelease, match=r"more people.*less than [0-9,]{20,}"):
            sl.read_release(rows, group=["g"], sensitive="s", rows="counts")
    many = "0" * 5_000 + "7"
    rows = pa.table({"g": ["x"], "people": [many], "s": ["a"], "count": [many]})
    assert sl.read_release(rows, group=["g"], sensitive="s", rows="counts").size == 7


FOUR_ROWS = pa.table({"zip": list("1123"), "disease": ["Flu", "Cold", "Flu", "Flu"]})


@pytest.fixture
def release():
    return sl.stream_release(FOUR_ROWS, group="zip", sensitive="disease", memory="1GB")


def test_it_says_what_it_is_and_shows_nobody(release):
    assert repr(release) == "<StreamedRelease of 4 people in 3 groups, disease: 2 values (single)>"


def test_the_outline_knows_everybody(release):
    assert (release.outline.size, release.outline.groups.whole.tolist()) == (4, [1, 3])


def test_sizes_by_number(release):
    assert release.sizes_of({3, 1}) == {1: 2, 3: 1}
    with pytest.raises(BadRelease, match=r"no group 4\b.*\b1 to 3\b"):
        release.sizes_of({4})


def test_of_equal_groups_the_first_is_kept():
    rows = pa.table({"zip": list("11234"), "disease": ["Flu", "Cold", "Flu", "Flu", "Cold"]})
    first, last = sl.stream_release(rows, group="zip", sensitive="disease").blocks()  # a key that may go on comes later
    assert (first.kinds.numbers.tolist(), last.kinds.numbers.tolist()) == ([1, 2], [4])
    assert [column.cell(1) for column in first.kinds.columns] == ["2"]
