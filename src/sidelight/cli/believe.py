"""`sidelight believe`: what would someone who knows exactly this conclude?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

import sidelight as sl
from sidelight.answers.sources import PeopleLookup, inputs_of, open_release
from sidelight.cli.options import EffortOptions, KnowledgeOptions
from sidelight.cli.run import Output, Status
from sidelight.documents.document import Envelope
from sidelight.errors import BadKnowledge, BadMeasure, BadPolicy, TooHard
from sidelight.knowledge.parse_facts import Knowledge, parse_person, read_facts, read_person
from sidelight.knowledge.parse_statements import is_statement
from sidelight.knowledge.people import Described, Someone, Who, person_text
from sidelight.knowledge.statements import Rule
from sidelight.knowledge.tokens import TokenReader
from sidelight.max_entropy.maxent import SECONDS, maxent
from sidelight.release.locate import Lookup
from sidelight.release.read import release_from
from sidelight.rounding import ROUNDED, decimal_text, in_words
from sidelight.table.labels import Label, shown, shown_in_list
from sidelight.table.roles import Roles
from sidelight.text import counted
from sidelight.worlds.estimated_belief import EstimatedBelief, estimate_belief
from sidelight.worlds.reports import separate

SCHEMA_VERSION = 2
"""Raised whenever a reader of the document would have to change."""

VALUES_SHOWN = 20
"""At most so many values of a person are shown in a terminal; JSON has all."""


@dataclass(frozen=True, slots=True)
class BelieveRequest:
    """Which file, what is known, about whom it is asked, and how much is counted.

    About nobody in particular: whoever moves most.  `knowledge.quasi` are columns that tell people of a bucket apart.
    """

    file: str
    roles: Roles
    knowledge: KnowledgeOptions
    effort: EffortOptions
    lookup: PeopleLookup = field(default_factory=PeopleLookup)

    def __post_init__(self) -> None:
        confidence, seconds = self.effort.confidence, self.effort.seconds
        if not 0 < confidence < 1:
            message = f"--confidence {confidence:g} is not between 0 and 1; give how sure each interval is"
            raise BadMeasure(message)
        if seconds is not None and not seconds > 0:
            message = f"--seconds {seconds:g} is no time to count in; give more than 0"
            raise BadMeasure(message)


def believe(request: BelieveRequest, output: Output) -> Status:
    """Answer by counting worlds, or, with statements P(…), by maximum entropy."""
    if _speaks_of_shares(request):
        return believe_by_maximum_entropy(request, output)
    return believe_by_counting(request, output)


def believe_by_counting(request: BelieveRequest, output: Output) -> Status:
    """Read, count worlds, print."""
    output.refuse((*inputs_of(request.file), *request.lookup.files()))
    facts = read_facts(request.knowledge.know)
    people = tuple(map(read_person, request.knowledge.about))
    beliefs, surest = conclude(release_of(request), facts, people, request)
    output.write(envelope(request, facts, beliefs, surest), draw_beliefs(request, facts, beliefs, surest))
    return Status.WITHIN_POLICY


def release_of(request: BelieveRequest) -> sl.Release:
    """Read the release; with columns that tell people apart, its groups are buckets."""
    roles = request.roles
    if not request.knowledge.quasi:
        return open_release(request.file, roles, keep_people=roles.person_column is not None)
    if not roles.quasi or roles.sensitive is None:
        message = "which columns? name the bucket with --group, the value with --sensitive"
        raise BadPolicy(message)
    return release_from(request.file, replace(roles, suppressed=None, weight=None), told_apart=request.knowledge.quasi)


def envelope(
    request: BelieveRequest,
    facts: tuple[sl.Fact, ...],
    beliefs: Sequence[sl.Belief | EstimatedBelief],
    surest: sl.SurestGuess | None,
) -> Envelope[Any]:
    """Put what is believed into a document."""
    answer: dict[str, object] = {"model": "worlds", "facts": [str(fact) for fact in facts]}
    if _any_estimated(beliefs):
        effort = request.effort
        answer["estimated"] = {"samples": effort.samples, "confidence": effort.confidence, "seed": effort.seed}
    answer["beliefs"] = [*map(as_data, beliefs)]
    if surest is not None:
        answer["surest"] = {
            "person": surest.who(),
            "group": surest.group.number,
            "value": surest.value,
            "before": str(surest.before),
            **_amount(surest.probability),
        }
    return Envelope(
        kind="believe", schema_version=SCHEMA_VERSION, source=request.file, answer=answer, notes=_notes(beliefs)
    )


def _notes(beliefs: Sequence[sl.Belief | EstimatedBelief]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for belief in beliefs for note in belief.notes))


def as_data(belief: sl.Belief | EstimatedBelief) -> dict[str, object]:
    """Give a belief as data: probabilities as exact fractions and as numbers, estimates with their intervals."""
    values = [
        {"value": value, "before": str(belief.before[value]), **_amount(after)} for value, after in belief.after.items()
    ]
    return {"person": str(belief), "group": belief.group.number, "values": values}


def _amount(after: Fraction | sl.Estimate) -> dict[str, object]:
    if isinstance(after, Fraction):
        return {"after": str(after), "probability": float(after)}
    value = {"after": str(after.value), "probability": float(after.value)}
    return {**value, "low": after.low, "high": after.high, "worlds": after.worlds}


def _any_estimated(beliefs: Sequence[sl.Belief | EstimatedBelief]) -> bool:
    return any(isinstance(each, EstimatedBelief) for each in beliefs)


def draw_beliefs(
    request: BelieveRequest,
    facts: tuple[sl.Fact, ...],
    beliefs: Sequence[sl.Belief | EstimatedBelief],
    surest: sl.SurestGuess | None,
) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield Text("Known: " + ("; ".join(map(str, facts)) or "nothing but the release"))
    if _any_estimated(beliefs):
        effort = request.effort
        yield Text(
            f"Too hard to count, so these are estimates from {effort.samples:,} worlds drawn at random (seed "
            f"{effort.seed}); each interval holds the truth with {effort.confidence:g} confidence."
        )
    if request.knowledge.about:
        for belief in beliefs:
            yield _distribution(belief)
    elif beliefs:
        yield _movers([belief for belief in beliefs if isinstance(belief, sl.Belief)])
    else:
        yield Text("Say what is known with --know, or about whom it is asked with --about.")
    if surest is not None:
        probability = in_words(surest.probability)
        yield Text(f"Surest of everybody: {surest.who()} has {shown(surest.value)}, with probability {probability}.")
    yield from (Text(f"Note: {note}") for note in _notes(beliefs))
    counted = [each for belief in beliefs for each in _counted(belief, request.knowledge.about)]
    if any("." in in_words(each) for each in (*counted, *([surest.probability] if surest else []))):
        yield Text(ROUNDED)


def _counted(belief: sl.Belief | EstimatedBelief, about: tuple[str, ...]) -> Iterator[Fraction]:
    """Give the probabilities that are shown and no estimates."""
    if isinstance(belief, sl.Belief) and not about:
        yield from (belief.before[belief.value], belief[belief.value])
        return
    yield from belief.before.values()
    yield from (each for each in belief.after.values() if isinstance(each, Fraction))


def _distribution(belief: sl.Belief | EstimatedBelief) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=Text(f"{belief} ({belief.group})"), title_justify="left")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    likely = sorted(belief.after, key=lambda value: -_middle(belief.after[value]))
    for value in likely[:VALUES_SHOWN]:
        table.add_row(Text(shown(value)), in_words(belief.before[value]), _in_words(belief.after[value]))
    if len(likely) > VALUES_SHOWN:
        table.add_row(Text(f"and {len(likely) - VALUES_SHOWN} more values, none more likely"), "", "")
    return table


def _movers(beliefs: Sequence[sl.Belief]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("about whom it says most", overflow="fold")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    for belief in beliefs:
        value = belief.value
        table.add_row(Text(str(belief)), Text(shown(value)), in_words(belief.before[value]), in_words(belief[value]))
    return table


def _middle(after: Fraction | sl.Estimate) -> Fraction:
    return after if isinstance(after, Fraction) else after.value


def _in_words(after: Fraction | sl.Estimate) -> str:
    """Say a probability; of an estimate, its interval, rounded outwards."""
    if isinstance(after, Fraction):
        return in_words(after)
    if after.low == after.high:
        return in_words(after.value)
    low, high = math.floor(after.low * 1000) / 1000, math.ceil(after.high * 1000) / 1000
    return f"about {float(after.value):.3f} ({low:.3f} to {high:.3f})"


# Facts: worlds are counted, or drawn where that is too hard.


def conclude(
    release: sl.Release, facts: tuple[sl.Fact, ...], people: tuple[Who, ...], request: BelieveRequest
) -> tuple[tuple[sl.Belief | EstimatedBelief, ...], sl.SurestGuess | None]:
    """Say what is believed about these people; or about those for whom the facts change most, and the surest guess."""
    options = request.effort
    effort = sl.Effort(options.states) if options.seconds is None else sl.Effort(options.states, options.seconds)
    by, locate, suppressed = request.lookup.by(), request.lookup.locate, request.lookup.suppressed

    def belief(who: Who, given: Knowledge) -> sl.Belief:
        return sl.posteriors(
            release, given=given, person=who, by=by, locate=locate, suppressed=suppressed, effort=effort
        )

    try:
        if people:
            return tuple(belief(who, facts) for who in people), None
        beliefs = sl.posteriors(release, given=facts, by=by, locate=locate, suppressed=suppressed, effort=effort)
        return beliefs.top(request.knowledge.top), beliefs.surest()
    except TooHard as hard:
        soft = bool(separate(facts)[1])
        if soft or not options.approximate or not people:
            raise TooHard(_too_hard(options, effort, soft=soft), low=hard.low, high=hard.high) from None
    rng = np.random.default_rng(options.seed)
    lookup = Lookup.of(by, locate, suppressed)
    estimates = tuple(
        estimate_belief(
            release,
            facts,
            belief(who, None),
            effort=effort,
            lookup=lookup,
            rng=rng,
            samples=options.samples,
            confidence=options.confidence,
        )
        for who in people
    )
    return estimates, None


def _too_hard(options: EffortOptions, effort: sl.Effort, *, soft: bool) -> str:
    """Say what is too hard, and which options help; worlds that soft facts weigh are not drawn at random."""
    hard = f"counting the worlds takes more than --states {options.states} or --seconds {effort.seconds:g}"
    if soft:
        return f"{hard}, and with soft facts ('with 0.9') there are no estimates; allow more, or take some facts back"
    if not options.approximate:
        return f"{hard}; allow more, or say --approximate for estimates"
    return f"{hard}; allow more, or say with --about of whom to make estimates"


# Statements about shares P(…): maximum entropy.


@dataclass(frozen=True, slots=True)
class BoundOnRules:
    """What follows from so many of the strongest rules: how far from the truth beliefs stay, and the surest of them."""

    positive: int
    negative: int
    estimation_error: float
    surest: float


@dataclass(frozen=True)
class MaxEntAnswer:
    """What would be believed from the release alone, and knowing the statements."""

    request: BelieveRequest
    before: sl.Beliefs | sl.SetBeliefs
    after: sl.Beliefs | sl.SetBeliefs
    error: tuple[float, float] | None  # estimation error before and after, with the original at hand
    curve: tuple[BoundOnRules, ...] = ()  # where several bounds on rules were given

    @cached_property
    def rows(self) -> tuple[tuple[str, Label, float, float], ...]:
        """About whom, value, believed before and after; who moved most first, or all values of who is asked about."""
        if not self.request.knowledge.about:
            moves = self.after.by_kind.moved_most(self.before.by_key, self.request.knowledge.top)
            return tuple((_described(each.says), each.value, each.before, each.probability) for each in moves)
        return tuple(row for text in self.request.knowledge.about for row in self._about(text))

    def _about(self, text: str) -> Iterator[tuple[str, Label, float, float]]:
        reader = TokenReader(text)
        who = parse_person(reader)
        reader.end("give one person at a time")
        beliefs = [
            (value, self._probability(self.before, value, who), self._probability(self.after, value, who))
            for value in self._domain
        ]
        for value, before, after in sorted(beliefs, key=lambda each: -each[2]):
            if before or after:
                yield person_text(who), value, before, after

    @property
    def notes(self) -> tuple[str, ...]:
        """Whom statements and questions may mean, and which statements say nothing."""
        people = map(read_person, self.request.knowledge.about)
        described = [dict(who.cells) for who in people if isinstance(who, Described)]
        whom = (note for cells in described for note in self.after.notes_on(cells))
        return tuple(dict.fromkeys((*self.after.notes, *whom)))

    @property
    def _domain(self) -> tuple[Label, ...]:
        return self.after.release.domain

    def _probability(self, beliefs: sl.Beliefs | sl.SetBeliefs, value: Label, who: Who) -> float:
        if beliefs.names(who):  # in these words, statements speak of one person, who is meant here too
            return beliefs.probability(value, person=who)
        if isinstance(who, Described):
            return beliefs.probability(value, given=dict(who.cells))
        if isinstance(who, Someone):
            return beliefs.probability(value, group=who.group)
        named = beliefs.release.people or {}
        if not isinstance(who, str) or who not in named:
            message = f"nobody called '{who}' is known; name people by --person, or ask about {{column = cell}}"
            raise BadKnowledge(message)
        return beliefs.probability(value, group=named[who] + 1)

    def document(self) -> Envelope[Any]:
        """Give it as data."""
        answer = {
            "model": "maximum entropy",
            "statements": [known.words for known in self.after.known],
            "residual": self.after.certificate.residual,
            "estimation_error": None if self.error is None else {"before": self.error[0], "after": self.error[1]},
            **({"curve": [asdict(bound) for bound in self.curve]} if self.curve else {}),
            "beliefs": [
                {"about": person, "value": value, "before": before, "after": after}
                for person, value, before, after in self.rows
            ],
        }
        return Envelope(
            kind="believe",
            schema_version=SCHEMA_VERSION,
            source=self.request.file,
            answer=answer,
            notes=self.notes,
        )


def _speaks_of_shares(request: BelieveRequest) -> bool:
    """Say whether a question is for maximum entropy; facts and statements cannot be known together."""
    known = request.knowledge.know
    statements = [text for text in known if is_statement(text)]
    if statements and len(statements) < len(known):
        message = (
            "facts are judged by counting worlds and statements P(…) by maximum entropy; ask with one kind at a time"
        )
        raise BadKnowledge(message)
    facts, table = bool(known) and not statements, request.knowledge.table is not None
    if request.knowledge.rules and not table:
        message = "--rules are mined from the original; give it with --table"
        raise BadKnowledge(message)
    if facts and table:
        message = "--table is for statements P(…); leave it out with facts"
        raise BadKnowledge(message)
    shares = bool(statements) or table or bool(request.knowledge.quasi and not facts)
    if shares and request.effort != EffortOptions(seconds=request.effort.seconds):
        message = "--states and --approximate are for counting worlds; leave them out with statements P(…)"
        raise BadKnowledge(message)
    return shares


def believe_by_maximum_entropy(request: BelieveRequest, output: Output) -> Status:
    """Read, solve, print."""
    table = request.knowledge.table
    output.refuse((*inputs_of(request.file, *([] if table is None else [table])), *request.lookup.files()))
    if request.lookup.locate is not None:
        message = "statements P(…) are about whom printed labels cover, in any form; leave --locate out"
        raise BadKnowledge(message)
    release, by, suppressed = release_of(request), request.lookup.by(), request.lookup.suppressed
    seconds = request.effort.seconds or SECONDS

    def beliefs(*rules: Rule) -> sl.Beliefs | sl.SetBeliefs:
        knowing: tuple[str | Rule, ...] = (*request.knowledge.know, *rules)
        return maxent(release, knowing, by=by, suppressed=suppressed, seconds=seconds)

    before = maxent(release, by=by, suppressed=suppressed)
    original = _original(request, before)
    bounds = sorted(request.knowledge.rules) or [(0, 0)]
    stages = [beliefs(*_rules(request, original, bound)) for bound in bounds]
    error = None if original is None else (before.estimation_error(original), stages[-1].estimation_error(original))
    curve = tuple(
        BoundOnRules(*bound, stage.estimation_error(original), stage.riskiest(1)[0].probability)
        for bound, stage in zip(bounds, stages, strict=True)
        if original is not None and len(bounds) > 1
    )
    answer = MaxEntAnswer(request, before, stages[-1], error, curve)
    output.write(answer.document(), draw_maximum_entropy(answer), charts=lambda: [stages[-1].plot()])
    return Status.WITHIN_POLICY


def _original(request: BelieveRequest, before: sl.Beliefs | sl.SetBeliefs) -> sl.Table | None:
    if request.knowledge.table is None:
        return None
    return sl.read_table(
        request.knowledge.table,
        quasi=[column.name for column in before.by_key.members.columns],
        sensitive=before.release.sensitive,
        missing=request.roles.missing or "an error",
        missing_marks=request.roles.missing_marks,
    )


def _rules(request: BelieveRequest, original: sl.Table | None, bound: tuple[int, int]) -> tuple[Rule, ...]:
    if original is None or bound == (0, 0):
        return ()
    options, (positive, negative) = request.knowledge, bound
    return sl.strongest_rules(
        original,
        positive=positive,
        negative=negative,
        conditions=options.conditions,
        vagueness=options.vagueness,
    )


def draw_maximum_entropy(answer: MaxEntAnswer) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield Text(f"Known: {'; '.join(_known(answer)) or 'nothing but the release'}")
    yield Text("Believed by maximum entropy (this is not counting worlds):")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("about", overflow="fold")
    table.add_column("value")
    table.add_column("from the release", justify="right")
    table.add_column("knowing this", justify="right")
    for person, value, before, after in answer.rows:
        table.add_row(Text(person), Text(shown(value)), _believed(before), _believed(after))
    yield table
    yield Text(ROUNDED)
    if answer.error is not None:
        yield Text(
            f"Estimation error: {answer.error[0]:.4f} from the release alone, {answer.error[1]:.4f} knowing this "
            "(0: the truth is known)"
        )
    if answer.curve:
        yield _drawn_curve(answer.curve)
    for note in answer.notes:
        yield Text(f"Note: {note}")


def _known(answer: MaxEntAnswer) -> Iterator[str]:
    """Say what is known; rules are counted, as there may be thousands."""
    yield from (known.words for known in answer.after.known if not isinstance(known.statement, Rule))
    for kind in ("has", "has not"):
        rules = sum(isinstance(known.statement, Rule) and known.statement.kind == kind for known in answer.after.known)
        if rules:
            yield f"the {counted(rules, 'strongest rule')} of the kind '{kind}'"


def _drawn_curve(curve: Sequence[BoundOnRules]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("rules 'has'", "rules 'has not'", "estimation error", "surest belief"):
        table.add_column(name, justify="right")
    for bound in curve:
        error = "inf" if math.isinf(bound.estimation_error) else f"{bound.estimation_error:.4f}"
        table.add_row(str(bound.positive), str(bound.negative), error, _believed(bound.surest))
    return table


def _believed(probability: float) -> str:
    """Show what is believed, rounded up; digits that the solver does not vouch for are no reason to."""
    return decimal_text(Fraction(str(round(probability, 8))), up=True)


def _described(says: tuple[tuple[str, Label], ...]) -> str:
    return ", ".join(f"{column} {shown_in_list(text)}" for column, text in says) or "anybody"
