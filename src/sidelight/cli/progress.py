"""Progress of what may take long, on standard error, where a person looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sidelight.search.method import Progress as Told
from sidelight.search.method import quiet


@contextmanager
def bar(doing: str) -> Iterator[Told]:
    """Show what is being done and how far it is, where somebody looks at it: `doing` is "trying", for example."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield quiet
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as drawn:
        task = drawn.add_task(doing, total=None)
        yield lambda what, done, total: drawn.update(task, description=f"{doing} {what}", completed=done, total=total)
