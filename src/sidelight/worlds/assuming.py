"""What is left of a formula when some of it is taken as given."""

from __future__ import annotations

from collections.abc import Callable

from sidelight.worlds.formula import Formula, Formulas, unit


def assumed(formulas: Formulas, formula: Formula) -> Formula:
    """Let the units of a conjunction (what one person draws, who draws the same) tell in its other parts.

    The units stay; in the rest, only the first of several tied people is spoken of.
    """
    simpler = _assumed_once(formulas, formula)
    while simpler is not formula:
        formula, simpler = simpler, _assumed_once(formulas, simpler)
    return formula


def _assumed_once(formulas: Formulas, formula: Formula) -> Formula:
    if formula.kind != "all":
        return formula
    units = [part for part in formula.parts if unit(part)]
    ties = _tied(units)
    masks = _per_party({part.person: part.mask for part in units if part.kind == "draws"}, ties)
    rest = formulas.all_of(part for part in formula.parts if not unit(part))
    simpler = rewritten(formulas, rest, lambda leaf: _known(formulas, leaf, ties, masks))
    together = [formulas.tie(first, person) for person, first in ties.items() if first != person]
    return formulas.all_of([simpler, *together, *(formulas.draws(*each) for each in masks.items())])


def rewritten(formulas: Formulas, formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Change every leaf."""
    if formula.kind in ("all", "any"):
        join = formulas.all_of if formula.kind == "all" else formulas.any_of
        return join(rewritten(formulas, part, change) for part in formula.parts)
    return change(formula)


def _tied(units: list[Formula]) -> dict[int, int]:
    """Say for each tied person who is the first of the party."""
    first: dict[int, int] = {}
    for part in units:
        if part.kind == "tie":
            one, other = (first.get(person, person) for person in (part.person, part.other))
            low, high = min(one, other), max(one, other)
            first = {person: low if who == high else who for person, who in first.items()}
            first |= {part.person: low, part.other: low}
    return first


def _per_party(drawn: dict[int, int], ties: dict[int, int]) -> dict[int, int]:
    masks: dict[int, int] = {}
    for person, mask in drawn.items():
        first = ties.get(person, person)
        masks[first] = masks.get(first, mask) & mask
    return masks


def _known(formulas: Formulas, leaf: Formula, ties: dict[int, int], masks: dict[int, int]) -> Formula:
    if leaf.kind == "draws":
        person = ties.get(leaf.person, leaf.person)
        may = masks.get(person)
        if may is None:
            return formulas.draws(person, leaf.mask)
        return formulas.true if may & ~leaf.mask == 0 else formulas.draws(person, leaf.mask & may)
    if leaf.kind == "tie":
        one, other = (ties.get(person, person) for person in (leaf.person, leaf.other))
        return formulas.tie(one, other, same=bool(leaf.mask))
    return leaf
