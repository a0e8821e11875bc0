"""The columns that identify people: every subset of the columns, and how far it distinguishes people.

Symbols      n people; a subset of columns makes groups g of f_g people with equal cells in all of its columns.
Distinction  groups / n, the chance to name the right person of a group, averaged over people: Σ_g f_g · (1/f_g) / n
             (Bayes vulnerability of re-identification).
Separation   1 − Σ_g f_g (f_g − 1) / (n (n − 1)): the share of pairs of people whom the columns distinguish.
Inference    Σ_g max_s n_g(s) / n: the share of secrets s that the most frequent one of the group guesses (Bayes
             vulnerability of attribute inference), beside max_s n(s) / n without any column.
Monotone     groups, unique people, distinction, separation and inference never fall when a column is added, and never
             rise when labels of a column are joined.  So a set of columns on which a share of people is unique is
             *minimal* where none of its largest proper subsets is such a set.

Source: Motwani and Xu, Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007, for distinction and
separation; Alvim et al., The Science of Quantitative Information Flow, 2020, for Bayes vulnerability, which the tool
BVM computes of all subsets.

*Worst columns*: how many fewer people would be unique without one column.  Q are the columns, alone(S) the people
whose cells in S nobody else has.  Of a column c

    fewer(c) = alone(Q) − alone(Q ∖ {c}) ≥ 0,

as groups only merge when a column goes.  It takes |Q| roll-ups of the groups; columns that single out the same people
may each have 0, as the others do so too: then there is no worst one.

*Minimal sample uniques* and their scores.

Symbols        M columns; an MSU (minimal sample unique) S of a person: unique on S, and on no proper subset of it.
Score          Σ over the person's MSUs of (M − |S|)!.  It never rises when labels of a column are joined: an MSU of k
               columns that goes makes room for at most M − k new ones, of (M − k − 1)! each.  (The older weight
               (2^{M−k} − 1)·k!·(M−k)!/M! can rise from 5 columns on, and is not offered.)
Contribution   of a column: Σ of the weights of MSUs that contain it / Σ of all weights; these sum to more than 1.
Fair share     each MSU's weight divided among its columns: these sum to 1.
DIS-SUDA       1 / (1 + (2 c₂ (1 − π) / π) / (score^q · Σ score^−q)), q = 1 + (8 − M)/20, c₂ pairs of people alike in
               all columns, π the share of the population that is in the table: a rule of thumb, never a limit.
Missing        a missing cell is a label like any other.

Source: Elliot, Manning and Ford, 2002; Elliot, Mackey, O'Hara and Tudor, The Anonymisation Decision-Making Framework,
2016; DIS-SUDA: Elliot, Integrating File and Record Level Disclosure Risk Assessment, 2002.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import factorial
from operator import index as as_index
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Floats, Integers, add_up
from sidelight.errors import BadTable, as_given, as_names, expect, parameter
from sidelight.measures.column_subsets.subsets import (
    SHARE_NAMES,
    ColumnSubset,
    count_each_subset,
    find_unique_on_each,
    indices_of,
    minimal,
    names_in_words,
    subset_limit,
)
from sidelight.progress import Progress, quiet
from sidelight.rounding import exact_number, round_up, short_decimal
from sidelight.table.labels import Column, Tabular, arrow_labels, number_equal_rows, unused_name
from sidelight.table.table import Table
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa


@dataclass(frozen=True, eq=False, slots=True)
class IdentifyingColumns(Tabular):
    """Every subset of some columns, those with fewest columns first, and the groups that it makes."""

    columns: tuple[str, ...]
    people: int
    subsets: tuple[ColumnSubset, ...]
    secret: str | None = None  # the column that `inference` guesses
    prior: Fraction | None = None  # the share of correct guesses without any column
    up_to: int = 0  # no subset has more columns

    def __len__(self) -> int:
        return len(self.subsets)

    def __iter__(self) -> Iterator[ColumnSubset]:
        return iter(self.subsets)

    def __getitem__(self, columns: str | Sequence[str]) -> ColumnSubset:
        """Return one subset, by the names of its columns in any order."""
        names = set(as_names(columns))
        for subset in self.subsets:
            if set(subset.columns) == names:
                return subset
        raise BadTable(
            f"no subset of these columns was gone through; there are those of up to {self.up_to} of {self._names}"
        )

    def smallest(self, share: float | Fraction = Fraction(1, 2)) -> tuple[ColumnSubset, ...]:
        """Return all minimal sets of columns on which at least a share of the people is unique.

        Minimal: without any one of its columns, fewer are.  Of sets with equally many columns, those on which most are
        unique come first.

        >>> import pyarrow as pa
        >>> import sidelight as sl
        >>> rows = pa.table({"age": ["1", "2", "3", "3"], "sex": ["f", "f", "f", "m"], "ill": ["no"] * 4})
        >>> sl.identifying_columns(sl.read_table(rows, quasi=["age", "sex"], sensitive="ill")).smallest(share=1)
        (<ColumnSubset age, sex: 4 groups, 4 of 4 people unique>,)
        """
        least = _parse_share("share", share, "a share of the people")
        # by sets of names, so that a subset with one column fewer is looked up at once
        identifies = {frozenset(each.columns): each for each in self.subsets if each.unique_share >= least}
        # the unique share never falls as columns are added, so that sets with one column fewer are enough
        smallest = (
            each for names, each in identifies.items() if not any(names - {name} in identifies for name in names)
        )
        return tuple(sorted(smallest, key=lambda each: (len(each.columns), -each.unique)))

    def plot(self) -> alt.TopLevelMixin:
        """Draw how many people are unique on each set of columns, the worst first.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("columns.svg")` writes it.
        """
        from sidelight.report.charts.groups import columns_chart  # noqa: PLC0415 - it stands below

        return columns_chart(self)

    def table(self) -> pa.Table:
        """Return a row per subset: columns, groups, unique people, smallest group and three shares, rounded up."""
        import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

        columns = {"columns": pa.array([each.columns for each in self.subsets], pa.list_(pa.string()))}
        for name in ("groups", "unique", "smallest"):
            columns[name] = pa.array([getattr(each, name) for each in self.subsets], pa.int64())
        for name in SHARE_NAMES:
            shares = (getattr(each, name) for each in self.subsets)
            columns[name] = pa.array([None if share is None else round_up(share) for share in shares], pa.float64())
        return pa.table(columns)

    to_arrow = table  # the name that dataframes have for it

    def explain(self, share: float | Fraction = Fraction(1, 2)) -> str:
        """Describe which columns identify people, without the term quasi-identifier."""
        # of sets that single out equally many people, the one with the fewest columns
        everything = max(self.subsets, key=lambda each: (each.unique, -len(each.columns)))
        known = f"Who knows {names_in_words(everything.columns)} of everybody"
        lines = [f"{known} finds {everything.unique:,} of {counted(self.people, 'person')} alone."]
        smallest = self.smallest(share)
        if smallest:
            words, fewest = short_decimal(exact_number(share, BadTable, "share")), names_in_words(smallest[0].columns)
            lines.append(f"Fewest columns on which {words} of the people are alone: {fewest}.")
        if self.prior is not None:
            surest = max(self.subsets, key=lambda each: (each.inference or 0, -len(each.columns)))
            lines.append(
                f"{self.secret} is guessed right for {_show_share(surest.inference)} of all people by who knows "
                f"{names_in_words(surest.columns)}, and for {short_decimal(self.prior)} by who knows nothing."
            )
        return " ".join(lines)

    def __repr__(self) -> str:
        return f"<IdentifyingColumns: {counted(len(self.subsets), 'subset')} of {self._names}>"

    def _repr_html_(self) -> str:
        by_uniques = sorted(self.subsets, key=lambda each: (-each.unique, len(each.columns)))
        names = ["columns", "groups", "unique", "smallest", *SHARE_NAMES]
        rows = (
            (", ".join(each.columns), each.groups, each.unique, each.smallest, *map(_show_share, each.shares))
            for each in by_uniques
        )
        title = f"Which of {self._names} identify {counted(self.people, 'person')}"
        return html_table(title, names, rows, total=len(self.subsets), note=self.explain())

    @property
    def _names(self) -> str:
        return ", ".join(self.columns)


def identifying_columns(
    table: Table,
    up_to: int | None = None,
    *,
    columns: str | Sequence[str] | None = None,
    secret: str | None = None,
    progress: Progress = quiet,
) -> IdentifyingColumns:
    """Return every subset of the quasi-identifiers and how far it identifies people.

    Of each subset of these, or of some `columns` of them, with at most `up_to` columns: the number of groups, unique
    people, the smallest group, how far the columns distinguish people, and how often an attacker guesses the sensitive
    value correctly (of several sensitive columns, the `secret`).

    >>> import sidelight as sl
    >>> which = sl.identifying_columns(sl.datasets.adult().table)
    >>> which["age"], which[["age", "race", "sex", "marital-status"]].distinction
    (<ColumnSubset age: 74 groups, 3 of 45,222 people unique>, Fraction(950, 22611))
    >>> [each.columns for each in which.smallest(share=0.01)]
    [('age', 'marital-status', 'race', 'sex')]
    >>> which.table().column_names
    ['columns', 'groups', 'unique', 'smallest', 'distinction', 'separation', 'inference']
    """
    expect(Table, table, "what columns identify in")
    names = tuple(column.name for column in table.quasi) if columns is None else as_names(columns)
    if not names or len(set(names)) < len(names):
        raise BadTable(f"name at least one column, and each once, in {parameter('columns')}")
    chosen = [table.column(name) for name in names]
    most = subset_limit(len(chosen), up_to)
    about = _restrict_to_secret(table, secret)
    by_subset = _numbers_by_subset(table, chosen, about, most, progress)
    people = table.people  # adds millions of rows up: once, not for each subset
    subsets = tuple(
        replace(by_subset[indices], columns=tuple(names[index] for index in indices), people=people)
        for indices in sorted(by_subset, key=lambda indices: (len(indices), indices))
    )
    # without any column the guess is the most frequent value of all
    prior = None if about is None else Fraction(int(about.counts.totals().max()), people)
    return IdentifyingColumns(names, people, subsets, about.sensitive if about else None, prior, most)


def _numbers_by_subset(
    table: Table, chosen: Sequence[Column], about: Table | None, most: int, progress: Progress
) -> dict[tuple[int, ...], ColumnSubset]:
    if about is None or len(about.domain) == 1:
        by_subset = count_each_subset(chosen, table.sizes, up_to=most, progress=progress)
        guessed = None if about is None else table.people  # a value that all have is always guessed
        return {indices: replace(numbers, guessed=guessed) for indices, numbers in by_subset.items()}
    # a row per row of the table and value there, so that each subset counts the secret too
    row, value, people = about.counts.entries()
    values = Column(about.sensitive, about.domain, value.astype(np.int32))
    return count_each_subset([column.take(row) for column in chosen], people, values, up_to=most, progress=progress)


def _restrict_to_secret(table: Table, secret: str | None) -> Table | None:
    """Return the table about the secret; None if people have several values, or several secrets and none is named."""
    if secret is not None:
        table = table.about(secret)
        if table.semantics != "single":
            raise BadTable(
                f"'{secret}' has several values per person, of which none is the one to guess; leave the secret out"
            )
    return table if table.semantics == "single" and len(table.sensitive_columns) == 1 else None


def _show_share(share: Fraction | None) -> str:
    return "" if share is None else short_decimal(share)


def people_alone(sizes: Integers) -> int:
    """Count the people in groups of one."""
    return int((sizes == 1).sum())


def worst_columns(columns: Sequence[Column], sizes: Integers, *, most: int = 3) -> dict[str, int]:
    """Return how many fewer people would be unique without a column, for the worst ones that change anything.

    `columns` have the cells of each group, `sizes` its people.  Where two groups have equal cells, people are
    distinguished by something else than columns, and there is no worst one.

    >>> worst_columns([Column.of("age", ["1", "2", "3"]), Column.of("sex", ["f", "f", "m"])], np.array([1, 1, 5]))
    {'age': 2}
    """
    _, first = number_equal_rows(tuple(columns), len(sizes))
    # groups that print the same are distinguished by something else: no column is to blame
    if len(first) < len(sizes):
        return {}
    alone, fewer = people_alone(sizes), {}
    for index, column in enumerate(columns):
        others = tuple(columns[:index]) + tuple(columns[index + 1 :])
        group, first = number_equal_rows(others, len(sizes))
        # groups that only this column distinguishes become one, with their people added up
        fewer[column.name] = alone - people_alone(add_up(group, sizes, len(first)))
    ranked = sorted((name for name in fewer if fewer[name]), key=lambda name: -fewer[name])
    return {name: fewer[name] for name in ranked[:most]}


@dataclass(frozen=True, eq=False, slots=True)
class MinimalUniques(Tabular):
    """The minimal sample uniques of a table's people, their scores, and what each column contributes.

    `key[i]` is the table's key (which has one person) of MSU i, and `subset[i]` which of `subsets` it is.
    """

    cells: Table  # the columns that were looked at
    largest: int  # no MSU has more columns
    subsets: tuple[tuple[str, ...], ...]  # those that are an MSU of a person, smallest first
    key: Integers
    subset: Integers
    fraction: Fraction | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were looked at."""
        return tuple(column.name for column in self.cells.quasi)

    @property
    def scores(self) -> npt.NDArray[np.int64] | npt.NDArray[np.object_]:
        """The score of each key of the table: 0 where its people are not unique, or have no MSU so small.

        Whole numbers of 64 bits where they suffice, else of any length: 21 columns have weights of 20! and more.
        """
        weights = self._weights
        # the largest sum that a key may have: its most MSUs, all of the largest weight
        most = max(weights, default=0) * int(np.bincount(self.key).max(initial=0))
        if most < 1 << 63:
            return add_up(self.key, np.array(weights, np.int64)[self.subset], len(self.cells.sizes))
        scores = np.zeros(len(self.cells.sizes), object)
        np.add.at(scores, self.key, np.array(weights, object)[self.subset])
        return scores

    @property
    def singled_out(self) -> int:
        """How many people have an MSU at all."""
        return len(np.unique(self.key))

    @property
    def contributions(self) -> dict[str, Fraction]:
        """The share of all weights that belongs to MSUs with the column."""
        return self._shares(fair=False)

    @property
    def fair_shares(self) -> dict[str, Fraction]:
        """The share of all weights when each MSU's is divided among its columns: they sum to 1."""
        return self._shares(fair=True)

    def by_size(self) -> dict[int, int]:
        """Count the MSUs by their numbers of columns."""
        sizes, often = np.unique(self._sizes[self.subset], return_counts=True)
        return dict(zip(sizes.tolist(), often.tolist(), strict=True))

    def of(self, key: int) -> tuple[tuple[str, ...], ...]:
        """List the MSUs of the person with one key of the table."""
        return tuple(self.subsets[index] for index in self.subset[self.key == as_index(key)].tolist())

    def dis_suda(self) -> Floats:
        """Return DIS-SUDA of each key: an estimated probability that a match is right; 0 where the score is 0."""
        if self.fraction is None:
            raise BadTable(f"DIS-SUDA needs {parameter('fraction')}, the share of the population that is in the table")
        # only ratios of scores matter: with weights relative to the largest one, none is too long for a float
        # relative[k] = (M − k)!/(M − 1)!, for sizes k from 1
        relative = np.cumprod([1.0, 1.0, *(1 / (len(self.columns) - k) for k in range(1, len(self.columns)))])
        scores = np.bincount(self.key, relative[self._sizes][self.subset], minlength=len(self.cells.sizes))
        alone = scores > 0
        exponent = 1 + (8 - len(self.columns)) / 20
        pairs = int(np.count_nonzero(self.cells.sizes == 2))
        odds = 2 * pairs * float((1 - self.fraction) / self.fraction)
        powers = scores[alone] ** exponent
        estimates = np.zeros(len(scores))
        estimates[alone] = 1 / (1 + odds / (powers * (1 / powers).sum()))
        return estimates

    def table(self) -> pa.Table:
        """Return a row per person who has an MSU: their cells, MSUs, score and, with a fraction, DIS-SUDA.

        It is about single people, and meant for the holder of the table.
        """
        import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

        order = np.argsort(self.key, kind="stable")
        keys, starts = np.unique(self.key[order], return_index=True)
        sets = np.split(self.subset[order], starts[1:]) if len(keys) else []
        cells = {column.name: arrow_labels(column, keys) for column in self.cells.quasi}
        listed = [[list(self.subsets[index]) for index in each.tolist()] for each in sets]
        estimate = {} if self.fraction is None else {"DIS-SUDA": pa.array(self.dis_suda()[keys])}
        further = {
            "minimal uniques": pa.array(listed, pa.list_(pa.list_(pa.string()))),
            "score": _arrow_scores(self.scores[keys]),
            **estimate,
        }
        return pa.table(cells | {unused_name(name, cells): each for name, each in further.items()})

    to_arrow = table  # the name that dataframes have for it

    def explain(self) -> str:
        """Describe how many people can be singled out, and which column contributes most."""
        limit = "" if self.largest == len(self.columns) else f" by at most {counted(self.largest, 'column')}"
        people = f"{self.singled_out:,} of {counted(self.cells.people, 'person')} can be singled out{limit}"
        if not self.subsets:
            return f"{people}."
        shares = self.fair_shares
        worst = max(shares, key=lambda name: shares[name])
        return f"{people}; {short_decimal(shares[worst])} of what does it is due to {worst}."

    def __repr__(self) -> str:
        return f"<MinimalUniques: {self.explain()}>"

    def _repr_html_(self) -> str:
        contributions, shares = self.contributions, self.fair_shares
        rows = [
            (name, short_decimal(contributions[name]), short_decimal(shares[name]))
            for name in sorted(self.columns, key=lambda name: -shares[name])
        ]
        return html_table("Minimal uniques", ["column", "contribution", "fair share"], rows, note=self.explain())

    @property
    def _sizes(self) -> Integers:
        return np.array([len(each) for each in self.subsets], np.int64)

    @property
    def _weights(self) -> list[int]:
        return [factorial(len(self.columns) - len(each)) for each in self.subsets]

    def _shares(self, *, fair: bool) -> dict[str, Fraction]:
        shares, total = dict.fromkeys(self.columns, Fraction(0)), 0
        for columns, weight, often in zip(self.subsets, self._weights, np.bincount(self.subset).tolist(), strict=True):
            total += weight * often
            for name in columns:
                shares[name] += Fraction(weight * often, len(columns) if fair else 1)
        return {name: each / max(total, 1) for name, each in shares.items()}


def minimal_uniques(
    table: Table,
    *,
    largest: int | None = None,
    columns: str | Sequence[str] | None = None,
    fraction: float | Fraction | None = None,
) -> MinimalUniques:
    """Return the people whom few columns distinguish from everybody else, and what each column contributes.

    A set of columns is a *minimal sample unique* (MSU) of a person who is unique on it, and on no proper subset of it.
    The SUDA score of a person is the sum of (M − size)! over their MSUs, of M columns; with `largest` only MSUs of at
    most that many columns count.  With the `fraction` of the population that is in the table there is also DIS-SUDA,
    an estimate.

    >>> import sidelight as sl
    >>> uniques = sl.minimal_uniques(sl.datasets.adult().table)
    >>> int(uniques.scores.sum()), uniques.by_size(), str(uniques.contributions["age"])
    (665, {1: 3, 2: 58, 3: 324, 4: 207}, '132/133')
    >>> print(uniques.explain())
    555 of 45,222 people can be singled out; 0.3516 of what does it is due to age.

    Source: Elliot, Manning and Ford, A Computational Algorithm for Handling the Special Uniques Problem, 2002.
    """
    expect(Table, table, "where people are special")
    cells = table if columns is None else table.only(as_names(columns))
    most = subset_limit(len(cells.quasi), largest, "largest")
    subsets: dict[tuple[int, ...], int] = {}
    key, subset = [], []
    for rows, bitmaps in find_unique_on_each(cells.quasi, cells.sizes, up_to=most):
        for indices, bitmap in minimal(bitmaps):
            keys = rows[indices_of(bitmap)]
            # a subset comes with several blocks of people, and keeps its number
            number = subsets.setdefault(indices, len(subsets))
            key.append(keys)
            subset.append(np.full(len(keys), number))
    names = [column.name for column in cells.quasi]
    nobody = np.zeros(0, np.int64)
    return MinimalUniques(
        cells,
        most,
        tuple(tuple(names[index] for index in indices) for indices in subsets),
        np.concatenate([nobody, *key]),
        np.concatenate([nobody, *subset]),
        None if fraction is None else _parse_share("fraction", fraction, "the share of the population"),
    )


def _arrow_scores(scores: npt.NDArray[np.int64] | npt.NDArray[np.object_]) -> pa.Array:
    """Convert scores to an Arrow array of whole numbers, long ones as decimals."""
    import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

    if scores.dtype != object:
        return pa.array(scores)
    longest = 76  # digits of the longest numbers that Arrow's decimals hold
    if max(scores) >= 10**longest:
        raise BadTable(f"scores of so many columns are longer than {longest} digits; ask about fewer columns")
    return pa.array(map(Decimal, scores), pa.decimal256(longest))


def _parse_share(name: str, number: float | Fraction, meant: str) -> Fraction:
    share = exact_number(number, BadTable, parameter(name))
    if not 0 < share <= 1:
        raise BadTable(f"{parameter(name)} is {as_given(number)}; give {meant}, above 0 and at most 1")
    return Fraction(share)
