"""The measure `Insider`: the largest belief of an attacker who knows how the release was made.

    max over people i and values s of  Pr(x_i = s | method(w) = this release)      (see `insider`)

It judges finished releases: it needs their provenance (`Release.provenance`), the people in them, and all groups at
once, so that searches go without it.  Where beliefs are drawn or bounded the value is their upper end and `kindest` the
lower, or the largest printed share, which is always reached; where nothing was computed the value is 1.  A limit in
between is not decided.

Its witness is a person and the reason: as data, in words, and to be listed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self, cast

from sidelight.errors import SidelightError
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.measure import ROW, Attacker, AttackerAnswer, FoundRelease, Measure, Monotonicity, in_policy
from sidelight.rounding import in_words
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label, show_in_list, shown
from sidelight.table.table import Table
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.minimality.insider import InsiderBeliefs
    from sidelight.release.release import Release
    from sidelight.search.method import SearchResult


LISTED_TABLES = 400_000
"""Groups with more tables than this are drawn from."""


@dataclass(frozen=True, repr=False)
class Insider(Measure):
    """How sure does somebody get of a value of a person who also knows the method and the policy?

    The largest belief of `insider` about anybody.  Results of `protect`, and what it published, know how they were
    made; for any other release it is not computed.  `table` is the original, which tells who is in which group
    (`protect` supplies it), `by` the hierarchies where the release does not have them.  One concrete attacker, for whom
    all assignments of values are equally probable, and no worst case.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> limits = [sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1, sl.Insider() <= 0.6]
    >>> found = sl.protect(adult.table, limits, method="mondrian")
    >>> print(found.verdict.judgements[-1].finding)
    <Finding: insider is 17/38, in group 96 (age 69, sex Female)>

    Source: Wong, Fu, Wang and Pei, Minimality attack, VLDB 2007; as a probability of each person ours.
    """

    table: Table | None = field(default=None, repr=False, compare=False, metadata=in_policy(None))
    by: Mapping[str, Hierarchy] | None = field(default=None, repr=False, compare=False, metadata=in_policy(None))

    name: ClassVar[str] = "insider"
    attacker = Attacker(
        who="an insider",
        knows=f"{ROW}; the method and the policy",
        counts="how sure an insider could become",
        asked_by_search=True,
        deed="who knows the method and the policy too",
        in_short="knows how it was made",
        in_report="who also knows how the file was made, and reasons about what was not published",
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
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Return none: a release without its making cannot be measured."""
        return ()

    def bind_table(self, table: Table) -> Self:
        """Return the measure with this table as its roster, unless it has one."""
        return replace(self, table=table) if self.table is None else self

    def measure(self, release: Release) -> Finding:
        """Return the finding on a release that knows how it was made."""
        self.check(release)
        beliefs = self.beliefs(release)
        # 1 is the only safe value while some beliefs are not computed
        value = Fraction(1) if beliefs.untold else beliefs.worst
        kindest = beliefs.least_worst
        # notes are published beside a release; whom the roster names stays in the witness
        return Finding(self, value, beliefs.witness, beliefs.remarks, None if kindest == value else kindest)

    def beliefs(self, release: Release) -> InsiderBeliefs:
        """Return an insider's beliefs about everybody."""
        from sidelight.minimality.insider import insider  # noqa: PLC0415 - brings all methods; its name needs none

        return insider(release, table=self.table, by=self.by)

    @classmethod
    def answer_search(
        cls, search: FoundRelease, *, most_people: int = 100_000, exact_up_to: int = 20_000
    ) -> AttackerAnswer:
        """Compute the answer beside a search: only groups with up to `exact_up_to` tables of arrangements count."""
        from sidelight.minimality.insider import insider  # noqa: PLC0415 - brings all methods; its name needs none

        if search.values_decide and search.release.size > most_people:
            many = f"{counted(search.release.size, 'person')} are too many to be gone through beside a search"
            return AttackerAnswer(cls.attacker, "not asked", many)
        result = cast("SearchResult", search.result)
        try:
            beliefs = insider(result, exact_up_to=exact_up_to, beyond="left out", progress=search.progress)
        except SidelightError as problem:
            return AttackerAnswer(cls.attacker, "could not tell", str(problem))
        if beliefs.outcome != "told":
            return AttackerAnswer(cls.attacker, beliefs.outcome, beliefs.reason)
        reached = beliefs.least_worst
        people = 0 if search.limit is None else beliefs.people_above(search.limit)
        has_truth = people > 0 and beliefs.roster is not None and beliefs.roster.truth is not None
        return AttackerAnswer(
            cls.attacker,
            "asked",
            belief=reached if beliefs.untold else beliefs.worst,
            limit=search.limit,
            people=people,
            unasked=beliefs.untold,
            right=beliefs.claims_above(search.limit, end="at least").right if search.limit and has_truth else None,
            falls=search.is_exceeded(reached),
        )

    def explain(self, finding: Finding) -> str:
        """Describe the person with the largest belief, and the reason."""
        witness = finding.witness
        return witness.explain() if isinstance(witness, InsiderWitness) else finding.notes[0]

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Recompute the belief: list the arrangements of the witness's group, and judge every cut in each."""
        assert isinstance(witness, InsiderWitness)
        return self.beliefs(release).replay(witness)


@dataclass(frozen=True, slots=True)
class FailedCut:
    """A cut that was not made: people with a label before this one in the column would have been on its left."""

    column: str
    before: str
    left: int
    right: int
    atoms: tuple[int, ...]  # those on the left

    def __str__(self) -> str:
        return f"{self.column} before {self.before} ({self.left} and {self.right} people)"


@dataclass(frozen=True, slots=True, repr=False)
class InsiderWitness(Witness):
    """A person, the value believed of them, the belief, and the failed cuts of the group behind it.

    People whom no cut distinguishes are an *atom*: `atoms` are their numbers of people, `atom` is the person's own.
    Without cuts, the belief is the share that the group prints.
    """

    belief: Fraction | float = Fraction(0)
    people: int = 0  # about whom the same is believed, for the same reason
    atom: int = 0
    says: tuple[tuple[str, Label], ...] = ()  # one of them, as the roster has it
    cuts: tuple[FailedCut, ...] = ()
    atoms: tuple[int, ...] = ()
    finer: tuple[str, ...] = ()  # releases that were not published (full domain)
    all_fail: Fraction | float = Fraction(1)
    how: str = "counted"
    sensitive: str = "value"

    def explain(self) -> str:
        """Describe the belief and its reason in a sentence."""
        value, amount, sensitive = shown(self.value), in_words(self.belief), self.sensitive
        if not self.cuts and not self.finer and self.how == "bounded":
            return f"Whoever knows how it was made believes nothing of anybody with probability above {amount}."
        if not self.cuts and not self.finer:
            return (
                f"In {self.group} anyone has {sensitive} {value} with probability {amount}, as the release itself says."
            )
        who = ", ".join(f"{column} {show_in_list(text)}" for column, text in self.says)
        failed = [*map(str, self.cuts), *self.finer]
        named = "; ".join(failed[:3])
        more = f"; and {len(failed) - 3} more" if len(failed) > 3 else ""
        cuts, releases = len(self.cuts), len(self.finer)
        not_made = f"{counted(cuts, 'cut')} that the people of the group allow {form('was', cuts)} not made"
        if self.finer:
            not_made = f"{counted(releases, 'finer release')} that sizes allow {form('was', releases)} not published"
        alike = f", and {counted(self.people - 1, 'person')} like them," if self.people > 1 else ""
        estimate = "" if self.how == "counted" else ", by an estimate at most"
        return (
            f"Whoever knows how it was made believes that somebody in {self.group} with {who}{alike} has {sensitive} "
            f"{value} with probability {amount}{estimate}: {not_made} ({named}{more}), which happens "
            f"with probability {in_words(self.all_fail)}."
        )
