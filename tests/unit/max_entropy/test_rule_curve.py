"""The curve over how many rules are known."""

import pytest

import sidelight as sl
from sidelight.errors import BadKnowledge


def test_each_point_is_what_the_measures_say_of_its_rules(wards, original):
    curve = sl.rule_curve(wards, original, [0, 3, (2, 0), (0, 5)], support=1)
    assert [(point.positive, point.negative) for point in curve.points] == [(0, 0), (2, 1), (2, 0), (0, 5)]
    for point in curve.points:
        rules = sl.strongest_rules(original, positive=point.positive, negative=point.negative, support=1)
        beliefs = sl.maxent(wards, rules)
        assert point.estimation_error == pytest.approx(beliefs.estimation_error(original), abs=2e-9)
        assert point.surest == pytest.approx(beliefs.riskiest(1)[0].probability, abs=2e-9)
        assert point.gain == float(sl.MaxEntGain(knowing=rules).measure(wards).value)


def test_more_rules_never_lead_away_from_the_truth(wards, original):
    """Each true equation brings the distribution of largest entropy closer to the truth, by Pythagoras."""
    curve = sl.rule_curve(wards, original, [(k, k) for k in range(6)], support=1)
    errors = curve.to_arrow()["estimation_error"].to_pylist()
    assert errors == sorted(errors, reverse=True)


def test_a_bound_is_a_number_of_rules(wards, original):
    with pytest.raises(BadKnowledge, match="how many rules"):
        sl.rule_curve(wards, original, [-2])
    assert "estimation error" in sl.rule_curve(wards, original, [1])._repr_html_()
