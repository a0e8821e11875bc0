"""What `sidelight noise` says about noisy counts: the document beside them, and what it prints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sidelight import __version__
from sidelight.dp.account import Account
from sidelight.dp.amounts import written
from sidelight.dp.mechanism import Neighbours
from sidelight.dp.noisy_counts import NoisyCounts
from sidelight.dp.semantic_privacy import SemanticPrivacy, semantic_privacy
from sidelight.publish.read import digest

SCHEMA_VERSION = 1

HIDDEN: dict[Neighbours, str] = {
    "add or remove": "whether any one person is in the table (add or remove one)",
    "replace": "which one of all possible people any one person is (replace one)",
}


def document(noisy: NoisyCounts, file: Path) -> dict[str, Any]:
    """Say what a reader of the counts should know: nothing of it was seen in the data but the noisy counts."""
    spending, mechanism, promise = noisy.spending, noisy.mechanism, promised(noisy)
    return {
        "kind": "noisy counts",
        "schema_version": SCHEMA_VERSION,
        "file": {"name": file.name, "sha256": digest(file), "rows": int(noisy.counts.size)},
        "sensitive": noisy.sensitive,
        "domain": list(noisy.domain),
        "levels": dict(noisy.levels),
        "levels_chosen": "in advance, as the publisher says",
        "epsilon": written(spending.epsilon),
        "delta": written(spending.delta),
        "neighbours": spending.neighbours,
        "mechanism": {"kind": mechanism.kind, "scale": mechanism.scale, "counts_per_person": mechanism.touched},
        "margin_95": noisy.margin(0.95),
        "promise": {"shift": promise.shift, "chance": promise.chance, "sentence": promise.sentence()},
        "warnings": list(promise.warnings),
        "versions": {"sidelight": __version__, "opendp": version("opendp")},
    }


def promised(noisy: NoisyCounts) -> SemanticPrivacy:
    """Say what this release alone promises; how many people there are is itself known only with noise."""
    spending = noisy.spending
    return semantic_privacy(spending.epsilon, spending.delta, people=_people(noisy))


def _people(noisy: NoisyCounts) -> int:
    return max(int(noisy.counts.sum()), 1)


def as_text(said: Mapping[str, Any]) -> str:
    """Write a document as JSON."""
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def told(noisy: NoisyCounts, files: Sequence[Path], account: Account | None, notes: Sequence[str]) -> list[str]:
    """Tell the publisher what was published, line by line."""
    spending, mechanism, promise = noisy.spending, noisy.mechanism, promised(noisy)
    delta = f" and delta {written(spending.delta)}" if spending.delta else ""
    cost = f"epsilon {written(spending.epsilon)}{delta}"
    reach = f"95 of 100 measured counts are within {noisy.margin(0.95)} of the truth"
    said = [
        f"✓ Published {noisy.counts.size:,} counts of {noisy.sensitive} with noise: {cost}.",
        f"What is hidden: {HIDDEN[spending.neighbours]}.",
        f"Noise: {mechanism.kind}, scale {mechanism.scale:.6g}; {reach}.",
        f"To each person: {promise.sentence()}",
        *(() if account is None else (_balance(account, _people(noisy)),)),
    ]
    said += [f" • {note}" for note in (*notes, *promise.warnings)]
    return [*said, f"Written: {', '.join(map(str, files))}"]


def _balance(account: Account, people: int) -> str:
    epsilon, delta = (_short(amount) for amount in account.spent)
    of = f"epsilon {epsilon} of {written(account.epsilon)} and delta {delta} of {written(account.delta)}"
    together = semantic_privacy(*account.spent, people=people)
    return f"Budget: {of} spent. All {len(account.entries)} of the ledger together: {together.sentence()}"


def _short(amount: Fraction | float) -> str:
    return f"{amount:.4g}" if isinstance(amount, float) else written(amount)
