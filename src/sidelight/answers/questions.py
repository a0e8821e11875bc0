"""Every question about files: a request for each, which checks its own options.

Quick to import, as `request` is; the answers are in the other modules of this room, by the same names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

from cyclopts import Group

from sidelight.answers.request import (
    ANSWER,
    CELL_FIELDS,
    ENGINE_FIELDS,
    LIMIT_FIELDS,
    PERSON_FIELDS,
    POLICY_FIELDS,
    QUESTION,
    BelievedColumns,
    ColumnOptions,
    Force,
    LookupOptions,
    MeasureOptions,
    ReleaseColumns,
    Request,
    RoleOptions,
    Settings,
    TableColumns,
    choose,
    complete_columns_of_people,
    option,
    options,
)
from sidelight.errors import BadMeasure, BadPolicy, BadRelease
from sidelight.files import SIDECAR_ENDING, real_path

SEARCH = Group("How to search", sort_key=3)
NOISE = Group("How much noise", sort_key=4)
PAID = Group("What it is paid from", sort_key=5)
COUNTING = Group("When counting is too hard", sort_key=2)

MethodName: TypeAlias = Literal["lattice", "mondrian", "anatomy", "microaggregation"]
Utility: TypeAlias = Literal[
    "balanced loss",
    "discernibility",
    "average group size",
    "loss",
    "non-uniform entropy",
    "KL divergence",
    "query error",
    "suppressed",
]
"""As in `search/utility`, which would be slow to import for `--help`."""


# About a published file


@options(QUESTION, verb="audit")
class AuditRequest(Request):
    """Judge a published file by limits and measures."""

    settings: Annotated[Settings, choose(*POLICY_FIELDS, "measures", *ENGINE_FIELDS)] = Settings()
    columns: ReleaseColumns = ColumnOptions()


@options(QUESTION, verb="report")
class ReportRequest(Request):
    """What a report contains besides the release, in which order, and who signs."""

    tables: ClassVar[tuple[str, ...]] = ("files", "released", "table")
    falls_back: ClassVar[bool] = True

    settings: MeasureOptions = Settings()
    columns: ReleaseColumns = ColumnOptions()
    table: Annotated[str | None, option("--table", metavar="TABLE")] = None
    """The table that the release was made from, to tell the risk before: as numbers alone."""
    attack: Annotated[tuple[Path, ...], option("--attack", metavar="FILE")] = ()
    """The JSON answer of an attack that was tried, such as sidelight attack … --output FILE; repeat it."""
    outline: Annotated[Literal["ema", "hipaa", "iso-27559", "ico"] | None, option("--outline", metavar="NAME")] = None
    """Order and title it as a regime's document: ema, hipaa, iso-27559 or ico."""
    date: Annotated[str | None, option("--date", metavar="DAY")] = None
    """The day that the report says, such as 2026-01-31; today, if nothing is said."""
    signed_by: Annotated[str, option("--signed-by", metavar="NAME")] = ""
    """Who decides; with --role, --decision and --reasons; otherwise lines are left to be filled in."""
    role: Annotated[str, option("--role", metavar="TEXT")] = ""
    """What they are."""
    decision: Annotated[
        Literal["approved", "approved on conditions", "refused"] | None, option("--decision", metavar="WHAT")
    ] = None
    """What they decide: approved, 'approved on conditions' or refused."""
    reasons: Annotated[str, option("--reasons", metavar="TEXT")] = ""
    """Why."""

    @property
    def release(self) -> str:
        """The release, also if its sidecar was named."""
        return self.file.removesuffix(SIDECAR_ENDING)

    @property
    def released(self) -> tuple[str, ...]:
        """The release if it exists: the sidecar may be elsewhere."""
        return (self.release,) if Path(self.release).exists() else ()


@options(QUESTION, verb="explore")
class ExploreRequest(Request):
    """Explore what an attacker may know before a value is disclosed."""

    tables: ClassVar[tuple[str, ...]] = ("files", "people")

    value: Annotated[tuple[str, ...], option("--value", "-v", metavar="VALUE")]
    """The sensitive value that should stay hidden; repeat it to ask about any of several."""
    below: Annotated[str, option("--below", "-b", metavar="NUMBER")] = "0.95"
    """How sure nobody should get, such as 0.95 or 3/4."""
    up_to: Annotated[int, option("--up-to", metavar="NUMBER", at_least=0, at_most=1_000_000)] = 10
    """How much knowledge the curves go up to; beyond 50 in growing steps."""
    belief: Annotated[tuple[str, ...], option("--belief", metavar="LIMIT")] = ()
    """A limit on a prior belief: how stubborn may one be, knowing how many? 'prior belief(stubbornness=inf) <= 3'."""
    people: Annotated[str | None, option("--people", metavar="FILE")] = None
    """The original, to name the fewest people whose values would reach --below; told on the terminal alone."""
    name: Annotated[str | None, option("--name", metavar="COLUMN", completer=complete_columns_of_people)] = None
    """The column of --people that names them."""
    settings: LookupOptions = Settings()
    columns: BelievedColumns = ColumnOptions()

    def check(self) -> None:
        if (self.people is None) != (self.name is None):
            raise BadMeasure("--people is the original and --name its column that names people; give both")
        suppressed = self.columns.may_hold_people
        if self.people is None and (self.hierarchies or suppressed):
            named = "--hierarchies" if self.hierarchies else f"--suppressed '{suppressed}'"
            raise BadMeasure(f"{named} is for finding the people of --people; give that too, or leave it out")

    @property
    def target(self) -> str | tuple[str, ...]:
        """The value, or a tuple of several."""
        return self.value[0] if len(self.value) == 1 else self.value


@options(QUESTION, verb="believe")
class BelieveRequest(Request):
    """What an attacker knows, and about which people; without `about_people`, those whose beliefs move most."""

    tables: ClassVar[tuple[str, ...]] = ("files", "table")

    know: Annotated[tuple[str, ...], option("--know", "-k", metavar="FACT")] = ()
    """What is known, such as 'Bob != Flu', 'Ann = Flu -> Bob = Flu' or 'P(Flu | sex=male) = 0.3'; repeat it."""
    about_people: Annotated[tuple[str, ...], option("--about", "-a", metavar="PERSON")] = ()
    """A person: a name, #3 for someone in group 3, or {column = cell}; repeat it."""
    top: Annotated[int, option("--top", metavar="NUMBER", at_least=1)] = 10
    """Without --about: of how many people to tell, whoever moves most first."""
    quasi: Annotated[tuple[str, ...], option("--quasi", "-q", metavar="COLUMN")] = ()
    """A column that tells people of a bucket apart; repeat it."""
    table: Annotated[str | None, option("--table", metavar="TABLE")] = None
    """The original, to tell how near the truth beliefs come (with statements P(…)), and to mine --rules from."""
    rules: Annotated[tuple[tuple[int, int], ...], option("--rules", metavar="NUMBER NUMBER")] = ()
    """Know so many of the strongest rules "has" and "has not" of --table; repeat it to compare such bounds."""
    vagueness: Annotated[float, option("--vagueness", metavar="NUMBER")] = 0
    """Know the probability of each of --rules give or take so much."""
    conditions: Annotated[Literal["Q", "not Q", "both"], option("--conditions", metavar="KIND")] = "Q"
    """Whether --rules are about who says something (Q), who does not (not Q), or both."""
    locate: Annotated[Literal["labels", "intervals", "nearest"] | None, option("--locate", metavar="HOW")] = None
    """How people are found; if nothing is said, as the file was made, or by all printed forms (intervals)."""
    states: Annotated[int, option("--states", metavar="NUMBER", at_least=1, group=COUNTING)] = 2_000_000
    """Count so many states at most."""
    seconds: Annotated[float | None, option("--seconds", metavar="NUMBER", group=COUNTING)] = None
    """Count for so many seconds at most: 20, or 600 for statements P(…)."""
    approximate: Annotated[bool, option("--approximate", group=COUNTING)] = False
    """With --about, if that is not enough: draw worlds at random, for estimates with intervals."""
    samples: Annotated[int, option("--samples", metavar="NUMBER", at_least=1, group=COUNTING)] = 2_000
    """Estimate from so many worlds."""
    confidence: Annotated[float, option("--confidence", metavar="NUMBER", group=COUNTING)] = 0.95
    """How sure each interval is."""
    seed: Annotated[int, option("--seed", metavar="NUMBER", at_least=0, group=COUNTING)] = 0
    """The same seed draws the same worlds."""
    settings: LookupOptions = Settings()
    columns: BelievedColumns = ColumnOptions()


@options(QUESTION, verb="attack")
class AttackRequest(Request):
    """Attack several releases together, or one release by a learner or an insider."""

    tables: ClassVar[tuple[str, ...]] = ("files", "people", "table")

    people: Annotated[str | None, option("--people", metavar="FILE")] = None
    """The people to look for, with the columns that outsiders know; needed unless --as names a reader."""
    person: Annotated[str | None, option("--person", metavar="COLUMN", completer=complete_columns_of_people)] = None
    """The column of the people's file that names them; with several values each, also of the releases."""
    truth: Annotated[str | None, option("--truth", metavar="COLUMN", completer=complete_columns_of_people)] = None
    """The column of the people's file with their true values."""
    who: Annotated[str | None, option("--who", metavar="PERSON")] = None
    """Show what gives this person away (by --person)."""
    prior: Annotated[Literal["pooled", "uniform"], option("--prior", metavar="NAME")] = "pooled"
    """What is believed of people before."""
    present: Annotated[tuple[str, ...], option("--present", metavar="WHO")] = ()
    """Who is in each release: a column of the people's file (yes or no), or a probability; one for all, or one each."""
    evidence: Annotated[
        Literal["shared", "independent", "sets"],
        option(
            "--evidence",
            metavar="HOW",
            help="Count what several releases say together once (shared), or each as evidence of its own "
            "(independent); sets: as shared, and --at-most judges by candidate sets, a lower bound where releases "
            "share people.",
        ),
    ] = "shared"
    same_value: Annotated[tuple[str, ...], option("--same-value", metavar="PAIR")] = ()
    """Two words for one value, as 'Influenza=Flu'; repeat it. '=': no others."""
    at_most: Annotated[str | None, option("--at-most", metavar="SHARE")] = None
    """The share of people that may be given away, such as 0.01; with --as, how sure anybody may be of a value."""
    unlocated: Annotated[Literal["open", "ignore"], option("--unlocated", metavar="WHAT")] = "open"
    """With --at-most, what of people who fit no group: open, so that nobody can tell; or to be ignored."""
    attacker: Annotated[str | None, option("--as", metavar="ATTACKER")] = None
    """Who reads one file: a learner (trains a model on it) or an insider (knows the method and the policy)."""
    model: Annotated[Literal["logistic", "naive bayes"], option("--model", metavar="NAME")] = "logistic"
    """With --as learner, which model is trained: logistic, or naive bayes, which is quicker and claims too much."""
    table: Annotated[str | None, option("--table", metavar="TABLE")] = None
    """With --as, the original: says who is in which group, if the file does not, and how right beliefs are."""
    method: Annotated[MethodName | None, option("--method", metavar="NAME")] = None
    """With --as insider, the method that made the file, as somebody guesses whom its sidecar does not tell."""
    limit: Annotated[tuple[str, ...], option("--limit", "-l", metavar="LIMIT")] = ()
    """With --as insider, a limit that the file was made to keep, where no sidecar says so (or --policy); repeat it."""
    locate: Annotated[Literal["labels", "intervals", "nearest"] | None, option("--locate", metavar="HOW")] = None
    """How people are found; if nothing is said, as the file was made, or by all printed forms (intervals)."""
    settings: LookupOptions = Settings()
    columns: Annotated[ColumnOptions, choose("known", *CELL_FIELDS, "suppressed_people", "kinds")] = ColumnOptions()

    @property
    def names_attacker(self) -> bool:
        """Whether one attacker reads one file."""
        return self.attacker is not None or self.method is not None or bool(self.limit)

    def check(self) -> None:
        if not self.names_attacker:
            if self.people is None:
                raise BadMeasure("missing option '--people', or --as for one file; see 'sidelight attack --help'")
            # a release that is listed twice adds no evidence, and would count as twice as much
            paths = [real_path(Path(file)) for file in self.files]
            twice = [file for index, file in enumerate(self.files) if paths[index] in paths[:index]]
            if twice:
                raise BadRelease(f"{twice[0]} is listed twice; list each release once")
        elif self.attacker != "insider" and (self.method or self.limit):
            known = "--method" if self.method else "--limit"
            raise BadMeasure(f"{known} is what an insider knows; say --as insider, or leave it out")
        elif len(self.files) != 1:
            raise BadRelease("--as is about one published file; give one, or leave --as out to attack several together")


# About a table


@options(QUESTION)
class TableRequest(Request):
    """A question about a table and its hierarchies; `suppress_only` columns are published unchanged or as `*`."""

    suppress_only: Annotated[tuple[str, ...], option("--suppress-only", metavar="COLUMN", group=SEARCH)] = ()
    """A column without a hierarchy: as it is, or as *; repeat it."""
    columns: TableColumns = ColumnOptions()


@options(SEARCH, verb="protect")
class ProtectRequest(TableRequest):
    """Search for a release, and publish it."""

    settings: Annotated[Settings, choose(*POLICY_FIELDS, *ENGINE_FIELDS)] = Settings()
    method: Annotated[MethodName, option("--method", metavar="NAME")] = "lattice"
    """Which search."""
    utility: Annotated[Utility, option("--utility", metavar="NAME")] = "balanced loss"
    """What the best of the minimal releases is best at (lattice)."""
    levels: Annotated[tuple[str, ...], option("--levels", metavar="LEVELS")] = ()
    """Take these levels instead of searching, such as age=2,sex=0; one that is not named is 0 (lattice)."""
    average: Annotated[Literal["mode", "ancestor", "set"] | None, option("--average", metavar="HOW")] = None
    """What microaggregation prints of categories: their mode, if nothing is said, ancestor or set."""
    suppress: Annotated[float, option("--suppress", metavar="SHARE")] = 0
    """The share of people who may be suppressed, such as 0.04 (lattice)."""
    suppressed: Annotated[Literal["as *", "left out"], option("--suppressed", metavar="HOW")] = "as *"
    """What becomes of suppressed people."""
    nodes: Annotated[int, option("--nodes", metavar="NUMBER", at_least=1)] = 100_000
    """Look at so many generalisations at most, and publish the best of them (lattice)."""
    resists: Annotated[str | None, option("--resists", metavar="ATTACKER")] = None
    """Keep the limit on shares for an insider, who knows the method and the policy too (mondrian); tells its price."""
    ask: Annotated[str, option("--ask", metavar="ATTACKER")] = "both"
    """Which attackers to ask, with little effort, though no limit names them: both, learner, insider or nobody."""
    output: Annotated[Path | None, option("--output", "-o", metavar="FILE", group=ANSWER)] = None
    """Where to publish: .parquet, .csv or (Spark) a folder, with a sidecar beside it; else nothing is published."""
    layout: Annotated[
        Literal["people", "counts", "two tables", "shuffled"] | None, option("--layout", metavar="NAME", group=ANSWER)
    ] = None
    """What a row is; if nothing is said, what fits the method and the values."""
    written_as: Annotated[
        Literal["parquet", "csv", "arx"] | None, option("--written-as", metavar="NAME", group=ANSWER)
    ] = None
    """The format, arx for CSV as ARX writes it; if nothing is said, by the ending."""
    bounds: Annotated[bool, option("--bounds", group=ANSWER)] = False
    """Print the ends of intervals too, as numbers in columns of their own: age_low and age_high."""
    private_hierarchies: Annotated[bool, option("--private-hierarchies", group=ANSWER)] = False
    """Keep from the sidecar which values stand under printed labels, for hierarchies drawn up from this table."""
    quiet_method: Annotated[bool, option("--quiet-method", group=ANSWER)] = False
    """Keep from the sidecar how the release was made, which protects nobody from somebody who guesses it."""
    force: Force = False


@options(SEARCH, verb="compare")
class CompareRequest(TableRequest):
    """Compare ways of publishing."""

    settings: Annotated[Settings, choose(*POLICY_FIELDS)] = Settings()
    method: Annotated[tuple[MethodName, ...], option("--method", metavar="NAME")] = get_args(MethodName)
    """A search to try; repeat it.  If nothing is said, all."""
    suppress: Annotated[tuple[float, ...], option("--suppress", metavar="SHARE")] = (0, 0.01, 0.05)
    """A share of people who may be suppressed to try; repeat it (lattice)."""
    resists: Annotated[str | None, option("--resists", metavar="ATTACKER")] = None
    """Try mondrian also as one that keeps the limit on shares for an insider; tells its price."""

    def check(self) -> None:
        if self.resists and self.suppress_only:
            raise BadPolicy(
                "mondrian cannot publish a column only as it is or as *; leave --resists or --suppress-only out"
            )

    @property
    def tried(self) -> tuple[MethodName, ...]:
        """The methods; only a search over levels can restrict a column to unchanged or `*`."""
        return tuple(name for name in self.method if name == "lattice") if self.suppress_only else self.method


@options(SEARCH, verb="generalisations")
class GeneralisationsRequest(TableRequest):
    """List generalisations with their measures and utilities."""

    settings: MeasureOptions = Settings()
    utility: Annotated[tuple[Utility, ...], option("--utility", metavar="NAME")] = ("balanced loss",)
    """A utility to weigh them by; repeat it."""
    rows: Annotated[Literal["all", "within", "minimal"] | None, option("--rows", metavar="WHICH")] = None
    """All, all within the limits, or the minimal ones of these; with limits the latter, if nothing is said."""
    suppress: Annotated[float, option("--suppress", metavar="SHARE")] = 0
    """The share of people who may be suppressed to be within the limits, such as 0.04."""
    suppressed: Annotated[Literal["as *", "left out"], option("--suppressed", metavar="HOW")] = "as *"
    """What becomes of suppressed people."""


@options(QUESTION, verb="simulate")
class SimulateRequest(Request):
    """Draw samples of a table, and attack releases of them."""

    overlap: Annotated[int, option("--overlap", metavar="NUMBER", at_least=1)]
    """How many people are in all samples: those who are attacked."""
    seed: Annotated[int, option("--seed", metavar="NUMBER", at_least=0)]
    """The same seed draws the same people; noise has none."""
    people: Annotated[int | None, option("--people", metavar="NUMBER", at_least=1)] = None
    """How many people each sample has; if nothing is said, as many as there can be."""
    releases: Annotated[int, option("--releases", metavar="NUMBER", at_least=1)] = 2
    """How many organisations publish."""
    repetitions: Annotated[int, option("--repetitions", metavar="NUMBER", at_least=1)] = 5
    """How often it is done."""
    tried: Annotated[tuple[str, ...], option("--try", metavar="LIMIT")] = ()
    """A limit to try beside those of the policy, such as 'group size >= 10'; repeat it for a curve."""
    method: Annotated[tuple[MethodName, ...], option("--method", metavar="NAME")] = ("mondrian",)
    """A search to try; repeat it."""
    epsilon: Annotated[tuple[str, ...], option("--epsilon", "-e", metavar="NUMBER", group=NOISE)] = ()
    """Set noisy counts of this epsilon each beside the others; repeat it."""
    levels: Annotated[tuple[str, ...], option("--levels", metavar="LEVEL", group=NOISE)] = ()
    """A column and its level in the noisy counts, such as age=2; repeat it."""
    settings: Annotated[Settings, choose(*LIMIT_FIELDS)] = Settings()
    columns: TableColumns = ColumnOptions()


@options(QUESTION, verb="columns")
class InspectRequest(Request):
    """Inspect the columns of a table, and draft a policy and hierarchies."""

    tables: ClassVar[tuple[str, ...]] = ("files", "population")

    preset: Annotated[str | None, option("--preset", metavar="NAME")] = None
    """'HIPAA safe harbour': look for its identifiers instead; or another, whose limits are drafted."""
    population: Annotated[str | None, option("--population", metavar="FILE")] = None
    """With 'HIPAA safe harbour': people, or ZIP codes, by which it tells whether too few have the same three digits."""
    residents: Annotated[str | None, option("--residents", metavar="COLUMN")] = None
    """The column of --population that says how many people a row stands for; otherwise each row is a person."""
    up_to: Annotated[int, option("--up-to", metavar="NUMBER", at_least=1, at_most=100)] = 3
    """How many columns somebody knows at most."""
    alone: Annotated[str, option("--alone", metavar="SHARE")] = "0.05"
    """Which share of the people stand alone on the sets that are told, such as 0.05 or 1/20."""
    write: Annotated[Path | None, option("--write", "-w", metavar="FILE", group=ANSWER)] = None
    """Draft a policy to start from, with a comment on each line, into this file."""
    drafts: Annotated[Path | None, option("--hierarchies", metavar="FOLDER", group=ANSWER)] = None
    """Draft a hierarchy '<column>.csv' for each column that others may know, into this folder."""
    settings: RoleOptions = Settings()
    columns: Annotated[ColumnOptions, choose("known", *CELL_FIELDS, "person", "keep", "weight", "kinds")] = (
        ColumnOptions()
    )


@options(QUESTION, verb="hierarchies")
class HierarchiesRequest(Request):
    """Draft hierarchies: by rules per column, the rest by their values."""

    cuts: Annotated[tuple[str, ...], option("--cuts", metavar="COLUMN=NUMBERS")] = ()
    """Your own cut points, such as age=18,65; repeat it for a coarser level, and for other columns."""
    widths: Annotated[tuple[str, ...], option("--widths", metavar="COLUMN=NUMBERS")] = ()
    """Widths of intervals, such as age=5,10,20; repeat it."""
    bottom: Annotated[tuple[str, ...], option("--bottom", metavar="COLUMN=NUMBER")] = ()
    """Numbers below this are one interval, such as age=18; repeat it."""
    top: Annotated[tuple[str, ...], option("--top", metavar="COLUMN=NUMBER")] = ()
    """Numbers from this on are one interval, such as age=90; repeat it."""
    masks: Annotated[tuple[str, ...], option("--masks", metavar="COLUMN")] = ()
    """A column of codes, hidden from the right: 0073*, 007**; repeat it."""
    tree: Annotated[tuple[str, ...], option("--tree", metavar="COLUMN=FILE")] = ()
    """A nested mapping of labels in JSON or TOML, such as the chapters and blocks of ICD; repeat it."""
    suppress_only: Annotated[tuple[str, ...], option("--suppress-only", metavar="COLUMN")] = ()
    """A column that is published as it is or as *; repeat it."""
    output: Annotated[Path, option("--output", "-o", metavar="FOLDER", group=ANSWER)] = Path("hierarchies")
    """The folder for a file '<column>.csv' each."""
    force: Force = False
    settings: RoleOptions = Settings()
    columns: TableColumns = ColumnOptions()


@options(ANSWER, verb="serve")
class ServeRequest(Request):
    """Show a local page about a file."""

    settings: Annotated[Settings, choose(*LIMIT_FIELDS, "population")] = Settings()
    columns: TableColumns = ColumnOptions()
    port: Annotated[int, option("--port", metavar="NUMBER", at_least=0)] = 0
    """The port of 127.0.0.1 that is listened to; 0 is any that is free."""
    no_browser: Annotated[bool, option("--no-browser")] = False
    """Only print the address, and open no browser."""
    output: Annotated[Path | None, option("--output", "-o", metavar="FOLDER")] = None
    """The folder into which the page may publish releases; without it they are downloaded."""


# About noise


@options(QUESTION, verb="noise")
class NoiseRequest(Request):
    """Publish noisy counts, paid from a ledger."""

    asks_for_hierarchies: ClassVar[str] = "which labels could there be? give a folder of hierarchies"

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
    ledger: Annotated[Path | None, option("--ledger", metavar="FILE", group=PAID)] = None
    """The file that keeps the budget of these people; `sidelight ledger begin` begins one."""
    output: Annotated[Path, option("--output", "-o", metavar="FILE", group=ANSWER)]
    """Where to publish: .csv or .parquet; a document is put beside it."""
    force: Force = False
    settings: LookupOptions = Settings()
    columns: Annotated[ColumnOptions, choose(*PERSON_FIELDS)] = ColumnOptions()


@options(QUESTION, verb="count")
class CountRequest(Request):
    """Add up noisy counts, with a margin."""

    values: Annotated[tuple[str, ...], option("--value", metavar="VALUE")] = ()
    """A sensitive value; repeat it to add several up; if nothing is said, all of them."""
    where: Annotated[tuple[str, ...], option("--where", metavar="COLUMN=LABEL")] = ()
    """A label of a column, such as sex=Female; repeat it, also for several labels of one column."""
    confidence: Annotated[float, option("--confidence", metavar="SHARE")] = 0.95
    """How likely what was counted is within the margin."""


@options(QUESTION, verb="attack-noise")
class NoiseAttackRequest(Request):
    """Attack noisy counts, knowing nothing else or everybody else's rows."""

    tables: ClassVar[tuple[str, ...]] = ("files", "people", "others")
    asks_for_hierarchies: ClassVar[str] = "which labels are under which? give the folder of hierarchies"

    people: Annotated[str, option("--people", metavar="FILE")]
    """The people that it is about, with the columns that were counted by and their true values."""
    truth: Annotated[str | None, option("--truth", metavar="COLUMN", completer=complete_columns_of_people)] = None
    """The column with the true values; if nothing is said, the one that was counted."""
    others: Annotated[tuple[str, ...], option("--others", metavar="TABLE")] = ()
    """What each file was made from, in order: for somebody who knows all of it but one person; repeat it."""
    prior: Annotated[Literal["pooled", "uniform"], option("--prior", metavar="NAME")] = "pooled"
    """What is believed of people before."""
    chance: Annotated[str | None, option("--chance", metavar="NUMBER")] = None
    """How likely the promise may be broken, such as 0.001, to read it off the noise itself."""
    settings: Annotated[Settings, choose("hierarchies")] = Settings()
    columns: Annotated[ColumnOptions, choose("missing", "missing_marks", "encoding", "sheet")] = ColumnOptions()


@options(PAID, verb="ledger begin")
class BeginRequest(Request):
    """Begin a ledger with a budget, which never changes."""

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


@options(QUESTION, verb="ledger show")
class LedgerRequest(Request):
    """Show ledgers."""

    tables: ClassVar[tuple[str, ...]] = ()

    @property
    def ledgers(self) -> tuple[str, ...]:
        return self.files


@options(QUESTION, verb="ledger spent")
class SpentRequest(LedgerRequest):
    """Account for what ledgers and noisy counts spent together."""

    tables: ClassVar[tuple[str, ...]] = ("files",)

    delta: Annotated[str | None, option("--delta", metavar="NUMBER")] = None
    """The delta at which epsilon is told, for all releases together; if nothing is said, the sum of theirs."""
    people: Annotated[int | None, option("--people", metavar="NUMBER", at_least=1)] = None
    """How many people there are, for what is promised in beliefs."""
    chance: Annotated[str | None, option("--chance", metavar="NUMBER")] = None
    """How likely that promise may be broken, such as 0.001, to read it off the noise itself."""


@options(QUESTION, verb="promise")
class PromiseRequest(LedgerRequest):
    """Describe what noise promises, of files or of an epsilon."""

    tables: ClassVar[tuple[str, ...]] = ("files",)

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
