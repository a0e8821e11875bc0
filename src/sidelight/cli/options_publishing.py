"""Options of the verbs that publish: `protect` and `noise`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from sidelight.cli.options import AsJson, Force, answer, asked, section

if TYPE_CHECKING:
    from sidelight.cli import noise, protect

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
