"""A report from whatever is at hand: a file, a sidecar, a search, a release."""

import hashlib
import json
import shutil
import tomllib

import pytest

import sidelight as sl
from sidelight.errors import BadRelease
from sidelight.publish.release_report import NOT_MEASURED_AGAIN, numbers_in, read_attack
from sidelight.publish.sidecar import sidecar_path


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult(quasi=["age", "sex"])


@pytest.fixture(scope="module")
def found(adult):
    policy = sl.Policy(sl.GroupSize() >= 50, sl.Implications(1) < 0.9)
    return sl.protect(adult.table, policy, by=adult.hierarchies, ask="nobody")


@pytest.fixture(scope="module")
def published(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "release.parquet"
    found.publish(path)
    return path


def test_a_search_tells_the_risk_before_and_after(found):
    told = sl.release_report(found, date="2026-01-31").answer
    assert [number.text for number in told.before.results] == ["1", "1"]
    assert told.audit.verdict == "within policy"
    assert told.made.method == "lattice"
    assert told.date == "2026-01-31"


def test_a_published_file_is_told_of_as_its_sidecar_does(published, adult):
    told = sl.release_report(published, table=adult.table).answer
    assert told.files[0].name == "release.parquet"
    assert told.made.published is not None
    assert told.made.utility["loss"] is not None
    assert told.before.people == adult.table.people
    assert told.columns[0].technique.startswith("generalised")


def test_a_sidecar_whose_file_is_elsewhere_is_told_of(published, tmp_path):
    alone = tmp_path / "release.parquet.sidelight.json"
    shutil.copy(sidecar_path(published), alone)
    here, there = sl.release_report(published), sl.release_report(alone)
    assert NOT_MEASURED_AGAIN in there.notes
    assert [each.result for each in there.answer.audit.findings] == [each.result for each in here.answer.audit.findings]
    assert there.answer.made == here.answer.made
    assert "nothing was measured again" in sl.report_html(there)


def test_a_file_that_was_changed_is_refused(published, tmp_path):
    for path in (published, sidecar_path(published)):
        shutil.copy(path, tmp_path / path.name)
    with (tmp_path / published.name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(BadRelease, match="not the file that its sidecar tells of"):
        sl.release_report(tmp_path / published.name)


def test_the_same_arguments_give_the_same_bytes(published):
    one, other = (sl.report_html(sl.release_report(published, date="2026-01-31")) for _ in range(2))
    assert one == other


def test_of_a_release_alone_what_is_unknown_is_said():
    release = sl.Release.from_counts([{"Flu": 8, "Cold": 4}])
    text = sl.report_markdown(sl.release_report(release))
    assert "No policy was given: nothing is judged" in text
    assert "no sidecar of Sidelight stands beside" in text


def test_no_row_of_the_table_is_told(tmp_path):
    """Values that one person alone has never come into a report, though the table is beside it."""
    rows = "".join(f"{20 + number % 40},zip{number % 4},{'Flu' if number % 3 else 'Cold'}\n" for number in range(400))
    file = tmp_path / "table.csv"
    file.write_text(f"age,zip,disease\n{rows}99,Rareville,Flu\n")
    table = sl.read_table(file, quasi=["age", "zip"], sensitive="disease", person="each row")
    policy = sl.Policy(sl.GroupSize() >= 10, sl.Implications(1) <= 1)
    report = sl.release_report(sl.protect(table, policy, method="mondrian", ask="nobody"))
    raw = sl.release_report(sl.group(table, by=["age", "zip"]), policy, table=table)
    assert report.answer.before.alone >= 1
    assert "Rareville" not in sl.report_html(raw)
    assert "Rareville" not in raw.to_json()


def test_of_an_attack_only_numbers_are_taken(tmp_path):
    file = tmp_path / "attack.json"
    answer = {"people": 3, "worst": {"name": "Ann", "probability": 0.5}, "rows": [{"name": "Bob", "p": 1}]}
    file.write_text(
        json.dumps({"kind": "attack", "schema_version": 1, "source": ["a/b.csv"], "answer": answer, "notes": ["Ann"]})
    )
    tried = read_attack(file)
    assert (tried.source, tried.notes) == (("b.csv",), ())
    assert tried.facts == {"people": 3, "worst: probability": 0.5}
    assert dict(numbers_in([1, 2])) == {}


def test_what_is_no_attack_is_refused(tmp_path):
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"kind": "audit", "schema_version": 1, "answer": {}}))
    with pytest.raises(BadRelease, match="an answer of 'audit'"):
        read_attack(file)
    file.write_text("[]")
    with pytest.raises(BadRelease, match="no answer of Sidelight"):
        read_attack(file)


def test_curves_are_of_one_sensitive_column(tmp_path):
    file = tmp_path / "release.csv"
    file.write_text("age,disease,income\n30,Flu,high\n30,Cold,low\n")
    one = sl.read_release(file, group=["age"], sensitive="disease")
    several = sl.read_release(file, group=["age"], sensitive=["disease", "income"])
    assert [each.measure for each in sl.release_report(one).answer.curves] == ["implications", "negations"]
    assert sl.release_report(several).answer.curves == ()


@pytest.fixture(scope="module")
def with_gaps(tmp_path_factory):
    """A table of 40 rows, ten of them without a disease, and a release of it."""
    folder = tmp_path_factory.mktemp("gaps")
    rows = "".join(f"{30 + at % 2},note,{('Flu', 'Cold', 'Gout', '')[at % 4]}\n" for at in range(40))
    (folder / "table.csv").write_text(f"age,remark,disease\n{rows}")
    table = sl.read_table(folder / "table.csv", quasi=["age"], sensitive="disease", missing="drop")
    sl.protect(table, sl.Policy(sl.GroupSize() >= 5), method="mondrian", ask="nobody").publish(folder / "release.csv")
    return table, folder / "release.csv"


def test_rows_and_columns_of_the_table_that_nobody_gets_are_told(with_gaps):
    table, path = with_gaps
    text = sl.report_markdown(sl.release_report(path, table=table))
    assert "none of these people is suppressed" in text
    assert "10 of 40 rows have no sensitive value and were dropped" in text
    assert "Left out, 1 column of the table: remark" in text


def test_without_the_table_it_is_said_that_they_are_not_known(with_gaps):
    text = sl.report_markdown(sl.release_report(with_gaps[1]))
    assert "40 rows of the table were read, more than there are people" in text
    assert "Which columns of the table were left out is not told" in text


def test_the_policy_that_is_printed_says_what_each_column_is(with_gaps):
    policy = tomllib.loads(sl.release_report(with_gaps[1]).answer.again.policy)
    assert policy["roles"]["quasi"] == ["age"]
    assert policy["roles"]["missing"] == "drop"
    assert len(policy["limit"]) == 1


def test_the_column_that_says_whose_row_it_is_counts_as_left_out(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "pid,age,note,disease\n" + "".join(f"{at},30,x,{'Flu' if at % 2 else 'Cold'}\n" for at in range(20))
    )
    table = sl.read_table(path, quasi=["age"], sensitive="disease", person="pid")
    release = sl.group(table, by=["age"])
    told = sl.release_report(release, sl.Policy(sl.GroupSize() >= 5), table=table).answer
    assert told.before.columns_left_out == ("pid", "note")


def test_files_that_go_out_with_the_release_have_checksums_and_the_sign_off_names_one(published):
    report = sl.release_report(published)
    names = [each.name for each in report.answer.files]
    assert names == ["release.parquet", "release.parquet.sidelight.json", "release.parquet-metadata.json"]
    for each in report.answer.files:
        assert each.sha256 == hashlib.sha256((published.parent / each.name).read_bytes()).hexdigest()
    assert f"This is about release.parquet (SHA-256 {report.answer.files[0].sha256})" in sl.report_html(report)
