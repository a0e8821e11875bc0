"""What was measured with noise agrees with a slow twin: everybody's variables, and the likelihood itself, by SLSQP."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.examples import examples

import sidelight as sl
from sidelight.knowledge.statements import P
from sidelight.max_entropy.maxent import maxent

PEOPLE = [("m", 1), ("m", 1), ("f", 1), ("m", 2), ("f", 2), ("f", 2)]
VALUES = {1: ["a", "b", "c"], 2: ["a", "a", "b"]}
CELLS = [(sex, group, value) for sex in "mf" for group in (1, 2) for value in sorted(set(VALUES[group]))]
SHARES = [("a", "m"), ("b", "m"), ("a", "f"), ("c", "f"), ("a", None)]
RELEASE = sl.Release.from_buckets([
    ([{"sex": sex} for sex, there in PEOPLE if there == group], VALUES[group]) for group in (1, 2)
])  # fmt: skip


def picked(measured):
    """The share that each measurement is of, as a sum of amounts."""
    return [
        np.array([v == value and sex in (None, s) for s, _, v in CELLS], float) / people(sex)
        for value, sex, *_ in measured
    ]


def cost(amounts, measured):
    """Σ x ln x − ln L: the less, the likelier."""
    total = sum(amount * np.log(amount) for amount in amounts if amount > 0)
    for (_, _, value, scale, noise), pick in zip(measured, picked(measured), strict=True):
        off = abs(pick @ amounts - value)
        total += off**2 / (2 * scale**2) if noise == "normal" else off / scale
    return total


def likeliest(measured):
    """Minimise the cost over amounts of people with a sex, a group and a value; |y − c| is the sum of two slacks."""
    rows = {key: sum((sex, there) == key for sex, there in PEOPLE) for key in {(s, g) for s, g, _ in CELLS}}
    counts = {(g, v): number for g in VALUES for v, number in Counter(VALUES[g]).items()}
    # of each group one sum follows from the others, which SLSQP does not take
    sums = [([key == (s, g) for s, g, _ in CELLS], number) for key, number in rows.items() if key[0] == "m"]
    sums += [([key == (g, v) for _, g, v in CELLS], number) for key, number in counts.items()]
    picks, size = picked(measured), len(CELLS)

    def with_slacks(x):
        amounts, slack = np.maximum(x[:size], 1e-300), x[size:]
        total = amounts @ np.log(amounts)
        for k, ((_, _, value, scale, noise), pick) in enumerate(zip(measured, picks, strict=True)):
            if noise == "normal":
                total += (pick @ x[:size] - value) ** 2 / (2 * scale**2)
            else:
                total += (slack[2 * k] + slack[2 * k + 1]) / scale
        return total

    def distance(x, k):
        return picks[k] @ x[:size] - measured[k][2] - x[size + 2 * k] + x[size + 2 * k + 1]

    equal = [{"type": "eq", "fun": lambda x, row=row, to=to: np.array(row, float) @ x[:size] - to} for row, to in sums]
    equal += [{"type": "eq", "fun": lambda x, k=k: distance(x, k)} for k in range(len(measured))]
    start = np.append([rows[s, g] * counts[g, v] / 3 for s, g, v in CELLS], np.ones(2 * len(measured)))
    bounds = [(1e-9, None)] * size + [(0, None)] * (len(start) - size)
    best = minimize(with_slacks, start, method="SLSQP", bounds=bounds, constraints=equal, options={"maxiter": 1000})
    return best.x[:size]


def people(sex):
    return sum(sex in (None, each) for each, _ in PEOPLE)


measurements = st.lists(
    st.tuples(
        st.sampled_from(SHARES),
        st.fractions(-1, 2, max_denominator=10),
        st.sampled_from([Fraction(1, 10), Fraction(1, 4), Fraction(1)]),
        st.sampled_from(["normal", "laplace"]),
    ),
    min_size=1, max_size=3, unique_by=lambda each: each[0],
)  # fmt: skip


@examples(15)
@given(measurements)
def test_the_likeliest_table(drawn):
    measured = [(*share, float(value), float(scale), noise) for share, value, scale, noise in drawn]
    known = [
        P(value, given={"sex": sex} if sex else {}).measured(center, scale=scale, noise=noise)
        for (value, sex), center, scale, noise in drawn
    ]
    beliefs = maxent(RELEASE, known)
    assert beliefs.certificate.holds
    amounts = np.array([
        beliefs.probability(value, given={"sex": sex}, group=group) * sum(each == (sex, group) for each in PEOPLE)
        for sex, group, value in CELLS
    ])  # fmt: skip
    # the cost is strictly convex, and SLSQP is not always at its minimum: who fits the release and is as low is there
    assert cost(amounts, measured) <= cost(likeliest(measured), measured) + 1e-5
    # each pushes as much as its likelihood is steep
    for statement, (_, sex, value, scale, noise), pick in zip(known, measured, picked(measured), strict=True):
        push, off = beliefs.certificate.multipliers[str(statement)] * people(sex), value - pick @ amounts
        if noise == "normal":
            assert abs(push - off / scale**2) < 1e-3
        else:
            assert abs(push) <= 1 / scale + 1e-6
            assert abs(off) < 1e-5 or abs(push - np.sign(off) / scale) < 1e-3


@examples(20)
@given(measurements)
def test_no_laplace_measurement_pushes_more_than_its_scale_allows(drawn):
    """|μ| ≤ 1/scale, in people: what ε-differential privacy lets a count tell."""
    for (value, sex), center, scale, _ in drawn:
        known = P(value, given={"sex": sex} if sex else {}).measured(center, scale=scale, noise="laplace")
        (push,) = maxent(RELEASE, [known]).certificate.multipliers.values()
        assert abs(push) <= 1 / float(scale * people(sex)) + 1e-9
