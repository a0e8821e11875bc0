"""`sidelight simulate`: try it before you publish."""

import json

import pytest
from support.command_line import answer, invoke
from support.words import mentions, says

SAMPLES = ["simulate", "patients.parquet", "-g", "age", "-g", "sex", "-s", "disease", "--overlap", "6", "--seed", "7"]
SAMPLES += ["--repetitions", "2"]


@pytest.fixture(autouse=True)
def _files(sample_files):
    return sample_files


def test_each_limit_that_is_tried_is_a_point():
    result = invoke([*SAMPLES, "--try", "group size >= 2", "--try", "group size >= 4", "--json"])
    told = answer(result)
    assert [point["policy"] for point in told["points"]] == ["group size >= 2", "group size >= 4"]
    assert (told["overlap"], told["releases"], told["repetitions"], told["beside_noise"]) == (6, 2, 2, None)
    assert json.loads(result.stdout)["kind"] == "simulate"


def test_limits_of_a_policy_hold_for_all_that_is_tried():
    told = answer(invoke([*SAMPLES, "-p", "policy.toml", "--json"]))
    (point,) = told["points"]
    assert point["policy"] == "group size ≥ 5"
    assert point["estimates"]["promised"]["mean"] >= 5


def test_the_page_says_what_the_figures_mean():
    said = " ".join(invoke([*SAMPLES, "-p", "policy.toml", "--method", "mondrian"]).stdout.split())
    assert says(said, "2 releases", "23 people", "6 in common", "2 repetitions")
    assert "Given away: one value is left" in said


def test_when_nothing_can_be_published_the_status_says_so():
    result = invoke([*SAMPLES, "--try", "group size >= 1000"])
    assert result.exit_code == 1
    assert mentions(result.stderr, "nothing within policy", "any sample")


def test_noise_stands_beside_the_others():
    pytest.importorskip("opendp", reason="noise needs the extra dp")
    words = [*SAMPLES, "-p", "policy.toml", "--hierarchies", "hierarchies", "--person", "id"]
    words += ["--levels", "sex=0", "-e", "1", "-e", "0.1"]
    told = answer(invoke([*words, "--json"]))
    assert [row["name"] for row in told["beside_noise"]] == ["group size ≥ 5", "ε = 1 each", "ε = 0.1 each"]
    assert told["points"] is None
    assert "shift" in invoke(words).stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no limit to try; give --policy, --limit, or one or more of --try 'group size >= 5'"),
        (["--try", "group size >= 2", "--levels", "sex=0"], "give --epsilon too"),
        (["--try", "group size >= 2", "-e", "1"], "say --levels age=2 for each"),
        (["--try", "group size >= 2", "--people", "100"], "give a smaller --people"),
    ],
)
def test_bad_input(words, says):
    result = invoke([*SAMPLES, *words])
    assert result.exit_code == 2
    assert says in result.stderr
