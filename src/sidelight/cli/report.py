"""`sidelight report`: what does somebody sign who lets a release go?"""

from __future__ import annotations

from pathlib import Path

from sidelight.answers.report import ReportRequest, ask
from sidelight.cli.options import ReportOutputOptions
from sidelight.cli.run import Output, Status, say
from sidelight.engines.postgres.source import is_address
from sidelight.errors import SidelightError
from sidelight.report.contents import explain_missing_charts


def report(request: ReportRequest, target: ReportOutputOptions, *inputs: Path | None) -> Status:
    """Ask, draw the answer, and say what was missing for its charts."""
    html = target.html
    if not any((html, target.markdown, target.pdf, target.output, target.json)):
        html = _path_beside(request)
    policy = tuple(each for each in inputs if each is not None)
    output = Output(target.json, target.output, target.force, policy, html, target.markdown, target.pdf)
    output.refuse(request.files())
    answer = ask(request)
    output.deliver(answer, request)
    if html is not None or target.pdf is not None:
        for note in explain_missing_charts():
            say(note.text)
    return Status.NOT_WITHIN_POLICY if answer.verdict == "not within" else Status.WITHIN_POLICY


def _path_beside(request: ReportRequest) -> Path:
    """Return where a page goes with nothing said: beside the release."""
    if request.file == "-" or is_address(request.file):
        where = "standard input" if request.file == "-" else "a table of a database"
        message = f"a report on {where} needs a name; give --html FILE"
        raise SidelightError(message)
    return Path(f"{request.release}.report.html")
