"""Which statements contradict each other?  A smallest set of them, in the user's words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from sidelight.errors import BadKnowledge, Contradiction
from sidelight.knowledge.statements_text import Known
from sidelight.max_entropy.problem import A_PERSON, Flags, Problem
from sidelight.max_entropy.programs import feasible, in_the_way

TRIED = 300
"""How many sets are tried for a smaller one than the first that was found."""


def contradiction(problem: Problem, known: Sequence[Known]) -> Contradiction | BadKnowledge:
    """Say what cannot be: a set of statements that hold together only without any one of them.

    The smallest one of all where that takes no more than a few hundred programs.
    """
    involved = in_the_way(problem) & (problem.said != A_PERSON)
    if not involved.any():
        return BadKnowledge("the people who are named do not fit into the release together; name fewer of them")
    found = _smaller(problem, _without_needless(problem, involved))
    said = tuple(known[number].words for number in dict.fromkeys(problem.said[found].tolist()))
    if len(said) == 1:
        message = f"the release says otherwise than '{said[0]}': no distribution fits both; leave it out or change it"
    else:
        listed = "; ".join(f"'{each}'" for each in said)
        message = f"these {len(said)} statements cannot all be so in this release: {listed}; leave one of them out"
    return Contradiction(message, facts=said)


def _without_needless(problem: Problem, involved: Flags) -> Flags:
    """Drop statements one by one while the others still contradict each other."""
    for number in np.flatnonzero(involved):
        fewer = involved.copy()
        fewer[number] = False
        if not _can_be(problem, fewer):
            involved = fewer
    return involved


def _smaller(problem: Problem, found: Flags) -> Flags:
    """Try all sets of fewer statements, smallest first, as far as that is quick."""
    every = np.flatnonzero(problem.said != A_PERSON)
    tried = 0
    for size in range(1, int(found.sum())):
        for some in combinations(every, size):
            tried += 1
            if tried > TRIED:
                return found
            chosen = np.zeros(len(problem.low), bool)
            chosen[list(some)] = True
            if not _can_be(problem, chosen):
                return chosen
    return found


def _can_be(problem: Problem, statements: Flags) -> bool:
    """Say whether some statements can be so, looking only at the groups that they touch."""
    people = problem.said == A_PERSON
    kept = statements | people
    touched = np.zeros(int(problem.group.max(initial=-1)) + 1, bool)
    group = problem.group[problem.column]
    touched[group[problem.statements[np.flatnonzero(kept)].indices]] = True
    small, _, _ = problem.only(touched[group], kept)
    return feasible(small)
