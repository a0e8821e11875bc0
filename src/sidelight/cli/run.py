"""How every verb runs and ends: with an exit status, and with one line when something is wrong.

`Output` is where an answer goes: to the terminal, as JSON or for people, and to files.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from enum import IntEnum
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO, TypeVar, cast, get_args, get_origin

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

from sidelight.answers.request import ANSWER, OPTIONS, Force, Request, option, options
from sidelight.errors import NothingSafe, Parameter, SidelightError, did_you_mean, utf8, visible
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
    from sidelight.report.answer import Answer
    from sidelight.report.page import Verdict

RequestT = TypeVar("RequestT", bound=Request)

_WORDS: ContextVar[tuple[str, ...]] = ContextVar("words", default=())
"""The words of the command after `sidelight`."""


OUTPUTS = ("-o", "--output", "--html", "--markdown", "--pdf", "--plot", "-w", "--write")
"""The options that name files to write."""


def _words_by_option() -> Iterator[tuple[str, str]]:
    """Yield each word that is no option, with the one before it: `-o x.csv` and `-o=x.csv` alike."""
    words = _WORDS.get()
    for before, word in zip(("", *words), words, strict=False):
        option, equals, value = word.partition("=") if word.startswith("-") else (before, "=", word)
        if equals:
            yield option, value


def _named_paths() -> Iterator[tuple[str, Path]]:
    """Yield every path on disk that the command names, with the option that names it.

    A word may be a path, `COLUMN=FILE`, or a pattern of names such as `parts-*.csv`.
    """
    for name, value in _words_by_option():
        with suppress(OSError, ValueError):
            candidates = [Path(text) for text in (value, value.partition("=")[2]) if text]
            paths = [path for path in candidates if path.exists() or path.is_symlink() or leads_in_a_circle(path)]
            if not paths and has_magic(value) and Path(value).suffix:
                paths = [Path(file) for file in glob(value)]  # noqa: PTH207 - it may be absolute
            yield from ((name, path) for path in paths)


def named_inputs() -> Iterator[Path]:
    """Return the files that the command names as inputs, whether a verb reads them or not: none is overwritten."""
    return (path for name, path in _named_paths() if name not in OUTPUTS and path.is_file())


def _refuse_pipes() -> None:
    """Raise `SidelightError` for pipes and devices, which may block and cannot be read twice, and for bad names."""
    for word in _WORDS.get():
        if not utf8(word):
            raise SidelightError(f"'{word}' is not UTF-8; rename the file, or write the word in UTF-8")
    for name, value in _words_by_option():
        if not value and name in (*OUTPUTS, "--hierarchies", "--folder"):  # else it would be the current folder
            raise SidelightError(f"the name after {name} is empty; give the name of a file, or of a folder")
    for name, path in _named_paths():
        if leads_in_a_circle(path):
            raise SidelightError(f"'{path}' {IN_A_CIRCLE}; give the name of a file")
        if path.exists() and not (path.is_file() or path.is_dir()):
            what = "give the name of a file" if name in OUTPUTS else "give a file, or - for a table on standard input"
            raise SidelightError(f"'{path}' is a device or a pipe; {what}")


def _refuse_changed_releases() -> None:
    """Raise `SidelightError` for a release that its sidecar does not match, also through a link."""
    for name, path in _named_paths():
        for release in () if name in OUTPUTS else dict.fromkeys((path, real_path(path))):
            if os.path.lexists(release.parent / f"{release.name}{SIDECAR_ENDING}"):
                from sidelight.publish.sidecar import read_checked  # noqa: PLC0415 - few commands are about one

                read_checked(release)


class Status(IntEnum):
    """The exit status."""

    WITHIN_POLICY = 0
    NOT_WITHIN_POLICY = 1
    COULD_NOT_TELL = 2
    INTERRUPTED = 130
    TERMINATED = 143

    @classmethod
    def from_verdict(cls, verdict: Verdict | None) -> Status:
        """Return the status of a verdict; without a limit there is none."""
        statuses = {"could not tell": cls.COULD_NOT_TELL, "not within": cls.NOT_WITHIN_POLICY}
        return statuses.get(verdict or "", cls.WITHIN_POLICY)


def _files_after_dashes(words: Sequence[str]) -> list[str]:
    """Return the words with `./` before those that begin with a hyphen after `--`, as they are files.

    >>> _files_after_dashes(["audit", "--group", "age", "--", "-x.csv"])
    ['audit', '--group', 'age', '--', './-x.csv']
    """
    end = words.index("--") + 1 if "--" in words else len(words)
    return [*words[:end], *(f"./{word}" if word.startswith("-") and word != "-" else word for word in words[end:])]


def run(app: App, arguments: Sequence[str]) -> int:
    """Run a verb, and return its status; an error becomes a status and one line."""
    debug = "--debug" in arguments  # it may stand anywhere
    words = _files_after_dashes([word for word in arguments if word != "--debug"])
    _WORDS.set(tuple(words))
    _WRITTEN.set(())
    SHOW_WAITING.set(show_waiting)
    # a stream that was closed before the program began fails at the first write
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    sys.stderr = cast("TextIO", _LostErrors(sys.stderr or io.StringIO()))
    try:
        _refuse_pipes()
        _refuse_changed_releases()
        _, apps, rest = app.parse_commands(list(words))
        has_verb = rest or apps[-1].default_command is not None
        if not has_verb:  # the help page is no answer, and so an error
            app.help_print(list(words), console=Console(stderr=True))
        return _run_verb(app, words) if has_verb else Status.COULD_NOT_TELL
    except KeyboardInterrupt:  # before a verb began
        return report_interrupt()
    except OSError as error:
        # standard output is full, closed, or a pipe without a reader
        fails = isinstance(error, BrokenPipeError) or (
            error.filename is None and error.errno in (errno.ENOSPC, errno.EBADF)
        )
        return _nobody_reads(error) if fails else complain(error, debug=debug)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets one line; --debug shows all
        return complain(error, debug=debug)


def _run_verb(app: App, words: Sequence[str]) -> int:
    """Run a verb; Ctrl-C ends it with one line, even if a library turns it into another error."""
    with raising_interrupts(), noticing_interrupts() as interrupts:
        try:
            status = int(app(words) or 0)  # help pages return None
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
    """Write one line to standard error."""
    sys.stderr.write(f"sidelight: {visible(' '.join(line.splitlines()))}\n")


def report_interrupt(outcome: str = "", remarks: str = "", *, terminated: bool = False) -> Status:
    """Write one line about an interrupt and its outcome, and return the status."""
    say(f"interrupted; {outcome or 'nothing unfinished is left behind'}{remarks}")
    return Status.TERMINATED if terminated else Status.INTERRUPTED


def _remarks(error: BaseException) -> str:
    """Return the notes of an error, such as that budget was spent anyway."""
    return "".join(f"; {note}" for note in getattr(error, "__notes__", ()))


_WRITTEN: ContextVar[tuple[Path, ...]] = ContextVar("written", default=())
"""The files that were already written when something failed."""


def remember_written(*paths: Path) -> None:
    """Record files that were written, for the messages of later errors."""
    _WRITTEN.set((*_WRITTEN.get(), *paths))


def _nobody_reads(error: OSError) -> Status:
    """Redirect standard output to nowhere, or the interpreter would complain at exit; report files already written."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    written = f"; written already: {', '.join(map(str, _WRITTEN.get()))}" if _WRITTEN.get() else ""
    if written or not isinstance(error, BrokenPipeError):
        say(f"standard output cannot be written: {error.strerror}{written}")
    return Status.COULD_NOT_TELL


class _LostErrors:
    """Standard error that drops its output if it is full or closed, so that the exit status stays right."""

    def __init__(self, stream: TextIO) -> None:
        self._stream: TextIO = stream._stream if isinstance(stream, _LostErrors) else stream

    def write(self, text: str, /) -> int:
        """Write the text, or drop it once writing has failed."""
        with self._lost():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        with self._lost():
            self._stream.flush()

    @contextmanager
    def _lost(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            with suppress(OSError, ValueError):  # else the interpreter would fail at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a stream has
        return getattr(self._stream, name)


def complain(error: Exception, *, debug: bool) -> Status:
    """Write one line about an error, and return the status."""
    if debug:
        sys.stderr.write(visible("".join(traceback.format_exception(error))))
    say(_message(error) + _remarks(error))
    return Status.COULD_NOT_TELL


def _message(error: Exception) -> str:
    if isinstance(error, SidelightError):
        return name_options(error)
    if isinstance(error, CycloptsError):  # a wrong option or argument
        problem = _misspelt_option(error) or _usage(error)
        path = " ".join(("sidelight", *(error.command_chain or ())))
        return f"{problem}{' See' if problem.endswith('?') else '; see'} '{path} --help'"
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use '{error.filename}': {error.strerror}"
    if isinstance(error, FileNotFoundError):
        try:
            Path.cwd()
        except FileNotFoundError:
            return "the working folder is gone; change into another one, and name files by their whole path"
    limits: dict[type[Exception], str] = {
        RecursionError: "something that was given is nested too deeply; check its brackets",
        OverflowError: "a number that was given is too large to compute with; give a smaller one",
        MemoryError: "not enough memory; give fewer columns or a smaller file",
    }
    unknown = (
        f"this should not have happened ({type(error).__name__}); run it again with --debug and report what it shows"
    )
    return next((words for kind, words in limits.items() if isinstance(error, kind)), unknown)


def _misspelt_option(error: CycloptsError) -> str | None:
    """Describe an option that the verb lacks, which may be why another is missing; None if there is none."""
    if getattr(error, "keyword", None) is not None or error.app is None:  # an option that the verb does have
        return None
    at_verb = error.app.default_command is not None
    names = (
        [argument.names for argument in error.app.assemble_argument_collection().filter_by(parse=True)]
        if at_verb
        else [tuple(error.app)]
    )
    known = [name for each in names for name in each]
    words = [*(error.unused_tokens or ())]
    if isinstance(error, UnknownOptionError):
        words.append(error.token.keyword or error.token.value)
    elif isinstance(error, ValidationError):  # a word that was read as a file, because it is no option
        words.append(error.exception_message)
    for word in words:
        option = word.partition("=")[0]
        if option.startswith("-") and option not in ("-", *known):
            return f"no option '{option}'{did_you_mean(option, [name for name in known if name.startswith('--')])}"
    return None


def _usage(error: CycloptsError) -> str:
    """Describe what is wrong with the words of a command, by the type of the error that cyclopts raises."""
    known: Any = error  # whose fields have no types
    problem = f"cannot tell what '{' '.join(error.unused_tokens or ())}' is for"
    match error:
        case UnknownCommandError():
            (verb, *_) = error.unused_tokens or ("",)
            verbs = [each for each in known.app if not each.startswith("-") and known.app[each].show]
            problem = f"no verb '{verb}'{did_you_mean(verb, verbs)}"
        case MissingArgumentError() if known.keyword is not None:
            problem = f"option '{known.keyword}' requires an argument"
        case MissingArgumentError():
            name = known.argument.name
            problem = f"missing {'option' if name.startswith('-') else 'argument'} '{name}'"
        case RepeatArgumentError():
            problem = f"option '{known.token.keyword}' is given twice; give it once"
        case CoercionError():
            kinds = [known.argument.hint, *get_args(known.argument.hint)]
            choices = [repr(choice) for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
            remedy = "it takes none" if bool in kinds else f"give a {'whole number' if int in kinds else 'number'}"
            if choices:
                remedy = f"'{known.token.value}' is not one of {', '.join(choices)}"
            problem = f"invalid value for '{known.argument.name}': {remedy}"
        case ValidationError():
            sign, _, bound = known.exception_message.rstrip(".").removeprefix("Must be ").partition(" ")
            side = "at most" if sign == "<=" else "at least"
            problem = f"invalid value for '{known.argument.name}': give a number of {side} {bound}"
    return problem


# Messages in the words of the command line: `missing="a value"` in Python is `--missing "a value"` here.


def name_options(error: SidelightError) -> str:
    """Return the message of an error with options in place of parameters, and without remarks on Python.

    >>> from sidelight.errors import in_python, parameter
    >>> drop, remark = parameter("missing", "drop"), in_python(", or read a dataframe")
    >>> name_options(SidelightError(f"2 people have no disease; say {drop}{remark}"))
    '2 people have no disease; say --missing "drop"'
    """

    def name_option(parameter: Parameter) -> str:
        return f"{OPTIONS.get(parameter.name, parameter.name)} {parameter.in_shell}".rstrip() if parameter.name else ""

    return " ".join(error.reword(name_option).splitlines())


class PlainConsole(Console):
    """A console that shows terminal escapes in texts instead of executing them."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Render with escapes made visible; only the console's own styles become escapes, later."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text, one_for_one=True), style)


@options(ANSWER)
class Output:
    """Where the answer goes; each verb has some of these options."""

    json: Annotated[bool, option("--json")] = False
    """Print the answer as JSON, and nothing else."""
    output: Annotated[Path | None, option("--output", "-o", metavar="FILE")] = None
    """Also write the JSON to this file."""
    html: Annotated[Path | None, option("--html", metavar="FILE")] = None
    """Also draw the answer as one HTML file, to read and to print."""
    markdown: Annotated[Path | None, option("--markdown", metavar="FILE")] = None
    """Also write the answer as Markdown."""
    pdf: Annotated[Path | None, option("--pdf", metavar="FILE")] = None
    """Also print it to a PDF file, by the system's Chromium."""
    force: Force = False

    @property
    def files(self) -> tuple[Path, ...]:
        """The files to write."""
        return tuple(path for path in (self.output, self.html, self.markdown, self.pdf) if path is not None)

    def refuse(self, inputs: Iterable[Path], *, beside: Sequence[Path] = ()) -> None:
        """Raise `SidelightError`, before any work is done, if a file to write is an input or cannot be written.

        `beside` are other files that are written, such as a release.
        """
        if self.pdf is not None:
            from sidelight.report.render import browser_path  # noqa: PLC0415 - only who asks for a page waits for it

            browser_path()
        refuse_targets((*beside, *self.files), (*inputs, *named_inputs()), force=self.force)

    def answer(
        self,
        ask: Callable[..., Answer[Any]],
        request: RequestT,
        write: Callable[[RequestT], str] | None = None,
        doing: str = "",
        *,
        beside: Sequence[Path] = (),
    ) -> Status:
        """Compute and deliver an answer, or why nothing is within policy, and return the status.

        `write` returns the Python that reproduces the answer.  With `doing` ("trying"), progress is shown, and `ask`
        reports it.  After Ctrl-C there is no answer, as it would be incomplete.
        """
        from sidelight.answers.sources import list_inputs  # noqa: PLC0415 - `--help` is quick

        request.check()
        self.refuse(list_inputs(request), beside=beside)
        try:
            with noticing_interrupts() as interrupts, bar(doing) if doing else nullcontext(quiet) as progress:
                answer = ask(request, progress) if doing else ask(request)
        except NothingSafe as nothing:
            from sidelight.answers.protect import describe_nothing  # noqa: PLC0415 - `--help` is quick

            message = name_options(nothing)
            refusal = describe_nothing(nothing, request, message)
            self.keep(refusal, request, write)
            if self.json:
                sys.stdout.write(refusal.to_json())
            else:
                say(message)
            return Status.NOT_WITHIN_POLICY
        if interrupts.noticed:
            raise KeyboardInterrupt
        self.deliver(answer, request, write)
        for remark in answer.remarks():
            say(remark)
        return Status.from_verdict(answer.verdict)

    def deliver(self, answer: Answer[Any], request: RequestT, write: Callable[[RequestT], str] | None = None) -> None:
        """Print an answer, as JSON or for people, and write the files.

        Private blocks go to the terminal and into no file.  `write` returns the Python that reproduces the answer.
        """
        from sidelight.report.terminal import draw_blocks  # noqa: PLC0415 - `--help` is quick

        console = PlainConsole(highlight=False)
        blocks = tuple(draw_blocks(answer.blocks(), console.width))
        self.keep(answer, request, write)
        if self.json:
            sys.stdout.write(answer.to_json())
            return
        with console.capture() as shown:
            for part in (*blocks, *draw_blocks(answer.private_blocks(), console.width)):
                # the console ignores `no_wrap` of a text, and would break a path or a command
                console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
            for path in self.files:
                console.print(f"Written to {path}", markup=False, soft_wrap=True)
        sys.stdout.write(shown.get())

    def keep(self, answer: Answer[Any], request: RequestT, write: Callable[[RequestT], str] | None) -> None:
        """Write the files, all of them or none."""
        contents: dict[Path, str | bytes] = {} if self.output is None else {self.output: answer.to_json()}
        if self.html is not None or self.markdown is not None or self.pdf is not None:
            from sidelight.answers.recipe import write_command  # noqa: PLC0415 - only who asks for a page waits for it
            from sidelight.report.answer import Recipe  # noqa: PLC0415
            from sidelight.report.render import html_page, markdown_page, pdf_page  # noqa: PLC0415

            python = "" if write is None else write(request)
            page = answer.page(Recipe(commands=(write_command(request, self),), python=python))
            if self.html is not None:
                contents[self.html] = html_page(page)
            if self.markdown is not None:
                contents[self.markdown] = markdown_page(page)
            if self.pdf is not None:
                contents[self.pdf] = pdf_page(html_page(page))
        write_together(contents, force=self.force)
        remember_written(*contents)


@contextmanager
def bar(doing: str) -> Iterator[Progress]:
    """Show a progress bar on a terminal; `doing` is a word such as "trying"."""
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
    """Show on a terminal what the program waits for and for how long, unless another bar is shown."""
    with ExitStack() as shown:
        with suppress(LiveError):
            shown.enter_context(bar("waiting for"))(what, 0, None)
        yield
