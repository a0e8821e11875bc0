"""What was published and how: known from a sidecar or a search, and said not to be known otherwise."""

from support.words import mentions, says

import sidelight as sl
from sidelight.report.contents import CHECKED_CLAIMS_WARNING, attack_section, how_it_was_made, what_is_published
from sidelight.report.page import Grid, Paragraph
from sidelight.report.release_report import AttackTried


def texts(blocks):
    return [each.text for each in blocks if isinstance(each, Paragraph)]


def test_a_release_of_which_nobody_knows_how_it_was_made():
    report = sl.release_report(sl.Release.from_counts([{"Flu": 5}]))
    published, made = texts(what_is_published(report))[:2]
    assert mentions(published, "5 people in 1 group", "not be found out", "value")
    assert mentions(made, "made", "not known", "no sidecar")
    (made,) = texts(how_it_was_made(report))
    assert mentions(made, "Not known", "no sidecar")


def test_a_release_that_a_search_found():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies, ask="nobody")
    report = sl.release_report(found)
    made = texts(what_is_published(report))[1]
    assert says(made, "45,222 people", "“lattice”", "none of these people", "suppressed")
    assert mentions(texts(how_it_was_made(report))[0], "“lattice”", "each column", "one level")


def test_numbers_have_words_and_what_is_compared_with_the_truth_is_for_whoever_decides():
    facts = {"perfect: value": 0.5, "values left: after: people: 1": 2000, "truth: people": 4, "unheard of": 1}
    section = attack_section(AttackTried(kind="attack", source=("other.csv",), notes=("Together.",), facts=facts))
    assert section.title == "Attack: other.csv"
    _, warning, grid = section.blocks
    assert warning == Paragraph(CHECKED_CLAIMS_WARNING)
    assert isinstance(grid, Grid)
    assert [number for _, number in grid.rows] == ["0.5", "2,000", "4", "1"]
    share, left, known, unheard_of = (label for label, _ in grid.rows)
    assert mentions(share, "share of people", "value", "given away")
    assert mentions(left, "people", "all together", "1 value")
    assert mentions(known, "people", "true value", "known")
    assert unheard_of == "unheard of"


def test_what_was_not_compared_with_the_truth_has_no_warning():
    section = attack_section(AttackTried(kind="attack", facts={"open: value": 0.25}))
    assert section.title == "Attack"
    assert len(section.blocks) == 1
