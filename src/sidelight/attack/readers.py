"""Does a release that a search found fall to readers whom its policy does not name?

Two of them are asked beside every search, with bounded effort: `protect` must not take much longer for it.

Learner     naive Bayes, where the policy limits values or the release is anatomy's; groups of few states exactly,
            others by Sinkhorn's scaling; not where there is too much to train on.
Insider     by the groups whose arrangements are quickly counted; nothing is drawn.

Who was not asked, or only in part, is told with how to ask (`AskedReader`); all of it is `learn` and `insider`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sidelight.errors import BadTable, SidelightError
from sidelight.learner.learned import learn
from sidelight.learner.measure import Learner
from sidelight.measures.criterion import Judgement, exact
from sidelight.minimality.insider import insider
from sidelight.minimality.measure import Insider
from sidelight.progress import Progress, quiet
from sidelight.release.release import Members, Release
from sidelight.search.asked_readers import Ask, AskedReader, ReaderName, beyond_chance
from sidelight.search.method import SearchResult
from sidelight.search.value_limits import ShareLimit, belief_limit, limits_values
from sidelight.text import counted

QUICK_STATES = 100
"""Groups of up to so many states are gone through exactly."""

QUICK_ROUNDS = 10
"""So many rounds a model is trained at most; more claim more without knowing more."""

MOST_CELLS = 600_000
"""A model is trained on so many people times values of their groups at most."""

MOST_PEOPLE = 100_000
"""Releases of so many people at most are gone through group by group."""

QUICK_TABLES = 20_000
"""Groups with up to so many tables of arrangements are counted."""

LEFT_OUT = "to be gone through beside a search"
NOBODYS_BELIEF = "the policy limits sizes alone, and nobody's belief"
SEVERAL_COLUMNS = "the release has several sensitive columns"
STREAMED = "the table was streamed, and who has what is not held"
COUNTS_ONLY = "the table has counts only, and does not say who has which values"
STILL = 5e-10  # beliefs are compared to nine decimals


def ask_readers(found: SearchResult, ask: Ask = "both", *, progress: Progress = quiet) -> tuple[AskedReader, ...]:
    """Ask the two readers what they would reach of a release, quickly; those not in `ask` are told as not asked.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies)
    >>> [(each.reader, each.outcome) for each in ask_readers(found)]
    [('learner', 'not asked'), ('insider', 'nothing to learn')]
    """
    if not found.outcome.recoding.holds_keys:
        return tuple(
            AskedReader(name, "not asked", "nobody wished so" if ask == "nobody" else STREAMED) for name in READERS
        )
    limit = _limit(found)
    return tuple(
        each(found, limit, progress) if ask in ("both", name) else AskedReader(name, "not asked", "nobody wished so")
        for name, each in READERS.items()
    )


def _limit(found: SearchResult) -> ShareLimit | None:
    """How sure may anybody get: as the policy promises, or else as the release says by itself; None: not limited."""
    promised = belief_limit(found.policy)
    if promised is not None:
        return promised
    if not limits_values(found.policy) and found.method.recodes != "buckets":
        return None
    return ShareLimit(largest_share(found.release))


def largest_share(release: Release) -> Fraction:
    """Give the largest share of a group that has a value: what somebody believes who sees the release alone."""
    row, _, count = release.groups.counts.entries()
    size = release.groups.sizes[row]
    near = count / size >= (count / size).max(initial=0) - STILL
    pairs = np.unique(np.stack([count[near], size[near]]), axis=1).T.tolist()
    return max((min(Fraction(many, of), Fraction(1)) for many, of in pairs), default=Fraction(0))


def _judged(found: SearchResult, kind: type[Learner | Insider]) -> Judgement | None:
    """Give the policy's own judgement of a reader, where it names them."""
    return next((each for each in found.verdict.judgements if isinstance(each.criterion.measure, kind)), None)


def _of_policy(reader: ReaderName, judgement: Judgement) -> AskedReader:
    bound, value = Fraction(exact(judgement.criterion.bound)), judgement.finding.value
    return AskedReader(reader, "asked", "as the policy asks", value, bound)


def _ask_learner(found: SearchResult, limit: ShareLimit | None, progress: Progress) -> AskedReader:
    judgement = _judged(found, Learner)
    if judgement is not None:
        return _of_policy("learner", judgement)
    if limit is None:
        return AskedReader("learner", "not asked", NOBODYS_BELIEF)
    if len(found.release.sensitive_columns) > 1:
        return AskedReader("learner", "could not tell", SEVERAL_COLUMNS)
    release = with_people(found)
    assert release.members is not None
    values = np.bincount(release.groups.counts.entries()[0], minlength=len(release))
    cells = int(values[release.members.group].sum())
    if cells > MOST_CELLS:
        many = f"{cells:,} beliefs are too many {LEFT_OUT}"
        return AskedReader("learner", "not asked", many)
    try:
        truth = found.true_counts
    except BadTable:  # counts of several values per person, without the rows
        return AskedReader("learner", "could not tell", COUNTS_ONLY)
    learned = learn(
        release, "naive bayes", truth=truth, rounds=QUICK_ROUNDS, exact_up_to=QUICK_STATES, progress=progress
    )
    above = min(float(limit.share) + (-STILL if limit.strict else STILL), 1.0)
    people, right = learned.people_above(above), learned.right_above(above)
    return AskedReader(
        "learner",
        "asked",
        "naive Bayes",
        Learner(model="naive bayes").finding(learned).value,
        limit.share,
        people,
        0,
        right,
        falls=right is not None and beyond_chance(people, right, float(limit.share)),
    )


def _ask_insider(found: SearchResult, limit: ShareLimit | None, progress: Progress) -> AskedReader:
    judgement = _judged(found, Insider)
    if judgement is not None:
        return _of_policy("insider", judgement)
    if found.release.size > MOST_PEOPLE and limits_values(found.policy) and found.method.recodes != "buckets":
        return AskedReader("insider", "not asked", f"{counted(found.release.size, 'person')} are too many {LEFT_OUT}")
    try:
        learnt = insider(found, exact_up_to=QUICK_TABLES, beyond="left out", progress=progress)
    except SidelightError as problem:
        return AskedReader("insider", "could not tell", str(problem))
    if learnt.outcome != "told":
        return AskedReader("insider", learnt.outcome, learnt.reason)
    reached = learnt.least_worst
    worst = reached if learnt.untold else learnt.worst
    if limit is None:
        return AskedReader("insider", "asked", "", worst, None, 0, learnt.untold)
    people = learnt.people_above(limit.share)
    held = learnt.roster is not None and learnt.roster.truth is not None
    return AskedReader(
        "insider",
        "asked",
        "",
        worst,
        limit.share,
        people,
        learnt.untold,
        learnt.claims_above(limit.share, end="at least").right if people and held else None,
        falls=reached > limit.share or (limit.strict and reached >= limit.share),
    )


def with_people(found: SearchResult) -> Release:
    """Say who is in which group of what was found, as whoever has a list of the people knows."""
    if found.release.members is not None:
        return found.release
    table, group = found.outcome.recoding.table, found.release_rows
    keys = np.flatnonzero((group >= 0) & (table.sizes > 0))
    keys = keys[np.argsort(group[keys], kind="stable")]
    members = Members(
        tuple(each.take(keys) for each in table.quasi), group[keys], np.arange(len(keys)), table.sizes[keys]
    )
    return replace(found.release, members=members)


READERS: dict[ReaderName, Callable[[SearchResult, ShareLimit | None, Progress], AskedReader]] = {
    "learner": _ask_learner,
    "insider": _ask_insider,
}
