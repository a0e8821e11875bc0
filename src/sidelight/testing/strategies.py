"""Small releases and tables with all their edge cases.

from hypothesis import given
from sidelight.testing import releases

@given(releases(semantics="set"))
def test_something(release): ...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from sidelight.measures.measure import Measure
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.columns import Column
from sidelight.table.counts import Counts
from sidelight.table.labels import Label
from sidelight.table.table import Semantics, Table
from sidelight.testing.rearranged import merged, split

VALUES: tuple[Label, ...] = ("Flu", "Cold", "Heart disease", "10", "9", "Lung cancer", "a value, quoted", "Ünïcode", "")
"""Sensitive values to draw from; a missing one (`None`) may join them."""

CELLS: tuple[Label, ...] = ("30", "4", "30-39", "*", "", "né", None)
"""What quasi-identifying columns may say; `None` is a missing cell."""


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
    kind = draw(_kinds(semantics))
    domain = draw(domains(max_values=max_values))
    groups = draw(st.lists(_group(kind, domain, max_people), min_size=min_groups, max_size=max_groups))
    if named:
        return _with_names(groups, kind, domain)
    return Release.from_counts(
        [bag for _, bag in groups],
        sizes=[people for people, _ in groups],
        values=kind,
        domain=domain,
        labels=draw(_labels(len(groups))),
    )


def domains(*, max_values: int = 4) -> SearchStrategy[tuple[Label, ...]]:
    """Draw different sensitive values in any order, sometimes a missing one among them."""
    return st.lists(st.sampled_from((*VALUES, None)), min_size=1, max_size=max_values, unique=True).map(tuple)


@st.composite
def merges(
    draw: DrawFn,
    *,
    semantics: Semantics | None = None,
    max_groups: int = 4,
    max_people: int = 4,
    max_values: int = 4,
) -> tuple[Release, Release]:
    """Draw a release of at least two groups, and the same with two of them merged."""
    release = draw(
        releases(semantics=semantics, min_groups=2, max_groups=max_groups, max_people=max_people, max_values=max_values)
    )
    kept, gone = sorted(draw(orders(len(release)))[:2])
    into = [kept if row == gone else row - (row > gone) for row in range(len(release))]
    return release, merged(release, into)


def measures(release: Release, *, mergeable: bool = False) -> SearchStrategy[Measure]:
    """Draw a measure, of all that there are, that can be asked of a release; `mergeable`: one that a search follows."""
    from sidelight.measures import MEASURES  # noqa: PLC0415 - all measures at once: only where they are drawn

    every = (measure for kind in MEASURES for measure in kind.examples(release.domain))
    asked = [measure for measure in every if release.semantics in measure.semantics]
    return st.sampled_from([measure for measure in asked if measure.mergeable or not mergeable])


def orders(length: int) -> SearchStrategy[tuple[int, ...]]:
    """Draw an order of 0, 1, …, length − 1."""
    return st.permutations(range(length)).map(tuple)


@st.composite
def splits(draw: DrawFn, release: Release) -> list[Groups]:
    """Draw a way to take the groups of a release apart: any parts in any order, each with its groups in theirs."""
    order = draw(orders(len(release)))
    cuts = sorted({0, *draw(st.sets(st.integers(1, len(release)))), len(release)})
    return split(release, [sorted(order[start:stop]) for start, stop in pairwise(cuts)])


@st.composite
def tables(
    draw: DrawFn,
    *,
    semantics: Semantics | None = None,
    max_columns: int = 3,
    max_cells: int = 6,
    max_people: int = 3,
    max_values: int = 4,
) -> Table:
    """Draw a table of at most `max_cells` different rows of quasi-identifiers, missing ones among them."""
    kind = draw(_kinds(semantics))
    domain = draw(domains(max_values=max_values))
    names = ("age", "sex", "zip", "country", "education")[: draw(st.integers(1, max_columns))]
    row = st.tuples(*(st.sampled_from(CELLS) for _ in names))
    rows = draw(st.lists(row, min_size=1, max_size=max_cells, unique=True))
    cells = [draw(_group(kind, domain, max_people)) for _ in rows]
    return Table(
        quasi=tuple(Column.of(name, texts) for name, texts in zip(names, zip(*rows, strict=True), strict=True)),
        sensitive="disease",
        domain=domain,
        sizes=np.array([people for people, _ in cells], np.int64),
        counts=Counts.from_cells([[bag.get(value, 0) for value in domain] for _, bag in cells]),
        semantics=kind,
    )


def _kinds(semantics: Semantics | None) -> SearchStrategy[Semantics]:
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


def _labels(groups: int) -> SearchStrategy[list[dict[str, Label]] | None]:
    said = st.fixed_dictionaries({"age": st.sampled_from(CELLS), "sex": st.sampled_from(CELLS)})
    return st.none() | st.lists(said, min_size=groups, max_size=groups)


def _with_names(groups: list[tuple[int, dict[Label, int]]], semantics: Semantics, domain: tuple[Label, ...]) -> Release:
    names = iter(f"P{number}" for number in range(1, sum(people for people, _ in groups) + 1))
    listed = [([next(names) for _ in range(people)], _spread(bag)) for people, bag in groups]
    return Release.from_groups(listed, values=semantics, domain=domain)


def _spread(bag: Mapping[Label, int]) -> list[Label]:
    return [value for value, times in bag.items() for _ in range(times)]
