"""The way in: a release and statements become beliefs, of one value per person or of sets of them.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from sidelight.errors import BadMeasure, expect, mapping_or_empty, parameter
from sidelight.knowledge.parse_statements import Statements, read_statements
from sidelight.max_entropy.beliefs import Beliefs, beliefs_of
from sidelight.max_entropy.problem import Variables
from sidelight.max_entropy.set_beliefs import SetBeliefs, set_beliefs_of
from sidelight.progress import Progress, quiet
from sidelight.release.locate import Lookup, SuppressedPeople
from sidelight.release.release import Release
from sidelight.rounding import exact_number, round_down
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import expect_one_sensitive

SECONDS = 600.0
"""How long solving may take, unless otherwise said."""


def maxent(
    release: Release,
    knowing: Statements = (),
    *,
    people: Mapping[str, Mapping[str, object]] | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    suppressed: SuppressedPeople | None = None,
    seconds: float = SECONDS,
    progress: Progress = quiet,
) -> Beliefs | SetBeliefs:
    """Compute what an attacker believes who sees this release, knows these statements, and assumes nothing else.

    Of all distributions P(q, s, b) of what is known about a person (q), the value (s) and the group (b) that fit the
    release and the statements, the one of largest entropy.  This is another model than counting possible worlds
    (`posterior`): the two agree when nothing is known, and may differ otherwise.

    A statement is also about people in groups that print less than it asks, such as `*` or `30-39`: how many of them
    are meant is not known, and part of the estimate (`beliefs.notes` tells).  `by` are hierarchies that say what
    printed labels stand for; `people` says who somebody is whom a statement names: column → cell.  As everywhere,
    nobody is assumed to be in suppressed rows (`*` in every column): whole groups are suppressed, so whoever is known
    in every column and fits a printed group is in that one, and whoever fits none is nowhere, unless
    `suppressed="may hold them"` is said.  Raises `Contradiction` with a smallest set of statements that cannot all
    hold, and `TooHard` when it takes longer than `seconds`; where only details are open by then, `beliefs.undecided`
    and the notes say so.  Of a release with sets of values, see `SetBeliefs`.

    >>> ward = Release.from_buckets([
    ...     ([{"sex": "male"}, {"sex": "male"}, {"sex": "female"}], ["Flu", "Cold", "Breast cancer"])])
    >>> maxent(ward).probability("Flu", given={"sex": "male"})
    0.3333333333333333
    >>> beliefs = maxent(ward, knowing=["P(Breast cancer | sex=male) = 0"])
    >>> beliefs.probability("Breast cancer", given={"sex": "female"})
    1.0
    >>> labels = [{"city": "Ulm", "sex": "f"}, {"city": "Ulm", "sex": "*"}]
    >>> wards = Release.from_counts([{"Flu": 1, "Cold": 1}, {"Flu": 1, "Cold": 2}], labels=labels)
    >>> print(*maxent(wards, knowing=["P(Flu | sex=f) = 1/3"]).notes)
    sex=f: 2 people for certain; 3 people in 1 group may be meant too, of whom the estimate takes 1.54 to be

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
    """
    expect(Release, release, "what is seen")
    expect_one_sensitive(release, "maximum entropy")
    if release.semantics == "multiset":
        message = (
            "maximum entropy needs one value per person, or a set of them, and this release has "
            f"{parameter('values', release.semantics)}; read it with {parameter('values', 'set')}"
        )
        raise BadMeasure(message)
    # rounded down: a deadline may come early, never late
    deadline = time.monotonic() + round_down(exact_number(seconds, BadMeasure, parameter("seconds")))
    lookup = Lookup.build(by, suppressed=suppressed)
    somebody = Variables(
        release,
        mapping_or_empty(people, parameter("people"), '{"Ann": {"sex": "f"}}'),
        nodes=lookup.nodes(release),
        look_in_suppressed=lookup.suppressed == "may hold them",
    )
    believe = set_beliefs_of if release.semantics == "set" else beliefs_of
    return believe(somebody, read_statements(knowing), deadline=deadline, progress=progress)
