"""How does a person read a page in a browser, or on paper?  One HTML file with everything in it, and nothing else.

*Invariants.*  The file is at most `MOST_BYTES` long, whatever it tells of: tables and texts are cut, and say so, before
pictures are left out.  It asks nothing of any network and runs no script; its content security policy forbids both.
Every text is escaped by the template engine; pictures come from our own charts and are checked to hold no script.  The
same page gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from sidelight.errors import SidelightError, visible
from sidelight.report.page import MARKS, Block, Page, Picture

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

PICTURE_PARTS = frozenset(
    ("svg", "g", "path", "text", "tspan", "rect", "line", "circle", "defs", "clipPath", "linearGradient", "stop")
)
"""What a chart's SVG is made of; whatever else there is could be more than a picture."""


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
        text = _render(short)
        if len(text.encode()) <= MOST_BYTES:
            return text
    message = "the page would be longer than 1 MB, however short its tables are; ask about fewer things at once"
    raise SidelightError(message)


def _render(page: Page) -> str:
    style = _file("page.css") + _running(page.running)
    # the content security policy admits these very styles, by their digest, and no others
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return _templates().get_template("page.html").render(page=page, style=Markup(style), style_digest=digest)  # noqa: S704 - our own file


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
        loader=jinja2.DictLoader({name: _file(name) for name in ("page.html", "blocks.html")}),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["marks"] = MARKS
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["picture"] = picture
    environment.filters["breaking"] = breaking
    return environment


def _finalize(content: object) -> object:
    return content if isinstance(content, Markup) else visible(str(content))


LONG_WORD = 28
"""Words that are longer are broken in tables; others stay in one piece."""

SHORT_CELL = 14

DIGEST = re.compile(r"[0-9a-f]{64}")
"""A SHA-256, which is compared letter by letter: in small type, and in one line where there is room."""


def breaking(cell: str, figures: bool) -> Markup:  # noqa: FBT001 - a filter has no names
    """Return where a cell may be broken, and that it is one of figures."""
    if DIGEST.fullmatch(cell):
        return Markup(' class="long digest"')
    long = any(len(word) > LONG_WORD for word in cell.split())
    names = [*(["figure"] if figures else []), *(["long"] if long else ["short"] if len(cell) <= SHORT_CELL else [])]
    return Markup(' class="{}"').format(" ".join(names)) if names else Markup("")


def picture(block: Picture) -> Markup:
    """Return a chart's SVG as markup; refuse one that holds more than a picture."""
    if not _only_a_picture(block.svg):
        message = "a chart holds more than a picture, and is not put into a page; report what it was drawn from"
        raise SidelightError(message)
    return Markup(block.svg)  # noqa: S704 - checked above


def _only_a_picture(svg: str) -> bool:
    """Look at elements and attributes, and at no text: a value of a table may be called anything."""
    # no document type and no instruction: nothing that a parser would expand or follow
    if "<!" in svg or "<?" in svg:
        return False
    try:
        elements = list(ET.fromstring(svg).iter())  # noqa: S314 - without a document type nothing is expanded
    except ET.ParseError:
        return False
    return all(
        isinstance(element.tag, str)
        and element.tag.rpartition("}")[2] in PICTURE_PARTS
        and not any(name.lower().startswith("on") or name.rpartition("}")[2] == "href" for name in element.attrib)
        for element in elements
    )


@cache
def _file(name: str) -> str:
    return files("sidelight.report").joinpath("templates", name).read_text(encoding="utf-8")
