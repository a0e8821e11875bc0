"""The JSON documents beside counts with noise: of cells that were declared, and of cells that were found.

Nothing in them was seen in the data but the noisy counts.  What they say is checked against the counts and their noise
where they are read (`noise`).
"""

from __future__ import annotations

import json
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, JsonValue

from sidelight.noise.accountant import Account, Accounting
from sidelight.noise.domain import Outside
from sidelight.noise.ledger import BudgetDocument, LedgerPart
from sidelight.noise.mechanism import Mechanism, NoiseKind
from sidelight.noise.parameters import PrivacyUnit, Sensitivity
from sidelight.noise.privacy_profile import Neighbours
from sidelight.publish.sidecar import PublishedFile
from sidelight.table.labels import Label, Semantics
from sidelight.table.roles import EACH_ROW, Missing

# Raised whenever a reader of the document would have to change
NOISE_VERSION: Final = 3

# Raised whenever a reader of the document would have to change
STABLE_VERSION: Final = 1

Whole: TypeAlias = Annotated[int, Field(gt=0)]
Figure: TypeAlias = int | float  # as it was computed: a whole number is not written as 5.0


class DocumentKind(LedgerPart):
    """What a document beside counts is about, whatever else it says."""

    kind: JsonValue


class AnyFile(LedgerPart):
    """The digest of a file, in a document that may be of any version."""

    sha256: JsonValue


class DocumentHead(DocumentKind):
    """What tells whether a document can be read, and which file it is about."""

    schema_version: JsonValue
    file: AnyFile


class MechanismDocument(LedgerPart):
    """Noise, and how far one unit moves the counts that it was added to."""

    kind: NoiseKind
    scale: Figure
    l1: int
    l2_squared: int

    @classmethod
    def build(cls, mechanism: Mechanism) -> MechanismDocument:
        """Write noise with its sensitivity."""
        change = mechanism.sensitivity
        return cls(kind=mechanism.kind, scale=mechanism.scale, l1=change.l1, l2_squared=change.l2_squared)

    def to_mechanism(self, sensitivity: Sensitivity) -> Mechanism:
        """Read the noise; `ValueError` where it is for another sensitivity."""
        if Sensitivity(self.l1, self.l2_squared) != sensitivity:
            message = "no such noise"
            raise ValueError(message)
        return Mechanism(self.kind, float(self.scale), sensitivity)


class CoarserDocument(LedgerPart):
    """A coarser level of a column: of each published label, in order, the label that it is counted under."""

    level: int
    labels: tuple[Label, ...]


class QueryDocument(LedgerPart):
    """Counts by some of the columns that were measured beside the cells, the last column changing first."""

    by: tuple[str, ...]
    coarser: dict[str, CoarserDocument]
    margin_95: Figure
    mechanism: MechanismDocument
    measured: tuple[int, ...]


class UnitDocument(LedgerPart):
    """Whom the promise is made to, and how that is known."""

    unit: str
    person: str
    checked: bool
    values: Semantics
    values_per_person: Whole
    rows_per_person: Whole | None
    people_at_most: Whole | None

    @classmethod
    def build(cls, unit: PrivacyUnit, people_at_most: int | None) -> UnitDocument:
        """Write whom the counts hide."""
        return cls(
            unit=unit.word,
            person=unit.person,
            checked=unit.checked,
            values=unit.values,
            values_per_person=unit.values_per_person,
            rows_per_person=unit.rows_per_person,
            people_at_most=people_at_most,
        )

    def to_unit(self) -> PrivacyUnit:
        """Read whom the promise is made to; `ValueError` where the document contradicts itself."""
        word = "row" if self.person == EACH_ROW else "person"
        # all three say the same thing; a document in which they differ was not written by us
        if (self.unit, self.checked) != (word, word == "person"):
            message = "no such people"
            raise ValueError(message)
        return PrivacyUnit(self.person, self.values, self.values_per_person, self.rows_per_person)


class PromiseDocument(LedgerPart):
    """What is promised, in numbers where they are known, and in a sentence."""

    made: str
    shift: Figure | None
    chance: Figure | None
    sentence: str


class AccountDocument(BudgetDocument):
    """The account that the counts were paid from: its budget for all releases together, and how it adds up."""

    accounting: Accounting

    @classmethod
    def build(cls, account: Account) -> AccountDocument:
        """Write the budget of an account and how it adds up."""
        return cls(**dict(BudgetDocument.from_account(account)), accounting=account.accounting)

    def to_account(self, neighbours: Neighbours) -> Account:
        """Read the budget; `BadNoise` where its amounts are none."""
        return Account(self.epsilon, self.delta, self.accounting, neighbours, rho=self.rho)


class NoisyCountsDocument(LedgerPart):
    """What a reader of noisy counts should know."""

    kind: Literal["noisy counts"] = "noisy counts"
    schema_version: Literal[3] = NOISE_VERSION
    file: PublishedFile
    sensitive: str
    domain: tuple[Label, ...]
    outside: Outside
    missing: Missing | Literal["as undeclared"] | None
    levels: dict[str, int]
    levels_chosen: str
    levels_epsilon: str | None
    epsilon: str
    delta: str
    rho: str | None
    neighbours: Neighbours
    mechanism: MechanismDocument
    margin_95: Figure
    queries: tuple[QueryDocument, ...]
    sums: str
    privacy_unit: UnitDocument
    promise: PromiseDocument
    ledger: AccountDocument | None
    receipt: str | None
    warnings: tuple[str, ...]
    versions: dict[str, str]


class StableCountsDocument(LedgerPart):
    """What a reader of counts should know whose cells nobody declared."""

    kind: Literal["stable counts"] = "stable counts"
    schema_version: Literal[1] = STABLE_VERSION
    file: PublishedFile
    sensitive: str
    columns: tuple[str, ...]
    domain: None = None  # what was found and is large
    threshold: int
    epsilon: str
    delta: str
    neighbours: Neighbours
    mechanism: MechanismDocument
    margin_95: Figure
    privacy_unit: UnitDocument
    promise: PromiseDocument
    ledger: AccountDocument | None
    receipt: str | None
    warnings: tuple[str, ...]
    versions: dict[str, str]


NoiseDocument: TypeAlias = NoisyCountsDocument | StableCountsDocument


def document_text(document: NoiseDocument) -> str:
    """Write a document as JSON text, as it stands beside the counts."""
    return json.dumps(document.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
