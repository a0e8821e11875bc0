"""Attacks that were tried stand in a report in words, and say for whom they are."""

from sidelight.report.attacks_tried import ONLY_FOR_WHOEVER_DECIDES, attack_section
from sidelight.report.page import Grid, Paragraph
from sidelight.report.release_report import AttackTried


def test_numbers_have_words_and_what_is_compared_with_the_truth_is_for_whoever_decides():
    facts = {"perfect: value": 0.5, "values left: after: people: 1": 2000, "truth: people": 4, "unheard of": 1}
    section = attack_section(AttackTried(kind="attack", source=("other.csv",), notes=("Together.",), facts=facts))
    assert section.title == "Attack: other.csv"
    _, warning, grid = section.blocks
    assert warning == Paragraph(ONLY_FOR_WHOEVER_DECIDES)
    assert isinstance(grid, Grid)
    assert grid.rows == (
        ("the share of people whose value is given away", "0.5"),
        ("people to whom all together leave 1 value", "2,000"),
        ("people whose true value is known", "4"),
        ("unheard of", "1"),
    )


def test_what_was_not_compared_with_the_truth_has_no_warning():
    section = attack_section(AttackTried(kind="attack", facts={"open: value": 0.25}))
    assert section.title == "Attack"
    assert len(section.blocks) == 1
