"""`sidelight demo`: the files it writes are those it names, and they can be used again."""

import csv
import re
import shutil
from collections import Counter

import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight.cli.serve import as_csv
from sidelight.publish.sidecar import read_sidecar
from sidelight.report.report import AuditReport


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "made" / "here"


@pytest.fixture(scope="module")
def result(folder):
    return invoke(["demo", "--folder", str(folder)])


def test_it_shows_a_release_that_keeps_the_classic_limits_and_still_falls(result):
    assert (result.exit_code, result.stderr) == (0, "")
    assert mentions(result.stdout, "keeps", "group size, distinct values, entropy diversity")
    assert mentions(result.stdout, "still falls to someone", "implications (7/9), acquaintance")


@pytest.mark.usefixtures("result")
def test_it_publishes_one_that_does_not(folder):
    report = AuditReport.model_validate_json((folder / "report.json").read_text(encoding="utf-8"))
    assert report.answer.release.people == 46_033
    assert report.answer.verdict == "within policy"
    assert [answer.holds for answer in report.answer.findings] == [True] * 5
    assert [finding.result for finding in read_sidecar(folder / "release.csv").findings] == [
        answer.result for answer in report.answer.findings
    ]


def test_it_names_the_files_it_wrote(result, folder):
    written = {path.name for path in folder.iterdir()}
    place, _, names = result.stdout.splitlines()[-2].partition(": ")
    assert (place, set(names.split(", "))) == (f"Written to {folder}", written)
    assert sorted(path.name for path in (folder / "hierarchies").iterdir()) == ["age.csv", "education.csv", "sex.csv"]


def test_it_ends_by_naming_the_report_for_whoever_signs(result, folder):
    assert mentions(result.stdout.splitlines()[-1], "browser", folder / "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    texts = re.findall(r">([^<]+)<", page)
    assert any(mentions(text, "Within policy", "all 5", "46,033 people", "18 groups") for text in texts)
    assert any(mentions(text, "242 of 46,033 people", "alone", "age, education, sex") for text in texts)
    assert len(page) < 200_000
    assert page.count("<svg") == 7


@pytest.mark.usefixtures("result")
def test_the_files_can_be_judged_again(folder):
    for name, status in (("release.csv", 0), ("rough.csv", 1)):
        args = ["audit", str(folder / name), "--policy", str(folder / "policy.toml"), "--json"]
        again = invoke(args)
        assert again.exit_code == status
        if name == "release.csv":
            assert again.stdout == (folder / "report.json").read_text(encoding="utf-8")


@pytest.mark.usefixtures("result")
def test_it_can_be_run_again(folder):
    assert invoke(["demo", "--folder", str(folder)]).exit_code == 0


@pytest.mark.usefixtures("result")
def test_a_policy_that_was_changed_is_kept_and_used(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)  # as if the demo had been run here
    changed = (tmp_path / "policy.toml").read_text().replace("at_least = 10", "at_least = 10_000")
    (tmp_path / "policy.toml").write_text(changed)
    again = demo(tmp_path)
    assert again.exit_code == 0
    assert mentions(again.stdout, tmp_path / "policy.toml", "changed", "as it is", "delete it")
    assert (tmp_path / "policy.toml").read_text() == changed
    assert sl.GroupSize().measure(sl.read_published(tmp_path / "release.csv")).value >= 10_000
    (tmp_path / "policy.toml").write_text(changed.replace("10_000", "100_000"))
    impossible = demo(tmp_path)
    assert impossible.exit_code == 1
    assert "not even one group" in impossible.stderr
    (tmp_path / "policy.toml").write_text("[[limit]]")
    assert demo(tmp_path).exit_code == 2
    (tmp_path / "policy.toml").unlink()
    afresh = demo(tmp_path)
    assert (afresh.exit_code, "was changed" in afresh.stdout) == (0, False)


def demo(folder):
    return invoke(["demo", "--folder", str(folder)])


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    result = invoke(["demo", "--folder", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "cannot make the folder" in result.stderr


def test_a_release_as_csv_has_a_row_per_person():
    release = sl.Release.from_counts(
        [{"Flu": 2, "a, b": 1}, {"Flu": 1, None: 1}], labels=[{"age": "20-29"}, {"age": None}]
    )
    rows = list(csv.reader(as_csv(release).decode().splitlines()))
    assert rows[0] == ["age", "value"]
    assert Counter(map(tuple, rows[1:])) == {("20-29", "Flu"): 2, ("20-29", "a, b"): 1, ("", "Flu"): 1, ("", ""): 1}
