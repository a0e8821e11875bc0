"""The verbs that write more than their answer: a release, noisy counts, a ledger, drafts, a chart; and `report`.

All others only ask: `Output.answer`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.cli.options import DraftedFiles, FolderOptions, PublishOptions, ReportOutputOptions
from sidelight.cli.run import Output, Status, bar, named_inputs, remember_written, say
from sidelight.errors import BadHierarchy, BadPolicy, BudgetExceeded, SidelightError, parameter
from sidelight.files import noise_path, refuse_input, refuse_targets, write_together
from sidelight.interrupts import heed_interrupts

if TYPE_CHECKING:
    from sidelight.answers.audit import ReportRequest
    from sidelight.answers.inspect import HierarchiesRequest, InspectRequest
    from sidelight.answers.ledger import BeginRequest, PromiseRequest
    from sidelight.answers.noise import NoiseRequest
    from sidelight.answers.protect import ProtectRequest
    from sidelight.publish.noise import PublishedNoise


def protect(request: ProtectRequest, target: PublishOptions) -> Status:
    """Search, publish where that is asked for, and draw the answer."""
    from sidelight.answers.protect import ask  # noqa: PLC0415 - `--help` is quick

    request.check()
    pages = [path for path in (target.html, target.markdown) if path is not None]
    if request.memory is not None and pages:
        message = (
            f"'{pages[0]}' draws what a whole table says, which does not go with {parameter('memory')}; leave one out"
        )
        raise BadPolicy(message)
    about_a_file = {
        "--layout": target.layout,
        "--written-as": target.written_as,
        "--force": target.force and not pages,
        "--quiet-method": target.quiet_method,
    }
    for option, setting in about_a_file.items():
        if setting and request.publication is None:
            message = f"{option} is about the file that is published; say where to with --output, or leave it out"
            raise BadPolicy(message)
    return replace(target.to(), file=None).answer(
        lambda request, progress: ask(request, progress, publishing=remember_written),
        request,
        "trying",
        beside=request.targets(),
    )


def noise(request: NoiseRequest, output: Output) -> Status:
    """Publish noisy counts, and tell the publisher of them."""
    from sidelight.answers.noise import ask  # noqa: PLC0415 - `--help` is quick

    def get_ready(inputs: tuple[Path, ...]) -> None:
        output.refuse(inputs, beside=(request.target, noise_path(request.target)))
        heed_interrupts()  # from here on, budget is spent

    def remember(published: PublishedNoise) -> None:
        remember_written(published.path, published.beside)

    try:
        answer = ask(request, before_spending=get_ready, after_publishing=remember)
    except BudgetExceeded as refused:
        say(str(refused))
        return Status.NOT_WITHIN_POLICY
    output.deliver(answer, request)
    for each in answer.exact_notes:
        say(f"for you, not for publishing: {each}")
    return Status.WITHIN_POLICY


def begin(request: BeginRequest, output: Output) -> Status:
    """Begin a ledger, and show it."""
    from sidelight.answers.ledger import LedgerRequest, ask  # noqa: PLC0415 - `--help` is quick

    shown = LedgerRequest(request.file)
    output.refuse(shown.files())
    ledger = request.begin()
    try:
        return output.answer(ask, shown)
    except BaseException:
        ledger.take_back()
        raise


def promise(request: PromiseRequest, plot: Path | None, output: Output) -> Status:
    """Tell what noise promises, and draw it if asked."""
    from sidelight.answers.ledger import ask_promise  # noqa: PLC0415 - `--help` is quick
    from sidelight.report.plots import refuse_other_pictures, save_chart  # noqa: PLC0415 - an extra

    if plot is None:
        return output.answer(ask_promise, request)
    refuse_other_pictures(plot)
    output.refuse(request.files(), beside=(plot,))
    answer = ask_promise(request)
    save_chart(next(answer.charts()), plot, force=output.force)
    output.deliver(answer.model_copy(update={"drawn": plot}), request)
    return Status.WITHIN_POLICY


def columns(request: InspectRequest, target: DraftedFiles) -> Status:
    """Look at columns, write the drafts that are asked for, and draw the answer."""
    from sidelight.answers.inspect import ask, check_safe_harbour  # noqa: PLC0415 - `--help` is quick
    from sidelight.engines.files import refuse_unsure_names  # noqa: PLC0415

    output = target.to()
    refuse_unsure_names(request.file, request.roles)
    if request.is_check:
        return output.answer(check_safe_harbour, request)
    output.refuse(request.files(), beside=() if request.write is None else (request.write,))
    with bar("looking at") as progress:
        answer = ask(request, progress)
    folder = request.hierarchies
    is_new = folder is not None and not folder.exists()
    if folder is not None:
        inputs = (*request.files(), *output.files, *([] if request.write is None else [request.write]))
        for file in answer.drafts:
            if file != request.write:
                refuse_input(file, inputs)
        _make_folder(folder, "--hierarchies")
    try:
        write_together(answer.drafts, force=target.force)
    except BaseException:
        if is_new and folder is not None:
            folder.rmdir()
        raise
    output.deliver(answer, request)
    return Status.WITHIN_POLICY


def hierarchies(request: HierarchiesRequest, target: FolderOptions) -> Status:
    """Draft hierarchies, write them, and draw the answer."""
    from sidelight.answers.inspect import ask_hierarchies  # noqa: PLC0415 - `--help` is quick
    from sidelight.table.hierarchy_io import hierarchy_file, write_hierarchy  # noqa: PLC0415

    targets = request.targets()
    if request.folder.is_dir():
        refuse_targets(targets, (*request.files(), *named_inputs()), force=target.force)
    answer = ask_hierarchies(request)
    _make_folder(request.folder, "--output")
    for name, hierarchy in answer.hierarchies.items():
        write_hierarchy(hierarchy, request.folder / hierarchy_file(name))
    Output(target.json).deliver(answer, request)
    return Status.WITHIN_POLICY


def _make_folder(folder: Path, option: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        message = f"cannot make the folder '{folder}': {problem.strerror}; name another with {option}"
        raise BadHierarchy(message) from None


def report(request: ReportRequest, target: ReportOutputOptions, policy: Path | None) -> Status:
    """Write the report, beside the release if nothing else is said, and say what was missing for its charts."""
    from sidelight.answers.audit import ask_report  # noqa: PLC0415 - `--help` is quick
    from sidelight.engines.postgres.source import is_address  # noqa: PLC0415
    from sidelight.report.contents import explain_missing_charts  # noqa: PLC0415

    html = target.html
    if not any((html, target.markdown, target.pdf, target.output, target.json)):
        if request.file == "-" or is_address(request.file):
            where = "standard input" if request.file == "-" else "a table of a database"
            message = f"a report on {where} needs a name; give --html FILE"
            raise SidelightError(message)
        html = Path(f"{request.release}.report.html")
    status = replace(target.to(policy), html=html, pdf=target.pdf).answer(ask_report, request)
    if html is not None or target.pdf is not None:
        for note in explain_missing_charts():
            say(note.text)
    return status
