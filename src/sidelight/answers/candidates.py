"""The candidates that a search offers for publication, each judged by the whole policy.

Candidates are the best release, the other minimal ones of a lattice, and results of other searches within the same
limits.  They are compared by the findings of limits and by their loss; rows are groups of a release, never people.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from sidelight.answers.recipe import (
    FileRecipe,
    Name,
    levels_text,
    write_limit_options,
    write_limits,
    write_protect,
    write_python,
)
from sidelight.documents.document import CandidateReleases, DocumentPart, finite_or_none
from sidelight.errors import BadPolicy, NotPublished, did_you_mean, parameter
from sidelight.files import open_private
from sidelight.policy.measure_names import ASK_CHOICES
from sidelight.release.generalise import group
from sidelight.report.answer import Live, Recipe
from sidelight.report.charts.searches import (
    MOST_CANDIDATES,
    SearchedLattice,
    candidates_chart,
    lattice_chart,
    search_chart,
)
from sidelight.report.page import Grid
from sidelight.report.plots import Drawing, description_of, specification, table_behind, title_of
from sidelight.report.report import AuditFinding, audit_report
from sidelight.report.report import conclude as conclude_findings
from sidelight.rounding import short_decimal
from sidelight.search.full_domain import FullDomain, Suppressed
from sidelight.search.method import Method, SearchResult
from sidelight.search.microaggregation import LabelAverage, Microaggregation
from sidelight.search.protect import METHODS, SearchProblem, method_of
from sidelight.search.utility import DEFAULT_UTILITY, MEANINGS, QUICK_UTILITIES, UTILITIES, UtilityName
from sidelight.table.labels import shown
from sidelight.text import counted, shell

if TYPE_CHECKING:
    from sidelight.measures.criterion import Criterion
    from sidelight.policy.policy import Policy
    from sidelight.progress import Progress
    from sidelight.publish.publish import Published
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.table import Table

METHOD_WORDS = {
    "lattice": "one level per column, the same for everybody",
    "mondrian": "groups cut one by one, each as fine as it may be",
    "anatomy": "columns as they are, and values apart, by bucket",
    "microaggregation": "clusters of people who are alike, each as its average",
}
"""Each method in a few words."""

OPTIONS_OF = {
    "lattice": ("utility", "suppress", "suppressed", "nodes"),
    "mondrian": ("resists",),
    "anatomy": (),
    "microaggregation": ("average",),
}
"""The options of each method; the others are ignored."""

OPTION_CHOICES: Mapping[str, tuple[str, ...]] = {
    "method": tuple(METHODS),
    "utility": tuple(UTILITIES),
    "suppressed": get_args(Suppressed),
    "resists": tuple(sorted({name for each in METHODS.values() for name in each.withstands})),
    "average": get_args(LabelAverage),
    "ask": ASK_CHOICES,
}
"""The choices of options that have some."""


class SearchChoice(BaseModel):
    """How to search: texts, as an address has them; an empty one is the default of the command line."""

    model_config = ConfigDict(frozen=True)  # hashable, as a part of questions

    method: str = Field(default="lattice", description="which search", max_length=40)
    utility: str = Field(default="", description="what the best is best at (lattice)", max_length=40)
    suppress: str = Field(default="", description="the share of people who may be suppressed (lattice)", max_length=40)
    suppressed: str = Field(default="", description="what becomes of suppressed people (lattice)", max_length=40)
    nodes: str = Field(default="", description="how many generalisations to look at (lattice)", max_length=40)
    resists: str = Field(default="", description="against whom the method defends (mondrian)", max_length=40)
    average: str = Field(default="", description="how categories are averaged (microaggregation)", max_length=40)
    ask: str = Field(default="", description="which readers are asked of what was found", max_length=40)

    @classmethod
    def read(cls, fields: Sequence[tuple[str, str]]) -> SearchChoice:
        """Parse it from the fields of an address; options of other methods are left out.

        >>> SearchChoice.read([("method", "mondrian"), ("suppress", "0.1"), ("ask", "both")]).stated()
        {'method': 'mondrian'}
        """
        texts = {name: text.strip() for name, text in fields if name in cls.model_fields and text.strip()}
        method = texts.get("method", "lattice")
        kept = {name: text for name, text in texts.items() if name in ("method", "ask", *OPTIONS_OF.get(method, ()))}
        usual = {"utility": DEFAULT_UTILITY, "suppress": "0", "suppressed": "as *", "ask": "both"}
        for name, text in kept.items():
            allowed = OPTION_CHOICES.get(name, ())
            if allowed and text not in allowed:
                raise BadPolicy(
                    f"{parameter(name, text[:40])} is none of {', '.join(allowed)}{did_you_mean(text, allowed)}"
                )
            if len(text) > 40:
                raise BadPolicy(f"{parameter(name)} is longer than {40} characters; give a number")
        choice = cls(**{name: text for name, text in kept.items() if text != usual.get(name)})
        choice.to_method()
        return choice

    def stated(self) -> dict[str, str]:
        """Return what differs from the defaults, as an address has it."""
        return {name: text for name, text in self.model_dump().items() if text}

    def to_method(self) -> Method:
        """Build the method with its options."""
        if self.method == FullDomain.name:
            try:
                share = float(self.suppress or 0)
            except ValueError:
                named = parameter("suppress", self.suppress)
                raise BadPolicy(
                    f"{named} is not a share of the people; give a number from 0 to 1, such as 0.04"
                ) from None
            nodes = self.nodes or str(FullDomain().nodes)
            if not nodes.isascii() or not nodes.isdigit() or not 1 <= int(nodes) <= 10**9:
                raise BadPolicy(f"{parameter('nodes', nodes)} is no number of generalisations; give one of at least 1")
            return FullDomain(share, cast("Suppressed", self.suppressed or "as *"), int(nodes))
        if self.method == Microaggregation.name and self.average:
            return Microaggregation(labels=cast("LabelAverage", self.average))
        return method_of(self.method, resists=self.resists or None)

    @property
    def utility_name(self) -> UtilityName:
        """The utility that chooses among minimal releases."""
        return cast("UtilityName", self.utility or DEFAULT_UTILITY)

    def in_words(self) -> str:
        """Return it in a few words.

        >>> SearchChoice(suppress="0.02").in_words()
        'lattice, suppress 0.02'
        """
        options = {name: text for name, text in self.stated().items() if name not in ("method", "ask")}
        return ", ".join([self.method, *(f"{name} {text}" for name, text in options.items())])

    def recipe(self, file: FileRecipe, limits: Sequence[Criterion], levels: Mapping[str, int]) -> Recipe:
        """Write the recipe that searches and publishes; `levels` are taken instead of the best ones."""
        words = [*file.words("protect"), *write_limit_options(limits), "--hierarchies", file.folder]
        words += [word for name, text in self.stated().items() for word in (f"--{name}", text)]
        words += ["--levels", levels_text(levels)] if levels else []
        # numbers are written as they were typed
        settings: dict[str, object] = {
            name: Name(text) if name in ("suppress", "nodes") else text for name, text in self.stated().items()
        }
        method = str(settings.pop("method"))
        searching = f"found = {write_protect(method, {**settings, 'levels': levels})}"
        python = write_python(*file.inputs(), *write_limits(limits), searching, 'found.publish("release.parquet")')
        command = shell([*words, "--output", "release.parquet"])
        return Recipe(commands=(*file.preparations(coarser=True), command), python=python)


class CandidateLine(DocumentPart):
    """A release that could be published: its size, its loss, and the finding of each limit."""

    key: str = Field(description="tells it from the others in an address")
    name: str
    people: int
    groups: int
    suppressed: int
    utility: dict[str, float | None]
    results: tuple[str, ...] = Field(description="what each limit finds, in the order of the findings")
    result: Live[SearchResult]
    choice: Live[SearchChoice]
    findings: Live[tuple[AuditFinding, ...]]
    before: Live[tuple[AuditFinding, ...]]  # of the table as it is

    @classmethod
    def from_result(cls, result: SearchResult, choice: SearchChoice, before: tuple[AuditFinding, ...]) -> CandidateLine:
        """Build the candidate of a result, named by its levels or else by its search."""
        name, words = ", ".join(f"{column} {level}" for column, level in result.levels.items()), choice.in_words()
        findings = audit_report(result.release, verdict=result.verdict).answer.findings
        return cls(
            key=levels_text(result.levels) or words,
            name=name or words,
            people=result.release.size,
            groups=len(result.release),
            suppressed=result.suppressed,
            utility={name: finite_or_none(result.utility[name]) for name in QUICK_UTILITIES},
            results=tuple(each.result.text for each in findings),
            result=result,
            choice=choice,
            findings=findings,
            before=before,
        )

    def conclude(self) -> str:
        """Return the verdict in one sentence: of how many people, and at what price."""
        result, utility = self.result, self.result.chosen_by or "balanced loss"
        suppressed = f", {counted(self.suppressed, 'person')} suppressed" if self.suppressed else ""
        price = "" if result.buckets is not None else f", at a {utility} of {short_decimal(result.utility[utility])}"
        whom = f"{counted(self.people, 'person')} in {counted(self.groups, 'group')}{suppressed}{price}"
        return conclude_findings(self.findings, whom).text

    @property
    def may_hide_method(self) -> bool:
        """Whether the sidecar may leave out how it was made."""
        return self.result.method.prints_rows and not self.result.method.prints_averages

    def choose_limit(self, text: str) -> int:
        """Return the index of the limit to draw candidates against: the typed one, or the first on a risk."""
        criteria = self.result.policy.criteria
        if text.isascii() and text.isdigit() and len(text) <= 3 and int(text) < len(criteria):
            return int(text)
        return next((index for index, each in enumerate(criteria) if each.measure.large_is_bad), 0)

    def write_worth(self, utility: str) -> str:
        """Write its value of a utility."""
        worth = self.utility[utility]
        return "infinite" if worth is None else short_decimal(worth) if worth < 10**4 else f"{worth:,.0f}"

    def list_smallest_groups(self) -> Grid:
        """List the twelve smallest groups as rows, without their sensitive values."""
        groups = self.result.release.groups
        smallest = np.argsort(groups.sizes, kind="stable")[:12]
        columns = [column.take(smallest) for column in groups.columns]
        printed = [[shown(each.labels[code]) for code in each.codes.tolist()] for each in columns]
        people = [f"{size:,}" for size in groups.sizes[smallest].tolist()]
        rows = tuple(zip(*printed, people, strict=True))
        headings = (*(column.name for column in columns), "People")
        return Grid(headings, rows, figures=frozenset({len(columns)}), omitted=self.groups - len(rows))

    def list_printed_columns(self) -> Grid:
        """List the columns: the level where there is one, the number of labels, and the most frequent ones."""
        rows, levels = [], self.result.levels
        for column in self.result.release.groups.columns:
            codes, people = np.unique(column.codes, return_counts=True)
            frequent = codes[np.argsort(-people, kind="stable")][:6].tolist()
            some = ", ".join(shown(column.labels[code]) for code in frequent)
            level = [str(levels[column.name])] if levels else []
            rows.append((column.name, *level, f"{len(codes):,}", f"{some}, …" if len(codes) > len(frequent) else some))
        headings = ("Column", *(["Level"] if levels else []), "Labels", "Such as")
        return Grid(headings, tuple(rows), figures=frozenset(range(1, len(headings) - 1)))

    def compare(self, other: CandidateLine) -> Grid:
        """List its figures beside those of another candidate."""
        rows = [
            (name, f"{getattr(self, field):,}", f"{getattr(other, field):,}", "")
            for name, field in (("people", "people"), ("groups", "groups"), ("suppressed people", "suppressed"))
            if field != "suppressed" or self.suppressed or other.suppressed
        ]
        for criterion, own, others in zip(self.result.policy.criteria, self.results, other.results, strict=True):
            rows.append((str(criterion.measure), own, others, f"limit {criterion.bound_text}"))
        rows += [
            (utility, self.write_worth(utility), other.write_worth(utility), MEANINGS[utility])
            for utility in QUICK_UTILITIES
            if utility in MEANINGS
        ]
        for name, level in self.result.levels.items():
            if name in other.result.levels:
                level_of_other = str(int(other.result.levels[name]))
                rows.append((f"level of {name}", str(int(level)), level_of_other, "0: as it is"))
        return Grid(("What", self.name, other.name, "Meaning"), tuple(rows), figures=frozenset({1, 2}))


def search(
    table: Table, by: Mapping[str, Hierarchy], policy: Policy, choice: SearchChoice, progress: Progress
) -> tuple[CandidateLine, ...]:
    """Search, and return the judged candidates, the best first."""
    method = choice.to_method()
    problem = SearchProblem.build(table, policy, by, [method])
    raw = group(table, by=[column.name for column in table.quasi])
    before = audit_report(raw, verdict=problem.policy.judge(raw)).answer.findings

    def find(method: Method) -> CandidateLine:
        outcome = problem.search(method, (choice.utility_name,), progress)[choice.utility_name]
        return CandidateLine.from_result(problem.result(method, outcome, progress), choice, before)

    candidates = [find(method)]
    best = candidates[0].result
    others = [each.levels for each in best.choices[:MOST_CANDIDATES] if each.levels != best.levels]
    for number, levels in enumerate(others):
        progress("judging candidates", number, len(others))
        candidates.append(find(best.method.with_options(levels=dict(levels))))
    return tuple(candidates)


# Charts of candidates, as a page embeds them.


def _embed(chart: Drawing) -> dict[str, Any]:
    """Return the specification of a chart without its texts, which the page prints, and the table behind it."""
    drawn = specification(chart)
    for name in ("title", "usermeta", "description"):
        drawn.pop(name, None)
    title = title_of(chart)
    words = description_of(chart).removeprefix(f"{title}.").strip()
    return {"title": title, "description": words, "specification": drawn, "table": table_behind(chart)}


def draw_shape(searched: SearchResult, result: SearchResult) -> dict[str, Any]:
    """Draw the searched lattice with the levels that are taken, the cuts, or the sizes of groups."""
    if not (result.levels and searched.levels):
        return _embed(search_chart(result, "sizes" if result.levels else None))
    lattice = SearchedLattice.from_result(searched)
    chosen = tuple(int(result.levels[name]) for name in lattice.heights)
    return _embed(lattice_chart(SearchedLattice(lattice.heights, lattice.minimal, chosen, lattice.proven)))


def draw_candidates(
    candidates: Sequence[CandidateLine], taken: CandidateLine, choice: SearchChoice, against: int
) -> dict[str, Any]:
    """Draw candidates by their loss and by the finding of the limit with the index `against`."""
    utility = "balanced loss" if choice.method != "lattice" else choice.utility_name
    points = (
        (
            each.name,
            each.result.utility[utility],
            each.result.verdict.judgements[against].finding.value,
            each.key == taken.key,
        )
        for each in candidates
        if each.result.method.prints_rows
    )
    return _embed(candidates_chart(CandidateReleases.build(taken.result.policy.criteria[against], utility, points)))


# Publishing: written, read back and judged again, as on the command line.  A page sends a plain name and no folder, and
# no file is ever replaced.

ENDINGS = (".parquet", ".csv")
LONGEST_NAME = 100


def find_name_problem(name: str) -> str:
    """Return what is wrong with the name of a file, or an empty text; folders and hidden files are refused.

    >>> find_name_problem("release-2"), find_name_problem("../release")
    ('', "'../release' is no name for a file here; give letters, digits, - and _, such as release, and no folder")
    """
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*", name) and len(name) <= LONGEST_NAME:
        return ""
    return f"'{name[:40]}' is no name for a file here; give letters, digits, - and _, such as release, and no folder"


def read_publication(fields: Mapping[str, str], folder: Path | None) -> dict[str, Any]:
    """Parse the settings of `publish` from a form; the path is in `folder`, or a bare name for a download."""
    name, ending = fields.get("name", "").strip(), fields.get("ending", ENDINGS[0])
    bad_name = find_name_problem(name)
    if bad_name or ending not in ENDINGS:
        raise NotPublished(bad_name or f"releases are written as {' or '.join(ENDINGS)}")
    into_folder = fields.get("to") == "folder"
    if into_folder and folder is None:
        raise NotPublished("no folder was named; start the page with --output FOLDER, or download it")
    path = (folder if into_folder and folder else Path()) / f"{name}{ending}"
    return {"path": path} | {each: each in fields for each in ("bounds", "private_hierarchies", "quiet_method")}


def write_publication(
    settings: Mapping[str, Any], result: SearchResult, *, for_browser: bool, progress: Progress
) -> tuple[Published, Path | None]:
    """Publish a result; return what was published, and for a browser the archive of its files."""
    progress("written aside, read back and judged again", 0, None)
    if not for_browser:
        return result.publish(**settings), None
    stored = Path(tempfile.mkdtemp(prefix="published-")) / settings["path"]
    published = result.publish(**{**settings, "path": stored})
    path = published.path.with_suffix(".zip")
    with open_private(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in (published.sidecar, published.dictionary, *published.paths):
            archive.write(each, each.name)
    return published, path
