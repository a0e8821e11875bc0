"""How every verb runs and ends: with an exit status, and with one line when something is wrong.

Below: where an answer goes (`Output`): to the terminal, as JSON or for people, and to files if asked.
"""

from __future__ import annotations

import errno
import io
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import IntEnum
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast, get_args, get_origin

from cyclopts import App, CycloptsError
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    ValidationError,
)
from rich import progress as rich_progress
from rich.console import Console, ConsoleOptions, RenderableType
from rich.errors import LiveError
from rich.segment import Segment
from rich.text import Text

from sidelight.errors import BadHierarchy, Parameter, SidelightError, did_you_mean, utf8, visible
from sidelight.files import (
    IN_A_CIRCLE,
    SIDECAR_ENDING,
    leads_in_a_circle,
    real_path,
    refuse_targets,
    write_together,
)
from sidelight.interrupts import noticing_interrupts, raising_interrupts
from sidelight.progress import SHOW_WAITING, Progress, quiet

if TYPE_CHECKING:
    from sidelight.answers.request import Request
    from sidelight.report.answer import Answer
    from sidelight.report.page import Page, Verdict

DEBUG = "--debug"

_WORDS: ContextVar[tuple[str, ...]] = ContextVar("words", default=())
"""What was typed after `sidelight`."""


NAMES_SOMEBODY = ("--who",)
"""The options that name a person by an identifier, which no document repeats."""


def command_line() -> str:
    """Return the command that is being run, to be typed again, for documents: whom it names is not repeated there."""
    return shlex.join(("sidelight", *_without_names(_WORDS.get())))


def _without_names(words: Sequence[str]) -> Iterator[str]:
    """Write … for a person's name.

    >>> list(_without_names(["attack", "one.csv", "--who", "Ann", "--who=Ann"]))
    ['attack', 'one.csv', '--who', '…', '--who=…']
    """
    for before, word in zip(("", *words), words, strict=False):
        option = word.partition("=")[0]
        named = f"{option}=…" if option in NAMES_SOMEBODY and option != word else word
        yield "…" if before in NAMES_SOMEBODY else named


OUTPUTS = ("-o", "--output", "--html", "--markdown", "--pdf", "--plot", "-w", "--write")
"""The options that name what is written."""


FOLDERS = ("--hierarchies", "--folder")
"""The options that name a folder, besides those of what is written."""


def _words_by_option() -> Iterator[tuple[str, str]]:
    """Give each word that is no option, with what stands before it: `-o x.csv` and `-o=x.csv` alike."""
    words = _WORDS.get()
    for before, word in zip(("", *words), words, strict=False):
        option, equals, value = word.partition("=") if word.startswith("-") else (before, "=", word)
        if equals:
            yield option, value


def _named_places() -> Iterator[tuple[str, Path]]:
    """Give every place on disk that the command names, with the option that names it; other words are none.

    A word may be a place, `COLUMN=FILE`, or a pattern of names such as `parts-*.csv`.
    """
    for option, value in _words_by_option():
        with suppress(OSError, ValueError):
            places = [Path(each) for each in (value, value.partition("=")[2]) if each]
            there = [each for each in places if each.exists() or each.is_symlink() or leads_in_a_circle(each)]
            if not there and has_magic(value) and Path(value).suffix:
                there = [Path(each) for each in glob(value)]  # noqa: PTH207 - it may be absolute
            yield from ((option, each) for each in there)


def named_inputs() -> Iterator[Path]:
    """Give every file that the command names and does not write: whatever a verb reads of it, nothing is put there."""
    return (path for option, path in _named_places() if option not in OUTPUTS and path.is_file())


def _refuse_pipes() -> None:
    """Refuse pipes and devices: whoever opens one may wait for ever, and none can be read twice; and strange names."""
    for word in _WORDS.get():
        if not utf8(word):
            message = f"'{word}' is not UTF-8; rename the file, or write the word in UTF-8"
            raise SidelightError(message)
    for option, value in _words_by_option():
        if not value and option in (*OUTPUTS, *FOLDERS):  # else it would be the current folder
            message = f"the name after {option} is empty; give the name of a file, or of a folder"
            raise SidelightError(message)
    for option, path in _named_places():
        if leads_in_a_circle(path):
            message = f"'{path}' {IN_A_CIRCLE}; give the name of a file"
            raise SidelightError(message)
        if path.exists() and not (path.is_file() or path.is_dir()):
            what = "give the name of a file" if option in OUTPUTS else "give a file, or - for a table on standard input"
            message = f"'{path}' is a device or a pipe; {what}"
            raise SidelightError(message)


def _refuse_changed_releases() -> None:
    """Refuse a release that is not the file that its sidecar tells of, whatever it is read as, and through any link."""
    for option, path in _named_places():
        for release in () if option in OUTPUTS else dict.fromkeys((path, real_path(path))):
            if os.path.lexists(release.parent / f"{release.name}{SIDECAR_ENDING}"):
                from sidelight.publish.sidecar import read_checked  # noqa: PLC0415 - few commands are about one

                read_checked(release)


class Status(IntEnum):
    """The exit status: scripts rely on it."""

    WITHIN_POLICY = 0
    NOT_WITHIN_POLICY = 1
    COULD_NOT_TELL = 2
    INTERRUPTED = 130
    TERMINATED = 143

    @classmethod
    def from_verdict(cls, verdict: Verdict | None) -> Status:
        """Return the status of an answer; where nothing was judged, nothing is broken."""
        if verdict == "could not tell":
            return cls.COULD_NOT_TELL
        return cls.NOT_WITHIN_POLICY if verdict == "not within" else cls.WITHIN_POLICY


def _files_after_dashes(words: Sequence[str]) -> list[str]:
    """Let `--` end the options: what begins with a hyphen after it is the name of a file.

    >>> _files_after_dashes(["audit", "--group", "age", "--", "-x.csv"])
    ['audit', '--group', 'age', '--', './-x.csv']
    """
    end = words.index("--") + 1 if "--" in words else len(words)
    return [*words[:end], *(f"./{word}" if word.startswith("-") and word != "-" else word for word in words[end:])]


def run(app: App, arguments: Sequence[str]) -> int:
    """Run a verb, which returns a status or raises: in any case a status comes back, with at most one line."""
    words = _files_after_dashes([word for word in arguments if word != DEBUG])  # it may stand anywhere
    _WORDS.set(tuple(words))
    _WRITTEN.set(())
    SHOW_WAITING.set(show_waiting)
    sys.stdout = sys.stdout or _ClosedOutput()
    sys.stderr = cast("TextIO", _LostErrors(sys.stderr or io.StringIO()))
    try:
        _refuse_pipes()
        _refuse_changed_releases()
        return _run_verb(app, words) if _names_a_verb(app, words) else _show_help(app, words)
    except KeyboardInterrupt:  # before a verb began
        return report_interrupt()
    except OSError as error:
        return _nobody_reads(error) if _stdout_fails(error) else complain(error, debug=DEBUG in arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets one line; --debug shows all
        return complain(error, debug=DEBUG in arguments)


def _names_a_verb(app: App, words: Sequence[str]) -> bool:
    """Whether words say what to do: nothing does not, nor does the beginning of a verb of two words."""
    _, apps, rest = app.parse_commands(list(words))
    return bool(rest) or apps[-1].default_command is not None


def _show_help(app: App, words: Sequence[str]) -> Status:
    """Without a verb nothing was judged: the help page is no answer, and so goes to standard error."""
    from rich.console import Console  # noqa: PLC0415 - only here

    app.help_print(list(words), console=Console(stderr=True))
    return Status.COULD_NOT_TELL


def _run_verb(app: App, words: Sequence[str]) -> int:
    """Run a verb; Ctrl-C ends it with one line, also where a library made another error of it."""
    with raising_interrupts(), noticing_interrupts() as interrupts:
        try:
            status = int(app(words) or 0)  # help pages give nothing back
            sys.stdout.flush()
        except BaseException as error:
            if not interrupts.noticed and not isinstance(error, KeyboardInterrupt):
                raise
            outcome = str(error) if isinstance(error, KeyboardInterrupt) else ""
            remarks = _remarks(error)
        else:
            return status
    return report_interrupt(outcome, remarks, terminated=interrupts.terminated)


def say(line: str) -> None:
    """Say one line on standard error."""
    sys.stderr.write(f"sidelight: {visible(' '.join(line.splitlines()))}\n")


def report_interrupt(outcome: str = "", remarks: str = "", *, terminated: bool = False) -> Status:
    """Say in one line that it was interrupted, and what has become of it."""
    say(f"interrupted; {outcome or 'nothing unfinished is left behind'}{remarks}")
    return Status.TERMINATED if terminated else Status.INTERRUPTED


def _remarks(error: BaseException) -> str:
    """Return what was noted on an error on its way, such as that budget is spent all the same."""
    return "".join(f"; {note}" for note in getattr(error, "__notes__", ()))


_WRITTEN: ContextVar[tuple[Path, ...]] = ContextVar("written", default=())
"""The files that stand there already, whatever becomes of the rest."""


def remember_written(*paths: Path) -> None:
    """Let whatever fails from now on say that these files are there all the same."""
    _WRITTEN.set((*_WRITTEN.get(), *paths))


def _stdout_fails(error: OSError) -> bool:
    """Return whether standard output is full, closed or read by nobody."""
    return isinstance(error, BrokenPipeError) or (error.filename is None and error.errno in (errno.ENOSPC, errno.EBADF))


def _nobody_reads(error: OSError) -> Status:
    """Send the rest nowhere: the interpreter would complain about it on its way out."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    written = f"; written already: {', '.join(map(str, _WRITTEN.get()))}" if _WRITTEN.get() else ""
    if written or not isinstance(error, BrokenPipeError):
        say(f"standard output cannot be written: {error.strerror}{written}")
    return Status.COULD_NOT_TELL


class _ClosedOutput(io.StringIO):
    """Standard output that was closed before the program began: what is written to it fails as it would."""

    def write(self, text: str, /) -> int:
        """Fail."""
        del text
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


class _LostErrors:
    """Standard error that may be full or closed: what is said there is lost then, and the exit status stays true."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream.stream if isinstance(stream, _LostErrors) else stream

    @property
    def stream(self) -> TextIO:
        return self._stream

    def write(self, text: str, /) -> int:
        """Write, or, from when that fails, send all of it nowhere."""
        with self._lost():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is left."""
        with self._lost():
            self._stream.flush()

    @contextmanager
    def _lost(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            with suppress(OSError, ValueError):  # else the interpreter would fail with it on its way out
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a stream has
        return getattr(self._stream, name)


def complain(error: Exception, *, debug: bool) -> Status:
    """Say in one line what is wrong."""
    if debug:
        sys.stderr.write(visible("".join(traceback.format_exception(error))))
    say(_message(error) + _remarks(error))
    return Status.COULD_NOT_TELL


def _message(error: Exception) -> str:
    if isinstance(error, SidelightError):
        return in_options(error)
    if isinstance(error, CycloptsError):  # a wrong option or argument
        return _usage(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use '{error.filename}': {error.strerror}"
    if isinstance(error, FileNotFoundError) and _folder_is_gone():
        return "the working folder is gone; change into another one, and name files by their whole path"
    limit = next((words for kind, words in _LIMITS.items() if isinstance(error, kind)), None)
    unknown = (
        f"this should not have happened ({type(error).__name__}); run it again with --debug and report what it shows"
    )
    return limit or unknown


def _folder_is_gone() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


_LIMITS: dict[type[Exception], str] = {
    RecursionError: "something that was given is nested too deeply; check its brackets",
    OverflowError: "a number that was given is too large to compute with; give a smaller one",
    MemoryError: "not enough memory; give fewer columns or a smaller file",
}
"""What is said where the computer has come to its limits."""


# What is wrong with the words of a command, by the type of the error that cyclopts raises.


def _usage(error: CycloptsError) -> str:
    problem = _misspelt_option(error) or next(
        (describe(error) for kind, describe in _PROBLEMS if isinstance(error, kind)), None
    )
    if problem is None:
        problem = f"cannot tell what '{' '.join(error.unused_tokens or ())}' is for"
    path = " ".join(("sidelight", *(error.command_chain or ())))
    return f"{problem}{' See' if problem.endswith('?') else '; see'} '{path} --help'"


def _misspelt_option(error: CycloptsError) -> str | None:
    """Name an option that the verb does not have first: what else is missing may only be so because of it."""
    if getattr(error, "keyword", None) is not None or error.app is None:  # an option that the verb does have
        return None
    at_verb = error.app.default_command is not None
    names = [argument.names for argument in error.app.assemble_argument_collection()] if at_verb else [tuple(error.app)]
    known = [name for each in names for name in each]
    for word in (*(error.unused_tokens or ()), *_taken_for_options(error)):
        option = word.partition("=")[0]
        if option.startswith("-") and option not in ("-", *known):
            return f"no option '{option}'{did_you_mean(option, [name for name in known if name.startswith('--')])}"
    return None


def _taken_for_options(error: CycloptsError) -> list[str]:
    """Return the word that was no option, or that was taken for a file because it is none."""
    if isinstance(error, UnknownOptionError):
        return [error.token.keyword or error.token.value]
    return [error.exception_message] if isinstance(error, ValidationError) else []


def _unknown_verb(error: Any) -> str:  # noqa: ANN401 - an UnknownCommandError, which has no types
    (verb, *_) = error.unused_tokens or ("",)
    verbs = [name for name in error.app if not name.startswith("-") and error.app[name].show]
    return f"no verb '{verb}'{did_you_mean(verb, verbs)}"


def _missing(error: Any) -> str:  # noqa: ANN401
    if error.keyword is not None:
        return f"option '{error.keyword}' requires an argument"
    kind = "option" if error.argument.name.startswith("-") else "argument"
    return f"missing {kind} '{error.argument.name}'"


def _repeated(error: Any) -> str:  # noqa: ANN401
    return f"option '{error.token.keyword}' is given twice; give it once"


def _invalid(error: Any) -> str:  # noqa: ANN401
    kinds = [error.argument.hint, *get_args(error.argument.hint)]
    choices = [repr(choice) for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    if choices:
        remedy = f"'{error.token.value}' is not one of {', '.join(choices)}"
    elif bool in kinds:
        remedy = "it takes none"
    else:
        remedy = "give a whole number" if int in kinds else "give a number"
    return f"invalid value for '{error.argument.name}': {remedy}"


def _out_of_range(error: Any) -> str:  # noqa: ANN401
    sign, _, bound = error.exception_message.rstrip(".").removeprefix("Must be ").partition(" ")
    side = "at most" if sign == "<=" else "at least"
    return f"invalid value for '{error.argument.name}': give a number of {side} {bound}"


_PROBLEMS: tuple[tuple[type[CycloptsError], Callable[[Any], str]], ...] = (
    (UnknownCommandError, _unknown_verb),
    (MissingArgumentError, _missing),
    (RepeatArgumentError, _repeated),
    (CoercionError, _invalid),
    (ValidationError, _out_of_range),
)


# Messages in the words of the command line: what Python calls `missing="a value"` is `--missing "a value"` here.

OPTIONS = {
    "accounting": "--accounting",
    "by": "--hierarchies",
    "cells": "--cells",
    "chance": "--chance",
    "conditions": "--conditions",
    "delta": "--delta",
    "domain": "--domain",
    "encoding": "--encoding",
    "engine": "--engine",
    "epsilon": "--epsilon",
    "evidence": "--evidence",
    "false_alarms": "--false-alarms",
    "force": "--force",
    "group": "--group",
    "kinds": "--kind",
    "keep": "--keep",
    "layout": "--layout",
    "ledger": "--ledger",
    "levels": "--levels",
    "locate": "--locate",
    "master": "--master",
    "memory": "--memory",
    "method": "--method",
    "table": "--table",
    "missing": "--missing",
    "model": "--model",
    "missing_marks": "--missing-mark",
    "neighbours": "--neighbours",
    "nodes": "--nodes",
    "outline": "--outline",
    "outside": "--outside",
    "overlap": "--overlap",
    "methods": "--method",
    "repetitions": "--repetitions",
    "resists": "--resists",
    "ask": "--ask",
    "quiet_method": "--quiet-method",
    "residents": "--residents",
    "people": "--people",
    "people_at_most": "--people-at-most",
    "person": "--person",
    "population": "--population",
    "present": "--present",
    "prior": "--prior",
    "quasi": "--group",
    "queries": "--query",
    "roster": "--table",
    "rows_per_person": "--rows-per-person",
    "rho": "--rho",
    "samples": "--samples",
    "same_values": "--same-value",
    "seconds": "--seconds",
    "sensitive": "--sensitive",
    "sensitive_level": "--sensitive-level",
    "sheet": "--sheet",
    "split": "--split",
    "states": "--states",
    "suppress": "--suppress",
    "suppressed": "--suppressed",
    "tables": "--others",
    "truth": "--truth",
    "up_to": "--up-to",
    "utility": "--utility",
    "vagueness": "--vagueness",
    "values": "--values",
    "weight": "--weight",
    "values_per_person": "--values-per-person",
    "written_as": "--written-as",
}
"""What each parameter is called on the command line."""


def in_options(error: SidelightError) -> str:
    """Say the message of an error with options where it names parameters, and without what concerns Python only.

    >>> from sidelight.errors import in_python, parameter
    >>> drop, remark = parameter("missing", "drop"), in_python(", or read a dataframe")
    >>> in_options(SidelightError(f"2 people have no disease; say {drop}{remark}"))
    '2 people have no disease; say --missing "drop"'
    """
    return " ".join(error.reword(_option).splitlines())


def _option(parameter: Parameter) -> str:
    if not parameter.name:
        return ""
    option = OPTIONS.get(parameter.name, parameter.name)
    return f"{option} {parameter.in_shell}".rstrip()


class PlainConsole(Console):
    """A console on which texts are texts: what a cell holds of terminal escapes is shown, and does nothing."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Draw something; only styles of our own become escapes, later."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text, one_for_one=True), style)


def make_folder(folder: Path, option: str) -> None:
    """Make a folder, or say which option names another."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        message = f"cannot make the folder '{folder}': {problem.strerror}; name another with {option}"
        raise BadHierarchy(message) from None


@dataclass(frozen=True, slots=True)
class Output:
    """Where the answer goes."""

    as_json: bool = False
    file: Path | None = None
    force: bool = False
    inputs: tuple[Path, ...] = ()  # what is read besides the published files, such as the policy
    html: Path | None = None
    markdown: Path | None = None
    pdf: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are written."""
        return tuple(path for path in (self.file, self.html, self.markdown, self.pdf) if path is not None)

    def refuse(self, inputs: Iterable[Path], *, beside: Sequence[Path] = ()) -> None:
        """Refuse, before any work is done, a place that cannot be written or that something is read from.

        What is written `beside` the answer, such as a release, is among the places.
        """
        if self.pdf is not None:
            from sidelight.report.render import browser_path  # noqa: PLC0415 - only who asks for a page waits for it

            browser_path()
        refuse_targets((*beside, *self.files), (*self.inputs, *inputs, *named_inputs()), force=self.force)

    def deliver(self, answer: Answer[Any], request: Request) -> None:
        """Print an answer, as JSON or for people, and write the files that were asked for.

        Its private blocks go to the terminal and into no file.
        """
        from sidelight.report.terminal import draw_blocks  # noqa: PLC0415 - `--help` is quick

        blocks = tuple(draw_blocks(answer.blocks()))
        self.keep(answer, request)
        if self.as_json:
            sys.stdout.write(answer.to_json())
            return
        console = PlainConsole(highlight=False)
        with console.capture() as shown:
            for part in (*blocks, *draw_blocks(answer.private_blocks())):
                # the console forgets what a text says of itself, and would break a path or a command in two
                console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
            for path in self.files:
                console.print(f"Written to {path}", markup=False, soft_wrap=True)
        sys.stdout.write(shown.get())

    def keep(self, answer: Answer[Any], request: Request) -> None:
        """Write the files that were asked for: all of them, or none."""
        contents: dict[Path, str | bytes] = {} if self.file is None else {self.file: answer.to_json()}
        if self.html is not None or self.markdown is not None or self.pdf is not None:
            from sidelight.report.answer import Recipe  # noqa: PLC0415 - only who asks for a page waits for it

            contents |= self._drawn(answer.page(Recipe(command_line(), request.python())))
        write_together(contents, force=self.force)
        remember_written(*contents)

    def _drawn(self, page: Page) -> dict[Path, str | bytes]:
        from sidelight.report.render import html_page, markdown_page, pdf_page  # noqa: PLC0415 - only who asks waits

        drawings: tuple[tuple[Path | None, Callable[[Page], str | bytes]], ...] = (
            (self.html, html_page),
            (self.markdown, markdown_page),
            (self.pdf, lambda page: pdf_page(html_page(page))),
        )
        return {path: drawn(page) for path, drawn in drawings if path is not None}


@contextmanager
def bar(doing: str) -> Iterator[Progress]:
    """Show what is being done and how far it is, where somebody looks at it: `doing` is "trying", for example."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield quiet
        return
    columns = (
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
    )
    with rich_progress.Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(doing, total=None)
        yield lambda what, done, total: shown.update(task, description=f"{doing} {what}", completed=done, total=total)


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """Show what is waited for, and for how long, where somebody looks at it and no other bar is shown."""
    with ExitStack() as shown:
        with suppress(LiveError):
            shown.enter_context(bar("waiting for"))(what, 0, None)
        yield
