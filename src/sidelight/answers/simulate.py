"""What would releases of overlapping samples of this table give away together?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sidelight.answers.recipe import Name, write_call, write_python, write_table
from sidelight.answers.sources import TableRequest, read_levels
from sidelight.attack.simulation import Simulation, SimulationPoint, simulate_composition
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadNoise, BadPolicy
from sidelight.noise.attack import SideBySide, side_by_side
from sidelight.policy.limits import read_limit
from sidelight.policy.policy import Policy
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Grid, PageSection, Points, Verdict

if TYPE_CHECKING:
    from sidelight.search.protect import MethodName

FIGURES = {
    "perfect": "given away",
    "guessed": "guessed",
    "before": "values before",
    "after": "values after",
    "actual": "people around",
    "query error": "query error",
}
"""What is shown of each way, and under which heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulateRequest(TableRequest):
    """Which table, under which policies, and how samples of it are drawn and published."""

    overlap: int
    seed: int
    people: int | None
    releases: int
    repetitions: int
    tried: tuple[str, ...]
    method: tuple[MethodName, ...]
    epsilon: tuple[str, ...]
    levels: tuple[str, ...]

    @property
    def policies(self) -> dict[str, Policy]:
        """The policies that are tried: the one of the question, with each limit of --try in turn."""
        base = self.question.policy
        criteria = () if base is None else base.criteria
        tried = {text: Policy(*criteria, read_limit(text)) for text in self.tried}
        if not tried and base is None:
            message = "no limit to try; give --policy, --limit, or one or more of --try 'group size >= 5'"
            raise BadPolicy(message)
        return tried or {str(base): Policy(*criteria)}

    @property
    def samples(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("people", "releases", "repetitions")}

    def python(self) -> str:
        base = self.question.policy
        limits = [] if base is None else [str(each) for each in base.criteria]
        names = {text: [*limits, text] for text in self.tried} or {"policy": limits}
        policies = ", ".join(f"{name!r}: sl.Policy(*map(read_limit, {texts!r}))" for name, texts in names.items())
        by = None if self.hierarchies is None else Name(write_call("sl.read_hierarchies", str(self.hierarchies)))
        # in the order in which the call is written
        settings = {"overlap": self.overlap, "seed": self.seed, "policies": Name("policies"), "by": by, **self.samples}
        imports = ["from sidelight.policy.limits import read_limit"]
        if self.epsilon:
            imports.append("from sidelight.noise.attack import side_by_side")
            settings |= {"levels": read_levels(self.levels), "epsilons": list(self.epsilon), "method": self.method[0]}
            call = write_call("side_by_side", Name("table"), **settings)
        else:
            call = write_call("sl.simulate_composition", Name("table"), methods=list(self.method), **settings)
        table = f"table = {write_table(self.file, self.question.roles)}"
        return write_python(table, f"policies = {{{policies}}}", f"print({call})", imports=imports)


class SimulateFacts(DocumentPart):
    """How samples were drawn, and what each way of publishing them gave away; with noise, `beside_noise`."""

    overlap: int
    people: int
    releases: int
    repetitions: int
    seed: int
    points: list[dict[str, Any]] | None
    beside_noise: list[dict[str, Any]] | None


class SimulateAnswer(Answer[SimulateFacts]):
    """What several releases of samples would give away together."""

    question: ClassVar[str] = "What would several releases give away together?"

    figures: Live[Simulation | SideBySide]
    grid: Live[Grid]

    @property
    def verdict(self) -> Verdict:
        points = self.figures.points if isinstance(self.figures, Simulation) else self.figures.rows
        return "within" if any(each.repetitions for each in points) else "not within"

    def remarks(self) -> tuple[str, ...]:
        nothing = "nothing within policy could be published of any sample; give larger samples or a weaker policy"
        return () if self.verdict == "within" else (nothing,)

    def blocks(self) -> Blocks:
        meaning = (
            "Given away: one value is left; none: nothing within policy could be published. Guessed: the true value is "
            "the likeliest. Values before: that the best release alone leaves, and after: that all of them leave."
        )
        notes = (meaning, *self.notes) if isinstance(self.figures, Simulation) else self.notes
        yield PageSection(self.figures.title, (self.grid, Points(notes)))


def ask(request: SimulateRequest, progress: Progress = quiet) -> SimulateAnswer:
    """Draw samples, publish them, attack them together."""
    policies = request.policies
    table, by = request.read_table()
    figures: Simulation | SideBySide
    if request.epsilon:
        levels = read_levels(request.levels)
        if not levels:
            message = "which columns are counted with noise, and at which level? say --levels age=2 for each"
            raise BadNoise(message)
        if len(request.method) > 1:
            message = "beside noise one --method is tried; give one"
            raise BadNoise(message)
        figures = side_by_side(
            table,
            by=by,
            levels=levels,
            overlap=request.overlap,
            seed=request.seed,
            policies=policies,
            epsilons=request.epsilon,
            method=request.method[0],
            **request.samples,
        )
        grid = _as_grid(("way of publishing", *figures.headings[1:]), figures.cells())
    else:
        if request.levels:
            message = "--levels are those of noisy counts; give --epsilon too, to set noise beside the others"
            raise BadNoise(message)
        figures = simulate_composition(
            table,
            overlap=request.overlap,
            methods=request.method,
            policies=policies,
            by=by,
            seed=request.seed,
            progress=progress,
            **request.samples,
        )
        grid = _as_grid(("method", "policy", *FIGURES.values()), map(_point_cells, figures.points))
    written = json.loads(figures.to_json())
    common = {name: written[name] for name in ("overlap", "people", "releases", "repetitions", "seed")}
    note = "An experiment on people whose values are known; its figures are not for publishing about others."
    return SimulateAnswer(
        kind="simulate",
        schema_version=1,
        source=request.file,
        answer=SimulateFacts(**common, points=written.get("points"), beside_noise=written.get("rows")),
        notes=(*table.intake.notes(), *request.question.notes, note),
        figures=figures,
        grid=grid,
    )


def _point_cells(point: SimulationPoint) -> tuple[str, ...]:
    shown = {
        name: f"{each.mean:.1%}" if name in ("perfect", "guessed") else f"{each.mean:.2f}"
        for name in FIGURES
        if (each := point.estimates.get(name)) is not None
    }
    figures = [shown.get(name, "") for name in FIGURES] if point.repetitions else ["none", *[""] * (len(FIGURES) - 1)]
    return (f"{point.method}", point.policy, *figures)


def _as_grid(headings: tuple[str, ...], rows: Iterable[Sequence[str]]) -> Grid:
    return Grid(headings, tuple(map(tuple, rows)), figures=frozenset(range(1, len(headings))))
