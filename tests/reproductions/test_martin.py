"""The page about Martin et al. says what the script finds."""

from fractions import Fraction

import experiment
import martin
import pytest
from support.reproduced import says, table_rows, table_text, words_of

import sidelight as sl

PAGE = words_of("martin")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("martin")
    martin.main(["--quick", "--out", str(folder)])
    return folder


def test_a_quick_run_leaves_figures_and_tables(quick):
    assert {each.name for each in quick.iterdir()} >= {
        "risk.svg",
        "entropy.png",
        "rises.csv",
        "claims.md",
        "minimal.md",
    }


def test_figure_5_on_the_page_is_what_the_script_finds(quick):
    assert table_text("martin", "risk") == (quick / "risk.md").read_text(encoding="utf-8")
    rows = table_rows("martin", "risk")
    assert says(PAGE, "from 0.316", "to 1 at k = 12", "at most 0.052")
    assert (rows[0]["implications"], rows[12]["implications"]) == ("0.3158", "1")
    assert max(float(row["difference"]) for row in rows) == pytest.approx(0.052, abs=0.0005)
    assert [row["k"] for row in rows if row["difference"] == "0"] == ["0", "1", "11", "12"]


def test_figure_6_on_the_page_is_what_the_script_finds(quick):
    one = (quick / "rises.md").read_text(encoding="utf-8").splitlines()[-1]
    assert one in table_text("martin", "rises")
    assert (quick / "which.md").read_text(encoding="utf-8").strip() in table_text("martin", "which")


def test_the_words_are_those_of_the_tables():
    rises = table_rows("martin", "rises")
    counts = [row["rises, implications"] for row in rises]
    rising = f"{', '.join(counts[:-1])} and {counts[-1]}"
    assert says(PAGE, rising, f"of {rises[0]['steps']} steps", "k = 1, 3, 5, 7, 9 and 11")
    assert len(table_rows("martin", "which")) == sum(map(int, counts))
    assert all(int(row[f"k = {k}"]) > 0 for row in table_rows("martin", "variants") for k in martin.KNOWN)
    merged, negated, apart, further, searched = table_rows("martin", "claims")
    assert (merged["against it"], searched["against it"]) == ("0", "0")
    assert f"never in {merged['counted'].split()[0]} comparisons" in PAGE
    alike, risks = negated["against it"].split()[0], negated["counted"].split()[0]
    assert says(PAGE, f"{alike} of {risks} risks", "below 1", "same")
    assert f"the largest difference is {apart['against it'].split()[2]}." in PAGE
    need, by = further["against it"].split()[0], further["against it"].split()[4]
    assert says(PAGE, f"{need} of {further['counted'].split()[0]} limits", f"{by} levels at most")


def test_three_digits_hide_one_rise():
    """A trial that rounded had 6, 4, 2, 2, 2 and 3 rises."""
    risks = [(int(row["k"]), *map(float, row["risk"].split("→"))) for row in table_rows("martin", "which")]
    seen = [sum(round(after, 3) > round(before, 3) for at, before, after in risks if at == k) for k in martin.KNOWN]
    assert seen == [6, 4, 2, 2, 2, 3]
    assert says(PAGE, "rounds", "three digits", "2 rises", "instead of 3")


def test_the_smallest_rise_is_below_four_digits():
    adult = sl.datasets.adult()
    race, age = ({"age": 5, "race": 0}, {"age": 4, "race": 1})
    before, after = (
        sl.Implications(5)
        .measure(sl.generalise(adult.table, by=adult.hierarchies, to={"marital-status": 2, "sex": 1, **each}))
        .value
        for each in (race, age)
    )
    assert 0 < after - before < Fraction(4, 100_000)
    assert f"is {float(after - before):.6f}" in PAGE


def test_a_rise_is_a_rise():
    points = [martin.Point(h, Fraction(risk), (0,)) for h, risk in ((1.0, 1), (1.1, "1/2"), (1.2, "1/2"), (1.3, "2/3"))]
    assert martin.rises(points) == [(points[2], points[3])]


def test_the_whole_run_fills_every_place_of_the_page():
    page = (experiment.PAGES / "martin.md").read_text(encoding="utf-8")
    assert page.count("<!-- table") == page.count("<!-- end -->") > 0
    assert "<!-- end -->" not in page.replace(" |\n\n<!-- end -->", "")
