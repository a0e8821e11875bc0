"""The accountant: what noisy releases cost, alone and together (composition), and whether one more fits a budget.

`privacy_spent` has four accounts, each an upper bound and rounded up, so that the smallest may be reported.  What
releases promise in beliefs is read off (Σε, Σδ), or off the loss distribution where that says more (`promise_of`).

An `Account` is a budget (ε, δ), or (ρ, δ), and its entries, in order; it is immutable, and each spending returns a new
one.  `ledger` keeps one in a file.

Adding up   Σ ε and Σ δ, exactly ("basic"); or Σ ρ converted at the budget's δ ("concentrated").  Both hold when later
            releases, and their ε, are chosen after seeing earlier ones (filters: Feldman and Zrnic, 2021).
Noise       a charge that is below what the noise to be drawn costs is refused.
Receipts    each spending has a random receipt.  Files are entered under it before they are published: path and digest.
Choices     where levels were chosen from the data, the entry has a commitment to what they were chosen for and, once
            it is drawn, to the winner; and the receipt of the one spending that used them, written together with it.
"""

from __future__ import annotations

import math
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo, WithJsonSchema

from sidelight.errors import (
    BadLedger,
    BadNoise,
    BudgetExceeded,
    expect,
    expect_or_none,
    expect_several,
    is_one_of,
    needs_extra,
    parameter,
    utf8,
)
from sidelight.noise.mechanism import (
    SMALLEST_EPSILON,
    Amount,
    Mechanism,
    Neighbours,
    PrivacyUnit,
    amount_text,
    concentrated_epsilon,
    exact_amount,
    exact_delta,
    exact_epsilon,
    six_figures_up,
    units_changed,
)
from sidelight.noise.privacy_profile import LOST_IN_TRANSFORMS, SMALLEST_READ, PrivacyProfile, curve_of_losses
from sidelight.noise.semantic_privacy import (
    SemanticPrivacy,
    build_promise,
    promise_of_pair,
    read_chance,
    semantic_privacy,
    smallest_shift_on,
)
from sidelight.rounding import decimal_text, raise_bound, round_down, round_up, whole_number
from sidelight.text import counted, html_table


@dataclass(frozen=True, slots=True)
class CountedColumns:
    """The counts of a release: of which sensitive column, by which columns at which levels, and the privacy unit."""

    sensitive: str
    levels: tuple[tuple[str, int], ...]
    counts: int
    unit: PrivacyUnit

    def __str__(self) -> str:
        columns = ", ".join(f"{name} (level {level})" for name, level in self.levels) or "nothing else"
        return f"{self.counts:,} counts of {self.sensitive} by {columns}"

    def describe_undeclared(self) -> str:
        """Describe counts of undeclared cells, without their number, which depends on the data (`stable_counts`)."""
        columns = ", ".join(name for name, _ in self.levels) or "nothing else"
        return f"counts of {self.sensitive} by {columns}, where they are found and large"


@dataclass(frozen=True, slots=True, repr=False)
class Spending:
    """A release and its ε and δ; its noise and columns, where they are known."""

    what: str
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighbours: Neighbours = "add or remove"
    mechanism: Mechanism | None = None
    counted: CountedColumns | None = None
    marginal_noise: tuple[Mechanism, ...] = ()  # of marginals that were measured beside the cells
    charged_rho: Fraction | None = None  # where noise was calibrated to a ρ; ε is then what it comes to at δ

    def __post_init__(self) -> None:
        if not utf8(expect(str, self.what, "what is spent on")):
            raise BadNoise("what is spent on has letters that cannot be written in UTF-8; name it by others")
        expect_or_none(Mechanism, self.mechanism, parameter("mechanism"))
        expect_or_none(CountedColumns, self.counted, parameter("counted"))
        expect_several(Mechanism, self.marginal_noise, parameter("marginal_noise"), each="mechanism")
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon))
        object.__setattr__(self, "delta", exact_delta(self.delta))
        if self.charged_rho is not None:
            object.__setattr__(self, "charged_rho", exact_epsilon(self.charged_rho, "rho"))

    def __repr__(self) -> str:
        noise = "" if self.mechanism is None else f", {self.mechanism.kind} noise"
        return f"<Spending of {self.cost()} on '{self.what}'{noise}>"

    def cost(self) -> str:
        """Write ε, and δ where there is one; and ρ, if that is charged."""
        delta = f", delta {amount_text(self.delta)}" if self.delta else ""
        epsilon = f"epsilon {amount_text(self.epsilon)}{delta}"
        return epsilon if self.charged_rho is None else f"rho {amount_text(self.charged_rho)} ({epsilon})"

    def guarantee(self) -> str:
        """Return the name of the guarantee, for releases whose promise cannot be stated in beliefs.

        >>> Spending("counts", epsilon=1, delta="1e-9").guarantee()
        '(1, 1e-09)-differential privacy'
        """
        return f"({amount_text(self.epsilon)}, {amount_text(self.delta)})-differential privacy"

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """All known noise of the release: of the cells, then of marginals."""
        return () if self.mechanism is None else (self.mechanism, *self.marginal_noise)

    def rho(self) -> Fraction | None:
        """Return the ρ of zero-concentrated privacy: Gaussian noise has its own, ε without δ has ε² / 2, else none."""
        if self.charged_rho is not None:
            return self.charged_rho
        if any(each.kind == "discrete Gaussian" for each in self.mechanisms):
            return _add_up_rho(self.mechanisms)
        if self.delta:
            return None
        # Σ ε_A²/2 of the single noises is at most (Σ ε_A)²/2; both are valid, and the smaller is charged
        rho = self.epsilon**2 / 2
        return min(rho, _add_up_rho(self.mechanisms)) if self.marginal_noise else rho

    def keeps(self) -> bool:
        """Whether all its noises together cost no more than its ε and δ, and ρ, by bounds that are rounded up."""
        if any(not 0 < each.scale < math.inf for each in self.mechanisms):
            return False
        if self.charged_rho is not None and _add_up_rho(self.mechanisms) > self.charged_rho:
            return False
        if len(self.mechanisms) == 1:
            return self.mechanisms[0].keeps(self.epsilon, self.delta)
        if all(each.kind == "discrete Laplace" for each in self.mechanisms):
            return sum(each.sensitivity.l1 / Fraction(each.scale) for each in self.mechanisms) <= self.epsilon
        rho = self.rho()
        return rho is not None and concentrated_epsilon(rho, self.delta) <= self.epsilon


def _add_up_rho(mechanisms: Sequence[Mechanism]) -> Fraction:
    return sum((each.rho() for each in mechanisms), Fraction(0))


def epsilon_of_noise(mechanisms: Sequence[Mechanism], delta: Fraction) -> Fraction:
    """Return the ε of one release's noise at δ, rounded up to six figures, and above 0.

    >>> epsilon_of_noise([Mechanism("discrete Gaussian", scale=1e5)], Fraction(1, 2))
    Fraction(1, 1000000)
    """
    if len(mechanisms) > 1:
        return epsilon_of_rho(_add_up_rho(mechanisms), delta)
    return max(six_figures_up(mechanisms[0].epsilon_at(delta)), SMALLEST_EPSILON)


def epsilon_of_rho(rho: Fraction, delta: Fraction) -> Fraction:
    """Return the ε of ρ at δ, rounded up as `epsilon_of_noise` is.

    >>> epsilon_of_rho(Fraction(1, 10), Fraction(1, 10**6))
    Fraction(107097, 50000)
    """
    return max(six_figures_up(concentrated_epsilon(rho, delta)), SMALLEST_EPSILON)


@dataclass(frozen=True, slots=True, repr=False)
class PrivacySpent:
    """The ε of several releases together, at one δ, by four accounts; infinite where an account has no bound."""

    delta: float
    basic: float
    advanced: float
    concentrated: float
    loss_distribution: float

    @property
    def epsilon(self) -> float:
        """The smallest of the four."""
        return min(self.accounts().values())

    def accounts(self) -> dict[str, float]:
        """Return the four by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "delta"}

    def __repr__(self) -> str:
        accounts = ", ".join(f"{name.replace('_', ' ')} {_digits(each)}" for name, each in self.accounts().items())
        return f"<PrivacySpent at delta {self.delta:g}: epsilon at most {_digits(self.epsilon)} ({accounts})>"

    def _repr_html_(self) -> str:
        rows = [(name.replace("_", " "), _digits(each)) for name, each in self.accounts().items()]
        return html_table(f"Privacy spent, at delta {self.delta:g}", ("account", "epsilon at most"), rows)


def privacy_spent(spendings: Iterable[Spending], *, delta: Amount = 0) -> PrivacySpent:
    """Bound the ε that several releases about the same people cost together, at one δ for all of them.

    - basic: Σε, if Σδ is within δ;
    - advanced: Σ ε·tanh(ε/2) + √(2·ln(1/δ')·Σε²), with what Σδ leaves of δ as δ';
    - concentrated: Σρ (ε²/2, or Δ₂²/(2σ²) for Gaussian noise), turned into ε at δ;
    - loss distribution: the privacy losses of the mechanisms themselves, convolved by Google's dp-accounting;
      infinite where one is 710 or more, which is too large to convolve.

    The releases must have been planned in advance: when later ones depend on earlier answers, `basic` and
    `concentrated` still hold (and are what a `Ledger` goes by).

    >>> week = [Spending("Monday", epsilon=0.1)] * 30
    >>> spent = privacy_spent(week, delta=1e-6)
    >>> [round(each, 2) for each in (spent.basic, spent.advanced, spent.concentrated)]
    [3.0, 3.03, 2.67]

    Source: Kairouz, Oh and Viswanath, ICML 2015 (advanced); Bun and Steinke, TCC 2016, and Canonne, Kamath and
    Steinke, NeurIPS 2020 (concentrated); Koskela, Jälkö and Honkela, AISTATS 2020 (loss distribution).
    """
    listed, at = _expect_one_kind(spendings), exact_delta(delta)
    epsilon, total_delta = _add_up_pairs(listed)
    losses, left = _compose_losses(listed), max(round_down(at) - LOST_IN_TRANSFORMS, 0.0)
    return PrivacySpent(
        float(at),
        round_up(epsilon) if total_delta <= at else math.inf,
        compute_advanced(listed, at),
        compute_concentrated(listed, at),
        math.inf if losses is None else float(losses.get_epsilon_for_delta(left)),
    )


def _expect_one_kind(spendings: Iterable[Spending]) -> tuple[Spending, ...]:
    listed = expect_several(Spending, spendings, "spendings", each="spending")
    if len({each.neighbours for each in listed}) > 1:
        raise BadNoise("some releases hide adding or removing a person, others replacing one; account for each apart")
    return listed


def promise_of(
    spendings: Iterable[Spending],
    *,
    people: int | None = None,
    chance: Amount | None = None,
    for_data_as_it_is: bool = False,
) -> SemanticPrivacy:
    """Return what several releases about the same people promise together, in beliefs.

    Without `chance`: the promise of (Σε, Σδ), as in `semantic_privacy`.  With one: the better of that and of what the
    privacy losses of the mechanisms themselves give.  They are (ε', δ(ε'))-private for every ε' at once, and the ε'
    with the smallest shift is taken; `epsilon` and `delta` of the answer are these.  For this the releases must have
    been planned in advance, as in `privacy_spent`.

    Where a release hides rows that were not checked to be people, the promise has that condition.

    Args:
        spendings: what was released, under which ε and δ and by which noise.
        people: how many people the data is about; needed with a chance, and when some δ is above 0.
        chance: how likely the promise may be broken.
        for_data_as_it_is: the chance is over the noise alone, for any data, against an attacker who knows everybody
            else; otherwise over data and noise, as an attacker with the prior expects them, who may know anything.

    >>> month = [Spending("a day", epsilon="0.1")] * 30
    >>> together = promise_of(month, people=1_000, chance="0.001")
    >>> round(promise_of(month).shift, 3), round(together.shift, 3)
    (0.905, 0.865)
    """
    listed = _expect_one_kind(spendings)
    if not listed:
        raise BadNoise("nothing was spent, so nothing is promised; give at least one spending")
    if people is not None:
        people = whole_number(people, BadNoise, parameter("people"))
    allowed, condition = read_chance(chance), condition_of(listed)
    (epsilon, delta), neighbours = _add_up_pairs(listed), listed[0].neighbours
    if (delta or allowed is not None) and not people:
        raise BadNoise(
            f"with a chance or a delta the promise depends on how many people there are; give {parameter('people')}"
        )
    total = promise_of_pair(epsilon, delta, people, allowed, neighbours=neighbours, for_data_as_it_is=for_data_as_it_is)
    losses = None if allowed is None else _compose_losses(listed)
    if allowed is None or losses is None or people is None:
        return replace(total, condition=condition)
    # for a small total ε the curve is read from lower on, or its best ε' would lie below every pair
    smallest = min(SMALLEST_READ, float(epsilon) / 100)
    profile = PrivacyProfile.of_curve(curve_of_losses(losses), smallest=smallest)
    shift, read_at, slack = smallest_shift_on(profile, people, allowed, for_data_as_it_is=for_data_as_it_is)
    # both hold of the same releases, so tests and odds may use whichever pair is better
    every = profile.as_read() | total.profile
    if shift < total.shift:
        total = build_promise(read_at, slack, people, shift, allowed, neighbours=neighbours)
    return replace(total, profile=every, condition=condition)


def condition_of(spendings: Iterable[Spending]) -> str:
    """Return the condition on which a promise to people holds, or "" where every unit was checked."""
    units = (each.counted.unit for each in spendings if each.counted is not None)
    return next((unit.condition for unit in units if unit.condition), "")


def compute_advanced(spendings: Sequence[Spending], delta: Fraction) -> float:
    """Bound the sum of privacy losses by Hoeffding: each has mean ≤ ε·tanh(ε/2) and stays within ±ε."""
    # releases hold together with probability Π (1 − δ_i); what that leaves of δ is δ'
    left = 1 - (1 - delta) / math.prod(1 - each.delta for each in spendings)  # δ'
    if left <= 0:
        return math.inf
    sizes = [float(each.epsilon) for each in spendings]
    mean = math.fsum(size * math.tanh(size / 2) for size in sizes)
    return raise_bound(mean + math.sqrt(2 * -math.log(left) * math.fsum(size**2 for size in sizes)))


def compute_concentrated(spendings: Sequence[Spending], delta: Fraction) -> float:
    """Add up ρ, and turn the sum into ε; infinite where a release has none."""
    rho = _add_up_charged(spendings)
    return math.inf if rho is None else concentrated_epsilon(rho, delta)


def _add_up_pairs(spendings: Iterable[Spending]) -> tuple[Fraction, Fraction]:
    """Return Σε and Σδ."""
    pairs = [(each.epsilon, each.delta) for each in spendings]
    return sum((epsilon for epsilon, _ in pairs), Fraction(0)), sum((delta for _, delta in pairs), Fraction(0))


def _add_up_charged(spendings: Iterable[Spending]) -> Fraction | None:
    """Return Σρ; none where a release has no ρ, as a partial sum would understate what is spent."""
    costs = [each.rho() for each in spendings]
    return None if None in costs else sum((cost for cost in costs if cost is not None), Fraction(0))


def _compose_losses(spendings: Sequence[Spending]) -> Any | None:  # noqa: ANN401 - dp-accounting has no types
    """Convolve the losses; `None` where one is so large that floats do not hold e^loss, from 710 on: no bound then."""
    losses, listed = privacy_loss_distributions(), {each: _list_losses(each) for each in spendings}
    # Losses are rounded up to whole steps, each that is convolved anew: the step shrinks with their number, so that all
    # of them together lose about a thousandth of Σε, and come to a million steps at most.
    rounds = sum(sum(noise.sensitivity.l1 for noise in listed[each]) or 1 for each in spendings)
    total_epsilon = math.fsum(float(each.epsilon) for each in spendings)
    step = min(max(total_epsilon / (1000 * rounds), total_epsilon / 10**6), 1e-4) if spendings else 1e-4
    total = losses.identity(value_discretization_interval=step)
    try:
        with np.errstate(over="raise"):
            # equal releases are composed by one power instead of one by one
            for each, times in Counter(spendings).items():
                one = _losses_of_one(losses, each, listed[each], step)
                total = total.compose(one.self_compose(times) if times > 1 else one)
    except (OverflowError, FloatingPointError):
        return None
    return total


def _list_losses(spending: Spending) -> tuple[Mechanism, ...]:
    """Return the noises whose privacy losses are known one by one; none where ε and δ have to bound them."""
    # where one count changes by several, other ways to spread the change could be worse; the losses of Gaussian noise
    # of a large scale are too many to list
    # Laplace noise with a δ is of cells that nobody declared: which of them are published has losses of its own
    known = all(
        each.sensitivity.changes_by_ones
        and (not spending.delta if each.kind == "discrete Laplace" else each.scale <= 20_000)
        for each in spending.mechanisms
    )
    return spending.mechanisms if known else ()


def _losses_of_one(losses: Any, spending: Spending, listed: Sequence[Mechanism], step: float) -> Any:  # noqa: ANN401
    if not listed:
        parameters = losses.common.DifferentialPrivacyParameters(round_up(spending.epsilon), round_up(spending.delta))
        return losses.from_privacy_parameters(parameters, value_discretization_interval=step)
    total = None
    for each in listed:
        if each.kind == "discrete Laplace":
            # rounded up, as a smaller loss would understate the cost
            loss = round_up(1 / Fraction(each.scale))
            one = losses.from_discrete_laplace_mechanism(loss, value_discretization_interval=step)
        else:
            one = losses.from_discrete_gaussian_mechanism(each.scale, value_discretization_interval=step)
        # ℓ1 counts move by one each, and their noises are independent: as many equal losses add up
        one = one if each.sensitivity.l1 == 1 else one.self_compose(each.sensitivity.l1)
        total = one if total is None else total.compose(one)
    return total


def privacy_loss_distributions() -> Any:  # noqa: ANN401 - dp-accounting has no types
    """Import Google's dp-accounting: how privacy losses add up, exactly."""
    with needs_extra("dp", package="dp-accounting", what="privacy-loss accounting"):
        import dp_accounting.pld.privacy_loss_distribution as losses  # noqa: PLC0415 - an extra, and slow to import
    return losses


def _digits(epsilon: float) -> str:
    """Write a bound to four places or four figures, rounded up.

    >>> [_digits(each) for each in (0.01, 2.34617, 0.00001234567)]
    ['0.01000', '2.3462', '0.00001235']
    """
    return "infinite" if math.isinf(epsilon) else decimal_text(Fraction(str(epsilon)), up=True, figures=4)


def distinguish_amounts(amounts: Sequence[Fraction | float]) -> list[str]:
    """Write amounts with as many digits as it takes to tell those apart that differ, four at least."""
    # seventeen digits tell any two floats apart
    for digits in range(4, 18):
        texts = [round_to_text(each, digits) for each in amounts]
        if len(set(texts)) == len(set(amounts)):
            break
    return texts


def round_to_text(amount: Fraction | float, digits: int | None = None) -> str:
    """Write an amount for people: exactly where that is short, else rounded up to `digits`.

    >>> round_to_text(Fraction(1, 3)), round_to_text(Fraction(1, 3) + Fraction(1, 10**9)), round_to_text(2 / 3)
    ('1/3', '0.333334', '0.6667')
    """
    exact = amount_text(amount, digits or 4)
    if isinstance(amount, float) or len(exact) <= 14:  # more letters are rounded for people to read
        return exact
    figures = digits or 6
    up = Context(prec=figures, rounding=ROUND_CEILING).divide(Decimal(amount.numerator), Decimal(amount.denominator))
    return f"{float(up):.{figures}g}"


# The composition by which a ledger adds up
Accounting: TypeAlias = Literal["basic", "concentrated"]


@dataclass(frozen=True, slots=True)
class PaidChoice:
    """A choice of levels: keyed digests of what it was made for and of what won; the receipt of what used it, if any.

    The key is not in the ledger, so that nobody who has it can test tables.  No winner: its draw was cut short.
    """

    commitment: str
    winner: str = ""
    used_by: str = ""


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """A published file of noisy counts: its path from the ledger's folder, the digest of its bytes, and when."""

    file: str
    sha256: str
    at: str


def _read_amount(amount: object, info: ValidationInfo) -> Fraction:
    # a document has amounts as text, so that none is a float
    if not isinstance(amount, str | Fraction):
        raise BadNoise(f"{info.field_name} is no text")
    return exact_amount(amount, str(info.field_name))


# An ε, a δ or a ρ: in a document the text that it is read back from exactly
AmountText: TypeAlias = Annotated[
    Fraction,
    BeforeValidator(_read_amount),
    PlainSerializer(amount_text, return_type=str),
    WithJsonSchema({"type": "string"}),
]


@dataclass(frozen=True)
class Entry:
    """One release, as a ledger writes it: when its budget was spent, on what, and the files that were published."""

    at: str
    receipt: str
    what: str
    epsilon: AmountText
    delta: AmountText
    rho: AmountText | None
    mechanism: Mechanism | None
    marginal_noise: tuple[Mechanism, ...]
    counted: CountedColumns | None
    published: tuple[PublishedCounts, ...]
    choice: PaidChoice | None
    neighbours: Annotated[Neighbours, Field(exclude=True)] = "add or remove"  # a ledger says it once, for all entries

    @cached_property
    def spending(self) -> Spending:
        """The release with its ε and δ."""
        noise = self.mechanism, self.counted, self.marginal_noise
        return Spending(self.what, self.epsilon, self.delta, self.neighbours, *noise, self.rho)


@dataclass(frozen=True, slots=True, repr=False)
class Account:
    """A privacy budget for all releases about the same people, and what was spent of it."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    accounting: Accounting = "basic"
    neighbours: Neighbours = "add or remove"
    entries: tuple[Entry, ...] = ()
    rho: Fraction | None = None  # where the budget is a ρ; ε is then what it comes to at δ

    @classmethod
    def from_rho(cls, rho: Amount, delta: Amount, neighbours: Neighbours = "add or remove") -> Account:
        """Build the account of a budget in ρ; its ε is what ρ comes to at δ."""
        budget, at = exact_epsilon(rho, "the budget's rho"), exact_delta(delta, "the budget's delta")
        # a ρ comes to a finite ε only at a positive δ
        if at == 0:
            raise BadNoise(
                f"a budget of {parameter('rho')} needs {parameter('delta')}, at which its epsilon is told, such as 1e-9"
            )
        return cls(epsilon_of_rho(budget, at), at, "concentrated", neighbours, rho=budget)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon, "the budget's epsilon"))
        object.__setattr__(self, "delta", exact_delta(self.delta, "the budget's delta"))
        if not is_one_of(self.accounting, Accounting):
            raise BadNoise(f'no {parameter("accounting", self.accounting)}; choose "basic" or "concentrated"')
        units_changed(self.neighbours)  # refuses others
        if self.rho is not None:
            object.__setattr__(self, "rho", exact_epsilon(self.rho, "the budget's rho"))
        if self.accounting == "concentrated" and self.delta == 0:
            raise BadNoise(
                f"{parameter('accounting', 'concentrated')} needs a budget with a delta above 0, such as 1e-9"
            )

    def __repr__(self) -> str:
        return f"<Account: {self.balance()} spent on {counted(len(self.entries), 'release')}>"

    def balance(self) -> str:
        """Write how much of ε and δ, or of ρ, is spent.

        >>> Account(Fraction(2)).balance(), Account.from_rho("0.1", "1e-6").balance()
        ('epsilon 0 of 2 and delta 0 of 0', 'rho 0 of 0.1 (epsilon 0 of 2.14194 at delta 1e-06)')
        """
        epsilon, delta = (round_to_text(amount) for amount in self.spent)
        if self.rho is None:
            return f"epsilon {epsilon} of {amount_text(self.epsilon)} and delta {delta} of {amount_text(self.delta)}"
        at = f"(epsilon {epsilon} of {amount_text(self.epsilon)} at delta {delta})"
        return f"rho {round_to_text(self.spent_rho)} of {amount_text(self.rho)} {at}"

    def _repr_html_(self) -> str:
        files = [", ".join(file.file for file in each.published) for each in self.entries]
        rows = [
            (each.at, each.what, amount_text(each.epsilon), amount_text(each.delta), published)
            for each, published in zip(self.entries, files, strict=True)
        ]
        return html_table(repr(self)[1:-1], ("when", "what", "epsilon", "delta", "published as"), rows, total=len(rows))

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """The spendings, in order."""
        return tuple(entry.spending for entry in self.entries)

    @property
    def spent(self) -> tuple[Fraction | float, Fraction]:
        """The ε and δ spent so far, by this account's composition."""
        if self.accounting == "concentrated":
            return compute_concentrated(self.spendings, self.delta), self.delta
        return _add_up_pairs(self.spendings)

    @property
    def spent_rho(self) -> Fraction | float:
        """The ρ spent so far; infinite where a spending has none."""
        rho = _add_up_charged(self.spendings)
        return math.inf if rho is None else rho

    def promise(self, people: int | None = None) -> SemanticPrivacy:
        """Return what all releases promise together, in beliefs; with a δ it depends on the number of people."""
        together = semantic_privacy(*self.spent, people=people, neighbours=self.neighbours)
        return replace(together, condition=condition_of(self.spendings))

    def after(
        self,
        spending: Spending,
        *,
        at: datetime,
        receipt: str | None = None,
        commitment: str | None = None,
        using: Sequence[tuple[str, PaidChoice]] = (),
    ) -> Account:
        """Return the account after a spending, which may commit to a choice, or use earlier ones; refuse too much."""
        if spending.neighbours != self.neighbours:
            raise BadNoise(
                f"this ledger is about {self.neighbours} neighbours, the release about {spending.neighbours}; say "
                f"{parameter('neighbours', self.neighbours)}, or pay from another ledger"
            )
        _check_noise(spending)
        choice = None if commitment is None else PaidChoice(commitment)
        entry = Entry(
            at.isoformat(timespec="seconds"),
            receipt or secrets.token_hex(16),
            spending.what,
            spending.epsilon,
            spending.delta,
            spending.charged_rho,
            spending.mechanism,
            spending.marginal_noise,
            spending.counted,
            published=(),
            choice=choice,
            neighbours=spending.neighbours,
        )
        marked = self
        # marked in the account that also gets the new entry: both are written at once, so no crash can part them
        for paid, choice_used in using:
            marked = marked._mark_choice_used(paid, choice_used, entry.receipt)
        more = replace(marked, entries=(*marked.entries, entry))
        # decided exactly, on the new account: fractions for basic, rounded up for concentrated
        epsilon, delta = more.spent
        if self.rho is None and (epsilon > self.epsilon or delta > self.delta):
            cost = (
                f"epsilon {amount_text(spending.epsilon)} and delta {amount_text(spending.delta)} are more than is left"
            )
            # with as many digits as it takes to see that it is more
            before, budget, would_be = distinguish_amounts([self.spent[0], self.epsilon, epsilon])
            spent = f"{before} and {round_to_text(self.spent[1])} are spent"
            if self.accounting == "concentrated":
                spent = f"{before} of epsilon is spent, and it would be {would_be} (large epsilons cost more here)"
            message = f"{cost}: of epsilon {budget} and delta {amount_text(self.delta)}, {spent}"
        elif self.rho is not None and more.spent_rho > self.rho:
            rho = spending.rho()
            before, budget = distinguish_amounts([self.spent_rho, self.rho])
            cost = "" if rho is None else amount_text(float(rho) if spending.charged_rho is None else rho)
            message = f"rho {cost} is more than is left: of rho {budget}, {before} is spent"
            if rho is None:
                message = f"{spending.cost()} comes to no rho, and this budget is one"
        else:
            return more
        raise BudgetExceeded(f"{message}; nothing was spent or published")

    def _mark_choice_used(self, paid_by: str, choice: PaidChoice, receipt: str) -> Account:
        """Mark a choice as used by a spending; refuse one that is unknown, differs or was used."""
        entry = self.find(paid_by)
        paid = None if entry is None else entry.choice
        if paid is None or not paid.winner or replace(paid, used_by="") != choice:
            raise BadNoise("this choice of levels was not paid from this ledger; give the ledger to choose_levels too")
        if paid.used_by:
            raise BadNoise(
                "this choice of levels was used already, and one payment covers one release; if that one is published, "
                "its levels are known: give them as they stand there, or choose again"
            )
        return self._replace_entry(paid_by, choice=replace(paid, used_by=receipt))

    def with_winner(self, receipt: str, winner: str) -> Account:
        """Enter the winner of a choice that was paid for, by its receipt: once."""
        choice = self._find_entry(receipt).choice
        if choice is None or choice.winner:
            raise BadLedger("this receipt is of no choice of levels, or of one that was drawn already")
        return self._replace_entry(receipt, choice=replace(choice, winner=winner))

    def with_file(self, receipt: str, file: PublishedCounts) -> Account:
        """Enter a published file, by its receipt."""
        return self._replace_entry(receipt, published=(*self._find_entry(receipt).published, file))

    def _find_entry(self, receipt: str) -> Entry:
        entry = self.find(receipt)
        if entry is None:
            raise BadLedger("the ledger has no such receipt; it is not the one that these counts were paid from")
        return entry

    def _replace_entry(self, receipt: str, **changes: Any) -> Account:  # noqa: ANN401 - as the fields of an entry are
        changed = self._find_entry(receipt)
        return replace(
            self, entries=tuple(replace(each, **changes) if each is changed else each for each in self.entries)
        )

    def find(self, receipt: str) -> Entry | None:
        """Return the entry that has this receipt; none where that is unknown."""
        # an ambiguous receipt counts as unknown: nothing may be credited to the wrong entry
        entries = [entry for entry in self.entries if receipt and entry.receipt == receipt]
        return entries[0] if len(entries) == 1 else None


def _check_noise(spending: Spending) -> None:
    """Refuse noise that costs more than its charge, or that covers less than one unit can change."""
    mechanism, counts = spending.mechanism, spending.counted
    if mechanism is None:
        return
    needed = counts.unit.sensitivity(spending.neighbours) if counts else mechanism.sensitivity
    # a marginal adds cells up, so that several changes of one person may meet in one count
    merged = needed.merge(units_changed(spending.neighbours))
    changes = [(mechanism.sensitivity, needed), *((each.sensitivity, merged) for each in spending.marginal_noise)]
    # both norms: Laplace noise is calibrated to ℓ1, Gaussian noise to ℓ2
    covered = all(change.l1 <= made.l1 and change.l2_squared <= made.l2_squared for made, change in changes)
    if not covered or not spending.keeps():
        also = " and that of the queries" if spending.marginal_noise else ""
        raise BadNoise(
            f"{mechanism.kind} noise of scale {mechanism.scale:g}{also} costs more than {spending.cost()}, which was "
            "to be charged for it; nothing was spent or published"
        )
