"""What differential privacy promises: in beliefs, as error rates of a test, and as a risk of disclosure.

The same promise is stated in three ways.  The first is (ε̄, δ̄)-semantic privacy.
For every prior, let p be what an attacker believes about the data after the release, and q what they would believe had
person i been left out.  The promise: except with probability δ̄ over data and output, the total variation distance
between p and q is at most ε̄ (`shift`), for all i.

    δ = 0    ε̄ = tanh(ε / 2), δ̄ = 0: tight, as a prior of two data sets with odds e^ε reaches it
    δ > 0    with E = e^ε, for any h > 0 and σ = √((E − 1)² + h·(E² − 1)) − (E − 1):
                 ε̄ = tanh(ε / 2) + h,  δ̄ = n · δ · (Λ + M)
                 Λ = 1 / (σ·(2 − σ)) while ε̄ ≤ 1 − e^(−2ε), else 1 / ε̄
                 M = 1 / (σ·(2 + σ / E)) while ε̄ ≤ e^(2ε) − 1, else e^(−ε) / ε̄

Why, for one person: let P and Q be the laws of (data, output) with and without the person, r = P(t) / Q(t) for an
output t, u_t = Σ_D (p − (E / r)·q)⁺ and v_t = Σ_D (q − E·r·p)⁺.  Then Σ_t P(t)·u_t = Σ (P − E·Q)⁺ ≤ δ, and in the same
way Σ_t P(t)·(v_t / r) ≤ δ.  The distance of p and q at t is at most
((E / r − 1)·(E·r − 1) + u_t·(E·r − 1) + v_t·(E / r − 1)) / (E² − 1): a distance above ε̄ needs Λ·u_t + M·v_t / r > 1,
whatever r is, and the expectation of that is at most δ·(Λ + M).  docs/understand/noise.md has every step.
Everything is rounded up.

Error rates and risks are read off a privacy profile.

    a test    says "you are in" of a share α of those who are not (false alarms), and of at most `recognised` of those
              who are: the power of `privacy_profile`
    a risk    what had probability p before has at most p·F / (p·F + 1 − p) afterwards, F the odds factor there;
              the relative risk is that divided by p, at most F

Both are about one person, and an attacker who may know everything about everybody else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import ROUND_UP, Context, Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sidelight.errors import BadNoise, WrongKind, as_given, expect, kind_in_words, parameter, remedy_for
from sidelight.noise.mechanism import Amount, Neighbours, exact_amount, exact_delta, exact_epsilon, units_changed
from sidelight.noise.privacy_profile import (
    LARGEST_READ,
    PrivacyProfile,
    is_of_library,
    largest_posterior,
    library_profile,
    smallest_kept,
)
from sidelight.rounding import raise_bound, round_down, round_up, short_decimal, to_places, whole_number
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, slots=True)
class SemanticPrivacy:
    """A bound on how far an attacker's belief moves because one person is in the data.

    Except with probability `chance` over data and output, the total variation distance between what an attacker
    believes after the release and what they would believe had you been left out is at most `shift`, for every one of
    the people and for every prior belief.  (Paper: (ε̄, δ̄)-semantic privacy.)
    """

    epsilon: float
    delta: float
    people: int | None
    shift: float
    chance: float  # the paper's δ̄
    warnings: tuple[str, ...] = ()
    neighbours: Neighbours = "add or remove"
    profile: PrivacyProfile = field(default=PrivacyProfile(()), repr=False, kw_only=True)
    condition: str = field(default="", kw_only=True)  # an unchecked condition on which it holds

    def __post_init__(self) -> None:
        if not expect(PrivacyProfile, self.profile, "the profile").pairs:
            object.__setattr__(self, "profile", PrivacyProfile.of_pair(self.epsilon, self.delta))

    def __repr__(self) -> str:
        about = f" for {self.people:,} people" if self.people is not None else ""
        holds = f", except with a chance of {two_digits(self.chance)}" if self.chance else ""
        promise = "nothing" if self.vacuous else f"a shift of at most {_four_places(self.shift)}{holds}"
        return f"<SemanticPrivacy of epsilon {self.epsilon:g} and delta {self.delta:g}{about}: promises {promise}>"

    def _repr_html_(self) -> str:
        names = ("epsilon", "delta", "people", "shift", "chance")
        row = (self.epsilon, self.delta, "any number" if self.people is None else self.people, self.shift, self.chance)
        return html_table("Semantic privacy", names, [row], note=" ".join((self.sentence(), *self.warnings)))

    @property
    def published_shift(self) -> float:
        """The bound as published, for reference: e^ε − 1, or e^(3ε) − 1 + 2√δ with a chance of O(n√δ)."""
        loss = self.epsilon if self.delta == 0 else 3 * self.epsilon
        return (math.expm1(loss) if loss < 700 else math.inf) + (2 * math.sqrt(self.delta) if self.delta else 0)

    @property
    def vacuous(self) -> bool:
        """Whether nothing is promised at all."""
        return self.shift >= 1 or self.chance >= 1

    @property
    def among(self) -> str:
        """The largest number of people for whom it holds, in words."""
        return "any number of people" if self.people is None else counted(self.people, "person")

    def sentence(self) -> str:
        """Write the promise for a person whose data it is.

        >>> print(semantic_privacy(1).sentence())
        Whatever anyone knew before, what they believe about you changes by at most 0.4622 because you are in.
        """
        because = "because you are in"
        if self.neighbours != "add or remove":
            because += ", and not anybody else in your place"
        if self.vacuous:
            promise = f"Nothing is promised to you: what others believe about you may change to anything {because}."
        else:
            holds = f", except with a chance of at most {two_digits(self.chance)}" if self.chance else ""
            promise = (
                "Whatever anyone knew before, what they believe about you changes by at most "
                f"{_four_places(self.shift)} {because}{holds}."
            )
        return add_condition(self.condition, promise)

    def as_declared(self) -> str:
        """Write the promise where the publisher declared the number of people, which cannot be checked without a leak.

        >>> print(semantic_privacy(1, "1e-9", people=1000).as_declared().partition(". ")[2])
        That is for at most 1,000 people, which the publisher says and nobody checked.
        """
        if not self.delta or self.people is None or self.vacuous:
            return self.sentence()
        return f"{self.sentence()} That is for at most {self.among}, which the publisher says and nobody checked."

    def error_rates(self, false_alarms: float = 0.05) -> ErrorRates:
        """Bound how well an attacker can test whether you are in, at this share of false alarms.

        >>> semantic_privacy(1).error_rates(0.05)
        ErrorRates(false_alarms=0.05, recognised=0.13591..., advantage=0.46211..., neighbours='add or remove')
        """
        share = _read_share(false_alarms, "false_alarms", 0.05)
        power = self.profile.power(share)
        return ErrorRates(share, power, self.profile.advantage, self.neighbours, condition=self.condition)

    def disclosure_risk(self, prior: float = 0.1, *, known_to_be_in: bool = False) -> DisclosureRisk:
        """Bound the probability, for an attacker, of something about you that had probability `prior` before.

        It is about whether you are in.  With `known_to_be_in` it is about anything else: between a person with one
        value and a person with another lie two steps, where neighbours have one person more or less, so that twice ε
        counts; where one person is replaced it is one step.

        >>> round(semantic_privacy(1).disclosure_risk(0.1).posterior, 4)
        0.232
        >>> round(semantic_privacy(1).disclosure_risk(0.1, known_to_be_in=True).posterior, 4)
        0.4509
        """
        share = _read_share(prior, "prior", 0.1)
        expect(bool, known_to_be_in, parameter("known_to_be_in"))
        steps = self.profile.two_steps() if known_to_be_in and self.neighbours == "add or remove" else self.profile
        factor = steps.odds_factor(self.chance, people=self.people or 1)
        about: Secret = "a value" if known_to_be_in else "being in"
        posterior = largest_posterior(share, factor)
        whom = about, self.neighbours
        return DisclosureRisk(share, posterior, factor, self.chance, *whom, condition=self.condition)

    def explain(self, *, false_alarms: float = 0.05, prior: float = 0.1) -> str:
        """Write a paragraph each on beliefs, tests, risks and what is not promised, for those who decide.

        >>> [paragraph.split(". ")[0] for paragraph in semantic_privacy(1).explain().splitlines()[:5:2]]
        ['In beliefs', 'As a test', 'As a risk']
        """
        risks = [self.disclosure_risk(prior).sentence(), self.disclosure_risk(prior, known_to_be_in=True).sentence()]
        cost = f"epsilon {self.epsilon:g} and delta {self.delta:g}"
        if len(self.profile.pairs) > 1:
            cost = f"epsilon {self.epsilon:.4g} at delta {self.delta:.2g}, one of many pairs that hold at once"
        other = "without you" if self.neighbours == "add or remove" else "with anybody else in your place"
        paragraphs = [
            f"In beliefs. {self.sentence()}",
            (
                f"As a test. {self.error_rates(false_alarms).sentence()} This holds for whoever knows everything about "
                "everybody else, and for each person by themselves."
            ),
            (
                f"As a risk. {' '.join(risks)} This holds where what somebody believes of others does not depend on "
                "you; else what is learned about them tells of you, whether you are in or not."
            ),
            (
                "These are three ways to say one thing: every result is about as likely with you in the data as "
                f"{other} ({cost})."
            ),
            (
                "Not promised: that nothing is learned about people like you. What the data shows of them, everybody "
                "may believe of you, and would, had you been left out."
            ),
        ]
        if self.chance and self.people is not None and not self.vacuous:
            paragraphs.insert(
                4,
                f"The chance that it does not hold is for at most {self.among} together; nobody checked how many there "
                "are.",
            )
        return "\n\n".join(paragraphs)

    def plot(self, *, false_alarms: float = 0.05, prior: float = 0.1) -> alt.TopLevelMixin:
        """Draw what a test of who is in can reach, and how far beliefs about that can rise: an Altair chart."""
        from sidelight.report.charts.promise import promise_chart  # noqa: PLC0415 - it stands below: it draws what all rooms find

        return promise_chart(self, false_alarms=false_alarms, prior=prior)


def semantic_privacy(
    epsilon: Amount | Any,  # noqa: ANN401 - or a measurement or an event of another library
    delta: Amount = 0,
    *,
    d_in: float | None = None,
    people: int | None = None,
    chance: Amount | None = None,
    neighbours: Neighbours | None = None,
) -> SemanticPrivacy:
    """Return what differential privacy promises to each of n people: in beliefs, in error rates, as a risk.

    In beliefs:

    - δ = 0: the shift is at most tanh(ε/2), always.  This is tight: an attacker with the right prior reaches it.
    - δ > 0: the shift is at most tanh(ε/2) + h, except with a chance that falls as h grows, by about
      2·n·δ / (h·(e^ε + 1)) where h is small.  The smallest h for the wanted chance is taken; without one, the h that
      equals the chance.

    Args:
        epsilon: the ε of the release, or of all releases together; or a `Measurement` of OpenDP (with `d_in`), with
            any output measure, or a `DpEvent` of dp-accounting.
        delta: their δ; for measurements and events that have a δ for every ε, the one at which ε is read.
        d_in: how far neighbours are apart by the input metric of a measurement of OpenDP.
        people: how many people the data is about; needed when δ is above 0.
        chance: how likely the promise may be broken (δ̄), when δ is above 0.  Where there is a δ for every ε, the pair
            that promises most is taken.
        neighbours: "add or remove" one person, or "replace" one; a metric of OpenDP that implies either decides.

    >>> round(semantic_privacy(1).shift, 5)
    0.46212
    >>> promise = semantic_privacy(0.1, 1e-12, people=45_222, chance=0.001)
    >>> round(promise.shift, 4), promise.chance
    (0.05, 0.001)
    >>> import dp_accounting
    >>> promise = semantic_privacy(dp_accounting.GaussianDpEvent(noise_multiplier=2), people=45_222, chance=0.001)
    >>> promise.error_rates(0.05).recognised, promise.shift
    (0.12613..., 0.90056...)

    Source: the question is of Kasiviswanathan and Smith, On the Semantics of Differential Privacy, 2014; the bounds are
    ours.  Tests: Wasserman and Zhou, JASA 2010.  Risks: McClure and Reiter, Transactions on Data Privacy 2012; Kazan
    and Reiter, Prior-itizing Privacy, 2024; Kifer and Machanavajjhala, Pufferfish, 2014 (on what others disclose of
    you).
    """
    if neighbours is not None:
        units_changed(neighbours)  # refuses what is no kind of neighbours
    if people is not None:
        people = whole_number(people, BadNoise, parameter("people"))
    if is_of_library(epsilon):
        read, relation = library_profile(epsilon, d_in, neighbours)
        slack, allowed = exact_delta(delta), read_chance(chance)
        if slack or allowed is None:
            pair = _pair_at(read, slack)
            return promise_of_pair(*pair, people, allowed, neighbours=relation, profile=read.as_read())
        shift, loss, left = smallest_shift_on(read, _expect_people(people), allowed)
        holds_but_for = allowed if left else 0.0
        return build_promise(loss, left, people, shift, holds_but_for, neighbours=relation, profile=read.as_read())
    if not isinstance(epsilon, Real | Decimal | str):
        raise WrongKind(f"a promise is not of {kind_in_words(epsilon)}; {remedy_for('epsilon', epsilon)}")
    if d_in is not None:
        raise BadNoise(f"{parameter('d_in')} is for measurements of OpenDP; leave it out")
    amount: Any = epsilon
    pair = exact_epsilon(amount), exact_delta(delta)
    return promise_of_pair(*pair, people, read_chance(chance), neighbours=neighbours or "add or remove")


def promise_of_pair(
    epsilon: Fraction,
    delta: Fraction,
    people: int | None,
    chance: float | None,
    *,
    neighbours: Neighbours,
    profile: PrivacyProfile | None = None,
    for_data_as_it_is: bool = False,
) -> SemanticPrivacy:
    """Return what one ε and δ promise to `people`, except with this chance; see `smallest_shift`."""
    if delta == 0:
        # a few last bits up: a promise may be kept better than stated
        bound = min(raise_bound(math.tanh(round_up(epsilon) / 2), 1e-15), 1.0), 0.0
    else:
        slack = _expect_people(people) * delta
        bound = smallest_shift(round_up(epsilon), slack, chance, for_data_as_it_is=for_data_as_it_is)
    return build_promise(epsilon, delta, people, *bound, neighbours=neighbours, profile=profile)


def _pair_at(profile: PrivacyProfile, delta: Fraction) -> tuple[Fraction, Fraction]:
    """Return the pair at δ; at 0 the one without any δ, or the only one."""
    if delta:
        epsilon = profile.epsilon_at(round_down(delta))
        if math.isinf(epsilon):
            raise BadNoise(
                f"no epsilon up to {LARGEST_READ:g} holds at {parameter('delta', float(delta))}; give a larger one"
            )
        return Fraction(epsilon), delta
    pure = [pair for pair in profile.pairs if pair[1] == 0]
    if not pure and len(profile.pairs) > 1:
        raise BadNoise(
            f"it has a delta for every epsilon; give {parameter('chance', 0.001)}, how likely the promise may be "
            f"broken, or the delta at which epsilon is read, such as {parameter('delta', 1e-9)}"
        )
    epsilon, slack = min(pure or profile.pairs)
    return Fraction(epsilon), Fraction(slack)


def _expect_people(people: int | None) -> int:
    if people is None or people < 1:
        raise BadNoise(
            f"with a delta above 0 the promise depends on how many people there are; give {parameter('people')}"
        )
    return people


def read_chance(chance: Amount | None) -> float | None:
    """Read how likely a promise may be broken; None leaves it open."""
    return None if chance is None else _read_share(chance, "chance", 0.01)


def smallest_shift(
    epsilon: float, slack: Fraction | float, chance: float | None, *, for_data_as_it_is: bool = False
) -> tuple[float, float]:
    """Return ε̄ and δ̄ for ε > 0 and `slack` = n·δ: the smallest ε̄ for this δ̄, or ε̄ − tanh(ε/2) = δ̄ for None.

    δ̄ is over data and output, as an attacker with the prior expects them.  `for_data_as_it_is`: over the output alone,
    for any data, against an attacker who knows everybody else: that law is (ε, δ)-close to the one without the person,
    under which δ̄ holds as well, since P and Q may be exchanged.
    """
    floor = raise_bound(math.tanh(epsilon / 2), 1e-15)
    mass = round_up(slack)

    def broken(excess: float) -> float:
        weight = _weight(epsilon, excess)
        return raise_bound(mass * (1 + math.exp(epsilon) * weight if for_data_as_it_is else weight))

    def holds(excess: float) -> bool:
        return broken(excess) <= (excess if chance is None else chance)

    # not even the largest shift is kept with this chance
    if floor >= 1 or not holds(1 - floor):
        return 1.0, 1.0 if chance is None else chance
    least = smallest_kept(0.0, 1 - floor, holds, close=1e-15)
    return min(raise_bound(floor + least, 1e-15), 1.0), least if chance is None else chance


def smallest_shift_on(
    profile: PrivacyProfile, people: int, chance: float, *, for_data_as_it_is: bool = False
) -> tuple[float, float, float]:
    """Return the smallest shift that any pair of a profile gives for a chance, and the ε' and δ(ε') it is read at."""
    best = 1.0, math.inf, 1.0
    pairs = sorted(pair for pair in profile.pairs if pair[0] > 0)
    for _ in range(1 if profile.curve is None else 3):
        for epsilon, delta in pairs:
            if math.tanh(epsilon / 2) >= best[0]:  # no larger ε has a smaller shift
                break
            if delta == 0:
                shift = raise_bound(math.tanh(epsilon / 2), 1e-15)
            else:
                shift, _ = smallest_shift(epsilon, people * delta, chance, for_data_as_it_is=for_data_as_it_is)
            best = min(best, (shift, epsilon, delta))
        known = [epsilon for epsilon, _ in pairs]
        if profile.curve is None or best[1] not in known:
            break
        at = known.index(best[1])
        # the best ε lies between the neighbours of the best pair: the curve is read more finely there
        between = np.geomspace(known[max(at - 1, 0)], known[min(at + 1, len(known) - 1)], 128).tolist()
        pairs = list(zip(between, profile.curve(between), strict=True))
    return best


def _weight(epsilon: float, excess: float) -> float:
    """Return Λ + M, for ε̄ = tanh(ε/2) + excess."""
    shift = math.tanh(epsilon / 2) + excess
    less_one, twice = math.expm1(epsilon), math.expm1(2 * epsilon)  # E − 1 and E² − 1
    # √(a² + b) − a as b / (√(a² + b) + a), which loses no digits where h is small
    sigma = excess * twice / (math.sqrt(less_one**2 + excess * twice) + less_one)
    first = 1 / (sigma * (2 - sigma)) if shift <= -math.expm1(-2 * epsilon) else 1 / shift
    second = 1 / (sigma * (2 + sigma * math.exp(-epsilon))) if shift <= twice else math.exp(-epsilon) / shift
    return first + second


def build_promise(
    epsilon: Fraction | float,
    delta: Fraction | float,
    people: int | None,
    shift: float,
    chance: float,
    *,
    neighbours: Neighbours = "add or remove",
    profile: PrivacyProfile | None = None,
) -> SemanticPrivacy:
    """Return what is promised, and warn where that is nothing."""
    warnings = []
    if delta > 0 and (shift >= 1 or chance >= 1):
        warnings.append("delta is not far enough below 1 / people for this epsilon: nothing is promised")
    elif shift >= 0.99:
        warnings.append("epsilon is so large that a belief may move almost anywhere")
    read = PrivacyProfile.of_pair(round_up(epsilon), round_up(delta)) if profile is None else profile
    return SemanticPrivacy(
        float(epsilon), float(delta), people, shift, chance, tuple(warnings), neighbours, profile=read
    )


def _read_share(share: Amount, name: str, example: float) -> float:
    exact = exact_amount(share, name)
    if not 0 < exact < 1:
        raise BadNoise(f"{parameter(name)} is {as_given(share)}; give a share above 0 and below 1, such as {example}")
    return float(exact)


def _four_places(shift: float) -> str:
    """Round up: a promise may be kept better than stated, never worse."""
    return f"{to_places(Fraction(shift), 4):f}"


# What an attacker tries to learn: whether you are in the data, or something else about you, knowing that you are
Secret: TypeAlias = Literal["being in", "a value"]


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Bounds on a test of whether you are in the data: the promise as error rates.

    A test that accuses at most a share `false_alarms` of those who are not in, recognises at most a share `recognised`
    of those who are.  With even odds nobody is right more often than `right`; a coin is in half of the cases.
    `advantage` is the largest difference between the two shares.
    """

    false_alarms: float
    recognised: float
    advantage: float
    neighbours: Neighbours = "add or remove"
    condition: str = field(default="", repr=False, kw_only=True)  # unchecked, on which it holds

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
        alarms = plain_percent(self.false_alarms)
        who = f"Whoever guesses who is in the data, and takes at most {alarms} of those who are not for being in"
        if self.neighbours == "replace":
            who = f"Whoever tells you from somebody else in your place, and takes at most {alarms} of others for you"
        return add_condition(
            self.condition,
            f"{who}, recognises you in at most {round_percent(self.recognised)} of cases; with even odds a guess is "
            f"right in at most {round_percent(self.right)} (a coin: 50 %).",
        )


@dataclass(frozen=True, slots=True)
class DisclosureRisk:
    """A bound on the probability of something about you: the promise as a relative risk of disclosure.

    The odds rise by a factor of at most `odds_factor`, so that a probability of `prior` becomes at most `posterior`,
    except with probability `chance` for any of the people.  This holds where an attacker's beliefs about others do not
    depend on you: otherwise what is learned about them applies to you, whether you are in or not.
    """

    prior: float
    posterior: float
    odds_factor: float
    chance: float = 0.0
    about: Secret = "being in"
    neighbours: Neighbours = "add or remove"
    condition: str = field(default="", repr=False, kw_only=True)  # unchecked, on which it holds

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
        prior = plain_percent(self.prior)
        before = f"Whoever knew that you are in, and thought something about you {prior} likely"
        if self.about == "being in":
            what = "are in the data" if self.neighbours == "add or remove" else "are in, and not another in your place"
            before = f"Whoever thought it {prior} likely that you {what}"
        if math.isinf(self.odds_factor):
            return add_condition(self.condition, f"{before}, may be sure afterwards: nothing bounds the odds.")
        holds = f", except with a chance of at most {two_digits(self.chance)}" if self.chance else ""
        factor = f"{to_places(Fraction(self.odds_factor), 2):,f}"
        return add_condition(
            self.condition,
            f"{before}, thinks it at most {round_percent(self.posterior)} likely afterwards: the odds rise by a "
            f"factor of at most {factor}{holds}.",
        )


def add_condition(condition: str, promise: str) -> str:
    """Put a condition, if there is one, before a promise.

    >>> add_condition("If you say so", "Nothing is promised."), add_condition("", "Nothing is promised.")
    ('If you say so: nothing is promised.', 'Nothing is promised.')
    """
    return f"{condition}: {promise[:1].lower()}{promise[1:]}" if condition else promise


def round_percent(share: float, *, up: bool = True) -> str:
    """Show a share, rounded up, or down."""
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
