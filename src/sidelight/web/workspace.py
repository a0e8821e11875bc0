"""The data of the explorer (`Workspace`), and the state that an address holds (`State`).

A workspace has one file, read on the server by the user who started it.  The browser names columns, levels and limits;
it never names a file.  Files are opened only by `read_release` and `read_table` of the workspace, which were built
where the command was typed.

    ?quasi=age&quasi=sex&sensitive=occupation&missing=drop&level=age:3&limit=implications(k=2) < 2/3&notes=off

Every view parses the same `State` from its address and writes it into the addresses that it links to, so that going
back, reloading and bookmarks work.  Fields of one view alone follow it in the address (`also`).  `limit` has limits,
and measures without one, as the command line writes them.  All of it is untrusted text: `read_state` bounds its size
and shape, and code that uses a name checks it.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

from pydantic import BaseModel, Field

from sidelight.answers.attackers import read_typed
from sidelight.answers.recipe import FileRecipe
from sidelight.errors import BadPolicy, BadTable, SidelightError, UnknownColumn, did_you_mean
from sidelight.intake.hierarchy_drafts import Draft, DraftRules, drafts, people_by_label
from sidelight.intake.roles import SuggestedRoles
from sidelight.measures.criterion import Criterion
from sidelight.measures.measure import Measure
from sidelight.policy.policy import Policy
from sidelight.publish.sidecar import Sidecar
from sidelight.release.generalise import generalise
from sidelight.release.population import Population
from sidelight.release.release import Release
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.roles import Missing, Roles
from sidelight.table.table import Table
from sidelight.web.jobs import Jobs

MOST_COLUMNS = 60
MOST_LIMITS = 40
MOST_FILES = 20
LONGEST_TEXT = 2_000

MISSING = ("an error", "drop", "a value", "no value")
"""The treatments of missing sensitive values, as in `read_table`."""


@dataclass(frozen=True, slots=True)
class State:
    """Roles of columns, levels, limits, and whether notes are shown.

    >>> State(quasi=("age",), levels=(("age", 3),)).address("/readers")
    '/readers?quasi=age&level=age%3A3'
    """

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    missing: str = ""
    levels: tuple[tuple[str, int], ...] = ()  # only those above 0
    limits: tuple[str, ...] = ()
    notes: bool = True

    @property
    def subject(self) -> tuple[object, ...]:
        """The part of the state that decides which release is shown: all but the limits."""
        return self.quasi, self.sensitive, self.missing, self.levels

    def pairs(self) -> list[tuple[str, str]]:
        """Return the state as the fields of an address or a form."""
        return [
            *(("quasi", name) for name in self.quasi),
            *(("sensitive", name) for name in self.sensitive),
            *([("missing", self.missing)] if self.missing else []),
            *(("level", f"{name}:{level}") for name, level in self.levels),
            *(("limit", text) for text in self.limits),
            *([] if self.notes else [("notes", "off")]),
        ]

    def address(self, path: str, also: Mapping[str, object] | None = None) -> str:
        """Return the address of a view in this state; `also` has its own fields, of which lists are repeated."""
        own = []
        for name, value in (also or {}).items():
            several = value if isinstance(value, list | tuple) else () if value is None else (value,)
            own += [(name, str(one)) for one in several]
        query = urlencode([*self.pairs(), *own])
        return f"{path}?{query}" if query else path

    def about(self, column: str) -> State:
        """Return the state with one sensitive column: the named one, or the first.

        >>> state = State(sensitive=("disease", "job"))
        >>> state.about("job").sensitive, state.about("").sensitive
        (('job',), ('disease',))
        """
        return self.but(sensitive=(column,) if column in self.sensitive else self.sensitive[:1])

    def but(self, **changes: Any) -> State:  # noqa: ANN401 - as `dataclasses.replace`
        """Return the state with changes."""
        return replace(self, **changes)


class StateFields(BaseModel):
    """The fields of an address, as the schema of the API describes them; `read_state` parses them."""

    quasi: list[str] = Field(default=[], description="columns that others know", max_length=MOST_COLUMNS)
    sensitive: list[str] = Field(default=[], description="columns that nobody should find out", max_length=MOST_COLUMNS)
    missing: str = Field(default="", description="what a missing sensitive value means")
    level: list[str] = Field(default=[], description="how coarse columns are, such as age:2", max_length=MOST_COLUMNS)
    limit: list[str] = Field(default=[], description="limits, such as 'group size >= 5'", max_length=MOST_LIMITS)

    def state(self) -> State:
        """Parse the state."""
        fields = [(name, text) for name in ("quasi", "sensitive", "level", "limit") for text in getattr(self, name)]
        return read_state([*fields, ("missing", self.missing)])


def read_state(fields: Iterable[tuple[str, str]]) -> State:
    """Parse the state from the fields of an address; other fields are ignored.

    >>> read_state([("quasi", "age"), ("level", "age:2"), ("level", "age:0"), ("limit", "group size >= 5")])
    State(quasi=('age',), sensitive=(), missing='', levels=(('age', 2),), limits=('group size >= 5',), notes=True)
    """
    texts: dict[str, list[str]] = defaultdict(list)
    for name, text in fields:
        texts[name].append(text)
    sensitive = read_names(texts["sensitive"])
    return State(
        quasi=tuple(name for name in read_names(texts["quasi"]) if name not in sensitive),
        sensitive=sensitive,
        missing=next((text for text in reversed(texts["missing"]) if text in MISSING), ""),
        levels=_levels(texts["level"]),
        limits=_limits(texts["limit"]),
        notes="off" not in texts["notes"],
    )


def read_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, each once; raise on too many."""
    names = tuple(dict.fromkeys(text for text in texts if text))
    if len(names) > MOST_COLUMNS:
        raise BadPolicy(f"the address names {len(names):,} columns; name at most {MOST_COLUMNS}")
    return names


def _levels(texts: Sequence[str]) -> tuple[tuple[str, int], ...]:
    levels: dict[str, int] = {}
    for text in texts:
        matched = re.fullmatch(r"(?P<column>.+):(?P<level>[0-9]{1,3})", text, re.DOTALL)
        if matched is None:
            raise BadPolicy(f"cannot read the level '{text[:40]}'; it is a column and a number, such as age:2")
        if int(matched["level"]) > 0:
            levels.setdefault(matched["column"], int(matched["level"]))
    if len(levels) > MOST_COLUMNS:
        raise BadPolicy(f"the address names levels of {len(levels):,} columns; name at most {MOST_COLUMNS}")
    return tuple(levels.items())


def _limits(texts: Sequence[str]) -> tuple[str, ...]:
    limits = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(limits) > MOST_LIMITS:
        raise BadPolicy(
            f"there are {len(limits):,} limits; the page takes at most {MOST_LIMITS}, a policy file any number"
        )
    if any(len(text) > LONGEST_TEXT for text in limits):
        raise BadPolicy(f"a limit is longer than {LONGEST_TEXT:,} characters; put it into a policy file")
    return limits


Answer = TypeVar("Answer")

# The most answers that are kept, so that a slider that is dragged back is redrawn at once.
MOST_KEPT = 512

# The most tables and releases that are kept, by columns and levels: they can be large.
MOST_TABLES = 16


@dataclass(frozen=True, slots=True)
class ExploredFile:
    """The file that is explored, and how it is read; `read_table` is None for a published release."""

    name: str  # as the command named it
    read_release: Callable[[Roles], Release]
    read_table: Callable[[Roles], Table] | None = None
    columns: SuggestedRoles | None = None
    roles: Roles = field(default_factory=Roles)  # from the command, or suggested
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    hierarchy_folder: str | None = None  # as the command named it
    policy_file: str | None = None  # likewise
    populations: Mapping[str, Population] = field(default_factory=dict)  # by path; '': of limits that name none
    sidecar: Sidecar | None = None  # of a release published by Sidelight
    files: tuple[Path, ...] = ()  # for their checksum
    notes: tuple[str, ...] = ()
    title: str = ""  # of the bundled example
    citation: str = ""

    @property
    def text_roles(self) -> Roles:
        """How texts of other files are read, without any column."""
        return Roles(missing_marks=self.roles.missing_marks, missing=self.roles.missing)


class Answers:
    """A cache of the latest answers, errors among them.

    Of several threads that ask the same at a time, one computes and the others wait; if interrupted, the next does.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, object] = OrderedDict()
        self._pending: dict[Hashable, threading.Event] = {}  # set when the computation ends
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, question: Hashable, ask: Callable[[], Answer]) -> Answer:
        """Return the answer to a question, computed only where it is not kept."""
        mine = threading.Event()
        while True:
            with self._lock:
                if question in self._kept:
                    self._kept.move_to_end(question)
                    answer = self._kept[question]
                    break
                first = self._pending.setdefault(question, mine)
            if first is mine:
                answer = self._ask(question, ask)
                break
            first.wait(0.1)  # in steps, so that it can be interrupted
        if isinstance(answer, SidelightError):
            raise answer.with_traceback(None)  # otherwise it would keep the frames of all callers
        return cast("Answer", answer)  # of the same question

    def kept(self, question: Hashable) -> object | None:
        """Return the answer that is kept, or None."""
        return self._kept.get(question)

    def _ask(self, question: Hashable, ask: Callable[[], object]) -> object:
        """Compute and keep the answer; wake waiting threads, also where it was interrupted."""
        try:
            try:
                answer = ask()
            except SidelightError as error:
                answer = error
            with self._lock:
                self._kept[question] = answer
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            return answer
        finally:
            with self._lock:
                self._pending.pop(question).set()


@dataclass(frozen=True, eq=False)
class Workspace:
    """The file that is explored, the first state, kept answers, and jobs.

    `wording` renders an error in terms of the command line, with which the page was started.
    """

    source: ExploredFile
    start: State
    answers: Answers = field(default_factory=Answers)
    tables: Answers = field(default_factory=lambda: Answers(MOST_TABLES))  # and releases
    wording: Callable[[SidelightError], str] = str
    output: Path | None = None  # the folder for published releases, as the command named it
    jobs: Jobs = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "jobs", Jobs(self.wording))

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The columns of the file that an address may name."""
        if self.source.columns is not None:
            return tuple(each.column for each in self.source.columns.columns)
        roles = self.source.roles
        return (*roles.quasi, *roles.value_columns)

    def roles(self, state: State) -> Roles:
        """Return the roles of the state; raise on columns that the file does not have."""
        for name in (*state.quasi, *state.sensitive):
            if name not in self.column_names:
                raise UnknownColumn(f"no column '{name}' in {self.source.name}{did_you_mean(name, self.column_names)}")
        if not state.quasi or not state.sensitive:
            raise BadTable("choose at least one column that others know, and one that nobody should find out")
        sensitive = state.sensitive[0] if len(state.sensitive) == 1 else state.sensitive
        roles = replace(self.source.roles, quasi=state.quasi, sensitive=sensitive)
        return replace(roles, missing=cast("Missing", state.missing)) if state.missing else roles

    def recipe(self, state: State) -> FileRecipe:
        """Return the recipe that reads the file again, with the levels of the state."""
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

    def attackers(self, state: State) -> list[Criterion | Measure]:
        """Parse the limits of the state, and its measures without one."""
        return [read_typed(text, self.source.populations) for text in state.limits]

    def policy(self, state: State) -> Policy:
        """Return the limits of the state as a policy; measures without a limit are left out."""
        criteria = [each for each in self.attackers(state) if isinstance(each, Criterion)]
        if not criteria:
            raise BadPolicy("no limit is set, so that everything would be within policy; set one under Readers")
        return Policy(*criteria)

    def table(self, state: State) -> Table:
        """Read the table with the roles of the state."""
        read, roles = self.searched_file(state)
        return self.tables.of(("table", roles_key(roles)), lambda: read(roles))

    def people(self, state: State, known: tuple[str, ...]) -> Table:
        """Read the people of the table, with the columns that are known of them."""
        read = self.source.read_table
        if read is None:
            raise BadTable(
                f"{self.source.name} was published already, and says nothing of single people; drop a file of the "
                "people whom somebody looks for, with the columns that are known of them"
            )
        roles = replace(self.roles(state), quasi=known, sensitive=state.sensitive[0])
        return self.tables.of(("people", roles_key(roles)), lambda: read(roles))

    def searched_file(self, state: State) -> tuple[Callable[[Roles], Table], Roles]:
        """Return the function that reads the table of a search, and its roles."""
        if self.source.read_table is None:
            raise BadTable(f"{self.source.name} was published already; searching needs the table that it was made from")
        return self.source.read_table, self.roles(state)

    def hierarchies(self, state: State) -> Mapping[str, Hierarchy]:
        """Return a hierarchy of each quasi-identifier: from the command, or drafted."""
        table = self.table(state)

        def draft() -> dict[str, Draft]:
            kinds = {name: self.source.roles.kind_of(name) for name, _ in self.source.roles.kinds}
            rules = DraftRules(kinds=kinds, people=people_by_label(table.quasi, table.sizes))
            return dict(drafts({column.name: column.labels for column in table.quasi}, rules))

        drafted = self.answers.of(("drafts", state.quasi, state.sensitive, state.missing), draft)
        return {name: self.source.hierarchies.get(name, hierarchy) for name, (hierarchy, _) in drafted.items()}

    def release(self, state: State) -> Release:
        """Return the release of the state: the file as it stands, or generalised to its levels."""
        if any(level for _, level in state.levels):
            return self.tables.of(
                ("release", state.subject),
                lambda: generalise(self.table(state), by=self.hierarchies(state), to=dict(state.levels)),
            )
        roles = self.roles(state)
        return self.tables.of(("release", roles_key(roles)), lambda: self.source.read_release(roles))


def roles_key(roles: Roles) -> Hashable:
    """Return the key of a reading of the file."""
    return roles.quasi, roles.value_columns, roles.missing
