"""A row per generalisation: which there are, what they say, and how the table shows itself."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadHierarchy, BadMeasure, BadPolicy, NothingSafe, UnknownColumn, WrongKind
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.release.generalise import Lattice
from sidelight.search.effort import EFFORT
from sidelight.search.generalisation_table import batch_groups, values_of
from sidelight.search.utility import UTILITIES
from sidelight.table.hierarchy import Hierarchy
from sidelight.testing.strategies import tables

ADULT = sl.datasets.adult(quasi=["age", "sex"])


def table_of(*arguments, **settings):
    return sl.generalisation_table(ADULT.table, ADULT.hierarchies, *arguments, **settings)


def test_rows_are_named_and_found_by_their_levels():
    levels = table_of([sl.GroupSize(), sl.Implications(1)], "loss")
    assert (levels.columns, levels.measures, levels.utilities) == (
        ("age", "sex"),
        ("group size", "implications(k=1)"),
        ("loss",),
    )
    assert [sum(row.node) for row in levels] == sorted(sum(row.node) for row in levels)
    whole = levels.at({"age": 5, "sex": 1})
    assert (whole.groups, whole.suppressed, whole.measured["group size"]) == (1, 0, 45_222)
    assert whole.utility == {"loss": 1.0}
    with pytest.raises(BadMeasure, match="levels of age, sex"):
        levels.at({"age": 6})
    assert levels == table_of([sl.GroupSize(), sl.Implications(1)], ["loss", "loss"])


def test_every_utility_is_that_of_publishing_these_levels():
    quick = [name for name in UTILITIES if name != "query error"]
    for row in table_of(utilities=quick, policy=sl.GroupSize() >= 100):
        published = sl.protect(
            ADULT.table, sl.GroupSize() >= 100, by=ADULT.hierarchies, levels=row.levels, ask="nobody"
        )
        assert row.utility == {name: published.utility[name] for name in quick}
        assert row.values == ()


def test_some_columns_are_a_table_that_has_no_others():
    some = table_of(sl.GroupSize(), "loss", columns=["sex"])
    alone = sl.datasets.adult(quasi=["sex"])
    assert some == sl.generalisation_table(alone.table, alone.hierarchies, sl.GroupSize(), "loss")
    assert (
        table_of(sl.GroupSize(), "loss", columns="sex")
        == table_of(sl.GroupSize(), "loss", columns=["sex", "sex"])
        == some
    )
    with pytest.raises(UnknownColumn, match="sex"):
        table_of(sl.GroupSize(), columns=["sexx"])
    with pytest.raises(BadMeasure, match="columns= names none"):
        table_of(sl.GroupSize(), columns=[])


def test_columns_without_a_hierarchy_stay_as_they_are():
    some = sl.generalisation_table(ADULT.table, {"sex": ADULT.hierarchies["sex"]}, sl.GroupSize(), "loss")
    assert [row.node for row in some] == [(0, 0), (0, 1)]
    assert some.rows[0].utility == {"loss": 0.0}


def test_of_several_sensitive_columns_each_is_asked_about():
    rows = [("a", "Flu", "low"), ("a", "Cold", "low"), ("b", "Flu", "high"), ("b", "Cold", "low")]
    names = ("zip", "disease", "income")
    people = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    table = sl.read_table(people, quasi=["zip"], sensitive=["disease", "income"])
    by = {"zip": sl.Hierarchy.suppression("zip", ["a", "b"])}
    both = sl.generalisation_table(table, by, [sl.DistinctValues(), sl.GroupSize()])
    assert both.measures == ("distinct values(of=disease)", "distinct values(of=income)", "group size")
    assert [row.values for row in both] == [(2, 1, 2), (2, 2, 4)]
    named = sl.generalisation_table(table, by, {"different": sl.DistinctValues()})
    assert named.measures == ("different: distinct values(of=disease)", "different: distinct values(of=income)")
    one = sl.generalisation_table(table, by, sl.DistinctValues().about("income"))
    assert [row.values for row in one] == [(1,), (2,)]


def test_a_measure_of_whole_releases_is_measured_and_no_policy():
    adult = sl.datasets.adult(quasi=["sex"], sensitive="salary-class")
    believed = sl.MaxEnt(rules=(1, 0))  # mined from the table
    answer = sl.generalisation_table(adult.table, adult.hierarchies, believed)
    for row in answer:
        release = sl.generalise(adult.table, by=adult.hierarchies, to=row.levels)
        assert row.values == (believed.bind_table(adult.table).measure(release).value,)
    with pytest.raises(BadPolicy, match="among the measures"):
        sl.generalisation_table(adult.table, adult.hierarchies, sl.GroupSize(), policy=believed <= 1)


def test_who_leaves_different_values_out_asks_about_different_cases():
    """Both know as many people and have no predicates: what they share ends there."""
    adult = sl.datasets.adult(quasi=["sex"], sensitive="salary-class")
    rich, *_ = adult.table.domain
    beliefs = [sl.PriorBelief(stubbornness=1_000), sl.PriorBelief(stubbornness=1_000, apart_from=[rich])]
    for row in sl.generalisation_table(adult.table, adult.hierarchies, beliefs):
        release = sl.generalise(adult.table, by=adult.hierarchies, to=row.levels)
        assert row.values == tuple(each.measure(release).value for each in beliefs)


def test_each_person_may_wish_something_else_kept():
    """Such a belief is about two sensitive columns at once, and shares no cases with others."""
    diseases = ["Ulcer", "Ulcer", "Flu", "Flu", "Flu", "Ulcer"]
    wishes = ["stomach", None, None, "stomach", None, None]
    rows = pa.table({"zip": [*"aaabbb"], "disease": diseases, "wish": wishes})
    table = sl.read_table(rows, quasi="zip", sensitive=["disease", "wish"], missing="a value")
    by = {"zip": sl.Hierarchy.suppression("zip", ["a", "b"])}
    stomach = {"stubbornness": 10, "predicates": {"stomach": ["Ulcer"]}}
    beliefs = [sl.PriorBelief(wishes="wish", **stomach), sl.PriorBelief(**stomach).about("disease")]
    for row in sl.generalisation_table(table, by, beliefs):
        release = sl.generalise(table, by=by, to=row.levels)
        assert row.values == tuple(each.measure(release).value for each in beliefs)


def test_what_to_know_about_values_is_noted_once():
    """Where nobody has what is asked about, a value is one that nothing was measured for."""
    rows = pa.table({"zip": [*"aabb"], "disease": ["Flu", "Cold", "Flu", "Cold"]})
    table = sl.read_table(rows, quasi="zip", sensitive="disease", domain=["Flu", "Cold", "AIDS"])
    by = {"zip": sl.Hierarchy.suppression("zip", ["a", "b"])}
    nobody, somebody = sl.Negations(1, value="AIDS"), sl.Implications(1, value="AIDS")
    answer = sl.generalisation_table(table, by, [nobody, somebody, sl.GroupSize()])
    release = sl.generalise(table, by=by, to={})
    assert answer.notes == tuple(dict.fromkeys((*nobody.measure(release).notes, *somebody.measure(release).notes)))
    assert mentions(answer._repr_html_(), "nobody", "&#x27;AIDS&#x27;")
    assert table_of(sl.GroupSize()).notes == ()


def test_nothing_within_policy_is_refused():
    with pytest.raises(NothingSafe, match="group size"):
        table_of(sl.GroupSize(), policy=sl.GroupSize() >= 50_000)


def test_what_makes_no_sense_is_refused_in_one_line():
    with pytest.raises(BadMeasure, match="nothing is asked"):
        table_of()
    with pytest.raises(BadMeasure, match=r"two.*measures.*same"):
        table_of([sl.GroupSize(), sl.GroupSize()])
    with pytest.raises(BadMeasure, match=r"'level of age'.*already"):
        table_of({"level of age": sl.GroupSize()})
    with pytest.raises(BadMeasure, match=r"'loss'.*already"):
        table_of({"loss": sl.GroupSize()}, "loss")
    with pytest.raises(BadPolicy, match=r"utility 'los'.*'loss'"):
        table_of(sl.GroupSize(), "los")
    with pytest.raises(BadPolicy, match=r"suppress=.* needs a policy"):
        table_of(sl.GroupSize(), suppress=0.1)
    with pytest.raises(BadPolicy, match="not a share"):
        table_of(sl.GroupSize(), policy=sl.GroupSize() >= 2, suppress=2)
    with pytest.raises(WrongKind, match=r"utility.* a str, not an int"):
        table_of(sl.GroupSize(), [3])
    with pytest.raises(WrongKind, match=r"measure.* a str, not an int"):
        table_of({1: sl.GroupSize()})
    with pytest.raises(WrongKind, match="leave its limit out"):
        table_of([sl.GroupSize() >= 5])
    with pytest.raises(WrongKind, match=r"not a str.*sl\.GroupSize\(\)"):
        table_of("group size")
    with pytest.raises(WrongKind, match="mapping of columns to hierarchies"):
        sl.generalisation_table(ADULT.table, ADULT.hierarchies["age"], sl.GroupSize())
    with pytest.raises(BadMeasure, match="Astronaut"):
        table_of(sl.Implications(1, value="Astronaut"))


def test_too_many_generalisations_are_not_listed(monkeypatch):
    monkeypatch.setattr(EFFORT, "listed_nodes", 11)
    with pytest.raises(BadHierarchy, match=r"\b12 generalisations\b.*more than"):
        table_of(sl.GroupSize())
    assert len(table_of(sl.GroupSize(), policy=sl.GroupSize() >= 100)) == 2


def test_ctrl_c_keeps_the_rows_that_are_there():
    def interrupting(what, done, total):
        assert (what, total) == (f"levels {rows[done - 1].node}", 12)
        if done == 5:
            raise KeyboardInterrupt

    rows = table_of(sl.GroupSize()).rows
    part = table_of(sl.GroupSize(), progress=interrupting)
    assert part.rows == rows[:5]
    assert not part.complete
    assert repr(part) == "<GeneralisationTable: 5 generalisations of age, sex, not complete, by 1 measure>"
    assert "not complete" in part._repr_html_()


def test_it_shows_itself_and_is_handed_out_as_frames():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    belief = sl.PriorBelief(shape="uniform", stubbornness=math.inf)
    levels = table_of({"k": sl.GroupSize(), "<ε>": belief}, ["loss"])
    assert repr(levels) == "<GeneralisationTable: 12 generalisations of age, sex by 2 measures and 1 utility>"
    page = levels._repr_html_()
    assert "<th>age</th><th>sex</th><th>groups</th><th>k</th><th>&lt;ε&gt;</th><th>loss</th>" in page
    rows = levels.to_arrow().to_pylist()
    assert [*rows[0]] == ["level of age", "level of sex", "groups", "suppressed people", "k", "<ε>", "loss"]
    for data, row in zip(rows, levels, strict=True):
        assert (data["level of age"], data["level of sex"], data["groups"], data["k"]) == (
            *row.node,
            row.groups,
            row.values[0],
        )
        assert data["<ε>"] == math.inf or 0 <= Fraction(data["<ε>"]) - row.values[1] < 1e-12  # risks are rounded up
    assert isinstance(levels.to_pandas(), pandas.DataFrame)
    assert isinstance(levels.to_polars(), polars.DataFrame)
    assert levels.to_pandas().to_dict("records") == rows


# The smallest ε of each.


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
        "apart from one": sl.PriorBelief(stubbornness=50, apart_from=domain[1:2]),
        "all subsets": sl.PriorBelief(stubbornness=50, predicates="all subsets"),
        "and of a wider domain": sl.PriorBelief(
            shape={"elsewhere": 1} | dict.fromkeys(domain, 1), stubbornness=50, predicates="all subsets"
        ),
        "about one": sl.PriorBelief(shape="uniform", stubbornness=30, predicates=[[domain[0]]]),
        "closed": sl.PriorBelief(stubbornness=50, known_people=2, decided_by="closed conditions"),
    }


@examples(20)
@given(tables(semantics="single", max_people=6), st.sampled_from([1, 7, 1 << 15]))
def test_each_epsilon_is_what_measuring_each_generalisation_gives(table, cells):
    hierarchies, beliefs = suppression(table), adversaries(table.domain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EFFORT, "measured_counts", cells)
        epsilons = sl.smallest_epsilon_table(table, hierarchies, beliefs)
    assert len(epsilons) == 2 ** len(hierarchies)
    for row in epsilons:
        release = sl.generalise(table, by=hierarchies, to=row.levels)
        assert row.epsilon == {name: measure.measure(release).value for name, measure in beliefs.items()}


def test_some_columns_progress_and_names_of_adversaries():
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


def test_adversaries_that_make_no_sense_are_refused():
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


def test_epsilons_show_themselves_and_are_handed_out_as_a_frame():
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
    with pytest.raises(WrongKind, match="a Table, not a Release"):
        sl.smallest_epsilon_table(sl.group(adult.table), adult.hierarchies, sl.PriorBelief(stubbornness=9))
    with pytest.raises(WrongKind, match=r"adversary.* a PriorBelief, not a GroupSize"):
        sl.smallest_epsilon_table(adult.table, adult.hierarchies, [sl.GroupSize()])


ADULT = sl.datasets.adult(quasi=["age", "sex"])


@pytest.mark.parametrize("most", [1, 500, 1 << 30])
def test_batches_have_all_nodes_in_order(monkeypatch, most):
    monkeypatch.setattr(EFFORT, "measured_counts", most)
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    nodes = tuple(lattice.nodes())
    batches = list(batch_groups((node, lattice.groups_at(node)) for node in nodes))
    assert [node for batch in batches for node, _ in batch] == list(nodes)
    sizes = [sum(len(groups) * len(groups.domain) for _, groups in batch) for batch in batches]
    assert all(size >= most for size in sizes[:-1])


def test_measures_of_any_kind_stay_in_their_places():
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    (batch,) = batch_groups((node, lattice.groups_at(node)) for node in [(3, 0), (5, 1)])
    groups = [each for _, each in batch]
    asked = [sl.Implications(1), sl.RecursiveDiversity(2), sl.GroupSize(), sl.RecursiveDiversity(3)]
    expected = [tuple(each.measure(lattice.release_at(node)).value for each in asked) for node in [(3, 0), (5, 1)]]
    assert values_of(groups, asked, ADULT.table)[0] == expected
    assert values_of(groups, [], ADULT.table)[0] == [(), ()]


def test_a_measure_that_knows_no_parts_is_asked_part_by_part():
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    groups = lattice.groups_at((3, 0))
    starts = np.array([0, 2, 5])
    plain = GroupByGroup.worst_of_parts.__func__  # as a measure of one's own has it
    measures = [sl.Closeness(), sl.GroupSize()]
    for quick, slow in zip(
        (next(iter(type(each).worst_of_parts([each], groups, starts))) for each in measures),
        plain(GroupByGroup, measures, groups, starts),
        strict=True,
    ):
        assert list(quick) == slow
