import math
from itertools import pairwise

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadNoise, WrongKind
from sidelight.noise.semantic_privacy import _weight, round_percent


@pytest.mark.parametrize(("epsilon", "shift"), [(0.1, 0.04996), (0.5, 0.24492), (1, 0.46212), (2, 0.76159)])
def test_without_delta_the_bound_is_tight(epsilon, shift):
    promise = sl.semantic_privacy(epsilon)
    assert promise.shift == pytest.approx(shift, abs=5e-6)
    assert promise.shift >= math.tanh(epsilon / 2)
    assert (promise.chance, promise.warnings, promise.vacuous) == (0, (), False)
    assert promise.published_shift == pytest.approx(math.expm1(epsilon))


def test_with_delta_it_is_the_smallest_shift_for_a_chance():
    epsilon, delta, people, chance = 0.5, 1e-12, 45_222, 0.001
    promise = sl.semantic_privacy(epsilon, delta, people=people, chance=chance)
    excess = promise.shift - math.tanh(epsilon / 2)
    # where the excess is small, the chance is about 2·n·δ / (h·(e^ε + 1))
    assert 2 * people * delta / (excess * (math.exp(epsilon) + 1)) == pytest.approx(chance, rel=1e-3)
    assert promise.shift == pytest.approx(0.24495, abs=5e-6)
    assert promise.chance == chance
    assert promise.published_shift == pytest.approx(math.expm1(1.5) + 2e-6)


def test_a_tiny_delta_costs_next_to_nothing():
    """Once 0.865 was promised here, by bounding how often outputs tell more than e^(2ε)."""
    with_delta = sl.semantic_privacy(0.5, 1e-12, people=45_222, chance=0.001)
    assert sl.semantic_privacy(0.5).shift < with_delta.shift < 0.272


def test_without_a_wanted_chance_shift_and_chance_are_balanced():
    promise = sl.semantic_privacy(0.1, 1e-12, people=1000)
    assert promise.shift - math.tanh(0.05) == pytest.approx(promise.chance, rel=1e-6)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.3, 0.36, 1, 5, 20, 34])
def test_the_chance_falls_steadily_with_the_shift(epsilon):
    """Also where one form of the bound takes over from another."""
    room = 1 - math.tanh(epsilon / 2)
    weights = [_weight(epsilon, room * share / 1000) for share in range(1, 1001)]
    assert all(one > other for one, other in pairwise(weights))
    assert max(one - other for one, other in pairwise(weights[500:])) < 0.01 * weights[500]


def test_a_smaller_chance_costs_a_larger_shift():
    shifts = [sl.semantic_privacy(0.1, 1e-12, people=1000, chance=chance).shift for chance in (0.1, 1e-3, 1e-6)]
    assert shifts == sorted(shifts)


@pytest.mark.parametrize(("delta", "people", "chance"), [(1e-3, 1000, None), (1e-3, 1000, 0.01), (0.5, 10**6, None)])
def test_it_warns_when_nothing_is_promised(delta, people, chance):
    promise = sl.semantic_privacy(1, delta, people=people, chance=chance)
    assert promise.vacuous
    (warning,) = promise.warnings
    assert mentions(warning, "delta", "1 / people", "nothing")
    assert mentions(promise.sentence(), "Nothing is promised")
    assert "at most" not in promise.sentence()


def test_it_warns_of_a_large_epsilon():
    (warning,) = sl.semantic_privacy(10).warnings
    assert mentions(warning, "epsilon", "so large")
    assert sl.semantic_privacy(10**6).shift == 1
    assert sl.semantic_privacy(10**6).published_shift == math.inf


def test_a_sentence_for_whoever_is_in_the_data():
    always = sl.semantic_privacy("0.5").sentence()
    assert mentions(always, "at most 0.2450", "you are in")
    assert "except" not in always
    mostly = sl.semantic_privacy(0.1, 1e-12, people=1000, chance=0.001).sentence()
    assert mentions(mostly, "at most 0.0500", "you are in", "except", "at most 0.001")
    assert not any(". " in sentence for sentence in (always, mostly))  # each is one sentence


def test_a_chance_is_never_rounded_down():
    assert sl.semantic_privacy(0.1, 1e-12, people=1000, chance=0.00121).sentence().endswith("at most 0.0013.")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((0,), {}),
        ((-1,), {}),
        ((1, 1), {}),
        ((1, 1e-6), {}),
        ((1, 1e-6), {"people": 0}),
        ((1, 1e-6), {"people": 9, "chance": 2}),
        ((1,), {"neighbours": "swap"}),
    ],
)
def test_bad_input(arguments, options):
    with pytest.raises(BadNoise):
        sl.semantic_privacy(*arguments, **options)


def test_it_shows_itself_in_a_notebook():
    assert repr(sl.semantic_privacy(1)) == (
        "<SemanticPrivacy of epsilon 1 and delta 0: promises a shift of at most 0.4622>"
    )
    promise = sl.semantic_privacy(0.1, 1e-12, people=45_222, chance=0.001)
    assert repr(promise).endswith(
        "for 45,222 people: promises a shift of at most 0.0501, except with a chance of 0.001>"
    )
    assert repr(sl.semantic_privacy(1, 1e-4, people=45_222)).endswith("promises nothing>")
    assert promise.sentence() in promise._repr_html_()


@pytest.mark.parametrize(
    ("thing", "remedy"),
    [
        (sl.Spending("a talk", epsilon=1), r"not of a Spending; .* sl\.promise_of\(\[spending\]\)"),
        (sl.Ledger("budget.json"), r"not of a Ledger; .* sl\.promise_of\(ledger\.read"),
        ([1], "not of a list; .* number.* Measurement .*d_in="),
        (None, "not of None; .* number"),
    ],
)
def test_what_says_its_promise_elsewhere_names_the_place(thing, remedy):
    with pytest.raises(WrongKind, match=remedy):
        sl.semantic_privacy(thing)


def test_a_distance_is_for_measurements():
    with pytest.raises(BadNoise, match=r"d_in= .*OpenDP"):
        sl.semantic_privacy(1, d_in=1)


def test_a_promise_of_losses_knows_the_whole_profile():
    """With a chance, what the noise itself tells is read; error rates too are those of the noise then."""
    spendings = [sl.Spending("a day", epsilon="0.1")] * 30
    summed, together = (sl.promise_of(spendings, people=1000, chance=chance) for chance in (None, "0.001"))
    assert len(summed.profile.pairs) == 1
    assert together.error_rates().recognised < summed.error_rates().recognised
    assert together.profile.curve is None


def test_where_somebody_is_replaced_nothing_is_said_of_being_in_alone():
    """That hides who you are among those who are in; not whether anybody is."""
    replaced, added = (sl.semantic_privacy(1, neighbours=each).sentence() for each in ("replace", "add or remove"))
    assert mentions(replaced, "at most 0.4622", "you are in", "not", "in your place")
    assert mentions(added, "at most 0.4622", "you are in")
    assert "in your place" not in added


def test_error_rates_in_words():
    told = sl.semantic_privacy("0.5", neighbours="replace").error_rates(0.01).sentence()
    assert mentions(told, "in your place", "at most 1 %", "recognises", "at most 1.7 %", "at most 62.3 %", "50 %")
    assert ". " not in told


def test_a_risk_in_words_says_its_chance():
    promise = sl.semantic_privacy(1, 1e-9, people=45_222, chance=0.01)
    being_in = promise.disclosure_risk(0.1).sentence()
    assert mentions(being_in, "10 %", "you are in", "at most 23.3 %", "at most 2.74", "except", "at most 0.01")
    assert ". " not in being_in
    assert "knew" not in being_in
    value = promise.disclosure_risk(0.1, known_to_be_in=True).sentence()
    assert mentions(value, "knew", "you are in", "10 %", "at most 45.6 %", "at most 7.52", "except", "at most 0.01")


def test_from_ten_percent_to_at_most_23():
    risk = sl.semantic_privacy(1).disclosure_risk(0.1)
    assert risk.posterior == pytest.approx(0.1 * math.e / (0.1 * math.e + 0.9))
    assert risk.relative_risk == pytest.approx(2.3197, abs=1e-4)
    assert risk.relative_risk <= risk.odds_factor


def test_what_bounds_no_odds_says_so():
    promise = sl.semantic_privacy(1, 1e-4, people=45_222)
    assert promise.vacuous
    assert promise.disclosure_risk().posterior == 1
    told = promise.disclosure_risk().sentence()
    assert mentions(told, "10 %", "you are in", "sure", "nothing bounds")
    assert "at most" not in told
    assert promise.error_rates().recognised < 0.14  # of each person by themselves


def test_a_replaced_person_is_one_step_away():
    promise = sl.semantic_privacy(1, neighbours="replace")
    known = promise.disclosure_risk(known_to_be_in=True)
    assert known.odds_factor == promise.disclosure_risk().odds_factor == pytest.approx(math.e)


def test_an_explanation_for_whoever_has_to_decide():
    promise = sl.semantic_privacy(1)
    beliefs, test, risk, one, open_ = promise.explain(prior=0.01).split("\n\n")
    assert promise.sentence() in beliefs
    assert promise.error_rates().sentence() in test
    assert mentions(test, "recognises", "at most 13.6 %")
    for known in (False, True):
        assert promise.disclosure_risk(0.01, known_to_be_in=known).sentence() in risk
    assert mentions(risk, "1 %", "you are in", "at most 2.7 %")
    assert mentions(one, "with you", "without you", "epsilon 1", "delta 0")
    assert mentions(open_, "Not promised", "people like you")


def test_percents_are_rounded_towards_caution():
    assert round_percent(0.1001) == "10.1 %"
    assert round_percent(0.1009, up=False) == "10 %"
    assert round_percent(0.0001234) == "0.013 %"


@pytest.mark.parametrize("share", [0, 1, -0.1, 2, math.nan, "many"])
def test_a_share_is_above_0_and_below_1(share):
    with pytest.raises(BadNoise):
        sl.semantic_privacy(1).error_rates(share)
    with pytest.raises(BadNoise):
        sl.semantic_privacy(1).disclosure_risk(share)
