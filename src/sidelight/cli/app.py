"""The command line: one thin function per verb.

A verb puts the words of a command into a request and hands it to the verb's own file, which is imported only then:
`--help` is quick.  Exit status: 0 within policy, 1 not, 2 bad input or could not tell, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter

from sidelight import __version__
from sidelight.cli.column_options import (
    BelievedColumns,
    CountColumns,
    CountedPeopleColumns,
    JointColumns,
    ReleaseColumns,
    SuggestedColumns,
    TableColumns,
)
from sidelight.cli.help_pages import DEBUG_HINT, epilogue
from sidelight.cli.options import (
    ASKED,
    KINDS,
    READ,
    AttackerOptions,
    BudgetOptions,
    CompareOptions,
    CountOptions,
    DraftedFiles,
    DraftOptions,
    EffortOptions,
    EngineOptions,
    ExploreOptions,
    FolderOptions,
    GeneralisationOptions,
    HierarchyFolder,
    InspectOptions,
    KnowledgeOptions,
    LedgerFile,
    LimitOptions,
    LookupOptions,
    MeasureOptions,
    MemoryLimit,
    NoiseAttackOptions,
    NoiseOptions,
    NoisyOutputOptions,
    OutputOptions,
    PolicyOptions,
    PopulationFile,
    PromiseOptions,
    PublishOptions,
    ReaderOptions,
    ReleaseFile,
    ReportOptions,
    ReportOutputOptions,
    RolesPath,
    SearchOptions,
    ServeOptions,
    SimulateOptions,
    SpentOptions,
    TableFile,
    files,
    option,
)
from sidelight.cli.run import run
from sidelight.errors import BadMeasure


def _default(value: object) -> object:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or None
    return value if value is not False else None


app = App(
    name="sidelight",
    help="What does your release reveal to someone who already knows something?",
    version=f"sidelight {__version__}",
    version_flags=["--version"],
    help_flags=["--help", "-h"],
    help_format="plaintext",
    help_epilogue=DEBUG_HINT,
    group_arguments=READ,
    group_commands=Group("Verbs", sort_key=7),
    default_parameter=Parameter(show_default=_default),
    result_action="return_value",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
)
FOR_PROGRAMS = Group("For programs", sort_key=8)
GENERAL = Group("Options", sort_key=9)
app.register_install_completion_command(group=GENERAL)
app["--help"].group = app["--version"].group = GENERAL


@app.command(sort_key=0, help_epilogue=epilogue("audit"))
def audit(
    file: ReleaseFile,
    /,
    *,
    asked: MeasureOptions = MeasureOptions(),
    memory: MemoryLimit = None,
    engine: EngineOptions = EngineOptions(),
    columns: ReleaseColumns = ReleaseColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """Judge a published file as it stands: how bad is it, against whom, and who is worst off?

    Without a policy, limits or measures, nothing is judged: it shows the classic measures, how surely people are found,
    who stands alone, and by which columns.
    """
    from sidelight.answers.audit import AuditRequest, ask  # noqa: PLC0415 - `--help` is quick

    request = AuditRequest(file, asked.read(columns), asked.hierarchies, memory, engine)
    return output.to(asked.policy).answer(ask, request)


@app.command(sort_key=0.5, help_epilogue=epilogue("columns"))
def columns(
    file: TableFile,
    /,
    *,
    policy: RolesPath = None,
    preset: Annotated[
        str | None,
        option(
            "--preset",
            metavar="NAME",
            group=ASKED,
            help="'HIPAA safe harbour': look for its identifiers instead; or another, whose limits are drafted.",
        ),
    ] = None,
    sought: InspectOptions = InspectOptions(),
    columns: SuggestedColumns = SuggestedColumns(),
    target: DraftedFiles = DraftedFiles(),
) -> int:
    """See which columns identify people, and what each column seems to be; draft a policy to start from.

    What you do not say about the columns is suggested, by rules of thumb: read it before you rely on it.
    """
    from sidelight.answers.inspect import InspectRequest  # noqa: PLC0415
    from sidelight.cli import verbs  # noqa: PLC0415 - `--help` is quick

    request = InspectRequest(
        file,
        columns.roles(policy),
        **vars(sought),
        preset=preset,
        policy=policy,
        write=target.write,
        hierarchies=target.hierarchies,
    )
    return verbs.columns(request, target)


@app.command(sort_key=1, help_epilogue=epilogue("explore"))
def explore(
    file: ReleaseFile,
    /,
    *,
    explored: ExploreOptions,
    policy: RolesPath = None,
    hierarchies: HierarchyFolder = None,
    columns: BelievedColumns = BelievedColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See how much a published file withstands: who may know what before one value is given away?"""
    from sidelight.answers.explore import ExploreRequest, ask  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import PeopleLookup  # noqa: PLC0415

    lookup = PeopleLookup(hierarchies, suppressed=columns.suppressed_people())
    request = ExploreRequest(file, columns.roles(policy), **vars(explored), lookup=lookup)
    if request.people is not None and output.json:
        message = "--people names people on the terminal alone; leave --json out"
        raise BadMeasure(message)
    return output.to(policy).answer(ask, request, "exploring")


@app.command(sort_key=2, help_epilogue=epilogue("protect"))
def protect(
    file: TableFile,
    /,
    *,
    asked: PolicyOptions = PolicyOptions(),
    memory: MemoryLimit = None,
    search: SearchOptions = SearchOptions(),
    engine: EngineOptions = EngineOptions(),
    columns: TableColumns = TableColumns(),
    target: PublishOptions = PublishOptions(),
) -> int:
    """Find the most useful release of a table within a policy, and publish it; without --output, only tell of it."""
    from sidelight.answers.protect import ProtectRequest, Publication  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import verbs  # noqa: PLC0415

    publication = None if target.output is None else Publication(path=target.output, **target.details())
    how = {**vars(search), "memory": memory, "engine": engine, "publication": publication}
    request = ProtectRequest(file, asked.read(columns), asked.hierarchies, **how)
    return verbs.protect(request, target)


@app.command(sort_key=2.5, help_epilogue=epilogue("compare"))
def compare(
    file: TableFile,
    /,
    *,
    asked: PolicyOptions = PolicyOptions(),
    ways: CompareOptions = CompareOptions(),
    columns: TableColumns = TableColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what each way of publishing a table within a policy would keep of it; nothing is published."""
    from sidelight.answers.compare import CompareRequest, ask  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli.run import name_options  # noqa: PLC0415

    request = CompareRequest(file, asked.read(columns), asked.hierarchies, **vars(ways))
    return output.to(asked.policy).answer(partial(ask, wording=name_options), request, "trying")


@app.command(sort_key=2.7, help_epilogue=epilogue("generalisations"))
def generalisations(
    file: TableFile,
    /,
    *,
    asked: MeasureOptions = MeasureOptions(),
    options: GeneralisationOptions = GeneralisationOptions(),
    columns: TableColumns = TableColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what measures and utilities say of every choice of levels of a table; nothing is published.

    With limits, of the minimal choices within them.
    """
    from sidelight.answers.compare import GeneralisationsRequest, ask_generalisations  # noqa: PLC0415 - `--help` is quick

    request = GeneralisationsRequest(file, asked.read(columns), asked.hierarchies, **vars(options))
    return output.to(asked.policy).answer(ask_generalisations, request, "measuring")


@app.command(sort_key=3, help_epilogue=epilogue("believe"))
def believe(
    file: ReleaseFile,
    /,
    *,
    knowledge: KnowledgeOptions = KnowledgeOptions(),
    lookup: LookupOptions = LookupOptions(),
    policy: RolesPath = None,
    effort: EffortOptions = EffortOptions(),
    columns: BelievedColumns = BelievedColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what someone who knows exactly this would conclude about people in a published file."""
    from sidelight.answers.believe import BelieveRequest, ask  # noqa: PLC0415 - `--help` is quick

    request = BelieveRequest(
        file=file, roles=columns.roles(policy), **vars(knowledge), **vars(effort), lookup=lookup.read(columns)
    )
    return output.to(policy).answer(ask, request)


@app.command(sort_key=4, help_epilogue=epilogue("attack"))
def attack(
    files: Annotated[tuple[str, ...], files("RELEASES", "Published files about the same people, usually two or more.")],
    /,
    *,
    attacker: AttackerOptions = AttackerOptions(),
    reader: ReaderOptions = ReaderOptions(),
    lookup: LookupOptions = LookupOptions(),
    policy: RolesPath = None,
    columns: JointColumns = JointColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what files give away together about the same people, or what one reader makes of one file (--as)."""
    from sidelight.answers.attack import (  # noqa: PLC0415 - `--help` is quick
        AttackerRequest,
        AttackRequest,
        ask,
        ask_attacker,
    )
    from sidelight.answers.sources import read_question  # noqa: PLC0415

    found_by = lookup.read(columns)
    if reader.attacker is not None or reader.method is not None or reader.limit:
        question = read_question(policy, limits=reader.limit, roles=columns.roles())
        asked = AttackerRequest(
            files, question, lookup=found_by, person=attacker.person, at_most=attacker.at_most, **vars(reader)
        )
        doing = "counting" if reader.attacker == "insider" else "learning"
        return output.to(policy).answer(ask_attacker, asked, doing)
    request = AttackRequest(files, columns.roles(policy), found_by, **vars(attacker))
    return output.to(policy).answer(ask, request)


@app.command(sort_key=4.5, help_epilogue=epilogue("simulate"))
def simulate(
    file: TableFile,
    /,
    *,
    asked: LimitOptions = LimitOptions(),
    samples: SimulateOptions,
    columns: TableColumns = TableColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """Try it before you publish: what would releases of samples with people in common give away together?

    With --epsilon, noisy counts of the same samples stand beside them.
    """
    from sidelight.answers.simulate import SimulateRequest, ask  # noqa: PLC0415 - `--help` is quick

    request = SimulateRequest(file, asked.read(columns), asked.hierarchies, **vars(samples))
    return output.to(asked.policy).answer(ask, request, "simulating")


@app.command(sort_key=5, help_epilogue=epilogue("noise"))
def noise(
    file: TableFile,
    /,
    *,
    counts: NoiseOptions = NoiseOptions(),
    hierarchies: HierarchyFolder = None,
    policy: RolesPath = None,
    columns: CountColumns = CountColumns(),
    target: NoisyOutputOptions,
) -> int:
    """Publish differentially private counts over levels that were fixed in advance, paid from a budget."""
    from sidelight.answers.noise import NoiseRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import verbs  # noqa: PLC0415

    question = read_question(policy, roles=columns.roles())
    request = NoiseRequest(file, target.output, question, hierarchies, force=target.force, **vars(counts))
    return verbs.noise(request, replace(target.to(), file=None))


@app.command(sort_key=5.2, help_epilogue=epilogue("count"))
def count(
    file: Annotated[Path, Parameter(name="COUNTS", help="Noisy counts as published, their document beside them.")],
    /,
    *,
    counted: CountOptions = CountOptions(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """Add up published noisy counts: how many people are there of some kind, and how far off is that at most?"""
    from sidelight.answers.noise import CountRequest, ask_count  # noqa: PLC0415 - `--help` is quick

    return output.to().answer(ask_count, CountRequest(file, **vars(counted)))


@app.command(name="attack-noise", sort_key=5.5, help_epilogue=epilogue("attack-noise"))
def attack_noise(
    files: Annotated[tuple[str, ...], files("COUNTS", "Noisy counts as published, their documents beside them.")],
    /,
    *,
    attacker: NoiseAttackOptions,
    hierarchies: HierarchyFolder = None,
    columns: CountedPeopleColumns = CountedPeopleColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See how far noisy counts move what somebody believes, who knows nothing else, or everybody else (--others)."""
    from sidelight.answers.noise import NoiseAttackRequest, ask_attack  # noqa: PLC0415 - `--help` is quick

    request = NoiseAttackRequest(files, hierarchies=hierarchies, reading=columns.roles(), **vars(attacker))
    return output.to().answer(ask_attack, request)


@app.command(sort_key=6, help_epilogue=epilogue("hierarchies"))
def hierarchies(
    file: TableFile,
    /,
    *,
    draft: DraftOptions = DraftOptions(),
    policy: RolesPath = None,
    columns: TableColumns = TableColumns(),
    target: FolderOptions = FolderOptions(),
) -> int:
    """Draft a hierarchy file for each column of a table: a start, to be read and changed before it is relied on.

    Without --group, for all columns but the sensitive one and that of the person.
    """
    from sidelight.answers.inspect import HierarchiesRequest  # noqa: PLC0415
    from sidelight.cli import verbs  # noqa: PLC0415 - `--help` is quick

    request = HierarchiesRequest(file, columns.roles(policy), target.output, **vars(draft))
    return verbs.hierarchies(request, target)


ledger_verbs = App(name="ledger", help="Begin the budget that noise is paid from, and look at it.", sort_key=6)
app.command(ledger_verbs)


@ledger_verbs.command(help_epilogue=epilogue("ledger begin"))
def begin(
    file: LedgerFile, /, *, budget: BudgetOptions = BudgetOptions(), output: OutputOptions = OutputOptions()
) -> int:
    """Begin a ledger: a budget for all noise that is ever published about the same people."""
    from sidelight.answers.ledger import BeginRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import verbs  # noqa: PLC0415

    return verbs.begin(BeginRequest(file, **vars(budget)), output.to())


@ledger_verbs.command(help_epilogue=epilogue("ledger show"))
def show(file: LedgerFile, /, *, output: OutputOptions = OutputOptions()) -> int:
    """Show what was spent of a budget, on what, with which noise, and where it was published."""
    from sidelight.answers.ledger import LedgerRequest, ask  # noqa: PLC0415 - `--help` is quick

    return output.to().answer(ask, LedgerRequest(file))


@ledger_verbs.command(help_epilogue=epilogue("ledger spent"))
def spent(
    files: Annotated[
        tuple[str, ...], files("LEDGERS", "Ledgers, or noisy counts as published; what is in both counts once.")
    ],
    /,
    *,
    options: SpentOptions = SpentOptions(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what all releases of ledgers and of noisy counts cost and promise together."""
    from sidelight.answers.ledger import SpentRequest, ask_spent  # noqa: PLC0415 - `--help` is quick

    return output.to().answer(ask_spent, SpentRequest(files, **vars(options)))


@app.command(sort_key=6, help_epilogue=epilogue("promise"))
def promise(
    files: Annotated[
        tuple[str, ...], files("FILES", "Ledgers, or noisy counts as published; or none, and --epsilon.")
    ] = (),
    /,
    *,
    options: PromiseOptions = PromiseOptions(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what noise promises: in beliefs, as error rates of a test and as a risk, and as a picture."""
    from sidelight.answers.ledger import PromiseRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import verbs  # noqa: PLC0415

    settings = vars(options).copy()
    plot = settings.pop("plot")
    return verbs.promise(PromiseRequest(files, **settings), plot, output.to())


@app.command(sort_key=6.5, help_epilogue=epilogue("report"))
def report(
    file: ReleaseFile,
    /,
    *,
    asked: MeasureOptions = MeasureOptions(),
    circumstances: ReportOptions = ReportOptions(),
    columns: ReleaseColumns = ReleaseColumns(),
    target: ReportOutputOptions = ReportOutputOptions(),
) -> int:
    """Write what somebody signs who lets a release go: one HTML file, to read and to print.

    A file that Sidelight published is told of as its sidecar does, and judged again by its policy.
    """
    from sidelight.answers.audit import ReportRequest, read_sidecar_policy  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import verbs  # noqa: PLC0415
    from sidelight.cli.run import command_line  # noqa: PLC0415

    question = asked.read(columns, read_sidecar_policy(file, asked.population))
    details = {**vars(circumstances), "commands": (command_line(),)}
    request = ReportRequest(file, question, asked.hierarchies, **details)
    return verbs.report(request, target, asked.policy)


@app.command(sort_key=7, help_epilogue=epilogue("demo"))
def demo(
    *,
    folder: Annotated[Path, Parameter(metavar="FOLDER", help="Where to write the files.")] = Path("sidelight-demo"),
) -> int:
    """Judge a release of real census data, publish a better one, and leave the files to go on with."""
    from sidelight.cli import demo as verb  # noqa: PLC0415 - `--help` is quick

    return verb.demo(folder)


@app.command(sort_key=6.5, help_epilogue=epilogue("serve"))
def serve(
    file: Annotated[
        str | None, files("TABLE_OR_RELEASE", f"A table, or a published file: {KINDS} Without one, the bundled census.")
    ] = None,
    /,
    *,
    asked: LimitOptions = LimitOptions(),
    population: PopulationFile = None,
    columns: TableColumns = TableColumns(),
    page: ServeOptions = ServeOptions(),
) -> int:
    """Explore a table or a release on a page that this machine shows to your browser, and to nobody else.

    Without a file, the bundled census is shown.  What you do not say about the columns is suggested.
    """
    from sidelight.cli import serve as verb  # noqa: PLC0415 - `--help` is quick

    request = verb.ServeRequest(
        file, asked.policy, asked.limits, columns.roles(), asked.hierarchies, page.output, population
    )
    return verb.serve(request, page)


def _schema_printer(module: str, function: str) -> Callable[[], int]:
    def write() -> int:
        from importlib import import_module  # noqa: PLC0415

        sys.stdout.write(getattr(import_module(f"sidelight.{module}"), function)())
        return 0

    return write


for _name, _module, _text in (
    ("policy", "policy.policy_file", "policy files, for editors and for the documentation"),
    ("report", "report.report", "reports, for programs that read them"),
    ("release-report", "report.release_report", "what `sidelight report` writes, for programs that read it"),
    ("sidecar", "publish.sidecar", "the sidecars of published releases, for programs that read them"),
):
    _print_schema = _schema_printer(_module, f"{_name.replace('-', '_')}_schema")
    app.command(_print_schema, name=f"{_name}-schema", group=FOR_PROGRAMS, help=f"Print the JSON schema of {_text}.")


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that cannot show ≥ or ✓ shows ?, and the words beside it
    sys.exit(run(app, sys.argv[1:]))
