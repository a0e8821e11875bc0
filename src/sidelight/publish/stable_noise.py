"""Publish counts of cells that nobody declared, where they are large (`dp.stable_counts`); and read them.

As in `noise`: a file, and a document beside it.  The document has no domain, as there is none; it says from which count
on cells were published, and that others are missing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sidelight.arrays import Integers
from sidelight.engines.formats.sheet import Sheet
from sidelight.errors import BadRelease
from sidelight.files import digest, noise_path
from sidelight.noise.accountant import CountedColumns, Spending
from sidelight.noise.domain import MEASURED
from sidelight.noise.noisy_counts import NoisyCounts
from sidelight.noise.parameters import PrivacyUnit, amount_text, exact_amount
from sidelight.noise.stable_counts import StableCounts, smallest_threshold
from sidelight.publish.noise import (
    NOT_AS_WRITTEN,
    PublishedNoise,
    library_versions,
    noise_kind,
    promise_document,
    publish_drawn,
    read_document,
    read_labels,
    read_noise,
    read_sheet,
)
from sidelight.publish.noise_document import (
    STABLE_VERSION,
    AccountDocument,
    MechanismDocument,
    StableCountsDocument,
    UnitDocument,
)
from sidelight.publish.sidecar import PublishedFile
from sidelight.table.table import Column

KIND = "stable counts"
"""What the document is called."""


def publish_stable(noisy: StableCounts, path: str | Path, *, force: bool = False) -> PublishedNoise:
    """Write the counts and what is said about them, both or none."""
    columns = {column.name: column for column in (*noisy.columns, noisy.value)}
    return publish_drawn(noisy, path, Sheet({**columns, MEASURED: noisy.measured}), _document, force=force)


def _document(noisy: StableCounts, file: Path) -> StableCountsDocument:
    """Write what a reader of the counts should know."""
    spending = noisy.spending
    return StableCountsDocument(
        file=PublishedFile(name=file.name, sha256=digest(file), rows=len(noisy)),
        sensitive=noisy.sensitive,
        columns=tuple(column.name for column in noisy.columns),
        threshold=noisy.threshold,
        epsilon=amount_text(spending.epsilon),
        delta=amount_text(spending.delta),
        neighbours=spending.neighbours,
        mechanism=MechanismDocument.of(noisy.mechanism),
        margin_95=noisy.margin(0.95),
        privacy_unit=UnitDocument.of(noisy.unit, noisy.people_at_most),
        promise=promise_document(noisy, None if noisy.people_at_most is None else noisy.promise()),
        ledger=None if noisy.budget is None else AccountDocument.of(noisy.budget),
        receipt=noisy.receipt,
        warnings=tuple(noisy.warnings()),
        versions=library_versions(),
    )


def read_stable_counts(path: str | Path) -> StableCounts:
    """What do published counts of cells that nobody declared say?

    A file that is not the one that its document tells of is an error, and so is a threshold too low for its δ.

    >>> import sidelight as sl
    >>> from tempfile import TemporaryDirectory
    >>> adult = sl.datasets.adult(quasi=["sex"])
    >>> found = sl.stable_counts(adult.table, columns=["sex"], epsilon=1, delta="1e-9", ledger="no ledger")
    >>> with TemporaryDirectory() as folder:
    ...     _ = found.publish(f"{folder}/counts.csv")
    ...     read_stable_counts(f"{folder}/counts.csv").spending == found.spending
    True
    """
    path = Path(path)
    text = read_document(path, KIND, STABLE_VERSION)
    try:
        document = StableCountsDocument.model_validate_json(text)
        unit = document.privacy_unit.to_unit()
        sheet, writer = read_sheet(path)
        names = [*document.columns, document.sensitive]
        if sheet.column_names != [*names, MEASURED]:
            message = "other columns"
            raise ValueError(message)
        columns = [
            Column(name, labels, codes.astype(np.int32))
            for name, (labels, codes) in ((name, read_labels(sheet.column(name), writer)) for name in names)
        ]
        noise = document.mechanism.to_mechanism(unit.sensitivity(document.neighbours))
        counts = CountedColumns(document.sensitive, tuple((name, 0) for name in document.columns), 0, unit)
        cost = exact_amount(document.epsilon, "epsilon"), exact_amount(document.delta, "delta")
        spending = Spending(counts.found(), *cost, document.neighbours, noise, counts)
        measured = sheet.column(MEASURED).to_numpy().astype(np.int64)
        _check(spending, unit, document.threshold, measured)
        return StableCounts(
            tuple(columns[:-1]),
            columns[-1],
            measured,
            document.threshold,
            spending,
            unit,
            people_at_most=document.privacy_unit.people_at_most,
            budget=None if document.ledger is None else document.ledger.to_account(spending.neighbours),
            receipt=document.receipt,
        )
    except NOT_AS_WRITTEN:
        message = f"'{noise_path(path).name}' does not fit '{path.name}'; publish the counts again"
        raise BadRelease(message) from None


def read_drawn(path: Path) -> NoisyCounts | StableCounts:
    """Read published counts with noise, of cells that were declared or of those that were found."""
    return read_stable_counts(path) if noise_kind(path) == KIND else read_noise(path)


def _check(spending: Spending, unit: PrivacyUnit, threshold: int, measured: Integers) -> None:
    """Refuse noise too small, or a threshold too low, for what the document says of them."""
    assert spending.mechanism is not None
    least = smallest_threshold(spending.mechanism.scale, spending.delta, unit)
    if not spending.keeps() or threshold < least or (measured < threshold).any():
        message = "the counts cost more than the document says"
        raise ValueError(message)
