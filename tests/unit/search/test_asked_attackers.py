"""Attackers whom a policy does not name are asked of what a search found, quickly, and people are warned."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.documents.facts import reader_facts
from sidelight.errors import FallsToReaderWarning
from sidelight.policy.measure_names import ASK_CHOICES, all_measures, asked_attackers
from sidelight.rounding import round_at_a_glance
from sidelight.search.asked_attackers import ask_choices, found_release, largest_share, with_people
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table

HALF = [sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1]


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult()


@pytest.fixture(scope="module")
def mondrian(adult):
    along = {name: each for name, each in adult.hierarchies.items() if name != "age"}
    with pytest.warns(FallsToReaderWarning, match="an insider, who knows"):
        return sl.protect(adult.table, HALF, by=along, method="mondrian")


@pytest.fixture(scope="module")
def anatomy(adult):
    with pytest.warns(FallsToReaderWarning, match="a learner, who trains"):
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
    facts = reader_facts(asked)
    assert facts.lower_bound
    assert facts.belief.number <= asked.belief
    assert asked.for_readers().belief <= asked.belief


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
    release = with_people(mondrian)
    assert release.members.people.sum() == release.size
    assert largest_share(release) == sl.Implications(0).measure(release).value


def test_the_sidecar_tells_what_readers_reach_and_nothing_that_is_true(mondrian, tmp_path):
    document = json.loads(mondrian.publish(tmp_path / "out.csv").sidecar.read_text())
    learner, insider = (each for each in document["readers"] if each["reader"] in ("learner", "insider"))
    assert insider["lower_bound"]  # people in large groups were left out
    assert insider["belief"]["number"] == pytest.approx(0.606)
    for told, asked in zip((learner, insider), answers_of(mondrian), strict=True):
        assert told["belief"] == json.loads(reader_facts(asked).belief.model_dump_json())
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
    with pytest.raises(sl.errors.TooHard, match="does not say how it was made"):
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
