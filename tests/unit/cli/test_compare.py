"""`sidelight compare`, from the outside."""

import json

import pytest
from support.command_line import answer, invoke
from support.words import mentions

POLICY = """
[roles]
quasi = ["age", "sex", "zip"]
sensitive = "disease"

[[limit]]
measure = "group size"
at_least = 5
"""
USUAL = ("patients.parquet", "--policy", "policy.toml", "--hierarchies", "hierarchies")


@pytest.fixture(autouse=True)
def here(sample_files):
    (sample_files / "policy.toml").write_text(POLICY)
    return sample_files


def run(*args):
    return invoke(["compare", *args])


def test_it_compares_and_publishes_nothing(here):
    before = {path.name for path in here.iterdir()}
    done = run(*USUAL)
    assert (done.exit_code, done.stderr) == (0, "")
    assert {path.name for path in here.iterdir()} == before
    first, *_ = done.stdout.splitlines()
    assert mentions(first, "patients.parquet", "40 people", "group size ≥ 5", "Nothing was published")
    for name in ("lattice", "mondrian", "anatomy", "microaggregation", "best at balanced loss"):
        assert name in done.stdout
    assert " • balanced loss: " in done.stdout
    assert " • A person would take row" in done.stdout


def test_the_advised_row_can_be_published_as_it_says(here):
    done = run(*USUAL)
    told = answer(run(*USUAL, "--json"))
    row = told["rows"][told["advised"] - 1]
    words = ",".join(f"{name}={level}" for name, level in row["levels"].items())
    command = " ".join(done.stdout.partition("sidelight protect …")[2].partition("--output")[0].split())
    suppress = ["--suppress", f"{row['suppress']:g}"] if row["suppress"] else []
    assert command.split() == [*suppress, "--levels", f"'{words}'"]
    published = invoke(["protect", *USUAL, *suppress, "--levels", words, "-o", "release.csv", "--json"])
    assert published.exit_code == 0
    assert answer(published)["utility"]["balanced loss"] == row["balanced loss"]


def test_json_has_the_same_rows(here):
    told = answer(run(*USUAL, "--json", "--method", "lattice", "--method", "mondrian", "--suppress", "0"))
    assert {row["method"] for row in told["rows"]} == {"lattice", "mondrian"}
    assert {row["suppress"] for row in told["rows"]} == {0}
    assert [row["row"] for row in told["rows"] if row["advised"]] == [told["advised"]]
    assert told["utilities"]["loss"].startswith("the share of a column")
    written = here / "ways.json"
    assert run(*USUAL, "--method", "mondrian", "-o", written).exit_code == 0
    assert json.loads(written.read_text())["kind"] == "compare"


def test_a_way_that_cannot_says_why_in_options():
    done = run(*USUAL[:3])
    assert done.exit_code == 0
    assert mentions(" ".join(done.stdout.split()), "✗ no hierarchy", "'age'", "--hierarchies")
    assert "Hierarchy.suppression" not in done.stdout
    (refused, *_) = answer(run(*USUAL[:3], "--json"))["rows"]
    assert mentions(refused["reason"], "no hierarchy", "'age'", "--hierarchies")


def test_methods_that_cannot_heed_an_option_are_left_out_and_named():
    told = run(*USUAL[:3], *("--suppress-only", "age", "--suppress-only", "sex", "--suppress-only", "zip"), "--json")
    assert {row["method"] for row in answer(told)["rows"]} == {"lattice"}
    assert "--suppress-only): mondrian, anatomy, microaggregation" in json.loads(told.stdout)["notes"][-1]


def test_nothing_within_policy_ends_with_1():
    done = run(*USUAL, "--limit", "group size >= 41")
    assert (done.exit_code, done.stdout) == (1, "")
    assert mentions(done.stderr, "sidelight: not even one group")
    assert answer(run(*USUAL, "--limit", "group size >= 41", "--json"))["verdict"] == "nothing within policy"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("patients.parquet", "-g", "age", "-s", "disease"), ("policy without any limit", "--policy")),
        ((*USUAL, "--suppress", "2"), ("--suppress 2", "not a share")),
        ((*USUAL, "--method", "magic"), ("'magic'", "not", "'lattice'")),
        ((*USUAL, "-o", "policy.toml"), ("policy.toml",)),
        ((*USUAL, "-o", "hierarchies/age.csv", "--force"), ("hierarchies/age.csv",)),
    ],
)
def test_bad_input_is_one_line(args, message):
    done = run(*args)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert mentions(done.stderr, *message)


@pytest.mark.parametrize("width", ["80", "120"])
def test_every_line_fits(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    done = run(*USUAL)
    assert max(map(len, done.stdout.splitlines())) <= int(width)
    assert "…" not in done.stdout.replace("protect …", "")


def test_what_resisting_an_insider_costs_is_told(here):
    limits = ("--limit", "recursive diversity(l=2) <= 1", "--method", "mondrian", "--resists", "insider")
    told = answer(run(*USUAL, *limits, "--json"))
    assert [row["resists"] for row in told["rows"]] == [None, "insider"]
    assert told["advised"] == 1
    plain, resisting = (f"{row['loss']:.3g}" for row in told["rows"])
    assert any(mentions(each, "Row 2", "insider", f"loss of {resisting}", plain) for each in told["advice"])
    assert "resisting an insider" in run(*USUAL, *limits).stdout


def test_resisting_needs_a_method_that_can(here):
    done = run(*USUAL, "--method", "lattice", "--resists", "insider")
    assert (done.exit_code, 'add --method "mondrian", or leave --resists out' in done.stderr) == (2, True)
    done = run(*USUAL, "--suppress-only", "age", "--resists", "insider")
    assert (done.exit_code, "leave --resists or --suppress-only out" in done.stderr) == (2, True)
