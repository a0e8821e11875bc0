"""What was asked is written as options and as Python; every answer has pages that tell it, and it comes to an end."""

import math
import re
import shlex
from dataclasses import fields
from fractions import Fraction
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.command_line import invoke, verbs_of
from support.explorer import guest, opened
from support.words import says

import sidelight as sl
from sidelight.answers.protect import write_protect_again
from sidelight.answers.questions import ProtectRequest
from sidelight.answers.recipe import (
    FileRecipe,
    Name,
    write_call,
    write_command,
    write_hierarchies,
    write_measure,
    write_measures,
    write_policy,
    write_protect,
    write_python,
    write_release,
    write_role_options,
    write_table,
)
from sidelight.answers.request import OPTIONS, Settings
from sidelight.answers.sources import read_question
from sidelight.cli.app import app
from sidelight.cli.help_pages import EXAMPLES
from sidelight.policy.limits import read_limit
from sidelight.policy.measure_names import all_measures
from sidelight.table.roles import Roles
from sidelight.text import shell
from sidelight.web.uploads import Uploads


def test_a_policy_is_read_from_its_file_where_that_says_all(sample_files):
    policy = sample_files / "policy.toml"
    assert write_policy(read_question(Settings(policy=policy))) == f"sl.read_policy({str(policy)!r})"
    for question in (
        read_question(Settings(policy=policy, limits=("implications(k=1) < 0.9",))),
        read_question(Settings(preset="k-map(k=4)")),
    ):
        names: dict[str, object] = {}
        exec(write_python(f"policy = {write_policy(question)}"), names)
        assert names["policy"] == question.policy


def test_measures_are_read_by_their_names():
    measures = (sl.GroupSize(), sl.Implications(2))
    names: dict[str, object] = {}
    exec(write_python(f"measures = {write_measures(measures)}"), names)
    assert names["measures"] == [*measures]


def test_columns_that_are_only_suppressed_get_hierarchies(sample_files):
    names = {"table": sl.read_table("patients.parquet", quasi=["age", "sex"], sensitive="disease")}
    exec(write_python(*write_hierarchies(sample_files / "hierarchies", ["sex"])), names)
    assert set(names["hierarchies"]) == {"age", "sex", "zip"}
    assert names["hierarchies"]["sex"] == sl.Hierarchy.suppression("sex", ["f", "m"])
    assert write_hierarchies(None) == ["hierarchies = {}"]


def test_settings_that_say_nothing_are_left_out():
    assert write_call("f", Name("release"), "a", given=None, names=("b",), empty=()) == "f(release, 'a', names=['b'])"


WITHOUT = {"demo", "serve", "hierarchies", "policy-schema", "report-schema", "release-report-schema", "sidecar-schema"}
"""Verbs that answer nothing."""


@pytest.mark.parametrize("verb", sorted(set(verbs_of(app)) - WITHOUT))
def test_every_verb_that_answers_has_pages(verb):
    names = {
        name
        for argument in verbs_of(app)[verb].assemble_argument_collection().filter_by(parse=True)
        for name in argument.names
    }
    assert {"--html", "--markdown"} <= names


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("verbs")
    rows = "".join(f"{20 + number % 4 * 10},{('Flu', 'Cold', 'Gout')[number % 3]}\n" for number in range(60))
    for name in ("a.csv", "b.csv", "people.csv"):
        (made / name).write_text(f"age,disease\n{rows}")
    (made / "named.csv").write_text("ward,name,disease\n1,Ann,Flu\n1,Bob,Cold\n2,Cleo,Flu\n2,Dan,Gout\n")
    (made / "policy.toml").write_text('[[limit]]\nmeasure = "group size"\nat_least = 20\n')
    (made / "hierarchies").mkdir()
    (made / "hierarchies" / "age.csv").write_text(
        "".join(f"{age};{'young' if age < 40 else 'old'};*\n" for age in (20, 30, 40, 50))
    )
    return made


ROLES = "-g age -s disease"
COMMANDS = {
    "audit": f"audit a.csv {ROLES}",
    "columns": "columns a.csv --quasi age -s disease",
    "explore": f"explore a.csv {ROLES} --value Flu",
    "protect": f"protect a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 20'",
    "compare": f"compare a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 20' --method lattice",
    "nothing": f"compare a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 900' --method lattice",
    "generalisations": f"generalisations a.csv {ROLES} --person 'each row' --hierarchies hierarchies -m 'group size'",
    "believe": f"believe a.csv {ROLES} --know '{{age = 20}} != Flu' --about '{{age = 20}}'",
    "believe names": "believe named.csv -g ward -s disease --person name --know 'Ann != Flu' --about Bob",
    "compare within a file": f"compare a.csv {ROLES} --person 'each row' --policy policy.toml --suppress-only age",
    "attack": "attack a.csv b.csv --people people.csv -g age -s disease",
    "learner": f"attack a.csv --as learner {ROLES.replace('-g', '--quasi')}",
    "promise": "promise --epsilon 1",
    "ledger": "ledger begin budget.json --epsilon 3",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_answers_are_drawn(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    result = invoke([*shlex.split(COMMANDS[name]), "--html", f"{name}.html", "--markdown", f"{name}.md"])
    assert result.exit_code == (1 if name == "nothing" else 0), result.stderr
    page = (folder / f"{name}.html").read_text(encoding="utf-8")
    assert page.count("<h1") == 1
    assert "sidelight " in page
    assert len(page) < 200_000
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert ("<svg" in page) == (name not in ("ledger", "believe", "believe names", "generalisations", "nothing"))
    if name not in ("ledger", "audit", "protect", "nothing"):
        exec(text.rpartition("```python")[2].partition("```")[0], {})


def read_command(command):
    """The request that a command makes, of its files, and where the answer goes."""
    _, bound, _ = app.parse_args(shlex.split(command)[1:], print_error=False, exit_on_error=False)
    bound.apply_defaults()
    (file, *_) = bound.args or ((),)
    files = (file,) if isinstance(file, str) else file
    return bound.arguments["request"].about(*files), bound.arguments["target"]


RARE = (
    "sidelight audit - -g age --missing-mark=- --missing-mark '' --engine spark --master 'local[2]' --memory 2GB",
    "sidelight believe a.csv -g 'a b' --rules 1 2 --rules 3 4 --vagueness 0.25 --seconds 7 --hierarchies=-h",
    "sidelight attack a.csv b.csv --people p.csv --present 1 --present 1 --same-value = --suppressed 'may hold them'",
    "sidelight protect t.csv -p p.toml --suppress 0.02 --force --bounds -o r.csv --html 'x y.html' --json",
    "sidelight columns t.csv --quasi age --missing-mark=-9 -p p.toml --preset ACRO",
)


@pytest.mark.parametrize(
    "command",
    [each for verb, both in EXAMPLES.items() if verb not in ("demo", "serve", "ledger show") for each in both],
)
def test_the_command_of_a_request_asks_the_same(command):
    request, target = read_command(command)
    written = write_command(request, target)
    assert written.startswith(f"sidelight {request.verb}")
    assert read_command(written) == (request, target)


@pytest.mark.parametrize("command", RARE)
def test_the_command_of_rare_options_asks_the_same(command):
    request, target = read_command(command)
    assert read_command(write_command(request, target)) == (request, target)


def test_no_command_repeats_whom_it_names():
    request, target = read_command("sidelight attack a.csv b.csv --people p.csv --person name --who Ann")
    assert "Ann" not in write_command(request, target)
    assert "--who" in write_command(request, target)


DOMAIN = ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer")


@pytest.mark.parametrize(
    "measure", [each for kind in all_measures() for each in kind.examples(DOMAIN) if each.register is None], ids=str
)
def test_every_measure_is_written_as_python_that_makes_it(measure):
    assert eval(write_measure(measure), {"sl": sl, "math": math, "Fraction": Fraction}) == measure


@pytest.mark.parametrize(
    "text", ["distinct values(of=disease) >= 2", "implications(k=1, of=zip, known=[disease]) < 2/3"]
)
def test_one_of_several_columns_is_written_as_python(text):
    criterion = read_limit(text)
    again = eval(write_measure(criterion), {"sl": sl, "Fraction": Fraction})
    assert (again.measure, again.comparison, again.bound) == (criterion.measure, criterion.comparison, criterion.bound)


def test_only_the_imports_that_are_needed():
    assert write_python("x = 1") == "import sidelight as sl\n\nx = 1"
    assert write_python("x = math.inf").startswith("import math\n")
    lines = write_python("x = 1", imports=["from pathlib import Path", ""])
    assert write_python(lines, "y = Path()", imports=["from pathlib import Path", ""]) == f"{lines}\ny = Path()"


ALL_SAID = Roles(
    quasi=("age",),
    sensitive="disease",
    values="set",
    missing="drop",
    missing_marks=("?",),
    split="|",
    encoding="utf-8",
    sheet="one",
    person="id",
    domain=("Flu",),
    sensitive_level=1,
    keep=("note",),
    weight="w",
    suppressed="a group",
    kinds=(("age", "number"),),
)


@pytest.mark.parametrize(
    "verb", ["audit", "report", "believe", "explore", "hierarchies", "protect", "attack", "columns"]
)
def test_roles_are_written_as_options_that_the_verb_has(verb):
    arguments = app[verb].assemble_argument_collection().filter_by(parse=True)
    has = {each.keys[1] for each in arguments if each.keys[:1] == ("columns",) and len(each.keys) == 2}
    has = {"quasi" if each == "known" else each for each in has} & {each.name for each in fields(Roles)}
    written = {word for word in write_role_options(ALL_SAID, verb) if word.startswith("--")}
    assert written == {OPTIONS[each] for each in has}


def test_roles_are_all_written():
    kinds, level = (("zip", "category"), ("size", ("s", "m", "l"))), {"sensitive_level": 1, "domain": ("Flu", "Cold")}
    roles = Roles(quasi=("zip",), sensitive="disease", kinds=kinds, keep=("note",), **level)
    words = " ".join(write_role_options(roles))
    assert "--domain Flu --domain Cold" in words
    assert "--sensitive-level 1 --kind zip=category --kind size=s<m<l" in words
    assert "--keep" not in write_role_options(roles, "audit")
    assert "kinds={'zip': 'category', 'size': ('s', 'm', 'l')}" in write_table("a.csv", roles)
    assert "sensitive_level" not in write_table("a.csv", roles)
    assert "keep" not in write_release("a.csv", roles)


def run_python(text):
    made = {}
    exec(compile(text, "<sample>", "exec"), made)
    return made


@pytest.mark.parametrize("levels", [(), (("age", 2), ("sex", 1))])
def test_command_and_python_say_what_the_page_says(sample_files, capsys, levels):
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    state = held.start.but(levels=levels, limits=("group size >= 3", "implications(k=1) < 2/3"))
    asked = [read_limit(text) for text in state.limits]
    sample = held.recipe(state).judging(asked)
    verdict = run_python(sample.python)["verdict"]
    shown = guest(held).get(state.address("/api/readers")).json()
    assert [str(each.value) for each in verdict.findings] == [
        finding["result"]["exact"] for reader in shown["readers"] for finding in reader["findings"]
    ]
    outcome = invoke(shlex.split(sample.command.replace("\\\n", " "))[1:])
    assert (outcome.exit_code == 0) == verdict.safe == (shown["holds"] is True), outcome.output
    capsys.readouterr()


def test_drafted_hierarchies_are_written_first(sample_files):
    held = opened(sample_files / "patients.parquet")
    state = held.start.but(levels=(("age", 1),))
    sample = held.recipe(state).judging([read_limit("group size >= 3")])
    first, *_ = sample.command.splitlines()
    assert first.startswith("sidelight hierarchies ")
    assert "sl.read_hierarchies('hierarchies')" in sample.python


def test_texts_stay_one_word_in_a_shell():
    words = ["sidelight", "audit", "a b.csv", "--limit", "it's; rm -rf *"]
    assert shlex.split(shell(words).replace("\\\n", " ")) == words


def test_a_state_without_limits_asks_for_measures():
    sample = FileRecipe("x.csv", Roles(quasi=("age",), sensitive="disease")).judging([sl.GroupSize()])
    assert sample.command == "sidelight audit x.csv --group age --sensitive disease --measure 'group size'"
    assert sample.python.endswith("print(sl.GroupSize().measure(release).explain())")


def test_measures_of_coarser_columns_publish_nothing():
    recipe = FileRecipe("x.csv", Roles(quasi=("age",), sensitive="disease"), {"age": 1})
    sample = recipe.judging([sl.GroupSize()])
    assert "sidelight protect" not in sample.command
    assert "--measure 'group size'" in sample.command


@pytest.mark.parametrize("method", ["mondrian", "anatomy"])
def test_samples_of_a_published_release_run(sample_files, tmp_path, capsys, method):
    table = sl.read_table(sample_files / "patients.parquet", quasi=["age", "sex"], sensitive="disease")
    sl.protect(table, sl.GroupSize() >= 2, method=method, ask="nobody").publish(tmp_path / "made.csv")
    held = opened(tmp_path / "made.csv", Roles())
    client = guest(held)
    sample = held.recipe(held.start).judging([sl.GroupSize()])
    run_python(sample.python)
    assert invoke(shlex.split(sample.command.replace("\\\n", " "))[1:]).exit_code == 0
    capsys.readouterr()
    data = client.get("/data").text
    assert "sidelight audit" in data
    assert ("age, sex are printed as they are" in data) == (method == "anatomy")
    release = client.get("/release").text
    assert says(release, "published already", "needs the table")
    assert "sidelight protect" not in release


OTHER = "age,sex,disease\n30,m,Flu\n31,m,AIDS\n40,f,Flu\n41,f,Cold\n"
FACT, SHARE = "/what-if?know=%231+!%3D+AIDS", "/what-if?know=P(AIDS+|+sex%3Dm)+%3D+0.2"
VIEWS = ["/data", "/readers", "/skyline", "/report", "/other-releases", "/release", FACT, SHARE]


@pytest.mark.parametrize("levels", ["", "&level=age:2"], ids=["as it stands", "coarser"])
@pytest.mark.parametrize("address", VIEWS)
def test_what_a_view_shows_runs_as_it_stands(sample_files, monkeypatch, address, levels):
    monkeypatch.chdir(sample_files)
    Path("kept").mkdir()
    held = opened(Path("patients.parquet"), hierarchies=Path("hierarchies"))
    client = guest(held, Uploads(Path("kept")))
    path, _, more = address.partition("?")
    if path == "/other-releases":
        Path("other.csv").write_text(OTHER)
        more = f"other={client.post('/api/uploads', files={'file': ('other.csv', OTHER)}).json()['key']}&same=%3D"
    state = f"quasi=age&quasi=sex&sensitive=disease&limit=group+size+>%3D+1&{more}{levels}"
    text = client.get(f"{path}?{state}").text
    command, python = (
        unescape(re.search(f'<code id="sample-{what}">(.*?)</code>', text, re.DOTALL)[1])
        for what in ("command", "python")
    )
    run_python(python)
    for each in Path().glob("re*.*"):
        each.unlink()  # which the Python wrote
    for line in command.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            outcome = invoke(words[1:])
            assert outcome.exit_code != 2, (line, outcome.output)


@pytest.mark.parametrize(
    ("method", "settings", "made"),
    [
        ("lattice", {"suppress": Name("0.04")}, sl.FullDomain(suppress=0.04)),
        ("lattice", {"suppressed": "left out", "nodes": 7}, sl.FullDomain(suppressed="left out", nodes=7)),
        ("microaggregation", {"average": "set"}, sl.Microaggregation(labels="set")),
        ("mondrian", {"resists": "insider"}, "mondrian"),
    ],
)
def test_write_protect_settings_make_the_same_method(method, settings, made):
    written = write_protect(method, settings)
    names = {"table": None, "policy": None, "hierarchies": None}
    asked = {}
    fake = SimpleNamespace(
        FullDomain=sl.FullDomain, Microaggregation=sl.Microaggregation, protect=lambda *_, **how: asked.update(how)
    )
    eval(written, {"sl": fake, **names})
    assert asked["method"] == made
    assert asked.get("resists") == settings.get("resists")


def test_protect_python_options_of_the_search_are_written():
    request = ProtectRequest(files=("people.csv",), suppress=0.04, ask="nobody")
    assert "method=sl.FullDomain(suppress=0.04), ask='nobody'" in write_protect_again(request)
