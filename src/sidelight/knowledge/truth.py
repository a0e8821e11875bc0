"""Is a fact so, when it is known what everybody has?"""

from __future__ import annotations

from collections.abc import Mapping

from sidelight.knowledge.facts_part import And, Fact, Has, Implies, Not, OneOf, Or, Same
from sidelight.knowledge.people import Who
from sidelight.table.labels import Label


def is_so(fact: Fact, has: Mapping[Who, frozenset[Label]]) -> bool:  # noqa: PLR0911 - one line per kind of fact
    """Decide a fact by the values of the people it mentions.

    >>> is_so(Has("Bob", "Flu").implies(Same("Bob", "Ed")), {"Bob": frozenset(["Flu"]), "Ed": frozenset(["Cold"])})
    False
    """
    match fact:
        case Has(person=person, value=value):
            return value in has[person]
        case OneOf(person=person, values=values):
            return not has[person].isdisjoint(values)
        case Same(person=person, other=other):
            return has[person] == has[other]
        case Not(fact=inner):
            return not is_so(inner, has)
        case And(facts=facts):
            return all(is_so(each, has) for each in facts)
        case Or(facts=facts):
            return any(is_so(each, has) for each in facts)
        case Implies(premise=premise, conclusion=conclusion):
            return not is_so(premise, has) or is_so(conclusion, has)
    message = f"no such kind of fact: {type(fact).__name__}"
    raise TypeError(message)
