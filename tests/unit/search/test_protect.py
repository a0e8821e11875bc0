"""What may be handed to `protect`, what it says to anything else, and what would pass when nothing does."""

from dataclasses import replace
from typing import get_args

import pandas as pd
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, WrongKind
from sidelight.measures.criterion import Criterion
from sidelight.search.method import Recodes
from sidelight.search.one_group import one_group
from sidelight.search.protect import METHODS, MethodName

ADULT = sl.datasets.adult(quasi=["age", "sex"])
LARGE = sl.GroupSize() >= 50


def protected(policy=LARGE, **options):
    return sl.protect(ADULT.table, policy, **{"by": ADULT.hierarchies, **options})


def test_a_criterion_or_several_are_a_policy():
    diverse = sl.DistinctValues() >= 3
    whole = protected(sl.Policy(LARGE, diverse))
    for policy in ([LARGE, diverse], (each for each in (LARGE, diverse))):
        assert protected(policy).policy == whole.policy
        assert protected([LARGE, diverse]).levels == whole.levels
    assert protected(LARGE).policy == sl.Policy(LARGE)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (sl.GroupSize(), "the policy should be a Policy, not a GroupSize; put criteria into one, such as sl.Policy"),
        ("group size >= 5", "the policy should be a Policy, not a str; .* or sl.read_policy"),
        (5, "the policy should be a Policy, not an int"),
        (None, "the policy should be a Policy, not None"),
    ],
)
def test_what_is_no_policy_is_told_what_is_one(policy, message):
    with pytest.raises(WrongKind, match=message):
        protected(policy)


@pytest.mark.parametrize(("policy", "message"), [([], "at least one criterion"), ([sl.GroupSize()], "got a GroupSize")])
def test_several_of_something_else_are_no_policy(policy, message):
    with pytest.raises(BadPolicy, match=message):
        protected(policy)


def test_a_dataframe_is_no_table_and_the_line_says_how_to_read_it():
    with pytest.raises(WrongKind, match=r"not a pandas DataFrame; read it first with sl\.read_table") as why:
        sl.protect(pd.DataFrame({"age": ["30"]}), LARGE)
    assert "\n" not in str(why.value)
    with pytest.raises(WrongKind, match="give the table that it was made from"):
        sl.protect(sl.group(ADULT.table, by="sex"), LARGE)


def test_hierarchies_are_named_by_their_columns():
    hierarchy = ADULT.hierarchies["age"]
    for by in (hierarchy, [hierarchy], "hierarchies/"):
        with pytest.raises(WrongKind, match=r"by= is a mapping .* write by=\{'age': hierarchy\}, or read a folder"):
            protected(by=by)
    with pytest.raises(WrongKind, match=r"the hierarchy of 'age' should be a Hierarchy, not a list; read one with"):
        protected(by={"age": [1, 2]})
    with pytest.raises(BadHierarchy, match=r"Hierarchy.suppression\('age', values\)"):
        protected(by=None)


def test_methods_and_utilities_are_told_apart_by_name():
    with pytest.raises(BadPolicy, match="did you mean 'discernibility'"):
        protected(utility="discernability")
    with pytest.raises(BadPolicy, match="did you mean 'mondrian'"):
        protected(method="modrian")
    with pytest.raises(WrongKind, match=r"method= should be a method or its name, not a class; write sl\.Mondrian\(\)"):
        protected(method=sl.Mondrian)
    with pytest.raises(WrongKind, match="method= is a name, and this is of type int; there are: lattice, mondrian"):
        protected(method=5)
    with pytest.raises(WrongKind, match="utility= is a name, and this is of type list"):
        protected(utility=["loss"])


def test_only_the_lattice_suppresses_and_only_a_share():
    with pytest.raises(BadPolicy, match="does not suppress"):
        protected(method="mondrian", suppress=0.1)
    with pytest.raises(BadPolicy, match="suppress=2 is not a share"):
        protected(suppress=2)
    with pytest.raises(BadPolicy, match='suppress="a tenth" is not a share'):
        protected(suppress="a tenth")


def refused(*criteria) -> NothingSafe:
    with pytest.raises(NothingSafe) as why:
        sl.protect(ADULT.table, sl.Policy(*criteria), by=ADULT.hierarchies)
    return why.value


def test_sizes_may_be_at_most_what_everybody_is():
    why = refused(sl.GroupSize() >= 60_000)
    assert why.blocked_by == ("group size ≥ 60000 (it is 45,222)",)
    assert why.closest == ("group size with a limit of at most 45,222",)


def test_the_limit_that_would_pass_does_pass_as_it_is_printed():
    why = refused(sl.EntropyDiversity() >= 12)  # it is 10.56693…
    assert why.blocked_by == ("entropy diversity ≥ 12 (it is 10.5669)",)
    assert why.closest == ("entropy diversity with a limit of at most 10.5669",)
    assert protected(sl.EntropyDiversity() >= 10.5669).verdict.safe
    why = refused(sl.Implications(9) <= 0.3)  # it is 0.694989…
    assert why.closest[0] == "implications(k=9) with a limit of at least 0.6950 (3010/4331)"
    assert protected(sl.Implications(9) <= 0.6950).verdict.safe


def test_risks_may_be_limited_by_more_or_knowledge_by_less():
    why = refused(sl.Implications(9) < 0.3)
    assert why.closest[0].startswith("implications(k=9) with a limit of more than 0.69")
    assert why.closest[1] == "implications(k=4) < 0.3"


def test_a_risk_of_one_has_no_limit_that_would_pass():
    why = refused(sl.Acquaintance(rules_out=13) < 0.5)
    assert all("limit of" not in line for line in why.closest)
    assert why.closest == ("acquaintance(rules_out=4) < 0.5",) or "rules_out" in why.closest[0]


def test_nothing_would_pass_at_all():
    assert "leave that out" in str(refused(sl.PriorBelief(stubbornness=float("inf")) <= 3))


# What would pass is found in a few dozen measurements, however large an amount is.


TWELVE = sl.read_table(
    pd.DataFrame({"age": [str(age) for age in range(12)], "disease": list("aaaaaabbbccd")}),
    quasi=["age"],
    sensitive="disease",
)
MILLION = 1_000_000


def measured(monkeypatch) -> list[sl.Criterion]:
    """Note every criterion that is judged from here on."""
    seen, plain = [], Criterion.judge
    monkeypatch.setattr(Criterion, "judge", lambda each, release: seen.append(each) or plain(each, release))
    return seen


@pytest.mark.parametrize("table", [ADULT.table, TWELVE], ids=["Adult", "12 rows"])
@pytest.mark.parametrize(
    "criterion",
    [
        sl.PriorBelief(stubbornness=MILLION) <= 1.5,
        sl.PriorBelief(stubbornness=50_000) <= 1.5,
        sl.PriorBelief(shape="uniform", stubbornness=MILLION) <= 1.1,
        sl.PriorBelief(shape="uniform", stubbornness=50_000, least_stubbornness="same") <= 1.1,
        sl.PriorBelief(shape="uniform", stubbornness=30, known_people=MILLION) <= 1.1,
        sl.Implications(MILLION) < 0.6,
        sl.Negations(MILLION) < 0.6,
        sl.Acquaintance(rules_out=MILLION) < 0.6,
        sl.Acquaintance(others=MILLION, family=1) < 0.6,
        sl.Acquaintance(family=MILLION) < 0.6,
        sl.RecursiveDiversity(MILLION) <= 2,
    ],
    ids=str,
)
def test_amounts_of_a_million_come_back_with_what_would_pass(monkeypatch, table, criterion):
    seen = measured(monkeypatch)
    with pytest.raises(NothingSafe) as why:
        sl.protect(table, criterion, by=ADULT.hierarchies, method="mondrian")
    assert len(seen) <= 60
    name, amount = next((name, amount) for name, amount in criterion.measure.amounts().items() if amount > 1_000)
    smaller = [other for other in seen if str(other) in why.value.closest and other.measure.amounts()[name] < amount]
    assert all(other.judge(one_group(table)).holds for other in smaller)
    if name in criterion.measure.more_is_worse and smaller:
        one_more = replace(criterion, measure=smaller[0].measure.replace_settings(**{name: largest(smaller, name) + 1}))
        assert not one_more.judge(one_group(table)).holds


def largest(criteria: list[sl.Criterion], name: str) -> int:
    return max(each.measure.amounts()[name] for each in criteria)


def test_the_stubbornness_that_would_pass_is_named():
    why = refused(sl.PriorBelief(stubbornness=MILLION) <= 1.5)
    assert why.closest[1] == "prior belief(stubbornness=22612) ≤ 1.5"


def test_progress_says_that_a_measure_of_whole_releases_judges_what_was_found():
    steps = []
    limit = sl.Learner(model="naive bayes", rounds=1) <= 1
    protected([LARGE, limit], method="mondrian", ask="nobody", progress=lambda *step: steps.append(step))
    assert steps[-1] == ("judging what was found: learner", 0, None)


def test_methods_are_named_by_their_type_and_say_what_others_ask_of_them():
    assert get_args(MethodName) == tuple(METHODS)
    for kind in METHODS.values():
        assert kind.recodes in get_args(Recodes)
        assert kind.description
        assert kind.prints_rows == (kind.recodes != "buckets")
        assert kind.prints_averages == (kind.recodes == "averages")
