"""A report from whatever is at hand: a file, a sidecar, a search, a release."""

import hashlib
import json
import platform
import shutil
import tomllib
from fractions import Fraction

import pyarrow as pa
import pytest
from support.words import mentions, says

import sidelight as sl
from sidelight.attack.report import exposure_document, sentences
from sidelight.documents.document import FileFacts, IntakeFacts, attacker_facts, number
from sidelight.errors import BadRelease, WrongKind
from sidelight.files import sidecar_path
from sidelight.publish.sidecar import ResistanceFacts, read_sidecar
from sidelight.report.answer import Recipe
from sidelight.report.make import (
    ATTACKS,
    NOT_MEASURED_AGAIN,
    candidate_releases,
    circumstances,
    compute_cells,
    compute_curves,
    cuts_made,
    how_published,
    numbers_in,
    published_circumstances,
    read_attack,
    report_on_result,
    report_on_sidecar,
    summarise_exposure,
)
from sidelight.report.release_report import Circumstances, SignOff, how_made


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult(quasi=["age", "sex"])


@pytest.fixture(scope="module")
def found(adult):
    policy = sl.Policy(sl.GroupSize() >= 50, sl.Implications(1) < 0.9)
    return sl.protect(adult.table, policy, by=adult.hierarchies, ask="nobody")


@pytest.fixture(scope="module")
def published(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "release.parquet"
    found.publish(path)
    return path


def test_a_search_tells_the_risk_before_and_after(found):
    told = sl.release_report(found, date="2026-01-31").answer
    assert [number.text for number in told.before.results] == ["1", "1"]
    assert told.audit.verdict == "within policy"
    assert told.made.method == "lattice"
    assert told.date == "2026-01-31"


def test_a_published_file_is_told_of_as_its_sidecar_does(published, adult):
    told = sl.release_report(published, table=adult.table).answer
    assert told.files[0].name == "release.parquet"
    assert told.made.published is not None
    assert told.made.utility["loss"] is not None
    assert told.before.people == adult.table.people
    assert told.columns[0].technique.startswith("generalised")


def test_a_sidecar_whose_file_is_elsewhere_is_told_of(published, tmp_path):
    alone = tmp_path / "release.parquet.sidelight.json"
    shutil.copy(sidecar_path(published), alone)
    here, there = sl.release_report(published), sl.release_report(alone)
    assert NOT_MEASURED_AGAIN in there.notes
    assert [each.result for each in there.answer.audit.findings] == [each.result for each in here.answer.audit.findings]
    assert there.answer.made == here.answer.made
    assert "nothing was measured again" in sl.report_html(there)


def test_a_file_that_was_changed_is_refused(published, tmp_path):
    for path in (published, sidecar_path(published)):
        shutil.copy(path, tmp_path / path.name)
    with (tmp_path / published.name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(BadRelease, match=r"release\.parquet. is not the file"):
        sl.release_report(tmp_path / published.name)


def test_the_same_arguments_give_the_same_bytes(published):
    one, other = (sl.report_html(sl.release_report(published, date="2026-01-31")) for _ in range(2))
    assert one == other


def test_of_a_release_alone_what_is_unknown_is_said():
    release = sl.Release.from_counts([{"Flu": 8, "Cold": 4}])
    text = sl.report_markdown(sl.release_report(release))
    assert "No policy was given: nothing is judged" in text
    assert "no sidecar of Sidelight stands beside" in text


def test_no_row_of_the_table_is_told(tmp_path):
    """Values that one person alone has never come into a report, though the table is beside it."""
    rows = "".join(f"{20 + number % 40},zip{number % 4},{'Flu' if number % 3 else 'Cold'}\n" for number in range(400))
    file = tmp_path / "table.csv"
    file.write_text(f"age,zip,disease\n{rows}99,Rareville,Flu\n")
    table = sl.read_table(file, quasi=["age", "zip"], sensitive="disease", person="each row")
    policy = sl.Policy(sl.GroupSize() >= 10, sl.Implications(1) <= 1)
    report = sl.release_report(sl.protect(table, policy, method="mondrian", ask="nobody"))
    raw = sl.release_report(sl.group(table, by=["age", "zip"]), policy, table=table)
    assert report.answer.before.alone >= 1
    assert "Rareville" not in sl.report_html(raw)
    assert "Rareville" not in raw.to_json()


def test_of_an_attack_only_numbers_are_taken(tmp_path):
    file = tmp_path / "attack.json"
    answer = {"people": 3, "worst": {"name": "Ann", "probability": 0.5}, "rows": [{"name": "Bob", "p": 1}]}
    file.write_text(
        json.dumps({"kind": "attack", "schema_version": 1, "source": ["a/b.csv"], "answer": answer, "notes": ["Ann"]})
    )
    tried = read_attack(file)
    assert (tried.source, tried.notes) == (("b.csv",), ())
    assert tried.facts == {"people": 3, "worst: probability": 0.5}
    assert dict(numbers_in([1, 2])) == {}


def test_what_is_no_attack_is_refused(tmp_path):
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"kind": "audit", "schema_version": 1, "answer": {}}))
    with pytest.raises(BadRelease, match="an answer of 'audit'"):
        read_attack(file)
    file.write_text("[]")
    with pytest.raises(BadRelease, match="no answer of Sidelight"):
        read_attack(file)


def test_curves_are_of_one_sensitive_column(tmp_path):
    file = tmp_path / "release.csv"
    file.write_text("age,disease,income\n30,Flu,high\n30,Cold,low\n")
    one = sl.read_release(file, group=["age"], sensitive="disease")
    several = sl.read_release(file, group=["age"], sensitive=["disease", "income"])
    assert [each.measure for each in sl.release_report(one).answer.curves] == ["implications", "negations"]
    assert sl.release_report(several).answer.curves == ()


@pytest.fixture(scope="module")
def with_gaps(tmp_path_factory):
    """A table of 40 rows, ten of them without a disease, and a release of it."""
    folder = tmp_path_factory.mktemp("gaps")
    rows = "".join(f"{30 + at % 2},note,{('Flu', 'Cold', 'Gout', '')[at % 4]}\n" for at in range(40))
    (folder / "table.csv").write_text(f"age,remark,disease\n{rows}")
    table = sl.read_table(folder / "table.csv", quasi=["age"], sensitive="disease", missing="drop")
    sl.protect(table, sl.Policy(sl.GroupSize() >= 5), method="mondrian", ask="nobody").publish(folder / "release.csv")
    return table, folder / "release.csv"


def test_rows_and_columns_of_the_table_that_nobody_gets_are_told(with_gaps):
    table, path = with_gaps
    text = sl.report_markdown(sl.release_report(path, table=table))
    assert "none of these people is suppressed" in text
    assert says(text, "10 of 40 rows", "no sensitive value", "dropped")
    assert says(text, "Left out", "1 column", "remark")


def test_without_the_table_it_is_said_that_they_are_not_known(with_gaps):
    text = sl.report_markdown(sl.release_report(with_gaps[1]))
    assert says(text, "40 rows", "more than", "people")
    assert says(text, "columns", "left out", "not told")


def test_the_policy_that_is_printed_says_what_each_column_is(with_gaps):
    policy = tomllib.loads(sl.release_report(with_gaps[1]).answer.again.policy)
    assert policy["roles"]["quasi"] == ["age"]
    assert policy["roles"]["missing"] == "drop"
    assert len(policy["limit"]) == 1


def test_the_column_that_says_whose_row_it_is_counts_as_left_out(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "pid,age,note,disease\n" + "".join(f"{at},30,x,{'Flu' if at % 2 else 'Cold'}\n" for at in range(20))
    )
    table = sl.read_table(path, quasi=["age"], sensitive="disease", person="pid")
    release = sl.group(table, by=["age"])
    told = sl.release_report(release, sl.Policy(sl.GroupSize() >= 5), table=table).answer
    assert told.before.columns_left_out == ("pid", "note")


def test_files_that_go_out_with_the_release_have_checksums_and_the_sign_off_names_one(published):
    report = sl.release_report(published)
    names = [each.name for each in report.answer.files]
    assert names == ["release.parquet", "release.parquet.sidelight.json", "release.parquet-metadata.json"]
    for each in report.answer.files:
        assert each.sha256 == hashlib.sha256((published.parent / each.name).read_bytes()).hexdigest()
    assert f"This is about release.parquet (SHA-256 {report.answer.files[0].sha256})" in sl.report_html(report)


RELEASE = sl.Release.from_counts([{"Flu": 8, "Cold": 4}, {"Flu": 5, "Cold": 5}], labels=[{"age": "30"}, {"age": "40"}])
POLICY = sl.Policy(sl.GroupSize() >= 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attacks": ["x"]}, 'attacks= should be a mapping such as {"others.csv": exposure}, not a list'),
        ({"attacks": {"x": 5}}, "what was tried should be a Exposure, not an int"),
        ({"date": 5}, "date= should be a str, not an int"),
        ({"sign_off": "me"}, "sign_off= should be a SignOff, not a str"),
        ({"policy": 5}, "policy= should be a Policy, not an int"),
    ],
)
def test_what_is_of_another_kind_is_refused(options, message):
    with pytest.raises(WrongKind) as refused:
        sl.release_report(RELEASE, **options)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("draw", [sl.report_html, sl.report_markdown])
def test_what_is_no_report_is_not_drawn(draw):
    with pytest.raises(WrongKind, match=r"^the report .* ReleaseReport, not an int"):
        draw(5)


def test_who_signs_and_when_is_told():
    signed = SignOff(name="Ann", role="head", decision="approved")
    told = sl.release_report(RELEASE, POLICY, date="2026-01-31", sign_off=signed).answer
    assert (told.sign_off, told.date) == (signed, "2026-01-31")
    assert sl.release_report(RELEASE).answer.sign_off == SignOff()
    assert sl.release_report(RELEASE).answer.date is None


@pytest.fixture(scope="module")
def exposure():
    people = sl.read_table(pa.table({"age": ["30", "40"], "ill": ["Flu", "Cold"]}), quasi="age", sensitive="ill")
    return sl.intersect([RELEASE], people=people)


def test_what_releases_give_away_together_is_told_in_sentences_and_numbers(exposure):
    (tried,) = sl.release_report(RELEASE, POLICY, attacks={"others.csv": exposure}).answer.attacks
    assert (tried.kind, tried.source) == ("attack", ("others.csv",))
    assert tried.notes == tuple(sentences(exposure)) != ()
    assert tried.facts == dict(numbers_in(exposure_document(exposure)))
    assert tried.facts["people"] == 2
    assert summarise_exposure(exposure).source == ()


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ({"if_present": {"at_most": 1}}, {"if present: at most": 1}),
        ({"a": {"b": {"c_d": 0.5}}, "e": 0}, {"a: b: c d": 0.5, "e": 0}),
        ({"a": None, "b": "text", "c": [1]}, {}),
        (7, {"": 7}),
    ],
)
def test_numbers_are_named_by_where_they_stand(answer, numbers):
    assert dict(numbers_in(answer)) == numbers


def test_files_of_attacks_name_their_sources_without_folders(tmp_path):
    file = tmp_path / "attack.json"
    for source, names in (("a/b.csv", ("b.csv",)), (["a/b.csv", "c.csv"], ("b.csv", "c.csv")), (None, ())):
        envelope = {"kind": "insider", "schema_version": 1, "source": source, "answer": {"people": 3}}
        file.write_text(json.dumps(envelope))
        tried = read_attack(file)
        assert (tried.kind, tried.source, tried.facts) == ("insider", names, {"people": 3})
    file.write_text(json.dumps({"kind": "attack", "schema_version": 1, "answer": [1]}))
    assert (read_attack(file).facts, read_attack(file).checked) == ({}, None)


def test_why_an_answer_is_no_attack_is_said(tmp_path):
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"kind": "audit", "schema_version": 1, "answer": {}}))
    with pytest.raises(BadRelease) as refused:
        read_attack(file)
    assert mentions(refused.value, f"'{file}'", "'audit'", "not of an attack", ", ".join(ATTACKS))
    file.write_text("{}")
    with pytest.raises(BadRelease) as refused:
        read_attack(file)
    assert mentions(refused.value, f"'{file}'", "no answer", "sidelight attack … --output FILE")


def test_the_risk_before_needs_a_table_and_a_policy():
    table = sl.read_table(pa.table({"age": ["30", "40"], "ill": ["Flu", "Flu"]}), quasi="age", sensitive="ill")
    assert sl.release_report(RELEASE, POLICY).answer.before is None
    assert sl.release_report(RELEASE, table=table).answer.before is None
    before = sl.release_report(RELEASE, POLICY, table=table).answer.before
    assert (before.people, before.groups, before.alone) == (2, 2, 2)
    assert [each.exact for each in before.results] == ["1"]


def test_of_a_release_alone_versions_are_told_and_the_policy_as_a_file():
    told = sl.release_report(RELEASE, POLICY).answer
    assert told.versions == {"sidelight": sl.__version__, "python": platform.python_version()}
    assert len(tomllib.loads(told.again.policy)["limit"]) == 1
    assert (told.files, told.again.commands, told.again.python) == ((), (), "")
    assert sl.release_report(RELEASE).answer.again.policy == ""


def test_more_measures_are_told_without_a_limit(published, found):
    for released in (RELEASE, found, published):
        audit = sl.release_report(released, measures=[sl.DistinctValues()]).answer.audit
        (told,) = [each for each in audit.findings if each.measure == "distinct values"]
        assert (told.limit, told.holds) == (None, None)


def test_what_a_search_could_have_chosen_is_told(found, published):
    told = sl.release_report(found).answer
    assert told.candidates is not None
    assert told.columns[0].technique.startswith("generalised: level")
    assert told.made.published is None
    assert sl.release_report(published).answer.candidates is None


def test_risks_by_several_kinds_of_knowledge_are_told_of_the_first_two_limits_on_an_acquaintance():
    limits = [sl.Acquaintance(others=many) <= 1 for many in range(3)]
    assert [each.text for each in compute_cells(RELEASE, sl.Policy(sl.GroupSize() >= 5, *limits))] == [
        str(limits[0].measure),
        str(limits[1].measure),
    ]
    assert list(compute_cells(RELEASE, None)) == list(compute_cells(RELEASE, POLICY)) == []


def test_curves_say_the_risk_at_each_amount_of_knowledge():
    implied, ruled_out = compute_curves(RELEASE)
    assert (implied.measure, implied.parameter, ruled_out.measure) == ("implications", "k", "negations")
    assert implied.amounts == ruled_out.amounts == (0, 1, 2, 3, 4, 5, 6)
    assert [each.exact for each in ruled_out.risks] == ["2/3"] + ["1"] * 6  # of two values one is left
    assert implied.risks[0].exact == "2/3"


def test_curves_that_would_take_long_are_left_out(monkeypatch):

    assert len(compute_curves(RELEASE, most_cells=4)) == 2  # two groups of two values
    assert compute_curves(RELEASE, most_cells=3) == ()


def test_how_a_file_was_made_is_told_as_its_sidecar_does(published):
    document = read_sidecar(published)
    made = how_published(document)
    assert (made.method, made.levels, made.complete) == ("lattice", document.search.levels, True)
    assert (made.rows_in, made.people_in, made.people_out, made.suppressed) == (45_222, 45_222, 45_222, 0)
    assert (made.checked, made.resists, made.utility) == (0, None, document.utility)
    assert (made.published, made.warnings) == (document.date, document.warnings)


@pytest.mark.parametrize(
    ("belief", "words"),
    [(None, "sizes alone decide"), (Fraction(2, 3), "at most 2/3 sure of anybody's value")],
)
def test_against_whom_a_file_was_made_is_told_in_words(published, belief, words):
    document = read_sidecar(published)
    sure = None if belief is None else number(belief, large_is_bad=True)
    facts = ResistanceFacts(reader="insider", belief=sure)
    search = document.search.model_copy(update={"resistance": facts})
    assert how_published(document.model_copy(update={"search": search})).resists == words


def test_a_method_that_is_kept_back_is_not_guessed_at(found, tmp_path):
    published = found.publish(tmp_path / "release.csv", quiet_method=True)
    told = sl.release_report(published.path).answer
    assert told.made.method == "kept back"
    # sex is * for all, which anybody sees
    assert [each.technique for each in told.columns[:2]] == ["kept back", "kept back; nothing of it is left"]


def test_versions_of_then_and_now_are_told_of_a_file(published):
    versions = sl.release_report(published).answer.versions
    then = read_sidecar(published).versions
    assert versions == {f"{name} (published with)": each for name, each in then.items()} | {
        "sidelight": sl.__version__,
        "python": platform.python_version(),
    }


def test_what_labels_cover_is_told_where_they_do_not_say_it(tmp_path):
    rows = pa.table({"age": ["1", "2"] * 4, "ill": ["Flu"] * 4 + ["Cold"] * 4, "ward": list("aabbccdd")})
    table = sl.read_table(rows, quasi="age", sensitive="ill", keep="ward")
    by = {"age": sl.Hierarchy("age", (("1", "2"), ("young", "young"), ("*", "*")))}
    published = sl.protect(
        table, sl.Policy(sl.GroupSize() >= 5, sl.Implications(0) <= 0.5), by=by, ask="nobody"
    ).publish(tmp_path / "release.csv")
    alone = tmp_path / "alone" / published.sidecar.name
    alone.parent.mkdir()
    shutil.copy(published.sidecar, alone)
    here, there = sl.release_report(published.path).answer, sl.release_report(alone)
    assert [each.column for each in here.columns] == ["age", "ill", "ward"]
    assert there.source == "release.csv"
    assert there.notes[0] == NOT_MEASURED_AGAIN
    told = there.answer
    assert [(each.column, each.role, each.technique) for each in told.columns] == [
        ("age", "known to outsiders", "generalised: level 1 of 2"),
        ("ill", "sensitive", "as it is"),
        ("ward", "kept as it is", "as it is, beside what is judged"),
    ]
    assert told.columns[1].labels == 2
    size, implied = told.audit.findings
    assert (size.limit.text, size.holds, size.witness) == ("≥ 5", True, None)
    assert size.worst_off == "the group with age young"
    assert mentions(size.explanation, "group with age young", 8)
    value = published.document.findings[1].value
    assert implied.worst_off == f"the group with age young: {value}"
    assert mentions(implied.explanation, f"group with age young: {value}", "1/2")
    assert (told.audit.sidelight, told.audit.verdict) == (sl.__version__, "within policy")
    assert told.audit.intake.rows == 8
    assert mentions(told.audit.not_covered, "Attackers", "not name", "not judged")
    assert [each.name for each in told.files] == ["release.csv"]


def test_a_sidecar_beside_its_file_is_told_of_as_the_file(published):
    assert sl.release_report(sidecar_path(published)) == sl.release_report(published)
    assert sl.release_report(str(published)).source == "release.parquet"


# The same on eight people, word by word.


def eight_people(**roles):
    rows = {"age": [1, 1, 1, 1, 2, 2, 2, 2], "ill": ["Flu", "Cold"] * 4, "ward": list("aabbccdd")}
    return sl.read_table(pa.table(rows), quasi="age", sensitive="ill", **roles)


BY = {"age": sl.Hierarchy("age", (("1", "2"), ("young", "young"), ("*", "*")))}
LIMITS = sl.Policy(sl.GroupSize() >= 5, sl.Implications(0) <= 0.5)
STRICTER = sl.Policy(sl.GroupSize() >= 9, sl.Acquaintance(others=0) <= 1)
WRITTEN = """\
[[limit]]
measure = "group size"
at_least = 5

[[limit]]
measure = "implications"
k = 0
at_most = 0.5
"""
STRICTER_WRITTEN = """\
[[limit]]
measure = "group size"
at_least = 9

[[limit]]
measure = "acquaintance"
"""
ROLES_WRITTEN = """\
[roles]
quasi = [
    "age",
]
sensitive = "ill"
values = "single"
missing = "an error"
suppressed = "a group"

"""


@pytest.fixture(scope="module")
def eight():
    return sl.protect(eight_people(keep="ward"), LIMITS, by=BY, ask="both")


@pytest.fixture(scope="module")
def eight_published(eight, tmp_path_factory):
    return eight.publish(tmp_path_factory.mktemp("eight") / "release.csv")


def alone(published, folder):
    """A sidecar without its file."""
    return shutil.copy(published.sidecar, folder / published.sidecar.name)


@pytest.mark.parametrize(
    ("released", "kind", "remedies"),
    [
        (5, "an int", ("sl.read_release(file, group=[...], sensitive=...)", "sl.group")),
        (None, "None", ("sl.read_release(file, group=[...], sensitive=...)", "sl.group")),
        (eight_people(), "a Table", ("sl.group(table)", "sl.generalise(table, by=..., to=...)")),
    ],
)
def test_what_is_no_release_is_refused_with_what_to_do(released, kind, remedies):
    with pytest.raises(WrongKind) as refused:
        sl.release_report(released)
    assert mentions(refused.value, "a Release", f"not {kind}", *remedies)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": sl.GroupSize()}, "measures= should be several, not one; put it into a list: [measure]"),
        ({"measures": [5]}, "measure 1 should be a Measure, not an int; write one, such as sl.GroupSize() or"),
        ({"measures": 5}, "measures= should be a list, each a Measure, not an int"),
        ({"policy": 5}, "policy= should be a Policy, not an int"),
        ({"table": 5}, "table= should be a Table, not an int; read it first with sl.read_table("),
    ],
)
def test_whatever_is_told_of_what_is_of_another_kind_is_refused(eight, eight_published, options, message):
    for released in (RELEASE, eight, eight_published.path):
        with pytest.raises(WrongKind) as refused:
            sl.release_report(released, **options)
        assert str(refused.value).startswith(message)


def test_a_release_is_judged_by_the_policy_that_is_given():
    told = sl.release_report(RELEASE, STRICTER).answer
    assert told.audit.verdict == "within policy"
    assert [(each.measure, each.result.exact, each.holds) for each in told.audit.findings] == [
        ("group size", "10", True),
        ("acquaintance", "2/3", True),
    ]
    assert told.cells == tuple(compute_cells(RELEASE, STRICTER)) != ()
    assert told.curves == compute_curves(RELEASE)
    assert (told.made, told.candidates, told.cuts) == (None, None, None)
    without = sl.release_report(RELEASE).answer
    assert (without.audit.verdict, without.audit.findings, without.cells) == ("no policy", (), ())


def test_a_search_is_judged_by_its_own_policy(eight):
    report = sl.release_report(eight, measures=[sl.DistinctValues()])
    told = report.answer
    assert (report.source, told.audit.verdict) == (None, "within policy")
    assert [(each.measure, each.result.exact, each.holds) for each in told.audit.findings] == [
        ("group size", "8", True),
        ("implications", "1/2", True),
        ("distinct values", "2", None),
    ]
    assert (told.before.people, told.before.groups, told.before.alone) == (8, 2, 0)
    assert [each.exact for each in told.before.results] == ["4", "1/2"]
    assert told.again.policy == WRITTEN
    assert told.made == how_made(eight)
    assert told.files == ()
    assert told.curves == compute_curves(eight.release)
    assert [(each.column, each.role, each.technique, each.covers) for each in told.columns] == [
        ("age", "known to outsiders", "generalised: level 1 of 2", {}),
        ("ill", "sensitive", "as it is", {}),
        ("ward", "kept as it is", "as it is, beside what is judged", {}),
    ]
    assert any(mentions(each, "as they are", "judged by nothing", "ward") for each in told.not_covered)
    assert told.audit.readers == tuple(attacker_facts(each.for_publication()) for each in eight.readers)
    assert {each.reader: each.outcome for each in told.audit.readers}.items() >= {
        "learner": "asked",
        "insider": "nothing to learn",
    }.items()


def test_a_search_is_judged_by_another_policy_that_is_given(eight):
    told = sl.release_report(eight, STRICTER).answer
    assert told.audit.verdict == "not within policy"
    assert [(each.measure, each.result.exact, each.holds) for each in told.audit.findings] == [
        ("group size", "8", False),
        ("acquaintance", "1/2", True),
    ]
    assert [each.exact for each in told.before.results] == ["4", "1/2"]
    assert told.again.policy.startswith(STRICTER_WRITTEN)
    assert told.cells == tuple(compute_cells(eight.release, STRICTER)) != ()


@pytest.mark.parametrize(
    ("method", "columns"),
    [
        ("mondrian", [("age", "generalised, group by group (mondrian)"), ("ill", "as it is")]),
        (
            "anatomy",
            [
                ("bucket", "as it is"),
                ("age", "as it is, in a table of its own that names only the group (anatomy)"),
                ("ill", "as it is"),
            ],
        ),
        ("microaggregation", [("age", "the average of each group (microaggregation)"), ("ill", "as it is")]),
    ],
)
def test_what_a_method_did_to_columns_is_told_of_a_search_a_file_and_a_sidecar(method, columns, tmp_path):
    found = sl.protect(eight_people(), sl.GroupSize() >= 2, by=BY, method=method, ask="nobody")
    told = sl.release_report(found).answer
    assert [(each.column, each.technique) for each in told.columns[: len(columns)]] == columns
    assert (told.candidates, told.cuts) == (candidate_releases(found), cuts_made(found))
    assert (told.cuts is None) == (method != "mondrian")
    published = found.publish(tmp_path / "release.csv")
    of_file = {each.column: each.technique for each in sl.release_report(published.path).answer.columns}
    assert of_file["age"] == dict(columns)["age"]
    (tmp_path / "alone").mkdir()
    of_sidecar = sl.release_report(alone(published, tmp_path / "alone")).answer.columns
    assert {each.column: each.technique for each in of_sidecar}["age"] == dict(columns)["age"]


def test_of_a_table_that_was_gone_through_the_risk_before_is_not_told():
    rows = pa.table({"age": ["1", "2"] * 4, "ill": ["Flu", "Cold"] * 4})
    table = sl.stream_table(rows, quasi="age", sensitive="ill", kinds={"age": "number"})
    told = sl.release_report(sl.protect(table, sl.GroupSize() >= 8, method="mondrian")).answer
    assert (told.before, told.audit.verdict) == (None, "within policy")


def test_of_a_release_that_is_gone_through_there_are_no_curves():
    rows = pa.table({"age": ["1", "2"] * 4, "ill": ["Flu", "Cold"] * 4})
    release = sl.stream_release(rows, group="age", sensitive="ill")
    told = sl.release_report(release, sl.Policy(sl.GroupSize() >= 4), date="2026-01-31").answer
    assert (told.audit.verdict, told.date, told.curves, told.cells) == ("within policy", "2026-01-31", (), ())
    assert [(each.column, each.role, each.labels) for each in told.columns] == [
        ("age", "known to outsiders", None),
        ("ill", "sensitive", 2),
    ]
    assert [(each.column, each.people) for each in told.values] == [("ill", 8)]
    assert len(tomllib.loads(told.again.policy)["limit"]) == 1


def test_a_search_that_was_published_is_told_of_as_its_sidecar_does(eight, eight_published):
    details = Circumstances(
        date="2026-01-31", again=Recipe(commands=("sidelight protect",), python="import sidelight as sl")
    )
    report = report_on_result(eight, details, source="release.csv", published=eight_published.document)
    told = report.answer
    assert (report.source, told.date) == ("release.csv", "2026-01-31")
    assert told.made == how_published(eight_published.document)
    assert told.before == sl.release_report(eight).answer.before
    assert told.columns[0].covers == {"young": ("1", "2", "(missing)")}
    assert [each.name for each in told.files] == ["release.csv"]
    assert told.again.model_dump() == {
        "commands": ("sidelight protect",),
        "python": "import sidelight as sl",
        "policy": ROLES_WRITTEN + WRITTEN,
    }
    assert told.candidates == candidate_releases(eight)


def test_a_file_is_judged_by_its_own_policy(eight_published):
    report = sl.release_report(eight_published.path, table=eight_people())
    told = report.answer
    assert (report.source, told.audit.verdict, told.again.policy) == (
        "release.csv",
        "within policy",
        ROLES_WRITTEN + WRITTEN,
    )
    assert [(each.measure, each.result.exact) for each in told.audit.findings] == [
        ("group size", "8"),
        ("implications", "1/2"),
    ]
    assert told.audit.readers == eight_published.document.readers != ()
    assert [each.exact for each in told.before.results] == ["4", "1/2"]
    assert sl.release_report(eight_published.path).answer.before is None
    assert [(each.column, each.role, each.technique, each.covers) for each in told.columns] == [
        ("age", "known to outsiders", "generalised: level 1 of 2", {"young": ("1", "2", "(missing)")}),
        ("ill", "sensitive", "as it is", {}),
        ("ward", "kept as it is", "as it is, beside what is judged", {}),
    ]
    assert told.curves == compute_curves(sl.read_published(eight_published.path))
    names = ("release.csv", "release.csv.sidelight.json", "release.csv-metadata.json")
    assert [each.model_dump() for each in told.files] == [
        {"name": name, "sha256": hashlib.sha256((eight_published.path.parent / name).read_bytes()).hexdigest()}
        for name in names
    ]


def test_a_file_is_judged_by_another_policy_that_is_given(eight_published):
    told = sl.release_report(eight_published.path, STRICTER, table=eight_people()).answer
    assert told.audit.verdict == "not within policy"
    assert [(each.measure, each.result.exact, each.holds) for each in told.audit.findings] == [
        ("group size", "8", False),
        ("acquaintance", "1/2", True),
    ]
    assert [each.exact for each in told.before.results] == ["4", "1/2"]
    assert told.again.policy.startswith(ROLES_WRITTEN + STRICTER_WRITTEN)
    assert len(told.cells) == 1


def test_a_file_whose_dictionary_is_gone_is_told_of_without_it(eight, tmp_path):
    published = eight.publish(tmp_path / "release.csv")
    (tmp_path / "release.csv-metadata.json").unlink()
    told = sl.release_report(published.path).answer
    assert [each.name for each in told.files] == ["release.csv", "release.csv.sidelight.json"]


def test_a_sidecar_alone_is_told_of_word_by_word(eight_published, tmp_path):
    document = eight_published.document
    details = {"date": "2026-01-31", "sign_off": SignOff(name="Ann")}
    report = sl.release_report(alone(eight_published, tmp_path), **details)
    told = report.answer
    assert (report.source, report.notes) == ("release.csv", (NOT_MEASURED_AGAIN,))
    assert (told.date, told.sign_off) == ("2026-01-31", SignOff(name="Ann"))
    assert (told.audit.release, told.audit.readers) == (document.release, document.readers)
    assert told.audit.intake == IntakeFacts(
        rows=8, columns_dropped=(), rows_without_value=0, rows_saying_no_value=0, rows_suppressed=0, repeats=0
    )
    assert (told.before, told.curves, told.cells, told.sizes) == (None, (), (), ())
    assert told.again.policy == ROLES_WRITTEN + WRITTEN
    assert [each.model_dump() for each in told.columns] == [
        {
            "column": "age",
            "role": "known to outsiders",
            "technique": "generalised: level 1 of 2",
            "labels": None,
            "examples": (),
            "covers": {"young": ("1", "2", "(missing)")},
        },
        {
            "column": "ill",
            "role": "sensitive",
            "technique": "as it is",
            "labels": 2,
            "examples": (),
            "covers": {},
        },
        {
            "column": "ward",
            "role": "kept as it is",
            "technique": "as it is, beside what is judged",
            "labels": None,
            "examples": (),
            "covers": {},
        },
    ]
    assert [
        (each.measure, each.settings, each.text, each.limit, each.result, each.holds, each.notes)
        for each in told.audit.findings
    ] == [
        (each.measure, each.settings, each.text, each.limit, each.result, each.holds, each.notes)
        for each in document.findings
    ]


def test_a_sidecar_that_names_no_group_and_no_version_is_told_of(eight_published):
    document = eight_published.document
    size, implied = document.findings
    findings = (
        size.model_copy(update={"group": None, "notes": ("a note",)}),
        implied.model_copy(update={"group": {"age": None, "sex": "f"}, "value": "Flu", "holds": False}),
    )
    other = document.model_copy(update={"findings": findings, "versions": {}, "not_covered": "Nobody else."})
    audit = report_on_sidecar(other, Circumstances()).answer.audit
    assert (audit.sidelight, audit.not_covered) == ("", "Nobody else.")
    assert [(each.notes, each.holds) for each in audit.findings] == [(("a note",), True), ((), False)]
    nobody, somebody = audit.findings
    assert nobody.worst_off == "no group"
    assert mentions(nobody.explanation, "no group", 8)
    assert mentions(somebody.worst_off, "age (missing), sex f: Flu")
    assert mentions(somebody.explanation, somebody.worst_off, "1/2")


def test_what_is_known_of_any_release_is_put_together(tmp_path, exposure):
    file = tmp_path / "release.csv"
    file.write_bytes(b"age\n")
    tried = summarise_exposure(exposure, ["others.csv"])
    before = sl.release_report(RELEASE, POLICY, table=eight_people()).answer.before
    again = Recipe(commands=("sidelight audit",), python="import")
    known = Circumstances("2026-01-31", before=before, attacks=(tried,), again=again, sign_off=SignOff(name="Ann"))
    known = circumstances(known, POLICY, [file], {"quasi": ["age"]})
    assert (known.date, known.before, known.attacks, known.sign_off) == (
        "2026-01-31",
        before,
        (tried,),
        SignOff(name="Ann"),
    )
    assert known.again.model_dump() == {
        "commands": ("sidelight audit",),
        "python": "import",
        "policy": '[roles]\nquasi = [\n    "age",\n]\n\n[[limit]]\nmeasure = "group size"\nat_least = 5\n',
    }
    assert known.files == (FileFacts(name="release.csv", sha256=hashlib.sha256(b"age\n").hexdigest()),)


def test_what_else_is_known_stays_beside_what_a_sidecar_tells(eight_published):
    details = Circumstances("2026-01-31", sign_off=SignOff(name="Ann"))
    known = published_circumstances(details, eight_published.document, policy=None)
    assert (known.date, known.sign_off, known.before) == ("2026-01-31", SignOff(name="Ann"), None)
    assert (known.again.policy, known.kept) == ("", ("ward",))
    assert known.covers == {"age": {"young": ("1", "2", "(missing)")}}
    assert known.techniques == {"age": "generalised: level 1 of 2"}
    hierarchies = tuple(each.model_copy(update={"covers": {}}) for each in eight_published.document.hierarchies)
    private = eight_published.document.model_copy(update={"hierarchies": hierarchies})
    assert published_circumstances(details, private, policy=None).covers == {}


def test_a_policy_is_printed_without_folders_and_without_a_population_that_is_no_file(tmp_path):
    (tmp_path / "private").mkdir()
    register = tmp_path / "private" / "register.csv"
    register.write_text("age\n" + "30\n40\n" * 20)
    policy = sl.Policy(sl.JournalistRisk(population=str(register)) <= 1)
    assert tomllib.loads(sl.release_report(RELEASE, policy).answer.again.policy) == {
        "limit": [{"measure": "journalist risk", "population": "register.csv", "at_most": 1}]
    }
    held = sl.Policy(sl.JournalistRisk(population=pa.table({"age": ["30", "40"] * 20})) <= 1)
    assert (
        sl.release_report(RELEASE, held).answer.again.policy == '[[limit]]\nmeasure = "journalist risk"\nat_most = 1\n'
    )


@pytest.mark.parametrize("values", ["single", "set", "multiset"])
def test_risks_of_curves_are_rounded_upwards(values):
    release = sl.Release.from_counts(
        [{"Flu": 2, "Cold": 1}], **({} if values == "single" else {"values": values, "sizes": [3]})
    )
    implied, ruled_out = compute_curves(release)
    for curve, measure in ((implied, sl.Implications), (ruled_out, sl.Negations)):
        assert curve.risks == tuple(number(measure(k).measure(release).value, large_is_bad=True) for k in range(7))
        assert curve.parameter == "k"
    most, rounded_up = ("5/9", 0.5555555555555556) if values == "multiset" else ("2/3", 0.6666666666666667)
    assert (implied.risks[0].exact, implied.risks[0].number) == (most, rounded_up)


def test_how_right_a_learner_was_is_taken_from_its_answer(tmp_path):
    bins = [{"low": 0.4, "high": 0.5, "people": people, "claimed": 0.45, "right": 0.5} for people in (20, 3)]
    answer = {"model": "naive bayes", "people": 23, "claimed": 0.45, "right": 0.5, "calibration_error": 0.05}
    file = tmp_path / "learner.json"
    envelope = {"kind": "learner", "schema_version": 1, "answer": {**answer, "calibration": bins}}
    file.write_text(json.dumps(envelope))
    tried = read_attack(file)
    assert (len(tried.checked.calibration), tried.checked.withheld) == (1, 3)
    assert tried.facts == {"people": 23, "claimed": 0.45, "right": 0.5, "calibration error": 0.05}


@pytest.mark.parametrize(("draw", "begins"), [(sl.report_html, "<!DOCTYPE html>"), (sl.report_markdown, "# ")])
def test_a_report_is_drawn_in_the_order_of_a_regime(draw, begins):
    report = sl.release_report(RELEASE, POLICY)
    assert draw(report).startswith(begins)
    assert "Expert determination under 45 CFR 164.514(b)(1)" not in draw(report)
    assert "Expert determination under 45 CFR 164.514(b)(1)" in draw(report, "hipaa")


def test_what_was_warned_of_and_a_search_that_was_stopped_are_told_as_the_sidecar_does(eight_published):
    document = eight_published.document
    assert how_published(document).warnings == document.warnings != ()
    stopped = document.model_copy(update={"search": document.search.model_copy(update={"complete": False})})
    assert (how_published(document).complete, how_published(stopped).complete) == (True, False)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ([sl.GroupSize() >= 1, sl.Implications(0) <= 1], False),
        ([sl.Implications(0) <= 1], False),
        ([sl.Implications(0) <= 1, sl.GroupSize() >= 2], True),
    ],
)
def test_a_sidecar_alone_tells_of_no_group_that_may_be_one_person(limits, told, tmp_path):
    rows = pa.table({"age": ["1"] * 6 + ["98", "99"], "ill": ["Flu", "Cold"] * 3 + ["Gout", "Gout"]})
    table = sl.read_table(rows, quasi="age", sensitive="ill", kinds={"age": "number"})
    published = sl.protect(table, sl.Policy(*limits), method="mondrian", ask="nobody").publish(tmp_path / "release.csv")
    (tmp_path / "alone").mkdir()
    report = sl.release_report(alone(published, tmp_path / "alone"))
    (implied,) = [each for each in report.answer.audit.findings if each.measure == "implications"]
    assert implied.result.exact == "1"
    assert (implied.worst_off == "the group with age 98-99: Gout") == told
    if not told:
        assert {each.worst_off for each in report.answer.audit.findings} == {"a group that may be one person"}
        withheld = (
            "The sidecar does not tell that this group has more than one person, and what is printed about it is left "
            "out of this report; sidelight audit shows it to whoever holds the file."
        )
        assert {each.explanation for each in report.answer.audit.findings} == {withheld}
        assert "Gout" not in report.to_json()
