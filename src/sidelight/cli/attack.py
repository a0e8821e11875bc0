"""`sidelight attack`: what do these files give away together, or how sure does one attacker (--as) get of one file?

`sidelight simulate`: what would releases of overlapping samples of a table give away together?
"""

from __future__ import annotations

from sidelight.answers import attack as together
from sidelight.answers import attacker as alone
from sidelight.answers.simulate import SimulateRequest
from sidelight.answers.simulate import ask as ask_simulate
from sidelight.cli.run import Output, Status, bar, say


def attack(request: together.AttackRequest, output: Output) -> Status:
    """Attack several files together."""
    request.check()
    output.refuse(request.files())
    answer = together.ask(request)
    output.deliver(answer, request)
    status = Status.from_verdict(answer.verdict)
    if status is Status.COULD_NOT_TELL:
        say(answer.open_in_words())
    return status


def attack_as(request: alone.AttackerRequest, output: Output) -> Status:
    """Let one attacker read one file."""
    request.check()
    output.refuse(request.files())
    with bar("counting" if request.attacker == "insider" else "learning") as progress:
        answer = alone.ask(request, progress)
    output.deliver(answer, request)
    return Status.from_verdict(answer.verdict)


def simulate(request: SimulateRequest, output: Output) -> Status:
    """Publish samples of a table, and attack them together."""
    output.refuse(request.files())
    with bar("simulating") as progress:
        answer = ask_simulate(request, progress)
    output.deliver(answer, request)
    if answer.published:
        return Status.WITHIN_POLICY
    say("nothing within policy could be published of any sample; give larger samples or a weaker policy")
    return Status.NOT_WITHIN_POLICY
