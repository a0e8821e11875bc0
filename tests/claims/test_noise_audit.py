"""An auditor from outside, in short: draws prove a lower bound of ε, which must stay below what is promised.

`benchmarks/audit_noise.py` does the same with more draws and for more releases.  Here the confidence is such that chance
fails a line once in a thousand million runs; releases with half the noise are caught all the same.
"""

import functools
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from support.noise_audit import draw_again, epsilon_at_least, everything_told, noise_drawn, ordered_by_evidence

import sidelight as sl
from sidelight.noise import domain

CONFIDENCE = 1 - 1e-9
DRAWS = 9_000
BY = {
    "age": sl.Hierarchy("age", (("1", "2", "3"), ("*", "*", "*"))),
    "sex": sl.Hierarchy("sex", (("f", "m", "x"), ("*", "*", "*"))),
}
OTHERS = ((("1", "f", "a"),), (("2", "m", "a"),), (("3", "x", "c"),))
HER, HIM = (("1", "f", "a"),), (("2", "m", "b"),)
SETS, MULTISETS = {"values": "set"}, {"values": "multiset"}


@functools.cache
def table_of(one, others=OTHERS, values="single"):
    """People who have rows of age, sex and disease each."""
    rows = [(str(number), *row) for number, mine in enumerate([*others, one]) for row in mine]
    names = "id", "age", "sex", "disease"
    columns = {name: pa.array([row[place] for row in rows], pa.string()) for place, name in enumerate(names)}
    return sl.read_events(pa.table(columns), quasi=["age", "sex"], sensitive="disease", person="id", values=values)


def release_of(one, values="single", others=OTHERS, **settings):
    settings = {"levels": {"age": 0}, "domain": list("abc"), "epsilon": 1, "ledger": "no ledger", **settings}
    return lambda: sl.noisy_counts(table_of(one, others, values), by=BY, **settings)


RELEASES = {
    "Laplace": (HER, (), {}),
    "Laplace, replaced": (HER, HIM, {"neighbours": "replace"}),
    "Laplace, sets": (tuple(("1", "f", value) for value in "abc"), (), {**SETS, "values_per_person": 2}),
    "Laplace, multisets": (HER * 3, (), {**MULTISETS, "values_per_person": 3}),
    "Laplace, rows": (HER * 3, (), {"rows_per_person": 3}),
    "Laplace, rows by lot": (tuple(("1", "f", value) for value in "abc"), (), {"rows_per_person": 2}),
    "Laplace, queries of sets": (
        tuple(("1", "f", value) for value in "abc"),
        (),
        {**SETS, "values_per_person": 3, "queries": ["total", "age"]},
    ),
    "Gaussian": (HER, (), {"delta": "0.02", "people_at_most": 10}),
    "Gaussian, replaced multisets": (
        HER * 2,
        HIM * 2,
        {**MULTISETS, "values_per_person": 2, "neighbours": "replace", "delta": "0.02", "people_at_most": 10},
    ),
}


def proven(one, other, settings, *, share=1):
    lots = 3 if 2 in settings.values() else 1  # where 2 of 3 are counted
    evidence = draw_again(release_of(one, **settings), release_of(other, **settings), DRAWS, share=share, lots=lots)
    return epsilon_at_least(*evidence, delta=float(settings.get("delta", 0)), confidence=CONFIDENCE)


@pytest.mark.parametrize("release", RELEASES.values(), ids=RELEASES)
def test_draws_do_not_refute_what_is_promised(release):
    assert proven(*release) <= 1


@pytest.mark.parametrize(
    ("name", "share"), [("Laplace", 0.5), ("Laplace, replaced", 0.5), ("Laplace, multisets", 0.5), ("Gaussian", 0.4)]
)
def test_noise_that_is_too_small_is_caught(name, share):
    assert proven(*RELEASES[name], share=share) > 1


def test_an_audit_of_honest_noise_comes_near_to_the_promise():
    assert proven(*RELEASES["Laplace"]) > 0.7


# six men, and three women and two of the men of one age: another woman of that age makes the ages stand out by one more,
# and moves nothing else
CROWD = tuple((row,) for row in [("1", "f", "a")] * 3 + [("1", "m", "a")] * 2 + [("2", "m", "a"), ("3", "m", "a")] * 2)


@pytest.mark.parametrize("share", [1, 0.3], ids=["as it is", "a third of the noise"])
def test_the_choice_of_levels_keeps_its_epsilon_and_less_noise_is_caught(share):
    original, outcomes = domain._noisy_maximum, []
    for rows in (HER, ()):
        with mock.patch.object(domain, "_noisy_maximum", side_effect=original) as heard:
            among = [{"age": 0}, {"sex": 0}]
            sl.choose_levels(
                table_of(rows, CROWD), by=BY, among=among, domain=list("abc"), epsilon=1, above=5, ledger="no ledger"
            )
        scores, cost, *rest = heard.call_args.args
        outcomes.append([original(scores, cost / share, *rest) for _ in range(DRAWS // 2)])
    lower = epsilon_at_least(*ordered_by_evidence(*outcomes), confidence=CONFIDENCE)
    assert lower > 1 if share < 1 else 0 < lower <= 1


def given_noise(_, counts):
    return np.arange(counts.size).reshape(counts.shape) % 5 - 1


STRANGERS = {
    "like others": ("1", "f", "a"),
    "undeclared labels": ("9", "w", "a"),
    "an undeclared value": ("1", "f", "z"),
    "missing labels": (None, None, "a"),
    "a missing value": ("1", "f", None),
}
WAYS = {"one row each": {}, "Gaussian": {"delta": "1e-6", "people_at_most": 10}, "several rows": {"rows_per_person": 2}}


@pytest.mark.parametrize("others", [OTHERS, ()], ids=["among others", "against nobody"])
@pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
def test_with_the_noise_given_neighbours_tell_the_same_in_every_byte(settings, others):
    told = everything_told(release_of((), others=others, **settings), drawn=given_noise)
    assert told.failure is None
    assert len(told.files) == 4
    for row in STRANGERS.values():
        rows = (row,) * (3 if "rows_per_person" in settings else 1)
        assert everything_told(release_of(rows, others=others, **settings), drawn=given_noise) == told


def test_a_cell_of_ones_own_that_nobody_declared_is_published_with_a_chance_of_delta_at_most():
    """A threshold that is lower by two is caught."""
    with noise_drawn() as heard:
        release = sl.stable_counts(table_of(HIM), columns=["age"], epsilon=1, delta="0.0135", ledger="no ledger")
    assert sorted(heard[0].exact.tolist()) == [1, 1, 1, 1]
    measured = heard[0].mechanism.add_noise(np.ones(DRAWS, np.int64))
    without = np.zeros(DRAWS, bool)
    honest, broken = (measured >= threshold for threshold in (release.threshold, release.threshold - 2))
    assert epsilon_at_least(honest, without, delta=0.0135, confidence=CONFIDENCE) <= 1
    assert epsilon_at_least(broken, without, delta=0.0135, confidence=CONFIDENCE) > 1
