"""The command line: one thin function per verb.

Exit status: 0 within policy, 1 not, 2 bad input or could not tell, 130 interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sidelight import __version__
from sidelight.cli import options
from sidelight.cli import options as asking
from sidelight.cli import options as columns
from sidelight.cli import options as publishing
from sidelight.cli.run import Status, Verb, Verbs, spread

app = typer.Typer(
    name="sidelight",
    cls=Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    subcommand_metavar="VERB ...",
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


@app.command(cls=Verb)
@spread
def audit(
    file: options.ReleaseFile,
    *,
    policy: options.PolicyPath = None,
    limit: options.Limits = None,
    measure: options.Measures = None,
    said: columns.OfRelease,
    answer: options.Answer,
) -> int:
    """Judge a published file as it stands: how bad is it, against whom, and who is worst off?

    Without a policy, limits or measures, all classic measures are shown and nothing is judged.
    """
    from sidelight.cli import audit as verb  # noqa: PLC0415 - `--help` is quick

    question = verb.asked(policy, limits=limit or (), measures=measure or (), roles=said.roles())
    return verb.audit(file, question, answer.to(policy))


@app.command(cls=Verb)
@spread
def explore(
    file: options.ReleaseFile,
    *,
    value: asking.Value,
    below: asking.Below = "0.95",
    up_to: asking.UpTo = 10,
    policy: options.RolesPath = None,
    said: columns.OfRelease,
    answer: options.Answer,
) -> int:
    """See how much a published file withstands: who may know what before one value is given away?"""
    from sidelight.cli import explore as verb  # noqa: PLC0415 - `--help` is quick

    question = verb.Question(file, value=value, below=below, up_to=up_to, roles=verb.roles_of(policy, said.roles()))
    return verb.explore(question, answer.to(policy))


@app.command(cls=Verb)
@spread
def protect(
    file: options.TableFile,
    *,
    policy: options.PolicyPath = None,
    limit: options.Limits = None,
    hierarchies: options.HierarchyFolder = None,
    search: publishing.Search,
    said: columns.OfTable,
    output: publishing.ReleasePath,
    written: publishing.Written,
) -> int:
    """Find the most useful release of a table within a policy, and publish it."""
    from sidelight.cli.audit import asked  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli.protect import protect as verb  # noqa: PLC0415

    question = asked(policy, limits=limit or (), roles=said.roles())
    return verb(file, question, search.way(hierarchies), written.target(output))


@app.command(cls=Verb)
@spread
def believe(
    file: options.ReleaseFile,
    *,
    know: asking.Know = None,
    about: asking.About = None,
    top: asking.Top = 10,
    quasi: asking.ToldApart = None,
    table: asking.Original = None,
    policy: options.RolesPath = None,
    counting: asking.Counting,
    said: columns.OfRelease,
    answer: options.Answer,
) -> int:
    """See what someone who knows exactly this would conclude about people in a published file."""
    from sidelight.cli import believe as shares  # noqa: PLC0415
    from sidelight.cli import believe as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli.explore import roles_of  # noqa: PLC0415

    roles = roles_of(policy, said.roles())
    asked = counting.wanted()
    question = verb.Question(file, roles, tuple(know or ()), tuple(about or ()), top, asked, tuple(quasi or ()))
    if shares.speaks_of_shares(question, table):
        return shares.believe_shares(question, table, answer.to(policy))
    return verb.believe(question, answer.to(policy))


@app.command(cls=Verb)
@spread
def attack(
    files: options.ReleaseFiles,
    *,
    people: asking.People,
    attacker: asking.Attacker,
    hierarchies: options.HierarchyFolder = None,
    policy: options.RolesPath = None,
    said: columns.OfReleases,
    answer: options.Answer,
) -> int:
    """See what files that were published independently give away together about the same people."""
    from sidelight.cli import attack as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli.explore import roles_of  # noqa: PLC0415

    question = verb.Question(
        files=tuple(files),
        people=people,
        roles=roles_of(policy, said.roles()),
        person=attacker.person,
        truth=attacker.truth,
        hierarchies=hierarchies,
        locate=attacker.locate,
        prior=attacker.prior,
        same_values=tuple(attacker.same_value or ()),
        who=attacker.who,
        at_most=attacker.at_most,
    )
    return verb.attack(question, answer.to(policy))


@app.command(cls=Verb)
@spread
def noise(
    file: options.TableFile,
    *,
    levels: publishing.Levels = None,
    hierarchies: options.HierarchyFolder = None,
    outside: publishing.Outside = "an error",
    cells: publishing.Cells = 1_000_000,
    policy: options.RolesPath = None,
    epsilon: publishing.Epsilon,
    delta: publishing.Delta = "0",
    neighbours: publishing.Neighbours = "add or remove",
    budget: publishing.Budget,
    said: columns.OfCounts,
    output: publishing.NoisyPath,
    json: options.AsJson = False,
    force: options.Force = False,
) -> int:
    """Publish differentially private counts over levels that were fixed in advance, paid from a budget."""
    from sidelight.cli import noise as verb  # noqa: PLC0415 - `--help` is quick
    from sidelight.cli.audit import asked  # noqa: PLC0415

    wanted = verb.Noise(tuple(levels or ()), hierarchies, epsilon, delta, neighbours, outside, cells)
    target = verb.Target(output, force=force, as_json=json)
    return verb.noise(file, asked(policy, roles=said.roles()), wanted, budget.wanted(), target)


@app.command(cls=Verb)
def demo(*, folder: options.Folder = Path("sidelight-demo")) -> int:
    """Judge a release of real census data, publish a better one, and leave the files to go on with."""
    from sidelight.cli.demo import demo as verb  # noqa: PLC0415 - `--help` is quick

    return verb(folder)


@app.command("policy-schema", cls=Verb, hidden=True)
def policy_schema() -> int:
    """Print the JSON schema of policy files, for editors and for the documentation."""
    from sidelight.policy.policy_file import policy_schema as schema  # noqa: PLC0415 - `--help` is quick

    typer.echo(schema(), nl=False)
    return Status.WITHIN_POLICY


@app.command("report-schema", cls=Verb, hidden=True)
def report_schema() -> int:
    """Print the JSON schema of reports, for programs that read them."""
    from sidelight.report.report import report_schema as schema  # noqa: PLC0415 - `--help` is quick

    typer.echo(schema(), nl=False)
    return Status.WITHIN_POLICY


@app.command("sidecar-schema", cls=Verb, hidden=True)
def sidecar_schema() -> int:
    """Print the JSON schema of the sidecars of published releases, for programs that read them."""
    from sidelight.publish.sidecar import sidecar_schema as schema  # noqa: PLC0415 - `--help` is quick

    typer.echo(schema(), nl=False)
    return Status.WITHIN_POLICY


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that cannot show ≥ or ✓ shows ?, and the words beside it
    app()
