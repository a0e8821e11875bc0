"""What do published noisy counts say: how many people are there of some kind, and how far do they move beliefs?

`ask` adds counts up; `ask_attack` weighs them about people whose values are known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

from sidelight.answers.recipe import Name, write_call, write_python, write_table
from sidelight.answers.sources import inputs_of, open_table
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadNoise
from sidelight.noise.attack import NoisyExposure, attack_noise
from sidelight.noise.semantic_privacy import add_condition, two_digits
from sidelight.publish.noise import read_noise
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Paragraph
from sidelight.rounding import ROUNDED, decimal_text
from sidelight.table.hierarchy_io import hierarchy_files, read_hierarchies
from sidelight.table.roles import EACH_ROW, Roles
from sidelight.text import counted

# How many people there are


@dataclass(frozen=True, slots=True)
class CountRequest:
    """Which noisy counts, and what is added up of them."""

    file: Path
    values: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    confidence: float = 0.95

    @property
    def labels(self) -> dict[str, list[str]]:
        """The labels of each column; several of one are added up."""
        labels: dict[str, list[str]] = {}
        for text in self.where:
            column, sign, label = text.partition("=")
            if not sign:
                message = f"cannot read --where '{text}'; write a column and its label, such as --where sex=Female"
                raise BadNoise(message)
            labels.setdefault(column.strip(), []).append(label.strip())
        return labels

    def files(self) -> tuple[Path, ...]:
        """Return the counts and their document."""
        return tuple(inputs_of(str(self.file)))

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
        add_up = write_call("counts.count", *self.values, **self.labels)
        return write_python(f"counts = {write_call('sl.read_noise', str(self.file))}", f"print({add_up})")


class CountFacts(DocumentPart):
    """A count with its margin; `of` says what was counted."""

    values: tuple[str, ...]
    where: dict[str, list[str]]
    of: str
    count: int | float
    sd: float
    confidence: float
    margin: int | float


class CountAnswer(Answer[CountFacts]):
    """How many people there are."""

    question: ClassVar[str] = "How many people are there, and how far off is that at most?"

    def blocks(self) -> Blocks:
        """Yield the count and its margin."""
        facts = self.answer
        reach = f"within {math.ceil(facts.margin):,} of what was counted with a confidence of {facts.confidence:g}"
        yield Paragraph(f"{facts.count:,.0f} {facts.of}, and {reach}.")


def ask(request: CountRequest) -> CountAnswer:
    """Read noisy counts and add some of them up."""
    added = read_noise(request.file).count(*request.values, **request.labels)
    return CountAnswer(
        kind="count",
        schema_version=1,
        source=str(request.file),
        answer=CountFacts(
            values=request.values,
            where=request.labels,
            of=added.of,
            count=added.count,
            sd=added.sd,
            confidence=request.confidence,
            margin=added.margin(request.confidence),
        ),
        notes=("it is about what was counted, and the noise is all that the margin knows of",),
    )


# How far they move beliefs


@dataclass(frozen=True, slots=True)
class NoiseAttackRequest:
    """Which noisy counts, about whom, and what the attacker knows: nothing else, or `others`, everybody else's rows."""

    releases: tuple[str, ...]
    people: str
    hierarchies: Path | None
    truth: str | None = None
    others: tuple[str, ...] = ()
    prior: Literal["pooled", "uniform"] = "pooled"
    chance: str | None = None
    reading: Roles = field(default_factory=Roles)

    @property
    def folder(self) -> Path:
        """The hierarchies, which say which labels are under which."""
        if self.hierarchies is None:
            message = "which labels are under which? give the folder of hierarchies with --hierarchies"
            raise BadNoise(message)
        return self.hierarchies

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        return (*inputs_of(*self.releases, self.people, *self.others), *hierarchy_files(self.folder))

    def roles(self) -> Roles:
        """Return which column is what in the files of people: those that were counted by, and the true values."""
        releases = [read_noise(file) for file in self.releases]
        columns = dict.fromkeys(name for release in releases for name in release.levels)
        truth = self.truth or releases[0].sensitive
        # Missing values are what they were when they were counted, unless somebody says otherwise.
        own = Roles(quasi=tuple(columns), sensitive=truth, person=EACH_ROW, missing=releases[0].missing)
        return own.update(self.reading)

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
        roles = self.roles()
        reads = [write_call("sl.read_noise", file) for file in self.releases]
        tables = ", ".join(write_table(file, roles) for file in self.others)
        call = write_call(
            "sl.attack_noise",
            Name(f"[{', '.join(reads)}]"),
            people=Name(write_table(self.people, roles)),
            by=Name(write_call("sl.read_hierarchies", str(self.folder))),
            tables=Name(f"[{tables}]") if tables else None,
            prior=self.prior,
            chance=self.chance,
        )
        return write_python(f"print({call})")


class NoiseAttackFacts(DocumentPart):
    """What is believed of people before and after, and how far a belief moves; `promise` only where there is one."""

    people: int
    knows: Literal["nothing else", "everybody else"]
    belief_before: float
    belief: float
    guessed: dict[str, Any]
    largest_shift: float
    promise: dict[str, Any] | None


class NoiseAttackAnswer(Answer[NoiseAttackFacts]):
    """How far noisy counts move beliefs, in the sentences of its notes."""

    question: ClassVar[str] = "How far do noisy counts move what somebody believes?"

    names: Live[tuple[str, ...]]

    def blocks(self) -> Blocks:
        """Yield the sentences."""
        first, *rest = self.notes
        yield Paragraph(", ".join(self.names))
        yield Paragraph(first, "answer")
        yield from map(Paragraph, rest)
        yield Paragraph(ROUNDED)


def ask_attack(request: NoiseAttackRequest) -> NoiseAttackAnswer:
    """Read noisy counts and people, and weigh what the counts say of them."""
    by, roles = read_hierarchies(request.folder), request.roles()
    seen = attack_noise(
        [read_noise(file) for file in request.releases],
        people=open_table(request.people, roles),
        by=by,
        tables=[open_table(file, roles) for file in request.others] or None,
        prior=request.prior,
        chance=request.chance,
    )
    promise = seen.promise
    return NoiseAttackAnswer(
        kind="attack-noise",
        schema_version=1,
        source=request.releases,
        answer=NoiseAttackFacts(
            people=int(seen.sizes.sum()),
            knows="nothing else" if promise is None else "everybody else",
            belief_before=seen.prior_belief,
            belief=seen.belief,
            guessed={"exact": str(seen.guessed), "value": float(seen.guessed)},
            largest_shift=seen.largest_shift,
            promise=None
            if promise is None
            else {
                "shift": promise.shift,
                "chance": promise.chance,
                "condition": promise.condition or None,
                "warnings": list(promise.warnings),
            },
        ),
        notes=tuple(_attack_sentences(seen)),
        names=tuple(Path(file).name for file in request.releases),
    )


def _attack_sentences(seen: NoisyExposure) -> Iterator[str]:
    people, promise = counted(int(seen.sizes.sum()), "person"), seen.promise
    knows = "nothing else" if promise is None else "everybody else"
    before, after, shift = (
        decimal_text(Fraction(each), up=True) for each in (seen.prior_belief, seen.belief, seen.largest_shift)
    )
    yield f"Somebody who knows {knows} believes the true value of {people} with {before} before, and {after} after."
    yield f"The value that is believed most is the true one for {float(seen.guessed):.1%} of them."
    moved = f"A belief about one of them moves by {shift} at most"
    if promise is None:
        yield f"{moved}: that is what the counts are published for, and no noise bounds it."
        return
    holds = f", except with a chance of {two_digits(promise.chance)} over the noise" if promise.chance else ""
    bound = decimal_text(Fraction(promise.shift), up=True)
    promised = add_condition(promise.condition, f"promised is a shift of at most {bound}{holds}")
    yield f"{moved}; {promised[:1].lower()}{promised[1:]}."
    yield from promise.warnings
