"""A sidecar that leads to another file than the one that was judged is refused by whoever reads it."""

import json
import shutil

import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadRelease
from sidelight.files import sidecar_path

ROWS = "sex,disease\n" + "f,Flu\nf,Cold\nm,Flu\nm,Cold\n" * 3


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(ROWS)
    table = sl.read_table("table.csv", quasi="sex", sensitive="disease")
    by = {"sex": sl.Hierarchy.suppression("sex", ["f", "m"])}
    sl.protect(table, sl.Policy(sl.GroupSize() >= 2), by=by, ask="nobody").publish("release.csv")
    (tmp_path / "other.csv").write_text("sex,disease\nf,Flu\nm,Gout\n")
    (tmp_path / "below").mkdir()
    shutil.copy("other.csv", "below/release.csv")
    return tmp_path / "release.csv"


def lie(document, path, value):
    *way, last = path
    for step in way:
        document = document[step]
    if value is None:
        del document[last]
    else:
        document[last] = value


LIES = [
    (("reading", "file"), "other.csv"),
    (("reading", "file"), "below/release.csv"),
    (("reading", "file"), "../release.csv"),
    (("reading", "file"), ""),
    (("reading", "file"), "*.csv"),
    (("files",), []),
    (("files",), None),
    (("files", 0, "name"), "other.csv"),
    (("files", 0, "name"), "../x"),
    (("files", 0, "name"), "/etc/hostname"),
    (("files", 0, "name"), "below/../release.csv"),
    (("files", 0, "name"), "."),
    (("files", 0, "name"), "release.csv\0"),
    (("files", 0, "sha256"), None),
    (("files", 0, "sha256"), ""),
    (("files", 0, "sha256"), "0" * 64),
    (("files", 0, "sha256"), "none"),
    (("verdict",), "not within policy"),
    (("kind",), "something else"),
]
VERBS = [("audit", "release.csv"), ("explore", "release.csv", "--value", "Flu"), ("report", "release.csv")]
VERBS += [("attack", "release.csv", "--people", "table.csv", "-g", "sex"), ("believe", "release.csv", "P(Flu)=0.5")]


@pytest.mark.parametrize(("path", "value"), LIES, ids=str)
def test_a_sidecar_that_lies_is_refused(release, path, value):
    document = json.loads(sidecar_path(release).read_text())
    lie(document, path, value)
    sidecar_path(release).write_text(json.dumps(document))
    with pytest.raises(BadRelease):
        sl.read_published(release)
    result = invoke(VERBS[LIES.index((path, value)) % len(VERBS)])
    assert result.exit_code == 2
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)


def test_a_sidecar_that_names_a_file_twice_or_is_of_another_file_is_refused(release):
    document = json.loads(sidecar_path(release).read_text())
    twice = {**document, "files": document["files"] * 2}
    sidecar_path(release).write_text(json.dumps(twice))
    with pytest.raises(BadRelease, match="does not tell of"):
        sl.read_published(release)
    sidecar_path(release.with_name("other.csv")).write_text(json.dumps(document))
    with pytest.raises(BadRelease, match="tells of other files"):
        sl.read_published(release.with_name("other.csv"))


def _as_link(file):
    file.with_name("link.csv").symlink_to(file)
    return "link.csv"


@pytest.mark.parametrize("name", [lambda file: file.name, _as_link, lambda _: "rel*.csv"])
@pytest.mark.parametrize(
    "words",
    [
        ["audit", ..., "-g", "sex", "-s", "disease", "-m", "group size"],
        ["columns", ...],
        ["compare", ..., "-g", "sex", "-s", "disease", "-l", "group size >= 2", "--suppress-only", "sex"],
        ["audit", "other.csv", "-g", "sex", "-s", "disease", "-m", "journalist risk", "--population", ...],
    ],
    ids=lambda words: f"{words[0]} {len(words)}",
)
def test_a_changed_release_is_read_by_no_verb_and_through_no_link_or_pattern(release, words, name):
    asked = [name(release) if word is ... else word for word in words]
    assert "sidecar" not in invoke(asked).stderr
    release.write_text(release.read_text() + "m,Gout\n")
    outcome = invoke(asked)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert mentions(outcome.stderr, "is not the file", "sidecar")


@pytest.mark.parametrize("make", ["link", "folder"])
def test_a_sidecar_that_is_no_file_is_not_taken_for_none(release, make):
    beside = sidecar_path(release)
    beside.unlink()
    beside.symlink_to("nowhere") if make == "link" else beside.mkdir()
    outcome = invoke(["audit", "release.csv", "-g", "sex", "-s", "disease", "-l", "group size >= 2"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("release", "people"), 5),
        (("release", "groups"), 1),
        (("release", "columns"), ["disease"]),
        (("release", "values"), 9),
        (("reading", "group"), []),
        (("reading", "domain"), ["Flu", "Cold", "Gout"]),
    ],
    ids=str,
)
def test_a_sidecar_that_contradicts_itself_is_refused(release, path, value):
    document = json.loads(sidecar_path(release).read_text())
    lie(document, path, value)
    sidecar_path(release).write_text(json.dumps(document))
    with pytest.raises(sl.SidelightError):
        sl.read_published(release)
    assert invoke(["audit", "release.csv", "-l", "group size >= 2"]).exit_code == 2
