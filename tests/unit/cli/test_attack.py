"""`sidelight attack`, from the outside."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import answer, invoke

import sidelight as sl
from sidelight.attack.report import sentences

SPRING = "zip,disease\n1,Flu\n1,AIDS\n2,Cold\n2,Flu"
AUTUMN = "zip,disease\n1,AIDS\n1,Cold\n2,AIDS\n2,AIDS"
PEOPLE = "name,zip,real\nAnn,1,AIDS\nBea,2,Cold\n"
ROLES = ("--quasi", "zip", "--sensitive", "disease")


def run(*args):
    return invoke(["attack", *map(str, args)])


@pytest.fixture
def files(tmp_path):
    for name, text in (("spring.csv", SPRING), ("autumn.csv", AUTUMN), ("people.csv", PEOPLE)):
        (tmp_path / name).write_text(text)
    return tmp_path / "spring.csv", tmp_path / "autumn.csv", "--people", tmp_path / "people.csv", *ROLES


def test_it_tells_what_is_given_away_and_by_what(files):
    result = run(*files, "--person", "name", "--truth", "real", "--who", "Ann")
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "give away the value of 1 of 2 people (50.0 %)" in said
    assert "contradict each other" in said
    assert "Everybody who is looked for was taken to be in every release" in said
    assert "Only AIDS is in all of them." in said
    assert "spring.csv" in said


def test_a_release_that_is_listed_twice_is_refused(files):
    again = files[0].parent / "." / ".." / files[0].parent.name / "spring.csv"
    result = run(files[0], again, *files[2:])
    assert (result.exit_code, result.stderr) == (2, f"sidelight: {again} is listed twice; list each release once\n")


def test_one_release_is_not_several(files):
    said = " ".join(run(files[0], *files[2:]).output.split())
    assert "The release alone gives away the value of 0 of 2 people (0 %)." in said
    assert "Together" not in said


def test_as_json_it_is_data(files, tmp_path):
    written = tmp_path / "exposure.json"
    result = run(*files, "--person", "name", "--who", "Ann", "--json", "--output", written)
    told = answer(result)
    assert result.stdout == written.read_text()
    assert told["perfect"]["exact"] == "1/2"
    assert told["contradicted"]["exact"] == "1/2"
    assert told["witness"]["candidates"] == [{"candidate": "AIDS", "exact": "1", "value": 1.0}]
    assert run(*files, "--output", written).exit_code == 2
    assert run(*files, "--output", written, "--force").exit_code == 0


@pytest.mark.parametrize("place", ["spring.csv", "people.csv"])
def test_inputs_are_never_written_over(files, tmp_path, place):
    before = (tmp_path / place).read_text()
    result = run(*files, "--output", tmp_path / place, "--force")
    assert result.exit_code == 2
    assert "never written over" in result.output
    assert (tmp_path / place).read_text() == before


@pytest.mark.parametrize(("share", "status"), [("0.4", 1), ("1/2", 2), ("1", 0)])
def test_a_limit_decides_and_people_who_cannot_be_told_about_are_not_safe(files, share, status):
    assert run(*files, "--at-most", share).exit_code == status


@pytest.mark.parametrize("wrong", ["much", "2", "-1", "inf"])
def test_a_limit_that_cannot_be_read(files, wrong):
    result = run(*files, f"--at-most={wrong}")
    assert result.exit_code == 2
    assert "--at-most" in result.output


def test_different_words_need_a_mapping(files, tmp_path):
    (tmp_path / "autumn.csv").write_text(AUTUMN.replace("AIDS", "HIV"))
    assert run(*files).exit_code == 2
    assert "--same-value" in run(*files).output
    assert "1 of 2 people (50.0 %)" in " ".join(run(*files, "--same-value", "HIV=AIDS").output.split())
    assert run(*files, "--same-value", "=").exit_code == 0
    assert "cannot read --same-value" in run(*files, "--same-value", "HIV").output


@pytest.mark.parametrize("method", ["mondrian", "microaggregation", "anatomy", "lattice"])
def test_published_files_are_attacked_as_their_sidecars_say(tmp_path, method):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    policy = sl.Policy(sl.GroupSize() >= 20)
    names = [str(tmp_path / f"{number}.parquet") for number in (1, 2)]
    found = [sl.protect(adult.table, policy, by=adult.hierarchies, method=method, ask="nobody") for _ in names]
    for each, name in zip(found, names, strict=True):
        each.publish(name)
    for name, hierarchy in adult.hierarchies.items():
        sl.write_hierarchy(hierarchy, tmp_path / f"{name}.csv")
    options = () if method == "anatomy" else ("--quasi", "age", "--quasi", "sex")
    more = ("--hierarchies", tmp_path) if method == "lattice" else ()
    people = tmp_path / "people.parquet"
    pq.write_table(pq.read_table(adult.path).drop_null(), people)
    result = run(*names, "--people", people, *options, "--truth", "occupation", "--json", *more)
    assert result.exit_code == 0, result.output
    told = answer(result)
    assert [each["unlocated"] for each in told["releases"]] == [0, 0]
    exposure = sl.intersect(found, people=adult.table, by=adult.hierarchies)
    if method != "microaggregation":
        assert told["truth"]["hits"]["exact"] == "1"
    assert told["values_left"]["after"]["mean"] == pytest.approx(float(exposure.mean("after")), rel=0.02)


def test_who_is_in_which_release_is_a_column_or_a_probability(files, tmp_path):
    (tmp_path / "people.csv").write_text("name,zip,real,spring,autumn\nAnn,1,AIDS,yes,no\nBea,2,Cold,yes,no\n")
    figures = answer(run(*files, "--present", "spring", "--present", "autumn", "--truth", "real", "--json"))
    assert figures["contradicted"]["exact"] == "0"
    assert figures["truth"]["hits"]["exact"] == "1"
    assert [each["present"]["column"] for each in figures["releases"]] == ["spring", "autumn"]
    assert figures["releases"][1]["present"]["known_to_be"] == 0
    assert sum(each["people"] for each in figures["truth"]["calibration"]["bins"]) == 2
    told = " ".join(run(*files, "--present", "1", "--present", "1/4").output.split())
    assert "Everybody was taken to be in release 2 with probability 1/4." in told
    assert "A release rules out nothing for people who may not be in it." in told
    notes = json.loads(run(*files, "--present", "0.4", "--json").output)["notes"]
    assert "Everybody was taken to be in release 1 with probability 2/5." in notes


@pytest.mark.parametrize(
    ("present", "message"),
    [
        (["3"], "--present 3 is no probability"),
        (["0.1", "0.2", "0.3"], "--present says who is in 3 releases of 2"),
        (["name"], "column 'name' (--present) says something else about some people"),
    ],
)
def test_who_is_present_that_cannot_be_read(files, present, message):
    result = run(*files, *(part for each in present for part in ("--present", each)))
    assert result.exit_code == 2
    assert message in result.stderr


def test_evidence_counts_once_unless_somebody_says_otherwise(files):
    shared, independent = (
        answer(run(*files, "--evidence", how, "--json"))["sure"] for how in ("shared", "independent")
    )
    assert shared[0] == independent[0]  # what is certain is certain
    assert run(*files, "--evidence", "twice").exit_code == 2


def test_people_with_several_values_each(tmp_path):
    for name, rows in (("spring", "1,1,Flu\n1,1,AIDS\n2,1,Flu\n"), ("autumn", "7,1,Flu\n8,1,Cold\n8,1,Flu\n")):
        (tmp_path / f"{name}.csv").write_text("person,zip,disease\n" + rows)
    (tmp_path / "people.csv").write_text("person,zip,disease\nAnn,1,Flu\nAnn,1,AIDS\n")
    files = [tmp_path / "spring.csv", tmp_path / "autumn.csv", "--people", tmp_path / "people.csv", *ROLES]
    result = run(
        *files, "--values", "set", "--person", "person", "--truth", "disease", "--who", "Ann", "--same-value", "="
    )
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert "make a value certain for 1 of 1 people" in told
    assert "Certain: Flu." in told
    assert "50.0 % of the true values are possible" in told  # AIDS is ruled out by the second one
    assert "by the values that are left" not in told
    assert run(*files, "--values", "set").exit_code == 2


def test_whoever_may_be_in_a_release_is_not_called_safe(files):
    """By construction nobody is given away who may be absent: the verdict counts whoever would be."""
    result = run(*files, "--present", "0.9", "--at-most", "0.1")
    assert result.exit_code == 2
    assert "If they are in all releases that may hold them, 1 of 2 people (50.0 %) more are given away." in " ".join(
        result.output.split()
    )
    assert run(*files, "--present", "0", "--at-most", "0.1").exit_code == 0


def test_rows_that_are_taken_for_people_are_said_to_be():
    spring = sl.Release.from_counts([{"Flu": 2}], sizes=[3], labels=[{"zip": "1"}], values="set")
    people = pa.table({"zip": ["1", "1"], "name": ["Ann", "Ann"]})
    rows = "Each of 2 rows was taken for a person; if people have several, name the column that says whose a row is."
    assert rows in list(sentences(sl.intersect([spring], people=people)))
    named = sl.intersect([spring], people=people, person="name")
    assert (named.people.total, any("taken for a person" in each for each in sentences(named))) == (1, False)
