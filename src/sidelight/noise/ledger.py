"""The ledger: a crash-safe file of how much privacy was spent on the same people.

The budget, what was spent of it and whether more fits is an `Account`; a `Ledger` is the file that holds one.

Invariant   a release is on the disk before its noise is drawn, and one process at a time reads, decides and writes: so
            the file never records less than was published, despite concurrent spending and power failures.
Loss        a ledger is begun explicitly and never by spending; its lock stays beside it, so that a lost ledger is
            noticed.  One with two names (hard links) is refused: replacing one leaves the other as it was.
Old copies  the lock notes the number of entries and their digest: a ledger that lacks some is an old copy.
Damage      a file that is cut off or changed is refused, by its digest, and nothing is published on a guess.
Document    JSON: an account as text, and a digest of everything else in it, in one order of keys.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, SerializerFunctionWrapHandler, model_serializer

from sidelight.documents.document import DocumentPart
from sidelight.errors import (
    BadLedger,
    BadNoise,
    NoLedgerWarning,
    NotPublished,
    WrongKind,
    expect,
    in_python,
    kind_in_words,
    parameter,
    utf8,
)
from sidelight.files import (
    IN_A_CIRCLE,
    leads_in_a_circle,
    lock_path,
    locked,
    read_note,
    read_whole,
    real_path,
    replace_whole,
    write_note,
)
from sidelight.noise.accountant import Account, Accounting, AmountText, Entry, PaidChoice, PublishedCounts, Spending
from sidelight.noise.mechanism import Amount, Neighbours, exact_amount
from sidelight.text import counted, html_table, is_deeply_nested

NO_LEDGER = "no ledger"  # says that a release is deliberately not entered in a ledger


@dataclass(frozen=True, slots=True)
class Ledger:
    """A file that records how much privacy was spent on these people, and how much is left.

    One file for all releases about the same people.  It is locked while it is written, replaced as a whole, and on
    the disk before any noise is drawn: after a crash it may record more than was published, never less.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.begin(Path(folder.name) / "budget.json", epsilon=1)
    >>> _ = ledger.spend(Spending("counts of disease by sex", epsilon=0.7))
    >>> ledger.spend(Spending("counts of disease by age", epsilon=0.7))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sidelight.errors.BudgetExceeded: epsilon 0.7 and delta 0 are more than is left: of epsilon 1 and delta 0, 0.7 ...
    >>> folder.cleanup()
    """

    path: Path

    def __post_init__(self) -> None:
        try:
            path = real_path(Path(self.path))  # a link stays a link
            circle = leads_in_a_circle(path)
        except (OSError, ValueError):
            raise BadLedger("that is no name of a file; give the path of a ledger") from None
        if circle or not path.name or os.path.isdir(path):  # noqa: PTH112 - a lack of permission is reported below
            raise BadLedger(f"'{self.path}' {IN_A_CIRCLE if circle else 'is a folder'}; give the path of a ledger")
        object.__setattr__(self, "path", path)

    def _repr_html_(self) -> str:
        try:
            return self.read()._repr_html_()
        except BadLedger as problem:
            return html_table(f"Ledger {self.path.name}", (), (), note=str(problem))

    @classmethod
    def open(cls, ledger: Ledger | str | os.PathLike[str]) -> Ledger:
        """Return the ledger, or the one at this path."""
        try:
            return ledger if isinstance(ledger, Ledger) else cls(Path(ledger))
        except (TypeError, ValueError):
            raise WrongKind(
                f"{parameter('ledger')} should be a Ledger or the path of one, not {kind_in_words(ledger)}"
            ) from None

    @property
    def files(self) -> tuple[Path, ...]:
        """The ledger and its lock, over which nothing else may be written."""
        return self.path, lock_path(self.path)

    @classmethod
    def begin(
        cls,
        path: str | os.PathLike[str],
        *,
        epsilon: Amount | None = None,
        delta: Amount = 0,
        rho: Amount | None = None,
        accounting: Accounting = "basic",
        neighbours: Neighbours = "add or remove",
    ) -> Ledger:
        """Begin a ledger with a budget for all releases to come; never over another one, nor in place of a lost one.

        The budget is an ε, with a δ; or a ρ, with the δ at which its ε is reported.
        """
        if (epsilon is None) == (rho is None):
            raise BadNoise(f"how large is the budget? give {parameter('epsilon')} or {parameter('rho')}, and not both")
        if rho is not None:
            account = Account.from_rho(rho, delta, neighbours)
        else:
            assert epsilon is not None
            amounts = exact_amount(epsilon, "the budget's epsilon"), exact_amount(delta, "the budget's delta")
            account = Account(*amounts, accounting, neighbours)
        ledger = cls(Path(path))
        there = f"there is a ledger '{ledger.path.name}' already; go on with it, or begin another file"
        try:
            left_over = lock_path(ledger.path).exists()  # checked first: a process that begins it meanwhile locks last
            if ledger.path.exists():
                raise BadLedger(there)
            if left_over:
                raise BadLedger(ledger._lost())
            replace_whole(ledger.path, to_text(account), private=True, force=False)
        except NotPublished:  # another process has begun it this moment
            raise BadLedger(there) from None
        except OSError as error:
            raise BadLedger(
                f"cannot write the ledger '{ledger.path.name}': {error.strerror}; nothing was published"
            ) from None
        with ledger._lock():  # the lock comes last: it shows that there is, or was, a ledger
            pass
        return ledger

    def take_back(self) -> None:
        """Remove a ledger that was just begun, if nothing was spent from it."""
        with self._lock():
            # under the lock, so that nobody spends between this check and the removal
            if not self.read().entries:
                self.path.unlink()
                lock_path(self.path).unlink(missing_ok=True)

    def _lost(self) -> str:
        return (
            f"there was a ledger '{self.path.name}', as its lock '{lock_path(self.path).name}' is there, and what was "
            "spent on these people stands in it; put it back, or begin another file with no more than is surely left "
            "of the budget (remove the lock only if nothing was ever spent)"
        )

    def read(self) -> Account:
        """Return the account; raise `BadLedger` where the file is lost, damaged or an old copy."""
        noted = read_note(self.path)  # first: spending writes the ledger, then the note
        try:
            account = from_text(read_whole(self.path).decode())
        except FileNotFoundError:
            if lock_path(self.path).exists():
                raise BadLedger(self._lost()) from None
            here = self.path.relative_to(Path.cwd()) if self.path.is_relative_to(Path.cwd()) else self.path
            raise BadLedger(
                f"no ledger '{self.path.name}'; check the path, or begin one, with a budget for all releases to come, "
                f"by sidelight ledger begin {shlex.quote(str(here))} --epsilon 3"
                + in_python(f" Ledger.begin('{here}', epsilon=3)")
            ) from None
        except OSError as error:
            raise BadLedger(
                f"cannot read the ledger '{self.path.name}': {error.strerror}; nothing was spent or published"
            ) from None
        except ValueError:
            raise BadLedger(
                f"the ledger '{self.path.name}' is damaged, and nothing is published on a guess; put back a copy that "
                "has every release so far, or begin another file with no more than is surely left of the budget"
            ) from None
        entries = noted.get("entries")  # none in a lock that is new, as beside a ledger that was moved here
        if isinstance(entries, int) and history_digest(account, entries) != noted.get("digest"):
            raise BadLedger(
                f"the ledger '{self.path.name}' is an old copy or another ledger: it lacks some of the "
                f"{counted(entries, 'entry')} that its lock '{lock_path(self.path).name}' recorded; put back the "
                "newest copy, or begin another file with no more than is surely left of the budget (remove the lock "
                "only if nothing was published since this copy)"
            )
        return account

    def read_budget(self) -> Account:
        """Return the account without its entries."""
        return replace(self.read(), entries=())

    def spend(
        self,
        spending: Spending,
        *,
        receipt: str | None = None,
        commitment: str | None = None,
        using: Sequence[tuple[str, PaidChoice]] = (),
    ) -> Account:
        """Spend budget, if there is enough; when this returns, it is on the disk."""
        expect(Spending, spending, "what is spent")
        if not isinstance(using, list | tuple) or any(
            not isinstance(pair, tuple) or [*map(type, pair)] != [str, PaidChoice] for pair in using
        ):
            raise WrongKind(f"{parameter('using')} should be pairs of a receipt and a choice that was paid for")
        for name, text in (("receipt", receipt), ("commitment", commitment)):
            if text is not None and not utf8(expect(str, text, parameter(name))):
                raise BadNoise(f"{parameter(name)} has letters that cannot be written in UTF-8; give others")
        self._read_to_change()  # no lock is left where there is no ledger
        with self._lock():
            # read again under the lock: another process may have spent since
            account = self._read_to_change().after(
                spending, at=datetime.now(UTC), receipt=receipt, commitment=commitment, using=using
            )
            self._write(account)
        return account

    def enter_file(self, receipt: str, path: Path, sha256: str) -> None:
        """Record where counts are about to be published, and their digest, under the receipt of their spending."""
        where = os.path.relpath(real_path(path), self.path.parent)
        file = PublishedCounts(where, sha256, datetime.now(UTC).isoformat(timespec="seconds"))
        with self._lock():
            self._write(self._read_to_change().with_file(receipt, file))

    def enter_winner(self, receipt: str, winner: str) -> None:
        """Record the winner of a choice of levels, under the receipt of its spending."""
        with self._lock():
            self._write(self._read_to_change().with_winner(receipt, winner))

    def _read_to_change(self) -> Account:
        """Read the account to replace it; refuse a file with a second name, which would stay as it is."""
        account = self.read()
        if self.path.stat().st_nlink > 1:
            raise BadLedger(
                f"the ledger '{self.path.name}' has a second name (a hard link), which would not see what is spent; "
                "remove one of them, or make it a symbolic link; nothing was spent or published"
            )
        return account

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Keep other processes out; raise `BadLedger` where the ledger cannot be written."""
        try:
            with locked(self.path):
                yield
        except OSError as error:
            raise BadLedger(
                f"cannot write the ledger '{self.path.name}': {error.strerror}; nothing was published"
            ) from None

    def _write(self, account: Account) -> None:
        # the note comes last: a crash before it leaves a note of fewer entries, which the new ledger still begins with
        replace_whole(self.path, to_text(account), private=True)
        entries = len(account.entries)
        write_note(self.path, keep=True, entries=entries, digest=history_digest(account, entries))


def open_ledger(ledger: Ledger | str | os.PathLike[str] | None) -> Ledger | None:
    """Open the ledger that a release is paid from; None if it is not paid."""
    unpaid = ledger is None or (isinstance(ledger, str) and ledger == NO_LEDGER)
    return None if unpaid else Ledger.open(ledger)  # type: ignore[arg-type]


def warn_without_ledger(ledger: Ledger | str | os.PathLike[str] | None) -> None:
    """Warn a caller who draws noise without a ledger, unless that is explicit."""
    if ledger is None:
        message = (
            "no ledger: nobody adds up what is published about these people, and promises add up; begin one with "
            f'sl.Ledger.begin and give it as ledger=, or say ledger="{NO_LEDGER}"'
        )
        warnings.warn(message, NoLedgerWarning, stacklevel=3)


@contextlib.contextmanager
def paying(
    ledger: Ledger | None,
    spending: Spending,
    *,
    commitment: str | None = None,
    using: Sequence[tuple[str, PaidChoice]] = (),
) -> Iterator[str | None]:
    """Spend before the block runs; an error or interrupt in the block gets a note that the budget is spent."""
    if ledger is None:
        yield None
        return
    # drawn before anything is written, so that an interrupted write can be recognised
    receipt = secrets.token_hex(16)
    try:
        ledger.spend(spending, receipt=receipt, commitment=commitment, using=using)
        yield receipt
    # Ctrl-C too: what is on the disk is spent, whatever ends the block
    except BaseException as error:
        with contextlib.suppress(BadLedger):
            if ledger.read().find(receipt) is not None:  # also where the interrupt came while it was written
                note_spent(error, ledger, spending)
        raise


def note_spent(error: BaseException, ledger: Ledger, spending: Spending) -> None:
    """Add a note to an error or an interrupt: the budget stays spent."""
    error.add_note(f"{spending.cost()} of the ledger '{ledger.path.name}' is spent, and stays so")


class LedgerPart(DocumentPart):
    """A part of a ledger, or of a document beside counts; types are strict, so that no number is read as text."""

    model_config = ConfigDict(strict=True, extra="ignore")  # fields that newer versions add do not make it unreadable


class BudgetDocument(LedgerPart):
    """A budget of ε and δ, or of ρ, and how its account adds up; absent fields are left out."""

    epsilon: AmountText
    delta: AmountText
    rho: AmountText | None = None
    accounting: Accounting | None = None

    @classmethod
    def from_account(cls, account: Account, accounting: Accounting | None = None) -> BudgetDocument:
        """Return the budget of an account, without its entries."""
        return cls(epsilon=account.epsilon, delta=account.delta, rho=account.rho, accounting=accounting)

    def to_account(self, accounting: Accounting | None, neighbours: Neighbours, *entries: Entry) -> Account:
        """Return an account with this budget; raise `BadNoise` for invalid amounts."""
        return Account(self.epsilon, self.delta, accounting, neighbours, entries, self.rho)  # type: ignore[arg-type]

    @model_serializer(mode="wrap")
    def _leave_out(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: each for name, each in handler(self).items() if each is not None}


class LedgerDocument(LedgerPart):
    """A privacy budget, and what was spent of it."""

    kind: Literal["privacy ledger"] = "privacy ledger"
    schema_version: Literal[3] = 3  # raised by every incompatible change
    accounting: Accounting
    neighbours: Neighbours
    budget: BudgetDocument
    entries: tuple[Entry, ...]

    def to_account(self) -> Account:
        """Return the account; raise `BadNoise` for invalid amounts."""
        entries = (replace(each, neighbours=self.neighbours) for each in self.entries)
        account = self.budget.to_account(self.accounting, self.neighbours, *entries)
        _ = account.spendings  # refuses what costs nothing or everything
        return account


def to_text(account: Account) -> str:
    """Write an account as JSON, with a digest that detects missing or changed entries."""
    document = LedgerDocument(
        accounting=account.accounting,
        neighbours=account.neighbours,
        budget=BudgetDocument.from_account(account),
        entries=account.entries,
    ).model_dump()
    return json.dumps({**document, "digest": compute_digest(document)}, indent=2, ensure_ascii=False) + "\n"


def from_text(text: str) -> Account:
    """Read what `to_text` wrote; `ValueError` for anything else."""
    if is_deeply_nested(text):
        raise ValueError("no ledger is nested so deeply")
    document = json.loads(text)
    if not isinstance(document, dict) or document.pop("digest", None) != compute_digest(document):
        raise ValueError("the digest does not fit")
    try:
        return LedgerDocument.model_validate_json(json.dumps(document)).to_account()
    except (TypeError, BadNoise) as error:
        raise ValueError(str(error)) from None


def compute_digest(document: Mapping[str, Any]) -> str:
    """Return a digest of plain data that does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def history_digest(account: Account, entries: int) -> str:
    """Return a digest of the first entries of an account, over the fields that never change."""
    # published files, winners and marks of use are entered later, and must not change the digest
    history = [[each.at, each.receipt, each.what] for each in account.entries[:entries]]
    return compute_digest({"history": history})
