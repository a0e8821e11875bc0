"""What could stand here?  Columns of the file that is on the line already, and measures; asked at each TAB.

A completer is run in a process of its own, so that everything is imported only then; and what cannot be told (a file
that is not there, a name that is half typed) is nothing to offer, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

    Completer: TypeAlias = Callable[[CompletionContext], Iterable[str]]

FILES = ("file", "files")
"""What verbs call the files that they read."""


def columns(context: CompletionContext) -> list[str]:
    """Offer the columns of the file that the verb reads, without those that the option has already."""
    return _columns_in(context, FILES)


def columns_of_people(context: CompletionContext) -> list[str]:
    """Offer the columns of the file of people."""
    return _columns_in(context, ("--people",))


def columns_to_set(context: CompletionContext) -> list[str]:
    """Offer the columns that something is said of, as `age=`."""
    return [f"{name}=" for name in columns(context)]


def measures(context: CompletionContext) -> list[str]:
    """Offer all measures by their names."""
    del context
    from sidelight.policy.measure_names import all_measures  # noqa: PLC0415 - only at TAB

    return [kind.name for kind in all_measures()]


def limits(context: CompletionContext) -> list[str]:
    """Offer all measures with the comparison that makes sense for each, to be followed by a number."""
    del context
    from sidelight.policy.measure_names import all_measures  # noqa: PLC0415 - only at TAB

    return [f"{kind.name} {'<=' if kind.large_is_bad else '>='} " for kind in all_measures()]


def attackers(context: CompletionContext) -> list[str]:
    """Offer the attackers whom searches ask, and for `--ask` all or none of them."""
    from sidelight.policy.measure_names import ASK_CHOICES  # noqa: PLC0415 - only at TAB

    return list(ASK_CHOICES if context.argument.name == "--ask" else ASK_CHOICES[1:-1])


BY_WORD: dict[str, Completer] = {
    "ATTACKER": attackers,
    "COLUMN": columns,
    "LEVEL": columns_to_set,
    "LEVELS": columns_to_set,
    "LIMIT": limits,
    "MEASURE": measures,
}
"""What is offered for an option, by the word for what it takes; `COLUMN=…` is a column of which something is said."""


def completer_for(metavar: str | None) -> Completer | None:
    """Choose what is offered for an option by the word for what it takes."""
    if metavar is not None and metavar.startswith("COLUMN="):
        return columns_to_set
    return BY_WORD.get(metavar or "")


def _columns_in(context: CompletionContext, names: Iterable[str]) -> list[str]:
    from sidelight.engines.files import sure_columns_of  # noqa: PLC0415 - only at TAB
    from sidelight.table.roles import Roles  # noqa: PLC0415

    encoding, sheet = (_typed(context, each) for each in ("--encoding", "--sheet"))
    taken = {text.partition("=")[0] for text in context[context.argument.name].raw_tokens}
    offered: dict[str, None] = {}
    for file in _files(context, names):
        try:
            offered |= dict.fromkeys(sure_columns_of(file, Roles(encoding=encoding, sheet=sheet)))
        except Exception:  # noqa: BLE001, S112 - what cannot be read has nothing to offer
            continue
    return [name for name in offered if name not in taken]


def _files(context: CompletionContext, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        argument = context.get(name)
        yield from argument.raw_tokens if argument is not None else ()


def _typed(context: CompletionContext, option: str) -> str | None:
    argument = context.get(option)
    return None if argument is None else argument.raw
