"""Prior belief: what may be given, what is refused, how it reads."""

import math
import pickle
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, UnknownValue, WrongKind
from sidelight.measures.epsilon_privacy.prior import settings_in_words
from sidelight.measures.epsilon_privacy.worst_case import Ratio
from sidelight.measures.measure import Monotonicity
from sidelight.policy.limits import read_limit, read_measure
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text
from sidelight.table.table import Counts

WARD = sl.Release.from_counts([{"Ulcer": 2, "Dyspepsia": 3, "Flu": 5}, {"Ulcer": 1, "Flu": 4, "Cold": 5}])


def test_the_same_belief_is_the_same_value():
    one = sl.PriorBelief(counts={"Flu": 2, "Cold": 3})
    for other in (
        sl.PriorBelief(counts={"Cold": Fraction(3), "Flu": 2.0}),
        sl.PriorBelief(counts={"Cold": Decimal(3), "Flu": np.int64(2)}),
        pickle.loads(pickle.dumps(one)),
    ):
        assert other == one
        assert hash(other) == hash(one)
    assert one != sl.PriorBelief(counts={"Flu": 3, "Cold": 2})
    assert sl.PriorBelief(shape={"a": 2, "b": 3}, stubbornness=9) == sl.PriorBelief(
        shape={"a": 0.4, "b": 0.6}, stubbornness=9.0
    )
    assert sl.PriorBelief(stubbornness=9, predicates=[["b", "a"]]) == sl.PriorBelief(
        stubbornness=9, predicates=({"a", "b"},)
    )
    assert sl.PriorBelief(stubbornness=9) != sl.PriorBelief(stubbornness=10)


def test_a_decimal_means_what_it_says():
    half = sl.Release.from_counts([{"a": 1, "b": 9}])
    assert sl.PriorBelief(shape={"a": 0.1, "b": 0.9}, stubbornness=math.inf).measure(half).value == 1
    assert sl.PriorBelief(stubbornness=2.1).measure(half).value == Fraction(70, 37)  # (1 - 9/11.1) / 0.1


def test_large_counts_stay_exact():
    huge = 2**60
    release = sl.Release.from_counts([{"a": huge, "b": huge - 1}])
    prior = {"a": 10**30, "b": 10**30 + 1}
    p_in, p_out = Fraction(huge, 2 * huge - 1), Fraction(huge + 10**30 - 1, 2 * huge - 1 + 2 * 10**30)
    assert sl.PriorBelief(counts=prior).measure(release).value == max(p_in / p_out, (1 - p_out) / (1 - p_in))


def test_large_groups_replay_as_quickly_as_small_ones():
    """Whether there are few worlds is not found out by counting them."""
    release = sl.Release.from_counts([{"a": 10**9, "b": 2 * 10**9}, {"a": 10**8, "b": 10**9}])
    for measure in sl.PriorBelief.examples(release.domain):
        finding = measure.measure(release)
        assert finding.replay(release) == finding.value


def test_of_two_cases_that_floats_cannot_tell_apart_the_larger_one_wins():
    big = 10**15
    release = sl.Release.from_counts([{"a": big, "b": big}, {"a": big + 1, "b": big - 1}, {"a": big, "b": big}])
    finding = sl.PriorBelief(shape="uniform", stubbornness=math.inf).measure(release)
    assert finding.witness.group.number == 2
    assert finding.value == Fraction(big, big - 1)


def test_a_sparse_release_is_measured_alike():
    bags = [{f"v{n}": 3, f"v{n + 1}": 1 + n % 3} for n in range(40)]
    release = sl.Release.from_counts(bags)
    assert release.groups.counts.cells is None
    cells = release.groups.counts.dense()
    dense = sl.Release(
        type(release.groups)(
            *(
                Counts(cells.shape, cells=cells) if name == "counts" else getattr(release.groups, name)
                for name in release.groups.__slots__
            )
        )
    )
    for measure in (
        sl.PriorBelief(stubbornness=1000),
        sl.PriorBelief(shape="release", stubbornness=math.inf, known_people=1),
        sl.PriorBelief(shape="uniform", stubbornness=60, predicates=[["v1", "v2"], ["not", "v3"]]),
    ):
        assert measure.measure(release) == measure.measure(dense)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "how sure"),
        ({"shape": "uniform"}, "how sure"),
        ({"counts": {"a": 1}, "stubbornness": 5}, "counts= says both"),
        ({"counts": {"a": 1}, "shape": "uniform"}, "counts= says both"),
        ({"counts": {"a": 0, "b": 4}}, "count of 'a' is 0, below 1"),
        ({"counts": {"a": 0.5, "b": 4}}, "below 1"),
        ({"counts": {"a": -1}}, "between 1e-100"),
        ({"counts": {"a": math.inf}}, "between 1e-100"),
        ({"counts": {"a": math.nan}}, "give a number"),
        ({"counts": {"a": "many"}}, "give a number"),
        ({"counts": {"a": True}}, "give a number"),
        ({"counts": {}}, "at least one value"),
        ({"counts": [1, 2]}, "mapping value"),
        ({"shape": "uniformly", "stubbornness": 5}, "did you mean 'uniform'"),
        ({"shape": 3, "stubbornness": 5}, "no shape 3"),
        ({"shape": {"a": 0}, "stubbornness": 5}, "at least one value"),
        ({"stubbornness": 0}, "positive"),
        ({"stubbornness": -3}, "positive"),
        ({"stubbornness": math.nan}, "give a number"),
        ({"stubbornness": "9"}, "give a number"),
        ({"stubbornness": 10**101}, "math.inf"),
        ({"shape": "uniform", "stubbornness": 9, "least_stubbornness": 10}, "above stubbornness, 9"),
        ({"shape": "uniform", "stubbornness": 9, "least_stubbornness": 0}, "least_stubbornness is 0"),
        ({"shape": "uniform", "stubbornness": 9, "least_stubbornness": "smalest"}, "did you mean 'smallest'"),
        ({"stubbornness": 9, "least_stubbornness": 3}, "goes with shape="),
        ({"counts": {"a": 1}, "least_stubbornness": "same"}, "goes with shape="),
        ({"stubbornness": 9, "known_people": -1}, "known_people"),
        ({"stubbornness": 9, "known_people": 1.5}, "known_people"),
        ({"stubbornness": 9, "known_people": True}, "known_people"),
        ({"stubbornness": 9, "predicates": "Flu"}, "list of lists"),
        ({"stubbornness": 9, "predicates": "all subset"}, "did you mean 'all subsets'"),
        ({"stubbornness": 9, "predicates": 3}, "list of lists"),
        ({"stubbornness": 9, "predicates": [[]]}, "names no values"),
        ({"stubbornness": 9, "predicates": {"ill": ["not"]}}, "'ill' names no values"),
        ({"stubbornness": 9, "decided_by": "luck"}, "closed conditions"),
    ],
)
def test_what_makes_no_sense_is_refused(given, complaint):
    with pytest.raises(BadMeasure, match=complaint) as error:
        sl.PriorBelief(**given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("measure", "complaint"),
    [
        (sl.PriorBelief(counts={"Ulcer": 2, "Flu": 2, "Cold": 2}), "misses 'Dyspepsia'"),
        (sl.PriorBelief(shape={"Ulcer": 2, "Flu": 2, "Cold": 2}, stubbornness=math.inf), "misses 'Dyspepsia'"),
        (
            sl.PriorBelief(shape={"Ulcer": 0, "Flu": 2, "Cold": 2, "Dyspepsia": 1}, stubbornness=math.inf),
            "misses 'Ulcer'",
        ),
        (sl.PriorBelief(stubbornness=3), r"stubbornness 3 is below .*values, 4"),
        (sl.PriorBelief(shape="uniform", stubbornness=3), r"raise stubbornness .*4"),
        (sl.PriorBelief(shape="release", stubbornness=6), r"raise stubbornness .*7"),
    ],
)
def test_a_prior_that_does_not_fit_the_release_is_refused(measure, complaint):
    with pytest.raises(BadMeasure, match=complaint) as error:
        measure.measure(WARD)
    assert "\n" not in str(error.value)


def test_the_number_that_is_asked_for_is_enough():
    assert sl.PriorBelief(shape="release", stubbornness=7).measure(WARD).value > 1
    assert sl.PriorBelief(stubbornness=4).measure(WARD).value > 1


def test_values_that_occur_nowhere_need_no_weight_and_those_only_the_prior_knows_count():
    release = sl.Release.from_counts([{"a": 1, "b": 3}], domain=["a", "b", "c"])
    assert sl.PriorBelief(counts={"a": 2, "b": 2}).measure(release).value > 1
    assert sl.PriorBelief(shape="release", stubbornness=100).measure(release).value > 1
    wider = sl.PriorBelief(counts={"a": 2, "b": 2, "z": 6}, predicates=[["not", "a"]]).measure(release)
    assert wider.witness.p_out == Fraction(3 + 8 - 1, 4 + 10 - 1)


def test_all_subsets_are_infinite_where_a_group_lacks_a_value_that_is_held_possible():
    finding = sl.PriorBelief(stubbornness=10, predicates="all subsets").measure(WARD)
    assert (finding.value, str(finding.witness.predicate)) == (math.inf, "not Cold")
    assert mentions(finding.explain(), "certain", "group 1", "not Cold")
    both = sl.Release.from_counts([{"a": 1, "b": 3}], domain=["a", "b", "c"])
    expected = sl.PriorBelief(shape="release", stubbornness=100, predicates=["a", "b"]).measure(both).value
    assert sl.PriorBelief(shape="release", stubbornness=100, predicates="all subsets").measure(both).value == expected
    wider = sl.PriorBelief(counts={"a": 2, "b": 2, "z": 6}, predicates="all subsets")
    assert wider.measure(both).value == math.inf


def test_all_subsets_of_many_values_are_not_enumerated():
    many = sl.Release.from_counts([{f"v{n}": 1 + n % 3 for n in range(300)}, {f"v{n}": 2 for n in range(300)}])
    finding = sl.PriorBelief(shape="uniform", stubbornness=1_000, predicates="all subsets").measure(many)
    assert finding.value > 1
    assert finding.replay(many) == finding.value


def test_predicates_name_values_that_exist():
    with pytest.raises(UnknownValue, match="did you mean 'Dyspepsia'"):
        sl.PriorBelief(stubbornness=10, predicates=[["Ulcer", "Dispepsia"]]).measure(WARD)


def test_other_semantics_are_refused():
    visits = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[4], values="set")
    with pytest.raises(BadMeasure, match="defined for single values"):
        sl.PriorBelief(stubbornness=10).measure(visits)


def test_a_witness_tells_the_group_the_predicate_the_beliefs_and_the_ratio():
    measure = sl.PriorBelief(
        stubbornness=100, predicates={"a bad stomach": ["Ulcer", "Dyspepsia"], "no flu": ["not", "Flu"]}
    )
    finding = measure.measure(WARD)
    witness = finding.witness
    assert witness.group.number == 1
    assert witness.value == "a bad stomach"
    assert witness.predicate.values == ("Dyspepsia", "Ulcer")
    assert (witness.p_in, witness.p_out) == (Fraction(5, 10), Fraction(5 + 2 - 1, 10 + 100 - 1))
    assert witness.ratio is Ratio.BELIEF
    assert finding.value == witness.p_in / witness.p_out == finding.replay(WARD)


def test_predicates_that_nobody_is_in_say_nothing():
    finding = sl.PriorBelief(stubbornness=100, predicates=[["not", "Ulcer", "Flu", "Cold", "Dyspepsia"]]).measure(WARD)
    assert (finding.value, finding.witness) == (1, None)
    assert finding.notes
    assert "Nobody" in finding.explain()
    assert finding.replay(WARD) == 1


def test_priors_from_elsewhere():
    table = sl.datasets.adult(quasi=["sex"], sensitive="salary-class").table
    from_table = sl.PriorBelief.from_release(table)
    assert from_table == sl.PriorBelief.from_release(sl.group(table, by="sex"))
    assert from_table.counts == {"<=50K": 34_015, ">50K": 11_209}
    as_it_is = sl.PriorBelief.from_release(table, plus_one=False, known_people=2, predicates=[["<=50K"]])
    assert as_it_is.counts == {"<=50K": 34_014, ">50K": 11_208}
    assert as_it_is.known_people == 2
    unseen = sl.Release.from_counts([{"a": 3}], domain=["a", "b"])
    assert sl.PriorBelief.from_release(unseen).counts == {"a": 4, "b": 1}
    with pytest.raises(BadMeasure, match="below 1"):
        sl.PriorBelief.from_release(unseen, plus_one=False)
    assert sl.PriorBelief.from_counts({None: 0, "a": 1}).counts == {None: 1, "a": 2}
    with pytest.raises(BadMeasure, match="give a number"):
        sl.PriorBelief.from_counts({"a": "many"})


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (sl.PriorBelief(shape="uniform", stubbornness=1000), ["at most 1,000", "equally common", "surer"]),
        (
            sl.PriorBelief(stubbornness=30_000),
            [
                *("at most 30,000", "any kind", "surer", "group 1", "Dyspepsia", "factor of 3,000.9"),
                *("left out", "0.00009997"),
            ],
        ),
        (sl.PriorBelief(shape="release", stubbornness=math.inf), ["shares", "whole release", "no evidence"]),
        (
            sl.PriorBelief(shape={"Flu": 4, "Ulcer": 1, "Cold": 1, "Dyspepsia": 4}, stubbornness=math.inf),
            ["Dyspepsia 2/5, Flu 2/5, Cold 1/10, …"],
        ),
        (sl.PriorBelief(stubbornness=math.inf), ["no release", "private"]),
        (sl.PriorBelief(stubbornness=100, known_people=9), ["knows 9 people", "certain", "group 1"]),
        (sl.PriorBelief(stubbornness=100, known_people=1), ["knows 1 person"]),
        (
            sl.PriorBelief(stubbornness=100, predicates={"a bad stomach": ["Ulcer", "Dyspepsia"]}),
            ["group 1", "'a bad stomach'"],
        ),
        (sl.PriorBelief(stubbornness=100, predicates=[["not", "Ulcer", "Cold"]]), ["neither Cold nor Ulcer"]),
        (
            sl.PriorBelief(
                shape={"Ulcer": 1, "Dyspepsia": 1, "Flu": 97, "Cold": 1}, stubbornness=100, predicates=["Flu"]
            ),
            ["not believe more"],
        ),
    ],
)
def test_explanations_are_for_people(measure, said):
    assert mentions(measure.measure(WARD).explain(), *said)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (0, ["closed conditions", "at most 40", "any kind", "surer", "group 1", "Dyspepsia", "at most 5"]),
        (9, ["any factor"]),
    ],
)
def test_explanations_of_the_closed_conditions(known, said):
    measure = sl.PriorBelief(stubbornness=40, known_people=known, decided_by="closed conditions")
    assert mentions(measure.measure(WARD).explain(), *said)


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (sl.PriorBelief(stubbornness=math.inf), "prior belief(stubbornness=inf)"),
        (sl.PriorBelief(counts={"a": 1, "b": 2}), "prior belief(counts={a=1, b=2})"),
        (
            sl.PriorBelief(stubbornness=5, predicates="all subsets"),
            "prior belief(stubbornness=5, predicates=all subsets)",
        ),
        (
            sl.PriorBelief(shape="uniform", stubbornness=1000, least_stubbornness="same"),
            "prior belief(shape=uniform, stubbornness=1000, least_stubbornness=same)",
        ),
        (
            sl.PriorBelief(shape="uniform", stubbornness=1000, least_stubbornness=3.5),
            "prior belief(shape=uniform, stubbornness=1000, least_stubbornness=7/2)",
        ),
        (
            sl.PriorBelief(shape={"a": 1, "b": 1}, stubbornness=5, decided_by="closed conditions"),
            "prior belief(shape={a=1/2, b=1/2}, stubbornness=5, decided_by=closed conditions)",
        ),
    ],
)
def test_it_is_written_as_in_a_limit_and_read_again(measure, text):
    assert str(measure) == text
    assert read_measure(text) == measure


def test_it_says_against_whom():
    assert settings_in_words(sl.PriorBelief(stubbornness=math.inf)) == "any shape, stubbornness infinite"
    assert settings_in_words(sl.PriorBelief(counts={"a": 1, "b": 2})) == "counts b 2, a 1"
    closed = sl.PriorBelief(shape={"a": 1, "b": 1}, stubbornness=5, decided_by="closed conditions")
    assert mentions(settings_in_words(closed), "shape a 1/2, b 1/2", "stubbornness 5", "closed conditions")


def test_it_says_how_stubborn_at_least():
    def words(**more):
        return settings_in_words(sl.PriorBelief(shape="uniform", stubbornness=9, **more))

    assert words() == "uniform shape, stubbornness 9"
    assert words(least_stubbornness="same") == words(least_stubbornness=9) == "uniform shape, stubbornness exactly 9"
    assert words(least_stubbornness=3) == "uniform shape, stubbornness 9, at least 3"
    assert words(least_stubbornness="smallest") == "uniform shape, stubbornness 9 or less"


PAIR = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])


def test_at_most_is_not_exactly():
    """The issue's case: {1, 1}, uniform: 1.001 at exactly 1,000 answers, 3/2 at 2 of them."""
    at_most = sl.PriorBelief(shape="uniform", stubbornness=1_000)
    finding = at_most.measure(PAIR)
    assert (finding.value, finding.witness.stubbornness, finding.witness.p_out) == (Fraction(3, 2), 2, Fraction(1, 3))
    assert mentions(finding.explain(), "at most 1,000", "at worst 2")
    exactly = replace(at_most, least_stubbornness="same").measure(PAIR)
    assert exactly.value == Fraction(1001, 1000)
    assert exactly.witness.stubbornness == 1000
    assert mentions(exactly.explain(), "1,000")
    assert not mentions(exactly.explain(), "at most")
    assert not mentions(exactly.explain(), "worst")
    from_ten = replace(at_most, least_stubbornness=10).measure(PAIR)
    assert (from_ten.value, from_ten.witness.stubbornness) == (Fraction(11, 10), 10)
    for finding in (exactly, from_ten, at_most.measure(PAIR)):
        assert finding.replay(PAIR) == finding.value


def test_who_may_be_moved_or_not_is_as_strong_as_all_who_share_the_shape():
    everyone = sl.PriorBelief(shape="uniform", stubbornness=math.inf, least_stubbornness="smallest")
    assert everyone.measure(PAIR).value == Fraction(3, 2)
    assert mentions(everyone.measure(PAIR).explain(), "any number", "at worst 2")
    skewed = sl.Release.from_counts([{"Flu": 1, "Cold": 9}])
    unmoved = sl.PriorBelief(shape="uniform", stubbornness=math.inf)
    assert everyone.measure(skewed).value == unmoved.measure(skewed).value == 5
    assert everyone.measure(skewed).replay(skewed) == 5


def test_where_the_betweenbegins_is_no_amount_to_try():
    measure = sl.PriorBelief(shape="uniform", stubbornness=9, least_stubbornness=3, known_people=1)
    assert measure.amounts() == {"stubbornness": 9, "known_people": 1, "rules_out": 0}


def test_somebody_who_rules_values_out():
    """Without the Flu 5 people are left in group 1, of whom 3 have Dyspepsia; the prior loses its share as well."""
    ward = sl.Release.from_counts([{"Ulcer": 2, "Dyspepsia": 3, "Flu": 5}])
    finding = sl.PriorBelief(stubbornness=10, rules_out=1).measure(ward)
    assert finding.value == Fraction(13, 5)
    assert finding.witness.ruled_out == ("Flu",)
    assert finding.replay(ward) == finding.value
    assert mentions(finding.explain(), "rule out 1 value", "surer", "group 1", "not Flu", "Dyspepsia")
    assert sl.PriorBelief(stubbornness=10, rules_out=9).measure(ward).value >= finding.value
    scores = sl.PriorBelief(stubbornness=10, rules_out=1).scores(ward.groups)
    assert scores[0] == pytest.approx(13 / 5)


def test_where_one_value_alone_is_left_nothing_is_learnt_from_the_release():
    two = sl.Release.from_counts([{"a": 3, "b": 2}])
    plain = sl.PriorBelief(stubbornness=10).measure(two).value
    assert sl.PriorBelief(stubbornness=10, rules_out=1).measure(two).value == plain
    assert sl.PriorBelief(stubbornness=10, rules_out=1).measure(sl.Release.from_counts([{"a": 3}])).value == math.inf


def test_too_many_sets_to_rule_out_are_refused():
    many = sl.Release.from_counts([{f"v{n}": 1 for n in range(60)}])
    with pytest.raises(BadMeasure, match="sets, too many"):
        sl.PriorBelief(stubbornness=100, rules_out=4).measure(many)
    assert sl.PriorBelief(stubbornness=100, rules_out=1).measure(many).value > 1


@pytest.mark.parametrize("more", [{"predicates": ["Flu"]}, {"wishes": "wish"}, {"decided_by": "closed conditions"}])
def test_ruling_out_is_about_single_values(more):
    with pytest.raises(BadMeasure, match="rules_out= goes with single values"):
        sl.PriorBelief(stubbornness=10, rules_out=1, **more)


POLICY = """
[[limit]]
measure = "prior belief"
stubbornness = 30_000
at_most = 61

[[limit]]
measure = "prior belief"
shape = "uniform"
stubbornness = inf
known_people = 1
predicates = [["Ulcer", "Dyspepsia"], ["not", "Flu"]]
at_most = 4.5

[[limit]]
measure = "prior belief"
shape = {Flu = 0.5, Cold = 0.2, Ulcer = 0.2, Dyspepsia = 0.1}
stubbornness = 1e6
at_most = "5/2"

[[limit]]
measure = "prior belief"
shape = "uniform"
stubbornness = 1000
least_stubbornness = "same"
at_most = 100

[[limit]]
measure = "prior belief"
decided_by = "closed conditions"
at_most = 100

[limit.counts]
Flu = 12_000
Cold = 18_000
Ulcer = 1
Dyspepsia = 1

[limit.predicates]
"a stomach disease" = ["Ulcer", "Dyspepsia"]
"no flu" = ["not", "Flu"]
"""


def test_a_policy_file_says_all_of_it():
    policy = read_policy_text(POLICY).policy
    first, second, third, exactly, fourth = policy.criteria
    assert first == (sl.PriorBelief(stubbornness=30_000) <= 61)
    assert second.measure == sl.PriorBelief(
        shape="uniform", stubbornness=math.inf, known_people=1, predicates=[["Ulcer", "Dyspepsia"], ["not", "Flu"]]
    )
    shares = {"Flu": Fraction(1, 2), "Cold": Fraction(1, 5), "Ulcer": Fraction(1, 5), "Dyspepsia": Fraction(1, 10)}
    assert third.measure == sl.PriorBelief(shape=shares, stubbornness=10**6)
    assert exactly.measure == sl.PriorBelief(shape="uniform", stubbornness=1000, least_stubbornness="same")
    assert [str(each) for each in fourth.measure.predicates] == ["a stomach disease", "no flu"]
    assert read_policy_text(policy_text(policy)).policy.criteria == policy.criteria
    assert [judgement.holds for judgement in policy.judge(WARD).judgements] == [False, True, False, True, False]


def test_a_missing_value_goes_through_a_policy_file():
    prior = sl.PriorBelief(counts={None: 3, "a": 4}, predicates=[[None], ["a"]])
    written = policy_text(sl.Policy(prior <= 2))
    assert read_policy_text(written).policy.criteria[0].measure == prior


def test_limits_in_a_line_of_text():
    limit = read_limit("prior belief(stubbornness=1000, known_people=2) <= 3")
    assert limit == (sl.PriorBelief(stubbornness=1000, known_people=2) <= 3)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[limit]]\nmeasure = "prior belief"\nstubborness = 5\nat_most = 2', "did you mean 'stubbornness'"),
        ('[[limit]]\nmeasure = "prior belief"\nat_most = 2', "how sure"),
        ('[[limit]]\nmeasure = "prior belief"\nstubbornness = 5\nat_most = 0.5', "between 1 and inf"),
        (
            '[[limit]]\nmeasure = "prior belief"\nstubbornness = 5\nshape = "round"\nat_most = 2',
            "'uniform' or 'release'",
        ),
    ],
)
def test_policy_files_that_cannot_be_used(text, complaint):
    with pytest.raises(BadPolicy, match=complaint):
        read_policy_text(text)


def test_only_a_release_or_a_table_was_seen_elsewhere():
    with pytest.raises(WrongKind, match="a Release, not a dict"):
        sl.PriorBelief.from_release({"Flu": 2})


def test_examples_are_of_every_kind():
    examples = sl.PriorBelief.examples(("a", "b", "c"))
    assert len(set(examples)) == len(examples)
    plain = sl.PriorBelief(stubbornness=10)
    kinds = ("counts", "shape", "least_stubbornness", "known_people", "rules_out", "decided_by", "apart_from")
    for name in kinds:
        assert any(getattr(each, name) != getattr(plain, name) for each in examples), name
    classes = {(each.shape is None, each.stubbornness == math.inf) for each in examples if each.counts is None}
    assert len(classes) == 4
    for domain in (("a",), ("a", "b", "c")):
        release = sl.Release.from_counts([dict.fromkeys(domain, 2)])
        assert all(each.measure(release).value >= 1 for each in sl.PriorBelief.examples(domain))


def test_parts_of_a_release_have_their_own_worst_for_all_who_ask():
    """In one go, whoever asks, in their order; a part that nobody is in who is asked about has none."""
    bags = [{"a": 1, "b": 3, "c": 2}, {"a": 4, "b": 4, "c": 5}, {"b": 5, "c": 5}, {"a": 2, "b": 2, "c": 3}]
    groups = sl.Release.from_counts(bags).groups
    parts = [slice(0, 2), slice(2, 3), slice(3, 4)]
    beliefs = [
        sl.PriorBelief(stubbornness=9, rules_out=1),
        sl.PriorBelief(stubbornness=9),
        sl.PriorBelief(shape="release", stubbornness=100, rules_out=1),
        sl.PriorBelief(stubbornness=9, known_people=2),
        sl.PriorBelief(shape="uniform", stubbornness=9),
        sl.PriorBelief(stubbornness=9, apart_from=["b", "c"]),
        sl.PriorBelief(stubbornness=9, predicates=["a"]),
        sl.PriorBelief(stubbornness=9, decided_by="closed conditions"),
    ]
    together = list(sl.PriorBelief.worst_of_parts(beliefs, groups, np.array([0, 2, 3])))
    assert len(together) == len(beliefs)
    for belief, values in zip(beliefs, together, strict=True):
        alone = [belief.measure(sl.Release(groups.take(part))) for part in parts]
        assert list(values) == [each.value if each.witness else None for each in alone]
    assert together[5][1] is together[6][1] is None


TWICE = ["counts", "both shape and stubbornness", "out", "shape"]
NOT_SURE = ["how sure", "counts", "stubbornness", "with or without shape"]
WISHES = ["wishes", "apart_from", "'all subsets'", "out"]
RULES_OUT = ["rules_out", "single values", "definition", "predicates", "wishes", "by", "out"]
BY = ["by", "without known_people", "wishes", "decided_by", "'all subsets'", "out"]
LEAST = ["least_stubbornness", "goes with shape", "stubbornness", "out"]
BY_REGION = {"counts": {"North": {"a": 1}}, "by": "region"}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, NOT_SURE),
        ({"shape": "uniform"}, NOT_SURE),
        ({"counts": {"a": 1}, "stubbornness": 5}, TWICE),
        ({"counts": {"a": 1}, "shape": "uniform"}, TWICE),
        ({"stubbornness": 5, "least_stubbornness": 3}, LEAST),
        ({"counts": {"a": 1}, "least_stubbornness": 3}, LEAST),
        ({"stubbornness": 5, "wishes": "w", "apart_from": ["a"]}, WISHES),
        ({"stubbornness": 5, "wishes": "w", "predicates": "all subsets"}, WISHES),
        (
            {"stubbornness": 5, "wishes": "w", "decided_by": "closed conditions"},
            ["closed conditions", "not", "wishes", "decided_by", "out"],
        ),
        ({"stubbornness": 5, "rules_out": 1, "predicates": ["a"]}, RULES_OUT),
        ({"stubbornness": 5, "rules_out": 1, "wishes": "w"}, RULES_OUT),
        ({**BY_REGION, "rules_out": 1}, RULES_OUT),
        ({"stubbornness": 5, "rules_out": 1, "decided_by": "closed conditions"}, RULES_OUT),
        ({**BY_REGION, "known_people": 1}, BY),
        ({**BY_REGION, "wishes": "w"}, BY),
        ({**BY_REGION, "decided_by": "closed conditions"}, BY),
        ({**BY_REGION, "predicates": "all subsets"}, BY),
        ({"stubbornness": 5, "by": "region"}, ["by", "goes with counts", "shape", "per label"]),
        (
            {"stubbornness": 5, "predicates": ["a"], "apart_from": ["b"]},
            ["predicates", "all", "apart_from", "out"],
        ),
        (
            {"stubbornness": 5, "decided_by": "luck"},
            ["no decided_by='luck'", "'definition' or 'closed conditions'"],
        ),
    ],
)
def test_what_does_not_go_together_is_named(given, named):
    with pytest.raises(BadMeasure) as error:
        sl.PriorBelief(**given)
    assert mentions(error.value, *named)


def test_how_many_values_may_be_ruled_out():
    """Two are always left; of 100 values any two are 1 + 100 + 4,950 sets, one value fewer and it is few enough."""
    many = sl.Release.from_counts([{f"v{n}": 1 for n in range(100)}])
    belief = sl.PriorBelief(stubbornness=100, rules_out=2)
    assert list(belief._sizes_ruled_out(99)) == [0, 1, 2]
    assert [len(belief._sizes_ruled_out(width)) for width in (1, 2, 3, 4, 5)] == [1, 1, 2, 3, 3]
    with pytest.raises(BadMeasure) as error:
        belief.measure(many)
    assert mentions(error.value, "rules_out=2", "100 values", "5,051 sets", "too many", "lower")


def test_parts_of_a_release_have_their_own_worst_wish():
    """Of four people two have an Ulcer, then three; nobody of the group between them wishes for anything."""
    zips, diseases = "111122223333", "UUFFUUUFUUUF"
    wishes = ["U", None, None, None, *[None] * 4, "U", None, None, None]
    rows = pa.table({"zip": list(zips), "disease": list(diseases), "wish": wishes})
    release = sl.read_release(rows, group="zip", sensitive=["disease", "wish"], missing="a value")
    belief = sl.PriorBelief(stubbornness=20, wishes="wish")
    (values,) = sl.PriorBelief.worst_of_parts([belief], release.groups, np.array([0, 1, 2]))
    expected = []
    for ulcers in (2, 3):
        p_in, p_out = Fraction(ulcers, 4), Fraction(ulcers, 3 + 20)
        expected.append(max(p_in / p_out, (1 - p_out) / (1 - p_in)))
    assert values == [expected[0], None, expected[1]]


def test_examples_are_those_that_documents_show():
    shown = [
        "prior belief(counts={a=2, b=2, c=2}, known_people=1)",
        "prior belief(shape=uniform, stubbornness=4)",
        "prior belief(shape=uniform, stubbornness=40, least_stubbornness=same)",
        "prior belief(stubbornness=10, known_people=1)",
        "prior belief(shape=uniform, stubbornness=40, known_people=1, rules_out=1)",
        "prior belief(shape=release, stubbornness=inf)",
        "prior belief(stubbornness=inf)",
        "prior belief(stubbornness=12, decided_by=closed conditions)",
        "prior belief(stubbornness=10, apart_from=[a])",
    ]
    assert [str(each) for each in sl.PriorBelief.examples(("a", "b", "c"))] == shown
    assert len(sl.PriorBelief.examples(("a", "b"))) == len(shown)
    assert len(sl.PriorBelief.examples(("a",))) == len(shown) - 1


@pytest.mark.parametrize(
    ("do", "error", "named"),
    [
        (lambda: sl.PriorBelief.from_counts([1]), WrongKind, ["mapping", '{"Flu": 11_999}', "not a list"]),
        (
            lambda: sl.PriorBelief.from_counts({"a": 1}, plus_one=1),
            WrongKind,
            ["plus_one", "a bool", "not an int"],
        ),
        (lambda: sl.PriorBelief.from_counts({"a": "x"}), BadMeasure, ["count", "number", "not 'x'"]),
        (
            lambda: sl.PriorBelief.from_release(ZIPS, plus_one=1, by="zip"),
            WrongKind,
            ["plus_one", "a bool", "not an int"],
        ),
        (lambda: sl.PriorBelief.from_release(ZIPS, by=3), WrongKind, ["by", "a str", "not an int"]),
        (lambda: sl.PriorBelief(stubbornness=3, wishes=3), WrongKind, ["wishes", "a str", "not an int"]),
        (lambda: sl.PriorBelief(stubbornness=3, by=3), WrongKind, ["by", "a str", "not an int"]),
        (
            lambda: sl.PriorBelief(stubbornness=3, rules_out=-1),
            BadMeasure,
            ["'prior belief'", "rules_out", "whole number", "at least 0", "not -1"],
        ),
        (
            lambda: sl.PriorBelief(stubbornness=3, decided_by=3),
            BadMeasure,
            ["no decided_by='3'", "'definition' or 'closed conditions'"],
        ),
    ],
)
def test_what_is_something_else_is_named(do, error, named):
    with pytest.raises(error) as raised:
        do()
    assert mentions(raised.value, *named)


ZIPS = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 4, "b": 0}], labels=[{"zip": "1"}, {"zip": "2"}])


def test_a_belief_by_what_a_release_prints_is_kept_with_all_that_is_said():
    seen = sl.PriorBelief.from_release(ZIPS, by="zip", predicates=["a"])
    assert seen == sl.PriorBelief(counts={"1": {"a": 2, "b": 3}, "2": {"a": 5, "b": 1}}, by="zip", predicates=["a"])
    with pytest.raises(BadMeasure, match="goes without known_people="):
        sl.PriorBelief.from_release(ZIPS, by="zip", known_people=1)
    with pytest.raises(BadMeasure, match=r"'b' in '2' is 0; .*at least 1"):
        sl.PriorBelief.from_release(ZIPS, by="zip", plus_one=False)
    plain = sl.PriorBelief.from_release(ZIPS, known_people=1, predicates=["a"])
    assert plain == sl.PriorBelief(counts={"a": 6, "b": 3}, known_people=1, predicates=["a"])
    assert sl.PriorBelief.from_counts({"a": 5, "b": 2}, known_people=1, predicates=["a"]) == plain
    two = sl.read_release(
        pa.table({"zip": ["1", "1"], "x": ["a", "b"], "y": ["a", "b"]}), group="zip", sensitive=["x", "y"]
    )
    with pytest.raises(sl.SidelightError, match=r"one sensitive column, .* x, y"):
        sl.PriorBelief.from_release(two)


@pytest.mark.parametrize(
    "belief",
    [
        sl.PriorBelief(counts={"a": 1, None: 2}, known_people=3, predicates={"ill": ["a", None], "well": ["not", "a"]}),
        sl.PriorBelief(counts={"North": {"a": 1, None: 2}, None: {"a": 3, None: 1}}, by="region"),
        sl.PriorBelief(shape={None: {"a": 1, None: 2}}, by="region", stubbornness=9, least_stubbornness=7.5),
        sl.PriorBelief(shape={"a": 1, None: 3}, stubbornness=9, least_stubbornness="same"),
        sl.PriorBelief(stubbornness=9, rules_out=2),
        sl.PriorBelief(stubbornness=9, predicates="all subsets", decided_by="closed conditions"),
        sl.PriorBelief(stubbornness=9, predicates=[["a", None]], wishes="wish"),
        sl.PriorBelief(stubbornness=9, apart_from=["a"]),
    ],
    ids=str,
)
def test_settings_make_the_same_belief_again(belief):
    assert sl.PriorBelief.from_settings(**belief.settings()) == belief


def test_what_makes_it_worse():
    assert sl.PriorBelief(stubbornness=3).more_is_worse == ("known_people", "stubbornness")
    assert sl.PriorBelief(stubbornness=3, rules_out=1).more_is_worse == ("known_people", "rules_out", "stubbornness")
    exactly = sl.PriorBelief(shape="uniform", stubbornness=3, least_stubbornness="same")
    assert exactly.more_is_worse == ("known_people",)
    assert replace(exactly, least_stubbornness="smallest").more_is_worse == ("known_people", "stubbornness")


def test_every_group_has_its_score():
    """Class II with σ = 9: p_out = n_s / (n + 8); nobody of groups 1 and 3 has what is asked about."""
    release = sl.Release.from_counts([{"b": 3}, {"a": 1, "b": 3}, {"b": 2}, {"a": 2, "b": 2}], domain=["a", "b"])
    belief = sl.PriorBelief(stubbornness=9, predicates=["a"])
    expected = [math.nan, 3, math.nan, 3]
    assert belief.scores(release.groups) == pytest.approx(expected, nan_ok=True)
    assert belief.scores(release.groups.take(slice(0, 1))) == pytest.approx([math.nan], nan_ok=True)
    without = sl.PriorBelief(stubbornness=9, rules_out=1, apart_from=["b"])
    assert without.scores(release.groups) == pytest.approx(expected, nan_ok=True)
    assert sl.PriorBelief(stubbornness=9).scores(release.groups) == pytest.approx([math.inf, 3, math.inf, 3])


def test_where_two_values_of_three_may_be_left_the_worst_is_told_whole():
    """Without the b there are 3 of a and 1 of c: p_in = 3/4 and, of σ = 9 without 3 of b, p_out = (2 + 3)/(3 + 6)."""
    release = sl.Release.from_counts([{"a": 3, "b": 4, "c": 1}])
    finding = sl.PriorBelief(counts={"a": 3, "b": 3, "c": 3}, rules_out=1, apart_from=["b", "c"]).measure(release)
    witness = finding.witness
    assert (witness.value, witness.ruled_out, witness.stubbornness) == ("a", ("b",), 9)
    assert (witness.p_in, witness.p_out, witness.ratio) == (Fraction(3, 4), Fraction(5, 9), Ratio.DOUBT)
    assert finding.value == Fraction(16, 9) == finding.replay(release)


def test_amounts_are_kept_as_whole_numbers():
    belief = sl.PriorBelief(stubbornness=np.int64(9), known_people=np.int64(2), rules_out=np.int64(1))
    assert [type(each) for each in (belief.stubbornness, belief.known_people, belief.rules_out)] == [int, int, int]
    between = sl.PriorBelief(shape="uniform", stubbornness=9.5, least_stubbornness=0.1)
    assert (between.stubbornness, between.least_stubbornness) == (Fraction(19, 2), Fraction(1, 10))
    assert type(replace(between, least_stubbornness=np.int64(3)).least_stubbornness) is int


def test_merging_groups_never_raises_it_unless_some_only_ask_or_a_column_decides():
    assert sl.PriorBelief(stubbornness=9).when_groups_merge is Monotonicity.NON_INCREASING
    assert sl.PriorBelief(stubbornness=9, wishes="wish").when_groups_merge is Monotonicity.UNKNOWN
    assert sl.PriorBelief(**BY_REGION).when_groups_merge is Monotonicity.UNKNOWN
    assert sl.PriorBelief(stubbornness=9).counts_decide
    assert not sl.PriorBelief(**BY_REGION).counts_decide


@pytest.mark.parametrize(
    "settings",
    [
        {"stubbornness": 9, "apart_from": ["a"]},
        {"stubbornness": 9, "apart_from": ["a"], "rules_out": 1},
        {"stubbornness": 9, "predicates": ["b"]},
        {"counts": {"1": {"a": 2, "b": 2, "c": 2}}, "by": "zip", "apart_from": ["a"]},
        {"counts": {"1": {"a": 2, "b": 2, "c": 2}}, "by": "zip", "predicates": ["b"]},
    ],
)
def test_where_nobody_has_what_is_asked_about_it_is_said(settings):
    release = sl.Release.from_counts([{"a": 3}], domain=["a", "b", "c"], labels=[{"zip": "1"}])
    belief = sl.PriorBelief(**settings)
    finding = belief.measure(release)
    assert (finding.measure, finding.value, finding.witness) == (belief, 1, None)
    (note,) = finding.notes
    assert mentions(note, "no group", "any value")
    assert mentions(finding.explain(), "Nobody", "any of the values", "asked")


def test_what_only_the_prior_knows_may_be_ruled_out():
    """Of all sets of at most one value, by the definition; the 30 answers of z are nothing where it is ruled out."""
    counts, weights = {"a": 3, "b": 4, "c": 1}, {"a": 2, "b": 2, "c": 2, "z": 30}
    worst = 0
    for gone in ("", *weights):
        people, total = sum(counts.values()) - counts.get(gone, 0), 36 - weights.get(gone, 0)
        for value in counts.keys() - {gone}:
            p_in = Fraction(counts[value], people)
            p_out = Fraction(counts[value] - 1 + weights[value], people - 1 + total)
            worst = max(worst, p_in / p_out, (1 - p_out) / (1 - p_in))
    release = sl.Release.from_counts([counts])
    assert sl.PriorBelief(counts=weights, rules_out=1).measure(release).value == worst == Fraction(111, 16)
    alone = sl.PriorBelief(counts=weights, rules_out=1, apart_from=["b", "c"])
    assert alone.scores(release.groups) == pytest.approx([111 / 16])


def test_just_few_enough_sets_may_be_ruled_out():
    """None or one of 4,999 values: 5,000 sets."""
    belief = sl.PriorBelief(stubbornness=10**4, rules_out=1)
    assert list(belief._sizes_ruled_out(4_999)) == [0, 1]
    with pytest.raises(BadMeasure, match=r"rules_out=1 .*5000 values .*5,001 sets, too many"):
        belief._sizes_ruled_out(5_000)


@pytest.mark.parametrize("known", [0, 1])
def test_scores_are_those_of_the_closed_conditions_where_these_decide(known):
    closed = sl.PriorBelief(stubbornness=40, known_people=known, decided_by="closed conditions")
    alone = [closed.measure(sl.Release(WARD.groups.take(slice(row, row + 1)))).value for row in range(2)]
    assert closed.scores(WARD.groups) == pytest.approx([float(value) for value in alone], rel=1e-12)
    assert closed.scores(WARD.groups)[0] > replace(closed, decided_by="definition").scores(WARD.groups)[0]
