"""What a population says of a release's groups, how it is written down, and what is refused.

Journalist and marketer risk: what a population makes of a release, and what is wrong with some populations.

Presence and absence: δ-presence from both sides.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, UnknownColumn
from sidelight.policy.limits import read_limit
from sidelight.policy.measure_names import name_here
from sidelight.policy.policy_file import read_policy_text
from sidelight.release.population import Population

AGES = [{"age": "30-39"}, {"age": "50-59"}]
RELEASE = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=AGES)
REGISTER = pa.table({"age": ["31", "34", "38", "52", "57", "77"]})
FEW = pa.table({"age": ["31"]})


def lenient(register):
    return sl.JournalistRisk(register, outside="as in the release")


@pytest.mark.parametrize(
    ("measure", "settings", "text"),
    [
        (sl.JournalistRisk(), {}, "journalist risk"),
        (sl.JournalistRisk(REGISTER), {}, "journalist risk"),
        (
            sl.JournalistRisk("all.csv", "average"),
            {"population": "all.csv", "statistic": "average"},
            "journalist risk(population=all.csv, statistic=average)",
        ),
        (
            sl.MarketerRisk(outside="as in the release"),
            {"outside": "as in the release"},
            'marketer risk(outside="as in the release")',
        ),
    ],
)
def test_a_population_is_written_down_where_it_is_a_file(measure, settings, text):
    assert measure.settings() == settings
    assert [*measure.settings()] == [*settings]
    assert str(measure) == text


def test_a_population_is_kept_as_one_and_may_be_given_later():
    population = Population.from_source(REGISTER)
    assert sl.JournalistRisk(REGISTER).register == population
    assert sl.JournalistRisk(population).register is population
    assert sl.JournalistRisk().register is None
    later = sl.JournalistRisk(None, "average").compare_with(population)
    assert later == sl.JournalistRisk(population, "average")
    assert sl.JournalistRisk.examples(("a",)) == ()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: sl.JournalistRisk(outside="an eror"),
            ("'journalist risk'", 'no outside="an eror"', "'an error'"),
        ),
        (
            lambda: sl.JournalistRisk().measure(RELEASE),
            ("'journalist risk'", "with a population", "population="),
        ),
        (
            lambda: sl.JournalistRisk().bind_table(table("30")),
            ("'journalist risk'", "with a population", "population="),
        ),
        (
            lambda: sl.JournalistRisk(REGISTER).summarize(RELEASE.groups),
            ("'journalist risk'", "whole releases", "measure one"),
        ),
    ],
)
def test_what_is_refused_is_told_in_full(ask, message):
    with pytest.raises(BadMeasure) as refused:
        ask()
    assert mentions(refused.value, *message)


def table(*ages):
    rows = pa.table({"age": [*ages], "disease": ["Flu"] * len(ages)})
    return sl.read_table(rows, quasi="age", sensitive="disease")


def test_a_table_is_of_the_population_key_by_key():
    register = pa.table({"age": ["30", "30", "40"]})
    informed = sl.JournalistRisk(register).bind_table(table("30", "30"))
    assert informed.register.columns == ("age",)
    assert informed == sl.JournalistRisk(register)
    with pytest.raises(BadRelease, match=r"2 people in the release.* 1 in the population"):
        sl.JournalistRisk(register).bind_table(table("40", "40"))
    assert lenient(register).bind_table(table("40", "40")).register.columns == ("age",)
    without = sl.MarketerRisk()
    assert without.bind_table(table("30")) is without


def test_the_population_of_each_group():
    """Three and two of the register are in the groups, and one in none."""
    measure = sl.JournalistRisk(REGISTER)
    groups = measure.prepare(RELEASE).groups
    assert measure.population_of(groups).tolist() == [3, 2]
    assert (measure.count_population(groups).people.tolist(), *measure.count_strangers(groups)) == ([3, 2], 0, 1)
    alone = sl.MarketerRisk()
    assert alone.population_of(RELEASE.groups) is RELEASE.groups.sizes
    assert (alone.count_population(RELEASE.groups), alone.count_strangers(RELEASE.groups)) == (None, (0, 0))


def test_whoever_is_not_in_the_population_is_counted_in_it_where_that_is_wanted():
    """One of 2 people aged 30 to 39 is in the register, and nobody of 50 to 59: F is 2 and 1."""
    groups = lenient(FEW).prepare(RELEASE).groups
    assert lenient(FEW).population_of(groups).tolist() == [2, 1]
    assert lenient(FEW).count_strangers(groups)[0] == 2
    with pytest.raises(BadRelease, match=r"group 1 \(age 30-39\) .*2 people in the release.* 1 in the population"):
        sl.JournalistRisk(FEW).population_of(groups)
    finding = lenient(FEW).measure(RELEASE)
    assert finding.value == 1
    (note,) = finding.notes
    assert mentions(note, "2 people of the release", "not in the population", "counted")
    assert lenient(REGISTER).measure(RELEASE).notes == ()
    more = lenient(pa.table({"age": ["31"] * 5})).measure(RELEASE)  # those beyond do not make up for those who lack
    (note,) = more.notes
    assert mentions(note, "1 person of the release", "not in the population", "counted")


def test_as_many_in_the_population_as_in_the_release_will_do():
    same = pa.table({"age": ["31", "34", "52"]})
    assert sl.JournalistRisk(same).measure(RELEASE).value == 1
    assert sl.MarketerRisk(same).measure(RELEASE).value == Fraction(2, 3)  # one of each group of 3 people
    assert sl.MarketerRisk(REGISTER).measure(RELEASE).value == (Fraction(2, 3) + Fraction(1, 2)) / 3


JOURNALIST_RELEASE = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])


def test_the_three_statistics():
    assert sl.JournalistRisk(REGISTER).measure(JOURNALIST_RELEASE).value == Fraction(1, 2)
    share = sl.JournalistRisk(REGISTER, "share above", 0.4).measure(JOURNALIST_RELEASE)
    assert share.value == Fraction(1, 3)
    # the register's people decide, not those of the group
    assert mentions(share.explain(), "1 of 3 people", "0.3334", "2 or fewer in the register", "above 0.4")
    alone = sl.JournalistRisk(REGISTER, "share above", 0.5).measure(JOURNALIST_RELEASE)
    assert mentions(alone.explain(), "0 of 3 people", "0.0000", "alone in the register", "above 0.5")
    # groups / ΣF = 2/5, and Σ f/F / n = (2/3 + 1/2) / 3 = 7/18
    assert sl.JournalistRisk(REGISTER, "average").measure(JOURNALIST_RELEASE).value == Fraction(2, 5)
    assert sl.MarketerRisk(REGISTER).measure(JOURNALIST_RELEASE).value == Fraction(7, 18)


@pytest.mark.parametrize(
    ("people", "population", "average"),
    [
        ((1, 4), (3, 4), Fraction(2, 7)),  # groups / ΣF; Σ f/F / n is 4/15
        ((2, 1), (2, 3), Fraction(4, 9)),  # Σ f/F / n; groups / ΣF is 2/5
    ],
)
def test_a_search_sees_what_an_audit_says(people, population, average):
    ages = [{"age": str(group)} for group in range(2)]
    release = sl.Release.from_counts([{"Flu": each} for each in people], labels=ages)
    register = pa.table({"age": [str(group) for group in range(2) for _ in range(population[group])]})
    for statistic, threshold in (("average", None), ("share above", 0.3), ("highest", None)):
        measure = sl.JournalistRisk(register, statistic, threshold)
        screen, finding = measure.screen(), measure.measure(release)
        rows = screen.rows(measure.prepare(release).groups)
        assert screen.value(screen.join(rows[:1], rows[1:])).tolist() == pytest.approx([float(finding.value)])
        assert finding.replay(release) == finding.value
    assert sl.JournalistRisk(register, "average").measure(release).value == average


def test_an_average_in_words_is_rounded_up():
    finding = sl.Finding(sl.JournalistRisk(REGISTER, "average"), Fraction(2, 7), None)
    witness = sl.JournalistRisk(REGISTER, "average").measure(JOURNALIST_RELEASE).witness
    assert mentions(replace(finding, witness=witness).explain(), "on average", "0.2858")


def test_whoever_is_in_no_group_makes_nobody_safer():
    more = pa.concat_tables([REGISTER, pa.table({"age": ["78", "79", None]})])
    assert sl.JournalistRisk(more, "average").measure(JOURNALIST_RELEASE).value == Fraction(2, 5)


def test_fewer_people_in_the_population_than_in_the_release():
    few = pa.table({"age": ["31", "52"]})
    with pytest.raises(BadRelease, match=r"group 1 \(age 30-39\) .*2 people in the release.* 1 in the population"):
        sl.JournalistRisk(few).measure(JOURNALIST_RELEASE)
    finding = sl.JournalistRisk(few, "average", outside="as in the release").measure(JOURNALIST_RELEASE)
    assert finding.value == Fraction(2, 3)
    (note,) = finding.notes
    assert mentions(note, "1 person of the release", "not in the population", "counted")
    assert finding.replay(JOURNALIST_RELEASE) == finding.value


def test_a_population_that_is_recoded_otherwise():
    with pytest.raises(BadRelease, match=r"0 in the population; .*recoded"):
        sl.JournalistRisk(pa.table({"age": ["25-34", "25-34", "45-54"]})).measure(JOURNALIST_RELEASE)
    with pytest.raises(UnknownColumn, match=r"population lacks a column.* 'age'"):
        sl.JournalistRisk(pa.table({"years": ["31"]})).measure(JOURNALIST_RELEASE)


def test_a_population_that_is_recoded_already():
    recoded = pa.table({"age": ["30-39"] * 3 + ["50-59"] * 2})
    assert sl.JournalistRisk(recoded).measure(JOURNALIST_RELEASE).value == Fraction(1, 2)
    adult = sl.datasets.adult(quasi=["age", "marital-status"])
    to = {"age": 3, "marital-status": 1}
    release = sl.generalise(adult.table, by=adult.hierarchies, to=to)
    along = sl.JournalistRisk(adult.table).measure(release)
    assert (
        along.value == sl.JournalistRisk(release).measure(release).value == sl.ProsecutorRisk().measure(release).value
    )


def test_people_who_are_known_more_coarsely_are_not_guessed():
    finer = sl.Release.from_counts([{"Flu": 1}], labels=[{"age": "34"}])
    with pytest.raises(BadRelease, match="0 in the population"):
        sl.JournalistRisk(pa.table({"age": ["30-39"]})).measure(finer)


def test_groups_that_overlap_cannot_be_compared():
    overlapping = sl.Release.from_counts([{"a": 1}, {"a": 1}], labels=[{"age": "30-39"}, {"age": "35-44"}])
    with pytest.raises(BadRelease, match=r"1 person of the population .*several groups"):
        sl.JournalistRisk(pa.table({"age": ["31", "37", "42"]})).measure(overlapping)


def test_averages_and_buckets_cannot_be_compared():
    buckets = sl.Release.from_buckets([([{"sex": "male"}], ["Flu"]), ([{"sex": "female"}], ["Cold"])])
    with pytest.raises(BadRelease, match=r"^groups print .*nobody of a population"):
        sl.JournalistRisk(pa.table({"sex": ["male"]})).measure(buckets)


def test_missing_cells_match_themselves():
    release = sl.Release.from_counts([{"a": 1}, {"a": 1}], labels=[{"age": None}, {"age": "30-39"}])
    register = pa.table({"age": [None, None, "33"]})
    assert sl.JournalistRisk(register, "average").measure(release).value == Fraction(3, 4)


def test_suppressed_rows_may_be_whoever_fits_nothing_else():
    release = sl.Release.from_counts([{"a": 2}, {"a": 1}], labels=[{"age": "30-39"}, {"age": "*"}])
    finding = sl.JournalistRisk(pa.table({"age": ["31", "32", "51", "52", "53"]})).measure(release)
    assert finding.value == Fraction(1, 2)
    assert sl.MarketerRisk(pa.table({"age": ["31", "32", "51", "52", "53"]})).measure(release).value == Fraction(4, 9)


def test_a_population_is_needed():
    with pytest.raises(BadMeasure, match="say which with population="):
        sl.JournalistRisk().measure(JOURNALIST_RELEASE)
    assert sl.MarketerRisk().measure(JOURNALIST_RELEASE).value == Fraction(2, 3)


def test_as_text_and_in_a_policy_file(tmp_path):
    limit = read_limit('journalist risk(population="register.csv") <= 1/11')
    assert limit.measure == sl.JournalistRisk("register.csv")
    assert read_limit(str(limit)) == limit
    policy = '[[limit]]\nmeasure = "marketer risk"\npopulation = "register.csv"\nat_most = 0.05'
    read = read_policy_text(policy, folder=tmp_path).policy
    assert read.criteria[0].measure == sl.MarketerRisk(str(tmp_path / "register.csv"))
    # whoever holds a table gives it again: a text cannot
    assert str(sl.JournalistRisk(REGISTER)) == "journalist risk"


def test_a_file_is_read_where_it_is(tmp_path):
    path = tmp_path / "register.csv"
    path.write_text("age\n31\n34\n38\n52\n57\n")
    finding = sl.JournalistRisk(path).measure(JOURNALIST_RELEASE)
    assert finding.value == Fraction(1, 2)
    with pytest.raises(sl.SidelightError, match="no file"):
        sl.JournalistRisk(tmp_path / "nobody.csv").measure(JOURNALIST_RELEASE)


def test_a_changed_release_is_compared_again():
    limit = sl.JournalistRisk(REGISTER) <= Fraction(1, 3)
    auditor = sl.Auditor(sl.Policy(limit), JOURNALIST_RELEASE)
    assert not auditor.judge().safe
    assert auditor.remove([2]).judge().safe


def test_groups_that_say_nothing_hold_everybody():
    release = sl.Release.from_counts([{"a": 2}], labels=[{"age": "*"}])
    assert sl.JournalistRisk(REGISTER).measure(release).value == Fraction(1, 6)


def test_one_group_that_prints_nothing_cannot_be_looked_up_in_a_register():
    everybody = sl.Release.from_counts([{"Flu": 2}])
    with pytest.raises(BadRelease, match=r"groups print nothing.*nobody of a population"):
        sl.JournalistRisk(pa.table({"age": [31, 32, 33]})).measure(everybody)


def test_findings_in_words():
    alone = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=[{"age": "30-39"}, {"age": "77"}])
    several = sl.Release.from_counts([{"Flu": 2}], labels=[{"age": "30-39"}])
    said = [
        (
            sl.JournalistRisk(REGISTER).measure(alone),
            ("group 2 (age 77)", "1 person", "alone in the register", "finds them"),
        ),
        (
            sl.JournalistRisk(REGISTER).measure(several),
            ("group 1 (age 30-39)", "2 people of the release", "3 of the register", "right with 1/3"),
        ),
        (
            sl.JournalistRisk(REGISTER, "average").measure(JOURNALIST_RELEASE),
            ("somebody of the release", "the register", "on average", "0.4000"),
        ),
        (
            sl.MarketerRisk(REGISTER).measure(JOURNALIST_RELEASE),
            ("everybody to the register", "right", "1.2 of 3 people"),
        ),
        (
            sl.MarketerRisk().measure(JOURNALIST_RELEASE),
            ("everybody to the release", "right", "2.0 of 3 people"),
        ),
    ]
    for finding, words in said:
        assert mentions(finding.explain(), *words)


@pytest.mark.parametrize(
    ("measure", "merging"),
    [
        (sl.JournalistRisk(REGISTER), "never rises"),
        (sl.JournalistRisk(REGISTER, "average"), "never rises"),
        (sl.JournalistRisk(REGISTER, outside="as in the release"), "never rises"),
        (sl.JournalistRisk(REGISTER, "average", outside="as in the release"), "unknown"),
    ],
)
def test_what_merging_does_to_an_average_is_unknown_where_people_are_outside(measure, merging):
    assert measure.when_groups_merge.value == merging


def test_settings_of_a_policy_in_their_order():
    assert sl.JournalistRisk.from_settings(
        population="all.csv", statistic="share above", threshold=0.25, outside="as in the release"
    ) == sl.JournalistRisk("all.csv", "share above", 0.25, "as in the release")
    assert sl.JournalistRisk.from_settings() == sl.JournalistRisk()
    assert sl.MarketerRisk.from_settings(population="all.csv", outside="as in the release") == sl.MarketerRisk(
        "all.csv", "as in the release"
    )
    assert sl.MarketerRisk.examples(("a",)) == (sl.MarketerRisk.from_settings(),)


@pytest.mark.parametrize("people", [["31", "34", "52"], ["31", "34", *["52"] * 30], [*["31"] * 30, "52"]])
def test_the_average_is_the_larger_of_the_two(people):
    """Groups of ΣF, or Σ f/F of n; a replay and a search say the same."""
    register, measure = pa.table({"age": people}), sl.JournalistRisk(pa.table({"age": people}), "average")
    met = [sum(age[0] == first for age in people) for first in "35"]
    expected = max(Fraction(2, sum(met)), (Fraction(2, met[0]) + Fraction(1, met[1])) / 3)
    finding = measure.measure(JOURNALIST_RELEASE)
    assert finding.value == finding.replay(JOURNALIST_RELEASE) == expected
    screen, groups = measure.screen(), measure.prepare(JOURNALIST_RELEASE).groups
    rows = screen.rows(groups)
    assert screen.value(screen.join(rows[:1], rows[1:])) == pytest.approx([float(expected)])
    assert sl.JournalistRisk(register).measure(JOURNALIST_RELEASE).value == Fraction(1, min(met))


PRESENCE_RELEASE = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])


def test_delta_presence_is_two_limits():
    register = pa.table({"age": ["31", "34", "38", "52", "57"]})
    policy = sl.Policy(sl.Presence(register) <= Fraction(2, 3), sl.Absence(register) <= Fraction(1, 2))
    assert policy.judge(PRESENCE_RELEASE).safe
    assert [finding.witness.group.number for finding in policy.judge(PRESENCE_RELEASE).findings] == [1, 2]
    assert mentions(name_here("δ-presence"), "δ-presence", "'presence' or 'absence'")
    assert mentions(name_here("k map"), "k-map", "'journalist risk'")


def test_cells_that_nobody_of_the_release_has_are_absent_for_sure():
    finding = sl.Absence(pa.table({"age": ["31", "34", "52", "77", "78"]})).measure(PRESENCE_RELEASE)
    assert finding.value == 1
    assert finding.witness is None
    assert mentions(finding.explain(), "2 people of the register", "no group", "not in the release")
    assert finding.replay(PRESENCE_RELEASE) == 1


def test_where_nobody_is_in_words():
    measure = sl.Absence(pa.table({"age": ["31", "34", "52"]}))
    nobody = measure.prepare(PRESENCE_RELEASE).groups.take(np.empty(0, np.int64))
    assert mentions(measure.summarize(nobody).finding().explain(), "Nobody", "in the release")


def test_whoever_may_be_suppressed_is_not_absent_for_sure():
    release = sl.Release.from_counts([{"a": 2}, {"a": 1}], labels=[{"age": "30-39"}, {"age": "*"}])
    assert sl.Absence(pa.table({"age": ["31", "34", "52", "77"]})).measure(release).value == Fraction(1, 2)


def one_group(people):
    return sl.Release.from_counts([{"Flu": people}], labels=[{"age": "30-39"}])


@pytest.mark.parametrize(
    ("people", "register", "present", "absent"),
    [
        (
            1,
            1,
            ("1", "register's 1 person", "in the release"),
            ("0", "register's 1 person", "not in the release"),
        ),
        (
            2,
            3,
            ("2", "register's 3 people", "in the release"),
            ("1", "register's 3 people", "not in the release"),
        ),
        (
            1_100,
            2_400,
            ("1,100", "register's 2,400 people", "in the release"),
            ("1,300", "register's 2,400 people", "not in the release"),
        ),
    ],
)
def test_words(people, register, present, absent):
    release, known = one_group(people), pa.table({"age": ["31"] * register})
    for measure, value, words in (
        (sl.Presence(known), Fraction(people, register), present),
        (sl.Absence(known), 1 - Fraction(people, register), absent),
    ):
        finding = measure.measure(release)
        assert finding.value == value == finding.replay(release)
        assert mentions(finding.explain(), "group 1 (age 30-39)", *words)
        assert mentions(finding.explain(), "not in") == (words is absent)
        assert finding.notes == ()


def test_the_worst_of_several_groups():
    register = pa.table({"age": ["31"] * 4 + ["52"] * 2})
    presence, absence = (kind(register).measure(PRESENCE_RELEASE) for kind in (sl.Presence, sl.Absence))
    assert (presence.value, presence.witness.group.number) == (Fraction(1, 2), 1)
    fewer = sl.Presence(pa.table({"age": ["31"] * 4 + ["52"]})).measure(PRESENCE_RELEASE)
    assert (fewer.value, fewer.witness.group.number, fewer.replay(PRESENCE_RELEASE)) == (1, 2, 1)
    more = sl.Absence(pa.table({"age": ["31"] * 5 + ["52"] * 2})).measure(PRESENCE_RELEASE)
    assert (more.value, more.witness.group.number, more.replay(PRESENCE_RELEASE)) == (Fraction(3, 5), 1, Fraction(3, 5))
    assert absence.value == Fraction(1, 2)


def test_in_a_release_of_nobody():
    register = pa.table({"age": ["31", "34", "52", "57", "77"]})
    presence, absence = sl.Presence(register), sl.Absence(register)
    nobody = [each.prepare(PRESENCE_RELEASE).groups.take(np.empty(0, np.int64)) for each in (presence, absence)]
    finding = presence.summarize(nobody[0]).finding()
    assert mentions(finding.explain(), "Nobody", "in the release", "nobody of the population")
    assert absence.summarize(nobody[1]).finding().value == 1


def test_whoever_is_nowhere_is_noted_before_whoever_is_not_in_the_register():
    finding = sl.Absence(pa.table({"age": ["31", "52", "77"]}), "as in the release").measure(PRESENCE_RELEASE)
    nowhere, unknown = finding.notes
    for text in (nowhere, finding.explain()):
        assert mentions(text, "1 person of the register", "no group", "not in the release")
    assert mentions(unknown, "1 person of the release", "not in the population", "counted")


@pytest.mark.parametrize(
    ("ages", "values", "somebody"), [([], [0.5, 0.75], 0), (["77"], [1, 1], 1), (["77", "78"], [1, 1], 1)]
)
def test_the_screen_of_absence_is_1_where_somebody_is_nowhere(ages, values, somebody):
    measure = sl.Absence(pa.table({"age": ["31"] * 4 + ["52"] * 4 + ages}))
    groups = measure.prepare(PRESENCE_RELEASE).groups
    screen = measure.screen()
    assert screen.rows(groups).tolist() == [[value] for value in values]
    assert screen.kinds(groups).tolist() == [[2, 4, somebody], [1, 4, somebody]]


def test_as_a_policy_says_it():
    for kind in (sl.Presence, sl.Absence):
        assert kind.from_settings() == kind(None, "an error")
        assert kind.from_settings(population="people.csv", outside="as in the release") == kind(
            "people.csv", "as in the release"
        )
        assert kind.from_settings(population="people.csv").settings() == {"population": "people.csv"}
