"""`sidelight compare`: what would each way of publishing a table within a policy keep of it?"""

from __future__ import annotations

from sidelight.answers.compare import CompareRequest, ask
from sidelight.cli.protect import report_nothing
from sidelight.cli.run import Output, Status, bar, in_options
from sidelight.errors import NothingSafe
from sidelight.interrupts import noticing_interrupts


def compare(request: CompareRequest, output: Output) -> Status:
    """Ask, and draw the answer; after Ctrl-C some ways would be compared with half of what they can do."""
    output.refuse(request.files())
    try:
        with noticing_interrupts() as interrupts, bar("trying") as progress:
            answer = ask(request, progress, in_options)
    except NothingSafe as nothing:
        return report_nothing(nothing, "compare", request, output)
    if interrupts.noticed:
        raise KeyboardInterrupt
    output.deliver(answer, request)
    return Status.WITHIN_POLICY
