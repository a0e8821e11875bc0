"""What was published and how: known from a sidecar or a search, and said not to be known otherwise."""

import sidelight as sl
from sidelight.report.contents import ONLY_FOR_WHOEVER_DECIDES, attack_section, how_it_was_made, what_is_published
from sidelight.report.page import Grid, Paragraph
from sidelight.report.release_report import AttackTried


def texts(blocks):
    return [each.text for each in blocks if isinstance(each, Paragraph)]


def test_a_release_of_which_nobody_knows_how_it_was_made():
    report = sl.release_report(sl.Release.from_counts([{"Flu": 5}]))
    assert texts(what_is_published(report))[:2] == [
        "The release tells of 5 people in 1 group; what should not be found out is value.",
        "How the file was made is not known: no sidecar of Sidelight stands beside it.",
    ]
    assert texts(how_it_was_made(report)) == ["Not known: no sidecar of Sidelight stands beside the file."]


def test_a_release_that_a_search_found():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies, ask="nobody")
    report = sl.release_report(found)
    assert (
        "45,222 people by the method “lattice”; none of these people is suppressed"
        in texts(what_is_published(report))[1]
    )
    assert texts(how_it_was_made(report))[0].startswith("Method “lattice”: each column is printed at one level")


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
