"""The table of smallest ε: the same numbers as measuring every generalisation by itself."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadMeasure, WrongKind
from sidelight.search import node_values
from sidelight.table.hierarchy import Hierarchy
from sidelight.testing import tables


def suppression(table):
    """A hierarchy per column (that says anything) with nothing between a value and `*`."""
    return {
        column.name: Hierarchy.suppression(column.name, column.labels)
        for column in table.quasi
        if set(column.labels) != {None}
    }


def adversaries(domain):
    return {
        "I": sl.PriorBelief(counts=dict.fromkeys(domain, 3), known_people=1),
        "II": sl.PriorBelief(stubbornness=50),
        "III": sl.PriorBelief(shape="release", stubbornness=math.inf),
        "IV": sl.PriorBelief(stubbornness=math.inf),
        "apart from one": sl.PriorBelief(stubbornness=50, apart_from=domain[:1]),
        "all subsets": sl.PriorBelief(stubbornness=50, predicates="all subsets"),
        "and of a wider domain": sl.PriorBelief(
            shape={"elsewhere": 1} | dict.fromkeys(domain, 1), stubbornness=50, predicates="all subsets"
        ),
        "about one": sl.PriorBelief(shape="uniform", stubbornness=30, predicates=[[domain[0]]]),
        "closed": sl.PriorBelief(stubbornness=50, known_people=2, decided_by="closed conditions"),
    }


@examples(20)
@given(tables(semantics="single", max_people=6), st.sampled_from([1, 7, 1 << 15]))
def test_it_is_what_measuring_each_generalisation_gives(table, cells):
    hierarchies, beliefs = suppression(table), adversaries(table.domain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_values, "COUNTS_IN_A_BATCH", cells)
        epsilons = sl.smallest_epsilon_table(table, hierarchies, beliefs)
    assert len(epsilons) == 2 ** len(hierarchies)
    for row in epsilons:
        release = sl.generalise(table, by=hierarchies, to=row.levels)
        assert row.epsilon == {name: measure.measure(release).value for name, measure in beliefs.items()}


def test_some_columns_progress_and_names():
    adult = sl.datasets.adult(sensitive="salary-class")
    reports = []
    beliefs = [sl.PriorBelief(stubbornness=1000), sl.PriorBelief(shape="uniform", stubbornness=math.inf)]
    epsilons = sl.smallest_epsilon_table(
        adult.table, adult.hierarchies, beliefs, columns=["sex", "race"], progress=lambda *done: reports.append(done)
    )
    assert reports == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert epsilons.columns == ("sex", "race")
    assert epsilons.adversaries == ("any shape, stubbornness 1,000", "uniform shape, stubbornness infinite")
    assert [row.node for row in epsilons] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert epsilons.at({"sex": 1}).levels == {"sex": 1, "race": 0}
    assert epsilons.at({"sex": 1, "race": 1}).values[1] == Fraction(45_222, 2 * 11_208)
    assert epsilons == sl.smallest_epsilon_table(adult.table, adult.hierarchies, beliefs, columns=["sex", "race"])
    assert len({epsilons, epsilons}) == 1


def test_what_makes_no_sense_is_refused():
    adult = sl.datasets.adult(quasi=["sex"], sensitive="salary-class")
    belief = sl.PriorBelief(stubbornness=1000)
    with pytest.raises(BadMeasure, match="the same"):
        sl.smallest_epsilon_table(adult.table, adult.hierarchies, [belief, belief])
    epsilons = sl.smallest_epsilon_table(adult.table, adult.hierarchies, [belief])
    with pytest.raises(BadMeasure, match="levels of sex"):
        epsilons.at({"sex": 2})
    with pytest.raises(BadMeasure, match="levels of sex"):
        epsilons.at({"age": 0})
    with pytest.raises(BadMeasure, match="below the number of values"):
        sl.smallest_epsilon_table(adult.table, adult.hierarchies, [sl.PriorBelief(stubbornness=1)])


@examples(10)
@given(tables(semantics="set"))
def test_several_values_per_person_are_refused(table):
    with pytest.raises(BadMeasure, match="defined for single values"):
        sl.smallest_epsilon_table(table, {}, [sl.PriorBelief(stubbornness=1000)])


def test_it_shows_itself_and_is_handed_out_as_a_frame():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    adult = sl.datasets.adult(quasi=["sex"], sensitive="salary-class")
    unmoved = sl.PriorBelief(shape="uniform", stubbornness=math.inf)
    epsilons = sl.smallest_epsilon_table(adult.table, adult.hierarchies, {"sex": unmoved})
    assert repr(epsilons) == "<EpsilonTable: 2 generalisations of sex against 1 adversary>"
    assert "<th>sex</th><th>groups</th><th>sex</th>" in epsilons._repr_html_()
    rows = epsilons.to_arrow().to_pylist()
    assert [row["level of sex"] for row in rows] == [0, 1]
    assert all(0 <= Fraction(row["sex"]) - each.values[0] < 1e-12 for row, each in zip(rows, epsilons, strict=True))
    assert isinstance(epsilons.to_pandas(), pandas.DataFrame)
    assert epsilons.to_pandas().to_dict("records") == rows
    assert isinstance(epsilons.to_polars(), polars.DataFrame)
    assert epsilons.to_polars().to_dicts() == rows


def test_one_adversary_needs_no_list():
    adult = sl.datasets.adult(quasi=["sex"], sensitive="salary-class")
    belief = sl.PriorBelief(stubbornness=1_000)
    alone, listed = (
        sl.smallest_epsilon_table(adult.table, adult.hierarchies, each).rows for each in (belief, [belief])
    )
    assert alone == listed


def test_what_is_no_table_and_who_is_no_adversary_are_named():
    adult = sl.datasets.adult(quasi=["sex"], sensitive="salary-class")
    with pytest.raises(WrongKind, match="should be a Table, not a Release"):
        sl.smallest_epsilon_table(sl.group(adult.table), adult.hierarchies, sl.PriorBelief(stubbornness=9))
    with pytest.raises(WrongKind, match="an adversary should be a PriorBelief, not a GroupSize"):
        sl.smallest_epsilon_table(adult.table, adult.hierarchies, [sl.GroupSize()])
