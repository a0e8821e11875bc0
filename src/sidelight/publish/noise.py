"""Publish noisy counts: a file of them, and beside it a document that says what they cost and promise.

Both files are written aside and then put into place, the counts last: when they are there, their document is.  Nothing
in the document was seen in the data but the noisy counts, so that it costs no privacy.  Whatever goes wrong, what a
ledger spent stays spent, as the noise was drawn.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from sidelight import __version__
from sidelight._files import (
    flush_to_disk,
    move_into_place,
    refuse_existing,
    refuse_left_over,
    unfinished_folder,
)
from sidelight._text import html_table
from sidelight.dp.noisy_counts import COUNT, MEASURED, NoisyCounts
from sidelight.dp.parameters import amount_text
from sidelight.errors import BadLedger, NotPublished
from sidelight.publish.formats import Sheet, format_of
from sidelight.publish.sidecar import digest, noise_path

SCHEMA_VERSION = 2
"""Raised whenever a reader of the document would have to change."""


@dataclass(frozen=True, slots=True, repr=False)
class PublishedNoise:
    """What was written: the file of noisy counts, the document beside it, and what that says."""

    path: Path
    beside: Path
    document: dict[str, Any]

    def to_json(self) -> str:
        """Give the document as it stands beside the counts, byte for byte."""
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"

    def __repr__(self) -> str:
        rows = self.document["file"]["rows"]
        return f"<PublishedNoise {self.path.name}: {rows:,} counts, epsilon {self.document['epsilon']}>"

    def _repr_html_(self) -> str:
        names = ("sensitive", "epsilon", "delta", "margin_95")
        rows = [(name, self.document[name]) for name in names]
        note = f"{self.document['promise']['sentence']} All that is told of it is in {self.beside.name}."
        return html_table(f"Published as {self.path.name}", ("", ""), rows, note=note)


def publish_noise(noisy: NoisyCounts, path: str | Path, *, force: bool = False) -> PublishedNoise:
    """Write the counts and what is said about them, both or none; `NoisyCounts.publish` says what the options mean."""
    path = Path(path)
    beside = refuse_noise_targets(path, force=force)
    try:
        with unfinished_folder(path) as folder:
            file = folder / path.name
            with file.open("wb") as open_file:
                format_of(path, None).write(_sheet(noisy), open_file)
            flush_to_disk(file)
            published = PublishedNoise(path, beside, noise_document(noisy, file))
            (folder / beside.name).write_text(published.to_json(), encoding="utf-8")
            flush_to_disk(folder / beside.name)
            # on the ledger before it is anywhere: the ledger may say more than was published, never less
            if noisy.ledger is not None and noisy.receipt is not None:
                noisy.ledger.enter_file(noisy.receipt, path, published.document["file"]["sha256"])
            # the counts last: when they are there, all is there
            move_into_place(folder, (beside, path))
    except (NotPublished, BadLedger) as problem:
        message = f"{problem}; what a ledger spent on it stays spent, as the noise was drawn"
        raise NotPublished(message) from None
    return published


def refuse_noise_targets(path: Path, *, force: bool) -> Path:
    """Refuse places that cannot be written, best before any budget is spent; gives where the document will stand."""
    beside = noise_path(path)
    format_of(path, None)
    refuse_left_over(path, beside, force=force)
    for each in (path, beside):
        refuse_existing(each, force=force)
    return beside


def _sheet(noisy: NoisyCounts) -> Sheet:
    groups, values = noisy.declared_domain.shape
    row = np.repeat(np.arange(groups), values)
    columns = {column.name: column.take(row) for column in noisy.columns}
    numbers = {COUNT: noisy.counts.ravel(), MEASURED: noisy.measured.ravel()}
    return Sheet({**columns, noisy.sensitive: noisy.values_column(), **numbers})


def _levels_chosen(noisy: NoisyCounts) -> str:
    if noisy.paid_choice is None:
        return "in advance, as the publisher says"
    return f"from the data, for an epsilon of {amount_text(noisy.paid_choice.epsilon)} more, which the promise counts"


def noise_document(noisy: NoisyCounts, file: Path) -> dict[str, Any]:
    """Say what a reader of the counts should know: nothing of it was seen in the data but the noisy counts."""
    spending, mechanism, promise = noisy.spending, noisy.mechanism, noisy.promise()
    return {
        "kind": "noisy counts",
        "schema_version": SCHEMA_VERSION,
        "file": {"name": file.name, "sha256": digest(file), "rows": int(noisy.counts.size)},
        "sensitive": noisy.sensitive,
        "domain": list(noisy.domain),
        "levels": dict(noisy.levels),
        "levels_chosen": _levels_chosen(noisy),
        "epsilon": amount_text(spending.epsilon),
        "delta": amount_text(spending.delta),
        "neighbours": spending.neighbours,
        "mechanism": {"kind": mechanism.kind, "scale": mechanism.scale, **asdict(mechanism.sensitivity)},
        "margin_95": noisy.margin(0.95),
        "privacy_unit": {
            "unit": noisy.unit.word,
            "checked": noisy.unit.checked,
            "values": noisy.unit.values,
            "values_per_person": noisy.unit.values_per_person,
            "people_at_most": noisy.people_at_most,
        },
        "promise": {
            "made": noisy.unit.sentence(),
            "shift": promise.shift,
            "chance": promise.chance,
            "sentence": promise.sentence(),
        },
        "receipt": noisy.receipt,
        "warnings": list(promise.warnings),
        "versions": {"sidelight": __version__, "opendp": version("opendp")},
    }
