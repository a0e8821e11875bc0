"""`sidelight attack-noise`: how far do noisy counts move what somebody believes of each of these people?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from sidelight.answers.sources import inputs_of, open_table
from sidelight.cli.noise_options import NoiseAttackOptions
from sidelight.cli.run import Output, Status
from sidelight.documents.document import Envelope
from sidelight.errors import BadNoise
from sidelight.noise.attack import NoisyExposure, attack_noise
from sidelight.noise.disclosure_risk import on_condition, two_digits
from sidelight.publish.noise import read_noise
from sidelight.rounding import ROUNDED, decimal_text
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.roles import EACH_ROW, Roles
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.noise.noisy_counts import NoisyCounts

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""


@dataclass(frozen=True, slots=True)
class NoiseAttackRequest:
    """Which noisy counts, about whom, and who attacks."""

    files: tuple[str, ...]
    attacker: NoiseAttackOptions
    folder: Path | None
    reading: Roles = field(default_factory=Roles)


def attack(request: NoiseAttackRequest, output: Output) -> Status:
    """Read, weigh, print."""
    attacker = request.attacker
    if request.folder is None:
        message = "which labels are under which? give the folder of hierarchies with --hierarchies"
        raise BadNoise(message)
    output.refuse((*inputs_of(*request.files, attacker.people, *attacker.others), *hierarchy_files(request.folder)))
    by = read_hierarchies(request.folder)
    releases = [read_noise(file) for file in request.files]
    roles = _roles(request, releases)
    seen = attack_noise(
        releases,
        people=open_table(attacker.people, roles),
        by=by,
        tables=[open_table(file, roles) for file in attacker.others] or None,
        prior=attacker.prior,
        chance=attacker.chance,
    )
    output.write(envelope(request, seen), draw(request, seen))
    return Status.WITHIN_POLICY


def _roles(request: NoiseAttackRequest, releases: list[NoisyCounts]) -> Roles:
    """Say which column is what in the files of people: those that were counted by, and the true values."""
    columns = dict.fromkeys(name for release in releases for name in release.levels)
    truth = request.attacker.truth or releases[0].sensitive
    # as it was when they were counted, unless said otherwise
    own = Roles(quasi=tuple(columns), sensitive=truth, person=EACH_ROW, missing=releases[0].missing)
    return own.update(request.reading)


def envelope(request: NoiseAttackRequest, seen: NoisyExposure) -> Envelope[Any]:
    """Put the figures into a document."""
    answer = {
        "people": int(seen.sizes.sum()),
        "knows": "nothing else" if seen.promise is None else "everybody else",
        "belief_before": seen.prior_belief,
        "belief": seen.belief,
        "guessed": {"exact": str(seen.guessed), "value": float(seen.guessed)},
        "largest_shift": seen.largest_shift,
        "promise": None
        if seen.promise is None
        else {
            "shift": seen.promise.shift,
            "chance": seen.promise.chance,
            "condition": seen.promise.condition or None,
            "warnings": list(seen.promise.warnings),
        },
    }
    return Envelope(
        kind="attack-noise",
        schema_version=SCHEMA_VERSION,
        source=request.files,
        answer=answer,
        notes=tuple(sentences(seen)),
    )


def sentences(seen: NoisyExposure) -> Iterator[str]:
    """Say it, a sentence at a time."""
    people = counted(int(seen.sizes.sum()), "person")
    knows = "nothing else" if seen.promise is None else "everybody else"
    before, after = (_up(each) for each in (seen.prior_belief, seen.belief))
    yield f"Somebody who knows {knows} believes the true value of {people} with {before} before, and {after} after."
    yield f"The value that is believed most is the true one for {float(seen.guessed):.1%} of them."
    moved = f"A belief about one of them moves by {_up(seen.largest_shift)} at most"
    if seen.promise is None:
        yield f"{moved}: that is what the counts are published for, and no noise bounds it."
        return
    holds = f", except with a chance of {two_digits(seen.promise.chance)} over the noise" if seen.promise.chance else ""
    promised = on_condition(seen.promise.condition, f"promised is a shift of at most {_up(seen.promise.shift)}{holds}")
    yield f"{moved}; {promised[:1].lower()}{promised[1:]}."
    yield from seen.promise.warnings


def _up(number: float) -> str:
    return decimal_text(Fraction(number), up=True)


def draw(request: NoiseAttackRequest, seen: NoisyExposure) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield Text(", ".join(Path(file).name for file in request.files), style="bold")
    for sentence in sentences(seen):
        yield Text(sentence)
    yield Text(ROUNDED)
