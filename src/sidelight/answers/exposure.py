"""People disclosed by a release together with another one about them, and the coarser release that would pass.

`sl.intersect` counts them: of both releases together, and of each alone.  A coarser release is found by raising one
level at a time, the one that leaves the fewest people disclosed; where the other release alone discloses too many, none
would pass.

*Invariant: no row of a person.*  The person at most risk is described by what both releases print of them.

Below: what releases of samples of a table would disclose together, before any is published.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import sidelight as sl
from sidelight.answers.recipe import (
    FileRecipe,
    Name,
    write_call,
    write_python,
    write_release,
    write_role_options,
    write_table,
)
from sidelight.answers.sources import read_asked_table, read_levels
from sidelight.attack.report import percent, sentences
from sidelight.documents.document import DocumentPart
from sidelight.engines.files import columns_of
from sidelight.errors import BadMeasure, BadNoise, BadPolicy, BadTable, SidelightError, as_names, did_you_mean
from sidelight.policy.limits import read_limit, read_share
from sidelight.publish.publish import read_published
from sidelight.release.read import release_from
from sidelight.report.answer import Answer, Live, Recipe
from sidelight.report.page import Blocks, Grid, PageSection, Picture, Points, Verdict
from sidelight.report.plots import picture_of
from sidelight.table.labels import show_in_list
from sidelight.table.roles import Roles
from sidelight.text import counted, shell

if TYPE_CHECKING:
    from sidelight.answers.questions import SimulateRequest
    from sidelight.attack.simulation import SimulationPoint
    from sidelight.progress import Progress
    from sidelight.release.locate import LocateMethod
    from sidelight.release.release import Release
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.table import Table


class UploadedFile(DocumentPart):
    """An uploaded file: its own name, the path where it is stored, and whether it came with a sidecar."""

    key: str  # random, so that an old address names no file
    name: str
    columns: tuple[str, ...] = ()
    sidecar: bool = False
    path: Live[Path]


@dataclass(frozen=True, slots=True)
class OtherRelease:
    """The other release, the people to look for in both, and how to find them."""

    other: UploadedFile
    people: UploadedFile | None  # None: those of the table
    roles: Roles  # of the other release, unless it has a sidecar
    present: Fraction  # probability that each of the people is in it
    at_most: Fraction  # the limit on the share of people who are disclosed
    locate: LocateMethod | None
    same_values: tuple[tuple[str, str], ...] | None = None  # None: not specified

    @property
    def attack(self) -> OtherRelease:
        """The same attack, whatever the limit."""
        return replace(self, at_most=Fraction(0))

    @property
    def no_command(self) -> str:
        """The comment in place of a command, where one cannot read both releases."""
        return f"# {self.other.name} prints other columns: the Python reads each file as it is"

    def write_command(self, recipe: FileRecipe, file: str, *options: str) -> str:
        """Write the command that attacks a file and this one; empty where one command cannot read both."""
        roles, own = recipe.roles, self.roles
        if not self.other.sidecar and (own.quasi, own.value_columns) != (roles.quasi, roles.value_columns):
            return ""
        words = ["sidelight", "attack", file, self.other.name]
        words += ["--people", recipe.file if self.people is None else self.people.name]
        if not (recipe.sidecar and self.other.sidecar):
            read_alike = Roles(quasi=roles.quasi, sensitive=roles.sensitive, missing_marks=roles.missing_marks)
            words += write_role_options(read_alike, "attack")
        words += ["--truth", roles.value_columns[0]] if self.people is None else []
        words += ["--hierarchies", recipe.hierarchies] if recipe.hierarchies else []
        words += ["--locate", self.locate] if self.locate else []
        words += ["--present", "1", "--present", str(self.present)] if self.present != 1 else []
        # '=' alone: equal labels, and no others, mean the same
        same = [] if self.same_values is None else [f"{one}={other}" for one, other in self.same_values] or ["="]
        words += [word for pair in same for word in ("--same-value", pair)]
        return shell([*words, "--at-most", str(self.at_most), *options])

    def recipe(self, file: FileRecipe, columns: Sequence[str]) -> Recipe:
        """Write the recipe that attacks a file, generalised to its levels, and this one."""
        commands, name = file.preparations(), file.file
        if file.levels:
            name = "release.csv"
            commands.append(file.publishing([], name))
        commands.append(self.write_command(file, name) or self.no_command)
        lines = [f"release = {file.published()}"] if file.sidecar else file.reading()
        lines += self.python_lines(file, columns, has_hierarchies=bool(file.levels))
        return Recipe(commands=tuple(commands), python=write_python(*lines, "print(exposure.explain())"))

    def python_lines(
        self,
        recipe: FileRecipe,
        columns: Sequence[str],
        *,
        released: str = "release",
        exposure: str = "exposure",
        has_hierarchies: bool = False,
    ) -> list[str]:
        """Write the Python that attacks a release in memory and this one; `columns` are those of the table."""
        lines, by = list[str](), Name("hierarchies") if recipe.hierarchies else None
        people: object = Name("people") if self.people is None else self.people.name
        if self.people is None:
            others = [name for name in self.roles.quasi if name in columns]
            whom = replace(recipe.roles, quasi=tuple(dict.fromkeys((*recipe.roles.quasi, *others))))
            lines.append(f"people = {write_table(recipe.file, whom)}")
        if by is not None and not has_hierarchies:
            lines.append(f"hierarchies = {write_call('sl.read_hierarchies', recipe.hierarchies)}")
        call = write_call(
            "sl.intersect",
            Name(f"[{released}, other]"),
            people=people,
            by=by,
            locate=self.locate,
            same_values=None if self.same_values is None else Name(repr(dict(self.same_values))),  # {}: no others
            present=[1, self.present] if self.present != 1 else None,
        )
        other = write_release(self.other.name, self.roles, by_sidecar=self.other.sidecar)
        return [*lines, f"other = {other}", f"{exposure} = {call}"]


class CoarserRelease(DocumentPart):
    """How many people this release discloses at these levels; `passes`: few enough, by candidate sets."""

    levels: dict[str, int]
    given_away: int
    holds: bool | None
    passes: bool


class ExposureAnswer(DocumentPart):
    """How many people are disclosed, and how."""

    name: str
    people: int
    given_away: int
    at_least: bool
    alone: int
    by_the_other_alone: int
    open: int
    sentence: str
    holds: bool | None
    witness: str
    coarser: tuple[CoarserRelease, ...]
    notes: tuple[str, ...]
    exposure: Live[sl.Exposure]
    beside: Live[OtherRelease]

    def draw(self) -> tuple[Picture, ...]:
        """Draw how many values are left, and the beliefs; nothing without the extra that draws."""
        with suppress(SidelightError):
            return tuple(picture_of(self.exposure.plot(each)) for each in ("values left", "belief"))
        return ()


@dataclass(frozen=True, kw_only=True)
class ExposureRequest:
    """The release that is attacked, the other one, and the people to look for in both."""

    beside: OtherRelease
    release: Release
    other: Release
    name: str  # of the release
    known: tuple[str, ...]  # the printed columns that are known of people
    people: Table | str  # or the path of a file
    truth: str | None = None  # the column of the people with the true value
    about: str | None = None  # the sensitive column that is attacked, where there are several
    by: Mapping[str, Hierarchy] = field(default_factory=dict)  # from the command
    table: Table | None = None  # from which coarser releases are made
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)  # of the table
    levels: Mapping[str, int] = field(default_factory=dict)  # of the release

    @classmethod
    def gather(
        cls,
        beside: OtherRelease,
        release: Release,
        *,
        sensitive: str,
        columns: Sequence[str],
        read_people: Callable[[tuple[str, ...]], Table],
        **settings: Any,  # noqa: ANN401 - name, by, table, hierarchies, levels
    ) -> ExposureRequest:
        """Read the other release and the people, who have `columns`; `read_people` takes those that are known."""
        about = sensitive if len(release.sensitive_columns) > 1 else None
        release = release if about is None else release.about(about)
        path, people, truth = beside.other.path, beside.people, release.sensitive_columns[0]
        other = read_published(path) if beside.other.sidecar else release_from(str(path), beside.roles)
        known = tuple(name for name in list_columns(release, other) if name in columns)
        return cls(
            beside=beside,
            release=release,
            other=other,
            known=known,
            people=read_people(known) if people is None else str(people.path),
            truth=truth if people is not None and truth in columns else None,
            about=about,
            **settings,
        )

    def intersect(self, release: Release, present: tuple[int, int] = (1, 1)) -> sl.Exposure:
        """Look for people in a release and the other one; `present` 0: nobody is in that one."""
        beside = self.beside
        return sl.intersect(
            [release, self.other],
            people=self.people,
            quasi=self.known if beside.people is not None else None,
            truth=self.truth,
            by=dict(self.by) or None,
            locate=beside.locate,
            present=[Fraction(present[0]), present[1] * beside.present],
            same_values=None if beside.same_values is None else dict(beside.same_values),
        )


def ask_exposure(request: ExposureRequest, progress: Progress) -> ExposureAnswer:
    """Intersect the releases, count, and search for a coarser release that passes."""
    progress("releases", 0, None)
    beside, name = request.beside, request.beside.other.name
    together = request.intersect(request.release)
    own, others = (request.intersect(request.release, present) for present in ((1, 0), (0, 1)))
    holds = together.within(beside.at_most)
    # where the other release alone discloses too many, no release beside it would pass
    too_many = holds is False and others.within(beside.at_most) is not False
    # not located, contradicted, or disclosed only if they are in both releases
    still_open = replace(together, evidence="sets").undecided()
    what = "the value" if together.semantics == "single" else "some value"
    share = f" ({percent(together.perfect)})" if together.given_away else ""
    unknown = f" Of {counted(still_open, 'person')} nobody can tell." if still_open else ""
    whom = f"{together.given_away_in_words} of {counted(together.located, 'person')}{share}"
    alone = f"this one gives away {own.given_away_in_words} and {name} {others.given_away_in_words}"
    return ExposureAnswer(
        name=name,
        people=together.located,
        given_away=together.given_away,
        at_least=together.is_lower_bound,
        alone=own.given_away,
        by_the_other_alone=others.given_away,
        open=still_open,
        sentence=f"Together they give away {what} of {whom}; alone, {alone}.{unknown}",
        holds=holds,
        witness=describe_worst(together),
        coarser=tuple(_climb(request, progress)) if too_many else (),
        notes=tuple(_notes(request, together)),
        exposure=together,
        beside=beside,
    )


def _climb(request: ExposureRequest, progress: Progress) -> Iterator[CoarserRelease]:
    """Raise levels one at a time until few enough people are disclosed, by candidate sets if need be."""
    table, by, at_most = request.table, request.hierarchies, request.beside.at_most
    levels, tried = dict.fromkeys(by, 0) | dict(request.levels), 0
    while table is not None:
        steps = []
        for name, hierarchy in by.items():
            if levels[name] + 1 < hierarchy.height:
                above = {**levels, name: levels[name] + 1}
                release = sl.generalise(table, by=by, to=above)
                exposure = request.intersect(release if request.about is None else release.about(request.about))
                steps.append((exposure.perfect, exposure.open, tried, above, exposure))
                tried += 1
                progress("coarser releases", tried, None)
        if not steps:
            return
        *_, levels, exposure = min(steps, key=lambda step: step[:3])
        passes = replace(exposure, evidence="sets").within(at_most) is True
        yield CoarserRelease(
            levels={name: level for name, level in levels.items() if level},
            given_away=exposure.given_away,
            holds=exposure.within(at_most),
            passes=passes,
        )
        if passes:
            return


def _notes(request: ExposureRequest, together: sl.Exposure) -> Iterator[str]:
    yield f"Release 1 is {request.name}, as it is looked at here; release 2 is {request.beside.other.name}."
    if request.about is not None:
        yield f"It is about {show_in_list(request.about)}, and no other sensitive column."
    yield from sentences(together)
    printed = list_columns(request.release, request.other)
    unknown = [show_in_list(each) for each in printed if each not in request.known]
    if unknown:
        yield f"Nothing is known of people in {', '.join(unknown)}: nobody is looked for by that."


def list_columns(*releases: Release) -> tuple[str, ...]:
    """Return the quasi-identifiers that releases print, each once."""
    return tuple(dict.fromkeys(column.name for each in releases for column in each.groups.columns))


def describe_worst(exposure: sl.Exposure) -> str:
    """Describe the people at most risk by what is printed of them, never by their own row."""
    certain = np.flatnonzero(exposure.certain)
    if len(certain):
        by_loss = np.lexsort((exposure.people.sizes[certain], exposure.values_lost[certain]))
        row = int(certain[by_loss[-1]])
    elif np.isnan(exposure.belief).all():
        return ""
    else:
        row = int(np.nanargmax(exposure.belief))
    alike, everybody = np.ones(len(exposure.people), bool), np.arange(len(exposure.people))
    for view in exposure.views:
        where = view.whereabouts(everybody)
        alike &= (where == where[row]) & (view.presence_codes == view.presence_codes[row])
    people = int(exposure.people.sizes[alike].sum())
    return replace(exposure.witness(row), cells=(), people=people).explain()


# Parsing what is typed about the other release.


def read_same_values(text: str) -> tuple[tuple[str, str], ...] | None:
    """Parse 'Influenza=Flu; HIV=AIDS'; '=' alone: equal labels, and no others, mean the same."""
    pairs = [tuple(each.strip().partition("=")) for each in text.split(";") if each.strip()]
    if any(not equals or bool(one.strip()) != bool(other.strip()) for one, equals, other in pairs):
        raise BadMeasure(
            f"cannot read '{text[:40]}'; write 'Influenza=Flu; HIV=AIDS', or '=' if no others are the same"
        )
    return tuple((one.strip(), other.strip()) for one, _, other in pairs if one.strip()) if pairs else None


def read_typed_share(text: str, what: str) -> Fraction:
    """Parse a share of people from 0 to 1."""
    share = read_share(text)
    if share is None:
        raise BadMeasure(f"cannot read '{text[:40]}' as {what}; give a number from 0 to 1, such as 0.01 or 1/100")
    return share


def choose_roles(
    other: UploadedFile, like: Roles, source: str, *, known: Sequence[str] = (), sensitive: str = ""
) -> Roles:
    """Return the roles in a file without a sidecar: the typed ones, or those of the same columns in `like`.

    `like` decides also how texts are read; `source` is the name of the file that it belongs to.
    """
    reading = replace(like, quasi=(), sensitive=None)
    columns = columns_of(str(other.path), reading)
    for name in (*known, *as_names(sensitive or ())):
        if name not in columns:
            raise BadTable(f"no column '{name}' in {other.name}{did_you_mean(name, columns)}")
    sensitive = sensitive or next((name for name in like.value_columns if name in columns), "")
    if not sensitive:
        raise BadTable(f"which column of {other.name} is the one that nobody should find out? Say so below")
    named = tuple(known) or tuple(name for name in like.quasi if name in columns)
    named = tuple(name for name in named if name != sensitive and name not in like.value_columns)
    if not named:
        raise BadTable(f"no column of {other.name} is called as one of {source}: nobody can be found by it")
    return replace(reading, quasi=named, sensitive=sensitive)


def list_roles(other: UploadedFile, roles: Roles) -> tuple[tuple[str, str], ...]:
    """Return the columns of a file with their roles: of its sidecar, or of `roles`."""
    if other.sidecar:
        release = read_published(other.path)
        quasi, sensitive = list_columns(release), release.sensitive_columns
        names: Sequence[str] = (*quasi, *sensitive)
    else:
        quasi, sensitive = roles.quasi, roles.value_columns
        names = columns_of(str(other.path), replace(roles, quasi=(), sensitive=None))
    return tuple(
        (name, "quasi" if name in quasi else "sensitive" if name in sensitive else "leave out") for name in names
    )


# What releases of samples would disclose together.


FIGURES = {
    "perfect": "given away",
    "guessed": "guessed",
    "before": "values before",
    "after": "values after",
    "actual": "people around",
    "query error": "query error",
}
"""The estimates that are shown, and their headings."""


def _read_policies(request: SimulateRequest) -> dict[str, sl.Policy]:
    """Return the policies to try: that of the question, with each limit of --try in turn."""
    base = request.question.policy
    criteria = () if base is None else base.criteria
    tried = {text: sl.Policy(*criteria, read_limit(text)) for text in request.tried}
    if not tried and base is None:
        raise BadPolicy("no limit to try; give --policy, --limit, or one or more of --try 'group size >= 5'")
    return tried or {str(base): sl.Policy(*criteria)}


def _list_settings(request: SimulateRequest, policies: object, by: object) -> dict[str, Any]:
    """Return the settings of the simulation as keywords, in the order of a written call."""
    settings = {"overlap": request.overlap, "seed": request.seed, "policies": policies, "by": by}
    return settings | {name: getattr(request, name) for name in ("people", "releases", "repetitions")}


def write_simulate(request: SimulateRequest) -> str:
    """Write the Python that repeats it."""
    base = request.question.policy
    limits = [] if base is None else [str(each) for each in base.criteria]
    names = {text: [*limits, text] for text in request.tried} or {"policy": limits}
    policies = ", ".join(f"{name!r}: sl.Policy(*map(read_limit, {texts!r}))" for name, texts in names.items())
    by = None if request.hierarchies is None else Name(write_call("sl.read_hierarchies", str(request.hierarchies)))
    settings = _list_settings(request, Name("policies"), by)
    imports = ["from sidelight.policy.limits import read_limit"]
    if request.epsilon:
        imports.append("from sidelight.noise.attack import side_by_side")
        settings |= {"levels": read_levels(request.levels), "epsilons": list(request.epsilon)}
        call = write_call("side_by_side", Name("table"), **settings, method=request.method[0])
    else:
        call = write_call("sl.simulate_composition", Name("table"), methods=list(request.method), **settings)
    table = f"table = {write_table(request.file, request.roles)}"
    return write_python(table, f"policies = {{{policies}}}", f"print({call})", imports=imports)


class SimulateFacts(DocumentPart):
    """How samples were drawn, and what each way of publishing disclosed; with noise, `beside_noise`."""

    overlap: int
    people: int
    releases: int
    repetitions: int
    seed: int
    points: list[dict[str, Any]] | None
    beside_noise: list[dict[str, Any]] | None


class SimulateAnswer(Answer[SimulateFacts]):
    """What several releases of samples would disclose together."""

    question: ClassVar[str] = "What would several releases give away together?"

    figures: Live[sl.Simulation | sl.SideBySide]
    grid: Live[Grid]

    @property
    def verdict(self) -> Verdict:
        points = self.figures.points if isinstance(self.figures, sl.Simulation) else self.figures.rows
        return "within" if any(each.repetitions for each in points) else "not within"

    def remarks(self) -> tuple[str, ...]:
        nothing = "nothing within policy could be published of any sample; give larger samples or a weaker policy"
        return () if self.verdict == "within" else (nothing,)

    def blocks(self) -> Blocks:
        meaning = (
            "Given away: one value is left; none: nothing within policy could be published. Guessed: the true value is "
            "the likeliest. Values before: that the best release alone leaves, and after: that all of them leave."
        )
        notes = (meaning, *self.notes) if isinstance(self.figures, sl.Simulation) else self.notes
        yield PageSection(self.figures.title, (self.grid, Points(notes)))


def ask_simulate(request: SimulateRequest, progress: Progress) -> SimulateAnswer:
    """Draw samples, publish them, and attack them together."""
    policies = _read_policies(request)
    table, by = read_asked_table(request)
    settings = _list_settings(request, policies, by)
    figures: sl.Simulation | sl.SideBySide
    if request.epsilon:
        levels = read_levels(request.levels)
        if not levels:
            raise BadNoise("which columns are counted with noise, and at which level? say --levels age=2 for each")
        if len(request.method) > 1:
            raise BadNoise("beside noise one --method is tried; give one")
        figures = sl.side_by_side(table, levels=levels, epsilons=request.epsilon, method=request.method[0], **settings)
        headings, rows = ("way of publishing", *figures.headings[1:]), figures.cells()
    else:
        if request.levels:
            raise BadNoise("--levels are those of noisy counts; give --epsilon too, to set noise beside the others")
        figures = sl.simulate_composition(table, methods=request.method, progress=progress, **settings)
        headings, rows = ("method", "policy", *FIGURES.values()), map(_point_cells, figures.points)
    written = json.loads(figures.to_json())
    common = {name: written[name] for name in ("overlap", "people", "releases", "repetitions", "seed")}
    note = "An experiment on people whose values are known; its figures are not for publishing about others."
    return SimulateAnswer(
        kind=request.verb,
        schema_version=1,
        source=request.file,
        answer=SimulateFacts(**common, points=written.get("points"), beside_noise=written.get("rows")),
        notes=(*table.intake.notes(), *request.question.notes, note),
        figures=figures,
        grid=Grid(headings, tuple(rows), figures=frozenset(range(1, len(headings)))),
    )


def _point_cells(point: SimulationPoint) -> tuple[str, ...]:
    shown = {
        name: f"{each.mean:.1%}" if name in ("perfect", "guessed") else f"{each.mean:.2f}"
        for name in FIGURES
        if (each := point.estimates.get(name)) is not None
    }
    figures = [shown.get(name, "") for name in FIGURES] if point.repetitions else ["none", *[""] * (len(FIGURES) - 1)]
    return (f"{point.method}", point.policy, *figures)
