"""What is planted in a table stands nowhere but where it may: through every verb, every file, every page, every error."""

import os
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlencode

import pytest
from support.command_line import invoke, verbs_of
from support.explorer import guest, opened
from support.markers import (
    AGE,
    ALONE,
    CELL,
    COLUMN,
    FOLDER,
    IDENTIFIER,
    LABEL,
    MAY_STAND,
    VALUE,
    Markers,
    promise_table,
    write_marked,
)

from sidelight.cli import run
from sidelight.cli.app import app
from sidelight.report import render
from sidelight.table.roles import Roles
from sidelight.web.uploads import Uploads

P, H = ("--policy", "policy.toml"), ("--hierarchies", "levels")
ROLES = ("--group", "age", "--group", "sex", "--group", "zip", "--sensitive", "disease")
LEFT_OUT = ("--suppress", "0.05", "--suppressed", "left out", "--levels", "age=0,sex=0,zip=0")
COUNTED = ("--person", "patient", "--sensitive", "disease", "--epsilon", "1", "--levels")
DECLARED = ("age=1,sex=0", *H, "--domain", "Flu", "--domain", "Cold", "--domain", "Gout")
NEIGHBOUR = IDENTIFIER + 3
TABLE, RELEASE, NOISE = "answers on the table", "answers on the release", "noise and ledgers"

COMMANDS = [
    (TABLE, "columns people.csv --write draft.toml --html H"),
    (TABLE, "hierarchies people.csv -p policy.toml -o drafts"),
    (TABLE, "audit people.csv -p policy.toml -m implications(1) --html H"),
    (TABLE, "explore people.csv -p policy.toml --value Flu -o J"),
    (TABLE, ("believe", "people.csv", *P, "--know", "#1 != Flu", "--markdown", "M")),
    (TABLE, "compare people.csv -p policy.toml --hierarchies levels -o J"),
    (TABLE, "generalisations people.csv -p policy.toml --hierarchies levels --markdown M"),
    (TABLE, "simulate people.csv -p policy.toml --hierarchies levels --overlap 50 --seed 1 -o J"),
    (TABLE, ("protect", "people.csv", *P, *H, *LEFT_OUT, "-o", "release.csv", "--html", "H")),
    (TABLE, ("protect", "people.csv", *P, *H, *LEFT_OUT, "-o", "again.parquet", "--bounds", "--json")),
    (TABLE, ("protect", "people.csv", *P, *H, *LEFT_OUT, "-o", "streamed.csv", "--memory", "400MB")),
    (TABLE, "protect people.csv -p policy.toml --method mondrian -o mondrian.parquet"),
    (TABLE, "protect people.csv -p policy.toml --hierarchies levels --method anatomy -o anatomy.csv"),
    (RELEASE, "audit release.csv -p policy.toml -o J"),
    (RELEASE, "audit again.parquet -p policy.toml --memory 400MB --markdown M"),
    (RELEASE, "explore release.csv --value Flu --markdown M"),
    (RELEASE, ("believe", "release.csv", "--know", "P(Flu) <= 0.5", "-o", "J")),
    (RELEASE, f"attack release.csv again.parquet --people people.csv --person patient --who {NEIGHBOUR} --html H"),
    (RELEASE, "attack release.csv --as insider --table people.csv --hierarchies levels --person patient -o J"),
    (RELEASE, "report release.csv -p policy.toml --hierarchies levels --table people.csv -o J --pdf D"),
    (NOISE, "ledger begin ledger.json --epsilon 9"),
    (NOISE, ("noise", "people.csv", *COUNTED, *DECLARED, "--ledger", "ledger.json", "-o", "noise.csv", "--html", "H")),
    (NOISE, ("noise", "people.csv", *COUNTED, "age=0", "--undeclared", "--delta", "1e-9", "-o", "found.csv", "--json")),
    (NOISE, "count noise.csv --value Flu -o J"),
    (NOISE, "attack-noise noise.csv --people people.csv --truth disease --hierarchies levels -o J"),
    (NOISE, "ledger show ledger.json -o J"),
    (NOISE, "ledger spent ledger.json -o J"),
    (NOISE, "promise ledger.json --plot G"),
    (NOISE, "report-schema"),
]
"""What is asked, and about what the answer is; H, M, J, D, S, G stand for files of a kind."""

MORE_COMMANDS = [
    (TABLE, "audit people.csv -p policy.toml --memory 400MB -o J --markdown M"),
    (TABLE, "report people.csv -p policy.toml --hierarchies levels -o J --html H --markdown M"),
    (TABLE, "columns people.csv --person patient --markdown M -o J"),
    (TABLE, "explore people.csv -p policy.toml --value Flu --html H"),
    (TABLE, "compare people.csv -p policy.toml --hierarchies levels --html H --markdown M"),
    (TABLE, "protect people.csv -p policy.toml --method mondrian --memory 400MB -o mondrian-streamed.csv"),
    (TABLE, "protect people.csv -p policy.toml --method microaggregation -o averages.csv --html H"),
    (TABLE, "protect people.csv -p policy.toml --hierarchies levels --method anatomy -o anatomy-told.csv --html H"),
    (RELEASE, "audit release.csv -p policy.toml --html H --markdown M"),
    (RELEASE, "attack release.csv --as learner --table people.csv --person patient --html H --markdown M -o J"),
    (NOISE, "promise ledger.json --plot S --html H --markdown M -o J"),
    (NOISE, "ledger show ledger.json --html H --markdown M"),
    (NOISE, "attack-noise noise.csv --people people.csv --truth disease --hierarchies levels --html H --markdown M"),
]
"""More of the same, for who has the time: SIDELIGHT_HYPOTHESIS=thorough."""

PRINTS_WHAT_IS_RARE = ("mondrian", "anatomy", "averages")
"""Releases that leave nobody out: what is rare stands there as it is, in an interval or a set, within the limits."""

ENDINGS = {"H": ".html", "M": ".md", "J": ".json", "D": ".pdf", "S": ".svg", "G": ".png"}
OF_NOBODYS_FILE = {"demo", "policy-schema", "release-report-schema", "sidecar-schema"}
SHOWN_ON_PAGES = {"serve"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the table is, and where all verbs are run."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp(FOLDER)
        patch.chdir(folder)
        write_marked(folder)
        yield folder


@pytest.fixture(scope="module")
def seen(folder, tmp_path_factory):
    """All that was written: the place of the promise that it is, where it stands, and which markers are in it."""
    markers, seen, children, progress = Markers(folder), [], [], []
    aside = tmp_path_factory.mktemp("aside")

    def print_page(command, **_):
        children.append(" ".join(command))
        page = next(Path(word.removeprefix("file://")) for word in command if word.startswith("file://"))
        page.with_suffix(".pdf").write_bytes(page.read_bytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(aside))
        patch.setattr(run, "quiet", lambda what, *_: progress.append(what))
        patch.setattr(render, "browser_path", lambda: "browser")
        patch.setattr(subprocess, "run", print_page)
        thorough = os.environ.get("SIDELIGHT_HYPOTHESIS") == "thorough"
        for number, (about, command) in enumerate([*COMMANDS, *(MORE_COMMANDS if thorough else ())]):
            words = [f"{number}{ENDINGS[word]}" if word in ENDINGS else word for word in words_of(command)]
            before, outcome = written_in(folder), invoke(words)
            what = " ".join(words)
            failed = {f"failed: {outcome.stderr}"} if outcome.exit_code not in (0, 1) else set()
            failed |= {f"failed: left {path.name} behind" for path in aside.iterdir()}
            seen += [(about, f"{what}: terminal", markers.of_text(outcome.output) | failed)]
            for path, content in written_in(folder).items():
                if before.get(path) != content:
                    released = words[0] == "protect" and not path.name.startswith(str(number))
                    seen += [("published" if released else about, f"{what}: {path}", of_file(markers, path, content))]
    seen += [("children", f"child: {words}", markers.of_text(words)) for words in children]
    seen += [("errors", f"progress: {what}", markers.of_text(what)) for what in progress]
    return seen


def words_of(command):
    return command.split() if isinstance(command, str) else command


def of_file(markers, path, content):
    return markers.of_text(str(path)) | markers.of_bytes(content, path.suffix)


def written_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def unpromised(seen, kind):
    """List where a marker stands and may not."""
    may, rare = MAY_STAND[kind], "left out" in kind or "row" in kind
    printed = [(place, where) for place, where, kinds in seen if kind in kinds]
    return [
        where
        for place, where in printed
        if (place not in may or (may[place] == "on the terminal" and not where.endswith(": terminal")))
        and not (rare and any(name in where for name in PRINTS_WHAT_IS_RARE))
    ]


@pytest.mark.parametrize("kind", MAY_STAND)
def test_markers_stand_where_they_may_and_nowhere_else(seen, kind):
    assert unpromised(seen, kind) == []


def test_all_of_it_works_and_finds_what_may_be_told(seen):
    assert [kind for _, _, kinds in seen for kind in kinds if kind.startswith("failed")] == []
    assert sum(place == "children" for place, _, _ in seen) == 1
    assert sum(where.startswith("progress") for _, where, _ in seen) > 10
    told = {(kind, place) for place, _, kinds in seen for kind in kinds}
    for kind in ("a label of somebody who is left out", "several cells of one row", "a digest of the table"):
        assert (kind, TABLE) in told, f"nobody looks for {kind}"


def test_every_verb_is_tried():
    tried = [words_of(command) for _, command in COMMANDS]
    verbs = {verb for verb in verbs_of(app) if any(" ".join(words[: len(verb.split())]) == verb for words in tried)}
    assert verbs_of(app).keys() - verbs == OF_NOBODYS_FILE | SHOWN_ON_PAGES


def test_every_kind_of_marker_is_found_where_it_is(folder):
    markers = Markers(folder)
    planted = markers.of_bytes((folder / "people.csv").read_bytes())
    assert planted == {kind for kind in MAY_STAND if "digest" not in kind and "folder" not in kind}
    assert markers.of_text(f"{IDENTIFIER + 3:,}") == {"an identifier"}
    assert markers.of_text(str(folder)) == {"the folder of the table"}


def test_only_who_asks_by_name_is_told_names_and_on_the_terminal_alone(folder):
    (folder / "raw.csv").write_text((folder / "people.csv").read_text())
    asked = ("explore", "raw.csv", *ROLES, "--value", VALUE, "--people", "people.csv", "--name", "patient")
    named = invoke([*asked, "-o", "named.json", "--markdown", "named.md"])
    assert str(IDENTIFIER + 999) in named.stdout
    for name in ("named.json", "named.md"):
        assert "an identifier" not in Markers(folder).of_bytes((folder / name).read_bytes())


DAMAGED = {
    "twice.csv": lambda text: text + ALONE.replace(str(AGE), "14000") + "\n",
    "quote.csv": lambda text: text + f'{IDENTIFIER},{CELL},"{AGE},f,{LABEL},{VALUE}\n',
    "short.csv": lambda text: text + f"{IDENTIFIER},{CELL},{AGE},f\n",
    "long.csv": lambda text: text + f"{ALONE},{CELL}\n",
    "missing.csv": lambda text: text + ALONE.replace(VALUE, "") + "\n",
    "latin.csv": lambda text: text + ALONE + "é\n",
    "headless.csv": lambda text: "\n".join(text.splitlines()[:0:-1]) + "\n",
}
MISTAKES = [
    ("attack", "raw.csv", "other.csv", *ROLES, "--people", "people.csv", "--person", "patient", "--who", "7300099"),
    ("attack", "raw.csv", "other.csv", *ROLES, "--people", "people.csv", "--person", COLUMN, "--who", f"{CELL}99"),
    ("explore", "raw.csv", *ROLES, "--value", VALUE[:-1]),
    ("explore", "raw.csv", *ROLES, "--value", "Flu", "--people", "people.csv", "--name", "patien"),
    ("believe", "raw.csv", *ROLES, "--know", "{patient = 7300099} = Flu"),
    ("believe", "raw.csv", *ROLES, "--know", f"{{age = 1357, zip = {LABEL[:-1]}}} = Flu"),
    ("audit", "people.csv", "--group", "patien", "--sensitive", "disease"),
    ("audit", "people.csv", "--group", "age", "--sensitive", "disease", "--domain", "Flu"),
    ("protect", "people.csv", *P, *H, "--weight", COLUMN),
    ("protect", "people.csv", *P, *H, "--limit", "group size >= 300"),
    ("protect", "people.csv", *P, "--hierarchies", "other-levels"),
    ("protect", "people.csv", *P, *H, "--kind", "zip=number"),
    ("protect", "people.csv", *P, *H, "--memory", "400MB", "--levels", "age=9"),
    ("hierarchies", "people.csv", *P, "-o", "drafted", "--cuts", "zip=1"),
    ("noise", "people.csv", *COUNTED, *DECLARED, "--outside", "an error", "-o", "n.csv"),
    ("noise", "people.csv", *COUNTED, "age=1", *H, "-o", "n.csv"),
    ("columns", "people.csv", "--sensitive", "diseas"),
]


def test_errors_show_no_row_and_nothing_of_columns_without_a_role(folder):
    text, markers, seen = (folder / "people.csv").read_text(), Markers(folder), []
    for name in ("raw.csv", "other.csv"):
        (folder / name).write_text(text)
    (folder / "other-levels").mkdir()
    for name, labels in (("age", "20 30"), ("sex", "f m"), ("zip", "140")):
        (folder / "other-levels" / f"{name}.csv").write_text("".join(f"{each};*\n" for each in labels.split()))
    for name, damage in DAMAGED.items():
        (folder / name).write_bytes(damage(text).encode("latin-1"))
    damaged = [(verb, name, *P) for name in DAMAGED for verb in ("audit", "protect")]
    damaged += [("audit", name, *P, "--memory", "400MB") for name in DAMAGED]
    for words in (*MISTAKES, *damaged):
        outcome = invoke([*words, "--debug"])
        assert (outcome.exit_code > 0, outcome.stdout) == (True, ""), words
        typed = markers.of_text(" ".join(words))
        seen += [("errors", " ".join(words), markers.of_text(outcome.output) - typed)]
    assert {kind: unpromised(seen, kind) for kind in MAY_STAND} == {kind: [] for kind in MAY_STAND}


def latest_job(held, lane):
    job = next(each for each in reversed(held.jobs._jobs.values()) if each.lane == lane)
    assert job.wait(120)
    return job


VIEWS = ("/data", "/readers", "/release", "/skyline", "/what-if", "/other-releases", "/report")


def test_pages_show_no_identifier_and_nothing_of_columns_without_a_role(folder, tmp_path):
    held = opened(Path("people.csv"), Roles(quasi=("age", "sex", "zip"), sensitive="disease", person="patient"))
    client, markers, seen = guest(held, Uploads(tmp_path)), Markers(folder), []
    state = held.start.but(limits=("group size >= 3",))

    def ask(path, *fields, posted=None):
        address = f"{path}?{urlencode([*state.pairs(), *fields])}"
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = (
            client.get(address) if posted is None else client.post(path, content=urlencode(posted), headers=headers)
        )
        place = "published" if path.startswith("/release/published/") else TABLE
        where = f"{path}: {answer.status_code}"
        kinds = markers.of_bytes(answer.content, ".zip" if place == "published" else "")
        seen.append((place, where, kinds | markers.of_text(str(answer.headers))))
        return answer

    for view in VIEWS:
        ask(view), ask(f"/api{view}")
    ask("/what-if", ("know", "#1 != Flu")), ask("/api/what-if/completions", ("text", "#1 != "), ("at", "6"))
    ask("/data", ("quasi", "patien")), ask("/readers", ("limit", "implications(k=1) < 1/2")), ask("/trouble")
    left_out = [("suppress", "0.05"), ("suppressed", "left out"), ("ask", "nobody")]
    ask("/release", posted=[*state.pairs(), *left_out])
    job = latest_job(held, "searches")
    assert job.problem is None
    for view in (
        "/release",
        "/report",
        "/api/release",
        "/api/report",
        f"/jobs/{job.number}",
        f"/api/jobs/{job.number}",
    ):
        ask(view, *left_out)
    wanted = [("name", "release"), ("ending", ".csv"), ("to", "browser")]
    assert all(each.wait(120) for each in held.jobs._jobs.values())
    ask("/release/publish", posted=[*state.pairs(), *left_out, *wanted])
    assert ask(f"/release/published/{latest_job(held, 'publishing').number}").status_code == 200
    given = client.post(
        f"/other-releases?{urlencode(state.pairs())}", files={"file": ("other.csv", b"\xff\xfe,zqcell,1\n")}
    )
    seen.append((TABLE, "an upload that cannot be read", markers.of_text(given.text)))
    held.jobs.close()
    assert sum(place == "published" for place, _, _ in seen) == 1
    assert {kind: unpromised(seen, kind) for kind in MAY_STAND} == {kind: [] for kind in MAY_STAND}


def test_the_promise_is_the_one_that_is_printed():
    page = Path(__file__).parents[2] / "docs" / "trust.md"
    section = page.read_text(encoding="utf-8").partition("<!-- leaks -->")[2].partition("<!-- /leaks -->")[0]
    assert promise_table() in section, "run: make verify WHAT=leaks"
