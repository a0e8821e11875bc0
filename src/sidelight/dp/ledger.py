"""The ledger: a file that knows how much privacy was spent on the same people, whatever happens while it is written."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from sidelight._files import locked, replace_whole
from sidelight.dp.accountant import Spending, concentrated
from sidelight.dp.mechanism import TOUCHED, Amount, Mechanism, Neighbours, exact, exact_delta, exact_epsilon, written
from sidelight.errors import BadLedger, BadNoise, BudgetExceeded, parameter


@dataclass(frozen=True, slots=True)
class Ledger:
    """How much privacy was spent on these people, and how much is left?

    One file for all releases about the same people.  It is locked while it is written, replaced as a whole, and on
    the disk before any noise is drawn: after a crash it may say that more was spent than was published, never less.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.start(Path(folder.name) / "budget.json", epsilon=1)
    >>> _ = ledger.spend(Spending("counts of disease by sex", epsilon=0.7))
    >>> ledger.spend(Spending("counts of disease by age", epsilon=0.7))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sidelight.errors.BudgetExceeded: epsilon 0.7 and delta 0 are more than is left: of epsilon 1 and delta 0, 0.7 ...
    >>> folder.cleanup()
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path).resolve())  # a link stays a link

    @classmethod
    def start(
        cls,
        path: str | os.PathLike[str],
        *,
        epsilon: Amount,
        delta: Amount = 0,
        accounting: Accounting = "basic",
        neighbours: Neighbours = "add or remove",
    ) -> Ledger:
        """Begin a ledger with a budget for all releases to come; never over another one."""
        account = Account(
            exact(epsilon, "the budget's epsilon"), exact(delta, "the budget's delta"), accounting, neighbours
        )
        ledger = cls(Path(path))
        with ledger._locked():
            if ledger.path.exists():
                message = f"there is a ledger '{ledger.path.name}' already; go on with it, or begin another file"
                raise BadLedger(message)
            ledger._write(account)
        return ledger

    def read(self) -> Account:
        """Say what was spent so far."""
        try:
            return from_text(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            message = f"no ledger '{self.path.name}'; begin one by giving its budget"
            raise BadLedger(message) from None
        except OSError as wrong:
            message = f"cannot read the ledger '{self.path.name}': {wrong.strerror}; nothing was spent or published"
            raise BadLedger(message) from None
        except ValueError:
            message = (
                f"the ledger '{self.path.name}' is damaged, and nothing is published on a guess; put back a copy that "
                "has every release so far, or begin another file with no more than is surely left of the budget"
            )
            raise BadLedger(message) from None

    def spend(self, spending: Spending) -> Account:
        """Spend budget, if it is there; when this returns, it is on the disk."""
        self.read()  # no lock is left where there is no ledger
        with self._locked():
            account = self.read().after(spending, at=datetime.now(UTC))
            self._write(account)
        return account

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes out, and say so where the ledger cannot be written."""
        try:
            with locked(self.path):
                yield
        except OSError as error:
            raise self._cannot_write(error) from None

    def _write(self, account: Account) -> None:
        replace_whole(self.path, to_text(account), private=True)

    def _cannot_write(self, wrong: OSError) -> BadLedger:
        return BadLedger(f"cannot write the ledger '{self.path.name}': {wrong.strerror}; nothing was published")


# ----------------------------------------------------------------------------------------------------
# What a ledger says: a budget, what was spent of it, and whether more can be.
# ----------------------------------------------------------------------------------------------------


Accounting: TypeAlias = Literal["basic", "concentrated"]
"""How a ledger adds up.  Both hold when later releases, and their ε, are chosen after seeing earlier ones."""

KIND = "privacy ledger"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One release: when its budget was spent, and on what."""

    at: str
    spending: Spending


@dataclass(frozen=True, slots=True)
class Account:
    """A privacy budget for all releases about the same people, and what was spent of it."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    accounting: Accounting = "basic"
    neighbours: Neighbours = "add or remove"
    entries: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon, "the budget's epsilon"))
        object.__setattr__(self, "delta", exact_delta(self.delta, "the budget's delta"))
        if self.accounting not in get_args(Accounting):
            message = f'no {parameter("accounting", self.accounting)}; choose "basic" or "concentrated"'
            raise BadNoise(message)
        if self.neighbours not in TOUCHED:
            message = f'no {parameter("neighbours", self.neighbours)}; choose "add or remove" or "replace"'
            raise BadNoise(message)
        if self.accounting == "concentrated" and self.delta == 0:
            message = f"{parameter('accounting', 'concentrated')} needs a budget with a delta above 0, such as 1e-9"
            raise BadNoise(message)

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """What was spent, in order."""
        return tuple(entry.spending for entry in self.entries)

    @property
    def spent(self) -> tuple[Fraction | float, Fraction]:
        """The ε and δ that were spent so far, as this account adds up."""
        if self.accounting == "concentrated":
            return concentrated(self.spendings, self.delta), self.delta
        epsilon = sum((each.epsilon for each in self.spendings), Fraction(0))
        return epsilon, sum((each.delta for each in self.spendings), Fraction(0))

    def after(self, spending: Spending, *, at: datetime) -> Account:
        """Spend, if the budget allows it."""
        if spending.neighbours != self.neighbours:
            message = f"this ledger is about {self.neighbours} neighbours, the release about {spending.neighbours}"
            raise BadNoise(message)
        more = replace(self, entries=(*self.entries, Entry(at.isoformat(timespec="seconds"), spending)))
        epsilon, delta = more.spent
        if epsilon > self.epsilon or delta > self.delta:
            raise BudgetExceeded(self._refusal(spending, epsilon))
        return more

    def _refusal(self, spending: Spending, after: Fraction | float) -> str:
        cost = f"epsilon {written(spending.epsilon)} and delta {written(spending.delta)} are more than is left"
        budget = f"of epsilon {written(self.epsilon)} and delta {written(self.delta)}"
        epsilon, delta = (_shown(amount) for amount in self.spent)
        spent = f"{epsilon} and {delta} are spent"
        if self.accounting == "concentrated":
            spent = f"{epsilon} of epsilon is spent, and it would be {_shown(after)} (large epsilons cost more here)"
        return f"{cost}: {budget}, {spent}; nothing was spent or published"


def _shown(amount: Fraction | float) -> str:
    return written(amount) if isinstance(amount, Fraction) else f"{amount:.4g}"


def to_text(account: Account) -> str:
    """Write an account as JSON, with a digest that tells when something is missing or changed."""
    said: dict[str, Any] = {
        "kind": KIND,
        "schema_version": SCHEMA_VERSION,
        "accounting": account.accounting,
        "neighbours": account.neighbours,
        "budget": {"epsilon": written(account.epsilon), "delta": written(account.delta)},
        "entries": [_entry_said(entry) for entry in account.entries],
    }
    return json.dumps({**said, "digest": _digest(said)}, indent=2, ensure_ascii=False) + "\n"


def from_text(text: str) -> Account:
    """Read what `to_text` wrote; `ValueError` for anything else."""
    said = json.loads(text)
    try:
        digest = said.pop("digest")
        if (said["kind"], said["schema_version"]) != (KIND, SCHEMA_VERSION) or digest != _digest(said):
            message = "the digest does not fit"
            raise ValueError(message)
        return Account(
            said["budget"]["epsilon"],
            said["budget"]["delta"],
            said["accounting"],
            said["neighbours"],
            tuple(_entry(each, said["neighbours"]) for each in said["entries"]),
        )
    except (AttributeError, KeyError, TypeError, BadNoise) as wrong:
        raise ValueError(str(wrong)) from None


def _digest(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _entry_said(entry: Entry) -> dict[str, Any]:
    spending, mechanism = entry.spending, entry.spending.mechanism
    noise = mechanism and {"kind": mechanism.kind, "scale": mechanism.scale, "touched": mechanism.touched}
    return {
        "at": entry.at,
        "what": spending.what,
        "epsilon": written(spending.epsilon),
        "delta": written(spending.delta),
        "mechanism": noise,
    }


def _entry(said: Mapping[str, Any], neighbours: Neighbours) -> Entry:
    noise = said["mechanism"]
    mechanism = None if noise is None else Mechanism(noise["kind"], noise["scale"], noise["touched"])
    return Entry(said["at"], Spending(said["what"], said["epsilon"], said["delta"], neighbours, mechanism))
