"""Presets: their limits, where they come from, what they do not cover, and how they are named."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadPolicy
from sidelight.intake.presets import SUMS, Preset, read_preset
from sidelight.policy.policy_file import read_policy_file, read_policy_text


def test_what_each_asks_for():
    assert sl.presets.ema_health_canada().criteria == (sl.ProsecutorRisk() <= Fraction(1, 11),)
    assert sl.presets.ema_health_canada().beside == (sl.ProsecutorRisk("average"),)
    assert sl.presets.ema_health_canada("register.csv").criteria == (
        sl.JournalistRisk("register.csv") <= Fraction(1, 11),
    )
    assert sl.presets.k_map(5).criteria == (sl.JournalistRisk() <= Fraction(1, 5),)
    assert sl.presets.acro(sums=False).criteria == (sl.GroupSize() >= 10, sl.DistinctValues() >= 2)
    assert sl.presets.acro().criteria == (
        sl.GroupSize() >= 10,
        sl.DistinctValues() >= 2,
        sl.Dominance(largest=2) <= 0.9,
        sl.Remainder(largest=2) >= 0.1,
    )


def test_eleven_people_are_enough_for_the_agencies():
    release = sl.Release.from_counts([{"a": 6, "b": 5}])
    assert sl.presets.ema_health_canada().policy.judge(release).safe
    assert not sl.Policy(sl.ProsecutorRisk() <= 0.09).judge(release).safe


def test_acro_asks_of_amounts_what_acro_does():
    """Ten amounts each: even ones; two that hold nearly all; one that can be told to within a tenth; nothing but zeros."""
    even = {"1": 5, "2": 5}
    two_large, one_told, zeros = {"1": 8, "90": 1, "40": 1}, {"1": 8, "100": 1, "0": 1}, {"0": 10}

    def broken(bag):
        verdict = sl.presets.acro().policy.judge(sl.Release.from_counts([even, bag]))
        return [each.criterion.measure.name for each in verdict.judgements if not each.holds]

    assert broken(even) == []
    assert broken(two_large) == ["dominance", "remainder"]
    assert broken(one_told) == ["dominance", "remainder"]
    assert broken(zeros) == ["distinct values", "dominance", "remainder"]
    assert broken({"1": 9}) == ["group size", "distinct values"]


def test_limits_met_with_equality_hold():
    """Two of 45 in 100 hold 0.90; all but them, 10, are more than a tenth of 45: and 10 of 100 are a tenth."""
    exactly = sl.Release.from_counts([{"45": 2, "1": 10}, {"100": 2, "1": 10}])
    assert (sl.Dominance() <= 0.9).judge(sl.Release.from_counts([{"45": 2, "1": 10}])).holds
    assert (sl.Remainder() >= 0.1).judge(exactly).holds
    assert not (sl.Remainder() > 0.1).judge(exactly).holds


@pytest.mark.parametrize("text", ["EMA/Health Canada 0.09", "k-map(k=5)", "ACRO", "ACRO(sums=false)"])
def test_each_says_its_source_and_what_it_does_not_cover(text):
    preset = read_preset(text)
    assert isinstance(preset, Preset)
    assert preset.source
    assert preset.not_covered
    source, gaps = preset.notes
    assert preset.source in source
    assert "does not cover: " in gaps
    assert read_policy_text(f'preset = "{text}"').policy == preset.policy


def test_by_name():
    assert [*sl.presets] == ["EMA/Health Canada 0.09", "k-map", "ACRO", "HIPAA safe harbour"]
    assert len(sl.presets) == 4
    assert sl.presets["acro"]().name == "ACRO"
    assert repr(sl.presets).startswith("<Presets: EMA")
    with pytest.raises(BadPolicy, match="no preset 'acr'; did you mean 'ACRO'"):
        sl.presets["acr"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("GDPR", "there are: EMA/Health Canada 0.09, k-map"),
        ("k-map", "it takes k, population; write settings like"),
        ("k-map(k=0)", "a whole number of at least 1, not 0"),
        ("k-map(k=many)", "a whole number of at least 1, not many"),
        ("k-map(k=5", "is missing before the end"),
        ("k-map(k=5) now", "'now'"),
        ("ACRO(k=3)", "it takes sums; write settings like"),
        ("ACRO(sums=perhaps)", "true or false, not perhaps"),
        ("HIPAA safe harbour", "a check of columns and sets no limits"),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(BadPolicy, match=message):
        read_preset(text)


def test_in_a_policy_file(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text(
        "preset = ['ACRO(sums=false)', 'k-map(k=3, population=\"register.csv\")']\n[[limit]]\nmeasure = 'group size'\nat_least = 20\n"
    )
    read = read_policy_file(file)
    register = tmp_path / "register.csv"
    assert read.policy.criteria == (
        sl.GroupSize() >= 10,
        sl.DistinctValues() >= 2,
        sl.JournalistRisk(str(register)) <= Fraction(1, 3),
        sl.GroupSize() >= 20,
    )
    assert sum("does not cover" in note for note in read.notes) == 2
    with pytest.raises(BadPolicy, match="preset of the policy is a text or a list of texts"):
        read_policy_text("preset = 3")
    with pytest.raises(BadPolicy, match="preset of the policy: no preset"):
        read_policy_text('preset = "nobody"')


def test_a_population_goes_to_whoever_compares_with_one():
    assert sl.presets.ema_health_canada("register.csv").beside == (sl.JournalistRisk("register.csv", "average"),)
    assert read_preset("k-map(k=5)", population="a.csv").criteria == sl.presets.k_map(5, "a.csv").criteria
    own = read_preset("k-map(k=5, population='b.csv')", population="a.csv")
    assert own.criteria == sl.presets.k_map(5, "b.csv").criteria
    assert read_preset("ACRO", population="a.csv").criteria == sl.presets.acro().criteria


def test_everybody_may_be_alone():
    assert sl.presets.k_map(1).criteria == (sl.JournalistRisk() <= 1,)


def test_names_and_notes():
    made = {
        "EMA/Health Canada 0.09": sl.presets.ema_health_canada(),
        "k-map": sl.presets.k_map(2),
        "ACRO": sl.presets.acro(),
    }
    for name, preset in made.items():
        assert preset.name == name
        assert preset.notes == (
            f"preset '{name}': {preset.source}",
            f"preset '{name}' does not cover: {'; '.join(preset.not_covered)}",
        )
    assert SUMS not in made["ACRO"].not_covered
    assert repr(sl.presets) == "<Presets: EMA/Health Canada 0.09; k-map; ACRO; HIPAA safe harbour>"


ALWAYS = "what somebody learns who knows more than the group's columns, and what several releases tell together"


def test_what_each_says_of_itself():
    """The words that a reader of an audit is shown: what they leave out is what no limit watches."""
    agencies, k_map = sl.presets.ema_health_canada(), sl.presets.k_map(2)
    acro, without_sums = sl.presets.acro(), sl.presets.acro(sums=False)
    assert agencies.source == (
        "EMA policy 0070 and Health Canada's Public Release of Clinical Information: 0.09 in most circumstances, as "
        "secondary sources report it; groups of 11 are meant, and 1/11 is 0.0909…, so that 1/11 is asked for"
    )
    assert agencies.not_covered == (
        "the sensitive values: a group of 11 who all have one gives it away",
        "how likely somebody tries: the agencies allow other thresholds in other circumstances",
        ALWAYS,
    )
    assert k_map.source == "Sweeney, Computational Disclosure Control, 2001; ARX KMap"
    assert k_map.not_covered == (
        "somebody who knows who is in the release: ask for prosecutor risk",
        "the sensitive values",
        "whether the population has everybody whom an outsider may take for somebody",
        ALWAYS,
    )
    assert acro.source == without_sums.source
    assert acro.source == (
        "AI-SDC/ACRO default.yaml (its documentation shows 0.85 for the two largest, where the file has 0.90)"
    )
    assert acro.not_covered == (
        "degrees of freedom of models, at least 10: nothing here publishes a model",
        "cells that nobody is in, which ACRO takes for disclosive: a release has no groups without people",
        "values that are all alike but for missing ones, which are a value here",
        ALWAYS,
    )
    assert without_sums.not_covered == (
        "sums of an amount: the two largest at most 0.90 of the total, all but them at least 0.10 of the largest",
        *acro.not_covered,
    )
    assert k_map.beside == acro.beside == ()


def test_a_check_of_columns_reads_as_it_is_told():
    rows = pa.table({"age": ["34", "99"], "sex": ["f", "m"]})
    assert sl.presets.hipaa_safe_harbour(rows).answer == "found"  # an age above 89
    assert sl.presets.hipaa_safe_harbour(rows, missing_marks="99").answer == "could not tell"


def test_a_number_that_is_too_long_is_pointed_at():
    with pytest.raises(BadPolicy, match=r" at character 4: '9{70,}…' is more than anybody counts"):
        read_preset(f"k-map(k={'9' * 5000})")


def test_settings_in_text():
    assert read_preset("ACRO(sums=true)").criteria == sl.presets.acro().criteria
    assert read_preset("ACRO(sums=false)").criteria == sl.presets.acro(sums=False).criteria
    assert (
        read_preset("k-map(k=5, population=this or that.csv)").criteria
        == sl.presets.k_map(5, "this or that.csv").criteria
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k-map(k=0)", "preset 'k-map(k=0)': the preset 'k-map' needs k= to be a whole number of at least 1, not 0"),
        ("ACRO(sums=2)", "preset 'ACRO(sums=2)': the preset 'ACRO' needs sums= to be true or false, not 2"),
        ("k-map(k=5 population=a)", "',' is missing before '='; write it like k-map(k=5)"),
        ("k-map(=5)", "a setting is missing before '='; put odd names into quotes"),
        ("k-map(k=)", "a value is missing before ')'; put odd names into quotes"),
        ("k-map(k=[5])", "a value is missing before '['; put odd names into quotes"),
        ("k-map(or=5)", "cannot read the preset 'k-map(or=5)': it takes k, population; write settings like k-map(k=5)"),
        ("k-map(k)", "'=' is missing before ')'; write it like k-map(k=5)"),
        ("k-map(k=5))", "')' comes too late; write it like k-map(k=5)"),
        ("colour", "no preset 'colour'; there are: EMA/Health Canada 0.09, k-map, ACRO, HIPAA safe harbour"),
    ],
)
def test_what_is_wrong_is_said_to_its_end(text, message):
    with pytest.raises(BadPolicy) as caught:
        read_preset(text)
    assert str(caught.value).endswith(message)


def test_numbers_are_read_as_they_are_however_long():
    assert read_preset("k-map(k=" + "0" * 5_000 + "5)").criteria == sl.presets.k_map(5).criteria
    with pytest.raises(BadPolicy, match="is more than anybody counts; give a smaller number") as caught:
        read_preset("k-map(k=" + "9" * 5_000 + ")")
    assert len(str(caught.value)) < 400
