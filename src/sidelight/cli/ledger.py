"""`sidelight ledger`: begin a budget; see what was spent of it, on what, where it was published, what it comes to.

`sidelight promise`: what noise promises, in beliefs, as error rates of a test and as a risk, and as a picture.
"""

from __future__ import annotations

from pathlib import Path

from sidelight.answers.ledger import (
    BeginRequest,
    LedgerRequest,
    PromiseRequest,
    SpentRequest,
    ask,
    ask_promise,
    ask_spent,
)
from sidelight.cli.run import Output, Status
from sidelight.report.plots import refuse_other_pictures, save_chart


def begin(request: BeginRequest, output: Output) -> Status:
    """Begin a ledger, and show it."""
    shown = LedgerRequest(request.file)
    output.refuse(shown.files())
    ledger = request.begin()
    try:
        return show(shown, output)
    except BaseException:
        ledger.take_back()
        raise


def show(request: LedgerRequest, output: Output) -> Status:
    """Show a ledger."""
    output.refuse(request.files())
    output.deliver(ask(request), request)
    return Status.WITHIN_POLICY


def spent(request: SpentRequest, output: Output) -> Status:
    """Show what ledgers and noisy counts cost together."""
    output.refuse(request.files())
    output.deliver(ask_spent(request), request)
    return Status.WITHIN_POLICY


def promise(request: PromiseRequest, plot: Path | None, output: Output) -> Status:
    """Show what noise promises, and draw it if asked."""
    if plot is not None:
        refuse_other_pictures(plot)
    output.refuse(request.files(), beside=() if plot is None else (plot,))
    answer = ask_promise(request)
    if plot is not None:
        save_chart(next(answer.charts()), plot, force=output.force)
        answer = answer.model_copy(update={"drawn": plot})
    output.deliver(answer, request)
    return Status.WITHIN_POLICY
