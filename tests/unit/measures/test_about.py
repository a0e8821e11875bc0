"""A measure asked about one of several sensitive columns.

Several questions at once: in their order, in blocks, streamed, and none of them.
"""

from fractions import Fraction
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, NoRoom, TooHard, UnknownColumn, UnknownValue, WrongKind
from sidelight.measures.about import About, ask_each_column, count_parts_before, findings, view_block
from sidelight.measures.classics import GroupSize
from sidelight.measures.exact import join_all
from sidelight.policy.limits import read_limit
from sidelight.policy.policy_file import read_policy_text
from sidelight.release import groups as release_groups
from sidelight.streams import sorted_runs
from sidelight.streams.memory import Memory
from sidelight.table import table as counts

ROWS = pa.table(
    {
        "zip": ["1", "1", "1", "1", "2", "2", "2"],
        "disease": ["Flu", "Flu", "Cold", "Cold", "Flu", "Cold", "HIV"],
        "income": ["low", "low", "high", "high", "low", "high", "low"],
    }
)


@pytest.fixture
def both():
    return sl.read_release(ROWS, group="zip", sensitive=["disease", "income"])


def test_each_limit_holds_for_each_column(both):
    verdict = sl.Policy(sl.GroupSize() >= 3, sl.DistinctValues() >= 3).judge(both)
    assert [(str(each.criterion), each.holds) for each in verdict.judgements] == [
        ("group size ≥ 3", True),
        ("distinct values(of=disease) ≥ 3", False),
        ("distinct values(of=income) ≥ 3", False),
    ]


def test_combinations_are_no_values_of_their_own(both):
    # two diseases and two incomes make two combinations in zip 1, and three in zip 2; each column has two values
    assert sl.DistinctValues().about("disease").measure(both.about(None)).value == 2
    with pytest.raises(BadMeasure, match=r"one sensitive column.* disease, income"):
        sl.DistinctValues().measure(both)


def test_a_limit_is_about_the_column_it_names(both):
    (judgement,) = sl.Policy((sl.DistinctValues() >= 3).about("disease")).judge(both).judgements
    assert judgement.finding.value == 2
    assert "This is about 'disease'." in judgement.finding.explain()
    assert judgement.finding.replay(both) == 2


def test_who_knows_the_income_is_sure_of_the_disease(both):
    knowing = sl.DistinctValues().about("disease", known="income").measure(both)
    assert (knowing.value, knowing.replay(both)) == (1, 1)
    assert dict(knowing.witness.group.printed) == {"zip": "1", "income": "high"}
    assert mentions(knowing.explain(), "'disease'", "knows", "'income'")
    assert sl.GroupSize().about(known="income").measure(both).value == 1


def test_known_without_a_column_asks_about_all_others(both):
    judgements = sl.Policy(sl.DistinctValues().about(known=["income"]) >= 1).judge(both).judgements
    assert [str(each.criterion.measure) for each in judgements] == ["distinct values(of=disease, known=[income])"]


@pytest.mark.parametrize(
    ("measure", "error", "message"),
    [
        (
            sl.DistinctValues().about("weight"),
            UnknownColumn,
            ("'weight'", "disease, income"),
        ),
        (sl.DistinctValues().about("disease", known="weight"), UnknownColumn, ("no sensitive column 'weight'",)),
        (sl.DistinctValues().about("diseas"), UnknownColumn, ("'diseas'", "'disease'")),
        (sl.Implications(1, value="HIV").about("income"), UnknownValue, ("in 'income'", "name the column")),
        (sl.DistinctValues().about(known="income"), BadMeasure, ("ask about one",)),
    ],
)
def test_what_cannot_be_asked(both, measure, error, message):
    with pytest.raises(error) as refusal:
        measure.measure(both)
    assert mentions(refusal.value, *message)


def test_a_column_is_not_asked_about_and_known():
    with pytest.raises(BadMeasure, match="which is also known"):
        sl.DistinctValues().about("income", known=["income"])
    with pytest.raises(BadMeasure, match="no sensitive column"):
        sl.Policy(sl.DistinctValues().about(known=["a", "b"]) >= 1).about_each(["a", "b"])
    with pytest.raises(BadMeasure, match="a column already"):
        sl.DistinctValues().about("income").about(known="disease")
    with pytest.raises(BadMeasure, match="leave 'known' out"):
        sl.MaxEnt(knowing=["P(Flu) = 0.3"]).about("disease", known="income")


def test_one_sensitive_column_can_be_named_too():
    alone = sl.read_release(ROWS, group="zip", sensitive="disease")
    assert sl.DistinctValues().about("disease").measure(alone).value == 2
    with pytest.raises(UnknownColumn, match="no sensitive column 'income'"):
        sl.Policy((sl.DistinctValues() >= 2).about("income")).judge(alone)


def test_it_is_written_and_read_as_a_limit():
    criterion = (sl.Implications(2, value="Flu") < 0.5).about("disease", known=["income", "place of birth"])
    text = "implications(k=2, value=Flu, of=disease, known=[income, place of birth]) < 0.5"
    assert str(criterion) == text
    assert read_limit(text) == criterion
    policy = sl.Policy(criterion, (sl.GroupSize() >= 2).about(known="income"))
    assert read_policy_text(policy.to_toml()).policy == policy


def test_skylines_name_a_column():
    policy = read_policy_text(
        """
        [[skyline]]
        value = "HIV"
        of = "disease"
        points = [{others = 1, below = 0.9}]

        [[skyline]]
        of = "disease"
        points = [{others = 1, below = 0.9}]

        [[skyline]]
        of = "income"
        points = [{others = 2, below = 0.9}]
        """
    ).policy
    assert [str(criterion) for criterion in policy.criteria] == [
        "acquaintance(others=1, value=HIV, of=disease) < 0.9",
        "acquaintance(others=1, apart_from=[HIV], of=disease) < 0.9",
        "acquaintance(others=2, of=income) < 0.9",
    ]


def test_what_would_pass_is_said_of_the_column():
    table = sl.read_table(ROWS, quasi="zip", sensitive=["disease", "income"])
    with pytest.raises(sl.NothingSafe) as nothing:
        sl.protect(table, sl.Policy((sl.RecursiveDiversity(l=4) < 3).about("income")), ask="nobody")
    (blocked,) = nothing.value.blocked_by
    assert mentions(blocked, "recursive diversity(l=4, of=income) < 3", "infinite")
    assert nothing.value.closest == ("recursive diversity(l=2, of=income) < 3",)


def test_questions_about_one_column_refuse_several(both):
    message = r'disease, income; .*sensitive="disease" \(in Python, or \.about'
    for question in (
        lambda: sl.maxent(both),
        lambda: sl.posterior(both, "#1 = Flu"),
        lambda: sl.knowledge_skyline(both, value="Flu", below=0.5),
        lambda: sl.intersect([both], people=ROWS),
    ):
        with pytest.raises(sl.SidelightError, match=message):
            question()


def every_measure_that_leaves_values_out(domain):
    kinds = [sl.DistinctValues, sl.EntropyDiversity, sl.Closeness, sl.BetaLikeness, sl.DeltaDisclosure]
    yield from (kind(apart_from=domain) for kind in kinds)
    yield sl.RecursiveDiversity(2, apart_from=domain)
    yield from (sl.Implications(1, apart_from=domain), sl.Negations(1, apart_from=domain))
    yield sl.Acquaintance(1, 0, 0, apart_from=domain)


@pytest.mark.parametrize(
    "measure", [*every_measure_that_leaves_values_out(["HIV", "high"])], ids=lambda each: each.name
)
def test_values_are_left_out_of_the_column_that_has_them(both, measure):
    (disease, income) = sl.Policy(measure <= 1 if measure.large_is_bad else measure >= 1).judge(both).findings
    alone = {
        name: measure.replace_settings(apart_from=[value]) for name, value in (("disease", "HIV"), ("income", "high"))
    }
    assert disease.value == alone["disease"].measure(both.about("disease")).value
    assert income.value == alone["income"].measure(both.about("income")).value


def test_a_value_that_no_column_has_is_not_left_out_in_silence(both):
    with pytest.raises(UnknownValue, match="no sensitive value 'HVI'"):
        sl.Policy(sl.DistinctValues(apart_from=["HVI", "high"]) >= 1).judge(both)
    with pytest.raises(UnknownValue, match="no sensitive value 'HIV'"):  # the column that is asked about is said
        sl.Policy(sl.DistinctValues(apart_from=["HIV"]).about("income") >= 1).judge(both)


def test_searches_leave_values_out_of_the_column_that_has_them():
    table = sl.read_table(ROWS, quasi="zip", sensitive=["disease", "income"])
    by = {"zip": sl.Hierarchy.suppression("zip", ["1", "2"])}
    found = sl.protect(table, sl.DistinctValues(apart_from=["HIV"]) >= 2, by=by, ask="nobody")
    assert [str(each.criterion) for each in found.verdict.judgements] == [
        "distinct values(apart_from=[HIV], of=disease) ≥ 2",
        "distinct values(of=income) ≥ 2",
    ]


def test_only_a_release_is_measured():
    with pytest.raises(WrongKind, match=r"Release, not a dict; .*sl\.read_release"):
        sl.DistinctValues().about("disease").measure({})


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: sl.DistinctValues().about("income").about(known="disease"),
            ("'distinct values(of=income)'", "a column already", "known"),
        ),
        (
            lambda: sl.DistinctValues().about("income", known="income"),
            ("'distinct values'", "'income'", "also known", "other columns", "'known'"),
        ),
        (
            lambda: sl.CheapestKnowledge(1).about("income", known="disease"),
            ("'cheapest knowledge'", "not", "another sensitive column", "leave 'known' out"),
        ),
        (
            lambda: sl.IndividualRisk().about("income", known="disease"),
            ("'individual risk'", "sampling weights", "not", "leave 'known' out"),
        ),
        (
            lambda: ask_each_column(sl.DistinctValues().about(known=["a", "b"]), ["a", "b"]),
            ("'distinct values(known=[a, b])'", "no sensitive column", "leave one out", "'known'"),
        ),
    ],
)
def test_what_is_refused_is_said_in_full(ask, message):
    with pytest.raises(BadMeasure) as refusal:
        ask()
    assert mentions(refusal.value, *message)


def test_a_column_is_named_by_a_text():
    with pytest.raises(WrongKind) as refusal:
        sl.DistinctValues().about(3)
    assert mentions(refusal.value, "column", "a str, not an int")


def test_a_value_is_looked_for_in_the_column(both):
    measure = sl.Implications(1, value="HIV").about("income")
    for ask in (measure.measure, measure.check):
        with pytest.raises(UnknownValue) as refusal:
            ask(both)
        assert mentions(
            refusal.value, "'implications(k=1, value=HIV, of=income)'", "'HIV'", "high, low", "'income'", "of ="
        )


def test_it_is_what_the_measure_is():
    """All that the class says, and the claims; what is known sets groups apart that have the same counts."""
    sizes, values, acquaintance = sl.GroupSize(), sl.DistinctValues(), sl.Acquaintance(1, 0, 0)
    for plain in (sizes, values, acquaintance, sl.Implications(1), sl.Inference(), sl.CheapestKnowledge(1)):
        about = plain.about("income")
        for attribute in ("name", "large_is_bad", "limits", "semantics", "mergeable", "depends_on_whole"):
            assert getattr(about, attribute) == getattr(plain, attribute)
        for claim in ("about_values", "when_groups_merge", "more_is_worse", "streams", "equal_groups_count_once"):
            assert getattr(about, claim) == getattr(plain, claim)
        assert (about.amounts(), about.knows_true_values) == (plain.amounts(), plain.knows_true_values)
        for semantics in plain.semantics:
            assert about.monotonicity(semantics) == plain.monotonicity(semantics)
    assert sl.DistinctValues().equal_groups_count_once
    assert sl.DistinctValues().about("income").equal_groups_count_once
    assert not sl.DistinctValues().about("income", known="disease").equal_groups_count_once


def test_who_knows_more_looks_a_population_up_by_it_and_needs_whole_releases():
    register = pa.table({"zip": ["1", "2"]})
    plain = sl.Presence(register)
    assert plain.streams
    assert plain.about("income").streams
    assert sl.Presence(None).about("income", known="disease").streams
    assert not plain.about("income", known="disease").streams
    assert sl.DistinctValues().about("income", known="disease").streams
    asked = sl.Presence(None).about("income", known="disease").compare_with(plain.register)
    assert (asked.register, asked.of, asked.known) == (plain.register, "income", ("disease",))


def test_settings_change_and_the_column_stays():
    about = sl.Implications(1, value="Flu").about("disease", known="income")
    assert about.replace_settings(k=2) == sl.Implications(2, value="Flu").about("disease", known=["income"])
    assert about.settings() == {"k": 1, "value": "Flu", "of": "disease", "known": ("income",)}
    assert sl.Implications(1).about("disease").settings() == {"k": 1, "of": "disease"}
    assert sl.Implications(1).about(known="income").settings() == {"k": 1, "known": ("income",)}


def test_it_explains_whom_it_is_about(both):
    about = sl.DistinctValues().about("disease").measure(both)
    plain = sl.DistinctValues().measure(both.about("disease"))
    assert about.measure == sl.DistinctValues().about("disease")
    first, said = plain.explain(), about.explain()
    assert said.startswith(first)
    assert mentions(said.removeprefix(first), "'disease'")
    assert "income" not in said
    size = sl.GroupSize().about(known=["disease", "income"]).measure(both)
    assert mentions(size.explain(), "knows", "'disease'", "'income'")


class SaysItself(sl.DistinctValues):
    """A measure that explains a finding by what the finding says of itself."""

    def explain(self, finding):
        return f"{finding.measure} is {finding.value_in_words()}."


def test_a_finding_is_explained_as_one_of_the_measure_itself(both):
    assert mentions(SaysItself().about("disease").measure(both).explain(), "distinct values is 2", "'disease'")


def test_an_estimate_about_a_column_is_one():
    """Eight people are alone with their zip and income; what models make of it differs."""
    rows = pa.table({"zip": [*"1112234455"], "disease": ["Flu"] * 10, "income": ["a", "b"] * 5})
    release = sl.read_release(rows, group="zip", sensitive=["disease", "income"])
    about = sl.PopulationUniques(people=100).about(known="income")
    finding = about.measure(release)
    assert (about.estimate, about.needs_weights) == (True, False)
    assert finding.value_in_words().endswith(", an estimate")
    assert finding.kindest < 60 < finding.value
    with pytest.raises(TooHard, match=r"estimate lies between .* another limit$"):
        (about <= 60).decide(finding)
    assert sl.IndividualRisk().about("income").needs_weights
    assert not sl.DistinctValues().about("income").estimate


def test_weights_are_looked_at_about_a_column():
    rows = ROWS.append_column("weight", pa.array([3.0] * 7))
    release = sl.read_release(rows, group="zip", sensitive=["disease", "income"], weight="weight")
    plain = sl.IndividualRisk().measure(release.about("income"))
    assert sl.IndividualRisk().about("income").measure(release).value == plain.value
    assert sl.UniqueMatch(0.1).about("income", known="disease").measure(release).value > 0


def test_a_view_that_is_at_hand_is_taken(both):
    views = {}
    asked = sl.DistinctValues().about("disease", known="income")
    assert asked.measure_view(both, views).value == 1
    (view,) = views.values()
    assert [*views] == [("disease", ("income",))]
    sl.GroupSize().about("disease", known="income").measure_view(both, views)
    assert [*views.values()] == [view]
    other = {("disease", ("income",)): both.about("disease")}
    assert asked.measure_view(both, other).value == 2


class NamesTheMeasure(sl.DistinctValues):
    """A measure that adds something of the release to its findings, and expects them to be its own."""

    def complete(self, finding, release):
        return sl.Finding(self, finding.value, finding.witness, (f"{finding.measure} of {release.sensitive}",))


def test_a_finding_is_completed_by_the_measure_itself(both):
    about = NamesTheMeasure().about("disease", known="income")
    finding = about.complete(about.summarize(both.groups).finding(), both)
    assert (finding.measure, finding.value) == (about, 1)
    assert finding.notes == ("distinct values of disease",)


def test_the_original_is_informed_of_by_its_column():
    table = sl.read_table(ROWS, quasi="zip", sensitive=["disease", "income"])
    told = []

    class Listening(sl.DistinctValues):
        def bind_table(self, table):
            told.append(table.sensitive)
            return sl.DistinctValues(apart_from=["HIV"])

    asked = Listening().about("disease", known="income").bind_table(table)
    assert asked == sl.DistinctValues(apart_from=["HIV"]).about("disease", known="income")
    Listening().about(known="income").bind_table(table)
    assert told == ["disease", table.sensitive]


def test_values_are_named_by_what_they_say_in_the_column(both):
    assert both.domain == ("Cold, high", "Flu, low", "HIV, low")
    named = [
        (sl.DistinctValues(apart_from=["HIV"]).about("disease"), both.domain, [False, False, True]),
        (sl.DistinctValues(apart_from=["low"]).about("income"), both.domain, [False, True, True]),
        (sl.DistinctValues(apart_from=["low"]).about("disease"), both.domain, [False, False, False]),
        (sl.DistinctValues(apart_from=["HIV"]).about("disease"), ("Cold", "HIV"), [False, True]),
        (sl.DistinctValues(apart_from=["Flu, low"]).about(known="income"), both.domain, [False, True, False]),
    ]
    for measure, domain, expected in named:
        assert measure.names_values(domain).tolist() == expected


def test_only_a_measure_of_values_without_a_column_is_asked_about_each():
    size, values, one = sl.GroupSize(), sl.DistinctValues(), sl.DistinctValues().about("income")
    assert ask_each_column(size, ["disease", "income"]) == (size,)
    assert ask_each_column(one, ["disease", "income"]) == (one,)
    assert ask_each_column(values, ["disease"]) == (values,)
    assert ask_each_column(values.about(known=["b"]), ["a", "b", "c"]) == (
        values.about("a", known="b"),
        values.about("c", known="b"),
    )


# Parts of groups: people of one zip by their income, who are told apart by who knows it.

PARTS = pa.table(
    {
        "zip": [*"1111111", "2", *"3333333"],
        "income": ["low", "low", "mid", "mid", "high", "high", "high", "low", *["low"] * 3, *["high"] * 4],
        "disease": [*["Flu", "Cold", "Flu", "Flu", "Flu", "Cold", "HIV"], "HIV"]
        + [*["Flu", "Flu", "Cold"], *["Cold", "Cold", "Cold", "Flu"]],
    }
)
IN_PARTS = sl.read_release(PARTS, group="zip", sensitive=["disease", "income"])


def parts_alone(zips):
    """The same people, with the income printed as one more column."""
    rows = PARTS.filter(pa.array([each.as_py() in zips for each in PARTS["zip"]]))
    return sl.read_release(rows, group=["zip", "income"], sensitive="disease")


@pytest.mark.parametrize(
    "measure",
    [
        *(sl.GroupSize(), sl.DistinctValues(), sl.Implications(0), sl.Implications(1), sl.Negations(1)),
        *(sl.ProsecutorRisk(), sl.ProsecutorRisk("average")),
    ],
    ids=str,
)
def test_a_group_is_screened_as_its_parts_taken_for_a_release(measure):
    screen = measure.about("disease", known="income").screen()
    rows = screen.rows(IN_PARTS.groups)
    expected = [float(measure.measure(parts_alone(number)).value) for number in "123"]
    np.testing.assert_allclose(screen.value(rows), expected)
    np.testing.assert_allclose(screen.value(join_all(screen, rows)), [float(measure.measure(parts_alone("123")).value)])
    alone = measure.about("disease").screen()
    plain = IN_PARTS.about("disease").groups
    np.testing.assert_array_equal(alone.rows(IN_PARTS.groups), measure.screen().rows(plain))
    np.testing.assert_array_equal(alone.kinds(IN_PARTS.groups), measure.screen().kinds(plain))


def test_no_groups_are_screened_as_none():
    screen = sl.GroupSize().about("disease", known="income").screen()
    assert screen.rows(IN_PARTS.groups.take(np.empty(0, np.int64))).shape == (0, 1)


def test_parts_stand_by_their_groups():
    parts, group = sl.GroupSize().about("disease", known="income").screen().parts(IN_PARTS.groups)
    assert group.tolist() == [0, 0, 0, 1, 2, 2]
    assert parts.domain == ("Cold", "Flu", "HIV")
    assert parts.counts.dense().tolist() == [[1, 1, 1], [1, 1, 0], [0, 2, 0], [0, 0, 1], [3, 1, 0], [1, 2, 0]]
    whole, group = sl.GroupSize().about("disease").screen().parts(IN_PARTS.groups)
    assert (group.tolist(), whole.sizes.tolist()) == ([0, 1, 2], [7, 1, 7])


def test_groups_of_one_kind_have_parts_of_the_same_kinds_in_any_order():
    """A row has for each part its size, its two largest counts and the target's, and −1 where there is no part."""
    rows = pa.table(
        {
            "zip": [*"111", *"222", "3"],
            "income": ["low", "low", "high", "high", "high", "low", "high"],
            "disease": ["Flu", "Cold", "HIV", "Cold", "HIV", "Flu", "Flu"],
        }
    )
    release = sl.read_release(rows, group="zip", sensitive=["disease", "income"])
    kinds = sl.Implications(1).about("disease", known="income").screen().kinds(release.groups)
    one, two, none = [1, 1, 0, 1], [2, 1, 1, 1], [-1] * 4
    assert kinds.tolist() == [one + two, one + two, one + none]


def test_a_summary_names_the_group_that_the_worst_part_is_of():
    about = sl.DistinctValues().about("disease", known="income")
    finding = about.summarize(IN_PARTS.groups).finding()
    assert (finding.measure, finding.value, finding.witness.group.number) == (about, 1, 1)
    assert dict(finding.witness.group.printed) == {"zip": "1", "income": "mid"}
    summaries = [about.summarize(IN_PARTS.groups.take(np.array([row]))) for row in (2, 1)]
    later = reduce(lambda one, other: one.merge(other), summaries).finding()
    assert (later.value, later.witness.group.number) == (1, 2)
    alone = sl.DistinctValues().about("disease").summarize(IN_PARTS.groups).finding()
    assert (alone.value, alone.witness.group.number) == (1, 2)


def test_a_summary_of_nobody_names_no_group():
    domain = {"disease": ["Cold", "Flu", "HIV", "AIDS"]}
    release = sl.read_release(ROWS, group="zip", sensitive=["disease", "income"], domain=domain)
    about = sl.Implications(1, value="AIDS").about("disease", known="income")
    finding = about.summarize(release.groups).finding()
    assert (finding.measure, finding.value, finding.witness) == (about, 0, None)


def test_how_many_parts_a_group_may_have(both):
    assert sl.GroupSize().about(known="disease").parts_at_most(both.groups) == 3
    assert sl.GroupSize().about("disease", known="income").parts_at_most(both.groups) == 2
    assert sl.GroupSize().about("disease").parts_at_most(both.groups) == 1
    assert About(sl.GroupSize(), None, "income").parts_at_most(both.about("disease").groups) == 1


@pytest.mark.parametrize(
    "measure",
    [sl.GroupSize(), sl.Inference(), sl.Acquaintance(1, 0, 0), sl.DisclosureCost(1, {"Flu": 5})],
    ids=lambda each: each.name,
)
def test_a_search_may_do_with_a_view_what_it_may_do_with_a_release(measure):
    view, plain = measure.about("disease", known="income").screen(), measure.screen()
    for promise in ("exact", "breaks_with_one_group", "group_by_group"):
        assert getattr(view, promise) == getattr(plain, promise)
    assert view.slack(10) == plain.slack(10)
    assert view.margin(3.0, 10) == plain.margin(3.0, 10)
    rows = view.rows(IN_PARTS.groups)
    assert view.harmless(rows[:1], rows).tolist() == plain.harmless(rows[:1], rows).tolist()


MEASURES = [sl.Implications(1), sl.GroupSize(), sl.DistinctValues(), sl.ProsecutorRisk("average")]


def test_several_at_once_in_the_order_they_were_given():
    measures = [sl.Implications(1), sl.MaxEnt(), sl.GroupSize()]
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 2, "c": 2}])
    assert [finding.measure for finding in findings(measures, release)] == measures
    assert findings([], release) == ()


# A release in blocks: each block counts, wherever the worst group is.


@pytest.mark.parametrize("at_once", [4, 2])
@pytest.mark.parametrize("worst", range(4))
@pytest.mark.parametrize("width", [2, 40], ids=["dense", "sparse"])
def test_the_worst_group_may_be_in_any_block(worst, at_once, width, monkeypatch):
    """Four groups in one block or in two; groups that are equal to the worst one come after it."""
    domain = [f"v{place:02d}" for place in range(width)]
    rows = [{"v00": 2, "v01": 2} if row < worst else {"v00": 1, "v01": 2} for row in range(4)]
    release = sl.Release.from_counts(rows, domain=domain)
    alone = tuple(measure.measure(release) for measure in MEASURES)
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", at_once * width)
    monkeypatch.setattr(release_groups, "CELLS_AT_ONCE", at_once * width)
    assert (release.groups.counts.cells is None) == (width == 40)
    assert len([*release.groups.blocks()]) == 4 // at_once
    together = findings(MEASURES, release)
    assert together == alone
    assert (together[1].value, together[1].witness.group.number) == (3, worst + 1)
    assert together[3].value == Fraction(4, worst * 4 + (4 - worst) * 3)


class Onlooker(GroupSize):
    """Remembers which groups it was shown, and whether their counts were spread out."""

    def __init__(self, *, once):
        object.__setattr__(self, "once", once)
        object.__setattr__(self, "seen", [])

    @property
    def equal_groups_count_once(self):
        return self.once

    def summarize(self, groups):
        self.seen.append((groups.numbers.tolist(), groups.counts.cells is not None))
        return super().summarize(groups)


@pytest.mark.parametrize(("width", "few"), [(2, [[1, 2], [3, 4]]), (40, [[1], [3]])], ids=["dense", "sparse"])
def test_each_block_is_looked_at_once_and_of_sparse_groups_one_of_each_kind(width, few, monkeypatch):
    domain = [f"v{place:02d}" for place in range(width)]
    release = sl.Release.from_counts([{"v00": 1, "v01": 2}] * 4, domain=domain)
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", 2 * width)
    monkeypatch.setattr(release_groups, "CELLS_AT_ONCE", 2 * width)
    once, every = Onlooker(once=True), Onlooker(once=False)
    assert [finding.value for finding in findings([once, every], release)] == [3, 3]
    assert sorted(once.seen) == [(numbers, True) for numbers in few]
    assert sorted(every.seen) == [([1, 2], True), ([3, 4], True)]


def test_measures_that_do_not_fit_are_refused_before_any_is_measured():
    release = sl.Release.from_counts([{"a": 2}], sizes=[2], values="set")
    with pytest.raises(BadMeasure, match=r"'expected candidates' .*single values"):
        findings([sl.GroupSize(), sl.ExpectedCandidates()], release)


# A release that is streamed: what it would say in memory.

FINDINGS_ROWS = pa.table(
    {
        "zip": ["1", "1", "1", "2", "2", "2", "3", "3", "3", "3"],
        "disease": ["Flu", "Cold", "Flu", "Flu", "HIV", "HIV", "Flu", "HIV", "Cold", "Cold"],
        "income": ["low", "low", "high", "low", "high", "high", "low", "low", "high", "high"],
    }
)
PEOPLE = pa.table({"zip": ["1"] * 4 + ["2"] * 3 + ["3"] * 9})


@pytest.fixture
def _tiny_blocks(monkeypatch):
    """Sort three rows at a time and read two, so that a release has several blocks."""
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 3)
    monkeypatch.setattr(sorted_runs.SortedRuns.batches, "__defaults__", (2,))


def both_ways(sensitive):
    return (read(FINDINGS_ROWS, group="zip", sensitive=sensitive) for read in (sl.read_release, sl.stream_release))


ABOUT = [
    sl.DistinctValues().about("disease"),
    sl.DistinctValues().about("income", known="disease"),
    sl.GroupSize().about(known=["income"]),
    sl.Implications(1).about("income"),
    sl.ProsecutorRisk("average").about("income", known="disease"),
    sl.GroupSize(),
]


@pytest.mark.usefixtures("_tiny_blocks")
@pytest.mark.parametrize(
    ("sensitive", "measures"),
    [
        ("disease", MEASURES),
        ("disease", [sl.JournalistRisk(PEOPLE), sl.GroupSize(), sl.MarketerRisk(PEOPLE)]),
        ("disease", [sl.GroupSize(), sl.MaxEnt()]),
        ("disease", []),
        (["disease", "income"], ABOUT),
    ],
    ids=["values", "population", "at once", "none", "columns"],
)
def test_streamed_findings_are_those_in_memory(sensitive, measures):
    held, streamed = both_ways(sensitive)
    assert len([*streamed.blocks()]) > 1
    assert findings(measures, streamed) == findings(measures, held) == tuple(each.measure(held) for each in measures)


def test_a_block_that_is_streamed_may_be_looked_at_in_parts(monkeypatch):
    held, streamed = both_ways("disease")
    alone = tuple(each.measure(held) for each in MEASURES)
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", 3)
    monkeypatch.setattr(release_groups, "CELLS_AT_ONCE", 3)
    assert [len([*block.all.blocks()]) for block in streamed.blocks()] == [2, 1]
    assert findings(MEASURES, streamed) == alone


def test_a_stream_is_refused_what_its_release_is():
    _, streamed = both_ways(["disease", "income"])
    with pytest.raises(BadMeasure, match=r"'distinct values' .*one sensitive column"):
        findings([sl.GroupSize(), sl.DistinctValues()], streamed)


def test_a_measure_that_needs_all_groups_is_named_where_they_do_not_fit(monkeypatch):
    _, streamed = both_ways("disease")
    monkeypatch.setattr(Memory, "holds_groups", lambda self, numbers: False)
    with pytest.raises(NoRoom, match=r"^'maximum entropy' .*all groups.* 3 do not fit") as refused:
        findings([sl.GroupSize(), sl.MaxEnt()], streamed)
    assert refused.value.parameters == ("memory",)


@pytest.mark.usefixtures("_tiny_blocks")
def test_a_measure_sees_its_column_of_a_block_and_numbers_of_the_whole_view():
    held, streamed = both_ways(["disease", "income"])
    known = sl.DistinctValues().about("income", known="disease")
    before = count_parts_before([known, sl.DistinctValues().about("income"), sl.GroupSize()], streamed)
    assert [*before] == [("disease",)]
    numbers, parts = [], []
    for block in streamed.blocks():
        plain, groups = view_block(sl.DistinctValues().about("income"), before, block)
        assert (plain, groups.domain) == (sl.DistinctValues(), ("high", "low"))
        numbers += groups.numbers.tolist()
        plain, groups = view_block(known, before, block, every=True)
        assert (plain, groups.domain) == (sl.DistinctValues(), ("high", "low"))
        parts += groups.numbers.tolist()
        plain, groups = view_block(sl.GroupSize(), before, block)
        assert (plain, groups.domain) == (sl.GroupSize(), streamed.domain)
    assert numbers == [1, 2, 3]
    assert parts == [*range(1, len(held.about("income", known="disease")) + 1)] == [*range(1, 8)]


def test_of_equal_groups_the_first_is_enough_unless_all_are_to_be_counted():
    """Two groups of one Flu each, and a third in a block of its own: an average needs all."""
    rows = pa.table({"zip": ["1", "2", "3"], "disease": ["Flu"] * 3, "income": ["low"] * 3})
    streamed = sl.stream_release(rows, group="zip", sensitive=["disease", "income"])
    measure, average = sl.DistinctValues(), sl.ProsecutorRisk("average")
    for asked in (measure.about("disease"), measure.about("disease", known="income"), sl.GroupSize()):
        before = count_parts_before([asked], streamed)
        for counted, expected in (({}, [1]), ({"every": False}, [1]), ({"every": True}, [1, 2])):
            block = next(streamed.blocks())
            assert view_block(asked, before, block, **counted)[1].numbers.tolist() == expected
    for asked in (average, average.about(known="income")):
        block = next(streamed.blocks())
        assert view_block(asked, count_parts_before([asked], streamed), block)[1].numbers.tolist() == [1, 2]
