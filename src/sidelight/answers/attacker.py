"""How sure does one attacker get of somebody in one published file: a learner, or an insider?

A learner trains a model on the file; an insider knows the method and the policy too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

import sidelight as sl
from sidelight.answers.recipe import Name, write_call, write_python, write_release, write_table
from sidelight.answers.sources import PeopleLookup, Question, inputs_of, open_release, open_table
from sidelight.errors import BadMeasure, BadRelease, TooHard, did_you_mean
from sidelight.files import sidecar_path
from sidelight.learner.roster import LABELS_ALONE
from sidelight.measures.criterion import exact
from sidelight.policy.limits import read_share
from sidelight.policy.measure_names import ASK_CHOICES, find_measure
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Grid, Paragraph, Verdict
from sidelight.report.plots import Drawing
from sidelight.rounding import ROUNDED, decimal_text
from sidelight.search.protect import MethodName
from sidelight.table.roles import EACH_ROW, Roles

BELIEFS = (0.5, 0.7, 0.9, 0.99)  # for each of these, how many people are believed to have a value as surely


@dataclass(frozen=True, slots=True)
class AttackerRequest:
    """Which file, who attacks it, and how sure anybody may be."""

    releases: tuple[str, ...]
    question: Question
    attacker: str | None
    lookup: PeopleLookup = field(default_factory=PeopleLookup)
    table: str | None = None
    person: str | None = None
    at_most: str | None = None
    model: Literal["logistic", "naive bayes"] = "logistic"
    method: MethodName | None = None
    limit: tuple[str, ...] = ()

    @property
    def confidence(self) -> Fraction | None:
        """How sure anybody may be."""
        limit = None if self.at_most is None else read_share(self.at_most)
        if limit is None and self.at_most is not None:
            message = (
                f"cannot read --at-most {self.at_most}; with --as, give how sure anybody may be, such as 0.9 or 3/4"
            )
            raise BadMeasure(message)
        return limit

    @property
    def file(self) -> str:
        """The one published file."""
        if len(self.releases) != 1:
            message = "--as is about one published file; give one, or leave --as out to attack several together"
            raise BadRelease(message)
        return self.releases[0]

    def check(self) -> None:
        """Raise what is wrong with the request itself, before any file is read."""
        known = {"--method": self.method, "--limit": self.limit}
        option = next((name for name, what in known.items() if what), None)
        if option is not None and self.attacker != "insider":
            message = f"{option} is what an insider knows; say --as insider, or leave it out"
            raise BadMeasure(message)
        _ = self.file, self.confidence

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        return (*inputs_of(self.file, *(() if self.table is None else (self.table,))), *self.lookup.files())

    def open_release(self) -> sl.Release:
        """Read the published file."""
        return open_release(self.file, self.question.roles)

    def truth_roles(self, release: sl.Release) -> Roles:
        """Return who is who in the original: what the release tells people apart by, and its sensitive column."""
        columns = release.groups.columns if release.members is None else release.members.columns
        roles = self.question.roles
        return replace(
            roles,
            quasi=tuple(column.name for column in columns),
            sensitive=release.sensitive,
            values=release.semantics,
            person=self.person or (EACH_ROW if release.semantics == "single" else roles.person),
            missing=roles.missing or release.intake.roles.get("missing"),
            domain=None,
        )

    def python(self) -> str:
        """Write the lines of Python that come to the same; nothing where a measure answers for the attacker."""
        if self.attacker not in ("insider", "learner"):
            return ""
        lines = [f"release = {write_release(self.file, self.question.roles)}"]
        settings: dict[str, Any] = {}
        if self.table is not None:
            lines.append(f"table = {write_table(self.table, self.truth_roles(self.open_release()))}")
            settings["table" if self.attacker == "insider" else "truth"] = Name("table")
        if self.lookup.folder is not None:
            settings["by"] = Name(write_call("sl.read_hierarchies", str(self.lookup.folder)))
        if self.attacker == "insider":
            if self.question.policy is not None and self.limit:
                lines.append("from sidelight.policy.limits import read_limit")
                lines.append(f"policy = sl.Policy(*map(read_limit, {list(self.limit)!r}))")
                settings["policy"] = Name("policy")
            call = write_call("sl.insider", Name("release"), method=self.method, **settings)
        else:
            model = None if self.model == "logistic" else self.model
            call = write_call("sl.learn", Name("release"), model=model, **settings)
        return write_python(*lines, f"print({call})")


class AttackerAnswer(Answer[dict[str, Any]]):
    """How sure one attacker gets, and whether that is more than anybody may be."""

    question: ClassVar[str] = "What would this attacker believe?"

    judged: Live[Verdict | None]
    right: Live[Grid | None]  # how many people are believed how surely, and how many of them rightly
    picture: Live[Callable[[], Drawing] | None]

    @property
    def verdict(self) -> Verdict | None:
        """Whether anybody gets surer than they may."""
        return self.judged

    def charts(self) -> Iterator[Drawing]:
        """Yield the picture of beliefs."""
        if self.picture is not None:
            yield self.picture()

    def blocks(self) -> Blocks:
        """Yield what is believed how surely, and what it means."""
        if self.right is not None:
            yield self.right
        first, *rest = self.notes
        yield Paragraph(first, "answer")
        yield from map(Paragraph, rest)
        yield Paragraph(ROUNDED)


class LearnerAnswer(AttackerAnswer):
    """How sure a learner gets."""

    question: ClassVar[str] = "What would a model believe that was trained on this release?"


class InsiderAnswer(AttackerAnswer):
    """How sure an insider gets."""

    question: ClassVar[str] = "What would somebody believe who knows the method and the policy?"


def ask(request: AttackerRequest, progress: Progress = quiet) -> AttackerAnswer:
    """Read the file as the attacker does, and judge by the largest belief."""
    request.check()
    ask_by_name = {"insider": _ask_insider, "learner": _ask_learner}.get(request.attacker or "", _ask_by_measure)
    return ask_by_name(request, progress)


def _read_truth(request: AttackerRequest, release: sl.Release) -> sl.Table | None:
    return None if request.table is None else open_table(request.table, request.truth_roles(release))


def _beliefs_grid(rows: Sequence[tuple[str, ...]]) -> Grid:
    return Grid(("believed", "people", "right"), tuple(rows), figures=frozenset(range(3)))


def _ask_by_measure(request: AttackerRequest, progress: Progress) -> AttackerAnswer:
    """Ask an attacker who has no answer of their own: by the measure that is about them."""
    del progress
    name, limit = request.attacker or "", request.confidence
    kind = find_measure(name)
    if kind is None or not kind.attacker.asked_by_search:
        message = f"no attacker '{name}' for --as{did_you_mean(name, ASK_CHOICES[1:-1])}"
        raise BadMeasure(message)
    release = request.open_release()
    table = _read_truth(request, release)
    finding = (kind() if table is None else kind().bind_table(table)).measure(release)
    largest = {"exact": str(finding.value), "value": float(finding.value), "who": finding.worst_off()}
    return AttackerAnswer(
        kind=name,
        schema_version=1,
        source=request.releases,
        answer={"as": name, "largest": largest},
        notes=(finding.explain(), *finding.notes),
        judged=None if limit is None else "within" if exact(finding.value) <= limit else "not within",
        right=None,
        picture=None,
    )


# Whoever knows the method and the policy too


def _ask_insider(request: AttackerRequest, progress: Progress) -> InsiderAnswer:
    """Count; where intervals, or people of whom nothing is told, leave it open, it is not judged."""
    release = request.open_release()
    policy = _known_policy(request, release)
    table, by = _read_truth(request, release), request.lookup.by()
    learnt = sl.insider(release, method=request.method, policy=policy, table=table, by=by, progress=progress)
    told, witness = learnt.outcome != "could not tell", learnt.witness
    worst = learnt.least_worst if learnt.untold else learnt.worst
    counts = [
        (learnt.people_above(each), learnt.people_above(each, end="at most"), _right_above(learnt, each))
        for each in BELIEFS
    ]
    largest = {
        "exact": str(worst),
        "value": float(worst),
        "lower_bound": learnt.untold > 0,
        "who": "" if witness is None else witness.describe(),
    }
    answer = {
        "as": "insider",
        "outcome": learnt.outcome,
        "people": learnt.release.size,
        "could_not_tell": learnt.untold,
        "groups": len(learnt.telling),
        "largest": largest if told else None,
        "above": [
            {"belief": belief, "people": least, "people_at_most": most, "right": right}
            for belief, (least, most, right) in zip(BELIEFS, counts, strict=True)
        ],
    }
    rows = [
        (
            f"> {belief}",
            f"{least:,}" if least == most else f"{least:,} to {most:,}",
            "" if right is None else decimal_text(Fraction(right), up=True),
        )
        for belief, (least, most, right) in zip(BELIEFS, counts, strict=True)
    ]
    return InsiderAnswer(
        kind="insider",
        schema_version=1,
        source=request.releases,
        answer=answer,
        notes=(learnt.explain(),),
        judged=_judge_insider(learnt, request.confidence),
        right=_beliefs_grid(rows) if told else None,
        picture=learnt.plot,
    )


def _judge_insider(learnt: sl.InsiderBeliefs, limit: Fraction | None) -> Verdict | None:
    if learnt.outcome == "could not tell":
        return "could not tell"
    if limit is None:
        return None
    if exact(learnt.least_worst) > limit:
        return "not within"
    return "could not tell" if learnt.untold or exact(learnt.worst) > limit else "within"


def _known_policy(request: AttackerRequest, release: sl.Release) -> sl.Policy | None:
    """Return the policy that the options say, None where a sidecar tells it; raise where nobody tells how it was made.

    A policy file names the columns of a file too, so that its limits stand in only where no sidecar has any.
    """
    file, known = request.file, release.provenance
    if request.method is None and (known is None or known.method is None):
        guess = "say with --method what somebody would guess"
        if sidecar_path(Path(file)).is_file():
            message = f"could not tell: the sidecar of '{file}' does not say how it was made; {guess}"
        else:
            message = (
                f"could not tell: nothing beside '{file}' says how it was made; read it with its sidecar, or {guess}"
            )
        raise TooHard(message)
    if known is not None and known.policy is not None and not request.limit:
        return None
    if request.question.policy is None:
        message = (
            f"could not tell: nothing beside '{file}' says which policy it keeps; say with --limit, or by a file with "
            "--policy, what somebody would guess"
        )
        raise TooHard(message)
    return request.question.policy


def _right_above(learnt: sl.InsiderBeliefs, belief: float) -> float | None:
    if learnt.roster is None or learnt.roster.truth is None:
        return None
    claims = learnt.claims_above(belief, end="at least")
    return claims.right if claims.people else None


# Whoever trains a model on the file


def _ask_learner(request: AttackerRequest, progress: Progress) -> LearnerAnswer:
    """Train; where nobody is told apart, a limit cannot be judged."""
    release, limit = request.open_release(), request.confidence
    table, by = _read_truth(request, release), request.lookup.by()
    learned = sl.learn(release, request.model, truth=table, by=by, progress=progress)
    finding = sl.Learner(model=request.model).finding(learned)
    judged: Verdict | None = None if limit is None else "not within" if exact(finding.value) > limit else "within"
    open_notes: tuple[str, ...] = ()
    if judged == "within" and LABELS_ALONE in learned.notes:
        judged = "could not tell"
        open_notes = (
            "Nobody was told apart, so nothing was learnt and the limit is not judged: give the people with --table.",
        )
    counts = [(each, learned.people_above(each), learned.right_above(each)) for each in BELIEFS]
    answer = {
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
        "above": [{"belief": belief, "people": people, "right": right} for belief, people, right in counts],
    }
    unknown = "only claimed" if learned.truth is None else ""
    rows = [
        (f"≥ {belief}", f"{people:,}", unknown if right is None else decimal_text(Fraction(right), up=True))
        for belief, people, right in counts
    ]
    return LearnerAnswer(
        kind="learner",
        schema_version=1,
        source=request.releases,
        answer=answer,
        notes=(*learned.sentences(), finding.explain(), *open_notes),
        judged=judged,
        right=_beliefs_grid(rows),
        picture=learned.plot,
    )
