"""`sidelight columns FILE --preset 'HIPAA safe harbour'`: does a column look like one of the 18 identifiers?"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from sidelight._text import counted
from sidelight.cli.options import ZipOptions
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.policy.presets import HIPAA_NOTES
from sidelight.report.report import Envelope, plain
from sidelight.report.terminal import sentences
from sidelight.table.files import files_of
from sidelight.table.roles import Roles
from sidelight.table.safe_harbour import SafeHarbour, check_columns

SCHEMA_VERSION = 1


def safe_harbour(file: str, roles: Roles, living: ZipOptions, output: Output) -> Status:
    """Look at the columns and tell; nothing is ever within policy by this."""
    output.refuse([*files_of(file), *(files_of(living.population) if living.population else ())])
    check = check_columns(file, roles, population=living.population, residents=living.residents)
    document = Envelope(
        kind="safe harbour",
        schema_version=SCHEMA_VERSION,
        source=file,
        answer={
            "found": check.answer == "found",
            "columns": plain(check.suspects),
            "look_like_none": list(check.others),
        },
        notes=HIPAA_NOTES,
    )
    output.write(document, _page(check))
    return Status.NOT_WITHIN_POLICY if check.answer == "found" else Status.COULD_NOT_TELL


def _page(check: SafeHarbour) -> Iterator[RenderableType]:
    for answer, title in (("found", "Look like an identifier"), ("could not tell", "May be one: could not tell")):
        lines = [f"{each.column or '(no name)'}: {each.reason}." for each in check.suspects if each.answer == answer]
        yield from sentences(title, lines)
    if check.others:
        yield Text(f"{counted(len(check.others), 'column')} look like none, which proves nothing.\n")
    yield from sentences("Notes", [f"{note}." for note in HIPAA_NOTES])
    yield Text(f"{str(check)[0].upper()}{str(check)[1:]}.")
