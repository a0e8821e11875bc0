"""What may be handed to `protect`, what it says to anything else, and what would pass when nothing does.

Attackers whom a policy does not name are asked of what a search found, quickly, and people are warned.
"""

import json
import warnings
from dataclasses import replace
from fractions import Fraction
from typing import get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.documents.document import attacker_facts
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, UnnamedAttackerWarning, WrongKind
from sidelight.measures.criterion import Criterion
from sidelight.policy.measure_names import ASK_CHOICES, all_measures, asked_attackers
from sidelight.rounding import round_at_a_glance
from sidelight.search.method import Recodes
from sidelight.search.policy_check import one_group
from sidelight.search.protect import METHODS, MethodName, ask_choices, found_release, largest_share
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

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
        (sl.GroupSize(), r"a Policy, not a GroupSize.*sl\.Policy"),
        ("group size >= 5", r"a Policy, not a str.*sl\.read_policy"),
        (5, "a Policy, not an int"),
        (None, "a Policy, not None"),
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
    with pytest.raises(WrongKind, match=r"not a pandas DataFrame.*sl\.read_table") as why:
        sl.protect(pd.DataFrame({"age": ["30"]}), LARGE)
    assert "\n" not in str(why.value)
    with pytest.raises(WrongKind, match=r"the table.*made from"):
        sl.protect(sl.group(ADULT.table, by="sex"), LARGE)


def test_hierarchies_are_named_by_their_columns():
    hierarchy = ADULT.hierarchies["age"]
    for by in (hierarchy, [hierarchy], "hierarchies/"):
        with pytest.raises(WrongKind, match=r"by=.*mapping.*by=\{'age': hierarchy\}.*folder"):
            protected(by=by)
    with pytest.raises(WrongKind, match=r"'age'.* a Hierarchy, not a list.*read_hierarchy"):
        protected(by={"age": [1, 2]})
    with pytest.raises(BadHierarchy, match=r"Hierarchy.suppression\('age', values\)"):
        protected(by=None)


def test_methods_and_utilities_are_told_apart_by_name():
    with pytest.raises(BadPolicy, match="did you mean 'discernibility'"):
        protected(utility="discernability")
    with pytest.raises(BadPolicy, match="did you mean 'mondrian'"):
        protected(method="modrian")
    with pytest.raises(WrongKind, match=r"method=.*not a class.*sl\.Mondrian\(\)"):
        protected(method=sl.Mondrian)
    with pytest.raises(WrongKind, match=r"method=.* int\b.*lattice, mondrian"):
        protected(method=5)
    with pytest.raises(WrongKind, match=r"utility=.* list\b"):
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
    (blocked,), (closest,) = why.blocked_by, why.closest
    assert mentions(blocked, "group size ≥ 60000", "45,222")
    assert mentions(closest, "group size", "at most 45,222")


def test_the_limit_that_would_pass_does_pass_as_it_is_printed():
    why = refused(sl.EntropyDiversity() >= 12)  # it is 10.56693…
    (blocked,), (closest,) = why.blocked_by, why.closest
    assert mentions(blocked, "entropy diversity ≥ 12", "10.5669")
    assert mentions(closest, "entropy diversity", "at most 10.5669")
    assert protected(sl.EntropyDiversity() >= 10.5669).verdict.safe
    why = refused(sl.Implications(9) <= 0.3)  # it is 0.694989…
    assert mentions(why.closest[0], "implications(k=9)", "at least 0.6950", "3010/4331")
    assert protected(sl.Implications(9) <= 0.6950).verdict.safe


def test_risks_may_be_limited_by_more_or_knowledge_by_less():
    why = refused(sl.Implications(9) < 0.3)
    assert mentions(why.closest[0], "implications(k=9)", "more than")
    assert "more than 0.69" in why.closest[0]
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


HALF = [sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1]


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult()


@pytest.fixture(scope="module")
def mondrian(adult):
    along = {name: each for name, each in adult.hierarchies.items() if name != "age"}
    with pytest.warns(UnnamedAttackerWarning, match="an insider, who knows"):
        return sl.protect(adult.table, HALF, by=along, method="mondrian")


@pytest.fixture(scope="module")
def anatomy(adult):
    with pytest.warns(UnnamedAttackerWarning, match="a learner, who trains"):
        return sl.protect(
            adult.table, sl.DistinctValues() >= 4, method=sl.Anatomy(l=4, random=np.random.default_rng(3))
        )


def answers_of(found):
    """What a learner and an insider answered."""
    answers = {each.reader: each for each in found.readers}
    return answers["learner"], answers["insider"]


def test_protect_warns_when_mondrian_falls_to_an_insider(mondrian):
    learner, insider = answers_of(mondrian)
    assert (insider.outcome, insider.falls, insider.limit) == ("asked", True, Fraction(1, 2))
    assert (float(insider.belief), insider.people) == (pytest.approx(0.606, abs=0.005), 31)
    assert insider.right > 0.5
    # all that were counted are counted as the whole attack counts them
    assert insider.belief == round_at_a_glance(sl.insider(mondrian).worst, large_is_bad=False)
    assert (learner.outcome, learner.falls) == ("asked", False)


def test_protect_warns_when_anatomy_falls_to_a_learner(anatomy):
    learner, insider = answers_of(anatomy)
    assert (learner.outcome, learner.falls, learner.limit) == ("asked", True, Fraction(1, 4))
    assert learner.right > 0.3
    assert insider.outcome == "nothing to learn"


def test_nobody_is_warned_of_limits_on_sizes_alone(adult):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies)
    assert [each.outcome for each in answers_of(found)] == ["not asked", "nothing to learn"]
    assert "sidelight attack FILE --as learner" in answers_of(found)[0].sentence()


def test_nobody_is_asked_where_nobody_should_be(adult):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sl.protect(adult.table, HALF, method="mondrian", ask="nobody")
    assert {each.outcome for each in found.readers} == {"not asked"}
    with pytest.raises(sl.errors.BadPolicy, match="no ask 'everybody'"):
        sl.protect(adult.table, HALF, method="mondrian", ask="everybody")


def test_what_resists_the_insider_does_not_fall_to_one(adult):
    found = sl.protect(adult.table, HALF, method="mondrian", resists="insider")
    insider = answers_of(found)[1]
    assert not insider.falls
    assert insider.people == 0


def test_a_reader_whom_the_policy_names_is_judged_by_it(adult):
    found = sl.protect(adult.table, [*HALF, sl.Insider() <= 0.7], method="mondrian")
    assert (answers_of(found)[1].reason, answers_of(found)[1].falls) == ("as the policy asks", False)
    assert answers_of(found)[1].limit == Fraction(7, 10)


def test_too_much_to_go_through_is_told_as_not_asked(mondrian):
    found = found_release(mondrian)
    asked = [sl.Learner.answer_search(found, most_cells=10), sl.Insider.answer_search(found, most_people=10)]
    assert [each.outcome for each in asked] == ["not asked", "not asked"]
    assert all("too many" in each.reason for each in asked)


def test_insider_with_groups_left_out_says_at_least(mondrian):
    """What is believed of the others is a lower end of the worst."""
    asked = sl.Insider.answer_search(found_release(mondrian), exact_up_to=0)
    assert asked.unasked > 0
    least = sl.insider(mondrian, exact_up_to=0, beyond="left out").least_worst
    assert asked.belief == pytest.approx(float(least), abs=1e-4)
    assert asked.belief <= least
    assert "at least" in asked.sentence()
    assert "at most" not in asked.sentence()
    facts = attacker_facts(asked)
    assert facts.lower_bound
    assert facts.belief.number <= asked.belief
    assert asked.for_publication().belief <= asked.belief


def test_what_an_attacker_answers_by_measuring_is_beyond_the_limit_or_not(mondrian):
    """An attacker without an answer of its own is asked by its measure."""
    found = found_release(mondrian)
    own = sl.Implications.answer_search.__func__
    assert own(sl.MarketerRisk, found).falls is False
    assert own(
        type("Sure", (sl.Absence,), {"measure": lambda *_: sl.Finding(sl.GroupSize(), Fraction(1), None)}), found
    ).falls


def test_attackers_whom_searches_ask_say_so():
    kinds = [kind for kind in all_measures() if kind.attacker.asked_by_search]
    assert tuple(kinds) == asked_attackers()
    assert ask_choices() == ASK_CHOICES
    assert all(kind.attacker.deed and kind.attacker.remedy and kind.attacker.question for kind in kinds)


def test_chance_is_no_knowledge():
    """People whose values have nothing to do with what they look like: a learner claims much, and knows nothing."""
    random = np.random.default_rng(5)
    rows = {"a": random.integers(0, 30, 2000), "b": random.integers(0, 30, 2000), "s": random.integers(0, 2, 2000)}
    table = sl.read_table(pa.table(rows), quasi=["a", "b"], sensitive="s")
    found = sl.protect(table, sl.DistinctValues() >= 2, method=sl.Anatomy(l=2, random=random))
    assert answers_of(found)[0].outcome == "asked"
    assert not answers_of(found)[0].falls


def test_people_are_where_the_search_put_them(mondrian):
    release = mondrian.with_people()
    assert release.members.people.sum() == release.size
    assert largest_share(release) == sl.Implications(0).measure(release).value


def test_the_sidecar_tells_what_readers_reach_and_nothing_that_is_true(mondrian, tmp_path):
    document = json.loads(mondrian.publish(tmp_path / "out.csv").sidecar.read_text())
    learner, insider = (each for each in document["readers"] if each["reader"] in ("learner", "insider"))
    assert insider["lower_bound"]  # people in large groups were left out
    assert insider["belief"]["number"] == pytest.approx(0.606)
    for told, asked in zip((learner, insider), answers_of(mondrian), strict=True):
        assert told["belief"] == json.loads(attacker_facts(asked).belief.model_dump_json())
    assert insider["limit"]["exact"] == "1/2"
    for each in (learner, insider):
        assert "right" not in each["text"]
        assert not {"right", "falls"} & set(each)


def test_a_quiet_method_is_left_out_of_the_sidecar(mondrian, anatomy, tmp_path):
    published = mondrian.publish(tmp_path / "out.csv", quiet_method=True)
    text = published.sidecar.read_text()
    document = json.loads(text)
    assert document["search"]["method"] is None
    assert "insider" not in [each["reader"] for each in document["readers"]]
    assert "mondrian" not in text
    assert any("kept back" in each for each in document["warnings"])
    release = sl.read_published(tmp_path / "out.csv")
    with pytest.raises(sl.errors.TooHard, match="not say how"):
        sl.insider(release)
    with pytest.raises(sl.errors.NotPublished, match="prints tells the method"):
        anatomy.publish(tmp_path / "two.csv", quiet_method=True)


def test_whoever_guesses_a_quiet_method_learns_as_much(mondrian, adult, tmp_path):
    mondrian.publish(tmp_path / "out.csv", quiet_method=True)
    release = sl.read_published(tmp_path / "out.csv")
    along = {name: each for name, each in adult.hierarchies.items() if name != "age"}
    guessed = sl.insider(release, method="mondrian", policy=HALF, table=adult.table, by=along)
    assert guessed.worst == sl.insider(mondrian).worst


def test_a_table_of_counts_alone_is_searched_though_nobody_knows_who_has_which_values():
    counts = Counts.from_cells([[3, 1], [2, 2]])
    columns = (Column.of("sex", ["f", "m"]),)
    visits = Table(columns, "disease", ("Cold", "Flu"), np.array([3, 3]), counts, semantics="multiset")
    found = sl.protect(visits, [sl.GroupSize() >= 3, sl.Implications(0) <= 1], method="mondrian")
    assert answers_of(found)[0].outcome == "could not tell"
