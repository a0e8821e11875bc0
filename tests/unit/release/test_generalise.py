"""Generalisations of a table on disk: which nodes are where, and what is refused before it is read."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadHierarchy, UnknownColumn, WrongKind
from sidelight.release import generalise as streamed_lattice
from sidelight.release.generalise import Lattice, StreamedGroups
from sidelight.release.groups import Groups
from sidelight.release.release import StreamedRelease
from sidelight.search.lattice_search import CheckCounter, node_check
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import SortedRuns
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Intake, Table

TABLE = Table(
    quasi=(
        Column.of("age", ["31", "31", "4", "29", "29"]),
        Column.of("sex", ["m", "f", None, "m", "f"]),
        Column.of("bucket", ["1", "2", "2", "1", "1"]),
    ),
    sensitive="disease",
    domain=("Flu", "Cold", "Never seen"),
    sizes=np.array([2, 1, 1, 3, 1]),
    counts=Counts.from_cells([[2, 0, 0], [0, 1, 0], [1, 0, 0], [1, 2, 0], [0, 1, 0]]),
    intake=Intake(rows=8, columns_dropped=("name",)),
)
BY = {
    "age": Hierarchy.intervals("age", [4, 29, 31], widths=[10]),
    "sex": Hierarchy.suppression("sex", ["m", "f"]),
    "elsewhere": Hierarchy.suppression("elsewhere", ["x"]),
}


def cells_and_counts(release):
    groups = release.groups
    return [
        (*(column.cell(row) for column in groups.columns), groups.counts.row(row).tolist())
        for row in range(len(groups))
    ]


def test_grouping_by_columns_as_they_are():
    release = sl.group(TABLE, by=["sex"])
    assert cells_and_counts(release) == [("f", [0, 2, 0]), ("m", [3, 2, 0]), (None, [1, 0, 0])]
    assert release.groups.sizes.tolist() == [2, 5, 1]


def test_groups_stand_in_the_order_of_the_columns_named():
    release = sl.group(TABLE, by=["sex", "age"])
    assert [row[:-1] for row in cells_and_counts(release)] == [
        ("f", "29"),
        ("f", "31"),
        ("m", "29"),
        ("m", "31"),
        (None, "4"),
    ]


def test_a_bucket_column_works_too():
    assert cells_and_counts(sl.group(TABLE, by="bucket")) == [("1", [3, 3, 0]), ("2", [1, 1, 0])]


def test_grouping_by_nothing_puts_all_people_together():
    assert cells_and_counts(sl.group(TABLE, by=[])) == [([4, 4, 0],)]


def test_a_column_named_twice_counts_once():
    assert len(sl.group(TABLE, by=["sex", "sex"]).groups.columns) == 1


def test_what_the_table_knows_is_carried_over():
    for release in (sl.group(TABLE, by="sex"), sl.generalise(TABLE, by=BY, to={"age": 1})):
        assert release.sensitive == "disease"
        assert release.domain == TABLE.domain
        assert release.intake is TABLE.intake
        assert release.groups.whole.tolist() == [4, 4, 0]


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_sizes_are_people_and_add_up_in_every_semantics(semantics):
    table = Table(
        (Column.of("sex", ["m", "f"]),),
        "disease",
        ("Flu",),
        np.array([3, 4]),
        Counts.from_cells([[1], [2]]),
        semantics=semantics,
    )
    release = sl.group(table, by=[])
    assert (release.semantics, release.size, release.groups.counts.dense().tolist()) == (semantics, 7, [[3]])


def test_generalising():
    release = sl.generalise(TABLE, by=BY, to={"age": 1, "sex": 1, "bucket": 0})
    assert cells_and_counts(release) == [
        ("0-9", "*", "2", [1, 0, 0]),
        ("20-29", "*", "1", [1, 3, 0]),
        ("30-39", "*", "1", [2, 0, 0]),
        ("30-39", "*", "2", [0, 1, 0]),
    ]


def test_columns_that_are_not_named_stay_as_they_are():
    assert cells_and_counts(sl.generalise(TABLE, by=BY, to={})) == cells_and_counts(
        sl.group(TABLE, by=["age", "sex", "bucket"])
    )


def test_a_fully_suppressed_column_stays_printed():
    release = sl.generalise(TABLE, by=BY, to={"sex": 1})
    assert {row[1] for row in cells_and_counts(release)} == {"*"}
    assert release.groups.columns[1].name == "sex"


@pytest.mark.parametrize(
    ("by", "to", "error", "named"),
    [
        (BY, {"bucket": 1}, BadHierarchy, ("no hierarchy for 'bucket'", "age, sex, elsewhere", "by=")),
        ({}, {"age": 1}, BadHierarchy, ("no hierarchy for 'age'", "by=", "level 0")),
        (BY, {"age": 3}, BadHierarchy, ("'age'", "no level 3", "0 to 2")),
        (BY, {"sex": -1}, BadHierarchy, ("'sex'", "no level -1", "0 to 1")),
        (BY, {"agee": 1}, UnknownColumn, ("quasi-identifier 'agee'", "'age'")),
        ({"sex": Hierarchy.suppression("sex", ["m"])}, {"sex": 1}, BadHierarchy, ("1 value", "not in it", "f")),
    ],
)
def test_what_cannot_be_generalised(by, to, error, named):
    with pytest.raises(error) as wrong:
        sl.generalise(TABLE, by=by, to=to)
    assert mentions(wrong.value, *named)


def test_no_such_column_to_group_by():
    with pytest.raises(UnknownColumn, match="quasi-identifier 'zip'"):
        sl.group(TABLE, by=["zip"])


def test_without_columns_people_are_grouped_by_all_of_them():
    table = sl.read_table(
        pa.table({"age": ["20", "20", "30"], "sex": ["m", "m", "f"], "disease": ["Flu", "Cold", "Flu"]}),
        quasi=["age", "sex"],
        sensitive="disease",
    )
    assert [str(name) for name in map(sl.group(table).groups.name, range(2))] == [
        "group 1 (age 20, sex m)",
        "group 2 (age 30, sex f)",
    ]
    assert sl.group(table).groups.sizes.tolist() == sl.group(table, by=["age", "sex"]).groups.sizes.tolist()


@pytest.mark.parametrize("wrong", [pa.table({"age": ["20"]}), "patients.csv"])
def test_what_is_no_table_is_told_so_in_one_line(wrong):
    with pytest.raises(TypeError, match=r"^what is grouped.* a Table, not.*sl\.read_table"):
        sl.group(wrong, by="age")
    with pytest.raises(TypeError, match=r"^what is generalised.* a Table, not"):
        sl.generalise(wrong, by={}, to={})


@pytest.mark.parametrize(
    ("by", "to", "message"),
    [
        (BY["age"], {"age": 1}, "by=.*mapping.*Hierarchy.*by="),
        ({"age": [10]}, {"age": 1}, "'age'.* a Hierarchy, not a list"),
        (BY, [1, 1], r"to=.*mapping.*not a list.*to=\{'age': 2"),
    ],
)
def test_hierarchies_and_levels_are_by_column(by, to, message):
    with pytest.raises(WrongKind, match=message):
        sl.generalise(TABLE, by=by, to=to)


@pytest.mark.parametrize("level", ["1", 1.0, None])
def test_a_level_is_a_whole_number(level):
    with pytest.raises(BadHierarchy, match=rf"'age'.*no level {level!r};.*\b0 to 2\b"):
        sl.generalise(TABLE, by=BY, to={"age": level})


def test_people_are_grouped_by_columns():
    with pytest.raises(WrongKind, match=r"by=.*list of columns, not an int"):
        sl.group(TABLE, by=3)


ADULT = sl.datasets.adult()


def test_the_72_generalisations_of_the_papers():
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    assert lattice.heights == (6, 3, 2, 2)
    assert len(lattice) == len(list(lattice.nodes())) == 72
    assert lattice.bottom == (0, 0, 0, 0)
    assert lattice.top == (5, 2, 1, 1)
    assert len(lattice.groups_at(lattice.top)) == 1


def test_finer_nodes_come_first():
    nodes = list(Lattice(ADULT.table, ADULT.hierarchies).nodes())
    assert all(sum(one) <= sum(other) for one, other in pairwise(nodes))


def test_neighbours():
    lattice = Lattice(ADULT.table, ADULT.hierarchies, columns=["sex", "age"])
    assert lattice.predecessors((1, 2)) == ((0, 2), (1, 1))
    assert lattice.predecessors((0, 0)) == ()
    nodes = list(lattice.nodes())
    for node in nodes:
        finer = [
            other for other in nodes if sum(other) == sum(node) - 1 and other[0] <= node[0] and other[1] <= node[1]
        ]
        assert sorted(lattice.predecessors(node)) == sorted(finer)


def test_a_node_is_grouped_once():
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    assert lattice.groups_at((1, 0, 1, 0)) is lattice.groups_at((1, 0, 1, 0))


def test_little_room_changes_nothing_but_what_is_kept():
    roomy, tight = (Lattice(ADULT.table, ADULT.hierarchies, numbers_kept=kept) for kept in (1 << 20, 0))
    for node in ((0, 1, 1, 1), (1, 1, 1, 1), (1, 0, 0, 0), (5, 2, 1, 1)):
        assert roomy.groups_at(node).sizes.tolist() == tight.groups_at(node).sizes.tolist()


def test_the_release_of_a_node_is_the_generalised_table():
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    release = lattice.release_at((3, 1, 1, 1))
    same = sl.generalise(ADULT.table, by=ADULT.hierarchies, to=lattice.levels((3, 1, 1, 1)))
    assert (release.sensitive, release.intake, release.size) == (same.sensitive, same.intake, same.size)
    assert release.groups.sizes.tolist() == same.groups.sizes.tolist()


def test_columns_without_a_hierarchy_have_one_level():
    lattice = Lattice(ADULT.table, {"sex": ADULT.hierarchies["sex"]})
    assert lattice.heights == (1, 1, 1, 2)
    assert repr(lattice) == "<Lattice of 2 generalisations: levels of age 1, marital-status 1, race 1, sex 2>"


def test_no_columns_at_all_leave_everybody_in_one_group():
    lattice = Lattice(ADULT.table, ADULT.hierarchies, columns=[])
    assert list(lattice.nodes()) == [()]
    assert len(lattice) == 1
    assert lattice.groups_at(()).sizes.tolist() == [45_222]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ((0, 0), "2 levels.*4 columns.*age, marital-status, race, sex"),
        ((6, 0, 0, 0), r"'age' has no level 6\b.*\b0 to 5\b"),
        ((0, 0, -1, 0), r"'race' has no level -1\b.*\b0 to 1\b"),
    ],
)
def test_nodes_that_are_not_there(node, message):
    with pytest.raises(BadHierarchy, match=message):
        Lattice(ADULT.table, ADULT.hierarchies).groups_at(node)


def test_no_such_column():
    with pytest.raises(UnknownColumn, match=r"did you mean 'race'"):
        Lattice(ADULT.table, ADULT.hierarchies, columns=["rase"])


def test_a_hierarchy_of_one_level_is_checked_against_the_data_too():
    by = {**ADULT.hierarchies, "sex": sl.Hierarchy("sex", (("Male,*", "Female,*"),))}
    says = r"'sex'.*\b2 values.*not in it.*Female, Male"
    with pytest.raises(BadHierarchy, match=says):
        Lattice(ADULT.table, by)
    with pytest.raises(BadHierarchy, match=says):
        sl.generalise(ADULT.table, by=by, to={"age": 2})
    for method in ("lattice", "mondrian", "anatomy", "microaggregation"):
        with pytest.raises(BadHierarchy, match=says):
            sl.protect(ADULT.table, sl.Policy(sl.GroupSize() >= 5), by=by, method=method, ask="nobody")


AGES = [str(age) for age in range(20, 60)]
COARSER = {
    "age": sl.Hierarchy("age", (tuple(AGES), tuple(f"{age[0]}0s" for age in AGES), ("*",) * len(AGES))),
    "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*"))),
}


@pytest.fixture
def lattice(monkeypatch):
    """40 ages and both sexes, a person each; 30 groups and values of groups fit."""
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 8)
    monkeypatch.setattr(Memory, "rolls_up", lambda self, rows: rows <= 30)
    rows = pa.table({"age": AGES * 2, "sex": ["f"] * 40 + ["m"] * 40, "disease": ["Flu", "Cold"] * 40})
    return Lattice(sl.stream_table(rows, quasi=["age", "sex"], sensitive="disease"), COARSER)


def test_what_fits_is_in_memory_and_the_rest_on_disk(lattice):
    assert isinstance(lattice.groups_at((0, 0)), StreamedGroups)
    assert isinstance(lattice.groups_at((2, 0)), Groups)
    assert not lattice.is_in_memory((0, 0))
    assert lattice.is_in_memory((2, 0))
    assert lattice.is_in_memory((2, 1))
    assert isinstance(lattice.release_to_judge((0, 1)), StreamedRelease)
    assert len(lattice.release_at((0, 1))) == 40


def test_one_pass_makes_the_finest_root_that_is_known_to_fit(lattice, monkeypatch):
    passes = []
    roll_up = streamed_lattice.roll_up_stream
    monkeypatch.setattr(streamed_lattice, "roll_up_stream", lambda *a, **k: passes.append(1) or roll_up(*a, **k))
    assert len(lattice.groups_at((2, 1))) == 1
    assert len(lattice.groups_at((2, 0))) == 2
    assert len(passes) == 1


def test_too_many_groups_are_refused_before_the_end(lattice):
    assert not lattice.few_below((0, 1), 40, most=0)
    assert (0, 1) not in lattice._on_disk
    assert lattice.few_below((0, 1), 2, most=0)
    assert (0, 1) in lattice._on_disk


def test_groups_too_small_are_refused_without_a_sort_where_no_run_shows_it(lattice, monkeypatch):
    monkeypatch.setattr(streamed_lattice, "roll_up_stream", None)  # whoever rolls up fails
    assert not lattice.few_below((0, 1), 3, most=0)  # at most 26 groups, and runs have 8 rows
    assert not lattice.few_below((0, 1), 3, most=79)


def test_progress_moves_within_a_node(lattice, monkeypatch):
    monkeypatch.setattr(SortedRuns.read_unordered, "__defaults__", (20,))
    heard = []
    policy = sl.Policy(sl.GroupSize() >= 2)
    counter = CheckCounter.watch(lattice, lambda *each: heard.append(each), None)
    assert counter.check_each([(0, 1)], node_check(lattice, list(policy.criteria))) == [(0, 1)]
    assert heard[0] == ("levels (0, 1)", 1, 6)
    assert heard[-1] == ("levels (0, 1), 100 % read", 1, 6)
    assert ("levels (0, 1), 50 % read", 1, 6) in heard
    assert lattice.spilled > 0


def test_hidden_groups_become_one(lattice):
    groups = lattice.groups_at((0, 1))
    hidden = np.zeros(len(groups), bool)
    hidden[:3] = True
    star = groups.merge_hidden(hidden)
    blocks = list(star.blocks())
    assert len(star) == 38
    assert sum(int(block.sizes.sum()) for block in blocks) == 80
    assert (int(blocks[0].sizes[0]), blocks[0].counts.dense().tolist()) == (6, [[2, 4]])
    assert groups.people_of(hidden) == 6
    assert len(groups.drop(hidden, np.zeros(2, bool))) == 37


def test_few_nodes_are_kept_on_disk(lattice, monkeypatch):
    monkeypatch.setattr(streamed_lattice, "ON_DISK", 0)
    lattice.groups_at((0, 1))
    assert not lattice._on_disk
