"""The worst case: floats next to whole numbers, ties, and many releases at once; ε of a witness once more: small groups by their worlds, larger ones by the definition.

Predicates that people choose themselves: what is asked, what is refused, how it reads.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.epsilon_privacy import worst_case
from sidelight.measures.epsilon_privacy.prior import Prior, predicates_asked, priors_for
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
from sidelight.measures.epsilon_privacy.worst_case import (
    Case,
    Cases,
    Ratio,
    closed_conditions,
    epsilon_of_beliefs,
    epsilons_of_parts,
    smallest_epsilon,
    worst_of_parts,
    worst_weights,
)
from sidelight.measures.measure import Monotonicity
from sidelight.measures.targets import Predicate
from sidelight.policy.limits import read_limit
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text
from sidelight.testing import releases

BELIEFS = (
    sl.PriorBelief(shape="uniform", stubbornness=Fraction(99, 2)),
    sl.PriorBelief(stubbornness=7),
    sl.PriorBelief(shape="uniform", stubbornness=math.inf),
    sl.PriorBelief(stubbornness=math.inf),
)
rules = st.sampled_from(["definition", "closed conditions"])


@given(releases(semantics="single", max_people=9, max_values=4), st.sampled_from(BELIEFS), st.integers(0, 4), rules)
def test_floats_are_the_exact_numbers_but_for_their_last_digits(release, belief, known, rule):
    priors = belief.priors(release.groups)
    cases = Cases.from_groups(release.groups, (), release.domain, known=known)
    for (_, _, column, people, matching, _), near in zip(cases, cases.epsilons(priors, rule), strict=True):
        exact = max(smallest_epsilon(Case(people, matching, known), prior, column, rule)[0] for prior in priors)
        assert near == exact if exact == math.inf else math.isclose(near, exact, rel_tol=1e-12)


@given(releases(semantics="single", max_people=9, max_values=4), st.sampled_from(BELIEFS), st.integers(0, 4))
def test_whole_numbers_give_what_the_definition_and_the_printed_conditions_give(release, belief, known):
    cases = Cases.from_groups(release.groups, (), release.domain, known=known)
    for (_, _, column, people, matching, _), prior in product(cases, belief.priors(release.groups)):
        case = Case(people, matching, known)
        defined = epsilon_of_beliefs(case.p_in, case.p_out(prior, column))
        assert smallest_epsilon(case, prior, column, "definition")[0] == defined
        printed = closed_conditions(case, prior, column)
        assert smallest_epsilon(case, prior, column, "closed conditions")[0] == printed


def test_of_equal_cases_the_first_group_and_value_speak():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 2, "b": 2}, {"a": 2, "b": 2}])
    belief = sl.PriorBelief(stubbornness=1000)
    cases = Cases.from_groups(release.groups.take(slice(1, 3)), (), release.domain, known=0)
    worst = worst_of_parts(cases, belief.priors(release.groups), "definition")[0]
    assert (worst.row, worst.column, worst.ratio) == (0, 0, Ratio.BELIEF)


def test_parts_have_their_own_worst_and_those_without_cases_none():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 4, "b": 4}, {"b": 5}], domain=["a", "b"])
    belief = sl.PriorBelief(shape="uniform", stubbornness=50, predicates=[["a"]])
    worst = worst_of_parts(
        belief.cases(release.groups, part=np.array([0, 1, 2])), belief.priors(release.groups), "definition"
    )
    assert sorted(worst) == [0, 1]
    assert worst[0].value == pytest.approx(belief.measure(sl.Release(release.groups.take(slice(0, 1)))).value)


def small_cases():
    """All groups of up to five people, whoever is known, with a person who matches or (where one does not) another."""
    for people, known, mismatch in product(range(1, 6), range(7), range(2)):
        for matching in range(1, people + 1 - mismatch):
            yield Case(people, matching, known, mismatch)


PRIORS = [
    Prior(("a", "b"), (Fraction(1), Fraction(5, 2)), Fraction(7), 1),
    Prior(("a", "b"), (Fraction(1, 4), Fraction(1)), Fraction(1), 0),
    Prior(("a", "b"), (Fraction(0), Fraction(0)), Fraction(1), 0),
]


@pytest.mark.parametrize(("prior", "column"), [*product(PRIORS, range(2))])
def test_each_case_is_the_definition_whether_the_person_matches_or_not(prior, column):
    for case in small_cases():
        known = min(case.known, case.people - case.matching - case.mismatch)  # not one of them is asked about
        p_in = Fraction(case.matching, case.people - known)
        others, those_who_match = case.people - 1, case.matching - 1 + case.mismatch  # the person is left out
        weight, total, evidence = prior.weights[column], prior.total, prior.evidence
        p_out = (those_who_match * evidence + weight) / (others * evidence + total)
        assert (case.p_in, case.p_out(prior, column)) == (p_in, p_out)
        epsilon, ratio = smallest_epsilon(case, prior, column, "definition")
        assert epsilon == epsilon_of_beliefs(p_in, p_out)
        if p_out == 0 or (p_in == p_out == 1):
            assert ratio is Ratio.BELIEF
        elif p_in == 1:
            assert ratio is Ratio.DOUBT
        else:
            assert ratio is (Ratio.BELIEF if p_in / p_out >= (1 - p_out) / (1 - p_in) else Ratio.DOUBT)
        arrays = (np.array([each]) for each in (0, 0, column, case.people, case.matching))
        (near,) = Cases(*arrays, case.known, np.array([case.mismatch])).epsilons([prior], "definition")
        assert near == pytest.approx(float(epsilon), rel=1e-12)


def test_the_closed_conditions_are_infinite_where_more_are_known_than_do_not_match():
    prior = Prior(("a",), (Fraction(1),), Fraction(9), 1)
    closed = [smallest_epsilon(Case(5, 3, known), prior, 0, "closed conditions") for known in range(5)]
    assert [value < math.inf for value, _ in closed] == [True, True, False, False, False]
    assert {ratio for value, ratio in closed[2:]} == {Ratio.DOUBT}
    assert [closed_conditions(Case(5, 3, known), prior, 0) for known in range(5)] == [value for value, _ in closed]


@pytest.mark.parametrize("rule", ["definition", "closed conditions"])
@pytest.mark.parametrize("belief", BELIEFS)
@pytest.mark.parametrize("known", [0, 2])
def test_parts_are_as_bad_as_their_worst_case(rule, belief, known):
    bags = [{"a": 1, "b": 3}, {"a": 4, "b": 4}, {"b": 5}, {"a": 2, "b": 2}, {"a": 3, "b": 1}]
    groups = sl.Release.from_counts(bags).groups
    cases = Cases.from_groups(groups, (), groups.domain, known=known, part=np.array([0, 0, 2, 3, 3]))
    priors = belief.priors(groups)
    by_part = {}
    for part, _, column, people, matching, _ in cases:
        for prior in priors:
            value = smallest_epsilon(Case(people, matching, known), prior, column, rule)[0]
            by_part[part] = max(by_part.get(part, 0), value)
    assert epsilons_of_parts(cases, priors, rule) == by_part
    assert {part: worst.value for part, worst in worst_of_parts(cases, priors, rule).items()} == by_part


def test_of_many_who_are_certain_the_first_of_each_part_speaks():
    groups = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 5}, {"b": 3}, {"b": 1}, {"a": 1, "b": 9}]).groups
    cases = Cases.from_groups(groups, (), groups.domain, known=0, part=np.array([0, 0, 0, 1, 2]))
    worst = worst_of_parts(cases, sl.PriorBelief(stubbornness=9).priors(groups), "definition")
    assert {part: (each.row, each.column, each.ratio) for part, each in worst.items()} == {
        0: (1, 0, Ratio.DOUBT),
        1: (3, 1, Ratio.DOUBT),
        2: (4, 1, Ratio.DOUBT),
    }


@pytest.mark.parametrize("case", [Case(3, 3, 0), Case(5, 3, 2)])
def test_who_was_certain_before_learns_nothing_by_the_closed_conditions_either(case):
    certain = Prior(("a", "b"), (Fraction(1, 4), Fraction(1)), Fraction(1), 0)
    assert smallest_epsilon(case, certain, 1, "closed conditions") == (1, Ratio.BELIEF)
    assert closed_conditions(case, certain, 1) == 1
    assert smallest_epsilon(case, certain, 0, "closed conditions") == (math.inf, Ratio.DOUBT)
    arrays = [np.array([each] * 2) for each in (0, 0, 0, case.people, case.matching)]
    arrays[2] = np.array([1, 0])
    assert Cases(*arrays, case.known).epsilons([certain], "closed conditions").tolist() == [1, math.inf]


def test_another_group_may_be_worst_by_the_closed_conditions():
    """With σ = 5: 11/7 of 7 people by the definition; of 5 of N = 8, Σ = 5, (8/3 · 5 + 8) / (5 − 1 + 8) = 16/9."""
    groups = sl.Release.from_counts([{"a": 4, "b": 3}, {"a": 5, "b": 3}]).groups
    cases = Cases.from_groups(groups, (), groups.domain, known=0)
    priors = sl.PriorBelief(stubbornness=5).priors(groups)
    found = {rule: worst_of_parts(cases, priors, rule)[0] for rule in ("definition", "closed conditions")}
    assert [(each.row, each.value) for each in found.values()] == [(0, Fraction(11, 7)), (1, Fraction(16, 9))]
    assert epsilons_of_parts(cases, priors, "closed conditions") == {0: Fraction(16, 9)}


@given(releases(semantics="single", max_people=9, max_values=4), st.data())
def test_predicates_count_and_weigh_the_values_inside_them(release, data):
    """By the places of all values inside, one by one; the prior knows a value more than the release."""
    domain = (*release.domain, "elsewhere")
    some = st.lists(st.sampled_from(domain), min_size=1, max_size=len(domain), unique=True)
    predicates = data.draw(st.lists(st.builds(lambda v, o: Predicate(tuple(v), all_others=o), some, st.booleans())))
    prior = Prior(domain, tuple(Fraction(2 + place, 3) for place in range(len(domain))), Fraction(40), evidence=1)
    inside = [each.indices(domain) for each in predicates]
    assert prior.join_predicates(tuple(predicates)).weights == tuple(
        sum((prior.weights[place] for place in places), Fraction(0)) for places in inside
    )
    counts = [[*row, 0] for row in release.groups.counts.dense().tolist()]
    expected = [[sum(row[place] for place in places) for places in inside] for row in counts]
    cases = Cases.from_groups(release.groups, tuple(predicates), domain, known=0)
    if predicates:
        assert [*zip(cases.rows.tolist(), cases.columns.tolist(), cases.matching.tolist(), strict=True)] == [
            (row, column, count) for row, one in enumerate(expected) for column, count in enumerate(one) if count
        ]


@pytest.mark.parametrize("prior", [{"stubbornness": 100}, {"shape": "uniform", "stubbornness": math.inf}])
def test_all_subsets_go_through_the_domain_no_more_often_than_there_are_groups(monkeypatch, prior):
    """Sets of all values but one are told by the one: nothing lists the values inside of each."""
    release = sl.Release.from_counts([{f"v{n}": n + 1 for n in range(40)}] * 2)
    expected = sl.PriorBelief(**prior, predicates="all subsets").measure(release).value
    monkeypatch.delattr(Predicate, "indices")
    predicates_asked.cache_clear()
    priors_for.cache_clear()
    assert sl.PriorBelief(**prior, predicates="all subsets").measure(release).value == expected


SMALL = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 2, "c": 1}])
LARGE = sl.Release.from_counts([{"a": 20, "b": 10}, {"a": 10, "b": 20, "c": 10}])
BELIEFS = [
    PriorBelief(counts={"a": 2, "b": 3, "c": 1}),
    PriorBelief(counts={"a": 2, "b": 3, "c": 1, "z": 4}),
    PriorBelief(shape="release", stubbornness=50),
    PriorBelief(shape="uniform", stubbornness=math.inf, known_people=1),
    PriorBelief(shape={"a": 5, "b": 1, "c": 2, "z": 1}, stubbornness=math.inf, predicates=[["not", "a"], ["b"]]),
    PriorBelief(stubbornness=7),
    PriorBelief(stubbornness=7, predicates={"early": ["a", "b"]}),
    PriorBelief(stubbornness=7, predicates=[["a", "b", "c"]]),
    PriorBelief(stubbornness=7, known_people=1, apart_from=["c"]),
    PriorBelief(stubbornness=7, predicates="all subsets"),
    PriorBelief(stubbornness=math.inf),
    PriorBelief(stubbornness=7, rules_out=1),
    PriorBelief(shape="uniform", stubbornness=7, known_people=1, rules_out=1),
    PriorBelief(stubbornness=7, decided_by="closed conditions"),
]


@pytest.mark.parametrize("belief", BELIEFS, ids=str)
@pytest.mark.parametrize("release", [SMALL, LARGE], ids=["small", "large"])
def test_a_witness_is_as_bad_as_was_found(belief, release):
    finding = belief.measure(release)
    assert finding.replay(release) == finding.value


@pytest.mark.parametrize("times", [1, 10])
@pytest.mark.parametrize("known", [0, 2])
def test_a_belief_in_what_is_not_so_is_replayed(times, known):
    """Somebody with a Cold, among three (or thirty) with an Ulcer, wishes that nobody takes them for such."""
    diseases = ["Cold", *["Ulcer"] * 3 * times]
    rows = {"zip": ["1"] * len(diseases), "disease": diseases, "wish": ["Ulcer", *[None] * 3 * times]}
    release = sl.read_release(pa.table(rows), group="zip", sensitive=["disease", "wish"], missing="a value")
    finding = PriorBelief(stubbornness=20, wishes="wish", known_people=known).measure(release)
    ulcers = 3 * times
    p_in, p_out = Fraction(ulcers, ulcers + 1), Fraction(ulcers + 1, ulcers + 20)
    assert (finding.witness.matches, finding.witness.p_in, finding.witness.p_out) == (False, p_in, p_out)
    assert finding.replay(release) == finding.value == max(p_in / p_out, (1 - p_out) / (1 - p_in))


@pytest.mark.parametrize(
    ("belief", "values", "weights"),
    [
        (PriorBelief(stubbornness=7), {"a"}, {"a": 1, "b": 5, "c": 1}),
        (PriorBelief(stubbornness=7), {"b", "c"}, {"a": 5, "b": 1, "c": 1}),
        (PriorBelief(stubbornness=7), {"a", "b", "c"}, {"a": 1, "b": 1, "c": 1, "\0": 4}),
        (PriorBelief(stubbornness=3), {"a"}, {"a": 1, "b": 1, "c": 1}),
        (PriorBelief(stubbornness=3), {"a", "b", "c"}, {"a": 1, "b": 1, "c": 1}),
        (PriorBelief(counts={"a": 2, "b": 3, "c": 1, "z": 4}), {"a"}, {"a": 2, "b": 3, "c": 1, "z": 4}),
        (PriorBelief(stubbornness=7, predicates=[["a", "b"]]), {"a", "b"}, {"a": 1, "b": 1, "c": 5}),
    ],
)
def test_what_is_left_of_any_shape_is_with_a_value_that_is_not_in_question(belief, values, weights):
    assert worst_weights(belief, SMALL, belief.measure(SMALL).witness, values) == weights


@pytest.mark.parametrize(
    ("release", "belief", "path"),
    [
        (SMALL, PriorBelief(stubbornness=7), "smallest_epsilon_of_group"),
        (SMALL, PriorBelief(shape="uniform", stubbornness=math.inf, known_people=1), "smallest_epsilon_of_group"),
        (LARGE, PriorBelief(stubbornness=7), "epsilon_of_beliefs"),
        (SMALL, PriorBelief(stubbornness=7, decided_by="closed conditions"), "closed_conditions"),
        (SMALL, PriorBelief(stubbornness=math.inf), "epsilon_of_beliefs"),
    ],
)
def test_only_small_groups_are_replayed_by_their_worlds(release, belief, path, monkeypatch):
    finding = belief.measure(release)
    for other in {"smallest_epsilon_of_group", "epsilon_of_beliefs", "closed_conditions"} - {path}:
        monkeypatch.setattr(worst_case, other, None)
    assert finding.replay(release) == finding.value
    monkeypatch.setattr(worst_case, path, lambda *_, **__: Fraction(99))
    assert finding.replay(release) == 99


STOMACH = {"stomach": ["Ulcer", "Dyspepsia"]}


def ward(people, **roles):
    zips, diseases, wishes = zip(*people, strict=True)
    rows = pa.table({"zip": zips, "disease": diseases, "wish": wishes})
    roles = {"sensitive": ["disease", "wish"], "missing": "a value"} | roles
    return sl.read_release(rows, group="zip", **roles)


PEOPLE = [
    ("1", "Ulcer", "stomach"),
    ("1", "Dyspepsia", None),
    ("1", "Flu", "Flu"),
    ("1", "Flu", None),
    ("2", "Flu", None),
    ("2", "Flu", None),
    ("2", "Flu", None),
    ("3", "Cold", "stomach"),
    ("3", "Ulcer", None),
    ("3", "Ulcer", None),
    ("3", "Ulcer", None),
]
WARD = ward(PEOPLE)
THE_COLD = ward([*PEOPLE[-4:], ("4", "Dyspepsia", None), ("4", "Flu", None)])


def test_only_what_somebody_wishes_counts():
    """The people of group 2 are all known to have the Flu, and nobody of them minds."""
    measure = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH)
    finding = measure.measure(WARD)
    assert finding.value < math.inf
    assert sl.PriorBelief(stubbornness=20).measure(WARD.about("disease")).value == math.inf
    assert finding.witness.group.number == 1
    assert finding.replay(WARD) == finding.value


def test_a_belief_in_what_is_not_so_counts_too():
    """Who wishes it has a Cold, and would be taken for one of the three with an Ulcer."""
    finding = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH).measure(THE_COLD)
    assert not finding.witness.matches
    assert finding.witness.p_in == Fraction(3, 4)
    assert finding.witness.p_out == Fraction(3 + 2, 3 + 20)  # three of the three others, and a weight of 2 of 20
    assert mentions(finding.explain(), "group 1 (zip 3)", "wants", "'stomach'", "nobody", "wants")


def test_those_who_are_known_are_never_the_person_asked_about():
    finding = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH, known_people=5).measure(THE_COLD)
    assert finding.witness.p_in == Fraction(3, 4)


def test_nobody_wishes_anything():
    finding = sl.PriorBelief(stubbornness=20, wishes="wish").measure(ward(PEOPLE[4:7] + [("2", "Cold", None)]))
    assert (finding.value, finding.witness) == (1, None)


def test_it_is_one_limit_about_both_columns():
    policy = sl.Policy(sl.GroupSize() >= 3, sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH) <= 9)
    verdict = policy.judge(WARD)
    assert len(verdict.judgements) == 2
    assert verdict.judgements[1].holds
    assert read_policy_text(policy_text(policy)).policy.criteria == policy.criteria
    text = "prior belief(stubbornness=20, predicates={stomach=[Dyspepsia, Ulcer]}, wishes=wish) <= 9"
    assert read_limit(text) == policy.criteria[1]
    assert str(policy.criteria[1].measure) == text.removesuffix(" <= 9")


def test_merging_groups_may_raise_it():
    """The person of group 3 has nothing to fear before 30 people with ulcers, who do not mind, come to the group."""
    measure = sl.PriorBelief(shape="uniform", stubbornness=30, wishes="wish", predicates=STOMACH)
    assert measure.when_groups_merge is Monotonicity.UNKNOWN
    apart = [("3", "Cold", "stomach"), ("3", "Dyspepsia", None), *[("3", "Cold", None)] * 9]
    apart += [("4", "Ulcer", None)] * 30
    together = [("3", disease, wish) for _, disease, wish in apart]
    assert measure.measure(ward(together)).value > measure.measure(ward(apart)).value


def test_a_search_keeps_what_people_wish():
    table = sl.read_table(
        pa.table(dict(zip(("zip", "disease", "wish"), zip(*PEOPLE, strict=True), strict=True))),
        quasi="zip",
        sensitive=["disease", "wish"],
        missing="a value",
    )
    hierarchies = {"zip": sl.Hierarchy.suppression("zip", ["1", "2", "3"])}
    measure = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH)
    found = sl.protect(table, sl.Policy(measure <= 6), by=hierarchies, ask="nobody")
    assert measure.measure(found.release).value <= 6


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"apart_from": ["Flu"]}, "leave apart_from="),
        ({"predicates": "all subsets"}, "'all subsets' out"),
        ({"decided_by": "closed conditions"}, "not about wishes"),
    ],
)
def test_what_makes_no_sense_is_refused(more, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.PriorBelief(stubbornness=20, wishes="wish", **more)


def test_a_wish_that_says_nothing_is_refused_with_the_nearest():
    with pytest.raises(BadMeasure, match="'stomach' in column 'wish' is neither"):
        sl.PriorBelief(stubbornness=20, wishes="wish").measure(WARD)
    with pytest.raises(BadMeasure, match="did you mean 'stomachs'"):
        sl.PriorBelief(stubbornness=20, wishes="wish", predicates={"stomachs": ["Ulcer"]}).measure(WARD)


def test_both_columns_are_needed():
    measure = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH)
    with pytest.raises(BadMeasure, match="wants two sensitive columns"):
        measure.measure(WARD.about("disease"))
    with pytest.raises(BadMeasure, match="wants two sensitive columns"):
        measure.about("disease").measure(WARD)


@pytest.mark.parametrize(
    ("wishes", "columns"),
    [("wish", ["wish"]), ("whish", ["disease", "wish"]), ("wish", ["disease", "wish", "more"])],
)
def test_which_columns_are_needed_is_said(wishes, columns):
    zips, diseases, wished = zip(*PEOPLE, strict=True)
    rows = pa.table({"zip": zips, "disease": diseases, "wish": wished, "more": diseases})
    release = sl.read_release(rows, group="zip", sensitive=columns, missing="a value")
    with pytest.raises(BadMeasure) as error:
        sl.PriorBelief(stubbornness=20, wishes=wishes, predicates=STOMACH).measure(release)
    there = [f"not {', '.join(columns)}"] if len(columns) > 1 else []
    assert mentions(error.value, f"wishes='{wishes}'", "two sensitive columns", *there, f"'{wishes}'", "no other")
    assert mentions(error.value, "not") == bool(there)


@pytest.mark.parametrize(
    ("predicates", "hint"),
    [((), "Cold, Dyspepsia, Flu, Ulcer"), ({"stomachs": ["Ulcer"]}, "'stomachs'")],
)
def test_a_wish_that_says_nothing_is_named(predicates, hint):
    with pytest.raises(BadMeasure) as error:
        sl.PriorBelief(stubbornness=20, wishes="wish", predicates=predicates).measure(WARD)
    assert mentions(error.value, "'stomach'", "'wish'", "neither", "predicates", hint)


def test_the_cases_are_the_wishes_of_somebody_in_the_group():
    """Group 1 wishes for both; nobody of group 2 for anything; the wish of group 3 is of one who is not of it."""
    belief = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH, known_people=2)
    names = [str(each) for each in belief.predicates_in_question(WARD.groups)]
    cases = belief.cases(WARD.groups)
    assert [(part, row, names[column], *rest) for part, row, column, *rest in cases] == [
        (0, 0, names[0], 4, 2, 0),
        (0, 0, names[1], 4, 2, 0),
        (0, 2, "stomach", 4, 3, 1),
    ]
    assert sorted(names) == ["Flu", "stomach"]
    assert cases.known == 2
    nobody = belief.cases(ward([*PEOPLE[4:7], ("2", "Ulcer", None), ("2", "Dyspepsia", None)]).groups)
    assert (list(nobody), nobody.known) == ([], 2)


@pytest.mark.parametrize("empty", [None, "(missing)"])
def test_who_asks_for_nothing_hides_nobody_elses_wish(empty):
    """One of four has the Ulcer and minds: p_in = 1/4, and p_out = 1 / (3 + 20)."""
    people = [("1", "Ulcer", "Ulcer"), *[("1", "Flu", empty)] * 3]
    release = ward(people, domain={"disease": ["Flu", "Ulcer"], "wish": [empty, "Ulcer"]})
    finding = sl.PriorBelief(stubbornness=20, wishes="wish").measure(release)
    assert (finding.value, finding.witness.value) == (Fraction(23, 4), "Ulcer")
    assert finding.replay(release) == finding.value
