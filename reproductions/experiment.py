"""What the reproductions share: where figures and tables go, and how a page of the documentation takes them.

A script makes one `Experiment` and gives it charts and tables.  They are written to `reproductions/out/PAPER/`: each
chart as SVG and PNG, each table as CSV and Markdown.  With `--docs` the charts go to
`docs/reproductions/PAPER-NAME.svg` too, and each table replaces what stands in
`docs/reproductions/PAPER.md` between `<!-- table NAME -->` and
`<!-- end -->`: a page never shows a number that no script made.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt

from sidelight.report.plots import save_chart

HERE = Path(__file__).parent
PAGES = HERE.parent / "docs" / "reproductions"

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One paper's experiments: how large they run, and where their figures and tables go."""

    paper: str
    folder: Path
    quick: bool
    docs: bool

    def figure(self, name: str, chart: alt.TopLevelMixin) -> None:
        """Write a chart as SVG and PNG."""
        files = [self.folder / f"{name}.svg", self.folder / f"{name}.png"]
        if self.docs:
            files.append(PAGES / f"{self.paper}-{name}.svg")
        for file in files:
            save_chart(chart, file, force=True)
        print(f"drew {files[0]}")

    def table(self, name: str, rows: Sequence[Row]) -> None:
        """Write a table as CSV and Markdown, and print it."""
        text = markdown(rows)
        with (self.folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        (self.folder / f"{name}.md").write_text(text, encoding="utf-8")
        print(f"\n{name}\n\n{text}")
        if self.docs:
            page = PAGES / f"{self.paper}.md"
            page.write_text(with_table(page.read_text(encoding="utf-8"), name, text), encoding="utf-8")


def begin(paper: str, description: str | None, arguments: Sequence[str] | None = None) -> Experiment:
    """Read the options that every reproduction has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller: to see that it runs, not to compare")
    parser.add_argument("--docs", action="store_true", help="also renew the figures and tables of the documentation")
    parser.add_argument("--out", type=Path, default=HERE / "out" / paper, help="where figures and tables go")
    options = parser.parse_args(arguments)
    if options.quick and options.docs:
        parser.error("the documentation shows whole runs: leave out --quick")
    options.out.mkdir(parents=True, exist_ok=True)
    return Experiment(paper, options.out, options.quick, options.docs)


def markdown(rows: Sequence[Row]) -> str:
    """A table of Markdown; numbers to the right."""
    columns = list(rows[0])
    rule = ["---:" if all(_is_number(row[column]) for row in rows) else "---" for column in columns]
    lines = [columns, rule, *([_shown(row[column]) for column in columns] for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def with_table(page: str, name: str, text: str) -> str:
    """The page with one of its tables replaced."""
    place = re.compile(rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    replaced, times = place.subn(lambda match: f"{match[1]}\n{text}\n{match[2]}", page)
    if times != 1:
        msg = f"the page has {times} places for the table {name!r}; write <!-- table {name} --> and <!-- end --> once"
        raise ValueError(msg)
    return replaced


def _is_number(cell: object) -> bool:
    return cell is None or isinstance(cell, int | float)


def _shown(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
