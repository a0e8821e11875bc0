"""`sidelight generalisations`: what do measures and utilities say of every choice of levels of a table?"""

from __future__ import annotations

from sidelight.answers.generalisations import GeneralisationsRequest, ask
from sidelight.cli.protect import report_nothing
from sidelight.cli.run import Output, Status, bar
from sidelight.errors import NothingSafe
from sidelight.interrupts import noticing_interrupts


def generalisations(request: GeneralisationsRequest, output: Output) -> Status:
    """Ask, and draw the answer; after Ctrl-C some rows would be missing, and nobody would know which."""
    output.refuse(request.files())
    try:
        with noticing_interrupts() as interrupts, bar("measuring") as progress:
            answer = ask(request, progress)
    except NothingSafe as nothing:
        return report_nothing(nothing, "generalisations", request, output)
    if interrupts.noticed:
        raise KeyboardInterrupt
    output.deliver(answer, request)
    return Status.WITHIN_POLICY
