"""Where an answer goes: to the terminal, as JSON or for people, and to a file if asked."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import progress as rich_progress
from rich.console import Console, RenderableType
from rich.text import Text

from sidelight._files import refuse_existing, refuse_input, write_whole
from sidelight._progress import Progress, quiet
from sidelight.report.report import Envelope


@dataclass(frozen=True, slots=True)
class Output:
    """Where the answer goes."""

    as_json: bool = False
    file: Path | None = None
    force: bool = False
    inputs: tuple[Path, ...] = ()  # what is read besides the published files, such as the policy

    def refuse(self, inputs: Iterable[Path]) -> None:
        """Refuse, before any work is done, a place that cannot be written or that something is read from."""
        if self.file is not None:
            refuse_input(self.file, (*self.inputs, *inputs))
            refuse_existing(self.file, force=self.force)

    def write(self, document: Envelope[Any], parts: Iterable[RenderableType]) -> None:
        """Print an answer, as JSON or for people (`parts`), and write the JSON to a file if asked."""
        if self.file is not None:
            write_whole(self.file, document.to_json(), force=self.force)
        if self.as_json:
            sys.stdout.write(document.to_json())
            return
        console = Console(highlight=False)
        with console.capture() as page:
            for part in parts:
                # the console forgets what a text says of itself, and would break a path or a command in two
                console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
            if self.file is not None:
                console.print(f"Written to {self.file}", markup=False, soft_wrap=True)
        sys.stdout.write(page.get())


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
