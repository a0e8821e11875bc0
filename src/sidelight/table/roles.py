"""Who plays which part in a table, and what its odd cells mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from sidelight.errors import BadTable, UnknownColumn, did_you_mean, parameter
from sidelight.table.first_line import NO_NAMES, looks_like_a_row
from sidelight.table.labels import Label, label
from sidelight.table.table import Semantics

Missing: TypeAlias = Literal["an error", "a value", "drop"]
"""What a missing sensitive value means: nothing we may guess, a value like any other, or a row to drop."""

Suppressed: TypeAlias = Literal["a group", "leave out"]
"""What rows with `*` in every published column are: a group like any other, or not part of the release."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns that are used, and the choices that decide how their rows are counted.

    `asked_as` is the caller's word for the quasi-identifiers ("quasi" or "group"), for the messages.
    """

    quasi: tuple[str, ...]
    sensitive: str
    person: str | None = None
    values: Semantics = "single"
    missing: Missing = "an error"
    suppressed: Suppressed = "a group"
    missing_marks: frozenset[str] = frozenset()
    domain: tuple[Label, ...] | None = None
    asked_as: str = "quasi"
    keep_people: bool = False  # remember who is where, by name

    def __post_init__(self) -> None:
        for option, kinds in (("values", Semantics), ("missing", Missing), ("suppressed", Suppressed)):
            _check_choice(option, getattr(self, option), get_args(kinds))
        self._check_columns()
        if self.values != "single" and self.person is None:
            message = (
                f"{parameter('values', self.values)} needs {parameter('person')}, the column that says whose row it is"
            )
            raise BadTable(message)
        if self.keep_people and self.person is None:
            message = f"keep_people=True needs {parameter('person')}, the column that says whose row it is"
            raise BadTable(message)

    def _check_columns(self) -> None:
        if not self.quasi:
            message = f"{parameter(self.asked_as)} names no columns; name at least one"
            raise BadTable(message)
        repeated = _first_repeated(self.quasi)
        if repeated is not None:
            message = f"column '{repeated}' is listed twice in {parameter(self.asked_as)}; list it once"
            raise BadTable(message)
        for role, name in (("sensitive", self.sensitive), ("person", self.person)):
            if name in self.quasi:
                both = f"{parameter(role)} and also in {parameter(self.asked_as)}"
                message = f"column '{name}' is {both}; take it out of one of them"
                raise BadTable(message)
        if self.sensitive == self.person:
            both = f"{parameter('sensitive')} and {parameter('person')}"
            message = f"column '{self.sensitive}' is both {both}; name two columns"
            raise BadTable(message)

    def choices(self) -> dict[str, str]:
        """Say what was chosen besides the columns that a table keeps anyway."""
        said = {"person": self.person, "missing": self.missing, "suppressed": self.suppressed}
        return {name: chosen for name, chosen in said.items() if chosen is not None}

    @property
    def used(self) -> dict[str, str]:
        """Our own name for each column that is used → its name in the source."""
        columns = {f"q{place}": name for place, name in enumerate(self.quasi)} | {"value": self.sensitive}
        return columns if self.person is None else columns | {"person": self.person}

    def dropped(
        self, columns: Sequence[str], where: str, *, rows: Callable[[], Iterable[Sequence[str]]] = tuple
    ) -> tuple[str, ...]:
        """Check that the used columns are there, once each; name those that are not used.

        `rows` reads some of the rows, to tell names from a row; names are a row only where none is the one meant.
        """
        if not any(name in columns for name in self.used.values()) and looks_like_a_row(columns, rows()):
            message = f"no column '{self.quasi[0]}' in {where}, which {NO_NAMES}"
            raise UnknownColumn(message)
        repeated = _first_repeated(columns)
        if repeated is not None:
            message = f"two columns of {where} are called '{repeated}'; rename one"
            raise BadTable(message)
        for name in self.used.values():
            if name not in columns:
                message = f"no column '{name}' in {where}{did_you_mean(str(name), columns)}"
                raise UnknownColumn(message)
        return tuple(name for name in columns if name not in self.used.values())

    def says(self, cell: object) -> Label:
        """Give the label of a cell; the marks of missing cells say nothing."""
        text = label(cell)
        return None if text in self.missing_marks else text


def as_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Take one name or several.

    >>> as_names("age"), as_names(["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    return (names,) if isinstance(names, str) else tuple(names)


def as_marks(marks: str | Sequence[object]) -> frozenset[str]:
    """Take one mark of missing cells or several, as labels.

    >>> sorted(as_marks(["?", -9]))
    ['-9', '?']
    """
    given = (marks,) if isinstance(marks, str) else marks
    return frozenset(text for mark in given if (text := label(mark)) is not None)


def as_domain(domain: Sequence[object] | None) -> tuple[Label, ...] | None:
    """Take declared sensitive values, in their order, once each."""
    return None if domain is None else tuple(dict.fromkeys(label(value) for value in domain))


def _check_choice(option: str, chosen: object, choices: tuple[str, ...]) -> None:
    if chosen not in choices:
        *others, last = (f'"{choice}"' for choice in choices)
        message = f"no {parameter(option, str(chosen))}; choose {', '.join(others)} or {last}"
        raise BadTable(message)


def _first_repeated(names: Sequence[str]) -> str | None:
    return next((name for name, times in Counter(names).items() if times > 1), None)
