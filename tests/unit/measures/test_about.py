"""A measure asked about one of several sensitive columns."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, UnknownColumn, UnknownValue
from sidelight.policy.limit_text import read_limit
from sidelight.policy.policy_file import read_policy_text

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
    with pytest.raises(BadMeasure, match=r"is about one sensitive column, and this release has disease, income"):
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
    assert knowing.explain().endswith("This is about 'disease', for somebody who knows everybody's 'income'.")
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
            "no sensitive column 'weight'; there are: disease, income",
        ),
        (sl.DistinctValues().about("disease", known="weight"), UnknownColumn, "no sensitive column 'weight'"),
        (sl.DistinctValues().about("diseas"), UnknownColumn, "did you mean 'disease'?"),
        (sl.Implications(1, value="HIV").about("income"), UnknownValue, "in 'income'; name the column that has it"),
        (sl.DistinctValues().about(known="income"), BadMeasure, "ask about one"),
    ],
)
def test_what_cannot_be_asked(both, measure, error, message):
    with pytest.raises(error) as refusal:
        measure.measure(both)
    assert message in str(refusal.value)


def test_a_column_is_not_asked_about_and_known():
    with pytest.raises(BadMeasure, match="which is also known"):
        sl.DistinctValues().about("income", known=["income"])
    with pytest.raises(BadMeasure, match="leaves no sensitive column to ask about"):
        sl.Policy(sl.DistinctValues().about(known=["a", "b"]) >= 1).about_each(["a", "b"])
    with pytest.raises(BadMeasure, match="is about a column already"):
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
    assert nothing.value.blocked_by == ("recursive diversity(l=4, of=income) < 3 (it is infinite)",)
    assert nothing.value.closest == ("recursive diversity(l=2, of=income) < 3",)


def test_questions_about_one_column_refuse_several(both):
    message = r'there are disease, income; pick one, such as sensitive="disease" \(in Python, or \.about'
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
        name: measure.with_settings(apart_from=[value]) for name, value in (("disease", "HIV"), ("income", "high"))
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
