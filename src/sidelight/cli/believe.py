"""`sidelight believe`: what would someone who knows exactly this conclude?"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.cli.believe_counting import Chance, Counting, Estimated, concluded
from sidelight.cli.inputs import read
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.errors import BadPolicy
from sidelight.knowledge.facts_part import Fact
from sidelight.knowledge.parse_facts import known_facts
from sidelight.measures.finding import in_words
from sidelight.policy.policy_file import Roles
from sidelight.release.read import read_release
from sidelight.release.release import Release
from sidelight.table.labels import shown
from sidelight.worlds.estimate import Estimate
from sidelight.worlds.posteriors import Belief, read_who

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
    facts = known_facts(question.know)
    people = tuple(map(read_who, question.about))
    beliefs = concluded(release_of(question), facts, people, question.counting, question.top)
    tell(question, facts, beliefs, output)
    return Status.WITHIN_POLICY


def release_of(question: Question) -> Release:
    """Read the release; with columns that tell people apart, its groups are buckets."""
    roles = question.roles
    if not question.quasi:
        return read(question.file, roles, keep_people=roles.person is not None)
    if roles.quasi is None or roles.sensitive is None:
        message = "which columns? name the bucket with --group, the value with --sensitive"
        raise BadPolicy(message)
    return read_release(
        question.file, group=roles.quasi, quasi=question.quasi, sensitive=roles.sensitive, **roles.settings()
    )


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
