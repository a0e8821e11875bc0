"""A report from whatever is at hand: a file, a sidecar, a search, a release."""

import hashlib
import json
import platform
import shutil
import tomllib
from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.attack.report import document as exposure_document
from sidelight.attack.report import sentences
from sidelight.errors import BadRelease, WrongKind
from sidelight.publish.release_report import (
    ATTACKS,
    NOT_MEASURED_AGAIN,
    attack_tried,
    cells_of,
    curves_of,
    how_published,
    numbers_in,
    read_attack,
)
from sidelight.publish.sidecar import ResistanceFacts, read_sidecar, sidecar_path
from sidelight.report.document import number
from sidelight.report.release_report import SignOff


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
    with pytest.raises(BadRelease, match="not the file that its sidecar tells of"):
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
    assert "10 of 40 rows have no sensitive value and were dropped" in text
    assert "Left out, 1 column of the table: remark" in text


def test_without_the_table_it_is_said_that_they_are_not_known(with_gaps):
    text = sl.report_markdown(sl.release_report(with_gaps[1]))
    assert "40 rows of the table were read, more than there are people" in text
    assert "Which columns of the table were left out is not told" in text


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
    with pytest.raises(WrongKind, match=r"^the report should be a ReleaseReport, not an int"):
        draw(5)


def test_who_signs_and_when_is_told():
    signed = SignOff(name="Ann", role="head", decision="yes")
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
    assert attack_tried(exposure).source == ()


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
    assert str(refused.value) == (
        f"'{file}' is an answer of 'audit', not of an attack; give one of {', '.join(ATTACKS)}"
    )
    file.write_text("{}")
    with pytest.raises(BadRelease) as refused:
        read_attack(file)
    assert str(refused.value) == f"'{file}' is no answer of Sidelight; give what sidelight attack … --output FILE wrote"


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
    assert [each.text for each in cells_of(RELEASE, sl.Policy(sl.GroupSize() >= 5, *limits))] == [
        str(limits[0].measure),
        str(limits[1].measure),
    ]
    assert list(cells_of(RELEASE, None)) == list(cells_of(RELEASE, POLICY)) == []


def test_curves_say_the_risk_at_each_amount_of_knowledge():
    implied, ruled_out = curves_of(RELEASE)
    assert (implied.measure, implied.parameter, ruled_out.measure) == ("implications", "k", "negations")
    assert implied.amounts == ruled_out.amounts == (0, 1, 2, 3, 4, 5, 6)
    assert [each.exact for each in ruled_out.risks] == ["2/3"] + ["1"] * 6  # of two values one is left
    assert implied.risks[0].exact == "2/3"


def test_curves_that_would_take_long_are_left_out(monkeypatch):
    from sidelight.publish import release_report  # noqa: PLC0415 - the module, not the function of that name

    monkeypatch.setattr(release_report, "MOST_CURVE_CELLS", 4)  # two groups of two values
    assert len(curves_of(RELEASE)) == 2
    monkeypatch.setattr(release_report, "MOST_CURVE_CELLS", 3)
    assert curves_of(RELEASE) == ()


def test_how_a_file_was_made_is_told_as_its_sidecar_does(published):
    document = read_sidecar(published)
    made = how_published(document)
    assert (made.method, made.levels, made.complete) == ("lattice", document.search.levels, True)
    assert (made.rows_in, made.people_in, made.people_out, made.suppressed) == (45_222, 45_222, 45_222, 0)
    assert (made.checked, made.resists, made.utility) == (0, None, document.utility)
    assert (made.published, made.warnings) == (document.date, document.warnings)
    older = document.search.model_copy(update={"checked": 12})
    assert how_published(document.model_copy(update={"search": older})).checked == 12


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
    assert size.explanation == "Worst off is the group with age young, with 8."
    value = published.document.findings[1].value
    assert implied.worst_off == f"the group with age young: {value}"
    assert implied.explanation == f"Worst off is the group with age young: {value}, with 1/2."
    assert (told.audit.sidelight, told.audit.verdict) == (sl.__version__, "within policy")
    assert told.audit.intake.rows == 8
    assert told.audit.not_covered == "Attackers the policy does not name are not judged."
    assert [each.name for each in told.files] == ["release.csv"]


def test_a_sidecar_beside_its_file_is_told_of_as_the_file(published):
    assert sl.release_report(sidecar_path(published)) == sl.release_report(published)
    assert sl.release_report(str(published)).source == "release.parquet"
