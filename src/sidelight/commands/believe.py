"""`sidelight believe`: what would someone who knows exactly this conclude?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.commands.audit import Output
from sidelight.commands.reading import read
from sidelight.commands.running import Status
from sidelight.knowledge.facts import Fact
from sidelight.knowledge.facts_text import known_facts
from sidelight.measures.finding import in_words
from sidelight.policy.policy_file import Roles
from sidelight.release.release import Release
from sidelight.table.labels import shown
from sidelight.worlds.posteriors import Belief, posteriors, read_who

VALUES_SHOWN = 20
"""At most so many values of a person are shown in a terminal; JSON has all."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which file, what is known, and about whom it is asked; about nobody in particular: whoever moves most."""

    file: str
    roles: Roles
    know: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    top: int = 10


def believe(question: Question, output: Output) -> Status:
    """Read, count worlds, tell."""
    output.refuse(question.file)
    facts = known_facts(question.know)
    release = read(question.file, question.roles, keep_people=question.roles.person is not None)
    beliefs = concluded(release, facts, question)
    tell(question, facts, beliefs, output)
    return Status.WITHIN_POLICY


def concluded(release: Release, facts: tuple[Fact, ...], question: Question) -> tuple[Belief, ...]:
    """Say what is believed about the people asked for, or about those for whom the facts change most."""
    if question.about:
        return tuple(posteriors(release, given=facts, person=read_who(text)) for text in question.about)
    return posteriors(release, given=facts).top(question.top)


def tell(question: Question, facts: tuple[Fact, ...], beliefs: tuple[Belief, ...], output: Output) -> None:
    """Print it, as JSON or for people, and write it to a file if asked."""
    document = {"source": question.file, "facts": [str(fact) for fact in facts], "beliefs": [*map(as_data, beliefs)]}
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    output.tell(text, drawn(question, facts, beliefs))


def as_data(belief: Belief) -> dict[str, object]:
    """Give a belief as data: probabilities as exact fractions and as numbers."""
    values = [
        {"value": value, "before": str(belief.before[value]), "after": str(after), "probability": float(after)}
        for value, after in belief.items()
    ]
    return {"person": str(belief), "group": belief.group.number, "values": values}


def drawn(question: Question, facts: tuple[Fact, ...], beliefs: tuple[Belief, ...]) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield Text("Known: " + ("; ".join(map(str, facts)) or "nothing but the release"))
    if question.about:
        for belief in beliefs:
            yield _distribution(belief)
    elif beliefs:
        yield _movers(beliefs)
    else:
        yield Text("Say what is known with --know, or about whom it is asked with --about.")


def _distribution(belief: Belief) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=Text(f"{belief} ({belief.group})"), title_justify="left")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    likely = sorted(belief, key=lambda value: -belief[value])
    for value in likely[:VALUES_SHOWN]:
        table.add_row(Text(shown(value)), in_words(belief.before[value]), in_words(belief[value]))
    if len(likely) > VALUES_SHOWN:
        table.add_row(Text(f"and {len(likely) - VALUES_SHOWN} more values, none more likely"), "", "")
    return table


def _movers(beliefs: tuple[Belief, ...]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("about whom it says most", overflow="fold")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    for belief in beliefs:
        value = belief.value
        table.add_row(Text(str(belief)), Text(shown(value)), in_words(belief.before[value]), in_words(belief[value]))
    return table
