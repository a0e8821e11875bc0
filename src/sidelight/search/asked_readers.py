"""What would two readers reach of a release whom its policy does not name?

Learner     has the release and a list of who is in which group, and trains a model on them (room `learner`).
Insider     also knows the method and the policy: a finer release would have been published (room `minimality`).

Limit       c, how sure anybody may get of a value of a person: what the policy promises (`value_limits.belief_limit`);
            where it limits values and no belief, the largest share that a group prints, which is what somebody reaches
            who sees the release alone.
Falls       To an insider: of somebody more than c is believed, for sure.  To a learner, whose model may claim more than
            it knows: of the n people of whom it claims more than c, more than c + √(ln 100 / n) are guessed right.
            Guesses that knew nothing would do so once in a hundred times at most, even where people stand in pairs of
            which both are right or none (Hoeffding's bound on n/2 pairs).

What is true is the publisher's: `right` and `falls` are for whoever has the table, and stand in no sidecar.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from sidelight.rounding import at_a_glance, in_words, round_at_a_glance
from sidelight.text import counted

ReaderName: TypeAlias = Literal["learner", "insider"]

Ask: TypeAlias = Literal["both", "learner", "insider", "nobody"]
"""Which readers are asked of what a search found."""

Asked: TypeAlias = Literal["asked", "nothing to learn", "could not tell", "not asked"]
"""Whether a reader was asked, and could be; "nothing to learn" where it is proven that they learn nothing more."""

WHO: dict[ReaderName, str] = {
    "learner": "a learner, who trains a model on the release and on who is in which group",
    "insider": "an insider, who knows the method and the policy too",
}

HOW_TO_ASK: dict[ReaderName, str] = {
    "learner": "sidelight attack FILE --as learner --table TABLE asks, or sl.learn",
    "insider": "sidelight attack FILE --as insider --table TABLE asks, or sl.insider",
}

REMEDIES: dict[ReaderName, str] = {
    "learner": "larger or more diverse groups help, and a limit on the learner judges them; noise stops it",
    "insider": "resists='insider' (--resists insider) keeps the limit for them too",
}

CHANCE = 0.01
"""So often a model that knows nothing may seem to know something."""


@dataclass(frozen=True, slots=True)
class AskedReader:
    """What one of the two readers would reach of a release, or why that is not told."""

    reader: ReaderName
    outcome: Asked
    reason: str = ""  # why nothing is learnt, told or asked; of an asked reader, how
    belief: Fraction | float | None = None  # the largest about anybody, as printed; at least, if some were left out
    limit: Fraction | None = None  # how sure anybody may get
    people: int = 0  # of whom more is believed than the limit
    unasked: int = 0  # people in groups that were left out
    right: float | None = None  # of those people the share guessed right, where the truth is held
    falls: bool = False

    def __post_init__(self) -> None:
        if self.belief is not None:  # rounded once, so that terminal, sidecar and report print the same figure
            object.__setattr__(self, "belief", round_at_a_glance(self.belief, large_is_bad=not self.is_lower_bound))

    def sentence(self) -> str:
        """Say it to whoever reads the release.

        >>> AskedReader("insider", "nothing to learn", "sizes alone decide").sentence()
        'an insider, who knows the method and the policy too, learns nothing more: sizes alone decide'
        >>> print(AskedReader("learner", "not asked", "the policy limits nobody's belief").sentence())
        a learner, ..., was not asked: the policy limits nobody's belief; sidelight attack FILE --as learner ...
        >>> print(AskedReader("insider", "asked", "", Fraction(3, 11), unasked=7).sentence())
        an insider, ..., is at least 3/11 sure of somebody; 7 people in large groups were left out: ...
        """
        who = WHO[self.reader]
        if self.outcome == "nothing to learn":
            return f"{who}, learns nothing more: {self.reason}"
        if self.outcome == "not asked":
            reason = f": {self.reason}" if self.reason else ""
            return f"{who}, was not asked{reason}; {HOW_TO_ASK[self.reader]}"
        if self.outcome == "could not tell" or self.belief is None:
            return f"{who}: what such a one reaches could not be told: {self.reason}"
        how = f" ({self.reason})" if self.reason else ""
        sure = "claims to be" if self.reader == "learner" else "is"
        amount = at_a_glance(self.belief, large_is_bad=not self.is_lower_bound)
        worst = f"at least {amount} sure of somebody" if self.is_lower_bound else f"at most {amount} sure of anybody"
        return f"{who}{how}, {sure} {worst}{self._above()}{self._left()}"

    @property
    def is_lower_bound(self) -> bool:
        """Whether more may be believed of somebody: of whoever was left out."""
        return self.unasked > 0

    def for_readers(self) -> AskedReader:
        """Leave out what only the publisher knows: what is true, and counts of people beyond three digits.

        >>> asked = AskedReader("insider", "asked", "", Fraction(6067, 10010), Fraction(1, 2), 1234, 0, 0.7, falls=True)
        >>> asked.for_readers()
        AskedReader(reader='insider', outcome='asked', reason='', belief=0.6061, limit=Fraction(1, 2), \
people=1230, unasked=0, right=None, falls=False)
        """
        people, unasked = (int(float(f"{each:.3g}")) for each in (self.people, self.unasked))
        return replace(self, people=people, unasked=unasked, right=None, falls=False)

    def for_the_publisher(self) -> str:
        """Say it to whoever holds the truth: with how right the claims are."""
        if self.right is None or not self.people:
            return self.sentence()
        return f"{self.sentence()}; of those {counted(self.people, 'person')}, {self.right:.3f} are guessed right"

    def warning(self) -> str:
        """Say that a release falls to the reader, and what helps."""
        return f"within policy, and yet it falls to one of two readers: {self.for_the_publisher()}; {self.remedy}"

    @property
    def remedy(self) -> str:
        """What helps against the reader."""
        return REMEDIES[self.reader]

    def _above(self) -> str:
        if self.limit is None:
            return ""
        return (
            f", and surer than {in_words(self.limit)} of {counted(self.people, 'person') if self.people else 'nobody'}"
        )

    def _left(self) -> str:
        if not self.unasked:
            return ""
        return f"; {counted(self.unasked, 'person')} in large groups were left out: {HOW_TO_ASK[self.reader]}"


def beyond_chance(people: int, right: float, limit: float) -> bool:
    """Whether guesses about so many people are right more often than guesses that know nothing would be.

    >>> beyond_chance(10, 0.9, 0.5), beyond_chance(1000, 0.6, 0.5)
    (False, True)
    """
    return people > 0 and right - limit > math.sqrt(math.log(1 / CHANCE) / people)
