"""The ledger: a file that knows how much privacy was spent on the same people, whatever happens while it is written."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from sidelight.dp.account import Account, Accounting, from_text, to_text
from sidelight.dp.accountant import Spending
from sidelight.dp.amounts import Amount, exact
from sidelight.dp.mechanism import Neighbours
from sidelight.errors import BadLedger

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: IO[bytes]) -> None:
        while True:
            with contextlib.suppress(OSError):  # it gives up after ten seconds
                msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
                return
else:
    import fcntl

    def _lock(handle: IO[bytes]) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


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
        """Keep other processes out; the lock is on a file beside it, as the ledger itself is replaced."""
        try:
            handle = self.path.with_name(f"{self.path.name}.lock").open("ab")
        except OSError as wrong:
            raise self._cannot_write(wrong) from None
        with handle:  # closing it gives the lock back, and so does the end of the process, however it ends
            _lock(handle)
            yield

    def _write(self, account: Account) -> None:
        """Write a new file beside the old one, wait for the disk, and put it in its place in one step."""
        half = None
        try:
            number, half = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            with os.fdopen(number, "wb") as file:
                file.write(to_text(account).encode())
                file.flush()
                os.fsync(file.fileno())
            if self.path.exists():
                Path(half).chmod(self.path.stat().st_mode & 0o777)  # whoever could use it still can
            Path(half).replace(self.path)
        except OSError as wrong:
            if half is not None:
                Path(half).unlink(missing_ok=True)
            raise self._cannot_write(wrong) from None
        _flush_folder(self.path.parent)

    def _cannot_write(self, wrong: OSError) -> BadLedger:
        return BadLedger(f"cannot write the ledger '{self.path.name}': {wrong.strerror}; nothing was published")


def _flush_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # some systems cannot flush a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
