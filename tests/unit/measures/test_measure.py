"""What all measures share: findings that show themselves, bounds, the registry, and what is refused."""

import math
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, NotTrueOrFalse, SidelightError, TooHard, WrongKind
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import (
    LARGEST_AMOUNT,
    Comparison,
    Criterion,
    Finding,
    Witness,
    Worst,
    call_text,
    declared_measures,
    exact,
    judgements_table,
    refuse_unknown,
    value_text,
    whole_amount,
)
from sidelight.policy.measure_names import all_measures, measure_named
from sidelight.release import groups
from sidelight.report.plots import title_of
from sidelight.table import counts

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


@every_kind
def test_what_is_no_release_is_refused_with_the_remedy(kind):
    measure = kind.examples(("a", "b"))[0]
    with pytest.raises(WrongKind, match=r"^what is measured should be a Release, not a dict; .*read_release"):
        measure.measure({"a": 1})


def test_a_finding_is_replayed_on_a_release():
    with pytest.raises(WrongKind, match=r"^what a finding is replayed on should be a Release, not a str; "):
        sl.GroupSize().measure(RELEASE).replay("release.csv")


def test_declaring_a_measure_registers_it():
    @dataclass(frozen=True)
    class Declared(GroupSize):
        name: ClassVar[str] = "declared in a test"

    assert declared_measures()["declared in a test"] is Declared
    assert measure_named("declared in a test") is Declared
    assert Declared not in all_measures()


def test_all_of_ours_are_declared():
    assert {kind.name for kind in all_measures()} <= {*declared_measures()}


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


def test_comparisons():
    assert [each.holds(Fraction(1), 1) for each in Comparison] == [True, False, True, False]
    assert [each.holds(Fraction(2), 1) for each in Comparison] == [True, True, False, False]
    assert [each.holds(Fraction(0), 1) for each in Comparison] == [False, False, True, True]
    assert [each.sign for each in Comparison] == ["≥", ">", "≤", "<"]
    assert [each.sign for each in Comparison if each.from_above] == ["≤", "<"]
    assert [each.sign for each in Comparison if each.strict] == [">", "<"]


# What is refused, in words.


TWO_COLUMNS = sl.read_release(
    pa.table({"age": ["1", "1"], "disease": ["Flu", "Cold"], "income": ["low", "high"]}),
    group="age",
    sensitive=["disease", "income"],
)
SETS = sl.Release.from_counts([{"a": 2}], sizes=[2], values="set")


class OfOneOrSeveral(GroupSize):
    semantics: ClassVar = ("single", "set")


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (
            lambda: sl.DistinctValues().measure(TWO_COLUMNS),
            BadMeasure,
            (
                "'distinct values' is about one sensitive column, and this release has disease, income; ask about one "
                "(of=disease) (in Python: .about('disease'), or let a policy ask each)"
            ),
        ),
        (
            lambda: sl.ExpectedCandidates().measure(SETS),
            BadMeasure,
            (
                "'expected candidates' is defined for single values, and this release has values=\"set\"; leave it out or "
                "use 'acquaintance'"
            ),
        ),
        (
            lambda: OfOneOrSeveral().measure(sl.Release.from_counts([{"a": 2}], sizes=[2], values="multiset")),
            BadMeasure,
            (
                "'group size' is defined for single and set values, and this release has values=\"multiset\"; leave it out "
                "or use 'acquaintance'"
            ),
        ),
        (
            lambda: sl.MaxEnt().summarize(RELEASE.groups),
            BadMeasure,
            "'maximum entropy' looks at a whole release at once; measure the release, not its parts",
        ),
        (
            lambda: sl.MaxEnt().screen(),
            BadMeasure,
            "'maximum entropy' looks at a whole release at once; search without it and judge what is found by it",
        ),
        (
            lambda: sl.GroupSize() >= 0.5,
            BadPolicy,
            "the limit 0.5 of 'group size' is out of range; it lies between 1 and inf",
        ),
        (
            lambda: sl.Implications(1) <= 2,
            BadPolicy,
            "the limit 2 of 'implications' is out of range; it lies between 0 and 1",
        ),
        (lambda: sl.GroupSize() < 5, BadPolicy, "a policy keeps 'group size' at least or above a limit, not <"),
        (lambda: sl.Implications(1) >= 1, BadPolicy, "a policy keeps 'implications' at most or below a limit, not ≥"),
        (
            lambda: Criterion("group size", Comparison.AT_LEAST, 5),
            WrongKind,
            "the measure should be a Measure, not a str; write one, such as sl.GroupSize() or sl.Implications(3)",
        ),
        (
            lambda: Criterion(sl.GroupSize(), "≥", 5),
            WrongKind,
            "the comparison should be a Comparison, not a str",
        ),
        (
            lambda: bool(sl.GroupSize() >= 3),
            NotTrueOrFalse,
            "'group size ≥ 3' is a criterion, not true or false; ask .judge(release).holds or put it into a Policy",
        ),
        (
            lambda: whole_amount("m", "k", True),
            BadMeasure,
            "'m' needs k to be a whole number of at least 0, not True",
        ),
        (lambda: whole_amount("m", "k", 1.0), BadMeasure, "'m' needs k to be a whole number of at least 0, not 1.0"),
        (lambda: whole_amount("m", "k", 1001, most=1000), BadMeasure, "'m' needs k to be at most 1000, not 1001"),
        (
            lambda: refuse_unknown("m", "kind", ["a"], ("a", "b")),
            BadMeasure,
            "'m' has no kind=\"a list\"; there are: a, b",
        ),
    ],
)
def test_what_is_refused_is_told_in_full(ask, kind, message):
    with pytest.raises(SidelightError) as refused:
        ask()
    assert (type(refused.value), str(refused.value)) == (kind, message)


def test_amounts_from_nothing_to_the_largest():
    assert [whole_amount("m", "k", each) for each in (0, np.int64(7), LARGEST_AMOUNT)] == [0, 7, LARGEST_AMOUNT]
    assert type(whole_amount("m", "k", np.int64(7))) is int
    with pytest.raises(BadMeasure, match="needs k to be at most 1000000000"):
        whole_amount("m", "k", LARGEST_AMOUNT + 1)
    refuse_unknown("m", "kind", "b", ("a", "b"))


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
            (
                "'implications(k=1) < 0.9' could not be decided in time: the value lies between 0.333333333 and 0.95; "
                "give the measure more seconds"
            ),
        ),
        (
            sl.IndividualRisk(),
            (
                "'individual risk < 0.9' cannot be told: the estimate lies between 0.333333333 and 0.95, on both sides of "
                "the limit; set another limit"
            ),
        ),
    ],
)
def test_a_range_on_both_sides_of_the_limit_is_too_hard(measure, message):
    with pytest.raises(TooHard) as hard:
        (measure < 0.9).decide(Finding(measure, Fraction(19, 20), None, kindest=Fraction(1, 3)))
    assert str(hard.value) == message


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
    note = "In group 2, 2 people stand for one another; no group is smaller."
    of_finding = ["measure", "found", "who is worst off"]
    assert finding._repr_html_() == page_of("Finding", of_finding, [("group size", "2", "group 2")], note)
    row = ("group size", "≥ 3", "2", "✗ no", "group 2")
    assert criterion.decide(finding)._repr_html_() == page_of("Judgement", HEADINGS, [row], note)
    assert criterion._repr_html_() == page_of("Criterion", ["measure", "wanted"], [("group size", "≥ 3")])


def test_a_page_about_nobody_has_its_notes_and_points_at_nobody():
    nobody = sl.Release.from_counts([{"a": 0}], sizes=[2], values="set")
    judgement = (sl.BetaLikeness() <= 1).judge(nobody)
    assert judgement.finding.worst_off() == ""
    note = "Nobody in the release has any value, so nothing becomes more likely. no group has any value to measure"
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


def test_a_value_in_words_is_rounded_towards_caution():
    assert Finding(sl.DeltaDisclosure(), 0.51851, None).value_in_words() == "0.5186"
    assert Finding(sl.EntropyDiversity(), 1.88988, None).value_in_words() == "1.8898"
    assert Finding(sl.IndividualRisk(), 0.51851, None).value_in_words() == "0.5186, an estimate"


def test_a_judgement_is_drawn_with_its_limit():
    judgement = (sl.GroupSize() >= 3).judge(RELEASE)
    assert title_of(judgement.plot(RELEASE)) == "2 of 5 people are in groups of fewer than 3"
    assert title_of(judgement.finding.plot(RELEASE)) != title_of(judgement.plot(RELEASE))


# What a measure says unless it says otherwise.


def test_a_belief_is_a_share_unless_the_measure_knows_better():
    class Shares(GroupSize):
        def share_at(self, limit):
            return limit / 2

    assert Shares().belief_at(Fraction(1, 2)) == Fraction(1, 4)
    assert sl.GroupSize().belief_at(Fraction(1, 2)) is sl.GroupSize().share_at(Fraction(1, 2)) is None


def test_values_that_settings_name():
    """In lists and in tables, keys as well; None in a list is the missing label, a hierarchy names nobody."""
    domain = ("a", "b", "c", None)

    class Named(GroupSize):
        def settings(self):
            return {"value": "a", "apart_from": [["b"], None], "hierarchy": {"c": "c"}, "k": 3}

    class InTable(GroupSize):
        def settings(self):
            return {"value": None, "costs": {"a": 1, "x": ("c",)}}

    assert Named().names_values(domain).tolist() == [True, True, False, True]
    assert InTable().names_values(domain).tolist() == [True, False, True, False]
    assert sl.GroupSize().names_values(()).dtype == bool


def test_amounts_are_whole_numbers_and_no_flags():
    @dataclass(frozen=True)
    class Several(GroupSize):
        k: int = 3
        strict: bool = True
        value: str = "a"

    assert Several().amounts() == {"k": 3}
    assert Several().settings() == {}
    assert Several(4, value="b").settings() == {"k": 4, "value": "b"}
    assert Several().with_settings(k=4) == Several(4)


def test_examples_have_what_is_required_and_nothing_else():
    @dataclass(frozen=True)
    class Required(GroupSize):
        k: int
        value: str = "a"
        more: list = field(default_factory=list)

    assert Required.examples(("a",)) == (Required(1),)


def test_what_a_measure_says_by_itself():
    size = sl.GroupSize()
    assert (size.least_people("single"), size.more_is_worse, size.knows_true_values, size.streams) == (
        1,
        (),
        False,
        True,
    )
    assert size.monotonicity("single") is size.when_groups_merge is sl.Monotonicity.NON_DECREASING
    assert size.asked_of(RELEASE) == (size, RELEASE)
    assert size.prepared(RELEASE) is RELEASE
    assert size.with_none_apart({"a"}) is size
    assert size.measure_view(RELEASE, {}) == size.measure(RELEASE)
    assert size.completed(size.measure(RELEASE), RELEASE) == size.measure(RELEASE)
    assert str((size >= 2).about("income", known="age")) == "group size(of=income, known=[age]) ≥ 2"


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_a_release_in_blocks_is_measured_as_a_whole(at_once, monkeypatch):
    release = sl.Release.from_counts([{"a": 3}, {"a": 2}, {"a": 4}, {"a": 2}])
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", at_once)
    monkeypatch.setattr(groups, "CELLS_AT_ONCE", at_once)
    assert len([*release.groups.blocks()]) == -(-4 // at_once)
    finding = sl.GroupSize().measure(release)
    assert (finding.value, finding.witness.group.number) == (2, 2)
    assert sl.ProsecutorRisk("average").measure(release).value == Fraction(4, 11)


# The worst of two, whichever comes first.


def worst(measure, value, row):
    return Worst(measure, value, None if value is None else Witness(RELEASE.groups.name(row)))


@pytest.mark.parametrize(
    ("measure", "one", "other"),
    [
        (sl.Implications(1), (Fraction(1, 2), 1), (Fraction(1, 3), 0)),
        (sl.GroupSize(), (2, 1), (3, 0)),
        (sl.GroupSize(), (2, 0), (2, 1)),
        (sl.Implications(1), (Fraction(1, 2), 0), (Fraction(1, 2), 1)),
        (sl.Implications(1), (Fraction(0), 1), (None, 0)),
        (sl.Implications(1), (-1, 1), (None, 0)),
        (sl.GroupSize(), (9, 1), (None, 0)),
    ],
)
def test_the_worse_is_kept_and_of_equal_ones_the_first_group(measure, one, other):
    one, other = worst(measure, *one), worst(measure, *other)
    assert one.merge(other) == other.merge(one) == one
    assert one.finding() == Finding(measure, one.value, one.witness)


def test_what_points_at_nobody_gives_way():
    nobody, somebody = Worst(sl.GroupSize(), 1, None), worst(sl.GroupSize(), 9, 0)
    assert nobody.merge(somebody) == somebody.merge(nobody) == somebody


def test_where_no_group_says_anything_it_is_said_why():
    nothing = Worst(sl.GroupSize(), otherwise=Fraction(7), notes=("a note",))
    assert nothing.finding() == Finding(
        sl.GroupSize(), Fraction(7), None, ("no group has any value to measure", "a note")
    )
    assert nothing.finding().replay(RELEASE) == 7


# Measures in a line of text: quoted where needed, and what is too long is left out, not cut.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Lung cancer", "Lung cancer"),
        ("it's", "it's"),
        ("a=b", '"a=b"'),
        ("[30-40]", '"[30-40]"'),
        ('6" nail', '"6"" nail"'),
        ("", '""'),
        (Fraction(3, 4), "3/4"),
        (False, "false"),
        (("a", ("b", "c, d")), '[a, [b, "c, d"]]'),
        ({"a b": 1, None: [2]}, '{a b=1, "(missing)"=[2]}'),
        ({"a, b": True, 3: "[c]"}, '{"a, b"=true, 3="[c]"}'),
        ({"[a]": "b"}, '{"[a]"=b}'),
        ([None, "*"], '["(missing)", *]'),
        (frozenset({"a"}), "[a]"),
        ({}, "{}"),
    ],
)
def test_values(value, text):
    assert value_text(value) == text


def test_settings_that_are_not_set_are_not_written_and_long_ones_are_left_out():
    assert call_text("closeness", {"order": None}) == "closeness"
    assert (
        call_text("closeness", {"distance": "ordered", "order": ["x"] * 999}) == "closeness(distance=ordered, order=…)"
    )
    assert [call_text("m", {"s": "x" * length}) for length in (120, 121)] == [f"m(s={'x' * 120})", "m(s=…)"]
    assert [call_text("m", {"s": "xyz"}, longest=most) for most in (3, 2)] == ["m(s=xyz)", "m(s=…)"]
