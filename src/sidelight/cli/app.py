"""The command line: one function per verb.

A verb takes a request from cyclopts and answers it; the question's module is imported only then, so that `--help` is
quick.  Some write more than their answer: a release, noisy counts, a ledger, drafts, a chart.  Exit status: 0 within
policy, 1 not, 2 bad input or not computed, 130 interrupted.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import App, Group, Parameter

from sidelight import __version__
from sidelight.answers.questions import (
    AttackRequest,
    AuditRequest,
    BeginRequest,
    BelieveRequest,
    CompareRequest,
    CountRequest,
    ExploreRequest,
    GeneralisationsRequest,
    HierarchiesRequest,
    InspectRequest,
    LedgerRequest,
    NoiseAttackRequest,
    NoiseRequest,
    PromiseRequest,
    ProtectRequest,
    ReportRequest,
    ServeRequest,
    SimulateRequest,
    SpentRequest,
)
from sidelight.answers.request import (
    FILE_KINDS,
    READ,
    ReleaseFile,
    TableFile,
    choose,
    files,
)
from sidelight.cli.help_pages import DEBUG_HINT, epilogue
from sidelight.cli.run import Output, Status, bar, name_options, named_inputs, remember_written, run, say
from sidelight.errors import BadHierarchy, BadMeasure, BadPolicy, BudgetExceeded, SidelightError, parameter
from sidelight.files import noise_path, refuse_input, refuse_targets, write_together
from sidelight.interrupts import heed_interrupts

if TYPE_CHECKING:
    from sidelight.publish.noise import PublishedNoise

LedgerFile: TypeAlias = Annotated[
    str, Parameter(name="LEDGER", help="The ledger: the file that --ledger names when noise is paid for.")
]
Target: TypeAlias = Annotated[Output, choose("json", "output", "html", "markdown", "force")]
PageTarget: TypeAlias = Annotated[Output, choose("json", "html", "markdown")]
"""Where an answer goes; verbs that publish something have an --output and --force of their own."""


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
def audit(file: ReleaseFile, /, *, request: AuditRequest = AuditRequest(), target: Target = Output()) -> int:
    """Judge a published file as it stands: how bad is it, against whom, and who is worst off?

    Without a policy, limits or measures, nothing is judged: it shows the classic measures, how surely people are found,
    who stands alone, and by which columns.
    """
    from sidelight.answers.audit import ask_audit, write_audit  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_audit, request.about(file), write_audit)


@app.command(sort_key=0.5, help_epilogue=epilogue("columns"))
def columns(file: TableFile, /, *, request: InspectRequest = InspectRequest(), target: Target = Output()) -> int:
    """See which columns identify people, and what each column seems to be; draft a policy to start from.

    What you do not say about the columns is suggested, by rules of thumb: read it before you rely on it.
    """
    from sidelight.answers import inspect  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import list_inputs  # noqa: PLC0415
    from sidelight.engines.files import refuse_unsure_names  # noqa: PLC0415 - `--help` is quick

    request = request.about(file)
    is_check = inspect.checks_columns(request)
    refuse_unsure_names(request.file, request.roles)
    if is_check:
        return target.answer(inspect.check_safe_harbour, request)
    written = () if request.write is None else (request.write,)
    inputs = tuple(list_inputs(request))
    target.refuse(inputs, beside=written)
    with bar("looking at") as progress:
        answer = inspect.ask_columns(request, progress)
    folder = request.drafts
    is_new = folder is not None and not folder.exists()
    if folder is not None:
        for draft in answer.drafts:
            if draft != request.write:
                refuse_input(draft, (*inputs, *target.files, *written))
        _make_folder(folder, "--hierarchies")
    try:
        write_together(answer.drafts, force=target.force)
    except BaseException:
        if is_new and folder is not None:
            folder.rmdir()
        raise
    target.deliver(answer, request, inspect.write_columns)
    return Status.WITHIN_POLICY


@app.command(sort_key=1, help_epilogue=epilogue("explore"))
def explore(file: ReleaseFile, /, *, request: ExploreRequest, target: Target = Output()) -> int:
    """See how much a published file withstands: who may know what before one value is given away?"""
    from sidelight.answers.explore import ask_explore, write_explore  # noqa: PLC0415 - `--help` is quick

    if request.people is not None and target.json:
        raise BadMeasure("--people names people on the terminal alone; leave --json out")
    return target.answer(ask_explore, request.about(file), write_explore, "exploring")


@app.command(sort_key=2, help_epilogue=epilogue("protect"))
def protect(file: TableFile, /, *, target: PageTarget = Output(), request: ProtectRequest = ProtectRequest()) -> int:
    """Find the most useful release of a table within a policy, and publish it; without --output, only tell of it."""
    from sidelight.answers.protect import ask_protect, list_targets, write_protect_again  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import require_policy  # noqa: PLC0415

    request = request.about(file)
    require_policy(request.question)  # without any, nothing else matters
    pages = [path for path in (target.html, target.markdown) if path is not None]
    if request.settings.memory is not None and pages:
        raise BadPolicy(
            f"'{pages[0]}' draws what a whole table says, which does not go with {parameter('memory')}; leave one out"
        )
    about_a_file = {
        "--layout": request.layout,
        "--written-as": request.written_as,
        "--force": request.force and not pages,
        "--quiet-method": request.quiet_method,
    }
    for name, setting in about_a_file.items():
        if setting and request.output is None:
            raise BadPolicy(f"{name} is about the file that is published; say where to with --output, or leave it out")
    return replace(target, force=request.force).answer(
        lambda request, progress: ask_protect(request, progress, publishing=remember_written),
        request,
        write_protect_again,
        "trying",
        beside=list_targets(request),
    )


@app.command(sort_key=2.5, help_epilogue=epilogue("compare"))
def compare(file: TableFile, /, *, request: CompareRequest = CompareRequest(), target: Target = Output()) -> int:
    """See what each way of publishing a table within a policy would keep of it; nothing is published."""
    from sidelight.answers.protect import ask_compare, write_compare  # noqa: PLC0415 - `--help` is quick

    return target.answer(partial(ask_compare, wording=name_options), request.about(file), write_compare, "trying")


@app.command(sort_key=2.7, help_epilogue=epilogue("generalisations"))
def generalisations(
    file: TableFile, /, *, request: GeneralisationsRequest = GeneralisationsRequest(), target: Target = Output()
) -> int:
    """See what measures and utilities say of every choice of levels of a table; nothing is published.

    With limits, of the minimal choices within them.
    """
    from sidelight.answers.protect import ask_generalisations, write_generalisations  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_generalisations, request.about(file), write_generalisations, "measuring")


@app.command(sort_key=3, help_epilogue=epilogue("believe"))
def believe(file: ReleaseFile, /, *, request: BelieveRequest = BelieveRequest(), target: Target = Output()) -> int:
    """See what someone who knows exactly this would conclude about people in a published file."""
    from sidelight.answers.believe import ask_believe, write_believe  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_believe, request.about(file), write_believe)


@app.command(sort_key=4, help_epilogue=epilogue("attack"))
def attack(
    files: Annotated[tuple[str, ...], files("RELEASES", "Published files about the same people, usually two or more.")],
    /,
    *,
    request: AttackRequest = AttackRequest(),
    target: Target = Output(),
) -> int:
    """See what files give away together about the same people, or what one reader makes of one file (--as)."""
    from sidelight.answers.attack import ask_attack, ask_attacker, write_attack  # noqa: PLC0415 - `--help` is quick

    request = request.about(*files)
    if not request.names_attacker:
        return target.answer(ask_attack, request, write_attack)
    return target.answer(
        ask_attacker, request, write_attack, "counting" if request.attacker == "insider" else "learning"
    )


@app.command(sort_key=4.5, help_epilogue=epilogue("simulate"))
def simulate(file: TableFile, /, *, request: SimulateRequest, target: Target = Output()) -> int:
    """Try it before you publish: what would releases of samples with people in common give away together?

    With --epsilon, noisy counts of the same samples stand beside them.
    """
    from sidelight.answers.exposure import ask_simulate, write_simulate  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_simulate, request.about(file), write_simulate, "simulating")


@app.command(sort_key=5, help_epilogue=epilogue("noise"))
def noise(file: TableFile, /, *, target: PageTarget = Output(), request: NoiseRequest) -> int:
    """Publish differentially private counts over levels that were fixed in advance, paid from a budget."""
    from sidelight.answers.noise import ask_noise, write_noise  # noqa: PLC0415 - `--help` is quick

    request = request.about(file)
    output = replace(target, force=request.force)

    def get_ready(inputs: tuple[Path, ...]) -> None:
        output.refuse(inputs, beside=(request.output, noise_path(request.output)))
        heed_interrupts()  # from here on, budget is spent

    def remember(published: PublishedNoise) -> None:
        remember_written(published.path, published.beside)

    try:
        answer = ask_noise(request, before_spending=get_ready, after_publishing=remember)
    except BudgetExceeded as refused:
        say(str(refused))
        return Status.NOT_WITHIN_POLICY
    output.deliver(answer, request, write_noise)
    for each in answer.exact_notes:
        say(f"for you, not for publishing: {each}")
    return Status.WITHIN_POLICY


@app.command(sort_key=5.2, help_epilogue=epilogue("count"))
def count(
    file: Annotated[str, Parameter(name="COUNTS", help="Noisy counts as published, their document beside them.")],
    /,
    *,
    request: CountRequest = CountRequest(),
    target: Target = Output(),
) -> int:
    """Add up published noisy counts: how many people are there of some kind, and how far off is that at most?"""
    from sidelight.answers.noise import ask_count, write_count  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_count, request.about(file), write_count)


@app.command(name="attack-noise", sort_key=5.5, help_epilogue=epilogue("attack-noise"))
def attack_noise(
    files: Annotated[tuple[str, ...], files("COUNTS", "Noisy counts as published, their documents beside them.")],
    /,
    *,
    request: NoiseAttackRequest,
    target: Target = Output(),
) -> int:
    """See how far noisy counts move what somebody believes, who knows nothing else, or everybody else (--others)."""
    from sidelight.answers.noise import ask_noise_attack, write_noise_attack  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_noise_attack, request.about(*files), write_noise_attack)


@app.command(sort_key=6, help_epilogue=epilogue("hierarchies"))
def hierarchies(
    file: TableFile,
    /,
    *,
    request: HierarchiesRequest = HierarchiesRequest(),
    target: Annotated[Output, choose("json")] = Output(),
) -> int:
    """Draft a hierarchy file for each column of a table: a start, to be read and changed before it is relied on.

    Without --group, for all columns but the sensitive one and that of the person.
    """
    from sidelight.answers.inspect import ask_hierarchies, list_drafted_columns  # noqa: PLC0415
    from sidelight.answers.sources import list_inputs  # noqa: PLC0415
    from sidelight.table.hierarchy_io import hierarchy_file, write_hierarchy  # noqa: PLC0415 - `--help` is quick

    request = request.about(file)
    folder = request.output
    targets = [folder / hierarchy_file(name) for name in list_drafted_columns(request)]
    if folder.is_dir():
        refuse_targets(targets, (*list_inputs(request), *named_inputs()), force=request.force)
    answer = ask_hierarchies(request)
    _make_folder(folder, "--output")
    for name, hierarchy in answer.hierarchies.items():
        write_hierarchy(hierarchy, folder / hierarchy_file(name))
    target.deliver(answer, request)
    return Status.WITHIN_POLICY


ledger_verbs = App(name="ledger", help="Begin the budget that noise is paid from, and look at it.", sort_key=6)
app.command(ledger_verbs)


@ledger_verbs.command(help_epilogue=epilogue("ledger begin"))
def begin(file: LedgerFile, /, *, request: BeginRequest = BeginRequest(), target: Target = Output()) -> int:
    """Begin a ledger: a budget for all noise that is ever published about the same people."""
    from sidelight.answers.noise import ask_ledger, begin_ledger  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import list_inputs  # noqa: PLC0415

    request = request.about(file)
    shown = LedgerRequest(files=request.files)
    target.refuse(list_inputs(shown))
    ledger = begin_ledger(request)
    try:
        return target.answer(ask_ledger, shown)
    except BaseException:
        ledger.take_back()
        raise


@ledger_verbs.command(help_epilogue=epilogue("ledger show"))
def show(file: LedgerFile, /, *, target: Target = Output()) -> int:
    """Show what was spent of a budget, on what, with which noise, and where it was published."""
    from sidelight.answers.noise import ask_ledger  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_ledger, LedgerRequest(files=(file,)))


@ledger_verbs.command(help_epilogue=epilogue("ledger spent"))
def spent(
    files: Annotated[
        tuple[str, ...], files("LEDGERS", "Ledgers, or noisy counts as published; what is in both counts once.")
    ],
    /,
    *,
    request: SpentRequest = SpentRequest(),
    target: Target = Output(),
) -> int:
    """See what all releases of ledgers and of noisy counts cost and promise together."""
    from sidelight.answers.noise import ask_spent  # noqa: PLC0415 - `--help` is quick

    return target.answer(ask_spent, request.about(*files))


@app.command(sort_key=6, help_epilogue=epilogue("promise"))
def promise(
    files: Annotated[
        tuple[str, ...], files("FILES", "Ledgers, or noisy counts as published; or none, and --epsilon.")
    ] = (),
    /,
    *,
    request: PromiseRequest = PromiseRequest(),
    target: Target = Output(),
) -> int:
    """See what noise promises: in beliefs, as error rates of a test and as a risk, and as a picture."""
    from sidelight.answers.noise import ask_promise, write_promise  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.sources import list_inputs  # noqa: PLC0415
    from sidelight.report.plots import refuse_other_pictures, save_chart  # noqa: PLC0415 - an extra

    request = request.about(*files)
    plot = request.plot
    if plot is None:
        return target.answer(ask_promise, request, write_promise)
    refuse_other_pictures(plot)
    target.refuse(list_inputs(request), beside=(plot,))
    answer = ask_promise(request)
    save_chart(next(answer.charts()), plot, force=target.force)
    target.deliver(answer.model_copy(update={"drawn": plot}), request, write_promise)
    return Status.WITHIN_POLICY


@app.command(sort_key=6.5, help_epilogue=epilogue("report"))
def report(file: ReleaseFile, /, *, request: ReportRequest = ReportRequest(), target: Output = Output()) -> int:
    """Write what somebody signs who lets a release go: one HTML file, to read and to print.

    A file that Sidelight published is told of as its sidecar does, and judged again by its policy.  If no file is named
    to write, the report is RELEASE.report.html beside the release.
    """
    from sidelight.answers.audit import ask_report, write_report_again  # noqa: PLC0415 - `--help` is quick
    from sidelight.answers.recipe import write_command  # noqa: PLC0415
    from sidelight.engines.source import is_address  # noqa: PLC0415
    from sidelight.report.contents import explain_missing_charts  # noqa: PLC0415

    request = request.about(file)
    if not target.files and not target.json:
        if request.file == "-" or is_address(request.file):
            where = "standard input" if request.file == "-" else "a table of a database"
            raise SidelightError(f"a report on {where} needs a name; give --html FILE")
        target = replace(target, html=Path(f"{request.release}.report.html"))
    ask = partial(ask_report, commands=(write_command(request, target),))
    status = target.answer(ask, request, write_report_again)
    if target.html is not None or target.pdf is not None:
        for note in explain_missing_charts():
            say(note.text)
    return status


@app.command(sort_key=7, help_epilogue=epilogue("demo"))
def demo(
    *,
    folder: Annotated[Path, Parameter(metavar="FOLDER", help="Where to write the files.")] = Path("sidelight-demo"),
) -> int:
    """Judge a release of real census data, publish a better one, and leave the files to go on with."""
    from sidelight.cli import serve as verb  # noqa: PLC0415 - `--help` is quick

    return verb.demo(folder)


@app.command(sort_key=6.5, help_epilogue=epilogue("serve"))
def serve(
    file: Annotated[
        str | None,
        files("TABLE_OR_RELEASE", f"A table, or a published file: {FILE_KINDS} Without one, the bundled census."),
    ] = None,
    /,
    *,
    request: ServeRequest = ServeRequest(),
) -> int:
    """Explore a table or a release on a page that this machine shows to your browser, and to nobody else.

    Without a file, the bundled census is shown.  What you do not say about the columns is suggested.
    """
    from sidelight.cli import serve as verb  # noqa: PLC0415 - `--help` is quick

    return verb.serve(file, request)


def _make_folder(folder: Path, option: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadHierarchy(
            f"cannot make the folder '{folder}': {problem.strerror}; name another with {option}"
        ) from None


def _print_schema(module: str, name: str) -> int:
    from importlib import import_module  # noqa: PLC0415

    from sidelight.documents.document import schema_text  # noqa: PLC0415

    document = getattr(import_module(f"sidelight.{module}"), name)
    sys.stdout.write(schema_text(document) if isinstance(document, type) else document())
    return 0


for _name, _module, _document, _text in (
    ("policy", "policy.policy_file", "policy_schema", "policy files, for editors and for the documentation"),
    ("report", "report.report", "AuditReport", "reports, for programs that read them"),
    (
        "release-report",
        "report.release_report",
        "ReleaseReport",
        "what `sidelight report` writes, for programs that read it",
    ),
    ("sidecar", "publish.sidecar", "Sidecar", "the sidecars of published releases, for programs that read them"),
):
    _print = partial(_print_schema, _module, _document)
    app.command(_print, name=f"{_name}-schema", group=FOR_PROGRAMS, help=f"Print the JSON schema of {_text}.")


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that cannot show ≥ or ✓ shows ?, and the words beside it
    sys.exit(run(app, sys.argv[1:]))
