"""What may be handed to `protect`, what it says to anything else, and what would pass when nothing does."""

import pandas as pd
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, WrongKind

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
