"""`sidelight believe`: what would an attacker conclude who knows exactly this?"""

from __future__ import annotations

from sidelight.answers.believe import BelieveRequest, ask
from sidelight.cli.run import Output, Status


def believe(request: BelieveRequest, output: Output) -> Status:
    """Ask, and draw the answer."""
    output.refuse(request.files())
    output.deliver(ask(request), request)
    return Status.WITHIN_POLICY
