"""How much `sidelight believe` counts, and what it says by drawing worlds where that is not enough."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.cli.inputs import read
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.errors import BadKnowledge, BadMeasure, BadPolicy, TooHard
from sidelight.knowledge.facts import Fact, Has
from sidelight.knowledge.parse_facts import parse_person, read_facts, read_person
from sidelight.knowledge.parse_statements import is_statement
from sidelight.knowledge.people import Described, Someone, Who, person_text
from sidelight.knowledge.tokens import TokenReader
from sidelight.max_entropy.beliefs import Beliefs, maxent
from sidelight.measures.measure import in_words
from sidelight.release.groups import GroupName
from sidelight.release.read import release_from
from sidelight.release.release import Release
from sidelight.table.labels import Label, shown
from sidelight.table.read import read_table
from sidelight.table.roles import Roles
from sidelight.worlds.effort import Effort
from sidelight.worlds.estimate import Estimate
from sidelight.worlds.posterior import Belief, Observer, posteriors


@dataclass(frozen=True, slots=True)
class Chance:
    """How worlds are drawn."""

    samples: int = 2_000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            message = f"--confidence {self.confidence:g} is not between 0 and 1; give how sure each interval is"
            raise BadMeasure(message)

    def __str__(self) -> str:
        return f"{self.samples:,} worlds drawn at random (seed {self.seed})"


@dataclass(frozen=True, slots=True)
class Counting:
    """How much is counted, and how worlds are drawn if that is not enough."""

    states: int = 2_000_000
    seconds: float | None = None  # without it, as long as is usual
    chance: Chance | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            message = f"--seconds {self.seconds:g} is no time to count in; give more than 0"
            raise BadMeasure(message)

    @property
    def effort(self) -> Effort:
        """What exact counting may take."""
        return Effort(self.states) if self.seconds is None else Effort(self.states, self.seconds)


@dataclass(frozen=True, slots=True)
class Estimated:
    """How likely each value of a person is about, to one who knows the facts, and what it was exactly before them."""

    person: Who
    group: GroupName
    before: Mapping[Label, Fraction]
    after: Mapping[Label, Estimate]

    def __str__(self) -> str:
        return person_text(self.person)


def concluded(
    release: Release, facts: tuple[Fact, ...], people: tuple[Who, ...], counting: Counting, top: int
) -> tuple[Belief, ...] | tuple[Estimated, ...]:
    """Say what is believed about these people, or about those for whom the facts change most."""
    try:
        if people:
            return tuple(posteriors(release, given=facts, person=who, effort=counting.effort) for who in people)
        return posteriors(release, given=facts, effort=counting.effort).top(top)
    except TooHard as hard:
        if counting.chance is None or not people:
            raise TooHard(_help(counting), low=hard.low, high=hard.high) from None
    return _estimated(release, facts, people, counting.effort, counting.chance)


def _help(counting: Counting) -> str:
    """Say what is too hard, and which options help."""
    hard = f"counting the worlds takes more than --states {counting.states} or --seconds {counting.effort.seconds:g}"
    if counting.chance is None:
        return f"{hard}; allow more, or say --approximate for estimates"
    return f"{hard}; allow more, or say with --about of whom to make estimates"


def _estimated(
    release: Release, facts: tuple[Fact, ...], people: tuple[Who, ...], effort: Effort, chance: Chance
) -> tuple[Estimated, ...]:
    """Draw worlds for each person, and look at all values in them."""
    rng = np.random.default_rng(chance.seed)
    return tuple(
        _about(posteriors(release, person=who), Observer.of(release, facts, people=[who], effort=effort), chance, rng)
        for who in people
    )


def _about(before: Belief, observer: Observer, chance: Chance, rng: np.random.Generator) -> Estimated:
    """Estimate how likely each value of a person is; who has one that nobody in the group has is clear."""
    values = [value for value in before if before[value]]
    drawn = observer.estimates(
        [Has(before.person, value) for value in values], rng=rng, samples=chance.samples, confidence=chance.confidence
    )
    if not drawn:
        message = (
            "of the worlds that were drawn, none fits the facts; "
            "draw more with --samples, or count more with --states and --seconds"
        )
        raise TooHard(message, low=Fraction(0), high=Fraction(1))
    never = Estimate.exactly(Fraction(0), chance.confidence)
    after = dict.fromkeys(before, never) | dict(zip(values, drawn, strict=True))
    return Estimated(before.person, before.group, before.before, after)


# ----------------------------------------------------------------------------------------------------
# `sidelight believe`: what would someone who knows exactly this conclude?
# ----------------------------------------------------------------------------------------------------


VALUES_SHOWN = 20
"""At most so many values of a person are shown in a terminal; JSON has all."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which file, what is known, and about whom it is asked; about nobody in particular: whoever moves most.

    `quasi` are columns that tell the people of a bucket apart.
    """

    file: str
    roles: Roles
    know: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    top: int = 10
    counting: Counting = field(default_factory=Counting)
    quasi: tuple[str, ...] = ()


def believe(question: Question, output: Output) -> Status:
    """Read, count worlds, tell."""
    output.refuse(question.file)
    facts = read_facts(question.know)
    people = tuple(map(read_person, question.about))
    beliefs = concluded(release_of(question), facts, people, question.counting, question.top)
    tell(question, facts, beliefs, output)
    return Status.WITHIN_POLICY


def release_of(question: Question) -> Release:
    """Read the release; with columns that tell people apart, its groups are buckets."""
    roles = question.roles
    if not question.quasi:
        return read(question.file, roles, keep_people=roles.person is not None)
    if not roles.quasi or roles.sensitive is None:
        message = "which columns? name the bucket with --group, the value with --sensitive"
        raise BadPolicy(message)
    return release_from(question.file, replace(roles, suppressed=None), told_apart=question.quasi)


def tell(question: Question, facts: tuple[Fact, ...], beliefs: Sequence[Belief | Estimated], output: Output) -> None:
    """Print it, as JSON or for people, and write it to a file if asked."""
    document: dict[str, object] = {"source": question.file, "facts": [str(fact) for fact in facts]}
    chance = _drawn_by(question, beliefs)
    if chance is not None:
        document["estimated"] = {
            "samples": chance.samples,
            "confidence": chance.confidence,
            "seed": chance.seed,
        }
    document["beliefs"] = [*map(as_data, beliefs)]
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    output.tell(text, drawn(question, facts, beliefs))


def as_data(belief: Belief | Estimated) -> dict[str, object]:
    """Give a belief as data: probabilities as exact fractions and as numbers, estimates with their intervals."""
    values = [
        {"value": value, "before": str(belief.before[value]), **_amount(after)} for value, after in belief.after.items()
    ]
    return {"person": str(belief), "group": belief.group.number, "values": values}


def _amount(after: Fraction | Estimate) -> dict[str, object]:
    if isinstance(after, Fraction):
        return {"after": str(after), "probability": float(after)}
    value = {"after": str(after.value), "probability": float(after.value)}
    return {**value, "low": after.low, "high": after.high, "worlds": after.worlds}


def _drawn_by(question: Question, beliefs: Sequence[Belief | Estimated]) -> Chance | None:
    """Say how worlds were drawn; nothing if all was counted."""
    return question.counting.chance if any(isinstance(each, Estimated) for each in beliefs) else None


def drawn(
    question: Question, facts: tuple[Fact, ...], beliefs: Sequence[Belief | Estimated]
) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield Text("Known: " + ("; ".join(map(str, facts)) or "nothing but the release"))
    chance = _drawn_by(question, beliefs)
    if chance is not None:
        yield Text(
            f"Too hard to count, so these are estimates from {chance}; each interval holds the truth with "
            f"{chance.confidence:g} confidence."
        )
    if question.about:
        for belief in beliefs:
            yield _distribution(belief)
    elif beliefs:
        yield _movers([belief for belief in beliefs if isinstance(belief, Belief)])
    else:
        yield Text("Say what is known with --know, or about whom it is asked with --about.")
    if any("." in in_words(each) for belief in beliefs for each in _counted(belief, question.about)):
        yield Text("Decimals are rounded up; --json has the exact fractions.")


def _counted(belief: Belief | Estimated, about: tuple[str, ...]) -> Iterator[Fraction]:
    """Give the probabilities that are shown and no estimates."""
    if isinstance(belief, Belief) and not about:
        yield from (belief.before[belief.value], belief[belief.value])
        return
    yield from belief.before.values()
    yield from (each for each in belief.after.values() if isinstance(each, Fraction))


def _distribution(belief: Belief | Estimated) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=Text(f"{belief} ({belief.group})"), title_justify="left")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    likely = sorted(belief.after, key=lambda value: -_middle(belief.after[value]))
    for value in likely[:VALUES_SHOWN]:
        table.add_row(Text(shown(value)), in_words(belief.before[value]), _said(belief.after[value]))
    if len(likely) > VALUES_SHOWN:
        table.add_row(Text(f"and {len(likely) - VALUES_SHOWN} more values, none more likely"), "", "")
    return table


def _movers(beliefs: Sequence[Belief]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("about whom it says most", overflow="fold")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    for belief in beliefs:
        value = belief.value
        table.add_row(Text(str(belief)), Text(shown(value)), in_words(belief.before[value]), in_words(belief[value]))
    return table


def _middle(after: Fraction | Estimate) -> Fraction:
    return after if isinstance(after, Fraction) else after.value


def _said(after: Fraction | Estimate) -> str:
    """Say a probability; of an estimate, its interval, rounded outwards."""
    if isinstance(after, Fraction):
        return in_words(after)
    if after.low == after.high:
        return in_words(after.value)
    low, high = math.floor(after.low * 1000) / 1000, math.ceil(after.high * 1000) / 1000
    return f"about {float(after.value):.3f} ({low:.3f} to {high:.3f})"


# ----------------------------------------------------------------------------------------------------
# `sidelight believe` with statements about shares: what would someone with these statistics believe?
# ----------------------------------------------------------------------------------------------------


LONGEST = 600
"""How many seconds solving may take, when nothing else is said."""


@dataclass(frozen=True)
class Answer:
    """What would be believed from the release alone, and knowing the statements."""

    question: Question
    before: Beliefs
    after: Beliefs
    error: tuple[float, float] | None  # estimation error before and after, with the original at hand

    @cached_property
    def rows(self) -> tuple[tuple[str, Label, float, float], ...]:
        """About whom, value, believed before and after; the likeliest first."""
        if not self.question.about:
            return tuple(
                (
                    _said_believe_shares(risk.says),
                    risk.value,
                    self.before.probability(risk.value, given=dict(risk.says)),
                    risk.probability,
                )
                for risk in self.after.riskiest(self.question.top)
            )
        return tuple(row for text in self.question.about for row in self._about(text))

    def _about(self, text: str) -> Iterator[tuple[str, Label, float, float]]:
        reader = TokenReader(text)
        who = parse_person(reader)
        reader.end("give one person at a time")
        found = [
            (value, self._asked(self.before, value, who), self._asked(self.after, value, who)) for value in self._domain
        ]
        for value, before, after in sorted(found, key=lambda each: -each[2]):
            if before or after:
                yield person_text(who), value, before, after

    @property
    def _domain(self) -> tuple[Label, ...]:
        return self.after.release.domain

    def _asked(self, beliefs: Beliefs, value: Label, who: Who) -> float:
        if isinstance(who, Described):
            return beliefs.probability(value, given=dict(who.says))
        if isinstance(who, Someone) and who not in beliefs.reduced.people:
            return beliefs.probability(value, group=who.group)
        if who in beliefs.reduced.people:
            return beliefs.probability(value, person=who)
        named = beliefs.release.people or {}
        if not isinstance(who, str) or who not in named:
            message = f"nobody called '{who}' is known; name people by --person, or ask about {{column = cell}}"
            raise BadKnowledge(message)
        return beliefs.probability(value, group=named[who] + 1)

    def to_json(self) -> str:
        """Write it as JSON."""
        document = {
            "source": self.question.file,
            "model": "maximum entropy",
            "statements": [known.words for known in self.after.known],
            "notes": [*self.after.notes],
            "residual": self.after.certificate.residual,
            "estimation_error": None if self.error is None else {"before": self.error[0], "after": self.error[1]},
            "beliefs": [
                {"about": said, "value": value, "before": before, "after": after}
                for said, value, before, after in self.rows
            ],
        }
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def speaks_of_shares(question: Question, table: str | None) -> bool:
    """Say whether a question is for this model; facts and statements cannot be known together."""
    statements = [text for text in question.know if is_statement(text)]
    if statements and len(statements) < len(question.know):
        message = (
            "facts are judged by counting worlds and statements P(…) by maximum entropy; ask with one kind at a time"
        )
        raise BadKnowledge(message)
    facts = bool(question.know) and not statements
    if facts and table is not None:
        message = "--table is for statements P(…); leave it out with facts"
        raise BadKnowledge(message)
    shares = bool(statements) or table is not None or bool(question.quasi and not facts)
    if shares and question.counting != Counting(seconds=question.counting.seconds):
        message = "--states and --approximate are for counting worlds; leave them out with statements P(…)"
        raise BadKnowledge(message)
    return shares


def believe_shares(question: Question, table: str | None, output: Output) -> Status:
    """Read, solve, tell."""
    output.refuse(question.file, *([] if table is None else [table]))
    release = release_of(question)
    seconds = question.counting.seconds or LONGEST
    before, after = maxent(release), maxent(release, question.know, seconds=seconds)
    answer = Answer(question, before, after, _errors(question, table, before, after))
    output.tell(answer.to_json(), drawn_shares(answer))
    return Status.WITHIN_POLICY


def _errors(question: Question, table: str | None, before: Beliefs, after: Beliefs) -> tuple[float, float] | None:
    if table is None:
        return None
    original = read_table(
        table,
        quasi=[column.name for column in before.variables.members.columns],
        sensitive=before.release.sensitive,
        missing=question.roles.missing or "an error",
        missing_marks=question.roles.missing_marks,
    )
    return before.estimation_error(original), after.estimation_error(original)


def drawn_shares(answer: Answer) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    words = "; ".join(known.words for known in answer.after.known)
    yield Text(f"Known: {words or 'nothing but the release'}")
    yield Text("Believed by maximum entropy (this is not counting worlds):")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("about", overflow="fold")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    for said, value, before, after in answer.rows:
        table.add_row(Text(said), Text(shown(value)), f"{before:.4f}", f"{after:.4f}")
    yield table
    if answer.error is not None:
        yield Text(
            f"Estimation error: {answer.error[0]:.4f} from the release alone, {answer.error[1]:.4f} knowing this "
            "(0: the truth is known)"
        )
    for note in answer.after.notes:
        yield Text(f"Note: {note}")


def _said_believe_shares(says: tuple[tuple[str, Label], ...]) -> str:
    return ", ".join(f"{column} {shown(text)}" for column, text in says) or "anybody"
