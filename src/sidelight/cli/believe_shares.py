"""`sidelight believe` with statements about shares: what would someone with these statistics believe?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.cli.believe import Question, release_of
from sidelight.cli.believe_counting import Counting
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.errors import BadKnowledge
from sidelight.knowledge.parse_facts import read_person
from sidelight.knowledge.parse_statements import is_statement
from sidelight.knowledge.people import Described, Someone, Who, written_who
from sidelight.knowledge.tokens import Reader
from sidelight.max_entropy.beliefs import Beliefs, maxent
from sidelight.table.labels import Label, shown
from sidelight.table.read import read_table

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
                    _said(risk.says),
                    risk.value,
                    self.before.probability(risk.value, given=dict(risk.says)),
                    risk.probability,
                )
                for risk in self.after.riskiest(self.question.top)
            )
        return tuple(row for text in self.question.about for row in self._about(text))

    def _about(self, text: str) -> Iterator[tuple[str, Label, float, float]]:
        reader = Reader(text)
        who = read_person(reader)
        if reader.next.kind != "end":
            reader.fail(f"{reader.next} comes too late; give one person at a time")
        found = [
            (value, self._asked(self.before, value, who), self._asked(self.after, value, who)) for value in self._domain
        ]
        for value, before, after in sorted(found, key=lambda each: -each[2]):
            if before or after:
                yield written_who(who), value, before, after

    @property
    def _domain(self) -> tuple[Label, ...]:
        return self.after.scene.release.domain

    def _asked(self, beliefs: Beliefs, value: Label, who: Who) -> float:
        if isinstance(who, Described):
            return beliefs.probability(value, given=dict(who.says))
        if isinstance(who, Someone) and who not in beliefs.assembly.people:
            return beliefs.probability(value, group=who.group)
        if who in beliefs.assembly.people:
            return beliefs.probability(value, person=who)
        named = beliefs.scene.release.people or {}
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
    output.tell(answer.to_json(), drawn(answer))
    return Status.WITHIN_POLICY


def _errors(question: Question, table: str | None, before: Beliefs, after: Beliefs) -> tuple[float, float] | None:
    if table is None:
        return None
    original = read_table(
        table,
        quasi=[column.name for column in before.scene.members.columns],
        sensitive=before.scene.release.sensitive,
        missing=question.roles.missing or "an error",
        missing_marks=question.roles.missing_marks or (),
    )
    return before.estimation_error(original), after.estimation_error(original)


def drawn(answer: Answer) -> Iterator[RenderableType]:
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


def _said(says: tuple[tuple[str, Label], ...]) -> str:
    return ", ".join(f"{column} {shown(text)}" for column, text in says) or "anybody"
