"""Independent parts, forced zeros by relaxations, and minimum unsatisfiable subsets.

What was measured with noise.
"""

import pytest
from scipy import optimize
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge, Contradiction, TooHard
from sidelight.max_entropy import presolve, subproblems


def test_time_runs_out(wards):
    with pytest.raises(TooHard, match="time is up"):
        sl.maxent(wards, ["P(Flu | sex=m) = 0.4"], seconds=-1)


def test_programs_have_no_more_time_than_the_caller_allows(wards, monkeypatch):
    limits = []

    def linprog(*program, options, **more):
        limits.append(options["time_limit"])
        return optimize.linprog(*program, options=options, **more)

    monkeypatch.setattr(presolve, "linprog", linprog)
    contradiction = ["P(HIV | sex=m) >= 0.5", "P(Flu | sex=m) >= 0.6"]
    with pytest.raises(Contradiction):
        sl.maxent(wards, contradiction, seconds=9000)
    assert limits
    assert max(limits) <= 9000
    with pytest.raises(Contradiction) as caught:
        sl.maxent(wards, contradiction, seconds=0)
    assert mentions(caught.value, "2 statements", "cannot", "time", "before", "fewest", "more seconds")


FORCING = ("P(Flu | sex=m) = 1/2", "P(HIV | sex=m) = 1/2")
"""Together they force an amount to 0 that neither does."""


@pytest.fixture
def couples():
    return sl.Release.from_buckets(
        [
            ([{"sex": "f"}, {"sex": "m"}], ["Flu", "HIV"]),
            ([{"sex": "f"}, {"sex": "m"}, {"sex": "f"}], ["HIV", "Flu", "Cold"]),
        ]
    )


@pytest.fixture
def time_is_up(monkeypatch):
    """No linear program has the time to end."""
    limits = []

    def give_up(*_, options, **__):
        limits.append(options["time_limit"])
        return optimize.OptimizeResult(status=1)

    monkeypatch.setattr(presolve, "linprog", give_up)
    return limits


def test_a_solution_is_kept_when_the_time_is_up_in_a_program_about_zeros(couples, time_is_up):
    beliefs = sl.maxent(couples, FORCING, seconds=7000)
    assert 6000 < time_is_up[0] <= 7000  # what is left of the seconds
    assert beliefs.undecided == 1
    assert beliefs.certificate.holds
    assert beliefs.probability("Cold", given={"sex": "m"}) == pytest.approx(0, abs=1e-6)
    assert mentions(beliefs.notes[0], "time", "before", "1 amount")


def test_what_was_decided_in_time_is_not_open(couples):
    beliefs = sl.maxent(couples, FORCING)
    assert (beliefs.undecided, beliefs.notes) == (0, ())


def test_a_limit_that_rests_on_what_was_not_decided_is_not_judged(couples, time_is_up):
    measure = sl.MaxEnt(knowing=FORCING)
    finding = measure.measure(couples)
    assert finding.value == finding.replay(couples) == 0.5
    assert finding.kindest == pytest.approx(0.499998)
    assert sl.Policy(measure <= 0.5).judge(couples).safe
    assert not sl.Policy(measure <= 0.4).judge(couples).safe
    with pytest.raises(TooHard) as caught:
        sl.Policy(measure < 0.5).judge(couples)
    assert mentions(caught.value, "not", "in time", "between", "0.499998", "0.5", "give")


def test_progress_is_told_and_may_interrupt(wards):
    def stop(what, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sl.maxent(wards, ["P(Flu | sex=m) = 0.4"], progress=stop)


def test_parts_that_share_no_statement_are_solved_apart(wards, monkeypatch):
    statements = ["P(Flu | person=#1) = 0.5", "P(Flu | person=#3) = 0.6"]
    release = sl.Release.from_counts([{"Flu": 2, "HIV": 1}, {"Flu": 1}, {"Flu": 1, "HIV": 1}])
    together = sl.maxent(release, statements)
    monkeypatch.setattr(subproblems, "BATCH_CONSTRAINTS", 1)
    apart = sl.maxent(release, statements)
    assert (together.solution.parts, apart.solution.parts) == (1, 2)
    assert apart.entropy == pytest.approx(together.entropy, abs=1e-12)


def test_a_minimum_unsatisfiable_subset_is_named(wards):
    statements = ["P(Flu | sex=m) <= 0.9", "P(HIV | sex=m) >= 0.5", "P(Flu | sex=m) >= 0.6", "P(Cold) = 0.25"]
    with pytest.raises(Contradiction) as caught:
        sl.maxent(wards, statements)
    assert set(caught.value.facts) == {statements[1], statements[2]}


def test_people_who_do_not_fit_are_nobody_s_statement():
    release = sl.Release.from_buckets([([{"sex": "m"}, {"sex": "m"}], ["Flu", "HIV"]), ([{"sex": "f"}], ["Flu"])])
    people = {name: {"sex": "m"} for name in ("Al", "Bo", "Cy")}
    with pytest.raises(BadKnowledge, match="name fewer"):
        sl.maxent(release, ["count(Flu; Al, Bo, Cy) >= 1"], people=people)


def test_what_a_relaxation_forces_is_forced(wards):
    beliefs = sl.maxent(wards, ["P(Flu | sex=m) = 2/3", "P(HIV | sex=m) = 1/3"])
    assert beliefs.probability("Cold", given={"sex": "m"}) == pytest.approx(0, abs=1e-9)
    assert beliefs.certificate.holds


@pytest.mark.parametrize(("share", "parts"), [("0", 1), ("0.4", 6)])
def test_small_parts_come_together_by_what_does_not_just_force_zeros(monkeypatch, share, parts):
    monkeypatch.setattr(subproblems, "BATCH_CONSTRAINTS", 1)
    wards = sl.Release.from_buckets(
        [([{"ward": str(ward), "sex": sex} for sex in "mmf"], ["Flu", "HIV", "Cold"]) for ward in range(6)]
    )
    known = [f"P(Flu | ward={ward}, sex=m) = {share}" for ward in range(6)]
    beliefs = sl.maxent(wards, known)
    assert beliefs.solution.parts == parts
    assert beliefs.certificate.holds
    assert beliefs.probability("Flu", given={"ward": "3", "sex": "m"}) == pytest.approx(float(share), abs=1e-9)


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
    assert mentions(beliefs.notes[0], "'P(Flu | sex=m) ~ laplace(-2, 0.1)'", "estimate", "0.4444")
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
    with pytest.raises(BadKnowledge, match=r"whose number .*not"):
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
    with pytest.raises(TooHard, match=r"too far from .*for its noise; leave out"):
        sl.maxent(ward, ["P(HIV | sex=f) ~ normal(-9, 0.01)"])
    women = {"sex": "f"}
    less = sl.maxent(ward, ["P(HIV | sex=f) ~ normal(-9, 1)"]).probability("HIV", given=women)
    assert 1 / 4 < less < sl.maxent(ward).probability("HIV", given=women) == pytest.approx(1 / 3)
