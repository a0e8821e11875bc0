"""`sidelight count`: how many people are there of some kind, by published noisy counts, and how far off is that?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from sidelight.answers.sources import inputs_of
from sidelight.cli.noise_options import CountOptions
from sidelight.cli.run import Output, Status
from sidelight.documents.document import Envelope
from sidelight.errors import BadNoise
from sidelight.noise.answers import NoisyAnswer
from sidelight.publish.noise import read_noise

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""


@dataclass(frozen=True, slots=True)
class CountRequest:
    """Which noisy counts, and what is added up of them."""

    file: Path
    counted: CountOptions


def count(request: CountRequest, output: Output) -> Status:
    """Read, add up, print."""
    output.refuse(inputs_of(str(request.file)))
    answer = read_noise(request.file).count(*request.counted.values, **_labels(request.counted.where))
    output.write(_envelope(request, answer), [Text(_sentence(request, answer))])
    return Status.WITHIN_POLICY


def _labels(texts: tuple[str, ...]) -> dict[str, list[str]]:
    """Read `sex=Female`; several labels of one column are added up."""
    labels: dict[str, list[str]] = {}
    for text in texts:
        column, sign, label = text.partition("=")
        if not sign:
            message = f"cannot read --where '{text}'; write a column and its label, such as --where sex=Female"
            raise BadNoise(message)
        labels.setdefault(column.strip(), []).append(label.strip())
    return labels


def _sentence(request: CountRequest, answer: NoisyAnswer) -> str:
    confidence = request.counted.confidence
    margin = answer.margin(confidence)
    reach = f"within {math.ceil(margin):,} of what was counted with a confidence of {confidence:g}"
    return f"{answer.count:,.0f} {answer.of}, and {reach}."


def _envelope(request: CountRequest, answer: NoisyAnswer) -> Envelope[Any]:
    confidence = request.counted.confidence
    return Envelope(
        kind="count",
        schema_version=SCHEMA_VERSION,
        source=str(request.file),
        answer={
            "values": list(request.counted.values),
            "where": _labels(request.counted.where),
            "of": answer.of,
            "count": answer.count,
            "sd": answer.sd,
            "confidence": confidence,
            "margin": answer.margin(confidence),
        },
        notes=("it is about what was counted, and the noise is all that the margin knows of",),
    )
