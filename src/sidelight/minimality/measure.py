"""How sure does somebody get of a value of a person who knows how the release was made?

    max over people i and values s of  Pr(x_i = s | method(w) = this release)      (see `insider`)

It judges what was found: it needs the release's own making (`Release.provenance`), the people in it, and all groups at
once, so that searches go without it.  Where beliefs are drawn or bounded the value is their upper end and `kindest` the
lower, or the largest printed share, which somebody's belief always reaches; of whom nothing could be told the value
is 1.  A limit in between cannot be decided: "could not tell".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self, cast

from sidelight.errors import SidelightError
from sidelight.measures.attacker import ROW, Attacker, AttackerAnswer, FoundRelease
from sidelight.measures.exact import Amount
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.measure import Measure, Monotonicity
from sidelight.minimality.witness import InsiderWitness
from sidelight.release.release import Release
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label
from sidelight.table.table import Table
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.minimality.beliefs import InsiderBeliefs
    from sidelight.search.method import SearchResult


@dataclass(frozen=True, repr=False)
class Insider(Measure):
    """How sure does somebody get of a value of a person who also knows the method and the policy?

    The largest belief of `insider` about anybody.  What `protect` found, and what it published, say how they were made;
    of any other release it could not be told.  `table` is the original, which says who is in which group (`protect`
    puts it in by itself), `by` the hierarchies where the release does not have them.  One concrete reader, who takes
    all assignments of values for alike, and no worst case.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> limits = [sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1, sl.Insider() <= 0.6]
    >>> found = sl.protect(adult.table, limits, method="mondrian")
    >>> print(found.verdict.judgements[-1].finding)
    <Finding: insider is 17/38, in group 96 (age 69, sex Female)>

    Source: Wong, Fu, Wang and Pei, Minimality attack, VLDB 2007; as a probability of each person ours.
    """

    table: Table | None = field(default=None, repr=False, compare=False)
    by: Mapping[str, Hierarchy] | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "insider"
    attacker = Attacker(
        who="an insider",
        knows=f"{ROW}; the method and the policy",
        counts="how sure an insider could become",
        asked_by_search=True,
        deed="who knows the method and the policy too",
        question="What would somebody believe who knows the method and the policy?",
        function="insider",
        remedy="resists='insider' (--resists insider) keeps the limit for them too",
        knows_method=True,
    )
    also_called = ("minimality attack",)
    limits = (0, 1)
    mergeable: ClassVar[bool] = False
    when_groups_merge = Monotonicity.UNKNOWN
    undecided = "cannot be told: what is believed {between}; say how it was made and give the original table"

    @classmethod
    def from_settings(cls) -> Self:
        """Make it from what a policy file says: nothing but its name."""
        return cls()

    def settings(self) -> dict[str, object]:
        """Return the parameters as a policy file does: none."""
        return {}

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """None: a release that does not say how it was made leaves nothing to ask."""
        del domain
        return ()

    def bind_table(self, table: Table) -> Self:
        """Take the original's people for the roster, unless another one was given."""
        return replace(self, table=table) if self.table is None else self

    def measure(self, release: Release) -> Finding:
        """Answer the question for a release that says how it was made."""
        self.check(release)
        learnt = self.beliefs(release)
        # 1 is the only safe value while some beliefs are not computed
        value = Fraction(1) if learnt.untold else learnt.worst
        kindest = learnt.least_worst
        # notes are published beside a release; whom the roster names stays in the witness
        return Finding(self, value, learnt.witness, learnt.remarks, None if kindest == value else kindest)

    def beliefs(self, release: Release) -> InsiderBeliefs:
        """Return everything that would be believed."""
        from sidelight.minimality.insider import insider  # noqa: PLC0415 - brings all methods; its name needs none

        return insider(release, table=self.table, by=self.by)

    @classmethod
    def answer_search(
        cls, found: FoundRelease, *, most_people: int = 100_000, exact_up_to: int = 20_000
    ) -> AttackerAnswer:
        """Count the groups with up to `exact_up_to` tables of arrangements; nothing is drawn, others are left out."""
        from sidelight.minimality.insider import insider  # noqa: PLC0415 - brings all methods; its name needs none

        if found.values_decide and found.release.size > most_people:
            many = f"{counted(found.release.size, 'person')} are too many to be gone through beside a search"
            return AttackerAnswer(cls.attacker, "not asked", many)
        result = cast("SearchResult", found.result)
        try:
            learnt = insider(result, exact_up_to=exact_up_to, beyond="left out", progress=found.progress)
        except SidelightError as problem:
            return AttackerAnswer(cls.attacker, "could not tell", str(problem))
        if learnt.outcome != "told":
            return AttackerAnswer(cls.attacker, learnt.outcome, learnt.reason)
        reached = learnt.least_worst
        people = 0 if found.limit is None else learnt.people_above(found.limit)
        has_truth = people > 0 and learnt.roster is not None and learnt.roster.truth is not None
        return AttackerAnswer(
            cls.attacker,
            "asked",
            belief=reached if learnt.untold else learnt.worst,
            limit=found.limit,
            people=people,
            unasked=learnt.untold,
            right=learnt.claims_above(found.limit, end="at least").right if found.limit and has_truth else None,
            falls=found.is_exceeded(reached),
        )

    def explain(self, finding: Finding) -> str:
        """Say of whom somebody would be surest, and why."""
        witness = finding.witness
        return witness.explain() if isinstance(witness, InsiderWitness) else finding.notes[0]

    def replay(self, witness: Witness, release: Release) -> Amount:
        """List the arrangements of the witness's group again, and judge every cut in each."""
        assert isinstance(witness, InsiderWitness)
        return self.beliefs(release).replay(witness)
