"""Reports about releases, from what there is: a published file, a search's result, or a release alone.

`release_report` measures and judges, and reads in the sidecar how the file was made.  The rest is reported as unknown:
without a table there is no risk before, without a sidecar no utility, and from a sidecar alone, whose file is
elsewhere, nothing is measured again.
"""

from __future__ import annotations

import math
import os
import platform
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue, ValidationError

from sidelight import __version__
from sidelight.attack.exposure import Exposure
from sidelight.attack.report import exposure_document, sentences
from sidelight.documents.document import (
    AttackerFacts,
    CandidateReleases,
    Envelope,
    FileFacts,
    FindingFacts,
    IntakeFacts,
    attacker_facts,
    number,
    policy_bound,
)
from sidelight.errors import BadMeasure, BadRelease, TooHard, expect, expect_mapping, expect_several, parameter
from sidelight.files import SIDECAR_ENDING, digest, read_whole, sidecar_path
from sidelight.measures.about import findings as measure_all
from sidelight.measures.ck_safety.implications import Implications, Negations
from sidelight.measures.classics import GroupSize
from sidelight.measures.column_subsets.identifying_columns import people_alone
from sidelight.measures.disclosure_curve import disclosure_curve
from sidelight.measures.measure import Measure
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.policy.measure_names import ASK_CHOICES
from sidelight.policy.policy import Policy, Verdict, policy_text
from sidelight.policy.policy_file import read_policy_text
from sidelight.publish.publish import read_published
from sidelight.publish.sidecar import (
    PublishedFinding,
    Sidecar,
    dictionary_path,
    read_checked,
    read_sidecar,
    strip_folder,
)
from sidelight.release.generalise import group
from sidelight.release.release import Release, ReleaseBlocks, expect_release
from sidelight.report.release_report import (
    MANY_PEOPLE,
    AttackTried,
    CheckedBeliefs,
    Circumstances,
    CutsMade,
    HowMade,
    KnowledgeCells,
    KnowledgeCurve,
    ReleaseReport,
    RiskBefore,
    SignOff,
    assemble_report,
    describe_column,
    how_made,
    technique_words,
)
from sidelight.report.report import Audit, AuditFinding, AuditReport, BrokenBy, audit_report
from sidelight.search.method import SearchResult
from sidelight.table.labels import shown
from sidelight.table.roles import EACH_ROW
from sidelight.table.table import Intake, Table

if TYPE_CHECKING:
    from sidelight.measures.criterion import Criterion


def release_report(
    released: ReleaseBlocks | SearchResult | str | Path,
    policy: Policy | None = None,
    *,
    table: Table | None = None,
    measures: Iterable[Measure] = (),
    date: str | None = None,
    sign_off: SignOff | None = None,
    attacks: Mapping[str, Exposure] | None = None,
) -> ReleaseReport:
    """Build the report on what a release reveals, for those who sign; `report_html` and `report_markdown` draw it.

    `released` is a file that Sidelight published, a result of `protect`, or any release.  `policy` defaults to that of
    the file or of the search; with `table`, the report has the risk before too.  `attacks` are exposures by this and
    other releases (`intersect`), by the names of the others.  The same arguments return the same document, whose day is
    `date`.

    >>> import sidelight as sl
    >>> groups, labels = [{"Flu": 6, "Cold": 5}, {"Flu": 3, "Cold": 4}], [{"age": "30"}, {"age": "40"}]
    >>> release = sl.Release.from_counts(groups, labels=labels)
    >>> report = sl.release_report(release, sl.Policy(sl.GroupSize() >= 5), date="2026-01-31")
    >>> report.answer.audit.verdict, [band.sizes for band in report.answer.sizes]
    ('within policy', ['2–4', '5–9', '10–11'])
    >>> sl.report_html(report).startswith("<!DOCTYPE html>"), sl.report_markdown(report).splitlines()[0]
    (True, '# Report on a release')
    """
    if not isinstance(released, SearchResult | str | os.PathLike):
        expect_release(released, "what a report is about")
    others = {} if attacks is None else expect_mapping(attacks, parameter("attacks"), '{"others.csv": exposure}')
    tried = tuple(summarise_exposure(expect(Exposure, each, "what was tried"), [name]) for name, each in others.items())
    if date is not None:
        expect(str, date, parameter("date"))
    signed = SignOff() if sign_off is None else expect(SignOff, sign_off, parameter("sign_off"))
    known = Circumstances(date=date, sign_off=signed, attacks=tried)
    if table is not None:
        expect(Table, table, parameter("table"))
    if isinstance(released, SearchResult):
        return report_on_result(released, known, policy=policy, measures=measures)
    if isinstance(released, ReleaseBlocks):
        audit = judge_release(released, policy, measures)
        before = None if table is None or policy is None else judge_table(table, policy)
        return add_curves(audit, released, circumstances(replace(known, before=before), policy), policy)
    return report_on_file(Path(released), policy, known, table=table, measures=measures)


def judge_release(
    release: ReleaseBlocks,
    policy: Policy | None,
    measures: Iterable[Measure],
    *,
    verdict: Verdict | None = None,
    source: str | None = None,
    attackers: Sequence[AttackerFacts] = (),
) -> AuditReport:
    """Measure, and judge by the policy, if it is given; `verdict` is an earlier judgement."""
    if policy is not None:
        verdict = expect(Policy, policy, parameter("policy")).judge(release)
    several = expect_several(Measure, measures, parameter("measures"), each="measure")  # type: ignore[type-abstract]
    findings = list(measure_all(several, release))
    return audit_report(release, verdict=verdict, findings=findings, source=source, attackers=attackers)


def judge_table(table: Table, policy: Policy) -> RiskBefore:
    """Return the values of a policy's limits for the table itself, as numbers alone."""
    raw = group(table)
    # the column that identifies people is used, and never published
    person = raw.intake.roles.get("person")
    names = (person,) if isinstance(person, str) and person != EACH_ROW else ()
    return RiskBefore(
        people=raw.size,
        groups=len(raw),
        alone=people_alone(raw.groups.sizes),
        results=tuple(
            number(each.finding.value, large_is_bad=each.criterion.measure.large_is_bad)
            for each in policy.judge(raw).judgements
        ),
        # columns that were dropped have a field of their own
        left_out=replace(raw.intake, columns_dropped=()).notes(),
        columns_left_out=(*names, *raw.intake.columns_dropped),
    )


def report_on_result(
    result: SearchResult,
    known: Circumstances,
    *,
    policy: Policy | None = None,
    source: str | None = None,
    measures: Iterable[Measure] = (),
    published: Sidecar | None = None,
) -> ReleaseReport:
    """Build the report on a search's result, judged by its policy or another; if published, with its sidecar."""
    audit = judge_release(
        result.release,
        policy,
        measures,
        verdict=result.verdict,
        source=source,
        attackers=[attacker_facts(each.for_publication()) for each in result.readers],
    )
    policy = result.policy if policy is None else policy
    table = result.recoding.table
    known = replace(
        known,
        before=judge_table(table, policy) if isinstance(table, Table) else None,
        candidates=candidate_releases(result),
        cuts=cuts_made(result),
    )
    if published is not None:
        known = published_circumstances(known, published, policy=policy)
    else:
        method = result.method
        known = replace(
            circumstances(known, policy),
            made=how_made(result),
            techniques=technique_words(
                [column.name for column in table.quasi],
                method=method.name,
                levels=result.levels,
                heights={name: hierarchy.height for name, hierarchy in result.hierarchies.items()},
                averages=method.prints_averages,
            ),
            kept=() if table.carried is None else table.carried.names,
        )
    return add_curves(audit, result.release, known, policy)


def report_on_file(
    path: Path,
    policy: Policy | None,
    known: Circumstances,
    *,
    table: Table | None = None,
    measures: Iterable[Measure] = (),
) -> ReleaseReport:
    """Build the report on a published file, or on a sidecar whose file is elsewhere."""
    if path.name.endswith(SIDECAR_ENDING):
        path = path.with_name(path.name.removesuffix(SIDECAR_ENDING))
        if not path.exists():
            return report_on_sidecar(read_sidecar(path), known)
    document = read_checked(path)
    policy = read_policy_text(document.policy).policy if policy is None else policy
    release = read_published(path)
    audit = judge_release(release, policy, measures, source=path.name, attackers=document.readers)
    known = replace(known, before=None if table is None else judge_table(table, policy))
    known = published_circumstances(known, document, policy=policy, path=path)
    return add_curves(audit, release, known, policy)


# Risk curves


def add_curves(
    audit: AuditReport, release: ReleaseBlocks, known: Circumstances, policy: Policy | None = None
) -> ReleaseReport:
    """Build the report from an audit and what else is known, with risk curves where the release is in memory."""
    if not release.is_held:
        return assemble_report(audit, release, known)
    held = release.held("curves")
    return assemble_report(audit, held, known, curves=compute_curves(held), cells=compute_cells(held, policy))


def compute_cells(release: Release, policy: Policy | None, most: int = 2) -> tuple[KnowledgeCells, ...]:
    """Measure the risk at several kinds of knowledge at once, for at most `most` limits on an acquaintance."""
    cells = (knowledge_cells(release, criterion) for criterion in (() if policy is None else policy.criteria))
    return tuple(islice((each for each in cells if each is not None), most))


def compute_curves(release: Release, most_cells: int = 2_000_000) -> tuple[KnowledgeCurve, ...]:
    """Measure the risk by the number of facts and of values ruled out, up to `most_cells` groups times values.

    That takes a second or two.
    """
    if len(release.sensitive_columns) > 1 or len(release) * len(release.domain) > most_cells:
        return ()
    curves = []
    for kind in (Implications, Negations):
        if release.semantics in kind.semantics:
            curve = disclosure_curve(release, kind, range(7))
            (axis,) = curve.axes
            risks = tuple(number(risk, large_is_bad=True) for risk in curve.risks)
            curves.append(KnowledgeCurve(measure=curve.measure, parameter=axis.name, amounts=axis.amounts, risks=risks))
    return tuple(curves)


# Numbers of charts


# Groups times values up to which the risk is measured at many amounts of knowledge: a second or two.
MOST_MEASURED_CELLS = 60_000


def knowledge_cells(release: Release, criterion: Criterion) -> KnowledgeCells | None:
    """Measure the risk by an acquaintance around the amounts of a limit; None where that takes long."""
    measure = criterion.measure
    if not isinstance(measure, Acquaintance) or len(release) * len(release.domain) > MOST_MEASURED_CELLS:
        return None
    question, view = measure.resolve(release)
    own = {"rules_out": measure.rules_out, "others": measure.others, "family": measure.family}
    amounts = {
        "rules_out": tuple(sorted({0, own["rules_out"], own["rules_out"] + 1})),
        "others": _around(own["others"]),
        "family": _around(own["family"]),
    }
    risks = []
    for combination in product(*amounts.values()):
        try:
            at = question.replace_settings(**dict(zip(amounts, combination, strict=True)))
            risks.append(number(at.measure(view).value, large_is_bad=True))
        except (TooHard, BadMeasure):
            return None
    return KnowledgeCells(
        measure=measure.name,
        text=str(measure),
        limit=policy_bound(criterion),
        own=own,
        amounts=amounts,
        risks=tuple(risks),
    )


def _around(own: int, fewest: int = 4, further: int = 2) -> tuple[int, ...]:
    """Choose a few amounts from 0 to beyond `own`.

    >>> _around(1), _around(40)
    ((0, 1, 2, 3, 4), (0, 10, 20, 30, 40, 42))
    """
    if own <= fewest:
        return tuple(range(max(own + further, fewest) + 1))
    # quarters of a large amount in place of all amounts, and one beyond it
    return tuple(sorted({own * step // fewest for step in range(fewest + 1)} | {own + further}))


def candidate_releases(result: SearchResult, most_cells: int = 3_000_000) -> CandidateReleases | None:
    """Measure the releases that a search could have chosen; None where there are none, or too many.

    They are made again: `most_cells` is rows of the table times values times candidates.
    """
    table = result.recoding.table
    if (
        len(result.choices) < 2
        or not result.recoding.holds_keys
        or len(table.sizes) * len(result.release.domain) * len(result.choices) > most_cells
    ):
        return None
    from sidelight.report.charts.searches import candidates_of  # noqa: PLC0415 - needed after a search alone

    try:
        compared = candidates_of(result)
    except (BadMeasure, TooHard):
        return None
    # JSON has no infinity, and a chart cannot draw it
    kept = [each for each in compared.candidates if math.isfinite(each.loss) and math.isfinite(each.risk.value)]
    return compared.model_copy(update={"candidates": tuple(kept)})


def cuts_made(result: SearchResult, longest: int = 200) -> CutsMade | None:
    """Return the first cuts of a search, with labels of at most `longest` letters; None where it made none."""
    tree = result.cuts
    if tree is None:
        return None
    nodes = tuple(
        node if len(node.holds) <= longest else replace(node, holds=f"{node.holds[: longest - 1]}…")
        for node in tree.top()
    )
    return CutsMade(along=tree.along, parts=nodes)


def checked_beliefs(answer: Mapping[str, JsonValue]) -> CheckedBeliefs | None:
    """Read the comparison with the truth in a learner's answer; bins of few people are withheld, and counted.

    >>> bins = [{"low": 0.4, "high": 0.5, "people": p, "claimed": 0.45, "right": 0.5} for p in (20, 3)]
    >>> answer = {"model": "naive bayes", "people": 23, "claimed": 0.45, "right": 0.5, "calibration_error": 0.05}
    >>> checked = checked_beliefs({**answer, "calibration": bins})
    >>> len(checked.calibration), checked.withheld
    (1, 3)
    """
    fields = ("model", "people", "claimed", "right", "calibration_error", "calibration")
    try:
        checked = CheckedBeliefs.model_validate({name: answer.get(name) for name in fields})
    except ValidationError:  # it was not compared with the truth
        return None
    bins = tuple(each for each in checked.calibration if each.people >= MANY_PEOPLE)
    withheld = sum(each.people for each in checked.calibration) - sum(each.people for each in bins)
    return checked.model_copy(update={"calibration": bins, "withheld": withheld}) if bins else None


# How a file was made


def circumstances(
    known: Circumstances, policy: Policy | None, files: Sequence[Path] = (), roles: Mapping[str, object] | None = None
) -> Circumstances:
    """Add what every release has: policy, files and versions."""
    # without folders; a population that is no file has to be read again
    text = "" if policy is None else policy_text(Policy(*map(strip_folder, policy.criteria)), roles)
    return replace(
        known,
        again=known.again.model_copy(update={"policy": text}),
        files=tuple(FileFacts(name=path.name, sha256=digest(path)) for path in files),
        versions={"sidelight": __version__, "python": platform.python_version()},
    )


def published_circumstances(
    known: Circumstances, document: Sidecar, *, policy: Policy | None, path: Path | None = None
) -> Circumstances:
    """Add what a sidecar says about its file; `path` is the file, where there is one."""
    documents = () if path is None else (sidecar_path(path), dictionary_path(path))
    roles = tomllib.loads(document.policy).get("roles")
    known = circumstances(known, policy, [each for each in documents if each.is_file()], roles)
    return replace(
        known,
        made=how_published(document),
        techniques=_techniques(document),
        covers={
            each.column: {label: tuple(map(shown, values)) for label, values in each.covers.items()}
            for each in document.hierarchies
            if each.covers
        },
        kept=document.kept,
        files=(*(FileFacts(name=file.name, sha256=file.sha256) for file in document.files), *known.files),
        versions={
            # the file may have been published with another version than the one that judges it now
            **{f"{name} (published with)": version for name, version in document.versions.items()},
            **(known.versions or {}),
        },
    )


METHOD_KEPT_BACK = "kept back"
"""The words in place of a method that the sidecar keeps back."""


def how_published(document: Sidecar) -> HowMade:
    """Return how a published release was made, from its sidecar."""
    search = document.search
    resistance = search.resistance
    belief = None if resistance is None or resistance.belief is None else resistance.belief.text
    words = (
        None if resistance is None else f"at most {belief} sure of anybody's value" if belief else "sizes alone decide"
    )
    return HowMade(
        **dict(document.people),
        method=search.method or METHOD_KEPT_BACK,
        levels=search.levels,
        checked=0,
        complete=search.complete,
        resists=words,
        utility=document.utility,
        published=document.date,
        warnings=document.warnings,
    )


def _techniques(document: Sidecar) -> dict[str, str]:
    columns = [*document.reading.group, *(document.who.group if document.who else ())]
    search = document.search
    if search.method is None:
        # without the method, what it did to a column is unknown
        return dict.fromkeys(columns, METHOD_KEPT_BACK)
    heights = {each.column: each.levels for each in document.hierarchies}
    return technique_words(
        columns, method=search.method, levels=search.levels, heights=heights, averages=search.averages
    )


# From a sidecar alone

NOT_MEASURED_AGAIN = (
    "the published file was not at hand: the numbers are those of its sidecar, and nothing was measured again"
)


def report_on_sidecar(document: Sidecar, known: Circumstances) -> ReleaseReport:
    """Build the report from a sidecar whose file is elsewhere."""
    intake = IntakeFacts.model_validate(Intake(document.files[0].rows), from_attributes=True)
    # whether the sidecar says that all groups have more than one person
    nobody_alone = any(each.measure == GroupSize.name and Fraction(each.result.exact) > 1 for each in document.findings)
    audit = Audit(
        sidelight=document.versions.get("sidelight", ""),
        release=document.release,
        intake=intake,
        findings=tuple(_describe_published(each, nobody_alone=nobody_alone) for each in document.findings),
        readers=document.readers,
        verdict=document.verdict,
        not_covered=document.not_covered,
    )
    envelope = AuditReport(source=document.reading.file, answer=audit, notes=(NOT_MEASURED_AGAIN,))
    known = published_circumstances(known, document, policy=read_policy_text(document.policy).policy)
    values = document.release.values
    sensitive = [describe_column(name, "sensitive") for name in document.reading.to_roles().value_columns]
    columns = (
        *(describe_column(name, "known to outsiders", technique) for name, technique in _techniques(document).items()),
        *(each.model_copy(update={"labels": values}) for each in sensitive),
        *(describe_column(name, "kept as it is") for name in document.kept),
    )
    return assemble_report(envelope, None, known, columns=columns)


def _describe_published(finding: PublishedFinding, *, nobody_alone: bool) -> AuditFinding:
    """Return a finding with the printed labels of its group, unless that may be one person."""
    where = ", ".join(f"{name} {shown(label)}" for name, label in (finding.group or {}).items())
    value = "" if finding.value is None else f": {shown(finding.value)}"
    worst = f"the group with {where}{value}" if where else f"no group{value}"
    explanation = f"Worst off is {worst}, with {finding.result.text}."
    # the group may be one person, whose labels and value would then be printed here
    if where and not nobody_alone:
        worst = "a group that may be one person"
        explanation = (
            "The sidecar does not tell that this group has more than one person, and what is printed about it is left "
            "out of this report; sidelight audit shows it to whoever holds the file."
        )
    return AuditFinding(
        **{name: getattr(finding, name) for name in FindingFacts.model_fields},
        holds=finding.holds,
        broken_by=BrokenBy(groups=0, people=0) if finding.holds else None,  # else unknown
        witness=None,
        worst_off=worst,
        explanation=explanation,
        notes=finding.notes,
    )


# Attacks that were tried

ATTACKS = ("attack", *ASK_CHOICES[1:-1], "attack-noise", "simulate", "believe", "explore")
"""The kinds of answers to attacks."""


def summarise_exposure(exposure: Exposure, names: Iterable[str] = ()) -> AttackTried:
    """Return the sentences and the numbers of an exposure, none of which is about a single person."""
    facts = dict(numbers_in(cast("JsonValue", exposure_document(exposure))))
    return AttackTried(kind="attack", source=tuple(names), notes=tuple(sentences(exposure)), facts=facts)


def read_attack(path: Path) -> AttackTried:
    """Read the numbers of an attack's answer, and nothing about single people."""
    try:
        document = Envelope[JsonValue].model_validate_json(read_whole(path))
    except ValidationError:
        raise BadRelease(
            f"'{path}' is no answer of Sidelight; give what sidelight attack … --output FILE wrote"
        ) from None
    if document.kind not in ATTACKS:
        raise BadRelease(
            f"'{path}' is an answer of '{document.kind}', not of an attack; give one of {', '.join(ATTACKS)}"
        )
    sources = document.source
    names = tuple(Path(name).name for name in ((sources,) if isinstance(sources, str) else sources or ()))
    checked = checked_beliefs(document.answer) if isinstance(document.answer, Mapping) else None
    return AttackTried(kind=document.kind, source=names, facts=dict(numbers_in(document.answer)), checked=checked)


def numbers_in(answer: JsonValue, path: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Yield the numbers of an answer by their path in words; lists, which may be person by person, are left out.

    >>> dict(numbers_in({"people": 3, "largest": {"value": 0.5, "who": "Ann"}, "rows": [1, 2]}))
    {'people': 3, 'largest: value': 0.5}
    """
    if isinstance(answer, Mapping):
        for name, inside in answer.items():
            words = name.replace("_", " ")
            yield from numbers_in(inside, f"{path}: {words}" if path else words)
    elif isinstance(answer, int | float):
        yield path, answer
