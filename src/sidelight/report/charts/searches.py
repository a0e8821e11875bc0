"""Charts of searches: the lattice, the cuts, the candidates, the losses.

Lattice     A dot per node, the finest below, up to some hundreds of them, in the row of its levels' sum, so that each
            row is one step coarser than the one below.  A node coarser than a minimal one keeps every limit that
            merging groups cannot break; where the policy has others, or the search was stopped, the chart says "coarser
            than a minimal one" and no more.  Larger lattices are drawn as a density: the number of nodes of each row,
            of the coarser ones among them, and of the minimal ones (the frontier).
Cuts        The first cuts of Mondrian as a tree, all people at the left.  Each subset has a line as thick as its share
            of the people: above it its values of the column that was cut last, below it the number of people, and of
            published groups where the tree is drawn no further.
Candidates  The front is decided on exact risks: a candidate is on it when no other one loses no more, risks no more,
            and differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sidelight.documents.document import Candidate, CandidateReleases
from sidelight.errors import BadMeasure, as_given, is_one_of, parameter
from sidelight.measures.classics import GroupSize
from sidelight.progress import quiet
from sidelight.report.charts.groups import sizes_chart
from sidelight.report.plots import (
    BLUE,
    GREY,
    INK,
    PALE,
    PAPER,
    VERMILION,
    Drawing,
    TableBehind,
    altair,
    break_lines,
    draw_bars,
    draw_rows,
    finish_chart,
    share_axis,
)
from sidelight.rounding import exact_text, round_cautiously, short_decimal
from sidelight.search.method import SearchPicture, SearchResult
from sidelight.search.policy_check import holds_upwards
from sidelight.search.utility import DEFAULT_UTILITY, MEANINGS
from sidelight.table.table import held
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.arrays import Flags, Integers
    from sidelight.search.mondrian_cuts import CutNode
    from sidelight.search.protect import ReleaseComparison

STATES = ("not within policy", "within policy", "minimal", "chosen")


def search_chart(result: SearchResult, of: SearchPicture | None = None) -> alt.TopLevelMixin:
    """Draw a search by the chart `of`, or else the one that suits its method best."""
    best = "lattice" if result.levels else "tree" if result.cuts is not None else "sizes"
    picture: object = best if of is None else of
    if not is_one_of(picture, SearchPicture):
        raise BadMeasure(
            f"there is no picture {parameter('of', as_given(picture))}; choose lattice, tree, candidates or sizes"
        )
    if picture == "lattice":
        return lattice_chart(SearchedLattice.from_result(result))
    if picture == "tree":
        tree = result.cuts
        if tree is None:
            raise BadMeasure(f"method '{result.method.name}' makes no cuts; draw its groups: plot('sizes')")
        return cuts_chart(tree.along, tree.top())
    if picture == "candidates":
        return candidates_chart(candidates_of(result))
    limits = [each.bound for each in result.policy.criteria if isinstance(each.measure, GroupSize)]
    return sizes_chart(result.release, limit=max(limits, default=None))


# Levels.


@dataclass(frozen=True, slots=True)
class SearchedLattice:
    """A lattice: the number of levels of each column, the minimal nodes and the chosen one."""

    heights: Mapping[str, int]
    minimal: tuple[tuple[int, ...], ...]
    chosen: tuple[int, ...]
    proven: bool = True  # whether a node is within policy exactly if it is a minimal one or coarser

    @classmethod
    def from_result(cls, result: SearchResult) -> SearchedLattice:
        """Build the lattice of a search over levels."""
        if not result.levels:
            raise BadMeasure(f"method '{result.method.name}' searches no levels; draw its groups: plot('sizes')")
        names = [column.name for column in result.recoding.table.quasi]
        nodes = tuple(tuple(int(levels[name]) for name in names) for levels in result.minimal)
        upwards = all(holds_upwards(criterion, result.release.semantics) for criterion in result.policy.criteria)
        return cls(
            {name: result.hierarchies[name].height for name in names},
            nodes,
            tuple(int(result.levels[name]) for name in names),
            # with suppression, or limits that merging may break, being coarser than a minimal node proves nothing
            proven=result.complete and upwards and not result.method.suppress and bool(nodes),
        )

    def __len__(self) -> int:
        return prod(self.heights.values())

    @property
    def coarser(self) -> Flags:
        """Whether each node is a minimal one or coarser; an axis per column."""
        coarser = np.zeros(tuple(self.heights.values()), bool)
        for node in self.minimal or (self.chosen,):
            # all that is at least as coarse in every column: one slice per axis
            coarser[tuple(slice(level, None) for level in node)] = True
        return coarser

    def states(self) -> Iterator[tuple[tuple[int, ...], str]]:
        """Yield every node with its state."""
        for node, coarser in np.ndenumerate(self.coarser):
            kinds = (node == self.chosen, node in self.minimal, bool(coarser), True)
            yield node, STATES[3 - kinds.index(True)]

    def count_by_row(self) -> list[tuple[int, int, int, int]]:
        """Count nodes by row: (sum of levels, all nodes, minimal or coarser ones, minimal ones)."""
        # one open axis per column: their sum broadcasts to the shape of the lattice, flattened as `coarser` is
        axes = np.indices(tuple(self.heights.values()), sparse=True)
        rows: Integers = np.asarray(sum(axes, np.zeros((), np.int64))).reshape(-1)
        everything = np.bincount(rows)
        inside = np.bincount(rows, weights=self.coarser.reshape(-1)).astype(np.int64)
        minimal = np.zeros_like(everything)
        np.add.at(minimal, [sum(node) for node in self.minimal], 1)
        return [*zip(range(len(everything)), everything.tolist(), inside.tolist(), minimal.tolist(), strict=True)]

    def name_levels(self, node: Sequence[int]) -> str:
        """Name the levels of a node: age 2, sex 0."""
        return ", ".join(f"{name} {level}" for name, level in zip(self.heights, node, strict=True))


def lattice_chart(searched: SearchedLattice, most_dots: int = 500) -> alt.TopLevelMixin:
    """Draw a lattice, a dot for each node; large ones as a density."""
    small = len(searched) <= most_dots
    nodes, within = counted(len(searched), "generalisation"), int(searched.coarser.sum())
    what = "are within policy" if searched.proven else "are minimal or coarser"
    title = f"{within:,} of {nodes} {what}, {len(searched.minimal):,} of them minimal"
    if not searched.minimal:
        title = f"The levels {searched.name_levels(searched.chosen)}, of {nodes}"
    outside, inside = ("not within policy", "within") if searched.proven else ("others", "coarser than a minimal one")
    legend = f"○ {outside}, ● {inside}, ◆ minimal."
    if not small:
        inside = "within policy" if searched.proven else "minimal or coarser"
        legend = f"Each bar: the nodes of a row, those {inside} in blue; numbers: minimal ones."
    if small:
        names = (*(f"level of {name}" for name in searched.heights), "what it is")
        table = TableBehind(names, tuple((*node, state) for node, state in searched.states()))
    else:
        names = ("sum of levels", "generalisations", "minimal or coarser", "minimal")
        table = TableBehind(names, tuple(searched.count_by_row()))
    return finish_chart(
        _lattice_dots(searched) if small else _density(searched),
        title=title,
        subtitle=f"Chosen: {searched.name_levels(searched.chosen)}. {legend}",
        table=table,
        width=650,
    )


def _lattice_dots(searched: SearchedLattice) -> Drawing:
    library = altair()
    rows: dict[int, list[tuple[tuple[int, ...], str]]] = {}
    for node, state in sorted(searched.states(), reverse=True):
        rows.setdefault(sum(node), []).append((node, state))
    widest = max(map(len, rows.values()))
    data = [
        {
            "x": (column - (len(nodes) - 1) / 2) / max(widest - 1, 1),
            "y": row,
            "state": state,
            "levels": searched.name_levels(node),
        }
        for row, nodes in rows.items()
        for column, (node, state) in enumerate(nodes)
    ]
    x = library.X("x:Q").scale(domain=[-0.53, 0.53], nice=False).axis(None)
    y = _rows_axis(library.Y("y:Q"), len(rows))
    # dots shrink as they become many, so that neighbours stay apart
    area = min(110, 26_000 // max(widest * len(rows), 1) + 18)
    styles: tuple[dict[str, object], ...] = (
        {"fill": PAPER, "stroke": GREY, "strokeWidth": 1, "size": area * 0.7},
        {"fill": BLUE, "size": area},
        {"fill": INK, "shape": "diamond", "size": area * 1.7},
        {"fill": VERMILION, "size": area * 2.2, "stroke": PAPER},
    )
    layers = []
    for state, style in zip(STATES, styles, strict=True):
        nodes = [row for row in data if row["state"] == state]
        if nodes:
            base = draw_rows(nodes, 560, max(160, 26 * len(rows)))
            layers.append(
                base.mark_point(filled=True, opacity=1, **style).encode(x, y, tooltip=["levels:N", "state:N"])
            )
    chosen = next(row for row in data if row["state"] == STATES[3])
    label = draw_rows([{**chosen, "text": "chosen"}]).encode(x="x:Q", y="y:Q", text="text:N")
    words = {"align": "center", "dy": 15, "fontWeight": "bold", "fontSize": 12}
    # a halo in the colour of the paper keeps the word legible over dots
    halo = label.mark_text(color=PAPER, stroke=PAPER, strokeWidth=4, **words)
    return library.layer(*layers, halo, label.mark_text(color=VERMILION, **words))


def _rows_axis(channel: Drawing, rows: int) -> Drawing:
    axis = altair().Axis(
        title="sum of levels (0: as it is)", tickMinStep=1, format="d", grid=False, tickCount=min(rows, 12)
    )
    return channel.scale(domain=[-0.5, rows - 0.5], nice=False).axis(axis)


def _density(searched: SearchedLattice) -> Drawing:
    library = altair()
    by_row = searched.count_by_row()
    widest = max(everything for _, everything, _, _ in by_row)
    data = [
        {
            "y": row,
            "low": row - 0.42,
            "high": row + 0.42,
            "left": -everything / 2,
            "right": everything / 2,
            "inside": -everything / 2 + inside,
            "text": f"{minimal:,} minimal" if minimal else "",
        }
        for row, everything, inside, minimal in by_row
    ]
    base = draw_rows(data, 560, max(180, 20 * len(by_row)))
    x = library.X("left:Q").scale(domain=[-widest * 0.52, widest * 0.72], nice=False).axis(None)
    y = _rows_axis(library.Y("low:Q"), len(by_row))
    own = data[sum(searched.chosen)]
    mark = draw_rows([{"x": own["left"], "y": own["y"], "text": "chosen"}])
    words = mark.mark_text(align="right", dx=-9, color=VERMILION, fontWeight="bold", fontSize=12)
    return library.layer(
        base.mark_rect(color=PALE).encode(x, y, x2="right:Q", y2="high:Q"),
        base.mark_rect(color=BLUE).encode(x, y, x2="inside:Q", y2="high:Q"),
        base.mark_text(align="left", dx=6, color=INK, fontSize=11).encode(x="right:Q", y="y:Q", text="text:N"),
        mark.mark_point(color=VERMILION, filled=True, size=90, opacity=1).encode(x="x:Q", y="y:Q"),
        words.encode(x="x:Q", y="y:Q", text="text:N"),
    )


# Cuts.

# So much text fits above a line, and a third more above the last ones; the table has all of it.
MOST_CHARACTERS = 21


def cuts_chart(along: Mapping[str, int], nodes: Sequence[CutNode]) -> alt.TopLevelMixin:
    """Draw the first cuts: `along`, the number of cuts along each column; `nodes`, the top of their tree."""
    everybody = nodes[0]
    depths: list[int] = []
    for node in nodes:
        # a parent stands before its halves, so its depth is known
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
    deepest = max(depths)
    within = ["" if node.parent is None else _name_part(nodes[node.parent]) for node in nodes]
    subtitle = f"{counted(everybody.people, 'person')}, from left to right; thicker lines are more people."
    if any(node.groups > 1 and not node.cut for node in nodes):
        subtitle = f"{subtitle} Only the first {deepest} levels are drawn."
    return finish_chart(
        _tree(nodes, depths),
        title=_cuts_title(along, nodes),
        subtitle=subtitle,
        table=TableBehind(
            ("cuts", "of", "cut along", "holds", "people", "groups published"),
            tuple(
                (depth, parent, node.column, node.holds, node.people, node.groups)
                for depth, parent, node in zip(depths, within, nodes, strict=True)
            ),
        ),
        width=148 * (deepest + 1),
    )


def _cuts_title(along: Mapping[str, int], nodes: Sequence[CutNode]) -> str:
    everybody, cuts = nodes[0], sum(along.values())
    if not cuts:
        return f"Nobody was cut apart: {counted(everybody.people, 'person')} are one group"
    outcome = f"{counted(cuts, 'cut')} made {counted(everybody.groups, 'group')}"
    first, most = nodes[1].column, max(along, key=lambda name: along[name])
    if len(along) == 1:
        return f"{outcome}, {'all ' if cuts > 1 else ''}along {first}"
    if first == most:
        return f"{outcome}: the first is along {first}, and so are most of them ({along[most]:,})"
    return f"{outcome}: the first is along {first}, most are along {most} ({along[most]:,})"


def _name_part(node: CutNode) -> str:
    return f"{node.column} {node.holds}" if node.column else "everybody"


def find_heights(nodes: Sequence[CutNode]) -> list[float]:
    """Return the height of each node: leaves one below the other, the others in the middle of their halves."""
    heights = [0.0] * len(nodes)
    leaves = (index for index, node in enumerate(nodes) if not node.cut)
    for height, leaf in enumerate(leaves):
        heights[leaf] = float(height)
    # backwards, so that both halves of a node have their height before it
    for index in reversed(range(len(nodes))):
        if nodes[index].cut:
            halves = [heights[below] for below, node in enumerate(nodes) if node.parent == index]
            heights[index] = sum(halves) / len(halves)
    return heights


def _tree(nodes: Sequence[CutNode], depths: Sequence[int]) -> Drawing:
    library = altair()
    heights, deepest = find_heights(nodes), max(depths)
    # the level of everybody is narrower by 0.3 of a width, and the last one wider
    starts = [0.0, *(depth - 0.3 for depth in range(1, deepest + 2))]
    lines = []
    for depth, height, node in zip(depths, heights, nodes, strict=True):
        text, fits = _name_part(node), MOST_CHARACTERS * 4 // 3 if depth == deepest else MOST_CHARACTERS
        people = counted(node.people, "person")
        end = starts[depth + 1] - 0.04 if depth < deepest else deepest + 0.96
        lines.append(
            {
                "x": starts[depth],
                "end": starts[depth + 1] if node.cut else end,
                "y": height,
                # nine pixels are all people; at least one, so that few people can be seen too
                "width": max(9.0 * node.people / max(nodes[0].people, 1), 1),
                "above": text if len(text) <= fits else f"{text[: fits - 1].rstrip()}…",
                "below": people if node.cut else f"{people}, {counted(node.groups, 'group')}",
            }
        )
    forks = [
        {"x": starts[depths[index] + 1], "y": min(halves), "end": max(halves)}
        for index, node in enumerate(nodes)
        if node.cut
        and (halves := [height for height, half in zip(heights, nodes, strict=True) if half.parent == index])
    ]
    leaves = [line for line, node in zip(lines, nodes, strict=True) if not node.cut]
    x, end_of_line = (
        library.X(f"{name}:Q").scale(domain=[0, deepest + 1], nice=False).axis(None) for name in ("x", "end")
    )
    y = library.Y("y:Q").scale(domain=[-0.6, len(leaves) - 0.4], nice=False, reverse=True).axis(None)
    base = draw_rows(lines, 148 * (deepest + 1), 47 * len(leaves))
    thickness = library.StrokeWidth("width:Q").scale(None).legend(None)
    words = base.encode(x, y)
    return library.layer(
        draw_rows(forks).mark_rule(color=GREY).encode(x, y, y2="end:Q"),
        base.mark_rule(color=BLUE, opacity=1).encode(x, y, thickness, x2="end:Q"),
        draw_rows(leaves).mark_point(filled=True, color=BLUE, opacity=1, size=34).encode(end_of_line, y),
        words.mark_text(align="left", dx=7, dy=-6, baseline="bottom", fontSize=12, color=INK).encode(text="above:N"),
        words.mark_text(align="left", dx=7, dy=6, baseline="top", fontSize=11, color=GREY).encode(text="below:N"),
    )


# Candidates.

# Candidates that are measured: the best by the utility of the search.
MOST_CANDIDATES = 40


def candidates_of(result: SearchResult) -> CandidateReleases:
    """Measure the minimal generalisations of a search, each as it would be published, by the policy's first limit."""
    method, table = result.method, held(result.recoding.table)
    if not result.choices:
        raise BadMeasure(
            f"method '{method.name}' leaves no candidates to choose from; sl.compare tries several methods"
        )
    utility, criterion = result.chosen_by or DEFAULT_UTILITY, result.policy.criteria[0]
    candidates = []
    for choice in result.choices[:MOST_CANDIDATES]:
        at_levels = method.with_options(levels=dict(choice.levels))
        # searched again at these levels alone, so that the risk is that of the release as it would be published
        outcomes = at_levels.search(table, result.policy, by=result.hierarchies, utilities=(utility,), progress=quiet)
        name = ", ".join(f"{column} {level}" for column, level in choice.levels.items())
        risk = criterion.measure.measure(outcomes[utility].release).value
        candidates.append((name, choice.utility[utility], risk, choice.levels == result.levels))
    return CandidateReleases.build(criterion, utility, candidates)


def comparison_chart(comparison: ReleaseComparison) -> alt.TopLevelMixin:
    """Draw the releases of a comparison that are within policy, by the policy's first limit."""
    criterion, advised = comparison.policy.criteria[0], comparison.advised
    candidates = (
        (
            row.how,
            row.result.utility[DEFAULT_UTILITY],
            criterion.measure.measure(row.result.release).value,
            row is advised,
        )
        for row in comparison.within
        if row.result is not None and row.method.prints_rows  # elsewhere people are recognised, whatever the loss
    )
    return candidates_chart(CandidateReleases.build(criterion, DEFAULT_UTILITY, candidates), own="advised")


def pareto_front(candidates: Sequence[Candidate], *, large_is_bad: bool) -> list[Candidate]:
    """Return the candidates that no other one beats on both, smallest loss first.

    >>> from sidelight.documents.document import number
    >>> few = [("a", 0.1, 3), ("b", 0.2, 2), ("c", 0.3, 2)]
    >>> few = [Candidate(name=name, loss=loss, risk=number(risk, large_is_bad=True)) for name, loss, risk in few]
    >>> [each.name for each in pareto_front(few, large_is_bad=True)]
    ['a', 'b']
    """
    sign = 1 if large_is_bad else -1
    front: list[Candidate] = []
    # later ones lose no less, so only a strictly smaller risk keeps them on the front
    for each in sorted(candidates, key=lambda candidate: (candidate.loss, sign * candidate.risk.value, candidate.name)):
        if not front or sign * each.risk.value < sign * front[-1].risk.value:
            front.append(each)
    return front


def candidates_chart(compared: CandidateReleases, own: str = "chosen") -> alt.TopLevelMixin:
    """Draw candidates by loss and risk, with the limit; `own` is the word for the chosen one."""
    candidates, utility = compared.candidates, compared.utility
    front = pareto_front(candidates, large_is_bad=compared.large_is_bad)
    chosen = next((each for each in candidates if each.chosen), None)
    verb = "is" if len(front) == 1 else "are"
    title = f"{len(front):,} of {counted(len(candidates), 'candidate')} {verb} beaten by no other"
    subtitle = "Each point is a release that could be published; the line joins those that no other beats on both."
    if chosen is not None:
        risk = f"{compared.measure} {chosen.risk.text}"
        title = f"The {own} release has {utility} {short_decimal(chosen.loss)} at {risk}; {title}"
        subtitle = f"{own.capitalize()}: {chosen.name}. {subtitle}"
    rows = (
        (each, "yes" if each in front else "", "yes" if each.chosen else "")
        for each in sorted(candidates, key=lambda candidate: candidate.loss)
    )
    return finish_chart(
        _candidate_points(compared, front, chosen, own),
        title=title,
        subtitle=subtitle,
        table=TableBehind(
            ("candidate", utility, f"{compared.text}, exactly", "no other is better on both", own),
            tuple((each.name, each.loss, exact_text(each.risk.value), best, is_own) for each, best, is_own in rows),
        ),
        width=600,
    )


def _candidate_points(
    compared: CandidateReleases, front: Sequence[Candidate], chosen: Candidate | None, own: str
) -> Drawing:
    library = altair()
    bad, utility, bound = compared.large_is_bad, compared.utility, float(compared.limit.bound.value)
    rows = [
        {
            "loss": each.loss,
            "risk": round_cautiously(each.risk.value, large_is_bad=bad),
            "front": each in front,
            "name": each.name,
        }
        for each in compared.candidates
    ]
    losses = [each.loss for each in compared.candidates]
    # equal losses would leave the axis without a length
    margin = (max(losses) - min(losses)) * 0.08 or 0.05
    x = library.X("loss:Q").scale(domain=[max(min(losses) - margin, 0), max(losses) + margin], nice=False)
    x = x.axis(title=break_lines(f"{utility}: {MEANINGS.get(utility, 'less is better')}", 66), tickCount=6)
    # room for every risk and for the limit; probabilities end at 1, and amounts have whole ticks
    values = [*(round_cautiously(each.risk.value, large_is_bad=bad) for each in compared.candidates), bound]
    spread = max(values) - min(values) or 1.0
    low, high = max(min(values) - 0.12 * spread, 0.0), max(values) + 0.12 * spread
    y = library.Y("risk:Q").scale(domain=[low, min(high, 1.0) if bad and max(values) <= 1 else high], nice=False)
    ticks = {"tickMinStep": 1} if all(value == int(value) for value in values) else {}
    y = y.axis(title=compared.text, tickCount=6, **ticks)
    base = draw_rows(rows, 460, 280)
    joined = base.transform_filter("datum.front").mark_line(color=BLUE, strokeWidth=1.5, interpolate="step-after")
    points = base.mark_point(filled=True, size=55, opacity=1, fill=PAPER, stroke=GREY, strokeWidth=1.5)
    limit = draw_rows([{"limit": bound, "text": f"limit {compared.limit.text}"}])
    named = limit.mark_text(color=INK, align="left", dx=6, baseline="middle", fontSize=12)
    layers = [
        joined.encode(x, y),
        points.encode(x, y, tooltip=["name:N"]),
        base.transform_filter("datum.front").mark_point(filled=True, size=60, opacity=1, color=BLUE).encode(x, y),
        limit.mark_rule(color=INK, strokeWidth=1.5).encode(y="limit:Q"),
        named.encode(y="limit:Q", x=library.value(460), text="text:N"),
    ]
    if chosen is not None:
        row = {"loss": chosen.loss, "risk": round_cautiously(chosen.risk.value, large_is_bad=bad), "text": own}
        mark = draw_rows([row]).encode(x="loss:Q", y="risk:Q")
        words = mark.mark_text(color=VERMILION, fontWeight="bold", fontSize=12, dy=-14)
        layers += [mark.mark_point(color=VERMILION, filled=True, size=130, opacity=1), words.encode(text="text:N")]
    return library.layer(*layers)


# Losses.

SHARES: dict[str, str] = {
    "balanced loss": "what the columns no longer tell",
    "loss": "how much of its column a cell covers",
    "non-uniform entropy": "how hard it is to guess the cells",
}
"""Utilities between 0 (nothing lost) and 1 (everything lost), and what is lost, in words."""


def losses_chart(losses: Mapping[str, float]) -> alt.TopLevelMixin:
    """Draw how much of the table is lost, with the digits of a loss in a sidecar."""
    # a utility outside 0 to 1 would be off the shared scale
    shares = [(name, losses[name]) for name in SHARES if name in losses and 0 <= losses[name] <= 1]
    if not shares:
        raise BadMeasure("no utility here is a share of what could be lost, so there is no picture of them")
    # no digit is added to the three of a sidecar
    digits = [short_decimal(round(loss, 4)) for _, loss in shares]
    rows = [
        {"name": f"{SHARES[name]} ({name})", "loss": loss, "text": text}
        for (name, loss), text in zip(shares, digits, strict=True)
    ]
    x = share_axis(altair().X("loss:Q"), "0%: nothing is lost; 100%: everything is")
    return finish_chart(
        draw_bars(rows, x, width=340, step=34, label=330, font=12, ticks=False),
        title=f"Of what the table told, the release loses {digits[0]} by {shares[0][0]}",
        subtitle="Three ways to count what is lost; less is better.",
        table=TableBehind(("utility", "lost"), tuple(shares)),
        width=640,
    )
