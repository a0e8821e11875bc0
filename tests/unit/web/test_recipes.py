"""The command and the Python that a view shows run as they stand, and say what it says."""

import re
import shlex
from html import unescape
from pathlib import Path

import pytest
from support.command_line import invoke
from support.explorer import guest, opened

import sidelight as sl
from sidelight.policy.limits import read_limit
from sidelight.table.roles import Roles
from sidelight.text import shell
from sidelight.web.recipes import write_judging
from sidelight.web.state import State
from sidelight.web.uploads import Uploads
from sidelight.web.workspace import ExploredFile


def run_python(text):
    made = {}
    exec(compile(text, "<sample>", "exec"), made)
    return made


@pytest.mark.parametrize("levels", [(), (("age", 2), ("sex", 1))])
def test_command_and_python_say_what_the_page_says(sample_files, capsys, levels):
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    state = held.start.but(levels=levels, limits=("group size >= 3", "implications(k=1) < 2/3"))
    asked = [read_limit(text) for text in state.limits]
    sample = write_judging(held.source, held.roles(state), state, asked)
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
    sample = write_judging(held.source, held.roles(state), state, [read_limit("group size >= 3")])
    first, *_ = sample.command.splitlines()
    assert first.startswith("sidelight hierarchies ")
    assert "sl.read_hierarchies('hierarchies')" in sample.python


def test_texts_stay_one_word_in_a_shell():
    words = ["sidelight", "audit", "a b.csv", "--limit", "it's; rm -rf *"]
    assert shlex.split(shell(words).replace("\\\n", " ")) == words


def test_a_state_without_limits_asks_for_measures():
    held_roles = Roles(quasi=("age",), sensitive="disease")
    source = ExploredFile("x.csv", read_release=lambda roles: None)
    sample = write_judging(source, held_roles, State(quasi=("age",)), [sl.GroupSize()])
    assert sample.command == "sidelight audit x.csv --group age --sensitive disease --measure 'group size'"
    assert sample.python.endswith("print(sl.GroupSize().measure(release).explain())")


def test_measures_of_coarser_columns_publish_nothing():
    source = ExploredFile("x.csv", read_release=lambda roles: None)
    state = State(quasi=("age",), levels=(("age", 1),))
    sample = write_judging(source, Roles(quasi=("age",), sensitive="disease"), state, [sl.GroupSize()])
    assert "sidelight protect" not in sample.command
    assert "--measure 'group size'" in sample.command


@pytest.mark.parametrize("method", ["mondrian", "anatomy"])
def test_samples_of_a_published_release_run(sample_files, tmp_path, capsys, method):
    table = sl.read_table(sample_files / "patients.parquet", quasi=["age", "sex"], sensitive="disease")
    sl.protect(table, sl.GroupSize() >= 2, method=method, ask="nobody").publish(tmp_path / "made.csv")
    held = opened(tmp_path / "made.csv", Roles())
    client = guest(held)
    sample = write_judging(held.source, held.roles(held.start), held.start, [sl.GroupSize()])
    run_python(sample.python)
    assert invoke(shlex.split(sample.command.replace("\\\n", " "))[1:]).exit_code == 0
    capsys.readouterr()
    data = client.get("/data").text
    assert "sidelight audit" in data
    assert ("age, sex are printed as they are" in data) == (method == "anatomy")
    release = client.get("/release").text
    assert "This was published already: searching needs the table" in release
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
