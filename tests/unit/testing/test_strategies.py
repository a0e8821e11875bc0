"""The shipped strategies draw what they promise, edge cases included."""

import subprocess
import sys

import pytest
from hypothesis import Phase, find, given, settings
from support.words import mentions

import sidelight as sl
from sidelight.knowledge.facts import Compound
from sidelight.table.labels import in_order
from sidelight.testing import facts, merges, releases, splits, tables

ANY = settings(phases=[Phase.generate], max_examples=500, database=None)


def biggest(release):
    return int(release.groups.sizes.max())


EDGE_CASES = {
    "a group of one person": lambda release: release.groups.sizes.min() == 1,
    "a value that a group lacks": lambda release: (release.groups.counts.dense() == 0).any(),
    "a value that occurs nowhere": lambda release: (release.groups.whole == 0).any(),
    "a domain of one value": lambda release: len(release.domain) == 1,
    "a missing value that occurs": lambda release: (
        None in release.domain and release.groups.whole[release.domain.index(None)] > 0
    ),
    "an unsorted domain": lambda release: release.domain != in_order(release.domain),
    "labels": lambda release: len(release.groups.columns) > 0,
    "no labels": lambda release: len(release.groups.columns) == 0,
    "sparse counts": lambda release: release.groups.counts.cells is None,
}


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("edge", EDGE_CASES)
def test_edge_cases_are_drawn(semantics, edge):
    find(releases(semantics=semantics, max_values=6), EDGE_CASES[edge], settings=ANY)


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_people_without_values_are_drawn(semantics):
    find(releases(semantics=semantics), lambda release: release.groups.counts.per_row().min() == 0, settings=ANY)


@given(releases(semantics="set", min_groups=2, max_groups=3, max_people=2, max_values=2))
def test_limits_are_kept(release):
    assert release.semantics == "set"
    assert 2 <= len(release) <= 3
    assert biggest(release) <= 2
    assert len(release.domain) <= 2


@given(releases(named=True))
def test_named_people_have_a_group_each(release):
    assert len(release.people) == release.size


@given(merges())
def test_merging_keeps_people_and_values(pair):
    finer, coarser = pair
    assert len(coarser) == len(finer) - 1
    assert coarser.size == finer.size
    assert coarser.groups.whole.tolist() == finer.groups.whole.tolist()


@given(releases().flatmap(lambda release: splits(release).map(lambda parts: (release, parts))))
def test_parts_make_up_the_whole(pair):
    release, parts = pair
    assert sorted(number for part in parts for number in part.numbers.tolist()) == list(range(1, len(release) + 1))
    assert all(len(part) > 0 for part in parts)


@given(tables(max_keys=4))
def test_tables_have_distinct_cells(table):
    cells = list(zip(*([column.cell(row) for row in range(len(column))] for column in table.quasi), strict=True))
    assert len(set(cells)) == len(cells) == len(table.sizes) == table.counts.rows <= 4


def test_tables_with_missing_cells_are_drawn():
    find(tables(), lambda table: any(None in column.labels for column in table.quasi), settings=ANY)


def test_without_hypothesis_the_remedy_is_named():
    script = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import sidelight.errors\n"
        "try:\n    import sidelight.testing\n"
        "except sidelight.errors.NotAvailable as error:\n    print(error)"
    )
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert mentions(output, 'pip install "sidelight[testing]"', '".[testing]"')


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (sl.Has, None),
        (sl.OneOf, None),
        (sl.Same, None),
        *((Compound, word) for word in ("not", "and", "or", "->")),
    ],
)
def test_facts_of_every_form_are_drawn(kind, word):
    def is_of_form(fact):
        return isinstance(fact, kind) and getattr(fact, "word", None) == word

    fact = find(facts(["Bob", sl.Someone(1)], ["Flu", None]), is_of_form)
    assert sl.read_fact(str(fact)) == fact
