"""The options of all verbs: a dataclass for those that belong together, a name for each that several verbs share.

Which column is what is said in `column_options`.

Cyclopts reads this file as it is: a docstring below an option is its line on the help page, a group is a section of
that page.  Nothing of the library is imported here, so that `--help` is quick; choices that the library has as types
are written again, and a test keeps them the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, dataclass_transform

from cyclopts import Group, Parameter, Token
from cyclopts.validators import Number

from sidelight.answers.request import EngineChoice
from sidelight.cli.completion import columns_of_people, completer_for

if TYPE_CHECKING:
    from sidelight.answers.sources import PeopleLookup, Question
    from sidelight.cli.column_options import ColumnOptions
    from sidelight.cli.run import Output
    from sidelight.policy.policy_file import PolicyFile

READ = Group("What to read", sort_key=0)
ASKED = Group("What is asked", sort_key=1)
SEARCH = Group("How to search", sort_key=3)
NOISE = Group("How much noise", sort_key=4)
PAID = Group("What it is paid from", sort_key=5)
COLUMNS = Group(r"Which column is what (or in \[roles] of the policy)", sort_key=6)
ANSWER = Group("Where the answer goes", sort_key=7)


def option(
    *names: str,
    metavar: str | None = None,
    at_least: int | None = None,
    at_most: int = 10**9,
    **more: Any,  # noqa: ANN401
) -> Parameter:
    """Describe an option by its names and a word for what to give; texts may begin with a hyphen."""
    validator = () if at_least is None else Number(gte=at_least, lte=at_most)
    if at_least is not None:
        more["converter"] = _whole_number
    more.setdefault("completer", completer_for(metavar))
    return Parameter(
        name=names,
        metavar=metavar,
        validator=validator,
        allow_leading_hyphen=metavar is not None,
        negative=(),  # no --no-json
        **more,
    )


Options = TypeVar("Options")


@dataclass_transform(kw_only_default=True, frozen_default=True)
def options(group: Group) -> Callable[[type[Options]], type[Options]]:
    """Make a class a dataclass of options, which stand in a section of the help page."""
    return lambda kind: Parameter(name="*", group=group)(dataclass(frozen=True, kw_only=True)(kind))


def _whole_number(hint: object, tokens: Sequence[Token]) -> int:
    """Read a whole number as it is written; cyclopts would round 1.5."""
    del hint
    return int(tokens[0].value)


def refuse_options(hint: object, names: str | tuple[str, ...] | None) -> None:
    """Let `-` be a file, standard input, and nothing else that begins so: that is a misspelt option."""
    del hint
    words = (names,) if isinstance(names, str) else names or ()
    misspelt = next((word for word in words if word.startswith("-") and word != "-"), None)
    if misspelt is not None:
        raise ValueError(misspelt)


def files(name: str, text: str) -> Parameter:
    """Describe an argument that is one file or several."""
    return Parameter(name=name, help=text, allow_leading_hyphen=True, validator=refuse_options)


KINDS = "CSV, TSV or Parquet, also packed or a glob; Excel, Stata, SPSS, SAS; or - for standard input."

ReleaseFile: TypeAlias = Annotated[str, files("RELEASE", f"A published file: {KINDS}")]
TableFile: TypeAlias = Annotated[str, files("TABLE", f"The table: {KINDS}")]


LedgerFile: TypeAlias = Annotated[
    Path, Parameter(name="LEDGER", help="The ledger: the file that --ledger names when noise is paid for.")
]

RolesPath: TypeAlias = Annotated[
    Path | None,
    option("--policy", "-p", metavar="POLICY", group=ASKED, help="A policy file, for the roles of the columns."),
]
HierarchyFolder: TypeAlias = Annotated[
    Path | None,
    option(
        "--hierarchies",
        metavar="FOLDER",
        group=ASKED,
        help="A folder with a hierarchy '<column>.csv' for each column.",
    ),
]
PopulationFile: TypeAlias = Annotated[
    str | None,
    option(
        "--population",
        metavar="FILE",
        group=ASKED,
        help="The people among whom somebody is looked up, such as a register, with the columns of --group.",
    ),
]
MemoryLimit: TypeAlias = Annotated[
    str | None,
    option(
        "--memory",
        metavar="AMOUNT",
        group=ASKED,
        help="How much memory may be used, such as 2GB: what does not fit is then streamed, however much there is.",
    ),
]


@options(READ)
class EngineOptions(EngineChoice):
    """What counts the rows."""

    engine: Annotated[Literal["duckdb", "spark"], option("--engine", metavar="NAME")] = "duckdb"
    """What counts the rows: duckdb, here, or spark (the extra `spark`)."""
    master: Annotated[str | None, option("--master", metavar="URL")] = None
    """Where Spark is, such as local[2] or spark://host:7077; if nothing is said, as Spark is set up."""


@options(ASKED)
class LimitOptions:
    """Which limits are asked for, and the hierarchies of columns."""

    policy: Annotated[Path | None, option("--policy", "-p", metavar="POLICY")] = None
    """A policy file: limits, and roles of the columns."""
    limits: Annotated[tuple[str, ...], option("--limit", "-l", metavar="LIMIT")] = ()
    """A limit, such as 'group size >= 5'; repeat it."""
    hierarchies: HierarchyFolder = None

    def read(self, columns: ColumnOptions, otherwise: PolicyFile | None = None) -> Question:
        """Put the question together; `otherwise` stands in for the policy file."""
        from sidelight.answers.sources import read_question  # noqa: PLC0415 - `--help` is quick

        asked = {name: each for name, each in vars(self).items() if name not in ("policy", "hierarchies")}
        return read_question(self.policy, **asked, roles=columns.roles(), otherwise=otherwise)


@options(ASKED)
class PolicyOptions(LimitOptions):
    """Limits that somebody else asks for, too, and a population that releases are compared with."""

    preset: Annotated[str | None, option("--preset", metavar="NAME")] = None
    """Limits that somebody asks for: 'EMA/Health Canada 0.09', 'k-map(k=5)', ACRO or 'ACRO(sums=false)'."""
    population: PopulationFile = None


@options(ASKED)
class MeasureOptions(PolicyOptions):
    """Measures, too."""

    measures: Annotated[tuple[str, ...], option("--measure", "-m", metavar="MEASURE")] = ()
    """A measure without a limit, such as 'closeness'; repeat it."""


AsJson: TypeAlias = Annotated[bool, option("--json", group=ANSWER, help="Print the answer as JSON, and nothing else.")]
Force: TypeAlias = Annotated[bool, option("--force", group=ANSWER, help="Replace files that exist.")]
HtmlFile: TypeAlias = Annotated[
    Path | None,
    option("--html", metavar="FILE", group=ANSWER, help="Also draw the answer as one HTML file, to read and to print."),
]
JsonFile: TypeAlias = Annotated[
    Path | None, option("--output", "-o", metavar="FILE", group=ANSWER, help="Also write the JSON to this file.")
]
MarkdownFile: TypeAlias = Annotated[
    Path | None, option("--markdown", metavar="FILE", group=ANSWER, help="Also write the answer as Markdown.")
]


@options(ANSWER)
class OutputOptions:
    """Where an answer goes."""

    json: AsJson = False
    output: JsonFile = None
    html: HtmlFile = None
    markdown: MarkdownFile = None
    force: Force = False

    def to(self, *inputs: Path | None) -> Output:
        """Return where it goes, and which inputs are not written over."""
        from sidelight.cli.run import Output  # noqa: PLC0415 - `--help` is quick

        kept = tuple(each for each in inputs if each is not None)
        return Output(self.json, self.output, self.force, kept, self.html, self.markdown)


@options(ANSWER)
class NoisyOutputOptions(OutputOptions):
    """Where noisy counts are published, and what is told of them."""

    output: Annotated[Path, option("--output", "-o", metavar="FILE")] = field()
    """Where to publish: .csv or .parquet; a document is put beside it."""


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


# What the verbs `explore`, `believe` and `attack` ask of published files.


@options(ASKED)
class ExploreOptions:
    """Which value is explored, up to which limit, and how far."""

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
    name: Annotated[str | None, option("--name", metavar="COLUMN", completer=columns_of_people)] = None
    """The column of --people that names them."""


@options(ASKED)
class KnowledgeOptions:
    """What somebody knows, and about whom it is asked."""

    know: Annotated[tuple[str, ...], option("--know", "-k", metavar="FACT")] = ()
    """What is known, such as 'Bob != Flu', 'Ann = Flu -> Bob = Flu' or 'P(Flu | sex=male) = 0.3'; repeat it."""
    about: Annotated[tuple[str, ...], option("--about", "-a", metavar="PERSON")] = ()
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


@options(Group("When counting is too hard", sort_key=2))
class EffortOptions:
    """How much is counted, and what is done when that is not enough."""

    states: Annotated[int, option("--states", metavar="NUMBER", at_least=1)] = 2_000_000
    """Count so many states at most."""
    seconds: Annotated[float | None, option("--seconds", metavar="NUMBER")] = None
    """Count for so many seconds at most: 20, or 600 for statements P(…)."""
    approximate: Annotated[bool, option("--approximate")] = False
    """With --about, if that is not enough: draw worlds at random, for estimates with intervals."""
    samples: Annotated[int, option("--samples", metavar="NUMBER", at_least=1)] = 2_000
    """Estimate from so many worlds."""
    confidence: Annotated[float, option("--confidence", metavar="NUMBER")] = 0.95
    """How sure each interval is."""
    seed: Annotated[int, option("--seed", metavar="NUMBER", at_least=0)] = 0
    """The same seed draws the same worlds."""


@options(ASKED)
class LookupOptions:
    """How people are found in published files."""

    hierarchies: HierarchyFolder = None
    locate: Annotated[Literal["labels", "intervals", "nearest"] | None, option("--locate", metavar="HOW")] = None
    """How people are found; if nothing is said, as the file was made, or by all printed forms (intervals)."""

    def read(self, columns: ColumnOptions) -> PeopleLookup:
        """Return how people are found, also among suppressed rows."""
        from sidelight.answers.sources import PeopleLookup  # noqa: PLC0415 - `--help` is quick

        return PeopleLookup(self.hierarchies, self.locate, columns.suppressed_people())


@options(ASKED)
class AttackerOptions:
    """Whom an attacker looks for, what they know and believe, and what is told of them."""

    people: Annotated[str | None, option("--people", metavar="FILE")] = None
    """The people to look for, with the columns that outsiders know; needed unless --as names a reader."""
    person: Annotated[str | None, option("--person", metavar="COLUMN", completer=columns_of_people)] = None
    """The column of the people's file that names them; with several values each, also of the releases."""
    truth: Annotated[str | None, option("--truth", metavar="COLUMN", completer=columns_of_people)] = None
    """The column of the people's file with their true values."""
    who: Annotated[str | None, option("--who", metavar="PERSON")] = None
    """Show what gives this person away (by --person)."""
    prior: Annotated[Literal["pooled", "uniform"], option("--prior", metavar="NAME")] = "pooled"
    """What is believed of people before."""
    present: Annotated[tuple[str, ...], option("--present", metavar="WHO")] = ()
    """Who is in each release: a column of the people's file (yes or no), or a probability; one for all, or one each."""
    evidence: Annotated[Literal["shared", "independent", "sets"], option("--evidence", metavar="HOW")] = "shared"
    """Count what several releases say together once (shared), or each as evidence of its own (independent); sets: as
    shared, and --at-most judges by candidate sets, a lower bound where releases share people."""
    same_value: Annotated[tuple[str, ...], option("--same-value", metavar="PAIR")] = ()
    """Two words for one value, as 'Influenza=Flu'; repeat it. '=': no others."""
    at_most: Annotated[str | None, option("--at-most", metavar="SHARE")] = None
    """The share of people that may be given away, such as 0.01; with --as, how sure anybody may be of a value."""
    unlocated: Annotated[Literal["open", "ignore"], option("--unlocated", metavar="WHAT")] = "open"
    """With --at-most, what of people who fit no group: open, so that nobody can tell; or to be ignored."""


@options(ASKED)
class ReaderOptions:
    """Who reads one published file, and what the publisher holds."""

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


@options(ASKED)
class SimulateOptions:
    """How samples of a table are drawn, and which ways of publishing them are tried."""

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


# What the verb `report` tells, to whom, and where.


@options(ASKED)
class ReportOptions:
    """What stands in a report besides the release, in which order, and who signs."""

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


@options(ANSWER)
class ReportOutputOptions(OutputOptions):
    """Where a report goes."""

    html: Annotated[Path | None, option("--html", metavar="FILE")] = None
    """The report as one HTML file; if no file is named, RELEASE.report.html beside the release."""
    pdf: Annotated[Path | None, option("--pdf", metavar="FILE")] = None
    """Also print it to a PDF file, by the system's Chromium."""


# What the verbs `protect` and `noise` publish, and how.


@options(ANSWER)
class ServeOptions:
    """How the page is shown."""

    port: Annotated[int, option("--port", metavar="NUMBER", at_least=0)] = 0
    """The port of 127.0.0.1 that is listened to; 0 is any that is free."""
    no_browser: Annotated[bool, option("--no-browser")] = False
    """Only print the address, and open no browser."""
    output: Annotated[Path | None, option("--output", "-o", metavar="FOLDER")] = None
    """The folder into which the page may publish releases; without it they are downloaded."""


@options(SEARCH)
class SearchOptions:
    """How to search for a release."""

    method: Annotated[MethodName, option("--method", metavar="NAME")] = "lattice"
    """Which search."""
    utility: Annotated[Utility, option("--utility", metavar="NAME")] = "balanced loss"
    """What the best of the minimal releases is best at (lattice)."""
    levels: Annotated[tuple[str, ...], option("--levels", metavar="LEVELS")] = ()
    """Take these levels instead of searching, such as age=2,sex=0; one that is not named is 0 (lattice)."""
    suppress_only: Annotated[tuple[str, ...], option("--suppress-only", metavar="COLUMN")] = ()
    """A column without a hierarchy: as it is, or as *; repeat it."""
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


@options(SEARCH)
class CompareOptions:
    """Which ways of publishing are compared."""

    method: Annotated[tuple[MethodName, ...], option("--method", metavar="NAME")] = (
        "lattice",
        "mondrian",
        "anatomy",
        "microaggregation",
    )
    """A search to try; repeat it.  If nothing is said, all."""
    suppress: Annotated[tuple[float, ...], option("--suppress", metavar="SHARE")] = (0, 0.01, 0.05)
    """A share of people who may be suppressed to try; repeat it (lattice)."""
    resists: Annotated[str | None, option("--resists", metavar="ATTACKER")] = None
    """Try mondrian also as one that keeps the limit on shares for an insider; tells its price."""
    suppress_only: Annotated[tuple[str, ...], option("--suppress-only", metavar="COLUMN")] = ()
    """A column without a hierarchy: as it is, or as *; repeat it."""


@options(SEARCH)
class GeneralisationOptions:
    """Which generalisations are listed, and by what they are weighed."""

    utility: Annotated[tuple[Utility, ...], option("--utility", metavar="NAME")] = ("balanced loss",)
    """A utility to weigh them by; repeat it."""
    rows: Annotated[Literal["all", "within", "minimal"] | None, option("--rows", metavar="WHICH")] = None
    """All, all within the limits, or the minimal ones of these; with limits the latter, if nothing is said."""
    suppress: Annotated[float, option("--suppress", metavar="SHARE")] = 0
    """The share of people who may be suppressed to be within the limits, such as 0.04."""
    suppressed: Annotated[Literal["as *", "left out"], option("--suppressed", metavar="HOW")] = "as *"
    """What becomes of suppressed people."""
    suppress_only: Annotated[tuple[str, ...], option("--suppress-only", metavar="COLUMN")] = ()
    """A column without a hierarchy: as it is, or as *; repeat it."""


@options(ANSWER)
class PublishOptions(OutputOptions):
    """Where a release is published, and how it is written."""

    output: Annotated[Path | None, option("--output", "-o", metavar="FILE")] = None
    """Where to publish: .parquet, .csv or (Spark) a folder, with a sidecar beside it; else nothing is published."""
    layout: Annotated[
        Literal["people", "counts", "two tables", "shuffled"] | None, option("--layout", metavar="NAME")
    ] = None
    """What a row is; if nothing is said, what fits the method and the values."""
    written_as: Annotated[Literal["parquet", "csv", "arx"] | None, option("--written-as", metavar="NAME")] = None
    """The format, arx for CSV as ARX writes it; if nothing is said, by the ending."""
    bounds: Annotated[bool, option("--bounds")] = False
    """Print the ends of intervals too, as numbers in columns of their own: age_low and age_high."""
    private_hierarchies: Annotated[bool, option("--private-hierarchies")] = False
    """Keep from the sidecar which values stand under printed labels, for hierarchies drawn up from this table."""
    quiet_method: Annotated[bool, option("--quiet-method")] = False
    """Keep from the sidecar how the release was made, which protects nobody from somebody who guesses it."""

    def details(self) -> dict[str, Any]:
        """Return how the file is written."""
        names = ("layout", "written_as", "bounds", "private_hierarchies", "quiet_method", "force")
        return {name: getattr(self, name) for name in names}


@options(ASKED)
class DraftOptions:
    """How hierarchies are drafted, column by column; the rest by what the values are."""

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


@options(ANSWER)
class FolderOptions:
    """Which folder files are written to."""

    output: Annotated[Path, option("--output", "-o", metavar="FOLDER")] = Path("hierarchies")
    """The folder for a file '<column>.csv' each."""
    json: AsJson = False
    force: Force = False


@options(ASKED)
class InspectOptions:
    """How many people live where ZIP codes begin alike; which sets of columns are gone through, and which are told."""

    population: Annotated[str | None, option("--population", metavar="FILE")] = None
    """With 'HIPAA safe harbour': people, or ZIP codes, by which it tells whether too few have the same three digits."""
    residents: Annotated[str | None, option("--residents", metavar="COLUMN")] = None
    """The column of --population that says how many people a row stands for; otherwise each row is a person."""
    up_to: Annotated[int, option("--up-to", metavar="NUMBER", at_least=1, at_most=100)] = 3
    """How many columns somebody knows at most."""
    alone: Annotated[str, option("--alone", metavar="SHARE")] = "0.05"
    """Which share of the people stand alone on the sets that are told, such as 0.05 or 1/20."""


@options(ANSWER)
class DraftedFiles(OutputOptions):
    """Where drafts are written."""

    write: Annotated[Path | None, option("--write", "-w", metavar="FILE")] = None
    """Draft a policy to start from, with a comment on each line, into this file."""
    hierarchies: Annotated[Path | None, option("--hierarchies", metavar="FOLDER")] = None
    """Draft a hierarchy '<column>.csv' for each column that others may know, into this folder."""


# What draws, counts, attacks or pays for noise.


@options(ASKED)
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


@options(ASKED)
class CountOptions:
    """What is added up of noisy counts, and how sure the margin is."""

    values: Annotated[tuple[str, ...], option("--value", metavar="VALUE")] = ()
    """A sensitive value; repeat it to add several up; if nothing is said, all of them."""
    where: Annotated[tuple[str, ...], option("--where", metavar="COLUMN=LABEL")] = ()
    """A label of a column, such as sex=Female; repeat it, also for several labels of one column."""
    confidence: Annotated[float, option("--confidence", metavar="SHARE")] = 0.95
    """How likely what was counted is within the margin."""


@options(ASKED)
class SpentOptions:
    """At which delta, and to how many people, something is promised."""

    delta: Annotated[str | None, option("--delta", metavar="NUMBER")] = None
    """The delta at which epsilon is told, for all releases together; if nothing is said, the sum of theirs."""
    people: Annotated[int | None, option("--people", metavar="NUMBER", at_least=1)] = None
    """How many people there are, for what is promised in beliefs."""
    chance: Annotated[str | None, option("--chance", metavar="NUMBER")] = None
    """How likely that promise may be broken, such as 0.001, to read it off the noise itself."""


@options(ASKED)
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


@options(ASKED)
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
    ledger: Annotated[Path | None, option("--ledger", metavar="FILE", group=PAID)] = None
    """The file that keeps the budget of these people; `sidelight ledger begin` begins one."""


@options(PAID)
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
