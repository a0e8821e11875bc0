"""Drawing for a terminal: a table, sentences, notes, and the verdict in words.

Everything is drawn from the document: no arithmetic here, colour never carries meaning alone, and texts of the data are
never taken for markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from rich.box import SIMPLE_HEAD
from rich.console import JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.report.page import MARKS, Block, Code, Grid, PageSection, Paragraph, Points


def draw_blocks(blocks: Iterable[Block | PageSection], width: int) -> Iterator[RenderableType]:
    """Draw blocks of an answer at most `width` letters wide, without pictures and blanks to fill in."""
    for block in blocks:
        match block:
            case PageSection():
                if block.title:
                    yield Text(block.title, style="bold")
                yield from draw_blocks(block.blocks, width)
                yield from draw_blocks(block.parts, width)
                yield Text()
            case Paragraph():
                if block.verdict is None:
                    lead = Text(f"{block.lead}: " if block.lead else "", style="bold")
                    yield lead.append(block.text, style="not bold dim" if block.emphasis == "quiet" else "not bold")
                    continue
                # the mark and the words are the verdict; colour only repeats it
                style = {"within": "bold green", "not within": "bold red"}.get(block.verdict, "bold")
                first, colon, rest = block.text.partition(":")
                verdict = Text(f"{MARKS[block.verdict]} {first}", style=style)
                yield verdict.append(f"{colon}{rest}", style="not bold default")
            case Points():
                bullets = Table.grid(padding=(0, 1, 0, 0))
                # several findings may bring the same note
                for line in dict.fromkeys(block.lines):
                    bullets.add_row(" •", Text(line))
                yield bullets
            case Grid():
                yield from _split_grid(block, width) if block.repeated else [_draw_grid(block)]
            case Code():
                yield Text(block.text, no_wrap=True)
            case _:
                continue


def _draw_grid(grid: Grid) -> Table:
    title = Text(grid.title) if grid.title else None
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=grid.dense,
        title=title,
        title_justify="left",
        show_header=any(grid.headings),
    )
    for index, heading in enumerate(grid.headings):
        justify: JustifyMethod = "right" if index in grid.figures else "left"
        if grid.dense and index in grid.figures:  # words of headings go below each other, and no figure is broken
            width = max(map(len, [*(row[index] for row in grid.rows), *heading.split()]), default=0)
            table.add_column(heading, justify=justify, min_width=width, max_width=width)
            continue
        table.add_column(heading, justify=justify, overflow="fold", min_width=6 if grid.dense else None)
    for row in grid.rows:
        table.add_row(*(Text(cell, style={"✓": "green", "✗": "bold red"}.get(cell[:1], "")) for cell in row))
    return table


def _split_grid(grid: Grid, width: int) -> Iterator[Table]:
    """Draw a grid of figures; where the terminal is too narrow, it continues below with the first columns repeated.

    Headings may be broken, figures only where not even one more column fits, and no column is left out.
    """
    every = [*zip(grid.headings, zip(*grid.rows, strict=True) if grid.rows else [()] * len(grid.headings), strict=True)]
    repeated, rest = every[: grid.repeated], every[grid.repeated :]
    while rest:
        # Each column is followed by two letters of space, the last one too: hence less than, not at most.
        widths = accumulate(_least_width(*column) + 2 for column in (*repeated, *rest))
        fit = sum(each < width for each in widths) - len(repeated)
        columns = [*repeated, *rest[: max(fit, 1)]]
        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for heading, cells in columns:
            # figures are broken only where not even one more column fits
            least = None if fit < 1 else _least_width(heading, cells)
            table.add_column(Text(heading), justify="right", overflow="fold", min_width=least)
        for row in zip(*(cells for _, cells in columns), strict=True):
            table.add_row(*row)
        yield table
        rest = rest[max(fit, 1) :]


def _least_width(heading: str, cells: Sequence[str]) -> int:
    """Return the least width of a column of figures, whose heading is broken into pieces of about 12 letters."""
    return max(min(len(heading), 12), *map(len, cells), 0)
