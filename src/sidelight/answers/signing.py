"""The report that a publisher signs: of a release in memory, with its sign-off and its recipe.

Outline and sign-off are texts, as an address has them; each problem belongs to a field.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, cast, get_args

from sidelight.answers.recipe import (
    FileRecipe,
    Name,
    write_call,
    write_limit_options,
    write_limits,
    write_measure,
    write_report,
)
from sidelight.measures.about import ask_each_column
from sidelight.measures.criterion import Criterion
from sidelight.measures.measure import Measure
from sidelight.policy.policy import Policy
from sidelight.report.answer import Recipe
from sidelight.report.contents import OUTLINES, OutlineName
from sidelight.report.make import add_curves, circumstances, judge_release, judge_table, published_circumstances
from sidelight.report.release_report import Circumstances, Decision, HowMade, ReleaseReport, SignOff, technique_words
from sidelight.text import shell

if TYPE_CHECKING:
    from sidelight.answers.exposure import ExposureAnswer
    from sidelight.publish.sidecar import Sidecar
    from sidelight.release.release import Release
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.table import Table

DECISIONS = get_args(Decision)

SIGNED = ("decision", "signed_by", "role", "date", "reasons")
"""The fields of a sign-off."""


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """The outline of a report and its sign-off, with the problems of their fields."""

    outline: OutlineName | None
    fields: Mapping[str, str]
    day: str
    sign_off: SignOff
    problems: Mapping[str, str]

    @classmethod
    def read(cls, fields: Mapping[str, str]) -> ReportChoice:
        """Parse outline and sign-off; a decision without a name or reasons is left out and is among the problems.

        >>> choice = ReportChoice.read({"decision": "approved", "signed_by": "Ada", "date": "2026-01-31"})
        >>> choice.sign_off.decision, choice.problems["reasons"]
        ('', 'a decision needs its reasons: say why')
        """
        texts = {name: fields.get(name, "").strip() for name in ("outline", *SIGNED)}
        outline = cast("OutlineName", texts["outline"]) if texts["outline"] in OUTLINES else None
        problems: dict[str, str] = {}
        if texts["outline"] and outline is None:
            problems["outline"] = f"there is no such outline; choose one of {', '.join(OUTLINES)}"
        day = dt.datetime.now(dt.UTC).date().isoformat()
        if texts["date"]:
            try:
                day = dt.date.fromisoformat(texts["date"]).isoformat()
            except ValueError:
                problems["date"] = "cannot read this day; give one such as 2026-01-31"
        if texts["decision"] and texts["decision"] not in DECISIONS:
            problems["decision"] = f"decide one of {', '.join(DECISIONS)}"
        if texts["decision"] and not texts["signed_by"]:
            problems["signed_by"] = "a decision needs a name: say who decides"
        if texts["decision"] and not texts["reasons"]:
            problems["reasons"] = "a decision needs its reasons: say why"
        if problems:
            return cls(outline, texts, day, SignOff(), problems)
        sign_off = SignOff(
            name=texts["signed_by"],
            role=texts["role"],
            date=day if texts["decision"] or texts["signed_by"] else "",
            decision=cast("Decision | Literal['']", texts["decision"]),
            reasons=texts["reasons"],
        )
        return cls(outline, texts, day, sign_off, problems)

    def sign(self, report: ReleaseReport, sample: Recipe) -> ReleaseReport:
        """Return a report with its date, its sign-off and the recipe that repeats it."""
        again = sample.model_copy(update={"policy": report.answer.again.policy})
        signed = {"date": self.day, "sign_off": self.sign_off, "again": again}
        return report.model_copy(update={"answer": report.answer.model_copy(update=signed)})


# The report.


def report_on_release(
    release: Release,
    judged: Sequence[Criterion | Measure],
    known: Circumstances,
    *,
    source: str,
    sidecar: Sidecar | None = None,
    files: Sequence[Path] = (),
    table: Table | None = None,
    levels: Mapping[str, int] = MappingProxyType({}),
    by: Mapping[str, Hierarchy] = MappingProxyType({}),
) -> ReleaseReport:
    """Build the report on a file as it stands, or on its `table` generalised to levels chosen by hand."""
    limits = [each for each in judged if isinstance(each, Criterion)]
    policy = Policy(*limits) if limits else None
    columns, domain = release.sensitive_columns, release.domain
    measures = [one for each in judged if isinstance(each, Measure) for one in ask_each_column(each, columns, domain)]
    attackers = () if sidecar is None else sidecar.readers
    audit = judge_release(release, policy, measures, source=Path(source).name, attackers=attackers)
    if sidecar is not None:
        known = published_circumstances(known, sidecar, policy=policy)
    else:
        known = circumstances(known, policy, files)
    if table is not None:
        quasi, heights = [column.name for column in table.quasi], {name: each.height for name, each in by.items()}
        known = replace(
            known,
            before=None if policy is None else judge_table(table, policy),
            made=HowMade(
                method="levels chosen by hand",
                levels=dict(levels),
                complete=True,
                rows_in=table.intake.rows,
                people_in=table.people,
                people_out=release.size,
                suppressed=0,
            ),
            techniques=technique_words(quasi, method="lattice", levels=levels, heights=heights, averages=False),
        )
    return add_curves(audit, release, known, policy)


# The command and the Python that repeat it.


def write_report_recipe(
    file: FileRecipe,
    choice: ReportChoice,
    *,
    judged: Sequence[Criterion | Measure],
    searched: Recipe | None,
    attacks: Sequence[ExposureAnswer],
    attacked: FileRecipe,
    columns: Sequence[str],
) -> Recipe:
    """Write the recipe of a report on a file, or on the result of a search (`searched`), with its attacks.

    `attacked` is the file as it was attacked, `columns` are all that it has.
    """
    settings: dict[str, object] = {}
    if searched is not None:
        name, reported, released = "release.parquet", ["found"], "found.release"
        commands, words = [*searched.commands], ["sidelight", "report", name, "--table", file.file]
        lines = [searched.python]
    else:
        limits = [each for each in judged if isinstance(each, Criterion)]
        measures = [each for each in judged if isinstance(each, Measure)]
        name, reported, released = file.file, ["release", *(["policy"] if limits else [])], "release"
        commands, lines = file.preparations(), [*file.reading(), ""]
        if file.levels:
            name, settings = "release.csv", {"table": Name("table")}
            commands.append(file.publishing(limits, name))
            words = ["sidelight", "report", name, "--table", file.file, *write_limit_options(measures)]
        else:
            words = ["sidelight", "report", file.file] if file.sidecar else file.words("report")
            words += write_limit_options([*limits, *measures])
            if file.sidecar:
                lines, released = [f"release = {file.file!r}", ""], file.published()
        lines += write_limits(limits) if limits else []
        settings["measures"] = Name(f"[{', '.join(map(write_measure, measures))}]") if measures else None
    tried = list[str]()
    has_hierarchies = searched is not None or bool(file.levels)
    for number, (label, each) in enumerate(_label_attacks(attacks), start=1):
        answer_file, exposure = f"attack-{number}.json", f"exposure_{number}"
        command = each.beside.write_command(attacked, name, "--output", answer_file)
        commands.append(command or each.beside.no_command)
        words += ["--attack", answer_file] if command else []
        lines += each.beside.python_lines(
            attacked, columns, released=released, exposure=exposure, has_hierarchies=has_hierarchies or number > 1
        )
        tried.append(f"{label!r}: {exposure}")
    settings["attacks"] = Name(f"{{{', '.join(tried)}}}") if tried else None
    sign_off = choice.sign_off
    signed = {
        "--outline": choice.outline or "",
        "--signed-by": sign_off.name,
        "--role": sign_off.role,
        "--decision": sign_off.decision,
        "--reasons": sign_off.reasons,
        "--date": choice.day,
    }
    words += [word for option, text in signed.items() if text for word in (option, text)]
    texts = {name: text for name, text in sign_off.model_dump().items() if text}
    settings |= {"date": choice.day, "sign_off": Name(write_call("sl.SignOff", **texts)) if texts else None}
    return Recipe(
        commands=(*commands, shell([*words, "--html", "report.html"])),
        python=write_report(lines, *reported, outline=choice.outline, **settings),
    )


def _label_attacks(attacks: Sequence[ExposureAnswer]) -> Iterator[tuple[str, ExposureAnswer]]:
    """Yield each with the name of the other release, numbered from the second of a name on."""
    for at, each in enumerate(attacks):
        again = sum(one.name == each.name for one in attacks[:at])
        yield f"{each.name} ({again + 1})" if again else each.name, each
