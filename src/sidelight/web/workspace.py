"""What does the explorer hold, and what does an address of it say?

One file, read on the server by whoever started it, and what it was read as (`Workspace`).  The browser names columns,
levels and limits; it never names a file.  Whatever is opened is opened by `read_release` and `read_table` of the
workspace, which were made where the command was typed.

    ?quasi=age&quasi=sex&sensitive=occupation&missing=drop&level=age:3&limit=implications(k=2) < 2/3&notes=off

Every view reads the same `State` from its address and writes it into the addresses that it links to, so that going
back, reloading and keeping an address work.  What one view alone needs stands beside it in the address (`also`).
`limit` holds limits and measures without one as the command line writes them.  All of it is text that anybody may have
written: `read_state` bounds its size and shape, and whoever uses a name checks it.
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

from sidelight.answers.readers import read_typed
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
"""What a missing sensitive value may mean, as in `read_table`."""


@dataclass(frozen=True, slots=True)
class State:
    """Who is who, how coarse, which limits, and whether notes explain it.

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
        """What decides which release is looked at; limits do not."""
        return self.quasi, self.sensitive, self.missing, self.levels

    def pairs(self) -> list[tuple[str, str]]:
        """Write the state as the fields of an address, or of a form."""
        return [
            *(("quasi", name) for name in self.quasi),
            *(("sensitive", name) for name in self.sensitive),
            *([("missing", self.missing)] if self.missing else []),
            *(("level", f"{name}:{level}") for name, level in self.levels),
            *(("limit", text) for text in self.limits),
            *([] if self.notes else [("notes", "off")]),
        ]

    def address(self, path: str, also: Mapping[str, object] | None = None) -> str:
        """Write the address of a view in this state; `also` what it alone needs, lists being repeated."""
        own = []
        for name, value in (also or {}).items():
            several = value if isinstance(value, list | tuple) else () if value is None else (value,)
            own += [(name, str(one)) for one in several]
        query = urlencode([*self.pairs(), *own])
        return f"{path}?{query}" if query else path

    def about(self, column: str) -> State:
        """Return the state about one sensitive column: the one that is named, or the first.

        >>> state = State(sensitive=("disease", "job"))
        >>> state.about("job").sensitive, state.about("").sensitive
        (('job',), ('disease',))
        """
        return self.but(sensitive=(column,) if column in self.sensitive else self.sensitive[:1])

    def but(self, **changes: Any) -> State:  # noqa: ANN401 - as `dataclasses.replace`
        """Return the state with some of it changed."""
        return replace(self, **changes)


class StateFields(BaseModel):
    """The fields of an address, as the schema of the API describes them; `read_state` reads them."""

    quasi: list[str] = Field(default=[], description="columns that others know", max_length=MOST_COLUMNS)
    sensitive: list[str] = Field(default=[], description="columns that nobody should find out", max_length=MOST_COLUMNS)
    missing: str = Field(default="", description="what a missing sensitive value means")
    level: list[str] = Field(default=[], description="how coarse columns are, such as age:2", max_length=MOST_COLUMNS)
    limit: list[str] = Field(default=[], description="limits, such as 'group size >= 5'", max_length=MOST_LIMITS)

    def state(self) -> State:
        """Read the state that they say."""
        fields = [(name, text) for name in ("quasi", "sensitive", "level", "limit") for text in getattr(self, name)]
        return read_state([*fields, ("missing", self.missing)])


def read_state(fields: Iterable[tuple[str, str]]) -> State:
    """Read the state from the fields of an address, whichever others there are.

    >>> read_state([("quasi", "age"), ("level", "age:2"), ("level", "age:0"), ("limit", "group size >= 5")])
    State(quasi=('age',), sensitive=(), missing='', levels=(('age', 2),), limits=('group size >= 5',), notes=True)
    """
    texts: dict[str, list[str]] = defaultdict(list)
    for name, text in fields:
        texts[name].append(text)
    sensitive = _names(texts["sensitive"])
    return State(
        quasi=tuple(name for name in _names(texts["quasi"]) if name not in sensitive),
        sensitive=sensitive,
        missing=next((text for text in reversed(texts["missing"]) if text in MISSING), ""),
        levels=_levels(texts["level"]),
        limits=_limits(texts["limit"]),
        notes="off" not in texts["notes"],
    )


def _names(texts: Sequence[str]) -> tuple[str, ...]:
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
        while True:
            with self._lock:
                if question in self._kept:
                    self._kept.move_to_end(question)
                    answer = self._kept[question]
                    break
                first = self._asked.setdefault(question, mine)
            if first is mine:
                answer = self._ask(question, ask)
                break
            first.wait(0.1)  # now and then it looks up, and can be interrupted
        if isinstance(answer, SidelightError):
            raise answer.with_traceback(None)  # else it would keep the frames of all who were ever told
        return cast("Answer", answer)  # what was asked under the same question

    def kept(self, question: Hashable) -> object | None:
        """Return the answer to a question that was asked before, or `None`."""
        return self._kept.get(question)

    def _ask(self, question: Hashable, ask: Callable[[], object]) -> object:
        """Ask, and keep the answer; those who wait for it look again then, and also where it was interrupted."""
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
                self._asked.pop(question).set()


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
                raise UnknownColumn(f"no column '{name}' in {self.source.name}{did_you_mean(name, self.column_names)}")
        if not state.quasi or not state.sensitive:
            raise BadTable("choose at least one column that others know, and one that nobody should find out")
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

    def readers(self, state: State) -> list[Criterion | Measure]:
        """Read the limits of the address, and its measures without one."""
        return [read_typed(text, self.source.populations) for text in state.limits]

    def policy(self, state: State) -> Policy:
        """Return the limits of the address as a policy; measures without a limit bound nothing."""
        criteria = [each for each in self.readers(state) if isinstance(each, Criterion)]
        if not criteria:
            raise BadPolicy("no limit is set, so that everything would be within policy; set one under Readers")
        return Policy(*criteria)

    def table(self, state: State) -> Table:
        """Read the table with the roles that the address says."""
        read, roles = self.searched_file(state)
        return self.tables.of(("table", roles_key(roles)), lambda: read(roles))

    def searched_file(self, state: State) -> tuple[Callable[[Roles], Table], Roles]:
        """Return how the table is read that a search needs."""
        if self.source.read_table is None:
            raise BadTable(f"{self.source.name} was published already; searching needs the table that it was made from")
        return self.source.read_table, self.roles(state)

    def hierarchies(self, state: State) -> Mapping[str, Hierarchy]:
        """Return a hierarchy of each column that others know: the one that was given, or one that is drafted."""
        table = self.table(state)

        def draft() -> dict[str, Draft]:
            kinds = {name: self.source.roles.kind_of(name) for name, _ in self.source.roles.kinds}
            rules = DraftRules(kinds=kinds, people=people_by_label(table.quasi, table.sizes))
            return dict(drafts({column.name: column.labels for column in table.quasi}, rules))

        drafted = self.answers.of(("drafts", state.quasi, state.sensitive, state.missing), draft)
        return {name: self.source.hierarchies.get(name, hierarchy) for name, (hierarchy, _) in drafted.items()}

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
