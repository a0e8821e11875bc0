"""The command line: one thin function per verb.

Exit status: 0 within policy, 1 not, 2 bad input or could not tell, 130 interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight import __version__
from sidelight.commands import options
from sidelight.commands.running import Status, Verbs

if TYPE_CHECKING:
    from sidelight.policy.policy_file import Roles

app = typer.Typer(
    name="sidelight",
    cls=Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        typer.echo(f"sidelight {__version__}")
        raise typer.Exit


@app.callback()
def every_verb(
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Say which version this is.")
    ] = False,
    debug: options.Debug = False,
) -> None:
    """What does your release reveal to someone who already knows something?"""


@app.command()
def audit(
    file: options.File,
    *,
    policy: options.PolicyPath = None,
    limit: options.Limits = None,
    measure: options.Measures = None,
    group: options.Group = None,
    sensitive: options.Sensitive = None,
    person: options.Person = None,
    values: options.Values = None,
    missing: options.Missing = None,
    missing_mark: options.MissingMarks = None,
    suppressed: options.Suppressed = None,
    domain: options.Domain = None,
    json: options.AsJson = False,
    output: options.OutputPath = None,
    force: options.Force = False,
) -> int:
    """Judge a published file as it stands: how bad is it, against whom, and who is worst off?

    Without a policy, limits or measures, all classic measures are shown and nothing is judged.
    """
    from sidelight.commands import audit as verb  # noqa: PLC0415 - `--help` is quick

    roles = _roles(
        quasi=group,
        sensitive=sensitive,
        person=person,
        values=values,
        missing=missing,
        missing_marks=missing_mark,
        suppressed=suppressed,
        domain=domain,
    )
    question = verb.asked(policy, limits=limit or (), measures=measure or (), roles=roles)
    return verb.audit(file, question, verb.Output(as_json=json, file=output, force=force, inputs=_paths(policy)))


@app.command()
def explore(
    file: options.File,
    *,
    value: options.Value,
    below: options.Below = "0.95",
    up_to: options.UpTo = 10,
    policy: options.PolicyPath = None,
    group: options.Group = None,
    sensitive: options.Sensitive = None,
    person: options.Person = None,
    values: options.Values = None,
    missing: options.Missing = None,
    missing_mark: options.MissingMarks = None,
    suppressed: options.Suppressed = None,
    domain: options.Domain = None,
    json: options.AsJson = False,
    output: options.OutputPath = None,
    force: options.Force = False,
) -> int:
    """See how much a published file withstands: who may know what before one value is given away?"""
    from sidelight.commands import explore as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.commands.audit import Output  # noqa: PLC0415

    roles = _roles(
        quasi=group,
        sensitive=sensitive,
        person=person,
        values=values,
        missing=missing,
        missing_marks=missing_mark,
        suppressed=suppressed,
        domain=domain,
    )
    question = verb.Question(file, value=value, below=below, up_to=up_to, roles=verb.roles_of(policy, roles))
    return verb.explore(question, Output(as_json=json, file=output, force=force, inputs=_paths(policy)))


@app.command()
def protect(
    file: options.TableFile,
    *,
    output: options.ReleasePath,
    policy: options.PolicyPath = None,
    limit: options.Limits = None,
    hierarchies: options.Hierarchies = None,
    suppress_only: options.SuppressOnly = None,
    method: options.MethodName = "lattice",
    utility: options.Utility = "discernibility",
    suppress: options.Suppress = 0,
    suppressed: options.SuppressedAs = "as *",
    nodes: options.Nodes = 100_000,
    layout: options.Layout = None,
    written_as: options.WrittenAs = None,
    group: options.Group = None,
    sensitive: options.Sensitive = None,
    person: options.Person = None,
    values: options.Values = None,
    missing: options.Missing = None,
    missing_mark: options.MissingMarks = None,
    domain: options.Domain = None,
    json: options.AsJson = False,
    force: options.Force = False,
) -> int:
    """Find the most useful release of a table within a policy, and publish it."""
    from sidelight.commands import protect as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.commands.audit import asked  # noqa: PLC0415

    roles = _roles(
        quasi=group,
        sensitive=sensitive,
        person=person,
        values=values,
        missing=missing,
        missing_marks=missing_mark,
        domain=domain,
    )
    way = verb.Way(method, utility, hierarchies, tuple(suppress_only or ()), suppress, suppressed, nodes)
    target = verb.Target(output, force=force, layout=layout, written_as=written_as, as_json=json)
    return verb.protect(file, asked(policy, limits=limit or (), roles=roles), way, target)


@app.command()
def believe(
    file: options.File,
    *,
    know: options.Know = None,
    about: options.About = None,
    top: options.Top = 10,
    quasi: options.ToldApart = None,
    table: options.Original = None,
    policy: options.PolicyPath = None,
    group: options.Group = None,
    sensitive: options.Sensitive = None,
    person: options.Person = None,
    values: options.Values = None,
    missing: options.Missing = None,
    missing_mark: options.MissingMarks = None,
    suppressed: options.Suppressed = None,
    domain: options.Domain = None,
    json: options.AsJson = False,
    output: options.OutputPath = None,
    force: options.Force = False,
) -> int:
    """See what someone who knows exactly this would conclude about people in a published file."""
    from sidelight.commands import believe as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.commands import believe_shares as shares  # noqa: PLC0415
    from sidelight.commands.audit import Output  # noqa: PLC0415
    from sidelight.commands.explore import roles_of  # noqa: PLC0415

    roles = _roles(
        quasi=group,
        sensitive=sensitive,
        person=person,
        values=values,
        missing=missing,
        missing_marks=missing_mark,
        suppressed=suppressed,
        domain=domain,
    )
    question = verb.Question(file, roles_of(policy, roles), tuple(know or ()), tuple(about or ()), top)
    told = shares.Told(tuple(quasi or ()), table)
    target = Output(as_json=json, file=output, force=force, inputs=_paths(policy))
    if shares.speaks_of_shares(question, told):
        return shares.believe_shares(question, told, target)
    return verb.believe(question, target)


@app.command()
def attack(
    files: options.ReleaseFiles,
    *,
    people: options.People,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    person: options.NameColumn = None,
    truth: options.Truth = None,
    who: options.Who = None,
    hierarchies: options.Hierarchies = None,
    locate: options.LocateBy = None,
    prior: options.PriorName = "pooled",
    same_value: options.SameValues = None,
    at_most: options.AtMost = None,
    policy: options.PolicyPath = None,
    missing: options.Missing = None,
    missing_mark: options.MissingMarks = None,
    suppressed: options.Suppressed = None,
    json: options.AsJson = False,
    output: options.OutputPath = None,
    force: options.Force = False,
) -> int:
    """See what files that were published independently give away together about the same people."""
    from sidelight.commands import attack as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.commands.audit import Output  # noqa: PLC0415
    from sidelight.commands.explore import roles_of  # noqa: PLC0415

    roles = _roles(quasi=quasi, sensitive=sensitive, missing=missing, missing_marks=missing_mark, suppressed=suppressed)
    question = verb.Question(
        files=tuple(files),
        people=people,
        roles=roles_of(policy, roles),
        person=person,
        truth=truth,
        hierarchies=hierarchies,
        locate=locate,
        prior=prior,
        same_values=tuple(same_value or ()),
        who=who,
        at_most=at_most,
    )
    return verb.attack(question, Output(as_json=json, file=output, force=force, inputs=_paths(policy)))


@app.command()
def noise(
    file: options.TableFile,
    *,
    output: options.NoisyPath,
    epsilon: options.Epsilon,
    delta: options.Delta = "0",
    levels: options.Levels = None,
    hierarchies: options.Hierarchies = None,
    neighbours: options.Neighbours = "add or remove",
    outside: options.Outside = "an error",
    cells: options.Cells = 1_000_000,
    ledger: options.LedgerPath = None,
    budget: options.BudgetEpsilon = None,
    budget_delta: options.BudgetDelta = "0",
    accounting: options.AccountingName = "basic",
    policy: options.PolicyPath = None,
    sensitive: options.Sensitive = None,
    person: options.Person = None,
    missing: options.Missing = None,
    missing_mark: options.MissingMarks = None,
    domain: options.Domain = None,
    json: options.AsJson = False,
    force: options.Force = False,
) -> int:
    """Publish differentially private counts over levels that were fixed in advance, paid from a budget."""
    from sidelight.commands import noise as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.commands.audit import asked  # noqa: PLC0415

    roles = _roles(sensitive=sensitive, person=person, missing=missing, missing_marks=missing_mark, domain=domain)
    wanted = verb.Noise(tuple(levels or ()), hierarchies, epsilon, delta, neighbours, outside, cells)
    paid = verb.Budget(ledger, budget, budget_delta, accounting)
    return verb.noise(file, asked(policy, roles=roles), wanted, paid, verb.Target(output, force=force, as_json=json))


@app.command()
def demo(*, folder: options.Folder = Path("sidelight-demo")) -> int:
    """Judge a release of real census data, publish a better one, and leave the files to go on with."""
    from sidelight.commands.demo import demo as verb  # noqa: PLC0415

    return verb(folder)


def _paths(*given: Path | None) -> tuple[Path, ...]:
    return tuple(each for each in given if each is not None)


def _roles(**options: str | list[str] | None) -> Roles:
    """Say who is who by options; those not given say nothing."""
    from sidelight.policy.policy_file import Roles  # noqa: PLC0415

    given = {name: option for name, option in options.items() if option not in (None, [])}
    return Roles.model_validate({name: tuple(each) if isinstance(each, list) else each for name, each in given.items()})


@app.command("policy-schema", hidden=True)
def policy_schema() -> int:
    """Print the JSON schema of policy files, for editors and for the documentation."""
    from sidelight.policy.writing import policy_schema as schema  # noqa: PLC0415

    typer.echo(schema(), nl=False)
    return Status.WITHIN_POLICY


@app.command("report-schema", hidden=True)
def report_schema() -> int:
    """Print the JSON schema of reports, for programs that read them."""
    from sidelight.report.document import report_schema as schema  # noqa: PLC0415

    typer.echo(schema(), nl=False)
    return Status.WITHIN_POLICY


@app.command("sidecar-schema", hidden=True)
def sidecar_schema() -> int:
    """Print the JSON schema of the sidecars of published releases, for programs that read them."""
    from sidelight.publishing.sidecar import sidecar_schema as schema  # noqa: PLC0415

    typer.echo(schema(), nl=False)
    return Status.WITHIN_POLICY


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that cannot show ≥ or ✓ shows ?, and the words beside it
    app()
