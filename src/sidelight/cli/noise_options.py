"""Options of what draws, counts, attacks or pays for noise.  As `options`: read as it is, and quick to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter

from sidelight.cli.completion import columns_of_people
from sidelight.cli.options import ANSWER, ASKED, NOISE, PAID, AsJson, Force, HtmlFile, MarkdownFile, files, option

if TYPE_CHECKING:
    from sidelight.cli.run import Output

NoisyFiles: TypeAlias = Annotated[
    tuple[str, ...], files("COUNTS", "Noisy counts as published, their documents beside them.")
]
CountsFile: TypeAlias = Annotated[
    Path, Parameter(name="COUNTS", help="Noisy counts as published, their document beside them.")
]
LedgerFiles: TypeAlias = Annotated[
    tuple[str, ...], files("LEDGERS", "Ledgers, or noisy counts as published; what is in both counts once.")
]
PromiseFiles: TypeAlias = Annotated[
    tuple[str, ...], files("FILES", "Ledgers, or noisy counts as published; or none, and --epsilon.")
]
LedgerFile: TypeAlias = Annotated[
    Path, Parameter(name="LEDGER", help="The ledger: the file that --ledger names when noise is paid for.")
]


@Parameter(name="*", group=ASKED)
@dataclass(frozen=True, kw_only=True)
class NoiseAttackOptions:
    """Whom somebody weighs noisy counts about, and what they know."""

    people: Annotated[str, option("--people", metavar="FILE")]
    """The people that it is about, with the columns that were counted by and their true values."""
    truth: Annotated[str | None, option("--truth", metavar="COLUMN", completer=columns_of_people)] = None
    """The column with the true values; if nothing is said, the one that was counted."""
    others: Annotated[tuple[str, ...], option("--others", metavar="TABLE")] = ()
    """What each file was made from, in order: for somebody who knows all of it but one person; repeat it."""
    prior: Annotated[Literal["pooled", "uniform"], option("--prior", metavar="NAME")] = "pooled"
    """What is believed of people before."""
    chance: Annotated[str | None, option("--chance", metavar="NUMBER")] = None
    """How likely the promise may be broken, such as 0.001, to read it off the noise itself."""


@Parameter(name="*", group=ASKED)
@dataclass(frozen=True, kw_only=True)
class CountOptions:
    """What is added up of noisy counts, and how sure the margin is."""

    values: Annotated[tuple[str, ...], option("--value", metavar="VALUE")] = ()
    """A sensitive value; repeat it to add several up; if nothing is said, all of them."""
    where: Annotated[tuple[str, ...], option("--where", metavar="COLUMN=LABEL")] = ()
    """A label of a column, such as sex=Female; repeat it, also for several labels of one column."""
    confidence: Annotated[float, option("--confidence", metavar="SHARE")] = 0.95
    """How likely what was counted is within the margin."""


@Parameter(name="*", group=ASKED)
@dataclass(frozen=True, kw_only=True)
class SpentOptions:
    """At which delta, and to how many people, something is promised."""

    delta: Annotated[str | None, option("--delta", metavar="NUMBER")] = None
    """The delta at which epsilon is told, for all releases together; if nothing is said, the sum of theirs."""
    people: Annotated[int | None, option("--people", metavar="NUMBER", at_least=1)] = None
    """How many people there are, for what is promised in beliefs."""
    chance: Annotated[str | None, option("--chance", metavar="NUMBER")] = None
    """How likely that promise may be broken, such as 0.001, to read it off the noise itself."""


@Parameter(name="*", group=ASKED)
@dataclass(frozen=True, kw_only=True)
class PromiseOptions:
    """Of which epsilon and delta, where no files say so; to how many people; and how it is said."""

    epsilon: Annotated[str | None, option("--epsilon", "-e", metavar="NUMBER")] = None
    """The epsilon of a release, or of several together, instead of files."""
    delta: Annotated[str, option("--delta", metavar="NUMBER")] = "0"
    """Its delta."""
    neighbours: Annotated[Literal["add or remove", "replace"] | None, option("--neighbours", metavar="KIND")] = None
    """What that hides: add or remove one person, if nothing is said, or replace one."""
    people: Annotated[int | None, option("--people", metavar="NUMBER", at_least=1)] = None
    """How many people there are at most; needed with a delta, and with a chance."""
    chance: Annotated[str | None, option("--chance", metavar="NUMBER")] = None
    """How likely the promise may be broken, such as 0.001."""
    false_alarms: Annotated[float, option("--false-alarms", metavar="SHARE")] = 0.05
    """How many of those who are not in somebody takes for being in, who guesses who is."""
    prior: Annotated[float, option("--prior", metavar="SHARE")] = 0.1
    """How likely somebody thinks something about you before."""
    plot: Annotated[Path | None, option("--plot", metavar="FILE", group=ANSWER)] = None
    """Also draw it: .svg, .png, .html or .json (Vega-Lite)."""


@Parameter(name="*", group=ASKED)
@dataclass(frozen=True, kw_only=True)
class NoiseOptions:
    """Which counts are published, and with how much noise."""

    levels: Annotated[tuple[str, ...], option("--levels", metavar="LEVEL")] = ()
    """A column and its level, fixed before looking at the data, such as age=2; repeat it."""
    outside: Annotated[Literal["other", "leave out", "an error"], option("--outside", metavar="WHAT")] = "other"
    """What people are whose labels or value were not declared; "other" never fails, and so tells nothing."""
    undeclared: Annotated[bool, option("--undeclared")] = False
    """Count labels that nobody can list, as they are found, and publish large counts only; takes a --delta."""
    values_per_person: Annotated[int | None, option("--values-per-person", metavar="NUMBER", at_least=1)] = None
    """How many values of one person count at most, fixed in advance; for --values set and multiset."""
    rows_per_person: Annotated[int | None, option("--rows-per-person", metavar="NUMBER", at_least=1)] = None
    """How many rows of one person count at most, fixed in advance; for people with several rows."""
    people_at_most: Annotated[int | None, option("--people-at-most", metavar="NUMBER", at_least=1)] = None
    """How many people there are at most, as known in advance and not from the data; for --delta."""
    queries: Annotated[tuple[str, ...], option("--query", metavar="COLUMNS")] = ()
    """What else is counted by, for a part of epsilon: total, "age,sex", or coarser, "age=3,sex"; repeat it."""
    cells: Annotated[int, option("--cells", metavar="NUMBER", at_least=1)] = 1_000_000
    """How many counts there may be at most."""
    epsilon: Annotated[str | None, option("--epsilon", "-e", metavar="NUMBER", group=NOISE)] = None
    """How much the counts may depend on one person, such as 1; less: more noise."""
    delta: Annotated[str, option("--delta", metavar="NUMBER", group=NOISE)] = "0"
    """The chance that it is more than that, far below 1 / people; 0: never."""
    rho: Annotated[str | None, option("--rho", metavar="NUMBER", group=NOISE)] = None
    """In place of --epsilon, Gaussian noise of this rho, whose epsilon is told at --delta."""
    neighbours: Annotated[Literal["add or remove", "replace"], option("--neighbours", metavar="NAME", group=NOISE)] = (
        "add or remove"
    )
    """What is hidden: one person more or less, or one replaced by another (twice the noise; with --delta √2)."""


@Parameter(name="*", group=PAID)
@dataclass(frozen=True, kw_only=True)
class LedgerOptions:
    """What noise is paid from."""

    ledger: Annotated[Path | None, option("--ledger", metavar="FILE")] = None
    """The file that keeps the budget of these people; `sidelight ledger begin` begins one."""


@Parameter(name="*", group=PAID)
@dataclass(frozen=True, kw_only=True)
class BudgetOptions:
    """The budget that a ledger is begun with; it is not changed afterwards."""

    epsilon: Annotated[str | None, option("--epsilon", "-e", metavar="NUMBER")] = None
    """The epsilon of all releases about these people together, such as 3."""
    delta: Annotated[str, option("--delta", metavar="NUMBER")] = "0"
    """The delta of all of them together, far below 1 / people; 0: noise without a delta only."""
    rho: Annotated[str | None, option("--rho", metavar="NUMBER")] = None
    """In place of --epsilon, the rho of all of them together, whose epsilon is told at --delta."""
    accounting: Annotated[Literal["basic", "concentrated"], option("--accounting", metavar="NAME")] = "basic"
    """How it adds up."""
    neighbours: Annotated[Literal["add or remove", "replace"], option("--neighbours", metavar="NAME")] = "add or remove"
    """What all releases hide: one person more or less, or one replaced by another."""


@Parameter(name="*", group=ANSWER)
@dataclass(frozen=True, kw_only=True)
class NoisyOutputOptions:
    """Where noisy counts are published."""

    output: Annotated[Path, option("--output", "-o", metavar="FILE")]
    """Where to publish: .csv or .parquet; a document is put beside it."""
    json: AsJson = False
    html: HtmlFile = None
    markdown: MarkdownFile = None
    force: Force = False

    def to(self) -> Output:
        """Return where what is told of the counts goes, besides them."""
        from sidelight.cli.run import Output  # noqa: PLC0415 - `--help` is quick

        return Output(self.json, None, self.force, (), self.html, self.markdown)
