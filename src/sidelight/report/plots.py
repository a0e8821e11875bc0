"""One look for all charts, and how they leave: as SVG without scripts, as a picture, a page or Vega-Lite.

A chart is an Altair (Vega-Lite) specification made from plain data by a function of `charts/`.  `finished` gives it
what every chart has: a title that says the finding, a text for whoever does not see it, and the table behind it, which
travels inside the specification (`usermeta`) and holds the exact numbers.  Colours are those of Okabe and Ito, which
colour-blind readers tell apart, and never the only difference; one sequential scale (cividis) is for probabilities.

*Invariants.*  The same data gives the same bytes.  Nothing is fetched.  A chart holds counts and risks, never a row of
a person, and at most `MOST_POINTS` of them.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator, Sequence
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
from sidelight.rounding import decimal_text

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

MOST_POINTS = 3000
"""So many marks a chart has at most, whatever the table's size."""

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
    """Refuse, with how to get it, where the extra that draws charts is not installed."""
    altair()
    with needs_extra("plot", package="vl-convert-python", what="a picture"):
        import vl_convert  # noqa: F401, PLC0415 - an extra


# What every chart has.


def finish_chart(
    chart: Drawing,
    *,
    title: str,
    table: TableBehind,
    description: str | None = None,
    subtitle: str = "",
    width: int = 740,
) -> alt.TopLevelMixin:
    """Return a chart its title, its text for whoever does not see it, and the table behind it."""
    library = altair()
    lines = {"subtitle": break_lines(subtitle, width * 10 // 74)} if subtitle else {}
    words = library.TitleParams(break_lines(title, width * 10 // 84), anchor="start", offset=14, **lines)
    behind = {"title": title, "columns": list(table.columns), "rows": [list(row) for row in table.rows]}
    text = " ".join(filter(None, (title + ".", subtitle))) if description is None else description
    titled = chart.properties(title=words, description=text, usermeta={"sidelight": behind})
    return guard_cells(apply_look(titled))


GUARD = "\u2060"
"""Stands, unseen, behind every < of a cell: notebooks and Altair's pages put a chart's data inside a script."""


def guard_cells(chart: Drawing) -> alt.TopLevelMixin:
    """Keep cells from ending the script that they stand in, or the picture that they are drawn in; else the same."""
    plain: dict[str, Any] = chart.to_dict(validate=False)
    safe = _guard(plain)
    if safe == plain:
        return cast("alt.TopLevelMixin", chart)
    remade = type(chart).from_dict(safe, validate=False)
    remade.usermeta = safe["usermeta"]  # as plain data, not as a schema of it
    return cast("alt.TopLevelMixin", remade)


def _guard(node: Drawing) -> Drawing:
    if isinstance(node, dict):
        return {name: _guard(each) for name, each in node.items()}
    if isinstance(node, list):
        return [_guard(each) for each in node]
    return visible(node).replace("<", f"<{GUARD}") if isinstance(node, str) else node


def _unguard(text: str) -> str:
    return text.replace(f"<{GUARD}", "<")


def break_lines(text: str, characters: int) -> list[str]:
    """Break a text into lines of at most so many characters, between words only, none much shorter than the others.

    >>> break_lines("one two three four five six", 24)
    ['one two three', 'four five six']
    """

    def broken(at: int) -> list[str]:
        return wrap(text, at, break_on_hyphens=False, break_long_words=False)

    lines = len(broken(characters))
    # the narrowest width that takes no more lines makes them about equally long
    narrow = next(at for at in range(max(len(text) // lines, 1), characters + 1) if len(broken(at)) <= lines)
    return broken(narrow)


def apply_look(chart: Drawing) -> alt.TopLevelMixin:
    """Calm: thin rules, dark text, titles at the left."""
    # all at once: each call of its own would copy the chart with all its data
    looked: alt.TopLevelMixin = chart.configure(
        background=PAPER,
        font=FONT,
        padding=16,
        view={"stroke": None},
        axis={
            "labelColor": INK,
            "titleColor": INK,
            "titleFontWeight": "normal",
            "titleFontSize": 13,
            "labelFontSize": 12,
            "grid": True,
            "gridColor": GRID,
            "domainColor": GREY,
            "tickColor": GREY,
            "titlePadding": 10,
            "labelFlush": False,
        },
        legend={
            "labelColor": INK,
            "titleColor": INK,
            "titleFontWeight": "normal",
            "titleFontSize": 12,
            "labelFontSize": 12,
        },
        header={"labelColor": INK, "titleColor": INK, "labelFontSize": 13},
        title={
            "anchor": "start",
            "color": INK,
            "fontSize": 14,
            "fontWeight": "bold",
            "subtitleColor": INK,
            "subtitleFontSize": 13,
            "subtitlePadding": 6,
            "offset": 12,
        },
    )
    return looked


def title_of(chart: alt.TopLevelMixin) -> str:
    """Return the finding that a chart's title says, on one line."""
    return _unguard(str(_table_data(chart)["title"]))


def description_of(chart: alt.TopLevelMixin) -> str:
    """Return the text for whoever does not see the chart."""
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
        message = "this chart has no table behind it; take one that plot() of a result has given"
        raise SidelightError(message)
    behind: dict[str, Any] = usermeta["sidelight"]
    return behind


# How charts leave.


def svg(chart: alt.TopLevelMixin, theme: Theme = "light") -> str:
    """Draw a chart as SVG: no scripts, no styles, nothing from outside; its description is its alternative text."""
    if not is_one_of(theme, Theme):
        message = f"there is no {parameter('theme', theme)}; choose light, dark or page"
        raise SidelightError(message)
    with needs_extra("plot", package="vl-convert-python", what="a picture"):
        import vl_convert  # noqa: PLC0415 - an extra
    # drawing finds what is wrong too; to hold it against the schema first takes as long as to draw it
    written = chart.to_json(indent=None, validate=False)
    # no address is allowed, so that drawing fetches nothing
    drawing = vl_convert.vegalite_to_svg(json.loads(written), allowed_base_urls=[])
    return _slim(drawing, description_of(chart), _colours(theme))


def picture_of(chart: alt.TopLevelMixin) -> Picture:
    """Return a chart as a page shows it: in the page's colours, with the table behind it."""
    behind = table_behind(chart)
    rows = tuple(tuple(map(_cell, row)) for row in behind.rows)
    figures = frozenset(at for at in range(len(behind.columns)) if rows and _is_figure(behind.rows[0][at]))
    return Picture(svg(chart, "page"), description_of(chart), Grid(behind.columns, rows, figures=figures))


def _cell(cell: object) -> str:
    if isinstance(cell, float) and math.isfinite(cell):
        return decimal_text(Fraction(cell), up=True)
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)


def _is_figure(cell: object) -> bool:
    return isinstance(cell, int | float)


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


def _colours(theme: Theme) -> dict[str, str]:
    if theme == "page":
        return {light: f"var(--chart-{name}, {light})" for light, (name, _) in COLOURS.items()}
    return {light: light if theme == "light" else dark for light, (_, dark) in COLOURS.items()}


_SVG = "http://www.w3.org/2000/svg"

_NEEDLESS = ("class", "pointer-events", "role", "aria-roledescription", "aria-label", "aria-hidden", "font-family")
"""Attributes that change nothing of what is seen: the picture as a whole has a role and a label."""

_REFERENCE = re.compile(r"url\(#([\w-]+)\)")

_LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")


def _slim(drawing: str, description: str, colours: dict[str, str]) -> str:
    """Leave out what nobody sees, so that a chart is small; number by number to two places."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(drawing)  # noqa: S314 - drawn here, a moment ago
    for parent in root.iter():
        # a copy, as removing a child shifts those after it
        for child in list(parent):
            if _draws_nothing(child):
                parent.remove(child)
    names = _names_of_its_own(root, description)
    for element in root.iter():
        _slim_attributes(element, colours)
        element.text = element.text and _unguard(element.text)
        for name, text in element.attrib.items():
            element.set(name, _REFERENCE.sub(lambda found: f"url(#{names[found[1]]})", text))
    root.attrib |= {"role": "img", "aria-label": description, "font-family": FONT}
    return ET.tostring(root, encoding="unicode")


def _names_of_its_own(root: ET.Element, description: str) -> dict[str, str]:
    """Name what is referred to by what is drawn: Vega counts on, and two charts of a page would share names."""
    digest = sha256(description.encode()).hexdigest()[:8]
    named = [element for element in root.iter() if "id" in element.attrib]
    names = {element.attrib["id"]: f"chart-{digest}-{at}" for at, element in enumerate(named)}
    for element in named:
        element.set("id", names[element.attrib["id"]])
    return names


def _draws_nothing(element: ET.Element) -> bool:
    """Whether this is a frame that Vega draws around everything, without a colour."""
    bare = element.tag == f"{{{_SVG}}}path" and element.get("class") in ("foreground", "background")
    return bare and not ({"fill", "stroke"} & element.attrib.keys())


def _slim_attributes(element: ET.Element, colours: dict[str, str]) -> None:
    for name in _NEEDLESS:
        element.attrib.pop(name, None)
    if element.get("opacity") == "1":
        del element.attrib["opacity"]
    for name in ("fill", "stroke"):
        colour = element.get(name)
        if colour is not None:
            element.set(name, colours.get(colour.upper(), colour))
    for name in ("d", "transform", "x2", "y2", "width", "height"):
        text = element.get(name)
        if text is not None:
            element.set(name, _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), text))


def save_chart(chart: alt.TopLevelMixin, path: Path, *, force: bool = False) -> None:
    """Write a chart as a picture (.svg, .png), a page that needs nothing from outside (.html) or Vega-Lite (.json)."""
    refuse_other_pictures(path)
    write_whole(path, _render(chart, path.suffix.lower()), force=force)


def _render(chart: Drawing, ending: str) -> str | bytes:
    if ending == ".json":
        return str(chart.to_json()) + "\n"
    if ending == ".svg":
        return svg(chart)
    with needs_extra("plot", package="vl-convert-python", what="a picture"):
        import vl_convert  # noqa: F401, PLC0415 - an extra; Altair draws by it
    buffer = io.BytesIO() if ending == ".png" else io.StringIO()
    if ending == ".png":
        chart.save(buffer, format="png", ppi=144)
    else:
        chart.save(buffer, format="html", inline=True)
    return buffer.getvalue()


def refuse_other_pictures(path: Path) -> None:
    """Refuse what no picture is called, before any work is done."""
    if path.suffix.lower() not in PICTURES:
        message = f"'{path.name}' is no picture; end its name in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}"
        raise SidelightError(message)


# Parts of charts.


def annotate_point(point: Position, text: Sequence[str], at: Position) -> Iterator[Drawing]:
    """Mark a point, and say what it is where there is room, with a line between the two."""
    library = altair()
    data = library.Data(values=[{"x": point[0], "y": point[1], "x2": at[0], "y2": at[1]}])
    base = library.Chart(data).encode(x="x:Q", y="y:Q")
    yield base.mark_rule(color=VERMILION, strokeWidth=1).encode(x2="x2:Q", y2="y2:Q")
    yield base.mark_point(color=VERMILION, filled=True, size=90, opacity=1)
    yield text_at(at, text, color=VERMILION, dx=5, fontWeight="bold", fontSize=13)


def text_at(at: Position, text: Sequence[str], **style: object) -> Drawing:
    """Write words into a chart."""
    library = altair()
    base = library.Chart(library.Data(values=[{"x": at[0], "y": at[1], "text": list(text)}]))
    words = base.mark_text(align="left", baseline="middle", **{"fontSize": 12, "lineHeight": 16, **style})
    return words.encode(x="x:Q", y="y:Q", text="text:N")


def share_axis(channel: Drawing, title: str | None, *, labels: bool = True) -> Drawing:
    """Return the channel with an axis from 0 to 1; only the first of several panels labels it."""
    shown = {"title": title} if labels else {"title": None, "labels": False, "ticks": False, "domain": False}
    return channel.scale(domain=[0, 1]).axis(altair().Axis(format=".0%", tickCount=6, **shown))
