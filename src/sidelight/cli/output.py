"""Where an answer goes: to the terminal, as JSON or for people, and to a file if asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import progress as rich_progress
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from sidelight._files import refuse_existing, refuse_input, write_together
from sidelight._progress import Progress, quiet
from sidelight._text import visible
from sidelight.cli.answer_page import answer_page
from sidelight.cli.run import command_line
from sidelight.errors import SidelightError
from sidelight.report.page import Page
from sidelight.report.pdf import browser_path
from sidelight.report.report import Envelope


class PlainConsole(Console):
    """A console on which texts are texts: what a cell holds of terminal escapes is shown, and does nothing."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Draw something; only styles of our own become escapes, later."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text, one_for_one=True), style)


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

    def refuse(self, inputs: Iterable[Path]) -> None:
        """Refuse, before any work is done, a place that cannot be written or that something is read from."""
        inputs = (*self.inputs, *inputs)
        if self.pdf is not None:
            browser_path()
        for at, path in enumerate(self.files):
            refuse_input(path, inputs)
            refuse_existing(path, force=self.force)
            if path.resolve() in (other.resolve() for other in self.files[:at]):
                message = f"'{path}' is named twice; give each answer a file of its own"
                raise SidelightError(message)

    def write(
        self,
        document: Envelope[Any],
        parts: Iterable[RenderableType],
        *,
        page: Callable[[], Page] | None = None,
        here_alone: Iterable[RenderableType] = (),
    ) -> None:
        """Print an answer, as JSON or for people (`parts`), and write the files that were asked for.

        `page` lays the answer out for reading and printing; without it, `parts` are taken.  What is drawn `here_alone`
        goes to the terminal and into no file.
        """
        parts = tuple(parts)
        self.keep(document, parts, page)
        if self.as_json:
            sys.stdout.write(document.to_json())
            return
        console = PlainConsole(highlight=False)
        with console.capture() as shown:
            for part in (*parts, *here_alone):
                # the console forgets what a text says of itself, and would break a path or a command in two
                console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
            for path in self.files:
                console.print(f"Written to {path}", markup=False, soft_wrap=True)
        sys.stdout.write(shown.get())

    def keep(
        self, document: Envelope[Any], parts: Iterable[RenderableType], page: Callable[[], Page] | None = None
    ) -> None:
        """Write the files that were asked for: all of them, or none."""
        contents: dict[Path, str | bytes] = {} if self.file is None else {self.file: document.to_json()}
        if self.html is not None or self.markdown is not None or self.pdf is not None:
            contents |= self._drawn(answer_page(document, parts, command_line()) if page is None else page())
        write_together(contents, force=self.force)

    def _drawn(self, page: Page) -> dict[Path, str | bytes]:
        from sidelight.report.html import html_page  # noqa: PLC0415 - only who asks for a page waits for it
        from sidelight.report.markdown import markdown_page  # noqa: PLC0415
        from sidelight.report.pdf import pdf_page  # noqa: PLC0415

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
