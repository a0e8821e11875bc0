"""`sidelight explore`: how much may an attacker know before this release discloses a value?"""

from __future__ import annotations

from sidelight.answers.explore import ExploreRequest, ask
from sidelight.cli.run import Output, Status, bar
from sidelight.errors import BadMeasure


def explore(request: ExploreRequest, output: Output) -> Status:
    """Ask, and draw the answer."""
    if request.people is not None and output.as_json:
        message = "--people names people on the terminal alone; leave --json out"
        raise BadMeasure(message)
    _ = request.limit, request.belief_limits  # what cannot be read is refused before anything else
    output.refuse(request.files())
    with bar("exploring") as progress:
        answer = ask(request, progress)
    output.deliver(answer, request)
    return Status.WITHIN_POLICY
