"""Levels for a noisy release: what a search picked is refused, what was chosen is paid for, once."""

import copy
import dataclasses
import pickle
import random
from fractions import Fraction

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadNoise, BudgetExceeded, WrongKind
from sidelight.noise.accountant import PaidChoice
from sidelight.noise.domain import candidate_digest, commitment_to, winner_digest
from sidelight.search.method import SearchedLevel, searched_levels

ADULT = sl.datasets.adult(quasi=["age", "sex"])
AMONG = [{"age": 0, "sex": 0}, {"age": 3, "sex": 0}, {"age": 5, "sex": 1}]
OPTIONS = {"by": ADULT.hierarchies, "domain": ADULT.table.domain}

ROWS = [("f", "20", "Flu"), ("f", "25", "Cold"), ("m", "20", "Flu"), ("m", None, "Flu"), ("m", "25", "Cold")] * 4
BY = {
    "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*"))),
    "age": sl.Hierarchy("age", (("20", "25", ""), ("20-29", "20-29", ""), ("*", "*", "*"))),
}
FEW = [{"sex": 0, "age": 1}, {"sex": 1, "age": 0}]
SAME = {"by": BY, "domain": ["Flu", "Cold"]}


def table_of(rows, quasi=("sex", "age")):
    columns = dict(zip(("sex", "age", "disease"), map(list, zip(*rows, strict=True)), strict=True))
    return sl.read_table(pa.table(columns), quasi=list(quasi), sensitive="disease", person="each row")


TABLE = table_of(ROWS)


@pytest.fixture
def ledger(tmp_path):
    return sl.Ledger.begin(tmp_path / "budget.json", epsilon=10)


def choose(ledger=None, table=TABLE, **options):
    return sl.choose_levels(table, **{**SAME, "among": FEW, "epsilon": 1, "above": 0, "ledger": ledger, **options})


def counts(levels, ledger=None, table=TABLE, **options):
    return sl.noisy_counts(table, **{**SAME, "levels": levels, "epsilon": 1, "ledger": ledger, **options})


def test_levels_that_a_search_picked_are_refused():
    found = sl.protect(ADULT.table, sl.Policy(sl.GroupSize() >= 50), by=ADULT.hierarchies, ask="nobody")
    for picked in (found, found.levels, found.minimal[0], found.choices[0].levels):
        with pytest.raises(BadNoise, match=r"search.*choose_levels"):
            sl.noisy_counts(ADULT.table, levels=picked, epsilon=1, **OPTIONS)
    with pytest.raises(BadNoise, match=r"search.*choose_levels"):
        sl.choose_levels(ADULT.table, among=[found.levels], epsilon=1, **OPTIONS)


@pytest.mark.parametrize(
    "copied",
    [
        dict,
        dict.copy,
        lambda levels: levels | {},
        lambda levels: {} | levels,
        lambda levels: {**levels},
        lambda levels: {"sex": 0} | {"age": levels["age"]},  # one of them is enough
        copy.copy,
        copy.deepcopy,
        lambda levels: pickle.loads(pickle.dumps(levels)),
    ],
)
def test_the_mark_of_a_search_survives_copying(copied):
    found = sl.protect(TABLE, sl.GroupSize() >= 2, by=BY, ask="nobody")
    with pytest.raises(BadNoise, match=r"search.*choose_levels"):
        counts(copied(found.levels))
    with pytest.raises(BadNoise, match=r"search.*choose_levels"):
        choose(among=[FEW[0], copied(found.levels)])
    typed = {name: int(level) for name, level in found.levels.items()}  # nobody can know
    assert counts(typed).levels == found.levels


def test_levels_that_were_paid_for_are_taken(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1)
    chosen = sl.choose_levels(ADULT.table, among=AMONG, epsilon=0.25, above=30, ledger=ledger, **OPTIONS)
    assert dict(chosen.levels) == AMONG[1]  # its score is far above the others
    noisy = sl.noisy_counts(ADULT.table, levels=chosen, epsilon=0.75, ledger=ledger, **OPTIONS)
    assert noisy.paid_choice == chosen.spending
    assert [each.epsilon for each in ledger.read().spendings] == [Fraction(1, 4), Fraction(3, 4)]
    choice, release = ledger.read().entries
    assert (choice.receipt, choice.choice.used_by, release.choice) == (chosen.receipt, release.receipt, None)
    with pytest.raises(BudgetExceeded):
        sl.choose_levels(ADULT.table, among=AMONG, epsilon=0.25, ledger=tmp_path / "budget.json", **OPTIONS)


def test_a_choice_has_to_be_paid_from_the_same_ledger(ledger, tmp_path):
    other = sl.Ledger.begin(tmp_path / "other.json", epsilon=10)
    unpaid, paid = choose(), choose(ledger)
    for chosen, account, name in (
        (unpaid, ledger, r"'budget\.json'"),
        (paid, other, r"'other\.json'"),
        (paid, "no ledger", "no ledger"),
        (paid, None, "no ledger"),
    ):
        with pytest.raises(BadNoise, match=f"not paid.*{name}.*ledger="):
            counts(chosen, account)
    assert len(ledger.read().entries) == 1
    assert other.read().entries == ()
    assert counts(unpaid).paid_choice == unpaid.spending  # without a ledger, the document tells
    counts(paid, ledger)


def test_one_paid_choice_does_not_cover_unpaid_ones(ledger):
    """A hundred choices of the same text and epsilon were covered by one that was paid."""
    choose(ledger)
    before = ledger.path.read_bytes()
    for _ in range(3):
        unpaid = choose()
        with pytest.raises(BadNoise, match=r"not paid.*'budget\.json'"):
            counts(unpaid, ledger)
        forged = dataclasses.replace(unpaid, receipt=ledger.read().entries[0].receipt)
        with pytest.raises(BadNoise, match=r"not paid.*this ledger"):
            counts(forged, ledger)
    assert ledger.path.read_bytes() == before


def test_a_choice_is_used_once(ledger):
    chosen = choose(ledger)
    first = counts(chosen, ledger)
    before = ledger.path.read_bytes()
    for again in (chosen, copy.deepcopy(chosen), pickle.loads(pickle.dumps(chosen))):
        with pytest.raises(BadNoise, match=r"used already.*choose again"):
            counts(again, ledger)
    with pytest.raises(BadNoise, match="used already"):
        choose(ledger, among=[chosen, FEW[0]])
    assert ledger.path.read_bytes() == before
    assert counts(first.levels, ledger).paid_choice is None  # they are published with the first


def test_a_choice_that_was_refused_a_release_is_not_used_by_it(ledger):
    chosen = choose(ledger)
    before = ledger.path.read_bytes()
    with pytest.raises(BudgetExceeded):
        counts(chosen, ledger, epsilon=50)
    assert ledger.path.read_bytes() == before
    counts(chosen, ledger)


def test_a_choice_is_bound_to_its_table_hierarchies_and_candidates(ledger):
    chosen, before = choose(ledger), ledger.path.read_bytes()
    coarse = {**BY, "age": sl.Hierarchy("age", (("20", "25", ""), ("20", "25", "none"), ("*", "*", "*")))}
    flat = {**BY, "age": sl.Hierarchy("age", (("20", "25", ""),))}
    attempts = [
        {"table": table_of(ROWS[1:])},
        {"table": table_of([*ROWS[:-1], ("m", "25", "Flu")])},
        {"table": table_of([*ROWS[:-1], ("f", "25", "Cold")])},
        {"by": coarse},
        {"by": flat},
        {"by": {"sex": BY["sex"]}},
    ]
    for options in attempts:
        with pytest.raises(BadNoise, match=r"another table.*choose_levels"):
            counts(dataclasses.replace(chosen, levels=FEW[0]), ledger, **options)
    with pytest.raises(BadNoise, match=r"another table.*choose_levels"):
        counts(dataclasses.replace(chosen, levels={"sex": 0, "age": 0}), ledger)
    with pytest.raises(BadNoise, match='chosen for neighbours="add or remove"') as caught:
        counts(chosen, "no ledger", neighbours="replace")
    assert caught.value.parameters == ("neighbours",)
    assert ledger.path.read_bytes() == before
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    counts(chosen, ledger, table=table_of(shuffled))  # the same people


@pytest.mark.parametrize("paid", [True, False])
def test_another_candidate_does_not_pass_for_the_winner(ledger, paid):
    """`dataclasses.replace(chosen, levels=another)` was taken."""
    account = ledger if paid else "no ledger"
    chosen = choose(account)
    (other,) = (each for each in FEW if each != chosen.levels)
    for levels in (other, searched_levels(other)):
        with pytest.raises(BadNoise, match=r"other levels.*choose_levels"):
            counts(dataclasses.replace(chosen, levels=levels), account)
        with pytest.raises(BadNoise, match=r"other levels.*choose_levels"):
            choose(account, among=[dataclasses.replace(chosen, levels=levels), FEW[0]])
    # whoever makes a digest of the other one as well is stopped by the ledger
    forged = dataclasses.replace(chosen, levels=other, winner=winner_digest(candidate_digest(other, BY), chosen.key))
    if paid:
        with pytest.raises(BadNoise, match=r"not paid.*this ledger"):
            counts(forged, account)
    counts(chosen, account)


def test_a_choice_whose_draw_was_cut_short_is_paid_and_covers_nothing(ledger, monkeypatch):
    monkeypatch.setattr("sidelight.noise.domain._noisy_maximum", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError) as caught:
        choose(ledger)
    (note,) = caught.value.__notes__
    assert mentions(note, "epsilon 1", "'budget.json'", "is spent")
    (entry,) = ledger.read().entries
    assert (entry.spending.epsilon, entry.choice.winner, entry.choice.used_by) == (1, "", "")
    with pytest.raises(BadNoise, match=r"not paid.*this ledger"):
        ledger.spend(entry.spending, using=[(entry.receipt, PaidChoice(entry.choice.commitment))])


def test_choices_do_not_launder_one_another(ledger):
    """`among=[unpaid]` made a paid choice of any other."""
    unpaid = choose()
    for account, says in ((ledger, r"not paid.*'budget\.json'"), ("no ledger", "among=.*no ledger")):
        with pytest.raises(BadNoise, match=says):
            choose(account, among=[unpaid])
        with pytest.raises(BadNoise, match=r"search.*choose_levels"):
            choose(account, among=[unpaid.levels])
        with pytest.raises(BadNoise, match=r"search.*choose_levels"):
            counts(dict(unpaid.levels), account)
    by_the_counts = counts(unpaid).levels  # no ledger knows what they cost
    with pytest.raises(BadNoise, match=r"search.*choose_levels"):
        counts(by_the_counts, ledger)
    assert ledger.read().entries == ()


def test_a_choice_among_paid_choices_uses_them_and_tells_what_all_cost(ledger):
    first = choose(ledger, epsilon="0.5")
    second = choose(ledger, among=[first, FEW[1]], epsilon="0.25")
    assert second.spending.epsilon == Fraction(3, 4)
    assert ledger.read().spent == (Fraction(3, 4), 0)
    with pytest.raises(BadNoise, match="used already"):
        counts(first, ledger)
    noisy = counts(second, ledger)
    assert noisy.paid_choice.epsilon == Fraction(3, 4)
    assert noisy.promise().epsilon == Fraction(7, 4)


def test_the_ledger_does_not_tell_which_table_it_was(ledger):
    """Without the key, which is in the choice alone, nobody can try tables out."""
    one, two = choose(ledger), choose(ledger)
    assert one.commitment != two.commitment
    text = ledger.path.read_text()
    assert one.commitment in text
    assert one.key.hex() not in text
    assert str(one.key) not in repr(one)
    candidates = [candidate_digest(each, BY) for each in FEW]
    assert commitment_to(TABLE, candidates, one.key) == one.commitment


def test_chosen_levels_are_marked_and_shown_as_numbers(ledger):
    chosen = choose(ledger)
    assert all(type(level) is SearchedLevel for level in chosen.levels.values())
    noisy = counts(chosen, ledger)
    assert all(type(level) is int for level in noisy.levels.values())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"among": []}, "lists no levels"),
        ({"among": [{"sex": 9}]}, "no level 9"),
        ({"among": [{"zip": 0}]}, "no hierarchy for 'zip'"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"epsilon": "1e-12"}, "publishes nothing but noise"),
        ({"epsilon": 1e9}, "publishes nothing but noise"),
        ({"above": -1}, "above= is -1.*at least 0"),
        ({"above": 2.5}, "above= is 2.5"),
        ({"neighbours": "both"}, 'no neighbours="both"'),
        ({"outside": "whatever"}, 'no outside="whatever"'),
        ({"values_per_person": 2}, "one value.*values_per_person="),
        ({"domain": []}, "domain= is not declared"),
        ({"cells": 1}, "the limit is 1"),
        ({"by": {}}, "no hierarchy for"),
        ({"ledger": "nowhere.json"}, r"no ledger 'nowhere\.json'"),
        ({"ledger": 5}, "ledger=.*Ledger.*not an int"),
        ({"among": {"age": 1}}, "among= should be a list"),
        ({"among": [["age"]]}, "levels= should be a mapping"),
        ({"table": [1]}, "should be a Table"),
    ],
)
def test_a_choice_that_is_refused_costs_nothing(ledger, options, says):
    """An epsilon of 1e-12 was charged, then refused."""
    before = ledger.path.read_bytes()
    with pytest.raises(sl.SidelightError, match=says) as caught:
        choose(**{"ledger": ledger, **options})
    assert "\n" not in str(caught.value)
    assert ledger.path.read_bytes() == before


def test_replacing_costs_the_choice_twice_the_noise():
    chosen = sl.choose_levels(ADULT.table, among=AMONG, epsilon=1, above=30, neighbours="replace", **OPTIONS)
    assert (dict(chosen.levels), chosen.spending.neighbours) == (AMONG[1], "replace")


def test_candidates_are_a_list():
    with pytest.raises(WrongKind, match="among= should be a list"):
        sl.choose_levels(ADULT.table, among={"age": 1}, epsilon=1, **OPTIONS)


def test_a_choice_for_events_and_for_nobody_is_bound_to_them(ledger):
    def events(rows, people):
        columns = {
            name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate(("sex", "age", "d"))
        }
        table = pa.table(columns).append_column("id", pa.array(people, pa.int64()))
        return sl.read_events(table, quasi=["sex", "age"], sensitive="d", person="id")

    several, other = (events(ROWS, [number // apart for number in range(len(ROWS))]) for apart in (2, 3))
    nobody, options = events([], []), {"rows_per_person": 3}
    for table, others in ((several, (other, nobody)), (nobody, (several, other))):
        chosen = choose(ledger, table=table, **options)
        for each in others:
            with pytest.raises(BadNoise, match=r"another table.*choose_levels"):
                counts(chosen, ledger, table=each, **options)
        counts(chosen, ledger, table=table, **options)


@pytest.mark.parametrize("rows", [6, 0])
def test_levels_are_chosen_for_events_and_bound_to_them(tmp_path, rows):
    visits = {"id": [1, 1, 2, 3, 3, 3], "ward": list("ABACAA"), "disease": ["Flu", "Cold", "Flu", "Flu", "Gout", None]}
    table = pa.table(visits).slice(0, rows)
    declared = {
        "by": {"ward": sl.Hierarchy("ward", (("A", "B"), ("*", "*")))},
        "domain": ["Flu", "Cold"],
        "rows_per_person": 2,
        "ledger": sl.Ledger.begin(tmp_path / "budget.json", epsilon=5),
    }

    def read(source):
        return sl.read_events(source, quasi="ward", sensitive="disease", person="id")

    among = [{"ward": 0}, {"ward": 1}]
    chosen = [sl.choose_levels(read(table), among=among, epsilon=1, **declared) for _ in range(2)]
    backwards = table.take(list(range(rows))[::-1]) if rows else table
    assert sl.noisy_counts(read(backwards), levels=chosen[0], epsilon=1, **declared).paid_choice is not None
    with pytest.raises(BadNoise, match=r"another table.*choose_levels"):
        sl.noisy_counts(read(pa.table(visits).slice(1)), levels=chosen[1], epsilon=1, **declared)
