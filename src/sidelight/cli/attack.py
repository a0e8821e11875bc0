"""`sidelight attack`: what do these files give away together about these people?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.attack.exposure import Exposure, ExposureWitness
from sidelight.attack.intersection import intersect
from sidelight.attack.report import REPORTED_CONFIDENCES, document, percent, sentences, witness_document
from sidelight.cli.inputs import inputs_of, open_release
from sidelight.cli.options import AttackerOptions
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.errors import BadMeasure, BadRelease
from sidelight.measures.measure import exact
from sidelight.policy.settings import read_number
from sidelight.publish.sidecar import read_back, read_sidecar, sidecar_path
from sidelight.release.locate import Listed, Locate, LocateMethod
from sidelight.report.report import Envelope
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.roles import Roles

SCHEMA_VERSION = 2
"""Raised whenever a reader of the document would have to change."""

LOCATE_METHODS: dict[str, LocateMethod] = {"mondrian": "intervals", "microaggregation": "nearest"}
"""How people are located in what a method has published, unless somebody says otherwise."""


@dataclass(frozen=True, slots=True)
class AttackRequest:
    """Which files, about whom, and what the attacker knows and believes."""

    files: tuple[str, ...]
    roles: Roles
    attacker: AttackerOptions
    hierarchies: Path | None = None


def attack(request: AttackRequest, output: Output) -> Status:
    """Read, intersect, print, judge."""
    limit = _limit(request.attacker.at_most)
    _refuse_repeated(request.files)
    output.refuse((*inputs_of(*request.files, request.attacker.people), *_hierarchies(request)))
    exposure = expose(request)
    witness = None if request.attacker.who is None else exposure.witness(request.attacker.who)
    output.write(envelope(request, exposure, witness), draw(request, exposure, witness))
    return Status.WITHIN_POLICY if limit is None else judge(exposure, limit)


def _limit(at_most: str | None) -> Fraction | None:
    """Read the share of people that may be given away."""
    if at_most is None:
        return None
    try:
        share = Fraction(exact(read_number(at_most)))
    except (ValueError, OverflowError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        message = f"cannot read --at-most {at_most}; give a share of the people, such as 0.01 or 1/100"
        raise BadMeasure(message)
    return share


def _refuse_repeated(files: Sequence[str]) -> None:
    """A release tells nothing more when it is read twice, and would be believed twice as much."""
    places = [Path(file).resolve() for file in files]
    for at, file in enumerate(files):
        if places[at] in places[:at]:
            message = f"{file} is listed twice; list each release once"
            raise BadRelease(message)


def _hierarchies(request: AttackRequest) -> list[Path]:
    return [] if request.hierarchies is None else hierarchy_files(request.hierarchies)


def expose(request: AttackRequest) -> Exposure:
    """Read the files and intersect them."""
    roles, attacker = request.roles, request.attacker
    return intersect(
        [open_release(file, roles) for file in request.files],
        people=attacker.people,
        quasi=roles.quasi or None,
        person=attacker.person,
        truth=attacker.truth,
        by=None if request.hierarchies is None else read_hierarchies(request.hierarchies),
        locate=[attacker.locate or _by_sidecar(file) for file in request.files],
        prior=attacker.prior,
        same_values=_same_values(attacker.same_value),
        missing_marks=roles.missing_marks,
    )


def _by_sidecar(file: str) -> Locate | None:
    """Find people as fits the method that the sidecar names; without one, by labels."""
    if not sidecar_path(Path(file)).is_file():
        return None
    document = read_sidecar(Path(file))
    if document.who is not None:
        who = read_back(Path(file).parent, document.who)
        return Listed(who, who.sensitive)
    return LOCATE_METHODS.get(document.search.method)


def _same_values(pairs: Sequence[str]) -> dict[str, str] | None:
    """Read 'Influenza=Flu'; '=' alone says that equal words, and no others, mean the same."""
    same = {}
    for text in pairs:
        one, equals, other = text.partition("=")
        if not equals or bool(one) != bool(other):
            message = (
                f"cannot read --same-value '{text}'; write it as 'Influenza=Flu', or '=' if no others are the same"
            )
            raise BadRelease(message)
        if one:
            same[one] = other
    return same if pairs else None


def judge(exposure: Exposure, limit: Fraction) -> Status:
    """Whoever is contradicted, or located nowhere, is not known to be safe."""
    unknown = exposure.contradicted + Fraction(exposure.located_nowhere, exposure.people.total)
    if exposure.perfect > limit:
        return Status.NOT_WITHIN_POLICY
    return Status.COULD_NOT_TELL if exposure.perfect + unknown > limit else Status.WITHIN_POLICY


def envelope(request: AttackRequest, exposure: Exposure, witness: ExposureWitness | None) -> Envelope[Any]:
    """Put the figures, and what gives one person away, into a document."""
    answer = document(exposure)
    if witness is not None:
        answer["witness"] = witness_document(witness)
    notes = tuple(sentences(exposure))
    return Envelope(kind="attack", schema_version=SCHEMA_VERSION, source=request.files, answer=answer, notes=notes)


def draw(request: AttackRequest, exposure: Exposure, witness: ExposureWitness | None) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield _releases(request, exposure)
    yield _breaches(exposure)
    for sentence in sentences(exposure):
        yield Text(sentence)
    if any(exposure.unlocated) and request.hierarchies is None:
        yield Text(
            "People fit no group where labels are coarser than theirs; give --hierarchies or --locate intervals."
        )
    if witness is not None:
        yield Text("\n" + witness.explain())


def _releases(request: AttackRequest, exposure: Exposure) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("release", "groups", "smallest", "people around one", "not located", "in several groups"):
        table.add_column(heading, justify="left" if heading == "release" else "right")
    for number, file in enumerate(request.files):
        table.add_row(
            Text(Path(file).name),
            f"{len(exposure.views[number].groups):,}",
            f"{exposure.smallest_groups[number]:,}",
            f"{float(exposure.mean_group_sizes[number]):,.1f}",
            f"{exposure.unlocated[number]:,}",
            f"{exposure.ambiguous[number]:,}",
        )
    return table


def _breaches(exposure: Exposure) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("of all people")
    for each in REPORTED_CONFIDENCES:
        table.add_column("certain" if each == 1 else f"≥ {each}", justify="right")
    table.add_row("by the values that are left", *(percent(exposure.partial(each)) for each in REPORTED_CONFIDENCES))
    table.add_row("by how likely they are", *(percent(exposure.sure(each)) for each in REPORTED_CONFIDENCES))
    return table
