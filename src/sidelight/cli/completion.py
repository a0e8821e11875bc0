"""What could stand here?  Columns of the file that is on the line already, and measures; asked at each TAB.

A completer is run in a process of its own, so that everything is imported only then; and what cannot be told (a file
that is not there, a name that is half typed) is nothing to offer, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

    Completer: TypeAlias = Callable[[CompletionContext], Iterable[str]]


def columns(context: CompletionContext, names: Iterable[str] = ("file", "files")) -> list[str]:
    """Offer the columns of the file that the verb reads, by what it calls it, without those that the option has."""
    from sidelight.engines.files import sure_columns_of  # noqa: PLC0415 - only at TAB
    from sidelight.table.roles import Roles  # noqa: PLC0415

    given = {name: context.get(name) for name in (*names, "--encoding", "--sheet")}
    encoding, sheet = (None if each is None else each.raw for each in (given["--encoding"], given["--sheet"]))
    taken = {text.partition("=")[0] for text in context[context.argument.name].raw_tokens}
    offered: dict[str, None] = {}
    for file in (file for name in names if (argument := given[name]) is not None for file in argument.raw_tokens):
        try:
            offered |= dict.fromkeys(sure_columns_of(file, Roles(encoding=encoding, sheet=sheet)))
        except Exception:  # noqa: BLE001, S112 - what cannot be read has nothing to offer
            continue
    return [name for name in offered if name not in taken]


def columns_of_people(context: CompletionContext) -> list[str]:
    """Offer the columns of the file of people."""
    return columns(context, ("--people",))


def columns_to_set(context: CompletionContext) -> list[str]:
    """Offer the columns that something is said of, as `age=`."""
    return [f"{name}=" for name in columns(context)]


def measures(context: CompletionContext) -> list[str]:
    """Offer all measures by their names; for limits with the comparison that makes sense, before a number."""
    from sidelight.policy.measure_names import all_measures  # noqa: PLC0415 - only at TAB

    if context.argument.name == "--measure":
        return [kind.name for kind in all_measures()]
    return [f"{kind.name} {'<=' if kind.large_is_bad else '>='} " for kind in all_measures()]


def attackers(context: CompletionContext) -> list[str]:
    """Offer the attackers whom searches ask, and for `--ask` all or none of them."""
    from sidelight.policy.measure_names import ASK_CHOICES  # noqa: PLC0415 - only at TAB

    return list(ASK_CHOICES if context.argument.name == "--ask" else ASK_CHOICES[1:-1])


def completer_for(metavar: str | None) -> Completer | None:
    """Choose what is offered for an option by the word for what it takes; of `COLUMN=…` something is said."""
    word = (metavar or "").partition("=")[0]
    if word == "COLUMN":
        return columns if word == metavar else columns_to_set
    levels = dict.fromkeys(("LEVEL", "LEVELS"), columns_to_set)
    return {"ATTACKER": attackers, **levels, "LIMIT": measures, "MEASURE": measures}.get(word)
