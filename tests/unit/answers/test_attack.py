"""`sidelight attack`, from the outside."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import answer, invoke
from support.words import mentions, says

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
    assert says(said, "give away", "at least 1 of 2 people", "50.0 %")
    assert "contradict each other" in said
    assert says(said, "Everybody", "in every release")
    assert "Only AIDS is in all of them." in said
    assert "spring.csv" in said


def test_a_release_that_is_listed_twice_is_refused(files):
    again = files[0].parent / "." / ".." / files[0].parent.name / "spring.csv"
    result = run(files[0], again, *files[2:])
    assert (result.exit_code, result.stderr) == (2, f"sidelight: {again} is listed twice; list each release once\n")


def test_one_release_is_not_several(files):
    said = " ".join(run(files[0], *files[2:]).output.split())
    assert says(said, "release alone", "gives away", "0 of 2 people", "0 %")
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
    assert says(told, "Everybody", "in release 2", "probability 1/4")
    assert says(told, "rules out nothing", "may not be in")
    notes = json.loads(run(*files, "--present", "0.4", "--json").output)["notes"]
    assert any(mentions(each, "Everybody", "in release 1", "probability 2/5") for each in notes)


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
    assert says(told, "value certain", "1 of 1 person")
    assert "Certain: Flu." in told
    assert says(told, "50.0 %", "true values", "possible")  # AIDS is ruled out by the second one
    assert "by the values that are left" not in told
    assert run(*files, "--values", "set").exit_code == 2


def test_whoever_may_be_in_a_release_is_not_called_safe(files):
    """By construction nobody is given away who may be absent: the verdict counts whoever would be."""
    result = run(*files, "--present", "0.9", "--at-most", "0.1")
    assert result.exit_code == 2
    assert says(" ".join(result.output.split()), "in all releases", "1 of 2 people", "50.0 %", "more", "given away")
    nobody = run(*files, "--present", "0", "--at-most", "0.1")
    assert nobody.exit_code == 2
    assert "Nobody was judged" in nobody.stderr


def test_rows_that_are_taken_for_people_are_said_to_be():
    spring = sl.Release.from_counts([{"Flu": 2}], sizes=[3], labels=[{"zip": "1"}], values="set")
    people = pa.table({"zip": ["1", "1"], "name": ["Ann", "Ann"]})
    rows = "Each of 2 rows was taken for a person; if people have several, name the column that says whose a row is."
    assert rows in list(sentences(sl.intersect([spring], people=people)))
    named = sl.intersect([spring], people=people, person="name")
    assert (named.people.total, any("taken for a person" in each for each in sentences(named))) == (1, False)


SHARED = {
    # by zip, and by sex: each of the four is in two groups, and one world fits all four
    "one world": (
        "zip,sex,disease\n1,*,a\n1,*,b\n2,*,a\n2,*,c\n",
        "zip,sex,disease\n*,f,a\n*,f,b\n*,m,a\n*,m,c\n",
        "zip,sex\n1,f\n1,m\n2,f\n2,m\n",
        ("--quasi", "zip", "--quasi", "sex"),
    ),
    # one more in autumn than in spring: the newcomer's value is what is left after subtraction
    "a newcomer": (
        "zip,disease\n1,a\n1,b\n",
        "zip,disease\n1,a\n1,b\n1,c\n",
        "zip,old,new\n1,1,1\n1,1,1\n1,0,1\n",
        ("--quasi", "zip", "--present", "old", "--present", "new"),
    ),
}


@pytest.fixture(params=SHARED.values(), ids=SHARED)
def shared(request, tmp_path):
    """Two releases that share people, whose values follow from all counts together and from no set of values."""
    *texts, known = request.param
    spring, autumn, people = places = [tmp_path / name for name in ("spring.csv", "autumn.csv", "people.csv")]
    for place, text in zip(places, texts, strict=True):
        place.write_text(text)
    return spring, autumn, "--people", people, *known, "--sensitive", "disease"


def test_attack_releases_share_people_says_at_least(shared):
    result = run(*shared)
    assert result.exit_code == 0
    assert "give away the value of at least" in " ".join(result.output.split())
    assert answer(run(*shared, "--json"))["lower_bound"] is True


@pytest.mark.parametrize(("evidence", "status"), [("shared", 2), ("independent", 2), ("sets", 0)])
def test_gate_over_shared_people_is_not_computed_unless_sets_are_accepted(shared, evidence, status):
    result = run(*shared, "--at-most", "2/3", "--evidence", evidence)
    assert result.exit_code == status, result.output
    assert ("--evidence sets" in result.stderr) == (status == 2)
    assert says(" ".join(result.stdout.split()), "lower bound", "more may be disclosed") == (status == 0)


def test_gate_over_shared_people_that_the_lower_bound_exceeds_is_not_kept(files):
    assert run(*files, "--at-most", "0.4").exit_code == 1


def test_gate_over_one_release_is_exact(files):
    assert run(files[0], *files[2:], "--at-most", "0").exit_code == 0


@pytest.mark.parametrize(
    "more", [(), ("--at-most", "0.5"), ("--at-most", "0", "--unlocated", "ignore"), ("--at-most", "1")]
)
@pytest.mark.parametrize("strangers", [("spring.csv", "autumn.csv"), ("autumn.csv",)])
def test_attack_nobody_located_in_a_release_begins_with_that_and_ends_2(files, tmp_path, strangers, more):
    for name in strangers:
        (tmp_path / name).write_text((tmp_path / name).read_text().replace("\n1,", "\n8,").replace("\n2,", "\n9,"))
    result = run(*files, *more)
    assert result.exit_code == 2, result.output
    first = 3 - len(strangers)
    assert result.stdout.startswith(f"Nobody was located in release {first}, of 2 people looked for")
    assert f"Nobody was located in release {first}" in result.stderr


def test_shares_are_of_people_who_can_be_in_a_release(files, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE + "".join(f"Dan{n},9,Flu\n" for n in range(8)))
    told = answer(run(*files, "--truth", "real", "--json"))
    assert (told["people"], told["located"], told["located_nowhere"]) == (10, 2, 8)
    assert told["perfect"]["exact"] == "1/2"
    assert told["truth"]["people"] == 2
    said = " ".join(run(*files).stdout.split())
    assert says(said, "at least 1 of 2 people", "50.0 %")
    assert says(said, "8 of 10 people", "no group", "not counted")
