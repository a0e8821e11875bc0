"""How every verb ends: with an exit status, and with one line when something is wrong."""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import IntEnum
from typing import Any, NoReturn, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from sidelight.cli.interrupts import noticing_interrupts, raising_interrupts
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


# ----------------------------------------------------------------------------------------------------
# Messages in the words of the command line: what Python calls `missing="a value"` is `--missing "a value"` here.
# ----------------------------------------------------------------------------------------------------


OPTIONS = {
    "accounting": "--accounting",
    "budget": "--budget",
    "by": "--hierarchies",
    "cells": "--cells",
    "delta": "--delta",
    "domain": "--domain",
    "epsilon": "--epsilon",
    "force": "--force",
    "group": "--group",
    "layout": "--layout",
    "ledger": "--ledger",
    "levels": "--levels",
    "locate": "--locate",
    "method": "--method",
    "missing": "--missing",
    "missing_marks": "--missing-mark",
    "neighbours": "--neighbours",
    "nodes": "--nodes",
    "outside": "--outside",
    "people": "--people",
    "person": "--person",
    "prior": "--prior",
    "quasi": "--group",
    "same_values": "--same-value",
    "sensitive": "--sensitive",
    "suppress": "--suppress",
    "suppressed": "--suppressed",
    "truth": "--truth",
    "utility": "--utility",
    "values": "--values",
    "written_as": "--written-as",
}
"""What each parameter is called on the command line."""

_QUOTED = r"(?<!\w)'[^']*'"  # somebody's own words stay as they are
_IN_PYTHON = r" \(in Python[^()]*(?:\([^()]*\)[^()]*)*\)"
_MAPPING = r"(?P<mapping>\{(?:'(?P<key>[^']*)': '?(?P<held>[^'}]*)'?)?\})"
_PARAMETER = rf"\b(?P<name>{'|'.join(OPTIONS)})=(?:{_MAPPING}|(?P<value>\"[^\"]*\"|'[^']*'|-?[\w.]+))?"
_WORDS = re.compile(f"{_QUOTED}|(?P<python>{_IN_PYTHON})|{_PARAMETER}")


def as_options(message: str) -> str:
    """Say options where a message says parameters, and leave out what is about Python.

    >>> as_options('2 people have no disease; say missing="a value" or missing="drop" (in Python, also a dataframe)')
    '2 people have no disease; say --missing "a value" or --missing "drop"'
    >>> as_options("column 'age=3' is listed twice in group=; list it once")
    "column 'age=3' is listed twice in --group; list it once"
    """
    return _WORDS.sub(_said, message)


def _said(found: re.Match[str]) -> str:
    if found["python"]:
        return ""
    if not found["name"]:
        return found[0]
    option = OPTIONS[found["name"]]
    if found["mapping"]:  # an empty one is '='
        return f"{option} '{found['key'] or ''}={found['held'] or ''}'"
    return f"{option} {found['value']}" if found["value"] else option


# ----------------------------------------------------------------------------------------------------
# Options that belong together: a verb takes them as one thing, and the command line still says them one by one.
# ----------------------------------------------------------------------------------------------------


def spread(verb: Callable[..., int]) -> Callable[..., int]:
    """Let every parameter that is a dataclass of options be those options.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Answer:
    ...     json: bool = False
    ...     force: bool = False
    >>> @spread
    ... def audit(file: str, *, answer: Answer) -> int:
    ...     return len(file) + answer.force
    >>> print(inspect.signature(audit))
    (file: str, *, json: bool = False, force: bool = False)
    >>> audit(file="x.csv", json=False, force=True)
    6
    """
    hints = get_type_hints(verb, include_extras=True)
    bundles = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    given = inspect.signature(verb).parameters.values()
    parameters = [
        option
        for each in given
        for option in (
            _options(bundles[each.name]) if each.name in bundles else [each.replace(annotation=hints[each.name])]
        )
    ]

    @functools.wraps(verb)
    def gathered(**said: Any) -> int:  # noqa: ANN401 - whatever the options are
        for name, bundle in bundles.items():
            said[name] = bundle(**{each.name: said.pop(each.name) for each in fields(bundle)})
        return verb(**said)

    gathered.__annotations__ = {each.name: each.annotation for each in parameters}
    gathered.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return gathered


def _options(bundle: type[Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    for each in fields(bundle):
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name]
        )


# ----------------------------------------------------------------------------------------------------
# Help pages as plain text, in sections, with a word for what to give; nothing is loaded to draw them.
# ----------------------------------------------------------------------------------------------------


class Verb(TyperCommand):
    """A verb whose page says first what it cannot do without."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - whichever click typer brings
        """Say how the verb is called: what is required, then that there are options."""
        needed = [_called(each) for each in self.get_params(ctx) if each.required]
        return [*needed, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the sections."""
        write_parameters(self.get_params(ctx), formatter)


def write_parameters(parameters: Iterable[Any], formatter: Any) -> None:  # noqa: ANN401
    """Write each section of options: how each is called, and what it means."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in parameters:
        if not getattr(each, "hidden", False):
            rows = sections.setdefault(_section(each), [])
            rows.append((_names(each), _meaning(each)))
    for title, rows in sections.items():
        with formatter.section(title):
            formatter.write_dl(rows)


def write_verbs(verbs: Iterable[Any], formatter: Any) -> None:  # noqa: ANN401
    """Write what each verb is for, in full."""
    rows = [(verb.name, " ".join(verb.help.partition("\n\n")[0].split())) for verb in verbs if not verb.hidden]
    with formatter.section("Verbs"):
        formatter.write_dl(rows)


def _section(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return "What to read"
    return getattr(parameter, "rich_help_panel", None) or "Options"


def _called(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    return f"{parameter.opts[0]} {parameter.metavar}"


def _names(parameter: Any) -> str:  # noqa: ANN401
    """Write `-g, --group COLUMN`; names without a short form stand below those that have one."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    short = [name for name in parameter.opts if not name.startswith("--")]
    long = [name for name in parameter.opts if name.startswith("--")]
    indent = "" if short else "    "
    return f"{indent}{', '.join([*short, *long])} {parameter.metavar or ''}".rstrip()


def _meaning(parameter: Any) -> str:  # noqa: ANN401
    default = parameter.default
    told = f" (default: {default})" if default is not None and not isinstance(default, bool) else ""
    return f"{parameter.help or ''}{told}"
