"""`sidelight columns`: from a file, by somebody who has never heard of a quasi-identifier, to a policy that works."""

import csv
import json
import random
import re
import shlex

import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support.command_line import answer, invoke
from support.messy import write_visits
from support.words import mentions

import sidelight as sl
from sidelight.intake.roles import suggest_roles


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    return write_visits(tmp_path_factory.mktemp("visits") / "visits.csv")


@pytest.fixture(scope="module")
def drafted(visits):
    folder = visits.parent
    written = ("--write", folder / "policy.toml", "--hierarchies", folder / "hierarchies")
    return invoke(["columns", visits, *written])


def advised(page):
    """Read the commands that a page ends with, as somebody would type them."""
    lines = [line.strip() for line in page.splitlines() if line.startswith("  sidelight ")]
    return [shlex.split(line)[1:] for line in lines]


def from_csv_to_release(file, folder, *options):
    """Draft, audit and protect as the page says."""
    policy, hierarchies = folder / "policy.toml", folder / "hierarchies"
    columns = invoke(["columns", file, "--write", policy, "--hierarchies", hierarchies, *options])
    audit, protect, _ = advised(columns.stdout)
    release = [*protect[:-1], folder / protect[-1]]
    return columns, invoke(audit), invoke(release)


def test_the_whole_story_of_a_messy_file(visits, tmp_path):
    columns, audit, protect = from_csv_to_release(visits, tmp_path)
    assert (columns.exit_code, audit.exit_code, protect.exit_code) == (0, 1, 0)
    assert "300 of 300 people alone" in columns.output
    again = invoke(["audit", tmp_path / "release.csv", "--policy", tmp_path / "policy.toml"])
    assert again.exit_code == 0


@pytest.mark.parametrize("name", ["adult", "nhefs"])
def test_the_whole_story_of_bundled_data(name, tmp_path):
    file = tmp_path / f"{name}.csv"
    pyarrow.csv.write_csv(pq.read_table(getattr(sl.datasets, name)().path), file)
    columns, audit, protect = from_csv_to_release(file, tmp_path, "--up-to", "2")
    assert (columns.exit_code, audit.exit_code, protect.exit_code) == (0, 1, 0)
    policy = sl.read_policy(tmp_path / "policy.toml")
    assert policy.criteria[0] == (sl.GroupSize() >= 11)
    assert len(policy.criteria) == 2
    balanced_loss = float(re.search(r"balanced loss ([0-9.]+)", protect.output)[1])
    assert balanced_loss < 0.5  # the first drafts kept nothing of Adult but sex: 0.94


def test_without_hierarchies_the_advice_names_no_folder_that_is_not_there(visits, tmp_path):
    policy = tmp_path / "policy.toml"
    _, protect, _ = advised(invoke(["columns", visits, "--write", policy]).stdout)
    assert "--hierarchies" not in protect
    assert invoke([*protect[:-1], tmp_path / "release.csv"]).exit_code == 0


PEOPLE = "age,zip_copy,zip,education,education_num,ill,wgt,batch\n" + "".join(
    f"{20 + row % 50},{row % 7:05},{row % 7:05},{'abcd'[row % 4]},{row % 4},{'xyz'[row % 3]},"
    f"{1 + row / 7:.3f},{row % 2}\n"
    for row in range(400)
)


def test_columns_that_tell_each_other_are_published_once(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    columns = {each["column"]: each for each in answer(invoke(["columns", file, "--json", "-s", "ill"]))["columns"]}
    assert columns["zip"]["reason"] == "tells what zip_copy tells, label by label"
    assert columns["education_num"]["reason"] == "tells what education tells, label by label"


def test_a_weight_and_columns_to_keep_go_into_the_draft(tmp_path):
    file, policy = tmp_path / "people.csv", tmp_path / "policy.toml"
    file.write_text(PEOPLE)
    options = ("-s", "ill", "--weight", "wgt", "--keep", "batch", "--write", policy)
    page = invoke(["columns", file, *options])
    assert page.exit_code == 0
    assert mentions(page.stdout, "as it is", "judged by nothing", "batch")
    roles = answer(invoke(["columns", file, *options, "--json", "--force"]))["roles"]
    assert (roles["weight"], roles["keep"], "batch" in roles["quasi"]) == ("wgt", ["batch"], False)
    assert invoke([*advised(page.stdout)[1][:-1], tmp_path / "release.csv"]).exit_code == 0
    assert "wgt" in (tmp_path / "release.csv").read_text().splitlines()[0]


def test_roles_of_a_policy_are_taken_and_options_have_the_last_word(tmp_path):
    file, policy = tmp_path / "people.csv", tmp_path / "mine.toml"
    file.write_text(PEOPLE)
    policy.write_text(
        '[roles]\nquasi = ["age", "education"]\nsensitive = "ill"\n[[limit]]\nmeasure = "group size"\nat_least = 5\n'
    )
    roles = answer(invoke(["columns", file, "--policy", policy, "--json"]))["roles"]
    assert roles["quasi"] == ["age", "education"]
    roles = answer(invoke(["columns", file, "--policy", policy, "--quasi", "age", "--json"]))["roles"]
    assert roles["quasi"] == ["age"]
    assert invoke(["columns", file, "--policy", policy, "--write", policy, "--force"]).exit_code == 2
    assert policy.read_text().startswith("[roles]")


def test_cells_that_hold_several_values_are_taken_apart(tmp_path):
    file, policy = tmp_path / "people.csv", tmp_path / "policy.toml"
    cells = ["Flu|Asthma", "Flu", "Asthma|Ulcer", "Ulcer", "Cold"]
    file.write_text("age,disease\n" + "".join(f"{row % 60},{cells[row % 5]}\n" for row in range(300)))
    page = invoke(["columns", file, "--write", policy])
    assert "'|' between them" in " ".join(page.stdout.split())
    assert 'split = "|"' in policy.read_text()
    assert invoke([*advised(page.stdout)[1][:-1], tmp_path / "release.csv"]).exit_code == 0


def test_people_whose_rows_differ_in_all_that_others_know_are_told_of(tmp_path):
    file = tmp_path / "visits.csv"
    rows = (f"{row // 2},{row % 5},{'fm'[row % 2]},{'abc'[row % 3]}\n" for row in range(200))
    file.write_text("patient_id,age,sex,disease\n" + "".join(rows))
    refused = invoke(["columns", file, "--write", tmp_path / "policy.toml"])
    assert refused.exit_code == 2
    assert mentions(refused.stderr, "one patient_id", "differ in all", "age, sex")
    assert "--person 'each row'" in refused.stderr
    rows_told = invoke(["columns", file, "--write", tmp_path / "policy.toml", "--person", "each row"])
    assert rows_told.exit_code == 0


def test_the_page_tells_roles_sets_and_what_to_do_next(drafted, visits):
    assert drafted.exit_code == 0
    for text in ("Known to others", "Told in confidence", "Left out", "Who is found", "sidelight protect"):
        assert text in drafted.output


def test_no_cell_of_anybody_is_printed_or_drafted_into_the_policy(drafted, visits):
    told = drafted.output + (visits.parent / "policy.toml").read_text()
    with visits.open(newline="") as file:
        _, *rows = csv.reader(file)
    cells = {cell for row in rows for cell in row if len(cell) > 3 and cell != "2024"}
    assert {cell for cell in cells if cell in told} == set()


def test_json_has_every_set(visits):
    facts = answer(invoke(["columns", visits, "--json"]))
    assert len(facts["sets"]) == 7
    assert facts["people"] == 300
    assert facts["columns"][1]["role"] == "person"
    assert facts["worst_columns"][0]["column"] == "birth_date"
    everything = facts["sets"][-1]
    assert everything["distinction"]["exact"] == "1"


def test_sets_agree_with_python(visits):
    facts = answer(invoke(["columns", visits, "--json", "--up-to", "2"]))
    table = sl.read_table(visits, **suggest_roles(visits).keywords)
    which = sl.identifying_columns(table, 2)
    told = {(*each["columns"],): (each["groups"], each["alone"]) for each in facts["sets"]}
    assert told == {each.columns: (each.groups, each.unique) for each in which.subsets}


def test_what_exists_is_not_written_over(visits, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text("mine")
    result = invoke(["columns", visits, "--write", policy, "--hierarchies", tmp_path / "h"])
    assert result.exit_code == 2
    assert "exists" in result.stderr
    assert policy.read_text() == "mine"
    assert not (tmp_path / "h").exists()
    assert invoke(["columns", visits, "--write", policy, "--force"]).exit_code == 0
    assert policy.read_text() != "mine"


def test_hierarchies_that_exist_leave_no_policy_behind(visits, tmp_path):
    folder = tmp_path / "h"
    folder.mkdir()
    (folder / "zip.csv").write_text("mine")
    result = invoke(["columns", visits, "--write", tmp_path / "policy.toml", "--hierarchies", folder])
    assert result.exit_code == 2
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["h", "zip.csv"]


def test_the_input_is_never_written_over(visits):
    result = invoke(["columns", visits, "--write", visits, "--force"])
    assert (result.exit_code, "input" in result.stderr) == (2, True)


def test_without_a_secret_sets_are_told_and_no_policy_is_drafted(tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("age,zip\n" + "".join(f"{row % 40},{row % 9:05}\n" for row in range(200)))
    told = invoke(["columns", file])
    assert told.exit_code == 0
    assert "told in confidence" in told.output
    assert "Who is found" in told.output
    refused = invoke(["columns", file, "--write", tmp_path / "policy.toml"])
    assert refused.exit_code == 2
    assert "--sensitive" in refused.stderr
    assert not (tmp_path / "policy.toml").exists()


def test_nothing_that_others_know_is_told_too(tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("disease\n" + "Flu\nCold\n" * 20)
    assert invoke(["columns", file]).exit_code == 0
    assert "--quasi" in invoke(["columns", file, "--write", tmp_path / "policy.toml"]).stderr
    assert "--quasi" in invoke(["columns", file, "--hierarchies", tmp_path / "h"]).stderr


def test_your_own_roles_are_in_the_draft(visits, tmp_path):
    policy = tmp_path / "policy.toml"
    options = ("--quasi", "sex", "--quasi", "zip", "--sensitive", "diagnosis", "--kind", "zip=category")
    assert invoke(["columns", visits, *options, "--write", policy]).exit_code == 0
    assert invoke(["audit", visits, "--policy", policy]).exit_code == 1
    text = policy.read_text()
    assert 'columns = { "zip" = "category" }' in text
    assert "birth_date" in text.partition("Not listed")[2]


@pytest.mark.parametrize("share", ["0", "2", "many", "1/0", "nan"])
def test_a_share_outside_of_zero_to_one_is_refused(visits, share):
    result = invoke(["columns", visits, "--alone", share])
    assert (result.exit_code, "--alone" in result.stderr) == (2, True)


def test_more_columns_than_can_be_gone_through_say_how_many_can(tmp_path):
    file = tmp_path / "wide.csv"
    names = [f"age {letter}" for letter in "abcdefghijklmnopqrst"]
    draw = random.Random(7)
    cells = ("".join(f"{draw.randrange(9)}," for _ in names) for _ in range(40))
    rows = (f"{each}{'Flu' if row % 3 else 'Cold'}\n" for row, each in enumerate(cells))
    file.write_text(",".join([*names, "disease"]) + "\n" + "".join(rows))
    result = invoke(["columns", file, "--up-to", "20"])
    assert result.exit_code == 2
    assert "--up-to" in result.stderr


def test_names_that_toml_or_a_terminal_could_misread(tmp_path):
    file = tmp_path / "odd names.csv"
    names = ['say "age"', "sex [bold]", "zip # code", "dis\\ease diagnosis"]
    with file.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(names)
        writer.writerows([row % 7, "fm"[row % 2], f"{row % 11:05}", "abc"[row % 3]] for row in range(120))
    policy = tmp_path / "policy.toml"
    assert invoke(["columns", file, "--write", policy]).exit_code == 0
    assert sl.read_policy(policy)
    assert invoke(["audit", file, "--policy", policy]).exit_code == 1
    assert json.loads(invoke(["columns", file, "--json"]).stdout)["answer"]["roles"]["quasi"] == names[:3]


def test_an_amount_is_published_in_bands_as_the_page_says(tmp_path):
    file, policy, folder = tmp_path / "pay.csv", tmp_path / "policy.toml", tmp_path / "hierarchies"
    file.write_text("age,salary\n" + "".join(f"{row % 60},{1000 + 37 * row}\n" for row in range(300)))
    assert invoke(["columns", file, "-s", "salary", "--write", policy, "--hierarchies", folder]).exit_code == 0
    cut = ["--cuts", "salary=4000,8000", "--output", folder, "--force"]
    assert invoke(["hierarchies", file, "--policy", policy, *cut]).exit_code == 0
    policy.write_text(policy.read_text().replace('sensitive = "salary"', 'sensitive = "salary"\nsensitive_level = 1'))
    release = ["--method", "mondrian", "--output", tmp_path / "release.csv"]
    protect = invoke(["protect", file, "--policy", policy, "--hierarchies", folder, *release])
    assert protect.exit_code == 0
    assert "is not used" not in protect.stdout
    assert "4000-7999" in (tmp_path / "release.csv").read_text()


PRESET = ("--preset", "HIPAA safe harbour")


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    rows = "\n".join(
        f"{30 + number // 12},{'fm'[number % 2]},{'Flu' if number % 3 else 'Cold'}" for number in range(24)
    )
    file.write_text(f"age,sex,disease\n{rows}\n")
    return file


def test_an_identifier_that_is_found(tmp_path):
    file = tmp_path / "patients.csv"
    file.write_text("mrn,sex\n17,f\n18,m\n")
    result = invoke(["columns", file, *PRESET])
    assert (result.exit_code, result.stderr) == (1, "")
    assert mentions(result.stdout, "mrn:", "called like", "account")
    assert "45 CFR 164.514(b)(2)" in result.stdout
    document = json.loads(invoke(["columns", file, *PRESET, "--json"]).stdout)
    assert (document["kind"], document["answer"]["found"]) == ("safe harbour", True)
    assert document["answer"]["look_like_none"] == ["sex"]


def test_nothing_found_is_could_not_tell(people):
    result = invoke(["columns", people, *PRESET])
    assert result.exit_code == 2
    assert "Could not tell" in result.stdout
    assert "safe." not in result.stdout


def test_three_digits_of_too_few_people_are_found(tmp_path):
    file, census = tmp_path / "visits.csv", tmp_path / "census.csv"
    file.write_text("zip,sex\n021,f\n059,m\n")
    census.write_text("zip,people\n02139,36000\n05901,300\n")
    asked = ["columns", file, *PRESET, "--population", census]
    result = invoke([*asked, "--residents", "people"])
    assert (result.exit_code, result.stderr) == (1, "")
    assert mentions(" ".join(result.stdout.split()), "1 of its 2", "ZIP", "20,000 people", "or fewer")
    census.write_text("zip,people\n02139,36000\n05901,30000\n")
    assert invoke([*asked, "--residents", "people"]).exit_code == 2
    unknown = invoke([*asked, "--residents", "persons"])
    assert unknown.exit_code == 2
    assert "--population has no column 'persons'" in unknown.stderr
    other = invoke(["columns", file, "--population", census])
    assert other.exit_code == 2
    assert "are for --preset 'HIPAA safe harbour' here" in other.stderr


def test_a_check_drafts_nothing(people, tmp_path):
    result = invoke(["columns", people, *PRESET, "--write", tmp_path / "policy.toml"])
    assert result.exit_code == 2
    assert "drafts nothing" in result.stderr


def test_limits_of_a_preset_are_drafted(people, tmp_path):
    policy = tmp_path / "policy.toml"
    result = invoke(["columns", people, "--preset", "ACRO", "--write", policy])
    assert result.exit_code == 0
    assert "does not cover" in result.stdout
    assert sl.read_policy(policy) == sl.presets.acro(sums=False).policy
    assert "the rules for sums are left out" in policy.read_text()


def test_a_preset_in_an_audit(people):
    asked = ("audit", people, "-g", "age", "-g", "sex", "-s", "disease")
    result = invoke([*asked, "--preset", "EMA/Health Canada 0.09"])
    assert result.exit_code == 1
    printed = " ".join(result.stdout.split())
    assert "as secondary sources report it" in printed
    assert "does not cover" in printed
    assert "statistic=average" in printed
    assert invoke(["audit", people, "-g", "age", "-s", "disease", "--preset", "EMA/Health Canada 0.09"]).exit_code == 0
    check = invoke([*asked, *PRESET])
    assert check.exit_code == 2
    assert "sidelight columns FILE --preset" in check.stderr
    unknown = invoke([*asked, "--preset", "k-map(k=5)"])
    assert unknown.exit_code == 2
    assert "--population" in unknown.stderr


def test_a_preset_with_a_population(people):
    asked = ("audit", people, "-g", "age", "-s", "disease", "--population", people)
    assert invoke([*asked, "--preset", "k-map(k=12)"]).exit_code == 0
    assert invoke([*asked, "--preset", "k-map(k=13)"]).exit_code == 1
    assert "journalist" in invoke([*asked, "--preset", "EMA/Health Canada 0.09"]).stdout


def test_a_preset_of_a_policy_file_takes_the_population_and_reports_what_stands_beside_it(people, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('preset = "EMA/Health Canada 0.09"\n[roles]\nquasi = ["age"]\nsensitive = "disease"\n')
    asked = ("audit", people, "--policy", policy, "--json")
    for further, measure in (((), "prosecutor risk"), (("--population", people), "journalist risk")):
        findings = json.loads(invoke([*asked, *further]).stdout)["answer"]["findings"]
        assert [(each["measure"], each["settings"].get("statistic"), each["holds"]) for each in findings] == [
            (measure, None, True),
            (measure, "average", None),
        ]


def test_a_preset_in_a_search(people):
    asked = ["protect", people, "-g", "sex", "-s", "disease", "--suppress-only", "sex", "--preset"]
    result = invoke([*asked, "ACRO(sums=false)"])
    assert result.exit_code == 0
    assert "does not cover" in result.stdout
    no_amounts = invoke([*asked, "ACRO"])
    assert no_amounts.exit_code == 2
    assert "ACRO(sums=false)" in no_amounts.stderr
