"""The command line: one thin function per verb.

A verb puts the words of a command into a request and hands it to the verb's own file, which is imported only then:
`--help` is quick.  Exit status: 0 within policy, 1 not, 2 bad input or could not tell, 130 interrupted.
"""

from __future__ import annotations

import sys
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
from sidelight.cli.help_pages import DEBUG, epilogue
from sidelight.cli.noise_options import (
    BudgetOptions,
    CountOptions,
    CountsFile,
    LedgerFile,
    LedgerFiles,
    LedgerOptions,
    NoiseAttackOptions,
    NoiseOptions,
    NoisyFiles,
    NoisyOutputOptions,
    PromiseFiles,
    PromiseOptions,
    SpentOptions,
)
from sidelight.cli.options import (
    READ,
    AttackerOptions,
    ColumnPreset,
    CompareOptions,
    DraftedFiles,
    DraftOptions,
    EffortOptions,
    EngineOptions,
    ExploreOptions,
    FolderOptions,
    GeneralisationOptions,
    HierarchyFolder,
    IdentifyingOptions,
    KnowledgeOptions,
    Limits,
    LookupOptions,
    Measures,
    MemoryLimit,
    OutputOptions,
    PolicyPath,
    PopulationFile,
    PresetName,
    PublishOptions,
    ReaderOptions,
    ReleaseFile,
    ReleaseFiles,
    ReportOptions,
    ReportOutputOptions,
    RolesPath,
    SearchOptions,
    ServedFile,
    ServeOptions,
    SimulateOptions,
    TableFile,
    ZipOptions,
)
from sidelight.cli.run import run


def _default(value: object) -> object:
    """Show a default where there is something to show."""
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
    help_epilogue=DEBUG,
    group_arguments=READ,
    group_commands=Group("Verbs", sort_key=7),
    default_parameter=Parameter(show_default=_default),
    result_action="return_value",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
)
SCHEMAS = Group("For programs", sort_key=8)
OPTIONS = Group("Options", sort_key=9)
app.register_install_completion_command(group=OPTIONS)
app["--help"].group = app["--version"].group = OPTIONS


@app.command(sort_key=0, help_epilogue=epilogue("audit"))
def audit(
    file: ReleaseFile,
    /,
    *,
    policy: PolicyPath = None,
    limits: Limits = (),
    measures: Measures = (),
    preset: PresetName = None,
    population: PopulationFile = None,
    hierarchies: HierarchyFolder = None,
    memory: MemoryLimit = None,
    engine: EngineOptions = EngineOptions(),
    columns: ReleaseColumns = ReleaseColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """Judge a published file as it stands: how bad is it, against whom, and who is worst off?

    Without a policy, limits or measures, nothing is judged: it shows the classic measures, how surely people are found,
    who stands alone, and by which columns.
    """
    from sidelight.answers.audit import AuditRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import audit as verb  # noqa: PLC0415

    question = read_question(
        policy, limits=limits, measures=measures, roles=columns.roles(), population=population, preset=preset
    )
    return verb.audit(AuditRequest(file, question, hierarchies, memory, engine), output.to(policy))


@app.command(sort_key=0.5, help_epilogue=epilogue("columns"))
def columns(
    file: TableFile,
    /,
    *,
    policy: RolesPath = None,
    preset: ColumnPreset = None,
    living: ZipOptions = ZipOptions(),
    identifying: IdentifyingOptions = IdentifyingOptions(),
    columns: SuggestedColumns = SuggestedColumns(),
    target: DraftedFiles = DraftedFiles(),
) -> int:
    """See which columns identify people, and what each column seems to be; draft a policy to start from.

    What you do not say about the columns is suggested, by rules of thumb: read it before you rely on it.
    """
    from sidelight.answers.inspect import InspectRequest  # noqa: PLC0415
    from sidelight.answers.sources import roles_of  # noqa: PLC0415
    from sidelight.cli import columns as verb  # noqa: PLC0415 - `--help` is quick

    request = InspectRequest(
        file,
        roles_of(policy, columns.roles()),
        **vars(identifying),
        **vars(living),
        preset=preset,
        policy=policy,
        write=target.write,
        hierarchies=target.hierarchies,
    )
    return verb.columns(request, target)


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
    from sidelight.answers.explore import ExploreRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import PeopleLookup, roles_of  # noqa: PLC0415
    from sidelight.cli import explore as verb  # noqa: PLC0415

    lookup = PeopleLookup(hierarchies, suppressed=columns.suppressed_people())
    request = ExploreRequest(file, roles_of(policy, columns.roles()), **vars(explored), lookup=lookup)
    return verb.explore(request, output.to(policy))


@app.command(sort_key=2, help_epilogue=epilogue("protect"))
def protect(
    file: TableFile,
    /,
    *,
    policy: PolicyPath = None,
    limits: Limits = (),
    preset: PresetName = None,
    population: PopulationFile = None,
    hierarchies: HierarchyFolder = None,
    memory: MemoryLimit = None,
    search: SearchOptions = SearchOptions(),
    engine: EngineOptions = EngineOptions(),
    columns: TableColumns = TableColumns(),
    target: PublishOptions = PublishOptions(),
) -> int:
    """Find the most useful release of a table within a policy, and publish it; without --output, only tell of it."""
    from sidelight.answers.protect import ProtectRequest, Publication  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import protect as verb  # noqa: PLC0415

    question = read_question(policy, limits=limits, roles=columns.roles(), population=population, preset=preset)
    publication = None if target.output is None else Publication(path=target.output, **target.details())
    request = ProtectRequest(file, question, hierarchies, memory, engine, **vars(search), publication=publication)
    return verb.protect(request, target)


@app.command(sort_key=2.5, help_epilogue=epilogue("compare"))
def compare(
    file: TableFile,
    /,
    *,
    policy: PolicyPath = None,
    limits: Limits = (),
    preset: PresetName = None,
    population: PopulationFile = None,
    hierarchies: HierarchyFolder = None,
    ways: CompareOptions = CompareOptions(),
    columns: TableColumns = TableColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what each way of publishing a table within a policy would keep of it; nothing is published."""
    from sidelight.answers.compare import CompareRequest  # noqa: PLC0415
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import compare as verb  # noqa: PLC0415 - `--help` is quick

    question = read_question(policy, limits=limits, roles=columns.roles(), population=population, preset=preset)
    return verb.compare(CompareRequest(file, question, hierarchies, **vars(ways)), output.to(policy))


@app.command(sort_key=2.7, help_epilogue=epilogue("generalisations"))
def generalisations(
    file: TableFile,
    /,
    *,
    policy: PolicyPath = None,
    limits: Limits = (),
    measures: Measures = (),
    preset: PresetName = None,
    population: PopulationFile = None,
    hierarchies: HierarchyFolder = None,
    options: GeneralisationOptions = GeneralisationOptions(),
    columns: TableColumns = TableColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what measures and utilities say of every choice of levels of a table; nothing is published.

    With limits, of the minimal choices within them.
    """
    from sidelight.answers.generalisations import GeneralisationsRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import generalisations as verb  # noqa: PLC0415

    question = read_question(
        policy, limits=limits, measures=measures, roles=columns.roles(), population=population, preset=preset
    )
    request = GeneralisationsRequest(file, question, hierarchies, **vars(options))
    return verb.generalisations(request, output.to(policy))


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
    from sidelight.answers.believe import BelieveRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import PeopleLookup, roles_of  # noqa: PLC0415
    from sidelight.cli import believe as verb  # noqa: PLC0415

    roles, found_by = (
        roles_of(policy, columns.roles()),
        PeopleLookup(lookup.hierarchies, lookup.locate, columns.suppressed_people()),
    )
    request = BelieveRequest(file=file, roles=roles, **vars(knowledge), **vars(effort), lookup=found_by)
    return verb.believe(request, output.to(policy))


@app.command(sort_key=4, help_epilogue=epilogue("attack"))
def attack(
    files: ReleaseFiles,
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
    from sidelight.answers.attack import AttackRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.attacker import AttackerRequest  # noqa: PLC0415
    from sidelight.answers.sources import PeopleLookup, read_question, roles_of  # noqa: PLC0415
    from sidelight.cli import attack as verb  # noqa: PLC0415

    found_by = PeopleLookup(lookup.hierarchies, lookup.locate, columns.suppressed_people())
    if reader.attacker is not None or reader.method is not None or reader.limit:
        question = read_question(policy, limits=reader.limit, roles=columns.roles())
        asked = AttackerRequest(
            files, question, lookup=found_by, person=attacker.person, at_most=attacker.at_most, **vars(reader)
        )
        return verb.attack_as(asked, output.to(policy))
    request = AttackRequest(files, roles_of(policy, columns.roles()), found_by, **vars(attacker))
    return verb.attack(request, output.to(policy))


@app.command(sort_key=4.5, help_epilogue=epilogue("simulate"))
def simulate(
    file: TableFile,
    /,
    *,
    policy: PolicyPath = None,
    limits: Limits = (),
    hierarchies: HierarchyFolder = None,
    samples: SimulateOptions,
    columns: TableColumns = TableColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """Try it before you publish: what would releases of samples with people in common give away together?

    With --epsilon, noisy counts of the same samples stand beside them.
    """
    from sidelight.answers.simulate import SimulateRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import attack as verb  # noqa: PLC0415

    question = read_question(policy, limits=limits, roles=columns.roles())
    return verb.simulate(SimulateRequest(file, question, hierarchies, **vars(samples)), output.to(policy))


@app.command(sort_key=5, help_epilogue=epilogue("noise"))
def noise(
    file: TableFile,
    /,
    *,
    counts: NoiseOptions = NoiseOptions(),
    hierarchies: HierarchyFolder = None,
    policy: RolesPath = None,
    paid: LedgerOptions = LedgerOptions(),
    columns: CountColumns = CountColumns(),
    target: NoisyOutputOptions,
) -> int:
    """Publish differentially private counts over levels that were fixed in advance, paid from a budget."""
    from sidelight.answers.noise import NoiseRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import noise as verb  # noqa: PLC0415

    question = read_question(policy, roles=columns.roles())
    request = NoiseRequest(
        file, target.output, question, hierarchies, ledger=paid.ledger, force=target.force, **vars(counts)
    )
    return verb.noise(request, target.to())


@app.command(sort_key=5.2, help_epilogue=epilogue("count"))
def count(
    file: CountsFile, /, *, counted: CountOptions = CountOptions(), output: OutputOptions = OutputOptions()
) -> int:
    """Add up published noisy counts: how many people are there of some kind, and how far off is that at most?"""
    from sidelight.answers.noisy_counts import CountRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import noise as verb  # noqa: PLC0415

    return verb.count(CountRequest(file, **vars(counted)), output.to())


@app.command(name="attack-noise", sort_key=5.5, help_epilogue=epilogue("attack-noise"))
def attack_noise(
    files: NoisyFiles,
    /,
    *,
    attacker: NoiseAttackOptions,
    hierarchies: HierarchyFolder = None,
    columns: CountedPeopleColumns = CountedPeopleColumns(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See how far noisy counts move what somebody believes, who knows nothing else, or everybody else (--others)."""
    from sidelight.answers.noisy_counts import NoiseAttackRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import noise as verb  # noqa: PLC0415

    request = NoiseAttackRequest(files, hierarchies=hierarchies, reading=columns.roles(), **vars(attacker))
    return verb.attack_noise(request, output.to())


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
    from sidelight.answers.hierarchies import HierarchiesRequest  # noqa: PLC0415
    from sidelight.answers.sources import roles_of  # noqa: PLC0415
    from sidelight.cli import hierarchies as verb  # noqa: PLC0415 - `--help` is quick

    request = HierarchiesRequest(file, roles_of(policy, columns.roles()), target.output, **vars(draft))
    return verb.hierarchies(request, target)


ledger_verbs = App(name="ledger", help="Begin the budget that noise is paid from, and look at it.", sort_key=6)
app.command(ledger_verbs)


@ledger_verbs.command(help_epilogue=epilogue("ledger begin"))
def begin(
    file: LedgerFile, /, *, budget: BudgetOptions = BudgetOptions(), output: OutputOptions = OutputOptions()
) -> int:
    """Begin a ledger: a budget for all noise that is ever published about the same people."""
    from sidelight.answers.ledger import BeginRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import ledger as verb  # noqa: PLC0415

    return verb.begin(BeginRequest(file, **vars(budget)), output.to())


@ledger_verbs.command(help_epilogue=epilogue("ledger show"))
def show(file: LedgerFile, /, *, output: OutputOptions = OutputOptions()) -> int:
    """Show what was spent of a budget, on what, with which noise, and where it was published."""
    from sidelight.answers.ledger import LedgerRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import ledger as verb  # noqa: PLC0415

    return verb.show(LedgerRequest(file), output.to())


@ledger_verbs.command(help_epilogue=epilogue("ledger spent"))
def spent(
    files: LedgerFiles,
    /,
    *,
    options: SpentOptions = SpentOptions(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what all releases of ledgers and of noisy counts cost and promise together."""
    from sidelight.answers.ledger import SpentRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import ledger as verb  # noqa: PLC0415

    return verb.spent(SpentRequest(files, **vars(options)), output.to())


@app.command(sort_key=6, help_epilogue=epilogue("promise"))
def promise(
    files: PromiseFiles = (),
    /,
    *,
    options: PromiseOptions = PromiseOptions(),
    output: OutputOptions = OutputOptions(),
) -> int:
    """See what noise promises: in beliefs, as error rates of a test and as a risk, and as a picture."""
    from sidelight.answers.ledger import PromiseRequest  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli import ledger as verb  # noqa: PLC0415

    settings = vars(options).copy()
    plot = settings.pop("plot")
    return verb.promise(PromiseRequest(files, **settings), plot, output.to())


@app.command(sort_key=6.5, help_epilogue=epilogue("report"))
def report(
    file: ReleaseFile,
    /,
    *,
    policy: PolicyPath = None,
    limits: Limits = (),
    measures: Measures = (),
    preset: PresetName = None,
    population: PopulationFile = None,
    hierarchies: HierarchyFolder = None,
    circumstances: ReportOptions = ReportOptions(),
    columns: ReleaseColumns = ReleaseColumns(),
    target: ReportOutputOptions = ReportOutputOptions(),
) -> int:
    """Write what somebody signs who lets a release go: one HTML file, to read and to print.

    A file that Sidelight published is told of as its sidecar does, and judged again by its policy.
    """
    from sidelight.answers.report import ReportRequest, read_sidecar_policy  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import read_question  # noqa: PLC0415
    from sidelight.cli import report as verb  # noqa: PLC0415
    from sidelight.cli.run import command_line  # noqa: PLC0415

    question = read_question(
        policy,
        limits=limits,
        measures=measures,
        roles=columns.roles(),
        population=population,
        preset=preset,
        otherwise=read_sidecar_policy(file, population),
    )
    request = ReportRequest(file, question, hierarchies, **vars(circumstances), commands=(command_line(),))
    return verb.report(request, target, policy)


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
    file: ServedFile = None,
    /,
    *,
    policy: PolicyPath = None,
    limits: Limits = (),
    hierarchies: HierarchyFolder = None,
    population: PopulationFile = None,
    columns: TableColumns = TableColumns(),
    page: ServeOptions = ServeOptions(),
) -> int:
    """Explore a table or a release on a page that this machine shows to your browser, and to nobody else.

    Without a file, the bundled census is shown.  What you do not say about the columns is suggested.
    """
    from sidelight.cli import serve as verb  # noqa: PLC0415 - `--help` is quick

    request = verb.ServeRequest(file, policy, limits, columns.roles(), hierarchies, page.output, population)
    return verb.serve(request, page)


@app.command(group=SCHEMAS)
def policy_schema() -> int:
    """Print the JSON schema of policy files, for editors and for the documentation."""
    from sidelight.policy import policy_file  # noqa: PLC0415 - `--help` is quick

    return _print(policy_file.policy_schema())


@app.command(group=SCHEMAS)
def report_schema() -> int:
    """Print the JSON schema of reports, for programs that read them."""
    from sidelight.report.report import report_schema as schema  # noqa: PLC0415 - `--help` is quick

    return _print(schema())


@app.command(group=SCHEMAS)
def release_report_schema() -> int:
    """Print the JSON schema of what `sidelight report` writes, for programs that read it."""
    from sidelight.report.release_report import release_report_schema as schema  # noqa: PLC0415 - `--help` is quick

    return _print(schema())


@app.command(group=SCHEMAS)
def sidecar_schema() -> int:
    """Print the JSON schema of the sidecars of published releases, for programs that read them."""
    from sidelight.publish.sidecar import sidecar_schema as schema  # noqa: PLC0415 - `--help` is quick

    return _print(schema())


def _print(text: str) -> int:
    sys.stdout.write(text)
    return 0


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that cannot show ≥ or ✓ shows ?, and the words beside it
    sys.exit(run(app, sys.argv[1:]))
