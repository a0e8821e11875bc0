"""The JSON document that a ledger is: an account as text, with a digest of itself, and read again.

The digest is of everything else in the document, in one order of keys, as it stands in the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, Literal

from pydantic import ConfigDict, SerializerFunctionWrapHandler, model_serializer

from sidelight.documents.document import DocumentPart
from sidelight.errors import BadNoise
from sidelight.noise.account import Account, Accounting, Entry, PaidChoice, PublishedCounts
from sidelight.noise.accountant import CountedColumns, Spending
from sidelight.noise.mechanism import Mechanism
from sidelight.noise.parameters import Neighbours, amount_text, exact_amount
from sidelight.text import is_deeply_nested

SCHEMA_VERSION: Final = 3
"""Raised whenever a reader of the document would have to change."""


class LedgerPart(DocumentPart):
    """A part of a ledger, or of a document beside counts: no number is taken for a text, no truth for a number."""

    model_config = ConfigDict(strict=True, extra="ignore")  # what newer versions add does not make it unreadable


class BudgetDocument(LedgerPart):
    """A budget of ε and δ; or of ρ, which is left out where there is none."""

    epsilon: str
    delta: str
    rho: str | None = None

    @classmethod
    def from_account(cls, account: Account) -> BudgetDocument:
        """Write the budget of an account, without what was spent of it."""
        return cls(
            epsilon=amount_text(account.epsilon),
            delta=amount_text(account.delta),
            rho=None if account.rho is None else amount_text(account.rho),
        )

    def amounts(self) -> tuple[Fraction, Fraction]:
        """Return ε and δ exactly; `BadNoise` where they are no numbers."""
        return exact_amount(self.epsilon, "the budget's epsilon"), exact_amount(self.delta, "the budget's delta")

    def exact_rho(self) -> Fraction | None:
        """Return ρ exactly, if the budget is one."""
        return None if self.rho is None else exact_amount(self.rho, "the budget's rho")

    @model_serializer(mode="wrap")
    def _leave_out_rho(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        return {name: each for name, each in fields.items() if name != "rho" or each is not None}


class EntryDocument(LedgerPart):
    """One release that was paid for."""

    at: str
    receipt: str
    what: str
    epsilon: str
    delta: str
    rho: str | None
    mechanism: Mechanism | None
    marginal_noise: tuple[Mechanism, ...]
    counted: CountedColumns | None
    published: tuple[PublishedCounts, ...]
    choice: PaidChoice | None

    @classmethod
    def from_entry(cls, entry: Entry) -> EntryDocument:
        """Write one entry of an account."""
        spending = entry.spending
        return cls(
            at=entry.at,
            receipt=entry.receipt,
            what=spending.what,
            epsilon=amount_text(spending.epsilon),
            delta=amount_text(spending.delta),
            rho=None if spending.charged_rho is None else amount_text(spending.charged_rho),
            mechanism=spending.mechanism,
            marginal_noise=tuple(spending.marginal_noise),
            counted=spending.counted,
            published=entry.published,
            choice=entry.choice,
        )

    def to_entry(self, neighbours: Neighbours) -> Entry:
        """Read the entry; `BadNoise` where its amounts are none."""
        spending = Spending(
            self.what,
            exact_amount(self.epsilon, "epsilon"),
            exact_amount(self.delta, "delta"),
            neighbours,
            self.mechanism,
            self.counted,
            self.marginal_noise,
            None if self.rho is None else exact_amount(self.rho, "rho"),
        )
        return Entry(self.at, spending, self.receipt, self.published, self.choice)


class LedgerDocument(LedgerPart):
    """A privacy budget, and what was spent of it."""

    kind: Literal["privacy ledger"] = "privacy ledger"
    schema_version: Literal[3] = SCHEMA_VERSION
    accounting: Accounting
    neighbours: Neighbours
    budget: BudgetDocument
    entries: tuple[EntryDocument, ...]

    @classmethod
    def from_account(cls, account: Account) -> LedgerDocument:
        """Write an account."""
        return cls(
            accounting=account.accounting,
            neighbours=account.neighbours,
            budget=BudgetDocument.from_account(account),
            entries=tuple(map(EntryDocument.from_entry, account.entries)),
        )

    def to_account(self) -> Account:
        """Read the account; `BadNoise` where its amounts are none."""
        return Account(
            *self.budget.amounts(),
            self.accounting,
            self.neighbours,
            tuple(each.to_entry(self.neighbours) for each in self.entries),
            self.budget.exact_rho(),
        )


def to_text(account: Account) -> str:
    """Write an account as JSON, with a digest that tells when something is missing or changed."""
    document = LedgerDocument.from_account(account).model_dump()
    return json.dumps({**document, "digest": compute_digest(document)}, indent=2, ensure_ascii=False) + "\n"


def from_text(text: str) -> Account:
    """Read what `to_text` wrote; `ValueError` for anything else."""
    if is_deeply_nested(text):
        message = "no ledger is nested so deeply"
        raise ValueError(message)
    document = json.loads(text)
    if not isinstance(document, dict) or document.pop("digest", None) != compute_digest(document):
        message = "the digest does not fit"
        raise ValueError(message)
    try:
        return LedgerDocument.model_validate_json(json.dumps(document)).to_account()
    except (TypeError, BadNoise) as error:
        raise ValueError(str(error)) from None


def compute_digest(document: Mapping[str, Any]) -> str:
    """Compute a digest of plain data that does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def history_digest(account: Account, entries: int) -> str:
    """Compute a digest of the first entries of an account: of what later changes leave as it is."""
    # published files, winners and marks of use are entered later, and must not change the digest
    history = [[each.at, each.receipt, each.spending.what] for each in account.entries[:entries]]
    return compute_digest({"history": history})
