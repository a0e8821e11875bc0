from itertools import pairwise

import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, UnknownColumn
from sidelight.release.lattice import Lattice

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
        ((0, 0), "2 levels for 4 columns; give one each for age, marital-status, race, sex"),
        ((6, 0, 0, 0), "'age' has no level 6; its levels are 0 to 5"),
        ((0, 0, -1, 0), "'race' has no level -1; its levels are 0 to 1"),
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
    says = "hierarchy of 'sex': 2 values of the data are not in it: Female, Male"
    with pytest.raises(BadHierarchy, match=says):
        Lattice(ADULT.table, by)
    with pytest.raises(BadHierarchy, match=says):
        sl.generalise(ADULT.table, by=by, to={"age": 2})
    for method in ("lattice", "mondrian", "anatomy", "microaggregation"):
        with pytest.raises(BadHierarchy, match=says):
            sl.protect(ADULT.table, sl.Policy(sl.GroupSize() >= 5), by=by, method=method)
