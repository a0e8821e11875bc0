"""What all measures share: findings that show themselves, bounds, the registry, and what is refused."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadPolicy, WrongKind
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Comparison, call_text, declared_measures, exact, value_text
from sidelight.policy.measure_names import all_measures, measure_named

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
    with pytest.raises(WrongKind, match=r"should be a Release, not a dict; .*read_release"):
        measure.measure({"a": 1})


def test_a_finding_is_replayed_on_a_release():
    with pytest.raises(WrongKind, match="should be a Release"):
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
    [(0.1, Fraction(1, 10)), (Decimal("0.1"), Fraction(1, 10)), (np.int64(5), 5), (True, 1), (-math.inf, -math.inf)],
)
def test_a_bound_means_what_it_says(bound, number):
    assert exact(bound) == number


@pytest.mark.parametrize("bound", [math.nan, "five", None])
def test_what_is_no_number_is_no_bound(bound):
    with pytest.raises(BadPolicy, match="a limit is a number"):
        exact(bound)


def test_comparisons():
    assert [each.holds(Fraction(1), 1) for each in Comparison] == [True, False, True, False]
    assert [each.sign for each in Comparison if each.from_above] == ["≤", "<"]


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
    ],
)
def test_values(value, text):
    assert value_text(value) == text


def test_settings_that_are_not_set_are_not_written_and_long_ones_are_left_out():
    assert call_text("closeness", {"order": None}) == "closeness"
    assert (
        call_text("closeness", {"distance": "ordered", "order": ["x"] * 999}) == "closeness(distance=ordered, order=…)"
    )
