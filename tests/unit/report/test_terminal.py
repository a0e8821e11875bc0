"""The terminal view: readable in 80 columns, without colour, and never claiming more than the policy."""

import io

import pytest
from rich.console import Console
from support.words import says

import sidelight as sl
from sidelight.report.report import audit_report
from sidelight.report.terminal import draw_blocks
from sidelight.text import shorten_label

RELEASE = sl.Release.from_counts(
    [{"Flu": 5}, {"Flu": 3, "Cold": 3}],
    labels=[{"age": "20-29", "marital status": "[red]married[/red], spouse absent"}, {"age": "30-39"}],
)
KEPT, BROKEN = sl.GroupSize() >= 5, sl.EntropyDiversity() >= 1.5


def shown(report, *, width=80):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    for part in draw_blocks(report.blocks(), width):
        console.print(part)
    return console.file.getvalue()


def of(*criteria, **more):
    return audit_report(RELEASE, verdict=sl.Policy(*criteria).judge(RELEASE), source="published.csv", **more)


@pytest.mark.parametrize("width", [80, 60, 200])
def test_it_fits_and_says_all(width):
    text = shown(of(KEPT, BROKEN, notes=["3 rows were left out"]), width=width)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    flat = " ".join(text.split())
    for said in (
        "published.csv",
        "11 people in 2 groups",
        "group size",
        "≥ 5",
        "✓ yes",
        "✗ no",
        "3 rows were left out",
    ):
        assert said in flat


def test_the_verdict_is_in_words_and_marks_and_names_what_is_broken():
    kept, broken = (shown(of(each), width=100) for each in (KEPT, BROKEN))
    assert says(kept, "✓ Within policy", "the limit holds")
    assert says(kept, "Attackers", "not name", "not judged")
    one_broken = shown(of(KEPT, BROKEN), width=100)
    assert says(one_broken, "✗ Not within policy", "1 of 2 limits", "not kept", "entropy diversity")
    assert says(broken, "✗ Not within policy", "the limit", "not kept", "entropy diversity")
    assert "✓ Within policy: both limits hold." in shown(of(KEPT, KEPT), width=100)
    assert "No policy was given" in shown(audit_report(RELEASE, findings=[sl.GroupSize().measure(RELEASE)]))


@pytest.mark.parametrize("claim", ["anonymous", "safe"])
def test_it_never_promises(claim):
    assert claim not in shown(of(KEPT)).lower()


def test_square_brackets_of_the_data_are_not_markup():
    assert "[red]married[/red]" in "".join(shown(of(KEPT), width=200).split("\n"))


def test_no_colour_when_nobody_wants_it(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    console = Console(file=io.StringIO(), width=80, force_terminal=True, highlight=False)
    console.print(*draw_blocks(of(BROKEN).blocks(), 80))
    assert "\x1b[3" not in console.file.getvalue()
    assert "✗ no" in console.file.getvalue()


def test_long_labels_are_shortened_in_the_middle_and_only_here():
    days = [f"2024-{month:02}-{day:02}" for month in (1, 2) for day in range(1, 20)]
    label = "{" + ", ".join(days) + "}"
    release = sl.Release.from_counts([{"Flu": 2}, {"Cold": 3}], labels=[{"day": label}, {"day": "x" * 200}])
    report = audit_report(release, verdict=sl.Policy(sl.GroupSize() >= 3, sl.Closeness() <= 0.5).judge(release))
    text = " ".join(shown(report, width=200).split())
    assert text.count("{2024-01-01, 2024-01-02, … and 35 more, 2024-02-19}") == 4
    assert label not in text
    assert label in report.answer.findings[0].worst_off
    assert label in report.to_json()
    assert shorten_label("x" * 200) == "x" * 30 + "…" + "x" * 29


def test_how_many_break_a_limit_is_said():
    text = " ".join(shown(of(sl.GroupSize() >= 6, sl.DistinctValues() >= 3), width=200).split())
    assert says(text, "1 group", "5 people", "breaks this limit")
    assert says(text, "2 groups", "11 people", "break this limit")
    assert "this limit" not in shown(of(KEPT))
