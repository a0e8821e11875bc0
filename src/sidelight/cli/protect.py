"""`sidelight protect`: find the most useful release of a table within a policy, and publish it, or only tell of it."""

from __future__ import annotations

import sys

from sidelight.answers.protect import ProtectRequest, ask, describe_nothing
from sidelight.answers.request import TableRequest
from sidelight.cli.options import PublishOptions
from sidelight.cli.run import Output, Status, bar, in_options, remember_written, say
from sidelight.errors import BadPolicy, NothingSafe, parameter


def protect(request: ProtectRequest, target: PublishOptions) -> Status:
    """Ask, publish, and draw the answer."""
    output = Output(target.json, None, target.force, (), target.html, target.markdown)
    _ = request.policy  # without any, nothing else matters
    _refuse_options(request, target)
    output.refuse(request.files(), beside=request.targets())
    try:
        with bar("trying") as progress:
            answer = ask(request, progress, publishing=remember_written)
    except NothingSafe as nothing:
        return report_nothing(nothing, "protect", request, output)
    output.deliver(answer, request)
    return Status.WITHIN_POLICY


def _refuse_options(request: ProtectRequest, target: PublishOptions) -> None:
    """Refuse a page of a table that is streamed, and what is about a published file where there is none."""
    pages = [path for path in (target.html, target.markdown) if path is not None]
    if request.memory is not None and pages:
        message = (
            f"'{pages[0]}' draws what a whole table says, which does not go with {parameter('memory')}; leave one out"
        )
        raise BadPolicy(message)
    if request.publication is not None:
        return
    about_a_file = {
        "--layout": target.layout,
        "--written-as": target.written_as,
        "--force": target.force and not pages,
        "--quiet-method": target.quiet_method,
    }
    for option, setting in about_a_file.items():
        if setting:
            message = f"{option} is about the file that is published; say where to with --output, or leave it out"
            raise BadPolicy(message)


def report_nothing(nothing: NothingSafe, kind: str, request: TableRequest, output: Output) -> Status:
    """Say that nothing can be published, and what would pass."""
    message = in_options(nothing)
    answer = describe_nothing(nothing, kind, request.file, message)
    output.keep(answer, request)
    if output.as_json:
        sys.stdout.write(answer.to_json())
    else:
        say(message)
    return Status.NOT_WITHIN_POLICY
