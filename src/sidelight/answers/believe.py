"""What would an attacker conclude who knows exactly this?

Facts are judged by counting worlds (`posteriors`: exact fractions, or estimates where that is too hard), statements
P(…) by maximum entropy (`maxent`); a question has one kind or the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

import sidelight as sl
from sidelight.answers.recipe import Name, name_hierarchies, write_call, write_python, write_release
from sidelight.answers.sources import open_buckets, open_release, read_asked_hierarchies
from sidelight.errors import BadKnowledge, BadMeasure, TooHard
from sidelight.knowledge.facts import Described, Someone, Who, person_text, read_person
from sidelight.knowledge.parse import read_facts
from sidelight.knowledge.statements import Statement, is_statement
from sidelight.max_entropy.maxent import SOLVER_SECONDS, AnyBeliefs, maxent
from sidelight.progress import Progress, quiet
from sidelight.release.locate import Lookup
from sidelight.report.answer import FlatAnswer, Live
from sidelight.report.page import Blocks, Grid, Paragraph
from sidelight.rounding import ROUNDED, decimal_text, in_words
from sidelight.table.labels import Label, show_in_list, shown
from sidelight.text import counted
from sidelight.worlds.posterior import estimate_belief
from sidelight.worlds.reports import separate

if TYPE_CHECKING:
    from sidelight.answers.questions import BelieveRequest
    from sidelight.report.plots import Drawing
    from sidelight.table.hierarchy import Hierarchy


def check_knowledge(request: BelieveRequest) -> None:
    """Raise `SidelightError` if options contradict each other or the kind of knowledge."""
    statements = sum(map(is_statement, request.know))
    facts = bool(request.know) and not statements
    counting = bool(request.state("states", "approximate", "samples", "confidence", "seed"))
    if not 0 < request.confidence < 1:
        raise BadMeasure(f"--confidence {request.confidence:g} is not between 0 and 1; give how sure each interval is")
    if request.seconds is not None and not request.seconds > 0:
        raise BadMeasure(f"--seconds {request.seconds:g} is no time to count in; give more than 0")
    if 0 < statements < len(request.know):
        raise BadKnowledge(
            "facts are judged by counting worlds and statements P(…) by maximum entropy; ask with one kind at a time"
        )
    if request.rules and request.table is None:
        raise BadKnowledge("--rules are mined from the original; give it with --table")
    if facts and request.table is not None:
        raise BadKnowledge("--table is for statements P(…); leave it out with facts")
    if speaks_of_shares(request) and counting:
        raise BadKnowledge("--states and --approximate are for counting worlds; leave them out with statements P(…)")
    if speaks_of_shares(request) and request.locate is not None:
        raise BadKnowledge("statements P(…) are about whom printed labels cover, in any form; leave --locate out")


def speaks_of_shares(request: BelieveRequest) -> bool:
    """Return whether the question is answered by maximum entropy."""
    statements = any(map(is_statement, request.know))
    return statements or request.table is not None or bool(request.quasi and not request.know)


def write_believe(request: BelieveRequest) -> str:
    """Write the Python that comes to the same."""
    roles, release = request.roles, Name("release")
    if request.quasi:  # the groups are buckets
        stated = roles.stated() | {"group": roles.quasi, "quasi": request.quasi}
        lines = [f"release = {write_call('sl.read_release', request.file, **stated)}"]
    else:
        lines = [f"release = {write_release(request.file, roles, keep_people=roles.person_column is not None)}"]
    lookup = {"suppressed": request.columns.may_hold_people, "by": name_hierarchies(request)}
    if speaks_of_shares(request):
        known = repr(list(request.know))
        if request.table is not None and request.rules:
            quasi, (positive, negative) = request.quasi or roles.quasi, max(request.rules)
            read = write_call("sl.read_table", request.table, quasi=quasi, sensitive=roles.sensitive)
            options = {"positive": positive, "negative": negative, "vagueness": request.vagueness or None}
            rules = write_call("sl.strongest_rules", Name("table"), conditions=request.conditions, **options)
            lines += [f"table = {read}", f"rules = {rules}"]
            known = f"[*{known}, *rules]"
        call = write_call("sl.maxent", release, knowing=Name(known), seconds=request.seconds, **lookup)
        return write_python(*lines, f"print({call}.table())")
    settings = {"given": request.know, "locate": request.locate, **lookup}
    for text in request.about_people or [None]:
        who: object = None if text is None else read_person(text)
        if isinstance(who, Someone):
            who = Name(write_call("sl.Someone", who.group, *([who.number] if who.number > 1 else [])))
        elif isinstance(who, Described):
            who = dict(who.cells)
        lines.append(f"print({write_call('sl.posteriors', release, person=who, **settings)})")
    return write_python(*lines)


class WorldsAnswer(FlatAnswer):
    """Beliefs by counting worlds: exact fractions, and numbers."""

    question: ClassVar[str] = "What would somebody conclude who knows exactly this?"

    kind: str = "believe"
    schema_version: int = 2
    model: Literal["worlds"]
    facts: tuple[str, ...]
    estimated: dict[str, Any] | None = None
    beliefs: tuple[dict[str, Any], ...]
    surest: dict[str, Any] | None = None
    people: Live[tuple[sl.Belief, ...]]
    surest_guess: Live[sl.SurestGuess | None] = None
    movers: Live[bool] = False  # whether beliefs are those that move most

    def charts(self) -> Iterator[Drawing]:
        if not self.movers or not self.people:
            return
        from sidelight.report.plots import Change, dumbbell_chart  # noqa: PLC0415 - slow, and an extra

        belief = self.people[0]
        assert isinstance(belief, sl.Belief)
        before, after = belief.before[belief.value], belief[belief.value]
        verb = "stays at" if before == after else "rises" if after > before else "falls"
        change = in_words(after) if before == after else f"from {in_words(before)} to {in_words(after)}"
        known = counted(len(self.facts), "fact")
        yield dumbbell_chart(
            [Change(shown(value), belief.before[value], belief[value]) for value in belief],
            title=f"For {name_in_group(belief)}, {shown(belief.value)} {verb} {change}",
            subtitle=f"By counting worlds, knowing {known}. About whom beliefs move most.",
            ends=("before", "after"),
            axis="how sure somebody is that they have it",
            top=shown(belief.value),
        )

    def blocks(self) -> Blocks:
        yield Paragraph("Known: " + ("; ".join(self.facts) or "nothing but the release"))
        if self.estimated is not None:
            samples, confidence, seed = self.estimated.values()
            yield Paragraph(
                f"Too hard to count, so these are estimates from {samples:,} worlds drawn at random (seed "
                f"{seed}); each interval holds the truth with {confidence:g} confidence."
            )
        exact = []  # probabilities that are printed and no estimates
        if not self.people:
            yield Paragraph("Say what is known with --know, or about whom it is asked with --about.")
        elif self.movers:
            ends = [(each.before[each.value], each[each.value]) for each in self.people]
            exact = [probability for both in ends for probability in both]
            rows = tuple(
                (str(each), shown(each.value), *map(in_words, both))
                for each, both in zip(self.people, ends, strict=True)
            )
            headings = ("about whom it says most", "value", "from the release", "knowing this")
            yield Grid(headings, rows, figures=frozenset({2, 3}))
        else:
            exact = [each for belief in self.people for each in belief.before.values()]
            exact += [each for belief in self.people if not belief.estimates for each in belief.after.values()]
            yield from map(_draw_distribution, self.people)
        if (surest := self.surest_guess) is not None:
            exact.append(surest.probability)
            value, probability = shown(surest.value), in_words(surest.probability)
            yield Paragraph(f"Surest of everybody: {surest.who()} has {value}, with probability {probability}.")
        yield from (Paragraph(f"Note: {note}") for note in self.notes)
        if any("." in in_words(each) for each in exact):
            yield Paragraph(ROUNDED)


def name_in_group(belief: sl.Belief) -> str:
    """Return the name of a person, with their group."""
    return str(belief) if belief.unnamed else f"{belief} in {belief.group}"


def _draw_distribution(belief: sl.Belief, most: int = 20) -> Grid:
    """Draw the likeliest values of a person; the JSON has all."""
    after = belief.estimates or belief.after
    likely = sorted(belief.after, key=lambda value: -belief.after[value])
    rows = [(shown(value), in_words(belief.before[value]), _write_interval(after[value])) for value in likely[:most]]
    if len(likely) > most:
        rows.append((f"and {len(likely) - most} more values, none more likely", "", ""))
    headings = ("value", "from the release", "knowing this")
    return Grid(headings, tuple(rows), title=f"{belief} ({belief.group})", figures=frozenset({1, 2}))


def _middle(after: Fraction | sl.Estimate) -> Fraction:
    return after if isinstance(after, Fraction) else after.value


def _write_interval(after: Fraction | sl.Estimate) -> str:
    """Write a probability; of an estimate, its interval, rounded outwards."""
    if isinstance(after, Fraction):
        return in_words(after)
    if after.low == after.high:
        return in_words(after.value)
    low, high = math.floor(after.low * 1000) / 1000, math.ceil(after.high * 1000) / 1000
    return f"about {float(after.value):.3f} ({low:.3f} to {high:.3f})"


class EntropyAnswer(FlatAnswer):
    """Beliefs by maximum entropy, from the release alone and with the statements."""

    question: ClassVar[str] = WorldsAnswer.question

    kind: str = "believe"
    schema_version: int = 2
    model: Literal["maximum entropy"]
    statements: tuple[str, ...]
    residual: float
    estimation_error: dict[str, float] | None
    curve: tuple[dict[str, Any], ...] | None = None
    beliefs: tuple[dict[str, Any], ...]
    before: Live[AnyBeliefs]
    after: Live[AnyBeliefs]

    def charts(self) -> Iterator[Drawing]:
        from sidelight.report.charts.attackers import beliefs_chart  # noqa: PLC0415 - slow, and an extra

        yield beliefs_chart(self.after, self.before if self.after.known else None)

    def blocks(self) -> Blocks:
        yield Paragraph(f"Known: {'; '.join(self._list_known()) or 'nothing but the release'}")
        yield Paragraph("Believed by maximum entropy (this is not counting worlds):")
        rows = tuple(
            (each["about"], shown(each["value"]), write_belief(each["before"]), write_belief(each["after"]))
            for each in self.beliefs
        )
        yield Grid(("about", "value", "from the release", "knowing this"), rows, figures=frozenset({2, 3}))
        yield Paragraph(ROUNDED)
        if self.estimation_error is not None:
            before, after = self.estimation_error.values()
            yield Paragraph(
                f"Estimation error: {before:.4f} from the release alone, {after:.4f} knowing this (0: the truth is "
                "known)"
            )
        if self.curve:
            bounds = tuple(
                (str(positive), str(negative), "inf" if math.isinf(error) else f"{error:.4f}", write_belief(surest))
                for positive, negative, error, surest in (each.values() for each in self.curve)
            )
            headings = ("rules 'has'", "rules 'has not'", "estimation error", "surest belief")
            yield Grid(headings, bounds, figures=frozenset(range(4)))
        yield from (Paragraph(f"Note: {note}") for note in self.notes)

    def _list_known(self) -> Iterator[str]:
        """Yield the statements in words; rules are counted, as there may be thousands."""
        yield from (known.words for known in self.after.known if known.kind is None)
        kinds = [known.kind for known in self.after.known if known.kind]
        for kind in ("has", "has not"):
            if kind in kinds:
                yield f"the {counted(kinds.count(kind), 'strongest rule')} of the kind '{kind}'"


def write_belief(probability: float) -> str:
    """Write a probability, rounded up from the digits that the solver guarantees."""
    return decimal_text(trusted_digits(probability), up=True)


def trusted_digits(probability: float) -> Fraction:
    """Return a probability by maximum entropy with the digits that the solver guarantees."""
    return Fraction(str(round(probability, 8)))


def ask_believe(request: BelieveRequest) -> WorldsAnswer | EntropyAnswer:
    """Read the release, and compute the beliefs."""
    check_knowledge(request)
    if not speaks_of_shares(request):  # syntax errors come before the file is read
        read_facts(request.know)
        [read_person(who) for who in request.about_people]
    roles = request.roles
    if request.quasi:
        release = open_buckets(request.file, roles, request.quasi)
    else:
        release = open_release(request.file, roles, keep_people=roles.person_column is not None)
    return conclude(request, release, read_asked_hierarchies(request) or None)


def conclude(
    request: BelieveRequest, release: sl.Release, by: Mapping[str, Hierarchy] | None, progress: Progress = quiet
) -> WorldsAnswer | EntropyAnswer:
    """Compute beliefs from a release: by counting worlds, or, with statements P(…), by maximum entropy."""
    if speaks_of_shares(request):
        return _conclude_by_entropy(request, release, by, progress)
    facts = read_facts(request.know)
    beliefs, surest = _count_worlds(request, release, facts, by)
    optional: dict[str, Any] = {}
    if any(belief.estimates for belief in beliefs):
        optional["estimated"] = {"samples": request.samples, "confidence": request.confidence, "seed": request.seed}
    if surest is not None:
        optional["surest"] = {
            "person": surest.who(),
            "group": surest.group.number,
            "value": surest.value,
            "before": str(surest.before),
            **_amount_fields(surest.probability),
        }
    rows = tuple(
        {
            "person": str(belief),
            "group": belief.group.number,
            "values": [
                {"value": value, "before": str(belief.before[value]), **_amount_fields(after)}
                for value, after in (belief.estimates or belief.after).items()
            ],
        }
        for belief in beliefs
    )
    return WorldsAnswer(
        source=request.file,
        model="worlds",
        facts=tuple(map(str, facts)),
        beliefs=rows,
        **optional,
        notes=tuple(dict.fromkeys(note for belief in beliefs for note in belief.notes)),
        people=beliefs,
        surest_guess=surest,
        movers=not request.about_people,
    )


def _amount_fields(after: Fraction | sl.Estimate) -> dict[str, Any]:
    exact = _middle(after)
    interval = () if isinstance(after, Fraction) else ("low", "high", "worlds")
    return {"after": str(exact), "probability": float(exact), **{name: getattr(after, name) for name in interval}}


def _count_worlds(
    request: BelieveRequest, release: sl.Release, facts: tuple[sl.Fact, ...], by: Mapping[str, Hierarchy] | None
) -> tuple[tuple[sl.Belief, ...], sl.SurestGuess | None]:
    """Return the beliefs about these people; or those that move most, with the most confident guess."""
    effort = sl.Effort(request.states) if request.seconds is None else sl.Effort(request.states, request.seconds)
    locate, suppressed = request.locate, request.columns.may_hold_people
    people = tuple(map(read_person, request.about_people))
    how: dict[str, Any] = {"by": by, "locate": locate, "suppressed": suppressed, "effort": effort}
    try:
        if people:
            return tuple(sl.posteriors(release, given=facts, person=who, **how) for who in people), None
        beliefs = sl.posteriors(release, given=facts, **how)
        return beliefs.top(request.top), beliefs.surest()
    except TooHard as hard:
        soft = bool(separate(facts)[1])  # weighted worlds cannot be sampled
        if soft or not request.approximate or not people:
            remedy = "; allow more, or say with --about of whom to make estimates"
            if soft:
                none = "with soft facts ('with 0.9') there are no estimates"
                remedy = f", and {none}; allow more, or take some facts back"
            elif not request.approximate:
                remedy = "; allow more, or say --approximate for estimates"
            most = f"--states {request.states} or --seconds {effort.seconds:g}"
            raise TooHard(f"counting the worlds takes more than {most}{remedy}", low=hard.low, high=hard.high) from None
    estimate = partial(
        estimate_belief,
        release,
        facts,
        effort=effort,
        lookup=Lookup.build(by, locate, suppressed),
        rng=np.random.default_rng(request.seed),
        samples=request.samples,
        confidence=request.confidence,
    )
    return tuple(estimate(sl.posteriors(release, given=None, person=who, **how)) for who in people), None


def _conclude_by_entropy(
    request: BelieveRequest, release: sl.Release, by: Mapping[str, Hierarchy] | None, progress: Progress
) -> EntropyAnswer:
    believe = partial(
        maxent, release, by=by, suppressed=request.columns.may_hold_people, seconds=request.seconds or SOLVER_SECONDS
    )
    before, original = believe(), None
    if request.table is not None:
        original = sl.read_table(
            request.table,
            quasi=[column.name for column in before.by_key.members.columns],
            sensitive=before.release.sensitive,
            missing=request.roles.missing or "an error",
            missing_marks=request.roles.missing_marks,
        )
    bounds = sorted(request.rules) or [(0, 0)]
    stages = []
    for positive, negative in bounds:
        mined: tuple[Statement, ...] = ()
        if original is not None and (positive, negative) != (0, 0):
            how: dict[str, Any] = {"conditions": request.conditions, "vagueness": request.vagueness}
            mined = sl.strongest_rules(original, positive=positive, negative=negative, **how)
        stages.append(believe((*request.know, *mined), progress=progress))
    after = stages[-1]
    optional: dict[str, Any] = {"estimation_error": None}
    if original is not None:
        errors = [each.estimation_error(original) for each in (before, *stages)]
        optional["estimation_error"] = {"before": errors[0], "after": errors[-1]}
        if len(bounds) > 1:
            surest = [stage.riskiest(1)[0].probability for stage in stages]
            # for each number of rules, the distance of beliefs from the truth and the largest belief
            names = ("positive", "negative", "estimation_error", "surest")
            curve = zip(bounds, errors[1:], surest, strict=True)
            optional["curve"] = tuple(dict(zip(names, (*each, *rest), strict=True)) for each, *rest in curve)
    described = [dict(who.cells) for who in map(read_person, request.about_people) if isinstance(who, Described)]
    return EntropyAnswer(
        source=request.file,
        model="maximum entropy",
        statements=tuple(known.words for known in after.known),
        residual=after.certificate.residual,
        beliefs=tuple(_entropy_rows(request, before, after)),
        **optional,
        # whom statements and questions may mean, and which statements have no effect
        notes=tuple(dict.fromkeys((*after.notes, *(note for cells in described for note in after.notes_on(cells))))),
        before=before,
        after=after,
    )


def _entropy_rows(request: BelieveRequest, before: AnyBeliefs, after: AnyBeliefs) -> Iterator[dict[str, Any]]:
    """Yield beliefs before and after: those that move most, or of all values of the people in question."""
    if not request.about_people:
        for each in after.by_kind.moved_most(before.by_key, request.top):
            yield {
                "about": ", ".join(f"{column} {show_in_list(text)}" for column, text in each.says) or "anybody",
                "value": each.value,
                "before": each.before,
                "after": each.probability,
            }
    for text in request.about_people:
        who = read_person(text)
        rows: list[dict[str, Any]] = [
            {
                "about": person_text(who),
                "value": value,
                "before": _entropy_probability(before, value, who),
                "after": _entropy_probability(after, value, who),
            }
            for value in after.release.domain
        ]
        yield from (each for each in sorted(rows, key=lambda row: -row["after"]) if each["before"] or each["after"])


def _entropy_probability(beliefs: AnyBeliefs, value: Label, who: Who) -> float:
    if beliefs.names(who):  # the statements name this person in these words
        return beliefs.probability(value, person=who)
    if isinstance(who, Described):
        return beliefs.probability(value, given=dict(who.cells))
    if isinstance(who, Someone):
        return beliefs.probability(value, group=who.group)
    named = beliefs.release.people or {}
    if not isinstance(who, str) or who not in named:
        raise BadKnowledge(f"nobody called '{who}' is known; name people by --person, or ask about {{column = cell}}")
    return beliefs.probability(value, group=named[who] + 1)
