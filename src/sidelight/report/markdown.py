"""How does a page go into an issue, a wiki or a repository?  As Markdown: the same blocks, every text escaped.

CommonMark with tables, as GitHub and Pandoc read it.  Pictures are left to HTML: their tables stand here instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidelight.errors import visible
from sidelight.report.page import (
    MARKS,
    Blank,
    Block,
    Code,
    Grid,
    Page,
    PageSection,
    Paragraph,
    Picture,
    Points,
    Quotation,
    Signature,
    SignatureLine,
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$&{}]|^[-+=]|(?<=^\d)[.)](?=\s)|!(?=\[)|(?<=:)/(?=/)|(?<=[Ww]ww)\.|@)")


def markdown_page(page: Page) -> str:
    r"""Write a page as Markdown.

    >>> print(markdown_page(Page("Report", (PageSection("What | was found", (Paragraph("<b>*Flu*</b>"),)),))))
    # Report
    <BLANKLINE>
    ## What \| was found
    <BLANKLINE>
    \<b\>\*Flu\*\</b\>
    <BLANKLINE>
    """
    subtitle = [escape_markdown(page.subtitle)] if page.subtitle else []
    opening = [text for block in page.opening for text in _block(block)]
    sections = [text for section in page.sections for text in _section(section, 2)]
    foot = [escape_markdown(page.foot)] if page.foot else []
    return "\n\n".join([f"# {escape_markdown(page.title)}", *subtitle, *opening, *sections, *foot]) + "\n"


def escape_markdown(text: str) -> str:
    """Write a text so that Markdown and HTML take nothing in it for theirs, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def _section(section: PageSection, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 6)} {escape_markdown(section.title)}"
    for block in section.blocks:
        yield from _block(block)
    for part in section.parts:
        yield from _section(part, level + 1)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            text = (
                f"{escape_markdown(block.lead)}: {escape_markdown(block.text)}"
                if block.lead
                else escape_markdown(block.text)
            )
            mark = f"{MARKS[block.verdict]} " if block.verdict else ""
            yield f"**{mark}{text}**" if block.emphasis in ("answer", "warning") else f"{mark}{text}"
        case Points():
            yield "\n".join(f"- {escape_markdown(line)}" for line in block.lines)
        case Grid():
            yield from _grid(block)
        case Quotation():
            yield f"> {escape_markdown(block.text)}" + (f"\n>\n> {escape_markdown(block.about)}" if block.about else "")
        case Code():
            yield from [escape_markdown(block.title)] if block.title else []
            yield _fence(block)
        case Picture():
            yield escape_markdown(block.description)
            yield from _grid(block.table) if block.table else ()
        case Blank():
            what, by = escape_markdown(block.what), escape_markdown(block.by)
            yield f"{what}\n\n*To be filled in by {by}:* \\_\\_\\_\\_\\_\\_\\_\\_"
        case Signature():
            yield "\n".join(
                f"- **{escape_markdown(_label(line))}**: {escape_markdown(line.text) or EMPTY}" for line in block.lines
            )


EMPTY = r"\_" * 24


def _label(line: SignatureLine) -> str:
    return f"{line.label} ({line.hint})" if line.hint and not line.text else line.label


def _grid(grid: Grid) -> Iterator[str]:
    if grid.title:
        yield escape_markdown(grid.title)
    rule = ["---:" if at in grid.figures else "---" for at in range(len(grid.headings))]
    rows = [[escape_markdown(cell) for cell in row] for row in (grid.headings, *grid.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
    yield "\n".join(lines)
    if grid.omitted:
        yield f"… and {grid.omitted:,} more rows; the JSON document has all."


def _fence(code: Code) -> str:
    """Write the code in a fence that is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", code.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{code.language}\n{visible(code.text).rstrip()}\n{fence}"
