"""What does each person want kept private?  Predicates that people choose themselves.

Φ(u), the predicates of a person u, stand in a column of the table, the wishes: a cell names a predicate, or a value.
Whoever has an empty cell asks for nothing.  So the sensitive columns are two, the values and the wishes, and groups
count combinations of both.

Cases       of a group q and a wish w that somebody there has: n_P people of q, whatever they wish, are in w's predicate
            P.  One of those who wish w may be in P themselves: that is the worst of them, as in any other case.  If
            none of them is, the belief in what is not so may still grow, because the others are: a `mismatch`.
Monotone    No: a person in a group without P has nothing to fear of it, and joins people who have P, and no wish.
Source      Machanavajjhala et al., section 2.1 and 5.1; Xiao and Tao, Personalized privacy preservation, SIGMOD 2006,
            whose guarding nodes are such predicates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidelight.arrays import Integers
from sidelight.errors import BadMeasure, did_you_mean, listed
from sidelight.measures.epsilon_privacy.worst_case import Cases
from sidelight.measures.targets import Predicate
from sidelight.release.groups import Groups
from sidelight.table.labels import MISSING, Label, shown
from sidelight.table.table import JointDomain


def values_beside(wishes: str, domain: tuple[Label, ...]) -> str:
    """Return which of two sensitive columns has the values, where one has the wishes."""
    names = domain.names if isinstance(domain, JointDomain) else ()
    if wishes not in names or len(names) != 2:
        beside = f", not {listed(names)}" if names else ""
        message = (
            f"wishes='{wishes}' wants two sensitive columns, the values and what people want kept{beside}; "
            f"read '{wishes}' and the column of values, and no other, as sensitive"
        )
        raise BadMeasure(message)
    return next(name for name in names if name != wishes)


def predicates_wished(
    wishes: str, domain: tuple[Label, ...], predicates: Sequence[Predicate]
) -> tuple[Predicate | None, ...]:
    """Return the predicate of each wish, in the order of the column's labels; None for an empty cell."""
    column = values_beside(wishes, domain)
    assert isinstance(domain, JointDomain)
    values = domain.column(column).labels
    by_name: dict[Label, Predicate] = {str(each): each for each in predicates}
    return tuple(
        None if text in (None, MISSING) else by_name.get(text) or _value_wished(text, wishes, values, [*by_name])
        for text in domain.column(wishes).labels
    )


def _value_wished(text: Label, wishes: str, values: tuple[Label, ...], names: list[Label]) -> Predicate:
    if text not in values:
        message = (
            f"'{shown(text)}' in column '{wishes}' is neither a predicate nor a value; name it in "
            f"predicates={did_you_mean(shown(text), [*map(shown, names), *map(shown, values)])}"
        )
        raise BadMeasure(message)
    return Predicate.any_of(text)


def cases_of_wishes(
    wishes: str,
    predicates: tuple[Predicate | None, ...],
    groups: Groups,
    domain: tuple[Label, ...],
    *,
    known: int,
    part: Integers | None,
) -> Cases:
    """List the groups and wishes in question: the columns are those of the predicates that anybody wishes for."""
    joint = groups.domain
    assert isinstance(joint, JointDomain)
    counts, wish = groups.counts.dense(), joint.column(wishes).codes
    value = joint.column(values_beside(wishes, joint)).codes
    matching, wishing, own = [], [], []
    for code, predicate in enumerate(predicates):
        if predicate is None:
            continue
        # by joint values: those in the predicate, whatever their wish
        inside = np.isin(value, predicate.indices(domain))
        matching.append(counts[:, inside].sum(axis=1))
        wishing.append(counts[:, wish == code].any(axis=1))
        own.append(counts[:, inside & (wish == code)].any(axis=1))
    if not matching:
        rows = columns = np.empty(0, np.int64)
        return Cases(rows, rows, columns, rows, rows, known, rows)
    sums = np.stack(matching, axis=1)
    rows, columns = np.nonzero((sums > 0) & np.stack(wishing, axis=1))
    # where nobody who has the wish matches it, the person asked about does not either
    mismatch = 1 - np.stack(own, axis=1)[rows, columns].astype(np.int64)
    parts = np.zeros_like(rows) if part is None else part[rows]
    return Cases(parts, rows, columns, groups.sizes[rows], sums[rows, columns], known, mismatch)
