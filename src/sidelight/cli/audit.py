"""`sidelight audit`: what does this file reveal, and is it within the policy?"""

from __future__ import annotations

from sidelight.answers.audit import AuditRequest, ask
from sidelight.cli.run import Output, Status


def audit(request: AuditRequest, output: Output) -> Status:
    """Ask, and draw the answer."""
    output.refuse(request.files())
    answer = ask(request)
    output.deliver(answer, request)
    return Status.NOT_WITHIN_POLICY if answer.verdict == "not within" else Status.WITHIN_POLICY
