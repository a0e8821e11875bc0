"""What would attackers reach of a release that a search found?

Each attacker with `asked_by_search` (`Attacker` in `measure`) is asked with little effort about what was found
(`FoundRelease`), and the answer is passed on (`AttackerAnswer`).  `Measure.answer_search` answers by measuring; a class
that can do it more cheaply overrides it.

Limit       c, how sure anybody may get of a value of a person: what the policy promises; where it limits values and no
            belief, the largest share that a group prints, which is what somebody reaches who sees the release alone.
Falls       To an attacker who counts: of somebody more than c is believed, for sure.  To one who only claims, by a
            model: of the n people of whom it claims more than c, more than c + √(ln 100 / n) are guessed right.
            Guesses that knew nothing would do so once in a hundred times at most, even where people stand in pairs of
            which both are right or none (Hoeffding's bound on n/2 pairs).

What is true is the publisher's: `right` and `falls` are for whoever has the table, and stand in no sidecar.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from sidelight.progress import Progress, quiet
from sidelight.rounding import in_words, round_at_a_glance, short_amount
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.measures.measure import Attacker
    from sidelight.release.release import Release
    from sidelight.table.table import TrueCounts

Outcome: TypeAlias = Literal["asked", "nothing to learn", "could not tell", "not asked"]
"""Whether an attacker was asked, and could be; "nothing to learn" where it is proven that they learn nothing more."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundRelease:
    """What a search asks attackers about: a release that it found within a policy."""

    release: Release
    limit: Fraction | None  # how sure anybody may get; None: the policy limits sizes alone
    strict: bool  # whether as sure is too sure
    values_decide: bool  # whether who has which value decided what was found
    with_people: Callable[[], Release]  # the release with who is in which group
    count_truth: Callable[[], TrueCounts]  # who has which value; raises `BadTable` where that is not held
    result: object  # the search's own result, for who knows how it was made
    progress: Progress = quiet

    @property
    def just_above_limit(self) -> float:
        """The limit as beliefs are compared with it, which are given to nine decimals: whoever is above is too sure."""
        assert self.limit is not None
        # half a unit of the ninth decimal, to which beliefs are rounded
        return min(float(self.limit) + (-5e-10 if self.strict else 5e-10), 1.0)

    def is_exceeded(self, belief: Fraction | float) -> bool:
        """Return whether a belief is more than the limit allows."""
        return self.limit is not None and (belief > self.limit or (self.strict and belief == self.limit))


@dataclass(frozen=True, slots=True)
class AttackerAnswer:
    """What an attacker would reach of a release, or why that is not told."""

    attacker: Attacker
    outcome: Outcome
    reason: str = ""  # why nothing is learnt, told or asked; of an attacker who was asked, how
    belief: Fraction | float | None = None  # the largest about anybody, as printed; at least, if some were left out
    limit: Fraction | None = None  # how sure anybody may get
    people: int = 0  # of whom more is believed than the limit
    unasked: int = 0  # people in groups that were left out
    right: float | None = None  # of those people the share guessed right, where the truth is held
    falls: bool = False

    def __post_init__(self) -> None:
        if self.belief is not None:  # rounded once, so that terminal, sidecar and report print the same figure
            object.__setattr__(self, "belief", round_at_a_glance(self.belief, large_is_bad=not self.is_lower_bound))

    @property
    def reader(self) -> str:
        """The attacker's name."""
        return self.attacker.name

    def sentence(self) -> str:
        """Return it in words for whoever reads the release.

        >>> from sidelight.learner.learned import Learner
        >>> from sidelight.minimality.measure import Insider
        >>> AttackerAnswer(Insider.attacker, "nothing to learn", "sizes alone decide").sentence()
        'an insider, who knows the method and the policy too, learns nothing more: sizes alone decide'
        >>> print(AttackerAnswer(Learner.attacker, "not asked", "the policy limits nobody's belief").sentence())
        a learner, ..., was not asked: the policy limits nobody's belief; sidelight attack FILE --as learner ...
        >>> print(AttackerAnswer(Insider.attacker, "asked", "", Fraction(3, 11), unasked=7).sentence())
        an insider, ..., is at least 3/11 sure of somebody; 7 people in large groups were left out: ...
        """
        who = self.attacker.described
        if self.outcome == "nothing to learn":
            return f"{who}, learns nothing more: {self.reason}"
        if self.outcome == "not asked":
            reason = f": {self.reason}" if self.reason else ""
            return f"{who}, was not asked{reason}; {self.attacker.how_to_ask}"
        if self.outcome == "could not tell" or self.belief is None:
            return f"{who}: what this attacker can learn was not computed: {self.reason}"
        how = f" ({self.reason})" if self.reason else ""
        amount = short_amount(self.belief, large_is_bad=not self.is_lower_bound)
        worst = f"at least {amount} sure of somebody" if self.is_lower_bound else f"at most {amount} sure of anybody"
        above = left = ""
        if self.limit is not None:
            people = counted(self.people, "person") if self.people else "nobody"
            above = f", and surer than {in_words(self.limit)} of {people}"
        if self.unasked:
            people = counted(self.unasked, "person")
            left = f"; {people} in large groups were left out: {self.attacker.how_to_ask}"
        return f"{who}{how}, {'claims to be' if self.attacker.only_claims else 'is'} {worst}{above}{left}"

    @property
    def is_lower_bound(self) -> bool:
        """Whether more may be believed of somebody: of whoever was left out."""
        return self.unasked > 0

    def for_readers(self) -> AttackerAnswer:
        """Leave out what only the publisher knows: what is true, and counts of people beyond three digits.

        >>> from sidelight.measures.measure import Attacker
        >>> asked = AttackerAnswer(Attacker("x"), "asked", "", 0.6, Fraction(1, 2), 1234, 0, 0.7, falls=True)
        >>> (shown := asked.for_readers()).people, shown.right, shown.falls
        (1230, None, False)
        """
        # three digits: exact counts would say more of the people than the release does
        people, unasked = (int(float(f"{each:.3g}")) for each in (self.people, self.unasked))
        return replace(self, people=people, unasked=unasked, right=None, falls=False)

    def for_the_publisher(self) -> str:
        """Return it in words for whoever holds the truth: with how right the claims are."""
        if self.right is None or not self.people:
            return self.sentence()
        return f"{self.sentence()}; of those {counted(self.people, 'person')}, {self.right:.3f} are guessed right"


def is_beyond_chance(people: int, right: float, limit: float) -> bool:
    """Return whether guesses about so many people are right more often than guesses that know nothing would be.

    >>> is_beyond_chance(10, 0.9, 0.5), is_beyond_chance(1000, 0.6, 0.5)
    (False, True)
    """
    # a hundredth: so often a model that knows nothing may seem to know something
    return people > 0 and right - limit > math.sqrt(math.log(100) / people)
