import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadNoise
from sidelight.noise.domain import Domain

DOMAIN = ["Flu", "Cold", "HIV", "Mumps"]
BY = {
    "sex": sl.Hierarchy("sex", (("f", "m", "x"), ("*", "*", "*"))),
    "age": sl.Hierarchy("age", (("20", "25", "30", ""), ("20-29", "20-29", "30-39", "unknown"), ("*", "*", "*", "*"))),
}
ROWS = pa.table(
    {
        "sex": ["f", "f", "m", "m", "m", None],
        "age": ["20", "25", "30", "30", None, "20"],
        "disease": ["Flu", "Cold", "Flu", "HIV", "Flu", "Flu"],
    }
)
TABLE = sl.read_table(ROWS, quasi=["sex", "age"], sensitive="disease")


def test_cells_are_counted_where_their_people_are():
    domain = Domain.declare(BY, {"age": 1}, DOMAIN)
    exactly = domain.count(TABLE, BY)
    assert exactly.tolist() == [[2, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0]]


def test_missing_cells_are_counted_where_the_hierarchy_has_a_row_for_them():
    domain = Domain.declare(BY, {"age": 0}, DOMAIN)
    assert domain.labels == (("20", "25", "30", None),)
    assert domain.count(TABLE, BY).sum(axis=1).tolist() == [2, 1, 2, 1]


def test_people_who_share_a_label_of_many_are_counted_once():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    levels = {"age": 3, "sex": 0}
    domain = Domain.declare(adult.hierarchies, levels, adult.table.domain)
    exactly = domain.count(adult.table, adult.hierarchies)
    release = sl.generalise(adult.table, by=adult.hierarchies, to=levels)
    assert np.array_equal(exactly, release.groups.counts.dense())


def test_a_domain_is_the_product_of_what_is_declared_and_nothing_else():
    domain = Domain.declare(BY, {"sex": 0, "age": 1}, ["Flu", "Flu", 7])
    assert (len(domain), domain.shape, domain.values) == (9, (9, 2), ("Flu", "7"))
    assert [column.cell(4) for column in domain.columns] == ["m", "30-39"]
    assert dict(domain.levels) == {"sex": 0, "age": 1}


def test_nobody_is_in_a_group_or_has_a_value_that_was_not_declared():
    domain = Domain.declare(BY, {"sex": 0}, ["Flu"])
    groups = domain.groups_of(TABLE, BY)
    missing = np.array([TABLE.column("sex").cell(row) is None for row in range(len(TABLE.sizes))])
    assert (groups[missing] == -1).all()
    assert (groups[~missing] >= 0).all()
    assert domain.places_of(("Cold", "Flu")).tolist() == [-1, 0]


@pytest.mark.parametrize("values", ["Flu", []])
def test_values_have_to_be_listed(values):
    with pytest.raises(BadNoise, match="domain= is not declared"):
        Domain.declare(BY, {}, values)


def test_what_was_not_declared_is_counted_apart_in_each_column_and_as_a_value():
    domain = Domain.declare(BY, {"sex": 0, "age": 1}, ["Flu", "Cold"], outside="other")
    assert domain.labels == (("f", "m", "x", "(other)"), ("20-29", "30-39", "unknown", "(other)"))
    assert domain.values == ("Flu", "Cold", "(other)")
    counts = domain.count(TABLE, BY)
    assert counts.sum() == 6
    assert counts[12:].sum() == 1  # the one without a sex, whose age is known
    assert counts[:, 2].sum() == 1  # HIV
    assert domain.declared_groups.sum() == 9
    assert domain.declared_values.tolist() == [True, True, False]


def test_a_level_that_says_nothing_has_room_for_everybody():
    domain = Domain.declare(BY, {"sex": 1}, DOMAIN, outside="other")
    assert domain.labels == (("*",),)
    odd = sl.read_table(ROWS.set_column(0, "sex", [["odd"] * 6]), quasi=["sex"], sensitive="disease")
    assert domain.count(odd, BY).sum() == 6
    assert domain.declared_groups.all()


def test_numbers_are_the_same_however_programs_write_them():
    floats = sl.read_table(
        pa.table({"age": ["20.0", "25.00", "030", "30."], "disease": ["1.0", "1", "01", "1.50"]}),
        quasi="age",
        sensitive="disease",
    )
    domain = Domain.declare(BY, {"age": 0}, ["1", "1.5"], outside="other")
    assert domain.count(floats, BY).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]


def test_values_of_a_set_that_become_one_count_once():
    rows = pa.table({"id": [1, 1, 1], "sex": ["f"] * 3, "disease": ["Gout", "Mumps", "Flu"]})
    table = sl.read_table(rows, quasi="sex", sensitive="disease", person="id", values="set")
    domain = Domain.declare(BY, {"sex": 0}, ["Flu"], outside="other")
    assert domain.count(table, BY, at_most=3)[0].tolist() == [1, 1]
