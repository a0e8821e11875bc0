"""What does one group of everybody, the least that can be published, say about a search?

Claims      A criterion that merging groups cannot break (`holds_upwards`) is broken by every release of everybody if
            one group of everybody breaks it: nothing needs to be searched.
Others      Of a criterion without that claim, and of releases that leave people out, one group of everybody says
            nothing: they are searched, and it only helps to explain why nothing was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from sidelight.engines.streamed_table import AnyTable, StreamedTable
from sidelight.errors import BadMeasure, NothingSafe, TooHard
from sidelight.measures.criterion import Criterion, Judgement
from sidelight.policy.policy import Policy
from sidelight.release.release import Release
from sidelight.search.lattice_search import holds_upwards
from sidelight.search.recoding import release_of
from sidelight.table.table import Table


def one_group(table: AnyTable) -> Release:
    """Return the release that puts everybody into one group and prints nothing about them."""
    held: Table = table.outline if isinstance(table, StreamedTable) else table
    return release_of(held, np.zeros(len(held.sizes), np.int64), (), 1)


def refuse_impossible(table: AnyTable, policy: Policy, *, leaves_people_out: bool) -> None:
    """Raise `NothingSafe` if measures claim that no release keeps the policy, because one group of everybody breaks it.

    No claim is about releases that leave people out.
    """
    everybody = one_group(table)
    broken = policy.judge(everybody).broken  # also refuses limits that make no sense for this table
    hopeless = [each for each in broken if holds_upwards(each.criterion, table.semantics)]
    if hopeless and not leaves_people_out:
        raise _refusal("not even one group of everybody is within policy", hopeless, everybody)  # noqa: EM101 - no error


def nothing_found(found: str, table: AnyTable, policy: Policy) -> NothingSafe | None:
    """Return the refusal of a search that found nothing, and what would pass; None if one group of everybody passes."""
    everybody = one_group(table)
    broken = policy.judge(everybody).broken
    return _refusal(f"{found}, and neither is one group of everybody", broken, everybody) if broken else None


def list_blocking(broken: Iterable[Judgement]) -> tuple[str, ...]:
    """Return each broken limit with what was found, for an error."""
    return tuple(f"{each.criterion} (it is {each.finding.value_in_words()})" for each in broken)


def _refusal(what: str, broken: Iterable[Judgement], everybody: Release) -> NothingSafe:
    broken = tuple(broken)
    blocked, closest = list_blocking(broken), tuple(line for each in broken for line in _closest(each, everybody))
    remedy = f"; what would pass: {'; '.join(closest)}" if closest else "; leave that out of the policy"
    return NothingSafe(f"{what}: {'; '.join(blocked)}{remedy}", blocked_by=blocked, closest=closest)


def _closest(judgement: Judgement, release: Release) -> Iterator[str]:
    """Yield which limit would pass, if there is such a one, and which smaller amounts of what the measure counts."""
    criterion, value = judgement.criterion, judgement.finding.value
    least, most = criterion.measure.limits
    if least <= value <= most and value != math.inf and not (criterion.comparison.strict and value in (least, most)):
        # rounded towards caution, so that the limit as it is printed passes: never beyond the value
        limit = f"{criterion.comparison.converse_words} {judgement.finding.value_in_words()}"
        yield f"{criterion.measure} with a limit of {limit}"
    yield from (str(other) for other in _smaller_amounts(criterion, release))


def _smaller_amounts(criterion: Criterion, release: Release) -> Iterator[Criterion]:
    """Yield the criterion with one whole-number parameter lowered until it holds, one parameter at a time."""
    for name, amount in criterion.measure.amounts().items():
        less = largest_smaller(
            partial(_holds_with, criterion, name, release),
            amount,
            more_is_worse=name in criterion.measure.more_is_worse,
        )
        if less is not None:
            yield _replace_amount(criterion, name, less)


def _replace_amount(criterion: Criterion, name: str, amount: int) -> Criterion:
    return replace(criterion, measure=criterion.measure.replace_settings(**{name: amount}))


def _holds_with(criterion: Criterion, name: str, release: Release, amount: int) -> bool | None:
    """Return whether a release keeps it with a parameter changed; None where so little of it makes no sense."""
    try:
        return _replace_amount(criterion, name, amount).judge(release).holds
    except TooHard:  # what nobody can work out is not known to hold
        return False
    except BadMeasure:
        return None


STEPS = 24
"""So many amounts are tried one by one, then so many at growing distances, where nothing is claimed of them."""


def largest_smaller(holds: Callable[[int], bool | None], amount: int, *, more_is_worse: bool) -> int | None:
    """Return an amount below another that holds; `holds` is None where so little of it makes no sense.

    Where more is never better (`more_is_worse`), what holds ends at one amount: halving finds it, the largest, in
    log₂(amount) judgements.  Where nothing is known, amounts are tried downwards, all of a few, and of many at most
    `STEPS` in steps that grow geometrically; then those above what was found, by halving, at most `STEPS` again.

    >>> judged = []
    >>> largest_smaller(lambda amount: judged.append(amount) or amount < 1_234, 1_000_000, more_is_worse=True)
    1233
    >>> len(judged)
    20
    """
    within, beyond, largest = -1, amount, None
    if not more_is_worse:
        for less in _downwards(amount):
            if holds(less):
                within = largest = less
                break
            beyond = less
        else:
            return None
    rounds = 0
    while beyond - within > 1 and (more_is_worse or rounds < STEPS):
        middle, rounds = (within + beyond) // 2, rounds + 1
        verdict = holds(middle)
        largest = middle if verdict else largest
        # None, too little to make sense, moves the search upwards, as what holds does
        within, beyond = (within, middle) if verdict is False else (middle, beyond)
    return largest


def _downwards(amount: int) -> Iterable[int]:
    """Return all smaller amounts where they are few, else some of them, each a fixed share of the one before."""
    if amount <= STEPS:
        return reversed(range(amount))
    # so that STEPS steps reach down to 0
    share = max(2.0, amount ** (1 / (STEPS - 2)))
    return dict.fromkeys(int(amount / share**step) for step in range(1, STEPS + 1))
