"""Options that several verbs have: what is read, by which policy, and where the answer goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from sidelight.cli import noise, protect
    from sidelight.cli.believe import Counting as Wanted
    from sidelight.cli.output import Output
    from sidelight.table.roles import Roles


def section(title: str) -> Callable[..., Any]:
    """Begin a section of the help page: gives a function that makes its options."""

    def option(*names: str, gives: str = "", says: str, least: int | None = None) -> Any:  # noqa: ANN401 - as typer has it
        return typer.Option(*names, metavar=gives, help=says, min=least, rich_help_panel=title)

    return option


asked = section("What is asked")
answer = section("Where the answer goes")

ReleaseFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="RELEASE", help="A published file: CSV, TSV or Parquet, also compressed or a glob.")
]
ReleaseFiles: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="RELEASES", help="Published files about the same people, usually two or more.")
]
TableFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="TABLE", help="The table: CSV, TSV or Parquet, also compressed or a glob.")
]

PolicyPath: TypeAlias = Annotated[
    Path | None, asked("--policy", "-p", gives="POLICY", says="A policy file: limits, and roles of the columns.")
]
RolesPath: TypeAlias = Annotated[
    Path | None, asked("--policy", "-p", gives="POLICY", says="A policy file, for the roles of the columns.")
]
Limits: TypeAlias = Annotated[
    list[str] | None, asked("--limit", "-l", gives="LIMIT", says="A limit, such as 'group size >= 5'; repeat it.")
]
Measures: TypeAlias = Annotated[
    list[str] | None,
    asked("--measure", "-m", gives="MEASURE", says="A measure without a limit, such as 'closeness'; repeat it."),
]
HierarchyFolder: TypeAlias = Annotated[
    Path | None,
    asked("--hierarchies", gives="FOLDER", says="A folder with a hierarchy '<column>.csv' for each column."),
]

AsJson: TypeAlias = Annotated[bool, answer("--json", says="Print the answer as JSON, and nothing else.")]
Force: TypeAlias = Annotated[bool, answer("--force", says="Replace files that exist.")]
Debug: TypeAlias = Annotated[
    bool, typer.Option("--debug", metavar="", help="Show where an error comes from (with any verb).")
]
Folder: TypeAlias = Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where to write the files.")]


@dataclass(frozen=True)
class Answer:
    """Where an answer goes."""

    json: AsJson = False
    output: Annotated[Path | None, answer("--output", "-o", gives="FILE", says="Also write the JSON to this file.")] = (
        None
    )
    force: Force = False

    def to(self, *inputs: Path | None) -> Output:
        """Say where it goes, and which inputs are not written over."""
        from sidelight.cli.output import Output  # noqa: PLC0415 - `--help` is quick

        read = tuple(each for each in inputs if each is not None)
        return Output(as_json=self.json, file=self.output, force=self.force, inputs=read)


# ----------------------------------------------------------------------------------------------------
# Options that say which column is what, for each kind of file.
# ----------------------------------------------------------------------------------------------------


column = section("Which column is what (or in [roles] of the policy)")

Group: TypeAlias = Annotated[
    list[str] | None, column("--group", "-g", gives="COLUMN", says="A column that outsiders may know; repeat it.")
]
Quasi: TypeAlias = Annotated[
    list[str] | None,
    column("--quasi", "--group", "-g", gives="COLUMN", says="A column that outsiders may know; repeat it."),
]
Sensitive: TypeAlias = Annotated[
    str | None, column("--sensitive", "-s", gives="COLUMN", says="The column that should not be found out.")
]
Person: TypeAlias = Annotated[
    str | None,
    column("--person", gives="COLUMN", says="The column that says whose row it is, when people have several."),
]
Values: TypeAlias = Annotated[
    Literal["single", "set", "multiset"] | None,
    column("--values", gives="KIND", says="How many values a person has: single (default), set or multiset."),
]
Missing: TypeAlias = Annotated[
    Literal["an error", "a value", "drop"] | None,
    column(
        "--missing", gives="WHAT", says="What a missing sensitive value is: 'an error' (default), 'a value' or drop."
    ),
]
MissingMarks: TypeAlias = Annotated[
    list[str] | None,
    column("--missing-mark", gives="TEXT", says="A text that means missing, such as '?'; repeat it."),
]
Suppressed: TypeAlias = Annotated[
    Literal["a group", "leave out"] | None,
    column(
        "--suppressed", gives="WHAT", says="What rows are that are * throughout: 'a group' (default) or 'leave out'."
    ),
]
Domain: TypeAlias = Annotated[
    list[str] | None,
    column("--domain", gives="VALUE", says="A sensitive value there could be; repeat it for all, in order."),
]

ROLES = {"group": "quasi", "missing_mark": "missing_marks"}
"""What an option is called in a policy file, where it is called something else."""


@dataclass(frozen=True)
class _Columns:
    def roles(self) -> Roles:
        """Give them as a policy file would; options that were not given say nothing."""
        from sidelight.table.roles import Roles  # noqa: PLC0415 - `--help` is quick

        said = {ROLES.get(each.name, each.name): getattr(self, each.name) for each in fields(self)}
        given: dict[str, Any] = {name: tuple(what) if isinstance(what, list) else what for name, what in said.items()}
        return Roles(**{name: what for name, what in given.items() if what not in (None, ())})


@dataclass(frozen=True)
class OfRelease(_Columns):
    """The columns of a published file."""

    group: Group = None
    sensitive: Sensitive = None
    person: Person = None
    values: Values = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    suppressed: Suppressed = None
    domain: Domain = None


@dataclass(frozen=True)
class OfTable(_Columns):
    """The columns of a table that is to be published."""

    group: Group = None
    sensitive: Sensitive = None
    person: Person = None
    values: Values = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    domain: Domain = None


@dataclass(frozen=True)
class OfCounts(_Columns):
    """The columns of a table that is to be counted; those that it is counted by have levels."""

    sensitive: Sensitive = None
    person: Person = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    domain: Domain = None


@dataclass(frozen=True)
class OfReleases(_Columns):
    """The columns of several published files."""

    quasi: Quasi = None
    sensitive: Sensitive = None
    missing: Missing = None
    missing_mark: MissingMarks = None
    suppressed: Suppressed = None


# ----------------------------------------------------------------------------------------------------
# Options of the verbs that ask about published files: `explore`, `believe` and `attack`.
# ----------------------------------------------------------------------------------------------------


Value: TypeAlias = Annotated[
    str, asked("--value", "-v", gives="VALUE", says="The sensitive value that should stay hidden.")
]
Below: TypeAlias = Annotated[
    str, asked("--below", "-b", gives="NUMBER", says="How sure nobody should get, such as 0.95 or 3/4.")
]
UpTo: TypeAlias = Annotated[
    int,
    asked(
        "--up-to", gives="NUMBER", least=0, says="How much knowledge the curves go up to; beyond 50 in growing steps."
    ),
]

Know: TypeAlias = Annotated[
    list[str] | None,
    asked(
        "--know",
        "-k",
        gives="FACT",
        says="What is known, such as 'Bob != Flu', 'Ann = Flu -> Bob = Flu' or 'P(Flu | sex=male) = 0.3'; repeat it.",
    ),
]
About: TypeAlias = Annotated[
    list[str] | None,
    asked(
        "--about",
        "-a",
        gives="PERSON",
        says="A person: a name, #3 for someone in group 3, or {column = cell}; repeat it.",
    ),
]
Top: TypeAlias = Annotated[
    int,
    asked(
        "--top", gives="NUMBER", least=1, says="Without --about: of how many people to tell, whoever moves most first."
    ),
]
ToldApart: TypeAlias = Annotated[
    list[str] | None,
    asked(
        "--quasi",
        "-q",
        gives="COLUMN",
        says="A column that tells people of a bucket apart; repeat it.",
    ),
]
Original: TypeAlias = Annotated[
    str | None,
    asked(
        "--table", gives="TABLE", says="The original, to tell how near the truth beliefs come (with statements P(…))."
    ),
]

hard = section("When counting is too hard")


@dataclass(frozen=True)
class Counting:
    """How much is counted, and what is done when that is not enough."""

    states: Annotated[int, hard("--states", gives="NUMBER", least=1, says="Count so many states at most.")] = 2_000_000
    seconds: Annotated[
        float | None,
        hard("--seconds", gives="NUMBER", says="Count for so many seconds at most: 20, or 600 for statements P(…)."),
    ] = None
    approximate: Annotated[
        bool,
        hard(
            "--approximate",
            says="With --about, if that is not enough: draw worlds at random, for estimates with intervals.",
        ),
    ] = False
    samples: Annotated[int, hard("--samples", gives="NUMBER", least=1, says="Estimate from so many worlds.")] = 2_000
    confidence: Annotated[float, hard("--confidence", gives="NUMBER", says="How sure each interval is.")] = 0.95
    seed: Annotated[int, hard("--seed", gives="NUMBER", least=0, says="The same seed draws the same worlds.")] = 0

    def wanted(self) -> Wanted:
        """Give it in the verb's words."""
        from sidelight.cli.believe import Chance  # noqa: PLC0415 - `--help` is quick
        from sidelight.cli.believe import Counting as Wanted  # noqa: PLC0415

        chance = Chance(self.samples, self.confidence, self.seed) if self.approximate else None
        return Wanted(self.states, self.seconds, chance)


People: TypeAlias = Annotated[
    str, asked("--people", gives="FILE", says="The people to look for, with the columns that outsiders know.")
]


@dataclass(frozen=True)
class Attacker:
    """What an attacker knows and believes, and what is told of them."""

    person: Annotated[
        str | None, asked("--person", gives="COLUMN", says="The column of the people's file that names them.")
    ] = None
    truth: Annotated[
        str | None, asked("--truth", gives="COLUMN", says="The column of the people's file with their true values.")
    ] = None
    who: Annotated[
        str | None, asked("--who", gives="PERSON", says="Show what gives this person away (by --person).")
    ] = None
    locate: Annotated[
        Literal["labels", "intervals", "nearest"] | None,
        asked(
            "--locate",
            gives="HOW",
            says="How people are found in the releases: by labels, intervals or nearest; without it, as they were "
            "published, or by labels.",
        ),
    ] = None
    prior: Annotated[
        Literal["pooled", "uniform"],
        asked("--prior", gives="NAME", says="What is believed of people before: pooled or uniform."),
    ] = "pooled"
    same_value: Annotated[
        list[str] | None,
        asked(
            "--same-value", gives="PAIR", says="Two words for one value, as 'Influenza=Flu'; repeat it. '=': no others."
        ),
    ] = None
    at_most: Annotated[
        str | None,
        asked("--at-most", gives="SHARE", says="The share of people that may be given away, such as 0.01."),
    ] = None


# ----------------------------------------------------------------------------------------------------
# Options of the verbs that publish: `protect` and `noise`.
# ----------------------------------------------------------------------------------------------------


ReleasePath: TypeAlias = Annotated[
    Path,
    answer("--output", "-o", gives="FILE", says="Where to publish: .parquet or .csv; a sidecar is put beside it."),
]
search = section("How to search")


@dataclass(frozen=True)
class Search:
    """How to search for a release."""

    method: Annotated[
        Literal["lattice", "mondrian", "anatomy", "microaggregation"],
        search("--method", gives="NAME", says="lattice, mondrian, anatomy or microaggregation."),
    ] = "lattice"
    utility: Annotated[
        Literal[
            "discernibility",
            "average group size",
            "loss",
            "non-uniform entropy",
            "KL divergence",
            "query error",
            "suppressed",
        ],
        search(
            "--utility",
            gives="NAME",
            says="What the best of the minimal releases is best at: discernibility, 'average group size', loss, "
            "'non-uniform entropy', 'KL divergence', 'query error' or suppressed (lattice).",
        ),
    ] = "discernibility"
    suppress_only: Annotated[
        list[str] | None,
        search("--suppress-only", gives="COLUMN", says="A column without a hierarchy: as it is, or as *; repeat it."),
    ] = None
    suppress: Annotated[
        float,
        search("--suppress", gives="SHARE", says="The share of people who may be suppressed, such as 0.04 (lattice)."),
    ] = 0
    suppressed: Annotated[
        Literal["as *", "left out"],
        search("--suppressed", gives="HOW", says="What becomes of suppressed people: 'as *' or 'left out'."),
    ] = "as *"
    nodes: Annotated[
        int,
        search(
            "--nodes",
            gives="NUMBER",
            least=1,
            says="Look at so many generalisations at most, and publish the best of them (lattice).",
        ),
    ] = 100_000

    def way(self, hierarchies: Path | None) -> protect.Way:
        """Give it in the verb's words."""
        from sidelight.cli.protect import Way  # noqa: PLC0415 - `--help` is quick

        only = tuple(self.suppress_only or ())
        return Way(self.method, self.utility, hierarchies, only, self.suppress, self.suppressed, self.nodes)


@dataclass(frozen=True)
class Written:
    """How a release is written."""

    layout: Annotated[
        Literal["people", "counts", "two tables", "shuffled"] | None,
        answer(
            "--layout",
            gives="NAME",
            says="What a row is: people, counts, 'two tables' or shuffled; without it, what fits the method and the "
            "values.",
        ),
    ] = None
    written_as: Annotated[
        Literal["parquet", "csv", "arx"] | None,
        answer(
            "--written-as",
            gives="NAME",
            says="parquet, csv, or arx for CSV as ARX writes it; without it, by the ending.",
        ),
    ] = None
    json: AsJson = False
    force: Force = False

    def target(self, path: Path) -> protect.Target:
        """Say where it goes."""
        from sidelight.cli.protect import Target  # noqa: PLC0415 - `--help` is quick

        return Target(path, force=self.force, layout=self.layout, written_as=self.written_as, as_json=self.json)


NoisyPath: TypeAlias = Annotated[
    Path,
    answer("--output", "-o", gives="FILE", says="Where to publish: .csv or .parquet; a document is put beside it."),
]
Levels: TypeAlias = Annotated[
    list[str] | None,
    asked(
        "--levels",
        gives="LEVEL",
        says="A column and its level, fixed before looking at the data, such as age=2; repeat it.",
    ),
]
Outside: TypeAlias = Annotated[
    Literal["an error", "leave out"],
    asked(
        "--outside",
        gives="WHAT",
        says="What people are whose labels or value were not declared: 'an error' or 'leave out'.",
    ),
]
Cells: TypeAlias = Annotated[
    int, asked("--cells", gives="NUMBER", least=1, says="How many counts there may be at most.")
]

amount = section("How much noise")
Epsilon: TypeAlias = Annotated[
    str,
    amount(
        "--epsilon",
        "-e",
        gives="NUMBER",
        says="How much the counts may depend on one person, such as 1; less: more noise.",
    ),
]
Delta: TypeAlias = Annotated[
    str,
    amount("--delta", gives="NUMBER", says="The chance that it is more than that, far below 1 / people; 0: never."),
]
Neighbours: TypeAlias = Annotated[
    Literal["add or remove", "replace"],
    amount(
        "--neighbours",
        gives="NAME",
        says="What is hidden: 'add or remove' (one person more or less) or replace (one by another).",
    ),
]

paid = section("What it is paid from")


@dataclass(frozen=True)
class Budget:
    """What noise is paid from."""

    ledger: Annotated[
        Path | None, paid("--ledger", gives="FILE", says="The file that keeps the budget of these people.")
    ] = None
    budget: Annotated[
        str | None,
        paid(
            "--budget",
            gives="NUMBER",
            says="The epsilon of all releases together; begins the ledger if there is none.",
        ),
    ] = None
    budget_delta: Annotated[
        str,
        paid("--budget-delta", gives="NUMBER", says="The delta of all releases together, when a ledger is begun."),
    ] = "0"
    accounting: Annotated[
        Literal["basic", "concentrated"],
        paid("--accounting", gives="NAME", says="How a ledger that is begun adds up: basic or concentrated."),
    ] = "basic"

    def wanted(self) -> noise.Budget:
        """Give it in the verb's words."""
        from sidelight.cli.noise import Budget as Wanted  # noqa: PLC0415 - `--help` is quick

        return Wanted(self.ledger, self.budget, self.budget_delta, self.accounting)
