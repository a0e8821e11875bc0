"""Dominance and remainder: what they ask, whom they pass over, what they refuse, how they read."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, WrongKind
from sidelight.measures.measure import Monotonicity
from sidelight.measures.sums import SumWitness, _Amounts, _FallingAmounts
from sidelight.measures.targets import NumberByValue, read_numbers
from sidelight.policy.limits import read_measure
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


def by_definition(bag, largest):
    """Dominance and remainder of one group, from a list with the amount of each of its people."""
    falling = sorted((Fraction(text) for text, many in bag.items() if text for _ in range(many)), reverse=True)
    few, rest = sum(falling[:largest]), sum(falling[largest:])
    return (Fraction(few, few + rest), Fraction(rest, falling[0])) if falling[0] else (1, 0)


BAGS = [
    {"3": 1, "1": 2, "0.5": 4},
    {"0.5": 4, "1": 2, "3": 1, "0": 3},
    {"2": 5},
    {"0": 2},
    {"1073741824": 1, "1073741823": 2, "1": 1, None: 4},
    {"1e20": 2, "99999999999999999999.5": 3, "0.25": 7},
]


@pytest.mark.parametrize("largest", [1, 2, 3, 6, 20])
@pytest.mark.parametrize("bag", BAGS, ids=str)
def test_of_each_group_what_the_definition_says(bag, largest):
    dominance, remainder = by_definition(bag, largest)
    release = of(bag)
    for measure, value in ((sl.Dominance(largest), dominance), (sl.Remainder(largest), remainder)):
        finding = measure.measure(release)
        assert finding.value == value == finding.replay(release)
        assert isinstance(finding.value, Fraction)
        assert finding.witness.contributors == sum(many for text, many in bag.items() if text)
        assert Fraction(finding.witness.value) == max(Fraction(text) for text in bag if text)


@pytest.mark.parametrize("largest", [1, 2, 3])
def test_the_worst_group_is_named(largest):
    bags = [BAGS[0], {"5": 9}, {None: 2}, {"4": 1, "1": 3, "0.5": 3}]
    values = [by_definition(bag, largest) if max(map(bool, bag)) else (0, 99) for bag in bags]
    dominance, remainder = sl.Dominance(largest).measure(of(*bags)), sl.Remainder(largest).measure(of(*bags))
    assert dominance.value == max(value for value, _ in values)
    assert remainder.value == min(value for _, value in values)
    assert values[dominance.witness.group.number - 1][0] == dominance.value
    assert values[remainder.witness.group.number - 1][1] == remainder.value


def test_the_sums_are_those_of_the_witness():
    witness = sl.Dominance().measure(of({"3": 1, "1": 2, "0.5": 4})).witness
    assert (witness.contributors, witness.part, witness.whole, witness.value) == (7, 4, 7, "3")
    witness = sl.Remainder().measure(of({"3": 1, "1": 2, "0.5": 4})).witness
    assert (witness.contributors, witness.part, witness.whole, witness.value) == (7, 3, 3, "3")


def test_people_without_an_amount_add_nothing():
    release = of({"10": 3, None: 40}, {None: 5})
    finding = sl.Dominance().measure(release)
    assert finding.value == Fraction(2, 3)
    (note,) = finding.notes
    assert mentions(note, "45 people", "no amount")
    assert finding.replay(release) == finding.value
    nobody = sl.Remainder().measure(of({None: 5}))
    assert (nobody.value, nobody.witness) == (0, None)
    assert mentions(nobody.explain(), "Nobody", "an amount", "no sum", "away")
    assert mentions(sl.Dominance().measure(of({None: 5})).explain(), "Nobody", "an amount", "no sum")
    assert mentions(nobody.notes[-1], "5 people", "no amount")
    (note,) = sl.Remainder().measure(of({None: 1, "2": 1})).notes
    assert mentions(note, "1 person", "no amount")
    assert sl.Remainder(apart_from=[None]).measure(of({None: 1, "2": 1})).notes == ()
    assert sl.Remainder(apart_from=["Not asked"]).measure(of({"Not asked": 1, "2": 1})).notes == ()
    assert sl.Dominance(numbers={None: 3}).measure(of({None: 1, "2": 1, "1": 1})).value == Fraction(5, 6)
    assert sl.Dominance().measure(of({"2": 1})).notes == ()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["1.234", "2.500", "500", "90", "0"], True),
        (["1.234", "500", None], True),
        (["1.234", "2.500"], False),  # all of them thousands, or none: shares are the same
        (["1.234", "5"], False),
        (["1.234", "500.5", "500"], False),
        (["0.125", "500"], False),
        (["1.234", "1234"], False),
        (["500", "600"], False),
    ],
    ids=str,
)
def test_a_point_that_seems_to_separate_thousands_is_told(values, told):
    counts = of(dict.fromkeys(values, 1))
    for measure in (sl.Dominance(), sl.Remainder()):
        notes = [note for note in measure.measure(counts).notes if "point" in note]
        assert len(notes) == told
        assert all(mentions(note, "'1.234'", "decimal", "thousands", 1234) for note in notes)
    meant = {value: 1234 for value in values if value == "1.234"}
    assert not any("'1.234'" in note for note in sl.Dominance(numbers=meant or None).measure(counts).notes)


def test_a_sum_of_nothing_gives_everybody_away():
    release = of({"0": 4}, {"1": 9})
    dominance, remainder = sl.Dominance().measure(release), sl.Remainder().measure(release)
    assert (dominance.value, remainder.value) == (1, 0)
    assert mentions(dominance.explain(), "group 1", "all 4 amounts are 0", "knows everybody's")
    assert remainder.explain() == dominance.explain()
    assert [each.replay(release) for each in (dominance, remainder)] == [1, 0]
    one = sl.Remainder().measure(of({"0": 1}))
    assert mentions(one.explain(), "group 1", "one amount is 0", "knows everybody's")
    thousands = sl.Dominance().measure(of({"0": 1_200}))
    assert mentions(thousands.explain(), "group 1", "all 1,200 amounts are 0", "knows everybody's")


def test_few_people():
    alone, pair = of({"7": 1}), of({"7": 1, "3": 1})
    assert mentions(sl.Dominance().measure(alone).explain(), "group 1", "only 1 amount")
    assert mentions(sl.Dominance().measure(pair).explain(), "group 1", "only 2 amounts")
    words = sl.Remainder().measure(pair).explain()
    assert mentions(words, "group 1", "nothing", "but the 2 largest", "the next largest", "knows the largest")
    assert sl.Remainder(1).measure(pair).value == Fraction(3, 7)


MANY = {"3": 1_201, "1": 99}


@pytest.mark.parametrize(
    ("measure", "bag", "words"),
    [
        (sl.Dominance(1), {"3": 1, "2": 1}, ("the largest of 2", "3/5 of the sum", "5")),
        (sl.Dominance(), {"3": 1, "2": 2}, ("the 2 largest of 3", "5/7 of the sum", "7")),
        (sl.Dominance(1_200), MANY, ("the 1,200 largest of 1,300", "600/617 of the sum", "3,702")),
        (sl.Dominance(1_300), MANY, ("only 1,300 amounts",)),
        (
            sl.Remainder(1),
            {"7": 1, "3": 1},
            ("all amounts but the largest", "3/7 of the largest", "whoever sees it"),
        ),
        (
            sl.Remainder(1),
            {"7": 1},
            ("nothing", "but the largest", "whoever sees it", "knows the largest"),
        ),
        (
            sl.Remainder(),
            {"3": 1, "1": 1, "0.2": 1},
            ("all amounts but the 2 largest", "1/15 of the largest", "has the next largest"),
        ),
        (
            sl.Remainder(3),
            {"7": 4},
            ("all amounts but the 3 largest", "1 of the largest", "has the next 2 largest"),
        ),
        (
            sl.Remainder(1_200),
            MANY,  # 3 and 99 of 3
            ("all amounts but the 1,200 largest", "34 of the largest", "has the next 1,199 largest"),
        ),
        (
            sl.Remainder(),
            {"3001": 2, "1": 2_000},  # 2000/3001 = 0.66644…, rounded down
            ("all amounts but the 2 largest", "0.6664", "2000/3001", "of the largest", "has the next largest"),
        ),
    ],
)
def test_words(measure, bag, words):
    assert mentions(measure.measure(of(bag)).explain(), "group 1", *words)


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


def test_sums_that_no_float_holds():
    """All but two of the amounts, which are odd in number and in size, add up to more than 2⁵³."""
    release = of({str(2**30 - 1): 2**24 + 3})
    assert sl.Remainder().measure(release).value == 2**24 + 1
    assert sl.Dominance().measure(release).value == Fraction(2, 2**24 + 3)


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


REMEDY = ("numbers=", "apart_from=", "leave this limit out", "ACRO(sums=false)")


@pytest.mark.parametrize(
    ("bag", "message"),
    [
        ({"Flu": 2, "3": 1, "$5": 1}, ("2 of 3 values", "no number", *REMEDY)),
        ({"Flu": 2}, ("1 of 1 value", "no number", *REMEDY)),
        (
            {"-1": 2, "3": 1},
            ("amounts of at least 0", "some are below", "leave this limit out", "ACRO(sums=false)"),
        ),
        ({f"0.{'1' * 300}": 1, "1": 2}, ("too many digits", "round")),
    ],
)
def test_what_is_no_amount_is_refused(bag, message):
    for measure in (sl.Dominance(), sl.Remainder()):
        with pytest.raises(BadMeasure) as refused:
            measure.measure(of(bag))
        assert mentions(refused.value, f"'{measure.name}'", *message)
        assert not measure.suits(of(bag).domain)


def test_what_is_too_large_is_refused():
    with pytest.raises(BadMeasure, match="1e30"):
        sl.Dominance().measure(of({"1e40": 1}))


def test_what_suits():
    assert sl.Dominance().suits(("1", "0", None, "(missing)"))
    assert not sl.Dominance().suits(("1", "Flu"))
    assert sl.Dominance(numbers={"Flu": 3}).suits(("1", "Flu"))
    assert sl.Dominance(numbers={"Flu": 0}).suits(("Flu",))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"largest": 0}, ("largest", "whole number", "at least 1", "not 0")),
        ({"largest": 2.5}, ("largest", "whole number", "at least 1", "not 2.5")),
        ({"numbers": {"a": -1, "b": 1}}, ("amounts of at least 0", "numbers=", "below")),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    for measure in (sl.Dominance, sl.Remainder):
        with pytest.raises(BadMeasure) as refused:
            measure(**settings)
        assert mentions(refused.value, f"'{measure.name}'", *message)


def test_how_many_amounts_is_a_whole_number_of_python():
    assert sl.Dominance(np.int8(3)).amounts() == {"largest": 3}
    assert type(sl.Dominance(np.int8(3)).largest) is int


def test_as_a_policy_file_says_it():
    measure = sl.Dominance(3, {None: 1, "a": 0.5, "b": 0}, apart_from=["c"])
    settings = {"largest": 3, "numbers": {"(missing)": 1, "a": Fraction(1, 2), "b": 0}, "apart_from": ("c",)}
    assert measure.settings() == settings
    assert sl.Dominance.from_settings(**settings) == measure
    assert isinstance(measure.numbers, NumberByValue)
    assert sl.Remainder.from_settings() == sl.Remainder() == sl.Remainder(2)
    assert sl.Remainder().settings() == {}
    with pytest.raises(WrongKind) as refused:
        sl.Dominance.from_settings(numbers=["a"])
    assert refused.value.parameters == ("numbers",)
    assert mentions(refused.value, "mapping", '{"low": 0, "high": 40}', "not a list")


def test_examples_have_an_amount_for_each_value():
    numbers = {"a": 7, "b": 0, "c": Fraction(1, 3), "d": 10**20 + 1, "e": 7, "f": 7}
    examples = sl.Dominance.examples(("b", "a", "c", "d", "e", "f", None))
    everything = {**numbers, None: 0}
    assert examples == (
        sl.Dominance(numbers=everything),
        sl.Dominance(1, numbers),
        sl.Dominance(3, everything, apart_from="b"),
    )
    assert sl.Remainder.examples(("a",)) == (sl.Remainder(numbers={"a": 7}), sl.Remainder(1, {"a": 7}))


def test_what_is_known_of_mergers_and_limits():
    assert (sl.Dominance.limits, sl.Remainder.limits) == ((0, 1), (0, float("inf")))
    assert sl.Dominance.when_groups_merge is Monotonicity.NON_INCREASING
    assert sl.Remainder.when_groups_merge is Monotonicity.NON_DECREASING


def test_amounts_are_whole_multiples_of_a_unit_in_digits():
    amounts = _Amounts.from_domain("any", ("1", "0.5", None, "3"), None)  # halves
    assert amounts.exact == (1, Fraction(1, 2), 0, 3)
    assert amounts.digits.tolist() == [[2], [1], [0], [6]]
    assert amounts.rank.tolist() == [1, 2, 3, 0]
    assert amounts.present.tolist() == [True, True, False, True]


@pytest.mark.parametrize(
    ("number", "digits"),
    [
        *((0, [0]), (1, [1]), (2**30 - 1, [2**30 - 1]), (2**30, [1, 0]), (2**60 - 1, [2**30 - 1, 2**30 - 1])),
        (5 * 2**60 + 7 * 2**30 + 9, [5, 7, 9]),
    ],
)
def test_digits_have_30_bits(number, digits):
    assert _Amounts.from_domain("any", (str(number),), None).digits.tolist() == [digits]
    below = _Amounts.from_domain("any", (str(number), "0"), None).digits.tolist()
    assert below == [digits, [0] * len(digits)]


def test_amounts_may_have_900_bits_in_their_unit():
    longest, longer = (read_numbers({"a": 1 + Fraction(1, 2**power)}) for power in (899, 900))
    assert _Amounts.from_domain("any", ("a",), longest).digits.tolist() == [[2**29, *[0] * 28, 1]]
    with pytest.raises(BadMeasure, match=r"'any' .*too many digits.* round"):
        _Amounts.from_domain("any", ("a",), longer)


def test_no_values_are_no_amounts():
    nothing = _Amounts.from_domain("any", (), None)
    assert (nothing.exact, nothing.digits.shape, nothing.digits.dtype) == ((), (0, 1), np.int64)
    assert nothing.present.dtype == bool


def test_amounts_fall_within_each_group_and_the_largest_few_are_counted():
    release = of({"1": 2, "5": 1, "3": 2, None: 9}, {"3": 4}, {None: 1}, {"5": 1, "1": 3})
    domain = release.domain
    entries = _FallingAmounts.from_groups(release.groups, _Amounts.from_domain("any", domain, None), 2)
    assert entries.group.tolist() == [0, 0, 0, 1, 3, 3]
    assert [domain[value] for value in entries.value.tolist()] == ["5", "3", "1", "3", "5", "1"]
    assert entries.people.tolist() == [1, 2, 2, 4, 1, 3]
    assert entries.among_largest.tolist() == [1, 1, 0, 2, 1, 1]
    assert entries.is_first.tolist() == [True, False, False, True, True, False]


def test_digits_add_up_in_whole_numbers():
    """As they do over millions of groups, here of one amount that no float holds."""
    amounts = _Amounts((Fraction(2**53 + 1),), np.array([[2**53 + 1]]), np.array([0]), np.array([True]))
    entries = _FallingAmounts(*(np.array([each]) for each in (0, 0, 1, 1, True)))
    for measure, sums in ((sl.Remainder(), [[[0]], [[2**53 + 1]]]), (sl.Dominance(), [[[2**53 + 1]]] * 2)):
        people = measure.choose(entries.among_largest, entries.people, entries.is_first)
        assert [entries.add_digits(amounts, each, 1).tolist() for each in people] == sums


def test_groups_before_the_first_with_an_amount_are_passed_over():
    release = of({None: 2}, {"5": 1, "1": 3})
    entries = _FallingAmounts.from_groups(release.groups, _Amounts.from_domain("any", release.domain, None), 2)
    assert entries.group.tolist() == [1, 1]
    assert entries.is_first.tolist() == [True, False]
    assert entries.among_largest.tolist() == [1, 1]
    assert sl.Dominance().measure(release).value == Fraction(6, 8)
    assert sl.Remainder().measure(release).value == Fraction(2, 5)


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
