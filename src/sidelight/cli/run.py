"""How every verb ends: with an exit status, and with one line when something is wrong."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from sidelight.cli.help import write_parameters, write_verbs
from sidelight.cli.interrupts import noticing_interrupts, raising_interrupts
from sidelight.cli.option_words import as_options
from sidelight.errors import SidelightError

DEBUG = "--debug"


class Status(IntEnum):
    """The exit status: scripts rely on it."""

    WITHIN_POLICY = 0
    NOT_WITHIN_POLICY = 1
    COULD_NOT_TELL = 2
    INTERRUPTED = 130


class Verbs(TyperGroup):
    """All verbs: a verb returns a status or raises, and this is the only place that ends the process."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **options: Any) -> NoReturn:  # noqa: ANN401
        """Run a verb and exit."""
        said = list(sys.argv[1:] if args is None else args)
        given = [each for each in said if each != DEBUG]  # it may stand anywhere
        options["standalone_mode"] = False
        try:
            status = super().main(given, *rest, **options)
        except (KeyboardInterrupt, typer.Abort):  # before a verb began
            status = interrupted()
        except (
            BrokenPipeError,
            SystemExit,
        ) as end:  # typer makes one of the other, with a status that means another here
            status = 0 if isinstance(end, SystemExit) and not end.code else _nobody_reads()
        except Exception as error:  # noqa: BLE001 - whatever it is, the user gets one line; --debug shows all
            status = complain(error, debug=DEBUG in said)
        sys.exit(int(status or 0))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - whichever click typer brings
        """Say how it is called."""
        return [self.subcommand_metavar]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the verbs first, then the options that all have."""
        write_verbs(self.commands.values(), formatter)
        write_parameters(self.get_params(ctx), formatter)

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401
        """Run a verb; Ctrl-C ends it with one line, also where a library made another error of it."""
        with raising_interrupts(), noticing_interrupts() as interrupts:
            try:
                status = super().invoke(ctx)
                sys.stdout.flush()
            except BaseException as error:
                if not interrupts.noticed and not isinstance(error, KeyboardInterrupt):
                    raise
                stop = str(error) if isinstance(error, KeyboardInterrupt) else ""
            else:
                return status
        return interrupted(stop)


def interrupted(said: str = "") -> Status:
    """Say in one line that it was interrupted, and what has become of it."""
    typer.echo(f"sidelight: interrupted; {said or 'nothing unfinished is left behind'}", err=True)
    return Status.INTERRUPTED


def note(*notes: str) -> None:
    """Say on standard error what the publisher should know and JSON for others does not hold."""
    for each in notes:
        typer.echo(f"sidelight: note: {each}", err=True)


def _nobody_reads() -> Status:
    """Send the rest nowhere: the reader has left, and the interpreter would complain about it on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Status.COULD_NOT_TELL


def complain(error: Exception, *, debug: bool) -> Status:
    """Say in one line what is wrong."""
    if debug:
        traceback.print_exception(error)
    help_page = type(error).__name__ == "NoArgsIsHelpError"  # whichever click typer brings
    typer.echo(str(error) if help_page else f"sidelight: {_message(error)}", err=True)
    return Status.COULD_NOT_TELL


def _message(error: Exception) -> str:
    if isinstance(error, SidelightError):
        return as_options(" ".join(str(error).splitlines()))
    if hasattr(error, "format_message"):  # a wrong option or argument, whichever click typer brings
        return _usage(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use '{error.filename}': {error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory; give fewer columns or a smaller file"
    kind = type(error).__name__
    return f"this should not have happened ({kind}); run it again with --debug and report what it shows"


_TYPERS_WORDS = {
    r"Value error, ": "",
    r"Input should be a valid integer, unable to parse string as an integer": "give a whole number",
    r"Input should be a valid number, unable to parse string as a number": "give a number",
    r"Input should be greater than or equal to ": "give a number of at least ",
    r"'[^']*' is not a valid integer( range)?": "give a whole number",
    r"'[^']*' is not a valid float( range)?": "give a number",
    r"\S+ is not in the range x>=": "give a number of at least ",
    r"Got unexpected extra argument\S* \((.*)\)": r"cannot tell what '\1' is for",
    r"No such command": "no verb",
    r"No such option:? ": "no option ",
    r"Missing (argument|option) ": r"missing \1 ",
}
"""What typer says of a wrong value, in its older versions and in newer ones, and how we say it."""


def _ours(said: str) -> str:
    for theirs, ours in _TYPERS_WORDS.items():
        said = re.sub(theirs, ours, said)
    return said


def _usage(error: Any) -> str:  # noqa: ANN401
    said = _ours(" ".join(str(error.format_message()).split()))
    command = getattr(error, "ctx", None)
    path = command.command_path if command is not None else "sidelight"
    return f"{said.rstrip('.')}{' See' if said.endswith('?') else '; see'} '{path} --help'"
