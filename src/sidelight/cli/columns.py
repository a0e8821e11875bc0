"""`sidelight columns`: which columns identify people, and what is each?  From a file to a policy to start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sidelight.answers.inspect import InspectRequest, ask, check_safe_harbour
from sidelight.cli.options import DraftedFiles
from sidelight.cli.run import Output, Status, bar, make_folder
from sidelight.engines.files import refuse_unsure_names
from sidelight.files import refuse_input, write_together


def columns(request: InspectRequest, target: DraftedFiles) -> Status:
    """Ask, write the drafts that are asked for, and draw the answer."""
    output = Output(target.json, target.output, target.force, (), target.html, target.markdown)
    refuse_unsure_names(request.file, request.roles)
    if request.is_check:
        output.refuse(request.files())
        check = check_safe_harbour(request)
        output.deliver(check, request)
        return Status.NOT_WITHIN_POLICY if check.answer.found else Status.COULD_NOT_TELL
    output.refuse(request.files(), beside=() if request.write is None else (request.write,))
    with bar("looking at") as progress:
        answer = ask(request, progress)
    _write(answer.drafts, request, (*request.files(), *output.files), force=target.force)
    output.deliver(answer, request)
    return Status.WITHIN_POLICY


def _write(drafts: Mapping[Path, str], request: InspectRequest, inputs: Sequence[Path], *, force: bool) -> None:
    """Write all drafts, or none."""
    folder = request.hierarchies
    if folder is None:
        write_together(drafts, force=force)
        return
    for file in drafts:
        if file != request.write:
            refuse_input(file, (*inputs, *([] if request.write is None else [request.write])))
    is_new = not folder.exists()
    make_folder(folder, "--hierarchies")
    try:
        write_together(drafts, force=force)
    except BaseException:
        if is_new:
            folder.rmdir()
        raise
