"""Draw a chart of each part of RESULTS.md, and put the promises beside what was measured into the documentation.

    python benchmarks/charts.py            all charts, and the tables of docs/understand/how-fast.md

A dot for each contestant on a logarithmic axis, a line at the baseline and at each promise about that column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from promises import PROMISES, Promise
from results import Grid, Part, number, read_parts

from sidelight.report.plots import BLUE, GREY, VERMILION, TableBehind, altair, finish_chart, save_chart

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "understand" / "how-fast.md"
PICTURES = DOCS / "pictures" / "bench"


@dataclass(frozen=True)
class Picture:
    """Which column of a part is drawn, and what its figures are."""

    part: str
    column: str
    unit: str
    place: int = 0
    rows: str = ""
    grid: int = 0
    named: int = 1  # so many cells name a contestant
    inside: str = ""  # where a cell has several numbers, which
    baseline: float | None = 1.0


GROUP_BY = "times the bare GROUP BY"
PICTURES_DRAWN = (
    Picture("peers", "times as long", "times as long as ours, in processor time", named=2),
    Picture("audit", "ratio", GROUP_BY, rows="bare|read_release"),
    Picture("population", "ratio", f"{GROUP_BY} of the register, in processor time", place=1),
    Picture("columns", "ratio", f"{GROUP_BY} of all columns", rows="bare|read_table"),
    Picture("scale", "ratio", GROUP_BY, rows=".*(audit|GROUP BY|mondrian)", named=2),
    Picture("attack", "against the GROUP BY", GROUP_BY),
    Picture("locate", "against the GROUP BY", "times the GROUP BY as Sidelight reads"),
    Picture("load", "p95 ms", "milliseconds, of 95 % at most", baseline=None),
    Picture("search", "ms", "milliseconds of processor time", baseline=None),
    Picture("mondrian", "µs a person", "µs a person", baseline=None),
    Picture("tight limits", "against group size ≥ 5", "times Mondrian for group size ≥ 5"),
    Picture("incremental", "ratio", "times judging from scratch"),
    Picture("insider", "CPU s", "seconds of processor time", baseline=None),
    Picture("learner", "CPU s", "seconds of processor time", baseline=None),
    Picture("maximum entropy", "CPU s", "seconds of processor time", baseline=None, rows="(?!.*peak)"),
    Picture("prior belief", "ratio", "times the groupings alone"),
    Picture("generalisation table", "ratio", "times the groupings alone"),
    Picture("lattice", "ratio", "times grouping anew"),
    Picture("classic measures", "ratio", "times sorting the counts"),
    Picture("lattice on disk", "CPU s", "seconds of processor time", baseline=None),
    Picture("facts", "single, ms (times the baseline)", "times a look at all groups", named=2, inside=r"\((.+)\)"),
    Picture("worst case: implications", "times the GROUP BY of 5 million records", GROUP_BY, named=2),
    Picture("worst case: acquaintance", "times the GROUP BY of 5 million records", GROUP_BY, named=2),
    Picture("engines", "CPU s of this process", "seconds of processor time", baseline=None),
    Picture("spark", "CPU s", "seconds of processor time", named=2, baseline=None),
    Picture("workers", "n = 100", "seconds with 100 workers, simulated", named=2, baseline=None),
    Picture("Answers from noisy counts", "total", "people that the total is off", baseline=None),
    Picture("audit of noise", "of the promise", "of the promised ε was shown", rows="(?!found cells)"),
    Picture(
        "the page: from a slider to its effect on the screen", "Skyline: other people", "milliseconds", baseline=None
    ),
)


def file_name(part: str) -> str:
    """How the picture of a part is called."""
    return re.sub(r"[^a-z]+", "-", part.partition(" from ")[0].lower()).strip("-") + ".svg"


def points(picture: Picture, grid: Grid) -> list[tuple[str, float]]:
    """Contestants and their figures; rows without one are left out, as a logarithm leaves out 0."""
    places = [at for at, name in enumerate(grid.columns) if name == picture.column]
    drawn = []
    for row in grid.rows:
        cell = row[places[picture.place]] if len(row) > places[picture.place] else ""
        chosen = re.search(picture.inside, cell) if picture.inside else None
        value = number(chosen[1] if chosen else cell)
        name = ", ".join(row[: picture.named])
        if value and value > 0 and re.match(picture.rows, name):
            drawn.append((name, value))
    return drawn


def bounds(picture: Picture) -> list[Promise]:
    """The promises about the column that is drawn."""
    return [
        each
        for each in PROMISES
        if (each.part, each.column, each.place) == (picture.part, picture.column, picture.place) and not each.against
    ]


def chart_of(picture: Picture, part: Part) -> object:
    """Draw one part."""
    alt = altair()
    drawn = points(picture, part.grids[picture.grid])
    rows = [{"contestant": short(name), "value": value, "at": at} for at, (name, value) in enumerate(drawn)]
    width = 430
    across = alt.X("value:Q", scale=alt.Scale(type="log", nice=True), title=picture.unit)
    down = alt.Y("contestant:N", sort=None, title=None, axis=alt.Axis(labelLimit=400))
    dots = alt.Chart(alt.Data(values=rows)).mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(across, down)
    words = (
        alt.Chart(alt.Data(values=rows))
        .mark_text(align="left", color=GREY)
        .encode(down, x=alt.value(width + 8), text=alt.Text("value:Q", format=".3~g"))
    )
    lines = {each.bound for each in bounds(picture)}
    marks = [_line(alt, value, VERMILION, [4, 3]) for value in sorted(lines)]
    if picture.baseline:
        marks.insert(0, _line(alt, picture.baseline, GREY, [1, 0]))
    low, high = min(value for _, value in drawn), max(value for _, value in drawn)
    title = f"{part.name[0].upper()}{part.name.partition(': from')[0][1:]}: {low:,.3g} to {high:,.3g} {picture.unit}"
    promised = ", ".join(sorted({f"{'at least' if p.at_least else 'at most'} {p.bound:g}" for p in bounds(picture)}))
    return finish_chart(
        alt.layer(*marks, dots, words).properties(width=width, height=alt.Step(19)),
        title=title,
        subtitle=f"Dashed: promised, {promised}" if promised else "",
        table=TableBehind(("contestant", picture.unit), tuple(drawn)),
    )


def _line(alt: object, value: float, colour: str, dash: Sequence[int]) -> object:
    data = alt.Data(values=[{"value": value}])
    return alt.Chart(data).mark_rule(color=colour, strokeDash=list(dash), strokeWidth=1.5).encode(x="value:Q")


def short(name: str) -> str:
    """A contestant's name without the counts in brackets that tell what it found."""
    return re.sub(r" \([\d,.]+ [^)]*\)$", "", name).replace("`", "")


def draw(*names: str) -> None:
    """Draw these parts, or all, and renew the tables of the page."""
    parts = read_parts()
    PICTURES.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES_DRAWN:
        if picture.part in parts and (not names or picture.part in names):
            save_chart(chart_of(picture, parts[picture.part]), PICTURES / file_name(picture.part), force=True)
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), parts), encoding="utf-8")


def renewed(page: str, parts: Mapping[str, Part]) -> str:
    """The page with its tables and pictures as RESULTS.md has them."""
    for name, text in {"promises": promise_table(parts), "peers": peer_tables(parts), "charts": gallery(parts)}.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = place.sub(lambda match, text=text: f"{match[1]}\n{text}\n\n{match[2]}", page)
    return page


def promise_table(parts: Mapping[str, Part]) -> str:
    """Promised, measured, where."""
    lines = ["| what | promised | measured | | where |", "| --- | ---: | ---: | --- | --- |"]
    for each in PROMISES:
        value = each.measured(parts)
        told = "not measured yet" if value is None else f"{value:{',.0f' if value >= 100 else '.3g'}}{each.unit}"
        verdict = "" if value is None else "kept" if each.kept(value) else "**not kept**"
        bound = f"{'≥' if each.at_least else '≤'} {each.bound:,g}{each.unit}"
        where = each.part.partition(":")[0] if each.part.startswith("the page") else each.part
        lines.append(f"| {each.words} | {bound} | {told} | {verdict} | {where} |")
    return "\n".join(lines)


def peer_tables(parts: Mapping[str, Part]) -> str:
    """The tables of the peers, as they stand."""
    if "peers" not in parts:
        return "Not measured yet: `make bench ONLY=peers`."
    return "\n\n".join(_markdown(grid) for grid in parts["peers"].grids)


def _markdown(grid: Grid) -> str:
    numbers = [
        all(number(row[at]) is not None for row in grid.rows if at < len(row)) for at in range(len(grid.columns))
    ]
    rule = ["---:" if each and at > 1 else "---" for at, each in enumerate(numbers)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (grid.columns, rule, *grid.rows))


def gallery(parts: Mapping[str, Part]) -> str:
    """The charts, each under its name."""
    shown = [each for each in PICTURES_DRAWN if each.part in parts]
    return "\n\n".join(
        f"### {each.part[0].upper()}{each.part[1:]}\n\n"
        f"![{each.part}: {each.unit}](../pictures/bench/{file_name(each.part)})"
        for each in shown
    )


if __name__ == "__main__":
    draw()
