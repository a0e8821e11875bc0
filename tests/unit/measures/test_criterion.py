"""Findings and witnesses that show themselves.

The four comparisons: what each decides, and the signs and words of each.

Bounds, comparisons, and judgements as tables.
"""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadPolicy, NotTrueOrFalse, SidelightError, TooHard, WrongKind
from sidelight.measures.criterion import Comparison, Criterion, Finding, Witness, exact, judgements_table
from sidelight.policy.measure_names import all_measures
from sidelight.report.plots import title_of

every_kind = pytest.mark.parametrize(
    "kind", [kind for kind in all_measures() if kind.examples(("a", "b"))], ids=lambda kind: kind.__name__
)


RELEASE = sl.Release.from_counts([{"<Flu>": 2, "Cold": 1}, {"<Flu>": 2}])


def test_a_finding_is_one_line():
    assert repr(sl.DistinctValues().measure(RELEASE)) == "<Finding: distinct values is 1, in group 2>"
    nobody = sl.Release.from_counts([{"a": 0}], sizes=[2], values="set")
    assert repr(sl.BetaLikeness().measure(nobody)) == "<Finding: beta likeness is 0>"


@every_kind
def test_a_witness_is_a_line_that_points_at_a_group(kind):
    ages = [{"age": "20"}, {"age": "30"}, {"age": "40"}]
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 3}, {"a": 1}], labels=ages)
    witness = kind.examples(release.domain)[0].measure(release).witness
    assert repr(witness).startswith(f"<{type(witness).__name__}: group ")
    assert len(repr(witness)) < 60


def test_a_finding_in_a_notebook_trusts_no_label():
    page = sl.Implications(1).measure(RELEASE)._repr_html_()
    assert "<Flu>" not in page
    assert "&lt;Flu&gt;" in page
    assert "implications(k=1)" in page
    assert "group 2" in page


def test_a_finding_is_replayed_on_a_release():
    with pytest.raises(WrongKind, match=r"replayed.* Release, not a str; "):
        sl.GroupSize().measure(RELEASE).replay("release.csv")


def test_a_value_in_words_is_rounded_towards_caution():
    assert Finding(sl.DeltaDisclosure(), 0.51851, None).value_in_words() == "0.5186"
    assert Finding(sl.EntropyDiversity(), 1.88988, None).value_in_words() == "1.8898"
    assert Finding(sl.IndividualRisk(), 0.51851, None).value_in_words() == "0.5186, an estimate"


def test_comparisons():
    assert [each.holds(Fraction(1), 1) for each in Comparison] == [True, False, True, False]
    assert [each.holds(Fraction(2), 1) for each in Comparison] == [True, True, False, False]
    assert [each.holds(Fraction(0), 1) for each in Comparison] == [False, False, True, True]
    assert [each.sign for each in Comparison] == ["≥", ">", "≤", "<"]
    assert [each.sign for each in Comparison if each.from_above] == ["≤", "<"]
    assert [each.sign for each in Comparison if each.strict] == [">", "<"]


def test_signs_of_paper_and_keyboard_mean_the_same_comparison():
    assert [each.typed_sign for each in Comparison] == [">=", ">", "<=", "<"]
    for each in Comparison:
        assert Comparison.from_sign(each.sign) is Comparison.from_sign(each.typed_sign) is each
    assert Comparison.from_sign("=") is None


@pytest.mark.parametrize("comparison", Comparison)
def test_negation_holds_exactly_where_the_comparison_does_not(comparison):
    for value in (0, 1, 2):
        assert comparison.negation.holds(value, 1) is not comparison.holds(value, 1)


def test_comparisons_for_a_measure_keep_it_from_its_bad_side():
    assert Comparison.for_measure(large_is_bad=True) == (Comparison.AT_MOST, Comparison.BELOW)
    assert Comparison.for_measure(large_is_bad=False) == (Comparison.AT_LEAST, Comparison.ABOVE)


@pytest.mark.parametrize("comparison", Comparison)
def test_a_comparison_is_found_by_its_name_and_survives_pickling(comparison):
    assert Comparison(comparison.value) is pickle.loads(pickle.dumps(comparison)) is comparison


@pytest.mark.parametrize(
    ("bound", "number"),
    [(0.1, Fraction(1, 10)), (Decimal("0.1"), Fraction(1, 10)), (np.int64(5), 5), (-math.inf, -math.inf)],
)
def test_a_bound_means_what_it_says(bound, number):
    assert exact(bound) == number


@pytest.mark.parametrize("bound", [math.nan, "five", None, True])
def test_what_is_no_number_is_no_bound(bound):
    with pytest.raises(BadPolicy, match="a limit is a number"):
        exact(bound)


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (
            lambda: sl.GroupSize() >= 0.5,
            BadPolicy,
            ("limit 0.5", "'group size'", "out of range", "between 1 and inf"),
        ),
        (
            lambda: sl.Implications(1) <= 2,
            BadPolicy,
            ("limit 2", "'implications'", "out of range", "between 0 and 1"),
        ),
        (lambda: sl.GroupSize() < 5, BadPolicy, ("'group size'", "at least or above", "not <")),
        (lambda: sl.Implications(1) >= 1, BadPolicy, ("'implications'", "at most or below", "not ≥")),
        (
            lambda: Criterion("group size", Comparison.AT_LEAST, 5),
            WrongKind,
            ("the measure", "a Measure, not a str", "sl.GroupSize() or sl.Implications(3)"),
        ),
        (
            lambda: Criterion(sl.GroupSize(), "≥", 5),
            WrongKind,
            ("the comparison", "a Comparison, not a str"),
        ),
        (
            lambda: bool(sl.GroupSize() >= 3),
            NotTrueOrFalse,
            ("'group size ≥ 3'", "a criterion, not", ".judge(release).holds", "a Policy"),
        ),
    ],
)
def test_what_is_refused_is_told_in_full(ask, kind, message):
    with pytest.raises(SidelightError) as refused:
        ask()
    assert type(refused.value) is kind
    assert mentions(refused.value, *message)


def test_limits_may_be_the_ends_of_their_range():
    assert [str(each) for each in (sl.GroupSize() >= 1, sl.Implications(1) <= 1, sl.Implications(1) < 0)] == [
        "group size ≥ 1",
        "implications(k=1) ≤ 1",
        "implications(k=1) < 0",
    ]
    assert [each.bound_text for each in (sl.GroupSize() > 2, sl.BetaLikeness() <= math.inf)] == ["> 2", "≤ infinite"]


# Findings that are not exact decide where both ends are on one side of the limit.


@pytest.mark.parametrize(
    ("value", "kindest", "holds"),
    [(Fraction(19, 20), Fraction(9, 10), False), (Fraction(89, 100), 0.5, True), (Fraction(9, 10), None, False)],
)
def test_a_range_on_one_side_of_the_limit_is_decided(value, kindest, holds):
    for measure in (sl.MaxEnt(), sl.IndividualRisk()):
        finding = Finding(measure, value, None, kindest=kindest)
        judgement = (measure < 0.9).decide(finding)
        assert (judgement.holds, judgement.finding, judgement.criterion) == (holds, finding, measure < 0.9)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (
            sl.Implications(1),
            ("'implications(k=1) < 0.9'", "not", "in time", "value", "between 0.333333333 and 0.95", "more seconds"),
        ),
        (
            sl.IndividualRisk(),
            (
                "'individual risk < 0.9'",
                "cannot",
                "estimate",
                "between 0.333333333 and 0.95",
                "both sides",
                "another limit",
            ),
        ),
    ],
)
def test_a_range_on_both_sides_of_the_limit_is_too_hard(measure, message):
    with pytest.raises(TooHard) as hard:
        (measure < 0.9).decide(Finding(measure, Fraction(19, 20), None, kindest=Fraction(1, 3)))
    assert mentions(hard.value, *message)


# In a notebook: each is a table, with the explanation below.


def page_of(title, headings, rows, note=""):
    """Write a table as HTML, from cells that are no numbers."""
    head = "".join(f"<th>{each}</th>" for each in headings)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    table = f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"{table}\n<p>{note}</p>" if note else table


HEADINGS = ["measure", "wanted", "found", "within policy?", "who is worst off"]


def test_pages_in_full():
    criterion = sl.GroupSize() >= 3
    finding = sl.GroupSize().measure(RELEASE)
    note = finding.explain()
    assert mentions(note, "group 2", "2 people", "no group", "smaller")
    of_finding = ["measure", "found", "who is worst off"]
    assert finding._repr_html_() == page_of("Finding", of_finding, [("group size", "2", "group 2")], note)
    row = ("group size", "≥ 3", "2", "✗ no", "group 2")
    assert criterion.decide(finding)._repr_html_() == page_of("Judgement", HEADINGS, [row], note)
    assert criterion._repr_html_() == page_of("Criterion", ["measure", "wanted"], [("group size", "≥ 3")])


def test_a_page_about_nobody_has_its_notes_and_points_at_nobody():
    nobody = sl.Release.from_counts([{"a": 0}], sizes=[2], values="set")
    judgement = (sl.BetaLikeness() <= 1).judge(nobody)
    assert judgement.finding.worst_off() == ""
    (said,) = judgement.finding.notes
    assert mentions(said, "no group", "any value")
    note = f"{judgement.finding.explain()} {said}"
    found = page_of("Finding", ["measure", "found", "who is worst off"], [("beta likeness", "0", "")], note)
    assert judgement.finding._repr_html_() == found
    row = ("beta likeness", "≤ 1", "0", "✓ yes", "")
    assert judgement._repr_html_() == page_of("Judgement", HEADINGS, [row], note)
    assert repr(judgement) == "<Judgement: beta likeness ≤ 1 holds, it is 0>"


def test_judgements_in_a_table_are_rounded_towards_caution():
    """A risk of 14/27 = 0.51851… is rounded up, a diversity of 1.88988… down; a table of none has its headings."""
    group = Witness(RELEASE.groups.name(0), "Cold")
    risk = (sl.Implications(1) <= 0.5).decide(Finding(sl.Implications(1), Fraction(14, 27), group))
    entropy = (sl.EntropyDiversity() >= 1).decide(Finding(sl.EntropyDiversity(), 1.88988, group))
    rows = [
        ("implications(k=1)", "≤ 0.5", "0.5186", "✗ no", "group 1: Cold"),
        ("entropy diversity", "≥ 1", "1.8898", "✓ yes", "group 1: Cold"),
    ]
    assert judgements_table("Two", [risk, entropy]) == page_of("Two", HEADINGS, rows)
    assert judgements_table("None", [], note="!") == page_of("None", HEADINGS, [], "!")


def test_a_long_table_says_how_many_judgements_are_not_shown():
    judgement = (sl.GroupSize() >= 3).judge(RELEASE)
    shown = judgements_table("Many", [judgement] * 1_000)
    assert f"<p>… and {1_000 - shown.count('✗ no')} more</p>" in shown


def test_a_judgement_is_drawn_with_its_limit():
    judgement = (sl.GroupSize() >= 3).judge(RELEASE)
    assert mentions(title_of(judgement.plot(RELEASE)), "2 of 5 people", "fewer than 3")
    assert title_of(judgement.finding.plot(RELEASE)) != title_of(judgement.plot(RELEASE))
