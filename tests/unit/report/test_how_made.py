"""What was published and how: known from a sidecar or a search, and said not to be known otherwise."""

import sidelight as sl
from sidelight.report.how_made import how_it_was_made, what_is_published
from sidelight.report.page import Paragraph


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
