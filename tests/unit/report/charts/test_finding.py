"""A finding chooses its picture, and the picture shows the finding."""

import pytest

import sidelight as sl
from sidelight.errors import WrongKind
from sidelight.report.plots import table_behind, title_of

RELEASE = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}, {"Flu": 2, "Cold": 2}])


def test_amounts_around_the_one_that_was_asked_about():
    finding = sl.Acquaintance(1, 2, 0, "AIDS").measure(RELEASE)
    chart = finding.plot(RELEASE)
    assert title_of(chart) == (
        "Knowing one value ruled out and 2 other people's values, somebody can be 1/2 sure that a person has AIDS"
    )
    asked = [row for row in table_behind(chart).rows if row[:2] == ("other people's values", 2)]
    assert asked[0][2] == str(finding.value)


def test_a_judgement_has_its_limit():
    judgement = (sl.Implications(1, "AIDS") < 0.1).judge(RELEASE)
    assert "beyond the limit (below 0.1)" in title_of(judgement.plot(RELEASE))
    sizes = (sl.GroupSize() >= 5).judge(RELEASE)
    assert title_of(sizes.plot(RELEASE)) == "4 of 12 people are in groups of fewer than 5"


def test_an_amount_of_a_million_is_marked():
    finding = sl.Acquaintance(others=1_000_000, value="AIDS").measure(RELEASE)
    rows = table_behind(finding.plot(RELEASE)).rows
    assert ("other people's values", 1_000_000, "1", 1.0) in rows


def test_only_a_release_is_drawn_on():
    with pytest.raises(WrongKind):
        sl.GroupSize().measure(RELEASE).plot({"Flu": 2})
