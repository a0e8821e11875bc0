"""The options of the verbs, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

File: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A published file: CSV, TSV or Parquet, also compressed or a glob.")
]

PolicyPath: TypeAlias = Annotated[
    Path | None, typer.Option("--policy", "-p", metavar="FILE", help="A policy file: limits, and roles of the columns.")
]
Limits: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--limit", "-l", metavar="LIMIT", help="A limit, such as 'group size >= 5'; repeat it."),
]
Measures: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", "-m", metavar="MEASURE", help="A measure without a limit, such as 'entropy diversity'; repeat it."
    ),
]

Group: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--group", "-g", metavar="COLUMN", help="A column that outsiders may know; repeat it."),
]
Sensitive: TypeAlias = Annotated[
    str | None, typer.Option("--sensitive", "-s", metavar="COLUMN", help="The column that should not be found out.")
]
Person: TypeAlias = Annotated[
    str | None,
    typer.Option("--person", metavar="COLUMN", help="The column that says whose row it is, when people have several."),
]
Values: TypeAlias = Annotated[
    Literal["single", "set", "multiset"] | None, typer.Option("--values", help="How many values a person has.")
]
Missing: TypeAlias = Annotated[
    Literal["an error", "a value", "drop"] | None, typer.Option("--missing", help="What a missing sensitive value is.")
]
MissingMarks: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--missing-mark", metavar="TEXT", help="A text that means missing, such as '?'; repeat it."),
]
Suppressed: TypeAlias = Annotated[
    Literal["a group", "leave out"] | None, typer.Option("--suppressed", help="What rows are that are * throughout.")
]
Domain: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--domain", metavar="VALUE", help="All sensitive values there could be, in order; repeat it."),
]

Value: TypeAlias = Annotated[
    str, typer.Option("--value", "-v", metavar="VALUE", help="The sensitive value that should stay hidden.")
]
Below: TypeAlias = Annotated[
    str, typer.Option("--below", "-b", metavar="NUMBER", help="How sure nobody should get, such as 0.95 or 3/4.")
]
UpTo: TypeAlias = Annotated[
    int, typer.Option("--up-to", metavar="NUMBER", min=0, help="How much knowledge the curves go up to.")
]

Know: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--know",
        "-k",
        metavar="FACT",
        help="What is known, such as 'Bob != Flu' or 'P(Flu | sex=male) = 0.3'; repeat it.",
    ),
]
About: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--about",
        "-a",
        metavar="PERSON",
        help="A person: a name, #3 for someone in group 3, or {column = cell}; repeat it.",
    ),
]
Top: TypeAlias = Annotated[
    int,
    typer.Option(
        "--top", metavar="NUMBER", min=1, help="Without --about: of how many people to tell, whoever moves most first."
    ),
]
ToldApart: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi",
        "-q",
        metavar="COLUMN",
        help="A column that tells people of a bucket apart (with statements P(…)); repeat it.",
    ),
]
Original: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="FILE", help="The original, to tell how near the truth beliefs come (with statements P(…))."
    ),
]

AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", metavar="", help="Print the report as JSON, and nothing else.")
]
OutputPath: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the report as JSON to this file.")
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", metavar="", help="Replace files that exist.")]
Folder: TypeAlias = Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where to write the files.")]
Debug: TypeAlias = Annotated[
    bool, typer.Option("--debug", metavar="", help="Show where an error comes from (with any verb).")
]

ReleaseFiles: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="FILES", help="Published files about the same people, two or more.")
]
People: TypeAlias = Annotated[
    str,
    typer.Option(
        "--people", metavar="FILE", help="The people to look for: a file with the columns that outsiders know."
    ),
]
Quasi: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--quasi", "--group", "-g", metavar="COLUMN", help="A column that outsiders may know; repeat it."),
]
NameColumn: TypeAlias = Annotated[
    str | None, typer.Option("--person", metavar="COLUMN", help="The column of the people's file that names them.")
]
Truth: TypeAlias = Annotated[
    str | None,
    typer.Option("--truth", metavar="COLUMN", help="The column of the people's file with their true values."),
]
Who: TypeAlias = Annotated[
    str | None, typer.Option("--who", metavar="PERSON", help="Show what gives this person away (by --person).")
]
LocateBy: TypeAlias = Annotated[
    Literal["labels", "intervals", "nearest"] | None,
    typer.Option("--locate", help="How people are found in the files; without it, by labels or as published."),
]
PriorName: TypeAlias = Annotated[
    Literal["pooled", "uniform"], typer.Option("--prior", help="What is believed of people before.")
]
SameValues: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--same-value", metavar="PAIR", help="Two words for one value, as 'Influenza=Flu'; repeat it. '=': no others."
    ),
]
AtMost: TypeAlias = Annotated[
    str | None,
    typer.Option("--at-most", metavar="SHARE", help="The share of people that may be given away, such as 0.01."),
]

TableFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The table: CSV, TSV or Parquet, also compressed or a glob.")
]
ReleasePath: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to publish: .parquet or .csv; a sidecar is put beside it."
    ),
]
Hierarchies: TypeAlias = Annotated[
    Path | None,
    typer.Option("--hierarchies", metavar="FOLDER", help="A folder with a hierarchy '<column>.csv' for each column."),
]
SuppressOnly: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--suppress-only", metavar="COLUMN", help="A column without a hierarchy: as it is, or as *; repeat it."
    ),
]
MethodName: TypeAlias = Annotated[
    Literal["lattice", "mondrian", "anatomy", "microaggregation"],
    typer.Option("--method", help="How to search."),
]
Utility: TypeAlias = Annotated[
    Literal[
        "discernibility",
        "average group size",
        "loss",
        "non-uniform entropy",
        "KL divergence",
        "query error",
        "suppressed",
    ],
    typer.Option("--utility", help="What the best of the minimal releases is best at (lattice)."),
]
Suppress: TypeAlias = Annotated[
    float,
    typer.Option(
        "--suppress", metavar="SHARE", help="The share of people who may be suppressed, such as 0.04 (lattice)."
    ),
]
SuppressedAs: TypeAlias = Annotated[
    Literal["as *", "left out"], typer.Option("--suppressed", help="What becomes of suppressed people.")
]
Nodes: TypeAlias = Annotated[
    int,
    typer.Option(
        "--nodes",
        metavar="NUMBER",
        min=1,
        help="Look at so many generalisations at most, and publish the best of them (lattice).",
    ),
]
Layout: TypeAlias = Annotated[
    Literal["people", "counts", "two tables", "shuffled"] | None,
    typer.Option("--layout", help="What a row is; without it, what fits the method and the values."),
]
WrittenAs: TypeAlias = Annotated[
    Literal["parquet", "csv", "arx"] | None,
    typer.Option("--written-as", help="arx: CSV as ARX writes it; without it, by the ending."),
]

Epsilon: TypeAlias = Annotated[
    str,
    typer.Option(
        "--epsilon",
        "-e",
        metavar="NUMBER",
        help="How much the counts may depend on one person, such as 1; less: more noise.",
    ),
]
Delta: TypeAlias = Annotated[
    str,
    typer.Option(
        "--delta", metavar="NUMBER", help="The chance that it is more than that, far below 1 / people; 0: never."
    ),
]
Levels: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--levels",
        metavar="LEVEL",
        help="A column and its level, fixed before looking at the data, such as age=2; repeat it.",
    ),
]
Neighbours: TypeAlias = Annotated[
    Literal["add or remove", "replace"],
    typer.Option("--neighbours", help="What is hidden: one person more or less, or one replaced by another."),
]
Outside: TypeAlias = Annotated[
    Literal["an error", "leave out"],
    typer.Option("--outside", help="What people are whose labels or value were not declared."),
]
LedgerPath: TypeAlias = Annotated[
    Path | None, typer.Option("--ledger", metavar="FILE", help="The file that keeps the budget of these people.")
]
BudgetEpsilon: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="NUMBER", help="The epsilon of all releases together; begins the ledger if there is none."
    ),
]
BudgetDelta: TypeAlias = Annotated[
    str,
    typer.Option(
        "--budget-delta", metavar="NUMBER", help="The delta of all releases together, when a ledger is begun."
    ),
]
AccountingName: TypeAlias = Annotated[
    Literal["basic", "concentrated"], typer.Option("--accounting", help="How a ledger that is begun adds up.")
]
Cells: TypeAlias = Annotated[
    int, typer.Option("--cells", metavar="NUMBER", min=1, help="How many counts there may be at most.")
]
NoisyPath: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to publish: .csv or .parquet; a sidecar is put beside it."
    ),
]
