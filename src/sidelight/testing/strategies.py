"""Small releases, tables and facts with all their edge cases, and other forms of the same release.

Drawn: `releases`, `tables`, `facts`, `measures`, and pairs that claims are about (`merges`, `splits`).
From a release: with `merged` groups, in another order (`reordered`), in parts (`split`).

from hypothesis import given
from sidelight.testing import releases

@given(releases(semantics="set"))
def test_something(release): ...
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from sidelight.knowledge.facts import Compound, Fact, Has, OneOf, Same, Who
from sidelight.policy.measure_names import all_measures
from sidelight.release.groups import Groups, whole_groups
from sidelight.release.release import Release
from sidelight.table.labels import Column, Label, Semantics
from sidelight.table.table import Counts, Table

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure

# Labels of quasi-identifiers; `None` is a missing cell
CELLS: tuple[Label, ...] = ("30", "4", "30-39", "*", "", "né", None)


@st.composite
def releases(
    draw: DrawFn,
    *,
    semantics: Semantics | None = None,
    min_groups: int = 1,
    max_groups: int = 4,
    max_people: int = 4,
    max_values: int = 4,
    named: bool = False,
) -> Release:
    """Draw a release: at most `max_people` in a group, at most `max_values` in the domain (up to ten).

    Among them: groups of one person, values that a group lacks, values that occur nowhere, domains of one value
    and in any order, a missing value, people without values (in "set" and "multiset"), groups in which nobody has
    one, groups with and without printed labels.  Without `semantics`, any of the three; `named` people are P1, P2, …
    """
    kind = draw(_draw_kind(semantics))
    domain = draw(domains(max_values=max_values))
    groups = draw(st.lists(_group(kind, domain, max_people), min_size=min_groups, max_size=max_groups))
    if named:
        return _build_named(groups, kind, domain)
    printed = st.fixed_dictionaries({"age": st.sampled_from(CELLS), "sex": st.sampled_from(CELLS)})
    return Release.from_counts(
        [bag for _, bag in groups],
        sizes=[people for people, _ in groups],
        values=kind,
        domain=domain,
        labels=draw(st.none() | st.lists(printed, min_size=len(groups), max_size=len(groups))),
    )


def domains(*, max_values: int = 4) -> SearchStrategy[tuple[Label, ...]]:
    """Draw distinct sensitive values in any order, sometimes a missing one among them."""
    values = ("Flu", "Cold", "Heart disease", "10", "9", "Lung cancer", "a value, quoted", "Ünïcode", "", None)
    return st.lists(st.sampled_from(values), min_size=1, max_size=max_values, unique=True).map(tuple)


@st.composite
def merges(
    draw: DrawFn, *, semantics: Semantics | None = None, max_groups: int = 4, max_people: int = 4, max_values: int = 4
) -> tuple[Release, Release]:
    """Draw a release of at least two groups, and the same with two of them merged."""
    release = draw(
        releases(semantics=semantics, min_groups=2, max_groups=max_groups, max_people=max_people, max_values=max_values)
    )
    kept, gone = sorted(draw(orders(len(release)))[:2])
    into = [kept if row == gone else row - (row > gone) for row in range(len(release))]
    return release, merged(release, into)


def measures(release: Release, *, mergeable: bool = False) -> SearchStrategy[Measure]:
    """Draw a measure that applies to a release; with `mergeable`, one that a search can follow."""
    every = (measure for kind in all_measures() for measure in kind.examples(release.domain))
    applicable = [measure for measure in every if release.semantics in measure.semantics]
    followed = [measure for measure in applicable if measure.mergeable and not measure.estimate]
    return st.sampled_from(followed if mergeable else applicable)


def orders(length: int) -> SearchStrategy[tuple[int, ...]]:
    """Draw an order of 0, 1, …, length − 1."""
    return st.permutations(range(length)).map(tuple)


@st.composite
def splits(draw: DrawFn, release: Release) -> list[Groups]:
    """Draw a partition of the groups of a release: parts in any order, each with its groups in order."""
    order = draw(orders(len(release)))
    cuts = sorted({0, *draw(st.sets(st.integers(1, len(release)))), len(release)})
    return split(release, [sorted(order[start:stop]) for start, stop in pairwise(cuts)])


@st.composite
def tables(
    draw: DrawFn,
    *,
    semantics: Semantics | None = None,
    max_columns: int = 3,
    max_keys: int = 6,
    max_people: int = 3,
    max_values: int = 4,
) -> Table:
    """Draw a table of at most `max_keys` keys (distinct quasi-identifier values), missing cells among them."""
    kind = draw(_draw_kind(semantics))
    domain = draw(domains(max_values=max_values))
    names = ("age", "sex", "zip", "country", "education")[: draw(st.integers(1, max_columns))]
    row = st.tuples(*(st.sampled_from(CELLS) for _ in names))
    rows = draw(st.lists(row, min_size=1, max_size=max_keys, unique=True))
    keys = [draw(_group(kind, domain, max_people)) for _ in rows]
    return Table(
        quasi=tuple(Column.of(name, texts) for name, texts in zip(names, zip(*rows, strict=True), strict=True)),
        sensitive="disease",
        domain=domain,
        sizes=np.array([people for people, _ in keys], np.int64),
        counts=Counts.from_cells([[bag.get(value, 0) for value in domain] for _, bag in keys]),
        semantics=kind,
    )


def _draw_kind(semantics: Semantics | None) -> SearchStrategy[Semantics]:
    every: tuple[Semantics, ...] = get_args(Semantics)
    return st.sampled_from(every) if semantics is None else st.just(semantics)


@st.composite
def _group(
    draw: DrawFn, semantics: Semantics, domain: tuple[Label, ...], max_people: int
) -> tuple[int, dict[Label, int]]:
    """Draw the number of people and the bag of values of one group."""
    people = draw(st.integers(1, max_people))
    if semantics == "set":
        return people, {value: draw(st.integers(0, people)) for value in domain}
    most = people if semantics == "single" else max_people + 1
    least = people if semantics == "single" else 0
    return people, dict(Counter(draw(st.lists(st.sampled_from(domain), min_size=least, max_size=most))))


def _build_named(
    groups: list[tuple[int, dict[Label, int]]], semantics: Semantics, domain: tuple[Label, ...]
) -> Release:
    names = iter(f"P{number}" for number in range(1, sum(people for people, _ in groups) + 1))
    listed = [([next(names) for _ in range(people)], [*Counter(bag).elements()]) for people, bag in groups]
    return Release.from_groups(listed, values=semantics, domain=domain)


def facts(people: Sequence[Who], values: Sequence[Label], *, max_leaves: int = 6) -> SearchStrategy[Fact]:
    """Draw a fact: simple ones about these people and values, joined in every way."""
    return facts_of(st.sampled_from(people), st.sampled_from(values), max_leaves=max_leaves)


def facts_of(
    people: SearchStrategy[Who], values: SearchStrategy[Label], *, max_leaves: int = 6
) -> SearchStrategy[Fact]:
    """Draw a fact about drawn people and values."""
    simple: SearchStrategy[Fact] = st.one_of(
        st.builds(Has, people, values),
        st.builds(OneOf, people, st.lists(values, min_size=1, max_size=3)),
        st.builds(Same, people, people),
    )
    return st.recursive(simple, _join_facts, max_leaves=max_leaves)


def _join_facts(parts: SearchStrategy[Fact]) -> SearchStrategy[Fact]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    joined = st.builds(Compound, st.sampled_from(["and", "or"]), several)
    return st.one_of(st.builds(operator.invert, parts), joined, st.builds(Fact.implies, parts, parts))


def merged(release: Release, into: Sequence[int]) -> Release:
    """Put row r's group into new group `into[r]` (numbered from 0, none left empty).

    Nothing is printed about the new groups, and nobody is named.

    >>> release = Release.from_counts([{"a": 1}, {"b": 2}, {"a": 1, "b": 1}])
    >>> merged(release, [0, 1, 0]).groups.counts.dense().tolist()
    [[2, 1], [0, 2]]
    """
    groups, new_group = release.groups, np.asarray(into, np.int64)
    count = int(new_group.max()) + 1
    sizes = np.bincount(new_group, weights=groups.sizes, minlength=count).astype(np.int64)
    counts = groups.counts.roll_up(new_group, groups=count)
    return Release(
        whole_groups(domain=groups.domain, sizes=sizes, counts=counts, semantics=groups.semantics),
        sensitive=release.sensitive,
    )


def reordered(release: Release, *, groups: Sequence[int] | None = None, values: Sequence[int] | None = None) -> Release:
    """List the groups, or the values of the domain, in another order; groups are numbered anew.

    >>> release = Release.from_counts([{"a": 1}, {"b": 2}])
    >>> turned = reordered(release, groups=[1, 0], values=[1, 0])
    >>> turned.domain, turned.groups.counts.dense().tolist()
    (('b', 'a'), [[2, 0], [0, 1]])
    """
    old = release.groups
    rows = np.arange(len(old)) if groups is None else np.asarray(groups, np.int64)
    codes = np.arange(len(old.domain)) if values is None else np.asarray(values, np.int64)
    return Release(
        whole_groups(
            domain=tuple(old.domain[code] for code in codes),
            sizes=old.sizes[rows],
            counts=Counts.from_cells(old.counts.dense()[rows][:, codes]),
            columns=tuple(column.take(rows) for column in old.columns),
            semantics=old.semantics,
        ),
        sensitive=release.sensitive,
    )


def split(release: Release, parts: Iterable[Sequence[int]]) -> list[Groups]:
    """Split the groups of a release by rows; each part stays a part of the same release.

    >>> release = Release.from_counts([{"a": 1}, {"b": 2}, {"b": 1}])
    >>> [part.numbers.tolist() for part in split(release, [[2], [0, 1]])]
    [[3], [1, 2]]
    """
    return [release.groups.take(np.asarray(rows, np.int64)) for rows in parts]
