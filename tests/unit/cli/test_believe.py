"""`sidelight believe`, from the outside."""

import json
import re

import pytest
from scipy.optimize import OptimizeResult
from support.command_line import answer, invoke
from support.words import mentions

from sidelight.max_entropy import presolve

ROWS = """name,ward,disease
Bob,1,Flu
Charlie,1,Flu
Dave,1,Lung
Ed,1,Lung
Frank,1,Heart
Gloria,2,Flu
Hannah,2,Flu
Irma,2,Breast
Jane,2,Ovarian
Karen,2,Heart
"""
ROLES = ("--group", "ward", "--sensitive", "disease")


@pytest.fixture
def run(tmp_path):
    file = tmp_path / "wards.csv"
    file.write_text(ROWS)
    return lambda *args: invoke(["believe", str(file), *ROLES, *map(str, args)])


def test_what_the_neighbour_concludes(run):
    told = run("--person", "name", "--know", "Hannah = Flu -> Charlie = Flu", "--about", "Charlie")
    assert told.exit_code == 0, told.stderr
    assert "Known: Hannah = Flu -> Charlie = Flu" in told.stdout
    assert "Charlie (group 1 (ward 1))" in told.stdout
    assert ["Flu", "2/5", "10/19"] in [line.split() for line in told.stdout.splitlines()]


def test_whoever_moves_most_comes_first(run):
    told = run("--person", "name", "-k", "Hannah = Flu -> Charlie = Flu", "--top", "2")
    *lines, surest = [line.split() for line in told.stdout.splitlines() if "Flu" in line][1:]
    assert lines == [["Hannah", "Flu", "2/5", "4/19"], ["Charlie", "Flu", "2/5", "10/19"]]
    assert mentions(" ".join(surest), "Surest", "Charlie has Flu", "10/19")


def test_decimals_say_that_they_are_rounded(tmp_path):
    file = tmp_path / "ward.csv"
    file.write_text("ward,disease\n" + "1,Flu\n" * 1000 + "1,Cold\n" * 2001)
    asked = ["believe", str(file), *ROLES, "--know", "#1.2 = Flu"]
    most, one = (invoke([*asked, *about]).stdout for about in ([], ["--about", "#1"]))
    assert "0.3333 (1000/3001)" in one  # 0.33322…
    for told in (most, one):
        assert mentions(told.splitlines()[-1], "rounded towards caution", "--json", "exact")


def test_fractions_are_not_said_to_be_rounded(run):
    assert "rounded" not in run("-k", "#2 = Flu -> #1 = Flu", "-a", "#1").stdout


def test_what_somebody_is_only_so_sure_of(run):
    told = run("--person", "name", "--know", "Bob = Flu with 90%", "--about", "Bob", "--about", "Charlie")
    assert told.exit_code == 0, told.stderr
    assert "Known: Bob = Flu with 0.9" in told.stdout
    lines = [line.split() for line in told.stdout.splitlines()]
    assert ["Flu", "2/5", "9/10"] in lines
    assert ["Flu", "2/5", "11/40"] in lines
    wrong = run("--person", "name", "--know", "Bob = Flu with 0.9", "--know", "Bob = Lung with 0.9")
    assert wrong.exit_code == 2
    assert mentions(wrong.stderr, "'Bob = Flu with 0.9'", "'Bob = Lung with 0.9'", "too much")
    both = run("--person", "name", "-k", "Bob = Flu with 0.9 and Charlie = Flu with 0.9")
    assert mentions(both.stdout, "Note:", "Bob, Charlie", "2 independent")


def test_json_has_exact_fractions(run, tmp_path):
    told = run("-k", "#2 = Flu -> #1 = Flu", "-a", "#1", "-a", "{ward = 2}", "--json", "-o", tmp_path / "out.json")
    document = answer(told)
    assert told.stdout == (tmp_path / "out.json").read_text()
    assert document["facts"] == ["#2 = Flu -> #1 = Flu"]
    first, second = document["beliefs"]
    assert (first["person"], first["group"], second["person"]) == ("#1", 1, "{ward = 2}")
    flu = next(each for each in first["values"] if each["value"] == "Flu")
    assert (flu["before"], flu["after"], round(flu["probability"], 4)) == ("2/5", "10/19", 0.5263)


def test_people_of_buckets_are_described_by_columns_that_tell_them_apart(tmp_path):
    file = tmp_path / "buckets.csv"
    file.write_text("bucket,age,sex,illness\n1,34,m,Flu\n1,35,f,Cold\n2,34,f,Flu\n2,36,m,Heart\n")
    roles = ["-g", "bucket", "-q", "age", "-q", "sex", "-s", "illness"]
    known = ["-k", "{age = 34, sex = f} != Heart", "-a", "{age = 36}", "-a", "{age = 34, sex = m}"]
    told = invoke(["believe", str(file), *roles, *known, "--json"])
    first, second = answer(told)["beliefs"]
    assert (first["group"], second["group"]) == (2, 1)
    assert {each["value"]: each["after"] for each in first["values"]} == {"Flu": "0", "Cold": "0", "Heart": "1"}
    told = invoke(["believe", str(file), *roles, *known, "--table", str(file)])
    assert told.exit_code == 2
    assert "--table is for statements" in told.stderr


def test_nothing_known_says_what_to_give(run):
    assert "--know" in run().stdout


HARD = ("--person", "name", "-k", "Hannah = Flu -> Charlie = Flu", "-k", "not same(Bob, Gloria)", "--states", "1")


def test_too_hard_names_the_options_that_help(run):
    told = run(*HARD, "--seconds", "1.5")
    assert (told.exit_code, told.stdout) == (2, "")
    assert mentions(told.stderr, "sidelight:", "more than --states 1", "--seconds 1.5", "--approximate for estimates")
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("more", [(), ("--approximate",), ("--approximate", "--about", "Charlie")])
def test_soft_facts_that_are_too_hard_name_no_option_that_would_be_refused(run, more):
    told = run(*HARD, "-k", "Bob = Flu with 0.9", "--seconds", "1.5", *more)
    assert (told.exit_code, told.stdout) == (2, "")
    assert mentions(told.stderr, "sidelight:", "more than --states 1", "--seconds 1.5")
    assert mentions(told.stderr, "soft facts", "with 0.9", "no estimates", "allow more", "facts back")
    assert "--approximate" not in told.stderr
    assert told.stderr.count("\n") == 1


def test_an_estimate_says_that_it_is_one(run):
    args = (*HARD, "--approximate", "--about", "Charlie")
    told = run(*args)
    assert told.exit_code == 0, told.stderr
    words = " ".join(told.stdout.split())
    assert mentions(words, "estimates", "2,000 worlds", "random", "seed 0", "interval", "0.95 confidence")
    assert re.search(r"Flu 2/5 about 0\.\d{3} \(0\.\d{3} to 0\.\d{3}\)", words)
    assert run(*args).stdout == told.stdout
    assert run(*args, "--seed", "1").stdout != told.stdout


def test_estimates_in_json_have_intervals_that_hold_the_truth(run):
    exact = answer(run(*HARD[:-2], "--about", "Charlie", "--json"))
    assert "estimated" not in exact
    args = ("--approximate", "--about", "Charlie", "--samples", "500", "--confidence", "0.999", "--seed", "7", "--json")
    told = answer(run(*HARD, *args))
    assert told["estimated"] == {"samples": 500, "confidence": 0.999, "seed": 7}
    truth = {each["value"]: each["probability"] for each in exact["beliefs"][0]["values"]}
    for each in told["beliefs"][0]["values"]:
        assert each["low"] <= truth[each["value"]] <= each["high"]
        assert each["worlds"] in (0, 500)
    assert any(each["worlds"] for each in told["beliefs"][0]["values"])


def test_estimates_are_of_the_people_that_are_named(run):
    told = run(*HARD, "--approximate")
    assert (told.exit_code, told.stdout) == (2, "")
    assert mentions(told.stderr, "sidelight:", "more than --states 1", "--seconds 20", "--about", "estimates")
    assert "--approximate" not in told.stderr
    assert told.stderr.count("\n") == 1
    both = answer(run(*HARD, "--approximate", "-a", "Hannah", "-a", "#2.3", "--json"))["beliefs"]
    assert [each["person"] for each in both] == ["Hannah", "#2.3"]


def test_what_can_be_counted_is_no_estimate(run):
    told = run("-k", "#2 = Flu -> #1 = Flu", "-a", "#1", "--approximate")
    assert "10/19" in told.stdout
    assert "estimate" not in told.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-k", "Bob = Flu"), ("names nobody",)),
        (("-k", "#1 ="), ("at character 5",)),
        (("-k", "#1 = Flu", "-k", "#1 = Lung"), ("'#1 = Flu'", "'#1 = Lung'", "cannot")),
        (("-a", "#3"), ("numbered 1 to 2",)),
        (("-a", "#1", "--approximate", "--confidence", "95"), ("--confidence 95", "not", "0 and 1")),
        (("-a", "#1", "--states", "0"), ("'--states'", "at least 1")),
        (("-a", "#1", "--seconds", "-1"), ("--seconds -1", "no time")),
        (("-k", "P(Flu | ward=1) = 0.4", "--approximate"), ("--approximate", "counting worlds", "with statements")),
    ],
)
def test_what_cannot_be_told_is_2(run, args, said):
    told = run(*args)
    assert told.exit_code == 2
    assert mentions(told.stderr, *said)
    assert len(told.stderr.splitlines()) == 1


# Statements about shares P(…), by maximum entropy.

ORIGINAL = """bucket,sex,degree,disease
1,male,college,Flu
1,male,college,Breast cancer
1,female,college,Flu
1,male,high school,Pneumonia
2,male,college,HIV
2,male,high school,Pneumonia
2,female,junior,Breast cancer
"""
BUCKET_ROLES = ("--group", "bucket", "--quasi", "sex", "--quasi", "degree", "--sensitive", "disease")


@pytest.fixture
def by_shares(tmp_path):
    file = tmp_path / "buckets.csv"
    file.write_text(ORIGINAL)

    def believe(*args, roles=BUCKET_ROLES):
        return invoke(["believe", str(file), *roles, *map(str, args)])

    believe.file = file
    return believe


def test_what_was_not_decided_in_time_is_a_note(by_shares, monkeypatch):
    by_shares.file.write_text("bucket,sex,degree,disease\n1,f,x,Flu\n1,m,x,HIV\n2,f,x,HIV\n2,m,x,Flu\n2,f,x,Cold\n")
    monkeypatch.setattr(presolve, "linprog", lambda *_, **__: OptimizeResult(status=1))
    told = by_shares("-k", "P(Flu | sex=m) = 1/2", "-k", "P(HIV | sex=m) = 1/2", "--seconds", "5")
    assert told.exit_code == 0, told.stderr
    assert mentions(" ".join(told.stdout.split()), "Note:", "time was up", "1 amount", "nothing")


def test_who_is_most_at_risk(by_shares):
    told = by_shares("--know", "P(Breast cancer | sex=male) = 0", "--top", "2", "--table", by_shares.file)
    assert told.exit_code == 0, told.stderr
    assert "maximum entropy" in told.stdout
    assert "not counting worlds" in told.stdout
    first = next(line for line in told.stdout.splitlines() if "Breast cancer" in line and "1.0000" in line)
    assert "female" in first
    assert "Estimation error" in told.stdout


def test_statements_tell_first_of_whoever_moved_most(tmp_path):
    """Not of whom somebody is surest: the old are all ill before and after."""
    file = tmp_path / "buckets.csv"
    rows = ["1,old,m,Flu"] * 4 + ["2,young,m,Flu", "2,young,f,Flu", "2,young,m,Cold", "2,young,f,Cold"]
    file.write_text("\n".join(["bucket,age,sex,illness", *rows]) + "\n")
    roles = ["-g", "bucket", "-q", "age", "-q", "sex", "-s", "illness"]
    told = answer(invoke(["believe", str(file), *roles, "-k", "P(Flu | age=young, sex=m) = 0.9", "--json"]))
    moved = [round(abs(each["after"] - each["before"]), 9) for each in told["beliefs"]]
    assert moved == sorted(moved, reverse=True)
    assert [each["about"] for each in told["beliefs"]][-1] == "age old, sex m"
    assert len({each["about"] for each in told["beliefs"]}) == 3  # each once
    (most,) = answer(
        invoke(["believe", str(file), *roles, "-k", "P(Flu | age=young, sex=m) = 0.9", "--top", "1", "--json"])
    )["beliefs"]
    assert most["about"] in ("age young, sex m", "age young, sex f")


def test_one_person_as_json(by_shares, tmp_path):
    told = by_shares("-k", "P(Flu | sex=male) <= 0.25", "-a", "{sex = male}", "--json", "-o", tmp_path / "out.json")
    document = answer(told)
    assert told.stdout == (tmp_path / "out.json").read_text()
    assert document["model"] == "maximum entropy"
    flu = next(each for each in document["beliefs"] if each["value"] == "Flu")
    assert flu["after"] == pytest.approx(0.25, abs=1e-9) or flu["before"] == flu["after"]
    assert document["residual"] <= 1e-8
    assert document["estimation_error"] is None


def test_a_published_file_by_its_printed_columns(by_shares):
    told = by_shares("-k", "0.2 <= P(Flu | sex=male) <= 0.3", "-a", "#1", roles=("-g", "sex", "-s", "disease"))
    assert told.exit_code == 0, told.stderr


def test_who_is_described_in_the_same_words_is_the_person_who_is_known(by_shares):
    """To ask about {degree = …, sex = …} used to be about everybody who looks like that."""
    known = ("-k", "P(Flu | person={sex=male, degree=college}) = 0.9")
    for words in ("{sex = male, degree = college}", "{degree=college, sex=male}"):
        beliefs = answer(by_shares(*known, "-a", words, "--json"))["beliefs"]
        flu = next(each for each in beliefs if each["value"] == "Flu")
        assert flu["after"] == pytest.approx(0.9, abs=1e-8)
        assert flu["before"] == pytest.approx(1 / 3)
    # in other words it is somebody else
    beliefs = answer(by_shares(*known, "-a", "{sex = male}", "--json"))["beliefs"]
    assert next(each for each in beliefs if each["value"] == "Flu")["after"] < 0.6


def test_the_strongest_rules_are_known(by_shares):
    told = by_shares("--rules", "1", "2", "--table", by_shares.file)
    assert told.exit_code == 0, told.stderr
    assert mentions(told.stdout, "Known:", "2 strongest rules", "'has not'")  # no rule 'has' has the support of 3
    document = answer(by_shares("--rules", "1", "2", "--table", by_shares.file, "--json"))
    assert len(document["statements"]) == 2
    assert document["estimation_error"]["after"] < document["estimation_error"]["before"]
    assert "curve" not in document
    vague = answer(by_shares("--rules", "1", "2", "--vagueness", "0.1", "--table", by_shares.file, "--json"))
    assert "<=" in vague["statements"][0]
    denied = answer(by_shares("--rules", "1", "2", "--conditions", "not Q", "--table", by_shares.file, "--json"))
    assert "!=" in denied["statements"][0]


def test_several_bounds_on_rules_are_a_curve(by_shares):
    bounds = ("--rules", "0", "8", "--rules", "0", "0", "--rules", "0", "2", "--table", by_shares.file)
    curve = answer(by_shares(*bounds, "--json"))["curve"]
    assert [(each["positive"], each["negative"]) for each in curve] == [(0, 0), (0, 2), (0, 8)]
    errors = [each["estimation_error"] for each in curve]
    assert errors == sorted(errors, reverse=True)
    assert "surest belief" in by_shares(*bounds).stdout
    told = by_shares("--rules", "1", "2")
    assert told.exit_code == 2
    assert "give it with --table" in told.stderr


def test_notes_are_told(by_shares):
    told = by_shares("-k", "P(Flu | sex=female, degree=high school) = 0.3").stdout
    assert mentions(" ".join(told.split()), "Note:", "says nothing", "nobody")


HIDDEN = """sex,age,disease
F,30-39,Flu
F,30-39,Cold
F,30-39,Cold
M,30-39,Flu
M,30-39,Cold
*,40-49,Flu
*,40-49,Flu
*,40-49,Cold
*,*,Flu
*,*,Cold
"""
HIDDEN_ROLES = ("-g", "sex", "-g", "age", "-s", "disease")


@pytest.fixture
def by_hidden(tmp_path):
    file = tmp_path / "hidden.csv"
    file.write_text(HIDDEN)
    return lambda *args: invoke(["believe", str(file), *HIDDEN_ROLES, *map(str, args)])


def test_a_statement_is_also_about_women_in_groups_that_print_a_star(by_hidden):
    """P(Flu | sex=F) = 0.3 used to speak of the three women of the first group alone: 0.33 stayed 0.33."""
    told = by_hidden("-k", "P(Flu | sex=F) = 0.3", "-a", "{sex = F}")
    assert told.exit_code == 0, told.stderr
    document = by_hidden("-k", "P(Flu | sex=F) = 0.3", "-a", "{sex = F}", "--json")
    (whom,) = json.loads(document.stdout)["notes"]
    assert mentions(whom, "sex=F", "3 people for certain", "5 people in 2 groups", "may", 1.8)
    assert f"Note: {whom}" in " ".join(told.stdout.split())
    believed = {each["value"]: each["after"] for each in answer(document)["beliefs"]}
    assert believed == pytest.approx({"Flu": 0.3, "Cold": 0.7})


def test_a_statement_about_people_who_are_certain_nowhere_says_so(by_hidden):
    told = by_hidden("-k", "P(Flu | age=44) = 0", "-a", "{age = 44}")
    words = " ".join(told.stdout.split())
    assert mentions(words, "age=44", "nobody", "for certain", "5 people in 2 groups", "may")


def test_asking_about_people_whom_groups_hide_is_told(by_hidden):
    told = by_hidden("-k", "P(Flu) >= 0", "-a", "{sex = M}")
    assert mentions(" ".join(told.stdout.split()), "sex=M", "2 people for certain", "5 people in 2 groups", "may")


def test_hierarchies_say_what_a_coarse_label_hides(tmp_path):
    (tmp_path / "towns.csv").write_text("town,disease\nWest,Flu\nWest,Cold\nSouth,Flu\nSouth,Flu\nBonn,Cold\n")
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "town.csv").write_text("Bonn;West;*\nKöln;West;*\nUlm;South;*\n")
    asks = ["believe", str(tmp_path / "towns.csv"), "-g", "town", "-s", "disease", "-k", "P(Flu | town=Bonn) = 0"]
    bonn = ["-a", "{town = Bonn}"]
    # without them, West is another town
    assert "may be meant" not in invoke([*asks, *bonn]).stdout
    told = invoke([*asks, *bonn, "--hierarchies", str(tmp_path / "hierarchies")])
    assert told.exit_code == 0, told.stderr
    words = " ".join(told.stdout.split())
    assert mentions(words, "town=Bonn", "1 person for certain", "2 people in 1 group", "may", 0.5)
    refused = invoke([*asks, "--locate", "labels"])
    assert (refused.exit_code, "leave --locate out" in refused.stderr) == (2, True)


def test_statements_about_sets_of_values(tmp_path):
    file = tmp_path / "visits.csv"
    file.write_text("id,ward,disease\n1,1,Flu\n1,1,Cold\n2,1,Flu\n3,2,Flu\n3,2,HIV\n4,2,Cold\n")
    asks = ["believe", str(file), "-g", "ward", "-s", "disease", "--person", "id", "--values", "set"]
    told = invoke([*asks, "-k", "P(Cold | person=#1) = 0.9", "-a", "#1", "--json"])
    believed = {each["value"]: each["after"] for each in answer(told)["beliefs"]}
    assert believed == pytest.approx({"Flu": 1, "Cold": 0.9})
    refused = invoke([*asks, "-k", "P(Cold or Flu | ward=1) = 0.9"])
    assert (refused.exit_code, "links 2 values" in refused.stderr) == (2, True)


@pytest.mark.parametrize("asks", [("-k", "P(Flu | sex=Q) = 0.3"), ("-k", "P(Flu) >= 0", "-a", "{sex = Q}")])
def test_a_label_that_nobody_knows_is_refused_with_the_nearest(by_hidden, asks):
    told = by_hidden(*asks)
    assert (told.exit_code, told.stdout) == (2, "")
    assert mentions(told.stderr, "sidelight:", "no sex 'Q'", "F, M")


@pytest.mark.parametrize(
    ("know", "said"),
    [
        (["P(Flu | sex=male) = 0.3", "#1 = Flu"], "one kind at a time"),
        (["P(Flu | sx=male) = 0.3"], "did you mean 'sex'"),
        (["P(Flu | sex=mal) = 0.3"], "did you mean 'male'"),
        (["P(Fluu | sex=male) = 0.3"], "did you mean 'Flu'"),
        (["P(Flu | sex=male) = 1"], "the release says otherwise"),
        (["P(Flu | sex=male) = 1.2"], "between 0 and 1"),
        (["P(Flu | person=Bob) = 0.5"], "say who it is"),
    ],
)
def test_what_goes_wrong_is_one_line(by_shares, know, said):
    told = by_shares(*(part for text in know for part in ("--know", text)))
    assert told.exit_code == 2
    assert said in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_whom_to_ask_about(by_shares):
    assert "nobody called 'Zoe'" in by_shares("-k", "P(Flu) >= 0.1", "-a", "Zoe").stderr
    assert "too late" in by_shares("-k", "P(Flu) >= 0.1", "-a", "{sex = male} x").stderr


def test_the_column_that_names_people_is_heeded_in_buckets_too(by_shares):
    by_shares.file.write_text(
        "who,bucket,sex,degree,disease\nAnn,1,f,college,Flu\nAnn,1,f,college,HIV\nBob,1,m,college,Flu\n"
    )
    told = by_shares("-k", "P(Flu | sex=m) = 0.3", "--person", "who")
    assert told.exit_code == 2
    assert mentions(told.stderr, "sidelight:", "1 person", "more than one row")
    assert "Ann" not in told.stderr
