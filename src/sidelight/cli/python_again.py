"""Which lines of Python come to the same answer as a command?  Written from its words, for the foot of a page.

Audits, searches and reports write their own (`audit`, `protect`), as they know more; here are the other verbs.  What a
command leaves to its defaults is left to those of Python, which are the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sidelight.errors import SidelightError
from sidelight.files import read_whole
from sidelight.policy.policy_file import read_policy_text

SHORT = {
    "-g": "group",
    "-s": "sensitive",
    "-p": "policy",
    "-l": "limit",
    "-m": "measure",
    "-o": "output",
    "-e": "epsilon",
}

ROLES = ("sensitive", "person", "values", "missing", "weight", "sheet", "encoding")
"""Options that are parameters of the same name."""


@dataclass(frozen=True, slots=True)
class CommandWords:
    """A command taken apart: files, and options with their values."""

    files: tuple[str, ...]
    options: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, command: str, verbs: int = 2) -> CommandWords:
        """Take `sidelight VERB …` apart; an option that another one follows has no value.

        >>> words = CommandWords.of("sidelight explore a.csv -g age --group sex -s ill --json")
        >>> words.files, words.options["group"], words.options["json"]
        (('a.csv',), ('age', 'sex'), ())
        """
        files: list[str] = []
        options: dict[str, tuple[str, ...]] = {}
        words = shlex.split(command)[verbs:]
        at = 0
        while at < len(words):
            word, at = words[at], at + 1
            if not word.startswith("-") or word == "-":
                files.append(word)
                continue
            name, _, inline = word.partition("=")
            name = SHORT.get(name, name.lstrip("-")).replace("-", "_")
            value = (inline,) if inline else ()
            if not value and at < len(words) and not words[at].startswith("-"):
                value, at = (words[at],), at + 1
            options[name] = (*options.get(name, ()), *value)
        return cls(tuple(files), options)

    def first(self, name: str, otherwise: str = "") -> str:
        """Return the value of an option."""
        return next(iter(self.options.get(name, ())), otherwise)

    def keywords(self, *names: str) -> str:
        """Write options that are parameters of the same name, as numbers where they are."""
        return "".join(f", {name}={_value(self.first(name))}" for name in names if self.options.get(name))

    def roles(self, quasi: str) -> str:
        """Write which column is what: as options say, else as the policy file does."""
        columns: tuple[object, ...] = (*self.options.get("group", ()), *self.options.get("quasi", ()))
        stated: dict[str, object] = {name: self.first(name) for name in ROLES if self.options.get(name)}
        if self.options.get("policy"):
            stated = _roles_of_policy(self.first("policy")) | stated
        named = stated.pop("quasi", ())
        columns = columns or (tuple(named) if isinstance(named, list | tuple) else ())
        parts = ([f"{quasi}={list(columns)!r}"] if columns else []) + [f"{n}={v!r}" for n, v in stated.items()]
        return "".join(f", {part}" for part in parts)

    def table(self, file: str | None = None) -> str:
        """Read a table of people."""
        return f"table = sl.read_table({file or self.files[0]!r}{self.roles('quasi')})"

    def policy(self) -> list[str]:
        """Read the policy, or the limits that were typed."""
        if self.options.get("policy"):
            return [f"policy = sl.read_policy({self.first('policy')!r})"]
        limits = list(self.options.get("limit", ()))
        reads = "from sidelight.policy.limit_text import read_limit"
        return [reads, f"policy = sl.Policy(*map(read_limit, {limits!r}))"] if limits else []

    def hierarchies(self) -> tuple[list[str], str]:
        """Read hierarchies, and name them as a parameter."""
        if not self.options.get("hierarchies"):
            return [], ""
        return [f"hierarchies = sl.read_hierarchies({self.first('hierarchies')!r})"], ", by=hierarchies"


def _value(text: str) -> str:
    try:
        return repr(int(text))
    except ValueError:
        pass
    try:
        return repr(float(text))
    except ValueError:
        return repr(text)


def _roles_of_policy(path: str) -> dict[str, object]:
    try:
        roles = read_policy_text(read_whole(Path(path)).decode()).roles
    except (OSError, SidelightError, ValueError):
        return {}
    return {name: value for name, value in roles.stated().items() if name in (*ROLES, "quasi")}


def python_again(kind: str, command: str) -> str:
    """Write the lines that do what a command did; nothing for what only the command line has.

    >>> print(python_again("columns", "sidelight columns a.csv"))
    import sidelight as sl
    <BLANKLINE>
    print(sl.suggest_roles('a.csv'))
    """
    if kind not in LINES:
        return ""
    try:
        lines = LINES[kind](CommandWords.of(command))
    except IndexError:  # no file: from standard input, or from elsewhere
        return ""
    return "\n".join(["import sidelight as sl", "", *lines])


def _columns(words: CommandWords) -> list[str]:
    if not words.roles("quasi"):
        return [f"print(sl.suggest_roles({words.files[0]!r}))"]
    return [words.table(), f"which = sl.identifying_columns(table{words.keywords('up_to')})", "print(which.table())"]


def _generalisations(words: CommandWords) -> list[str]:
    reads, _ = words.hierarchies()
    policy = words.policy()
    measures = list(words.options.get("measure", ()))
    reader = ["from sidelight.policy.limit_text import read_measure"] if measures else []
    measures_keyword = f", measures=[*map(read_measure, {measures!r})]" if measures else ""
    whole = f"table, hierarchies{measures_keyword}{', policy=policy' if policy else ''}"
    return [*reader, words.table(), *policy, *reads, f"print(sl.generalisation_table({whole}).to_arrow())"]


LINES: dict[str, Callable[[CommandWords], Sequence[str]]] = {
    "columns": _columns,
    "generalisations": _generalisations,
}
"""What each kind of answer is called for in Python; a kind that is not here has its command alone."""
