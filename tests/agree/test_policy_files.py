"""What is written as a policy file, or printed as a limit, is read back as the same policy, whatever the measures and bounds are."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.measures.criterion import Comparison, Criterion, exact
from sidelight.policy.limits import read_limit, settings_of
from sidelight.policy.measure_names import all_measures
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text
from sidelight.table.roles import Roles

AWKWARD = st.text(st.characters(blacklist_categories=("Cs",)), max_size=8)
MEASURED = [
    *(kind() for kind in all_measures() if all(default is not ... for _, default in settings_of(kind).values()) and kind.name != "prior belief"),
    sl.RecursiveDiversity(l=5),
    sl.Closeness(distance="ordered", order=("low", "high")),
    sl.Closeness(distance="hierarchical", hierarchy=sl.Hierarchy("value", (("a", "b"), ("x", "x"), ("*", "*")))),
    sl.Closeness(distance="ordered", order=("low", None, "high")),
    sl.BetaLikeness(kind="enhanced"),
    sl.DeltaDisclosure(absent="skipped"),
    sl.Implications(3),
    sl.Implications(2, value="Lung cancer"),
    sl.Acquaintance(rules_out=1, others=5, family=2, value="AIDS"),
    sl.PriorBelief(counts={"Flu": 12_000, "Cancer": 18_000}),
    sl.PriorBelief(shape="uniform", stubbornness=1_000),
    sl.PriorBelief(shape="uniform", stubbornness=1_000, least_stubbornness="same"),
    sl.PriorBelief(stubbornness=1_000, predicates="all subsets"),
    sl.PriorBelief(stubbornness=1_000, rules_out=2),
    sl.PriorBelief(shape="uniform", stubbornness=1_000, least_stubbornness=Fraction(7, 2)),
    sl.PriorBelief(shape={"Flu": Fraction(1, 3), "Lung cancer": Fraction(2, 3)}, stubbornness=math.inf, known_people=2),
    sl.PriorBelief(stubbornness=Fraction(7, 2), predicates={"a stomach disease": ["Ulcer", "Dyspepsia"]}),
]  # fmt: skip


@st.composite
def criteria(draw):
    measure = draw(st.sampled_from(MEASURED))
    least, most = (exact(limit) for limit in measure.limits)
    top = 1000 if most == math.inf else most
    bound = draw(st.fractions(Fraction(least), Fraction(top), max_denominator=500))
    bound = draw(st.sampled_from([bound, float(bound)])) if least < float(bound) < top else bound
    right = [each for each in Comparison if each.from_above == measure.large_is_bad]
    return Criterion(measure, draw(st.sampled_from(right)), bound)


@given(st.lists(criteria(), min_size=1, max_size=4))
def test_a_policy_survives_writing_and_reading(drawn):
    policy = sl.Policy(*drawn)
    assert read_policy_text(policy.to_toml()).policy == policy


@given(criteria())
def test_what_a_criterion_prints_is_read_again(criterion):
    assert read_limit(str(criterion)) == criterion
    assert str(read_limit(str(criterion))) == str(criterion)


@given(
    st.lists(AWKWARD, min_size=1, max_size=3), AWKWARD, st.none() | AWKWARD, st.none() | st.lists(AWKWARD, max_size=3)
)
def test_roles_survive_writing_and_reading(quasi, sensitive, person, domain):
    roles = Roles(
        quasi=tuple(quasi), sensitive=sensitive, person=person, domain=None if domain is None else tuple(domain)
    )
    policy = sl.Policy(sl.GroupSize() >= 5)
    assert read_policy_text(policy_text(policy, roles.stated())).roles == roles


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("group size >= 5", sl.GroupSize() >= 5),
        ("implications(k=3) < 0.5", sl.Implications(3) < 0.5),
        ("implications(2, value=Lung cancer) < 1/2", sl.Implications(2, value="Lung cancer") < Fraction(1, 2)),
        ("acquaintance(rules_out=4) < 3/4", sl.Acquaintance(rules_out=4) < Fraction(3, 4)),
        ("prior belief(stubbornness=1_000) <= 3", sl.PriorBelief(stubbornness=1_000) <= 3),
        ("closeness(ordered) <= 0.2", sl.Closeness(distance="ordered") <= 0.2),
    ],
)
def test_text_says_what_python_says(text, python):
    assert read_limit(text) == python
