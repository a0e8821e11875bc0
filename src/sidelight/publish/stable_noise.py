"""Publish counts of cells that nobody declared, where they are large (`dp.stable_counts`); and read them.

As in `noise`: a file, and a document beside it.  The document has no domain, as there is none; it says from which count
on cells were published, and that others are missing.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from sidelight import __version__
from sidelight.arrays import Integers
from sidelight.errors import BadRelease
from sidelight.noise.accountant import CountedColumns, Spending
from sidelight.noise.domain import MEASURED
from sidelight.noise.noisy_counts import NoisyCounts
from sidelight.noise.parameters import PrivacyUnit, amount_text
from sidelight.noise.stable_counts import StableCounts, smallest_threshold
from sidelight.publish.formats import Sheet, format_of
from sidelight.publish.noise import (
    NOT_AS_WRITTEN,
    PublishedNoise,
    account_document,
    noise_beside,
    noise_kind,
    publish_drawn,
    read_budget,
    read_labels,
    read_mechanism,
    read_noise,
    read_sheet,
    read_unit,
    text_or_none,
    unit_document,
    whole_or_none,
)
from sidelight.publish.sidecar import digest, noise_path
from sidelight.table.table import Column

KIND, SCHEMA_VERSION = "stable counts", 1
"""What the document is called, and its version: raised whenever a reader would have to change."""


def publish_stable(noisy: StableCounts, path: str | Path, *, force: bool = False) -> PublishedNoise:
    """Write the counts and what is said about them, both or none."""
    columns = {column.name: column for column in (*noisy.columns, noisy.value)}
    return publish_drawn(noisy, path, Sheet({**columns, MEASURED: noisy.measured}), _document, force=force)


def _document(noisy: StableCounts, file: Path) -> dict[str, Any]:
    """Say what a reader of the counts should know."""
    spending, mechanism = noisy.spending, noisy.mechanism
    promise = None if noisy.people_at_most is None else noisy.promise()
    return {
        "kind": KIND,
        "schema_version": SCHEMA_VERSION,
        "file": {"name": file.name, "sha256": digest(file), "rows": len(noisy)},
        "sensitive": noisy.sensitive,
        "columns": [column.name for column in noisy.columns],
        "domain": None,  # what was found and is large
        "threshold": noisy.threshold,
        "epsilon": amount_text(spending.epsilon),
        "delta": amount_text(spending.delta),
        "neighbours": spending.neighbours,
        "mechanism": {"kind": mechanism.kind, "scale": mechanism.scale, **asdict(mechanism.sensitivity)},
        "margin_95": noisy.margin(0.95),
        "privacy_unit": unit_document(noisy.unit, noisy.people_at_most),
        "promise": {
            "made": noisy.unit.sentence(),
            "shift": None if promise is None else promise.shift,
            "chance": None if promise is None else promise.chance,
            "sentence": noisy.promise_in_words(),
        },
        "ledger": None if noisy.budget is None else account_document(noisy.budget),
        "receipt": noisy.receipt,
        "warnings": list(noisy.warnings()),
        "versions": {"sidelight": __version__, "opendp": version("opendp")},
    }


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
    document = noise_beside(path, KIND, SCHEMA_VERSION)
    try:
        unit = read_unit(document["privacy_unit"])
        form = format_of(path, None)
        sheet = read_sheet(path, form)
        names = [*document["columns"], document["sensitive"]]
        if sheet.column_names != [*names, MEASURED]:
            message = "other columns"
            raise ValueError(message)
        columns = [
            Column(name, labels, codes.astype(np.int32))
            for name, (labels, codes) in ((name, read_labels(sheet.column(name), form)) for name in names)
        ]
        noise = read_mechanism(document["mechanism"], unit.sensitivity(document["neighbours"]))
        counts = CountedColumns(document["sensitive"], tuple((name, 0) for name in document["columns"]), 0, unit)
        cost = document["epsilon"], document["delta"], document["neighbours"]
        spending = Spending(counts.found(), *cost, noise, counts)
        measured = sheet.column(MEASURED).to_numpy().astype(np.int64)
        _check(spending, unit, document["threshold"], measured)
        return StableCounts(
            tuple(columns[:-1]),
            columns[-1],
            measured,
            int(document["threshold"]),
            spending,
            unit,
            people_at_most=whole_or_none(document["privacy_unit"]["people_at_most"]),
            budget=read_budget(document["ledger"], spending.neighbours),
            receipt=text_or_none(document["receipt"]),
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
