"""`sidelight generalisations`, from the outside."""

import json
import signal
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from support.command_line import answer, invoke
from support.words import mentions

import sidelight as sl
from sidelight.answers import protect as question

COLUMNS = ("patients.parquet", "-g", "age", "-g", "sex", "-g", "zip", "-s", "disease")
USUAL = (*COLUMNS, "--hierarchies", "hierarchies")


@pytest.fixture(autouse=True)
def here(sample_files):
    return sample_files


def run(*args):
    return invoke(["generalisations", *args])


def words(result):
    return " ".join(result.stdout.split())


def read_table():
    return sl.read_table("patients.parquet", quasi=["age", "sex", "zip"], sensitive="disease")


def test_every_choice_of_levels_is_a_row():
    done = run(*USUAL)
    assert (done.exit_code, done.stderr) == (0, "")
    first = ("patients.parquet", "40 people", "48 generalisations", "all", "Nothing was published")
    assert mentions(words(done), *first, "age sex zip groups")
    rows = answer(run(*USUAL, "--json"))["rows"]
    assert len(rows) == 48
    assert rows[-1] == {
        "levels": {"age": 3, "sex": 1, "zip": 5},
        "groups": 1,
        "suppressed": 0,
        "measured": {"group size": {"exact": "40", "number": 40.0, "rounded": False, "text": "40"}},
        "utility": {"balanced loss": 1.0},
    }


def test_json_says_what_python_says(here):
    asked = ("-m", "implications(k=1)", "-m", "closeness", "--utility", "loss", "--utility", "discernibility")
    document = answer(run(*USUAL, *asked, "--json"))
    measures = [sl.Implications(1), sl.Closeness()]
    table = sl.generalisation_table(
        read_table(), sl.read_hierarchies("hierarchies"), measures, ["loss", "discernibility"]
    )
    assert (document["listed"], document["policy"]) == ("all", None)
    assert document["measures"] == list(table.measures)
    for data, row in zip(document["rows"], table, strict=True):
        assert data["levels"] == row.levels
        assert {name: each["exact"] for name, each in data["measured"].items()} == {
            name: str(value) for name, value in row.measured.items()
        }
        assert data["utility"] == row.utility
    written = here / "levels.json"
    assert run(*USUAL, *asked, "-o", written).exit_code == 0
    assert json.loads(written.read_text())["answer"] == document


def test_with_limits_the_minimal_ones_are_listed_unless_others_are_asked_for():
    limited = (*USUAL, "-l", "group size >= 5", "-l", "implications(k=1) < 0.6")
    minimal, within, everything = (
        answer(run(*limited, "--json", *which)) for which in ((), ("--rows", "within"), ("--rows", "all"))
    )
    assert [each["listed"] for each in (minimal, within, everything)] == ["minimal", "within", "all"]
    assert minimal["policy"] == "group size ≥ 5; implications(k=1) < 0.6"
    assert everything["policy"] is None
    assert minimal["measures"] == ["group size", "implications(k=1)"]
    lowest, safe = ([row["levels"] for row in each["rows"]] for each in (minimal, within))
    assert 0 < len(lowest) < len(safe) < len(everything["rows"]) == 48
    assert all(levels in safe for levels in lowest)
    assert {int(row["measured"]["group size"]["exact"]) >= 5 for row in within["rows"]} == {True}
    assert mentions(words(run(*limited)), "minimal", "within policy", "group size ≥ 5; implications(k=1) < 0.6")


def test_limits_that_nothing_listed_keeps_leave_no_row():
    done = run(*COLUMNS, "-l", "group size >= 5")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "40 people; 0 generalisations" in words(done)


def test_a_row_can_be_published_as_it_says():
    limited = ("-l", "group size >= 3", "--suppress", "0.1")
    (row, *_) = answer(run(*USUAL, *limited, "--json"))["rows"]
    levels = ",".join(f"{name}={level}" for name, level in row["levels"].items())
    published = answer(invoke(["protect", *USUAL, *limited, "--levels", levels, "--json"]))
    assert published["suppressed"] == row["suppressed"]
    assert published["release"]["groups"] == row["groups"]
    assert published["utility"]["balanced loss"] == row["utility"]["balanced loss"]


def test_a_column_without_a_hierarchy_is_named(here):
    (here / "hierarchies" / "zip.csv").unlink()
    done = run(*USUAL)
    assert mentions(words(done), "without a hierarchy", "as they are", "in every row: zip")
    assert len(answer(run(*USUAL, "--json"))["rows"]) == 8
    assert len(answer(run(*USUAL, "--suppress-only", "zip", "--json"))["rows"]) == 16


def test_long_tables_are_cut_short(monkeypatch):
    monkeypatch.setattr(question, "ROWS_DRAWN", 40)
    assert "… and 8 more; --json has all." in run(*USUAL).stdout


def test_nothing_within_the_limits_is_status_1():
    done = run(*USUAL, "-l", "group size >= 41")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "not even one group" in done.stderr
    assert answer(run(*USUAL, "-l", "group size >= 41", "--json"))["verdict"] == "nothing within policy"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--rows", "within"), ("--rows within", "needs", "--limit 'group size >= 5'")),
        (("--suppress", "0.1"), ("--suppress needs a policy", "leave it out")),
        (("-l", "group size >= 5", "--suppress", "3"), ("--suppress 3", "not a share")),
        (("--utility", "beauty"), ("'--utility'", "'beauty'", "not", "'balanced loss'")),
        (("-m", "maximal fun"), ("maximal fun",)),
    ],
)
def test_what_makes_no_sense_is_one_line(args, said):
    done = run(*USUAL, *args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert mentions(done.stderr, *said)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_prints_no_half_of_a_table(monkeypatch):
    whole = sl.generalisation_table

    def interrupted(*args, **settings):
        def stop(what, done, total):
            if done == 3:
                signal.raise_signal(signal.SIGINT)

        return whole(*args, **settings | {"progress": stop})

    monkeypatch.setattr(sl, "generalisation_table", interrupted)
    done = run(*USUAL)
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == "sidelight: interrupted; nothing unfinished is left behind\n"


def test_narrow_terminals_lose_no_column_and_break_no_number(monkeypatch):
    utilities = ("loss", "query error", "discernibility", "average group size", "KL divergence")
    asked = ["-m", "prior belief(stubbornness=1000)", "-m", "acquaintance(others=2)", "-m", "closeness"]
    asked += [word for name in utilities for word in ("--utility", name)]
    last = answer(run(*USUAL, *asked, "--json"))["rows"][-1]
    for width in (80, 120, 300):
        monkeypatch.setenv("COLUMNS", str(width))
        told = run(*USUAL, *asked)
        assert told.exit_code == 0, told.stderr
        assert max(map(len, told.stdout.splitlines())) <= width
        cells = told.stdout.split()
        assert all(each["text"] in cells for each in last["measured"].values())
        assert f"{last['utility']['discernibility']:,.0f}" in cells
        assert (cells.count("zip") == 1) == (width == 300)


def test_the_narrowest_terminal_gets_every_column(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    told = run(*USUAL, "-m", "closeness", "-m", "implications(k=1)")
    assert told.stdout.count("zip") == 3  # a grid for each measure and the utility


def test_suppressing_is_for_rows_within_limits():
    told = run(*USUAL, "-l", "group size >= 2", "--rows", "all", "--suppress", "0.05")
    assert told.exit_code == 2
    assert mentions(told.stderr, "--suppress", "within the limits", "leave --rows all out")


def test_what_becomes_of_suppressed_people_is_asked_where_some_may_be():
    told = run(*USUAL, "-l", "group size >= 2", "--suppressed", "left out")
    assert told.exit_code == 2
    assert mentions(told.stderr, "--suppressed", "--suppress", "leave it out")


def test_hierarchies_of_other_columns_are_told():
    file = Path("hierarchies", "height.csv")
    file.write_text("180;*\n")
    assert mentions(words(run(*USUAL)), file, "not used", "no column 'height'")


def write_register():
    """Everybody of the table twice, and somebody whom it has not."""
    people = pq.read_table("patients.parquet").drop_columns(["id", "disease"])
    others = pa.table({"age": [20], "sex": ["f"], "zip": ["14050"]})
    csv.write_csv(pa.concat_tables([people, people, others]), "register.csv")


def test_a_population_is_counted_in_every_choice_of_levels():
    write_register()
    asked = ("-m", "journalist risk", "-m", "absence", "--population", "register.csv")
    rows = answer(run(*USUAL, *asked, "--json"))["rows"]
    by = sl.read_hierarchies("hierarchies")
    for row in rows[::7]:
        release = sl.generalise(read_table(), by=by, to=row["levels"])
        for name, measure in (("journalist risk", sl.JournalistRisk), ("absence", sl.Absence)):
            value = measure("register.csv").measure(release).value
            (measured,) = (each for text, each in row["measured"].items() if text.startswith(name))
            assert Fraction(measured["exact"]) == value
    assert rows[-1]["measured"]["journalist risk(population=register.csv)"]["exact"] == "1/81"


def test_limits_against_a_population_choose_the_rows():
    write_register()
    limited = ("-l", "journalist risk <= 1/10", "--population", "register.csv")
    document = answer(run(*USUAL, *limited, "--json"))
    assert document["listed"] == "minimal"
    assert all(
        Fraction(each["exact"]) <= Fraction(1, 10) for row in document["rows"] for each in row["measured"].values()
    )
    doubled = answer(run(*USUAL, "-l", "group size >= 5", "--json"))
    assert [row["levels"] for row in document["rows"]] == [row["levels"] for row in doubled["rows"]]
    preset = answer(run(*USUAL, "--preset", "k-map(k=10)", "--population", "register.csv", "--json"))
    assert preset["rows"] == document["rows"]


def test_with_a_population_alone_all_that_compares_with_it_is_measured():
    write_register()
    measures = answer(run(*USUAL, "--population", "register.csv", "--json"))["measures"]
    assert [name.partition("(")[0] for name in measures] == [
        "group size",
        "journalist risk",
        "marketer risk",
        "presence",
        "absence",
    ]
    refused = run(*USUAL, "--population", "register.csv", "--json", "--output", "register.csv", "--force")
    assert refused.exit_code == 2
    assert "register.csv" in refused.stderr
