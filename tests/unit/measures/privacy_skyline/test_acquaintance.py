"""Acquaintance: what it says, what it refuses, and numbers beyond the reach of fractions.

The worst investigation: who sits where, and what it says as facts.
"""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, UnknownValue
from sidelight.knowledge.facts import Has, Someone
from sidelight.measures.criterion import CriterionCheck
from sidelight.measures.exact import join_all, tolerance
from sidelight.measures.measure import Monotonicity
from sidelight.measures.privacy_skyline import five_minima
from sidelight.measures.privacy_skyline.acquaintance import Relatives, _GroupByFrequency
from sidelight.release.groups import GroupName
from sidelight.testing import releases
from sidelight.worlds.closed_forms import Others


@given(releases(max_groups=2, max_people=4, max_values=3), st.tuples(*[st.integers(0, 2)] * 3))
def test_as_facts_it_has_the_same_posterior(release, knows):
    finding = sl.Acquaintance(*knows).measure(release)
    if finding.witness is None:
        return
    target, facts = finding.witness.as_facts()
    assert sl.posterior(release, target, given=facts) == finding.value


def test_known_people_have_the_most_frequent_values_that_are_not_ruled_out():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2, "d": 1}])
    witness = sl.Acquaintance(rules_out=1, others=3, value="a").measure(release).witness
    assert witness.rules_out == ("b",)
    assert witness.others.values == (("c", 2), ("d", 1))
    assert witness.family is None


def test_a_family_that_settles_it_needs_nothing_else():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2}, {"a": 2, "b": 1}])
    witness = sl.Acquaintance(rules_out=0, others=0, family=5, value="a").measure(release).witness
    assert (witness.rules_out, witness.others, witness.family.people) == ((), None, 1)


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_where_people_have_several_values_others_are_known_to_lack_it(semantics):
    release = sl.Release.from_counts([{"a": 2, "b": 1}], sizes=[9], values=semantics)
    witness = sl.Acquaintance(others=2, family=1, value="a").measure(release).witness
    group = release.groups.name(0)
    assert (witness.others, witness.family) == (Others(group, 2), Relatives(group, 1))
    assert mentions(witness.explain(Fraction(1, 2)), "group 1", "target", "a", "1/2")


@pytest.mark.parametrize("measure", [sl.Acquaintance(rules_out=2), sl.Negations(2)])
def test_values_that_hold_a_comma_stand_in_quotes(measure):
    release = sl.Release.from_counts([{"Flu": 3, "Ulcer, bleeding": 2, "Cold": 1, "Gout": 1}])
    assert "'Ulcer, bleeding' or Cold" in measure.measure(release).explain()


SEVERAL = [
    # counts, people, semantics, (ℓ, k, m), ruled out, others, family, the risk of a
    ({"a": 1, "b": 3}, 3, "set", (0, 0, 1), (), None, 1, Fraction(1, 2)),  # and it may not be ruled out
    ({"a": 1, "b": 3}, 3, "set", (0, 2, 1), (), 2, None, 1),  # nor is it needed
    ({"a": 1, "b": 3}, 3, "set", (1, 0, 1), ("b",), None, None, 1),  # nor where everybody has what implies it
    ({"a": 2, "b": 1}, 4, "set", (1, 1, 1), (), 1, 1, 1),  # three are left, of whom two have it: she or her family
    ({"a": 1, "b": 3}, 3, "multiset", (1, 0, 1), ("b",), None, 1, Fraction(27, 35)),  # b is with anybody
]


@pytest.mark.parametrize(("counts", "people", "semantics", "knows", "ruled_out", "others", "family", "risk"), SEVERAL)
def test_what_is_told_where_people_have_several_values(
    counts, people, semantics, knows, ruled_out, others, family, risk
):
    release = sl.Release.from_counts([counts], sizes=[people], values=semantics)
    finding = sl.Acquaintance(*knows, value="a").measure(release)
    witness, group = finding.witness, release.groups.name(0)
    assert witness.rules_out == ruled_out
    assert witness.others == (Others(group, others) if others else None)
    assert witness.family == (Relatives(group, family) if family else None)
    assert finding.replay(release) == finding.value == risk


def test_where_people_have_one_value_what_is_ruled_out_and_known_settles_it_together():
    release = sl.Release.from_counts([{"a": 1, "b": 2, "c": 1, "d": 1}])
    finding = sl.Acquaintance(rules_out=2, others=5, family=5, value="a").measure(release)
    witness, group = finding.witness, release.groups.name(0)
    assert (witness.rules_out, witness.others, witness.family) == (("b", "c"), Others(group, 1, (("d", 1),)), None)
    assert finding.replay(release) == finding.value == 1


def test_a_family_beside_known_people_needs_only_the_rest():
    """Six people: the target, two who have b, and three, of whom one has a unless the target has."""
    release = sl.Release.from_counts([{"a": 1, "b": 5}])
    finding = sl.Acquaintance(rules_out=0, others=2, family=10, value="a").measure(release)
    others, family = ["2 other people", "same group", "b (2)"], ["3 other people", "same group", "if", "a", "target"]
    assert mentions(finding.explain(), "group 1", "target", "a", 1, *others, *family)
    assert not mentions(finding.explain(), "not")
    assert finding.replay(release) == finding.value == 1


def test_a_family_that_settles_it_elsewhere_is_one_larger_than_beside_the_target():
    group = sl.Release.from_counts([{"a": 2, "b": 3, "c": 1}]).groups
    around, name = _GroupByFrequency(group, 0), group.name(0)
    assert (around.people, around.may_lack, around.rest) == (6, 4, (("b", 3), ("c", 1)))
    assert around.known_family(9, None, beside_target=True) == (Relatives(name, 4), True)
    assert around.known_family(9, None, beside_target=False) == (Relatives(name, 5), True)
    assert around.known_family(4, None, beside_target=False) == (Relatives(name, 4), False)
    assert around.known_family(3, Others(name, 2), beside_target=True) == (Relatives(name, 2), True)
    assert around.known_family(0, None, beside_target=True) == (None, False)


def test_a_family_elsewhere_is_the_first_people_there():
    mixed = {"a": 6, **dict.fromkeys("bcdefg", 1)}
    release = sl.Release.from_counts([{"a": 3, "b": 9, "c": 1}, mixed])
    witness = sl.Acquaintance(rules_out=1, family=2, value="a").measure(release).witness
    assert witness.family == Relatives(GroupName(2), 2)
    target = Has(Someone(1, 1), "a")
    relatives = [Has(Someone(2, number), "a").implies(target) for number in (1, 2)]
    assert witness.as_facts() == (target, (~Has(Someone(1, 1), "b"), *relatives))


def test_known_people_beside_a_family_elsewhere_have_the_most_frequent_values_there():
    """Two people more or less hardly matter in the group of the target, who does not have b; among six they do."""
    release = sl.Release.from_counts([{"a": 100, "b": 10_000, "c": 50}, dict.fromkeys("abcdef", 1)])
    finding = sl.Acquaintance(rules_out=1, others=2, family=1, value="a").measure(release)
    witness, six = finding.witness, GroupName(2)
    assert (witness.group.number, witness.rules_out) == (1, ("b",))
    assert (witness.others, witness.family) == (Others(six, 2, (("b", 1), ("c", 1))), Relatives(six, 1))
    # 50 to 100 against; and of four people of whom one has it, three do not
    assert finding.replay(release) == finding.value == 1 / (1 + Fraction(50, 100) * Fraction(3, 4))
    others, family = ["2 other people", "group 2", "b (1) and c (1)"], ["1 person", "group 2", "if", "a", "target"]
    assert mentions(finding.explain(), "group 1", "target", "a", "8/11", "target", "not", "b", *others, *family)


def test_known_people_come_after_the_target_and_before_the_family():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2, "d": 3}])
    witness = sl.Acquaintance(rules_out=1, others=4, family=0, value="a").measure(release).witness
    target = Has(Someone(1, 1), "a")
    known = [Has(Someone(1, number), text) for number, text in ((2, "d"), (3, "d"), (4, "d"), (5, "c"))]
    assert witness.as_facts() == (target, (~Has(Someone(1, 1), "b"), *known))
    sets = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[9], values="set")
    facts = sl.Acquaintance(rules_out=1, others=2, family=1, value="a").measure(sets).witness.as_facts()[1]
    assert facts == (
        Has(Someone(1, 1), "b").implies(target),
        ~Has(Someone(1, 2), "a"),
        ~Has(Someone(1, 3), "a"),
        Has(Someone(1, 4), "a").implies(target),
    )


@pytest.mark.parametrize(("rules_out", "listed"), [(1, "b"), (2, "b or c"), (3, "b, c or d"), (4, "b, c, d or e")])
def test_all_values_that_are_ruled_out_are_listed(rules_out, listed):
    release = sl.Release.from_counts([{"a": 3, "b": 6, "c": 5, "d": 4, "e": 3, "f": 2}])
    risk = Fraction(3, 23 - sum((6, 5, 4, 3)[:rules_out]))
    said = sl.Acquaintance(rules_out, value="a").measure(release).explain()
    assert mentions(said, "group 1", "target", "a", risk, "target", "not", listed)
    assert said.count("group") == 1  # nobody else is known


def test_known_people_of_several_values_are_counted_and_groups_are_named():
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1, "d": 1, "e": 1}, {"a": 3, "b": 97}])
    said = sl.Acquaintance(others=3, value="a").measure(release).explain()
    assert mentions(said, "group 1", "target", "a", "2/3", "3 other people", "same group", "b (1), c (1) and d (1)")
    assert not mentions(said, "if")


def test_of_one_person_who_lacks_it_the_verb_is_singular():
    release = sl.Release.from_counts([{"a": 2}], sizes=[9], values="set")
    texts = [sl.Acquaintance(others=others, value="a").measure(release).explain() for others in (1, 2)]
    known = [["1 other person", "same group", "does not", "a"], ["2 other people", "same group", "do not", "a"]]
    for text, risk, end in zip(texts, ("1/4", "2/7"), known, strict=True):
        assert mentions(text, "group 1", "target", "a", risk, *end)


def test_facts_cannot_say_how_many_have_any_of_several_values():
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 2}], sizes=[9], values="set")
    witness = sl.Acquaintance(others=1, value=("a", "b")).measure(release).witness
    with pytest.raises(BadMeasure) as refused:
        witness.as_facts()
    assert mentions(refused.value, "cannot", "how many", "'a or b'", "values", "one by one")


HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ],
    labels=[{"sex": "male"}, {"sex": "female"}],
)


@pytest.mark.parametrize(
    "amounts", [{"rules_out": -1}, {"others": 1.5}, {"family": "two"}, {"others": True}, {"family": None}]
)
def test_amounts_are_whole_and_not_negative(amounts):
    with pytest.raises(BadMeasure, match=f"'acquaintance' needs {next(iter(amounts))} to be a whole number"):
        sl.Acquaintance(**amounts)


@pytest.mark.parametrize("each", ["rules_out", "others", "family"])
def test_amounts_are_such_as_floats_can_count_to(each):
    assert getattr(sl.Acquaintance(**{each: 2**53}), each) == 2**53
    with pytest.raises(BadMeasure) as refused:
        sl.Acquaintance(**{each: 2**53 + 1})
    assert mentions(refused.value, "'acquaintance'", each, "at most 9007199254740992", "not 9007199254740993")


def test_amounts_of_numpy_are_whole_numbers_too():
    assert sl.Acquaintance(np.int64(1)) == sl.Acquaintance(1)


def test_a_value_and_all_but_some_cannot_both_be_asked():
    with pytest.raises(BadMeasure, match="give one of them"):
        sl.Acquaintance(value="Flu", apart_from=("Cold",))


def test_an_unknown_value_names_the_nearest():
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        sl.Acquaintance(value="flu").measure(HOSPITAL)
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        sl.Acquaintance(apart_from=("flu",)).measure(HOSPITAL)
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        sl.knowledge_skyline(HOSPITAL, "flu", below=0.5)


def test_a_value_that_nobody_has_is_no_risk_and_noted():
    release = sl.Release.from_counts([{"Flu": 2}], domain=["Flu", "AIDS"])
    finding = sl.Acquaintance(1, 5, 5, value="AIDS").measure(release)
    assert (finding.value, finding.witness) == (0, None)
    (note,) = finding.notes
    assert mentions(note, "nobody", "'AIDS'")
    assert finding.replay(release) == 0
    assert mentions(finding.explain(), "Nobody", "nobody", "'AIDS'")
    assert sl.knowledge_skyline(release, "AIDS", below=0.5) == ((1, math.inf, math.inf),)
    assert sl.knowledge_skyline(release, "AIDS", below=0) == ()


def test_a_category_that_nobody_has_is_told_with_what_the_release_does_not_have_of_it():
    release = sl.Release.from_counts([{"Flu": 2}], domain=["Flu", "AIDS"])
    said = sl.Acquaintance(value={"severe": ["AIDS", "Plague"]}).measure(release).explain()
    assert mentions(said, "Nobody", "nobody", "'severe'", "not", "'severe'", "Plague")


def test_values_left_out_are_not_asked_about():
    assert sl.Acquaintance().measure(HOSPITAL).value == Fraction(2, 5)
    rest = sl.Acquaintance(apart_from=("Flu", "Lung cancer")).measure(HOSPITAL)
    assert (rest.value, rest.witness.value) == (Fraction(1, 5), "Breast cancer")


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (sl.Acquaintance(value="Flu"), ["group 1 (sex male)", "Flu", "2/5"]),
        (
            sl.Acquaintance(rules_out=1, value="Flu"),
            ["group 1 (sex male)", "target", "Flu", "2/3", "target", "not", "Lung cancer"],
        ),
        (
            sl.Acquaintance(others=2, value="Heart disease"),
            ["group 1 (sex male)", "target", "Heart disease", "1/3", "2 other people", "same group", "Flu (2)"],
        ),
        (
            sl.Acquaintance(rules_out=1, others=1, family=1, value="Ovarian cancer"),
            [
                *("group 2 (sex female)", "target", "Ovarian cancer", "3/5", "target", "not", "Flu"),
                *("1 other person", "same group", "Breast cancer (1)"),
                *("1 other person", "same group", "if", "Ovarian cancer", "target"),
            ],
        ),
    ],
)
def test_it_reads_like_a_sentence(measure, said):
    finding = measure.measure(HOSPITAL)
    assert mentions(finding.explain(), *said)
    for told in ("target", "not", "same group", "if"):  # and nothing else
        assert len(re.findall(rf"\b{told}\b", finding.explain())) == said.count(told)
    assert finding.replay(HOSPITAL) == finding.value


def test_where_people_have_several_values_others_lack_the_value():
    visits = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[6], values="set")
    finding = sl.Acquaintance(1, 2, 1, value="a").measure(visits)
    implication = ["if", "target", "b", "target", "a"]
    others, family = ["2 other people", "same group", "not", "a"], ["1 other person", "same group", "if", "a", "target"]
    assert mentions(finding.explain(), "group 1", "target", "a", "6/7", *implication, *others, *family)


def test_the_family_may_live_elsewhere():
    mixed = {"a": 6, **dict.fromkeys("bcdefg", 1)}
    release = sl.Release.from_counts([{"a": 3, "b": 9, "c": 1}, mixed])
    finding = sl.Acquaintance(rules_out=1, family=1, value="a").measure(release)
    family = ["1 person", "group 2", "if", "a", "target"]
    assert mentions(finding.explain(), "group 1", "target", "a", "6/7", "target", "not", "b", *family)
    assert finding.replay(release) == finding.value


def test_no_more_is_told_than_it_takes():
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 5}])
    everything = sl.Acquaintance(5, 50, 50, value="a").measure(release)
    assert everything.value == 1
    assert everything.witness.others is None
    assert everything.witness.family is None


def test_groups_of_a_hundred_people_replay():
    rng = np.random.default_rng(3)
    counts = [dict(zip("abcdefgh", rng.multinomial(100, [1 / 8] * 8).tolist(), strict=True)) for _ in range(50)]
    for semantics in ("single", "set", "multiset"):
        release = sl.Release.from_counts(counts, sizes=[100] * 50, values=semantics)
        for measure in (sl.Acquaintance(2, 10, 10), sl.Acquaintance(0, 30, 3, value="c")):
            finding = measure.measure(release)
            assert isinstance(finding.value, Fraction)
            assert finding.replay(release) == finding.value


@pytest.mark.parametrize(("semantics", "people"), [("multiset", 30_000), ("single", 30_000), ("set", 30_000)])
def test_fractions_that_nobody_can_read_are_rounded_up(semantics, people):
    release = sl.Release.from_counts([{"a": people // 3, "b": people - people // 3}], sizes=[people], values=semantics)
    finding = sl.Acquaintance(family=people // 3 if semantics != "multiset" else 1, value="a").measure(release)
    assert isinstance(finding.value, float)
    assert 0 < finding.value <= 1
    assert finding.replay(release) == finding.value


def test_a_large_family_elsewhere_is_counted_in_as_many_digits_when_replayed():
    """The target is of few people, most of whom have what is ruled out; the family is where many have it."""
    release = sl.Release.from_counts([{"a": 1, "b": 1190, "c": 9}, {"a": 5000, "b": 500_000, "c": 495_000}])
    finding = sl.Acquaintance(rules_out=1, family=1000, value="a").measure(release)
    assert (finding.witness.group.number, finding.witness.family.group.number) == (1, 2)
    assert isinstance(finding.value, float)
    assert finding.replay(release) == finding.value


def test_values_that_are_not_ruled_out_make_no_number_longer():
    release = sl.Release.from_counts([{"a": 3, "b": 20_000}], sizes=[1000], values="multiset")
    finding = sl.Acquaintance(value="a").measure(release)
    assert finding.replay(release) == finding.value == 1 - Fraction(999, 1000) ** 3


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("people", [10**6, 10**9])
def test_large_groups_replay_as_quickly_as_small_ones(semantics, people):
    """Only the people somebody knows about are counted one by one."""
    bags = [{"a": people // 5, "b": people // 3, "c": people - people // 5 - people // 3}, {"a": 2, "b": people - 2}]
    release = sl.Release.from_counts(bags, sizes=[people] * 2, values=semantics)
    for measure in (sl.Acquaintance(1, 3, 4), sl.Acquaintance(1, 3, 4, value="a"), sl.Acquaintance(0, 2, 0)):
        finding = measure.measure(release)
        assert finding.replay(release) == finding.value


@given(st.integers(10**6, 10**9), st.integers(0, 2), st.integers(0, 3), st.integers(1, 5), st.data())
def test_a_screen_is_within_its_slack_in_large_groups(people, rules_out, others, family, data):
    counts = [data.draw(st.integers(1, people // 4)) for _ in range(3)]
    bag = {"rest": people - sum(counts), **dict(zip("abc", counts, strict=True))}
    measure = sl.Acquaintance(rules_out, others, family)
    for semantics in ("single", "set"):
        release = sl.Release.from_counts([bag], sizes=[people], values=semantics)
        screen = measure.screen()
        value = float(screen.value(screen.rows(release.groups))[0])
        assert abs(Fraction(value) - measure.measure(release).value) <= screen.slack(people)


@st.composite
def bags(draw, semantics):
    """Counts of three values in a group of few people, of just below or above a thousand, or of very many."""
    people = draw(st.one_of(st.integers(1, 30), st.integers(900, 1200), st.integers(10**4, 10**9)))
    counts, left = [], people
    for _ in range(2):
        counts.append(draw(st.integers(0, left)))
        left -= counts[-1] if semantics == "single" else 0
    if semantics == "multiset":
        counts = [min(each, 2000) for each in counts]
    return people, {**dict(zip("ab", counts, strict=True)), "rest": left}


@examples(150)
@given(st.data(), st.sampled_from(["single", "set", "multiset"]))
def test_floats_are_on_the_right_side_of_a_limit_that_is_further_off_than_the_margin(data, semantics):
    """Limits as hard as can be: the exact value itself, and numbers next to it."""
    drawn = data.draw(st.lists(bags(semantics), min_size=1, max_size=3))
    sizes, counts = [people for people, _ in drawn], [bag for _, bag in drawn]
    if semantics == "multiset":
        counts = [{**bag, "rest": min(bag["rest"], 2000)} for bag in counts]
    release = sl.Release.from_counts(counts, sizes=sizes, values=semantics)
    others = data.draw(st.one_of(st.integers(0, 5), st.integers(0, max(sizes) - 1)))
    measure = sl.Acquaintance(data.draw(st.integers(0, 3)), others, data.draw(st.integers(1, 12)))
    screen, value = measure.screen(), measure.measure(release).value
    rows = join_all(screen, screen.rows(release.groups))
    for away in (0, 1e-16, -1e-15, 1e-12, -1e-9):
        bound = float(value) + away
        check = CriterionCheck.from_criterion(measure < Fraction(bound), sum(sizes)) if 0 < bound <= 1 else None
        if check is not None and math.isfinite(check.bound):
            estimate = screen.value(rows)
            holds = value < Fraction(bound)
            assert check.is_close(estimate)[0] or check.clearly_holds(estimate)[0] == holds


def test_close_to_certainty_the_margin_is_small():
    screen = sl.Acquaintance(3, 1000, 10).screen()
    assert screen.margin(0.9999, 10**8) < 1e-13
    assert screen.margin(0.5, 10**8) < screen.slack(10**8)
    assert screen.margin(1.0, 10**8) == screen.margin(0.0, 10**8) > 0


@given(
    st.data(), st.sampled_from(["single", "set", "multiset"]), st.integers(0, 2), st.integers(0, 3), st.integers(1, 4)
)
def test_groups_that_are_harmless_make_no_release_worse(data, semantics, rules_out, others, family):
    both = data.draw(releases(min_groups=2, max_groups=6, max_people=8, semantics=semantics)).groups
    split = data.draw(st.integers(1, len(both) - 1))
    measure = sl.Acquaintance(rules_out, others, family)
    check, screen = CriterionCheck.from_criterion(measure < 1, 100), measure.screen()
    rows = screen.rows(both)
    harmless = screen.harmless(join_all(screen, rows[:split]), rows[split:])
    before = check.finding(both.take(slice(0, split))).value
    joining = np.append(np.arange(split), split + np.flatnonzero(harmless))
    assert check.finding(both.take(joining)).value == before
    for left_out in range(split if harmless.any() else 0):
        assert check.finding(both.take(np.delete(joining, left_out))).value <= before


def test_slack_grows_only_with_the_family():
    assert sl.Acquaintance(family=5).screen().slack(10**9) == pytest.approx(1e-9, rel=1e-3)
    assert sl.Acquaintance(family=10**8).screen().slack(10**9) == tolerance(0.0, 10**8)
    assert sl.Acquaintance(family=10**8).screen().slack(100) == tolerance(0.0, 100)


def test_very_different_sizes_take_no_memory():
    """Once a table of all sizes up to the largest was made."""
    release = sl.Release.from_counts([{"a": 10**9, "b": 10**9}, {"a": 1, "b": 2}])
    assert sl.Acquaintance(family=1).measure(release).value == 1
    finding = sl.Acquaintance(family=1, value="a").measure(release)
    assert finding.value == 1 / (1 + Fraction(10**9 - 1, 2 * 10**9 - 1))
    assert finding.replay(release) == finding.value


def test_who_knows_all_the_others_of_a_group_knows_the_target():
    measure = sl.Acquaintance(others=2)
    three, four = (sl.Release.from_counts([dict.fromkeys(values, 1)]) for values in ("abc", "abcd"))
    assert (measure.measure(three).value, measure.measure(four).value) == (1, Fraction(1, 2))
    assert measure.least_people("single") == 4
    # one person may be enough where the target's value is not asked about, or the others only lack it
    assert [sl.Acquaintance(others=2, value="a").least_people("single"), measure.least_people("set")] == [1, 1]
    assert sl.Acquaintance(others=2, apart_from=("a",)).least_people("single") == 1


def test_merging_groups_helps_only_where_people_have_one_value():
    claims = [sl.Acquaintance(1).monotonicity(semantics) for semantics in ("single", "set", "multiset")]
    assert claims == [Monotonicity.NON_INCREASING, Monotonicity.UNKNOWN, Monotonicity.UNKNOWN]


def test_a_limit_for_all_values_is_one_for_those_who_know_nothing():
    limit = Fraction(2, 3)
    assert sl.Acquaintance(1, 2, 3).belief_at(limit) == limit
    assert sl.Acquaintance(1, value="Flu").belief_at(limit) is None
    assert sl.Acquaintance(1, apart_from=("Flu",)).belief_at(limit) is None


def test_a_family_makes_groups_depend_on_each_other():
    assert sl.Acquaintance(2, 2, 0).screen().group_by_group is True
    assert sl.Acquaintance(0, 0, 1).screen().group_by_group is False


@pytest.mark.parametrize("people", [4, 400])
def test_a_witness_shows_nothing_where_nobody_has_the_value(people):
    """Worlds one by one, and by closed forms."""
    measure = sl.Acquaintance(value="a")
    witness = measure.measure(sl.Release.from_counts([{"a": 1, "b": people}])).witness
    assert measure.replay(witness, sl.Release.from_counts([{"a": 0, "b": people}])) == 0


def test_examples_know_things_of_each_kind_and_of_all_about_targets_of_each_kind():
    examples_of = sl.Acquaintance.examples(("a", "b", "c"))
    amounts = [(1, 0, 0), (0, 2, 0), (0, 1, 2), (1, 1, 1)]
    targets = [{}, {"value": "a"}, {"apart_from": ("a",)}, {"value": ("a", "b")}] * 2
    assert examples_of == tuple(
        sl.Acquaintance(*knows, **target) for knows, target in zip(amounts + amounts[::-1], targets, strict=True)
    )


@pytest.mark.parametrize("family", [0, 1, 2])
@pytest.mark.parametrize("about", [{}, {"apart_from": ("often",)}, {"apart_from": ("a", "b")}, {"value": ("a", "b")}])
@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_groups_alone_are_as_bad_as_measured_alone(about, semantics, family):
    """In the first group a value that may be left out is the most frequent one; the last has none of the others."""
    bags = [{"often": 8, "a": 3, "b": 1, "c": 1}, {"often": 2, "a": 2, "b": 5, "c": 3}, {"often": 6}]
    release = sl.Release.from_counts(bags, sizes=[13, 12, 6], values=semantics)
    measure = sl.Acquaintance(1, 1, family, **about)
    each = [release.groups.take(slice(row, row + 1)) for row in range(3)]
    exact = [float(measure.summarize(group).finding().value) for group in each]
    screen = measure.screen()
    assert screen.group_values(release.groups).tolist() == pytest.approx(exact, abs=1e-9)
    assert screen.value(screen.rows(release.groups)).tolist() == pytest.approx(exact, abs=1e-9)


def test_groups_of_people_who_are_all_different_are_as_bad_as_one_of_them():
    bags = [dict.fromkeys("ab", 1), dict.fromkeys("bcd", 1), dict.fromkeys("abcde", 1)]
    assert sl.Acquaintance(others=1).screen().group_values(
        sl.Release.from_counts(bags).groups
    ).tolist() == pytest.approx([1, 1 / 2, 1 / 4])


def test_where_no_value_is_in_question_there_is_no_risk():
    screen = sl.Acquaintance(1, 1, 1).screen()
    assert screen.value(np.empty((2, 0))).tolist() == [0, 0]
    assert screen.harmless(np.empty((1, 0)), np.empty((2, 0))).tolist() == [True, True]
    groups = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 2}]).groups
    assert sl.Acquaintance(1, 1, 1, apart_from=("a", "b")).screen().group_values(groups).tolist() == [0, 0]


def test_parts_with_a_category_merge_to_what_the_whole_release_says():
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 5}, {"a": 2, "b": 3, "c": 3}])
    measure = sl.Acquaintance(1, value={"ill": ["a", "b", "yak"]})
    first, second = (measure.summarize(release.groups.take(slice(row, row + 1))) for row in (0, 1))
    merged = first.merge(second).finding()
    assert merged == measure.measure(release)
    assert (merged.witness.any_of, merged.value) == (("a", "b"), 1)
    (note,) = merged.notes
    assert mentions(note, "not", "'ill'", "yak")


@pytest.mark.parametrize(
    ("measure", "release", "joining", "harmless"),
    [
        (sl.Acquaintance(value="a"), {"a": 1, "b": 1}, {"a": 0, "b": 2}, True),  # nobody has it
        (sl.Acquaintance(value="a"), {"a": 1, "b": 1}, {"a": 2, "b": 2}, False),  # equal, as far as floats can tell
        (sl.Acquaintance(family=1, value="a"), {"a": 2, "b": 2}, {"a": 1, "b": 9}, True),  # everything is above
        (sl.Acquaintance(family=1, value="a"), {"a": 2, "b": 2}, {"a": 3, "b": 1}, False),
        (sl.Acquaintance(family=1, value="a"), {"a": 2, "b": 0}, {"a": 3, "b": 1}, True),  # it cannot get worse
        (sl.Acquaintance(apart_from="c"), {"a": 6, "b": 2, "c": 2}, {"a": 0, "b": 3, "c": 7}, True),  # a stays worse
        (sl.Acquaintance(apart_from="c"), {"a": 6, "b": 2, "c": 2}, {"a": 0, "b": 3, "c": 2}, False),  # as bad as a
        (sl.Acquaintance(apart_from="c"), {"a": 6, "b": 2, "c": 2}, {"a": 0, "b": 7, "c": 3}, False),
    ],
)
def test_what_is_harmless_is_above_what_there_is_or_beyond_the_worst(measure, release, joining, harmless):
    screen = measure.screen()
    rows = screen.rows(sl.Release.from_counts([release, joining]).groups)
    assert screen.harmless(rows[:1], rows[1:]).tolist() == [harmless]


def test_logarithms_that_may_be_of_equal_odds_are_not_above():
    screen, off = sl.Acquaintance(value="a").screen(), float(tolerance(0.0, 0))
    for apart, harmless in ((off, False), (math.nextafter(off, 1), True)):
        assert screen.harmless(np.zeros((1, 5)), np.full((1, 5), apart)).tolist() == [harmless]


def test_large_logarithms_may_be_of_equal_odds_though_further_apart():
    screen = sl.Acquaintance(value="a").screen()
    for logs, joining, harmless in ((-20.0, 1.5e-8, False), (-20.0, 2.5e-8, True), (0.5, 1.5e-9, True)):
        assert screen.harmless(np.full((1, 5), logs), np.full((1, 5), logs + joining)).tolist() == [harmless]


@pytest.mark.parametrize(("worst", "off"), [(0.0, 1e-9), (-20.0, float(tolerance(-20.0, 0)))])
def test_a_value_is_beyond_the_worst_only_where_floats_can_tell(worst, off):
    """Of a all is as bad as it gets; b was safe and would come as near to a as this, with what joins."""
    screen, limit = sl.Acquaintance().screen(), worst + off
    release = np.array([[worst, 100.0, 0.0, 100.0, 0.0], [100.0, 100.0, 0.0, 100.0, 0.0]]).T.reshape(1, -1)
    for near, harmless in ((limit, False), (math.nextafter(limit, 1), True)):
        row = np.array([[200.0, 200.0, 1.0, 200.0, 1.0], [near, 200.0, 0.0, 200.0, 0.0]]).T.reshape(1, -1)
        assert screen.harmless(release, row).tolist() == [harmless]


def test_groups_that_join_are_harmless_one_by_one():
    groups = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 9}, {"a": 3, "b": 1}, {"b": 4}]).groups
    screen = sl.Acquaintance(family=1, value="a").screen()
    rows = screen.rows(groups)
    assert screen.harmless(rows[:1], rows[1:]).tolist() == [True, False, True]


def test_kinds_are_what_decides_and_not_which_value_it_is():
    groups = sl.Release.from_counts([{"a": 1, "b": 2, "c": 5, "d": 4}, {"a": 2, "b": 1, "c": 4, "d": 5}]).groups
    kinds = {
        sl.Acquaintance(2, value="a"): [[12, 1, 5, 4], [12, 2, 5, 4]],
        sl.Acquaintance(1, apart_from=("c", "d")): [[12, 1, 2, 5], [12, 1, 2, 5]],
        sl.Acquaintance(1): [[12, 1, 2, 4, 5], [12, 1, 2, 4, 5]],
        sl.Acquaintance(0, value="c"): [[12, 5], [12, 4]],
    }
    for measure, expected in kinds.items():
        assert measure.screen().kinds(groups).tolist() == expected


@pytest.mark.parametrize(("rules_out", "lengths"), [(0, [8]), (4, [3, 3, 2]), (10, [1] * 8), (10**6, [1] * 8)])
def test_sparse_counts_are_cut_by_what_is_kept_of_them(monkeypatch, rules_out, lengths):
    monkeypatch.setattr(five_minima, "CELLS_AT_ONCE", 10)
    bags = [{f"v{10 * group + number}": 1 + number % 3 for number in range(10)} for group in range(8)]
    release, measure = sl.Release.from_counts(bags), sl.Acquaintance(rules_out, others=1)
    assert release.groups.counts.cells is None
    blocks = list(five_minima.cut_groups(release.groups, measure.rules_out))
    assert [len(block) for block in blocks] == lengths
    assert np.concatenate([block.numbers for block in blocks]).tolist() == list(range(1, 9))
    assert measure.measure(release).value == measure.measure(sl.Release.from_counts(bags[:1])).value


def test_the_margin_is_twice_what_logarithms_may_be_off_times_the_slope():
    screen = sl.Acquaintance(family=10**6).screen()
    for bound, slope in ((0.5, 0.25), (0.25, 0.1875), (1.0, 0.0), (1.5, 0.0)):
        for people, off in ((10**9, 1e-10 + 8e-9), (1000, 1e-10 + 8e-12)):
            assert screen.margin(bound, people) == pytest.approx(2 * off * slope + 1e-15, rel=1e-12)
