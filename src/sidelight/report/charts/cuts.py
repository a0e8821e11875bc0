"""Along which columns were people cut apart?  The first cuts of Mondrian as a tree, everybody at the left.

Each part of the people has a line as thick as its share of them: above it what it holds of the column that was cut
last, below it how many people it has.  Where the tree is drawn no further, how many groups are published of a part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure
from sidelight.report.plots import BLUE, GREY, INK, Cell, Drawing, TableBehind, altair, finish_chart
from sidelight.search.mondrian_cuts import CutNode
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.search.method import SearchResult

LEVEL_WIDTH, LEAF_HEIGHT = 148, 47

THICKEST = 9.0

MOST_CHARACTERS = 21
"""So much text fits above a line, and a third more above the last ones; the table has all of it."""

NARROWER = 0.3
"""Of the width of a level, by which that of everybody is narrower, and the last one wider."""


@dataclass(frozen=True, slots=True)
class CutsDrawn:
    """How many cuts were made along each column, and the top of their tree."""

    along: Mapping[str, int]
    nodes: Sequence[CutNode]

    @classmethod
    def from_result(cls, found: SearchResult) -> CutsDrawn:
        """Build the picture's data from the cuts by which a release was made."""
        tree = found.outcome.cuts
        if tree is None:
            message = f"method '{found.method.name}' makes no cuts; draw its groups: plot('sizes')"
            raise BadMeasure(message)
        return cls(tree.along, tree.top())

    @property
    def depths(self) -> list[int]:
        """How many cuts made each node."""
        depths: list[int] = []
        for node in self.nodes:
            # a parent stands before its halves, so its depth is known
            depths.append(0 if node.parent is None else depths[node.parent] + 1)
        return depths

    @property
    def heights(self) -> list[float]:
        """Where each node stands: those that are drawn no further one by one, the others between their halves."""
        heights = [0.0] * len(self.nodes)
        leaves = [at for at, node in enumerate(self.nodes) if not node.cut]
        for place, at in enumerate(leaves):
            heights[at] = float(place)
        # backwards, so that both halves of a node have their height before it
        for at in reversed(range(len(self.nodes))):
            if self.nodes[at].cut:
                halves = [heights[below] for below, node in enumerate(self.nodes) if node.parent == at]
                heights[at] = sum(halves) / len(halves)
        return heights


def cuts_chart(drawn: CutsDrawn) -> alt.TopLevelMixin:
    """Draw the first cuts, and say along which column most of all were made."""
    everybody = drawn.nodes[0]
    deepest = max(drawn.depths)
    further = any(node.groups > 1 and not node.cut for node in drawn.nodes)
    subtitle = f"{counted(everybody.people, 'person')}, from left to right; thicker lines are more people."
    return finish_chart(
        _tree(drawn, deepest),
        title=_finding(drawn),
        subtitle=f"{subtitle} Only the first {deepest} levels are drawn." if further else subtitle,
        table=_table(drawn),
        width=LEVEL_WIDTH * (deepest + 1),
    )


def _finding(drawn: CutsDrawn) -> str:
    everybody, cuts = drawn.nodes[0], sum(drawn.along.values())
    if not cuts:
        return f"Nobody was cut apart: {counted(everybody.people, 'person')} are one group"
    outcome = f"{counted(cuts, 'cut')} made {counted(everybody.groups, 'group')}"
    first, most = drawn.nodes[1].column, max(drawn.along, key=lambda name: drawn.along[name])
    if len(drawn.along) == 1:
        return f"{outcome}, {'all ' if cuts > 1 else ''}along {first}"
    if first == most:
        return f"{outcome}: the first is along {first}, and so are most of them ({drawn.along[most]:,})"
    return f"{outcome}: the first is along {first}, most are along {most} ({drawn.along[most]:,})"


def _table(drawn: CutsDrawn) -> TableBehind:
    rows: list[tuple[Cell, ...]] = []
    for depth, node in zip(drawn.depths, drawn.nodes, strict=True):
        within = "" if node.parent is None else _words(drawn.nodes[node.parent])
        rows.append((depth, within, node.column, node.holds, node.people, node.groups))
    return TableBehind(("cuts", "of", "cut along", "holds", "people", "groups published"), tuple(rows))


def _words(node: CutNode) -> str:
    return f"{node.column} {node.holds}" if node.column else "everybody"


def _brief(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1].rstrip()}…"


def _below(node: CutNode) -> str:
    """Return how many people a part has and, where it is drawn no further, in how many groups."""
    people = counted(node.people, "person")
    return people if node.cut else f"{people}, {counted(node.groups, 'group')}"


def _line_start(depth: int) -> float:
    """Return where the line of a node begins."""
    return depth - NARROWER if depth else 0.0


def _tree(drawn: CutsDrawn, deepest: int) -> Drawing:
    library = altair()
    depths, heights, nodes = drawn.depths, drawn.heights, drawn.nodes
    lines = [
        {
            "x": _line_start(depth),
            "end": _line_start(depth + 1)
            if node.cut
            else _line_start(depth + 1) - 0.04
            if depth < deepest
            else deepest + 0.96,
            "y": height,
            # one pixel at least, as a part of few people is still a part
            "width": max(THICKEST * node.people / max(nodes[0].people, 1), 1),
            "above": _brief(_words(node), MOST_CHARACTERS * 4 // 3 if depth == deepest else MOST_CHARACTERS),
            "below": _below(node),
        }
        for depth, height, node in zip(depths, heights, nodes, strict=True)
    ]
    forks = [
        {"x": _line_start(depths[at] + 1), "y": min(halves), "end": max(halves)}
        for at, node in enumerate(nodes)
        if node.cut and (halves := [height for height, half in zip(heights, nodes, strict=True) if half.parent == at])
    ]
    leaves = sum(not node.cut for node in nodes)
    x, end = (library.X(f"{name}:Q").scale(domain=[0, deepest + 1], nice=False).axis(None) for name in ("x", "end"))
    y = library.Y("y:Q").scale(domain=[-0.6, leaves - 0.4], nice=False, reverse=True).axis(None)
    size = {"width": LEVEL_WIDTH * (deepest + 1), "height": LEAF_HEIGHT * leaves}
    base = library.Chart(library.Data(values=lines), **size)
    thickness = library.StrokeWidth("width:Q").scale(None).legend(None)
    words = base.encode(x, y)
    ends = library.Chart(library.Data(values=[line for line, node in zip(lines, nodes, strict=True) if not node.cut]))
    return library.layer(
        library.Chart(library.Data(values=forks)).mark_rule(color=GREY).encode(x, y, y2="end:Q"),
        base.mark_rule(color=BLUE, opacity=1).encode(x, y, thickness, x2="end:Q"),
        ends.mark_point(filled=True, color=BLUE, opacity=1, size=34).encode(end, y),
        words.mark_text(align="left", dx=7, dy=-6, baseline="bottom", fontSize=12, color=INK).encode(text="above:N"),
        words.mark_text(align="left", dx=7, dy=6, baseline="top", fontSize=11, color=GREY).encode(text="below:N"),
    )
