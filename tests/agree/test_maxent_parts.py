"""The steps of maximum entropy agree with slow, obvious twins: support, quotient, elimination, forced zeros."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from support.examples import examples

import sidelight as sl
from sidelight.errors import Contradiction
from sidelight.knowledge.events import ConditionalProbability
from sidelight.knowledge.statements import read_statements
from sidelight.max_entropy import constraints as terms_module
from sidelight.max_entropy import newton
from sidelight.max_entropy.constraints import Term, constraints_of, find_support, mentioned_conditions
from sidelight.max_entropy.presolve import _linear_program, forced_zeros, zeros_at
from sidelight.max_entropy.problem import quotient_of, reduce_problem
from sidelight.max_entropy.subproblems import solve
from sidelight.max_entropy.variables import Blocks, Variables
from sidelight.progress import quiet

SEX, TOWN, VALUES = ("m", "f"), ("x", "y", "z"), ("a", "b", "c", "d")
LINE = st.fixed_dictionaries({"sex": st.sampled_from(SEX), "town": st.sampled_from(TOWN)})
BUCKET = st.lists(st.tuples(LINE, st.sampled_from(VALUES)), min_size=1, max_size=5)


def release(buckets):
    return sl.Release.from_buckets([([line for line, _ in each], [value for _, value in each]) for each in buckets])


@st.composite
def shares(draw, values):
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True))
    condition = draw(st.fixed_dictionaries({}, optional={"sex": st.sampled_from(SEX), "town": st.sampled_from(TOWN)}))
    return ConditionalProbability(tuple(chosen), tuple(sorted(condition.items())))


@given(st.data(), st.sampled_from([1, 1 << 23]))
def test_support_is_found_at_once_as_term_by_term(data, at_once):
    drawn = data.draw(st.lists(BUCKET, min_size=1, max_size=80))
    present = {cell for bucket in drawn for line, _ in bucket for cell in line.items()}
    terms = data.draw(st.lists(st.builds(Term, shares(release(drawn).domain), others=st.booleans()), max_size=5))
    terms = [term for term in terms if present >= set(term.share.given)]
    variables = Variables(release(drawn), {}, tuple(cell for term in terms for cell in term.share.given))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms_module, "BITS_AT_ONCE", at_once)
        support, certain, possible = find_support(variables, terms, {})
    # all people are known, so that a part is a row
    crossed = support.cross(variables.blocks, variables.parts.row)
    entries = {*zip(*(each.tolist() for each in crossed), strict=True)}
    assert len(entries) == len(crossed[0])
    assert len(possible[0]) == 0
    expected = set()
    for number, term in enumerate(terms):
        rows = variables.rows_with(term.share.given)
        assert certain[number] == variables.members.people[rows].sum()
        columns = variables.columns_with(term.share.values)
        if term.others:
            columns = np.setdiff1d(np.arange(len(variables.value)), columns)
        expected |= {
            (number, row, column)
            for row in rows.tolist()
            for column in columns.tolist()
            if variables.blocks.row_group[row] == variables.blocks.column_group[column]
        }
    assert entries == expected


@given(st.data())
def test_a_class_is_what_is_in_the_same_terms(data):
    """Groups by what their rows and columns are in, written out."""
    groups = data.draw(st.integers(1, 6))
    sides = []
    for _ in range(2):
        sizes = data.draw(st.lists(st.integers(1, 3), min_size=groups, max_size=groups))
        group = np.repeat(np.arange(groups), sizes)
        people = np.array(data.draw(st.lists(st.integers(1, 2), min_size=len(group), max_size=len(group))))
        terms_of = [data.draw(st.sets(st.integers(0, 2))) for _ in group]
        pairs = sorted((term, thing) for thing, terms in enumerate(terms_of) for term in terms)
        listed = tuple(np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
        sides.append((group, people, terms_of, listed))
    (rows, row_people, row_terms_of, row_listed), (columns, column_people, column_terms_of, column_listed) = sides
    quotient = quotient_of(Blocks(rows, row_people, columns, column_people, groups), row_listed, column_listed)

    def shape(number, group, people, terms_of):
        mine = {}
        for thing in np.flatnonzero(group == number):
            mine[frozenset(terms_of[thing])] = mine.get(frozenset(terms_of[thing]), 0) + people[thing]
        return frozenset(mine.items())

    shapes = [
        (shape(g, rows, row_people, row_terms_of), shape(g, columns, column_people, column_terms_of))
        for g in range(groups)
    ]
    for one in range(groups):
        for other in range(groups):
            assert (quotient.group[one] == quotient.group[other]) == (shapes[one] == shapes[other])
    for kind, group, terms_of in ((quotient.row, rows, row_terms_of), (quotient.column, columns, column_terms_of)):
        for one in range(len(group)):
            for other in range(len(group)):
                same = terms_of[one] == terms_of[other] and shapes[group[one]] == shapes[group[other]]
                assert (kind[one] == kind[other]) == same
    assert quotient.blocks.row_people.sum() == row_people.sum()
    assert quotient.distribute(np.ones(quotient.blocks.entries), np.arange(0), np.arange(0)).size == 0


@examples(12)
@given(st.lists(BUCKET, min_size=1, max_size=3), st.integers(2, 4), st.data())
def test_a_release_several_times_over_is_believed_like_once(buckets, times, data):
    once, often = release(buckets), release(buckets * times)
    about = sorted({value for each in buckets for _, value in each})
    known = []
    for share in data.draw(st.lists(shares(about), max_size=3)):
        mine = [value for each in buckets for line, value in each if set(share.given) <= set(line.items())]
        if mine:
            true = Fraction(sum(value in share.values for value in mine), len(mine))
            known.append(sl.P(list(share.values), given=dict(share.given)) == true)
    one, other = sl.maxent(once, known), sl.maxent(often, known)
    first, again = one.table().to_pylist(), other.table().to_pylist()
    for copy in range(times):
        for expected, believed in zip(first, again[copy * len(first) :], strict=False):
            assert believed["probability"] * times == pytest.approx(expected["probability"], abs=1e-7)
    assert other.variables_solved == one.variables_solved


@examples(12)
@given(
    st.lists(BUCKET, min_size=1, max_size=6), st.data(), st.sampled_from([(1, 1 << 18), (4, 1 << 18), (4, 1), (1, 1)])
)
def test_a_step_solves_with_the_hessian(buckets, data, how):
    present = {cell for bucket in buckets for line, _ in bucket for cell in line.items()}
    known = read_statements(
        [
            sl.P(list(share.values), given=dict(share.given)) >= 0.01
            for share in data.draw(st.lists(shares(release(buckets).domain), min_size=1, max_size=4))
            if present >= set(share.given)
        ]
    )
    variables = Variables(release(buckets), {}, mentioned_conditions(known, {}))
    problem = reduce_problem(variables, constraints_of(variables, known)).problem
    if len(problem) == 0:
        return
    chance = np.random.default_rng(0)
    amounts = chance.random(len(problem)) + 0.1
    amounts *= (problem.people / np.add.reduceat(amounts, problem.first))[problem.row]
    every = np.arange(len(problem))
    row, column = (np.zeros((size, len(problem))) for size in (len(problem.people), len(problem.counts)))
    row[problem.row, every] = column[problem.column, every] = 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newton, "ALL_CONSTRAINTS_FROM", how[0])
        patch.setattr(newton, "CACHED_NUMBERS", how[1])
        hessian = newton.Hessian(newton.Dual(problem), amounts)
    matrix = problem.coefficients.toarray()
    weights = np.diag(amounts) - (row * amounts).T @ np.diag(1 / problem.people) @ (row * amounts)
    whole = np.block(
        [
            [column @ weights @ column.T, column @ weights @ matrix.T],
            [matrix @ weights @ column.T, matrix @ weights @ matrix.T],
        ]
    )
    right = whole @ chance.random(len(whole))  # in its range: sums that follow from others leave it singular
    columns, statements = np.split(right, [len(problem.counts)])
    solved = np.concatenate(hessian.solve(columns, statements, np.ones(len(statements), bool)))
    assert whole @ solved == pytest.approx(right, abs=1e-5)


def at_the_edge(buckets, seed=0):
    """Buckets of five in which those who say q=0 have as many of the values 0 and 1 as they can."""
    chance = np.random.default_rng(seed)
    rows = []
    for bucket in range(buckets):
        values = sorted(chance.permutation(8)[:5].tolist(), key=lambda value: value > 1)
        people = sorted((int(chance.integers(2)), int(chance.integers(12))) for _ in values)
        rows += [{"q": str(q), "r": str(r), "v": str(v), "b": bucket} for (q, r), v in zip(people, values, strict=True)]
    return pa.Table.from_pylist(rows)


def test_zeros_that_only_two_statements_together_force():
    """Neither statement is at its edge; together they are."""
    frame = at_the_edge(150)
    release = sl.read_release(frame, group="b", quasi=["q", "r"], sensitive="v")
    table = sl.read_table(frame, quasi=["q", "r"], sensitive="v")
    rules = [
        rule
        for rule in sl.strongest_rules(table, positive=400, sizes=[1], support=5)
        if ("q", "0") not in rule.about.given
    ]
    mine = frame.filter(pa.compute.equal(frame["q"], "0"))["v"].to_pylist()
    both = [sl.P(value, q="0") == Fraction(mine.count(value), len(mine)) for value in "01"]
    rules = rules[::3]  # all of them would say some things twice, and push without end and to no effect
    beliefs = sl.maxent(release, [*rules, *both])
    assert beliefs.variables_solved > 200
    assert beliefs.certificate.forced_zeros > 100
    assert beliefs.certificate.holds
    assert beliefs.solution.amounts[~beliefs.solution.zero].min() > 1e-4
    assert max(abs(each) for each in beliefs.certificate.multipliers.values() if each is not None) < 10
    for value in "01":  # one of the others has it only where there are too few who say q=0
        assert beliefs.probability(value, given={"q": "0"}) == pytest.approx(mine.count(value) / len(mine), abs=1e-9)


def test_a_contradiction_of_two_among_many_is_named_in_one_line():
    frame = at_the_edge(150)
    release = sl.read_release(frame, group="b", quasi=["q", "r"], sensitive="v")
    table = sl.read_table(frame, quasi=["q", "r"], sensitive="v")
    rules = sl.strongest_rules(table, positive=30, sizes=[1], support=5)
    mine = frame.filter(pa.compute.equal(frame["q"], "0"))["v"].to_pylist()
    zero, one = (Fraction(mine.count(value), len(mine)) for value in "01")
    known = [*(rule for rule in rules if ("q", "0") not in rule.about.given), sl.P("0", q="0") == zero]
    more = sl.P("1", q="0") >= one + Fraction(1, 2 * len(mine))
    with pytest.raises(Contradiction) as caught:
        sl.maxent(release, [*known, more])
    assert set(caught.value.facts) == {str(known[-1]), str(more)}
    assert "\n" not in str(caught.value)
    with pytest.raises(Contradiction, match=r"otherwise.*'P\(0 \| q=0\) >= 0.9'"):
        sl.maxent(release, [*known, sl.P("0", q="0") >= 0.9])


@examples(20)
@given(st.lists(BUCKET, min_size=1, max_size=4), st.data())
def test_zeros_at_a_solution_are_those_of_every_solution(buckets, data):
    """The small program about directions finds what the large one about everything does, inequalities included."""
    known, everybody = [], [each for bucket in buckets for each in bucket]
    for share in data.draw(st.lists(shares(release(buckets).domain), min_size=1, max_size=3)):
        mine = [value for line, value in everybody if set(share.given) <= set(line.items())]
        if mine:
            true = Fraction(sum(value in share.values for value in mine), len(mine))
            about = sl.P(list(share.values), given=dict(share.given))
            known.append(data.draw(st.sampled_from([about == true, about <= true, about >= true])))
    known = read_statements(known)
    variables = Variables(release(buckets), {}, mentioned_conditions(known, {}))
    problem = reduce_problem(variables, constraints_of(variables, known)).problem
    if len(problem) == 0:
        return
    amounts = solve(problem, deadline=math.inf, progress=quiet).amounts
    suspects = np.flatnonzero(amounts < 1e-9)
    everything = forced_zeros(problem, np.arange(len(problem)))
    assert set(suspects.tolist()) == set(np.flatnonzero(everything).tolist())
    # a corner of what fits has more amounts that vanish, of which some could be positive elsewhere
    cost = np.random.default_rng(0).random(len(problem))
    corner = linprog(cost, *_linear_program(problem), method="highs-ds").x
    for solution in (amounts, corner):
        suspects = np.flatnonzero(solution < 1e-9)
        if len(suspects):
            assert zeros_at(problem, solution, suspects).tolist() == everything.tolist()
