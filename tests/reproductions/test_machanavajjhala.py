"""The page about Machanavajjhala et al. says what the script finds."""

import math
from fractions import Fraction

import experiment
import machanavajjhala as paper
import pytest
from support.reproduced import says, table_rows, table_text, words_of

import sidelight as sl

PAGE = words_of("machanavajjhala")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machanavajjhala")
    paper.main(["--quick", "--out", str(folder)])
    return folder


@pytest.mark.parametrize(
    "name", ["examples", "counterexamples", "paper", "top", "misprints", "adult"], ids=lambda name: name
)
def test_tables_on_the_page_are_what_the_script_finds(quick, name):
    assert table_text("machanavajjhala", name) == (quick / f"{name}.md").read_text(encoding="utf-8")


def test_a_quick_run_draws(quick):
    assert (quick / "definitions.svg").exists()
    assert (quick / "average-group-size.png").exists()


def test_without_the_survey_adult_is_run_alone(monkeypatch, capsys):
    def offline():
        message = "no network; try again where there is one"
        raise sl.errors.NotFetched(message)

    monkeypatch.setattr(paper, "survey", offline)
    run = experiment.Experiment("machanavajjhala", experiment.HERE, quick=False, docs=False)
    assert paper.fetched(run) == []
    assert "Adult alone: no network" in capsys.readouterr().out
    with pytest.raises(sl.errors.NotFetched):
        paper.fetched(experiment.Experiment("machanavajjhala", experiment.HERE, quick=False, docs=True))


def test_counts_on_adult_are_those_of_the_page(quick):
    (adult,) = (row for row in table_rows("machanavajjhala", "definitions") if row["people"] == "Adult")
    assert (quick / "definitions.md").read_text(encoding="utf-8").splitlines()[-1] == "| " + " | ".join(
        adult.values()
    ) + " |"
    close, beside = int(adult["0.2-close"]), int(adult["private at it, not close"])
    assert f"{beside} of {close + beside} on Adult is not" in PAGE
    assert says(PAGE, adult["ε of Lemma 1"], f"all {close} close generalisations", "private", "4 at 2.5")
    quickly = [line for line in (quick / "utility.md").read_text(encoding="utf-8").splitlines() if "| 100 |" in line]
    assert set(quickly) <= set(table_text("machanavajjhala", "utility").splitlines())


def test_the_words_about_order_are_those_of_the_tables():
    rows = {row["claim"]: row for row in table_rows("machanavajjhala", "order")}
    first, second, third, fourth = (rows[claim] for claim in list(rows)[:4])
    assert first["Adult"] == first["ACS"] == "1 of 144 fail: (5,2,1,1)"
    assert first["Adult, 14 occupations"] == "10 of 144 fail"
    assert "on 10 of 144 with 14 occupations" in PAGE
    for row, compared in ((second, "144"), (third, "72"), (fourth, "1,080")):
        assert {row[name] for name in ("Adult", "ACS", "Adult, 14 occupations")} == {f"holds ({compared})"}
    assert says(PAGE, "all 144, 72 and 1,080 comparisons")
    strong, weak = (rows[f"private against {who}, ε = 20"]["the paper"] for who in ("II, 10⁶", "II, 10³"))
    assert f"Its table has {strong} and {weak}" in PAGE


def test_class_one_is_worse_than_class_three_by_little_where_all_is_suppressed():
    rows = table_rows("machanavajjhala", "at-most")
    adult = next(row for row in rows if (row["people"], row["shape"], row["σ"]) == ("Adult", "own shape", "1,000,000"))
    assert adult["most"].startswith("(5,2,1,1): 1.000003 →")
    assert "by 0.000003 on Adult" in PAGE


def test_the_rows_of_the_papers_table_explain_each_other_but_for_one():
    """The group that the columns of a uniform shape show gives at most what is printed for the own shape."""
    off = [node for node, values in paper.TABLE_5.items() if paper.own_shape_at_least(node) > values[1] * 1.003]
    assert off == [(5, 1, 0, 1)]
    assert f"the own shape gives {float(paper.own_shape_at_least(off[0])):.2f}." in PAGE


def test_the_first_row_of_the_papers_table_needs_no_data():
    """Rounded up to tenths in class II, to hundredths elsewhere; 1.0007 is printed as 1.1."""
    row = next(row for row in table_rows("machanavajjhala", "top") if row["people"] == "2,950,000")
    for name, printed in zip(paper.ADVERSARIES, paper.TABLE_5[paper.TOP], strict=True):
        places = 1 if name.startswith("II,") else 2
        assert math.ceil(float(row[name]) * 10**places) / 10**places == printed


def test_utility_is_the_same_up_to_a_thousand_answers(quick):
    """On Adult, as the page says: any shape and the uniform one by discernibility, not by average group size."""
    people = paper.adult()
    rows = paper.utility_rows(people, paper.stubborn(people, (100, 1_000)), (100, 1_000))
    by = {(row["σ"], row["shape"]): row for row in rows}
    for most in (100, 1_000):
        assert by[most, "any shape"]["discernibility"] == by[most, "uniform"]["discernibility"]
    assert by[100, "any shape"]["average group size"] > by[100, "uniform"]["average group size"]
    assert by[1_000, "any shape"]["private"] == 3


@pytest.mark.parametrize(
    ("shares", "bound"),
    [((Fraction(334, 1000), Fraction(666, 1000)), Fraction(334, 134)), ((Fraction(1, 10), Fraction(9, 10)), math.inf)],
)
def test_the_tight_bound_of_lemma_1(shares, bound):
    assert paper.closeness_bound(dict(zip("ab", shares, strict=True)), Fraction(1, 5)) == bound


def test_every_place_of_the_page_is_filled():
    page = (experiment.PAGES / "machanavajjhala.md").read_text(encoding="utf-8")
    assert page.count("<!-- table") == page.count("<!-- end -->") > 0
    assert "<!-- end -->" not in page.replace(" |\n\n<!-- end -->", "")
