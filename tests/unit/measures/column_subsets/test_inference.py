"""Inference: right guesses with and without oneself by the definition, the surest group, columns, and words."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, SidelightError, UnknownColumn
from sidelight.measures.column_subsets.three_risks import InferenceWitness
from sidelight.measures.exact import SumScreen
from sidelight.measures.measure import Monotonicity

RELEASE = sl.Release.from_counts(
    [{"a": 2, "b": 1}, {"b": 1}, {"c": 3}],
    labels=[{"age": "1", "sex": "f"}, {"age": "1", "sex": "m"}, {"age": "2", "sex": "m"}],
)
NOBODY = RELEASE.groups.take(np.zeros(0, np.int64))


def right_without(groups):
    """The people who are guessed right from everybody else's rows, on average: person by person."""
    whole, right = sum(groups, Counter()), Fraction(0)
    for group in groups:
        for value, times in group.items():
            rest = (group - Counter([value])) or (whole - Counter([value]))
            guessed = [other for other, often in rest.items() if often == max(rest.values())]
            right += Fraction(times, len(guessed)) if value in guessed else 0
    return right


@pytest.mark.parametrize("seed", range(40))
def test_guesses_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    width, rows = rng.integers(1, 5), rng.integers(1, 5)
    counts = rng.integers(0, 4, (rows, width)) * (rng.random((rows, width)) < 0.7)
    groups = [+Counter(dict(zip("abcd", row, strict=False))) for row in counts.tolist() if any(row)] or [Counter("a")]
    release = sl.Release.from_counts(groups, domain=list("abcd"))
    people = sum(group.total() for group in groups)
    finding = sl.Inference().measure(release)
    assert finding.value == Fraction(sum(max(group.values()) for group in groups), people)
    assert finding.replay(release) == finding.value
    assert finding.witness.control == right_without(groups) / people
    surest = max(groups, key=lambda group: (Fraction(max(group.values()), group.total()), group.total()))
    assert finding.witness.group.number == groups.index(surest) + 1
    assert (finding.witness.count, finding.witness.people) == (max(surest.values()), surest.total())
    assert finding.witness.value == min(value for value in surest if surest[value] == max(surest.values()))


def test_the_witness_has_what_all_guesses_come_to():
    """In group 1 an a is guessed from one a and one b, b never; the b alone from a release of c, and all of c are."""
    finding = sl.Inference().measure(RELEASE)
    witness = finding.witness
    assert (witness.group.number, witness.value, witness.count, witness.people) == (3, "c", 3, 3)
    assert (witness.right, witness.everybody, witness.control) == (6, 7, Fraction(4, 7))
    assert witness.residual == Fraction(2, 3)  # (6/7 − 4/7) / (1 − 4/7)
    assert witness.secret == "value"
    assert sl.Inference().summarize(RELEASE.groups).finding().witness.secret == ""


def test_who_is_guessed_by_all_others_anyway_adds_nothing():
    sure = InferenceWitness(RELEASE.groups.name(0), count=3, people=3, right=3, control=Fraction(1), everybody=3)
    assert sure.residual == 0


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_parts_of_a_release_merge(cut):
    groups, measure = RELEASE.groups, sl.Inference()
    one, other = measure.summarize(groups.take(slice(0, cut))), measure.summarize(groups.take(slice(cut, 3)))
    whole = measure.summarize(groups)
    for merged in (one.merge(other), other.merge(one)):
        assert merged == whole
        assert merged.finding() == whole.finding()


@pytest.mark.parametrize(
    ("counts", "group"),
    [
        ([{"a": 1, "b": 1}, {"a": 2}, {"b": 3}, {"c": 3}], 3),  # equally sure: the largest, and of those the first
        ([{"a": 3, "b": 1}, {"a": 2, "b": 1}], 1),
        ([{"a": 2, "b": 1}, {"a": 3, "b": 1}], 2),
        ([{"a": 2, "b": 1}, {"a": 4, "b": 2}], 2),
        # 1 - 2/(2^28 + 2) is more than 1 - 2/(2^28 + 1), and the same float; so are 1 - 1/2^60 and 1
        ([{"a": 2**27, "b": 1}, {"a": 2**28 - 1, "b": 2}], 1),
        ([{"a": 2**28 - 1, "b": 2}, {"a": 2**27, "b": 1}, {"a": 2**28, "b": 2}, {"a": 2**28, "b": 2}], 3),
        ([{"a": 2**60 - 1, "b": 1}, {"a": 2}, {"b": 3}], 3),
    ],
)
def test_the_surest_group_also_of_parts(counts, group):
    groups, measure = sl.Release.from_counts(counts).groups, sl.Inference()
    parts = [measure.summarize(groups.take(slice(row, row + 1))) for row in range(len(groups))]
    for order in (parts, parts[::-1]):
        merged = order[0]
        for part in order[1:]:
            merged = merged.merge(part)
        assert merged.state[1][1][0].number == group
    assert measure.summarize(groups).state[1][1][0].number == group


def test_where_nobody_is_nothing_is_guessed():
    finding = sl.Inference().summarize(NOBODY).finding()
    (note,) = finding.notes
    assert (finding.value, finding.witness) == (0, None)
    assert mentions(note, "nobody", "in the release")
    assert mentions(finding.explain(), "Nobody", "nothing")
    completed = sl.Inference(["age"]).complete(finding, RELEASE)
    assert (completed.measure, completed.value) == (sl.Inference(["age"]), 0)
    nobody = sl.Inference().summarize(NOBODY)
    assert nobody.merge(nobody) == nobody


def test_who_is_never_guessed_by_all_others_is_so_exactly():
    witness = sl.Inference().measure(sl.Release.from_counts([{"a": 1, "b": 1}])).witness
    assert (witness.control, witness.residual) == (0, Fraction(1, 2))
    assert isinstance(witness.control, Fraction)


def test_words():
    named = sl.Inference().measure(RELEASE).explain()
    unnamed = sl.Inference().summarize(RELEASE.groups).finding().explain()
    assert mentions(named, "Value", "0.8572 of all people", "0.5715", "everybody else's rows")
    assert mentions(unnamed, "sensitive value", "0.8572 of all people", "0.5715", "everybody else's rows")


@pytest.mark.parametrize(
    ("measure", "right", "control", "value", "secret"),
    [
        (sl.Inference(["age"]), 5, 3, "c", "value"),  # a a b b and c c c
        (sl.Inference("sex"), 5, 3 + 1, "c", "value"),  # a a b and b c c c: an a is guessed half the times
        (sl.Inference([]), 3, 1, "c", "value"),  # a a b b c c c: a c is guessed a third of the times
        (sl.Inference(["sex", "age"]), 6, 4, "c", "value"),
        (sl.Inference(secret="age"), 6, 6, "1", "age"),  # by sex: 1 1 1 and 1 2 2 2
        (sl.Inference("sex", "age"), 6, 6, "1", "age"),
        (sl.Inference([], "sex"), 4, 2, "m", "sex"),  # f f f m m m m: an m is guessed half the times
    ],
    ids=str,
)
def test_some_columns_and_other_secrets(measure, right, control, value, secret):
    finding = measure.measure(RELEASE)
    assert finding.measure == measure
    assert finding.value == Fraction(right, 7) == finding.replay(RELEASE)
    witness = finding.witness
    assert (witness.right, witness.control, witness.everybody) == (right, Fraction(control, 7), 7)
    assert (witness.value, witness.secret) == (value, secret)


def test_a_printed_secret_is_one_value_whatever_the_sensitive_ones_are():
    sets = sl.Release.from_counts([{"a": 2}, {"a": 1}], sizes=[3, 2], values="set", labels=[{"age": "1"}, {"age": "2"}])
    finding = sl.Inference(secret="age").measure(sets)
    assert (finding.value, finding.witness.value) == (Fraction(3, 5), "1")
    with pytest.raises(BadMeasure, match="defined for single values"):
        sl.Inference().measure(sets)
    for columns in (["age"], ["agee"]):  # whatever is known
        with pytest.raises(BadMeasure, match="defined for single values"):
            sl.Inference(columns).measure(sets)


def test_groups_in_which_everybody_differs_are_not_alone():
    """Without themselves, a would be guessed to have b, and b to have a; only the three a are guessed right."""
    witness = sl.Inference().measure(sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 3}])).witness
    assert (witness.right, witness.control) == (4, Fraction(3, 5))


def test_guesses_of_more_people_than_floats_count():
    many = 2**53 + 1
    release = sl.Release.from_counts([{"a": many, "b": 2}, {"b": many}])
    finding = sl.Inference().measure(release)
    assert finding.value == finding.replay(release) == Fraction(2 * many, 2 * many + 2)
    assert (finding.witness.right, finding.witness.control) == (2 * many, finding.value)


@pytest.mark.parametrize(
    "release",
    [
        sl.Release.from_groups([(["Ann", "Bob"], ["x", "y"])]),
        sl.Release.from_buckets([([{"age": "20"}, {"age": "30"}], ["x", "y"])]),
    ],
)
def test_who_knows_some_columns_does_not_see_who_is_in_which_group(release):
    seen = sl.Inference([]).seen(release)
    assert release.people is not None or release.members is not None
    assert (seen.people, seen.members, seen.groups.sizes.tolist()) == (None, None, [2])


def test_what_is_known_of_reading_stays_with_a_printed_secret():
    table = sl.read_table(pa.table({"age": list("1122"), "ill": list("xyzz")}), quasi="age", sensitive="ill")
    release = sl.group(table)
    seen = sl.Inference(secret="age").seen(release)
    assert seen.intake is release.intake
    assert (seen.sensitive, seen.groups.domain, seen.groups.columns) == ("age", ("1", "2"), ())


def test_a_secret_among_several_sensitive_columns_is_looked_at_alone():
    rows = pa.table({"age": list("1122"), "ill": list("xyzz"), "income": list("llhl")})
    both = sl.group(sl.read_table(rows, quasi="age", sensitive=["ill", "income"]))
    finding = sl.Inference(secret="income").measure(both)
    assert (finding.value, finding.witness.secret) == (Fraction(3, 4), "income")
    assert finding.replay(both) == finding.value


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sl.Inference(secret=3), ("secret=", "a str, not an int")),
        (lambda: sl.Inference(["sex", "age"], "age"), ("'age'", "known", "also the secret", "other columns")),
        (
            lambda: sl.Inference(["age"]).summarize(RELEASE.groups),
            ("'inference' by some columns", "whole release", "measure the release"),
        ),
        (
            lambda: sl.Inference(secret="age").screen(),
            ("'inference'", "whole release", "search without it"),
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(SidelightError) as refused:
        make()
    assert mentions(refused.value, *message)


@pytest.mark.parametrize("measure", [sl.Inference(["agee"]), sl.Inference(secret="agee")], ids=str)
def test_columns_that_are_not_printed(measure):
    with pytest.raises(UnknownColumn, match=r"^no column 'agee'.* 'age'\?$"):
        measure.measure(RELEASE)
    with pytest.raises(SidelightError, match=r"Release, not None"):
        measure.measure(None)


@pytest.mark.parametrize(
    ("measure", "of_groups", "about_values"),
    [
        (sl.Inference(), True, True),
        (sl.Inference([]), False, True),
        (sl.Inference("age"), False, True),
        (sl.Inference(secret="age"), False, False),
        (sl.Inference("sex", "age"), False, False),
    ],
    ids=str,
)
def test_only_own_groups_merge(measure, of_groups, about_values):
    assert (measure.of_groups, measure.mergeable, measure.about_values) == (of_groups, of_groups, about_values)
    merging = Monotonicity.NON_INCREASING if of_groups else Monotonicity.UNKNOWN
    assert measure.when_groups_merge is merging
    assert type(measure).from_settings(columns=measure.columns, secret=measure.secret) == measure


def test_settings_and_examples():
    assert sl.Inference("age").columns == ("age",)
    assert sl.Inference.from_settings() == sl.Inference()
    assert sl.Inference.examples(("a", "b")) == (sl.Inference(),)


def test_a_search_adds_right_guesses_and_people_up():
    screen = sl.Inference().screen()
    assert isinstance(screen, SumScreen)
    assert not screen.breaks_with_one_group
    rows = screen.rows(RELEASE.groups)
    assert rows.tolist() == [[2, 3], [1, 1], [3, 3]]
    assert rows.dtype == float
    assert screen.join(rows[:2], rows[1:]).tolist() == [[3, 4], [4, 4]]
    assert screen.value(np.array([[2.0, 4.0], [3.0, 3.0]])).tolist() == [0.5, 1]
