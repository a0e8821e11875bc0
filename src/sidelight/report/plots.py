"""The look of all charts, and how they are written: as SVG without scripts, as a picture, a page or Vega-Lite.

A chart is an Altair (Vega-Lite) specification made from plain data by a function of `charts/`.  `finish_chart` adds
what every chart has: a title that states the finding, an alternative text, and the table behind it, which travels
inside the specification (`usermeta`) and holds the exact numbers.  Colours are those of Okabe and Ito, which people
with colour blindness can distinguish, and never the only difference; one sequential scale (cividis) is for
probabilities.  What several families of charts draw is here too: bars, dumbbells, axes of shares.

*Invariants.*  The same data gives the same bytes.  Nothing is fetched.  A chart holds counts and risks, never a row of
a person, and at most `MOST_POINTS` of them.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from xml.etree import ElementTree as ET

from sidelight.errors import SidelightError, is_one_of, needs_extra, parameter, visible
from sidelight.files import write_whole
from sidelight.report.page import Grid, Picture
from sidelight.rounding import decimal_text, exact_text, round_up
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

Theme: TypeAlias = Literal["light", "dark", "page"]
"""For white paper, for a dark page, or by the CSS variables of the page that a chart stands in (`theme_variables`)."""

Drawing: TypeAlias = Any
"""A chart or a part of one: Altair makes its classes as it is imported."""

Cell: TypeAlias = str | int | float | None

Position: TypeAlias = tuple[float, float]

INK, GREY, GRID, PALE, PAPER = "#222222", "#6B6B6B", "#E6E6E6", "#DCE9F2", "#FFFFFF"
BLUE, VERMILION = "#0072B2", "#D55E00"

COLOURS: dict[str, tuple[str, str]] = {
    INK: ("ink", "#ECECEC"),
    GREY: ("quiet", "#A8A8A8"),
    GRID: ("grid", "#363B40"),
    PALE: ("pale", "#20394A"),
    PAPER: ("paper", "#16191C"),
    BLUE: ("accent", "#56B4E9"),
    VERMILION: ("mark", "#F08A3C"),
}
"""Each colour's name on a page, and what it is on a dark one."""

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"

# So many marks a chart has at most, whatever the table's size.
MOST_POINTS = 3000

PICTURES = (".svg", ".png", ".html", ".json")


@dataclass(frozen=True, slots=True)
class TableBehind:
    """The numbers that a chart draws, exactly, under headings in words."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class LiveChart:
    """A chart on a page that is drawn again as its numbers change.

    `structure` is Vega-Lite without numbers, the same as long as only numbers change: a page then puts `datasets` (rows
    by name) and `words` (texts and lists by the name of a parameter) into the picture that stands.  Title and
    subtitle are words of the page.
    """

    structure: dict[str, Any]
    datasets: dict[str, list[dict[str, Any]]]
    words: dict[str, object]
    title: str
    subtitle: str
    table: TableBehind

    @property
    def specification(self) -> dict[str, Any]:
        """Vega-Lite, whole."""
        return {**self.without_rows, "datasets": self.datasets}

    @property
    def without_rows(self) -> dict[str, Any]:
        """Vega-Lite that waits for its rows."""
        parameters = [{"name": name, "value": words} for name, words in self.words.items()]
        return {**self.structure, "params": parameters, "datasets": {name: [] for name in self.datasets}}


def altair() -> Drawing:
    """Import Altair: a grammar of charts."""
    with needs_extra("plot", package="altair", what="a picture"):
        import altair as alt  # noqa: PLC0415 - an extra, and slow to import
    return alt


def expect_pictures() -> None:
    """Raise, with the command that installs it, where the extra that draws charts is missing."""
    altair()
    with needs_extra("plot", package="vl-convert-python", what="a picture"):
        import vl_convert  # noqa: F401, PLC0415 - an extra


# Common to all charts.


def finish_chart(
    chart: Drawing,
    *,
    title: str,
    table: TableBehind,
    description: str | None = None,
    subtitle: str = "",
    width: int = 740,
) -> alt.TopLevelMixin:
    """Return the chart with its title, its alternative text, and the table behind it."""
    library = altair()
    lines = {"subtitle": break_lines(subtitle, width * 10 // 74)} if subtitle else {}
    words = library.TitleParams(break_lines(title, width * 10 // 84), anchor="start", offset=14, **lines)
    behind = {"title": title, "columns": list(table.columns), "rows": [list(row) for row in table.rows]}
    text = " ".join(filter(None, (title + ".", subtitle))) if description is None else description
    titled = chart.properties(title=words, description=text, usermeta={"sidelight": behind})
    return guard_cells(apply_look(titled))


# Stands, unseen, behind every < of a cell: notebooks and Altair's pages put a chart's data inside a script.
GUARD = "\u2060"


def guard_cells(chart: Drawing) -> alt.TopLevelMixin:
    """Keep cells from ending the script that they stand in, or the picture that they are drawn in; else the same."""

    def guard(node: Drawing) -> Drawing:
        if isinstance(node, dict):
            return {name: guard(each) for name, each in node.items()}
        if isinstance(node, list):
            return [guard(each) for each in node]
        return visible(node).replace("<", f"<{GUARD}") if isinstance(node, str) else node

    plain: dict[str, Any] = chart.to_dict(validate=False)
    safe = guard(plain)
    if safe == plain:
        return cast("alt.TopLevelMixin", chart)
    remade = type(chart).from_dict(safe, validate=False)
    remade.usermeta = safe["usermeta"]  # as plain data, not as a schema of it
    return cast("alt.TopLevelMixin", remade)


def _unguard(text: str) -> str:
    return text.replace(f"<{GUARD}", "<")


def break_lines(text: str, characters: int) -> list[str]:
    """Break a text between words into about equally long lines of at most `characters`.

    >>> break_lines("one two three four five six", 24)
    ['one two three', 'four five six']
    """

    def break_at(width: int) -> list[str]:
        return wrap(text, width, break_on_hyphens=False, break_long_words=False)

    lines = len(break_at(characters))
    # the narrowest width that takes no more lines makes them about equally long
    widths = range(max(len(text) // lines, 1), characters + 1)
    return break_at(next(width for width in widths if len(break_at(width)) <= lines))


def apply_look(chart: Drawing) -> alt.TopLevelMixin:
    """Apply the common look: thin rules, dark text, titles at the left."""
    words = {"labelColor": INK, "titleColor": INK}
    small = {**words, "titleFontWeight": "normal", "labelFontSize": 12}
    rules = {"grid": True, "gridColor": GRID, "domainColor": GREY, "tickColor": GREY}
    lines = {"anchor": "start", "color": INK, "fontSize": 14, "fontWeight": "bold", "offset": 12}
    # all at once: each call of its own would copy the chart with all its data
    looked: alt.TopLevelMixin = chart.configure(
        background=PAPER,
        font=FONT,
        padding=16,
        view={"stroke": None},
        axis={**small, **rules, "titleFontSize": 13, "titlePadding": 10, "labelFlush": False},
        legend={**small, "titleFontSize": 12},
        header={**words, "labelFontSize": 13},
        title={**lines, "subtitleColor": INK, "subtitleFontSize": 13, "subtitlePadding": 6},
    )
    return looked


def title_of(chart: alt.TopLevelMixin) -> str:
    """Return the finding that a chart's title says, on one line."""
    return _unguard(str(_table_data(chart)["title"]))


def description_of(chart: alt.TopLevelMixin) -> str:
    """Return the alternative text of a chart."""
    return _unguard(str(getattr(chart, "description", "")))


def table_behind(chart: alt.TopLevelMixin) -> TableBehind:
    """Return the table behind a chart.

    >>> import sidelight as sl
    >>> release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}])
    >>> chart = sl.disclosure_curve(release, sl.Implications, [0, 1], value="Cold").plot(limit=0.5)
    >>> title_of(chart)
    'One implication is enough to be at least 0.5 sure that a person has Cold'
    >>> table_behind(chart).rows[0]
    ('implications', 0, '1/3', 0.33333333333333337)
    """
    behind = _table_data(chart)
    rows = ((_unguard(cell) if isinstance(cell, str) else cell for cell in row) for row in behind["rows"])
    return TableBehind(tuple(map(_unguard, behind["columns"])), tuple(map(tuple, rows)))


def _table_data(chart: Drawing) -> dict[str, Any]:
    usermeta = getattr(chart, "usermeta", None)
    if not isinstance(usermeta, dict) or "sidelight" not in usermeta:
        raise SidelightError("this chart has no table behind it; take one that plot() of a result has given")
    behind: dict[str, Any] = usermeta["sidelight"]
    return behind


# Output.


def svg(chart: alt.TopLevelMixin, theme: Theme = "light") -> str:
    """Draw a chart as SVG: no scripts, no styles, nothing from outside; its description is its alternative text."""
    if not is_one_of(theme, Theme):
        raise SidelightError(f"there is no {parameter('theme', theme)}; choose light, dark or page")
    with needs_extra("plot", package="vl-convert-python", what="a picture"):
        import vl_convert  # noqa: PLC0415 - an extra
    # drawing finds what is wrong too; to hold it against the schema first takes as long as to draw it
    written = chart.to_json(indent=None, validate=False)
    # no address is allowed, so that drawing fetches nothing
    drawing = vl_convert.vegalite_to_svg(json.loads(written), allowed_base_urls=[])
    return _slim(drawing, description_of(chart), theme)


def picture_of(chart: alt.TopLevelMixin) -> Picture:
    """Return a chart as a page shows it: in the page's colours, with the table behind it."""
    behind = table_behind(chart)

    def write(cell: Cell) -> str:
        if isinstance(cell, float) and math.isfinite(cell):
            # by its shortest digits: 0.9 is a little more than 9/10, and would be rounded up to 0.9001
            return decimal_text(Fraction(str(cell)), up=True)
        return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)

    rows = tuple(tuple(map(write, row)) for row in behind.rows)
    figures = frozenset(
        column for row in behind.rows[:1] for column, cell in enumerate(row) if isinstance(cell, int | float)
    )
    return Picture(svg(chart, "page"), description_of(chart), Grid(behind.columns, rows, figures=figures))


def specification(chart: Drawing, theme: Literal["light", "dark"] = "light") -> dict[str, Any]:
    """Return a chart as Vega-Lite, for a page that draws it itself."""
    written: str = chart.to_json(indent=None)
    if theme == "dark":
        for light, (_, dark) in COLOURS.items():
            written = written.replace(f'"{light}"', f'"{dark}"')
    parsed: dict[str, Any] = json.loads(written)
    return parsed


def theme_variables(theme: Literal["light", "dark"]) -> dict[str, str]:
    """Return the CSS variables by which charts of the theme "page" are coloured.

    >>> theme_variables("dark")["--chart-ink"]
    '#ECECEC'
    """
    return {f"--chart-{name}": light if theme == "light" else dark for light, (name, dark) in COLOURS.items()}


def _slim(drawing: str, description: str, theme: Theme) -> str:
    """Leave out what is not visible, and write numbers to two places, so that a chart is small."""
    svg = "http://www.w3.org/2000/svg"
    ET.register_namespace("", svg)
    root = ET.fromstring(drawing)  # noqa: S314 - drawn here, a moment ago
    for parent in root.iter():
        # a copy, as removing a child shifts those after it
        for child in list(parent):
            # a frame that Vega draws around everything, without a colour
            bare = child.tag == f"{{{svg}}}path" and child.get("class") in ("foreground", "background")
            if bare and not ({"fill", "stroke"} & child.attrib.keys()):
                parent.remove(child)
    # Vega counts on, and two charts of a page would share names: what is referred to is named by what is drawn
    digest = sha256(description.encode()).hexdigest()[:8]
    named = [element for element in root.iter() if "id" in element.attrib]
    names = {element.attrib["id"]: f"chart-{digest}-{number}" for number, element in enumerate(named)}
    for element in named:
        element.set("id", names[element.attrib["id"]])
    for element in root.iter():
        _slim_attributes(element, theme)
        element.text = element.text and _unguard(element.text)
        for name, text in element.attrib.items():
            element.set(name, re.sub(r"url\(#([\w-]+)\)", lambda match: f"url(#{names[match[1]]})", text))
    root.attrib |= {"role": "img", "aria-label": description, "font-family": FONT}
    return ET.tostring(root, encoding="unicode")


def _slim_attributes(element: ET.Element, theme: Theme) -> None:
    # the picture as a whole has a role and a label: those of its parts change nothing of what is seen
    for name in ("class", "pointer-events", "role", "aria-roledescription", "aria-label", "aria-hidden", "font-family"):
        element.attrib.pop(name, None)
    if element.get("opacity") == "1":
        del element.attrib["opacity"]
    for name in ("fill", "stroke"):
        light = element.get(name, "").upper()
        if light in COLOURS:
            variable, dark = COLOURS[light]
            in_theme = {"light": light, "dark": dark, "page": f"var(--chart-{variable}, {light})"}
            element.set(name, in_theme[theme])
    for name in ("d", "transform", "x2", "y2", "width", "height"):
        text = element.get(name)
        if text is not None:
            short = re.sub(r"-?\d+\.\d{2,}", lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), text)
            element.set(name, short)


def save_chart(chart: alt.TopLevelMixin, path: Path, *, force: bool = False) -> None:
    """Write a chart as a picture (.svg, .png), a page that needs nothing from outside (.html) or Vega-Lite (.json)."""
    refuse_other_pictures(path)
    ending = path.suffix.lower()
    if ending not in (".json", ".svg"):
        expect_pictures()  # Altair draws by its converter
    buffer = io.BytesIO() if ending == ".png" else io.StringIO()
    match ending:
        case ".json":
            buffer.write(f"{chart.to_json()}\n")  # type: ignore[arg-type]
        case ".svg":
            buffer.write(svg(chart))  # type: ignore[arg-type]
        case ".png":
            chart.save(buffer, format="png", ppi=144)
        case _:
            chart.save(buffer, format="html", inline=True)
    write_whole(path, buffer.getvalue(), force=force)


def refuse_other_pictures(path: Path) -> None:
    """Raise where the name is that of no picture, before any work is done."""
    if path.suffix.lower() not in PICTURES:
        raise SidelightError(
            f"'{path.name}' is no picture; end its name in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}"
        )


# Parts of charts.


def draw_rows(rows: Iterable[Mapping[str, Any]], width: float | None = None, height: float | None = None) -> Drawing:
    """Return a chart of some rows, to which marks and channels are added."""
    library = altair()
    size = {name: each for name, each in (("width", width), ("height", height)) if each is not None}
    return library.Chart(library.Data(values=[dict(row) for row in rows]), **size)


def annotate_point(point: Position, text: Sequence[str], at: Position) -> Iterator[Drawing]:
    """Mark a point, and write what it is at `at`, with a line between the two."""
    base = draw_rows([{"x": point[0], "y": point[1], "x2": at[0], "y2": at[1]}]).encode(x="x:Q", y="y:Q")
    yield base.mark_rule(color=VERMILION, strokeWidth=1).encode(x2="x2:Q", y2="y2:Q")
    yield base.mark_point(color=VERMILION, filled=True, size=90, opacity=1)
    yield text_at(at, text, color=VERMILION, dx=5, fontWeight="bold", fontSize=13)


def text_at(at: Position, text: Sequence[str], **style: object) -> Drawing:
    """Write words into a chart."""
    base = draw_rows([{"x": at[0], "y": at[1], "text": list(text)}])
    words = base.mark_text(align="left", baseline="middle", **{"fontSize": 12, "lineHeight": 16, **style})
    return words.encode(x="x:Q", y="y:Q", text="text:N")


def share_axis(channel: Drawing, title: str | None, *, labels: bool = True) -> Drawing:
    """Return the channel with an axis from 0 to 1; only the first of several panels labels it."""
    shown = {"title": title} if labels else {"title": None, "labels": False, "ticks": False, "domain": False}
    return channel.scale(domain=[0, 1]).axis(altair().Axis(format=".0%", tickCount=6, **shown))


def draw_bars(
    rows: Sequence[Mapping[str, Any]], x: Drawing, *, width: int, step: int, label: int, font: int = 11, **axis: object
) -> Drawing:
    """Draw a bar for each row (its name, the field of `x`, and a text beside the bar), in the order of the rows."""
    library = altair()
    base = draw_rows(rows, width, step * len(rows))
    names = [row["name"] for row in rows]
    y = library.Y("name:N").sort(names).axis(title=None, grid=False, labelLimit=label, **axis)
    # larger letters stand beside thicker bars
    return library.layer(
        base.mark_bar(color=BLUE, size=2 * font - 9).encode(y, x),
        base.mark_text(align="left", dx=font - 7, color=INK, fontSize=font).encode(y, x, text="text:N"),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """A probability before and after."""

    name: str
    before: Fraction | float
    after: Fraction | float

    @property
    def moved(self) -> float:
        """How far."""
        return abs(float(self.after - self.before))


def dumbbell_chart(
    changes: Sequence[Change],
    *,
    title: str,
    subtitle: str,
    ends: tuple[str, str],
    axis: str,
    top: str | None = None,
    most_rows: int = 20,
) -> alt.TopLevelMixin:
    """Draw changes, the largest first; `ends` name the two dots, `top` is the value that the title names."""
    library = altair()
    # the value of the title first; names decide ties, so that the same data gives the same picture
    ordered = sorted(changes, key=lambda each: (each.name != top, -each.moved, each.name))
    possible = [each for each in ordered if each.before or each.after]
    drawn = possible[:most_rows]
    excluded, smaller = len(ordered) - len(possible), len(possible) - len(drawn)
    notes = [
        subtitle,
        f"{counted(smaller, 'value')} that moved less: in the table alone." if smaller else "",
        f"Not drawn, as they are ruled out both times: {counted(excluded, 'value')}." if excluded else "",
    ]
    rows = [
        {"name": each.name, "before": round_up(each.before), "after": round_up(each.after), "top": each.name == top}
        for each in drawn
    ]
    base = draw_rows(rows, 420, 22 * len(rows))
    y = library.Y("name:N").sort([each.name for each in drawn]).axis(title=None, grid=False, labelLimit=220)
    before, after = (share_axis(library.X(f"{name}:Q"), axis) for name in ("before", "after"))
    colour = library.condition("datum.top", library.value(VERMILION), library.value(BLUE))

    def exactly(probability: Fraction | float) -> str:
        return exact_text(probability) if isinstance(probability, Fraction) else f"{probability:.6g}"

    return finish_chart(
        library.layer(
            base.mark_rule(strokeWidth=2).encode(y, before, x2="after:Q", color=colour),
            base.mark_point(filled=True, fill=PAPER, stroke=GREY, strokeWidth=2, size=60, opacity=1).encode(y, before),
            base.mark_point(filled=True, size=80, opacity=1).encode(y, after, color=colour),
            *_name_ends(drawn[0], ends),
        ),
        title=title,
        subtitle=" ".join(filter(None, notes)),
        table=TableBehind(
            ("value", f"{ends[0]}, exactly", ends[0], f"{ends[1]}, exactly", ends[1]),
            tuple(
                (each.name, exactly(each.before), round_up(each.before), exactly(each.after), round_up(each.after))
                for each in ordered
            ),
        ),
        width=640,
    )


def _name_ends(first: Change, ends: tuple[str, str]) -> Iterator[Drawing]:
    """Write the names of the two dots above the first line, apart or side by side."""
    outwards = ("right", "left") if first.before <= first.after else ("left", "right")
    dots = ((float(first.before), f"○ {ends[0]}", INK), (float(first.after), f"● {ends[1]}", VERMILION))
    for (x, text, colour), outward in zip(dots, outwards, strict=True):
        # closer than 0.3 the two words would overlap: they are set outwards
        align = outward if first.moved < 0.3 else "center"
        # words at the very left or right are kept inside the picture
        inside = "left" if x < 0.12 and align != "left" else "right" if x > 0.9 and align == "center" else align
        words = draw_rows([{"x": x, "text": text}]).mark_text(
            color=colour, fontSize=12, align=inside, baseline="bottom"
        )
        yield words.encode(x=altair().X("x:Q"), y=altair().value(-3), text="text:N")
