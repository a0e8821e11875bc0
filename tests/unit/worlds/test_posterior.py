"""Posteriors: the papers' example, impossible knowledge, people's names, whole distributions, who stands for whom.

Beliefs from worlds that were drawn: around what counting says, and refused where no world fits.

Which k covers just this knowledge.
"""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, BadTable, Contradiction, TooHard, UnknownValue, WrongKind
from sidelight.knowledge.facts import DEEPEST, Has, Same, Someone, holds
from sidelight.knowledge.parse import read_facts
from sidelight.release.locate import Lookup
from sidelight.testing import facts, releases
from sidelight.text import MOST_ROWS
from sidelight.worlds import posterior as module
from sidelight.worlds.counting.compile import Effort, Meter, OverEffort, WeightedFact
from sidelight.worlds.estimate import Estimate
from sidelight.worlds.posterior import InformedAttacker, estimate_belief, posterior, posteriors, representatives

NAMED = sl.Release.from_groups(
    [
        (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
        (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"]),
    ]
)


PRINTED = sl.Release.from_counts(
    [{"Flu": 2, "Cold": 2}, {"Flu": 1, "Cold": 3}, {"Flu": 4}],
    labels=[{"age": "20-29", "zip": "816**"}, {"age": "30-39", "zip": "816**"}, {"age": "30-39", "zip": "9*"}],
)


def test_what_the_neighbour_concludes():
    assert posterior(NAMED, "Charlie = Flu") == Fraction(2, 5)
    assert posterior(NAMED, "Charlie = Flu", given="Hannah = Flu -> Charlie = Flu") == Fraction(10, 19)
    assert posterior(NAMED, "Charlie = Flu", given=["Charlie != Lung", "Charlie != Heart"]) == 1
    assert posterior(NAMED, Has("Charlie", "Flu"), given=Has("Bob", "Flu") & Has("Dave", "Heart")) == Fraction(1, 3)
    assert posterior(NAMED, "same(Bob, Hannah)") == Fraction(1, 5)  # Flu 4/25, Heart 1/25


def test_impossible_knowledge_names_a_smallest_contradiction():
    facts = ["Hannah = Flu", "Bob = Lung", "Dave = Lung", "Gloria = Flu", "Ed = Lung", "Irma != Flu"]
    with pytest.raises(Contradiction) as caught:
        posterior(NAMED, "Charlie = Flu", given=facts)
    assert caught.value.facts == ("Bob = Lung", "Dave = Lung", "Ed = Lung")
    with pytest.raises(Contradiction, match="'Bob = Breast' cannot hold") as caught:
        posterior(NAMED, "Charlie = Flu", given=[*facts, "Bob = Breast"])
    assert caught.value.facts == ("Bob = Breast",)


@given(st.permutations(["Bob = Flu", "Bob = Lung -> Ed = Lung", "Ed = Heart", "Frank = Heart", "Bob in {Lung, Heart}"]))
def test_the_smallest_is_found_in_any_order(facts):
    with pytest.raises(Contradiction) as caught:
        posterior(NAMED, "Charlie = Flu", given=facts)
    assert len(caught.value.facts) == 2


def three_cnf(clauses, variables):
    """The paper's construction: a bucket {T, F} per variable, a bucket {T, T, T, F, F} per clause."""
    groups = [([f"{x}", f"-{x}"], "TF") for x in range(1, variables + 1)]
    groups += [([f"C{c}.{place}" for place in range(5)], "TTTFF") for c in range(len(clauses))]
    facts = []
    for c, clause in enumerate(clauses):
        for place, literal in enumerate(clause):
            one, other = Has(f"{literal}", "T"), Has(f"C{c}.{place}", "T")
            facts += [one.implies(other), other.implies(one)]
        facts.append(Has(f"C{c}.3", "T").implies(Has(f"C{c}.4", "T")))
    return sl.Release.from_groups([(names, list(bag)) for names, bag in groups]), facts


def weight(signs, clause):
    """Worlds of a clause's bucket: three of five are T, and if the first dummy is T, so is the second."""
    true = sum(signs[abs(literal)] == (literal > 0) for literal in clause)
    return {3: 1, 2: 1, 1: 1, 0: 0}[true]


@pytest.mark.parametrize("seed", range(6))
def test_the_hardness_construction_is_answered_right_or_refused(seed):
    rng = np.random.default_rng(seed)
    variables, many = (3, 30) if seed == 0 else (6, 8 + 2 * seed)  # the first has no solution
    clauses = [
        tuple(int(x) * int(rng.choice([-1, 1])) for x in rng.choice(range(1, variables + 1), 3, replace=False))
        for _ in range(many)
    ]
    worlds = []
    for bits in range(1 << variables):
        signs = {x: bool(bits >> (x - 1) & 1) for x in range(1, variables + 1)}
        if all(weight(signs, clause) for clause in clauses):
            worlds.append(signs)
    release, facts = three_cnf(clauses, variables)
    if worlds:
        expected = Fraction(sum(signs[1] for signs in worlds), len(worlds))
        assert posterior(release, "1 = T", given=facts) == expected
    else:
        with pytest.raises(Contradiction):
            posterior(release, "1 = T", given=facts)


def test_people_are_found_by_description_when_it_fits_one_group():
    assert posterior(PRINTED, "{age = 24} = Flu") == Fraction(1, 2)
    assert posterior(PRINTED, "{age = 31, zip = 81612} = Flu", given="#2 = Flu") == 0
    assert posterior(PRINTED, "{age = 24} = Flu", given="{age = 25} = Flu") == Fraction(1, 3)


BUCKETS = sl.Release.from_buckets(
    [
        ([{"sex": "male", "age": 34}, {"sex": "female", "age": 34}], ["Flu", "Cold"]),
        ([{"sex": "male", "age": 40}, {"sex": "male", "age": None}, {"sex": "male", "age": 34.5}], ["Flu"] * 3),
    ]
)


def test_people_of_buckets_are_found_by_what_is_known_about_them():
    assert posterior(BUCKETS, "{sex = female} = Flu") == Fraction(1, 2)
    assert posterior(BUCKETS, Has({"sex": "male", "age": 34.0}, "Flu")) == Fraction(1, 2)
    assert posterior(BUCKETS, "{age = 34, sex = male} = Flu", given="{age = 34, sex = female} = Cold") == 1
    assert posterior(BUCKETS, Has({"age": None}, "Flu")) == 1
    with pytest.raises(BadKnowledge, match="fits 2 groups"):
        posterior(BUCKETS, "{sex = male} = Flu")
    with pytest.raises(BadKnowledge, match=r"no column 'ag'; did you mean 'age'\?"):
        posterior(BUCKETS, "{ag = 34} = Flu")


def test_ranges_that_may_overlap_may_be_the_same_person():
    hidden = sl.Release.from_counts([{"Flu": 2, "Cold": 2}], labels=[{"age": "*"}])
    with pytest.raises(BadKnowledge, match="may be the same person"):
        posterior(hidden, "{age = 20-29} = Flu", given="{age = 25-35} = Flu")
    assert posterior(hidden, "{age = 20-29} = Flu", given="{age = 34} = Flu") == Fraction(1, 3)


@pytest.mark.parametrize("person", ["#1", "#1.2"])
def test_the_text_of_someone_is_a_name_in_python(person):
    for release in (NAMED, PRINTED):
        with pytest.raises(BadKnowledge, match=r"someone in a group is sl\.Someone\(1(, 2)?\)"):
            posterior(release, Has(person, "Flu"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{age = 31} = Flu", "fits 2 groups"),
        ("{age = 50} = Flu", "fits no group"),
        ("{aeg = 31} = Flu", "no column 'aeg'; did you mean 'age'"),
        ("Bob = Flu", "names nobody"),
        ("#4 = Flu", "numbered 1 to 3"),
        ("#1.5 = Flu", "4 people; .* no #1.5"),
        ("same({age = 24}, {zip = 81667, age = 24})", "may be the same person"),
    ],
)
def test_people_who_cannot_be_identified_are_refused(text, message):
    with pytest.raises(BadKnowledge, match=message):
        posterior(PRINTED, text)


def test_unknown_people_and_values_are_refused_without_naming_anybody_else():
    with pytest.raises(BadKnowledge, match=r"nobody .*'Bbo'") as caught:
        posterior(NAMED, "Bbo = Flu")
    assert "Bob" not in str(caught.value)
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        posterior(NAMED, "Bob = Fluu")
    everyone = " and ".join(f"#1.{number} = Flu" for number in range(1, 6)) + " and Bob = Flu"
    with pytest.raises(BadKnowledge, match=r"5 people; .* 6"):
        posterior(NAMED, everyone)


def test_huge_groups_cost_no_more():
    release = sl.Release.from_counts([{"a": 10**6, "b": 3 * 10**6}])
    assert posterior(release, "#1 = a", given="#1.2 = a") == Fraction(10**6 - 1, 4 * 10**6 - 1)


def test_many_people_of_one_group():
    release = sl.Release.from_counts([{"a": 500, "b": 500, "c": 500}])
    nobody = [f"#1.{number} != a" for number in range(2, 400)]
    assert posterior(release, "#1 = a", given=nobody) == Fraction(500, 1500 - 398)
    star = [f"#1.{number} = a -> #1 = a" for number in range(2, 400)]
    probability = posterior(release, "#1 = a", given=star)
    assert probability > Fraction(999, 1000)


@given(st.data())
def test_each_belief_is_what_posterior_says(data):
    release = data.draw(releases(max_groups=2, max_people=3, max_values=3))
    people = [Someone(row + 1, number + 1) for row, size in enumerate(release.groups.sizes) for number in range(size)]
    known = data.draw(st.lists(facts(people, release.domain, max_leaves=3), max_size=2))
    person = data.draw(st.sampled_from(people))
    try:
        belief = posteriors(release, given=known, person=person)
    except Contradiction:
        return
    assert dict(belief) == {value: posterior(release, sl.Has(person, value), given=known) for value in release.domain}
    assert dict(belief.before) == {value: posterior(release, sl.Has(person, value)) for value in release.domain}
    if release.semantics == "single":
        assert sum(belief.values()) == 1
    everybody = posteriors(release, given=known)
    for each in everybody.beliefs:
        chances = {value: posterior(release, sl.Has(each.person, value), given=known) for value in release.domain}
        assert dict(each) == chances
    moved = [each.moved for each in everybody.top(99)]
    assert moved == sorted(moved, reverse=True)


def test_others_of_a_group_move_too():
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 1, "b": 1}])
    first, second = posteriors(release, given="#1 = a").top()
    assert (str(first), first.value, first.moved) == ("#1", "a", Fraction(2, 3))
    assert (str(second), second["a"], second.unnamed) == ("anyone else in group 1", 0, True)
    beliefs = posteriors(release, given="#1 = a")
    assert beliefs.of(Someone(1)) == first
    assert beliefs.top(1) == (first,)
    with pytest.raises(BadKnowledge, match="do not mention #2"):
        beliefs.of(Someone(2))
    assert posteriors(release).top() == beliefs.top(0) == beliefs.top(-1) == ()


def test_values_are_looked_up_as_cells_say_them():
    belief = posteriors(sl.Release.from_counts([{"5": 1, None: 2}]), person=Someone(1))
    assert belief[5] == belief[5.0] == belief["5"] == Fraction(1, 3)
    assert belief[None] == belief[float("nan")] == Fraction(2, 3)
    assert belief.get(7) is None
    assert 7 not in belief


PEOPLE = ("Ann", "Bob", "Cleo", "Dan")


@given(st.lists(facts(PEOPLE, ("Flu", "Cold")), max_size=4), st.data())
def test_who_stands_for_another_can_change_places(known, data):
    has = {who: frozenset([data.draw(st.sampled_from(["Flu", "Cold", "Heart"]))]) for who in PEOPLE}
    for who, other in representatives(known, dict.fromkeys(PEOPLE, 0)).items():
        changed = {**has, who: has[other], other: has[who]}
        assert all(holds(fact, has) for fact in known) == all(holds(fact, changed) for fact in known)


@pytest.mark.parametrize(
    ("text", "alike"),
    [
        ("Ann != Flu and Bob != Flu and Cleo != Cold", {"Bob": "Ann"}),
        ("Ann = Flu -> Dan = Flu and (Bob = Flu -> Dan = Flu)", {}),
        (
            ["Ann = Flu -> Dan = Flu", "Bob = Flu -> Dan = Flu", "Cleo = Flu -> Dan = Flu"],
            {"Bob": "Ann", "Cleo": "Ann"},
        ),
        ("Ann = Flu or same(Cleo, Dan) or Bob = Flu", {"Bob": "Ann", "Dan": "Cleo"}),
        (["not same(Ann, Bob)", "not same(Bob, Cleo)"], {"Cleo": "Ann"}),
        (["Ann = Flu -> Bob = Flu"], {"Dan": "Cleo"}),
        ([], {"Bob": "Ann", "Cleo": "Ann", "Dan": "Ann"}),
    ],
)
def test_representatives(text, alike):
    representative = representatives(read_facts(text), dict.fromkeys(PEOPLE, 0))
    assert {who: other for who, other in representative.items() if who != other} == alike


@pytest.mark.parametrize(
    ("known", "alike"),
    [
        (["Ann = Flu", "Bob = Cold"], False),
        (["Ann in {Flu, Cold}", "Bob in {Cold, Flu}"], True),
        (["Ann in {Flu, Cold}", "Bob in {Flu, Heart}"], False),
        (["Ann != Flu", "Bob = Flu"], False),
        (["not same(Ann, Cleo)", "not same(Dan, Bob)", "same(Cleo, Dan)"], False),
        (["same(Ann, Cleo)", "same(Cleo, Bob)"], True),
        (["same(Ann, Cleo)", "not same(Cleo, Bob)"], False),
        (["Ann = Flu and Cleo = Flu", "Bob = Flu and Cleo = Flu"], True),
        (["Ann = Flu or Cleo = Cold", "Cleo = Cold or Bob = Flu"], True),
        (["(Ann = Flu or Cleo = Cold) and Dan = Flu", "Bob = Flu and Cleo = Cold"], False),
        (["not (Ann = Flu or Cleo = Cold)", "not (Bob = Flu and Cleo = Cold)"], False),
        (["Ann = Flu -> Cleo = Flu", "Bob = Flu -> Cleo = Flu"], True),
        (["Ann = Flu -> Cleo = Flu", "Cleo = Flu -> Bob = Flu"], False),
        (["Ann = Flu -> Bob = Flu", "Bob = Flu -> Ann = Flu"], True),
    ],
)
def test_who_changes_places_with_whom_leaves_every_fact_as_it_is(known, alike):
    representative = representatives(read_facts(known), dict.fromkeys(PEOPLE, 0))
    assert (representative["Bob"] == "Ann") is alike


def test_what_weighs_differently_is_another_fact():
    flu = [Has("Ann", "Flu"), Has("Bob", "Flu")]
    for weights, alike in (((2, 1, 2, 1), True), ((2, 1, 3, 1), False), ((2, 1, 2, 3), False), ((2, 1, 1, 2), False)):
        facts = [WeightedFact(flu[0], *weights[:2]), WeightedFact(flu[1], *weights[2:])]
        representative = representatives(facts, {"Ann": 0, "Bob": 0})
        assert (representative["Bob"] == "Ann") is alike


def test_people_of_other_groups_do_not_stand_in():
    assert representatives([Same("Ann", "Bob")], {"Ann": 0, "Bob": 1}) == {"Ann": "Ann", "Bob": "Bob"}


def test_of_too_many_nobody_stands_in(monkeypatch):
    facts = [Has("Ann", "Flu"), Has("Bob", "Flu")]  # one atom about one person, twice
    monkeypatch.setattr(module, "MOST_COMPARED", 1)
    assert representatives(facts, {"Ann": 0, "Bob": 0}) == {"Ann": "Ann", "Bob": "Bob"}
    monkeypatch.setattr(module, "MOST_COMPARED", 2)
    assert representatives(facts, {"Ann": 0, "Bob": 0}) == {"Ann": "Ann", "Bob": "Ann"}


def test_a_person_is_compared_with_those_who_are_linked_with_the_same_groups():
    """Many are linked with somebody of another group each, and the last two with the same one."""
    groups = {**{f"A{place}": 0 for place in range(8)}, **{f"B{place}": 1 + place for place in range(7)}}
    facts = [Same(f"A{place}", f"B{min(place, 6)}") for place in range(8)]
    alike = {who: other for who, other in representatives(facts, groups).items() if who != other}
    assert alike == {"A7": "A6"}


def test_beliefs_are_shown_shortly():
    beliefs = posteriors(NAMED, given="Hannah = Flu -> Charlie = Flu")
    assert repr(beliefs.of("Charlie")) == "<Belief about Charlie: Flu 2/5 → 10/19>"
    assert repr(beliefs) == "<Posteriors: 4 beliefs; moved most: Hannah: Flu 2/5 → 4/19>"
    assert repr(posteriors(NAMED)) == "<Posteriors: 0 beliefs>"


def test_a_notebook_shows_beliefs_escaped():
    release = sl.Release.from_groups([(["<Bob>", "Ed"], ["Flu", "R&D"])])
    beliefs = posteriors(release, given=Has("<Bob>", "R&D"))
    assert "&lt;Bob&gt;" in beliefs._repr_html_()
    drawn = beliefs.of("<Bob>")._repr_html_()
    assert "Belief about" in drawn
    assert "<Bob>" not in drawn
    assert '<td>R&amp;D</td><td style="text-align: right">1/2</td><td style="text-align: right">1</td>' in drawn


def test_a_notebook_shows_all_that_is_believed():
    right = '<td style="text-align: right">'
    beliefs = posteriors(sl.Release.from_counts([{"Flu": 2, "Cold": 1}]), given="#1 != Flu")
    assert beliefs._repr_html_() == (
        "<table><caption>Beliefs, the ones that moved most first</caption><thead><tr><th>person</th><th>value</th>"
        "<th>before</th><th>after</th></tr></thead><tbody>"
        f"<tr><td>#1</td><td>Cold</td>{right}1/3</td>{right}1</td></tr>"
        f"<tr><td>anyone else in group 1</td><td>Cold</td>{right}1/3</td>{right}0</td></tr></tbody></table>"
    )
    assert beliefs.of(Someone(1))._repr_html_() == (
        "<table><caption>Belief about #1</caption><thead><tr><th>value</th><th>before</th><th>after</th></tr></thead>"
        f"<tbody><tr><td>Cold</td>{right}1/3</td>{right}1</td></tr>"
        f"<tr><td>Flu</td>{right}2/3</td>{right}0</td></tr></tbody></table>"
    )


def test_a_notebook_says_how_many_more_there_are():
    release = sl.Release.from_counts([dict.fromkeys(map(str, range(MOST_ROWS + 3)), 1)] * MOST_ROWS)
    beliefs = posteriors(release, given=[f"#{group} != 1" for group in range(1, MOST_ROWS + 1)])
    assert beliefs._repr_html_().endswith(f"<p>… and {MOST_ROWS} more</p>")  # one who is mentioned, and one who is not
    assert beliefs.of(Someone(1))._repr_html_().endswith("<p>… and 3 more</p>")


@pytest.mark.parametrize(
    ("known", "unnamed"),
    [
        ("#1 = a", [Someone(1, 2)]),
        ("#1.2 = a", [Someone(1, 1)]),
        ("#1.1 = a -> #1.2 = a", [Someone(1, 3)]),
        ("#1.3 = a -> #1.1 = a", [Someone(1, 2)]),
        ("#1.3 = a and #1.1 = b and #1.2 = b and #1.4 = a", []),  # everybody
        ("#2 = a -> #1.4 = a", [Someone(2, 2), Someone(1, 1)]),
    ],
)
def test_one_whom_the_facts_do_not_mention_stands_for_the_others(known, unnamed):
    release = sl.Release.from_counts([{"a": 2, "b": 2}] * 2)
    beliefs = posteriors(release, given=known).beliefs
    assert [belief.person for belief in beliefs if belief.unnamed] == unnamed
    mentioned = dict.fromkeys(sl.read_fact(known).people())
    assert [belief.person for belief in beliefs if not belief.unnamed] == list(mentioned)


@pytest.mark.parametrize(
    "ask", [lambda thing: posterior(thing, "Bob = Flu"), posteriors, lambda thing: sl.covering_k(thing, "Bob = Flu")]
)
def test_a_table_or_a_dataframe_is_not_a_release(ask):
    table = sl.read_table(pa.table({"sex": ["f", "m"], "disease": ["Flu", "Cold"]}), quasi=["sex"], sensitive="disease")
    with pytest.raises(WrongKind, match=r"a Release, not a Table; .*sl\.group"):
        ask(table)
    with pytest.raises(WrongKind, match=r"read one with sl\.read_release"):
        ask({"sex": ["f", "m"]})


def test_facts_as_deep_as_they_may_be_are_counted():
    """Recursion over them would go deeper than Python allows."""
    fact = Has("Bob", "Flu")
    while fact.depth < DEEPEST - 1:
        fact = ((fact & ~Has("Ed", "Flu")) | Has("Dave", "Flu")).implies(Has("Charlie", "Flu"))
    assert posterior(NAMED, "Charlie = Flu", given=[fact, "Charlie = Flu"]) == 1
    assert posterior(NAMED, "Charlie = Flu", given=fact) > Fraction(2, 5)


TRIO = sl.Release.from_groups([(["Ann", "Bob", "Cleo"], ["Flu", "Cold", "Heart"])])


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (["Ann = Mumps"], ["cannot hold", "it back"]),
        (["Ann = Flu", "Bob = Flu"], ["cannot all hold", "one back"]),
        (
            # nobody would have Heart
            [f"{who} = {value} with 0.5" for who in ("Ann", "Bob", "Cleo") for value in ("Flu", "Cold")],
            ["others", "cannot all hold", "one back"],
        ),
    ],
)
def test_a_contradiction_names_up_to_five_facts(known, said):
    release = sl.Release.from_groups(
        [(["Ann", "Bob", "Cleo"], ["Flu", "Cold", "Heart"]), (["Dan"], ["Mumps"])],
    )
    with pytest.raises(Contradiction) as caught:
        posterior(release, "Ann = Flu", given=known)
    assert mentions(caught.value, "no world", *(f"'{fact}'" for fact in known[:5]), *said)
    assert not any(mentions(caught.value, f"'{fact}'") for fact in known[5:])
    assert caught.value.facts == tuple(known)


HARD_TO_COUNT = ["Ann = Flu -> Bob = Cold", "Bob = Flu -> Cleo = Cold"]


@pytest.mark.parametrize("person", ["Ann", None])
def test_a_whole_belief_that_is_too_hard_is_not_bounded(person):
    with pytest.raises(TooHard) as caught:
        posteriors(TRIO, given=HARD_TO_COUNT, person=person, effort=Effort(2))
    assert (caught.value.low, caught.value.high) == (0, 1)
    assert mentions(caught.value, "more than", "effort of 2 states", "between 0 and 1", "effort", "approximate=True")


@pytest.mark.parametrize("states", [2, 40, 55, 70])
def test_soft_facts_that_are_too_hard_are_not_bounded(states):
    """Neither where they are too hard to weigh, nor where they can be weighed, but no question answered."""
    soft = [sl.read_fact(HARD_TO_COUNT[0]).with_probability(0.9), HARD_TO_COUNT[1]]
    for ask in (posteriors, lambda *args, **options: posterior(*args, "Cleo = Flu and Ann = Cold", **options)):
        with pytest.raises(TooHard) as caught:
            ask(TRIO, given=soft, effort=Effort(states))
        assert (caught.value.low, caught.value.high) == (0, 1)
        assert mentions(caught.value, "soft facts", "more than", "effort", "never", "estimated", "allow more", "back")


def test_facts_of_which_it_takes_too_long_to_tell_may_hold():
    attacker = InformedAttacker.identify(TRIO, read_facts(["Ann = Flu", "Bob = Flu"]))
    with pytest.raises(Contradiction):
        attacker.check_satisfiable(Meter(Effort()))
    attacker.check_satisfiable(Meter(Effort(), started=-np.inf))  # all of its time is over


def test_an_answer_is_exact_unless_an_estimate_is_asked_for():
    assert posterior(TRIO, "Ann = Flu") == posterior(TRIO, "Ann = Flu", approximate=False) == Fraction(1, 3)
    assert posterior(TRIO, "Ann = Flu", approximate=True, rng=1) == Estimate(Fraction(1, 3), 1 / 3, 1 / 3, 0.95)
    with pytest.raises(BadMeasure):
        posterior(TRIO, "Ann = Flu", approximate=True)


def test_people_are_looked_up_as_it_was_said():
    release = sl.Release.from_counts(
        [{"Flu": 1, "Cold": 3}, {"Flu": 2}, {"Cold": 2}], labels=[{"city": "South"}, {"city": "West"}, {"city": "*"}]
    )
    regions = sl.Hierarchy("city", (("Ulm", "Bonn"), ("South", "West")))
    by = {"by": {"city": regions}}
    assert posterior(release, "{city = Bonn} = Flu", **by) == 1
    assert posteriors(release, given="{city = Ulm} = Flu", **by).of({"city": "Ulm"})["Flu"] == 1
    assert posteriors(release, person={"city": "Ulm"}, **by)["Flu"] == Fraction(1, 4)
    held = posteriors(release, person={"city": "Rome"}, suppressed="may hold them")
    assert held["Cold"] == 1
    assert len(held.notes) == 1
    for ask in ({"target": "{age = 24} = Flu"}, {"target": "#1 = Flu", "given": "{age = 24} = Flu"}):
        with pytest.raises(BadKnowledge, match="fits no group"):
            posterior(PRINTED, **ask, locate="labels")  # where 20-29 is a name


@pytest.mark.parametrize(("name", "other"), [("approximate", "no"), ("effort", 100)])
def test_an_option_of_another_kind_is_refused(name, other):
    with pytest.raises(WrongKind, match=f"^{name}= should be "):
        posterior(TRIO, "Ann = Flu", **{name: other})


def test_a_search_that_takes_too_long_blames_nobody_needlessly(monkeypatch):
    """Where it is not known which facts are to blame, all are named."""
    known = ["Ann = Flu", "Bob = Flu", "Cleo != Heart"]
    monkeypatch.setattr(module, "MOST_SECONDS", 1e-9)
    with pytest.raises(Contradiction) as caught:
        posterior(TRIO, "Ann = Flu", given=known)
    assert caught.value.facts == tuple(known)


def test_where_no_world_is_found_nor_ruled_out_worlds_are_counted(monkeypatch):
    def give_up(chosen):
        raise OverEffort

    monkeypatch.setattr("sidelight.worlds.posterior.world_search", lambda *_: give_up)
    known = [*HARD_TO_COUNT, "Ann = Flu", "Cleo != Heart", "Bob = Flu"]
    with pytest.raises(Contradiction) as caught:
        posterior(TRIO, "Ann = Flu", given=known)
    assert caught.value.facts == ("Ann = Flu", "Bob = Flu")
    known = ["same(Ann, Bob) or same(Bob, Cleo)", *HARD_TO_COUNT]
    assert InformedAttacker.identify(TRIO, read_facts(known)).contradiction().facts == (known[0],)
    little = InformedAttacker.identify(TRIO, read_facts(known), effort=Effort(1))
    assert little.contradiction().facts == tuple(known)  # of which nothing is known


def test_bounds_are_rounded_away_from_each_other():
    too_hard = InformedAttacker.identify(TRIO, (), effort=Effort(1234))._too_hard(Fraction(1, 3), Fraction(2, 3))
    assert mentions(too_hard, "effort of 1,234 states", "between 0.3333 and 0.6667", "effort", "approximate=True")
    assert (too_hard.low, too_hard.high) == (Fraction(1, 3), Fraction(2, 3))
    close = InformedAttacker.identify(TRIO, ())._too_hard(Fraction(2, 3), Fraction(2, 3))
    assert mentions(close, "between 0.6666 and 0.6667")


@pytest.mark.parametrize("many", [4, 5, 6])
def test_others_who_are_blamed_are_more_than_five(many):
    release = sl.Release.from_counts([{"a": many - 1, "b": 3}])
    known = [f"#1.{number} = a" for number in range(2, many + 2)]
    with pytest.raises(Contradiction) as caught:
        posterior(release, "#1 = a", given=known)
    assert mentions(caught.value, "no world", *(f"'{fact}'" for fact in known[:5]), "cannot all hold", "one back")
    assert mentions(caught.value, "others") == (many > 5)
    assert not any(mentions(caught.value, f"'{fact}'") for fact in known[5:])


def test_two_thousand_worlds_are_drawn_unless_told_otherwise():
    settings = {"given": HARD_TO_COUNT, "effort": Effort(2, None), "approximate": True, "rng": 1}
    estimate = posterior(TRIO, "Ann = Flu", **settings)
    assert (estimate.worlds, estimate.confidence) == (2000, 0.95)
    truth = posterior(TRIO, "Ann = Flu", given=HARD_TO_COUNT)
    assert estimate.low <= truth <= estimate.high
    assert posterior(TRIO, "Ann = Flu", **settings, samples=9, confidence=0.5).worlds == 9


def test_what_is_asked_is_about_one_column_and_a_fact_that_holds():
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    release = sl.read_release(two, group="zip", sensitive=["job", "ill"])
    for ask in (posteriors, lambda release: posterior(release, "#1 = a")):
        with pytest.raises(BadTable, match=r"one sensitive column, .* job, ill"):
            ask(release)
    with pytest.raises(BadKnowledge, match=r"question .*facts that hold; "):
        posterior(TRIO, "Ann = Flu with 0.9")


def test_everybody_is_looked_up_as_it_was_said():
    suppressed = sl.Release.from_counts([{"Flu": 2}, {"Cold": 2}], labels=[{"city": "Ulm"}, {"city": "*"}])
    assert posterior(suppressed, "{city = Rome} = Cold", suppressed="may hold them") == 1
    assert posteriors(suppressed, given="{city = Rome} = Cold", suppressed="may hold them").beliefs[0]["Cold"] == 1
    for ask in ({"person": {"age": "24"}}, {"given": "{age = 24} = Flu"}):
        with pytest.raises(BadKnowledge, match="fits no group"):
            posteriors(PRINTED, **ask, locate="labels")


def test_the_ten_whose_beliefs_move_most_are_told():
    release = sl.Release.from_counts([{"a": 1, "b": 1}] * 12)
    beliefs = posteriors(release, given=[f"#{group} = a" for group in range(1, 13)])
    assert len(beliefs.beliefs) == 24
    assert beliefs.top() == beliefs.top(10) == beliefs.top(99)[:10]


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("known", ["#1 = a", "#1 != a", "#1 = a -> #1.2 = a", "#1 = b or #2 = a"])
def test_those_whom_the_facts_do_not_mention_believe_what_is_left(semantics, known):
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 2}], sizes=[3, 3], values=semantics)
    for belief in posteriors(release, given=known).beliefs:
        for value in "ab":
            assert belief[value] == posterior(release, Has(belief.person, value), given=known)
            assert belief.before[value] == posterior(release, Has(belief.person, value))


def test_who_is_compared_is_counted_with_all_that_is_said(monkeypatch):
    facts = [Has("Ann", "Flu") & Has("Bob", "Flu")]  # two atoms about two people
    monkeypatch.setattr(module, "MOST_COMPARED", 3)
    assert representatives(facts, {"Ann": 0, "Bob": 0}) == {"Ann": "Ann", "Bob": "Bob"}
    monkeypatch.setattr(module, "MOST_COMPARED", 4)
    assert representatives(facts, {"Ann": 0, "Bob": 0}) == {"Ann": "Ann", "Bob": "Ann"}


def test_a_person_is_compared_with_those_of_whom_the_same_is_said():
    """Of six others it is said from whom they caught it; of the last two, that somebody caught it from them."""
    caught = [f"From{place}" for place in range(6)], [f"To{place}" for place in range(6)]
    groups = dict.fromkeys([*caught[1], "Ann", "Bob", "Cleo", *caught[0]], 0)
    pairs = [*zip(*caught, strict=True), ("Ann", "Cleo"), ("Bob", "Cleo")]
    facts = [Has(one, "Flu").implies(Has(other, "Flu")) for one, other in pairs]
    alike = {who: other for who, other in representatives(facts, groups).items() if who != other}
    assert alike == {"Bob": "Ann"}


def test_a_soft_fact_is_not_compared():
    with pytest.raises(BadKnowledge, match=r"kind of fact: SoftFact$"):
        representatives([Has("Ann", "Flu").with_probability(0.5)], {"Ann": 0})


WARD = sl.Release.from_groups([(["Bob", "Ed", "Ann"], ["Flu", "Flu", "Cold"]), (["Eve"], ["Gout"])])
FACTS = read_facts(["Ed = Flu -> Bob = Flu"])


def estimated(person="Bob", **settings):
    settings = {
        "samples": 500,
        "confidence": 0.999,
        "rng": np.random.default_rng(3),
        "effort": Effort(states=1),
        "lookup": Lookup.build(None, None, None),
        **settings,
    }
    return estimate_belief(WARD, FACTS, sl.posteriors(WARD, person=person), **settings)


def test_each_interval_holds_what_counting_says():
    belief, truth = estimated(), sl.posteriors(WARD, given=FACTS, person="Bob")
    assert str(belief) == "Bob"
    assert dict(belief.before) == dict(truth.before)
    for value, estimate in belief.estimates.items():
        assert estimate.low <= truth[value] <= estimate.high


def test_a_value_that_nobody_in_the_group_has_needs_no_worlds():
    assert (estimated().after["Gout"], estimated().estimates["Gout"].worlds) == (0, 0)


def test_where_no_world_fits_it_says_what_to_raise(monkeypatch):
    monkeypatch.setattr(InformedAttacker, "estimates", lambda *_, **__: [])
    with pytest.raises(TooHard) as caught:
        estimated()
    assert mentions(caught.value, "worlds", "drawn", "none", "samples", "states", "seconds")
    assert caught.value.parameters == ("samples", "states", "seconds")
    assert (caught.value.low, caught.value.high) == (0, 1)


def test_somebody_whom_the_facts_do_not_mention_is_estimated_too():
    truth = sl.posteriors(WARD, given=FACTS, person="Ann")
    for value, estimate in estimated("Ann").estimates.items():
        assert estimate.low <= truth[value] <= estimate.high


def test_worlds_are_drawn_with_the_effort_that_is_allowed(monkeypatch):
    allowed = []
    monkeypatch.setattr(InformedAttacker, "estimates", lambda self, *_, **__: allowed.append(self.effort) or [])
    with pytest.raises(TooHard):
        estimated(effort=Effort(states=17))
    assert allowed == [Effort(states=17)]


def test_notes_say_what_was_assumed_to_find_people():
    release = sl.Release.from_counts([{"Flu": 2}, {"Flu": 1, "Cold": 2}], labels=[{"city": "Ulm"}, {"city": "*"}])
    before = sl.posteriors(release, person={"city": "Rome"}, suppressed="may hold them")
    belief = estimate_belief(
        release,
        read_facts(["#2.2 = Flu -> #2.3 = Cold"]),
        before,
        effort=Effort(states=1),
        lookup=Lookup.build(None, None, "may hold them"),
        rng=np.random.default_rng(1),
        samples=10,
        confidence=0.9,
    )
    assert len(belief.notes) == 1
    assert belief.notes == before.notes


def test_people_of_an_estimate_are_looked_up_as_it_was_said():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 2}], labels=[{"city": "South"}, {"city": "West"}])
    by = {"city": sl.Hierarchy("city", (("Ulm", "Bonn"), ("South", "West")))}
    facts = read_facts(["{city = Ulm} = Flu -> #1.2 = Flu"])
    belief = estimate_belief(
        release,
        facts,
        sl.posteriors(release, person={"city": "Ulm"}, by=by),
        effort=Effort(states=1),
        lookup=Lookup.build(by, None, None),
        rng=np.random.default_rng(1),
        samples=200,
        confidence=0.999,
    )
    truth = sl.posteriors(release, given=facts, person={"city": "Ulm"}, by=by)
    assert (str(belief), belief.group, belief.notes) == ("{city = Ulm}", truth.group, ())
    assert [estimate.low <= truth[value] <= estimate.high for value, estimate in belief.estimates.items()] == [
        True,
        True,
    ]


RELEASE = sl.Release.from_groups(
    [(["Ann", "Bob", "Cleo"], ["Flu", "Cold", "Heart"]), (["Dan", "Eve"], ["Flu", "Cold"])]
)


@pytest.mark.parametrize(
    ("facts", "k"),
    [
        (None, 0),
        ("Dan = Flu", 1),
        ("Ann = Flu", 2),
        ("Ann != Flu", 1),
        ("Dan = Flu -> Ann = Flu", 1),
        ("same(Dan, Eve)", None),
    ],
)
def test_people_can_only_have_what_occurs_in_their_group(facts, k):
    if k is None:
        with pytest.raises(Contradiction):
            sl.covering_k(RELEASE, facts)
    else:
        assert sl.covering_k(RELEASE, facts) == k


def test_values_that_nobody_has_and_several_values_are_refused():
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        sl.covering_k(RELEASE, "Ann = Fluu")
    with pytest.raises(BadKnowledge, match="everybody has one value"):
        sl.covering_k(sl.Release.from_counts([{"a": 1}], sizes=[2], values="set"), "#1 = a")


def test_what_is_refused_is_named():
    with pytest.raises(WrongKind, match="a Release, not a dict"):
        sl.covering_k({"Ann": "Flu"}, "Ann = Flu")
    with pytest.raises(BadKnowledge, match=r"Implications\(k\) .*facts that hold; 'Ann = Flu with 0\.8'"):
        sl.covering_k(RELEASE, "Ann = Flu with 0.8")
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    with pytest.raises(BadTable, match=r"one sensitive column, .* job, ill"):
        sl.covering_k(sl.read_release(two, group="zip", sensitive=["job", "ill"]), None)
