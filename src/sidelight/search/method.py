"""The interface of all search methods: a table and a policy in, the most useful release within policy out.

`Method` is what a search must be able to do, `SearchOutcome` what it hands to `protect`, and `SearchResult` what a user
gets: the release, the verdict on it, and how the search came to it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from sidelight.arrays import Integers, add_up
from sidelight.release.groups import suppressed_groups
from sidelight.release.printed_labels import Nodes, kind_of
from sidelight.release.release import Members, Release
from sidelight.rounding import in_words, short_amount
from sidelight.search.utility import (
    QUICK_UTILITIES,
    UTILITIES,
    Buckets,
    Recoding,
    Regions,
    UtilityName,
    UtilityNames,
    loss,
)
from sidelight.streams.key_stream import WEIGHT_UNIT, count_unique, weights
from sidelight.table.labels import ColumnKind, Tabular, are_digits, arrow_labels, as_number, unused_name, value_columns
from sidelight.table.table import Table, TrueCounts, held
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sidelight.engines.formats.write import FormatName
    from sidelight.measures.measure import AttackerAnswer
    from sidelight.policy.policy import Policy, Verdict
    from sidelight.progress import Progress
    from sidelight.publish.publish import Layout, Published
    from sidelight.search.mondrian_cuts import CutTree
    from sidelight.table.hierarchy import Hierarchy


SearchPicture: TypeAlias = Literal["lattice", "tree", "candidates", "sizes"]
"""The pictures of a search."""


Recodes: TypeAlias = Literal["levels", "regions", "averages", "buckets"]
"""One level per column for everybody; boxes of labels; an average person per group; values apart from people."""


class Method(ABC):
    """A way of searching.  Each is a frozen dataclass in a file of its own; its fields are its options.

    What others have to know of a method is said here, by class data and by what it answers: nobody asks for its class.
    """

    name: ClassVar[str]
    description: ClassVar[str] = ""  # for a report: a sentence without a full stop
    recodes: ClassVar[Recodes]
    warnings: ClassVar[tuple[str, ...]] = ()  # what users of such a release have to know
    prints_rows: ClassVar[bool] = True  # a row per person, with what is printed of the group and a value
    prints_averages: ClassVar[bool] = False  # of a group, instead of what its people have in common
    carries_populations: ClassVar[bool] = False  # whether it counts people of a population in the groups it tries
    puts_numbers_together: ClassVar[bool] = False  # by intervals or averages of its own
    heeds_hierarchies_of: ClassVar[tuple[ColumnKind, ...]] = get_args(ColumnKind)  # columns it recodes along theirs

    withstands: ClassVar[tuple[str, ...]] = ()  # attackers whom it can be made to resist, by their names

    # options of some methods, as others have them
    suppress: float | Fraction = 0  # the share of people whose rows may be suppressed
    levels: Mapping[str, int] | None = None  # chosen beforehand, column by column
    towards: str | None = None  # the column that decides the order of cuts by what they tell about it
    resists: str | None = None  # who may know more than the release without getting beyond the limits

    @abstractmethod
    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utilities: UtilityNames, progress: Progress
    ) -> dict[UtilityName, SearchOutcome]:
        """Find the best release within policy by each utility.

        A greedy method finds one for all, and may end with one group of everybody, if that is within the policy.
        """

    @classmethod
    def takes(cls, option: str) -> bool:
        """Return whether the method has an option of this name."""
        return option in (each.name for each in fields(cls))  # type: ignore[arg-type]

    def with_options(self, **options: object) -> Self:
        """Return the same method with other options."""
        return replace(self, **options)  # type: ignore[type-var]

    @property
    def leaves_people_out(self) -> bool:
        """Whether it may publish a release of fewer people than the table has."""
        return self.suppress > 0 and getattr(self, "suppressed", None) == "left out"

    def explain_choice_by_values(self, sensitive: tuple[str, ...], utility: str | None) -> str | None:
        """Return how sensitive values may decide which release within policy is taken; None where they cannot.

        `utility` is the one that releases were weighed by, None where nobody knows.
        """
        return None

    def needs_all_keys(self, utility: UtilityName) -> str | None:
        """Return what of it looks at all keys of a table at once; None where it also searches keys that are never held.

        Keys of a streamed table are held for a method that needs them, if they fit.
        """
        return f"method '{self.name}'"

    def seed_with(self, random: np.random.Generator) -> Self:
        """Return the method drawing from this generator, unless it has one; others draw nothing."""
        return self.with_options(random=random) if getattr(self, "random", random) is None else self


class SearchedLevel(int):
    """A level that was found by looking at the table: a number like any other, and a noisy release knows it.

    Levels that were chosen from the data reveal something of the data, and that has to be paid for.  Each number has
    the mark, so that copies of the mapping keep it, and so do a pickle and a mapping that is put together anew.  What
    is computed with it, typed in or read from a file has none: that nobody can know.

    >>> import copy
    >>> levels = searched_levels({"age": 2})
    >>> [type(each["age"]).__name__ for each in (dict(levels), levels | {}, {**levels}, copy.deepcopy(levels))]
    ['SearchedLevel', 'SearchedLevel', 'SearchedLevel', 'SearchedLevel']
    """

    __slots__ = ()


def searched_levels(levels: Mapping[str, int]) -> dict[str, int]:
    """Mark levels as found by looking at the table."""
    return {name: SearchedLevel(level) for name, level in levels.items()}


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """Levels that could be published: how many people are suppressed with them, and what they are worth."""

    levels: Mapping[str, int]
    suppressed: int
    utility: Mapping[str, float]  # the one that was chosen by, and those that cost next to nothing

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", searched_levels(self.levels))


@dataclass(frozen=True, eq=False)
class Resistance:
    """The attacker whom a release resists, the highest belief left to them, and the same search without that."""

    attacker: str
    belief: Fraction | None  # None: the limits are on sizes alone, and the making of a release tells nothing
    # the same search against attackers who see the release alone
    plain: Callable[[], Mapping[UtilityName, SearchOutcome]] = field(repr=False)

    @cached_property
    def plain_loss(self) -> float:
        """The loss of the release that was not made.  Depends on who has what: for the publisher only."""
        return loss(self.plain()["loss"].recoding)

    def in_words(self) -> str:
        """Return what is promised."""
        knows = "whoever knows the method and the policy too"
        if self.belief is None:
            return f"{knows} learns nothing more: sizes alone decide"
        return f"{knows} stays within the limit: at most {in_words(self.belief)} sure of anybody's value"


@dataclass(frozen=True, eq=False, repr=False)
class SearchOutcome:
    """The outcome of a method's search: a release, how it recodes the table, and figures of some methods only."""

    release: Release
    recoding: Recoding
    levels: Mapping[str, int] = field(default_factory=dict)  # of each column (lattice)
    minimal: tuple[Mapping[str, int], ...] = ()  # all minimal level vectors within policy (lattice)
    # (lattice) all minimal ones and the one taken, with their worth, best first; `protect(…, levels=…)` takes another
    choices: tuple[LevelChoice, ...] = ()
    suppressed: int = 0  # people
    checked: int = 0  # candidates that were looked at
    complete: bool = True  # whether the search came to its end; otherwise this is the best found so far
    resistance: Resistance | None = None  # None: made against attackers who see the release alone
    cuts: CutTree | None = None  # (mondrian)
    spilled: int = 0  # bytes in temporary files, beside those of a streamed table itself

    def __post_init__(self) -> None:
        # callers may hand in plain mappings, and levels found by a search must carry their mark
        object.__setattr__(self, "levels", searched_levels(self.levels))
        object.__setattr__(self, "minimal", tuple(map(searched_levels, self.minimal)))

    def __repr__(self) -> str:
        return f"<SearchOutcome: {self.in_words()}>"

    def in_words(self) -> str:
        """Return a line on whom the release has, who is suppressed, and whether the search came to its end."""
        suppressed = f", {counted(self.suppressed, 'person')} suppressed" if self.suppressed else ""
        unfinished = "" if self.complete else ", not complete"
        people, groups = counted(self.release.size, "person"), counted(len(self.release), "group")
        return f"{people} in {groups}{suppressed}{unfinished}"

    @property
    def chosen_by(self) -> UtilityName | None:
        """The utility by which the release was chosen among the minimal ones (lattice)."""
        # the utility that is chosen by is weighed before those that cost next to nothing
        weighed = next((next(iter(choice.utility)) for choice in self.choices[:1]), None)
        return next((name for name in UTILITIES if name == weighed), None)

    @property
    def buckets(self) -> Buckets | None:
        """Anatomy's buckets, which are published as two tables."""
        return self.recoding if isinstance(self.recoding, Buckets) else None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SearchResult(SearchOutcome, Tabular):
    """The most useful release within policy that a search found, and how it got there."""

    policy: Policy
    verdict: Verdict
    method: Method
    utility: Mapping[str, float]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)  # of the table's columns
    readers: tuple[AttackerAnswer, ...] = ()  # of attackers whom the policy does not mention

    @property
    def warnings(self) -> tuple[str, ...]:
        """What users of the release have to know; the sidecar of the published file has it too."""
        stopped = "the search was stopped before its end: a more useful release within the policy may exist"
        return (*self.method.warnings, *(() if self.complete else (stopped,)), *self._carried_warnings())

    @property
    def release_rows(self) -> Integers:
        """The row of the release that the people of each of the table's keys are in; −1: they are left out."""
        recoding = self.recoding
        assert isinstance(recoding, Regions)  # `protect` refuses methods that print no rows of people and values
        regions = len(recoding.sizes)
        # suppressed people are one group of *, the last one, or left out
        return np.where(recoding.group < 0, regions if len(self.release) > regions else -1, recoding.group)

    def with_people(self) -> Release:
        """Return the release with the members of each group, for an attacker who has a list of the people."""
        if self.release.members is not None:
            return self.release
        table, group = self.recoding.table, self.release_rows
        keys = np.flatnonzero((group >= 0) & (table.sizes > 0))
        keys = keys[np.argsort(group[keys], kind="stable")]
        columns = tuple(each.take(keys) for each in table.quasi)
        return replace(self.release, members=Members(columns, group[keys], np.arange(len(keys)), table.sizes[keys]))

    @property
    def true_counts(self) -> TrueCounts:
        """The true counts: how many people of each group and key have each value, which is never published.

        With it `learn(found.release, truth=found)` says how right a learner is.
        """
        buckets = self.buckets
        if buckets is None:
            return TrueCounts.from_table(held(self.recoding.table), self.release_rows)
        assert buckets.true_counts is not None  # anatomy deals people whose values it knows
        return buckets.true_counts

    def _carried_warnings(self) -> Iterator[str]:
        """Yield warnings about carried columns: no limit judges an attacker who knows them."""
        table = self.recoding.table
        if table.carried is None:
            return
        # −1 (left out) looks up the last group here, and stays −1 below whatever that says
        hidden = suppressed_groups(self.release.groups)[self.release_rows]
        group = np.where(hidden, -1, self.release_rows)[table.carried.key]
        names, people = ", ".join(table.carried.names), counted(table.people, "person")
        unique, without = count_unique(table.carried, group), count_unique(table.carried, group, columns=())
        yield (
            f"published as they are: {names}; whoever knows them finds {unique:,} of {people} alone in their group "
            f"({without:,} without them), and no limit judges that"
        )
        if table.carried.weight is not None:
            weight = weights(
                table.carried.columns[table.carried.names.index(table.carried.weight)], table.carried.count
            )
            there = group >= 0
            sums = add_up(group[there], weight[there], int(group.max()) + 1)
            # rounded down: a population must not be overstated
            fewest = int(sums[np.unique(group[there])].min()) // WEIGHT_UNIT
            yield f"by '{table.carried.weight}', every group stands for at least {fewest:,} people of the population"

    @property
    def kinds(self) -> Mapping[str, ColumnKind]:
        """The kind of each column: declared, or by its type, labels and hierarchy (`table.labels`)."""
        nodes = {name: Nodes.from_hierarchy(hierarchy) for name, hierarchy in self.hierarchies.items()}
        return {each.name: kind_of(each, nodes.get(each.name)) for each in self.recoding.table.quasi}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher: hierarchies that the method has not used, numbers that may be codes."""
        notes = [*self._notes_on_kinds(), *self._notes_on_sets()]
        if self.resistance is not None:
            now, before = (f"{each:.3g}" for each in (self.utility["loss"], self.resistance.plain_loss))
            price = f"; the price: a loss of {now}, where it would be {before}" if self.resistance.belief else ""
            notes.append(f"{self.resistance.in_words()}{price}")
        return tuple(notes)

    def _notes_on_kinds(self) -> Iterator[str]:
        """Yield notes on hierarchies that are not used, and on undeclared columns that may be something else."""
        heeded, kinds = self.method.heeds_hierarchies_of, self.kinds
        unused = {name: kind for name, kind in kinds.items() if name in self.hierarchies and kind not in heeded}
        if unused:
            names = ", ".join(f"{name} ({kind})" for name, kind in unused.items())
            remedy = "; declare it a category to have it recoded along its hierarchy" if heeded else ""
            yield f"method '{self.method.name}' does not use the hierarchy of {names}{remedy}"
        undeclared = [column for column in self.recoding.table.quasi if column.kind is None]
        for column in undeclared if self.method.puts_numbers_together else ():
            present, kind = [text for text in column.labels if text is not None], kinds[column.name]
            # a handful of whole numbers may well be codes, as of regions or months
            few = len(present) <= 12 and all(text.lstrip("-").isdecimal() for text in present)
            if kind == "number" and few:
                yield f"{column.name} was taken for a number; if its labels are codes, declare it a category"
            # 0 and 1 alone are flags, which lose nothing as categories
            if kind == "category" and are_digits(column.labels) and {*column.labels} - {"0", "1", None}:
                yield f"{column.name} was taken for codes, a category; if its labels are numbers, declare it a number"
            others = sum(as_number(text) is None for text in present)
            # with more than a tenth of other labels, the column is hardly one of numbers
            if 0 < 10 * others <= len(present) and column.name not in self.hierarchies:
                numbers = f"all but {others:,} of its {len(column.labels):,} labels are numbers"
                remedy = "if those mean missing, declare them so"
                yield f"{column.name} was taken for a category, though {numbers}; {remedy}"

    def _notes_on_sets(self) -> Iterator[str]:
        """Yield notes on columns of which groups print sets too long to read, as no hierarchy names them."""
        recoding = self.recoding
        if not isinstance(recoding, Regions) or self.method.prints_averages:
            return
        for order, width in zip(recoding.orders, (recoding.stop - recoding.start).max(axis=0).tolist(), strict=True):
            if width > 100 and not order.numeric and order.name not in self.hierarchies:
                printed = f"groups print sets of up to {width:,} of its {len(order):,} labels"
                yield f"{order.name} has no hierarchy, and {printed}; give one, so that they print its nodes"

    def __repr__(self) -> str:
        return f"<SearchResult of method '{self.method.name}': {self.in_words()}; {self.verdict}: {self.policy}>"

    def _repr_html_(self) -> str:
        judged = []
        for each in self.verdict.judgements:
            value = short_amount(each.finding.value, large_is_bad=each.criterion.measure.large_is_bad)
            judged.append((str(each.criterion), f"{value}, {'holds' if each.holds else 'broken'}"))
        rows: list[tuple[object, object]] = [
            *judged,
            *((f"level of {column}", level) for column, level in self.levels.items()),
            ("people", self.release.size),
            ("groups", len(self.release)),
            ("suppressed people", self.suppressed),
            *((name, self.utility[name]) for name in QUICK_UTILITIES if name != "suppressed"),
        ]
        title = f"{self.verdict}, by method '{self.method.name}'"
        return html_table(title, ("what", "found"), rows, total=len(rows), note="; ".join(self.warnings))

    def plot(self, of: SearchPicture | None = None) -> alt.TopLevelMixin:
        """Draw what was searched and found.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("found.svg")` writes it.

        Args:
            of: "lattice" (all levels: which are within policy, minimal, chosen), "tree" (Mondrian's first cuts),
                "candidates" (what each minimal one loses, against the policy's first limit) or "sizes" (people by the
                size of their group).  Default: the lattice where levels were searched, the tree where people were
                cut, else sizes.
        """
        from sidelight.report.charts.searches import search_chart  # noqa: PLC0415 - it stands below

        return search_chart(self, of)

    def table(self) -> pa.Table:
        """Return the released rows as a pyarrow table: what each person's group prints, and a sensitive value of it.

        Rows stand by what they print, so their order tells nothing more.  Where people may have several values, a row
        per group and value, with how many "people" the group has and the "count" of the value.  With anatomy, people's
        columns and their bucket; the values are in `release`, bucket by bucket.

        >>> import sidelight as sl
        >>> adult = sl.datasets.adult(quasi=["age", "sex"])
        >>> found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies)
        >>> released = found.table()
        >>> released.num_rows, released.slice(0, 1).to_pylist()
        (45222, [{'age': '0-19', 'sex': '*', 'occupation': 'Adm-clerical'}])
        """
        import pyarrow as pa  # noqa: PLC0415 - only where rows are handed out

        buckets, release = self.buckets, self.release
        several = buckets is None and release.semantics != "single"
        if buckets is None:
            group, value, count = release.groups.list_entries()
            # the order of what is printed, columns from left to right, then value: that of the search would say more
            printed = [column.codes[group] for column in reversed(release.groups.columns)]
            rows = np.lexsort(np.stack([value, group, *printed]))
            group, value, count = group[rows], value[rows], count[rows]
            if not several:  # a row per person
                group, value = np.repeat(group, count), np.repeat(value, count)
            values = value_columns(release.sensitive, release.domain, value)
            columns = (*(column.take(group) for column in release.groups.columns), *values)
        else:
            columns = buckets.tables()[0]
        arrays = [arrow_labels(each) for each in columns]
        names = [each.name for each in columns]
        if several:
            arrays += [pa.array(release.groups.sizes[group]), pa.array(count)]
            names += [unused_name("people", names), unused_name("count", names)]
        return pa.Table.from_arrays(arrays, names=names)

    to_arrow = table  # the name that dataframes have for it

    def publish(
        self,
        path: str | Path,
        *,
        force: bool = False,
        seed: int | None = None,
        layout: Layout | None = None,
        written_as: FormatName | None = None,
        bounds: bool = False,
        private_hierarchies: bool = False,
        quiet_method: bool = False,
    ) -> Published:
        """Write the release, and beside it a sidecar and a data dictionary; as Parquet or CSV, by the file's ending.

        The rows have no numbers, and their order is drawn by chance.  The file is read back and judged again before
        it appears; whatever goes wrong, nothing that looks finished is left behind.  Never over the input; over
        other files only with `force`.

        Args:
            path: where to; `.parquet` or `.csv`; where Spark runs, a name without an ending is a folder of Parquet
                parts that its executors write.
            force: replace a file that exists.
            seed: draws the same order again, for tests; the sidecar warns of it.  Not of what Spark writes.
            layout: "people" (a row per person; the default where people have one value) or "counts" (a row per
                group and value).
            written_as: "arx" for ARX's CSV, with semicolons and no quotes; default: by the ending.
            bounds: print the ends of intervals too, as numbers in columns of their own: `age_low` and `age_high`.
            private_hierarchies: leave out of the sidecar which values stand under printed labels; locating people then
                needs the hierarchies.  For hierarchies that were drawn up from the rows of this table.
            quiet_method: leave out of the sidecar how the release was made (lattice, mondrian).  That protects nobody
                from an attacker who guesses it: `resists="insider"` does.
        """
        from sidelight.publish.publish import publish  # noqa: PLC0415 - it stands below

        return publish(
            self,
            path,
            force=force,
            seed=seed,
            layout=layout,
            written_as=written_as,
            private_hierarchies=private_hierarchies,
            quiet_method=quiet_method,
            bounds=bounds,
        )
