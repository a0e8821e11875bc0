"""Who is meant, from the outside: people looked up by `believe` and `attack`, suppressed rows, and who is not located."""

import json

import polars as pl
import pytest
from support.command_line import answer, invoke
from support.words import mentions

import sidelight as sl

SUPPRESSED = """city,sex,disease
South,f,Flu
South,f,Flu
South,f,Cold
North,m,Flu
North,m,Cold
*,*,AIDS
*,*,AIDS
"""
ROLES = ("--group", "city", "--group", "sex", "--sensitive", "disease")
CITIES = "Freiburg;South;*\nUlm;South;*\nKiel;North;*\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(SUPPRESSED)
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "city.csv").write_text(CITIES)
    return tmp_path


def believe(who, *options, file="s.csv", roles=ROLES):
    return invoke(["believe", file, *roles, "--about", who, "--json", *options])


def after(result):
    (belief,) = answer(result)["beliefs"]
    return {each["value"]: each["after"] for each in belief["values"] if each["after"] != "0"}


# suppressed rows are never assumed


def test_freiburg_is_not_answered_from_two_suppressed_rows():
    result = believe("{city=Freiburg, sex=f}")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert mentions(result.stderr, "no city 'Freiburg'", "North, South", "give hierarchies with --hierarchies")


def test_a_printed_label_is_not_refused_beside_suppressed_rows():
    assert after(believe("{city=South, sex=f}")) == {"Flu": "2/3", "Cold": "1/3"}


def test_a_hierarchy_tells_believe_who_is_meant():
    assert after(believe("{city=Freiburg, sex=f}", "--hierarchies", "hierarchies")) == {"Flu": "2/3", "Cold": "1/3"}


def test_who_fits_no_printed_group_is_among_the_suppressed_only_where_that_is_said():
    result = believe("{city=Kiel, sex=f}", "--hierarchies", "hierarchies")
    assert result.exit_code == 2
    assert mentions(result.stderr, "fits no group", "group 2 (city North, sex m), group 3 (city South, sex f)")
    assert '--suppressed "may hold them"' in result.stderr
    assumed = believe("{city=Kiel, sex=f}", "--hierarchies", "hierarchies", "--suppressed", "may hold them")
    assert after(assumed) == {"AIDS": "1"}
    (note,) = json.loads(assumed.stdout)["notes"]
    assert "rests on suppressed rows holding the person" in note
    known = believe("{city=South, sex=f}", "--suppressed", "may hold them", "-k", "{city=North, sex=f} != Flu")
    assert "rests on suppressed rows" in json.loads(known.stdout)["notes"][0]  # so do facts about others


@pytest.mark.parametrize("more", [(), ("--hierarchies", "hierarchies")])
def test_a_martian_is_an_error_with_the_nearest_labels(more):
    result = believe("{city=South, sex=Martian}", *more)
    assert result.exit_code == 2
    assert mentions(result.stderr, "no sex 'Martian'", "f, m")
    assert ("add a hierarchy of sex to --hierarchies" in result.stderr) == ("--hierarchies" in more)


@pytest.mark.parametrize(
    ("who", "unknown"),
    [
        ("{city=Freiburg, sex=f}", ("no city 'Freiburg'", "North, South")),
        ("{city=Freiburg}", ("no city 'Freiburg'", "North, South")),
        ("{city=South, sex=Martian}", ("no sex 'Martian'", "f, m")),
    ],
)
def test_a_label_that_nothing_knows_may_be_among_the_suppressed_where_that_is_said(who, unknown):
    refused = believe(who)
    assert refused.exit_code == 2
    assert mentions(refused.stderr, *unknown, '--suppressed "may hold them"')
    assumed = believe(who, "--suppressed", "may hold them")
    assert after(assumed) == {"AIDS": "1"}
    (note,) = json.loads(assumed.stdout)["notes"]
    assert mentions(note, *unknown, "rests on suppressed rows")


def test_a_label_that_nothing_knows_fits_no_group_that_is_starred_in_part(folder):
    (folder / "some.csv").write_text("city,sex,disease\n*,f,AIDS\nNorth,m,Flu\n*,*,Cold\n")
    result = believe("{city=Freiburg, sex=f}", "--suppressed", "may hold them", file="some.csv")
    assert result.exit_code == 2
    assert "knows no city 'Freiburg'" in result.stderr
    assert "may hold them" not in result.stderr  # no hint that was heeded already


def test_statements_do_not_assume_suppressed_rows_either():
    knowing = ("--know", "P(AIDS | city=Ulm) <= 1", "--hierarchies", "hierarchies")
    nobody = believe("{city=Kiel, sex=f}", *knowing)
    assert nobody.exit_code == 2
    assert "only suppressed rows could hold such people" in nobody.stderr
    assert '--suppressed "may hold them"' in nobody.stderr
    said = believe("{city=Kiel, sex=f}", *knowing, "--suppressed", "may hold them")
    (believed,) = answer(said)["beliefs"]
    assert (believed["value"], believed["after"]) == ("AIDS", 1.0)
    assert "rests on suppressed rows holding them" in json.loads(said.stdout)["notes"][-1]


@pytest.mark.parametrize("more", [(), ("--suppressed", "may hold them")])
def test_maximum_entropy_leaves_suppressed_rows_aside_for_who_fits_a_printed_group(more):
    result = believe("{city=South, sex=f}", "--know", "P(Flu | city=North, sex=m) <= 1", *more)
    believed = {each["value"]: each["after"] for each in answer(result)["beliefs"]}
    assert believed == {"Flu": pytest.approx(2 / 3), "Cold": pytest.approx(1 / 3)}  # no AIDS, as counting worlds says
    note = json.loads(result.stdout)["notes"][-1]
    assert mentions(note, "city=South, sex=f", "suppressed rows", "2 people", "left aside", "printed group")


def test_a_statement_about_people_whom_only_suppressed_rows_could_hold_says_nothing():
    knowing = ("--know", "P(AIDS | city=Kiel, sex=f) = 1/2", "--hierarchies", "hierarchies")
    result = believe("{city=South, sex=f}", *knowing)
    assert mentions(json.loads(result.stdout)["notes"][0], "says nothing", "only suppressed rows")
    contradicted = believe("{city=South, sex=f}", *knowing, "--suppressed", "may hold them")
    assert contradicted.exit_code == 0  # then nobody of Kiel is there


def test_hints_name_the_columns_in_which_the_nearest_group_differs():
    result = believe("{city=Kiel, sex=f}", "--hierarchies", "hierarchies")
    assert "differ in city, sex" in result.stderr
    assert "(city *, sex *)" not in result.stderr  # suppressed rows are never the nearest


def test_who_is_known_in_part_may_be_suppressed_as_well():
    result = believe("{city=South}")
    assert result.exit_code == 2
    assert mentions(result.stderr, "2 groups", "group 3 (city South, sex f), group 1 (city *, sex *)", "also sex")


def test_rows_with_some_stars_are_groups_like_any_other(folder):
    (folder / "some.csv").write_text("city,sex,disease\nSouth,*,Flu\nSouth,*,Cold\n*,f,AIDS\nNorth,m,Flu\n*,*,Cold\n")
    assert after(believe("{city=South, sex=m}", file="some.csv")) == {"Flu": "1/2", "Cold": "1/2"}
    result = believe("{city=South, sex=f}", file="some.csv")
    assert "fits 2 groups" in result.stderr
    assert "no column decides between them" in result.stderr


def test_a_column_that_prints_only_stars_decides_nothing(folder):
    (folder / "stars.csv").write_text("city,sex,disease\nSouth,*,Flu\nNorth,*,Cold\n")
    assert after(believe("{city=South, sex=Martian}", file="stars.csv")) == {"Flu": "1"}
    (folder / "all.csv").write_text("city,sex,disease\n*,*,Flu\n*,*,Cold\n")  # one group of everybody, not suppressed
    assert after(believe("{city=Kiel, sex=f}", file="all.csv")) == {"Flu": "1/2", "Cold": "1/2"}


# labels equal, or covered by an interval, a mask, a set, a date, or missing

FORMS = [
    ("30-39", 34),
    ("[30, 40)", 39.5),
    ("65+", 70),
    ("3*", 34),
    ("130**", 13012),
    ("{Salt, Bonn}", "Bonn"),
    ("2024-03", "2024-03-09"),
    ("2024-Q1", "2024-03-09"),
    ("2024", "2024-03-09"),
    ("30-39 or (missing)", 35),
    ("Bonn", "Bonn"),
]


@pytest.mark.parametrize(("printed", "known"), FORMS)
def test_all_verbs_read_what_a_printed_label_covers(folder, printed, known):
    pl.DataFrame({"x": [printed, printed, "elsewhere"], "disease": ["Flu", "Flu", "Cold"]}).write_csv("one.csv")
    pl.DataFrame({"x": [str(known)]}).write_csv("people.csv")
    roles = ("--group", "x", "--sensitive", "disease")
    assert after(believe(f'{{x="{known}"}}', file="one.csv", roles=roles)) == {"Flu": "1"}
    attacked = answer(invoke(["attack", "one.csv", *roles, "--people", "people.csv", "--json"]))
    assert attacked["perfect"]["exact"] == "1"
    assert attacked["located_nowhere"] == 0


def test_labels_may_be_names_and_nothing_else(folder):
    pl.DataFrame({"x": ["30-39", "40-49"], "disease": ["Flu", "Cold"]}).write_csv("one.csv")
    result = believe("{x=34}", "--locate", "labels", file="one.csv", roles=("--group", "x", "--sensitive", "disease"))
    assert result.exit_code == 2
    assert '--locate "intervals"' in result.stderr


def test_somebody_who_is_known_coarsely_may_be_in_a_finer_group(folder):
    pl.DataFrame({"x": ["30-39", "35", "50"], "disease": ["Flu", "Cold", "Flu"]}).write_csv("one.csv")
    result = believe("{x=30-39}", file="one.csv", roles=("--group", "x", "--sensitive", "disease"))
    assert result.exit_code == 2
    assert mentions(result.stderr, "2 groups", "group 1 (x 30-39), group 2 (x 35)")


# files of ours say how they were made


def published(path, method, **options):
    rows = pl.DataFrame(
        {
            "city": ["Freiburg", "Freiburg", "Ulm", "Kiel", "Kiel", "Kiel"] * 3,
            "age": [30, 31, 32, 60, 61, 62] * 3,
            "disease": ["Flu", "Cold", "Flu", "AIDS", "Cold", "Heart"] * 3,
        }
    )
    table = sl.read_table(rows, quasi=["city", "age"], sensitive="disease")
    by = {
        "city": sl.Hierarchy.nested("city", {"South": ["Freiburg", "Ulm"], "North": ["Kiel", "Emden"]}),
        "age": sl.Hierarchy.intervals("age", range(20, 70), widths=[20]),
    }
    hierarchies = {} if method == "anatomy" else {"by": by}
    found = sl.protect(
        table, [sl.GroupSize() >= 3, sl.DistinctValues() >= 2], method=method, **hierarchies, ask="nobody"
    )
    return found.publish(path, **options)


@pytest.mark.parametrize("method", ["lattice", "mondrian", "microaggregation", "anatomy"])
def test_files_of_ours_find_people_without_being_told(folder, method):
    published("ours.csv", method)
    pl.DataFrame({"city": ["Freiburg", "Kiel"], "age": [30, 62]}).write_csv("people.csv")
    told = invoke(["attack", "ours.csv", "--people", "people.csv", "--json"])
    assert answer(told)["located_nowhere"] == 0, told.stderr
    result = believe("{city=Freiburg, age=30}", file="ours.csv", roles=())
    if method == "anatomy":  # people who look alike are in several buckets
        assert "fits" in result.stderr or set(after(result)) <= {"Flu", "Cold", "AIDS", "Heart"}
    else:
        assert set(after(result)) == {"Flu", "Cold"}, result.stderr


def test_a_lattice_release_that_prints_south_finds_freiburg(folder):
    document = published("ours.csv", "lattice").document
    (city,) = [each for each in document.hierarchies if each.column == "city"]
    assert city.covers == {"South": ("Freiburg", "Ulm"), "North": ("Kiel", "Emden")}  # whether anybody is from there
    (age,) = [each for each in document.hierarchies if each.column == "age"]
    assert age.covers == {}  # 20-39 says so itself
    assert set(after(believe("{city=Freiburg, age=30}", file="ours.csv", roles=()))) == {"Flu", "Cold"}


def test_hierarchies_can_be_kept_private(folder):
    document = published("ours.csv", "lattice", private_hierarchies=True).document
    assert all(each.covers == {} for each in document.hierarchies)
    assert "Freiburg" not in document.to_json()
    result = believe("{city=Freiburg, age=30}", file="ours.csv", roles=())
    assert result.exit_code == 2
    assert after(believe("{city=Freiburg, age=30}", "--hierarchies", "hierarchies", file="ours.csv", roles=()))


# could not tell is not safe


@pytest.fixture
def people(folder):
    pl.DataFrame({"city": ["Freiburg", "Ulm", "Kiel", "Kiel"], "sex": ["f", "f", "m", "f"]}).write_csv("people.csv")
    return ("--people", "people.csv")


def attack(*options):
    return invoke(["attack", "s.csv", *ROLES, *options])


def test_people_who_are_not_located_are_open(people):
    result = attack(*people, "--at-most", "0.01")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert mentions(result.stderr, "4 people", "not located", "s.csv", "their city (4)")
    assert mentions(result.stderr, "--hierarchies", "or", "--suppressed 'may hold them'")
    assert "4 of 4 people are open" in result.stderr


def test_hints_never_advise_what_was_given_already(people):
    result = attack(*people, "--at-most", "0.01", "--hierarchies", "hierarchies")
    assert result.exit_code == 2
    assert mentions(result.stderr, "1 person", "not located", "s.csv", "all", "columns at once")
    assert "give --hierarchies" not in result.output
    placed = attack(
        *people, "--at-most", "0.01", "--hierarchies", "hierarchies", "--suppressed", "may hold them", "--json"
    )
    assert placed.exit_code == 1  # the suppressed rows all say AIDS
    assert any("assumed to hold 1 person" in note for note in json.loads(placed.stdout)["notes"])
    assert answer(placed)["releases"][0]["assumed_suppressed"] == 1


def test_a_hierarchy_that_lacks_their_values_is_named(people, folder):
    pl.DataFrame({"city": ["Ulm", "Emden"], "sex": ["f", "m"]}).write_csv("people.csv")
    result = attack(*people, "--at-most", "0.01", "--hierarchies", "hierarchies")
    assert result.exit_code == 2
    assert mentions(result.stderr, "their city (1)", "add", "hierarchy of city lacks", "or say")


def test_people_who_are_not_located_can_be_ignored_and_the_answer_says_so(people):
    result = attack(*people, "--at-most", "0.01", "--hierarchies", "hierarchies", "--unlocated", "ignore")
    assert result.exit_code == 0
    assert mentions(result.stdout, "1 person", "not located", "left out", "3 are judged")
    nobody = attack(*people, "--at-most", "0.01", "--unlocated", "ignore")
    assert nobody.exit_code == 2  # with nobody left there is nothing to judge


def test_few_enough_open_people_cannot_break_the_limit(people):
    assert attack(*people, "--at-most", "0.25", "--hierarchies", "hierarchies").exit_code == 0


def test_fits_84_groups_names_a_few_and_the_columns_that_decide(folder):
    ages = [f"{low}-{low + 9}" for low in range(0, 420, 10)]
    rows = [(sex, age, value) for sex in "fm" for age in ages for value in ("Flu", "Cold")]
    pl.DataFrame(rows, schema=["sex", "age", "disease"], orient="row").with_columns(ward=pl.lit("1")).write_csv(
        "84.csv"
    )
    roles = ("--group", "ward", "--group", "sex", "--group", "age", "--sensitive", "disease")
    result = believe("{ward=1}", file="84.csv", roles=roles)
    assert result.exit_code == 2
    assert mentions(result.stderr, "84 groups", "group 1 (ward 1, sex f, age 0-9)", "group 2")
    assert result.stderr.count("(ward 1") == 3
    assert mentions(result.stderr, "also age, sex", "or", "#1", "group 1")


def test_people_who_are_looked_for_at_an_average_may_be_elsewhere_and_attack_says_so(folder):
    pl.DataFrame({"age": ["31.5", "31.5", "60"], "disease": ["Flu", "Cold", "Flu"]}).write_csv("averages.csv")
    pl.DataFrame({"age": ["30", "58"]}).write_csv("people.csv")
    attack = ["attack", "averages.csv", "--group", "age", "--sensitive", "disease", "--people", "people.csv", "--json"]
    notes = json.loads(invoke([*attack, "--locate", "nearest"]).stdout)["notes"]
    assert any(mentions(note, "nearest average", "release 1", "may be in another") for note in notes)
    (folder / "hierarchies" / "age.csv").write_text("30;*\n58;*\n31.5;*\n60;*\n")
    result = invoke([*attack, "--hierarchies", "hierarchies", "--at-most", "0.1"])
    assert result.exit_code == 2
    assert "say --locate nearest if groups print averages" in result.stderr


def test_hints_name_what_decides_between_groups(folder):
    (folder / "w.csv").write_text("age,sex,disease\n30-39,F,Flu\n30-39,M,Cold\n40-49,*,AIDS\n40-49,*,Cold\n*,*,AIDS\n")
    roles = ("--group", "age", "--group", "sex", "--sensitive", "disease")
    in_part = believe("{age=44}", file="w.csv", roles=roles)
    assert mentions(in_part.stderr, "2 groups", "group 4 (age 40-49, sex *), group 1 (age *, sex *)", "also sex")
    assert "or write #4" in in_part.stderr
    assert after(believe("{age=44, sex=F}", file="w.csv", roles=roles)) == {"AIDS": "1/2", "Cold": "1/2"}
    coarse = believe("{age=30-45, sex=F}", file="w.csv", roles=roles)
    assert "say age more exactly" in coarse.stderr


def test_codes_of_four_digits_are_no_years_beside_masks(folder):
    (folder / "vienna.csv").write_text("zip,disease\n10**,Flu\n10**,Cold\n11**,HIV\n11**,HIV\n")
    (folder / "people.csv").write_text("zip\n1010\n1120\n")
    roles = ("--group", "zip", "--sensitive", "disease")
    assert after(believe("{zip=1010}", file="vienna.csv", roles=roles)) == {"Flu": "1/2", "Cold": "1/2"}
    attacked = answer(invoke(["attack", "vienna.csv", *roles, "--people", "people.csv", "--json"]))
    assert attacked["perfect"]["exact"] == "1/2"
    assert attacked["releases"][0]["ambiguous"] == 0
