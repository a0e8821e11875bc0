"""`sidelight attack --as learner|insider`: how sure does this reader get of somebody in one published file?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

import sidelight as sl
from sidelight.answers.sources import PeopleLookup, Question, inputs_of, open_release, open_table
from sidelight.cli.options import AttackerOptions, ReaderOptions
from sidelight.cli.run import Output, Status, bar
from sidelight.documents.document import Envelope
from sidelight.errors import BadMeasure, BadRelease, TooHard, did_you_mean
from sidelight.files import sidecar_path
from sidelight.learner.roster import LABELS_ALONE
from sidelight.measures.criterion import exact
from sidelight.measures.finding import Finding
from sidelight.policy.measure_names import ASK_CHOICES, find_measure
from sidelight.policy.settings import read_share
from sidelight.rounding import ROUNDED, decimal_text
from sidelight.table.roles import EACH_ROW, Roles

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""

BELIEFS = (0.5, 0.7, 0.9, 0.99)
"""How many people are believed at or above each of these is told."""

GUESS = "say with --method what somebody would guess"
GUESS_LIMITS = "say with --limit, or by a file with --policy, what somebody would guess"


@dataclass(frozen=True, slots=True)
class ReaderRequest:
    """Which file, who reads it, and how sure anybody may be."""

    files: tuple[str, ...]
    question: Question
    reader: ReaderOptions
    attacker: AttackerOptions
    lookup: PeopleLookup = field(default_factory=PeopleLookup)

    @property
    def roles(self) -> Roles:
        """Who is who in the file."""
        return self.question.roles


def attack_as(request: ReaderRequest, output: Output) -> Status:
    """Let the reader that was named read the file."""
    if request.reader.of_insiders and request.reader.reader != "insider":
        message = f"{request.reader.of_insiders[0]} is what an insider knows; say --as insider, or leave it out"
        raise BadMeasure(message)
    if len(request.files) != 1:
        message = "--as is about one published file; give one, or leave --as out to attack several together"
        raise BadRelease(message)
    limit = _limit(request.attacker.at_most)
    tables = () if request.reader.table is None else (request.reader.table,)
    output.refuse((*inputs_of(request.files[0], *tables), *request.lookup.files()))
    answer = {"insider": _insider, "learner": _learner}.get(request.reader.reader or "", _measured)
    return answer(request, limit, output)


def _limit(at_most: str | None) -> Fraction | None:
    """Read how sure anybody may be."""
    if at_most is None:
        return None
    limit = read_share(at_most)
    if limit is None:
        message = f"cannot read --at-most {at_most}; with --as, give how sure anybody may be, such as 0.9 or 3/4"
        raise BadMeasure(message)
    return limit


def _measured(request: ReaderRequest, limit: Fraction | None, output: Output) -> Status:
    """Ask an attacker who has no answer of their own: by the measure that is about them."""
    name = request.reader.reader or ""
    kind = find_measure(name)
    if kind is None or not kind.attacker.asked_by_search:
        names = ASK_CHOICES[1:-1]
        message = f"no attacker '{name}' for --as{did_you_mean(name, names)}"
        raise BadMeasure(message)
    release = open_release(request.files[0], request.roles)
    measure = kind() if request.reader.table is None else kind().bind_table(_read_truth(request, release))
    finding = measure.measure(release)
    document = Envelope(
        kind=name,
        schema_version=SCHEMA_VERSION,
        source=request.files,
        answer={
            "as": name,
            "largest": {"exact": str(finding.value), "value": float(finding.value), "who": finding.worst_off()},
        },
        notes=(finding.explain(), *finding.notes),
    )
    output.write(document, (Text(each) for each in document.notes))
    within = limit is None or exact(finding.value) <= limit
    return Status.WITHIN_POLICY if within else Status.NOT_WITHIN_POLICY


# Whoever knows the method and the policy too


def _insider(request: ReaderRequest, limit: Fraction | None, output: Output) -> Status:
    """Count, print, judge by the largest belief; where intervals or untold people leave it open, it is not judged."""
    release = open_release(request.files[0], request.roles)
    policy = _known_policy(request, release)
    table = None if request.reader.table is None else _read_truth(request, release)
    with bar("counting") as progress:
        learnt = sl.insider(
            release, method=request.reader.method, policy=policy, table=table, by=request.lookup.by(), progress=progress
        )
    document = Envelope(
        kind="insider",
        schema_version=SCHEMA_VERSION,
        source=request.files,
        answer=_insider_answer(learnt),
        notes=(learnt.explain(),),
    )
    output.write(document, _draw_insider(learnt), charts=lambda: [learnt.plot()])
    if learnt.outcome == "could not tell":
        return Status.COULD_NOT_TELL
    if limit is None:
        return Status.WITHIN_POLICY
    if exact(learnt.least_worst) > limit:
        return Status.NOT_WITHIN_POLICY
    return Status.COULD_NOT_TELL if learnt.untold or exact(learnt.worst) > limit else Status.WITHIN_POLICY


def _known_policy(request: ReaderRequest, release: sl.Release) -> sl.Policy | None:
    """Give the policy that the options say, None where a sidecar tells it; raises where nobody tells how it was made.

    A policy file names the columns of a file too, so that its limits stand in only where no sidecar has any.
    """
    file, known = request.files[0], release.provenance
    if request.reader.method is None and (known is None or known.method is None):
        if sidecar_path(Path(file)).is_file():
            message = f"could not tell: the sidecar of '{file}' does not say how it was made; {GUESS}"
        else:
            message = (
                f"could not tell: nothing beside '{file}' says how it was made; read it with its sidecar, or {GUESS}"
            )
        raise TooHard(message)
    if known is not None and known.policy is not None and not request.reader.limit:
        return None
    if request.question.policy is None:
        message = f"could not tell: nothing beside '{file}' says which policy it keeps; {GUESS_LIMITS}"
        raise TooHard(message)
    return request.question.policy


def _insider_answer(learnt: sl.InsiderBeliefs) -> dict[str, Any]:
    judged, witness = learnt.outcome != "could not tell", learnt.witness
    who = "" if witness is None else witness.describe()
    worst = learnt.least_worst if learnt.untold else learnt.worst
    return {
        "as": "insider",
        "outcome": learnt.outcome,
        "people": learnt.release.size,
        "could_not_tell": learnt.untold,
        "groups": len(learnt.telling),
        "largest": {"exact": str(worst), "value": float(worst), "lower_bound": learnt.untold > 0, "who": who}
        if judged
        else None,
        "above": [
            {
                "belief": belief,
                "people": learnt.people_above(belief),
                "people_at_most": learnt.people_above(belief, end="at most"),
                "right": _right_above(learnt, belief),
            }
            for belief in BELIEFS
        ],
    }


def _right_above(learnt: sl.InsiderBeliefs, belief: float) -> float | None:
    if learnt.roster is None or learnt.roster.truth is None:
        return None
    claims = learnt.claims_above(belief, end="at least")
    return claims.right if claims.people else None


def _draw_insider(learnt: sl.InsiderBeliefs) -> Iterator[RenderableType]:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("believed", "people", "right"):
        table.add_column(heading, justify="right")
    for belief in BELIEFS:
        right = _right_above(learnt, belief)
        right_text = "" if right is None else decimal_text(Fraction(right), up=True)
        least, most = learnt.people_above(belief), learnt.people_above(belief, end="at most")
        table.add_row(f"> {belief}", f"{least:,}" if least == most else f"{least:,} to {most:,}", right_text)
    if learnt.outcome != "could not tell":
        yield table
    yield Text(learnt.explain())
    yield Text(ROUNDED)


# Whoever trains a model on the file


def _learner(request: ReaderRequest, limit: Fraction | None, output: Output) -> Status:
    """Train, print, judge by the largest belief; where nobody is told apart, a limit cannot be judged."""
    release = open_release(request.files[0], request.roles)
    table = None if request.reader.table is None else _read_truth(request, release)
    with bar("learning") as progress:
        learned = sl.learn(release, request.reader.model, truth=table, by=request.lookup.by(), progress=progress)
    finding = sl.Learner(model=request.reader.model).finding(learned)
    could_not = finding_is_open(learned, finding, limit)
    notes = (*learned.sentences(), finding.explain(), *could_not)
    document = Envelope(
        kind="learner",
        schema_version=SCHEMA_VERSION,
        source=request.files,
        answer=_answer(learned, finding),
        notes=notes,
    )
    output.write(document, _draw(learned, notes), charts=lambda: [learned.plot()])
    if limit is None:
        return Status.WITHIN_POLICY
    if exact(finding.value) > limit:
        return Status.NOT_WITHIN_POLICY
    return Status.COULD_NOT_TELL if could_not else Status.WITHIN_POLICY


def finding_is_open(learned: sl.Learned, finding: Finding, limit: Fraction | None) -> tuple[str, ...]:
    """Say why a limit that seems kept cannot be judged: nobody said who is in which group, so nothing was learnt."""
    if limit is None or exact(finding.value) > limit or LABELS_ALONE not in learned.notes:
        return ()
    return ("Nobody was told apart, so nothing was learnt and the limit is not judged: give the people with --table.",)


def _read_truth(request: ReaderRequest, release: sl.Release) -> sl.Table:
    """Read the table by the columns that the release tells people apart by, and its sensitive one."""
    columns = release.groups.columns if release.members is None else release.members.columns
    missing = request.roles.missing or release.intake.roles.get("missing")
    roles = replace(
        request.roles,
        quasi=tuple(column.name for column in columns),
        sensitive=release.sensitive,
        values=release.semantics,
        person=request.attacker.person or (EACH_ROW if release.semantics == "single" else request.roles.person),
        missing=missing,
        domain=None,
    )
    assert request.reader.table is not None
    return open_table(request.reader.table, roles)


def _answer(learned: sl.Learned, finding: Finding) -> dict[str, Any]:
    return {
        "as": "learner",
        "model": learned.model,
        "rounds": learned.rounds,
        "people": int(learned.roster.members.people.sum()),
        "largest": {"exact": str(finding.value), "value": float(finding.value), "who": finding.worst_off()},
        "claimed": learned.claimed,
        "by_release": learned.by_release,
        "right": learned.right,
        "calibration_error": learned.calibration_error,
        "calibration": [
            {"low": each.low, "high": each.high, "people": each.people, "claimed": each.claimed, "right": each.right}
            for each in learned.calibration
        ],
        "above": [
            {"belief": belief, "people": learned.people_above(belief), "right": learned.right_above(belief)}
            for belief in BELIEFS
        ],
    }


def _draw(learned: sl.Learned, notes: tuple[str, ...]) -> Iterator[RenderableType]:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("believed", "people", "right"):
        table.add_column(heading, justify="right")
    for belief in BELIEFS:
        right = learned.right_above(belief)
        unknown = "only claimed" if learned.truth is None else ""
        right_text = unknown if right is None else decimal_text(Fraction(right), up=True)
        table.add_row(f"≥ {belief}", f"{learned.people_above(belief):,}", right_text)
    yield table
    for sentence in notes:
        yield Text(sentence)
    yield Text(ROUNDED)
