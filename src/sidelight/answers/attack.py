"""What do several releases disclose together about these people, or one release to one attacker?

A learner trains a model on the file; an insider also knows the method and the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

import sidelight as sl
from sidelight.answers.recipe import Name, name_hierarchies, write_call, write_python, write_release, write_table
from sidelight.answers.request import Settings
from sidelight.answers.sources import (
    Question,
    open_release,
    open_release_or_noise,
    open_table,
    read_asked_hierarchies,
    read_question,
)
from sidelight.attack.posterior import ExpectedCounts, find_release
from sidelight.attack.report import (
    REPORTED_CONFIDENCES,
    at_least,
    exposure_document,
    nobody_located,
    percent,
    sentences,
    witness_document,
)
from sidelight.documents.document import Plain
from sidelight.errors import BadMeasure, BadRelease, TooHard, did_you_mean, listed
from sidelight.files import noise_path, sidecar_path
from sidelight.learner.roster import LABELS_ALONE
from sidelight.measures.criterion import Finding, exact
from sidelight.policy.limits import read_number, read_share
from sidelight.policy.measure_names import ASK_CHOICES, find_measure
from sidelight.release.groups import suppressed_groups
from sidelight.release.locate import Lookup, link
from sidelight.report.answer import FlatAnswer, Live, Recipe
from sidelight.report.page import Blocks, Grid, Page, Paragraph, Verdict
from sidelight.report.plots import Drawing
from sidelight.rounding import ROUNDED, decimal_text
from sidelight.table.labels import Semantics
from sidelight.table.roles import EACH_ROW, Roles
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.answers.questions import AttackRequest
    from sidelight.progress import Progress

ExactAndRounded: TypeAlias = dict[str, str | float]
"""A share as an exact fraction and a number rounded up, with its key where there are several."""


def _read_at_most(request: AttackRequest) -> Fraction | None:
    share = None if request.at_most is None else read_share(request.at_most)
    if share is None and request.at_most is not None:
        remedy = "give a share of the people, such as 0.01 or 1/100"
        if request.names_attacker:
            remedy = "with --as, give how sure anybody may be, such as 0.9 or 3/4"
        raise BadMeasure(f"cannot read --at-most {request.at_most}; {remedy}")
    return share


def _pair_values(pairs: Sequence[str]) -> dict[str, str] | None:
    """Parse pairs of words for one value; '=' alone: only equal words mean the same."""
    other_names = {}
    for text in pairs:
        one, equals, other = text.partition("=")
        if not equals or bool(one) != bool(other):
            raise BadRelease(
                f"cannot read --same-value '{text}'; write it as 'Influenza=Flu', or '=' if no others are the same"
            )
        if one:
            other_names[one] = other
    return other_names if pairs else None


def _read_present(texts: Sequence[str]) -> list[str | Fraction] | str | Fraction | None:
    """Parse who is in which release: a number is a probability, any other text a column."""
    present: list[str | Fraction] = [*texts]
    for index, text in enumerate(texts):
        with suppress(ValueError, OverflowError):
            present[index] = Fraction(exact(read_number(text)))
    return present if len(present) > 1 else present[0] if present else None


def _collect_settings(request: AttackRequest) -> dict[str, Any]:
    """Return the settings of `intersect` that differ from their defaults, except hierarchies."""
    roles = request.roles
    settings = {
        **{name: getattr(request, name) for name in ("people", "person", "truth", "locate")},
        **{name: getattr(roles, name) or None for name in ("quasi", "missing_marks", "split", "encoding", "sheet")},
        **request.state("prior", "evidence"),
        "suppressed": request.columns.may_hold_people,
        "present": _read_present(request.present),
        "same_values": _pair_values(request.same_value),
    }
    return {name: setting for name, setting in settings.items() if setting is not None}


def write_attack(request: AttackRequest) -> str:
    """Write the Python that comes to the same."""
    if request.names_attacker:
        return _write_attacker(request)
    names = [f"release_{number}" for number in range(1, len(request.files) + 1)]
    reads = [
        f"{name} = {write_call('sl.read_noise', file)}.expected_counts()"
        if noise_path(Path(file)).is_file()
        else f"{name} = {write_release(file, request.roles)}"
        for name, file in zip(names, request.files, strict=True)
    ]
    by, settings = name_hierarchies(request), _collect_settings(request)
    call = write_call("sl.intersect", Name(f"[{', '.join(names)}]"), by=by, **settings)
    return write_python(*reads, f"exposure = {call}", "print(exposure.to_arrow())")


class AttackAnswer(FlatAnswer):
    """What releases disclose together, and whether few enough people are disclosed."""

    question: ClassVar[str] = "What do these releases give away together?"

    kind: str = "attack"
    schema_version: int = 3
    people: int
    located: int
    values: Semantics
    lower_bound: bool
    perfect: ExactAndRounded
    if_present: ExactAndRounded
    partial: tuple[ExactAndRounded, ...] | None = Field(description="null where people have several values")
    sure: tuple[ExactAndRounded, ...]
    vulnerable: ExactAndRounded
    contradicted: ExactAndRounded
    located_nowhere: int
    open: ExactAndRounded
    values_left: dict[Literal["before", "after"], Plain]
    releases: tuple[Plain, ...]
    truth: Plain | None
    witness: Plain | None = Field(default=None, description="only with --who")
    exposure: Live[sl.Exposure]
    explained: Live[str | None]  # how a person is disclosed
    hints: Live[tuple[str, ...]]  # remedies for people who were not located, and how the limit was judged

    def remarks(self) -> tuple[str, ...]:
        if self.verdict != "could not tell":
            return ()
        return (f"could not tell: {' '.join((*nobody_located(self.exposure), *self.hints))}",)

    def charts(self) -> Iterator[Drawing]:
        yield self.exposure.plot("values left")
        yield self.exposure.plot("belief")

    def blocks(self) -> Blocks:
        exposure, nobody = self.exposure, len(list(nobody_located(self.exposure)))
        notes = [Paragraph(text, "answer" if index == 0 else "plain") for index, text in enumerate(self.notes)]
        yield from notes[:nobody]
        yield self._draw_releases()
        if exposure.located:
            bound, per_person = (", at least", ", one person at a time") if exposure.is_lower_bound else ("", "")
            kinds: dict[str, Callable[[Fraction], Fraction]] = {}
            if exposure.semantics == "single":
                kinds[f"by the values that are left{bound}"] = exposure.partial
            kinds[f"by how likely they are{per_person}"] = exposure.sure  # no bound where counts depend on each other
            rows = tuple(
                (kind, *(percent(share(each)) for each in REPORTED_CONFIDENCES)) for kind, share in kinds.items()
            )
            sure = ("certain" if each == 1 else f"≥ {each}" for each in REPORTED_CONFIDENCES)
            yield Grid(("of located people", *sure), rows, figures=frozenset(range(1, len(REPORTED_CONFIDENCES) + 1)))
        yield from notes[nobody:]
        yield Paragraph(ROUNDED)
        if self.explained is not None:
            yield Paragraph("\n" + self.explained)

    def _draw_releases(self) -> Grid:
        exposure = self.exposure
        headings = ("release", "groups", "smallest", "people around one", "not located", "in several groups")
        rows = tuple(
            (
                Path(file).name + ("" if view.rules_out else " (noise)"),
                f"{len(view.groups):,}",
                f"{exposure.smallest_groups[index]:,}",
                at_least(exposure.mean_group_sizes[index]),
                f"{exposure.unlocated[index]:,}",
                f"{exposure.ambiguous[index]:,}",
            )
            for index, (file, view) in enumerate(zip(self.source or (), exposure.views, strict=True))
        )
        return Grid(headings, rows, figures=frozenset(range(1, len(headings))))


def ask_attack(request: AttackRequest) -> AttackAnswer:
    """Read the releases, intersect them, and judge."""
    limit = _read_at_most(request)
    several = request.roles.values in {"set", "multiset"} and request.roles.split is None
    # releases need the column of the person only if people may have several values
    roles = replace(request.roles, person=request.person) if several and request.roles.person is None else request.roles
    published = [open_release_or_noise(file, roles) for file in request.files]
    releases = [each if isinstance(each, sl.Release) else each.expected_counts() for each in published]
    by = read_asked_hierarchies(request) or None
    exposure = sl.intersect(releases, by=by, **_collect_settings(request))
    witness = None if request.who is None else exposure.witness(request.who)
    judged, notes = judge_exposure(exposure, limit, ignore=request.unlocated == "ignore")
    if exposure.releases_without_people and judged != "not within":
        judged = "could not tell"
    hints = (*_unplaced_hints(request, releases, exposure, by or {}), *notes)
    document = {
        "source": request.files,
        **exposure_document(exposure),
        **({} if witness is None else {"witness": witness_document(witness)}),
        "notes": (*sentences(exposure), *hints),
        "exposure": exposure,
        "explained": None if witness is None else witness.explain(),
        "judged": judged,
        "hints": hints,
    }
    return AttackAnswer.model_validate(document)


def judge_exposure(
    exposure: sl.Exposure, limit: Fraction | None, *, ignore: bool = False
) -> tuple[Verdict | None, tuple[str, ...]]:
    """Judge by the people who are disclosed; people who are undecided or not located may be disclosed too."""
    if limit is None:
        return None, ()
    left_out = exposure.not_located if ignore else 0
    judged = exposure.judged(located_alone=ignore)
    left = f"{counted(left_out, 'person')} who {form('was', left_out)} not located {form('is', left_out)} left out"
    notes = [f"{left}; {judged:,} {form('is', judged)} judged."] if left_out else []
    within = exposure.within(limit, located_alone=ignore)
    if within and exposure.is_lower_bound:
        notes.append("Judged by candidate sets, as --evidence sets accepts: a lower bound, and more may be disclosed.")
    if within is not None:
        return "within" if within else "not within", tuple(notes)
    if not judged:
        notes.append("Nobody was judged: none of the people looked for can be in a release.")
        return "could not tell", tuple(notes)
    remedies = []
    if exposure.is_lower_bound and exposure.evidence != "sets":
        remedies.append("; --evidence sets judges by candidate sets, a lower bound where releases share people")
    if exposure.not_located and not ignore:
        remedies.append("; --unlocated ignore judges the others alone")
    undecided = f"{exposure.undecided(located_alone=ignore):,} of {counted(judged, 'person')} are open"
    return "could not tell", (*notes, f"{undecided}: they may be given away as well{''.join(remedies)}.")


# People who fit no group, and what would locate them.


def _unplaced_hints(
    request: AttackRequest,
    releases: Sequence[sl.Release | ExpectedCounts],
    exposure: sl.Exposure,
    by: Mapping[str, sl.Hierarchy],
) -> Iterator[str]:
    """Yield for each release how many people fit no group, in which columns, and what would locate them."""
    lookup, known = Lookup.build(by, request.locate, request.columns.may_hold_people), exposure.people.known
    for file, release, view in zip(request.files, map(find_release, releases), exposure.views, strict=True):
        rows = np.flatnonzero(view.missed)
        if len(rows) == 0:
            continue
        people = exposure.people.sizes[rows]
        failing = {}
        for column in known:
            alone = link(release, [column.take(rows)], len(rows), lookup)
            failing[column.name] = int(people[alone.nowhere].sum())
        columns = sorted((name for name, count in failing.items() if count), key=lambda name: -failing[name])
        where = "no group covers all of their columns at once"
        if columns:
            where = "no group covers their " + ", ".join(f"{name} ({failing[name]:,})" for name in columns[:3])
        remedies = [*_remedies(request, release, columns, by)]
        if not remedies and request.locate is None and release.printing is None:
            remedies.append("say --locate nearest if groups print averages")
        labels = {each.name: {each.labels[code] for code in np.unique(each.codes[rows])} for each in known}
        unknown = [name for name in columns if name in by and not all(map(by[name].has, labels[name]))]
        if unknown:
            remedies.insert(0, f"add the values that the hierarchy of {listed(unknown)} lacks")
        total = int(people.sum())
        unlocated = f"{counted(total, 'person')} {form('is', total)} not located in {Path(file).name}"
        yield f"{unlocated}: {where}{'; ' if remedies else ''}{' or '.join(remedies)}."


def _remedies(
    request: AttackRequest, release: sl.Release, columns: Sequence[str], by: Mapping[str, sl.Hierarchy]
) -> Iterator[str]:
    explained = release.printing.nodes if release.printing is not None else {}
    bare = [name for name in columns if name not in by and name not in explained]
    if bare and request.hierarchies is None:
        yield "give --hierarchies"
    elif bare:
        yield f"add a hierarchy of {listed(bare)} to --hierarchies"
    if request.locate == "labels":
        yield "say --locate intervals"
    if request.columns.may_hold_people is None and suppressed_groups(release.groups).any():
        yield "say --suppressed 'may hold them'"


BELIEFS = (0.5, 0.7, 0.9, 0.99)  # people with a belief of at least each of these are counted


def _read_known_limits(request: AttackRequest) -> Question:
    """Read the roles of the release, and the limits that an insider knows."""
    return read_question(
        Settings(policy=request.settings.roles_file, limits=request.limit), roles=request.columns.roles()
    )


def _find_truth_roles(request: AttackRequest, roles: Roles, release: sl.Release) -> Roles:
    """Return the roles of the original: the quasi-identifiers and the sensitive column of the release."""
    columns = release.groups.columns if release.members is None else release.members.columns
    return replace(
        roles,
        quasi=tuple(column.name for column in columns),
        sensitive=release.sensitive,
        values=release.semantics,
        person=request.person or (EACH_ROW if release.semantics == "single" else roles.person),
        missing=roles.missing or release.intake.roles.get("missing"),
        domain=None,
    )


def _write_attacker(request: AttackRequest) -> str:
    if request.attacker not in ("insider", "learner"):
        return ""
    question = _read_known_limits(request)
    lines = [f"release = {write_release(request.file, question.roles)}"]
    settings: dict[str, Any] = {"by": name_hierarchies(request)}
    if request.table is not None:
        roles = _find_truth_roles(request, question.roles, open_release(request.file, question.roles))
        lines.append(f"table = {write_table(request.table, roles)}")
        settings["table" if request.attacker == "insider" else "truth"] = Name("table")
    if request.attacker == "insider":
        if question.policy is not None and request.limit:
            lines.append("from sidelight.policy.limits import read_limit")
            lines.append(f"policy = sl.Policy(*map(read_limit, {list(request.limit)!r}))")
            settings["policy"] = Name("policy")
        call = write_call("sl.insider", Name("release"), method=request.method, **settings)
    else:
        model = None if request.model == "logistic" else request.model
        call = write_call("sl.learn", Name("release"), model=model, **settings)
    return write_python(*lines, f"print({call})")


class LoneAttackerAnswer(FlatAnswer):
    """The largest belief of one attacker, and whether it is above the limit."""

    question: ClassVar[str] = "What would this attacker believe?"

    schema_version: int = 1
    as_: str
    model: str | None = None
    rounds: int | None = None
    outcome: str | None = None
    people: int | None = None
    could_not_tell: int | None = None
    groups: int | None = None
    largest: dict[str, str | float | bool] | None = Field(description="and who is believed to have it")
    claimed: float | None = None
    by_release: float | None = None
    right: float | None = None
    calibration_error: float | None = None
    calibration: tuple[dict[str, int | float], ...] | None = None
    above: tuple[dict[str, int | float | None], ...] | None = None
    sureness: Live[Grid | None] = None  # people by belief, and how many of these beliefs are right
    picture: Live[Callable[[], Drawing] | None] = None

    def charts(self) -> Iterator[Drawing]:
        if self.picture is not None:
            yield self.picture()

    def blocks(self) -> Blocks:
        if self.sureness is not None:
            yield self.sureness
        first, *rest = self.notes
        yield Paragraph(first, "answer")
        yield from map(Paragraph, (*rest, ROUNDED))

    def page(self, recipe: Recipe) -> Page:
        questions = {
            "learner": "What would a model believe that was trained on this release?",
            "insider": "What would somebody believe who knows the method and the policy?",
        }
        return replace(super().page(recipe), title=questions.get(self.kind, self.question))


def ask_attacker(request: AttackRequest, progress: Progress) -> LoneAttackerAnswer:
    """Compute what the attacker believes, and judge by the largest belief."""
    limit, name = _read_at_most(request), request.attacker or ""
    kind = find_measure(name)
    if kind is None or not kind.attacker.asked_by_search:
        raise BadMeasure(f"no attacker '{name}' for --as{did_you_mean(name, ASK_CHOICES[1:-1])}")
    question = _read_known_limits(request)
    release = open_release(request.file, question.roles)
    policy = _known_policy(request, question, release) if name == "insider" else None
    table = None
    if request.table is not None:
        table = open_table(request.table, _find_truth_roles(request, question.roles, release))
    by = read_asked_hierarchies(request) or None
    if name == "insider":
        learnt = sl.insider(release, method=request.method, policy=policy, table=table, by=by, progress=progress)
        return _describe_insider(request, learnt)
    if name == "learner":
        learned = sl.learn(release, request.model, truth=table, by=by, progress=progress)
        return _describe_learner(request, learned)
    finding = (kind() if table is None else kind().bind_table(table)).measure(release)
    return LoneAttackerAnswer(
        kind=name,
        source=request.files,
        as_=name,
        largest=_largest(finding),
        notes=(finding.explain(), *finding.notes),
        judged=None if limit is None else "within" if exact(finding.value) <= limit else "not within",
    )


def _largest(finding: Finding) -> dict[str, str | float | bool]:
    return {"exact": str(finding.value), "value": float(finding.value), "who": finding.worst_off()}


def _beliefs_grid(rows: Iterable[tuple[str, str, float | None]], unknown: str = "") -> Grid:
    shown = (
        (belief, people, unknown if right is None else decimal_text(Fraction(right), up=True))
        for belief, people, right in rows
    )
    return Grid(("believed", "people", "right"), tuple(shown), figures=frozenset(range(3)))


def _describe_insider(request: AttackRequest, learnt: sl.InsiderBeliefs) -> LoneAttackerAnswer:
    """Judge the counted beliefs; not computed where intervals, or people without a belief, leave it undecided."""
    is_computed, witness, limit = learnt.outcome != "could not tell", learnt.witness, _read_at_most(request)
    judged: Verdict | None = None if limit is None else "within"
    if not is_computed:
        judged = "could not tell"
    elif limit is not None and exact(learnt.least_worst) > limit:
        judged = "not within"
    elif limit is not None and (learnt.untold or exact(learnt.worst) > limit):
        judged = "could not tell"
    knows_truth = learnt.roster is not None and learnt.roster.truth is not None
    above = []
    for belief in BELIEFS:
        claims = learnt.claims_above(belief, end="at least") if knows_truth else None
        right = claims.right if claims is not None and claims.people else None
        least, most = learnt.people_above(belief), learnt.people_above(belief, end="at most")
        above.append({"belief": belief, "people": least, "people_at_most": most, "right": right})
    worst = learnt.least_worst if learnt.untold else learnt.worst
    largest: dict[str, str | float | bool] = {
        "exact": str(worst),
        "value": float(worst),
        "lower_bound": learnt.untold > 0,
        "who": "" if witness is None else witness.describe(),
    }
    rows = (
        (f"> {belief}", f"{least:,}" if least == most else f"{least:,} to {most:,}", right)
        for belief, least, most, right in (each.values() for each in above)
    )
    return LoneAttackerAnswer(
        kind="insider",
        source=request.files,
        as_="insider",
        outcome=learnt.outcome,
        people=learnt.release.size,
        could_not_tell=learnt.untold,
        groups=len(learnt.telling),
        largest=largest if is_computed else None,
        above=tuple(above),
        notes=(learnt.explain(),),
        judged=judged,
        sureness=_beliefs_grid(rows) if is_computed else None,
        picture=learnt.plot,
    )


def _known_policy(request: AttackRequest, question: Question, release: sl.Release) -> sl.Policy | None:
    """Return the policy of the options, None where the sidecar has it; raise `TooHard` where neither has a method.

    A policy file names the columns of a file too, so that its limits stand in only where no sidecar has any.
    """
    file, known = request.file, release.provenance
    in_sidecar = known is not None and known.policy is not None and not request.limit
    if request.method is None and (known is None or known.method is None):
        silent = f"nothing beside '{file}' says how it was made; read it with its sidecar, or"
        if sidecar_path(Path(file)).is_file():
            silent = f"the sidecar of '{file}' does not say how it was made;"
        raise TooHard(f"could not tell: {silent} say with --method what somebody would guess")
    if not in_sidecar and question.policy is None:
        raise TooHard(
            f"could not tell: nothing beside '{file}' says which policy it keeps; say with --limit, or by a file with "
            "--policy, what somebody would guess"
        )
    return None if in_sidecar else question.policy


def _describe_learner(request: AttackRequest, learned: sl.Learned) -> LoneAttackerAnswer:
    """Judge the learned beliefs; a limit is not judged where groups do not distinguish people."""
    limit = _read_at_most(request)
    finding = sl.Learner(model=request.model).finding(learned)
    judged: Verdict | None = None if limit is None else "not within" if exact(finding.value) > limit else "within"
    open_notes: tuple[str, ...] = ()
    if judged == "within" and LABELS_ALONE in learned.notes:
        judged = "could not tell"
        open_notes = (
            "Nobody was told apart, so nothing was learnt and the limit is not judged: give the people with --table.",
        )
    counts = [(each, learned.people_above(each), learned.right_above(each)) for each in BELIEFS]
    names = ("model", "rounds", "claimed", "by_release", "right", "calibration_error")
    return LoneAttackerAnswer(
        kind="learner",
        source=request.files,
        as_="learner",
        people=int(learned.roster.members.people.sum()),
        largest=_largest(finding),
        **{name: getattr(learned, name) for name in names},
        calibration=tuple(
            {name: getattr(each, name) for name in ("low", "high", "people", "claimed", "right")}
            for each in learned.calibration
        ),
        above=tuple({"belief": belief, "people": people, "right": right} for belief, people, right in counts),
        notes=(*learned.sentences(), finding.explain(), *open_notes),
        judged=judged,
        sureness=_beliefs_grid(
            ((f"≥ {belief}", f"{people:,}", right) for belief, people, right in counts),
            "only claimed" if learned.truth is None else "",
        ),
        picture=learned.plot,
    )
