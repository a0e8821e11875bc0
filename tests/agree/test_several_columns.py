"""Several sensitive columns read together say what reading each alone says, and searches keep all their limits."""

from dataclasses import replace
from functools import reduce

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.measures.about import About
from sidelight.measures.criterion import CriterionCheck
from sidelight.testing import measures
from sidelight.testing.strategies import split

COLUMNS = {
    "zip": st.sampled_from(["1", "2", None]),
    "age": st.sampled_from(["3", "4", "5"]),
    "disease": st.sampled_from(["Flu", "Cold", "HIV, late", None]),
    "income": st.sampled_from(["low", "high", None]),
}
SENSITIVE = ("disease", "income")
SUPPRESSION = {
    "zip": sl.Hierarchy.suppression("zip", ["1", "2"]),
    "age": sl.Hierarchy.suppression("age", ["3", "4", "5"]),
}


def people(min_size=1, max_size=12):
    """Draw rows of people, as an Arrow table."""
    row = st.tuples(*COLUMNS.values())
    return st.lists(row, min_size=min_size, max_size=max_size).map(as_table)


def as_table(rows):
    return pa.table(
        {name: pa.array(cells, pa.string()) for name, cells in zip(COLUMNS, zip(*rows, strict=True), strict=True)}
    )


def read(rows, *, group=("zip", "age"), sensitive=SENSITIVE):
    return sl.read_release(rows, group=list(group), sensitive=sensitive, missing="a value")


@examples(20)
@given(st.data())
def test_a_view_is_the_file_read_with_that_column_alone(data):
    rows = data.draw(people())
    both, column = read(rows), data.draw(st.sampled_from(SENSITIVE))
    alone = read(rows, sensitive=column)
    view = both.about(column)
    assert (view.domain, view.sensitive) == (alone.domain, alone.sensitive)
    assert view.groups.counts.dense().tolist() == alone.groups.counts.dense().tolist()
    assert view.groups.whole.tolist() == alone.groups.whole.tolist()
    measure = data.draw(measures(alone))
    finding = measure.about(column).measure(both)
    assert finding.value == measure.measure(alone).value
    assert finding.replay(both) == finding.value


@examples(20)
@given(people(), st.sampled_from(["a value", "drop", "an error"]), st.booleans())
def test_counts_of_groups_and_combinations_say_what_rows_of_people_say(rows, missing, declared):
    domain = {"disease": ["HIV, late", "Flu", "Cold", None]} if declared else None
    roles = {"group": ["zip", "age"], "sensitive": list(SENSITIVE), "missing": missing, "domain": domain}
    counts = read(rows).to_arrow()
    try:
        expected = sl.read_release(rows, **roles)
    except sl.SidelightError:
        with pytest.raises(sl.SidelightError):
            sl.read_release(counts, rows="counts", **roles)
        return
    release = sl.read_release(counts, rows="counts", **roles)
    assert (release.domain, release.size) == (expected.domain, expected.size)
    assert [column.labels for column in release.domain.columns] == [column.labels for column in expected.domain.columns]
    assert release.groups.counts.dense().tolist() == expected.groups.counts.dense().tolist()


@examples(20)
@given(st.data())
def test_who_knows_a_column_sees_it_as_one_more_column_of_the_groups(data):
    rows = data.draw(people())
    both = read(rows)
    column, known = data.draw(st.permutations(SENSITIVE))
    alone = read(rows, group=("zip", "age", known), sensitive=column)
    view = both.about(column, known=known)
    assert [view.groups.name(row).printed for row in range(len(view))] == [
        alone.groups.name(row).printed for row in range(len(alone))
    ]
    assert view.groups.counts.dense().tolist() == alone.groups.counts.dense().tolist()
    measure = data.draw(measures(alone, mergeable=True))
    finding = measure.about(column, known=[known]).measure(both)
    assert finding.value == measure.measure(alone).value
    assert finding.replay(both) == finding.value


@examples(20)
@given(st.data())
def test_a_search_judges_groups_and_releases_as_an_audit_does(data):
    both = read(data.draw(people()))
    column, other = data.draw(st.permutations(SENSITIVE))
    known = data.draw(st.sampled_from([(), (other,)]))
    plain = data.draw(measures(both.about(column, known=known), mergeable=True))
    measure = plain.about(column, known=known)
    bound = data.draw(st.sampled_from([0, 0.5, 1, 2, 3]))
    assume(plain.limits[0] <= bound <= plain.limits[1])
    criterion = measure <= bound if measure.large_is_bad else measure >= bound
    check = CriterionCheck.from_criterion(criterion, both.size)
    something_is_measured = check.holds_of_nothing(both.groups)  # a release of nobody with a value may break a limit
    assert (check.holds(both.groups) and something_is_measured) == criterion.judge(both).holds
    if check.screen.group_by_group:
        each_holds = bool(check.holds_in_each(both.groups).all())
        assert (each_holds and something_is_measured) == criterion.judge(both).holds
    parts = data.draw(st.permutations(split(both, [[row] for row in range(len(both))])))
    finding = reduce(lambda one, two: one.merge(two), map(measure.summarize, parts)).finding()
    assert finding.value == measure.measure(both).value
    if finding.witness is not None:  # it names a group of the release, also where the worst is a part of one
        printed = both.groups.name(finding.witness.group.number - 1).printed
        assert finding.witness.group.printed[: len(printed)] == printed


LIMITS = (
    sl.GroupSize() >= 2,
    sl.DistinctValues() >= 2,
    (sl.DistinctValues() >= 2).about("income"),
    (sl.Implications(1) < 1).about("disease"),
    (sl.Closeness() <= 0.4).about("disease"),
    (sl.DistinctValues() >= 2).about("disease", known=["income"]),
    (sl.Implications(1) <= 0.9).about("disease", known="income"),
    (sl.Acquaintance(rules_out=1, value="Flu") <= 0.9).about("disease"),
    (sl.GroupSize() >= 2).about(known="income"),
)
METHODS = (
    "lattice",
    sl.FullDomain(suppress=0.5),
    sl.FullDomain(suppress=0.5, suppressed="left out"),
    "mondrian",
    "microaggregation",
)


@examples(30)
@given(st.data())
def test_what_is_found_keeps_every_limit_as_read_column_by_column(data):
    rows = data.draw(people(min_size=4, max_size=24))
    table = sl.read_table(rows, quasi=["zip", "age"], sensitive=list(SENSITIVE), missing="a value")
    assume("Flu" in table.about("disease").domain)
    policy = sl.Policy(*data.draw(st.lists(st.sampled_from(LIMITS), min_size=1, max_size=4, unique=True)))
    try:
        found = sl.protect(table, policy, by=SUPPRESSION, method=data.draw(st.sampled_from(METHODS)), ask="nobody")
    except sl.NothingSafe:
        return
    printed = found.to_arrow()
    for criterion in policy.about_each(SENSITIVE).criteria:
        question, of, known = _parts(criterion.measure)
        domain = found.release.about(of).domain  # a limit may name a value that nobody has any more
        alone = sl.read_release(printed, group=["zip", "age", *known], sensitive=of, missing="a value", domain=domain)
        assert replace(criterion, measure=question).judge(alone).holds


def _parts(measure):
    if not isinstance(measure, About):
        return measure, "disease", ()
    return measure.question, measure.of or "disease", measure.known


@examples(30)
@given(st.data())
def test_the_lattice_has_all_minimal_choices_as_judging_every_node_gives_them(data):
    rows = data.draw(people(min_size=4, max_size=24))
    table = sl.read_table(rows, quasi=["zip", "age"], sensitive=list(SENSITIVE), missing="a value")
    assume("Flu" in table.about("disease").domain)
    policy = sl.Policy(*data.draw(st.lists(st.sampled_from(LIMITS), min_size=1, max_size=4, unique=True)))
    nodes = [{"zip": one, "age": other} for one in (0, 1) for other in (0, 1)]
    safe = [node for node in nodes if policy.judge(sl.generalise(table, by=SUPPRESSION, to=node)).safe]
    minimal = [node for node in safe if not any(_is_finer(other, node) for other in safe)]
    try:
        found = sl.protect(table, policy, by=SUPPRESSION, ask="nobody")
    except sl.NothingSafe:
        assert not safe
        return
    assert sorted(map(str, found.minimal)) == sorted(map(str, minimal))


def _is_finer(one, other):
    return one != other and all(one[name] <= other[name] for name in one)
