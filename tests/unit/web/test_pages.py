"""How a view is drawn: every text is text, and htmx is told the address."""

import math
import shlex
from dataclasses import fields
from fractions import Fraction

import pytest
from support.command_line import invoke
from support.explorer import ESCAPE, INJECTED, TURNED, guest, opened, write_hostile

import sidelight as sl
from sidelight.cli.column_options import (
    ROLES,
    BelievedColumns,
    JointColumns,
    ReleaseColumns,
    SuggestedColumns,
    TableColumns,
)
from sidelight.policy.limit_text import read_limit
from sidelight.policy.measure_names import all_measures
from sidelight.table.roles import Roles
from sidelight.web.pages import (
    NOT_OPTIONS_OF,
    OPTIONS,
    in_python,
    judged,
    role_keywords,
    role_options,
    shell,
    static_address,
    with_imports,
)
from sidelight.web.state import State
from sidelight.web.workspace import ExploredFile


@pytest.fixture
def hostile(tmp_path):
    roles = Roles(quasi=("age", "<b>sex</b>"), sensitive="disease")
    return guest(opened(write_hostile(tmp_path / "<i>hostile.csv"), roles))


@pytest.mark.parametrize("path", ["/", "/data", "/readers"])
def test_cells_that_are_scripts_formulas_or_escapes_are_text(hostile, path):
    text = hostile.get(path).text
    for raw in (INJECTED, "<b>sex</b>", "<i>hostile", "<img src=x", ESCAPE, TURNED):
        assert raw not in text
    assert path == "/" or "&lt;b&gt;sex&lt;/b&gt;" in text


def test_hostile_addresses_are_text_too(hostile):
    for name in ("quasi", "limit", "add", "level"):
        answer = hostile.get("/readers", params={"sensitive": "disease", "quasi": ["age", INJECTED], name: INJECTED})
        assert INJECTED not in answer.text


def test_a_request_of_htmx_is_told_the_address_of_what_it_shows(sample_files):
    client = guest(opened(sample_files / "patients.parquet"))
    address = "/readers?quasi=age&sensitive=disease&limit=implications(k%3D1)+%3C+1/2&set-0-k=3&set-0-bound=0.4"
    answer = client.get(address, headers={"hx-request": "true"})
    assert answer.headers["hx-replace-url"] == (
        "/readers?quasi=age&sensitive=disease&limit=implications%28k%3D3%29+%3C+0.4"
    )
    without_scripts = client.get(address)
    assert str(without_scripts.url).endswith(answer.headers["hx-replace-url"])


def test_files_of_ours_name_their_version():
    assert static_address("page.css").startswith("/static/page.css?v=")


DOMAIN = ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer")


@pytest.mark.parametrize(
    "measure", [each for kind in all_measures() for each in kind.examples(DOMAIN) if each.register is None], ids=str
)
def test_every_measure_is_written_as_python_that_makes_it(measure):
    assert eval(in_python(measure), {"sl": sl, "math": math, "Fraction": Fraction}) == measure


@pytest.mark.parametrize(
    "text", ["distinct values(of=disease) >= 2", "implications(k=1, of=zip, known=[disease]) < 2/3"]
)
def test_one_of_several_columns_is_written_as_python(text):
    criterion = read_limit(text)
    again = eval(in_python(criterion), {"sl": sl, "Fraction": Fraction})
    assert (again.measure, again.comparison, again.bound) == (criterion.measure, criterion.comparison, criterion.bound)


def run_python(text):
    made = {}
    exec(compile(text, "<sample>", "exec"), made)
    return made


@pytest.mark.parametrize("levels", [(), (("age", 2), ("sex", 1))])
def test_command_and_python_say_what_the_page_says(sample_files, capsys, levels):
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    state = held.start.but(levels=levels, limits=("group size >= 3", "implications(k=1) < 2/3"))
    asked = [read_limit(text) for text in state.limits]
    sample = judged(held.source, held.roles(state), state, asked)
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
    sample = judged(held.source, held.roles(state), state, [read_limit("group size >= 3")])
    first, *_ = sample.command.splitlines()
    assert first.startswith("sidelight hierarchies ")
    assert "sl.read_hierarchies('hierarchies')" in sample.python


def test_texts_stay_one_word_in_a_shell():
    words = ["sidelight", "audit", "a b.csv", "--limit", "it's; rm -rf *"]
    assert shlex.split(shell(words).replace("\\\n", " ")) == words


def test_only_the_imports_that_are_needed():
    assert with_imports(["x = 1"]) == "x = 1"
    assert with_imports(["x = math.inf"]).startswith("import math\n")


def test_a_state_without_limits_asks_for_measures():
    held_roles = Roles(quasi=("age",), sensitive="disease")
    source = ExploredFile("x.csv", read_release=lambda roles: None)
    sample = judged(source, held_roles, State(quasi=("age",)), [sl.GroupSize()])
    assert sample.command == "sidelight audit x.csv --group age --sensitive disease --measure 'group size'"
    assert sample.python.endswith("print(sl.GroupSize().measure(release).explain())")


@pytest.mark.parametrize("verb", NOT_OPTIONS_OF)
def test_roles_are_written_as_options_that_the_verb_has(verb):
    classes = {
        "audit": ReleaseColumns,
        "report": ReleaseColumns,
        "believe": BelievedColumns,
        "explore": BelievedColumns,
    }
    others = {"columns": SuggestedColumns, "attack": JointColumns, "hierarchies": TableColumns, "protect": TableColumns}
    has = {ROLES.get(each.name, each.name) for each in fields({**classes, **others}[verb])}
    if verb not in ("audit", "report"):
        has -= {"suppressed"}  # it says there who may be among them, and not how a file is read
    assert has & {*OPTIONS} == {*OPTIONS} - {*NOT_OPTIONS_OF[verb]}


def test_roles_are_all_written():
    kinds, level = (("zip", "category"), ("size", ("s", "m", "l"))), {"sensitive_level": 1, "domain": ("Flu", "Cold")}
    roles = Roles(quasi=("zip",), sensitive="disease", kinds=kinds, keep=("note",), **level)
    words = " ".join(role_options(roles))
    assert "--domain Flu --domain Cold" in words
    assert "--sensitive-level 1 --kind zip=category --kind size=s<m<l" in words
    assert "--keep" not in role_options(roles, "audit")
    assert "kinds={'zip': 'category', 'size': ('s', 'm', 'l')}" in role_keywords(roles, "quasi")
    assert "keep" not in role_keywords(roles, "group")


def test_measures_of_coarser_columns_publish_nothing():
    source = ExploredFile("x.csv", read_release=lambda roles: None)
    state = State(quasi=("age",), levels=(("age", 1),))
    sample = judged(source, Roles(quasi=("age",), sensitive="disease"), state, [sl.GroupSize()])
    assert "sidelight protect" not in sample.command
    assert "--measure 'group size'" in sample.command


@pytest.mark.parametrize("method", ["mondrian", "anatomy"])
def test_samples_of_a_published_release_run(sample_files, tmp_path, capsys, method):
    table = sl.read_table(sample_files / "patients.parquet", quasi=["age", "sex"], sensitive="disease")
    sl.protect(table, sl.GroupSize() >= 2, method=method, ask="nobody").publish(tmp_path / "made.csv")
    held = opened(tmp_path / "made.csv", Roles())
    client = guest(held)
    sample = judged(held.source, held.roles(held.start), held.start, [sl.GroupSize()])
    run_python(sample.python)
    assert invoke(shlex.split(sample.command.replace("\\\n", " "))[1:]).exit_code == 0
    capsys.readouterr()
    data = client.get("/data").text
    assert "sidelight audit" in data
    assert ("age, sex are printed as they are" in data) == (method == "anatomy")
    release = client.get("/release").text
    assert "This was published already: searching needs the table" in release
    assert "sidelight protect" not in release
