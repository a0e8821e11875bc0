"""Messages on the command line speak of options, whatever Python calls them."""

import re
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from support.command_line import invoke, verbs_of
from support.words import mentions

import sidelight
from sidelight.answers.questions import GeneralisationsRequest, MethodName, ProtectRequest
from sidelight.answers.request import ColumnOptions
from sidelight.cli.app import app
from sidelight.cli.run import OPTIONS, name_options
from sidelight.errors import SidelightError, in_python, parameter
from sidelight.search.full_domain import Suppressed
from sidelight.search.protect import METHODS
from sidelight.search.utility import UtilityName
from sidelight.table.labels import Semantics


def test_every_word_is_an_option_of_some_verb():
    verbs = verbs_of(app).values()
    known = {
        option
        for verb in verbs
        for parameter in verb.assemble_argument_collection().filter_by(parse=True)
        for option in parameter.names
    }
    assert set(OPTIONS.values()) <= known


@pytest.mark.parametrize(
    ("options", "name", "kind"),
    [
        (ProtectRequest, "utility", UtilityName),
        (GeneralisationsRequest, "utility", UtilityName),
        (GeneralisationsRequest, "suppressed", Suppressed),
        (ColumnOptions, "values", Semantics),
    ],
)
def test_choices_are_those_of_the_library(options, name, kind):
    """They are written again for the command line, so that `--help` does not import what they belong to."""
    wanted = get_type_hints(options)[name]
    choices = {each for part in (wanted, *get_args(wanted)) if get_origin(part) is Literal for each in get_args(part)}
    assert choices == {*get_args(kind)}


def test_methods_are_those_of_the_library():
    assert set(get_args(MethodName)) == set(METHODS)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            f"{parameter('values', 'set')} needs {parameter('person')}, the column",
            '--values "set" needs --person, the column',
        ),
        (f"{parameter('suppress', -1.5)} is not a share", "--suppress -1.5 is not a share"),
        (f"as in {parameter('same_values', {'Grippe': 'Flu'})}, or", "as in --same-value 'Grippe=Flu', or"),
        (f"or {parameter('same_values', {})} if none", "or --same-value '=' if none"),
        (f"replace it with --force{in_python(' force=True')}", "replace it with --force"),
        (f"people's {parameter('values')}, and {parameter('by')}", "people's --values, and --hierarchies"),
        ('add measure = "group size" to it', 'add measure = "group size" to it'),
        ("somebody's own words, as in 'values=3', stay", "somebody's own words, as in 'values=3', stay"),
    ],
)
def test_parameters_become_options(message, line):
    assert name_options(SidelightError(message)) == line


FILE = "id,age,disease\n1,20,Flu\n2,20,\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-g", "age", "-s", "disease"), ('--missing "a value"',)),
        (("-g", "age", "-s", "disease", "--values", "set"), ('--values "set"', "needs --person")),
        (("-g", "age", "-g", "age", "-s", "disease"), ("'age'", "twice", "--group")),
        (("-g", "age", "-s", "age"), ("'age'", "--sensitive", "--group")),
        (("-g", "age", "-s", "disease", "--missing", "drop", "--domain", "Cold"), ("'Flu'", "not in --domain")),
    ],
)
def test_errors_of_the_library_name_options(tmp_path, args, said):
    path = tmp_path / "published.csv"
    path.write_text(FILE)
    result = invoke(["audit", str(path), *args])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert mentions(result.stderr, *said)


def test_a_file_of_an_unknown_kind_is_not_told_about_dataframes(tmp_path):
    (tmp_path / "people.docx").write_text("")
    result = invoke(["audit", str(tmp_path / "people.docx"), "-g", "age", "-s", "disease"])
    assert result.stderr.endswith(".csv, .tsv (also .gz or .zst), .xlsx, .dta, .sav or .sas7bdat\n")


ADVISED = {
    "answers/noise.py": ("noise", "attack-noise", "count", "ledger spent", "ledger begin", "promise"),
    "noise/noisy_counts.py": ("noise",),
    "noise/domain.py": ("noise",),
    "noise/ledger.py": ("ledger begin", "noise"),
    "noise/accountant.py": ("ledger spent", "ledger begin", "noise"),
    "noise/semantic_privacy.py": ("ledger spent", "promise"),
    "noise/attack.py": ("attack-noise",),
    "noise/estimates.py": ("noise", "count"),
    "noise/mechanism.py": ("noise",),
    "noise/privacy_profile.py": ("promise",),
    "noise/stable_counts.py": ("noise",),
    "noise/workload.py": ("noise",),
    "publish/noise.py": ("noise", "count"),
    "report/charts/promise.py": ("promise",),
}
"""Which verbs say the messages of a file; none: it is for Python only."""


def test_every_file_about_noise_is_looked_at():
    package = Path(sidelight.__file__).parent
    assert {f"noise/{file.name}" for file in (package / "noise").glob("[!_]*.py")} <= ADVISED.keys()


@pytest.mark.parametrize("file", ADVISED)
def test_advice_about_noise_names_options_that_are_there(file):
    """An option that a message names belongs to a verb that says it; a parameter without an option is of Python only."""
    text = (Path(sidelight.__file__).parent / file).read_text(encoding="utf-8")
    verbs = verbs_of(app)
    known = {
        option
        for verb in ADVISED[file]
        for argument in verbs[verb].assemble_argument_collection().filter_by(parse=True)
        for option in argument.names
    }
    named = {*re.findall(r"--[a-z][a-z-]+", text)}
    named |= {OPTIONS[name] for name in re.findall(r"""parameter\(["'](\w+)["']""", text) if name in OPTIONS}
    assert named <= known
