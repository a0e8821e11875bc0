"""The way in: a release, a roster and a model become beliefs about each person."""

from __future__ import annotations

from collections.abc import Mapping

from sidelight._progress import Progress, quiet
from sidelight.errors import BadMeasure, expect, parameter
from sidelight.learner.learned import Learned
from sidelight.learner.models import ModelName, model_name
from sidelight.learner.roster import Roster
from sidelight.learner.targets import train_without_roster
from sidelight.learner.training import ROUNDS, expect_settings, train_on
from sidelight.learner.truth import Truth, truth_of
from sidelight.release.locate import Lookup
from sidelight.release.release import Members, Release
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table, expect_one_sensitive


def learn(
    release: Release,
    model: ModelName = "logistic",
    *,
    truth: Truth | None = None,
    roster: Table | None = None,
    targets: Table | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    rounds: int = ROUNDS,
    exact_up_to: int | None = None,
    progress: Progress = quiet,
) -> Learned:
    """What would somebody believe about each person who trains a model on the release itself?

    The deFinetti attack: from who is in which group, and how often each value occurs there, a model learns how
    quasi-identifiers and values go together; what it says then tells the people of a group apart.  It is one concrete
    attacker, and no worst case: what it does not learn, another may.

    Who is in which group is said by the release (its `members`, as anatomy has them), by a `roster` (a table of the
    people, whose sensitive column is not looked at), or else by the table that is given as `truth`.  With `targets`
    the attacker has no roster: each of these people is known exactly, and of the others only what is printed (naive
    Bayes).  With none of them, all people of a group look alike and nothing moves.

    Args:
        release: what is seen.
        model: "logistic", or "naive bayes", which is quicker and claims more than it knows.
        truth: the table that the release is of, or the result of the search that made it: says how right beliefs are.
            A table does not say who of several people with one key is in which group; of them, what is expected.
        roster: who is in which group, where the release does not say so.
        targets: people who are known exactly, by an attacker who knows nobody else.
        by: hierarchies that say what printed labels stand for.
        rounds: so many rounds at most; more claim more without knowing more.
        exact_up_to: groups with up to so many states are gone through exactly, others by Sinkhorn's scaling; unless
            told, all groups of up to 1,000 states and those up to 100,000 that take little time.
        progress: is told how far it is.

    >>> ward = Release.from_buckets([
    ...     ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]), ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]),
    ...     ([{"sex": "m"}, {"sex": "m"}], ["Flu", "Flu"])])
    >>> learned = learn(ward, model="naive bayes")
    >>> learned.people_above(0.9), round(learned.claimed, 3), learned.right is None
    (6, 0.937, True)

    Source: Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009; Cormode, KDD 2011.
    """
    expect(Release, release, "what is seen")
    expect_one_sensitive(release, "a learner")
    name, lookup = model_name(model), Lookup.of(by)
    rounds, exact_up_to = expect_settings(rounds, exact_up_to)
    if roster is not None:
        expect(Table, roster, "the roster")
    if targets is not None:
        people = _targets(release, name, roster, targets, lookup)
        trained = train_without_roster(people, lookup.nodes(release), rounds=rounds, progress=progress)
    else:
        people = roster_of(release, truth if roster is None else roster, lookup)
        trained = train_on(people, name, rounds=rounds, exact_up_to=exact_up_to, progress=progress)
    held = None if truth is None else truth_of(people, truth)
    notes = (*people.notes, *trained.notes, *(held.notes() if held is not None else ()))
    return Learned(release, name, people, trained, held, notes, alone=targets is not None)


def roster_of(release: Release, table: object, lookup: Lookup) -> Roster:
    """Say who is in which group: as the release does, or a table; else people are what is printed about them."""
    if release.members is not None:
        return Roster.of_members(release, release.members)
    if isinstance(table, Table):
        return Roster.of_table(release, table, lookup)
    return Roster.of_members(release, Members.as_printed(release.groups))


def _targets(release: Release, name: ModelName, roster: Table | None, targets: Table, lookup: Lookup) -> Roster:
    if release.members is not None or roster is not None:
        message = (
            f"{parameter('targets')} are people of whom nobody says who is with them; leave them or the roster out"
        )
        raise BadMeasure(message)
    if name != "naive bayes":
        message = f"{parameter('targets')} without a roster are judged by {parameter('model', 'naive bayes')}; say so"
        raise BadMeasure(message)
    return Roster.of_table(release, targets, lookup, whole=False)
