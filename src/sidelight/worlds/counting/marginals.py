"""How likely is each value of some people, all at once?

The worlds are counted forwards, and what may still come backwards; both meet at each turn of such a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sidelight.knowledge.facts_part import Fact
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.counting.compile import Ground, ground
from sidelight.worlds.counting.frontier import Frontier, States, to_come
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.counting.steps import Drawing, Step, every_way, ways_to_have
from sidelight.worlds.effort import Meter
from sidelight.worlds.identify import Cast


def values_of(
    release: Release, cast: Cast, facts: Sequence[Fact], people: Sequence[Who], meter: Meter
) -> dict[Who, dict[Label, Fraction]]:
    """Say for each person and each value of the group in which share of worlds the person has it and all facts are so.

    People whom the facts compare cost no more together than one of them alone.
    """
    made = ground(release, cast, facts, people=people)
    total, drawn = _lots_of(made, {made.party_of[who] for who in people}, meter)
    return {who: _values(release, made, cast.rows[who], total, drawn[made.party_of[who]]) for who in people}


def _values(
    release: Release, made: Ground, row: int, total: Fraction, drawn: dict[int, Fraction]
) -> dict[Label, Fraction]:
    count_of = dict(zip(release.domain, release.groups.counts.row(row).tolist(), strict=True))
    shares = _with_the_others(made, row, total, drawn)
    return {
        value: shares[lot] * Fraction(count_of[value], made.counts[row, lot])  # some lots are of several values
        for lot in made.lots[row]
        for value in made.said[lot]
    }


def _lots_of(made: Ground, parties: set[int], meter: Meter) -> tuple[Fraction, dict[int, dict[int, Fraction]]]:
    """Count the worlds that fit, and for each party and lot that anybody is asked about those where it draws it."""
    frontier = Frontier(Schedule.of(made, meter, watched=parties))
    layers = frontier.layers(meter)
    every, total = frontier.every_way(), layers.pop().get(0, 0)
    turns = {place: who for who, place in frontier.drawings.items()}
    drawn: dict[int, dict[int, Fraction]] = {party: {} for party in parties}
    after: States = {0: 1}
    for place, step in reversed(list(enumerate(frontier.steps))):
        states = layers.pop()
        party, lot = turns.get(place, (-1, -1))
        if party in parties:
            drawn[party][lot] = Fraction(_having(states, step, after), every)
        after = to_come(states, step, after)
        meter.check_time()
    return Fraction(total, every), drawn


def _having(states: States, step: Step, after: States) -> int:
    """Count the worlds in which the party draws the lot at this step."""
    assert isinstance(step, Drawing)
    known = {looked_at: step.having(looked_at) for looked_at in {state & step.mask for state in states}}
    return sum(
        ways * more * after.get(state - (state & step.mask) + added, 0)
        for state, ways in states.items()
        for added, more in known[state & step.mask]
    )


def _with_the_others(made: Ground, row: int, total: Fraction, drawn: dict[int, Fraction]) -> dict[int, Fraction]:
    """Add the lots that nobody is asked about."""
    drawn = {lot: share for lot, share in drawn.items() if lot in made.lots[row]}
    others = [lot for lot in made.lots[row] if lot not in drawn]
    counts = {lot: made.counts[row, lot] for lot in others}
    if made.semantics == "single":  # they share what is left by their numbers
        left = total - sum(drawn.values())
        return drawn | {lot: left * Fraction(count, sum(counts.values())) for lot, count in counts.items()}
    people = made.sizes[row]
    return drawn | {
        lot: total
        * Fraction(
            ways_to_have(made.semantics, people=people, count=count, asked=1, having=1),
            every_way(made.semantics, people=people, count=count),
        )
        for lot, count in counts.items()
    }
