"""Dominance and remainder: what they ask, whom they pass over, what they refuse, how they read."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.sums import SumWitness
from sidelight.policy.limit_text import read_measure
from sidelight.policy.measure_names import measure_named
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text


def of(*bags):
    return sl.Release.from_counts(list(bags))


def test_by_hand():
    release = of({"10": 3}, {"1": 2, "5": 2, "0": 1})
    assert sl.Dominance().measure(release).value == Fraction(10, 12)
    assert sl.Dominance(1).measure(release).value == Fraction(5, 12)
    assert sl.Remainder().measure(release).value == Fraction(2, 5)
    witness = sl.Remainder().measure(release).witness
    assert isinstance(witness, SumWitness)
    assert (witness.contributors, witness.part, witness.whole, witness.value) == (5, 2, 5, "5")


def test_people_without_an_amount_add_nothing():
    release = of({"10": 3, None: 40}, {None: 5})
    finding = sl.Dominance().measure(release)
    assert finding.value == Fraction(2, 3)
    assert finding.notes == ("45 people have no amount; sums are of the others",)
    assert finding.replay(release) == finding.value
    nobody = sl.Remainder().measure(of({None: 5}))
    assert (nobody.value, nobody.witness) == (0, None)
    assert "no sum gives one away" in nobody.explain()


def test_a_sum_of_nothing_gives_everybody_away():
    release = of({"0": 4}, {"1": 9})
    dominance, remainder = sl.Dominance().measure(release), sl.Remainder().measure(release)
    assert (dominance.value, remainder.value) == (1, 0)
    assert dominance.explain() == "In group 1, all 4 amounts are 0: whoever sees the sum knows everybody's."
    assert [each.replay(release) for each in (dominance, remainder)] == [1, 0]


def test_few_people():
    alone, pair = of({"7": 1}), of({"7": 1, "3": 1})
    assert sl.Dominance().measure(alone).explain() == "In group 1, there is only 1 amount to make up the sum."
    assert sl.Dominance().measure(pair).explain() == "In group 1, there are only 2 amounts to make up the sum."
    assert sl.Remainder().measure(pair).explain() == (
        "In group 1, nothing is left of the sum but the 2 largest: whoever has the next largest knows the largest amount."
    )
    assert sl.Remainder(1).measure(pair).value == Fraction(3, 7)
    assert "whoever sees it can tell" in sl.Remainder(1).measure(pair).explain()
    assert "the next 2 largest" in sl.Remainder(3).measure(of({"7": 4})).explain()


@pytest.mark.parametrize("scale", ["", "0" * 15, "0" * 25])
def test_amounts_of_any_size_are_exact(scale):
    """Ten of 1 beside one more than a tenth of them: floats cannot tell 0.1 from more in the larger ones."""
    large, rest = f"1{scale}", f"{10 ** len(scale)}.000000001"
    release = of({f"10{scale}": 2, large: 1}, {f"10{scale}": 2, rest: 1})
    finding = sl.Remainder().measure(release)
    assert finding.value == Fraction(1, 10)
    assert finding.witness.group.number == 1
    assert sl.Remainder().measure(of({f"10{scale}": 2, rest: 1})).value > Fraction(1, 10)


def test_a_million_people_of_large_amounts():
    release = of({"1073741823": 1_000_000, "1152921504606846975": 3}, {"0.30000000000000004": 10_000_000})
    finding = sl.Dominance().measure(release)
    assert finding.value == Fraction(2 * 1152921504606846975, 1073741823 * 1_000_000 + 3 * 1152921504606846975)
    assert finding.replay(release) == finding.value


def test_values_may_stand_for_amounts():
    release = of({"<=50K": 8, ">50K": 2})
    measure = sl.Dominance(numbers={"<=50K": 25_000, ">50K": 100_000})
    assert measure.measure(release).value == Fraction(1, 2)
    assert read_measure(str(measure)) == measure
    policy = sl.Policy(measure <= 0.9)
    assert read_policy_text(policy_text(policy)).policy == policy


def test_codes_that_are_no_amounts_are_left_out():
    release = of({"5": 3, "99999": 2})
    assert sl.Dominance(apart_from=["99999"]).measure(release).value == Fraction(2, 3)
    assert sl.Remainder(apart_from=["99999"]).measure(release).value == 1


@pytest.mark.parametrize(
    ("bag", "message"),
    [
        ({"Flu": 2, "3": 1, "$5": 1}, "2 of 3 values are no number"),
        ({"-1": 2, "3": 1}, "amounts of at least 0, and some are below"),
        ({f"0.{'1' * 300}": 1, "1": 2}, "too many digits"),
        ({"1e40": 1}, "1e30"),
    ],
)
def test_what_is_no_amount_is_refused(bag, message):
    for measure in (sl.Dominance(), sl.Remainder()):
        with pytest.raises(BadMeasure, match=message):
            measure.measure(of(bag))


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"largest": 0}, "at least 1"), ({"largest": 2.5}, "a whole number"), ({"numbers": {"a": -1}}, "has one below")],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(BadMeasure, match=message):
        sl.Dominance(**settings)


def test_names_of_the_field_lead_here():
    for name, ours in (("nk rule", "dominance"), ("p% rule", "remainder"), ("p-ratio", "remainder")):
        with pytest.raises(sl.errors.BadPolicy, match=f"is '{ours}' here"):
            measure_named(name)


def test_a_search_is_within_the_rules_for_sums():
    ages, amounts = [20, 21, 22, 23] * 6, [100, 1, 1, 1] * 3 + [10, 20, 30, 40] * 3
    table = sl.read_table(pa.table({"age": ages, "income": amounts}), quasi="age", sensitive="income")
    pairs = {"age": sl.Hierarchy.nested("age", {"20-21": ["20", "21"], "22-23": ["22", "23"]})}
    policy = [sl.GroupSize() >= 10, sl.Dominance() <= 0.6, sl.Remainder() >= 1]
    result = sl.protect(table, policy, by=pairs, ask="nobody")
    assert sl.Policy(*policy).judge(result.release).safe
    assert len(result.release) == 2
