"""What does an address say?  Who is who, how coarse, and which limits: the state of the explorer, and nothing else.

    ?quasi=age&quasi=sex&sensitive=occupation&missing=drop&level=age:3&limit=implications(k=2) < 2/3&notes=off

Every view reads the same state from its address and writes it into the addresses that it links to, so that going back,
reloading and keeping an address work.  What one view alone needs stands beside it in the address (`also`).  `limit`
holds limits and measures without one as the command line writes them.  All of it is text that anybody may have written:
`read_state` bounds its size and shape, and whoever uses a name checks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel, Field

from sidelight.errors import BadPolicy

MOST_COLUMNS = 60
MOST_LIMITS = 40
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
    by_name: dict[str, list[str]] = {}
    for name, text in fields:
        by_name.setdefault(name, []).append(text)
    quasi, sensitive = _names(by_name.get("quasi", ())), _names(by_name.get("sensitive", ()))
    return State(
        quasi=tuple(name for name in quasi if name not in sensitive),
        sensitive=sensitive,
        missing=_last(by_name, "missing", MISSING),
        levels=_levels(by_name.get("level", ())),
        limits=_limits(by_name.get("limit", ())),
        notes=_last(by_name, "notes", ("off",)) != "off",
    )


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text for text in texts if text))
    if len(names) > MOST_COLUMNS:
        message = f"the address names {len(names):,} columns; name at most {MOST_COLUMNS}"
        raise BadPolicy(message)
    return names


def _last(by_name: Mapping[str, Sequence[str]], name: str, allowed: Sequence[str]) -> str:
    texts = [text for text in by_name.get(name, ()) if text in allowed]
    return texts[-1] if texts else ""


def _levels(texts: Sequence[str]) -> tuple[tuple[str, int], ...]:
    levels: dict[str, int] = {}
    for text in texts:
        matched = re.fullmatch(r"(?P<column>.+):(?P<level>[0-9]{1,3})", text, re.DOTALL)
        if matched is None:
            message = f"cannot read the level '{text[:40]}'; it is a column and a number, such as age:2"
            raise BadPolicy(message)
        if int(matched["level"]) > 0:
            levels.setdefault(matched["column"], int(matched["level"]))
    if len(levels) > MOST_COLUMNS:
        message = f"the address names levels of {len(levels):,} columns; name at most {MOST_COLUMNS}"
        raise BadPolicy(message)
    return tuple(levels.items())


def _limits(texts: Sequence[str]) -> tuple[str, ...]:
    limits = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(limits) > MOST_LIMITS:
        message = f"there are {len(limits):,} limits; the page takes at most {MOST_LIMITS}, a policy file any number"
        raise BadPolicy(message)
    if any(len(text) > LONGEST_TEXT for text in limits):
        message = f"a limit is longer than {LONGEST_TEXT:,} characters; put it into a policy file"
        raise BadPolicy(message)
    return limits
