import math

import pytest

import sidelight as sl
from sidelight.errors import BadNoise
from sidelight.noise.disclosure_risk import percent


def test_error_rates_in_words():
    assert sl.semantic_privacy("0.5", neighbours="replace").error_rates(0.01).sentence() == (
        "Whoever tells you from somebody else in your place, and takes at most 1 % of others for you, recognises you in "
        "at most 1.7 % of cases; with even odds a guess is right in at most 62.3 % (a coin: 50 %)."
    )


def test_a_risk_in_words_says_its_chance():
    promise = sl.semantic_privacy(1, 1e-9, people=45_222, chance=0.01)
    assert promise.disclosure_risk(0.1).sentence() == (
        "Whoever thought it 10 % likely that you are in the data, thinks it at most 23.3 % likely afterwards: the odds rise "
        "by a factor of at most 2.74, except with a chance of at most 0.01."
    )
    assert promise.disclosure_risk(0.1, known_to_be_in=True).sentence().startswith("Whoever knew that you are in, and ")


def test_from_ten_percent_to_at_most_23():
    risk = sl.semantic_privacy(1).disclosure_risk(0.1)
    assert risk.posterior == pytest.approx(0.1 * math.e / (0.1 * math.e + 0.9))
    assert risk.relative_risk == pytest.approx(2.3197, abs=1e-4)
    assert risk.relative_risk <= risk.odds_factor


def test_what_bounds_no_odds_says_so():
    promise = sl.semantic_privacy(1, 1e-4, people=45_222)
    assert promise.vacuous
    assert promise.disclosure_risk().posterior == 1
    assert promise.disclosure_risk().sentence() == (
        "Whoever thought it 10 % likely that you are in the data, may be sure afterwards: nothing bounds the odds."
    )
    assert promise.error_rates().recognised < 0.14  # of each person by themselves


def test_a_replaced_person_is_one_step_away():
    promise = sl.semantic_privacy(1, neighbours="replace")
    known = promise.disclosure_risk(known_to_be_in=True)
    assert known.odds_factor == promise.disclosure_risk().odds_factor == pytest.approx(math.e)


def test_an_explanation_for_whoever_has_to_decide():
    text = sl.semantic_privacy(1).explain(prior=0.01)
    beliefs, test, risk, one, open_ = text.split("\n\n")
    assert sl.semantic_privacy(1).sentence() in beliefs
    assert "recognises you in at most 13.6 %" in test
    assert "thought it 1 % likely that you are in the data, thinks it at most 2.7 % likely afterwards" in risk
    assert one.endswith("every result is about as likely with you in the data as without you (epsilon 1 and delta 0).")
    assert open_.startswith("Not promised: that nothing is learned about people like you.")


def test_percents_are_rounded_towards_caution():
    assert percent(0.1001) == "10.1 %"
    assert percent(0.1009, up=False) == "10 %"
    assert percent(0.0001234) == "0.013 %"


@pytest.mark.parametrize("share", [0, 1, -0.1, 2, math.nan, "many"])
def test_a_share_is_above_0_and_below_1(share):
    with pytest.raises(BadNoise):
        sl.semantic_privacy(1).error_rates(share)
    with pytest.raises(BadNoise):
        sl.semantic_privacy(1).disclosure_risk(share)
