"""`sidelight protect`: what it writes, prints and answers, and what it says when something is wrong."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import answer, invoke
from support.waiting import PATIENCE
from support.words import mentions

import sidelight as sl
from sidelight.publish.sidecar import Sidecar

POLICY = """
[roles]
quasi = ["age", "sex", "zip"]
sensitive = "disease"

[[limit]]
measure = "group size"
at_least = 5
"""


@pytest.fixture
def here(sample_files):
    (sample_files / "policy.toml").write_text(POLICY)
    return sample_files


def run(*args):
    return invoke(["protect", *args])


def names(folder):
    return {path.name for path in folder.iterdir()} - {
        "patients.parquet",
        "published.csv",
        "policy.toml",
        "hierarchies",
    }


USUAL = ("patients.parquet", "--policy", "policy.toml", "--hierarchies", "hierarchies")


@pytest.mark.parametrize("method", ["lattice", "mondrian", "anatomy", "microaggregation"])
@pytest.mark.parametrize("output", ["release.csv", "release.parquet"])
def test_it_publishes_within_policy(here, method, output):
    done = run(*USUAL, "-o", output, "--method", method)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "✓ Published within policy: patients.parquet" in done.stdout
    values = {output.replace(".", ".values.")} if method == "anatomy" else set()
    assert names(here) == {output, f"{output}.sidelight.json", f"{output}-metadata.json"} | values
    assert all(name in done.stdout.splitlines()[-1] for name in names(here))
    assert sl.GroupSize().measure(sl.read_published(here / output)).value >= 5
    again = invoke(["audit", output, "--policy", "policy.toml"])
    assert again.exit_code == 0


@pytest.mark.usefixtures("here")
def test_it_says_before_and_after():
    text = run(*USUAL, "-o", "release.csv", "--limit", "distinct values >= 2").stdout
    table = {line.strip().rsplit("  ", 1)[0].split("  ")[0]: line.split() for line in text.splitlines()}
    assert table["people"][1:] == ["40", "40"]
    assert table["groups"][1] == "40"
    assert table["group size"][2] == "1"
    assert table["distinct values"][-3:-1] == ["≥", "2"]
    assert "Levels: age" in text
    assert "Utility (smaller is better): balanced loss" in text


def test_without_output_nothing_is_published_and_it_says_so(here):
    done = run(*USUAL)
    assert (done.exit_code, done.stderr, names(here)) == (0, "", set())
    assert mentions(
        done.stdout.splitlines()[0], "✓ Within policy", "not published", "patients.parquet", "lattice", "--output FILE"
    )
    assert "Written" not in done.stdout
    document = answer(run(*USUAL, "--json"))
    assert (document["verdict"], document["published"]) == ("within policy", None)


def test_every_minimal_choice_is_listed_and_can_be_taken(here):
    done = run(*USUAL)
    assert "best first\nbalanced loss    loss  --levels\n" in done.stdout
    choices = answer(run(*USUAL, "--json"))["choices"]
    assert len(choices) > 1
    for choice in choices:
        words = ",".join(f"{name}={level}" for name, level in choice["levels"].items())
        assert words in done.stdout.split()
        taken = answer(run(*USUAL, "--levels", words, "--json"))
        assert (taken["levels"], taken["verdict"], taken["checked"]) == (choice["levels"], "within policy", 1)
    done = run(*USUAL, "--levels", words, "-o", "release.csv")
    assert done.exit_code == 0
    assert names(here) == {"release.csv", "release.csv.sidelight.json", "release.csv-metadata.json"}


def test_levels_that_break_the_policy_are_refused_with_the_limits_they_break(here):
    done = run(*USUAL, "--levels", "age=0", "-o", "release.csv")
    assert (done.exit_code, done.stdout, names(here)) == (1, "", set())
    assert mentions(
        done.stderr, "sidelight:", "levels age 0, sex 0, zip 0", "not within policy", "group size ≥ 5 (it is 1)"
    )
    assert mentions(done.stderr, "leave --levels out")
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("here")
def test_it_says_when_nothing_is_left_of_the_columns():
    alone = run(*USUAL, "-o", "release.csv", "--limit", "group size >= 40").stdout
    assert mentions(alone, "in one group", "nothing is left")
    assert "in one group" not in run(*USUAL, "-o", "finer.csv").stdout


@pytest.mark.usefixtures("here")
def test_json_is_the_document_beside_the_release():
    done = run(*USUAL, "-o", "release.csv", "--json", "--utility", "loss")
    document = Sidecar.model_validate(answer(done)["published"])
    assert json.loads(Path("release.csv.sidelight.json").read_text(encoding="utf-8")) == answer(done)["published"]
    assert document.search.method == "lattice"


def test_suppression_and_layouts(here):
    done = run(
        *USUAL, "-o", "release.csv", "--suppress", "0.2", "--suppressed", "left out", "--layout", "counts", "--json"
    )
    document = Sidecar.model_validate(answer(done)["published"])
    assert document.search.options["suppressed"] == "left out"
    assert document.people.people_out == 40 - document.people.suppressed
    assert (here / "release.csv").read_text().splitlines()[0] == "age,sex,zip,people,disease,count"
    run(*USUAL, "-o", "arx.csv", "--written-as", "arx")
    assert (here / "arx.csv").read_text().splitlines()[0] == "age;sex;zip;disease"


def test_nothing_within_policy_says_what_would_pass(here):
    done = run(*USUAL, "-o", "release.csv", "-l", "group size >= 41")
    assert (done.exit_code, done.stdout, names(here)) == (1, "", set())
    assert mentions(done.stderr, "sidelight:", "not even one group", "group size ≥ 41")
    assert done.stderr.count("\n") == 1
    said = answer(run(*USUAL, "-o", "release.csv", "-l", "group size >= 41", "--json"))
    (closest,) = said["closest"]
    assert mentions(closest, "group size", "at most 40")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("patients.parquet", "-o", "r.csv"), ("policy without any limit", "--policy", "limits")),
        (("patients.parquet", "-o", "r.csv", "-l", "group size >= 5"), ("--group and --sensitive",)),
        (("patients.parquet", "-o", "r.csv", "-l", "group size >= 5", "-g", "age"), ("patients.parquet", "id, age")),
        (("nothing.csv", *USUAL[1:], "-o", "r.csv"), ("no file nothing.csv",)),
        ((*USUAL, "-o", "r.xlsx"), (".parquet or .csv",)),
        ((*USUAL, "-o", "nowhere/r.csv"), ("no folder 'nowhere'", "'r.csv'", "make it")),
        ((*USUAL, "-o", "published.csv"), ("'published.csv' exists", "another name")),
        ((*USUAL, "-o", "patients.parquet", "--force"), ("patients.parquet", "never written over")),
        ((*USUAL, "-o", "hierarchies/age.csv", "--force"), ("hierarchies/age.csv", "never written over")),
        ((*USUAL[:3], "--hierarchies", "nohier", "-o", "r.csv"), ("no such folder 'nohier'", "hierarchy")),
        ((*USUAL[:3], "--hierarchies", "published.csv", "-o", "r.csv"), ("'published.csv' is not a folder",)),
        (
            (*USUAL[:3], "-o", "r.csv"),
            ("no hierarchy for 'age'", "'age.csv'", "folder of --hierarchies", "sidelight hierarchies"),
        ),
        ((*USUAL, "-o", "r.csv", "--suppress-only", "agee"), ("'agee'", "mean 'age'")),
        ((*USUAL, "-o", "r.csv", "--suppress", "2"), ("--suppress 2", "not a share")),
        ((*USUAL, "-o", "r.csv", "--suppress", "0.1", "--method", "mondrian"), ("'mondrian' does not suppress",)),
        (
            (*USUAL, "-o", "r.csv", "--layout", "two tables"),
            ('--layout "two tables"', 'not for method "lattice"', "leave --layout out"),
        ),
        ((*USUAL, "--layout", "counts"), ("--layout", "file that is published", "--output")),
        ((*USUAL, "--levels", "age"), ("cannot read --levels 'age'", "columns and their levels")),
        ((*USUAL, "--levels", "age=1,aeg=1"), ("--levels names 'aeg'", "no quasi-identifier", "mean 'age'")),
        ((*USUAL, "--levels", "age=99"), ("'age' has no level 99", "--levels takes 0")),
        ((*USUAL, "--levels", "age=1", "--method", "mondrian"), ("method 'mondrian' has no levels",)),
    ],
)
def test_bad_input_is_one_line(here, args, said):
    done = run(*args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert mentions(done.stderr, *said)
    assert done.stderr.count("\n") == 1
    assert names(here) == set()


@pytest.mark.usefixtures("here")
def test_a_column_without_a_hierarchy_can_be_suppressed_only():
    done = run(*USUAL[:3], "-o", "r.csv", "--suppress-only", "age", "--suppress-only", "sex", "--suppress-only", "zip")
    assert done.exit_code == 0
    assert "Levels: age 1 of 1" in done.stdout


@pytest.mark.usefixtures("here")
def test_a_hierarchy_that_suppress_only_takes_the_place_of_is_noted():
    done = run(*USUAL, "-o", "r.csv", "--suppress-only", "age")
    assert done.exit_code == 0
    assert mentions(done.stdout, "• hierarchies/age.csv is not used", "--suppress-only age")
    done = run(*USUAL, "-o", "again.csv", "--suppress-only", "age", "--json")
    assert answer(done)["verdict"] == "within policy"
    columns, hierarchy = json.loads(done.stdout)["notes"]
    assert columns == "columns not used: id"
    assert mentions(hierarchy, "hierarchies/age.csv is not used", "--suppress-only age")


@pytest.mark.usefixtures("here")
def test_a_sidecar_that_is_left_over_is_told_of():
    assert run(*USUAL, "-o", "release.csv").exit_code == 0
    Path("release.csv").unlink()
    done = run(*USUAL, "-o", "release.csv")
    assert (done.exit_code, done.stdout) == (2, "")
    assert mentions(done.stderr, "sidelight: 'release.csv.sidelight.json'", "without its 'release.csv'", "--force")
    assert done.stderr.count("\n") == 1
    assert run(*USUAL, "-o", "release.csv", "--force").exit_code == 0


SLOW = """
import os, sys, time
from sidelight.search import lattice_search as minimal_nodes
from sidelight.cli.app import main

made, left = minimal_nodes.node_check, int(sys.argv.pop(1))


def slow(*args):
    check = made(*args)

    def wait(node):
        global left
        left -= 1
        found = check(node)
        if not left:
            os.write(2, b"waiting")
            time.sleep(600)
        return found

    return wait


minimal_nodes.node_check = slow
sys.argv = ["sidelight", *sys.argv[1:]]
main()
"""


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("checks", [1, 5])
def test_ctrl_c_in_a_terminal_publishes_nothing_and_tells_the_best_so_far(here, checks):
    """A real terminal on standard error: the bar says what is tried; a real SIGINT ends the search."""
    main, worker = pty.openpty()
    command = [sys.executable, "-c", SLOW, str(checks), "protect", *USUAL, "-o", "release.csv"]
    with subprocess.Popen(command, stderr=worker, stdout=subprocess.PIPE, text=True) as child:
        os.close(worker)
        drawn = b""
        while b"trying levels" not in drawn or b"waiting" not in drawn:
            drawn += os.read(main, 1000)
        child.send_signal(signal.SIGINT)
        text, _ = child.communicate(timeout=PATIENCE)
    with contextlib.suppress(OSError):  # nobody has the other end any more
        while more := os.read(main, 1000):
            drawn += more
    os.close(main)
    assert (child.returncode, text, names(here)) == (130, "", set())
    *_, last = drawn.decode().strip().splitlines()
    assert "sidelight: interrupted; nothing was published" in last
    if "--nodes" not in last:
        assert last.endswith("nothing within policy was found yet")
        return
    nodes = last.split("--nodes ")[1].split()[0]
    done = run(*USUAL, "-o", "release.csv", "--nodes", nodes)
    assert done.exit_code == 0
    assert "the search was stopped before its end" in done.stdout
    assert not sl.publish.sidecar.read_sidecar(here / "release.csv").search.complete
    assert sl.GroupSize().measure(sl.read_published(here / "release.csv")).value >= 5


SWALLOWED = """
import os, signal, sys
from sidelight.answers import sources as inputs
from sidelight.cli.app import main

read = inputs.open_table

def swallowing(*args):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        pass
    return read(*args)

inputs.open_table = swallowing
sys.argv = ["sidelight", *sys.argv[1:]]
main()
"""


@pytest.mark.usefixtures("hears_ctrl_c")
def test_an_interrupt_that_a_library_swallowed_publishes_nothing(here):
    command = [sys.executable, "-c", SWALLOWED, "protect", *USUAL, "-o", "release.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "sidelight: interrupted; nothing was published\n"
    assert names(here) == set()


def test_what_a_method_cannot_promise_and_notes_of_findings_are_printed(here):
    limit = ("--limit", "closeness(distance=ordered) <= 1")
    done = run(*USUAL, "-o", "release.csv", "--method", "anatomy", *limit)
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert mentions(said, "• anatomy", "exactly", "people can be recognised")
    assert mentions(said, "• closeness(distance=ordered)", "in this order:")


REGIONS = "1;North;*\n2;North;*\n3;South;*\n4;South;*\n"
WAYS = {
    "declared": ("--kind", "region=category"),
    "ordered": ("--kind", "region=ordered"),
    "declared, with a hierarchy": ("--kind", "region=category", "--hierarchies", "regions"),
    "by the hierarchy": ("--hierarchies", "regions"),
    "by the policy": ("--policy", "regions.toml"),
}


@pytest.fixture
def regions(tmp_path, monkeypatch):
    """96 people of four regions, as a CSV file, with ages that make groups of several regions."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{1 + i % 4},{20 + i // 2},{('Flu', 'Cold', 'Ulcer')[i % 3]}" for i in range(96)]
    Path("people.csv").write_text("\n".join(["region,age,disease", *rows]) + "\n")
    Path("regions").mkdir()
    Path("regions/region.csv").write_text(REGIONS)
    ages = [f"{age};{'young' if age < 44 else 'old'};*" for age in range(20, 68)]
    Path("regions/age.csv").write_text("\n".join(ages) + "\n")
    Path("regions.toml").write_text(
        "[roles.columns]\nregion = 'category'\n[[limit]]\nmeasure = 'group size'\nat_least = 7\n"
    )
    return tmp_path


@pytest.mark.parametrize("method", ["lattice", "mondrian", "anatomy", "microaggregation"])
@pytest.mark.parametrize("way", WAYS)
def test_region_codes_never_come_out_as_1_2_or_1_5(regions, method, way):
    options = WAYS[way]
    if method == "lattice" and "regions" not in options:
        options = (*options, "--hierarchies", "regions")
    run_it = ("people.csv", "-g", "region", "-g", "age", "-s", "disease", "-l", "group size >= 7", "-o", "release.csv")
    done = run(*run_it, "--method", method, *options)
    assert done.exit_code == 0, done.stderr
    release = sl.read_published(regions / "release.csv")
    columns = release.members.columns if method == "anatomy" else release.groups.columns
    printed = {text for column in columns if column.name == "region" for text in column.labels}
    codes = {"1", "2", "3", "4"}
    sets = {
        text for text in printed if text.startswith("{") and set(text[1:-1].split(", ")) <= {*codes, "North", "South"}
    }
    assert printed <= {*codes, *sets, "North", "South", "*"}
    if method == "mondrian":
        assert len(printed) > 1
        assert f"region {'ordered' if way == 'ordered' else 'category'}" in " ".join(done.stdout.split())


@pytest.mark.parametrize("method", ["mondrian", "microaggregation"])
def test_codes_that_nobody_declared_are_codes_and_that_is_told(regions, method):
    done = run("people.csv", "-g", "region", "-g", "age", "-s", "disease", "-l", "group size >= 7", "--method", method)
    words = " ".join(done.stdout.split())
    assert "Columns: region category, age number (--kind COLUMN=KIND)." in words
    assert mentions(words, "• region was taken for codes", "declare it a number")


@pytest.mark.parametrize("method", ["mondrian", "anatomy", "microaggregation"])
def test_suppress_only_is_refused_where_it_would_not_be_heeded(regions, method):
    usual = ("people.csv", "-g", "region", "-g", "age", "-s", "disease", "-l", "group size >= 7", "--method", method)
    done = run(*usual, "--suppress-only", "region")
    assert (done.exit_code, done.stdout) == (2, "")
    assert mentions(done.stderr, f"method '{method}' cannot", "as it is or as *", "leave --suppress-only out")


@pytest.mark.parametrize(
    ("method", "unused"),
    [
        ("mondrian", ("age (number)", "declare it a category")),
        ("microaggregation", ("age (number)", "declare it a category")),
        ("anatomy", ("region (category), age (number)",)),
        ("lattice", None),
    ],
)
def test_a_hierarchy_that_a_method_does_not_use_is_named(regions, method, unused):
    usual = ("people.csv", "-g", "region", "-g", "age", "-s", "disease", "-l", "group size >= 7", "--method", method)
    done = run(*usual, "--kind", "age=number", "--hierarchies", "regions")
    words = " ".join(done.stdout.split())
    assert ("does not use the hierarchy" in words) == (unused is not None)
    if unused is not None:
        assert mentions(words, f"• method '{method}' does not use the hierarchy", *unused)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("region", ("'region' is no kind", "--kind 'region=category'")),
        ("region=categories", ("'categories' is no kind", "'region'", "mean 'category'")),
        ("regions=category", ("no column 'regions'", "--kind", "mean 'region'")),
        ("region=date", ("'region' is no date", "4 of 4 labels", "such as 1", "--kind 'region=category'")),
        ("region=1<2<3", ("'4'", "'region'", "not in the order", "--kind", "add it")),
    ],
)
def test_a_kind_that_makes_no_sense_is_refused_in_one_line(regions, kind, problem):
    usual = (
        "people.csv",
        "-g",
        "region",
        "-g",
        "age",
        "-s",
        "disease",
        "-l",
        "group size >= 7",
        "--method",
        "mondrian",
    )
    done = run(*usual, "--kind", kind)
    assert (done.exit_code, done.stdout) == (2, "")
    assert mentions(done.stderr, *problem)
    assert done.stderr.count("\n") == 1


CONDITIONS = """
[roles]
quasi = ["age", "sex"]
sensitive = "condition"
person = "person"
values = "set"
missing = "no value"
sensitive_level = 1

[[limit]]
measure = "group size"
at_least = 20

[[limit]]
measure = "acquaintance"
others = 1
value = { "lungs or mind" = ["Respiratory", "Mental"] }
below = 0.6
"""


def test_conditions_are_published_as_categories_with_the_people_who_have_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = sl.datasets.nhefs(quasi=["age", "sex"])
    (tmp_path / "hierarchies").mkdir()
    for name in ("age", "sex", "condition"):
        sl.write_hierarchy(data.hierarchies[name], tmp_path / "hierarchies" / f"{name}.csv")
    (tmp_path / "policy.toml").write_text(CONDITIONS)
    done = run(str(data.path), "--policy", "policy.toml", "--hierarchies", "hierarchies", "-o", "out.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    assert mentions(" ".join(done.stdout.split()), "sensitive values", "level 1 of the hierarchy")
    release = sl.read_published("out.csv")
    assert (release.size, set(release.domain)) == (1_629, set(data.hierarchies["condition"].labels(1)))
    assert "sensitive_level = 1" in Sidecar.model_validate_json(Path("out.csv.sidelight.json").read_text()).policy
    assert invoke(["audit", "out.csv", "--policy", "policy.toml"]).exit_code == 0
    bare = run(str(data.path), "--policy", "policy.toml", "-o", "other.csv", "--method", "mondrian")
    assert bare.exit_code == 2
    assert mentions(bare.stderr, "no hierarchy for 'condition'", "--hierarchies")
    fine = run(str(data.path), "--policy", "policy.toml", "--hierarchies", "hierarchies", "--sensitive-level", "0")
    assert (fine.exit_code, "no sensitive value 'Mental'" in fine.stderr) == (2, True)


def test_what_is_printed_of_categories_can_be_said_where_they_are_averaged(regions):
    usual = ("people.csv", "-g", "region", "-g", "age", "-s", "disease", "-l", "group size >= 7", "--average", "set")
    done = run(*usual, "--method", "microaggregation", "--kind", "region=category", "-o", "release.csv")
    assert done.exit_code == 0, done.stderr
    assert any("{" in text for text in sl.read_published("release.csv").groups.columns[0].labels)
    done = run(*usual, "--method", "mondrian")
    assert (done.exit_code, done.stdout) == (2, "")
    assert mentions(done.stderr, "'mondrian' averages nothing", "leave --average out", "--method microaggregation")


def test_a_table_of_any_size_is_protected_in_bounded_memory(here):
    held = run(*USUAL, "-o", "held.csv", "--method", "mondrian", "--ask", "nobody")
    done = run(*USUAL, "-o", "release.csv", "--method", "mondrian", "--memory", "1GB")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "✓ Published within policy: patients.parquet by mondrian" in done.stdout
    assert sorted(Path("release.csv").read_text().splitlines()) == sorted(Path("held.csv").read_text().splitlines())
    # before and after stand as they do without a limit; utilities that need each key are left out
    table = [line for line in held.stdout.splitlines() if line.startswith(("people", "groups", "group size"))]
    assert all(line in done.stdout for line in table)
    assert "query error" in held.stdout
    assert "query error" not in done.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--method", "mondrian", "--html", "page.html"], ("'page.html'", "whole table", "--memory")),
        (["--method", "mondrian", "--keep", "city"], ("--keep", "not go with --memory")),
        (["--method", "mondrian", "--memory", "5 apples"], ('cannot read --memory "5 apples"',)),
    ],
)
def test_what_does_not_go_with_bounded_memory_is_refused_in_a_line(here, options, says):
    memory = [] if "--memory" in options else ["--memory", "1GB"]
    done = run(*USUAL, *memory, *options)
    assert done.exit_code == 2
    assert mentions(done.stderr, *says)
    assert len(done.stderr.splitlines()) == 1
