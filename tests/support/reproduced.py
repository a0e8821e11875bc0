"""What a page about a paper's experiments says, in its tables and in words."""

import re
from pathlib import Path

from support.words import mentions

PAGES = Path(__file__).parents[2] / "docs" / "reproductions"


def words_of(paper):
    """The page on one line."""
    return " ".join((PAGES / f"{paper}.md").read_text(encoding="utf-8").split())


def says(page, *parts):
    """Return whether one sentence of a page mentions all parts in this order."""
    return any(mentions(sentence, *parts) for sentence in re.split(r"(?<=\.) ", page))


def table_text(paper, name):
    """A table of the page as its script wrote it."""
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    return re.search(rf"<!-- table {name} -->\n+(.*?)\n*<!-- end -->", page, re.DOTALL)[1] + "\n"


def table_rows(paper, name):
    """The rows of a table of the page, heading → cell."""
    heading, _, *rows = (
        [cell.strip() for cell in line[2:-2].split(" | ")] for line in table_text(paper, name).splitlines()
    )
    return [dict(zip(heading, row, strict=True)) for row in rows]
