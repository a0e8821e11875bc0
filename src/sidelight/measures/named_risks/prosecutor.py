"""How surely does somebody find a person whom they know to be in the release?

The prosecutor knows that the person is there, and what is printed about them: one of the f people of their group.

Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008; ISO/IEC 27559:2022, 7.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sidelight.measures.attacker import ROW, Attacker
from sidelight.measures.finding import Finding
from sidelight.measures.measure import Measure
from sidelight.measures.named_risks.size_risk import PersonRisk, SizeWitness, Statistic
from sidelight.rounding import exact_text, short_decimal
from sidelight.table.labels import Label
from sidelight.text import counted


@dataclass(frozen=True)
class ProsecutorRisk(PersonRisk):
    """How surely is somebody found whom one knows to be in the release?

    1/f for each of the f people of a group.  `statistic` is the "highest" (1 / the smallest group), the "average" over
    all people (groups / people), or the "share above" a `threshold`: of people in groups with 1/f > t, strictly.
    At most 0.09 asks for groups of 12 people, as 1/11 is 0.0909…; at most 1/11 for 11.

    >>> import sidelight as sl
    >>> release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}])
    >>> finding = ProsecutorRisk().measure(release)
    >>> finding.value, finding.witness.group.number
    (Fraction(1, 2), 2)
    >>> print(finding.explain())
    In group 2, 2 people stand for one another: whoever knows that somebody is in it is right with 1/2.
    >>> print(ProsecutorRisk("share above", threshold=0.4).measure(release).explain())
    2 of 5 people (0.4000) are in groups of 2 or fewer: above 0.4.

    Source: El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008.
    """

    statistic: Statistic = "highest"
    threshold: float | Fraction | None = None

    name: ClassVar[str] = "prosecutor risk"
    attacker = Attacker(
        "somebody who knows that a person is in the file", ROW, "how surely a row is theirs", "register"
    )
    also_called = ("re-identification risk", "prosecutor", "average re-identification risk", "records at risk")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """All three statistics."""
        del domain
        return cls(), cls("average"), cls("share above", threshold=0.4), cls("share above", threshold=Fraction(1, 2))

    def in_words(self, finding: Finding, witness: SizeWitness) -> str:
        """Return how many people are found, or name the smallest group."""
        if self.statistic == "average":
            people, value = short_decimal(Fraction(witness.part)), exact_text(finding.value)
            return (
                f"Whoever knows who is in the release and looks everybody up is right about {people} of "
                f"{counted(witness.whole, 'person')}: {value}."
            )
        # a unique person is found for certain: no probability is needed
        if witness.people == 1:
            return f"In {witness.group}, 1 person stands alone: whoever knows that they are in the release finds them."
        return (
            f"In {witness.group}, {witness.people:,} people stand for one another: "
            f"whoever knows that somebody is in it is right with {exact_text(finding.value)}."
        )
