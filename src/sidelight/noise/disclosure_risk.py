"""A promise as error rates of a test, and as a relative risk of disclosure; both are read off a privacy profile.

    a test    says "you are in" of a share α of those who are not (false alarms), and of at most `recognised` of those
              who are: the power of `privacy_profile`
    a risk    what was thought likely by p is at most p·F / (p·F + 1 − p) likely afterwards, F the odds factor there;
              the relative risk is that divided by p, at most F

Both are about one person, and somebody who may know everything about everybody else.

Source: Wasserman and Zhou, A Statistical Framework for Differential Privacy, JASA 2010 (tests); McClure and Reiter,
Transactions on Data Privacy 2012, and Kazan and Reiter, Prior-itizing Privacy, 2024 (risks).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import ROUND_UP, Context
from fractions import Fraction
from typing import Literal, TypeAlias

from sidelight.noise.privacy_profile import Neighbours
from sidelight.rounding import raise_bound, round_up, short_decimal, to_places

WHO_TELLS: dict[Neighbours, str] = {
    "add or remove": "Whoever guesses who is in the data, and takes at most {alarms} of those who are not for being in",
    "replace": "Whoever tells you from somebody else in your place, and takes at most {alarms} of others for you",
}
Secret: TypeAlias = Literal["being in", "a value"]
"""What somebody would like to know: whether you are in the data, or something else about you, knowing that you are."""

WHO_THOUGHT: dict[tuple[Secret, Neighbours], str] = {
    ("being in", "add or remove"): "Whoever thought it {prior} likely that you are in the data",
    (
        "being in",
        "replace",
    ): "Whoever thought it {prior} likely that you are in, and not another in your place",
    ("a value", "add or remove"): "Whoever knew that you are in, and thought something about you {prior} likely",
    ("a value", "replace"): "Whoever knew that you are in, and thought something about you {prior} likely",
}


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """How well anybody can tell, at most, whether you are in the data: the promise as error rates of a test.

    Whoever says so wrongly of at most a share `false_alarms` of those who are not in, says so rightly of at most a
    share `recognised` of those who are.  With even odds nobody is right more often than `right`; a coin is in half of
    the cases.  `advantage` is by how much saying so is likelier at most when it is true.
    """

    false_alarms: float
    recognised: float
    advantage: float
    neighbours: Neighbours = "add or remove"
    condition: str = field(default="", repr=False, kw_only=True)  # on what it holds, and nobody checked

    @property
    def right(self) -> float:
        """How often a guess is right at most, when both are as likely."""
        return min(round_up((1 + Fraction(self.advantage)) / 2), 1.0)

    def sentence(self) -> str:
        """Write the promise for a person whose data it is.

        >>> import sidelight as sl
        >>> print(sl.semantic_privacy(1).error_rates().sentence())
        Whoever guesses who is in the data, and takes at most 5 % of those who are not for being in, recognises you in at most 13.6 % of cases; with even odds a guess is right in at most 73.2 % (a coin: 50 %).
        """  # noqa: E501
        who = WHO_TELLS[self.neighbours].format(alarms=plain_percent(self.false_alarms))
        return add_condition(
            self.condition,
            f"{who}, recognises you in at most {percent(self.recognised)} of cases; with even odds a guess is right in "
            f"at most {percent(self.right)} (a coin: 50 %).",
        )


@dataclass(frozen=True, slots=True)
class DisclosureRisk:
    """How likely something about you becomes at most: the promise as a relative risk of disclosure.

    The odds rise by a factor of at most `odds_factor`, so that whoever thinks it likely by `prior` before thinks so by
    at most `posterior` after, except with probability `chance` for any of the people.  What somebody believes of others
    must not depend on you for this: else what is learned about them tells of you, whether you are in or not.
    """

    prior: float
    posterior: float
    odds_factor: float
    chance: float = 0.0
    about: Secret = "being in"
    neighbours: Neighbours = "add or remove"
    condition: str = field(default="", repr=False, kw_only=True)  # on what it holds, and nobody checked

    @property
    def relative_risk(self) -> float:
        """The factor by which the probability rises at most."""
        return raise_bound(self.posterior / self.prior)

    def sentence(self) -> str:
        """Write the promise for a person whose data it is.

        >>> import sidelight as sl
        >>> print(sl.semantic_privacy(1).disclosure_risk(prior=0.1).sentence())
        Whoever thought it 10 % likely that you are in the data, thinks it at most 23.2 % likely afterwards: the odds rise by a factor of at most 2.72.
        """  # noqa: E501
        before = WHO_THOUGHT[self.about, self.neighbours].format(prior=plain_percent(self.prior))
        if math.isinf(self.odds_factor):
            return add_condition(self.condition, f"{before}, may be sure afterwards: nothing bounds the odds.")
        holds = f", except with a chance of at most {two_digits(self.chance)}" if self.chance else ""
        factor = f"{to_places(Fraction(self.odds_factor), 2):,f}"
        return add_condition(
            self.condition,
            f"{before}, thinks it at most {percent(self.posterior)} likely afterwards: the odds rise by a factor of at "
            f"most {factor}{holds}.",
        )


def add_condition(condition: str, promise: str) -> str:
    """Put a condition, if there is one, before a promise.

    >>> add_condition("If you say so", "Nothing is promised."), add_condition("", "Nothing is promised.")
    ('If you say so: nothing is promised.', 'Nothing is promised.')
    """
    return f"{condition}: {promise[:1].lower()}{promise[1:]}" if condition else promise


def percent(share: float, *, up: bool = True) -> str:
    """Show a share, rounded up, or down.

    >>> percent(0.23196), percent(0.0625, up=False), percent(1.0)
    ('23.2 %', '6.2 %', '100 %')
    """
    hundredths = Fraction(share) * 100
    # below 1 % one decimal would overstate by too much: 0.02 would become 0.1
    rounded = f"{to_places(hundredths, 1 if hundredths >= 1 else 3, up=up):f}"
    return f"{rounded.rstrip('0').rstrip('.')} %"


def plain_percent(share: float) -> str:
    """Show a share as it was written."""
    return f"{short_decimal(Fraction(str(share)) * 100)} %"


def two_digits(probability: float) -> str:
    """Show a chance, rounded up."""
    # away from 0, so that the printed chance is never below the bound
    rounded = Context(prec=2, rounding=ROUND_UP).create_decimal(repr(probability))
    return f"{float(rounded):.2g}"
