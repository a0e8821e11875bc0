"""`sidelight report`: from a release with or without a sidecar, a policy and a table, whole or not at all."""

import json
import os
import re
import shutil
import stat
import sys
from typing import get_args

import pytest
from support.command_line import answer, invoke
from support.words import mentions

import sidelight as sl
from sidelight.report.answer import Recipe
from sidelight.report.release_report import Decision, ReleaseReport

DAY = ["--date", "2026-01-31"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, a policy and a release of it."""
    made = tmp_path_factory.mktemp("report")
    rows = "".join(
        f"{20 + number % 40},{'fm'[number % 2]},{('Flu', 'Cold', 'Gout')[number % 3]}\n" for number in range(600)
    )
    (made / "table.csv").write_text(f"age,sex,disease\n{rows}")
    (made / "policy.toml").write_text(
        '[roles]\nquasi = ["age", "sex"]\nsensitive = "disease"\nperson = "each row"\n'
        '[[limit]]\nmeasure = "group size"\nat_least = 10\n[[limit]]\nmeasure = "implications"\nk = 1\nat_most = 1\n'
    )
    published = invoke(
        [
            "protect",
            str(made / "table.csv"),
            "-p",
            str(made / "policy.toml"),
            "--method",
            "mondrian",
            "-o",
            str(made / "release.csv"),
        ]
    )
    assert published.exit_code == 0, published.stderr
    return made


@pytest.fixture
def here(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "here")


def test_with_nothing_said_it_goes_beside_the_release(here):
    result = invoke(["report", str(here / "release.csv")])
    page = here / "release.csv.report.html"
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == f"Written to {page}"
    assert "by the method “mondrian”" in page.read_text(encoding="utf-8")


def test_without_the_extra_for_charts_one_line_names_it(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    outcome = invoke(["report", here / "release.csv", "--html", here / "plain.html"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (0, 1)
    assert mentions(outcome.stderr, "sidelight:", "without its charts", "altair", 'pip install "sidelight[plot]"')
    assert "<svg" not in (here / "plain.html").read_text()


def test_all_forms_at_once_and_the_same_again(here):
    names = {"--html": "a.html", "--markdown": "a.md", "--output": "a.json"}
    arguments = ["report", str(here / "release.csv"), *DAY, "--table", str(here / "table.csv")]
    arguments += [word for option, name in names.items() for word in (option, str(here / name))]
    assert invoke(arguments).exit_code == 0
    first = {name: (here / name).read_bytes() for name in names.values()}
    assert invoke([*arguments, "--force"]).exit_code == 0
    again = {name: (here / name).read_bytes().replace(b" --force", b"") for name in names.values()}
    assert again == first
    report = ReleaseReport.model_validate_json(first["a.json"])
    assert report.answer.before.people == 600
    assert report.source == "release.csv"
    assert "sidelight report" in report.answer.again.commands[0]


def test_json_goes_to_programs(here):
    result = invoke(["report", str(here / "release.csv"), *DAY, "--json"])
    assert json.loads(result.stdout)["kind"] == "report"
    assert not (here / "release.csv.report.html").exists()


def test_from_a_sidecar_whose_file_is_elsewhere(here):
    (here / "release.csv").unlink()
    result = invoke(["report", str(here / "release.csv.sidelight.json"), "--html", str(here / "a.html")])
    assert result.exit_code == 0, result.stderr
    assert "nothing was measured again" in (here / "a.html").read_text(encoding="utf-8")


def test_a_file_without_a_sidecar_and_with_limits(here):
    (here / "release.csv.sidelight.json").unlink()
    arguments = [
        "report",
        str(here / "release.csv"),
        "-g",
        "age",
        "-g",
        "sex",
        "-s",
        "disease",
        "--html",
        str(here / "a.html"),
    ]
    assert invoke([*arguments, "-l", "group size >= 1000"]).exit_code == 1
    page = (here / "a.html").read_text(encoding="utf-8")
    assert "Not within policy: " in page
    assert "no sidecar of Sidelight stands beside" in page


def test_another_policy_than_that_of_the_sidecar_has_the_last_word(here):
    arguments = ["report", str(here / "release.csv"), "--html", str(here / "a.html"), "-l", "group size >= 1000"]
    assert invoke(arguments).exit_code == 1


def test_without_a_policy_nothing_is_judged(here):
    (here / "release.csv.sidelight.json").unlink()
    columns = ["-g", "age", "-g", "sex", "-s", "disease"]
    assert invoke(["report", str(here / "release.csv"), *columns, "--html", str(here / "a.html")]).exit_code == 0
    assert "No policy was given: nothing is judged" in (here / "a.html").read_text(encoding="utf-8")
    told = invoke(
        [
            "report",
            str(here / "release.csv"),
            *columns,
            "--html",
            str(here / "b.html"),
            "--table",
            str(here / "table.csv"),
        ]
    )
    assert (told.exit_code, "--table tells the risk before" in told.stderr) == (2, True)


def test_who_signs_and_why(here):
    signed = ["--signed-by", "A. Officer", "--role", "DPO", "--decision", "approved", "--reasons", "<b>limits</b>"]
    assert invoke(["report", str(here / "release.csv"), *DAY, *signed, "--html", str(here / "a.html")]).exit_code == 0
    page = (here / "a.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("A. Officer", "DPO", "approved", "&lt;b&gt;limits&lt;/b&gt;", "2026-01-31"))


@pytest.mark.parametrize("decision", get_args(Decision))
def test_report_decision_of_the_list_is_signed(here, decision):
    told = invoke(["report", str(here / "release.csv"), *DAY, "--decision", decision, "--json"])
    assert answer(told)["sign_off"]["decision"] == decision


@pytest.mark.parametrize("decision", ["maybe", "Approved", "", "approved,refused"])
def test_report_decision_outside_the_list_is_refused(here, decision):
    told = invoke(["report", str(here / "release.csv"), *DAY, "--decision", decision])
    assert (told.exit_code, told.stdout) == (2, "")
    assert "--decision" in told.stderr


def test_an_attack_that_was_tried(here):
    attack = invoke(["attack", str(here / "release.csv"), "--as", "learner", "--output", str(here / "learner.json")])
    assert attack.exit_code == 0, attack.stderr
    arguments = ["report", str(here / "release.csv"), "--html", str(here / "a.html")]
    assert invoke(arguments).exit_code == 0
    assert "Learner: release.csv" not in (here / "a.html").read_text(encoding="utf-8")
    assert invoke([*arguments, "--force", "--attack", str(here / "learner.json")]).exit_code == 0
    page = (here / "a.html").read_text(encoding="utf-8")
    assert "Learner: release.csv" in page
    not_asked = [line for line in re.sub("<[^>]*>", " ", page).splitlines() if "Not asked" in line]
    assert not_asked
    assert not any("learner" in line for line in not_asked)


@pytest.mark.parametrize("name", ["ema", "hipaa", "iso-27559", "ico"])
def test_outlines(here, name):
    page = here / "a.md"
    assert invoke(["report", str(here / "release.csv"), "--outline", name, "--markdown", str(page)]).exit_code == 0
    assert "To be filled in by" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--date", "31.1.2026"], "cannot read --date '31.1.2026'"),
        (["--html", "policy.toml"], "is an input"),
        (["--html", "release.csv"], "is an input"),
        (["--html", "table.csv", "--table", "table.csv", "--force"], "is an input"),
        (["--html", "a.html", "--markdown", "a.html"], "is named twice"),
        (["--html", "missing/a.html"], "no folder"),
        (["--attack", "policy.toml", "--html", "a.html"], "no answer of Sidelight"),
    ],
)
def test_bad_requests_leave_nothing_behind(here, monkeypatch, arguments, message):
    monkeypatch.chdir(here)
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    result = invoke(["report", "release.csv", "--policy", "policy.toml", *arguments])
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert message in result.stderr
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_without_a_chromium_a_pdf_is_refused_before_any_work(here, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    result = invoke(["report", str(here / "release.csv"), "--pdf", str(here / "a.pdf")])
    assert result.exit_code == 2
    assert "--pdf needs a Chromium on this system" in result.stderr


def test_a_pdf_is_printed_by_the_systems_chromium(here, monkeypatch):
    browser = here / "chromium"
    browser.write_text(
        '#!/bin/sh\nfor word in "$@"; do case $word in --print-to-pdf=*) printf PDF > "${word#*=}";; esac; done\n'
    )
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{here}{os.pathsep}{os.environ['PATH']}")
    result = invoke(["report", str(here / "release.csv"), "--pdf", str(here / "a.pdf")])
    assert result.exit_code == 0, result.stderr
    assert (here / "a.pdf").read_bytes() == b"PDF"
    browser.write_text("#!/bin/sh\nexit 1\n")
    result = invoke(["report", str(here / "release.csv"), "--pdf", str(here / "b.pdf"), "--html", str(here / "b.html")])
    assert (result.exit_code, "could not print the page" in result.stderr) == (2, True)
    assert not (here / "b.html").exists()


def test_cells_that_are_html_formulas_or_escapes_are_text_from_file_to_page(tmp_path):
    nasty = ("<script>alert(1)</script>", "=1+1|cmd", "\x1b[31mred", "\u202egnp.exe")
    rows = "".join(f'"{age}","{value}"\n' for age in nasty for value in nasty for _ in range(5))
    (tmp_path / "release.csv").write_text(f'"age","<b>value</b>"\n{rows}', encoding="utf-8")
    arguments = ["report", str(tmp_path / "release.csv"), "-g", "age", "-s", "<b>value</b>", "-l", "group size >= 5"]
    assert invoke([*arguments, "--html", str(tmp_path / "a.html"), "--markdown", str(tmp_path / "a.md")]).exit_code == 0
    page, text = ((tmp_path / name).read_text(encoding="utf-8") for name in ("a.html", "a.md"))
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for content in (page, text):
        assert "\x1b" not in content
        assert "\u202e" not in content
        assert "␛[31mred" in content.replace("\\[", "[")


def test_a_table_of_a_million_people_makes_no_longer_page():
    groups = [{"Flu": 20, "Cold": 30} for _ in range(20_000)]
    release = sl.Release.from_counts(groups, labels=[{"age": f"{number} {'x' * 200}"} for number in range(20_000)])
    page = sl.report_html(sl.release_report(release, sl.Policy(sl.GroupSize() >= 5)))
    assert len(page.encode()) < 60_000


def test_the_python_that_is_printed_comes_to_the_same_report(here, monkeypatch):
    monkeypatch.chdir(here)
    arguments = ["report", "release.csv", "-p", "policy.toml", "--table", "table.csv", *DAY, "--output", "first.json"]
    assert invoke([*arguments, "--html", "first.html"]).exit_code == 0
    first = ReleaseReport.model_validate_json((here / "first.json").read_bytes())
    (here / "policy.toml").write_text(first.answer.again.policy)
    names: dict[str, ReleaseReport] = {}
    exec(first.answer.again.python, names)
    assert (here / "report.html").is_file()
    pages = [
        sl.report_html(each.model_copy(update={"answer": each.answer.model_copy(update={"again": Recipe()})}))
        for each in (first, names["report"])
    ]
    assert pages[0] == pages[1]
