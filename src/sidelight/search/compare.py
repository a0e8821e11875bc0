"""Which ways of publishing a table keep a policy, and what is each of them still good for?

Every method is tried, the search over levels with several shares of people who may be suppressed and by each utility
that is quick to compute; releases that come out the same are one row.  Nothing is published.  A method that cannot keep
the policy is a row that says why.

Which row would a person take?  One that can be read: with one level per column a label means the same everywhere and
no two overlap, which regions of Mondrian's, averages and buckets do not offer.  Of those the one that loses least of
what the columns tell (`balanced_loss`); where there is none, Mondrian's, which still prints what people have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, cast

from sidelight.errors import BadPolicy, NothingSafe, SidelightError, parameter
from sidelight.progress import Progress, quiet
from sidelight.search.protect import METHODS, MethodName, SearchProblem, method_of
from sidelight.search.utility import DEFAULT_UTILITY, QUICK_UTILITIES, UTILITIES, UtilityName
from sidelight.table.labels import SUPPRESSED, Tabular, shown
from sidelight.table.table import Table, held
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sidelight.measures.criterion import Criterion
    from sidelight.policy.policy import Policy
    from sidelight.search.method import Method, SearchResult
    from sidelight.table.hierarchy import Hierarchy

COMPARED = tuple(name for name in UTILITIES if name != "suppressed")
"""The utilities that are told of each release; how many people are suppressed has a column of its own."""


@dataclass(frozen=True, eq=False)
class ComparedRelease:
    """One way of publishing: what came out of it, or why nothing did."""

    method: Method
    result: SearchResult | None
    best_at: tuple[str, ...] = ()  # the utilities by which a search over levels took it
    refusal: SidelightError | None = None

    @property
    def how(self) -> str:
        """The method and its setting, in a few words."""
        if self.resists is not None:
            return f"{self.method.name}, resisting an {self.resists}"
        return f"{self.method.name}, suppressing {self.suppress:.2g}" if self.suppress else self.method.name

    @property
    def suppress(self) -> float:
        """The share of people who may be suppressed."""
        return float(self.method.suppress)

    @property
    def resists(self) -> str | None:
        """The attacker for whom it keeps the limits too (Mondrian)."""
        return self.method.resists

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each column (lattice)."""
        return {} if self.result is None else self.result.levels

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """What is printed of each column: as it is, `*`, or how many different labels."""
        if self.result is None:
            return {}
        table = self.result.recoding.table
        printed = {column.name: column for column in self.result.release.groups.columns}
        described = {}
        for column in table.quasi:
            labels = {*column.labels}
            if column.name in printed:  # a bucket prints people as they are
                labels = {text for text in printed[column.name].compact().labels if text != SUPPRESSED}
            differ = "as it is" if labels <= {*column.labels} else counted(len(labels), "label")
            described[column.name] = differ if labels or column.name not in printed else SUPPRESSED
        return described

    @cached_property
    def example(self) -> Mapping[str, str]:
        """What is printed of the largest group that is not suppressed; of buckets, which print people, nothing."""
        if self.result is None or self.result.buckets is not None:
            return {}
        groups = self.result.release.groups
        # at most one group is that of the suppressed people, so the two largest are enough
        largest_first = map(int, (-groups.sizes).argsort(kind="stable"))
        printed = [
            {column.name: shown(column.cell(at)) for column in groups.columns} for at in islice(largest_first, 2)
        ]
        return next((each for each in printed if set(each.values()) != {SUPPRESSED}), printed[0])

    @property
    def reason(self) -> str:
        """Why there is no release; nothing where there is one."""
        return "" if self.refusal is None else str(self.refusal)


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseComparison(Tabular):
    """Ways of publishing a table within a policy, side by side; nothing was published."""

    policy: Policy
    rows: tuple[ComparedRelease, ...]

    @property
    def within(self) -> tuple[ComparedRelease, ...]:
        """Those that keep the policy."""
        return tuple(row for row in self.rows if row.result is not None)

    @property
    def advised(self) -> ComparedRelease:
        """The one that a person would take, as the top of this file says."""
        levels = [row for row in self.within if row.method.recodes == "levels"]
        regions = [row for row in self.within if row.method.recodes == "regions"]
        # labels that mean the same everywhere come first, whatever they lose (see the top of this file)
        return min(levels or regions or list(self.within), key=_default_loss)

    def advice(self) -> Iterator[str]:
        """Yield which row a person would take and why, and what the others are for."""
        advised = self.advised
        yield f"A person would take row {self._number(advised)}: {_describe_advantage(advised)}."
        whole = [row for row in self.within if row.method.recodes == "levels" and not _result(row).suppressed]
        if _result(advised).suppressed and whole:
            best = min(whole, key=_default_loss)
            yield f"Row {self._number(best)} suppresses nobody ({DEFAULT_UTILITY} {_default_loss(best):.3g})."
        for row in self.within:
            if row.resists is not None:
                result, plain, price = _result(row), row.method.with_options(resists=None), ""
                if result.resistance is not None and result.resistance.belief is not None:
                    # what it costs; nothing where only sizes are limited
                    others = (_result(each).utility["loss"] for each in self.within if each.method == plain)
                    known = next(others, None)
                    before = result.resistance.plain_loss if known is None else known
                    price = f": a loss of {result.utility['loss']:.3g}, where it would be {before:.3g}"
                yield (
                    f"Row {self._number(row)} keeps the limits for an {row.resists} too, who knows how it was made"
                    f"{price}."
                )
            if row is advised or row.method.recodes == "levels":
                continue
            if row.method.recodes == "buckets":
                apart = "the values apart: people can be recognised in it, whatever its losses are"
                yield f"Row {self._number(row)} prints everybody as they are, and {apart}."
            elif _default_loss(row) < _default_loss(advised):
                finer = "averages" if row.method.prints_averages else "labels that overlap"
                yield f"Row {self._number(row)} tells more, for programs that can work with {finer}."

    def _number(self, row: ComparedRelease) -> int:
        return self.rows.index(row) + 1

    def plot(self) -> alt.TopLevelMixin:
        """Draw what each release loses, against the policy's first limit.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("ways.svg")` writes it.
        """
        from sidelight.report.charts.searches import comparison_chart  # noqa: PLC0415 - it stands below

        return comparison_chart(self)

    def table(self) -> pa.Table:
        """Return it as a pyarrow table, a row per way of publishing; null where nothing is within policy."""
        import pyarrow as pa  # noqa: PLC0415 - only where rows are handed out

        return pa.Table.from_pylist([self.as_data(row) for row in self.rows])

    def as_data(self, row: ComparedRelease) -> dict[str, object]:
        """Return a row as plain data."""
        result = row.result
        utility: dict[str, float | None] = {name: None if result is None else result.utility[name] for name in COMPARED}
        return {
            "row": self._number(row),
            "method": row.method.name,
            "suppress": row.suppress,
            "resists": row.resists,
            "best_at": ", ".join(row.best_at),
            "levels": ",".join(f"{name}={level}" for name, level in row.levels.items()) or None,
            "groups": None if result is None else len(result.release),
            "people": None if result is None else result.release.size,
            "suppressed": None if result is None else result.suppressed,
            **utility,
            "labels": "; ".join(f"{name} {what}" for name, what in row.labels.items()) or None,
            "example": "; ".join(f"{name} {what}" for name, what in row.example.items()) or None,
            "reason": row.reason or None,
            "advised": row is self.advised,
        }

    to_arrow = table  # the name that dataframes have for it

    def __repr__(self) -> str:
        ways = counted(len(self.rows), "way")
        return (
            f"<ReleaseComparison of {ways}, {len(self.within)} within policy; row {self._number(self.advised)} advised>"
        )

    def _repr_html_(self) -> str:
        heads = ("row", "method", "groups", "suppressed", *COMPARED, "printed")
        rows = [
            (
                self._number(row),
                row.how,
                *(
                    ("",) * (2 + len(COMPARED))
                    if row.result is None
                    else (
                        len(row.result.release),
                        row.result.suppressed,
                        *(float(f"{row.result.utility[name]:.4g}") for name in COMPARED),
                    )
                ),
                "; ".join(f"{name} {what}" for name, what in row.labels.items()) or row.reason,
            )
            for row in self.rows
        ]
        return html_table(str(self.policy), heads, rows, total=len(rows), note=" ".join(self.advice()))


def _default_loss(row: ComparedRelease) -> float:
    return _result(row).utility[DEFAULT_UTILITY]


def _result(row: ComparedRelease) -> SearchResult:
    assert row.result is not None  # of those within policy
    return row.result


def _describe_advantage(row: ComparedRelease) -> str:
    result = _result(row)
    loss = f"{DEFAULT_UTILITY} {_default_loss(row):.3g}"
    if len(result.release) == 1:
        return f"nothing is left of the columns in any ({loss}); another policy, or fewer columns, would keep more"
    if row.method.recodes != "levels":
        return f"none has one level per column, and of these it loses least of what the columns tell ({loss})"
    cost = f", for {counted(result.suppressed, 'person')} suppressed" if result.suppressed else ""
    return (
        "each column has one level for everybody, so that labels are easy to read and none overlap; of such releases "
        f"it loses least of what the columns tell ({loss}){cost}"
    )


def compare(
    table: Table,
    policy: Policy | Criterion | Iterable[Criterion],
    *,
    by: Mapping[str, Hierarchy] | None = None,
    methods: Sequence[MethodName | Method] = tuple(cast("dict[MethodName, type[Method]]", METHODS)),
    # The shares of people who may be suppressed that a search over levels is tried with.
    suppress: Sequence[float] = (0, 0.01, 0.05),
    resists: str | None = None,
    progress: Progress = quiet,
) -> ReleaseComparison:
    """Compare ways of publishing a table within a policy, and what each is still good for; nothing is published.

    `methods` are names or methods; the search over levels is tried with each share of `suppress`, by each utility that
    is quick to compute.  With `resists="insider"`, Mondrian is tried as it is and as one that resists (see `protect`),
    so that its price is seen.  Raises `NothingSafe` when none of them finds anything within policy.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "education", "sex"])
    >>> ways = compare(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies, methods=["lattice"], suppress=[0])
    >>> for row in ways.rows:
    ...     print(dict(row.levels), len(row.result.release), row.best_at)
    {'age': 5, 'education': 1, 'sex': 0} 14 ('balanced loss', 'loss', 'non-uniform entropy', 'discernibility')
    {'age': 5, 'education': 0, 'sex': 1} 16 ('average group size',)
    >>> ways.advised.labels
    {'age': '*', 'education': '7 labels', 'sex': 'as it is'}
    """
    plain = [method_of(method) for method in methods]
    if resists is not None and not any(method.takes("resists") for method in plain):
        able = next(name for name, each in METHODS.items() if each.takes("resists"))
        remedy = f"add {parameter('method', able)}, or leave {parameter('resists')} out"
        message = f"none of the methods has a defence against an {resists}; {remedy}"
        raise BadPolicy(message)
    tried = []
    for method in plain:
        tried.append(method)
        if resists is not None and method.takes("resists") and method.resists is None:
            tried.append(method_of(method, resists=resists))
    shared = [way.with_options(suppress=share) for way in tried if way.takes("suppress") for share in suppress]
    problem = SearchProblem.build(held(table), policy, by, (*tried, *shared))
    rows = [row for method in tried for row in _try_method(problem, method, suppress, progress)]
    if not any(row.result is not None for row in rows):
        reasons = "; ".join(f"{row.how}: {row.reason}" for row in rows)
        message = f"none of these ways of publishing is within policy: {reasons}"
        raise NothingSafe(message)
    return ReleaseComparison(problem.policy, tuple(rows))


def _try_method(
    problem: SearchProblem, method: Method, shares: Sequence[float], progress: Progress
) -> Iterator[ComparedRelease]:
    if method.takes("suppress") and method.levels is None:
        yield from _rows_by_share(problem, method, shares, progress)
        return
    try:
        named = _named_progress(method.name, progress)
        yield ComparedRelease(method, problem.result(method, problem.search(method, DEFAULT_UTILITY, named), named))
    except SidelightError as refusal:
        yield ComparedRelease(method, None, refusal=refusal)


def _rows_by_share(
    problem: SearchProblem, method: Method, shares: Sequence[float], progress: Progress
) -> Iterator[ComparedRelease]:
    """Search once for each share; releases that are best by several utilities, or with several shares, are one row."""
    published: set[tuple[tuple[int, ...], int]] = set()
    refusals: set[str] = set()
    for share in shares:
        way = method.with_options(suppress=share)
        try:
            outcomes = way.search_by_each(
                held(problem.table),
                problem.searchable,
                by=problem.by,
                utilities=[name for name in QUICK_UTILITIES if name != "suppressed"],
                progress=_named_progress(f"{way.name}, suppressing {share:g}" if share else way.name, progress),
            )
        except SidelightError as refusal:
            # a larger share often fails for the same reason, which is said once
            if str(refusal) not in refusals:
                refusals.add(str(refusal))
                yield ComparedRelease(way, None, refusal=refusal)
            continue
        best_at: dict[tuple[tuple[int, ...], int], list[UtilityName]] = {}
        for utility, outcome in outcomes.items():
            # the same levels with as many people suppressed are the same release
            best_at.setdefault((tuple(outcome.levels.values()), outcome.suppressed), []).append(utility)
        for release, utilities in best_at.items():
            if release not in published:
                published.add(release)
                outcome = outcomes[utilities[0]]
                try:
                    result = problem.result(way, outcome, _named_progress(way.name, progress))
                    yield ComparedRelease(way, result, tuple(utilities))
                except NothingSafe as refusal:  # a measure of whole releases says no
                    yield ComparedRelease(way, None, tuple(utilities), refusal)


def _named_progress(name: str, progress: Progress) -> Progress:
    return lambda what, done, total: progress(f"{name}: {what}", done, total)
