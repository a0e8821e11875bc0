"""Subsets of columns: keys, cubes and bitmaps against counting each subset's rows one by one."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, factorial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.definitions import matched
from support.examples import examples

import sidelight as sl
from sidelight.measures.column_subsets import subsets as walk
from sidelight.table.labels import Column
from sidelight.table.table import Counts
from sidelight.testing.strategies import tables


def people_of(table):
    """List everybody's cells, and values where each has one."""
    rows = []
    for key, size in enumerate(table.sizes.tolist()):
        cells = {column.name: column.cell(key) for column in table.quasi}
        values = [value for value, count in zip(table.domain, table.counts.row(key), strict=True) for _ in range(count)]
        rows += [(key, cells, value) for value in (values if table.semantics == "single" else [None] * size)]
    return rows


def groups_of(rows, names):
    groups = {}
    for key, cells, value in rows:
        groups.setdefault(tuple(cells[name] for name in names), []).append((key, value))
    return list(groups.values())


def every_subset(names, up_to):
    return [each for size in range(1, up_to + 1) for each in combinations(names, size)]


@examples(60)
@given(tables(max_columns=4), st.integers(1, 4))
def test_every_subset_as_counted_one_by_one(table, up_to):
    rows, names = people_of(table), [column.name for column in table.quasi]
    which = sl.identifying_columns(table, up_to)
    assert [each.columns for each in which.subsets] == every_subset(names, min(up_to, len(names)))
    people = len(rows)
    for subset in which.subsets:
        groups = groups_of(rows, subset.columns)
        sizes = [len(group) for group in groups]
        assert (subset.groups, subset.unique, subset.smallest) == (len(sizes), sizes.count(1), min(sizes))
        assert subset.distinction == sum(Fraction(1, len(group)) for group in groups for _ in group) / people
        pairs = comb(people, 2)
        assert subset.separation == (1 - Fraction(sum(comb(size, 2) for size in sizes), pairs) if pairs else 0)
        if table.semantics == "single":
            right = sum(max(Counter(value for _, value in group).values()) for group in groups)
            assert subset.inference == Fraction(right, people)
        else:
            assert subset.inference is None


@examples(40)
@given(tables(max_columns=4), st.fractions(min_value=Fraction(1, 20), max_value=1))
def test_smallest_sets_are_those_without_a_smaller_one(table, share):
    which = sl.identifying_columns(table)
    identify = [set(each.columns) for each in which.subsets if each.unique_share >= share]
    minimal = [names for names in identify if not any(other < names for other in identify)]
    assert sorted(map(sorted, minimal)) == sorted(sorted(each.columns) for each in which.smallest(share))


@examples(60)
@given(tables(max_columns=4), st.integers(1, 4))
def test_minimal_uniques_as_the_definition_says(table, largest):
    rows, names = people_of(table), [column.name for column in table.quasi]
    alone = {
        subset: {group[0][0] for group in groups_of(rows, subset) if len(group) == 1}
        for subset in every_subset(names, len(names))
    }
    expected = {
        (key, subset)
        for subset, keys in alone.items()
        for key in keys
        if len(subset) <= largest and not any(key in alone[part] for part in alone if set(part) < set(subset))
    }
    uniques = sl.minimal_uniques(table, largest=largest)
    assert {(key, subset) for key in range(len(table.sizes)) for subset in uniques.of(key)} == expected
    weight = {subset: factorial(len(names) - len(subset)) for subset in alone}
    scores = Counter({key: sum(weight[subset] for other, subset in expected if other == key) for key, _ in expected})
    assert uniques.scores.tolist() == [scores[key] for key in range(len(table.sizes))]
    total = sum(scores.values())
    for name in names if total else ():
        with_it = [subset for _, subset in expected if name in subset]
        assert uniques.contributions[name] == Fraction(sum(weight[subset] for subset in with_it), total)
        fair = sum(Fraction(weight[subset], len(subset)) for subset in with_it)
        assert uniques.fair_shares[name] == Fraction(fair) / total


@pytest.mark.parametrize("word", [3, 8])
@pytest.mark.parametrize(("dense", "block"), [(0, 100), (2, 1), (100, 2)])
@examples(15)
@given(table=tables(max_columns=4))
def test_several_words_blocks_and_cubes_change_nothing(word, dense, block, table):
    before = sl.identifying_columns(table).table(), sl.minimal_uniques(table).scores.tolist()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(walk, "WORD", word)
        patched.setattr(walk, "DENSE", dense)
        patched.setattr(walk, "BLOCK", block)
        after = sl.identifying_columns(table).table(), sl.minimal_uniques(table).scores.tolist()
    assert before == after


def test_people_in_blocks_are_the_same_people(monkeypatch):
    rng = np.random.default_rng(7)
    columns = [Column.of(name, map(str, rng.integers(0, 9, 400))) for name in "abcde"]
    table = sl.Table(tuple(columns), "s", ("x",), np.ones(400, int), Counts.from_cells(np.ones((400, 1))))
    whole = sl.minimal_uniques(table)
    monkeypatch.setattr(walk, "BITMAPS", 1)  # 64 people at a time
    parts = sl.minimal_uniques(table)
    assert parts.scores.tolist() == whole.scores.tolist()
    assert parts.by_size() == whole.by_size()
    assert parts.contributions == whole.contributions


# --- measures of a release -----------------------------------------------------------------------------------------


@examples(50)
@given(tables(max_columns=3), st.integers(0, 4))
def test_singling_out_as_counted_one_by_one(table, facts):
    rows, names = people_of(table), [column.name for column in table.quasi]
    alone = {
        group[0][0]
        for subset in every_subset(names, min(facts, len(names)))
        for group in groups_of(rows, subset)
        if len(group) == 1
    }
    finding = sl.SinglingOut(facts=facts).measure(sl.group(table))
    assert finding.value == Fraction(len(alone), len(rows))
    if finding.witness is not None:
        assert [all(cells[name] == text for name, text in finding.witness.cells) for _, cells, _ in rows].count(
            True
        ) == 1


@examples(30)
@given(st.lists(st.tuples(*[st.sampled_from("12")] * 3), min_size=1, max_size=5), st.integers(0, 3))
def test_linkability_is_what_counting_worlds_gives(people, split):
    names = ["a", "b", "c"]
    columns = dict(zip(names, (list(cells) for cells in zip(*people, strict=True)), strict=True))
    table = sl.read_table(pa.table(columns | {"s": ["x"] * len(people)}), quasi=names, sensitive="s")
    one, other = names[:split], names[split:]
    finding = sl.Linkability(one, other).measure(sl.group(table))
    rows = [dict(zip(names, cells, strict=True)) for cells in people]
    assert finding.value == matched(rows, one, other)
    assert finding.replay(sl.group(table)) == finding.value


def guessed_by_everybody_else(rows, names):
    """Leave each person out, and guess by the rest of their group, or by everybody where nobody is left."""
    right = Fraction(0)
    for place, (_, cells, value) in enumerate(rows):
        others = rows[:place] + rows[place + 1 :]
        alike = [each for each in others if all(each[1][name] == cells[name] for name in names)]
        counts = Counter(other for _, _, other in alike or others)
        most = [each for each, count in counts.items() if count == max(counts.values())]
        right += Fraction(value in most, len(most)) if most else 0
    return right / len(rows)


@examples(60)
@given(tables(semantics="single", max_columns=3), st.integers(0, 3))
def test_inference_and_its_control_as_counted_one_by_one(table, columns):
    rows, names = people_of(table), [column.name for column in table.quasi][:columns]
    release = sl.group(table)
    finding = sl.Inference(names).measure(release)
    right = sum(max(Counter(value for _, value in group).values()) for group in groups_of(rows, names))
    assert finding.value == Fraction(right, len(rows)) == finding.replay(release)
    assert finding.witness.control == guessed_by_everybody_else(rows, names)
    if len(names) == len(table.quasi):
        assert sl.Inference().measure(release).value == finding.value
        assert sl.Inference().measure(release).witness.control == finding.witness.control


@examples(30)
@given(tables(semantics="set", max_columns=3))
def test_a_printed_column_may_be_the_secret(table):
    rows, (known, *others) = people_of(table), [column.name for column in table.quasi]
    for secret in others:
        finding = sl.Inference(known, secret).measure(sl.group(table))
        groups = groups_of([(key, cells, cells[secret]) for key, cells, _ in rows], [known])
        right = sum(max(Counter(value for _, value in group).values()) for group in groups)
        assert finding.value == Fraction(right, len(rows))
