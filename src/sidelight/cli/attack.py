"""`sidelight attack`: what do these files give away together about these people?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.attack.exposure import Exposure, ExposureWitness
from sidelight.attack.intersection import intersect
from sidelight.attack.linkage import Listed, Locate, Way
from sidelight.attack.posterior import Prior
from sidelight.attack.report import CONFIDENCES, document, percent, sentences, witness_document
from sidelight.cli.inputs import read
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.errors import BadMeasure, BadRelease
from sidelight.measures.measure import exact
from sidelight.policy.settings import read_number
from sidelight.publish.read import read_back
from sidelight.publish.sidecar import read_sidecar, sidecar_path
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.roles import Roles

WAYS: dict[str, Way] = {"mondrian": "intervals", "microaggregation": "nearest"}
"""How people are found in what a method has published, when nothing else is said."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which files, about whom, and what the attacker knows and believes."""

    files: tuple[str, ...]
    people: str
    roles: Roles
    person: str | None = None
    truth: str | None = None
    hierarchies: Path | None = None
    locate: Way | None = None
    prior: Prior = "pooled"
    same_values: tuple[str, ...] = ()
    who: str | None = None
    at_most: str | None = None

    @property
    def limit(self) -> Fraction | None:
        """The share of people that may be given away, as a number."""
        if self.at_most is None:
            return None
        try:
            share = Fraction(exact(read_number(self.at_most)))
        except (ValueError, OverflowError):
            share = Fraction(-1)
        if not 0 <= share <= 1:
            message = f"cannot read --at-most {self.at_most}; give a share of the people, such as 0.01 or 1/100"
            raise BadMeasure(message)
        return share


def attack(question: Question, output: Output) -> Status:
    """Read, intersect, tell, judge."""
    limit = question.limit
    _refuse_repeated(question.files)
    output.refuse(*question.files, question.people, *_hierarchies(question))
    exposure = exposed(question)
    witness = None if question.who is None else exposure.witness(question.who)
    tell(question, exposure, witness, output)
    return Status.WITHIN_POLICY if limit is None else judged(exposure, limit)


def _refuse_repeated(files: Sequence[str]) -> None:
    """A release tells nothing more when it is read twice, and would be believed twice as much."""
    places = [Path(file).resolve() for file in files]
    for at, file in enumerate(files):
        if places[at] in places[:at]:
            message = f"{file} is listed twice; list each release once"
            raise BadRelease(message)


def _hierarchies(question: Question) -> list[str]:
    return [] if question.hierarchies is None else [*map(str, hierarchy_files(question.hierarchies))]


def exposed(question: Question) -> Exposure:
    """Read the files and intersect them."""
    return intersect(
        [read(file, question.roles) for file in question.files],
        people=question.people,
        quasi=question.roles.quasi or None,
        person=question.person,
        truth=question.truth,
        by=None if question.hierarchies is None else read_hierarchies(question.hierarchies),
        locate=[question.locate or _told(file) for file in question.files],
        prior=question.prior,
        same_values=_same(question.same_values),
        missing_marks=question.roles.missing_marks,
    )


def _told(file: str) -> Locate | None:
    """Find people as fits the method that the sidecar names; without one, by labels."""
    if not sidecar_path(Path(file)).is_file():
        return None
    document = read_sidecar(Path(file))
    if document.who is not None:
        return Listed(read_back(Path(file).parent, document.who), document.who.sensitive)
    return WAYS.get(document.search.method)


def _same(given: Sequence[str]) -> dict[str, str] | None:
    """Read 'Influenza=Flu'; '=' alone says that equal words, and no others, mean the same."""
    same = {}
    for text in given:
        one, equals, other = text.partition("=")
        if not equals or bool(one) != bool(other):
            message = (
                f"cannot read --same-value '{text}'; write it as 'Influenza=Flu', or '=' if no others are the same"
            )
            raise BadRelease(message)
        if one:
            same[one] = other
    return same if given else None


def judged(exposure: Exposure, limit: Fraction) -> Status:
    """Whoever is contradicted, or located nowhere, is not known to be safe."""
    untold = exposure.contradicted + Fraction(exposure.located_nowhere, exposure.people.total)
    if exposure.perfect > limit:
        return Status.NOT_WITHIN_POLICY
    return Status.COULD_NOT_TELL if exposure.perfect + untold > limit else Status.WITHIN_POLICY


def tell(question: Question, exposure: Exposure, witness: ExposureWitness | None, output: Output) -> None:
    """Print it, as JSON or for people, and write it to a file if asked."""
    told = {"sources": list(question.files), **document(exposure)}
    if witness is not None:
        told["witness"] = witness_document(witness)
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    output.tell(text, drawn(question, exposure, witness))


def drawn(question: Question, exposure: Exposure, witness: ExposureWitness | None) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield _releases(question, exposure)
    yield _breaches(exposure)
    for sentence in sentences(exposure):
        yield Text(sentence)
    if any(exposure.unlocated) and question.hierarchies is None:
        yield Text(
            "People fit no group where labels are coarser than theirs; give --hierarchies or --locate intervals."
        )
    if witness is not None:
        yield Text("\n" + witness.explain())


def _releases(question: Question, exposure: Exposure) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("release", "groups", "smallest", "people around one", "not located", "in several groups"):
        table.add_column(heading, justify="left" if heading == "release" else "right")
    for number, file in enumerate(question.files):
        table.add_row(
            Text(Path(file).name),
            f"{len(exposure.views[number].groups):,}",
            f"{exposure.promised[number]:,}",
            f"{float(exposure.actual[number]):,.1f}",
            f"{exposure.unlocated[number]:,}",
            f"{exposure.ambiguous[number]:,}",
        )
    return table


def _breaches(exposure: Exposure) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("of all people")
    for each in CONFIDENCES:
        table.add_column("certain" if each == 1 else f"≥ {each}", justify="right")
    table.add_row("by the values that are left", *(percent(exposure.partial(each)) for each in CONFIDENCES))
    table.add_row("by how likely they are", *(percent(exposure.sure(each)) for each in CONFIDENCES))
    return table
