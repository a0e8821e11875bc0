"""`sidelight simulate`: what would releases of overlapping samples of this table give away together?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from sidelight.answers.sources import Question, TableSource, read_levels
from sidelight.attack.simulation import MeanEstimate, Simulation, simulate_composition
from sidelight.cli.options import SimulateOptions
from sidelight.cli.run import Output, Status, bar, say
from sidelight.documents.document import Envelope
from sidelight.errors import BadNoise, BadPolicy
from sidelight.policy.limit_text import read_limit
from sidelight.policy.policy import Policy
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.noise.comparison import SideBySide

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""

MEANING = (
    "Given away: one value is left; none: nothing within policy could be published. Guessed: the true value is the "
    "likeliest. Values before: that the best release alone leaves, and after: that all of them leave."
)

NOTE = "An experiment on people whose values are known; its figures are not for publishing about others."

FIGURES = {
    "perfect": "given away",
    "guessed": "guessed",
    "before": "values before",
    "after": "values after",
    "actual": "people around",
    "query error": "query error",
}
"""What is shown of each way, and under which heading."""


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """Which table, under which policies, and how samples of it are drawn and published."""

    file: str
    question: Question
    hierarchies: Path | None
    samples: SimulateOptions


def simulate(request: SimulateRequest, output: Output) -> Status:
    """Read, publish samples, attack them, print."""
    source, samples = TableSource(request.file, request.hierarchies), request.samples
    output.refuse(source.files())
    policies = policies_of(request)
    table, by = source.open(request.question.roles)
    notes = (*table.intake.notes(), *request.question.notes, NOTE)
    if samples.epsilon:
        beside = _beside_noise(request, table, by, policies)
        published = any(row.repetitions for row in beside.rows)
        output.write(_envelope(request, notes, beside=beside), _page(beside.title, _rows(beside), notes))
    else:
        simulation = _composed(request, table, by, policies)
        published = any(point.repetitions for point in simulation.points)
        page = _page(simulation.title, _points(simulation), (MEANING, *notes))
        output.write(_envelope(request, notes, simulation=simulation), page)
    if not published:
        say("nothing within policy could be published of any sample; give larger samples or a weaker policy")
        return Status.NOT_WITHIN_POLICY
    return Status.WITHIN_POLICY


def policies_of(request: SimulateRequest) -> dict[str, Policy]:
    """Name the policies that are tried: the one of the question, with each limit of --try in turn."""
    base = request.question.policy
    criteria = () if base is None else base.criteria
    tried = {text: Policy(*criteria, read_limit(text)) for text in request.samples.tried}
    if not tried and base is None:
        message = "no limit to try; give --policy, --limit, or one or more of --try 'group size >= 5'"
        raise BadPolicy(message)
    return tried or {str(base): Policy(*criteria)}


def _composed(
    request: SimulateRequest, table: Table, by: Mapping[str, Hierarchy], policies: Mapping[str, Policy]
) -> Simulation:
    samples = request.samples
    if samples.levels:
        message = "--levels are those of noisy counts; give --epsilon too, to set noise beside the others"
        raise BadNoise(message)
    with bar("simulating") as progress:
        return simulate_composition(
            table,
            overlap=samples.overlap,
            methods=samples.method,
            policies=policies,
            by=by,
            releases=samples.releases,
            people=samples.people,
            repetitions=samples.repetitions,
            seed=samples.seed,
            progress=progress,
        )


def _beside_noise(
    request: SimulateRequest, table: Table, by: Mapping[str, Hierarchy], policies: Mapping[str, Policy]
) -> SideBySide:
    from sidelight.noise.comparison import side_by_side  # noqa: PLC0415 - only where noise stands beside the others

    samples = request.samples
    levels = read_levels(samples.levels)
    if not levels:
        message = "which columns are counted with noise, and at which level? say --levels age=2 for each"
        raise BadNoise(message)
    if len(samples.method) > 1:
        message = "beside noise one --method is tried; give one"
        raise BadNoise(message)
    return side_by_side(
        table,
        by=by,
        levels=levels,
        overlap=samples.overlap,
        seed=samples.seed,
        policies=policies,
        epsilons=samples.epsilon,
        method=samples.method[0],
        people=samples.people,
        releases=samples.releases,
        repetitions=samples.repetitions,
    )


def _envelope(
    request: SimulateRequest,
    notes: tuple[str, ...],
    *,
    simulation: Simulation | None = None,
    beside: SideBySide | None = None,
) -> Envelope[Any]:
    figures = simulation or beside
    assert figures is not None
    document = json.loads(figures.to_json())
    answer = {name: document[name] for name in ("overlap", "people", "releases", "repetitions", "seed")}
    answer |= {"points": document.get("points"), "beside_noise": document.get("rows")}
    return Envelope(kind="simulate", schema_version=SCHEMA_VERSION, source=request.file, answer=answer, notes=notes)


# What is printed.


def _page(title: str, rows: Grid, notes: tuple[str, ...]) -> Iterator[RenderableType]:
    yield Text(title, style="bold")
    yield rows
    for note in notes:
        yield Text(f" • {note}")


def _points(simulation: Simulation) -> Grid:
    grid = _grid(("method", "policy", *FIGURES.values()))
    for point in simulation.points:
        published = f"{point.method}", point.policy
        if not point.repetitions:
            grid.add_row(*published, "none")
            continue
        grid.add_row(*published, *(_figure(name, point.estimates.get(name)) for name in FIGURES))
    return grid


def _rows(beside: SideBySide) -> Grid:
    grid = _grid(("way of publishing", *beside.headings[1:]))
    for cells in beside.cells():
        grid.add_row(*cells)
    return grid


def _grid(headings: tuple[str, ...]) -> Grid:
    grid = Grid(box=SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        grid.add_column(heading, justify="left" if number < 1 else "right", overflow="fold")
    return grid


def _figure(name: str, estimate: MeanEstimate | None) -> str:
    if estimate is None:
        return ""
    return f"{estimate.mean:.1%}" if name in ("perfect", "guessed") else f"{estimate.mean:.2f}"
