"""Presets: their limits, where they come from, what they do not cover, and how they are named."""

from fractions import Fraction
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadPolicy
from sidelight.intake.presets import PolicyDraft, Preset, draft_of_preset, draft_policy, drafted_text, read_preset
from sidelight.intake.profile import ColumnProfile
from sidelight.intake.roles import SuggestedRole, SuggestedRoles
from sidelight.policy.policy_file import read_policy_file, read_policy_text
from sidelight.table.roles import Roles


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
    with pytest.raises(BadPolicy, match=r"preset 'acr'.*'ACRO'"):
        sl.presets["acr"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("GDPR", "EMA/Health Canada 0.09, k-map"),
        ("k-map", "k, population; "),
        ("k-map(k=0)", "at least 1, not 0"),
        ("k-map(k=many)", "at least 1, not many"),
        ("k-map(k=5", "is missing before the end"),
        ("k-map(k=5) now", "'now'"),
        ("ACRO(k=3)", "takes sums"),
        ("ACRO(sums=perhaps)", "true or false, not perhaps"),
        ("HIPAA safe harbour", "a check.*no limits"),
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
    with pytest.raises(BadPolicy, match=r"preset of the policy.*list of texts"):
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
    assert not any(mentions(each, "sums") for each in made["ACRO"].not_covered)
    assert repr(sl.presets) == "<Presets: EMA/Health Canada 0.09; k-map; ACRO; HIPAA safe harbour>"


def test_what_each_says_of_itself():
    """The words that a reader of an audit is shown: what they leave out is what no limit watches."""
    agencies, k_map = sl.presets.ema_health_canada(), sl.presets.k_map(2)
    acro, without_sums = sl.presets.acro(), sl.presets.acro(sums=False)
    assert mentions(agencies.source, "EMA policy 0070", "Health Canada", "0.09", "groups of 11", "0.0909…", "1/11")
    secret, thresholds, always = agencies.not_covered
    assert mentions(secret, "sensitive values", "group of 11")
    assert mentions(thresholds, "other thresholds")
    assert mentions(always, "more than", "columns", "several releases")
    assert k_map.source == "Sweeney, Computational Disclosure Control, 2001; ARX KMap"
    inside, secret, population, last = k_map.not_covered
    assert mentions(inside, "in the release", "prosecutor risk")
    assert mentions(secret, "sensitive values")
    assert mentions(population, "population", "everybody")
    assert last == always
    assert acro.source == without_sums.source
    assert mentions(acro.source, "AI-SDC/ACRO default.yaml", "documentation", "0.85", "two largest", "file", "0.90")
    models, empty, alike, last = acro.not_covered
    assert mentions(models, "degrees of freedom", "at least 10")
    assert mentions(empty, "cells", "nobody", "ACRO")
    assert mentions(alike, "alike", "missing")
    assert last == always
    sums, *others = without_sums.not_covered
    assert mentions(sums, "sums", "two largest", "at most 0.90", "at least 0.10", "largest")
    assert tuple(others) == acro.not_covered
    assert k_map.beside == acro.beside == ()


def test_a_check_of_columns_reads_as_it_is_told():
    rows = pa.table({"age": ["34", "99"], "sex": ["f", "m"]})
    assert sl.presets.hipaa_safe_harbour(rows).answer == "found"  # an age above 89
    assert sl.presets.hipaa_safe_harbour(rows, missing_marks="99").answer == "could not tell"


def test_a_number_that_is_too_long_is_pointed_at():
    with pytest.raises(BadPolicy, match=r" at character 4: '9{70,}…'"):
        read_preset(f"k-map(k={'9' * 5000})")


def test_settings_in_text():
    assert read_preset("ACRO(sums=true)").criteria == sl.presets.acro().criteria
    assert read_preset("ACRO(sums=false)").criteria == sl.presets.acro(sums=False).criteria
    assert (
        read_preset("k-map(k=5, population=this or that.csv)").criteria
        == sl.presets.k_map(5, "this or that.csv").criteria
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("k-map(k=0)", ("'k-map(k=0)'", "k=", "whole number", "at least 1", "not 0")),
        ("ACRO(sums=2)", ("'ACRO(sums=2)'", "sums=", "true or false", "not 2")),
        ("k-map(k=5 population=a)", ("','", "missing before '='", "k-map(k=5)")),
        ("k-map(=5)", ("a setting", "missing before '='", "quotes")),
        ("k-map(k=)", ("a value", "missing before ')'", "quotes")),
        ("k-map(k=[5])", ("a value", "missing before '['", "quotes")),
        ("k-map(or=5)", ("'k-map(or=5)'", "k, population", "k-map(k=5)")),
        ("k-map(k)", ("'='", "missing before ')'", "k-map(k=5)")),
        ("k-map(k=5))", ("')'", "too late", "k-map(k=5)")),
        ("colour", ("'colour'", "EMA/Health Canada 0.09, k-map, ACRO, HIPAA safe harbour")),
    ],
)
def test_what_is_wrong_is_said_to_its_end(text, named):
    with pytest.raises(BadPolicy) as caught:
        read_preset(text)
    assert mentions(caught.value, *named)


def test_numbers_are_read_as_they_are_however_long():
    assert read_preset("k-map(k=" + "0" * 5_000 + "5)").criteria == sl.presets.k_map(5).criteria
    with pytest.raises(BadPolicy, match=r"'9+…'.*smaller number") as caught:
        read_preset("k-map(k=" + "9" * 5_000 + ")")
    assert len(str(caught.value)) < 400


def drafted(rows):
    suggested = sl.suggest_roles(rows)
    table = sl.read_table(rows, **suggested.keywords)
    return table, suggested, draft_policy(table)


@examples(40)
@given(
    st.lists(st.tuples(st.integers(20, 60), st.sampled_from("fm"), st.sampled_from("abcd")), min_size=5, max_size=60)
)
def test_everybody_in_one_group_keeps_a_draft(cells):
    ages, sexes, diseases = zip(*cells, strict=True)
    rows = pa.table({"age": ages, "sex": sexes, "disease": diseases})
    table = sl.read_table(rows, quasi=["age", "sex"], sensitive="disease")
    assert draft_policy(table).policy.judge(sl.group(table, by=[])).safe


def test_two_values_are_hidden_from_who_knows_nothing_else():
    rows = pa.table({"age": [*range(20, 60)], "salary": ["low", "low", "low", "high"] * 10})
    _, _, draft = drafted(rows)
    assert str(draft.policy) == "group size ≥ 5; negations(k=0) ≤ 9/10"
    assert "3/4" in draft.reasons[1]


def test_what_nearly_everybody_has_is_not_hidden():
    rows = pa.table({"age": [*range(20, 60)] * 5, "disease": ["none"] * 199 + ["Flu"]})
    _, _, draft = drafted(rows)
    assert str(draft.policy) == "group size ≥ 11"
    assert "no release can hide" in draft.notes[0]


def test_few_people_are_asked_for_less():
    rows = pa.table({"age": [20, 30, 40], "disease": ["a", "b", "c"]})
    table = sl.read_table(rows, quasi="age", sensitive="disease")
    assert draft_policy(table).policy.criteria[0].bound == 2


@pytest.mark.parametrize(("people", "alike"), [(9, 2), (10, 5), (109, 5), (110, 11)])
def test_eleven_look_alike_where_there_are_people_enough(people, alike):
    rows = pa.table({"age": [*range(people)], "disease": [*"abc"] * (people // 3) + ["a"] * (people % 3)})
    draft = draft_policy(sl.read_table(rows, quasi="age", sensitive="disease"))
    assert draft.policy.criteria[0].bound == alike
    assert "EMA and Health Canada" in draft.reasons[0]


def test_each_sensitive_column_has_a_limit_of_its_own():
    rows = pa.table({"age": [*range(120)], "disease": [*"abcdef"] * 20, "income": ["low", "low", "low", "high"] * 30})
    _, _, draft = drafted(rows)
    assert str(draft.policy) == (
        "group size ≥ 11; implications(k=1, of=disease) ≤ 2/3; negations(k=0, of=income) ≤ 9/10"
    )


def test_what_most_people_have_is_asked_about_in_a_line_that_can_be_taken():
    rows = pa.table({"age": [*range(120)], "income": ["low", "low", "low", "high"] * 30})
    table, suggested, draft = drafted(rows)
    text = drafted_text(draft, suggested)
    assert mentions(text.replace("\n# ", " "), "DECIDE", "0.75 of the people", "commonest value")
    assert read_policy_text(text).policy == draft.policy
    taken = read_policy_text(text.replace('# apart_from = ["…"]', 'apart_from = ["low"]')).policy
    assert taken.criteria[1] == (sl.Negations(0, apart_from=["low"]) <= draft.policy.criteria[1].bound)
    assert taken.judge(sl.group(table, by=[])).safe


@pytest.mark.parametrize("secrets", [["disease"], ["disease", "income"]])
def test_the_text_is_read_back_as_it_was_meant(secrets):
    cells = {"disease": ["a", "b", "c", "d"] * 10, "income": ["low", "high"] * 20}
    rows = pa.table({"age": [*range(20, 60)], "x\ny": ["1"] * 40} | {name: cells[name] for name in secrets})
    _, suggested, draft = drafted(rows)
    again = read_policy_text(drafted_text(draft, suggested, heading=["one\ntwo"]))
    assert again.policy == draft.policy
    assert again.roles == suggested.roles
    assert again.roles.value_columns == tuple(secrets)


# What a draft asks for, and why.

ONE_FACT, NOTHING_ELSE = "one more fact", "nothing else"


def says_why(reason, knowing, bound, highest):
    """Return whether a reason says the bound, who keeps to it, and what totals alone would tell."""
    return mentions(reason, f"surer than {bound}", knowing, "totals", highest, 'apart_from = ["…"]')


def of(*values, **others):
    """Read a table of people who differ in their age, and have these values."""
    return sl.read_table(pa.table({"age": [*range(len(values))], "is": values}), quasi="age", sensitive="is", **others)


def test_each_limit_says_why():
    """Of three values the reader rules out one, and two are left; of two, one is."""
    many, few = draft_policy(of(*"abc" * 40)), draft_policy(of(*"ab" * 10))
    assert many == PolicyDraft(sl.Policy(sl.GroupSize() >= 11, sl.Implications(1) <= Fraction(3, 4)), many.reasons)
    assert few == PolicyDraft(sl.Policy(sl.GroupSize() >= 5, sl.Negations(0) <= Fraction(3, 4)), few.reasons)
    alike, secret = many.reasons
    assert mentions(alike, "one of 11", "EMA and Health Canada", "0.09", "DECIDE")
    assert not mentions(alike, 120)
    assert says_why(secret, ONE_FACT, "3/4", "1/2")
    alike, secret = few.reasons
    assert mentions(alike, "one of 5", "20 people only", 11, "EMA and Health Canada", "0.09", "DECIDE")
    assert says_why(secret, NOTHING_ELSE, "3/4", "1/2")


def test_what_totals_tell_is_rounded_up():
    """19 of 27 is 0.70370…: a bound of 0.7037 could not be kept."""
    (_, why) = draft_policy(of(*"a" * 19, *"b" * 8)).reasons
    assert says_why(why, NOTHING_ELSE, "9/10", "0.7038")


def test_how_few_people_there_are_is_said_with_a_comma_for_thousands(monkeypatch):
    monkeypatch.setattr("sidelight.intake.presets.GROUPS", ((2000, 11), (0, 5)))
    (why, _) = draft_policy(of(*"abc" * 400)).reasons
    assert mentions(why, "1,200 people")


@pytest.mark.parametrize(
    ("values", "limit"),
    [
        # of d values that are equally common, one is ruled out: v = 1 / (d - 1)
        ("abcde" * 4, sl.Implications(1) <= Fraction(2, 3)),
        ("abcd" * 5, sl.Implications(1) <= Fraction(2, 3)),  # (1 + 1/3) / 2, to the point
        ("abc" * 5, sl.Implications(1) <= Fraction(3, 4)),  # (1 + 1/2) / 2
        # of two values, whoever rules one out knows the other: v is the share of the commoner one
        ("ab" * 5, sl.Negations(0) <= Fraction(3, 4)),
        ("a" * 6 + "b" * 4, sl.Negations(0) <= Fraction(4, 5)),
        ("a" * 7 + "b" * 3, sl.Negations(0) <= Fraction(9, 10)),
        ("a" * 8 + "b" * 2, sl.Negations(0) <= Fraction(9, 10)),
        ("a" * 9 + "b", sl.Negations(0) <= Fraction(19, 20)),
        ("a" * 49 + "b", sl.Negations(0) <= Fraction(99, 100)),
        ("a" * 50 + "b", None),
        ("a" * 20, None),
    ],
)
def test_half_of_the_way_to_certainty_is_left_free(values, limit):
    _, *secrets = draft_policy(of(*values)).policy.criteria
    assert secrets == ([] if limit is None else [limit])


@pytest.mark.parametrize(
    ("values", "share"),
    [("aabb", None), ("aabbc", None), ("aaabb", Fraction(3, 5)), ("aaab", Fraction(3, 4)), ("a" * 99 + "b", None)],
)
def test_a_value_is_common_if_more_than_half_have_it_and_something_is_to_be_hidden(values, share):
    assert draft_policy(of(*values)).common == share


def test_what_is_common_in_one_of_several_columns_is_not_asked_about():
    rows = pa.table({"age": [*range(8)], "ill": [*"aaaaaabb"], "paid": [*"cccccccc"]})
    draft = draft_policy(sl.read_table(rows, quasi="age", sensitive=["ill", "paid"]))
    assert draft.common is None
    assert draft.policy.criteria[1:] == (sl.Negations(0).about("ill") <= Fraction(9, 10),)
    assert draft.reasons[1].startswith("ill: ")
    assert says_why(draft.reasons[1], NOTHING_ELSE, "9/10", "3/4")
    (note,) = draft.notes
    assert mentions(note, "same value", "paid", "no limit")


def of_people(*values, semantics):
    """Read a table of people with several values each."""
    cells = [(person, value) for person, several in enumerate(values) for value in several]
    people, theirs = zip(*cells, strict=True)
    rows = pa.table({"id": people, "age": people, "is": theirs})
    return sl.read_table(rows, quasi="age", sensitive="is", person="id", values=semantics)


def test_people_with_several_values_are_counted_once():
    """Six of ten have an a, whatever else they have."""
    draft = draft_policy(of_people(*["abc"] * 3, *["ad"] * 3, *"bcde", semantics="set"))
    assert draft.common == Fraction(6, 10)
    assert sl.Implications(1) in draft.policy.measures


def test_how_many_have_a_value_is_not_told_by_how_often_it_occurs():
    """Four of ten have an a, twice each, which is 8 of 10."""
    draft = draft_policy(of_people(*["aa"] * 4, *"bcdefg", semantics="multiset"))
    assert len(draft.policy.criteria) == 2
    assert draft.common is None


# What a preset asks for.


def test_a_preset_gives_its_limits_each_with_its_source():
    preset = sl.presets.acro()
    draft = draft_of_preset(preset, of("1", "2", "3"))
    assert draft == PolicyDraft(preset.policy, draft.reasons, notes=preset.notes[1:])
    assert [preset.source in each for each in draft.reasons] == [True] * 4
    assert mentions(draft.notes[0], "'ACRO'", "not cover")


AMOUNTS = {"age": [1, 2], "paid": ["10", "20"], "owed": ["1.5", "0"], "lost": ["-1", "3"], "ill": ["Flu", "Cold"]}


@pytest.mark.parametrize(
    ("sensitive", "sums"),
    [("paid", True), (["paid", "owed"], True), ("lost", False), ("ill", False), (["paid", "ill"], False)],
)
def test_rules_for_sums_are_asked_where_all_sensitive_values_are_amounts(sensitive, sums):
    table = sl.read_table(pa.table(AMOUNTS), quasi="age", sensitive=sensitive)
    draft = draft_of_preset(sl.presets.acro(), table)
    assert draft.policy == sl.presets.acro(sums=sums).policy
    assert mentions(draft.notes[0], "sums", "left out") is not sums
    assert len(draft.notes) == (1 if sums else 2)
    assert len(draft.reasons) == len(draft.policy.criteria)


def test_several_amounts_of_a_person_are_not_added_up():
    table = of_people(["1", "2"], ["3"], semantics="set")
    assert draft_of_preset(sl.presets.acro(), table).policy == sl.presets.acro(sums=False).policy


# What is written.


def column(name, role, reason):
    return SuggestedRole(ColumnProfile(name, 4, 0, 4, 4, 1, "category", ("a",)), role, reason)


COLUMNS = (
    column("id", "person", "numbers people"),
    column("zip code", "quasi", "called like a place"),
    column("age", "quasi", "called like an age"),
    column("ill", "sensitive", "called like health"),
    column("", "leave out", "empty: no row says anything"),
    column("note", "leave out", "free text"),
)

EVERYTHING = Roles(
    quasi=("zip code", "age"),
    sensitive="ill",
    person="id",
    values="set",
    missing="drop",
    suppressed="a group",
    missing_marks=("?", "NA"),
    domain=("Flu", "Cold"),
    keep=("ward",),
    weight="w",
    split=";",
    encoding="latin-1",
    sheet="May",
    sensitive_level=1,
    kinds=(("zip code", "category"), ("age", ("young", "old"))),
)

# "# …" is a comment that Sidelight words itself
TEXT = """\
# From a file
# on two lines

[roles]
# …
quasi = [
  "zip code",  # called like a place
  "age",  # called like an age
]
# …
#   ill: called like health
sensitive = "ill"
# …
person = "id"
# …
values = "set"
# …
missing = "drop"
# …
missing_marks = ["?", "NA"]
# …
split = ";"
# …
keep = ["ward"]
# …
weight = "w"
# …
suppressed = "a group"
# …
domain = ["Flu", "Cold"]
# …
sensitive_level = 1
encoding = "latin-1"
sheet = "May"
# …
columns = { "zip code" = "category", "age" = ["young", "old"] }
# …
#   (no name): empty: no row says anything
#   note: free text

# Enough.
[[limit]]
measure = "group size"
at_least = 2

# word word word word word word word word word word word word word word word word word word word word
# and a last one.
[[limit]]
measure = "negations"
k = 0
at_most = "3/4"
# …
# apart_from = ["…"]

# Note: one thing.
# Note: another."""


def without_own_words(text, kept):
    """Replace each comment of Sidelight's own words by "# …": what others gave is in the lines that are kept."""
    lines = ["# …" if line.startswith("# ") and line not in kept else line for line in text.splitlines()]
    return "\n".join(line for before, line in pairwise(["", *lines]) if not before == line == "# …")


def test_everything_that_a_draft_says_is_written():
    policy = sl.Policy(sl.GroupSize() >= 2, sl.Negations(0) <= Fraction(3, 4))
    long = " ".join(["word"] * 20) + " and a last one."
    draft = PolicyDraft(policy, ("Enough.", long), Fraction(3, 5), ("one thing", "another"))
    text = drafted_text(draft, SuggestedRoles(COLUMNS, EVERYTHING), heading=["From a file", "on two lines"])
    assert without_own_words(text, TEXT.splitlines()) == TEXT
    assert mentions(
        text, "DECIDE", "quasi = [", "DECIDE", "sensitive =", "person =", "DECIDE", "0.6 of the people", "apart_from"
    )
    read = read_policy_text(text)
    assert (read.policy, read.roles) == (policy, EVERYTHING)


def test_nothing_is_written_about_what_nobody_said():
    columns = (column("age", "quasi", "called like an age"), column("ill", "sensitive", "called like health"))
    roles = Roles(quasi=("age",), sensitive=("ill", "pay"), sensitive_level={"ill": 1}, domain={"ill": ("Flu",)})
    draft = PolicyDraft(sl.Policy(sl.GroupSize() >= 2), ("Enough.",))
    _, rest = drafted_text(draft, SuggestedRoles(columns, roles)).split("#   ill: called like health\n")
    settings = [
        'sensitive = ["ill", "pay"]',
        "# …",
        'domain = { "ill" = ["Flu"] }',
        "# …",
        'sensitive_level = { "ill" = 1 }',
    ]
    limit = ["# Enough.", "[[limit]]", 'measure = "group size"', "at_least = 2"]
    assert without_own_words(rest, limit) == "\n".join([*settings, "", *limit])


def test_no_name_ends_a_comment():
    odd = column("a\nb\x00", "sensitive", "told\tin confidence")
    suggested = SuggestedRoles((odd,), Roles(sensitive="a\nb\x00"))
    text = drafted_text(PolicyDraft(sl.Policy(sl.GroupSize() >= 2), ("Enough.",)), suggested, heading=["of\r\nx"])
    assert text.startswith("# of  x\n\n")
    assert "\n#   a b : told in confidence\n" in text
    assert read_policy_text(text).roles == suggested.roles


def test_no_limit_is_written_without_its_reason():
    draft = PolicyDraft(sl.Policy(sl.GroupSize() >= 2, sl.Negations(0) <= 1), ("Enough.",))
    with pytest.raises(ValueError, match="shorter"):
        drafted_text(draft, SuggestedRoles(COLUMNS, EVERYTHING))
