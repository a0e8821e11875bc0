"""What was measured with noise."""

import pytest

import sidelight as sl
from sidelight.errors import BadKnowledge, Contradiction, TooHard


def flu(beliefs):
    return beliefs.probability("Flu", given={"sex": "m"})


def test_hardly_any_noise_is_an_equation_and_much_noise_says_nothing(wards):
    equation = flu(sl.maxent(wards, "P(Flu | sex=m) = 0.4"))
    nothing = flu(sl.maxent(wards))
    for noise in ("normal", "laplace"):
        exact = flu(sl.maxent(wards, sl.P("Flu", sex="m").measured(0.4, scale=0.001, noise=noise)))
        assert exact == pytest.approx(equation, abs=1e-4)
        vague = flu(sl.maxent(wards, sl.P("Flu", sex="m").measured(0.4, scale=1000, noise=noise)))
        assert vague == pytest.approx(nothing, abs=1e-3)


def test_measurements_never_contradict_anything(wards):
    """Two numbers for the same share, one of them below 0: both may come of noise."""
    beliefs = sl.maxent(wards, ["P(Flu | sex=m) ~ laplace(-2, 0.1)", "P(Flu | sex=m) ~ laplace(0.9, 0.1)"])
    assert beliefs.certificate.holds
    assert beliefs.notes[0].startswith("'P(Flu | sex=m) ~ laplace(-2, 0.1)': the estimate takes 0.")
    # both push as hard as they may, against each other
    assert flu(beliefs) == pytest.approx(flu(sl.maxent(wards)), abs=1e-6)


def test_what_is_known_for_certain_stays_so(wards):
    beliefs = sl.maxent(wards, ["P(Flu | sex=m) = 0.5", "P(Flu | age=30) ~ normal(0.9, 0.01)"])
    assert flu(beliefs) == pytest.approx(0.5, abs=1e-8)
    with pytest.raises(Contradiction) as caught:
        sl.maxent(wards, ["P(Flu | sex=m) = 0.5", "P(Flu | sex=m) = 0.6", "P(Flu | age=30) ~ normal(0.9, 0.01)"])
    assert set(caught.value.facts) == {"P(Flu | sex=m) = 0.5", "P(Flu | sex=m) = 0.6"}


def test_a_measurement_is_of_people_whose_number_is_known():
    labels = [{"sex": "*", "town": "x"}, {"sex": "f", "town": "x"}]
    starred = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "b": 1}], labels=labels)
    with pytest.raises(BadKnowledge, match="whose number the release does not say"):
        sl.maxent(starred, "P(a | sex=f) ~ normal(0.9, 0.1)")
    assert sl.maxent(starred, "P(a, sex=f) ~ normal(0.4, 0.1)").certificate.holds


def test_people_and_sets_and_measures_take_them(wards):
    who = {"Al": {"sex": "m", "age": "40"}}
    beliefs = sl.maxent(wards, "P(HIV | person=Al) ~ normal(0.9, 0.2)", people=who)
    assert 1 / 3 < beliefs.probability("HIV", person="Al") < 0.9
    visits = sl.Release.from_counts([{"Flu": 2, "HIV": 1}], sizes=[4], values="set", labels=[{"sex": "f"}])
    beliefs = sl.maxent(visits, "P(HIV | person=#1) ~ laplace(1, 1)")
    assert 1 / 4 < beliefs.probability("HIV", person=sl.Someone(1)) < 1
    measure = sl.MaxEnt(knowing=["P(Flu | sex=m) ~ normal(0.9, 0.1)"])
    assert sl.MaxEnt.from_settings(**measure.settings()) == measure
    finding = measure.measure(wards)
    assert finding.value > sl.MaxEnt().measure(wards).value
    # right to seven decimals, and rounded up at the sixth
    sure = measure.beliefs(wards).riskiest(1)[0].probability
    assert sure + 9e-7 < finding.value < sure + 3e-6
    assert finding.replay(wards) == finding.value


def test_a_measurement_of_what_is_known_anyway_changes_nothing_however_far_off_it_is():
    ward = sl.Release.from_buckets([([{"sex": "m"}] * 2, ["Flu", "HIV"])])
    known, ann = ["P(HIV | person=Ann) ~ normal(0.6, 5)"], {"Ann": {"sex": "m"}}
    alone = sl.maxent(ward, known, people=ann).probability("HIV", person="Ann")
    assert alone == pytest.approx(0.5005, abs=1e-5)  # 2 ln(p / (1 − p)) = (0.6 − p) / 25
    with_it = sl.maxent(ward, [*known, "3 * P(HIV | sex=m) ~ normal(-0.3, 0.05)"], people=ann)
    assert with_it.probability("HIV", person="Ann") == pytest.approx(alone, abs=1e-6)


def test_what_is_too_far_off_for_its_noise_is_no_answer():
    lines = [{"sex": "m"}, {"sex": "f"}, {"sex": "f"}]
    ward = sl.Release.from_buckets([(lines, ["Flu", "HIV", "HIV"]), (lines, ["Flu", "Flu", "Cold"])])
    with pytest.raises(TooHard, match="too far from all that is possible, for its noise; leave out"):
        sl.maxent(ward, ["P(HIV | sex=f) ~ normal(-9, 0.01)"])
    women = {"sex": "f"}
    less = sl.maxent(ward, ["P(HIV | sex=f) ~ normal(-9, 1)"]).probability("HIV", given=women)
    assert 1 / 4 < less < sl.maxent(ward).probability("HIV", given=women) == pytest.approx(1 / 3)
