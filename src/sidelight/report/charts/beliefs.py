"""What is believed before and after somebody learns something?  Of the people about whom beliefs move most.

Before is what follows from the release alone, by the same model; where nothing more is known, what is true of everybody
stands in its place.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sidelight.max_entropy.beliefs import Beliefs, ReleaseBeliefs
from sidelight.max_entropy.constraints import NOBODY
from sidelight.report.charts.dumbbell import Change, dumbbell_chart
from sidelight.rounding import short_decimal
from sidelight.table.labels import Label, shown, shown_in_list
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.max_entropy.key_beliefs import KeyBeliefs


def beliefs_chart(after: ReleaseBeliefs, before: ReleaseBeliefs | None = None) -> alt.TopLevelMixin:
    """Draw what is believed, value by value, of the kind of people about whom it moved most."""
    if before is None and not after.known:
        return _compare_with_everybody(after)
    earlier = after.forget_statements(seconds=60) if before is None else before
    kinds = after.by_kind
    kind, value = _mover(kinds, earlier.by_key)
    rows = _rows(kinds, kind)
    # (values,): what was believed of the people with the same printed labels
    there = earlier.by_key.probabilities_at(
        np.full(len(kinds.domain), int(kinds.keys.printed[kind])), np.arange(len(kinds.domain))
    )
    # of sets, statements about a value tell people apart for that value alone: of the others nothing is said here
    whole = isinstance(after, Beliefs) or (kinds.keys.part[kind] < 0 and kinds.keys.person[kind] == NOBODY)
    changes = [
        Change(shown(text), float(there[at]), rows.get(at, 0.0))
        for at, text in enumerate(kinds.domain)
        if whole or at in rows
    ]
    return _chart(after, changes, kinds, kind, value, ends=("before", "after"))


def _mover(kinds: KeyBeliefs, before: KeyBeliefs) -> tuple[int, int]:
    """Find the kind of people and the value whose probability changed most; of equals the surest, then the first."""
    there = before.probabilities_at(kinds.keys.printed[kinds.key], kinds.value)
    # the last digits of the solver must not decide between equals
    moved, sure = np.round(np.abs(kinds.probability - there), 12), np.round(kinds.probability, 12)
    row = int(np.lexsort((kinds.value, kinds.key, -sure, -moved))[0])
    return int(kinds.key[row]), int(kinds.value[row])


def _rows(kinds: KeyBeliefs, kind: int) -> dict[int, float]:
    here = np.flatnonzero(kinds.key == kind)
    return dict(zip(kinds.value[here].tolist(), kinds.probability[here].tolist(), strict=True))


def _compare_with_everybody(beliefs: ReleaseBeliefs) -> alt.TopLevelMixin:
    kinds = beliefs.by_kind
    kind, value, _ = next(kinds.largest(1))
    rows, release = _rows(kinds, kind), beliefs.release
    changes = [
        Change(shown(text), int(people) / release.size, rows.get(at, 0.0))
        for at, (text, people) in enumerate(zip(kinds.domain, release.groups.whole.tolist(), strict=True))
    ]
    return _chart(beliefs, changes, kinds, kind, value, ends=("everybody", "these people"))


def _chart(
    beliefs: ReleaseBeliefs,
    changes: list[Change],
    kinds: KeyBeliefs,
    kind: int,
    value: int,
    *,
    ends: tuple[str, str],
) -> alt.TopLevelMixin:
    text: Label = kinds.domain[value]
    change = next(each for each in changes if each.name == shown(text))
    who = ", ".join(f"{column} {shown_in_list(cell)}" for column, cell in kinds.says(kind)) or "anybody"
    verb = "rises" if change.after >= change.before else "falls"
    people = f"{float(kinds.keys.people[kind]):,.0f} of {counted(beliefs.release.size, 'person')}"
    known = counted(len(beliefs.known), "statement")
    moves = (
        f"For {who}, {shown(text)} {verb} from {_text(change.before)} to {_text(change.after)}"
        if ends[0] == "before"
        else f"{shown(text)} is {_text(change.after)} likely for {who}, and {_text(change.before)} for everybody"
    )
    return dumbbell_chart(
        changes,
        title=moves,
        subtitle=f"By maximum entropy, knowing {known}. Of whom beliefs move most: {people}."
        if ends[0] == "before"
        else f"By maximum entropy, knowing the release alone. Of whom one is surest: {people}.",
        ends=ends,
        axis="how sure somebody is that they have it",
        top=shown(text),
    )


def _text(probability: Fraction | float) -> str:
    return short_decimal(Fraction(f"{float(probability):.4f}"))
