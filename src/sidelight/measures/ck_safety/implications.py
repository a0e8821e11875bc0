"""How sure can someone get who knows any k implications?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sidelight.measures.amounts import whole_amount
from sidelight.measures.ck_safety.minimize_within_group import Bags
from sidelight.measures.ck_safety.outline import ImplicationsOutline
from sidelight.measures.ck_safety.shortlist import shortlist
from sidelight.measures.ck_safety.summary import Suspect, Suspects
from sidelight.measures.ck_safety.witness import ImplicationsWitness, knowledge_in_words, replayed
from sidelight.measures.finding import Amount, Finding, Witness, in_words
from sidelight.measures.measure import Measure
from sidelight.measures.most_frequent import largest_counts
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import Semantics


@dataclass(frozen=True)
class Implications(Measure):
    """How sure can someone get of a person's value who knows any `k` implications?

    An implication says: if all of these people have these values, then one of those has that.  Whatever can be known
    about a table can be said in implications, so k bounds an attacker of any kind.  The risk is the largest

        Pr(p has s | the release and what is known)

    over all people p, all values s (or the one `value`) and all sets of k implications.  The worst are always of the
    form A₁ → A, …, A_k → A with A = "p has s", and then it is 1/(1 + r), r = Pr(neither A nor any A_i)/Pr(A).
    A release is (c,k)-safe when the risk is below c.

    >>> hospital = Release.from_counts([
    ...     {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
    ...     {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1}])
    >>> [str(Implications(k).measure(hospital).value) for k in range(3)]
    ['2/5', '2/3', '1']
    >>> finding = Implications(1, value="Heart disease").measure(hospital)
    >>> finding.value, finding.replay(hospital)
    (Fraction(1, 3), Fraction(1, 3))
    >>> print(finding.explain())  # doctest: +NORMALIZE_WHITESPACE
    In group 1 anyone, the target, could be shown to have Heart disease with probability 1/3 by someone who knows
    that, if the target has Flu, the target has Heart disease.

    Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-case background knowledge, ICDE 2007; the form for
    one value and the mergeable summary are ours.
    """

    k: int
    value: str | None = None

    name: ClassVar[str] = "implications"
    limits = (0, 1)
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    when_groups_merge = Trend.NEVER_RISES

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_amount(self.name, "k", self.k))

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Any value and a given one, with no knowledge and with some."""
        one = next((value for value in domain if value is not None), None)
        return tuple(cls(k, value) for k in range(4) for value in dict.fromkeys((None, one)))

    def summarize(self, groups: Groups) -> Suspects:
        """Keep the groups that can take part in the worst case."""
        groups = groups.in_order()
        counts = largest_counts(groups.counts, min(self.k + 1, groups.counts.width))
        own = counts[:, 0] if self.value is None else groups.counts.column(groups.place(self.value))
        rows = shortlist(Bags(groups.sizes, counts, own), self.k).tolist()
        kept = (Suspect.of(groups, row, counts[row].tolist(), int(own[row])) for row in rows)
        return Suspects(self, self.k, label(self.value), tuple(kept))

    def outline(self) -> ImplicationsOutline:
        """The chances of each group, with and without the target."""
        return ImplicationsOutline(self.k, label(self.value))

    def explain(self, finding: Finding) -> str:
        """Say who could be shown to have what by someone who knows what."""
        if not isinstance(finding.witness, ImplicationsWitness):
            return f"Nobody in the release has {shown(self.value)}, so nobody can be shown to have it."
        known, value = finding.witness, shown(finding.witness.value)
        probability = in_words(finding.value)
        if not known.premises():
            return f"In {known.group} anyone has {value} with probability {probability}, as the release itself says."
        said = f"In {known.group} anyone, the target, could be shown to have {value} with probability {probability}"
        return f"{said} by someone who knows {knowledge_in_words(known)}."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the worlds in which the implications hold, and those of them with the target."""
        assert isinstance(witness, ImplicationsWitness)
        return replayed(witness, release)
