"""Walk through a fact, with every "not" moved down to the simple facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts_part import And, Fact, Has, Implies, Not, OneOf, Or, Same

Made = TypeVar("Made")


def walked(
    fact: Fact,
    simple: Callable[[Has | OneOf | Same, bool], Made],
    *,
    every: Callable[[list[Made]], Made],
    some: Callable[[list[Made]], Made],
    so: bool = True,
) -> Made:
    """Make something of a fact: of each simple fact that is so or is not, of all of several, of at least one of them.

    >>> flu = Has("Ann", "Flu").implies(~(Has("Bob", "Flu") | Same("Ann", "Bob")))
    >>> walked(flu, lambda fact, so: f"{fact}" if so else f"not {fact}", every=" and ".join, some=" or ".join)
    'not Ann = Flu or not Bob = Flu and not same(Ann, Bob)'
    """

    def made(part: Fact, *, so: bool) -> Made:
        return walked(part, simple, every=every, some=some, so=so)

    match fact:
        case Has() | OneOf() | Same():
            return simple(fact, so)
        case Not(fact=inner):
            return made(inner, so=not so)
        case Implies(premise=premise, conclusion=conclusion):
            return (some if so else every)([made(premise, so=not so), made(conclusion, so=so)])
        case And(facts=parts) | Or(facts=parts):
            return (every if isinstance(fact, And) == so else some)([made(part, so=so) for part in parts])
    message = f"no such kind of fact: {type(fact).__name__}"
    raise BadKnowledge(message)
