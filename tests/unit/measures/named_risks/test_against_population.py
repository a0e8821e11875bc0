"""What a population says of a release's groups, how it is written down, and what is refused."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease
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
            "'journalist risk' has no outside=\"an eror\"; did you mean 'an error'?",
        ),
        (
            lambda: sl.JournalistRisk().measure(RELEASE),
            "'journalist risk' compares the release with a population; say which with population=",
        ),
        (
            lambda: sl.JournalistRisk().bind_table(table("30")),
            "'journalist risk' compares the release with a population; say which with population=",
        ),
        (
            lambda: sl.JournalistRisk(REGISTER).summarize(RELEASE.groups),
            "'journalist risk' looks at whole releases, in which a population can be counted; measure one",
        ),
    ],
)
def test_what_is_refused_is_told_in_full(ask, message):
    with pytest.raises(BadMeasure) as refused:
        ask()
    assert str(refused.value) == message


def table(*ages):
    rows = pa.table({"age": [*ages], "disease": ["Flu"] * len(ages)})
    return sl.read_table(rows, quasi="age", sensitive="disease")


def test_a_table_is_of_the_population_key_by_key():
    register = pa.table({"age": ["30", "30", "40"]})
    informed = sl.JournalistRisk(register).bind_table(table("30", "30"))
    assert informed.register.columns == ("age",)
    assert informed == sl.JournalistRisk(register)
    with pytest.raises(BadRelease, match="2 people in the release and 1 in the population"):
        sl.JournalistRisk(register).bind_table(table("40", "40"))
    assert lenient(register).bind_table(table("40", "40")).register.columns == ("age",)
    without = sl.MarketerRisk()
    assert without.bind_table(table("30")) is without


def test_the_population_of_each_group():
    """Three and two of the register are in the groups, and one in none."""
    measure = sl.JournalistRisk(REGISTER)
    groups = measure.prepare(RELEASE).groups
    assert measure.population_of(groups).tolist() == [3, 2]
    assert (measure.counts_of(groups).people.tolist(), measure.nowhere(groups), measure.beyond(groups)) == (
        [3, 2],
        1,
        0,
    )
    alone = sl.MarketerRisk()
    assert alone.population_of(RELEASE.groups) is RELEASE.groups.sizes
    assert (alone.counts_of(RELEASE.groups), alone.nowhere(RELEASE.groups), alone.beyond(RELEASE.groups)) == (
        None,
        0,
        0,
    )


def test_whoever_is_not_in_the_population_is_counted_in_it_where_that_is_wanted():
    """One of 2 people aged 30 to 39 is in the register, and nobody of 50 to 59: F is 2 and 1."""
    groups = lenient(FEW).prepare(RELEASE).groups
    assert lenient(FEW).population_of(groups).tolist() == [2, 1]
    assert lenient(FEW).beyond(groups) == 2
    with pytest.raises(BadRelease, match=r"group 1 \(age 30-39\) has 2 people in the release and 1 in the population"):
        sl.JournalistRisk(FEW).population_of(groups)
    finding = lenient(FEW).measure(RELEASE)
    assert finding.value == 1
    assert finding.notes == ("2 people of the release are not in the population, and counted in it",)
    assert lenient(REGISTER).measure(RELEASE).notes == ()
    more = lenient(pa.table({"age": ["31"] * 5})).measure(RELEASE)  # those beyond do not make up for those who lack
    assert more.notes == ("1 person of the release is not in the population, and counted in it",)


def test_as_many_in_the_population_as_in_the_release_will_do():
    same = pa.table({"age": ["31", "34", "52"]})
    assert sl.JournalistRisk(same).measure(RELEASE).value == 1
    assert sl.MarketerRisk(same).measure(RELEASE).value == Fraction(2, 3)  # one of each group of 3 people
    assert sl.MarketerRisk(REGISTER).measure(RELEASE).value == (Fraction(2, 3) + Fraction(1, 2)) / 3
