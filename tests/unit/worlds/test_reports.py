from fractions import Fraction

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge, Contradiction, TooHard, UnknownValue

NAMED = sl.Release.from_groups(
    [
        (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
        (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"]),
    ]
)


def believed(target, *given):
    return sl.posterior(NAMED, target, given=given)


def test_one_soft_fact_is_jeffreys_rule():
    assert believed("Bob = Flu", "Bob = Flu with 0.9") == Fraction(9, 10)
    one_flu_less, both_left = believed("Charlie = Flu", "Bob = Flu"), believed("Charlie = Flu", "Bob != Flu")
    expected = Fraction(9, 10) * one_flu_less + Fraction(1, 10) * both_left
    assert believed("Charlie = Flu", "Bob = Flu with 0.9") == expected == Fraction(11, 40)
    assert believed("Hannah = Flu", "Bob = Flu with 0.9") == Fraction(2, 5)


def test_what_is_certain_is_a_hard_fact():
    for target in ("Charlie = Flu", "Hannah = Flu", "Ed = Heart"):
        assert believed(target, "Bob = Flu with 1") == believed(target, "Bob = Flu")
        assert believed(target, "Bob = Flu with 0%") == believed(target, "Bob != Flu")


def test_nothing_new_changes_nothing():
    assert believed("Charlie = Flu", "Bob = Flu with 2/5") == Fraction(2, 5)
    assert believed("Charlie = Flu", "same(Bob, Charlie) with 1/5") == Fraction(2, 5)


def test_several_soft_facts_about_one_person_all_come_out():
    given = ("Bob = Flu with 0.5", "Bob = Lung with 0.3")
    assert [believed(f"Bob = {value}", *given) for value in ("Flu", "Lung", "Heart")] == [
        Fraction(1, 2),
        Fraction(3, 10),
        Fraction(1, 5),
    ]
    nested = ("Bob in {Flu, Lung} with 0.8", "Bob != Flu with 0.5")
    assert all(believed(f"Bob = {v}", *nested) == believed(f"Bob = {v}", *given) for v in ("Flu", "Lung", "Heart"))
    # each of them holds the other's complement, and together they decide all three
    assert believed("Bob = Flu", "Bob in {Flu, Lung} with 0.9", "Bob in {Flu, Heart} with 0.4") == Fraction(3, 10)


def test_a_person_may_be_said_to_have_none_of_what_is_left():
    given = ("Bob = Flu with 0.5", "Bob = Lung with 0.5")
    assert believed("Bob = Heart", *given) == 0
    assert believed("Bob = Flu", *given) == Fraction(1, 2)


def test_what_is_ruled_out_in_other_words_is_ruled_out_for_all():
    implied = ("Bob = Flu with 0.5", "Bob = Lung with 0.5", "Charlie = Heart with 0.7")
    outright = ("Bob != Heart", "Bob = Flu with 0.5", "Charlie = Heart with 0.7")
    for target in ("Charlie = Heart", "Ed = Flu", "Bob = Flu"):
        assert believed(target, *implied) == believed(target, *outright)
    with pytest.raises(Contradiction):
        believed("Ed = Flu", "Bob = Heart with 1", "Charlie = Heart with 0.5")


def test_reports_about_groups_that_nothing_links_come_out_as_they_are():
    given = ("Bob = Flu with 0.9", "Hannah = Flu with 0.8")
    assert (believed("Bob = Flu", *given), believed("Hannah = Flu", *given)) == (Fraction(9, 10), Fraction(4, 5))
    assert believed("Bob = Flu and Hannah = Flu", *given) == Fraction(18, 25)
    assert sl.posteriors(NAMED, given=given, person="Bob").notes == ()


def test_reports_that_bear_on_each_other_move_each_other_and_say_so():
    given = ["Bob = Flu with 0.9", "Charlie = Flu with 0.9"]
    bob = sl.posteriors(NAMED, given=given, person="Bob")
    assert bob["Flu"] == Fraction(297, 355) < Fraction(9, 10)  # only two of five have it
    assert mentions(bob.notes[0], "Bob, Charlie", "2 independent")
    assert bob["Flu"] == sl.posteriors(NAMED, given=given[::-1], person="Bob")["Flu"]


def test_soft_and_hard_facts_go_together():
    assert believed("Bob = Flu", "Bob = Flu with 0.9", "Charlie = Flu", "Ed != Heart") == Fraction(9, 10)
    assert believed("Charlie = Flu", "(Hannah = Flu -> Charlie = Flu) with 0.95") < believed(
        "Charlie = Flu", "Hannah = Flu -> Charlie = Flu"
    )
    weight = sl.read_fact("Hannah = Flu -> Charlie = Flu").with_probability(0.95)
    assert believed("Hannah = Flu -> Charlie = Flu", weight) == Fraction(19, 20)


@pytest.mark.parametrize("values", ["set", "multiset"])
def test_people_with_several_values(values):
    release = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[4], values=values)
    assert sl.posterior(release, "#1 = a", given="#1 = a with 0.9") == Fraction(9, 10)
    # values are dealt independently of each other, so reports about two of them are too
    both = ["#1 = a with 0.9", "#1 = b with 0.2"]
    assert sl.posterior(release, "#1 = a", given=both) == Fraction(9, 10)
    assert sl.posterior(release, "#1 = b", given=both) == Fraction(1, 5)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["Bob = Flu with 0.9", "Bob = Lung with 0.9"], "add up to too much"),
        (["Bob = Flu with 0.3", "Bob = Lung with 0.3", "Bob = Heart with 0.3"], "add up to too little"),
        (["Bob in {Flu, Lung} with 0.3", "Bob = Flu with 0.4"], "add up to too much"),
        (["Bob = Flu with 0.9", "Bob = Flu with 0.8"], "'Bob = Flu with 0.8' say different"),
        (["same(Bob, Ed) with 0.9", "not same(Bob, Ed) with 0.9"], "say different things"),
        (["Bob = Breast with 0.2"], "never holds"),
        (["Bob in {Flu, Lung, Heart} with 0.2"], "always holds"),
        (["Bob in {Flu, Lung, Heart} with 0.5"], "always holds"),
        (["Bob not in {Flu, Lung, Heart} with 0.5"], "never holds"),
        (["same(Bob, Bob) with 0.5"], "always holds"),
        (["Bob = Flu", "Bob = Flu with 0.9"], "always holds"),
        (["Bob = Heart", "(Bob = Flu or Charlie = Heart) with 0.9"], "never holds"),
        (["Bob = Flu with 1", "Charlie = Flu with 1", "Dave = Flu with 1"], "cannot all hold"),
    ],
)
def test_contradictory_soft_facts_are_named(given, complaint):
    with pytest.raises(Contradiction, match=complaint):
        believed("Ed = Flu", *given)


def test_overlapping_statements_leave_something_open():
    release = sl.Release.from_counts([dict.fromkeys("abcd", 1)])
    with pytest.raises(BadKnowledge, match="overlap, which leaves open"):
        sl.posterior(release, "#1 = a", given=["#1 in {a, b} with 0.5", "#1 in {b, c} with 0.5"])


def test_where_soft_facts_make_no_sense():
    with pytest.raises(BadKnowledge, match=r"question .*facts that hold"):
        believed("Bob = Flu with 0.9")
    with pytest.raises(BadKnowledge, match=r"Implications\(k\) .*facts that hold"):
        sl.covering_k(NAMED, "Bob = Flu with 0.9")
    with pytest.raises(UnknownValue):
        believed("Bob = Flu", "Bob = Plague with 0.9")


def test_too_hard_soft_facts_are_neither_bounded_nor_estimated():
    given, effort = ["Bob = Flu with 0.9", "Charlie = Flu with 0.8", "Ed = Lung with 0.3"], sl.Effort(3)
    with pytest.raises(TooHard, match="soft facts weigh takes more"):
        sl.posterior(NAMED, "Dave = Flu", given=given, effort=effort)
    with pytest.raises(TooHard, match="never estimated"):
        sl.posterior(NAMED, "Dave = Flu", given=given, effort=effort, approximate=True, rng=1)


def test_a_thousand_soft_facts_are_counted():
    release = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "Heart": 3}] * 250)
    given = [
        sl.Has(sl.Someone(group, who), "Flu").with_probability(0.7) for group in range(1, 251) for who in range(1, 5)
    ]
    belief = sl.posterior(release, "#17.1 = Flu", given=given)
    assert Fraction(1, 2) < belief < Fraction(7, 10)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["Bob = Flu with 0.9", "Bob = Lung with 0.8"], ["too much", "change one"]),
        (["Bob = Breast with 0.2"], ["never holds", "not", "degree", "change it"]),
        (["Bob in {Flu, Lung, Heart} with 0.2"], ["always holds", "not", "degree", "change it"]),
        (["Bob = Flu with 0.9", "Bob = Flu with 0.8"], ["different", "same", "change one"]),
        (["same(Bob, Ed) with 0.9", "same(Bob, Ed) with 0.8"], ["different", "same", "change one"]),
    ],
)
def test_a_contradiction_says_what_to_change(given, said):
    with pytest.raises(Contradiction) as caught:
        believed("Ed = Flu", *given)
    assert mentions(caught.value, "no belief", *(f"'{fact}'" for fact in given), *said)
    assert caught.value.facts == tuple(given)


def test_a_contradiction_names_up_to_five_facts():
    release = sl.Release.from_counts([dict.fromkeys("abcdefg", 1)])
    given = [f"#1 = {value} with 0.2" for value in "abcdef"]
    with pytest.raises(Contradiction) as caught:
        sl.posterior(release, "#1 = a", given=given)
    assert caught.value.facts == tuple(given)
    assert mentions(caught.value, "'#1 = e with 0.2'", "others", "too much", "change one")
    assert "#1 = f" not in str(caught.value)


@pytest.mark.parametrize("many", [4, 5, 6])
def test_others_are_more_than_five(many):
    release = sl.Release.from_counts([dict.fromkeys("abcdefgh", 1)])
    given = [f"#1 = {value} with 0.3" for value in "abcdefg"[:many]]
    with pytest.raises(Contradiction) as caught:
        sl.posterior(release, "#1 = a", given=given)
    assert mentions(caught.value, "no belief", *(f"'{fact}'" for fact in given[:5]), "too much", "change one")
    assert mentions(caught.value, "others") == (many > 5)
    assert not any(mentions(caught.value, f"'{fact}'") for fact in given[5:])


@pytest.mark.parametrize(("known", "how"), [("Bob = Flu", "always"), ("Bob = Heart", "never")])
def test_what_is_decided_by_what_is_certain_is_no_matter_of_degree(known, how):
    fact = sl.read_fact("Bob = Flu or Charlie = Heart").with_probability(0.9)
    with pytest.raises(Contradiction) as caught:
        believed("Ed = Flu", known, fact)
    assert mentions(caught.value, "no belief", f"'{fact}'", f"{how} holds", "not", "degree", "change it")
    assert not mentions(caught.value, f"'{known}'")
    assert caught.value.facts == (str(fact),)


def test_what_overlaps_is_said_whole():
    release = sl.Release.from_counts([dict.fromkeys("abcd", 1)])
    given = ["#1 in {b, c} with 0.5", "#1 in {c, d} with 0.5"]
    with pytest.raises(BadKnowledge) as caught:
        sl.posterior(release, "#1 = a", given=given)
    assert mentions(caught.value, *(f"'{fact}'" for fact in given), "overlap", "open", "each part")


def test_a_note_names_up_to_three_people():
    given = [f"{who} = Flu with 0.3" for who in ("Bob", "Charlie", "Dave", "Ed")]
    for several, names in ((2, "Bob, Charlie"), (3, "Bob, Charlie, Dave"), (4, "Bob, Charlie, Dave, …")):
        (note,) = sl.posteriors(NAMED, given=given[:several], person="Bob").notes
        assert mentions(note, names, f"{several} independent", "more or less sure")
        assert mentions(note, "Dave") == (several > 2)
        assert not mentions(note, "Ed")
