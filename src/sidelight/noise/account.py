"""The account of a budget: what was spent of it, by which releases, and whether one more fits.

An `Account` is a budget (ε, δ), or (ρ, δ), and its entries, in order; nothing of it changes, as each spending gives
another account.  `ledger` keeps one in a file, as `ledger_document` writes it.

Adding up   Σ ε and Σ δ, exactly ("basic"); or Σ ρ converted at the budget's δ ("concentrated").  Both hold when later
            releases, and their ε, are chosen after seeing earlier ones (filters; see `accountant`).
Noise       what is charged is compared with the noise that is to be drawn: less than that costs is refused.
Receipts    each spending gets a random receipt, by which the files that are published with it are entered later, before
            they are put in their place: where each is, and its digest.
Choices     where levels were chosen from the data, the entry has a commitment to what they were chosen for and, once
            it is drawn, to the winner; and the receipt of the one spending that used them, which is written in the same
            step as that spending.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Literal, TypeAlias

from sidelight.errors import BadLedger, BadNoise, BudgetExceeded, is_one_of, parameter
from sidelight.noise.accountant import Spending, compute_concentrated, condition_of, epsilon_of_rho
from sidelight.noise.mechanism import Mechanism
from sidelight.noise.parameters import (
    Amount,
    Neighbours,
    Sensitivity,
    amount_text,
    distinguish_amounts,
    exact_delta,
    exact_epsilon,
    rounded_text,
    units_changed,
)
from sidelight.noise.semantic_privacy import SemanticPrivacy, semantic_privacy
from sidelight.text import counted, html_table

Accounting: TypeAlias = Literal["basic", "concentrated"]
"""How a ledger adds up.  Both hold when later releases, and their ε, are chosen after seeing earlier ones."""


@dataclass(frozen=True, slots=True)
class ChoiceReceipt:
    """By what a choice of levels is found on the ledger that paid it: its receipt, what it was made for, what won."""

    receipt: str
    commitment: str
    winner: str


@dataclass(frozen=True, slots=True)
class PaidChoice:
    """A choice of levels: keyed digests of what it was made for and of what won; the receipt of what used it, if any.

    The key is not in the ledger, so that whoever reads it cannot try out tables.  No winner: its draw was cut short.
    """

    commitment: str
    winner: str = ""
    used_by: str = ""


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """A file of noisy counts: where it was put, seen from the ledger's folder, when, and the digest of its bytes."""

    file: str
    sha256: str
    at: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One release: when its budget was spent, on what, and where it was published, if it was."""

    at: str
    spending: Spending
    receipt: str = ""
    published: tuple[PublishedCounts, ...] = ()
    choice: PaidChoice | None = None


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
    def in_rho(cls, rho: Amount, delta: Amount, neighbours: Neighbours = "add or remove") -> Account:
        """Build the account of a budget in ρ; its ε is what ρ comes to at δ."""
        budget, told_at = exact_epsilon(rho, "the budget's rho"), exact_delta(delta, "the budget's delta")
        # a ρ comes to a finite ε only at a positive δ
        if told_at == 0:
            message = (
                f"a budget of {parameter('rho')} needs {parameter('delta')}, at which its epsilon is told, such as 1e-9"
            )
            raise BadNoise(message)
        return cls(epsilon_of_rho(budget, told_at), told_at, "concentrated", neighbours, rho=budget)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon, "the budget's epsilon"))
        object.__setattr__(self, "delta", exact_delta(self.delta, "the budget's delta"))
        if not is_one_of(self.accounting, Accounting):
            message = f'no {parameter("accounting", self.accounting)}; choose "basic" or "concentrated"'
            raise BadNoise(message)
        units_changed(self.neighbours)  # refuses others
        if self.rho is not None:
            object.__setattr__(self, "rho", exact_epsilon(self.rho, "the budget's rho"))
        if self.accounting == "concentrated" and self.delta == 0:
            message = f"{parameter('accounting', 'concentrated')} needs a budget with a delta above 0, such as 1e-9"
            raise BadNoise(message)

    def __repr__(self) -> str:
        return f"<Account: {self.balance()} spent on {counted(len(self.entries), 'release')}>"

    def balance(self) -> str:
        """Write how much of what is spent: of ε and δ, or of ρ.

        >>> Account(Fraction(2)).balance(), Account.in_rho("0.1", "1e-6").balance()
        ('epsilon 0 of 2 and delta 0 of 0', 'rho 0 of 0.1 (epsilon 0 of 2.14194 at delta 1e-06)')
        """
        epsilon, delta = (rounded_text(amount) for amount in self.spent)
        if self.rho is None:
            return f"epsilon {epsilon} of {amount_text(self.epsilon)} and delta {delta} of {amount_text(self.delta)}"
        at = f"(epsilon {epsilon} of {amount_text(self.epsilon)} at delta {delta})"
        return f"rho {rounded_text(self.spent_rho)} of {amount_text(self.rho)} {at}"

    def _repr_html_(self) -> str:
        rows = [
            (
                each.at,
                each.spending.what,
                amount_text(each.spending.epsilon),
                amount_text(each.spending.delta),
                ", ".join(file.file for file in each.published),
            )
            for each in self.entries
        ]
        return html_table(repr(self)[1:-1], ("when", "what", "epsilon", "delta", "published as"), rows, total=len(rows))

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """What was spent, in order."""
        return tuple(entry.spending for entry in self.entries)

    @property
    def spent(self) -> tuple[Fraction | float, Fraction]:
        """The ε and δ that were spent so far, as this account adds up."""
        if self.accounting == "concentrated":
            return compute_concentrated(self.spendings, self.delta), self.delta
        epsilon = sum((each.epsilon for each in self.spendings), Fraction(0))
        return epsilon, sum((each.delta for each in self.spendings), Fraction(0))

    @property
    def spent_rho(self) -> Fraction | float:
        """The ρ that was spent so far; infinite where something has none."""
        costs = [each.rho() for each in self.spendings]
        known = [each for each in costs if each is not None]
        # a release without a ρ makes the total unbounded; a partial sum would understate what is spent
        return sum(known, Fraction(0)) if len(known) == len(costs) else math.inf

    def promise(self, people: int | None = None) -> SemanticPrivacy:
        """Return what all releases promise together, in beliefs; with a δ it depends on how many people there are.

        >>> round(Account(Fraction(3)).after(Spending("counts", epsilon=1), at=datetime.min).promise().shift, 4)
        0.4621
        """
        together = semantic_privacy(*self.spent, people=people, neighbours=self.neighbours)
        return replace(together, condition=condition_of(self.spendings))

    def after(
        self,
        spending: Spending,
        *,
        at: datetime,
        receipt: str | None = None,
        commitment: str | None = None,
        using: Sequence[ChoiceReceipt] = (),
    ) -> Account:
        """Spend, if the budget allows it: on a choice that is committed to something, or by using some of them."""
        if spending.neighbours != self.neighbours:
            message = (
                f"this ledger is about {self.neighbours} neighbours, the release about {spending.neighbours}; say "
                f"{parameter('neighbours', self.neighbours)}, or pay from another ledger"
            )
            raise BadNoise(message)
        _check_noise(spending)
        choice = None if commitment is None else PaidChoice(commitment)
        entry = Entry(at.isoformat(timespec="seconds"), spending, receipt or secrets.token_hex(16), choice=choice)
        marked = self
        # marked in the account that also gets the new entry: both are written at once, so no crash can part them
        for each in using:
            marked = marked._mark_choice_used(each, entry.receipt)
        more = replace(marked, entries=(*marked.entries, entry))
        # decided exactly, on the account as it would be: fractions for basic, rounded up for concentrated
        epsilon, delta = more.spent
        beyond = epsilon > self.epsilon or delta > self.delta if self.rho is None else more.spent_rho > self.rho
        if beyond:
            raise BudgetExceeded(self._refusal(spending, epsilon))
        return more

    def _mark_choice_used(self, choice: ChoiceReceipt, receipt: str) -> Account:
        """Mark a choice as used by a spending; one that is not here, is of something else or was used is refused."""
        place = self._place(choice.receipt)
        paid = None if place is None else self.entries[place].choice
        if place is None or paid is None or not paid.winner or not _is_of(choice, paid):
            message = "this choice of levels was not paid from this ledger; give the ledger to choose_levels too"
            raise BadNoise(message)
        if paid.used_by:
            message = (
                "this choice of levels was used already, and one payment covers one release; if that one is published, "
                "its levels are known: give them as they stand there, or choose again"
            )
            raise BadNoise(message)
        return self._replace_entry(place, replace(self.entries[place], choice=replace(paid, used_by=receipt)))

    def with_winner(self, receipt: str, winner: str) -> Account:
        """Enter what a choice that was paid for came to, by its receipt: once."""
        place = self._paid_place(receipt)
        choice = self.entries[place].choice
        if choice is None or choice.winner:
            message = "this receipt is of no choice of levels, or of one that was drawn already"
            raise BadLedger(message)
        return self._replace_entry(place, replace(self.entries[place], choice=replace(choice, winner=winner)))

    def with_file(self, receipt: str, file: PublishedCounts) -> Account:
        """Enter a file that was paid for, by its receipt."""
        place = self._paid_place(receipt)
        paid = self.entries[place]
        return self._replace_entry(place, replace(paid, published=(*paid.published, file)))

    def _paid_place(self, receipt: str) -> int:
        place = self._place(receipt)
        if place is None:
            message = "the ledger has no such receipt; it is not the one that these counts were paid from"
            raise BadLedger(message)
        return place

    def has(self, receipt: str) -> bool:
        """Whether something was spent with this receipt."""
        return self._place(receipt) is not None

    def _place(self, receipt: str) -> int | None:
        # an ambiguous receipt counts as unknown: nothing may be credited to the wrong entry
        places = [place for place, entry in enumerate(self.entries) if receipt and entry.receipt == receipt]
        return places[0] if len(places) == 1 else None

    def _replace_entry(self, place: int, entry: Entry) -> Account:
        return replace(self, entries=(*self.entries[:place], entry, *self.entries[place + 1 :]))

    def _refusal(self, spending: Spending, after: Fraction | float) -> str:
        if self.rho is not None:
            return self._refusal_of_rho(spending, self.rho)
        cost = f"epsilon {amount_text(spending.epsilon)} and delta {amount_text(spending.delta)} are more than is left"
        # with as many digits as it takes to see that it is more
        before, budget_epsilon, would_be = distinguish_amounts([self.spent[0], self.epsilon, after])
        budget = f"of epsilon {budget_epsilon} and delta {amount_text(self.delta)}"
        spent = f"{before} and {rounded_text(self.spent[1])} are spent"
        if self.accounting == "concentrated":
            spent = f"{before} of epsilon is spent, and it would be {would_be} (large epsilons cost more here)"
        return f"{cost}: {budget}, {spent}; nothing was spent or published"

    def _refusal_of_rho(self, spending: Spending, budget: Fraction) -> str:
        rho = spending.rho()
        if rho is None:
            return f"{spending.cost()} comes to no rho, and this budget is one; nothing was spent or published"
        spent, of = distinguish_amounts([self.spent_rho, budget])
        cost = f"rho {amount_text(float(rho)) if spending.charged_rho is None else amount_text(rho)}"
        return f"{cost} is more than is left: of rho {of}, {spent} is spent; nothing was spent or published"


def _is_of(choice: ChoiceReceipt, paid: PaidChoice) -> bool:
    return (choice.commitment, choice.winner) == (paid.commitment, paid.winner)


def _check_noise(spending: Spending) -> None:
    """Refuse noise that costs more than is charged for it, or that is for less than one unit can change."""
    mechanism, counts = spending.mechanism, spending.counted
    if mechanism is None:
        return
    needed = mechanism.sensitivity if counts is None else counts.unit.sensitivity(spending.neighbours)
    # a marginal adds cells up, so that several changes of one person may meet in one count
    merged = needed.merge(units_changed(spending.neighbours))
    covered = _covers(mechanism, needed) and all(_covers(each, merged) for each in spending.marginal_noise)
    if not covered or not spending.keeps():
        also = " and that of the queries" if spending.marginal_noise else ""
        message = (
            f"{mechanism.kind} noise of scale {mechanism.scale:g}{also} costs more than {spending.cost()}, which was "
            "to be charged for it; nothing was spent or published"
        )
        raise BadNoise(message)


def _covers(mechanism: Mechanism, change: Sensitivity) -> bool:
    """Whether noise was made for a change as far as this one, at least."""
    # both norms: Laplace noise is calibrated to ℓ1, Gaussian noise to ℓ2
    made_for = mechanism.sensitivity
    return change.l1 <= made_for.l1 and change.l2_squared <= made_for.l2_squared
