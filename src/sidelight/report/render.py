"""Drawing a page as HTML, Markdown or PDF.

HTML      One file with everything in it.  *Invariants.*  It is at most `MOST_BYTES` long, whatever its content: tables
          and texts are cut, with a note, before pictures are left out.  It asks nothing of any network and runs no
          script; its content security policy forbids both.  Every text is escaped by the template engine; pictures come
          from our own charts and are checked to hold no script.  The same page gives the same bytes.
Markdown  CommonMark with tables, as GitHub and Pandoc read it: the same blocks, every text escaped.  Pictures are left
          to HTML: their tables are here instead.
PDF       The system's Chromium prints the HTML file; nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from sidelight.errors import SidelightError, visible
from sidelight.files import open_private, private_folder
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
    Signature,
)

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_BYTES = 1_000_000

SIZES: tuple[tuple[int, int, bool], ...] = (
    (400, 4000, True),
    (100, 1000, True),
    (40, 400, True),
    (40, 300, False),
    (12, 120, False),
    (4, 60, False),
)
"""How many rows and letters are kept, and whether pictures are: the first that fits is drawn."""


def html_page(page: Page) -> str:
    """Draw a page as one HTML file.

    >>> from sidelight.report.page import Paragraph, PageSection
    >>> text = html_page(Page("Report", (PageSection("What was found", (Paragraph("<script>alert(1)</script>"),)),)))
    >>> "<script" in text, "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    (False, True)
    """
    # tables and texts shrink first and pictures go last, by the order of SIZES
    for rows, letters, pictures in SIZES:
        short = page.shorter(rows, letters, pictures=pictures)
        # too long before any markup: drawing it would only take time
        if short.letters > MOST_BYTES:
            continue
        style = read_template("page.css") + _running(short.running)
        # the content security policy admits these very styles, by their digest, and no others
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        template = _templates().get_template("page.html")
        text = template.render(page=short, style=Markup(style), style_digest=digest)  # noqa: S704 - our own file
        if len(text.encode()) <= MOST_BYTES:
            return text
    raise SidelightError(
        "the page would be longer than 1 MB, however short its tables are; ask about fewer things at once"
    )


def _running(text: str) -> str:
    r"""Print a text at the foot of every page on paper; each of its letters is written by its number.

    >>> _running("a<")
    '@page { @bottom-left { content: "\\000061\\00003c"; } }\n'
    """
    # as CSS escapes, so that no name of a file can end the string or the rule
    letters = "".join(f"\\{ord(letter):06x}" for letter in visible(text))
    return f'@page {{ @bottom-left {{ content: "{letters}"; }} }}\n' if text else ""


def html_within(page: Page, level: int = 2) -> Markup:
    """Draw a page so that it stands in another, which brings the styles; its title is a heading of this level."""
    blocks = _templates().get_template("blocks.html").module
    return Markup(getattr(blocks, "document")(page.shorter(*SIZES[0][:2], pictures=True), level))  # noqa: B009, S704 - a macro of ours


def html_block(block: Block) -> Markup:
    """Draw one block of a page so that it stands in another."""
    return Markup(getattr(_templates().get_template("blocks.html").module, "draw")(block))  # noqa: B009, S704 - a macro of ours


@cache
def _templates() -> Environment:
    import jinja2  # noqa: PLC0415 - only who draws a page waits for it

    environment = jinja2.Environment(
        loader=jinja2.DictLoader({name: read_template(name) for name in ("page.html", "blocks.html")}),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda content: content if isinstance(content, Markup) else visible(str(content)),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["marks"] = MARKS
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["picture"] = picture
    environment.filters["breaking"] = breaking
    return environment


def breaking(cell: str, figures: bool) -> Markup:  # noqa: FBT001 - a filter has no names
    """Return the CSS classes of a cell: where it may be broken, and whether it is a figure."""
    # a SHA-256 is compared letter by letter: in small type, and in one line where there is room
    if re.fullmatch(r"[0-9a-f]{64}", cell):
        return Markup(' class="long digest"')
    # words that are longer than 28 letters are broken; others stay in one piece
    long = any(len(word) > 28 for word in cell.split())
    names = [*(["figure"] if figures else []), *(["long"] if long else ["short"] if len(cell) <= 14 else [])]
    return Markup(' class="{}"').format(" ".join(names)) if names else Markup("")


def picture(block: Picture) -> Markup:
    """Return a chart's SVG as markup; raise where it holds more than a picture.

    Elements and attributes are checked, and no text: a value of a table may have any name.
    """
    shapes = {"svg", "g", "path", "text", "tspan", "rect", "line", "circle"}
    parts = {*shapes, "defs", "clipPath", "linearGradient", "stop"}
    # no document type and no instruction: nothing that a parser would expand or follow
    safe = "<!" not in block.svg and "<?" not in block.svg
    try:
        elements = list(ET.fromstring(block.svg).iter()) if safe else []  # noqa: S314 - nothing is expanded
    except ET.ParseError:
        elements = []
    if not elements or not all(
        isinstance(element.tag, str)
        and element.tag.rpartition("}")[2] in parts
        and not any(name.lower().startswith("on") or name.rpartition("}")[2] == "href" for name in element.attrib)
        for element in elements
    ):
        raise SidelightError(
            "a chart holds more than a picture, and is not put into a page; report what it was drawn from"
        )
    return Markup(block.svg)  # noqa: S704 - checked above


@cache
def read_template(name: str) -> str:
    """Return a file of `templates/`."""
    return files("sidelight.report").joinpath("templates", name).read_text(encoding="utf-8")


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
    """Write a text in one line, with all that Markdown or HTML would interpret escaped."""
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
            lead = f"{escape_markdown(block.lead)}: " if block.lead else ""
            mark = f"{MARKS[block.verdict]} " if block.verdict else ""
            text = f"{mark}{lead}{escape_markdown(block.text)}"
            bold = f"**{text}**"
            yield {"answer": bold, "warning": bold, "quotation": f"> {text}"}.get(block.emphasis, text)
        case Points():
            yield "\n".join(f"- {escape_markdown(line)}" for line in block.lines)
        case Grid():
            yield from _grid(block)
        case Code():
            yield from [escape_markdown(block.title)] if block.title else []
            # longer than any run of backticks inside
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
            yield f"{fence}{block.language}\n{visible(block.text).rstrip()}\n{fence}"
        case Picture():
            yield escape_markdown(block.description)
            yield from _grid(block.table) if block.table else ()
        case Blank():
            what, by = escape_markdown(block.what), escape_markdown(block.by)
            yield f"{what}\n\n*To be filled in by {by}:* \\_\\_\\_\\_\\_\\_\\_\\_"
        case Signature():
            lines = []
            for line in block.lines:
                hint = f" ({line.hint})" if line.hint and not line.text else ""
                blank = escape_markdown(line.text) or r"\_" * 24
                lines.append(f"- **{escape_markdown(line.what + hint)}**: {blank}")
            yield "\n".join(lines)


def _grid(grid: Grid) -> Iterator[str]:
    if grid.title:
        yield escape_markdown(grid.title)
    rule = ["---:" if column in grid.figures else "---" for column in range(len(grid.headings))]
    rows = [[escape_markdown(cell) for cell in row] for row in (grid.headings, *grid.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
    yield "\n".join(lines)
    if grid.omitted:
        yield f"… and {grid.omitted:,} more rows; the JSON document has all."


def pdf_page(html: str) -> bytes:
    """Print an HTML file to PDF."""
    browser = browser_path()
    with private_folder() as folder:
        page, printed = folder / "page.html", folder / "page.pdf"
        with open_private(page) as file:
            file.write(html.encode())
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            # no name resolves, so that the page can fetch nothing
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={printed}",
            # as root Chromium refuses to run with its sandbox
            *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
            page.as_uri(),
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603 - our own words
            return printed.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            reason = type(error).__name__
            raise SidelightError(
                f"'{browser}' could not print the page ({reason}); write --html FILE, and print that by hand"
            ) from None


def browser_path() -> str:
    """Return the path of the system's Chromium; raise, with the alternatives, where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
    browser = next((path for name in names if (path := shutil.which(name)) is not None), None)
    if browser is None:
        raise SidelightError(
            f"--pdf needs a Chromium on this system (one of {', '.join(names)}), and there is none; install one, or "
            "write --html FILE and print that from any browser"
        )
    return browser
