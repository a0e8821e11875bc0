"""What does the explorer hold?  One file, read on the server by whoever started it, and what it was read as.

The browser names columns, levels and limits; it never names a file.  Whatever is opened is opened by `read_release` and
`read_table` of the workspace, which were made where the command was typed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from sidelight.answers.recipe import FileRecipe
from sidelight.errors import BadTable, SidelightError, UnknownColumn, did_you_mean
from sidelight.intake.hierarchy_drafts import Draft, DraftRules, drafts, people_by_label
from sidelight.intake.roles import SuggestedRoles
from sidelight.publish.sidecar import Sidecar
from sidelight.release.generalise import generalise
from sidelight.release.population import Population
from sidelight.release.release import Release
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.roles import Missing, Roles
from sidelight.table.table import Table
from sidelight.web.jobs import Jobs
from sidelight.web.state import State

Answer = TypeVar("Answer")

# So many answers are kept: whoever drags a slider back sees the same again at once.
MOST_KEPT = 512

# So many tables and releases are kept, each by the columns and levels that were asked for: they can be large.
MOST_TABLES = 16


@dataclass(frozen=True, slots=True)
class ExploredFile:
    """The file as it was named, and how it is read; `read_table` is None of a release that was published."""

    name: str  # as the command named it, which is how the page names it again
    read_release: Callable[[Roles], Release]
    read_table: Callable[[Roles], Table] | None = None
    columns: SuggestedRoles | None = None
    roles: Roles = field(default_factory=Roles)  # what was said about the columns, or suggested
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    hierarchy_folder: str | None = None  # as the command named it
    policy_file: str | None = None  # likewise
    populations: Mapping[str, Population] = field(default_factory=dict)  # by place; '': of limits that name none
    sidecar: Sidecar | None = None  # of a release that Sidelight published
    files: tuple[Path, ...] = ()  # where it is, for its checksum
    notes: tuple[str, ...] = ()
    title: str = ""  # what it is, where it is the bundled example
    citation: str = ""


class Answers:
    """Answers that were given before, the latest of them; an error is an answer too.

    Many who ask the same at a time ask once: the others wait for the first.  If that one is interrupted, the next asks.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, object] = OrderedDict()
        self._asked: dict[Hashable, threading.Event] = {}  # what is being asked, until when
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, question: Hashable, ask: Callable[[], Answer]) -> Answer:
        """Return the answer to a question, asking only where it was not asked before."""
        mine = threading.Event()
        try:
            answer = self._answer(question, ask, mine)
        finally:
            with self._lock:
                if self._asked.get(question) is mine:
                    del self._asked[question]
            mine.set()
        if isinstance(answer, SidelightError):
            raise answer.with_traceback(None)  # else it would keep the frames of all who were ever told
        return cast("Answer", answer)  # what was asked under the same question

    def kept(self, question: Hashable) -> object | None:
        """Return the answer to a question that was asked before, or `None`."""
        return self._kept.get(question)

    def _answer(self, question: Hashable, ask: Callable[[], Answer], mine: threading.Event) -> object:
        while True:
            with self._lock:
                if question in self._kept:
                    self._kept.move_to_end(question)
                    return self._kept[question]
                first = self._asked.setdefault(question, mine)
            if first is mine:
                return self._keep(question, ask)
            first.wait(0.1)  # now and then it looks up, and can be interrupted

    def _keep(self, question: Hashable, ask: Callable[[], Answer]) -> object:
        try:
            answer: object = ask()
        except SidelightError as error:
            answer = error
        with self._lock:
            self._kept[question] = answer
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer


@dataclass(frozen=True, eq=False)
class Workspace:
    """The file that is explored, where to begin, what was answered already, and what takes long.

    `wording` says an error in the words of whoever started the page, which are options of the command line.
    """

    source: ExploredFile
    start: State
    answers: Answers = field(default_factory=Answers)
    tables: Answers = field(default_factory=lambda: Answers(MOST_TABLES))  # and releases
    wording: Callable[[SidelightError], str] = str
    output: Path | None = None  # the folder into which releases may be published, as the command named it
    jobs: Jobs = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "jobs", Jobs(self.wording))

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """All columns of the file that may be named."""
        if self.source.columns is not None:
            return tuple(each.column for each in self.source.columns.columns)
        roles = self.source.roles
        return (*roles.quasi, *roles.value_columns)

    def roles(self, state: State) -> Roles:
        """Return who is who by the address: only columns that the file has."""
        for name in (*state.quasi, *state.sensitive):
            if name not in self.column_names:
                message = f"no column '{name}' in {self.source.name}{did_you_mean(name, self.column_names)}"
                raise UnknownColumn(message)
        if not state.quasi or not state.sensitive:
            message = "choose at least one column that others know, and one that nobody should find out"
            raise BadTable(message)
        sensitive = state.sensitive[0] if len(state.sensitive) == 1 else state.sensitive
        roles = replace(self.source.roles, quasi=state.quasi, sensitive=sensitive)
        return replace(roles, missing=cast("Missing", state.missing)) if state.missing else roles

    def recipe(self, state: State) -> FileRecipe:
        """Return how the file is read again that is looked at, as coarse as the address says."""
        source, roles = self.source, self.roles(state)
        return FileRecipe(
            source.name,
            roles,
            dict(state.levels),
            source.hierarchy_folder,
            sidecar=source.sidecar is not None,
            as_published=(roles.quasi, roles.value_columns) == (source.roles.quasi, source.roles.value_columns),
            bundled=bool(source.title),
        )

    def table(self, state: State) -> Table:
        """Read the table with the roles that the address says."""
        read, roles = self.searched_file(state)
        return self.tables.of(("table", roles_key(roles)), lambda: read(roles))

    def searched_file(self, state: State) -> tuple[Callable[[Roles], Table], Roles]:
        """Return how the table is read that a search needs."""
        if self.source.read_table is None:
            message = f"{self.source.name} was published already; searching needs the table that it was made from"
            raise BadTable(message)
        return self.source.read_table, self.roles(state)

    def hierarchies(self, state: State) -> Mapping[str, Hierarchy]:
        """Return a hierarchy of each column that others know: the one that was given, or one that is drafted."""
        table = self.table(state)

        def draft() -> dict[str, Draft]:
            kinds = {name: self.source.roles.kind_of(name) for name, _ in self.source.roles.kinds}
            rules = DraftRules(kinds=kinds, people=people_by_label(table.quasi, table.sizes))
            return dict(drafts({column.name: column.labels for column in table.quasi}, rules))

        drafted = self.answers.of(("drafts", state.quasi, state.sensitive, state.missing), draft)
        return {name: self.source.hierarchies.get(name, draft.hierarchy) for name, draft in drafted.items()}

    def release(self, state: State) -> Release:
        """Return the release that is looked at: the file as it stands, or as coarse as the address says."""
        if any(level for _, level in state.levels):
            return self.tables.of(
                ("release", state.subject),
                lambda: generalise(self.table(state), by=self.hierarchies(state), to=dict(state.levels)),
            )
        roles = self.roles(state)
        return self.tables.of(("release", roles_key(roles)), lambda: self.source.read_release(roles))


def roles_key(roles: Roles) -> Hashable:
    """Tell readings of the same file apart."""
    return roles.quasi, roles.value_columns, roles.missing
