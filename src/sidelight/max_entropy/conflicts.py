"""Which statements contradict each other?  A smallest set of them, in the user's words."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from sidelight.errors import BadKnowledge, Contradiction
from sidelight.knowledge.parse_statements import Known
from sidelight.max_entropy.presolve import Infeasible
from sidelight.max_entropy.problem import A_PERSON
from sidelight.max_entropy.programs import in_the_way
from sidelight.worlds.smallest_conflict import smallest_clash

MOST_SECONDS = 5.0
"""After that, a set of statements that may not be the smallest will do."""

Possible = Callable[[Sequence[int]], bool]
"""Says of some statements, by number, whether they can all be so."""


def contradiction(found: Infeasible, known: Sequence[Known], can_be: Possible) -> Contradiction | BadKnowledge:
    """Say what cannot be: a smallest set of statements that hold together only without any one of them."""
    blamed = _blamed(found, can_be)
    if not blamed:
        return BadKnowledge("the people who are named do not fit into the release together; name fewer of them")
    said = tuple(known[number].words for number in blamed)
    if len(said) == 1:
        message = f"the release says otherwise than '{said[0]}': no distribution fits both; leave it out or change it"
    else:
        listed = "; ".join(f"'{each}'" for each in said)
        message = f"these {len(said)} statements cannot all be so in this release: {listed}; leave one of them out"
    return Contradiction(message, facts=said)


def _blamed(found: Infeasible, can_be: Possible) -> list[int]:
    if found.alone is not None:
        return [found.alone]
    assert found.problem is not None
    said, people = found.problem.said, found.problem.said == A_PERSON
    involved = said[in_the_way(found.problem) & ~people].tolist()
    if not involved or not can_be([]):
        return []
    first = _smallest(involved, can_be)
    return first if len(first) == 1 else min(first, _smallest(said[~people].tolist(), can_be), key=len)


def _smallest(statements: Sequence[int], can_be: Possible) -> list[int]:
    """Find a smallest set of some statements that contradict each other."""
    deadline = time.monotonic() + MOST_SECONDS

    def clash(places: Sequence[int]) -> bool:
        in_time = time.monotonic() < deadline
        return in_time and not can_be([statements[place] for place in places])

    return [statements[place] for place in smallest_clash(len(statements), clash)]
